//! Buses between a host and a chip: what a transaction costs on the wires.

pub mod ddr;
pub mod mapped;
pub mod parallel;
pub mod sd;
pub mod serial;

use std::fmt;

use serde::Deserialize;
use wordline_core::quantity::{Frequency, Time};

use self::serial::TransferRate;

/// What an opcode makes the chip do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Moves array data to the host.
    Read,
    /// Moves data from the host into the array.
    Write,
    /// Moves data from the host into a NAND chip's register, whose other bytes stay as they are.
    WriteMore,
    /// Permits writes.
    WriteEnable,
    /// Asks whether the chip is busy: one byte of data.
    Status,
    /// Fetches a page of a NAND array into the chip's register.
    PageRead,
    /// Fetches the next page while the one before it is moved to the host.
    PageReadCache,
    /// Ends a series of [`PageReadCache`](Self::PageReadCache).
    PageReadLast,
    /// Programs what was written into a NAND chip's register.
    Execute,
    /// Programs it behind the next load: cache program.
    ExecuteCache,
    /// Keeps what was written for one plane until the next [`Execute`](Self::Execute).
    ExecutePlane,
    /// Keeps a page of one plane to be fetched with the next [`PageRead`](Self::PageRead).
    PageReadPlane,
    /// Keeps a block of one plane to be erased with the next [`Erase`](Self::Erase).
    ErasePlane,
    /// Erases a block; the sheet says which.
    Erase,
    /// Interrupts a program or an erase.
    Suspend,
    /// Goes on with what was interrupted.
    Resume,
    /// Enters deep power-down.
    PowerDown,
    /// Leaves deep power-down.
    WakeUp,
}

impl Action {
    /// How many there are.
    pub(crate) const COUNT: usize = Self::WakeUp as usize + 1;

    /// As sheets spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::WriteMore => "write-more",
            Self::WriteEnable => "write-enable",
            Self::Status => "status",
            Self::PageRead => "page-read",
            Self::PageReadCache => "page-read-cache",
            Self::PageReadLast => "page-read-last",
            Self::Execute => "execute",
            Self::ExecuteCache => "execute-cache",
            Self::ExecutePlane => "execute-plane",
            Self::PageReadPlane => "page-read-plane",
            Self::ErasePlane => "erase-plane",
            Self::Erase => "erase",
            Self::Suspend => "suspend",
            Self::Resume => "resume",
            Self::PowerDown => "power-down",
            Self::WakeUp => "wake-up",
        }
    }

    /// Whether the action moves array data to or from the host.
    #[must_use]
    pub const fn moves_data(self) -> bool {
        matches!(self, Self::Read | Self::Write)
    }

    /// Whether the opcode has a data phase, whose lines the board must drive.
    const fn has_phases(self) -> bool {
        matches!(
            self,
            Self::Read | Self::Write | Self::WriteMore | Self::Status
        )
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How an action is done on a board: everything that its transactions cost on the bus.
#[derive(Clone, Debug, PartialEq)]
pub enum BusCommand {
    /// An opcode on a serial bus.
    Serial(serial::SerialCommand),
    /// Bus cycles on a parallel bus.
    Parallel(parallel::ParallelCommand),
    /// Bursts on a DDR bus.
    Ddr(ddr::DdrCommand),
    /// Blocks of a card.
    Card(sd::SdCommand),
}

impl BusCommand {
    /// What it does.
    #[must_use]
    pub const fn action(&self) -> Action {
        match self {
            Self::Serial(command) => command.opcode.action,
            Self::Parallel(command) => command.action,
            Self::Ddr(command) => command.action,
            Self::Card(command) => command.action,
        }
    }

    /// The opcode byte, on a parallel bus the one that distinguishes the command from others; `None` for an
    /// access that needs no command.
    #[must_use]
    pub const fn code(&self) -> Option<u8> {
        match self {
            Self::Serial(command) => Some(command.opcode.code),
            Self::Parallel(command) => command.code,
            Self::Ddr(_) | Self::Card(_) => None,
        }
    }

    /// Its name in the data sheet.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Serial(command) => &command.opcode.name,
            Self::Parallel(command) => &command.name,
            Self::Ddr(command) => match command.action {
                Action::Read => "Activate, Read",
                _ => "Activate, Write",
            },
            Self::Card(command) => command.name(),
        }
    }

    /// Lines and rates, or the width of the bus, as tables print them.
    #[must_use]
    pub fn mode(&self) -> String {
        match self {
            Self::Serial(command) => command.opcode.mode.to_string(),
            Self::Parallel(command) => format!("x{}", 8 * command.word_bytes),
            Self::Ddr(command) => command.mode(),
            Self::Card(command) => command.mode(),
        }
    }

    /// The bus clock, on a parallel bus that of the controller.
    #[must_use]
    pub const fn clock(&self) -> Frequency {
        match self {
            Self::Serial(command) => command.clock,
            Self::Parallel(command) => command.clock,
            Self::Ddr(command) => command.clock,
            Self::Card(command) => command.clock,
        }
    }

    /// Transfer rate of the data; `None` on a parallel or DDR bus.
    #[must_use]
    pub const fn rate(&self) -> Option<TransferRate> {
        match self {
            Self::Serial(command) => Some(command.opcode.mode.data.rate),
            Self::Parallel(_) | Self::Ddr(_) | Self::Card(_) => None,
        }
    }

    /// Bytes that address and length must be multiples of. A parallel or DDR bus masks the bytes of
    /// a word that are not meant; the driver of a card reads the other bytes of a block first.
    #[must_use]
    pub const fn granule(&self) -> u8 {
        match self {
            Self::Serial(command) => command.opcode.granule,
            Self::Parallel(_) | Self::Ddr(_) | Self::Card(_) => 1,
        }
    }

    /// What moving `bytes` bytes from the address `at` on costs.
    #[must_use]
    #[inline(always)]
    pub fn transaction(&self, at: u64, bytes: u64) -> Transaction {
        match self {
            Self::Serial(command) => command.transaction(bytes),
            Self::Parallel(command) => command.transaction(at, bytes),
            Self::Ddr(command) => command.transaction(at, bytes),
            Self::Card(command) => command.transaction(bytes),
        }
    }

    /// Bytes a second while data move.
    #[must_use]
    pub fn data_rate(&self) -> f64 {
        match self {
            Self::Serial(command) => command.data_rate(),
            Self::Parallel(command) => command.data_rate(),
            Self::Ddr(command) => command.data_rate(),
            Self::Card(command) => command.data_rate(),
        }
    }

    /// The figures of the part's sheet that it rests on.
    #[must_use]
    pub fn figures(&self) -> Vec<String> {
        match self {
            Self::Serial(command) => {
                let label = command.opcode.label();
                vec![format!("{label}.clock"), label]
            }
            Self::Parallel(command) => command.figures(),
            Self::Ddr(command) => command.figures(),
            Self::Card(command) => command.figures(),
        }
    }
}

/// How long the phases of one transaction keep the bus busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Opcode, address and dummy cycles; on a parallel bus the cycles without data,
    /// on a DDR bus the latency of row and column.
    pub command: Time,
    /// Data.
    pub data: Time,
}

impl Transaction {
    /// From the first clock to the last.
    #[must_use]
    pub const fn total(&self) -> Time {
        self.command.plus(self.data)
    }
}
