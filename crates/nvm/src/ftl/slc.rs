//! The pSLC cache: host writes go to blocks with one bit a cell, and are folded into native ones later.

use super::clean::CleaningJob;
use super::media::{CellMode, LayerPurpose, Media};
use super::translation::Translation;

impl<M: Media> Translation<M> {
    /// How the blocks that the host writes to are used.
    pub(super) fn host_mode(&self) -> CellMode {
        match self.config.slc {
            Some(_) => CellMode::Slc,
            None => CellMode::Native,
        }
    }

    /// Whether the host may have another block of the cache, or needs none.
    pub(super) fn cache_has_room(&self) -> bool {
        let blocks = self.config.slc.map(|slc| slc.blocks);
        blocks.is_none_or(|blocks| self.space.slc < blocks)
    }

    /// Empties the oldest block of the cache, while as many blocks are free.
    pub(super) fn fold_job(&mut self, free: u32) -> Option<CleaningJob> {
        if self.space.free_blocks() < free {
            return None;
        }
        let block = self.cached.pop_front()?;
        Some(CleaningJob::new(LayerPurpose::Folding, block))
    }

    pub(super) fn idle_fold(&mut self) -> Option<CleaningJob> {
        let idle = self.config.slc.is_some_and(|slc| slc.folds_when_idle);
        idle.then(|| self.fold_job(super::translation::RESERVE))
            .flatten()
    }
}
