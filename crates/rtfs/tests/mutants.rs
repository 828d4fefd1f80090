//! Each rule of the layer, left out: power cuts or random calls notice it.

use wordline_rtfs::PacedRule::{self, *};

use crate::model::calls_notice;
use crate::power_cuts::cuts_notice;

/// Rules against power cuts.
const OF_CUTS: [PacedRule; 14] = [
    LastUnitCopied,
    MountEnds,
    PreviousKept,
    UnitKept,
    GroupLive,
    GroupStays,
    GroupInHeader,
    GoneWhenMoved,
    GoneWhenStored,
    SequenceJumps,
    EraseFirst,
    MovedMapKeepsChanges,
    DiscardKept,
    ScanGoesOn,
];

/// Rules for the bound.
const OF_CALLS: [PacedRule; 6] = [
    StepsPaid,
    HeaderTakesSteps,
    EraseTakesSteps,
    LastPageIsCallers,
    MountFrees,
    MountNotesDead,
];

#[test]
fn each_rule_left_out_is_noticed() {
    std::panic::set_hook(Box::new(|_| {}));
    let of_cuts = OF_CUTS.map(|rule| (rule, cuts_notice(rule).or_else(|| calls_notice(rule))));
    let of_calls = OF_CALLS.map(|rule| (rule, calls_notice(rule).or_else(|| cuts_notice(rule))));
    let _ = std::panic::take_hook();
    let all = of_cuts.into_iter().chain(of_calls);
    let mut unnoticed = Vec::new();
    for (rule, by) in all {
        println!("{rule:?}: {by:?}");
        if by.is_none() {
            unnoticed.push(rule);
        }
    }
    assert_eq!(unnoticed, []);
}
