//! The bus of SD cards: four data lines and a clock.

use serde::Deserialize;
use wordline_core::quantity::Frequency;
use wordline_core::{Figure, Sourced};

use crate::problem::Problems;

/// The SD host controller of a board. No model uses it yet: it is there for readers of the sheet.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SdBus {
    /// Data lines: 1 or 4.
    pub width_bits: Sourced<u8>,
    /// Highest clock.
    pub clock: Figure<Frequency>,
}

impl SdBus {
    /// What contradicts itself or physics, below the key `sd`.
    pub(crate) fn check_sheet(&self, problems: &mut Problems) {
        problems.limit("sd.clock", &self.clock);
        if !matches!(self.width_bits.value(), 1 | 4) {
            problems.add("sd.width_bits", "allowed: 1 or 4");
        }
    }
}
