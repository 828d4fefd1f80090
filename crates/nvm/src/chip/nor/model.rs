//! NOR flash among the models of the catalogue.

use wordline_core::quantity::Cycles;
use wordline_core::{Figure, FtlMapping, Timing, TranslationLayer};
use wordline_memory::{Flash as _, Geometry};
use wordline_rtfs::{NOR_PAGE_BYTES, NorPages};

use super::{Nor, NorSheet};
use crate::ageing::{Codewords, Outlook};
use crate::board::Board;
use crate::bus::Action;
use crate::conformance::{self, RuleOutcome};
use crate::device::Device;
use crate::error::NvmError;
use crate::link::{Link, LinkError};
use crate::memory::{FinerNor, Memory};
use crate::metered::MeteredFlash;
use crate::model::{ChipModel, CycledFlash, FlashModel, MemoryClass, PartSetup, SheetDuration};
use crate::paced::{Paced, PacedChip, paced_config, unsuitable};
use crate::paced_times::PacedTimes;
use crate::problem::{Problem, Problems};
use crate::raw_flash::RawFlash;
use crate::wired::{Named, Wired};

impl ChipModel for NorSheet {
    fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        self.check_geometry(&mut problems);
        self.check_erases(&mut problems);
        if let Some(aging) = &self.aging {
            aging.check(&mut problems);
        }
        self.check_times(&mut problems);
        self.check_currents(&mut problems);
        self.check_banks(&mut problems);
        match &self.parallel {
            Some(interface) => {
                let mut needed = vec![Action::Write, Action::Status, Action::Erase];
                needed.extend(self.suspending());
                interface.check_sheet(&needed, &mut problems);
                if !self.opcode.is_empty() {
                    problems.add("opcode", "state either opcode or parallel");
                }
            }
            None => self.check_opcodes(&mut problems),
        }
        problems.list
    }

    fn link(&self, board: &Board) -> Result<Link, LinkError> {
        let parallel = self.parallel.as_ref();
        Link::new(board, &self.supply, &self.opcode, parallel, &Self::REQUIRED)
    }

    fn class(&self) -> MemoryClass {
        MemoryClass::RawFlash
    }

    fn capacity_bytes(&self) -> u64 {
        self.capacity.nominal().bytes()
    }

    fn connect(&self, setup: PartSetup<'_>) -> Result<Box<dyn Device>, NvmError> {
        let flash = setup.wire(self)?;
        Ok(Box::new(RawFlash::new(flash)?))
    }

    fn memory(
        &self,
        setup: PartSetup<'_>,
        erase_bytes: Option<u64>,
    ) -> Result<Option<Memory>, NvmError> {
        let flash = setup.wire(self)?;
        let flash = match erase_bytes {
            None => Some(FinerNor::smallest(flash)),
            Some(bytes) => FinerNor::of_bytes(flash, bytes),
        };
        Ok(flash.map(|flash| Memory::Flash(Box::new(flash))))
    }

    fn no_translation(&self, mapping: FtlMapping) -> Option<&'static str> {
        match mapping {
            FtlMapping::RealTime => None,
            FtlMapping::Page | FtlMapping::LogBlock => Some(
                "has no spare area in which a translation layer could keep its records; --ftl real-time needs none",
            ),
        }
    }

    fn connect_translated(
        &self,
        setup: PartSetup<'_>,
        layer: &TranslationLayer,
    ) -> Result<Box<dyn Device>, NvmError> {
        let flash = in_pages(setup.wire(self)?)?;
        let geometry = flash.geometry();
        let times = PacedTimes::of_nor(&flash.flash().flash, &geometry)?;
        let config = paced_config(layer, &geometry, self);
        let paced = Paced::format(flash, NorPages::COLUMNS, config, times)?;
        Ok(Box::new(paced))
    }

    fn conformance(
        &self,
        board: Named<'_, Board>,
        timing: Timing,
    ) -> Result<Vec<RuleOutcome>, NvmError> {
        conformance::check(self, board, timing)
    }

    fn flash(&self) -> Option<&dyn FlashModel> {
        Some(self)
    }
}

impl FlashModel for NorSheet {
    fn geometry(&self) -> Option<Geometry> {
        None
    }

    fn good_blocks_min(&self) -> Option<u32> {
        None
    }

    fn endurance(&self) -> &Figure<Cycles> {
        &self.endurance
    }

    fn page_read(&self) -> Option<SheetDuration<'_>> {
        None
    }

    fn page_program(&self) -> SheetDuration<'_> {
        SheetDuration::new("page_program", &self.page_program)
    }

    fn block_erase(&self, block_bytes: u64) -> Option<SheetDuration<'_>> {
        let mut erases = self.erase.iter().enumerate();
        let (index, erase) =
            erases.find(|(_, erase)| erase.bytes.nominal().bytes() == block_bytes)?;
        let key = format!("erase.{index}.duration");
        Some(SheetDuration::new(key, &erase.duration))
    }

    fn outlook(&self) -> Option<Outlook<'_>> {
        let units = self.erase.iter().map(|erase| erase.bytes.nominal().bytes());
        let unit = units.min()?.max(1);
        let sheet = self.aging.as_ref()?;
        let unit_bits = (8 * unit) as u32;
        Some(Outlook {
            sheet,
            rated: self.endurance.least().count(),
            blocks: (self.capacity.nominal().bytes() / unit) as u32,
            bad_most: 0,
            pages: 1,
            page_bytes: unit as u32,
            // No error correction: a unit is lost with its first wrong bit.
            codewords: sheet.retention_exponent.is_some().then_some(Codewords {
                page_bits: unit_bits,
                bits: unit_bits,
                corrects: 0,
            }),
        })
    }

    /// An erase does the stress of a whole cycle to each of its units, whatever is programmed.
    fn stressed_pages(&self, _: u32) -> u32 {
        1
    }

    /// Its blocks are those of the largest erase, which takes the least time for each byte.
    fn paced_chip(&self, setup: PartSetup<'_>) -> Result<PacedChip, NvmError> {
        let flash = in_pages(setup.wire(self)?)?;
        let geometry = flash.geometry();
        Ok(PacedChip {
            geometry,
            erase_bytes: flash.flash().flash.geometry().block_bytes(),
            bad_blocks: 0,
            times: PacedTimes::of_nor(&flash.flash().flash, &geometry)?,
        })
    }

    fn connect_cycled(&self, setup: PartSetup<'_>) -> Result<Box<dyn CycledFlash>, NvmError> {
        Ok(Box::new(setup.wire(self)?))
    }
}

/// The pages in which a real-time layer uses a chip.
fn in_pages(flash: Wired<Nor>) -> Result<NorPages<MeteredFlash<Wired<Nor>>>, NvmError> {
    NorPages::new(MeteredFlash::new(flash), NOR_PAGE_BYTES).map_err(unsuitable)
}
