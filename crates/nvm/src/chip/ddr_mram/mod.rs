//! MRAM behind banks with row buffers, on a DDR bus.
//!
//! A read or write needs its row in the row buffer of its bank: opening a row fetches it, closing it
//! writes it back. What an access takes follows from the commands that it needs and the times between
//! them (`banks`). Nothing is refreshed.
//!
//! What was written outlasts a loss of power once its row has been closed and the chip has stored it
//! (tST): see [`DdrMram::store`]. A row takes an endurance cycle when it is first written after it was
//! opened, for the write-back that its closing will do, and none more until it is opened again; a
//! row that is only read is taken to be written back without harm, unless the sheet says `reads_wear`.
//!
//! Energy is that of VDD: IDD2N with every row closed, IDD3N with one open, IDD4R and IDD4W while data
//! move, and what IDD0 adds for each row that is opened and closed. Left out are VPP, of which sheets
//! and others state no current, the drivers of the data lines and their termination; a chip that
//! stores is taken to draw IDD4W.

mod banks;
mod bound;
mod checker;
mod compiled;
mod model;
mod sheet;
mod spec;

use std::sync::Arc;

use wordline_core::Resolver;
use wordline_core::quantity::{Frequency, Time};
use wordline_memory::OutOfRange;

use self::banks::{AccessClocks, BankCommand, BankStep, Banks, BurstDirection};
pub use self::sheet::DdrMramSheet;
use self::spec::DdrMramSpec;
use crate::bus::ddr::DdrBus;
use crate::chip::cells::CellArray;
use crate::cost::{AccessCost, Cause};
use crate::device::{CurrentGap, Wear};
use crate::error::{Misuse, NvmError};
use crate::link::Link;
use crate::power::{PowerDraw, PowerMeter, PowerState, Residence};
use crate::rules::{Rule, RuleSet};
use crate::wired::Chip;

/// An MRAM behind banks with row buffers, with the controller that gives it commands: bytes, wear and
/// account of energy. A clone is an independent chip with the same content, made in microseconds.
#[derive(Clone, Debug)]
pub struct DdrMram {
    spec: Arc<DdrMramSpec>,
    cells: CellArray,
    banks: Banks,
    /// Whether the open row of a bank has taken its endurance cycle.
    worn: Vec<bool>,
    meter: PowerMeter,
    /// The clock from which every row is closed; `None` while one is open.
    closed_from: Option<u64>,
    /// Whether something was written since the last [`store`](Self::store).
    unstored: bool,
    ready: Time,
    cycles_before: u64,
    rules: RuleSet,
}

impl DdrMram {
    /// A chip that was just supplied with power, on a bus. `age` is the fraction of its endurance, 0 to
    /// 1, that every row has used. The array holds zeros, and every row is closed.
    ///
    /// Returned with it is what the sheet does not say of its currents.
    #[must_use]
    pub fn new(
        sheet: &DdrMramSheet,
        link: &Link,
        bus: &DdrBus,
        resolver: &mut Resolver,
        age: f64,
    ) -> (Self, Vec<CurrentGap>) {
        let mut gaps = Vec::new();
        let spec = DdrMramSpec::new(sheet, link, bus, resolver, &mut gaps);
        let chip = Self {
            cells: CellArray::new(spec.capacity, spec.layout.row_bytes),
            banks: Banks::new(spec.clocks, spec.layout),
            worn: vec![false; spec.layout.banks as usize],
            meter: PowerMeter::new(),
            closed_from: Some(0),
            unstored: false,
            ready: spec.power_up,
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

    /// Bytes of a burst: what the chip takes at once.
    #[must_use]
    pub fn burst_bytes(&self) -> usize {
        self.spec.layout.burst_bytes as usize
    }

    /// What controller and wiring take of an access beside the chip's own times.
    #[must_use]
    pub fn controller(&self) -> Time {
        self.spec.controller
    }

    /// Whether something was written since the last [`store`](Self::store).
    #[must_use]
    pub const fn has_unstored(&self) -> bool {
        self.unstored
    }

    /// Reads from `at` into `out`, with no command before `start`, and returns what the time from
    /// there to the end of the last data went to.
    ///
    /// # Errors
    /// When the range leaves the array, or the chip is not ready.
    pub fn read(&mut self, start: Time, at: u64, out: &mut [u8]) -> Result<AccessCost, NvmError> {
        let cost = self.access(start, BurstDirection::Read, at, out.len())?;
        self.cells.read(at, out);
        Ok(cost)
    }

    /// Writes `data` at `at`, with no command before `start`, and returns what the time from there to
    /// the end of the last data went to. Bytes of a burst that are not meant are masked.
    ///
    /// # Errors
    /// When the range leaves the array, or the chip is not ready.
    pub fn write(&mut self, start: Time, at: u64, data: &[u8]) -> Result<AccessCost, NvmError> {
        let cost = self.access(start, BurstDirection::Write, at, data.len())?;
        if self.rules.keep(Rule::Content) {
            self.cells.write(at, data);
        }
        self.unstored = true;
        Ok(cost)
    }

    /// Closes every row and stores what was written, from `start` on; returns when it is safe.
    ///
    /// # Errors
    /// When the chip is not ready.
    pub fn store(&mut self, start: Time) -> Result<Time, NvmError> {
        self.check_ready(start)?;
        let clock = self.spec.clock;
        let storing = self.banks.store(first_clock(start, clock), &mut |_| {});
        let until = end_of(storing.end, clock)?;
        self.settle_closed();
        self.meter
            .book(PowerState::Write, clock.duration_of(storing.start), until);
        self.closed_from = Some(storing.end);
        self.unstored = false;
        self.ready = until;
        Ok(until)
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

    /// Endurance cycles that the row at an address has used, the chip's age included; `None` outside
    /// the array.
    #[must_use]
    pub fn cycles_at(&self, at: u64) -> Option<u64> {
        OutOfRange::check(at, 1, self.spec.capacity).ok()?;
        Some(self.cycles_before.saturating_add(self.cells.cycles_at(at)))
    }

    /// The first rule that the commands of a mix of accesses break, all of them asked for at once.
    pub(crate) fn audit(&self) -> Result<(), Rule> {
        checker::audit(&self.banks, &self.spec.clocks, &self.spec.layout)
    }

    fn check_ready(&self, start: Time) -> Result<(), NvmError> {
        let ready = self.ready;
        if self.rules.broken(Rule::Ready, start < ready) {
            return Err(Misuse::NotReady { start, ready }.into());
        }
        Ok(())
    }

    fn access(
        &mut self,
        start: Time,
        direction: BurstDirection,
        at: u64,
        bytes: usize,
    ) -> Result<AccessCost, NvmError> {
        OutOfRange::check(at, bytes as u64, self.spec.capacity)?;
        self.check_ready(start)?;
        let clock = self.spec.clock;
        let latency = self.banks.latency(direction);
        let mut account = AccessAccount {
            spec: &self.spec,
            cells: &mut self.cells,
            worn: &mut self.worn,
            meter: &mut self.meter,
            closed_from: &mut self.closed_from,
            booked: 0,
            latency,
            counts_wear: self.rules.keep(Rule::Wear),
        };
        let spent = self.banks.access(
            first_clock(start, clock),
            direction,
            at..at + bytes as u64,
            &mut |step| account.note(step),
        );
        self.closed_from = self.banks.closed_from();
        let end = end_of(spent.end, clock)?;
        self.ready = end;
        Ok(split(&spent, end.since(start), clock))
    }

    /// Ends the state with open rows once the last of them has been closed.
    fn settle_closed(&mut self) {
        if let Some(closed) = self.banks.closed_from() {
            let closed = self.spec.clock.duration_of(closed);
            self.meter.idle_in(PowerState::Standby, closed);
        }
    }
}

/// What the commands of one access mean for wear and energy.
struct AccessAccount<'a> {
    spec: &'a DdrMramSpec,
    cells: &'a mut CellArray,
    worn: &'a mut [bool],
    meter: &'a mut PowerMeter,
    closed_from: &'a mut Option<u64>,
    /// The clock up to which data were booked.
    booked: u64,
    latency: u64,
    counts_wear: bool,
}

impl AccessAccount<'_> {
    fn note(&mut self, step: BankStep) {
        match step.command {
            BankCommand::Activate => {
                self.activate(step.clock);
                self.worn[step.bank] = false;
                if self.spec.reads_wear {
                    self.wear(step);
                }
            }
            BankCommand::Read => self.data(PowerState::Read, step.clock),
            BankCommand::Write => {
                self.data(PowerState::Write, step.clock);
                self.wear(step);
            }
            BankCommand::Precharge | BankCommand::Store => {}
        }
    }

    /// A row is open from here on. A chip that closes its rows by itself may still be about to close
    /// others: then it never had every row closed.
    fn activate(&mut self, clock: u64) {
        if let Some(closed) = self.closed_from.take()
            && closed <= clock
        {
            let time = |clock| self.spec.clock.duration_of(clock);
            self.meter.idle_in(PowerState::Standby, time(closed));
            self.meter.idle_in(PowerState::Active, time(clock));
        }
        self.meter
            .book_beside(PowerState::Activate, self.spec.row_cycle());
    }

    fn data(&mut self, state: PowerState, clock: u64) {
        let from = (clock + self.latency).max(self.booked);
        let until = (clock + self.latency + self.spec.clocks.burst).max(from);
        let time = |clock| self.spec.clock.duration_of(clock);
        self.meter.book(state, time(from), time(until));
        self.booked = until;
    }

    /// The open row takes an endurance cycle, once.
    fn wear(&mut self, step: BankStep) {
        let layout = &self.spec.layout;
        if !std::mem::replace(&mut self.worn[step.bank], true) && self.counts_wear {
            let line = step.row * layout.banks + step.bank as u64;
            self.cells.wear(line * layout.row_bytes, 1);
        }
    }
}

/// The first clock that does not begin before an instant.
fn first_clock(instant: Time, clock: Frequency) -> u64 {
    let exact = u128::from(instant.ps()) * u128::from(clock.hz()) / 1_000_000_000_000;
    let before = u64::try_from(exact).unwrap_or(u64::MAX);
    // An instant that is a clock's own, rounded to a picosecond, is that clock.
    before + u64::from(clock.duration_of(before) < instant)
}

fn end_of(clocks: u64, clock: Frequency) -> Result<Time, NvmError> {
    match clock.duration_of(clocks) {
        end if end.ps() == u64::MAX => Err(NvmError::TimeExhausted),
        end => Ok(end),
    }
}

/// Splits the time of an access by cause. Parts are rounded to picoseconds one by one, and what is
/// left of the whole is waiting: for the next clock, and for the rules between commands.
fn split(spent: &AccessClocks, whole: Time, clock: Frequency) -> AccessCost {
    let mut cost = AccessCost::default();
    let mut left = whole;
    for (cause, clocks) in [
        (Cause::BusData, spent.data),
        (Cause::BusCommand, spent.column),
        (Cause::ArrayRead, spent.row),
    ] {
        let part = Time::from_ps(clock.duration_of(clocks).ps().min(left.ps()));
        cost.add(cause, part);
        left = left.since(part);
    }
    cost.add(Cause::Recovery, left);
    cost
}

impl Chip for DdrMram {
    fn causes(&self) -> &'static [Cause] {
        &[
            Cause::Driver,
            Cause::BusCommand,
            Cause::BusData,
            Cause::Recovery,
            Cause::ArrayRead,
            Cause::Program,
        ]
    }

    fn wear(&self) -> Wear {
        self.cells.account(self.spec.endurance, self.cycles_before)
    }

    fn ready(&self) -> Time {
        self.ready
    }

    /// There is no status to ask for.
    fn polled(&mut self, _: Time) {}

    fn residence(&self, instant: Time) -> Residence {
        let mut meter = self.meter.clone();
        if let Some(closed) = self.closed_from {
            let closed = self.spec.clock.duration_of(closed);
            if closed <= instant {
                meter.idle_in(PowerState::Standby, closed);
            }
        }
        meter.residence(instant)
    }

    fn power_draw(&self) -> &PowerDraw {
        &self.spec.draw
    }

    fn power_up(&self) -> Option<Time> {
        Some(self.spec.power_up)
    }

    fn forget(&mut self, rule: Rule) {
        self.rules.forget(rule);
        self.banks.rules.forget(rule);
        self.meter.be_lenient();
    }
}

#[cfg(test)]
mod bound_tests;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
