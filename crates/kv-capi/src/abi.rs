//! What the header declares: structs and statuses.

use wordline_c_abi::UnusableArgument;
use wordline_kv::Error;

/// `wl_kv_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs, reason = "the header tells")]
pub enum Status {
    Ok = 0,
    NotFound = 1,
    BadArgument = 2,
    Memory = 3,
    Foreign = 4,
    Version = 5,
    Truncated = 6,
    BadHeader = 7,
    Corrupt = 8,
    Atom = 9,
    SlotSize = 10,
    TooSmall = 11,
    Directory = 12,
    NoDirectory = 13,
    Scratch = 14,
    Key = 15,
    Value = 16,
    NoRoom = 17,
    Buffer = 18,
    Other = 19,
}

impl From<UnusableArgument> for Status {
    fn from(_: UnusableArgument) -> Self {
        Self::BadArgument
    }
}

impl<E> From<Error<E>> for Status {
    fn from(error: Error<E>) -> Self {
        match error {
            Error::Memory(_) => Self::Memory,
            Error::Foreign => Self::Foreign,
            Error::Version { .. } => Self::Version,
            Error::Truncated { .. } => Self::Truncated,
            Error::BadHeader => Self::BadHeader,
            Error::Corrupt { .. } => Self::Corrupt,
            Error::Atom { .. } => Self::Atom,
            Error::SlotSize { .. } => Self::SlotSize,
            Error::TooSmall { .. } => Self::TooSmall,
            Error::Directory { .. } => Self::Directory,
            Error::NoDirectory => Self::NoDirectory,
            Error::Scratch { .. } => Self::Scratch,
            Error::EmptyKey | Error::KeyTooLong { .. } => Self::Key,
            Error::ValueTooLong { .. } => Self::Value,
            Error::NoRoom { .. } => Self::NoRoom,
            Error::Buffer { .. } => Self::Buffer,
            _ => Self::Other,
        }
    }
}

/// `wl_kv_options`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Options {
    /// Bytes in a slot.
    pub slot_bytes: u32,
    /// Whether the memory has room for the directory.
    pub resident: u32,
    /// Of the hash.
    pub seed: u64,
}

/// `wl_kv_info`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Info {
    /// Bytes in a slot.
    pub slot_bytes: u32,
    /// Slots in the table.
    pub slots: u32,
    /// Whether the directory may be in the memory.
    pub resident: u32,
    /// Words of 64 bits of a directory in RAM.
    pub directory_words: u32,
    /// Bytes of the shortest scratch buffer.
    pub scratch_bytes: u32,
}

/// `wl_kv_recovery`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct OpeningReport {
    /// Whether a power cut had spoilt a commit. It was removed.
    pub torn: u32,
    /// Whether there were two versions of a record. The older one was removed.
    pub superseded: u32,
    /// Records with wrong bits, which are read as what they were.
    pub mended: u32,
    /// Records of several slots whose later slots are damaged.
    pub damaged: u32,
}

impl From<&wordline_kv::Recovery> for OpeningReport {
    fn from(found: &wordline_kv::Recovery) -> Self {
        Self {
            torn: found.torn.into(),
            superseded: found.superseded.into(),
            mended: found.mended,
            damaged: found.damaged,
        }
    }
}

/// `wl_kv`: room for a table, which `storage` makes one.
#[derive(Debug)]
#[repr(C)]
pub struct WlKv {
    /// The library's.
    pub words: [u64; 48],
}
