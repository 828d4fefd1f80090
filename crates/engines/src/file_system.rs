//! What every file system can do.

use std::fmt;

/// A mounted file system. Paths are absolute, `/` separates their parts, and the root is `/`.
///
/// What a power cut leaves is each file system's own promise; what was [synced](Self::sync) and returned must be there
/// for all of them. A file is open at most once: most file systems for microcontrollers keep no two handles of a file
/// in step.
pub trait FileSystem {
    /// Opens a file.
    ///
    /// # Errors
    /// As [`Open`] says; [`FsErrorKind::Name`] for a path that the file system cannot hold.
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError>;

    /// Fills `out` with the bytes of a file from `at` on, and says how many there were before its end.
    ///
    /// # Errors
    /// When the file is not open, or cannot be read.
    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError>;

    /// Stores bytes in a file from `at` on, which is at most its length: `at` = length appends.
    ///
    /// # Errors
    /// When the file is not open for it, there is no room, or the memory fails.
    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError>;

    /// Stores bytes in several places of a file that become valid together: after a power cut all of them are there or
    /// none. They lie within the file, in at most [`Promise::together_pages`](crate::Promise::together_pages) pages, none touched twice.
    ///
    /// # Errors
    /// [`FsErrorKind::Unsuitable`], with nothing written, where it cannot store these together; else as
    /// [`write`](Self::write).
    fn write_together(&mut self, file: Handle, parts: &[(u64, &[u8])]) -> Result<(), FsError> {
        let _ = (file, parts);
        let why = "it has no writes that become valid together";
        Err(FsError::new(FsErrorKind::Unsuitable, why))
    }

    /// Cuts a file to `bytes` bytes, or extends it with zeros.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError>;

    /// Returns when everything that was written to a file survives a power cut.
    ///
    /// # Errors
    /// When there is no room, or the memory fails.
    fn sync(&mut self, file: Handle) -> Result<(), FsError>;

    /// Returns when the bytes that were written to a file survive a power cut, with the length that they need: as
    /// [`sync`](Self::sync) where a file system makes no difference.
    ///
    /// # Errors
    /// As [`sync`](Self::sync).
    fn sync_data(&mut self, file: Handle) -> Result<(), FsError> {
        self.sync(file)
    }

    /// Returns when the names in a directory survive a power cut: at once where a name that was made, changed or removed
    /// lasts when that call returns.
    ///
    /// # Errors
    /// When the memory fails.
    fn sync_dir(&mut self, path: &str) -> Result<(), FsError> {
        let _ = path;
        Ok(())
    }

    /// Closes a file, with what [`sync`](Self::sync) does where the file system does so itself.
    ///
    /// # Errors
    /// As [`sync`](Self::sync). The handle is gone all the same.
    fn close(&mut self, file: Handle) -> Result<(), FsError>;

    /// Makes a directory.
    ///
    /// # Errors
    /// When there is something of this name, no directory above it, or no room.
    fn create_dir(&mut self, path: &str) -> Result<(), FsError>;

    /// Removes a file, or a directory that is empty.
    ///
    /// # Errors
    /// When it is not there, or not empty, or is open.
    fn remove(&mut self, path: &str) -> Result<(), FsError>;

    /// Gives a file or a directory another name. A file of that name is replaced where the file system can do so.
    ///
    /// # Errors
    /// When it is not there, or the other name is taken.
    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError>;

    /// What is at a path.
    ///
    /// # Errors
    /// [`FsErrorKind::NotFound`], or the memory fails.
    fn entry(&mut self, path: &str) -> Result<Entry, FsError>;

    /// What is in a directory, in the file system's own order.
    ///
    /// # Errors
    /// When it is no directory, or the memory fails.
    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError>;

    /// Room that there is.
    ///
    /// # Errors
    /// When the memory fails.
    fn space(&mut self) -> Result<Space, FsError>;

    /// RAM that it needs as it is mounted, handles of open files included.
    fn ram(&self) -> RamUse;

    /// The same in parts, which keep their order.
    fn ram_parts(&self) -> Vec<RamPart> {
        let ram = self.ram();
        [("buffers", ram.buffers), ("structures", ram.structures)]
            .map(|(name, bytes)| RamPart { name, bytes })
            .to_vec()
    }

    /// Says which thread of a program makes the next calls: for a recorder, and nothing to a file system.
    fn called_by(&mut self, thread: u32) {
        let _ = thread;
    }

    /// Writes what is left to be written, and leaves the memory alone from then on: every later call fails.
    ///
    /// # Errors
    /// When the memory fails.
    fn unmount(&mut self) -> Result<(), FsError>;
}

/// An open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub u32);

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// For reading; it must be there.
    Read,
    /// For reading and writing; it must be there.
    Write,
    /// For reading and writing; an empty one is made where there is none.
    Create,
    /// For reading and writing, empty; it is made where there is none.
    Replace,
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The last part of the path.
    pub name: String,
    /// Whether it is a directory.
    pub is_dir: bool,
    /// Length of a file in bytes; 0 of a directory.
    pub bytes: u64,
}

/// Room in a file system, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// All that files could take, of an empty file system.
    pub total: u64,
    /// What is free, as the file system counts it.
    pub free: u64,
}

/// RAM that a file system needs, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RamUse {
    /// Buffers and tables, whose sizes its configuration states.
    pub buffers: u64,
    /// Its own structures on a microcontroller, whose pointers take 4 bytes; as compiled for this host where they have
    /// few pointers.
    pub structures: u64,
}

/// A part of the RAM that a file system needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RamPart {
    /// What it is for, in lowercase letters and hyphens.
    pub name: &'static str,
    /// Bytes.
    pub bytes: u64,
}

/// What went wrong in a file system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}{}{detail}", if detail.is_empty() { "" } else { ": " })]
pub struct FsError {
    /// What it means to the caller.
    pub kind: FsErrorKind,
    /// What the engine or the memory says, if anything.
    pub detail: String,
}

impl From<FsErrorKind> for FsError {
    fn from(kind: FsErrorKind) -> Self {
        Self {
            kind,
            detail: String::new(),
        }
    }
}

impl FsError {
    /// An error with what the engine or the memory says.
    pub fn new(kind: FsErrorKind, detail: impl fmt::Display) -> Self {
        Self {
            kind,
            detail: detail.to_string(),
        }
    }
}

/// What an error means to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FsErrorKind {
    /// There is nothing at the path.
    NotFound,
    /// There is something at the path.
    Exists,
    /// It is a directory.
    IsDir,
    /// It is no directory.
    NotDir,
    /// The directory is not empty.
    NotEmpty,
    /// There is no room.
    Full,
    /// The file system cannot hold such a name or path.
    Name,
    /// The path is longer than the file system allows.
    PathLength,
    /// The file, or a file in the directory, is open.
    Busy,
    /// The handle is not open, or not open for this; or the call leaves the file.
    Invalid,
    /// What the memory holds is no such file system, or a damaged one.
    Corrupt,
    /// The memory failed.
    Device,
    /// The memory or the configuration does not suit the file system.
    Unsuitable,
}

impl fmt::Display for FsErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "there is no such file or directory",
            Self::Exists => "the name is taken",
            Self::IsDir => "it is a directory",
            Self::NotDir => "it is no directory",
            Self::NotEmpty => "the directory is not empty",
            Self::Full => "there is no room",
            Self::Name => "the file system cannot hold such a name",
            Self::PathLength => "the path is too long",
            Self::Busy => "it is open",
            Self::Invalid => "the call does not suit the file",
            Self::Corrupt => "the memory holds no file system of this kind, or a damaged one",
            Self::Device => "the memory failed",
            Self::Unsuitable => "the memory does not suit the file system",
        })
    }
}

/// Checks that a path is absolute, and has no empty part, no `.` and no `..`.
///
/// # Errors
/// [`FsErrorKind::Name`].
pub fn check_path(path: &str) -> Result<(), FsError> {
    let rest = path.strip_prefix('/');
    let good = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\0');
    match rest {
        Some("") => Ok(()),
        Some(rest) if rest.split('/').all(good) => Ok(()),
        _ => Err(FsError::new(
            FsErrorKind::Name,
            format_args!("`{}`", path.escape_debug()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_absolute_and_plain() {
        for good in ["/", "/a", "/a/b.txt", "/ü"] {
            assert_eq!(check_path(good), Ok(()), "{good}");
        }
        for bad in ["", "a", "/a/", "//a", "/a/../b", "/./a", "/a\0"] {
            let error = check_path(bad).expect_err(bad);
            assert_eq!(error.kind, FsErrorKind::Name);
            assert!(error.to_string().contains('`'), "{error}");
        }
    }
}
