//! The curve against the recursion, and the recursion against its definition.

use proptest::prelude::*;
use wordline_core::draw::{Purpose, draw, standard_normal};
use wordline_core::quantity::{ByteCount, DataRate, Time};

use super::*;

pub(super) type Log = Vec<(u64, u64)>;

fn rate(bytes: u64, ps: u64) -> Rate {
    Rate::new(ByteCount::from_bytes(bytes), Time::from_ps(ps)).expect("a rate within the limits")
}

fn replay(log: &Log, rate: Rate, start: StartUp) -> Peaks {
    let mut backlog = Backlog::after_start(rate, start).expect("small numbers");
    for &(duration, size) in log {
        let (duration, size) = (Time::from_ps(duration), ByteCount::from_bytes(size));
        backlog.push(duration, size).expect("small numbers");
    }
    backlog.finish()
}

fn curve(log: &Log, start: StartUp, block: usize) -> Curve {
    let mut all = Accumulator::after_start(start).with_block(block);
    for &(duration, size) in log {
        all.push(Time::from_ps(duration), ByteCount::from_bytes(size));
    }
    all.finish().expect("small numbers")
}

/// The definition, pair by pair, for integer bytes in integer picoseconds: twice the peaks in
/// flight and waiting, times `ps`, and the whole records.
fn definition(log: &Log, bytes: i128, ps: i128, start: StartUp) -> (i128, i128, i128, i128) {
    let (t0, b0) = (
        i128::from(start.time.ps()),
        i128::from(start.backlog.bytes()),
    );
    let began = bytes * t0 + ps * b0;
    let whole = |from: usize, fill: i128| {
        // Records from..=m, m largest with the bytes of from..m less than the fill.
        let last = log.last().map_or(1, |last| i128::from(last.1.max(1)));
        let (mut sum, mut index) = (0, from);
        while sum * ps < fill {
            sum += log.get(index).map_or(last, |access| i128::from(access.1));
            index += 1;
        }
        sum
    };
    let (mut most, mut waiting) = (began, began);
    let mut records = (whole(0, began), whole(0, began));
    for k in 0..log.len() {
        let mut fill = 0;
        for j in 0..=k {
            let time: i128 = log[j..=k].iter().map(|access| i128::from(access.0)).sum();
            let left: i128 = log[j..k].iter().map(|access| i128::from(access.1)).sum();
            let extra = if j == 0 { began } else { 0 };
            fill = fill.max(bytes * time - ps * left + extra);
        }
        let size = i128::from(log[k].1);
        most = most.max(fill);
        waiting = waiting.max(fill - ps * size);
        let counted = whole(k, fill);
        records = (records.0.max(counted), records.1.max(counted - size));
    }
    (most, waiting, records.0, records.1)
}

/// Rates of interest for a curve: every breakpoint, one between each two, and beyond both ends.
fn rates(curve: &Curve) -> Vec<Rate> {
    let mut rates: Vec<Rate> = curve.breakpoints().map(|point| point.rate).collect();
    rates.sort_unstable();
    let between: Vec<Rate> = rates
        .windows(2)
        .map(|pair| {
            let bytes = pair[0].bytes() + pair[1].bytes();
            Rate::reduced(bytes, pair[0].ps() + pair[1].ps())
        })
        .collect();
    if let (Some(&first), Some(&last)) = (rates.first(), rates.last()) {
        rates.push(Rate::reduced(first.bytes(), first.ps() * 3));
        rates.push(Rate::reduced(last.bytes() * 3, last.ps()));
    }
    rates.extend(between);
    rates.extend(curve.limit());
    rates.extend([rate(1, 1), rate(3, 1000), rate(4096, 1_000_000_000)]);
    rates
}

/// Holds a curve against the recursion at all rates of interest, and its inverse against itself.
fn check(log: &Log, start: StartUp, block: usize) {
    let curve = curve(log, start, block);
    for window in curve.lines().windows(2) {
        assert!(window[0].duration < window[1].duration && window[0].left < window[1].left);
    }
    for rate in rates(&curve) {
        let (fast, slow) = (curve.at(rate), replay(log, rate, start));
        assert_eq!(
            fast.fluid, slow.fluid,
            "{log:?} at {rate:?} in blocks of {block}"
        );
        if fast.records.is_some() {
            assert_eq!(
                fast.records, slow.records,
                "{log:?} at {rate:?} in blocks of {block}"
            );
        }
    }
    for point in curve.breakpoints() {
        assert_eq!(point.in_flight, point.above.at(point.rate));
        assert_eq!(point.in_flight, curve.at(point.rate).fluid.in_flight);
    }
    for ram in [0, 1, 5, 100, 4096, 10_000, 1 << 20] {
        for arrivals in [Arrivals::Fluid, Arrivals::Records] {
            for counted in [Counted::InFlight, Counted::Waiting] {
                check_inverse(&curve, ByteCount::from_bytes(ram), arrivals, counted);
            }
        }
    }
}

fn check_inverse(curve: &Curve, ram: ByteCount, arrivals: Arrivals, counted: Counted) {
    let needs = |rate| {
        let peaks = curve.at(rate);
        match (arrivals, counted, peaks.records) {
            (Arrivals::Fluid, Counted::InFlight, _) => peaks.fluid.in_flight.ceil(),
            (Arrivals::Fluid, Counted::Waiting, _) => peaks.fluid.waiting.ceil(),
            (Arrivals::Records, Counted::InFlight, Some(records)) => records.in_flight,
            (Arrivals::Records, Counted::Waiting, Some(records)) => records.waiting,
            (Arrivals::Records, _, None) => 0,
        }
    };
    let ram_bytes = u128::from(ram.bytes());
    match curve.highest_rate(ram, arrivals, counted) {
        Ok(Some(rate)) => {
            assert!(curve.limit().is_none_or(|limit| rate <= limit));
            assert!(
                needs(rate) <= ram_bytes,
                "{ram} at {rate:?}, {arrivals:?} {counted:?}"
            );
            let above = Rate::reduced(rate.bytes() * 1_000_000 + 1, rate.ps() * 1_000_000);
            let over = curve.limit().is_some_and(|limit| above > limit);
            assert!(
                over || needs(above) > ram_bytes,
                "{ram} {arrivals:?} {counted:?}"
            );
        }
        Ok(None) => assert!(curve.duration() == Time::ZERO),
        Err(BacklogError::Varying) => assert!(curve.record().is_none()),
        Err(_) => assert!(curve.limit().is_none() || needs(rate(1, u64::MAX)) > ram_bytes),
    }
}

fn duration() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 1..20u64, 1..2_000_000_000u64, Just(1_000_000_000)]
}

fn constant_log() -> impl Strategy<Value = Log> {
    (
        prop_oneof![Just(0), 1..10u64, Just(4096u64)],
        prop::collection::vec(duration(), 0..60),
    )
        .prop_map(|(size, durations)| durations.into_iter().map(|d| (d, size)).collect())
}

fn varying_log() -> impl Strategy<Value = Log> {
    let size = prop_oneof![Just(0), 1..10u64, Just(512), Just(4096), 1..100_000u64];
    prop::collection::vec((duration(), size), 0..40)
}

fn start_up() -> impl Strategy<Value = StartUp> {
    prop_oneof![
        Just((0, 0)),
        (duration(), Just(0)),
        (duration(), 0..10_000u64),
    ]
    .prop_map(|(time, backlog)| StartUp {
        time: Time::from_ps(time),
        backlog: ByteCount::from_bytes(backlog),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_recursion_meets_the_definition(
        log in prop_oneof![constant_log(), varying_log()],
        start in start_up(),
        (bytes, ps) in prop_oneof![(1..50u64, 1..50u64), (1..9000u64, 1..3_000_000_000u64)],
    ) {
        // Rates at which whole records can still be counted one by one.
        let total: u64 = log.iter().map(|access| access.0).sum::<u64>() + start.time.ps();
        prop_assume!(total / ps * bytes < 10_000_000);
        let log = log.into_iter().take(20).collect();
        let peaks = replay(&log, rate(bytes, ps), start);
        let (most, waiting, in_flight, records) = definition(&log, bytes.into(), ps.into(), start);
        prop_assert_eq!(peaks.fluid.in_flight, Amount::new(most as u128, ps.into()));
        prop_assert_eq!(peaks.fluid.waiting, Amount::new(waiting as u128, ps.into()));
        let expected = Records { in_flight: in_flight as u128, waiting: records as u128 };
        prop_assert_eq!(peaks.records, Some(expected));
    }

    #[test]
    fn the_curve_is_the_recursion_at_every_rate_for_records_of_one_size(
        log in constant_log(), start in start_up(), block in 1..70usize,
    ) {
        check(&log, start, block);
    }

    #[test]
    fn the_curve_is_the_recursion_at_every_rate_for_records_of_many_sizes(
        log in varying_log(), start in start_up(), block in 1..50usize,
    ) {
        check(&log, start, block);
    }

    #[test]
    fn later_passages_of_a_repeated_log_need_what_the_second_needs(
        log in prop_oneof![constant_log(), varying_log()],
        (bytes, ps) in (1..50u64, 1..50u64),
    ) {
        let [once, twice, often] = [1, 2, 5].map(|passages| curve(&log.repeat(passages), StartUp::default(), 512));
        let slower = |limit: Rate| Rate::reduced(limit.bytes() * bytes, limit.ps() * u128::from(bytes + ps));
        for rate in once.limit().into_iter().flat_map(|limit| [limit, slower(limit)]) {
            prop_assert_eq!(twice.at(rate).fluid, often.at(rate).fluid);
        }
    }

    #[test]
    fn a_rate_from_a_double_is_that_double(mantissa in 1u64..1 << 53, power in -60i32..10) {
        let double = mantissa as f64 * 2f64.powi(power);
        prop_assume!((1e-3..9e18).contains(&double));
        let rate = Rate::from_bytes_per_second(double).expect("within the limits");
        // bytes / ps = mantissa · 2^power / 10^12, cross-multiplied where it fits.
        let left = u128::from(rate.bytes()) * 1_000_000_000_000;
        let exact = left as f64 / rate.ps() as f64;
        prop_assert!((exact / double - 1.0).abs() < 1e-15);
        prop_assert_eq!(rate.bytes_per_second(), double);
        let other = Rate::from_bytes_per_second(double * (1.0 + f64::EPSILON)).expect("as well");
        prop_assert!(rate < other);
    }
}

/// Log-normal durations around 600 us.
fn heavy_tail(count: u64, seed: u64) -> Log {
    let duration = |index| {
        let z = standard_normal(draw(seed, 0, index, Purpose::Payload));
        ((6e8 * (1.2 * z).exp()) as u64, 4096)
    };
    (0..count).map(duration).collect()
}

/// 31 accesses of 0.6 ms and one of 2.6 ms, over and over.
fn periodic(count: u64, jitter: u64) -> Log {
    let duration = |index: u64| {
        let base = if index % 32 == 31 {
            2_600_000_000
        } else {
            600_000_000
        };
        (
            base + draw(1, 0, index, Purpose::Payload) % (jitter + 1),
            4096,
        )
    };
    (0..count).map(duration).collect()
}

#[test]
fn long_logs_of_every_shape_meet_the_recursion_at_every_block_size() {
    let convex = |k: u64| (1_000_000 + k * k, 512);
    let concave = |k: u64| (1_000_000_000 - k * k, 512);
    let burst = |k: u64| {
        (
            if k % 997 < 3 {
                90_000_000_000
            } else {
                500_000_000
            },
            4096,
        )
    };
    let logs: [Log; 12] = [
        vec![(616_000_000, 0); 2000],
        // Accesses without time and bytes, and a prime size that leaves no unit but the byte.
        (0..4000)
            .map(|k| match k % 7 {
                0..=2 => (0, 0),
                3 => (3_000_000_000, 7919),
                _ => (500_000_000, 4096 * (k % 3)),
            })
            .collect(),
        (0..6000u64).map(|k| (1 + k * k % 3, k * k % 5)).collect(),
        vec![(616_000_000, 4096); 3000],
        periodic(5000, 0),
        periodic(5000, 30_000_000),
        heavy_tail(6000, 1),
        heavy_tail(6000, 2)
            .iter()
            .map(|&(d, _)| (d, d % 3 * 512))
            .collect(),
        (0..1500).map(convex).collect(),
        (0..1500).rev().map(convex).collect(),
        (0..1500).map(concave).collect(),
        (0..4000).map(burst).collect(),
    ];
    for log in &logs {
        for block in [7, 100, 512] {
            let curve = curve(log, StartUp::default(), block);
            let all = rates(&curve);
            // Every rate when there are few, some of them when there are many.
            for rate in all.iter().step_by(all.len().div_ceil(40)) {
                let slow = replay(log, *rate, StartUp::default());
                assert_eq!(
                    curve.at(*rate).fluid,
                    slow.fluid,
                    "{rate:?} in blocks of {block}"
                );
            }
        }
    }
}

/// Logs of many textures: durations with a few or with many values, sizes too, rows of slow accesses.
fn texture(seed: u64) -> Log {
    let pick = |place: u64, index: u64| draw(seed, place, index, Purpose::Payload);
    let values = [1, 2, 10, 1 << 20, 1 << 40][(pick(1, 0) % 5) as usize];
    let base = [0, 3, 1_000_000, 1_000_000_000][(pick(2, 0) % 4) as usize];
    let row = [1, 3, 40, 700][(pick(3, 0) % 4) as usize];
    let slow = [1, 2, 30][(pick(4, 0) % 3) as usize];
    let sizes: &[u64] = [
        &[4096][..],
        &[0, 1, 7919],
        &[512, 4096],
        &[0, 4096],
        &[1 << 30, 3],
    ][(pick(5, 0) % 5) as usize];
    (0..2000 + pick(6, 0) % 3000)
        .map(|index| {
            let factor = if pick(7, index / row) % 10 == 0 {
                slow
            } else {
                1
            };
            let size =
                sizes[(pick(8, index / (1 + pick(9, 0) % 50)) % sizes.len() as u64) as usize];
            ((base + pick(10, index) % values) * factor, size)
        })
        .collect()
}

#[test]
fn blocks_do_not_change_the_curve() {
    for seed in 0..20 {
        let log = texture(seed);
        // Blocks of 7 go without the tests that pass over points.
        let one = curve(&log, StartUp::default(), 7);
        let other = curve(&log, StartUp::default(), 512);
        assert_eq!(one.lines(), other.lines(), "seed {seed}");
        assert_eq!(one.waiting_lines(), other.waiting_lines(), "seed {seed}");
    }
}

#[test]
fn convex_durations_bend_the_curve_at_every_access() {
    let log = (0..1000u64).map(|k| (1_000_000 + k * k, 512)).collect();
    assert_eq!(
        curve(&log, StartUp::default(), 512).breakpoints().len(),
        999
    );
}

#[test]
fn the_worked_example_holds() {
    let rate = Rate::try_from("4096 KB/s".parse::<DataRate>().expect("a rate")).expect("exact");
    let mut log = vec![(616_000_000, 4096); 32];
    log[20].0 = 2_616_000_000;
    for peaks in [
        replay(&log, rate, StartUp::default()),
        curve(&log, StartUp::default(), 512).at(rate),
    ] {
        let records = peaks.records.expect("records of one size");
        assert_eq!((records.waiting, records.in_flight), (8192, 12288));
        assert!((peaks.fluid.waiting.bytes() / 1024.0 - 6.46).abs() < 0.005);
        assert!((peaks.fluid.in_flight.bytes() / 1024.0 - 10.46).abs() < 0.005);
    }
}

/// Accesses exactly as long as the input period need no buffer beside the record being written.
#[test]
fn a_record_that_comes_at_the_very_end_of_an_access_does_not_wait() {
    let rate = Rate::from_bytes_per_second(4_096_000.0).expect("exact");
    let log = vec![(1_000_000_000, 4096); 100];
    let curve = curve(&log, StartUp::default(), 512);
    assert_eq!(curve.limit(), Some(rate));
    let expected = Records {
        in_flight: 4096,
        waiting: 0,
    };
    assert_eq!(curve.at(rate).records, Some(expected));
    assert!(matches!(curve.demand(rate), Demand::Bounded(_)));
    let faster = Rate::from_bytes_per_second(4_096_000.0f64.next_up()).expect("exact");
    assert_eq!(
        curve.at(faster).records.map(|records| records.waiting),
        Some(4096)
    );
    assert!(
        matches!(curve.demand(faster), Demand::Unbounded { growth_rate, .. } if growth_rate > 0.0)
    );
    let highest = curve.highest_rate(ByteCount::ZERO, Arrivals::Records, Counted::Waiting);
    assert_eq!(highest, Ok(Some(rate)));
}

#[test]
fn an_empty_log_needs_what_the_start_brings() {
    let start = StartUp {
        time: Time::from_ps(2_000_000),
        backlog: ByteCount::from_bytes(7),
    };
    let curve = curve(&vec![], start, 512);
    assert_eq!(curve.at(rate(1, 1_000_000)).fluid.in_flight.ceil(), 9);
    assert_eq!(curve.limit(), None);
    let none = super::Accumulator::new()
        .finish()
        .expect("nothing is not too much");
    assert_eq!(none.at(rate(1, 1)).fluid.in_flight, Amount::ZERO);
}

#[test]
fn totals_beyond_the_exact_range_are_errors() {
    for (duration, size) in [(u64::MAX / 2, 1), (1, u64::MAX / 2)] {
        let mut all = Accumulator::new();
        let mut backlog = Backlog::at(rate(1, 1));
        let mut replayed = Ok(());
        for _ in 0..5 {
            let (duration, size) = (Time::from_ps(duration), ByteCount::from_bytes(size));
            all.push(duration, size);
            replayed = replayed.and(backlog.push(duration, size).map(|_| ()));
        }
        assert_eq!(all.finish().err(), Some(BacklogError::TooMuch));
        assert_eq!(replayed, Err(BacklogError::TooMuch));
    }
}
