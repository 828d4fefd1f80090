//! Where a number comes from.

use crate::names::named;

named! {
    /// Where a number comes from. Every figure and every result row carries one.
    pub enum Basis {
        /// Taken from hardware by this program.
        Measured = "measured",
        /// Computed by a model of this program.
        Simulated = "simulated",
        /// A bound that no run can exceed.
        Proven = "proven",
        /// Printed by the maker of the part.
        Datasheet = "datasheet",
        /// Published by others who measured.
        Published = "published",
        /// Chosen so that a model meets a measurement; never a prediction.
        Calibrated = "calibrated",
        /// What parts of its family or kind have, as a range: no source states it of the part itself.
        Estimated = "estimated",
        /// Nothing better is known; the reason stands beside it.
        Assumed = "assumed",
    }
}

impl Basis {
    /// Whether no source states the value of the thing itself: it is estimated or assumed, and has a range.
    #[must_use]
    pub const fn is_unsourced(self) -> bool {
        matches!(self, Self::Estimated | Self::Assumed)
    }
}
