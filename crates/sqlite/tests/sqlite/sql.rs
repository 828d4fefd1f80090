//! SQL gives what it gives in SQLite's own memory, in all journal modes, on all file systems.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use wordline_sqlite::rusqlite::types::ValueRef;
use wordline_sqlite::rusqlite::{Connection, Result};
use wordline_sqlite::{FileKind, SqliteSettings, SqliteVfs};

use crate::sqlite::memories::{file_systems, littlefs, with_room};

const MODES: [&str; 6] = ["delete", "truncate", "persist", "wal", "memory", "off"];

const SCRIPT: &[&str] = &[
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB, c TEXT)",
    "CREATE INDEX i ON t(c)",
    "WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 60)
     INSERT INTO t SELECT x, zeroblob(x * 7), 'row ' || (x * 37 % 61) FROM n",
    "UPDATE t SET b = zeroblob(3000) WHERE a % 9 = 0",
    "BEGIN; DELETE FROM t WHERE a < 20; SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; COMMIT",
    "CREATE TABLE u AS SELECT c, count(*) AS n FROM t GROUP BY length(c) ORDER BY c DESC",
    "ALTER TABLE u ADD COLUMN d DEFAULT 'x'",
    "VACUUM",
    "DROP INDEX i",
    "INSERT INTO t(b, c) SELECT b, c || '!' FROM t WHERE a > 50",
];

/// Every row of every table, in words.
pub(crate) fn rows(db: &Connection) -> Result<Vec<String>> {
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut tables = db.prepare(tables)?;
    let tables = tables.query_map([], |row| row.get::<_, String>(0))?;
    let mut all = Vec::new();
    for table in tables.collect::<Result<Vec<_>>>()? {
        let mut rows = db.prepare(&format!("SELECT * FROM {table} ORDER BY 1"))?;
        let columns = rows.column_count();
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let mut text = table.clone();
            for column in 0..columns {
                match row.get_ref(column)? {
                    ValueRef::Blob(bytes) => {
                        // Long ones are told apart by a sum.
                        let sum = bytes.iter().fold(1_u32, |sum, byte| {
                            sum.wrapping_mul(31).wrapping_add((*byte).into())
                        });
                        text += &format!(" {}#{sum:x}", bytes.len());
                    }
                    other => text += &format!(" {other:?}"),
                }
            }
            all.push(text);
        }
    }
    Ok(all)
}

/// SQLite's own word on a database.
pub(crate) fn integrity(db: &Connection) -> Result<String> {
    db.query_row("PRAGMA integrity_check", [], |row| row.get(0))
}

fn settings(mode: &str) -> String {
    format!("PRAGMA page_size=1024; PRAGMA journal_mode={mode}; PRAGMA wal_autocheckpoint=30")
}

#[test]
fn a_script_gives_the_same_in_every_mode_on_every_file_system() {
    with_room(|| {
        // The library is set up by the first VFS.
        let first = SqliteVfs::new(littlefs(1 << 16), SqliteSettings::default());
        drop(first.expect("a VFS"));
        let model = Connection::open_in_memory().expect("a database");
        for statement in SCRIPT {
            model.execute_batch(statement).expect(statement);
        }
        let expected = rows(&model).expect("rows");
        assert!(expected.len() > 50);
        for mode in MODES {
            for (name, fs, _host) in file_systems() {
                let vfs = SqliteVfs::new(fs, SqliteSettings::default()).expect("a VFS");
                let db = vfs.open("/db").expect("a path");
                db.execute_batch(&settings(mode)).expect(mode);
                let found: String = db
                    .query_row("PRAGMA journal_mode", [], |row| row.get(0))
                    .expect("a mode");
                assert_eq!(found, mode, "{name}");
                for statement in SCRIPT {
                    // Without a journal there is no way back.
                    let back = "SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; ";
                    let statement = match mode {
                        "off" => &statement.replace(back, ""),
                        _ => *statement,
                    };
                    let done = db.execute_batch(statement);
                    let done = done.map_err(|error| vfs.explain(error).to_string());
                    assert_eq!(done, Ok(()), "{mode} on {name}: {statement}");
                }
                assert_eq!(rows(&db).expect("rows"), expected, "{mode} on {name}");
                assert_eq!(integrity(&db).expect("a word"), "ok", "{mode} on {name}");
                drop(db);
                let counts = vfs.counts();
                assert_eq!(counts[FileKind::Wal].writes > 0, mode == "wal", "{mode}");
                let has_journal = matches!(mode, "delete" | "truncate" | "persist");
                let journal = counts[FileKind::Journal];
                assert_eq!(journal.writes > 20, has_journal, "{mode}: {journal:?}");
                let fs = vfs.into_files().expect("all is closed");
                let again = SqliteVfs::new(fs, SqliteSettings::default()).expect("a VFS");
                let db = again.open("db").expect("a path");
                assert_eq!(
                    rows(&db).expect("rows"),
                    expected,
                    "{mode} on {name}, opened again"
                );
            }
        }
    });
}

/// A statement of a random workload.
#[derive(Clone, Debug)]
enum Step {
    Insert(u8, u16),
    Update(u8, u16),
    Delete(u8),
    Begin,
    Commit,
    Rollback,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (any::<u8>(), 0..3000_u16).prop_map(|(key, bytes)| Step::Insert(key % 32, bytes)),
        3 => (any::<u8>(), 0..3000_u16).prop_map(|(key, bytes)| Step::Update(key % 32, bytes)),
        2 => any::<u8>().prop_map(|key| Step::Delete(key % 32)),
        2 => Just(Step::Begin),
        2 => Just(Step::Commit),
        1 => Just(Step::Rollback),
        1 => Just(Step::Reopen),
    ]
}

impl Step {
    fn sql(&self) -> String {
        match self {
            Self::Insert(key, bytes) => format!("INSERT INTO t VALUES({key}, zeroblob({bytes}))"),
            Self::Update(key, bytes) => {
                format!("UPDATE t SET b = zeroblob({bytes}) WHERE a >= {key}")
            }
            Self::Delete(key) => format!("DELETE FROM t WHERE a < {key}"),
            Self::Begin => "BEGIN".to_owned(),
            Self::Commit => "COMMIT".to_owned(),
            Self::Rollback | Self::Reopen => "ROLLBACK".to_owned(),
        }
    }
}

#[test]
fn random_sql_gives_the_same() {
    with_room(|| {
        let mut runner = TestRunner::new(Config {
            cases: 24,
            failure_persistence: None,
            ..Config::default()
        });
        let workload = (
            0..4_usize,
            0..4_usize,
            proptest::collection::vec(step(), 1..60),
        );
        runner
            .run(&workload, |(mode, file_system, steps)| {
                let (name, fs, _host) = file_systems().swap_remove(file_system);
                let vfs = SqliteVfs::new(fs, SqliteSettings::default()).expect("a VFS");
                let model = Connection::open_in_memory().expect("a database");
                let table = "CREATE TABLE t(a INTEGER PRIMARY KEY, b)";
                model.execute_batch(table).expect("a table");
                let open = |is_first: bool| {
                    let db = vfs.open("/db").expect("a path");
                    db.execute_batch(&settings(MODES[mode])).expect("a mode");
                    if is_first {
                        db.execute_batch(table).expect("a table");
                    }
                    db
                };
                let mut db = open(true);
                for step in steps {
                    // Whether it can be done is part of what is compared.
                    let expected = model.execute_batch(&step.sql());
                    if matches!(step, Step::Reopen) {
                        drop(db);
                        db = open(false);
                    } else {
                        let found = db.execute_batch(&step.sql());
                        let words = |done: Result<()>| done.map_err(|error| error.to_string());
                        prop_assert_eq!(words(found), words(expected), "{} {:?}", name, step);
                    }
                    prop_assert_eq!(rows(&db).expect("rows"), rows(&model).expect("rows"));
                }
                prop_assert_eq!(integrity(&db).expect("a word"), "ok");
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{error}"));
    });
}
