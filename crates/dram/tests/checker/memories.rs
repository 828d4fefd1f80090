//! Memories that several tests check.

use wordline_dram::checker::{
    Bin, Checker, Controller, Density, Memory, Part, RefreshMode, Shape, Width,
};
use wordline_dram::{Command, Issued, Location};

/// Controller parameters that keep every rule apart from every other.
pub(crate) fn controller(refresh: RefreshMode) -> Controller {
    Controller {
        rank_gap: 3,
        read_to_write_gap: 2,
        pair_burst: 8,
        pair_read_to_write: 14,
        pair_write_to_read: 20,
        shared_commands: false,
        refresh,
        postponed_max: 1_000_000,
        ahead_max: 0,
    }
}

pub(crate) fn memory(part: Part, shape: Shape, refresh: RefreshMode) -> Memory {
    Memory {
        data_rate_mts: part.data_rate_mts,
        shape,
        parameters: part.parameters().expect("a rate with bins"),
        controller: controller(refresh),
    }
}

pub(crate) fn part(data_rate_mts: u32, density: Density, width: Width, bin: Bin) -> Part {
    Part {
        data_rate_mts,
        density,
        width,
        bin,
    }
}

pub(crate) fn shape(pseudo_channels: u8, ranks: u8, slices: u8) -> Shape {
    Shape {
        pseudo_channels,
        ranks,
        slices,
        groups: 8,
        banks: 4,
    }
}

/// DDR5-6400 x4, 16 Gb, bin A, two ranks, refreshed all banks at a time.
pub(crate) fn rdimm() -> Memory {
    let part = part(6400, Density::Gb16, Width::X4, Bin::A);
    memory(part, shape(1, 2, 1), RefreshMode::AllBank)
}

/// DDR5-6400 x8, 32 Gb, bin B, two ranks, refreshed one bank index at a time.
pub(crate) fn same_bank() -> Memory {
    let part = part(6400, Density::Gb32, Width::X8, Bin::B);
    memory(part, shape(1, 2, 1), RefreshMode::SameBank)
}

/// The half-rate DRAM of an MRDIMM-8800: 4400 x4, 24 Gb, bin A, two ranks on each of two pseudo-channels.
pub(crate) fn mrdimm() -> Memory {
    let part = part(4400, Density::Gb24, Width::X4, Bin::A);
    memory(part, shape(2, 2, 1), RefreshMode::AllBank)
}

/// As [`rdimm`], with stacks of two dies.
pub(crate) fn stacked() -> Memory {
    let part = part(6400, Density::Gb16, Width::X4, Bin::A);
    memory(part, shape(1, 4, 2), RefreshMode::AllBank)
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

/// By the name of its function.
pub(crate) fn memory_named(name: &str) -> Memory {
    match name {
        "rdimm" => rdimm(),
        "same_bank" => same_bank(),
        "mrdimm" => mrdimm(),
        "stacked" => stacked(),
        _ => panic!("no memory {name}"),
    }
}
