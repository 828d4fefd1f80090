//! A flash memory that is written like a byte memory: what a raw benchmark does.
//!
//! Each block is erased before its first page is written, and the erase counts as part of the
//! access, as in `mram-vs-flash-benchmark`. Bad blocks are stepped over: addresses count good blocks
//! alone. Where several planes work at the same time, pages alternate between a block of each, and
//! these blocks are erased together. Nothing is levelled, moved or cleaned; that is the work of a translation layer.

use wordline_core::SimClock;
use wordline_memory::{ByteMemory, Geometry, OutOfRange};

use crate::cost::{AccessCost, Cause};
use crate::device::{Accounts, Device, FlashDevice, Notes, PagePart, Pipeline, Wear};
use crate::error::NvmError;
use crate::power::{PowerDraw, Residence};

/// A flash memory that is written like a byte memory.
#[derive(Debug)]
pub struct RawFlash<F> {
    flash: F,
    geometry: Geometry,
    /// Good blocks, ascending; those that are kept together follow each other.
    good: Vec<u32>,
    /// Blocks that are kept together.
    together: u32,
    cost: AccessCost,
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
            good,
            together: 1,
            cost: AccessCost::NONE,
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
        self.good = sound.flatten().collect();
    }

    /// Does one thing with the flash memory and adds what it cost to the access.
    fn step(&mut self, run: impl FnOnce(&mut F) -> Result<(), NvmError>) -> Result<(), NvmError> {
        run(&mut self.flash)?;
        self.cost.add_all(self.flash.last_cost());
        Ok(())
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
        let parts = self.parts(at, out.len());
        self.step(|flash| flash.read_parts(&parts, out))
    }

    /// Programs every page that the access touches; a block whose first byte is among them is erased
    /// first.
    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        self.cost = AccessCost::NONE;
        let parts = self.parts(at, data.len());
        let mut rest = &parts[..];
        while let Some(first) = rest.first() {
            let start = at + first.range.start as u64;
            let blocks = self.to_erase(start).to_vec();
            if !blocks.is_empty() {
                self.step(|flash| flash.erase_blocks(&blocks))?;
            }
            let more = rest[1..].iter();
            let until =
                more.take_while(|part| self.to_erase(at + part.range.start as u64).is_empty());
            let (now, later) = rest.split_at(1 + until.count());
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

impl<F: FlashDevice> Accounts for RawFlash<F> {
    fn clock(&self) -> &SimClock {
        self.flash.clock()
    }

    fn causes(&self) -> &'static [Cause] {
        self.flash.causes()
    }

    fn last_cost(&self) -> &AccessCost {
        &self.cost
    }

    fn residence(&self) -> Residence {
        self.flash.residence()
    }

    fn power_draw(&self) -> &PowerDraw {
        self.flash.power_draw()
    }

    fn wear(&self) -> Wear {
        self.flash.wear()
    }

    fn notes(&self) -> &Notes {
        self.flash.notes()
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

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        for part in self.parts(at, data.len()) {
            self.flash
                .preload_page(part.page, part.column, &data[part.range])?;
        }
        Ok(())
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(Self {
            flash: self.flash.fork_flash(),
            geometry: self.geometry,
            good: self.good.clone(),
            together: self.together,
            cost: self.cost,
        })
    }
}
