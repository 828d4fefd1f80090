//! The caches between a program and its memory: what of its accesses reaches the memory.
//!
//! Up to three levels, each write-back, write-allocate and LRU. A level is neither inclusive nor exclusive of the others:
//! a line that is fetched enters every level on its way, a line that one level evicts stays in the others, and one that
//! was written goes to the level below. A store that misses fetches its line first. A line that comes back from the level
//! above is whole, so that a level which lacks it takes it without a fetch.

use std::collections::VecDeque;

use wordline_core::Operation;

use super::{DramFormat, LINE_BYTES};

/// Levels, from the program to the memory.
pub const CACHE_LEVELS: usize = 3;

/// Most bytes of a level: 128 MiB of the host hold what it needs.
const BYTES_MAX: u64 = 1 << 30;

/// Most lines of a set: every hit searches them.
const WAYS_MAX: u32 = 1024;

/// Longest line of a cache in bytes.
const LINE_MAX: u64 = 4096;

/// A level of caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLevel {
    /// Bytes that it holds: a whole number of sets.
    pub bytes: u64,
    /// Lines of a set.
    pub ways: u32,
}

impl CacheLevel {
    /// Levels of a core unless said otherwise: a Xeon 6 performance core's own first and second level, and its share of
    /// the last, 504 MiB for 128 cores, rounded up to a power of two.
    pub const USUAL: [Self; CACHE_LEVELS] = [
        Self {
            bytes: 48 << 10,
            ways: 12,
        },
        Self {
            bytes: 2 << 20,
            ways: 16,
        },
        Self {
            bytes: 4 << 20,
            ways: 16,
        },
    ];
}

/// What is said of the caches; what is not said is as usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheChoices {
    /// Bytes of each level; 0 leaves it out.
    pub bytes: [Option<u64>; CACHE_LEVELS],
    /// Lines of a set of each level.
    pub ways: [Option<u32>; CACHE_LEVELS],
    /// Bytes of a line of all of them.
    pub line_bytes: Option<u64>,
}

/// The caches of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreCaches {
    /// The levels, from the program to the memory; none that is left out.
    pub levels: [Option<CacheLevel>; CACHE_LEVELS],
    /// Bytes of a line.
    pub line_bytes: u64,
}

/// Caches that cannot be. Levels count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheShapeError {
    /// The length of a line.
    #[error(
        "a cache line of {found} bytes; allowed: a power of two from {LINE_BYTES} to {LINE_MAX} (--cache-line)"
    )]
    Line {
        /// What was given.
        found: u64,
    },
    /// The lines of a set.
    #[error(
        "sets of {found} lines in the cache of level {level}; allowed: 1 to {WAYS_MAX} (--l{level}-ways)"
    )]
    Ways {
        /// The level.
        level: usize,
        /// What was given.
        found: u32,
    },
    /// The size.
    #[error(
        "a cache of level {level} of {found} bytes; allowed: multiples of {set}, a set of its lines, up to {BYTES_MAX}; \
         or 0 to leave it out (--l{level})"
    )]
    Size {
        /// The level.
        level: usize,
        /// What was given.
        found: u64,
        /// Bytes of a set.
        set: u64,
    },
}

impl CacheChoices {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// The caches in front of a memory, where the trace is of this format. Ramulator's CPU traces were filtered by the
    /// first two levels when they were recorded, so that these are left out unless they are asked for.
    ///
    /// # Errors
    /// Where a line or a level is of a size that cannot be.
    pub fn caches(&self, format: DramFormat) -> Result<CoreCaches, CacheShapeError> {
        let line_bytes = self.line_bytes.unwrap_or(LINE_BYTES);
        if !line_bytes.is_power_of_two() || !(LINE_BYTES..=LINE_MAX).contains(&line_bytes) {
            return Err(CacheShapeError::Line { found: line_bytes });
        }
        let mut levels = [None; CACHE_LEVELS];
        for (at, usual) in CacheLevel::USUAL.into_iter().enumerate() {
            let (level, number) = (&mut levels[at], at + 1);
            let is_left_out = format == DramFormat::RamulatorCpu && number < CACHE_LEVELS;
            let bytes = self.bytes[at].unwrap_or(if is_left_out { 0 } else { usual.bytes });
            if bytes == 0 {
                continue;
            }
            let ways = self.ways[at].unwrap_or(usual.ways);
            if !(1..=WAYS_MAX).contains(&ways) {
                let (level, found) = (number, ways);
                return Err(CacheShapeError::Ways { level, found });
            }
            let set = u64::from(ways) * line_bytes;
            if !bytes.is_multiple_of(set) || bytes > BYTES_MAX {
                let (level, found) = (number, bytes);
                return Err(CacheShapeError::Size { level, found, set });
            }
            *level = Some(CacheLevel { bytes, ways });
        }
        Ok(CoreCaches { levels, line_bytes })
    }
}

/// What was counted of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheLevelCounts {
    /// Lines that were asked for by loads and stores; what comes back from the level above is not counted.
    pub accesses: u64,
    /// Those that it did not have.
    pub misses: u64,
}

/// What was counted of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramCounts {
    /// Its instructions.
    pub instructions: u64,
    /// Lines that its loads and stores touched.
    pub accesses: u64,
    /// The levels that there are.
    pub levels: [Option<CacheLevelCounts>; CACHE_LEVELS],
}

impl ProgramCounts {
    /// Misses of a level in a thousand instructions; none of a level that is not there, or before the first instruction.
    #[must_use]
    pub fn mpki(&self, level: usize) -> Option<f64> {
        let misses = self.levels.get(level).copied().flatten()?.misses;
        (self.instructions > 0).then(|| misses as f64 * 1000.0 / self.instructions as f64)
    }
}

/// The caches of a core with what they hold, and the requests that leave them.
#[derive(Debug)]
pub struct CacheFilter {
    line_bytes: u64,
    /// The levels that there are, from the program to the memory, with their places in the counts.
    levels: Vec<(usize, CacheArray)>,
    counts: ProgramCounts,
    requests: VecDeque<(Operation, u64)>,
}

impl CacheFilter {
    /// Empty caches.
    #[must_use]
    pub fn new(caches: &CoreCaches) -> Self {
        let mut counts = ProgramCounts::default();
        let mut levels = Vec::new();
        for (at, level) in caches.levels.iter().enumerate() {
            if let Some(level) = level {
                counts.levels[at] = Some(CacheLevelCounts::default());
                levels.push((at, CacheArray::new(level, caches.line_bytes)));
            }
        }
        Self {
            line_bytes: caches.line_bytes,
            levels,
            counts,
            requests: VecDeque::new(),
        }
    }

    /// Counts instructions.
    pub fn instructions(&mut self, count: u64) {
        self.counts.instructions = self.counts.instructions.saturating_add(count);
    }

    /// A load or a store of bytes that lie within 2⁶⁴; of as many lines as it touches.
    pub fn access(&mut self, operation: Operation, address: u64, bytes: u64) {
        let last = address.saturating_add(bytes.saturating_sub(1)) / self.line_bytes;
        for line in address / self.line_bytes..=last {
            self.counts.accesses += 1;
            match (operation, self.levels.is_empty()) {
                (Operation::Write, true) => self.send(Operation::Write, line),
                (Operation::Write, false) => self.fetch(0, line, true),
                (Operation::Read, _) => self.fetch(0, line, false),
            }
        }
    }

    /// A line that caches above all of these evicted.
    pub fn write_back(&mut self, address: u64) {
        self.counts.accesses += 1;
        self.take_back(0, address / self.line_bytes);
    }

    /// The next request that reaches the memory: 64 bytes at their address.
    pub fn request(&mut self) -> Option<(Operation, u64)> {
        self.requests.pop_front()
    }

    /// What was counted so far.
    #[must_use]
    pub const fn counts(&self) -> ProgramCounts {
        self.counts
    }

    /// A line is asked for at a level, or of the memory behind the last.
    fn fetch(&mut self, level: usize, line: u64, is_written: bool) {
        let Some((at, array)) = self.levels.get_mut(level) else {
            return self.send(Operation::Read, line);
        };
        let is_hit = array.touch(line, is_written);
        if let Some(counts) = &mut self.counts.levels[*at] {
            counts.accesses += 1;
            counts.misses += u64::from(!is_hit);
        }
        if !is_hit {
            self.fetch(level + 1, line, false);
            self.insert(level, line, is_written);
        }
    }

    /// A written line comes back from the level above.
    fn take_back(&mut self, level: usize, line: u64) {
        let Some((_, array)) = self.levels.get_mut(level) else {
            return self.send(Operation::Write, line);
        };
        if !array.touch(line, true) {
            self.insert(level, line, true);
        }
    }

    fn insert(&mut self, level: usize, line: u64, is_written: bool) {
        if let Some(evicted) = self.levels[level].1.insert(line, is_written) {
            self.take_back(level + 1, evicted);
        }
    }

    fn send(&mut self, operation: Operation, line: u64) {
        let first = line * self.line_bytes;
        let parts = (0..self.line_bytes / LINE_BYTES).map(|part| first + part * LINE_BYTES);
        self.requests
            .extend(parts.map(|address| (operation, address)));
    }
}

/// The lines of a level, set by set, those of a set from the one that was used last.
#[derive(Debug)]
struct CacheArray {
    sets: u64,
    ways: usize,
    /// A line's number times two, and one more where it was written.
    lines: Vec<u64>,
}

/// A place without a line: no line has so great a number.
const NO_LINE: u64 = u64::MAX;

impl CacheArray {
    fn new(level: &CacheLevel, line_bytes: u64) -> Self {
        let ways = level.ways as usize;
        let lines = (level.bytes / line_bytes) as usize;
        Self {
            sets: (lines / ways) as u64,
            ways,
            lines: vec![NO_LINE; lines],
        }
    }

    fn set(&mut self, line: u64) -> &mut [u64] {
        let first = (line % self.sets) as usize * self.ways;
        &mut self.lines[first..first + self.ways]
    }

    /// Uses a line; `false` where it is not there.
    fn touch(&mut self, line: u64, is_written: bool) -> bool {
        let set = self.set(line);
        let Some(place) = set.iter().position(|held| held >> 1 == line) else {
            return false;
        };
        set[..=place].rotate_right(1);
        set[0] |= u64::from(is_written);
        true
    }

    /// Takes a line that is not there in the place of the one whose use is longest ago, and returns that if it was
    /// written.
    fn insert(&mut self, line: u64, is_written: bool) -> Option<u64> {
        let set = self.set(line);
        set.rotate_right(1);
        let evicted = std::mem::replace(&mut set[0], line << 1 | u64::from(is_written));
        (evicted != NO_LINE && evicted & 1 == 1).then_some(evicted >> 1)
    }
}

#[cfg(test)]
mod tests;
