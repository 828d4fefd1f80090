//! Latency of a memory over the lines that are under way.
//!
//! Throughput is no coordinate near saturation: there the same throughput has many latencies. Lines outstanding are, because
//! a program is a closed loop: each core has so many lines under way, and no more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// Bytes read and written per second.
    pub bytes_per_s: f64,
    /// Power of all modules in watts.
    pub power_w: f64,
}
