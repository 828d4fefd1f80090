//! Which pages are followed, and what their accesses give.

use std::collections::BinaryHeap;

use wordline_core::draw::{Purpose, draw};

use super::profile::{DistanceCounts, ReuseProfile};
use super::stack::{PageTouch, UseStack};

/// A touch of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageAccess {
    /// Its number.
    pub page: u64,
    /// Whether it is written.
    pub is_written: bool,
}

/// Which pages are followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PageSampling {
    /// A share of them, above 0 and at most 1.
    Rate(f64),
    /// At most so many at a time, 1 or more: the share falls as more pages come.
    Pages(usize),
}

impl PageSampling {
    /// All of them: exact.
    pub const ALL: Self = Self::Rate(1.0);
}

/// Follows pages.
#[derive(Debug)]
pub struct ReuseSampler {
    seed: u64,
    /// Pages with hashes below this are followed, in parts of [`HASHES`].
    threshold: u64,
    /// Most pages, and the followed ones by their hashes, where their number is bounded.
    most: Option<(usize, BinaryHeap<(u64, u64)>)>,
    stack: UseStack,
    counts: DistanceCounts,
    accesses: u64,
    writes: u64,
}

/// Hashes run from 0 to below this: 2²⁴ parts, as in the paper.
const HASHES: u64 = 1 << 24;

impl ReuseSampler {
    /// Nothing was touched yet. The seed decides which pages are followed. A rate outside its limits is taken for the
    /// nearest within.
    #[must_use]
    pub fn new(sampling: PageSampling, seed: u64) -> Self {
        let (threshold, most) = match sampling {
            PageSampling::Rate(rate) => {
                ((rate.clamp(0.0, 1.0) * HASHES as f64).round() as u64, None)
            }
            PageSampling::Pages(most) => (HASHES, Some((most.max(1), BinaryHeap::new()))),
        };
        Self {
            seed,
            threshold: threshold.max(1),
            most,
            stack: UseStack::default(),
            counts: DistanceCounts::default(),
            accesses: 0,
            writes: 0,
        }
    }

    /// Share of the pages that are followed now.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.threshold as f64 / HASHES as f64
    }

    /// Takes a touch.
    pub fn access(&mut self, access: PageAccess) {
        self.accesses += 1;
        self.writes += u64::from(access.is_written);
        let hash = draw(self.seed, access.page, 0, Purpose::PageSample) >> 40;
        if hash >= self.threshold {
            return;
        }
        let weight = 1.0 / self.rate();
        let dirty = match self.stack.touch(access.page) {
            None => {
                self.counts.first(weight, access.is_written);
                self.follow(hash, access.page);
                None
            }
            Some(touched) => {
                let distance = self.distance(touched.since);
                self.counts.again(distance, weight);
                self.left(&touched, distance, weight)
            }
        };
        let dirty = if access.is_written { Some(0.0) } else { dirty };
        self.stack.set_dirty(access.page, dirty);
    }

    /// What the trace gave.
    #[must_use]
    pub fn finish(self) -> ReuseProfile {
        let weight = 1.0 / self.rate();
        let mut counts = self.counts;
        for page in self.stack.all() {
            let distance = page.since as f64 * weight;
            if let Some(from) = page.dirty_from {
                // What is still there at the end did not go out.
                counts.written(from, distance, weight);
            }
        }
        let pages = self.stack.len() as f64 * weight;
        let rate = self.threshold as f64 / HASHES as f64;
        counts.profile(self.accesses, self.writes, pages, rate)
    }

    /// Pages between two touches: those that are followed stand for all.
    fn distance(&self, since: u64) -> f64 {
        since as f64 / self.rate()
    }

    /// Books what went out while a page was away from memories that were too small, and says where it is still dirty.
    fn left(&mut self, touched: &PageTouch, distance: f64, weight: f64) -> Option<f64> {
        let from = touched.dirty_from?;
        self.counts.written(from, distance, weight);
        Some(from.max(distance))
    }

    /// Takes a new page among the followed ones; where there are too many, those of the greatest hash go.
    fn follow(&mut self, hash: u64, page: u64) {
        let Some((most, by_hash)) = &mut self.most else {
            return;
        };
        by_hash.push((hash, page));
        if by_hash.len() <= *most {
            return;
        }
        let Some((greatest, _)) = by_hash.peek().copied() else {
            return;
        };
        // Earlier counts stay: each stands for as many accesses as it did.
        self.threshold = greatest.max(1);
        while let Some((hash, page)) = by_hash.peek().copied()
            && hash >= self.threshold
        {
            by_hash.pop();
            self.stack.remove(page);
        }
    }
}
