//! What SQLite asked of its files.

use std::ops::{Index, IndexMut};

/// What a file is to SQLite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A database.
    Database,
    /// A rollback journal.
    Journal,
    /// A write-ahead log.
    Wal,
    /// A journal of several databases, or what the caller opened.
    Other,
    /// A file without a name, which lies in RAM.
    Temporary,
}

/// What SQLite asked of the files of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Files opened.
    pub opens: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Syncs, of whatever kind.
    pub syncs: u64,
    /// Of these, syncs that were to be `FULL`: more than fsync on some systems.
    pub syncs_full: u64,
    /// Of these, syncs of data without what is known of the file, such as its time.
    pub syncs_data_only: u64,
    /// Syncs that did not reach the file system, for a [fault](crate::VfsFault).
    pub syncs_dropped: u64,
    /// Changes of the length.
    pub truncates: u64,
    /// Files removed.
    pub deletes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Bytes that the VFS itself moved in RAM: what reads past an end are filled with, and batches.
    pub copied_bytes: u64,
}

/// What SQLite asked of its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VfsCounts {
    /// Of databases.
    pub database: FileCounts,
    /// Of rollback journals.
    pub journal: FileCounts,
    /// Of write-ahead logs.
    pub wal: FileCounts,
    /// Of journals of several databases, and of what the caller opened.
    pub other: FileCounts,
    /// Of files without a name, which lie in RAM.
    pub temporary: FileCounts,
    /// Questions whether there is a file.
    pub lookups: u64,
    /// Of these and of the files that were opened, those that were not there.
    pub absent: u64,
    /// Syncs of a directory, after a file was removed.
    pub directory_syncs: u64,
    /// Batches of writes that became valid together.
    pub batches: u64,
    /// Simulated time for which SQLite waited for locks, in microseconds.
    pub waited_us: u64,
}

impl FileCounts {
    fn fields(&mut self) -> [&mut u64; 12] {
        [
            &mut self.opens,
            &mut self.reads,
            &mut self.writes,
            &mut self.syncs,
            &mut self.syncs_full,
            &mut self.syncs_data_only,
            &mut self.syncs_dropped,
            &mut self.truncates,
            &mut self.deletes,
            &mut self.read_bytes,
            &mut self.written_bytes,
            &mut self.copied_bytes,
        ]
    }
}

impl VfsCounts {
    /// What was asked since some earlier counts of the same VFS.
    #[must_use]
    pub fn since(mut self, mut earlier: Self) -> Self {
        for (now, then) in self.fields().into_iter().zip(earlier.fields()) {
            *now = now.saturating_sub(*then);
        }
        self
    }

    /// Of it what [`SplitFiles`](crate::SplitFiles) asks of the file system of databases, and of that of logs and
    /// journals; files are looked for there.
    #[must_use]
    pub fn split(self) -> [Self; 2] {
        let tables = Self {
            journal: FileCounts::default(),
            wal: FileCounts::default(),
            lookups: 0,
            absent: 0,
            ..self
        };
        let logs = Self {
            database: FileCounts::default(),
            other: FileCounts::default(),
            ..self
        };
        [tables, logs]
    }

    /// The files that lie in the memory, together.
    #[must_use]
    pub fn stored(&self) -> FileCounts {
        let mut sum = FileCounts::default();
        for mut kind in [self.database, self.journal, self.wal, self.other] {
            for (total, part) in sum.fields().into_iter().zip(kind.fields()) {
                *total += *part;
            }
        }
        sum
    }

    fn fields(&mut self) -> Vec<&mut u64> {
        let kinds = [
            &mut self.database,
            &mut self.journal,
            &mut self.wal,
            &mut self.other,
            &mut self.temporary,
        ];
        let rest = [
            &mut self.lookups,
            &mut self.absent,
            &mut self.directory_syncs,
            &mut self.batches,
            &mut self.waited_us,
        ];
        let kinds = kinds.into_iter().flat_map(FileCounts::fields);
        kinds.chain(rest).collect()
    }
}

impl Index<FileKind> for VfsCounts {
    type Output = FileCounts;

    fn index(&self, kind: FileKind) -> &FileCounts {
        match kind {
            FileKind::Database => &self.database,
            FileKind::Journal => &self.journal,
            FileKind::Wal => &self.wal,
            FileKind::Other => &self.other,
            FileKind::Temporary => &self.temporary,
        }
    }
}

impl IndexMut<FileKind> for VfsCounts {
    fn index_mut(&mut self, kind: FileKind) -> &mut FileCounts {
        match kind {
            FileKind::Database => &mut self.database,
            FileKind::Journal => &mut self.journal,
            FileKind::Wal => &mut self.wal,
            FileKind::Other => &mut self.other,
            FileKind::Temporary => &mut self.temporary,
        }
    }
}
