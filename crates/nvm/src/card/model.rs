//! SD cards and eMMC among the models of the catalogue.

use wordline_core::{FtlMapping, Timing};

use super::{Card, CardSheet};
use crate::board::Board;
use crate::bus::Action;
use crate::bus::sd::{BLOCK_BYTES, SdCommand};
use crate::conformance::RuleOutcome;
use crate::device::Device;
use crate::error::NvmError;
use crate::link::{Link, LinkError};
use crate::model::{ChipModel, MemoryClass, PartSetup};
use crate::problem::{Problem, Problems};
use crate::wired::Named;

impl ChipModel for CardSheet {
    fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        problems.capacity(&self.capacity);
        if !self.capacity.nominal().bytes().is_multiple_of(BLOCK_BYTES) {
            problems.add("capacity", "allowed: a multiple of 512 B");
        }
        problems.limit("clock", &self.clock);
        problems.clocks("response", &self.response);
        problems.ordered("command_time", &self.command_time);
        problems.limit("write_busy", &self.write_busy);
        problems.limit("read_wait", &self.read_wait);
        for (key, figure) in [
            ("flush_busy", &self.flush_busy),
            ("power_up", &self.power_up),
        ] {
            figure
                .iter()
                .for_each(|figure| problems.positive(key, figure));
        }
        problems.positive("supply", &self.supply);
        for (key, figure) in [
            ("standby", &self.standby),
            ("read_current", &self.read_current),
            ("write_current", &self.write_current),
        ] {
            figure
                .iter()
                .for_each(|figure| problems.ordered(key, figure));
        }
        problems.positive("endurance", &self.endurance);
        self.check_interface(&mut problems);
        self.array.check(&mut problems);
        if problems.list.is_empty() {
            self.check_sizes(&mut problems);
            self.check_times(&mut problems);
        }
        problems.list
    }

    fn link(&self, board: &Board) -> Result<Link, LinkError> {
        let (form, clock) = self.wires(board)?;
        let command = |action| SdCommand {
            action,
            form,
            clock,
            response_clocks: self.response.nominal().count(),
        };
        Link::card(
            board,
            &self.supply,
            [command(Action::Read), command(Action::Write)],
        )
    }

    fn class(&self) -> MemoryClass {
        MemoryClass::ManagedFlash
    }

    fn capacity_bytes(&self) -> u64 {
        self.capacity.nominal().bytes()
    }

    fn connect(&self, setup: PartSetup<'_>) -> Result<Box<dyn Device>, NvmError> {
        let PartSetup {
            id,
            board,
            conditions,
        } = setup;
        let part = Named { id, sheet: self };
        Ok(Box::new(Card::connect(part, board, conditions)?))
    }

    fn no_translation(&self, _: FtlMapping) -> Option<&'static str> {
        Some("has a translation layer of its own")
    }

    /// A card keeps its flash's rules by itself, and its front end takes every access: there is nothing to check.
    fn conformance(&self, _: Named<'_, Board>, _: Timing) -> Result<Vec<RuleOutcome>, NvmError> {
        Ok(Vec::new())
    }
}
