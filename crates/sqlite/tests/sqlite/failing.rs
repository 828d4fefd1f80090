//! What fails below SQLite is an error of SQLite's, and what was committed stays.

use wordline_engines::{Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamUse, Space};
use wordline_sqlite::rusqlite::{Connection, ErrorCode};
use wordline_sqlite::{DeviceTraits, SqliteSettings, SqliteVfs, VfsCounts, VfsFault};

use crate::sqlite::memories::{Bytes, Mounted, fat, littlefs, on_littlefs, rtfs, with_room};
use crate::sqlite::sql::{integrity, rows};

fn vfs(fs: Mounted, fault: Option<VfsFault>) -> SqliteVfs {
    let settings = SqliteSettings {
        fault,
        ..SqliteSettings::default()
    };
    SqliteVfs::new(fs, settings).expect("a VFS")
}

fn counts(mode: &str, fault: Option<VfsFault>) -> VfsCounts {
    let vfs = vfs(littlefs(1 << 20), fault);
    let db = vfs.open("/db").expect("a path");
    db.execute_batch(&format!(
        "PRAGMA journal_mode={mode}; PRAGMA fullfsync=1; PRAGMA synchronous=extra; CREATE TABLE t(a);
         INSERT INTO t VALUES(1); INSERT INTO t VALUES(2); PRAGMA wal_checkpoint"
    ))
    .expect("room");
    vfs.counts()
}

#[test]
fn each_fault_is_seen_in_the_counts() {
    use VfsFault::{LyingSync, NoDatabaseSync, NoJournalSync, NoWalSync};
    let dropped = |mode, fault| {
        let counts = counts(mode, Some(fault));
        [counts.database, counts.journal, counts.wal].map(|kind| kind.syncs_dropped > 0)
    };
    assert_eq!(dropped("delete", LyingSync), [true, true, false]);
    assert_eq!(dropped("wal", LyingSync), [true, true, true]);
    assert_eq!(dropped("delete", NoJournalSync), [false, true, false]);
    assert_eq!(dropped("delete", NoDatabaseSync), [true, false, false]);
    assert_eq!(dropped("wal", NoWalSync), [false, false, true]);
    let right = counts("delete", None);
    assert_eq!(right.stored().syncs_dropped, 0);
    assert!(right.directory_syncs > 0 && right.journal.deletes > 0);
    assert_eq!(
        right.stored().syncs,
        right.stored().syncs_full,
        "as it was asked for"
    );
}

#[test]
fn a_full_file_system_is_an_error_and_leaves_what_was_committed() {
    with_room(|| {
        for mode in ["delete", "truncate", "persist", "wal"] {
            for (name, fs) in [
                ("littlefs", littlefs(1 << 17)),
                ("fat", fat(1 << 17)),
                ("rtfs", rtfs()),
            ] {
                let vfs = vfs(fs, None);
                let db = vfs.open("/db").expect("a path");
                db.execute_batch(&format!(
                    "PRAGMA page_size=512; PRAGMA journal_mode={mode}; CREATE TABLE t(a, b)"
                ))
                .expect("room");
                // Room that is given back in the end: littlefs writes nothing in place, not even to roll back.
                vfs.with_files(|files| {
                    let ballast = files.open("/ballast", Open::Create)?;
                    files.write(ballast, 0, &[1; 40_000])?;
                    files.close(ballast)
                })
                .expect("room");
                let mut done = 0;
                let error = loop {
                    let row = "INSERT INTO t VALUES(?1, zeroblob(9000))";
                    match db.execute(row, [done]) {
                        Ok(_) => done += 1,
                        Err(error) => break error,
                    }
                    assert!(done < 1000, "{mode} on {name} is never full");
                };
                assert!(done > 2, "{mode} on {name}: {error}");
                assert_eq!(
                    error.sqlite_error_code(),
                    Some(ErrorCode::DiskFull),
                    "{mode} {name}: {error}"
                );
                let below = vfs.last_error().expect("the file system said it");
                assert_eq!(below.kind, FsErrorKind::Full, "{mode} on {name}");
                assert!(vfs.explain(error).to_string().contains("there is no room"));
                vfs.with_files(|files| files.remove("/ballast"))
                    .expect("a file");
                assert_eq!(intact(&db), done, "{mode} on {name}");
                drop(db);
                let db = vfs.open("/db").expect("a path");
                assert_eq!(intact(&db), done, "{mode} on {name}, opened again");
            }
        }
    });
}

/// Rows of a database that is whole.
fn intact(db: &Connection) -> i64 {
    assert_eq!(integrity(db).expect("a word"), "ok");
    let sql = "SELECT count(*) FROM t WHERE length(b) = 9000";
    db.query_row(sql, [], |row| row.get(0)).expect("rows")
}

#[test]
fn a_damaged_database_gives_errors() {
    let memory = Bytes::shared(1 << 18);
    let vfs = vfs(on_littlefs(memory), None);
    let db = vfs.open("/db").expect("a path");
    db.execute_batch(
        "PRAGMA page_size=512; CREATE TABLE t(a, b); CREATE INDEX i ON t(b);
         WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 200)
         INSERT INTO t SELECT x, 'word ' || x * 7919 % 211 FROM n",
    )
    .expect("room");
    drop(db);
    let mut fs = vfs.into_files().expect("all is closed");
    let bytes = fs.entry("/db").expect("a file").bytes;
    let file = fs.open("/db", Open::Read).expect("a file");
    let mut whole = vec![0; bytes as usize];
    fs.read(file, 0, &mut whole).expect("a file");
    fs.close(file).expect("open");
    let mut errors = 0;
    let mut files = Some(fs);
    for number in 0..300_usize {
        let mut damaged = whole.clone();
        for part in 0..4 {
            let place = (number * 7919 + part * 104_729) % damaged.len();
            damaged[place] ^= 1 << (number % 8);
            damaged[place / 2] = number as u8;
        }
        let mut fs = files.take().expect("it came back");
        let file = fs.open("/db", Open::Replace).expect("a file");
        fs.write(file, 0, &damaged).expect("room");
        fs.close(file).expect("open");
        let vfs = SqliteVfs::new(fs, SqliteSettings::default()).expect("a VFS");
        let db = vfs.open("/db").expect("a path");
        let found = rows(&db).is_err() || integrity(&db).is_ok_and(|word| word != "ok");
        let written = db.execute_batch("UPDATE t SET b = a || b; DELETE FROM t WHERE a % 3 = 0");
        errors += u32::from(found || written.is_err());
        drop(db);
        files = Some(vfs.into_files().expect("all is closed"));
    }
    assert!(errors > 200, "{errors}");
}

/// A file system whose calls fail from some moment on.
struct Failing {
    files: Mounted,
    /// Calls until then.
    left: u64,
    panics: bool,
}

impl Failing {
    fn call(&mut self) -> Result<&mut Mounted, FsError> {
        if self.left == 0 {
            assert!(!self.panics, "the file system's own panic");
            return Err(FsError::new(FsErrorKind::Device, "no answer"));
        }
        self.left -= 1;
        Ok(&mut self.files)
    }
}

impl FileSystem for Failing {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        self.call()?.open(path, how)
    }
    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        self.call()?.read(file, at, out)
    }
    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        self.call()?.write(file, at, data)
    }
    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.call()?.truncate(file, bytes)
    }
    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        self.call()?.sync(file)
    }
    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        self.call()?.close(file)
    }
    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        self.call()?.create_dir(path)
    }
    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        self.call()?.remove(path)
    }
    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        self.call()?.rename(from, to)
    }
    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        self.call()?.entry(path)
    }
    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        self.call()?.list(path)
    }
    fn space(&mut self) -> Result<Space, FsError> {
        self.call()?.space()
    }
    fn ram(&self) -> RamUse {
        self.files.ram()
    }
    fn unmount(&mut self) -> Result<(), FsError> {
        self.call()?.unmount()
    }
}

#[test]
fn what_fails_below_is_an_error_and_a_panic_passes_no_boundary() {
    let work = |left, panics| {
        let fs = Failing {
            files: littlefs(1 << 18),
            left,
            panics,
        };
        let vfs = vfs(Box::new(fs), None);
        let db = vfs.open("/db");
        let done = db.and_then(|db| {
            let sql = "PRAGMA journal_mode=persist; CREATE TABLE t(a); INSERT INTO t VALUES(1);
                       PRAGMA journal_mode=wal; INSERT INTO t VALUES(2); SELECT * FROM t";
            db.execute_batch(sql).map_err(|error| vfs.explain(error))
        });
        (done, vfs.last_error())
    };
    let calls = (0..)
        .find(|left| work(*left, false).0.is_ok())
        .expect("it ends");
    assert!(calls > 30, "{calls}");
    for left in 0..calls {
        for panics in [false, true] {
            let (done, below) = work(left, panics);
            let below = below.expect("it said so").to_string();
            let words = if panics {
                "the file system's own panic"
            } else {
                "no answer"
            };
            assert!(below.contains(words), "{left}: {below}");
            // The close of a file cannot be refused any more.
            if let Err(error) = done {
                assert!(error.to_string().contains(&below), "{left}: {error}");
            }
        }
    }
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let refused = |settings| {
        let made = SqliteVfs::new(littlefs(1 << 16), settings);
        made.expect_err("it cannot be").to_string()
    };
    let usual = SqliteSettings::default();
    let sector = refused(SqliteSettings {
        sector_bytes: 500,
        ..usual
    });
    assert_eq!(
        sector,
        "sector_bytes=500; allowed: a power of two from 512 to 65536"
    );
    let traits = DeviceTraits {
        atomic_sizes: 512 + 256,
        ..DeviceTraits::USUAL
    };
    let sizes = refused(SqliteSettings { traits, ..usual });
    assert_eq!(
        sizes,
        "atomic_sizes=768; allowed: a sum of powers of two from 512 to 65536"
    );
}
