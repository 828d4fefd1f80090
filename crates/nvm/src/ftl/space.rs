//! The blocks: what each page holds, which are free, and how worn each is.

use super::media::{CellMode, Shape};

/// No page.
pub(super) const NONE: u32 = u32::MAX;

/// What a block is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockState {
    Free,
    Open,
    Closed,
    Bad,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) state: BlockState,
    pub(super) mode: CellMode,
    /// Pages that hold the newest version of a logical page.
    pub(super) live: u32,
    /// Pages programmed since the last erase.
    pub(super) programmed: u32,
    pub(super) erases: u32,
    /// Sequence number of the last program.
    pub(super) written: u64,
}

/// Where every logical page is, and what every block holds.
#[derive(Clone, Debug)]
pub(super) struct Space {
    pub(super) shape: Shape,
    pub(super) blocks: Vec<Block>,
    /// Page of each logical page.
    place_of: Vec<u32>,
    /// Logical page of each page.
    holds: Vec<u32>,
    /// Free blocks, the one that is free longest first.
    pub(super) free: std::collections::VecDeque<u32>,
}

impl Space {
    pub(super) fn new(shape: Shape, logical: u32) -> Self {
        let block = Block {
            state: BlockState::Free,
            mode: CellMode::Native,
            live: 0,
            programmed: 0,
            erases: 0,
            written: 0,
        };
        Self {
            shape,
            blocks: vec![block; shape.blocks as usize],
            place_of: vec![NONE; logical as usize],
            holds: vec![NONE; (shape.blocks * shape.pages_per_block) as usize],
            free: (0..shape.blocks).collect(),
        }
    }

    pub(super) fn place(&self, logical: u32) -> Option<u32> {
        let place = self.place_of[logical as usize];
        (place != NONE).then_some(place)
    }

    /// The logical page that a page holds the newest version of.
    pub(super) fn live_in(&self, page: u32) -> Option<u32> {
        let logical = self.holds[page as usize];
        (logical != NONE).then_some(logical)
    }

    /// A logical page is now in a page, or nowhere.
    pub(super) fn put(&mut self, logical: u32, page: Option<u32>) {
        let old = std::mem::replace(&mut self.place_of[logical as usize], page.unwrap_or(NONE));
        if old != NONE {
            self.holds[old as usize] = NONE;
            self.blocks[(old / self.shape.pages_per_block) as usize].live -= 1;
        }
        if let Some(page) = page {
            self.holds[page as usize] = logical;
            self.blocks[(page / self.shape.pages_per_block) as usize].live += 1;
        }
    }
}
