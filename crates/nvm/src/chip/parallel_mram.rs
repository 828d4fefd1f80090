//! The sheet of a parallel MRAM: an SRAM-like chip whose words are read and written in one cycle of
//! an asynchronous bus. Bytes, wear and energy are kept by the same [`Mram`](super::mram::Mram) as a
//! serial one's.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, Current, Cycles, Time, Voltage};
use wordline_core::{Figure, Sourced};

use crate::board::Board;
use crate::bus::parallel::Demand;
use crate::link::LinkError;
use crate::problem::{Problem, Problems};

/// The sheet of a parallel MRAM.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "parallel-mram")]
pub struct ParallelMramSheet {
    /// Capacity.
    pub capacity: Figure<ByteCount>,
    /// Data lines: 8, 16 or 32.
    pub width_bits: Sourced<u8>,
    /// Unit whose writes the endurance counts.
    pub wear_unit: Figure<ByteCount>,
    /// Writes that each unit stands.
    pub endurance: Option<Figure<Cycles>>,
    /// Stated instead where the sheet promises no limit.
    pub endurance_unlimited: Option<Sourced<bool>>,
    /// Unit that the internal error correction reads and writes whole; the bus word where there is
    /// none.
    pub ecc_unit: Figure<ByteCount>,
    /// Supply range.
    pub supply: Figure<Voltage>,
    /// How long the host must wait after power on.
    pub wake_up: Figure<Time>,
    /// From address to data of a read.
    pub read_access: Figure<Time>,
    /// Shortest strobe of a write.
    pub write_pulse: Figure<Time>,
    /// Supply current in standby.
    pub standby: Option<Figure<Current>>,
    /// Supply current of reads that follow each other.
    pub read_current: Option<Figure<Current>>,
    /// Supply current of writes that follow each other.
    pub write_current: Option<Figure<Current>>,
}

impl ParallelMramSheet {
    /// Checks that a board supplies the chip and that the chip keeps up with its bus.
    ///
    /// # Errors
    /// When rail, bus, width or timing do not fit; the message names both sides.
    pub fn check_link(&self, board: &Board) -> Result<(), LinkError> {
        board
            .rail_for(&self.supply)
            .ok_or_else(|| LinkError::no_rail(board, &self.supply))?;
        let bus = board.parallel.as_ref().ok_or_else(|| LinkError::NoBus {
            needs: "parallel",
            has: board.bus_names(),
        })?;
        bus.check(Demand {
            width_bits: *self.width_bits.value(),
            read_access: self.read_access.most(),
            write_pulse: self.write_pulse.most(),
        })
    }

    /// What contradicts itself or physics in the sheet.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        problems.geometry(&self.capacity, &self.wear_unit, &self.ecc_unit);
        match (&self.endurance, &self.endurance_unlimited) {
            (Some(endurance), None) => problems.positive("endurance", endurance),
            (None, Some(unlimited)) if *unlimited.value() => {}
            (None, Some(_)) => problems.add("endurance_unlimited", "allowed: true"),
            _ => problems.add("capacity", "state either endurance or endurance_unlimited"),
        }
        problems.positive("supply", &self.supply);
        problems.positive("read_access", &self.read_access);
        problems.positive("write_pulse", &self.write_pulse);
        problems.ordered("wake_up", &self.wake_up);
        for (path, current) in [
            ("standby", &self.standby),
            ("read_current", &self.read_current),
            ("write_current", &self.write_current),
        ] {
            if let Some(current) = current {
                problems.ordered(path, current);
            }
        }
        if !matches!(self.width_bits.value(), 8 | 16 | 32) {
            problems.add("width_bits", "allowed: 8, 16 or 32");
        }
        problems.list
    }
}
