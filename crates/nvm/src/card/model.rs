//! SD cards and eMMC among the models of the catalogue.

use wordline_core::Timing;

use super::{Card, CardSheet};
use crate::board::Board;
use crate::conformance::RuleOutcome;
use crate::device::Device;
use crate::error::NvmError;
use crate::link::{Link, LinkError};
use crate::model::{ChipModel, MemoryClass};
use crate::problem::Problem;
use crate::wired::{Conditions, Named};

impl ChipModel for CardSheet {
    fn problems(&self) -> Vec<Problem> {
        self.problems()
    }

    fn link(&self, board: &Board) -> Result<Link, LinkError> {
        self.link(board)
    }

    fn class(&self) -> MemoryClass {
        MemoryClass::ManagedFlash
    }

    fn capacity_bytes(&self) -> u64 {
        self.capacity.nominal().bytes()
    }

    fn connect(
        &self,
        id: &str,
        board: Named<'_, Board>,
        conditions: Conditions,
    ) -> Result<Box<dyn Device>, NvmError> {
        let part = Named { id, sheet: self };
        Ok(Box::new(Card::connect(part, board, conditions)?))
    }

    fn no_translation(&self) -> Option<&'static str> {
        Some("has a translation layer of its own")
    }

    /// A card keeps its flash's rules by itself, and its front end takes every access: there is nothing to check.
    fn conformance(&self, _: Named<'_, Board>, _: Timing) -> Result<Vec<RuleOutcome>, NvmError> {
        Ok(Vec::new())
    }
}
