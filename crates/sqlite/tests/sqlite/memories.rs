//! Memories in RAM.

use std::convert::Infallible;

use wordline_engines::Shared;
use wordline_memory::ByteMemory;

/// Bytes on the heap.
pub(crate) struct Bytes(Vec<u8>);

impl Bytes {
    pub(crate) fn shared(bytes: usize) -> Shared<Self> {
        Shared::new(Self(vec![0; bytes]))
    }
}

impl ByteMemory for Bytes {
    type Error = Infallible;

    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn atom(&self) -> usize {
        8
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), Infallible> {
        out.copy_from_slice(&self.0[at as usize..][..out.len()]);
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), Infallible> {
        self.0[at as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn persist(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
