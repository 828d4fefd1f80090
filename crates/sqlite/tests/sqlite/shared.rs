//! Several connections of one VFS.

use wordline_sqlite::rusqlite::{Connection, ErrorCode};
use wordline_sqlite::{SqliteError, SqliteSettings, SqliteVfs, WalIndex};

use crate::sqlite::memories::littlefs;

fn count(db: &Connection) -> i64 {
    db.query_row("SELECT count(*) FROM t", [], |row| row.get(0))
        .expect("rows")
}

fn refused(db: &Connection, sql: &str) -> Option<ErrorCode> {
    db.execute_batch(sql).expect_err(sql).sqlite_error_code()
}

fn vfs(wal_index: WalIndex) -> SqliteVfs {
    let settings = SqliteSettings {
        wal_index,
        ..SqliteSettings::default()
    };
    SqliteVfs::new(littlefs(1 << 20), settings).expect("a VFS")
}

#[test]
fn a_reader_of_a_log_keeps_its_state_while_another_writes() {
    let vfs = vfs(WalIndex::Ram);
    let (one, two) = (
        vfs.open("/db").expect("a path"),
        vfs.open("/db").expect("a path"),
    );
    one.execute_batch("PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES(1)")
        .expect("room");
    assert_eq!(vfs.wal_index_bytes(), 32 << 10);
    two.execute_batch("BEGIN").expect("a transaction");
    assert_eq!(count(&two), 1);
    one.execute_batch("INSERT INTO t VALUES(2)")
        .expect("no lock");
    assert_eq!(
        (count(&one), count(&two)),
        (2, 1),
        "as it was when it began"
    );
    let stale = refused(&two, "INSERT INTO t VALUES(9)");
    assert_eq!(stale, Some(ErrorCode::DatabaseBusy), "its state is old");
    two.execute_batch("COMMIT").expect("a transaction");
    assert_eq!(count(&two), 2);
    two.execute_batch("BEGIN IMMEDIATE").expect("no lock");
    let busy = refused(&one, "INSERT INTO t VALUES(3)");
    assert_eq!(busy, Some(ErrorCode::DatabaseBusy), "one writer");
    two.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
        .expect("no lock");
    assert_eq!(count(&one), 2);
    let open = vfs.into_files();
    assert!(
        matches!(open, Err(SqliteError::ConnectionsOpen)),
        "two are open"
    );
    // Connections outlive it.
    one.execute_batch("INSERT INTO t VALUES(3)").expect("room");
    assert_eq!(count(&two), 3);
}

#[test]
fn a_rollback_journal_lets_one_write_or_several_read() {
    let vfs = vfs(WalIndex::Ram);
    let (one, two) = (
        vfs.open("/db").expect("a path"),
        vfs.open("/db").expect("a path"),
    );
    one.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
        .expect("room");
    two.execute_batch("BEGIN").expect("a transaction");
    assert_eq!(count(&two), 1);
    let busy = refused(&one, "INSERT INTO t VALUES(2)");
    assert_eq!(busy, Some(ErrorCode::DatabaseBusy), "another reads");
    two.execute_batch("COMMIT").expect("a transaction");
    one.execute_batch("BEGIN EXCLUSIVE; INSERT INTO t VALUES(2)")
        .expect("no lock");
    assert_eq!(
        refused(&two, "SELECT * FROM t"),
        Some(ErrorCode::DatabaseBusy)
    );
    // Simulated time passes while it waits.
    two.busy_timeout(std::time::Duration::from_millis(300))
        .expect("a time");
    let before = now(&one);
    assert_eq!(
        refused(&two, "SELECT * FROM t"),
        Some(ErrorCode::DatabaseBusy)
    );
    let waited = vfs.counts().waited_us;
    assert!((250_000..=300_000).contains(&waited), "{waited}");
    assert_eq!(now(&one) - before, waited as i64 / 1000);
    one.execute_batch("ROLLBACK").expect("a transaction");
    assert_eq!(count(&two), 1);
}

/// Milliseconds, as SQL has them.
fn now(db: &Connection) -> i64 {
    let sql = "SELECT round((julianday('now') - 2440587.5) * 86400000)";
    db.query_row(sql, [], |row| row.get::<_, f64>(0))
        .expect("a time") as i64
}

#[test]
fn a_vfs_and_its_connections_go_to_another_thread() {
    let vfs = vfs(WalIndex::Ram);
    let db = vfs.open("/db").expect("a path");
    db.execute_batch("CREATE TABLE t(a)").expect("room");
    let there = std::thread::spawn(move || {
        db.execute_batch("INSERT INTO t VALUES(1)").expect("room");
        drop(db);
        vfs
    });
    let vfs = there.join().expect("no panic");
    assert_eq!(count(&vfs.open("/db").expect("a path")), 1);
}

#[test]
fn time_is_what_the_caller_says() {
    let vfs = vfs(WalIndex::Ram);
    let db = vfs.open("/db").expect("a path");
    let said = |sql| db.query_row(sql, [], |row| row.get::<_, String>(0));
    assert_eq!(
        said("SELECT datetime('now')").expect("a time"),
        "2026-01-01 00:00:00"
    );
    vfs.set_time(981_173_106_789);
    let exact = "SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')";
    assert_eq!(said(exact).expect("a time"), "2001-02-03 04:05:06.789");
    // The host's time zone is not known here.
    assert!(said("SELECT datetime('now', 'localtime')").is_err());
}

#[test]
fn without_an_index_a_log_is_one_connections() {
    let vfs = vfs(WalIndex::None);
    let db = vfs.open("/db").expect("a path");
    let mode = |sql| db.query_row(sql, [], |row| row.get::<_, String>(0));
    assert_eq!(mode("PRAGMA journal_mode=wal").expect("a mode"), "delete");
    db.execute_batch("PRAGMA locking_mode=exclusive")
        .expect("a mode");
    assert_eq!(mode("PRAGMA journal_mode=wal").expect("a mode"), "wal");
    db.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
        .expect("room");
    assert_eq!(vfs.wal_index_bytes(), 0);
    assert!(vfs.counts().wal.writes > 0);
    let other = vfs.open("/db").expect("a path");
    assert!(
        other.execute_batch("SELECT * FROM t").is_err(),
        "it is one connection's"
    );
}

#[test]
fn files_are_seen_by_their_owner_and_temporary_ones_are_not() {
    let vfs = vfs(WalIndex::Ram);
    let db = vfs.open("/db").expect("a path");
    db.execute_batch(
        "PRAGMA journal_mode=persist; CREATE TABLE t(a); ATTACH '/other' AS o;
         CREATE TABLE o.u(a); CREATE TEMP TABLE v(a); PRAGMA temp.cache_size=2;
         BEGIN; INSERT INTO t VALUES(1); INSERT INTO o.u VALUES(1); COMMIT;
         INSERT INTO v SELECT zeroblob(5000) FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13]');
         SELECT count(*) FROM (SELECT a FROM v ORDER BY a);",
    )
    .expect("room");
    let names = vfs
        .with_files(|files| files.list("/"))
        .expect("a directory");
    let mut names: Vec<_> = names.into_iter().map(|entry| entry.name).collect();
    names.sort();
    assert_eq!(names, ["db", "db-journal", "other"]);
    // Both databases change together through a journal above theirs.
    let counts = vfs.counts();
    assert!(counts.other.writes > 0, "{counts:?}");
    assert!(counts.temporary.written_bytes > 10_000, "{counts:?}");
    for bad in ["/", "/a//b", "/../x", "/a\0b"] {
        let opened = vfs.open(bad);
        assert!(
            opened.is_err_and(|error| !error.to_string().is_empty()),
            "{bad:?}"
        );
    }
    let host = tempfile::tempdir().expect("a directory");
    let leaving = format!("file:{}/x?vfs=unix", host.path().display());
    for path in ["../x", &leaving] {
        let sql = format!("ATTACH '{path}' AS x; CREATE TABLE x.t(a)");
        assert_eq!(refused(&db, &sql), Some(ErrorCode::CannotOpen), "{path}");
    }
    let names = std::fs::read_dir(host.path()).expect("a directory");
    assert_eq!(names.count(), 0);
}
