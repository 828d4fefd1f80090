//! fio's latency logs: a line for each access.

use std::io::BufRead;

use wordline_core::Operation;
use wordline_core::quantity::Time;

use super::layout::{self, Fields, LogLayout, MOST_COLUMNS};
use crate::format::LogHead;
use crate::lines::{LineReader, shown};
use crate::log::{LatencyUnit, LogOptions};
use crate::number::leading_number;
use crate::watch::{OddityWatch, Origin};
use crate::{AccessReader, LogSummary, LoggedAccess, TraceError};

const PS_PER_MS: u128 = 1_000_000_000;
const PS_PER_NS: u64 = 1_000;
const PS_PER_US: u64 = 1_000_000;

/// Fewest lines of which a value of 1 throughout says that they count operations.
const FEWEST_ONES: usize = 4;

/// Reads a latency log.
pub(crate) struct FioLog<R> {
    lines: LineReader<R>,
    layout: LogLayout,
    value_ps: u64,
    latency: LatencyKind,
    origin: Origin,
    watch: OddityWatch,
}

/// Which latency a log holds, as far as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LatencyKind {
    /// From submission to completion, or not said.
    Total,
    /// From issue to completion: an issue time says exactly when it ended.
    Completion,
    /// From submission to issue.
    Submission,
}

impl<R: BufRead> FioLog<R> {
    /// Looks at the first lines, of which `lines` reads all again.
    pub(crate) fn new(
        lines: LineReader<R>,
        probe: &LogHead<'_>,
        options: &LogOptions,
    ) -> Result<Self, TraceError> {
        let name = options.name.as_deref().unwrap_or_default();
        let told = || probe.told().map(|line| (line.number, line.text));
        let first = told().next().map_or(1, |(line, _)| line);
        for (part, what) in [("_bw.", "bandwidths"), ("_iops.", "operations per second")] {
            if name.contains(part) {
                return Err(TraceError::Useless {
                    line: first,
                    problem: format!(
                        "the name of {} says that it holds {what}, not latencies: give fio's {}",
                        shown(name),
                        "NAME_lat.N.log or NAME_clat.N.log, which it writes with write_lat_log=NAME"
                    ),
                });
            }
        }
        let layout = layout::choose(told())?;
        let value_ps = match options.unit {
            Some(LatencyUnit::Microseconds) => PS_PER_US,
            Some(LatencyUnit::Nanoseconds) => PS_PER_NS,
            None => {
                let values =
                    told().map_while(|(_, line)| Some(layout::split(line).ok()?.fields[1]));
                if values.clone().count() >= FEWEST_ONES && values.clone().all(|value| value == 1) {
                    return Err(TraceError::Useless {
                        line: first,
                        problem:
                            "every value is 1: these are operations counted (write_iops_log), not \
                                  latencies; give fio's NAME_lat.N.log, or say that the unit is us"
                                .to_owned(),
                    });
                }
                PS_PER_NS
            }
        };
        let latency = if name.contains("_clat.") {
            LatencyKind::Completion
        } else if name.contains("_slat.") {
            LatencyKind::Submission
        } else {
            LatencyKind::Total
        };
        let mut watch = OddityWatch::default();
        watch.unit_assumed = options.unit.is_none() && !layout.fio3;
        Ok(Self {
            lines,
            layout,
            value_ps,
            latency,
            origin: Origin::default(),
            watch,
        })
    }

    /// Whether ends come from the issue time, which is exact, and not from the time, which is in ms.
    const fn ends_by_issue(&self) -> bool {
        self.layout.issue.is_some() && !matches!(self.latency, LatencyKind::Total)
    }

    /// The next line, where it lies in the buffer as a whole and is written as fio writes it.
    #[inline]
    fn quick_fields(&mut self) -> Option<Fields> {
        let buffer = self.lines.reader.fill_buf().ok()?;
        let (fields, length) = quick(buffer, &self.layout)?;
        self.lines.reader.consume(length);
        self.lines.number += 1;
        Some(fields)
    }

    /// The next line with content, whatever is wrong with it.
    #[cold]
    fn careful_fields(&mut self) -> Result<Option<Fields>, TraceError> {
        let Some(line) = self.lines.next_told()? else {
            return Ok(None);
        };
        if !line.ended {
            // fio ends every line, so that this one may lack digits even where it has all columns.
            self.watch.truncated(line.number);
            return Ok(None);
        }
        careful(line.number, line.text, &self.layout).map(Some)
    }

    fn end(&self) -> Result<Option<LoggedAccess>, TraceError> {
        match (self.watch.accesses, self.watch.truncated_line()) {
            (0, Some(line)) => Err(TraceError::Malformed {
                line,
                problem: "the only line has no line end: it may be cut off".to_owned(),
            }),
            _ => self.watch.end(),
        }
    }

    /// None for what neither reads nor writes.
    #[inline]
    fn access(&mut self, fields: &Fields) -> Result<Option<LoggedAccess>, TraceError> {
        let at = |column: usize| fields[column & (MOST_COLUMNS - 1)];
        let line = self.lines.number;
        let layout = &self.layout;
        let bytes = at(layout.size);
        if bytes == 0 {
            return Err(averaged(line));
        }
        let operation = match at(layout.direction) {
            0 => Operation::Read,
            1 => Operation::Write,
            2 => {
                self.watch.skipped("trims", line);
                return Ok(None);
            }
            other => return Err(unknown_direction(line, other)),
        };
        let Some(ps) = at(1).checked_mul(self.value_ps) else {
            return Err(too_long(line, at(1)));
        };
        let end_ps = match layout.issue {
            Some(issue) if self.ends_by_issue() => {
                let issued = u128::from(at(issue)) * u128::from(PS_PER_NS);
                match self.latency {
                    LatencyKind::Submission => issued,
                    _ => issued + u128::from(ps),
                }
            }
            _ => u128::from(at(0)) * PS_PER_MS,
        };
        let Some(end) = self.origin.place(end_ps) else {
            return Err(far_away(line, at(0)));
        };
        self.watch.time(end, line);
        Ok(Some(LoggedAccess {
            operation,
            duration: Time::from_ps(ps),
            bytes,
            offset: self.layout.offset.map(at),
            end: Some(end),
            line,
        }))
    }
}

impl<R: BufRead> AccessReader for FioLog<R> {
    type Access = LoggedAccess;

    #[inline]
    fn advance(&mut self) -> Result<Option<LoggedAccess>, TraceError> {
        loop {
            let fields = match self.quick_fields() {
                Some(fields) => fields,
                None => match self.careful_fields()? {
                    Some(fields) => fields,
                    None => return self.end(),
                },
            };
            match self.access(&fields) {
                Ok(None) => {}
                // Handed on as it is: taking it apart costs a copy for each line.
                told => {
                    self.watch.accesses += 1;
                    return told;
                }
            }
        }
    }

    fn summary(&self) -> LogSummary {
        let which = match self.latency {
            LatencyKind::Total => "latency",
            LatencyKind::Completion => "completion latency",
            LatencyKind::Submission => "submission latency",
        };
        let format = format!("fio {which} log, {} columns", self.layout.columns);
        let resolution = if self.ends_by_issue() {
            Time::from_ps(PS_PER_NS)
        } else {
            Time::from_ps(PS_PER_MS as u64)
        };
        self.watch.summary(format, Some(resolution))
    }
}

/// The fields of the first line in the buffer and its length with the line end, where nothing is unusual:
/// decimals of 15 digits or fewer between `, `, and priorities as fio writes them.
#[inline]
fn quick(buffer: &[u8], layout: &LogLayout) -> Option<(Fields, usize)> {
    // The compiler unrolls what has a constant number of columns.
    match layout.columns {
        4 => quick_columns::<4>(buffer, layout),
        5 => quick_columns::<5>(buffer, layout),
        6 => quick_columns::<6>(buffer, layout),
        7 => quick_columns::<7>(buffer, layout),
        _ => quick_columns::<8>(buffer, layout),
    }
}

#[inline]
fn quick_columns<const COLUMNS: usize>(
    buffer: &[u8],
    layout: &LogLayout,
) -> Option<(Fields, usize)> {
    let mut fields = [0; MOST_COLUMNS];
    let mut rest = buffer;
    for (column, field) in fields.iter_mut().enumerate().take(COLUMNS) {
        let (value, digits) = leading_number(rest)?;
        *field = value;
        rest = rest.get(digits..)?;
        if let [b'x', behind @ ..] = rest
            && Some(column) == layout.priority
            && value == 0
            && digits == 1
        {
            // The priority itself is of no interest.
            let digits = behind.iter().take_while(|byte| byte.is_ascii_hexdigit());
            rest = match digits.count() {
                digits @ 1..=8 => &behind[digits..],
                _ => return None,
            };
        }
        if column == COLUMNS - 1 {
            rest = match rest {
                [b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] => rest,
                _ => return None,
            };
            return Some((fields, buffer.len() - rest.len()));
        }
        rest = match rest {
            [b',', b' ', rest @ ..] => rest,
            _ => return None,
        };
    }
    None
}

fn careful(line: u64, text: &[u8], layout: &LogLayout) -> Result<Fields, TraceError> {
    let malformed = |problem| Err(TraceError::Malformed { line, problem });
    let split = match layout::split(text) {
        Ok(split) => split,
        Err(wrong) if wrong.text.contains(&0) => {
            return malformed(format!(
                "column {} holds a NUL byte: what should stand here never reached the disk",
                wrong.column + 1
            ));
        }
        Err(wrong) => {
            return malformed(format!(
                "column {} ({}) is {}: {}; a whole number belongs there",
                wrong.column + 1,
                layout.name(wrong.column),
                shown(wrong.text),
                wrong.fault.words()
            ));
        }
    };
    let (found, expected) = (split.columns, layout.columns);
    if found != expected {
        return malformed(format!(
            "{found} columns, where the lines before have {expected}"
        ));
    }
    match (0..found).find(|at| split.hex[*at] && Some(*at) != layout.priority) {
        None => Ok(split.fields),
        Some(at) => malformed(format!(
            "column {} ({}) is hexadecimal; a decimal number belongs there",
            at + 1,
            layout.name(at)
        )),
    }
}

#[cold]
fn averaged(line: u64) -> TraceError {
    TraceError::Useless {
        line,
        problem: "the block size is 0: fio has averaged over windows of time (log_avg_msec, log_window_value, \
                  log_max_value), and single accesses cannot be had from that; run it with log_avg_msec=0"
            .to_owned(),
    }
}

#[cold]
fn unknown_direction(line: u64, found: u64) -> TraceError {
    TraceError::Malformed {
        line,
        problem: format!("direction {found}; there are 0 (read), 1 (write) and 2 (trim)"),
    }
}

#[cold]
fn too_long(line: u64, found: u64) -> TraceError {
    TraceError::Malformed {
        line,
        problem: format!("a latency of {found} is longer than 213 days"),
    }
}

#[cold]
fn far_away(line: u64, found: u64) -> TraceError {
    TraceError::Malformed {
        line,
        problem: format!("the time {found} ms is months away from the first in the log"),
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
