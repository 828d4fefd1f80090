//! Text with named columns: whatever a script or a spreadsheet wrote. The first line names the columns, with
//! their units; the reader takes those that it knows and says which it passes over.

mod columns;
pub(crate) mod fields;

use std::io::BufRead;

use wordline_core::Operation;
use wordline_core::quantity::Time;

use crate::lines::{LineReader, shown};
use crate::log::LogOptions;
use crate::number::{NumberFault, scaled, whole_or_hex};
use crate::watch::{OddityWatch, Origin};
use crate::{AccessReader, LogSummary, LoggedAccess, TraceError};
use columns::{CsvColumns, Scale};
use fields::LineFields;

/// Digits behind the point of a size that count.
const FRACTION_DIGITS: i32 = 9;

/// Reads a CSV of accesses.
pub(crate) struct Csv<R> {
    lines: LineReader<R>,
    columns: CsvColumns,
    fields: LineFields,
    operation: Option<Operation>,
    bytes: Option<u64>,
    origin: Origin,
    watch: OddityWatch,
}

/// Whether a line names a column that is known.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    CsvColumns::looks_like(line)
}

impl<R: BufRead> Csv<R> {
    /// Reads the line of names.
    pub(crate) fn new(mut lines: LineReader<R>, options: &LogOptions) -> Result<Self, TraceError> {
        let Some(line) = lines.next_told()? else {
            return Err(TraceError::Empty);
        };
        let columns = CsvColumns::read(line.number, line.text, options)?;
        Ok(Self {
            lines,
            columns,
            fields: LineFields::default(),
            operation: options.operation,
            bytes: options.bytes,
            origin: Origin::default(),
            watch: OddityWatch::default(),
        })
    }

    /// None for what neither reads nor writes.
    fn access(&mut self, line: u64) -> Result<Option<LoggedAccess>, String> {
        let columns = &self.columns;
        let (found, expected) = (self.fields.count(), columns.count);
        if found != expected {
            return Err(format!(
                "{found} columns, where the first line names {expected}"
            ));
        }
        let text = |at: usize| self.fields.get(at).trim_ascii();
        let wrong = |at: usize, what: &str| {
            let name = &columns.names[at];
            format!("column {name} is {}: {what}", shown(text(at)))
        };
        let ps = |(at, scale): (usize, Scale)| {
            scaled(text(at), scale.power_of_ten, columns.separator != b',')
                .map_err(|fault| wrong(at, fault.words()))
        };
        let start = columns.start.map(ps).transpose()?;
        let end = columns.end.map(ps).transpose()?;
        let duration = match (columns.duration, start, end) {
            (Some(column), ..) => ps(column)?,
            (None, Some(start), Some(end)) => end
                .checked_sub(start)
                .ok_or_else(|| "the access ends before it starts".to_owned())?,
            _ => 0,
        };
        let end = end.or_else(|| start.and_then(|start| start.checked_add(duration)));
        let duration = u64::try_from(duration)
            .map(Time::from_ps)
            .map_err(|_| "the duration is longer than 213 days".to_owned())?;

        let amount = |(at, scale): (usize, Scale), hex: bool| {
            let text = text(at);
            let value = if hex && text.starts_with(b"0x") {
                whole_or_hex(text).map(u128::from)
            } else {
                // Sizes may be fractions of KiB, as long as they are whole bytes.
                scaled(text, FRACTION_DIGITS, columns.separator != b',').and_then(|value| {
                    let bytes = value.checked_mul(u128::from(scale.bytes));
                    let bytes = bytes.ok_or(NumberFault::TooLarge)?;
                    let one = 10u128.pow(FRACTION_DIGITS.unsigned_abs());
                    (bytes % one == 0)
                        .then_some(bytes / one)
                        .ok_or(NumberFault::NotANumber)
                })
            };
            value
                .and_then(|value| u64::try_from(value).map_err(|_| NumberFault::TooLarge))
                .map_err(|fault| wrong(at, fault.words()))
        };
        let bytes = match (columns.size, self.bytes) {
            (Some(column), _) => amount(column, false)?,
            (None, bytes) => bytes.unwrap_or_default(),
        };
        let offset = columns
            .offset
            .map(|column| amount(column, true))
            .transpose()?;
        let operation = match columns.operation {
            None => self.operation,
            Some(at) => match columns::operation(text(at)) {
                Some(operation) => operation,
                None => {
                    return Err(wrong(
                        at,
                        "allowed are read, r, rd, 0; write, w, wr, 1; trim, discard, t, d, 2",
                    ));
                }
            },
        };
        let Some(operation) = operation else {
            return Ok(None);
        };
        let end =
            match end {
                None => None,
                Some(ps) => Some(self.origin.place(ps).ok_or_else(|| {
                    "the time is months away from the first in the log".to_owned()
                })?),
            };
        Ok(Some(LoggedAccess {
            operation,
            duration,
            bytes,
            offset,
            end,
            line,
        }))
    }
}

impl<R: BufRead> AccessReader for Csv<R> {
    type Access = LoggedAccess;

    fn advance(&mut self) -> Result<Option<LoggedAccess>, TraceError> {
        loop {
            let Some(line) = self.lines.next_told()? else {
                return self.watch.end();
            };
            let (number, ended) = (line.number, line.ended);
            let told = self
                .fields
                .split(line.text, self.columns.separator)
                .and_then(|()| self.access(number));
            match told {
                Ok(Some(access)) => {
                    if let Some(end) = access.end {
                        self.watch.time(end, number);
                    }
                    self.watch.accesses += 1;
                    return Ok(Some(access));
                }
                Ok(None) => self.watch.skipped("trims", number),
                // Many writers leave the last line without an end; only one that makes no sense is cut off.
                Err(_) if !ended && self.watch.accesses > 0 => {
                    self.watch.truncated(number);
                    return Ok(None);
                }
                Err(problem) => {
                    return Err(TraceError::Malformed {
                        line: number,
                        problem,
                    });
                }
            }
        }
    }

    fn summary(&self) -> LogSummary {
        let mut format = format!("CSV, {} columns", self.columns.count);
        if !self.columns.passed_over.is_empty() {
            format += &format!(" (not used: {})", self.columns.passed_over.join(", "));
        }
        self.watch.summary(format, None)
    }
}

#[cfg(test)]
mod tests;
