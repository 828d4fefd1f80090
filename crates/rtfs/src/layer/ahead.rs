//! Work that is done while the caller has nothing to write.

use wordline_memory::{EraseMode, Flash};

use super::{ERASE_PARTS, PacedLayer, Result};
use crate::error::PacedError;
use crate::shape::GROUP_PAGES;

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    /// Does one piece of work ahead while the caller has nothing to write: a step, or an erase where it may take so long.
    /// Returns whether there was any to do. Writes do the less of it the more was done ahead.
    ///
    /// Where an erase [stands still](EraseMode::Suspends) for other accesses, one part of it is such a piece, of
    /// [`erase_parts`](crate::PacedBound::erase_parts); without time for that it is left running, and no step disturbs it.
    ///
    /// # Errors
    /// When the flash fails.
    pub fn work_ahead(&mut self, may_erase: bool) -> Result<bool, F::Error> {
        if self.worn_out {
            return Ok(false);
        }
        self.check_writable()?;
        if self.erases_in_parts() && self.erased.is_none() && self.free > 0 {
            self.begin_erase()?;
            if may_erase {
                self.advance_erase(ERASE_PARTS.div_ceil(self.bound.erase_parts))?;
            }
            return Ok(may_erase);
        }
        if may_erase && self.erased.is_none() && self.free > 0 {
            self.erase_if_any()?;
            return Ok(true);
        }
        Ok(self.left() > self.left_to_callers() && self.step(true)?)
    }

    /// Begins the erase that is due, and leaves it running: for a caller whose next call writes so many pages, and waits for
    /// what is left of it. Returns whether one was begun: none is where the flash does not leave erases
    /// [running](EraseMode::Runs), nor where that write would do other work before it erases.
    ///
    /// # Errors
    /// When the flash fails.
    pub fn leave_erase(&mut self, pages: u32) -> Result<bool, F::Error> {
        if self.broken {
            return Err(PacedError::NeedsMount);
        }
        let runs = self.pages.flash.erase_mode() == EraseMode::Runs;
        let due = self.erased.is_none() && self.erasing.is_none() && self.free > 0;
        if !runs || !due || self.stores_first(pages) {
            return Ok(false);
        }
        self.begin_erase()?;
        Ok(true)
    }

    /// Pages of the head that work ahead leaves: the header of the next block is the business of a write, and so that no
    /// write has both an erase and a header, those of a group while no block is erased.
    pub(super) fn left_to_callers(&self) -> u32 {
        if !self.is_erase_due() {
            1
        } else {
            GROUP_PAGES as u32
        }
    }
}
