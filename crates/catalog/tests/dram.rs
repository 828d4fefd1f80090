//! Every module in every system: it connects, its numbers are those of the standard, and whatever is plausible can
//! be set.

use wordline_catalog::{Catalog, DramTarget};
use wordline_core::draw::{Purpose, draw};
use wordline_dram::sheet::{SettingError, Settings, Standard};
use wordline_dram::{
    Field, Kind, Location, Observer, PagePolicy, Refresh, Request, Served, SubChannel,
    SystemConfig, Timing,
};

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn config(target: &str, settings: &[(&str, &str)]) -> SystemConfig {
    let catalog = catalog();
    let target = catalog.dram_target(target).expect("it exists");
    target.connect(&set(settings)).expect("it connects").config
}

fn timing(target: &str, bin: &str) -> Timing {
    config(target, &[("speed_bin", bin)]).sub_channel.timing
}

fn set(settings: &[(&str, &str)]) -> Settings {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    settings.iter().map(owned).collect()
}

fn targets(catalog: &Catalog) -> Vec<DramTarget<'_>> {
    let names = catalog.modules().flat_map(|module| {
        let id = |system: &wordline_catalog::System| {
            format!("{}@{}", module.header.id, system.header.id)
        };
        catalog.systems().map(id).collect::<Vec<_>>()
    });
    let target = |name: String| catalog.dram_target(&name).expect("both exist");
    names.map(target).collect()
}

#[test]
fn every_module_connects_to_every_system_with_every_plausible_value() {
    let catalog = catalog();
    let targets = targets(&catalog);
    assert!(targets.len() >= 80, "{}", targets.len());
    for target in &targets {
        let connected = target.connect(&Settings::new());
        sound(
            target,
            &connected
                .unwrap_or_else(|error| panic!("{}: {error}", target.name))
                .config,
        );
        for choice in target.choices() {
            assert!(!choice.reason.is_empty());
            for value in &choice.alternatives {
                let one = set(&[(choice.name, value)]);
                match target.connect(&one) {
                    Ok(connected) => sound(target, &connected.config),
                    // DDR4 cannot refresh single banks.
                    Err(SettingError::Unfit { what, .. })
                        if what == "refresh"
                            && *target.die.sheet.standard.value() == Standard::Ddr4 => {}
                    Err(error) => panic!("{}, {} = {value}: {error}", target.name, choice.name),
                }
            }
        }
    }
}

/// What every configuration must be, whatever is set.
fn sound(target: &DramTarget<'_>, config: &SystemConfig) {
    let name = &target.name;
    let (geometry, timing) = (&config.sub_channel.geometry, &config.sub_channel.timing);
    let policy = &config.sub_channel.policy;
    let capacity = target.module.sheet.capacity.nominal().bytes();
    assert_eq!(
        config.bytes(),
        capacity * u64::from(config.channels),
        "{name}: capacity"
    );
    for field in [
        (Field::Channel, u64::from(config.channels)),
        (Field::SubChannel, u64::from(config.sub_channels)),
        (Field::PseudoChannel, u64::from(geometry.pseudo_channels)),
        (Field::Rank, u64::from(geometry.ranks)),
        (Field::Group, u64::from(geometry.groups)),
        (Field::Bank, u64::from(geometry.banks)),
        (Field::Row, u64::from(geometry.rows)),
        (Field::Column, u64::from(geometry.columns)),
    ] {
        let digits = config
            .mapping
            .digits
            .iter()
            .filter(|digit| digit.field == field.0);
        let product: u64 = digits.map(|digit| u64::from(digit.radix)).product();
        assert_eq!(product, field.1, "{name}: {:?}", field.0);
    }
    assert_eq!(
        policy.refresh_phase.len(),
        usize::from(geometry.pseudo_channels * geometry.ranks)
    );
    let interval = if policy.refresh == Refresh::SameBank {
        timing.refi_sb
    } else {
        timing.refi
    };
    assert!(
        policy.refresh_phase.iter().all(|phase| *phase < interval),
        "{name}"
    );
    assert!(
        timing.rc == timing.ras + timing.rp && timing.cwl < timing.cl && timing.rfc < timing.refi,
        "{name}"
    );
    assert!(
        timing.ccd_s >= timing.burst
            && timing.ccd_l >= timing.ccd_s
            && timing.rrd_l >= timing.rrd_s,
        "{name}"
    );
    assert!(
        timing.faw >= timing.rrd_s && timing.wtr_l >= timing.wtr_s && timing.rtw >= timing.burst,
        "{name}"
    );
    assert!(policy.drain_low < policy.drain_high && policy.drain_high <= policy.write_queue);
}

/// Both columns of clocks that public sources state for JESD79-5B, for every x4 module of those rates and both bins.
#[test]
fn clocks_are_those_of_the_public_tables() {
    let catalog = catalog();
    let mut seen = 0;
    for module in catalog
        .modules()
        .filter(|module| *module.sheet.width_bits.value() == 4)
    {
        let rate = *module.sheet.dram_rate_mts.value();
        let at_6400 = match rate {
            6400 => true,
            4400 => false,
            _ => continue,
        };
        let pick = |at: [u32; 2]| if at_6400 { at[0] } else { at[1] };
        for (bin, latency) in [("A", [46, 32]), ("B", [52, 36])] {
            let timing = timing(&format!("{}@bench-1ch", module.header.id), bin);
            let latency = pick(latency);
            let expected = [
                ("CL", timing.cl, latency),
                ("tRCD", timing.rcd, latency),
                ("tRP", timing.rp, latency),
                ("CWL", timing.cwl, latency - 2),
                ("tRAS", timing.ras, pick([103, 71])),
                ("tRC", timing.rc, pick([103, 71]) + latency),
                ("tCCD_S", timing.ccd_s, 8),
                ("tCCD_L", timing.ccd_l, pick([16, 11])),
                ("tCCD_L_WR", timing.ccd_l_wr, pick([64, 44])),
                ("tRRD_S", timing.rrd_s, 8),
                ("tRRD_L", timing.rrd_l, pick([16, 11])),
                ("tFAW", timing.faw, 32),
                ("tWR", timing.wr, pick([96, 66])),
                ("tRTP", timing.rtp, pick([24, 17])),
                ("tWTR_S", timing.wtr_s, pick([8, 6])),
                ("tWTR_L", timing.wtr_l, pick([32, 22])),
                ("tPPD", timing.ppd, 2),
            ];
            for (what, is, should) in expected {
                assert_eq!(is, should, "{} bin {bin}: {what}", module.header.id);
            }
            seen += 1;
        }
    }
    assert!(seen >= 16, "{seen} modules and bins");
    // x8 writes whole ECC words: tCCD_L_WR2.
    assert_eq!(timing("rdimm-6400-2rx8-32g@bench-1ch", "B").ccd_l_wr, 32);
    assert_eq!(timing("mrdimm-8800-4rx8-64g@bench-1ch", "B").ccd_l_wr, 22);
}

/// DRAMsim3 states the clocks of its 8 Gb DDR4-3200 part one by one.
#[test]
fn ddr4_has_the_clocks_of_the_simulator_it_is_compared_with() {
    let config = config("ddr4-3200-2rx8-16g@bench-1ch", &[]);
    let timing = &config.sub_channel.timing;
    let is = [
        timing.cl,
        timing.cwl,
        timing.rcd,
        timing.rp,
        timing.ras,
        timing.rfc,
        timing.refi,
        timing.rrd_s,
        timing.rrd_l,
        timing.wtr_s,
        timing.wtr_l,
        timing.faw,
        timing.wr,
        timing.rtp,
        timing.ccd_s,
        timing.ccd_l,
        timing.pd,
        timing.xp,
    ];
    let should = [
        22, 16, 22, 22, 52, 560, 12480, 4, 8, 4, 12, 34, 24, 12, 4, 8, 8, 10,
    ];
    assert_eq!(is, should);
    assert!((config.peak_bytes_per_s() - 25.6e9).abs() < 1.0);
    // Its tRTRS of 1 is both the gap between ranks and that from reads to writes: RL + burst - WL + tRTRS = 11. The
    // standard asks for a clock more, which no setting of a DDR5 controller changes.
    let settings = [("rank_gap", "1"), ("rtw_gap", "6")];
    let timing = self::config("ddr4-3200-2rx8-16g@bench-1ch", &settings)
        .sub_channel
        .timing;
    assert_eq!((timing.burst + timing.rank_gap, timing.rtw), (5, 11 + 1));
}

#[test]
fn peaks_and_organisation_are_those_of_the_machines() {
    let rdimm = config("rdimm-6400-2rx4-128g@xeon6-1s", &[]);
    let mrdimm = config("mrdimm-8800-2rx4-128g@xeon6-1s", &[]);
    assert!((rdimm.peak_bytes_per_s() - 614.4e9).abs() < 1.0);
    assert!((mrdimm.peak_bytes_per_s() - 844.8e9).abs() < 1.0);
    let (of_rdimm, of_mrdimm) = (&rdimm.sub_channel.geometry, &mrdimm.sub_channel.geometry);
    assert_eq!(
        (of_rdimm.pseudo_channels, of_rdimm.ranks, of_rdimm.columns),
        (1, 2, 128)
    );
    assert_eq!(
        (
            of_mrdimm.pseudo_channels,
            of_mrdimm.ranks,
            of_mrdimm.columns
        ),
        (2, 1, 128)
    );
    assert_eq!(mrdimm.sub_channel.clock.data_rate_mts, 4400);
    let stack = config("rdimm-6400-3ds-2rx4-256g@xeon6-1s", &[]);
    assert_eq!(
        (
            stack.sub_channel.geometry.ranks,
            stack.sub_channel.geometry.slices
        ),
        (4, 2)
    );
    let of_24 = config("mrdimm-8800-2rx4-96g@xeon6-1s", &[]);
    assert_eq!(of_24.sub_channel.geometry.rows, 3 << 15);
    assert_eq!(of_24.channels, 12);
}

/// The on-chip path was chosen so that an idle read of the RDIMM takes 102 ns; the sheet shows the arithmetic, which is
/// done again here.
#[test]
fn the_idle_read_of_the_anchor_takes_102_ns() {
    let config = config("rdimm-6400-2rx4-128g@xeon6-1s", &[]);
    let timing = &config.sub_channel.timing;
    let clock_ns = 0.3125;
    let read = f64::from(timing.rcd + timing.cl + timing.burst) * clock_ns;
    let refresh = f64::from(timing.rfc).powi(2) / (2.0 * f64::from(timing.refi)) * clock_ns;
    let ps = config.module_delay_ps + config.cores.request_path_ps + config.cores.return_path_ps;
    let idle = read + refresh + ps as f64 / 1000.0;
    assert!((idle - 102.0).abs() < 0.5, "{idle} ns");
}

/// The same by simulation: single reads of random lines, as far apart as a chase over 24 sub-channels puts them.
#[test]
fn an_idle_sub_channel_answers_as_the_arithmetic_says() {
    #[derive(Default)]
    struct Latencies(Vec<u64>);
    impl Observer for Latencies {
        fn served(&mut self, served: &Served) {
            self.0.push(served.finish - served.arrival);
        }
    }
    let config = config("rdimm-6400-2rx4-128g@xeon6-1s", &[]).sub_channel;
    let mut channel = SubChannel::new(&config, Latencies::default()).expect("sound");
    let mut arrival = 0;
    for id in 0..40_000 {
        let random = |purpose, values: u64| draw(1, id, 0, purpose) % values;
        arrival += 1 + random(Purpose::Arrival, 2 * 24 * 326);
        let place = random(Purpose::Address, u64::MAX);
        let location = Location {
            rank: (place % 2) as u8,
            group: (place / 2 % 8) as u8,
            bank: (place / 16 % 4) as u8,
            row: (place / 64 % u64::from(config.geometry.rows)) as u32,
            ..Location::default()
        };
        let request = Request {
            id,
            kind: Kind::Read,
            location,
            arrival,
        };
        channel.push(request).expect("inside");
    }
    channel.flush();
    let latencies = &channel.observer().0;
    let mean = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64 * 0.3125;
    // 35 ns of ACT, RD and burst, 21.5 ns of waiting for refreshes: four standard errors are 1.4 ns.
    assert!((mean - 56.5).abs() < 1.6, "{mean} ns");
}

/// The frozen baseline, and what the buffers of an MRDIMM do to the host's bus.
#[test]
fn defaults_and_pairs_are_as_documented() {
    let rdimm = config("rdimm-6400-2rx4-128g@xeon6-1s", &[]);
    let policy = &rdimm.sub_channel.policy;
    assert_eq!(policy.refresh, Refresh::AllBank);
    assert_eq!(policy.refresh_phase, [0, 6240]);
    assert!(!policy.shared_queues);
    assert_eq!(rdimm.cores.misses, 48);
    // CL - CWL + burst + gap = 2 + 8 + 4.
    assert_eq!(rdimm.sub_channel.timing.rtw, 14);
    let mrdimm = config("mrdimm-8800-2rx4-128g@xeon6-1s", &[]);
    let timing = &mrdimm.sub_channel.timing;
    // 2 + 8, 4 ns of buffers are 9 clocks, half of the gap of 4.
    assert_eq!(
        (timing.pair_burst, timing.pair_rtw, timing.rtw),
        (0, 21, 21)
    );
    // -2 + 8 - 8 whole clocks in 4 ns + half of the gap of 2: less than none.
    assert_eq!(timing.pair_wtr, 1);
    assert_eq!(mrdimm.module_delay_ps, 3000);
    let aligned = config(
        "mrdimm-8800-4rx4-128g@xeon6-1s",
        &[("pair_refresh", "aligned")],
    );
    assert_eq!(aligned.sub_channel.policy.refresh_phase, [0, 4290, 0, 4290]);
    let together = config(
        "mrdimm-8800-4rx4-128g@xeon6-1s",
        &[("refresh_stagger", "aligned")],
    );
    assert_eq!(together.sub_channel.policy.refresh_phase, [0; 4]);
    assert_eq!(together.sub_channel_at(23), together.sub_channel);
    // Of 24 sub-channels the last one, of two ranks: 12480 x 23 / 24 later.
    let last = rdimm.sub_channel_at(23).policy.refresh_phase;
    assert_eq!(last, [11_960, (6240 + 11_960) % 12_480]);
    let no_delay = [
        ("read_buffer_delay", "0 ns"),
        ("write_buffer_delay", "0 ns"),
        ("beat_return", "sequential"),
    ];
    let timing = config("mrdimm-8800-2rx4-128g@xeon6-1s", &no_delay)
        .sub_channel
        .timing;
    assert_eq!(
        (
            timing.pair_burst,
            timing.rtw,
            timing.pair_rtw,
            timing.pair_wtr
        ),
        (4, 14, 12, 7)
    );
}

#[test]
fn settings_do_what_they_say() {
    let settings = [
        ("page_policy", "timeout 100 ns"),
        ("refresh", "same-bank"),
        ("refresh_rate", "double"),
        ("power_down", "1 us"),
        ("channels", "5"),
        ("interleave_bytes", "4096"),
        ("idd_set", "b"),
        ("page_bytes", "4 KiB"),
        ("write_back_bytes", "12 MiB"),
    ];
    let config = config("rdimm-6400-2rx4-64g@xeon6-1s", &settings);
    let (timing, policy) = (&config.sub_channel.timing, &config.sub_channel.policy);
    assert_eq!(policy.page, PagePolicy::Timeout(320));
    assert_eq!(
        (policy.refresh, timing.refi_sb, timing.refi),
        (Refresh::SameBank, 780, 6240)
    );
    assert_eq!((policy.power_down, config.channels), (Some(3200), 5));
    let cores = &config.cores;
    assert_eq!((cores.page_bytes, cores.write_back_bytes), (4096, 12 << 20));
}

#[test]
fn settings_that_mean_nothing_are_named_with_what_is_allowed() {
    let catalog = catalog();
    let cases = [
        (
            &[("page", "open")][..],
            "unknown setting \"page\"; allowed: address_order, age_cap,",
        ),
        (
            &[("page_policy", "often")],
            "setting page_policy: \"often\" is not allowed; allowed: open, closed",
        ),
        (
            &[("misses", "0")],
            "setting misses: \"0\" is not allowed; allowed: a whole number from 1 to",
        ),
        (
            &[("beat_return", "both")],
            "allowed: interleaved, sequential",
        ),
        (
            &[("speed_bin", "Z")],
            "setting speed_bin: \"Z\" is not allowed; allowed: A, B",
        ),
        (
            &[("speed_bin", "")],
            "setting speed_bin: \"\" is not allowed; allowed: A, B",
        ),
        (
            &[("idd_set", "z")],
            "setting idd_set: \"z\" is not allowed; allowed: a, b",
        ),
        (
            &[("read_buffer_delay", "2 V")],
            "allowed: a time up to 1 us",
        ),
        (
            &[("address_order", "row column")],
            "allowed: each of pseudo-channel, rank",
        ),
        (
            &[("interleave_bytes", "100")],
            "interleave_bytes: 100 B is no multiple of a line",
        ),
        (
            &[("interleave_bytes", "192")],
            "interleave_bytes: 3 lines do not divide",
        ),
        (
            &[("drain_low", "60")],
            "drain_high: 48 must lie above drain_low, 60",
        ),
        (
            &[("page_bytes", "3 MiB")],
            "allowed: a power of two from 4 KiB to 1 GiB",
        ),
        (
            &[("write_back_bytes", "100 B")],
            "allowed: a multiple of 64 B up to 1 GiB",
        ),
        (
            &[("refresh_postponed", "5")],
            "refresh_postponed: 5 REFab are more than a rank may owe; allowed: up to 4",
        ),
    ];
    for module in ["rdimm-6400-2rx4-64g", "mrdimm-8800-2rx4-64g"] {
        let target = catalog
            .dram_target(&format!("{module}@xeon6-1s"))
            .expect("it exists");
        for (settings, words) in cases {
            let error = target.connect(&set(settings)).expect_err(words).to_string();
            assert!(error.contains(words), "{module}: {error}");
        }
    }
}

#[test]
fn names_that_do_not_exist_are_answered_with_those_that_do() {
    let catalog = catalog();
    for (text, words) in [
        (
            "rdimm-6400-2rx4-128g",
            "names no system; write rdimm-6400-2rx4-128g@SYSTEM, with one of bench-1ch",
        ),
        (
            "rdimm@xeon6-1s",
            "unknown module \"rdimm\"; allowed: ddr4-3200-2rx8-16g",
        ),
        (
            "rdimm-6400-2rx4-128g@xeon",
            "unknown system \"xeon\"; allowed: bench-1ch, next-gen-16ch, xeon6-1s",
        ),
    ] {
        let error = catalog.dram_target(text).expect_err(text).to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// DDR4 has a rule for the turnaround that a controller chooses on DDR5.
#[test]
fn what_changes_nothing_is_no_choice() {
    let catalog = Catalog::load(&[]).expect("sound");
    for (target, chosen) in [
        ("ddr4-3200-2rx8-16g@bench-1ch", false),
        ("rdimm-6400-2rx4-64g@bench-1ch", true),
    ] {
        let target = catalog.dram_target(target).expect("both exist");
        let gap = |gap: &str| {
            let settings = [("rtw_gap".to_owned(), gap.to_owned())].into();
            let connected = target.connect(&settings).expect("it connects");
            connected.config.sub_channel.timing.rtw
        };
        assert_eq!(gap("3") != gap("6"), chosen);
        let choices = target.choices();
        assert_eq!(
            choices.iter().any(|choice| choice.name == "rtw_gap"),
            chosen
        );
    }
}
