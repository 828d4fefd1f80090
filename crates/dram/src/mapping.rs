//! From physical addresses to channels, banks and rows: mixed radix, so that 12 channels and rows that are no power
//! of two work like any others.

/// A part of a line's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// Memory channel: which module.
    Channel,
    /// Sub-channel of the module.
    SubChannel,
    /// Pseudo-channel of the sub-channel.
    PseudoChannel,
    /// Logical rank.
    Rank,
    /// Bank group.
    Group,
    /// Bank of the group.
    Bank,
    /// Row.
    Row,
    /// Line of the row.
    Column,
}

/// One digit of a line number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    /// What it counts. A field may have several digits; the first one is its lowest.
    pub field: Field,
    /// How many values it has.
    pub radix: u32,
}

/// Digits of a line number (physical address / 64), lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The digits. For every field their radices multiply to what the system has of it.
    pub digits: Vec<Digit>,
    /// Whether bank group and bank are XORed with the low bits of the row, where their numbers are powers of two.
    pub hash: bool,
}
