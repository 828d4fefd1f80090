//! What the theory of buffers says of stated accesses.

use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::results::NoValue;
use wordline_core::{Arrival, Axis, Metric};

use crate::backlog::{Accumulator, Backlog, BacklogError, Curve, Peaks, Rate, StartUp};
use crate::buffer::rows;
use crate::published::{RowSelector, Sequence};

/// A figure of a sequence that is gone through once, at the input that the row names; infinite where there is no limit.
pub(super) fn measure(sequence: &Sequence, row: &RowSelector) -> Result<f64, String> {
    let failed = |error: BacklogError| error.to_string();
    let metric = row.metric;
    let arrival = || match row.text(Axis::Arrival) {
        None => Ok(Arrival::Record),
        Some(name) => name.parse::<Arrival>(),
    };
    let input = |axis| (row.number(axis)).ok_or_else(|| format!("{metric} needs {axis}"));
    let peaks = || {
        let peaks = peaks(sequence, input(Axis::RateBytesPerS)?).map_err(failed)?;
        rows::pair(&peaks, arrival()?).ok_or("nothing is known of whole records".to_owned())
    };
    match metric {
        Metric::RamPeak => Ok(peaks()?.0),
        Metric::RamPeakInFlight => Ok(peaks()?.1),
        Metric::RateMax => {
            let ram = input(Axis::RamBytes)? as u64;
            let curve = curve(sequence).map_err(failed)?;
            limited(rows::safe_rate(&curve, ram, arrival()?))
        }
        Metric::ThroughputMean => limited(rows::limit(&curve(sequence).map_err(failed)?)),
        Metric::LatencyMax => {
            let longest = sequence.each().map(|(duration, _)| duration).max();
            Ok(longest.ok_or("no accesses")?.si())
        }
        Metric::SequenceDurationMax => Ok(curve(sequence).map_err(failed)?.duration().si()),
        _ => Err(format!("the theory has no {metric}")),
    }
}

fn limited(value: Result<f64, NoValue>) -> Result<f64, String> {
    match value {
        Ok(value) => Ok(value),
        Err(NoValue::Unbounded) => Ok(f64::INFINITY),
        Err(_) => Err("no rate is low enough".to_owned()),
    }
}

fn start(sequence: &Sequence) -> StartUp {
    StartUp {
        time: Time::ZERO,
        backlog: ByteCount::from_bytes(sequence.backlog_bytes),
    }
}

/// Access by access, which is what equations of a document do, and knows whole records of any sizes.
fn peaks(sequence: &Sequence, rate: f64) -> Result<Peaks, BacklogError> {
    let rate = Rate::from_bytes_per_second(rate)?;
    let mut backlog = Backlog::after_start(rate, start(sequence))?;
    for (duration, size) in sequence.each() {
        backlog.push(duration, size)?;
    }
    Ok(backlog.finish())
}

fn curve(sequence: &Sequence) -> Result<Curve, BacklogError> {
    let mut accesses = Accumulator::after_start(start(sequence));
    for (duration, size) in sequence.each() {
        accesses.push(duration, size);
    }
    accesses.finish()
}
