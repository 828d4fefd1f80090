//! A DDR MRAM compiles no costs: what an access takes depends on the rows that are open.

use wordline_core::quantity::Time;

use super::DdrMram;
use crate::bus::Action;
use crate::power::PowerMeter;
use crate::wired::compiled::{MARKS, SteadyChip};

impl SteadyChip for DdrMram {
    fn is_steady(&self, _: Time) -> bool {
        false
    }

    fn is_constant(&self, _: Action) -> bool {
        false
    }

    fn meter_mut(&mut self) -> &mut PowerMeter {
        &mut self.meter
    }

    fn marks(&self) -> [Time; MARKS] {
        [Time::ZERO; MARKS]
    }

    fn set_marks(&mut self, _: [Time; MARKS]) {}
}
