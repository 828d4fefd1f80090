//! SQLite on littlefs and rtfs, cut at every moment of a short workload.

use wordline_crash::harness::{Again, Harness, Verdict};
use wordline_crash::{ByteTearing, Content, Mode};
use wordline_engines::crash::StoredBytes;
use wordline_engines::{FILE_SYSTEMS, FsOptions, named};
use wordline_sqlite::crash::{
    DatabaseOptions, JournalMode, RowChange, SqlCall, SqlSubject, Synchronous,
};
use wordline_sqlite::{SqliteSettings, VfsFault};

/// A value of so many bytes.
fn value(byte: u8, bytes: usize) -> StoredBytes {
    StoredBytes(
        (0..bytes)
            .map(|place| byte.wrapping_add(place as u8))
            .collect(),
    )
}

/// Rows in several pages.
fn before() -> Vec<SqlCall> {
    let rows = (0..8).map(|key| RowChange::Put("t", key, value(key as u8, 200)));
    vec![SqlCall::CreateTable("t"), SqlCall::Change(rows.collect())]
}

fn workload() -> Vec<SqlCall> {
    let put = |key, byte, bytes| RowChange::Put("t", key, value(byte, bytes));
    vec![
        SqlCall::Change(vec![put(20, 40, 60), put(21, 41, 60)]),
        SqlCall::Change(vec![
            put(0, 50, 150),
            put(7, 51, 300),
            RowChange::Remove("t", 3),
        ]),
        SqlCall::CreateTable("u"),
        SqlCall::Change(vec![RowChange::Put("u", 1, value(60, 20)), put(0, 61, 700)]),
        SqlCall::Checkpoint,
        SqlCall::Change((0..6).map(|key| RowChange::Remove("t", key)).collect()),
        SqlCall::Change(vec![put(5, 70, 30), RowChange::Put("u", 1, value(71, 40))]),
    ]
}

fn after() -> Vec<SqlCall> {
    vec![SqlCall::Change(vec![RowChange::Put("t", 99, value(9, 9))])]
}

fn subject(
    journal: JournalMode,
    synchronous: Synchronous,
    fault: Option<VfsFault>,
) -> SqlSubject<'static, ByteTearing> {
    let engine = named(FILE_SYSTEMS, "littlefs").expect("it is in the list");
    let options = FsOptions::from([("block", 512), ("prog", 64), ("read", 64)]);
    let blocks = options.clone();
    let contract = move |memory, _: bool| engine.on_bytes(memory, &blocks);
    let database = DatabaseOptions {
        journal,
        synchronous,
        page_bytes: 512,
        checkpoint_pages: 12,
    };
    SqlSubject {
        settings: SqliteSettings {
            fault,
            ..SqliteSettings::default()
        },
        before: before(),
        after: after(),
        ..SqlSubject::new(engine, options, contract, database)
    }
}

/// MRAM on a 16-bit bus, with ECC words of 8 bytes, cut between any two operations, and again within one recovery in
/// twenty.
fn harness() -> Harness<ByteTearing> {
    let mut harness = Harness::new(Content::zeros(64 << 10, 2), ByteTearing::bus(2).spoiling(8));
    harness.mode = Mode::Linear;
    harness.again = Some(Again {
        every: 20,
        mode: Mode::Sample(10),
    });
    harness
}

fn check(journal: JournalMode, synchronous: Synchronous, fault: Option<VfsFault>) -> Verdict {
    let mut harness = harness();
    if fault.is_some() || synchronous == Synchronous::Off {
        harness.again = None;
        harness.failures_max = 1;
    }
    let verdict = harness.check(&subject(journal, synchronous, fault), &workload());
    println!(
        "{} {} {fault:?}: {} operations, {} images, {} again, {} failures: {:?}",
        journal.name(),
        synchronous.name(),
        verdict.operations,
        verdict.images,
        verdict.images_again,
        verdict.failures,
        verdict.first
    );
    verdict
}

#[test]
fn no_transaction_is_lost_or_torn_in_any_journal_mode() {
    use JournalMode::{Delete, Persist, Truncate, Wal};
    for (journal, synchronous) in [
        (Delete, Synchronous::Full),
        (Truncate, Synchronous::Full),
        (Persist, Synchronous::Full),
        (Wal, Synchronous::Full),
        (Wal, Synchronous::Normal),
    ] {
        let verdict = check(journal, synchronous, None);
        assert_eq!(
            verdict.failures, 0,
            "{journal:?} {synchronous:?}: {verdict:?}"
        );
        assert!(verdict.images > 200, "{journal:?}: {verdict:?}");
        assert!(verdict.images_again > 50, "{journal:?}: {verdict:?}");
    }
}

#[test]
fn what_breaks_a_promise_is_caught() {
    use JournalMode::{Delete, Wal};
    let lost = "what was committed is lost or changed";
    for (journal, synchronous, fault, found) in [
        (Delete, Synchronous::Full, Some(VfsFault::LyingSync), lost),
        (Wal, Synchronous::Full, Some(VfsFault::LyingSync), lost),
        (Wal, Synchronous::Full, Some(VfsFault::NoWalSync), lost),
        (
            Delete,
            Synchronous::Full,
            Some(VfsFault::NoDatabaseSync),
            lost,
        ),
        // The database is damaged.
        (Delete, Synchronous::Off, None, "the store cannot be read"),
    ] {
        let verdict = check(journal, synchronous, fault);
        let first = verdict.first.expect("caught").violation;
        assert_eq!(
            first.headline(),
            found,
            "{journal:?} {synchronous:?} {fault:?}"
        );
    }
}
