//! What is done to a memory beside its operations: time that passes, wear, faults, power, files.

use std::path::Path;

use wordline_core::quantity::Time;
use wordline_nvm::{Memory, Misuse, NvmError};

use super::abi::Cut;
use super::abi::Fault;
use super::block_faults::{FaultRule, InjectedFault, Struck};
use super::cut::{Due, SHORT};
use super::device::{MemoryDevice, Power};
use super::fault::{FaultReason, MemoryFault};
use super::health::LatencyWatch;
use super::image;

/// The most cycles that a unit can have seen.
const CYCLES_MAX: u64 = 1 << 62;

/// The error of a count of cycles that is out of range: a wrong argument, not a breach of the chip's protocol.
fn of_cycles(error: NvmError) -> MemoryFault {
    let (cycles, least) = match error {
        NvmError::Misuse(Misuse::CyclesBeforeAge { cycles, before }) => (cycles, before),
        NvmError::Misuse(Misuse::TooManyCycles { cycles }) => {
            return FaultReason::TooManyCycles {
                cycles,
                most: CYCLES_MAX,
            }
            .into();
        }
        other => return other.into(),
    };
    FaultReason::Cycles {
        cycles,
        least,
        most: CYCLES_MAX,
    }
    .into()
}

impl MemoryDevice {
    /// Lets time pass.
    pub(super) fn advance(&mut self, duration: Time) -> Result<(), MemoryFault> {
        let end = self.now().checked_plus(duration);
        if let Power::Due(due) = &self.power
            && let Some(instant) = due.in_pause(end.unwrap_or(Time::from_ps(u64::MAX)))
        {
            self.cells.clock().advance_to(instant);
            self.lose_power_in_pause()?;
            return Err(FaultReason::CutInPause { at: instant }.into());
        }
        self.pass_until(end.ok_or(NvmError::TimeExhausted)?);
        Ok(())
    }

    /// Cycles of a unit of wear.
    pub(super) fn cycles(&mut self, unit: u64) -> Result<u64, MemoryFault> {
        let at = self.unit(unit)?;
        match &self.cells.memory {
            Memory::Flash(flash) => Ok(flash.cycles(unit as u32)?),
            Memory::Bytes(device) => Ok(device.cycles_at(at).unwrap_or(0)),
        }
    }

    pub(super) fn set_cycles(&mut self, unit: u64, cycles: u64) -> Result<(), MemoryFault> {
        let at = self.unit(unit)?;
        let block = unit as u32;
        let flash = match &mut self.cells.memory {
            Memory::Flash(flash) => flash,
            Memory::Bytes(device) => {
                return device.set_cycles_at(at, cycles).map_err(of_cycles);
            }
        };
        let seen = flash.cycles(block)?;
        flash.set_cycles(block, cycles).map_err(of_cycles)?;
        // Latencies of later cycles say nothing of a block that is younger again.
        if let Some(watch) = &mut self.watch
            && cycles < seen
        {
            watch.forget(block);
        }
        self.settle_block(block)
    }

    /// The first byte of a unit of wear.
    fn unit(&self, unit: u64) -> Result<u64, MemoryFault> {
        let bytes = self.info.wear_unit_bytes;
        if bytes == 0 {
            return Err(FaultReason::Unsupported(
                "the model of this memory counts no cycles of single units",
            )
            .into());
        }
        let units = self.info.bytes.div_ceil(bytes);
        if unit >= units {
            return Err(FaultReason::NoSuchUnit { unit, units, bytes }.into());
        }
        Ok(unit * bytes)
    }

    pub(super) fn set_fault(
        &mut self,
        block: u32,
        fault: Option<InjectedFault>,
    ) -> Result<(), MemoryFault> {
        if matches!(self.cells.memory, Memory::Bytes(_)) {
            return Err(FaultReason::Unsupported(
                "this memory has no blocks that could go bad: wl_memory_add_fault lets ranges of its bytes",
            )
            .into());
        }
        let geometry = self.cells.flash()?.geometry();
        geometry.check_block(block).map_err(NvmError::from)?;
        self.cells.faults.mend_block(block);
        if let Some(fault) = fault {
            let rule = FaultRule::always(fault);
            self.cells.faults.add_to_block(block, rule);
        }
        Ok(())
    }

    /// Adds a fault to those that a range has.
    pub(super) fn add_fault(&mut self, fault: &Fault) -> Result<(), MemoryFault> {
        let rule = FaultRule::of(fault)?;
        let blocks = self.blocks_in(fault.at, fault.bytes)?;
        match blocks {
            Some(blocks) => {
                for block in blocks {
                    self.cells.faults.add_to_block(block, rule.of_block(block));
                }
            }
            None if rule.kind.strikes() == Struck::Erase => {
                return Err(
                    FaultReason::Unsupported("this memory has no erases that could fail").into(),
                );
            }
            None => {
                let end = fault.at + fault.bytes;
                self.cells.faults.add_to_range(fault.at, end, rule);
            }
        }
        Ok(())
    }

    /// Takes all faults from what touches a range.
    pub(super) fn clear_faults(&mut self, at: u64, bytes: u64) -> Result<(), MemoryFault> {
        match self.blocks_in(at, bytes)? {
            Some(blocks) => blocks.for_each(|block| self.cells.faults.mend_block(block)),
            None => self.cells.faults.mend_range(at, at + bytes),
        }
        Ok(())
    }

    /// The blocks of a range of flash; none of other memories.
    fn blocks_in(&self, at: u64, bytes: u64) -> Result<Option<std::ops::Range<u32>>, MemoryFault> {
        self.check(at, bytes)?;
        let block = self.info.block_bytes;
        if block == 0 {
            return Ok(None);
        }
        if !at.is_multiple_of(block) || !bytes.is_multiple_of(block) {
            return Err(FaultReason::Unaligned {
                what: "faults of flash are of whole blocks",
                at,
                bytes,
                unit: block,
            }
            .into());
        }
        Ok(Some((at / block) as u32..((at + bytes) / block) as u32))
    }

    /// What a range of main areas holds, in no time. It was [checked](Self::check).
    pub(super) fn peek(&mut self, at: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        self.cells.peek(at, out)
    }

    /// The same of a range within a page.
    pub(super) fn peek_page(
        &mut self,
        page: u32,
        column: u32,
        out: &mut [u8],
    ) -> Result<(), MemoryFault> {
        self.cells.peek_page(page, column, out)
    }

    /// Lets a range of main areas hold bytes, in no time. It was [checked](Self::check).
    pub(super) fn poke(&mut self, at: u64, data: &[u8]) -> Result<(), MemoryFault> {
        self.settle_pending();
        self.cells.poke(at, data)
    }

    /// The same of a range within a page.
    pub(super) fn poke_page(
        &mut self,
        page: u32,
        column: u32,
        data: &[u8],
    ) -> Result<(), MemoryFault> {
        self.settle_pending();
        self.cells.poke_page(page, column, data)
    }

    /// What was poked lasts, and so does what came before.
    fn settle_pending(&mut self) {
        if let Power::Due(due) = &mut self.power {
            due.settle();
        }
    }

    /// A cut that finds changes of a block held back would put it back to what it was before them, and with it what
    /// was set since then: they last from now on.
    fn settle_block(&mut self, block: u32) -> Result<(), MemoryFault> {
        match &mut self.power {
            Power::Due(due) => due.settle_block(block, &mut self.cells),
            Power::On | Power::Off => Ok(()),
        }
    }

    pub(super) fn flip(&mut self, page: u32, column: u32, bit: u8) -> Result<(), MemoryFault> {
        self.cells.flip(page, column, bit)?;
        let block = self.cells.flash()?.geometry().block_of(page);
        self.settle_block(block)
    }

    pub(super) fn cut_power(&mut self, cut: &Cut) -> Result<(), MemoryFault> {
        let mut due = Due::of(cut)?;
        if matches!(self.power, Power::Off) {
            return Err(FaultReason::PowerLost.into());
        }
        if let Power::Due(earlier) = &mut self.power {
            due.take_over(earlier);
        }
        let at_once = due.is_at_once();
        due.expect_within(self.cells.memory.longest_operation(2 * SHORT));
        self.power = Power::Due(Box::new(due));
        if at_once {
            self.lose_power_in_pause()?;
        }
        Ok(())
    }

    /// Lets the power go while no operation is under way: what no sync has made to last is at risk all the same.
    pub(super) fn lose_power_in_pause(&mut self) -> Result<(), MemoryFault> {
        let work = self.cells.work.as_ref().map(|work| work.span());
        if let Power::Due(due) = &self.power {
            due.take_pending(&mut self.cells, self.tearing)?;
            due.take_work(&mut self.cells, self.tearing)?;
        }
        if let Some(work) = work {
            self.tell_cut_erase(&work, self.now());
        }
        self.lose_power()
    }

    pub(super) fn power_up(&mut self) -> Result<(), MemoryFault> {
        if !matches!(self.power, Power::Off) {
            return Err(FaultReason::Powered.into());
        }
        let wait = self.cells.accounts().notes().power_up;
        let ready = self.now().checked_plus(wait.unwrap_or(Time::ZERO));
        let ready = ready.ok_or(NvmError::TimeExhausted)?;
        self.cells.clock().advance_to(ready);
        self.power = Power::On;
        Ok(())
    }

    pub(super) fn save(&self, path: &Path) -> Result<(), MemoryFault> {
        self.check_power()?;
        self.check_no_work()?;
        image::save(path, &self.part, &self.info, &self.cells)
    }

    pub(super) fn load(&mut self, path: &Path) -> Result<(), MemoryFault> {
        self.check_power()?;
        self.check_no_work()?;
        // What is wrong with the file shows while it is read: only a memory that took all of it replaces this one.
        let mut cells = self.cells.fork();
        image::load(path, &self.part, &self.info, &mut cells)?;
        self.cells = cells;
        // What was held back is not of what the image holds.
        self.settle_pending();
        // What the image holds was done elsewhere.
        if self.watch.is_some() {
            self.watch = Some(LatencyWatch::new(self.is_drawn));
        }
        Ok(())
    }

    /// An erase that was not waited for has no place in an image.
    fn check_no_work(&self) -> Result<(), MemoryFault> {
        match &self.cells.work {
            Some(work) => Err(work.in_image(&self.info).into()),
            None => Ok(()),
        }
    }

    pub(super) fn check_power(&self) -> Result<(), MemoryFault> {
        match self.power {
            Power::Off => Err(FaultReason::PowerLost.into()),
            Power::On | Power::Due(_) => Ok(()),
        }
    }
}
