//! A NOR flash on a board.

use std::ops::Range;

use wordline_core::quantity::Time;
use wordline_core::{BackgroundWork, Resolver};
use wordline_memory::{Ecc, EraseMode, Flash, Geometry, OutOfRange};

use super::{ChipSheet, LeftErase, Wired};
use crate::background::{BackgroundBounds, NoSuspend};
use crate::bound::TimeSpan;
use crate::bus::Action;
use crate::chip::nor::{Nor, NorSheet, NorWork};
use crate::cost::{AccessCost, Cause};
use crate::device::{CurrentGap, FlashDevice, FlashWork, PagePart};
use crate::error::{Misuse, NvmError};
use crate::link::Link;
use crate::model::PartSetup;

/// A read that came while a program or an erase ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuspendedRead {
    /// What the data waited for, from the call to the last clock of the read. The resume command
    /// comes after it and is part of the access's cost alone.
    pub latency: AccessCost,
    /// Whether something was suspended for the read, and resumed after it.
    pub suspended: bool,
}

impl ChipSheet for NorSheet {
    type Chip = Nor;

    fn chip(
        &self,
        setup: PartSetup<'_>,
        link: &Link,
        resolver: &mut Resolver,
    ) -> (Nor, Vec<CurrentGap>) {
        Nor::new(self, link, resolver, setup.conditions.age)
    }

    /// Asks for its status once it has powered up.
    fn start(wired: &mut Wired<Nor>) -> Result<(), NvmError> {
        wired.begin();
        wired.wait(Time::ZERO, Cause::Poll)
    }
}

impl Wired<Nor> {
    /// What the status register says of the last program or erase.
    fn check_failed(&self) -> Result<(), NvmError> {
        let geometry = self.chip.geometry();
        match self.chip.failed() {
            None => Ok(()),
            Some((NorWork::Program, at)) => Err(NvmError::ProgramFailed {
                page: (at / u64::from(geometry.page_bytes)) as u32,
            }),
            Some((NorWork::Erase, at)) => Err(NvmError::EraseFailed {
                block: (at / geometry.block_bytes()) as u32,
            }),
        }
    }

    /// The chip, to change what it holds: [`set_content`](Nor::set_content), [`set_cycles`](Nor::set_cycles).
    #[must_use]
    pub fn chip_mut(&mut self) -> &mut Nor {
        self.fold();
        &mut self.chip
    }

    /// Reads in one transaction, across pages.
    ///
    /// # Errors
    /// When the range leaves the memory, or the chip is busy or asleep.
    pub fn read_through(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.chip.capacity())?;
        self.read_whole(at, out)
    }

    /// Reads as an access of its own.
    #[inline(always)]
    fn read_whole(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let by_model = |wired: &mut Self, out: &mut [u8]| {
            wired.begin();
            wired.pause_left()?;
            wired.read_at(at, out)
        };
        if let Some(again) = self.again(Action::Read, at, out.len(), 1) {
            self.chip.cells().read(at, out);
            self.count(&again);
            return Ok(());
        }
        let granule = self.link.granule_of(Action::Read);
        let whole = (at | out.len() as u64).is_multiple_of(granule);
        let start = self.steady_start(Action::Read, at, out.len());
        let Some(start) = start.filter(|_| whole) else {
            return by_model(self, out);
        };
        let Some(repeats) = self.steady_repeats(&start, 1) else {
            return self.compile(&start, |wired| by_model(wired, out));
        };
        self.chip.cells().read(at, out);
        self.add_costs(&start, &repeats);
        Ok(())
    }

    /// Programs `data` at `at` as an access of its own, within one page.
    #[inline(always)]
    fn program_whole(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let by_model = |wired: &mut Self| {
            wired.begin();
            wired.pause_left()?;
            wired.issue_program(at, data)?;
            wired.await_chip()
        };
        if let Some(again) = self.again(Action::Write, at, data.len(), 1)
            && self.chip.check_program(at, data.len()).is_ok()
        {
            self.chip.program_cells(at, data);
            self.count(&again);
            return Ok(());
        }
        let Some(start) = self.steady_start(Action::Write, at, data.len()) else {
            return by_model(self);
        };
        let Some(repeats) = self.steady_repeats(&start, 1) else {
            return self.compile(&start, by_model);
        };
        if self.chip.check_program(at, data.len()).is_err() {
            return by_model(self);
        }
        self.chip.program_cells(at, data);
        self.add_costs(&start, &repeats);
        Ok(())
    }

    /// See [`FlashMemory::program_pages`](crate::FlashMemory::program_pages).
    #[inline(always)]
    pub(crate) fn program_alike(&mut self, page: u32, data: &[u8]) -> (u32, Time) {
        const NONE: (u32, Time) = (0, Time::ZERO);
        let page_bytes = self.chip.geometry().page_bytes as usize;
        let at = self.address(page, 0);
        let most = (data.len() / page_bytes) as u64;
        let inside = OutOfRange::check(at, data.len() as u64, self.chip.capacity()).is_ok();
        if most == 0 || !inside || !self.chip.is_programmable(at, data.len()) {
            return NONE;
        }
        if let Some(again) = self.again(Action::Write, at, page_bytes, most) {
            self.chip
                .program_cells(at, &data[..most as usize * page_bytes]);
            self.count(&again);
            return (again.times as u32, again.each);
        }
        let Some(start) = self.steady_start(Action::Write, at, page_bytes) else {
            return NONE;
        };
        let Some(repeats) = self.steady_repeats(&start, most) else {
            return NONE;
        };
        let pages = repeats.times;
        self.chip
            .program_cells(at, &data[..pages as usize * page_bytes]);
        self.add_costs(&start, &repeats);
        (pages as u32, repeats.each)
    }

    /// Puts the chip into deep power-down. Content is kept; until [`wake`](Self::wake) every access
    /// is refused.
    ///
    /// # Errors
    /// When the chip sleeps already, is busy, or has no opcode for it that the board drives.
    pub fn sleep(&mut self) -> Result<(), NvmError> {
        self.begin();
        self.command(Action::PowerDown, Nor::sleep)
    }

    /// Wakes the chip from deep power-down. The next access waits until it is ready.
    ///
    /// # Errors
    /// When the chip has no opcode for it that the board drives.
    pub fn wake(&mut self) -> Result<(), NvmError> {
        self.begin();
        self.command(Action::WakeUp, Nor::wake)
    }

    /// Erases `bytes` bytes at `at`, in one of the [sizes](Nor::erase_sizes) that the chip has, and
    /// waits for it.
    ///
    /// # Errors
    /// When the chip has no such erase, or is busy or asleep.
    pub fn erase_unit(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        self.begin();
        self.issue_erase(at, bytes)?;
        self.await_chip()
    }

    /// Begins an erase and does not wait for it: [`finish`](Self::finish) does, and
    /// [`read_suspending`](Self::read_suspending) reads in between.
    ///
    /// # Errors
    /// As [`erase_unit`](Self::erase_unit).
    pub fn start_erase(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        self.begin();
        self.issue_erase(at, bytes)
    }

    /// Begins a program within one page and does not wait for it: [`finish`](Self::finish) does, and
    /// [`read_suspending`](Self::read_suspending) reads in between. Nothing is begun for no bytes.
    ///
    /// # Errors
    /// As [`Flash::program`].
    pub fn start_program(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.begin();
        self.issue_program(at, data)
    }

    /// Waits for what runs.
    ///
    /// # Errors
    /// When the chip reports that it failed, or simulated time runs out.
    pub fn finish(&mut self) -> Result<(), NvmError> {
        self.begin();
        self.await_chip()
    }

    /// Suspends what runs and waits until it stands still. What is done by then stays done, and a
    /// chip that was idle stays so: [`Nor::status`] shows which.
    ///
    /// # Errors
    /// When the chip has no opcode for it that the board drives, something is suspended already, or
    /// the chip sleeps.
    pub fn suspend(&mut self) -> Result<(), NvmError> {
        self.begin();
        self.issue_suspend()
    }

    /// Goes on with what is suspended, and does not wait for it.
    ///
    /// # Errors
    /// When nothing is suspended, or the chip is busy or asleep.
    pub fn resume(&mut self) -> Result<(), NvmError> {
        self.begin();
        self.command(Action::Resume, Nor::resume)
    }

    /// Reads at once, as a processor that executes from the memory must: suspends what runs, reads,
    /// and resumes it. Without anything running it is a plain read.
    ///
    /// # Errors
    /// When the range leaves the memory or lies in what runs or is suspended, which goes on as it was; or the chip has no
    /// suspend that the board drives.
    pub fn read_suspending(&mut self, at: u64, out: &mut [u8]) -> Result<SuspendedRead, NvmError> {
        let all = 0..out.len();
        self.read_runs_suspending(&[(at, all)], out)
    }

    /// Reads ranges of the array into ranges of `out` while what runs is suspended.
    fn read_runs_suspending(
        &mut self,
        runs: &[(u64, Range<usize>)],
        out: &mut [u8],
    ) -> Result<SuspendedRead, NvmError> {
        let now = self.clock.now();
        for (at, range) in runs {
            let bytes = range.len() as u64;
            OutOfRange::check(*at, bytes, self.chip.capacity())?;
            self.chip.check_read_suspending(now, *at, bytes)?;
        }
        self.begin();
        // What the caller had suspended before stays suspended; one thing is suspended at a time.
        let busy = self.chip.running().is_some();
        if busy {
            self.issue_suspend()?;
        }
        let suspended = busy && self.chip.status(self.clock.now()).suspended.is_some();
        let mut runs = runs.iter();
        let read = runs.try_for_each(|(at, range)| self.read_at(*at, &mut out[range.clone()]));
        let latency = self.last;
        if suspended {
            self.command(Action::Resume, Nor::resume)?;
        }
        read?;
        Ok(SuspendedRead { latency, suspended })
    }

    /// Parts that follow each other in the array, joined: address, and range of the caller's bytes.
    fn runs(&self, parts: &[PagePart]) -> Vec<(u64, Range<usize>)> {
        let mut runs: Vec<(u64, Range<usize>)> = Vec::new();
        for part in parts {
            let at = self.address(part.page, part.column);
            match runs.last_mut() {
                Some((start, range))
                    if *start + range.len() as u64 == at && range.end == part.range.start =>
                {
                    range.end = part.range.end;
                }
                _ => runs.push((at, part.range.clone())),
            }
        }
        runs
    }

    #[inline(always)]
    fn enable(&mut self) -> Result<(), NvmError> {
        if self.link.bare(Action::WriteEnable).is_some() {
            self.command(Action::WriteEnable, Nor::write_enable)?;
        }
        Ok(())
    }

    fn issue_erase(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        self.chip.check_erase(at, bytes)?;
        let code = self.chip.erase_sizes().find(|(size, _)| *size == bytes);
        let command = code.and_then(|(_, code)| self.link.erase_command(code));
        let command = command.ok_or(NvmError::Unsupported(Action::Erase))?;
        let bus = command.transaction(at, 0);
        self.enable()?;
        self.transact(self.driver.command, false, &bus, |chip, start, bus| {
            chip.erase(start, bus, at, bytes)
        })
    }

    #[inline(always)]
    fn issue_program(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.chip.check_program(at, data.len())?;
        if data.is_empty() {
            return Ok(());
        }
        self.chip.check_program_beside(at, data.len())?;
        self.enable()?;
        self.transfer(Action::Write, at, data.len() as u64, |chip, start, bus| {
            chip.program_checked(start, bus, at, data)
        })
    }

    /// Lets resumed work run for as long as it must, suspends it and waits until it stands still.
    fn issue_suspend(&mut self) -> Result<(), NvmError> {
        let issued = self.clock.now().plus(self.driver.command);
        let pause = self.chip.suspendable().since(issued);
        self.last.add(Cause::Recovery, pause);
        self.clock.advance(pause);
        self.command(Action::Suspend, Nor::suspend)?;
        // The host cannot know whether there was anything left to suspend.
        let (work, until) = self.chip.running().unzip();
        self.wait(
            until.unwrap_or(Time::ZERO),
            work.map_or(Cause::Poll, NorWork::cause),
        )
    }

    /// Waits for what runs to end or to stand still, and asks whether it failed.
    #[inline(always)]
    fn await_chip(&mut self) -> Result<(), NvmError> {
        match self.chip.running() {
            Some((work, until)) => self.wait(until, work.cause())?,
            None => return Ok(()),
        }
        self.check_failed()
    }

    /// Reads in one transaction.
    fn read_at(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.read_array(self.chip.capacity(), at, out, Nor::read)
    }

    /// Begins an erase of the block of so many bytes, and leaves it running: [`Flash::begin_erase`].
    pub(crate) fn leave_erase(&mut self, block: u32, bytes: u64) -> Result<(), NvmError> {
        self.check_left()?;
        self.start_erase(u64::from(block) * bytes, bytes)?;
        self.left = Some(LeftErase {
            block,
            bytes,
            ended: false,
            failed: self.chip.failed().is_some(),
        });
        Ok(())
    }

    /// Lets an erase that was left running stand still, or waits for its end where it cannot, so that the rest of the array
    /// can be used.
    #[inline(always)]
    fn pause_left(&mut self) -> Result<(), NvmError> {
        match self.left {
            Some(left) if !left.ended && !self.chip.stands_still() => self.pause_running(left),
            _ => Ok(()),
        }
    }

    fn pause_running(&mut self, left: LeftErase) -> Result<(), NvmError> {
        if self.erase_mode() == EraseMode::Suspends {
            self.issue_suspend()?;
        } else if let Some((work, until)) = self.chip.running() {
            self.wait(until, work.cause())?;
        }
        self.left = Some(LeftErase {
            ended: !self.chip.stands_still(),
            ..left
        });
        Ok(())
    }

    /// The address of a column of a page.
    fn address(&self, page: u32, column: u32) -> u64 {
        u64::from(page) * u64::from(self.chip.geometry().page_bytes) + u64::from(column)
    }
}

impl Flash for Wired<Nor> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.chip.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let bytes = out.len() as u64;
        self.chip.geometry().check_read(page, column, bytes)?;
        self.read_whole(self.address(page, column), out)?;
        Ok(Ecc::Clean)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let bytes = data.len() as u64;
        self.chip.geometry().check_program(page, column, bytes)?;
        if data.is_empty() {
            self.begin();
            return Ok(());
        }
        self.program_whole(self.address(page, column), data)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        let geometry = self.chip.geometry();
        geometry.check_block(block)?;
        self.check_left()?;
        let bytes = geometry.block_bytes();
        self.erase_unit(u64::from(block) * bytes, bytes)
    }

    /// A suspend is of use here where a program may come in between.
    fn erase_mode(&self) -> EraseMode {
        match self.check_suspend().is_ok() && self.chip.programs_during_erase() {
            true => EraseMode::Suspends,
            false => EraseMode::Runs,
        }
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        let geometry = self.chip.geometry();
        geometry.check_block(block)?;
        self.leave_erase(block, geometry.block_bytes())
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, NvmError> {
        self.begin();
        let Some(left) = self.left else {
            return Ok(true);
        };
        if self.chip.stands_still() {
            self.command(Action::Resume, Nor::resume)?;
        }
        if let Some((work, until)) = self.chip.running() {
            let longest = u128::from(self.chip.longest_erase(left.bytes).1.ps());
            let part = (longest * u128::from(parts)).div_ceil(u128::from(of.max(1)));
            let part = Time::from_ps(u64::try_from(part).unwrap_or(u64::MAX));
            if until.since(self.clock.now()) > part && self.erase_mode() == EraseMode::Suspends {
                self.last.add(work.cause(), part);
                self.clock.advance(part);
                return Ok(false);
            }
            self.wait(until, work.cause())?;
        }
        self.left = None;
        match left.failed {
            true => Err(NvmError::EraseFailed { block: left.block }),
            false => Ok(true),
        }
    }

    /// NOR flash leaves its maker without bad blocks.
    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.chip.geometry().check_block(block)?;
        self.begin();
        Ok(false)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.chip.geometry().check_block(block)?;
        Err(Misuse::NoMarks.into())
    }
}

impl FlashDevice for Wired<Nor> {
    /// Parts that follow each other in the array are read in one transaction.
    fn read_parts(&mut self, parts: &[PagePart], out: &mut [u8]) -> Result<(), NvmError> {
        self.begin();
        for (at, range) in self.runs(parts) {
            OutOfRange::check(at, range.len() as u64, self.chip.capacity())?;
            self.read_at(at, &mut out[range])?;
        }
        Ok(())
    }

    fn program_parts(&mut self, parts: &[PagePart], data: &[u8]) -> Result<(), NvmError> {
        self.begin();
        for part in parts {
            let at = self.address(part.page, part.column);
            self.issue_program(at, &data[part.range.clone()])?;
            self.await_chip()?;
        }
        Ok(())
    }

    fn erase_blocks(&mut self, blocks: &[u32]) -> Result<(), NvmError> {
        self.begin();
        let bytes = self.chip.geometry().block_bytes();
        for &block in blocks {
            self.chip.geometry().check_block(block)?;
            self.issue_erase(u64::from(block) * bytes, bytes)?;
            self.await_chip()?;
        }
        Ok(())
    }

    fn map_reads(&mut self) -> bool {
        self.use_mapped_reads()
    }

    fn read_bound(&self, at: u64, bytes: u64, _: u32) -> Result<Time, NvmError> {
        self.longest_read(at, bytes)
    }

    fn program_bound(&self, at: u64, bytes: u64, _: u32) -> Result<Time, NvmError> {
        self.longest_program(at, bytes)
    }

    fn erase_bound(&self, blocks: u32) -> Result<Time, NvmError> {
        (TimeSpan::from(self.longest_erase()?) * u64::from(blocks)).time()
    }

    fn background_bounds(&self, work: BackgroundWork) -> Result<BackgroundBounds, NvmError> {
        self.longest_waits(work)
    }

    fn preload_page(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let bytes = data.len() as u64;
        self.chip.geometry().check_read(page, column, bytes)?;
        let at = self.address(page, column);
        self.chip.preload(at, data)
    }

    fn begin_work(&mut self, work: FlashWork, data: &[u8]) -> Result<(), NvmError> {
        let geometry = self.chip.geometry();
        match work {
            FlashWork::Program { page } => {
                geometry.check_program(page, 0, data.len() as u64)?;
                self.start_program(self.address(page, 0), data)
            }
            FlashWork::Erase { block } => {
                geometry.check_block(block)?;
                let bytes = geometry.block_bytes();
                self.start_erase(u64::from(block) * bytes, bytes)
            }
        }
    }

    fn await_work(&mut self, _: FlashWork) -> Result<(), NvmError> {
        self.finish()
    }

    fn busy_until(&self) -> Time {
        self.chip.running().map_or(Time::ZERO, |(_, until)| until)
    }

    fn check_suspend(&self) -> Result<(), NoSuspend> {
        if !self.chip.has_suspend() {
            return Err(NoSuspend::Sheet);
        }
        let mut needed = [Action::Suspend, Action::Resume].into_iter();
        match needed.find(|action| self.link.command(*action).is_none()) {
            Some(action) => Err(NoSuspend::Board(action)),
            None => Ok(()),
        }
    }

    fn read_parts_suspending(
        &mut self,
        parts: &[PagePart],
        out: &mut [u8],
    ) -> Result<SuspendedRead, NvmError> {
        self.read_runs_suspending(&self.runs(parts), out)
    }

    fn fork_flash(&self) -> Self {
        self.fork()
    }
}

#[cfg(test)]
#[path = "nor_tests.rs"]
mod tests;
