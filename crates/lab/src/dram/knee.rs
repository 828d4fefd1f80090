//! Where a curve of latency over throughput bends: its knee, and the three stages of a memory under load.
//!
//! The knee is the point that lies farthest below the straight line from the least load to the greatest, both axes
//! scaled to that line ("Kneedle": Satopää, Albrecht, Irwin, Raghavan, "Finding a 'Kneedle' in a Haystack", 2011,
//! for a convex curve, without smoothing). Stage 1, constant: latency is at most 10 % above that of an idle memory.
//! Stage 2, linear: up to the knee. Stage 3, saturated: beyond it.

/// Throughput and mean latency under a load.
pub(crate) type Place = (f64, f64);

/// How far latency may rise in the first stage.
const CONSTANT: f64 = 1.1;

/// Which point is the knee of a curve, least load first; `None` where it does not bend: with fewer than three points,
/// or where latency or throughput do not grow.
pub(crate) fn knee(curve: &[Place]) -> Option<usize> {
    let (&(x0, y0), &(x1, y1)) = (curve.first()?, curve.last()?);
    if !(x1 > x0 && y1 > y0) {
        return None;
    }
    let below = |(x, y): Place| (x - x0) / (x1 - x0) - (y - y0) / (y1 - y0);
    let distances = curve.iter().map(|&place| below(place)).enumerate();
    let best = distances.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.filter(|(_, distance)| *distance > 0.0)
        .map(|(index, _)| index)
}

/// From which point to which other one the knee may lie: `errors` are half the widths of the points' confidence intervals.
/// Each point whose distance below the line may be the greatest, within both their errors, may be next to the knee; between
/// the neighbours of the outermost of them a convex curve has it. Errors of the ends of the line are left out: they move
/// all distances alike.
pub(crate) fn knee_between(curve: &[Place], errors: &[Place]) -> Option<(usize, usize)> {
    let best = knee(curve)?;
    let (&(x0, y0), &(x1, y1)) = (curve.first()?, curve.last()?);
    let below = |index: usize| {
        let (x, y) = curve[index];
        (x - x0) / (x1 - x0) - (y - y0) / (y1 - y0)
    };
    let error = |index: usize| errors[index].0 / (x1 - x0) + errors[index].1 / (y1 - y0);
    let least = below(best) - error(best);
    let may_be = |&index: &usize| index == best || below(index) + error(index) >= least;
    let last = curve.len() - 1;
    // The ends lie on the line.
    let first = (1..last).find(may_be)?;
    let until = (1..last).rev().find(may_be)?;
    Some((first - 1, until + 1))
}

/// The first point whose latency is above that of the first stage; their number where none is.
pub(crate) fn rises(curve: &[Place], idle: f64) -> usize {
    let rises = curve
        .iter()
        .position(|&(_, latency)| latency > CONSTANT * idle);
    rises.unwrap_or(curve.len())
}

/// The stage of every point, 1 to 3, where an idle memory has a latency. Without a knee nothing is saturated.
pub(crate) fn stages(curve: &[Place], knee: Option<usize>, idle: f64) -> Vec<u8> {
    let rises = rises(curve, idle);
    let stage = |index: usize| match knee {
        Some(knee) if index > knee => 3,
        _ if index < rises => 1,
        _ => 2,
    };
    (0..curve.len()).map(stage).collect()
}

/// The throughput at which a curve first takes a latency; `None` where it never does.
pub(crate) fn throughput_at(curve: &[Place], latency: f64) -> Option<f64> {
    first_crossing(curve.iter().map(|&(x, y)| (y, x)), latency)
}

/// The latency of a curve where it first carries a throughput; `None` beyond what it carries.
pub(crate) fn latency_at(curve: &[Place], throughput: f64) -> Option<f64> {
    first_crossing(curve.iter().copied(), throughput)
}

/// Straight from point to point, the second coordinate where the first one reaches a value from below.
pub(crate) fn first_crossing(curve: impl Iterator<Item = Place>, value: f64) -> Option<f64> {
    let mut before: Option<Place> = None;
    for (at, other) in curve {
        if at >= value {
            return Some(match before {
                Some((low, start)) if at > low => {
                    start + (other - start) * (value - low) / (at - low)
                }
                _ => other,
            });
        }
        before = Some((at, other));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flat, then rising gently, then a wall that bends back: worked by hand.
    const CURVE: [Place; 7] = [
        (10.0, 100.0),
        (100.0, 105.0),
        (200.0, 120.0),
        (300.0, 150.0),
        (350.0, 300.0),
        (360.0, 500.0),
        (355.0, 600.0),
    ];

    #[test]
    fn the_knee_lies_farthest_below_the_chord() {
        assert_eq!(knee(&CURVE), Some(3));
        assert_eq!(stages(&CURVE, Some(3), 100.0), [1, 1, 2, 2, 3, 3, 3]);
    }

    /// By hand: the distances below the line are 0, 0.245, 0.493, 0.704, 0.471, 0.
    #[test]
    fn the_knee_lies_between_neighbours_of_all_points_that_may_be_it() {
        let curve = &CURVE[..6];
        let sure = [(0.0, 0.0); 6];
        assert_eq!(knee(curve), Some(3));
        assert_eq!(knee_between(curve, &sure), Some((2, 4)));
        // Errors of 0.11 each reach the neighbour whose distance is 0.211 less, and not the one with 0.232.
        let wide = [(0.0, 44.0); 6];
        assert_eq!(knee_between(curve, &wide), Some((1, 4)));
        let unknown = [(f64::INFINITY, 0.0); 6];
        assert_eq!(knee_between(curve, &unknown), Some((0, 5)));
        assert_eq!(knee_between(&CURVE[..2], &sure[..2]), None);
    }

    #[test]
    fn what_does_not_bend_has_no_knee() {
        assert_eq!(knee(&[]), None);
        assert_eq!(knee(&CURVE[..1]), None);
        assert_eq!(knee(&[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]), None);
        // It bends the other way.
        assert_eq!(knee(&[(1.0, 1.0), (2.0, 3.0), (3.0, 3.5)]), None);
        // Latency falls, or throughput does.
        assert_eq!(knee(&[(1.0, 2.0), (2.0, 1.5), (3.0, 1.0)]), None);
        assert_eq!(knee(&[(3.0, 1.0), (2.0, 1.5), (1.0, 2.0)]), None);
        assert_eq!(stages(&CURVE[..2], None, 100.0), [1, 1]);
        assert_eq!(stages(&CURVE[..3], None, 100.0), [1, 1, 2]);
        // What the least load of the sweep takes is no idle memory's latency.
        assert_eq!(stages(&CURVE[..2], None, 90.0), [2, 2]);
    }

    #[test]
    fn between_points_curves_are_straight_and_beyond_them_unknown() {
        assert_eq!(throughput_at(&CURVE, 135.0), Some(250.0));
        assert_eq!(latency_at(&CURVE, 250.0), Some(135.0));
        assert_eq!(latency_at(&CURVE, 5.0), Some(100.0));
        assert_eq!(latency_at(&CURVE, 361.0), None);
        assert_eq!(throughput_at(&CURVE, 601.0), None);
    }

    /// A latency that was constant and falls back after a rise is not constant again.
    #[test]
    fn stages_never_go_back() {
        let curve = [(1.0, 100.0), (2.0, 120.0), (3.0, 105.0), (4.0, 130.0)];
        assert_eq!(stages(&curve, None, 100.0), [1, 2, 2, 2]);
    }
}
