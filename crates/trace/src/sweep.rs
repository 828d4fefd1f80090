//! Sweeps: how long an access of each size takes on a raw memory.
//!
//! A CSV with named columns, which `wordline raw --format csv` writes and which any test stand can:
//!
//! ```text
//! operation,access_bytes,latency_us
//! read,512,49.3
//! read,2048,94.1
//! write,2048,284.0
//! ```
//!
//! The latency is the mean over many accesses in order. In place of it there may be the columns `metric` and `value`,
//! of which the rows `latency_mean` count, in seconds. Other columns are passed over, but for `target` and `pattern`: a
//! sweep is of one memory, in order.

use std::io::BufRead;

use wordline_core::Operation;

use crate::TraceError;
use crate::csv::fields::LineFields;
use crate::lines::{LineReader, LogLine, shown};
use crate::number::whole;

/// Names of the latency's column with its unit in seconds.
const LATENCIES: [(&str, f64); 4] = [
    ("latency_ns", 1e-9),
    ("latency_us", 1e-6),
    ("latency_ms", 1e-3),
    ("latency_s", 1.0),
];

/// The longest mean of an access, in seconds.
const LONGEST_S: f64 = 3600.0;

/// The most sizes of a sweep.
const MOST_POINTS: usize = 100_000;

/// The mean latency of accesses of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepPoint {
    /// What the accesses did.
    pub operation: Operation,
    /// Bytes of each.
    pub bytes: u64,
    /// Their mean latency, in seconds.
    pub seconds: f64,
    /// Its line, from 1.
    pub line: u64,
}

/// Whether a line of names is that of a sweep: it has the column `access_bytes`.
#[must_use]
pub fn is_sweep(names: &[u8]) -> bool {
    let first = names
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let mut columns = first.split(|byte| *byte == b',');
    columns.any(|name| name.trim_ascii().eq_ignore_ascii_case(b"access_bytes"))
}

/// Reads a sweep.
///
/// # Errors
/// When it cannot be read, has no latency in it, or a line is not what the format asks for.
pub fn read_sweep(reader: impl BufRead) -> Result<Vec<SweepPoint>, TraceError> {
    let mut lines = LineReader::new(reader);
    let Some(line) = lines.next_told()? else {
        return Err(TraceError::Empty);
    };
    let columns = SweepColumns::read(&line)?;
    let mut points: Vec<SweepPoint> = Vec::new();
    let mut fields = LineFields::default();
    let mut target: Option<Vec<u8>> = None;
    while let Some(line) = lines.next_told()? {
        let number = line.number;
        let malformed = |problem| TraceError::Malformed {
            line: number,
            problem,
        };
        fields.split(line.text, b',').map_err(malformed)?;
        let Some(point) = columns.point(&fields, number).map_err(malformed)? else {
            continue;
        };
        if let Some(at) = columns.target {
            let name = fields.get(at).to_vec();
            match &target {
                Some(first) if *first != name => {
                    let problem = format!(
                        "{} is another target than {}: a sweep is of one",
                        shown(&name),
                        shown(first)
                    );
                    return Err(malformed(problem));
                }
                _ => target = Some(name),
            }
        }
        let is_same =
            |one: &SweepPoint| (one.operation, one.bytes) == (point.operation, point.bytes);
        if let Some(other) = points.iter().find(|one| is_same(one)) {
            let problem = format!("this size has a latency in line {} already", other.line);
            return Err(malformed(problem));
        }
        if points.len() == MOST_POINTS {
            return Err(malformed(format!("more than {MOST_POINTS} sizes")));
        }
        points.push(point);
    }
    if points.is_empty() {
        return Err(TraceError::Empty);
    }
    Ok(points)
}

/// Where the values stand in a line, from 0.
struct SweepColumns {
    count: usize,
    target: Option<usize>,
    pattern: Option<usize>,
    operation: usize,
    bytes: usize,
    metric: Option<usize>,
    latency: usize,
    unit: f64,
}

impl SweepColumns {
    fn read(line: &LogLine<'_>) -> Result<Self, TraceError> {
        let malformed = |problem: String| TraceError::Malformed {
            line: line.number,
            problem,
        };
        let mut fields = LineFields::default();
        fields.split(line.text, b',').map_err(malformed)?;
        let names: Vec<String> = fields
            .iter()
            .map(|name| String::from_utf8_lossy(name.trim_ascii()).to_ascii_lowercase())
            .collect();
        let place = |wanted: &str| names.iter().position(|name| name == wanted);
        let needed = |wanted: &str| {
            place(wanted).ok_or_else(|| {
                malformed(format!(
                    "no column is named {wanted}: found {}. A sweep has the columns operation, access_bytes and one of {}, \
                     or metric and value",
                    shown(line.text),
                    LATENCIES.map(|(name, _)| name).join(", ")
                ))
            })
        };
        let metric = place("metric");
        let mut latencies = LATENCIES.iter();
        let found = latencies.find_map(|(name, unit)| Some((place(name)?, *unit)));
        let (latency, unit) = match (found, metric) {
            (Some(found), _) => found,
            (None, Some(_)) => (needed("value")?, 1.0),
            (None, None) => (needed("latency_us")?, 1e-6),
        };
        Ok(Self {
            count: names.len(),
            target: place("target"),
            pattern: place("pattern"),
            operation: needed("operation")?,
            bytes: needed("access_bytes")?,
            metric: metric.filter(|_| found.is_none()),
            latency,
            unit,
        })
    }

    /// The point of a line; none of a line about something else.
    fn point(&self, fields: &LineFields, line: u64) -> Result<Option<SweepPoint>, String> {
        let (found, expected) = (fields.count(), self.count);
        if found != expected {
            return Err(format!(
                "{found} columns, where the first line names {expected}"
            ));
        }
        let text = |at: usize| fields.get(at).trim_ascii();
        if self.metric.is_some_and(|at| text(at) != b"latency_mean") {
            return Ok(None);
        }
        if let Some(at) = self.pattern
            && !matches!(text(at), b"sequential" | b"")
        {
            return Err(format!(
                "column pattern is {}: allowed is sequential",
                shown(text(at))
            ));
        }
        let operation = match text(self.operation) {
            b"read" => Operation::Read,
            b"write" => Operation::Write,
            other => {
                let found = shown(other);
                return Err(format!(
                    "column operation is {found}: allowed are read, write"
                ));
            }
        };
        let wrong = |name: &str, at: usize, what: &str| {
            format!("column {name} is {}: {what}", shown(text(at)))
        };
        let bytes = whole(text(self.bytes))
            .map_err(|fault| wrong("access_bytes", self.bytes, fault.words()))?;
        if bytes == 0 {
            return Err(wrong(
                "access_bytes",
                self.bytes,
                "an access has one byte at least",
            ));
        }
        let seconds = std::str::from_utf8(text(self.latency)).unwrap_or_default();
        let seconds = seconds
            .parse::<f64>()
            .map_or(f64::NAN, |one| one * self.unit);
        if !(seconds > 0.0 && seconds <= LONGEST_S) {
            let what = "allowed are numbers above 0, up to an hour: is the column's unit right?";
            return Err(wrong("latency", self.latency, what));
        }
        Ok(Some(SweepPoint {
            operation,
            bytes,
            seconds,
            line,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        match read_sweep(text.as_bytes()) {
            Err(error) => error.to_string(),
            Ok(points) => panic!("{points:?}"),
        }
    }

    #[test]
    fn both_forms_are_read() {
        let plain = "Operation,access_bytes,latency_us\nread,512,49.3\nwrite,2048,284\n";
        let rows = "target,operation,access_bytes,pattern,metric,value\n\
                    a@b,read,512,sequential,latency_mean,0.0000493\n\
                    a@b,read,512,sequential,latency_max,1\n\
                    a@b,write,2048,sequential,latency_mean,2.84e-4\n";
        for text in [plain, rows] {
            assert!(is_sweep(text.as_bytes()));
            let points = read_sweep(text.as_bytes()).expect("a sweep");
            assert_eq!(points.len(), 2);
            assert_eq!(
                (points[0].operation, points[0].bytes),
                (Operation::Read, 512)
            );
            assert!((points[0].seconds / 49.3e-6 - 1.0).abs() < 1e-9);
            assert!((points[1].seconds / 284e-6 - 1.0).abs() < 1e-9);
        }
        assert!(!is_sweep(b"block,cycle,operation,latency_us\n"));
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let head = "operation,access_bytes,latency_us\n";
        for (lines, words) in [
            ("read,512\n", "line 2: 2 columns"),
            ("trim,512,1\n", "line 2: column operation is"),
            ("read,0,1\n", "line 2: column access_bytes is"),
            ("read,x,1\n", "line 2: column access_bytes is"),
            ("read,512,0\n", "line 2: column latency is"),
            ("read,512,inf\n", "line 2: column latency is"),
            (
                "read,512,1\nread,512,2\n",
                "line 3: this size has a latency in line 2",
            ),
            ("", "no access"),
        ] {
            let found = refused(&format!("{head}{lines}"));
            assert!(found.contains(words), "{found}");
        }
        let found = refused("operation,access_bytes\nread,1\n");
        assert!(found.contains("no column is named latency_us"), "{found}");
        let found = refused("target,operation,access_bytes,latency_s\na,read,1,1\nb,read,2,1\n");
        assert!(found.contains("line 3: \"b\" is another target"), "{found}");
    }
}
