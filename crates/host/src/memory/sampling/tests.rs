//! The loop on this machine, and on planted ones.

use std::sync::atomic::AtomicBool;

use super::*;

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
    assert!(counted <= PLAN.loads_most && counted <= loads, "{counted} {loads}");
    let in_order = found.batches.windows(2);
    assert!(
        in_order
            .into_iter()
            .all(|pair| pair[0].at_ps <= pair[1].at_ps)
    );
    // The first pause comes before the first batch, and none lies within a batch.
    assert!(found.pauses[0].end_ps <= found.batches[0].at_ps);
    for pause in &found.pauses {
        let next = found.batches.partition_point(|batch| batch.at_ps < pause.at_ps);
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
