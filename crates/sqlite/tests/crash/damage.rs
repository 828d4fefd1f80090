//! Flipped bits of a whole database, and journals and logs that somebody damaged, cut short or forged: an answer or an error,
//! and never a panic.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wordline_engines::{
    ByteBlocks, ByteBox, Contract, FileSystem, FsError, FsOptions, Open, Shared,
};
use wordline_sqlite::rusqlite::Connection;
use wordline_sqlite::{SqliteSettings, SqliteVfs};

use super::setups::engine;
use crate::sqlite::memories::{Bytes, Mounted, RamFiles};
use crate::sqlite::sql::{integrity, rows};

/// Rows in several pages, with an index.
const SCHEMA: &str =
    "PRAGMA page_size=512; CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); CREATE INDEX i ON t(c);
     WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 12)
     INSERT INTO t SELECT x, replace(hex(x * 40503), '3', 'wordline'), 'row ' || x * 7 % 13 FROM n";

/// What a reader of a damaged database gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    /// What was stored.
    Right,
    /// An error, or `integrity_check` complains.
    Told,
    /// What was stored before one or more of the last transactions.
    Earlier,
    /// Something else, of which nothing complains.
    Wrong,
}

/// How often each answer came.
type Answers = BTreeMap<Answer, u64>;

/// Reads everything that a database holds, and then writes to it; whatever it finds, it returns.
fn answer(fs: Mounted, states: &[Vec<String>]) -> Answer {
    let vfs = SqliteVfs::new(fs, SqliteSettings::default()).expect("a VFS");
    let read = |db: &Connection| {
        let found = rows(db)?;
        Ok::<_, wordline_sqlite::rusqlite::Error>((found, integrity(db)?))
    };
    let Ok(db) = vfs.open("/db") else {
        return Answer::Told;
    };
    let found = read(&db);
    let _ = db.execute_batch("UPDATE t SET b = b || c; DELETE FROM t WHERE a % 3 = 0");
    let panicked = vfs
        .last_error()
        .filter(|error| error.to_string().contains("panicked"));
    assert_eq!(panicked, None);
    match found {
        Ok((found, word)) if word == "ok" => match states.split_last() {
            Some((last, _)) if *last == found => Answer::Right,
            Some((_, earlier)) if earlier.contains(&found) => Answer::Earlier,
            _ => Answer::Wrong,
        },
        _ => Answer::Told,
    }
}

/// A file system on a small memory.
#[derive(Clone, Copy, Debug)]
enum Layer {
    Flat,
    LittleFs,
}

impl Layer {
    fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::LittleFs => "littlefs",
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::Flat => 12 << 10,
            Self::LittleFs => 16 << 10,
        }
    }

    fn options(self) -> FsOptions {
        match self {
            Self::Flat => FsOptions::from([("unit", 64), ("records", 16), ("reserve", 512)]),
            Self::LittleFs => FsOptions::new(),
        }
    }

    fn contract(self, memory: Shared<Bytes>) -> Contract {
        match self {
            Self::Flat => Contract::Bytes(ByteBox::new(memory)),
            Self::LittleFs => {
                let blocks = ByteBlocks::of_bytes(memory, 512).expect("it divides the memory");
                Contract::Blocks(Box::new(blocks))
            }
        }
    }

    fn mounted(self, image: Vec<u8>) -> Result<Mounted, FsError> {
        let contract = self.contract(Bytes::of(image));
        engine(self.name()).open(contract, &self.options())
    }

    /// What a memory holds after a database was made and closed.
    fn image(self) -> Vec<u8> {
        let memory = Bytes::shared(self.bytes());
        let contract = || self.contract(memory.clone());
        let options = self.options();
        engine(self.name())
            .format(contract(), &options)
            .expect("it suits");
        let fs = engine(self.name())
            .open(contract(), &options)
            .expect("formatted");
        let vfs = SqliteVfs::new(fs, SqliteSettings::default()).expect("a VFS");
        let db = vfs.open("/db").expect("a path");
        db.execute_batch(SCHEMA).expect("room");
        drop(db);
        let mut fs = vfs.into_files().expect("all is closed");
        fs.unmount().expect("it was mounted");
        memory.borrow().copy()
    }
}

/// The bytes of a file.
fn content(fs: &mut dyn FileSystem, path: &str) -> Result<Vec<u8>, FsError> {
    let bytes = fs.entry(path)?.bytes;
    let mut out = vec![0; bytes as usize];
    let file = fs.open(path, Open::Read)?;
    let read = fs.read(file, 0, &mut out);
    fs.close(file)?;
    out.truncate(read?);
    Ok(out)
}

/// Where a flipped bit lies, as the files show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// In the bytes of the database, for which file systems have no check.
    Database,
    /// Elsewhere, and the file system does not read the database any more.
    Refused,
    /// Elsewhere, and the database is what it was.
    Unused,
    /// Elsewhere, and the file system gives other bytes, or files that were removed.
    Other,
}

fn place(layer: Layer, image: &[u8], database: &[u8]) -> Place {
    let found = layer
        .mounted(image.to_vec())
        .and_then(|mut fs| Ok((content(&mut *fs, "/db")?, fs.list("/")?.len())));
    let Ok((found, files)) = found else {
        return Place::Refused;
    };
    if files > 1 {
        return Place::Other;
    }
    if found == database {
        return Place::Unused;
    }
    let bits = found
        .iter()
        .zip(database)
        .map(|(one, other)| (one ^ other).count_ones());
    match found.len() == database.len() && bits.sum::<u32>() == 1 {
        true => Place::Database,
        false => Place::Other,
    }
}

/// One bit in `every`, by where it lies and what is read then.
fn flipped(layer: Layer, every: usize) -> BTreeMap<(Place, Answer), u64> {
    let image = layer.image();
    let mut fs = layer.mounted(image.clone()).expect("it is whole");
    let database = content(&mut *fs, "/db").expect("it is whole");
    let right = stored(fs);
    let mut counts = BTreeMap::new();
    for bit in (0..8 * image.len()).step_by(every) {
        let mut image = image.clone();
        image[bit / 8] ^= 1 << (bit % 8);
        let place = place(layer, &image, &database);
        let answer = match layer.mounted(image) {
            Ok(fs) => answer(fs, std::slice::from_ref(&right)),
            Err(_) => Answer::Told,
        };
        *counts.entry((place, answer)).or_default() += 1;
    }
    counts
}

fn stored(fs: Mounted) -> Vec<String> {
    let vfs = SqliteVfs::new(fs, SqliteSettings::default()).expect("a VFS");
    let db = vfs.open("/db").expect("a path");
    rows(&db).expect("it is whole")
}

/// A database with a journal or a log that is still needed, and the states that its transactions left.
struct Unfinished {
    journal: &'static str,
    database: Vec<u8>,
    beside: Vec<u8>,
    states: Vec<Vec<String>>,
}

impl Unfinished {
    /// A transaction that has written to the database and not ended.
    fn with_journal() -> Self {
        let change = "PRAGMA cache_size=2; BEGIN; UPDATE t SET b = zeroblob(300)";
        Self::new("/db-journal", &[], change)
    }

    /// Three transactions in a log.
    fn with_log() -> Self {
        let changes = [
            "PRAGMA wal_autocheckpoint=0; INSERT INTO t VALUES(20, 'one', 'more')",
            "UPDATE t SET c = 'other' WHERE a < 5",
            "DELETE FROM t WHERE a > 8",
        ];
        Self::new("/db-wal", &changes, "SELECT 1")
    }

    fn new(journal: &'static str, changes: &[&str], last: &str) -> Self {
        let vfs = SqliteVfs::new(Box::new(RamFiles::default()), SqliteSettings::default());
        let vfs = vfs.expect("a VFS");
        let db = vfs.open("/db").expect("a path");
        db.execute_batch(SCHEMA).expect("room");
        if journal == "/db-wal" {
            db.execute_batch("PRAGMA journal_mode=wal").expect("a log");
        }
        let mut states = vec![rows(&db).expect("rows")];
        for change in changes {
            db.execute_batch(change).expect("room");
            states.push(rows(&db).expect("rows"));
        }
        db.execute_batch(last).expect("room");
        let (database, beside) = vfs.with_files(|fs| {
            let content = |fs: &mut dyn FileSystem, path| content(fs, path).expect("a file");
            (content(fs, "/db"), content(fs, journal))
        });
        assert!(beside.len() > 1000, "{journal}: {}", beside.len());
        Self {
            journal,
            database,
            beside,
            states,
        }
    }

    /// What is found with another journal or log, on flat.
    fn answer(&self, beside: &[u8]) -> Answer {
        let memory = Bytes::shared(32 << 10);
        let flat = engine("flat");
        let contract = || Contract::Bytes(ByteBox::new(memory.clone()));
        flat.format(contract(), &FsOptions::new())
            .expect("it suits");
        let mut fs = flat.open(contract(), &FsOptions::new()).expect("formatted");
        for (path, bytes) in [("/db", &self.database[..]), (self.journal, beside)] {
            let file = fs.open(path, Open::Create).expect("room");
            fs.write(file, 0, bytes).expect("room");
            fs.close(file).expect("open");
        }
        answer(fs, &self.states)
    }

    fn answers(&self, all: impl Iterator<Item = Vec<u8>>) -> Answers {
        let mut answers = Answers::new();
        for beside in all {
            *answers.entry(self.answer(&beside)).or_default() += 1;
        }
        answers
    }

    /// One bit in `every` flips.
    fn flipped(&self, every: usize) -> Answers {
        self.answers((0..8 * self.beside.len()).step_by(every).map(|bit| {
            let mut beside = self.beside.clone();
            beside[bit / 8] ^= 1 << (bit % 8);
            beside
        }))
    }

    /// It ends after any multiple of so many bytes.
    fn cut_short(&self, every: usize) -> Answers {
        let ends = (0..self.beside.len()).step_by(every);
        self.answers(ends.map(|end| self.beside[..end].to_vec()))
    }

    /// Numbers of its head, and of the head of its first page, are the least and the greatest.
    fn forged(&self) -> Answers {
        let places = (0..128).step_by(4).chain((508..560).step_by(4));
        let values = [0, 1, 0x1000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF_u32];
        let forged = places.flat_map(|at| values.map(|value| (at, value)));
        self.answers(forged.map(|(at, value)| {
            let mut beside = self.beside.clone();
            beside[at..at + 4].copy_from_slice(&value.to_be_bytes());
            beside
        }))
    }
}

/// One bit of so many of a whole image, of a journal or a log, in tests; `make nightly` flips all.
const EVERY: usize = 61;

/// Two tables of what is read from damaged files, held to what must be.
pub(crate) fn tables(every: usize) -> String {
    let mut page = String::new();
    page += FLIPS;
    for layer in [Layer::Flat, Layer::LittleFs] {
        let counts = flipped(layer, every);
        for place in [Place::Database, Place::Refused, Place::Unused, Place::Other] {
            let count = |answer| counts.get(&(place, answer)).copied().unwrap_or(0);
            let [right, told, wrong] = [Answer::Right, Answer::Told, Answer::Wrong].map(count);
            if place != Place::Database && place != Place::Other {
                assert_eq!(wrong, 0, "{layer:?} {place:?}: {counts:?}");
            }
            let words = match place {
                Place::Database => "in the database",
                Place::Refused => "in what the file system needs",
                Place::Unused => "in what is not used",
                Place::Other => "elsewhere, and the files are others",
            };
            if right + told + wrong > 0 {
                let name = layer.name();
                writeln!(page, "| {name} | {words} | {right} | {told} | {wrong} |")
                    .expect("a String");
            }
            if matches!((layer, place), (Layer::Flat, Place::Other)) {
                assert_eq!(
                    right + told + wrong,
                    0,
                    "flat gives other bytes: {counts:?}"
                );
            }
        }
    }
    page += FILES;
    for (name, unfinished) in [
        ("journal", Unfinished::with_journal()),
        ("log", Unfinished::with_log()),
    ] {
        assert_eq!(
            unfinished.answer(&unfinished.beside),
            Answer::Right,
            "{name}"
        );
        for (words, answers) in [
            ("a bit flipped", unfinished.flipped(every)),
            ("cut short", unfinished.cut_short(every / 4 + 1)),
            ("a number forged", unfinished.forged()),
        ] {
            let count = |answer| answers.get(&answer).copied().unwrap_or(0);
            let [right, told, earlier, wrong] =
                [Answer::Right, Answer::Told, Answer::Earlier, Answer::Wrong].map(count);
            // Each frame of a log has a checksum of all before it.
            if name == "log" {
                assert_eq!(wrong, 0, "{words}: {answers:?}");
            }
            writeln!(
                page,
                "| {name} | {words} | {right} | {told} | {earlier} | {wrong} |"
            )
            .expect("a String");
        }
    }
    page
}

/// For the page of all verdicts.
pub(crate) fn published() -> String {
    tables(EVERY)
}

/// `make nightly`: every bit.
#[test]
#[ignore = "takes minutes; `make nightly` runs it"]
fn every_bit_and_every_length() {
    println!("{}", tables(1));
}

const FLIPS: &str = "
## Flipped bits

A database of 12 rows with an index in pages of 512 B, closed, in a memory of 12 KiB (flat) or 16 KiB (littlefs). One bit of
61 flips (`make nightly` flips each); then everything is read and `integrity_check` is asked. *Silently wrong* are other rows
without any complaint. In the bytes of the database that is SQLite's own limit: rows have no checksum, and no checksum VFS
is built here. flat never gives other bytes where its own records are hit. littlefs takes a damaged commit for one that a power
cut tore, and gives what was there before it.

| file system | where the bit lies | right | error or complaint | silently wrong |
|---|---|--:|--:|--:|
";

const FILES: &str = "
## Damaged journals and logs

A journal of a transaction that has written to the database and not ended, and a log of three transactions, on flat: with
one bit in 61 flipped, cut short every 16 B, and with each number of the heads replaced by six extreme values. *Earlier*
is the state before one or more of the last transactions. A page in a journal has a checksum over two of its 512 bytes, so
that damage elsewhere in it is written back unseen. A frame of a log has a checksum over all before it: damage ends the
log there, and SQLite says nothing of the transactions behind it.

| file | damage | right | error or complaint | earlier | silently wrong |
|---|---|--:|--:|--:|--:|
";
