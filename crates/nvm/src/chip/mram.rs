//! Serial MRAM that is read and written byte by byte, with no erase: spin-transfer-torque parts
//! such as the Everspin EMxxLX.
//!
//! The array keeps up with the bus: a transaction lasts as long as its clocks, and the chip is
//! ready for the next one when chip select has been high for the time that the sheet asks for.
//! Every access to a 32-byte unit within one transaction counts as one endurance cycle.

use std::sync::Arc;

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, Current, Cycles, Frequency, Time, Voltage};
use wordline_core::{Figure, Resolver};
use wordline_memory::OutOfRange;

use crate::board::Board;
use crate::bus::serial::{Action, Command, Opcode, Protocol, Transaction, TransferRate};
use crate::chip::parallel_mram::ParallelMramSheet;
use crate::cost::Cause;
use crate::device::{CurrentGap, Wear};
use crate::error::{Misuse, NvmError};
use crate::link::{Link, LinkError};
use crate::pages::{Pages, spans};
use crate::power::{PowerDraw, PowerMeter, PowerState, Residence};
use crate::problem::{Problem, Problems};
use crate::wired::Chip;

/// The sheet of a serial MRAM.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "mram")]
pub struct MramSheet {
    /// Capacity.
    pub capacity: Figure<ByteCount>,
    /// Unit whose writes the endurance counts.
    pub wear_unit: Figure<ByteCount>,
    /// Writes that each unit stands.
    pub endurance: Figure<Cycles>,
    /// Unit that the internal error correction reads and writes whole. A power cut leaves whole
    /// units old or new; a torn unit is lost with its neighbours inside the unit.
    pub ecc_unit: Figure<ByteCount>,
    /// Supply range.
    pub supply: Figure<Voltage>,
    /// How long the host must wait after power on, or out of deep power-down, before the first
    /// command.
    pub wake_up: Figure<Time>,
    /// How long the host must wait after a deep power-down command.
    pub sleep_entry: Figure<Time>,
    /// How long chip select must stay high after a read.
    pub deselect_after_read: Figure<Time>,
    /// How long chip select must stay high after any other command.
    pub deselect_after_write: Figure<Time>,
    /// How long chip select must stay high in octal protocols, after any command.
    pub deselect_octal: Option<Figure<Time>>,
    /// Supply current in standby.
    pub standby: Figure<Current>,
    /// Supply current in deep power-down.
    pub deep_power_down: Figure<Current>,
    /// Supply currents while data move, each at the conditions of its test.
    pub active: Vec<ActiveCurrent>,
    /// The commands that the model uses.
    pub opcode: Vec<Opcode>,
}

/// A supply current while data move, with the conditions at which the sheet states it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActiveCurrent {
    /// What the chip does.
    pub action: Action,
    /// Transfer rate of the data during the test.
    pub rate: TransferRate,
    /// Bus clock during the test.
    pub clock: Frequency,
    /// The current.
    pub current: Figure<Current>,
}

impl ActiveCurrent {
    /// How the figure is named: by its test conditions.
    #[must_use]
    pub fn label(&self) -> String {
        format!(
            "active[{} {} {}].current",
            self.action, self.rate, self.clock
        )
    }
}

impl MramSheet {
    /// What a board must be able to do with the chip.
    const REQUIRED: [Action; 3] = [Action::Read, Action::Write, Action::WriteEnable];

    /// How the chip connects to a board.
    ///
    /// # Errors
    /// When rail or bus mode do not fit; the message names both sides.
    pub fn link(&self, board: &Board) -> Result<Link, LinkError> {
        Link::new(board, &self.supply, &self.opcode, &Self::REQUIRED)
    }

    /// What contradicts itself or physics in the sheet.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        problems.geometry(&self.capacity, &self.wear_unit, &self.ecc_unit);
        problems.positive("endurance", &self.endurance);
        problems.positive("supply", &self.supply);
        for (path, figure) in [
            ("wake_up", &self.wake_up),
            ("sleep_entry", &self.sleep_entry),
            ("deselect_after_read", &self.deselect_after_read),
            ("deselect_after_write", &self.deselect_after_write),
        ] {
            problems.ordered(path, figure);
        }
        if let Some(figure) = &self.deselect_octal {
            problems.ordered("deselect_octal", figure);
        }
        problems.ordered("standby", &self.standby);
        problems.ordered("deep_power_down", &self.deep_power_down);
        for (index, active) in self.active.iter().enumerate() {
            let path = format!("active.{index}");
            problems.positive(&format!("{path}.current"), &active.current);
            if !active.action.moves_data() {
                problems.add(&format!("{path}.action"), "allowed: read, write");
            }
            if active.clock.hz() == 0 {
                problems.add(&format!("{path}.clock"), "the clock must be above zero");
            }
        }
        self.check_opcodes(&mut problems);
        problems.list
    }

    fn check_opcodes(&self, problems: &mut Problems) {
        let capacity = self.capacity.nominal().bytes();
        for (index, opcode) in self.opcode.iter().enumerate() {
            let path = format!("opcode.{index}");
            problems.limit(&format!("{path}.clock"), &opcode.clock);
            if !matches!(opcode.granule, 1 | 2 | 4 | 8) {
                problems.add(&format!("{path}.granule"), "allowed: 1, 2, 4 or 8 bytes");
            } else if !capacity.is_multiple_of(u64::from(opcode.granule)) {
                problems.add(
                    &format!("{path}.granule"),
                    format!(
                        "the capacity {} is no multiple of it",
                        self.capacity.nominal()
                    ),
                );
            }
            let bytes = opcode.address_bytes;
            let allowed = if opcode.action.moves_data() {
                1..=8
            } else {
                0..=0
            };
            if !allowed.contains(&bytes) {
                problems.add(
                    &format!("{path}.address_bytes"),
                    "allowed: 1 to 8 for read and write, 0 for other actions",
                );
            } else if bytes > 0 && u128::from(capacity) > 1 << (8 * bytes) {
                problems.add(
                    &format!("{path}.address_bytes"),
                    format!("{bytes} bytes do not reach {}", self.capacity.nominal()),
                );
            }
        }
        for action in Self::REQUIRED {
            if !self.opcode.iter().any(|opcode| opcode.action == action) {
                problems.add("opcode", format!("there is no opcode with action {action}"));
            }
        }
    }

    /// The current for a command: of the sheet's test conditions with the same action and rate,
    /// the lowest clock that is not below the command's, else the highest clock. It is used as
    /// stated, not scaled, so that a slower bus is never flattered; a faster one is, and the device
    /// notes it.
    fn current_for(&self, command: &Command) -> Option<&ActiveCurrent> {
        let opcode = &command.opcode;
        let fitting = || {
            self.active.iter().filter(|active| {
                active.action == opcode.action && active.rate == opcode.mode.data.rate
            })
        };
        fitting()
            .filter(|active| active.clock >= command.clock)
            .min_by_key(|active| active.clock)
            .or_else(|| fitting().max_by_key(|active| active.clock))
    }
}

/// Bytes of one copy-on-write page.
pub(crate) const PAGE_BYTES: usize = 4096;

/// One page of the array with the wear of its units.
#[derive(Clone, Debug)]
struct Page {
    bytes: Box<[u8; PAGE_BYTES]>,
    writes: Vec<u64>,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            bytes: Box::new([0; PAGE_BYTES]),
            writes: Vec::new(),
        }
    }
}

/// What a chip needs of its sheet, for one timing class and one link.
#[derive(Debug)]
struct Spec {
    capacity: u64,
    wear_unit: u64,
    atom: usize,
    endurance: u64,
    wake_up: Time,
    sleep_entry: Time,
    deselect_after_read: Time,
    deselect_after_write: Time,
    draw: PowerDraw,
}

/// A serial MRAM chip: its bytes, its wear and its account of energy. A clone is an independent
/// chip with the same content, made in microseconds.
#[derive(Clone, Debug)]
pub struct Mram {
    spec: Arc<Spec>,
    pages: Pages<Page>,
    meter: PowerMeter,
    ready: Time,
    write_enabled: bool,
    asleep: bool,
    cycles_before: u64,
}

impl Mram {
    /// A chip that was just supplied with power. `age` is the fraction of its endurance, 0 to 1,
    /// that every unit has used. The array holds zeros.
    #[must_use]
    ///
    /// Returned with it is what the sheet does not say of the currents on this link.
    pub fn new(
        sheet: &MramSheet,
        link: &Link,
        resolver: &mut Resolver,
        age: f64,
    ) -> (Self, Vec<CurrentGap>) {
        let mut gaps = Vec::new();
        let spec = Spec::new(sheet, link, resolver, &mut gaps);
        let chip = Self::with(spec, age);
        (chip, gaps)
    }

    /// A parallel chip that was just supplied with power; it needs no write-enable command, and no
    /// pause between accesses beyond what its bus leaves.
    pub(crate) fn parallel(
        sheet: &ParallelMramSheet,
        voltage: Voltage,
        resolver: &mut Resolver,
        age: f64,
    ) -> (Self, Vec<CurrentGap>) {
        let mut gaps = Vec::new();
        let spec = Spec::parallel(sheet, voltage, resolver, &mut gaps);
        let chip = Self {
            write_enabled: true,
            ..Self::with(spec, age)
        };
        (chip, gaps)
    }

    fn with(spec: Spec, age: f64) -> Self {
        let pages = spec.capacity.div_ceil(PAGE_BYTES as u64) as usize;
        Self {
            pages: Pages::new(pages),
            meter: PowerMeter::new(),
            ready: spec.wake_up,
            write_enabled: false,
            asleep: false,
            cycles_before: match spec.endurance {
                Wear::UNLIMITED => 0,
                endurance => (endurance as f64 * age.clamp(0.0, 1.0)).round() as u64,
            },
            spec: Arc::new(spec),
        }
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

    /// Whether a write-enable command has arrived since power-up. It stays in force.
    #[must_use]
    pub const fn write_enabled(&self) -> bool {
        self.write_enabled
    }

    /// Permits writes. The command is on the bus from `start`, which must not be before
    /// [`ready`](Self::ready); returns when it has ended.
    ///
    /// # Errors
    /// When the chip is not ready.
    pub fn write_enable(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        // The sheet states no current for single commands: they count as standby.
        let end = self.begin(start, bus, self.spec.deselect_after_write)?;
        self.write_enabled = true;
        Ok(end)
    }

    /// Reads from `at` into `out`, on the bus from `start`; returns when the last clock has ended.
    ///
    /// # Errors
    /// When the range leaves the array, or the chip is not ready.
    pub fn read(
        &mut self,
        start: Time,
        bus: &Transaction,
        at: u64,
        out: &mut [u8],
    ) -> Result<Time, NvmError> {
        OutOfRange::check(at, out.len() as u64, self.spec.capacity)?;
        let end = self.begin(start, bus, self.spec.deselect_after_read)?;
        self.copy_out(at, out);
        self.meter.book(PowerState::Read, start, end);
        Ok(end)
    }

    /// Writes `data` at `at`, on the bus from `start`; returns when the last clock has ended.
    ///
    /// # Errors
    /// When the range leaves the array, the chip is not ready, or writes are not enabled. Nothing
    /// is written then.
    pub fn write(
        &mut self,
        start: Time,
        bus: &Transaction,
        at: u64,
        data: &[u8],
    ) -> Result<Time, NvmError> {
        OutOfRange::check(at, data.len() as u64, self.spec.capacity)?;
        if !self.write_enabled {
            return Err(Misuse::WriteNotEnabled.into());
        }
        let end = self.begin(start, bus, self.spec.deselect_after_write)?;
        self.store(at, data);
        self.meter.book(PowerState::Write, start, end);
        Ok(end)
    }

    /// Enters deep power-down. The command is on the bus from `start`; returns when it has ended.
    /// The chip sleeps, and can be woken, once the sheet's entry time has passed as well. Content
    /// is kept.
    ///
    /// # Errors
    /// When the chip is not ready, or sleeps already.
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
        self.asleep = false;
        let end = self.begin(start, bus, self.spec.wake_up)?;
        self.meter.idle_in(PowerState::Standby, end);
        Ok(end)
    }

    /// Stores bytes without time, energy or wear: the content that a test starts from.
    ///
    /// # Errors
    /// When the range leaves the array.
    pub fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.spec.capacity)?;
        for (page, inside, part) in spans(at, data.len(), PAGE_BYTES) {
            self.pages.get_mut(page).bytes[inside].copy_from_slice(&data[part]);
        }
        Ok(())
    }

    /// Endurance cycles that the unit at an address has used, the chip's age included; `None`
    /// outside the array.
    #[must_use]
    pub fn cycles_at(&self, at: u64) -> Option<u64> {
        OutOfRange::check(at, 1, self.spec.capacity).ok()?;
        let unit = at as usize % PAGE_BYTES / self.spec.wear_unit as usize;
        let page = self.pages.get(at as usize / PAGE_BYTES);
        let writes = page.and_then(|page| page.writes.get(unit)).copied();
        Some(self.cycles_before.saturating_add(writes.unwrap_or(0)))
    }

    /// Checks that a command may begin, keeps the chip busy for it and for the recovery that
    /// follows, and returns when it leaves the bus.
    fn begin(&mut self, start: Time, bus: &Transaction, recovery: Time) -> Result<Time, NvmError> {
        if self.asleep {
            return Err(Misuse::Asleep.into());
        }
        if start < self.ready {
            return Err(Misuse::NotReady {
                start,
                ready: self.ready,
            }
            .into());
        }
        let end = start
            .checked_plus(bus.total())
            .ok_or(NvmError::TimeExhausted)?;
        self.ready = end.checked_plus(recovery).ok_or(NvmError::TimeExhausted)?;
        Ok(end)
    }

    fn copy_out(&self, at: u64, out: &mut [u8]) {
        for (page, inside, part) in spans(at, out.len(), PAGE_BYTES) {
            match self.pages.get(page) {
                Some(page) => out[part].copy_from_slice(&page.bytes[inside]),
                None => out[part].fill(0),
            }
        }
    }

    fn store(&mut self, at: u64, data: &[u8]) {
        let unit = self.spec.wear_unit as usize;
        for (page, inside, part) in spans(at, data.len(), PAGE_BYTES) {
            let page = self.pages.get_mut(page);
            page.bytes[inside.clone()].copy_from_slice(&data[part]);
            page.writes.resize(PAGE_BYTES / unit, 0);
            for writes in &mut page.writes[inside.start / unit..inside.end.div_ceil(unit)] {
                *writes += 1;
            }
        }
    }
}

impl Chip for Mram {
    const CAUSES: &'static [Cause] = &[
        Cause::Driver,
        Cause::BusCommand,
        Cause::BusData,
        Cause::Recovery,
        Cause::ArrayRead,
    ];

    fn wear(&self) -> Wear {
        let (mut most, mut sum, mut units) = (0, 0u128, 0u64);
        for &writes in self.pages.written().flat_map(|page| &page.writes) {
            most = most.max(writes);
            sum += u128::from(writes);
            units += u64::from(writes > 0);
        }
        Wear {
            endurance: self.spec.endurance,
            before: self.cycles_before,
            most,
            mean: if units == 0 {
                0.0
            } else {
                sum as f64 / units as f64
            },
            units,
            unit_bytes: self.spec.wear_unit,
        }
    }

    fn ready(&self) -> Time {
        self.ready
    }

    fn polled(&mut self, end: Time) {
        self.ready = self.ready.later(end);
    }

    fn residence(&self, instant: Time) -> Residence {
        self.meter.residence(instant)
    }

    fn power_draw(&self) -> &PowerDraw {
        &self.spec.draw
    }
}

impl Spec {
    fn parallel(
        sheet: &ParallelMramSheet,
        voltage: Voltage,
        resolver: &mut Resolver,
        gaps: &mut Vec<CurrentGap>,
    ) -> Self {
        for figure in ["supply", "width_bits", "read_access", "write_pulse"] {
            resolver.read(figure);
        }
        let mut current = |name: &'static str, figure: &Option<Figure<Current>>| match figure {
            Some(figure) => Some(resolver.resolve(name, figure)),
            None => {
                gaps.push(CurrentGap::Unknown {
                    action: name.strip_suffix("_current").unwrap_or(name),
                });
                None
            }
        };
        let standby = current("standby", &sheet.standby);
        let read = current("read_current", &sheet.read_current);
        let write = current("write_current", &sheet.write_current);
        Self {
            capacity: resolver.fixed("capacity", &sheet.capacity).bytes(),
            wear_unit: resolver.fixed("wear_unit", &sheet.wear_unit).bytes(),
            atom: resolver.fixed("ecc_unit", &sheet.ecc_unit).bytes() as usize,
            endurance: match &sheet.endurance {
                Some(endurance) => resolver.certain("endurance", endurance).count(),
                None => {
                    resolver.read("endurance_unlimited");
                    Wear::UNLIMITED
                }
            },
            wake_up: resolver.wait("wake_up", &sheet.wake_up),
            sleep_entry: Time::ZERO,
            deselect_after_read: Time::ZERO,
            deselect_after_write: Time::ZERO,
            draw: PowerDraw {
                voltage,
                current: PowerState::ALL.map(|state| match state {
                    PowerState::Standby => standby,
                    PowerState::Read => read,
                    PowerState::Write => write,
                    PowerState::DeepPowerDown | PowerState::Erase => None,
                }),
            },
        }
    }

    fn new(
        sheet: &MramSheet,
        link: &Link,
        resolver: &mut Resolver,
        gaps: &mut Vec<CurrentGap>,
    ) -> Self {
        resolver.read("supply");
        for action in MramSheet::REQUIRED {
            let Some(command) = link.command(action) else {
                continue;
            };
            let label = command.opcode.label();
            resolver.read(&label);
            resolver.read(&format!("{label}.clock"));
        }
        let (after_read, after_write) = match &sheet.deselect_octal {
            Some(octal) if link.protocol == Protocol::OctalDtr => {
                let pause = resolver.wait("deselect_octal", octal);
                (pause, pause)
            }
            _ => (
                resolver.wait("deselect_after_read", &sheet.deselect_after_read),
                resolver.wait("deselect_after_write", &sheet.deselect_after_write),
            ),
        };
        Self {
            capacity: resolver.fixed("capacity", &sheet.capacity).bytes(),
            wear_unit: resolver.fixed("wear_unit", &sheet.wear_unit).bytes(),
            atom: resolver.fixed("ecc_unit", &sheet.ecc_unit).bytes() as usize,
            endurance: resolver.certain("endurance", &sheet.endurance).count(),
            wake_up: resolver.wait("wake_up", &sheet.wake_up),
            sleep_entry: resolver.wait("sleep_entry", &sheet.sleep_entry),
            deselect_after_read: after_read,
            deselect_after_write: after_write,
            draw: power_draw(sheet, link, resolver, gaps),
        }
    }
}

fn power_draw(
    sheet: &MramSheet,
    link: &Link,
    resolver: &mut Resolver,
    gaps: &mut Vec<CurrentGap>,
) -> PowerDraw {
    let mut active = |action: Action, resolver: &mut Resolver| {
        let command = link.command(action)?;
        let Some(active) = sheet.current_for(command) else {
            gaps.push(CurrentGap::Unknown {
                action: action.name(),
            });
            return None;
        };
        if active.clock < command.clock {
            gaps.push(CurrentGap::Faster {
                figure: active.label(),
                clock: command.clock.to_string(),
            });
        }
        Some(resolver.resolve(&active.label(), &active.current))
    };
    PowerDraw {
        voltage: link.voltage,
        current: PowerState::ALL.map(|state| match state {
            PowerState::Standby => Some(resolver.resolve("standby", &sheet.standby)),
            PowerState::DeepPowerDown => {
                Some(resolver.resolve("deep_power_down", &sheet.deep_power_down))
            }
            PowerState::Read => active(Action::Read, resolver),
            PowerState::Write => active(Action::Write, resolver),
            PowerState::Erase => None,
        }),
    }
}

#[cfg(test)]
#[path = "mram_tests.rs"]
mod tests;
