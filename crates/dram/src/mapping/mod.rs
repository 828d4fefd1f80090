//! From physical addresses to channels, banks and rows: mixed radix, so that 12 channels and rows that are no power
//! of two work like any others. Then every bit of the place may be XORed with others ([`AddressHash`]).
//! [`AddressMapping`] is the description, [`AddressMap`] what reckons with it.

mod address;
mod hash;
mod matrix;
#[cfg(test)]
mod tests;

pub use address::{AddressError, AddressMap, DecodedAddress};
pub use hash::{AddressHash, HashBit, HashRule, HashTextError};

/// A part of a line's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AddressField {
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
    pub field: AddressField,
    /// How many values it has.
    pub radix: u32,
}

/// Digits of a line number (physical address / 64), lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressMapping {
    /// The digits. For every field their radices multiply to what the system has of it.
    pub digits: Vec<Digit>,
    /// What the bits of the place that the digits give are XORed with.
    pub hash: AddressHash,
}

impl AddressField {
    /// Every field.
    pub const ALL: [Self; 8] = [
        Self::Channel,
        Self::SubChannel,
        Self::PseudoChannel,
        Self::Rank,
        Self::Group,
        Self::Bank,
        Self::Row,
        Self::Column,
    ];

    /// As messages spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::SubChannel => "sub-channel",
            Self::PseudoChannel => "pseudo-channel",
            Self::Rank => "rank",
            Self::Group => "bank group",
            Self::Bank => "bank",
            Self::Row => "row",
            Self::Column => "column",
        }
    }

    /// As sheets spell it: one word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Group => "group",
            _ => self.name(),
        }
    }
}
