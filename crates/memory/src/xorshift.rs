//! Repeatable numbers for the tests: xorshift64 (Marsaglia, "Xorshift RNGs", 2003).

/// A generator whose seed gives its numbers.
pub(crate) struct Xorshift(u64);

impl Xorshift {
    /// The seed is not 0, which xorshift would never leave.
    pub(crate) fn new(seed: u64) -> Self {
        assert_ne!(seed, 0);
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number from 0 to `limit` - 1.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
