//! The part of a memory that a file system gets.

use wordline_core::quantity::Time;
use wordline_engines::Shared;
use wordline_nvm::{Device, FlashMemory, Memory};

use crate::instrument::{Instrumented, MeteredMemory};

/// Handles of the same memory: one goes to the engine, another stays with the instrument.
#[derive(Clone)]
pub(super) enum FileSystemMemory {
    Flash(Shared<MeteredMemory<Box<dyn FlashMemory>>>),
    Bytes(Shared<MeteredMemory<Box<dyn Device>>>),
}

/// A file system's memory.
#[derive(Clone)]
pub(super) struct FileSystemMedium {
    pub(super) ground: FileSystemMemory,
}

impl FileSystemMedium {
    /// The first bytes of a memory, all of a smaller one; whole blocks of a flash memory.
    pub(super) fn new(memory: Memory, capacity: u64) -> Self {
        let ground = match memory {
            Memory::Flash(flash) => {
                FileSystemMemory::Flash(Shared::new(MeteredMemory::flash(flash, capacity)))
            }
            Memory::Bytes(device) => {
                FileSystemMemory::Bytes(Shared::new(MeteredMemory::new(device, capacity)))
            }
        };
        Self { ground }
    }

    /// An independent copy of the whole memory, as it is now.
    pub(super) fn fork(&self) -> Memory {
        match &self.ground {
            FileSystemMemory::Flash(part) => Memory::Flash(part.borrow().backend().fork_memory()),
            FileSystemMemory::Bytes(part) => Memory::Bytes(part.borrow().backend().fork_device()),
        }
    }

    /// Reads the instrument.
    pub(super) fn with<T>(&self, read: impl FnOnce(&mut dyn Instrumented) -> T) -> T {
        match &self.ground {
            FileSystemMemory::Flash(part) => read(&mut *part.borrow()),
            FileSystemMemory::Bytes(part) => read(&mut *part.borrow()),
        }
    }

    pub(super) fn now(&self) -> Time {
        self.with(|medium| medium.now())
    }
}
