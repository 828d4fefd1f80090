//! Where logical pages go: the layer as its users see it.

use std::collections::BTreeSet;

use super::barrier::Barriers;
use super::clean::CleaningJob;
use super::config::{FtlConfig, FtlConfigError, check_pages};
use super::health::LayerHealth;
use super::log_block::Logs;
use super::media::{CellMode, LayerPurpose, Media, MediaFault, PageKind};
use super::restore::MountState;
use super::space::{BlockSpace, BlockState, NONE};
use super::store::{OpenBlock, PageSource, ProgramResult};
use super::work::LayerWork;

/// What can go wrong in the layer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FtlError<E> {
    /// The configuration cannot work on this flash.
    #[error(transparent)]
    Config(#[from] FtlConfigError),
    /// There is no such logical page.
    #[error("logical page {logical} lies outside a layer of {pages} pages")]
    OutOfRange {
        /// The page asked for.
        logical: u32,
        /// Logical pages.
        pages: u32,
    },
    /// A page that was written cannot be read.
    #[error("logical page {logical} cannot be read: its flash page {page} cannot be corrected")]
    Lost {
        /// The logical page.
        logical: u32,
        /// Where it is, or the marker in its place.
        page: u32,
    },
    /// So many blocks went bad that no page is left to write to. What was written can be read.
    #[error("no block is left to write to ({health})")]
    Full {
        /// What the layer has left.
        health: LayerHealth,
    },
    /// The flash failed otherwise.
    #[error("the flash failed")]
    Device(E),
}

/// Free blocks that the host cannot have: one so that cleaning always ends, and one for a program that fails
/// meanwhile.
pub(super) const RESERVE: u32 = 2;

/// Which open block takes what, when every page may be anywhere.
pub(super) const HOST: usize = 0;
pub(super) const MOVED: usize = 1;
pub(super) const RESTING: usize = 2;

/// A translation layer on flash.
///
/// A caller that only wants its pages kept uses [`write`](Self::write), [`read`](Self::read) and
/// [`flush`](Self::flush). One that answers its host between steps, as a card does, asks
/// [`can_write`](Self::can_write) and [`wants_step`](Self::wants_step), does steps with
/// [`step_for`](Self::step_for) as its time allows, and then [`write_at_once`](Self::write_at_once). What each
/// operation was for, the medium learns from [`Media::purpose`].
#[derive(Clone, Debug)]
pub struct Translation<M> {
    pub(super) media: M,
    pub(super) config: FtlConfig,
    pub(super) space: BlockSpace,
    pub(super) logical: u32,
    pub(super) sequence: u64,
    /// Open blocks; which one is for what depends on the mapping.
    pub(super) open: Vec<OpenBlock>,
    /// The block that is being emptied.
    pub(super) job: Option<CleaningJob>,
    /// Free blocks were too few, and are not enough yet.
    pub(super) cleaning: bool,
    /// Wear may have become uneven.
    pub(super) uneven: bool,
    /// Blocks in which a program failed, oldest first.
    pub(super) failing: Vec<u32>,
    /// Blocks that the ECC advised to move, oldest first.
    pub(super) tired: Vec<u32>,
    /// Closed blocks of the SLC cache, oldest first.
    pub(super) cached: std::collections::VecDeque<u32>,
    /// The tables of the hybrid mapping.
    pub(super) logs: Option<Logs>,
    /// What a mount in progress must remember.
    pub(super) mount: Option<MountState>,
    /// Logical pages whose place is a marker that they were lost.
    pub(super) lost: BTreeSet<u32>,
    /// Bad blocks when it was formatted or mounted.
    pub(super) bad_at_start: u32,
    /// Whether the last write found no block.
    pub(super) refused: bool,
    pub(super) work: LayerWork,
    pub(super) barriers: Barriers,
}

impl<M: Media> Translation<M> {
    /// A layer on flash that holds nothing: no logical page is written.
    ///
    /// # Errors
    /// When the configuration cannot work on this flash, or the flash fails.
    pub fn format(mut media: M, config: FtlConfig) -> Result<Self, FtlError<M::Error>> {
        let shape = media.shape();
        // Nothing is looked at, let alone allocated, for a shape that cannot work.
        config.logical_pages(shape, 0)?;
        check_pages(&media)?;
        let mut bad = Vec::new();
        for block in 0..shape.blocks {
            match media.is_bad(block) {
                Ok(false) => {}
                Err(MediaFault::Device(error)) => return Err(FtlError::Device(error)),
                Ok(true) | Err(_) => bad.push(block),
            }
        }
        let logical = config.logical_pages(shape, bad.len() as u32)?;
        let mut layer = Self::empty(media, config, logical);
        for block in bad {
            layer.space.take(block);
            layer.space.condemn(block);
        }
        layer.bad_at_start = layer.space.bad;
        layer.mark();
        Ok(layer)
    }

    /// A layer all of whose blocks are free.
    pub(super) fn empty(media: M, config: FtlConfig, logical: u32) -> Self {
        let shape = media.shape();
        let space = BlockSpace::new(shape, logical, config.leveling.next);
        let logs = Logs::new(config.mapping, logical / space.capacity(CellMode::Native));
        let open = logs.as_ref().map_or(RESTING, Logs::target) + 1;
        Self {
            space,
            logs,
            mount: None,
            media,
            config,
            logical,
            sequence: 0,
            open: vec![OpenBlock::default(); open],
            job: None,
            cleaning: false,
            uneven: false,
            failing: Vec::new(),
            tired: Vec::new(),
            cached: std::collections::VecDeque::new(),
            lost: BTreeSet::new(),
            bad_at_start: 0,
            refused: false,
            work: LayerWork::default(),
            barriers: Barriers::ALL,
        }
    }

    /// Logical pages.
    pub fn pages(&self) -> u32 {
        self.logical
    }

    /// What carries the pages.
    pub fn media(&self) -> &M {
        &self.media
    }

    /// What carries the pages, to damage or to watch it.
    pub fn media_mut(&mut self) -> &mut M {
        &mut self.media
    }

    /// Gives the medium back.
    pub fn into_media(self) -> M {
        self.media
    }

    /// The choices.
    pub fn config(&self) -> &FtlConfig {
        &self.config
    }

    /// What the layer did.
    pub fn work(&self) -> &LayerWork {
        &self.work
    }

    /// Reads a logical page. Returns whether it was ever written; `out` is left alone where it was not.
    ///
    /// # Errors
    /// [`FtlError::OutOfRange`], [`FtlError::Lost`], [`FtlError::Device`].
    pub fn read(&mut self, logical: u32, out: &mut M::Data) -> Result<bool, FtlError<M::Error>> {
        self.check(logical)?;
        let Some(page) = self.space.place(logical) else {
            return Ok(false);
        };
        if self.is_lost(logical) {
            return Err(FtlError::Lost { logical, page });
        }
        self.work.read += 1;
        self.media.purpose(LayerPurpose::Host);
        let read = self.media.read(page, out);
        self.take_advice();
        match read {
            Ok(()) => Ok(true),
            Err(MediaFault::Device(error)) => Err(FtlError::Device(error)),
            Err(_) => Err(FtlError::Lost { logical, page }),
        }
    }

    /// Writes a logical page, after as many steps as the configuration asks for and as it takes to find room.
    ///
    /// # Errors
    /// [`FtlError::OutOfRange`], [`FtlError::Full`], [`FtlError::Device`]: the page is then as it was.
    pub fn write(&mut self, logical: u32, data: &M::Data) -> Result<(), FtlError<M::Error>> {
        self.check(logical)?;
        let mut left = self.config.cleaning.steps_per_write.unwrap_or(u32::MAX);
        while !self.can_write(logical) || (left > 0 && self.wants_step()) {
            if self.step_for(logical)?.is_none() {
                break;
            }
            left = left.saturating_sub(1);
        }
        self.write_at_once(logical, data)
    }

    /// Whether a write finds a page without any step before it.
    pub fn can_write(&self, logical: u32) -> bool {
        self.stream_for(logical).is_some()
    }

    /// The open block that takes a logical page from the host.
    fn stream_for(&self, logical: u32) -> Option<usize> {
        if logical >= self.logical {
            return None;
        }
        match &self.logs {
            Some(logs) => self.log_for(logs, logical),
            None => (self.open[HOST].block != NONE).then_some(HOST),
        }
    }

    /// Whether there is something to do that writes should not leave to later ones: few blocks are free, one
    /// is failing, the ECC advised to move one, or wear is uneven.
    pub fn wants_step(&self) -> bool {
        self.cleaning || self.uneven || !self.failing.is_empty() || !self.tired.is_empty()
    }

    /// One step before a write: one that it needs where [`can_write`](Self::can_write) is false, one that is
    /// wanted otherwise. What it was for; `None` where there was nothing to do.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn step_for(&mut self, logical: u32) -> Result<Option<LayerPurpose>, FtlError<M::Error>> {
        self.check(logical)?;
        if self.can_write(logical) {
            return self.wanted_step();
        }
        let step = self.needed_step(logical);
        if step.is_err() {
            return self.judged(step).map(Some);
        }
        step.map(Some)
    }

    /// Writes a logical page without other steps than those without which there is no room for it.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_at_once(
        &mut self,
        logical: u32,
        data: &M::Data,
    ) -> Result<(), FtlError<M::Error>> {
        self.check(logical)?;
        let written = self.write_page(logical, data);
        self.judged(written)
    }

    fn write_page(&mut self, logical: u32, data: &M::Data) -> Result<(), FtlError<M::Error>> {
        loop {
            let Some(stream) = self.stream_for(logical) else {
                self.needed_step(logical)?;
                continue;
            };
            let content = PageSource::Data(data);
            let stored =
                self.store(stream, LayerPurpose::Host, PageKind::Data, logical, content)?;
            self.touch_log(stream, stored);
            if matches!(stored, ProgramResult::At(_)) {
                return Ok(());
            }
        }
    }

    /// Forgets a logical page: it reads as never written, until it is written or the power is cut. After a power cut it
    /// reads as never written, or as any version that was written to it before, or is lost: `FTL.md` has the rule.
    ///
    /// # Errors
    /// [`FtlError::OutOfRange`].
    pub fn trim(&mut self, logical: u32) -> Result<(), FtlError<M::Error>> {
        self.check(logical)?;
        self.lost.remove(&logical);
        self.space.put(logical, None, self.sequence);
        Ok(())
    }

    /// Returns when everything written before survives a power cut: fills the cells that later programs would
    /// put at risk.
    ///
    /// # Errors
    /// [`FtlError::Device`].
    pub fn flush(&mut self) -> Result<(), FtlError<M::Error>> {
        for stream in 0..self.open.len() {
            self.settle(stream)?;
        }
        Ok(())
    }

    /// One step of idle work. Returns whether there was any.
    ///
    /// # Errors
    /// [`FtlError::Full`], [`FtlError::Device`].
    pub fn idle_step(&mut self) -> Result<bool, FtlError<M::Error>> {
        Ok(self.spare_time_step()?.is_some())
    }

    pub(super) fn is_lost(&self, logical: u32) -> bool {
        !self.lost.is_empty() && self.lost.contains(&logical)
    }

    fn check(&self, logical: u32) -> Result<(), FtlError<M::Error>> {
        if logical < self.logical {
            Ok(())
        } else {
            Err(FtlError::OutOfRange {
                logical,
                pages: self.logical,
            })
        }
    }

    /// State of the blocks.
    pub fn wear(&self) -> LayerWear {
        let good = self
            .space
            .blocks
            .iter()
            .filter(|block| block.state != BlockState::Bad);
        let (mut blocks, mut erases) = (0_u32, 0_u64);
        for block in good {
            blocks += 1;
            erases += u64::from(block.erases);
        }
        let (least, most) = self.space.wear_range();
        LayerWear {
            good_blocks: blocks,
            bad_blocks: self.space.bad,
            free_blocks: self.space.free_blocks(),
            live_pages: self.space.live_pages(),
            erases_min: least,
            erases_max: most,
            erases_mean: erases as f64 / f64::from(blocks.max(1)),
        }
    }
}

/// State of the blocks, for reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerWear {
    /// Blocks in use or free.
    pub good_blocks: u32,
    /// Blocks that are retired, those bad from the factory included.
    pub bad_blocks: u32,
    /// Blocks that hold nothing.
    pub free_blocks: u32,
    /// Logical pages that are written.
    pub live_pages: u32,
    /// Erases of the good block with the fewest.
    pub erases_min: u32,
    /// Erases of the good block with the most.
    pub erases_max: u32,
    /// Erases of a good block on average.
    pub erases_mean: f64,
}
