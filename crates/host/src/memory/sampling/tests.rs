//! The loop on this machine, and on planted ones.

use std::sync::atomic::AtomicBool;

use super::*;
use crate::memory::estimate::planted::{PlantedLatency, PlantedMachine, PlantedRun, ten_rivals};

fn sampled(plan: &SamplingPlan, stop: bool) -> (SampledLatency, u64) {
    let mut loads = 0;
    let clock = MeasuredClock::start().expect("a clock that moves");
    let found = sample(&clock, plan, &AtomicBool::new(stop), &mut |count: u32| {
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
    partner: None,
};

#[test]
fn loads_are_counted_and_end() {
    let (found, loads) = sampled(&PLAN, false);
    let counted: u64 = found
        .batches
        .iter()
        .map(|batch| u64::from(batch.loads))
        .sum();
    assert!(
        counted <= PLAN.loads_most && counted <= loads,
        "{counted} {loads}"
    );
    let in_order = found.batches.windows(2);
    assert!(
        in_order
            .into_iter()
            .all(|pair| pair[0].at_ps <= pair[1].at_ps)
    );
    // The first pause comes before the first batch, and none lies within a batch.
    assert!(found.pauses[0].end_ps <= found.batches[0].at_ps);
    for pause in &found.pauses {
        let next = found
            .batches
            .partition_point(|batch| batch.at_ps < pause.at_ps);
        let before = next.checked_sub(1).map(|place| found.batches[place]);
        assert!(before.is_none_or(|batch| batch.at_ps + batch.duration_ps <= pause.at_ps));
        let after = found.batches.get(next);
        assert!(after.is_none_or(|batch| pause.end_ps <= batch.at_ps));
    }
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

impl SampleBench for PlantedMachine {
    fn begin(&mut self) {}

    fn now_ps(&self) -> u64 {
        Self::now_ps(self)
    }

    fn load(&mut self, loads: u32) {
        Self::load(self, loads);
    }

    fn rewarm(&mut self) -> bool {
        if self.brings {
            Self::rewarm(self);
        }
        self.brings
    }

    fn refill_loads(&self) -> Option<f64> {
        self.lines()
    }

    fn pause(&mut self) {
        Self::pause(self);
    }

    fn resume(&mut self) {
        Self::resume(self);
    }

    fn reading(&self) -> LedgerReading {
        Self::reading(self)
    }
}

/// What so many planted machines give when the loop decides when to stop.
#[derive(Debug, Default)]
struct StoppedFigures {
    covered: f64,
    /// Greatest and mean median, as a share of the truth.
    most: f64,
    mean: f64,
    batches: f64,
    corrected: f64,
    contended: f64,
    refused: f64,
}

fn stopped(run: PlantedRun, brings: bool, seeds: u64) -> StoppedFigures {
    // `make nightly` runs all of them.
    let all = std::env::var_os("WORDLINE_ALL_SEEDS").is_some();
    let seeds = if all { seeds } else { seeds / 4 };
    let truth_ps = run.latency.median_ns() * 1e3;
    let mut all = StoppedFigures::default();
    let part = 1.0 / seeds as f64;
    for seed in 0..seeds {
        let mut machine = PlantedMachine::new(run, brings, seed);
        let plan = SamplingPlan {
            loads_most: 1_000_000,
            ..SamplingPlan::at_most(0)
        };
        let found = sample_on(&mut machine, &run.timer, &plan, &AtomicBool::new(false));
        let batches = found.batches.len();
        let found = found.estimate.expect("an estimate");
        let inside = (found.low_ps..=found.high_ps).contains(&truth_ps);
        all.covered += part * f64::from(inside);
        all.most = all.most.max(found.median_ps / truth_ps);
        all.mean += part * found.median_ps / truth_ps;
        all.batches += part * batches as f64;
        all.corrected += part * found.corrected_share;
        let named = found
            .reasons
            .iter()
            .any(|reason| reason.name() == "memory_contention");
        all.contended += part * f64::from(named);
        all.refused += part * f64::from(found.grade == estimate::Grade::Refused);
    }
    all
}

/// Intervals hold the truth although the loop stops where they are narrow.
#[test]
fn who_stops_at_a_narrow_interval_keeps_the_truth_inside() {
    for latency in [
        PlantedLatency::Still { scale_ns: 3.0 },
        PlantedLatency::Still { scale_ns: 8.0 },
        PlantedLatency::TwoModes { burst: 5.0 },
        PlantedLatency::Slow,
    ] {
        let found = stopped(PlantedRun::new(latency), false, 200);
        println!("{latency:?}: {found:?}");
        assert!(found.covered >= 0.93, "{latency:?}: {found:?}");
    }
}

/// Beside ten rivals a core, with what they displaced brought back and without.
#[test]
fn beside_rivals_the_truth_is_inside_and_no_contention_named() {
    for (lines, brings) in [(2e3, false), (16e3, false), (2e3, true), (16e3, true)] {
        let run = PlantedRun {
            preemption: Some(ten_rivals(lines)),
            ..PlantedRun::new(PlantedLatency::Still { scale_ns: 3.0 })
        };
        let found = stopped(run, brings, 60);
        println!("{lines} lines, brought back {brings}: {found:?}");
        assert!(found.covered >= 0.93, "{lines} {brings}: {found:?}");
        assert!(
            found.most <= 1.10 && found.contended == 0.0,
            "{lines} {brings}: {found:?}"
        );
        assert!(!brings || found.mean < 1.01, "{lines}: {found:?}");
    }
}
