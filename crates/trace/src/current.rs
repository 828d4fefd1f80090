//! Currents over time, as Nordic's Power Profiler Kit II (`Timestamp(ms),Current(uA),D0-D7`) and Joulescope
//! (`#time,current,voltage,power,charge,energy`, in s, A, V, W, C and J) export them.
//!
//! The line of names may begin with `#`. A name states its unit behind an underscore or in brackets; without one it is the SI
//! unit, which is documented of a Joulescope and noted as taken of other logs. A sample without a value, empty or `NaN`, is one that the analyser lost: it begins a gap.

use std::io::BufRead;

use wordline_core::quantity::{Current, Quantity, Time, Voltage};

use crate::csv::fields::LineFields;
use crate::format::LogHead;
use crate::lines::{LineReader, is_silent, shown, without_end};
use crate::log::LogOptions;
use crate::number::{power_of_time, scaled};
use crate::watch::{OddityWatch, Origin};
use crate::{AccessReader, LogSummary, Oddity, TraceError};

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurrentSample {
    /// When it was taken, counted from an instant of the log's own.
    pub at: Time,
    /// In amperes; none of a sample that was lost. Noise around zero may be negative.
    pub amperes: Option<f64>,
    /// In volts, where the log tells it.
    pub volts: Option<f64>,
    /// Line of the text that tells it, from 1.
    pub line: u64,
}

/// In front of the name of a column of currents in options, to tell it from one of the log of accesses beside it.
pub const UNIT_PREFIX: &str = "current.";

/// More than any supply on a board carries: what lies beyond is a wrong unit or a wrong column.
const AMPERES_MAX: f64 = 1000.0;
const VOLTS_MAX: f64 = 1000.0;

/// What the line of names says. Columns are counted from 0.
struct CurrentColumns {
    separator: u8,
    count: usize,
    names: Vec<String>,
    time: Option<(usize, i32)>,
    current: (usize, f64),
    voltage: Option<(usize, f64)>,
    /// Two columns that hold the same.
    twice: Option<(usize, usize)>,
    /// Columns without a unit, and the SI unit that was taken.
    taken: Vec<(usize, &'static str)>,
}

/// How a Joulescope begins its line of names, whose columns are in SI units.
const JOULESCOPE: &[u8] = b"#time,current,voltage";

/// Reads a log of currents.
pub(crate) struct CurrentReader<R> {
    lines: LineReader<R>,
    columns: CurrentColumns,
    time: (usize, i32),
    fields: LineFields,
    origin: Origin,
    latest: Option<Time>,
    watch: OddityWatch,
    /// The line of names.
    line: u64,
}

/// Whether the first line, which may stand behind `#`, names a current and no duration.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    let head = LogHead {
        bytes,
        is_whole: true,
    };
    let told = head.told().next().map_or(&[][..], |line| line.text);
    let comments = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(without_end)
        .take_while(|line| is_silent(line));
    comments
        .chain([told])
        .any(|line| names(line, &LogOptions::default()).is_ok_and(|names| names.is_some()))
}

/// A name without its unit, in lower case, and the unit, with micro as `u`.
fn name_and_unit(name: &[u8]) -> (String, String) {
    let name = String::from_utf8_lossy(name).replace(['µ', 'μ'], "u");
    let name = name.trim();
    let apart = name
        .split_once(['(', '['])
        .or_else(|| name.rsplit_once('_'));
    let (base, unit) = apart.unwrap_or((name, ""));
    let unit = unit.trim_end_matches([')', ']']).trim();
    (base.trim().to_lowercase(), unit.to_owned())
}

/// The columns of a line of names; none where it names no current.
fn names(line: &[u8], options: &LogOptions) -> Result<Option<CurrentColumns>, String> {
    let line = line.trim_ascii_start();
    let is_documented = line.to_ascii_lowercase().starts_with(JOULESCOPE);
    let line = line.strip_prefix(b"#").unwrap_or(line);
    let mut best = None;
    for separator in [b',', b';', b'\t'] {
        let mut fields = LineFields::default();
        if fields.split(line, separator).is_ok()
            && best
                .as_ref()
                .is_none_or(|(_, best): &(u8, LineFields)| fields.count() > best.count())
        {
            best = Some((separator, fields));
        }
    }
    let Some((separator, fields)) = best else {
        return Ok(None);
    };
    let names: Vec<String> = fields.iter().map(shown).collect();
    let (mut time, mut current, mut voltage) = (None, None, None);
    let (mut twice, mut taken) = (None, Vec::new());
    for (at, name) in fields.iter().enumerate() {
        let (base, stated) = name_and_unit(name);
        let mut said = options.units.iter();
        let said = said
            .rfind(|(column, _)| column.eq_ignore_ascii_case(&base) || column.as_bytes() == name);
        let unit = said.map_or(stated.as_str(), |(_, unit)| unit.as_str());
        let of = |fault: String| format!("column {}: {fault}", names[at]);
        let (si, first) = match base.as_str() {
            "time" | "timestamp" | "t" => ("s", time.map(|(at, _)| at)),
            "current" | "i" => ("A", current.map(|(at, _)| at)),
            "voltage" | "v" => ("V", voltage.map(|(at, _)| at)),
            _ => continue,
        };
        if let Some(first) = first {
            twice.get_or_insert((first, at));
            continue;
        }
        let unit = if unit.is_empty() {
            taken.push((at, si));
            si
        } else {
            unit
        };
        match si {
            "s" => {
                let power = power_of_time(unit).ok_or_else(|| {
                    of(format!(
                        "{} is not a unit of time; allowed: ns, us, ms, s",
                        shown(unit)
                    ))
                })?;
                time = Some((at, power));
            }
            "A" => {
                let one = format!("1 {unit}").parse::<Current>();
                let one = one.map_err(|error| of(error.to_string()))?;
                current = Some((at, one.si()));
            }
            _ => {
                let one = format!("1 {unit}").parse::<Voltage>();
                let one = one.map_err(|error| of(error.to_string()))?;
                voltage = Some((at, one.si()));
            }
        }
    }
    // A single letter names a current only beside a time.
    let Some(current) =
        current.filter(|_| time.is_some() || names.iter().any(|name| name.len() > 3))
    else {
        return Ok(None);
    };
    if is_documented {
        taken.clear();
    }
    Ok(Some(CurrentColumns {
        separator,
        count: fields.count(),
        names,
        time,
        current,
        voltage,
        twice,
        taken,
    }))
}

impl<R: BufRead> CurrentReader<R> {
    /// Reads up to the line of names.
    pub(crate) fn new(mut lines: LineReader<R>, options: &LogOptions) -> Result<Self, TraceError> {
        let columns = loop {
            let Some(line) = lines.next()? else {
                return Err(TraceError::Empty);
            };
            let (line, text) = (line.number, line.text);
            let malformed = |problem| TraceError::Malformed { line, problem };
            match names(text, options).map_err(malformed)? {
                Some(columns) => break columns,
                None if is_silent(text) => {}
                None => {
                    return Err(malformed(format!(
                        "no column is a current: the names are {}; expected such as Timestamp(ms),Current(uA) or \
                         time,current,voltage",
                        shown(text)
                    )));
                }
            }
        };
        let line = lines.number;
        for (column, _) in &options.units {
            let is_there = |name: &String| {
                let name = name.trim_matches('"');
                name == column || name_and_unit(name.as_bytes()).0 == column.to_lowercase()
            };
            if !columns.names.iter().any(is_there) {
                return Err(TraceError::Malformed {
                    line,
                    problem: format!(
                        "--unit: {} is no column; the columns are {}",
                        shown(column),
                        columns.names.join(", ")
                    ),
                });
            }
        }
        if let Some((first, other)) = columns.twice {
            let [first, other] = [first, other].map(|at| &columns.names[at]);
            return Err(TraceError::Malformed {
                line,
                problem: format!(
                    "columns {first} and {other} hold the same quantity: leave one of them out of the file"
                ),
            });
        }
        let Some(time) = columns.time else {
            return Err(TraceError::Useless {
                line,
                problem: format!(
                    "no column tells when a sample was taken: the names are {}. Export it with times (Power Profiler: \
                     tick Timestamp in the export; Joulescope: export the waveform or record statistics)",
                    columns.names.join(", ")
                ),
            });
        };
        Ok(Self {
            lines,
            columns,
            time,
            fields: LineFields::default(),
            origin: Origin::default(),
            latest: None,
            watch: OddityWatch::default(),
            line,
        })
    }

    /// Whether a column holds the voltage.
    pub(crate) const fn has_voltage(&self) -> bool {
        self.columns.voltage.is_some()
    }

    fn sample(&mut self, line: u64) -> Result<CurrentSample, String> {
        let columns = &self.columns;
        let (found, expected) = (self.fields.count(), columns.count);
        if found != expected {
            return Err(format!(
                "{found} columns, where the line of names has {expected}"
            ));
        }
        let text = |at: usize| self.fields.get(at).trim_ascii();
        let wrong = |at: usize, what: &str| {
            format!(
                "column {} is {}: {what}",
                columns.names[at],
                shown(text(at))
            )
        };
        let comma = columns.separator != b',';
        let (at, power) = self.time;
        let ps = scaled(text(at), power, comma).map_err(|fault| wrong(at, fault.words()))?;
        let value = |(at, unit): (usize, f64), most: f64| {
            let found = text(at);
            if found.is_empty() || found.eq_ignore_ascii_case(b"nan") {
                return Ok(None);
            }
            let words = String::from_utf8_lossy(found);
            let words = match comma {
                true => words.replace(',', "."),
                false => words.into_owned(),
            };
            match words.parse::<f64>() {
                Ok(value) if (value * unit).abs() <= most => Ok(Some(value * unit)),
                Ok(_) => Err(wrong(
                    at,
                    &format!("allowed are -{most} to {most} in the SI unit"),
                )),
                Err(_) => Err(wrong(at, "it is no number")),
            }
        };
        let mut amperes = value(columns.current, AMPERES_MAX)?;
        let volts = match columns.voltage {
            None => None,
            Some(column) => {
                let volts = value(column, VOLTS_MAX)?;
                if volts.is_none() {
                    amperes = None;
                }
                volts
            }
        };
        let at = self.origin.place(ps);
        let at =
            at.ok_or_else(|| "the time is months away from the first in the log".to_owned())?;
        Ok(CurrentSample {
            at,
            amperes,
            volts,
            line,
        })
    }
}

impl<R: BufRead> AccessReader for CurrentReader<R> {
    type Access = CurrentSample;

    fn advance(&mut self) -> Result<Option<CurrentSample>, TraceError> {
        let Some(line) = self.lines.next_told()? else {
            return match self.watch.accesses {
                0 => Err(TraceError::Useless {
                    line: self.line,
                    problem: "no sample of the current follows the names of the columns".to_owned(),
                }),
                _ => Ok(None),
            };
        };
        let (number, ended) = (line.number, line.ended);
        let split = self.fields.split(line.text, self.columns.separator);
        match split.and_then(|()| self.sample(number)) {
            Ok(sample) => {
                if self.latest.is_some_and(|latest| sample.at < latest) {
                    return Err(TraceError::Malformed {
                        line: number,
                        problem: "the time is earlier than that of the sample in front of it: a current has to be in \
                                  the order of its time; cut the file there, or sort it"
                            .to_owned(),
                    });
                }
                self.latest = Some(sample.at);
                if sample.amperes.is_none() {
                    self.watch.skipped("samples without a value", number);
                }
                self.watch.accesses += 1;
                Ok(Some(sample))
            }
            Err(_) if !ended && self.watch.accesses > 0 => {
                self.watch.truncated(number);
                Ok(None)
            }
            Err(problem) => Err(TraceError::Malformed {
                line: number,
                problem,
            }),
        }
    }

    fn summary(&self) -> LogSummary {
        let voltage = match self.columns.voltage {
            Some(_) => "current and voltage",
            None => "current",
        };
        let mut summary = self.watch.summary(
            format!("{voltage} over time, {} columns", self.columns.count),
            None,
        );
        let taken = self.columns.taken.iter().map(|(at, unit)| {
            let column = self.columns.names[*at].clone();
            let base = name_and_unit(column.trim_matches('"').as_bytes()).0;
            Oddity::UnitTaken {
                line: self.line,
                unit,
                why: "the SI unit".to_owned(),
                option: format!("--unit {UNIT_PREFIX}{base}={unit}"),
                column,
            }
        });
        summary.oddities.extend(taken);
        summary
    }
}
