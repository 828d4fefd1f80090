//! The hash table of `wordline-kv` for firmware in C: the library behind `include/wordline_kv.h`, whose comments are its
//! reference.
//!
//! Tables, buffers and memories are the caller's; nothing is allocated. With the feature `bare` it needs no operating
//! system either. `wordline-c-abi` checks what C hands over; `functions` and `storage` are the only files with unsafe code.

#![cfg_attr(feature = "bare", no_std)]

mod abi;
mod functions;
mod storage;

pub use abi::{Info, OpeningReport, Options, Status, WlKv};
pub use functions::{
    wl_kv_damaged_slot, wl_kv_describe, wl_kv_discard, wl_kv_format, wl_kv_free_slots, wl_kv_get,
    wl_kv_next, wl_kv_open, wl_kv_put, wl_kv_records, wl_kv_recovered, wl_kv_remove,
    wl_kv_slot_bytes,
};
