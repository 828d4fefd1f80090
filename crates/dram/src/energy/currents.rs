//! What a data sheet says of a die's currents, and a module's of the rest.

use crate::config::{ConfigError, SubChannelConfig};
use crate::energy::loops::Loops;

/// Voltage and mean currents of one supply rail of a device, each measured in a loop that JESD79-5 defines: IDD for
/// VDD, IPP for VPP.
#[derive(Clone, Debug, PartialEq)]
pub struct RailCurrents {
    /// Volts.
    pub volts: f64,
    /// IDD0, amps: ACT and PRE of one bank every tRC.
    pub i0: f64,
    /// IDD2N, amps: all banks closed.
    pub i2n: f64,
    /// IDD2P, amps: powered down, all banks closed.
    pub i2p: f64,
    /// IDD3N, amps: all banks open.
    pub i3n: f64,
    /// IDD3P, amps: powered down, all banks open.
    pub i3p: f64,
    /// IDD4R, amps: all banks open, reads without a gap.
    pub i4r: f64,
    /// IDD4W, amps: all banks open, writes without a gap.
    pub i4w: f64,
    /// IDD5B, amps: a REFab every tRFC.
    pub i5b: f64,
    /// IDD5C, amps: a REFsb every tRFCsb.
    pub i5c: f64,
}

/// One set of currents, and what the rest of the module takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Currents {
    /// VDD, and VDDQ where the set includes it: the IDD of one device, or of one die of a 3DS stack.
    pub vdd: RailCurrents,
    /// VPP: the IPP of the same.
    pub vpp: RailCurrents,
    /// Data rate at which IDD4R and IDD4W were measured, MT/s.
    pub data_rate_mts: u32,
    /// Share of IDD3N − IDD2N that flows as soon as one bank is open, 0 to 1; the rest grows with the open banks.
    /// DRAMPower calls it ρ. No data sheet states it.
    pub open_share: f64,
    /// Devices of one logical rank of a pseudo-channel, those for ECC among them: 10 at x4, 5 at x8.
    pub devices: u32,
    /// Drivers and termination of the data lines for a line of 64 bytes read, joules.
    pub io_read_j: f64,
    /// The same for a line written, joules.
    pub io_write_j: f64,
    /// What one sub-channel's share of RCD, or of MRCD and MDBs, always takes, watts.
    pub buffer_w: f64,
    /// What RCD, or MRCD and MDBs, take in addition for every line, joules.
    pub buffer_line_j: f64,
    /// What the PMIC delivers of what it takes: above 0, at most 1.
    pub pmic_efficiency: f64,
}

impl Currents {
    /// Whether these currents agree with each other, so that no part of the energy is negative.
    ///
    /// # Errors
    /// Names a figure that contradicts another, or lies outside of what is possible.
    pub fn check(&self, config: &SubChannelConfig) -> Result<(), ConfigError> {
        self.check_module()?;
        self.check_rail("currents.vdd", "IDD", &self.vdd, config)?;
        self.check_rail("currents.vpp", "IPP", &self.vpp, config)
    }

    fn check_module(&self) -> Result<(), ConfigError> {
        let whole = [
            ("currents.data_rate_mts", self.data_rate_mts),
            ("currents.devices", self.devices),
        ];
        for (what, value) in whole {
            require(value > 0, what, || "is 0; allowed: 1 or more".into())?;
        }
        let positive = [
            ("currents.io_read_j", self.io_read_j),
            ("currents.io_write_j", self.io_write_j),
            ("currents.buffer_w", self.buffer_w),
            ("currents.buffer_line_j", self.buffer_line_j),
        ];
        for (what, value) in positive {
            let possible = value.is_finite() && value >= 0.0;
            require(possible, what, || format!("is {value}; allowed: 0 or more"))?;
        }
        let share = self.open_share;
        require((0.0..=1.0).contains(&share), "currents.open_share", || {
            format!("is {share}; allowed: 0 to 1")
        })?;
        let efficiency = self.pmic_efficiency;
        let possible = efficiency > 0.0 && efficiency <= 1.0;
        require(possible, "currents.pmic_efficiency", || {
            format!("is {efficiency}; allowed: above 0, at most 1")
        })
    }

    fn check_rail(
        &self,
        what: &'static str,
        symbol: &str,
        rail: &RailCurrents,
        config: &SubChannelConfig,
    ) -> Result<(), ConfigError> {
        for value in [rail.volts, rail.i2n, rail.i2p] {
            let possible = value.is_finite() && value >= 0.0;
            require(possible, what, || {
                format!("volts, {symbol}2N or {symbol}2P is {value}; allowed: 0 or more")
            })?;
        }
        let ascending = [
            ("2N", rail.i2n, "3N", rail.i3n),
            ("2P", rail.i2p, "3P", rail.i3p),
            ("3N", rail.i3n, "4R", rail.i4r),
            ("3N", rail.i3n, "4W", rail.i4w),
            ("2N", rail.i2n, "5B", rail.i5b),
            ("2N", rail.i2n, "5C", rail.i5c),
        ];
        for (low, low_a, high, high_a) in ascending {
            let possible = high_a.is_finite() && low_a <= high_a;
            require(possible, what, || {
                format!("{symbol}{high} is {high_a} A; allowed: {symbol}{low} ({low_a} A) or more")
            })?;
        }
        let activate = Loops::new(self, config).activate_j(rail);
        require(activate.is_finite() && activate >= 0.0, what, || {
            format!(
                "{symbol}0 is {} A, less than the background of its own loop; allowed: more, or a lower share of \
                 {symbol}3N − {symbol}2N for the first open bank (open_share is {})",
                rail.i0, self.open_share
            )
        })
    }
}

fn require(
    holds: bool,
    what: &'static str,
    problem: impl FnOnce() -> String,
) -> Result<(), ConfigError> {
    if holds {
        return Ok(());
    }
    Err(ConfigError {
        what,
        problem: problem(),
    })
}
