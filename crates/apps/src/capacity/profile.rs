//! Distances, counted, and what a capacity makes of them.

use std::collections::BTreeMap;

/// Parts of a doubling of distances that are told apart: a count lies within 0.7 % of its distance.
const PARTS: f64 = 128.0;

/// Distances up to this are kept as they are.
const EXACT: f64 = 256.0;

/// A distance's key: distances in one are not told apart.
fn key(distance: f64) -> u32 {
    if distance < EXACT {
        return distance.round() as u32;
    }
    (EXACT + (libm::log2(distance / EXACT) * PARTS).floor()) as u32
}

/// The least distance of a key.
fn least(key: u32) -> f64 {
    let key = f64::from(key);
    if key < EXACT {
        return key;
    }
    EXACT * libm::exp2((key - EXACT) / PARTS)
}

/// Accesses by distance, while a trace is read.
#[derive(Clone, Debug, Default)]
pub(super) struct DistanceCounts {
    first: f64,
    first_written: f64,
    /// Accesses that miss in memories of a key's distance or fewer pages, with those of greater keys.
    again: BTreeMap<u32, f64>,
    /// Write-backs: one more in memories from a key's distance on, or one less.
    written: BTreeMap<u32, f64>,
}

impl DistanceCounts {
    pub(super) fn first(&mut self, weight: f64, is_written: bool) {
        self.first += weight;
        if is_written {
            self.first_written += weight;
        }
    }

    pub(super) fn again(&mut self, distance: f64, weight: f64) {
        *self.again.entry(key(distance)).or_default() += weight;
    }

    /// A page that was dirty from a capacity on was away from all that are no greater than a distance.
    pub(super) fn written(&mut self, from: f64, distance: f64, weight: f64) {
        if distance > from {
            *self.written.entry(key(from)).or_default() += weight;
            *self.written.entry(key(distance)).or_default() -= weight;
        }
    }

    pub(super) fn profile(self, accesses: u64, writes: u64, pages: f64, rate: f64) -> ReuseProfile {
        ReuseProfile {
            accesses,
            writes,
            pages,
            rate,
            counts: self,
        }
    }
}

/// What a trace asks of memories of any size that keep the pages used last.
#[derive(Clone, Debug)]
pub struct ReuseProfile {
    /// Touches of pages.
    pub accesses: u64,
    /// Those that write.
    pub writes: u64,
    /// Pages that were touched, estimated from those that were followed.
    pub pages: f64,
    /// Share of the pages that were followed at the end.
    pub rate: f64,
    counts: DistanceCounts,
}

/// Pages that go between a memory and its storage, beside the first fetch of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpiltPages {
    /// Fetched again.
    pub fetched_pages: f64,
    /// Written back to make room.
    pub written_pages: f64,
}

impl SpiltPages {
    /// Both together.
    #[must_use]
    pub fn pages(&self) -> f64 {
        self.fetched_pages + self.written_pages
    }
}

impl ReuseProfile {
    /// Pages whose first touch read them: they came from storage with any memory.
    #[must_use]
    pub fn loaded_pages(&self) -> f64 {
        self.counts.first - self.counts.first_written
    }

    /// What goes to and from the storage of a memory with so many pages.
    #[must_use]
    pub fn spilt(&self, capacity_pages: f64) -> SpiltPages {
        // A memory of n pages has what fewer than n others were used since.
        let missed = |(key, count): (&u32, &f64)| match least(*key) >= capacity_pages.max(1.0) {
            true => *count,
            false => 0.0,
        };
        let written = |(key, count): (&u32, &f64)| match least(*key) < capacity_pages.max(1.0) {
            true => *count,
            false => 0.0,
        };
        SpiltPages {
            fetched_pages: self.counts.again.iter().map(missed).sum(),
            written_pages: self
                .counts
                .written
                .iter()
                .map(written)
                .sum::<f64>()
                .max(0.0),
        }
    }

    /// Share of the accesses that miss in a memory with so many pages, first touches among them. It is a share of all
    /// accesses, and not of those that the followed pages stand for: by chance these have too many, or too few, of the pages
    /// that are used most, whose accesses hit. That is the paper's adjustment.
    #[must_use]
    pub fn miss_ratio(&self, capacity_pages: f64) -> f64 {
        if self.accesses == 0 {
            return 0.0;
        }
        let misses = self.counts.first + self.spilt(capacity_pages).fetched_pages;
        (misses / self.accesses as f64).min(1.0)
    }
}
