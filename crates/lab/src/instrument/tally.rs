//! What the operations of one kind add up to.

use std::borrow::Cow;

use wordline_core::LatencyHistogram;
use wordline_core::quantity::{Quantity, Time};
use wordline_nvm::{AccessCost, Cause, HostPower, Wear};

use super::medium::Instrumented;
use super::meter::Activity;
use super::reading::{AccountsReading, PeriodUsage};

/// Where the time of a processor goes, as the column `cause` spells it.
pub(crate) const PROCESSOR_CAUSES: [&str; 7] = [
    "cpu_call",
    "cpu_access",
    "cpu_hash",
    "cpu_check",
    "cpu_compare",
    "cpu_copy",
    "cpu_miss",
];

/// Time of a processor, by cause.
pub(crate) type ProcessorTime = [Time; PROCESSOR_CAUSES.len()];

/// One operation, as it was measured.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OperationSample {
    /// From its start to its end, the processor's time included.
    pub(crate) duration: Time,
    /// Bytes that the caller moved.
    pub(crate) bytes: u64,
    pub(crate) activity: Activity,
    /// `None` where the processor's time is not known.
    pub(crate) processor: Option<ProcessorTime>,
    /// The least that the memory has to move for it, in bytes.
    pub(crate) floor_bytes: u64,
}

impl OperationSample {
    /// An access of some bytes whose time consisted of a cost.
    pub(crate) fn of_cost(bytes: u64, cost: &AccessCost) -> Self {
        Self {
            duration: cost.total(),
            bytes,
            activity: Activity::of_cost(cost),
            ..Self::default()
        }
    }

    /// The same with what came right after it.
    pub(crate) fn then(mut self, next: &Self) -> Self {
        self.duration = self.duration.plus(next.duration);
        self.bytes += next.bytes;
        self.activity.add_all(&next.activity);
        add_processor(&mut self.processor, next.processor.as_ref());
        self.floor_bytes += next.floor_bytes;
        self
    }
}

fn add_processor(sum: &mut Option<ProcessorTime>, more: Option<&ProcessorTime>) {
    if let Some(more) = more {
        let sums = sum.get_or_insert([Time::ZERO; PROCESSOR_CAUSES.len()]);
        for (sum, time) in sums.iter_mut().zip(more) {
            *sum = sum.plus(*time);
        }
    }
}

/// Endurance cycles of single units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitWear {
    /// Not reported.
    Off,
    /// Of memories of limited endurance; the mean is over the units that took any.
    Touched,
    /// Of every memory; the mean is over all units.
    Whole,
}

/// Cycles that units took in a stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnitCycles {
    /// Of the unit with the most.
    pub(crate) most: u64,
    /// 0 where no unit took any.
    pub(crate) mean: f64,
}

impl UnitCycles {
    fn between(before: &[u64], after: &[u64], scope: UnitWear) -> Self {
        let taken = before.iter().zip(after);
        let taken = taken.map(|(before, after)| after.saturating_sub(*before));
        let (most, sum, units) = taken.fold((0, 0, 0), |(most, sum, units), cycles| {
            let counts = cycles > 0 || scope == UnitWear::Whole;
            (cycles.max(most), sum + cycles, units + u64::from(counts))
        });
        Self {
            most,
            mean: sum as f64 / units.max(1) as f64,
        }
    }
}

/// Whole passes of a run over its part of the memory. A pass that the run did not finish says nothing of the wear if it
/// went on and on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WholePasses {
    pub(crate) elapsed: Time,
    /// Wear at their end.
    pub(crate) wear: Wear,
    /// Cycles that the most worn unit took in them, in the long run.
    pub(crate) cycles: f64,
}

/// What is known at the end.
#[derive(Clone, Debug)]
pub(crate) struct TallyEnd {
    pub(crate) usage: PeriodUsage,
    /// Wear since the memory was made.
    pub(crate) wear: Option<Wear>,
    /// What the host draws, where its board states it.
    pub(crate) host: Option<HostPower>,
    /// Energy of the host in joules while it drives the memory; `None` where its board does not state it.
    pub(crate) host_j: Option<f64>,
    /// `None` where single units are not counted.
    pub(crate) cycles: Option<UnitCycles>,
}

/// Mean duration of work that a memory does in the background, and mean delay by the accesses that came meanwhile, in
/// seconds; `None` where no piece of work ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BackgroundMeans {
    pub(crate) duration_s: Option<f64>,
    pub(crate) delay_s: Option<f64>,
}

/// Latencies, bytes and causes of operations of one kind.
#[derive(Clone, Debug)]
pub(crate) struct OperationTally {
    pub(crate) latency: LatencyHistogram,
    /// Bytes that the caller moved.
    pub(crate) bytes: u64,
    /// Whether they were stored.
    pub(crate) stores: bool,
    /// Durations of all operations together.
    pub(crate) busy: Time,
    pub(crate) sum: Activity,
    /// The slowest operation; of equally slow ones the first.
    pub(crate) worst: Activity,
    pub(crate) processor: Option<ProcessorTime>,
    /// The least that the memory has to move for all, in bytes.
    pub(crate) floor_bytes: u64,
    /// Bytes that the memory's bus moves in a cycle; `None` of a bus whose cycles are not words.
    pub(crate) cycle_bytes: Option<u64>,
    /// The causes that accesses of the memory can have.
    pub(crate) causes: Cow<'static, [Cause]>,
    /// Operations that erased something, and the time that they took.
    erasing: (u64, Time),
    begin: AccountsReading,
    scope: UnitWear,
    cycles_before: Option<Vec<u64>>,
    pub(crate) passes: Option<WholePasses>,
    pub(crate) background: Option<BackgroundMeans>,
    /// Set by [`end`](Self::end).
    pub(crate) ended: Option<TallyEnd>,
}

impl OperationTally {
    /// Begins now with operations that store what the caller gives, or do not.
    pub(crate) fn begin(medium: &mut dyn Instrumented, stores: bool, scope: UnitWear) -> Self {
        medium.take_call();
        let begin = medium.reading();
        let limited = |wear: &Wear| wear.endurance != Wear::UNLIMITED && wear.unit_bytes > 0;
        let counts = match scope {
            UnitWear::Off => false,
            UnitWear::Touched => begin.wear.as_ref().is_some_and(limited),
            UnitWear::Whole => true,
        };
        Self {
            latency: LatencyHistogram::new(),
            bytes: 0,
            stores,
            busy: Time::ZERO,
            sum: Activity::default(),
            worst: Activity::default(),
            processor: None,
            floor_bytes: 0,
            cycle_bytes: medium.cycle_bytes(),
            causes: Cow::Borrowed(medium.causes()),
            erasing: (0, Time::ZERO),
            begin,
            scope,
            cycles_before: counts.then(|| medium.cycles()).flatten(),
            passes: None,
            background: None,
            ended: None,
        }
    }

    /// Adds an operation that moved some bytes of the caller's, and what the memory did for it.
    pub(crate) fn call(&mut self, medium: &mut dyn Instrumented, start: Time, bytes: u64) -> Time {
        let duration = medium.now().since(start);
        let activity = medium.take_call();
        debug_assert_eq!(
            duration,
            activity.cost.total(),
            "only the memory takes time"
        );
        self.add(&OperationSample {
            duration,
            bytes,
            activity,
            ..OperationSample::default()
        });
        duration
    }

    /// Adds an operation.
    pub(crate) fn add(&mut self, sample: &OperationSample) {
        let (duration, activity) = (sample.duration, &sample.activity);
        if self.latency.max().is_none_or(|max| duration > max) {
            self.worst = *activity;
        }
        self.latency.record(duration);
        if activity.cost.of(Cause::Erase) > Time::ZERO {
            let (count, time) = self.erasing;
            self.erasing = (count + 1, time.plus(duration));
        }
        self.busy = self.busy.plus(duration);
        self.sum.add_all(activity);
        self.bytes += sample.bytes;
        self.floor_bytes += sample.floor_bytes;
        add_processor(&mut self.processor, sample.processor.as_ref());
    }

    /// Ends now.
    pub(crate) fn end(&mut self, medium: &dyn Instrumented) {
        let end = medium.reading();
        let before = self.cycles_before.take();
        self.ended = Some(TallyEnd {
            usage: end.since(&self.begin),
            wear: end.wear,
            host: end.host,
            host_j: end.host.map(|host| host.energy_j(self.cost())),
            cycles: before.and_then(|before| {
                Some(UnitCycles::between(&before, &medium.cycles()?, self.scope))
            }),
        });
    }

    /// Adds what another memory used in the same stretch, after both have ended. Wear stays with each memory.
    pub(crate) fn join(&mut self, other: &Self) {
        if let (Some(ended), Some(more)) = (&mut self.ended, &other.ended) {
            let sum = |own: Option<f64>, more: Option<f64>| Some(own? + more?);
            ended.usage.energy_j = sum(ended.usage.energy_j, more.usage.energy_j);
            ended.host_j = sum(ended.host_j, more.host_j);
            (ended.wear, ended.cycles) = (None, None);
        }
        let causes = other.causes.iter();
        let causes = causes.filter(|cause| !self.causes.contains(cause));
        let causes: Vec<_> = causes.copied().collect();
        self.causes.to_mut().extend(causes);
    }

    /// Notes that the last operation completed a pass. Where writes land anywhere they wear evenly in the long run,
    /// however uneven a short one looks: over all units of so many bytes.
    pub(crate) fn mark_whole_passes(&mut self, medium: &dyn Instrumented, evenly: Option<u64>) {
        let now = medium.reading();
        let Some(wear) = now.wear else { return };
        let usage = now.since(&self.begin);
        self.passes = Some(WholePasses {
            elapsed: usage.elapsed,
            wear,
            cycles: match evenly {
                None => usage.cycles_most as f64,
                Some(bytes) => usage.cycles / bytes.div_ceil(wear.unit_bytes.max(1)) as f64,
            },
        });
    }

    pub(crate) fn count(&self) -> u64 {
        self.latency.count()
    }

    /// What all operations together consisted of.
    pub(crate) const fn cost(&self) -> &AccessCost {
        &self.sum.cost
    }

    /// Whether cycles of single units are reported.
    pub(crate) fn reports_units(&self) -> bool {
        self.scope != UnitWear::Off
    }

    /// Whether they are of every memory.
    pub(crate) fn reports_whole(&self) -> bool {
        self.scope == UnitWear::Whole
    }

    /// Mean time in seconds of rewriting one place: on flash that of the operations which erase, because each rewrite
    /// has to, elsewhere that of all.
    pub(crate) fn rewrite_s(&self) -> Option<f64> {
        match self.erasing {
            (0, _) => self.latency.mean_s(),
            (count, time) => Some(time.si() / count as f64),
        }
    }

    /// Bytes that the caller stored.
    pub(crate) const fn stored_bytes(&self) -> u64 {
        if self.stores { self.bytes } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use wordline_core::SimClock;

    use super::*;

    /// A memory that took the time of its clock.
    struct Still(SimClock);

    impl Instrumented for Still {
        fn now(&self) -> Time {
            self.0.now()
        }

        fn take_call(&mut self) -> Activity {
            Activity::default()
        }

        fn total(&self) -> Activity {
            Activity::default()
        }

        fn reading(&self) -> AccountsReading {
            AccountsReading::at(self.now())
        }

        fn cycles(&self) -> Option<Vec<u64>> {
            None
        }

        fn causes(&self) -> &'static [Cause] {
            &[]
        }

        fn cycle_bytes(&self) -> Option<u64> {
            None
        }
    }

    #[test]
    fn the_worst_operation_keeps_its_parts() {
        let sample = |driver, data| {
            let mut activity = Activity::default();
            activity.cost.add(Cause::Driver, Time::from_ps(driver));
            activity.cost.add(Cause::BusData, Time::from_ps(data));
            OperationSample {
                duration: activity.cost.total(),
                bytes: 4,
                activity,
                ..OperationSample::default()
            }
        };
        let mut still = Still(SimClock::new());
        let mut tally = OperationTally::begin(&mut still, true, UnitWear::Whole);
        for (driver, data) in [(5, 5), (9, 3), (3, 9), (1, 1)] {
            tally.add(&sample(driver, data));
        }
        assert_eq!(tally.worst, sample(9, 3).activity);
        assert_eq!(tally.busy, Time::from_ps(36));
        assert_eq!((tally.count(), tally.stored_bytes()), (4, 16));
        assert_eq!(tally.passes, None);
        still.0.advance(Time::from_ps(50));
        tally.end(&still);
        let ended = tally.ended.expect("it ended");
        assert_eq!(ended.usage.elapsed, Time::from_ps(50));
        assert_eq!((ended.cycles, ended.usage.energy_j), (None, None));
    }

    #[test]
    fn wear_is_of_the_cycles_taken_in_between() {
        let between = |scope| UnitCycles::between(&[5, 0, 7, 100], &[8, 0, 8, 100], scope);
        assert_eq!(between(UnitWear::Touched).mean, 2.0);
        assert_eq!(between(UnitWear::Whole).mean, 1.0);
        assert_eq!(between(UnitWear::Whole).most, 3);
        let none = UnitCycles::between(&[1], &[1], UnitWear::Touched);
        assert_eq!(none, UnitCycles { most: 0, mean: 0.0 });
    }
}
