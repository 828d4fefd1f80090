//! Either form of a trace, checked call by call.

use std::io::BufRead;

use super::INSTRUCTIONS_MAX;
use super::binary::{BinaryReader, MAGIC};
use super::call::{FileTracePreamble, TracedFileCall};
use super::error::{FileTraceError, FileTracePlace};
use super::state::FileTraceState;
use super::text::{TITLE, TextReader};

/// The calls of a trace, in their order.
///
/// Whatever it returns could have been called: files that are read hold what is read, what is opened is there, and sizes
/// are within [`CALL_BYTES_MAX`](super::CALL_BYTES_MAX) and [`FILE_BYTES_MAX`](super::FILE_BYTES_MAX); all instructions
/// together are within [`INSTRUCTIONS_MAX`]. It ends after the first error.
///
/// # Errors
/// As [`FileTraceError`] says.
#[derive(Debug)]
pub struct FileTraceReader<R> {
    form: FormReader<R>,
    preamble: FileTracePreamble,
    state: FileTraceState,
    calls: u64,
    /// Of all threads together, where any were counted.
    instructions: Option<u64>,
    is_over: bool,
}

#[derive(Debug)]
enum FormReader<R> {
    Binary(BinaryReader<R>),
    Text(TextReader<R>),
}

impl<R: BufRead> FileTraceReader<R> {
    /// Reads what stands before the first call. The first bytes decide on the form.
    ///
    /// # Errors
    /// When it is no trace or one of another version, and as for calls.
    pub fn open(mut from: R) -> Result<Self, FileTraceError> {
        let start = FileTracePlace::Byte(0);
        let unreadable = |source| FileTraceError::Unreadable {
            place: start,
            source,
        };
        let head = from.fill_buf().map_err(unreadable)?;
        let begins_as = |title: &[u8]| {
            let most = head.len().min(title.len());
            most > 0 && head[..most] == title[..most]
        };
        let (form, preamble) = if begins_as(&MAGIC) {
            let (reader, preamble) = BinaryReader::new(from)?;
            (FormReader::Binary(reader), preamble)
        } else if begins_as(TITLE.as_bytes()) {
            let (reader, preamble) = TextReader::new(from)?;
            (FormReader::Text(reader), preamble)
        } else {
            return Err(FileTraceError::Unknown(start));
        };
        let mut reader = Self {
            form,
            preamble,
            state: FileTraceState::new(),
            calls: 0,
            instructions: None,
            is_over: false,
        };
        for entry in &reader.preamble.existing {
            let place = reader.form.place();
            let malformed = |problem| FileTraceError::Malformed { place, problem };
            reader.state.add(entry).map_err(malformed)?;
        }
        Ok(reader)
    }

    /// What the trace says before its first call.
    #[must_use]
    pub const fn preamble(&self) -> &FileTracePreamble {
        &self.preamble
    }

    /// Calls that were read.
    #[must_use]
    pub const fn calls(&self) -> u64 {
        self.calls
    }

    /// Instructions of the calls that were read, of all threads; `None` where none were counted.
    #[must_use]
    pub const fn instructions(&self) -> Option<u64> {
        self.instructions
    }

    /// Adds the instructions of a call.
    fn count(&mut self, instructions: Option<u64>) -> Result<(), String> {
        let Some(more) = instructions else {
            return Ok(());
        };
        let sum = self.instructions.unwrap_or(0).checked_add(more);
        match sum.filter(|sum| *sum <= INSTRUCTIONS_MAX) {
            Some(sum) => {
                self.instructions = Some(sum);
                Ok(())
            }
            None => Err(format!(
                "more instructions than a trace can have; allowed: {INSTRUCTIONS_MAX} of all calls together"
            )),
        }
    }

    fn next_call(&mut self) -> Result<Option<TracedFileCall>, FileTraceError> {
        let start = self.form.place();
        let call = match &mut self.form {
            FormReader::Binary(binary) => binary.call(),
            FormReader::Text(text) => text.call(),
        }?;
        let Some(call) = call else {
            return Ok(None);
        };
        self.calls += 1;
        // A record is named by its first byte, a line by its number.
        let place = match &self.form {
            FormReader::Binary(_) => start,
            FormReader::Text(text) => text.place(),
        };
        let fits = self.count(call.instructions);
        match fits.and_then(|()| self.state.call(&call.action)) {
            Ok(()) => Ok(Some(call)),
            Err(problem) => Err(FileTraceError::Impossible {
                place,
                number: self.calls,
                call: call.to_string(),
                problem,
            }),
        }
    }

    /// The path of a file that is open, by its number.
    #[must_use]
    pub fn path(&self, file: u32) -> Option<&str> {
        self.state.path(file).map(|path| &**path)
    }
}

impl<R: BufRead> FormReader<R> {
    const fn place(&self) -> FileTracePlace {
        match self {
            Self::Binary(binary) => binary.place(),
            Self::Text(text) => text.place(),
        }
    }
}

impl<R: BufRead> Iterator for FileTraceReader<R> {
    type Item = Result<TracedFileCall, FileTraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.next_call().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}
