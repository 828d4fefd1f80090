//! The longest times of a chip, from its resolved figures.

use wordline_core::quantity::Time;

use super::{Nor, NorWork};
use crate::bound::longest;

impl Nor {
    /// The longest pause between two transactions.
    pub(crate) fn rest(&self) -> Time {
        self.spec
            .deselect_after_read
            .later(self.spec.deselect_after_write)
    }

    /// The same between a read, or a question for the status, and what comes next.
    pub(crate) fn rest_after_read(&self) -> Time {
        self.spec.deselect_after_read
    }

    /// The longest program of `bytes` bytes of a page, which for a part of it is
    ///
    /// `page · min(first + next · (bytes − 1), nominal) / nominal`
    ///
    /// where the sheet says what the first and each further byte take of the nominal time.
    pub(crate) fn longest_page_program(&self, bytes: u64) -> Time {
        let (page, _) = self.longest_aged(longest(&self.spec.page_program), Time::ZERO);
        let Some(partial) = &self.spec.partial else {
            return page;
        };
        if bytes >= u64::from(self.spec.geometry.page_bytes) || partial.page == 0 {
            return page;
        }
        let nominal = u128::from(partial.page);
        let more = u128::from(partial.next) * u128::from(bytes.saturating_sub(1));
        let share = nominal.min(u128::from(partial.first) + more);
        let ps = u128::from(page.ps()) * share / nominal;
        Time::from_ps(u64::try_from(ps).unwrap_or(page.ps()))
    }

    /// How long resumed work has to run before it is suspended again, and the longest until it stands still then; `None`
    /// for a chip without suspend.
    pub(crate) fn longest_suspend(&self, work: NorWork) -> Option<(Time, Time)> {
        let suspension = self.spec.suspension?;
        Some((suspension.progress(work), suspension.latency(work)))
    }

    /// The opcode that erases a block of the geometry, and the longest that it takes.
    pub(crate) fn longest_block_erase(&self) -> (u8, Time) {
        self.longest_erase(self.spec.geometry.block_bytes())
    }

    /// The opcode that erases so many bytes, and the longest that it takes.
    pub(crate) fn longest_erase(&self, bytes: u64) -> (u8, Time) {
        let mut sizes = self.spec.erases.iter();
        sizes
            .find(|size| size.bytes == bytes)
            .map_or((0, Time::ZERO), |size| {
                let (_, time) = self.longest_aged(Time::ZERO, longest(&size.duration));
                (size.code, time)
            })
    }
}
