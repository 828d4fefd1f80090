//! Wordline's DDR5 memory for simulators in C and C++: the library behind `include/wordline_dram.h`, whose comments are
//! its reference.
//!
//! What C hands over is looked at in `functions`, the only file with unsafe code; `memory` is what it is about, in safe
//! Rust. A handle is a number that `table` knows, not an address: one that is made up or freed finds nothing.

mod abi;
mod fault;
mod functions;
mod memory;
mod table;

pub use abi::{ABI, Complete, Info, Options, Stats, Status, WlDram};
pub use functions::{
    wl_dram_abi, wl_dram_can_accept, wl_dram_create, wl_dram_drain, wl_dram_free, wl_dram_get_info,
    wl_dram_get_stats, wl_dram_message, wl_dram_next_event, wl_dram_now, wl_dram_push,
    wl_dram_reset_stats, wl_dram_run_until, wl_dram_tick,
};
