//! The names of columns: what each means, and its unit.

use wordline_core::Operation;

use super::fields::LineFields;
use crate::TraceError;
use crate::lines::shown;
use crate::log::LogOptions;

/// Names by what they mean. Each but the operation takes its unit behind an underscore or in brackets.
const DURATION: &[&str] = &["duration", "latency", "lat", "clat", "elapsed"];
const START: &[&str] = &["start", "begin", "issue", "submit"];
const END: &[&str] = &["end", "complete", "completion", "finish"];
const SIZE: &[&str] = &["size", "length", "block_size", "bs"];
const OFFSET: &[&str] = &["offset", "address", "addr", "position"];
const OPERATION: &[&str] = &["operation", "op", "direction", "dir", "rw"];

/// Units of time with their power of ten in picoseconds.
const TIMES: &[(&str, i32)] = &[
    ("ps", 0),
    ("ns", 3),
    ("nsec", 3),
    ("us", 6),
    ("usec", 6),
    ("ms", 9),
    ("msec", 9),
    ("s", 12),
    ("sec", 12),
];

/// Units of size in bytes.
const SIZES: &[(&str, u64)] = &[
    ("bytes", 1),
    ("b", 1),
    ("kb", 1_000),
    ("kib", 1 << 10),
    ("mb", 1_000_000),
    ("mib", 1 << 20),
    ("sectors", 512),
];

/// What a column's unit multiplies by: of one kind or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    /// Of a time, in picoseconds.
    pub(super) power_of_ten: i32,
    /// Of a size.
    pub(super) bytes: u64,
}

/// What the first line says. Columns are counted from 0.
#[derive(Debug, Default)]
pub(super) struct CsvColumns {
    pub(super) separator: u8,
    pub(super) count: usize,
    pub(super) names: Vec<String>,
    pub(super) duration: Option<(usize, Scale)>,
    pub(super) start: Option<(usize, Scale)>,
    pub(super) end: Option<(usize, Scale)>,
    pub(super) size: Option<(usize, Scale)>,
    pub(super) offset: Option<(usize, Scale)>,
    pub(super) operation: Option<usize>,
    /// Names of columns that mean nothing here.
    pub(super) passed_over: Vec<String>,
}

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CsvMeaning {
    Duration(Scale),
    Start(Scale),
    End(Scale),
    Size(Scale),
    Offset(Scale),
    Operation,
    /// One of the others, without a unit or with one that it does not take.
    Unitless,
}

impl CsvColumns {
    /// Whether a line names a column that is known.
    pub(super) fn looks_like(line: &[u8]) -> bool {
        let (_, fields) = separated(line);
        fields.iter().any(|name| meaning(name).is_some())
    }

    /// Reads the line of names.
    pub(super) fn read(line: u64, text: &[u8], options: &LogOptions) -> Result<Self, TraceError> {
        let malformed = |problem: String| TraceError::Malformed {
            line,
            problem: format!("{problem}. {}", accepted()),
        };
        let (separator, fields) = separated(text);
        let mut columns = Self {
            separator,
            count: fields.count(),
            ..Self::default()
        };
        for (at, name) in fields.iter().enumerate() {
            let name_shown = shown(name);
            let taken = match meaning(name) {
                Some(CsvMeaning::Duration(scale)) => {
                    columns.duration.replace((at, scale)).is_some()
                }
                Some(CsvMeaning::Start(scale)) => columns.start.replace((at, scale)).is_some(),
                Some(CsvMeaning::End(scale)) => columns.end.replace((at, scale)).is_some(),
                Some(CsvMeaning::Size(scale)) => columns.size.replace((at, scale)).is_some(),
                Some(CsvMeaning::Offset(scale)) => columns.offset.replace((at, scale)).is_some(),
                Some(CsvMeaning::Operation) => columns.operation.replace(at).is_some(),
                Some(CsvMeaning::Unitless) => {
                    return Err(malformed(format!("column {name_shown} needs a unit")));
                }
                None => {
                    columns.passed_over.push(name_shown.clone());
                    false
                }
            };
            if taken {
                return Err(malformed(format!(
                    "column {name_shown} says what another one says already"
                )));
            }
            columns.names.push(name_shown);
        }
        let from_ends = columns.start.is_some() && columns.end.is_some();
        let missing = if columns.duration.is_none() && !from_ends {
            "no column tells how long an access took"
        } else if columns.operation.is_none() && options.operation.is_none() {
            "no column tells what an access did, and nobody has said it of all"
        } else if columns.size.is_none() && options.bytes.is_none() {
            "no column tells how many bytes an access moved, and nobody has said it of all"
        } else {
            return Ok(columns);
        };
        let found = shown(text);
        Err(malformed(format!("{missing}: the names are {found}")))
    }
}

/// The separator of which the most known names follow, and the names.
fn separated(line: &[u8]) -> (u8, LineFields) {
    let split = |separator: u8| {
        let mut fields = LineFields::default();
        let is_sound = fields.split(line, separator).is_ok();
        let known = fields.iter().filter(|name| meaning(name).is_some()).count();
        (is_sound.then_some(known), separator, fields)
    };
    let mut best = split(b',');
    for other in [split(b';'), split(b'\t')] {
        if other.0 > best.0 || other.0 == best.0 && other.2.count() > best.2.count() {
            best = other;
        }
    }
    (best.1, best.2)
}

/// What a name means; none where it is of no use.
fn meaning(name: &[u8]) -> Option<CsvMeaning> {
    let name = spelled(name);
    let (base, unit) = match name.rsplit_once('_') {
        Some((base, unit)) if is_unit(unit) => (base, Some(unit)),
        _ if name == "bytes" => ("size", Some("bytes")),
        _ => (name.as_str(), None),
    };
    let base = base.strip_suffix("_time").unwrap_or(base);
    let time = || {
        let (_, power_of_ten) = *TIMES.iter().find(|(name, _)| Some(*name) == unit)?;
        Some(Scale {
            power_of_ten,
            bytes: 0,
        })
    };
    let size = |missing: Option<&str>| {
        let (_, bytes) = *SIZES
            .iter()
            .find(|(name, _)| Some(*name) == unit.or(missing))?;
        Some(Scale {
            power_of_ten: 0,
            bytes,
        })
    };
    let meaning = if DURATION.contains(&base) {
        time().map(CsvMeaning::Duration)
    } else if START.contains(&base) {
        time().map(CsvMeaning::Start)
    } else if END.contains(&base) {
        time().map(CsvMeaning::End)
    } else if SIZE.contains(&base) {
        size(None).map(CsvMeaning::Size)
    } else if OFFSET.contains(&base) {
        // Addresses are of bytes everywhere.
        size(Some("bytes")).map(CsvMeaning::Offset)
    } else if OPERATION.contains(&base) && unit.is_none() {
        Some(CsvMeaning::Operation)
    } else {
        return None;
    };
    Some(meaning.unwrap_or(CsvMeaning::Unitless))
}

fn is_unit(text: &str) -> bool {
    TIMES.iter().any(|(name, _)| *name == text) || SIZES.iter().any(|(name, _)| *name == text)
}

/// Lower case, words joined by underscores, brackets left out, micro as `u`: `Latency (µs)` is `latency_us`.
fn spelled(name: &[u8]) -> String {
    let mut out = String::new();
    for c in String::from_utf8_lossy(name).trim().chars() {
        match c {
            'µ' | 'μ' => out.push('u'),
            ' ' | '-' | '.' | '/' | '_' | '(' | '[' => {
                if !out.ends_with('_') {
                    out.push('_');
                }
            }
            ')' | ']' => {}
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// What an entry of the operation's column says: none for a trim inside, none outside for neither.
pub(super) fn operation(text: &[u8]) -> Option<Option<Operation>> {
    let is_one_of = |names: &[&str]| {
        names
            .iter()
            .any(|name| text.eq_ignore_ascii_case(name.as_bytes()))
    };
    if is_one_of(&["read", "r", "rd", "0"]) {
        Some(Some(Operation::Read))
    } else if is_one_of(&["write", "w", "wr", "1"]) {
        Some(Some(Operation::Write))
    } else if is_one_of(&["trim", "discard", "t", "d", "2"]) {
        Some(None)
    } else {
        None
    }
}

/// For messages.
fn accepted() -> String {
    let times: Vec<&str> = TIMES.iter().map(|(name, _)| *name).collect();
    let sizes: Vec<&str> = SIZES.iter().map(|(name, _)| *name).collect();
    format!(
        "Names are: {} for the duration, or {} and {}, each with {} (duration_us); {} with {} (size_kib), or \
         bytes; {}, in bytes; {}",
        DURATION.join(", "),
        START.join(", "),
        END.join(", "),
        times.join(", "),
        SIZE.join(", "),
        sizes.join(", "),
        OFFSET.join(", "),
        OPERATION.join(", "),
    )
}
