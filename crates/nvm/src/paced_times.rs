//! The longest that operations of a flash take, for counts of them.

use wordline_core::BackgroundWork;
use wordline_core::quantity::Time;
use wordline_memory::{EraseMode, Geometry};
use wordline_rtfs::{ERASE_MILLIONTHS, GROUP_PAGES, PacedBound, PacedCounts};

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
    /// What becomes of an erase that is left running.
    pub erase_mode: EraseMode,
    /// Until an erase that is left running stands still, and what its begin or resume takes after that; zero where none
    /// stands still.
    pub suspend: Time,
}

impl PacedTimes {
    pub(crate) fn of(flash: &impl FlashDevice) -> Result<Self, NvmError> {
        Self::of_pages(flash, flash.page_bounds()?)
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
        let page = PageBounds {
            read: sum(read, spare_read)?,
            program: sum(program, flash.program_bound(0, spare, 1)?)?,
            spare_read,
            moved: None,
        };
        Self::of_pages(flash, page)
    }

    /// A resume is a command without an address, and takes no longer than the begin of an erase.
    fn of_pages(flash: &impl FlashDevice, page: PageBounds) -> Result<Self, NvmError> {
        let page = PageBounds {
            // A page of a header takes the place of a step.
            moved: page.moved.map(|moved| moved.later(page.program)),
            ..page
        };
        let bounds = flash.background_bounds(BackgroundWork::Erase)?;
        let erase_mode = flash.erase_mode();
        let suspend = match (erase_mode, bounds.suspend) {
            (EraseMode::Suspends, Some(suspend)) => {
                let again = TimeSpan::from(bounds.begin) + bounds.notice.into();
                (again + suspend.into()).time()?
            }
            _ => Time::ZERO,
        };
        Ok(Self {
            page,
            erase: flash.erase_bound(1)?,
            erase_mode,
            suspend,
        })
    }

    /// Of counted steps, those in which the chip moves a page by itself.
    #[must_use]
    pub fn moves(&self, counts: &PacedCounts) -> u64 {
        self.page.moved.map_or(0, |_| counts.moves())
    }

    /// The longest that counted operations take.
    ///
    /// # Errors
    /// When it exceeds what simulated time can hold.
    pub fn time(&self, counts: &PacedCounts) -> Result<Time, NvmError> {
        self.span(counts).time()
    }

    fn span(&self, counts: &PacedCounts) -> TimeSpan {
        let moves = self.moves(counts);
        let moved = self.page.moved.map_or(TimeSpan::ZERO, TimeSpan::from);
        TimeSpan::from(self.page.spare_read) * counts.spare_reads
            + TimeSpan::from(self.page.read) * (counts.pages_read() - moves)
            + TimeSpan::from(self.page.program) * (counts.pages_programmed() - moves)
            + moved * moves
            + TimeSpan::from(self.erase) * counts.erases
            + TimeSpan::from(self.erase).share(counts.erase_millionths, ERASE_MILLIONTHS)
            + TimeSpan::from(self.suspend) * counts.suspends
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
