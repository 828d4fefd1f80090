//! Either form of a trace, written.

use std::io::{self, Write};

use super::binary::BinaryWriter;
use super::call::{FileTracePreamble, TracedFileCall};

/// How a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileTraceForm {
    /// In few bytes, with a checksum.
    Binary,
    /// As text, a line for each call.
    Text,
}

/// Writes a trace, call by call. What was called is not checked: a reader does that.
#[derive(Debug)]
pub struct FileTraceWriter<W>(FormWriter<W>);

#[derive(Debug)]
enum FormWriter<W> {
    Binary(BinaryWriter<W>),
    Text(W),
}

impl<W: Write> FileTraceWriter<W> {
    /// Writes what stands before the first call.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(mut to: W, form: FileTraceForm, preamble: &FileTracePreamble) -> io::Result<Self> {
        Ok(Self(match form {
            FileTraceForm::Binary => FormWriter::Binary(BinaryWriter::new(to, preamble)?),
            FileTraceForm::Text => {
                write!(to, "{preamble}")?;
                FormWriter::Text(to)
            }
        }))
    }

    /// Writes a call.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn call(&mut self, call: &TracedFileCall) -> io::Result<()> {
        match &mut self.0 {
            FormWriter::Binary(binary) => binary.call(call),
            FormWriter::Text(to) => writeln!(to, "{call}"),
        }
    }

    /// Writes the end, without which a trace is cut short.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            FormWriter::Binary(binary) => binary.finish(),
            FormWriter::Text(mut to) => {
                writeln!(to, "end")?;
                to.flush()?;
                Ok(to)
            }
        }
    }
}
