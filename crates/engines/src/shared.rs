//! Handles of one memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wordline_memory::{BlockDevice, ByteMemory, Ecc, EraseMode, Flash, Geometry};

/// A handle of a memory, which meets the contracts that the memory meets. An engine has one, and the code that measures
/// another.
#[derive(Debug)]
pub struct Shared<D>(Arc<Mutex<D>>);

impl<D> Clone for Shared<D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<D> Shared<D> {
    /// The first handle.
    pub fn new(device: D) -> Self {
        Self(Arc::new(Mutex::new(device)))
    }

    /// Borrows the memory; other borrowers wait meanwhile.
    pub fn borrow(&self) -> MutexGuard<'_, D> {
        // A memory is plain data: what panicked while it held it left it as a power cut does.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory, where this is its last handle.
    ///
    /// # Errors
    /// The handle, where there are others.
    pub fn into_inner(self) -> Result<D, Self> {
        let inner = Arc::try_unwrap(self.0).map_err(Self)?;
        Ok(inner.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<D: Flash> Flash for Shared<D> {
    type Error = D::Error;

    fn geometry(&self) -> Geometry {
        self.borrow().geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, D::Error> {
        self.borrow().read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), D::Error> {
        self.borrow().program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), D::Error> {
        self.borrow().erase(block)
    }

    fn erase_mode(&self) -> EraseMode {
        self.borrow().erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), D::Error> {
        self.borrow().begin_erase(block)
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, D::Error> {
        self.borrow().advance_erase(parts, of)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, D::Error> {
        self.borrow().is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), D::Error> {
        self.borrow().mark_bad(block)
    }
}

impl<D: ByteMemory> ByteMemory for Shared<D> {
    type Error = D::Error;

    fn len(&self) -> u64 {
        self.borrow().len()
    }

    fn atom(&self) -> usize {
        self.borrow().atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), D::Error> {
        self.borrow().read(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), D::Error> {
        self.borrow().write(at, data)
    }

    fn persist(&mut self) -> Result<(), D::Error> {
        self.borrow().persist()
    }
}

impl<D: BlockDevice> BlockDevice for Shared<D> {
    type Error = D::Error;

    fn sector_bytes(&self) -> usize {
        self.borrow().sector_bytes()
    }

    fn sectors(&self) -> u64 {
        self.borrow().sectors()
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), D::Error> {
        self.borrow().read(sector, out)
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), D::Error> {
        self.borrow().write(sector, data)
    }

    fn trim(&mut self, sector: u64, count: u64) -> Result<(), D::Error> {
        self.borrow().trim(sector, count)
    }

    fn flush(&mut self) -> Result<(), D::Error> {
        self.borrow().flush()
    }
}
