//! Plain memory that counts the words of a 16-bit bus, and keys that are drawn.

use wordline_memory::{ByteMemory, OutOfRange};

pub(crate) struct Counted {
    bytes: Vec<u8>,
    /// Words read and written.
    pub(crate) words: u64,
    pub(crate) accesses: u64,
}

impl Counted {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            bytes: vec![0; bytes],
            words: 0,
            accesses: 0,
        }
    }

    fn count(&mut self, at: u64, bytes: usize) -> Result<usize, OutOfRange> {
        OutOfRange::check(at, bytes as u64, self.len())?;
        self.words += (at + bytes as u64).div_ceil(2) - at / 2;
        self.accesses += 1;
        Ok(at as usize)
    }
}

impl ByteMemory for Counted {
    type Error = OutOfRange;

    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn atom(&self) -> usize {
        2
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        let at = self.count(at, out.len())?;
        out.copy_from_slice(&self.bytes[at..at + out.len()]);
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), OutOfRange> {
        let at = self.count(at, data.len())?;
        self.bytes[at..at + data.len()].copy_from_slice(data);
        Ok(())
    }

    fn persist(&mut self) -> Result<(), OutOfRange> {
        Ok(())
    }
}

/// A key or value of so many bytes that is unlike every other: the finaliser of SplitMix64, again and again.
pub(crate) fn drawn(number: u64, bytes: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes + 8);
    let mut word = number;
    while out.len() < bytes {
        word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.truncate(bytes);
    out
}
