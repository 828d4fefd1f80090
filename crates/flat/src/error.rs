//! What can go wrong.

use core::fmt;

use crate::record::{EXTENTS_MAX, NAME_BYTES_MAX};
use crate::shape::{UNIT_BYTES_MAX, UNIT_BYTES_MIN, VERSION};

/// Why a call did not do what it was asked to. The files hold what they held before, unless the variant says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlatError<E> {
    /// The memory failed. What the call was to change is old or new; mount again to know.
    Memory(E),
    /// The memory holds no files of this kind.
    Foreign,
    /// The files have another format.
    Version {
        /// The version of the format; this code knows only [`VERSION`].
        version: u16,
        /// Features that it uses; this code knows none.
        features: u16,
    },
    /// The memory ends before the files do.
    Truncated {
        /// Bytes that the files take.
        needed: u64,
        /// Bytes that there are.
        bytes: u64,
    },
    /// The header is damaged.
    DamagedHeader,
    /// A record is damaged, or contradicts another.
    Corrupt {
        /// The slot of the record, counted from 0.
        slot: u32,
    },
    /// No atom may lie in two units.
    Atom {
        /// The memory's atom in bytes.
        atom: u64,
        /// Bytes of a unit.
        unit_bytes: u32,
    },
    /// The shape is out of range: units of 64 bytes to 1 MiB, a power of two; 16 records at least; 1 to 48 extents.
    Shape {
        /// Bytes of a unit that were asked for.
        unit_bytes: u32,
        /// Records.
        records: u32,
        /// Extents of a file.
        extents: u32,
    },
    /// The memory has no room for a single unit, or more than 4 GiB.
    Capacity {
        /// Bytes that are needed at least.
        needed: u64,
        /// Bytes that there are.
        bytes: u64,
    },
    /// The RAM is too short.
    Ram {
        /// Words of 32 bits that are needed.
        needed: u64,
        /// Words that there are.
        words: u64,
    },
    /// There is nothing at the path.
    NotFound,
    /// There is something at the path.
    Exists,
    /// It is a directory.
    IsADirectory,
    /// It is no directory.
    NotADirectory,
    /// The directory is not empty.
    NotEmpty,
    /// A path begins with `/`; its parts have 1 to 255 bytes, and are neither `.` nor `..`.
    BadName,
    /// A directory cannot be moved into itself.
    IntoItself,
    /// There are not enough free units.
    NoSpace,
    /// There are not enough free records.
    NoRecords,
    /// The file has as many extents as the shape allows, and what follows its last one is taken.
    Fragmented {
        /// The most extents of a file.
        extents: u32,
    },
    /// A file has less than 4 GiB.
    TooLong,
    /// The file is open.
    Busy,
    /// As many files are open as the RAM was made for.
    TooManyOpen {
        /// How many.
        open_files: u32,
    },
    /// The handle is not of an open file.
    NotOpen,
    /// A write begins behind the end of its file.
    PastEnd {
        /// Where it begins, in bytes.
        at: u64,
        /// The length of the file in bytes.
        bytes: u64,
    },
}

impl<E> From<E> for FlatError<E> {
    fn from(error: E) -> Self {
        Self::Memory(error)
    }
}

impl<E: fmt::Display> fmt::Display for FlatError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(error) => write!(f, "the memory failed: {error}"),
            Self::Foreign => f.write_str("the memory holds no files; format it first"),
            Self::Version { version, features } => write!(
                f,
                "the files have format {version} with features {features:#x}; this code knows format {VERSION} without features"
            ),
            Self::Truncated { needed, bytes } => {
                write!(f, "the files take {needed} bytes, the memory has {bytes}")
            }
            Self::DamagedHeader => f.write_str("the header of the files is damaged"),
            Self::Corrupt { slot } => write!(f, "the record in slot {slot} is damaged"),
            Self::Atom { atom, unit_bytes } => write!(
                f,
                "the memory's atom has {atom} bytes; allowed: powers of two up to the {unit_bytes} bytes of a unit"
            ),
            Self::Shape {
                unit_bytes,
                records,
                extents,
            } => write!(
                f,
                "units of {unit_bytes} bytes, {records} records, {extents} extents; allowed: powers of two from \
                 {UNIT_BYTES_MIN} to {UNIT_BYTES_MAX} bytes, 16 records or more, 1 to {EXTENTS_MAX} extents"
            ),
            Self::Capacity { needed, bytes } => write!(
                f,
                "the memory has {bytes} bytes; allowed: {needed} to 4294967296"
            ),
            Self::Ram { needed, words } => {
                write!(f, "the RAM takes {needed} words of 32 bits, not {words}")
            }
            Self::NotFound => f.write_str("there is no such file or directory"),
            Self::Exists => f.write_str("the name is taken"),
            Self::IsADirectory => f.write_str("it is a directory"),
            Self::NotADirectory => f.write_str("it is no directory"),
            Self::NotEmpty => f.write_str("the directory is not empty"),
            Self::BadName => write!(
                f,
                "a path begins with /, and its parts have 1 to {NAME_BYTES_MAX} bytes, none of them . or .."
            ),
            Self::IntoItself => f.write_str("a directory cannot be moved into itself"),
            Self::NoSpace => f.write_str("there are not enough free units"),
            Self::NoRecords => f.write_str("there are not enough free records"),
            Self::Fragmented { extents } => {
                write!(f, "the file has {extents} extents, and may have no more")
            }
            Self::TooLong => f.write_str("a file has less than 4 GiB"),
            Self::Busy => f.write_str("the file is open"),
            Self::TooManyOpen { open_files } => {
                write!(
                    f,
                    "{open_files} files are open, and there is RAM for no more"
                )
            }
            Self::NotOpen => f.write_str("the file is not open"),
            Self::PastEnd { at, bytes } => {
                write!(f, "a write at byte {at} of a file of {bytes} bytes")
            }
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for FlatError<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Memory(error) => Some(error),
            _ => None,
        }
    }
}
