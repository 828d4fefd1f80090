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

    /// The least whole clocks that keep the parameter at a clock. Saturates.
    #[must_use]
    pub fn at(self, clock: CheckedClock) -> u32 {
        self.nck.max(clocks_at_least(self.ps, clock))
    }
}

/// The clock that commands are counted in, and how times are rounded to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedClock {
    /// Data rate in MT/s.
    pub data_rate_mts: NonZeroU32,
    /// Beats of data in a clock.
    pub beats: NonZeroU32,
    /// Whether 0.3 % of a time is forgiven.
    pub forgiving: bool,
}

impl CheckedClock {
    /// A clock times the data rate, in picoseconds times MT/s.
    fn beats_ps(self) -> u64 {
        u64::from(self.beats.get()) * 1_000_000
    }

    /// tCK as the rounding algorithm of DDR5 wants it: whole picoseconds, the rest cut off (312 at 6400 MT/s, 454 at
    /// 4400).
    fn tck_ps(self) -> u64 {
        (self.beats_ps() / u64::from(self.data_rate_mts.get())).max(1)
    }
}

/// JESD79-5, "Rounding Algorithms": with times in whole picoseconds and a guard of 0.3 % against the cut-off clock,
/// nCK = truncate((time × 997 / tCK + 1000) / 1000), each division truncating. Other standards round up.
pub(super) fn clocks_at_least(ps: u64, clock: CheckedClock) -> u32 {
    if ps == 0 {
        return 0;
    }
    let clocks = if clock.forgiving {
        let thousandths = u128::from(ps) * 997 / u128::from(clock.tck_ps());
        (thousandths + 1000) / 1000
    } else {
        let beats = u128::from(ps) * u128::from(clock.data_rate_mts.get());
        let whole = beats / u128::from(clock.beats_ps());
        whole + u128::from(whole * u128::from(clock.beats_ps()) < beats)
    };
    u32::try_from(clocks).unwrap_or(u32::MAX)
}

/// Whole clocks in a time that is a greatest, as tREFI is: from the exact clock, rounded down.
pub(super) fn clocks_at_most(ps: u64, clock: CheckedClock) -> u32 {
    let beats = u128::from(ps) * u128::from(clock.data_rate_mts.get());
    u32::try_from(beats / u128::from(clock.beats_ps())).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(mts: u32, beats: u32, forgiving: bool) -> CheckedClock {
        CheckedClock {
            data_rate_mts: NonZeroU32::new(mts).expect("a rate"),
            beats: NonZeroU32::new(beats).expect("beats"),
            forgiving,
        }
    }

    fn rate(mts: u32) -> CheckedClock {
        clock(mts, 2, true)
    }

    /// By hand: 0.93754 ns and 0.625 ns.
    #[test]
    fn other_standards_round_up() {
        let (lpddr5x, hbm3) = (clock(8533, 8, false), clock(6400, 4, false));
        for (ps, clocks) in [
            (937, 1),
            (938, 2),
            (18_000, 20),
            (42_000, 45),
            (140_000, 150),
        ] {
            assert_eq!(clocks_at_least(ps, lpddr5x), clocks, "{ps} ps");
        }
        for (ps, clocks) in [(625, 1), (626, 2), (16_250, 26), (15_000, 24)] {
            assert_eq!(clocks_at_least(ps, hbm3), clocks, "{ps} ps");
        }
        assert_eq!(clocks_at_most(3_906_000, lpddr5x), 4166);
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
