//! Memories and policies on which mutants are tried.

use wordline_dram::checker::{
    CheckedChannel, ClockPair, CountedActivations, Parameters, RefreshMode,
};
use wordline_dram::{PagePolicy, SubChannelConfig, Timing};

use crate::checker::memories::{self, controller, memory_named, part_named, shape};
use crate::checker::modules::{self, config, policy, timing};

/// One memory under one policy.
pub(crate) struct Setup {
    /// Of its traffic.
    pub(crate) seed: u64,
    /// Whether the numbers are those of DDR5; else they are spread so that no rule hides another, or those of LPDDR5X or
    /// HBM3.
    pub(crate) ddr5: bool,
    pub(crate) memory: CheckedChannel,
    pub(crate) config: SubChannelConfig,
}

const OPEN: PagePolicy = PagePolicy::Open;
const CLOSED: PagePolicy = PagePolicy::Closed;
const TIMEOUT: PagePolicy = PagePolicy::Timeout(100);

/// Name of the memory, page policy, power-down, refreshes postponed.
const SETUPS: [(&str, PagePolicy, Option<u32>, u32); 21] = [
    ("rdimm", OPEN, None, 0),
    ("rdimm", TIMEOUT, Some(0), 2),
    ("rdimm", CLOSED, Some(0), 0),
    ("same_bank", OPEN, Some(0), 0),
    ("same_bank", CLOSED, Some(0), 4),
    ("mrdimm", OPEN, None, 0),
    ("mrdimm", CLOSED, Some(0), 2),
    ("stack", OPEN, None, 0),
    ("stacked", CLOSED, Some(0), 2),
    ("spread", OPEN, Some(0), 0),
    ("spread", TIMEOUT, Some(0), 2),
    ("spread", CLOSED, Some(0), 0),
    ("spread_same_bank", OPEN, Some(0), 0),
    ("spread_same_bank", TIMEOUT, Some(0), 4),
    ("spread_same_bank", CLOSED, Some(0), 4),
    ("spread_same_bank", OPEN, None, 12),
    ("lpddr5x", OPEN, None, 4),
    ("lpddr5x", CLOSED, Some(0), 0),
    ("lpddr5x_all_bank", OPEN, Some(0), 4),
    ("hbm3", OPEN, None, 8),
    ("hbm3", CLOSED, Some(0), 0),
];

pub(crate) fn setups() -> Vec<Setup> {
    let of = |(seed, &(name, page, power_down, postponed)): (u64, &_)| Setup {
        seed,
        ..build(name, page, power_down, postponed)
    };
    (0..).zip(&SETUPS).map(of).collect()
}

/// The first one of a memory.
pub(crate) fn setup(name: &'static str) -> Setup {
    build(name, OPEN, None, 0)
}

fn build(name: &'static str, page: PagePolicy, power_down: Option<u32>, postponed: u32) -> Setup {
    let (mut memory, timing) = match name {
        "spread" => spread(RefreshMode::AllBank),
        "spread_same_bank" => spread(RefreshMode::SameBank),
        "lpddr5x" | "lpddr5x_all_bank" => {
            let mode = if name == "lpddr5x" {
                RefreshMode::SameBank
            } else {
                RefreshMode::AllBank
            };
            let memory = memories::lpddr5x(2, mode);
            let timing = modules::lpddr5x(&memory);
            (memory, timing)
        }
        "hbm3" => {
            let memory = memories::hbm3(2, RefreshMode::SameBank);
            let timing = modules::hbm3(&memory);
            (memory, timing)
        }
        "managed" => managed("rdimm"),
        "managed_same_bank" => managed("same_bank"),
        _ => {
            let memory = memory_named(name);
            let timing = timing(part_named(name), &memory);
            (memory, timing)
        }
    };
    memory.controller.postponed_max = postponed;
    memory.controller.shared_commands = page == OPEN;
    let mut policy = policy(&memory);
    (policy.page, policy.power_down) = (page, power_down);
    // The direction turns often, so that every turnaround is met.
    (policy.drain_high, policy.drain_low) = (6, 1);
    let others = ["spread", "lpddr5x", "hbm3"];
    let ddr5 = !others.iter().any(|other| name.starts_with(other));
    Setup {
        seed: 0,
        ddr5,
        config: config(&memory, timing, policy),
        memory,
    }
}

/// A memory whose devices count few ACTs.
fn managed(name: &str) -> (CheckedChannel, Timing) {
    let mut memory = memory_named(name);
    memory.controller.counted = Some(CountedActivations {
        less_by_rfm: 8,
        less_by_refresh: 4,
        most: 24,
        rfm: 300,
    });
    let timing = timing(part_named(name), &memory);
    (memory, timing)
}

/// A memory of no standard, at one clock a nanosecond, whose every rule binds somewhere; once for either side.
fn spread(refresh: RefreshMode) -> (CheckedChannel, Timing) {
    let n = ClockPair::clocks;
    let parameters = Parameters {
        beats: 2,
        forgiving: true,
        bursts: 1,
        cl: 20,
        cwl: 16,
        burst: 8,
        long_command: 2,
        column_command: 2,
        rcd: n(19),
        rp: n(17),
        ras: n(41),
        rc: n(66),
        rtp: n(11),
        wr: n(31),
        ccd_s: n(9),
        ccd_m: n(12),
        ccd_l: n(15),
        ccd_s_wr: n(10),
        ccd_m_wr: n(14),
        ccd_l_wr: n(22),
        wtr_s: n(5),
        wtr_m: n(9),
        wtr_l: n(14),
        rrd_s: n(5),
        rrd_l: n(9),
        faw: n(29),
        ppd: n(4),
        rrd_dlr: n(3),
        faw_dlr: n(21),
        refi_ps: 3_000_000,
        rfc: n(150),
        rfc_dlr: n(70),
        refi_sb_ps: 800_000,
        rfc_sb: n(60),
        refsb_gap: n(12),
        refsbrd: n(30),
        pd: n(13),
        xp: n(12),
        act_pden: n(60),
        pr_pden: n(60),
    };
    let mut memory = CheckedChannel {
        data_rate_mts: 2000,
        shape: shape(2, 4, 2),
        parameters,
        controller: controller(refresh),
    };
    memory.controller.pair_write_to_read = 25;
    let timing = Timing {
        cl: 20,
        cwl: 16,
        burst: 8,
        rcd: 19,
        rp: 17,
        ras: 41,
        rc: 66,
        rtp: 11,
        wr: 31,
        ccd_s: 9,
        ccd_m: 12,
        ccd_l: 15,
        ccd_s_wr: 10,
        ccd_m_wr: 14,
        ccd_l_wr: 22,
        wtr_s: 5,
        wtr_m: 9,
        wtr_l: 14,
        rtw: 14,
        rrd_s: 5,
        rrd_l: 9,
        faw: 29,
        ppd: 4,
        rrd_dlr: 3,
        faw_dlr: 21,
        rank_gap: 3,
        pair_burst: 8,
        pair_rtw: 14,
        pair_wtr: 25,
        refi: 3000,
        rfc: 150,
        rfc_dlr: 70,
        refi_sb: 800,
        rfc_sb: 60,
        refsb_gap: 12,
        refsbrd: 30,
        pd: 13,
        xp: 12,
        pden: 60,
        long_command: 2,
        column_command: 2,
    };
    (memory, timing)
}
