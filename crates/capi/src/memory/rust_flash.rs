//! The flash behind a handle of C, for software in Rust.

use wordline_memory::{Ecc, Flash, FlashError, FlashErrorKind, Geometry};

use super::abi::{MemoryStatus, WlMemory};
use super::fault::MemoryFault;
use super::handle;
use crate::boundary::BoundaryFailure as _;

/// The flash behind a handle: what is done here and what C does meet in the same memory, with its faults, power cuts,
/// ageing and statistics. `wordline-embedded` shows it as a `NorFlash` of `embedded-storage`.
///
/// C owns the handle: nothing here frees it. After `wl_memory_free` every operation fails.
#[derive(Clone, Debug)]
pub struct HandleFlash {
    handle: usize,
    geometry: Geometry,
}

/// Why an operation on a handle failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HandleFailure {
    /// What C would have got.
    pub status: MemoryStatus,
    /// What `wl_memory_message` would have said.
    pub message: String,
}

impl From<MemoryFault> for HandleFailure {
    fn from(fault: MemoryFault) -> Self {
        Self {
            status: fault.status(),
            message: fault.to_string(),
        }
    }
}

impl FlashError for HandleFailure {
    fn kind(&self) -> FlashErrorKind {
        match self.status {
            MemoryStatus::Uncorrectable => FlashErrorKind::Uncorrectable,
            MemoryStatus::ProgramFailed => FlashErrorKind::ProgramFailed,
            MemoryStatus::EraseFailed => FlashErrorKind::EraseFailed,
            MemoryStatus::BadBlock => FlashErrorKind::BadBlock,
            MemoryStatus::PowerLost => FlashErrorKind::PowerLost,
            MemoryStatus::Misuse | MemoryStatus::OutOfRange => FlashErrorKind::Misuse,
            _ => FlashErrorKind::Other,
        }
    }
}

impl HandleFlash {
    /// The flash behind a handle.
    ///
    /// # Errors
    /// When it is no handle, or that of a memory that can be overwritten.
    pub fn of(memory: *const WlMemory) -> Result<Self, HandleFailure> {
        let handle = memory.addr();
        let geometry = handle::with(handle, |device| Ok(device.cells.flash()?.geometry()))?;
        Ok(Self { handle, geometry })
    }
}

impl Flash for HandleFlash {
    type Error = HandleFailure;

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, HandleFailure> {
        let read = handle::with(self.handle, |device| device.read_page(page, column, out));
        Ok(read?)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), HandleFailure> {
        let done = handle::with(self.handle, |device| {
            device.program_page(page, column, data)
        });
        Ok(done?)
    }

    fn erase(&mut self, block: u32) -> Result<(), HandleFailure> {
        Ok(handle::with(self.handle, |device| device.erase(block))?)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, HandleFailure> {
        Ok(handle::with(self.handle, |device| device.is_bad(block))?)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), HandleFailure> {
        Ok(handle::with(self.handle, |device| device.mark_bad(block))?)
    }
}
