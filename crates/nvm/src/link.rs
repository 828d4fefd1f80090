//! Whether and how a chip connects to a board.

use wordline_core::Figure;
use wordline_core::quantity::{Quantity, Voltage};

use crate::board::Board;
use crate::bus::serial::{Action, Command, Opcode, Protocol};

/// A chip on a board: its rail, and the opcode and clock of each action.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Voltage of the rail that supplies the chip.
    pub voltage: Voltage,
    /// How the host reads.
    pub read: Command,
    /// How the host writes.
    pub write: Command,
    /// How the host permits writes.
    pub write_enable: Command,
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
    /// Each action fits some mode, but no protocol has them all.
    #[error(
        "no protocol of the chip has read, write and write-enable in modes that the board drives \
         ({has})"
    )]
    NoProtocol {
        /// The board's modes.
        has: String,
    },
}

impl Link {
    /// Connects a chip to a board: the first rail within the supply range, and in the protocol
    /// whose reads and writes together move data fastest, the fastest opcode of each action.
    ///
    /// # Errors
    /// When rail or mode do not fit; the message names both sides.
    pub fn new(
        board: &Board,
        supply: &Figure<Voltage>,
        opcodes: &[Opcode],
    ) -> Result<Self, LinkError> {
        let rail = board
            .rail_for(supply)
            .ok_or_else(|| no_rail(board, supply))?;
        let candidates = [Protocol::ExtendedSpi, Protocol::OctalDtr]
            .into_iter()
            .filter_map(|protocol| Self::in_protocol(board, opcodes, protocol));
        let rate = |(read, write, _): &(Command, Command, Command)| {
            2.0 / (1.0 / read.data_rate() + 1.0 / write.data_rate())
        };
        let (read, write, write_enable) = candidates
            .max_by(|one, other| rate(one).total_cmp(&rate(other)))
            .ok_or_else(|| no_mode(board, opcodes))?;
        Ok(Self {
            voltage: rail.voltage.nominal(),
            read,
            write,
            write_enable,
        })
    }

    fn in_protocol(
        board: &Board,
        opcodes: &[Opcode],
        protocol: Protocol,
    ) -> Option<(Command, Command, Command)> {
        let fastest = |action| {
            opcodes
                .iter()
                .enumerate()
                .filter(|(_, opcode)| opcode.protocol == protocol && opcode.action == action)
                .filter_map(|(index, opcode)| {
                    board.serial.clock_for(opcode).map(|clock| Command {
                        opcode: opcode.clone(),
                        index,
                        clock,
                    })
                })
                .max_by(|one, other| {
                    let speed = |command: &Command| {
                        // Equal data rates are decided by the shorter command phase.
                        (command.data_rate(), -(command.command_clocks() as f64))
                    };
                    let ((a, c), (b, d)) = (speed(one), speed(other));
                    a.total_cmp(&b).then(c.total_cmp(&d))
                })
        };
        Some((
            fastest(Action::Read)?,
            fastest(Action::Write)?,
            fastest(Action::WriteEnable)?,
        ))
    }
}

fn no_rail(board: &Board, supply: &Figure<Voltage>) -> LinkError {
    let low = supply.min().unwrap_or_else(|| supply.nominal());
    let high = supply.max().unwrap_or_else(|| supply.nominal());
    let rails: Vec<_> = board
        .rail
        .iter()
        .map(|rail| format!("{} ({})", rail.voltage.nominal(), rail.name))
        .collect();
    LinkError::NoRail {
        needs: if low.si() < high.si() {
            format!("{low} to {high}")
        } else {
            low.to_string()
        },
        has: rails.join(", "),
    }
}

fn no_mode(board: &Board, opcodes: &[Opcode]) -> LinkError {
    let has = list(board.serial.modes.iter().map(ToString::to_string));
    for action in [Action::Read, Action::Write, Action::WriteEnable] {
        let of_action = || opcodes.iter().filter(move |opcode| opcode.action == action);
        if !of_action().any(|opcode| board.serial.clock_for(opcode).is_some()) {
            return LinkError::NoMode {
                action,
                needs: list(of_action().map(|opcode| opcode.mode.to_string())),
                has,
            };
        }
    }
    LinkError::NoProtocol { has }
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
