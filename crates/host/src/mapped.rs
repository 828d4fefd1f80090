//! A file that is mapped into memory, as a byte-addressable memory.

use std::fs::File;
use std::io;
use std::ptr::{self, NonNull};

use rustix::fs::{FallocateFlags, FlockOperation};
use rustix::io::Errno;
use rustix::mm::{MapFlags, MsyncFlags, ProtFlags, mmap, msync, munmap};
use wordline_memory::{ByteMemory, OutOfRange};

/// A mapped file behind the contract of a memory: loads and stores, and `msync` for a
/// [`persist`](ByteMemory::persist).
///
/// A write is seen by later reads at once and lasts with the next persist, of which the operating system may write any
/// part before. The atom is one byte: that the disk leaves old or new each byte of a sector whose write a power cut interrupts
/// is assumed, not known.
///
/// # Signals
/// A load from behind the end of a mapped file ends the process with `SIGBUS`, and so do a store into a hole of a file on
/// a full disk and a page that the disk cannot read. Holes are filled when the file is mapped, where its file system can do
/// that; nothing helps against a disk that fails. Against a file that shrinks, its length is looked at before
/// each access, and one that was shortened is [`MappedFileError::Shortened`]. Where it is shortened between that look
/// and the access, within a microsecond, the signal comes nevertheless; nothing a process can do for files of others prevents it. The file is
/// locked (`flock`) against others that do the same.
#[derive(Debug)]
pub struct MappedFile {
    file: File,
    map: NonNull<u8>,
    bytes: usize,
    /// What was written since the last persist; empty at first.
    dirty: std::ops::Range<usize>,
}

/// Why a mapped file did not do what a memory does.
#[derive(Debug, thiserror::Error)]
pub enum MappedFileError {
    /// The access leaves the memory.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// Somebody made the file shorter.
    #[error("the file was shortened from {expected} to {found} bytes")]
    Shortened {
        /// Bytes that it had.
        expected: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// Somebody else has it.
    #[error("the file is locked: another program works on it")]
    Locked,
    /// It cannot be a memory.
    #[error("{0}")]
    Unfit(&'static str),
    /// The operating system's.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<Errno> for MappedFileError {
    fn from(errno: Errno) -> Self {
        Self::Io(errno.into())
    }
}

impl MappedFile {
    /// Maps a file that was opened for reading and writing, as long as it is now.
    ///
    /// # Errors
    /// When it is no ordinary file, is empty, locked by another program, cannot be mapped, or its disk has no room for
    /// its holes.
    pub fn new(file: File) -> Result<Self, MappedFileError> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(MappedFileError::Unfit("it is no ordinary file"));
        }
        let bytes = usize::try_from(metadata.len());
        let bytes =
            bytes.map_err(|_| MappedFileError::Unfit("it is larger than this machine maps"))?;
        if bytes == 0 {
            return Err(MappedFileError::Unfit(
                "it is empty: give it the memory's length first",
            ));
        }
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(MappedFileError::Locked),
            Err(errno) => return Err(errno.into()),
        }
        match rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, metadata.len()) {
            // Some file systems have no such call.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            Err(errno) => return Err(errno.into()),
        }
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses a place where nothing is mapped.
        let map = unsafe { mmap(ptr::null_mut(), bytes, access, MapFlags::SHARED, &file, 0)? };
        let map = NonNull::new(map.cast());
        Ok(Self {
            file,
            map: map.ok_or(MappedFileError::Unfit("it was mapped to nowhere"))?,
            bytes,
            dirty: 0..0,
        })
    }

    /// Where an access stands in the mapping.
    fn place(&self, at: u64, bytes: usize) -> Result<usize, MappedFileError> {
        OutOfRange::check(at, bytes as u64, self.bytes as u64)?;
        let (expected, found) = (self.bytes as u64, self.file.metadata()?.len());
        if found < expected {
            return Err(MappedFileError::Shortened { expected, found });
        }
        // It lies within the mapping, whose length is one of this machine.
        Ok(at as usize)
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, of this length, and nothing else points into it.
        // A failure cannot be reported here.
        let _ = unsafe { munmap(self.map.as_ptr().cast(), self.bytes) };
    }
}

// SAFETY: the mapping belongs to the value alone, and is not bound to the thread that made it.
unsafe impl Send for MappedFile {}

impl ByteMemory for MappedFile {
    type Error = MappedFileError;

    fn len(&self) -> u64 {
        self.bytes as u64
    }

    fn atom(&self) -> usize {
        1
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), MappedFileError> {
        let place = self.place(at, out.len())?;
        // SAFETY: the range lies within the mapping, and `out` is no part of it. A program that changes the file in
        // spite of the lock changes what is read, and no address.
        unsafe {
            ptr::copy_nonoverlapping(self.map.as_ptr().add(place), out.as_mut_ptr(), out.len())
        };
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), MappedFileError> {
        let place = self.place(at, data.len())?;
        if data.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies within the mapping, and `data` is no part of it.
        unsafe {
            ptr::copy_nonoverlapping(data.as_ptr(), self.map.as_ptr().add(place), data.len())
        };
        let end = place + data.len();
        self.dirty = match self.dirty.is_empty() {
            true => place..end,
            false => self.dirty.start.min(place)..self.dirty.end.max(end),
        };
        Ok(())
    }

    /// Writes the pages back, from the first to the last that was written since the last time, and waits for the disk.
    fn persist(&mut self) -> Result<(), MappedFileError> {
        if self.dirty.is_empty() {
            return Ok(());
        }
        // It wants whole pages, of whatever size.
        let start = self.dirty.start - self.dirty.start % rustix::param::page_size();
        let bytes = self.dirty.end - start;
        // SAFETY: the range lies within the mapping.
        unsafe { msync(self.map.as_ptr().add(start).cast(), bytes, MsyncFlags::SYNC)? };
        self.dirty = 0..0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wordline_kv::{Error, Options, RamDirectory, Table, format};

    type Kept = Table<MappedFile, RamDirectory<Vec<u64>>, Vec<u8>>;

    /// A file of its own for each opening, as programs have, so that locks are theirs.
    fn file(path: &std::path::Path) -> File {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        options.open(path).expect("a place for files")
    }

    fn opened(path: &std::path::Path) -> Kept {
        let memory = MappedFile::new(file(path)).expect("it is mapped");
        Table::open(memory, RamDirectory::new(vec![0; 256]), vec![0; 96]).expect("formatted")
    }

    fn formatted() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a place for files");
        let path = folder.path().join("table");
        file(&path).set_len(8192).expect("room");
        let mut memory = MappedFile::new(file(&path)).expect("it is mapped");
        format(&mut memory, &Options::for_records(8, 8, 1)).expect("room");
        (folder, path)
    }

    #[test]
    fn a_file_keeps_a_table() {
        let (_folder, path) = formatted();
        opened(&path).put(b"speed", b"9600").expect("room");
        let (mut table, mut out) = (opened(&path), [0; 8]);
        assert_eq!(table.get(b"speed", &mut out).expect("sound"), Some(4));
        assert_eq!(&out[..4], b"9600");
    }

    #[test]
    fn a_file_that_was_shortened_is_an_error_and_no_signal() {
        let (_folder, path) = formatted();
        let mut table = opened(&path);
        table.put(b"key", b"value").expect("room");
        file(&path).set_len(100).expect("shorter");
        let told = table.put(b"key", b"new").expect_err("it is short");
        let Error::Memory(MappedFileError::Shortened { expected, found }) = told else {
            panic!("{told:?}");
        };
        assert_eq!((expected, found), (8192, 100));
        assert!(table.get(b"key", &mut [0; 8]).is_err());
        drop(table);
        let memory = MappedFile::new(file(&path)).expect("it is mapped");
        let again = Table::open(memory, RamDirectory::new(vec![0; 256]), vec![0; 96]);
        assert!(matches!(again, Err(Error::Truncated { bytes: 100, .. })));
    }

    #[test]
    fn what_cannot_be_a_memory_is_refused() {
        let (folder, path) = formatted();
        let first = MappedFile::new(file(&path)).expect("it is mapped");
        let second = MappedFile::new(file(&path)).expect_err("somebody has it");
        assert!(matches!(second, MappedFileError::Locked));
        drop(first);
        MappedFile::new(file(&path)).expect("it is free again");
        let empty = MappedFile::new(file(&folder.path().join("empty"))).expect_err("nothing");
        assert!(empty.to_string().starts_with("it is empty"), "{empty}");
        let folder = File::open(folder.path()).expect("it can be opened");
        let folder = MappedFile::new(folder).expect_err("a folder");
        assert_eq!(folder.to_string(), "it is no ordinary file");
    }

    proptest! {
        // Each waits for the disk many times.
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn it_does_what_plain_memory_does(
            calls in proptest::collection::vec((0u64..5000, proptest::collection::vec(any::<u8>(), 0..300), any::<bool>()), 1..30),
        ) {
            let folder = tempfile::tempdir().expect("a place for files");
            let path = folder.path().join("memory");
            file(&path).set_len(5000).expect("room");
            let mut memory = MappedFile::new(file(&path)).expect("it is mapped");
            let mut plain = vec![0; 5000];
            for (at, data, persists) in calls {
                let end = at as usize + data.len();
                let written = memory.write(at, &data);
                prop_assert_eq!(written.is_ok(), end <= 5000);
                if end <= 5000 {
                    plain[at as usize..end].copy_from_slice(&data);
                }
                if persists {
                    memory.persist().expect("the disk takes it");
                    prop_assert_eq!(&std::fs::read(&path).expect("it can be read"), &plain);
                }
                let mut out = vec![0; data.len().min(5000 - at as usize)];
                memory.read(at, &mut out).expect("it lies within");
                prop_assert_eq!(&out[..], &plain[at as usize..at as usize + out.len()]);
            }
        }
    }
}
