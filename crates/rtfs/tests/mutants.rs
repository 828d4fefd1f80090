//! Each rule of the layer, left out: power cuts or random calls notice it.

use wordline_rtfs::PacedRule::{self, *};

use crate::files::power_cuts::cuts_of_files_notice;
use crate::model::calls_notice;
use crate::power_cuts::cuts_notice;

/// Rules that power cuts notice, and the setup in which they do.
const OF_CUTS: [(PacedRule, &str); 8] = [
    (LastUnitCopied, "behind an ECC"),
    (MountEnds, "chains on few pages"),
    (UnitKept, "erases in parts and blocks that fail"),
    (
        GroupStays,
        "chains of large groups and blocks that fail, with erases in parts",
    ),
    (GroupInHeader, "chains of large groups and blocks that fail"),
    (EraseFirst, "chains on few pages"),
    (
        MovedMapKeepsChanges,
        "chains of large groups and blocks that fail",
    ),
    (ScanGoesOn, "mounts"),
];

/// Rules that random calls notice.
const OF_CALLS: [PacedRule; 4] = [GoneWhenMoved, StepsPaid, HeaderTakesSteps, EraseTakesSteps];

/// Rules that power cuts of files notice.
const OF_FILES: [PacedRule; 1] = [MapWaits];

#[test]
fn each_rule_left_out_is_noticed() {
    std::panic::set_hook(Box::new(|_| {}));
    let of_cuts = OF_CUTS.map(|(rule, by)| (rule, cuts_notice(rule, by)));
    let of_calls = OF_CALLS.map(|rule| (rule, calls_notice(rule).is_some()));
    let of_files = OF_FILES.map(|rule| (rule, cuts_of_files_notice(rule)));
    let _ = std::panic::take_hook();
    let all = of_cuts.into_iter().chain(of_calls).chain(of_files);
    let unnoticed: Vec<_> = all.filter(|(_, noticed)| !noticed).collect();
    assert_eq!(unnoticed, []);
}
