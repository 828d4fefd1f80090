//! From nanoseconds to clocks, as JEDEC prescribes for DDR5.

use std::num::NonZeroU32;

/// A timing parameter as data sheets state it: the greater of a number of clocks and a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockPair {
    /// Least clocks (nCK).
    pub nck: u32,
    /// Least time in picoseconds.
    pub ps: u64,
}

impl ClockPair {
    /// So many clocks at any rate.
    #[must_use]
    pub const fn clocks(nck: u32) -> Self {
        Self { nck, ps: 0 }
    }

    /// So much time at any rate, in picoseconds.
    #[must_use]
    pub const fn ps(ps: u64) -> Self {
        Self { nck: 0, ps }
    }

    /// The greater of clocks and picoseconds.
    #[must_use]
    pub const fn max(nck: u32, ps: u64) -> Self {
        Self { nck, ps }
    }

    /// The least whole clocks that keep the parameter at a data rate. Saturates.
    #[must_use]
    pub fn at(self, data_rate_mts: NonZeroU32) -> u32 {
        self.nck.max(clocks_at_least(self.ps, data_rate_mts))
    }
}

/// tCK as the rounding algorithm wants it: whole picoseconds, the rest cut off (312 at 6400 MT/s, 454 at 4400).
fn tck_ps(data_rate_mts: NonZeroU32) -> u64 {
    (2_000_000 / u64::from(data_rate_mts.get())).max(1)
}

/// JESD79-5, "Rounding Algorithms": with times in whole picoseconds and a guard of 0.3 % against the cut-off clock,
/// nCK = truncate((time × 997 / tCK + 1000) / 1000), each division truncating.
pub(super) fn clocks_at_least(ps: u64, data_rate_mts: NonZeroU32) -> u32 {
    if ps == 0 {
        return 0;
    }
    let thousandths = u128::from(ps) * 997 / u128::from(tck_ps(data_rate_mts));
    u32::try_from((thousandths + 1000) / 1000).unwrap_or(u32::MAX)
}

/// Whole clocks in a time that is a greatest, as tREFI is: from the exact clock, rounded down.
pub(super) fn clocks_at_most(ps: u64, data_rate_mts: NonZeroU32) -> u32 {
    let clocks = u128::from(ps) * u128::from(data_rate_mts.get()) / 2_000_000;
    u32::try_from(clocks).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(mts: u32) -> NonZeroU32 {
        NonZeroU32::new(mts).expect("a rate")
    }

    #[test]
    fn the_columns_of_the_published_table_come_out() {
        // (ns × 1000, nCK at 6400, nCK at 4400)
        let table = [
            (32_000, 103, 71),
            (5_000, 16, 11),
            (20_000, 64, 44),
            (10_000, 32, 22),
            (30_000, 96, 66),
            (7_500, 24, 17),
            (2_500, 8, 6),
        ];
        for (ps, at_6400, at_4400) in table {
            assert_eq!(clocks_at_least(ps, rate(6400)), at_6400, "{ps} ps");
            assert_eq!(clocks_at_least(ps, rate(4400)), at_4400, "{ps} ps");
        }
        assert_eq!(clocks_at_least(14_375, rate(6400)), 46);
        assert_eq!(clocks_at_least(16_250, rate(6400)), 52);
        assert_eq!(clocks_at_least(14_545, rate(4400)), 32);
        assert_eq!(clocks_at_least(16_363, rate(4400)), 36);
    }

    #[test]
    fn the_guard_forgives_what_cutting_off_the_clock_adds() {
        // 8 clocks of 357.14 ps are 2857 ps; 2857 / 357 is 8.003, and a plain rounding up would say 9.
        assert_eq!(clocks_at_least(2_857, rate(5600)), 8);
        assert_eq!(clocks_at_least(2_880, rate(5600)), 9);
    }

    #[test]
    fn intervals_round_down() {
        assert_eq!(clocks_at_most(3_900_000, rate(6400)), 12_480);
        assert_eq!(clocks_at_most(3_900_000, rate(4400)), 8_580);
        assert_eq!(clocks_at_most(487_500, rate(4400)), 1_072);
    }

    #[test]
    fn absurd_times_saturate() {
        assert_eq!(clocks_at_least(u64::MAX, rate(u32::MAX)), u32::MAX);
        assert_eq!(clocks_at_most(u64::MAX, rate(u32::MAX)), u32::MAX);
    }
}
