//! Lines of a text that may be larger than memory, one at a time, none longer than it should be.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use crate::TraceError;

/// Longest line of a text log, in bytes. The longest that fio writes, a histogram of 1856 bins, stays below.
pub const MAX_LINE: usize = 64 << 10;

/// Reads lines into one buffer that is used again.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    /// What they come from. Whoever takes a line out of it directly counts it in `number`.
    pub(crate) reader: R,
    /// The line that was read last, from 1.
    pub(crate) number: u64,
    buffer: Vec<u8>,
}

/// One line.
pub(crate) struct LogLine<'a> {
    /// From 1.
    pub(crate) number: u64,
    /// Its bytes without the line end.
    pub(crate) text: &'a [u8],
    /// Whether it has a line end, as all but the last always have.
    pub(crate) ended: bool,
}

impl<'a> LogLine<'a> {
    /// Its characters. Bytes that are no UTF-8 are replaced: names of processes and files may hold them.
    pub(crate) fn characters(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.text)
    }
}

impl<R: BufRead> LineReader<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            number: 0,
            buffer: Vec::new(),
        }
    }

    /// The next line; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<LogLine<'_>>, TraceError> {
        self.buffer.clear();
        let number = self.number + 1;
        self.reader
            .by_ref()
            .take(MAX_LINE as u64 + 1)
            .read_until(b'\n', &mut self.buffer)
            .map_err(|source| TraceError::Unreadable {
                line: number,
                source,
            })?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.number = number;
        let ended = self.buffer.last() == Some(&b'\n');
        if self.buffer.len() > MAX_LINE {
            return Err(too_long(number));
        }
        Ok(Some(LogLine {
            number,
            text: without_end(&self.buffer),
            ended,
        }))
    }

    /// The next line that says something: neither blank nor a comment behind `#`.
    pub(crate) fn next_told(&mut self) -> Result<Option<LogLine<'_>>, TraceError> {
        loop {
            // The line is looked at twice, because a borrow that is returned from a loop lasts too long.
            match self.next()? {
                None => return Ok(None),
                Some(line) if is_silent(line.text) => {}
                Some(LogLine { number, ended, .. }) => {
                    return Ok(Some(LogLine {
                        number,
                        text: without_end(&self.buffer),
                        ended,
                    }));
                }
            }
        }
    }
}

pub(crate) fn too_long(line: u64) -> TraceError {
    TraceError::Malformed {
        line,
        problem: format!("longer than {MAX_LINE} bytes, which no line of a log is"),
    }
}

/// Without `\n` or `\r\n`.
pub(crate) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Whether a line is blank or a comment.
pub(crate) fn is_silent(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#'))
}

/// What was found, for a message: in quotes, cut to a length that fits, with what cannot be printed escaped.
pub(crate) fn shown(found: impl AsRef<[u8]>) -> String {
    const MOST: usize = 60;
    let bytes = found.as_ref();
    // No character is longer than four bytes.
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * (MOST + 1))]);
    match start.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}…", &start[..end]),
        None => format!("{start:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_with_their_number_and_whether_they_end() {
        let mut lines = LineReader::new(&b"a\r\n\n# b\n  \nc"[..]);
        let first = lines.next_told().expect("readable").expect("a line");
        assert_eq!(
            (first.number, first.text, first.ended),
            (1, &b"a"[..], true)
        );
        let last = lines.next_told().expect("readable").expect("a line");
        assert_eq!((last.number, last.text, last.ended), (5, &b"c"[..], false));
        assert!(lines.next_told().expect("readable").is_none());
    }

    #[test]
    fn a_line_without_end_is_refused_in_bounded_memory() {
        let endless = std::io::BufReader::new(std::io::repeat(b'7'));
        let mut lines = LineReader::new(endless);
        let error = lines.next().err().expect("too long").to_string();
        assert!(
            error.starts_with("line 1: longer than 65536 bytes"),
            "{error}"
        );
        assert!(lines.buffer.capacity() <= 4 * MAX_LINE);
    }

    #[test]
    fn bytes_are_shown_short_and_printable() {
        assert_eq!(shown(b"a\0\"\xFF"), "\"a\\0\\\"\u{FFFD}\"");
        assert_eq!(shown("ü".repeat(60)), format!("\"{}\"", "ü".repeat(60)));
        for letter in ["x", "ü", "\u{1F4BE}"] {
            let cut = format!("\"{}\"…", letter.repeat(60));
            assert_eq!(shown(letter.repeat(61)), cut);
            assert_eq!(shown(letter.repeat(1000)), cut);
        }
    }
}
