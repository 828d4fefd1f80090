//! File traces: the calls that a program made to a file system, so that they can be made again on another.
//!
//! A trace is a file of its own format, in bytes or as text, which `docs/reference/file-traces.md` defines. It says of each
//! call which file, which place and how many bytes; of what was written it keeps a seed and not the bytes. It is read as a
//! stream, and every call is held against what the calls before it left: a [`FileTraceReader`] never returns a read of what
//! nothing wrote, or a call on a file that is not open.
//!
//! ```
//! use wordline_trace::files::{FileAction, FileTraceReader};
//!
//! let text = "wordline file trace 2\n1 open 0 create /log\n1 write 0 0 100 zeros\n1 sync 0 all\n1 close 0\nend\n";
//! let trace = FileTraceReader::open(text.as_bytes())?;
//! let calls = trace.collect::<Result<Vec<_>, _>>()?;
//! assert!(matches!(calls[1].action, FileAction::Write { bytes: 100, .. }));
//! # Ok::<(), wordline_trace::files::FileTraceError>(())
//! ```

mod binary;
mod call;
mod error;
mod reader;
mod state;
mod text;
mod writer;

#[cfg(test)]
mod tests;

pub use call::{
    ExistingEntry, FileAction, FileOpening, FileTracePreamble, SyncKind, TracedFileCall,
    WrittenContent,
};
pub use error::{FileTraceError, FileTracePlace};
pub use reader::FileTraceReader;
pub use writer::{FileTraceForm, FileTraceWriter};

/// The version of the format that is written.
pub const VERSION: u8 = 2;

/// Versions that are read: the first one has neither [`FileAction::SyncDir`] nor [`FileAction::Mark`].
const READ_VERSIONS: std::ops::RangeInclusive<u8> = 1..=VERSION;

/// The most bytes of one call: they are held in RAM.
pub const CALL_BYTES_MAX: u64 = 64 << 20;

/// The most bytes of a file.
pub const FILE_BYTES_MAX: u64 = 1 << 48;

/// The most instructions of all threads together: a hundred years of a fast processor.
pub const INSTRUCTIONS_MAX: u64 = 1 << 63;

/// The most bytes of a path, and of a note.
pub const TEXT_BYTES_MAX: usize = 4096;

/// Whether a path is absolute, without an empty part, `.`, `..` and zero bytes.
fn is_path(path: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\0');
    let rest = path.strip_prefix('/');
    path == "/" || rest.is_some_and(|rest| rest.split('/').all(is_part))
}
