//! SQLite on littlefs and rtfs, cut at every moment of a short workload.

use wordline_crash::harness::{Again, Harness, Verdict};
use wordline_crash::{ByteTearing, Content, FlashContent, FlashTearing, Mode};
use wordline_engines::crash::StoredBytes;
use wordline_engines::{Contract, FILE_SYSTEMS, FlashBox, FsOptions, SpareFlash, named};
use wordline_memory::Geometry;
use wordline_rtfs::PacedGround;
use wordline_sqlite::crash::{
    DatabaseOptions, JournalMode, RowChange, SqlCall, SqlSubject, Synchronous,
};
use wordline_sqlite::{DeviceTraits, SqliteSettings, VfsFault};

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
        log_limit_bytes: None,
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
    harness.check(&subject(journal, synchronous, fault), &workload())
}

#[test]
fn no_transaction_is_lost_or_torn_in_any_journal_mode() {
    use JournalMode::{Delete, Persist, Truncate, Wal};
    for (journal, synchronous) in [
        (Delete, Synchronous::Full),
        (Delete, Synchronous::Normal),
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
    use JournalMode::{Delete, Memory, Wal};
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
        (
            Memory,
            Synchronous::Full,
            Some(VfsFault::NoDatabaseSync),
            lost,
        ),
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

/// A NAND flash whose pages are programmed once, in order.
const NAND: Geometry = Geometry {
    page_bytes: 512,
    spare_bytes: 16,
    pages_per_block: 32,
    blocks: 40,
    program_bytes: 1,
    programs_per_page: Some(1),
    once_bytes: None,
    in_order: true,
};

/// rtfs, whose writes can become valid together.
fn on_rtfs(batch_atomic: bool, fault: Option<VfsFault>) -> Verdict {
    let engine = named(FILE_SYSTEMS, "rtfs").expect("it is in the list");
    let contract = |memory, _: bool| {
        Ok(Contract::SpareFlash(SpareFlash {
            flash: FlashBox::new(memory),
            columns: std::array::from_fn(|byte| 1 + byte as u32),
            ground: PacedGround {
                geometry: NAND,
                bad_blocks: 2,
            },
        }))
    };
    let database = DatabaseOptions {
        journal: JournalMode::Delete,
        synchronous: Synchronous::Full,
        page_bytes: 512,
        checkpoint_pages: 0,
        log_limit_bytes: None,
    };
    let subject = SqlSubject {
        settings: SqliteSettings {
            traits: DeviceTraits {
                batch_atomic,
                ..DeviceTraits::USUAL
            },
            fault,
            ..SqliteSettings::default()
        },
        before: before(),
        after: after(),
        ..SqlSubject::new(engine, FsOptions::from([("spare", 60)]), contract, database)
    };
    let mut harness = Harness::new(FlashContent::erased(NAND), FlashTearing::raw());
    harness.mode = Mode::Linear;
    harness.again = None;
    harness.check(&subject, &workload())
}

#[test]
fn what_becomes_valid_together_is_whole_and_what_pretends_to_is_caught() {
    let journal = on_rtfs(false, None);
    assert_eq!(journal.failures, 0, "{journal:?}");
    let together = on_rtfs(true, None);
    assert_eq!(together.failures, 0, "{together:?}");
    // It is also less work.
    assert!(together.operations * 2 < journal.operations, "{together:?}");
    let pretends = on_rtfs(true, Some(VfsFault::ClaimsGroups));
    assert!(pretends.failures > 0, "{pretends:?}");
}
