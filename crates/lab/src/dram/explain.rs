//! Why one memory carries more than another: the ratio of their throughputs, taken apart exactly.
//!
//! A throughput is the peak of all data buses times the share of their time in which they carry data, and that is
//! what the shares of all other causes leave. With p the ratio of the peaks, d the data's share of the memory that is
//! compared with, and s and s′ the shares of a cause in that and in the other memory,
//!
//! ratio − 1 = (p − 1) + Σ p·(s − s′)/d,
//!
//! so that a cause which takes as much of both memories' time explains nothing, and the parts add up.

use wordline_dram::{BusAccount, Cause};

/// The part that is a faster bus, not a better use of it.
pub(super) const BUS_RATE: &str = "bus_rate";

/// Where the time of the data buses went that carried no data.
pub(super) const EMPTY: &str = "empty";

/// The shares of the time of all data buses by cause, the data first, nothing asked last; they add up to 1. `None`
/// where no time passed.
pub(super) fn shares(bus: &BusAccount) -> Option<Vec<(&'static str, f64)>> {
    let total = bus.total();
    if total == 0 {
        return None;
    }
    let share = |clocks: u64| clocks as f64 / total as f64;
    let mut shares = vec![("data", share(bus.data))];
    shares.extend(Cause::ALL.map(|cause| (cause.name(), share(bus.wait(cause)))));
    shares.push((EMPTY, share(bus.empty)));
    Some(shares)
}

/// The parts of the ratio of two throughputs minus 1, from those throughputs in B/s and from the shares of both, as
/// [`shares`] gives them.
pub(super) fn parts(
    first: (f64, &[(&'static str, f64)]),
    other: (f64, &[(&'static str, f64)]),
) -> Option<Vec<(&'static str, f64)>> {
    let data = |shares: &[(&'static str, f64)]| shares.first().map(|(_, share)| *share);
    let (d, d_other) = (data(first.1)?, data(other.1)?);
    // What the buses would carry all of the time; the account counts bursts, the cores bytes, and the two differ by
    // what is under way at either end of the run.
    let peaks = (other.0 / d_other) / (first.0 / d);
    let mut parts = vec![(BUS_RATE, peaks - 1.0)];
    let pairs = first.1.iter().zip(other.1).skip(1);
    parts.extend(pairs.map(|((cause, mine), (_, theirs))| (*cause, peaks * (mine - theirs) / d)));
    parts
        .iter()
        .all(|(_, part)| part.is_finite())
        .then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn account(data: u64, waits: [u64; 10], empty: u64) -> BusAccount {
        BusAccount { data, waits, empty }
    }

    #[test]
    fn a_faster_bus_that_is_used_alike_explains_everything() {
        let bus = account(90, [0, 0, 5, 1, 0, 0, 0, 4, 0, 0], 0);
        let shares = shares(&bus).expect("time passed");
        let parts = parts((90.0, &shares), (123.75, &shares)).expect("both carry data");
        assert!((parts[0].1 - 0.375).abs() < 1e-12);
        assert!(
            parts[1..].iter().all(|(_, part)| part.abs() < 1e-12),
            "{parts:?}"
        );
    }

    #[test]
    fn without_time_or_data_there_is_nothing_to_explain() {
        assert_eq!(shares(&BusAccount::default()), None);
        let idle = shares(&account(0, [0; 10], 10)).expect("time passed");
        assert_eq!(parts((0.0, &idle), (1.0, &idle)), None);
    }

    proptest! {
        #[test]
        fn parts_add_up_to_the_gain(
            a in prop::array::uniform12(1u64..1000),
            b in prop::array::uniform12(1u64..1000),
            rates in (1.0..1e12f64, 1.0..1e12f64),
        ) {
            let of = |numbers: [u64; 12]| {
                let mut waits = [0; 10];
                waits.copy_from_slice(&numbers[1..11]);
                shares(&account(numbers[0], waits, numbers[11])).expect("time passed")
            };
            let (first, other) = (of(a), of(b));
            prop_assert!((first.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-12);
            let parts = parts((rates.0, &first), (rates.1, &other)).expect("both carry data");
            let sum: f64 = parts.iter().map(|(_, part)| part).sum();
            let gain = rates.1 / rates.0 - 1.0;
            prop_assert!((sum - gain).abs() <= 1e-9 * (1.0 + gain.abs()) * 1e3, "{} against {}", sum, gain);
        }
    }
}
