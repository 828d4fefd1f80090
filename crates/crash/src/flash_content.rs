//! What a flash memory holds, without its time, energy and wear: bytes, bits that read differently
//! every time, what was programmed since the erase, marks, and weak blocks; and the ECC that reads it.

use std::fmt;
use std::sync::Arc;

use wordline_core::draw::{Purpose, draw};
use wordline_memory::{Ecc, Flash, Geometry};
use wordline_nvm::{NvmError, Pages, ProgramHistory};

use super::flash_ecc::EccStrength;
use super::flash_page::{ImagePage, Meant};
use super::hash::{self, WORD};

/// What a flash memory holds. A clone shares it until one side changes.
#[derive(Clone, Debug)]
pub struct FlashContent {
    geometry: Geometry,
    /// The ECC on the chip. While there is one, pages keep what they were to hold.
    ecc: Option<EccStrength>,
    blocks: Pages<ImageBlock>,
    /// A block whose erase was begun and has not ended.
    erasing: Option<u32>,
    hash: u64,
}

/// A block. Its default is erased, sound and unmarked.
#[derive(Clone, Debug, Default)]
struct ImageBlock {
    /// Pages that were programmed or damaged since the erase, up to the last such.
    pages: Vec<Option<Arc<ImagePage>>>,
    bad: bool,
    weak: Option<Weak>,
    /// What an interrupted erase left below the pages.
    half: Option<Arc<Half>>,
    hash: u64,
}

/// A block that an interrupted erase left weak.
#[derive(Clone, Copy, Debug)]
struct Weak {
    how: Weakness,
    key: u64,
}

/// What becomes of a block that an interrupted erase left, until it is erased again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weakness {
    /// Programs succeed, but some of their bits read differently every time.
    Drifts,
    /// A program fails, and the block has gone bad then; erasing it before mends it.
    FailsPrograms,
    /// Programs and erases fail: the block has gone bad.
    FailsErases,
}

impl fmt::Display for Weakness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Drifts => "bits that are programmed then read differently every time",
            Self::FailsPrograms => "a program then fails",
            Self::FailsErases => "programs and erases then fail",
        })
    }
}

/// An interrupted erase: each bit is old or 1.
#[derive(Clone, Debug)]
struct Half {
    before: ImageBlock,
    key: u64,
    /// The share of bits that were set already.
    eighths: u8,
    /// Whether some of the other bits read differently every time.
    flickers: bool,
}

/// Bits of which each is 1 with a probability of `eighths`/8, drawn for a key and a place.
pub(super) fn bits(key: u64, place: u64, eighths: u8) -> u64 {
    if eighths >= 8 {
        return u64::MAX;
    }
    // From the lowest digit of the probability up: or-ing with a fair bit halves and adds a half,
    // and-ing halves. Digits below the lowest 1 leave nothing.
    (u64::from(eighths.trailing_zeros())..3).fold(0, |mask, digit| {
        let fair = draw(key, place, digit, Purpose::Tear);
        if eighths >> digit & 1 == 1 {
            mask | fair
        } else {
            mask & fair
        }
    })
}

impl FlashContent {
    /// An erased memory with no bad block.
    ///
    /// # Panics
    /// When the geometry is not [valid](Geometry::is_valid).
    #[must_use]
    pub fn erased(geometry: Geometry) -> Self {
        assert!(geometry.is_valid(), "{geometry:?}");
        Self {
            geometry,
            ecc: None,
            blocks: Pages::new(geometry.blocks as usize),
            erasing: None,
            hash: 0,
        }
    }

    /// The same with a block that is marked bad, as factories do; a block that the memory does not have is ignored.
    #[must_use]
    pub fn with_bad_block(mut self, block: u32) -> Self {
        if block < self.geometry.blocks {
            self.mark_bad(block);
        }
        self
    }

    /// The same with a weak block, such as one that is about to go bad; a block that the memory does not have is
    /// ignored.
    #[must_use]
    pub fn with_weak_block(mut self, block: u32, how: Weakness) -> Self {
        if block < self.geometry.blocks {
            self.weaken(block, how, u64::from(block));
        }
        self
    }

    /// What a memory holds, read through its contract. On a simulated device time passes. The
    /// contract does not report how a page was programmed: one that holds anything but 0xFF counts as
    /// programmed once, in the [units](Geometry::once_units) that do.
    ///
    /// # Errors
    /// When the memory fails.
    pub fn of<F: Flash>(flash: &mut F) -> Result<Self, F::Error> {
        let mut content = Self::erased(flash.geometry());
        let mut bytes = vec![0; content.geometry.columns() as usize];
        for block in 0..content.geometry.blocks {
            for page in content.geometry.pages_of(block) {
                flash.read(page, 0, &mut bytes)?;
                if bytes.iter().any(|byte| *byte != 0xFF) {
                    content.fill(page, &bytes);
                }
            }
            if flash.is_bad(block)? {
                content.mark_bad(block);
            }
        }
        Ok(content)
    }

    /// Sizes and programming rules.
    #[must_use]
    pub const fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The same content on a chip with another ECC, or with none.
    pub(super) const fn with_ecc(mut self, ecc: Option<EccStrength>) -> Self {
        self.ecc = ecc;
        self
    }

    /// The ECC on the chip.
    pub(super) const fn ecc(&self) -> Option<EccStrength> {
        self.ecc
    }

    /// A hash of all that it holds, history and weakness included.
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether a block is marked bad.
    pub(super) fn is_bad(&self, block: u32) -> bool {
        self.block(block).is_some_and(|block| block.bad)
    }

    /// How a block is weak, if it is.
    pub(super) fn weakness(&self, block: u32) -> Option<Weakness> {
        Some(self.block(block)?.weak?.how)
    }

    fn block(&self, block: u32) -> Option<&ImageBlock> {
        self.blocks.get(block as usize)
    }

    /// The block of a page, and the page's number within it.
    const fn place(&self, page: u32) -> (u32, usize) {
        let pages = self.geometry.pages_per_block;
        (page / pages, (page % pages) as usize)
    }

    /// Whether a page was programmed since its block was erased.
    pub(super) fn is_programmed(&self, page: u32) -> bool {
        let (block, within) = self.place(page);
        self.block(block)
            .is_some_and(|block| block.is_programmed(within))
    }

    /// Reads a range that fits. `reading` numbers the reads, for the bits that flicker. Like a
    /// chip's status, the verdict is that of the whole page.
    pub(super) fn read(
        &self,
        page: u32,
        column: u32,
        out: &mut [u8],
        reading: u64,
    ) -> Result<Ecc, NvmError> {
        let (block, within) = self.place(page);
        let Some(block) = self.block(block) else {
            out.fill(0xFF);
            return Ok(Ecc::Clean);
        };
        if block.is_lost(within) {
            return Err(NvmError::Uncorrectable { page });
        }
        let column = column as usize;
        let Some(ecc) = self.ecc.filter(|_| block.is_doubtful(within)) else {
            block.read(page, within, column, out, reading);
            return Ok(Ecc::Clean);
        };
        let mut cells = vec![0; self.geometry.columns() as usize];
        block.read(page, within, 0, &mut cells, reading);
        let verdict = match block.pages.get(within) {
            Some(Some(found)) => {
                let (new, old) = (found.intended(), found.earlier());
                ecc.correct(&self.geometry, &mut cells, new, old)
            }
            _ => {
                let erased = vec![0xFF; cells.len()];
                let old = block.intended(within);
                ecc.correct(&self.geometry, &mut cells, &erased, old)
            }
        };
        out.copy_from_slice(&cells[column..column + out.len()]);
        verdict.ok_or(NvmError::Uncorrectable { page })
    }

    /// Checks a program against the geometry and the block's history and mark.
    pub(super) fn check_program(
        &self,
        page: u32,
        column: u32,
        data: &[u8],
    ) -> Result<(), NvmError> {
        let geometry = &self.geometry;
        geometry.check_program(page, column, data.len() as u64)?;
        let (number, within) = self.place(page);
        let Some(block) = self.block(number) else {
            return Ok(());
        };
        if block.bad {
            return Err(NvmError::BadBlock { block: number });
        }
        let mut later = block.pages.iter().skip(within + 1);
        let ahead = later.position(is_programmed);
        let old = block.pages.get(within).and_then(Option::as_deref);
        let history = ProgramHistory {
            later: ahead.map(|ahead| page + 1 + ahead as u32),
            programs: old.map_or(0, ImagePage::programs),
            reprogrammed: || {
                let mut units = geometry.once_units(column, data.len() as u32)?;
                let taken = units.find(|unit| old.is_some_and(|old| old.took(*unit)))?;
                Some(geometry.once_unit_start(taken).max(column))
            },
        };
        Ok(history.check(geometry, page)?)
    }

    /// Programs a range that was checked. In a weak block some bits come to flicker.
    pub(super) fn program(&mut self, page: u32, column: u32, data: &[u8]) {
        let (block, _) = self.place(page);
        let weak = self.block(block).and_then(|block| block.weak);
        let units = self.geometry.once_units(column, data.len() as u32);
        self.change(page, |found| {
            found.attempt(units);
            found.program(column, data);
            let Some(weak) = weak else { return };
            for number in 0..1 + data.len() as u64 / 32 {
                let drawn = draw(weak.key, u64::from(page), number, Purpose::Tear);
                let bit = drawn % (8 * data.len() as u64);
                found.add_flicker(column * 8 + bit as u32);
            }
        });
    }

    /// Fills a page by one program, in which units that hold 0xFF alone were left out.
    fn fill(&mut self, page: u32, bytes: &[u8]) {
        let geometry = self.geometry;
        self.change(page, |found| {
            found.attempt(None);
            found.program(0, bytes);
            for unit in geometry
                .once_units(0, bytes.len() as u32)
                .into_iter()
                .flatten()
            {
                let starts = |unit| geometry.once_unit_start(unit) as usize;
                let held = &bytes[starts(unit)..starts(unit + 1).min(bytes.len())];
                if held.iter().any(|byte| *byte != 0xFF) {
                    found.take(unit);
                }
            }
        });
    }

    /// Erases a block, which mends it.
    pub(super) fn erase(&mut self, block: u32) {
        self.change_block(block, |block| {
            block.pages = Vec::new();
            block.weak = None;
            block.half = None;
        });
    }

    /// Begins an erase that is left running, or ends it.
    pub(super) const fn set_erasing(&mut self, block: Option<u32>) {
        self.erasing = block;
    }

    /// The block whose erase was begun and has not ended.
    pub(super) const fn erasing(&self) -> Option<u32> {
        self.erasing
    }

    /// Stops an erase half-way: `eighths`/8 of the bits are set.
    pub(super) fn half_erase(&mut self, block: u32, key: u64, eighths: u8, flickers: bool) {
        self.change_block(block, |block| {
            let before = std::mem::take(block);
            block.bad = before.bad;
            if before.half.is_some() || !before.pages.is_empty() {
                block.half = Some(Arc::new(Half {
                    before,
                    key,
                    eighths,
                    flickers,
                }));
            }
        });
        self.weaken(block, Weakness::Drifts, key);
    }

    /// Leaves a block weak until it is erased.
    pub(super) fn weaken(&mut self, block: u32, how: Weakness, key: u64) {
        self.change_block(block, |block| block.weak = Some(Weak { how, key }));
    }

    /// Marks a block bad.
    pub(super) fn mark_bad(&mut self, block: u32) {
        self.change_block(block, |block| block.bad = true);
    }

    /// What the cells of a page hold, its spare area included, without the ECC and as if every read of
    /// a flickering bit gave what is stored. A page outside the memory reads as erased.
    #[must_use]
    pub fn page_bytes(&self, page: u32) -> Vec<u8> {
        let (block, within) = self.place(page);
        let mut bytes = vec![0xFF; self.geometry.columns() as usize];
        if let Some(block) = self.block(block) {
            block.stored(page, within, 0, &mut bytes);
        }
        bytes
    }

    /// Changes a page, which is made from what it reads when nothing was programmed yet.
    pub(super) fn change(&mut self, page: u32, change: impl FnOnce(&mut ImagePage)) {
        let (block, within) = self.place(page);
        let (columns, ecc) = (self.geometry.columns() as usize, self.ecc.is_some());
        self.change_block(block, |block| {
            if block.pages.get(within).is_none_or(Option::is_none) {
                let made = block.settle(page, within, columns, ecc);
                block.pages.resize(block.pages.len().max(within + 1), None);
                block.pages[within] = Some(Arc::new(made));
            }
            if let Some(found) = &mut block.pages[within] {
                let found = Arc::make_mut(found);
                change(found);
                found.rehash(page);
            }
        });
    }

    fn change_block(&mut self, number: u32, change: impl FnOnce(&mut ImageBlock)) {
        let block = self.blocks.get_mut(number as usize);
        self.hash = self.hash.wrapping_sub(block.hash);
        change(block);
        block.rehash(number);
        self.hash = self.hash.wrapping_add(block.hash);
    }
}

fn is_programmed(page: &Option<Arc<ImagePage>>) -> bool {
    page.as_ref().is_some_and(|page| page.programs() > 0)
}

impl ImageBlock {
    fn is_programmed(&self, within: usize) -> bool {
        self.pages.get(within).is_some_and(is_programmed)
    }

    /// Whether a read of a page can give anything but what it was to hold.
    fn is_doubtful(&self, within: usize) -> bool {
        match self.pages.get(within) {
            Some(Some(page)) => page.is_doubtful(),
            _ => self.half.is_some(),
        }
    }

    /// What a page was to hold before an interrupted erase, if there was one; `None` where
    /// that is an erased page.
    fn intended(&self, within: usize) -> Option<&[u8]> {
        match self.pages.get(within) {
            Some(Some(page)) => Some(page.intended()),
            _ => self.half.as_ref()?.before.intended(within),
        }
    }

    fn is_lost(&self, within: usize) -> bool {
        match self.pages.get(within) {
            Some(Some(page)) => page.lost,
            // A half erased page is no longer what the ECC gave up on.
            _ => false,
        }
    }

    /// What is stored from a column of a page on.
    fn stored(&self, page: u32, within: usize, column: usize, out: &mut [u8]) {
        if let Some(Some(page)) = self.pages.get(within) {
            out.copy_from_slice(&page.bytes[column..column + out.len()]);
        } else if let Some(half) = &self.half {
            half.before.stored(page, within, column, out);
            half.lift(page, column, out, half.key, half.eighths);
        } else {
            out.fill(0xFF);
        }
    }

    /// What one reading gives: stored bits, and a draw for each that flickers.
    fn read(&self, page: u32, within: usize, column: usize, out: &mut [u8], reading: u64) {
        self.stored(page, within, column, out);
        if let Some(Some(found)) = self.pages.get(within) {
            for bit in found.flickering(column, out.len()) {
                let drawn = draw(u64::from(page), u64::from(bit), reading, Purpose::Tear);
                let (byte, mask) = (bit as usize / 8 - column, 1 << (bit % 8));
                out[byte] = (out[byte] & !mask) | (mask * (drawn & 1) as u8);
            }
        } else if let Some(half) = self.half.as_ref().filter(|half| half.flickers) {
            // A quarter of the bits that are not set yet flicker, each half of the time.
            let mut flickers = vec![0; out.len()];
            half.lift(page, column, &mut flickers, !half.key, 2);
            let mut now = vec![0; out.len()];
            half.lift(page, column, &mut now, half.key ^ (reading + 1), 4);
            for ((byte, flicker), now) in out.iter_mut().zip(flickers).zip(now) {
                *byte |= flicker & now;
            }
        }
    }

    /// The page that is made where the first program since the erase comes, or the first damage.
    fn settle(&self, page: u32, within: usize, columns: usize, ecc: bool) -> ImagePage {
        let mut bytes = vec![0xFF; columns];
        self.stored(page, within, 0, &mut bytes);
        let half = self.half.as_ref().filter(|_| ecc);
        let meant = half.map(|half| Meant {
            new: vec![0xFF; columns].into(),
            old: half.before.intended(within).map(Box::from),
        });
        ImagePage::unprogrammed(bytes, meant)
    }

    fn rehash(&mut self, number: u32) {
        let mut sum = 0u64;
        for page in self.pages.iter().flatten() {
            sum = sum.wrapping_add(page.hash());
        }
        let tag = 1 << 63 | u64::from(number);
        if self.bad {
            sum = sum.wrapping_add(hash::of_word(tag, 1));
        }
        if let Some(weak) = &self.weak {
            // Two weak blocks differ in how, not in what a program will draw.
            sum = sum.wrapping_add(hash::of_word(tag, 2 + weak.how as u64));
        }
        if let Some(half) = &self.half {
            let state = half.before.hash ^ half.key ^ u64::from(half.flickers);
            sum = sum.wrapping_add(hash::of_word(tag ^ u64::from(half.eighths) << 40, state));
        }
        self.hash = sum;
    }
}

impl Half {
    /// Sets the share of bits of a range that is drawn with `key`.
    fn lift(&self, page: u32, column: usize, out: &mut [u8], key: u64, eighths: u8) {
        let key = draw(key, u64::from(page), 3, Purpose::Tear);
        let mut drawn = (usize::MAX, [0; WORD]);
        for (column, byte) in (column..).zip(out) {
            if drawn.0 != column / WORD {
                let mask = bits(key, (column / WORD) as u64, eighths);
                drawn = (column / WORD, mask.to_le_bytes());
            }
            *byte |= drawn.1[column % WORD];
        }
    }
}
