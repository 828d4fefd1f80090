//! A file that a measurement writes over.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

use rustix::fs::{FallocateFlags, FlockOperation};
use rustix::io::Errno;

use crate::inode::{InodeAccess, InodeError, InodeFile, LinkRule, NameEntry, kind};
use crate::mapped::{MappedFile, MappedFileError};

/// Bytes that are read or written together.
const CHUNK: usize = 64 << 10;

/// A file of a fixed length that a measurement may write over, because nothing in it is lost.
///
/// It was not there, was empty, held zeros alone, or its owner said that its contents may go. It is locked (`flock`)
/// until the value is dropped. Nothing is written before [`map`](Self::map); a file that was mapped is then left with the
/// length that it had and without contents, unless another program changed its length. The lock keeps out those that ask
/// for one: what a program that does not writes into the file meanwhile is lost.
#[derive(Debug)]
pub struct ScratchFile {
    file: InodeFile,
    bytes: u64,
    /// Bytes that it had.
    found_bytes: u64,
    may_destroy: bool,
    is_written: Cell<bool>,
    /// Whether it was made for this.
    is_made: bool,
}

/// Why a file is not written over.
#[derive(Debug, thiserror::Error)]
pub enum ScratchFileError {
    /// It is something else than a file.
    #[error("it is {0}; allowed: a file that holds nothing, or a name that no file has")]
    NoFile(&'static str),
    /// Its file system shows what the kernel knows, and stores nothing.
    #[error("its file system stores nothing, and a write to it does something")]
    Pseudo,
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
    #[error("the file is locked: another program works on it, or two names are of one file")]
    Locked,
    /// Somebody else writes it, lock or no lock.
    #[error(
        "it had {expected} bytes and has {found}: another program works on it, and it is left alone"
    )]
    Changed {
        /// Bytes that it had.
        expected: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// Its name is no name of one file alone.
    #[error("{0}")]
    Inode(InodeError),
    /// It cannot be mapped.
    #[error(transparent)]
    Mapped(#[from] MappedFileError),
    /// The operating system's, with what could not be done.
    #[error("it cannot be {what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
}

impl From<InodeError> for ScratchFileError {
    fn from(error: InodeError) -> Self {
        match error {
            InodeError::Io(source) => Self::Io {
                what: "opened",
                source,
            },
            error => Self::Inode(error),
        }
    }
}

/// Names what could not be done.
fn cannot(what: &'static str) -> impl Fn(io::Error) -> ScratchFileError {
    move |source| ScratchFileError::Io { what, source }
}

impl ScratchFile {
    /// Opens a file of `bytes` bytes, or makes an empty one. With `may_destroy` it may hold data, of the same length.
    ///
    /// # Errors
    /// Where it is no ordinary file, holds something, has another length, is locked, or may not be written.
    pub fn open(path: &Path, bytes: u64, may_destroy: bool) -> Result<Self, ScratchFileError> {
        let (file, is_made) = match NameEntry::of(path, LinkRule::DevicesOnly)? {
            NameEntry::Vacant(name) => (name.create(InodeAccess::READ_WRITE), true),
            NameEntry::Inode(found) if found.metadata().is_file() => {
                found.check_only_name()?;
                (found.open(InodeAccess::READ_WRITE), false)
            }
            NameEntry::Inode(found) => {
                return Err(ScratchFileError::NoFile(kind(found.file_type())));
            }
        };
        let scratch = Self {
            file: file?,
            bytes,
            found_bytes: 0,
            may_destroy,
            is_written: Cell::new(false),
            is_made,
        };
        scratch.checked()
    }

    fn checked(mut self) -> Result<Self, ScratchFileError> {
        let (file, bytes) = (self.file.file(), self.bytes);
        // Of /proc, /sys and their like, whose files are as long as nothing.
        let file_system =
            rustix::fs::fstatfs(file).map_err(|errno| cannot("looked at")(errno.into()))?;
        if file_system.f_blocks == 0 {
            return Err(ScratchFileError::Pseudo);
        }
        match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
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
        self.found_bytes = found;
        self.check_contents()?;
        Ok(self)
    }

    fn check_contents(&self) -> Result<(), ScratchFileError> {
        let holds_nothing =
            || holds_zeros(self.file.file(), self.found_bytes).map_err(cannot("read"));
        if self.may_destroy || holds_nothing()? {
            Ok(())
        } else {
            Err(ScratchFileError::HoldsData)
        }
    }

    /// Fills it with zeros, so that its disk has room for them, and maps it. What it held is lost.
    ///
    /// # Errors
    /// When another program changed its length, its disk is full, or its disk failed.
    pub fn map(&self) -> Result<MappedFile, ScratchFileError> {
        let expected = if self.is_written.get() {
            self.bytes
        } else {
            self.found_bytes
        };
        let found = self
            .file
            .file()
            .metadata()
            .map_err(cannot("looked at"))?
            .len();
        if found != expected {
            return Err(ScratchFileError::Changed { expected, found });
        }
        if !self.is_written.get() {
            // Others may run for long between the opening and this.
            self.check_contents()?;
        }
        self.is_written.set(true);
        if let Err(error) = self.fill() {
            // Of what was begun nothing stays, whatever length it came to.
            let _ = self.empty();
            self.is_written.set(false);
            return Err(cannot("filled")(error));
        }
        let file = self.file.file().try_clone().map_err(cannot("opened"))?;
        Ok(MappedFile::new(file)?)
    }

    /// The type of its file system and what that is on, as Linux names them; `None` where it does not.
    #[must_use]
    pub fn file_system(&self) -> Option<String> {
        let device = self.file.metadata().dev();
        let device = format!(
            "{}:{}",
            rustix::fs::major(device),
            rustix::fs::minor(device)
        );
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
        let mount = mounts
            .lines()
            .find(|line| line.split(' ').nth(2) == Some(device.as_str()))?;
        let mut fields = mount.split_once(" - ")?.1.split(' ');
        Some(format!("{} on {}", fields.next()?, fields.next()?))
    }

    /// Written and not merely lengthened: a store into a hole of a full disk would end the process.
    fn fill(&self) -> io::Result<()> {
        // A disk that is full says so before anything is written, where its file system can.
        let room = rustix::fs::fallocate(&self.file, FallocateFlags::empty(), 0, self.bytes);
        if room == Err(Errno::NOSPC) {
            return Err(Errno::NOSPC.into());
        }
        let zeros = vec![0; CHUNK];
        for at in (0..self.bytes).step_by(CHUNK) {
            let part = (self.bytes - at).min(CHUNK as u64) as usize;
            self.file.file().write_all_at(&zeros[..part], at)?;
        }
        self.file.file().sync_all()
    }

    fn empty(&self) -> io::Result<()> {
        self.file.file().set_len(0)?;
        self.file.file().set_len(self.found_bytes)
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        // A failure cannot be reported here.
        let Ok(now) = self.file.file().metadata() else {
            return;
        };
        // A file with another length belongs to another program.
        if self.is_written.get() && now.len() == self.bytes {
            let _ = self.empty();
        }
        // What was made for nothing goes, where it is still what the name names.
        if self.is_made && !self.is_written.get() && now.len() == 0 {
            let _ = self.file.remove_name();
        }
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
        let kept = std::fs::read(&path).expect("it is there");
        assert_eq!(kept, data, "nothing was written yet");
        let scratch = ScratchFile::open(&path, BYTES, true).expect("it may go");
        drop(scratch.map());
        drop(scratch);
        let gone = std::fs::read(&path).expect("it is there");
        assert_eq!(gone, vec![0; data.len()]);
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
    fn data_that_comes_before_the_first_write_stays() {
        let folder = tempfile::tempdir().expect("a place for files");
        let path = folder.path().join("zeros");
        std::fs::write(&path, vec![0; BYTES as usize]).expect("room");
        let scratch = ScratchFile::open(&path, BYTES, false).expect("nothing is lost");
        let data = vec![7; BYTES as usize];
        std::fs::write(&path, &data).expect("room");
        let told = scratch.map().expect_err("it holds data");
        assert!(matches!(told, ScratchFileError::HoldsData), "{told}");
        drop(scratch);
        assert_eq!(std::fs::read(&path).expect("it is there"), data);
    }

    #[test]
    fn what_is_no_file_is_not_even_opened() {
        let folder = tempfile::tempdir().expect("a place for files");
        assert!(error(folder.path(), true).contains("a folder"));
        assert!(error(Path::new("/dev/null"), true).contains("a device"));
        assert!(error(&folder.path().join("no/such"), true).contains("cannot be opened"));
        std::os::unix::fs::symlink("nowhere", folder.path().join("link")).expect("a link");
        assert!(error(&folder.path().join("link"), true).contains("a link to nowhere; allowed"));
        assert!(!folder.path().join("nowhere").exists());
        let kernels = Path::new("/proc/self/comm");
        if kernels.exists() {
            assert!(error(kernels, true).contains("stores nothing"));
        }
    }

    #[test]
    fn what_was_made_for_nothing_goes() {
        let folder = tempfile::tempdir().expect("a place for files");
        let path = folder.path().join("scratch");
        drop(ScratchFile::open(&path, BYTES, false).expect("nothing is lost"));
        assert!(!path.exists());
        // Somebody put another in its place.
        let scratch = ScratchFile::open(&path, BYTES, false).expect("nothing is lost");
        std::fs::remove_file(&path).expect("ours");
        std::fs::write(&path, b"").expect("room");
        drop(scratch);
        assert!(path.exists());
    }

    #[test]
    fn what_somebody_gave_another_length_is_an_error_and_is_left_alone() {
        let folder = tempfile::tempdir().expect("a place for files");
        let path = folder.path().join("scratch");
        let scratch = ScratchFile::open(&path, BYTES, false).expect("nothing is lost");
        std::fs::write(&path, b"mine").expect("somebody else's");
        assert!(scratch.map().is_err(), "before it was written");
        drop(scratch);
        assert_eq!(std::fs::read(&path).expect("it is there"), b"mine");
        std::fs::remove_file(&path).expect("ours");
        let scratch = ScratchFile::open(&path, BYTES, false).expect("nothing is lost");
        drop(scratch.map().expect("it is mapped"));
        std::fs::write(&path, b"mine").expect("somebody else's");
        let told = scratch.map().expect_err("it is short");
        assert!(
            matches!(told, ScratchFileError::Changed { found: 4, .. }),
            "{told}"
        );
        drop(scratch);
        assert_eq!(std::fs::read(&path).expect("it is there"), b"mine");
    }
}
