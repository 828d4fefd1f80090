//! Steps: pages moved, pages of the map stored, and how many of them a page pays.

use wordline_memory::{Flash, FlashError, FlashErrorKind};

use super::{PacedLayer, Result};
use crate::bound::UNPAID_PAGES;
use crate::error::PacedError;
use crate::pages::Found;
use crate::record::{PacedRecord, PageUse};
use crate::rule::PacedRule;
use crate::shape::FREE_BLOCKS;
use crate::tables::{LOST_PAGE, NO_PAGE, get_number, put_number};

/// Free blocks that work ahead aims at.
const FREE_AHEAD: u32 = FREE_BLOCKS + 2;

/// Erases that the most worn free block has beyond a block that rests, before that one's pages move to it.
const LEVEL_ABOVE: u32 = 8;

/// The part of a block's pages that may be those of a block that rests: more of them would be a burst of steps.
const LEVEL_PART: u32 = 16;

/// Parts that a step is counted in when steps are shared out among pages.
pub(super) const SHARES: u32 = 1 << 16;

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    /// The block that is being emptied; one is chosen where too few blocks are free.
    fn victim(&mut self, ahead: bool) -> Result<Option<u32>, F::Error> {
        self.retire_failing()?;
        if let Some(block) = self.victim
            && self.tables.live_pages(block) == 0
        {
            self.victim = None;
        }
        let least = if ahead { FREE_AHEAD } else { FREE_BLOCKS + 1 };
        if self.victim.is_none() {
            let mut failing = self.failing.iter().flatten().copied();
            let failing = failing.find(|block| self.can_be_emptied(*block));
            self.victim = if self.free >= FREE_BLOCKS && failing.is_some() {
                failing
            } else if self.free < least {
                // A block that is chosen ahead, of fewer, counts on no more steps than another.
                let most = self.bound.victim_pages;
                let suits = |block: &u32| !ahead || self.tables.live_pages(*block) <= most;
                self.emptiest().filter(suits)
            } else {
                None
            };
            if let Some(block) = self.victim {
                let live = self.tables.live_pages(block);
                let most = self.shape().data_pages.div_ceil(LEVEL_PART);
                self.level_moves = self.bound.victim_pages.saturating_sub(live).min(most);
                self.choose_resting();
            }
        }
        Ok(self.victim)
    }

    /// Whether pages of a block may be moved: not while it is filled, nor while a group has not ended that began in it,
    /// whose pages would count on their own.
    fn can_be_emptied(&self, block: u32) -> bool {
        let geometry = self.shape().geometry;
        let begun = self
            .group
            .pages()
            .iter()
            .any(|(_, page)| geometry.block_of(*page) == block);
        block != self.head && !(begun && self.rules.keep(PacedRule::GroupStays))
    }

    /// The block with the fewest live pages, of those that have any and gain a page. A failing one gains none.
    fn emptiest(&self) -> Option<u32> {
        let geometry = self.shape().geometry;
        (0..geometry.blocks)
            .filter(|block| !self.tables.is_bad(*block) && self.can_be_emptied(*block))
            .filter(|block| !self.failing.contains(&Some(*block)))
            .map(|block| (self.tables.live_pages(block), block))
            .filter(|(live, _)| (1..self.shape().data_pages).contains(live))
            .min()
            .map(|(_, block)| block)
    }

    /// Chooses a block whose pages are to move although few of them are dead: the one that the ECC advised to move, or one
    /// that rests while others wear.
    fn choose_resting(&mut self) {
        if self
            .resting
            .is_some_and(|block| self.tables.live_pages(block) > 0)
        {
            return;
        }
        self.resting = self
            .advised
            .take()
            .filter(|block| self.can_be_emptied(*block));
        if self.resting.is_some() {
            return;
        }
        let blocks = 0..self.shape().geometry.blocks;
        let good =
            blocks.filter(|block| !self.tables.is_bad(*block) && self.can_be_emptied(*block));
        let (mut rests, mut most) = (None, 0);
        for block in good {
            let erases = self.tables.erases(block);
            if self.tables.live_pages(block) == 0 {
                most = most.max(erases);
            } else if rests.is_none_or(|(least, _)| erases < least) {
                rests = Some((erases, block));
            }
        }
        self.resting = rests
            .filter(|(least, block)| most > least + LEVEL_ABOVE && self.victim != Some(*block))
            .map(|(_, block)| block);
    }

    /// Pages of the resting block that may move while the head is filled: as many as the block that is being emptied
    /// has fewer than the bound allows for.
    fn resting_moves(&self) -> u32 {
        let block = self.resting.filter(|block| self.can_be_emptied(*block));
        let live = block.map_or(0, |block| self.tables.live_pages(block));
        live.min(self.level_moves)
    }

    /// Does the steps that one page of the caller pays.
    pub(super) fn pay_page(&mut self) -> Result<(), F::Error> {
        if !self.rules.keep(PacedRule::StepsPaid) {
            return Ok(());
        }
        if !self.rules.keep(PacedRule::HeaderTakesSteps) && self.left() == 0 {
            self.open_block(false)?;
        }
        // The last page of a block is the caller's, and those of this call and the next while no block is erased.
        let last = match self.is_erase_due() {
            true if self.free > 0 => self.left_to_callers() + self.coming,
            // Where no block is free, one must become so before the head is full.
            _ => u32::from(self.rules.keep(PacedRule::LastPageIsCallers)),
        };
        let due = self.steps_due()?;
        let before = self.stored_before.min(due);
        self.stored_before -= before;
        for _ in before..due {
            if self.left() <= last || !self.step(false)? {
                break;
            }
        }
        Ok(())
    }

    /// Pages that the head takes yet.
    pub(super) fn left(&self) -> u32 {
        self.shape().data_pages - self.used
    }

    /// Steps that the next page of the caller pays, so that the same number for each page that can still be written to
    /// the head frees a block before it is full.
    fn steps_due(&mut self) -> Result<u32, F::Error> {
        let left = self.left();
        if left == 0 {
            // The header of the next block takes their place.
            return Ok(0);
        }
        if self.free < FREE_BLOCKS {
            return Ok(self.bound.steps_per_page);
        }
        // A block that work ahead has made free is room enough, whatever it went on with.
        let victim = self.victim(false)?.filter(|_| self.free == FREE_BLOCKS);
        let moves = victim.map_or(0, |block| {
            self.tables.live_pages(block) + self.resting_moves()
        });
        // The next group may end in the next block, and needs its places in the log before that.
        let next = self.coming.saturating_sub(1);
        let room = self.log_room().saturating_sub(next);
        let work = moves + self.shape().stores(left, room);
        // The call with the erase pays nothing.
        let unpaid = if self.is_erase_due() { UNPAID_PAGES } else { 0 };
        let pages = left.saturating_sub(work + unpaid).max(1);
        // A page pays whole steps, and what it pays too little or too much is the next page's.
        let share = work * SHARES / pages + self.share;
        self.share = share % SHARES;
        Ok((share / SHARES).min(self.bound.steps_per_page))
    }

    /// Does a step, and says whether there was one to do.
    pub(super) fn step(&mut self, ahead: bool) -> Result<bool, F::Error> {
        if self.log_room() == 0 && self.tables.log_len() > 0 {
            self.store_most_changed()?;
            return Ok(true);
        }
        let victim = self.victim(ahead)?;
        let mut page = victim.and_then(|block| self.tables.first_live(block));
        // The resting block moves first: the other one goes on losing pages by itself.
        if victim.is_some() && self.resting_moves() > 0 {
            page = self
                .resting
                .and_then(|block| self.tables.first_live(block))
                .or(page);
            self.level_moves -= 1;
        }
        let Some(page) = page else {
            return Ok(false);
        };
        self.work.steps += 1;
        self.move_page(page)?;
        Ok(true)
    }

    /// Moves a page to the end of the log, or finds that it is dead.
    fn move_page(&mut self, page: u32) -> Result<(), F::Error> {
        match self.fetch(page)? {
            Found::Whole { record, .. } => match record.page_use {
                PageUse::Data | PageUse::Lost => self.move_data(page, record),
                PageUse::Map if self.tables.map_page(record.logical) == page => {
                    let moved = self.copy(page, record)?;
                    self.tables.set_map_page(record.logical, moved);
                    self.tables.set_live(moved, true);
                    self.kill(page);
                    Ok(())
                }
                PageUse::Map | PageUse::Header => {
                    self.kill(page);
                    Ok(())
                }
            },
            Found::Broken => self.give_up(page),
        }
    }

    /// Reads a page that is to be moved: its record alone, where the flash can move it to the end of the log by itself.
    fn fetch(&mut self, page: u32) -> Result<Found, F::Error> {
        let to = self.shape().data_page(self.head, self.used);
        if self.left() == 0 || !self.pages.flash.can_move(page, to) {
            return Ok(self.pages.read(page, self.tables.image())?);
        }
        let main = self.shape().geometry.page_bytes as usize;
        let found = self.pages.fetch(page, &mut self.tables.image()[main..])?;
        match found {
            Found::Whole { record, .. } if !self.is_known(&record) => Ok(Found::Broken),
            found => Ok(found),
        }
    }

    /// Moves a page that was fetched to the end of the log; `None` where that did not work.
    fn move_within(&mut self, record: PacedRecord) -> Result<Option<u32>, F::Error> {
        let to = self.shape().data_page(self.head, self.used);
        let record = PacedRecord {
            sequence: self.sequence,
            ..record
        };
        let main = self.shape().geometry.page_bytes as usize;
        let spare = &mut self.tables.image()[main..];
        match self.pages.move_fetched(to, spare, &record) {
            Ok(true) => {
                self.used += 1;
                Ok(Some(to))
            }
            Ok(false) => Ok(None),
            Err(error) => match error.kind() {
                FlashErrorKind::ProgramFailed => {
                    self.fail_head();
                    Ok(None)
                }
                FlashErrorKind::Uncorrectable => Ok(None),
                _ => Err(self.fatal(error)),
            },
        }
    }

    fn move_data(&mut self, page: u32, record: PacedRecord) -> Result<(), F::Error> {
        let change = self.tables.change_of(record.logical);
        if let Some((index, change)) = change
            && change.page != page
        {
            // The stored map still names the page.
            if self.rules.keep(PacedRule::GoneWhenMoved) {
                self.tables.set_gone(index);
            }
            self.kill(page);
            return Ok(());
        }
        if self.map_lost && change.is_none() && !self.is_named(page, record.logical)? {
            self.kill(page);
            return Ok(());
        }
        let moved = self.copy(page, record)?;
        self.note_change(record.logical, moved, change.is_none());
        if change.is_some_and(|(_, change)| change.discarded) {
            self.tables.set_discarded(record.logical);
        }
        self.kill(page);
        Ok(())
    }

    /// Copies a page, which stands in the image or was fetched, to the end of the log.
    fn copy(&mut self, page: u32, record: PacedRecord) -> Result<u32, F::Error> {
        let record = PacedRecord {
            moved: true,
            first: true,
            last: true,
            ..record
        };
        self.work.moved += 1;
        let geometry = self.shape().geometry;
        let mut in_image = self.used < self.shape().data_pages;
        if self.pages.is_fetched(page) {
            if let Some(moved) = self.move_within(record)? {
                return Ok(moved);
            }
            in_image = false;
        }
        self.place(|layer| {
            if !in_image {
                let found = layer.pages.read(page, layer.tables.image())?;
                if found == Found::Broken {
                    if record.page_use == PageUse::Map {
                        return Err(PacedError::Lost {
                            logical: record.logical * layer.shape().map_entries,
                        });
                    }
                    layer.tables.main()[..geometry.page_bytes as usize].fill(0);
                    return Ok(PacedRecord {
                        page_use: PageUse::Lost,
                        ..record
                    });
                }
            }
            in_image = false;
            Ok(record)
        })
    }

    /// A live page cannot be read: its place in the map says whose it was.
    fn give_up(&mut self, page: u32) -> Result<(), F::Error> {
        if let Some(number) = (0..self.shape().map_pages).find(|n| self.tables.map_page(*n) == page)
        {
            return self.store_map(number);
        }
        let owner = match self.tables.change_to(page) {
            Some(change) => Some(change.logical),
            None => self.owner(page)?,
        };
        let Some(logical) = owner else {
            self.kill(page);
            return Ok(());
        };
        let record = PacedRecord {
            page_use: PageUse::Lost,
            moved: true,
            first: true,
            last: true,
            logical,
            sequence: 0,
            part: 0,
        };
        match self.tables.change_of(logical) {
            Some((index, change)) if change.page != page => {
                self.tables.set_gone(index);
                self.kill(page);
                return Ok(());
            }
            _ => {}
        }
        let gone = self.tables.change_of(logical).is_none();
        let lost = self.place(|layer| {
            layer.tables.main().fill(0);
            Ok(record)
        })?;
        self.note_change(logical, lost, gone);
        self.kill(page);
        Ok(())
    }

    /// The logical page that the stored map has at a page.
    fn owner(&mut self, page: u32) -> Result<Option<u32>, F::Error> {
        let shape = *self.shape();
        for number in 0..shape.map_pages {
            let map_page = self.tables.map_page(number);
            if map_page == NO_PAGE || !self.read_map(map_page, number)? {
                continue;
            }
            let entries = self.tables.main().chunks_exact(shape.width);
            let place = entries.map(get_number).position(|entry| entry == page);
            if let Some(place) = place {
                return Ok(Some(number * shape.map_entries + place as u32));
            }
        }
        Ok(None)
    }

    /// Reads a page of the map into the image, and says whether it is whole.
    pub(super) fn read_map(&mut self, page: u32, number: u32) -> Result<bool, F::Error> {
        let found = self.pages.read(page, self.tables.image())?;
        Ok(matches!(found, Found::Whole { record, .. }
            if record.page_use == PageUse::Map && record.logical == number))
    }

    /// Stores the page of the map with most changes.
    pub(super) fn store_most_changed(&mut self) -> Result<(), F::Error> {
        match self.tables.most_changed() {
            Some((number, _)) => self.store_map(number),
            None => Ok(()),
        }
    }

    /// Stores a page of the map.
    fn store_map(&mut self, number: u32) -> Result<(), F::Error> {
        self.work.steps += 1;
        let page = self.place(|layer| layer.fill_map(number, true))?;
        self.note_stored(number, page)
    }

    /// Programs the page of the map of logical pages, as the last one of a group that may be its first, without these
    /// logical pages, and returns where it is.
    pub(super) fn place_map(&mut self, freed: &[u32], first: bool) -> Result<u32, F::Error> {
        let (number, _) = self.shape().map_place(freed[0]);
        self.place(|layer| {
            let record = layer.fill_map(number, first)?;
            for logical in freed {
                let place = layer.map_bytes(*logical);
                put_number(&mut layer.tables.main()[place], NO_PAGE);
            }
            Ok(record)
        })
    }

    /// The group of a [placed](Self::place_map) page of the map counts: the pages of the logical pages are dead.
    pub(super) fn set_stored(&mut self, page: u32, freed: &[u32]) -> Result<(), F::Error> {
        let (number, _) = self.shape().map_place(freed[0]);
        let old = self.tables.map_page(number);
        self.load_map(old, number)?;
        for logical in freed {
            match self.tables.change_of(*logical) {
                Some((_, change)) => self.kill(change.page),
                None => {
                    let place = self.map_bytes(*logical);
                    let named = get_number(&self.tables.main()[place]);
                    self.kill(named);
                }
            }
        }
        let unwritten = self.tables.unwritten(number) + freed.len() as u32;
        self.tables.set_unwritten(number, unwritten);
        self.note_stored(number, page)
    }

    /// Puts a page of the map into the image, with the changes of its logical pages.
    fn fill_map(&mut self, number: u32, first: bool) -> Result<PacedRecord, F::Error> {
        let old = self.tables.map_page(number);
        self.load_map(old, number)?;
        for index in self.tables.changes_of(number) {
            let change = self.tables.change_at(index);
            let place = self.map_bytes(change.logical);
            let entry = &mut self.tables.main()[place];
            let dead = get_number(entry);
            put_number(
                entry,
                if change.discarded {
                    NO_PAGE
                } else {
                    change.page
                },
            );
            // What the map named until now is dead, and noted so before another block can be opened.
            if !change.gone && dead != NO_PAGE {
                if self.rules.keep(PacedRule::GoneWhenStored) {
                    self.tables.set_gone(index);
                }
                self.kill(dead);
            }
        }
        Ok(PacedRecord {
            page_use: PageUse::Map,
            moved: false,
            first,
            last: true,
            logical: number,
            sequence: 0,
            part: 0,
        })
    }

    /// A page of the map was stored.
    fn note_stored(&mut self, number: u32, page: u32) -> Result<(), F::Error> {
        self.work.stored += 1;
        let changes = self.tables.changes_of(number);
        for index in changes.clone() {
            let change = self.tables.change_at(index);
            if change.discarded {
                self.kill(change.page);
            }
        }
        self.tables.remove_changes(changes.start, changes.end);
        let old = self.tables.map_page(number);
        self.tables.set_map_page(number, page);
        self.tables.set_live(page, true);
        if old != NO_PAGE {
            self.kill(old);
        }
        Ok(())
    }

    fn map_bytes(&self, logical: u32) -> core::ops::Range<usize> {
        let width = self.shape().width;
        let start = self.shape().map_place(logical).1 as usize * width;
        start..start + width
    }

    /// Puts a page of the map into the image as it was stored. One that never was names no page, and of one that cannot be
    /// read any more nothing is known.
    pub(super) fn load_map(&mut self, page: u32, number: u32) -> Result<(), F::Error> {
        if page == NO_PAGE {
            self.tables.main().fill(0);
        } else if !self.read_map(page, number)? {
            self.map_lost = true;
            let width = self.shape().width;
            for entry in self.tables.main().chunks_exact_mut(width) {
                put_number(entry, LOST_PAGE);
            }
        }
        Ok(())
    }
}
