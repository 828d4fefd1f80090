//! Keys and values by number.

use wordline_core::draw::{Purpose, draw, unit_interval};
use wordline_core::{KvSizes, KvWork};

/// Makes the keys and values of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Records {
    /// Bytes of all of them, or the usual ones where they have sizes of their own.
    pub(super) sizes: KvSizes,
    /// What is done with them, which may give each a size of its own.
    pub(super) work: KvWork,
    pub(super) seed: u64,
}

/// The longest value of [`KvWork::Etc`], in bytes, so that a table of a small memory holds it.
const ETC_VALUE_MAX: f64 = 4096.0;

/// Records that the slots are made for, where the work has sizes of its own.
pub(super) const fn usual(work: KvWork) -> Option<KvSizes> {
    match work {
        KvWork::Usr => Some(KvSizes {
            key_bytes: 21,
            value_bytes: 2,
        }),
        // About the median of both.
        KvWork::Etc => Some(KvSizes {
            key_bytes: 34,
            value_bytes: 166,
        }),
        _ => None,
    }
}

impl Records {
    /// Bytes of the key and the value of a record. Of [`KvWork::Etc`] keys follow a generalised extreme-value distribution
    /// (µ 30.7984, σ 8.20449, k 0.078688; at least 8 B, so that each is another) and values a generalised Pareto one (θ 0, σ
    /// 214.476, k 0.348238; at most 4 KiB), of [`KvWork::Usr`] half of the keys have 16 B and half 21 B, and values 2 B:
    /// Atikoglu et al., "Workload analysis of a large-scale key-value store", SIGMETRICS 2012, sections 3.2 and 5. That
    /// half is an assumption, and so is Pareto's law for values below 15 B, of which the paper lists shares.
    pub(super) fn sizes_of(&self, number: u64) -> KvSizes {
        let uniform = |what| unit_interval(draw(self.seed, number, what, Purpose::Mix));
        match self.work {
            KvWork::Etc => {
                let key = extreme_value(uniform(1), 30.7984, 8.20449, 0.078_688);
                let value = pareto(uniform(2), 214.476, 0.348_238);
                KvSizes {
                    key_bytes: key.clamp(8.0, 250.0) as u64,
                    value_bytes: value.clamp(1.0, ETC_VALUE_MAX) as u64,
                }
            }
            KvWork::Usr => KvSizes {
                key_bytes: if uniform(1) < 0.5 { 16 } else { 21 },
                value_bytes: 2,
            },
            _ => self.sizes,
        }
    }

    /// How many different keys of this length there are, as far as 64 bits count them. None is all zeros, which the CLHT
    /// takes for no key.
    pub(super) const fn keys(&self) -> u64 {
        match self.sizes.key_bytes {
            bytes @ 0..=7 => (1 << (8 * bytes)) - 1,
            _ => u64::MAX,
        }
    }

    /// The key of a number below [`keys`](Self::keys); no other number has it.
    pub(super) fn key(&self, number: u64, out: &mut Vec<u8>) {
        let bytes = self.sizes_of(number).key_bytes as usize;
        let word = scattered(number + 1, 8 * bytes.min(8) as u32, self.seed);
        out.clear();
        out.extend(word.to_le_bytes().iter().take(bytes));
        self.extend(!number, 0, bytes, out);
    }

    /// The value of a record the `pass`th time that it is put, in `bytes` bytes.
    pub(super) fn value(&self, number: u64, pass: u64, bytes: usize, out: &mut Vec<u8>) {
        out.clear();
        self.extend(number, pass + 1, bytes, out);
    }

    /// Draws bytes until there are so many.
    fn extend(&self, number: u64, pass: u64, bytes: usize, out: &mut Vec<u8>) {
        let seed = draw(self.seed, pass, 0, Purpose::Payload);
        for word in 0.. {
            if out.len() >= bytes {
                break;
            }
            let drawn = draw(seed, number, word, Purpose::Payload).to_le_bytes();
            let left = bytes - out.len();
            out.extend(drawn.iter().take(left));
        }
    }
}

/// The generalised extreme-value distribution, inverted.
fn extreme_value(uniform: f64, location: f64, scale: f64, shape: f64) -> f64 {
    location + scale * (libm::pow(-libm::log(uniform), -shape) - 1.0) / shape
}

/// The generalised Pareto distribution from 0 on, inverted.
fn pareto(uniform: f64, scale: f64, shape: f64) -> f64 {
    scale * (libm::pow(1.0 - uniform, -shape) - 1.0) / shape
}

/// Another number of so many bits for each number of so many bits, and zero for zero: products with odd numbers and
/// shifts to the right, both of which can be undone.
fn scattered(number: u64, bits: u32, seed: u64) -> u64 {
    let mask = u64::MAX >> (64 - bits.max(1));
    let mut word = number & mask;
    for round in 0..3 {
        let odd = draw(seed, round, 0, Purpose::Address) | 1;
        word = word.wrapping_mul(odd) & mask;
        word ^= word >> bits.div_ceil(2);
    }
    word
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn records(work: KvWork, bytes: u64, seed: u64) -> Records {
        Records {
            sizes: KvSizes::equal(bytes),
            work,
            seed,
        }
    }

    /// Medians by hand: µ + σ (ln 2^−k − 1) / k, and σ (2^k − 1) / k.
    #[test]
    fn sizes_of_a_production_cache_have_their_medians() {
        let etc = records(KvWork::Etc, 8, 3);
        let mut keys: Vec<_> = (0..4001)
            .map(|number| etc.sizes_of(number).key_bytes)
            .collect();
        let mut values: Vec<_> = (0..4001)
            .map(|number| etc.sizes_of(number).value_bytes)
            .collect();
        keys.sort_unstable();
        values.sort_unstable();
        assert!((32..=35).contains(&keys[2000]), "{}", keys[2000]);
        assert!((155..=180).contains(&values[2000]), "{}", values[2000]);
        let usr = records(KvWork::Usr, 8, 3);
        let long = (0..1000)
            .filter(|number| usr.sizes_of(*number).key_bytes == 21)
            .count();
        assert!((430..570).contains(&long), "{long}");
    }

    #[test]
    fn every_short_key_comes_once_and_zeros_never() {
        for (bytes, seed) in [(1, 0), (2, 0), (2, 9)] {
            let records = records(KvWork::Sweep, bytes, seed);
            let mut key = Vec::new();
            let mut seen = HashSet::new();
            for number in 0..records.keys() {
                records.key(number, &mut key);
                assert_eq!(key.len() as u64, bytes);
                assert!(key.iter().any(|byte| *byte != 0));
                assert!(seen.insert(key.clone()), "{number}");
            }
        }
    }

    #[test]
    fn long_keys_have_their_length_and_differ() {
        let records = records(KvWork::Sweep, 37, 1);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        records.key(7, &mut one);
        records.key(8, &mut other);
        assert_eq!((one.len(), other.len()), (37, 37));
        assert_ne!(one[..8], other[..8]);
        assert_ne!(one[8..], other[8..]);
        records.value(7, 0, 5, &mut one);
        records.value(7, 1, 5, &mut other);
        assert_ne!(one, other);
    }
}
