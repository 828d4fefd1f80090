//! The workloads of `wordline sql`: SQLite on file systems on memories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NamedValues;
use super::engine::EngineName;
use crate::names::named;

/// Transactions of SQLite, on each file system on each memory, in each combination of settings or in those that a search
/// comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SqlWorkload {
    /// File systems that hold the database, each run by itself; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "on"))]
    pub file_systems: Vec<EngineName>,
    /// How SQLite keeps transactions whole (PRAGMA journal_mode); repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "journal"))]
    pub journals: Vec<SqlJournal>,
    /// Part on the board of each target, or PART@BOARD, that holds the write-ahead log or the journal [default: they lie
    /// beside the database].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub log_target: Option<String>,
    /// File system on that part [default: flat].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "log-on"))]
    pub log_file_system: Option<EngineName>,
    /// When SQLite syncs (PRAGMA synchronous); repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "sync"))]
    pub syncs: Vec<SqlSync>,
    /// Bytes of a page of the database (PRAGMA page_size), a power of two from 512 B to 64KiB; repeatable and
    /// comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "page"))]
    pub page_bytes: Vec<u64>,
    /// Pages of the write-ahead log that start a checkpoint (PRAGMA wal_autocheckpoint), 0 for none; repeatable and
    /// comma-separated. `bench` takes fewer where 1000 fill more than an eighth of the smallest memory.
    #[cfg_attr(feature = "cli", arg(long = "checkpoint"))]
    pub checkpoint_pages: Vec<u64>,
    /// What becomes of the log's file after a checkpoint (PRAGMA journal_size_limit); repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "log"))]
    pub logs: Vec<SqlLog>,
    /// Guarantees of the file system that the VFS reports to SQLite; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "told"))]
    pub told: Vec<SqlTold>,
    /// What is done, each on a database of its own; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "workload"))]
    pub works: Vec<SqlWork>,
    /// Rows of a transaction, of the workloads that insert or read them; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long))]
    pub rows: Vec<u64>,
    /// Transactions that are timed of each workload [default: as many as 5000 rows make, at most 2500; of a search at
    /// least three times the most pages of a checkpoint].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub transactions: Option<u64>,
    /// RAM of SQLite's page cache (PRAGMA cache_size).
    #[cfg_attr(feature = "cli", arg(long = "cache"))]
    pub cache_bytes: u64,
    /// Also says what processor and DMA take where copies of at least so many bytes in the mean leave the processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "dma"))]
    pub dma_bytes: Option<u64>,
    /// Also says what processor and a unit for checksums take where these leave the processor.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub check_unit: bool,
    /// SQL to run in place of the workloads: each statement is timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub script: Option<String>,
    /// Bytes of each memory, from its first on, that a file system gets, all of a smaller one [default: of each memory
    /// 4MiB or 64 blocks of a NAND, whichever is more].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "capacity"))]
    pub capacity_bytes: Option<u64>,
    /// Images of interrupted runs that are sampled for the verdict on power cuts; 0 for no verdict.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long = "crash"))]
    pub crash_images: u64,
    /// Choices of a file system that are not its defaults, by `FS.NAME`.
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub settings: NamedValues<String>,
    /// What is made of the combinations.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(skip = SqlTest::Bench))]
    pub test: SqlTest,
}

impl Default for SqlWorkload {
    /// SQLite's own defaults, with as many rows of a transaction as "Towards MRAM Byte-Addressable Persistent Memory in
    /// Edge Database Systems" has at its ends. It names no file system: the laboratory's own default names those that it
    /// has.
    fn default() -> Self {
        Self {
            file_systems: Vec::new(),
            journals: vec![SqlJournal::Delete, SqlJournal::Wal],
            log_target: None,
            log_file_system: None,
            syncs: vec![SqlSync::Full],
            page_bytes: vec![4096],
            checkpoint_pages: vec![1000],
            logs: vec![SqlLog::Keep],
            told: vec![SqlTold::Promise],
            works: vec![SqlWork::Insert, SqlWork::Read],
            rows: vec![2, 100],
            transactions: None,
            cache_bytes: 128 << 10,
            dma_bytes: None,
            check_unit: false,
            script: None,
            capacity_bytes: None,
            crash_images: 0,
            settings: NamedValues::new(),
            test: SqlTest::Bench,
        }
    }
}

named! {
    /// What is made of the combinations of settings.
    #[derive(Default)]
    pub enum SqlTest {
        /// Each is run.
        #[default]
        Bench = "bench",
        /// A search runs some, for the fastest that survives power cuts.
        Tune = "tune",
    }
}

named! {
    /// How SQLite keeps transactions whole: its `journal_mode`.
    pub enum SqlJournal {
        /// A rollback journal, which is removed when a transaction ends.
        Delete = "delete",
        /// A rollback journal, which is cut to nothing.
        Truncate = "truncate",
        /// A rollback journal, whose header is overwritten.
        Persist = "persist",
        /// A write-ahead log.
        Wal = "wal",
        /// A rollback journal in RAM: a power cut may destroy the database.
        Memory = "memory",
        /// No journal: a power cut or a rollback may destroy the database.
        Off = "off",
    }
}

named! {
    /// When SQLite syncs: its `synchronous`.
    pub enum SqlSync {
        /// Never: a power cut may destroy the database.
        Off = "off",
        /// Less often; with a write-ahead log the last transactions may be lost, and the rest stays whole.
        Normal = "normal",
        /// So that a transaction that returned lasts.
        Full = "full",
        /// The same, and the directory once more.
        Extra = "extra",
    }
}

named! {
    /// What becomes of the file of a write-ahead log after a checkpoint: its `journal_size_limit`.
    pub enum SqlLog {
        /// It keeps its length and is overwritten from its start, as by default.
        Keep = "keep",
        /// The next transaction cuts it to what that transaction writes (a limit of 0).
        Cut = "cut",
    }
}

named! {
    /// Guarantees of the file system that the VFS reports (`xDeviceCharacteristics`), so that SQLite can leave out work.
    pub enum SqlTold {
        /// What the file system promises: what a power cut leaves of a write lies within it, and a file's length follows
        /// its bytes.
        Promise = "promise",
        /// The same, and that several writes become valid together, where the file system has such writes: a transaction
        /// that fits in one needs no rollback journal. With a write-ahead log the same as promise.
        Together = "together",
        /// Nothing, as by simple VFSes: SQLite writes a log in whole sectors and pads it.
        Nothing = "nothing",
    }
}

named! {
    /// What is done with a database.
    pub enum SqlWork {
        /// Rows of a sensor are inserted, several in each transaction, in the schema of the edge-database paper.
        Insert = "insert",
        /// Such rows are read by their time, as many as a transaction inserted.
        Read = "read",
        /// The same query as the paper's authors wrote it, which compares a truth value: it returns every row.
        ReadAsPublished = "read-as-published",
        /// Bookings between accounts, tellers and branches, as TPC-B has them.
        TpcB = "tpc-b",
        /// Inserts, look-ups, ranges, updates, an index and deletes of an indexed table, as speedtest1 has them.
        Speedtest = "speedtest",
    }
}

impl SqlWorkload {
    /// Rows of all transactions together where nothing else is said, and the most transactions: as in the benchmark of the
    /// edge-database paper's authors.
    const ROWS: u64 = 5000;
    const TRANSACTIONS: u64 = 2500;

    /// Logs that a run of a search fills at least, so that it shows what checkpoints cost.
    pub const LOGS_FILLED: u64 = 3;

    /// The workload of a search: each list has the values that it may take.
    #[must_use]
    pub fn search() -> Self {
        Self {
            journals: vec![
                SqlJournal::Delete,
                SqlJournal::Truncate,
                SqlJournal::Persist,
                SqlJournal::Wal,
            ],
            page_bytes: vec![512, 1024, 2048, 4096, 8192],
            checkpoint_pages: vec![10, 30, 100, 300],
            logs: SqlLog::ALL.to_vec(),
            told: vec![SqlTold::Promise, SqlTold::Together],
            works: vec![SqlWork::Insert],
            rows: vec![10],
            crash_images: 300,
            test: SqlTest::Tune,
            ..Self::default()
        }
    }

    /// The file system of logs and journals, where they lie on a memory of their own.
    #[must_use]
    pub fn log_engine(&self) -> EngineName {
        self.log_file_system
            .clone()
            .unwrap_or_else(EngineName::flat)
    }

    /// Transactions of so many rows that are timed.
    #[must_use]
    pub fn transactions_of(&self, rows: u64) -> u64 {
        let usual = (Self::ROWS / rows.max(1)).clamp(1, Self::TRANSACTIONS);
        let pages = self.checkpoint_pages.iter().max();
        let least = match (self.test, pages) {
            (SqlTest::Tune, Some(pages)) => pages.saturating_mul(Self::LOGS_FILLED),
            _ => 0,
        };
        self.transactions.unwrap_or(usual.max(least))
    }
}

impl SqlJournal {
    /// Whether a transaction has a journal on the memory that writes which become valid together make needless.
    #[must_use]
    pub const fn rolls_back(self) -> bool {
        matches!(self, Self::Delete | Self::Truncate | Self::Persist)
    }
}

impl SqlWork {
    /// Whether its transactions have a number of rows.
    #[must_use]
    pub const fn has_rows(self) -> bool {
        matches!(self, Self::Insert | Self::Read | Self::ReadAsPublished)
    }
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual_bench() -> super::Workload {
    super::Workload::Sql(SqlWorkload::default())
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual_tune() -> super::Workload {
    super::Workload::Sql(SqlWorkload::search())
}

#[cfg(feature = "cli")]
fn read(matches: &clap::ArgMatches, test: SqlTest) -> Result<super::Workload, clap::Error> {
    let workload = <SqlWorkload as clap::FromArgMatches>::from_arg_matches(matches)?;
    Ok(super::Workload::Sql(SqlWorkload { test, ..workload }))
}

/// `wordline sql bench`.
#[cfg(feature = "cli")]
pub(super) const BENCH: super::ExperimentCommand = super::ExperimentCommand {
    path: &["sql", "bench"],
    about: "Run SQLite on memories: latency of transactions with the worst case explained, bytes, wear, RAM, energy, power cuts",
    examples: "\
Examples:
  wordline sql bench --target as3004316@stm32h743-fmc16 --on littlefs,flat \\
    --journal wal,delete --page 512
  wordline sql bench --target mt29f1g01 --on littlefs,rtfs --journal wal --rows 2 --crash 500
  wordline sql bench --target mt25ql128 --workload tpc-b --sync full,normal --checkpoint 100,1000
  wordline sql bench --target as3004316 --on flat --script my.sql
  wordline sql bench --target em064lx --on flat --journal wal --workload insert,read \\
    --export sql.html

SQLite itself runs, through files of the file system, in simulated time. A transaction is timed from its statement to its
return; time is that of the memory and its driver. Its database is made and filled when nothing is timed.
docs/guides/databases.md explains the figures.

Exit code 1: a run failed, or one that --require names did not survive every power cut of the sample.",
    target: "PART@BOARD, or PART on its default board; repeatable and comma-separated",
    timing: "typ",
    fixed: crate::Timing::Typ,
    layer: true,
    flags: <SqlWorkload as clap::Args>::augment_args,
    read: |matches| read(matches, SqlTest::Bench),
    default: usual_bench,
};

/// `wordline sql tune`.
#[cfg(feature = "cli")]
pub(super) const TUNE: super::ExperimentCommand = super::ExperimentCommand {
    path: &["sql", "tune"],
    about: "Search the settings of SQLite and of the file system for the fastest that survives power cuts",
    examples: "\
Examples:
  wordline sql tune --target as3004316@stm32h743-fmc16
  wordline sql tune --target mt25ql128 --on littlefs --rows 2,100 --crash 1000
  wordline sql tune --target mt29f1g01 --workload tpc-b --page 2048,4096 --journal wal
  wordline sql tune --target em064lx --on littlefs --set littlefs.block=512 --sync full,normal

Each list names the values that the search may take. For each file system it runs every combination of SQLite's settings,
then each choice of the file system in turn, and begins again from the best until nothing gets faster. A choice that --set
names stays. A run ends early once it takes twice as long as the best. The fastest then has its power cut --crash times,
and the next one where data were lost.

With --sync full, the default, a transaction that returned lasts. --sync full,normal also allows a log that may lose the
last transactions, and keeps the database whole.",
    target: "PART@BOARD, or PART on its default board; repeatable and comma-separated",
    timing: "typ",
    fixed: crate::Timing::Typ,
    layer: true,
    flags: <SqlWorkload as clap::Args>::augment_args,
    read: |matches| read(matches, SqlTest::Tune),
    default: usual_tune,
};
