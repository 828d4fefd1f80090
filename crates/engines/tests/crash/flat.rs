//! flat: what lies within a file's length may be torn between atoms, and nothing else.

use wordline_crash::harness::{Again, Harness, Verdict};
use wordline_crash::{ByteTearing, Content, Mode};
use wordline_engines::crash::FileSubject;
use wordline_engines::{FILE_SYSTEMS, FileSystemEngine, FsOptions, named};

use crate::crash::workload::{after, workload};

/// Of millions of images of a memory that stores in any order, this many are drawn.
const DRAWN: usize = 20_000;

fn flat() -> &'static dyn FileSystemEngine {
    named(FILE_SYSTEMS, "flat").expect("it is in the list")
}

/// On a memory of 16 KiB with an atom of some bytes.
fn check(atom: usize, tearing: ByteTearing) -> (Verdict, Vec<String>) {
    let options = FsOptions::new();
    let contract = |memory, _| flat().on_bytes(memory, &FsOptions::new());
    let subject = FileSubject {
        after: flat().single_changes(after(), 1),
        ..flat().subject(options, contract)
    };
    let harness = Harness {
        mode: match tearing.buffered {
            true => Mode::Sample(DRAWN),
            false => Mode::Exhaustive,
        },
        again: Some(Again {
            every: 32,
            mode: Mode::Sample(40),
        }),
        ..Harness::new(Content::zeros(16 << 10, atom), tearing)
    };
    let verdict = harness.check(&subject, &flat().single_changes(workload(), 1));
    (verdict, subject.unexcused.take())
}

/// MRAM on a bus of 16 bits.
pub(crate) fn on_mram() -> (Verdict, Vec<String>) {
    check(2, ByteTearing::bus(2))
}

/// A memory that stores in any order until a persist.
pub(crate) fn in_any_order(atom: usize) -> (Verdict, Vec<String>) {
    check(atom, ByteTearing::contract())
}
