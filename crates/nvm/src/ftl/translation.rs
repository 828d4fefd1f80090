//! Where logical pages go, and what is cleaned when.

use super::config::{FtlConfig, FtlConfigError};
use super::media::{CellMode, Fault, Media, PageKind, Record};
use super::space::{BlockState, Space};
use super::work::Work;

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
        /// Where it is.
        page: u32,
    },
    /// So many blocks went bad that no page is left.
    #[error("no block is left to write to: {bad} blocks are bad")]
    Full {
        /// Bad blocks.
        bad: u32,
    },
    /// The flash failed otherwise.
    #[error("the flash failed")]
    Device(E),
}

/// A translation layer on flash.
#[derive(Clone, Debug)]
pub struct Translation<M> {
    media: M,
    config: FtlConfig,
    space: Space,
    logical: u32,
    sequence: u64,
    host: Option<u32>,
    cleaner: Option<u32>,
    victim: Option<(u32, u32)>,
    work: Work,
}

impl<M: Media> Translation<M> {
    /// A layer on erased flash: no logical page is written.
    ///
    /// # Errors
    /// When the configuration cannot work on this flash, or the flash fails.
    pub fn format(mut media: M, config: FtlConfig) -> Result<Self, FtlError<M::Error>> {
        let shape = media.shape();
        let usable = shape.pages_per_block - shape.summary_pages;
        let logical = (shape.blocks - config.spare_blocks) * usable;
        let mut space = Space::new(shape, logical);
        for block in 0..shape.blocks {
            match media.is_bad(block) {
                Ok(false) => {}
                Ok(true) => {
                    space.blocks[block as usize].state = BlockState::Bad;
                    space.free.retain(|free| *free != block);
                }
                Err(fault) => return Err(Self::device(fault)),
            }
        }
        Ok(Self {
            media,
            config,
            space,
            logical,
            sequence: 0,
            host: None,
            cleaner: None,
            victim: None,
            work: Work::default(),
        })
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

    /// What the layer did.
    pub fn work(&self) -> &Work {
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
        self.work.read += 1;
        match self.media.read(page, out) {
            Ok(()) => Ok(true),
            Err(Fault::Uncorrectable) => Err(FtlError::Lost { logical, page }),
            Err(fault) => Err(Self::device(fault)),
        }
    }

    /// Writes a logical page.
    ///
    /// # Errors
    /// [`FtlError::OutOfRange`], [`FtlError::Full`], [`FtlError::Device`].
    pub fn write(&mut self, logical: u32, data: &M::Data) -> Result<(), FtlError<M::Error>> {
        self.check(logical)?;
        while (self.space.free.len() as u32) < self.config.cleaning.start_below && self.step()? {}
        let page = self.next_page(false)?;
        let record = self.record(logical);
        self.media
            .program(page, record, data)
            .map_err(Self::device)?;
        self.work.written += 1;
        self.space.put(logical, Some(page));
        Ok(())
    }

    /// Forgets a logical page.
    ///
    /// # Errors
    /// [`FtlError::OutOfRange`].
    pub fn trim(&mut self, logical: u32) -> Result<(), FtlError<M::Error>> {
        self.check(logical)?;
        self.space.put(logical, None);
        Ok(())
    }

    /// Returns when everything written before survives a power cut.
    ///
    /// # Errors
    /// [`FtlError::Full`], [`FtlError::Device`].
    pub fn flush(&mut self) -> Result<(), FtlError<M::Error>> {
        Ok(())
    }

    /// One step of what is useful while nobody waits. Whether there was any.
    ///
    /// # Errors
    /// [`FtlError::Full`], [`FtlError::Device`].
    pub fn idle_step(&mut self) -> Result<bool, FtlError<M::Error>> {
        if self.space.free.len() as u32 >= self.config.cleaning.idle_until {
            return Ok(false);
        }
        self.step()
    }

    /// One step of cleaning: a page copied or a block freed. Whether there was one.
    fn step(&mut self) -> Result<bool, FtlError<M::Error>> {
        let per_block = self.space.shape.pages_per_block;
        let Some((victim, mut index)) = self.victim.or_else(|| self.choose().map(|b| (b, 0)))
        else {
            return Ok(false);
        };
        while index < per_block {
            let from = victim * per_block + index;
            index += 1;
            if let Some(logical) = self.space.live_in(from) {
                let to = self.next_page(true)?;
                let record = self.record(logical);
                self.media.copy(from, to, record).map_err(Self::device)?;
                self.work.cleaned += 1;
                self.space.put(logical, Some(to));
                self.victim = Some((victim, index));
                return Ok(true);
            }
        }
        self.victim = None;
        self.space.blocks[victim as usize].state = BlockState::Free;
        self.space.free.push_back(victim);
        Ok(true)
    }

    fn choose(&self) -> Option<u32> {
        let usable = self.space.shape.pages_per_block - self.space.shape.summary_pages;
        let blocks = self.space.blocks.iter().zip(0..);
        let closed =
            blocks.filter(|(block, _)| block.state == BlockState::Closed && block.live < usable);
        closed
            .min_by_key(|(block, _)| block.live)
            .map(|(_, number)| number)
    }

    fn next_page(&mut self, moved: bool) -> Result<u32, FtlError<M::Error>> {
        let shape = self.space.shape;
        let open = if moved { self.cleaner } else { self.host };
        let block = match open {
            Some(block) => block,
            None => {
                let bad = self
                    .space
                    .blocks
                    .iter()
                    .filter(|block| block.state == BlockState::Bad);
                let full = FtlError::Full {
                    bad: bad.count() as u32,
                };
                let block = self.space.free.pop_front().ok_or(full)?;
                self.media
                    .erase(block, CellMode::Native)
                    .map_err(Self::device)?;
                self.work.erased += 1;
                let of = &mut self.space.blocks[block as usize];
                of.state = BlockState::Open;
                of.programmed = 0;
                of.erases += 1;
                block
            }
        };
        let of = &mut self.space.blocks[block as usize];
        let page = block * shape.pages_per_block + of.programmed;
        of.programmed += 1;
        let full = of.programmed == shape.pages_per_block - shape.summary_pages;
        if full {
            of.state = BlockState::Closed;
        }
        *(if moved {
            &mut self.cleaner
        } else {
            &mut self.host
        }) = (!full).then_some(block);
        Ok(page)
    }

    fn record(&mut self, logical: u32) -> Record {
        self.sequence += 1;
        Record {
            kind: PageKind::Data,
            logical,
            sequence: self.sequence,
        }
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

    fn device(fault: Fault<M::Error>) -> FtlError<M::Error> {
        match fault {
            Fault::Device(error) => FtlError::Device(error),
            _ => FtlError::Full { bad: 0 },
        }
    }
}
