//! What can go wrong.

use core::fmt;

/// Why a call did not do what it was asked to. The table holds what it held before, unless the variant says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error<E> {
    /// The memory failed. What the call was to change is old or new; open the table again to know.
    Memory(E),
    /// The memory holds no table.
    Foreign,
    /// The table has another format, or features that this code does not know.
    Version {
        /// The version of its format; this code knows only [`VERSION`](crate::VERSION).
        version: u16,
        /// Features that it uses, as bits; this code knows bit 0.
        features: u16,
    },
    /// The memory ends before the table does.
    Truncated {
        /// Bytes that the table takes.
        needed: u64,
        /// Bytes that there are.
        bytes: u64,
    },
    /// The description of the table is damaged beyond one bit.
    BadHeader,
    /// More is damaged than a power cut can damage: this slot, counted from 0, and what is stored there.
    Corrupt {
        /// The slot.
        slot: u32,
    },
    /// The memory's atom does not divide the table's slots, so that one record could harm its neighbour.
    Atom {
        /// The memory's atom in bytes.
        atom: u64,
        /// Bytes in a slot.
        slot_bytes: u32,
    },
    /// Slots have 16 to 32768 bytes, an even number.
    SlotSize {
        /// Bytes that were asked for.
        slot_bytes: u32,
    },
    /// The memory has not room for a single bucket.
    TooSmall {
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that there are.
        bytes: u64,
    },
    /// The directory in RAM is too short.
    Directory {
        /// Words of 64 bits that are needed.
        needed: u64,
        /// Words that there are.
        words: u64,
    },
    /// The table has no directory of its own: it was formatted without.
    NoDirectory,
    /// The scratch buffer is too short.
    Scratch {
        /// Bytes that are needed.
        needed: usize,
        /// Bytes that there are.
        bytes: usize,
    },
    /// A key has at least one byte.
    EmptyKey,
    /// A key has at most [`KEY_BYTES_MAX`](crate::KEY_BYTES_MAX) bytes.
    KeyTooLong {
        /// Bytes in the key.
        bytes: usize,
    },
    /// A value has at most [`VALUE_BYTES_MAX`](crate::VALUE_BYTES_MAX) bytes.
    ValueTooLong {
        /// Bytes in the value.
        bytes: usize,
    },
    /// There are not enough free slots.
    NoRoom {
        /// Slots that are needed.
        needed: u64,
        /// Slots that are free for this.
        free: u64,
    },
    /// The buffer for a key or a value is too short.
    Buffer {
        /// Bytes in the key or value.
        needed: usize,
        /// Bytes in the buffer.
        bytes: usize,
    },
}

impl<E> From<E> for Error<E> {
    fn from(error: E) -> Self {
        Self::Memory(error)
    }
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(error) => write!(f, "the memory failed: {error}"),
            Self::Foreign => f.write_str("the memory holds no table; format it first"),
            Self::Version { version, features } => write!(
                f,
                "the table has format {version} with features {features:#x}; this code knows format {} with features 0x1",
                crate::VERSION
            ),
            Self::Truncated { needed, bytes } => {
                write!(f, "the table takes {needed} bytes, the memory has {bytes}")
            }
            Self::BadHeader => f.write_str("the description of the table is damaged"),
            Self::Corrupt { slot } => write!(f, "slot {slot} is damaged"),
            Self::Atom { atom, slot_bytes } => {
                write!(
                    f,
                    "slots of {slot_bytes} bytes are no whole number of the memory's atoms of {atom} bytes"
                )
            }
            Self::SlotSize { slot_bytes } => {
                write!(
                    f,
                    "a slot has an even number of bytes, 16 to 32768, not {slot_bytes}"
                )
            }
            Self::TooSmall { needed, bytes } => {
                write!(
                    f,
                    "the smallest table takes {needed} bytes, the memory has {bytes}"
                )
            }
            Self::Directory { needed, words } => {
                write!(
                    f,
                    "the directory takes {needed} words of 64 bits, there are {words}"
                )
            }
            Self::NoDirectory => {
                f.write_str("the table was formatted without a directory in its memory")
            }
            Self::Scratch { needed, bytes } => {
                write!(f, "the scratch buffer takes {needed} bytes, not {bytes}")
            }
            Self::EmptyKey => f.write_str("a key has at least one byte"),
            Self::KeyTooLong { bytes } => {
                write!(
                    f,
                    "a key has at most {} bytes, not {bytes}",
                    crate::KEY_BYTES_MAX
                )
            }
            Self::ValueTooLong { bytes } => {
                write!(
                    f,
                    "a value has at most {} bytes, not {bytes}",
                    crate::VALUE_BYTES_MAX
                )
            }
            Self::NoRoom { needed, free } => {
                write!(f, "{needed} slots are needed, {free} are free")
            }
            Self::Buffer { needed, bytes } => {
                write!(f, "{needed} bytes do not fit a buffer of {bytes}")
            }
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Memory(error) => Some(error),
            _ => None,
        }
    }
}
