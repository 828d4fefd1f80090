//! The processor beside a file system: what an instruction takes.

use wordline_core::quantity::Quantity as _;
use wordline_core::{KvBuild, Resolver, ResultSet};

use super::system::FileSystemCase;
use crate::sources;
use crate::warning::LabWarning;

/// The builds between which the processor's time lies.
pub(crate) const BUILDS: [KvBuild; 2] = [KvBuild::Published, KvBuild::Optimized];

/// How fast a board's processor is.
pub(crate) struct ProcessorSpeed {
    /// Seconds of an instruction, by build.
    pub(crate) instruction_s: [f64; BUILDS.len()],
    pub(crate) cycle_s: f64,
    /// Price of the board in euros, where its sheet says so.
    pub(crate) board_eur: Option<f64>,
}

/// How fast the board's processor is; `None` of a board whose sheet does not say. The document gets the figures that say so.
pub(crate) fn speed(
    system: &FileSystemCase<'_>,
    document: &mut ResultSet,
) -> Option<ProcessorSpeed> {
    let board = system.engine.target.board;
    let Some(cpu) = &board.board.cpu else {
        document.warn(LabWarning::InstructionsAlone {
            board: &board.header.id,
        });
        return None;
    };
    let seed = system.experiment.seed;
    let mut resolver = Resolver::new(system.timing, seed, &board.header.id);
    let clock = resolver.fixed("core_clock", &board.board.core_clock);
    resolver.read("cpu.core");
    // A million of them, so that whole picoseconds do not round.
    let instruction_s = BUILDS.map(|build| {
        let cost = cpu.cost(clock, build == KvBuild::Optimized, &mut resolver);
        cost.instructions(1_000_000).si() / 1e6
    });
    sources::add_figures(document, &board.figures, resolver.readings(), "");
    Some(ProcessorSpeed {
        instruction_s,
        cycle_s: 1.0 / clock.si(),
        board_eur: board.cost.as_ref().map(|cost| cost.nominal().si()),
    })
}
