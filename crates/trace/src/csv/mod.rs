//! Text with named columns: whatever a script or a spreadsheet wrote. The first line names the columns, with
//! their units; the reader takes those that it knows and says which it passes over.

mod columns;
pub(crate) mod fields;
mod units;

use std::io::BufRead;

use wordline_core::Operation;
use wordline_core::quantity::{ByteCount, Time};

use crate::format::LogHead;
use crate::lines::{LineReader, shown};
use crate::log::LogOptions;
use crate::number::{NumberFault, scaled, whole_or_hex};
use crate::watch::{OddityCount, OddityWatch, Origin};
use crate::{AccessReader, LogSummary, LoggedAccess, Oddity, TraceError};
use columns::{CsvColumns, Scale};
use fields::LineFields;

/// Digits behind the point of a size that count.
const FRACTION_DIGITS: i32 = 9;

/// A tenth of an access may pass between its instants besides its duration.
const BESIDE: u128 = 10;

/// Reads a CSV of accesses.
pub(crate) struct Csv<R> {
    lines: LineReader<R>,
    columns: CsvColumns,
    fields: LineFields,
    operation: Option<Operation>,
    bytes: Option<u64>,
    /// Whether a line names the columns.
    is_named: bool,
    /// Units that were taken.
    units: Vec<Oddity>,
    origin: Origin,
    watch: OddityWatch,
    /// Accesses whose instants contradict their durations, and by how much the worst of them.
    contradictions: OddityCount,
    farthest: Time,
}

/// Whether a line names a column that is known.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    CsvColumns::looks_like(line)
}

impl<R: BufRead> Csv<R> {
    /// Reads the line of names. Units that nothing states are taken from the `head` of the log.
    pub(crate) fn new(
        mut lines: LineReader<R>,
        head: &LogHead<'_>,
        options: &LogOptions,
    ) -> Result<Self, TraceError> {
        let Some(line) = lines.next_told()? else {
            return Err(TraceError::Empty);
        };
        let number = line.number;
        let columns = CsvColumns::read(number, line.text, options)?;
        Self::of(lines, columns, (head, 1), options, number)
    }

    /// Reads lines of one duration each, which no line names.
    pub(crate) fn of_durations(
        lines: LineReader<R>,
        head: &LogHead<'_>,
        options: &LogOptions,
    ) -> Result<Self, TraceError> {
        let first = head.told().next().map_or(1, |line| line.number);
        let columns = CsvColumns::of_durations(first, options)?;
        Self::of(lines, columns, (head, 0), options, first)
    }

    fn of(
        lines: LineReader<R>,
        mut columns: CsvColumns,
        (head, names): (&LogHead<'_>, usize),
        options: &LogOptions,
        line: u64,
    ) -> Result<Self, TraceError> {
        let units = units::settle(&mut columns, head, names, options, line)?;
        Ok(Self {
            lines,
            columns,
            fields: LineFields::default(),
            operation: options.operation,
            bytes: options.bytes,
            is_named: names > 0,
            units,
            origin: Origin::default(),
            watch: OddityWatch::default(),
            contradictions: OddityCount::default(),
            farthest: Time::ZERO,
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
        let comma = columns.separator != b',';
        let ps = |(at, scale): (usize, Scale)| {
            ps_of_cell(text(at), scale, comma).map_err(|fault| wrong(at, fault.words()))
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
        if let (Some((at, scale)), Some(start), Some(end)) = (columns.duration, start, end) {
            let lasted = end
                .checked_sub(start)
                .ok_or_else(|| "the access ends before it starts".to_owned())?;
            let instants = [columns.start, columns.end].into_iter().flatten();
            let steps = instants
                .chain([(at, scale)])
                .map(|(at, scale)| step_of_cell(text(at), scale, comma));
            let off = duration.abs_diff(lasted);
            // A program may do something beside the access between its instants.
            if off > steps.sum::<u128>().max(duration.max(lasted) / BESIDE) {
                self.contradictions.add(line);
                let off = u64::try_from(off).unwrap_or(u64::MAX);
                self.farthest = self.farthest.later(Time::from_ps(off));
            }
        }
        let end = end.or_else(|| start.and_then(|start| start.checked_add(duration)));
        let duration = u64::try_from(duration)
            .map(Time::from_ps)
            .map_err(|_| "the duration is longer than 213 days".to_owned())?;

        let amount = |(at, scale): (usize, Scale), hex: bool| {
            let text = text(at);
            let value = if hex && text.starts_with(b"0x") {
                whole_or_hex(text)
            } else {
                bytes_of_cell(text, scale, comma)
            };
            value.map_err(|fault| wrong(at, fault.words()))
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
        if bytes == 0
            && let Some((at, _)) = columns.size
        {
            return Err(wrong(
                at,
                "an access moves one byte at least; leave out lines of what neither reads nor writes, such as a flush",
            ));
        }
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
        let mut format = match self.is_named {
            true => format!("CSV, {} columns", self.columns.count),
            false => "durations, one a line".to_owned(),
        };
        if !self.columns.passed_over.is_empty() {
            format += &format!(" (not used: {})", self.columns.passed_over.join(", "));
        }
        let mut summary = self.watch.summary(format, None);
        summary.oddities.extend(self.units.iter().cloned());
        let most = self.farthest;
        let contradictions = self
            .contradictions
            .told(|line, count| Oddity::Contradiction { line, count, most });
        summary.oddities.extend(contradictions);
        summary
    }
}

/// A cell as its number and the unit behind it, which may be nothing.
fn number_and_unit(text: &[u8]) -> (&[u8], &[u8]) {
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    let length = text.iter().rposition(is_of_number).map_or(0, |at| at + 1);
    let (number, unit) = text.split_at(length);
    (number, unit.trim_ascii_start())
}

/// The time of a cell in picoseconds.
fn ps_of_cell(text: &[u8], scale: Scale, comma: bool) -> Result<u128, NumberFault> {
    if !scale.cell_units {
        return scaled(text, scale.power_of_ten.unwrap_or_default(), comma);
    }
    let (number, unit) = number_and_unit(text);
    let stated = match (number, unit) {
        (_, []) => scale,
        ([], _) => return Err(NumberFault::NotANumber),
        (_, unit) => columns::time_unit(unit).ok_or(NumberFault::UnknownUnit)?,
    };
    match (
        scaled(number, stated.power_of_ten.unwrap_or_default(), comma),
        stated.power_of_ten,
    ) {
        (Ok(_), None) => Err(NumberFault::NoUnit),
        (read, _) => read,
    }
}

/// One of the last digit of a time that [`ps_of_cell`] reads, in picoseconds.
fn step_of_cell(text: &[u8], scale: Scale, comma: bool) -> u128 {
    let (number, unit) = match scale.cell_units {
        true => number_and_unit(text),
        false => (text, &[][..]),
    };
    let stated = match unit {
        [] => scale,
        unit => columns::time_unit(unit).unwrap_or(scale),
    };
    let is_exponent = |byte: &u8| matches!(byte, b'e' | b'E');
    let (mantissa, exponent) = match number.iter().position(is_exponent) {
        Some(at) => (&number[..at], &number[at + 1..]),
        None => (number, &b"0"[..]),
    };
    let exponent = std::str::from_utf8(exponent).ok();
    let exponent: i32 = exponent.and_then(|text| text.parse().ok()).unwrap_or(0);
    let is_point = |byte: &u8| *byte == b'.' || comma && *byte == b',';
    let behind = mantissa.iter().rev().position(is_point).unwrap_or(0);
    let power = stated.power_of_ten.unwrap_or_default();
    let power = power.saturating_add(exponent) - i32::try_from(behind).unwrap_or(i32::MAX / 2);
    10u128.pow(power.clamp(0, 30).unsigned_abs())
}

/// The bytes of a cell, which have to be whole: sizes may be fractions of KiB.
fn bytes_of_cell(text: &[u8], scale: Scale, comma: bool) -> Result<u64, NumberFault> {
    let unit = match scale.cell_units {
        true => number_and_unit(text),
        false => (text, &[][..]),
    };
    if let (number @ [_, ..], unit @ [_, ..]) = unit {
        let number = String::from_utf8_lossy(number);
        let number = match comma {
            true => number.replace(',', "."),
            false => number.into_owned(),
        };
        let unit = String::from_utf8_lossy(unit);
        let bytes = format!("{number} {unit}").parse::<ByteCount>();
        return bytes
            .map(ByteCount::bytes)
            .map_err(|_| NumberFault::NotANumber);
    }
    let value = scaled(text, FRACTION_DIGITS, comma)?;
    let each = scale.bytes.ok_or(NumberFault::NoUnit)?;
    let bytes = value
        .checked_mul(u128::from(each))
        .ok_or(NumberFault::TooLarge)?;
    let one = 10u128.pow(FRACTION_DIGITS.unsigned_abs());
    if bytes % one != 0 {
        return Err(NumberFault::NotANumber);
    }
    u64::try_from(bytes / one).map_err(|_| NumberFault::TooLarge)
}

/// Whether a line is one duration, with or without its unit.
pub(crate) fn looks_like_duration(line: &[u8]) -> bool {
    let (number, unit) = number_and_unit(line.trim_ascii());
    scaled(number, 0, false).is_ok() && (unit.is_empty() || columns::time_unit(unit).is_some())
}

#[cfg(test)]
mod tests;
