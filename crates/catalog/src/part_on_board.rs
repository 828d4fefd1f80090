//! A part on a board: the simulated memories that hold bytes.

use wordline_core::{Timing, TranslationLayer};
use wordline_nvm::conformance::RuleOutcome;
use wordline_nvm::{
    Conditions, CycledFlash, Device, Link, LinkError, Memory, Named, NvmError, PacedChip, PartSetup,
};

use crate::{Board, Part};

/// A part on a board.
#[derive(Clone, Debug)]
pub struct PartOnBoard<'a> {
    /// `PART@BOARD`.
    pub name: String,
    /// The part.
    pub part: &'a Part,
    /// The board.
    pub board: &'a Board,
}

impl<'a> PartOnBoard<'a> {
    pub(crate) fn new(part: &'a Part, board: &'a Board) -> Self {
        Self {
            name: format!("{}@{}", part.header.id, board.header.id),
            part,
            board,
        }
    }

    fn named_board(&self) -> Named<'a, wordline_nvm::Board> {
        Named {
            id: &self.board.header.id,
            sheet: &self.board.board,
        }
    }

    /// The part on its board, for its model.
    #[must_use]
    pub fn setup(&self, conditions: Conditions) -> PartSetup<'a> {
        PartSetup {
            id: &self.part.header.id,
            board: self.named_board(),
            conditions,
        }
    }

    /// The device that the target is.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn connect(&self, conditions: Conditions) -> Result<Box<dyn Device>, NvmError> {
        self.part.model.connect(self.setup(conditions))
    }

    /// What the target is for storage software: a NOR flash in blocks of its smallest erase, a NAND flash with its
    /// spare areas, bytes otherwise.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn memory(&self, conditions: Conditions) -> Result<Memory, NvmError> {
        match self.part.model.memory(self.setup(conditions), None)? {
            Some(memory) => Ok(memory),
            None => unreachable!("no size of an erase was asked for"),
        }
    }

    /// The same, with a NOR flash in blocks of its erase of so many bytes; `None` where it has no such erase that the
    /// board drives.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn memory_in_blocks(
        &self,
        conditions: Conditions,
        erase_bytes: u64,
    ) -> Result<Option<Memory>, NvmError> {
        let model = &self.part.model;
        model.memory(self.setup(conditions), Some(erase_bytes))
    }

    /// The same behind a translation layer, for parts [that can be](wordline_nvm::ChipModel::no_translation).
    ///
    /// # Errors
    /// When the part does not fit the board, or the layer does not fit the part.
    pub fn connect_translated(
        &self,
        conditions: Conditions,
        layer: &TranslationLayer,
    ) -> Result<Box<dyn Device>, NvmError> {
        let model = &self.part.model;
        model.connect_translated(self.setup(conditions), layer)
    }

    /// The part as a real-time layer sees it; `None` for a memory that is no raw flash.
    ///
    /// # Errors
    /// When the part does not fit the board, or its sizes do not suit.
    pub fn paced_chip(&self, conditions: Conditions) -> Result<Option<PacedChip>, NvmError> {
        let flash = self.part.model.flash();
        let chip = flash.map(|flash| flash.paced_chip(self.setup(conditions)));
        chip.transpose()
    }

    /// The part as a flash that can be cycled; `None` for a memory that is no raw flash.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn connect_cycled(
        &self,
        conditions: Conditions,
    ) -> Result<Option<Box<dyn CycledFlash>>, NvmError> {
        let flash = self.part.model.flash();
        let connect = flash.map(|flash| flash.connect_cycled(self.setup(conditions)));
        connect.transpose()
    }

    /// Whether the model keeps every rule of the part's protocol; see
    /// [`ChipModel::conformance`](wordline_nvm::ChipModel::conformance).
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn conformance(&self, timing: Timing) -> Result<Vec<RuleOutcome>, NvmError> {
        self.part.model.conformance(self.named_board(), timing)
    }

    /// Whether something must shift the levels between the pins of board and part; `None` where the
    /// board's sheet does not state the voltage of its pins. See [`Supply`](wordline_nvm::Supply) for
    /// what else their voltages ask for.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn needs_level_shifter(&self) -> Result<Option<bool>, LinkError> {
        Ok(self.link()?.supply.needs_level_shifter())
    }

    /// Commands and clocks of the part on the board.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn link(&self) -> Result<Link, LinkError> {
        self.part.model.link(&self.board.board)
    }
}
