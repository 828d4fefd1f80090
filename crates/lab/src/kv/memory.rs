//! The part of a memory that a table gets, with everything that it asks of it counted.

use std::hint::black_box;

use wordline_core::SimClock;
use wordline_core::quantity::Time;
use wordline_host::{MappedFile, MappedFileError, ScratchFileError, WallClock};
use wordline_memory::{ByteMemory, Clock as _, OutOfRange};
use wordline_nvm::power::Residence;
use wordline_nvm::{AccessCost, Cause, Device, NvmError, Wear};

/// Bytes that RAM leaves whole.
pub(super) const RAM_ATOM: usize = 8;

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
    /// RAM: of a simulated processor, whose time it is, or of this machine.
    Ram(Vec<u8>),
    /// A mapped file of this machine.
    File(MappedFile),
}

/// What tells the time of a part.
enum Watch {
    Simulated(SimClock),
    Wall(WallClock),
}

/// The first bytes of a memory.
pub(super) struct Part {
    below: Below,
    watch: Watch,
    bytes: u64,
    /// Bytes that cross the bus together, or lie in one line of RAM: no access moves fewer.
    word_bytes: u64,
    heard: Heard,
    /// Whether nobody waits for the disk of a file.
    puts_off: bool,
}

/// Why a memory did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub(super) enum PartError {
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    #[error(transparent)]
    Simulated(#[from] NvmError),
    #[error(transparent)]
    File(#[from] MappedFileError),
    #[error(transparent)]
    Scratch(#[from] ScratchFileError),
}

impl Part {
    /// The first bytes of a device, all of a smaller one.
    pub(super) fn new(device: Box<dyn Device>, capacity: u64, word_bytes: u64) -> Self {
        Self {
            watch: Watch::Simulated(device.clock().clone()),
            bytes: capacity.min(device.len()),
            below: Below::Device(device),
            word_bytes: word_bytes.max(1),
            heard: Heard::default(),
            puts_off: false,
        }
    }

    /// RAM of a simulated processor in lines of so many bytes.
    pub(super) fn ram(capacity: u64, line_bytes: u64) -> Self {
        Self {
            below: Below::Ram(vec![0; capacity as usize]),
            watch: Watch::Simulated(SimClock::new()),
            bytes: capacity,
            word_bytes: line_bytes.max(1),
            heard: Heard::default(),
            puts_off: false,
        }
    }

    /// RAM of this machine.
    pub(super) fn ram_of_host(capacity: u64) -> Self {
        // Written and not merely asked for: the system gives a page when it is first touched, which is no table's work.
        let mut bytes = vec![1; capacity as usize];
        bytes.fill(0);
        Self {
            below: Below::Ram(bytes),
            watch: Watch::Wall(WallClock::start()),
            bytes: capacity,
            word_bytes: 1,
            heard: Heard::default(),
            puts_off: false,
        }
    }

    /// A mapped file of this machine.
    pub(super) fn file(file: MappedFile, capacity: u64) -> Self {
        Self {
            bytes: capacity.min(file.len()),
            below: Below::File(file),
            watch: Watch::Wall(WallClock::start()),
            word_bytes: 1,
            heard: Heard::default(),
            puts_off: false,
        }
    }

    /// The time of the memory, or of this machine.
    pub(super) fn now(&self) -> Time {
        match &self.watch {
            Watch::Simulated(clock) => clock.now(),
            Watch::Wall(clock) => Time::from_ps(clock.now_ps()),
        }
    }

    /// Lets simulated time pass, in which the memory stands by. The time of this machine passes by itself.
    pub(super) fn stand_by(&self, time: Time) {
        if let Watch::Simulated(clock) = &self.watch {
            clock.advance(time);
        }
    }

    /// Lets nobody wait for the disk of a file until [`catch_up`](Self::catch_up): what is not timed costs no time.
    pub(super) const fn put_off(&mut self) {
        self.puts_off = matches!(self.below, Below::File(_));
    }

    /// Makes last what was put off.
    pub(super) fn catch_up(&mut self) -> Result<(), PartError> {
        match std::mem::take(&mut self.puts_off) {
            true => self.persist(),
            false => Ok(()),
        }
    }

    /// The causes that its accesses can have.
    pub(super) fn causes(&self) -> &'static [Cause] {
        match &self.below {
            Below::Device(device) => device.causes(),
            Below::Ram(_) | Below::File(_) => &[],
        }
    }

    /// Where the memory's time went, where it is told.
    pub(super) fn residence(&self) -> Option<Residence> {
        match &self.below {
            Below::Device(device) => Some(device.residence()),
            Below::Ram(_) | Below::File(_) => None,
        }
    }

    /// Cycles of each unit that wears; `None` where nothing does, or nobody counts.
    pub(super) fn cycles(&self) -> Option<Vec<u64>> {
        let Below::Device(device) = &self.below else {
            return None;
        };
        let wear = device.wear();
        if wear.endurance == Wear::UNLIMITED || wear.unit_bytes == 0 {
            return None;
        }
        let units = (0..self.bytes).step_by(wear.unit_bytes as usize);
        units.map(|at| device.cycles_at(at)).collect()
    }

    /// Energy in joules of such a time, where the sheets tell it.
    pub(super) fn energy_j(&self, spent: &Residence) -> Option<f64> {
        match &self.below {
            Below::Device(device) => spent.energy_j(device.power_draw()),
            Below::Ram(_) | Below::File(_) => None,
        }
    }

    /// What was heard since this was last asked.
    pub(super) fn take_heard(&mut self) -> Heard {
        std::mem::take(&mut self.heard)
    }

    /// Counts an access of `length` bytes. One that takes no time costs nothing.
    fn hear(&mut self, at: u64, length: u64, cost: Option<&AccessCost>) {
        let heard = &mut self.heard;
        if let Some(cost) = cost {
            heard.cost.add_all(cost);
        }
        if length == 0 {
            return;
        }
        heard.accesses += 1;
        let words = || (at + length).div_ceil(self.word_bytes) - at / self.word_bytes;
        match (&self.below, &self.watch) {
            (Below::Device(_), _) => heard.bus_bytes += words() * self.word_bytes,
            (_, Watch::Simulated(_)) => {
                heard.bus_bytes += length;
                heard.ram_lines += words();
            }
            (_, Watch::Wall(_)) => heard.bus_bytes += length,
        }
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
    type Error = PartError;

    fn len(&self) -> u64 {
        self.bytes
    }

    fn atom(&self) -> usize {
        match &self.below {
            Below::Device(device) => device.atom(),
            Below::Ram(_) => RAM_ATOM,
            Below::File(file) => file.atom(),
        }
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), PartError> {
        let length = out.len() as u64;
        OutOfRange::check(at, length, self.bytes)?;
        let mut cost = None;
        let result = match &mut self.below {
            Below::Device(device) => {
                let (result, spent) = costed(&mut **device, |device| device.read(at, out));
                cost = Some(spent);
                result.map_err(PartError::from)
            }
            Below::Ram(bytes) => {
                out.copy_from_slice(&bytes[at as usize..][..out.len()]);
                Ok(())
            }
            Below::File(file) => Ok(file.read(at, out)?),
        };
        self.hear(at, length, cost.as_ref());
        result
    }

    /// Loads a byte of the first line of RAM and one of the last, and waits for neither.
    #[inline]
    fn prefetch(&mut self, at: u64, bytes: u64) {
        if let Below::Ram(ram) = &self.below {
            for at in [at, at + bytes.saturating_sub(1)] {
                black_box(ram.get(at as usize).copied());
            }
        }
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), PartError> {
        let length = data.len() as u64;
        OutOfRange::check(at, length, self.bytes)?;
        let mut cost = None;
        let result = match &mut self.below {
            Below::Device(device) => {
                let (result, spent) = costed(&mut **device, |device| device.write(at, data));
                cost = Some(spent);
                result.map_err(PartError::from)
            }
            Below::Ram(bytes) => {
                bytes[at as usize..][..data.len()].copy_from_slice(data);
                Ok(())
            }
            Below::File(file) => Ok(file.write(at, data)?),
        };
        self.hear(at, length, cost.as_ref());
        result
    }

    fn persist(&mut self) -> Result<(), PartError> {
        match &mut self.below {
            Below::Device(device) => {
                let (result, cost) = costed(&mut **device, |device| device.persist());
                self.hear(0, 0, Some(&cost));
                result.map_err(PartError::from)
            }
            Below::File(file) if !self.puts_off => Ok(file.persist()?),
            Below::File(_) | Below::Ram(_) => Ok(()),
        }
    }
}
