//! DDR5-6400, bin B, two ranks of x8 devices of 16 Gb: one channel with two sub-channels, by hand. `wordline-catalog`
//! has sheets of real modules and systems, which become the same structs.

use wordline_dram::{
    Clock, CoreConfig, Digit, Field, Geometry, Mapping, PagePolicy, Policy, Refresh,
    RefreshStagger, SubChannelConfig, SystemConfig, Timing,
};

/// One sub-channel with its controller.
pub(crate) fn ddr5_6400() -> SubChannelConfig {
    SubChannelConfig {
        clock: Clock {
            data_rate_mts: 6400,
        },
        geometry: Geometry {
            pseudo_channels: 1,
            ranks: 2,
            slices: 1,
            groups: 8,
            banks: 4,
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
            refsbrd: 96,
            pd: 24,
            xp: 24,
            pden: 2,
            long_command: 2,
        },
        policy: Policy {
            read_queue: 32,
            write_queue: 64,
            shared_queues: false,
            shared_commands: false,
            drain_high: 48,
            drain_low: 16,
            age_cap: 128,
            page: PagePolicy::Open,
            refresh: Refresh::AllBank,
            refresh_postponed_max: 0,
            refresh_phase: vec![6240, 12_480],
            power_down: None,
        },
    }
}

/// Both sub-channels behind one mapping, lines of 64 bytes in turn.
pub(crate) fn channel() -> SystemConfig {
    let digit = |field, radix| Digit { field, radix };
    SystemConfig {
        channels: 1,
        sub_channels: 2,
        sub_channel: ddr5_6400(),
        mapping: Mapping {
            digits: vec![
                digit(Field::SubChannel, 2),
                digit(Field::Group, 8),
                digit(Field::Column, 64),
                digit(Field::Rank, 2),
                digit(Field::Bank, 4),
                digit(Field::Row, 65_536),
            ],
            hash: true,
        },
        refresh_stagger: RefreshStagger::Even,
        module_delay_ps: 500,
        cores: CoreConfig {
            cores: 8,
            misses: 48,
            clock_hz: 4_000_000_000,
            request_path_ps: 0,
            return_path_ps: 0,
            page_bytes: 2 << 20,
            write_back_bytes: 2 << 20,
        },
    }
}
