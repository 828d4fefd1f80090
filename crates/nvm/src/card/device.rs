//! A card on a board, as a device of the laboratory.

use std::sync::Arc;

use wordline_core::quantity::{Current, Time};
use wordline_core::{Basis, Figure, Resolver, SimClock};
use wordline_memory::OutOfRange;

use super::bound::blocks;
use super::controller::CardController;
use super::line::DataLine;
use super::sheet::{CardInterface, CardSheet};
use super::store::SectorStore;
use crate::board::{Board, DriverCost};
use crate::bus::sd::{BLOCK_BYTES, CardBusMode, SdCommand};
use crate::bus::{self, Action};
use crate::cost::{AccessCost, Cause};
use crate::device::{CurrentGap, Notes, Wear};
use crate::error::{Misuse, NvmError};
use crate::link::Link;
use crate::model::ChipModel as _;
use crate::parts::parts;
use crate::power::{PowerDraw, PowerMeter, PowerState};
use crate::wired::{Conditions, Named};

/// Far beyond what any card takes to program what it holds: time must not end meanwhile.
const ALONE_MOST: Time = Time::from_ps(3_600_000_000_000_000);

/// The limits that the card's specification gives it, and the times of its firmware.
#[derive(Clone, Copy, Debug)]
pub(super) struct CardLimits {
    /// Busy after each block of a write.
    pub(super) write_busy: Time,
    /// Wait for each block of a read.
    pub(super) read_wait: Time,
    /// Busy with a flush; `None` for a card that has none.
    pub(super) flush: Option<Time>,
    command: Time,
    idle_after: Time,
}

/// How the host marks the end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// By a command behind the last of several blocks: CMD12.
    Stop,
    /// By a count that another command announces right before: CMD23. Any command between the two cancels it
    /// (SD Physical Layer Simplified Specification 4.10, section 4.15; eMMC alike).
    Count,
}

/// What a command costs on the bus. Every access asks, and each answer is a long division.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    block: Time,
    /// Everything but data, of an access of one block and of several.
    overhead: [Time; 2],
    bare: Time,
    /// A byte, in SPI mode.
    byte: Option<Time>,
}

impl Wire {
    fn new(command: &SdCommand) -> Self {
        Self {
            block: command.block(),
            overhead: [command.overhead(1), command.overhead(2)],
            bare: command.bare(),
            byte: (command.form == CardBusMode::Spi).then(|| command.clock.duration_of(8)),
        }
    }

    pub(super) const fn block(&self) -> Time {
        self.block
    }

    pub(super) const fn overhead(&self, blocks: u64) -> Time {
        self.overhead[(blocks > 1) as usize]
    }

    pub(super) const fn bare(&self) -> Time {
        self.bare
    }
}

/// An SD card or an eMMC on a board.
///
/// It is read and written in sectors of 512 bytes. An access that begins or ends within one costs what
/// it costs a driver: the sectors at the ends are read first, and written back with their other bytes.
#[derive(Debug)]
pub struct Card {
    pub(super) controller: CardController,
    pub(super) store: SectorStore,
    pub(super) read: Wire,
    pub(super) write: Wire,
    pub(super) driver: DriverCost,
    /// The most blocks that the driver moves with one command.
    pub(super) command_blocks: u64,
    pub(super) limits: CardLimits,
    pub(super) capacity: u64,
    pub(super) interface: CardInterface,
    pub(super) endurance: u64,
    pub(super) cycles_before: u64,
    pub(super) clock: SimClock,
    pub(super) last: AccessCost,
    /// When the last access ended, in picoseconds.
    ended: u64,
    /// When the controller will be done with what that access left, in picoseconds: until then its buffer has
    /// no room.
    room: u64,
    longest_busy: Time,
    pub(super) meter: PowerMeter,
    pub(super) draw: PowerDraw,
    pub(super) notes: Arc<Notes>,
}

impl Card {
    /// Connects a card to a board.
    ///
    /// # Errors
    /// When rail or bus do not fit, or the translation layer refuses the sheet.
    pub fn connect(
        part: Named<'_, CardSheet>,
        board: Named<'_, Board>,
        conditions: Conditions,
    ) -> Result<Self, NvmError> {
        let Conditions { timing, seed, age } = conditions;
        let sheet = part.sheet;
        let link = sheet.link(board.sheet)?;
        let mut of_board = Resolver::new(timing, seed, board.id);
        let driver = board.sheet.driver_cost(&mut of_board);
        board.sheet.note_link(&link, &mut of_board);
        let host = board.sheet.host_power(&mut of_board);
        let mut of_part = Resolver::new(timing, seed, part.id);
        let [read, write] = [Action::Read, Action::Write].map(|action| command(&link, action));
        let (read, write) = (read?, write?);
        for figure in read.figures() {
            of_part.read(&figure);
        }
        of_part.read("supply");
        let mut currents = Vec::new();
        let endurance = of_part.certain("endurance", &sheet.endurance).count();
        let card = Self {
            controller: CardController::new(sheet, &mut of_part)?,
            store: SectorStore::new(sheet.capacity.nominal().bytes()),
            limits: limits(sheet, &mut of_part),
            capacity: of_part.fixed("capacity", &sheet.capacity).bytes(),
            interface: *sheet.interface.value(),
            endurance,
            cycles_before: Wear::cycles_at_age(endurance, age),
            clock: SimClock::new(),
            last: AccessCost::NONE,
            ended: 0,
            room: 0,
            longest_busy: Time::ZERO,
            meter: PowerMeter::new(),
            draw: power_draw(sheet, &link, &mut of_part, &mut currents),
            notes: Arc::default(),
            read: Wire::new(&read),
            write: Wire::new(&write),
            driver,
            command_blocks: board
                .sheet
                .blocks_per_command(&link)
                .map_or(u64::MAX, u64::from),
        };
        let power_up = sheet.power_up.as_ref();
        let power_up = power_up.map(|figure| of_part.wait("power_up", figure));
        let notes = Notes {
            power_up,
            part: of_part.readings().clone(),
            board: of_board.readings().clone(),
            currents,
            host,
            supply: Some(link.supply),
            wake_up: None,
            assumed_limits: assumed_limits(sheet),
        };
        Ok(Self {
            notes: Arc::new(notes),
            ..card
        })
    }

    /// An independent card in the same state, on a clock of its own.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            controller: self.controller.clone(),
            store: self.store.clone(),
            clock: self.clock.fork(),
            meter: self.meter.clone(),
            notes: Arc::clone(&self.notes),
            ..*self
        }
    }

    /// Takes over all that the sheets of card and board state of times, currents and endurance.
    pub(super) fn take_times(&mut self, other: &Self) {
        let Self {
            read,
            write,
            driver,
            limits,
            endurance,
            draw,
            notes,
            ..
        } = other;
        self.read = *read;
        self.write = *write;
        self.driver = *driver;
        self.limits = *limits;
        self.endurance = *endurance;
        self.draw = *draw;
        self.notes = Arc::clone(notes);
    }

    /// Writes as an eMMC does with its reliable write: the data are programmed when it returns, whatever the cache.
    /// Costs a second command, which announces it and the number of blocks, so that none has to stop it.
    ///
    /// # Errors
    /// When the card is no eMMC, or as [`write`](wordline_memory::ByteMemory::write).
    pub fn write_reliably(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        if self.interface != CardInterface::Emmc {
            return Err(Misuse::NoReliableWrite.into());
        }
        OutOfRange::check(at, data.len() as u64, self.capacity)?;
        self.last = AccessCost::NONE;
        if !data.is_empty() {
            self.write_range(at, data.len() as u64, true, Ending::Count)?;
            self.store.write_bytes(at, data);
        }
        Ok(())
    }

    /// What a host in SPI mode waits between two questions to a busy card; the native bus signals it.
    pub(super) fn question(&self) -> Time {
        let byte = self.write.byte;
        byte.map_or(Time::ZERO, |byte| byte.plus(self.driver.poll_interval))
    }

    /// Lets the host work or the bus move, and books it.
    fn spend(&mut self, cause: Cause, time: Time) {
        self.last.add(cause, time);
        self.clock.advance(time);
    }

    /// Time must not end within an access.
    pub(super) fn check_time(&self, longest: Time) -> Result<(), NvmError> {
        let end = self.clock.now().checked_plus(longest);
        end.map(|_| ()).ok_or(NvmError::TimeExhausted)
    }

    /// Does what the controller did since the last access: what that left, and, after a long enough idle time,
    /// enough, idle work.
    fn catch_up(&mut self) -> Result<(), NvmError> {
        let (now, ended) = (self.clock.now().ps(), self.ended);
        let owed = self.controller.array().now().min(now);
        self.book_own(ended, owed);
        let begin = owed.max(ended.saturating_add(self.limits.idle_after.ps()));
        if begin >= now {
            return Ok(());
        }
        self.controller.array_mut().rest_until(begin);
        while self.controller.array().now() < now && self.controller.idle_step()? {}
        self.book_own(begin, self.controller.array().now().min(now));
        Ok(())
    }

    /// Books the current of work that the card did by itself.
    fn book_own(&mut self, from: u64, until: u64) {
        if until > from {
            let [from, until] = [from, until].map(Time::from_ps);
            self.meter.book(PowerState::Write, from, until);
        }
    }

    /// The host's part of an access, up to the first block. Returns the instant, in picoseconds.
    fn open(&mut self, wire: Wire, blocks: u64, ending: Ending) -> Result<u64, NvmError> {
        let (driver, bus) = match ending {
            Ending::Stop if blocks > 1 => (self.driver.command, wire.overhead(blocks)),
            Ending::Stop => (Time::ZERO, wire.overhead(1)),
            Ending::Count => (self.driver.command, wire.bare().plus(wire.overhead(1))),
        };
        self.spend(Cause::Driver, self.driver.dma_setup.plus(driver));
        self.catch_up()?;
        self.spend(Cause::BusCommand, bus);
        let start = self.begin();
        let firmware = self.limits.command.ps();
        self.controller.array_mut().spend(Cause::Firmware, firmware);
        Ok(start)
    }

    /// Ends an access that began to move data at `start`: `data` of time on the bus, and the wait for the
    /// card until `end`, which is cut at `limit`. What the card has left to do then delays the next.
    fn close(&mut self, state: PowerState, start: u64, data: Time, end: u64, limit: Time) {
        let stall = end.saturating_sub(start.saturating_add(data.ps()));
        let paid = stall.min(limit.ps());
        let array = self.controller.array_mut();
        self.room = array.now();
        let left = array.now().max(end).saturating_sub(end - (stall - paid));
        array.ledger.keep(paid.saturating_add(left));
        array.ledger.pay(paid, &mut self.last);
        self.spend_silently(data, paid);
        let question = self.question().ps();
        if question > 0 && paid > 0 {
            let late = paid.next_multiple_of(question) - paid;
            self.spend(Cause::Poll, Time::from_ps(late));
        }
        let now = self.clock.now();
        self.meter.book(state, Time::from_ps(start), now);
        self.ended = now.ps();
    }

    fn spend_silently(&mut self, data: Time, paid: u64) {
        self.last.add(Cause::BusData, data);
        self.clock.advance(data.plus(Time::from_ps(paid)));
    }

    /// Reads sectors, with as many commands as the driver needs.
    pub(super) fn fetch(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        for (at, bytes) in self.commands(at, bytes) {
            self.fetch_at_once(at, bytes)?;
        }
        Ok(())
    }

    /// Reads sectors by one command: the array fetches the next page while the bus moves the one before.
    fn fetch_at_once(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        let count = blocks(at, bytes);
        let start = self.open(self.read, count, Ending::Stop)?;
        let block = self.read.block().ps();
        let mut bus_free = start;
        for (page, first, sectors) in self.pages(at, bytes) {
            self.controller.read(page, first, sectors)?;
            let ready = self.controller.array().now();
            bus_free = bus_free.max(ready) + block * u64::from(sectors);
        }
        let data = Time::from_ps(block * count);
        let limit = times(self.limits.read_wait, count);
        self.close(PowerState::Read, start, data, bus_free, limit);
        Ok(())
    }

    /// Writes sectors by one command: the bus fills one buffer while the controller empties the one before, and blocks for which
    /// there is no room yet are held up.
    fn send(&mut self, at: u64, bytes: u64, through: bool, ending: Ending) -> Result<(), NvmError> {
        let count = blocks(at, bytes);
        let start = self.open(self.write, count, ending)?;
        let (block, limit) = (self.write.block().ps(), self.limits.write_busy.ps());
        let mut line = DataLine::new(start, block, limit);
        let mut room = self.room;
        for (page, first, sectors) in self.pages(at, bytes) {
            let arrived = line.send(u64::from(sectors), room);
            room = self.controller.array().now();
            self.controller.array_mut().rest_until(arrived);
            self.controller.write(page, first, sectors, through)?;
        }
        self.controller.end_write();
        if through {
            self.controller.array_mut().wait_for_host();
        }
        let done = self.controller.array().now();
        line.end(done);
        self.longest_busy = self.longest_busy.later(Time::from_ps(line.longest()));
        let (data, busy) = (line.data(), Time::from_ps(line.busy()));
        let end = done.max(start + data + line.busy());
        self.close(PowerState::Write, start, Time::from_ps(data), end, busy);
        Ok(())
    }

    /// The longest that the card was busy in one piece after a block of a write, since it was connected: what the
    /// time-out of its host has to allow.
    #[must_use]
    pub const fn longest_busy(&self) -> Time {
        self.longest_busy
    }

    /// Makes what was written safe: by the command that flushes the cache, or without one by leaving the card alone.
    pub(super) fn flush(&mut self) -> Result<(), NvmError> {
        let Some(limit) = self.limits.flush else {
            return self.leave_alone();
        };
        self.check_time(self.longest_flush()?)?;
        self.spend(Cause::Driver, self.driver.command);
        self.catch_up()?;
        self.spend(Cause::BusCommand, self.write.bare());
        let start = self.begin();
        self.controller.flush()?;
        let end = self.controller.array().now();
        self.close(PowerState::Write, start, Time::ZERO, end, limit);
        Ok(())
    }

    /// Waits until the idle card has programmed what it holds: from when on it does so by
    /// itself, the host can only know. A card that holds nothing is not waited for.
    fn leave_alone(&mut self) -> Result<(), NvmError> {
        if self.controller.writes_through() {
            return Ok(());
        }
        self.check_time(ALONE_MOST)?;
        self.catch_up()?;
        let now = self.clock.now().ps();
        let idle = self.ended.saturating_add(self.limits.idle_after.ps());
        if self.controller.holds_pages() {
            let wait = idle.max(self.controller.array().now()).saturating_sub(now);
            self.spend(Cause::Firmware, Time::from_ps(wait));
        }
        let start = self.begin();
        self.controller.flush()?;
        let end = self.controller.array().now();
        self.close(PowerState::Write, start, Time::ZERO, end, ALONE_MOST);
        Ok(())
    }

    /// The controller turns to the access, after what the one before left it to do.
    fn begin(&mut self) -> u64 {
        let start = self.clock.now().ps();
        let array = self.controller.array_mut();
        let late = array.now().saturating_sub(start);
        array.ledger.keep(late);
        array.rest_until(start);
        start
    }

    /// Takes a range from the host, whose content the caller stores.
    pub(super) fn write_range(
        &mut self,
        at: u64,
        bytes: u64,
        through: bool,
        ending: Ending,
    ) -> Result<(), NvmError> {
        self.check_time(self.longest_write(at, bytes)?)?;
        for edge in edges(at, bytes) {
            self.fetch(edge * BLOCK_BYTES, BLOCK_BYTES)?;
        }
        let through = through || self.controller.writes_through();
        for (at, bytes) in self.commands(at, bytes) {
            self.send(at, bytes, through, ending)?;
        }
        Ok(())
    }

    /// The parts of a range that each have a command: place and bytes.
    fn commands(&self, at: u64, bytes: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
        let most = self.command_blocks.saturating_mul(BLOCK_BYTES);
        let end = at + bytes;
        let mut from = at;
        let mut until = (at / BLOCK_BYTES * BLOCK_BYTES).saturating_add(most);
        std::iter::from_fn(move || {
            let part = (from, until.min(end) - from);
            from = part.0 + part.1;
            until = until.saturating_add(most);
            (part.1 > 0).then_some(part)
        })
    }

    /// The pages of a range: page, first sector in it, and sectors. Sheets have fewer pages than a 32-bit number counts.
    fn pages(&self, at: u64, bytes: u64) -> impl Iterator<Item = (u32, u32, u32)> + use<> {
        let per_page = self.controller.page_sectors() as usize;
        let pages = parts(at / BLOCK_BYTES, blocks(at, bytes) as usize, per_page);
        pages.map(|(page, first, sectors)| (page as u32, first as u32, sectors.len() as u32))
    }
}

/// Sectors at the ends of a range that it covers in part.
pub(super) fn edges(at: u64, bytes: u64) -> Vec<u64> {
    let end = at + bytes;
    let (first, last) = (at / BLOCK_BYTES, end / BLOCK_BYTES);
    let mut edges = Vec::new();
    if !at.is_multiple_of(BLOCK_BYTES) {
        edges.push(first);
    }
    if !end.is_multiple_of(BLOCK_BYTES) && !edges.contains(&last) {
        edges.push(last);
    }
    edges
}

const fn times(time: Time, count: u64) -> Time {
    Time::from_ps(time.ps().saturating_mul(count))
}

fn command(link: &Link, action: Action) -> Result<SdCommand, NvmError> {
    match link.command(action) {
        Some(bus::BusCommand::Card(command)) => Ok(command.clone()),
        _ => Err(NvmError::Unsupported(action)),
    }
}

fn limits(sheet: &CardSheet, resolver: &mut Resolver) -> CardLimits {
    let flush = sheet.flush_busy.as_ref();
    CardLimits {
        write_busy: resolver.wait("write_busy", &sheet.write_busy),
        read_wait: resolver.wait("read_wait", &sheet.read_wait),
        flush: flush.map(|figure| resolver.wait("flush_busy", figure)),
        command: resolver.resolve("command_time", &sheet.command_time),
        idle_after: resolver.fixed("controller.idle_after", &sheet.controller.idle_after),
    }
}

/// Limits that no data sheet and no specification gives.
fn assumed_limits(sheet: &CardSheet) -> Vec<&'static str> {
    let of = [
        ("write_busy", &sheet.write_busy),
        ("read_wait", &sheet.read_wait),
    ];
    let firm = |figure: &Figure<Time>| {
        let basis = figure.provenance().basis;
        matches!(basis, Basis::Datasheet | Basis::Published)
    };
    let open = of.into_iter().filter(|(_, figure)| !firm(figure));
    open.map(|(name, _)| name).collect()
}

fn power_draw(
    sheet: &CardSheet,
    link: &Link,
    resolver: &mut Resolver,
    gaps: &mut Vec<CurrentGap>,
) -> PowerDraw {
    let mut current = |state: PowerState, name, figure: &Option<Figure<Current>>| {
        let Some(figure) = figure else {
            gaps.push(CurrentGap::Unknown {
                action: state.name(),
            });
            return None;
        };
        Some(resolver.resolve(name, figure))
    };
    PowerDraw {
        voltage: link.voltage,
        current: PowerState::ALL.map(|state| match state {
            PowerState::Standby => current(state, "standby", &sheet.standby),
            PowerState::Read => current(state, "read_current", &sheet.read_current),
            PowerState::Write => current(state, "write_current", &sheet.write_current),
            _ => None,
        }),
    }
}
