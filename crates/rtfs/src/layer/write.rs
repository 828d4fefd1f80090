//! Groups of pages that are written, and the room that they take.

use wordline_memory::{Flash, FlashError, FlashErrorKind};

use super::group::{EditedPage, PageEdit};
use super::{PacedLayer, Result};
use crate::bound::UNPAID_PAGES;
use crate::error::PacedError;
use crate::record::{PacedRecord, PageUse};
use crate::rule::PacedRule;
use crate::shape::GROUP_PAGES;

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    /// Writes a logical page. When this returns, the page survives a power cut.
    ///
    /// # Errors
    /// As [`write_group`](Self::write_group).
    pub fn write(&mut self, logical: u32, data: &[u8]) -> Result<(), F::Error> {
        self.write_group(&[(logical, data)])
    }

    /// Writes several logical pages, which become valid together. When this returns, they survive a power cut.
    ///
    /// # Errors
    /// [`PacedError::OutOfRange`], [`PacedError::Group`]: nothing changed. [`PacedError::WornOut`], or the flash fails.
    pub fn write_group(&mut self, group: &[(u32, &[u8])]) -> Result<(), F::Error> {
        let twice = (1..group.len()).any(|i| group[..i].iter().any(|page| page.0 == group[i].0));
        if group.is_empty() || group.len() > GROUP_PAGES || twice {
            return Err(PacedError::Group { pages: group.len() });
        }
        for (logical, data) in group {
            self.check(*logical)?;
            self.check_length(*logical, data.len())?;
        }
        let mut pages = [EditedPage::default(); GROUP_PAGES];
        for (page, (logical, data)) in pages.iter_mut().zip(group) {
            page.logical = *logical;
            page.edit = PageEdit::Bytes { first: 0, data };
        }
        self.write_edited(&pages[..group.len()], &[])
    }

    /// Writes a part of a logical page, from a byte of it on; the rest of it stays as it is. The page is read first. When
    /// this returns, it survives a power cut.
    ///
    /// # Errors
    /// [`PacedError::Lost`]: the rest cannot be read, and nothing changed. Or as [`write_group`](Self::write_group).
    pub fn write_part(&mut self, logical: u32, first: usize, data: &[u8]) -> Result<(), F::Error> {
        self.check(logical)?;
        self.check_part(logical, first, data.len())?;
        let page = EditedPage {
            logical,
            from: (data.len() < self.page_bytes() as usize).then_some(logical),
            edit: PageEdit::Bytes { first, data },
            ..EditedPage::default()
        };
        self.write_edited(&[page], &[])
    }

    /// Writes a group of pages, each of which starts from what a logical page held before the group. With them, logical
    /// pages of one page of the map become as never written, and hold nothing from then on. The pages of the group are in
    /// range and differ, and are none of those.
    ///
    /// A page that cannot be read leaves everything as it was.
    pub(crate) fn write_edited(
        &mut self,
        group: &[EditedPage<'_>],
        freed: &[u32],
    ) -> Result<(), F::Error> {
        self.check_writable()?;
        // Numbers that stand on the flash may be those of no page.
        let numbers = group
            .iter()
            .flat_map(|page| [Some(page.logical), page.from]);
        for logical in numbers.flatten().chain(freed.iter().copied()) {
            self.check(logical)?;
        }
        let done = self.write_pages(group, freed);
        if let Err(error) = &done {
            // Some of its pages may be programmed: only a mount tells which group they belong to.
            self.broken |= !matches!(error, PacedError::Lost { .. });
            for (_, page) in core::mem::take(&mut self.group).pages() {
                self.kill(*page);
            }
        }
        self.coming = 0;
        done
    }

    fn write_pages(&mut self, group: &[EditedPage<'_>], freed: &[u32]) -> Result<(), F::Error> {
        let pages = group.len() + usize::from(!freed.is_empty());
        self.coming = pages as u32;
        let mut unpaid = self.make_room(pages as u32)?;
        self.group.len = 0;
        let mut stored = None;
        for index in 0..pages {
            if unpaid == 0 {
                self.pay_page()?;
            } else {
                unpaid -= 1;
            }
            let (first, last) = (index == 0, index + 1 == pages);
            if let Some(page) = group.get(index) {
                let placed = self.place(|layer| {
                    layer.edit(page)?;
                    Ok(PacedRecord {
                        page_use: PageUse::Data,
                        moved: false,
                        first,
                        last,
                        logical: page.logical,
                        sequence: 0,
                        part: page.note,
                    })
                })?;
                // Until the group counts, nothing may take the block that the page is in for free.
                if self.rules.keep(PacedRule::GroupLive) {
                    self.tables.set_live(placed, true);
                }
                self.group.push(page.logical, placed);
                self.work.written += 1;
            } else {
                stored = Some(self.place_map(freed, first)?);
            }
            self.unpaid_pages += 1;
        }
        let done = core::mem::take(&mut self.group);
        if let Some(stored) = stored {
            self.set_stored(stored, freed)?;
        }
        for ((logical, placed), page) in done.pages().iter().zip(group) {
            self.note_change(*logical, *placed, false);
            if page.fresh {
                let (number, _) = self.shape().map_place(*logical);
                let rest = self.tables.unwritten(number).saturating_sub(1);
                self.tables.set_unwritten(number, rest);
            }
        }
        self.coming = 0;
        self.pay_erase()
    }

    /// Puts a page of a group into the image.
    fn edit(&mut self, page: &EditedPage<'_>) -> Result<(), F::Error> {
        match page.from {
            Some(logical) => {
                self.load(logical)?;
            }
            None => self.tables.main().fill(0),
        }
        match page.edit {
            PageEdit::Bytes { first, data } => {
                self.tables.main()[first..first + data.len()].copy_from_slice(data);
            }
            PageEdit::With(edit) => edit(self.tables.main()),
        }
        Ok(())
    }

    /// Changes that the log takes before its threshold, beside those of the group that is being written.
    pub(super) fn log_room(&self) -> u32 {
        self.tables.log_room().saturating_sub(self.coming)
    }

    /// Makes the log have room for a group, and erases ahead where it is due. Returns for how many of the group's pages
    /// the steps are done with that.
    pub(super) fn make_room(&mut self, pages: u32) -> Result<u32, F::Error> {
        self.stored_before = 0;
        while self.tables.log_len() + pages > self.shape().config.log_entries {
            self.store_most_changed()?;
            self.stored_before += 1;
        }
        let is_due = self.is_erase_due() && self.free > 0;
        if !is_due || self.stored_before > 0 || self.stores_first(pages) {
            return Ok(0);
        }
        self.erase_if_any()?;
        Ok(if self.rules.keep(PacedRule::EraseTakesSteps) {
            UNPAID_PAGES
        } else {
            0
        })
    }

    /// Whether the pages of a call store what changed, because the log is full, and the erase waits for the next call, as
    /// long as the head has room for that.
    pub(super) fn stores_first(&self, pages: u32) -> bool {
        self.tables.log_room() < pages && self.left() >= 3 * GROUP_PAGES as u32
    }

    /// Notes where a logical page is from now on.
    pub(super) fn note_change(&mut self, logical: u32, page: u32, gone: bool) {
        if let Some(dead) = self.tables.change(logical, page, gone) {
            self.kill(dead);
        }
    }

    /// Programs a page at the end of the log. `fill` puts its main area into the image, and gives its record; it is
    /// asked again where the program fails.
    pub(super) fn place(
        &mut self,
        mut fill: impl FnMut(&mut Self) -> Result<PacedRecord, F::Error>,
    ) -> Result<u32, F::Error> {
        loop {
            if self.used == self.shape().data_pages {
                self.open_block(false)?;
            }
            let mut record = fill(self)?;
            record.sequence = self.sequence;
            let page = self.shape().data_page(self.head, self.used);
            if self.program_next(&record)? {
                return Ok(page);
            }
        }
    }

    /// Programs what stands in the image behind the last page of the head, and says whether that worked.
    pub(super) fn program_next(&mut self, record: &PacedRecord) -> Result<bool, F::Error> {
        let page = self.shape().data_page(self.head, self.used);
        self.used += 1;
        match self.pages.program(page, self.tables.image(), record) {
            Ok(()) => {
                self.tables.set_held(page, *record);
                Ok(true)
            }
            Err(error) if error.kind() == FlashErrorKind::ProgramFailed => {
                self.fail_head();
                Ok(false)
            }
            Err(error) => Err(self.fatal(error)),
        }
    }
}
