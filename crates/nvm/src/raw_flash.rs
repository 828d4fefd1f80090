//! A flash memory that is written like a byte memory: what a raw benchmark does.
//!
//! Each block is erased before its first page is written, and the erase counts as part of the
//! access, as in `mram-vs-flash-benchmark`. Bad blocks are stepped over: addresses count good blocks
//! alone. Where several planes work at the same time, pages alternate between a block of each, and
//! these blocks are erased together. Nothing is levelled, moved or cleaned; that is the work of a
//! translation layer.

use std::sync::Arc;

use wordline_core::quantity::Time;
use wordline_core::{BackgroundWork, SimClock};
use wordline_memory::{ByteMemory, Geometry, OutOfRange};

use crate::bound::Span;
use crate::cost::{AccessCost, Cause};
use crate::device::{
    Accounts, Background, Device, FlashDevice, FlashWork, NoSuspend, Notes, PagePart, Pipeline,
    Wear,
};
use crate::error::NvmError;
use crate::power::{PowerDraw, Residence};
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

    /// Does one thing with the flash memory and adds what it cost to the access.
    fn step(&mut self, run: impl FnOnce(&mut F) -> Result<(), NvmError>) -> Result<(), NvmError> {
        let result = run(&mut self.flash);
        self.cost.add_all(self.flash.last_cost());
        result
    }

    /// Begins work as an access of its own.
    fn begin_work(&mut self, work: FlashWork, data: &[u8]) -> Result<(), NvmError> {
        self.cost = AccessCost::NONE;
        self.step(|flash| flash.begin_work(work, data))?;
        self.work = Some(work);
        Ok(())
    }

    /// Waits for what was begun, as a part of an access.
    fn await_work(&mut self) -> Result<(), NvmError> {
        match self.work.take() {
            Some(work) => self.step(|flash| flash.await_work(work)),
            None => Ok(()),
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

    /// For each block that the range begins, an erase; and the programs up to the next one. Blocks kept
    /// together count as one.
    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.len())?;
        let (unit, together) = (self.unit_bytes(), self.together);
        let program = |at, bytes| {
            self.flash
                .program_bound(at, bytes, together)
                .map(Span::from)
        };
        // What comes before the first erase.
        let head = (at.next_multiple_of(unit) - at).min(bytes);
        let (whole, tail) = ((bytes - head) / unit, (bytes - head) % unit);
        let mut span = program(at, head)?;
        if head < bytes {
            let erase = Span::from(self.flash.erase_bound(together)?);
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
        for part in self.parts(at, data.len()) {
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
mod tests {
    use super::*;
    use crate::bus::Action;
    use crate::error::Misuse;
    use crate::fixture::{TYPICAL, nand, nor, nor_of, nor_sheet_with};

    const ERASE: BackgroundWork = BackgroundWork::Erase;

    fn stored(memory: &mut dyn Background, at: u64) -> Vec<u8> {
        memory.preload(at, &[1, 2, 3, 4]).expect("inside");
        vec![1, 2, 3, 4]
    }

    /// An erase of block 2 that is read from after a while, and then waited for.
    #[test]
    fn a_read_waits_for_the_end_or_suspends() {
        let mut flash = RawFlash::new(nor(TYPICAL)).expect("connects");
        let memory = flash.background().expect("it is busy by itself");
        let expected = stored(memory, 64);
        let block = memory.unit_bytes(ERASE);
        memory.check_suspend(ERASE).expect("it has a suspend");
        memory.start_erase(2 * block).expect("idle");
        let mut out = [0; 4];
        let refused = memory.read(64, &mut out);
        assert!(matches!(
            refused,
            Err(NvmError::Misuse(Misuse::Busy { .. }))
        ));
        let read = memory.read_suspending(64, &mut out).expect("apart");
        assert!(read.suspended);
        assert_eq!(out[..], expected);
        assert!(read.latency.total() < memory.last_cost().total());
        let left = memory.busy_until().since(memory.clock().now());
        out.fill(0);
        memory.read_after(64, &mut out).expect("it ends");
        assert_eq!(out[..], expected);
        assert_eq!(memory.last_cost().of(Cause::Erase), left);
        memory
            .read_after(64, &mut out)
            .expect("nothing to wait for");
        assert_eq!(memory.last_cost().of(Cause::Erase), Time::ZERO);
    }

    #[test]
    fn a_busy_nand_is_waited_for() {
        let mut flash = RawFlash::new(nand(TYPICAL)).expect("connects");
        let memory = flash.background().expect("it is busy by itself");
        let expected = stored(memory, 64);
        assert_eq!(memory.check_suspend(ERASE), Err(NoSuspend::Chip));
        let mut out = [0; 4];
        let page = memory.unit_bytes(BackgroundWork::Program) as usize;
        let at = 2 * memory.unit_bytes(ERASE);
        memory.start_program(at, &vec![7; page]).expect("idle");
        let refused = memory.read_suspending(64, &mut out);
        assert_eq!(refused, Err(NvmError::Unsupported(Action::Suspend)));
        memory.read_after(64, &mut out).expect("it ends");
        assert_eq!(out[..], expected);
        assert!(memory.last_cost().of(Cause::Program) > Time::ZERO);
        memory.read(at, &mut out).expect("idle");
        assert_eq!(out, [7; 4]);
    }

    #[test]
    fn a_suspend_that_the_board_does_not_drive_is_named() {
        let action = "action = \"suspend\"\nprotocol = \"extended-spi\"\nmode = \"1S-1S-1S\"";
        let sheet = nor_sheet_with(action, &action.replace("1S-1S-1S", "8D-8D-8D"));
        let flash = RawFlash::new(nor_of(&sheet, TYPICAL)).expect("connects");
        let reason = flash.check_suspend(ERASE);
        assert_eq!(reason, Err(NoSuspend::Board(Action::Suspend)));
    }
}
