//! A number beside its complement: what software does that meets damage, on a memory of bytes.

use std::collections::BTreeMap;

use wordline_memory::ByteMemory;

use super::super::{Harness, Outcome, Recorded, Subject, Violation, each_item};
use crate::{ByteTearing, Content};

/// What is done about a number that does not fit its complement.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// The number before it is still there.
    Fallback,
    Panic,
    ReadAgain,
    /// The number before it is written over it, one byte after the other.
    Rewrite,
    /// The same, and none is waited for.
    RewriteUnsaved,
}

struct Cell(Damage);

type Memory = Recorded<ByteTearing>;

fn slot(memory: &mut Memory, slot: u64) -> Outcome<Option<u32>> {
    let mut bytes = [0; 8];
    memory.read(8 * slot, &mut bytes)?;
    let [value, complement] = [0, 4].map(|at| {
        let word = bytes[at..at + 4].try_into().unwrap_or_default();
        u32::from_le_bytes(word)
    });
    Ok((value == !complement).then_some(value))
}

/// Two slots, written in turn; a number of 16 bits with a count of writes above it.
impl Subject for Cell {
    type Medium = ByteTearing;
    type Store = Memory;
    type Call = u32;
    type State = u32;

    fn prepare(&self, mut memory: Memory) -> Outcome<()> {
        memory.write(0, &[0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF])?;
        memory.write(8, &[0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF])?;
        Ok(())
    }

    fn open(&self, mut memory: Memory) -> Outcome<Memory> {
        for (broken, other) in [(0, 1), (1, 0)] {
            while slot(&mut memory, broken)?.is_none() {
                match self.0 {
                    Damage::Fallback => break,
                    Damage::Panic => panic!("slot {broken} is torn"),
                    Damage::ReadAgain => {}
                    Damage::Rewrite | Damage::RewriteUnsaved => {
                        let mut bytes = [0; 8];
                        memory.read(8 * other, &mut bytes)?;
                        for (place, byte) in (8 * broken..).zip(bytes) {
                            memory.write(place, &[byte])?;
                        }
                        if matches!(self.0, Damage::Rewrite) {
                            memory.persist()?;
                        }
                    }
                }
            }
        }
        Ok(memory)
    }

    fn apply(&self, memory: &mut Memory, value: &u32) -> Outcome<()> {
        let found = [slot(memory, 0)?, slot(memory, 1)?];
        let count = found
            .iter()
            .flatten()
            .map(|word| word >> 16)
            .max()
            .unwrap_or(0)
            + 1;
        let word = count << 16 | value;
        let target = if found[0] > found[1] { 8 } else { 0 };
        memory.write(target, &word.to_le_bytes())?;
        memory.write(target + 4, &(!word).to_le_bytes())?;
        memory.persist()?;
        Ok(())
    }

    fn read(&self, memory: &mut Memory) -> Outcome<u32> {
        let newest = slot(memory, 0)?.max(slot(memory, 1)?);
        Ok(newest.ok_or("both slots are torn")? & 0xFFFF)
    }

    fn next(&self, _: &u32, value: &u32) -> u32 {
        *value
    }

    fn after(&self) -> Vec<u32> {
        vec![77]
    }
}

fn check(damage: Damage) -> Option<Violation> {
    let mut harness = Harness::new(Content::zeros(16, 4), ByteTearing::contract());
    harness.accesses = 1_000;
    let verdict = harness.check(&Cell(damage), &[1, 2, 3, 500, 5, 6]);
    assert!(verdict.images > 20, "{verdict:?}");
    verdict.first.map(|failure| failure.violation)
}

#[test]
fn a_fallback_is_found_in_every_image() {
    assert_eq!(check(Damage::Fallback), None);
    // A repair may be torn, as long as it is whole before the other slot is written.
    assert_eq!(check(Damage::Rewrite), None);
    assert_eq!(check(Damage::RewriteUnsaved), Some(Violation::Endless));
}

#[test]
fn a_panic_and_a_loop_without_end_are_failures() {
    assert_eq!(
        check(Damage::Panic),
        Some(Violation::Panic("slot 0 is torn".to_owned()))
    );
    assert_eq!(check(Damage::ReadAgain), Some(Violation::Endless));
}

#[test]
fn items_are_judged_one_by_one() {
    let state = |items: &[(u32, u32)]| items.iter().copied().collect::<BTreeMap<_, _>>();
    let allowed = [
        state(&[(1, 10), (2, 20)]),
        state(&[(1, 11), (2, 20), (3, 30)]),
    ];
    let judge = |items| each_item(&state(items), &allowed);
    for fine in [&[(1, 10), (2, 20), (3, 30)][..], &[(1, 11), (2, 20)]] {
        assert_eq!(judge(fine), Ok(()), "{fine:?}");
    }
    for (wrong, word) in [
        (&[(1, 12), (2, 20)][..], "neither"),
        (&[(1, 10)], "lost"),
        (&[(1, 10), (2, 20), (4, 40)], "nobody stored"),
    ] {
        let said = judge(wrong).expect_err("wrong");
        assert!(said.contains(word), "{said}");
    }
}
