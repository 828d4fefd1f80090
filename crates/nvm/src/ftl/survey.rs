//! What a mount asks of flash: what a block holds, and the mark of a formatted one.

use wordline_memory::{Ecc, Flash, FlashError, FlashErrorKind};

use super::barrier::Barrier;
use super::flash_media::{BlockMode, FlashMedia, MediaError};
use super::mark::{Mark, MarkFound};
use super::media::{CellMode, LayerPurpose, Media, MediaFault, PageRecord};
use super::record::{FetchedPage, Role, StoredRecord, decode_summary};
use super::scan::{ScanResult as Scan, ScannedBlock};

/// What a block was found to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Survey {
    /// Its first page reads as erased.
    Blank,
    /// It ends with its summary.
    Closed(Vec<PageRecord>),
    /// It does not.
    Open,
}

impl<F: Flash> FlashMedia<F> {
    /// Fetches a page of the flash, and says what it holds. Its main area is then in the image.
    pub(super) fn fetch(&mut self, page: u32, checked: bool) -> Result<FetchedPage, F::Error> {
        match self.flash.read(page, 0, &mut self.image) {
            Ok(Ecc::Corrected { refresh: true, .. }) => self.note_advice(page),
            Ok(_) => {}
            Err(error) if error.kind() == FlashErrorKind::Uncorrectable => {
                return Ok(FetchedPage::Torn);
            }
            Err(error) => return Err(error),
        }
        let (main, spare) = self.image.split_at(self.geometry.page_bytes as usize);
        if let Some(stored) = StoredRecord::decode(self.layout.get(spare), main, checked) {
            return Ok(FetchedPage::Whole(stored));
        }
        let erased = self.image.iter().all(|byte| *byte == 0xFF);
        Ok(if erased {
            FetchedPage::Erased
        } else {
            FetchedPage::Torn
        })
    }

    /// Remembers that the block of a page of the flash is to be moved, if it is one of the layer's.
    fn note_advice(&mut self, page: u32) {
        let block = page / self.geometry.pages_per_block;
        let behind_mark = block.checked_sub(self.mark_block + 1);
        self.advised.extend(behind_mark);
    }

    /// Fetches a page of a block in some mode.
    pub(super) fn fetch_at(
        &mut self,
        block: u32,
        mode: CellMode,
        index: u32,
    ) -> Result<FetchedPage, F::Error> {
        let checked = self.barriers.keep(Barrier::RecordCheck);
        let first = (self.mark_block + 1 + block) * self.geometry.pages_per_block;
        let page = first + self.index(mode, index);
        self.fetch(page, checked)
    }

    /// Looks at a block that is not bad.
    fn survey(&mut self, block: u32) -> Result<Survey, F::Error> {
        if let Some(closed) = self.summary(block, CellMode::Native)? {
            return Ok(closed);
        }
        // Every mode programs page 0 first, then page 1.
        let mode = match self.fetch_at(block, CellMode::Native, 0)? {
            FetchedPage::Erased => return Ok(Survey::Blank),
            FetchedPage::Whole(stored) => stored.mode,
            FetchedPage::Torn => match self.fetch_at(block, CellMode::Native, 1)? {
                FetchedPage::Whole(stored) => stored.mode,
                _ => CellMode::Native,
            },
        };
        self.blocks[block as usize].mode = mode;
        if mode == CellMode::Slc
            && let Some(closed) = self.summary(block, mode)?
        {
            return Ok(closed);
        }
        Ok(Survey::Open)
    }

    /// Looks at each page of a block that has no summary.
    fn survey_pages(&mut self, block: u32) -> Result<Vec<Option<PageRecord>>, F::Error> {
        let mode = self.blocks[block as usize].mode;
        let pages = self.pages_in(mode) - self.shape.summary_pages;
        let mut record = |index| match self.fetch_at(block, mode, index)? {
            FetchedPage::Whole(StoredRecord {
                role: Role::Page(kind),
                logical,
                sequence,
                ..
            }) => Ok(Some(PageRecord {
                kind,
                logical,
                sequence,
            })),
            _ => Ok(None),
        };
        (0..pages).map(&mut record).collect()
    }

    /// What every block holds. Erases of blocks that do not record them are taken for the mean of those that do.
    ///
    /// # Errors
    /// When the flash fails.
    pub(super) fn scan(&mut self) -> Result<Vec<ScannedBlock>, F::Error> {
        self.purpose(LayerPurpose::Recovery);
        let mut scan = Vec::new();
        let (mut sum, mut count) = (0_u64, 0_u64);
        for block in 0..self.shape.blocks {
            let found = self.look(block)?;
            if matches!(found, Scan::Closed(_)) {
                sum += u64::from(self.erases(block));
                count += 1;
            }
            scan.push(ScannedBlock {
                erases: 0,
                mode: self.mode(block),
                found,
            });
        }
        let mean = sum.checked_div(count).unwrap_or(0) as u32;
        for (block, of) in self.blocks.iter_mut().zip(&mut scan) {
            if !matches!(of.found, Scan::Closed(_)) {
                block.erases = mean;
            }
            of.erases = block.erases;
        }
        Ok(scan)
    }

    fn look(&mut self, block: u32) -> Result<Scan, F::Error> {
        if self.is_bad_block(block)? {
            return Ok(Scan::Bad);
        }
        Ok(match self.survey(block)? {
            Survey::Blank => Scan::Erased,
            Survey::Closed(records) => Scan::Closed(records.into_iter().map(Some).collect()),
            Survey::Open => Scan::Torn(self.survey_pages(block)?),
        })
    }

    /// Whether a block is marked bad, or not even its mark can be read.
    ///
    /// # Errors
    /// When the flash fails.
    pub(super) fn is_bad_block(&mut self, block: u32) -> Result<bool, F::Error> {
        match self.is_bad(block) {
            Ok(bad) => Ok(bad),
            Err(MediaFault::Device(error)) => Err(error),
            Err(_) => Ok(true),
        }
    }

    /// The summary of a block in some mode, if it ends with a whole one.
    fn summary(&mut self, block: u32, mode: CellMode) -> Result<Option<Survey>, F::Error> {
        let (mut records, mut erased) = (Vec::new(), 0);
        let first = self.pages_in(mode) - self.shape.summary_pages;
        for part in 0..self.shape.summary_pages {
            let checked = self.barriers.keep(Barrier::RecordCheck);
            let start = (self.mark_block + 1 + block) * self.geometry.pages_per_block;
            let page = start + self.index(mode, first + part);
            let FetchedPage::Whole(stored) = self.fetch(page, checked)? else {
                return Ok(None);
            };
            let is_part = stored.role == Role::Summary && stored.logical == part;
            if !is_part || stored.mode != mode {
                return Ok(None);
            }
            let main = &self.image[..self.geometry.page_bytes as usize];
            match decode_summary(main, &mut records) {
                Some(erases) => erased = erases,
                None => return Ok(None),
            }
        }
        self.blocks[block as usize] = BlockMode {
            mode,
            erases: erased,
        };
        Ok(Some(Survey::Closed(records)))
    }

    /// Erases the block of the mark, or the next good one where it fails, and takes the blocks behind it
    /// for the layer; nothing is formatted then.
    ///
    /// # Errors
    /// When the flash fails.
    pub(super) fn erase_mark(&mut self) -> Result<(), MediaError<F::Error>> {
        let mut block = self.mark_block;
        while block < self.geometry.blocks {
            if !self.flash.is_bad(block).map_err(MediaError::Device)? {
                match self.flash.erase(block) {
                    Ok(()) => {
                        self.begin_behind(block);
                        return Ok(());
                    }
                    Err(error) if error.kind() == FlashErrorKind::EraseFailed => {
                        self.flash.mark_bad(block).map_err(MediaError::Device)?;
                    }
                    Err(error) => return Err(MediaError::Device(error)),
                }
            }
            block += 1;
        }
        Err(MediaError::NoGoodBlock)
    }

    /// Programs the mark in the pages of its block that hold nothing yet, from `first` on. Copies that
    /// cannot be programmed are left out.
    ///
    /// # Errors
    /// When the flash fails.
    pub(super) fn write_mark(&mut self, mark: &Mark, first: u32) -> Result<(), F::Error> {
        let main = mark.encode(self.geometry.page_bytes as usize);
        let stored = StoredRecord {
            role: Role::Mark,
            mode: CellMode::Native,
            logical: 0,
            sequence: 0,
        };
        for copy in first..Mark::COPIES.min(self.geometry.pages_per_block) {
            let page = self.mark_block * self.geometry.pages_per_block + copy;
            match self.put(page, stored, Some(&main)) {
                Ok(()) | Err(MediaFault::ProgramFailed) => {}
                Err(MediaFault::Device(error)) => return Err(error),
                Err(MediaFault::EraseFailed | MediaFault::Uncorrectable) => {}
            }
        }
        Ok(())
    }

    /// Looks for the mark. Its check is its own, so that one of other sizes is understood too.
    ///
    /// # Errors
    /// When the flash fails.
    pub(super) fn find_mark(&mut self) -> Result<MarkFound, F::Error> {
        let mut found = MarkFound::default();
        for copy in 0..Mark::COPIES.min(self.geometry.pages_per_block) {
            let page = self.mark_block * self.geometry.pages_per_block + copy;
            let held = self.fetch(page, true)?;
            if held == FetchedPage::Erased {
                continue;
            }
            found.pages = copy + 1;
            if held != FetchedPage::Torn || found.mark.is_none() {
                let main = &self.image[..self.geometry.page_bytes as usize];
                found.mark = found.mark.or(Mark::decode(main));
            }
        }
        Ok(found)
    }
}
