//! What the header declares: structs and statuses.

use core::ffi::{c_char, c_void};

use wordline_c_abi::{NameRoom, UnusableArgument};
use wordline_rtfs::RECORD_BYTES;

/// `wl_rtfs_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs, reason = "the header tells")]
pub enum RtfsStatus {
    Ok = 0,
    End = 1,
    BadArgument = 2,
    NotMounted = 3,
    BadHandle = 4,
    Flash = 5,
    NeedsMount = 6,
    Foreign = 7,
    NoFiles = 8,
    Version = 9,
    Differs = 10,
    Unsuitable = 11,
    Memory = 12,
    Lost = 13,
    WornOut = 14,
    NotFound = 15,
    Exists = 16,
    NotADirectory = 17,
    IsADirectory = 18,
    NotEmpty = 19,
    BadName = 20,
    IntoItself = 21,
    NoSpace = 22,
    TooLong = 23,
    Stale = 24,
    DirectoryFull = 25,
    Damaged = 26,
    Other = 27,
    TooMany = 28,
    Unwritten = 29,
}

impl From<UnusableArgument> for RtfsStatus {
    fn from(_: UnusableArgument) -> Self {
        Self::BadArgument
    }
}

/// `wl_rtfs_flash`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RtfsFlash {
    /// Handed to the functions.
    pub user: *mut c_void,
    /// Bytes in the main area of a page.
    pub page_bytes: u32,
    /// Bytes in the spare area of a page.
    pub spare_bytes: u32,
    /// Pages in a block.
    pub pages_per_block: u32,
    /// Blocks, bad ones included.
    pub blocks: u32,
    /// The bytes of the spare area that take the record of a page.
    pub columns: [u32; RECORD_BYTES],
    /// Fills a buffer from a page; 0, a positive code of the ECC, or a negative one of a failure.
    pub read: Option<unsafe extern "C" fn(*mut c_void, u32, u32, *mut c_void, usize) -> i32>,
    /// Programs a page from a column on; 0, or a negative code.
    pub program: Option<unsafe extern "C" fn(*mut c_void, u32, u32, *const c_void, usize) -> i32>,
    /// Erases a block; 0, or a negative code.
    pub erase: Option<unsafe extern "C" fn(*mut c_void, u32) -> i32>,
    /// 1 for a block that is bad, 0 for another, or a negative code.
    pub is_bad: Option<unsafe extern "C" fn(*mut c_void, u32) -> i32>,
    /// Marks a block bad; 0, or a negative code.
    pub mark_bad: Option<unsafe extern "C" fn(*mut c_void, u32) -> i32>,
    /// What becomes of an erase that is begun: a `wl_rtfs_erase_mode`.
    pub erase_mode: u32,
    /// Begins an erase of a block; 0, or a negative code.
    pub begin_erase: Option<unsafe extern "C" fn(*mut c_void, u32) -> i32>,
    /// Lets the erase go on for some of so many parts; 1 where it has ended, 0, or a negative code.
    pub advance_erase: Option<unsafe extern "C" fn(*mut c_void, u32, u32) -> i32>,
    /// Programs a page with what another one holds, but for some bytes; 0, or a negative code.
    pub move_page:
        Option<unsafe extern "C" fn(*mut c_void, u32, u32, u32, *const c_void, usize) -> i32>,
}

/// `wl_rtfs_config`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct RtfsConfig {
    /// Pages that files and directories take.
    pub logical_pages: u32,
    /// Blocks that may be bad.
    pub bad_blocks: u32,
    /// Changed places that RAM holds; 0 is the usual number.
    pub log_entries: u32,
}

/// `wl_rtfs_bound`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct RtfsBound {
    /// Blocks of the flash.
    pub blocks: u32,
    /// Pages that a block takes behind its header.
    pub data_pages: u32,
    /// Pages of a block's header.
    pub header_pages: u32,
    /// Pages of the map.
    pub map_pages: u32,
    /// Live pages that the emptiest block has at most.
    pub victim_pages: u32,
    /// Map pages stored while one block is filled.
    pub stores: u32,
    /// Changes that a store of a map page takes out of the log at least.
    pub retired: u32,
    /// Pages that the caller writes while one block is filled.
    pub user_pages: u32,
    /// Steps for each page that the caller writes.
    pub steps_per_page: u32,
    /// Parts in which a block is erased.
    pub erase_parts: u32,
    /// RAM in bytes.
    pub ram_bytes: u64,
}

/// `wl_rtfs_counts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct RtfsCounts {
    /// Reads of a spare area alone.
    pub spare_reads: u64,
    /// Pages read, those of the steps included.
    pub reads: u64,
    /// Pages programmed, those of the steps included.
    pub programs: u64,
    /// Of the pages read and programmed, those that steps move.
    pub moves: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Parts of erases that go on meanwhile, in millionths of an erase.
    pub erase_millionths: u64,
    /// Times that an erase stands still, and goes on.
    pub suspends: u64,
}

/// `wl_rtfs_space`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct RtfsSpace {
    /// Pages that there are.
    pub pages: u32,
    /// Pages that are free.
    pub free_pages: u32,
    /// Not 0: pages of what was removed wait to be freed.
    pub more: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Bytes that a file may have.
    pub longest_file: u64,
    /// Bytes that a name may have.
    pub longest_name: u32,
    /// Blocks that are not bad.
    pub good_blocks: u32,
    /// Erases of the most erased block.
    pub most_erases: u32,
    /// Erases of the least erased block.
    pub least_erases: u32,
}

/// `wl_rtfs_entry`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RtfsEntry {
    /// Bytes of a file.
    pub bytes: u64,
    /// Not 0: a directory.
    pub is_directory: u32,
    /// The name, and a zero byte.
    pub name: NameRoom,
}

/// `wl_rtfs_problem`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RtfsProblem {
    /// The status that it is about.
    pub status: RtfsStatus,
    /// What the flash's function returned.
    pub code: i32,
    /// What does not suit.
    pub what: *const c_char,
    /// Its bytes.
    pub what_bytes: usize,
    /// The value found.
    pub found: u64,
    /// The least that would do.
    pub least: u64,
    /// The most that would do.
    pub most: u64,
}

/// `wl_rtfs_part`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RtfsPart {
    /// The file.
    pub file: *mut WlRtfsFile,
    /// Where in it.
    pub at: u64,
    /// What.
    pub data: *const c_void,
    /// How much.
    pub bytes: usize,
}

/// `wl_rtfs_nor`: room for a NOR flash as pages.
#[derive(Debug)]
#[repr(C)]
pub struct WlRtfsNor {
    /// The library's.
    pub words: [u64; 40],
}

/// `wl_rtfs`: room for a file system, which `storage` makes one.
#[derive(Debug)]
#[repr(C)]
pub struct WlRtfs {
    /// The library's.
    pub words: [u64; 160],
}

/// `wl_rtfs_file`.
#[derive(Debug)]
#[repr(C)]
pub struct WlRtfsFile {
    /// The library's.
    pub words: [u64; 20],
}

/// `wl_rtfs_dir`.
#[derive(Debug)]
#[repr(C)]
pub struct WlRtfsDir {
    /// The library's.
    pub words: [u64; 8],
}
