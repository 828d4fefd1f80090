//! The lines of a tool's output, and the numbers in them.

use std::io::BufRead;

use super::{MeasuredError, MeasuredNote, MeasuredRun};
use crate::lines::{LineReader, shown};

/// Most lines of an output: a verbose run of a day has fewer.
const LINES_MAX: usize = 200_000;

/// What is allowed of times and bandwidths.
const ALLOWED: &str = "a number above 0, and below 10^12";

/// One line.
#[derive(Debug)]
pub(super) struct RunLine {
    /// From 1.
    pub(super) number: u64,
    /// Without white space around it.
    pub(super) text: String,
}

impl RunLine {
    /// What stands between white space.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_whitespace()
    }

    /// What stands behind a start.
    pub(super) fn behind(&self, start: &str) -> Option<&str> {
        self.text.strip_prefix(start).map(str::trim)
    }

    /// A number above zero.
    pub(super) fn positive(&self, what: &'static str, word: &str) -> Result<f64, MeasuredError> {
        let value = word.parse::<f64>().ok();
        let value = value.filter(|value| *value > 0.0 && *value < 1e12);
        value.ok_or_else(|| self.number_error(what, word, ALLOWED))
    }

    /// A whole number that fits.
    pub(super) fn whole<T: std::str::FromStr>(
        &self,
        what: &'static str,
        word: &str,
    ) -> Result<T, MeasuredError> {
        let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let value = digits.then(|| word.parse().ok()).flatten();
        value.ok_or_else(|| self.number_error(what, word, "a whole number"))
    }

    pub(super) fn number_error(
        &self,
        what: &'static str,
        word: &str,
        allowed: &'static str,
    ) -> MeasuredError {
        MeasuredError::Number {
            line: self.number,
            what,
            found: shown(word),
            allowed,
        }
    }
}

/// All lines that say something.
#[derive(Debug)]
pub(super) struct RunText {
    pub(super) lines: Vec<RunLine>,
    /// The last line, where it has no end.
    unended: Option<u64>,
}

impl RunText {
    pub(super) fn read<R: BufRead>(reader: R) -> Result<Self, MeasuredError> {
        let mut reader = LineReader::new(reader);
        let mut text = Self {
            lines: Vec::new(),
            unended: None,
        };
        while let Some(line) = reader.next()? {
            let number = line.number;
            if number as usize > LINES_MAX {
                return Err(MeasuredError::Long {
                    line: number,
                    most: LINES_MAX,
                });
            }
            let characters = line.characters();
            let trimmed = characters.trim_start_matches('\u{FEFF}').trim();
            if trimmed.is_empty() {
                continue;
            }
            text.unended = (!line.ended).then_some(number);
            text.lines.push(RunLine {
                number,
                text: trimmed.to_owned(),
            });
        }
        Ok(text)
    }

    /// The first line that says something.
    pub(super) fn first(&self) -> Option<&RunLine> {
        self.lines.first()
    }

    pub(super) fn any(&self, is: fn(&str) -> bool) -> bool {
        self.lines.iter().any(|line| is(&line.text))
    }

    /// Whether a line has an end, as all but the last always have.
    pub(super) fn is_ended(&self, line: &RunLine) -> bool {
        self.unended != Some(line.number)
    }

    /// Refuses a result that stands in a last line without end. Of another such line a note says that more may have followed.
    pub(super) fn check_end(&self, run: &mut MeasuredRun) -> Result<(), MeasuredError> {
        match (self.unended, run.points.last()) {
            (Some(line), Some(point)) if point.line == line => Err(MeasuredError::Unended { line }),
            (Some(line), _) => {
                run.note(MeasuredNote::Unended { line });
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }
}

/// A version such as 3.11b as its first two numbers.
pub(super) fn version_numbers(version: &str) -> Option<(u32, u32)> {
    let (major, rest) = version.split_once('.')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((major.parse().ok()?, rest[..digits].parse().ok()?))
}

/// Adds to what was left out: the first line of each kind.
pub(super) fn leave_out(run: &mut MeasuredRun, line: u64, what: impl Into<String>) {
    let what = what.into();
    let known = run
        .notes
        .iter()
        .any(|note| matches!(note, MeasuredNote::LeftOut { what: known, .. } if *known == what));
    if !known {
        run.note(MeasuredNote::LeftOut { line, what });
    }
}

/// A size with a suffix of multichase: k, m or g, in powers of 1024.
pub(super) fn suffixed(word: &str) -> Option<u64> {
    let (digits, shift) = match word.char_indices().next_back()? {
        (at, 'k' | 'K') => (&word[..at], 10),
        (at, 'm' | 'M') => (&word[..at], 20),
        (at, 'g' | 'G') => (&word[..at], 30),
        _ => (word, 0),
    };
    let digits = digits.parse::<u64>().ok()?;
    digits.checked_mul(1 << shift)
}
