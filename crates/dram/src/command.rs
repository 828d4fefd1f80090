//! What goes over the command bus.

use crate::request::Location;

/// A DRAM command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Command {
    /// Opens a row of a bank.
    Act,
    /// Reads a burst.
    Rd,
    /// Reads a burst and closes the row.
    Rda,
    /// Writes a burst.
    Wr,
    /// Writes a burst and closes the row.
    Wra,
    /// Closes a bank.
    PrePb,
    /// Closes a set of banks: of DDR5 the bank of one index in every bank group.
    PreSb,
    /// Closes every bank of a rank.
    PreAb,
    /// Refreshes every bank of a rank.
    RefAb,
    /// Refreshes a set of banks.
    RefSb,
    /// Power-down entry of a rank.
    Pde,
    /// Power-down exit of a rank.
    Pdx,
    /// Refresh management of every bank of a rank.
    RfmAb,
    /// Refresh management of a set of banks.
    RfmSb,
}

impl Command {
    /// Every command.
    pub const ALL: [Self; 14] = [
        Self::Act,
        Self::Rd,
        Self::Rda,
        Self::Wr,
        Self::Wra,
        Self::PrePb,
        Self::PreSb,
        Self::PreAb,
        Self::RefAb,
        Self::RefSb,
        Self::Pde,
        Self::Pdx,
        Self::RfmAb,
        Self::RfmSb,
    ];

    /// As command traces spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Act => "ACT",
            Self::Rd => "RD",
            Self::Rda => "RDA",
            Self::Wr => "WR",
            Self::Wra => "WRA",
            Self::PrePb => "PREpb",
            Self::PreSb => "PREsb",
            Self::PreAb => "PREab",
            Self::RefAb => "REFab",
            Self::RefSb => "REFsb",
            Self::Pde => "PDE",
            Self::Pdx => "PDX",
            Self::RfmAb => "RFMab",
            Self::RfmSb => "RFMsb",
        }
    }

    /// Whether it moves data: RD, RDA, WR or WRA.
    #[must_use]
    pub const fn is_column(self) -> bool {
        matches!(self, Self::Rd | Self::Rda | Self::Wr | Self::Wra)
    }
}

/// A command with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issued {
    /// First clock of the command on the bus.
    pub at: u64,
    /// The command.
    pub command: Command,
    /// What it is for. Parts that the command does not carry are 0: the row of all but ACT, RD and WR (which repeat
    /// the open row), the column of all but RD and WR, the group of PREsb and REFsb, group and bank of those for a
    /// whole rank.
    pub location: Location,
    /// The request that an ACT, RD, WR or PREpb serves; none where the controller closes or refreshes by itself.
    pub request: Option<u64>,
}
