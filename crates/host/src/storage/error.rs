//! Why storage of the host cannot be measured.

use std::io;
use std::path::PathBuf;

use crate::inode::InodeError;

/// Who uses a block device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockDeviceUse {
    /// A file system is mounted from it.
    #[error("{device} is mounted at {at}")]
    Mounted {
        /// The device: the one asked for, its disk or one of its partitions.
        device: String,
        /// Where.
        at: String,
    },
    /// The kernel swaps to it.
    #[error("{device} is swapped to")]
    Swap {
        /// The device.
        device: String,
    },
    /// Another block device stands on it: RAID, LVM, encryption, a loop.
    #[error("{device} is what {by} stands on")]
    Held {
        /// The device.
        device: String,
        /// The block device above it.
        by: String,
    },
    /// A process holds it open.
    #[error("{device} is held open by process {process}")]
    Open {
        /// The device.
        device: String,
        /// Its number, with its name where that is known.
        process: String,
    },
    /// The kernel refuses to open it exclusively, and does not say for whom.
    #[error(
        "the kernel holds it for another user (EBUSY), as a file system or a pool of several devices does"
    )]
    Exclusive,
}

/// Why a kernel does not offer io_uring to this process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoUring {
    /// The kernel was built without it, or is older than 5.1.
    #[error("the kernel has no io_uring (ENOSYS)")]
    Missing,
    /// The sysctl forbids it.
    #[error("kernel.io_uring_disabled is {0}, which forbids io_uring to this process")]
    Disabled(u32),
    /// Something else forbids it: a filter of system calls, as in containers.
    #[error("io_uring is forbidden (EPERM), as a container's filter of system calls does")]
    Forbidden,
    /// Another error of `io_uring_setup`.
    #[error("io_uring cannot be set up: {0}")]
    Failed(String),
}

/// Why storage cannot be measured, or what ended a measurement.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// A setting of the job that cannot be so.
    #[error("{what} {found} is out of range; allowed: {allowed}")]
    OutOfRange {
        /// The setting.
        what: &'static str,
        /// Its value.
        found: String,
        /// The values allowed.
        allowed: String,
    },
    /// It is neither a file nor a block device.
    #[error("{path} is {found}; allowed: a file, a name that no file has yet, or a block device")]
    Unfit {
        /// What was named.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// What its name leads to is not opened.
    #[error("{path}: {error}")]
    Inode {
        /// What was named.
        path: PathBuf,
        /// Why not.
        error: InodeError,
    },
    /// Its file system shows what the kernel knows.
    #[error("{path}: its file system stores nothing; allowed: a file on a disk, or a block device")]
    Pseudo {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be opened, made, read or written.
    #[error("{path} cannot be {what}: {source}")]
    Io {
        /// The file or device.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// It may not be written.
    #[error("{path} cannot be written: {why}; reads need no permission to write: --reads 100%")]
    ReadOnly {
        /// The file or device.
        path: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// Writes would destroy what it holds, and nobody said that this may go.
    #[error(
        "{path} {}, and writes destroy its contents: name it again with --destroy {path}, or name a file that does not exist",
        if *is_device { "is a device" } else { "exists" }
    )]
    Unconfirmed {
        /// The file or device.
        path: PathBuf,
        /// Whether it is a device.
        is_device: bool,
    },
    /// Somebody uses it.
    #[error("{path} is in use: {by}; nothing was written")]
    InUse {
        /// The device.
        path: PathBuf,
        /// By whom.
        by: BlockDeviceUse,
    },
    /// Another measurement works on it.
    #[error("{path} is locked: another program works on it")]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// Its file system has no direct I/O.
    #[error(
        "{path}: {file_system} has no direct I/O, so that the page cache would be measured; name a file on a disk, or \
         give --buffered to measure with the cache"
    )]
    NoDirect {
        /// The file.
        path: PathBuf,
        /// The file system's name.
        file_system: String,
    },
    /// An access that direct I/O does not take.
    #[error(
        "an access of {found} B does not suit direct I/O on {path}; allowed: multiples of {multiple} B, or --buffered"
    )]
    Unaligned {
        /// The file or device.
        path: PathBuf,
        /// Bytes of the access.
        found: u64,
        /// Bytes that it must be a multiple of.
        multiple: u32,
    },
    /// It is shorter than the range asked for.
    #[error("{path} has {found} B, and {wanted} B were asked for; allowed: up to {found} B")]
    Short {
        /// The file or device.
        path: PathBuf,
        /// Bytes that it has.
        found: u64,
        /// Bytes asked for.
        wanted: u64,
    },
    /// A part of it was never written, and reads of it ask no memory.
    #[error(
        "{path} was never written from byte {at} on, and reads of such holes ask no memory; write it in full before, or \
         name a file that does not exist"
    )]
    Hole {
        /// The file.
        path: PathBuf,
        /// The first byte that was never written.
        at: u64,
    },
    /// The disk has no room for the file.
    #[error(
        "{path} needs {wanted} B, and its file system has {free} B free; give a smaller --size"
    )]
    Full {
        /// The file.
        path: PathBuf,
        /// Bytes of the file.
        wanted: u64,
        /// Bytes free.
        free: u64,
    },
    /// io_uring was asked for by name, and there is none.
    #[error("--engine io_uring: {0}; allowed here: --engine pread")]
    NoUring(NoUring),
    /// An access failed.
    #[error("{path}: the {operation} of {bytes} B at byte {at} failed: {source}")]
    Access {
        /// The file or device.
        path: PathBuf,
        /// What it did.
        operation: &'static str,
        /// First byte.
        at: u64,
        /// Bytes asked for.
        bytes: u64,
        /// What the kernel said.
        source: io::Error,
    },
    /// An access moved fewer bytes than it asked for.
    #[error(
        "{path}: the {operation} of {bytes} B at byte {at} moved {moved} B: it was shortened meanwhile"
    )]
    Cut {
        /// The file or device.
        path: PathBuf,
        /// What it did.
        operation: &'static str,
        /// First byte.
        at: u64,
        /// Bytes asked for.
        bytes: u64,
        /// Bytes moved.
        moved: u64,
    },
    /// The machine slept, so that durations hold the sleep.
    #[error(
        "the machine was suspended for {seconds:.1} s during the run; durations hold that time: measure again"
    )]
    Suspended {
        /// How long.
        seconds: f64,
    },
    /// There is no memory or no thread for the run.
    #[error("{what}: {source}")]
    Resources {
        /// What could not be had.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// The caller ended the run before its first access.
    #[error("stopped before the first access")]
    Stopped,
}

impl StorageError {
    /// Where the fault is: a setting, a file or a device; none where it is the machine.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        match self {
            Self::OutOfRange { what, .. } => Some((*what).to_owned()),
            Self::Unfit { path, .. }
            | Self::Inode { path, .. }
            | Self::Pseudo { path }
            | Self::Io { path, .. }
            | Self::ReadOnly { path, .. }
            | Self::Unconfirmed { path, .. }
            | Self::InUse { path, .. }
            | Self::Locked { path }
            | Self::NoDirect { path, .. }
            | Self::Unaligned { path, .. }
            | Self::Short { path, .. }
            | Self::Hole { path, .. }
            | Self::Full { path, .. }
            | Self::Access { path, .. }
            | Self::Cut { path, .. } => Some(path.display().to_string()),
            Self::NoUring(_) => Some("engine".to_owned()),
            Self::Suspended { .. } | Self::Resources { .. } | Self::Stopped => None,
        }
    }
}
