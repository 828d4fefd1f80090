//! What a power cut leaves of blocks of flash: of the one operation that it interrupts, of an erase that was started and
//! not waited for, and, where a driver or a controller holds changes back, of all that no sync has made to last.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wordline_core::draw::{Purpose, draw};
use wordline_crash::{
    FlashContent, FlashImage, FlashTear, FlashTearing, ImageId, Recording, Weakness,
};
use wordline_memory::{Ecc, Flash, Geometry};
use wordline_nvm::{BlockContent, NvmError, PageContent, clear_bits};

use super::background::StartedWork;
use super::block_faults::{FaultSet, Struck};
use super::cells::{Cells, count_as_erased, place};
use super::cut::{drawn, first};
use super::device::Op;
use super::fault::{FaultReason, MemoryFault};

/// What an interrupted erase can leave, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EraseLeaves(u64);

impl EraseLeaves {
    const OLD: u64 = 1;
    const PART: u64 = 2;
    const DRIFTS: u64 = 4;
    const FAILS_PROGRAMS: u64 = 8;
    const FAILS_ERASES: u64 = 16;
    const ALL: u64 = 31;

    /// By the header's bits; everything where none is set.
    pub(super) fn of(bits: u64) -> Result<Self, MemoryFault> {
        match bits {
            0 => Ok(Self(Self::ALL)),
            bits if bits & !Self::ALL == 0 => Ok(Self(bits)),
            found => Err(FaultReason::Value {
                what: "erase_leaves",
                found,
                allowed: "0, or WL_MEMORY_LEAVES_... ored together, 1 to 31",
            }
            .into()),
        }
    }

    const fn is_all(self) -> bool {
        self.0 == Self::ALL
    }

    const fn allows(self, tear: FlashTear) -> bool {
        let bit = match tear {
            FlashTear::PartErased { .. } => Self::PART,
            FlashTear::LooksErased(Weakness::Drifts) => Self::DRIFTS,
            FlashTear::LooksErased(Weakness::FailsPrograms) => Self::FAILS_PROGRAMS,
            FlashTear::LooksErased(Weakness::FailsErases) => Self::FAILS_ERASES,
            _ => Self::OLD,
        };
        self.0 & bit != 0
    }
}

/// How blocks are torn.
#[derive(Clone, Copy, Debug)]
pub(super) struct TornBlock {
    pub(super) tearing: FlashTearing,
    pub(super) seed: u64,
    pub(super) leaves: EraseLeaves,
}

impl TornBlock {
    /// Leaves the blocks of an operation as a cut within it does. `left` is as before it, `done` as after it.
    pub(super) fn tear(
        &self,
        left: &mut Cells,
        done: &mut Cells,
        op: &Op<'_>,
    ) -> Result<(), MemoryFault> {
        let geometry = left.flash()?.geometry();
        match *op {
            Op::Program { page, column, data } => {
                let (block, within) = place(geometry, page);
                if done
                    .faults
                    .struck_since(&left.faults, block, Struck::Program)
                {
                    // What does nothing leaves the cells as they are.
                    return Ok(());
                }
                let content = done.flash()?.content(block)?;
                self.tear_program(left, block, content, (within, column, data))
            }
            Op::Erase { block, blocks } => {
                let blocks = block..block.saturating_add(blocks);
                let struck = struck_erases(&left.faults, &done.faults, blocks.clone());
                self.tear_erases(left, done, blocks, &struck)
            }
            Op::Move { to, .. } => {
                let bytes = done.intended(to)?;
                let op = Op::Program {
                    page: to,
                    column: 0,
                    data: &bytes,
                };
                self.tear(left, done, &op)
            }
            _ => Ok(()),
        }
    }

    /// Leaves blocks as a cut within their erase does. `struck` are those that a fault keeps as they are: they count it.
    fn tear_erases(
        &self,
        left: &mut Cells,
        done: &mut Cells,
        blocks: impl IntoIterator<Item = u32>,
        struck: &BTreeSet<u32>,
    ) -> Result<(), MemoryFault> {
        for (index, block) in (0..).zip(blocks) {
            let cycles = done.flash()?.cycles(block)?;
            if struck.contains(&block) {
                left.flash()?.set_cycles(block, cycles)?;
            } else {
                self.tear_erase(left, block, cycles, index)?;
            }
        }
        Ok(())
    }

    /// Leaves the blocks of an erase that was started as a cut within it does.
    pub(super) fn tear_work(
        &self,
        left: &mut Cells,
        work: &StartedWork,
    ) -> Result<(), MemoryFault> {
        let mut erased = Vec::new();
        for block in work.blocks() {
            if is_erased(left, block)? {
                erased.push((block, left.flash()?.cycles(block)?));
            }
        }
        work.put_back(left)?;
        for (index, (block, cycles)) in erased.into_iter().enumerate() {
            self.tear_erase(left, block, cycles, index as u64)?;
        }
        Ok(())
    }

    /// The block as an image of its own.
    fn image(&self, left: &mut Cells, block: u32) -> Result<FlashImage, MemoryFault> {
        if let Some(image) = left.torn.get(&block) {
            return Ok(image.clone());
        }
        let flash = left.flash()?;
        let mut alone = Alone::new(flash.geometry(), flash.content(block)?);
        let content = FlashContent::of(&mut alone)?;
        first(&Recording::new(content, self.tearing), self.seed)
    }

    /// Leaves a block as a cut within a program does, which would have left `content`.
    fn tear_program(
        &self,
        left: &mut Cells,
        block: u32,
        mut content: BlockContent,
        (within, column, data): (u32, u32, &[u8]),
    ) -> Result<(), MemoryFault> {
        let geometry = left.flash()?.geometry();
        let mut recorder = self.image(left, block)?.record(self.tearing);
        // An operation that the memory refuses is not recorded, and leaves nothing.
        let _ = recorder.program(within, column, data);
        let recording = recorder.finish().1;
        if recording.operations().is_empty() {
            return Ok(());
        }
        let mut image = drawn(&recording, 0, self.seed)?;
        if image.tear() == FlashTear::Nothing {
            return Ok(());
        }
        one_reading(&mut content, &mut image, geometry);
        left.flash()?.set_content(block, &content)?;
        left.torn.insert(block, image);
        Ok(())
    }

    /// Leaves a block as a cut within an erase does, which is its cycle of that number. All blocks of one erase are left
    /// alike, each with bits of its own.
    fn tear_erase(
        &self,
        left: &mut Cells,
        block: u32,
        cycles: u64,
        index: u64,
    ) -> Result<(), MemoryFault> {
        let geometry = left.flash()?.geometry();
        let mut recorder = self.image(left, block)?.record(self.tearing);
        let _ = recorder.erase(0);
        let recording = recorder.finish().1;
        if recording.operations().is_empty() {
            return Ok(());
        }
        let mut image = self.drawn_erase(&recording, index)?;
        if image.tear() == FlashTear::Nothing {
            return Ok(());
        }
        let mut content = BlockContent::default();
        left.flash()?.set_cycles(block, cycles)?;
        one_reading(&mut content, &mut image, geometry);
        left.flash()?.set_content(block, &content)?;
        left.torn.insert(block, image);
        Ok(())
    }

    /// One of the images that an interrupted erase may leave, each with equal chance.
    fn drawn_erase(
        &self,
        recording: &Recording<FlashTearing>,
        index: u64,
    ) -> Result<FlashImage, MemoryFault> {
        if self.leaves.is_all() && index == 0 {
            return drawn(recording, 0, self.seed);
        }
        let id = |variant, seed| ImageId {
            operation: 0,
            variant,
            seed,
        };
        let variants = (0..).map_while(|variant| recording.image(id(variant, self.seed)));
        let allowed: Vec<u64> = (0..)
            .zip(variants)
            .filter(|(_, image)| self.leaves.allows(image.tear()))
            .map(|(variant, _)| variant)
            .collect();
        let choice = draw(self.seed, 0, 0, Purpose::Tear) % (allowed.len() as u64).max(1);
        let variant = allowed.get(choice as usize).copied().unwrap_or(0);
        let image = recording.image(id(variant, self.seed.wrapping_add(index)));
        Ok(image.ok_or(FaultReason::Internal)?)
    }
}

/// A change of flash that no sync has made to last.
#[derive(Clone, Debug)]
enum FlashChange {
    Program {
        page: u32,
        column: u32,
        data: Vec<u8>,
    },
    Erase {
        blocks: BTreeSet<u32>,
        /// Those of them that a fault kept as they were: they count the erase, and their pages count as erased.
        struck: BTreeSet<u32>,
    },
}

/// A block as it was when the first such change came.
#[derive(Clone, Debug)]
struct TouchedBlock {
    content: BlockContent,
    cycles: u64,
    torn: Option<FlashImage>,
}

/// Changes of flash that a driver or a controller may hold back until a sync.
#[derive(Clone, Debug, Default)]
pub(super) struct FlashLog {
    touched: BTreeMap<u32, TouchedBlock>,
    changes: Vec<FlashChange>,
    /// Whether the operation that came last is the last of the changes: a mark is none, nor a program that a fault let
    /// come to nothing.
    is_last_noted: bool,
}

impl FlashLog {
    /// Notes a change that was done.
    pub(super) fn note(
        &mut self,
        op: &Op<'_>,
        before: &Cells,
        after: &mut Cells,
    ) -> Result<(), MemoryFault> {
        self.is_last_noted = false;
        let geometry = after.flash()?.geometry();
        let (blocks, change) = match *op {
            Op::Program { page, column, data } => {
                let (block, _) = place(geometry, page);
                if after
                    .faults
                    .struck_since(&before.faults, block, Struck::Program)
                {
                    return Ok(());
                }
                let data = data.to_vec();
                (
                    block..block + 1,
                    FlashChange::Program { page, column, data },
                )
            }
            Op::Erase { block, blocks } => {
                let all = block..block.saturating_add(blocks);
                let struck = struck_erases(&before.faults, &after.faults, all.clone());
                let blocks = all.clone().collect();
                (all, FlashChange::Erase { blocks, struck })
            }
            Op::Move { to, .. } => {
                let bytes = after.intended(to)?;
                let op = Op::Program {
                    page: to,
                    column: 0,
                    data: &bytes,
                };
                return self.note(&op, before, after);
            }
            Op::Mark { block } => return self.forget(geometry, block..block + 1),
            Op::StartErase { block, blocks } => {
                return self.forget(geometry, block..block.saturating_add(blocks));
            }
            _ => return Ok(()),
        };
        let mut fork = before.fork();
        for block in blocks {
            let content = fork.flash()?.content(block)?;
            let cycles = fork.flash()?.cycles(block)?;
            self.touched.entry(block).or_insert_with(|| TouchedBlock {
                content,
                cycles,
                torn: before.torn.get(&block).cloned(),
            });
        }
        self.changes.push(change);
        self.is_last_noted = true;
        Ok(())
    }

    /// Notes an operation whose failure was reported: the chip has done it, and what came before in its blocks.
    pub(super) fn note_failed(
        &mut self,
        op: &Op<'_>,
        geometry: Geometry,
    ) -> Result<(), MemoryFault> {
        self.is_last_noted = false;
        let (first, blocks) = match *op {
            Op::Program { page, .. } | Op::Move { to: page, .. } => (geometry.block_of(page), 1),
            Op::Erase { block, blocks } => (block, blocks),
            _ => return Ok(()),
        };
        self.forget(geometry, first..first.saturating_add(blocks))
    }

    /// Forgets what blocks have seen: it is known to be in the chip, such as with a mark or the start of an erase, which no
    /// driver holds back.
    pub(super) fn forget(
        &mut self,
        geometry: Geometry,
        blocks: Range<u32>,
    ) -> Result<(), MemoryFault> {
        self.is_last_noted = false;
        self.touched.retain(|block, _| !blocks.contains(block));
        self.changes.retain_mut(|change| match change {
            FlashChange::Program { page, .. } => !blocks.contains(&geometry.block_of(*page)),
            FlashChange::Erase { blocks: erased, .. } => {
                erased.retain(|block| !blocks.contains(block));
                !erased.is_empty()
            }
        });
        Ok(())
    }

    /// Lets memory hold what a cut leaves that finds these changes held back: a drawn part of them, in an order that keeps
    /// each block's own. Where the cut came `within` the operation that came last, that one is torn, if it had begun at all.
    pub(super) fn reorder(
        &self,
        left: &mut Cells,
        torn: &TornBlock,
        within: bool,
    ) -> Result<(), MemoryFault> {
        for (block, was) in &self.touched {
            let flash = left.flash()?;
            flash.set_content(*block, &was.content)?;
            flash.set_cycles(*block, was.cycles)?;
            match &was.torn {
                Some(image) => left.torn.insert(*block, image.clone()),
                None => left.torn.remove(block),
            };
        }
        let is_torn = within && self.is_last_noted;
        let whole = self.changes.len() - usize::from(is_torn);
        let landed = Landed::drawn(torn.seed, self.changes.len() as u64);
        for (index, change) in self.changes[..whole].iter().enumerate() {
            if landed.has(index as u64) {
                land(left, torn, change)?;
            }
        }
        let Some(last) = self.changes.get(whole).filter(|_| landed.has(whole as u64)) else {
            return Ok(());
        };
        let mut done = left.fork();
        land(&mut done, torn, last)?;
        match last {
            FlashChange::Program { page, column, data } => {
                let (page, column) = (*page, *column);
                torn.tear(left, &mut done, &Op::Program { page, column, data })
            }
            FlashChange::Erase { blocks, struck } => {
                torn.tear_erases(left, &mut done, blocks.iter().copied(), struck)
            }
        }
    }
}

/// Blocks whose erase a fault let come to nothing.
fn struck_erases(before: &FaultSet, after: &FaultSet, blocks: Range<u32>) -> BTreeSet<u32> {
    let struck = |block: &u32| after.struck_since(before, *block, Struck::Erase);
    blocks.filter(struck).collect()
}

/// Whether a block holds nothing: an erase of it was done.
fn is_erased(cells: &mut Cells, block: u32) -> Result<bool, MemoryFault> {
    Ok(cells.flash()?.content(block)?.pages.is_empty())
}

/// Which of some changes have come to the cells.
#[derive(Clone, Copy, Debug)]
enum Landed {
    AllBut(u64),
    Before(u64),
    Drawn(u64),
}

impl Landed {
    fn drawn(seed: u64, changes: u64) -> Self {
        let which = draw(seed, 1, 1, Purpose::Tear) % changes.max(1);
        match draw(seed, 1, 0, Purpose::Tear) % 3 {
            0 => Self::AllBut(which),
            1 => Self::Before(which),
            _ => Self::Drawn(seed),
        }
    }

    fn has(self, index: u64) -> bool {
        match self {
            Self::AllBut(lost) => index != lost,
            Self::Before(first_lost) => index < first_lost,
            Self::Drawn(seed) => draw(seed, 2, index, Purpose::Tear) & 1 == 1,
        }
    }
}

/// Lets a change come to the cells, whatever they hold: chips do not know what was lost before.
fn land(left: &mut Cells, torn: &TornBlock, change: &FlashChange) -> Result<(), MemoryFault> {
    let geometry = left.flash()?.geometry();
    match change {
        FlashChange::Program { page, column, data } => {
            let (block, within) = place(geometry, *page);
            let held = left.flash()?.page_content(*page)?;
            let mut held = held.unwrap_or_else(|| PageContent::erased(&geometry));
            let units = geometry.once_units(*column, data.len() as u32);
            let bits = units.into_iter().flatten();
            let bits: u64 = bits.fold(0, |all, unit| all | 1 << unit.min(63));
            let limit = geometry.programs_per_page.unwrap_or(u32::MAX);
            // Two codewords on top of each other are none.
            held.given_up |=
                torn.tearing.ecc.is_some() && (held.units & bits != 0 || held.programs >= limit);
            clear_bits(&mut held.bytes[*column as usize..], data);
            held.programs = held.programs.saturating_add(1).min(limit);
            held.units |= bits;
            left.flash()?.set_page_content(*page, Some(&held))?;
            if let Some(image) = left.torn.get_mut(&block) {
                // A block that fails its programs holds less of this one: the image knows how much.
                let _ = image.program_taken(within, *column, data);
            }
        }
        FlashChange::Erase { blocks, struck } => {
            for block in blocks {
                let cycles = left.flash()?.cycles(*block)?;
                let mut content = BlockContent::default();
                if struck.contains(block) {
                    content = left.flash()?.content(*block)?;
                    count_as_erased(&mut content);
                } else {
                    left.torn.remove(block);
                }
                left.flash()?.set_content(*block, &content)?;
                left.flash()?.set_cycles(*block, cycles.saturating_add(1))?;
            }
        }
    }
    Ok(())
}

/// Lets a block hold one reading of what a cut left.
fn one_reading(content: &mut BlockContent, image: &mut FlashImage, geometry: Geometry) {
    for page in 0..geometry.pages_per_block {
        let bytes = image.content().page_bytes(page);
        if bytes.iter().all(|byte| *byte == 0xFF) && !content.pages.contains_key(&page) {
            continue;
        }
        let mut again = vec![0; bytes.len()];
        let given_up = image.read(page, 0, &mut again).is_err();
        let held = content
            .pages
            .entry(page)
            .or_insert_with(|| PageContent::erased(&geometry));
        held.bytes = if given_up { bytes } else { again };
        held.given_up = given_up;
        held.wrong.clear();
    }
}

/// One block as a memory of its own, to be looked at.
struct Alone {
    geometry: Geometry,
    content: BlockContent,
}

impl Alone {
    const fn new(mut geometry: Geometry, content: BlockContent) -> Self {
        geometry.blocks = 1;
        Self { geometry, content }
    }
}

impl Flash for Alone {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.geometry.check_read(page, column, out.len() as u64)?;
        match self.content.pages.get(&page) {
            Some(page) => out.copy_from_slice(&page.bytes[column as usize..][..out.len()]),
            None => out.fill(0xFF),
        }
        Ok(Ecc::Clean)
    }

    fn program(&mut self, page: u32, _: u32, _: &[u8]) -> Result<(), NvmError> {
        Err(NvmError::ProgramFailed { page })
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        Err(NvmError::EraseFailed { block })
    }

    /// An operation that a cut interrupts was not refused: its block is marked good.
    fn is_bad(&mut self, _: u32) -> Result<bool, NvmError> {
        Ok(false)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        Err(NvmError::EraseFailed { block })
    }
}
