//! A card as workloads see it: the contracts of memories and devices.

use std::any::Any;

use wordline_core::SimClock;
use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, OutOfRange};

use super::bound::blocks;
use super::device::{Card, Ending};
use super::sheet::CardInterface;
use crate::bus::sd::BLOCK_BYTES;
use crate::cost::{AccessCost, Cause};
use crate::device::{Accounts, Device, Notes, TranslationReport, Wear};
use crate::error::NvmError;
use crate::power::{PowerDraw, Residence};

impl ByteMemory for Card {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.capacity
    }

    fn atom(&self) -> usize {
        BLOCK_BYTES as usize
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let bytes = out.len() as u64;
        OutOfRange::check(at, bytes, self.capacity)?;
        self.last = AccessCost::NONE;
        if bytes > 0 {
            self.check_time(self.longest_read(at, bytes)?)?;
            self.fetch(at, bytes)?;
            self.store.read_bytes(at, out);
        }
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.capacity)?;
        self.last = AccessCost::NONE;
        if !data.is_empty() {
            self.write_range(at, data.len() as u64, false, Ending::Stop)?;
            self.store.write_bytes(at, data);
        }
        Ok(())
    }

    /// Flushes the cache of an eMMC that has one. Other cards of the model have no command for that, as SD cards before
    /// the cache of version 6.0: one that programs each write before it ends needs none, and one with open pages is
    /// left alone until it has programmed them, which it does after a long enough idle time.
    fn persist(&mut self) -> Result<(), NvmError> {
        self.last = AccessCost::NONE;
        self.flush()
    }
}

impl Accounts for Card {
    fn clock(&self) -> &SimClock {
        &self.clock
    }

    fn causes(&self) -> &'static [Cause] {
        &[
            Cause::Driver,
            Cause::BusCommand,
            Cause::BusData,
            Cause::Poll,
            Cause::ArrayRead,
            Cause::Program,
            Cause::Erase,
            Cause::Cleaning,
            Cause::Merging,
            Cause::Folding,
            Cause::Leveling,
            Cause::Mapping,
            Cause::Firmware,
        ]
    }

    fn last_cost(&self) -> &AccessCost {
        &self.last
    }

    fn residence(&self) -> Residence {
        self.meter.residence(self.clock.now())
    }

    fn power_draw(&self) -> &PowerDraw {
        &self.draw
    }

    fn wear(&self) -> Wear {
        let array = self.controller.array();
        let all = array.erases().iter().chain(array.own_erases());
        let erases = all.map(|erases| u64::from(*erases));
        Wear::of_units(
            self.endurance,
            self.cycles_before,
            array.block_bytes(),
            erases,
        )
    }

    fn notes(&self) -> &Notes {
        &self.notes
    }

    fn translation(&self) -> Option<TranslationReport> {
        let array = self.controller.array();
        let erases = array.erases();
        let sum: u64 = erases.iter().map(|erases| u64::from(*erases)).sum();
        Some(TranslationReport {
            work: self.controller.work(),
            page_bytes: u64::from(self.controller.page_sectors()) * BLOCK_BYTES,
            physical_bytes: erases.len() as u64 * array.block_bytes(),
            mapping_bytes: self.controller.mapping_bytes(),
            bad_blocks_max: self.controller.bad_blocks_max(),
            erases_least: erases.iter().copied().min().unwrap_or(0),
            erases_mean: sum as f64 / erases.len().max(1) as f64,
            erases_most: erases.iter().copied().max().unwrap_or(0),
            health: Some(self.controller.health()),
        })
    }
}

impl Card {
    /// Maps a range as written long ago, without time or wear; the caller stores its content.
    fn map_range(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        OutOfRange::check(at, bytes, self.capacity)?;
        if bytes > 0 {
            let page = u64::from(self.controller.page_sectors()) * BLOCK_BYTES;
            let last = (at + bytes - 1) / page;
            self.controller.preload((at / page) as u32..=last as u32)?;
        }
        Ok(())
    }
}

impl Device for Card {
    fn overwrite_bytes(&self) -> u64 {
        BLOCK_BYTES
    }

    fn holds_words(&self) -> bool {
        true
    }

    fn keeps_content(&self) -> bool {
        self.store.keeps()
    }

    /// The bytes lie apart from all that takes time.
    fn drop_content(&mut self) -> bool {
        self.store.forget();
        true
    }

    /// By the limit that the card's specification sets for each block: nothing that the card does by
    /// itself can exceed it, and nothing shorter is promised.
    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.longest_write(at, bytes)
    }

    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.longest_read(at, bytes)
    }

    fn persist_bound(&self) -> Result<Time, NvmError> {
        self.longest_flush()
    }

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.map_range(at, data.len() as u64)?;
        self.store.write_bytes(at, data);
        Ok(())
    }

    fn peek(&self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.capacity)?;
        self.store.read_bytes(at, out);
        Ok(())
    }

    fn preload_words(&mut self, sector: u64, words: &[u64]) -> Result<(), NvmError> {
        self.map_range(sector * BLOCK_BYTES, words.len() as u64 * BLOCK_BYTES)?;
        self.store.write_words(sector, words);
        Ok(())
    }

    fn write_words(&mut self, sector: u64, words: &[u64]) -> Result<(), NvmError> {
        let (at, bytes) = (sector * BLOCK_BYTES, words.len() as u64 * BLOCK_BYTES);
        OutOfRange::check(at, bytes, self.capacity)?;
        self.last = AccessCost::NONE;
        if bytes > 0 {
            self.write_range(at, bytes, false, Ending::Stop)?;
            self.store.write_words(sector, words);
        }
        Ok(())
    }

    fn writes_reliably(&self) -> bool {
        self.interface == CardInterface::Emmc
    }

    fn write_reliably(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        Self::write_reliably(self, at, data)
    }

    fn preload_zeros(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        self.map_range(at, bytes)?;
        self.store.clear_bytes(at, bytes);
        Ok(())
    }

    /// The pages that wait in the controller's memory, and one on its way into each die.
    fn volatile_bytes(&self) -> u64 {
        self.controller.volatile_pages() * u64::from(self.controller.page_sectors()) * BLOCK_BYTES
    }

    fn own_period(&self, bytes: u64) -> Option<u64> {
        let bytes = bytes.max(1);
        let commands = blocks(0, bytes).div_ceil(self.command_blocks);
        let page = u64::from(self.controller.page_sectors()) * BLOCK_BYTES;
        let (own_pages, own_commands) = self.controller.own_period();
        // A page that waits for the rest is programmed once for all writes that fill it.
        let pages = match self.controller.writes_through() {
            true => own_pages.div_ceil(bytes.div_ceil(page)),
            false => own_pages.saturating_mul(page).div_ceil(bytes),
        };
        Some(pages.max(own_commands.div_ceil(commands)))
    }

    fn take_figures(&mut self, other: &dyn Device) -> bool {
        let other: &dyn Any = other;
        let Some(other) = other.downcast_ref::<Self>() else {
            return false;
        };
        self.take_times(other);
        self.controller.take_times(&other.controller);
        true
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(self.fork())
    }
}
