//! What two curves of latency over delivered bandwidth say of two memories at the same bandwidth.
//!
//! Curves are straight between neighbouring points and are followed from the least load on. Where bandwidth falls
//! back although the load grows, the latency at a bandwidth is that of the rising part, and the bandwidth at a latency
//! may lie on the part that bends back: in both cases the first place that is met counts. Beyond a curve's ends nothing
//! is known.

use std::collections::BTreeSet;

use wordline_core::results::AxisValue;
use wordline_core::{Axis, Metric, ResultSet};

use crate::dram::knee::first_crossing;
use crate::dram::rows::seconds;
use crate::published::{Curves, Question, RowSelector};

/// A memory under some load.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Load {
    /// Delivered bandwidth in B/s.
    bandwidth: f64,
    /// Mean latency in seconds.
    latency: f64,
    /// Share of latencies within the time that is asked about; 0 where none is.
    share: f64,
}

/// Loads, the least first.
type Curve = [Load];

/// What the curves of two memories in a loaded test say, or why they do not. Each is in the result that stands for it.
pub(super) fn measure(
    asked: &Curves,
    target: &ResultSet,
    against: &ResultSet,
) -> Result<f64, String> {
    let idle = RowSelector::of(Metric::LatencyMean).at(Axis::Estimate, "idle");
    let idle = idle.value(against, Some(&asked.against))?;
    let target = curve(asked.question, &asked.target, target)?;
    let against = curve(asked.question, &asked.against, against)?;
    answer(asked.question, &target, &against, idle)
}

/// The curve of a target in a sweep, the least load first.
fn curve(question: Question, target: &str, result: &ResultSet) -> Result<Vec<Load>, String> {
    // Pauses that were placed by the curve stand in its rows alone.
    let rows = result.rows.iter().filter(|row| row.target == target);
    let delays = rows.filter_map(|row| match row.axes.get(&Axis::DelayCycles) {
        Some(AxisValue::Count(delay)) => Some(*delay),
        _ => None,
    });
    let delays: BTreeSet<u64> = delays.collect();
    let loads = delays.into_iter().rev().map(|delay| {
        let row = |metric| RowSelector::of(metric).at(Axis::DelayCycles, delay);
        let of = |row: RowSelector| row.value(result, Some(target));
        Ok(Load {
            bandwidth: of(row(Metric::ThroughputMean))?,
            latency: of(row(Metric::LatencyMean))?,
            share: match question {
                Question::Share { within_ps, .. } => {
                    let within = seconds(within_ps as f64);
                    of(row(Metric::LatencyShare).at(Axis::WithinS, within))?
                }
                Question::Crossover {} | Question::Reduction { .. } | Question::Rise { .. } => 0.0,
            },
        })
    });
    loads.collect()
}

/// What two curves say, or why they do not. `idle` is the other's latency in seconds without load.
fn answer(question: Question, target: &Curve, against: &Curve, idle: f64) -> Result<f64, String> {
    match question {
        Question::Crossover {} => crossover(target, against),
        Question::Reduction { idle_multiple } => {
            let theirs = idle_multiple * idle;
            let load = against.iter().map(|load| (load.latency, load.bandwidth));
            let place = along(load, theirs).ok_or_else(|| {
                let ns = theirs * 1e9;
                format!("no load brings the other's latency to {ns:.1} ns")
            })?;
            let ours = latency(target, place)?;
            Ok(1.0 - ours / theirs)
        }
        Question::Rise { at_bytes_per_s } => Ok(latency(target, at_bytes_per_s)? - idle),
        Question::Share { against_share, .. } => {
            // Shares fall with the load.
            let load = against.iter().map(|load| (-load.share, load.bandwidth));
            let place = along(load, -against_share)
                .ok_or_else(|| format!("no load brings the other's share to {against_share}"))?;
            let shares = target.iter().map(|load| (load.bandwidth, load.share));
            along(shares, place).ok_or_else(|| beyond(place))
        }
    }
}

fn crossover(target: &Curve, against: &Curve) -> Result<f64, String> {
    let least = |curve: &Curve| curve.first().map_or(f64::INFINITY, |load| load.bandwidth);
    let most = |curve: &Curve| {
        let all = curve.iter().map(|load| load.bandwidth);
        all.fold(f64::NEG_INFINITY, f64::max)
    };
    let low = least(target).max(least(against));
    let high = most(target).min(most(against));
    if low >= high {
        return Err("the curves have no bandwidth in common".to_owned());
    }
    // The difference of the two is straight between these.
    let all = target.iter().chain(against).map(|load| load.bandwidth);
    let mut places: Vec<f64> = all.filter(|place| (low..=high).contains(place)).collect();
    places.sort_unstable_by(f64::total_cmp);
    let above = |place: f64| Ok::<_, String>(latency(target, place)? - latency(against, place)?);
    let mut below: Option<(f64, f64)> = None;
    for &place in places.iter().rev() {
        let above = above(place)?;
        if above < 0.0 {
            below = Some((place, above));
            continue;
        }
        let (next, under) = below.ok_or("its latency is not the lower one at the greatest load")?;
        return Ok(place + (next - place) * above / (above - under));
    }
    let least = low / 1e9;
    Err(format!(
        "its latency is the lower one from the least load on, {least:.1} GB/s"
    ))
}

fn latency(curve: &Curve, bandwidth: f64) -> Result<f64, String> {
    let loads = curve.iter().map(|load| (load.bandwidth, load.latency));
    along(loads, bandwidth).ok_or_else(|| beyond(bandwidth))
}

fn beyond(bandwidth: f64) -> String {
    let place = bandwidth / 1e9;
    format!("{place:.1} GB/s are outside its curve")
}

/// The second coordinate where the first one comes to a value from below; none where the curve begins above it, or
/// never reaches it.
fn along(curve: impl Iterator<Item = (f64, f64)> + Clone, value: f64) -> Option<f64> {
    let (first, _) = curve.clone().next()?;
    (first <= value)
        .then(|| first_crossing(curve, value))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bandwidths in GB/s, latencies in ns, shares.
    fn curve(loads: &[(f64, f64, f64)]) -> Vec<Load> {
        let load = |&(bandwidth, latency, share): &(f64, f64, f64)| Load {
            bandwidth: bandwidth * 1e9,
            latency: latency * 1e-9,
            share,
        };
        loads.iter().map(load).collect()
    }

    /// Slow and steady at first, then a wall that bends back.
    fn other() -> Vec<Load> {
        curve(&[
            (10.0, 100.0, 1.0),
            (200.0, 120.0, 0.9),
            (400.0, 200.0, 0.5),
            (500.0, 400.0, 0.1),
            (490.0, 600.0, 0.0),
        ])
    }

    /// Higher at first by 10 ns, and far lower later on.
    fn ours() -> Vec<Load> {
        curve(&[
            (20.0, 110.0, 1.0),
            (300.0, 138.0, 0.9),
            (700.0, 218.0, 0.7),
            (650.0, 500.0, 0.2),
        ])
    }

    #[track_caller]
    fn near(question: Question, expected: f64) {
        let found = answer(question, &ours(), &other(), 100e-9).expect("a number");
        assert!((found / expected - 1.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn between_points_curves_are_straight() {
        // At 200 GB/s 128 against 120 ns, at 300 GB/s 138 against 160: 8 above, 22 below.
        near(Question::Crossover {}, 200e9 + 100e9 * 8.0 / 30.0);
        let reduction = |idle_multiple| Question::Reduction { idle_multiple };
        // 160 ns at 300 GB/s, and 138 there.
        near(reduction(1.6), 1.0 - 138.0 / 160.0);
        // 300 ns at 450 GB/s, where ours is 138 + 80 · 150 / 400.
        near(reduction(3.0), 1.0 - 168.0 / 300.0);
        // 500 ns on the part that bends back, at 495 GB/s.
        near(reduction(5.0), 1.0 - 177.0 / 500.0);
        let share = |against_share| Question::Share {
            within_ps: 1,
            against_share,
        };
        near(share(0.7), 0.9);
        near(share(0.3), 0.9 - 0.2 * 150.0 / 400.0);
    }

    #[test]
    fn beyond_the_curves_there_is_a_reason_and_no_number() {
        let refused = |question, target: &[Load], expected: &str| {
            let error = answer(question, target, &other(), 100e-9).expect_err(expected);
            assert!(error.contains(expected), "{error}");
        };
        let reduction = |idle_multiple| Question::Reduction { idle_multiple };
        refused(reduction(6.1), &ours(), "latency to 610.0 ns");
        refused(reduction(0.9), &ours(), "latency to 90.0 ns");
        refused(
            reduction(1.6),
            &ours()[..1],
            "300.0 GB/s are outside its curve",
        );
        refused(reduction(1.01), &ours(), "19.5 GB/s are outside");
        let share = Question::Share {
            within_ps: 1,
            against_share: 0.01,
        };
        refused(share, &ours()[..2], "are outside its curve");
        let low = curve(&[(10.0, 90.0, 1.0), (500.0, 91.0, 1.0)]);
        refused(Question::Crossover {}, &low, "from the least load on, 10.0");
        let high = curve(&[(10.0, 190.0, 1.0), (300.0, 191.0, 1.0)]);
        refused(
            Question::Crossover {},
            &high,
            "not the lower one at the greatest",
        );
        refused(Question::Crossover {}, &[], "no bandwidth in common");
        let beside = curve(&[(600.0, 1.0, 1.0), (700.0, 2.0, 1.0)]);
        refused(Question::Crossover {}, &beside, "no bandwidth in common");
    }

    #[test]
    fn a_rise_is_above_the_own_latency_without_load() {
        let rise = |at| Question::Rise { at_bytes_per_s: at };
        let at = |at| answer(rise(at), &other(), &[], 95e-9);
        // Half way from 120 to 200 ns, 95 ns below them.
        assert!((at(300e9).expect("a number") - 65e-9).abs() < 1e-15);
        assert!(
            at(9e9)
                .expect_err("too little")
                .contains("outside its curve")
        );
    }

    /// Only where the curves part for good is the crossover.
    #[test]
    fn the_last_crossing_counts() {
        let flat = curve(&[(0.0, 10.0, 1.0), (100.0, 10.0, 1.0)]);
        let wave = curve(&[
            (0.0, 12.0, 1.0),
            (20.0, 8.0, 1.0),
            (60.0, 12.0, 1.0),
            (100.0, 8.0, 1.0),
        ]);
        let found = answer(Question::Crossover {}, &wave, &flat, 0.0).expect("a number");
        assert!((found - 80e9).abs() < 1.0, "{found}");
    }
}
