//! A flash memory that is written like a byte memory: what a raw benchmark does.
//!
//! Each block is erased before its first page is written, and the erase counts as part of the
//! access, as in `mram-vs-flash-benchmark`. Bad blocks are stepped over: addresses count good blocks
//! alone. Where several planes work at the same time, pages alternate between a block of each, and
//! these blocks are erased together. Nothing is levelled, moved or cleaned; that is the work of a
//! translation layer.
//!
//! A block that was erased in the background and not programmed since is not erased again. It counts as
//! erased once the driver has waited for the end and the chip has reported that it went well.

use std::collections::BTreeSet;
use std::sync::Arc;

use wordline_core::BackgroundWork;
use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, Geometry, OutOfRange};

use crate::background::{Background, BackgroundBounds, NoSuspend};
use crate::bound::TimeSpan;
use crate::cost::AccessCost;
use crate::device::{Device, FlashDevice, FlashWork, InFront, PagePart, Pipeline};
use crate::error::NvmError;
use crate::wired::SuspendedRead;

/// A flash memory that is written like a byte memory.
#[derive(Debug)]
pub struct RawFlash<F> {
    flash: F,
    geometry: Geometry,
    /// Good blocks, ascending; those that are kept together follow each other.
    good: Arc<Vec<u32>>,
    /// Blocks that are kept together.
    together: u32,
    cost: AccessCost,
    /// What was begun and not waited for.
    work: Option<FlashWork>,
    /// Blocks whose erase was begun in the background, and that have not been programmed since. Of
    /// the one that is [not waited for](Self::work) the driver does not know yet.
    erased: BTreeSet<u32>,
}

impl<F: FlashDevice> RawFlash<F> {
    /// Looks for bad blocks, as a driver does once.
    ///
    /// # Errors
    /// When the device fails while it is asked.
    pub fn new(mut flash: F) -> Result<Self, NvmError> {
        let geometry = flash.geometry();
        let mut good = Vec::new();
        for block in 0..geometry.blocks {
            if !flash.is_bad(block)? {
                good.push(block);
            }
        }
        Ok(Self {
            flash,
            geometry,
            good: Arc::new(good),
            together: 1,
            cost: AccessCost::NONE,
            work: None,
            erased: BTreeSet::new(),
        })
    }

    /// The flash memory.
    #[must_use]
    pub const fn flash(&self) -> &F {
        &self.flash
    }

    /// Bytes that are erased together.
    fn unit_bytes(&self) -> u64 {
        self.geometry.block_bytes() * u64::from(self.together)
    }

    /// Keeps blocks of different planes together; a group with a bad block is left out whole.
    fn keep_together(&mut self, blocks: u32) {
        self.together = blocks;
        let is_good = |block: &u32| self.good.binary_search(block).is_ok();
        let groups = self.geometry.blocks / blocks;
        let all = (0..groups).map(|group| group * blocks..(group + 1) * blocks);
        let sound = all.filter(|group| group.clone().all(|block| is_good(&block)));
        self.good = Arc::new(sound.flatten().collect());
    }

    /// Does one thing with the flash memory and adds what it cost to the access: nothing, where it was
    /// refused before it began.
    fn step(&mut self, run: impl FnOnce(&mut F) -> Result<(), NvmError>) -> Result<(), NvmError> {
        let before = self.flash.clock().now();
        let result = run(&mut self.flash);
        if self.flash.clock().now() > before {
            self.cost.add_all(self.flash.last_cost());
        }
        result
    }

    /// Begins work as an access of its own.
    fn begin_work(&mut self, work: FlashWork, data: &[u8]) -> Result<(), NvmError> {
        self.cost = AccessCost::NONE;
        self.step(|flash| flash.begin_work(work, data))?;
        if let Some(FlashWork::Erase { block }) = self.work.replace(work) {
            // Its status was never read.
            self.erased.remove(&block);
        }
        match work {
            FlashWork::Program { page } => self.erased.remove(&self.geometry.block_of(page)),
            FlashWork::Erase { block } => self.erased.insert(block),
        };
        Ok(())
    }

    /// Waits for what was begun, as a part of an access.
    fn await_work(&mut self) -> Result<(), NvmError> {
        let Some(work) = self.work.take() else {
            return Ok(());
        };
        let ended = self.step(|flash| flash.await_work(work));
        if let (Err(_), FlashWork::Erase { block }) = (&ended, work) {
            self.erased.remove(&block);
        }
        ended
    }

    /// Whether a block need not be erased before it is programmed.
    fn is_block_erased(&self, block: u32) -> bool {
        self.erased.contains(&block) && self.work != Some(FlashWork::Erase { block })
    }

    /// Notes that blocks are programmed.
    fn note_programs(&mut self, parts: &[PagePart]) {
        for part in parts {
            self.erased.remove(&self.geometry.block_of(part.page));
        }
    }

    /// Reads as a part of an access.
    fn read_on(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let parts = self.parts(at, out.len());
        self.step(|flash| flash.read_parts(&parts, out))
    }

    /// Splits an access at pages.
    fn parts(&self, at: u64, bytes: usize) -> Vec<PagePart> {
        let page_bytes = u64::from(self.geometry.page_bytes);
        let together = u64::from(self.together);
        let mut parts = Vec::new();
        let mut done = 0;
        while done < bytes {
            let address = at + done as u64;
            let column = address % page_bytes;
            let length = ((page_bytes - column) as usize).min(bytes - done);
            // Pages alternate between the blocks that are kept together.
            let unit = address / self.unit_bytes();
            let inside = address % self.unit_bytes() / page_bytes;
            let block = self.good[(unit * together + inside % together) as usize];
            let page = block * self.geometry.pages_per_block + (inside / together) as u32;
            parts.push(PagePart {
                page,
                column: column as u32,
                range: done..done + length,
            });
            done += length;
        }
        parts
    }

    /// The blocks to erase before a part is written: those whose first byte it holds.
    fn to_erase(&self, at: u64) -> &[u32] {
        if !at.is_multiple_of(self.unit_bytes()) {
            return &[];
        }
        let first = at / self.unit_bytes() * u64::from(self.together);
        &self.good[first as usize..][..self.together as usize]
    }
}

impl<F: FlashDevice> ByteMemory for RawFlash<F> {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.good.len() as u64 * self.geometry.block_bytes()
    }

    fn atom(&self) -> usize {
        self.geometry.program_bytes as usize
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        self.cost = AccessCost::NONE;
        self.read_on(at, out)
    }

    /// Programs every page that the access touches; a block whose first byte is among them is erased
    /// first, unless it was erased in the background and not programmed since.
    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        self.cost = AccessCost::NONE;
        let parts = self.parts(at, data.len());
        let mut rest = &parts[..];
        while let Some(first) = rest.first() {
            let start = at + first.range.start as u64;
            let mut blocks = self.to_erase(start).to_vec();
            blocks.retain(|block| !self.is_block_erased(*block));
            if !blocks.is_empty() {
                self.step(|flash| flash.erase_blocks(&blocks))?;
            }
            let more = rest[1..].iter();
            let until =
                more.take_while(|part| self.to_erase(at + part.range.start as u64).is_empty());
            let (now, later) = rest.split_at(1 + until.count());
            self.note_programs(now);
            self.step(|flash| flash.program_parts(now, data))?;
            rest = later;
        }
        Ok(())
    }

    /// Every program has ended when its write returns.
    fn persist(&mut self) -> Result<(), NvmError> {
        Ok(())
    }
}

impl<F: FlashDevice> InFront for RawFlash<F> {
    type Behind = F;

    fn behind(&self) -> &F {
        &self.flash
    }

    fn whole_cost(&self) -> &AccessCost {
        &self.cost
    }
}

impl<F: FlashDevice> Device for RawFlash<F> {
    fn overwrite_bytes(&self) -> u64 {
        self.unit_bytes()
    }

    fn use_pipeline(&mut self, pipeline: Pipeline) -> bool {
        let can = self.flash.use_pipeline(pipeline);
        let together = self.flash.blocks_together();
        if together != self.together {
            self.keep_together(together);
        }
        can
    }

    fn map_reads(&mut self) -> bool {
        self.flash.map_reads()
    }

    /// For each block that the range begins, an erase; and the programs up to the next one. Blocks kept
    /// together count as one.
    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.len())?;
        let (unit, together) = (self.unit_bytes(), self.together);
        let program = |at, bytes| {
            self.flash
                .program_bound(at, bytes, together)
                .map(TimeSpan::from)
        };
        // What comes before the first erase.
        let head = (at.next_multiple_of(unit) - at).min(bytes);
        let (whole, tail) = ((bytes - head) / unit, (bytes - head) % unit);
        let mut span = program(at, head)?;
        if head < bytes {
            let erase = TimeSpan::from(self.flash.erase_bound(together)?);
            span += (erase + program(0, unit)?) * whole;
            if tail > 0 {
                span += erase + program(0, tail)?;
            }
        }
        span.time()
    }

    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.len())?;
        self.flash.read_bound(at, bytes, self.together)
    }

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        let parts = self.parts(at, data.len());
        self.note_programs(&parts);
        for part in parts {
            self.flash
                .preload_page(part.page, part.column, &data[part.range])?;
        }
        Ok(())
    }

    /// None while blocks are kept together: the chip begins work on one block or page by itself.
    fn background(&mut self) -> Option<&mut dyn Background> {
        (self.together == 1).then_some(self)
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(Self {
            flash: self.flash.fork_flash(),
            geometry: self.geometry,
            good: Arc::clone(&self.good),
            together: self.together,
            cost: self.cost,
            work: self.work,
            erased: self.erased.clone(),
        })
    }
}

impl<F: FlashDevice> Background for RawFlash<F> {
    fn unit_bytes(&self, work: BackgroundWork) -> u64 {
        match work {
            BackgroundWork::Program => u64::from(self.geometry.page_bytes),
            BackgroundWork::Erase => self.unit_bytes(),
        }
    }

    fn check_suspend(&self, _: BackgroundWork) -> Result<(), NoSuspend> {
        self.flash.check_suspend()
    }

    fn start_erase(&mut self, at: u64) -> Result<(), NvmError> {
        OutOfRange::check(at, self.unit_bytes(), self.len())?;
        let block = self.good[(at / self.unit_bytes()) as usize];
        self.begin_work(FlashWork::Erase { block }, &[])
    }

    fn is_erased(&self, at: u64) -> bool {
        let block = self.good.get((at / self.unit_bytes()) as usize);
        block.is_some_and(|block| self.is_block_erased(*block))
    }

    fn bounds(&self, work: BackgroundWork) -> Result<BackgroundBounds, NvmError> {
        self.flash.background_bounds(work)
    }

    fn start_program(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        let Some(PagePart { page, .. }) = self.parts(at, data.len().min(1)).pop() else {
            return Ok(());
        };
        self.begin_work(FlashWork::Program { page }, data)
    }

    fn busy_until(&self) -> Time {
        self.flash.busy_until()
    }

    fn finish(&mut self) -> Result<(), NvmError> {
        self.cost = AccessCost::NONE;
        self.await_work()
    }

    fn read_after(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        self.cost = AccessCost::NONE;
        self.await_work()?;
        self.read_on(at, out)
    }

    fn read_suspending(&mut self, at: u64, out: &mut [u8]) -> Result<SuspendedRead, NvmError> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        self.cost = AccessCost::NONE;
        let parts = self.parts(at, out.len());
        let read = self.flash.read_parts_suspending(&parts, out)?;
        self.cost.add_all(self.flash.last_cost());
        Ok(read)
    }
}

#[cfg(test)]
#[path = "raw_flash_tests.rs"]
mod tests;
