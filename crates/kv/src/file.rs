//! A file as a memory, for hosts: read and written in place, not mapped.
//!
//! A mapped file that somebody shortens ends the process with a signal; this one ends the call with an error.

use core::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use wordline_memory::{ByteMemory, OutOfRange};

/// A file behind the contract of a memory.
///
/// A write is seen by later reads at once and lasts with the next [`persist`](ByteMemory::persist), which is
/// `fdatasync`. The atom is one byte: that the disk leaves old or new each byte of a sector whose write a power cut
/// interrupts is assumed, not known.
///
/// The file is looked at before each write: one that was shortened is [`FileError::Shortened`], and does not come to be
/// longer again with a hole. Where it is shortened between that look and the write, it does.
#[derive(Debug)]
pub struct FileMemory {
    file: File,
    bytes: u64,
}

impl FileMemory {
    /// A file that was opened for reading and writing, as long as it is now.
    ///
    /// # Errors
    /// Where its length cannot be read.
    pub fn new(file: File) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(Self { file, bytes })
    }

    /// Whether the file has the length that it had.
    fn check_length(&self) -> Result<(), FileError> {
        let (expected, found) = (self.bytes, self.file.metadata()?.len());
        if found < expected {
            Err(FileError::Shortened { expected, found })
        } else {
            Ok(())
        }
    }
}

impl ByteMemory for FileMemory {
    type Error = FileError;

    fn len(&self) -> u64 {
        self.bytes
    }

    fn atom(&self) -> usize {
        1
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), FileError> {
        OutOfRange::check(at, out.len() as u64, self.bytes)?;
        self.file.read_exact_at(out, at).map_err(|error| {
            let shortened = self.check_length().err();
            shortened.unwrap_or(FileError::Io(error))
        })
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), FileError> {
        OutOfRange::check(at, data.len() as u64, self.bytes)?;
        self.check_length()?;
        Ok(self.file.write_all_at(data, at)?)
    }

    fn persist(&mut self) -> Result<(), FileError> {
        Ok(self.file.sync_data()?)
    }
}

/// Why a file did not do what a memory does.
#[derive(Debug)]
pub enum FileError {
    /// The access leaves the memory.
    OutOfRange(OutOfRange),
    /// Somebody made the file shorter.
    Shortened {
        /// Bytes that it had.
        expected: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// The operating system's.
    Io(io::Error),
}

impl From<OutOfRange> for FileError {
    fn from(access: OutOfRange) -> Self {
        Self::OutOfRange(access)
    }
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange(access) => access.fmt(f),
            Self::Shortened { expected, found } => {
                write!(f, "the file was shortened from {expected} to {found} bytes")
            }
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for FileError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::OutOfRange(access) => Some(access),
            Self::Shortened { .. } => None,
            Self::Io(error) => Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Options, RamDirectory, Table, format};
    use std::vec;
    use std::vec::Vec;

    type Kept = Table<FileMemory, RamDirectory<Vec<u64>>, Vec<u8>>;

    fn opened(file: &File) -> Kept {
        let memory = FileMemory::new(file.try_clone().expect("open")).expect("a length");
        Table::open(memory, RamDirectory::new(vec![0; 256]), vec![0; 96]).expect("formatted")
    }

    fn formatted() -> File {
        let file = tempfile::tempfile().expect("a place for files");
        file.set_len(8192).expect("room");
        let mut memory = FileMemory::new(file.try_clone().expect("open")).expect("a length");
        format(&mut memory, &Options::for_records(8, 8, 1)).expect("room");
        file
    }

    #[test]
    fn a_file_keeps_a_table() {
        let file = formatted();
        opened(&file).put(b"speed", b"9600").expect("room");
        let (mut table, mut out) = (opened(&file), [0; 8]);
        assert_eq!(table.get(b"speed", &mut out).expect("sound"), Some(4));
        assert_eq!(&out[..4], b"9600");
    }

    #[test]
    fn a_file_that_was_shortened_is_an_error_and_stays_short() {
        let file = formatted();
        let mut table = opened(&file);
        for number in 0..100_u32 {
            table.put(&number.to_le_bytes(), b"value").expect("room");
        }
        file.set_len(100).expect("shorter");
        let mut told = 0;
        for number in 0..100_u32 {
            let is_told = |error| {
                matches!(
                    error,
                    Error::Memory(FileError::Shortened {
                        expected: 8192,
                        found: 100
                    })
                )
            };
            told += u32::from(
                table
                    .get(&number.to_le_bytes(), &mut [0; 8])
                    .is_err_and(is_told),
            );
            assert!(table.put(&number.to_le_bytes(), b"new").is_err_and(is_told));
        }
        assert!(told >= 99, "{told}");
        assert_eq!(file.metadata().expect("a length").len(), 100);
        let memory = FileMemory::new(file).expect("a length");
        let again = Table::open(memory, RamDirectory::new(vec![0; 256]), vec![0; 96]);
        assert!(matches!(again, Err(Error::Truncated { bytes: 100, .. })));
    }
}
