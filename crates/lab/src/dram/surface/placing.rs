//! Where the points of a curve lie: where it bends.
//!
//! A curve of latency over lines outstanding is flat while the memory has room, and a straight line where it is saturated.
//! A few points begin; then points are added, where it matters by how much they are interpolated: between neighbours
//! where the cubic of the surface and the straight line differ by more than a share of the latency. Neighbours of which one
//! is neither as fast as the other nor saturated as it is have a point between them anyway: a bend may hide there.

use wordline_apps::{SurfaceCurve, SurfacePoint};

/// Most points of a curve.
pub(crate) const POINTS_MAX: usize = 12;

/// Shares of all lines that a curve begins with: both ends, and some between. The ends come first, since others are found by what
/// lies around them.
const START: [f64; 5] = [1.0 / 256.0, 1.0, 1.0 / 2.0, 1.0 / 4.0, 1.0 / 8.0];

/// By which share latency, or throughput, may differ of neighbours without a point between them.
const ALIKE: f64 = 0.25;

/// Lines that the curve begins with, of so many at most, in the order in which they are simulated.
pub(super) fn start(most: f64) -> Vec<f64> {
    START.map(|share| share * most).to_vec()
}

/// Lines outstanding that a curve lacks, ascending, where latency has to be known to a share of it; none where it is
/// complete.
pub(super) fn lacking(points: &[SurfacePoint], share: f64) -> Vec<f64> {
    let room = POINTS_MAX.saturating_sub(points.len());
    let curve = SurfaceCurve {
        points: points.to_vec(),
    };
    let gaps = points.windows(2).filter_map(|pair| {
        let middle = between(pair[0].outstanding, pair[1].outstanding);
        let part = (middle - pair[0].outstanding) / (pair[1].outstanding - pair[0].outstanding);
        let straight = pair[0].latency_ns + part * (pair[1].latency_ns - pair[0].latency_ns);
        let bent = curve.answer(middle).latency_ns;
        let differ = |of: fn(&SurfacePoint) -> f64| of(&pair[1]) / of(&pair[0]) - 1.0 > ALIKE;
        let hides = differ(|point| point.latency_ns) && differ(|point| point.bytes_per_s);
        let off = if hides {
            pair[1].latency_ns / pair[0].latency_ns
        } else {
            (bent - straight).abs() / straight
        };
        // What differs by less than the points themselves are off has nothing to show.
        let noise = pair[0].error_ns.max(pair[1].error_ns) / straight / 4.0;
        (off > share.max(noise)).then_some((off, middle))
    });
    let mut gaps: Vec<(f64, f64)> = gaps.collect();
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut lines: Vec<f64> = gaps.iter().take(room).map(|gap| gap.1).collect();
    lines.sort_by(f64::total_cmp);
    lines
}

/// The point between two others: their mean, and the geometric one where they are far apart.
fn between(low: f64, high: f64) -> f64 {
    if high > 4.0 * low {
        (low * high).sqrt()
    } else {
        f64::midpoint(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory of 100 ns that carries a line each 0.1 ns, with so much of a bend.
    fn latency(outstanding: f64, bend: f64) -> f64 {
        let (idle, full) = (100.0, 0.1 * outstanding);
        // A hyperbola between both straight lines.
        f64::midpoint(idle + full, ((idle - full).powi(2) + bend).sqrt())
    }

    fn point(outstanding: f64, bend: f64) -> SurfacePoint {
        let latency_ns = latency(outstanding, bend);
        SurfacePoint {
            outstanding,
            latency_ns,
            error_ns: 0.0,
            read_p50_ns: latency_ns,
            read_p99_ns: latency_ns,
            read_ns: latency_ns,
            bytes_per_s: 64e9 * outstanding / latency_ns,
            power_w: 1.0,
        }
    }

    fn placed(most: f64, bend: f64) -> Vec<SurfacePoint> {
        let at = |outstanding| point(outstanding, bend);
        let mut points: Vec<_> = start(most).into_iter().map(at).collect();
        points.sort_by(|one, next| one.outstanding.total_cmp(&next.outstanding));
        loop {
            let more = lacking(&points, 0.01);
            if more.is_empty() {
                return points;
            }
            points.extend(more.into_iter().map(at));
            points.sort_by(|one, next| one.outstanding.total_cmp(&next.outstanding));
            assert!(points.len() <= POINTS_MAX);
        }
    }

    /// Between its points the curve is known to 2 %, however sharp its bend is and wherever it lies.
    #[test]
    fn points_lie_where_the_curve_bends() {
        for (most, bend) in [
            (3_300.0, 4_000.0),
            (3_300.0, 400.0),
            (1_100.0, 1_000.0),
            (12_000.0, 8_000.0),
        ] {
            let points = placed(most, bend);
            let curve = SurfaceCurve {
                points: points.clone(),
            };
            let first = points[0].outstanding;
            let worst = (0..=10_000).map(|step| {
                let lines = first + (most - first) * f64::from(step) / 10_000.0;
                let found = curve.answer(lines).latency_ns;
                (found / latency(lines, bend) - 1.0).abs()
            });
            let worst = worst.fold(0.0, f64::max);
            assert!(
                worst < 0.02,
                "{most}, {bend}: {worst} with {}",
                points.len()
            );
        }
    }

    #[test]
    fn a_straight_curve_needs_no_more_points() {
        let saturated = [1_100.0, 1_500.0, 3_000.0].map(|lines| point(lines, 0.0));
        assert_eq!(lacking(&saturated, 0.01), [0.0; 0]);
    }
}
