//! Hybrid mapping: data blocks that hold a logical block each, every page at its place, and a few log blocks that
//! take what is written.
//!
//! With one logical block to a log it is BAST (Kim, Kim, Noh, Min and Cho, "A space-efficient flash translation
//! layer for CompactFlash systems", IEEE Trans. Consumer Electronics 48(2), 2002). With more it is FAST (Lee, Park,
//! Chung, Lee, Park and Song, "A log buffer-based flash translation layer using fully-associative sector
//! translation", ACM TECS 6(3), 2007), whose first log takes what is written in order from the start of a logical
//! block. Here all writes go to logs, also the first ones to a logical block: written in order, its log becomes its
//! data block without a copy.

use super::clean::CleaningJob;
use super::config::Mapping;
use super::media::{CellMode, LayerPurpose, Media, PageKind};
use super::space::{BlockState, NONE};
use super::store::{PageSource, ProgramResult};
use super::translation::{FtlError, RESERVE, Translation};

/// A log block. Its number among the logs is that of its open block, too.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogBlock {
    pub(super) block: u32,
    /// Which logical blocks write to it: those of this number when divided by `shared_by`, or the one that is
    /// written in order.
    owner: u32,
    /// Sequence number of its last program.
    used: u64,
}

/// The tables of the hybrid mapping.
#[derive(Clone, Debug)]
pub(super) struct Logs {
    /// Data block of each logical block.
    pub(super) data: Vec<u32>,
    pub(super) logs: Vec<Option<LogBlock>>,
    shared_by: u32,
    /// The logical block that is being copied to a block of its own.
    pub(super) merging: Option<u32>,
}

impl Logs {
    pub(super) fn new(mapping: Mapping, logical_blocks: u32) -> Option<Self> {
        let Mapping::LogBlock { logs, shared_by } = mapping else {
            return None;
        };
        Some(Self {
            data: vec![NONE; logical_blocks as usize],
            logs: vec![None; logs as usize],
            shared_by,
            merging: None,
        })
    }

    /// The open block that merges copy to; those before it are logs.
    pub(super) fn target(&self) -> usize {
        self.logs.len()
    }

    /// Whether the first log is for what is written in order.
    fn keeps_order(&self) -> bool {
        self.shared_by > 1
    }

    /// Forgets the log that a block was. Which one it was.
    pub(super) fn forget(&mut self, block: u32) -> Option<usize> {
        let of = |log: &Option<LogBlock>| log.is_some_and(|log| log.block == block);
        let found = self.logs.iter().position(of)?;
        self.logs[found] = None;
        Some(found)
    }

    pub(super) fn find(&self, block: u32) -> Option<usize> {
        let of = |log: &Option<LogBlock>| log.is_some_and(|log| log.block == block);
        self.logs.iter().position(of)
    }

    /// The log of a logical block, where it may have but one.
    fn own(&self, among: std::ops::Range<usize>, owner: u32) -> Option<u32> {
        let single = !self.keeps_order() || among.end == 1;
        let mut logs = self.logs[among].iter().flatten();
        let own = logs.find(|log| log.owner == owner && single);
        own.map(|log| log.block)
    }

    /// Whether a block is a log that is not in use just now.
    pub(super) fn rests(&self, block: u32) -> bool {
        let newest = self.logs.iter().flatten().map(|log| log.used).max();
        let mut logs = self.logs.iter().flatten();
        logs.any(|log| log.block == block && Some(log.used) != newest)
    }

    /// The log that was not written to for longest, among some.
    fn oldest(&self, among: std::ops::Range<usize>) -> Option<u32> {
        let logs = self.logs[among].iter().flatten();
        logs.min_by_key(|log| log.used).map(|log| log.block)
    }
}

impl<M: Media> Translation<M> {
    /// Logical block and offset of a logical page.
    fn split(&self, logical: u32) -> (u32, u32) {
        let pages = self.space.capacity(CellMode::Native);
        (logical / pages, logical % pages)
    }

    /// The open log that takes a logical page.
    pub(super) fn log_for(&self, logs: &Logs, logical: u32) -> Option<usize> {
        let emptied = self.job.map_or(NONE, |job| job.block);
        let takes = |slot: usize, owner: u32| {
            let open = &self.open[slot];
            let log = logs.logs[slot].as_ref();
            open.block != NONE && open.block != emptied && log.is_some_and(|log| log.owner == owner)
        };
        let (block, offset) = self.split(logical);
        if !logs.keeps_order() {
            return (0..logs.target()).find(|slot| takes(*slot, block));
        }
        let in_order = takes(0, block) && self.open[0].records.len() as u32 == offset;
        if offset == 0 || in_order {
            return in_order.then_some(0);
        }
        (1..logs.target()).find(|slot| takes(*slot, block / logs.shared_by))
    }

    /// A log was written to, or failed.
    pub(super) fn touch_log(&mut self, slot: usize, stored: ProgramResult) {
        let sequence = self.sequence;
        let Some(log) = self.logs.as_mut().map(|logs| &mut logs.logs[slot]) else {
            return;
        };
        if stored == ProgramResult::Failed {
            *log = None;
        } else if let Some(log) = log {
            log.used = sequence;
        }
    }

    /// Opens a log for a logical page, or the next step of emptying one so that it can be opened.
    pub(super) fn log_step(&mut self, logical: u32) -> Result<LayerPurpose, FtlError<M::Error>> {
        let (block, offset) = self.split(logical);
        let Some(logs) = &self.logs else {
            return Err(self.full());
        };
        let (slots, owner) = match (logs.keeps_order(), offset) {
            (false, _) => (0..logs.target(), block),
            (true, 0) => (0..1, block),
            (true, _) => (1..logs.target(), block / logs.shared_by),
        };
        // A logical block that has a log of its own never has two.
        let own = logs.own(slots.clone(), owner);
        let empty = slots.clone().find(|slot| logs.logs[*slot].is_none());
        let roomy = self.space.free_blocks() > RESERVE;
        if let Some(slot) = empty.filter(|_| own.is_none() && roomy && self.job.is_none()) {
            self.open_log(slot, owner)?;
            return Ok(LayerPurpose::Host);
        }
        if self.job.is_none() {
            let merge = |block| CleaningJob::new(LayerPurpose::Merging, block);
            let oldest = logs.oldest(slots);
            let oldest = oldest.or_else(|| logs.oldest(0..logs.target()));
            self.job = self
                .failing_job(RESERVE)
                .or(own.or(oldest).map(merge))
                .or_else(|| self.failing_job(0));
        }
        let job = self.job.ok_or_else(|| self.full())?;
        self.run(job)
    }

    fn open_log(&mut self, slot: usize, owner: u32) -> Result<(), FtlError<M::Error>> {
        if self.open(slot, CellMode::Native, LayerPurpose::Host)? {
            let log = LogBlock {
                block: self.open[slot].block,
                owner,
                // Its first page comes next.
                used: self.sequence + 1,
            };
            if let Some(logs) = &mut self.logs {
                logs.logs[slot] = Some(log);
            }
        }
        Ok(())
    }

    /// The log to merge when free blocks are too few: not the one that is in use.
    pub(super) fn log_victim(&self) -> Option<CleaningJob> {
        let logs = self.logs.as_ref()?;
        let all = logs.logs.iter().flatten();
        let rest = all.filter(|log| logs.rests(log.block));
        let oldest = rest.min_by_key(|log| log.used)?;
        Some(CleaningJob::new(LayerPurpose::Merging, oldest.block))
    }

    #[cfg(test)]
    pub(super) fn logs_in_use(&self) -> u64 {
        let logs = self.logs.iter().flat_map(|logs| &logs.logs);
        logs.flatten().count() as u64
    }

    /// RAM that the tables of this mapping take in a controller, in bytes: 4 for each logical page, or 4 for each
    /// logical block and 4 for each page of the logs, in which the logical page is kept.
    pub fn mapping_bytes(&self) -> u64 {
        let pages = u64::from(self.space.capacity(CellMode::Native));
        let entries = match self.config.mapping {
            Mapping::Page => u64::from(self.logical),
            Mapping::LogBlock { logs, .. } => {
                u64::from(self.logical) / pages + u64::from(logs) * pages
            }
        };
        4 * entries
    }
}

impl<M: Media> Translation<M> {
    /// One step of emptying a block: every logical block with a page in it is copied to a block of its own.
    pub(super) fn run_merge(
        &mut self,
        job: CleaningJob,
    ) -> Result<LayerPurpose, FtlError<M::Error>> {
        self.job = Some(job);
        let Some(logs) = &self.logs else {
            return Ok(job.purpose);
        };
        if let Some(block) = logs.merging {
            self.merge_page(block, job.purpose)?;
        } else if let Some(logical) = self.first_live(job.block) {
            let (block, _) = self.split(logical);
            if !self.take_over(job, block)? {
                self.set_merging(Some(block));
                self.work.full_merges += u64::from(job.purpose == LayerPurpose::Merging);
                self.merge_page(block, job.purpose)?;
            }
        }
        let idle = self
            .logs
            .as_ref()
            .is_some_and(|logs| logs.merging.is_none());
        if idle && self.job.is_some() && self.space.block(job.block).live == 0 {
            self.end_merge(job)?;
        }
        Ok(job.purpose)
    }

    pub(super) fn set_merging(&mut self, block: Option<u32>) {
        if let Some(logs) = &mut self.logs {
            logs.merging = block;
        }
    }

    fn first_live(&self, block: u32) -> Option<u32> {
        let pages = 0..self.space.shape.pages_per_block;
        pages
            .filter_map(|index| self.space.live_in(self.space.page(block, index)))
            .next()
    }

    /// Puts a log in the place of the data block where all its pages are at their places: at once where it is full,
    /// and by copying the pages behind them otherwise. Whether it was so.
    fn take_over(&mut self, job: CleaningJob, block: u32) -> Result<bool, FtlError<M::Error>> {
        let capacity = self.space.capacity(CellMode::Native);
        let Some((slot, target)) = self
            .logs
            .as_ref()
            .and_then(|logs| Some((logs.find(job.block)?, logs.target())))
        else {
            return Ok(false);
        };
        let open = self.open[slot].block == job.block;
        let programmed = if open {
            self.open[slot].records.len() as u32
        } else {
            capacity
        };
        let at_place = |index: u32| {
            let page = self.space.page(job.block, index);
            self.space.live_in(page) == Some(block * capacity + index)
        };
        if !(0..programmed).all(at_place) {
            return Ok(false);
        }
        if open {
            self.open.swap(slot, target);
            self.set_merging(Some(block));
            self.work.partial_merges += 1;
        } else {
            self.work.switch_merges += 1;
        }
        if let Some(logs) = &mut self.logs {
            logs.logs[slot] = None;
        }
        if open {
            self.merge_page(block, job.purpose)?;
        } else {
            self.job = None;
            self.install(block, job.block)?;
        }
        Ok(true)
    }

    /// Copies the next page of a logical block to its new block, opens that, or ends with it.
    fn merge_page(&mut self, block: u32, purpose: LayerPurpose) -> Result<(), FtlError<M::Error>> {
        let Some(stream) = self.logs.as_ref().map(Logs::target) else {
            return Ok(());
        };
        let target = self.open[stream].block;
        if target == NONE {
            if !self.open(stream, CellMode::Native, purpose)? {
                return Err(self.full());
            }
            return Ok(());
        }
        let capacity = self.space.capacity(CellMode::Native);
        let logical = block * capacity + self.open[stream].records.len() as u32;
        match self.space.place(logical) {
            Some(from) => self.store_again(stream, logical, from, purpose)?,
            None => self.store(stream, purpose, PageKind::Filler, 0, PageSource::Nothing)?,
        };
        if self.open[stream].block == NONE && self.space.block(target).state == BlockState::Closed {
            self.set_merging(None);
            if self.job.is_some_and(|job| job.block == target) {
                self.job = None;
            }
            self.install(block, target)?;
        }
        Ok(())
    }

    /// Copies a page to the target of merges, which takes no fillers: every page has its place there. Whether this
    /// open block is the target.
    pub(super) fn continue_merge(&mut self, stream: usize) -> Result<bool, FtlError<M::Error>> {
        let Some(logs) = self.logs.as_ref().filter(|logs| logs.target() == stream) else {
            return Ok(false);
        };
        let purpose = self.job.map_or(LayerPurpose::Merging, |job| job.purpose);
        let Some(block) = logs.merging else {
            return Ok(false);
        };
        self.merge_page(block, purpose)?;
        Ok(true)
    }

    /// A block is the data block of a logical block from now on, and the one before it has no live page.
    fn install(&mut self, block: u32, data: u32) -> Result<(), FtlError<M::Error>> {
        let Some(logs) = &mut self.logs else {
            return Ok(());
        };
        let old = std::mem::replace(&mut logs.data[block as usize], data);
        if old != NONE && self.job.is_none_or(|job| job.block != old) {
            let ready = self.prepare(old);
            self.free_or_retire(old)?;
            return ready;
        }
        Ok(())
    }

    /// A block was emptied: a log, or one that was failing or too young.
    fn end_merge(&mut self, job: CleaningJob) -> Result<(), FtlError<M::Error>> {
        let block = job.block;
        let slot = self.logs.as_mut().and_then(|logs| logs.forget(block));
        if let Some(slot) = slot
            && self.open[slot].block == block
        {
            self.open[slot].reset(NONE);
        }
        if let Some(logs) = &mut self.logs {
            // A data block whose pages were all overwritten had nothing to be copied.
            if let Some(data) = logs.data.iter_mut().find(|data| **data == block) {
                *data = NONE;
            }
        }
        self.finish(job)
    }
}
