//! The two public sets of a 16 Gb die, which differ about threefold, and runs by hand.

use wordline_dram::{
    Command, Currents, EnergyCounts, EnergyMeter, Issued, Location, Observer, RailCurrents,
    SubChannelConfig,
};

/// A rail that is not there.
pub(crate) const NO_RAIL: RailCurrents = RailCurrents {
    volts: 0.0,
    i0: 0.0,
    i2n: 0.0,
    i2p: 0.0,
    i3n: 0.0,
    i3p: 0.0,
    i4r: 0.0,
    i4w: 0.0,
    i5b: 0.0,
    i5c: 0.0,
};

/// One device, and nothing else that takes energy.
pub(crate) fn bare(vdd: RailCurrents, vpp: RailCurrents) -> Currents {
    Currents {
        vdd,
        vpp,
        data_rate_mts: 4800,
        open_share: 0.0,
        devices: 1,
        io_read_j: 0.0,
        io_write_j: 0.0,
        buffer_w: 0.0,
        buffer_line_j: 0.0,
        pmic_efficiency: 1.0,
    }
}

/// Set (a): gem5's, which cites a sheet at 4800 MT/s. It has no IPP.
pub(crate) fn set_a() -> Currents {
    let vdd = RailCurrents {
        volts: 1.1,
        i0: 0.122,
        i2n: 0.092,
        i2p: 0.088,
        i3n: 0.142,
        i3p: 0.140,
        i4r: 0.530,
        i4w: 0.479,
        i5b: 0.277,
        i5c: 0.135,
    };
    bare(vdd, NO_RAIL)
}

/// Set (b). It has no power-down, which is taken to save nothing, and no REFsb, which is taken to cost nothing.
pub(crate) fn set_b() -> Currents {
    let vdd = RailCurrents {
        volts: 1.1,
        i0: 0.060,
        i2n: 0.050,
        i2p: 0.050,
        i3n: 0.055,
        i3p: 0.055,
        i4r: 0.145,
        i4w: 0.145,
        i5b: 0.362,
        i5c: 0.050,
    };
    let standby = 0.003;
    let vpp = RailCurrents {
        volts: 1.8,
        i0: standby,
        i2n: standby,
        i2p: standby,
        i3n: standby,
        i3p: standby,
        i4r: standby,
        i4w: standby,
        i5b: 0.048,
        i5c: standby,
    };
    bare(vdd, vpp)
}

/// Commands to rank 0 by hand: clock, command, bank group, bank.
pub(crate) type Script = Vec<(u64, Command, u8, u8)>;

/// What a meter counts of a script between two clocks.
pub(crate) fn counted(
    config: &SubChannelConfig,
    script: &[(u64, Command, u8, u8)],
    from: u64,
    until: u64,
) -> EnergyCounts {
    let mut meter = EnergyMeter::new(config);
    let mut begun = false;
    for &(at, command, group, bank) in script {
        if at >= from && !begun {
            meter.begin(from);
            begun = true;
        }
        let location = Location {
            group,
            bank,
            ..Location::default()
        };
        meter.command(&Issued {
            at,
            command,
            location,
            request: None,
        });
    }
    if !begun {
        meter.begin(from);
    }
    meter.end(until)
}
