//! What can go wrong with files.

use core::fmt;

use crate::error::PacedError;

/// Why a call on files did not do what it was asked to. Nothing changed, unless the layer below failed in a way after which
/// it [needs a mount](PacedError::NeedsMount).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PacedFileError<E> {
    /// The layer below failed.
    Layer(PacedError<E>),
    /// There is no such file or directory.
    NotFound,
    /// The name is taken.
    Exists,
    /// A part of the path that should be a directory is a file.
    NotADirectory,
    /// The call works on files, and the path names a directory.
    IsADirectory,
    /// The directory still has entries.
    NotEmpty,
    /// A name is empty, `.` or `..`, has a zero byte, or is too long.
    BadName {
        /// Bytes that a name may have.
        most: usize,
    },
    /// A directory cannot be moved into itself.
    IntoItself,
    /// No page is free.
    NoSpace,
    /// The file would be longer than a file can be.
    TooLong {
        /// The pages that a file can have.
        pages: u32,
    },
    /// Parts that are to become valid together touch too many pages, or a page twice.
    TooMany {
        /// Pages that may become valid together.
        most: usize,
    },
    /// Parts that are to become valid together lie in pages of their files that are not there.
    Unwritten,
    /// The handle is of a file that was removed, or that was renamed while it was a short one.
    Stale,
    /// Too many names of a directory begin their hash alike.
    DirectoryFull,
    /// A page does not hold what it should.
    Damaged {
        /// The logical page.
        page: u32,
    },
}

impl<E> From<PacedError<E>> for PacedFileError<E> {
    fn from(error: PacedError<E>) -> Self {
        Self::Layer(error)
    }
}

impl<E: fmt::Display> fmt::Display for PacedFileError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layer(error) => error.fmt(f),
            Self::NotFound => f.write_str("there is no such file or directory"),
            Self::Exists => f.write_str("the name is taken"),
            Self::NotADirectory => f.write_str("a part of the path is a file"),
            Self::IsADirectory => f.write_str("the path names a directory"),
            Self::NotEmpty => f.write_str("the directory is not empty"),
            Self::BadName { most } => write!(
                f,
                "a name has 1 to {most} bytes, none of them zero, and is neither . nor .."
            ),
            Self::IntoItself => f.write_str("a directory cannot be moved into itself"),
            Self::NoSpace => f.write_str("no page is free"),
            Self::TooLong { pages } => write!(f, "a file has at most {pages} pages"),
            Self::TooMany { most } => write!(
                f,
                "parts that become valid together have at most {most} pages, each once"
            ),
            Self::Unwritten => f.write_str(
                "parts that become valid together lie in pages that their files have already",
            ),
            Self::Stale => f.write_str("the file of the handle was removed or renamed"),
            Self::DirectoryFull => {
                f.write_str("the directory takes no further name whose hash begins so")
            }
            Self::Damaged { page } => {
                write!(f, "logical page {page} does not hold what it should")
            }
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for PacedFileError<E> {}
