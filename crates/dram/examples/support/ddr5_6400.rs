//! DDR5-6400, bin B, two ranks of x8 devices of 16 Gb: one channel with two sub-channels, by hand. `wordline-catalog`
//! has sheets of real modules and systems, which become the same structs.

use wordline_dram::{
    AddressField, AddressHash, AddressMapping, CoreConfig, Digit, RefreshStagger, SubChannelConfig,
    SystemConfig, Topology,
};

/// Both sub-channels behind one mapping, lines of 64 bytes in turn.
pub(crate) fn channel() -> SystemConfig {
    let digit = |field, radix| Digit { field, radix };
    SystemConfig {
        channels: 1,
        sub_channels: 2,
        sub_channel: SubChannelConfig::ddr5_6400(),
        mapping: AddressMapping {
            digits: vec![
                digit(AddressField::SubChannel, 2),
                digit(AddressField::Group, 8),
                digit(AddressField::Column, 64),
                digit(AddressField::Rank, 2),
                digit(AddressField::Bank, 4),
                digit(AddressField::Row, 65_536),
            ],
            hash: AddressHash::on(),
        },
        refresh_stagger: RefreshStagger::Even,
        module_delay_ps: 500,
        cores: CoreConfig {
            cores: 8,
            fill_buffers: None,
            lines_per_pause: 1,
            misses: 48,
            clock_hz: 4_000_000_000,
            request_path_ps: 0,
            return_path_ps: 0,
            page_bytes: 2 << 20,
            write_back_bytes: 2 << 20,
        },
        topology: Topology::default(),
    }
}
