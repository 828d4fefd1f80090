//! Memories that several tests check.

use wordline_dram::checker::{
    BankShape, BinGrade, CheckedChannel, Checker, ControllerRules, Density, DeviceGrade,
    Parameters, RefreshMode, Width, hbm3_6400, lpddr5x_8533,
};
use wordline_dram::{Command, Issued, Location};

/// Controller parameters that keep every rule apart from every other.
pub(crate) fn controller(refresh: RefreshMode) -> ControllerRules {
    ControllerRules {
        rank_gap: 3,
        read_to_write_gap: 2,
        pair_burst: 8,
        pair_read_to_write: 14,
        pair_write_to_read: 20,
        shared_commands: false,
        refresh,
        postponed_max: 1_000_000,
        ahead_max: 0,
        counted: None,
    }
}

pub(crate) fn memory(part: DeviceGrade, shape: BankShape, refresh: RefreshMode) -> CheckedChannel {
    CheckedChannel {
        data_rate_mts: part.data_rate_mts,
        shape,
        parameters: part.parameters().expect("a rate with bins"),
        controller: controller(refresh),
    }
}

pub(crate) fn part(
    data_rate_mts: u32,
    density: Density,
    width: Width,
    bin: BinGrade,
) -> DeviceGrade {
    DeviceGrade {
        data_rate_mts,
        density,
        width,
        bin,
    }
}

pub(crate) fn shape(pseudo_channels: u8, ranks: u8, slices: u8) -> BankShape {
    BankShape {
        pseudo_channels,
        ranks,
        slices,
        groups: 8,
        banks: 4,
        refresh_sets: 4,
    }
}

pub(crate) fn issued(at: u64, command: Command, location: Location) -> Issued {
    Issued {
        at,
        command,
        location,
        request: None,
    }
}

/// Checks commands and wants them legal.
pub(crate) fn legal(checker: &mut Checker, commands: &[(u64, Command, Location)]) {
    for &(at, command, location) in commands {
        if let Err(violation) = checker.check(&issued(at, command, location)) {
            panic!("must be legal: {violation}");
        }
    }
}

/// The name of the rule that a command violates.
pub(crate) fn violated(
    checker: &mut Checker,
    at: u64,
    command: Command,
    location: Location,
) -> Option<&'static str> {
    let result = checker.check(&issued(at, command, location));
    result.err().map(|violation| violation.fault.rule())
}

/// The devices of [`memory_named`].
pub(crate) fn part_named(name: &str) -> DeviceGrade {
    match name {
        "rdimm" | "stacked" | "stack" => part(6400, Density::Gb16, Width::X4, BinGrade::A),
        "same_bank" => part(6400, Density::Gb32, Width::X8, BinGrade::B),
        "mrdimm" => part(4400, Density::Gb24, Width::X4, BinGrade::A),
        _ => panic!("no memory {name}"),
    }
}

/// Four groups of four banks a rank, refreshed by sets.
fn of_sixteen_banks(
    data_rate_mts: u32,
    parameters: Parameters,
    ranks: u8,
    refresh_sets: u8,
    refresh: RefreshMode,
) -> CheckedChannel {
    CheckedChannel {
        data_rate_mts,
        shape: BankShape {
            groups: 4,
            refresh_sets,
            ..shape(1, ranks, 1)
        },
        parameters,
        controller: controller(refresh),
    }
}

/// LPDDR5X-8533, pairs of banks refreshed.
pub(crate) fn lpddr5x(ranks: u8, refresh: RefreshMode) -> CheckedChannel {
    of_sixteen_banks(8533, lpddr5x_8533(), ranks, 8, refresh)
}

/// A pseudo-channel of HBM3-6400, single banks refreshed; stack IDs are ranks.
pub(crate) fn hbm3(ranks: u8, refresh: RefreshMode) -> CheckedChannel {
    of_sixteen_banks(6400, hbm3_6400(), ranks, 16, refresh)
}

/// Two ranks refreshed all banks at a time; the same by bank index; the half-rate DRAM of an MRDIMM-8800, two ranks on
/// each of two pseudo-channels; two stacks of two dies; and one.
pub(crate) fn memory_named(name: &str) -> CheckedChannel {
    let (shape, refresh) = match name {
        "rdimm" => (shape(1, 2, 1), RefreshMode::AllBank),
        "same_bank" => (shape(1, 2, 1), RefreshMode::SameBank),
        "mrdimm" => (shape(2, 2, 1), RefreshMode::AllBank),
        "stacked" => (shape(1, 4, 2), RefreshMode::AllBank),
        "stack" => (shape(1, 2, 2), RefreshMode::AllBank),
        _ => panic!("no memory {name}"),
    };
    memory(part_named(name), shape, refresh)
}
