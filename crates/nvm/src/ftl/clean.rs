//! Blocks that are emptied, page by page: which one, when, and how far in one go.

use super::config::Victim;
use super::media::{CellMode, Media, PageKind, Purpose};
use super::space::{BlockState, NONE};
use super::store::{Content, Stored};
use super::translation::{FtlError, HOST, MOVED, RESERVE, RESTING, Translation};

/// A block that is being emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) purpose: Purpose,
    pub(super) block: u32,
    /// No page before this one is live.
    pub(super) index: u32,
}

impl Job {
    pub(super) fn new(purpose: Purpose, block: u32) -> Self {
        Self {
            purpose,
            block,
            index: 0,
        }
    }
}

impl<M: Media> Translation<M> {
    /// Sets and clears the wish to clean, with its hysteresis.
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
    pub(super) fn needed_step(&mut self) -> Result<Purpose, FtlError<M::Error>> {
        let mode = self.host_mode();
        if self.space.free_blocks() > RESERVE && self.cache_has_room() {
            self.open(HOST, mode, Purpose::Host)?;
            return Ok(Purpose::Host);
        }
        if self.job.is_none() {
            self.job = self.job_for_room();
        }
        let job = self.job.ok_or_else(|| self.full())?;
        self.run(job)
    }

    /// A step that writes should not leave to later ones.
    pub(super) fn wanted_step(&mut self) -> Result<Option<Purpose>, FtlError<M::Error>> {
        if !self.wants_step() {
            return Ok(None);
        }
        if self.job.is_none() {
            self.job = self.failing_job(RESERVE).or_else(|| {
                let victim = self.cleaning.then(|| self.victim()).flatten();
                // Without a victim there is nothing to wish for until a page dies.
                self.cleaning &= victim.is_some();
                victim
            });
        }
        if self.job.is_none() {
            self.job = self.leveling_job();
        }
        self.job.map(|job| self.run(job)).transpose()
    }

    /// A step while nobody waits.
    pub(super) fn spare_time_step(&mut self) -> Result<Option<Purpose>, FtlError<M::Error>> {
        if self.job.is_none() {
            self.job = self
                .failing_job(RESERVE)
                .or_else(|| self.idle_fold())
                .or_else(|| {
                    let few = self.space.free_blocks() < self.config.cleaning.idle_until;
                    few.then(|| self.victim()).flatten()
                })
                .or_else(|| self.leveling_job());
        }
        self.job.map(|job| self.run(job)).transpose()
    }

    fn job_for_room(&mut self) -> Option<Job> {
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
    fn failing_job(&self, free: u32) -> Option<Job> {
        let block = *self.failing.first()?;
        (self.space.free_blocks() >= free).then(|| Job::new(Purpose::Cleaning, block))
    }

    /// The closed block that is worth cleaning most, if any has a dead page.
    fn victim(&mut self) -> Option<Job> {
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
        Some(Job::new(Purpose::Cleaning, block))
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
    pub(super) fn run(&mut self, mut job: Job) -> Result<Purpose, FtlError<M::Error>> {
        let pages = self.space.shape.pages_per_block;
        while self.space.block(job.block).live > 0 && job.index < pages {
            let from = self.space.page(job.block, job.index);
            let Some(logical) = self.space.live_in(from) else {
                job.index += 1;
                continue;
            };
            self.job = Some(job);
            self.relocate(logical, from, job.purpose)?;
            break;
        }
        if self.space.block(job.block).live == 0 {
            self.finish(job.block)?;
        } else {
            self.job = Some(job);
        }
        Ok(job.purpose)
    }

    /// Moves a logical page out of the page that it is in.
    fn relocate(
        &mut self,
        logical: u32,
        from: u32,
        purpose: Purpose,
    ) -> Result<(), FtlError<M::Error>> {
        let stream = if purpose == Purpose::Leveling {
            RESTING
        } else {
            MOVED
        };
        let mut lost = self.is_lost(logical);
        loop {
            if self.open[stream].block == NONE && !self.open(stream, CellMode::Native, purpose)? {
                return Err(self.full());
            }
            let stored = if lost {
                self.store(stream, purpose, PageKind::Lost, logical, Content::Nothing)?
            } else {
                let content = Content::CopyOf(from);
                self.store(stream, purpose, PageKind::Data, logical, content)?
            };
            match stored {
                Stored::At(_) => return Ok(()),
                Stored::Unreadable => lost = true,
                Stored::Failed => {}
            }
        }
    }

    /// An emptied block is free, or retired where a program failed in it.
    fn finish(&mut self, block: u32) -> Result<(), FtlError<M::Error>> {
        if self.space.block(block).state == BlockState::Failing {
            self.secure(block)?;
            self.job = None;
            self.failing.retain(|failing| *failing != block);
            return self.retire(block);
        }
        self.job = None;
        self.space.release(block);
        self.look_at_wear(block);
        self.mark();
        Ok(())
    }
}
