//! Lines of a text that may be anything: numbered, and none longer than can be meant.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use crate::{Oddity, TraceError};

/// Longest line in bytes.
const LONGEST_LINE: usize = 16 * 1024;

/// Reads lines one after the other.
#[derive(Debug)]
pub(crate) struct CappedLines<R> {
    from: R,
    number: u64,
    buffer: Vec<u8>,
}

/// One line without its end.
#[derive(Debug)]
pub(crate) struct CappedLine<'a> {
    /// From 1.
    pub(crate) number: u64,
    pub(crate) text: Cow<'a, str>,
    /// Whether an end of line stands behind it.
    pub(crate) is_whole: bool,
}

impl<R: BufRead> CappedLines<R> {
    pub(crate) fn new(from: R) -> Self {
        Self {
            from,
            number: 0,
            buffer: Vec::new(),
        }
    }

    /// The next line, or `None` at the end. Bytes that are no UTF-8 are replaced: names of processes and
    /// files may hold them.
    pub(crate) fn next(&mut self) -> Result<Option<CappedLine<'_>>, TraceError> {
        self.buffer.clear();
        let line = self.number + 1;
        // One byte for the end of line, and one that tells a line that is too long.
        let mut part = self.from.by_ref().take(LONGEST_LINE as u64 + 2);
        if let Err(source) = part.read_until(b'\n', &mut self.buffer) {
            return Err(TraceError::Unreadable { line, source });
        }
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.number = line;
        let is_whole = self.buffer.last() == Some(&b'\n');
        if is_whole {
            self.buffer.pop();
            if self.buffer.last() == Some(&b'\r') {
                self.buffer.pop();
            }
        }
        if self.buffer.len() > LONGEST_LINE {
            let problem =
                format!("the line is longer than {LONGEST_LINE} bytes; this is no text of lines");
            return Err(TraceError::Malformed { line, problem });
        }
        Ok(Some(CappedLine {
            number: line,
            text: String::from_utf8_lossy(&self.buffer),
            is_whole,
        }))
    }
}

/// How often something was seen, and where first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    pub(crate) line: u64,
    pub(crate) count: u64,
}

impl Count {
    pub(crate) fn add(&mut self, line: u64) {
        if self.count == 0 || line < self.line {
            self.line = line;
        }
        self.count += 1;
    }

    /// The oddity, if there is any.
    pub(crate) fn skipped(self, what: &'static str) -> Option<Oddity> {
        let Self { line, count } = self;
        (count > 0).then_some(Oddity::Skipped { line, count, what })
    }
}

/// What was found, short enough for a message.
pub(crate) fn shown(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(MOST).collect();
    format!("{start:?}…")
}
