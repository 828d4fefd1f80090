//! Caches of a core and the one that cores share.
//!
//! A line that is fetched enters every level on its way. One that leaves a level dirty goes to the level below. No level
//! includes or excludes another: the rules of the filter that `wordline dram trace` has (`CacheFilter` of the trace crate), but
//! that a line which comes back dirty does not count as a use. That filter takes lines and sets of any size and addresses of 64 bits;
//! this one is made for a plugin that sees every access: lines of 64 bytes, sets that fill a line of the host, batches.

use serde::{Deserialize, Serialize};

use super::cache::{CacheSetting, CacheSettingError, LineCache};

/// The caches of the system that a recording is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCaches {
    /// Data cache of a core.
    pub first: CacheSetting,
    /// Second level of a core; `None` where the first is followed by the last.
    pub second: Option<CacheSetting>,
    /// Cache that all cores share.
    pub last: CacheSetting,
}

impl RecordedCaches {
    /// Those of a Xeon 6 performance core: 48 KiB and 2 MiB of its own, and for each thread its share of the last cache,
    /// 504 MiB for 128 cores, rounded up.
    #[must_use]
    pub const fn usual(threads: u64) -> Self {
        Self {
            first: CacheSetting::plain(48 << 10, 12),
            second: Some(CacheSetting::plain(2 << 20, 16)),
            last: CacheSetting::hashed(threads * (4 << 20), 16),
        }
    }
}

/// Whether a core asks for data to read or to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessSide {
    /// It reads.
    Load,
    /// It writes, so that the line must come as well.
    Store,
}

/// What a core asks of the last cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastOperation {
    /// The line.
    pub line: u32,
    /// Where in the batch it was asked for; `None` of a line that comes back.
    pub at: Option<(u32, AccessSide)>,
}

/// The caches of one core.
#[derive(Clone, Debug)]
pub struct OwnCaches {
    first: LineCache,
    second: Option<LineCache>,
}

impl OwnCaches {
    /// Empty caches.
    ///
    /// # Errors
    /// When no such caches can be.
    pub fn new(caches: &RecordedCaches) -> Result<Self, CacheSettingError> {
        Ok(Self {
            first: LineCache::new(caches.first)?,
            second: caches.second.map(LineCache::new).transpose()?,
        })
    }

    /// Accesses a line. What the last cache must do is added to `last`. Returns the level that had it: 1, 2, or 3 where
    /// neither of these has it.
    #[inline]
    pub fn access(
        &mut self,
        line: u32,
        side: AccessSide,
        at: u32,
        last: &mut Vec<LastOperation>,
    ) -> u8 {
        let found = self.first.access(line, side == AccessSide::Store);
        if found.hit {
            return 1;
        }
        self.beyond_first(line, side, at, found.victim, last)
    }

    fn beyond_first(
        &mut self,
        line: u32,
        side: AccessSide,
        at: u32,
        victim: Option<(u32, bool)>,
        last: &mut Vec<LastOperation>,
    ) -> u8 {
        let asked = LastOperation {
            line,
            at: Some((at, side)),
        };
        let put_out = |victim: Option<(u32, bool)>, last: &mut Vec<LastOperation>| {
            if let Some((line, true)) = victim {
                last.push(LastOperation { line, at: None });
            }
        };
        let Some(second) = &mut self.second else {
            put_out(victim, last);
            last.push(asked);
            return 3;
        };
        if let Some((line, true)) = victim {
            put_out(second.write_back(line).victim, last);
        }
        let found = second.access(line, false);
        if found.hit {
            return 2;
        }
        put_out(found.victim, last);
        last.push(asked);
        3
    }
}

/// The cache that cores share.
#[derive(Clone, Debug)]
pub struct LastCache {
    array: LineCache,
}

/// What the last cache answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LastAnswer {
    /// Whether memory must read the line.
    pub(super) read: bool,
    /// Whether memory must write another one.
    pub(super) written: bool,
}

impl LastCache {
    /// An empty cache.
    ///
    /// # Errors
    /// When no such cache can be.
    pub fn new(setting: CacheSetting) -> Result<Self, CacheSettingError> {
        LineCache::new(setting).map(|array| Self { array })
    }

    /// Reads the sets of operations that follow, so that the host fetches them all at once. The sum keeps these reads.
    #[inline]
    pub(super) fn touch(&self, operations: &[LastOperation]) -> u32 {
        let sets = operations.iter().map(|of| self.array.place(of.line));
        sets.fold(0, |sum, place| sum ^ self.array.first(place))
    }

    #[inline]
    pub(super) fn apply(&mut self, operation: &LastOperation) -> LastAnswer {
        let is_asked = operation.at.is_some();
        let found = match is_asked {
            true => self.array.access(operation.line, false),
            false => self.array.write_back(operation.line),
        };
        LastAnswer {
            read: is_asked && !found.hit,
            written: found.victim.is_some_and(|(_, dirty)| dirty),
        }
    }
}
