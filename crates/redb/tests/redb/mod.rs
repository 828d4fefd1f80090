//! What the store does on a memory that watches it.

mod crash;
mod traffic;

use wordline_memory::{ByteMemory, OutOfRange};

/// A memory that starts with garbage and counts.
pub(crate) struct Watched {
    pub(crate) bytes: Vec<u8>,
    /// Whether each byte was written since the start.
    written: Vec<bool>,
    pub(crate) counts: Counts,
    /// Whether bytes that nobody wrote were read, except those that tell a database from none.
    pub(crate) read_garbage: bool,
}

/// Accesses of a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) reads: u64,
    pub(crate) bytes_read: u64,
    pub(crate) writes: u64,
    pub(crate) bytes_written: u64,
    pub(crate) syncs: u64,
}

/// A key of a number, which sorts as the number does.
pub(crate) fn key(number: u64, bytes: usize) -> Vec<u8> {
    let mut key = vec![0; bytes];
    let word = number.to_be_bytes();
    let most = bytes.min(8);
    key[bytes - most..].copy_from_slice(&word[8 - most..]);
    key
}

impl Watched {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            bytes: vec![0xA5; bytes],
            written: vec![false; bytes],
            counts: Counts::default(),
            read_garbage: false,
        }
    }
}

impl ByteMemory for Watched {
    type Error = OutOfRange;

    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn atom(&self) -> usize {
        1
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        let range = at as usize..at as usize + out.len();
        self.read_garbage |= self.written[range.clone()].contains(&false);
        self.counts.reads += 1;
        self.counts.bytes_read += out.len() as u64;
        out.copy_from_slice(&self.bytes[range]);
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        let range = at as usize..at as usize + data.len();
        self.written[range.clone()].fill(true);
        self.counts.writes += 1;
        self.counts.bytes_written += data.len() as u64;
        self.bytes[range].copy_from_slice(data);
        Ok(())
    }

    fn persist(&mut self) -> Result<(), OutOfRange> {
        self.counts.syncs += 1;
        Ok(())
    }
}
