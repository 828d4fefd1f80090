//! What the catalogue and the laboratory ask of the model of a chip or card, whatever its technology.
//!
//! A model is its sheet: plain figures, from which it says what it is, which boards it fits, and becomes a device. What
//! raw flash has besides is [`FlashModel`]. A new model implements these traits in its own files, and is one line in
//! the catalogue's table of models.

use std::any::Any;
use std::fmt::Debug;

use wordline_core::quantity::{Cycles, Time};
use wordline_core::{Figure, FtlMapping, Timing, TranslationLayer};
use wordline_memory::Geometry;

use crate::ageing::{AgeingError, Environment, Outlook, SkipAhead};
use crate::board::Board;
use crate::chip::nand::EccSheet;
use crate::conformance::RuleOutcome;
use crate::device::{Accounts, Device};
use crate::error::NvmError;
use crate::ftl::{LayoutError, SpareLayout};
use crate::link::{Link, LinkError};
use crate::memory::Memory;
use crate::paced::PacedChip;
use crate::pairing::Pairing;
use crate::problem::Problem;
use crate::wired::{ChipSheet, Conditions, Named, Wired};

/// How software overwrites data in a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryClass {
    /// Byte by byte: MRAM, FRAM, EEPROM.
    ByteAddressable,
    /// After an erase of the block: NOR and NAND.
    RawFlash,
    /// Sector by sector, behind a translation layer of its own: SD cards and eMMC.
    ManagedFlash,
}

/// Where and how a part works: its id, its board, and the conditions.
#[derive(Clone, Debug)]
pub struct PartSetup<'a> {
    /// The id of the part, which keys what is drawn for it.
    pub id: &'a str,
    /// The board.
    pub board: Named<'a, Board>,
    /// Timing, age and seed.
    pub conditions: Conditions,
}

impl PartSetup<'_> {
    /// The chip of a sheet as a device.
    pub(crate) fn wire<S: ChipSheet>(self, sheet: &S) -> Result<Wired<S::Chip>, NvmError> {
        let part = Named { id: self.id, sheet };
        Wired::connect(part, self.board, self.conditions)
    }
}

/// The model of a chip or card, with the figures of its sheet.
pub trait ChipModel: Any + Debug + Send + Sync {
    /// What contradicts itself or physics in the sheet.
    fn problems(&self) -> Vec<Problem>;

    /// Commands and clocks of the part on a board.
    ///
    /// # Errors
    /// When rail, bus or timing do not fit; the message names both sides.
    fn link(&self, board: &Board) -> Result<Link, LinkError>;

    /// How software overwrites its data.
    fn class(&self) -> MemoryClass;

    /// Capacity in bytes.
    fn capacity_bytes(&self) -> u64;

    /// Bytes that every sample of the part has: without the bad blocks that its sheet allows, and those that are kept
    /// together with them where planes work at the same time.
    fn usable_bytes(&self) -> u64 {
        self.capacity_bytes()
    }

    /// Whether it forgets everything when the supply goes.
    fn is_volatile(&self) -> bool {
        false
    }

    /// What the model leaves to the host, in a sentence.
    fn left_to_host(&self) -> Option<String> {
        None
    }

    /// The part as a device on a board.
    ///
    /// # Errors
    /// When the part does not fit the board.
    fn connect(&self, setup: PartSetup<'_>) -> Result<Box<dyn Device>, NvmError>;

    /// The part for storage software, on a board; a NOR flash in blocks of the erase of `erase_bytes` bytes, or of its
    /// smallest where that is `None`. `None` where it has no such erase that the board drives.
    ///
    /// # Errors
    /// When the part does not fit the board.
    fn memory(
        &self,
        setup: PartSetup<'_>,
        _erase_bytes: Option<u64>,
    ) -> Result<Option<Memory>, NvmError> {
        Ok(Some(Memory::Bytes(self.connect(setup)?)))
    }

    /// Why the part is not run behind a translation layer that maps in such a way; `None` for one that can be.
    fn no_translation(&self, _: FtlMapping) -> Option<&'static str> {
        Some("needs no translation layer: any of its bytes can be overwritten")
    }

    /// The part behind a translation layer, on a board; one that [takes none](Self::no_translation) as it is.
    ///
    /// # Errors
    /// When the part does not fit the board, or the layer does not fit the part.
    fn connect_translated(
        &self,
        setup: PartSetup<'_>,
        _layer: &TranslationLayer,
    ) -> Result<Box<dyn Device>, NvmError> {
        self.connect(setup)
    }

    /// Whether the model keeps every rule of the part's protocol, and whether each check would notice its absence.
    ///
    /// # Errors
    /// When the part does not fit the board.
    fn conformance(
        &self,
        board: Named<'_, Board>,
        timing: Timing,
    ) -> Result<Vec<RuleOutcome>, NvmError>;

    /// What raw flash has besides; `None` for every other memory.
    fn flash(&self) -> Option<&dyn FlashModel> {
        None
    }
}

/// A duration of a sheet, with its key below the table of the model.
#[derive(Clone, Debug)]
pub struct SheetDuration<'a> {
    /// The key, such as `page_program` or `erase.1.duration`.
    pub key: String,
    /// The figure.
    pub figure: &'a Figure<Time>,
}

impl<'a> SheetDuration<'a> {
    /// A duration at a key.
    #[must_use]
    pub fn new(key: impl Into<String>, figure: &'a Figure<Time>) -> Self {
        Self {
            key: key.into(),
            figure,
        }
    }
}

/// The model of a raw flash part.
pub trait FlashModel: ChipModel {
    /// Sizes and programming rules; `None` where its blocks are whichever of its erases the user chooses and the board
    /// drives.
    fn geometry(&self) -> Option<Geometry>;

    /// Blocks that every new sample has; `None` where they depend on the board.
    fn good_blocks_min(&self) -> Option<u32>;

    /// Program and erase cycles that each block stands.
    fn endurance(&self) -> &Figure<Cycles>;

    /// The time of a page read in the array; `None` where the array keeps up with the bus.
    fn page_read(&self) -> Option<SheetDuration<'_>>;

    /// The time of a page program.
    fn page_program(&self) -> SheetDuration<'_>;

    /// The time of the erase of a block of so many bytes; `None` where it has no such erase.
    fn block_erase(&self, block_bytes: u64) -> Option<SheetDuration<'_>>;

    /// What becomes of its blocks as they wear; `None` where the sheet does not say how they do.
    fn outlook(&self) -> Option<Outlook<'_>>;

    /// Pages whose oxide a cycle stresses that programs so many pages of a block and erases it.
    fn stressed_pages(&self, programmed: u32) -> u32 {
        programmed
    }

    /// The error correction on the die.
    fn ecc(&self) -> Option<&EccSheet> {
        None
    }

    /// Which pages share their cells.
    fn pairing(&self) -> Option<Pairing> {
        None
    }

    /// Where the spare area has room for the records of a translation layer.
    ///
    /// # Errors
    /// When it has none.
    fn spare_layout(&self) -> Result<SpareLayout, LayoutError> {
        Err(LayoutError::NoSpare)
    }

    /// The part on a board as a real-time layer sees it.
    ///
    /// # Errors
    /// When the part does not fit the board, its sizes do not suit, or a bound exceeds what simulated time can hold.
    fn paced_chip(&self, setup: PartSetup<'_>) -> Result<PacedChip, NvmError>;

    /// The part on a board, in the blocks that the board erases by default, as a flash that can be cycled.
    ///
    /// # Errors
    /// When the part does not fit the board.
    fn connect_cycled(&self, setup: PartSetup<'_>) -> Result<Box<dyn CycledFlash>, NvmError>;
}

/// A flash chip on a board that can be worn.
pub trait CycledFlash: SkipAhead<Error = NvmError> + Accounts + Send {
    /// Lets the chip age from now on: cycles wear its oxide.
    ///
    /// # Errors
    /// When the sheet lacks the figures, or the environment is none of a chip.
    fn start_ageing(&mut self, environment: Environment) -> Result<(), AgeingError>;

    /// An independent chip in the same state, on a clock of its own.
    fn fork_cycled(&self) -> Box<dyn CycledFlash>;
}
