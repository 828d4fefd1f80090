//! The run that the parameters of cards are calibrated with: that of `published/realtime-buffering/sd.toml`, with other
//! values in the sheet of the card.

use std::fs;

use wordline_catalog::{Catalog, EMBEDDED};
use wordline_core::quantity::{Fraction, Quantity};
use wordline_core::results::{AxisValue, Row};
use wordline_core::{
    AccessSource, Axis, BufferWorkload, Experiment, Metric, Operation, Pattern, StreamSource,
    Timing, Workload,
};
use wordline_lab::{Control, run};

/// Input rates in bytes a second that are played.
pub(crate) const RATES: [f64; 5] = [50e3, 100e3, 200e3, 300e3, 500e3];

/// What random writes of 4 KiB all over a full card gave, once it had settled.
pub(crate) struct Course {
    /// Mean bytes a second.
    pub(crate) throughput: f64,
    /// The longest access in seconds.
    pub(crate) slowest: f64,
    /// Bytes of RAM at each of [`RATES`], over all accesses (realtime-buffering, equation 2); `None` beyond the
    /// mean.
    pub(crate) ram: [Option<f64>; RATES.len()],
}

/// A number in the sheet of a card, as `spare_blocks` and 550.
pub(crate) type Setting = (String, u32);

/// Runs a card of the catalogue with other numbers in its sheet.
pub(crate) fn course(part: &str, settings: &[Setting], seed: u64) -> Result<Course, String> {
    let folder = tempfile::TempDir::new().map_err(|error| error.to_string())?;
    let file = folder.path().join("trial.toml");
    fs::write(file, sheet(part, settings)?).map_err(|error| error.to_string())?;
    let catalog = Catalog::load(&[folder.path().to_owned()]).map_err(|error| error.to_string())?;
    let target = catalog
        .part_on_board("trial")
        .map_err(|error| error.to_string())?;
    let experiment = Experiment {
        targets: vec!["trial".to_owned()],
        workload: Workload::Buffer(BufferWorkload {
            fill: Some(Fraction::from_si(1.0)),
            warm_up_bytes: 1250 << 20,
            rates_bytes_per_s: RATES.to_vec(),
            ..BufferWorkload::of(AccessSource::Stream(StreamSource {
                operation: Operation::Write,
                pattern: Pattern::Random,
                record_bytes: 4096,
                total_bytes: 160_000 << 10,
                wrap_bytes: round(target.part.model.usable_bytes()),
            }))
        }),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed,
        ftl: None,
    };
    let result =
        run(&catalog, &experiment, &Control::default()).map_err(|error| error.to_string())?;
    let one = |metric, wanted: &dyn Fn(&Row) -> bool| {
        let mut rows = result
            .of(metric)
            .filter(|row| row.text(Axis::Estimate).is_none() && wanted(row));
        rows.next()
            .and_then(|row| row.value)
            .ok_or(format!("no {metric}"))
    };
    let ram = |rate: f64| {
        one(Metric::RamPeak, &|row| {
            row.text(Axis::Arrival) == Some("fluid") && at(row, Axis::RateBytesPerS, rate)
        })
    };
    Ok(Course {
        throughput: one(Metric::ThroughputMean, &|_| true)?,
        slowest: one(Metric::LatencyMax, &|_| true)?,
        ram: RATES.map(|rate| ram(rate).ok()),
    })
}

/// A capacity in whole GiB, or else in the whole GB that are in it, as the published runs have it.
const fn round(bytes: u64) -> u64 {
    if bytes.is_multiple_of(1 << 30) {
        bytes
    } else {
        bytes / 1_000_000_000 * 1_000_000_000
    }
}

fn at(row: &Row, axis: Axis, wanted: f64) -> bool {
    match row.axes.get(&axis) {
        Some(AxisValue::Number(number)) => *number == wanted,
        Some(AxisValue::Count(count)) => *count as f64 == wanted,
        _ => false,
    }
}

/// The sheet of an embedded card with other numbers.
fn sheet(part: &str, settings: &[Setting]) -> Result<String, String> {
    let name = format!("/{part}.toml");
    let found = EMBEDDED.iter().find(|(file, _)| file.ends_with(&name));
    let text = found.ok_or_else(|| format!("no card {part}"))?.1;
    let unknown = settings
        .iter()
        .find(|(key, _)| !text.contains(&format!("\n{key} = ")));
    if let Some((key, _)) = unknown {
        return Err(format!("no {key} in the sheet of {part}"));
    }
    let changed = |line: &str| {
        let key = line.split(" = ").next().unwrap_or_default();
        match settings.iter().find(|(name, _)| name == key) {
            Some((_, value)) => {
                format!("{key} = {{ value = {value}, assumed = true, reason = \"tried\" }}\n")
            }
            None if key == "part" => "part = \"trial\"\n".to_owned(),
            None => format!("{line}\n"),
        }
    };
    Ok(text.lines().map(changed).collect())
}
