//! What a card's controller does between its bus and its flash.

use std::convert::Infallible;

use wordline_core::draw::Purpose;
use wordline_core::quantity::Time;
use wordline_core::{Resolver, Sourced, Spread};

use super::array::CardArray;
use super::sheet::{CardSheet, ControllerSheet};
use crate::bus::sd::BLOCK_BYTES;
use crate::cost::Cause;
use crate::error::NvmError;
use crate::ftl::{FtlError, LayerHealth, LayerWork, Mapping, Translation};

/// A logical page of which some sectors wait in the controller's memory.
#[derive(Clone, Copy, Debug)]
struct OpenPage {
    page: u32,
    /// A bit for each sector that the host wrote.
    sectors: u128,
    /// Order of the last write to it.
    used: u64,
}

/// A controller: pages that are not full yet, the translation layer, and the journal of its mapping.
#[derive(Clone, Debug)]
pub(super) struct CardController {
    layer: Translation<CardArray>,
    open: Vec<OpenPage>,
    open_most: usize,
    writes: u64,
    page_sectors: u32,
    journal_changes: u64,
    /// Pages of the journal after which the table is written; `None`: never.
    journal_pages: Option<u64>,
    /// Pages that the journal has.
    journal: u64,
    /// Changes of the mapping that the journal holds.
    journaled: u64,
    /// Work of content that was there from the start.
    before: LayerWork,
    /// Picoseconds of the firmware behind the data of each write.
    write_time: u64,
    housekeeping: Option<Housekeeping>,
    /// Pages of the host's after which all that depends on them has come once.
    own_pages: u64,
}

/// What the controller does for itself while the host waits.
#[derive(Clone, Copy, Debug)]
struct Housekeeping {
    time: Spread<Time>,
    /// The longest that the card may be busy in one piece: what takes longer is cut.
    most: Time,
    /// Write commands from one time to the next.
    every: u64,
    /// Write commands since the card was connected.
    commands: u64,
}

impl Housekeeping {
    fn new(card: &CardSheet, resolver: &mut Resolver) -> Option<Self> {
        let sheet = &card.controller;
        let every = u64::from(*sheet.housekeeping_every.as_ref()?.value());
        let name = "controller.housekeeping";
        let time = resolver.spread(name, sheet.housekeeping.as_ref()?, Purpose::Housekeeping);
        Some(Self {
            time,
            most: card.write_busy.most(),
            every,
            commands: 0,
        })
    }

    /// Counts a write command. Returns for how long, in picoseconds, the controller works for itself behind it.
    fn count(&mut self) -> u64 {
        self.commands += 1;
        if self.commands.is_multiple_of(self.every) {
            let time = self.time.at(0, self.commands / self.every);
            time.ps().min(self.most.ps())
        } else {
            0
        }
    }
}

impl CardController {
    pub(super) fn new(sheet: &CardSheet, resolver: &mut Resolver) -> Result<Self, NvmError> {
        note_choices(sheet, resolver);
        let array = CardArray::new(sheet, resolver);
        Ok(Self {
            layer: Translation::format(array, sheet.config()).map_err(failed)?,
            open: Vec::new(),
            open_most: *sheet.controller.open_pages.value() as usize,
            writes: 0,
            page_sectors: (sheet.array.layer_page_bytes() / BLOCK_BYTES) as u32,
            journal_changes: u64::from(*sheet.controller.journal_changes.value()),
            journal_pages: count(&sheet.controller.journal_pages),
            journal: 0,
            journaled: 0,
            before: LayerWork::default(),
            write_time: write_time(&sheet.controller, resolver),
            housekeeping: Housekeeping::new(sheet, resolver),
            own_pages: own_pages(sheet),
        })
    }

    /// Takes over the times of the firmware and of the array.
    pub(super) fn take_times(&mut self, other: &Self) {
        self.write_time = other.write_time;
        if let (Some(own), Some(other)) = (&mut self.housekeeping, &other.housekeeping) {
            own.time = other.time;
            own.most = other.most;
        }
        self.array_mut().take_times(other.array());
    }

    pub(super) fn array(&self) -> &CardArray {
        self.layer.media()
    }

    pub(super) fn array_mut(&mut self) -> &mut CardArray {
        self.layer.media_mut()
    }

    /// Whether each write is programmed before it ends.
    pub(super) const fn writes_through(&self) -> bool {
        self.open_most == 0
    }

    /// The most pages that were taken and are not programmed yet.
    pub(super) fn volatile_pages(&self) -> u64 {
        if self.writes_through() {
            return 0;
        }
        (self.open_most + self.array().dies()) as u64
    }

    /// Pages, and write commands, after which everything that the controller does from time to time has come once.
    pub(super) fn own_period(&self) -> (u64, u64) {
        let every = self.housekeeping.map_or(0, |own| own.every);
        (self.own_pages, every)
    }

    /// Whether pages wait in memory.
    pub(super) const fn holds_pages(&self) -> bool {
        !self.open.is_empty()
    }

    /// Sectors of a page of the layer.
    pub(super) const fn page_sectors(&self) -> u32 {
        self.page_sectors
    }

    /// What the layer did since content was there. Pages of the mapping and of its journal hold no data: they and the
    /// erases of their blocks are the firmware's own.
    pub(super) fn work(&self) -> LayerWork {
        let mut work = self.layer.work().since(&self.before);
        let array = self.array();
        let own = array.own_erases().iter().map(|erases| u64::from(*erases));
        work.erased += own.sum::<u64>();
        work.overhead += array.mapping_pages();
        work
    }

    /// Bytes of the controller's tables.
    pub(super) fn mapping_bytes(&self) -> u64 {
        self.layer.mapping_bytes()
    }

    /// How much life its translation layer has left.
    pub(super) fn health(&self) -> LayerHealth {
        self.layer.health()
    }

    /// Bad blocks that its layer is sure to work with.
    pub(super) fn bad_blocks_max(&self) -> u32 {
        self.layer.config().bad_blocks_max()
    }

    /// Takes `count` sectors of a page, from sector `first` of it on. `through` programs them at once.
    pub(super) fn write(
        &mut self,
        page: u32,
        first: u32,
        count: u32,
        through: bool,
    ) -> Result<(), NvmError> {
        let sectors = mask(first, count);
        self.writes += 1;
        let known = self.open.iter().position(|open| open.page == page);
        let index = match known {
            Some(index) => index,
            None if through || sectors == self.full() => return self.program(page, sectors),
            None => {
                if self.open.len() == self.open_most {
                    self.close_oldest()?;
                }
                self.open.push(OpenPage {
                    page,
                    sectors: 0,
                    used: 0,
                });
                self.open.len() - 1
            }
        };
        let open = &mut self.open[index];
        open.sectors |= sectors;
        open.used = self.writes;
        if through || open.sectors == self.full() {
            self.close(index)?;
        }
        Ok(())
    }

    /// Ends a write command, whose data are all taken: the firmware's time for it, and what it does for itself.
    pub(super) fn end_write(&mut self) {
        let time = self.write_time;
        self.array_mut().spend(Cause::Firmware, time);
        if let Some(own) = self.housekeeping.as_mut().map(Housekeeping::count) {
            self.array_mut().spend(Cause::Housekeeping, own);
        }
    }

    /// Fetches `count` sectors of a page from the flash, but for those that wait in memory.
    pub(super) fn read(&mut self, page: u32, first: u32, count: u32) -> Result<(), NvmError> {
        let wanted = mask(first, count);
        let held = self.open.iter().find(|open| open.page == page);
        if held.is_some_and(|open| open.sectors & wanted == wanted) {
            return Ok(());
        }
        self.array_mut().read_next(u64::from(count) * BLOCK_BYTES);
        self.layer.read(page, &mut ()).map_err(failed)?;
        Ok(())
    }

    /// Programs everything that waits in memory.
    pub(super) fn flush(&mut self) -> Result<(), NvmError> {
        while !self.open.is_empty() {
            self.close_oldest()?;
        }
        self.layer.flush().map_err(failed)?;
        self.array_mut().wait_for_host();
        Ok(())
    }

    /// One step of the controller's idle work. Returns whether there was any.
    pub(super) fn idle_step(&mut self) -> Result<bool, NvmError> {
        if !self.open.is_empty() {
            self.close_oldest()?;
            return Ok(true);
        }
        let done = self.layer.idle_step().map_err(failed)?;
        self.keep_journal();
        Ok(done)
    }

    /// Notes pages as written, in no time: content that a workload starts from.
    pub(super) fn preload(&mut self, pages: std::ops::RangeInclusive<u32>) -> Result<(), NvmError> {
        self.array_mut().set_timeless(true);
        let own = self.layer.work().since(&self.before);
        let mut done = Ok(());
        for page in pages {
            let known = self.layer.read(page, &mut ()).map_err(failed);
            done = known.and_then(|known| match known {
                true => Ok(()),
                false => self.layer.write(page, &()).map_err(failed),
            });
            if done.is_err() {
                break;
            }
        }
        // What was done for the host stays what it was.
        self.before = self.layer.work().since(&own);
        self.journaled = changes(self.layer.work());
        self.array_mut().set_timeless(false);
        done
    }

    const fn full(&self) -> u128 {
        mask(0, self.page_sectors)
    }

    fn close_oldest(&mut self) -> Result<(), NvmError> {
        let oldest = self
            .open
            .iter()
            .enumerate()
            .min_by_key(|(_, open)| open.used);
        oldest
            .map(|(index, _)| index)
            .map_or(Ok(()), |index| self.close(index))
    }

    fn close(&mut self, index: usize) -> Result<(), NvmError> {
        let open = self.open.swap_remove(index);
        self.program(open.page, open.sectors)
    }

    /// Programs a page, after what the host did not write of it was read.
    fn program(&mut self, page: u32, sectors: u128) -> Result<(), NvmError> {
        let missing = self.page_sectors - sectors.count_ones();
        if missing > 0 {
            self.array_mut().read_next(u64::from(missing) * BLOCK_BYTES);
            self.layer.read(page, &mut ()).map_err(failed)?;
        }
        self.layer.write(page, &()).map_err(failed)?;
        self.keep_journal();
        Ok(())
    }

    /// Programs the whole table, side by side on all dies.
    fn write_table(&mut self) {
        let page_bytes = u64::from(self.page_sectors) * BLOCK_BYTES;
        for _ in 0..self.mapping_bytes().div_ceil(page_bytes) {
            self.array_mut().program_mapping();
        }
    }

    /// Programs the journal when it has enough changes, and the table when the journal is full.
    fn keep_journal(&mut self) {
        let changes = changes(self.layer.work());
        while changes - self.journaled >= self.journal_changes {
            self.journaled += self.journal_changes;
            self.journal += 1;
            self.array_mut().program_mapping();
            if self.journal_pages.is_some_and(|most| self.journal >= most) {
                self.journal = 0;
                self.write_table();
            }
        }
    }
}

fn count(choice: &Option<Sourced<u32>>) -> Option<u64> {
    choice.as_ref().map(|choice| u64::from(*choice.value()))
}

/// Pages of the host's from one writing of the table to the next, from one wave of cleaning, merging or folding to the next,
/// and from one levelling to the next: whichever are most. Levelling in the portions of cleaning takes no longer than that.
fn own_pages(sheet: &CardSheet) -> u64 {
    let (config, shape) = (sheet.config(), sheet.layer_shape());
    let block = u64::from(shape.pages_per_block);
    let of = &sheet.controller;
    let journal = u64::from(*of.journal_changes.value());
    let table = journal.saturating_mul(count(&of.journal_pages).unwrap_or(1));
    let cleaning = &config.cleaning;
    let cleaned = u64::from(cleaning.stop_at.saturating_sub(cleaning.start_below)) + 1;
    let logs = match config.mapping {
        Mapping::LogBlock { logs, .. } => u64::from(logs) + 1,
        Mapping::Page => 0,
    };
    let folded = config.slc.map_or(0, |slc| u64::from(slc.blocks) + 1);
    let leveled = match (config.leveling.static_above, cleaning.steps_per_write) {
        (Some(spread), None) => u64::from(spread).saturating_mul(u64::from(shape.blocks)),
        _ => 0,
    };
    let most = cleaned.max(logs).max(folded).max(leveled);
    table.max(block.saturating_mul(most))
}

/// Entries of the mapping that changed: pages that were written or moved, and blocks that were merged.
const fn changes(work: &LayerWork) -> u64 {
    let merges = work.full_merges + work.partial_merges + work.switch_merges;
    work.written + work.cleaned + work.folded + work.leveled + merges
}

fn write_time(sheet: &ControllerSheet, resolver: &mut Resolver) -> u64 {
    let time = sheet.write_time.as_ref();
    time.map_or(0, |time| {
        resolver.resolve("controller.write_time", time).ps()
    })
}

const fn mask(first: u32, count: u32) -> u128 {
    let bits = if count >= 128 {
        u128::MAX
    } else {
        (1 << count) - 1
    };
    bits << first
}

fn note_choices(sheet: &CardSheet, resolver: &mut Resolver) {
    let of = &sheet.controller;
    for name in [
        "mapping",
        "spare_blocks",
        "victim",
        "clean_below",
        "clean_until",
        "idle_until",
        "open_pages",
        "journal_changes",
    ] {
        resolver.read(&format!("controller.{name}"));
    }
    for (name, value) in [
        ("log_blocks", &of.log_blocks),
        ("shared_by", &of.shared_by),
        ("steps_per_write", &of.steps_per_write),
        ("static_above", &of.static_above),
        ("slc_blocks", &of.slc_blocks),
        ("journal_pages", &of.journal_pages),
        ("housekeeping_every", &of.housekeeping_every),
    ] {
        if value.is_some() {
            resolver.read(&format!("controller.{name}"));
        }
    }
}

fn failed(error: FtlError<Infallible>) -> NvmError {
    NvmError::Translation(error.to_string().into())
}
