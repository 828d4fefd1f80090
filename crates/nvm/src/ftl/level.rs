//! Static wear levelling: data that rest are moved to worn blocks, so that the young blocks under them wear.

use super::clean::CleaningJob;
use super::media::{LayerPurpose, Media};
use super::space::{BlockState, BlockUse};
use super::translation::{RESERVE, Translation};

impl<M: Media> Translation<M> {
    /// Remembers that a block that became free may be worn enough to rest.
    pub(super) fn look_at_wear(&mut self, block: u32) {
        let Some(allowed) = self.config.leveling.static_above else {
            return;
        };
        let (least, _) = self.space.wear_range();
        self.uneven |= self.space.block(block).erases - least > allowed;
    }

    /// Empties the closed block with the fewest erases, where the most worn free block exceeds it by more than
    /// is allowed.
    pub(super) fn leveling_job(&mut self) -> Option<CleaningJob> {
        // It takes a block from the reserve before it brings one.
        if !self.uneven || self.space.free_blocks() < RESERVE {
            return None;
        }
        let block = self.least_worn();
        self.uneven = block.is_some();
        let block = block?;
        self.space.closed.remove(block);
        Some(CleaningJob::new(LayerPurpose::Leveling, block))
    }

    /// Blocks that nothing is written to or moved from now, so that they can be emptied.
    pub(super) fn resting(&self) -> impl Iterator<Item = (u32, &BlockUse)> {
        let blocks = (0..).zip(&self.space.blocks);
        blocks.filter(|(number, block)| match &self.logs {
            None => self.space.closed.contains(*number),
            Some(logs) => block.state == BlockState::Closed || logs.rests(*number),
        })
    }

    fn least_worn(&self) -> Option<u32> {
        let allowed = self.config.leveling.static_above?;
        let (fewest, most) = self.space.wear_range();
        // Blocks that rest and blocks that are free are some of all: most steps need not look at them.
        if most.saturating_sub(fewest) <= allowed {
            return None;
        }
        let (number, least) = self.resting().min_by_key(|(_, block)| block.erases)?;
        let worn = self.space.free().map(|free| self.space.block(free).erases);
        let worn = worn.max()?;
        (worn.saturating_sub(least.erases) > allowed).then_some(number)
    }
}
