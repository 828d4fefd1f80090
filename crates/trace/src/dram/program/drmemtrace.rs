//! What the view tool of DynamoRIO's drmemtrace prints: a record a line, with its number, that of the instruction, the thread, and
//! what it is. The tool itself reads every version of the traces, compressed and in several files, so that its text is the door.

use super::{AccessedBytes, DramTraceError, ProgramLine, accessed, no_line};
use crate::dram::DramFormat;

/// How a record's accesses begin that move no data of the program: prefetches, flushes of caches, and instructions that a repeated
/// one stands for.
const BESIDE: [&[u8]; 5] = [b"pref", b"flush", b"iflush", b"dflush", b"non-fetched"];

/// What the tool prints in front of the records, and behind them.
const FRAME: [&[u8]; 3] = [b"Output format:", b"<--record#->", b"View tool results:"];

/// A record, split.
struct ViewRecord<'t> {
    words: Vec<&'t [u8]>,
}

impl<'t> ViewRecord<'t> {
    /// "15 2: 2620922 write 8 byte(s) @ 0x…", from the word behind the thread on.
    fn of(text: &'t [u8]) -> Option<Self> {
        let mut words = text
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let is_number = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
        let (record, instruction, thread) = (words.next()?, words.next()?, words.next()?);
        let instruction = instruction.strip_suffix(b":")?;
        let numbers = [record, instruction, thread];
        let words: Vec<_> = words.take(6).collect();
        (numbers.into_iter().all(is_number) && !words.is_empty()).then_some(Self { words })
    }

    /// The bytes of "8 byte(s) @ 0x7ffd7c5b5bd8".
    fn bytes(&self, line: u64, text: &[u8]) -> Result<AccessedBytes, DramTraceError> {
        match self.words[1..] {
            [size, b"byte(s)", b"@", address, ..] if address.starts_with(b"0x") => {
                accessed(line, address, size)
            }
            _ => Err(no_line(line, text, DramFormat::Drmemtrace)),
        }
    }
}

/// Whether a line is one of these.
pub(super) fn looks_like(text: &[u8]) -> bool {
    text.starts_with(FRAME[0]) || (ViewRecord::of(text).is_some() && record(0, text).is_ok())
}

/// Reads a line. `None` is a line that is not an access of the program.
pub(super) fn record(line: u64, text: &[u8]) -> Result<Option<ProgramLine>, DramTraceError> {
    let Some(record) = ViewRecord::of(text) else {
        let whole = text.trim_ascii();
        let is_rule = whole.iter().all(|byte| matches!(byte, b'-' | b'='));
        let is_frame = is_rule
            || FRAME.iter().any(|part| whole.starts_with(part))
            || whole.ends_with(b": total instructions");
        return match is_frame {
            true => Ok(None),
            false => Err(no_line(line, text, DramFormat::Drmemtrace)),
        };
    };
    let kind = record.words[0];
    // An encoding that is too long for a line goes on in the next one.
    let is_encoding = || {
        let is_byte = |word: &&[u8]| word.len() == 2 && word.iter().all(u8::is_ascii_hexdigit);
        record.words.iter().all(is_byte)
    };
    match kind {
        // As many bytes as the instruction has; where it lies does not matter.
        b"ifetch" => record.bytes(line, text).map(|_| Some(ProgramLine::Fetch)),
        b"read" => Ok(Some(ProgramLine::Load(record.bytes(line, text)?))),
        b"write" => Ok(Some(ProgramLine::Store(record.bytes(line, text)?))),
        _ if kind.starts_with(b"<") || is_encoding() => Ok(None),
        _ if BESIDE.iter().any(|beside| kind.starts_with(beside)) => Ok(None),
        _ => Err(DramTraceError::UnknownOperation {
            line,
            found: crate::lines::shown(kind),
            allowed: "ifetch, read, write, prefetches, flushes, <markers>",
        }),
    }
}
