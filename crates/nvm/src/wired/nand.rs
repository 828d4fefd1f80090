//! A NAND on a board.

use wordline_core::draw::hash_name;
use wordline_core::quantity::Time;
use wordline_core::{BackgroundWork, Resolver};
use wordline_memory::{Ecc, EraseMode, Flash, Geometry};

use super::{ChipSheet, LeftErase, Wired};
use crate::background::BackgroundBounds;
use crate::bus::Action;
use crate::chip::nand::{EccVerdict, Nand, NandSheet};
use crate::cost::Cause;
use crate::device::{CurrentGap, FlashDevice, FlashWork, PageBounds, PagePart, Pipeline};
use crate::error::NvmError;
use crate::link::Link;
use crate::model::PartSetup;

impl ChipSheet for NandSheet {
    type Chip = Nand;

    /// The driver is taken to know the bad blocks, as from a table that it keeps.
    fn chip(
        &self,
        setup: PartSetup<'_>,
        link: &Link,
        resolver: &mut Resolver,
    ) -> (Nand, Vec<CurrentGap>) {
        let key = setup.conditions.seed ^ hash_name(setup.id);
        Nand::new(self, link, resolver, setup.conditions.age, key)
    }
}

impl Wired<Nand> {
    /// The chip, to damage it: [`set_faults`](Nand::set_faults), [`flip_bit`](Nand::flip_bit),
    /// [`fail_block`](Nand::fail_block).
    #[must_use]
    pub fn chip_mut(&mut self) -> &mut Nand {
        self.fold();
        &mut self.chip
    }

    /// Fetches a page into the chip's register and waits for it.
    #[inline(always)]
    fn fetch(&mut self, page: u32) -> Result<(), NvmError> {
        self.command(Action::PageRead, |chip, start, bus| {
            chip.page_read(start, bus, page)
        })?;
        self.wait(self.chip.busy_until(), Cause::ArrayRead)
    }

    /// Reads from the register of a page's plane, unless the status says that its page is lost.
    #[inline(always)]
    fn collect(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let EccVerdict::Good(ecc) = self.chip.verdict(self.chip.plane_of(page)) else {
            return Err(NvmError::Uncorrectable { page });
        };
        self.read_register(page, column, out)?;
        Ok(ecc)
    }

    #[inline(always)]
    fn read_register(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<(), NvmError> {
        let plane = self.chip.plane_of(page);
        let bytes = out.len() as u64;
        self.transfer(
            Action::Read,
            u64::from(column),
            bytes,
            |chip, start, bus| chip.read_register(start, bus, plane, column, out),
        )
    }

    /// Reads parts in runs that the chip's cache read can follow.
    fn read_cached(&mut self, parts: &[PagePart], out: &mut [u8]) -> Result<(), NvmError> {
        let follows =
            |one: &PagePart, next: &PagePart| self.chip.cache_read_follows(one.page, next.page);
        let runs: Vec<_> = parts.chunk_by(follows).collect();
        for run in runs {
            match run {
                [only] => self.read_planes(std::slice::from_ref(only), out)?,
                _ => self.read_pipelined(run, out)?,
            }
        }
        Ok(())
    }

    /// Reads parts so that each array read but the first runs while the part before is moved.
    fn read_pipelined(&mut self, parts: &[PagePart], out: &mut [u8]) -> Result<(), NvmError> {
        let Some(first) = parts.first() else {
            return Ok(());
        };
        self.fetch(first.page)?;
        for (index, part) in parts.iter().enumerate() {
            match parts.get(index + 1) {
                Some(next) => self.command(Action::PageReadCache, |chip, start, bus| {
                    chip.page_read_cache(start, bus, next.page)
                })?,
                None => self.command(Action::PageReadLast, Nand::page_read_last)?,
            }
            self.wait(self.chip.busy_until(), Cause::ArrayRead)?;
            let out = &mut out[part.range.clone()];
            if let Err(error) = self.collect(part.page, part.column, out) {
                // The array goes on behind the failed page; the next command waits for it.
                self.wait(self.chip.array_until(), Cause::ArrayRead)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Reads parts of different planes with one wait for the array.
    fn read_planes(&mut self, parts: &[PagePart], out: &mut [u8]) -> Result<(), NvmError> {
        let Some((last, kept)) = parts.split_last() else {
            return Ok(());
        };
        for part in kept {
            self.command(Action::PageReadPlane, |chip, start, bus| {
                chip.page_read_plane(start, bus, part.page)
            })?;
            self.wait(self.chip.busy_until(), Cause::ArrayRead)?;
        }
        self.fetch(last.page)?;
        for part in parts {
            self.collect(part.page, part.column, &mut out[part.range.clone()])?;
        }
        Ok(())
    }

    /// Loads and programs parts of different planes at the same time; behind the next group where
    /// `cached`, so that the status of the group before is what its end reports.
    fn program_planes(
        &mut self,
        parts: &[PagePart],
        data: &[u8],
        cached: bool,
    ) -> Result<(), NvmError> {
        let Some((last, kept)) = parts.split_last() else {
            return Ok(());
        };
        for part in kept {
            self.enable()?;
            self.load(part.page, part.column, &data[part.range.clone()])?;
            self.command(Action::ExecutePlane, |chip, start, bus| {
                chip.execute_plane(start, bus, part.page)
            })?;
            self.wait(self.chip.busy_until(), Cause::Program)?;
        }
        self.enable()?;
        self.load(last.page, last.column, &data[last.range.clone()])?;
        if cached {
            self.command(Action::ExecuteCache, |chip, start, bus| {
                chip.execute_cache(start, bus, last.page)
            })?;
        } else {
            self.command(Action::Execute, |chip, start, bus| {
                chip.execute(start, bus, last.page)
            })?;
        }
        self.wait(self.chip.busy_until(), Cause::Program)
    }

    /// Splits parts into groups that the chip works on at the same time.
    fn groups<'a>(&self, parts: &'a [PagePart]) -> Vec<&'a [PagePart]> {
        let geometry = self.chip.geometry();
        let inside = |part: &PagePart| part.page % geometry.pages_per_block;
        let together = |group: &[PagePart], part: &PagePart| {
            self.chip.pipelines().multi_plane
                && group.iter().all(|one| {
                    self.chip.plane_of(one.page) != self.chip.plane_of(part.page)
                        && inside(one) == inside(part)
                })
        };
        let mut groups = Vec::new();
        let mut start = 0;
        for end in 1..=parts.len() {
            if end == parts.len() || !together(&parts[start..end], &parts[end]) {
                groups.push(&parts[start..end]);
                start = end;
            }
        }
        groups
    }

    fn check_good(&self, block: u32) -> Result<(), NvmError> {
        if self.chip.is_marked(block) {
            Err(NvmError::BadBlock { block })
        } else {
            Ok(())
        }
    }

    #[inline(always)]
    fn enable(&mut self) -> Result<(), NvmError> {
        if self.chip.needs_write_enable() {
            self.command(Action::WriteEnable, Nand::write_enable)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn load(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let plane = self.chip.plane_of(page);
        let bytes = data.len() as u64;
        self.transfer(
            Action::Write,
            u64::from(column),
            bytes,
            |chip, start, bus| chip.load(start, bus, plane, column, data),
        )
    }

    /// What a driver checks before it puts a program on the bus.
    fn check_program(&self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let geometry = self.chip.geometry();
        geometry.check_program(page, column, data.len() as u64)?;
        self.check_good(geometry.block_of(page))?;
        if !data.is_empty() {
            self.chip.check_program(page, column, data)?;
        }
        Ok(())
    }

    /// Begins an access, and in it a program, unless there are no bytes.
    #[inline(always)]
    fn issue_program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.check_program(page, column, data)?;
        self.begin();
        if data.is_empty() {
            return Ok(());
        }
        self.await_left()?;
        self.enable()?;
        self.load(page, column, data)?;
        self.command(Action::Execute, |chip, start, bus| {
            chip.execute_checked(start, bus, page)
        })
    }

    fn await_program(&mut self) -> Result<(), NvmError> {
        self.wait(self.chip.busy_until(), Cause::Program)?;
        self.check_programmed()
    }

    fn check_programmed(&self) -> Result<(), NvmError> {
        match self.chip.failed_page() {
            Some(page) => Err(NvmError::ProgramFailed { page }),
            None => Ok(()),
        }
    }

    /// Begins an erase.
    fn issue_erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.enable()?;
        self.command(Action::Erase, |chip, start, bus| {
            chip.erase(start, bus, block)
        })
    }

    /// Waits for an erase that was left running.
    fn await_left(&mut self) -> Result<(), NvmError> {
        let Some(left) = self.left.filter(|left| !left.ended) else {
            return Ok(());
        };
        let failed = match self.await_erase() {
            Ok(()) => false,
            Err(NvmError::EraseFailed { .. }) => true,
            Err(error) => return Err(error),
        };
        self.left = Some(LeftErase {
            ended: true,
            failed,
            ..left
        });
        Ok(())
    }

    /// Block and bytes of an erase that was left running, and whether it is known to have failed.
    pub(crate) fn left_erase(&self) -> Option<(u32, u64, bool)> {
        let left = self.left?;
        let failed = left.failed || !left.ended && self.chip.failed_page().is_some();
        Some((left.block, left.bytes, failed))
    }

    /// Forgets an erase that was left running: the power went in it.
    pub(crate) fn forget_left(&mut self) {
        if self.left.take().is_some() {
            self.chip.lose_power(self.clock.now());
        }
    }

    fn await_erase(&mut self) -> Result<(), NvmError> {
        self.wait(self.chip.busy_until(), Cause::Erase)?;
        match self.chip.failed_page() {
            Some(page) => Err(NvmError::EraseFailed {
                block: self.chip.geometry().block_of(page),
            }),
            None => Ok(()),
        }
    }
}

impl Flash for Wired<Nand> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.chip.geometry()
    }

    /// Page read, wait, read from the register. The verdict is that of the whole page, which is what
    /// the chip's status reports.
    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let geometry = self.chip.geometry();
        geometry.check_read(page, column, out.len() as u64)?;
        if out.is_empty() {
            self.begin();
            return Ok(Ecc::Clean);
        }
        let by_model = |wired: &mut Self, out: &mut [u8]| {
            wired.begin();
            wired.await_left()?;
            wired.fetch(page)?;
            wired.collect(page, column, out)
        };
        if let Some(again) = self.again(Action::Read, u64::from(column), out.len(), 1)
            && self.chip.read_cells(page, column, out)
        {
            self.count(&again);
            return Ok(Ecc::Clean);
        }
        let Some(start) = self.steady_start(Action::Read, u64::from(column), out.len()) else {
            return by_model(self, out);
        };
        let Some(repeats) = self.steady_repeats(&start, 1) else {
            return self.compile(&start, |wired| by_model(wired, out));
        };
        if !self.chip.read_cells(page, column, out) {
            return by_model(self, out);
        }
        self.add_costs(&start, &repeats);
        Ok(Ecc::Clean)
    }

    /// Write enable, load, execute, wait. Refused programs put nothing on the bus.
    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let by_model = |wired: &mut Self| {
            wired.issue_program(page, column, data)?;
            if data.is_empty() {
                return Ok(());
            }
            wired.await_program()
        };
        if let Some(again) = self.again(Action::Write, u64::from(column), data.len(), 1)
            && self.chip.is_sound(page)
        {
            self.check_program(page, column, data)?;
            self.chip.program_sound(page, column, data);
            self.count(&again);
            return Ok(());
        }
        let Some(start) = self.steady_start(Action::Write, u64::from(column), data.len()) else {
            return by_model(self);
        };
        let Some(repeats) = self.steady_repeats(&start, 1) else {
            return self.compile(&start, by_model);
        };
        self.check_program(page, column, data)?;
        if !self.chip.is_sound(page) {
            return by_model(self);
        }
        self.chip.program_sound(page, column, data);
        self.add_costs(&start, &repeats);
        Ok(())
    }

    fn can_move(&self, from: u32, to: u32) -> bool {
        self.chip.can_move(from, to)
    }

    /// Page read and wait, unless the register has the page; write enable, load of the bytes that change, execute, wait.
    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, NvmError> {
        if !self.chip.can_move(from, to) {
            return Ok(false);
        }
        let geometry = self.chip.geometry();
        geometry.check_program(to, column, data.len() as u64)?;
        self.check_good(geometry.block_of(to))?;
        self.chip.check_move(from, to, column, data)?;
        self.begin();
        self.await_left()?;
        if self.chip.fetched() != Some(from) {
            self.fetch(from)?;
        }
        let plane = self.chip.plane_of(from);
        let EccVerdict::Good(_) = self.chip.verdict(plane) else {
            return Err(NvmError::Uncorrectable { page: from });
        };
        self.enable()?;
        let bytes = data.len() as u64;
        self.transfer(
            Action::WriteMore,
            u64::from(column),
            bytes,
            |chip, start, bus| chip.load_more(start, bus, plane, column, data),
        )?;
        self.command(Action::Execute, |chip, start, bus| {
            chip.execute(start, bus, to)
        })?;
        self.await_program()?;
        Ok(true)
    }

    /// Write enable, erase, wait.
    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.check_left()?;
        self.erase_blocks(&[block])
    }

    fn erase_mode(&self) -> EraseMode {
        EraseMode::Runs
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.check_left()?;
        self.begin_work(FlashWork::Erase { block }, &[])?;
        self.left = Some(LeftErase {
            block,
            bytes: self.chip.geometry().block_bytes(),
            ended: false,
            failed: false,
        });
        Ok(())
    }

    /// Waits for its end, however short the part.
    fn advance_erase(&mut self, _: u32, _: u32) -> Result<bool, NvmError> {
        self.begin();
        self.await_left()?;
        match self.left.take() {
            Some(LeftErase {
                block,
                failed: true,
                ..
            }) => Err(NvmError::EraseFailed { block }),
            _ => Ok(true),
        }
    }

    /// Reads the mark, which lies in a byte of the spare area of the block's page 0 that the sheet
    /// names, whatever the ECC says of the page.
    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        let geometry = self.chip.geometry();
        geometry.check_block(block)?;
        self.begin();
        self.await_left()?;
        self.fetch(block * geometry.pages_per_block)?;
        let mut mark = [0];
        let page = block * geometry.pages_per_block;
        self.read_register(page, self.chip.mark_column(), &mut mark)?;
        Ok(mark != [0xff])
    }

    /// Programs the mark, out of order and beyond the number of programs if need be: the block's
    /// content is given up.
    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.chip.geometry().check_block(block)?;
        self.begin();
        if self.chip.is_marked(block) {
            return Ok(());
        }
        self.await_left()?;
        self.enable()?;
        let page = block * self.chip.geometry().pages_per_block;
        self.load(page, self.chip.mark_column(), &[0])?;
        self.command(Action::Execute, |chip, start, bus| {
            chip.execute_mark(start, bus, block)
        })?;
        self.wait(self.chip.busy_until(), Cause::Program)
    }
}

impl FlashDevice for Wired<Nand> {
    /// Page by page; several planes at a time, or pipelined, where that is [in
    /// use](FlashDevice::use_pipeline) and there is more than one page.
    fn read_parts(&mut self, parts: &[PagePart], out: &mut [u8]) -> Result<(), NvmError> {
        let geometry = self.chip.geometry();
        for part in parts {
            geometry.check_read(part.page, part.column, part.range.len() as u64)?;
        }
        self.begin();
        let pipelines = self.chip.pipelines();
        if pipelines.cache_read && !pipelines.multi_plane && parts.len() > 1 {
            return self.read_cached(parts, out);
        }
        for group in self.groups(parts) {
            self.read_planes(group, out)?;
        }
        Ok(())
    }

    /// Page by page; several planes at a time, or behind each other, where that is in use. All parts
    /// are checked before the first is put on the bus. A failed page of a cache program is known when
    /// the next group is in the array: that group has been programmed as well.
    fn program_parts(&mut self, parts: &[PagePart], data: &[u8]) -> Result<(), NvmError> {
        for part in parts {
            self.check_program(part.page, part.column, &data[part.range.clone()])?;
        }
        self.begin();
        let groups = self.groups(parts);
        let caches = self.chip.pipelines().cache_program;
        for (index, group) in groups.iter().enumerate() {
            let cached = caches && index + 1 < groups.len();
            self.program_planes(group, data, cached)?;
            if let Some(page) = self.chip.failed_before() {
                // The next group is in the array already; its end is waited for.
                self.wait(self.chip.array_until(), Cause::Program)?;
                self.chip.end_cache_program();
                return Err(NvmError::ProgramFailed { page });
            }
            if !cached {
                self.check_programmed()?;
            }
        }
        Ok(())
    }

    fn erase_blocks(&mut self, blocks: &[u32]) -> Result<(), NvmError> {
        for &block in blocks {
            self.chip.geometry().check_block(block)?;
            self.check_good(block)?;
        }
        self.begin();
        let pages = self.chip.geometry().pages_per_block;
        let first_pages: Vec<_> = blocks
            .iter()
            .map(|block| PagePart {
                page: block * pages,
                column: 0,
                range: 0..0,
            })
            .collect();
        for group in self.groups(&first_pages) {
            let blocks: Vec<_> = group.iter().map(|part| part.page / pages).collect();
            let Some((last, kept)) = blocks.split_last() else {
                continue;
            };
            for &block in kept {
                self.enable()?;
                self.command(Action::ErasePlane, |chip, start, bus| {
                    chip.erase_plane(start, bus, block)
                })?;
                self.wait(self.chip.busy_until(), Cause::Erase)?;
            }
            self.issue_erase(*last)?;
            self.await_erase()?;
        }
        Ok(())
    }

    fn use_pipeline(&mut self, pipeline: Pipeline) -> bool {
        let can = self.chip.can(pipeline);
        if can {
            let mut pipelines = self.chip.pipelines();
            pipelines.insert(pipeline);
            self.chip.set_pipelines(pipelines);
        }
        can
    }

    fn blocks_together(&self) -> u32 {
        match self.chip.pipelines().multi_plane {
            true => self.chip.planes(),
            false => 1,
        }
    }

    fn read_bound(&self, at: u64, bytes: u64, together: u32) -> Result<Time, NvmError> {
        self.longest_read(at, bytes, together)
    }

    fn program_bound(&self, at: u64, bytes: u64, together: u32) -> Result<Time, NvmError> {
        self.longest_program(at, bytes, together)
    }

    fn erase_bound(&self, blocks: u32) -> Result<Time, NvmError> {
        self.longest_erase(blocks)
    }

    fn page_bounds(&self) -> Result<PageBounds, NvmError> {
        self.longest_page()
    }

    fn background_bounds(&self, work: BackgroundWork) -> Result<BackgroundBounds, NvmError> {
        self.longest_waits(work)
    }

    fn preload_page(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.chip.preload(page, column, data)
    }

    fn begin_work(&mut self, work: FlashWork, data: &[u8]) -> Result<(), NvmError> {
        match work {
            FlashWork::Program { page } => self.issue_program(page, 0, data),
            FlashWork::Erase { block } => {
                self.chip.geometry().check_block(block)?;
                self.check_good(block)?;
                self.begin();
                self.issue_erase(block)
            }
        }
    }

    fn await_work(&mut self, work: FlashWork) -> Result<(), NvmError> {
        self.begin();
        match work {
            FlashWork::Program { .. } => self.await_program(),
            FlashWork::Erase { .. } => self.await_erase(),
        }
    }

    fn busy_until(&self) -> Time {
        self.chip.busy_until()
    }

    fn fork_flash(&self) -> Self {
        self.fork()
    }
}

#[cfg(test)]
#[path = "nand_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "nand_pipeline_tests.rs"]
mod pipeline_tests;
