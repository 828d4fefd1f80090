//! Figures between the points of a surface.

use super::{Surface, SurfaceAnswer, SurfaceCurve, SurfacePlace, SurfacePoint};

/// Bytes of a line.
const LINE_BYTES: f64 = 64.0;

impl Surface {
    /// What the surface says of a place. Coordinates beyond an axis are those of its end; lines outstanding go on.
    ///
    /// Latency never falls with lines outstanding where it does not fall from point to point. A surface that was not
    /// [checked](Self::check) may give figures that are no numbers.
    #[must_use]
    pub fn answer(&self, place: &SurfacePlace) -> SurfaceAnswer {
        let axes = [
            (&*self.write_shares, place.write_share),
            (&*self.localities, place.locality),
            (&*self.imbalances, place.imbalance),
        ];
        let mut sum = SurfaceAnswer {
            latency_ns: 0.0,
            error_ns: 0.0,
            read_ns: 0.0,
            bytes_per_s: 0.0,
            power_w: 0.0,
        };
        for (curve, weight) in corners(axes) {
            let Some(curve) = self.curves.get(curve).filter(|_| weight != 0.0) else {
                continue;
            };
            let answer = curve.answer(place.outstanding);
            sum.latency_ns += weight * answer.latency_ns;
            sum.error_ns += weight * answer.error_ns;
            sum.read_ns += weight * answer.read_ns;
            sum.power_w += weight * answer.power_w;
        }
        sum.bytes_per_s = little(place.outstanding, sum.latency_ns);
        sum
    }
}

/// The curves around a place, by their number in the surface, with their weights: each axis with its coordinate.
pub(crate) fn corners(axes: [(&[f64], f64); 3]) -> [(usize, f64); 8] {
    let around = axes.map(|(values, value)| between(values, value));
    [0, 1, 2, 3, 4, 5, 6, 7].map(|corner| {
        let ends = [4, 2, 1].map(|bit| usize::from(corner & bit != 0));
        let chosen = [0, 1, 2].map(|axis| around[axis][ends[axis]]);
        let number = chosen
            .iter()
            .zip(axes)
            .fold(0, |number, ((place, _), (values, _))| {
                number * values.len() + place
            });
        (number, chosen.iter().map(|(_, weight)| weight).product())
    })
}

/// Throughput by Little's law.
fn little(outstanding: f64, latency_ns: f64) -> f64 {
    if outstanding <= 0.0 {
        return 0.0;
    }
    outstanding * LINE_BYTES * 1e9 / latency_ns
}

/// The neighbours of a value on an axis, with their weights. Beyond the axis its end counts alone.
fn between(axis: &[f64], value: f64) -> [(usize, f64); 2] {
    let upper = axis.partition_point(|&coordinate| coordinate < value);
    let last = axis.len().saturating_sub(1);
    if upper == 0 || upper > last {
        return [(upper.min(last), 1.0), (last, 0.0)];
    }
    let (low, high) = (axis[upper - 1], axis[upper]);
    let share = (value - low) / (high - low);
    [(upper - 1, 1.0 - share), (upper, share)]
}

impl SurfaceCurve {
    /// What the curve says of so many lines outstanding.
    #[must_use]
    pub fn answer(&self, outstanding: f64) -> SurfaceAnswer {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            let latency_ns = f64::NAN;
            return SurfaceAnswer {
                latency_ns,
                error_ns: f64::NAN,
                read_ns: f64::NAN,
                bytes_per_s: f64::NAN,
                power_w: f64::NAN,
            };
        };
        if outstanding <= first.outstanding {
            return SurfaceAnswer {
                bytes_per_s: little(outstanding, first.latency_ns),
                power_w: self.power_below(outstanding),
                ..SurfaceAnswer::of(first)
            };
        }
        if outstanding >= last.outstanding {
            // What is more waits: everybody for longer, and nothing else changes.
            let longer = outstanding / last.outstanding;
            let latency_ns = last.latency_ns * longer;
            return SurfaceAnswer {
                latency_ns,
                error_ns: last.error_ns * longer,
                read_ns: last.read_ns + latency_ns - last.latency_ns,
                bytes_per_s: little(outstanding, latency_ns),
                power_w: last.power_w,
            };
        }
        let above = self
            .points
            .partition_point(|point| point.outstanding < outstanding);
        let of = |figure: fn(&SurfacePoint) -> f64| self.cubic(above, outstanding, figure);
        let (low, high) = (&self.points[above - 1], &self.points[above]);
        let share = (outstanding - low.outstanding) / (high.outstanding - low.outstanding);
        let latency_ns = of(|point| point.latency_ns);
        SurfaceAnswer {
            latency_ns,
            error_ns: low.error_ns + share * (high.error_ns - low.error_ns),
            read_ns: of(|point| point.read_ns),
            bytes_per_s: little(outstanding, latency_ns),
            power_w: of(|point| point.power_w),
        }
    }

    /// Power with fewer lines than the first point has: it falls with the throughput as it rises behind that point, and not
    /// below 0.
    fn power_below(&self, outstanding: f64) -> f64 {
        let [first, second, ..] = &self.points[..] else {
            return self.points.first().map_or(f64::NAN, |first| first.power_w);
        };
        let rise = (second.power_w - first.power_w) / (second.bytes_per_s - first.bytes_per_s);
        let rise = if rise.is_finite() { rise.max(0.0) } else { 0.0 };
        let fewer = first.bytes_per_s - little(outstanding, first.latency_ns);
        (first.power_w - rise * fewer.max(0.0)).max(0.0)
    }

    /// A figure in front of a point, by the cubic of Hermite with monotone slopes.
    fn cubic(&self, above: usize, outstanding: f64, figure: fn(&SurfacePoint) -> f64) -> f64 {
        let (low, high) = (&self.points[above - 1], &self.points[above]);
        let width = high.outstanding - low.outstanding;
        let (from, to) = (figure(low), figure(high));
        let [start, end] = [above - 1, above].map(|point| self.slope(point, figure));
        let t = (outstanding - low.outstanding) / width;
        let (square, cube) = (t * t, t * t * t);
        let rise = (3.0 * square - 2.0 * cube) * (to - from);
        let bend = (cube - 2.0 * square + t) * start + (cube - square) * end;
        from + rise + width * bend
    }

    /// The slope of a figure at a point.
    fn slope(&self, point: usize, figure: fn(&SurfacePoint) -> f64) -> f64 {
        let secant = |low: usize| {
            let (low, high) = (&self.points[low], &self.points[low + 1]);
            let width = high.outstanding - low.outstanding;
            (width, (figure(high) - figure(low)) / width)
        };
        let last = self.points.len() - 1;
        match point {
            0 => secant(0).1,
            _ if point == last => secant(last - 1).1,
            _ => {
                let ((before, left), (behind, right)) = (secant(point - 1), secant(point));
                if left * right <= 0.0 {
                    return 0.0;
                }
                // The weighted harmonic mean, at most three times the lesser of both, which keeps the cubic monotone.
                let sum = before + behind;
                3.0 * sum / ((sum + behind) / left + (sum + before) / right)
            }
        }
    }
}

impl SurfaceAnswer {
    fn of(point: &SurfacePoint) -> Self {
        Self {
            latency_ns: point.latency_ns,
            error_ns: point.error_ns,
            read_ns: point.read_ns,
            bytes_per_s: point.bytes_per_s,
            power_w: point.power_w,
        }
    }
}
