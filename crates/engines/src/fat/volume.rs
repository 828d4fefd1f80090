//! A file system of rust-fatfs together with its open files, which borrow it.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fatfs::{DirEntry, File, FileSystem};
use self_cell::self_cell;

use super::disk::Disk;
use crate::{FsError, FsErrorKind, Handle, Shared};

pub(super) type Fs = FileSystem<Shared<Disk>>;

/// An open file.
pub(super) struct OpenFile<'a> {
    pub file: File<'a, Shared<Disk>>,
    /// Length in bytes.
    pub bytes: u64,
    /// Whether something of it may not be on the device yet.
    pub changed: bool,
}

pub(super) type Files<'a> = BTreeMap<Handle, OpenFile<'a>>;

self_cell!(
    pub(super) struct FatVolume {
        owner: Fs,

        #[not_covariant]
        dependent: Files,
    }
);

// SAFETY: nothing in it belongs to a thread. It is not `Send` by itself because rust-fatfs keeps two `&'static dyn`
// objects that are not known to be `Sync`, a clock and a code page; both are its own, which have no state. The cells
// that the files and their file system share move together, and are never shared between threads: a `FatVolume` is not
// `Sync`.
#[allow(unsafe_code)]
unsafe impl Send for FatVolume {}

/// What went wrong in a call.
pub(super) enum FatFault {
    /// rust-fatfs says so.
    Io(io::Error),
    /// We say so.
    Fs(FsError),
}

impl From<io::Error> for FatFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<FsError> for FatFault {
    fn from(error: FsError) -> Self {
        Self::Fs(error)
    }
}

impl From<FsErrorKind> for FatFault {
    fn from(kind: FsErrorKind) -> Self {
        Self::Fs(kind.into())
    }
}

impl From<FatFault> for FsError {
    fn from(fault: FatFault) -> Self {
        match fault {
            FatFault::Io(error) => meaning(&error),
            FatFault::Fs(error) => error,
        }
    }
}

/// What an error of rust-fatfs 0.3 means: most of its errors are of one kind and differ in their words.
fn meaning(error: &io::Error) -> FsError {
    let text = error.to_string();
    let kind = match (error.kind(), text.as_str()) {
        (io::ErrorKind::NotFound, _) => FsErrorKind::NotFound,
        (io::ErrorKind::AlreadyExists, _) => FsErrorKind::Exists,
        // A root directory of FAT12 or FAT16 has a fixed size.
        (io::ErrorKind::WriteZero, _) | (_, "No space left on device") => FsErrorKind::Full,
        (_, "Is a directory") => FsErrorKind::IsDir,
        (_, "Not a directory") => FsErrorKind::NotDir,
        (_, "Directory not empty") => FsErrorKind::NotEmpty,
        _ => FsErrorKind::Corrupt,
    };
    match kind {
        FsErrorKind::Corrupt => FsError::new(kind, text),
        _ => kind.into(),
    }
}

/// Runs rust-fatfs on a disk. It panics on some volumes that are damaged.
pub(super) fn guarded<R>(
    disk: &Shared<Disk>,
    data: usize,
    run: impl FnOnce() -> Result<R, FatFault>,
) -> Result<R, FsError> {
    disk.borrow().begin(data);
    let result = catch_unwind(AssertUnwindSafe(run));
    let (failure, at_work) = {
        let mut disk = disk.borrow();
        (disk.failure(), std::mem::take(&mut disk.at_work))
    };
    match (result, failure) {
        (Err(panic), _) if at_work => resume_unwind(panic),
        (_, Some(failure)) => Err(failure.into()),
        (Err(_), None) => Err(FsErrorKind::Corrupt.into()),
        (Ok(result), None) => result.map_err(FsError::from),
    }
}

/// What is at a path that is not the root.
pub(super) fn find<'a>(fs: &'a Fs, path: &str) -> Result<DirEntry<'a, Shared<Disk>>, FatFault> {
    let (above, name) = path.rsplit_once('/').ok_or(FsErrorKind::Name)?;
    let dir = match above {
        "" => fs.root_dir(),
        above => fs.root_dir().open_dir(above)?,
    };
    for entry in dir.iter() {
        let entry = entry?;
        if is_called(&entry, name) {
            return Ok(entry);
        }
    }
    Err(FsErrorKind::NotFound.into())
}

/// Whether an entry has a name, long or short, in capitals or not: the rule of rust-fatfs.
fn is_called(entry: &DirEntry<'_, Shared<Disk>>, name: &str) -> bool {
    folded(&entry.file_name()) == folded(name) || entry.short_file_name().eq_ignore_ascii_case(name)
}

/// A path as it is compared.
pub(super) fn folded(path: &str) -> String {
    path.chars().flat_map(char::to_uppercase).collect()
}
