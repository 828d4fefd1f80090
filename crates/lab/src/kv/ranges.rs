//! Popularity by ranges of keys: the distribution of RocksDB's `db_bench`, workload `mixgraph` (Cao et al., FAST 2020).
//!
//! KeyRanges of as many keys each; how often one is asked for falls as the sum of two exponentials of its number. Within a
//! range the ranks of the popular keys follow a power law, whose cumulative share is `a · rank^b`, and a hash makes a key of
//! a rank. The ranks of the published figures go to some 40 million, those of a trace; more than a range has keys, so that
//! several share one, as in `db_bench`.
//!
//! Two things are simpler here. Query, range and key are drawn apart, where `db_bench` takes them from one number. And
//! ranges are interleaved, as a hash table makes no use of their order: the popular ones are not the first that were put.

use super::zipf::fnv;

/// The figures of such a distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyRanges {
    /// KeyRanges of keys.
    pub(super) ranges: u64,
    /// Factor and exponent of the first exponential.
    pub(super) first: (f64, f64),
    /// Factor and exponent of the second exponential.
    pub(super) second: (f64, f64),
    /// `a` and `b` of the power law.
    pub(super) key: (f64, f64),
}

impl KeyRanges {
    /// How popular a range is, counted from 0, beside the others.
    fn weight(&self, range: u64) -> f64 {
        let term =
            |(factor, exponent): (f64, f64)| factor * libm::exp(exponent * (range + 1) as f64);
        term(self.first) + term(self.second)
    }

    /// The range of a uniform number from 0 to 1, where there are so many.
    fn range(&self, uniform: f64, ranges: u64) -> u64 {
        let total: f64 = (0..ranges).map(|range| self.weight(range)).sum();
        let mut left = uniform * total;
        for range in 0..ranges {
            left -= self.weight(range);
            if left < 0.0 {
                return range;
            }
        }
        ranges - 1
    }

    /// The rank of a key within its range, from 1 on.
    fn rank(&self, uniform: f64) -> u64 {
        let (a, b) = self.key;
        libm::ceil(libm::pow(uniform / a, 1.0 / b)).max(1.0) as u64
    }

    /// The record that two uniform numbers from 0 to 1 stand for, where there are so many.
    pub(super) fn record(&self, of_range: f64, of_key: f64, records: u64) -> u64 {
        let ranges = self.ranges.min(records);
        let range = self.range(of_range, ranges);
        let keys = (records - range).div_ceil(ranges);
        fnv(self.rank(of_key)) % keys * ranges + range
    }
}

#[cfg(test)]
mod tests {
    use wordline_core::KvWork;
    use wordline_core::draw::{Purpose, draw, unit_interval};

    use super::super::mix::Popularity;
    use super::super::pools::pool;
    use super::*;

    fn zippydb() -> KeyRanges {
        let pool = pool(KvWork::ZippyDb).expect("a pool");
        match (pool.popularity)() {
            Popularity::Ranges(ranges) => ranges,
            _ => panic!("no ranges"),
        }
    }

    /// By hand: the first rank has the share a, the first two a · 2^b, and a · rank^b = 1 at 4.0 · 10⁷, of the 5 · 10⁷ keys
    /// that the figures were published for.
    #[test]
    fn ranks_follow_the_power_law() {
        let ranges = zippydb();
        let (a, b) = ranges.key;
        assert_eq!(ranges.rank(a * 0.999), 1);
        assert_eq!(ranges.rank(a * 1.001), 2);
        assert_eq!(ranges.rank(a * libm::pow(2.0, b) * 1.001), 3);
        let last = ranges.rank(1.0 - 1e-12);
        assert!((38_000_000..42_000_000).contains(&last), "{last}");
    }

    /// By hand, terms of the first two of 30 ranges: 0.7671 + 0.0151 and 0.0415 + 0.0140, of a sum of 0.9886.
    #[test]
    fn most_of_the_work_meets_one_range() {
        let ranges = zippydb();
        let draws = 20_000;
        let mut counts = [0_u64; 30];
        for number in 0..draws {
            let uniform = |place| unit_interval(draw(5, place, number, Purpose::Address));
            let record = ranges.record(uniform(0), uniform(1), 3000);
            assert!(record < 3000);
            counts[(record % 30) as usize] += 1;
        }
        let share = |range: usize| counts[range] as f64 / draws as f64;
        assert!((share(0) - 0.7913).abs() < 0.015, "{}", share(0));
        assert!((share(1) - 0.0561).abs() < 0.008, "{}", share(1));
        assert!(counts.iter().all(|count| *count > 0));
    }

    #[test]
    fn few_records_are_each_within_reach() {
        let ranges = zippydb();
        for records in [1, 2, 29, 30, 31, 61] {
            let mut seen = vec![false; records as usize];
            for number in 0..20_000 {
                let uniform = |place| unit_interval(draw(5, place, number, Purpose::Address));
                seen[ranges.record(uniform(0), uniform(1), records) as usize] = true;
            }
            assert!(seen.iter().all(|seen| *seen), "{records}");
        }
    }
}
