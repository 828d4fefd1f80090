//! The columns of a cycling log.

use crate::TraceError;
use crate::csv::fields::LineFields;
use crate::lines::{LogLine, shown};

/// Names of the latency's column with the power of ten of their unit in picoseconds.
const LATENCIES: [(&str, i32); 4] = [
    ("latency_ns", 3),
    ("latency_us", 6),
    ("latency_ms", 9),
    ("latency_s", 12),
];

/// Where the values stand in a line, from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CyclingColumns {
    pub(super) count: usize,
    pub(super) chip: Option<usize>,
    pub(super) block: usize,
    pub(super) cycle: usize,
    pub(super) operation: usize,
    pub(super) latency: usize,
    /// Power of ten of the latency's unit, in picoseconds.
    pub(super) unit: i32,
    pub(super) status: Option<usize>,
    pub(super) passed_over: Vec<String>,
}

impl CyclingColumns {
    /// Reads the line of names.
    pub(super) fn read(line: &LogLine<'_>) -> Result<Self, TraceError> {
        let malformed = |problem: String| TraceError::Malformed {
            line: line.number,
            problem,
        };
        let mut fields = LineFields::default();
        // Spreadsheets begin UTF-8 with a mark.
        let text = line.text.strip_prefix(b"\xEF\xBB\xBF");
        let text = text.unwrap_or(line.text);
        fields.split(text, b',').map_err(malformed)?;
        let names: Vec<String> = fields
            .iter()
            .map(|name| String::from_utf8_lossy(name.trim_ascii()).to_ascii_lowercase())
            .collect();
        let place = |wanted: &str| -> Result<Option<usize>, TraceError> {
            let mut places = (0..names.len()).filter(|&at| names[at] == wanted);
            let first = places.next();
            match places.next() {
                None => Ok(first),
                Some(_) => Err(malformed(format!("two columns are named {wanted}"))),
            }
        };
        let needed = |wanted: &str| {
            place(wanted)?.ok_or_else(|| {
                malformed(format!(
                    "no column is named {wanted}: found {}. A cycling log has the columns block, cycle, operation and \
                     one of {}; chip and status may be there",
                    shown(line.text),
                    LATENCIES.map(|(name, _)| name).join(", "),
                ))
            })
        };
        let mut latency = None;
        for (name, unit) in LATENCIES {
            if let Some(at) = place(name)?
                && latency.replace((at, unit)).is_some()
            {
                let problem = "two columns tell the latency, in different units";
                return Err(malformed(problem.to_owned()));
            }
        }
        let (latency, unit) = match latency {
            Some(found) => found,
            None => (needed("latency_us")?, 6),
        };
        let mut columns = Self {
            count: names.len(),
            chip: place("chip")?,
            block: needed("block")?,
            cycle: needed("cycle")?,
            operation: needed("operation")?,
            latency,
            unit,
            status: place("status")?,
            passed_over: Vec::new(),
        };
        let used = [columns.chip, columns.status].into_iter().flatten();
        let needed = [columns.block, columns.cycle, columns.operation, latency];
        let used: Vec<usize> = used.chain(needed).collect();
        let others = (0..names.len()).filter(|at| !used.contains(at));
        columns.passed_over = others.map(|at| shown(&names[at])).collect();
        Ok(columns)
    }
}
