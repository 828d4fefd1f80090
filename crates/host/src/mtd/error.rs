//! Why raw flash of the host cannot be used.

use std::io;
use std::path::PathBuf;

use wordline_memory::{FlashError, FlashErrorKind};

use crate::inode::InodeError;

/// Who uses a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InUse {
    /// A file system is mounted from it.
    #[error("mtd{number} is mounted at {at}")]
    Mounted {
        /// The device, which shares bytes with the one asked for.
        number: u32,
        /// Where.
        at: String,
    },
    /// UBI manages it.
    #[error("mtd{number} is attached to {ubi}; ubidetach -m {number} lets it go")]
    Attached {
        /// The device.
        number: u32,
        /// The UBI device.
        ubi: String,
    },
    /// A block device of the kernel stands on it.
    #[error("mtd{number} is what {by} stands on")]
    Held {
        /// The device.
        number: u32,
        /// The block device.
        by: String,
    },
    /// The kernel swaps to it.
    #[error("mtd{number} is swapped to")]
    Swap {
        /// The device.
        number: u32,
    },
    /// A process holds it open.
    #[error("mtd{number} is held open by process {process}")]
    Open {
        /// The device.
        number: u32,
        /// Its number, with its name where that is known.
        process: String,
    },
    /// Another program of this kind works on it.
    #[error("mtd{number} is locked: another test works on it")]
    Locked {
        /// The device.
        number: u32,
    },
}

/// Why raw flash of the host cannot be used, or what an operation of it came to.
#[derive(Debug, thiserror::Error)]
pub enum MtdError {
    /// Raw flash of this kind exists on Linux alone.
    #[error("raw flash can be reached on Linux alone")]
    NoLinux,
    /// The device, or what the kernel reports of it, cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// What was read.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// What its name leads to is not opened.
    #[error("{device}: {error}")]
    Inode {
        /// The device.
        device: PathBuf,
        /// Why not.
        error: InodeError,
    },
    /// It is something else.
    #[error(
        "{device} {found}; allowed: raw flash, /dev/mtd0 and so on{}",
        instead.as_ref().map(|one| format!(", here {one}")).unwrap_or_default()
    )]
    NotRawFlash {
        /// The device.
        device: PathBuf,
        /// What it is.
        found: String,
        /// The device that may be meant.
        instead: Option<String>,
    },
    /// The kernel reports something impossible.
    #[error("{path}: {found:?} is no {what}")]
    Told {
        /// Where.
        path: PathBuf,
        /// What it says.
        found: String,
        /// What was looked for.
        what: &'static str,
    },
    /// Its kind is none that is tested.
    #[error("{device}: {problem}")]
    Unfit {
        /// The device.
        device: PathBuf,
        /// Why not.
        problem: String,
    },
    /// Somebody uses it.
    #[error("{device} is in use: {by}")]
    InUse {
        /// The device.
        device: PathBuf,
        /// By whom.
        by: InUse,
    },
    /// An operation failed.
    #[error("{operation} at byte {at} of {device}: {source}")]
    Failed {
        /// The device.
        device: PathBuf,
        /// What was done.
        operation: &'static str,
        /// Where, in bytes.
        at: u64,
        /// What it means.
        kind: FlashErrorKind,
        /// What the driver said.
        source: io::Error,
    },
    /// The caller left the memory or broke a rule of its geometry.
    #[error("{0}")]
    Misuse(String),
}

impl FlashError for MtdError {
    fn kind(&self) -> FlashErrorKind {
        match self {
            Self::Failed { kind, .. } => *kind,
            Self::Misuse(_) => FlashErrorKind::Misuse,
            _ => FlashErrorKind::Other,
        }
    }
}
