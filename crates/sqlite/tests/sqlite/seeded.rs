//! Runs are the same, bit for bit, whatever other threads do.

use std::thread;

use wordline_engines::{FileSystem, Open};
use wordline_sqlite::rusqlite::Connection;
use wordline_sqlite::{ConnectionWork, SqliteSettings, SqliteVfs};

use crate::sqlite::memories::littlefs;

const TRANSACTIONS: i64 = 40;

/// All that the files hold after some transactions: with salts, nonces, random numbers and times.
fn image(mode: &str, seed: u64) -> Vec<(String, Vec<u8>)> {
    let settings = SqliteSettings {
        seed,
        ..SqliteSettings::default()
    };
    let vfs = SqliteVfs::new(littlefs(1 << 20), settings).expect("a VFS");
    let db = vfs.open("/db").expect("a path");
    let schema = format!(
        "PRAGMA page_size=512; PRAGMA journal_mode={mode}; PRAGMA wal_autocheckpoint=20;
         CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d);"
    );
    db.execute_batch(&schema).expect("room");
    for number in 0..TRANSACTIONS {
        let row = "INSERT INTO t(b, c, d) VALUES(?1, random(), strftime('%f', 'now'))";
        db.execute(row, [number]).expect("room");
        vfs.set_time(1_000_000 + 7 * number);
    }
    // As it is, before a close that moves a log into its database.
    let files = vfs.with_files(|files| {
        let names = files.list("/").expect("a directory");
        names
            .into_iter()
            .map(|entry| entry.name)
            .collect::<Vec<_>>()
    });
    let rows: Vec<(i64, String)> = db
        .prepare("SELECT c, d FROM t")
        .and_then(|mut rows| {
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .expect("rows");
    drop(db);
    let mut fs = vfs.into_files().expect("all is closed");
    let mut image = vec![("rows".to_owned(), format!("{files:?}{rows:?}").into_bytes())];
    image.push(("db".to_owned(), content(&mut *fs, "/db")));
    if mode == "persist" {
        image.push(("journal".to_owned(), content(&mut *fs, "/db-journal")));
    }
    image
}

fn content(fs: &mut dyn FileSystem, path: &str) -> Vec<u8> {
    let bytes = fs.entry(path).expect("a file").bytes;
    let mut out = vec![0; bytes as usize];
    let file = fs.open(path, Open::Read).expect("a file");
    assert_eq!(fs.read(file, 0, &mut out), Ok(out.len()));
    out
}

#[test]
fn threads_side_by_side_leave_the_same_images() {
    for mode in ["delete", "persist", "wal"] {
        let alone = image(mode, 7);
        assert_ne!(alone, image(mode, 8), "{mode}: the seed counts");
        thread::scope(|scope| {
            let runs: Vec<_> = (0..4)
                .map(|number| {
                    scope.spawn(move || {
                        // Another seed in every other run of a thread.
                        let noise = image(mode, number);
                        (noise, (0..4).map(|_| image(mode, 7)).collect::<Vec<_>>())
                    })
                })
                .collect();
            for run in runs {
                let (_, images) = run.join().expect("no panic");
                assert!(images.iter().all(|image| *image == alone), "{mode}");
            }
        });
    }
}

#[test]
fn two_file_systems_in_one_thread_have_streams_of_their_own() {
    let random = |db: &Connection| {
        db.query_row("SELECT random()", [], |row| row.get::<_, i64>(0))
            .expect("a number")
    };
    let vfs = |seed| {
        let settings = SqliteSettings {
            seed,
            ..SqliteSettings::default()
        };
        SqliteVfs::new(littlefs(1 << 18), settings).expect("a VFS")
    };
    let (one, two) = (vfs(1), vfs(1));
    let (a, b) = (
        one.open("/db").expect("a path"),
        two.open("/db").expect("a path"),
    );
    // Each draws the same numbers, whoever draws between.
    let first: Vec<_> = (0..8).map(|_| random(&a)).collect();
    let _ = random(&a);
    let second: Vec<_> = (0..8)
        .map(|_| {
            random(&a);
            random(&b)
        })
        .collect();
    assert_eq!(first, second);
    let (c, d) = (vfs(2), first.len());
    let c = c.open("/db").expect("a path");
    assert_ne!(first, (0..d).map(|_| random(&c)).collect::<Vec<_>>());
}

/// A database of 60 pages and more, which are read one after the other.
fn paged(vfs: &SqliteVfs, cache_pages: u32) -> Connection {
    let db = vfs.open("/db").expect("a path");
    let schema = format!(
        "PRAGMA page_size=512; PRAGMA cache_size={cache_pages}; CREATE TABLE t(a INTEGER PRIMARY KEY, b);
         WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 60)
         INSERT INTO t SELECT x, zeroblob(400) FROM n"
    );
    db.execute_batch(&schema).expect("room");
    db
}

/// Pages that a scan has to read from the file.
fn misses(db: &Connection) -> u64 {
    let before = ConnectionWork::of(db);
    let scan = "SELECT sum(length(b)) FROM t";
    db.query_row(scan, [], |row| row.get::<_, i64>(0))
        .expect("a sum");
    ConnectionWork::of(db).since(before).cache_misses
}

#[test]
fn a_cache_keeps_its_pages_and_its_room_whatever_other_databases_do() {
    let vfs = || SqliteVfs::new(littlefs(1 << 19), SqliteSettings::default()).expect("a VFS");
    let (one, two) = (vfs(), vfs());
    let (large, small) = (paged(&one, 200), paged(&two, 10));
    misses(&large);
    assert_eq!(misses(&large), 0, "it has room for all");
    assert!(misses(&small) > 40, "it has not");
    assert_eq!(misses(&large), 0, "another took its pages");
    // Limits of the heap are those of the process, so they limit nothing.
    small
        .execute_batch("PRAGMA soft_heap_limit=1; PRAGMA hard_heap_limit=1")
        .expect("pragmas");
    assert_eq!(misses(&large), 0);
    large
        .execute_batch("CREATE TABLE u AS SELECT * FROM t")
        .expect("room");
}
