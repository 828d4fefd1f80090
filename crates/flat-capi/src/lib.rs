//! The files of `wordline-flat` for firmware in C: the library behind `include/wordline_flat.h`, whose comments are its
//! reference.
//!
//! File systems, handles and RAM are the caller's; nothing is allocated. With the feature `bare` it needs no operating
//! system either. `wordline-c-abi` checks what C hands over; the functions are in `volume`, `file` and `names`.

#![cfg_attr(feature = "bare", no_std)]

mod abi;
mod file;
mod names;
mod problem;
mod storage;
#[cfg(test)]
#[path = "../../capi/tests/c_api/variants.rs"]
mod variants;
mod volume;

pub use abi::{
    FlatStatus, WlFlat, WlFlatDir, WlFlatEntry, WlFlatFile, WlFlatProblem, WlFlatRoom, WlFlatShape,
    WlFlatUse,
};
pub use file::{
    wl_flat_close, wl_flat_length, wl_flat_open, wl_flat_read, wl_flat_sync, wl_flat_truncate,
    wl_flat_write,
};
pub use names::{
    wl_flat_mkdir, wl_flat_next_entry, wl_flat_open_dir, wl_flat_remove, wl_flat_rename,
    wl_flat_stat,
};
pub use problem::{wl_flat_problem_of, wl_flat_text};
pub use volume::{
    wl_flat_format, wl_flat_mount, wl_flat_ram_words, wl_flat_room_of, wl_flat_shape_of,
    wl_flat_unmount, wl_flat_usual_shape,
};
