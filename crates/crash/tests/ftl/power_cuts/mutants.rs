//! Layers that forget one barrier: each must be caught, by the setup that this table names.

use super::check::{Caught, Depth, Looked, look};
use super::setups::SETUPS;
use wordline_nvm::ftl::{Barrier, Barriers};

/// Where a layer without a barrier is caught.
struct Mutant {
    barrier: Barrier,
    /// Number of the setup.
    setup: usize,
    /// Calls of the recorded run.
    calls: u64,
    again_every: u64,
    second_every: u64,
    seed: u64,
}

const fn mutant(barrier: Barrier, setup: usize) -> Mutant {
    Mutant {
        barrier,
        setup,
        calls: 120,
        again_every: 97,
        second_every: 3,
        seed: 1,
    }
}

/// One for each barrier.
const MUTANTS: [Mutant; 16] = [
    mutant(Barrier::RecordCheck, 5),
    mutant(Barrier::SourceGone, 1),
    mutant(Barrier::MoveTorn, 4),
    mutant(Barrier::EraseTorn, 2),
    mutant(Barrier::OlderVersion, 4),
    mutant(Barrier::HoldOlder, 4),
    Mutant {
        calls: 80,
        second_every: 5,
        ..mutant(Barrier::CloseBeforeErase, 4)
    },
    mutant(Barrier::SureBeforeErase, 2),
    mutant(Barrier::EraseAhead, 2),
    mutant(Barrier::EraseBlank, 0),
    mutant(Barrier::GreatestWins, 5),
    mutant(Barrier::SequenceGoesOn, 0),
    Mutant {
        calls: 0,
        seed: 2,
        ..mutant(Barrier::CompleteMark, 4)
    },
    mutant(Barrier::FlushBuffer, 0),
    mutant(Barrier::Pairs, 7),
    mutant(Barrier::ReadBeforeWrite, 1),
];

/// How a layer without a barrier is caught; `None` where it is not.
fn caught(mutant: &Mutant) -> Option<Caught> {
    let depth = Depth {
        calls: mutant.calls,
        again_every: mutant.again_every,
        calls_again: 12,
        second_every: mutant.second_every,
        mounts: 12,
    };
    let barriers = Barriers::without(mutant.barrier);
    let looked = &mut Looked::default();
    look(&SETUPS[mutant.setup], barriers, depth, mutant.seed, looked).err()
}

/// The table of the page: barrier, what a layer without it does, what caught it and where.
pub(super) fn rows() -> String {
    let (mut rows, mut missed) = (String::new(), Vec::new());
    for (mutant, (barrier, without)) in MUTANTS.iter().zip(Barrier::ALL) {
        assert_eq!(mutant.barrier, barrier, "the lists have one order");
        let Some(caught) = caught(mutant) else {
            missed.push(barrier);
            continue;
        };
        let (setup, violation) = (SETUPS[mutant.setup].name, caught.violation);
        let cuts = caught.cuts.join(", then ");
        rows += &format!("| `{barrier:?}` | {without} | {setup} | {violation} ({cuts}) |\n");
    }
    assert!(missed.is_empty(), "not caught: {missed:?}");
    rows
}
