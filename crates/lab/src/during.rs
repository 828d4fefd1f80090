//! Reads from a memory that erases or programs meanwhile: what a processor meets that executes in
//! place while its own driver stores something.
//!
//! The memory is kept busy: as soon as the driver sees that a piece of work has ended, it begins the
//! next, in spare blocks behind the range that is read. There is one host, which waits for its data:
//! between the end of an access and the next read lies a pause, drawn from the seed evenly between
//! nothing and the longest pause. Unless the experiment states that, it is the duration of an
//! undisturbed piece of work, so that reads come at any moment of the work, each as likely as any
//! other. A read that comes while the driver itself is on the bus, to begin
//! the next piece, waits for it, which counts as the driver's time.
//!
//! A block is erased before its first page is programmed. No read comes during that erase of a run
//! that is about programs: the pause goes on behind it.

use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Time;
use wordline_core::{BackgroundWork, Operation, RawWorkload, ResultSet, SimClock};
use wordline_nvm::{AccessCost, Background, Cause, Device, NvmError};

use crate::payload::Payload;
use crate::warning::LabWarning;

/// The most blocks that the work goes round in, because what is programmed is held in RAM.
const SPARE_BLOCKS_MAX: u64 = 64;

/// The longest pause that can be asked for, because the work between two reads is simulated.
pub(crate) const PAUSE_MAX: Time = Time::from_ps(1_000_000_000_000);

/// What the memory does during the reads, and what the driver does about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct During {
    pub(crate) work: BackgroundWork,
    pub(crate) on_conflict: OnConflict,
}

/// What a driver does with a read that comes while the memory is busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnConflict {
    /// The read waits for the end of the work.
    Wait,
    /// The work is suspended for the read and resumed after it.
    Suspend,
}

impl OnConflict {
    /// As the result rows spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Suspend => "suspend",
        }
    }
}

impl During {
    /// The cases of an operation: `None`, on an idle memory, comes first.
    pub(crate) fn cases(workload: &RawWorkload, operation: Operation) -> Vec<Option<Self>> {
        let mut cases = vec![None];
        if operation == Operation::Read {
            for &work in &workload.during {
                cases.extend(
                    [OnConflict::Wait, OnConflict::Suspend]
                        .map(|on_conflict| Some(Self { work, on_conflict })),
                );
            }
        }
        cases
    }

    /// Whether the case applies to a memory; why it does not is a warning.
    pub(crate) fn applies(
        self,
        target: &String,
        device: &mut dyn Device,
        document: &mut ResultSet,
    ) -> bool {
        let work = &self.work.name();
        let Some(memory) = device.background() else {
            document.warn(LabWarning::NoBackground { target, work });
            return false;
        };
        if self.on_conflict == OnConflict::Wait {
            return true;
        }
        let Err(reason) = memory.check_suspend(self.work) else {
            return true;
        };
        document.warn(LabWarning::NoSuspend {
            target,
            work,
            reason: &reason,
        });
        false
    }
}

/// Bytes of the range that may be read on a memory with work in the background: one block is left.
pub(crate) fn readable_bytes(memory: &dyn Background) -> u64 {
    memory
        .len()
        .saturating_sub(memory.unit_bytes(BackgroundWork::Erase))
}

/// The places that the work goes round in.
#[derive(Clone, Debug)]
struct SpareBlocks {
    work: BackgroundWork,
    first: u64,
    pieces: u64,
    unit_bytes: u64,
    block_bytes: u64,
    begun: u64,
    /// The bytes of a page.
    page: Vec<u8>,
}

impl SpareBlocks {
    /// The blocks that begin behind `wrap_bytes`.
    fn new(memory: &dyn Background, work: BackgroundWork, wrap_bytes: u64) -> Self {
        let block_bytes = memory.unit_bytes(BackgroundWork::Erase);
        let unit_bytes = memory.unit_bytes(work);
        let first = wrap_bytes.next_multiple_of(block_bytes);
        let blocks = (memory.len().saturating_sub(first) / block_bytes).min(SPARE_BLOCKS_MAX);
        Self {
            work,
            first,
            pieces: (blocks * block_bytes / unit_bytes).max(1),
            unit_bytes,
            block_bytes,
            begun: 0,
            page: vec![
                0;
                if work == BackgroundWork::Program {
                    unit_bytes as usize
                } else {
                    0
                }
            ],
        }
    }

    /// Begins the next piece of work. Returns how long its place was made ready before.
    fn begin(&mut self, memory: &mut dyn Background, payload: &Payload) -> Result<Time, NvmError> {
        let (pass, piece) = (self.begun / self.pieces, self.begun % self.pieces);
        let at = self.first + piece * self.unit_bytes;
        self.begun += 1;
        let before = memory.clock().now();
        if self.work == BackgroundWork::Erase {
            memory.start_erase(at)?;
            return Ok(Time::ZERO);
        }
        if at.is_multiple_of(self.block_bytes) {
            memory.start_erase(at)?;
            memory.finish()?;
        }
        let ready = memory.clock().now().since(before);
        payload.fill(at, pass, &mut self.page);
        memory.start_program(at, &self.page)?;
        Ok(ready)
    }
}

/// A program or an erase that runs.
#[derive(Clone, Copy, Debug)]
struct BackgroundPiece {
    begun: Time,
    /// When it would have ended, had no read come.
    alone: Time,
    /// When it will have ended, if no further read comes.
    ends: Time,
}

/// How long the pieces of work took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BackgroundPieces {
    count: u64,
    duration_s: f64,
    delay_s: f64,
}

impl BackgroundPieces {
    fn add(&mut self, piece: &BackgroundPiece) {
        const PS_PER_S: f64 = 1e12;
        self.count += 1;
        self.duration_s += piece.ends.since(piece.begun).ps() as f64 / PS_PER_S;
        self.delay_s += piece.ends.since(piece.alone).ps() as f64 / PS_PER_S;
    }

    /// Mean time from the command of a piece to its end; `None` when none has ended.
    pub(crate) fn duration_mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.duration_s / self.count as f64)
    }

    /// Mean time by which reads lengthened a piece.
    pub(crate) fn delay_mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.delay_s / self.count as f64)
    }
}

/// A memory that is kept busy, as reads meet it.
pub(crate) struct BusyMemory<'a> {
    memory: &'a mut dyn Background,
    clock: SimClock,
    payload: &'a Payload,
    on_conflict: OnConflict,
    seed: u64,
    spare: SpareBlocks,
    piece: BackgroundPiece,
    pieces: BackgroundPieces,
    /// The longest pause between two accesses.
    pause: Time,
    /// When the host is free again: pauses begin here.
    free: Time,
}

impl<'a> BusyMemory<'a> {
    /// Runs one piece of work undisturbed, which gives the longest pause unless one is stated, and begins the next. Reads
    /// stay within the first `wrap_bytes`.
    pub(crate) fn new(
        memory: &'a mut dyn Background,
        during: During,
        wrap_bytes: u64,
        pause: Option<Time>,
        payload: &'a Payload,
        seed: u64,
    ) -> Result<Self, NvmError> {
        let clock = memory.clock().clone();
        let mut spare = SpareBlocks::new(memory, during.work, wrap_bytes);
        let before = clock.now();
        let ready = spare.begin(memory, payload)?;
        memory.finish()?;
        let alone = clock.now().since(before).since(ready);
        let free = clock.now();
        let mut busy = Self {
            memory,
            clock,
            payload,
            on_conflict: during.on_conflict,
            seed,
            spare,
            piece: BackgroundPiece {
                begun: free,
                alone: free,
                ends: free,
            },
            pieces: BackgroundPieces::default(),
            pause: pause.unwrap_or(alone),
            free,
        };
        busy.begin()?;
        Ok(busy)
    }

    /// Begins the next piece of work. What its place had to be made ready for holds reads back.
    fn begin(&mut self) -> Result<(), NvmError> {
        let ready = self.spare.begin(self.memory, self.payload)?;
        self.free = later(self.free, ready)?;
        let (begun, ends) = (self.clock.now(), self.memory.busy_until());
        self.piece = BackgroundPiece {
            begun,
            alone: ends,
            ends,
        };
        Ok(())
    }

    /// Lets a pause pass and reads. Returns what the data waited for.
    pub(crate) fn read(
        &mut self,
        index: u64,
        at: u64,
        out: &mut [u8],
    ) -> Result<AccessCost, NvmError> {
        let bits = u128::from(draw(self.seed, 0, index, Purpose::Arrival));
        let pause = Time::from_ps(((bits * u128::from(self.pause.ps())) >> 64) as u64);
        while self.piece.ends < later(self.free, pause)? {
            self.memory.finish()?;
            self.pieces.add(&self.piece);
            self.begin()?;
        }
        let arrival = later(self.free, pause)?;
        self.clock.advance_to(arrival);
        let mut cost = AccessCost::NONE;
        cost.add(Cause::Driver, self.clock.now().since(arrival));
        match self.on_conflict {
            OnConflict::Wait => {
                self.memory.read_after(at, out)?;
                cost.add_all(self.memory.last_cost());
                self.free = self.clock.now();
                self.pieces.add(&self.piece);
                self.begin()?;
            }
            OnConflict::Suspend => {
                let read = self.memory.read_suspending(at, out)?;
                cost.add_all(&read.latency);
                self.free = self.clock.now();
                if read.suspended {
                    self.piece.ends = self.memory.busy_until();
                }
            }
        }
        Ok(cost)
    }

    /// How long the pieces of work took that have ended. The one that runs would be seen by fewer reads
    /// than the others.
    pub(crate) const fn pieces(&self) -> BackgroundPieces {
        self.pieces
    }
}

fn later(instant: Time, duration: Time) -> Result<Time, NvmError> {
    instant
        .checked_plus(duration)
        .ok_or(NvmError::TimeExhausted)
}
