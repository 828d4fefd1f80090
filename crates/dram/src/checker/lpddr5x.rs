//! LPDDR5X-8533: a table of parameters of the checker's own.
//!
//! Sources: gem5's `LPDDR5_6400_1x16_BG_BL16` and `LPDDR5_5500_1x16_BG_BL32`, whose comments state each rule as the
//! greater of clocks and a time, and Ramulator 2's LPDDR5, which differ from each other where it is said. Neither has
//! LPDDR5X: its times are taken to be those of LPDDR5 at the clock of 8533 MT/s.

use super::memory::Parameters;
use super::rounding::ClockPair;

/// A 32 Gb LPDDR5X die, x16, four groups of four banks, at 8533 MT/s and four data clocks a clock. A line of 64 bytes
/// takes two bursts of 16, or one of 32, which is the same on the bus: 16 beats, a gap of as many, and 16 beats.
#[must_use]
pub fn lpddr5x_8533() -> Parameters {
    Parameters {
        beats: 8, // gem5: beats_per_clock
        forgiving: false,
        bursts: 2,
        cl: 23,  // gem5, Ramulator 2: 17 clocks at 6400, 21.25 ns
        cwl: 12, // Ramulator 2: nCWL 9 at 6400, 11.25 ns
        burst: 2,
        long_command: 2,                  // ACT-1, ACT-2
        column_command: 1,                // RD, WR
        rcd: ClockPair::max(2, 18_000),   // gem5
        rp: ClockPair::max(2, 18_000),    // gem5
        ras: ClockPair::max(3, 42_000),   // gem5
        rc: ClockPair::clocks(0),         // the sum of both
        rtp: ClockPair::max(2, 7_500),    // gem5, without its 2 clocks less
        wr: ClockPair::max(3, 34_000),    // gem5
        ccd_s: ClockPair::clocks(2),      // gem5: tBURST_MIN
        ccd_m: ClockPair::clocks(4),      // gem5: tCCD_L
        ccd_l: ClockPair::clocks(4),      // gem5: tCCD_L
        ccd_s_wr: ClockPair::clocks(2),   // as reads
        ccd_m_wr: ClockPair::clocks(4),   // as reads
        ccd_l_wr: ClockPair::clocks(4),   // as reads
        wtr_s: ClockPair::max(4, 6_250),  // gem5
        wtr_m: ClockPair::max(4, 12_000), // gem5
        wtr_l: ClockPair::max(4, 12_000), // gem5
        rrd_s: ClockPair::max(2, 5_000),  // gem5
        rrd_l: ClockPair::max(2, 5_000),  // gem5
        faw: ClockPair::ps(20_000),       // gem5
        ppd: ClockPair::clocks(2),        // gem5
        rrd_dlr: ClockPair::clocks(0),    // no stacks with ranks of their own
        faw_dlr: ClockPair::clocks(0),
        refi_ps: 3_906_000,          // Ramulator 2
        rfc: ClockPair::ps(380_000), // Ramulator 2.1: above 16 Gb
        rfc_dlr: ClockPair::ps(380_000),
        refi_sb_ps: 488_000,              // Ramulator 2: an eighth
        rfc_sb: ClockPair::ps(210_000),   // Ramulator 2.1: above 16 Gb
        refsb_gap: ClockPair::ps(90_000), // Ramulator 2: tPBR2PBR
        refsbrd: ClockPair::ps(8_000),    // Ramulator 2: tPBR2ACT
        pd: ClockPair::max(3, 7_000),     // as tXP: unverified
        xp: ClockPair::max(3, 7_000),     // gem5
        act_pden: ClockPair::clocks(2),   // unverified
        pr_pden: ClockPair::clocks(2),    // unverified
    }
}
