//! How a layer is found again on flash: which page of each logical page counts.
//!
//! Blocks with a summary are known from one page, of the others every page is read. What they hold is then
//! [moved](super::recovery), because an interrupted program can leave a page that reads well once and fails
//! later.

use std::collections::BTreeMap;

use wordline_memory::Flash;

use super::barrier::Barrier;
use super::flash_media::{FlashMedia, Survey};
use super::media::{CellMode, Fault, Media, PageKind, Purpose, Record};
use super::record::{Found, Role, epoch, next_epoch};

/// What a mount found in a flash.
#[derive(Clone, Debug)]
pub(super) struct FoundLayer {
    /// Where each logical page is, and its sequence number; `None` where it was not found.
    pub(super) newest: Vec<Option<(u32, u64)>>,
    pub(super) blocks: Vec<FoundBlock>,
    /// The first sequence number that may be used.
    pub(super) sequence: u64,
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
    /// It has a summary, and nothing shows that the power was not cut while that was programmed.
    Doubtful,
}

/// Looks at every block, and finds out which page of each logical one counts.
pub(super) fn find<F: Flash>(
    media: &mut FlashMedia<F>,
    logical: u32,
) -> Result<FoundLayer, F::Error> {
    media.purpose(Purpose::Recovery);
    let mut survey = Surveyed::default();
    for block in 0..media.shape().blocks {
        let found = survey.look(media, block)?;
        survey.blocks.push(found);
    }
    survey.read_pages(media, FoundState::Open)?;
    if media.barriers.keep(Barrier::LastSummary) {
        survey.doubt_last_summaries();
        survey.read_pages(media, FoundState::Doubtful)?;
    }
    let greatest = media.barriers.keep(Barrier::GreatestWins);
    let goes_on = media.barriers.keep(Barrier::SequenceGoesOn);
    Ok(FoundLayer {
        newest: survey.newest(logical, greatest),
        sequence: if goes_on { next_epoch(survey.last) } else { 1 },
        blocks: survey.blocks,
        held: survey.held,
    })
}

#[derive(Default)]
struct Surveyed {
    blocks: Vec<FoundBlock>,
    /// Sequence numbers before which summaries were programmed; 0 of blocks without.
    summaries: Vec<u64>,
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
        self.summaries.push(0);
        if is_bad(media, block)? {
            return Ok(found);
        }
        match media.survey(block)? {
            Survey::Blank => found.state = FoundState::Blank,
            Survey::Open => found.state = FoundState::Open,
            Survey::Closed { records, sequence } => {
                found.state = FoundState::Closed;
                found.programmed = media.pages_in(media.mode(block));
                if let Some(last) = self.summaries.last_mut() {
                    *last = sequence;
                }
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

    /// A summary was programmed to its end where the same mount programmed anything after it.
    fn doubt_last_summaries(&mut self) {
        let mut last: BTreeMap<u64, u64> = BTreeMap::new();
        for block in &self.blocks {
            let known = last.entry(epoch(block.written)).or_default();
            *known = block.written.max(*known);
        }
        for (block, summary) in self.blocks.iter_mut().zip(&self.summaries) {
            let goes_on = last.get(&epoch(*summary)).is_some_and(|last| last > summary);
            if block.state == FoundState::Closed && !goes_on {
                block.state = FoundState::Doubtful;
            }
        }
    }

    /// Reads each page of the blocks in a state.
    fn read_pages<F: Flash>(
        &mut self,
        media: &mut FlashMedia<F>,
        state: FoundState,
    ) -> Result<(), F::Error> {
        for block in 0..media.shape().blocks {
            if self.blocks[block as usize].state == state {
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
        let torn_from = match self.blocks[block as usize].state {
            FoundState::Doubtful => pages.len(),
            _ => last.unwrap_or(0),
        } as u32;
        let native = self.blocks[block as usize].mode == CellMode::Native;
        for (index, found) in (0..).zip(&mut pages) {
            let upper = media.safe_after(index).filter(|_| native);
            let doubtful = index >= torn_from || upper.is_some_and(|upper| upper >= torn_from);
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
            // A page that a mount moved is still where it was until the mount has closed the block.
            let counts = kind != PageKind::Recovered || block.state == FoundState::Doubtful;
            if counts || !media.barriers.keep(Barrier::RecoveredClosed) {
                let record = Record {
                    kind,
                    logical: stored.logical,
                    sequence: stored.sequence,
                };
                self.pages.push((first + index, record));
            }
        }
    }

    /// The page of each logical page that counts.
    fn newest(&self, logical: u32, greatest: bool) -> Vec<Option<(u32, u64)>> {
        let mut newest: Vec<Option<(u32, u64)>> = vec![None; logical as usize];
        let programmed = self.pages.iter();
        for (page, record) in programmed.filter(|(_, record)| record.kind != PageKind::Filler) {
            let Some(known) = newest.get_mut(record.logical as usize) else {
                continue;
            };
            if known.is_none_or(|(_, sequence)| (record.sequence > sequence) == greatest) {
                *known = Some((*page, record.sequence));
            }
        }
        newest
    }
}

pub(super) fn is_bad<F: Flash>(media: &mut FlashMedia<F>, block: u32) -> Result<bool, F::Error> {
    match media.is_bad(block) {
        Ok(bad) => Ok(bad),
        Err(Fault::Device(error)) => Err(error),
        // A block of which not even the mark can be read is one to leave alone.
        Err(_) => Ok(true),
    }
}
