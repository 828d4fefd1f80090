//! What SQLite is told of the memory and of the world.

use std::ffi::c_int;

use rusqlite::ffi;

/// What SQLite is told of the memory and of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqliteSettings {
    /// Bytes of a sector: a power cut damages at most the sectors that are written. 512 or more, a power of two.
    pub sector_bytes: u32,
    /// What writes of the memory guarantee.
    pub traits: DeviceTraits,
    /// Where the index of a write-ahead log lies.
    pub wal_index: WalIndex,
    /// Seed of SQLite's randomness: salts of logs, nonces of journals, `random()`.
    pub seed: u64,
    /// The time in milliseconds of the Unix epoch, until [`set_time`](crate::SqliteVfs::set_time). Only SQLite's waits
    /// let it pass.
    pub start_unix_ms: i64,
    /// A promise that the VFS breaks, to prove that a check finds it.
    pub fault: Option<VfsFault>,
}

impl Default for SqliteSettings {
    /// Sectors of 512 B, what SQLite assumes of usual file systems, the index in RAM, 1 January 2026.
    fn default() -> Self {
        Self {
            sector_bytes: 512,
            traits: DeviceTraits::USUAL,
            wal_index: WalIndex::Ram,
            seed: 0,
            start_unix_ms: 1_767_225_600_000,
            fault: None,
        }
    }
}

/// What writes of a memory guarantee; SQLite leaves out work that these make needless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceTraits {
    /// The sizes in bytes of aligned writes that a power cut leaves done or not done, as a sum: each a power of two from
    /// 512 to 65,536. Needs SQLite compiled with `ENABLE_ATOMIC_WRITE`.
    pub atomic_sizes: u32,
    /// A power cut leaves a write of any size done or not done. Needs the same.
    pub atomic_any: bool,
    /// The length of a file grows after the bytes that are appended have landed.
    pub safe_append: bool,
    /// Writes land in the order in which they were made.
    pub sequential: bool,
    /// A power cut within a write leaves the bytes beside it as they were.
    pub powersafe_overwrite: bool,
    /// Several writes of a file can become valid together. Needs SQLite compiled with `ENABLE_BATCH_ATOMIC_WRITE`, and
    /// without the other: with both, this SQLite tells other connections nothing of such a transaction.
    pub batch_atomic: bool,
    /// A read may begin and end anywhere in a page.
    pub subpage_read: bool,
}

impl DeviceTraits {
    /// What SQLite assumes of the file systems of Unix.
    pub const USUAL: Self = Self {
        atomic_sizes: 0,
        atomic_any: false,
        safe_append: false,
        sequential: false,
        powersafe_overwrite: true,
        batch_atomic: false,
        subpage_read: true,
    };

    /// The same as SQLite's bits.
    pub(crate) fn bits(self) -> c_int {
        let flags = [
            (self.atomic_any, ffi::SQLITE_IOCAP_ATOMIC),
            (self.safe_append, ffi::SQLITE_IOCAP_SAFE_APPEND),
            (self.sequential, ffi::SQLITE_IOCAP_SEQUENTIAL),
            (
                self.powersafe_overwrite,
                ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE,
            ),
            (self.batch_atomic, ffi::SQLITE_IOCAP_BATCH_ATOMIC),
            (self.subpage_read, ffi::SQLITE_IOCAP_SUBPAGE_READ),
        ];
        // The bit of a size is the size in units of 256 B.
        let sizes = (self.atomic_sizes >> 8) as c_int;
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
        flags.fold(sizes, |bits, (_, bit)| bits | bit)
    }
}

/// Where the index of a write-ahead log lies, which the connections of a database share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WalIndex {
    /// In RAM, for all connections of a VFS.
    Ram,
    /// Nowhere: a log works only for a single connection, with `PRAGMA locking_mode=EXCLUSIVE`.
    None,
}

/// A promise that the VFS breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VfsFault {
    /// No sync reaches the file system.
    LyingSync,
    /// No sync of a write-ahead log does.
    NoWalSync,
    /// No sync of a rollback journal does.
    NoJournalSync,
    /// No sync of a database does.
    NoDatabaseSync,
    /// Batches of writes are claimed to become valid together, and are made one by one.
    ClaimsGroups,
}
