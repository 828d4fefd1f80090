//! What SQLite leaves out for what a memory guarantees.

use wordline_sqlite::rusqlite::Connection;
use wordline_sqlite::{
    ConnectionWork, DeviceTraits, HeapMeter, SqliteSettings, SqliteVfs, StatementWork, VfsCounts,
    VfsFault,
};

use crate::sqlite::memories::{Mounted, littlefs, rtfs, with_room};
use crate::sqlite::sql::integrity;

/// What twenty updates of rows of different pages take.
fn updates(fs: Mounted, traits: DeviceTraits, fault: Option<VfsFault>) -> VfsCounts {
    let settings = SqliteSettings {
        traits,
        fault,
        ..SqliteSettings::default()
    };
    let vfs = SqliteVfs::new(fs, settings).expect("a VFS");
    let db = vfs.open("/db").expect("a path");
    db.execute_batch(
        "PRAGMA page_size=1024; CREATE TABLE t(a INTEGER PRIMARY KEY, b);
         WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 20)
         INSERT INTO t SELECT x, zeroblob(700) FROM n",
    )
    .expect("room");
    let before = vfs.counts();
    for row in 0..19 {
        let sql = "UPDATE t SET b = randomblob(700) WHERE a IN (?1, ?1 + 1)";
        db.execute(sql, [row + 1]).expect("room");
    }
    let counts = vfs.counts().since(before);
    assert_eq!(integrity(&db).expect("a word"), "ok");
    counts
}

#[test]
fn other_connections_see_what_became_valid_together() {
    with_room(|| {
        let traits = DeviceTraits {
            batch_atomic: true,
            ..DeviceTraits::USUAL
        };
        let settings = SqliteSettings {
            traits,
            ..SqliteSettings::default()
        };
        let vfs = SqliteVfs::new(rtfs(), settings).expect("a VFS");
        let (one, two) = (
            vfs.open("/db").expect("a path"),
            vfs.open("/db").expect("a path"),
        );
        one.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES(0)")
            .expect("room");
        for number in 1..10 {
            let value =
                |db: &Connection| db.query_row("SELECT a FROM t", [], |row| row.get::<_, i64>(0));
            one.execute("UPDATE t SET a = ?1", [number]).expect("room");
            assert_eq!(value(&two), Ok(number));
        }
        assert!(vfs.counts().batches > 8);
    });
}

#[test]
fn writes_that_become_valid_together_need_no_journal() {
    with_room(|| {
        let batch = DeviceTraits {
            batch_atomic: true,
            ..DeviceTraits::USUAL
        };
        let usual = updates(rtfs(), DeviceTraits::USUAL, None);
        assert!(usual.journal.writes > 100, "{usual:?}");
        let together = updates(rtfs(), batch, None);
        assert_eq!(together.batches, 19, "{together:?}");
        assert_eq!(together.journal.writes, 0, "{together:?}");
        assert_eq!(together.database.writes, usual.database.writes);
        // littlefs has no such writes: SQLite falls back on its journal.
        let refused = updates(littlefs(1 << 20), batch, None);
        assert_eq!(refused.batches, 0);
        assert!(refused.journal.writes > 0);
        // And this pretends.
        let usual = DeviceTraits::USUAL;
        let pretends = updates(littlefs(1 << 20), usual, Some(VfsFault::ClaimsGroups));
        assert_eq!(pretends.batches, 19);
        assert_eq!(pretends.journal.writes, 0);
    });
}

#[test]
fn atomic_pages_and_safe_appends_save_syncs() {
    let of = |traits| updates(littlefs(1 << 20), traits, None);
    let usual = of(DeviceTraits::USUAL);
    let append = of(DeviceTraits {
        safe_append: true,
        ..DeviceTraits::USUAL
    });
    assert!(append.journal.syncs < usual.journal.syncs, "{append:?}");
    let sequential = of(DeviceTraits {
        sequential: true,
        ..DeviceTraits::USUAL
    });
    assert!(
        sequential.stored().syncs < usual.stored().syncs,
        "{sequential:?}"
    );
}

/// In the usual build it is refused: see the crate's design.
#[test]
fn pages_that_land_whole_need_no_journal_where_sqlite_is_compiled_for_it() {
    let traits = DeviceTraits {
        atomic_sizes: 1024 + 4096,
        ..DeviceTraits::USUAL
    };
    let settings = SqliteSettings {
        traits,
        ..SqliteSettings::default()
    };
    let vfs = match SqliteVfs::new(littlefs(1 << 18), settings) {
        Ok(vfs) => vfs,
        Err(error) => {
            let words = error.to_string();
            assert!(words.contains("SQLITE_ENABLE_ATOMIC_WRITE"), "{words}");
            return;
        }
    };
    let db = vfs.open("/db").expect("a path");
    let schema = "PRAGMA page_size=1024; CREATE TABLE t(a); INSERT INTO t VALUES(1)";
    db.execute_batch(schema).expect("room");
    let before = vfs.counts();
    db.execute_batch("UPDATE t SET a = 2").expect("room");
    let work = vfs.counts().since(before);
    assert_eq!(
        (work.journal.opens, work.database.syncs),
        (0, 1),
        "{work:?}"
    );
}

#[test]
fn work_and_ram_are_counted() {
    let meter = HeapMeter::start();
    let vfs = SqliteVfs::new(littlefs(1 << 20), SqliteSettings::default()).expect("a VFS");
    let db = vfs.open("/db").expect("a path");
    db.execute_batch(
        "PRAGMA page_size=1024; PRAGMA cache_size=20; CREATE TABLE t(a, b);
         WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 200)
         INSERT INTO t SELECT x, zeroblob(700) FROM n",
    )
    .expect("room");
    let before = ConnectionWork::of(&db);
    let mut scan = db.prepare("SELECT sum(a) FROM t ORDER BY b").expect("SQL");
    let sum: i64 = scan.query_row([], |row| row.get(0)).expect("a row");
    assert_eq!(sum, 20_100);
    let work = StatementWork::take(&scan);
    assert_eq!((work.runs, work.fullscan_steps), (1, 199));
    assert!(work.vm_steps > 600, "{work:?}");
    let mut total = StatementWork::take(&scan);
    assert_eq!(total, StatementWork::default(), "it was taken");
    total.add(work);
    assert_eq!(total, work);
    let cache = ConnectionWork::of(&db).since(before);
    assert!(cache.cache_misses > 150, "{cache:?}");
    assert!(
        (20 << 10..80 << 10).contains(&cache.cache_bytes),
        "{cache:?}"
    );
    assert!(
        cache.statement_bytes > 0 && cache.schema_bytes > 0,
        "{cache:?}"
    );
    let (now, peak) = (meter.now(), meter.peak());
    assert!(peak >= now && now > cache.cache_bytes, "{now} {peak}");
    drop(scan);
    drop(db);
    assert!(meter.now() < now / 4, "{} of {now}", meter.now());
}
