//! Non-volatile chips with real bytes and simulated time, energy and wear.
//!
//! A chip ([`chip`]) is plain data that clones in microseconds; its operations take the simulated
//! time at which they start and return when they end. A [`Board`] is the host beside it: rails, a
//! [`bus`], the cost of its driver. [`Wired`] joins both with a clock and meets the memory
//! contracts, so that a storage engine runs on it unchanged.
//!
//! ```
//! use wordline_core::Timing;
//! use wordline_memory::ByteMemory;
//! use wordline_nvm::{Accounts, Board, Cause, Conditions, NvramSheet, Named, Wired};
//!
//! # let sheet = include_str!("../tests/data/mram.toml");
//! # let board = include_str!("../tests/data/board.toml");
//! let sheet: NvramSheet = toml::from_str(sheet)?;
//! let board: Board = toml::from_str(board)?;
//! let conditions = Conditions { timing: Timing::Typ, age: 0.0, seed: 0 };
//!
//! let part = Named { id: "my-mram", sheet: &sheet };
//! let board = Named { id: "my-board", sheet: &board };
//! let mut memory = Wired::connect(part, board, conditions)?;
//! memory.write(0x1000, b"wordline")?;
//! let mut back = [0; 8];
//! memory.read(0x1000, &mut back)?;
//! assert_eq!(&back, b"wordline");
//! println!("the read took {}", memory.last_cost().total());
//! println!("of which the driver {}", memory.last_cost().of(Cause::Driver));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ageing;
pub mod bus;
pub mod card;
pub mod chip;
pub mod conformance;
pub mod ftl;
pub mod power;

mod background;
mod board;
mod bound;
mod content;
mod cost;
mod device;
mod divisor;
mod error;
#[cfg(test)]
mod fixture;
mod flash_control;
mod ideal;
mod in_turn;
mod link;
mod memory;
mod metered;
mod model;
mod operation;
mod paced;
mod paced_times;
mod paced_totals;
mod pages;
mod pairing;
mod parts;
mod problem;
mod processor;
mod programming;
mod raw_flash;
mod rules;
mod supply;
mod synced;
mod translated;
mod wear;
mod wired;

pub use background::{Background, BackgroundBounds, NoSuspend};
pub use board::{Board, Driver, DriverCost, Host, HostPower, Rail};
pub use card::{Card, CardSheet};
pub use chip::ddr_mram::{DdrMram, DdrMramSheet};
pub use chip::nand::{BitRange, EccSheet, Faults, Nand, NandSheet, SpareRange};
pub use chip::nor::{EraseSheet, Nor, NorSheet, SuspendSheet};
pub use chip::nvram::{ActiveCurrent, Nvram, NvramSheet, WriteEnable};
pub use content::{BlockContent, PageContent};
pub use cost::{AccessCost, Cause};
pub use device::{
    Accounts, CurrentGap, Device, FlashDevice, FlashWork, InFront, Notes, PageBounds, PagePart,
    Pipeline, Pipelines, TranslationReport, Wear,
};
pub use error::{Misuse, NvmError};
pub use flash_control::{ErasePhase, FlashControl, StartedErase};
pub use ideal::{IdealBytes, IdealBytesSpec, IdealFlash, IdealFlashSpec, IdealTimes};
pub use in_turn::in_turn;
pub use link::{Link, LinkError};
pub use memory::{FinerNor, FlashMemory, Memory};
pub use model::{ChipModel, CycledFlash, FlashModel, MemoryClass, PartSetup, SheetDuration};
pub use operation::OperationKind;
pub use paced::{PacedChip, paced_config, paced_ground};
pub use paced_times::PacedTimes;
pub use paced_totals::WriteTotals;
pub use pages::{Pages, spans};
pub use pairing::Pairing;
pub use problem::Problem;
pub use processor::{Processor, ProcessorCost};
pub use programming::{ProgramHistory, clear_bits};
pub use raw_flash::RawFlash;
pub use supply::Supply;
pub use synced::Synced;
pub use translated::Translated;
pub use wired::{Chip, ChipSheet, Conditions, Named, SuspendedRead, Wired};
