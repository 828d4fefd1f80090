//! What every reader of a log does, and the one way in which its accesses are handed out.

use std::fmt;

use crate::{LogSummary, TraceError};

/// Reads a log from its start to its end, once. [`AccessStream`] makes an iterator of it.
pub trait AccessReader {
    /// What it reads: [`LoggedAccess`](crate::LoggedAccess) or [`AskedAccess`](crate::AskedAccess).
    type Access;

    /// The next access; none at the end.
    ///
    /// # Errors
    /// Where a line is not what the format asks for, and [`TraceError::Empty`] at the end of a log without an
    /// access. What comes after an error or after the end is not specified.
    fn advance(&mut self) -> Result<Option<Self::Access>, TraceError>;

    /// What has been seen of the log so far; all of it once the last access has been read.
    fn summary(&self) -> LogSummary;
}

impl<S: AccessReader + ?Sized> AccessReader for Box<S> {
    type Access = S::Access;

    #[inline]
    fn advance(&mut self) -> Result<Option<Self::Access>, TraceError> {
        (**self).advance()
    }

    fn summary(&self) -> LogSummary {
        (**self).summary()
    }
}

/// The accesses of a log, one at a time. The first error is the last item.
pub struct AccessStream<S> {
    reader: S,
    is_over: bool,
}

impl<S: AccessReader> AccessStream<S> {
    /// What the reader reads.
    pub const fn new(reader: S) -> Self {
        Self {
            reader,
            is_over: false,
        }
    }

    /// The reader.
    pub const fn reader(&self) -> &S {
        &self.reader
    }

    /// What has been seen of the log so far; all of it once the last access has been read.
    pub fn summary(&self) -> LogSummary {
        self.reader.summary()
    }
}

impl<S: AccessReader> Iterator for AccessStream<S> {
    type Item = Result<S::Access, TraceError>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        match self.reader.advance() {
            Ok(Some(access)) => Some(Ok(access)),
            end => {
                self.is_over = true;
                end.transpose()
            }
        }
    }
}

impl<S> fmt::Debug for AccessStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}
