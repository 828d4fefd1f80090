//! What a controller is asked for.

/// Whether a request reads or writes its 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestKind {
    /// Fetches a line.
    Read,
    /// Stores a line. It is done, as far as its sender is concerned, when the controller accepts it.
    Write,
}

/// Where a line is within a sub-channel. Every part counts from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Pseudo-channel; always 0 on an RDIMM.
    pub pseudo_channel: u8,
    /// Logical rank of the pseudo-channel: physical rank times the slices of a stack, plus the slice.
    pub rank: u8,
    /// Bank group of the rank.
    pub group: u8,
    /// Bank of the group.
    pub bank: u8,
    /// Row of the bank.
    pub row: u32,
    /// Line of the row: column address divided by the burst length.
    pub column: u16,
}

/// One line to be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Name of the request; comes back in everything that is said of it.
    pub id: u64,
    /// What is done.
    pub kind: RequestKind,
    /// Where.
    pub location: Location,
    /// Clock at which it reaches the controller.
    pub arrival: u64,
}
