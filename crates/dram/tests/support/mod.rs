//! What several tests of a sub-channel share: configurations from the facts, dice, a recorder.

// Every test target compiles its own copy, and none needs all of it.
#![allow(dead_code)]

pub(crate) mod cases;

use wordline_core::draw::{Purpose, draw};
use wordline_dram::{
    ChannelGeometry, ClockDomain, Issued, Location, Observer, PagePolicy, Policy, Refresh, Request,
    RequestKind, SameBankOrder, ServedRequest, SubChannelConfig, Timing,
};

/// DDR5-6400, bin B (52-52-52), 16 Gb x8, 1 KB pages; tCK 0.3125 ns. Each figure is worked out from its rule in
/// `docs/evidence/ddr5-limits.md`.
pub(crate) fn ddr5_6400() -> Timing {
    Timing {
        cl: 52,
        cwl: 50,
        burst: 8,
        rcd: 52,
        rp: 52,
        ras: 103,
        rc: 155,
        rtp: 24,
        wr: 96,
        ccd_s: 8,
        ccd_m: 16,
        ccd_l: 16,
        ccd_s_wr: 8,
        ccd_m_wr: 32,
        ccd_l_wr: 32,
        wtr_s: 8,
        wtr_m: 32,
        wtr_l: 32,
        rtw: 14,
        rrd_s: 8,
        rrd_l: 16,
        faw: 32,
        ppd: 2,
        rrd_dlr: 4,
        faw_dlr: 16,
        rank_gap: 2,
        pair_burst: 4,
        pair_rtw: 8,
        pair_wtr: 8,
        refi: 12_480,
        rfc: 944,
        rfc_dlr: 316,
        refi_sb: 1_560,
        rfc_sb: 416,
        refsb_gap: 416,
        refsbrd: 96,
        pd: 24,
        xp: 24,
        pden: 2,
        long_command: 2,
        column_command: 2,
    }
}

/// DDR5-4400, bin B (36-36-36), 16 Gb x8, as in an MRDIMM-8800; tCK 0.4545… ns.
pub(crate) fn ddr5_4400() -> Timing {
    Timing {
        cl: 36,
        cwl: 34,
        rcd: 36,
        rp: 36,
        ras: 71,
        rc: 107,
        rtp: 17,
        wr: 66,
        ccd_m: 11,
        ccd_l: 11,
        ccd_m_wr: 22,
        ccd_l_wr: 22,
        wtr_s: 6,
        wtr_m: 22,
        wtr_l: 22,
        rrd_l: 11,
        refi: 8_580,
        rfc: 649,
        rfc_dlr: 217,
        refi_sb: 1_072,
        rfc_sb: 286,
        refsb_gap: 286,
        refsbrd: 66,
        pd: 17,
        xp: 17,
        ..ddr5_6400()
    }
}

/// LPDDR5X-8533 by hand. A clock is 8 / 8533 µs. A line is two bursts of 2 clocks, 4 clocks apart: its data end 6 clocks
/// behind the first beat, two more than it takes of the bus, and CL and CWL are longer by these two, as is the gap
/// between ranks.
pub(crate) fn lpddr5x_8533() -> Timing {
    Timing {
        cl: 23 + 2,
        cwl: 12 + 2,
        burst: 4,
        rcd: 20,
        rp: 20,
        ras: 45,
        rc: 65,
        rtp: 4 + 8,
        wr: 37,
        ccd_s: 4,
        ccd_m: 8,
        ccd_l: 8,
        ccd_s_wr: 4,
        ccd_m_wr: 8,
        ccd_l_wr: 8,
        wtr_s: 7,
        wtr_m: 13,
        wtr_l: 13,
        rtw: 23 + 6 + 2 - 12,
        rrd_s: 6,
        rrd_l: 6,
        faw: 22,
        ppd: 2,
        rrd_dlr: 6,
        faw_dlr: 22,
        rank_gap: 2 + 2,
        pair_burst: 0,
        pair_rtw: 0,
        pair_wtr: 1,
        refi: 4166,
        rfc: 406,
        rfc_dlr: 406,
        refi_sb: 520,
        rfc_sb: 224,
        refsb_gap: 96,
        refsbrd: 9,
        pd: 8,
        xp: 8,
        pden: 2,
        long_command: 2,
        column_command: 1,
    }
}

/// HBM3-6400 by hand. A clock is 625 ps. A line is two bursts, as in [`lpddr5x_8533`].
pub(crate) fn hbm3_6400() -> Timing {
    Timing {
        cl: 26 + 2,
        cwl: 8 + 2,
        rcd: 26,
        rp: 26,
        ras: 48,
        rc: 74,
        rtp: 4 + 6,
        wr: 24,
        wtr_s: 8,
        wtr_m: 12,
        wtr_l: 12,
        rtw: 26 + 6 + 2 - 8,
        rrd_s: 8,
        rrd_l: 8,
        faw: 24,
        refi: 6240,
        rfc: 560,
        rfc_dlr: 560,
        refi_sb: 390,
        rfc_sb: 320,
        refsb_gap: 13,
        refsbrd: 13,
        pd: 12,
        xp: 12,
        pden: 1,
        long_command: 1,
        ..lpddr5x_8533()
    }
}

/// One rank of 8 groups × 4 banks × 65536 rows of 1 KB a device: 128 lines a row. Open pages, no refresh, 32 read and
/// 64 write entries.
pub(crate) fn one_rank(timing: Timing) -> SubChannelConfig {
    SubChannelConfig {
        clock: ClockDomain::double(6_400),
        geometry: ChannelGeometry {
            pseudo_channels: 1,
            ranks: 1,
            slices: 1,
            groups: 8,
            banks: 4,
            refresh_sets: 4,
            rows: 65_536,
            columns: 128,
        },
        timing,
        policy: Policy {
            scheduler: wordline_dram::scheduler::SchedulerName::FrFcfs,
            read_queue: 32,
            write_queue: 64,
            shared_queues: false,
            shared_commands: false,
            drain_high: 48,
            drain_low: 16,
            age_cap: 64,
            turn_lookahead: 0,
            turn_hits_max: 0,
            turn_early: false,
            bus_loss_permille: 0,
            bus_loss_waits_max: 16,
            page: PagePolicy::Open,
            refresh: Refresh::Off,
            same_bank_order: SameBankOrder::RoundRobin,
            refresh_postponed_max: 0,
            refresh_pulled_in_max: 0,
            refresh_aside: 0,
            rfm: None,
            refresh_phase: vec![0],
            power_down: None,
        },
    }
}

/// A place on the first pseudo-channel's first rank.
pub(crate) fn place(group: u8, bank: u8, row: u32, column: u16) -> Location {
    Location {
        group,
        bank,
        row,
        column,
        ..Location::default()
    }
}

/// A read.
pub(crate) fn read(id: u64, location: Location, arrival: u64) -> Request {
    Request {
        id,
        kind: RequestKind::Read,
        location,
        arrival,
    }
}

/// A write.
pub(crate) fn write(id: u64, location: Location, arrival: u64) -> Request {
    Request {
        id,
        kind: RequestKind::Write,
        location,
        arrival,
    }
}

/// Remembers everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) commands: Vec<Issued>,
    pub(crate) served: Vec<ServedRequest>,
    /// Writes that were accepted, with their clocks.
    pub(crate) accepted: Vec<(u64, u64)>,
}

impl Observer for Recorder {
    const WAITS: bool = true;

    fn command(&mut self, issued: &Issued) {
        self.commands.push(*issued);
    }

    fn accepted(&mut self, id: u64, kind: RequestKind, at: u64) {
        if kind == RequestKind::Write {
            self.accepted.push((id, at));
        }
    }

    fn served(&mut self, served: &ServedRequest) {
        self.served.push(*served);
    }
}

/// A seed's numbers, one after the other.
pub(crate) struct Dice {
    seed: u64,
    thrown: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, thrown: 0 }
    }

    fn next(&mut self) -> u64 {
        self.thrown += 1;
        draw(self.seed, self.thrown, 0, Purpose::Address)
    }

    /// From `least` to `most`, both included.
    pub(crate) fn between(&mut self, least: u32, most: u32) -> u32 {
        let choices = u64::from(most - least) + 1;
        least + (self.next() % choices) as u32
    }

    /// The same for places and other small numbers.
    pub(crate) fn below(&mut self, end: u8) -> u8 {
        self.between(0, u32::from(end) - 1) as u8
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        self.between(1, n) == 1
    }

    /// One of several.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.between(0, from.len() as u32 - 1) as usize]
    }
}
