//! Which records are asked for: the distributions of YCSB (Cooper et al., "Benchmarking cloud serving systems with YCSB",
//! SoCC 2010).
//!
//! Popularity is zipfian with θ = 0.99, drawn by Gray's algorithm (Gray et al., "Quickly generating billion-record synthetic
//! databases", SIGMOD 1994). *Scrambled*: ranks of 10¹⁰ items, spread over the records by FNV-1a. *Latest*: ranks of as
//! many items as there are records, counted back from the newest.
//!
//! The benchmark of `crates/kv` includes this file as well.

/// Skew of the popularity.
const THETA: f64 = 0.99;

/// Items of the scrambled distribution, whatever number of records there is.
const SCRAMBLED_ITEMS: u64 = 10_000_000_000;

/// ζ(10¹⁰, 0.99) = Σ i^−0.99, as YCSB's `ScrambledZipfianGenerator` has it.
const SCRAMBLED_ZETA: f64 = 26.469_028_201_783_02;

/// A zipfian distribution of ranks from 0 on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zipfian {
    items: u64,
    zeta: f64,
    eta: f64,
}

impl Zipfian {
    /// That of so many items, at least one.
    pub(super) fn of(items: u64) -> Self {
        let items = items.max(1);
        let zeta = (1..=items).map(weight).sum();
        Self::new(items, zeta)
    }

    /// That of the scrambled distribution.
    pub(super) fn scrambled() -> Self {
        Self::new(SCRAMBLED_ITEMS, SCRAMBLED_ZETA)
    }

    fn new(items: u64, zeta: f64) -> Self {
        let share = libm::pow(2.0 / items as f64, 1.0 - THETA);
        Self {
            items,
            zeta,
            eta: (1.0 - share) / (1.0 - (1.0 + weight(2)) / zeta),
        }
    }

    /// The same with one item more.
    pub(super) fn grown(self) -> Self {
        Self::new(self.items + 1, self.zeta + weight(self.items + 1))
    }

    /// The rank that a uniform number from 0 to 1 stands for.
    pub(super) fn rank(&self, uniform: f64) -> u64 {
        let scaled = uniform * self.zeta;
        if scaled < 1.0 {
            return 0;
        }
        if scaled < 1.0 + weight(2) {
            return 1.min(self.items - 1);
        }
        let share = libm::pow(self.eta * uniform - self.eta + 1.0, 1.0 / (1.0 - THETA));
        ((self.items as f64 * share) as u64).min(self.items - 1)
    }
}

/// How popular an item is, counted from 1.
fn weight(item: u64) -> f64 {
    libm::pow(item as f64, -THETA)
}

/// The hash that spreads popular items: FNV-1a of 64 bits over eight bytes, the lowest first, and the sign taken off, as
/// YCSB's `Utils.fnvhash64`.
pub(super) fn fnv(mut value: u64) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for _ in 0..8 {
        hash = (hash ^ (value & 0xFF)).wrapping_mul(0x0100_0000_01B3);
        value >>= 8;
    }
    (hash as i64).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use wordline_core::draw::{Purpose, draw, unit_interval};

    use super::*;

    /// ζ(n, θ) by Euler and Maclaurin from the hundredth term on.
    fn zeta(items: f64) -> f64 {
        let first: f64 = (1..100).map(weight).sum();
        let integral =
            (libm::pow(items, 1.0 - THETA) - libm::pow(100.0, 1.0 - THETA)) / (1.0 - THETA);
        let ends = f64::midpoint(libm::pow(100.0, -THETA), libm::pow(items, -THETA));
        first + integral + ends + THETA * libm::pow(100.0, -THETA - 1.0) / 12.0
    }

    /// The constant was printed by the reference generator; the sum itself is the other source.
    #[test]
    fn the_constant_of_the_reference_generator_is_its_zeta() {
        assert!((zeta(1e10) - SCRAMBLED_ZETA).abs() < 1e-6, "{}", zeta(1e10));
        assert!((zeta(5000.0) - Zipfian::of(5000).zeta).abs() < 1e-8);
    }

    /// From Gray's formula by hand: the two most popular ranks take 1/ζ and 2^−θ/ζ of the draws.
    #[test]
    fn ranks_begin_where_grays_formula_has_them() {
        let zipfian = Zipfian::scrambled();
        let first = 1.0 / SCRAMBLED_ZETA;
        let second = (1.0 + weight(2)) / SCRAMBLED_ZETA;
        for (uniform, rank) in [
            (0.0, 0),
            (first - 1e-12, 0),
            (first + 1e-12, 1),
            (second - 1e-12, 1),
        ] {
            assert_eq!(zipfian.rank(uniform), rank, "{uniform}");
        }
        assert!((2..=3).contains(&zipfian.rank(second + 1e-9)));
        assert!(zipfian.rank(1.0 - 1e-15) > 9_990_000_000);
        assert_eq!(Zipfian::of(1).rank(0.99), 0);
        assert_eq!(Zipfian::of(2).rank(0.999_999), 1);
    }

    /// Offset basis and prime are those of draft-eastlake-fnv, section 5; eight zeros multiply the one by the other eight
    /// times.
    #[test]
    fn the_hash_is_fnv_1a_over_eight_bytes() {
        let product = (0..8).fold(0xCBF2_9CE4_8422_2325_u64, |hash, _| {
            hash.wrapping_mul(0x0100_0000_01B3)
        });
        assert_eq!(fnv(0), (product as i64).unsigned_abs());
        assert_ne!(fnv(1), fnv(256));
    }

    #[test]
    fn popular_ranks_are_drawn_as_often_as_their_weights_say() {
        let zipfian = Zipfian::of(1000).grown();
        let mut counts = [0_u32; 3];
        let draws = 100_000;
        for number in 0..draws {
            let uniform = unit_interval(draw(3, 0, number, Purpose::Address));
            if let Some(count) = counts.get_mut(zipfian.rank(uniform) as usize) {
                *count += 1;
            }
        }
        // Gray's formula is exact for the first two ranks; five standard deviations.
        for (rank, weight) in [(0, 1.0), (1, weight(2))] {
            let expected = draws as f64 * weight / zipfian.zeta;
            let found = f64::from(counts[rank]);
            assert!(
                (found - expected).abs() < 5.0 * expected.sqrt(),
                "{rank}: {found} {expected}"
            );
        }
    }
}
