//! How flash ages: oxide that wears, latency that follows, blocks that fail, bits that go wrong.
//!
//! `Oxide` is what a sheet says of a chip, in numbers; `OxideWear` is the state of one block. Both are
//! pure: what happens in a block follows from the seed, the chip, the block and what was done to it.
//! `AGEING.md` says why it is as it is. The models of the chips call it where they program, erase and
//! read, and only once ageing is switched on.

pub mod health;

mod errors;
mod kept;
mod outlook;
mod oxide;
mod sheet;
mod skip;
mod survival;
mod worn;

#[cfg(test)]
mod tests;

use wordline_core::quantity::{Period, Quantity as _};

pub(crate) use errors::{Disturbed, Retention, RetentionClock};
pub(crate) use kept::Codewords;
pub use kept::{Keeping, RetentionOutlook};
pub use outlook::Outlook;
pub(crate) use oxide::{Oxide, Stress};
pub use oxide::{early_shares, late_shares};
pub use sheet::AgeingSheet;
pub use skip::{Cycle, SkipAhead, cycle_block};
pub use survival::Survival;
pub(crate) use worn::OxideWear;

/// Under what a chip ages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Environment {
    /// Temperature of the chip, in degrees Celsius; −40 to 125.
    pub celsius: f64,
    /// Time that a programmed block keeps its charge before it is erased, beyond what the commands take. It changes the
    /// stress of a cycle and passes on no clock.
    pub dwell: Period,
}

impl Default for Environment {
    /// 25 °C, erased at once: what the figures of a sheet are stated for.
    fn default() -> Self {
        Self {
            celsius: 25.0,
            dwell: Period::from_si(0.0),
        }
    }
}

impl Environment {
    /// Checks that the model reaches it.
    ///
    /// # Errors
    /// When the temperature or the dwell lies outside it.
    pub fn check(&self) -> Result<(), AgeingError> {
        if !(-40.0..=125.0).contains(&self.celsius) {
            return Err(AgeingError::Temperature(self.celsius));
        }
        if !self.dwell.si().is_finite() {
            return Err(AgeingError::Dwell(self.dwell.si()));
        }
        Ok(())
    }
}

/// Why a chip does not age as it was asked to.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AgeingError {
    /// The sheet lacks what ageing needs.
    #[error(
        "its sheet has no table aging, without which no wear can be simulated; it needs {}",
        AgeingSheet::FIGURES.join(", ")
    )]
    NoFigures,
    /// A temperature that no chip is made for.
    #[error("a temperature of {0} degrees Celsius; allowed: -40 to 125")]
    Temperature(f64),
    /// A dwell without end.
    #[error("a dwell of {0} s; allowed: finite ones")]
    Dwell(f64),
}
