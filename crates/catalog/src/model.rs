//! The models that parts can be simulated with.

use wordline_core::quantity::Quantity;
use wordline_core::{FtlMapping, Timing, TranslationLayer};
use wordline_nvm::conformance::{self, Outcome};
use wordline_nvm::ftl::{FtlConfig, Mapping, Shape};
use wordline_nvm::{
    Board as NvmBoard, Card, CardSheet, Conditions, DdrMramSheet, Device, FinerNor, Link,
    LinkError, Memory, Named, NandSheet, NorSheet, NvmError, NvramSheet, Problem, RawFlash,
    Translated, Wired,
};

/// The models that parts can be simulated with. A new model is a variant here, a key of
/// `PartFile`, and its file in the crate that simulates it.
#[derive(Clone, Debug)]
pub enum Model {
    /// MRAM: table `[mram]`.
    Mram(Box<NvramSheet>),
    /// MRAM behind banks with row buffers, on a DDR bus: table `[ddr_mram]`.
    DdrMram(Box<DdrMramSheet>),
    /// Ferroelectric RAM: table `[fram]`.
    Fram(Box<NvramSheet>),
    /// EEPROM: table `[eeprom]`.
    Eeprom(Box<NvramSheet>),
    /// NOR flash: table `[nor]`.
    Nor(Box<NorSheet>),
    /// NAND flash: table `[nand]`.
    Nand(Box<NandSheet>),
    /// SD card or eMMC: table `[card]`.
    Card(Box<CardSheet>),
}

impl Model {
    /// As the sheet's table spells it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Mram(_) => "mram",
            Self::DdrMram(_) => "ddr_mram",
            Self::Fram(_) => "fram",
            Self::Eeprom(_) => "eeprom",
            Self::Nor(_) => "nor",
            Self::Nand(_) => "nand",
            Self::Card(_) => "card",
        }
    }

    /// Commands and clocks of the part on a board.
    ///
    /// # Errors
    /// When rail, bus or timing do not fit; the message names both sides.
    pub fn link(&self, board: &NvmBoard) -> Result<Link, LinkError> {
        match self {
            Self::Mram(sheet) | Self::Fram(sheet) | Self::Eeprom(sheet) => sheet.link(board),
            Self::DdrMram(sheet) => sheet.link(board),
            Self::Nor(sheet) => sheet.link(board),
            Self::Nand(sheet) => sheet.link(board),
            Self::Card(sheet) => sheet.link(board),
        }
    }

    /// What the model of the part leaves to the host, in a sentence.
    #[must_use]
    pub fn left_to_host(&self) -> Option<String> {
        let Self::Nand(sheet) = self else { return None };
        let bits = sheet.host_ecc_bits.as_ref()?.value();
        let bits = match bits {
            1 => "1 wrong bit".to_owned(),
            more => format!("{more} wrong bits"),
        };
        Some(format!(
            "the host must correct {bits} in 512 bytes of this NAND; what that costs it is not counted"
        ))
    }

    /// Why the part is not run behind a translation layer; `None` for one that can be.
    #[must_use]
    pub const fn no_translation(&self) -> Option<&'static str> {
        match self {
            Self::Nand(_) => None,
            Self::Nor(_) => {
                Some("has no spare area in which a translation layer could keep its records")
            }
            Self::Card(_) => Some("has a translation layer of its own"),
            Self::Mram(_) | Self::DdrMram(_) | Self::Fram(_) | Self::Eeprom(_) => {
                Some("needs no translation layer: any of its bytes can be overwritten")
            }
        }
    }

    /// Bytes that every sample of the part has: without the bad blocks that its sheet allows, and
    /// those that are kept together with them where planes work at the same time.
    #[must_use]
    pub fn usable_bytes(&self) -> u64 {
        match self {
            Self::Nand(sheet) => {
                let together = match sheet.plane_busy {
                    Some(_) => *sheet.planes.value(),
                    None => 1,
                };
                let bad = u64::from(*sheet.bad_blocks_max.value()) * u64::from(together);
                let bad = bad.saturating_mul(sheet.geometry().block_bytes());
                self.capacity_bytes().saturating_sub(bad)
            }
            _ => self.capacity_bytes(),
        }
    }

    /// Capacity in bytes.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        match self {
            Self::Mram(sheet) | Self::Fram(sheet) | Self::Eeprom(sheet) => {
                sheet.capacity.nominal().bytes()
            }
            Self::DdrMram(sheet) => sheet.capacity.nominal().bytes(),
            Self::Nor(sheet) => sheet.capacity.nominal().bytes(),
            Self::Nand(sheet) => sheet.geometry().capacity_bytes(),
            Self::Card(sheet) => sheet.capacity.nominal().bytes(),
        }
    }

    /// The part as a device on a board. `part` and `board` are their ids.
    pub(crate) fn connect(
        &self,
        part: &str,
        board: Named<'_, NvmBoard>,
        conditions: Conditions,
    ) -> Result<Box<dyn Device>, NvmError> {
        fn named<'a, S>(id: &'a str, sheet: &'a S) -> Named<'a, S> {
            Named { id, sheet }
        }
        match self {
            Self::Mram(sheet) | Self::Fram(sheet) | Self::Eeprom(sheet) => {
                let part = named(part, &**sheet);
                Ok(Box::new(Wired::connect(part, board, conditions)?))
            }
            Self::DdrMram(sheet) => {
                let part = named(part, &**sheet);
                Ok(Box::new(Wired::connect(part, board, conditions)?))
            }
            Self::Nor(sheet) => {
                let flash = Wired::connect(named(part, &**sheet), board, conditions)?;
                Ok(Box::new(RawFlash::new(flash)?))
            }
            Self::Nand(sheet) => {
                let flash = Wired::connect(named(part, &**sheet), board, conditions)?;
                Ok(Box::new(RawFlash::new(flash)?))
            }
            Self::Card(sheet) => {
                let part = named(part, &**sheet);
                Ok(Box::new(Card::connect(part, board, conditions)?))
            }
        }
    }

    /// The part for storage software, on a board; a NOR flash in blocks of one of its erases, the smallest where none is
    /// asked for. `None` where it has no such erase.
    pub(crate) fn memory(
        &self,
        part: &str,
        board: Named<'_, NvmBoard>,
        conditions: Conditions,
        erase_bytes: Option<u64>,
    ) -> Result<Option<Memory>, NvmError> {
        Ok(Some(match self {
            Self::Nor(sheet) => {
                let sheet = &**sheet;
                let flash = Wired::connect(Named { id: part, sheet }, board, conditions)?;
                let flash = match erase_bytes {
                    None => Some(FinerNor::smallest(flash)),
                    Some(bytes) => FinerNor::of_bytes(flash, bytes),
                };
                let Some(flash) = flash else { return Ok(None) };
                Memory::Flash(Box::new(flash))
            }
            Self::Nand(sheet) => {
                let sheet = &**sheet;
                let flash = Wired::connect(Named { id: part, sheet }, board, conditions)?;
                Memory::Flash(Box::new(flash))
            }
            _ => Memory::Bytes(self.connect(part, board, conditions)?),
        }))
    }

    /// The part behind a translation layer, on a board; one that [needs none](Self::no_translation) as it is.
    pub(crate) fn connect_translated(
        &self,
        part: &str,
        board: Named<'_, NvmBoard>,
        conditions: Conditions,
        layer: &TranslationLayer,
    ) -> Result<Box<dyn Device>, NvmError> {
        let Self::Nand(sheet) = self else {
            return self.connect(part, board, conditions);
        };
        let named = Named {
            id: part,
            sheet: &**sheet,
        };
        let flash = Wired::connect(named, board, conditions)?;
        let device = Translated::format(flash, sheet, |shape| ftl_config(layer, shape))?;
        Ok(Box::new(device))
    }

    /// Whether the model keeps every rule of the part's protocol, and whether each of the checks would
    /// notice its absence. A card keeps its flash's rules by itself, and its front end takes every access:
    /// it has none.
    ///
    /// # Errors
    /// When the part does not fit the board.
    pub fn conformance(
        &self,
        board: Named<'_, NvmBoard>,
        timing: Timing,
    ) -> Result<Vec<Outcome>, NvmError> {
        match self {
            Self::Mram(sheet) | Self::Fram(sheet) | Self::Eeprom(sheet) => {
                conformance::nvram(sheet, board, timing)
            }
            Self::DdrMram(sheet) => conformance::ddr_mram(sheet, board, timing),
            Self::Nor(sheet) => conformance::nor(sheet, board, timing),
            Self::Nand(sheet) => conformance::nand(sheet, board, timing),
            Self::Card(_) => Ok(Vec::new()),
        }
    }

    pub(crate) fn problems(&self) -> Vec<Problem> {
        match self {
            Self::Mram(sheet) | Self::Fram(sheet) | Self::Eeprom(sheet) => sheet.problems(),
            Self::DdrMram(sheet) => sheet.problems(),
            Self::Nor(sheet) => sheet.problems(),
            Self::Nand(sheet) => sheet.problems(),
            Self::Card(sheet) => sheet.problems(),
        }
    }
}

/// Log blocks of a layer that maps blocks: half of what is spare, up to so many.
const LOGS_MAX: u32 = 64;

/// Logical blocks that may share a log block of such a layer.
const SHARED_BY: u32 = 8;

/// What a layer that users ask for is on a flash of some sizes.
#[must_use]
pub fn ftl_config(layer: &TranslationLayer, shape: Shape) -> FtlConfig {
    let mut config = FtlConfig::page_mapped(shape);
    config.spare_blocks = (f64::from(shape.blocks) * layer.spare.si()).round() as u32;
    if layer.mapping == FtlMapping::LogBlock {
        config.mapping = Mapping::LogBlock {
            logs: (config.spare_blocks / 2).clamp(2, LOGS_MAX),
            shared_by: SHARED_BY,
        };
        config.cleaning.start_below = 0;
        config.cleaning.stop_at = 0;
    }
    config
}
