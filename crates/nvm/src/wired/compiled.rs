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
    ///
    /// It is also asked while operations are counted and not folded. What it looks at beside instants and the account of
    /// energy has to change with the operation itself, and an instant that is earlier than the true one may not make a
    /// chip less steady.
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
struct CostKey {
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
    leaves: LeftState,
}

/// What an operation leaves to the one behind it.
#[derive(Clone, Copy, Debug, Default)]
struct LeftState {
    /// Whether the same operation has the same key then.
    repeats: bool,
    /// Whether the host drove the data lines last.
    wrote: bool,
    /// How long the chip recovers.
    lag: Time,
}

impl CostVector {
    /// What a single operation consists of.
    pub(super) const fn cost(&self) -> &AccessCost {
        &self.cost
    }

    /// Whether the marks that another one moves are those that this one moves.
    fn moves_alike(&self, other: &Self) -> bool {
        let pairs = self.marks.iter().zip(&other.marks);
        pairs
            .into_iter()
            .all(|(one, two)| one.is_some() == two.is_some())
    }
}

/// Operations of several keys that are counted before they are folded, at most: software reads tags and data in turn.
const RUNS: usize = 8;

/// Operations that were done one behind the other, and that are not folded yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PendingCosts {
    /// Places of their vectors, and how often each was done. All move the same marks.
    runs: [PendingRun; RUNS],
    used: usize,
    /// The run of the last one.
    last: usize,
    /// When the first began, and the last ended.
    from: Time,
    now: Time,
    /// Of the last one, as of its vector.
    key: CostKey,
    duration: Time,
    reach: Time,
    leaves: LeftState,
}

#[derive(Clone, Copy, Debug, Default)]
struct PendingRun {
    place: usize,
    times: u64,
}

impl PendingCosts {
    /// Whether there are any.
    #[inline(always)]
    pub(super) const fn is_some(&self) -> bool {
        self.used > 0
    }

    fn runs(&self) -> &[PendingRun] {
        &self.runs[..self.used]
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

impl Default for CostKey {
    /// Of nothing.
    fn default() -> Self {
        Self {
            action: Action::Read,
            phase: 0,
            setting: 0,
            wrote: false,
            bytes: 0,
            lag: Time::ZERO,
            setup: Time::ZERO,
        }
    }
}

impl CompiledCosts {
    /// The vector of a key, and its place.
    #[inline(always)]
    fn find(&self, key: &CostKey) -> Option<(usize, &CostVector)> {
        let place = Self::place(key);
        let found = self.at(place).filter(|vector| vector.key == *key);
        found.map(|vector| (place, vector))
    }

    #[inline(always)]
    fn at(&self, place: usize) -> Option<&CostVector> {
        self.vectors.get(place)?.as_deref()
    }

    /// Lets a chip have done what is counted.
    fn add_to<C: SteadyChip>(&self, chip: &mut C, pending: &PendingCosts) {
        let Some(last) = self.last_of(pending) else {
            return;
        };
        let courses = pending.runs().iter().map(|run| match self.at(run.place) {
            Some(vector) => (&vector.course, run.times, vector.duration),
            None => unreachable!("vectors are kept only while nothing is counted"),
        });
        let begun = Time::from_ps(pending.now.ps() - last.duration.ps());
        let tail = last.duration.since(last.course.accounted());
        let meter = chip.meter_mut();
        meter.book_courses(pending.from, courses, (&last.course, begun, tail));
        let mut marks = chip.marks();
        for (mark, moved) in marks.iter_mut().zip(last.marks) {
            if let Some(moved) = moved {
                *mark = begun.plus(moved);
            }
        }
        chip.set_marks(marks);
    }

    /// The vector of the operation that was counted last.
    fn last_of(&self, pending: &PendingCosts) -> Option<&CostVector> {
        self.at(pending.runs().get(pending.last)?.place)
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

/// Operations that were compiled, and can be added.
#[derive(Clone, Copy, Debug)]
pub(super) struct SteadyRepeats {
    place: usize,
    pub(super) times: u64,
    /// How long each takes.
    pub(super) each: Time,
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
    ///
    /// What is counted is folded where something came in between, or where the chip is not steady. Otherwise the chip's
    /// instants are those of before the counted operations. Its steadiness is true nevertheless: a vector is kept only of a
    /// chip that was steady at its end, and [`SteadyChip::is_steady`] promises the rest. What the last operation leaves is
    /// known of its vector.
    #[inline(always)]
    pub(super) fn steady_start(
        &mut self,
        action: Action,
        at: u64,
        bytes: usize,
    ) -> Option<SteadyStart> {
        let now = self.clock.now();
        if self.pending.is_some() && self.pending.now != now {
            self.fold();
        }
        let is_plain = !self.costs.is_off && self.mapped.is_none() && self.left.is_none();
        if !is_plain || bytes == 0 || !self.chip.is_steady(now) {
            self.fold();
            return None;
        }
        let (wrote, lag) = match self.pending.is_some() {
            true => (self.pending.leaves.wrote, self.pending.leaves.lag),
            false => (self.wrote, self.chip.ready().since(now)),
        };
        let key = CostKey {
            action,
            phase: self.phase_of(at),
            setting: self.chip.setting(),
            wrote: wrote && self.link.turnaround > Time::ZERO,
            bytes: bytes as u64,
            lag,
            setup: self.driver.dma_setup,
        };
        Some(SteadyStart { key, now })
    }

    /// How often the operation can be added, up to `most` times in a row; `None` where it has yet to be compiled, or
    /// simulated time ends first.
    #[inline(always)]
    pub(super) fn steady_repeats(&self, start: &SteadyStart, most: u64) -> Option<SteadyRepeats> {
        let (place, vector) = self.costs.find(&start.key)?;
        let times = if vector.leaves.repeats {
            most
        } else {
            most.min(1)
        };
        let before = vector.duration.ps().checked_mul(times.saturating_sub(1))?;
        let reach = vector.reach.ps().checked_add(before)?;
        start.now.checked_plus(Time::from_ps(reach))?;
        Some(SteadyRepeats {
            place,
            times,
            each: vector.duration,
        })
    }

    /// Counts an operation, as often as [`steady_repeats`](Self::steady_repeats) said that it can be, and lets its time
    /// pass. What else it moves is added by [`fold`](Self::fold).
    #[inline(always)]
    pub(super) fn add_costs(&mut self, start: &SteadyStart, repeats: &SteadyRepeats) {
        let &SteadyRepeats { place, times, each } = repeats;
        let run = self.run_of(place);
        let Some(vector) = self.costs.at(place) else {
            unreachable!("it was found there, and vectors are kept only while nothing is counted");
        };
        let pending = &mut self.pending;
        if run == pending.used {
            pending.runs[run] = PendingRun { place, times: 0 };
            pending.used += 1;
            if run == 0 {
                pending.from = start.now;
            }
        }
        pending.runs[run].times += times;
        pending.last = run;
        pending.key = start.key;
        pending.now = start.now.plus(Time::from_ps(each.ps() * times));
        pending.duration = each;
        pending.reach = vector.reach;
        pending.leaves = vector.leaves;
        self.clock.advance_to(pending.now);
    }

    /// The run that counts a vector, or the one to be begun for it, which may need a place.
    #[inline(always)]
    fn run_of(&mut self, place: usize) -> usize {
        let known = self
            .pending
            .runs()
            .iter()
            .position(|run| run.place == place);
        if let Some(run) = known {
            return run;
        }
        let used = self.pending.used;
        if used == RUNS || used > 0 && !self.moves_as_counted(place) {
            self.fold();
        }
        self.pending.used
    }

    /// Whether the vector at a place moves the marks that those move which are counted.
    fn moves_as_counted(&self, place: usize) -> bool {
        match (self.costs.at(place), self.costs.last_of(&self.pending)) {
            (Some(vector), Some(last)) => vector.moves_alike(last),
            _ => false,
        }
    }

    /// How often an operation that begins now is one more of the last one that was counted, `most` times in a row, and how
    /// long each takes: the common case, which looks at nothing else.
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
            used,
            duration,
            reach,
            leaves,
            ..
        } = &self.pending;
        let same = key.action == action && key.bytes == bytes as u64;
        let same = same && key.phase == self.phase_of(at) && key.setup == self.driver.dma_setup;
        if *used == 0 || !leaves.repeats || !same || self.clock.now() != *now {
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
        self.pending.runs[self.pending.last].times += again.times;
        self.pending.now = again.end;
        self.clock.advance_to(again.end);
    }

    /// Adds to chip and accounts what the operations that were counted move. Every access that runs through the model
    /// [begins](Self::begin) so, as does what changes the chip otherwise.
    #[inline(never)]
    pub(super) fn fold(&mut self) {
        if let Some(last) = self.costs.last_of(&self.pending) {
            self.last = last.cost;
            self.wrote = last.leaves.wrote;
            self.costs.add_to(&mut self.chip, &self.pending);
        }
        self.pending.used = 0;
    }

    /// The vector of the operation that was counted last, and is not folded.
    pub(super) fn counted(&self) -> Option<&CostVector> {
        self.costs.last_of(&self.pending)
    }

    /// The chip as it is once everything is folded.
    pub(super) fn folded_chip(&self) -> Option<C> {
        self.counted()?;
        let mut chip = self.chip.clone();
        self.costs.add_to(&mut chip, &self.pending);
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
        self.fold();
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
            let lag = self.chip.ready().since(end);
            let next = CostKey {
                wrote: self.wrote && self.link.turnaround > Time::ZERO,
                lag,
                ..key
            };
            let vector = CostVector {
                key,
                duration,
                cost: self.last,
                course,
                marks: all,
                reach: latest,
                leaves: LeftState {
                    repeats: next == key,
                    wrote: self.wrote,
                    lag,
                },
            };
            self.costs.keep(vector);
        }
        Ok(done)
    }
}
