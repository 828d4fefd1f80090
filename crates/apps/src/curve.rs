//! Latency over lines outstanding at one place of a surface: what a closed loop is solved on.

use crate::surface::{Surface, SurfacePlace};

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
}

impl LatencySurface for Surface {
    fn curve(&self, at: CurvePlace) -> MemoryCurve {
        /// Places that a curve is taken at, so close that straight lines between them are the surface.
        const PLACES: i32 = 56;
        let last = self.outstanding_max();
        let ends = self.curves.iter().filter_map(|curve| curve.points.first());
        let first = ends.map(|point| point.outstanding).fold(last, f64::min);
        let step = libm::pow(last / first, 1.0 / f64::from(PLACES - 1));
        let mut outstanding = first;
        let places = (0..PLACES).map(|_| {
            let answer = self.answer(&SurfacePlace {
                outstanding,
                write_share: at.write_share,
                locality: at.locality,
                imbalance: at.imbalance,
            });
            let place = [outstanding, answer.latency_ns, answer.power_w];
            outstanding *= step;
            place
        });
        MemoryCurve::of(places)
    }

    fn error(&self) -> f64 {
        /// Half the width of a 95 % interval in standard errors.
        const HALF_WIDTH: f64 = 1.96;
        /// A surface is placed so that it is known to 2 % of latency between its points (95 %).
        const BETWEEN: f64 = 0.02 / HALF_WIDTH;
        let points = self.curves.iter().flat_map(|curve| &curve.points);
        let mut errors: Vec<f64> = points
            .map(|point| point.error_ns / point.latency_ns)
            .collect();
        errors.sort_by(f64::total_cmp);
        let chance = errors
            .get(errors.len() / 2)
            .map_or(0.0, |error| error / HALF_WIDTH);
        (chance * chance + BETWEEN * BETWEEN).sqrt()
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
    power_w: f64,
}

impl CurveNode {
    fn rate(&self) -> f64 {
        self.outstanding / self.latency_ns
    }
}

impl MemoryCurve {
    /// From places: lines outstanding, latency in nanoseconds, power in watts. More lines under way never shorten a line's
    /// time and never carry less: where chance says so, the points before count.
    ///
    /// # Panics
    /// Without any place that has lines outstanding and a latency.
    #[must_use]
    pub fn of(places: impl IntoIterator<Item = [f64; 3]>) -> Self {
        let known = |[outstanding, latency_ns, power_w]: [f64; 3]| {
            let point = CurveNode {
                outstanding,
                latency_ns,
                power_w,
            };
            (outstanding > 0.0 && latency_ns > 0.0 && point.rate().is_finite()).then_some(point)
        };
        let mut points: Vec<CurveNode> = places.into_iter().filter_map(known).collect();
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

    /// Power of the modules in watts.
    #[must_use]
    pub fn power_w(&self, outstanding: f64) -> f64 {
        let within = outstanding.clamp(self.points[0].outstanding, self.last().outstanding);
        self.between(within, |point| point.power_w)
    }

    /// Lines a nanosecond.
    #[must_use]
    pub fn rate(&self, outstanding: f64) -> f64 {
        outstanding / self.latency_ns(outstanding)
    }

    /// The fewest lines outstanding at which so many lines a nanosecond are carried; `most` where that is not enough.
    #[must_use]
    pub fn outstanding_at(&self, rate: f64, most: f64) -> f64 {
        self.crossing(most, |outstanding, latency| outstanding / latency - rate)
    }

    /// Where a function that grows with lines outstanding passes 0, not beyond `most`. It gets lines outstanding and
    /// latency.
    pub(crate) fn crossing(&self, most: f64, of: impl Fn(f64, f64) -> f64) -> f64 {
        /// More halvings than a number has digits.
        const HALVINGS: usize = 64;
        let value = |outstanding: f64| of(outstanding, self.latency_ns(outstanding));
        if value(most) <= 0.0 {
            return most;
        }
        let below = self
            .points
            .partition_point(|point| of(point.outstanding, point.latency_ns) < 0.0);
        let end = |place: usize| {
            self.points
                .get(place)
                .map_or(most, |point| point.outstanding)
        };
        let mut low = if below == 0 {
            0.0
        } else {
            end(below - 1).min(most)
        };
        let mut high = end(below).min(most);
        // Between two points latency follows a straight line, so that it is looked up twice.
        let (from, start) = (low, self.latency_ns(low));
        let slope = (self.latency_ns(high) - start) / (high - low).max(f64::MIN_POSITIVE);
        let value = |outstanding: f64| of(outstanding, start + slope * (outstanding - from));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if value(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// The same memory with latencies longer by a share.
    #[must_use]
    pub fn longer(&self, share: f64) -> Self {
        let factor = (1.0 + share).max(0.01);
        let longer =
            |point: &CurveNode| [point.outstanding, point.latency_ns * factor, point.power_w];
        Self::of(self.points.iter().map(longer))
    }

    /// The same memory with buses that carry so many times as much: at so many times the throughput, the waits beyond the
    /// latency of the least load are shorter by the same factor.
    #[must_use]
    pub fn faster(&self, times: f64) -> Self {
        let idle = self.idle_ns();
        let faster = |point: &CurveNode| {
            let latency = idle + (point.latency_ns - idle) / times;
            [point.rate() * times * latency, latency, point.power_w]
        };
        Self::of(self.points.iter().map(faster))
    }

    /// The same memory with every line a time shorter, at the same throughput.
    #[must_use]
    pub fn sooner(&self, ns: f64) -> Self {
        let sooner = |point: &CurveNode| {
            let latency = (point.latency_ns - ns).max(0.1 * point.latency_ns);
            [point.rate() * latency, latency, point.power_w]
        };
        Self::of(self.points.iter().map(sooner))
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
    use super::*;

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
