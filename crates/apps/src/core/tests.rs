use proptest::prelude::*;

use super::*;

/// A memory with a latency of its own and a rate that it never exceeds, in lines a nanosecond: latency is
/// `idle + wait/(1 - load)`, as of a queue.
pub(crate) fn queue(idle: f64, rate: f64) -> MemoryCurve {
    let points = (1..200).map(|step| {
        let load = f64::from(step) / 200.0;
        let latency = idle + load / (1.0 - load) / rate * 60.0;
        [load * rate * latency, latency, 40.0 + 60.0 * load]
    });
    MemoryCurve::of(points)
}

fn counters(rate: f64, stall_share: f64, levels: &[[f64; 2]]) -> LoopCounters {
    LoopCounters {
        rate,
        stall_share,
        levels: levels.to_vec(),
        cores: 128.0,
        misses_per_core: 26.0,
    }
}

const STEADY: [[f64; 2]; 1] = [[1.0, 1.0]];

#[test]
fn the_loop_has_the_counters_that_it_was_found_from() {
    let curve = queue(100.0, 8.0);
    let levels = [[0.25, 0.4], [0.5, 1.0], [0.25, 1.6]];
    for stalls in [0.05, 0.5, 0.95] {
        let counters = counters(4.0, stalls, &levels);
        let program = CoreLoop::of(&counters, &curve);
        let times = program.on(&curve);
        assert!(
            (128.0 / times.line_ns / 4.0 - 1.0).abs() < 1e-9,
            "{times:?}"
        );
        let waits = (times.latency_ns + times.queue_ns) / times.line_ns;
        assert!((waits / stalls - 1.0).abs() < 1e-6, "{waits} {stalls}");
        assert!((times.memory_ns / program.latency_ns - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_program_without_stalls_is_as_fast_on_any_memory_that_carries_it() {
    let program = CoreLoop::of(&counters(4.0, 0.0, &STEADY), &queue(100.0, 8.0));
    let slow = program.on(&queue(300.0, 4.6));
    assert!((slow.line_ns - 32.0).abs() < 1e-12, "{slow:?}");
    // Half of its rate is carried at most.
    let small = program.on(&queue(100.0, 2.0));
    assert!((small.line_ns / 64.0 - 1.0).abs() < 0.03, "{small:?}");
}

#[test]
fn saturated_and_all_stalls_is_the_ratio_of_what_memories_carry() {
    let (base, target) = (queue(100.0, 8.0), queue(104.0, 11.0));
    let most = 128.0 * 26.0;
    let rate = base.rate(most);
    let program = CoreLoop::of(&counters(rate, 1.0, &STEADY), &base);
    let ratio = program.on(&base).line_ns / program.on(&target).line_ns;
    let expected = target.rate(most) / rate;
    assert!((ratio / expected - 1.0).abs() < 1e-6, "{ratio} {expected}");
}

#[test]
fn a_line_alone_takes_as_long_as_the_latency_says() {
    // One core, one line at a time, no computing: the pointer chase.
    let curve = queue(100.0, 8.0);
    let chase = LoopCounters {
        cores: 1.0,
        ..counters(1.0 / curve.idle_ns(), 1.0, &STEADY)
    };
    let program = CoreLoop::of(&chase, &curve);
    let other = queue(80.0, 8.0);
    assert!((program.on(&other).line_ns / other.idle_ns() - 1.0).abs() < 1e-3);
}

proptest! {
    #[test]
    fn more_stalls_never_gain_less_from_a_better_memory(
        rate in 0.5_f64..7.0, one in 0.0_f64..1.0, other in 0.0_f64..1.0, spread in 0.0_f64..0.9,
    ) {
        let (base, target) = (queue(100.0, 8.0), queue(95.0, 11.0));
        let levels = [[0.5, 1.0 - spread], [0.5, 1.0 + spread]];
        let most = base.rate(128.0 * 26.0) / rate;
        let (levels, _) = crate::levels::flattened(&levels, most);
        let gain = |stalls: f64| {
            let program = CoreLoop::of(&counters(rate, stalls, &levels), &base);
            program.on(&base).line_ns / program.on(&target).line_ns
        };
        let (fewer, more) = (one.min(other), one.max(other));
        prop_assert!(gain(fewer) <= gain(more) + 1e-6, "{} {}", gain(fewer), gain(more));
        prop_assert!(gain(fewer) >= 1.0 - 1e-9);
    }

    #[test]
    fn the_same_memory_changes_nothing(rate in 0.1_f64..7.9, stalls in 0.0_f64..=1.0) {
        let base = queue(100.0, 8.0);
        let rate = rate.min(base.rate(128.0 * 26.0));
        let program = CoreLoop::of(&counters(rate, stalls, &STEADY), &base);
        let ratio = program.on(&base).line_ns / program.on(&base.clone()).line_ns;
        prop_assert!(ratio.to_bits() == 1.0_f64.to_bits());
        prop_assert!((program.on(&base).line_ns * rate / 128.0 - 1.0).abs() < 1e-6);
    }
}

/// Windows ask their own memory for as much as the loop does, level by level, on all cores and on half of them.
#[test]
fn windows_take_as_long_as_the_loop() {
    let curve = queue(100.0, 8.0);
    let levels = [[0.25, 0.4], [0.5, 1.0], [0.25, 1.6]];
    for (rate, stalls) in [(4.0, 0.05), (4.0, 0.5), (4.0, 0.9), (6.0, 0.7)] {
        let program = CoreLoop::of(&counters(rate, stalls, &levels), &curve);
        let line = program.on(&curve).line_ns;
        // Half of the cores have half of the misses, which a saturated level lacks.
        for (cores, within) in [(128, 1e-6), (64, 0.02)] {
            let windows = program.windows(&curve, cores);
            let share: f64 = windows.iter().map(|window| window.lines).sum();
            assert!((share - 1.0).abs() < 1e-12);
            let each = f64::from(cores) / 128.0;
            let of = windows
                .iter()
                .map(|window| window.lines * window.line_ns(&curve, 26.0) / each);
            let found = of.sum::<f64>();
            assert!(
                (found / line - 1.0).abs() < within,
                "{rate} {stalls} {cores}: {found} {line}"
            );
            assert!(windows.iter().all(|window| window.under_way <= 26));
        }
    }
}

/// On another memory they differ from the loop by what a whole number of lines under way makes of it.
#[test]
fn windows_follow_the_loop_onto_another_memory() {
    let program = CoreLoop::of(&counters(4.0, 0.6, &STEADY), &queue(100.0, 8.0));
    let other = queue(140.0, 6.0);
    let [window] = program.windows(&queue(100.0, 8.0), 128)[..] else {
        panic!("one level is one window");
    };
    let (found, line) = (window.line_ns(&other, 26.0), program.on(&other).line_ns);
    assert!((found / line - 1.0).abs() < 0.02, "{found} {line}");
}
