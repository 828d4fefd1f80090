//! What can be set, and what is said of what cannot.

use wordline_catalog::Catalog;
use wordline_dram::{PagePolicy, Refresh};

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
            .module_in_system(&format!("{module}@xeon6-1s"))
            .expect("it exists");
        for (settings, words) in cases {
            let error = target.connect(&set(settings)).expect_err(words).to_string();
            assert!(error.contains(words), "{module}: {error}");
        }
    }
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
