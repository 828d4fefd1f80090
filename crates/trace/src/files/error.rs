//! Why a file trace cannot be used.

use std::fmt;
use std::io;

use super::{READ_VERSIONS, VERSION};

/// Why a file trace cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileTraceError {
    /// It cannot be read.
    #[error("{place}: cannot be read: {source}")]
    Unreadable {
        /// Where.
        place: FileTracePlace,
        /// Why not.
        source: io::Error,
    },
    /// It is something else.
    #[error(
        "{0}: this is no file trace; allowed: what \"wordline io record\" writes, or text that begins with \"wordline file \
         trace {VERSION}\""
    )]
    Unknown(FileTracePlace),
    /// It is of a version that is not read.
    #[error("{place}: version {found} of the format; allowed: {} to {VERSION}", READ_VERSIONS.start())]
    OtherVersion {
        /// Where.
        place: FileTracePlace,
        /// The version.
        found: String,
    },
    /// Its end is missing.
    #[error("{0}: the trace is cut short: it ends before its last record")]
    CutShort(FileTracePlace),
    /// A record is not what the format asks for.
    #[error("{place}: {problem}")]
    Malformed {
        /// Where.
        place: FileTracePlace,
        /// What is wrong, with what is allowed.
        problem: String,
    },
    /// A call does not fit the calls before it.
    #[error("{place}, call {number} ({call}): {problem}")]
    Impossible {
        /// Where.
        place: FileTracePlace,
        /// Which call, from 1.
        number: u64,
        /// The call, in the text form.
        call: String,
        /// What is wrong, with what is allowed.
        problem: String,
    },
}

/// A place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileTracePlace {
    /// A byte, from 0.
    Byte(u64),
    /// A line of text, from 1.
    Line(u64),
}

impl fmt::Display for FileTracePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}
