//! The formula against the controller that steps through its commands.

use proptest::prelude::*;

use super::banks::{Banks, BurstDirection};
use super::bound::Most;
use super::spec::{AddressLayout, Clocks};
use super::tests::{CLOCKS, LAYOUT, Op, op, some_clocks, some_layout};

/// The first operation that takes longer than its bound, and by how many clocks: of a chip of some
/// clocks, and a bound that knows others.
fn exceeded(
    chip: Clocks,
    known: &Clocks,
    layout: &AddressLayout,
    ops: &[Op],
) -> Option<(usize, u64)> {
    let most = Most {
        clocks: known,
        layout,
    };
    let mut banks = Banks::new(chip, *layout);
    let mut now = 0;
    for (index, op) in ops.iter().enumerate() {
        let (start, end, bound) = match *op {
            Op::Access(direction, at, bytes, pause) => {
                let range = at..at + bytes;
                let start = now + pause;
                let spent = banks.access(start, direction, range.clone(), &mut |_| {});
                (start, spent.end, most.access(direction, pause, range))
            }
            Op::Store(pause) => {
                let start = now + pause;
                (
                    start,
                    banks.store(start, &mut |_| {}).end,
                    most.store(pause),
                )
            }
        };
        if end - start > bound {
            return Some((index, end - start - bound));
        }
        now = end;
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_access_and_no_store_exceeds_its_bound(
        clocks in some_clocks(),
        layout in some_layout(),
        ops in prop::collection::vec(op(), 1..20),
    ) {
        prop_assert_eq!(exceeded(clocks, &clocks, &layout, &ops), None);
    }
}

/// Rows that were written last, at once before an access that needs others of the same banks.
#[test]
fn the_worst_case_is_reached() {
    let most = Most {
        clocks: &CLOCKS,
        layout: &LAYOUT,
    };
    for (direction, bytes) in [(BurstDirection::Read, 256), (BurstDirection::Write, 4000)] {
        let mut banks = Banks::new(CLOCKS, LAYOUT);
        let all = LAYOUT.row_bytes * LAYOUT.banks;
        let before = banks.access(0, BurstDirection::Write, 0..16, &mut |_| {});
        let range = all..all + bytes;
        let spent = banks.access(before.end, direction, range.clone(), &mut |_| {});
        let bound = most.access(direction, 0, range);
        // tFAW is counted as if four rows had been opened at the last moment.
        let window = CLOCKS.t_faw - 90 - 9 - 4 - (CLOCKS.t_wr + CLOCKS.t_rp);
        assert_eq!(spent.end - before.end + window, bound);
        // A while later that does not matter any more, and the bound is what happens.
        let mut banks = Banks::new(CLOCKS, LAYOUT);
        let before = banks.access(0, BurstDirection::Write, 0..16, &mut |_| {});
        let start = before.end + 200;
        let range = all..all + bytes;
        let spent = banks.access(start, direction, range.clone(), &mut |_| {});
        assert_eq!(spent.end - start, most.access(direction, 200, range));
    }
}

/// A bound that does not know a rule which the chip keeps.
#[test]
fn a_bound_that_forgets_a_time_is_exceeded() {
    let slow = Clocks {
        t_faw: 400,
        t_ras: 200,
        t_rp: 40,
        t_wr: 300,
        ..CLOCKS
    };
    let narrow = AddressLayout { banks: 2, ..LAYOUT };
    let ops = [
        Op::Access(BurstDirection::Write, 0, 16, 0),
        Op::Access(BurstDirection::Read, 64 << 10, 16, 0),
        Op::Access(BurstDirection::Write, 0, 4000, 300),
        Op::Access(BurstDirection::Read, 64 << 10, 8000, 300),
        Op::Access(BurstDirection::Write, 0, 16, 0),
        Op::Store(0),
    ];
    type Forget = fn(&mut Clocks);
    let mutants: [(AddressLayout, Forget); 7] = [
        (LAYOUT, |clocks| clocks.t_rcd = 0),
        (LAYOUT, |clocks| clocks.t_cl = 0),
        (LAYOUT, |clocks| clocks.t_rp = 0),
        (LAYOUT, |clocks| clocks.t_faw = 0),
        (LAYOUT, |clocks| clocks.t_st = 0),
        (narrow, |clocks| clocks.t_wr = 0),
        (narrow, |clocks| clocks.burst = 3),
    ];
    for (index, (layout, forget)) in mutants.iter().enumerate() {
        assert_eq!(exceeded(slow, &slow, layout, &ops), None);
        let mut known = slow;
        forget(&mut known);
        let caught = exceeded(slow, &known, layout, &ops);
        assert!(caught.is_some(), "mutant {index}");
    }
}
