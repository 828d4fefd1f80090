//! The bus of SD cards and eMMC: commands on a line of their own, blocks of 512 bytes on one, four or
//! eight data lines, or everything on one line each way in the cards' SPI mode.
//!
//! Clocks of command, response, block and token are those of the SD Physical Layer Specification as
//! the SanDisk SD Card Product Manual (rev. 2.2, 2004) prints them: section 4.12 for the native bus,
//! chapter 5 for SPI. eMMC frames its commands and blocks in the same way (JESD84).

use serde::Deserialize;
use wordline_core::quantity::{Frequency, Time};
use wordline_core::{Figure, Sourced};

use super::{Action, Transaction};
use crate::problem::Problems;

/// Bytes of a block: the only length that cards of more than 2 GB take.
pub const BLOCK_BYTES: u64 = 512;

/// The SD or MMC host controller of a board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SdBus {
    /// Data lines: 1, 4, or 8 for eMMC.
    pub width_bits: Sourced<u8>,
    /// Highest clock.
    pub clock: Figure<Frequency>,
    /// The most blocks that its driver moves with one command: 1 where it leaves out the commands for several. Left out
    /// where it moves each access with one command.
    pub blocks_per_command: Option<Sourced<u32>>,
}

impl SdBus {
    /// What contradicts itself or physics, below the key `sd`.
    pub(crate) fn check_sheet(&self, problems: &mut Problems) {
        problems.limit("sd.clock", &self.clock);
        if !matches!(self.width_bits.value(), 1 | 4 | 8) {
            problems.add("sd.width_bits", "allowed: 1, 4 or 8");
        }
        let most = self.blocks_per_command.as_ref();
        if most.is_some_and(|most| *most.value() == 0) {
            problems.add("sd.blocks_per_command", "allowed: 1 or more");
        }
    }
}

/// How commands and blocks go over the wires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardBusMode {
    /// A command line beside data lines.
    Native {
        /// Data lines.
        lines: u8,
    },
    /// One line each way, in bytes.
    Spi,
}

/// Reads or writes of a card on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SdCommand {
    /// Read or write.
    pub action: Action,
    /// The wires.
    pub form: CardBusMode,
    /// The bus clock.
    pub clock: Frequency,
    /// Clocks from the end of a command to its response: NCR.
    pub response_clocks: u64,
}

/// Bits of a command, and of a short response.
const TOKEN: u64 = 48;
/// NRC: clocks from a response to the next command.
const BETWEEN_COMMANDS: u64 = 8;
/// NWR: clocks from the response to the first data of a write.
const BEFORE_WRITE: u64 = 2;
/// Clocks from one block of a read to the next, the least NAC.
const BETWEEN_READS: u64 = 2;
/// Start bit, CRC16 and end bit, which every data line has of its own.
const FRAME: u64 = 1 + 16 + 1;
/// Two clocks, then start bit, three bits and end bit: the CRC status behind a block that was written.
const CRC_STATUS: u64 = 2 + 5;
/// Clocks of a byte in SPI mode, whose parts are all whole bytes.
const BYTE: u64 = 8;

impl SdCommand {
    /// Its name in the specification.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self.action {
            Action::Read => "CMD17, CMD18",
            _ => "CMD24, CMD25",
        }
    }

    /// The wires, as tables print them.
    #[must_use]
    pub fn mode(&self) -> String {
        match self.form {
            CardBusMode::Native { lines } => format!("x{lines}"),
            CardBusMode::Spi => "SPI".to_owned(),
        }
    }

    /// Clocks of one command and its response.
    const fn exchange(&self) -> u64 {
        match self.form {
            CardBusMode::Native { .. } => TOKEN + self.response_clocks + TOKEN + BETWEEN_COMMANDS,
            // Six bytes, NCR in whole bytes, one byte of response and one before the next command.
            CardBusMode::Spi => (6 + self.response_clocks.div_ceil(BYTE) + 1 + 1) * BYTE,
        }
    }

    /// Time of a command that moves no data, such as the flush of a cache.
    #[must_use]
    pub fn bare(&self) -> Time {
        self.clock.duration_of(self.exchange())
    }

    /// Time of everything that is no data in an access of `blocks` blocks: the command, and a second one
    /// that stops a transfer of several.
    #[must_use]
    pub fn overhead(&self, blocks: u64) -> Time {
        let first = match (self.action, self.form) {
            (Action::Read, _) => self.exchange(),
            (_, CardBusMode::Native { .. }) => self.exchange() + BEFORE_WRITE,
            (_, CardBusMode::Spi) => self.exchange() + BYTE,
        };
        let stop = match (self.action, self.form) {
            _ if blocks <= 1 => 0,
            // The token that stops a write, and a byte before the card is busy.
            (Action::Write, CardBusMode::Spi) => 2 * BYTE,
            _ => self.exchange(),
        };
        self.clock.duration_of(first + stop)
    }

    /// Time of one block with its frame: CRC and status of a write, the least pause of a read.
    #[must_use]
    pub fn block(&self) -> Time {
        let read = matches!(self.action, Action::Read);
        let clocks = match self.form {
            CardBusMode::Native { lines } => {
                let data = (BLOCK_BYTES * 8).div_ceil(lines as u64);
                data + FRAME + if read { BETWEEN_READS } else { CRC_STATUS }
            }
            // A start token and CRC16; the response to a block that was written.
            CardBusMode::Spi => (1 + BLOCK_BYTES + 2 + if read { 0 } else { 1 }) * BYTE,
        };
        self.clock.duration_of(clocks)
    }

    /// What moving `bytes` bytes costs, in whole blocks.
    #[must_use]
    pub fn transaction(&self, bytes: u64) -> Transaction {
        let blocks = bytes.div_ceil(BLOCK_BYTES);
        Transaction {
            command: self.overhead(blocks),
            data: Time::from_ps(self.block().ps().saturating_mul(blocks)),
        }
    }

    /// Bytes a second while data move.
    #[must_use]
    pub fn data_rate(&self) -> f64 {
        let lines = match self.form {
            CardBusMode::Native { lines } => lines,
            CardBusMode::Spi => 1,
        };
        self.clock.hz() as f64 * f64::from(lines) / 8.0
    }

    /// The figures of the part's sheet that it rests on.
    #[must_use]
    pub fn figures(&self) -> Vec<String> {
        let spi = (self.form == CardBusMode::Spi).then_some("spi");
        let native = ["interface", "clock", "response"];
        native.into_iter().chain(spi).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn command(action: Action, form: CardBusMode, mhz: u64) -> SdCommand {
        SdCommand {
            action,
            form,
            clock: Frequency::from_hz(mhz * 1_000_000),
            response_clocks: 8,
        }
    }

    /// 1024 clocks of data on four lines, 18 of frame, 7 of status: 1049 at 20 ns.
    #[test]
    fn a_block_on_four_lines_counts_its_clocks() {
        let write = command(Action::Write, CardBusMode::Native { lines: 4 }, 50);
        assert_eq!(write.block(), Time::from_ps(1049 * 20_000));
        assert_eq!(write.overhead(1), Time::from_ps(114 * 20_000));
        assert_eq!(write.overhead(2), Time::from_ps((114 + 112) * 20_000));
        assert_eq!(
            write.transaction(513).data,
            Time::from_ps(2 * 1049 * 20_000)
        );
        assert_eq!(
            write.transaction(0),
            Transaction {
                command: write.overhead(0),
                data: Time::ZERO
            }
        );
        assert!((write.data_rate() - 25e6).abs() < 1.0);
    }

    #[test]
    fn more_lines_leave_the_frame_as_it_is() {
        let clocks = |lines| {
            let read = command(Action::Read, CardBusMode::Native { lines }, 1);
            read.block().ps() / 1_000_000
        };
        assert_eq!([clocks(1), clocks(4), clocks(8)], [4116, 1044, 532]);
    }

    /// SPI: token, 512 bytes, two of CRC and one of response.
    #[test]
    fn spi_mode_counts_bytes() {
        let write = command(Action::Write, CardBusMode::Spi, 8);
        assert_eq!(write.block(), Time::from_ps(516_000_000));
        assert_eq!(write.overhead(1), Time::from_ps(10_000_000));
        assert_eq!(write.overhead(8), Time::from_ps(12_000_000));
        let read = command(Action::Read, CardBusMode::Spi, 8);
        assert_eq!(read.overhead(8), Time::from_ps(18_000_000));
    }
}
