//! Curves of latency over bandwidth, as the Mess benchmark and the Mess simulator publish them.
//!
//! Two forms are read. **Pairs** are those of the simulator, `bwlat_58.txt`: bandwidth in MB/s (10⁶ bytes) and latency in ns
//! on a line, one file for each percentage of reads, which is in the file's name. **CSV** is that of the benchmark,
//! `processed/memory_curves.csv`, of which three columns are taken: `read_pct_rounded`, `bandwidth_mean` in GB/s
//! (10⁹ bytes), and `latency_mean` in ns.
//!
//! A curve has one latency at each bandwidth, so its points rise or fall in their bandwidth from line to line. Measured
//! and simulated ones may bend back: a memory that is asked for more than it can carry carries less, and is no faster.
//! Such points are left out and counted. A point that carries less and answers clearly faster contradicts the one before
//! it; [`MessOptions::rising`] leaves it out as well.

use std::io::BufRead;

use crate::TraceError;
use crate::csv::fields::LineFields;
use crate::lines::{LineReader, shown};

/// Most points of a file.
const POINTS_MAX: usize = 100_000;

/// The columns of the CSV that are taken.
const COLUMNS: [&str; 3] = ["read_pct_rounded", "bandwidth_mean", "latency_mean"];

/// Part of the latency in front of a bend that a point behind it has at least: a saturated latency varies by less.
const BENT_LATENCY_MIN: f64 = 0.9;

/// What is allowed of bandwidths and latencies.
const ALLOWED: &str = "a number above 0, and below 10^15";

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessPoint {
    /// Bytes a second.
    pub bandwidth: f64,
    /// Mean latency in seconds.
    pub latency: f64,
    /// Line of the file, from 1.
    pub line: u64,
}

/// A curve: a latency for each bandwidth.
#[derive(Clone, Debug, PartialEq)]
pub struct MessCurve {
    /// Share of the bytes that are read, in percent; none where only the file's name tells it.
    pub read_percent: Option<f64>,
    /// At least one point, ascending in the bandwidth.
    pub points: Vec<MessPoint>,
    /// Points that were left out, because the curve bends back at them.
    pub left_out: u64,
}

/// How a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessOptions {
    /// Whether only the points are taken that carry more than all with less load, whatever the others are; otherwise a
    /// curve with points that contradict each other is refused. Points without a positive bandwidth, which smoothing
    /// leaves at the end of published curves, are left out with it.
    pub rising: bool,
}

/// Why curves cannot be used. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum MessError {
    /// A line cannot be read as text.
    #[error(transparent)]
    Text(#[from] TraceError),
    /// There is no point.
    #[error("there is no point of a curve in it")]
    Empty,
    /// The last line has no end.
    #[error(
        "line {line}: the last line has no line end, so it may be cut off: end it if it is whole, or remove it"
    )]
    Truncated {
        /// The line.
        line: u64,
    },
    /// The first line is of neither form.
    #[error(
        "line {line}: {found} is no curve of Mess; these are read: lines of bandwidth in MB/s and latency in ns, and CSV with \
         the columns {}", COLUMNS.join(", ")
    )]
    UnknownForm {
        /// The line.
        line: u64,
        /// What was found.
        found: String,
    },
    /// A line has other columns than the first.
    #[error("line {line}: {found} columns; expected {expected}")]
    Columns {
        /// The line.
        line: u64,
        /// How many were found.
        found: usize,
        /// How many there are otherwise.
        expected: usize,
    },
    /// A CSV names a column twice that is taken.
    #[error("line {line}: the column {name} is named twice; expected: once")]
    Twice {
        /// The line.
        line: u64,
        /// The column.
        name: &'static str,
    },
    /// A number cannot be one of a curve.
    #[error("line {line}: {what} is {found}; allowed: {allowed}")]
    Number {
        /// The line.
        line: u64,
        /// What it is.
        what: &'static str,
        /// What was found.
        found: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A curve has two latencies at one bandwidth, and not because it bends back under load.
    #[error(
        "line {line}: the curve is not a function: it turns back to {bandwidth:.6} GB/s and less latency, which it passed \
         at line {before}; take the points that carry more than all with less load (--against-rising), or remove those behind the turn"
    )]
    NotAFunction {
        /// The line.
        line: u64,
        /// The line in front of it.
        before: u64,
        /// The bandwidth in GB/s.
        bandwidth: f64,
    },
    /// There are more points than any curve has.
    #[error("line {line}: more than {POINTS_MAX} points, which no file of curves has")]
    Long {
        /// The line.
        line: u64,
    },
}

impl MessError {
    /// The line at fault; none where no line is.
    #[must_use]
    pub const fn line(&self) -> Option<u64> {
        match self {
            Self::Text(
                TraceError::Unreadable { line, .. }
                | TraceError::Unknown { line, .. }
                | TraceError::Malformed { line, .. }
                | TraceError::Useless { line, .. },
            )
            | Self::Truncated { line }
            | Self::UnknownForm { line, .. }
            | Self::Columns { line, .. }
            | Self::Twice { line, .. }
            | Self::Number { line, .. }
            | Self::NotAFunction { line, .. }
            | Self::Long { line } => Some(*line),
            Self::Text(TraceError::Empty) | Self::Empty => None,
        }
    }
}

/// Reads the curves of a file, in the order in which they begin.
///
/// # Errors
/// Where a line is not what its form asks for, or a curve is not a function.
pub fn read<R: BufRead>(reader: R, options: MessOptions) -> Result<Vec<MessCurve>, MessError> {
    let mut lines = LineReader::new(reader);
    let mut form: Option<MessForm> = None;
    let mut curves: Vec<MessCurve> = Vec::new();
    let mut count = 0;
    while let Some(line) = lines.next_told()? {
        let (number, text) = (line.number, line.text);
        if !line.ended {
            return Err(MessError::Truncated { line: number });
        }
        let Some(form) = &mut form else {
            form = Some(MessForm::of(number, text)?);
            if let Some(MessForm::Pairs) = form {
                take(&mut curves, pair(number, text)?, None);
            }
            continue;
        };
        let (point, percent) = match form {
            MessForm::Pairs => (pair(number, text)?, None),
            MessForm::Csv(columns) => columns.point(number, text)?,
        };
        count += 1;
        if count > POINTS_MAX {
            return Err(MessError::Long { line: number });
        }
        take(&mut curves, point, percent);
    }
    if curves.is_empty() {
        return Err(MessError::Empty);
    }
    let curves = curves.into_iter().map(|curve| function(curve, options));
    curves.collect()
}

/// Puts a point to its curve.
fn take(curves: &mut Vec<MessCurve>, point: MessPoint, read_percent: Option<f64>) {
    let found = curves
        .iter_mut()
        .find(|curve| curve.read_percent == read_percent);
    match found {
        Some(curve) => curve.points.push(point),
        None => curves.push(MessCurve {
            read_percent,
            points: vec![point],
            left_out: 0,
        }),
    }
}

/// The curve with its points ascending, or where it is not a function.
fn function(mut curve: MessCurve, options: MessOptions) -> Result<MessCurve, MessError> {
    let points = &mut curve.points;
    // Mess writes the greatest load first as well as last.
    let ends = points.first().zip(points.last());
    if ends.is_some_and(|(first, last)| first.bandwidth > last.bandwidth) {
        points.reverse();
    }
    let mut taken: Vec<MessPoint> = Vec::new();
    for point in points.iter() {
        let same = |before: &MessPoint| {
            before.bandwidth == point.bandwidth && before.latency == point.latency
        };
        match taken.last() {
            _ if point.bandwidth <= 0.0 => {
                if !options.rising {
                    return Err(number(
                        point.line,
                        "the bandwidth",
                        &point.bandwidth.to_string(),
                    ));
                }
                curve.left_out += 1;
            }
            Some(before) if same(before) => {}
            Some(before) if point.bandwidth <= before.bandwidth => {
                if !options.rising && point.latency < BENT_LATENCY_MIN * before.latency {
                    let lines = [before.line, point.line];
                    return Err(MessError::NotAFunction {
                        line: lines[0].max(lines[1]),
                        before: lines[0].min(lines[1]),
                        bandwidth: point.bandwidth / 1e9,
                    });
                }
                curve.left_out += 1;
            }
            _ => taken.push(*point),
        }
    }
    if taken.is_empty() {
        return Err(MessError::Empty);
    }
    curve.points = taken;
    Ok(curve)
}

/// How points are written.
enum MessForm {
    Pairs,
    Csv(MessColumns),
}

impl MessForm {
    fn of(line: u64, text: &[u8]) -> Result<Self, MessError> {
        if let Some(columns) = MessColumns::of(line, text)? {
            return Ok(Self::Csv(columns));
        }
        let mut words = words(text);
        let is_number = |word: &[u8]| text_of(word).parse::<f64>().is_ok();
        match (words.next(), words.next()) {
            (Some(first), Some(_)) if is_number(first) => Ok(Self::Pairs),
            _ => Err(MessError::UnknownForm {
                line,
                found: shown(text),
            }),
        }
    }
}

/// Where the columns of a CSV are.
struct MessColumns {
    count: usize,
    places: [usize; 3],
    fields: LineFields,
}

impl MessColumns {
    /// None where the line does not name all of them.
    fn of(line: u64, text: &[u8]) -> Result<Option<Self>, MessError> {
        let mut fields = LineFields::default();
        if fields.split(text, b',').is_err() {
            return Ok(None);
        }
        let mut places = [0; 3];
        for (place, name) in places.iter_mut().zip(COLUMNS) {
            let is_named = |field: &[u8]| field.trim_ascii() == name.as_bytes();
            let fields = fields.iter().enumerate();
            let mut named = fields.filter(|(_, field)| is_named(field));
            let Some((found, _)) = named.next() else {
                return Ok(None);
            };
            if named.next().is_some() {
                return Err(MessError::Twice { line, name });
            }
            *place = found;
        }
        Ok(Some(Self {
            count: fields.count(),
            places,
            fields,
        }))
    }

    /// A point with the percentage of reads of its curve.
    fn point(&mut self, line: u64, text: &[u8]) -> Result<(MessPoint, Option<f64>), MessError> {
        let (expected, fields) = (self.count, &mut self.fields);
        let split = fields.split(text, b',');
        let found = fields.count();
        if split.is_err() || found != expected {
            return Err(MessError::Columns {
                line,
                found,
                expected,
            });
        }
        let [percent, bandwidth, latency] = self.places.map(|place| self.fields.get(place));
        let told = text_of(percent).parse::<f64>();
        let told = told.ok().filter(|told| (0.0..=100.0).contains(told));
        let Some(told) = told else {
            return Err(MessError::Number {
                line,
                what: "the percentage of reads",
                found: shown(percent),
                allowed: "a number from 0 to 100",
            });
        };
        let point = MessPoint {
            bandwidth: figure(line, "the bandwidth", bandwidth, false)? * 1e9,
            latency: figure(line, "the latency", latency, true)? * 1e-9,
            line,
        };
        Ok((point, Some(told)))
    }
}

/// A line of bandwidth and latency.
fn pair(line: u64, text: &[u8]) -> Result<MessPoint, MessError> {
    let mut all = words(text);
    let (Some(bandwidth), Some(latency), None) = (all.next(), all.next(), all.next()) else {
        return Err(MessError::Columns {
            line,
            found: words(text).count(),
            expected: 2,
        });
    };
    Ok(MessPoint {
        bandwidth: figure(line, "the bandwidth", bandwidth, false)? * 1e6,
        latency: figure(line, "the latency", latency, true)? * 1e-9,
        line,
    })
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = text.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}

fn text_of(field: &[u8]) -> &str {
    std::str::from_utf8(field).unwrap_or_default().trim()
}

/// A finite number; of bandwidths those below zero are judged with their curve.
fn figure(line: u64, what: &'static str, field: &[u8], positive: bool) -> Result<f64, MessError> {
    let value = text_of(field).parse::<f64>();
    let value = value.ok().filter(|value| value.abs() < 1e15);
    let value = value.filter(|value| *value > 0.0 || !positive);
    value.ok_or_else(|| MessError::Number {
        line,
        what,
        found: shown(field),
        allowed: ALLOWED,
    })
}

fn number(line: u64, what: &'static str, found: &str) -> MessError {
    MessError::Number {
        line,
        what,
        found: format!("{found} B/s"),
        allowed: "a number above 0, or that such points are left out (--against-rising)",
    }
}

#[cfg(test)]
mod tests;
