//! Why an image cannot be mounted or saved.

use std::io;
use std::path::{Path, PathBuf};

use wordline_nvm::NvmError;

use super::journal::JournalProblem;
use super::snapshot::SnapshotProblem;

/// Why an image cannot be mounted or saved.
#[derive(Debug, thiserror::Error)]
pub enum VolumeImageError {
    /// Another process has it mounted.
    #[error(
        "--image {}: it is in use by {}; unmount it there first", .file.display(),
        .holder.as_deref().unwrap_or("another process")
    )]
    InUse {
        /// The image.
        file: PathBuf,
        /// Who has it, as far as known.
        holder: Option<String>,
    },
    /// The memory is too large for an image.
    #[error("--image {}: the memory has {capacity} B, and an image has at most {most} B", .file.display())]
    Capacity {
        /// The image.
        file: PathBuf,
        /// Bytes of the memory.
        capacity: u64,
        /// Bytes allowed.
        most: u64,
    },
    /// The file is shorter than the memory.
    #[error("--image {}: it has {bytes} B, and {part} has {capacity} B", .file.display())]
    Length {
        /// The image.
        file: PathBuf,
        /// Bytes of the file.
        bytes: u64,
        /// Bytes of the memory.
        capacity: u64,
        /// The part.
        part: String,
    },
    /// The file cannot be an image.
    #[error("--image {}: {why}", .file.display())]
    Unusable {
        /// The image.
        file: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// Its record of spare areas, bad blocks and wear is at fault.
    #[error("--image {}: {problem}", .file.display())]
    Snapshot {
        /// The image.
        file: PathBuf,
        /// What is wrong.
        problem: SnapshotProblem,
    },
    /// Its journal is at fault.
    #[error("{}: {problem}", .file.display())]
    Journal {
        /// The journal.
        file: PathBuf,
        /// What is wrong.
        problem: JournalProblem,
    },
    /// Another process wrote to the image while it was mounted.
    #[error(
        "--image {}: somebody else wrote to it since it was loaded; what this memory holds is in {}",
        .file.display(), .new.display()
    )]
    Changed {
        /// The image.
        file: PathBuf,
        /// Where the content of the memory is.
        new: PathBuf,
    },
    /// The memory cannot hold it, or not be read.
    #[error("--image {}: {source}", .file.display())]
    Memory {
        /// The image.
        file: PathBuf,
        /// What the memory says.
        source: NvmError,
    },
    /// The host failed.
    #[error("--image {}: {source}", .file.display())]
    Host {
        /// The file.
        file: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}

impl VolumeImageError {
    pub(super) fn host(file: &Path, source: io::Error) -> Self {
        Self::Host {
            file: file.to_owned(),
            source,
        }
    }
}
