//! A memory as redb's storage.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;
use wordline_memory::ByteMemory;

use crate::PAGE_BYTES;

/// A memory that redb has during a call, and its owner between two calls.
pub(crate) struct Lent<M>(Arc<Mutex<LentMemory<M>>>);

struct LentMemory<M> {
    /// `None` between two calls.
    memory: Option<M>,
    /// Bytes that redb asked for.
    bytes: u64,
    /// Whole pages of the memory, in bytes.
    bytes_max: u64,
}

impl<M> Clone for Lent<M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<M> fmt::Debug for Lent<M> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a memory")
    }
}

impl<M> Lent<M> {
    fn lock(&self) -> MutexGuard<'_, LentMemory<M>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a call that may use the memory.
    pub(crate) fn with<T>(&self, memory: &mut Option<M>, call: impl FnOnce() -> T) -> T {
        self.lock().memory = memory.take();
        let result = call();
        *memory = self.lock().memory.take();
        result
    }
}

impl<M: ByteMemory> Lent<M> {
    /// The storage in a memory: empty, or as long as the memory. How much of that the database takes stands in its
    /// header; behind a power cut redb finds out by itself.
    pub(crate) fn new(memory: &M, is_empty: bool) -> Self {
        let bytes_max = memory.len() / PAGE_BYTES * PAGE_BYTES;
        Self(Arc::new(Mutex::new(LentMemory {
            memory: None,
            bytes: if is_empty { 0 } else { bytes_max },
            bytes_max,
        })))
    }
}

impl<M: ByteMemory<Error: fmt::Display>> Lent<M> {
    fn access<T>(&self, run: impl FnOnce(&mut M) -> Result<T, M::Error>) -> io::Result<T> {
        match &mut self.lock().memory {
            Some(memory) => run(memory).map_err(|error| io::Error::other(error.to_string())),
            None => Err(io::Error::other("the store was closed")),
        }
    }
}

impl<M: ByteMemory<Error: fmt::Display> + Send + 'static> StorageBackend for Lent<M> {
    fn len(&self) -> io::Result<u64> {
        Ok(self.lock().bytes)
    }

    fn read(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.access(|memory| memory.read(at, out))
    }

    /// New room holds what the memory held: redb reads no page before it wrote it, which a test of this crate checks.
    fn set_len(&self, bytes: u64) -> io::Result<()> {
        let mut lent = self.lock();
        if bytes > lent.bytes_max {
            return Err(io::ErrorKind::StorageFull.into());
        }
        lent.bytes = bytes;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.access(M::persist)
    }

    fn write(&self, at: u64, data: &[u8]) -> io::Result<()> {
        self.access(|memory| memory.write(at, data))
    }
}
