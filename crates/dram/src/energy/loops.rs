//! From the mean currents of a data sheet's loops to the energy of one event.
//!
//! A sheet states the mean current of a loop of commands. What one command takes is what flows in its loop above the
//! **background**, the current that flows anyway, times the time of the loop:
//!
//! - Background with k of B banks open: I(0) = IDD2N, else I(k) = IDD2N + (IDD3N − IDD2N)·(ρ + (1 − ρ)·k/B).
//!   JESD79-5 measures IDD3N with *all* banks open, so I(B) = IDD3N. This is the bank-aware background of DRAMPower 5,
//!   which goes back to Chandrasekar, Akesson and Goossens, "Improved Power Modeling of DDR SDRAMs", DSD 2011; ρ is
//!   [`Currents::open_share`]. Powered down the same, between IDD2P and IDD3P.
//! - ACT with its PRE: the loop of IDD0 has one bank open for tRAS of tRC, so it is
//!   V·(IDD0·tRC − I(1)·tRAS − I(0)·(tRC − tRAS)). Textbooks (Micron TN-41-01 and TN-40-07) take IDD3N for I(1), which
//!   becomes negative where open banks take much.
//! - RD, WR: the loops of IDD4R and IDD4W have all banks open and no gaps (TN-41-01): V·(IDD4R − IDD3N) for the time of
//!   a burst *at the data rate of the measurement*. A burst at another rate moves the same charge.
//! - REFab, REFsb: the loops of IDD5B and IDD5C repeat the command every tRFC or tRFCsb with all banks closed:
//!   V·(IDD5B − IDD2N) for the time within tRFC.
//!
//! tRC, tRAS, tRFC are those of the sub-channel; the sheet's own differ from them by bin and rounding.

use crate::config::SubChannelConfig;
use crate::energy::{Currents, RailCurrents};

/// What the loops have in common: times of the sub-channel and the model of open banks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loops {
    /// One clock of the sub-channel, seconds.
    pub(super) clock_s: f64,
    /// A burst at the data rate of the currents, seconds.
    burst_s: f64,
    /// tRAS, seconds.
    opened_s: f64,
    /// tRC, seconds.
    cycle_s: f64,
    open_share: f64,
    /// Banks of a rank.
    banks: f64,
}

impl Loops {
    pub(super) fn new(currents: &Currents, config: &SubChannelConfig) -> Self {
        let (timing, geometry) = (&config.timing, &config.geometry);
        let clock_s = 1.0 / config.clock.hz();
        Self {
            clock_s,
            burst_s: f64::from(timing.burst) * f64::from(config.clock.beats) * 1e-6
                / f64::from(currents.data_rate_mts),
            opened_s: f64::from(timing.ras) * clock_s,
            cycle_s: f64::from(timing.rc) * clock_s,
            open_share: currents.open_share,
            banks: f64::from(geometry.groups) * f64::from(geometry.banks),
        }
    }

    /// Charge of the background, in amps times clocks, from its currents with all banks closed and all open: over
    /// clocks with no bank open, clocks with any, and the sum of open banks over the latter.
    pub(super) fn background(&self, closed_a: f64, open_a: f64, any: u64, open: u64) -> f64 {
        let first = self.open_share * any as f64;
        let each = (1.0 - self.open_share) * open as f64 / self.banks;
        closed_a * any as f64 + (open_a - closed_a) * (first + each)
    }

    /// One ACT with its PRE, joules a device.
    pub(super) fn activate_j(&self, rail: &RailCurrents) -> f64 {
        let first = self.open_share + (1.0 - self.open_share) / self.banks;
        let above = (rail.i0 - rail.i2n) * self.cycle_s;
        rail.volts * (above - (rail.i3n - rail.i2n) * first * self.opened_s)
    }

    /// One burst read, joules a device.
    pub(super) fn read_j(&self, rail: &RailCurrents) -> f64 {
        rail.volts * (rail.i4r - rail.i3n) * self.burst_s
    }

    /// One burst written, joules a device.
    pub(super) fn write_j(&self, rail: &RailCurrents) -> f64 {
        rail.volts * (rail.i4w - rail.i3n) * self.burst_s
    }
}
