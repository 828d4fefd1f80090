//! Sizes of littlefs's structures on a microcontroller: those of `lfs.h` 2.9, with words of 4 bytes for pointers.
//!
//! Each is written down once more with the pointer as a parameter. That it is the structure of `lfs.h` is checked on
//! this host, whose pointers give the sizes that the C compiler gives.

#![allow(dead_code, reason = "only their sizes count")]

use std::mem::size_of;

use wordline_littlefs_sys as c;

/// `lfs_cache_t`.
#[repr(C)]
struct Cache<P> {
    block_off_size: [u32; 3],
    buffer: P,
}

/// `lfs_mdir_t`: pair, revision, offset, tag, count, two flags, tail.
#[repr(C)]
struct DirectoryWords {
    words: [u32; 5],
    count: u16,
    flags: [u8; 2],
    tail: [u32; 2],
}

/// `lfs_t`.
#[repr(C)]
struct State<P> {
    read_cache: Cache<P>,
    program_cache: Cache<P>,
    root: [u32; 2],
    list: P,
    seed: u32,
    /// What is global, three times.
    global: [u32; 9],
    lookahead: [u32; 4],
    lookahead_buffer: P,
    config: P,
    /// Blocks, and the most of a name, a file, attributes and an inline file.
    limits: [u32; 5],
}

/// `lfs_config`.
#[repr(C)]
struct Config<P> {
    context: P,
    calls: [P; 4],
    sizes: [u32; 8],
    buffers: [P; 3],
    limits: [u32; 5],
}

/// `lfs_file_t`.
#[repr(C)]
struct FileWords<P> {
    next: P,
    id: u16,
    kind: u8,
    directory: DirectoryWords,
    /// Head and length, flags, position, block and offset.
    words: [u32; 6],
    cache: Cache<P>,
    config: P,
}

/// `lfs_file_config`.
#[repr(C)]
struct FileConfig<P> {
    buffer: P,
    attributes: P,
    count: u32,
}

/// The mounted file system and its configuration, in bytes.
pub(super) const MOUNTED: u64 = (size_of::<State<u32>>() + size_of::<Config<u32>>()) as u64;

/// An open file and its configuration, in bytes.
pub(super) const FILE: u64 = (size_of::<FileWords<u32>>() + size_of::<FileConfig<u32>>()) as u64;

const _: () = {
    type Own = *const ();
    assert!(size_of::<State<Own>>() == size_of::<c::lfs_t>());
    assert!(size_of::<Config<Own>>() == size_of::<c::lfs_config>());
    assert!(size_of::<FileWords<Own>>() == size_of::<c::lfs_file_t>());
    assert!(size_of::<FileConfig<Own>>() == size_of::<c::lfs_file_config>());
};
