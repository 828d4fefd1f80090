//! One run: its accesses on a device, every byte of them checked.

use std::sync::{Mutex, PoisonError};

use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Time;
use wordline_core::{Operation, Pattern, RawWorkload};
use wordline_memory::ByteMemory as _;
use wordline_nvm::{Device, NvmError};

use super::check::footprint;
use super::rows::RawRun;
use crate::control::{Control, Progress};
use crate::during::{BusyMemory, During};
use crate::error::LabError;
use crate::instrument::tally::{BackgroundMeans, UnitWear};
use crate::instrument::{Instrumented as _, MeteredMemory, OperationSample, OperationTally};
use crate::payload::Payload;
use crate::state;
use crate::translation;

/// Bytes between progress updates and cancellation checks.
const BREATH_BYTES: u64 = 1 << 20;

/// Reads between them on a busy memory, where the background work costs more than the bytes.
const BREATH_READS: u64 = 1 << 10;

/// Why a run has no figures.
#[derive(Debug, thiserror::Error)]
pub(super) enum RawFailure {
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
    fn new(seed: u64, run: &RawRun<'_>, wrap_bytes: u64) -> Self {
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

/// A device whose accesses are counted.
pub(super) type RawMemory = MeteredMemory<Box<dyn Device>>;

/// What the runs of one device share.
pub(super) struct RawWork<'a> {
    pub(super) workload: &'a RawWorkload,
    pub(super) payload: Payload,
    pub(super) seed: u64,
    pub(super) control: &'a Control<'a>,
}

/// A device that the first run to need it prepares, and whether that was done.
pub(super) type PreparedDevice = Mutex<(bool, Box<dyn Device>)>;

impl RawWork<'_> {
    /// A fork of the device that the runs of one operation start from: as full as was asked for, and reads find
    /// content.
    pub(super) fn begin(
        &self,
        prepared: &PreparedDevice,
        run: &RawRun<'_>,
    ) -> Result<Box<dyn Device>, LabError> {
        let mut prepared = prepared.lock().unwrap_or_else(PoisonError::into_inner);
        let (ready, device) = &mut *prepared;
        if !*ready {
            let filled = run
                .fill
                .map_or(0, |share| state::share_bytes(device.as_ref(), share));
            let (bytes, pass) = match run.operation {
                Operation::Read => (filled.max(footprint(self.workload)), 0),
                Operation::Write => (filled, state::OLD),
            };
            state::fill(device.as_mut(), bytes, &self.payload, pass, self.control).map_err(
                |source| LabError::Device {
                    target: run.target.name.clone(),
                    source,
                },
            )?;
            *ready = !self.control.stopped();
        }
        Ok(device.fork_device())
    }

    /// Runs all accesses of one size; `None` when the caller wants to stop.
    pub(super) fn drive(
        &self,
        memory: &mut RawMemory,
        run: &RawRun<'_>,
    ) -> Result<Option<OperationTally>, RawFailure> {
        if let Some(during) = run.during {
            return self.drive_during(memory, run, during);
        }
        let (operation, access) = (run.operation, run.access_bytes);
        let name = run.name();
        let warm = self.workload.warm_up_bytes / access;
        let accesses = self.workload.total_bytes / access;
        let places = Places::new(self.seed, run, self.workload.wrap_bytes);
        let a_pass = places.a_pass();
        let whole_passes = accesses / a_pass * a_pass;
        let begin = |memory: &mut RawMemory| {
            OperationTally::begin(memory, operation == Operation::Write, UnitWear::Off)
        };
        let mut tally = begin(memory);
        let mut buffer = vec![0; access as usize];
        // How often each place was written, which determines the bytes that belong there.
        let counters = if operation == Operation::Write {
            a_pass
        } else {
            0
        };
        let mut written = vec![0u32; counters as usize];
        let block = translation::overwrite_bytes(&**memory.backend());
        let mut breath = 0;
        for index in 0..warm + accesses {
            if index == warm {
                tally = begin(memory);
            }
            let moved = index * access;
            if moved >= breath {
                breath = moved + BREATH_BYTES;
                if self.breathe(&name, moved) {
                    return Ok(None);
                }
            }
            let slot = places.of(index);
            let at = slot * access;
            if let Some(gap) = run.gap.filter(|_| index > 0) {
                if memory.now().checked_plus(gap).is_none() {
                    return Err(NvmError::TimeExhausted.into());
                }
                memory.stand_by(gap);
            }
            let start = memory.now();
            match operation {
                Operation::Write => {
                    let pass = u64::from(written[slot as usize]);
                    self.payload.fill(at, pass, &mut buffer);
                    memory.write(at, &buffer)?;
                    written[slot as usize] += 1;
                    forget_erased(&mut written, slot, access, block);
                }
                Operation::Read => memory.read(at, &mut buffer)?,
            }
            tally.call(memory, start, access);
            if operation == Operation::Read && !self.payload.is_at(at, 0, &buffer) {
                return Err(RawFailure::Corrupt(at));
            }
            let counted = (index + 1).saturating_sub(warm);
            let whole = match run.pattern {
                Pattern::Sequential => counted == whole_passes && counted > 0,
                // Random writes wear evenly in the long run alone: the whole run counts.
                Pattern::Random => counted == accesses && accesses >= a_pass,
            };
            if whole {
                let evenly = (run.pattern == Pattern::Random).then_some(self.workload.wrap_bytes);
                tally.mark_whole_passes(memory, evenly);
            }
        }
        tally.end(memory);
        if operation == Operation::Write {
            self.read_back(&**memory.backend(), access, &written)?;
        }
        Ok(Some(tally))
    }

    /// Reads of one size while the memory is busy; `None` when the caller wants to stop.
    fn drive_during(
        &self,
        memory: &mut RawMemory,
        run: &RawRun<'_>,
        during: During,
    ) -> Result<Option<OperationTally>, RawFailure> {
        let mut tally = OperationTally::begin(memory, false, UnitWear::Off);
        let Some(background) = memory.backend_mut().background() else {
            unreachable!("it was checked that the memory works in the background");
        };
        let (access, name) = (run.access_bytes, run.name());
        let places = Places::new(self.seed, run, self.workload.wrap_bytes);
        let mut busy = BusyMemory::new(
            background,
            during,
            self.workload.wrap_bytes,
            self.workload.pause_ps.map(Time::from_ps),
            &self.payload,
            self.seed,
        )?;
        let mut buffer = vec![0; access as usize];
        for index in 0..self.workload.total_bytes / access {
            if index.is_multiple_of(BREATH_READS) && self.breathe(&name, tally.bytes) {
                return Ok(None);
            }
            let at = places.of(index) * access;
            let cost = busy.read(index, at, &mut buffer)?;
            tally.add(&OperationSample::of_cost(access, &cost));
            if !self.payload.is_at(at, 0, &buffer) {
                return Err(RawFailure::Corrupt(at));
            }
        }
        let pieces = busy.pieces();
        tally.background = Some(BackgroundMeans {
            duration_s: pieces.duration_mean_s(),
            delay_s: pieces.delay_mean_s(),
        });
        Ok(Some(tally))
    }

    /// Reports progress, and returns whether the caller stops the run.
    fn breathe(&self, step: &str, done_bytes: u64) -> bool {
        if self.control.stopped() {
            return true;
        }
        self.control.report(Progress {
            step,
            done_bytes,
            total_bytes: self.workload.total_bytes,
        });
        false
    }

    /// Compares the memory with the last bytes that were written to each place, on a fork, so that
    /// neither the device's clock nor its account of energy moves. A caller who wants to stop gets
    /// the run without the rest of the comparison.
    fn read_back(
        &self,
        device: &dyn Device,
        access: u64,
        written: &[u32],
    ) -> Result<(), RawFailure> {
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
                return Err(RawFailure::Corrupt(at));
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
