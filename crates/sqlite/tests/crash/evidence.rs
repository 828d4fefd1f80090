//! All verdicts, held to what must be, and published. `UPDATE_EVIDENCE=1` writes the page again.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use wordline_crash::Mode;
use wordline_crash::harness::{Again, Failure, Verdict};
use wordline_sqlite::DeviceTraits;
use wordline_sqlite::crash::JournalMode;

use super::damage;
use super::mutants::{Caught, caught};
use super::setups::{
    ANY_ORDER, BETWEEN, ByteCase, ByteClass, JOURNALS, JournalSync, WITHIN, engine, on_nand,
    rtfs_subject,
};
use super::workload::workload;

/// A memory, a journal, and what power cuts left.
type Row = (&'static str, JournalSync, Verdict);

/// The verdicts of a file system on memories of bytes.
fn on_bytes(name: &str, classes: &[ByteClass], journals: &[JournalSync]) -> Vec<Row> {
    let of = |class| journals.iter().map(move |journal| (class, *journal));
    let cases = classes.iter().flat_map(of);
    let verdict = |(class, journal): (&ByteClass, JournalSync)| {
        let case = ByteCase::new(engine(name), *class, journal);
        (class.name, journal, case.check())
    };
    cases.map(verdict).collect()
}

fn on_rtfs(mode: Mode, again: Again) -> Vec<Row> {
    let verdict = |journal| {
        let harness = on_nand(mode, Some(again));
        let verdict = harness.check(&rtfs_subject(journal, false, None), &workload());
        (
            "NAND, pages of 512 B programmed once, in order",
            journal,
            verdict,
        )
    };
    JOURNALS.into_iter().map(verdict).collect()
}

/// Whether SQLite's own assumption does not hold: that a write within a sector lands from one end to the other.
fn is_beyond_sqlite(name: &str, row: &Row) -> bool {
    name == "flat" && row.0 == ANY_ORDER.name && row.1.0 == JournalMode::Persist
}

/// Nothing is lost but where SQLite's assumption does not hold.
fn clean(name: &str, rows: Vec<Row>) -> Vec<Row> {
    for row in rows.iter().filter(|row| !is_beyond_sqlite(name, row)) {
        let (memory, journal, verdict) = row;
        assert_eq!(
            verdict.failures, 0,
            "{name}, {memory}, {journal:?}: {:?}",
            verdict.first
        );
    }
    rows
}

/// Images of flat in any order that SQLite does not survive, of the many that [`a_million_images_hold_what_they_may`] opens.
fn rare() -> Vec<(&'static str, Failure)> {
    let normal = ByteCase {
        traits: DeviceTraits::USUAL,
        ..ByteCase::new(engine("flat"), ANY_ORDER, JOURNALS[1])
    };
    let persist = ByteCase::new(engine("flat"), ANY_ORDER, JOURNALS[3]);
    let cases = [
        ("persist, full", persist, "41.2@0"),
        (
            "delete, normal, without `safe_append`",
            normal,
            "935.2659@0/10.40277@0",
        ),
    ];
    let replayed = cases.map(|(words, database, case)| {
        let case = case.parse().expect("a case");
        let harness = database.harness();
        let failure = harness.replay(&database.subject(), &workload(), &case);
        let failure = failure.expect("the workload has it");
        (words, failure.expect("SQLite does not survive it"))
    });
    replayed.into()
}

#[test]
fn one_journal_loses_nothing_on_flat_and_littlefs_and_does_on_fat() {
    let journals = &JOURNALS[..1];
    for name in ["flat", "littlefs"] {
        for (.., verdict) in clean(name, on_bytes(name, &[BETWEEN], journals)) {
            assert!(verdict.images > 190, "{name}: {verdict:?}");
        }
    }
    let class = ByteClass {
        again: None,
        ..BETWEEN
    };
    let fat = on_bytes("fat", &[class], journals);
    assert!(
        fat.iter().any(|(.., verdict)| verdict.failures > 0),
        "{fat:?}"
    );
}

#[test]
#[ignore = "takes a minute; `make nightly` runs it"]
fn no_transaction_is_lost_or_torn_and_what_breaks_a_promise_is_caught() {
    let classes = [BETWEEN, WITHIN, ANY_ORDER];
    let flat = clean("flat", on_bytes("flat", &classes, &JOURNALS));
    let littlefs = clean("littlefs", on_bytes("littlefs", &classes, &JOURNALS));
    let again = BETWEEN.again.expect("it has second cuts");
    let rtfs = clean("rtfs", on_rtfs(Mode::Linear, again));
    for (memory, journal, verdict) in flat.iter().chain(&littlefs).chain(&rtfs) {
        let (images, again) = match *memory == WITHIN.name {
            true => (50, 10),
            false => (190, 20),
        };
        assert!(verdict.images > images, "{memory} {journal:?}: {verdict:?}");
        assert!(
            verdict.images_again > again,
            "{memory} {journal:?}: {verdict:?}"
        );
    }
    let fat = on_bytes(
        "fat",
        &[BETWEEN, ANY_ORDER].map(|class| ByteClass {
            again: None,
            ..class
        }),
        &JOURNALS,
    );
    assert!(
        fat.iter().any(|(.., verdict)| verdict.failures > 0),
        "{fat:?}"
    );
    let rare = rare();
    let mut page = INTRODUCTION.to_owned();
    for (words, rows) in [
        (FLAT, &flat),
        (LITTLEFS, &littlefs),
        (RTFS, &rtfs),
        (FAT, &fat),
    ] {
        page += words;
        table(&mut page, rows);
    }
    page += BEYOND;
    for (words, failure) in &rare {
        let found = failure.violation.headline();
        writeln!(page, "| {words} | `{}` | {found} |", failure.case).expect("a String");
    }
    page += &damage::published();
    mutants(&mut page, &caught());
    published(&page);
}

fn table(page: &mut String, rows: &[Row]) {
    *page += "\n| memory | journal, sync | images | within recovery and a call after it | distinct | failures |\n|---|---|--:|--:|--:|---|\n";
    for (memory, (journal, sync), verdict) in rows {
        let kinds = verdict.kinds.iter();
        let kinds: Vec<_> = kinds
            .map(|(kind, count)| format!("{count} × {kind}"))
            .collect();
        let failures = match kinds.is_empty() {
            true => "none".to_owned(),
            false => kinds.join("; "),
        };
        let (journal, sync) = (journal.name(), sync.name());
        let (images, again, distinct) = (verdict.images, verdict.images_again, verdict.distinct);
        let row = writeln!(
            page,
            "| {memory} | {journal}, {sync} | {images} | {again} | {distinct} | {failures} |"
        );
        row.expect("a String");
    }
}

fn mutants(page: &mut String, caught: &[Caught]) {
    *page += MUTANTS;
    for (words, on, failure) in caught {
        let found = failure.violation.headline();
        writeln!(page, "| {words} | {on} | `{}` | {found} |", failure.case).expect("a String");
    }
}

const INTRODUCTION: &str = "\
# SQLite under power cuts

SQLite 3.53.2, unmodified, on flat, littlefs 2.9, rtfs and FAT, under the
[crash harness](../concepts/crash-images.md#the-harness). The workload has nine calls on two tables with an index each:
transactions of one to six rows, a row of two pages that makes the file longer, a table that is made and dropped, a checkpoint,
and a rollback whose pages had left the cache. Pages have 512 B. It is recorded once. Each image is mounted, the
database is opened, `PRAGMA integrity_check` must say `ok`, and every row of every table must be that before or after the transaction in
flight; then another transaction is made. Of every twelfth image the recovery and that transaction are cut in turn, at three
drawn places.

What is demanded: a transaction that has returned is there as a whole, any other as a whole or not at all. With `wal` and
`synchronous=normal` the last transactions may be missing, up to the last checkpoint. SQLite is told what the file system
promises (`safe_append`, `powersafe_overwrite`); with `delete, full` it is not told of appends, which is another journal. Where
it is told, `delete` writes and syncs the same with `full` and `normal`.

`UPDATE_EVIDENCE=1 cargo test -p wordline-sqlite --test all crash:: -- --ignored` writes this page again; without the variable
the test fails where the page is stale. It is part of `make nightly`, which opens more than a million images that differ
(`a_million_images_hold_what_they_may`).
";

const FLAT: &str = "
## flat

Nothing is lost, but for `persist` where writes land in any order: see below.
";

const LITTLEFS: &str = "
## littlefs

Blocks of 2 KiB, programs of 64 B. Nothing is lost: a file's changes become valid at its sync, all at once.
";

const RTFS: &str = "
## rtfs

Nothing is lost.
";

const FAT: &str = "
## FAT

It promises nothing, and SQLite is told nothing of it. A journal whose chain of clusters ends before its length
cannot be read, and SQLite refuses the database; recovery is not possible then without a repair of the volume. In these images
no log was lost. That is no promise: sectors of MRAM are not erased before they are rewritten, as those of flash are.
";

const BEYOND: &str = "
## What SQLite assumes, and a memory may lack

[SQLite assumes](https://www.sqlite.org/atomiccommit.html) that a write within a sector lands from one end to the other. A memory that stores in order keeps that.
Where atoms land in any order until a persist, two settings are not safe on files that are overwritten in place:

- **`persist`**: a journal is made invalid by 28 zero bytes over its head. The count of pages can become zero while the head is still
  valid: recovery then cuts the file to its length before the transaction, although that was committed. `truncate` costs the
  same on flat and is safe. Nor is `safe_append` said of such a journal (`DatabaseOptions::may_be_told`): it is
  overwritten, and SQLite would leave out the sync of its records.
- **`delete` with `normal`, without `safe_append`**: a power cut can leave a journal that begins with zeros. The next transaction
  overwrites it, and one sync is to make its pages and its head last. A head can land without a page, whose
  checksum covers two of its 512 bytes. With `full`, or where `safe_append` is told, no image shows it.

Of 20,000 drawn images, 8 to 22 show the first; of 40,000, one shows the second, in a cut after a recovery.

| journal, sync | case | what is found |
|---|---|---|
";

const MUTANTS: &str = "
## Rules that are left out, and claims that are false

Each is caught; the case names the first image that shows it. What is not claimed is not needed: without the claim the last two
file systems lose nothing. Hidden by the file system: the syncs of the journal on littlefs, whose files change at once, and
those of the database on flat with `delete` and `truncate`, because flat persists what was written before it
changes a name or a shorter length.

| what is left out or claimed; journal | file system | first case | what is found |
|---|---|---|---|
";

fn published(page: &str) {
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/evidence/sql-power-cuts.md");
    if env::var_os("UPDATE_EVIDENCE").is_some() {
        fs::write(&file, page).expect("the docs folder is writable");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == page,
        "docs/evidence/sql-power-cuts.md is stale; run: UPDATE_EVIDENCE=1 cargo test -p wordline-sqlite --test all crash:: -- --ignored"
    );
}

/// `make nightly`: flat on memories that land writes in any order, torn writes of all, and the flash of rtfs.
#[test]
#[ignore = "takes minutes; `make nightly` runs it"]
fn a_million_images_hold_what_they_may() {
    let wide = |class: ByteClass, images| ByteClass {
        mode: Mode::Sample(images),
        again: Some(Again {
            every: 50,
            mode: Mode::Sample(10),
        }),
        ..class
    };
    let small_atom = ByteClass {
        name: "any order until a persist, atom 2 B",
        atom: 2,
        ..ANY_ORDER
    };
    // What SQLite does not survive in any order is left out: see the page.
    let all = &JOURNALS;
    let (rollback, log) = ([JOURNALS[0], JOURNALS[1], JOURNALS[2]], &JOURNALS[4..]);
    let of = |images| [wide(ANY_ORDER, images), wide(small_atom, images)];
    let flat = [
        on_bytes("flat", &[wide(WITHIN, 40_000)], all),
        on_bytes("flat", &of(150_000), &rollback),
        on_bytes("flat", &of(400_000), log),
    ];
    let littlefs = [wide(WITHIN, 8_000), wide(ANY_ORDER, 8_000)];
    let again = Again {
        every: 50,
        mode: Mode::Sample(10),
    };
    let mut distinct = 0;
    for (name, rows) in [
        ("flat", flat.concat()),
        ("littlefs", on_bytes("littlefs", &littlefs, all)),
        ("rtfs", on_rtfs(Mode::Sample(8_000), again)),
    ] {
        let mut page = String::new();
        table(&mut page, &rows);
        println!("{name}\n{page}");
        distinct += rows.iter().map(|row| row.2.distinct).sum::<u64>();
        clean(name, rows);
    }
    assert!(distinct > 1_000_000, "{distinct}");
}
