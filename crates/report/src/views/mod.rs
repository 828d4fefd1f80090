//! The views: one for each workload that answers a question of its own.

mod app;
mod bound;
mod buffer;
mod compare;
mod dram;
mod fit;
mod fs;
mod headline;
mod health;
mod host;
mod io;
mod kv;
mod layer;
mod raw;
mod repeats;
mod sql;
mod wear;

#[cfg(test)]
mod tests;

use wordline_core::Metric;

use crate::view::View;

pub(crate) use buffer::{BufferCase, VIEW as BUFFER, arriving};
pub(crate) use dram::{LoadCurve, VIEW as DRAM, curves};
pub(crate) use headline::metric_label;
pub(crate) use host::{VIEW as HOST, latency, memory_line, working_set_curves};
pub(crate) use raw::VIEW as RAW;

/// Every view. A workload that has none here is shown as [`RAW`] is.
pub(crate) const VIEWS: &[&View] = &[
    &app::VIEW,
    &bound::VIEW,
    &buffer::VIEW,
    &compare::VIEW,
    &dram::VIEW,
    &fit::VIEW,
    &fs::VIEW,
    &health::VIEW,
    &host::VIEW,
    &io::VIEW,
    &kv::VIEW,
    &sql::VIEW,
    &wear::VIEW,
];

/// What summarises accesses one after the other: throughput and durations, as tables name them, top to bottom.
pub(crate) const DURATIONS: [(Metric, &str); 7] = [
    (Metric::ThroughputMean, "throughput"),
    (Metric::LatencyMean, "mean"),
    (Metric::LatencyP50, "half take up to"),
    (Metric::LatencyP90, "90 % take up to"),
    (Metric::LatencyP99, "99 % take up to"),
    (Metric::LatencyP999, "99.9 % take up to"),
    (Metric::LatencyMax, "slowest"),
];
