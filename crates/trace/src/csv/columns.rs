//! The names of columns: what each means, and its unit.

use wordline_core::Operation;

use super::fields::LineFields;
use crate::TraceError;
use crate::lines::shown;
use crate::log::LogOptions;
use crate::number::{TIMES, power_of_time};

/// Names by what they mean. Each but the operation takes its unit behind an underscore or in brackets.
const DURATION: &[&str] = &["duration", "latency", "lat", "clat", "elapsed"];
const START: &[&str] = &["start", "begin", "issue", "submit"];
const END: &[&str] = &["end", "complete", "completion", "finish"];
/// A start where its unit is known and no other column tells a start or an end; otherwise passed over.
const STAMP: &[&str] = &["time", "timestamp"];
const SIZE: &[&str] = &["size", "length", "block_size", "bs"];
const OFFSET: &[&str] = &["offset", "address", "addr", "position"];
const OPERATION: &[&str] = &["operation", "op", "direction", "dir", "rw"];

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
    /// Of a time, in picoseconds; none where the column states no unit.
    pub(super) power_of_ten: Option<i32>,
    /// Of a size; none where the column states no unit.
    pub(super) bytes: Option<u64>,
    /// Whether a cell may carry a unit of its own, as in `4k` and `212.6 us`.
    pub(super) cell_units: bool,
}

impl Scale {
    /// Of a column whose cells have to state their units.
    pub(super) const NONE: Self = Self {
        power_of_ten: None,
        bytes: None,
        cell_units: true,
    };

    /// Of a unit of time.
    pub(super) fn of_time(unit: &str) -> Option<Self> {
        Some(Self {
            power_of_ten: Some(power_of_time(unit)?),
            bytes: None,
            cell_units: false,
        })
    }

    /// Of a unit of size. What is counted in bytes may say otherwise in a cell.
    pub(super) fn of_size(unit: &str) -> Option<Self> {
        let (_, bytes) = *SIZES.iter().find(|(name, _)| *name == unit)?;
        Some(Self {
            power_of_ten: None,
            bytes: Some(bytes),
            cell_units: bytes == 1,
        })
    }

    /// Whether nothing states the unit of the whole column.
    pub(super) const fn is_open(self) -> bool {
        self.power_of_ten.is_none() && self.bytes.is_none()
    }
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
    Duration,
    Start,
    End,
    Stamp,
    Size,
    Offset,
    Operation,
}

impl CsvMeaning {
    fn scale(self, unit: Option<&str>) -> Option<Scale> {
        match (self, unit) {
            (Self::Duration | Self::Start | Self::End | Self::Stamp, Some(unit)) => {
                Scale::of_time(unit)
            }
            (Self::Size | Self::Offset, Some(unit)) => Scale::of_size(unit),
            // Addresses are of bytes everywhere.
            (Self::Offset, None) => Scale::of_size("bytes"),
            (_, None) => Some(Scale::NONE),
            (Self::Operation, Some(_)) => None,
        }
    }

    /// The units that it takes, for messages.
    fn units(self) -> String {
        match self {
            Self::Size | Self::Offset => list(SIZES.iter().map(|(name, _)| *name)),
            _ => list(TIMES.iter().map(|(name, _)| *name)),
        }
    }
}

impl CsvColumns {
    /// Whether a line names a column that is known.
    pub(super) fn looks_like(line: &[u8]) -> bool {
        let (_, fields) = separated(line);
        fields.iter().any(is_known)
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
        let mut stamp = None;
        for (at, name) in fields.iter().enumerate() {
            let name_shown = shown(name);
            columns.names.push(name_shown.clone());
            let spelling = spelled(name);
            let Some((meaning, stated)) = meaning(&spelling) else {
                columns.passed_over.push(name_shown);
                continue;
            };
            let mut said = options.units.iter();
            let said = said.rfind(|(column, _)| spelled(column.as_bytes()) == spelling);
            let unit = match said {
                Some((_, unit)) => {
                    let unit = spelled(unit.as_bytes());
                    let scale = meaning.scale(Some(&unit));
                    Some(scale.ok_or_else(|| TraceError::Malformed {
                        line,
                        problem: format!(
                            "--unit: {} is no unit of column {name_shown}; allowed: {}",
                            shown(&unit),
                            meaning.units()
                        ),
                    })?)
                }
                None => meaning.scale(stated),
            };
            let Some(scale) = unit else {
                if meaning == CsvMeaning::Stamp {
                    columns.passed_over.push(name_shown);
                    continue;
                }
                return Err(malformed(format!(
                    "column {name_shown} needs a unit of its kind: add --unit COLUMN=UNIT with one of {}",
                    meaning.units()
                )));
            };
            let place = match meaning {
                CsvMeaning::Duration => &mut columns.duration,
                CsvMeaning::Start => &mut columns.start,
                CsvMeaning::End => &mut columns.end,
                CsvMeaning::Size => &mut columns.size,
                CsvMeaning::Offset => &mut columns.offset,
                CsvMeaning::Stamp => {
                    if scale.is_open() || stamp.is_some() {
                        columns.passed_over.push(name_shown);
                    } else {
                        stamp = Some((at, scale));
                    }
                    continue;
                }
                CsvMeaning::Operation => {
                    if columns.operation.replace(at).is_some() {
                        return Err(malformed(repeated(&name_shown)));
                    }
                    continue;
                }
            };
            if place.replace((at, scale)).is_some() {
                return Err(malformed(repeated(&name_shown)));
            }
        }
        match stamp {
            Some(stamp) if columns.start.is_none() && columns.end.is_none() => {
                columns.start = Some(stamp);
            }
            Some((at, _)) => columns.passed_over.push(columns.names[at].clone()),
            None => {}
        }
        columns.check_units(line, &fields, options)?;
        let from_ends = columns.start.is_some() && columns.end.is_some();
        if columns.duration.is_none() && !from_ends {
            let found = shown(text);
            return Err(malformed(format!(
                "no column tells how long an access took: the names are {found}"
            )));
        }
        match columns.lacking(options) {
            None => Ok(columns),
            Some(lacking) => Err(malformed(format!(
                "{lacking}: the names are {}",
                shown(text)
            ))),
        }
    }

    /// One column of durations, without a line of names: `duration` in messages and options.
    pub(super) fn of_durations(line: u64, options: &LogOptions) -> Result<Self, TraceError> {
        let text = b"duration";
        let mut columns = Self {
            // No field may hold it, so that the line is the field.
            separator: b'\n',
            count: 1,
            names: vec![shown(text)],
            duration: Some((0, Scale::NONE)),
            ..Self::default()
        };
        if let Some((_, unit)) = options.units.iter().rfind(|(name, _)| name == "duration") {
            let scale = Scale::of_time(&spelled(unit.as_bytes()));
            columns.duration = Some((
                0,
                scale.ok_or_else(|| TraceError::Malformed {
                    line,
                    problem: format!(
                        "--unit: {} is no unit of column \"duration\"; allowed: {}",
                        shown(unit),
                        CsvMeaning::Duration.units()
                    ),
                })?,
            ));
        }
        let mut fields = LineFields::default();
        fields
            .split(text, columns.separator)
            .map_err(|problem| TraceError::Malformed { line, problem })?;
        columns.check_units(line, &fields, options)?;
        match columns.lacking(options) {
            None => Ok(columns),
            Some(lacking) => Err(TraceError::Malformed {
                line,
                problem: format!("{lacking}: each line is one duration"),
            }),
        }
    }

    /// A unit for a column that is not there would be ignored silently.
    fn check_units(
        &self,
        line: u64,
        fields: &LineFields,
        options: &LogOptions,
    ) -> Result<(), TraceError> {
        let unknown = options.units.iter().find(|(column, _)| {
            let column = spelled(column.as_bytes());
            let same = |name: &[u8]| meaning(&column).is_some() && spelled(name) == column;
            !fields.iter().any(same)
        });
        match unknown {
            None => Ok(()),
            Some((column, _)) => Err(TraceError::Malformed {
                line,
                problem: format!(
                    "--unit: {} is no column that is used; the columns are {}",
                    shown(column),
                    self.names.join(", ")
                ),
            }),
        }
    }

    /// What neither a column nor an option tells, with the options that do.
    fn lacking(&self, options: &LogOptions) -> Option<&'static str> {
        let operation = self.operation.is_some() || options.operation.is_some();
        let size = self.size.is_some() || options.bytes.is_some();
        match (operation, size) {
            (true, true) => None,
            (false, true) => Some(
                "no column tells what an access did, and nobody has said it of all; add --operation write \
                 (or read)",
            ),
            (true, false) => Some(
                "no column tells how many bytes an access moved, and nobody has said it of all; add \
                 --record 4KiB (or what it is)",
            ),
            (false, false) => Some(
                "no column tells what an access did, nor how many bytes it moved, and nobody has said it of \
                 all; add --operation write (or read) and --record 4KiB (or what it is)",
            ),
        }
    }
}

fn repeated(name: &str) -> String {
    format!("column {name} says what another one says already")
}

/// The separator of which the most known names follow, and the names.
fn separated(line: &[u8]) -> (u8, LineFields) {
    let split = |separator: u8| {
        let mut fields = LineFields::default();
        let is_sound = fields.split(line, separator).is_ok();
        let known = fields.iter().filter(|name| is_known(name)).count();
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

/// Whether a name alone makes a line one of names. A time may be of anything.
fn is_known(name: &[u8]) -> bool {
    meaning(&spelled(name)).is_some_and(|(meaning, _)| meaning != CsvMeaning::Stamp)
}

/// What a name means, as [`spelled`] has it, and the unit behind it; none where it is of no use.
fn meaning(name: &str) -> Option<(CsvMeaning, Option<&str>)> {
    let (base, unit) = match name.rsplit_once('_') {
        Some((base, unit)) if is_unit(unit) => (base, Some(unit)),
        _ if name == "bytes" => ("size", Some("bytes")),
        _ => (name, None),
    };
    let base = base.strip_suffix("_time").unwrap_or(base);
    let names = [
        (DURATION, CsvMeaning::Duration),
        (START, CsvMeaning::Start),
        (END, CsvMeaning::End),
        (SIZE, CsvMeaning::Size),
        (OFFSET, CsvMeaning::Offset),
    ];
    if let Some((_, meaning)) = names.iter().find(|(names, _)| names.contains(&base)) {
        return Some((*meaning, unit));
    }
    if STAMP.contains(&base) {
        return Some((CsvMeaning::Stamp, unit));
    }
    (OPERATION.contains(&base) && unit.is_none()).then_some((CsvMeaning::Operation, unit))
}

fn is_unit(text: &str) -> bool {
    power_of_time(text).is_some() || SIZES.iter().any(|(name, _)| *name == text)
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

/// The unit of time behind a number.
pub(super) fn time_unit(text: &[u8]) -> Option<Scale> {
    Scale::of_time(&spelled(text))
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
    format!(
        "Names are: {} for the duration, or {} and {}, each with {} (duration_us); {} with {} (size_kib), or \
         bytes; {}, in bytes; {}",
        DURATION.join(", "),
        START.join(", "),
        END.join(", "),
        list(TIMES.iter().map(|(name, _)| *name)),
        SIZE.join(", "),
        list(SIZES.iter().map(|(name, _)| *name)),
        OFFSET.join(", "),
        OPERATION.join(", "),
    )
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
