//! SQLite as the crash harness takes it: transactions, and what they leave in a database.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rusqlite::{Connection, Transaction};
use wordline_crash::PairTearing;
use wordline_crash::harness::{Medium, Outcome, Recorded, Subject};
use wordline_engines::crash::StoredBytes;
use wordline_engines::{Contract, FileSystem, FileSystemEngine, FsError, FsOptions, Open};

use crate::{DeviceTraits, SplitFiles, SqliteError, SqliteSettings, SqliteVfs};

/// Where the database is.
const PATH: &str = "/db";

/// How SQLite finds back what was before a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JournalMode {
    /// A journal of what pages held, which is removed with the transaction's end.
    Delete,
    /// The same, and the journal is cut to nothing.
    Truncate,
    /// The same, and the journal's head is overwritten.
    Persist,
    /// A log of what pages will hold, from where they move to the database later.
    Wal,
    /// No journal on the memory: a power cut within a transaction may destroy the database.
    Memory,
    /// No journal at all: neither a power cut nor a rollback finds back.
    Off,
}

impl JournalMode {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Delete,
        Self::Truncate,
        Self::Persist,
        Self::Wal,
        Self::Memory,
        Self::Off,
    ];

    /// As SQL spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Truncate => "truncate",
            Self::Persist => "persist",
            Self::Wal => "wal",
            Self::Memory => "memory",
            Self::Off => "off",
        }
    }
}

/// How much SQLite syncs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Synchronous {
    /// Nothing.
    Off,
    /// What keeps the database whole.
    Normal,
    /// What makes each transaction last when it returns.
    Full,
    /// The directory of the journal, too.
    Extra,
}

impl Synchronous {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Off, Self::Normal, Self::Full, Self::Extra];

    /// As SQL spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Normal => "normal",
            Self::Full => "full",
            Self::Extra => "extra",
        }
    }
}

/// How a database is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// How SQLite finds back what was before.
    pub journal: JournalMode,
    /// How much it syncs.
    pub synchronous: Synchronous,
    /// Bytes of a page: a power of two from 512 to 65,536.
    pub page_bytes: u32,
    /// Pages in a log that SQLite moves to the database; 0 for never, before it is closed.
    pub checkpoint_pages: u32,
    /// Bytes to which the first transaction after a checkpoint cuts a longer log; `None` keeps its length.
    pub log_limit_bytes: Option<u64>,
}

impl DatabaseOptions {
    /// Whether a transaction survives a power cut once it has returned. With less, a log may lose the last ones, and
    /// keeps the database whole.
    #[must_use]
    pub fn lasts(&self) -> bool {
        match self.journal {
            JournalMode::Wal => self.synchronous >= Synchronous::Full,
            _ => self.synchronous >= Synchronous::Normal,
        }
    }

    /// Whether each transaction is whole after a power cut, and the database in order.
    #[must_use]
    pub fn survives_power_cuts(&self) -> bool {
        !matches!(self.journal, JournalMode::Memory | JournalMode::Off)
            && self.synchronous > Synchronous::Off
    }

    /// What SQLite may be told of a file system with such traits. A journal that stays is overwritten, of which
    /// [`safe_append`](DeviceTraits::safe_append) says nothing; yet SQLite then leaves out the sync of its records.
    #[must_use]
    pub fn may_be_told(&self, traits: DeviceTraits) -> DeviceTraits {
        DeviceTraits {
            safe_append: traits.safe_append && self.journal != JournalMode::Persist,
            ..traits
        }
    }

    /// The statements that set up a connection. The size of pages comes first: a journal's mode fixes it.
    #[must_use]
    pub fn pragmas(&self) -> String {
        format!(
            "PRAGMA page_size={}; PRAGMA journal_mode={}; PRAGMA synchronous={}; PRAGMA wal_autocheckpoint={};{}",
            self.page_bytes,
            self.journal.name(),
            self.synchronous.name(),
            self.checkpoint_pages,
            match self.log_limit_bytes {
                Some(bytes) => format!(" PRAGMA journal_size_limit={bytes};"),
                None => String::new(),
            }
        )
    }
}

/// The rows of the tables, by table and key.
pub type SqlTables = BTreeMap<String, BTreeMap<i64, StoredBytes>>;

/// A change of a row.
#[derive(Clone, Debug)]
pub enum RowChange {
    /// Gives a key of a table a value, whether it had one or not.
    Put(&'static str, i64, StoredBytes),
    /// Removes a key of a table.
    Remove(&'static str, i64),
}

/// One transaction.
#[derive(Clone, Debug)]
pub enum SqlCall {
    /// Changes rows, all of them or none.
    Change(Vec<RowChange>),
    /// Makes a table, with an index.
    CreateTable(&'static str),
    /// Removes a table with all rows.
    DropTable(&'static str),
    /// Changes rows, and takes all of it back.
    Rollback(Vec<RowChange>),
    /// Moves what a log holds to the database.
    Checkpoint,
}

impl SqlCall {
    fn run(&self, db: &mut Connection) -> rusqlite::Result<()> {
        match self {
            Self::Change(changes) => changed(db, changes)?.commit(),
            Self::Rollback(changes) => changed(db, changes)?.rollback(),
            Self::CreateTable(table) => db.execute_batch(&format!(
                "BEGIN; CREATE TABLE {table}(a INTEGER PRIMARY KEY, b BLOB);
                 CREATE INDEX {table}_b ON {table}(b); COMMIT"
            )),
            Self::DropTable(table) => db.execute_batch(&format!("DROP TABLE {table}")),
            Self::Checkpoint => db.execute_batch("PRAGMA wal_checkpoint(FULL)"),
        }
    }

    /// What the transaction makes of the tables.
    #[must_use]
    pub fn next(&self, tables: &SqlTables) -> SqlTables {
        let mut tables = tables.clone();
        match self {
            Self::Change(changes) => {
                for change in changes {
                    match change {
                        RowChange::Put(table, key, value) => {
                            let rows = tables.entry((*table).to_owned()).or_default();
                            rows.insert(*key, value.clone());
                        }
                        RowChange::Remove(table, key) => {
                            tables.entry((*table).to_owned()).or_default().remove(key);
                        }
                    }
                }
            }
            Self::CreateTable(table) => {
                tables.insert((*table).to_owned(), BTreeMap::new());
            }
            Self::DropTable(table) => {
                tables.remove(*table);
            }
            Self::Checkpoint | Self::Rollback(_) => {}
        }
        tables
    }
}

/// A transaction that has changed rows.
fn changed<'db>(
    db: &'db mut Connection,
    changes: &[RowChange],
) -> rusqlite::Result<Transaction<'db>> {
    let transaction = db.transaction()?;
    for change in changes {
        match change {
            RowChange::Put(table, key, value) => transaction.execute(
                &format!("INSERT OR REPLACE INTO {table} VALUES(?1, ?2)"),
                (key, &value.0),
            ),
            RowChange::Remove(table, key) => {
                transaction.execute(&format!("DELETE FROM {table} WHERE a = ?1"), [key])
            }
        }?;
    }
    Ok(transaction)
}

/// A file system mounted on a memory, which is formatted before where the flag says so.
pub type FilesOf<'a, M> =
    Box<dyn Fn(Recorded<M>, bool) -> Result<Box<dyn FileSystem + Send>, FsError> + 'a>;

/// An engine's file system in some setup. `contract` makes of a memory what it needs, to be formatted or opened.
pub fn files_of<'a, M: Medium>(
    engine: &'a dyn FileSystemEngine,
    options: FsOptions,
    contract: impl Fn(Recorded<M>, bool) -> Result<Contract, FsError> + 'a,
) -> FilesOf<'a, M> {
    Box::new(move |memory, formats| {
        if formats {
            engine.format(contract(memory.clone(), true)?, &options)?;
        }
        engine.open(contract(memory, false)?, &options)
    })
}

/// The file system of some memory, with write-ahead logs and journals on the file system of another.
pub fn split_files<'a, A: Medium, B: Medium>(
    tables: FilesOf<'a, A>,
    logs: FilesOf<'a, B>,
) -> FilesOf<'a, PairTearing<A, B>> {
    Box::new(move |memory, formats| {
        let (first, second) = memory.halves();
        let files = SplitFiles::new(tables(first, formats)?, logs(second, formats)?);
        Ok(Box::new(files))
    })
}

/// A database on a file system, as software under test.
///
/// Each transaction is there as a whole or not at all, SQLite's own check finds nothing, and what
/// [lasts](DatabaseOptions::lasts) is there.
pub struct SqlSubject<'a, M: Medium> {
    /// The file system.
    pub files: FilesOf<'a, M>,
    /// What SQLite is told of the memory, and what of it is broken.
    pub settings: SqliteSettings,
    /// How the database is set up.
    pub database: DatabaseOptions,
    /// Pages in SQLite's cache; a transaction of more pages writes to the database before it ends. 0 for SQLite's own choice.
    pub cache_pages: u32,
    /// What the database holds before the workload.
    pub before: Vec<SqlCall>,
    /// [`Subject::after`].
    pub after: Vec<SqlCall>,
    /// [`Subject::stopped`].
    pub stopped: &'a dyn Fn() -> bool,
}

/// An open database.
pub struct OpenedDatabase {
    // Dropped before what it lies on.
    db: Connection,
    vfs: SqliteVfs,
}

impl fmt::Debug for OpenedDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedDatabase")
            .field("vfs", &self.vfs)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Medium> SqlSubject<'a, M> {
    /// The subject, with an empty database, without calls after a recovery, and without a stop.
    pub fn new(files: FilesOf<'a, M>, database: DatabaseOptions) -> Self {
        Self {
            files,
            settings: SqliteSettings::default(),
            database,
            cache_pages: 0,
            before: Vec::new(),
            after: Vec::new(),
            stopped: &|| false,
        }
    }

    fn open_database(
        &self,
        memory: Recorded<M>,
        formats: bool,
    ) -> Result<OpenedDatabase, SqliteError> {
        let mut fs = (self.files)(memory, formats)?;
        let settings = SqliteSettings {
            seed: stirred(self.settings.seed, &mut *fs),
            ..self.settings
        };
        let vfs = SqliteVfs::new(fs, settings)?;
        let db = vfs.open(PATH)?;
        let mut pragmas = self.database.pragmas();
        if self.cache_pages > 0 {
            pragmas += &format!("PRAGMA cache_size={};", self.cache_pages);
        }
        let setup = db.execute_batch(&pragmas);
        // Recovery is done by the first who reads.
        let setup = setup.and_then(|()| db.execute_batch("SELECT count(*) FROM sqlite_schema"));
        match setup {
            Ok(()) => Ok(OpenedDatabase { db, vfs }),
            Err(error) => Err(vfs.explain(error)),
        }
    }
}

/// Another seed for each state of the files: after a power cut SQLite draws other salts than before it, as it does
/// where randomness is real.
fn stirred(seed: u64, fs: &mut dyn FileSystem) -> u64 {
    let mut hash = seed ^ 0xcbf2_9ce4_8422_2325;
    for path in ["/db", "/db-journal", "/db-wal"] {
        let mut head = [0; 512];
        let Ok(file) = fs.open(path, Open::Read) else {
            continue;
        };
        // What cannot be read, SQLite will not read either.
        let read = fs.read(file, 0, &mut head).unwrap_or(0);
        let _ = fs.close(file);
        for byte in &head[..read] {
            // FNV-1a of 64 bits.
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

impl<M: Medium> Subject for SqlSubject<'_, M> {
    type Medium = M;
    type Store = OpenedDatabase;
    type Call = SqlCall;
    type State = SqlTables;

    fn prepare(&self, memory: Recorded<M>) -> Outcome<()> {
        let mut opened = self.open_database(memory, true)?;
        for call in &self.before {
            self.apply(&mut opened, call)?;
        }
        drop(opened.db);
        opened.vfs.into_files()?.unmount()?;
        Ok(())
    }

    fn open(&self, memory: Recorded<M>) -> Outcome<OpenedDatabase> {
        Ok(self.open_database(memory, false)?)
    }

    fn apply(&self, store: &mut OpenedDatabase, call: &SqlCall) -> Outcome<()> {
        let done = call.run(&mut store.db);
        Ok(done.map_err(|error| store.vfs.explain(error))?)
    }

    fn read(&self, store: &mut OpenedDatabase) -> Outcome<SqlTables> {
        let word = store
            .db
            .query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0));
        let explained = |error| store.vfs.explain(error);
        let word = word.map_err(explained)?;
        if word != "ok" {
            return Err(format!("integrity_check: {word}").into());
        }
        Ok(tables(&store.db).map_err(explained)?)
    }

    fn next(&self, tables: &SqlTables, call: &SqlCall) -> SqlTables {
        call.next(tables)
    }

    fn lasts(&self, call: &SqlCall) -> bool {
        let is_synced = self.database.synchronous > Synchronous::Off;
        self.database.lasts() || (matches!(call, SqlCall::Checkpoint) && is_synced)
    }

    fn after(&self) -> Vec<SqlCall> {
        self.after.clone()
    }

    fn stopped(&self) -> bool {
        (self.stopped)()
    }

    fn simpler(&self, call: &SqlCall) -> Vec<SqlCall> {
        match call {
            SqlCall::Change(changes) if changes.len() > 1 => {
                let alone = changes
                    .iter()
                    .map(|change| SqlCall::Change(vec![change.clone()]));
                alone.collect()
            }
            _ => Vec::new(),
        }
    }

    fn judge(&self, found: &SqlTables, allowed: &[SqlTables]) -> Result<(), String> {
        if allowed.contains(found) {
            return Ok(());
        }
        // What every state that may be found agrees on was there for good.
        let states = allowed.iter().chain([found]);
        let cells: BTreeSet<(&String, &i64)> = states
            .flat_map(|tables| {
                tables
                    .iter()
                    .flat_map(|(table, rows)| rows.keys().map(move |key| (table, key)))
            })
            .collect();
        let value = |tables: &SqlTables, (table, key): (&String, &i64)| {
            tables.get(table).and_then(|rows| rows.get(key)).cloned()
        };
        let is_lost = cells.into_iter().any(|cell| {
            let mut values = allowed.iter().map(|tables| value(tables, cell));
            let first = values.next();
            let is_agreed = values.all(|value| Some(&value) == first.as_ref());
            is_agreed && first != Some(value(found, cell))
        });
        Err(if is_lost {
            "what was committed is lost or changed"
        } else {
            "a transaction is there in part"
        }
        .to_owned())
    }
}

/// All rows of all tables.
fn tables(db: &Connection) -> rusqlite::Result<SqlTables> {
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    let mut names = db.prepare(names)?;
    let names = names.query_map([], |row| row.get::<_, String>(0))?;
    let mut tables = SqlTables::new();
    for name in names {
        let name = name?;
        let quoted = name.replace('"', "\"\"");
        let mut rows = db.prepare(&format!("SELECT a, b FROM \"{quoted}\""))?;
        let rows = rows.query_map([], |row| Ok((row.get(0)?, StoredBytes(row.get(1)?))))?;
        tables.insert(name, rows.collect::<Result<_, _>>()?);
    }
    Ok(tables)
}
