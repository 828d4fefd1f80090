//! What SQLite did on the processor, in counts that are the same in every run.

use std::ffi::c_int;

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::{Batch, Connection, Statement, StatementStatus, ffi};

/// What the parser of SQLite reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SqlText {
    /// Bytes.
    pub bytes: u64,
    /// Names and numbers, texts in quotes, and each other sign that is no blank.
    pub words: u64,
    /// Of these, the words `SELECT`.
    pub queries: u64,
    /// Of these, the words `WHERE`: each makes SQLite plan a search.
    pub searches: u64,
}

impl SqlText {
    /// Counts what lies in a text of SQL.
    #[must_use]
    pub fn of(sql: &str) -> Self {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let mut rest = sql.as_bytes();
        let mut text = Self {
            bytes: rest.len() as u64,
            ..Self::default()
        };
        while let Some((&first, after)) = rest.split_first() {
            let length = match first {
                b'\'' => {
                    let end = after.iter().position(|byte| *byte == b'\'');
                    end.map_or(rest.len(), |end| end + 2)
                }
                _ => 1.max(rest.iter().take_while(|byte| is_word(**byte)).count()),
            };
            let (word, after) = rest.split_at(length);
            text.words += u64::from(!first.is_ascii_whitespace());
            text.queries += u64::from(word.eq_ignore_ascii_case(b"select"));
            text.searches += u64::from(word.eq_ignore_ascii_case(b"where"));
            rest = after;
        }
        text
    }
}

/// Runs every statement of a text to its last row, as a program does that reads them all. Returns what they did.
///
/// # Errors
/// When SQLite refuses a statement; those before it were run.
pub fn run_to_end(connection: &Connection, sql: &str) -> rusqlite::Result<StatementWork> {
    let mut work = StatementWork::default();
    let mut batch = Batch::new(connection, sql);
    while let Some(mut statement) = batch.next()? {
        let mut rows = statement.raw_query();
        while rows.next()?.is_some() {}
        drop(rows);
        work.add(StatementWork::take(&statement));
    }
    Ok(work)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_names_numbers_texts_and_each_other_sign() {
        let text = |sql| {
            let text = SqlText::of(sql);
            (text.words, text.queries + 10 * text.searches)
        };
        assert_eq!(text("INSERT INTO t VALUES (12,'a b, where',x_1)"), (11, 0));
        assert_eq!(text("  SELECT a\n FROM t where b<=3;"), (10, 11));
        assert_eq!(text("'open"), (1, 0));
        assert_eq!(text(""), (0, 0));
        assert_eq!(text("é"), (2, 0), "a byte at a time");
    }

    #[test]
    fn statements_run_to_their_last_row() {
        crate::library::start().expect("a fresh process, or ours");
        let memory = Connection::open_in_memory().expect("SQLite");
        let steps = |rows: u32| {
            let sql = format!(
                "WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM n WHERE x<{rows}) SELECT x FROM n; SELECT 1"
            );
            let work = run_to_end(&memory, &sql).expect("rows");
            assert_eq!(work.runs, 2);
            work.vm_steps
        };
        assert!(steps(100) > 5 * steps(10));
        assert!(run_to_end(&memory, "SELECT 1; SELEC 2").is_err());
    }
}
