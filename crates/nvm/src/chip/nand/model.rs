//! NAND flash among the models of the catalogue.

use wordline_core::quantity::Cycles;
use wordline_core::{Figure, FtlMapping, Timing, TranslationLayer};
use wordline_memory::Geometry;

use super::ecc::codewords;
use super::{EccSheet, NandSheet};
use crate::ageing::Outlook;
use crate::board::Board;
use crate::bus::Action;
use crate::conformance::{self, RuleOutcome};
use crate::device::Device;
use crate::error::NvmError;
use crate::ftl::{FtlConfig, LayoutError, SpareLayout};
use crate::link::{Link, LinkError};
use crate::memory::Memory;
use crate::metered::MeteredFlash;
use crate::model::{ChipModel, CycledFlash, FlashModel, MemoryClass, PartSetup, SheetDuration};
use crate::paced::{Paced, PacedChip, paced_config};
use crate::paced_times::PacedTimes;
use crate::pairing::Pairing;
use crate::problem::{Problem, Problems};
use crate::raw_flash::RawFlash;
use crate::translated::Translated;
use crate::wired::Named;

impl ChipModel for NandSheet {
    fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        self.check_sizes(&mut problems);
        match (&self.ecc, &self.host_ecc_bits) {
            (Some(ecc), None) => self.check_ecc(ecc, &mut problems),
            (None, Some(bits)) if !(1..=4096).contains(bits.value()) => {
                problems.add("host_ecc_bits", "allowed: 1 to 4096");
            }
            (None, Some(_)) => {}
            (Some(_), Some(_)) => {
                problems.add("host_ecc_bits", "state either ecc or host_ecc_bits")
            }
            (None, None) => problems.add("page_bytes", "state either ecc or host_ecc_bits"),
        }
        self.check_bad_blocks(&mut problems);
        if let Some(aging) = &self.aging {
            aging.check(&mut problems);
        }
        problems.positive("endurance", &self.endurance);
        problems.positive("supply", &self.supply);
        for (path, figure) in [
            ("page_read", &self.page_read),
            ("page_program", &self.page_program),
            ("block_erase", &self.block_erase),
        ] {
            problems.positive(path, figure);
        }
        problems.ordered("wake_up", &self.wake_up);
        let deselect = self.deselect.iter();
        deselect.for_each(|figure| problems.ordered("deselect", figure));
        for (path, figure) in [
            ("plane_busy", &self.plane_busy),
            ("cache_program_busy", &self.cache_program_busy),
            ("page_read_without_ecc", &self.page_read_without_ecc),
            ("page_program_without_ecc", &self.page_program_without_ecc),
            ("cache_busy", &self.cache_busy),
            ("reset", &self.reset),
        ] {
            figure
                .iter()
                .for_each(|figure| problems.positive(path, figure));
        }
        for (path, figure) in [
            ("standby", &self.standby),
            ("read_current", &self.read_current),
            ("program_current", &self.program_current),
            ("erase_current", &self.erase_current),
        ] {
            figure
                .iter()
                .for_each(|figure| problems.ordered(path, figure));
        }
        match &self.parallel {
            Some(interface) => {
                let needed = Self::REQUIRED.into_iter();
                let needed: Vec<_> = needed
                    .filter(|action| *action != Action::WriteEnable)
                    .collect();
                interface.check_sheet(&needed, &mut problems);
                if !self.opcode.is_empty() {
                    problems.add("opcode", "state either opcode or parallel");
                }
            }
            None => self.check_opcodes(&mut problems),
        }
        self.check_pipelines(&mut problems);
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
        self.geometry().capacity_bytes()
    }

    fn usable_bytes(&self) -> u64 {
        let together = match self.plane_busy {
            Some(_) => *self.planes.value(),
            None => 1,
        };
        let bad = u64::from(*self.bad_blocks_max.value()) * u64::from(together);
        let bad = bad.saturating_mul(self.geometry().block_bytes());
        self.capacity_bytes().saturating_sub(bad)
    }

    fn left_to_host(&self) -> Option<String> {
        let bits = match self.host_ecc_bits.as_ref()?.value() {
            1 => "1 wrong bit".to_owned(),
            more => format!("{more} wrong bits"),
        };
        Some(format!(
            "the host must correct {bits} in 512 bytes of this NAND; what that costs it is not counted"
        ))
    }

    fn connect(&self, setup: PartSetup<'_>) -> Result<Box<dyn Device>, NvmError> {
        let flash = setup.wire(self)?;
        Ok(Box::new(RawFlash::new(flash)?))
    }

    fn memory(&self, setup: PartSetup<'_>, _: Option<u64>) -> Result<Option<Memory>, NvmError> {
        let flash = setup.wire(self)?;
        Ok(Some(Memory::Flash(Box::new(flash))))
    }

    fn no_translation(&self, _: FtlMapping) -> Option<&'static str> {
        None
    }

    fn connect_translated(
        &self,
        setup: PartSetup<'_>,
        layer: &TranslationLayer,
    ) -> Result<Box<dyn Device>, NvmError> {
        let flash = setup.wire(self)?;
        if let Some(config) = FtlConfig::of_layer(layer) {
            return Ok(Box::new(Translated::format(flash, self, config)?));
        }
        let layout = self.spare_layout();
        let layout = layout.map_err(|error| NvmError::Translation(error.to_string().into()))?;
        let config = paced_config(layer, &self.geometry(), self);
        let times = PacedTimes::of(&flash)?;
        let flash = MeteredFlash::new(flash);
        let paced = Paced::format(flash, *layout.columns(), config, times)?;
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

impl FlashModel for NandSheet {
    fn geometry(&self) -> Option<Geometry> {
        Some(self.geometry())
    }

    fn good_blocks_min(&self) -> Option<u32> {
        Some(self.blocks.value() - self.bad_blocks_max.value())
    }

    fn endurance(&self) -> &Figure<Cycles> {
        &self.endurance
    }

    fn page_read(&self) -> Option<SheetDuration<'_>> {
        Some(SheetDuration::new("page_read", &self.page_read))
    }

    fn page_program(&self) -> SheetDuration<'_> {
        SheetDuration::new("page_program", &self.page_program)
    }

    fn block_erase(&self, _: u64) -> Option<SheetDuration<'_>> {
        Some(SheetDuration::new("block_erase", &self.block_erase))
    }

    fn outlook(&self) -> Option<Outlook<'_>> {
        let geometry = self.geometry();
        Some(Outlook {
            sheet: self.aging.as_ref()?,
            rated: self.endurance.least().count(),
            blocks: geometry.blocks,
            bad_most: *self.bad_blocks_max.value(),
            pages: geometry.pages_per_block,
            page_bytes: geometry.page_bytes,
            codewords: codewords(self),
        })
    }

    fn ecc(&self) -> Option<&EccSheet> {
        self.ecc.as_ref()
    }

    fn pairing(&self) -> Option<Pairing> {
        self.pairing.as_ref().map(|pairing| *pairing.value())
    }

    fn spare_layout(&self) -> Result<SpareLayout, LayoutError> {
        SpareLayout::of(self)
    }

    fn paced_chip(&self, setup: PartSetup<'_>) -> Result<PacedChip, NvmError> {
        Ok(PacedChip {
            geometry: self.geometry(),
            erase_bytes: self.geometry().block_bytes(),
            bad_blocks: *self.bad_blocks_max.value(),
            times: PacedTimes::of(&setup.wire(self)?)?,
        })
    }

    fn connect_cycled(&self, setup: PartSetup<'_>) -> Result<Box<dyn CycledFlash>, NvmError> {
        Ok(Box::new(setup.wire(self)?))
    }
}
