//! The sheet of a card, and its checks.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, Current, Cycles, DataRate, Frequency, Time, Voltage};
use wordline_core::{Figure, Sourced};

use crate::board::Board;
use crate::bus::sd::CardBusMode;
use crate::bus::serial::TransferRate;
use crate::ftl::{Cleaning, FtlConfig, Leveling, Mapping, NextBlock, Shape, Slc, Victim};
use crate::link::LinkError;

/// The sheet of an SD card or an eMMC.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "card")]
pub struct CardSheet {
    /// What it is connected by.
    pub interface: Sourced<CardInterface>,
    /// User capacity.
    pub capacity: Figure<ByteCount>,
    /// Highest bus clock.
    pub clock: Figure<Frequency>,
    /// Whether it has an SPI mode.
    pub spi: Option<Sourced<bool>>,
    /// Clocks from the end of a command to its response: NCR.
    pub response: Figure<Cycles>,
    /// Time that the controller's firmware takes for a command with data.
    pub command_time: Figure<Time>,
    /// The longest that the card may be busy after each block of a write.
    pub write_busy: Figure<Time>,
    /// The longest that the host waits for each block of a read.
    pub read_wait: Figure<Time>,
    /// The longest that a flush of the cache may take; stated by an eMMC with a volatile cache, which is
    /// then what its [open pages](ControllerSheet::open_pages) are.
    pub flush_busy: Option<Figure<Time>>,
    /// Wait after power on.
    pub power_up: Option<Figure<Time>>,
    /// Supply range.
    pub supply: Figure<Voltage>,
    /// Supply current while nothing is done.
    pub standby: Option<Figure<Current>>,
    /// Supply current while data are read.
    pub read_current: Option<Figure<Current>>,
    /// Supply current while data are written, and while the card works by itself.
    pub write_current: Option<Figure<Current>>,
    /// Program and erase cycles that each block stands.
    pub endurance: Figure<Cycles>,
    /// The flash.
    pub array: ArraySheet,
    /// What manages it.
    pub controller: ControllerSheet,
}

/// What a card is connected by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CardInterface {
    /// SD: up to four data lines.
    Sd,
    /// eMMC: up to eight data lines.
    Emmc,
}

impl CardInterface {
    const fn lines_most(self) -> u8 {
        match self {
            Self::Sd => 4,
            Self::Emmc => 8,
        }
    }
}

/// The flash of a card. Dies are programmed in turn, so that a block of the translation layer is one
/// block of each plane of each die.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArraySheet {
    /// Bytes of a page of one plane.
    pub page_bytes: Figure<ByteCount>,
    /// Planes of a die, which are programmed together.
    pub planes: Sourced<u32>,
    /// Dies that work side by side.
    pub dies: Sourced<u32>,
    /// Pages of a block.
    pub pages_per_block: Sourced<u32>,
    /// Blocks of a plane.
    pub blocks: Sourced<u32>,
    /// From a read command until the page is in the register: tR.
    pub page_read: Figure<Time>,
    /// Time of a program: tPROG.
    pub page_program: Figure<Time>,
    /// Time of an erase: tBERS.
    pub block_erase: Figure<Time>,
    /// Rate between controller and dies, which share one channel.
    pub transfer: Figure<DataRate>,
    /// Whether a page that stays on its die is moved within it, by a read for copy-back and its program, and does
    /// not pass the controller; left out where it always does.
    pub copy_back: Option<Sourced<bool>>,
    /// The same cells with one bit each, where the controller uses some so.
    pub slc: Option<SlcSheet>,
}

/// Blocks that are used with one bit a cell.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlcSheet {
    /// Pages of a block.
    pub pages_per_block: Sourced<u32>,
    /// From a read command until the page is in the register.
    pub page_read: Figure<Time>,
    /// Time of a program.
    pub page_program: Figure<Time>,
}

/// The controller of a card: what its firmware does.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerSheet {
    /// How logical pages find their places.
    pub mapping: Sourced<MappingKind>,
    /// Log blocks, of a mapping that has them.
    pub log_blocks: Option<Sourced<u32>>,
    /// Logical blocks that may share a log block.
    pub shared_by: Option<Sourced<u32>>,
    /// Blocks beyond the user capacity that the translation layer works with.
    pub spare_blocks: Sourced<u32>,
    /// Which block is cleaned first.
    pub victim: Sourced<VictimKind>,
    /// Free blocks below which writes clean.
    pub clean_below: Sourced<u32>,
    /// Free blocks at which they stop.
    pub clean_until: Sourced<u32>,
    /// Pages moved for each page written while writes clean; left out where a write cleans until it is
    /// done.
    pub steps_per_write: Option<Sourced<u32>>,
    /// Free blocks up to which the card cleans while it is idle; 0 where it does not. No more than the spare blocks.
    pub idle_until: Sourced<u32>,
    /// Idle time before it begins.
    pub idle_after: Figure<Time>,
    /// Spread of erases from which resting data are moved; left out where they never are.
    pub static_above: Option<Sourced<u32>>,
    /// Pages that are not full and wait in the controller's memory for the rest; 0 where each write is
    /// programmed before it ends.
    pub open_pages: Sourced<u32>,
    /// Changes of the mapping for which one page of its journal is programmed.
    pub journal_changes: Sourced<u32>,
    /// Pages of the journal after which the table of all pages is written anew, and the journal begins
    /// again; left out where the table is not written as a whole.
    pub journal_pages: Option<Sourced<u32>>,
    /// Blocks of the cache of one bit a cell.
    pub slc_blocks: Option<Sourced<u32>>,
    /// Time that the firmware takes for each write command once its data are there, while dies program: the card is
    /// busy. Left out where there is none beside [`command_time`](CardSheet::command_time).
    pub write_time: Option<Figure<Time>>,
    /// How long the controller works for itself at a time, while the host waits: refresh, tables of blocks, levelling,
    /// whatever nobody outside can tell apart. Longer than [`write_busy`](CardSheet::write_busy) it never is. Left out, with [`housekeeping_every`](Self::housekeeping_every), where
    /// it never does.
    pub housekeeping: Option<Figure<Time>>,
    /// Write commands from one such work to the next.
    pub housekeeping_every: Option<Sourced<u32>>,
}

/// How logical pages find their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MappingKind {
    /// Every page anywhere.
    Page,
    /// Blocks at whole places, and log blocks for what changed.
    LogBlock,
}

/// Which block is cleaned first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VictimKind {
    /// The one with the fewest live pages.
    Greedy,
    /// By cost and benefit, as Kawaguchi, Nishioka and Motoda choose (A Flash-Memory Based File System, USENIX 1995):
    /// the age of a block times (1 - u) / 2u, where u is its share of live pages.
    CostBenefit,
}

impl ArraySheet {
    /// Bytes of a page of the translation layer: all planes of a die.
    #[must_use]
    pub fn layer_page_bytes(&self) -> u64 {
        self.page_bytes
            .nominal()
            .bytes()
            .saturating_mul(u64::from(*self.planes.value()))
    }

    /// Sizes as the translation layer counts them.
    #[must_use]
    pub fn shape(&self) -> Shape {
        let dies = *self.dies.value();
        let native = self.pages_per_block.value().saturating_mul(dies);
        let slc = self.slc.as_ref();
        Shape {
            blocks: *self.blocks.value(),
            pages_per_block: native,
            slc_pages_per_block: slc.map_or(native, |slc| {
                slc.pages_per_block.value().saturating_mul(dies)
            }),
            summary_pages: 0,
        }
    }
}

impl CardSheet {
    pub(super) fn wires(&self, board: &Board) -> Result<(CardBusMode, Frequency), LinkError> {
        let interface = *self.interface.value();
        let limit = self.clock.nominal();
        if let Some(bus) = &board.sd {
            let lines = (*bus.width_bits.value()).min(interface.lines_most());
            return Ok((
                CardBusMode::Native { lines },
                bus.clock.nominal().min(limit),
            ));
        }
        let spi = self.spi.as_ref().is_some_and(|spi| *spi.value());
        let single = board.serial.as_ref().filter(|_| spi).and_then(|bus| {
            let one = |phase: crate::bus::serial::Phase| {
                phase.lines == 1 && phase.rate == TransferRate::Str
            };
            bus.modes
                .value()
                .iter()
                .find(|mode| one(mode.opcode) && one(mode.data))?;
            let limit = bus.clock_str.as_ref()?.nominal().min(limit).hz();
            let kernel = bus.kernel_clock.nominal().hz();
            (limit > 0 && kernel > 0).then(|| Frequency::from_hz(kernel / kernel.div_ceil(limit)))
        });
        let clock = single.ok_or_else(|| LinkError::NoBus {
            needs: match interface {
                CardInterface::Sd if spi => "SD or single-line serial",
                CardInterface::Sd => "SD",
                CardInterface::Emmc => "SD or MMC",
            },
            has: board.bus_names(),
        })?;
        Ok((CardBusMode::Spi, clock))
    }

    /// Blocks of the translation layer that hold the user capacity.
    pub(super) fn data_blocks(&self) -> u64 {
        let shape = self.array.shape();
        let pages = self
            .capacity
            .nominal()
            .bytes()
            .div_ceil(self.array.layer_page_bytes().max(1));
        pages.div_ceil(u64::from(shape.pages_per_block.max(1)))
    }

    /// The choices of the translation layer. All blocks beyond data and spare are the firmware's own.
    #[must_use]
    pub fn config(&self) -> FtlConfig {
        let of = &self.controller;
        let count = |value: &Option<Sourced<u32>>| value.as_ref().map(|value| *value.value());
        FtlConfig {
            mapping: match of.mapping.value() {
                MappingKind::Page => Mapping::Page,
                MappingKind::LogBlock => Mapping::LogBlock {
                    logs: count(&of.log_blocks).unwrap_or(1),
                    shared_by: count(&of.shared_by).unwrap_or(1),
                },
            },
            spare_blocks: *of.spare_blocks.value(),
            cleaning: Cleaning {
                victim: match of.victim.value() {
                    VictimKind::Greedy => Victim::Greedy,
                    VictimKind::CostBenefit => Victim::CostBenefit,
                },
                start_below: *of.clean_below.value(),
                stop_at: *of.clean_until.value(),
                steps_per_write: count(&of.steps_per_write),
                idle_until: *of.idle_until.value(),
            },
            leveling: Leveling {
                next: NextBlock::FewestErases,
                static_above: count(&of.static_above),
            },
            slc: count(&of.slc_blocks).map(|blocks| Slc {
                blocks,
                folds_when_idle: *of.idle_until.value() > 0,
            }),
        }
    }

    /// Sizes of the part of the array that the translation layer works with.
    #[must_use]
    pub fn layer_shape(&self) -> Shape {
        let blocks = self.data_blocks() + u64::from(*self.controller.spare_blocks.value());
        let shape = self.array.shape();
        Shape {
            blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
            ..shape
        }
    }
}
