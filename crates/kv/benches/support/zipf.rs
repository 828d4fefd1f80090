//! The scrambled zipfian generator of YCSB: Gray et al., "Quickly generating billion-record synthetic databases",
//! SIGMOD 1994, with θ = 0.99 over 10¹⁰ items, and FNV-1a's 64-bit hash to spread the popular ones.

/// What YCSB's `ScrambledZipfianGenerator` has for ζ(10¹⁰, 0.99).
pub(crate) const ZETA: f64 = 26.469_028_201_783_02;
const ITEMS: f64 = 1e10;
const THETA: f64 = 0.99;

/// Numbers from 0 to a count, some of them often.
pub(crate) struct ScrambledZipfian {
    records: u64,
    state: u64,
}

impl ScrambledZipfian {
    pub(crate) fn new(records: u64, seed: u64) -> Self {
        Self {
            records,
            state: seed,
        }
    }

    /// The next number.
    pub(crate) fn draw(&mut self) -> u64 {
        // SplitMix64 for the uniform number.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let uniform = ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
        fnv(rank(uniform)) % self.records
    }
}

/// Gray's formula: the rank that a uniform number from 0 to 1 stands for.
pub(crate) fn rank(uniform: f64) -> u64 {
    let zeta_2 = 1.0 + 0.5_f64.powf(THETA);
    let eta = (1.0 - (2.0 / ITEMS).powf(1.0 - THETA)) / (1.0 - zeta_2 / ZETA);
    let scaled = uniform * ZETA;
    if scaled < 1.0 {
        0
    } else if scaled < zeta_2 {
        1
    } else {
        (ITEMS * (eta * uniform - eta + 1.0).powf(1.0 / (1.0 - THETA))) as u64
    }
}

/// The hash of YCSB's `Utils.fnvhash64`: FNV-1a over the eight bytes, lowest first, and the sign taken off.
pub(crate) fn fnv(mut value: u64) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for _ in 0..8 {
        hash = (hash ^ (value & 0xFF)).wrapping_mul(1_099_511_628_211);
        value >>= 8;
    }
    (hash as i64).unsigned_abs()
}
