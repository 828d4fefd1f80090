//! What a call can cost at most, counted in operations of the flash.

use core::ops::{Add, Mul};

use wordline_memory::{EraseMode, Geometry};

use crate::error::PacedUnsuitable;
use crate::shape::{FREE_BLOCKS, GROUP_PAGES, MOUNT_PAGES, PacedConfig, PacedShape};

/// Operations of the flash, by count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacedCounts {
    /// Reads of a spare area alone.
    pub spare_reads: u64,
    /// Pages read, those of the steps excluded.
    pub reads: u64,
    /// Pages programmed, those of the steps excluded.
    pub programs: u64,
    /// Steps: a page read and programmed each.
    pub steps: u64,
    /// Of the steps, those that may store a page of the map. The others move a page, which a flash may do by itself.
    pub stores: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Parts of erases that go on while other blocks are used, in millionths of an erase.
    pub erase_millionths: u64,
    /// Times that an erase stands still for other operations, and goes on after them or is begun.
    pub suspends: u64,
}

/// An erase, in the unit of [`PacedCounts::erase_millionths`].
pub const ERASE_MILLIONTHS: u64 = 1_000_000;

impl PacedCounts {
    /// Pages read, those of the steps included.
    #[must_use]
    pub const fn pages_read(&self) -> u64 {
        self.reads + self.steps
    }

    /// Steps that move a page. A page of a header may take the place of one: where moves do not pass the bus, count the longer
    /// of a move and a program.
    #[must_use]
    pub const fn moves(&self) -> u64 {
        self.steps - self.stores
    }

    /// Pages programmed, those of the steps included.
    #[must_use]
    pub const fn pages_programmed(&self) -> u64 {
        self.programs + self.steps
    }
}

impl Add for PacedCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            spare_reads: self.spare_reads + other.spare_reads,
            reads: self.reads + other.reads,
            programs: self.programs + other.programs,
            steps: self.steps + other.steps,
            stores: self.stores + other.stores,
            erases: self.erases + other.erases,
            erase_millionths: self.erase_millionths + other.erase_millionths,
            suspends: self.suspends + other.suspends,
        }
    }
}

impl Mul<u64> for PacedCounts {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self {
            spare_reads: self.spare_reads * times,
            reads: self.reads * times,
            programs: self.programs * times,
            steps: self.steps * times,
            stores: self.stores * times,
            erases: self.erases * times,
            erase_millionths: self.erase_millionths * times,
            suspends: self.suspends * times,
        }
    }
}

/// What calls cost at most, by count. `DESIGN.md` derives each term.
///
/// A call that writes p pages programs them, and does one erase in place of the steps for two of its pages where an
/// erase is due, and `steps_per_page` steps for each of the others. A step is a page read and programmed, or a page
/// programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedBound {
    /// Blocks of the flash, bad ones included.
    pub blocks: u32,
    /// Pages that a block takes behind its header.
    pub data_pages: u32,
    /// Pages of a block's header.
    pub header_pages: u32,
    /// Pages of the map.
    pub map_pages: u32,
    /// Live pages that the emptiest block has at most: the mean of all that are in use.
    pub victim_pages: u32,
    /// Map pages stored while one block is filled.
    pub stores: u32,
    /// Changes that a store of a page of the map takes out of the log, at least.
    pub retired: u32,
    /// Pages that the caller writes while one block is filled.
    pub user_pages: u32,
    /// Steps for each page that the caller writes.
    pub steps_per_page: u32,
    /// Parts in which a block is erased, one for each page that the caller writes meanwhile; 1 where it is erased as a whole.
    pub erase_parts: u32,
    /// RAM that the caller gives, in bytes.
    pub ram_bytes: usize,
}

impl PacedConfig {
    /// What calls cost at most.
    ///
    /// # Errors
    /// [`PacedUnsuitable`] where the capacity leaves too little room: it names the most that works.
    pub fn bound(&self, geometry: &Geometry) -> Result<PacedBound, PacedUnsuitable> {
        PacedShape::new(geometry, self)?.bound()
    }

    /// The most logical pages for which a page costs at most so many steps, with the other figures as they are; `None`
    /// where no capacity has so low a bound.
    #[must_use]
    pub fn largest(&self, geometry: &Geometry, steps_per_page: u32) -> Option<u32> {
        let config = |logical_pages| Self {
            logical_pages,
            ..*self
        };
        largest_of(geometry, steps_per_page, config)
    }

    /// The same with the [usual](Self::usual) log of each capacity.
    #[must_use]
    pub fn largest_usual(geometry: &Geometry, bad_blocks: u32, steps_per_page: u32) -> Option<u32> {
        let config = |logical_pages| Self::usual(geometry, logical_pages, bad_blocks);
        largest_of(geometry, steps_per_page, config)
    }
}

/// The most logical pages whose layer costs at most so many steps a page.
fn largest_of(
    geometry: &Geometry,
    steps_per_page: u32,
    config: impl Fn(u32) -> PacedConfig,
) -> Option<u32> {
    let suits = |logical_pages: u32| {
        let shape = PacedShape::new(geometry, &config(logical_pages)).ok();
        let bound = shape.and_then(|shape| shape.counts());
        bound.is_some_and(|bound| bound.steps_per_page <= steps_per_page)
    };
    let (mut good, mut bad) = (0, u32::try_from(geometry.pages()).ok()?.saturating_add(1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if suits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    (good > 0).then_some(good)
}

impl PacedBound {
    /// The same where erases are left running in a way.
    #[must_use]
    pub const fn with_erases(self, mode: EraseMode) -> Self {
        let erase_parts = match mode {
            EraseMode::Awaited | EraseMode::Runs => 1,
            EraseMode::Suspends => self.user_pages,
        };
        Self {
            erase_parts,
            ..self
        }
    }

    /// The parts of an erase that so many pages pay, in millionths of it; 0 where it is erased as a whole.
    const fn millionths(&self, pages: u64) -> u64 {
        match self.erase_parts {
            0 | 1 => 0,
            parts => pages * ERASE_MILLIONTHS.div_ceil(parts as u64),
        }
    }

    /// Times that an erase stands still in calls that open so many blocks.
    const fn suspends(&self, calls: u64, opened: u64) -> u64 {
        match self.erase_parts {
            0 | 1 => 0,
            _ => calls + opened,
        }
    }

    /// Steps that store a page of the map, of so many steps in calls that program so many pages besides.
    ///
    /// When a call begins, the log is at most a group beyond its threshold. A page that is programmed is a change or a
    /// store, and the last of S stores is due when (S − 1) · retired of all these were made good: (S − 1) · retired ≤ group +
    /// programs + steps − S.
    const fn stores_of(&self, programs: u64, steps: u64) -> u64 {
        let retired = self.retired as u64;
        // A caller in C may hand over a bound that no configuration has.
        let others = GROUP_PAGES as u64 + programs + retired;
        let most = steps.saturating_add(others) / (retired + 1);
        if most < steps { most } else { steps }
    }

    /// The same counts with the [stores](PacedCounts::stores) of their steps.
    const fn with_stores(&self, counts: PacedCounts) -> PacedCounts {
        PacedCounts {
            stores: self.stores_of(counts.programs, counts.steps),
            ..counts
        }
    }

    /// Steps while one block is filled: its victim is emptied, and the map is stored.
    #[must_use]
    pub const fn block_steps(&self) -> u64 {
        self.victim_pages as u64 + self.stores as u64
    }

    /// What a read of so many whole pages costs at most: a page of the map, and the page itself.
    #[must_use]
    pub const fn read_counts(&self, pages: u64) -> PacedCounts {
        PacedCounts {
            reads: 2 * pages,
            suspends: self.suspends(1, 0),
            ..NOTHING
        }
    }

    /// What a call that writes a group of so many pages costs at most: one of these, whichever takes longer. The first has
    /// steps for each of its pages, the second an erase in place of those of two pages. The header of a block takes the
    /// place of steps of the page that opens it. Where an erase goes on in parts, both are the same: each page pays its part.
    #[must_use]
    pub const fn write_counts(&self, pages: u64) -> [PacedCounts; 2] {
        let steps = self.steps_per_page as u64;
        let paced = self.with_stores(PacedCounts {
            programs: pages,
            steps: steps * pages,
            erase_millionths: self.millionths(pages),
            suspends: self.suspends(1, 1),
            ..NOTHING
        });
        if self.erase_parts > 1 {
            return [paced; 2];
        }
        let erasing = self.with_stores(PacedCounts {
            steps: steps * pages.saturating_sub(UNPAID_PAGES as u64),
            erases: 1,
            ..paced
        });
        [paced, erasing]
    }

    /// What a discard costs at most: as much as a write of one page, and a page of the map read. When the change log is
    /// full, it stores a page of the map in the place of the caller's.
    #[must_use]
    pub const fn discard_counts(&self) -> [PacedCounts; 2] {
        let [paced, erasing] = self.write_counts(1);
        [
            PacedCounts { reads: 2, ..paced },
            PacedCounts {
                reads: 2,
                ..erasing
            },
        ]
    }

    /// What filling one block costs at most, for [`user_pages`](Self::user_pages) of the caller in calls of so many pages:
    /// the steady state of the worst case.
    #[must_use]
    pub const fn block_counts(&self, pages: u64) -> PacedCounts {
        PacedCounts {
            programs: self.user_pages as u64 + self.header_pages as u64,
            steps: self.block_steps(),
            stores: self.stores as u64,
            erases: 1,
            suspends: self.suspends((self.user_pages as u64).div_ceil(pages), 1),
            ..NOTHING
        }
    }

    /// What so many calls in a row cost at most, each of which writes so many pages: the counts with the greatest `cost`.
    ///
    /// With k blocks opened in the run, k − 1 of them are filled in it. Each takes at least [`user_pages`](Self::user_pages)
    /// of the caller, at most [`block_steps`](Self::block_steps), and the erase of the block that follows it. The pages that
    /// remain lie in the block where the run begins and in the one where it ends. They pay for themselves, and these two
    /// blocks ask for no more than the steps of two. Each may have an erase, in place of the steps of some pages; one of
    /// these pages may be the first of the next block. Where an erase goes on in parts, each page pays one.
    #[must_use]
    pub fn longest_run<C: Ord>(
        &self,
        calls: u64,
        pages: u64,
        cost: impl Fn(&PacedCounts) -> C,
    ) -> PacedCounts {
        let (all, full) = (calls * pages, u64::from(self.user_pages));
        let unpaid = pages.min(UNPAID_PAGES.into());
        let run = |opened: u64, erases: u64| {
            let filled = opened.saturating_sub(1);
            let apart = (unpaid * erases).saturating_sub(1);
            let paying = (all - filled * full).saturating_sub(apart);
            let most = self.block_steps() * 2.min(1 + opened);
            let parts = self
                .millionths(paying)
                .min(ERASE_MILLIONTHS * 2.min(1 + opened));
            self.with_stores(PacedCounts {
                programs: all + opened * u64::from(self.header_pages),
                steps: filled * self.block_steps()
                    + most.min(paying * u64::from(self.steps_per_page)),
                erases: filled + erases,
                erase_millionths: if self.erase_parts > 1 { parts } else { 0 },
                suspends: self.suspends(calls, opened),
                ..NOTHING
            })
        };
        let apart_most = if self.erase_parts > 1 { 0 } else { 2 };
        let mut longest = NOTHING;
        if all == 0 {
            return longest;
        }
        for opened in 0..=all.div_ceil(full) {
            for erases in 0..=apart_most.min(1 + opened) {
                let next = run(opened, erases);
                if cost(&next) > cost(&longest) {
                    longest = next;
                }
            }
        }
        longest
    }

    /// What a mount after a power cut costs at most, where no mount before was cut as well and no page has decayed.
    ///
    /// It reads the spare area of each block's first page, a whole one of them or two, and the headers of two blocks: that
    /// of the newest may be torn. Then it goes through the pages of the block before, twice where a mount was the last that
    /// wrote to it. The last group is programmed again to a block of its own, and again behind a new header where one of its
    /// pages is torn. The map is read before and after that. As many steps as a block has pages free one again,
    /// and a last page says that the mount ended.
    #[must_use]
    pub const fn mount_counts(&self) -> PacedCounts {
        let (header, data) = (self.header_pages as u64, self.data_pages as u64);
        PacedCounts {
            spare_reads: self.blocks as u64,
            reads: (CANDIDATES + 1) * header
                + CANDIDATES
                + 2 * data
                + 3 * self.map_pages as u64
                + GROUP_PAGES as u64,
            programs: OPENINGS * header + GROUP_PAGES as u64 + 1,
            steps: data,
            stores: data,
            // Where erases go on in parts, the next one is done as well.
            erases: if self.erase_parts > 1 {
                OPENINGS + 1
            } else {
                OPENINGS
            },
            ..NOTHING
        }
    }
}

/// Blocks whose header a mount reads: one that was begun, and the one before.
const CANDIDATES: u64 = 2;

/// Blocks that a mount opens: one, and another where a page of the last group is torn.
const OPENINGS: u64 = 2;

/// No operation.
const NOTHING: PacedCounts = PacedCounts {
    spare_reads: 0,
    reads: 0,
    programs: 0,
    steps: 0,
    stores: 0,
    erases: 0,
    erase_millionths: 0,
    suspends: 0,
};

impl PacedShape {
    /// Blocks among which the emptiest is chosen: neither the head, nor free, nor that in which a group was begun.
    fn candidates(&self) -> u64 {
        let good = self.geometry.blocks - self.config.bad_blocks;
        u64::from(good.saturating_sub(2 + FREE_BLOCKS))
    }

    /// Pages that can be live at once, those included that are known as dead when their map page is stored.
    fn live_pages(&self) -> u64 {
        u64::from(self.config.logical_pages)
            + u64::from(self.config.log_entries)
            + u64::from(self.map_pages)
    }

    pub(crate) fn bound(&self) -> Result<PacedBound, PacedUnsuitable> {
        self.counts().ok_or_else(|| PacedUnsuitable {
            what: "logical pages",
            found: self.config.logical_pages.into(),
            least: 1,
            most: self
                .config
                .largest(&self.geometry, u32::MAX)
                .map_or(0, u64::from),
        })
    }

    /// The bound; `None` where the capacity leaves too little room.
    fn counts(&self) -> Option<PacedBound> {
        let victim_pages = self.live_pages().checked_div(self.candidates())?;
        let victim_pages = u32::try_from(victim_pages).ok()?;
        // The log may be at its threshold when the block is opened.
        let stores = self.stores(self.data_pages, 0);
        let work = victim_pages.checked_add(stores)?;
        let user_pages = self.data_pages.checked_sub(work)?;
        // The first page pays the header, and those of the call with the erase pay nothing.
        let paying = user_pages.checked_sub(1 + UNPAID_PAGES)?;
        // A mount frees a block before its own is full.
        if user_pages < MOUNT_PAGES {
            return None;
        }
        Some(PacedBound {
            blocks: self.geometry.blocks,
            data_pages: self.data_pages,
            header_pages: self.header_pages,
            map_pages: self.map_pages,
            victim_pages,
            stores,
            retired: self.retired_in_call(),
            user_pages,
            steps_per_page: work.div_ceil(paying).max(self.header_pages),
            erase_parts: 1,
            ram_bytes: self.places().bytes,
        })
    }
}

/// Pages of a call whose steps an erase takes the place of.
pub(crate) const UNPAID_PAGES: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 Gb of SLC NAND.
    const NAND: Geometry = Geometry {
        page_bytes: 2048,
        spare_bytes: 128,
        pages_per_block: 64,
        blocks: 1024,
        program_bytes: 1,
        programs_per_page: Some(4),
        once_bytes: Some(512),
        in_order: true,
    };

    /// The bound of it with 20 bad blocks, 70 % of it for data.
    fn bound() -> PacedBound {
        let geometry = NAND;
        let config = PacedConfig::usual(&geometry, 45_875, 20);
        config.bound(&geometry).expect("it suits")
    }

    fn programs_and_erases(counts: &PacedCounts) -> u64 {
        3 * counts.pages_programmed() + counts.pages_read() + 20 * counts.erases
    }

    #[test]
    fn a_write_erases_or_steps() {
        let bound = bound();
        let steps = u64::from(bound.steps_per_page);
        let [paced, erasing] = bound.write_counts(2);
        assert_eq!(
            (paced.programs, paced.steps, paced.erases),
            (2, 2 * steps, 0)
        );
        assert_eq!((erasing.programs, erasing.steps, erasing.erases), (2, 0, 1));
        assert_eq!(bound.write_counts(5)[1].steps, 3 * steps);
        assert_eq!(bound.write_counts(1)[1].steps, 0);
    }

    #[test]
    fn a_long_run_grows_by_a_block_at_a_time() {
        let bound = bound();
        let block = programs_and_erases(&bound.block_counts(1));
        let cost = |calls| programs_and_erases(&bound.longest_run(calls, 1, programs_and_erases));
        assert_eq!(cost(0), 0);
        for calls in 200..240 {
            let more = calls + u64::from(bound.user_pages);
            assert_eq!(cost(more), cost(calls) + block, "{calls} calls");
        }
        assert!((1..240).all(|calls| cost(calls) < cost(calls + 1)));
    }

    #[test]
    fn the_pages_of_a_short_run_pay_for_themselves() {
        let bound = bound();
        let most_steps = bound.longest_run(3, 2, |counts| counts.steps);
        assert_eq!(most_steps.steps, 6 * u64::from(bound.steps_per_page));
        let most_erases = bound.longest_run(3, 2, |counts| counts.erases);
        assert_eq!(most_erases.erases, 2);
        assert!(most_erases.steps < most_steps.steps);
    }

    #[test]
    fn the_largest_capacity_of_the_usual_log_is_the_last_that_suits() {
        let geometry = NAND;
        let steps = |pages| {
            let bound = PacedConfig::usual(&geometry, pages, 20).bound(&geometry);
            bound.map(|bound| bound.steps_per_page)
        };
        let most = PacedConfig::largest_usual(&geometry, 20, 5).expect("there is one");
        assert_eq!(steps(most), Ok(5));
        assert!(steps(most + 1).is_ok_and(|steps| steps > 5));
        let most = PacedConfig::largest_usual(&geometry, 20, u32::MAX).expect("there is one");
        assert!(steps(most).is_ok() && steps(most + 1).is_err());
    }
}
