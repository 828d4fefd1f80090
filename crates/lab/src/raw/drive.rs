//! One run: its accesses on a device, every byte of them checked.

use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Time;
use wordline_core::{Operation, Pattern, RawWorkload};
use wordline_nvm::{Device, NvmError};

use super::check::footprint;
use crate::control::{Control, Progress};
use crate::during::{BusyMemory, During};
use crate::payload::Payload;
use crate::rows::Run;
use crate::state;
use crate::tally::Tally;
use crate::translation;

/// How often progress is told and the wish to stop is heard, in bytes moved.
const BREATH_BYTES: u64 = 1 << 20;

/// The same in reads from a memory that is busy, where the work costs more than the bytes.
const BREATH_READS: u64 = 1 << 10;

/// Why a run has no figures.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("the device refused an access: {0}")]
    Device(#[from] NvmError),
    #[error("the bytes at address {0} are not those that were stored; please report this defect")]
    Corrupt(u64),
}

/// The places of a run's accesses: the streams' parts of the range one behind the other, a whole number of accesses
/// each.
#[derive(Clone, Copy)]
struct Places {
    seed: u64,
    pattern: Pattern,
    streams: u64,
    /// Accesses of a stream.
    each: u64,
}

impl Places {
    fn new(seed: u64, run: &Run<'_>, wrap_bytes: u64) -> Self {
        let streams = u64::from(run.streams.unwrap_or(1));
        Self {
            seed,
            pattern: run.pattern,
            streams,
            each: wrap_bytes / streams / run.access_bytes,
        }
    }

    /// Accesses of all streams until the first one starts over.
    const fn a_pass(self) -> u64 {
        self.each * self.streams
    }

    /// The place of an access, in accesses from address 0.
    const fn of(self, index: u64) -> u64 {
        let (stream, turn) = (index % self.streams, index / self.streams);
        let within = match self.pattern {
            Pattern::Sequential => turn,
            Pattern::Random => draw(self.seed, self.each, index, Purpose::Address),
        };
        stream * self.each + within % self.each
    }
}

/// What the runs of one device share.
pub(super) struct Work<'a> {
    pub(super) workload: &'a RawWorkload,
    pub(super) payload: Payload,
    pub(super) seed: u64,
    pub(super) control: &'a Control<'a>,
    pub(super) done_bytes: u64,
    pub(super) total_bytes: u64,
}

impl Work<'_> {
    /// The device that the runs of one operation start from: as full as was asked for, and reads find
    /// content.
    pub(super) fn prepare(
        &self,
        device: &dyn Device,
        operation: Operation,
        fill: Option<f64>,
    ) -> Result<Box<dyn Device>, NvmError> {
        let mut device = device.fork_device();
        let filled = fill.map_or(0, |share| state::share_bytes(device.as_ref(), share));
        let (bytes, pass) = match operation {
            Operation::Read => (filled.max(footprint(self.workload)), 0),
            Operation::Write => (filled, state::OLD),
        };
        state::fill(device.as_mut(), bytes, &self.payload, pass, self.control)?;
        Ok(device)
    }

    /// Runs all accesses of one size; `None` when the caller wants to stop.
    pub(super) fn drive(
        &mut self,
        device: &mut dyn Device,
        run: &Run<'_>,
    ) -> Result<Option<Tally>, Failure> {
        if let Some(during) = run.during {
            return self.drive_during(device, run, during);
        }
        let (operation, access) = (run.operation, run.access_bytes);
        let name = run.name();
        let before = self.done_bytes;
        let warm = self.workload.warm_up_bytes / access;
        let accesses = self.workload.total_bytes / access;
        let places = Places::new(self.seed, run, self.workload.wrap_bytes);
        let a_pass = places.a_pass();
        let whole_passes = accesses / a_pass * a_pass;
        let clock = device.clock().clone();
        let mut tally = Tally::new(device);
        let mut buffer = vec![0; access as usize];
        // How often each place was written, which tells the bytes that belong there.
        let counters = if operation == Operation::Write {
            a_pass
        } else {
            0
        };
        let mut written = vec![0u32; counters as usize];
        let block = translation::overwrite_bytes(device);
        let mut breath = 0;
        for index in 0..warm + accesses {
            if index == warm {
                tally = Tally::new(device);
            }
            let moved = index * access;
            if moved >= breath {
                breath = moved + BREATH_BYTES;
                if self.breathe(&name, before + moved) {
                    return Ok(None);
                }
            }
            let slot = places.of(index);
            let at = slot * access;
            if let Some(gap) = run.gap.filter(|_| index > 0) {
                clock.advance_to(later(clock.now(), gap)?);
            }
            let start = clock.now();
            match operation {
                Operation::Write => {
                    let pass = u64::from(written[slot as usize]);
                    self.payload.fill(at, pass, &mut buffer);
                    device.write(at, &buffer)?;
                    written[slot as usize] += 1;
                    forget_erased(&mut written, slot, access, block);
                }
                Operation::Read => device.read(at, &mut buffer)?,
            }
            tally.add(access, start, clock.now(), device.last_cost());
            if operation == Operation::Read && !self.payload.is_at(at, 0, &buffer) {
                return Err(Failure::Corrupt(at));
            }
            let counted = (index + 1).saturating_sub(warm);
            let whole = match run.pattern {
                Pattern::Sequential => counted == whole_passes && counted > 0,
                // Random writes wear evenly in the long run alone: the whole run counts.
                Pattern::Random => counted == accesses && accesses >= a_pass,
            };
            if whole {
                tally.mark_whole_passes(device.wear());
            }
        }
        if operation == Operation::Write {
            self.read_back(device, access, &written)?;
        }
        self.done_bytes = before + self.workload.warm_up_bytes + self.workload.total_bytes;
        Ok(Some(tally))
    }

    /// Reads of one size while the memory is busy; `None` when the caller wants to stop.
    fn drive_during(
        &mut self,
        device: &mut dyn Device,
        run: &Run<'_>,
        during: During,
    ) -> Result<Option<Tally>, Failure> {
        let mut tally = Tally::new(device);
        let Some(memory) = device.background() else {
            unreachable!("it was checked that the memory works in the background");
        };
        let (access, name) = (run.access_bytes, run.name());
        let places = Places::new(self.seed, run, self.workload.wrap_bytes);
        let before = self.done_bytes;
        let mut busy = BusyMemory::new(memory, during, self.workload, &self.payload, self.seed)?;
        let mut buffer = vec![0; access as usize];
        for index in 0..self.workload.total_bytes / access {
            if index.is_multiple_of(BREATH_READS) && self.breathe(&name, before + tally.bytes()) {
                return Ok(None);
            }
            let at = places.of(index) * access;
            let (arrival, cost) = busy.read(index, at, &mut buffer)?;
            tally.add(access, arrival, arrival.plus(cost.total()), &cost);
            if !self.payload.is_at(at, 0, &buffer) {
                return Err(Failure::Corrupt(at));
            }
        }
        tally.mark_background(busy.pieces());
        self.done_bytes = before + self.workload.total_bytes;
        Ok(Some(tally))
    }

    /// Tells how far the experiment is, and returns whether the caller wants to stop.
    fn breathe(&self, step: &str, done_bytes: u64) -> bool {
        if self.control.stopped() {
            return true;
        }
        self.control.report(Progress {
            step,
            done_bytes,
            total_bytes: self.total_bytes,
        });
        false
    }

    /// Compares the memory with the last bytes that were written to each place, on a fork, so that
    /// neither the device's clock nor its account of energy moves. A caller who wants to stop gets
    /// the run without the rest of the comparison.
    fn read_back(&self, device: &dyn Device, access: u64, written: &[u32]) -> Result<(), Failure> {
        let mut device = device.fork_device();
        let mut buffer = vec![0; access as usize];
        for (slot, &times) in written.iter().enumerate() {
            if self.control.stopped() {
                break;
            }
            let Some(pass) = times.checked_sub(1) else {
                continue;
            };
            let at = slot as u64 * access;
            device.read(at, &mut buffer)?;
            if !self.payload.is_at(at, u64::from(pass), &buffer) {
                return Err(Failure::Corrupt(at));
            }
        }
        Ok(())
    }
}

/// An access that begins an erase block erases what an earlier pass left in the rest of the block.
fn forget_erased(written: &mut [u32], slot: u64, access: u64, block: u64) {
    if block == 1 {
        return;
    }
    let (start, end) = (slot * access, (slot + 1) * access);
    let last_begun = (end - 1) / block * block;
    if last_begun < start {
        return;
    }
    let erased_to = (last_begun + block - 1) / access;
    for later in written
        .iter_mut()
        .take(erased_to as usize + 1)
        .skip(slot as usize + 1)
    {
        *later = 0;
    }
}

fn later(instant: Time, duration: Time) -> Result<Time, NvmError> {
    instant
        .checked_plus(duration)
        .ok_or(NvmError::TimeExhausted)
}
