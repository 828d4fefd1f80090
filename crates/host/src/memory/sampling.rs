//! Timing batch after batch until the median is known well enough, or the time is used up.

use std::sync::atomic::Ordering;
use std::time::Duration;

use wordline_memory::Clock;

use super::driver::{self, SharedStop};
use super::estimate::{
    self, EstimateError, LatencyEstimate, TimedBatch, TimerCost, loads_per_batch,
};
use super::ledger::{Ledger, LedgerReading};
use super::timer::{TimerError, timer_cost};
use crate::WallClock;

/// How wide the 95 % interval of a median may stay, relative to it.
const WIDE: f64 = 0.01;

/// Batches below which no interval counts, however narrow: so many that the estimator does not call them few when a fifth was
/// interrupted.
const BATCHES_MIN: usize = 1280;

/// Batches that are timed even when the time is used up: fewer make no estimate.
const BATCHES_LEAST: usize = 64;

/// Loads of a batch, at least, where the batch is short for want of loads.
const LOADS_LEAST: u64 = 16;

/// Loads that show about how long one takes.
const TRIAL: u32 = 64;

/// A point is measured for so long at least, so that the accounts of the system show something of it.
const LEAST: Duration = Duration::from_millis(20);

/// A clock with what it costs to read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeasuredClock {
    pub(super) clock: WallClock,
    pub(super) cost: TimerCost,
}

impl MeasuredClock {
    pub(super) fn start() -> Result<Self, TimerError> {
        let clock = WallClock::start();
        let cost = timer_cost(&clock)?;
        Ok(Self { clock, cost })
    }
}

/// How long to sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplingPlan {
    /// Loads of a batch; `None` for as many as the clock needs.
    pub(super) loads: Option<u32>,
    /// Loads in all, at most.
    pub(super) loads_most: u64,
    /// How wide the interval of the median may stay, relative to it; `None` to take all loads, whatever it is.
    pub(super) wide: Option<f64>,
    /// Time, at least, even when there are loads enough.
    pub(super) least: Duration,
    /// Time, at most.
    pub(super) share: Duration,
}

impl SamplingPlan {
    /// Until the median is known well, without a limit of time.
    pub(super) const fn at_most(loads_most: u64) -> Self {
        Self {
            loads: None,
            loads_most,
            wide: Some(WIDE),
            least: Duration::ZERO,
            share: Duration::MAX,
        }
    }
}

/// What was timed, and what it says.
#[derive(Clone, Debug)]
pub struct SampledLatency {
    /// Median with its interval and grade, or why there is none.
    pub estimate: Result<LatencyEstimate, EstimateError>,
    /// What others did meanwhile.
    pub ledger: LedgerReading,
    /// Batches in the order of time.
    pub batches: Vec<TimedBatch>,
    /// Whether the time ended before the interval was narrow.
    pub is_cut: bool,
}

impl SampledLatency {
    /// Batches without those that were interrupted, which are the slowest, in the order of time.
    #[must_use]
    pub fn kept(&self) -> Vec<TimedBatch> {
        let hit = self.estimate.as_ref().map_or(0.0, |found| found.hit_share);
        let hit = (hit * self.batches.len() as f64).round() as usize;
        let mut kept = self.batches.clone();
        kept.sort_by_key(|batch| batch.duration_ps / u64::from(batch.loads.max(1)));
        kept.truncate(kept.len() - hit);
        kept.sort_by_key(|batch| batch.at_ps);
        kept
    }

    /// What several probes timed side by side, as if it were one.
    pub(super) fn merged(mut probes: Vec<Self>, cost: &TimerCost) -> Self {
        let others = probes.split_off(1.min(probes.len()));
        let Some(mut all) = probes.pop() else {
            unreachable!("there is a probe");
        };
        if others.is_empty() {
            return all;
        }
        let mut ledgers = vec![all.ledger];
        for other in others {
            all.batches.extend(other.batches);
            all.is_cut |= other.is_cut;
            ledgers.push(other.ledger);
        }
        all.ledger = driver::joined(&ledgers);
        all.batches.sort_by_key(|batch| batch.at_ps);
        all.estimate = estimate::latency(&all.batches, cost, &all.ledger);
        all
    }
}

/// Times batches of `load`, which does so many loads.
pub(super) fn sample(
    clock: &MeasuredClock,
    plan: &SamplingPlan,
    stop: &SharedStop,
    load: &mut dyn FnMut(u32),
) -> SampledLatency {
    let MeasuredClock { clock, cost } = clock;
    let loads = plan.loads.unwrap_or_else(|| {
        let trials = (0..3).map(|_| batch(clock, TRIAL, load).duration_ps);
        let net_ps = trials.min().unwrap_or(0) as f64 - cost.cost_ps;
        let wanted = loads_per_batch(net_ps / f64::from(TRIAL), cost);
        // Shorter batches rather than few of them.
        let fits = plan.loads_most / BATCHES_MIN as u64;
        u64::from(wanted).min(fits).max(LOADS_LEAST) as u32
    });
    let most = (plan.loads_most / u64::from(loads)).max(BATCHES_LEAST as u64) as usize;
    // Written once, so that no page of it is mapped while loads are timed.
    let mut batches = vec![TimedBatch::default(); most.min(1 << 16) + BATCHES_LEAST];
    batches.clear();
    let ledger = Ledger::begin();
    let begin = clock.now_ps();
    let elapsed = || Duration::from_nanos((clock.now_ps() - begin) / 1000);
    let mut look = BATCHES_MIN;
    let is_cut = loop {
        for _ in 0..BATCHES_LEAST {
            batches.push(batch(clock, loads, load));
        }
        if batches.len() >= most && elapsed() >= plan.least {
            break false;
        }
        if stop.load(Ordering::Relaxed) || elapsed() >= plan.share {
            break true;
        }
        if let Some(wide) = plan.wide
            && batches.len() >= look
            && elapsed() >= LEAST
        {
            // Each look costs a sort, so that there are only so many.
            look = batches.len() * 3 / 2;
            let narrow =
                |found: LatencyEstimate| found.high_ps - found.low_ps <= wide * found.median_ps;
            let found = estimate::latency(&batches, cost, &ledger.end());
            if found.is_ok_and(narrow) {
                break false;
            }
        }
    };
    let ledger = ledger.end();
    SampledLatency {
        estimate: estimate::latency(&batches, cost, &ledger),
        ledger,
        batches,
        is_cut,
    }
}

fn batch(clock: &WallClock, loads: u32, load: &mut dyn FnMut(u32)) -> TimedBatch {
    let at_ps = clock.now_ps();
    load(loads);
    TimedBatch {
        at_ps,
        duration_ps: clock.now_ps() - at_ps,
        loads,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn sampled(plan: &SamplingPlan, stop: bool) -> (SampledLatency, u64) {
        let mut loads = 0;
        let clock = MeasuredClock::start().expect("a clock that moves");
        let found = sample(&clock, plan, &AtomicBool::new(stop), &mut |count| {
            loads += u64::from(count);
            for at in 0..count {
                std::hint::black_box(at);
            }
        });
        (found, loads)
    }

    const PLAN: SamplingPlan = SamplingPlan {
        loads: Some(16),
        loads_most: 16_384,
        wide: Some(0.01),
        least: Duration::ZERO,
        share: Duration::from_secs(60),
    };

    #[test]
    fn loads_are_counted_and_end() {
        let (found, loads) = sampled(&PLAN, false);
        let counted: u64 = found
            .batches
            .iter()
            .map(|batch| u64::from(batch.loads))
            .sum();
        assert_eq!(counted, loads);
        assert!(loads <= PLAN.loads_most, "{loads}");
        let in_order = found.batches.windows(2);
        assert!(
            in_order
                .into_iter()
                .all(|pair| pair[0].at_ps <= pair[1].at_ps)
        );
    }

    #[test]
    fn who_stops_keeps_a_few_batches_and_is_cut() {
        let (found, _) = sampled(&PLAN, true);
        assert_eq!((found.batches.len(), found.is_cut), (BATCHES_LEAST, true));
        let none = SamplingPlan {
            share: Duration::ZERO,
            ..PLAN
        };
        assert!(sampled(&none, false).0.is_cut);
    }

    #[test]
    fn batches_are_equally_long_and_have_16_loads_at_least() {
        let plan = SamplingPlan {
            loads: None,
            ..PLAN
        };
        let (found, _) = sampled(&plan, false);
        let first = found.batches[0].loads;
        assert!(first >= 16);
        assert!(found.batches.iter().all(|batch| batch.loads == first));
    }

    #[test]
    fn interrupted_batches_are_the_slowest() {
        let batch = |index: u64| TimedBatch {
            at_ps: index * 10_000_000_000,
            // Every hundredth loses 3 ms.
            duration_ps: 1_000_000
                + index % 7 * 1_000
                + if index % 100 == 50 { 3_000_000_000 } else { 0 },
            loads: 16,
        };
        let batches: Vec<TimedBatch> = (0..1000).map(batch).collect();
        let ledger = LedgerReading {
            elapsed_s: 10.0,
            processor_s: 9.97,
            ..LedgerReading::default()
        };
        let sampled = SampledLatency {
            estimate: estimate::latency(&batches, &TimerCost::default(), &ledger),
            ledger,
            batches,
            is_cut: false,
        };
        let kept = sampled.kept();
        assert_eq!(kept.len(), 990);
        assert!(kept.iter().all(|batch| batch.duration_ps < 1_100_000));
    }
}
