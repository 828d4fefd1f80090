//! The part of a memory that a file system gets, with everything that it asks of it heard.

use wordline_core::SimClock;
use wordline_engines::Shared;
use wordline_memory::{ByteMemory, Ecc, Flash, Geometry, OutOfRange};
use wordline_nvm::{Accounts, Device, FlashMemory, Memory, NvmError, Tap};

use super::meter::{Ear, Meter};

/// A memory from its first byte or block on, cut where the file system's part ends.
pub(super) struct Part<D> {
    tap: Tap<D, Ear>,
    /// Bytes of the part; whole blocks of a flash memory.
    bytes: u64,
}

impl<D: Flash<Error = NvmError> + Accounts> Flash for Part<D> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        let whole = self.tap.geometry();
        Geometry {
            blocks: (self.bytes / whole.block_bytes()) as u32,
            ..whole
        }
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let bytes = out.len() as u64;
        self.geometry().check_read(page, column, bytes)?;
        self.tap.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let bytes = data.len() as u64;
        self.geometry().check_program(page, column, bytes)?;
        self.tap.program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.geometry().check_block(block)?;
        self.tap.erase(block)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.geometry().check_block(block)?;
        self.tap.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.geometry().check_block(block)?;
        self.tap.mark_bad(block)
    }
}

impl<D: ByteMemory<Error = NvmError> + Accounts> ByteMemory for Part<D> {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.bytes
    }

    fn atom(&self) -> usize {
        self.tap.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.bytes)?;
        self.tap.read(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.bytes)?;
        self.tap.write(at, data)
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        self.tap.persist()
    }
}

/// Flash, as far as a file system gets it.
pub(super) type FlashPart = Part<Box<dyn FlashMemory>>;

/// Bytes, as far as a file system gets them.
pub(super) type BytePart = Part<Box<dyn Device>>;

/// What a file system works on: handles of the same memory go to the engine and stay with whoever measures.
#[derive(Clone)]
pub(super) enum Ground {
    Flash(Shared<FlashPart>),
    Bytes(Shared<BytePart>),
}

/// A file system's memory with its clock and its meter.
#[derive(Clone)]
pub(super) struct Medium {
    pub(super) ground: Ground,
    pub(super) clock: SimClock,
    pub(super) meter: Shared<Meter>,
    /// Units that wear by themselves, of the bytes that the file system gets.
    pub(super) units: u64,
}

impl Medium {
    /// The first bytes of a memory, all of a smaller one; whole blocks of a flash memory.
    pub(super) fn new(memory: Memory, capacity: u64) -> Self {
        let accounts = memory.accounts();
        let clock = accounts.clock().clone();
        let unit_bytes = accounts.wear().unit_bytes.max(1);
        let meter = Shared::new(Meter::new(unit_bytes));
        let ear = Ear(meter.clone());
        let bytes = capacity.min(memory.capacity_bytes());
        let bytes = match &memory {
            Memory::Flash(flash) => bytes - bytes % flash.geometry().block_bytes(),
            Memory::Bytes(_) => bytes,
        };
        let ground = match memory {
            Memory::Flash(flash) => {
                let tap = Tap::new(flash, ear);
                Ground::Flash(Shared::new(Part { tap, bytes }))
            }
            Memory::Bytes(device) => {
                let tap = Tap::new(device, ear);
                Ground::Bytes(Shared::new(Part { tap, bytes }))
            }
        };
        Self {
            ground,
            clock,
            meter,
            units: bytes.div_ceil(unit_bytes),
        }
    }

    /// An independent copy of the whole memory, as it is now.
    pub(super) fn fork(&self) -> Memory {
        match &self.ground {
            Ground::Flash(part) => Memory::Flash(part.borrow().tap.device().fork_memory()),
            Ground::Bytes(part) => Memory::Bytes(part.borrow().tap.device().fork_device()),
        }
    }

    /// Asks the memory's accounts.
    pub(super) fn accounts<T>(&self, ask: impl FnOnce(&dyn Accounts) -> T) -> T {
        match &self.ground {
            Ground::Flash(part) => ask(part.borrow().tap.device()),
            Ground::Bytes(part) => ask(part.borrow().tap.device()),
        }
    }
}
