//! What can be set, and what is said of what cannot.

use wordline_catalog::Catalog;
use wordline_dram::scheduler::SchedulerName;
use wordline_dram::sheet::Settings;
use wordline_dram::{PagePolicy, Policy, Refresh, SameBankOrder};

use super::{catalog, config, set};

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

/// What a sheet leaves out is as it was before there was the choice.
#[test]
fn choices_that_a_sheet_leaves_out_can_be_set() {
    let target = "rdimm-6400-2rx4-64g@bench-1ch";
    let plain = config(target, &[]).sub_channel.policy;
    let settings = [
        ("scheduler", "batches"),
        ("bus_loss", "8.3 %"),
        ("turn_lookahead", "16"),
        ("turn_hits", "8"),
        ("turn_early", "on"),
    ];
    let set = config(target, &settings).sub_channel.policy;
    let of = |policy: &Policy| {
        let turns = (
            policy.turn_lookahead,
            policy.turn_hits_max,
            policy.turn_early,
        );
        (policy.scheduler, policy.bus_loss_permille, turns)
    };
    assert_eq!(of(&plain), (SchedulerName::FrFcfs, 0, (0, 0, false)));
    assert_eq!(of(&set), (SchedulerName::BatchFirst, 83, (16, 8, true)));
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
            &[(
                "address_order",
                "column group:4 group bank pseudo-channel rank row",
            )],
            "address_order: group:4 does not fit the 8 values of the bank group",
        ),
        (
            &[("hash", "low grup")],
            "setting hash: rule \"low grup\": unknown field \"grup\"; allowed: channel, sub-channel",
        ),
        (
            &[("hash", "bank = row0")],
            "mapping.hash: bank: bits given: 1; needed: 2, as it has 4 values",
        ),
        (
            &[("hash", "bank = row0, bank1")],
            "mapping.hash: the matrix is singular: the XOR of bank0, row0 is always 0",
        ),
        (
            &[("hash", "bank = bank0, bank1^5")],
            "mapping.hash: bank bit 1: address bit 5 does not exist; allowed: 6 to",
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
            &[("scheduler", "fcfs-first")],
            "setting scheduler: \"fcfs-first\" is not allowed; allowed: fr-fcfs, batches",
        ),
        (
            &[("bus_loss", "60 %")],
            "setting bus_loss: \"60 %\" is not allowed; allowed: a share from 0 % to 50 %",
        ),
        (
            &[("turn_lookahead", "0"), ("turn_early", "on")],
            "turn_early: on asks for open rows ahead of a turn; allowed: off, or a turn_lookahead",
        ),
        (
            &[("turn_lookahead", "-1")],
            "allowed: a whole number from 0 to 4096",
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
            &[("refresh", "all-bank"), ("refresh_postponed", "5")],
            "refresh_postponed: 5 REFab are more than a rank may owe; allowed: up to 4",
        ),
        (
            &[
                ("refresh", "all-bank"),
                ("refresh_postponed", "4"),
                ("refresh_pulled_in", "5"),
            ],
            "refresh_pulled_in: 5 REFab are more than a rank may do ahead; allowed: up to 4",
        ),
        (
            &[("rfm", "on"), ("refresh", "off")],
            "rfm: banks that are not refreshed are not managed; allowed: off",
        ),
        (
            &[("same_bank_order", "random")],
            "allowed: round-robin, idle-first",
        ),
        (
            &[("refresh_aside", "-1")],
            "allowed: a whole number from 0 to 4096",
        ),
    ];
    for module in ["rdimm-6400-2rx4-64g", "mrdimm-8800-2rx4-64g"] {
        let target = catalog
            .module_in_system(&format!("{module}@xeon6-1s"))
            .expect("it exists");
        for (settings, words) in cases {
            let error = target.connect(&set(settings)).expect_err(words).to_string();
            assert!(error.contains(words), "{module}: {error}");
        }
    }
}

/// A system that leaves these choices out refreshes in turn, when it is due, with nothing aside.
#[test]
fn choices_of_refresh_that_a_sheet_leaves_out_can_be_set() {
    let of = |settings: &[(&str, &str)]| {
        let config = config("rdimm-6400-2rx4-64g@bench-1ch", settings);
        let policy = config.sub_channel.policy;
        (
            policy.same_bank_order,
            policy.refresh_pulled_in_max,
            policy.refresh_aside,
        )
    };
    assert_eq!(of(&[]), (SameBankOrder::RoundRobin, 0, 0));
    let settings = [
        ("refresh", "same-bank"),
        ("same_bank_order", "idle-first"),
        ("refresh_pulled_in", "8"),
        ("refresh_aside", "64"),
    ];
    assert_eq!(of(&settings), (SameBankOrder::IdleFirst, 8, 64));
    let managed = |settings: &[(&str, &str)]| {
        let config = config("rdimm-6400-2rx4-64g@bench-1ch", settings);
        config.sub_channel.policy.rfm
    };
    assert_eq!(managed(&[]), None);
    // 16 Gb: tRFMsb is 130 ns.
    let rfm = managed(&[("rfm", "on"), ("refresh", "same-bank")]).expect("managed");
    assert_eq!((rfm.raaimt, rfm.raammt, rfm.raadec), (32, 96, 16));
    assert_eq!(rfm.clocks, 416);
}

#[test]
fn names_that_do_not_exist_are_answered_with_the_nearest() {
    let catalog = catalog();
    for (text, words) in [
        (
            "rdimm-6400-2rx4-128g",
            "names no system; write rdimm-6400-2rx4-128g@SYSTEM, with one of accelerator-1stack, bench-1ch",
        ),
        (
            "rdimm@xeon6-1s",
            "unknown module \"rdimm\"; did you mean rdimm-4800-1rx4-32g or ",
        ),
        (
            "rdimm-6400-2rx4-128g@xeon",
            "unknown system \"xeon\"; did you mean xeon6-1s or xeon6-2s?",
        ),
    ] {
        let error = catalog.module_in_system(text).expect_err(text).to_string();
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
        let target = catalog.module_in_system(target).expect("both exist");
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

/// Slots, links and buffers that are not there: an error each, with what is allowed.
#[test]
fn what_a_system_has_no_use_for_is_named() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let target = |name: &str| catalog.module_in_system(name).expect("both exist");
    let none = Settings::new();
    for (name, kind, allowed) in [
        ("udimm-5600-2rx8-32g@xeon6-1s", "udimm", "rdimm, mrdimm"),
        ("rdimm-6400-2rx4-64g@desktop-2ch", "rdimm", "udimm, sodimm"),
    ] {
        let error = target(name).connect(&none).expect_err("it does not fit");
        let error = error.to_string();
        assert!(error.contains(kind) && error.contains(allowed), "{error}");
    }
    for name in [
        "udimm-5600-2rx8-32g@desktop-2ch",
        "sodimm-5600-2rx8-32g@desktop-2ch",
    ] {
        target(name).connect(&none).expect("it fits");
    }
    let set = |name: &str, value: &str| Settings::from([(name.to_owned(), value.to_owned())]);
    let unused = |name: &str, settings: &Settings| {
        let unused = target(name).unused_settings(settings);
        unused.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let (rdimm, remote) = (
        "rdimm-6400-2rx4-64g@xeon6-1s",
        "rdimm-6400-2rx4-64g@xeon6-2s",
    );
    let delay = set("link_delay", "20 ns");
    assert_eq!(unused(rdimm, &delay).len(), 1);
    assert!(unused(rdimm, &delay)[0].contains("link_delay"));
    assert!(unused(remote, &delay).is_empty());
    assert_eq!(unused(remote, &set("links", "2")).len(), 1);
    assert_eq!(unused(rdimm, &set("beat_return", "sequential")).len(), 1);
    let error = target(rdimm).connect(&set("refresh", "all-bank"));
    let error = error.expect_err("too many are postponed").to_string();
    for words in ["refresh_postponed=4", "refresh_pulled_in=0"] {
        assert!(error.contains(words), "{error}");
    }
}
