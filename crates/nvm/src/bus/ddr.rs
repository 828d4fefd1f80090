//! A DDR bus: commands to banks and rows, and bursts of data on both edges of the clock.
//!
//! The memory controller takes one access at a time. It knows the whole access, so that it opens the
//! rows that come next while the data of those before them move. What a read or write costs follows
//! from the commands that it needs: see [`chip::ddr_mram`](crate::chip::ddr_mram).

use serde::Deserialize;
use wordline_core::quantity::{Frequency, Time};
use wordline_core::{Figure, Sourced};

use super::{Action, Transaction};
use crate::link::LinkError;
use crate::problem::Problems;

/// The DDR memory controller of a board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DdrBus {
    /// Data lines: 8 or 16.
    pub width_bits: Sourced<u8>,
    /// Clock of the bus; data move on both edges of it.
    pub clock: Figure<Frequency>,
    /// What controller and wiring take of an access, there and back, beside the chip's own times.
    pub controller: Figure<Time>,
    /// What the controller does with a row once it has been read or written.
    pub page_policy: Sourced<RowPolicy>,
}

/// What a controller does with a row once it has been read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowPolicy {
    /// Leaves it open until another row of its bank is needed.
    Open,
    /// Closes it behind the last burst of the access.
    Closed,
}

impl DdrBus {
    /// The figures of the board's sheet that every access rests on.
    pub(crate) const FIGURES: [&str; 4] = [
        "ddr.width_bits",
        "ddr.clock",
        "ddr.controller",
        "ddr.page_policy",
    ];

    /// How a chip of `width_bits` data lines that runs up to `limit` reads and writes on this bus.
    ///
    /// # Errors
    /// When the widths differ, or the bus is too fast.
    pub(crate) fn check_chip(&self, width_bits: u8, limit: Frequency) -> Result<(), LinkError> {
        let (needs, has) = (width_bits, *self.width_bits.value());
        if needs != has {
            return Err(LinkError::Width { needs, has });
        }
        let clock = self.clock.nominal();
        if clock > limit {
            return Err(LinkError::TooFast {
                what: "a clock",
                needs: limit.duration_of(1),
                has: clock.duration_of(1),
            });
        }
        Ok(())
    }

    /// What contradicts itself or physics, below the key `ddr`.
    pub(crate) fn check_sheet(&self, problems: &mut Problems) {
        problems.positive("ddr.clock", &self.clock);
        problems.ordered("ddr.controller", &self.controller);
        check_width("ddr.width_bits", *self.width_bits.value(), problems);
    }
}

pub(crate) fn check_width(path: &str, width_bits: u8, problems: &mut Problems) {
    if !matches!(width_bits, 8 | 16) {
        problems.add(path, "allowed: 8 or 16");
    }
}

/// How one action is done on a DDR bus.
#[derive(Clone, Debug, PartialEq)]
pub struct DdrCommand {
    /// What it does: a read or a write.
    pub action: Action,
    /// Clock of the bus.
    pub clock: Frequency,
    /// Bytes of one beat: the width of the bus.
    pub beat_bytes: u64,
    /// Beats of one burst; two move in a clock.
    pub burst_length: u64,
    /// Clocks from the command that opens a row to its first data: tRCD and the CAS latency.
    pub row_clocks: u64,
}

impl DdrCommand {
    /// What moving `bytes` bytes from the address `at` on costs in a row of a bank that was closed: the
    /// latency of row and column, and whole bursts. A longer access overlaps the rows that it opens,
    /// one that finds its row open or another one in its way takes less or more: the chip says.
    #[must_use]
    pub fn transaction(&self, at: u64, bytes: u64) -> Transaction {
        let burst = self.beat_bytes * self.burst_length;
        let bursts = match bytes {
            0 => 0,
            _ => at.saturating_add(bytes).div_ceil(burst) - at / burst,
        };
        let data = bursts.saturating_mul(self.burst_length / 2);
        let command = self.clock.duration_of(self.row_clocks);
        let total = self.clock.duration_of(self.row_clocks.saturating_add(data));
        Transaction {
            command,
            data: total.since(command),
        }
    }

    /// Bytes a second while data move: two beats in a clock.
    #[must_use]
    pub fn data_rate(&self) -> f64 {
        self.clock.hz() as f64 * 2.0 * self.beat_bytes as f64
    }

    /// Lines and rate, as tables print them.
    #[must_use]
    pub fn mode(&self) -> String {
        format!("x{} DDR, BL{}", 8 * self.beat_bytes, self.burst_length)
    }

    pub(super) fn figures(&self) -> Vec<String> {
        let latency = match self.action {
            Action::Read => "t_cl",
            _ => "t_cwl",
        };
        ["width_bits", "burst_length", "clock", "t_rcd", latency]
            .map(str::to_owned)
            .into()
    }
}

/// The fewest clocks that last at least as long as a time, by the rounding of JESD79-4: 2.6 % of a
/// clock are forgiven, because the clock's own period is rounded.
pub(crate) fn clocks_of(time: Time, clock: Frequency) -> u64 {
    const SECOND: u128 = 1_000_000_000_000;
    let thousandths = u128::from(time.ps()) * u128::from(clock.hz()) * 1000 / SECOND;
    u64::try_from((thousandths + 974) / 1000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_clocks_by_the_rounding_of_the_standard() {
        let clock = "666.666667 MHz".parse().expect("a clock");
        for (ps, clocks) in [
            (0, 0),
            (1, 0),
            (135_000, 90),
            (143_000, 96),
            (7_500, 5),
            (10_000, 7),
            (13_500, 9),
            (1_538, 1),
            (1_539, 2),
        ] {
            assert_eq!(clocks_of(Time::from_ps(ps), clock), clocks, "{ps}");
        }
    }

    #[test]
    fn a_burst_is_moved_whole() {
        let command = DdrCommand {
            action: Action::Read,
            clock: "500 MHz".parse().expect("a clock"),
            beat_bytes: 2,
            burst_length: 8,
            row_clocks: 100,
        };
        let data = |at, bytes| command.transaction(at, bytes).data.ps();
        assert_eq!(command.transaction(0, 0).command.ps(), 200_000);
        assert_eq!([data(0, 0), data(0, 1), data(0, 16)], [0, 8_000, 8_000]);
        assert_eq!([data(15, 2), data(8, 32)], [16_000, 24_000]);
        assert!((command.data_rate() - 2e9).abs() < 1e-3);
    }
}
