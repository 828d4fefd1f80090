//! Cache reads, cache programs and work on several planes, on an invented parallel NAND.

use proptest::prelude::*;
use wordline_core::Timing;
use wordline_memory::FlashError as _;

use super::*;
use crate::Board;
use crate::Conditions;
use crate::Named;
use crate::chip::nand::Faults;
use crate::cost::Cause;
use crate::device::Accounts;
use crate::model::ChipModel as _;

const PAGES: u32 = 8;
const BYTES: usize = 512;

fn sheet() -> NandSheet {
    let sheet: NandSheet =
        toml::from_str(include_str!("../../tests/data/parallel_nand.toml")).expect("well-formed");
    assert_eq!(sheet.problems(), []);
    sheet
}

fn device_at(timing: Timing, pipelines: &[Pipeline]) -> Wired<Nand> {
    let board: Board =
        toml::from_str(include_str!("../../tests/data/parallel_board.toml")).expect("well-formed");
    assert_eq!(board.problems(), []);
    let (part, board) = (
        Named {
            id: "part",
            sheet: &sheet(),
        },
        Named {
            id: "board",
            sheet: &board,
        },
    );
    let conditions = Conditions {
        timing,
        age: 0.0,
        seed: 3,
    };
    let mut device = Wired::connect(part, board, conditions).expect("fits");
    for &pipeline in pipelines {
        assert!(device.use_pipeline(pipeline), "{pipeline:?}");
    }
    device
}

fn device(pipelines: &[Pipeline]) -> Wired<Nand> {
    device_at(Timing::Typ, pipelines)
}

/// Whole pages, one after the other in the caller's bytes.
fn parts(pages: &[u32]) -> Vec<PagePart> {
    let place = |(index, page): (usize, &u32)| PagePart {
        page: *page,
        column: 0,
        range: index * BYTES..(index + 1) * BYTES,
    };
    pages.iter().enumerate().map(place).collect()
}

fn payload(pages: usize) -> Vec<u8> {
    (0..pages * BYTES).map(|at| (at / 3 % 251) as u8).collect()
}

/// Blocks 0 and 1 lie in different planes: page i of both, in turn.
fn striped(pages: u32) -> Vec<u32> {
    (0..pages).flat_map(|page| [page, PAGES + page]).collect()
}

const ALL: [Pipeline; 3] = [
    Pipeline::CacheRead,
    Pipeline::CacheProgram,
    Pipeline::MultiPlane,
];

fn us(cost: &crate::cost::AccessCost, cause: Cause) -> f64 {
    cost.of(cause).ps() as f64 / 1e6
}

/// Eight pages take eight times 200 us; behind each other the loads of 22 us hide, and on two planes
/// half of the programs do.
#[test]
fn programs_overlap_with_loads_and_with_each_other() {
    let total = |pipelines: &[Pipeline], pages: &[u32]| {
        let mut device = device(pipelines);
        let data = payload(pages.len());
        device.program_parts(&parts(pages), &data).expect("erased");
        let last = *device.last_cost();
        let mut out = vec![0; data.len()];
        device.read_parts(&parts(pages), &mut out).expect("good");
        assert_eq!(out, data, "{pipelines:?}");
        last.total().ps() as f64 / 1e6
    };
    let row: Vec<u32> = (0..PAGES).collect();
    let plain = total(&[], &row);
    // A load is 6 commands, 512 bytes at 40 ns and 1 us of driver; an execute, its driver and a poll
    // come on top.
    assert!((8.0 * 220.0..8.0 * 230.0).contains(&plain), "{plain}");
    let cached = total(&[Pipeline::CacheProgram], &row);
    assert!(
        (8.0 * 204.0..8.0 * 209.0 + 30.0).contains(&cached),
        "{cached}"
    );
    let planes = total(&[Pipeline::MultiPlane], &striped(4));
    assert!((4.0 * 245.0..4.0 * 260.0).contains(&planes), "{planes}");
    let both = total(&ALL, &striped(4));
    assert!((4.0 * 204.0..4.0 * 209.0 + 60.0).contains(&both), "{both}");
}

#[test]
fn erases_and_reads_of_two_planes_take_one_array_time() {
    let mut device = device(&[Pipeline::MultiPlane]);
    device.erase_blocks(&[0, 1, 2, 3]).expect("good");
    assert_eq!(us(device.last_cost(), Cause::Erase).round(), 4002.0);
    // Blocks of one plane take their turns.
    device.erase_blocks(&[0, 2]).expect("good");
    assert_eq!(us(device.last_cost(), Cause::Erase).round(), 4000.0);
    let mut out = vec![0; 2 * BYTES];
    device
        .read_parts(&parts(&[0, PAGES]), &mut out)
        .expect("erased");
    assert_eq!(us(device.last_cost(), Cause::ArrayRead).round(), 51.0);
    assert_eq!(out, vec![0xff; 2 * BYTES]);
    assert_eq!(device.wear().most, 2);
}

/// A cache read that knows the next page alone begins anew behind a block or a gap, and gives the
/// right bytes.
#[test]
fn a_sequential_cache_read_begins_anew_behind_a_gap() {
    let pages = [6, 7, 8, 9, 11, 12];
    let mut device = device(&[Pipeline::CacheRead]);
    let data = payload(pages.len());
    device.program_parts(&parts(&pages), &data).expect("erased");
    let mut out = vec![0; data.len()];
    device.read_parts(&parts(&pages), &mut out).expect("good");
    assert_eq!(out, data);
    // Three runs of two pages: each waits for its first page whole.
    // and the second only for its move.
    let array = us(device.last_cost(), Cause::ArrayRead);
    assert!(
        (150.0..285.0).contains(&array),
        "page by page it is 300: {array}"
    );
}

/// The page that failed is named, not the last of its group.
#[test]
fn a_failure_on_several_planes_names_its_page() {
    for (bad, page) in [(0, 0), (1, PAGES)] {
        let mut device = device(&[Pipeline::MultiPlane]);
        device.chip_mut().fail_block(bad).expect("inside");
        let program = device.program_parts(&parts(&[0, PAGES]), &payload(2));
        assert_eq!(program, Err(NvmError::ProgramFailed { page }));
        let other = 1 - bad;
        let mut out = [0; BYTES];
        device.read(other * PAGES, 0, &mut out).expect("sound");
        assert_ne!(out, [0xff; BYTES], "the other plane was programmed");
        assert_eq!(
            device.erase_blocks(&[0, 1]),
            Err(NvmError::EraseFailed { block: bad })
        );
    }
}

/// A cache program finds out one group later; that group is programmed as well.
#[test]
fn a_failure_in_a_cache_program_names_its_page_one_group_later() {
    let mut device = device(&[Pipeline::CacheProgram]);
    device.chip_mut().fail_block(0).expect("inside");
    let pages = [0, PAGES, PAGES + 1];
    let program = device.program_parts(&parts(&pages), &payload(3));
    assert_eq!(program, Err(NvmError::ProgramFailed { page: 0 }));
    let mut out = [0; BYTES];
    device.read(PAGES, 0, &mut out).expect("sound");
    assert_eq!(out[..], payload(3)[BYTES..2 * BYTES]);
    device.read(PAGES + 1, 0, &mut out).expect("sound");
    assert_eq!(out, [0xff; BYTES], "the third was not begun");
    // Two failures in a row, then a program elsewhere: what failed before is not laid to it.
    let both = device.program_parts(&parts(&[2, 3, PAGES + 2]), &payload(3));
    assert_eq!(both, Err(NvmError::ProgramFailed { page: 2 }));
    let sound = device.program_parts(&parts(&[PAGES + 3, PAGES + 4]), &payload(2));
    assert_eq!(sound, Ok(()));
    // The last group fails with the plain status.
    device.erase(1).expect("sound");
    let last = device.program_parts(&parts(&[PAGES, 5]), &payload(2));
    assert_eq!(last, Err(NvmError::ProgramFailed { page: 5 }));
}

#[test]
fn what_was_kept_is_dropped_when_the_next_command_does_not_go_with_it() {
    let mut device = device(&ALL);
    let keep = device.bus(Action::ErasePlane, 0, 0).expect("driven");
    let start = device.clock().now();
    device
        .chip_mut()
        .erase_plane(start, &keep, 0)
        .expect("idle");
    let read = device.bus(Action::PageRead, 0, 0).expect("driven");
    let later = device.chip().busy_until();
    let refused = device.chip_mut().page_read(later, &read, 0);
    assert!(matches!(refused, Err(NvmError::Misuse(_))), "{refused:?}");
    device
        .chip_mut()
        .page_read(later, &read, 0)
        .expect("nothing is kept");
}

proptest! {
    /// Whatever ways are in use, the bytes and the failures are those of page by page, and the time is
    /// not longer.
    #[test]
    fn pipelines_change_time_alone(
        used in prop::sample::subsequence(ALL.to_vec(), 0..=3),
        timing in prop::sample::select(vec![Timing::Typ, Timing::Max, Timing::Sampled]),
        pages in prop::collection::btree_set(0u32..32, 1..12),
        stripe in any::<bool>(),
    ) {
        let mut pages: Vec<u32> = pages.into_iter().collect();
        if stripe {
            pages.sort_by_key(|page| (page % PAGES, page / PAGES));
        }
        let data = payload(pages.len());
        let run = |pipelines: &[Pipeline]| {
            let mut device = device_at(timing, pipelines);
            device.chip_mut().set_faults(Faults { program_failure: 0.0, ..Faults::default() });
            let before = device.clock().now();
            let program = device.program_parts(&parts(&pages), &data).map_err(|error| error.kind());
            let mut out = vec![0; data.len()];
            let read = device.read_parts(&parts(&pages), &mut out).map_err(|error| error.kind());
            (program, read, out, device.clock().now().since(before))
        };
        let (program, read, bytes, time) = run(&used);
        let (plain_program, plain_read, plain_bytes, plain_time) = run(&[]);
        prop_assert_eq!((program, read, bytes), (plain_program, plain_read, plain_bytes));
        // Each way adds commands and moves of a few microseconds where it hides nothing.
        let slack = 10_000_000 * pages.len() as u64;
        prop_assert!(time.ps() <= plain_time.ps() + slack, "{} {}", time, plain_time);
    }
}
