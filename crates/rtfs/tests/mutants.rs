//! Each rule of the layer, left out: power cuts or random calls notice it.

use wordline_memory::EraseMode;
use wordline_rtfs::PacedRule::{self, *};
use wordline_rtfs::PacedRules;

use crate::files::power_cuts::cuts_of_files_notice;
use crate::model::calls_notice;
use crate::power_cuts::cuts_notice;
use crate::scenes;

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

/// Rules that random calls notice by the bound, and how erases run then.
const OF_CALLS: [(PacedRule, EraseMode); 5] = [
    (GoneWhenMoved, EraseMode::Awaited),
    (StepsPaid, EraseMode::Awaited),
    (HeaderTakesSteps, EraseMode::Awaited),
    (EraseTakesSteps, EraseMode::Awaited),
    (PartsPaid, EraseMode::Suspends),
];

/// Rules that a sequence of calls notices which is made for it.
const OF_SCENES: [(PacedRule, fn(PacedRules)); 7] = [
    (PreviousKept, scenes::a_block_before_is_needed),
    (GroupLive, scenes::a_group_spans_three_blocks),
    (SequenceJumps, scenes::an_end_page_reads_again),
    (DiscardKept, scenes::a_discard_frees_a_block),
    (LastPageIsCallers, scenes::blocks_are_short_at_the_last_page),
    (MountFrees, scenes::each_write_is_mounted),
    (MountNotesDead, scenes::blocks_hold_one_dead_page_each),
];

/// Rules that power cuts of files notice.
const OF_FILES: [PacedRule; 1] = [MapWaits];

#[test]
fn each_rule_left_out_is_noticed() {
    std::panic::set_hook(Box::new(|_| {}));
    let of_cuts = OF_CUTS.map(|(rule, by)| (rule, cuts_notice(rule, by)));
    let of_calls = OF_CALLS.map(|(rule, erases)| (rule, calls_notice(rule, erases)));
    let of_scenes = OF_SCENES.map(|(rule, scene)| {
        let left_out = || scene(PacedRules::without(rule));
        (rule, std::panic::catch_unwind(left_out).is_err())
    });
    let of_files = OF_FILES.map(|rule| (rule, cuts_of_files_notice(rule)));
    let _ = std::panic::take_hook();
    let all = of_cuts.into_iter().chain(of_calls).chain(of_scenes);
    let all = all.chain(of_files);
    let unnoticed: Vec<_> = all.filter(|(_, noticed)| !noticed).collect();
    assert_eq!(unnoticed, []);
}

#[test]
fn the_scenes_pass_with_every_rule() {
    for (_, scene) in OF_SCENES {
        scene(PacedRules::ALL);
    }
}
