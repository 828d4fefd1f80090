//! Where the points of a curve of latency over throughput lie: placed by the curve itself.
//!
//! A few pauses begin, far apart. Then pauses are added between neighbours, in waves, where throughput or latency differ by
//! more than a step: a fine one around the knee, a coarse one elsewhere. What exceeds its step most comes first. A pause
//! between two others is their geometric mean, because what a core asks for goes with one over its pause. Steps are shares of
//! the greatest throughput, and of the rise of latency over the curve. The same curve gives the same pauses.

use super::knee::{self, Place};

/// Pauses in cycles that a sweep begins with: none, one that leaves the memory all but idle, and some between.
pub(crate) const START: [u64; 4] = [0, 40, 400, 20_000];

/// Most points of a curve.
pub(crate) const POINTS_MAX: usize = 14;

/// Neighbours that differ by more have a point between them.
const STEP: f64 = 0.3;

/// The same where the first stage ends.
const STEP_OF_STAGE: f64 = 0.15;

/// The same on both sides of the knee.
const STEP_OF_KNEE: f64 = 0.05;

/// The pauses that a curve lacks, ascending; none where it is complete. Its points stand in the order of their pauses,
/// the shortest first.
pub(crate) fn lacking(points: &[(u64, Place)], idle: f64) -> Vec<u64> {
    let room = POINTS_MAX.saturating_sub(points.len());
    let step = steps(points, idle);
    let differ = difference(points);
    let pairs = points.windows(2).enumerate();
    let mut gaps: Vec<(f64, u64)> = pairs
        .filter_map(|(index, pair)| {
            let pause = between(pair[0].0, pair[1].0)?;
            Some((differ(pair[0].1, pair[1].1) / step(index), pause))
        })
        .filter(|(excess, _)| *excess > 1.0)
        .collect();
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut pauses: Vec<u64> = gaps.iter().take(room).map(|gap| gap.1).collect();
    pauses.sort_unstable();
    pauses
}

/// The step of each gap, by its number from the shortest pause on.
fn steps(points: &[(u64, Place)], idle: f64) -> impl Fn(usize) -> f64 {
    let curve: Vec<Place> = points.iter().rev().map(|(_, place)| *place).collect();
    let (knee, rises) = (knee::knee(&curve), knee::rises(&curve, idle));
    move |gap| {
        // The point of the curve behind the gap; the curve goes the other way.
        let point = curve.len() - 1 - gap;
        if knee.is_some_and(|knee| [knee, knee + 1].contains(&point)) {
            STEP_OF_KNEE
        } else if point == rises {
            STEP_OF_STAGE
        } else {
            STEP
        }
    }
}

/// How far two places are apart on a curve: the greater of both shares.
fn difference(points: &[(u64, Place)]) -> impl Fn(Place, Place) -> f64 {
    let places = points.iter().map(|(_, place)| place);
    let most = places.clone().map(|place| place.0).fold(0.0, f64::max);
    let high = places.clone().map(|place| place.1).fold(0.0, f64::max);
    let low = places.map(|place| place.1).fold(f64::INFINITY, f64::min);
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    move |one, other| {
        let throughput = share((one.0 - other.0).abs(), most);
        throughput.max(share((one.1 - other.1).abs(), high - low))
    }
}

/// The pause between two others; `None` where there is no whole number of cycles.
fn between(short: u64, long: u64) -> Option<u64> {
    let mean = ((short + 1) as f64 * (long + 1) as f64).sqrt() as u64 - 1;
    (long > short + 1).then(|| mean.clamp(short + 1, long - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory of 500 with 100 cores: throughput goes with one over the pause until all that may be under way is.
    fn place(pause: u64, lines: u64) -> Place {
        let asked = 20_000.0 * lines as f64 / (pause + lines) as f64;
        let share = (asked / 500.0).min(0.999);
        let latency = 100.0 + 10.0 * share * share / (1.0 - share);
        (500.0 * share, latency.min(500.0))
    }

    fn sweep(lines: u64) -> Vec<(u64, Place)> {
        let at = |pause: u64| (pause, place(pause, lines));
        let mut points: Vec<_> = START.into_iter().map(at).collect();
        loop {
            let more = lacking(&points, 100.0);
            assert!(more.is_sorted());
            if more.is_empty() {
                return points;
            }
            points.extend(more.into_iter().map(at));
            points.sort_by_key(|point| point.0);
            let twice = points.windows(2).any(|pair| pair[0].0 == pair[1].0);
            assert!(!twice && points.len() <= POINTS_MAX, "{points:?}");
        }
    }

    /// The knee of the whole curve, cycle by cycle, is a neighbour of the one that the sweep finds, however often cores
    /// pause.
    #[test]
    fn points_lie_where_the_curve_bends() {
        for lines in [1, 8] {
            let whole: Vec<Place> = (0..=20_000)
                .rev()
                .map(|pause| place(pause, lines))
                .collect();
            let exact = whole[knee::knee(&whole).expect("it bends")];
            let points = sweep(lines);
            let curve: Vec<Place> = points.iter().rev().map(|point| point.1).collect();
            let found = knee::knee(&curve).expect("it bends");
            let around = curve[found - 1].0..=curve[found + 1].0;
            assert!(around.contains(&exact.0), "{lines}: {exact:?} in {curve:?}");
            let wide = around.end() - around.start();
            assert!(wide < 0.15 * 500.0, "{lines}: {around:?} in {curve:?}");
        }
    }

    #[test]
    fn a_straight_curve_needs_few_points() {
        let flat: Vec<_> = START.into_iter().map(|pause| (pause, (1.0, 1.0))).collect();
        assert_eq!(lacking(&flat, 1.0), [0; 0]);
        // A step between pauses that follow each other has nothing between.
        let step = [(0, (9.0, 5.0)), (1, (1.0, 1.0))];
        assert_eq!(lacking(&step, 1.0), [0; 0]);
    }

    #[test]
    fn pauses_are_halved_by_ratio() {
        assert_eq!(between(0, 2), Some(1));
        assert_eq!(between(0, 99), Some(9));
        assert_eq!(between(99, 9_999), Some(999));
        assert_eq!(between(7, 8), None);
    }
}
