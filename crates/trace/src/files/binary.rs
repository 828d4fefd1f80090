//! The format in bytes.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

use super::call::{
    ExistingEntry, FileAction, FileOpening, FileTracePreamble, SyncKind, TracedFileCall,
    WrittenContent,
};
use super::error::{FileTraceError, FileTracePlace};
use super::{READ_VERSIONS, TEXT_BYTES_MAX, VERSION};

/// What a trace begins with; the version follows.
pub(super) const MAGIC: [u8; 7] = *b"WLFILES";

/// What a record is, in the low half of its first byte.
mod code {
    pub(super) const END: u8 = 0;
    pub(super) const OPEN: u8 = 1;
    pub(super) const CLOSE: u8 = 2;
    pub(super) const READ: u8 = 3;
    pub(super) const WRITE: u8 = 4;
    pub(super) const TRUNCATE: u8 = 5;
    pub(super) const SYNC: u8 = 6;
    pub(super) const RENAME: u8 = 7;
    pub(super) const REMOVE: u8 = 8;
    pub(super) const CREATE_DIR: u8 = 9;
    pub(super) const ENTRY: u8 = 10;
    pub(super) const LIST: u8 = 11;
    pub(super) const SYNC_DIR: u8 = 12;
    pub(super) const MARK: u8 = 13;
}

/// In the high half: the number of the thread follows, because it is not that of the record before.
const OTHER_THREAD: u8 = 0x10;

/// A count of instructions follows.
const INSTRUCTIONS: u8 = 0x20;

/// A read or write begins where the one before it on this file ended; no offset follows.
const CONTINUES: u8 = 0x40;

/// A read that found less than it asked for, a write of zeros, a sync of data, an entry that was found.
const VARIANT: u8 = 0x80;

/// The most bytes of a number.
const NUMBER_BYTES_MAX: u32 = 10;

/// A checksum of bytes: FNV-1a of 64 bits.
#[derive(Clone, Copy, Debug)]
struct Checksum(u64);

impl Checksum {
    const fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    const fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ byte as u64).wrapping_mul(0x0000_0100_0000_01B3);
    }
}

/// Where accesses of a file go on, and paths that occurred, which both sides know alike.
#[derive(Debug, Default)]
struct BinaryContext {
    thread: u32,
    ends: HashMap<u32, u64>,
}

impl BinaryContext {
    /// Where the last access of a file ended; notes where this one ends.
    fn access(&mut self, file: u32, at: u64, bytes: u64) {
        self.ends.insert(file, at.saturating_add(bytes));
    }

    fn end(&self, file: u32) -> u64 {
        self.ends.get(&file).copied().unwrap_or(0)
    }
}

/// Writes a trace in bytes.
#[derive(Debug)]
pub(super) struct BinaryWriter<W> {
    to: W,
    record: Vec<u8>,
    sum: Checksum,
    context: BinaryContext,
    paths: HashMap<Arc<str>, u64>,
    calls: u64,
}

impl<W: Write> BinaryWriter<W> {
    pub(super) fn new(to: W, preamble: &FileTracePreamble) -> io::Result<Self> {
        let mut writer = Self {
            to,
            record: Vec::new(),
            sum: Checksum::new(),
            context: BinaryContext::default(),
            paths: HashMap::new(),
            calls: 0,
        };
        writer.record.extend(MAGIC);
        writer.record.push(VERSION);
        writer.text(&preamble.note);
        writer.number(preamble.existing.len() as u64);
        for ExistingEntry { path, bytes } in &preamble.existing {
            writer.path(path);
            writer.number(bytes.map_or(0, |bytes| bytes.saturating_add(1)));
        }
        writer.flush_record()?;
        Ok(writer)
    }

    fn flush_record(&mut self) -> io::Result<()> {
        for byte in &self.record {
            self.sum.add(*byte);
        }
        self.to.write_all(&self.record)?;
        self.record.clear();
        Ok(())
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.record.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.record.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.record.extend(text.as_bytes());
    }

    /// A path: its number where it occurred before, and otherwise the next number and its text.
    fn path(&mut self, path: &Arc<str>) {
        let next = self.paths.len() as u64;
        match self.paths.get(path) {
            Some(number) => self.number(*number),
            None => {
                self.number(next);
                self.text(path);
                self.paths.insert(Arc::clone(path), next);
            }
        }
    }

    /// The offset of an access, unless it is where the last one ended. Returns the flag that says so.
    fn continues(&mut self, file: u32, at: u64, bytes: u64) -> u8 {
        let flag = match at == self.context.end(file) {
            true => CONTINUES,
            false => 0,
        };
        self.context.access(file, at, bytes);
        flag
    }

    pub(super) fn call(&mut self, call: &TracedFileCall) -> io::Result<()> {
        let mut head = 0;
        if call.thread != self.context.thread {
            head |= OTHER_THREAD;
            self.context.thread = call.thread;
        }
        if call.instructions.is_some() {
            head |= INSTRUCTIONS;
        }
        head |= match call.action {
            FileAction::Open { .. } => code::OPEN,
            FileAction::Close { .. } => code::CLOSE,
            FileAction::Read {
                file,
                at,
                bytes,
                found,
            } => {
                let short = if found == bytes { 0 } else { VARIANT };
                code::READ | short | self.continues(file, at, found)
            }
            FileAction::Write {
                file,
                at,
                bytes,
                content,
            } => {
                let zeros = match content {
                    WrittenContent::Zeros => VARIANT,
                    WrittenContent::Drawn { .. } => 0,
                };
                code::WRITE | zeros | self.continues(file, at, bytes)
            }
            FileAction::Truncate { .. } => code::TRUNCATE,
            FileAction::Sync { kind, .. } => match kind {
                SyncKind::All => code::SYNC,
                SyncKind::Data => code::SYNC | VARIANT,
            },
            FileAction::Rename { .. } => code::RENAME,
            FileAction::Remove { .. } => code::REMOVE,
            FileAction::CreateDir { .. } => code::CREATE_DIR,
            FileAction::Entry { found, .. } => match found {
                true => code::ENTRY | VARIANT,
                false => code::ENTRY,
            },
            FileAction::List { .. } => code::LIST,
            FileAction::SyncDir { .. } => code::SYNC_DIR,
            FileAction::Mark { .. } => code::MARK,
        };
        self.record.push(head);
        if head & OTHER_THREAD != 0 {
            self.number(call.thread.into());
        }
        if let Some(instructions) = call.instructions {
            self.number(instructions);
        }
        self.rest(&call.action, head);
        self.calls += 1;
        self.flush_record()
    }

    /// What follows the head of a record.
    fn rest(&mut self, action: &FileAction, head: u8) {
        let has_place = head & CONTINUES == 0;
        match action {
            FileAction::Open { file, how, path } => {
                self.number((*file).into());
                let how = FileOpening::ALL.iter().position(|one| one == how);
                self.number(how.unwrap_or_default() as u64);
                self.path(path);
            }
            FileAction::Close { file } | FileAction::Sync { file, .. } => {
                self.number((*file).into());
            }
            FileAction::Read {
                file,
                at,
                bytes,
                found,
            } => {
                self.number((*file).into());
                if has_place {
                    self.number(*at);
                }
                self.number(*bytes);
                if head & VARIANT != 0 {
                    self.number(*found);
                }
            }
            FileAction::Write {
                file,
                at,
                bytes,
                content,
            } => {
                self.number((*file).into());
                if has_place {
                    self.number(*at);
                }
                self.number(*bytes);
                if let WrittenContent::Drawn { seed } = content {
                    self.record.extend(seed.to_le_bytes());
                }
            }
            FileAction::Truncate { file, bytes } => {
                self.number((*file).into());
                self.number(*bytes);
            }
            FileAction::Rename { from, to } => {
                self.path(from);
                self.path(to);
            }
            FileAction::Remove { path }
            | FileAction::CreateDir { path }
            | FileAction::Entry { path, .. }
            | FileAction::List { path }
            | FileAction::SyncDir { path } => self.path(path),
            // Operations are few, and numbered like paths.
            FileAction::Mark { operation } => self.path(operation),
        }
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        self.record.push(code::END);
        self.number(self.calls);
        self.flush_record()?;
        self.to.write_all(&self.sum.0.to_le_bytes())?;
        self.to.flush()?;
        Ok(self.to)
    }
}

/// Reads a trace in bytes.
#[derive(Debug)]
pub(super) struct BinaryReader<R> {
    from: R,
    version: u8,
    at: u64,
    sum: Checksum,
    context: BinaryContext,
    paths: Vec<Arc<str>>,
    calls: u64,
}

impl<R: BufRead> BinaryReader<R> {
    /// Reads what stands before the first call; the magic was only looked at.
    pub(super) fn new(from: R) -> Result<(Self, FileTracePreamble), FileTraceError> {
        let mut reader = Self {
            from,
            version: VERSION,
            at: 0,
            sum: Checksum::new(),
            context: BinaryContext::default(),
            paths: Vec::new(),
            calls: 0,
        };
        for _ in MAGIC {
            reader.byte()?;
        }
        match reader.byte()? {
            version if READ_VERSIONS.contains(&version) => reader.version = version,
            found => {
                return Err(FileTraceError::OtherVersion {
                    place: FileTracePlace::Byte(reader.at - 1),
                    found: found.to_string(),
                });
            }
        }
        let note = reader.text("note")?;
        let count = reader.number("count of what existed")?;
        let mut existing = Vec::new();
        for _ in 0..count {
            let (at, known) = (reader.at, reader.paths.len());
            let path = reader.path()?;
            if reader.paths.len() == known {
                return reader.malformed(at, format!("{path} is there already"));
            }
            let bytes = reader.number("length")?.checked_sub(1);
            existing.push(ExistingEntry { path, bytes });
        }
        Ok((reader, FileTracePreamble { note, existing }))
    }

    pub(super) const fn place(&self) -> FileTracePlace {
        FileTracePlace::Byte(self.at)
    }

    fn malformed<T>(&self, at: u64, problem: String) -> Result<T, FileTraceError> {
        let place = FileTracePlace::Byte(at);
        Err(FileTraceError::Malformed { place, problem })
    }

    /// The next byte, where there is one.
    fn next_byte(&mut self) -> Result<Option<u8>, FileTraceError> {
        let byte = loop {
            match self.from.fill_buf() {
                Ok(bytes) => break bytes.first().copied(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    let place = self.place();
                    return Err(FileTraceError::Unreadable { place, source });
                }
            }
        };
        if byte.is_some() {
            self.from.consume(1);
            self.at += 1;
        }
        Ok(byte)
    }

    /// A byte that the checksum covers.
    fn byte(&mut self) -> Result<u8, FileTraceError> {
        let byte = self.next_byte()?;
        let byte = byte.ok_or(FileTraceError::CutShort(self.place()))?;
        self.sum.add(byte);
        Ok(byte)
    }

    fn number(&mut self, what: &str) -> Result<u64, FileTraceError> {
        let from = self.at;
        let mut number = 0_u64;
        for place in 0..NUMBER_BYTES_MAX {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            let shifted = bits << (7 * place);
            if shifted >> (7 * place) != bits {
                break;
            }
            number |= shifted;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        let most = u64::MAX;
        self.malformed(
            from,
            format!("the {what} is too large; allowed: 0 to {most}"),
        )
    }

    fn small(&mut self, what: &str) -> Result<u32, FileTraceError> {
        let from = self.at;
        let found = self.number(what)?;
        let most = u32::MAX;
        u32::try_from(found).or_else(|_| {
            let problem = format!("the {what} is {found}; allowed: 0 to {most}");
            self.malformed(from, problem)
        })
    }

    fn text(&mut self, what: &str) -> Result<String, FileTraceError> {
        let from = self.at;
        let length = self.number(what)?;
        if length > TEXT_BYTES_MAX as u64 {
            let problem = format!("a {what} of {length} bytes; allowed: 0 to {TEXT_BYTES_MAX}");
            return self.malformed(from, problem);
        }
        let mut bytes = Vec::with_capacity(length as usize);
        for _ in 0..length {
            bytes.push(self.byte()?);
        }
        String::from_utf8(bytes)
            .or_else(|_| self.malformed(from, format!("the {what} is not in UTF-8")))
    }

    fn path(&mut self) -> Result<Arc<str>, FileTraceError> {
        let from = self.at;
        let number = self.number("number of a path")?;
        let known = self.paths.len() as u64;
        if number == known {
            let path: Arc<str> = self.text("path")?.into();
            self.paths.push(Arc::clone(&path));
            return Ok(path);
        }
        match usize::try_from(number)
            .ok()
            .and_then(|number| self.paths.get(number))
        {
            Some(path) => Ok(Arc::clone(path)),
            None => {
                let problem = format!("path number {number}; allowed: 0 to {known}");
                self.malformed(from, problem)
            }
        }
    }

    /// The next call; `None` at a good end.
    pub(super) fn call(&mut self) -> Result<Option<TracedFileCall>, FileTraceError> {
        let from = self.at;
        let head = self.byte()?;
        let kind = head & 0x0F;
        if kind == code::END && head == code::END {
            return self.end().map(|()| None);
        }
        let is_access = matches!(kind, code::READ | code::WRITE);
        let has_variant = is_access || matches!(kind, code::SYNC | code::ENTRY);
        let last = if self.version > 1 {
            code::MARK
        } else {
            code::LIST
        };
        let is_known = (code::OPEN..=last).contains(&kind)
            && (is_access || head & CONTINUES == 0)
            && (has_variant || head & VARIANT == 0);
        if !is_known {
            let problem = format!("a record begins with {head:#04x}, which no record does");
            return self.malformed(from, problem);
        }
        if head & OTHER_THREAD != 0 {
            self.context.thread = self.small("number of a thread")?;
        }
        let instructions = match head & INSTRUCTIONS {
            0 => None,
            _ => Some(self.number("count of instructions")?),
        };
        let action = self.action(kind, head)?;
        self.calls += 1;
        Ok(Some(TracedFileCall {
            thread: self.context.thread,
            instructions,
            action,
        }))
    }

    fn action(&mut self, kind: u8, head: u8) -> Result<FileAction, FileTraceError> {
        let is_variant = head & VARIANT != 0;
        Ok(match kind {
            code::RENAME => FileAction::Rename {
                from: self.path()?,
                to: self.path()?,
            },
            code::REMOVE => FileAction::Remove { path: self.path()? },
            code::CREATE_DIR => FileAction::CreateDir { path: self.path()? },
            code::LIST => FileAction::List { path: self.path()? },
            code::SYNC_DIR => FileAction::SyncDir { path: self.path()? },
            code::MARK => FileAction::Mark {
                operation: self.path()?,
            },
            code::ENTRY => FileAction::Entry {
                path: self.path()?,
                found: is_variant,
            },
            _ => {
                let file = self.small("number of a file")?;
                match kind {
                    code::OPEN => FileAction::Open {
                        file,
                        how: self.opening()?,
                        path: self.path()?,
                    },
                    code::CLOSE => FileAction::Close { file },
                    code::READ => self.read(file, head)?,
                    code::WRITE => self.write(file, head)?,
                    code::TRUNCATE => FileAction::Truncate {
                        file,
                        bytes: self.number("length")?,
                    },
                    _ => FileAction::Sync {
                        file,
                        kind: match is_variant {
                            true => SyncKind::Data,
                            false => SyncKind::All,
                        },
                    },
                }
            }
        })
    }

    fn opening(&mut self) -> Result<FileOpening, FileTraceError> {
        let from = self.at;
        let found = self.number("way of opening")?;
        let how = usize::try_from(found).ok();
        match how.and_then(|how| FileOpening::ALL.get(how)) {
            Some(how) => Ok(*how),
            None => self.malformed(
                from,
                format!("the way of opening is {found}; allowed: 0 to 3"),
            ),
        }
    }

    /// The offset and the length of an access.
    fn access(&mut self, file: u32, head: u8) -> Result<(u64, u64), FileTraceError> {
        let at = match head & CONTINUES {
            0 => self.number("offset")?,
            _ => self.context.end(file),
        };
        Ok((at, self.number("count of bytes")?))
    }

    fn read(&mut self, file: u32, head: u8) -> Result<FileAction, FileTraceError> {
        let (at, bytes) = self.access(file, head)?;
        let found = match head & VARIANT {
            0 => bytes,
            _ => self.number("count of bytes found")?,
        };
        self.context.access(file, at, found);
        Ok(FileAction::Read {
            file,
            at,
            bytes,
            found,
        })
    }

    fn write(&mut self, file: u32, head: u8) -> Result<FileAction, FileTraceError> {
        let (at, bytes) = self.access(file, head)?;
        let content = match head & VARIANT {
            0 => {
                let mut seed = [0; 4];
                for byte in &mut seed {
                    *byte = self.byte()?;
                }
                WrittenContent::Drawn {
                    seed: u32::from_le_bytes(seed),
                }
            }
            _ => WrittenContent::Zeros,
        };
        self.context.access(file, at, bytes);
        Ok(FileAction::Write {
            file,
            at,
            bytes,
            content,
        })
    }

    /// The count of calls and the checksum, behind which nothing may come.
    fn end(&mut self) -> Result<(), FileTraceError> {
        let from = self.at;
        let calls = self.number("count of calls")?;
        if calls != self.calls {
            let problem = format!("{calls} calls are announced, and {} came", self.calls);
            return self.malformed(from, problem);
        }
        let (from, sum) = (self.at, self.sum.0);
        let mut stated = [0; 8];
        for byte in &mut stated {
            *byte = self.byte()?;
        }
        if u64::from_le_bytes(stated) != sum {
            return self.malformed(
                from,
                "the checksum is another one: the trace is damaged".into(),
            );
        }
        match self.next_byte()? {
            None => Ok(()),
            Some(_) => self.malformed(self.at - 1, "bytes follow the end of the trace".into()),
        }
    }
}
