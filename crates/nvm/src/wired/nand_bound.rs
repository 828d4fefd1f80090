//! The longest accesses of a NAND.
//!
//! Written for pages in a row: `c` a command, `x` the transfer of a page, `E` the write-enable command
//! where there is one, and `poll(t)` what a driver waits for a chip that is busy for `t`
//! ([`Polls::after`]).
//!
//! - Page by page: a read is `c + poll(tR) + x`, a program `E + x + c + poll(tPROG)`, an erase
//!   `E + c + poll(tBERS)`.
//! - Several planes: a group of `k` pages or blocks adds `c + poll(tDBSY)` for each of its members but
//!   the last, with `E` and `x` as above for each, and has one `poll(tR)`, `poll(tPROG)` or
//!   `poll(tBERS)`.
//! - Cache read of `n` pages: let `z` be when the register begins to move for a page. The next one
//!   moves once the host has taken this page and sent the next command, and once the array, which
//!   started when the register had moved, is done: `z' − z ≤ max(poll(tRCBSY) + x + c, tRCBSY + tR)`.
//!   Hence `c + poll(tR) + c + Σ (z' − z) + poll(tRCBSY) + x`, the sum over all pages but the last.
//! - Cache program of `n` groups: the same the other way round, with `w` the loads and the command of
//!   a group: `w + Σ max(poll(tCBSY) + w', tCBSY + tPROG) + poll(tPROG)`, the sum over all groups but
//!   the first.

use wordline_core::BackgroundWork;
use wordline_core::quantity::Time;
use wordline_memory::OutOfRange;

use super::Wired;
#[cfg(doc)]
use super::bound::Polls;
use crate::background::BackgroundBounds;
use crate::bound::{TimeSpan, Touched};
use crate::bus::Action;
use crate::chip::nand::Nand;
use crate::device::PageBounds;
use crate::error::NvmError;

impl Wired<Nand> {
    /// The longest read of a range of pages;
    /// see [`FlashDevice::read_bound`](crate::FlashDevice::read_bound).
    pub(super) fn longest_read(&self, at: u64, bytes: u64, planes: u32) -> Result<Time, NvmError> {
        let geometry = self.chip.geometry();
        OutOfRange::check(at, bytes, geometry.capacity_bytes())?;
        let Some(touched) = Touched::new(at, bytes, geometry.page_bytes) else {
            return Ok(Time::ZERO);
        };
        let pipelines = self.chip.pipelines();
        let span = if pipelines.cache_read && !pipelines.multi_plane {
            self.cached_reads(&touched)?
        } else {
            let group = Groups::new(&touched, self.together(planes));
            let one = |first, last| self.read_group(&touched, first, last);
            group.head(one)? + group.between(one)? + group.tail(one)?
        };
        span.time()
    }

    /// The longest programs of a range of pages within the blocks that are kept together;
    /// see [`FlashDevice::program_bound`](crate::FlashDevice::program_bound).
    pub(super) fn longest_program(
        &self,
        at: u64,
        bytes: u64,
        planes: u32,
    ) -> Result<Time, NvmError> {
        let geometry = self.chip.geometry();
        OutOfRange::check(at, bytes, geometry.capacity_bytes())?;
        let Some(touched) = Touched::new(at, bytes, geometry.page_bytes) else {
            return Ok(Time::ZERO);
        };
        let groups = Groups::new(&touched, self.together(planes));
        let program = self.chip.longest_page_program();
        let polls = self.polls(self.chip.rest())?;
        if !self.chip.pipelines().cache_program || groups.count() == 1 {
            let one = |first, last| {
                let loads = self.load_group(&touched, first, last, Action::Execute)?;
                Ok(loads + polls.after(program.into()))
            };
            return (groups.head(one)? + groups.between(one)? + groups.tail(one)?).time();
        }
        let moving = TimeSpan::from(self.chip.cache_program_move());
        let behind = |loads: TimeSpan| (polls.after(moving) + loads).max(moving + program.into());
        let load = |action| move |first, last| self.load_group(&touched, first, last, action);
        let cached = |first, last| Ok(behind(load(Action::ExecuteCache)(first, last)?));
        let last = |first, last| Ok(behind(load(Action::Execute)(first, last)?));
        let span = groups.head(load(Action::ExecuteCache))?
            + groups.between(cached)?
            + groups.tail(last)?
            + polls.after(program.into());
        span.time()
    }

    /// The longest accesses to one page with its spare area.
    pub(super) fn longest_page(&self) -> Result<PageBounds, NvmError> {
        let geometry = self.chip.geometry();
        let columns = geometry.columns();
        let spare = u64::from(geometry.spare_bytes);
        let within = |at, bytes| Touched::new(at, bytes, columns as u32);
        let Some(touched) = within(0, columns) else {
            return Ok(PageBounds {
                read: Time::ZERO,
                program: Time::ZERO,
                spare_read: Time::ZERO,
                moved: None,
            });
        };
        let spare_read = match within(geometry.page_bytes.into(), spare) {
            Some(touched) => self.read_group(&touched, 0, 0)?.time()?,
            None => Time::ZERO,
        };
        let loads = self.load_group(&touched, 0, 0, Action::Execute)?;
        let polls = self.polls(self.chip.rest())?;
        let program = loads + polls.after(self.chip.longest_page_program().into());
        let moved = match self.chip.moves_anywhere() {
            true => {
                let rest = self.chip.rest();
                let load = self.enable_span()?
                    + self.transfer_span(
                        Action::WriteMore,
                        geometry.page_bytes.into(),
                        spare,
                        rest,
                    )?;
                let execute = self.command_span(Action::Execute, rest)?;
                let moved = load + execute + polls.after(self.chip.longest_page_program().into());
                Some((moved + spare_read.into()).time()?)
            }
            false => None,
        };
        Ok(PageBounds {
            read: self.read_group(&touched, 0, 0)?.time()?,
            program: program.time()?,
            spare_read,
            moved,
        })
    }

    /// The longest erase of the blocks that are kept together;
    /// see [`FlashDevice::erase_bound`](crate::FlashDevice::erase_bound).
    pub(super) fn longest_erase(&self, blocks: u32) -> Result<Time, NvmError> {
        let rest = self.chip.rest();
        let (enable, polls) = (self.enable_span()?, self.polls(rest)?);
        let group = self.together(blocks);
        let last =
            self.longest_erase_start()? + polls.after(self.chip.longest_block_erase().into());
        let kept = match group {
            1 => TimeSpan::ZERO,
            _ => {
                let command = self.command_span(Action::ErasePlane, rest)?;
                enable + command + polls.after(self.chip.plane_move().into())
            }
        };
        ((kept * (group - 1) + last) * (u64::from(blocks) / group)).time()
    }

    /// The longest until an erase runs.
    fn longest_erase_start(&self) -> Result<TimeSpan, NvmError> {
        Ok(self.enable_span()? + self.command_span(Action::Erase, self.chip.rest())?)
    }

    /// The longest waits for work in the background;
    /// see [`FlashDevice::background_bounds`](crate::FlashDevice::background_bounds).
    pub(super) fn longest_waits(&self, work: BackgroundWork) -> Result<BackgroundBounds, NvmError> {
        let (begin, busy) = match work {
            BackgroundWork::Erase => (self.longest_erase_start()?, self.chip.longest_block_erase()),
            BackgroundWork::Program => {
                let page = self.chip.geometry().page_bytes;
                let begin = match Touched::new(0, u64::from(page), page) {
                    Some(touched) => self.load_group(&touched, 0, 0, Action::Execute)?,
                    None => TimeSpan::ZERO,
                };
                (begin, self.chip.longest_page_program())
            }
        };
        let polls = self.polls(self.chip.rest())?;
        Ok(BackgroundBounds {
            begin: begin.time()?,
            finish: polls.after(busy.into()).time()?,
            notice: polls.after(TimeSpan::ZERO).time()?,
            suspend: None,
        })
    }

    /// Pages or blocks that the chip works on at the same time, of those that are kept together.
    fn together(&self, planes: u32) -> u64 {
        match self.chip.pipelines().multi_plane {
            true => u64::from(planes.max(1)),
            false => 1,
        }
    }

    fn enable_span(&self) -> Result<TimeSpan, NvmError> {
        match self.chip.needs_write_enable() {
            true => self.command_span(Action::WriteEnable, self.chip.rest()),
            false => Ok(TimeSpan::ZERO),
        }
    }

    /// Pages `first` to `last`, read from their planes at the same time.
    fn read_group(&self, touched: &Touched, first: u64, last: u64) -> Result<TimeSpan, NvmError> {
        let rest = self.chip.rest();
        let polls = self.polls(rest)?;
        let fetch = self.command_span(Action::PageRead, rest)?
            + polls.after(self.chip.longest_page_read().into());
        let kept = match last - first {
            0 => TimeSpan::ZERO,
            others => {
                let command = self.command_span(Action::PageReadPlane, rest)?;
                (command + polls.after(self.chip.plane_move().into())) * others
            }
        };
        let moved = touched.sum_of(first, last, |column, bytes| {
            self.transfer_span(Action::Read, column, bytes, rest)
        })?;
        Ok(kept + fetch + moved)
    }

    /// Up to the end of the command `execute` that programs pages `first` to `last`, one in each plane.
    fn load_group(
        &self,
        touched: &Touched,
        first: u64,
        last: u64,
        execute: Action,
    ) -> Result<TimeSpan, NvmError> {
        let rest = self.chip.rest();
        let enable = self.enable_span()?;
        let loads = touched.sum_of(first, last, |column, bytes| {
            Ok(enable + self.transfer_span(Action::Write, column, bytes, rest)?)
        })?;
        let kept = match last - first {
            0 => TimeSpan::ZERO,
            others => {
                let command = self.command_span(Action::ExecutePlane, rest)?;
                let busy = self.polls(rest)?.after(self.chip.plane_move().into());
                (command + busy) * others
            }
        };
        Ok(loads + kept + self.command_span(execute, rest)?)
    }

    /// Pages in cache reads, each as long as the chip can go on.
    fn cached_reads(&self, touched: &Touched) -> Result<TimeSpan, NvmError> {
        let one = |first, last| self.cached_read(touched, first, last);
        let Some(reach) = self.chip.cache_read_reach() else {
            return one(touched.first(), touched.last());
        };
        let runs = Groups::new(touched, reach);
        Ok(runs.head(one)? + runs.between(one)? + runs.tail(one)?)
    }

    /// Pages `first` to `last` in one cache read; a single page is read without.
    fn cached_read(&self, touched: &Touched, first: u64, last: u64) -> Result<TimeSpan, NvmError> {
        if first == last {
            return self.read_group(touched, first, last);
        }
        let rest = self.chip.rest();
        let polls = self.polls(rest)?;
        let array = TimeSpan::from(self.chip.longest_page_read());
        let moving = TimeSpan::from(self.chip.cache_read_move());
        let fetch = self.command_span(Action::PageRead, rest)? + polls.after(array);
        let on = self.command_span(Action::PageReadCache, rest)?;
        // The command that ends the series stands in for one of the others: the longer is taken.
        let next = on.max(self.command_span(Action::PageReadLast, rest)?);
        let transfer = |column, bytes| self.transfer_span(Action::Read, column, bytes, rest);
        let step = |column, bytes| {
            let taken = polls.after(moving) + transfer(column, bytes)? + next;
            Ok(taken.max(moving + array))
        };
        let (column, bytes) = touched.part(last);
        Ok(fetch
            + on
            + touched.sum_of(first, last - 1, step)?
            + polls.after(moving)
            + transfer(column, bytes)?)
    }
}

/// Pages in groups of `size`, of which the first and the last may be touched in part.
#[derive(Clone, Copy)]
struct Groups {
    first: u64,
    last: u64,
    size: u64,
}

impl Groups {
    const fn new(touched: &Touched, size: u64) -> Self {
        Self {
            first: touched.first(),
            last: touched.last(),
            size,
        }
    }

    const fn count(&self) -> u64 {
        self.last / self.size - self.first / self.size + 1
    }

    /// What the first group costs, given its first and last page.
    fn head(
        &self,
        of: impl Fn(u64, u64) -> Result<TimeSpan, NvmError>,
    ) -> Result<TimeSpan, NvmError> {
        let end = (self.first / self.size + 1) * self.size - 1;
        of(self.first, self.last.min(end))
    }

    /// What the groups between the first and the last cost, which are all alike.
    fn between(
        &self,
        of: impl Fn(u64, u64) -> Result<TimeSpan, NvmError>,
    ) -> Result<TimeSpan, NvmError> {
        match self.count().saturating_sub(2) {
            0 => Ok(TimeSpan::ZERO),
            groups => {
                let start = (self.first / self.size + 1) * self.size;
                Ok(of(start, start + self.size - 1)? * groups)
            }
        }
    }

    /// What the last group costs, where it is another than the first.
    fn tail(
        &self,
        of: impl Fn(u64, u64) -> Result<TimeSpan, NvmError>,
    ) -> Result<TimeSpan, NvmError> {
        match self.count() {
            1 => Ok(TimeSpan::ZERO),
            _ => of(self.last / self.size * self.size, self.last),
        }
    }
}
