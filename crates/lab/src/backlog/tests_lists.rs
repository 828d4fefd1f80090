//! Longest sequences and unordered durations against brute force.

use proptest::prelude::*;
use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::{ByteCount, Time};

use super::*;

fn longest(durations: &[u64], lengths: &[u64], history: u64) -> Vec<Sequence> {
    let mut longest = Longest::within(lengths, history);
    for &duration in durations {
        longest.push(Time::from_ps(duration));
    }
    longest.finish().expect("small numbers")
}

fn brute(durations: &[u64], accesses: u64) -> Option<(u64, u64)> {
    let mut times = vec![0];
    for duration in durations {
        times.push(times[times.len() - 1] + duration);
    }
    let ends = times.iter().skip(accesses as usize);
    let sums = ends
        .zip(&times)
        .zip(0..)
        .map(|((end, start), first)| (end - start, first));
    sums.max_by_key(|&(sum, first)| (sum, std::cmp::Reverse(first)))
}

fn check(durations: &[u64], lengths: &[u64]) {
    let mut found = longest(durations, lengths, u64::MAX).into_iter();
    for &accesses in lengths {
        if let Some((sum, first)) = brute(durations, accesses) {
            let sequence = found.next().expect("one for each length");
            assert_eq!(sequence.accesses, accesses);
            assert_eq!((sequence.least.ps(), sequence.most.ps()), (sum, sum));
            assert_eq!(
                sequence.first,
                Some(first),
                "{accesses} of {}",
                durations.len()
            );
        }
    }
    assert_eq!(found.next(), None);
}

#[test]
fn sequences_across_chunks_meet_brute_force() {
    let lengths = [
        1, 2, 63, 64, 65, 1000, 4095, 4096, 4097, 8192, 9000, 12_289, 14_000, 20_000,
    ];
    for (seed, spread) in [(0, 1), (1, 1_000_000), (2, 1_000_000_000_000)] {
        for count in [4096u64, 4097, 14_000] {
            let durations: Vec<u64> = (0..count)
                .map(|index| draw(seed, 0, index, Purpose::Payload) % spread + 7)
                .collect();
            check(&durations, &lengths);
        }
    }
}

#[test]
fn lengths_beyond_the_history_come_as_bounds() {
    let durations: Vec<u64> = (0..40_000u64)
        .map(|index| draw(3, 0, index, Purpose::Payload) % 1000)
        .collect();
    let lengths = [100, 5000, 8192, 20_000, 39_999, 40_000];
    for sequence in longest(&durations, &lengths, 100) {
        let (sum, _) = brute(&durations, sequence.accesses).expect("within the log");
        assert!(
            (sequence.least.ps()..=sequence.most.ps()).contains(&sum),
            "{sequence:?}"
        );
        assert_eq!(sequence.first.is_some(), sequence.accesses == 100);
        assert!(sequence.most.ps() - sequence.least.ps() <= 12_288 * 1000);
    }
}

proptest! {
    #[test]
    fn sequences_meet_brute_force(
        durations in prop::collection::vec(prop_oneof![Just(0), 0..10u64, any::<u32>().prop_map(u64::from)], 0..200),
        lengths in prop::collection::vec(1..210u64, 0..20),
    ) {
        check(&durations, &lengths);
    }

    #[test]
    fn no_order_leaves_the_bounds(
        intervals in prop::collection::vec((0..50u64, 0..30u64, 0..4u64), 1..5),
        size in 0..60u64,
        (bytes, ps) in (1..40u64, 1..40u64),
        keys in prop::collection::vec(any::<u64>(), 20),
        fine in prop::collection::vec(0.0..=1.0f64, 20),
    ) {
        let intervals: Vec<Interval> = intervals
            .into_iter()
            .map(|(least, spread, count)| Interval {
                least: Time::from_ps(least),
                most: Time::from_ps(least + spread),
                count,
            })
            .collect();
        let size = ByteCount::from_bytes(size);
        let rate = Rate::new(ByteCount::from_bytes(bytes), Time::from_ps(ps)).expect("a rate");
        let bounds = Unordered::new(size, &intervals).expect("small numbers");
        let all = intervals.iter().flat_map(|one| (0..one.count).map(move |_| one));
        let mut durations: Vec<(u64, u64, u64)> = all
            .zip(keys.iter().zip(&fine))
            .map(|(one, (&key, &fine))| {
                let spread = (one.most.ps() - one.least.ps()) as f64;
                (key, one.least.ps() + (spread * fine) as u64, one.most.ps())
            })
            .collect();
        let peaks = |durations: &mut dyn Iterator<Item = u64>| {
            let mut backlog = Backlog::at(rate);
            for duration in durations {
                backlog.push(Time::from_ps(duration), size).expect("small numbers");
            }
            backlog.finish()
        };
        durations.sort_unstable();
        let some = peaks(&mut durations.iter().map(|access| access.1));
        let (least, most) = (bounds.least.at(rate), bounds.most.at(rate));
        for (low, some, high) in [
            (least.fluid.in_flight, some.fluid.in_flight, most.fluid.in_flight),
            (least.fluid.waiting, some.fluid.waiting, most.fluid.waiting),
        ] {
            prop_assert!(low <= some && some <= high);
        }
        // The worst order reaches its bound.
        durations.sort_unstable_by_key(|access| std::cmp::Reverse(access.2));
        prop_assert_eq!(peaks(&mut durations.iter().map(|access| access.2)), most);
        // The order that its documentation describes stays within a record of the other.
        let rest: Vec<u64> = {
            let all = intervals.iter().flat_map(|one| (0..one.count).map(move |_| one.least.ps()));
            all.collect()
        };
        if bounds.least.limit().is_some_and(|limit| rate <= limit) {
            let order = balanced(rest, size.bytes(), rate);
            let best = peaks(&mut order.into_iter()).fluid.in_flight;
            prop_assert!(best.less(size.bytes().into()) <= least.fluid.in_flight);
        }
    }
}

/// A long access whenever the sum of durations less periods is not positive, else a short one.
fn balanced(durations: Vec<u64>, size: u64, rate: Rate) -> Vec<u64> {
    let excess = |duration: u64| {
        i128::from(duration) * i128::from(rate.bytes()) - i128::from(size) * rate.ps() as i128
    };
    let (mut long, mut short): (Vec<u64>, Vec<u64>) = durations
        .into_iter()
        .partition(|&duration| excess(duration) > 0);
    let (mut order, mut sum) = (Vec::new(), 0);
    loop {
        let next = if sum > 0 {
            short.pop().or_else(|| long.pop())
        } else {
            long.pop().or_else(|| short.pop())
        };
        let Some(next) = next else {
            return order;
        };
        sum += excess(next);
        order.push(next);
    }
}
