//! The longest times of a chip, from its resolved figures, with the ECC as it is switched now.

use wordline_core::quantity::Time;

use super::Nand;
use crate::bound::longest;

impl Nand {
    /// The pause between two transactions.
    pub(crate) fn rest(&self) -> Time {
        self.spec.deselect
    }

    /// From a page-read command until the page is in the register.
    pub(crate) fn longest_page_read(&self) -> Time {
        self.spec.page_read(self.ecc)
    }

    /// From an execute command until every page is programmed.
    pub(crate) fn longest_page_program(&self) -> Time {
        let time = longest(self.spec.page_program(self.ecc));
        self.longest_aged(time, Time::ZERO).0
    }

    /// From an erase command until every block is erased.
    pub(crate) fn longest_block_erase(&self) -> Time {
        self.longest_aged(Time::ZERO, longest(&self.spec.erase)).1
    }

    /// Whether any page can be moved to any other within the chip.
    pub(crate) fn moves_anywhere(&self) -> bool {
        self.spec.planes == 1 && self.can_move(0, 0)
    }

    /// How long the chip moves a page between its registers in a cache read.
    pub(crate) fn cache_read_move(&self) -> Time {
        self.spec.cache_busy.unwrap_or(Time::ZERO)
    }

    /// The same in a cache program.
    pub(crate) fn cache_program_move(&self) -> Time {
        self.spec.cache_program_busy.unwrap_or(Time::ZERO)
    }

    /// How long it is busy when it keeps a page or block of one plane for later.
    pub(crate) fn plane_move(&self) -> Time {
        self.spec.plane_busy.unwrap_or(Time::ZERO)
    }

    /// Pages that one cache read can go through without a new page read: those of a block, or any
    /// number.
    pub(crate) fn cache_read_reach(&self) -> Option<u64> {
        let pages = u64::from(self.spec.geometry.pages_per_block);
        self.spec.cache_read_sequential.then_some(pages)
    }
}
