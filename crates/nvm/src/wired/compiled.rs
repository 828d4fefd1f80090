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
use crate::error::NvmError;
use crate::power::{MeterCourse, PowerMeter};

/// Instants of a chip that operations move, at most.
pub(crate) const MARKS: usize = 4;

/// Vectors that are kept: a direct-mapped table, because software uses a few lengths. File systems that read to the byte
/// use some sixty.
const VECTORS: usize = 128;

/// A chip whose operations can be compiled.
pub trait SteadyChip: Clone {
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
    /// Place in a word of the bus, which a parallel bus moves whole, or in what a serial command addresses.
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
pub(super) struct CostVector {
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

impl CostVector {
    /// Lets a chip have done the operation so many times in a row, from an instant on.
    fn add_to<C: SteadyChip>(&self, chip: &mut C, from: Time, times: u64) {
        let before = Time::from_ps(self.duration.ps() * times.saturating_sub(1));
        let last = from.plus(before);
        let meter = chip.meter_mut();
        meter.repeat(&self.course, from, times, self.duration);
        let mut marks = chip.marks();
        for (mark, moved) in marks.iter_mut().zip(self.marks) {
            if let Some(moved) = moved {
                *mark = last.plus(moved);
            }
        }
        chip.set_marks(marks);
    }

    /// What a single operation consists of.
    pub(super) const fn cost(&self) -> &AccessCost {
        &self.cost
    }
}

/// Operations of one key that were done one behind the other, and that are not folded yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingCosts {
    key: CostKey,
    /// When the first began, and the last ended.
    from: Time,
    now: Time,
    times: u64,
    duration: Time,
    reach: Time,
}

impl PendingCosts {
    /// Whether there are any.
    #[inline(always)]
    pub(super) const fn is_some(&self) -> bool {
        self.times > 0
    }
}

impl Default for PendingCosts {
    /// None.
    fn default() -> Self {
        Self {
            key: CostKey {
                action: Action::Read,
                phase: 0,
                setting: 0,
                wrote: false,
                bytes: 0,
                lag: Time::ZERO,
                setup: Time::ZERO,
            },
            from: Time::ZERO,
            now: Time::ZERO,
            times: 0,
            duration: Time::ZERO,
            reach: Time::ZERO,
        }
    }
}

/// Operations that are the same as those before them.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgainCosts {
    end: Time,
    pub(super) times: u64,
    pub(super) each: Time,
}

/// The costs that were compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct CompiledCosts {
    is_off: bool,
    /// Shared with forks, until one of them compiles another.
    vectors: Arc<Vec<Option<Arc<CostVector>>>>,
}

impl CompiledCosts {
    #[inline(always)]
    fn find(&self, key: &CostKey) -> Option<&CostVector> {
        let found = self.vectors.get(Self::place(key))?.as_deref();
        found.filter(|vector| vector.key == *key)
    }

    #[cold]
    fn keep(&mut self, vector: CostVector) {
        let vectors = Arc::make_mut(&mut self.vectors);
        vectors.resize(VECTORS, None);
        vectors[Self::place(&vector.key)] = Some(Arc::new(vector));
    }

    /// The high bits of a product depend on every bit of its factors.
    #[inline(always)]
    const fn place(key: &CostKey) -> usize {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let small = key.phase as u64 | (key.action as u64) << 3 | (key.wrote as u64) << 8;
        let mixed = key.bytes ^ small << 48 ^ key.lag.ps() << 20;
        (mixed.wrapping_mul(ODD) >> (64 - VECTORS.ilog2())) as usize
    }
}

/// An operation whose cost may be compiled, and when it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct SteadyStart {
    key: CostKey,
    now: Time,
}

impl<C: Chip> Wired<C> {
    /// Lets costs be compiled, which is so from the start, or runs everything through the model. Either gives the same
    /// bytes, times, energies and wear.
    pub(crate) fn use_compiled_costs(&mut self, on: bool) {
        self.fold();
        self.costs = CompiledCosts {
            is_off: !on,
            ..CompiledCosts::default()
        };
    }

    /// The operation that begins now; `None` where its cost is no constant.
    #[inline(always)]
    pub(super) fn steady_start(
        &mut self,
        action: Action,
        at: u64,
        bytes: usize,
    ) -> Option<SteadyStart> {
        if self.pending.times > 0 {
            self.fold();
        }
        let now = self.clock.now();
        let is_plain = !self.costs.is_off && self.mapped.is_none() && self.left.is_none();
        if !is_plain || bytes == 0 || !self.chip.is_steady(now) {
            return None;
        }
        let key = CostKey {
            action,
            phase: self.phase_of(at),
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

    /// Counts an operation, as often as [`steady_repeats`](Self::steady_repeats) said that it can be, and lets its time
    /// pass. What else it moves is added by [`fold`](Self::fold).
    #[inline(always)]
    pub(super) fn add_costs(&mut self, start: &SteadyStart, times: u64) {
        let Some(vector) = self.costs.find(&start.key) else {
            return;
        };
        self.pending = PendingCosts {
            key: start.key,
            from: start.now,
            now: start.now.plus(Time::from_ps(vector.duration.ps() * times)),
            times,
            duration: vector.duration,
            reach: vector.reach,
        };
        self.clock.advance_to(self.pending.now);
        if !vector.repeats {
            self.fold();
        }
    }

    /// How often an operation that begins now is one more of those that are counted, `most` times in a row, and how long
    /// each takes. It is counted then: the common case, which looks at nothing else.
    #[inline(always)]
    pub(super) fn again(
        &mut self,
        action: Action,
        at: u64,
        bytes: usize,
        most: u64,
    ) -> Option<AgainCosts> {
        let PendingCosts {
            key,
            now,
            times,
            duration,
            reach,
            ..
        } = &self.pending;
        let same = key.action == action && key.bytes == bytes as u64;
        let same = same && key.phase == self.phase_of(at) && key.setup == self.driver.dma_setup;
        if *times == 0 || !same || self.clock.now() != *now {
            return None;
        }
        let all = duration.ps().checked_mul(most)?;
        let end = now.checked_plus(Time::from_ps(all))?;
        end.checked_plus(*reach)?;
        Some(AgainCosts {
            end,
            times: most,
            each: *duration,
        })
    }

    /// Counts what comes [again](Self::again).
    #[inline(always)]
    pub(super) fn count(&mut self, again: &AgainCosts) {
        self.pending.times += again.times;
        self.pending.now = again.end;
        self.clock.advance_to(again.end);
    }

    /// Adds to chip and accounts what the operations that were counted move. Every access that is not one more of them
    /// [begins](Self::begin) so.
    #[inline(never)]
    pub(super) fn fold(&mut self) {
        let times = std::mem::take(&mut self.pending.times);
        let Some(vector) = self.costs.find(&self.pending.key).filter(|_| times > 0) else {
            return;
        };
        vector.add_to(&mut self.chip, self.pending.from, times);
        self.last = vector.cost;
        self.wrote = vector.wrote;
    }

    /// The vector of the operations that were counted and not folded.
    pub(super) fn counted(&self) -> Option<&CostVector> {
        let counts = self.pending.times > 0;
        self.costs.find(&self.pending.key).filter(|_| counts)
    }

    /// The chip as it is once everything is folded.
    pub(super) fn folded_chip(&self) -> Option<C> {
        let vector = self.counted()?;
        let mut chip = self.chip.clone();
        vector.add_to(&mut chip, self.pending.from, self.pending.times);
        Some(chip)
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
                cost: self.last,
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
