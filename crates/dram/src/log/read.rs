//! Reads command traces again, as strictly as they are written: what is read and written again is the same text.

use std::fmt;
use std::io::{BufRead, Read};

use super::{BEATS, COLUMNS, RATE, TITLE, carried};
use crate::command::{Command, Issued};
use crate::config::ClockDomain;
use crate::request::Location;

/// Longest line in bytes. The longest that is written has 120.
const MAX_LINE: usize = 256;

/// One command of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedCommand {
    /// Channel, from 0.
    pub channel: u32,
    /// Sub-channel of the channel, from 0.
    pub sub_channel: u32,
    /// The command.
    pub issued: Issued,
    /// Line of the trace, from 1.
    pub line: u64,
}

/// Why a command trace cannot be used. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum CommandLogError {
    /// It cannot be read.
    #[error("line {line}: cannot be read: {source}")]
    Unreadable {
        /// The line that was being read.
        line: u64,
        /// Why not.
        source: std::io::Error,
    },
    /// A line is longer than any that is written.
    #[error("line {line}: longer than {MAX_LINE} bytes, which no line of a command trace is")]
    TooLong {
        /// The line.
        line: u64,
    },
    /// The file ends within a line, or within its first three lines.
    #[error("line {line}: the trace ends before the line does: it is cut off")]
    Truncated {
        /// The line.
        line: u64,
    },
    /// One of the first three lines is another one.
    #[error("line {line}: expected {expected}, found {found:?}")]
    Head {
        /// The line.
        line: u64,
        /// What should stand there.
        expected: String,
        /// What was found.
        found: String,
    },
    /// A line has more or fewer columns than are named.
    #[error("line {line}: {found} columns; expected {}", COLUMNS.len())]
    Columns {
        /// The line.
        line: u64,
        /// How many it has.
        found: usize,
    },
    /// A column cannot be what it is.
    #[error("line {line}: {column} is {found:?}; expected {expected}")]
    Field {
        /// The line.
        line: u64,
        /// The column's name.
        column: &'static str,
        /// What was found.
        found: String,
        /// What is allowed.
        expected: String,
    },
}

/// Reads a command trace, one command at a time. The first error is the last item. The order of the commands is not
/// looked at.
pub struct CommandReader<R> {
    reader: R,
    buffer: Vec<u8>,
    line: u64,
    clock: ClockDomain,
    is_over: bool,
}

impl<R: BufRead> CommandReader<R> {
    /// Reads the first three lines.
    ///
    /// # Errors
    /// When they are not those of a command trace of this version.
    pub fn new(reader: R) -> Result<Self, CommandLogError> {
        let mut reader = Self {
            reader,
            buffer: Vec::new(),
            line: 0,
            clock: ClockDomain::double(1),
            is_over: false,
        };
        reader.head(TITLE, |text| text == TITLE)?;
        let rate = |text: &str| canonical(text.strip_prefix(RATE)?.as_bytes());
        let rate = |text: &str| u32::try_from(rate(text)?).ok().filter(|rate| *rate > 0);
        let expected = format!("{RATE}and a data rate from 1 to {}", u32::MAX);
        let mut found = None;
        reader.head(&expected, |text| {
            found = rate(text);
            found.is_some()
        })?;
        reader.clock.data_rate_mts = found.unwrap_or(1);
        let columns = COLUMNS.join(",");
        let beats = |text: &str| {
            let beats = u32::try_from(canonical(text.strip_prefix(BEATS)?.as_bytes())?).ok()?;
            (beats.is_power_of_two() && beats <= 16 && beats != 2).then_some(beats)
        };
        let mut other = None;
        reader.head(&columns, |text| {
            other = beats(text);
            other.is_some() || text == columns
        })?;
        if let Some(beats) = other {
            reader.clock.beats = beats;
            reader.head(&columns, |text| text == columns)?;
        }
        Ok(reader)
    }

    /// The clock of every sub-channel of the trace.
    #[must_use]
    pub const fn clock(&self) -> ClockDomain {
        self.clock
    }

    fn head(
        &mut self,
        expected: &str,
        is_sound: impl FnOnce(&str) -> bool,
    ) -> Result<(), CommandLogError> {
        let line = self.line + 1;
        if !self.next_line()? {
            return Err(CommandLogError::Truncated { line });
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(text) if is_sound(text) => Ok(()),
            _ => Err(CommandLogError::Head {
                line,
                expected: format!("{expected:?}"),
                found: shown(&self.buffer),
            }),
        }
    }

    /// Reads a line into the buffer, without its end; false at the end of the trace.
    fn next_line(&mut self) -> Result<bool, CommandLogError> {
        self.line += 1;
        let line = self.line;
        self.buffer.clear();
        let limited = self.reader.by_ref().take(MAX_LINE as u64 + 1);
        { limited }
            .read_until(b'\n', &mut self.buffer)
            .map_err(|source| CommandLogError::Unreadable { line, source })?;
        if self.buffer.is_empty() {
            return Ok(false);
        }
        if self.buffer.len() > MAX_LINE {
            return Err(CommandLogError::TooLong { line });
        }
        match self.buffer.pop() {
            Some(b'\n') => Ok(true),
            _ => Err(CommandLogError::Truncated { line }),
        }
    }

    fn advance(&mut self) -> Result<Option<LoggedCommand>, CommandLogError> {
        if !self.next_line()? {
            return Ok(None);
        }
        let line = self.line;
        let mut fields: [&[u8]; COLUMNS.len()] = [&[]; COLUMNS.len()];
        let mut found = 0;
        for field in self.buffer.split(|byte| *byte == b',') {
            if let Some(slot) = fields.get_mut(found) {
                *slot = field;
            }
            found += 1;
        }
        if found != COLUMNS.len() {
            return Err(CommandLogError::Columns { line, found });
        }
        LogFields { line, fields }.command(self.clock).map(Some)
    }
}

impl<R: BufRead> Iterator for CommandReader<R> {
    type Item = Result<LoggedCommand, CommandLogError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.advance();
        self.is_over = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}

impl<R> fmt::Debug for CommandReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandReader").finish_non_exhaustive()
    }
}

/// The columns of a line.
struct LogFields<'a> {
    line: u64,
    fields: [&'a [u8]; COLUMNS.len()],
}

impl LogFields<'_> {
    fn command(&self, clock: ClockDomain) -> Result<LoggedCommand, CommandLogError> {
        let at = self.number(0, u64::MAX)?;
        let ps = clock.ps(at);
        if self.number(1, u64::MAX)? != ps {
            return Err(self.wrong(1, format!("{ps}, the time of clock {at}")));
        }
        let name = self.fields[10];
        let command = Command::ALL
            .into_iter()
            .find(|command| command.name().as_bytes() == name)
            .ok_or_else(|| self.wrong(10, format!("one of {}", names())))?;
        let [group, bank, row, column] = carried(command);
        let request = match self.fields[11] {
            [] => None,
            _ => Some(self.number(11, u64::MAX)?),
        };
        Ok(LoggedCommand {
            channel: self.number(2, u32::MAX)?,
            sub_channel: self.number(3, u32::MAX)?,
            issued: Issued {
                at,
                command,
                location: Location {
                    pseudo_channel: self.number(4, u8::MAX)?,
                    rank: self.number(5, u8::MAX)?,
                    group: self.group(group, command)?,
                    bank: self.part(7, u8::MAX, bank, command)?,
                    row: self.part(8, u32::MAX, row, command)?,
                    column: self.part(9, u16::MAX, column, command)?,
                },
                request,
            },
            line: self.line,
        })
    }

    /// The group. That of PREsb, REFsb and RFMsb is left out where it is 0.
    fn group(&self, is_carried: bool, command: Command) -> Result<u8, CommandLogError> {
        let of_set = matches!(command, Command::PreSb | Command::RefSb | Command::RfmSb);
        let group = self.part(
            6,
            u8::MAX,
            is_carried || (of_set && !self.fields[6].is_empty()),
            command,
        )?;
        if of_set && group == 0 && !self.fields[6].is_empty() {
            return Err(self.wrong(6, "nothing, or a group above 0".to_owned()));
        }
        Ok(group)
    }

    /// A part of the location, or nothing where the command does not carry it.
    fn part<T: TryFrom<u64> + Default + fmt::Display>(
        &self,
        at: usize,
        max: T,
        is_carried: bool,
        command: Command,
    ) -> Result<T, CommandLogError> {
        if is_carried {
            return self.number(at, max);
        }
        if self.fields[at].is_empty() {
            return Ok(T::default());
        }
        Err(self.wrong(
            at,
            format!("nothing, as {} has no {}", command.name(), COLUMNS[at]),
        ))
    }

    fn number<T: TryFrom<u64> + fmt::Display>(
        &self,
        at: usize,
        max: T,
    ) -> Result<T, CommandLogError> {
        canonical(self.fields[at])
            .and_then(|value| T::try_from(value).ok())
            .ok_or_else(|| self.wrong(at, format!("a whole number from 0 to {max}")))
    }

    fn wrong(&self, at: usize, expected: String) -> CommandLogError {
        CommandLogError::Field {
            line: self.line,
            column: COLUMNS[at],
            found: shown(self.fields[at]),
            expected,
        }
    }
}

/// A whole decimal number in the only form in which it is written: digits alone, and no zero in front.
fn canonical(text: &[u8]) -> Option<u64> {
    match text {
        [] | [b'0', _, ..] => None,
        _ => text.iter().try_fold(0u64, |value, byte| {
            let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
            value.checked_mul(10)?.checked_add(digit)
        }),
    }
}

fn names() -> String {
    Command::ALL.map(Command::name).join(", ")
}

/// What was found, for a message: no longer than fits.
fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().take(60).collect()
}
