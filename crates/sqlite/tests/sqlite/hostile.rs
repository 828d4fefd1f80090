//! SQL that wants more than its database: files of the host, code, the process, or all the time in the world.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use wordline_sqlite::rusqlite::Connection;
use wordline_sqlite::{SqliteSettings, SqliteVfs, statements, stoppable};

use crate::sqlite::memories::littlefs;

fn vfs() -> SqliteVfs {
    SqliteVfs::new(littlefs(1 << 19), SqliteSettings::default()).expect("a VFS")
}

fn says(vfs: &SqliteVfs, db: &Connection, sql: &str) -> Option<String> {
    let ran = db.execute_batch(sql);
    ran.err().map(|error| vfs.explain(error).to_string())
}

#[test]
fn sql_reaches_no_file_of_the_host() {
    let host = tempfile::tempdir().expect("a directory");
    let path = host.path().join("x");
    let path = path.to_str().expect("text");
    let vfs = vfs();
    let db = vfs.open("/db").expect("a path");
    // These are paths of the simulated files, which have no such directory.
    for sql in [
        format!("ATTACH '{path}' AS x; CREATE TABLE x.t(a)"),
        format!("ATTACH 'file:{path}?vfs=unix' AS x; CREATE TABLE x.t(a)"),
        format!("VACUUM INTO '{path}'"),
        format!("VACUUM INTO 'file:{path}?vfs=unix'"),
        "ATTACH '/../../x' AS x; CREATE TABLE x.t(a)".to_owned(),
        format!("SELECT load_extension('{path}')"),
    ] {
        let said = says(&vfs, &db, &sql);
        assert!(said.is_some(), "{sql}");
    }
    let found = std::fs::read_dir(host.path()).expect("it is there").count();
    assert_eq!(found, 0, "something was made");
    // A database beside the first is one of the simulated files.
    let beside = "ATTACH 'other' AS other; CREATE TABLE other.t(a); DETACH other";
    assert_eq!(says(&vfs, &db, beside), None);
    let names = vfs
        .with_files(|files| files.list("/"))
        .expect("a directory");
    assert!(names.iter().any(|entry| entry.name == "other"), "{names:?}");
    assert!(!std::path::Path::new("other").exists());
}

#[test]
fn forged_schemas_and_values_without_bounds_are_errors() {
    let vfs = vfs();
    let db = vfs.open("/db").expect("a path");
    db.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
        .expect("room");
    for (sql, word) in [
        ("SELECT zeroblob(2000000000)", "too big"),
        ("INSERT INTO t VALUES(zeroblob(900000))", "full"),
        (
            "SELECT randomblob(5) FROM nowhere",
            "no such table: nowhere",
        ),
        (
            "PRAGMA writable_schema=1; UPDATE sqlite_schema SET rootpage=9999; PRAGMA writable_schema=reset; SELECT * FROM t",
            "malformed",
        ),
    ] {
        let said = says(&vfs, &db, sql).unwrap_or_default();
        assert!(said.contains(word), "{sql}: {said}");
    }
}

#[test]
fn an_error_has_its_place_and_few_words() {
    let vfs = vfs();
    let db = vfs.open("/db").expect("a path");
    let script = format!("SELECT 1;\nSELECT '{}',\n  nowhere;", "x".repeat(1 << 20));
    let last = &statements(&script)[1];
    let error = db
        .execute_batch(&last.sql)
        .map_err(|error| vfs.explain(error));
    let error = error.expect_err("no such column");
    assert_eq!(error.to_string(), "no such column: nowhere");
    assert_eq!(last.line_of(error.offset().expect("it has a place")), 3);
    let long = format!("SELECT {}", "y".repeat(1 << 20));
    let said = says(&vfs, &db, &long).expect("no such column");
    assert!(said.chars().count() < 250, "{}", said.len());
}

#[test]
fn a_statement_without_end_is_stopped() {
    let vfs = vfs();
    let db = vfs.open("/db").expect("a path");
    let endless =
        "WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n) SELECT sum(x % 3) FROM n";
    let stop = AtomicBool::new(false);
    let said = thread::scope(|scope| {
        scope.spawn(|| {
            thread::yield_now();
            stop.store(true, Ordering::Relaxed);
        });
        stoppable(&db, Some(&stop), || says(&vfs, &db, endless))
    });
    assert_eq!(said.as_deref(), Some("interrupted"));
    // Without the flag the connection goes on.
    assert_eq!(says(&vfs, &db, "CREATE TABLE t(a)"), None);
    let done = stoppable(&db, Some(&AtomicBool::new(false)), || {
        says(&vfs, &db, "SELECT 1")
    });
    assert_eq!(done, None);
}
