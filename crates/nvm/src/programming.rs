//! The rules of programming that depend on what a block has seen since its erase: for chips, and for the images that a
//! power cut leaves of them.

use wordline_memory::{FlashMisuse, Geometry};

use crate::rules::{Rule, RuleSet};

/// What a program has to respect of the programs since the erase of its block.
#[derive(Clone, Debug)]
pub struct ProgramHistory<F> {
    /// A later page of the block, counted in the memory, that was programmed.
    pub later: Option<u32>,
    /// Programs of the page.
    pub programs: u32,
    /// Finds the first column of the program that lies in a unit which takes one program and has had it.
    pub reprogrammed: F,
}

impl<F: FnOnce() -> Option<u32>> ProgramHistory<F> {
    /// Checks a program of a page: pages in order, programs of a page, and units that take one program.
    ///
    /// # Errors
    /// The rule of the geometry that it breaks.
    pub fn check(self, geometry: &Geometry, page: u32) -> Result<(), FlashMisuse> {
        self.check_rules(geometry, page, RuleSet::ALL)
    }

    /// The same for a model that may have forgotten some of the rules.
    #[inline]
    pub(crate) fn check_rules(
        self,
        geometry: &Geometry,
        page: u32,
        rules: RuleSet,
    ) -> Result<(), FlashMisuse> {
        if geometry.in_order
            && rules.keep(Rule::InOrder)
            && let Some(later) = self.later
        {
            return Err(FlashMisuse::OutOfOrder { page, later });
        }
        if let Some(allowed) = geometry.programs_per_page
            && rules.broken(Rule::ProgramsPerPage, self.programs >= allowed)
        {
            return Err(FlashMisuse::TooManyPrograms { page, allowed });
        }
        if rules.keep(Rule::Once)
            && let Some(column) = (self.reprogrammed)()
        {
            return Err(FlashMisuse::Reprogram { page, column });
        }
        Ok(())
    }
}

/// Whether a program rights a bit of a page that was wrong: a cell that should be erased and reads as 0, and is programmed to
/// 0. `bytes` are what the page should hold before it, and the bit counts as column · 8 + bit.
#[must_use]
pub(crate) fn is_righted(bytes: &[u8], bit: u32, column: u32, data: &[u8]) -> bool {
    let (at, mask) = ((bit / 8) as usize, 1 << (bit % 8));
    let programmed = at.checked_sub(column as usize).and_then(|at| data.get(at));
    bytes[at] & mask != 0 && programmed.is_some_and(|byte| byte & mask == 0)
}

/// Programs bytes: the bits that are 0 in `data` become 0, and none becomes 1.
#[inline]
pub fn clear_bits(bytes: &mut [u8], data: &[u8]) {
    for (old, new) in bytes.iter_mut().zip(data) {
        *old &= new;
    }
}
