//! Traces of memory requests, as simulators of DRAM take them: DRAMsim3, Ramulator, Ramulator 2, and CSV with time
//! stamps; and traces of a program's accesses, Ramulator's for CPUs and those of lackey and drmemtrace, which reach the memory
//! through caches ([`CacheFilter`]). A trace is streamed, one line at a time; every fault names its line and what is allowed.
//!
//! ```
//! use wordline_core::Operation;
//! use wordline_trace::dram::{DramTraceOptions, open};
//!
//! let text = "0x1000 READ 0\n0x1040 WRITE 16\n";
//! let mut options = DramTraceOptions::new(1 << 30);
//! options.clock = Some("3.2 GHz".parse()?);
//! let requests = open(text.as_bytes(), &options)?.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(requests[1].operation, Operation::Write);
//! assert_eq!(requests[1].at.map(|at| at.ps()), Some(5_000), "16 cycles of 312.5 ps");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
mod columns;
mod error;
mod format;
mod program;
mod request;
mod words;

use std::fmt;
use std::io::{BufRead, Cursor, Read};

pub use cache::{
    CACHE_LEVELS, CacheChoices, CacheFilter, CacheLevel, CacheLevelCounts, CacheShapeError,
    CoreCaches, ProgramCounts,
};
pub use error::DramTraceError;
pub use format::{DramFormat, UnknownDramFormat};
pub use request::{DramRequest, DramSummary, LINE_BYTES};
use wordline_core::quantity::Frequency;

use crate::csv::fields::LineFields;
use crate::format::FOREIGN;
use crate::lines::LineReader;
use crate::log::{BYTE_ORDER_MARK, Source};
use columns::DramColumns;
use program::ProgramReader;
use request::{Checks, DramRecord};

/// What is known of a trace beside its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DramTraceOptions {
    /// Bytes of the memory that the requests are for. Addresses run from 0 to below it.
    pub memory_bytes: u64,
    /// Its format; by default the first line with content shows it.
    pub format: Option<DramFormat>,
    /// The clock that cycles are counted in. A trace with cycles is refused without it.
    pub clock: Option<Frequency>,
    /// Whether an address inside a line of 64 bytes is taken for that line; otherwise it is refused.
    pub align: bool,
    /// Whether an address beyond the memory is taken modulo its size; otherwise it is refused.
    pub fold: bool,
    /// The caches that a program's accesses pass. Those of a trace that has passed them are refused.
    pub caches: CacheChoices,
}

impl DramTraceOptions {
    /// For a memory of so many bytes; everything else as strict as it can be.
    #[must_use]
    pub const fn new(memory_bytes: u64) -> Self {
        Self {
            memory_bytes,
            format: None,
            clock: None,
            align: false,
            fold: false,
            caches: CacheChoices {
                bytes: [None; CACHE_LEVELS],
                ways: [None; CACHE_LEVELS],
                line_bytes: None,
            },
        }
    }
}

/// The requests of a trace, one at a time. The first error is the last item.
pub struct DramTrace<R> {
    lines: LineReader<Source<R>>,
    syntax: Syntax,
    checks: Checks,
    /// The first line, which was read to know the format.
    first: Option<DramRequest>,
    is_over: bool,
}

/// What lines are taken apart with.
enum Syntax {
    Words(DramFormat),
    Csv(Box<(DramColumns, LineFields)>),
    Program(Box<ProgramReader>),
}

impl Syntax {
    /// The first request of a line; a line of a program may make none, and others that [`more`](Self::more) has.
    fn read(&mut self, line: u64, text: &[u8]) -> Result<Option<DramRecord>, DramTraceError> {
        match self {
            Self::Words(format) => words::read(*format, line, text).map(Some),
            Self::Csv(csv) => {
                let (columns, fields) = &mut **csv;
                columns.request(line, text, fields).map(Some)
            }
            Self::Program(program) => {
                program.line(line, text)?;
                Ok(program.request())
            }
        }
    }

    /// A further request of the line that was read last.
    fn more(&mut self) -> Option<DramRecord> {
        match self {
            Self::Program(program) => program.request(),
            Self::Words(_) | Self::Csv(_) => None,
        }
    }
}

/// Recognises a trace by its first line and opens it. A buffer of 64 KiB or more makes the reading fast.
///
/// # Errors
/// Where the format is unknown, or the first line is not what its format asks for. Requests bring the errors of later
/// lines with them.
pub fn open<R: BufRead>(
    reader: R,
    options: &DramTraceOptions,
) -> Result<DramTrace<R>, DramTraceError> {
    let mut lines = LineReader::new(without_mark(reader)?);
    let mut checks = Checks::new(options);
    let Some(line) = lines.next_told()? else {
        return Err(DramTraceError::Empty);
    };
    let (number, text, ended) = (line.number, line.text, line.ended);
    let foreign = FOREIGN.iter().find(|(magic, _)| text.starts_with(magic));
    if let (1, Some((_, what))) = (number, foreign) {
        return Err(DramTraceError::Foreign { what });
    }
    request::whole(number, text, ended)?;
    let format = match options.format {
        Some(format) => format,
        None => format::detect(number, text)?,
    };
    checks.format = Some(format);
    if !format.is_program() && !options.caches.is_usual() {
        return Err(DramTraceError::NoProgram {
            line: number,
            format,
        });
    }
    let mut syntax = match format {
        DramFormat::Csv => {
            let columns = DramColumns::read(number, text)?;
            Syntax::Csv(Box::new((columns, LineFields::default())))
        }
        DramFormat::RamulatorCpu | DramFormat::Lackey | DramFormat::Drmemtrace => {
            let caches = options.caches.caches(format)?;
            Syntax::Program(Box::new(ProgramReader::new(format, &caches)))
        }
        DramFormat::Dramsim3 | DramFormat::Ramulator | DramFormat::Ramulator2 => {
            Syntax::Words(format)
        }
    };
    // The names of columns are no request.
    let first = match format {
        DramFormat::Csv => None,
        _ => syntax.read(number, text)?,
    };
    let first = first.map(|told| checks.request(number, told)).transpose()?;
    Ok(DramTrace {
        lines,
        syntax,
        checks,
        first,
        is_over: false,
    })
}

/// Without the byte order mark that spreadsheets put in front, of a comment as well.
fn without_mark<R: BufRead>(mut reader: R) -> Result<Source<R>, DramTraceError> {
    let mut start = Vec::new();
    let length = BYTE_ORDER_MARK.len() as u64;
    let limited = reader.by_ref().take(length).read_to_end(&mut start);
    limited.map_err(|source| DramTraceError::Unreadable { line: 1, source })?;
    if start == BYTE_ORDER_MARK {
        start.clear();
    }
    Ok(Cursor::new(start).chain(reader))
}

impl<R> DramTrace<R> {
    /// What has been seen of the trace so far; all of it once the last request has been read.
    #[must_use]
    pub fn summary(&self) -> DramSummary {
        let program = match &self.syntax {
            Syntax::Program(program) => Some(program.counts()),
            Syntax::Words(_) | Syntax::Csv(_) => None,
        };
        DramSummary {
            program,
            ..self.checks.summary()
        }
    }
}

impl<R: BufRead> DramTrace<R> {
    fn advance(&mut self) -> Result<Option<DramRequest>, DramTraceError> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        if let Some(told) = self.syntax.more() {
            return self.checks.request(self.lines.number, told).map(Some);
        }
        loop {
            let Some(line) = self.lines.next_told()? else {
                return match self.checks.requests() {
                    0 => Err(DramTraceError::Empty),
                    _ => Ok(None),
                };
            };
            request::whole(line.number, line.text, line.ended)?;
            if let Some(told) = self.syntax.read(line.number, line.text)? {
                return self.checks.request(line.number, told).map(Some);
            }
        }
    }
}

impl<R: BufRead> Iterator for DramTrace<R> {
    type Item = Result<DramRequest, DramTraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.advance();
        self.is_over = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}

impl<R> fmt::Debug for DramTrace<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DramTrace").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
