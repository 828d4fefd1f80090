//! DDR5 devices: a table of parameters of the checker's own.
//!
//! Sources: *facts* are the project's collection (gem5's `ddr5.py`, which cites Micron's DDR5 core sheet; a decoded
//! 16 Gb SPD; values of JESD79-5B in open controllers); *bins* are the speed bin names of modules on the market. What
//! neither confirms is marked unverified.

use super::memory::Parameters;
use super::rounding::ClockPair;

/// Density of a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Density {
    /// 16 Gb.
    Gb16,
    /// 24 Gb.
    Gb24,
    /// 32 Gb.
    Gb32,
}

/// Data pins of a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Four: a write changes half of an on-die ECC word, and is a read-modify-write.
    X4,
    /// Eight.
    X8,
}

/// Speed bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinGrade {
    /// The faster one.
    A,
    /// The one of shipping modules.
    B,
}

/// A device on the market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceGrade {
    /// MT/s: 4000, 4400, 4800, 5600 or 6400.
    pub data_rate_mts: u32,
    /// Density.
    pub density: Density,
    /// Width.
    pub width: Width,
    /// Speed bin.
    pub bin: BinGrade,
}

/// A data rate without speed bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no speed bins for {data_rate_mts} MT/s; allowed: 4000, 4400, 4800, 5600, 6400")]
pub struct PartError {
    /// The rate in MT/s.
    pub data_rate_mts: u32,
}

impl DeviceGrade {
    /// CL in clocks, and tRCD = tRP in picoseconds.
    fn bin(self) -> Result<(u32, u64), PartError> {
        // 4400 and 6400: facts. 4000, 4800 and 5600: bins (28-28-28 and 32-32-32, 34-34-34 and 40-39-39, 40-40-40 and
        // 46-45-45), unverified beyond the names.
        Ok(match (self.data_rate_mts, self.bin) {
            (4000, BinGrade::A) => (28, 14_000),
            (4000, BinGrade::B) => (32, 16_000),
            (4400, BinGrade::A) => (32, 14_545),
            (4400, BinGrade::B) => (36, 16_363),
            (4800, BinGrade::A) => (34, 14_166),
            (4800, BinGrade::B) => (40, 16_000),
            (5600, BinGrade::A) => (40, 14_285),
            (5600, BinGrade::B) => (46, 16_000),
            (6400, BinGrade::A) => (46, 14_375),
            (6400, BinGrade::B) => (52, 16_250),
            _ => {
                return Err(PartError {
                    data_rate_mts: self.data_rate_mts,
                });
            }
        })
    }

    /// tRFC1, tRFC1_dlr and tRFCsb in picoseconds.
    fn refresh_ps(self) -> (u64, u64, u64) {
        // Facts; 410 ns is confirmed at 32 Gb, the rest of 24 and 32 Gb is not. tRFC1_dlr: no public
        // figure; a third of tRFC1, as in 3DS DDR4.
        match self.density {
            Density::Gb16 => (295_000, 100_000, 130_000),
            Density::Gb24 | Density::Gb32 => (410_000, 140_000, 190_000),
        }
    }

    /// The device's parameters.
    ///
    /// # Errors
    /// When the data rate has no speed bins here.
    pub fn parameters(self) -> Result<Parameters, PartError> {
        let (cl, row_ps) = self.bin()?;
        let (rfc, rfc_dlr, rfc_sb) = self.refresh_ps();
        let write = match self.width {
            Width::X4 => ClockPair::max(32, 20_000), // facts: tCCD_L_WR
            Width::X8 => ClockPair::max(16, 10_000), // facts: tCCD_L_WR2, unverified for x8
        };
        Ok(Parameters {
            beats: 2,
            forgiving: true, // JESD79-5, "Rounding Algorithms"
            bursts: 1,       // 32 lines, BL16: 64 bytes
            cl,
            cwl: cl - 2,       // facts
            burst: 8,          // facts: BL16
            long_command: 2,   // facts: ACT, RD and WR take two command cycles
            column_command: 2, // facts
            rcd: ClockPair::ps(row_ps),
            rp: ClockPair::ps(row_ps),
            ras: ClockPair::ps(32_000),             // facts
            rc: ClockPair::clocks(0),               // facts: tRAS + tRP, no more
            rtp: ClockPair::max(12, 7_500),         // facts
            wr: ClockPair::ps(30_000),              // facts
            ccd_s: ClockPair::clocks(8),            // facts
            ccd_m: ClockPair::max(8, 5_000),        // as tCCD_L: the SPD's tCCD_M, unverified
            ccd_l: ClockPair::max(8, 5_000),        // facts
            ccd_s_wr: ClockPair::clocks(8),         // as tCCD_S: a burst
            ccd_m_wr: write,                        // as tCCD_L_WR: the SPD's tCCD_M_WR, unverified
            ccd_l_wr: write,                        // facts
            wtr_s: ClockPair::max(4, 2_500),        // facts
            wtr_m: ClockPair::max(16, 10_000),      // as tWTR_L: the SPD's tCCD_M_WTR, unverified
            wtr_l: ClockPair::max(16, 10_000),      // facts
            rrd_s: ClockPair::clocks(8),            // facts
            rrd_l: ClockPair::max(8, 5_000),        // facts
            faw: ClockPair::max(32, self.faw_ps()), // facts
            ppd: ClockPair::clocks(2),              // facts
            rrd_dlr: ClockPair::clocks(4), // as of DDR4 3DS (JESD79-4): unverified for DDR5
            faw_dlr: ClockPair::clocks(16), // as of DDR4 3DS (JESD79-4): unverified for DDR5
            refi_ps: 3_900_000,            // facts
            rfc: ClockPair::ps(rfc),       // facts
            rfc_dlr: ClockPair::ps(rfc_dlr), // unverified
            refi_sb_ps: 487_500,           // facts: 1.95 µs for four bank indices
            rfc_sb: ClockPair::ps(rfc_sb), // facts
            refsb_gap: ClockPair::ps(rfc_sb), // facts: tRFCsb
            refsbrd: ClockPair::ps(30_000), // JESD79-5, table of refresh parameters: 30 ns
            pd: ClockPair::max(8, 7_500),  // JESD79-5, power-down timing: max(7.5 ns, 8 nCK)
            xp: ClockPair::max(8, 7_500),  // JESD79-5, power-down timing: max(7.5 ns, 8 nCK)
            act_pden: ClockPair::clocks(2), // JESD79-5, power-down timing: 2 nCK
            pr_pden: ClockPair::clocks(2), // JESD79-5, power-down timing: 2 nCK
        })
    }

    /// tFAW of a 1 KB page in picoseconds: 32 clocks of the speed bin at every rate (facts: 10 ns at 6400, 14.545 ns
    /// at 4400).
    fn faw_ps(self) -> u64 {
        64_000_000 / u64::from(self.data_rate_mts.max(1))
    }
}
