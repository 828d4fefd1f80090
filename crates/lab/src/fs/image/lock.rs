//! Locks of files that go with their process, however that ends (`flock`).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::error::VolumeImageError;
use super::journal::Journal;

/// A file that this process alone has locked.
pub(super) struct FileLock(File);

impl FileLock {
    /// Locks a file that is there; `None` where another process has locked it.
    pub(super) fn acquire(file: &Path) -> io::Result<Option<Self>> {
        let opened = OpenOptions::new().read(true).write(true).open(file)?;
        match opened.try_lock() {
            Ok(()) => Ok(Some(Self(opened))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    pub(super) const fn file(&self) -> &File {
        &self.0
    }

    pub(super) fn into_file(self) -> File {
        self.0
    }
}

/// Opens and locks a journal, or makes it.
pub(super) fn acquire_or_create(path: &Path, image: &Path) -> Result<FileLock, VolumeImageError> {
    let failed = |error| VolumeImageError::host(path, error);
    loop {
        let about = fs::metadata(path);
        if about.is_ok_and(|about| !about.is_file()) {
            return Err(VolumeImageError::Unusable {
                file: path.to_owned(),
                why: "it is no regular file, and the journal would be there",
            });
        }
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        match opened.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(VolumeImageError::InUse {
                    file: image.to_owned(),
                    holder: Journal::holder(&opened),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Whoever had it may have removed it between the two: then the lock is one of a file without a name.
        let (mine, named) = (opened.metadata().map_err(failed)?, fs::metadata(path));
        if named.is_ok_and(|named| (named.dev(), named.ino()) == (mine.dev(), mine.ino())) {
            return Ok(FileLock(opened));
        }
    }
}
