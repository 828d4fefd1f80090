//! MRAM on a DDR bus among the models of the catalogue.

use wordline_core::Timing;

use super::DdrMramSheet;
use super::sheet::CLOCK_MAX_HZ;
use crate::board::Board;
use crate::conformance::{self, RuleOutcome};
use crate::device::Device;
use crate::error::NvmError;
use crate::link::{Link, LinkError};
use crate::model::{ChipModel, MemoryClass, PartSetup};
use crate::problem::{Problem, Problems};
use crate::wired::Named;

impl ChipModel for DdrMramSheet {
    fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        problems.limit("clock", &self.clock);
        if self.clock.most().hz() > CLOCK_MAX_HZ {
            problems.add("clock", format!("allowed: up to {CLOCK_MAX_HZ} Hz"));
        }
        problems.positive("endurance", &self.endurance);
        problems.positive("supply", &self.supply);
        for (key, time) in self.times() {
            problems.ordered(key, time);
        }
        for (key, current) in [
            ("idd0", &self.idd0),
            ("idd2n", &self.idd2n),
            ("idd3n", &self.idd3n),
            ("idd4r", &self.idd4r),
            ("idd4w", &self.idd4w),
        ] {
            current
                .iter()
                .for_each(|current| problems.positive(key, current));
        }
        if let Some(vpp) = &self.vpp {
            problems.positive("vpp", vpp);
        }
        self.check_geometry(&mut problems);
        problems.list
    }

    fn link(&self, board: &Board) -> Result<Link, LinkError> {
        let (width, limit) = (*self.width_bits.value(), self.clock.most());
        Link::ddr(board, &self.supply, width, limit, |bus| self.commands(bus))
    }

    fn class(&self) -> MemoryClass {
        MemoryClass::ByteAddressable
    }

    fn capacity_bytes(&self) -> u64 {
        self.capacity.nominal().bytes()
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
