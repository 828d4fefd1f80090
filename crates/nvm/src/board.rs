//! Boards: the host beside a chip, with its rails, its bus and what its driver costs.

use serde::Deserialize;
use wordline_core::quantity::{
    ByteCount, Current, Cycles, Frequency, Power, Quantity, Time, Voltage,
};
use wordline_core::{Figure, Resolver, Sourced};

use crate::bus::BusCommand;
use crate::bus::ddr::DdrBus;
use crate::bus::parallel::ParallelBus;
use crate::bus::sd::{CardBusMode, SdBus};
use crate::bus::serial::{SerialBus, TransferRate};
use crate::cost::{AccessCost, Cause};
use crate::link::Link;
use crate::problem::{Problem, Problems};
use crate::processor::Processor;

/// The sheet of a board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Clock of the processor that runs the driver.
    pub core_clock: Figure<Frequency>,
    /// Supply rails that a memory can be connected to.
    pub rail: Vec<Rail>,
    /// Voltage of the host's pins on the memory's bus, where it is known.
    pub io_voltage: Option<Figure<Voltage>>,
    /// The serial memory bus, where there is one.
    pub serial: Option<SerialBus>,
    /// The parallel memory bus, where there is one.
    pub parallel: Option<ParallelBus>,
    /// The SD bus, where there is one.
    pub sd: Option<SdBus>,
    /// The DDR memory bus, where there is one.
    pub ddr: Option<DdrBus>,
    /// What the driver costs.
    pub driver: Driver,
    /// What the host itself draws, where that is known.
    pub host: Option<Host>,
    /// What software takes on its processor, where that is known.
    pub cpu: Option<Processor>,
}

/// What the host draws while it drives the memory.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Its supply voltage.
    pub supply: Figure<Voltage>,
    /// Supply current while the processor runs.
    pub run_current: Figure<Current>,
    /// Supply current while the processor sleeps and its peripherals work.
    pub sleep_current: Figure<Current>,
    /// Whether the processor sleeps while data move; it does not where it moves them itself.
    pub sleeps_in_transfers: Sourced<bool>,
    /// Peak power, for readers of the sheet.
    pub power: Option<Figure<Power>>,
    /// Cores of the processor, for readers of the sheet.
    pub cores: Option<Sourced<u32>>,
    /// RAM that a program can use, for readers of the sheet.
    pub ram: Option<Figure<ByteCount>>,
}

/// What the host draws, for a timing class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostPower {
    /// Its supply voltage.
    pub supply: Voltage,
    /// While the processor runs.
    pub run: Current,
    /// While it sleeps.
    pub sleep: Current,
    /// Whether it sleeps while data move.
    pub sleeps_in_transfers: bool,
}

impl HostPower {
    /// Energy of the host, in joules, over accesses that took `cost`. The processor runs its driver,
    /// sends commands and polls; it sleeps while data move, if it does.
    #[must_use]
    pub fn energy_j(&self, cost: &AccessCost) -> f64 {
        let asleep = if self.sleeps_in_transfers {
            cost.of(Cause::BusData)
        } else {
            Time::ZERO
        };
        let awake = cost.total().since(asleep);
        let charge = self.run.si() * awake.si() + self.sleep.si() * asleep.si();
        self.supply.si() * charge
    }
}

/// A supply rail.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rail {
    /// Its name on the board.
    pub name: String,
    /// Its voltage.
    pub voltage: Figure<Voltage>,
    /// What users should know before they trust results of a memory on this rail.
    pub caution: Option<String>,
}

/// What the driver costs, in cycles of the processor, so that a faster processor pays less time.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// One access with data: driver code, DMA set-up, start and completion.
    pub dma_setup: Figure<Cycles>,
    /// One command without data, sent by the processor.
    pub command: Figure<Cycles>,
    /// Pause between two questions to a busy chip for its status; each question costs a command.
    pub poll_interval: Figure<Time>,
}

/// A driver's cost as time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverCost {
    /// One access with data.
    pub dma_setup: Time,
    /// One command without data.
    pub command: Time,
    /// Pause between two questions to a busy chip.
    pub poll_interval: Time,
}

impl Board {
    /// The driver's cost for a timing class.
    pub fn driver_cost(&self, resolver: &mut Resolver) -> DriverCost {
        let clock = resolver.fixed("core_clock", &self.core_clock);
        let mut cost = |name, figure: &Figure<Cycles>| {
            clock.duration_of(resolver.resolve(name, figure).count())
        };
        DriverCost {
            dma_setup: cost("driver.dma_setup", &self.driver.dma_setup),
            command: cost("driver.command", &self.driver.command),
            poll_interval: resolver.wait("driver.poll_interval", &self.driver.poll_interval),
        }
    }

    /// What the host draws, for a timing class; `None` where the sheet does not say.
    pub fn host_power(&self, resolver: &mut Resolver) -> Option<HostPower> {
        let host = self.host.as_ref()?;
        resolver.read("host.sleeps_in_transfers");
        Some(HostPower {
            supply: resolver.fixed("host.supply", &host.supply),
            run: resolver.resolve("host.run_current", &host.run_current),
            sleep: resolver.resolve("host.sleep_current", &host.sleep_current),
            sleeps_in_transfers: *host.sleeps_in_transfers.value(),
        })
    }

    /// Notes the figures that a link rests on.
    pub(crate) fn note_link(&self, link: &Link, resolver: &mut Resolver) {
        resolver.read(&format!("rail[{}].voltage", link.rail));
        let figures: &[&str] = match link.commands().first() {
            Some(BusCommand::Parallel(_)) => &ParallelBus::FIGURES,
            Some(BusCommand::Ddr(_)) => &DdrBus::FIGURES,
            Some(BusCommand::Card(command)) if command.form == CardBusMode::Spi => {
                &["serial.kernel_clock", "serial.modes", "serial.clock_str"]
            }
            Some(BusCommand::Card(_)) => &["sd.width_bits", "sd.clock"],
            Some(BusCommand::Serial(_)) | None => &["serial.kernel_clock", "serial.modes"],
        };
        for figure in figures {
            resolver.read(figure);
        }
        if self.blocks_per_command(link).is_some() {
            resolver.read("sd.blocks_per_command");
        }
        for rate in link.commands().iter().filter_map(BusCommand::rate) {
            resolver.read(match rate {
                TransferRate::Str => "serial.clock_str",
                TransferRate::Dtr => "serial.clock_dtr",
            });
        }
    }

    /// The most blocks that the driver of a card moves with one command, where it has such a limit.
    pub(crate) fn blocks_per_command(&self, link: &Link) -> Option<u32> {
        let native = |command: &BusCommand| matches!(command, BusCommand::Card(command) if command.form != CardBusMode::Spi);
        let bus = self
            .sd
            .as_ref()
            .filter(|_| link.commands().iter().any(native))?;
        bus.blocks_per_command.as_ref().map(|most| *most.value())
    }

    /// The memory buses of the board, for messages.
    pub(crate) fn bus_names(&self) -> &'static str {
        match (&self.serial, &self.parallel) {
            (Some(_), Some(_)) => "serial and parallel",
            (Some(_), None) => "serial",
            (None, Some(_)) => "parallel",
            (None, None) if self.ddr.is_some() => "DDR",
            (None, None) if self.sd.is_some() => "SD",
            (None, None) => "none",
        }
    }

    /// The first rail whose voltage lies within a chip's supply range.
    #[must_use]
    pub fn rail_for(&self, supply: &Figure<Voltage>) -> Option<&Rail> {
        let low = supply.min().unwrap_or_else(|| supply.nominal()).si();
        let high = supply.max().unwrap_or_else(|| supply.nominal()).si();
        self.rail
            .iter()
            .find(|rail| (low..=high).contains(&rail.voltage.nominal().si()))
    }

    /// What contradicts itself or physics in the sheet.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        problems.positive("core_clock", &self.core_clock);
        problems.clocks("driver.dma_setup", &self.driver.dma_setup);
        problems.clocks("driver.command", &self.driver.command);
        problems.ordered("driver.poll_interval", &self.driver.poll_interval);
        problems.not_empty("rail", &self.rail, "name at least one supply rail");
        for (index, rail) in self.rail.iter().enumerate() {
            problems.positive(&format!("rail.{index}.voltage"), &rail.voltage);
        }
        let io = self.io_voltage.iter();
        io.for_each(|figure| problems.positive("io_voltage", figure));
        if let Some(serial) = &self.serial {
            check_serial(serial, &mut problems);
        }
        if let Some(parallel) = &self.parallel {
            parallel.check_sheet(&mut problems);
        }
        if let Some(sd) = &self.sd {
            sd.check_sheet(&mut problems);
        }
        if let Some(ddr) = &self.ddr {
            ddr.check_sheet(&mut problems);
        }
        if let Some(host) = &self.host {
            problems.positive("host.supply", &host.supply);
            problems.positive("host.run_current", &host.run_current);
            problems.ordered("host.sleep_current", &host.sleep_current);
            let power = host.power.iter();
            power.for_each(|figure| problems.ordered("host.power", figure));
        }
        if let Some(cpu) = &self.cpu {
            cpu.check_sheet(&mut problems);
        }
        if self.bus_names() == "none" {
            problems.add(
                "rail",
                "the board has no memory bus; add [serial], [parallel], [sd] or [ddr]",
            );
        }
        problems.list
    }
}

fn check_serial(serial: &SerialBus, problems: &mut Problems) {
    problems.positive("serial.kernel_clock", &serial.kernel_clock);
    problems.not_empty(
        "serial.modes",
        serial.modes.value(),
        "name at least one bus mode",
    );
    for (key, clock) in [
        ("serial.clock_str", &serial.clock_str),
        ("serial.clock_dtr", &serial.clock_dtr),
    ] {
        if let Some(clock) = clock {
            problems.limit(key, clock);
        }
    }
    if serial.clock_str.is_none() && serial.clock_dtr.is_none() {
        problems.add("serial", "state clock_str, clock_dtr or both");
    }
    if let Some(mapped) = &serial.memory_mapped {
        mapped.check_sheet("serial", problems);
    }
}
