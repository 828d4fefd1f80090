//! Each rule of the layer, left out: power cuts or random calls notice it.

use wordline_rtfs::PacedRule::{self, *};

use crate::files::power_cuts::cuts_of_files_notice;
use crate::model::calls_notice;
use crate::power_cuts::cuts_notice;

/// Rules that power cuts notice.
const OF_CUTS: [PacedRule; 8] = [
    LastUnitCopied,
    MountEnds,
    UnitKept,
    GroupStays,
    GroupInHeader,
    EraseFirst,
    MovedMapKeepsChanges,
    ScanGoesOn,
];

/// Rules that random calls notice.
const OF_CALLS: [PacedRule; 4] = [GoneWhenMoved, StepsPaid, HeaderTakesSteps, EraseTakesSteps];

/// Rules that power cuts of files notice.
const OF_FILES: [PacedRule; 1] = [MapWaits];

#[test]
fn each_rule_left_out_is_noticed() {
    std::panic::set_hook(Box::new(|_| {}));
    let of_cuts = OF_CUTS.map(|rule| (rule, cuts_notice(rule)));
    let of_calls = OF_CALLS.map(|rule| (rule, calls_notice(rule)));
    let of_files = OF_FILES.map(|rule| (rule, cuts_of_files_notice(rule)));
    let _ = std::panic::take_hook();
    let all = of_cuts.into_iter().chain(of_calls).chain(of_files);
    let mut unnoticed = Vec::new();
    for (rule, by) in all {
        println!("{rule:?}: {by:?}");
        if by.is_none() {
            unnoticed.push(rule);
        }
    }
    assert_eq!(unnoticed, []);
}
