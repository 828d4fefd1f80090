//! Work that a memory does by itself: programs and erases that were begun and not waited for.

use wordline_core::BackgroundWork;
use wordline_core::quantity::Time;

use crate::bound::TimeSpan;
use crate::bus::Action;
use crate::device::Device;
#[cfg(doc)]
use crate::device::FlashDevice;
use crate::error::NvmError;
use crate::wired::SuspendedRead;
#[cfg(doc)]
use wordline_memory::ByteMemory;

/// A memory that programs and erases in the background after a command, one operation at a time.
/// Addresses are those of the [`ByteMemory`].
pub trait Background: Device {
    /// Bytes that one piece of work is done on: a page or a block. It begins at a multiple of it.
    fn unit_bytes(&self, work: BackgroundWork) -> u64;

    /// Whether the work can be suspended for a read.
    ///
    /// # Errors
    /// Why it cannot.
    fn check_suspend(&self, work: BackgroundWork) -> Result<(), NoSuspend>;

    /// Begins an erase of the block at `at`, and does not wait for it.
    ///
    /// # Errors
    /// When there is no such block, or the chip is busy.
    fn start_erase(&mut self, at: u64) -> Result<(), NvmError>;

    /// Whether the block at `at` was erased in the background, was seen to have ended well, and has not
    /// been programmed since: a write that begins it does not erase it again.
    fn is_erased(&self, at: u64) -> bool;

    /// The longest that a driver and a read wait for such work, as [`Device::write_bound`] says. Begin and wait of an erase
    /// together are no longer than an erase within a write.
    ///
    /// # Errors
    /// When a bound exceeds what simulated time can hold.
    fn bounds(&self, work: BackgroundWork) -> Result<BackgroundBounds, NvmError>;

    /// Begins a program of `data` in the page at `at`, and does not wait for it.
    ///
    /// # Errors
    /// When the range leaves the page, a rule of the memory is broken, or the chip is busy.
    fn start_program(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError>;

    /// When what runs will have ended, if nothing suspends it.
    fn busy_until(&self) -> Time;

    /// Waits for the end of what runs, as a driver does that asks for the status.
    ///
    /// # Errors
    /// When the chip reports that the work failed.
    fn finish(&mut self) -> Result<(), NvmError>;

    /// Waits for the end of what runs, and reads. The whole is one access.
    ///
    /// # Errors
    /// As [`finish`](Self::finish) and [`ByteMemory::read`].
    fn read_after(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError>;

    /// Suspends what runs, reads, and resumes it.
    ///
    /// # Errors
    /// When the work [cannot be suspended](Self::check_suspend), or the range leaves the memory or
    /// lies in what is suspended.
    fn read_suspending(&mut self, at: u64, out: &mut [u8]) -> Result<SuspendedRead, NvmError>;
}

/// Why work in the background cannot be suspended for a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSuspend {
    /// The kind of memory has no suspend, or the model has none.
    #[error("this memory cannot be read while it is busy")]
    Chip,
    /// The sheet has no figures of a suspend.
    #[error("the sheet of the part states no suspend")]
    Sheet,
    /// The board drives no opcode for it.
    #[error("the board drives no opcode for {0} that the chip has")]
    Board(Action),
}

/// The longest that a driver and a read wait for work in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackgroundBounds {
    /// Until the work runs: its commands, and the data of a program.
    pub begin: Time,
    /// Until the driver knows that it has ended, however soon after its begin it waits.
    pub finish: Time,
    /// From the end of the work until the driver knows of it, where it asks again and again.
    pub notice: Time,
    /// Until the work stands still for a read; `None` where it [cannot be suspended](Background::check_suspend).
    pub suspend: Option<Time>,
}

impl BackgroundBounds {
    /// The longest read of a memory that a driver keeps busy with such work, where the read alone takes no longer than
    /// `read`. It may find the driver on the bus, which learns that the last piece has ended and begins the next; then it
    /// suspends that piece, or waits for its end.
    ///
    /// `notice + begin + (suspend or finish) + read`
    ///
    /// # Errors
    /// When the work cannot be suspended, or the bound exceeds what simulated time can hold.
    pub fn read(&self, read: Time, suspending: bool) -> Result<Time, NvmError> {
        let still = match suspending {
            true => self.suspend.ok_or(NvmError::Unsupported(Action::Suspend))?,
            false => self.finish,
        };
        let driver = TimeSpan::from(self.notice) + self.begin.into();
        (driver + still.into() + read.into()).time()
    }
}
