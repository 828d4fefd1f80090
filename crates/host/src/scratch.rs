//! A file that a measurement writes over.

use std::fs::{File, FileType, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, FileTypeExt as _};
use std::path::Path;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::mapped::{MappedFile, MappedFileError};

/// Bytes that are read or written together.
const CHUNK: usize = 64 << 10;

/// A file of a fixed length that a measurement may write over, because nothing in it is lost.
///
/// It was not there, was empty, held zeros alone, or its owner said that its contents may go. It is locked (`flock`)
/// until the value is dropped, and is then left with the length that it had and without contents, unless somebody else
/// gave it another length.
#[derive(Debug)]
pub struct ScratchFile {
    file: File,
    bytes: u64,
    /// Bytes that it had.
    found_bytes: u64,
}

/// Why a file is not written over.
#[derive(Debug, thiserror::Error)]
pub enum ScratchFileError {
    /// It is something else than a file.
    #[error("it is {0}; allowed: a file that holds nothing, or a name that no file has")]
    NoFile(&'static str),
    /// It has another length.
    #[error("it has {found} bytes and not {wanted}, and is left alone")]
    Length {
        /// Bytes that it has.
        found: u64,
        /// Bytes that were to be written over.
        wanted: u64,
    },
    /// Something would be lost.
    #[error("it holds data")]
    HoldsData,
    /// Somebody else has it.
    #[error("the file is locked: another program works on it")]
    Locked,
    /// The operating system's, with what could not be done.
    #[error("it cannot be {what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
}

/// Names what could not be done.
fn cannot(what: &'static str) -> impl Fn(io::Error) -> ScratchFileError {
    move |source| ScratchFileError::Io { what, source }
}

/// What is no file, in words.
fn kind(of: FileType) -> &'static str {
    if of.is_dir() {
        "a folder"
    } else if of.is_block_device() || of.is_char_device() {
        "a device"
    } else if of.is_fifo() {
        "a pipe"
    } else {
        "no ordinary file"
    }
}

impl ScratchFile {
    /// Opens a file, or makes it, and fills it with `bytes` zeros, so that its disk has room for them. With
    /// `may_destroy` it may hold data, of the same length.
    ///
    /// # Errors
    /// Where it is no ordinary file, holds something, has another length, is locked, may not be written, or its disk is
    /// full.
    pub fn open(path: &Path, bytes: u64, may_destroy: bool) -> Result<Self, ScratchFileError> {
        let file = open(path)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(ScratchFileError::Locked),
            Err(errno) => return Err(cannot("locked")(errno.into())),
        }
        let found = file.metadata().map_err(cannot("looked at"))?.len();
        if found != 0 && found != bytes {
            return Err(ScratchFileError::Length {
                found,
                wanted: bytes,
            });
        }
        if !may_destroy && !holds_zeros(&file, found).map_err(cannot("read"))? {
            return Err(ScratchFileError::HoldsData);
        }
        let scratch = Self {
            file,
            bytes,
            found_bytes: found,
        };
        if let Err(source) = scratch.fill() {
            // Of what was begun nothing stays, whatever length it came to.
            let _ = scratch.empty();
            return Err(cannot("filled")(source));
        }
        Ok(scratch)
    }

    /// Maps it, filled with zeros again.
    ///
    /// # Errors
    /// Where somebody made it shorter, or its disk failed.
    pub fn map(&self) -> Result<MappedFile, MappedFileError> {
        let (expected, found) = (self.bytes, self.file.metadata()?.len());
        if found < expected {
            return Err(MappedFileError::Shortened { expected, found });
        }
        self.fill()?;
        MappedFile::new(self.file.try_clone()?)
    }

    /// The type of its file system and what that is on, as Linux names them; `None` where it does not.
    #[must_use]
    pub fn file_system(&self) -> Option<String> {
        use std::os::unix::fs::MetadataExt as _;
        let device = self.file.metadata().ok()?.dev();
        let device = format!(
            "{}:{}",
            rustix::fs::major(device),
            rustix::fs::minor(device)
        );
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
        let mount = mounts
            .lines()
            .find(|line| line.split(' ').nth(2) == Some(device.as_str()))?;
        let mut told = mount.split_once(" - ")?.1.split(' ');
        Some(format!("{} on {}", told.next()?, told.next()?))
    }

    /// Written and not merely lengthened: a store into a hole of a full disk would end the process.
    fn fill(&self) -> io::Result<()> {
        let zeros = vec![0; CHUNK];
        for at in (0..self.bytes).step_by(CHUNK) {
            let part = (self.bytes - at).min(CHUNK as u64) as usize;
            self.file.write_all_at(&zeros[..part], at)?;
        }
        self.file.sync_all()
    }

    fn empty(&self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.set_len(self.found_bytes)
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        // What has another length by now is somebody else's. A failure leaves nobody to tell.
        if self
            .file
            .metadata()
            .is_ok_and(|now| now.len() == self.bytes)
        {
            let _ = self.empty();
        }
    }
}

/// Opens what is a file, or makes one where there is nothing. A device is not even opened: that alone does things.
fn open(path: &Path) -> Result<File, ScratchFileError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => options.open(path).map_err(cannot("opened")),
        Ok(found) => Err(ScratchFileError::NoFile(kind(found.file_type()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let made = options.create_new(true).open(path);
            made.map_err(cannot("made"))
        }
        Err(error) => Err(cannot("looked at")(error)),
    }
}

fn holds_zeros(file: &File, bytes: u64) -> io::Result<bool> {
    let mut chunk = vec![0; CHUNK];
    for at in (0..bytes).step_by(CHUNK) {
        let part = &mut chunk[..(bytes - at).min(CHUNK as u64) as usize];
        file.read_exact_at(part, at)?;
        if part.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_memory::ByteMemory as _;

    const BYTES: u64 = 100_000;

    fn error(path: &Path, may_destroy: bool) -> String {
        let error = ScratchFile::open(path, BYTES, may_destroy).expect_err("refused");
        error.to_string()
    }

    #[test]
    fn what_holds_nothing_is_taken_and_left_as_long_as_it_was() {
        let folder = tempfile::tempdir().expect("a place for files");
        let path = folder.path().join("scratch");
        for found in [None, Some(0), Some(BYTES)] {
            if let Some(bytes) = found {
                std::fs::write(&path, vec![0; bytes as usize]).expect("room");
            }
            let scratch = ScratchFile::open(&path, BYTES, false).expect("nothing is lost");
            assert!(
                scratch
                    .file_system()
                    .is_none_or(|named| named.contains(" on "))
            );
            for _ in 0..2 {
                let mut memory = scratch.map().expect("it is mapped");
                let mut first = [1; 8];
                memory.read(0, &mut first).expect("it is there");
                assert_eq!((memory.len(), first), (BYTES, [0; 8]));
                memory.write(0, b"a record").expect("it is there");
                memory.persist().expect("the disk takes it");
            }
            assert!(error(&path, true).contains("locked"));
            drop(scratch);
            let left = std::fs::read(&path).expect("it is there");
            assert_eq!(left, vec![0; found.unwrap_or(0) as usize]);
            std::fs::remove_file(&path).expect("ours");
        }
    }

    #[test]
    fn data_stays_until_its_owner_lets_it_go() {
        let folder = tempfile::tempdir().expect("a place for files");
        let path = folder.path().join("data");
        let mut data = vec![0; BYTES as usize];
        data[99_999] = 1;
        std::fs::write(&path, &data).expect("room");
        assert_eq!(error(&path, false), "it holds data");
        assert_eq!(std::fs::read(&path).expect("it is there"), data);
        drop(ScratchFile::open(&path, BYTES, true).expect("it may go"));
        for bytes in [1, BYTES - 1, BYTES + 1] {
            std::fs::write(&path, vec![0; bytes as usize]).expect("room");
            let message = error(&path, true);
            assert!(
                message.contains(&format!("{bytes} bytes and not")),
                "{message}"
            );
            assert_eq!(std::fs::metadata(&path).expect("it is there").len(), bytes);
        }
    }

    #[test]
    fn what_is_no_file_is_not_even_opened() {
        let folder = tempfile::tempdir().expect("a place for files");
        assert!(error(folder.path(), true).contains("a folder"));
        assert!(error(Path::new("/dev/null"), true).contains("a device"));
        assert!(error(&folder.path().join("no/such"), true).contains("cannot be made"));
        std::os::unix::fs::symlink("nowhere", folder.path().join("link")).expect("a link");
        assert!(error(&folder.path().join("link"), true).contains("cannot be made"));
        assert!(!folder.path().join("nowhere").exists());
    }

    #[test]
    fn what_somebody_shortened_is_an_error_and_is_left_alone() {
        let folder = tempfile::tempdir().expect("a place for files");
        let path = folder.path().join("scratch");
        let scratch = ScratchFile::open(&path, BYTES, false).expect("nothing is lost");
        std::fs::write(&path, b"mine").expect("somebody else's");
        let told = scratch.map().expect_err("it is short");
        assert!(
            matches!(told, MappedFileError::Shortened { found: 4, .. }),
            "{told}"
        );
        drop(scratch);
        assert_eq!(std::fs::read(&path).expect("it is there"), b"mine");
    }
}
