//! The processor of a board, for software whose own work takes time: hash tables.
//!
//! What software does is counted in instructions; the sheet says how many cycles one takes on average, and what a line of
//! RAM costs that no cache holds.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, Cycles, Fraction, Frequency, Quantity as _, Time};
use wordline_core::{Figure, Resolver, Sourced};

use crate::problem::Problems;

/// The table `[cpu]` of a board's sheet.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Processor {
    /// Name of the core, for readers of the sheet.
    pub core: Sourced<String>,
    /// Cycles that an instruction takes on average in software as it was published for the board: its build, caches and
    /// wait states.
    pub cycles_per_instruction: Figure<Fraction>,
    /// The same in an optimised build that runs from caches or tightly coupled memory.
    pub cycles_per_instruction_optimized: Figure<Fraction>,
    /// RAM that is fetched at a time.
    pub ram_line: Figure<ByteCount>,
    /// What a line costs that is in no cache, beyond the instructions that ask for it.
    pub ram_line_miss: Figure<Cycles>,
}

/// What a processor takes, in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessorCost {
    clock: Frequency,
    cycles_per_instruction: f64,
    /// Bytes of a line of RAM.
    pub ram_line_bytes: u64,
    /// What a line costs that is in no cache.
    pub ram_line_miss: Time,
}

impl ProcessorCost {
    /// Time of so many instructions.
    #[must_use]
    pub fn instructions(&self, count: u64) -> Time {
        let cycles = count as f64 * self.cycles_per_instruction;
        self.clock.duration_of(cycles.round() as u64)
    }
}

impl Processor {
    /// What the processor takes at a clock, in a build that is optimised or as published.
    pub fn cost(
        &self,
        clock: Frequency,
        optimized: bool,
        resolver: &mut Resolver,
    ) -> ProcessorCost {
        let (name, figure) = if optimized {
            (
                "cpu.cycles_per_instruction_optimized",
                &self.cycles_per_instruction_optimized,
            )
        } else {
            ("cpu.cycles_per_instruction", &self.cycles_per_instruction)
        };
        let miss = resolver.fixed("cpu.ram_line_miss", &self.ram_line_miss);
        ProcessorCost {
            clock,
            cycles_per_instruction: resolver.fixed(name, figure).si(),
            ram_line_bytes: resolver.fixed("cpu.ram_line", &self.ram_line).bytes(),
            ram_line_miss: clock.duration_of(miss.count()),
        }
    }

    /// What contradicts itself or physics in the sheet.
    pub(crate) fn check_sheet(&self, problems: &mut Problems) {
        for (path, figure) in [
            ("cpu.cycles_per_instruction", &self.cycles_per_instruction),
            (
                "cpu.cycles_per_instruction_optimized",
                &self.cycles_per_instruction_optimized,
            ),
        ] {
            problems.positive(path, figure);
            // So few that the time of a call stays far below what simulated time can hold.
            if figure.most().si() > 1000.0 {
                problems.add(path, "allowed: up to 1000");
            }
        }
        problems.positive("cpu.ram_line", &self.ram_line);
        problems.clocks("cpu.ram_line_miss", &self.ram_line_miss);
    }
}
