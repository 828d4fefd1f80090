//! The kinds of operation that storage software asks of a device.

/// What storage software asked of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationKind {
    /// Bytes were read.
    Read,
    /// Bytes were written that can be overwritten.
    Write,
    /// What was written was made to last.
    Persist,
    /// Bytes of a page were programmed.
    Program,
    /// A block was erased.
    Erase,
}

impl OperationKind {
    /// As traces and reports spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Persist => "persist",
            Self::Program => "program",
            Self::Erase => "erase",
        }
    }
}
