//! Two systems to try things on: DDR5-6400 2Rx8 of 16 Gb dies and an MRDIMM-8800 2Rx4 of the same dies, 12 channels
//! each. Round figures by the rules that public DDR5 sources state (speed bin B); what no source states is plain
//! guesswork that serves tests alone. The catalogue has the real ones.

use super::dram::{
    AddressField, AddressHash, AddressMapping, ChannelGeometry, ClockDomain, CoreConfig, Digit,
    Policy, RefreshStagger, SubChannelConfig, SystemConfig, Timing, Topology,
};

/// 12 channels of DDR5-6400, two ranks of x8 dies.
pub(crate) fn rdimm_6400() -> SystemConfig {
    let geometry = SubChannelConfig::ddr5_6400().geometry;
    system(6400, geometry, timing_6400(), 0)
}

/// 12 channels of MRDIMM-8800, two ranks of x4 dies, which are the two pseudo-channels.
pub(crate) fn mrdimm_8800() -> SystemConfig {
    let geometry = ChannelGeometry {
        pseudo_channels: 2,
        ranks: 1,
        slices: 1,
        groups: 8,
        banks: 4,
        refresh_sets: 4,
        rows: 65_536,
        columns: 128,
    };
    system(4400, geometry, timing_4400(), 2_000)
}

fn system(
    rate: u32,
    geometry: ChannelGeometry,
    timing: Timing,
    module_delay_ps: u64,
) -> SystemConfig {
    let mapping = mapping(&geometry);
    let policy = policy(&geometry, timing.refi);
    SystemConfig {
        channels: 12,
        sub_channels: 2,
        sub_channel: SubChannelConfig {
            clock: ClockDomain::double(rate),
            geometry,
            timing,
            policy,
        },
        mapping,
        refresh_stagger: RefreshStagger::Even,
        module_delay_ps,
        cores: CoreConfig {
            cores: 128,
            misses: 48,
            fill_buffers: None,
            lines_per_pause: 1,
            clock_hz: 2_700_000_000,
            request_path_ps: 30_000,
            return_path_ps: 35_000,
            page_bytes: 4096,
            write_back_bytes: 2 << 20,
        },
        topology: Topology::default(),
    }
}

/// 256 bytes in a row, then sub-channels, channels, pseudo-channels and bank groups, the rest of the row, banks, ranks.
fn mapping(geometry: &ChannelGeometry) -> AddressMapping {
    let digit = |field, radix| Digit { field, radix };
    AddressMapping {
        digits: vec![
            digit(AddressField::Column, 4),
            digit(AddressField::SubChannel, 2),
            digit(AddressField::Channel, 12),
            digit(AddressField::PseudoChannel, geometry.pseudo_channels.into()),
            digit(AddressField::Group, geometry.groups.into()),
            digit(AddressField::Column, u32::from(geometry.columns) / 4),
            digit(AddressField::Bank, geometry.banks.into()),
            digit(AddressField::Rank, geometry.ranks.into()),
            digit(AddressField::Row, geometry.rows),
        ],
        hash: AddressHash::on(),
    }
}

fn policy(geometry: &ChannelGeometry, refi: u32) -> Policy {
    let ranks = u32::from(geometry.pseudo_channels) * u32::from(geometry.ranks);
    Policy {
        age_cap: 64,
        refresh_phase: (1..=ranks).map(|rank| rank * (refi / ranks)).collect(),
        ..SubChannelConfig::ddr5_6400().policy
    }
}

fn timing_6400() -> Timing {
    Timing {
        pair_burst: 8,
        pair_rtw: 14,
        pair_wtr: 8,
        ..SubChannelConfig::ddr5_6400().timing
    }
}

fn timing_4400() -> Timing {
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
        ccd_m_wr: 44,
        ccd_l_wr: 44,
        wtr_s: 6,
        wtr_m: 22,
        wtr_l: 22,
        rrd_l: 11,
        pair_burst: 4,
        refi: 8_580,
        rfc: 649,
        rfc_dlr: 217,
        refi_sb: 1_072,
        rfc_sb: 286,
        refsb_gap: 286,
        refsbrd: 66,
        pd: 17,
        xp: 17,
        ..timing_6400()
    }
}
