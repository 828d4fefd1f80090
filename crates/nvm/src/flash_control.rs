//! What the driver of a flash does beside the contract: erases of every size, erases that are started and not waited for,
//! suspend and resume, and a look at the cells.
//!
//! Unlike [`Flash::begin_erase`], which suits software that does not care what its memory can do, these are the commands
//! of the chip: what a busy chip does not understand is refused.

use wordline_core::quantity::Time;
use wordline_memory::{Flash, FlashMisuse, Geometry, OutOfRange};

use crate::background::NoSuspend;
use crate::bus::Action;
use crate::chip::nand::Nand;
use crate::device::{Accounts as _, FlashDevice};
use crate::error::{Misuse, NvmError};
use crate::memory::FinerNor;
use crate::wired::{SuspendedRead, Wired};

/// An erase that was started and not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartedErase {
    /// The first byte that it erases.
    pub at: u64,
    /// Bytes that it erases.
    pub bytes: u64,
    /// Whether the chip will report that it failed.
    pub(crate) fails: bool,
}

/// How far an erase has come that was started and not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErasePhase {
    /// It runs, and ends at this instant unless it is suspended.
    Running {
        /// That instant.
        until: Time,
    },
    /// It stands still.
    Suspended,
    /// It has ended; [`finish_erase`](FlashControl::finish_erase) says how.
    Ended,
}

/// The commands of a flash chip beside read, program and erase of a block. Addresses count the bytes of main areas.
pub trait FlashControl: Flash<Error = NvmError> {
    /// Sizes of erase in bytes, ascending. That of a [block](Geometry::block_bytes) is among them.
    fn erase_sizes(&self) -> Vec<u64> {
        vec![self.geometry().block_bytes()]
    }

    /// Erases a range by one erase of the chip.
    ///
    /// # Errors
    /// When the chip has no erase of so many bytes, the range does not begin at a multiple of it, or as [`Flash::erase`].
    fn erase_range(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        let block = block_at(self.geometry(), at, bytes)?;
        self.erase(block)
    }

    /// Starts the erase of a range, and does not wait for it.
    ///
    /// # Errors
    /// As [`erase_range`](Self::erase_range), while another erase has not been [finished](Self::finish_erase), or when
    /// the chip cannot work by itself.
    fn start_erase(&mut self, at: u64, bytes: u64) -> Result<(), NvmError>;

    /// The erase that was started and not finished.
    fn started_erase(&self) -> Option<StartedErase>;

    /// How far that erase has come; `None` where there is none.
    fn erase_phase(&self) -> Option<ErasePhase>;

    /// Whether the erase can be suspended.
    ///
    /// # Errors
    /// Why it cannot.
    fn check_suspend(&self) -> Result<(), NoSuspend> {
        Err(NoSuspend::Chip)
    }

    /// Whether other blocks can be programmed while an erase is suspended.
    fn programs_during_erase(&self) -> bool {
        false
    }

    /// Suspends the erase that was started, and waits until it stands still. One that ends before stays ended.
    ///
    /// # Errors
    /// When the chip has no suspend that the board drives, or the erase is suspended already.
    fn suspend_erase(&mut self) -> Result<(), NvmError> {
        Err(NvmError::Unsupported(Action::Suspend))
    }

    /// Lets the erase go on that is suspended.
    ///
    /// # Errors
    /// When none is.
    fn resume_erase(&mut self) -> Result<(), NvmError> {
        Err(NvmError::Unsupported(Action::Resume))
    }

    /// Waits for the end of the erase that was started, as a driver does that asks for the status; one that is suspended
    /// is resumed before. Nothing is to be waited for where none was started.
    ///
    /// # Errors
    /// When the chip reports that it failed.
    fn finish_erase(&mut self) -> Result<(), NvmError>;

    /// Forgets the erase that was started, because the power went in it. What it leaves is for the caller to
    /// [store](crate::FlashMemory::set_content).
    fn drop_erase(&mut self);

    /// Equal parts of the memory, of which one can be read while another one is erased; 1 where there are none.
    fn banks(&self) -> u32 {
        1
    }

    /// Whether a range can be read while the erase runs: it lies in another bank of a chip that has banks.
    fn reads_beside(&self, at: u64, bytes: u64) -> bool {
        let _ = (at, bytes);
        false
    }

    /// Reads at once: suspends the erase if it runs, reads, and resumes it.
    ///
    /// # Errors
    /// When it [cannot be suspended](Self::check_suspend), or the range leaves the memory or lies in what is suspended.
    fn read_suspending(&mut self, at: u64, out: &mut [u8]) -> Result<SuspendedRead, NvmError> {
        let _ = (at, out);
        Err(NvmError::Unsupported(Action::Suspend))
    }

    /// What the cells of a page hold, without time and energy, and without an ECC: bits that are wrong are given wrong.
    ///
    /// # Errors
    /// When the range leaves the page or the memory.
    fn peek(&self, page: u32, column: u32, out: &mut [u8]) -> Result<(), NvmError>;
}

/// The block that a range is, in a memory which erases nothing else.
pub(crate) fn block_at(geometry: Geometry, at: u64, bytes: u64) -> Result<u32, NvmError> {
    OutOfRange::check(at, bytes, geometry.capacity_bytes())?;
    let block = geometry.block_bytes();
    if bytes != block || !at.is_multiple_of(block) {
        return Err(Misuse::NoSuchErase { at, bytes }.into());
    }
    Ok((at / block) as u32)
}

impl FlashControl for FinerNor {
    fn erase_sizes(&self) -> Vec<u64> {
        let sizes = self.flash.chip().erase_sizes();
        sizes.map(|(bytes, _)| bytes).collect()
    }

    fn erase_range(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        self.flash.erase_unit(at, bytes)
    }

    fn start_erase(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        if let Some(StartedErase { at, .. }) = self.started {
            let block = (at / self.geometry().block_bytes()) as u32;
            return Err(FlashMisuse::InErase { block }.into());
        }
        self.flash.start_erase(at, bytes)?;
        let fails = self.flash.chip().failed().is_some();
        self.started = Some(StartedErase { at, bytes, fails });
        Ok(())
    }

    fn started_erase(&self) -> Option<StartedErase> {
        self.started
    }

    fn erase_phase(&self) -> Option<ErasePhase> {
        use crate::device::Accounts as _;
        let started = self.started?;
        let chip = self.flash.chip();
        if chip.stands_still() {
            return Some(ErasePhase::Suspended);
        }
        let now = self.flash.clock().now();
        let running = chip.running_at(started.at);
        Some(match running.filter(|until| *until > now) {
            Some(until) => ErasePhase::Running { until },
            None => ErasePhase::Ended,
        })
    }

    fn check_suspend(&self) -> Result<(), NoSuspend> {
        FlashDevice::check_suspend(&self.flash)
    }

    fn programs_during_erase(&self) -> bool {
        self.flash.chip().programs_during_erase()
    }

    fn suspend_erase(&mut self) -> Result<(), NvmError> {
        if self.flash.chip().stands_still() {
            let suspended = crate::chip::nor::NorWork::Erase.name();
            let action = Action::Suspend;
            return Err(Misuse::WhileSuspended { suspended, action }.into());
        }
        self.flash.suspend()
    }

    fn resume_erase(&mut self) -> Result<(), NvmError> {
        self.flash.resume()
    }

    fn finish_erase(&mut self) -> Result<(), NvmError> {
        let Some(started) = self.started else {
            return Ok(());
        };
        if self.flash.chip().stands_still() {
            self.flash.resume()?;
        }
        // Whether it failed was known when it was started; what the status says now may be of a later program.
        match self.flash.finish() {
            Ok(()) | Err(NvmError::EraseFailed { .. } | NvmError::ProgramFailed { .. }) => {}
            Err(error) => return Err(error),
        }
        self.started = None;
        match started.fails {
            true => Err(NvmError::EraseFailed {
                block: (started.at / self.geometry().block_bytes()) as u32,
            }),
            false => Ok(()),
        }
    }

    fn drop_erase(&mut self) {
        use crate::device::Accounts as _;
        let now = self.flash.clock().now();
        self.flash.chip_mut().lose_power(now);
        self.started = None;
    }

    fn banks(&self) -> u32 {
        self.flash.chip().banks()
    }

    fn reads_beside(&self, at: u64, bytes: u64) -> bool {
        self.flash.chip().reads_beside(at, bytes)
    }

    fn read_suspending(&mut self, at: u64, out: &mut [u8]) -> Result<SuspendedRead, NvmError> {
        self.flash.read_suspending(at, out)
    }

    fn peek(&self, page: u32, column: u32, out: &mut [u8]) -> Result<(), NvmError> {
        let geometry = self.geometry();
        geometry.check_read(page, column, out.len() as u64)?;
        let at = u64::from(page) * u64::from(geometry.page_bytes) + u64::from(column);
        self.flash.chip().peek(self.flash.clock().now(), at, out)
    }
}

impl FlashControl for Wired<Nand> {
    fn start_erase(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        let block = block_at(self.geometry(), at, bytes)?;
        self.begin_erase(block)
    }

    fn started_erase(&self) -> Option<StartedErase> {
        let (block, bytes, fails) = self.left_erase()?;
        let at = u64::from(block) * bytes;
        Some(StartedErase { at, bytes, fails })
    }

    fn erase_phase(&self) -> Option<ErasePhase> {
        use crate::device::Accounts as _;
        self.left_erase()?;
        let until = self.chip().busy_until();
        Some(match until > self.clock().now() {
            true => ErasePhase::Running { until },
            false => ErasePhase::Ended,
        })
    }

    fn finish_erase(&mut self) -> Result<(), NvmError> {
        self.advance_erase(1, 1).map(drop)
    }

    fn drop_erase(&mut self) {
        self.forget_left();
    }

    fn peek(&self, page: u32, column: u32, out: &mut [u8]) -> Result<(), NvmError> {
        self.chip().peek(self.clock().now(), page, column, out)
    }
}
