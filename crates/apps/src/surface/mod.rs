//! Latency of a memory over the lines that are under way.
//!
//! Throughput is no coordinate near saturation: there the same throughput has many latencies. Lines outstanding are, because
//! a program is a closed loop: each core has so many lines under way, and no more.
//!
//! Between the points of a curve latency follows a monotone cubic (Fritsch and Carlson, "Monotone piecewise cubic
//! interpolation", SIAM J. Numer. Anal. 17, 1980, with the slopes of Fritsch and Butland, 1984): no wave between two points, and
//! none that falls between two that rise. Before the first point latency is that of the first, an idle memory. Beyond the last
//! one it grows with the lines, so that the throughput stays: what is more only waits. Between curves all figures are linear.

mod answer;
mod problems;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use answer::corners;
pub use problems::SurfaceError;

/// The latency of one memory behind one system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Surface {
    /// Version of this format: 1.
    pub schema: u32,
    /// The memory, as `MODULE@SYSTEM`.
    pub target: String,
    /// Shares of lines that are written, ascending.
    pub write_shares: Vec<f64>,
    /// Shares of lines that follow the line before them, ascending.
    pub localities: Vec<f64>,
    /// Load of the busiest channel over the mean, ascending from 1.
    pub imbalances: Vec<f64>,
    /// A curve for each combination; the last axis changes fastest.
    pub curves: Vec<SurfaceCurve>,
}

/// Latency over lines outstanding, at one write share, locality and imbalance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SurfaceCurve {
    /// By lines outstanding, ascending.
    pub points: Vec<SurfacePoint>,
}

/// What was simulated at one place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SurfacePoint {
    /// Lines under way in all cores together, reads and writes, in the mean.
    pub outstanding: f64,
    /// Mean time of a line from core to core in nanoseconds: that of `outstanding`, by Little's law.
    pub latency_ns: f64,
    /// Half the width of its 95 % confidence interval, in nanoseconds.
    pub error_ns: f64,
    /// The time that half of the reads do not exceed, in nanoseconds.
    pub read_p50_ns: f64,
    /// The time that 99 % of the reads do not exceed, in nanoseconds.
    pub read_p99_ns: f64,
    /// Mean time of a read in nanoseconds.
    pub read_ns: f64,
    /// Bytes read and written per second.
    pub bytes_per_s: f64,
    /// Power of all modules in watts.
    pub power_w: f64,
}

/// Where on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePlace {
    /// Lines under way in all cores together.
    pub outstanding: f64,
    /// Share of lines that are written.
    pub write_share: f64,
    /// Share of lines that follow the line before them.
    pub locality: f64,
    /// Load of the busiest channel over the mean.
    pub imbalance: f64,
}

/// What a surface says of a place, between its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceAnswer {
    /// Mean time of a line in nanoseconds.
    pub latency_ns: f64,
    /// Half the width of its 95 % confidence interval, in nanoseconds: that of the points beside, as simulated.
    pub error_ns: f64,
    /// Mean time of a read in nanoseconds.
    pub read_ns: f64,
    /// Bytes read and written per second: by Little's law, from the lines and their time.
    pub bytes_per_s: f64,
    /// Power of all modules in watts.
    pub power_w: f64,
}

impl Surface {
    /// The version of the format that is written and read.
    pub const SCHEMA: u32 = 1;

    /// Reads and checks a surface.
    ///
    /// # Errors
    /// When the text is no surface, or the surface contradicts itself: with the place, what was found, and what is allowed.
    pub fn from_json(text: &str) -> Result<Self, SurfaceError> {
        let surface: Self = serde_json::from_str(text).map_err(SurfaceError::syntax)?;
        surface.check()?;
        Ok(surface)
    }

    /// The surface as compact JSON, which is read back as it was.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Numbers and lists are always JSON; numbers that are none are written as null, and refused when they are read.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The curve of a combination, by the numbers of its write share, locality and imbalance.
    #[must_use]
    pub fn curve(
        &self,
        write_share: usize,
        locality: usize,
        imbalance: usize,
    ) -> Option<&SurfaceCurve> {
        let (localities, imbalances) = (self.localities.len(), self.imbalances.len());
        if locality >= localities || imbalance >= imbalances {
            return None;
        }
        self.curves
            .get((write_share * localities + locality) * imbalances + imbalance)
    }

    /// The most lines that any curve was simulated with. What is said of more is an extrapolation.
    #[must_use]
    pub fn outstanding_max(&self) -> f64 {
        let last = self.curves.iter().filter_map(|curve| curve.points.last());
        last.map(|point| point.outstanding).fold(0.0, f64::max)
    }
}
