//! What the VFS costs on the processor: transactions of two rows on file systems in RAM, beside SQLite's own memory.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/sqlite/memories.rs"]
mod memories;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wordline_sqlite::rusqlite::{Connection, OpenFlags};
use wordline_sqlite::{SqliteSettings, SqliteVfs};

use memories::{Mounted, RamFiles, flat, littlefs};

type Fresh = fn() -> Mounted;

/// File systems in RAM.
const FILE_SYSTEMS: [(&str, Fresh); 4] = [
    ("vectors", || Box::new(RamFiles::default())),
    ("flat", || flat(8 << 20, 4096)),
    // A journal fits the reserve, so that its record does not change while it grows.
    ("flat-16k", || flat(8 << 20, 16384)),
    ("littlefs", || littlefs(8 << 20)),
];

const SCHEMA: &str = "CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB);
    WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 200)
    INSERT INTO t SELECT x, zeroblob(100) FROM n";

fn prepare(db: &Connection, mode: &str) {
    // A short log: littlefs copies all of it that lies behind a write.
    let setup = format!(
        "PRAGMA page_size=4096; PRAGMA journal_mode={mode}; PRAGMA wal_autocheckpoint=20; {SCHEMA}"
    );
    db.execute_batch(&setup).expect("room");
}

/// Two rows of a table that does not grow.
fn transaction(db: &mut Connection, number: i64) {
    let transaction = db.transaction().expect("no other");
    for row in [number * 7 % 200, number * 13 % 200] {
        let sql = "UPDATE t SET b = randomblob(100) WHERE a = ?1";
        transaction.execute(sql, [row + 1]).expect("room");
    }
    transaction.commit().expect("room");
}

fn query(db: &Connection, number: i64) -> i64 {
    let sql = "SELECT sum(length(b)) FROM t WHERE a BETWEEN ?1 AND ?1 + 9";
    db.query_row(sql, [number % 190], |row| row.get(0))
        .expect("rows")
}

/// What there is to compare: a name, the database, and the VFS that it lies on.
fn databases(mode: &str) -> Vec<(String, Connection, Option<SqliteVfs>)> {
    let mut databases = Vec::new();
    for (name, fresh) in FILE_SYSTEMS {
        let vfs = SqliteVfs::new(fresh(), SqliteSettings::default()).expect("a VFS");
        let db = vfs.open("/db").expect("a path");
        databases.push((name.to_owned(), db, Some(vfs)));
    }
    let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_URI;
    let own = Connection::open_with_flags(format!("file:/{mode}?vfs=memdb"), flags);
    databases.push(("memdb".to_owned(), own.expect("SQLite's own"), None));
    for (_, db, _) in &databases {
        prepare(db, mode);
    }
    databases
}

fn bench(c: &mut Criterion) {
    for mode in ["delete", "wal"] {
        let mut group = c.benchmark_group(mode);
        group.sample_size(10);
        group.throughput(Throughput::Elements(1));
        for (name, mut db, _vfs) in databases(mode) {
            let mut number = 0;
            group.bench_function(format!("{name}/transaction"), |b| {
                b.iter(|| {
                    number += 1;
                    transaction(&mut db, number);
                });
            });
            group.bench_function(format!("{name}/query"), |b| {
                b.iter(|| {
                    number += 1;
                    black_box(query(&db, number))
                });
            });
        }
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
