//! MRAM on a DDR bus among the models of the catalogue.

use wordline_core::Timing;

use super::DdrMramSheet;
use crate::board::Board;
use crate::conformance::{self, RuleOutcome};
use crate::device::Device;
use crate::error::NvmError;
use crate::link::{Link, LinkError};
use crate::model::{ChipModel, MemoryClass, wire};
use crate::problem::Problem;
use crate::wired::{Conditions, Named};

impl ChipModel for DdrMramSheet {
    fn problems(&self) -> Vec<Problem> {
        self.problems()
    }

    fn link(&self, board: &Board) -> Result<Link, LinkError> {
        self.link(board)
    }

    fn class(&self) -> MemoryClass {
        MemoryClass::ByteAddressable
    }

    fn capacity_bytes(&self) -> u64 {
        self.capacity.nominal().bytes()
    }

    fn connect(
        &self,
        part: &str,
        board: Named<'_, Board>,
        conditions: Conditions,
    ) -> Result<Box<dyn Device>, NvmError> {
        Ok(Box::new(wire(part, self, board, conditions)?))
    }

    fn conformance(
        &self,
        board: Named<'_, Board>,
        timing: Timing,
    ) -> Result<Vec<RuleOutcome>, NvmError> {
        conformance::ddr_mram(self, board, timing)
    }
}
