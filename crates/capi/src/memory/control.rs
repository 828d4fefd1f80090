//! What is done to a memory beside its operations: time that passes, wear, faults, power, files.

use std::path::Path;

use wordline_core::quantity::Time;
use wordline_nvm::{Memory, NvmError};

use super::abi::Cut;
use super::cells::InjectedFault;
use super::cut::{Due, SHORT};
use super::device::{MemoryDevice, Power};
use super::fault::{FaultReason, MemoryFault};
use super::image;

impl MemoryDevice {
    /// Lets time pass.
    pub(super) fn advance(&mut self, duration: Time) -> Result<(), MemoryFault> {
        let end = self.now().checked_plus(duration);
        let end = end.ok_or(NvmError::TimeExhausted)?;
        if let Power::Due(due) = &self.power
            && let Some(instant) = due.in_pause(end)
        {
            self.cells.clock().advance_to(instant);
            self.lose_power_in_pause()?;
            return Err(FaultReason::PowerLost.into());
        }
        self.cells.clock().advance_to(end);
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
        match &mut self.cells.memory {
            Memory::Flash(flash) => Ok(flash.set_cycles(unit as u32, cycles)?),
            Memory::Bytes(device) => Ok(device.set_cycles_at(at, cycles)?),
        }
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
        let at = unit.saturating_mul(bytes);
        self.check(at, 1)?;
        Ok(at)
    }

    pub(super) fn set_fault(
        &mut self,
        block: u32,
        fault: Option<InjectedFault>,
    ) -> Result<(), MemoryFault> {
        let geometry = self.cells.flash()?.geometry();
        geometry.check_block(block).map_err(NvmError::from)?;
        match fault {
            Some(fault) => self.cells.faults.insert(block, fault),
            None => self.cells.faults.remove(&block),
        };
        Ok(())
    }

    pub(super) fn flip(&mut self, page: u32, column: u32, bit: u8) -> Result<(), MemoryFault> {
        self.cells.flip(page, column, bit)
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
    fn lose_power_in_pause(&mut self) -> Result<(), MemoryFault> {
        if let Power::Due(due) = &self.power {
            due.take_pending(&mut self.cells)?;
        }
        self.lose_power();
        Ok(())
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
        image::save(path, &self.part, &self.info, &self.cells)
    }

    pub(super) fn load(&mut self, path: &Path) -> Result<(), MemoryFault> {
        self.check_power()?;
        // What is wrong with the file shows while it is read: only a memory that took all of it replaces this one.
        let mut cells = self.cells.fork();
        image::load(path, &self.part, &self.info, &mut cells)?;
        self.cells = cells;
        Ok(())
    }

    pub(super) fn check_power(&self) -> Result<(), MemoryFault> {
        match self.power {
            Power::Off => Err(FaultReason::PowerLost.into()),
            Power::On | Power::Due(_) => Ok(()),
        }
    }
}
