//! One sub-channel to begin with, by hand.

use crate::config::{
    ChannelGeometry, ClockDomain, PagePolicy, Policy, Refresh, SameBankOrder, SubChannelConfig,
};
use crate::timing::Timing;

impl SubChannelConfig {
    /// DDR5-6400 in bin B (52-52-52), two ranks of x8 devices of 16 Gb, open pages, 32 read and 64 write entries, REFab:
    /// for examples and benches. The rules are those that open simulators restate of JESD79-5B, as the sheet
    /// `ddr5-16gb` of `wordline-catalog` has them with a source each.
    #[must_use]
    pub fn ddr5_6400() -> Self {
        Self {
            clock: ClockDomain::double(6400),
            geometry: ChannelGeometry {
                pseudo_channels: 1,
                ranks: 2,
                slices: 1,
                groups: 8,
                banks: 4,
                refresh_sets: 4,
                rows: 65_536,
                columns: 64,
            },
            timing: Timing {
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
                rrd_dlr: 8,
                faw_dlr: 32,
                rank_gap: 2,
                pair_burst: 0,
                pair_rtw: 0,
                pair_wtr: 0,
                refi: 12_480,
                rfc: 944,
                rfc_dlr: 314,
                refi_sb: 1560,
                rfc_sb: 416,
                refsb_gap: 416,
                refsbrd: 96,
                pd: 24,
                xp: 24,
                pden: 2,
                long_command: 2,
                column_command: 2,
            },
            policy: Policy {
                scheduler: crate::scheduler::SchedulerName::FrFcfs,
                read_queue: 32,
                write_queue: 64,
                shared_queues: false,
                shared_commands: false,
                drain_high: 48,
                drain_low: 16,
                age_cap: 128,
                turn_lookahead: 0,
                turn_hits_max: 0,
                turn_early: false,
                bus_loss_permille: 0,
                bus_loss_waits_max: 16,
                page: PagePolicy::Open,
                refresh: Refresh::AllBank,
                same_bank_order: SameBankOrder::RoundRobin,
                refresh_postponed_max: 0,
                refresh_pulled_in_max: 0,
                refresh_aside: 0,
                rfm: None,
                refresh_phase: vec![6240, 12_480],
                power_down: None,
            },
        }
    }
}
