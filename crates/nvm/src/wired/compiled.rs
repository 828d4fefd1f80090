//! Costs of operations that are constants, compiled once and added from then on.
//!
//! Where nothing is drawn and nothing ages, what an operation costs follows from its action and its length, and from how
//! long the chip still recovers when it begins. Such an operation runs through the model once; what that moved is kept
//! as a vector of times, and added to the accounts whenever the same comes again. Bytes, wear and the rules of
//! programming are never skipped. The model itself is the reference: `compile_costs` of a memory switches this off, and
//! tests hold one against the other.

use std::sync::Arc;

use wordline_core::quantity::Time;

use super::{Chip, Wired};
use crate::bus::Action;
use crate::cost::AccessCost;
use crate::device::Accounts as _;
use crate::error::NvmError;
use crate::power::{MeterCourse, PowerMeter};

/// Instants of a chip that operations move, at most.
pub(crate) const MARKS: usize = 4;

/// Vectors that are kept: a direct-mapped table, because software uses a few lengths.
const VECTORS: usize = 16;

/// A chip whose operations can be compiled.
pub trait SteadyChip: Chip {
    /// Whether an operation that begins at an instant costs a constant: the chip is idle and awake by then, keeps every
    /// rule, and does not age.
    fn is_steady(&self, now: Time) -> bool;

    /// Whether the time of an action is the same each time.
    fn is_constant(&self, action: Action) -> bool;

    /// A setting that costs depend on.
    fn setting(&self) -> u8 {
        0
    }

    /// The account of energy.
    fn meter_mut(&mut self) -> &mut PowerMeter;

    /// The instants that operations move.
    fn marks(&self) -> [Time; MARKS];

    /// Moves them.
    fn set_marks(&mut self, marks: [Time; MARKS]);
}

/// What a compiled cost depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CostKey {
    action: Action,
    /// Place in a word of the bus, which a parallel bus moves whole.
    phase: u8,
    setting: u8,
    wrote: bool,
    bytes: u64,
    /// How long the chip recovers from what came before.
    lag: Time,
    /// Work of the host for a transfer.
    setup: Time,
}

/// What an operation moves, in times after the instant at which it begins.
#[derive(Clone, Copy, Debug)]
struct CostVector {
    key: CostKey,
    duration: Time,
    cost: AccessCost,
    course: MeterCourse,
    /// Those that it moves.
    marks: [Option<Time>; MARKS],
    /// The latest of all these.
    reach: Time,
    /// Whether the same operation after it has the same key.
    repeats: bool,
    wrote: bool,
}

/// The costs that were compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct CompiledCosts {
    is_off: bool,
    /// Shared with forks, until one of them compiles another.
    vectors: Arc<Vec<Option<CostVector>>>,
}

impl CompiledCosts {
    #[inline(always)]
    fn find(&self, key: &CostKey) -> Option<&CostVector> {
        let found = self.vectors.get(Self::place(key))?.as_ref();
        found.filter(|vector| vector.key == *key)
    }

    #[cold]
    fn keep(&mut self, vector: CostVector) {
        let vectors = Arc::make_mut(&mut self.vectors);
        vectors.resize(VECTORS, None);
        vectors[Self::place(&vector.key)] = Some(vector);
    }

    /// Lengths are mostly powers of two: their exponents and their low bits tell them apart.
    #[inline(always)]
    const fn place(key: &CostKey) -> usize {
        let mixed = key.bytes ^ key.bytes >> 4 ^ key.bytes >> 8 ^ key.lag.ps() >> 8;
        (mixed ^ key.action as u64 * 5) as usize % VECTORS
    }
}

/// An operation whose cost may be compiled, and when it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct SteadyStart {
    key: CostKey,
    now: Time,
}

impl<C: SteadyChip> Wired<C> {
    /// Lets costs be compiled, which is so from the start, or runs everything through the model. Either gives the same
    /// bytes, times, energies and wear.
    pub(crate) fn use_compiled_costs(&mut self, on: bool) {
        self.costs = CompiledCosts {
            is_off: !on,
            ..CompiledCosts::default()
        };
    }

    /// The operation that begins now; `None` where its cost is no constant.
    #[inline(always)]
    pub(super) fn steady_start(
        &self,
        action: Action,
        at: u64,
        bytes: usize,
    ) -> Option<SteadyStart> {
        let now = self.clock.now();
        let is_plain = !self.costs.is_off && self.mapped.is_none() && self.left.is_none();
        if !is_plain || bytes == 0 || !self.chip.is_steady(now) {
            return None;
        }
        let key = CostKey {
            action,
            phase: (at % 8) as u8,
            setting: self.chip.setting(),
            wrote: self.wrote && self.link.turnaround > Time::ZERO,
            bytes: bytes as u64,
            lag: self.chip.ready().since(now),
            setup: self.driver.dma_setup,
        };
        Some(SteadyStart { key, now })
    }

    /// How often the operation can be added, `most` times in a row, and how long each takes; `None` where it has yet to be
    /// compiled, or simulated time ends first.
    #[inline(always)]
    pub(super) fn steady_repeats(&self, start: &SteadyStart, most: u64) -> Option<(u64, Time)> {
        let vector = self.costs.find(&start.key)?;
        let times = if vector.repeats { most } else { most.min(1) };
        let before = vector.duration.ps().checked_mul(times.saturating_sub(1))?;
        let reach = vector.reach.ps().checked_add(before)?;
        start.now.checked_plus(Time::from_ps(reach))?;
        Some((times, vector.duration))
    }

    /// Adds the costs of an operation, as often as [`steady_repeats`](Self::steady_repeats) said that it can be.
    #[inline(always)]
    pub(super) fn add_costs(&mut self, start: &SteadyStart, times: u64) {
        let Some(vector) = self.costs.find(&start.key) else {
            return;
        };
        let before = Time::from_ps(vector.duration.ps() * times.saturating_sub(1));
        let last = start.now.plus(before);
        let meter = self.chip.meter_mut();
        meter.repeat(&vector.course, start.now, times, vector.duration);
        let mut marks = self.chip.marks();
        for (mark, moved) in marks.iter_mut().zip(vector.marks) {
            if let Some(moved) = moved {
                *mark = last.plus(moved);
            }
        }
        self.chip.set_marks(marks);
        self.last = vector.cost;
        self.wrote = vector.wrote;
        self.clock.advance_to(last.plus(vector.duration));
    }

    /// Runs an operation through the model, and compiles what it costs. An operation that fails is not compiled.
    #[inline(never)]
    pub(super) fn compile<T>(
        &mut self,
        start: &SteadyStart,
        run: impl FnOnce(&mut Self) -> Result<T, NvmError>,
    ) -> Result<T, NvmError> {
        let SteadyStart { key, now } = *start;
        if !self.chip.is_constant(key.action) {
            return run(self);
        }
        let (before, marks) = (self.chip.meter_mut().booked_by(now), self.chip.marks());
        let done = run(self)?;
        let end = self.clock.now();
        if end > now
            && self.chip.is_steady(end)
            && let Some(course) = self.chip.meter_mut().course_since(&before, now)
        {
            let moved = |(mark, old): (Time, Time)| (mark != old).then(|| mark.since(now));
            let mut all = [None; MARKS];
            for (slot, pair) in all.iter_mut().zip(self.chip.marks().into_iter().zip(marks)) {
                *slot = moved(pair);
            }
            let duration = end.since(now);
            let latest = all.into_iter().flatten().fold(duration, Time::later);
            let next = CostKey {
                wrote: self.wrote && self.link.turnaround > Time::ZERO,
                lag: self.chip.ready().since(end),
                ..key
            };
            let vector = CostVector {
                key,
                duration,
                cost: *self.last_cost(),
                course,
                marks: all,
                reach: latest,
                repeats: next == key,
                wrote: self.wrote,
            };
            self.costs.keep(vector);
        }
        Ok(done)
    }
}
