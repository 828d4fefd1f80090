//! The part of a memory that a table gets, with everything that it asks of it counted.

use wordline_core::SimClock;
use wordline_memory::{ByteMemory, OutOfRange};
use wordline_nvm::power::Residence;
use wordline_nvm::{AccessCost, Cause, Device, NvmError};

/// Bytes that RAM leaves whole.
const RAM_ATOM: usize = 8;

/// What a table asked of its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// Reads and writes.
    pub(super) accesses: u64,
    /// Bytes that crossed the bus, in whole words of it.
    pub(super) bus_bytes: u64,
    /// Lines of RAM that were touched, each counted once an access.
    pub(super) ram_lines: u64,
    /// What the time consisted of.
    pub(super) cost: AccessCost,
}

impl Heard {
    pub(super) fn add(&mut self, other: &Self) {
        self.accesses += other.accesses;
        self.bus_bytes += other.bus_bytes;
        self.ram_lines += other.ram_lines;
        self.cost.add_all(&other.cost);
    }
}

/// What a part is of.
enum Below {
    /// A simulated memory on its bus.
    Device(Box<dyn Device>),
    /// RAM of the processor, whose time is the processor's.
    Ram { bytes: Vec<u8>, clock: SimClock },
}

/// The first bytes of a memory.
pub(super) struct Part {
    below: Below,
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
            below: Below::Device(device),
            word_bytes: word_bytes.max(1),
            heard: Heard::default(),
        }
    }

    /// RAM in lines of so many bytes.
    pub(super) fn ram(capacity: u64, line_bytes: u64) -> Self {
        Self {
            bytes: capacity,
            below: Below::Ram {
                bytes: vec![0; capacity as usize],
                clock: SimClock::new(),
            },
            word_bytes: line_bytes.max(1),
            heard: Heard::default(),
        }
    }

    /// The memory's clock.
    pub(super) fn clock(&self) -> &SimClock {
        match &self.below {
            Below::Device(device) => device.clock(),
            Below::Ram { clock, .. } => clock,
        }
    }

    /// The causes that its accesses can have.
    pub(super) fn causes(&self) -> &'static [Cause] {
        match &self.below {
            Below::Device(device) => device.causes(),
            Below::Ram { .. } => &[],
        }
    }

    /// Where the memory's time went, where it is told.
    pub(super) fn residence(&self) -> Option<Residence> {
        match &self.below {
            Below::Device(device) => Some(device.residence()),
            Below::Ram { .. } => None,
        }
    }

    /// Energy in joules of such a time, where the sheets tell it.
    pub(super) fn energy_j(&self, spent: &Residence) -> Option<f64> {
        match &self.below {
            Below::Device(device) => spent.energy_j(device.power_draw()),
            Below::Ram { .. } => None,
        }
    }

    /// What was heard since this was last asked.
    pub(super) fn take_heard(&mut self) -> Heard {
        std::mem::take(&mut self.heard)
    }

    /// Counts an access of `length` bytes. One that takes no time costs nothing.
    fn hear(&mut self, at: u64, length: u64, cost: AccessCost) {
        let words = (at + length).div_ceil(self.word_bytes) - at / self.word_bytes;
        let is_ram = matches!(self.below, Below::Ram { .. });
        let mut heard = Heard {
            cost,
            ..Heard::default()
        };
        if length > 0 {
            heard.accesses = 1;
            heard.bus_bytes = if is_ram {
                length
            } else {
                words * self.word_bytes
            };
            heard.ram_lines = if is_ram { words } else { 0 };
        }
        self.heard.add(&heard);
    }
}

/// Runs an operation of a device and says what it cost: nothing where it was refused before it began.
fn costed(
    device: &mut dyn Device,
    run: impl FnOnce(&mut dyn Device) -> Result<(), NvmError>,
) -> (Result<(), NvmError>, AccessCost) {
    let start = device.clock().now();
    let result = run(device);
    let took = device.clock().now() > start;
    let cost = if took {
        *device.last_cost()
    } else {
        AccessCost::NONE
    };
    (result, cost)
}

impl ByteMemory for Part {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.bytes
    }

    fn atom(&self) -> usize {
        match &self.below {
            Below::Device(device) => device.atom(),
            Below::Ram { .. } => RAM_ATOM,
        }
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let length = out.len() as u64;
        OutOfRange::check(at, length, self.bytes)?;
        let (result, cost) = match &mut self.below {
            Below::Device(device) => costed(&mut **device, |device| device.read(at, out)),
            Below::Ram { bytes, .. } => {
                out.copy_from_slice(&bytes[at as usize..][..out.len()]);
                (Ok(()), AccessCost::NONE)
            }
        };
        self.hear(at, length, cost);
        result
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let length = data.len() as u64;
        OutOfRange::check(at, length, self.bytes)?;
        let (result, cost) = match &mut self.below {
            Below::Device(device) => costed(&mut **device, |device| device.write(at, data)),
            Below::Ram { bytes, .. } => {
                bytes[at as usize..][..data.len()].copy_from_slice(data);
                (Ok(()), AccessCost::NONE)
            }
        };
        self.hear(at, length, cost);
        result
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        if let Below::Device(device) = &mut self.below {
            let (result, cost) = costed(&mut **device, |device| device.persist());
            self.hear(0, 0, cost);
            return result;
        }
        Ok(())
    }
}
