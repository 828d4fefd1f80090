//! A chip on a board, with its clock: what meets the memory contracts.

mod bound;
pub(crate) mod compiled;
mod ddr_mram;
mod ddr_mram_bound;
mod nand;
mod nand_bound;
mod nor;
mod nor_bound;
mod nvram;
mod nvram_bound;
mod reads;
pub(crate) mod skip;

pub use nor::SuspendedRead;
use std::sync::Arc;

use compiled::{CompiledCosts, PendingCosts, SteadyChip};
use reads::MappedReads;
use wordline_core::quantity::Time;
use wordline_core::{Resolver, SimClock, Timing};
use wordline_memory::FlashMisuse;

use crate::board::{Board, DriverCost};
use crate::bus::{Action, Transaction};
use crate::cost::{AccessCost, Cause};
use crate::device::{Accounts, CurrentGap, Notes, Wear};
use crate::divisor::Divisor;
use crate::error::{NvmError, after};
use crate::link::Link;
use crate::model::{ChipModel, PartSetup};
use crate::power::{PowerDraw, Residence};
use crate::rules::Rule;

/// Conditions under which a device is simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Column of the data sheets.
    pub timing: Timing,
    /// Fraction of rated life already used, 0 to 1.
    pub age: f64,
    /// Seed of everything that is drawn.
    pub seed: u64,
}

/// A sheet with its id, which keys what is drawn for it.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a, S> {
    /// The id.
    pub id: &'a str,
    /// The sheet.
    pub sheet: &'a S,
}

/// A chip, as the driver sees it between transactions.
pub trait Chip: SteadyChip + Send + 'static {
    /// The instant from which the chip takes the next transaction, busy or not: chip select has been
    /// high for long enough.
    fn ready(&self) -> Time;

    /// Notes that the host read the status, and that chip select rose at `end`.
    fn polled(&mut self, end: Time);

    /// Notes that chip select did not rise behind the read that ended at `end`: the next one goes on with it. Needed of
    /// chips that are read byte by byte alone.
    fn keep_selected(&mut self, end: Time) {
        let _ = end;
    }

    /// The causes that accesses of this chip can have, in order.
    fn causes(&self) -> &'static [Cause];

    /// Where the chip's time went, up to `instant`.
    fn residence(&self, instant: Time) -> Residence;

    /// Wear since the chip was made.
    fn wear(&self) -> Wear;

    /// Currents and voltage.
    fn power_draw(&self) -> &PowerDraw;

    /// How long the host waits after power on, before the first command; `None` where the sheet does
    /// not say.
    fn power_up(&self) -> Option<Time>;

    /// How long the host waits after the command that ends deep power-down; `None` for a chip that has
    /// none.
    fn wake_up(&self) -> Option<Time> {
        None
    }

    /// Makes the chip forget a rule of its protocol, so that the [conformance](crate::conformance)
    /// suite can prove that it would notice. Nothing mends such a chip.
    fn forget(&mut self, rule: Rule);
}

/// The sheet of a chip: what [`Wired::connect`] makes a device from.
pub trait ChipSheet: ChipModel + Clone {
    /// The model of the chip.
    type Chip: Chip;

    /// A chip that was just supplied with power, on its link to a board. Returned with it is what the
    /// sheet does not say of its currents.
    fn chip(
        &self,
        setup: PartSetup<'_>,
        link: &Link,
        resolver: &mut Resolver,
    ) -> (Self::Chip, Vec<CurrentGap>);

    /// Waits for power-up, and does what a driver does once.
    ///
    /// # Errors
    /// When the chip refuses what the driver does.
    fn start(wired: &mut Wired<Self::Chip>) -> Result<(), NvmError> {
        wired.clock.advance_to(wired.chip.ready());
        Ok(())
    }
}

/// A chip on a board. Every access lets simulated time pass on its clock. It forks instead of
/// cloning, because a clone would share the clock.
#[derive(Debug)]
pub struct Wired<C> {
    chip: C,
    link: Arc<Link>,
    driver: DriverCost,
    clock: SimClock,
    last: AccessCost,
    /// Whether the host drove the data lines last.
    wrote: bool,
    /// Reads through the address space, where they are in use.
    mapped: Option<MappedReads>,
    /// An erase that was begun and left running.
    left: Option<LeftErase>,
    /// From one question to a busy chip to the next, in picoseconds.
    period: Divisor,
    notes: Arc<Notes>,
    /// Costs that are constants.
    costs: CompiledCosts,
    /// Operations that were counted by them.
    pending: PendingCosts,
    /// See [`Link::phase_mask`].
    phase_mask: u8,
}

/// An erase that was begun and left running.
#[derive(Clone, Copy, Debug)]
struct LeftErase {
    block: u32,
    bytes: u64,
    /// The driver knows that it has ended.
    ended: bool,
    failed: bool,
}

impl<C: Chip> Wired<C> {
    /// One erase is left running at a time.
    fn check_left(&self) -> Result<(), NvmError> {
        match self.left {
            Some(LeftErase { block, .. }) => Err(FlashMisuse::InErase { block }.into()),
            None => Ok(()),
        }
    }

    /// Connects a chip to a board, waits for power-up and does what a driver does once.
    ///
    /// # Errors
    /// When rail or bus mode do not fit.
    pub fn connect<S: ChipSheet<Chip = C>>(
        part: Named<'_, S>,
        board: Named<'_, Board>,
        conditions: Conditions,
    ) -> Result<Self, NvmError> {
        let link = part.sheet.link(board.sheet)?;
        let Conditions { timing, seed, .. } = conditions;
        let mut of_board = Resolver::new(timing, seed, board.id);
        let driver = board.sheet.driver_cost(&mut of_board);
        board.sheet.note_link(&link, &mut of_board);
        let host = board.sheet.host_power(&mut of_board);
        let mut of_part = Resolver::new(timing, seed, part.id);
        let setup = PartSetup {
            id: part.id,
            board,
            conditions,
        };
        let (chip, currents) = part.sheet.chip(setup, &link, &mut of_part);
        let wakes = link.command(Action::WakeUp).is_some();
        let status = link.bare(Action::Status).unwrap_or_default().total();
        let period = [driver.command, driver.poll_interval, status];
        let period = period
            .map(Time::ps)
            .into_iter()
            .fold(0, u64::saturating_add);
        let mut wired = Self {
            driver,
            period: Divisor::new(period),
            clock: SimClock::new(),
            last: AccessCost::default(),
            wrote: false,
            mapped: None,
            left: None,
            notes: Arc::new(Notes {
                part: of_part.readings().clone(),
                board: of_board.readings().clone(),
                currents,
                host,
                supply: Some(link.supply),
                power_up: chip.power_up(),
                wake_up: chip.wake_up().filter(|_| wakes),
                assumed_limits: Vec::new(),
            }),
            chip,
            phase_mask: link.phase_mask(),
            link: Arc::new(link),
            costs: CompiledCosts::default(),
            pending: PendingCosts::default(),
        };
        S::start(&mut wired)?;
        Ok(wired)
    }

    /// The chip. Its instants and its own account may be those of before operations that are counted and not yet added to
    /// it; [`Accounts::residence`] has all of them.
    #[must_use]
    pub const fn chip(&self) -> &C {
        &self.chip
    }

    /// Rail, opcodes and clocks in use.
    #[must_use]
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// An independent device in the same state, on a clock of its own.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            chip: self.chip.clone(),
            link: Arc::clone(&self.link),
            driver: self.driver,
            clock: self.clock.fork(),
            last: self.last,
            wrote: self.wrote,
            mapped: self.mapped,
            left: self.left,
            period: self.period,
            notes: Arc::clone(&self.notes),
            costs: self.costs.clone(),
            pending: self.pending,
            phase_mask: self.phase_mask,
        }
    }

    /// The bits of an address that the cost of an access may depend on.
    #[inline(always)]
    const fn phase_of(&self, at: u64) -> u8 {
        at as u8 & self.phase_mask
    }

    /// Begins an access: what follows adds to its cost.
    #[inline(always)]
    fn begin(&mut self) {
        if self.pending.is_some() {
            self.fold();
        }
        self.last = AccessCost::NONE;
    }

    /// What moving `bytes` bytes from `at` on with an action costs on the bus.
    #[inline(always)]
    fn bus(&self, action: Action, at: u64, bytes: u64) -> Result<Transaction, NvmError> {
        match self.link.command(action) {
            Some(command) => Ok(command.transaction(at, bytes)),
            None => Err(NvmError::Unsupported(action)),
        }
    }

    /// What an action without data costs on the bus, or the question whether the chip is busy.
    #[inline(always)]
    fn bare(&self, action: Action) -> Result<Transaction, NvmError> {
        match self.link.bare(action) {
            Some(bus) => Ok(bus),
            None => Err(NvmError::Unsupported(action)),
        }
    }

    /// Sends a command without data, by the processor.
    ///
    /// Inlined, as is what it calls: the results of transactions are larger than registers, and go through memory where
    /// they are passed on.
    #[inline(always)]
    fn command(
        &mut self,
        action: Action,
        run: impl FnOnce(&mut C, Time, &Transaction) -> Result<Time, NvmError>,
    ) -> Result<(), NvmError> {
        let bus = self.bare(action)?;
        self.transact(self.driver.command, false, &bus, run)
    }

    /// Moves `bytes` bytes of data from `at` on, by DMA.
    #[inline(always)]
    fn transfer(
        &mut self,
        action: Action,
        at: u64,
        bytes: u64,
        run: impl FnOnce(&mut C, Time, &Transaction) -> Result<Time, NvmError>,
    ) -> Result<(), NvmError> {
        let bus = self.bus(action, at, bytes)?;
        self.transact(self.driver.dma_setup, action == Action::Read, &bus, run)
    }

    /// Runs one transaction after `driver` of host work: asks the chip for it once the chip is
    /// ready and the bus has turned, adds its cost to the access and moves the clock to its end.
    #[inline(always)]
    fn transact(
        &mut self,
        driver: Time,
        reads: bool,
        bus: &Transaction,
        run: impl FnOnce(&mut C, Time, &Transaction) -> Result<Time, NvmError>,
    ) -> Result<(), NvmError> {
        self.deselect();
        let turnaround = if reads && self.wrote {
            self.link.turnaround
        } else {
            Time::ZERO
        };
        let issued = after(self.clock.now(), driver)?;
        let start = after(issued, turnaround)?.later(self.chip.ready());
        let end = run(&mut self.chip, start, bus)?;
        self.last.add(Cause::Driver, driver);
        self.last.add(Cause::Recovery, start.since(issued));
        self.last.add(Cause::BusCommand, bus.command);
        self.last.add(Cause::BusData, bus.data);
        self.clock.advance_to(end);
        self.wrote = !reads;
        Ok(())
    }

    /// Asks the chip for its status until it is no longer busy, which it is until `busy_until`. The
    /// chip's own time is counted as `cause`, what asking costs beyond it as polling.
    ///
    /// The questions are evenly spaced, so their number follows from a division: an erase of 150 ms
    /// is not polled seventy thousand times by the simulation.
    #[inline(always)]
    fn wait(&mut self, busy_until: Time, cause: Cause) -> Result<(), NvmError> {
        let bus = self.bare(Action::Status)?;
        let now = self.clock.now();
        let pause = after(self.driver.command, self.driver.poll_interval)?;
        let first = after(after(now, pause)?.later(self.chip.ready()), bus.total())?;
        let missing = self.period.div_ceil(busy_until.since(first).ps());
        let more = missing.saturating_mul(self.period.by());
        let end = after(first, Time::from_ps(more))?;
        self.chip.polled(end);
        let busy = busy_until.since(now);
        self.last.add(cause, busy);
        self.last.add(Cause::Poll, end.since(now.plus(busy)));
        self.clock.advance_to(end);
        Ok(())
    }
}

impl<C: Chip> Accounts for Wired<C> {
    fn clock(&self) -> &SimClock {
        &self.clock
    }

    fn causes(&self) -> &'static [Cause] {
        self.chip.causes()
    }

    fn last_cost(&self) -> &AccessCost {
        self.counted().map_or(&self.last, |vector| vector.cost())
    }

    fn residence(&self) -> Residence {
        let folded = self.folded_chip();
        let chip = folded.as_ref().unwrap_or(&self.chip);
        chip.residence(self.clock.now())
    }

    fn power_draw(&self) -> &PowerDraw {
        self.chip.power_draw()
    }

    fn wear(&self) -> Wear {
        self.chip.wear()
    }

    fn notes(&self) -> &Notes {
        &self.notes
    }
}
