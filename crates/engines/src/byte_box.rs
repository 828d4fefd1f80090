//! Any byte memory as one type.

use std::any::Any;
use std::fmt::Display;

use wordline_memory::ByteMemory;

/// A byte memory as an object, whose errors are words.
trait DynBytes: ByteMemory<Error = String> + Any + Send {}

struct WordedBytes<M>(M);

impl<M: ByteMemory<Error: Display> + Send + 'static> DynBytes for WordedBytes<M> {}

impl<M: ByteMemory<Error: Display>> ByteMemory for WordedBytes<M> {
    type Error = String;

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn atom(&self) -> usize {
        self.0.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), String> {
        self.0.read(at, out).map_err(|error| error.to_string())
    }

    fn prefetch(&mut self, at: u64, bytes: u64) {
        self.0.prefetch(at, bytes);
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), String> {
        self.0.write(at, data).map_err(|error| error.to_string())
    }

    fn is_mapped(&self) -> bool {
        self.0.is_mapped()
    }

    fn load(&mut self, at: u64, out: &mut [u8]) -> Result<(), String> {
        self.0.load(at, out).map_err(|error| error.to_string())
    }

    fn store(&mut self, at: u64, data: &[u8]) -> Result<(), String> {
        self.0.store(at, data).map_err(|error| error.to_string())
    }

    fn persist(&mut self) -> Result<(), String> {
        self.0.persist().map_err(|error| error.to_string())
    }
}

/// A byte memory of any type, whose errors are words.
pub struct ByteBox(Box<dyn DynBytes>);

impl ByteBox {
    /// Any byte memory.
    pub fn new(memory: impl ByteMemory<Error: Display> + Send + 'static) -> Self {
        Self(Box::new(WordedBytes(memory)))
    }

    /// The memory, where it has this type.
    pub fn downcast_mut<M: 'static>(&mut self) -> Option<&mut M> {
        let memory: &mut dyn Any = &mut *self.0;
        let memory = memory.downcast_mut::<WordedBytes<M>>();
        memory.map(|memory| &mut memory.0)
    }
}

impl ByteMemory for ByteBox {
    type Error = String;

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn atom(&self) -> usize {
        self.0.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), String> {
        self.0.read(at, out)
    }

    fn prefetch(&mut self, at: u64, bytes: u64) {
        self.0.prefetch(at, bytes);
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), String> {
        self.0.write(at, data)
    }

    fn is_mapped(&self) -> bool {
        self.0.is_mapped()
    }

    fn load(&mut self, at: u64, out: &mut [u8]) -> Result<(), String> {
        self.0.load(at, out)
    }

    fn store(&mut self, at: u64, data: &[u8]) -> Result<(), String> {
        self.0.store(at, data)
    }

    fn persist(&mut self) -> Result<(), String> {
        self.0.persist()
    }
}
