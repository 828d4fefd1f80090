//! Follows a kernel: caches, branches and streams, and what is left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use wordline_apps::kernels::AccessTracer;
use wordline_apps::overlap::{LineEvent, LineEventKind};
use wordline_core::Operation;
use wordline_trace::dram::{CacheFilter, CoreCaches, LINE_BYTES, ProgramCounts};

use super::predictor::BranchPredictor;
use super::streams::StreamTable;
use crate::error::{LabError, in_range};

/// Most events that are kept. Where there are more, every other window goes; what was counted of it stays.
const EVENTS_MAX: usize = 1_000_000;

/// Instructions between two looks at whether the run should stop: some milliseconds.
const BREATH: u32 = 1 << 16;

/// What the thread that follows a kernel and the one that waits for it have in common.
#[derive(Debug, Default)]
pub(super) struct FollowWatch {
    /// Set when nobody waits any more.
    pub(super) stop: AtomicBool,
    /// Instructions so far.
    pub(super) instructions: AtomicU64,
}

/// What a stopped kernel unwinds with: it has no other way out of its loops.
struct FollowStopped;

/// Which parts of a run are followed: the run is cut into windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowPlan {
    /// Instructions of a window.
    pub window: u32,
    /// One window in so many is counted; 1: all.
    pub one_in: u32,
    /// Windows before each that is counted in which the caches work and nothing is counted. In the others the kernel runs
    /// alone, and the caches keep what they have.
    pub warm: u32,
}

impl Default for FollowPlan {
    fn default() -> Self {
        Self {
            window: 1_000_000,
            one_in: 1,
            warm: 3,
        }
    }
}

impl FollowPlan {
    /// The most windows of which one is counted.
    pub const ONE_IN_MAX: u32 = 100_000;

    pub(super) fn checked(self) -> Result<Self, LabError> {
        in_range("sample", self.one_in, 1, Self::ONE_IN_MAX)?;
        in_range("window", self.window, 1000, 1_000_000_000)?;
        Ok(self)
    }

    /// What is done in a window, by its number.
    fn mode(self, window: u64) -> FollowMode {
        let place = window % u64::from(self.one_in);
        let last = u64::from(self.one_in) - 1;
        match last - place {
            0 => FollowMode::Count,
            before if before <= u64::from(self.warm) => FollowMode::Warm,
            _ => FollowMode::Skip,
        }
    }
}

/// What is done with accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FollowMode {
    Skip,
    Warm,
    Count,
}

/// A window that was counted.
#[derive(Clone, Debug, Default)]
pub(super) struct FollowedWindow {
    pub(super) instructions: u32,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) events: Vec<LineEvent>,
}

/// A phase of a kernel.
#[derive(Clone, Debug)]
pub(super) struct FollowedPhase {
    pub(super) name: &'static str,
    /// All instructions, and those of windows that were counted.
    pub(super) instructions: u64,
    pub(super) counted: u64,
    /// Lines of the counted windows.
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) prefetched: u64,
    pub(super) local: u64,
    /// Windows that were kept with their events.
    pub(super) windows: Vec<FollowedWindow>,
}

impl FollowedPhase {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            instructions: 0,
            counted: 0,
            reads: 0,
            writes: 0,
            prefetched: 0,
            local: 0,
            windows: Vec::new(),
        }
    }
}

/// The tracer of a kernel. A loaded value is the window's number and the event's in it, from 1; 0 was known before.
pub(super) struct KernelFollower {
    watch: Arc<FollowWatch>,
    filter: CacheFilter,
    plan: FollowPlan,
    prefetch_lines: u64,
    predictor: BranchPredictor,
    streams: StreamTable,
    phases: Vec<FollowedPhase>,
    mode: FollowMode,
    /// Number of the window at hand, and its instructions so far.
    number: u64,
    at: u32,
    /// Where in the window the next look is due whether the run should stop, or the window ends.
    until: u32,
    window: FollowedWindow,
    /// Events that are kept, and of how many windows one is.
    events: usize,
    kept_in: u64,
    /// Instructions that the filter counted.
    filtered: u64,
}

impl KernelFollower {
    pub(super) fn new(
        caches: &CoreCaches,
        plan: FollowPlan,
        prefetch_lines: u32,
        watch: Arc<FollowWatch>,
    ) -> Self {
        Self {
            watch,
            until: BREATH.min(plan.window),
            filter: CacheFilter::new(caches),
            plan,
            prefetch_lines: prefetch_lines.into(),
            predictor: BranchPredictor::default(),
            streams: StreamTable::default(),
            phases: Vec::new(),
            mode: plan.mode(0),
            number: 0,
            at: 0,
            window: FollowedWindow::default(),
            events: 0,
            kept_in: 1,
            filtered: 0,
        }
    }

    /// What the caches counted, and the phases.
    pub(super) fn finish(mut self) -> (ProgramCounts, Vec<FollowedPhase>) {
        self.end_window();
        self.filter.instructions(self.filtered);
        self.phases.retain(|phase| phase.instructions > 0);
        (self.filter.counts(), self.phases)
    }

    #[inline]
    fn tick(&mut self, instructions: u64) {
        let room = u64::from(self.until - self.at);
        if instructions < room {
            self.at += instructions as u32;
        } else {
            self.pass(instructions);
        }
    }

    /// Passes a place where a look is due, or a window's end, once at least.
    #[cold]
    fn pass(&mut self, instructions: u64) {
        let mut left = instructions;
        loop {
            let room = u64::from(self.until - self.at);
            if left < room {
                self.at += left as u32;
                return;
            }
            left -= room;
            self.at = self.until;
            self.look();
            if self.at == self.plan.window {
                self.end_window();
                self.number += 1;
                self.mode = self.plan.mode(self.number);
            }
            self.until = (self.at + BREATH).min(self.plan.window);
        }
    }

    /// Says how far it is, and ends the kernel when nobody waits for it.
    fn look(&self) {
        let passed = u64::from(BREATH.min(self.plan.window));
        self.watch.instructions.fetch_add(passed, Ordering::Relaxed);
        if self.watch.stop.load(Ordering::Relaxed) {
            // Not a panic: no message is printed.
            std::panic::resume_unwind(Box::new(FollowStopped));
        }
    }

    fn end_window(&mut self) {
        let mut window = std::mem::take(&mut self.window);
        window.instructions = std::mem::take(&mut self.at);
        let Some(phase) = self.phases.last_mut() else {
            return;
        };
        phase.instructions += u64::from(window.instructions);
        if self.mode != FollowMode::Skip {
            self.filtered += u64::from(window.instructions);
        }
        if self.mode != FollowMode::Count || window.instructions == 0 {
            return;
        }
        phase.counted += u64::from(window.instructions);
        phase.reads += window.reads;
        phase.writes += window.writes;
        let order = self.number / u64::from(self.plan.one_in);
        if !order.is_multiple_of(self.kept_in) {
            return;
        }
        self.events += window.events.len();
        phase.windows.push(window);
        if self.events > EVENTS_MAX {
            self.thin();
        }
    }

    /// Every other window goes.
    fn thin(&mut self) {
        self.kept_in *= 2;
        self.events = 0;
        for phase in &mut self.phases {
            let mut number = 0;
            phase.windows.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            let lengths = phase.windows.iter().map(|window| window.events.len());
            self.events += lengths.sum::<usize>();
        }
    }

    /// The event of this window that a value was loaded by.
    fn event_of(&self, loaded: u64) -> Option<u32> {
        (loaded >> 32 == self.number & 0xffff_ffff && loaded as u32 > 0).then(|| loaded as u32 - 1)
    }

    fn value_of(&self, event: u32) -> u64 {
        (self.number << 32) | (u64::from(event) + 1)
    }

    fn access(&mut self, operation: Operation, address: u64, bytes: u64, from: u64) -> u64 {
        self.tick(bytes.div_ceil(LINE_BYTES).max(1));
        if self.mode == FollowMode::Skip {
            return 0;
        }
        self.filter.access(operation, address, bytes);
        if self.mode == FollowMode::Warm {
            while self.filter.request().is_some() {}
            return 0;
        }
        let mut loaded = from;
        let mut has_missed = false;
        while let Some((request, address)) = self.filter.request() {
            match request {
                Operation::Write => self.window.writes += 1,
                Operation::Read => {
                    has_missed = true;
                    loaded = self.miss(operation, address / LINE_BYTES, from);
                }
            }
        }
        if !has_missed && let Some(event) = self.streams.event(address / LINE_BYTES, self.number) {
            // The line may still be on its way.
            loaded = loaded.max(self.value_of(event));
        }
        loaded
    }

    fn miss(&mut self, operation: Operation, line: u64, from: u64) -> u64 {
        let number = self.window.events.len() as u32;
        self.window.reads += 1;
        let found = self
            .streams
            .note(line, number, self.number, self.prefetch_lines);
        let Some(phase) = self.phases.last_mut() else {
            return 0;
        };
        phase.local += u64::from(found.follows);
        phase.prefetched += u64::from(found.trigger.is_some());
        let kind = match (found.trigger, operation) {
            (Some(trigger), _) => LineEventKind::Prefetched { trigger },
            (None, Operation::Read) => LineEventKind::Load,
            (None, Operation::Write) => LineEventKind::Store,
        };
        let after = self.event_of(from);
        let at = self.at;
        self.window.events.push(LineEvent { at, kind, after });
        self.value_of(number)
    }
}

impl AccessTracer for KernelFollower {
    type Loaded = u64;

    fn phase(&mut self, name: &'static str) {
        self.end_window();
        self.until = BREATH.min(self.plan.window);
        self.number += 1;
        self.mode = self.plan.mode(self.number);
        self.phases.push(FollowedPhase::new(name));
    }

    #[inline]
    fn read(&mut self, address: u64, bytes: u64, from: u64) -> u64 {
        self.access(Operation::Read, address, bytes, from)
    }

    #[inline]
    fn write(&mut self, address: u64, bytes: u64, from: u64) {
        self.access(Operation::Write, address, bytes, from);
    }

    #[inline]
    fn compute(&mut self, instructions: u64) {
        self.tick(instructions);
    }

    #[inline]
    fn branch(&mut self, site: u32, taken: bool, on: u64) {
        self.tick(1);
        if self.mode == FollowMode::Skip {
            return;
        }
        let is_wrong = !self.predictor.foretells(site, taken);
        if is_wrong && self.mode == FollowMode::Count {
            self.window.events.push(LineEvent {
                at: self.at,
                kind: LineEventKind::Mispredicted,
                after: self.event_of(on),
            });
        }
    }

    #[inline]
    fn both(&self, one: u64, other: u64) -> u64 {
        one.max(other)
    }
}
