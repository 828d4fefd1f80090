//! What SQLite did on the processor, in counts that are the same in every run.

use std::ffi::c_int;

use rusqlite::{Connection, Statement, StatementStatus, ffi};

/// What statements did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementWork {
    /// Times that they ran.
    pub runs: u64,
    /// Instructions of SQLite's virtual machine.
    pub vm_steps: u64,
    /// Rows stepped over in full scans of a table.
    pub fullscan_steps: u64,
    /// Sorts.
    pub sorts: u64,
    /// Rows put into indexes that SQLite made for the statement alone.
    pub autoindex_rows: u64,
    /// Times that they were compiled again, after the schema changed.
    pub reprepares: u64,
}

impl StatementWork {
    /// What a statement did since it was last asked, or prepared.
    #[must_use]
    pub fn take(statement: &Statement<'_>) -> Self {
        let count = |status| u64::from(statement.reset_status(status) as u32);
        Self {
            runs: count(StatementStatus::Run),
            vm_steps: count(StatementStatus::VmStep),
            fullscan_steps: count(StatementStatus::FullscanStep),
            sorts: count(StatementStatus::Sort),
            autoindex_rows: count(StatementStatus::AutoIndex),
            reprepares: count(StatementStatus::RePrepare),
        }
    }

    /// Adds what another did.
    pub fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.vm_steps += other.vm_steps;
        self.fullscan_steps += other.fullscan_steps;
        self.sorts += other.sorts;
        self.autoindex_rows += other.autoindex_rows;
        self.reprepares += other.reprepares;
    }
}

/// What a connection did with its cache since it was opened, and the RAM that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionWork {
    /// Pages found in the cache.
    pub cache_hits: u64,
    /// Pages read from the file.
    pub cache_misses: u64,
    /// Pages written to the file.
    pub cache_writes: u64,
    /// Of these, pages written within a transaction, for want of room in the cache.
    pub cache_spills: u64,
    /// Bytes of RAM of the cache.
    pub cache_bytes: u64,
    /// Bytes of RAM of the schema.
    pub schema_bytes: u64,
    /// Bytes of RAM of prepared statements.
    pub statement_bytes: u64,
}

impl ConnectionWork {
    /// What a connection did so far.
    #[must_use]
    pub fn of(connection: &Connection) -> Self {
        let status = |what: c_int| {
            let (mut now, mut peak) = (0, 0);
            // SAFETY: The connection lives, and the places take what is asked for.
            let code = unsafe {
                ffi::sqlite3_db_status(connection.handle(), what, &raw mut now, &raw mut peak, 0)
            };
            if code == ffi::SQLITE_OK {
                u64::from(now as u32)
            } else {
                0
            }
        };
        Self {
            cache_hits: status(ffi::SQLITE_DBSTATUS_CACHE_HIT),
            cache_misses: status(ffi::SQLITE_DBSTATUS_CACHE_MISS),
            cache_writes: status(ffi::SQLITE_DBSTATUS_CACHE_WRITE),
            cache_spills: status(ffi::SQLITE_DBSTATUS_CACHE_SPILL),
            cache_bytes: status(ffi::SQLITE_DBSTATUS_CACHE_USED),
            schema_bytes: status(ffi::SQLITE_DBSTATUS_SCHEMA_USED),
            statement_bytes: status(ffi::SQLITE_DBSTATUS_STMT_USED),
        }
    }

    /// What it did since some earlier time; the RAM is that of now.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            cache_hits: self.cache_hits.saturating_sub(earlier.cache_hits),
            cache_misses: self.cache_misses.saturating_sub(earlier.cache_misses),
            cache_writes: self.cache_writes.saturating_sub(earlier.cache_writes),
            cache_spills: self.cache_spills.saturating_sub(earlier.cache_spills),
            ..self
        }
    }
}
