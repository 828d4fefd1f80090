//! Latency over lines outstanding at one place of a surface: what a closed loop is solved on.

use crate::surface::{self, Surface, SurfaceCurve};

/// Where a curve was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePlace {
    /// Share of lines that are written, from 0 to 1.
    pub write_share: f64,
    /// Share of lines that follow the line before them, from 0 to 1.
    pub locality: f64,
    /// Load of the busiest channel over the mean, from 1 on.
    pub imbalance: f64,
}

impl CurvePlace {
    /// Random reads over channels that all have as much to do.
    pub const PLAIN: Self = Self {
        write_share: 0.0,
        locality: 0.0,
        imbalance: 1.0,
    };

    /// Each coordinate made of both.
    #[must_use]
    pub fn with(&self, other: &Self, of: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            write_share: of(self.write_share, other.write_share),
            locality: of(self.locality, other.locality),
            imbalance: of(self.imbalance, other.imbalance),
        }
    }
}

/// A memory as the projection sees it: its latency over lines outstanding, wherever it is asked.
pub trait LatencySurface: Sync {
    /// The curve at a place.
    fn curve(&self, at: CurvePlace) -> MemoryCurve;

    /// Relative standard error of the latencies: 0.01 means 1 %.
    fn error(&self) -> f64;

    /// The least and the greatest of each coordinate that it knows; a curve beyond them is that of the end.
    fn ends(&self) -> [CurvePlace; 2];
}

/// A surface as a table: each of its curves at the same lines outstanding, so close that straight lines between them are the
/// surface. A curve between the axes is then a sum of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceTable {
    axes: [Vec<f64>; 3],
    outstanding: Vec<f64>,
    /// Latency of lines, latency of reads and power, for each curve of the surface in its order.
    rows: Vec<Vec<[f64; 3]>>,
    error: f64,
}

impl SurfaceTable {
    /// Of a surface that was [checked](Surface::check).
    #[must_use]
    pub fn of(surface: &Surface) -> Self {
        /// Places from the first point to the last, by equal factors.
        const PLACES: i32 = 56;
        /// Lines of an idle memory, as a share of those of the first point.
        const IDLE: f64 = 1e-3;
        let last = surface.outstanding_max();
        let ends = surface
            .curves
            .iter()
            .filter_map(|curve| curve.points.first());
        let first = ends.map(|point| point.outstanding).fold(last, f64::min);
        let step = libm::pow(last / first, 1.0 / f64::from(PLACES - 1));
        let mut outstanding = vec![IDLE * first];
        outstanding.extend((0..PLACES).map(|place| first * libm::pow(step, f64::from(place))));
        let row = |curve: &SurfaceCurve| {
            let figures = outstanding.iter().map(|outstanding| {
                let answer = curve.answer(*outstanding);
                [answer.latency_ns, answer.read_ns, answer.power_w]
            });
            figures.collect()
        };
        Self {
            axes: [
                surface.write_shares.clone(),
                surface.localities.clone(),
                surface.imbalances.clone(),
            ],
            rows: surface.curves.iter().map(row).collect(),
            error: relative_error(surface),
            outstanding,
        }
    }
}

/// Relative standard error of a surface's latencies: of chance at its points, and of what lies between them.
fn relative_error(surface: &Surface) -> f64 {
    /// Half the width of a 95 % interval in standard errors.
    const HALF_WIDTH: f64 = 1.96;
    /// Points are added until what lies between two is known to about 2 % of latency (95 %).
    const BETWEEN: f64 = 0.02 / HALF_WIDTH;
    let points = surface.curves.iter().flat_map(|curve| &curve.points);
    let mut errors: Vec<f64> = points
        .map(|point| point.error_ns / point.latency_ns)
        .collect();
    errors.sort_by(f64::total_cmp);
    let chance = errors
        .get(errors.len() / 2)
        .map_or(0.0, |error| error / HALF_WIDTH);
    (chance * chance + BETWEEN * BETWEEN).sqrt()
}

impl LatencySurface for SurfaceTable {
    fn curve(&self, at: CurvePlace) -> MemoryCurve {
        let coordinates = [at.write_share, at.locality, at.imbalance];
        let axes = [0, 1, 2].map(|axis| (&*self.axes[axis], coordinates[axis]));
        let mut sums = vec![[0.0; 3]; self.outstanding.len()];
        for (row, weight) in surface::corners(axes) {
            let Some(row) = self.rows.get(row).filter(|_| weight != 0.0) else {
                continue;
            };
            for (sum, figures) in sums.iter_mut().zip(row) {
                for (sum, figure) in sum.iter_mut().zip(figures) {
                    *sum += weight * figure;
                }
            }
        }
        let places = self.outstanding.iter().zip(sums);
        MemoryCurve::with_reads(
            places.map(|(outstanding, [line, read, power])| [*outstanding, line, read, power]),
        )
    }

    fn error(&self) -> f64 {
        self.error
    }

    fn ends(&self) -> [CurvePlace; 2] {
        let end = |of: fn(&[f64]) -> Option<&f64>| {
            let [write_share, locality, imbalance] =
                [0, 1, 2].map(|axis| of(&self.axes[axis]).copied().unwrap_or(0.0));
            CurvePlace {
                write_share,
                locality,
                imbalance,
            }
        };
        [end(<[f64]>::first), end(<[f64]>::last)]
    }
}

/// Latency and power over lines outstanding. Between points they follow straight lines; before the first point latency
/// is that of the first, and beyond the last point throughput is that of the last.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryCurve {
    points: Vec<CurveNode>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct CurveNode {
    outstanding: f64,
    latency_ns: f64,
    /// Time of a read as a multiple of that of a line.
    read_share: f64,
    power_w: f64,
}

/// Latency between two points: `start_ns + slope * O`.
struct CurveSegment {
    start_ns: f64,
    slope: f64,
    low: f64,
    high: f64,
}

impl CurveSegment {
    /// Lines outstanding within it: rounding takes no root beyond its ends.
    fn clamp(&self, outstanding: f64) -> f64 {
        outstanding.clamp(self.low, self.high)
    }
}

impl CurveNode {
    fn rate(&self) -> f64 {
        self.outstanding / self.latency_ns
    }
}

impl MemoryCurve {
    /// From places: lines outstanding, latency in nanoseconds, power in watts. More lines under way never shorten a line's
    /// time and never carry less: where chance says so, the points before count. Reads take as long as lines.
    ///
    /// # Panics
    /// Without any place that has lines outstanding and a latency.
    #[must_use]
    pub fn of(places: impl IntoIterator<Item = [f64; 3]>) -> Self {
        let places = places.into_iter();
        Self::with_reads(places.map(|[outstanding, line, power]| [outstanding, line, line, power]))
    }

    /// The same where reads take another time than lines, which comes third.
    ///
    /// # Panics
    /// Without any place that has lines outstanding and a latency.
    #[must_use]
    pub fn with_reads(places: impl IntoIterator<Item = [f64; 4]>) -> Self {
        let nodes = places
            .into_iter()
            .map(|[outstanding, latency_ns, read_ns, power_w]| CurveNode {
                outstanding,
                latency_ns,
                read_share: read_ns / latency_ns,
                power_w,
            });
        Self::of_nodes(nodes)
    }

    fn of_nodes(nodes: impl Iterator<Item = CurveNode>) -> Self {
        let is_known = |node: &CurveNode| {
            node.outstanding > 0.0 && node.latency_ns > 0.0 && node.rate().is_finite()
        };
        let mut points: Vec<CurveNode> = nodes.filter(is_known).collect();
        assert!(!points.is_empty(), "a curve has a point");
        points.sort_by(|a, b| a.outstanding.total_cmp(&b.outstanding));
        points.dedup_by_key(|point| point.outstanding.to_bits());
        for place in 1..points.len() {
            let before = points[place - 1];
            let point = &mut points[place];
            let most = point.outstanding / before.rate();
            point.latency_ns = point.latency_ns.max(before.latency_ns).min(most);
        }
        Self { points }
    }

    /// Latency of the least load, in nanoseconds.
    #[must_use]
    pub fn idle_ns(&self) -> f64 {
        self.points[0].latency_ns
    }

    /// Mean time of a line in nanoseconds.
    #[must_use]
    pub fn latency_ns(&self, outstanding: f64) -> f64 {
        let (first, last) = (self.points[0], self.last());
        if outstanding <= first.outstanding {
            return first.latency_ns;
        }
        if outstanding >= last.outstanding {
            return last.latency_ns.max(outstanding / last.rate());
        }
        self.between(outstanding, |point| point.latency_ns)
    }

    /// Mean time of a read in nanoseconds.
    #[must_use]
    pub fn read_ns(&self, outstanding: f64) -> f64 {
        self.latency_ns(outstanding) * self.between(outstanding, |point| point.read_share)
    }

    /// Power of the modules in watts.
    #[must_use]
    pub fn power_w(&self, outstanding: f64) -> f64 {
        self.between(outstanding, |point| point.power_w)
    }

    /// Lines a nanosecond.
    #[must_use]
    pub fn rate(&self, outstanding: f64) -> f64 {
        outstanding / self.latency_ns(outstanding)
    }

    /// The fewest lines outstanding at which so many lines a nanosecond are carried; `most` where that is not enough.
    #[must_use]
    pub fn outstanding_at(&self, rate: f64, most: f64) -> f64 {
        if self.rate(most) <= rate {
            return most;
        }
        let above = self.points.partition_point(|point| point.rate() < rate);
        let segment = self.segment(above, most);
        // O / (a + bO) = rate
        segment.clamp(rate * segment.start_ns / (1.0 - rate * segment.slope))
    }

    /// Lines outstanding of `cores` closed loops that each compute for `compute_ns` a line and have `parallel` lines under way
    /// while they wait: where O/L * c + O/m = cores. Not more than `most`.
    #[must_use]
    pub fn outstanding_of(&self, compute_ns: f64, parallel: f64, cores: f64, most: f64) -> f64 {
        let busy =
            |outstanding: f64, latency: f64| outstanding * (compute_ns / latency + 1.0 / parallel);
        if busy(most, self.latency_ns(most)) <= cores {
            return most;
        }
        let above = self
            .points
            .partition_point(|point| busy(point.outstanding, point.latency_ns) < cores);
        let segment = self.segment(above, most);
        // With L = a + bO it is (b/m) O^2 + (c + a/m - cores b) O - cores a = 0, and has one root above 0.
        let square = segment.slope / parallel;
        let linear = compute_ns + segment.start_ns / parallel - cores * segment.slope;
        let root = (linear * linear + 4.0 * square * cores * segment.start_ns).sqrt();
        segment.clamp(match linear > 0.0 {
            true => 2.0 * cores * segment.start_ns / (linear + root),
            false => (root - linear) / (2.0 * square),
        })
    }

    /// The straight line in front of a point, or behind the last one, as far as `most`.
    fn segment(&self, above: usize, most: f64) -> CurveSegment {
        let end = |place: usize| {
            self.points
                .get(place)
                .map_or(most, |point| point.outstanding)
        };
        let low = above.checked_sub(1).map_or(0.0, end).min(most);
        let high = end(above).min(most);
        let from = self.latency_ns(low);
        let slope = (self.latency_ns(high) - from) / (high - low).max(f64::MIN_POSITIVE);
        CurveSegment {
            start_ns: from - slope * low,
            slope,
            low,
            high,
        }
    }

    /// The same memory with latencies longer by a share.
    #[must_use]
    pub fn longer(&self, share: f64) -> Self {
        let factor = (1.0 + share).max(0.01);
        let longer = |point: &CurveNode| CurveNode {
            latency_ns: point.latency_ns * factor,
            ..*point
        };
        Self::of_nodes(self.points.iter().map(longer))
    }

    /// The same memory with buses that carry so many times as much: at so many times the throughput, the waits beyond the
    /// latency of the least load are shorter by the same factor.
    #[must_use]
    pub fn faster(&self, times: f64) -> Self {
        let idle = self.idle_ns();
        let faster = |point: &CurveNode| {
            let latency_ns = idle + (point.latency_ns - idle) / times;
            CurveNode {
                outstanding: point.rate() * times * latency_ns,
                latency_ns,
                ..*point
            }
        };
        Self::of_nodes(self.points.iter().map(faster))
    }

    /// The same memory with every line a time shorter, at the same throughput.
    #[must_use]
    pub fn sooner(&self, ns: f64) -> Self {
        let sooner = |point: &CurveNode| {
            let latency_ns = (point.latency_ns - ns).max(0.1 * point.latency_ns);
            CurveNode {
                outstanding: point.rate() * latency_ns,
                latency_ns,
                ..*point
            }
        };
        Self::of_nodes(self.points.iter().map(sooner))
    }

    fn last(&self) -> CurveNode {
        self.points[self.points.len() - 1]
    }

    fn between(&self, outstanding: f64, of: impl Fn(&CurveNode) -> f64) -> f64 {
        let above = self
            .points
            .partition_point(|point| point.outstanding < outstanding);
        if above == 0 || above == self.points.len() {
            return of(&self.points[above.min(self.points.len() - 1)]);
        }
        let (low, high) = (&self.points[above - 1], &self.points[above]);
        let share = (outstanding - low.outstanding) / (high.outstanding - low.outstanding);
        of(low) + share * (of(high) - of(low))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Where a function that grows with lines outstanding passes 0, by halving alone.
    fn crossing(curve: &MemoryCurve, most: f64, of: impl Fn(f64, f64) -> f64) -> f64 {
        let value = |outstanding: f64| of(outstanding, curve.latency_ns(outstanding));
        if value(most) <= 0.0 {
            return most;
        }
        let (mut low, mut high) = (0.0, most);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if value(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    proptest! {
        #[test]
        fn roots_are_those_that_halving_finds(
            rate in 0.01_f64..1.4, compute in 0.0_f64..900.0, parallel in 0.5_f64..40.0, cores in 1.0_f64..200.0,
            most in 5.0_f64..2000.0,
        ) {
            let curve = curve();
            let found = curve.outstanding_at(rate, most);
            let plain = crossing(&curve, most, |outstanding, latency| outstanding / latency - rate);
            prop_assert!((found / plain - 1.0).abs() < 1e-9, "{found} {plain}");
            let found = curve.outstanding_of(compute, parallel, cores, most);
            let plain = crossing(&curve, most, |outstanding, latency| {
                outstanding * (compute / latency + 1.0 / parallel) - cores
            });
            prop_assert!((found / plain - 1.0).abs() < 1e-9, "{found} {plain}");
        }
    }

    fn curve() -> MemoryCurve {
        MemoryCurve::of([
            [10.0, 100.0, 20.0],
            [100.0, 110.0, 30.0],
            [200.0, 160.0, 40.0],
            [400.0, 320.0, 41.0],
        ])
    }

    #[test]
    fn ends_are_as_a_memory_has_them() {
        let curve = curve();
        assert!((curve.latency_ns(1.0) - 100.0).abs() < 1e-12);
        assert!((curve.rate(4000.0) - curve.rate(400.0)).abs() < 1e-12);
        assert!((curve.power_w(1e9) - 41.0).abs() < 1e-12);
        assert!((curve.latency_ns(150.0) - 135.0).abs() < 1e-12);
    }

    #[test]
    fn a_rate_is_found_again() {
        let curve = curve();
        for outstanding in [3.0, 42.0, 150.0, 199.0] {
            let found = curve.outstanding_at(curve.rate(outstanding), 1000.0);
            assert!((found / outstanding - 1.0).abs() < 1e-9, "{found}");
        }
        assert!((curve.outstanding_at(99.0, 1000.0) - 1000.0).abs() < 1e-12);
    }

    #[test]
    fn chance_makes_no_memory_that_carries_less_under_more_load() {
        let curve = MemoryCurve::of([[10.0, 100.0, 0.0], [20.0, 99.0, 0.0], [40.0, 600.0, 0.0]]);
        assert!((curve.latency_ns(20.0) - 100.0).abs() < 1e-12);
        assert!((curve.rate(40.0) - curve.rate(20.0)).abs() < 1e-12);
    }

    #[test]
    fn a_faster_bus_and_a_shorter_way_change_what_they_name() {
        let curve = curve();
        let faster = curve.faster(1.25);
        assert!((faster.rate(1e6) / curve.rate(1e6) - 1.25).abs() < 1e-9);
        assert!((faster.idle_ns() - curve.idle_ns()).abs() < 1e-9);
        let sooner = curve.sooner(5.0);
        assert!((sooner.idle_ns() - 95.0).abs() < 1e-9);
        assert!((sooner.rate(1e6) - curve.rate(1e6)).abs() < 1e-9);
    }
}
