//! Pools of production stores, as their traces were published: how long keys and values are, what is done with them, how
//! popular each is, and what the publications leave open.
//!
//! - ETC and USR: Atikoglu et al., "Workload analysis of a large-scale key-value store", SIGMETRICS 2012, sections 3 to 6.
//! - UDB, ZippyDB and UP2X: Cao et al., "Characterizing, modeling, and benchmarking RocksDB key-value workloads at
//!   Facebook", FAST 2020: shares of queries from section 4, means and standard deviations of sizes from table 2, both as
//!   readers quote them, because the paper was not at hand. The fitted figures of ZippyDB are those that its first author
//!   gave RocksDB's `db_bench` (pull request 5953 and the wiki page "RocksDB Trace, Replay, Analyzer, and Workload
//!   Generation").

use wordline_core::draw::{standard_normal, unit_interval};
use wordline_core::{KvSizes, KvWork};

use super::mix::{Other, Popularity};
use super::ranges::KeyRanges;

/// A pool of records.
pub(super) struct Pool {
    pub(super) key: LengthDistribution,
    pub(super) value: LengthDistribution,
    /// The record that slots are made for.
    pub(super) usual: KvSizes,
    /// Share of the operations that are gets.
    pub(super) read: f64,
    /// What the others do.
    pub(super) other: Other,
    /// Which records are asked for.
    pub(super) popularity: fn() -> Popularity,
    /// What is assumed, and what of the trace is left out.
    pub(super) open: &'static str,
}

/// How long the keys or the values of a pool are.
#[derive(Clone, Copy)]
pub(super) struct LengthDistribution {
    pub(super) law: LengthLaw,
    /// The shortest and the longest, in bytes, which stand for all beyond.
    pub(super) limits: (u64, u64),
}

/// A distribution of lengths in bytes.
#[derive(Clone, Copy)]
pub(super) enum LengthLaw {
    Same(u64),
    /// Half of the records have the one, half the other.
    Half(u64, u64),
    Normal {
        mean: f64,
        deviation: f64,
    },
    /// The generalised extreme-value distribution.
    ExtremeValue {
        location: f64,
        scale: f64,
        shape: f64,
    },
    /// The generalised Pareto distribution from 0 on.
    Pareto {
        scale: f64,
        shape: f64,
    },
}

impl LengthDistribution {
    /// Bytes that random bits stand for.
    pub(super) fn bytes(self, bits: u64) -> u64 {
        let (least, most) = self.limits;
        let bytes = match self.law {
            LengthLaw::Same(bytes) => return bytes,
            LengthLaw::Half(one, other) => {
                return if unit_interval(bits) < 0.5 {
                    one
                } else {
                    other
                };
            }
            LengthLaw::Normal { mean, deviation } => {
                libm::round(mean + deviation * standard_normal(bits))
            }
            LengthLaw::ExtremeValue {
                location,
                scale,
                shape,
            } => {
                let power = libm::pow(-libm::log(unit_interval(bits)), -shape);
                location + scale * (power - 1.0) / shape
            }
            LengthLaw::Pareto { scale, shape } => {
                let power = libm::pow(1.0 - unit_interval(bits), -shape);
                scale * (power - 1.0) / shape
            }
        };
        (bytes.max(0.0) as u64).clamp(least, most)
    }
}

/// Keys of eight bytes and more are each another.
const KEYS: (u64, u64) = (8, 250);

/// A table of a small memory holds values of 4 KiB.
const VALUES: (u64, u64) = (1, 4096);

const fn same(bytes: u64) -> LengthDistribution {
    LengthDistribution {
        law: LengthLaw::Same(bytes),
        limits: (bytes, bytes),
    }
}

const fn normal(mean: f64, deviation: f64, limits: (u64, u64)) -> LengthDistribution {
    LengthDistribution {
        law: LengthLaw::Normal { mean, deviation },
        limits,
    }
}

const fn usual(key_bytes: u64, value_bytes: u64) -> KvSizes {
    KvSizes {
        key_bytes,
        value_bytes,
    }
}

/// 30 gets for each set; slots are made for about the medians.
static ETC: Pool = Pool {
    key: LengthDistribution {
        law: LengthLaw::ExtremeValue {
            location: 30.7984,
            scale: 8.20449,
            shape: 0.078_688,
        },
        limits: KEYS,
    },
    value: LengthDistribution {
        law: LengthLaw::Pareto {
            scale: 214.476,
            shape: 0.348_238,
        },
        limits: VALUES,
    },
    usual: usual(34, 166),
    read: 30.0 / 31.0,
    other: Other::Update,
    popularity: Popularity::scrambled,
    open: "assumed: popularity as in YCSB, and Pareto's law for values below 15 B, of which the paper lists shares; left \
           out: values above 4 KiB, deletes and records that run out",
};

static USR: Pool = Pool {
    key: LengthDistribution {
        law: LengthLaw::Half(16, 21),
        limits: KEYS,
    },
    value: same(2),
    usual: usual(21, 2),
    read: 0.998,
    other: Other::Update,
    popularity: Popularity::scrambled,
    open: "assumed: popularity as in YCSB, and as many keys of 16 B as of 21 B",
};

static UDB: Pool = Pool {
    key: normal(27.1, 2.6, KEYS),
    value: normal(126.7, 22.1, VALUES),
    usual: usual(27, 127),
    read: 75.0 / 95.0,
    other: Other::Update,
    popularity: Popularity::scrambled,
    open: "shares, means and deviations are quoted by readers of the paper, which was not at hand; assumed: normal sizes, \
           popularity as in YCSB, and every put an update; left out: the 5 % of its queries that scan or delete",
};

/// The fit has another mean than table 2: 34.5 B, and 36.0 B with values of 10 B at least, where the table has 42.9 B.
/// `db_bench` wraps values above 1 KiB around.
static ZIPPYDB: Pool = Pool {
    key: same(48),
    value: LengthDistribution {
        law: LengthLaw::Pareto {
            scale: 25.45,
            shape: 0.2615,
        },
        limits: (10, 1024),
    },
    usual: usual(48, 43),
    read: 78.0 / 91.0,
    other: Other::Update,
    popularity: Popularity::zippydb,
    open: "sizes and popularity are those that db_bench was given for it, whose values have a mean of 36.0 B where the trace \
           had 42.9 B; that mean and the shares are quoted by readers of the paper, which was not at hand; assumed: every put \
           an update; left out: the 3 % of its queries that scan and the 6 % that delete",
};

/// A merge, which reads, computes and writes, is a get and a put here: a hash table cannot leave it for later.
static UP2X: Pool = Pool {
    key: normal(10.45, 1.4, KEYS),
    value: normal(46.8, 11.6, VALUES),
    usual: usual(10, 47),
    read: 7.46 / (7.46 + 92.53),
    other: Other::ReadModifyWrite,
    popularity: Popularity::scrambled,
    open: "shares, means and deviations are quoted by readers of the paper, which was not at hand; assumed: normal sizes, and \
           popularity as in YCSB; a merge is a get and a put",
};

/// The pool of a work; `None` for what has records of one size.
pub(super) const fn pool(work: KvWork) -> Option<&'static Pool> {
    match work {
        KvWork::Etc => Some(&ETC),
        KvWork::Usr => Some(&USR),
        KvWork::Udb => Some(&UDB),
        KvWork::ZippyDb => Some(&ZIPPYDB),
        KvWork::Up2x => Some(&UP2X),
        _ => None,
    }
}

impl Popularity {
    /// That of ZippyDB: 30 ranges of keys whose popularity falls as a sum of two exponentials, and within each a power law.
    fn zippydb() -> Self {
        Self::Ranges(KeyRanges {
            ranges: 30,
            first: (14.18, -2.917),
            second: (0.0164, -0.08082),
            key: (0.002_312, 0.3467),
        })
    }
}

#[cfg(test)]
mod tests {
    use wordline_core::draw::{Purpose, draw};

    use super::*;

    const DRAWS: u64 = 40_000;

    /// Mean and standard deviation of many draws, in bytes.
    fn moments(length: LengthDistribution) -> (f64, f64) {
        let drawn = |number| length.bytes(draw(11, number, 0, Purpose::Mix)) as f64;
        let mean = (0..DRAWS).map(drawn).sum::<f64>() / DRAWS as f64;
        let square = |number| (drawn(number) - mean) * (drawn(number) - mean);
        let variance = (0..DRAWS).map(square).sum::<f64>() / DRAWS as f64;
        (mean, libm::sqrt(variance))
    }

    fn median(length: LengthDistribution) -> u64 {
        let mut drawn: Vec<_> = (0..DRAWS)
            .map(|number| length.bytes(draw(3, number, 0, Purpose::Mix)))
            .collect();
        drawn.sort_unstable();
        drawn[DRAWS as usize / 2]
    }

    /// Means and standard deviations of table 2, as readers quote them; keys below 8 B are made 8 B long, which lifts the mean of UP2X a little.
    #[test]
    fn sizes_have_the_published_moments() {
        for (length, mean, deviation) in [
            (UDB.key, 27.1, 2.6),
            (UDB.value, 126.7, 22.1),
            (UP2X.key, 10.45, 1.4),
            (UP2X.value, 46.8, 11.6),
        ] {
            let (found, spread) = moments(length);
            assert!((found - mean).abs() < 0.05 + 0.05 * deviation, "{found}");
            assert!((spread / deviation - 1.0).abs() < 0.05, "{spread}");
        }
    }

    /// `db_bench` itself printed the mean of the values that it drew from these figures: 36.0 B (pull request 9711).
    #[test]
    fn values_of_zippydb_have_the_mean_that_db_bench_prints() {
        let (mean, _) = moments(ZIPPYDB.value);
        assert!((mean - 36.0).abs() < 1.0, "{mean}");
        assert_eq!(moments(ZIPPYDB.key), (48.0, 0.0));
    }

    /// Medians by hand: µ + σ (ln 2^−k − 1) / k, and σ (2^k − 1) / k.
    #[test]
    fn sizes_of_a_production_cache_have_their_medians() {
        assert!((32..=35).contains(&median(ETC.key)), "{}", median(ETC.key));
        let value = median(ETC.value);
        assert!((160..=173).contains(&value), "{value}");
        let (mean, _) = moments(USR.key);
        assert!((mean - 18.5).abs() < 0.1, "{mean}");
    }
}
