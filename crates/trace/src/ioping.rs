//! What ioping prints: a request a line, `4 KiB <<< . (ext4 /dev/sda1 20 GiB): request=1 time=212.6 us`.
//!
//! `<<<` reads and `>>>` writes; before version 1.0 `from` and `to` stood there. Requests that ioping marks as its warm-up
//! are left out, as they are from its own figures. It tells durations without instants, and pauses between requests unless
//! told otherwise.

use std::io::BufRead;

use wordline_core::Operation;
use wordline_core::quantity::{ByteCount, Time};

use crate::lines::{LineReader, shown};
use crate::number::{power_of_time, scaled};
use crate::watch::OddityWatch;
use crate::{AccessReader, LogSummary, LoggedAccess, TraceError};

/// Between the request and its size.
const DIRECTIONS: [(&str, Operation); 4] = [
    (" <<< ", Operation::Read),
    (" >>> ", Operation::Write),
    (" from ", Operation::Read),
    (" to ", Operation::Write),
];

/// Begins the lines that end a report.
const ENDS: [&str; 4] = ["---", "min/avg/max/mdev", "generated ", "^C"];

/// Reads the output of ioping.
pub(crate) struct Ioping<R> {
    lines: LineReader<R>,
    watch: OddityWatch,
}

/// Whether a line is a request of ioping's.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    parts(&line).is_some()
}

/// Size, direction, and what stands behind `request=`.
fn parts(line: &str) -> Option<(&str, Operation, &str)> {
    let (head, request) = line.rsplit_once(": request=")?;
    DIRECTIONS.iter().find_map(|(word, operation)| {
        let (size, _) = head.split_once(word)?;
        Some((size.trim(), *operation, request))
    })
}

/// Size and duration of a request; none of a warm-up.
fn request(size: &str, request: &str) -> Result<Option<(u64, Time)>, String> {
    // Old versions spell bytes out, and "kb" is 1024 bytes there.
    let (number, unit) = size.split_once(' ').unwrap_or((size, ""));
    let unit = match unit {
        "bytes" | "byte" => "B",
        "kb" => "KiB",
        "mb" => "MiB",
        "gb" => "GiB",
        unit => unit,
    };
    let bytes = format!("{number} {unit}")
        .parse::<ByteCount>()
        .map_err(|error| error.to_string())?;
    let (_, time) = request
        .split_once(" time=")
        .ok_or_else(|| format!("no time= behind request={}", shown(request)))?;
    let mut words = time.split_ascii_whitespace();
    let (number, unit) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let power_of_ten = power_of_time(unit)
        .ok_or_else(|| format!("the time {} has no unit of ns, us, ms, s", shown(time)))?;
    let ps = scaled(number.as_bytes(), power_of_ten, false)
        .map_err(|fault| format!("the time is {}: {}", shown(number), fault.words()))?;
    let duration = u64::try_from(ps)
        .map(Time::from_ps)
        .map_err(|_| "the duration is longer than 213 days".to_owned())?;
    let is_warm_up = words.any(|word| word == "(warmup)");
    Ok((!is_warm_up).then_some((bytes.bytes(), duration)))
}

impl<R: BufRead> Ioping<R> {
    pub(crate) fn new(lines: LineReader<R>) -> Self {
        Self {
            lines,
            watch: OddityWatch::default(),
        }
    }
}

impl<R: BufRead> AccessReader for Ioping<R> {
    type Access = LoggedAccess;

    fn advance(&mut self) -> Result<Option<LoggedAccess>, TraceError> {
        loop {
            let Some(line) = self.lines.next_told()? else {
                return self.watch.end();
            };
            let (number, ended) = (line.number, line.ended);
            let text = line.characters();
            let told = match parts(&text) {
                Some((size, operation, of_request)) => {
                    request(size, of_request).map(|told| Some((operation, told)))
                }
                None if ENDS.iter().any(|end| text.starts_with(end)) => Ok(None),
                None => Err(format!(
                    "{} is not a request of ioping, such as \"4 KiB >>> . (ext4 /dev/sda1): request=1 time=212.6 us\"",
                    shown(line.text)
                )),
            };
            match told {
                Ok(Some((operation, Some((bytes, duration))))) => {
                    self.watch.accesses += 1;
                    return Ok(Some(LoggedAccess {
                        operation,
                        duration,
                        bytes,
                        offset: None,
                        end: None,
                        line: number,
                    }));
                }
                Ok(Some((_, None))) => self.watch.skipped("requests of the warm-up", number),
                // What sums the report up. Two of its lines begin with a number.
                Ok(None) => {
                    while self.lines.next()?.is_some() {}
                    return self.watch.end();
                }
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
        self.watch.summary("ioping", None)
    }
}
