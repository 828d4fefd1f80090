//! Wordline's memories for C and C++: the library behind `include/wordline_dram.h` and `include/wordline_memory.h`,
//! whose comments are its reference.
//!
//! What C hands over is looked at in `boundary` and in the functions of each interface, the only files with unsafe code;
//! the rest is what they are about, in safe Rust. A handle is a number, not an address: one that is made up or freed
//! finds nothing.

mod boundary;
mod dram;
mod handles;
mod local_handles;
mod memory;
mod message;

pub use memory::rust_flash::{HandleFailure, HandleFlash};

/// DDR5 memory for simulators of processors: `wordline_dram.h`.
pub mod wordline_dram_h {
    pub use crate::dram::abi::{
        ABI, Complete, DramCompletion, DramInfo, DramOptions, DramStatus, PushedRequest, Stats,
        WlDram,
    };
    pub use crate::dram::functions::{
        wl_dram_abi, wl_dram_can_accept, wl_dram_create, wl_dram_drain, wl_dram_free,
        wl_dram_get_info, wl_dram_get_stats, wl_dram_message, wl_dram_next_event, wl_dram_now,
        wl_dram_push, wl_dram_push_many, wl_dram_reset_stats, wl_dram_run_until, wl_dram_step,
        wl_dram_tick,
    };
}

/// Non-volatile memories for storage software: `wordline_memory.h`.
pub mod wordline_memory_h {
    pub use crate::memory::abi::{
        ABI, Cut, Ecc, Fault, Health, Ideal, Info, Listener, MemoryStatus, Operation, Options,
        Stats, WlMemory, Work,
    };
    pub use crate::memory::ageing::{wl_memory_keep, wl_memory_set_environment};
    pub use crate::memory::commands::{
        wl_memory_erase_range, wl_memory_get_erase_size, wl_memory_get_free_range,
        wl_memory_get_work, wl_memory_last_ecc, wl_memory_move_page, wl_memory_program_spare,
        wl_memory_program_whole, wl_memory_read_spare, wl_memory_read_suspending,
        wl_memory_read_whole, wl_memory_resume, wl_memory_start_erase, wl_memory_suspend,
        wl_memory_wait,
    };
    pub use crate::memory::functions::{
        wl_memory_abi, wl_memory_advance, wl_memory_create, wl_memory_cut_power, wl_memory_energy,
        wl_memory_flip_bit, wl_memory_fork, wl_memory_free, wl_memory_get_cycles,
        wl_memory_get_info, wl_memory_get_stats, wl_memory_last_duration, wl_memory_listen,
        wl_memory_load, wl_memory_message, wl_memory_now, wl_memory_power_up,
        wl_memory_reset_stats, wl_memory_restore, wl_memory_save, wl_memory_set_cycles,
        wl_memory_set_fault, wl_memory_trace_to,
    };
    pub use crate::memory::health::wl_memory_get_health;
    pub use crate::memory::injection::{
        wl_memory_add_fault, wl_memory_clear_faults, wl_memory_create_ideal, wl_memory_is_free,
        wl_memory_peek, wl_memory_peek_page, wl_memory_poke, wl_memory_poke_page,
    };
    pub use crate::memory::operations::{
        wl_memory_erase, wl_memory_is_bad, wl_memory_mark_bad, wl_memory_program,
        wl_memory_program_page, wl_memory_read, wl_memory_read_page, wl_memory_sync,
        wl_memory_write,
    };
}
