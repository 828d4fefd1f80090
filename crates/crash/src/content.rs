//! The bytes of a memory without its time, energy and wear: cheap to copy, hashed as it changes.

use wordline_memory::{ByteMemory, OutOfRange};

use super::hash::{self, WORD};
use wordline_nvm::{Pages, spans};

/// Bytes of one copy-on-write chunk.
const CHUNK_BYTES: usize = 4096;

#[derive(Clone, Debug)]
struct ContentChunk([u8; CHUNK_BYTES]);

impl Default for ContentChunk {
    fn default() -> Self {
        Self([0; CHUNK_BYTES])
    }
}

/// The bytes of a byte memory. A clone shares them until one side writes.
#[derive(Clone, Debug)]
pub struct Content {
    chunks: Pages<ContentChunk>,
    bytes: u64,
    atom: usize,
    hash: u64,
}

impl Content {
    /// `bytes` bytes of zeros, of a memory that promises an [`atom`](ByteMemory::atom) in bytes.
    #[must_use]
    pub fn zeros(bytes: u64, atom: usize) -> Self {
        Self {
            chunks: Pages::new(bytes.div_ceil(CHUNK_BYTES as u64) as usize),
            bytes,
            atom,
            hash: 0,
        }
    }

    /// The bytes that a memory holds, read through its contract. On a simulated device time passes.
    ///
    /// # Errors
    /// When the memory fails.
    pub fn of<M: ByteMemory>(memory: &mut M) -> Result<Self, M::Error> {
        let mut content = Self::zeros(memory.len(), memory.atom());
        let mut buffer = [0; CHUNK_BYTES];
        for at in (0..content.bytes).step_by(CHUNK_BYTES) {
            let part = (content.bytes - at).min(CHUNK_BYTES as u64) as usize;
            memory.read(at, &mut buffer[..part])?;
            if buffer[..part].iter().any(|byte| *byte != 0) {
                content.store(at, &buffer[..part]);
            }
        }
        Ok(content)
    }

    /// Size in bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.bytes
    }

    /// Whether it holds no bytes at all.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The unit in bytes that the memory promises to leave whole.
    #[must_use]
    pub const fn atom(&self) -> usize {
        self.atom
    }

    /// A hash of the bytes: the same for the same bytes, however they came about.
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Fills `out` with the bytes at `at`.
    ///
    /// # Errors
    /// When the range leaves the content.
    pub fn read(&self, at: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, out.len() as u64, self.bytes)?;
        for (chunk, inside, part) in spans(at, out.len(), CHUNK_BYTES) {
            match self.chunks.get(chunk) {
                Some(chunk) => out[part].copy_from_slice(&chunk.0[inside]),
                None => out[part].fill(0),
            }
        }
        Ok(())
    }

    /// Stores `data` at `at`.
    ///
    /// # Errors
    /// When the range leaves the content; nothing is stored then.
    pub fn write(&mut self, at: u64, data: &[u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, data.len() as u64, self.bytes)?;
        self.store(at, data);
        Ok(())
    }

    /// Stores bytes whose range is known to fit.
    pub(super) fn store(&mut self, at: u64, data: &[u8]) {
        for (index, inside, part) in spans(at, data.len(), CHUNK_BYTES) {
            let bytes = &mut self.chunks.get_mut(index).0;
            // Whole words around the range, because the hash counts words.
            let words = inside.start / WORD * WORD..inside.end.next_multiple_of(WORD);
            let first = ((index * CHUNK_BYTES + words.start) / WORD) as u64;
            let before = hash::of_bytes(first, &bytes[words.clone()], 0);
            bytes[inside].copy_from_slice(&data[part]);
            let after = hash::of_bytes(first, &bytes[words], 0);
            self.hash = self.hash.wrapping_sub(before).wrapping_add(after);
        }
    }
}
