//! The memory that the software under test works on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wordline_memory::{ByteMemory, Ecc, EraseMode, Flash, Geometry};

use super::medium::Medium;
use crate::{ByteTearing, FlashTearing, Recorder, Recording};
use wordline_nvm::NvmError;

/// A handle of a memory that starts from an image and is recorded. It meets the contract of its class; once the
/// harness has switched it off, every access fails.
#[derive(Debug)]
pub struct Recorded<T: Medium>(Arc<Mutex<Inner<T>>>);

impl<T: Medium> Clone for Recorded<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

#[derive(Debug)]
struct Inner<T: Medium> {
    recorder: Recorder<T::Image, T>,
    /// Accesses until the memory goes off by itself.
    left: u64,
}

impl<T: Medium> Recorded<T> {
    pub(super) fn new(image: T::Image, tearing: T, accesses: u64) -> Self {
        let content = T::content(&image).clone();
        Self(Arc::new(Mutex::new(Inner {
            recorder: Recorder::new(image, content, tearing),
            left: accesses,
        })))
    }

    /// How many operations were recorded so far.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.lock().recorder.operations()
    }

    /// Allows so many accesses from now on.
    pub(super) fn allow(&self, accesses: u64) {
        self.lock().left = accesses;
    }

    /// Whether the accesses that were allowed are used up.
    pub(super) fn is_off(&self) -> bool {
        self.lock().left == 0
    }

    /// What the memory holds: where a [`Harness`](super::Harness) of its own may start.
    #[must_use]
    pub fn content(&self) -> T::Content {
        T::content(self.lock().recorder.device()).clone()
    }

    /// Switches the power off: what the software does from now on, such as when it is dropped, does nothing.
    pub(super) fn switch_off(&self) -> Recording<T> {
        let mut inner = self.lock();
        inner.left = 0;
        inner.recorder.take_recording()
    }

    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        // A panic of the software under test leaves the memory as a power cut does.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One access.
    fn access<V>(
        &self,
        run: impl FnOnce(&mut Recorder<T::Image, T>) -> Result<V, NvmError>,
    ) -> Result<V, NvmError> {
        let mut inner = self.lock();
        inner.left = inner.left.checked_sub(1).ok_or(NvmError::PowerLost)?;
        run(&mut inner.recorder)
    }
}

impl Flash for Recorded<FlashTearing> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.lock().recorder.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.access(|flash| flash.read(page, column, out))
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.access(|flash| flash.program(page, column, data))
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.access(|flash| flash.erase(block))
    }

    fn can_move(&self, from: u32, to: u32) -> bool {
        self.lock().recorder.can_move(from, to)
    }

    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, NvmError> {
        self.access(|flash| flash.move_page(from, to, column, data))
    }

    fn erase_mode(&self) -> EraseMode {
        self.lock().recorder.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.access(|flash| flash.begin_erase(block))
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, NvmError> {
        self.access(|flash| flash.advance_erase(parts, of))
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.access(|flash| flash.is_bad(block))
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.access(|flash| flash.mark_bad(block))
    }
}

impl ByteMemory for Recorded<ByteTearing> {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.lock().recorder.len()
    }

    fn atom(&self) -> usize {
        self.lock().recorder.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.access(|memory| Ok(memory.read(at, out)?))
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.access(|memory| Ok(memory.write(at, data)?))
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        self.access(|memory| Ok(memory.persist()?))
    }
}
