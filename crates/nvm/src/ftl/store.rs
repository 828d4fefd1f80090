//! Programs of pages, and the open blocks that they go to.

use super::barrier::Barrier;
use super::media::{CellMode, LayerPurpose, Media, MediaFault, PageKind, PageRecord};
use super::space::{BlockState, NONE};
use super::translation::{FtlError, Translation};

/// A block that takes pages.
#[derive(Clone, Debug)]
pub(super) struct OpenBlock {
    /// The block; [`NONE`] where none is open. An open block has room for a page.
    pub(super) block: u32,
    /// What its pages hold so far.
    pub(super) records: Vec<PageRecord>,
    /// Pages from its start on that no later program puts at risk.
    pub(super) safe: u32,
    /// Pages from its start on that no mount would doubt after a power cut: the last one may always have been
    /// interrupted.
    sure: u32,
}

impl Default for OpenBlock {
    fn default() -> Self {
        Self {
            block: NONE,
            records: Vec::new(),
            safe: 0,
            sure: 0,
        }
    }
}

impl OpenBlock {
    /// Whether a later program may harm a page.
    fn is_at_risk(&self) -> bool {
        (self.safe as usize) < self.records.len()
    }

    /// Whether a mount may doubt a page that took the place of one that died at this sequence number or before.
    fn leaves_doubt(&self, died: u64) -> bool {
        let first = self.records.get(self.sure as usize);
        first.is_some_and(|record| record.sequence <= died)
    }

    pub(super) fn reset(&mut self, block: u32) {
        self.block = block;
        self.records.clear();
        self.safe = 0;
        self.sure = 0;
    }
}

/// What a page is programmed with.
pub(super) enum PageSource<'a, D: ?Sized> {
    Data(&'a D),
    CopyOf(u32),
    Nothing,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramResult {
    /// The page.
    At(u32),
    /// It failed, and its block is no longer open.
    Failed,
    /// The page to copy cannot be read. Nothing was programmed.
    Unreadable,
}

impl<M: Media> Translation<M> {
    /// Programs the next page of an open block, once. A logical page is in its new place when this returns.
    pub(super) fn store(
        &mut self,
        stream: usize,
        purpose: LayerPurpose,
        kind: PageKind,
        logical: u32,
        content: PageSource<'_, M::Data>,
    ) -> Result<ProgramResult, FtlError<M::Error>> {
        let open = &self.open[stream];
        let page = self.space.page(open.block, open.records.len() as u32);
        self.sequence += 1;
        let sequence = match (&self.mount, kind) {
            // A mount that finds both must know that they are the same version.
            (Some(mount), PageKind::Recovered | PageKind::Lost) => mount.sequence_of(logical),
            _ => self.sequence,
        };
        let record = PageRecord {
            kind,
            logical,
            sequence,
        };
        self.media.purpose(purpose);
        let done = match content {
            PageSource::Data(data) => self.media.program(page, record, data),
            PageSource::CopyOf(from) => self.media.copy(from, page, record),
            PageSource::Nothing => self.media.fill(page, record),
        };
        match done {
            Ok(()) => {
                let data = kind != PageKind::Filler;
                let purpose = if data {
                    purpose
                } else {
                    LayerPurpose::Overhead
                };
                self.work.programmed(purpose, 1);
                self.push(stream, record);
                if data {
                    self.space.put(logical, Some(page), self.sequence);
                    self.note_lost(kind, logical);
                }
                self.close_if_full(stream)?;
                Ok(ProgramResult::At(page))
            }
            Err(MediaFault::Uncorrectable) if matches!(content, PageSource::CopyOf(_)) => {
                Ok(ProgramResult::Unreadable)
            }
            Err(MediaFault::Device(error)) => {
                // Whether the page was programmed is unknown, so it is not programmed again.
                let kind = PageKind::Filler;
                self.push(stream, PageRecord { kind, ..record });
                self.close_if_full(stream)?;
                Err(FtlError::Device(error))
            }
            Err(_) => {
                self.abandon(stream);
                Ok(ProgramResult::Failed)
            }
        }
    }

    fn note_lost(&mut self, kind: PageKind, logical: u32) {
        if kind == PageKind::Lost {
            if self.lost.insert(logical) {
                self.work.lost += 1;
            }
        } else if !self.lost.is_empty() {
            self.lost.remove(&logical);
        }
    }

    fn push(&mut self, stream: usize, record: PageRecord) {
        let open = &mut self.open[stream];
        open.records.push(record);
        let programmed = open.records.len() as u32;
        let native = self.space.block(open.block).mode == CellMode::Native;
        // The page that must be programmed so that this one is safe, itself included.
        let awaits = |page: u32| match self.media.safe_after(page) {
            Some(later) if native => later.max(page),
            _ => page,
        };
        while open.safe < programmed && awaits(open.safe) < programmed {
            open.safe += 1;
        }
        while open.sure + 1 < programmed && awaits(open.sure) + 1 < programmed {
            open.sure += 1;
        }
    }

    fn close_if_full(&mut self, stream: usize) -> Result<(), FtlError<M::Error>> {
        let open = &self.open[stream];
        let capacity = self.space.capacity(self.space.block(open.block).mode);
        if (open.records.len() as u32) < capacity {
            return Ok(());
        }
        self.close(stream)
    }

    /// Closes a block with its summary; pages that it has left are left out.
    pub(super) fn close(&mut self, stream: usize) -> Result<(), FtlError<M::Error>> {
        let open = &mut self.open[stream];
        let block = open.block;
        let mode = self.space.block(block).mode;
        let summary_pages = self.space.shape.summary_pages;
        let last = open.records.last().map_or(0, |record| record.sequence);
        let filler = PageRecord {
            kind: PageKind::Filler,
            logical: 0,
            sequence: last,
        };
        open.records
            .resize(self.space.capacity(mode) as usize, filler);
        let mut done = Ok(());
        if summary_pages > 0 {
            self.media.purpose(LayerPurpose::Overhead);
            match self.media.summarize(block, &open.records) {
                Ok(()) => self.work.programmed(LayerPurpose::Overhead, summary_pages),
                // A mount treats the block as open then, which is no harm.
                Err(MediaFault::Device(error)) => done = Err(FtlError::Device(error)),
                Err(_) => {
                    self.abandon(stream);
                    return Ok(());
                }
            }
        }
        self.open[stream].reset(NONE);
        let of = self.space.block_mut(block);
        of.state = BlockState::Closed;
        of.written = last;
        let live = of.live;
        match mode {
            CellMode::Native if self.logs.is_some() => {}
            CellMode::Native => self.space.closed.add(block, live),
            CellMode::Slc => self.cached.push_back(block),
        }
        done
    }

    /// A program in an open block failed.
    fn abandon(&mut self, stream: usize) {
        let open = &mut self.open[stream];
        let block = open.block;
        open.reset(NONE);
        self.space.block_mut(block).state = BlockState::Failing;
        self.failing.push(block);
    }

    /// Fills an open block until none of its pages is at risk.
    pub(super) fn settle(&mut self, stream: usize) -> Result<(), FtlError<M::Error>> {
        while self.open[stream].is_at_risk() {
            self.fill(stream)?;
        }
        Ok(())
    }

    fn fill(&mut self, stream: usize) -> Result<(), FtlError<M::Error>> {
        if !self.continue_merge(stream)? {
            let (kind, nothing) = (PageKind::Filler, PageSource::Nothing);
            self.store(stream, LayerPurpose::Overhead, kind, 0, nothing)?;
        }
        Ok(())
    }

    /// Whether a page that took the place of one in this block might not survive a power cut. Flash without
    /// summaries is never mounted.
    fn is_needed(&self, block: u32) -> bool {
        let died = self.space.block(block).died;
        let mounts = self.space.shape.summary_pages > 0;
        let keep = self.barriers.keep(Barrier::SureBeforeErase);
        mounts && keep && self.open.iter().any(|open| open.leaves_doubt(died))
    }

    /// Sees to it that a block without live pages can lose what it holds.
    pub(super) fn secure(&mut self, block: u32) -> Result<(), FtlError<M::Error>> {
        if !self.is_needed(block) {
            return Ok(());
        }
        let died = self.space.block(block).died;
        for stream in 0..self.open.len() {
            while self.open[stream].leaves_doubt(died) {
                self.fill(stream)?;
            }
        }
        Ok(())
    }

    /// Erases one of the free blocks, where none is: a mount needs one, and may take others for blocks in use, because
    /// it finds pages again that were trimmed.
    pub(super) fn erase_ahead(&mut self) -> Result<(), FtlError<M::Error>> {
        let mounts = self.space.shape.summary_pages > 0 && self.mount.is_none();
        if !mounts || !self.barriers.keep(Barrier::EraseAhead) {
            return Ok(());
        }
        while !self.space.free().any(|block| self.space.block(block).blank) {
            let Some(block) = self.pick(false) else {
                break;
            };
            if self.is_needed(block) {
                // Fillers can end a merge, which frees another block.
                self.secure(block)?;
                continue;
            }
            self.space.take(block);
            self.media.purpose(LayerPurpose::Overhead);
            match self.erase_for(block, CellMode::Native) {
                Ok(()) => {
                    self.space.release(block);
                    self.space.block_mut(block).blank = true;
                    self.look_at_wear(block);
                }
                Err(MediaFault::Device(error)) => {
                    self.space.release(block);
                    return Err(FtlError::Device(error));
                }
                Err(_) => self.retire(block)?,
            }
        }
        Ok(())
    }

    /// Opens a block for a stream that has none: the most worn of the free blocks where resting data go to it.
    /// Whether there was one.
    pub(super) fn open(
        &mut self,
        stream: usize,
        mode: CellMode,
        purpose: LayerPurpose,
    ) -> Result<bool, FtlError<M::Error>> {
        while let Some(block) = self
            .pick(purpose == LayerPurpose::Leveling)
            .or_else(|| self.held())
        {
            self.secure(block)?;
            self.space.take(block);
            self.media.purpose(purpose);
            match self.erase_for(block, mode) {
                Ok(()) => {
                    if let Some(mount) = &mut self.mount {
                        mount.forget(block);
                    }
                    self.space.set_mode(block, mode);
                    self.space.block_mut(block).state = BlockState::Open;
                    self.open[stream].reset(block);
                    self.mark();
                    self.erase_ahead()?;
                    return Ok(true);
                }
                Err(MediaFault::Device(error)) => {
                    self.space.release(block);
                    return Err(FtlError::Device(error));
                }
                Err(_) => self.retire(block)?,
            }
        }
        Ok(false)
    }

    /// Erases a block before its first program, unless that was done ahead.
    fn erase_for(&mut self, block: u32, mode: CellMode) -> Result<(), MediaFault<M::Error>> {
        let blank = std::mem::take(&mut self.space.block_mut(block).blank);
        if blank && mode == CellMode::Native {
            return Ok(());
        }
        self.media.erase(block, mode)?;
        self.work.erased += 1;
        self.space.erased(block, self.media.erase_ps());
        Ok(())
    }

    /// The free block to open next: one that can be erased without fillers, if there is any.
    fn pick(&self, worn: bool) -> Option<u32> {
        let good = |block: &u32| !self.is_needed(*block);
        let free = || self.space.free();
        if worn {
            free().rev().find(good).or(free().next_back())
        } else {
            free().find(good).or(free().next())
        }
    }

    /// Marks a block bad that holds nothing of use.
    pub(super) fn retire(&mut self, block: u32) -> Result<(), FtlError<M::Error>> {
        self.space.condemn(block);
        self.work.retired += 1;
        self.mark();
        match self.media.retire(block) {
            Err(MediaFault::Device(error)) => Err(FtlError::Device(error)),
            _ => Ok(()),
        }
    }
}
