//! The default output of `blkparse`: what the block layer of Linux did, event by event.
//!
//! It is read in two ways. As a **workload** ([`BlkparseWorkload`]): what was asked for and when, from the Q
//! events, or from D where no Q was traced. As a **latency log** ([`BlkparseLatencies`]): from D, when the driver
//! got a request, to its C; or from Q on. What is used and what is not is described in
//! `docs/reference/traces.md`.

mod event;
mod latency;
#[cfg(test)]
mod tests;
mod workload;

use std::fmt;
use std::io::BufRead;
use std::str::FromStr;

use wordline_core::quantity::Time;

pub use latency::{BlkparseLatencies, LatencySpan};
pub use workload::{AskEvent, BlkparseWorkload};

use crate::lines::{LineReader, shown};
use crate::number::whole;
use crate::watch::OddityWatch;
use crate::{LogSummary, TraceError};
use event::{BlockEvent, Parsed};

/// A block device by its numbers, written as blkparse does: `8,0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockDeviceId {
    /// Which driver.
    pub major: u32,
    /// Which of its devices.
    pub minor: u32,
}

impl fmt::Display for BlockDeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.major, self.minor)
    }
}

impl FromStr for BlockDeviceId {
    type Err = String;

    /// # Errors
    /// When the text is not two numbers with a comma between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once(',').and_then(|(major, minor)| {
            Some(Self {
                major: number(major)?.try_into().ok()?,
                minor: number(minor)?.try_into().ok()?,
            })
        });
        numbers.ok_or_else(|| {
            format!(
                "{} is no device; expected MAJOR,MINOR, such as 8,0",
                shown(text)
            )
        })
    }
}

/// A number in plain digits.
fn number(text: &str) -> Option<u64> {
    whole(text.as_bytes()).ok()
}

/// Whether a line is one of blkparse's: it names an input, or begins with a device, a processor, a sequence
/// number and a time.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(line) else {
        return false;
    };
    if text.starts_with(event::INPUT) && text.trim_end().ends_with(" added") {
        return true;
    }
    let mut words = text.split_whitespace();
    let device = words
        .next()
        .is_some_and(|word| word.parse::<BlockDeviceId>().is_ok());
    let numbers = words.by_ref().take(2).all(|word| number(word).is_some());
    let time = words.next().and_then(|word| word.split_once('.'));
    device && numbers && time.is_some_and(|(_, rest)| rest.len() == 9)
}

/// The events that concern data, of one device.
#[derive(Debug)]
struct Events<R> {
    lines: LineReader<R>,
    chosen: Option<BlockDeviceId>,
    /// The device of the first event, when none was chosen.
    found: Option<BlockDeviceId>,
    in_summary: bool,
    watch: OddityWatch,
}

impl<R: BufRead> Events<R> {
    fn new(from: R, chosen: Option<BlockDeviceId>) -> Self {
        Self {
            lines: LineReader::new(from),
            chosen,
            found: None,
            in_summary: false,
            watch: OddityWatch::default(),
        }
    }

    /// The next event of the device, or `None` at the end.
    fn next(&mut self) -> Result<Option<BlockEvent>, TraceError> {
        while let Some(line) = self.lines.next_told()? {
            let parsed = match event::parse(&line.characters()) {
                Ok(parsed) => parsed,
                Err(_) if !line.ended => {
                    self.watch.truncated(line.number);
                    return Ok(None);
                }
                Err(problem) => {
                    let line = line.number;
                    return Err(TraceError::Malformed { line, problem });
                }
            };
            let line = line.number;
            let event = match parsed {
                Parsed::Summary => {
                    self.in_summary = true;
                    continue;
                }
                Parsed::Nothing => continue,
                Parsed::Event(_) | Parsed::Ignored if self.in_summary => {
                    let problem = "an event behind the summary: several outputs of blkparse were joined, whose \
                                   times do not belong together; give them one by one"
                        .to_owned();
                    return Err(TraceError::Malformed { line, problem });
                }
                Parsed::Ignored => continue,
                Parsed::Event(event) => BlockEvent { line, ..event },
            };
            if self.concerns(&event)? {
                self.watch.time(event.time, event.line);
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Whether the event is of the device that is read.
    fn concerns(&mut self, event: &BlockEvent) -> Result<bool, TraceError> {
        if let Some(chosen) = self.chosen {
            if event.device != chosen {
                self.watch.skipped("events of other devices", event.line);
            }
            return Ok(event.device == chosen);
        }
        let device = *self.found.get_or_insert(event.device);
        if device == event.device {
            return Ok(true);
        }
        Err(TraceError::Malformed {
            line: event.line,
            problem: format!(
                "an event of device {}, behind events of {device}: offsets of two devices do not belong together; \
                 choose one of them",
                event.device
            ),
        })
    }

    /// What was seen, of events of this kind.
    fn summary(&self, of: &str) -> LogSummary {
        self.watch
            .summary(format!("blkparse, {of}"), Some(Time::from_ps(1000)))
    }
}
