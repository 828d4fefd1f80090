//! What a measurement of storage does: its accesses, their order and their pace.

use super::StorageError;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageOperation {
    /// From the storage to the host.
    Read,
    /// From the host to the storage.
    Write,
    /// What was written is made to last.
    Sync,
}

impl StorageOperation {
    /// As messages spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Sync => "sync",
        }
    }
}

/// The order of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressOrder {
    /// One after the other, from the start again at the end of the range.
    Sequential,
    /// Drawn from the seed, aligned to the size of an access, each place as likely as any other.
    Random,
}

/// How accesses follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AccessPace {
    /// Each as soon as one before it ended: so many are under way all the time.
    Closed,
    /// At a fixed rate, whether or not those before have ended.
    Open {
        /// Nanoseconds from one intended start to the next.
        interval_ns: f64,
    },
}

/// How writes are made to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlushCall {
    /// `fsync(2)`.
    Sync,
    /// `fdatasync(2)`.
    DataSync,
}

/// The system calls that accesses are made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageCalls {
    /// Submissions and completions in shared memory.
    Uring,
    /// `pread(2)` and `pwrite(2)`, one access at a time.
    Pread,
}

impl StorageCalls {
    /// As settings and documents spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uring => "io_uring",
            Self::Pread => "pread",
        }
    }
}

/// What a measurement of storage does.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageJob {
    /// Bytes of an access.
    pub access_bytes: u64,
    /// Bytes from the start in which all accesses lie.
    pub range_bytes: u64,
    /// Order of the addresses.
    pub order: AddressOrder,
    /// Share of the accesses that read, 0 to 1; the rest writes.
    pub read_share: f64,
    /// Accesses that may be under way at a time.
    pub depth: u32,
    /// How they follow each other.
    pub pace: AccessPace,
    /// Writes between two flushes, and the call that flushes.
    pub flush: Option<(u64, FlushCall)>,
    /// The calls to make; `None`: io_uring, or `pread` where that cannot be had.
    pub calls: Option<StorageCalls>,
    /// Accesses after which it ends.
    pub accesses_max: Option<u64>,
    /// Time after which it ends, in nanoseconds.
    pub time_max_ns: Option<u64>,
    /// Seed of addresses, of the mix and of what is written.
    pub seed: u64,
}

/// Most accesses at a time.
pub const DEPTH_MAX: u32 = 4096;

/// Bytes of the largest access.
pub const STORAGE_ACCESS_MAX: u64 = 64 << 20;

/// Bytes that all accesses under way may hold together.
pub const IN_FLIGHT_MAX: u64 = 1 << 30;

impl StorageJob {
    /// Whether any access writes.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.read_share < 1.0
    }

    /// Places that an access can have.
    #[must_use]
    pub const fn places(&self) -> u64 {
        self.range_bytes / self.access_bytes
    }

    /// Checks what does not depend on the storage.
    ///
    /// # Errors
    /// For a size, a depth, a rate or a limit that cannot be so.
    pub fn check(&self) -> Result<(), StorageError> {
        let refuse = |what, found: String, allowed: String| {
            Err(StorageError::OutOfRange {
                what,
                found,
                allowed,
            })
        };
        let bytes = self.access_bytes;
        if bytes == 0 || bytes > STORAGE_ACCESS_MAX {
            let allowed = format!("1 B to {STORAGE_ACCESS_MAX} B");
            return refuse("the access size", format!("{bytes} B"), allowed);
        }
        if self.places() == 0 {
            let found = format!("{} B", self.range_bytes);
            let allowed = format!("at least one access, {bytes} B");
            return refuse("the range", found, allowed);
        }
        let most = (IN_FLIGHT_MAX / bytes).clamp(1, u64::from(DEPTH_MAX));
        if self.depth == 0 || u64::from(self.depth) > most {
            let allowed = format!("1 to {most} with accesses of {bytes} B");
            return refuse("the depth", self.depth.to_string(), allowed);
        }
        if !(0.0..=1.0).contains(&self.read_share) {
            let found = self.read_share.to_string();
            return refuse("the share of reads", found, "0 to 1".to_owned());
        }
        if let AccessPace::Open { interval_ns } = self.pace
            && !(interval_ns.is_finite() && (1.0..=3.6e12).contains(&interval_ns))
        {
            let found = format!("of an access every {interval_ns} ns");
            let allowed = "an access every 1 ns to 1 h".to_owned();
            return refuse("the rate", found, allowed);
        }
        if let Some((0, _)) = self.flush {
            let allowed = "1 and more writes".to_owned();
            return refuse("the distance of flushes", "0".to_owned(), allowed);
        }
        match (self.accesses_max, self.time_max_ns) {
            (None, None) => refuse(
                "the run",
                "without an end".to_owned(),
                "a time or a total".to_owned(),
            ),
            (Some(0), _) => refuse(
                "the total",
                "0 accesses".to_owned(),
                "at least one access".to_owned(),
            ),
            (_, Some(0)) => refuse("the time", "0 s".to_owned(), "above 0 s".to_owned()),
            _ => Ok(()),
        }
    }
}
