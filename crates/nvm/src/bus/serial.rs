//! The serial peripheral interface in its single, dual, quad and octal forms (JESD251, "xSPI").
//!
//! A transaction is an opcode, an address, dummy cycles and data. Each phase has its own number of
//! lines and moves one bit a line and clock (S, single transfer rate) or two (D, double). The
//! notation is that of JESD251: `1S-4S-4S` sends the opcode on one line, address and data on four.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use wordline_core::quantity::{Frequency, Time};
use wordline_core::{Basis, Figure, Provenance, Sourced};

use super::mapped::MemoryMapped;
use super::{Action, Transaction};
use crate::divisor::Divisor;

/// Lines and transfer rate of one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Phase {
    /// Data lines: 1, 2, 4 or 8.
    pub lines: u8,
    /// Bits a line and clock.
    pub rate: TransferRate,
}

/// Bits that a line moves in one clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransferRate {
    /// One bit: single transfer rate.
    Str,
    /// Two bits: double transfer rate.
    Dtr,
}

impl fmt::Display for TransferRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Str => "str",
            Self::Dtr => "dtr",
        })
    }
}

impl Phase {
    /// Bits in one clock.
    #[must_use]
    pub const fn bits_per_clock(self) -> u64 {
        match self.rate {
            TransferRate::Str => self.lines as u64,
            TransferRate::Dtr => 2 * self.lines as u64,
        }
    }

    /// Whole clocks that `bytes` bytes take.
    #[must_use]
    pub const fn clocks(self, bytes: u64) -> u64 {
        (bytes * 8).div_ceil(self.bits_per_clock())
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = match self.rate {
            TransferRate::Str => 'S',
            TransferRate::Dtr => 'D',
        };
        write!(f, "{}{rate}", self.lines)
    }
}

/// Lines and rates of opcode, address and data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineMode {
    /// Opcode phase.
    pub opcode: Phase,
    /// Address phase.
    pub address: Phase,
    /// Data phase.
    pub data: Phase,
}

/// A text that names no mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no bus mode; write opcode, address and data lines with their transfer rate, such as \
     \"1S-4S-4S\" or \"8D-8D-8D\" (lines 1, 2, 4 or 8; S single, D double rate)"
)]
pub struct ModeError(pub String);

impl FromStr for LineMode {
    type Err = ModeError;

    fn from_str(text: &str) -> Result<Self, ModeError> {
        let error = || ModeError(text.to_owned());
        let phase = |part: &str| {
            let lines = match part.as_bytes().first()? {
                b'1' => 1,
                b'2' => 2,
                b'4' => 4,
                b'8' => 8,
                _ => return None,
            };
            let rate = match part.get(1..)? {
                "S" => TransferRate::Str,
                "D" => TransferRate::Dtr,
                _ => return None,
            };
            Some(Phase { lines, rate })
        };
        let mut parts = text.split('-').map(phase);
        let mut next = || parts.next().flatten().ok_or_else(error);
        let mode = Self {
            opcode: next()?,
            address: next()?,
            data: next()?,
        };
        if parts.next().is_some() {
            return Err(error());
        }
        Ok(mode)
    }
}

impl fmt::Display for LineMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.opcode, self.address, self.data)
    }
}

impl<'de> Deserialize<'de> for LineMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// One line of a chip's opcode table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawOpcode")]
pub struct Opcode {
    /// The opcode byte.
    pub code: u8,
    /// Its name in the data sheet.
    pub name: String,
    /// What it does.
    pub action: Action,
    /// The protocol in which the chip understands it. Opcodes of different protocols cannot be
    /// mixed without reconfiguring the chip.
    pub protocol: Protocol,
    /// Lines and rates.
    pub mode: LineMode,
    /// Address bytes; 0 where the opcode takes no address.
    pub address_bytes: u8,
    /// Dummy clocks between address and data.
    pub dummy_cycles: u8,
    /// Bytes that address and length must be multiples of; 1 where nothing is said.
    pub granule: u8,
    /// Highest clock at which the opcode works with these dummy cycles.
    pub clock: Figure<Frequency>,
    /// Who states the opcode and its phases.
    pub provenance: Provenance,
}

/// The keys of an opcode as TOML spells them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "opcode")]
struct RawOpcode {
    code: u8,
    name: String,
    action: Action,
    protocol: Protocol,
    mode: LineMode,
    address_bytes: u8,
    dummy_cycles: u8,
    #[serde(default = "one")]
    granule: u8,
    clock: Figure<Frequency>,
    source: Option<String>,
    basis: Option<Basis>,
    #[serde(default)]
    assumed: bool,
    reason: Option<String>,
}

const fn one() -> u8 {
    1
}

impl TryFrom<RawOpcode> for Opcode {
    type Error = &'static str;

    fn try_from(raw: RawOpcode) -> Result<Self, Self::Error> {
        Ok(Self {
            provenance: Provenance::from_keys(raw.source, raw.basis, raw.assumed, raw.reason)?,
            code: raw.code,
            name: raw.name,
            action: raw.action,
            protocol: raw.protocol,
            mode: raw.mode,
            address_bytes: raw.address_bytes,
            dummy_cycles: raw.dummy_cycles,
            granule: raw.granule,
            clock: raw.clock,
        })
    }
}

impl Opcode {
    /// How the figures of this opcode are named: by code and mode.
    #[must_use]
    pub fn label(&self) -> String {
        format!("opcode[0x{:02x} {}]", self.code, self.mode)
    }
}

/// A configuration of the chip's command interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Opcodes on one line: the state of most chips after power-up.
    ExtendedSpi,
    /// Opcodes on eight lines at double rate.
    OctalDtr,
}

/// The serial bus controller of a board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SerialBus {
    /// The clock that feeds the controller.
    pub kernel_clock: Figure<Frequency>,
    /// Highest bus clock at single rate; the controller divides the kernel clock by a whole
    /// number.
    pub clock_str: Option<Figure<Frequency>>,
    /// Highest bus clock at double rate.
    pub clock_dtr: Option<Figure<Frequency>>,
    /// Modes that board and driver are set up for.
    pub modes: Sourced<Vec<LineMode>>,
    /// How the controller maps the memory into the address space; left out where it does not.
    pub memory_mapped: Option<MemoryMapped>,
}

impl SerialBus {
    /// The bus clock for an opcode: the kernel clock divided by the smallest whole number that
    /// keeps it within the limits of both the board and the opcode. `None` when the board does not
    /// drive the opcode's mode.
    #[must_use]
    pub fn clock_for(&self, opcode: &Opcode) -> Option<Frequency> {
        if !self.drives(opcode) {
            return None;
        }
        let board = match opcode.mode.data.rate {
            TransferRate::Str => self.clock_str.as_ref()?,
            TransferRate::Dtr => self.clock_dtr.as_ref()?,
        };
        let limit = board.nominal().min(opcode.clock.nominal()).hz();
        let kernel = self.kernel_clock.nominal().hz();
        if limit == 0 || kernel == 0 {
            return None;
        }
        Some(Frequency::from_hz(kernel / kernel.div_ceil(limit)))
    }

    /// Whether the board has the lines and rates of an opcode. One that moves no data needs the lines
    /// of its opcode phase alone: an address, if any, goes the same way.
    fn drives(&self, opcode: &Opcode) -> bool {
        self.modes.value().iter().any(|mode| {
            if opcode.action.has_phases() {
                *mode == opcode.mode
            } else {
                mode.opcode == opcode.mode.opcode
            }
        })
    }
}

/// An opcode on a board: everything that its transactions cost on the bus.
#[derive(Clone, Debug, PartialEq)]
pub struct SerialCommand {
    /// The opcode.
    pub opcode: Opcode,
    /// The bus clock.
    pub clock: Frequency,
    /// Clocks of opcode, address and dummy cycles, and how long they take: the same in each transaction.
    command_clocks: u64,
    command: Time,
    /// Bits of data in a clock, and clocks in a second.
    bits: Divisor,
    hertz: Divisor,
}

impl SerialCommand {
    /// The opcode at a bus clock.
    #[must_use]
    pub fn new(opcode: Opcode, clock: Frequency) -> Self {
        let mode = opcode.mode;
        let command_clocks = mode.opcode.clocks(1)
            + mode.address.clocks(u64::from(opcode.address_bytes))
            + u64::from(opcode.dummy_cycles);
        Self {
            command: clock.duration_of(command_clocks),
            bits: Divisor::new(mode.data.bits_per_clock()),
            hertz: Divisor::new(clock.hz()),
            opcode,
            clock,
            command_clocks,
        }
    }

    /// Clocks of opcode, address and dummy cycles.
    #[must_use]
    pub const fn command_clocks(&self) -> u64 {
        self.command_clocks
    }

    /// What moving `bytes` bytes costs. The total is rounded to a picosecond once; the phases add
    /// up to it.
    #[must_use]
    #[inline(always)]
    pub fn transaction(&self, bytes: u64) -> Transaction {
        let data = match bytes {
            0 => Time::ZERO,
            _ => self.data(bytes),
        };
        let command = self.command;
        Transaction { command, data }
    }

    #[inline(always)]
    fn data(&self, bytes: u64) -> Time {
        const PS_PER_S: u64 = 1_000_000_000_000;
        let clocks = self.command_clocks + self.bits.div_ceil(bytes * 8);
        // As `Frequency::duration_of` rounds, which has room for longer times as well.
        let short = clocks.checked_mul(PS_PER_S);
        let total = match short.and_then(|ps| ps.checked_add(self.hertz.by() / 2)) {
            Some(rounded) => Time::from_ps(self.hertz.quotient(rounded)),
            None => self.clock.duration_of(clocks),
        };
        total.since(self.command)
    }

    /// Bytes a second while data move.
    #[must_use]
    pub fn data_rate(&self) -> f64 {
        self.clock.hz() as f64 * self.opcode.mode.data.bits_per_clock() as f64 / 8.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(mode: &str, address_bytes: u8, dummy_cycles: u8, clock: &str) -> SerialCommand {
        let text = format!(
            "code = 0x38\nname = 'w'\naction = 'write'\nprotocol = 'extended-spi'\nmode = '{mode}'\n\
             address_bytes = {address_bytes}\ndummy_cycles = {dummy_cycles}\n\
             clock = {{ max = '{clock}', source = 's' }}\nsource = 's'"
        );
        let opcode: Opcode = toml::from_str(&text).expect("well-formed");
        let clock = opcode.clock.nominal();
        SerialCommand::new(opcode, clock)
    }

    #[test]
    fn modes_are_read_and_printed_in_jedec_notation() {
        for text in ["1S-1S-1S", "1S-4S-4S", "1S-4D-4D", "8D-8D-8D", "2S-2S-2S"] {
            let mode: LineMode = text.parse().expect(text);
            assert_eq!(mode.to_string(), text);
        }
        for text in [
            "",
            "1-4-4",
            "1S-4S",
            "1S-4S-4S-4S",
            "3S-3S-3S",
            "1S-4S-4X",
            "1S4S4S",
            "é",
        ] {
            assert_eq!(text.parse::<LineMode>(), Err(ModeError(text.to_owned())));
        }
    }

    /// 8 clocks of opcode, 24 address bits on four lines, no dummies, two clocks a byte.
    #[test]
    fn a_quad_write_counts_its_clocks() {
        let write = command("1S-4S-4S", 3, 0, "120 MHz");
        assert_eq!(write.command_clocks(), 14);
        let transaction = write.transaction(2048);
        assert_eq!(transaction.command, Time::from_ps(116_667));
        assert_eq!(transaction.total(), Time::from_ps(34_250_000));
        assert!((write.data_rate() - 60e6).abs() < 1e-6);
    }

    /// One clock of opcode, two of address, one clock for two bytes.
    #[test]
    fn an_octal_double_rate_write_counts_its_clocks() {
        let write = command("8D-8D-8D", 4, 0, "200 MHz");
        assert_eq!(write.command_clocks(), 3);
        assert_eq!(write.transaction(2048).data, Time::from_ps(5_120_000));
        assert_eq!(write.transaction(1).data, write.transaction(2).data);
        assert!((write.data_rate() - 400e6).abs() < 1e-6);
    }

    fn bus(clock_str: &str) -> SerialBus {
        let text = format!(
            "kernel_clock = {{ typ = '240 MHz', source = 's' }}\nmodes = {{ value = ['1S-1S-1S', '1S-4S-4S'], source = 's' }}\n\
             clock_str = {{ max = '{clock_str}', source = 's' }}"
        );
        toml::from_str(&text).expect("well-formed")
    }

    #[test]
    fn the_bus_clock_is_a_whole_division_within_both_limits() {
        let hz = |bus: &SerialBus, clock| {
            let command = command("1S-4S-4S", 3, 0, clock);
            bus.clock_for(&command.opcode).map(Frequency::hz)
        };
        assert_eq!(hz(&bus("133 MHz"), "133 MHz"), Some(120_000_000));
        assert_eq!(hz(&bus("133 MHz"), "66 MHz"), Some(60_000_000));
        assert_eq!(hz(&bus("100 MHz"), "133 MHz"), Some(80_000_000));
        assert_eq!(hz(&bus("300 MHz"), "300 MHz"), Some(240_000_000));
    }

    #[test]
    fn a_mode_that_the_board_lacks_has_no_clock() {
        let octal = command("8D-8D-8D", 4, 0, "200 MHz");
        assert_eq!(bus("133 MHz").clock_for(&octal.opcode), None);
    }
}
