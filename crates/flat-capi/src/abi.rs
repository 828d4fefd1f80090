//! What the header declares: structs and statuses.

use wordline_c_abi::{NameRoom, UnusableArgument};
use wordline_flat::{FlatShape, FlatUse};

/// `wl_flat_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs, reason = "the header tells")]
pub enum FlatStatus {
    Ok = 0,
    End = 1,
    BadArgument = 2,
    NotMounted = 3,
    BadHandle = 4,
    Memory = 5,
    Foreign = 6,
    Version = 7,
    Truncated = 8,
    BadHeader = 9,
    Corrupt = 10,
    Atom = 11,
    Shape = 12,
    Capacity = 13,
    Ram = 14,
    NotFound = 15,
    Exists = 16,
    NotADirectory = 17,
    IsADirectory = 18,
    NotEmpty = 19,
    BadName = 20,
    IntoItself = 21,
    NoSpace = 22,
    NoRecords = 23,
    Fragmented = 24,
    TooLong = 25,
    Busy = 26,
    TooManyOpen = 27,
    PastEnd = 28,
    Other = 29,
}

impl From<UnusableArgument> for FlatStatus {
    fn from(_: UnusableArgument) -> Self {
        Self::BadArgument
    }
}

/// The status that a call ends with.
pub(crate) fn status(done: Result<(), FlatStatus>) -> FlatStatus {
    done.err().unwrap_or(FlatStatus::Ok)
}

/// `wl_flat_shape`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct WlFlatShape {
    /// Bytes of the memory that the files have.
    pub bytes: u64,
    /// Bytes of a unit.
    pub unit_bytes: u32,
    /// Slots of 128 bytes.
    pub records: u32,
    /// The most extents of a file.
    pub extents: u32,
}

impl From<FlatShape> for WlFlatShape {
    fn from(shape: FlatShape) -> Self {
        Self {
            bytes: shape.bytes,
            unit_bytes: shape.unit_bytes,
            records: shape.records,
            extents: shape.extents,
        }
    }
}

impl From<WlFlatShape> for FlatShape {
    fn from(shape: WlFlatShape) -> Self {
        Self {
            bytes: shape.bytes,
            unit_bytes: shape.unit_bytes,
            records: shape.records,
            extents: shape.extents,
        }
    }
}

/// `wl_flat_use`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct WlFlatUse {
    /// Files that can be open at a time.
    pub open_files: u32,
    /// Bytes that a file which grows takes at least, while it is open.
    pub reserve_bytes: u32,
}

impl From<WlFlatUse> for FlatUse {
    fn from(of_use: WlFlatUse) -> Self {
        Self {
            open_files: of_use.open_files,
            reserve_bytes: of_use.reserve_bytes,
        }
    }
}

/// `wl_flat_room`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct WlFlatRoom {
    /// Bytes of all units.
    pub total: u64,
    /// Bytes of units that no file has.
    pub free: u64,
    /// Slots that no record has.
    pub free_records: u32,
}

/// `wl_flat_entry`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WlFlatEntry {
    /// Bytes of a file.
    pub bytes: u32,
    /// Not 0: a directory.
    pub is_directory: u32,
    /// The name, and a zero byte.
    pub name: NameRoom,
}

/// `wl_flat_problem`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct WlFlatProblem {
    /// The status that it is about.
    pub status: FlatStatus,
    /// What the memory's function returned.
    pub code: i32,
    /// The value found.
    pub found: u64,
    /// The least that would do.
    pub least: u64,
    /// The most that would do.
    pub most: u64,
}

/// `wl_flat`: room for a file system, which `storage` makes one.
#[derive(Debug)]
#[repr(C)]
pub struct WlFlat {
    /// The library's.
    pub words: [u64; 32],
}

/// `wl_flat_file`.
#[derive(Debug)]
#[repr(C)]
pub struct WlFlatFile {
    /// The library's.
    pub words: [u64; 4],
}

/// `wl_flat_dir`.
#[derive(Debug)]
#[repr(C)]
pub struct WlFlatDir {
    /// The library's.
    pub words: [u64; 5],
}
