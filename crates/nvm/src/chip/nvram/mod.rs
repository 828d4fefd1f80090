//! Memories that are written byte by byte, with no erase: MRAM, FRAM and EEPROM.
//!
//! The array of an MRAM or FRAM keeps up with the bus: a transaction lasts as long as its clocks, and
//! the chip is ready for the next one when chip select has been high for the time that the sheet asks
//! for. An EEPROM takes a page at a time and is busy for its write cycle then. Every access to a
//! wear unit within one transaction counts as one endurance cycle; where reads destroy what they
//! read, as in an FRAM, they count as well.

mod bound;
mod compiled;
mod model;
mod sheet;
mod spec;

use std::sync::Arc;

use wordline_core::Resolver;
use wordline_core::quantity::Time;
use wordline_memory::OutOfRange;

pub use self::sheet::{ActiveCurrent, NvramSheet, WriteEnable};
use self::spec::NvramSpec;
use crate::bus::Transaction;
use crate::chip::cells::CellArray;
use crate::chip::cycles_since;
use crate::cost::Cause;
use crate::device::{CurrentGap, Wear};
use crate::error::{Misuse, NvmError, after};
use crate::link::Link;
use crate::power::{PowerDraw, PowerMeter, PowerState, Residence};
use crate::rules::{Rule, RuleSet};
use crate::wired::Chip;

/// A chip that is written byte by byte: its bytes, its wear and its account of energy. A clone is an
/// independent chip with the same content, made in microseconds.
#[derive(Clone, Debug)]
pub struct Nvram {
    spec: Arc<NvramSpec>,
    cells: CellArray,
    meter: PowerMeter,
    ready: Time,
    busy_until: Time,
    write_enabled: bool,
    asleep: bool,
    cycles_before: u64,
    rules: RuleSet,
}

impl Nvram {
    /// A chip that was just supplied with power. `age` is the fraction of its endurance, 0 to 1,
    /// that every unit has used. The array holds zeros.
    ///
    /// Returned with it is what the sheet does not say of the currents on this link.
    #[must_use]
    pub fn new(
        sheet: &NvramSheet,
        link: &Link,
        resolver: &mut Resolver,
        age: f64,
    ) -> (Self, Vec<CurrentGap>) {
        let mut gaps = Vec::new();
        let spec = NvramSpec::new(sheet, link, resolver, &mut gaps);
        let chip = Self {
            cells: CellArray::new(spec.capacity, spec.wear_unit),
            meter: PowerMeter::new(),
            ready: spec.wake_up,
            busy_until: Time::ZERO,
            write_enabled: spec.write_enable == WriteEnable::None,
            asleep: false,
            cycles_before: Wear::cycles_at_age(spec.endurance, age),
            rules: RuleSet::ALL,
            spec: Arc::new(spec),
        };
        (chip, gaps)
    }

    /// Capacity in bytes.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.spec.capacity
    }

    /// The unit in bytes that a power cut leaves whole.
    #[must_use]
    pub fn atom(&self) -> usize {
        self.spec.atom
    }

    /// What one write can reach, in bytes: the capacity where there are no pages.
    #[must_use]
    pub fn page_bytes(&self) -> u64 {
        self.spec.page.unwrap_or(self.spec.capacity)
    }

    /// Bytes from an address to the end of what one write can reach.
    pub(crate) fn page_room(&self, at: u64) -> u64 {
        let page = self.spec.page;
        page.map_or_else(|| self.spec.capacity - at, |page| page - at % page)
    }

    /// When a write needs a write-enable command.
    #[must_use]
    pub fn write_enable_rule(&self) -> WriteEnable {
        self.spec.write_enable
    }

    /// Until when the chip is busy with its last write.
    #[must_use]
    pub const fn busy_until(&self) -> Time {
        self.busy_until
    }

    /// Whether the next write is permitted.
    #[must_use]
    pub const fn write_enabled(&self) -> bool {
        self.write_enabled
    }

    /// Permits writes, or the next one. The command is on the bus from `start`, which must not be
    /// before [`ready`](Chip::ready); returns when it has ended.
    ///
    /// # Errors
    /// When the chip is not ready, busy or asleep.
    pub fn write_enable(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        // The sheet states no current for single commands: they count as standby.
        let end = self.begin(start, bus, self.spec.deselect_after_write)?;
        self.write_enabled = true;
        Ok(end)
    }

    /// Reads from `at` into `out`, on the bus from `start`; returns when the last clock has ended.
    ///
    /// # Errors
    /// When the range leaves the array, or the chip is not ready, busy or asleep.
    #[inline]
    pub fn read(
        &mut self,
        start: Time,
        bus: &Transaction,
        at: u64,
        out: &mut [u8],
    ) -> Result<Time, NvmError> {
        OutOfRange::check(at, out.len() as u64, self.spec.capacity)?;
        let end = self.begin(start, bus, self.spec.deselect_after_read)?;
        self.cells.read(at, out);
        if self.spec.reads_wear && self.rules.keep(Rule::Wear) {
            self.cells.wear(at, out.len());
        }
        self.meter.book(PowerState::Read, start, end);
        Ok(end)
    }

    /// Writes `data` at `at`, on the bus from `start`; returns when the last clock has ended. The
    /// chip is [busy](Self::busy_until) from then on, if it has a write cycle.
    ///
    /// # Errors
    /// When the range leaves the array or the page, the chip is not ready, busy or asleep, or writes
    /// are not enabled. Nothing is written then.
    #[inline]
    pub fn write(
        &mut self,
        start: Time,
        bus: &Transaction,
        at: u64,
        data: &[u8],
    ) -> Result<Time, NvmError> {
        OutOfRange::check(at, data.len() as u64, self.spec.capacity)?;
        if let Some(page) = self.spec.page {
            let leaves = at % page + data.len() as u64 > page;
            if self.rules.broken(Rule::Range, leaves) {
                let bytes = data.len() as u64;
                return Err(Misuse::LeavesPage { at, bytes, page }.into());
            }
        }
        if self.rules.broken(Rule::WriteEnable, !self.write_enabled) {
            return Err(Misuse::WriteNotEnabled.into());
        }
        let end = self.begin(start, bus, self.spec.deselect_after_write)?;
        let busy = match &self.spec.write_cycle {
            Some(cycle) if self.rules.keep(Rule::ProgramTime) => {
                let page = at / self.page_bytes();
                cycle.at_cycle(page, || self.cycles_at(at).unwrap_or(0))
            }
            _ => Time::ZERO,
        };
        let done = after(end, busy)?;
        self.busy_until = done;
        self.store(at, data);
        self.meter.book(PowerState::Write, start, done);
        let spent = self.spec.write_enable == WriteEnable::Each;
        if self.rules.broken(Rule::WriteEnableSpent, spent) {
            self.write_enabled = false;
        }
        Ok(end)
    }

    /// Enters deep power-down. The command is on the bus from `start`; returns when it has ended.
    /// The chip sleeps, and can be woken, once the sheet's entry time has passed as well. Content
    /// is kept.
    ///
    /// # Errors
    /// When the chip is not ready, busy, or sleeps already.
    pub fn sleep(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        let end = self.begin(start, bus, self.spec.sleep_entry)?;
        self.meter.idle_in(PowerState::DeepPowerDown, self.ready);
        self.asleep = true;
        Ok(end)
    }

    /// Leaves deep power-down. The command is on the bus from `start`; returns when it has ended.
    /// The chip takes the next command once the sheet's wake-up time has passed as well.
    ///
    /// # Errors
    /// When the chip is not ready.
    pub fn wake(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        let asleep = std::mem::replace(&mut self.asleep, false);
        let end = self
            .begin(start, bus, self.spec.wake_up)
            .inspect_err(|_| self.asleep = asleep)?;
        self.meter.idle_in(PowerState::Standby, end);
        Ok(end)
    }

    /// What a range holds, without time, energy or wear.
    ///
    /// # Errors
    /// When the range leaves the array.
    pub fn peek(&self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.spec.capacity)?;
        self.cells.read(at, out);
        Ok(())
    }

    /// Stores bytes without time, energy or wear: the content that a test starts from.
    ///
    /// # Errors
    /// When the range leaves the array.
    pub fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.spec.capacity)?;
        self.cells.write(at, data);
        Ok(())
    }

    /// Endurance cycles that the unit at an address has used, the chip's age included; `None`
    /// outside the array.
    #[must_use]
    pub fn cycles_at(&self, at: u64) -> Option<u64> {
        OutOfRange::check(at, 1, self.spec.capacity).ok()?;
        Some(self.cycles_before.saturating_add(self.cells.cycles_at(at)))
    }

    /// Lets the unit at an address have used so many endurance cycles, the chip's age included.
    ///
    /// # Errors
    /// When the address lies outside the array, the chip's age alone is more, or they exceed 2^62.
    pub fn set_cycles_at(&mut self, at: u64, cycles: u64) -> Result<(), NvmError> {
        OutOfRange::check(at, 1, self.spec.capacity)?;
        let since = cycles_since(cycles, self.cycles_before)?;
        self.cells.set_cycles(at, since);
        Ok(())
    }

    /// Bytes that count their cycles together.
    #[must_use]
    pub const fn wear_unit_bytes(&self) -> u64 {
        self.cells.unit_bytes()
    }

    /// Checks that a command may begin, keeps the chip from others for it and for the recovery that
    /// follows, and returns when it leaves the bus.
    #[inline(always)]
    fn begin(&mut self, start: Time, bus: &Transaction, recovery: Time) -> Result<Time, NvmError> {
        if self.rules.broken(Rule::Sleep, self.asleep) {
            return Err(Misuse::Asleep.into());
        }
        let (ready, until) = (self.ready, self.busy_until);
        if self.rules.broken(Rule::Ready, start < ready) {
            return Err(Misuse::NotReady { start, ready }.into());
        }
        if self.rules.broken(Rule::Busy, start < until) {
            return Err(Misuse::Busy { until }.into());
        }
        let end = after(start, bus.total())?;
        self.ready = after(end, recovery)?;
        Ok(end)
    }

    #[inline]
    fn store(&mut self, at: u64, data: &[u8]) {
        match (self.rules.keep(Rule::Content), self.rules.keep(Rule::Wear)) {
            (true, true) => self.cells.write_and_wear(at, data),
            (true, false) => self.cells.write(at, data),
            (false, true) => self.cells.wear(at, data.len()),
            (false, false) => {}
        }
    }
}

impl Chip for Nvram {
    fn causes(&self) -> &'static [Cause] {
        const ALL: &[Cause] = &[
            Cause::Driver,
            Cause::BusCommand,
            Cause::BusData,
            Cause::Recovery,
            Cause::Poll,
            Cause::Program,
        ];
        if self.spec.write_cycle.is_some() {
            ALL
        } else {
            &ALL[..4]
        }
    }

    fn wear(&self) -> Wear {
        self.cells.account(self.spec.endurance, self.cycles_before)
    }

    fn ready(&self) -> Time {
        self.ready
    }

    fn polled(&mut self, end: Time) {
        let ready = end.checked_plus(self.spec.deselect_after_read);
        self.ready = self.ready.later(ready.unwrap_or(end));
    }

    fn keep_selected(&mut self, end: Time) {
        self.ready = self.ready.min(end);
    }

    fn residence(&self, instant: Time) -> Residence {
        self.meter.residence(instant)
    }

    fn power_draw(&self) -> &PowerDraw {
        &self.spec.draw
    }

    fn power_up(&self) -> Option<Time> {
        Some(self.spec.wake_up)
    }

    fn wake_up(&self) -> Option<Time> {
        Some(self.spec.wake_up)
    }

    fn forget(&mut self, rule: Rule) {
        self.rules.forget(rule);
        self.meter.be_lenient();
    }
}

#[cfg(test)]
mod tests;
