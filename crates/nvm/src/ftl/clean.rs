//! Blocks that are emptied, page by page: which one, when, and how far in one go.

use super::config::Victim;
use super::media::{CellMode, LayerPurpose, Media, PageKind};
use super::space::{BlockState, NONE};
use super::store::{PageSource, ProgramResult};
use super::translation::{FtlError, HOST, MOVED, RESERVE, RESTING, Translation};

/// A block that is being emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CleaningJob {
    pub(super) purpose: LayerPurpose,
    pub(super) block: u32,
    /// Where to look for the next live page.
    pub(super) index: u32,
}

impl CleaningJob {
    pub(super) fn new(purpose: LayerPurpose, block: u32) -> Self {
        Self {
            purpose,
            block,
            index: 0,
        }
    }
}

impl<M: Media> Translation<M> {
    /// Sets and clears the flag that cleaning is due, with hysteresis.
    pub(super) fn mark(&mut self) {
        let free = self.space.free_blocks();
        let cleaning = self.config.cleaning;
        if free < cleaning.start_below {
            self.cleaning = true;
        }
        if free >= cleaning.stop_at {
            self.cleaning = false;
        }
    }

    /// A step without which the host's next page has no place.
    pub(super) fn needed_step(&mut self, logical: u32) -> Result<LayerPurpose, FtlError<M::Error>> {
        if self.logs.is_some() {
            return self.log_step(logical);
        }
        let mode = self.host_mode();
        if self.space.free_blocks() > RESERVE && self.cache_has_room() {
            self.open(HOST, mode, LayerPurpose::Host)?;
            return Ok(LayerPurpose::Host);
        }
        if self.job.is_none() {
            self.job = self.job_for_room();
        }
        let job = self.job.ok_or_else(|| self.full())?;
        self.run(job)
    }

    /// A step that writes should not leave to later ones.
    pub(super) fn wanted_step(&mut self) -> Result<Option<LayerPurpose>, FtlError<M::Error>> {
        if !self.wants_step() {
            return Ok(None);
        }
        if self.job.is_none() {
            let pressing = self.failing_job(RESERVE).or_else(|| self.refresh_job());
            self.job = pressing.or_else(|| {
                let victim = self.cleaning.then(|| self.victim()).flatten();
                // Without a victim there is nothing to clean until a page dies.
                self.cleaning &= victim.is_some();
                victim
            });
        }
        if self.job.is_none() {
            self.job = self.leveling_job();
        }
        self.job.map(|job| self.run(job)).transpose()
    }

    /// A step of idle work.
    pub(super) fn spare_time_step(&mut self) -> Result<Option<LayerPurpose>, FtlError<M::Error>> {
        if self.job.is_none() {
            self.job = self
                .failing_job(RESERVE)
                .or_else(|| self.refresh_job())
                .or_else(|| self.idle_fold())
                .or_else(|| {
                    let few = self.space.free_blocks() < self.config.cleaning.idle_until;
                    few.then(|| self.victim()).flatten()
                })
                .or_else(|| self.leveling_job());
        }
        self.job.map(|job| self.run(job)).transpose()
    }

    fn job_for_room(&mut self) -> Option<CleaningJob> {
        let fold = if self.cache_has_room() {
            None
        } else {
            self.fold_job(RESERVE)
        };
        self.failing_job(RESERVE)
            .or(fold)
            .or_else(|| self.victim())
            .or_else(|| self.failing_job(0))
            .or_else(|| self.fold_job(0))
    }

    /// Empties a block in which a program failed, while as many blocks are free. It brings no free block, so
    /// that it comes after cleaning when these are few.
    pub(super) fn failing_job(&self, free: u32) -> Option<CleaningJob> {
        let block = *self.failing.first()?;
        (self.space.free_blocks() >= free).then(|| CleaningJob::new(LayerPurpose::Cleaning, block))
    }

    /// Remembers which blocks the ECC advised to move.
    pub(super) fn take_advice(&mut self) {
        while let Some(block) = self.media.advised() {
            if !self.tired.contains(&block) {
                self.tired.push(block);
            }
        }
    }

    /// Empties a block that the ECC advised to move. Its next erase makes it as good as any.
    fn refresh_job(&mut self) -> Option<CleaningJob> {
        // It takes a block from the reserve before it brings one.
        if self.tired.is_empty() || self.space.free_blocks() < RESERVE {
            return None;
        }
        let rests: Vec<u32> = self.resting().map(|(number, _)| number).collect();
        // The others are open, or were emptied meanwhile: a later read reports them again.
        self.tired.retain(|block| rests.contains(block));
        let block = *self.tired.first()?;
        self.tired.remove(0);
        self.space.closed.remove(block);
        Some(CleaningJob::new(LayerPurpose::Cleaning, block))
    }

    /// The closed block that is worth cleaning most, if any has a dead page.
    pub(super) fn victim(&mut self) -> Option<CleaningJob> {
        if self.logs.is_some() {
            return self.log_victim();
        }
        let full = self.space.capacity(CellMode::Native);
        let block = match self.config.cleaning.victim {
            Victim::Greedy => {
                self.space
                    .closed
                    .emptiest()
                    .filter(|(_, live)| *live < full)?
                    .0
            }
            Victim::CostBenefit => self.best_benefit(full)?,
        };
        self.space.closed.remove(block);
        Some(CleaningJob::new(LayerPurpose::Cleaning, block))
    }

    /// The greatest (1 − u)/(2u) · age. Both factors are compared as whole numbers of pages and programs.
    fn best_benefit(&self, full: u32) -> Option<u32> {
        let closed = (0..).zip(&self.space.blocks).filter(|(number, block)| {
            block.live < full
                && block.state == BlockState::Closed
                && self.space.closed.contains(*number)
        });
        let worth = |live: u32, written: u64| {
            let age = self.sequence - written + 1;
            f64::from(full - live) / (2.0 * f64::from(live)) * age as f64
        };
        let mut best = None;
        for (number, block) in closed {
            let value = worth(block.live, block.written);
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, number));
            }
        }
        best.map(|(_, number)| number)
    }

    /// Moves the next live page of a block, or frees the block.
    pub(super) fn run(&mut self, mut job: CleaningJob) -> Result<LayerPurpose, FtlError<M::Error>> {
        if self.logs.is_some() {
            return self.run_merge(job);
        }
        let pages = self.space.shape.pages_per_block;
        let mut moved = false;
        while !moved && self.space.block(job.block).live > 0 && job.index < pages {
            let from = self.space.page(job.block, job.index);
            if let Some(logical) = self.space.live_in(from) {
                self.job = Some(job);
                self.relocate(logical, from, job.purpose)?;
                moved = true;
            } else {
                job.index += 1;
            }
        }
        if job.index == pages {
            // The version before a torn page may lie before it in the same block.
            job.index = 0;
        }
        self.job = Some(job);
        let of = self.space.block(job.block);
        if of.live == 0 {
            self.finish(job)?;
        }
        Ok(job.purpose)
    }

    /// Moves a logical page out of the page that it is in.
    fn relocate(
        &mut self,
        logical: u32,
        from: u32,
        purpose: LayerPurpose,
    ) -> Result<(), FtlError<M::Error>> {
        let stream = if purpose == LayerPurpose::Leveling {
            RESTING
        } else {
            MOVED
        };
        loop {
            if self.open[stream].block == NONE && !self.open(stream, CellMode::Native, purpose)? {
                return Err(self.full());
            }
            let stored = self.store_again(stream, logical, from, purpose)?;
            if stored != ProgramResult::Failed {
                return Ok(());
            }
        }
    }

    /// Programs the next page of an open block with a logical page that is in another, or with a marker that it
    /// was lost.
    pub(super) fn store_again(
        &mut self,
        stream: usize,
        logical: u32,
        from: u32,
        purpose: LayerPurpose,
    ) -> Result<ProgramResult, FtlError<M::Error>> {
        if !self.is_lost(logical) {
            let kind = match purpose {
                LayerPurpose::Recovery => PageKind::Recovered,
                _ => PageKind::Data,
            };
            let stored = self.store(stream, purpose, kind, logical, PageSource::CopyOf(from))?;
            if stored != ProgramResult::Unreadable || self.falls_back(logical, from) {
                return Ok(stored);
            }
        }
        self.store(
            stream,
            purpose,
            PageKind::Lost,
            logical,
            PageSource::Nothing,
        )
    }

    /// An emptied block is free, or retired where a program failed in it.
    pub(super) fn finish(&mut self, job: CleaningJob) -> Result<(), FtlError<M::Error>> {
        self.prepare(job.block)?;
        self.job = None;
        self.free_or_retire(job.block)
    }

    /// Sees to it that a block without live pages can be freed or retired.
    pub(super) fn prepare(&mut self, block: u32) -> Result<(), FtlError<M::Error>> {
        if self.space.block(block).state == BlockState::Failing {
            self.secure(block)?;
        }
        Ok(())
    }

    /// A block without live pages is free, or retired where a program failed in it.
    pub(super) fn free_or_retire(&mut self, block: u32) -> Result<(), FtlError<M::Error>> {
        if self.space.block(block).state == BlockState::Failing {
            self.failing.retain(|failing| *failing != block);
            return self.retire(block);
        }
        if let Some(mount) = &mut self.mount {
            mount.hold(block);
            self.space.hold(block);
            return Ok(());
        }
        self.space.release(block);
        self.look_at_wear(block);
        self.mark();
        self.erase_ahead()
    }
}
