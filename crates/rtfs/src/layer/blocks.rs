//! Blocks: erased, opened, failing, bad.

use wordline_memory::{Flash, FlashError, FlashErrorKind};

use super::{ERASE_PARTS, PacedLayer, Result};
use crate::error::PacedError;
use crate::rule::PacedRule;

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    /// A page is dead.
    pub(super) fn kill(&mut self, page: u32) {
        if !self.tables.is_live(page) {
            return;
        }
        self.tables.set_live(page, false);
        let block = self.shape().geometry.block_of(page);
        if block != self.head && self.is_free(block) {
            self.free += 1;
        }
    }

    /// Whether a block other than the head can be taken.
    pub(super) fn is_free(&self, block: u32) -> bool {
        !self.tables.is_bad(block)
            && !self.failing.contains(&Some(block))
            && self.tables.live_pages(block) == 0
    }

    /// Erases a block, and says whether that worked; if not, it is bad from now on.
    pub(super) fn erase_block(&mut self, block: u32) -> Result<bool, F::Error> {
        let ended = self.pages.flash.erase(block);
        self.end_erase(block, ended)
    }

    /// Notes how an erase ended.
    fn end_erase(
        &mut self,
        block: u32,
        ended: core::result::Result<(), F::Error>,
    ) -> Result<bool, F::Error> {
        self.work.erased += 1;
        self.tables.image();
        match ended {
            Ok(()) => {
                let erases = self.tables.erases(block).saturating_add(1);
                self.tables.set_erases(block, erases);
                Ok(true)
            }
            Err(error) => match error.kind() {
                FlashErrorKind::EraseFailed => {
                    self.retire(block)?;
                    Ok(false)
                }
                FlashErrorKind::BadBlock => {
                    self.tables.set_bad(block);
                    Ok(false)
                }
                _ => Err(self.fatal(error)),
            },
        }
    }

    /// Marks a block bad.
    pub(super) fn retire(&mut self, block: u32) -> Result<(), F::Error> {
        self.tables.set_bad(block);
        match self.pages.flash.mark_bad(block) {
            Ok(()) => Ok(()),
            // The flash keeps no marks: the headers do.
            Err(error) if error.kind() == FlashErrorKind::Misuse => Ok(()),
            Err(error) => Err(self.fatal(error)),
        }
    }

    /// The free block with the fewest erases; the one with the most where pages that rest are to move to it.
    fn next_free(&self) -> Option<u32> {
        let blocks = 0..self.shape().geometry.blocks;
        let free = blocks.filter(|block| *block != self.head && self.is_free(*block));
        if self.resting.is_some() {
            free.max_by_key(|block| self.tables.erases(*block))
        } else {
            free.min_by_key(|block| self.tables.erases(*block))
        }
    }

    /// Whether each page of the caller pays its part of an erase.
    pub(super) fn erases_in_parts(&self) -> bool {
        self.bound.erase_parts > 1
    }

    /// Whether an erase will keep one of the next calls.
    pub(crate) fn is_erase_due(&self) -> bool {
        self.erased.is_none() && !self.erases_in_parts()
    }

    /// Lets the erase go on for what the pages of this call pay: as many as a head takes at least end it.
    pub(super) fn pay_erase(&mut self) -> Result<(), F::Error> {
        let pages = core::mem::take(&mut self.unpaid_pages);
        let pays = self.erases_in_parts() && self.rules.keep(PacedRule::PartsPaid);
        if !pays || self.erased.is_some() || self.free == 0 || pages == 0 {
            return Ok(());
        }
        self.begin_erase()?;
        self.advance_erase(pages * ERASE_PARTS.div_ceil(self.bound.erase_parts))
    }

    /// Begins to erase the block that is opened next, where that was not done.
    pub(super) fn begin_erase(&mut self) -> Result<(), F::Error> {
        if self.erasing.is_some() {
            return Ok(());
        }
        let block = self.next_free().ok_or(PacedError::WornOut)?;
        if self.leaves_blank(block)? {
            self.erased = Some(block);
            return Ok(());
        }
        match self.pages.flash.begin_erase(block) {
            Ok(()) => {
                self.erasing = Some(block);
                Ok(())
            }
            Err(error) => self.erase_failed(block, error),
        }
    }

    /// Lets an erase that was begun go on for so many parts.
    pub(super) fn advance_erase(&mut self, parts: u32) -> Result<(), F::Error> {
        let Some(block) = self.erasing else {
            return Ok(());
        };
        match self.pages.flash.advance_erase(parts, ERASE_PARTS) {
            Ok(false) => Ok(()),
            Ok(true) => {
                self.erasing = None;
                self.end_erase(block, Ok(()))?;
                self.erased = Some(block);
                Ok(())
            }
            Err(error) => {
                self.erasing = None;
                self.erase_failed(block, error)
            }
        }
    }

    /// Waits for an erase that another session left running on a flash that kept its power.
    pub(super) fn await_erase(&mut self) -> Result<(), F::Error> {
        match self.pages.flash.advance_erase(1, 1) {
            Err(error) if error.kind() != FlashErrorKind::EraseFailed => {
                Err(PacedError::Flash(error))
            }
            _ => Ok(()),
        }
    }

    /// An erase that was begun did not end well: another block is erased next.
    fn erase_failed(&mut self, block: u32, error: F::Error) -> Result<(), F::Error> {
        if !self.end_erase(block, Err(error))? {
            self.free -= 1;
        }
        Ok(())
    }

    /// Erases the block that is opened next, or waits until its erase has ended.
    pub(super) fn erase_ahead(&mut self) -> Result<(), F::Error> {
        while self.erased.is_none() {
            if self.erasing.is_some() {
                self.advance_erase(ERASE_PARTS)?;
                continue;
            }
            let block = self.next_free().ok_or(PacedError::WornOut)?;
            if self.leaves_blank(block)? || self.erase_block(block)? {
                self.erased = Some(block);
            } else {
                self.free -= 1;
            }
        }
        Ok(())
    }

    /// Erases ahead. Where the erases of all free blocks fail, the steps of the pages that the head still takes make others
    /// free.
    pub(super) fn erase_if_any(&mut self) -> Result<(), F::Error> {
        match self.erase_ahead() {
            Err(PacedError::WornOut) => Ok(()),
            done => done,
        }
    }

    /// Whether a block reads as erased and is not erased for that, which only a test asks for.
    fn leaves_blank(&mut self, block: u32) -> Result<bool, F::Error> {
        if self.rules.keep(PacedRule::EraseFirst) {
            return Ok(false);
        }
        let first = block * self.shape().geometry.pages_per_block;
        let mut blank = true;
        for page in first..first + self.shape().geometry.pages_per_block {
            self.pages.read(page, self.tables.image())?;
            blank &= self.tables.image().iter().all(|byte| *byte == 0xFF);
        }
        Ok(blank)
    }

    /// Goes on with a new block, whose header says what was before, and whether a mount opens it.
    pub(super) fn open_block(&mut self, mounted: bool) -> Result<(), F::Error> {
        self.open_after(self.head, mounted)
    }

    /// The same; `before` is the last block whose header is whole, and which counts if a mount opened it.
    pub(super) fn open_after(&mut self, before: u32, mounted: bool) -> Result<(), F::Error> {
        loop {
            let erased = self.erase_ahead();
            self.worn_out = matches!(erased, Err(PacedError::WornOut));
            erased?;
            // The pages before paid with that.
            self.unpaid_pages = 0;
            let block = self.erased.take().ok_or(PacedError::WornOut)?;
            let old = self.head;
            self.previous = before;
            self.head = block;
            self.resting = self.resting.filter(|resting| *resting != block);
            self.used = 0;
            self.free -= 1;
            self.sequence += 1;
            if old < self.shape().geometry.blocks && self.is_free(old) {
                self.free += 1;
            }
            match self.write_header(mounted) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == FlashErrorKind::ProgramFailed => self.fail_head(),
                Err(error) => return Err(self.fatal(error)),
            }
        }
    }

    /// A program failed in the block that is being filled: nothing more is written to it.
    pub(super) fn fail_head(&mut self) {
        self.used = self.shape().data_pages;
        // Where there is no place left, the block is used again, and fails again.
        if let Some(place) = self.failing.iter_mut().find(|place| place.is_none()) {
            *place = Some(self.head);
        }
    }

    /// Retires the failing blocks of which no page is needed any more.
    pub(super) fn retire_failing(&mut self) -> Result<(), F::Error> {
        for index in 0..self.failing.len() {
            if let Some(block) = self.failing[index]
                && block != self.head
                && self.tables.live_pages(block) == 0
            {
                self.retire(block)?;
                self.failing[index] = None;
            }
        }
        Ok(())
    }
}
