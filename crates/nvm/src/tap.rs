//! Every operation of a device, told to whoever listens: what a trace, a benchmark of file systems and an account of
//! the worst case are made from.

use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, Ecc, Flash, Geometry};

use crate::cost::AccessCost;
use crate::device::{Accounts, InFront};
use crate::error::NvmError;

/// What storage software asked of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationKind {
    /// Bytes were read.
    Read,
    /// Bytes were written that can be overwritten.
    Write,
    /// What was written was made to last.
    Persist,
    /// Bytes of a page were programmed.
    Program,
    /// A block was erased.
    Erase,
}

impl OperationKind {
    /// As traces and reports spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Persist => "persist",
            Self::Program => "program",
            Self::Erase => "erase",
        }
    }
}

/// One operation of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceOperation {
    /// What it was.
    pub kind: OperationKind,
    /// The first byte: `page * page_bytes + column` of a flash memory, in which spare areas overlap what follows.
    pub at: u64,
    /// Bytes that were moved, or erased.
    pub bytes: u64,
    /// When it was asked for, in simulated time.
    pub start: Time,
    /// What its time consisted of.
    pub cost: AccessCost,
    /// Whether it failed.
    pub failed: bool,
}

/// Whoever listens to a [`Tap`].
pub trait Listener {
    /// Hears of an operation that has just returned.
    fn hear(&mut self, operation: &DeviceOperation);
}

impl<F: FnMut(&DeviceOperation)> Listener for F {
    fn hear(&mut self, operation: &DeviceOperation) {
        self(operation);
    }
}

/// A device with somebody who listens. It meets the contracts that the device meets.
#[derive(Clone, Debug)]
pub struct Tap<D, L> {
    device: D,
    listener: L,
}

impl<D: Accounts, L: Listener> Tap<D, L> {
    /// Lets somebody listen to a device.
    pub const fn new(device: D, listener: L) -> Self {
        Self { device, listener }
    }

    /// The device.
    pub const fn device(&self) -> &D {
        &self.device
    }

    /// The device, whose operations are not heard.
    pub const fn device_mut(&mut self) -> &mut D {
        &mut self.device
    }

    /// Who listens.
    pub const fn listener(&self) -> &L {
        &self.listener
    }

    /// Who listens.
    pub const fn listener_mut(&mut self) -> &mut L {
        &mut self.listener
    }

    /// The device and who listened.
    pub fn into_parts(self) -> (D, L) {
        (self.device, self.listener)
    }

    /// Runs an operation and tells of it. One that the device refused before it began costs nothing.
    fn heard<T>(
        &mut self,
        what: (OperationKind, u64, u64),
        run: impl FnOnce(&mut D) -> Result<T, NvmError>,
    ) -> Result<T, NvmError> {
        let start = self.device.clock().now();
        let result = run(&mut self.device);
        self.tell(what, start, result.is_err());
        result
    }

    /// The same for the mark of a bad block, in the first byte of a block: chips without marks do nothing for it.
    fn heard_mark<T>(
        &mut self,
        kind: OperationKind,
        at: u64,
        run: impl FnOnce(&mut D) -> Result<T, NvmError>,
    ) -> Result<T, NvmError> {
        let start = self.device.clock().now();
        let result = run(&mut self.device);
        if self.device.clock().now() > start {
            self.tell((kind, at, 1), start, result.is_err());
        }
        result
    }

    fn tell(&mut self, (kind, at, bytes): (OperationKind, u64, u64), start: Time, failed: bool) {
        let took = self.device.clock().now() > start;
        let cost = if took {
            *self.device.last_cost()
        } else {
            AccessCost::NONE
        };
        self.listener.hear(&DeviceOperation {
            kind,
            at,
            bytes,
            start,
            cost,
            failed,
        });
    }
}

impl<D: Flash<Error = NvmError> + Accounts, L: Listener> Flash for Tap<D, L> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let at = address(self.geometry(), page, column);
        let what = (OperationKind::Read, at, out.len() as u64);
        self.heard(what, |flash| flash.read(page, column, out))
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let at = address(self.geometry(), page, column);
        let what = (OperationKind::Program, at, data.len() as u64);
        self.heard(what, |flash| flash.program(page, column, data))
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        let bytes = self.geometry().block_bytes();
        let what = (OperationKind::Erase, u64::from(block) * bytes, bytes);
        self.heard(what, |flash| flash.erase(block))
    }

    /// Heard as a read of the block's mark.
    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        let at = u64::from(block) * self.geometry().block_bytes();
        self.heard_mark(OperationKind::Read, at, |flash| flash.is_bad(block))
    }

    /// Heard as a program of the block's mark.
    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        let at = u64::from(block) * self.geometry().block_bytes();
        self.heard_mark(OperationKind::Program, at, |flash| flash.mark_bad(block))
    }
}

impl<D: ByteMemory<Error = NvmError> + Accounts, L: Listener> ByteMemory for Tap<D, L> {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.device.len()
    }

    fn atom(&self) -> usize {
        self.device.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let what = (OperationKind::Read, at, out.len() as u64);
        self.heard(what, |memory| memory.read(at, out))
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let what = (OperationKind::Write, at, data.len() as u64);
        self.heard(what, |memory| memory.write(at, data))
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        self.heard((OperationKind::Persist, 0, 0), ByteMemory::persist)
    }
}

impl<D: Accounts, L: Listener> InFront for Tap<D, L> {
    type Behind = D;

    fn behind(&self) -> &D {
        &self.device
    }
}

const fn address(geometry: Geometry, page: u32, column: u32) -> u64 {
    page as u64 * geometry.page_bytes as u64 + column as u64
}
