//! What makes a surface impossible.

use super::{Surface, SurfacePoint};

/// Why a text is no surface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// It is no JSON, or not of this form.
    #[error("line {line}, column {column}: {problem}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What was found, and what is allowed.
        problem: String,
    },
    /// It is of another version.
    #[error("the surface has schema {0}; this version reads schema {expected}", expected = Surface::SCHEMA)]
    Version(u32),
    /// An axis is empty, descends, or leaves its range.
    #[error("{axis}: {found:?}; allowed: ascending numbers, at least one, {allowed}")]
    Axis {
        /// The name of its field.
        axis: &'static str,
        /// What stands there.
        found: Vec<f64>,
        /// What may stand there.
        allowed: &'static str,
    },
    /// There are more curves than combinations, or fewer.
    #[error("{found} curves; {expected} write shares x localities x imbalances need one each")]
    Curves {
        /// Curves.
        found: usize,
        /// Combinations.
        expected: usize,
    },
    /// A curve has no points.
    #[error("curve {curve} has no points; at least one is needed")]
    NoPoints {
        /// Its number, from 1.
        curve: usize,
    },
    /// A figure of a point is impossible.
    #[error("curve {curve}, point {point}, {field}: {found}; allowed: {allowed}")]
    Point {
        /// Number of the curve, from 1.
        curve: usize,
        /// Number of the point, from 1.
        point: usize,
        /// Name of the field.
        field: &'static str,
        /// What stands there.
        found: f64,
        /// What may stand there.
        allowed: &'static str,
    },
    /// A point contradicts itself: by Little's law, lines times 64 bytes are throughput times latency.
    #[error(
        "curve {curve}, point {point}: {outstanding} lines under way for {latency_ns} ns each are {little} B/s, and \
         bytes_per_s says {bytes_per_s}; they may differ by {percent} %",
        percent = LITTLE * 100.0
    )]
    Little {
        /// Number of the curve, from 1.
        curve: usize,
        /// Number of the point, from 1.
        point: usize,
        /// Lines under way.
        outstanding: f64,
        /// Mean time of a line.
        latency_ns: f64,
        /// Throughput that follows.
        little: f64,
        /// Throughput that is stated.
        bytes_per_s: f64,
    },
}

/// How far a point may be off Little's law: lines are on their way at either end of a run.
const LITTLE: f64 = 0.05;

/// Most points, curves and coordinates that are taken: far more than any surface needs.
const MANY: usize = 1_000_000;

impl SurfaceError {
    pub(super) fn syntax(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let problem = error.to_string();
        let end = format!(" at line {line} column {column}");
        Self::Syntax {
            line,
            column,
            problem: problem.strip_suffix(&end).unwrap_or(&problem).to_owned(),
        }
    }
}

impl Surface {
    /// Whether axes, curves and points fit together.
    ///
    /// # Errors
    /// The first contradiction, with its place.
    pub fn check(&self) -> Result<(), SurfaceError> {
        if self.schema != Self::SCHEMA {
            return Err(SurfaceError::Version(self.schema));
        }
        for (axis, values, least, most, allowed) in [
            ("write_shares", &self.write_shares, 0.0, 1.0, "from 0 to 1"),
            ("localities", &self.localities, 0.0, 1.0, "from 0 to 1"),
            ("imbalances", &self.imbalances, 1.0, 1e6, "from 1 on"),
        ] {
            let rises = values.windows(2).all(|pair| pair[0] < pair[1]);
            let within = values.iter().all(|value| (least..=most).contains(value));
            if values.is_empty() || values.len() > MANY || !rises || !within {
                let found = values.iter().copied().take(16).collect();
                return Err(SurfaceError::Axis {
                    axis,
                    found,
                    allowed,
                });
            }
        }
        let lengths = [&self.write_shares, &self.localities, &self.imbalances].map(Vec::len);
        let expected = lengths.into_iter().fold(1, usize::saturating_mul);
        if self.curves.len() != expected {
            let found = self.curves.len();
            return Err(SurfaceError::Curves { found, expected });
        }
        for (number, curve) in self.curves.iter().enumerate() {
            let curve_number = number + 1;
            if curve.points.is_empty() {
                return Err(SurfaceError::NoPoints {
                    curve: curve_number,
                });
            }
            let mut before = 0.0;
            for (number, point) in curve.points.iter().enumerate() {
                point.check(curve_number, number + 1, before)?;
                before = point.outstanding;
            }
        }
        Ok(())
    }
}

impl SurfacePoint {
    /// Whether a point is possible behind one with so many lines.
    fn check(&self, curve: usize, point: usize, before: f64) -> Result<(), SurfaceError> {
        const POSITIVE: &str = "a number above 0";
        const NOT_NEGATIVE: &str = "a number from 0 on";
        let above = |value: f64| value.is_finite() && value > 0.0;
        let from = |value: f64| value.is_finite() && value >= 0.0;
        let rules = [
            (
                "outstanding",
                self.outstanding,
                POSITIVE,
                above(self.outstanding),
            ),
            (
                "outstanding",
                self.outstanding,
                "more than the point before",
                self.outstanding > before,
            ),
            (
                "latency_ns",
                self.latency_ns,
                POSITIVE,
                above(self.latency_ns),
            ),
            (
                "latency_ns",
                self.latency_ns,
                "1e9 ns at most",
                self.latency_ns <= 1e9,
            ),
            (
                "error_ns",
                self.error_ns,
                "from 0 to latency_ns",
                from(self.error_ns) && self.error_ns <= self.latency_ns,
            ),
            (
                "read_p50_ns",
                self.read_p50_ns,
                NOT_NEGATIVE,
                from(self.read_p50_ns),
            ),
            (
                "read_p99_ns",
                self.read_p99_ns,
                "a number from read_p50_ns on",
                from(self.read_p99_ns) && self.read_p99_ns >= self.read_p50_ns,
            ),
            (
                "read_ns",
                self.read_ns,
                "from a tenth to ten times latency_ns",
                (0.1..=10.0).contains(&(self.read_ns / self.latency_ns)),
            ),
            (
                "bytes_per_s",
                self.bytes_per_s,
                POSITIVE,
                above(self.bytes_per_s),
            ),
            (
                "power_w",
                self.power_w,
                "from 0 to 1e6 W",
                (0.0..=1e6).contains(&self.power_w),
            ),
        ];
        if let Some((field, found, allowed, _)) = rules.into_iter().find(|rule| !rule.3) {
            return Err(SurfaceError::Point {
                curve,
                point,
                field,
                found,
                allowed,
            });
        }
        let little = self.outstanding * 64e9 / self.latency_ns;
        if (little / self.bytes_per_s - 1.0).abs() > LITTLE {
            return Err(SurfaceError::Little {
                curve,
                point,
                outstanding: self.outstanding,
                latency_ns: self.latency_ns,
                little,
                bytes_per_s: self.bytes_per_s,
            });
        }
        Ok(())
    }
}
