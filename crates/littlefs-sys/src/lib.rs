//! littlefs in C: the declarations of `lfs.h` 2.9.3 that Wordline uses, under their names there.
//!
//! The functions need what littlefs asks of its callers: pointers that are valid during the call, and for what is open
//! or mounted until it is closed. A file system, a file and a directory start as zeros. `tests/header.rs` checks every
//! declaration against the header.

#![no_std]
#![allow(
    non_camel_case_types,
    reason = "names of lfs.h, so that its documentation is found"
)]

use core::ffi::{c_char, c_int, c_void};

/// Bytes of a name at most.
pub const LFS_NAME_MAX: u32 = 255;
/// Bytes of a file at most.
pub const LFS_FILE_MAX: u32 = 2_147_483_647;

/// No error.
pub const LFS_ERR_OK: c_int = 0;
/// The memory failed.
pub const LFS_ERR_IO: c_int = -5;
/// What is stored is damaged, or a block does not keep what was programmed.
pub const LFS_ERR_CORRUPT: c_int = -84;
/// There is no such entry.
pub const LFS_ERR_NOENT: c_int = -2;
/// The entry exists already.
pub const LFS_ERR_EXIST: c_int = -17;
/// The entry is no directory.
pub const LFS_ERR_NOTDIR: c_int = -20;
/// The entry is a directory.
pub const LFS_ERR_ISDIR: c_int = -21;
/// The directory has entries.
pub const LFS_ERR_NOTEMPTY: c_int = -39;
/// The file is too large.
pub const LFS_ERR_FBIG: c_int = -27;
/// No block is free.
pub const LFS_ERR_NOSPC: c_int = -28;
/// The name is too long.
pub const LFS_ERR_NAMETOOLONG: c_int = -36;

/// The entry is a directory; the only other kind is a file.
pub const LFS_TYPE_DIR: u8 = 2;

/// Opens to read.
pub const LFS_O_RDONLY: c_int = 1;
/// Opens to read and write.
pub const LFS_O_RDWR: c_int = 3;
/// Makes the file where there is none.
pub const LFS_O_CREAT: c_int = 0x0100;
/// Empties the file.
pub const LFS_O_TRUNC: c_int = 0x0400;
/// A write to the open file has failed.
pub const LFS_F_ERRED: u32 = 0x08_0000;

/// An offset counts from the start of the file.
pub const LFS_SEEK_SET: c_int = 0;

/// The memory, its sizes, and buffers. Zero stands for littlefs's default where it has one.
#[repr(C)]
#[derive(Default)]
pub struct lfs_config {
    /// Whatever the callbacks need.
    pub context: *mut c_void,
    /// Reads bytes of a block.
    pub read: Option<unsafe extern "C" fn(*const lfs_config, u32, u32, *mut c_void, u32) -> c_int>,
    /// Programs bytes of an erased block.
    pub prog:
        Option<unsafe extern "C" fn(*const lfs_config, u32, u32, *const c_void, u32) -> c_int>,
    /// Erases a block.
    pub erase: Option<unsafe extern "C" fn(*const lfs_config, u32) -> c_int>,
    /// Makes what was programmed safe from a power cut.
    pub sync: Option<unsafe extern "C" fn(*const lfs_config) -> c_int>,
    /// Bytes of a read at least.
    pub read_size: u32,
    /// Bytes of a program operation at least.
    pub prog_size: u32,
    /// Bytes in a block.
    pub block_size: u32,
    /// Blocks.
    pub block_count: u32,
    /// Erase cycles of a metadata block before littlefs moves it; -1: never.
    pub block_cycles: i32,
    /// Bytes of each cache.
    pub cache_size: u32,
    /// Bytes of the map of free blocks.
    pub lookahead_size: u32,
    /// Bytes of metadata that `lfs_fs_gc` compacts.
    pub compact_thresh: u32,
    /// The cache of reads.
    pub read_buffer: *mut c_void,
    /// The cache of writes.
    pub prog_buffer: *mut c_void,
    /// The map of free blocks.
    pub lookahead_buffer: *mut c_void,
    /// Bytes of a name at most.
    pub name_max: u32,
    /// Bytes of a file at most.
    pub file_max: u32,
    /// Bytes of an attribute at most.
    pub attr_max: u32,
    /// Bytes of a block that metadata uses at most.
    pub metadata_max: u32,
    /// Bytes of a file inside its directory at most.
    pub inline_max: u32,
}

/// An entry of a directory.
#[repr(C)]
pub struct lfs_info {
    /// [`LFS_TYPE_DIR`], or a file.
    pub r#type: u8,
    /// Bytes of a file.
    pub size: u32,
    /// The name, which ends with a zero.
    pub name: [c_char; LFS_NAME_MAX as usize + 1],
}

/// What an open file is given.
#[repr(C)]
#[derive(Default)]
pub struct lfs_file_config {
    /// Its cache.
    pub buffer: *mut c_void,
    /// Its attributes, `struct lfs_attr`.
    pub attrs: *mut c_void,
    /// How many attributes.
    pub attr_count: u32,
}

/// A part of a block in RAM.
#[repr(C)]
#[derive(Default)]
pub struct lfs_cache_t {
    /// The block.
    pub block: u32,
    /// Its first byte here.
    pub off: u32,
    /// How many bytes.
    pub size: u32,
    /// The bytes.
    pub buffer: *mut u8,
}

/// A pair of metadata blocks.
#[repr(C)]
#[derive(Default)]
pub struct lfs_mdir_t {
    /// The two blocks.
    pub pair: [u32; 2],
    /// The revision of the newer one.
    pub rev: u32,
    /// Where its log ends.
    pub off: u32,
    /// Its last tag.
    pub etag: u32,
    /// Entries.
    pub count: u16,
    /// Whether the rest of the block is erased.
    pub erased: bool,
    /// Whether the directory goes on in the next pair.
    pub split: bool,
    /// The next pair.
    pub tail: [u32; 2],
}

/// An open directory.
#[repr(C)]
#[derive(Default)]
pub struct lfs_dir_t {
    /// What else is open.
    pub next: *mut lfs_dir_t,
    /// The entry that comes next, in its pair.
    pub id: u16,
    /// What is open: a directory.
    pub r#type: u8,
    /// The pair that it is in.
    pub m: lfs_mdir_t,
    /// Entries read.
    pub pos: u32,
    /// Its first pair.
    pub head: [u32; 2],
}

/// Where the blocks of a file are.
#[repr(C)]
#[derive(Default)]
pub struct lfs_ctz {
    /// Its last block.
    pub head: u32,
    /// Its bytes.
    pub size: u32,
}

/// An open file.
#[repr(C)]
#[derive(Default)]
pub struct lfs_file_t {
    /// What else is open.
    pub next: *mut lfs_file_t,
    /// Its entry in the pair.
    pub id: u16,
    /// What is open: a file.
    pub r#type: u8,
    /// The pair that names it.
    pub m: lfs_mdir_t,
    /// Its blocks.
    pub ctz: lfs_ctz,
    /// How it was opened, and its state, such as [`LFS_F_ERRED`].
    pub flags: u32,
    /// The byte that comes next.
    pub pos: u32,
    /// The block of that byte.
    pub block: u32,
    /// The byte in the block.
    pub off: u32,
    /// Its cache.
    pub cache: lfs_cache_t,
    /// What it was given.
    pub cfg: *const lfs_file_config,
}

/// A change that spans directories.
#[repr(C)]
#[derive(Default)]
pub struct lfs_gstate_t {
    /// What is under way.
    pub tag: u32,
    /// The pair that it concerns.
    pub pair: [u32; 2],
}

/// The map of free blocks.
#[repr(C)]
#[derive(Default)]
pub struct lfs_lookahead {
    /// The first block in the map.
    pub start: u32,
    /// Blocks in the map.
    pub size: u32,
    /// The block to try next.
    pub next: u32,
    /// Blocks left before the search has seen all.
    pub ckpoint: u32,
    /// A bit a block.
    pub buffer: *mut u8,
}

/// A file system.
#[repr(C)]
#[derive(Default)]
pub struct lfs_t {
    /// The cache of reads.
    pub rcache: lfs_cache_t,
    /// The cache of writes.
    pub pcache: lfs_cache_t,
    /// The pair of the root.
    pub root: [u32; 2],
    /// What is open, `struct lfs_mlist`.
    pub mlist: *mut c_void,
    /// Of the order in which blocks are taken.
    pub seed: u32,
    /// What directories together say is under way.
    pub gstate: lfs_gstate_t,
    /// That, as it is stored.
    pub gdisk: lfs_gstate_t,
    /// What the next commit adds to it.
    pub gdelta: lfs_gstate_t,
    /// The map of free blocks.
    pub lookahead: lfs_lookahead,
    /// The memory and its sizes.
    pub cfg: *const lfs_config,
    /// Blocks.
    pub block_count: u32,
    /// Bytes of a name at most.
    pub name_max: u32,
    /// Bytes of a file at most.
    pub file_max: u32,
    /// Bytes of an attribute at most.
    pub attr_max: u32,
    /// Bytes of a file inside its directory at most.
    pub inline_max: u32,
}

// All give a negative error, or what they say.
unsafe extern "C" {
    /// Makes an empty file system; it is not mounted.
    pub fn lfs_format(lfs: *mut lfs_t, config: *const lfs_config) -> c_int;
    /// Mounts a file system.
    pub fn lfs_mount(lfs: *mut lfs_t, config: *const lfs_config) -> c_int;
    /// Removes a file or an empty directory.
    pub fn lfs_remove(lfs: *mut lfs_t, path: *const c_char) -> c_int;
    /// Gives an entry another path.
    pub fn lfs_rename(lfs: *mut lfs_t, from: *const c_char, to: *const c_char) -> c_int;
    /// Fills in what an entry is.
    pub fn lfs_stat(lfs: *mut lfs_t, path: *const c_char, info: *mut lfs_info) -> c_int;
    /// Opens a file.
    pub fn lfs_file_opencfg(
        lfs: *mut lfs_t,
        file: *mut lfs_file_t,
        path: *const c_char,
        flags: c_int,
        config: *const lfs_file_config,
    ) -> c_int;
    /// Stores and closes a file.
    pub fn lfs_file_close(lfs: *mut lfs_t, file: *mut lfs_file_t) -> c_int;
    /// Stores a file.
    pub fn lfs_file_sync(lfs: *mut lfs_t, file: *mut lfs_file_t) -> c_int;
    /// Reads on; gives the bytes read.
    pub fn lfs_file_read(
        lfs: *mut lfs_t,
        file: *mut lfs_file_t,
        buffer: *mut c_void,
        size: u32,
    ) -> i32;
    /// Writes on; gives the bytes written.
    pub fn lfs_file_write(
        lfs: *mut lfs_t,
        file: *mut lfs_file_t,
        buffer: *const c_void,
        size: u32,
    ) -> i32;
    /// Goes to a byte; gives its offset.
    pub fn lfs_file_seek(lfs: *mut lfs_t, file: *mut lfs_file_t, off: i32, whence: c_int) -> i32;
    /// Cuts or extends a file.
    pub fn lfs_file_truncate(lfs: *mut lfs_t, file: *mut lfs_file_t, size: u32) -> c_int;
    /// Gives the bytes of a file.
    pub fn lfs_file_size(lfs: *mut lfs_t, file: *mut lfs_file_t) -> i32;
    /// Makes a directory.
    pub fn lfs_mkdir(lfs: *mut lfs_t, path: *const c_char) -> c_int;
    /// Opens a directory.
    pub fn lfs_dir_open(lfs: *mut lfs_t, dir: *mut lfs_dir_t, path: *const c_char) -> c_int;
    /// Closes a directory.
    pub fn lfs_dir_close(lfs: *mut lfs_t, dir: *mut lfs_dir_t) -> c_int;
    /// Fills in the next entry; gives 1, or 0 at the end.
    pub fn lfs_dir_read(lfs: *mut lfs_t, dir: *mut lfs_dir_t, info: *mut lfs_info) -> c_int;
    /// Gives the blocks in use.
    pub fn lfs_fs_size(lfs: *mut lfs_t) -> i32;
}
