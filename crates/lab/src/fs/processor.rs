//! The processor beside a file system: what an instruction takes.

use wordline_core::quantity::Quantity as _;
use wordline_core::{KvBuild, Resolver, ResultSet};

use super::system::FileSystemCase;
use crate::sources;
use crate::warning::LabWarning;

/// The builds between which the processor's time lies.
pub(crate) const BUILDS: [KvBuild; 2] = [KvBuild::Published, KvBuild::Optimized];

/// What the board's processor takes for an instruction, in seconds, by build; `None` of a board whose sheet does not say.
/// The document gets the figures that say so.
pub(crate) fn instruction_s(
    system: &FileSystemCase<'_>,
    document: &mut ResultSet,
) -> Option<[f64; BUILDS.len()]> {
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
    let each = BUILDS.map(|build| {
        let cost = cpu.cost(clock, build == KvBuild::Optimized, &mut resolver);
        cost.instructions(1_000_000).si() / 1e6
    });
    sources::add_figures(document, &board.figures, resolver.readings(), "");
    Some(each)
}
