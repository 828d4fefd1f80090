//! The format as text: a line for each call, to be read, written and compared by people.

use std::fmt;
use std::io::{BufRead, Read as _};
use std::str::FromStr;
use std::sync::Arc;

use super::call::{
    ExistingEntry, FileAction, FileOpening, FileTracePreamble, SyncKind, TracedFileCall,
    WrittenContent,
};
use super::error::{FileTraceError, FileTracePlace};
use super::{READ_VERSIONS, TEXT_BYTES_MAX, VERSION};

/// What the first line begins with; the version follows.
pub(super) const TITLE: &str = "wordline file trace ";

/// The most bytes of a line: two paths whose every byte is escaped, and room for the rest.
const LINE_BYTES_MAX: usize = 2 * 6 * TEXT_BYTES_MAX + 256;

/// A path or a note as one word: as it is, or in quotes where it would not be read back.
struct Word<'a>(&'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"\"#".contains(c);
        match !self.0.is_empty() && self.0.chars().all(is_plain) {
            true => f.write_str(self.0),
            false => f.write_str(&serde_json::Value::from(self.0).to_string()),
        }
    }
}

/// A call in its line.
impl fmt::Display for TracedFileCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.thread)?;
        if let Some(instructions) = self.instructions {
            write!(f, "+{instructions} ")?;
        }
        match &self.action {
            FileAction::Open { file, how, path } => {
                write!(f, "open {file} {} {}", how.name(), Word(path))
            }
            FileAction::Close { file } => write!(f, "close {file}"),
            FileAction::Read {
                file,
                at,
                bytes,
                found,
            } => write!(f, "read {file} {at} {bytes} {found}"),
            FileAction::Write {
                file,
                at,
                bytes,
                content,
            } => match content {
                WrittenContent::Zeros => write!(f, "write {file} {at} {bytes} zeros"),
                WrittenContent::Drawn { seed } => {
                    write!(f, "write {file} {at} {bytes} {seed:08x}")
                }
            },
            FileAction::Truncate { file, bytes } => write!(f, "truncate {file} {bytes}"),
            FileAction::Sync { file, kind } => match kind {
                SyncKind::All => write!(f, "sync {file} all"),
                SyncKind::Data => write!(f, "sync {file} data"),
            },
            FileAction::Rename { from, to } => write!(f, "rename {} {}", Word(from), Word(to)),
            FileAction::Remove { path } => write!(f, "remove {}", Word(path)),
            FileAction::CreateDir { path } => write!(f, "create-dir {}", Word(path)),
            FileAction::Entry { path, found } => {
                let found = if *found { "found" } else { "absent" };
                write!(f, "entry {found} {}", Word(path))
            }
            FileAction::List { path } => write!(f, "list {}", Word(path)),
            FileAction::SyncDir { path } => write!(f, "sync-dir {}", Word(path)),
            FileAction::Mark { operation } => write!(f, "mark {}", Word(operation)),
        }
    }
}

/// What stands before the first call.
impl fmt::Display for FileTracePreamble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{TITLE}{VERSION}")?;
        if !self.note.is_empty() {
            writeln!(f, "note {}", Word(&self.note))?;
        }
        for ExistingEntry { path, bytes } in &self.existing {
            match bytes {
                None => writeln!(f, "has-dir {}", Word(path))?,
                Some(bytes) => writeln!(f, "has-file {bytes} {}", Word(path))?,
            }
        }
        Ok(())
    }
}

/// Reads a trace as text.
#[derive(Debug)]
pub(super) struct TextReader<R> {
    from: R,
    version: u8,
    line: u64,
    /// The line of the first call, which ended what stands before it.
    first: Option<Vec<String>>,
}

impl<R: BufRead> TextReader<R> {
    /// Reads what stands before the first call.
    pub(super) fn new(from: R) -> Result<(Self, FileTracePreamble), FileTraceError> {
        let mut reader = Self {
            from,
            version: VERSION,
            line: 0,
            first: None,
        };
        let unknown = || FileTraceError::Unknown(FileTracePlace::Line(1));
        let title = reader.raw_line()?.ok_or_else(unknown)?;
        let found = title.trim_end().strip_prefix(TITLE).ok_or_else(unknown)?;
        match found.parse() {
            Ok(version) if READ_VERSIONS.contains(&version) => reader.version = version,
            _ => {
                return Err(FileTraceError::OtherVersion {
                    place: reader.place(),
                    found: found.to_owned(),
                });
            }
        }
        let mut preamble = FileTracePreamble::default();
        while let Some(words) = reader.words()? {
            let mut line = TextLine::new(&reader, &words);
            match words.first().map(String::as_str) {
                Some("note") => {
                    line.word("note")?;
                    preamble.note = line.text("note")?.to_owned();
                }
                Some("has-dir") => {
                    line.word("has-dir")?;
                    preamble.existing.push(ExistingEntry {
                        path: line.path()?,
                        bytes: None,
                    });
                }
                Some("has-file") => {
                    line.word("has-file")?;
                    let bytes = Some(line.number("length")?);
                    let path = line.path()?;
                    preamble.existing.push(ExistingEntry { path, bytes });
                }
                _ => {
                    reader.first = Some(words);
                    break;
                }
            }
            line.end()?;
        }
        Ok((reader, preamble))
    }

    pub(super) const fn place(&self) -> FileTracePlace {
        FileTracePlace::Line(self.line)
    }

    fn malformed<T>(&self, problem: String) -> Result<T, FileTraceError> {
        let place = self.place();
        Err(FileTraceError::Malformed { place, problem })
    }

    fn raw_line(&mut self) -> Result<Option<String>, FileTraceError> {
        let mut line = Vec::new();
        self.line += 1;
        let most = LINE_BYTES_MAX as u64 + 1;
        let place = self.place();
        let read = (&mut self.from).take(most).read_until(b'\n', &mut line);
        match read {
            Ok(0) => return Ok(None),
            Ok(bytes) if bytes as u64 == most => {
                let problem = format!("a line of more than {LINE_BYTES_MAX} bytes");
                return self.malformed(problem);
            }
            Ok(_) => {}
            Err(source) => return Err(FileTraceError::Unreadable { place, source }),
        }
        let line = String::from_utf8(line).or_else(|_| self.malformed("it is not in UTF-8".into()));
        line.map(Some)
    }

    /// The words of the next line that has some.
    fn words(&mut self) -> Result<Option<Vec<String>>, FileTraceError> {
        while let Some(line) = self.raw_line()? {
            let words = split(&line).or_else(|problem| self.malformed(problem))?;
            if !words.is_empty() {
                return Ok(Some(words));
            }
        }
        Ok(None)
    }

    /// The next call; `None` at a good end.
    pub(super) fn call(&mut self) -> Result<Option<TracedFileCall>, FileTraceError> {
        let words = match self.first.take() {
            Some(words) => words,
            None => match self.words()? {
                Some(words) => words,
                None => return Err(FileTraceError::CutShort(self.place())),
            },
        };
        if words == ["end"] {
            return match self.words()? {
                None => Ok(None),
                Some(_) => self.malformed("a line follows the end of the trace".into()),
            };
        }
        let mut line = TextLine::new(self, &words);
        let call = line.call()?;
        line.end()?;
        Ok(Some(call))
    }
}

/// The words of a line: what blanks separate, or what stands in quotes as JSON has it; `#` begins a remark.
fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with('#') {
        if rest.starts_with('"') {
            let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            match strings.next() {
                Some(Ok(word)) => words.push(word),
                _ => return Err("quotes that are not those of a JSON string".to_owned()),
            }
            rest = &rest[strings.byte_offset()..];
            if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
                return Err("no blank behind quotes".to_owned());
            }
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            words.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    Ok(words)
}

/// The words of a line, taken one by one.
struct TextLine<'a> {
    place: FileTracePlace,
    version: u8,
    words: std::slice::Iter<'a, String>,
}

impl<'a> TextLine<'a> {
    fn new<R: BufRead>(reader: &TextReader<R>, words: &'a [String]) -> Self {
        Self {
            place: reader.place(),
            version: reader.version,
            words: words.iter(),
        }
    }

    fn malformed<T>(&self, problem: String) -> Result<T, FileTraceError> {
        let place = self.place;
        Err(FileTraceError::Malformed { place, problem })
    }

    fn word(&mut self, what: &str) -> Result<&'a str, FileTraceError> {
        match self.words.next() {
            Some(word) => Ok(word),
            None => self.malformed(format!("the {what} is missing")),
        }
    }

    fn number<N: FromStr>(&mut self, what: &str) -> Result<N, FileTraceError> {
        let word = self.word(what)?;
        let bits = 8 * size_of::<N>();
        word.parse().or_else(|_| {
            let problem = format!("the {what} is {word:?}; allowed: whole numbers of {bits} bits");
            self.malformed(problem)
        })
    }

    fn text(&mut self, what: &str) -> Result<&'a str, FileTraceError> {
        let text = self.word(what)?;
        match text.len() {
            0..=TEXT_BYTES_MAX => Ok(text),
            length => {
                let problem = format!("a {what} of {length} bytes; allowed: 0 to {TEXT_BYTES_MAX}");
                self.malformed(problem)
            }
        }
    }

    fn path(&mut self) -> Result<Arc<str>, FileTraceError> {
        self.text("path").map(Arc::from)
    }

    /// One of several words.
    fn choice<T: Copy>(&mut self, what: &str, all: &[(&str, T)]) -> Result<T, FileTraceError> {
        let word = self.word(what)?;
        match all.iter().find(|(name, _)| *name == word) {
            Some((_, found)) => Ok(*found),
            None => {
                let allowed: Vec<_> = all.iter().map(|(name, _)| *name).collect();
                let problem = format!("the {what} is {word:?}; allowed: {}", allowed.join(", "));
                self.malformed(problem)
            }
        }
    }

    fn end(&mut self) -> Result<(), FileTraceError> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => self.malformed(format!("{word:?} is a word too many")),
        }
    }

    fn call(&mut self) -> Result<TracedFileCall, FileTraceError> {
        let thread = self.number("number of a thread")?;
        let mut rest = self.words.clone();
        let counted = rest.next().and_then(|word| word.strip_prefix('+'));
        let instructions = match counted {
            None => None,
            Some(count) => {
                self.words = rest;
                match count.parse() {
                    Ok(count) => Some(count),
                    Err(_) => {
                        let problem = format!("a count of instructions that is {count:?}");
                        return self.malformed(problem);
                    }
                }
            }
        };
        Ok(TracedFileCall {
            thread,
            instructions,
            action: self.action()?,
        })
    }

    fn action(&mut self) -> Result<FileAction, FileTraceError> {
        let name = self.word("call")?;
        Ok(match name {
            "open" => FileAction::Open {
                file: self.number("number of a file")?,
                how: self.choice(
                    "way of opening",
                    &FileOpening::ALL.map(|how| (how.name(), how)),
                )?,
                path: self.path()?,
            },
            "close" => FileAction::Close {
                file: self.number("number of a file")?,
            },
            "read" => FileAction::Read {
                file: self.number("number of a file")?,
                at: self.number("offset")?,
                bytes: self.number("count of bytes")?,
                found: self.number("count of bytes found")?,
            },
            "write" => FileAction::Write {
                file: self.number("number of a file")?,
                at: self.number("offset")?,
                bytes: self.number("count of bytes")?,
                content: self.content()?,
            },
            "truncate" => FileAction::Truncate {
                file: self.number("number of a file")?,
                bytes: self.number("length")?,
            },
            "sync" => FileAction::Sync {
                file: self.number("number of a file")?,
                kind: self.choice(
                    "kind of sync",
                    &[("all", SyncKind::All), ("data", SyncKind::Data)],
                )?,
            },
            "rename" => FileAction::Rename {
                from: self.path()?,
                to: self.path()?,
            },
            "remove" => FileAction::Remove { path: self.path()? },
            "create-dir" => FileAction::CreateDir { path: self.path()? },
            "entry" => FileAction::Entry {
                found: self.choice("finding", &[("found", true), ("absent", false)])?,
                path: self.path()?,
            },
            "list" => FileAction::List { path: self.path()? },
            "sync-dir" if self.version > 1 => FileAction::SyncDir { path: self.path()? },
            "mark" if self.version > 1 => FileAction::Mark {
                operation: self.text("operation")?.into(),
            },
            _ => {
                let newer = match self.version {
                    1 => "",
                    _ => ", sync-dir, mark",
                };
                return self.malformed(format!(
                    "the call is {name:?}; allowed: open, close, read, write, truncate, sync, rename, remove, \
                     create-dir, entry, list{newer}"
                ));
            }
        })
    }

    fn content(&mut self) -> Result<WrittenContent, FileTraceError> {
        match self.word("content")? {
            "zeros" => Ok(WrittenContent::Zeros),
            word => match u32::from_str_radix(word, 16) {
                Ok(seed) => Ok(WrittenContent::Drawn { seed }),
                Err(_) => self.malformed(format!(
                    "the content is {word:?}; allowed: zeros, or a seed of up to 8 hexadecimal digits"
                )),
            },
        }
    }
}
