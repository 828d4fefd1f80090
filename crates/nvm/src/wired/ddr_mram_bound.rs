//! The longest accesses of a memory behind banks: the driver, the controller, and the clocks that the
//! chip's rules can ask for at the most (`chip/ddr_mram/bound.rs`).

use wordline_core::quantity::Time;
use wordline_memory::OutOfRange;

use super::Wired;
use crate::bound::TimeSpan;
use crate::chip::ddr_mram::DdrMram;
use crate::error::NvmError;

impl Wired<DdrMram> {
    /// From the end of whatever came before to the start of an access: driver and controller.
    fn before(&self, driver: Time) -> Result<Time, NvmError> {
        (TimeSpan::from(driver) + self.chip.controller().into()).time()
    }

    /// The longest read; see [`Device::read_bound`](crate::Device::read_bound).
    pub(super) fn longest_read(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.chip.capacity())?;
        match bytes {
            0 => Ok(Time::ZERO),
            _ => {
                let before = self.before(self.driver.dma_setup)?;
                self.chip.longest_read(before, at, bytes).time()
            }
        }
    }

    /// The longest write; see [`Device::write_bound`](crate::Device::write_bound).
    pub(super) fn longest_write(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.chip.capacity())?;
        match bytes {
            0 => Ok(Time::ZERO),
            _ => {
                let before = self.before(self.driver.dma_setup)?;
                self.chip.longest_write(before, at, bytes).time()
            }
        }
    }

    /// The longest store; see [`Device::persist_bound`](crate::Device::persist_bound).
    pub(super) fn longest_persist(&self) -> Result<Time, NvmError> {
        let before = self.before(self.driver.command)?;
        self.chip.longest_store(before).time()
    }
}
