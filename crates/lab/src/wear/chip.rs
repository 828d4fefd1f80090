//! The chips that are worn: simulated ones, on their boards.

use wordline_catalog::{Model, Target};
use wordline_core::Figure;
use wordline_core::quantity::{Cycles, Time};
use wordline_memory::Flash as _;
use wordline_nvm::ageing::{AgeingError, Environment};
use wordline_nvm::{
    Conditions, FlashDevice, Named, Nand, NandSheet, Nor, NorSheet, NvmError, Wired,
};

use super::tester::Bench;

/// A simulated chip that can be worn.
pub(super) trait Chip: Bench<Error = NvmError> + FlashDevice {
    /// Lets it age.
    fn age(&mut self, environment: Environment) -> Result<(), AgeingError>;
}

impl Chip for Wired<Nand> {
    fn age(&mut self, environment: Environment) -> Result<(), AgeingError> {
        self.start_ageing(environment)
    }
}

impl Chip for Wired<Nor> {
    fn age(&mut self, environment: Environment) -> Result<(), AgeingError> {
        self.start_ageing(environment)
    }
}

/// A chip on a board.
pub(super) enum Connected {
    Nand(Wired<Nand>),
    Nor(Wired<Nor>),
}

/// A chip of a target; `None` for a memory that is no raw flash.
pub(super) fn connect(
    target: &Target<'_>,
    conditions: Conditions,
) -> Result<Option<Connected>, NvmError> {
    let id = &target.part.header.id;
    let board = Named {
        id: &target.board.header.id,
        sheet: &target.board.board,
    };
    Ok(match &target.part.model {
        Model::Nand(sheet) => {
            let sheet: &NandSheet = sheet;
            let chip = Wired::connect(Named { id, sheet }, board, conditions)?;
            Some(Connected::Nand(chip))
        }
        Model::Nor(sheet) => {
            let sheet: &NorSheet = sheet;
            let chip = Wired::connect(Named { id, sheet }, board, conditions)?;
            Some(Connected::Nor(chip))
        }
        _ => None,
    })
}

/// What a sheet says of the operations that are timed.
pub(super) struct Specified<'a> {
    pub(super) program: &'a Figure<Time>,
    pub(super) erase: Option<&'a Figure<Time>>,
    pub(super) read: Option<&'a Figure<Time>>,
    pub(super) endurance: &'a Figure<Cycles>,
}

impl<'a> Specified<'a> {
    /// Of a target whose blocks have so many bytes.
    pub(super) fn of(target: &Target<'a>, block_bytes: u64) -> Option<Self> {
        match &target.part.model {
            Model::Nand(sheet) => Some(Self {
                program: &sheet.page_program,
                erase: Some(&sheet.block_erase),
                read: Some(&sheet.page_read),
                endurance: &sheet.endurance,
            }),
            Model::Nor(sheet) => {
                let mut erases = sheet.erase.iter();
                let erase = erases.find(|erase| erase.bytes.nominal().bytes() == block_bytes);
                Some(Self {
                    program: &sheet.page_program,
                    erase: erase.map(|erase| &erase.duration),
                    read: None,
                    endurance: &sheet.endurance,
                })
            }
            _ => None,
        }
    }
}

impl Connected {
    /// Bytes of a block, and how many there are.
    pub(super) fn blocks(&self) -> (u64, u64) {
        let geometry = match self {
            Self::Nand(chip) => chip.geometry(),
            Self::Nor(chip) => chip.geometry(),
        };
        (geometry.block_bytes(), u64::from(geometry.blocks))
    }
}
