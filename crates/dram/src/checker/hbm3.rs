//! HBM3-6400: a table of parameters of the checker's own.
//!
//! Source: Ramulator 2.1's HBM3 (`HBM3_6400Mbps`), which says itself that makers state the array timings and that its own
//! are typical. What it does not have is marked.

use super::memory::Parameters;
use super::rounding::ClockPair;

/// A pseudo-channel of HBM3 of 32 lines, at 6400 MT/s: four groups of four banks a stack ID, single banks refreshed. A
/// line of 64 bytes takes two bursts of 8.
#[must_use]
pub fn hbm3_6400() -> Parameters {
    Parameters {
        beats: 4, // tCK 625 ps at 6400 MT/s
        forgiving: false,
        bursts: 2,
        cl: 26,
        cwl: 8,
        burst: 2,
        long_command: 1, // 1.5 clocks, on a row bus of its own: one clock of one bus here
        column_command: 1, // on a column bus of its own
        rcd: ClockPair::clocks(26), // nRCDRD; nRCDWR is 14
        rp: ClockPair::clocks(26),
        ras: ClockPair::clocks(48),
        rc: ClockPair::clocks(74),
        rtp: ClockPair::clocks(6),
        wr: ClockPair::clocks(24),
        ccd_s: ClockPair::clocks(2),
        ccd_m: ClockPair::clocks(4),
        ccd_l: ClockPair::clocks(4),
        ccd_s_wr: ClockPair::clocks(2),
        ccd_m_wr: ClockPair::clocks(4),
        ccd_l_wr: ClockPair::clocks(4),
        wtr_s: ClockPair::clocks(8),
        wtr_m: ClockPair::clocks(12),
        wtr_l: ClockPair::clocks(12),
        rrd_s: ClockPair::max(4, 5_000),
        rrd_l: ClockPair::max(4, 5_000),
        faw: ClockPair::max(8, 15_000),
        ppd: ClockPair::clocks(2),
        rrd_dlr: ClockPair::clocks(0), // stack IDs are ranks
        faw_dlr: ClockPair::clocks(0),
        refi_ps: 3_900_000,
        rfc: ClockPair::ps(350_000), // up to 4 Gb a pseudo-channel
        rfc_dlr: ClockPair::ps(350_000),
        refi_sb_ps: 243_750, // a sixteenth of tREFI
        rfc_sb: ClockPair::ps(200_000),
        refsb_gap: ClockPair::max(3, 8_000), // tRREFD
        refsbrd: ClockPair::max(3, 8_000),   // tRREFD
        pd: ClockPair::max(5, 7_500),        // unverified
        xp: ClockPair::max(5, 7_500),        // unverified
        act_pden: ClockPair::clocks(1),      // unverified
        pr_pden: ClockPair::clocks(1),       // unverified
    }
}
