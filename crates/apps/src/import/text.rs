//! Lines, fields and numbers of what tools write.

use std::io::{BufRead, Read};

use super::CounterFault;

/// Longest line of a file of counters in bytes: a tool that states 1,000 columns of a processor stays below.
pub const COUNTER_LINE_MAX: usize = 256 << 10;

/// Reads lines into one buffer that is used again.
pub(super) struct CounterLines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The line that was read last, from 1.
    number: u64,
    ended: bool,
    /// A line that was read and is given again.
    again: bool,
}

impl<R: BufRead> CounterLines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            number: 0,
            ended: true,
            again: false,
        }
    }

    /// The next line: its number, its text without its end, and whether it has one, as all but the last always have. None
    /// behind the last.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &str, bool)>, CounterFault> {
        if !self.again {
            self.buffer.clear();
            let number = self.number + 1;
            let most = COUNTER_LINE_MAX as u64 + 1;
            let read = self
                .reader
                .by_ref()
                .take(most)
                .read_until(b'\n', &mut self.buffer);
            read.map_err(|error| CounterFault::Unreadable {
                line: number,
                problem: error.to_string(),
            })?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            self.number = number;
            if self.buffer.len() > COUNTER_LINE_MAX {
                return Err(CounterFault::LongLine { line: number });
            }
            self.ended = self.buffer.last() == Some(&b'\n');
        }
        self.again = false;
        let bytes = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let bytes = match self.number {
            1 => bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes),
            _ => bytes,
        };
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some((self.number, text, self.ended))),
            Err(_) => Err(CounterFault::NoText { line: self.number }),
        }
    }

    /// Gives the line that was read last once more.
    pub(super) fn give_again(&mut self) {
        self.again = true;
    }
}

/// The fields of a line; a field in quotes may hold the separator, and two quotes in it are one.
pub(super) fn fields(line: &str, separator: char) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let Some(field) = found.last_mut() else { break };
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if field.trim().is_empty() => {
                field.clear();
                is_quoted = true;
            }
            other if other == separator && !is_quoted => found.push(String::new()),
            other => field.push(other),
        }
    }
    for field in &mut found {
        let trimmed = field.trim();
        if trimmed.len() != field.len() {
            *field = trimmed.to_owned();
        }
    }
    found
}

/// The separator of a head line: what stands in it most often.
pub(super) fn separator(line: &str) -> char {
    let count = |of: &char| line.chars().filter(|character| character == of).count();
    [';', '\t', ',']
        .into_iter()
        .max_by_key(count)
        .unwrap_or(',')
}

/// A number from 0 on. A decimal comma counts where commas do not separate fields.
pub(super) fn number(text: &str, comma: bool) -> Option<f64> {
    let text = text.trim();
    let decimal = |text: &str| {
        let value = text.parse::<f64>().ok()?;
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
        (plain && value.is_finite() && value >= 0.0).then_some(value)
    };
    if comma && text.contains(',') {
        let single = text.matches(',').count() == 1 && !text.contains('.');
        return single.then(|| decimal(&text.replace(',', ".")))?;
    }
    decimal(text)
}

/// What was found, for a message: in quotes, cut to a length that fits, with what cannot be printed escaped.
pub(super) fn shown(found: &str) -> String {
    const MOST: usize = 60;
    match found.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}…", &found[..end]),
        None => format!("{found:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_be_quoted() {
        assert_eq!(
            fields("a, \"b,c\" ,\"d\"\"e\",", ','),
            ["a", "b,c", "d\"e", ""]
        );
        assert_eq!(fields("", ','), [""]);
        assert_eq!(fields("\"open, end", ','), ["open, end"]);
        assert_eq!(separator("a;b;c,d"), ';');
        assert_eq!(separator("a,b"), ',');
    }

    #[test]
    fn numbers_are_those_of_any_locale_but_only_where_a_comma_can_be_one() {
        assert_eq!(number("1.5e3", false), Some(1500.0));
        assert_eq!(number("0,81", true), Some(0.81));
        for text in ["0,81", "", "-1", "nan", "inf", "1.2.3", "0x10", "1 000"] {
            assert_eq!(number(text, false), None, "{text}");
        }
        for text in ["1,2,3", "1.000,5", ","] {
            assert_eq!(number(text, true), None, "{text}");
        }
    }

    #[test]
    fn lines_are_bounded_and_must_be_text() {
        let mut lines = CounterLines::new(&b"\xEF\xBB\xBFa\r\nb"[..]);
        assert_eq!(lines.next().expect("text"), Some((1, "a", true)));
        lines.give_again();
        assert_eq!(lines.next().expect("text"), Some((1, "a", true)));
        assert_eq!(lines.next().expect("text"), Some((2, "b", false)));
        assert_eq!(lines.next().expect("the end"), None);
        let endless = std::io::BufReader::new(std::io::repeat(b'7'));
        let fault = CounterLines::new(endless).next().err();
        assert_eq!(fault, Some(CounterFault::LongLine { line: 1 }));
        let fault = CounterLines::new(&b"\xFF\n"[..]).next().err();
        assert_eq!(fault, Some(CounterFault::NoText { line: 1 }));
    }
}
