//! What a scan of the flash finds after the power went, and which of it counts.

use std::collections::BTreeSet;

use super::barrier::{Barrier, Barriers};
use super::media::{CellMode, PageKind, PageRecord, Shape};

/// A block as a scan finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScannedBlock {
    /// Erases so far, as far as the medium knows; 0 otherwise.
    pub erases: u32,
    /// How its cells are used.
    pub mode: CellMode,
    /// What it holds.
    pub found: ScanResult,
}

/// What a block holds. Records are those of its pages in their order; `None` stands for a page that was not
/// programmed or whose record cannot be read. Records that are missing at the end were not programmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanResult {
    /// It is marked bad.
    Bad,
    /// Every page reads as erased.
    Erased,
    /// Its summary can be read.
    Closed(Vec<Option<PageRecord>>),
    /// Something was programmed, and the summary cannot be read: the block was open when the power went, or it was
    /// being erased.
    Torn(Vec<Option<PageRecord>>),
}

impl ScanResult {
    pub(super) fn records(&self) -> &[Option<PageRecord>] {
        match self {
            Self::Closed(records) | Self::Torn(records) => records,
            Self::Bad | Self::Erased => &[],
        }
    }

    /// Records of logical pages, with the number of their page.
    pub(super) fn valid(&self) -> impl Iterator<Item = (u32, PageRecord)> {
        let records = (0..).zip(self.records());
        let records = records.filter_map(|(index, record)| Some((index, (*record)?)));
        records.filter(|(_, record)| record.kind != PageKind::Filler)
    }
}

/// Which copies count that a mount had made before the power was cut again, in blocks that it had not closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    /// Those of pages that cannot be read any more.
    Needed,
    /// None. What they were copied from was torn by the first cut, so that an older version is as good.
    Forgotten,
}

/// Turns copies that do not count into fillers.
pub(super) fn leave_out_copies(scan: &mut [ScannedBlock], copies: Copies) {
    let key = |record: PageRecord| (record.logical, record.sequence);
    let mut originals = BTreeSet::new();
    if copies == Copies::Needed {
        for block in scan.iter() {
            let closed = matches!(block.found, ScanResult::Closed(_));
            let valid = block.found.valid();
            let counts = valid.filter(|(_, record)| closed || record.kind != PageKind::Recovered);
            originals.extend(counts.map(|(_, record)| key(record)));
        }
    }
    for block in scan {
        let ScanResult::Torn(records) = &mut block.found else {
            continue;
        };
        for record in records.iter_mut().flatten() {
            let needed = copies == Copies::Needed && !originals.contains(&key(*record));
            if record.kind == PageKind::Recovered && !needed {
                record.kind = PageKind::Filler;
            }
        }
    }
}

/// The page and the record of each logical page that count: those with the greatest sequence number. A copy that a
/// mount made has that of its original, and counts where both are there.
pub(super) fn newest(
    scan: &[ScannedBlock],
    shape: Shape,
    logical: u32,
    barriers: Barriers,
) -> Vec<Option<(u32, PageRecord)>> {
    let mut newest: Vec<Option<(u32, PageRecord)>> = vec![None; logical as usize];
    let rank = |record: PageRecord| (record.sequence, record.kind == PageKind::Recovered);
    let greatest = barriers.keep(Barrier::GreatestWins);
    for (number, block) in (0..).zip(scan) {
        let capacity = match block.mode {
            CellMode::Native => shape.pages_per_block,
            CellMode::Slc => shape.slc_pages_per_block,
        } - shape.summary_pages;
        for (index, record) in block.found.valid() {
            let known = newest.get_mut(record.logical as usize);
            let Some(known) = known.filter(|_| index < capacity) else {
                continue;
            };
            if known.is_none_or(|(_, best)| (rank(record) > rank(best)) == greatest) {
                *known = Some((number * shape.pages_per_block + index, record));
            }
        }
    }
    newest
}

/// Whether pages can be moved: no torn block needs it, or one block holds nothing that counts.
pub(super) fn has_room(
    scan: &[ScannedBlock],
    newest: &[Option<(u32, PageRecord)>],
    shape: Shape,
) -> bool {
    let mut live = vec![false; scan.len()];
    for (page, _) in newest.iter().flatten() {
        live[(page / shape.pages_per_block) as usize] = true;
    }
    let torn = |block: &ScannedBlock| matches!(block.found, ScanResult::Torn(_));
    let mut blocks = scan.iter().zip(live);
    let needs = blocks.clone().any(|(block, live)| live && torn(block));
    !needs || blocks.any(|(block, live)| !live && block.found != ScanResult::Bad)
}
