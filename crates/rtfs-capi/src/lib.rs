//! The files of `wordline-rtfs` for firmware in C: the library behind `include/wordline_rtfs.h`, whose comments are its
//! reference.
//!
//! File systems, handles and memory are the caller's; nothing is allocated. With the feature `bare` it needs no operating
//! system either. What C hands over is checked in `wordline-c-abi`, `arguments`, `flash` and `storage`; the functions are in `volume`, `file`,
//! `names` and `nor`.

#![cfg_attr(feature = "bare", no_std)]

mod abi;
mod arguments;
mod file;
mod flash;
mod names;
mod nor;
mod problem;
mod storage;
#[cfg(test)]
#[path = "../../capi/tests/c_api/variants.rs"]
mod variants;
mod volume;

pub use abi::{
    RtfsBound, RtfsConfig, RtfsCounts, RtfsEntry, RtfsFlash, RtfsPart, RtfsProblem, RtfsSpace,
    RtfsStatus, WlRtfs, WlRtfsDir, WlRtfsFile, WlRtfsNor,
};
pub use file::{
    wl_rtfs_append, wl_rtfs_close, wl_rtfs_discard_front, wl_rtfs_length, wl_rtfs_open,
    wl_rtfs_read, wl_rtfs_truncate, wl_rtfs_write, wl_rtfs_write_together,
};
pub use names::{
    wl_rtfs_mkdir, wl_rtfs_next_entry, wl_rtfs_open_dir, wl_rtfs_remove, wl_rtfs_rename,
    wl_rtfs_stat,
};
pub use nor::wl_rtfs_nor_pages;
pub use problem::{wl_rtfs_problem_of, wl_rtfs_text};
pub use volume::{
    wl_rtfs_bound_of, wl_rtfs_call_counts, wl_rtfs_format, wl_rtfs_largest, wl_rtfs_leave_erase,
    wl_rtfs_mount, wl_rtfs_mount_counts, wl_rtfs_plan, wl_rtfs_read_counts, wl_rtfs_space_of,
    wl_rtfs_unmount, wl_rtfs_work, wl_rtfs_write_counts,
};
