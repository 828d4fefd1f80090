//! MRAM, FRAM, EEPROM, ReRAM, SRAM and PSRAM among the models of the catalogue.

use wordline_core::Timing;

use super::NvramSheet;
use crate::board::Board;
use crate::conformance::{self, RuleOutcome};
use crate::device::Device;
use crate::error::NvmError;
use crate::link::{Link, LinkError};
use crate::model::{ChipModel, MemoryClass, PartSetup};
use crate::problem::{Problem, Problems};
use crate::wired::Named;

impl ChipModel for NvramSheet {
    fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        problems.geometry(&self.capacity, &self.wear_unit, &self.ecc_unit);
        self.check_endurance(&mut problems);
        self.check_page(&mut problems);
        problems.positive("supply", &self.supply);
        problems.ordered("wake_up", &self.wake_up);
        for (path, figure) in [
            ("sleep_entry", &self.sleep_entry),
            ("deselect_after_read", &self.deselect_after_read),
            ("deselect_after_write", &self.deselect_after_write),
            ("deselect_octal", &self.deselect_octal),
        ] {
            figure
                .iter()
                .for_each(|figure| problems.ordered(path, figure));
        }
        self.check_currents(&mut problems);
        match &self.parallel {
            Some(interface) => {
                let needed: Vec<_> = self
                    .required()
                    .into_iter()
                    .filter(|action| !action.moves_data())
                    .collect();
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
        Link::new(
            board,
            &self.supply,
            &self.opcode,
            parallel,
            &self.required(),
        )
    }

    fn class(&self) -> MemoryClass {
        MemoryClass::ByteAddressable
    }

    fn capacity_bytes(&self) -> u64 {
        self.capacity.nominal().bytes()
    }

    fn is_volatile(&self) -> bool {
        self.volatile
            .as_ref()
            .is_some_and(|volatile| *volatile.value())
    }

    fn connect(&self, setup: PartSetup<'_>) -> Result<Box<dyn Device>, NvmError> {
        Ok(Box::new(setup.wire(self)?))
    }

    fn conformance(
        &self,
        board: Named<'_, Board>,
        timing: Timing,
    ) -> Result<Vec<RuleOutcome>, NvmError> {
        conformance::check(self, board, timing)
    }
}
