//! From times to whole clocks, as the standards round.

use serde::Deserialize;
use wordline_core::quantity::Time;

use crate::config::ClockDomain;

/// The standard that a die follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Standard {
    /// JESD79-4.
    #[serde(rename = "DDR4")]
    Ddr4,
    /// JESD79-5.
    #[serde(rename = "DDR5")]
    Ddr5,
    /// JESD209-5, at 4 clocks of data (WCK) for each of commands (CK).
    #[serde(rename = "LPDDR5X")]
    Lpddr5x,
    /// JESD238.
    #[serde(rename = "HBM3")]
    Hbm3,
}

impl Standard {
    /// Beats of data in a clock of the commands.
    #[must_use]
    pub const fn beats(self) -> u32 {
        match self {
            Self::Ddr4 | Self::Ddr5 => 2,
            Self::Hbm3 => 4,
            Self::Lpddr5x => 8,
        }
    }

    /// The clock of a DRAM at a data rate in MT/s.
    #[must_use]
    pub const fn clock(self, data_rate_mts: u32) -> ClockDomain {
        ClockDomain {
            data_rate_mts,
            beats: self.beats(),
        }
    }

    /// A line of 64 bytes may take two bursts: where channels are narrow. Elsewhere it takes one.
    #[must_use]
    pub const fn bursts_max(self) -> u32 {
        match self {
            Self::Ddr4 | Self::Ddr5 => 1,
            Self::Lpddr5x | Self::Hbm3 => 2,
        }
    }

    /// Clocks (nCK) that a least time between two commands takes at a data rate.
    ///
    /// DDR4 and DDR5 count in whole picoseconds, the clock period rounded down, and forgive a little, so that a
    /// period that was rounded does not cost a clock. DDR5 forgives 0.3 % of the time: nCK is the whole part of
    /// `(time · 0.997 / tCK) + 1` (JESD79-5, "Rounding Definitions and Algorithms": correction factor 0.30 %). DDR4
    /// forgives 0.026 of a clock: the whole part of `time / tCK + 0.974` (JESD79-4, the section of the same name).
    /// Of a long time DDR5 forgives more than a clock: tRFC 410 ns is 1311 clocks at 6400 MT/s, not 1312. LPDDR5X and
    /// HBM3 forgive nothing: whole clocks of the exact period, rounded up, as open simulators do.
    ///
    /// What exceeds a u32 is held there; a rate of 0 counts as 1.
    #[must_use]
    pub fn clocks(self, time: Time, data_rate_mts: u32) -> u32 {
        if time == Time::ZERO {
            return 0;
        }
        let clock_ps = u128::from((2_000_000 / data_rate_mts.max(1)).max(1));
        let ps = u128::from(time.ps());
        let clocks = match self {
            Self::Ddr4 => (ps * 1000 / clock_ps + 974) / 1000,
            Self::Ddr5 => (ps * 997 / clock_ps + 1000) / 1000,
            Self::Lpddr5x | Self::Hbm3 => self
                .clock(data_rate_mts.max(1))
                .edge_at_or_after(time.ps())
                .into(),
        };
        u32::try_from(clocks).unwrap_or(u32::MAX)
    }

    /// Clocks (nCK) that a greatest time lasts at a data rate: no more than fit, at least one. Such are the intervals
    /// between refreshes.
    #[must_use]
    pub fn clocks_within(self, time: Time, data_rate_mts: u32) -> u32 {
        let beats = u128::from(time.ps()) * u128::from(data_rate_mts);
        let clocks = beats / (u128::from(self.beats()) * 1_000_000);
        u32::try_from(clocks).unwrap_or(u32::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ddr5(ps: u64, rate: u32) -> u32 {
        Standard::Ddr5.clocks(Time::from_ps(ps), rate)
    }

    /// The times of JESD79-5B as open controllers restate it, each with its clocks at 6400 and at 4400 MT/s.
    #[test]
    fn ddr5_rounds_as_its_tables_do() {
        let columns = [
            (16_250, 52, 36),
            (32_000, 103, 71),
            (5_000, 16, 11),
            (20_000, 64, 44),
            (10_000, 32, 22),
            (30_000, 96, 66),
            (7_500, 24, 17),
            (2_500, 8, 6),
        ];
        for (ps, at_6400, at_4400) in columns {
            assert_eq!(ddr5(ps, 6400), at_6400, "{ps} ps at 6400");
            assert_eq!(ddr5(ps, 4400), at_4400, "{ps} ps at 4400");
        }
        // Bins are stated with the times that belong to their rate.
        assert_eq!(ddr5(14_375, 6400), 46);
        assert_eq!(ddr5(14_545, 4400), 32);
        assert_eq!(ddr5(16_363, 4400), 36);
    }

    #[test]
    fn a_rounded_period_costs_no_clock_and_a_longer_time_does() {
        // 13.333 ns at 4800 MT/s, whose period is 416.67 ps, is 32 clocks; without the guard it would be 33.
        assert_eq!(ddr5(13_333, 4800), 32);
        assert_eq!(13_333_u64.div_ceil(416), 33);
        // 0.3 % is forgiven, and no more: 32 clocks of 312 ps are 9984 ps, and 10 014 ps are 0.3 % above.
        assert_eq!(ddr5(10_014, 6400), 32);
        assert_eq!(ddr5(10_015, 6400), 33);
        assert_eq!(ddr5(410_000, 6400), 1311);
    }

    #[test]
    fn ddr4_forgives_a_fortieth_of_a_clock() {
        let clocks = |ps| Standard::Ddr4.clocks(Time::from_ps(ps), 3200);
        assert_eq!(clocks(13_750), 22);
        assert_eq!(clocks(21_000), 34);
        assert_eq!(clocks(350_000), 560);
        assert_eq!(clocks(13_766), 22);
        assert_eq!(clocks(13_767), 23);
    }

    /// By hand: the clock of LPDDR5X-8533 takes 937.54 ps, that of HBM3-6400 625 ps.
    #[test]
    fn lpddr5x_and_hbm3_round_up() {
        let lpddr5x = |ps| Standard::Lpddr5x.clocks(Time::from_ps(ps), 8533);
        assert_eq!([937, 938, 18_000, 42_000].map(lpddr5x), [1, 2, 20, 45]);
        let hbm3 = |ps| Standard::Hbm3.clocks(Time::from_ps(ps), 6400);
        assert_eq!([625, 626, 16_250, 260_000].map(hbm3), [1, 2, 26, 416]);
        let within = Standard::Lpddr5x.clocks_within(Time::from_ps(3_906_000), 8533);
        assert_eq!(within, 4166);
    }

    #[test]
    fn intervals_are_cut_and_extremes_are_held() {
        let within = |ps, rate| Standard::Ddr5.clocks_within(Time::from_ps(ps), rate);
        assert_eq!(within(3_900_000, 4400), 8580);
        assert_eq!(within(487_500, 4400), 1072);
        assert_eq!(within(0, 4400), 1);
        assert_eq!(Standard::Ddr5.clocks(Time::ZERO, 6400), 0);
        assert_eq!(
            Standard::Ddr5.clocks(Time::from_ps(u64::MAX), 6400),
            u32::MAX
        );
        assert!(Standard::Ddr5.clocks(Time::from_ps(1), 0) > 0);
    }
}
