//! The fields of a line, with quotes as RFC 4180 has them.

/// Fields of one line, in buffers that are used again.
#[derive(Debug, Default)]
pub(crate) struct LineFields {
    text: Vec<u8>,
    /// Where each field ends in `text`.
    ends: Vec<usize>,
}

impl LineFields {
    /// Takes a line apart. A field in quotes may hold the separator, and a quote written twice.
    pub(crate) fn split(&mut self, line: &[u8], separator: u8) -> Result<(), String> {
        self.text.clear();
        self.ends.clear();
        let mut rest = line;
        loop {
            let padding = rest.iter().take_while(|byte| **byte == b' ').count();
            let behind = match &rest[padding..] {
                [b'"', quoted @ ..] => self.quoted(quoted)?,
                _ => {
                    let end = rest.iter().position(|byte| *byte == separator);
                    let (field, behind) = rest.split_at(end.unwrap_or(rest.len()));
                    self.text.extend_from_slice(field);
                    behind
                }
            };
            self.ends.push(self.text.len());
            let behind = match behind {
                [b' ', ..] => behind.trim_ascii_start(),
                _ => behind,
            };
            match behind {
                [] => return Ok(()),
                [byte, behind @ ..] if *byte == separator => rest = behind,
                _ => return Err("text follows a closing quote".to_owned()),
            }
        }
    }

    /// Takes a field up to its closing quote, and returns what follows.
    fn quoted<'a>(&mut self, mut rest: &'a [u8]) -> Result<&'a [u8], String> {
        loop {
            let Some(end) = rest.iter().position(|byte| *byte == b'"') else {
                return Err("a quote is not closed on the line where it opens".to_owned());
            };
            self.text.extend_from_slice(&rest[..end]);
            match &rest[end + 1..] {
                [b'"', behind @ ..] => {
                    self.text.push(b'"');
                    rest = behind;
                }
                behind => return Ok(behind),
            }
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }

    /// One of them, counted from 0.
    pub(crate) fn get(&self, at: usize) -> &[u8] {
        let start = match at {
            0 => 0,
            _ => self.ends[at - 1],
        };
        &self.text[start..self.ends[at]]
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count()).map(|at| self.get(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str, separator: char) -> Result<Vec<String>, String> {
        let mut fields = LineFields::default();
        fields.split(line.as_bytes(), separator as u8)?;
        Ok(fields
            .iter()
            .map(|field| String::from_utf8_lossy(field).into_owned())
            .collect())
    }

    #[test]
    fn quotes_hold_separators_and_quotes() {
        let fields = split(r#"a,"b,c" , "d""e",,f"#, ',').expect("sound");
        assert_eq!(fields, ["a", "b,c", "d\"e", "", "f"]);
        assert_eq!(split("", ',').expect("sound"), [""]);
        assert_eq!(split("a\t\tb", '\t').expect("sound"), ["a", "", "b"]);
    }

    #[test]
    fn quotes_that_do_not_close_are_refused() {
        assert!(split("\"a", ',').is_err());
        assert!(split("\"a\"b", ',').is_err());
    }
}
