//! Traces of a program's own accesses: Ramulator's CPU traces, and what valgrind's lackey and DynamoRIO's drmemtrace print. What of
//! them reaches the memory, its caches decide.

mod drmemtrace;

use std::collections::VecDeque;

use wordline_core::Operation;

use super::cache::{CacheFilter, CoreCaches, ProgramCounts};
use super::request::DramRecord;
use super::words::{bad_address, hexadecimal};
use super::{DramFormat, DramTraceError};
use crate::lines::shown;
use crate::number::{NumberFault, whole, whole_or_hex};

/// Most bytes of one access: more than any instruction moves.
const ACCESS_MAX: u64 = 64 << 10;

/// What a line of a program's trace is.
enum ProgramLine {
    /// An instruction was fetched.
    Fetch,
    Load(AccessedBytes),
    Store(AccessedBytes),
    /// A load, then a store of the same bytes.
    Modify(AccessedBytes),
    /// Instructions without an access; then a load of a line; then perhaps a line that caches above gave back.
    Step {
        bubbles: u64,
        load: u64,
        write_back: Option<u64>,
    },
}

struct AccessedBytes {
    address: u64,
    bytes: u64,
}

/// A program's accesses, and the requests that leave its caches.
#[derive(Debug)]
pub(super) struct ProgramReader {
    format: DramFormat,
    filter: CacheFilter,
    /// Instructions since the last request.
    since: u64,
    requests: VecDeque<DramRecord>,
}

impl ProgramReader {
    pub(super) fn new(format: DramFormat, caches: &CoreCaches) -> Self {
        Self {
            format,
            filter: CacheFilter::new(caches),
            since: 0,
            requests: VecDeque::new(),
        }
    }

    pub(super) const fn counts(&self) -> ProgramCounts {
        self.filter.counts()
    }

    /// The next request that the lines so far have made.
    pub(super) fn request(&mut self) -> Option<DramRecord> {
        self.requests.pop_front()
    }

    /// Takes a line.
    pub(super) fn line(&mut self, line: u64, text: &[u8]) -> Result<(), DramTraceError> {
        let told = match self.format {
            DramFormat::RamulatorCpu => step(line, text).map(Some),
            DramFormat::Drmemtrace => drmemtrace::record(line, text),
            _ => lackey(line, text),
        };
        let Some(told) = told? else {
            return Ok(());
        };
        match told {
            ProgramLine::Fetch => self.pass(1),
            ProgramLine::Load(at) => self.access(Operation::Read, &at),
            ProgramLine::Store(at) => self.access(Operation::Write, &at),
            ProgramLine::Modify(at) => {
                self.access(Operation::Read, &at);
                self.access(Operation::Write, &at);
            }
            ProgramLine::Step {
                bubbles,
                load,
                write_back,
            } => {
                self.pass(bubbles.saturating_add(1));
                self.access(
                    Operation::Read,
                    &AccessedBytes {
                        address: load,
                        bytes: 1,
                    },
                );
                if let Some(address) = write_back {
                    self.filter.write_back(address);
                    self.collect();
                }
            }
        }
        Ok(())
    }

    fn pass(&mut self, instructions: u64) {
        self.filter.instructions(instructions);
        self.since = self.since.saturating_add(instructions);
    }

    fn access(&mut self, operation: Operation, at: &AccessedBytes) {
        self.filter.access(operation, at.address, at.bytes);
        self.collect();
    }

    fn collect(&mut self) {
        while let Some((operation, address)) = self.filter.request() {
            self.requests.push_back(DramRecord {
                operation,
                address,
                stamp: None,
                instructions: std::mem::take(&mut self.since),
            });
        }
    }
}

/// Whether a first line is of one of these.
pub(super) fn looks_like(text: &[u8]) -> Option<DramFormat> {
    if is_valgrinds(text) || matches!(lackey(0, text), Ok(Some(_))) {
        return Some(DramFormat::Lackey);
    }
    if drmemtrace::looks_like(text) {
        return Some(DramFormat::Drmemtrace);
    }
    step(0, text).is_ok().then_some(DramFormat::RamulatorCpu)
}

/// What valgrind says beside: "==1234== Lackey, an example Valgrind tool", "--1234-- warning: …".
fn is_valgrinds(text: &[u8]) -> bool {
    let framed = |frame: &[u8]| {
        let rest = text.strip_prefix(frame)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        Some(digits > 0 && rest[digits..].starts_with(frame))
    };
    framed(b"==").or_else(|| framed(b"--")).unwrap_or(false)
}

fn words(text: &[u8]) -> Vec<&[u8]> {
    let words = text.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty()).take(4).collect()
}

fn no_line(line: u64, text: &[u8], format: DramFormat) -> DramTraceError {
    DramTraceError::NoRequest {
        line,
        found: shown(text),
        format,
        expected: format!("lines such as {}", format.example()),
    }
}

/// A line of lackey: "I  04001000,3", " L 1ffefff7e0,8", " S …", " M …"; nothing of what valgrind says beside.
fn lackey(line: u64, text: &[u8]) -> Result<Option<ProgramLine>, DramTraceError> {
    if is_valgrinds(text) {
        return Ok(None);
    }
    let [kind, place] = words(text)[..] else {
        return Err(no_line(line, text, DramFormat::Lackey));
    };
    let Some(comma) = place.iter().position(|byte| *byte == b',') else {
        return Err(no_line(line, text, DramFormat::Lackey));
    };
    let (address, size) = (&place[..comma], &place[comma + 1..]);
    let at = accessed(line, address, size)?;
    Ok(Some(match kind {
        b"I" => ProgramLine::Fetch,
        b"L" => ProgramLine::Load(at),
        b"S" => ProgramLine::Store(at),
        b"M" => ProgramLine::Modify(at),
        _ => {
            return Err(DramTraceError::UnknownOperation {
                line,
                found: shown(kind),
                allowed: "I, L, S, M",
            });
        }
    }))
}

/// Bytes of an access: a hexadecimal address, and how many.
fn accessed(line: u64, address: &[u8], size: &[u8]) -> Result<AccessedBytes, DramTraceError> {
    let address = hexadecimal(address).map_err(|fault| bad_address(line, address, fault))?;
    let bad_size = |problem| DramTraceError::Number {
        line,
        what: "the size",
        found: shown(size),
        problem,
        expected: "bytes from 1 to 65536, the last of them below 2^64",
    };
    let bytes = whole(size).map_err(|fault| bad_size(fault.words()))?;
    if !(1..=ACCESS_MAX).contains(&bytes) || address.checked_add(bytes - 1).is_none() {
        return Err(bad_size("no access is so large"));
    }
    Ok(AccessedBytes { address, bytes })
}

/// A line of Ramulator's CPU traces: "3 20734016", or "3 20734016 20841280".
fn step(line: u64, text: &[u8]) -> Result<ProgramLine, DramTraceError> {
    let (bubbles, load, write_back) = match words(text)[..] {
        [bubbles, load] => (bubbles, load, None),
        [bubbles, load, back] => (bubbles, load, Some(back)),
        _ => return Err(no_line(line, text, DramFormat::RamulatorCpu)),
    };
    let count = whole(bubbles).and_then(|count| match u32::try_from(count) {
        Ok(count) => Ok(u64::from(count)),
        Err(_) => Err(NumberFault::TooLarge),
    });
    let bubbles = count.map_err(|fault| DramTraceError::Number {
        line,
        what: "the count of instructions",
        found: shown(bubbles),
        problem: fault.words(),
        expected: "a whole number below 2^32",
    })?;
    let address = |word: &[u8]| whole_or_hex(word).map_err(|fault| bad_address(line, word, fault));
    Ok(ProgramLine::Step {
        bubbles,
        load: address(load)?,
        write_back: write_back.map(address).transpose()?,
    })
}

#[cfg(test)]
mod tests;
