//! The longest that operations of a flash take, for counts of them.

use wordline_core::quantity::Time;
use wordline_memory::Geometry;
use wordline_rtfs::{GROUP_PAGES, PacedBound, PacedCounts};

use crate::bound::TimeSpan;
use crate::device::{FlashDevice, PageBounds};
use crate::error::NvmError;

/// The longest that operations of a flash take: with them a count of operations is a proven duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedTimes {
    /// Of a page with its spare area.
    pub page: PageBounds,
    /// The erase of a block.
    pub erase: Time,
}

impl PacedTimes {
    pub(crate) fn of(flash: &impl FlashDevice) -> Result<Self, NvmError> {
        Ok(Self {
            page: flash.page_bounds()?,
            erase: flash.erase_bound(1)?,
        })
    }

    /// Those of a NOR flash that is used in larger pages, of a geometry: each page of the chip is an operation of its own,
    /// and so is the spare area.
    pub(crate) fn of_nor(flash: &impl FlashDevice, geometry: &Geometry) -> Result<Self, NvmError> {
        let of_chip = u64::from(flash.geometry().page_bytes);
        let parts = u64::from(geometry.page_bytes) / of_chip;
        let sum = |page: Time, spare: Time| {
            let page = TimeSpan::from(page) * parts;
            (page + spare.into()).time()
        };
        let spare = u64::from(geometry.spare_bytes);
        let spare_read = flash.read_bound(0, spare, 1)?;
        let (read, program) = (
            flash.read_bound(0, of_chip, 1)?,
            flash.program_bound(0, of_chip, 1)?,
        );
        Ok(Self {
            page: PageBounds {
                read: sum(read, spare_read)?,
                program: sum(program, flash.program_bound(0, spare, 1)?)?,
                spare_read,
            },
            erase: flash.erase_bound(1)?,
        })
    }

    /// The longest that counted operations take.
    ///
    /// # Errors
    /// When it exceeds what simulated time can hold.
    pub fn time(&self, counts: &PacedCounts) -> Result<Time, NvmError> {
        self.span(counts).time()
    }

    fn span(&self, counts: &PacedCounts) -> TimeSpan {
        TimeSpan::from(self.page.spare_read) * counts.spare_reads
            + TimeSpan::from(self.page.read) * counts.pages_read()
            + TimeSpan::from(self.page.program) * counts.pages_programmed()
            + TimeSpan::from(self.erase) * counts.erases
    }

    /// The longest of some counts.
    #[must_use]
    pub fn longest(&self, of: impl IntoIterator<Item = PacedCounts>) -> PacedCounts {
        let longest = of.into_iter().max_by_key(|counts| self.span(counts));
        longest.unwrap_or_default()
    }

    /// The longest write of so many whole pages, in groups of as many as a group may have.
    #[must_use]
    pub fn longest_write(&self, bound: &PacedBound, pages: u64) -> PacedCounts {
        let most = GROUP_PAGES as u64;
        let group = |pages| match pages {
            0 => PacedCounts::default(),
            pages => self.longest(bound.write_counts(pages)),
        };
        group(most) * (pages / most) + group(pages % most)
    }

    /// The longest total of so many calls in a row, each of which writes so many pages.
    #[must_use]
    pub fn longest_run(&self, bound: &PacedBound, calls: u64, pages: u64) -> PacedCounts {
        bound.longest_run(calls, pages, |counts| self.span(counts))
    }
}
