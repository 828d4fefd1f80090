//! What the libraries for firmware in C (`wordline_kv.h`, `wordline_flat.h`, `wordline_rtfs.h`) have in common.
//!
//! `arguments` checks pointers, lengths and texts of C. `storage` keeps Rust values in memory of the caller, so that nothing
//! is allocated, and notices storage in which nothing was opened. `handle` ties an open file to its mount. `buffer` is RAM of
//! the caller, `memory` a byte-addressable memory behind the caller's functions.

#![no_std]

mod arguments;
mod buffer;
mod handle;
mod memory;
mod storage;

pub use arguments::{
    NameRoom, UnusableArgument, apart, bytes_in, bytes_out, last_name, tell, tell_name, text, value,
};
pub use buffer::CallerBuffer;
pub use handle::{CallerHandle, VolumeHandles, next_mount};
pub use memory::{CallerMemory, MemoryCode, MemoryFunctions};
pub use storage::{CallerStorage, clear, fits, keep, place, stored};

/// An error of the library: nothing that can go on.
#[cfg(all(feature = "bare", not(test)))]
#[panic_handler]
fn stopped(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
