//! A medium in plain RAM that checks every rule of flash, for tests.

use std::collections::BTreeSet;

use super::media::{CellMode, LayerPurpose, Media, MediaFault, PageKind, PageRecord, Shape};
use super::scan::{ScanResult, ScannedBlock};

/// A page that was programmed: its record, and a number as its data. `None` cannot be read.
pub(super) type Page = (PageRecord, Option<u64>);

#[derive(Clone, Debug, Default)]
pub(super) struct FixtureBlock {
    pub(super) pages: Vec<Option<Page>>,
    pub(super) mode: Option<CellMode>,
    pub(super) summary: Option<Vec<PageRecord>>,
    pub(super) bad: bool,
    /// A page that only a scan can read.
    weak: Option<usize>,
}

/// A page whose program was interrupted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Torn {
    #[default]
    Unreadable,
    ReadsWell,
    /// Only the scan reads it.
    ReadsWellOnce,
}

/// What the medium does wrong.
#[derive(Clone, Debug, Default)]
pub(super) struct Ills {
    /// Every how many programs one fails, fillers and summaries included; 0 never.
    pub(super) program: u64,
    /// Every how many erases one fails; 0 never.
    pub(super) erase: u64,
    /// Operations after which the power goes.
    pub(super) cut_after: Option<u64>,
    /// What becomes of the page that the cut interrupts.
    pub(super) torn: Torn,
    /// Blocks that may fail.
    pub(super) blocks: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Ram {
    pub(super) shape: Shape,
    pub(super) blocks: Vec<FixtureBlock>,
    pub(super) ills: Ills,
    /// Distance from a lower page to the upper page of its cells; 0 where pages are on their own.
    pub(super) pairing: u32,
    pub(super) programs: u64,
    pub(super) erases: u64,
    operations: u64,
    failed: BTreeSet<u32>,
    pub(super) purpose: LayerPurpose,
}

/// The power is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut;

type Done = Result<(), MediaFault<Cut>>;

impl Ram {
    pub(super) fn new(shape: Shape) -> Self {
        let block = FixtureBlock {
            pages: vec![None; shape.pages_per_block as usize],
            ..FixtureBlock::default()
        };
        Self {
            shape,
            blocks: vec![block; shape.blocks as usize],
            ills: Ills::default(),
            pairing: 0,
            programs: 0,
            erases: 0,
            operations: 0,
            failed: BTreeSet::new(),
            purpose: LayerPurpose::Host,
        }
    }

    fn at(&mut self, page: u32) -> (&mut FixtureBlock, usize) {
        let per_block = self.shape.pages_per_block;
        let block = &mut self.blocks[(page / per_block) as usize];
        (block, (page % per_block) as usize)
    }

    /// Whether this operation is the one that the power cut interrupts; none works after it.
    fn is_cut(&mut self) -> Result<bool, MediaFault<Cut>> {
        self.operations += 1;
        match self.ills.cut_after {
            Some(after) if self.operations > after + 1 => Err(MediaFault::Device(Cut)),
            after => Ok(after == Some(self.operations - 1)),
        }
    }

    /// The power is back, and goes again after so many operations.
    pub(super) fn power_up(&mut self, cut_after: Option<u64>) {
        self.operations = 0;
        self.ills.cut_after = cut_after;
    }

    fn fails(&mut self, every: u64, count: u64, block: u32) -> bool {
        let new = self.failed.len() < self.ills.blocks as usize;
        let fails = every > 0 && count.is_multiple_of(every) && new;
        if fails {
            self.failed.insert(block);
        }
        fails
    }

    fn put(&mut self, page: u32, record: PageRecord, data: Option<u64>) -> Done {
        let cut = self.is_cut()?;
        self.programs += 1;
        let (pairing, summary_pages) = (self.pairing, self.shape.summary_pages as usize);
        let slc_pages = self.shape.slc_pages_per_block as usize;
        let torn = self.ills.torn;
        let (block, index) = self.at(page);
        let mode = block.mode.expect("the block was erased");
        let pages = match mode {
            CellMode::Native => block.pages.len(),
            CellMode::Slc => slc_pages,
        };
        assert!(!block.bad, "a program in a bad block");
        assert!(index < pages - summary_pages, "a page of the summary");
        assert!(block.summary.is_none(), "a program behind the summary");
        assert!(
            block.pages[index..].iter().all(Option::is_none),
            "not in rising order"
        );
        let lower = (pairing > 0 && mode == CellMode::Native).then(|| lower_of(index, pairing));
        block.pages[index] = Some((record, data));
        if cut && torn == Torn::ReadsWell {
            return Err(MediaFault::Device(Cut));
        }
        if cut {
            block.pages[index].as_mut().expect("just put").1 = None;
            if let Some(lower) = lower
                .flatten()
                .and_then(|lower| block.pages[lower].as_mut())
            {
                lower.1 = None;
            }
            block.weak = (torn == Torn::ReadsWellOnce).then_some(index);
            return Err(MediaFault::Device(Cut));
        }
        let number = page / self.shape.pages_per_block;
        if self.fails(self.ills.program, self.programs, number) {
            self.at(page).0.pages[index] = Some((record, None));
            return Err(MediaFault::ProgramFailed);
        }
        Ok(())
    }

    /// What a scan finds after a power cut.
    pub(super) fn scan(&self) -> Vec<ScannedBlock> {
        self.blocks.iter().map(|block| self.look(block)).collect()
    }

    fn look(&self, block: &FixtureBlock) -> ScannedBlock {
        let mode = block.mode.unwrap_or(CellMode::Native);
        let read = |(index, page): (usize, &Option<Page>)| {
            let (record, data) = (*page)?;
            (data.is_some() || block.weak == Some(index)).then_some(record)
        };
        let records: Vec<_> = block.pages.iter().enumerate().map(read).collect();
        let found = match &block.summary {
            _ if block.bad => ScanResult::Bad,
            Some(summary) => ScanResult::Closed(summary.iter().copied().map(Some).collect()),
            None if block.pages.iter().all(Option::is_none) => ScanResult::Erased,
            None => ScanResult::Torn(records),
        };
        ScannedBlock {
            erases: 0,
            mode,
            found,
        }
    }

    pub(super) fn harm(&mut self, page: u32) {
        let (block, index) = self.at(page);
        if let Some(page) = &mut block.pages[index] {
            page.1 = None;
        }
    }
}

/// Pages come in groups of twice the distance, first the lower ones and then the upper ones.
fn lower_of(index: usize, pairing: u32) -> Option<usize> {
    let pairing = pairing as usize;
    (index % (2 * pairing) >= pairing).then(|| index - pairing)
}

impl Media for Ram {
    type Data = u64;
    type Error = Cut;

    fn shape(&self) -> Shape {
        self.shape
    }

    fn purpose(&mut self, purpose: LayerPurpose) {
        self.purpose = purpose;
    }

    fn read(&mut self, page: u32, out: &mut u64) -> Done {
        let (block, index) = self.at(page);
        let (_, data) = block.pages[index].expect("a page that was programmed");
        *out = data.ok_or(MediaFault::Uncorrectable)?;
        Ok(())
    }

    fn program(&mut self, page: u32, record: PageRecord, data: &u64) -> Done {
        assert_eq!(record.kind, PageKind::Data);
        self.put(page, record, Some(*data))
    }

    fn copy(&mut self, from: u32, to: u32, record: PageRecord) -> Done {
        let mut data = 0;
        self.read(from, &mut data)?;
        assert!(matches!(record.kind, PageKind::Data | PageKind::Recovered));
        self.put(to, record, Some(data))
    }

    fn fill(&mut self, page: u32, record: PageRecord) -> Done {
        assert!(matches!(record.kind, PageKind::Filler | PageKind::Lost));
        self.put(page, record, Some(0))
    }

    fn summarize(&mut self, block: u32, records: &[PageRecord]) -> Done {
        let cut = self.is_cut()?;
        assert!(self.shape.summary_pages > 0);
        self.programs += 1;
        let failed = self.fails(self.ills.program, self.programs, block);
        let summary_pages = self.shape.summary_pages;
        let slc_pages = self.shape.slc_pages_per_block;
        let of = &mut self.blocks[block as usize];
        let pages = match of.mode.expect("the block was erased") {
            CellMode::Native => of.pages.len() as u32,
            CellMode::Slc => slc_pages,
        };
        assert!(!of.bad && of.summary.is_none());
        assert_eq!(records.len() as u32, pages - summary_pages);
        for (page, record) in of.pages.iter().zip(records) {
            match page {
                Some((found, _)) if record.kind != PageKind::Filler => assert_eq!(found, record),
                _ => assert_eq!(record.kind, PageKind::Filler),
            }
        }
        if cut {
            return Err(MediaFault::Device(Cut));
        }
        if failed {
            return Err(MediaFault::ProgramFailed);
        }
        of.summary = Some(records.to_vec());
        Ok(())
    }

    fn erase(&mut self, block: u32, mode: CellMode) -> Done {
        let cut = self.is_cut()?;
        self.erases += 1;
        let failed = self.fails(self.ills.erase, self.erases, block);
        let of = &mut self.blocks[block as usize];
        assert!(!of.bad, "an erase of a bad block");
        if cut {
            // Every other page goes.
            for page in of.pages.iter_mut().step_by(2).flatten() {
                page.1 = None;
            }
            of.summary = None;
            return Err(MediaFault::Device(Cut));
        }
        of.pages.fill(None);
        of.summary = None;
        of.mode = Some(mode);
        of.weak = None;
        if failed {
            return Err(MediaFault::EraseFailed);
        }
        Ok(())
    }

    fn retire(&mut self, block: u32) -> Done {
        let cut = self.is_cut()?;
        let of = &mut self.blocks[block as usize];
        of.bad = true;
        of.pages.fill(None);
        if cut {
            return Err(MediaFault::Device(Cut));
        }
        Ok(())
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, MediaFault<Cut>> {
        Ok(self.blocks[block as usize].bad)
    }

    fn safe_after(&self, page: u32) -> Option<u32> {
        let distance = self.pairing;
        (distance > 0 && page % (2 * distance) < distance).then(|| page + distance)
    }

    fn advised(&mut self) -> Option<u32> {
        None
    }
}

/// A medium that holds nothing and checks nothing, for long runs.
pub(super) struct Unchecked(pub(super) Shape);

impl Media for Unchecked {
    type Data = u64;
    type Error = Cut;

    fn shape(&self) -> Shape {
        self.0
    }

    fn read(&mut self, _page: u32, _out: &mut u64) -> Done {
        Ok(())
    }

    fn program(&mut self, _page: u32, _record: PageRecord, _data: &u64) -> Done {
        Ok(())
    }

    fn copy(&mut self, _from: u32, _to: u32, _record: PageRecord) -> Done {
        Ok(())
    }

    fn fill(&mut self, _page: u32, _record: PageRecord) -> Done {
        Ok(())
    }

    fn summarize(&mut self, _block: u32, _records: &[PageRecord]) -> Done {
        Ok(())
    }

    fn erase(&mut self, _block: u32, _mode: CellMode) -> Done {
        Ok(())
    }

    fn retire(&mut self, _block: u32) -> Done {
        Ok(())
    }

    fn is_bad(&mut self, _block: u32) -> Result<bool, MediaFault<Cut>> {
        Ok(false)
    }

    fn advised(&mut self) -> Option<u32> {
        None
    }
}
