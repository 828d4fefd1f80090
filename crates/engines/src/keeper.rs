//! What keeps the changes of a memory for a server that may be killed.

use crate::FsError;

/// Keeps what calls changed where the end of this process does not reach it: a server asks it around each call.
pub trait ChangeKeeper {
    /// Whether the next call may change something: what earlier ones changed is kept.
    ///
    /// # Errors
    /// [`FsErrorKind::Full`](crate::FsErrorKind::Full) without room for it, or the keeper's host fails.
    fn ready(&mut self) -> Result<(), FsError>;

    /// Keeps what a call changed, all of it or nothing; from a power cut of the host as well if it is to be durable.
    ///
    /// # Errors
    /// As [`ready`](Self::ready), which keeps it later.
    fn keep(&mut self, durable: bool) -> Result<(), FsError>;
}
