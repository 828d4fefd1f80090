//! What the model of ageing says of a part without running it.

use super::kept::{Codewords, Keeping, RetentionOutlook};
use super::oxide::stress_of_cycle;
use super::survival::Survival;
use super::{AgeingSheet, Environment};

/// What becomes of the blocks of a part whose sheet has the table `aging`, all of their pages programmed in each cycle.
#[derive(Clone, Copy, Debug)]
pub struct Outlook<'a> {
    /// The table.
    pub sheet: &'a AgeingSheet,
    /// Cycles that its sheet rates its blocks for.
    pub rated: u64,
    /// Blocks of a chip.
    pub blocks: u32,
    /// Of these, the most that may be bad when it leaves the factory. How many are is any number up to this with equal
    /// chance: an assumption, for sheets state none.
    pub bad_most: u32,
    /// Pages of a block.
    pub pages: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// How an ECC looks at a page; `None` where no bits go wrong in the model.
    pub(crate) codewords: Option<Codewords>,
}

impl Outlook<'_> {
    /// How many blocks survive cycles in an environment.
    #[must_use]
    pub fn survival(&self, environment: &Environment) -> Survival {
        Survival::new(self.sheet, self.pages, self.pages, environment)
    }

    /// What becomes of data that are kept in blocks that were cycled in an environment; `None` where no bits go
    /// wrong in the model.
    #[must_use]
    pub fn kept(&self, environment: &Environment, keeping: &Keeping) -> Option<RetentionOutlook> {
        let (cold, relief) = (&self.sheet.cold_stress, &self.sheet.dwell_relief);
        let stress = stress_of_cycle(*cold.value(), *relief.value(), environment);
        let codewords = self.codewords?;
        Some(RetentionOutlook::new(
            self.sheet, self.rated, codewords, stress, keeping,
        ))
    }
}
