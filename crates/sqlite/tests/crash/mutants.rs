//! Rules that are left out one after the other, and claims that are false: each must be noticed.

use wordline_crash::Mode;
use wordline_crash::harness::{Failure, Harness};
use wordline_sqlite::crash::{JournalMode, Synchronous};
use wordline_sqlite::{DeviceTraits, VfsFault};

use super::fixtures::{ERASED_SECTORS, LENGTH_FIRST};
use super::setups::{
    ANY_ORDER, BETWEEN, ByteCase, ByteClass, JournalSync, NOTHING, PROMISED, engine, on_nand,
    rtfs_subject,
};
use super::workload::workload;

/// A rule that is left out: in words, and a database without it.
struct Mutant {
    words: &'static str,
    on: &'static str,
    case: ByteCase,
}

const DELETE: JournalSync = (JournalMode::Delete, Synchronous::Full);
const PERSIST: JournalSync = (JournalMode::Persist, Synchronous::Full);
const WAL: JournalSync = (JournalMode::Wal, Synchronous::Full);

/// So many images of any order are drawn, until one fails.
const DRAWN: ByteClass = ByteClass {
    mode: Mode::Sample(6000),
    again: None,
    ..ANY_ORDER
};

const CUT_BETWEEN: ByteClass = ByteClass {
    again: None,
    ..BETWEEN
};

fn mutants() -> Vec<Mutant> {
    let flat = |words, class, journal| Mutant {
        words,
        on: "flat",
        case: ByteCase::new(engine("flat"), class, journal),
    };
    let faulty = |words, class, journal, fault| {
        let mut mutant = flat(words, class, journal);
        mutant.case.fault = Some(fault);
        mutant
    };
    let told = |words, class, journal, traits| {
        let mut mutant = flat(words, class, journal);
        mutant.case.traits = traits;
        mutant
    };
    let littlefs = |words, journal, fault| {
        let mut mutant = faulty(words, CUT_BETWEEN, journal, fault);
        mutant.on = "littlefs";
        mutant.case = ByteCase {
            fault: mutant.case.fault,
            ..ByteCase::new(engine("littlefs"), CUT_BETWEEN, journal)
        };
        mutant
    };
    let off = |journal| (journal, Synchronous::Off);
    let mut all = vec![
        faulty(
            "no sync is made; delete",
            DRAWN,
            DELETE,
            VfsFault::LyingSync,
        ),
        faulty("no sync is made; wal", DRAWN, WAL, VfsFault::LyingSync),
        faulty("no sync of the log; wal", DRAWN, WAL, VfsFault::NoWalSync),
        faulty(
            "no sync of the journal; delete",
            DRAWN,
            DELETE,
            VfsFault::NoJournalSync,
        ),
        faulty(
            "no sync of the database; persist",
            DRAWN,
            PERSIST,
            VfsFault::NoDatabaseSync,
        ),
        faulty(
            "no sync of the database; wal",
            DRAWN,
            WAL,
            VfsFault::NoDatabaseSync,
        ),
        flat("`synchronous=off`; delete", DRAWN, off(JournalMode::Delete)),
        flat("`synchronous=off`; wal", DRAWN, off(JournalMode::Wal)),
        faulty(
            "groups are claimed, and there are none; delete",
            CUT_BETWEEN,
            DELETE,
            VfsFault::ClaimsGroups,
        ),
        told(
            "`sequential` is claimed, and writes land in any order; delete",
            DRAWN,
            DELETE,
            DeviceTraits {
                sequential: true,
                ..PROMISED
            },
        ),
        told(
            "`safe_append` is claimed, and the journal is overwritten; persist",
            DRAWN,
            PERSIST,
            PROMISED,
        ),
        littlefs("no sync is made; delete", DELETE, VfsFault::LyingSync),
        littlefs("no sync of the log; wal", WAL, VfsFault::NoWalSync),
        littlefs(
            "no sync of the database; delete",
            DELETE,
            VfsFault::NoDatabaseSync,
        ),
    ];
    let words = "`safe_append` is claimed, and the length grows first; delete";
    all.push(Mutant {
        words,
        on: "flat whose lengths grow first",
        case: without(true).0,
    });
    let words = "`powersafe_overwrite` is claimed, and sectors are erased; wal";
    all.push(Mutant {
        words,
        on: "flat that rewrites sectors",
        case: without(true).1,
    });
    all
}

/// Databases on files that lack a trait, which is claimed or not.
fn without(is_claimed: bool) -> (ByteCase, ByteCase) {
    let mut append = ByteCase::new(&LENGTH_FIRST, DRAWN, DELETE);
    append.traits.safe_append = is_claimed;
    let mut overwrite = ByteCase::new(&ERASED_SECTORS, CUT_BETWEEN, WAL);
    overwrite.traits = if is_claimed { PROMISED } else { NOTHING };
    (append, overwrite)
}

fn first(case: &ByteCase) -> Option<Failure> {
    let harness = Harness {
        failures_max: 1,
        ..case.harness()
    };
    harness.check(&case.subject(), &workload()).first
}

/// A rule that was left out, what it was left out of, and the first failure.
pub(crate) type Caught = (&'static str, &'static str, Failure);

/// Every mutant with the image that shows it.
pub(crate) fn caught() -> Vec<Caught> {
    let mut missed = Vec::new();
    let mut caught = Vec::new();
    for Mutant { words, on, case } in mutants() {
        match first(&case) {
            Some(failure) => caught.push((words, on, failure)),
            None => missed.push((on, words)),
        }
    }
    let pretends = Harness {
        failures_max: 1,
        ..on_nand(Mode::Linear, None)
    };
    let subject = rtfs_subject(DELETE, true, Some(VfsFault::ClaimsGroups));
    match pretends.check(&subject, &workload()).first {
        Some(failure) => caught.push(("groups are claimed, and not made; delete", "rtfs", failure)),
        None => missed.push(("rtfs", "groups")),
    }
    assert!(missed.is_empty(), "not caught: {missed:?}");
    caught
}

#[test]
fn what_is_not_claimed_is_not_needed() {
    let (mut append, overwrite) = without(false);
    append.class.mode = Mode::Sample(600);
    for case in [append, overwrite] {
        let first = first(&case);
        assert!(first.is_none(), "{first:?}");
    }
}

#[test]
fn what_becomes_valid_together_is_whole_and_less_work() {
    let check = |together| {
        let harness = on_nand(Mode::Linear, None);
        harness.check(&rtfs_subject(DELETE, together, None), &workload())
    };
    let together = check(true);
    assert_eq!(together.failures, 0, "{together:?}");
    let journal = check(false);
    assert!(together.operations < journal.operations, "{together:?}");
}
