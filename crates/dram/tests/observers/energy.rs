//! Energies that can be reckoned by hand.

use proptest::prelude::*;
use wordline_dram::{
    Command, Currents, EnergyBreakdown, EnergyCounts, EnergyPart, SubChannelConfig, energy,
};

use crate::observers::currents::{counted, set_a, set_b};
use crate::observers::runs::ddr5_6400;

/// One clock, seconds.
const CLOCK_S: f64 = 0.3125e-9;

fn assert_close(got: f64, expected: f64, what: &str) {
    let error = (got - expected).abs();
    assert!(
        error <= 1e-12 * expected.abs(),
        "{what}: {got} J against {expected} J"
    );
}

fn part(breakdown: &EnergyBreakdown, part: EnergyPart) -> f64 {
    breakdown.part(part)
}

#[test]
fn one_row_opened_read_and_closed() {
    let mut config = ddr5_6400();
    config.geometry.ranks = 1;
    let script = [
        (0, Command::Act, 0, 0),
        (52, Command::Rd, 0, 0),
        (103, Command::PrePb, 0, 0),
    ];
    let currents = Currents {
        devices: 5,
        ..set_a()
    };
    let counts = counted(&config, &script, 0, 155);
    let joules = energy(&counts, &currents, &config);
    // Five devices at 1.1 V; open for 103 clocks of 155. One open bank of 32 adds 50 mA / 32 to the 92 mA of none.
    let watts_to_joules = 5.0 * 1.1 * CLOCK_S;
    let open = 0.092 + 0.050 / 32.0;
    let standby = [0.092 * 52.0, open * 103.0].map(|charge| watts_to_joules * charge);
    assert_close(
        part(&joules, EnergyPart::PrechargeStandby),
        standby[0],
        "closed",
    );
    assert_close(part(&joules, EnergyPart::ActiveStandby), standby[1], "open");
    // What IDD0 takes in tRC above these.
    let activate = watts_to_joules * 0.122 * 155.0 - standby[0] - standby[1];
    assert_close(part(&joules, EnergyPart::Activate), activate, "activate");
    // 388 mA above IDD3N for eight clocks of 4800 MT/s: 7.1 nJ for 64 bytes with ECC.
    let read = 5.0 * 1.1 * 0.388 * 8.0 / 2.4e9;
    assert_close(part(&joules, EnergyPart::Read), read, "read");
    assert_close(
        joules.total(),
        standby[0] + standby[1] + activate + read,
        "total",
    );
}

#[test]
fn an_idle_hour() {
    let config = ddr5_6400();
    let hour = 3600 * 3_200_000_000;
    let joules = |script: &[(u64, Command, u8, u8)], currents: &Currents| {
        energy(&counted(&config, script, 0, hour), currents, &config)
    };
    // Two ranks of one device: 92 mA each at 1.1 V.
    let awake = joules(&[], &set_a());
    assert_close(awake.total(), 2.0 * 0.092 * 1.1 * 3600.0, "awake");
    // One of them powered down: 88 mA.
    let down = joules(&[(0, Command::Pde, 0, 0)], &set_a());
    assert_close(
        down.total(),
        (0.092 + 0.088) * 1.1 * 3600.0,
        "one rank powered down",
    );
    assert_close(
        part(&down, EnergyPart::PrechargePowerDown),
        0.088 * 1.1 * 3600.0,
        "its part",
    );
    // VPP adds 3 mA at 1.8 V; buffers of 2 W; a PMIC of 90 % takes a ninth of all that more.
    let module = Currents {
        buffer_w: 2.0,
        pmic_efficiency: 0.9,
        ..set_b()
    };
    let awake = joules(&[], &module);
    let devices = 2.0 * (0.050 * 1.1 + 0.003 * 1.8) * 3600.0;
    assert_close(
        part(&awake, EnergyPart::PrechargeStandby),
        devices,
        "devices",
    );
    assert_close(part(&awake, EnergyPart::Buffers), 7200.0, "buffers");
    assert_close(
        awake.total(),
        (devices + 7200.0) / 0.9,
        "with the PMIC's loss",
    );
}

#[test]
fn refresh_only() {
    let mut config = ddr5_6400();
    config.geometry.ranks = 1;
    // A thousand REFab, 3.9 us apart; set (a) takes 185 mA above standby for 295 ns each.
    let script: Vec<_> = (0..1000)
        .map(|turn| (turn * 12_480, Command::RefAb, 0, 0))
        .collect();
    let counts = counted(&config, &script, 0, 12_480_000);
    let joules = energy(&counts, &set_a(), &config);
    assert_close(
        part(&joules, EnergyPart::Refresh),
        1000.0 * 0.185 * 1.1 * 295e-9,
        "set (a)",
    );
    assert_close(
        joules.total() - part(&joules, EnergyPart::Refresh),
        0.092 * 1.1 * 3.9e-3,
        "rest",
    );
    // Set (b): 312 mA at 1.1 V and 45 mA at 1.8 V.
    let joules = energy(&counts, &set_b(), &config);
    let above = 0.312 * 1.1 + 0.045 * 1.8;
    assert_close(
        part(&joules, EnergyPart::Refresh),
        1000.0 * above * 295e-9,
        "set (b)",
    );
    // A measured part that begins in the middle of a tRFC has its half.
    let half = counted(&config, &script[..1], 472, 12_480);
    assert_eq!(
        (half.refresh_all_bank, half.count(Command::RefAb)),
        (472, 0)
    );
}

#[test]
fn lines_written_without_a_gap() {
    let config = ddr5_6400();
    let mut script = vec![(0, Command::Act, 0, 0)];
    script.extend((0..64).map(|turn| (100 + turn * 8, Command::Wr, 0, 0)));
    let module = Currents {
        devices: 10,
        io_write_j: 3e-9,
        io_read_j: 1.0,
        buffer_line_j: 2e-9,
        ..set_a()
    };
    let joules = energy(&counted(&config, &script, 0, 1000), &module, &config);
    let write = 64.0 * 10.0 * 1.1 * (0.479 - 0.142) * 8.0 / 2.4e9;
    assert_close(part(&joules, EnergyPart::Write), write, "write");
    assert_close(part(&joules, EnergyPart::Io), 64.0 * 3e-9, "io");
    assert_close(part(&joules, EnergyPart::Buffers), 64.0 * 2e-9, "buffers");
    assert_eq!(part(&joules, EnergyPart::Read), 0.0);
}

/// An auto-precharge may start long after its command: after tRAS, or after tWR.
#[test]
fn auto_precharge_closes_when_its_rules_allow() {
    let mut config = ddr5_6400();
    config.geometry.ranks = 1;
    let open = |script: &[(u64, Command, u8, u8)], until| {
        let counts = counted(&config, script, 0, until);
        assert_eq!(counts.active_standby, counts.open_standby);
        assert_eq!(counts.rank_clocks(), until);
        counts.open_standby
    };
    let act = (0, Command::Act, 0, 0);
    assert_eq!(open(&[act, (52, Command::Rda, 0, 0)], 1000), 103);
    assert_eq!(open(&[act, (90, Command::Rda, 0, 0)], 1000), 90 + 24);
    assert_eq!(
        open(&[act, (52, Command::Wra, 0, 0)], 1000),
        52 + 50 + 8 + 96
    );
    assert_eq!(open(&[act, (52, Command::Wra, 0, 0)], 150), 150);
}

/// With set (a) the background of the textbook, with IDD3N for one open bank, is more than IDD0: an ACT would *give*
/// energy. Bank-aware it takes some, with either set.
#[test]
fn an_activation_never_gives_energy() {
    let config = ddr5_6400();
    let textbook = |currents: &Currents| {
        let rail = &currents.vdd;
        let background = rail.i3n * 103.0 + rail.i2n * 52.0;
        rail.volts * (rail.i0 * 155.0 - background) * CLOCK_S
    };
    assert!(textbook(&set_a()) < 0.0);
    assert!(textbook(&set_b()) > 0.0);
    let one = counted(&config, &[(0, Command::Act, 0, 0)], 0, 1);
    for set in [set_a(), set_b()] {
        set.check(&config).expect("a set that agrees with itself");
        let joules = part(&energy(&one, &set, &config), EnergyPart::Activate);
        // 1.5 and 0.5 nJ a device.
        assert!((0.4e-9..1.7e-9).contains(&joules), "{joules}");
    }
    // All of IDD3N − IDD2N with the first open bank is the textbook again, and is refused.
    let textbook = Currents {
        open_share: 1.0,
        ..set_a()
    };
    let error = textbook.check(&config).expect_err("a negative activation");
    assert_eq!(error.what, "currents.vdd");
    assert!(error.problem.contains("IDD0 is 0.122 A"), "{error}");
}

/// A way to spoil a set, and the figure that is to be named.
type Spoilt = (fn(&mut Currents), &'static str, &'static str);

#[test]
fn currents_that_contradict_each_other_are_named() {
    let config = ddr5_6400();
    let spoilt: [Spoilt; 12] = [
        (|set| set.vdd.i3n = 0.04, "currents.vdd", "IDD3N is 0.04 A"),
        (|set| set.vdd.i3p = 0.04, "currents.vdd", "IDD3P is 0.04 A"),
        (|set| set.vdd.i4r = 0.05, "currents.vdd", "IDD4R is 0.05 A"),
        (
            |set| set.vdd.i4w = f64::NAN,
            "currents.vdd",
            "IDD4W is NaN A",
        ),
        (
            |set| set.vpp.i5b = 0.002,
            "currents.vpp",
            "IPP5B is 0.002 A",
        ),
        (|set| set.vpp.i5c = 0.0, "currents.vpp", "IPP5C is 0 A"),
        (|set| set.vpp.i0 = 0.001, "currents.vpp", "IPP0 is 0.001 A"),
        (|set| set.vdd.volts = -1.1, "currents.vdd", "is -1.1"),
        (|set| set.devices = 0, "currents.devices", "is 0"),
        (|set| set.open_share = 1.5, "currents.open_share", "is 1.5"),
        (
            |set| set.pmic_efficiency = 0.0,
            "currents.pmic_efficiency",
            "is 0",
        ),
        (
            |set| set.buffer_w = f64::INFINITY,
            "currents.buffer_w",
            "is inf",
        ),
    ];
    for (spoil, what, problem) in spoilt {
        let mut set = set_b();
        spoil(&mut set);
        let error = set.check(&config).expect_err(problem);
        assert_eq!(error.what, what);
        assert!(error.problem.contains(problem), "{error}");
    }
}

fn counts(values: [u32; 12]) -> EnergyCounts {
    let [
        clocks,
        act,
        rd,
        wra,
        idle,
        active,
        down,
        active_down,
        open,
        open_down,
        refresh,
        refresh_sb,
    ] = values.map(u64::from);
    let mut counts = EnergyCounts {
        clocks,
        commands: [0; Command::ALL.len()],
        precharge_standby: idle,
        active_standby: active,
        precharge_power_down: down,
        active_power_down: active_down,
        open_standby: open,
        open_power_down: open_down,
        refresh_all_bank: refresh,
        refresh_same_bank: refresh_sb,
    };
    counts.commands[Command::Act as usize] = act;
    counts.commands[Command::Rd as usize] = rd;
    counts.commands[Command::Wra as usize] = wra;
    counts
}

fn module(set: Currents, open_share: f64) -> (Currents, SubChannelConfig) {
    let module = Currents {
        open_share,
        devices: 10,
        io_read_j: 1e-9,
        io_write_j: 2e-9,
        buffer_w: 1.0,
        buffer_line_j: 1e-9,
        pmic_efficiency: 0.9,
        ..set
    };
    (module, ddr5_6400())
}

proptest! {
    /// More of anything takes more of every part, never less; and energies add up as counts do.
    #[test]
    fn energy_is_monotonic_and_additive(
        base in prop::array::uniform12(0u32..1_000_000),
        more in prop::array::uniform12(0u32..1000),
        is_a in any::<bool>(),
        open_share in 0.0..0.8f64,
    ) {
        let (currents, config) = module(if is_a { set_a() } else { set_b() }, open_share);
        prop_assert!(currents.check(&config).is_ok());
        let (base, more) = (counts(base), counts(more));
        let mut sum = base;
        sum.merge(&more);
        let [base, more, sum] = [base, more, sum].map(|counts| energy(&counts, &currents, &config));
        for part in EnergyPart::ALL {
            prop_assert!(sum.part(part) >= base.part(part), "{}", part.name());
            prop_assert!(more.part(part) >= 0.0, "{}", part.name());
        }
        let mut merged = base;
        merged.merge(&more);
        prop_assert!((merged.total() / sum.total() - 1.0).abs() < 1e-9 || sum.total() == 0.0);
    }

    /// The same rank-clocks cost less powered down, and no more with fewer banks open.
    #[test]
    fn states_are_ordered(clocks in 1u32..1_000_000, banks in 1u32..32, open_share in 0.0..0.8f64) {
        let (currents, config) = module(set_a(), open_share);
        let joules = |place: usize, open: u32| {
            let mut values = [0; 12];
            values[place] = clocks;
            values[if place == 7 { 9 } else { 8 }] = clocks * open;
            energy(&counts(values), &currents, &config).total()
        };
        let (idle, active, down, active_down) = (4, 5, 6, 7);
        prop_assert!(joules(down, 0) < joules(idle, 0));
        prop_assert!(joules(active_down, banks) < joules(active, banks));
        prop_assert!(joules(idle, 0) < joules(active, banks));
        prop_assert!(joules(active, banks) < joules(active, banks + 1));
        prop_assert!(joules(active_down, banks) < joules(active_down, banks + 1));
    }
}
