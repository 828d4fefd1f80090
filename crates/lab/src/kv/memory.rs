//! The part of a memory that a table gets, with everything that it asks of it counted.

use wordline_core::SimClock;
use wordline_memory::{ByteMemory, OutOfRange};
use wordline_nvm::{AccessCost, Device, NvmError};

/// What a table asked of its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// Reads and writes.
    pub(super) accesses: u64,
    /// Bytes that crossed the bus, in whole words of it.
    pub(super) bus_bytes: u64,
    /// What the time consisted of.
    pub(super) cost: AccessCost,
}

impl Heard {
    pub(super) fn add(&mut self, other: &Self) {
        self.accesses += other.accesses;
        self.bus_bytes += other.bus_bytes;
        self.cost.add_all(&other.cost);
    }
}

/// The first bytes of a memory.
pub(super) struct Part {
    device: Box<dyn Device>,
    bytes: u64,
    /// Bytes that cross the bus together: no access moves fewer.
    word_bytes: u64,
    heard: Heard,
}

impl Part {
    /// The first bytes of a device, all of a smaller one.
    pub(super) fn new(device: Box<dyn Device>, capacity: u64, word_bytes: u64) -> Self {
        Self {
            bytes: capacity.min(device.len()),
            device,
            word_bytes: word_bytes.max(1),
            heard: Heard::default(),
        }
    }

    /// The memory's clock.
    pub(super) fn clock(&self) -> &SimClock {
        self.device.clock()
    }

    /// The memory, with its accounts.
    pub(super) fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// What was heard since this was last asked.
    pub(super) fn take_heard(&mut self) -> Heard {
        std::mem::take(&mut self.heard)
    }

    /// Runs an access of `length` bytes and counts it. One that the device refused costs nothing.
    fn hear<T>(
        &mut self,
        at: u64,
        length: usize,
        run: impl FnOnce(&mut dyn Device) -> Result<T, NvmError>,
    ) -> Result<T, NvmError> {
        let end = at + length as u64;
        OutOfRange::check(at, length as u64, self.bytes)?;
        let start = self.device.clock().now();
        let result = run(&mut *self.device);
        let took = self.device.clock().now() > start;
        let words = end.div_ceil(self.word_bytes) - at / self.word_bytes;
        let (accesses, bus_bytes) = match length {
            0 => (0, 0),
            _ => (1, words * self.word_bytes),
        };
        self.heard.add(&Heard {
            accesses,
            bus_bytes,
            cost: if took {
                *self.device.last_cost()
            } else {
                AccessCost::NONE
            },
        });
        result
    }
}

impl ByteMemory for Part {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.bytes
    }

    fn atom(&self) -> usize {
        self.device.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.hear(at, out.len(), |device| device.read(at, out))
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.hear(at, data.len(), |device| device.write(at, data))
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        self.hear(0, 0, |device| device.persist())
    }
}
