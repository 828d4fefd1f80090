//! What can go wrong.
//!
//! A call on pages or files returns a [`PacedError`], which has one value beside its kind at most, so that results come back
//! in registers. What only a format or a mount finds has more values to tell, and is a [`PacedSetupError`].

use core::fmt;

/// Why a call on pages or files did not do what it was asked to. What was written before is as it was.
///
/// A call on files that fails changes nothing, unless the flash fails in a way after which it
/// [needs a mount](Self::NeedsMount).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PacedError<E> {
    /// The flash failed. Mount it again before going on.
    Flash(E),
    /// A logical page is asked for that the layer does not have, or a part that leaves its page.
    OutOfRange {
        /// The logical page.
        logical: u32,
    },
    /// A group has no page, more than [`GROUP_PAGES`](crate::GROUP_PAGES), or one of them twice.
    Group {
        /// Pages given.
        pages: usize,
    },
    /// The page cannot be read any more: the flash lost more bits than its ECC corrects. Write it again.
    Lost {
        /// The logical page.
        logical: u32,
    },
    /// An earlier write failed, so that only a mount tells what the flash holds. What was written can be read.
    NeedsMount,
    /// More blocks failed than the layer was formatted for: what is written can be read, and nothing more be written.
    WornOut,
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
    /// A page of the files does not hold what it should.
    Damaged {
        /// The logical page.
        page: u32,
    },
}

impl<E> From<E> for PacedError<E> {
    fn from(error: E) -> Self {
        Self::Flash(error)
    }
}

impl<E: fmt::Display> fmt::Display for PacedError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flash(error) => write!(f, "the flash failed: {error}"),
            Self::OutOfRange { logical } => write!(
                f,
                "logical page {logical}, or a part of it, lies outside the pages of the layer"
            ),
            Self::Group { pages } => write!(
                f,
                "a group of {pages} pages; allowed: 1 to {} pages, each once",
                crate::GROUP_PAGES
            ),
            Self::Lost { logical } => write!(
                f,
                "logical page {logical} lost more bits than the ECC corrects; write it again"
            ),
            Self::NeedsMount => f.write_str("an earlier write failed; mount the flash again"),
            Self::WornOut => f.write_str(
                "too many blocks failed: the layer can be read, and takes no more writes",
            ),
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

impl<E: fmt::Debug + fmt::Display> core::error::Error for PacedError<E> {}

/// A size that does not suit the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedUnsuitable {
    /// What does not suit.
    pub what: &'static str,
    /// Its value.
    pub found: u64,
    /// The least that would do.
    pub least: u64,
    /// The most that would do.
    pub most: u64,
}

impl fmt::Display for PacedUnsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what,
            found,
            least,
            most,
        } = self;
        write!(f, "{what}: {found}; allowed: {least} to {most}")
    }
}

impl core::error::Error for PacedUnsuitable {}

/// Why a flash was not formatted or mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PacedSetupError<E> {
    /// The sizes do not suit the layer or its files.
    Unsuitable(PacedUnsuitable),
    /// The caller's memory is too short.
    Memory {
        /// Bytes that are needed.
        needed: usize,
        /// Bytes that were given.
        given: usize,
    },
    /// The flash holds nothing that this layer wrote.
    NotFormatted,
    /// It was written by another version of the format.
    Version {
        /// The version found; this code knows only [`VERSION`](crate::VERSION).
        found: u32,
    },
    /// It was formatted with another value of something that cannot change later.
    Differs {
        /// Which value.
        what: &'static str,
        /// With which it was formatted.
        stored: u32,
        /// With which it was to be mounted.
        asked: u32,
    },
    /// The pages hold no file system; format it first.
    NoFiles,
    /// The files were written by another version of their format.
    FileVersion {
        /// The version found; this code knows only [`FILES_VERSION`](crate::FILES_VERSION).
        found: u8,
    },
    /// A call on the layer or its files failed.
    Call(PacedError<E>),
}

impl<E> From<E> for PacedSetupError<E> {
    fn from(error: E) -> Self {
        Self::Call(error.into())
    }
}

impl<E> From<PacedError<E>> for PacedSetupError<E> {
    fn from(error: PacedError<E>) -> Self {
        Self::Call(error)
    }
}

impl<E: fmt::Display> fmt::Display for PacedSetupError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsuitable(unsuitable) => unsuitable.fmt(f),
            Self::Memory { needed, given } => {
                write!(f, "the layer needs {needed} bytes of RAM, and got {given}")
            }
            Self::NotFormatted => {
                f.write_str("the flash holds no real-time layer; format it first")
            }
            Self::Version { found } => write!(
                f,
                "the flash has version {found} of the format, and this code knows version {}",
                crate::VERSION
            ),
            Self::Differs {
                what,
                stored,
                asked,
            } => write!(
                f,
                "the flash was formatted with {stored} {what}, and now {asked} are asked for"
            ),
            Self::NoFiles => f.write_str("the pages hold no file system; format it first"),
            Self::FileVersion { found } => write!(
                f,
                "the file system has version {found}, and this code knows version {}",
                crate::FILES_VERSION
            ),
            Self::Call(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for PacedSetupError<E> {}
