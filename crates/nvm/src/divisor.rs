//! Division by the same number again and again.

/// A number that others are divided by, with its inverse: a multiplication takes a fraction of a division's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Divisor {
    by: u64,
    /// (2⁶⁴ − 1) / by, rounded down.
    inverse: u64,
}

impl Divisor {
    /// A divisor; 1 in place of 0.
    pub(crate) const fn new(by: u64) -> Self {
        let by = if by == 0 { 1 } else { by };
        Self {
            by,
            inverse: u64::MAX / by,
        }
    }

    /// The number.
    pub(crate) const fn by(self) -> u64 {
        self.by
    }

    /// Quotient and remainder.
    ///
    /// The inverse is less than 2⁶⁴ / by by 1 at the most, so that the product is too small by less than 1, and the
    /// quotient by 1 or by nothing.
    #[inline(always)]
    pub(crate) const fn div_rem(self, number: u64) -> (u64, u64) {
        let quotient = ((number as u128 * self.inverse as u128) >> 64) as u64;
        let rest = number - quotient * self.by;
        if rest >= self.by {
            (quotient + 1, rest - self.by)
        } else {
            (quotient, rest)
        }
    }

    /// The quotient, rounded down.
    #[inline(always)]
    pub(crate) const fn quotient(self, number: u64) -> u64 {
        self.div_rem(number).0
    }

    /// The quotient, rounded up.
    #[inline(always)]
    pub(crate) const fn div_ceil(self, number: u64) -> u64 {
        let (quotient, rest) = self.div_rem(number);
        quotient + (rest > 0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(number: u64, by: u64) {
        let divisor = Divisor::new(by);
        assert_eq!(
            divisor.div_rem(number),
            (number / by, number % by),
            "{number} / {by}"
        );
        assert_eq!(
            divisor.div_ceil(number),
            number.div_ceil(by),
            "{number} / {by}"
        );
    }

    #[test]
    fn the_ends_of_the_range_divide_as_others_do() {
        let near = |number: u64| [number.wrapping_sub(1), number, number.wrapping_add(1)];
        let marks = [1, 3, 1 << 31, 1 << 32, 1 << 63, u64::MAX].map(near);
        for by in marks.into_iter().flatten().filter(|by| *by > 0) {
            for number in marks.into_iter().flatten() {
                check(number, by);
                check(number.wrapping_mul(by), by);
                check(number.wrapping_mul(by).wrapping_sub(1), by);
            }
        }
        assert_eq!(Divisor::new(0), Divisor::new(1));
    }

    proptest! {
        #[test]
        fn it_agrees_with_division(number: u64, by in 1u64.., shift in 0u32..64, other in 0u32..64) {
            check(number >> other, by);
            check(number >> other, (by >> shift).max(1));
        }
    }
}
