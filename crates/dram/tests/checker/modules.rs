//! What the engine is given: timings from a list of its own, so that a slip in the checker's table shows.

use crate::support::{hbm3_6400, lpddr5x_8533};
use wordline_dram::checker::{BinGrade, CheckedChannel, Density, DeviceGrade, RefreshMode, Width};
use wordline_dram::{
    ChannelGeometry, ClockDomain, PagePolicy, Policy, Refresh, RefreshManagement, SameBankOrder,
    SubChannelConfig, Timing,
};

/// Least clocks for a time: what 0.3 % less of it takes of the clock in whole picoseconds, rounded up.
fn clocks(ps: u64, data_rate_mts: u32) -> u32 {
    let tck_ps = u64::from(2_000_000 / data_rate_mts);
    let rounded = (ps * 997).div_ceil(1000 * tck_ps);
    u32::try_from(rounded).expect("a short time")
}

/// CL and tRCD = tRP in clocks.
fn bin(part: DeviceGrade) -> (u32, u32) {
    match (part.data_rate_mts, part.bin) {
        (4000, BinGrade::A) => (28, 28),
        (4000, BinGrade::B) => (32, 32),
        (4400, BinGrade::A) => (32, 32),
        (4400, BinGrade::B) => (36, 36),
        (4800, BinGrade::A) => (34, 34),
        (4800, BinGrade::B) => (40, 39),
        (5600, BinGrade::A) => (40, 40),
        (5600, BinGrade::B) => (46, 45),
        (6400, BinGrade::A) => (46, 46),
        (6400, BinGrade::B) => (52, 52),
        (rate, _) => panic!("no bin of {rate} MT/s"),
    }
}

/// The part's timings, with the controller of `memory`.
pub(crate) fn timing(part: DeviceGrade, memory: &CheckedChannel) -> Timing {
    let (rate, controller) = (part.data_rate_mts, &memory.controller);
    let ns = |tenths: u64| clocks(tenths * 100, rate);
    let (cl, row) = bin(part);
    let (cwl, burst) = (cl - 2, 8);
    let write = match part.width {
        Width::X4 => ns(200).max(32),
        Width::X8 => ns(100).max(16),
    };
    let (rfc, rfc_dlr, rfc_sb) = match part.density {
        Density::Gb16 => (2950, 1000, 1300),
        Density::Gb24 | Density::Gb32 => (4100, 1400, 1900),
    };
    Timing {
        cl,
        cwl,
        burst,
        rcd: row,
        rp: row,
        ras: ns(320),
        rc: ns(320) + row,
        rtp: ns(75).max(12),
        wr: ns(300),
        ccd_s: 8,
        ccd_m: ns(50).max(8),
        ccd_l: ns(50).max(8),
        ccd_s_wr: 8,
        ccd_m_wr: write,
        ccd_l_wr: write,
        wtr_s: ns(25).max(4),
        wtr_m: ns(100).max(16),
        wtr_l: ns(100).max(16),
        rtw: cl + burst + controller.read_to_write_gap - cwl,
        rrd_s: 8,
        rrd_l: ns(50).max(8),
        faw: 32,
        ppd: 2,
        rrd_dlr: 4,
        faw_dlr: 16,
        rank_gap: controller.rank_gap,
        pair_burst: controller.pair_burst,
        pair_rtw: controller.pair_read_to_write,
        pair_wtr: controller.pair_write_to_read,
        // 3.9 µs and 487.5 ns, which must not be exceeded.
        refi: 39 * rate / 20,
        rfc: ns(rfc),
        rfc_dlr: ns(rfc_dlr),
        refi_sb: 39 * rate / 160,
        rfc_sb: ns(rfc_sb),
        refsb_gap: ns(rfc_sb),
        refsbrd: ns(300),
        pd: ns(75).max(8),
        xp: ns(75).max(8),
        pden: 2,
        long_command: 2,
        column_command: 2,
    }
}

/// LPDDR5X-8533, with the controller of `memory`. Read data end 23 + 6 clocks behind RD, and written data begin 12
/// behind WR.
pub(crate) fn lpddr5x(memory: &CheckedChannel) -> Timing {
    let controller = &memory.controller;
    Timing {
        rtw: 23 + 6 + controller.read_to_write_gap - 12,
        rank_gap: controller.rank_gap + 2,
        ..lpddr5x_8533()
    }
}

/// HBM3-6400, with the controller of `memory`.
pub(crate) fn hbm3(memory: &CheckedChannel) -> Timing {
    let controller = &memory.controller;
    Timing {
        rtw: 26 + 6 + controller.read_to_write_gap - 8,
        rank_gap: controller.rank_gap + 2,
        ..hbm3_6400()
    }
}

/// Queues of 32 reads and 64 writes, open pages; refresh and command buses as the memory says.
pub(crate) fn policy(memory: &CheckedChannel) -> Policy {
    let ranks = usize::from(memory.shape.pseudo_channels) * usize::from(memory.shape.ranks);
    Policy {
        scheduler: wordline_dram::scheduler::SchedulerName::FrFcfs,
        read_queue: 32,
        write_queue: 64,
        shared_queues: false,
        shared_commands: memory.controller.shared_commands,
        drain_high: 48,
        drain_low: 16,
        age_cap: 64,
        turn_lookahead: 0,
        turn_hits_max: 0,
        turn_early: false,
        bus_loss_permille: 0,
        bus_loss_waits_max: 16,
        page: PagePolicy::Open,
        refresh: match memory.controller.refresh {
            RefreshMode::Off => Refresh::Off,
            RefreshMode::AllBank => Refresh::AllBank,
            RefreshMode::SameBank => Refresh::SameBank,
        },
        same_bank_order: SameBankOrder::RoundRobin,
        refresh_postponed_max: memory.controller.postponed_max,
        refresh_pulled_in_max: memory.controller.ahead_max,
        refresh_aside: 0,
        rfm: memory.controller.counted.map(|of| RefreshManagement {
            raaimt: of.less_by_rfm,
            raammt: of.most,
            raadec: of.less_by_refresh,
            clocks: of.rfm,
        }),
        refresh_phase: vec![0; ranks],
        power_down: None,
    }
}

/// A sub-channel of the memory's shape.
pub(crate) fn config(memory: &CheckedChannel, timing: Timing, policy: Policy) -> SubChannelConfig {
    let shape = memory.shape;
    SubChannelConfig {
        clock: ClockDomain {
            data_rate_mts: memory.data_rate_mts,
            beats: memory.parameters.beats,
        },
        geometry: ChannelGeometry {
            pseudo_channels: shape.pseudo_channels,
            ranks: shape.ranks,
            slices: shape.slices,
            groups: shape.groups,
            banks: shape.banks,
            refresh_sets: shape.refresh_sets,
            rows: 3 << 14,
            columns: 64,
        },
        timing,
        policy,
    }
}
