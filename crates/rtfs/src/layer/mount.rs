//! What a flash holds, also after a power cut at any time.

use wordline_memory::Flash;

use super::decayed::NotWhole;
use super::{BegunGroup, PacedLayer, Result, SetupResult};
use crate::error::{PacedError, PacedSetupError};
use crate::pages::Found;
use crate::record::{MOUNTED, PacedRecord, PageUse, RECORD_BYTES};
use crate::rule::{PacedRule, PacedRules};
use crate::shape::{FREE_BLOCKS, GROUP_PAGES, PacedConfig};
use crate::tables::{LOST_PAGE, NO_PAGE, get_number};

/// Blocks that are looked at as the newest: one may have been begun, and power cuts can tear records of others.
const CANDIDATES: usize = 8;

/// Erases that the least worn block is taken to lack against the first one seen.
const WEAR_BELOW: u32 = 100;

/// The pages that became valid last: a group, or one page that the layer wrote for itself. Only the last page that was
/// programmed can be torn, and it is one of these or of a group that never ended.
#[derive(Clone, Copy, Debug, Default)]
struct LastUnit {
    group: BegunGroup,
    /// The record of its pages, but for what differs between them.
    of: Option<PacedRecord>,
    /// No page of the head is sure beyond what opened it, so that the block before may be needed yet.
    needs_previous: bool,
    /// What was live before it must not be erased yet either, and is noted as live.
    keeps_live: bool,
}

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    /// Finds what a flash holds, also after a power cut at any time: everything that a write which returned has stored.
    ///
    /// The pages that became valid last are written again, to a block of their own, because a power cut may have torn
    /// them although they read well. So each mount opens a block.
    ///
    /// # Errors
    /// [`PacedSetupError::NotFormatted`], [`PacedSetupError::Version`], [`PacedSetupError::Differs`], and the errors of
    /// [`format`](Self::format) for sizes: nothing changed. Or the flash fails.
    pub fn mount(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
    ) -> SetupResult<Self, F::Error> {
        Self::mount_with(flash, columns, config, memory, PacedRules::ALL)
    }

    /// [`mount`](Self::mount), and some rules left out.
    ///
    /// # Errors
    /// As there.
    #[doc(hidden)]
    pub fn mount_with(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
        rules: PacedRules,
    ) -> SetupResult<Self, F::Error> {
        let mut layer = Self::blank(flash, columns, config, memory, rules)?;
        layer.await_erase()?;
        let mut problem = None;
        let (mut begun, mut below) = (0, None);
        loop {
            let newest = layer.scan(below)?;
            let mut looked_at = 0;
            for opening in newest.into_iter().flatten() {
                looked_at += 1;
                below = Some(opening);
                match layer.take(opening, &mut begun) {
                    Ok(Some(unit)) => {
                        layer.settle(unit)?;
                        return Ok(layer);
                    }
                    Ok(None) => {}
                    Err(error @ PacedSetupError::Call(PacedError::Flash(_))) => return Err(error),
                    Err(error) => problem = problem.or(Some(error)),
                }
            }
            // Each of them may be a mount that was interrupted.
            if looked_at < CANDIDATES || !layer.rules.keep(PacedRule::ScanGoesOn) {
                return Err(problem.unwrap_or(PacedSetupError::NotFormatted));
            }
        }
    }

    /// Takes a block as the head, if it counts, with the last unit. `begun` is the greatest number of an opening that was
    /// looked at.
    fn take(
        &mut self,
        (sequence, block): (u32, u32),
        begun: &mut u32,
    ) -> SetupResult<Option<LastUnit>, F::Error> {
        let Some(mounted) = self.read_header(block, sequence, begun)? else {
            // What its record says of erases may be wrong: it is taken to have the mean of all blocks.
            self.tables.set_erases(block, 0);
            let wear = self.wear();
            let mean = wear.erases / u64::from(wear.blocks.max(1));
            self.tables.set_erases(block, mean as u32);
            return Ok(None);
        };
        let mounted = mounted && self.rules.keep(PacedRule::MountEnds);
        let mut unit = self.replay(mounted)?;
        if mounted
            && unit.is_some_and(|unit| unit.needs_previous)
            && self.rules.keep(PacedRule::PreviousKept)
        {
            // The page that says that the mount ended may be torn: the block before would count again, with all that was
            // live when the mount began.
            if self.read_header(block, sequence, begun)?.is_none() {
                return Ok(None);
            }
            let sure = match self.survey(true, true, true) {
                Ok(()) => false,
                // A block of that time is erased, which nothing does before the mount has ended.
                Err(PacedError::Lost { .. }) => true,
                Err(error) => return Err(error.into()),
            };
            let copied = self.group;
            for (_, page) in copied.pages() {
                self.tables.set_live(*page, true);
            }
            unit = self.replay(mounted)?.map(|unit| LastUnit {
                keeps_live: !sure,
                ..unit
            });
        }
        if unit.is_some() && self.rules.keep(PacedRule::SequenceJumps) {
            // No later opening may have the number of one that was begun, nor of one whose first page cannot be read now.
            self.sequence = self.sequence.max(*begun) + 1;
        }
        Ok(unit)
    }

    /// Looks at the first page of each block: the numbers of the newest openings before one, from the last one back.
    fn scan(
        &mut self,
        below: Option<(u32, u32)>,
    ) -> Result<[Option<(u32, u32)>; CANDIDATES], F::Error> {
        let geometry = self.shape().geometry;
        let mut newest = [None; CANDIDATES];
        let mut known = false;
        for block in 0..geometry.blocks {
            let first = block * geometry.pages_per_block;
            let main = geometry.page_bytes as usize;
            let spare = &mut self.tables.image()[main..];
            let Some(record) = self.pages.peek(first, spare)? else {
                continue;
            };
            if record.page_use != PageUse::Header || record.part != 0 {
                continue;
            }
            if below.is_none() {
                self.take_erases(block, &record, &mut known)?;
            }
            let mut found = Some((record.sequence, block));
            if below.is_some() && found >= below {
                continue;
            }
            for place in &mut newest {
                if found > *place {
                    core::mem::swap(&mut found, place);
                }
            }
        }
        Ok(newest)
    }

    /// Notes the erases that the header of a block names. Whether it is whole is looked at for the first one, from which
    /// others are counted: then it is `known`.
    fn take_erases(
        &mut self,
        block: u32,
        record: &PacedRecord,
        known: &mut bool,
    ) -> Result<(), F::Error> {
        if !*known {
            let first = block * self.shape().geometry.pages_per_block;
            let found = self.pages.read(first, self.tables.image())?;
            if !matches!(found, Found::Whole { record: whole, .. } if whole == *record) {
                return Ok(());
            }
            *known = true;
            let base = record.logical.saturating_sub(WEAR_BELOW);
            self.tables.set_wear_base(base);
        }
        self.tables.set_erases(block, record.logical);
        Ok(())
    }

    /// Goes through the pages of the head in their order. What they changed is noted, but for the last unit, which is
    /// returned; `None` where a mount opened the block and did not end, so that the block before counts.
    fn replay(&mut self, mounted: bool) -> Result<Option<LastUnit>, F::Error> {
        let (mut ended, mut gap) = (!mounted, false);
        let mut unit = LastUnit {
            needs_previous: true,
            ..LastUnit::default()
        };
        let mut begun = core::mem::take(&mut self.group);
        for place in 0..self.shape().data_pages {
            let page = self.shape().data_page(self.head, place);
            let record = match self.pages.read(page, self.tables.image())? {
                Found::Whole { record, .. } if record.sequence == self.sequence => record,
                _ => match self.not_whole(place)? {
                    NotWhole::End => break,
                    NotWhole::Decayed(record) => record,
                    NotWhole::Unknown => {
                        gap = true;
                        continue;
                    }
                },
            };
            // The copies of a mount come first, so that a later page of the caller proves that it ended.
            let by_caller = record.page_use == PageUse::Data && !record.moved;
            ended |= gap && by_caller && place >= GROUP_PAGES as u32;
            if record.page_use == PageUse::Header {
                // All pages before it are sure.
                ended = true;
                self.apply(&core::mem::take(&mut unit));
                unit.needs_previous = true;
                begun.len = 0;
                continue;
            }
            if !self.is_known(&record) {
                break;
            }
            unit.needs_previous = false;
            let is_map = record.page_use == PageUse::Map;
            // A page of the map that ends a group counts with it.
            let ends_group = is_map && !record.first && self.rules.keep(PacedRule::MapWaits);
            let alone = record.moved || is_map && !ends_group;
            let mut done = BegunGroup::default();
            if alone {
                done.push(record.logical, page);
            } else {
                if record.first && gap && begun.len > 0 {
                    // What decayed was the end of the group.
                    let of = Some(PacedRecord {
                        moved: false,
                        page_use: PageUse::Data,
                        ..record
                    });
                    let group = core::mem::take(&mut begun);
                    let ends = LastUnit {
                        group,
                        of,
                        ..LastUnit::default()
                    };
                    self.apply(&core::mem::replace(&mut unit, ends));
                }
                if record.first || begun.len == GROUP_PAGES {
                    begun.len = 0;
                }
                gap = false;
                begun.push(record.logical, page);
                if !record.last {
                    // What came before this page is sure.
                    self.apply(&core::mem::take(&mut unit));
                    continue;
                }
                done = core::mem::take(&mut begun);
            }
            let next = LastUnit {
                group: done,
                of: Some(record),
                ..LastUnit::default()
            };
            self.apply(&core::mem::replace(&mut unit, next));
        }
        Ok(ended.then_some(unit))
    }

    /// Whether a record names what the layer has.
    pub(super) fn is_known(&self, record: &PacedRecord) -> bool {
        match record.page_use {
            PageUse::Data | PageUse::Lost => record.logical < self.logical_pages(),
            PageUse::Map => record.logical < self.shape().map_pages,
            PageUse::Header => false,
        }
    }

    /// Notes where the pages of a unit are. Which pages are dead by that is not.
    fn apply(&mut self, unit: &LastUnit) {
        let Some(record) = unit.of else {
            return;
        };
        let mut data = unit.group.pages();
        if record.page_use == PageUse::Map
            && let Some(((number, page), before)) = data.split_last()
        {
            // A page that was moved holds what it held before.
            if !record.moved || !self.rules.keep(PacedRule::MovedMapKeepsChanges) {
                let changes = self.tables.changes_of(*number);
                self.tables.remove_changes(changes.start, changes.end);
            }
            self.tables.set_map_page(*number, *page);
            // The other pages of its group came after what it holds.
            data = before;
        }
        for (logical, page) in data {
            self.tables.change(*logical, *page, record.moved);
        }
    }

    /// Finds the live pages and the free blocks. Where `all_sure`, what the stored map names of a changed page is noted
    /// as dead: otherwise a block that was emptied before the mount would be taken for one in use each time. What was noted
    /// as live stays so, unless it `clears` that.
    ///
    /// # Errors
    /// [`PacedError::Lost`]: a page of the map is erased or decayed, and it is `strict`. Else nothing that such a page names is
    /// live.
    fn survey(&mut self, all_sure: bool, clears: bool, strict: bool) -> Result<(), F::Error> {
        let shape = *self.shape();
        if clears {
            self.tables.clear_live();
        }
        for number in 0..shape.map_pages {
            let page = self.tables.map_page(number);
            if page == NO_PAGE {
                self.count_unwritten(number, false);
                continue;
            }
            let is_whole = self.read_map(page, number)?;
            if strict && !is_whole {
                return Err(PacedError::Lost {
                    logical: number * shape.map_entries,
                });
            }
            self.tables.set_live(page, true);
            if !is_whole {
                // Its logical pages are lost, and none of them is free.
                self.tables.set_unwritten(number, 0);
                continue;
            }
            self.count_unwritten(number, true);
            for place in 0..shape.logical_pages_of(number) {
                let at = place as usize * shape.width;
                let named = get_number(&self.tables.main()[at..at + shape.width]);
                let is_page = named != NO_PAGE && named != LOST_PAGE;
                if !is_page || u64::from(named) >= shape.geometry.pages() {
                    continue;
                }
                let logical = number * shape.map_entries + place;
                match self.tables.change_of(logical) {
                    Some((index, _)) if all_sure => self.tables.set_gone(index),
                    Some((_, change)) if change.gone => {}
                    _ => self.tables.set_live(named, true),
                }
            }
        }
        for index in 0..self.tables.log_len() {
            let page = self.tables.change_at(index).page;
            if page != NO_PAGE {
                self.tables.set_live(page, true);
            }
        }
        self.count_free();
        Ok(())
    }

    /// Counts the logical pages of a page of the map that hold nothing. The page is in the image, unless it was never
    /// stored.
    fn count_unwritten(&mut self, number: u32, is_stored: bool) {
        let shape = *self.shape();
        let pages = shape.logical_pages_of(number);
        let first = number * shape.map_entries;
        let mut unwritten = if is_stored {
            let entries = self.tables.main().chunks_exact(shape.width);
            let entries = entries.take(pages as usize).map(get_number);
            entries.filter(|page| *page == NO_PAGE).count() as u32
        } else {
            pages
        };
        for index in self.tables.changes_of(number) {
            let change = self.tables.change_at(index);
            let at = (change.logical - first) as usize * shape.width;
            let was = is_stored && get_number(&self.tables.main()[at..at + shape.width]) != NO_PAGE;
            match (was, change.discarded || change.page == NO_PAGE) {
                (false, false) => unwritten -= 1,
                (true, true) => unwritten += 1,
                _ => {}
            }
        }
        self.tables.set_unwritten(number, unwritten);
    }

    fn count_free(&mut self) {
        let blocks = self.shape().geometry.blocks;
        let free = (0..blocks).filter(|block| *block != self.head && self.is_free(*block));
        self.free = free.count() as u32;
    }

    /// Writes the last unit again behind a new header, and makes as many blocks free as writes count on. Nothing is erased
    /// meanwhile but the blocks that are opened, so that an interrupted mount can be begun again.
    fn settle(&mut self, mut unit: LastUnit) -> Result<(), F::Error> {
        self.group = BegunGroup::default();
        if !self.rules.keep(PacedRule::LastUnitCopied) {
            self.apply(&unit);
            unit.group.len = 0;
        }
        let all_sure = self.rules.keep(PacedRule::MountNotesDead);
        let clears = !unit.keeps_live;
        match self.survey(all_sure, clears, true) {
            Err(PacedError::Lost { .. }) => {
                // A page of the map from before the unit is erased, which nothing does before the unit is sure. Or it decayed.
                if unit.of.is_some_and(|of| of.page_use == PageUse::Map) {
                    self.apply(&unit);
                    unit.group.len = 0;
                }
                self.survey(all_sure, clears, false)?;
            }
            done => done?,
        }
        if unit.needs_previous
            && self.rules.keep(PacedRule::PreviousKept)
            && self.previous < self.shape().geometry.blocks
        {
            let first = self.previous * self.shape().geometry.pages_per_block;
            self.tables.set_live(first, true);
        }
        // The pages to be copied must not be erased, whatever else their blocks hold.
        for index in 0..unit.group.len {
            if !self.rules.keep(PacedRule::UnitKept) {
                break;
            }
            self.tables.set_live(unit.group.pages[index].1, true);
        }
        self.count_free();
        let wanted = if self.rules.keep(PacedRule::MountFrees) {
            FREE_BLOCKS
        } else {
            0
        };
        let before = self.head;
        loop {
            // The header names the pages that are copied, so that a mount after this one knows what to keep.
            self.group = unit.group;
            let opened = self.open_after(before, true);
            self.group = BegunGroup::default();
            if matches!(opened, Err(PacedError::WornOut)) {
                // What is there can be read where it is.
                self.apply(&unit);
                return Ok(());
            }
            opened?;
            match self.copy_unit(&unit)? {
                Copied::Whole(copied) => {
                    unit.group = copied;
                    self.apply(&unit);
                    unit.group.len = 0;
                }
                Copied::ProgramFailed => continue,
                // It was torn, and reads so now: the write that it belongs to never returned.
                Copied::Torn => {
                    unit.group.len = 0;
                    continue;
                }
            }
            // The copies are not sure before the mount ended.
            self.survey(false, true, false)?;
            while self.free < wanted && self.left() > GROUP_PAGES as u32 && self.step(false)? {}
            if self.end_mount()? {
                break;
            }
        }
        // A block that held much of use when the power went may take more than one block to be made up for.
        for _ in 0..2 * self.shape().data_pages {
            if self.free >= wanted {
                break;
            }
            match self.step(false) {
                Ok(true) => {}
                Ok(false) | Err(PacedError::WornOut) => break,
                Err(error) => return Err(error),
            }
        }
        // Writes pay parts of an erase from the next block on.
        if self.erases_in_parts() && self.free > 0 {
            self.erase_ahead()?;
        }
        Ok(())
    }

    /// Programs the page that says that the mount ended, and says whether that worked.
    fn end_mount(&mut self) -> Result<bool, F::Error> {
        let record = PacedRecord {
            page_use: PageUse::Header,
            moved: false,
            first: true,
            last: true,
            logical: 0,
            sequence: self.sequence,
            part: MOUNTED,
        };
        self.tables.main().fill(0);
        self.program_next(&record)
    }

    fn copy_unit(&mut self, unit: &LastUnit) -> Result<Copied, F::Error> {
        let mut copied = BegunGroup::default();
        for (index, (logical, from)) in unit.group.pages().iter().enumerate() {
            let (Found::Whole { record, .. }, Some(of)) =
                (self.pages.read(*from, self.tables.image())?, unit.of)
            else {
                return Ok(Copied::Torn);
            };
            let record = PacedRecord {
                first: index == 0,
                last: index + 1 == unit.group.len,
                sequence: self.sequence,
                logical: *logical,
                page_use: record.page_use,
                moved: of.moved,
                part: record.part,
            };
            let page = self.shape().data_page(self.head, self.used);
            if !self.program_next(&record)? {
                return Ok(Copied::ProgramFailed);
            }
            copied.push(*logical, page);
        }
        Ok(Copied::Whole(copied))
    }
}

/// What became of the last unit's copy.
enum Copied {
    Whole(BegunGroup),
    ProgramFailed,
    Torn,
}
