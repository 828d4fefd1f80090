//! The part of a memory that a file system gets.

use wordline_core::quantity::Time;
use wordline_engines::Shared;
use wordline_memory::{ByteMemory as _, Flash as _};
use wordline_nvm::{Accounts, Device, FlashMemory, Memory};

use crate::instrument::{Instrumented, MeteredMemory};

/// A file system's memory. Of its handles one goes to the engine, another stays with the instrument.
#[derive(Clone)]
pub(crate) enum FileSystemMedium {
    Flash(Shared<MeteredMemory<Box<dyn FlashMemory>>>),
    Bytes(Shared<MeteredMemory<Box<dyn Device>>>),
}

impl FileSystemMedium {
    /// The first bytes of a memory, all of a smaller one; whole blocks of a flash memory.
    pub(crate) fn new(memory: Memory, capacity: u64) -> Self {
        match memory {
            Memory::Flash(flash) => Self::Flash(Shared::new(MeteredMemory::flash(flash, capacity))),
            Memory::Bytes(device) => Self::Bytes(Shared::new(MeteredMemory::new(device, capacity))),
        }
    }

    /// An independent copy of the whole memory, as it is now.
    pub(crate) fn fork(&self) -> Memory {
        match self {
            Self::Flash(part) => Memory::Flash(part.borrow().backend().fork_memory()),
            Self::Bytes(part) => Memory::Bytes(part.borrow().backend().fork_device()),
        }
    }

    /// Reads the instrument.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&mut dyn Instrumented) -> T) -> T {
        match self {
            Self::Flash(part) => read(&mut *part.borrow()),
            Self::Bytes(part) => read(&mut *part.borrow()),
        }
    }

    /// Lets time pass up to an instant, while the memory stands by.
    pub(crate) fn wait_until(&self, instant: Time) {
        let now = self.now();
        if instant <= now {
            return;
        }
        match self {
            Self::Flash(part) => part.borrow().stand_by(instant.since(now)),
            Self::Bytes(part) => part.borrow().stand_by(instant.since(now)),
        }
    }

    /// Reads the accounts of the whole memory.
    pub(crate) fn accounts<T>(&self, read: impl FnOnce(&dyn Accounts) -> T) -> T {
        match self {
            Self::Flash(part) => read(part.borrow().backend()),
            Self::Bytes(part) => read(part.borrow().backend()),
        }
    }

    /// Endurance cycles of the unit at an address; `None` where single units are not counted.
    pub(crate) fn cycles_at(&self, at: u64) -> Option<u64> {
        match self {
            Self::Flash(part) => {
                let flash = part.borrow();
                let block = at / flash.geometry().block_bytes();
                flash.backend().cycles(u32::try_from(block).ok()?).ok()
            }
            Self::Bytes(part) => part.borrow().backend().cycles_at(at),
        }
    }

    /// Bytes that the file system gets.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Flash(part) => part.geometry().capacity_bytes(),
            Self::Bytes(part) => part.len(),
        }
    }

    pub(crate) fn now(&self) -> Time {
        self.with(|medium| medium.now())
    }
}
