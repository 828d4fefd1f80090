//! The blocks: what each page holds, which blocks are free, and how worn each is.

use std::collections::{BTreeMap, BTreeSet};

use super::buckets::Buckets;
use super::config::NextBlock;
use super::media::{CellMode, Shape};
use super::table::ForkedTable;

/// No page, no block, no logical page.
pub(super) const NONE: u32 = u32::MAX;

/// What a block is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockState {
    Free,
    Open,
    Closed,
    /// A program failed in it: its pages are to be moved, and it is to be retired.
    Failing,
    Bad,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BlockUse {
    pub(super) state: BlockState,
    pub(super) mode: CellMode,
    /// Pages that hold the newest version of a logical page.
    pub(super) live: u32,
    pub(super) erases: u32,
    /// How long the last erase took, in microseconds; 0 before the first.
    pub(super) erase_us: u32,
    /// Sequence number of the last program.
    pub(super) written: u64,
    /// Sequence number of the last program that made one of its pages dead.
    pub(super) died: u64,
    /// It is free and was erased ahead, to be programmed without another erase.
    pub(super) blank: bool,
    /// Order in which it became free.
    freed: u64,
}

/// Where a free block stands among the others: the least comes first.
const fn rank(next: NextBlock, block: &BlockUse) -> u32 {
    match next {
        NextBlock::Oldest => 0,
        NextBlock::FewestErases => block.erases,
        NextBlock::QuickestErase => block.erase_us,
        NextBlock::MostErases => u32::MAX - block.erases,
    }
}

/// Where every logical page is, and what every block holds.
#[derive(Clone, Debug)]
pub(super) struct BlockSpace {
    pub(super) shape: Shape,
    pub(super) blocks: Vec<BlockUse>,
    /// Blocks that may be cleaned.
    pub(super) closed: Buckets,
    /// Page of each logical page.
    place_of: ForkedTable,
    /// Logical page that each page was last programmed with: its newest version only where that is [placed](Self::place)
    /// here.
    holds: ForkedTable,
    /// Free blocks: what decides which is next, order in which they became free, number.
    free: BTreeSet<(u32, u64, u32)>,
    next: NextBlock,
    freed: u64,
    pub(super) bad: u32,
    /// Blocks that are used with one bit a cell.
    pub(super) slc: u32,
    /// Good blocks for each number of erases.
    wear: BTreeMap<u32, u32>,
}

impl BlockSpace {
    /// Blocks that are all free.
    pub(super) fn new(shape: Shape, logical: u32, next: NextBlock) -> Self {
        let block = BlockUse {
            state: BlockState::Free,
            mode: CellMode::Native,
            live: 0,
            erases: 0,
            erase_us: 0,
            written: 0,
            died: 0,
            blank: false,
            freed: 0,
        };
        Self {
            shape,
            blocks: vec![block; shape.blocks as usize],
            closed: Buckets::new(shape.blocks, shape.pages_per_block),
            place_of: ForkedTable::new(logical as usize),
            holds: ForkedTable::new((shape.blocks * shape.pages_per_block) as usize),
            free: (0..shape.blocks)
                .map(|number| (rank(next, &block), 0, number))
                .collect(),
            next,
            freed: 0,
            bad: 0,
            slc: 0,
            wear: BTreeMap::from([(0, shape.blocks)]),
        }
    }

    /// Pages of a block that hold data.
    pub(super) fn capacity(&self, mode: CellMode) -> u32 {
        let pages = match mode {
            CellMode::Native => self.shape.pages_per_block,
            CellMode::Slc => self.shape.slc_pages_per_block,
        };
        pages - self.shape.summary_pages
    }

    pub(super) fn page(&self, block: u32, index: u32) -> u32 {
        block * self.shape.pages_per_block + index
    }

    pub(super) fn block(&self, block: u32) -> &BlockUse {
        &self.blocks[block as usize]
    }

    pub(super) fn block_mut(&mut self, block: u32) -> &mut BlockUse {
        &mut self.blocks[block as usize]
    }

    pub(super) fn place(&self, logical: u32) -> Option<u32> {
        let place = self.place_of.get(logical);
        (place != NONE).then_some(place)
    }

    /// The logical page that a page holds the newest version of.
    pub(super) fn live_in(&self, page: u32) -> Option<u32> {
        let logical = self.holds.get(page);
        (logical != NONE && self.place_of.get(logical) == page).then_some(logical)
    }

    /// A logical page is now in a page, or nowhere, since a program with this sequence number.
    pub(super) fn put(&mut self, logical: u32, page: Option<u32>, sequence: u64) {
        let new = page.unwrap_or(NONE);
        let old = self.place_of.replace(logical, new);
        if old != NONE {
            let number = old / self.shape.pages_per_block;
            self.change(number, sequence);
        }
        if new != NONE {
            self.holds.replace(new, logical);
            let number = new / self.shape.pages_per_block;
            self.block_mut(number).live += 1;
        }
    }

    /// One page of a block died.
    fn change(&mut self, number: u32, sequence: u64) {
        let block = &mut self.blocks[number as usize];
        block.live -= 1;
        block.died = sequence;
        let live = block.live;
        if self.closed.remove(number) {
            self.closed.add(number, live);
        }
    }

    /// Logical pages that are somewhere.
    pub(super) fn live_pages(&self) -> u32 {
        self.blocks.iter().map(|block| block.live).sum()
    }

    pub(super) fn free_blocks(&self) -> u32 {
        self.free.len() as u32
    }

    /// Free blocks, the first to take first.
    pub(super) fn free(&self) -> impl DoubleEndedIterator<Item = u32> {
        self.free.iter().map(|(_, _, block)| *block)
    }

    /// A block without live pages is free.
    pub(super) fn release(&mut self, number: u32) {
        self.closed.remove(number);
        self.set_mode(number, CellMode::Native);
        self.freed += 1;
        self.block_mut(number).freed = self.freed;
        self.block_mut(number).state = BlockState::Free;
        self.free.insert(self.free_key(number));
    }

    /// A block without live pages is not to be erased yet.
    pub(super) fn hold(&mut self, number: u32) {
        self.closed.remove(number);
        self.block_mut(number).state = BlockState::Closed;
    }

    /// A free block is no longer so.
    pub(super) fn take(&mut self, number: u32) {
        self.free.remove(&self.free_key(number));
    }

    fn free_key(&self, number: u32) -> (u32, u64, u32) {
        let block = self.block(number);
        (rank(self.next, block), block.freed, number)
    }

    pub(super) fn set_mode(&mut self, number: u32, mode: CellMode) {
        let before = std::mem::replace(&mut self.block_mut(number).mode, mode);
        self.slc -= u32::from(before == CellMode::Slc);
        self.slc += u32::from(mode == CellMode::Slc);
    }

    /// A block is bad from now on; it is not among the free ones.
    pub(super) fn condemn(&mut self, number: u32) {
        self.closed.remove(number);
        self.set_mode(number, CellMode::Native);
        self.bad += 1;
        self.block_mut(number).state = BlockState::Bad;
        let erases = self.block(number).erases;
        self.uncount(erases);
    }

    /// A block that is not among the free ones was erased once more, in so many picoseconds.
    pub(super) fn erased(&mut self, number: u32, took_ps: u64) {
        let block = self.block_mut(number);
        block.erase_us = u32::try_from(took_ps / 1_000_000).unwrap_or(u32::MAX);
        let before = block.erases;
        block.erases = before.saturating_add(1);
        let after = block.erases;
        self.uncount(before);
        *self.wear.entry(after).or_default() += 1;
    }

    /// The erases of a block are known from before.
    pub(super) fn set_erases(&mut self, number: u32, erases: u32) {
        let before = std::mem::replace(&mut self.block_mut(number).erases, erases);
        self.uncount(before);
        *self.wear.entry(erases).or_default() += 1;
    }

    fn uncount(&mut self, erases: u32) {
        if let Some(count) = self.wear.get_mut(&erases) {
            *count -= 1;
            if *count == 0 {
                self.wear.remove(&erases);
            }
        }
    }

    /// Fewest and most erases of a good block.
    pub(super) fn wear_range(&self) -> (u32, u32) {
        let least = self.wear.first_key_value().map_or(0, |(erases, _)| *erases);
        let most = self.wear.last_key_value().map_or(0, |(erases, _)| *erases);
        (least, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Free blocks in the order in which they would be taken, after erases of some took so many microseconds.
    fn order(next: NextBlock, erases: &[(u32, u64)]) -> Vec<u32> {
        let shape = Shape {
            blocks: 4,
            pages_per_block: 8,
            slc_pages_per_block: 8,
            summary_pages: 1,
        };
        let mut space = BlockSpace::new(shape, 8, next);
        for &(block, took_us) in erases {
            space.take(block);
            space.erased(block, took_us * 1_000_000);
            space.release(block);
        }
        let order = space.free().collect();
        // Whatever decides, a block is found again under the place that it has.
        (0..4).for_each(|block| space.take(block));
        assert_eq!(space.free_blocks(), 0);
        order
    }

    #[test]
    fn each_policy_takes_its_block_first() {
        let erases = [(0, 900), (1, 700), (0, 900), (2, 2000), (3, 800)];
        assert_eq!(order(NextBlock::Oldest, &erases), [1, 0, 2, 3]);
        assert_eq!(order(NextBlock::FewestErases, &erases), [1, 2, 3, 0]);
        assert_eq!(order(NextBlock::QuickestErase, &erases), [1, 3, 0, 2]);
        assert_eq!(order(NextBlock::MostErases, &erases), [0, 1, 2, 3]);
    }

    #[test]
    fn a_block_that_was_never_erased_is_the_youngest_by_any_measure_of_wear() {
        let erases = [(0, 1), (1, 5), (2, 3)];
        assert_eq!(order(NextBlock::FewestErases, &erases)[0], 3);
        assert_eq!(order(NextBlock::QuickestErase, &erases)[0], 3);
        assert_eq!(order(NextBlock::MostErases, &erases)[3], 3);
    }
}
