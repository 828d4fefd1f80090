//! Whether and how a chip connects to a board.

use wordline_core::Figure;
use wordline_core::quantity::{Frequency, Quantity, Time, Voltage};

use crate::board::Board;
use crate::bus::mapped::MemoryMapped;
use crate::bus::parallel::Interface;
use crate::bus::serial::{self, Opcode, Protocol, SerialBus};
use crate::bus::{Action, BusCommand, Transaction, ddr, sd};
use crate::supply::Supply;

/// A chip on a board: its rail, and the opcode and clock of each action.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name of the rail that supplies the chip.
    pub rail: String,
    /// Voltage of that rail.
    pub voltage: Voltage,
    /// That voltage beside the range that the chip works in and the voltages of the host.
    pub supply: Supply,
    /// The protocol that the chip is set to; `None` on a parallel or DDR bus, and for a card.
    pub protocol: Option<Protocol>,
    /// The pause of the bus between a write and the read after it.
    pub turnaround: Time,
    /// How the bus maps the chip into the address space of the processor, where it does.
    pub memory_mapped: Option<MemoryMapped>,
    commands: CommandSet,
}

impl Link {
    /// Bytes that address and length of an action's transfers are multiples of.
    #[inline(always)]
    pub(crate) const fn granule_of(&self, action: Action) -> u64 {
        self.commands.granule[action as usize] as u64
    }

    /// The bits of an address that the cost of an access may depend on: a serial bus, unlike one that moves whole words,
    /// takes as long for bytes anywhere, where the chip addresses them.
    pub(crate) fn phase_mask(&self) -> u8 {
        let mask = |command: &BusCommand| match command {
            BusCommand::Serial(_) | BusCommand::Card(_) => {
                command.granule().max(1).next_power_of_two() - 1
            }
            BusCommand::Parallel(_) | BusCommand::Ddr(_) => 7,
        };
        self.commands
            .all
            .iter()
            .map(mask)
            .fold(0, |all, one| all | one)
    }
}

/// The commands of a chip, with the place of each action's first one, and what that costs without data: every
/// transaction looks for its own.
#[derive(Clone, Debug, PartialEq)]
struct CommandSet {
    all: Vec<BusCommand>,
    first: [Option<u8>; Action::COUNT],
    bare: [Option<Transaction>; Action::COUNT],
    /// Bytes that address and length are multiples of.
    granule: [u8; Action::COUNT],
}

impl FromIterator<BusCommand> for CommandSet {
    fn from_iter<I: IntoIterator<Item = BusCommand>>(commands: I) -> Self {
        let all: Vec<_> = commands.into_iter().collect();
        let mut first = [None; Action::COUNT];
        let mut bare = [None; Action::COUNT];
        let mut granule = [1; Action::COUNT];
        for (index, command) in (0..=u8::MAX).zip(&all).rev() {
            let action = command.action();
            first[action as usize] = Some(index);
            // The answer to the question whether the chip is busy is a byte.
            let bytes = u64::from(action == Action::Status);
            bare[action as usize] = Some(command.transaction(0, bytes));
            granule[action as usize] = command.granule().max(1);
        }
        Self {
            all,
            first,
            bare,
            granule,
        }
    }
}

/// Why a chip does not fit a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// No rail supplies the chip.
    #[error("no rail fits: the chip needs {needs}, the board has {has}")]
    NoRail {
        /// The chip's supply range.
        needs: String,
        /// The board's rails.
        has: String,
    },
    /// The board drives no mode that the chip understands for an action.
    #[error("no bus mode fits: for {action} the chip knows {needs}, the board drives {has}")]
    NoMode {
        /// The action.
        action: Action,
        /// The chip's modes for it.
        needs: String,
        /// The board's modes.
        has: String,
    },
    /// The board has another kind of memory bus.
    #[error("no bus fits: the chip needs a {needs} bus, the board has {has}")]
    NoBus {
        /// What the chip is connected by.
        needs: &'static str,
        /// What the board has.
        has: &'static str,
    },
    /// The bus has another number of data lines.
    #[error("the bus does not fit: the chip has {needs} data lines, the board {has}")]
    Width {
        /// The chip's data lines.
        needs: u8,
        /// The board's.
        has: u8,
    },
    /// The bus leaves the chip too little time.
    #[error("the bus is too fast: for {what} the chip needs {needs}, the board allows {has}")]
    TooFast {
        /// What there is too little time for.
        what: &'static str,
        /// How long the chip needs.
        needs: Time,
        /// How long the board gives.
        has: Time,
    },
    /// Each action fits some mode, but no protocol has them all.
    #[error("no protocol of the chip has {actions} in modes that the board drives ({has})")]
    NoProtocol {
        /// The actions that the chip's model needs.
        actions: String,
        /// The board's modes.
        has: String,
    },
}

impl Link {
    /// Connects a chip to a board: by its parallel interface where it has one, else by its opcodes.
    ///
    /// # Errors
    /// When the rail or the bus does not fit, or some of the `required` actions of a serial chip
    /// cannot be done; the message names both sides.
    pub fn new(
        board: &Board,
        supply: &Figure<Voltage>,
        opcodes: &[Opcode],
        parallel: Option<&Interface>,
        required: &[Action],
    ) -> Result<Self, LinkError> {
        match parallel {
            Some(interface) => Self::parallel(board, supply, interface),
            None => Self::serial(board, supply, opcodes, required),
        }
    }

    /// Connects a chip to the DDR bus of a board. `commands` makes what it does there, once rail and bus
    /// are known to fit a chip of `width_bits` data lines that runs up to `limit`.
    pub(crate) fn ddr(
        board: &Board,
        supply: &Figure<Voltage>,
        width_bits: u8,
        limit: Frequency,
        commands: impl FnOnce(&ddr::DdrBus) -> Vec<ddr::DdrCommand>,
    ) -> Result<Self, LinkError> {
        let link = Self::on_rail(board, supply)?;
        let bus = board.ddr.as_ref().ok_or_else(|| LinkError::NoBus {
            needs: "DDR",
            has: board.bus_names(),
        })?;
        bus.check_chip(width_bits, limit)?;
        Ok(Self {
            commands: commands(bus).into_iter().map(BusCommand::Ddr).collect(),
            ..link
        })
    }

    /// Connects a card to a board whose bus is known to fit. `commands` are how it is read and written.
    pub(crate) fn card(
        board: &Board,
        supply: &Figure<Voltage>,
        commands: [sd::SdCommand; 2],
    ) -> Result<Self, LinkError> {
        Ok(Self {
            commands: commands.into_iter().map(BusCommand::Card).collect(),
            ..Self::on_rail(board, supply)?
        })
    }

    /// The first rail within the supply range, without any command.
    fn on_rail(board: &Board, supply: &Figure<Voltage>) -> Result<Self, LinkError> {
        let rail = board.rail_for(supply);
        let rail = rail.ok_or_else(|| LinkError::no_rail(board, supply))?;
        Ok(Self {
            rail: rail.name.clone(),
            voltage: rail.voltage.nominal(),
            supply: Supply::new(board, rail, supply),
            protocol: None,
            turnaround: Time::ZERO,
            memory_mapped: None,
            commands: CommandSet::from_iter([]),
        })
    }

    /// In the protocol whose reads and writes together move data fastest, the fastest opcode of each action.
    fn serial(
        board: &Board,
        supply: &Figure<Voltage>,
        opcodes: &[Opcode],
        required: &[Action],
    ) -> Result<Self, LinkError> {
        let on_rail = Self::on_rail(board, supply)?;
        let bus = board.serial.as_ref().ok_or_else(|| LinkError::NoBus {
            needs: "serial",
            has: board.bus_names(),
        })?;
        [Protocol::ExtendedSpi, Protocol::OctalDtr]
            .into_iter()
            .map(|protocol| Self {
                protocol: Some(protocol),
                memory_mapped: bus.memory_mapped.clone(),
                commands: fastest_commands(bus, opcodes, protocol)
                    .into_iter()
                    .map(BusCommand::Serial)
                    .collect(),
                ..on_rail.clone()
            })
            .filter(|link| {
                required
                    .iter()
                    .all(|action| link.command(*action).is_some())
            })
            .max_by(|one, other| one.speed().total_cmp(&other.speed()))
            .ok_or_else(|| no_mode(bus, opcodes, required))
    }

    fn parallel(
        board: &Board,
        supply: &Figure<Voltage>,
        interface: &Interface,
    ) -> Result<Self, LinkError> {
        let link = Self::on_rail(board, supply)?;
        let bus = board.parallel.as_ref().ok_or_else(|| LinkError::NoBus {
            needs: "parallel",
            has: board.bus_names(),
        })?;
        let commands = bus.commands(interface)?;
        Ok(Self {
            turnaround: bus.turnaround(),
            memory_mapped: bus.memory_mapped.clone(),
            commands: commands.into_iter().map(BusCommand::Parallel).collect(),
            ..link
        })
    }

    /// How an action is done; `None` where the chip has no opcode for it that the board drives.
    #[must_use]
    #[inline(always)]
    pub fn command(&self, action: Action) -> Option<&BusCommand> {
        self.commands
            .all
            .get(usize::from(self.commands.first[action as usize]?))
    }

    /// What an action costs on the bus that moves no data but the byte of a status; `None` where the chip has no opcode
    /// for it that the board drives.
    #[inline(always)]
    pub(crate) const fn bare(&self, action: Action) -> Option<Transaction> {
        self.commands.bare[action as usize]
    }

    /// How an erase with a certain opcode is done; chips have one opcode for each size.
    #[must_use]
    pub fn erase_command(&self, code: u8) -> Option<&BusCommand> {
        self.commands
            .all
            .iter()
            .find(|command| command.action() == Action::Erase && command.code() == Some(code))
    }

    /// Every action with how it is done.
    #[must_use]
    pub fn commands(&self) -> &[BusCommand] {
        &self.commands.all
    }

    /// Bytes a second of a copy: as many reads as writes.
    fn speed(&self) -> f64 {
        let data = self
            .commands()
            .iter()
            .filter(|command| command.action().moves_data());
        let (count, pace) = data.fold((0.0, 0.0), |(count, pace), command| {
            (count + 1.0, pace + 1.0 / command.data_rate())
        });
        if pace > 0.0 { count / pace } else { 0.0 }
    }
}

/// The fastest opcode of each action in one protocol. Equal data rates are decided by the shorter
/// command phase, and then by the order of the sheet.
fn fastest_commands(
    bus: &SerialBus,
    opcodes: &[Opcode],
    protocol: Protocol,
) -> Vec<serial::SerialCommand> {
    let mut fastest: Vec<serial::SerialCommand> = Vec::new();
    for opcode in opcodes.iter().filter(|opcode| opcode.protocol == protocol) {
        let Some(clock) = bus.clock_for(opcode) else {
            continue;
        };
        let command = serial::SerialCommand::new(opcode.clone(), clock);
        // Erases of different sizes are different things to do.
        let same = fastest.iter_mut().find(|other| {
            other.opcode.action == opcode.action
                && (opcode.action != Action::Erase || other.opcode.code == opcode.code)
        });
        match same {
            Some(other) if is_faster(&command, other) => *other = command,
            Some(_) => {}
            None => fastest.push(command),
        }
    }
    fastest
}

fn is_faster(one: &serial::SerialCommand, other: &serial::SerialCommand) -> bool {
    let command_time = |command: &serial::SerialCommand| command.transaction(0).command;
    match one.data_rate().total_cmp(&other.data_rate()) {
        std::cmp::Ordering::Equal => command_time(one) < command_time(other),
        order => order.is_gt(),
    }
}

impl LinkError {
    /// No rail of a board lies within a supply range.
    fn no_rail(board: &Board, supply: &Figure<Voltage>) -> Self {
        let low = supply.min().unwrap_or_else(|| supply.nominal());
        let high = supply.max().unwrap_or_else(|| supply.nominal());
        let rails: Vec<_> = board
            .rail
            .iter()
            .map(|rail| format!("{} ({})", rail.voltage.nominal(), rail.name))
            .collect();
        Self::NoRail {
            needs: if low.si() < high.si() {
                format!("{low} to {high}")
            } else {
                low.to_string()
            },
            has: rails.join(", "),
        }
    }
}

fn no_mode(bus: &SerialBus, opcodes: &[Opcode], required: &[Action]) -> LinkError {
    let has = list(bus.modes.value().iter().map(ToString::to_string));
    for &action in required {
        let of_action = || opcodes.iter().filter(move |opcode| opcode.action == action);
        if !of_action().any(|opcode| bus.clock_for(opcode).is_some()) {
            return LinkError::NoMode {
                action,
                needs: list(of_action().map(|opcode| opcode.mode.to_string())),
                has,
            };
        }
    }
    let actions = list(required.iter().map(ToString::to_string));
    LinkError::NoProtocol { actions, has }
}

/// Distinct texts in their first order, separated by commas.
fn list(texts: impl Iterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for text in texts {
        if !distinct.contains(&text) {
            distinct.push(text);
        }
    }
    distinct.join(", ")
}
