//! NOR flash: read byte by byte at bus speed, programmed in pages, erased in sectors.
//!
//! A program clears bits and an erase sets them; on a serial bus each needs a write-enable command of
//! its own. Either leaves the chip busy when its transaction has ended. A busy chip understands status and suspend
//! alone. Suspended work lets the rest of the array be read, and goes on when it is resumed.
//!
//! What the model assumes where sheets are silent: suspended work makes no progress between the
//! suspend command and its standing still; a suspended chip draws standby current; a program takes
//! the bytes that it is given, so that fewer bytes take their share of the time of a page, the same
//! in every timing class; while a read goes on beside a busy bank, the chip draws the current of reads.
//! A clone of a chip is an independent chip.

mod ageing;
mod array;
mod bound;
mod compiled;
mod content;
mod model;
mod sheet;
mod spec;
mod work;

use std::sync::Arc;

use wordline_core::Resolver;
use wordline_core::quantity::Time;
use wordline_memory::{FlashMisuse, Geometry, OutOfRange};

use self::ageing::NorAgeing;
pub(crate) use self::array::Array;
pub use self::sheet::{EraseSheet, NorSheet, SuspendSheet};
use self::spec::NorSpec;
use self::work::{NorJob, Running, Suspended};
pub use self::work::{NorStatus, NorWork};
use crate::bus::{Action, Transaction};
use crate::cost::Cause;
use crate::device::{CurrentGap, Wear};
use crate::error::{Misuse, NvmError, after};
use crate::link::Link;
use crate::power::{PowerDraw, PowerMeter, PowerState, Residence};
use crate::rules::{Rule, RuleSet};
use crate::wired::Chip;

/// A NOR flash chip: its bytes, its wear and its account of energy.
#[derive(Clone, Debug)]
pub struct Nor {
    spec: Arc<NorSpec>,
    array: Array,
    meter: PowerMeter,
    ready: Time,
    running: Option<Running>,
    suspended: Option<Suspended>,
    write_enabled: bool,
    asleep: bool,
    cycles_before: u64,
    /// How its oxide wears, where it ages.
    ageing: Option<NorAgeing>,
    /// The last program or erase, if it failed.
    failed: Option<(NorWork, u64)>,
    rules: RuleSet,
}

/// A transaction that the chip takes: when it begins, ends, and lets the next one begin.
#[derive(Clone, Copy, Debug)]
struct Slot {
    start: Time,
    end: Time,
    ready: Time,
}

impl Nor {
    /// An erased chip that was just supplied with power. `age` is the fraction of its endurance, 0
    /// to 1, that every sector has used.
    ///
    /// Returned with it is what the sheet does not say of the currents on this link.
    #[must_use]
    pub fn new(
        sheet: &NorSheet,
        link: &Link,
        resolver: &mut Resolver,
        age: f64,
    ) -> (Self, Vec<CurrentGap>) {
        let mut gaps = Vec::new();
        let spec = NorSpec::new(sheet, link, resolver, &mut gaps);
        let chip = Self {
            array: Array::new(spec.capacity, spec.unit_bytes(), spec.granule),
            meter: PowerMeter::new(),
            ready: spec.power_up,
            running: None,
            suspended: None,
            write_enabled: false,
            asleep: false,
            cycles_before: Wear::cycles_at_age(spec.endurance, age),
            ageing: None,
            failed: None,
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

    /// Pages, blocks and rules. A block is the largest erase that is not the whole chip.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        self.spec.geometry
    }

    /// Sizes of erase in bytes with their opcodes, ascending.
    pub fn erase_sizes(&self) -> impl Iterator<Item = (u64, u8)> {
        self.spec
            .erases
            .iter()
            .map(|erase| (erase.bytes, erase.code))
    }

    /// Permits the next program or erase. The command is on the bus from `start`, which must not be
    /// before [`ready`](Chip::ready); returns when it has ended.
    ///
    /// # Errors
    /// When the chip is not ready, busy or asleep.
    #[inline(always)]
    pub fn write_enable(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        let slot = self.admit_idle(start, bus, self.spec.deselect_after_write)?;
        self.write_enabled = true;
        Ok(self.take(slot))
    }

    /// Reads from `at` into `out`, on the bus from `start`; returns when the last clock has ended.
    ///
    /// # Errors
    /// When the range leaves the array or touches what is suspended, or the chip is not ready, busy
    /// or asleep.
    #[inline]
    pub fn read(
        &mut self,
        start: Time,
        bus: &Transaction,
        at: u64,
        out: &mut [u8],
    ) -> Result<Time, NvmError> {
        OutOfRange::check(at, out.len() as u64, self.spec.capacity)?;
        let beside = self.reads_beside(at, out.len() as u64);
        let slot = match beside {
            true => self.admit(start, bus, self.spec.deselect_after_read)?,
            false => self.admit_idle(start, bus, self.spec.deselect_after_read)?,
        };
        self.check_apart(at, out.len() as u64)?;
        self.array.read(at, out);
        self.disturb(at, out, slot.end);
        if beside {
            self.account_beside(&slot);
        }
        self.meter.book(PowerState::Read, slot.start, slot.end);
        Ok(self.take(slot))
    }

    /// Whether a program of `bytes` bytes keeps the rules of page, granule and range.
    ///
    /// # Errors
    /// The rule that it breaks.
    #[inline]
    pub fn check_program(&self, at: u64, bytes: usize) -> Result<(), NvmError> {
        OutOfRange::check(at, bytes as u64, self.spec.capacity)?;
        let (page, column) = self.spec.place(at);
        let kept = self.spec.geometry.check_program(page, column, bytes as u64);
        if self.rules.keep(Rule::Range) {
            kept?;
        }
        if let Some(at) = self.array.programmed(at, bytes)
            && self.rules.keep(Rule::Once)
        {
            let (page, column) = self.spec.place(at);
            return Err(FlashMisuse::Reprogram { page, column }.into());
        }
        Ok(())
    }

    /// Programs `data` at `at`, within one page: bits that are 0 in it are cleared. The transaction
    /// is on the bus from `start`; returns when its last clock has ended, from when on the chip is
    /// [busy](Self::running).
    ///
    /// # Errors
    /// When a rule of [`check_program`](Self::check_program) is broken, the chip is not ready, busy
    /// or asleep, programs are not enabled, or what is suspended forbids it. Nothing changes then.
    pub fn program(
        &mut self,
        start: Time,
        bus: &Transaction,
        at: u64,
        data: &[u8],
    ) -> Result<Time, NvmError> {
        self.check_program(at, data.len())?;
        self.program_checked(start, bus, at, data)
    }

    /// The same where [`check_program`](Self::check_program) has found nothing.
    #[inline(always)]
    pub(crate) fn program_checked(
        &mut self,
        start: Time,
        bus: &Transaction,
        at: u64,
        data: &[u8],
    ) -> Result<Time, NvmError> {
        let slot = self.admit_idle(start, bus, self.spec.deselect_after_write)?;
        self.check_suspended(Action::Write)?;
        self.check_apart(at, data.len() as u64)?;
        self.check_enabled()?;
        let duration = match self.rules.keep(Rule::ProgramTime) {
            true => {
                let stated = self.spec.program_time(at, data.len(), || self.cycles(at));
                self.aged_program(at, stated)
            }
            false => Time::ZERO,
        };
        let fails = self.is_worn_out(at);
        let (_, column) = self.spec.place(at);
        let job = NorJob {
            work: NorWork::Program,
            at: at - u64::from(column),
            bytes: u64::from(self.spec.geometry.page_bytes),
        };
        self.run(job, slot.end, duration, slot.end)?;
        self.failed = fails.then_some((NorWork::Program, at));
        if fails {
            // The cells do not hold what they are given.
        } else if !self.rules.keep(Rule::ClearsOnly) {
            self.array.preload(at, data);
        } else if self.rules.keep(Rule::Content) {
            self.array.program(at, data);
        }
        if !fails {
            self.charge(at, slot.end.plus(duration));
        }
        self.meter.book(PowerState::Write, slot.start, slot.end);
        Ok(self.take(slot))
    }

    /// Whether the chip erases `bytes` bytes at `at` at once.
    ///
    /// # Errors
    /// When it does not.
    pub fn check_erase(&self, at: u64, bytes: u64) -> Result<(), NvmError> {
        OutOfRange::check(at, bytes, self.spec.capacity)?;
        let wrong = self.spec.erase_size(bytes).is_none() || !at.is_multiple_of(bytes);
        if self.rules.broken(Rule::EraseSize, wrong) {
            return Err(Misuse::NoSuchErase { at, bytes }.into());
        }
        Ok(())
    }

    /// Erases `bytes` bytes at `at` to 0xFF. The command is on the bus from `start`; returns when it
    /// has ended, from when on the chip is [busy](Self::running).
    ///
    /// # Errors
    /// When there is no such erase, the chip is not ready, busy or asleep, erases are not enabled,
    /// or something is suspended. Nothing changes then.
    pub fn erase(
        &mut self,
        start: Time,
        bus: &Transaction,
        at: u64,
        bytes: u64,
    ) -> Result<Time, NvmError> {
        self.check_erase(at, bytes)?;
        let slot = self.admit_idle(start, bus, self.spec.deselect_after_write)?;
        self.check_suspended(Action::Erase)?;
        self.check_enabled()?;
        let cycle = self.cycles(at);
        let size = self.spec.erase_size(bytes);
        let size = size.filter(|_| self.rules.keep(Rule::EraseTime));
        let stated = size.map(|size| (size.time(at, cycle), size.most));
        let duration = stated.map_or(Time::ZERO, |(stated, most)| {
            self.aged_erase(at, bytes, stated, most)
        });
        let job = NorJob {
            work: NorWork::Erase,
            at,
            bytes,
        };
        // The sheets state no current for single commands: they count as standby.
        self.run(job, slot.end, duration, slot.end)?;
        let fails = self.wear_by_erase(at, bytes);
        self.failed = fails.then_some((NorWork::Erase, at));
        if fails {
            // What the sector holds is as it was: some cell of it misses its target.
        } else if !self.rules.keep(Rule::EraseRenews) {
            self.array.preload(at, &vec![0xFF; bytes as usize]);
        } else if self.rules.keep(Rule::EraseSets) {
            self.array.erase(at, bytes);
        }
        if self.rules.keep(Rule::Wear) {
            self.array.count_erases(at, bytes, 1);
        }
        Ok(self.take(slot))
    }

    /// Enters deep power-down. The command is on the bus from `start`; returns when it has ended.
    /// The chip sleeps, and can be woken, once the sheet's entry time has passed as well. Content
    /// is kept.
    ///
    /// # Errors
    /// When the chip is not ready, busy, or asleep already, or something is suspended.
    pub fn sleep(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        let slot = self.admit_idle(start, bus, self.spec.sleep_entry)?;
        if let Some(suspended) = &self.suspended
            && self.rules.keep(Rule::SuspendedWork)
        {
            return Err(Misuse::WhileSuspended {
                suspended: suspended.job.work.name(),
                action: Action::PowerDown,
            }
            .into());
        }
        self.asleep = true;
        self.meter.idle_in(PowerState::DeepPowerDown, slot.ready);
        Ok(self.take(slot))
    }

    /// Leaves deep power-down. The command is on the bus from `start`; returns when it has ended.
    /// The chip takes the next command once the sheet's wake-up time has passed as well.
    ///
    /// # Errors
    /// When the chip is not ready, or busy.
    pub fn wake(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        let asleep = std::mem::replace(&mut self.asleep, false);
        let slot = self
            .admit_idle(start, bus, self.spec.wake_up)
            .inspect_err(|_| self.asleep = asleep)?;
        self.meter.idle_in(PowerState::Standby, slot.end);
        Ok(self.take(slot))
    }

    /// Stores bytes without time, energy, wear or erase: the content that a test starts from. They
    /// count as programmed.
    ///
    /// # Errors
    /// When the range leaves the array.
    pub fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.spec.capacity)?;
        self.array.preload(at, data);
        Ok(())
    }

    /// Erases that the sector at an address has seen, the chip's age included; `None` outside the
    /// array.
    #[must_use]
    pub fn cycles_at(&self, at: u64) -> Option<u64> {
        OutOfRange::check(at, 1, self.spec.capacity).ok()?;
        Some(self.cycles(at))
    }

    fn cycles(&self, at: u64) -> u64 {
        self.cycles_before.saturating_add(self.array.erases_at(at))
    }

    /// Whether a transaction may begin, whatever runs.
    #[inline(always)]
    fn admit(&mut self, start: Time, bus: &Transaction, recovery: Time) -> Result<Slot, NvmError> {
        if self.rules.broken(Rule::Sleep, self.asleep) {
            return Err(Misuse::Asleep.into());
        }
        let ready = self.ready;
        if self.rules.broken(Rule::Ready, start < ready) {
            return Err(Misuse::NotReady { start, ready }.into());
        }
        let end = after(start, bus.total())?;
        let ready = after(end, recovery)?;
        self.settle(start);
        Ok(Slot { start, end, ready })
    }

    /// Whether a transaction may begin that a busy chip does not understand.
    #[inline(always)]
    fn admit_idle(
        &mut self,
        start: Time,
        bus: &Transaction,
        recovery: Time,
    ) -> Result<Slot, NvmError> {
        let slot = self.admit(start, bus, recovery)?;
        match self.running {
            Some(Running { until, .. }) if self.rules.keep(Rule::Busy) => {
                Err(Misuse::Busy { until }.into())
            }
            _ => Ok(slot),
        }
    }

    /// Keeps the chip from the next transaction until chip select has been high for long enough.
    const fn take(&mut self, slot: Slot) -> Time {
        self.ready = slot.ready;
        slot.end
    }

    fn check_enabled(&self) -> Result<(), Misuse> {
        let forbidden = self.spec.write_enable && !self.write_enabled;
        if self.rules.broken(Rule::WriteEnable, forbidden) {
            return Err(Misuse::WriteNotEnabled);
        }
        Ok(())
    }
}

impl Chip for Nor {
    fn causes(&self) -> &'static [Cause] {
        &[
            Cause::Driver,
            Cause::BusCommand,
            Cause::BusData,
            Cause::Recovery,
            Cause::Poll,
            Cause::Program,
            Cause::Erase,
        ]
    }

    fn ready(&self) -> Time {
        self.ready
    }

    fn polled(&mut self, end: Time) {
        self.settle(end);
        let ready = end.checked_plus(self.spec.deselect_after_read);
        self.ready = self.ready.later(ready.unwrap_or(end));
    }

    fn keep_selected(&mut self, end: Time) {
        self.ready = self.ready.min(end);
    }

    fn residence(&self, instant: Time) -> Residence {
        let mut meter = self.meter.clone();
        if let Some(Running {
            job, from, until, ..
        }) = self.running
            && instant.min(until) > from
        {
            meter.book(job.work.state(), from, instant.min(until));
        }
        meter.residence(instant)
    }

    fn wear(&self) -> Wear {
        Wear::of_units(
            self.spec.endurance,
            self.cycles_before,
            self.spec.erases[0].bytes,
            self.array.erases(),
        )
    }

    fn power_draw(&self) -> &PowerDraw {
        &self.spec.draw
    }

    fn power_up(&self) -> Option<Time> {
        Some(self.spec.power_up)
    }

    fn wake_up(&self) -> Option<Time> {
        Some(self.spec.wake_up).filter(|wait| *wait > Time::ZERO)
    }

    fn forget(&mut self, rule: Rule) {
        self.rules.forget(rule);
        self.meter.be_lenient();
    }
}

#[cfg(test)]
mod tests;
