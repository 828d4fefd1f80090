//! Logical pages on flash, with bounded calls.

mod blocks;
mod decayed;
mod header_io;
#[cfg(test)]
mod miniature;
mod mount;
mod steps;
mod unwritten;

use core::ops::Range;

use wordline_memory::{Ecc, EraseMode, Flash, FlashError, FlashErrorKind};

use crate::bound::{ERASE_MILLIONTHS, PacedBound, UNPAID_PAGES};
use crate::error::{PacedError, PacedSetupError, PacedUnsuitable};
use crate::pages::{Found, RecordedPages};
use crate::record::{PacedRecord, PageUse, RECORD_BYTES};
use crate::rule::{PacedRule, PacedRules};
use crate::shape::{GROUP_PAGES, PacedConfig, PacedRam, PacedShape};
use crate::tables::{LOST_PAGE, NO_PAGE, PacedTables, get_number};

/// Blocks in which a program failed, and which hold pages yet.
const FAILING_MAX: usize = 4;

/// Logical pages on raw NAND, each of which can be overwritten. Every call has a bound: see [`PacedConfig::bound`].
///
/// A write that returned survives a power cut, and so does everything before it. A write that a power cut interrupts is
/// there or not, a group of pages as a whole. After [`PacedError::Flash`] mount the flash again.
#[derive(Clone, Debug)]
pub struct PacedLayer<F, M> {
    pages: RecordedPages<F>,
    tables: PacedTables<M>,
    bound: PacedBound,
    /// The block that is being filled.
    head: u32,
    /// The block that was filled before it.
    previous: u32,
    /// Pages of the head that were programmed behind its header.
    used: u32,
    /// Openings of blocks since the format.
    sequence: u32,
    /// A free block that was erased ahead.
    erased: Option<u32>,
    /// A free block whose erase was begun and has not ended.
    erasing: Option<u32>,
    /// Pages of this call that have not paid for the erase.
    unpaid_pages: u32,
    /// Blocks without a live page that are neither bad, failing, nor the head; the erased one included.
    free: u32,
    /// The block that is being emptied.
    victim: Option<u32>,
    failing: [Option<u32>; FAILING_MAX],
    /// A block whose pages move although few of them are dead.
    resting: Option<u32>,
    /// Pages of it that may move before another block is emptied.
    level_moves: u32,
    /// Pages of the group that is being written, until their changes are noted.
    coming: u32,
    /// The part of a step that pages still owe, which paid whole ones.
    share: u32,
    /// Stores that the call needed before its first page; they count as steps of it.
    stored_before: u32,
    /// A block that the ECC advised to move.
    advised: Option<u32>,
    group: BegunGroup,
    work: PacedWork,
    /// The flash failed in a way that only a mount gets over.
    broken: bool,
    /// No block is left that could be opened: the layer can only be read.
    worn_out: bool,
    /// A page of the map was lost, so that pages count as live which it named and a later change made dead.
    map_lost: bool,
    rules: PacedRules,
}

/// What a layer did since it was mounted, beside what its caller wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacedWork {
    /// Pages that the caller wrote.
    pub written: u64,
    /// Pages moved.
    pub moved: u64,
    /// Pages of the map stored.
    pub stored: u64,
    /// Pages of headers.
    pub headers: u64,
    /// Blocks erased.
    pub erased: u64,
    /// Steps: pages moved, found dead, or stored.
    pub steps: u64,
}

/// How often blocks were erased, as far as headers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedWear {
    /// Blocks that are not bad.
    pub blocks: u32,
    /// Their erases.
    pub erases: u64,
    /// Those of the one with the fewest.
    pub least: u32,
    /// Those of the one with the most.
    pub most: u32,
}

/// The pages of a group that has not ended.
#[derive(Clone, Copy, Debug, Default)]
struct BegunGroup {
    pages: [(u32, u32); GROUP_PAGES],
    len: usize,
}

impl BegunGroup {
    fn push(&mut self, logical: u32, page: u32) {
        self.pages[self.len] = (logical, page);
        self.len += 1;
    }

    fn pages(&self) -> &[(u32, u32)] {
        &self.pages[..self.len]
    }
}

/// A page of a group that is written.
#[derive(Clone, Copy)]
pub(crate) struct EditedPage<'a> {
    pub(crate) logical: u32,
    /// The logical page from which it starts; from zeros without one.
    pub(crate) from: Option<u32>,
    pub(crate) edit: PageEdit<'a>,
    /// What its record says beside.
    pub(crate) note: u16,
    /// It holds nothing until now.
    pub(crate) fresh: bool,
}

/// What is changed in a page. It may be done more than once, where a program fails.
#[derive(Clone, Copy)]
pub(crate) enum PageEdit<'a> {
    /// Bytes, from one on.
    Bytes { first: usize, data: &'a [u8] },
    /// What a function does to its main area.
    With(PageFill<'a>),
}

/// A function that changes the main area of a page.
pub(crate) type PageFill<'a> = &'a dyn Fn(&mut [u8]);

impl Default for EditedPage<'_> {
    fn default() -> Self {
        Self {
            logical: 0,
            from: None,
            edit: PageEdit::Bytes {
                first: 0,
                data: &[],
            },
            note: 0,
            fresh: false,
        }
    }
}

/// Parts in which an erase is counted.
const ERASE_PARTS: u32 = ERASE_MILLIONTHS as u32;

type Result<T, E> = core::result::Result<T, PacedError<E>>;
type SetupResult<T, E> = core::result::Result<T, PacedSetupError<E>>;

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    fn blank(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
        rules: PacedRules,
    ) -> SetupResult<Self, F::Error> {
        let geometry = flash.geometry();
        let shape = PacedShape::new(&geometry, &config).map_err(PacedSetupError::Unsuitable)?;
        let bound = shape
            .bound()
            .map_err(PacedSetupError::Unsuitable)?
            .with_erases(flash.erase_mode());
        for column in columns {
            if column >= geometry.spare_bytes {
                return Err(PacedSetupError::Unsuitable(PacedUnsuitable {
                    what: "a column of the records in the spare area",
                    found: column.into(),
                    least: 0,
                    most: u64::from(geometry.spare_bytes) - 1,
                }));
            }
        }
        let given = memory.as_ref().len();
        if given < bound.ram_bytes {
            return Err(PacedSetupError::Memory {
                needed: bound.ram_bytes,
                given,
            });
        }
        Ok(Self {
            pages: RecordedPages::new(flash, columns),
            tables: PacedTables::new(memory, shape),
            bound,
            head: 0,
            previous: 0,
            used: shape.data_pages,
            sequence: 0,
            erased: None,
            erasing: None,
            unpaid_pages: 0,
            free: 0,
            victim: None,
            failing: [None; FAILING_MAX],
            resting: None,
            level_moves: 0,
            coming: 0,
            share: 0,
            stored_before: 0,
            advised: None,
            group: BegunGroup::default(),
            work: PacedWork::default(),
            broken: false,
            worn_out: false,
            map_lost: false,
            rules,
        })
    }

    /// Erases the flash, and makes it hold logical pages none of which is written.
    ///
    /// `columns` are the bytes of the spare area, counted from its start, that take the record of a page.
    ///
    /// # Errors
    /// When the sizes do not suit, more blocks are bad than the configuration allows, or the flash fails. An
    /// interrupted format must be begun again.
    pub fn format(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
    ) -> SetupResult<Self, F::Error> {
        Self::format_with(flash, columns, config, memory, PacedRules::ALL)
    }

    /// [`format`](Self::format), and some rules left out.
    ///
    /// # Errors
    /// As there.
    #[doc(hidden)]
    pub fn format_with(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
        rules: PacedRules,
    ) -> SetupResult<Self, F::Error> {
        let mut layer = Self::blank(flash, columns, config, memory, rules)?;
        layer.await_erase()?;
        let blocks = layer.shape().geometry.blocks;
        let mut bad = 0;
        for block in 0..blocks {
            if layer.pages.flash.is_bad(block)? || !layer.erase_block(block)? {
                layer.tables.set_bad(block);
                bad += 1;
            }
        }
        if bad > config.bad_blocks {
            return Err(PacedSetupError::Unsuitable(PacedUnsuitable {
                what: "bad blocks found",
                found: bad.into(),
                least: 0,
                most: config.bad_blocks.into(),
            }));
        }
        // No block is the head yet.
        layer.head = blocks;
        layer.free = blocks - bad;
        let shape = *layer.shape();
        for number in 0..shape.map_pages {
            layer
                .tables
                .set_unwritten(number, shape.logical_pages_of(number));
        }
        layer.open_block(false)?;
        if layer.erases_in_parts() {
            layer.erase_ahead()?;
        }
        Ok(layer)
    }

    pub(crate) fn shape(&self) -> &PacedShape {
        &self.tables.shape
    }

    /// Logical pages.
    pub const fn logical_pages(&self) -> u32 {
        self.tables.shape.config.logical_pages
    }

    /// Bytes of a page.
    pub const fn page_bytes(&self) -> u32 {
        self.tables.shape.geometry.page_bytes
    }

    /// What it was formatted with.
    pub const fn config(&self) -> &PacedConfig {
        &self.tables.shape.config
    }

    /// What calls cost at most.
    pub const fn bound(&self) -> &PacedBound {
        &self.bound
    }

    /// The parts of the RAM that the caller gives.
    pub fn ram(&self) -> PacedRam {
        self.shape().places().ram()
    }

    /// What the layer did since it was mounted.
    pub const fn work(&self) -> &PacedWork {
        &self.work
    }

    /// The flash.
    pub const fn flash(&self) -> &F {
        &self.pages.flash
    }

    /// The flash, to watch it. What is changed on it the layer does not know of.
    pub const fn flash_mut(&mut self) -> &mut F {
        &mut self.pages.flash
    }

    /// The flash, as after a power cut: nothing is written.
    pub fn into_flash(self) -> F {
        self.pages.flash
    }

    /// The flash and the memory.
    pub fn into_parts(self) -> (F, M) {
        (self.pages.flash, self.tables.into_memory())
    }

    fn check(&self, logical: u32) -> Result<(), F::Error> {
        if logical < self.logical_pages() {
            Ok(())
        } else {
            Err(PacedError::OutOfRange { logical })
        }
    }

    /// Notes an error of the flash after which only a mount knows what is stored.
    fn fatal(&mut self, error: F::Error) -> PacedError<F::Error> {
        self.broken = true;
        PacedError::Flash(error)
    }

    /// Reads a logical page, and says whether it was ever written: if not, `out` is filled with zeros.
    ///
    /// # Errors
    /// [`PacedError::OutOfRange`], [`PacedError::Lost`], or the flash fails.
    pub fn read(&mut self, logical: u32, out: &mut [u8]) -> Result<bool, F::Error> {
        self.check_length(logical, out.len())?;
        self.read_part(logical, 0, out)
    }

    /// Reads a part of a logical page, from a byte of it on, as [`read`](Self::read) does the whole.
    ///
    /// # Errors
    /// As there.
    pub fn read_part(
        &mut self,
        logical: u32,
        first: usize,
        out: &mut [u8],
    ) -> Result<bool, F::Error> {
        let part = self.check_part(logical, first, out.len())?;
        let written = self.load(logical)?.is_some();
        out.copy_from_slice(&self.loaded()[part]);
        Ok(written)
    }

    /// Puts a logical page into the image, and returns its note; `None` where it was never written, and the image is
    /// filled with zeros.
    pub(crate) fn load(&mut self, logical: u32) -> Result<Option<u16>, F::Error> {
        self.check(logical)?;
        let Some(page) = self.find(logical)? else {
            self.tables.main().fill(0);
            return Ok(None);
        };
        let found = match self.tables.held(page) {
            Some(record) => Found::Whole {
                record,
                refresh: false,
            },
            None => self.pages.read(page, self.tables.image())?,
        };
        match found {
            Found::Whole { record, refresh }
                if record.page_use == PageUse::Data && record.logical == logical =>
            {
                self.tables.set_held(page, record);
                if refresh {
                    self.advised = Some(self.shape().geometry.block_of(page));
                }
                Ok(Some(record.part))
            }
            _ => Err(PacedError::Lost { logical }),
        }
    }

    /// The main area that [`load`](Self::load) put into the image.
    pub(crate) fn loaded(&self) -> &[u8] {
        self.tables.held_main()
    }

    /// Whether something can be written.
    const fn check_writable(&self) -> Result<(), F::Error> {
        match (self.worn_out, self.broken) {
            (true, _) => Err(PacedError::WornOut),
            (false, true) => Err(PacedError::NeedsMount),
            (false, false) => Ok(()),
        }
    }

    fn check_length(&self, logical: u32, bytes: usize) -> Result<(), F::Error> {
        if bytes == self.page_bytes() as usize {
            return Ok(());
        }
        Err(PacedError::OutOfRange { logical })
    }

    fn check_part(
        &self,
        logical: u32,
        first: usize,
        bytes: usize,
    ) -> Result<Range<usize>, F::Error> {
        match first.checked_add(bytes) {
            Some(end) if end <= self.page_bytes() as usize => Ok(first..end),
            _ => Err(PacedError::OutOfRange { logical }),
        }
    }

    /// The page that holds a logical page.
    fn find(&mut self, logical: u32) -> Result<Option<u32>, F::Error> {
        let page = match self.tables.change_of(logical) {
            Some((_, change)) if change.discarded => NO_PAGE,
            Some((_, change)) => change.page,
            None => self.find_stored(logical)?,
        };
        if page == LOST_PAGE {
            return Err(PacedError::Lost { logical });
        }
        Ok((page != NO_PAGE).then_some(page))
    }

    /// The page that the stored map names for a logical page; [`LOST_PAGE`] where it is not known any more.
    fn find_stored(&mut self, logical: u32) -> Result<u32, F::Error> {
        let (number, place) = self.shape().map_place(logical);
        let map_page = self.tables.map_page(number);
        if map_page == NO_PAGE {
            return Ok(NO_PAGE);
        }
        let width = self.shape().width;
        let mut entry = [0; 4];
        let column = place * width as u32;
        match self.pages.flash.read(map_page, column, &mut entry[..width]) {
            Ok(ecc) => {
                if matches!(ecc, Ecc::Corrected { refresh: true, .. }) {
                    self.advised = Some(self.shape().geometry.block_of(map_page));
                }
                Ok(get_number(&entry[..width]))
            }
            Err(error) if error.kind() == FlashErrorKind::Uncorrectable => Ok(LOST_PAGE),
            Err(error) => Err(PacedError::Flash(error)),
        }
    }

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
    fn log_room(&self) -> u32 {
        self.tables.log_room().saturating_sub(self.coming)
    }

    /// Makes the log have room for a group, and erases ahead where it is due. Returns for how many of the group's pages
    /// the steps are done with that.
    fn make_room(&mut self, pages: u32) -> Result<u32, F::Error> {
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
    fn stores_first(&self, pages: u32) -> bool {
        self.tables.log_room() < pages && self.left() >= 3 * GROUP_PAGES as u32
    }

    /// Notes where a logical page is from now on.
    fn note_change(&mut self, logical: u32, page: u32, gone: bool) {
        if let Some(dead) = self.tables.change(logical, page, gone) {
            self.kill(dead);
        }
    }

    /// Does what a write of one page does, with a store of the map in the place of its page.
    fn make_room_to_discard(&mut self) -> Result<(), F::Error> {
        self.coming = 1;
        if self.make_room(1)? == 0 {
            self.pay_page()?;
        }
        if self.tables.log_room() == 0 {
            self.store_most_changed()?;
        }
        self.coming = 0;
        Ok(())
    }

    /// Forgets what a logical page holds: it reads as never written. Until its page of the map is stored, a mount brings
    /// it back; so its page is kept until then. It costs at most what a write of one page does.
    ///
    /// # Errors
    /// [`PacedError::OutOfRange`], [`PacedError::WornOut`], or the flash fails.
    pub fn discard(&mut self, logical: u32) -> Result<(), F::Error> {
        self.check(logical)?;
        self.check_writable()?;
        if self.tables.log_room() == 0 {
            let done = self.make_room_to_discard();
            self.broken |= done.is_err();
            done?;
        }
        if !self.rules.keep(PacedRule::DiscardKept) {
            self.note_change(logical, NO_PAGE, false);
            return Ok(());
        }
        if self.tables.change_of(logical).is_none() {
            let page = self.find_stored(logical)?;
            if page == NO_PAGE {
                return Ok(());
            }
            if page == LOST_PAGE {
                self.note_change(logical, NO_PAGE, false);
                return Ok(());
            }
            // From now on the change names what the stored map does.
            self.tables.change(logical, page, true);
        }
        self.tables.set_discarded(logical);
        Ok(())
    }

    /// Does one piece of work ahead while the caller has nothing to write: a step, or an erase where it may take so long.
    /// Returns whether there was any to do. Writes do the less of it the more was done ahead.
    ///
    /// Where an erase [stands still](EraseMode::Suspends) for other accesses, one part of it is such a piece, of
    /// [`erase_parts`](PacedBound::erase_parts); without time for that it is left running, and no step disturbs it.
    ///
    /// # Errors
    /// When the flash fails.
    pub fn work_ahead(&mut self, may_erase: bool) -> Result<bool, F::Error> {
        if self.worn_out {
            return Ok(false);
        }
        self.check_writable()?;
        if self.erases_in_parts() && self.erased.is_none() && self.free > 0 {
            self.begin_erase()?;
            if may_erase {
                self.advance_erase(ERASE_PARTS.div_ceil(self.bound.erase_parts))?;
            }
            return Ok(may_erase);
        }
        if may_erase && self.erased.is_none() && self.free > 0 {
            self.erase_if_any()?;
            return Ok(true);
        }
        Ok(self.left() > self.left_to_callers() && self.step(true)?)
    }

    /// Begins the erase that is due, and leaves it running: for a caller whose next call writes so many pages, and waits for
    /// what is left of it. Returns whether one was begun: none is where the flash does not leave erases
    /// [running](EraseMode::Runs), nor where that write would do other work before it erases.
    ///
    /// # Errors
    /// When the flash fails.
    pub fn leave_erase(&mut self, pages: u32) -> Result<bool, F::Error> {
        if self.broken {
            return Err(PacedError::NeedsMount);
        }
        let runs = self.pages.flash.erase_mode() == EraseMode::Runs;
        let due = self.erased.is_none() && self.erasing.is_none() && self.free > 0;
        if !runs || !due || self.stores_first(pages) {
            return Ok(false);
        }
        self.begin_erase()?;
        Ok(true)
    }

    /// Pages of the head that work ahead leaves: the header of the next block is the business of a write, and so that no
    /// write has both an erase and a header, those of a group while no block is erased.
    pub(super) fn left_to_callers(&self) -> u32 {
        if !self.is_erase_due() {
            1
        } else {
            GROUP_PAGES as u32
        }
    }

    /// How often blocks that are not bad were erased.
    pub fn wear(&self) -> PacedWear {
        let blocks = 0..self.shape().geometry.blocks;
        let good = blocks.filter(|block| !self.tables.is_bad(*block));
        let (mut blocks, mut sum, mut least, mut most) = (0, 0, u32::MAX, 0);
        for block in good {
            let erases = self.tables.erases(block);
            blocks += 1;
            sum += u64::from(erases);
            least = least.min(erases);
            most = most.max(erases);
        }
        PacedWear {
            blocks,
            erases: sum,
            least,
            most,
        }
    }

    /// Programs a page at the end of the log. `fill` puts its main area into the image, and gives its record; it is
    /// asked again where the program fails.
    fn place(
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
    fn program_next(&mut self, record: &PacedRecord) -> Result<bool, F::Error> {
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
