//! What proven bounds of an access are made of.
//!
//! A bound is a closed formula over the figures that a device resolved from its sheets. It shares with
//! the simulation these figures and what a transaction costs on the bus, and nothing else: the formula
//! never runs the model, so that a test can hold one against the other. The formulas lie beside the
//! wired models, and the reasoning in `DESIGN.md`.

use std::ops::{Add, AddAssign, Mul};

use wordline_core::Spread;
use wordline_core::quantity::Time;

use crate::error::NvmError;

/// A duration in picoseconds within a formula, wide enough that no sum of an access overflows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TimeSpan(u128);

impl TimeSpan {
    pub(crate) const ZERO: Self = Self(0);

    /// So many parts of it, of as many equal ones as `of`.
    pub(crate) const fn share(self, parts: u64, of: u64) -> Self {
        let product = self.0.saturating_mul(parts as u128);
        Self(product.div_ceil(of as u128))
    }

    /// As a time.
    ///
    /// # Errors
    /// When it is longer than simulated time can hold.
    pub(crate) fn time(self) -> Result<Time, NvmError> {
        let ps = u64::try_from(self.0).map_err(|_| NvmError::TimeExhausted)?;
        Ok(Time::from_ps(ps))
    }
}

impl From<Time> for TimeSpan {
    fn from(time: Time) -> Self {
        Self(u128::from(time.ps()))
    }
}

impl Add for TimeSpan {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for TimeSpan {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for TimeSpan {
    type Output = Self;

    fn mul(self, count: u64) -> Self {
        Self(self.0.saturating_mul(u128::from(count)))
    }
}

/// The longest that a duration which differs from operation to operation can be. Draws are cut at the
/// maximum; a spread whose maximum lies below its median always gives the median.
pub(crate) fn longest(spread: &Spread<Time>) -> Time {
    spread.typ().later(spread.high())
}

/// The pages that a range of bytes touches, of which the first and the last may be touched in part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touched {
    at: u64,
    end: u64,
    page_bytes: u64,
}

impl Touched {
    /// The pages of a range; `None` where it is empty.
    pub(crate) fn new(at: u64, bytes: u64, page_bytes: u32) -> Option<Self> {
        (bytes > 0).then(|| Self {
            at,
            end: at + bytes,
            page_bytes: u64::from(page_bytes),
        })
    }

    /// The number of the first page.
    pub(crate) const fn first(&self) -> u64 {
        self.at / self.page_bytes
    }

    /// The number of the last page.
    pub(crate) const fn last(&self) -> u64 {
        (self.end - 1) / self.page_bytes
    }

    /// The first byte and the number of bytes of the range in one of its pages.
    pub(crate) fn part(&self, page: u64) -> (u64, u64) {
        let start = page * self.page_bytes;
        let from = self.at.max(start);
        let to = self.end.min(start + self.page_bytes);
        (from - start, to - from)
    }

    /// A sum over the pages. All but the first and the last cost the same: `of` is asked three times
    /// at the most, for the column and the bytes of a page.
    pub(crate) fn sum(
        &self,
        of: impl Fn(u64, u64) -> Result<TimeSpan, NvmError>,
    ) -> Result<TimeSpan, NvmError> {
        self.sum_of(self.first(), self.last(), of)
    }

    /// The same over the pages `first` to `last` alone, which must be among those touched.
    pub(crate) fn sum_of(
        &self,
        first: u64,
        last: u64,
        of: impl Fn(u64, u64) -> Result<TimeSpan, NvmError>,
    ) -> Result<TimeSpan, NvmError> {
        let (column, bytes) = self.part(first);
        let mut sum = of(column, bytes)?;
        if last > first {
            let (column, bytes) = self.part(last);
            sum += of(column, bytes)?;
        }
        if last > first + 1 {
            sum += of(0, self.page_bytes)? * (last - first - 1);
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_parts_of_the_pages_make_up_the_range(at in 0u64..10_000, bytes in 1u64..10_000) {
            let touched = Touched::new(at, bytes, 512).expect("it is not empty");
            let mut next = at;
            for page in touched.first()..=touched.last() {
                let (column, length) = touched.part(page);
                prop_assert_eq!(page * 512 + column, next);
                prop_assert!(length > 0 && column + length <= 512);
                next += length;
            }
            prop_assert_eq!(next, at + bytes);
            let by_sum = touched.sum(|_, length| Ok(TimeSpan(u128::from(length))));
            prop_assert_eq!(by_sum, Ok(TimeSpan(u128::from(bytes))));
        }
    }

    #[test]
    fn nothing_touches_no_page_and_too_long_is_no_time() {
        assert!(Touched::new(7, 0, 512).is_none());
        let day = TimeSpan::from(Time::from_ps(86_400_000_000_000_000));
        assert!((day * 213).time().is_ok());
        assert_eq!((day * 214).time(), Err(NvmError::TimeExhausted));
    }
}
