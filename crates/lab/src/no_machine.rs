//! What stands for the memories of a machine where none can be measured, as in a browser: a type without values.
//! [`targets`](crate::open::targets) refuses such memories by their names, so that nothing here is ever reached.

use std::convert::Infallible;

use wordline_memory::{ByteMemory, Clock};

/// A memory, a clock or a reading of a machine that is not there.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("there is no machine")]
pub struct NoMachine(Infallible);

/// Stands for a file that is written over.
pub(crate) type ScratchFile = NoMachine;
/// Stands for why one cannot be opened.
pub(crate) type ScratchFileError = NoMachine;
/// Stands for a file that is mapped.
pub(crate) type MappedFile = NoMachine;
/// Stands for why it did not do what it was asked to.
pub(crate) type MappedFileError = Infallible;
/// Stands for the time of a machine.
pub(crate) type WallClock = NoMachine;
/// Stands for the accounts of a thread.
pub(crate) type ThreadReading = NoMachine;
/// Stands for what a thread used.
pub(crate) type ThreadUse = NoThreadUse;

/// What rows are made of where a thread was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NoThreadUse {
    pub(crate) lost: f64,
    pub(crate) interruptions: NoInterruptions,
}

/// Stands for how often a thread was interrupted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NoInterruptions {
    pub(crate) preemptions: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
}

/// Nothing is known of the memory that is left.
pub(crate) const fn free_memory() -> Option<u64> {
    None
}

impl NoMachine {
    pub(crate) fn map(&self) -> Result<MappedFile, ScratchFileError> {
        match self.0 {}
    }

    pub(crate) fn file_system(&self) -> Option<String> {
        match self.0 {}
    }

    pub(crate) fn start() -> Self {
        unreachable!("memories of the machine were refused")
    }

    pub(crate) fn now(_: bool) -> Self {
        unreachable!("memories of the machine were refused")
    }

    pub(crate) fn since(&self, _: &Self) -> NoThreadUse {
        match self.0 {}
    }
}

impl Clock for NoMachine {
    fn now_ps(&self) -> u64 {
        match self.0 {}
    }
}

impl ByteMemory for NoMachine {
    type Error = MappedFileError;

    fn len(&self) -> u64 {
        match self.0 {}
    }

    fn atom(&self) -> usize {
        match self.0 {}
    }

    fn read(&mut self, _: u64, _: &mut [u8]) -> Result<(), MappedFileError> {
        match self.0 {}
    }

    fn write(&mut self, _: u64, _: &[u8]) -> Result<(), MappedFileError> {
        match self.0 {}
    }

    fn persist(&mut self) -> Result<(), MappedFileError> {
        match self.0 {}
    }
}
