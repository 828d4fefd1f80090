//! Every loop in which JESD79-5 measures a current, run through meter and model, gives that current back.

use wordline_dram::{Command, Currents, RailCurrents, SubChannelConfig, energy};

use crate::observers::currents::{NO_RAIL, Script, bare, counted, set_a, set_b};
use crate::observers::runs::ddr5_6400;

fn one_rank() -> SubChannelConfig {
    let mut config = ddr5_6400();
    config.geometry.ranks = 1;
    config
}

/// Mean amps of a script between two clocks.
fn amps(currents: &Currents, script: &Script, from: u64, until: u64) -> f64 {
    let config = one_rank();
    let joules = energy(&counted(&config, script, from, until), currents, &config).total();
    let seconds = (until - from) as f64 / 3.2e9;
    let volts = currents.vdd.volts + currents.vpp.volts;
    joules / seconds / volts
}

/// Every bank opened, from clock 0 on; the last ACT comes at clock 496.
fn all_open() -> Script {
    let banks = (0..8).flat_map(|group| (0..4).map(move |bank| (group, bank)));
    let act = |(place, (group, bank))| (place * 16, Command::Act, group, bank);
    (0u64..).zip(banks).map(act).collect()
}

/// A command every so many clocks, a hundred times, to one bank after the other.
fn repeated(script: Script, command: Command, from: u64, every: u64) -> Script {
    let more = (0..100).map(|turn| (from + turn * every, command, turn as u8 % 8, 0));
    script.into_iter().chain(more).collect()
}

/// ACT and PRE of one bank after the other every tRC.
fn act_pre() -> Script {
    let pair = |turn: u64| {
        let (at, group) = (turn * 155, turn as u8 % 8);
        [
            (at, Command::Act, group, 0),
            (at + 103, Command::PrePb, group, 0),
        ]
    };
    (0..100).flat_map(pair).collect()
}

/// Name, script, first and last clock of the loop, and the current that the sheet states.
fn loops(rail: &RailCurrents) -> Vec<(&'static str, Script, u64, u64, f64)> {
    let (read, write) = (Command::Rd, Command::Wr);
    let mut all_down = all_open();
    all_down.push((900, Command::Pde, 0, 0));
    vec![
        ("0", act_pre(), 0, 15_500, rail.i0),
        ("2N", vec![], 1000, 2000, rail.i2n),
        ("2P", vec![(0, Command::Pde, 0, 0)], 1000, 2000, rail.i2p),
        ("3N", all_open(), 1000, 2000, rail.i3n),
        ("3P", all_down, 1000, 2000, rail.i3p),
        (
            "4R",
            repeated(all_open(), read, 1000, 8),
            1000,
            1800,
            rail.i4r,
        ),
        (
            "4W",
            repeated(all_open(), write, 1000, 8),
            1000,
            1800,
            rail.i4w,
        ),
        (
            "5B",
            repeated(vec![], Command::RefAb, 1000, 944),
            1000,
            95_400,
            rail.i5b,
        ),
        (
            "5C",
            repeated(vec![], Command::RefSb, 1000, 416),
            1000,
            42_600,
            rail.i5c,
        ),
    ]
}

#[test]
fn every_loop_gives_its_current_back() {
    for set in [set_a(), set_b()] {
        for open_share in [0.0, 0.3, 0.8] {
            for currents in [
                bare(set.vdd.clone(), NO_RAIL),
                bare(NO_RAIL, set.vpp.clone()),
            ] {
                let currents = Currents {
                    open_share,
                    data_rate_mts: 6400,
                    ..currents
                };
                let vdd = currents.vdd.volts > 0.0;
                let rail = if vdd { &currents.vdd } else { &currents.vpp };
                if rail.volts == 0.0 {
                    continue;
                }
                for (name, script, from, until, stated) in loops(rail) {
                    let got = amps(&currents, &script, from, until);
                    assert!(
                        (got / stated - 1.0).abs() < 1e-12,
                        "{name} at {open_share}: {got} A against {stated} A"
                    );
                }
            }
        }
    }
}
