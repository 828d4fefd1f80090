//! fio's replay logs (`write_iolog`), versions 2 and 3, as workloads.
//!
//! Version 3 has a time in front of each action. Version 2 has none, but may have `wait`, of which fio's
//! manual and its source disagree: [`Waits`] says which to follow. What is used and what is not is described in
//! `docs/reference/traces.md`.

use std::io::BufRead;

use wordline_core::Operation;
use wordline_core::quantity::Time;

use crate::lines::{LineReader, is_silent, shown};
use crate::number::whole;
use crate::watch::OddityWatch;
use crate::{AccessReader, AskedAccess, LogSummary, TraceError};

const PS_PER_US: u64 = 1_000_000;
const PS_PER_MS: u64 = 1_000_000_000;
/// Waits that are shorter are discarded, says the manual.
const LEAST_WAIT_US: u64 = 100;

/// What `wait` means in a log of version 2. Accesses behind it are asked for when it is over, at the earliest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waits {
    /// Nothing: accesses have no times.
    #[default]
    Ignored,
    /// What fio does: until so many milliseconds after the start.
    MillisecondsSinceStart,
    /// What its manual says: so many microseconds; fewer than 100 are none.
    Microseconds,
}

/// The reads and writes of a replay log, of one file.
///
/// # Errors
/// [`TraceError::Unknown`] when the first line is not of version 2 or 3; [`TraceError::Malformed`] when a line is
/// no action, or when a second file is read or written and none was chosen; [`TraceError::Empty`];
/// [`TraceError::Unreadable`].
///
/// A last line without its end is left out: a number that was cut is a number, too.
#[derive(Debug)]
pub struct IologWorkload<R> {
    lines: LineReader<R>,
    chosen: Option<String>,
    /// The file of the first access, when none was chosen.
    found: Option<String>,
    waits: Waits,
    version: Option<Version>,
    /// Version 2: when the latest wait was over.
    clock: Time,
    /// Version 3: when the first access was asked for.
    first: Option<Time>,
    watch: OddityWatch,
}

/// Whether a line is the first of a replay log, of a version that is known or not.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    line.starts_with(b"fio version ")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

/// One line, taken apart.
struct IologAction<'a> {
    time: Option<Time>,
    file: &'a str,
    name: &'a str,
    place: Option<(u64, u64)>,
}

impl<R: BufRead> IologWorkload<R> {
    /// Reads a log from `from`. `file` is the name of the file whose accesses are wanted; a log that reads or
    /// writes several is refused without it, because each has offsets of its own.
    pub fn new(from: R, file: Option<String>, waits: Waits) -> Self {
        Self {
            lines: LineReader::new(from),
            chosen: file,
            found: None,
            waits,
            version: None,
            clock: Time::ZERO,
            first: None,
            watch: OddityWatch::default(),
        }
    }

    fn at(&mut self, time: Option<Time>, line: u64) -> Option<Time> {
        let Some(time) = time else {
            return (self.waits != Waits::Ignored).then_some(self.clock);
        };
        let first = *self.first.get_or_insert(time);
        self.watch.time(time, line);
        Some(time.since(first))
    }

    /// An action that moves no data.
    fn other(
        &mut self,
        name: &str,
        place: Option<(u64, u64)>,
        version: Version,
        line: u64,
    ) -> Result<(), String> {
        match name {
            "trim" => self.watch.skipped("trims", line),
            "sync" | "datasync" | "sync_file_range" | "syncfs" => {
                self.watch.skipped("syncs", line);
            }
            "wait" if version == Version::Three || self.waits == Waits::Ignored => {
                self.watch.skipped("waits", line);
            }
            "wait" => {
                let (amount, _) = place.unwrap_or_default();
                let beyond = || format!("a wait of {amount} leads beyond 213 days");
                self.clock = if self.waits == Waits::MillisecondsSinceStart {
                    let until = amount.checked_mul(PS_PER_MS).ok_or_else(beyond)?;
                    self.clock.later(Time::from_ps(until))
                } else if amount < LEAST_WAIT_US {
                    self.clock
                } else {
                    let ps = amount.checked_mul(PS_PER_US).ok_or_else(beyond)?;
                    self.clock
                        .checked_plus(Time::from_ps(ps))
                        .ok_or_else(beyond)?
                };
            }
            _ => {}
        }
        Ok(())
    }
}

const FIRST_LINES: &str = "\"fio version 2 iolog\" or \"fio version 3 iolog\" as the first line";

fn version(text: &str) -> Result<Version, String> {
    match text.trim_end() {
        "fio version 2 iolog" => Ok(Version::Two),
        "fio version 3 iolog" => Ok(Version::Three),
        other => Err(format!("expected {FIRST_LINES}, found {}", shown(other))),
    }
}

/// Takes a line apart. What it may do depends on how many words it has.
fn action(version: Version, text: &str) -> Result<IologAction<'_>, String> {
    let mut words: [&str; 6] = [""; 6];
    let mut count = 0;
    for (word, slot) in text.split_whitespace().zip(&mut words) {
        *slot = word;
        count += 1;
    }
    let (time, words, form) = match version {
        Version::Two => (
            None,
            &words[..count],
            "FILE ACTION or FILE ACTION OFFSET LENGTH",
        ),
        Version::Three => (
            Some(microseconds(words[0])?),
            &words[1..count.max(1)],
            "TIME FILE ACTION or TIME FILE ACTION OFFSET LENGTH",
        ),
    };
    let (file, name, place) = match *words {
        [file, name] => (file, name, None),
        [file, name, offset, length] => (file, name, Some((bytes(offset)?, bytes(length)?))),
        _ => return Err(format!("expected {form}, found {}", shown(text.trim()))),
    };
    Ok(IologAction {
        time,
        file,
        name,
        place,
    })
}

/// Whether the action moves data, and which way.
fn operation(action: &IologAction<'_>) -> Result<Option<Operation>, String> {
    match (action.name, action.place) {
        ("read", Some(_)) => Ok(Some(Operation::Read)),
        ("write", Some(_)) => Ok(Some(Operation::Write)),
        ("sync" | "datasync" | "sync_file_range" | "syncfs" | "trim" | "wait", Some(_))
        | ("add" | "open" | "close" | "unlink", None) => Ok(None),
        (name, place) => {
            let allowed = if place.is_some() {
                "with offset and length: read, write, trim, sync, datasync, sync_file_range, syncfs, and in version \
                 2 wait"
            } else {
                "without offset and length: add, open, close and unlink"
            };
            Err(format!(
                "{} is no action that stands {allowed}",
                shown(name)
            ))
        }
    }
}

fn number(word: &str, what: &str) -> Result<u64, String> {
    whole(word.as_bytes()).map_err(|_| {
        format!(
            "{} is not {what}; expected a whole number below 2^64",
            shown(word)
        )
    })
}

fn bytes(word: &str) -> Result<u64, String> {
    number(word, "a number of bytes")
}

fn microseconds(word: &str) -> Result<Time, String> {
    let ps = number(word, "a time in microseconds")?.checked_mul(PS_PER_US);
    ps.map(Time::from_ps)
        .ok_or_else(|| format!("{word} µs is beyond 213 days"))
}

impl<R: BufRead> AccessReader for IologWorkload<R> {
    type Access = AskedAccess;

    fn advance(&mut self) -> Result<Option<AskedAccess>, TraceError> {
        while let Some(line) = self.lines.next()? {
            let number = line.number;
            let malformed = |problem| TraceError::Malformed {
                line: number,
                problem,
            };
            let text = line.characters();
            let Some(version) = self.version else {
                if !is_silent(line.text) {
                    self.version = Some(version(&text).map_err(|problem| TraceError::Unknown {
                        line: number,
                        problem,
                    })?);
                }
                continue;
            };
            // Here `#` begins the name of a file.
            if text.trim().is_empty() {
                continue;
            }
            if !line.ended {
                self.watch.truncated(number);
                break;
            }
            let action = action(version, &text).map_err(malformed)?;
            let Some(operation) = operation(&action).map_err(malformed)? else {
                let (action, place) = (action.name.to_owned(), action.place);
                self.other(&action, place, version, number)
                    .map_err(malformed)?;
                continue;
            };
            if self
                .chosen
                .as_deref()
                .is_some_and(|chosen| chosen != action.file)
            {
                self.watch.skipped("accesses of other files", number);
                continue;
            }
            if self.chosen.is_none() && self.found.as_deref() != Some(action.file) {
                if let Some(found) = &self.found {
                    return Err(malformed(format!(
                        "an access to {}, behind accesses to {}: offsets in two files do not belong together; choose \
                         one of them",
                        shown(action.file),
                        shown(found)
                    )));
                }
                self.found = Some(action.file.to_owned());
            }
            let (offset, bytes) = action.place.unwrap_or_default();
            if bytes == 0 || offset.checked_add(bytes).is_none() {
                return Err(malformed(format!(
                    "{bytes} bytes from {offset} on; allowed are 1 byte and more that end below 2^64"
                )));
            }
            let time = action.time;
            let at = self.at(time, number);
            self.watch.accesses += 1;
            return Ok(Some(AskedAccess {
                operation,
                bytes,
                offset,
                at,
                line: number,
            }));
        }
        match self.version {
            None => Err(TraceError::Unknown {
                line: 1,
                problem: format!("the log is empty; expected {FIRST_LINES}"),
            }),
            Some(_) => self.watch.end(),
        }
    }

    fn summary(&self) -> LogSummary {
        let (format, resolution) = match (self.version, self.waits) {
            (Some(Version::Three), _) => ("fio iolog, version 3", Some(PS_PER_US)),
            (Some(Version::Two), Waits::Ignored) => ("fio iolog, version 2", None),
            (Some(Version::Two), Waits::MillisecondsSinceStart) => {
                ("fio iolog, version 2", Some(PS_PER_MS))
            }
            (Some(Version::Two), Waits::Microseconds) => ("fio iolog, version 2", Some(PS_PER_US)),
            (None, _) => ("fio iolog", None),
        };
        self.watch.summary(format, resolution.map(Time::from_ps))
    }
}

#[cfg(test)]
mod tests;
