//! How a layer is found again on flash: which page of each logical page counts.
//!
//! Blocks with a summary are known from one page, of the others every page is read. What they hold is then
//! [moved](super::recovery), because an interrupted program can leave a page that reads well once and fails
//! later.

use std::collections::{BTreeMap, BTreeSet};

use wordline_memory::Flash;

use super::barrier::Barrier;
use super::config::FtlConfig;
use super::flash_media::FlashMedia;
use super::media::{CellMode, Fault, Media, PageKind, Purpose, Record};
use super::record::{Found, Role, next_epoch};
use super::restore::{Found as Scan, ScannedBlock};
use super::space::BlockState;
use super::survey::Survey;
use super::translation::{FtlError, RESERVE, Translation};

/// Blank blocks that are kept for a mount: one that it moves pages to, and one where that fails.
pub(super) const SET_ASIDE: u32 = 2;

/// What becomes of pages that a mount had moved before the power was cut again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    /// They count where what they came from cannot be read any more.
    Needed,
    /// They do not count in blocks that were not closed. What they came from was torn by the first cut, so
    /// that an older version is as good.
    Forgotten,
}

/// What a mount found in a flash.
#[derive(Clone, Debug)]
pub(super) struct FoundLayer {
    /// Where each logical page is, and its record; `None` where it was not found.
    pub(super) newest: Vec<Option<(u32, Record)>>,
    pub(super) blocks: Vec<FoundBlock>,
    pub(super) pages_per_block: u32,
    /// The first sequence number that may be used.
    pub(super) sequence: u64,
    /// Blocks that are blank, and can be left to the next mount.
    pub(super) blank: Vec<u32>,
    /// Pages that may read well once and fail later, as they were read.
    pub(super) held: BTreeMap<u32, Vec<u8>>,
}

/// What a mount found in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundBlock {
    pub(super) state: FoundState,
    pub(super) mode: CellMode,
    /// Pages that were programmed, as far as is known.
    pub(super) programmed: u32,
    /// The greatest sequence number of its pages.
    pub(super) written: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoundState {
    Bad,
    Blank,
    Closed,
    /// It was open at the power cut.
    Open,
}

/// Looks at every block, and finds out which page of each logical one counts.
pub(super) fn find<F: Flash>(
    media: &mut FlashMedia<F>,
    logical: u32,
    copies: Copies,
) -> Result<FoundLayer, F::Error> {
    media.purpose(Purpose::Recovery);
    let mut survey = Surveyed::default();
    for block in 0..media.shape().blocks {
        let found = survey.look(media, block)?;
        survey.blocks.push(found);
    }
    survey.read_open(media)?;
    if media.barriers.keep(Barrier::SourceGone) {
        survey.leave_out_copies(media.shape().pages_per_block, copies);
    }
    let greatest = media.barriers.keep(Barrier::GreatestWins);
    let goes_on = media.barriers.keep(Barrier::SequenceGoesOn);
    Ok(FoundLayer {
        newest: survey.newest(logical, greatest),
        blank: Vec::new(),
        pages_per_block: media.shape().pages_per_block,
        sequence: if goes_on { next_epoch(survey.last) } else { 1 },
        blocks: survey.blocks,
        held: survey.held,
    })
}

#[derive(Default)]
struct Surveyed {
    blocks: Vec<FoundBlock>,
    /// Pages that hold something, with their records.
    pages: Vec<(u32, Record)>,
    held: BTreeMap<u32, Vec<u8>>,
    /// The greatest sequence number of all.
    last: u64,
}

impl Surveyed {
    /// Looks at the summary of a block.
    fn look<F: Flash>(
        &mut self,
        media: &mut FlashMedia<F>,
        block: u32,
    ) -> Result<FoundBlock, F::Error> {
        let mut found = FoundBlock {
            state: FoundState::Bad,
            mode: CellMode::Native,
            programmed: 0,
            written: 0,
        };
        if is_bad(media, block)? {
            return Ok(found);
        }
        match media.survey(block)? {
            Survey::Blank => found.state = FoundState::Blank,
            Survey::Open => found.state = FoundState::Open,
            Survey::Closed { records, sequence } => {
                found.state = FoundState::Closed;
                found.programmed = media.pages_in(media.mode(block));
                self.last = self.last.max(sequence);
                let first = block * media.shape().pages_per_block;
                for (page, record) in (first..).zip(records) {
                    self.last = self.last.max(record.sequence);
                    found.written = found.written.max(record.sequence);
                    self.pages.push((page, record));
                }
            }
        }
        found.mode = media.mode(block);
        Ok(found)
    }

    /// Leaves out what a mount moved to a block that it did not close, where the page that it came from is
    /// still there. It has the same sequence number.
    fn leave_out_copies(&mut self, pages_per_block: u32, copies: Copies) {
        let is_closed =
            |page: u32| self.blocks[(page / pages_per_block) as usize].state == FoundState::Closed;
        let origins = self.pages.iter();
        let origins = origins.filter(|(page, record)| !is_moved(record.kind) || is_closed(*page));
        let key = |record: &Record| (record.logical, record.sequence);
        let origins: BTreeSet<_> = origins.map(|(_, record)| key(record)).collect();
        let mut pages = std::mem::take(&mut self.pages);
        pages.retain(|(page, record)| {
            let needed = copies == Copies::Needed && !origins.contains(&key(record));
            !is_moved(record.kind) || is_closed(*page) || needed
        });
        self.pages = pages;
    }

    /// Reads each page of the blocks that were open.
    fn read_open<F: Flash>(&mut self, media: &mut FlashMedia<F>) -> Result<(), F::Error> {
        for block in 0..media.shape().blocks {
            if self.blocks[block as usize].state == FoundState::Open {
                self.read_pages_of(media, block)?;
            }
        }
        Ok(())
    }

    /// Reads each page of a block, and those once more that the power cut may have left doubtful: the last
    /// one, and those that share cells with it or a later one.
    fn read_pages_of<F: Flash>(
        &mut self,
        media: &mut FlashMedia<F>,
        block: u32,
    ) -> Result<(), F::Error> {
        let first = block * media.shape().pages_per_block;
        let mut pages = media.survey_pages(block)?;
        let last = pages.iter().rposition(|page| *page != Found::Erased);
        let last = last.unwrap_or(0) as u32;
        let native = self.blocks[block as usize].mode == CellMode::Native;
        for (index, found) in (0..).zip(&mut pages) {
            let upper = media.safe_after(index).filter(|_| native);
            let doubtful = index >= last || upper.is_some_and(|upper| upper >= last);
            let hold = doubtful && media.barriers.keep(Barrier::HoldDoubtful);
            if hold && matches!(found, Found::Whole(_)) {
                match media.read_whole(first + index)? {
                    Some(main) => drop(self.held.insert(first + index, main)),
                    None => *found = Found::Torn,
                }
            }
        }
        self.list(media, block, &pages);
        Ok(())
    }

    /// Lists the pages of a block that were read one by one, in place of those of its summary.
    fn list<F: Flash>(&mut self, media: &FlashMedia<F>, block: u32, pages: &[Found]) {
        let first = block * media.shape().pages_per_block;
        let block = &mut self.blocks[block as usize];
        self.pages
            .retain(|(page, _)| !(first..first + media.shape().pages_per_block).contains(page));
        for (index, found) in (0..).zip(pages) {
            let Found::Whole(stored) = found else {
                continue;
            };
            self.last = self.last.max(stored.sequence);
            block.written = block.written.max(stored.sequence);
            block.programmed = index + 1;
            let Role::Page(kind) = stored.role else {
                continue;
            };
            let record = Record {
                kind,
                logical: stored.logical,
                sequence: stored.sequence,
            };
            self.pages.push((first + index, record));
        }
    }

    /// The page of each logical page that counts.
    fn newest(&self, logical: u32, greatest: bool) -> Vec<Option<(u32, Record)>> {
        let mut newest: Vec<Option<(u32, Record)>> = vec![None; logical as usize];
        // What was moved has the sequence number of what it came from, and counts where both are there.
        let rank = |record: &Record| (record.sequence, is_moved(record.kind));
        for (page, record) in self.pages.iter().filter(|(_, record)| is_data(record.kind)) {
            let Some(known) = newest.get_mut(record.logical as usize) else {
                continue;
            };
            if known.is_none_or(|(_, known)| (rank(record) > rank(&known)) == greatest) {
                *known = Some((*page, *record));
            }
        }
        newest
    }
}

/// Whether a page stands for a logical one.
const fn is_data(kind: PageKind) -> bool {
    !matches!(kind, PageKind::Filler)
}

/// Whether a mount moved a page to where it is.
const fn is_moved(kind: PageKind) -> bool {
    matches!(kind, PageKind::Recovered)
}

impl<F: Flash> Translation<FlashMedia<F>> {
    /// The layer of which a mount found and recovered the blocks.
    pub(super) fn mounted(
        media: FlashMedia<F>,
        config: FtlConfig,
        found: &FoundLayer,
    ) -> Result<Self, FtlError<F::Error>> {
        let scan = found.scan(&media);
        let mut layer = Self::restore_from(media, config, scan, found.sequence)?;
        for (number, _) in (0..).zip(&found.blocks) {
            let erases = layer.erases_of(number).unwrap_or(0);
            layer.media.set_erases(number, erases);
        }
        layer.set_aside(&found.blank)?;
        Ok(layer)
    }

    /// Leaves [`SET_ASIDE`] blank blocks to the next mount: of those that are `blank` as far as the layer has not
    /// used them meanwhile, and others that are erased for it. The layer knows them as open, and never writes to
    /// them.
    pub(super) fn set_aside(&mut self, blank: &[u32]) -> Result<(), FtlError<F::Error>> {
        let mut left = if self.media.barriers.keep(Barrier::SetAside) {
            SET_ASIDE
        } else {
            0
        };
        while left > 0 && self.space.free_blocks() > RESERVE {
            let is_blank = self.space.free().find(|block| blank.contains(block));
            let Some(block) = is_blank.or(self.space.free().next_back()) else {
                break;
            };
            self.space.take(block);
            if is_blank.is_some() || self.erase_for_mount(block)? {
                self.space.block_mut(block).state = BlockState::Open;
                left -= 1;
            }
        }
        self.mark();
        Ok(())
    }

    fn erase_for_mount(&mut self, block: u32) -> Result<bool, FtlError<F::Error>> {
        self.media.purpose(Purpose::Recovery);
        match self.media.erase(block, CellMode::Native) {
            Ok(()) => {
                self.space.erased(block);
                Ok(true)
            }
            Err(Fault::Device(error)) => Err(FtlError::Device(error)),
            Err(_) => self.retire(block).map(|()| false),
        }
    }
}

impl FoundLayer {
    /// Whether pages can be moved: no block needs it, or one is blank or holds nothing that counts.
    pub(super) fn has_room(&self) -> bool {
        let mut live = vec![false; self.blocks.len()];
        for (page, _) in self.newest.iter().flatten() {
            live[(page / self.pages_per_block) as usize] = true;
        }
        let is_full = |block: &FoundBlock, live: bool| live || block.state == FoundState::Bad;
        let mut blocks = self.blocks.iter().zip(&live);
        let needs = |state| state == FoundState::Open;
        let needs = blocks
            .clone()
            .any(|(block, live)| *live && needs(block.state));
        !needs || !blocks.all(|(block, live)| is_full(block, *live))
    }

    /// Every block with the pages that count.
    fn scan<F: Flash>(&self, media: &FlashMedia<F>) -> Vec<ScannedBlock> {
        let erases = typical_erases(media, &self.blocks);
        let scanned = |(number, block): (u32, &FoundBlock)| {
            let records = || {
                let pages = media.pages_in(block.mode) - media.shape().summary_pages;
                vec![None; pages as usize]
            };
            let (erases, found) = match block.state {
                FoundState::Bad => (erases, Scan::Bad),
                FoundState::Closed => (media.erases(number), Scan::Closed(records())),
                _ => (erases, Scan::Erased),
            };
            ScannedBlock {
                erases,
                mode: block.mode,
                found,
            }
        };
        let mut scan: Vec<_> = (0..).zip(&self.blocks).map(scanned).collect();
        for (page, record) in self.newest.iter().flatten() {
            let (block, index) = (page / self.pages_per_block, page % self.pages_per_block);
            if let Scan::Closed(records) = &mut scan[block as usize].found
                && let Some(place) = records.get_mut(index as usize)
            {
                *place = Some(*record);
            }
        }
        scan
    }
}

/// Mean erases of the blocks that tell, which is taken for those that do not.
fn typical_erases<F: Flash>(media: &FlashMedia<F>, blocks: &[FoundBlock]) -> u32 {
    let (mut sum, mut count) = (0u64, 0u64);
    for (number, _) in (0..)
        .zip(blocks)
        .filter(|(_, block)| block.state == FoundState::Closed)
    {
        sum += u64::from(media.erases(number));
        count += 1;
    }
    sum.checked_div(count).unwrap_or(0) as u32
}

pub(super) fn is_bad<F: Flash>(media: &mut FlashMedia<F>, block: u32) -> Result<bool, F::Error> {
    match media.is_bad(block) {
        Ok(bad) => Ok(bad),
        Err(Fault::Device(error)) => Err(error),
        // A block of which not even the mark can be read is one to leave alone.
        Err(_) => Ok(true),
    }
}
