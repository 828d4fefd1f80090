//! What holds of every run: determinism, refusals, interruption.

use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use wordline_catalog::Catalog;
use wordline_core::{Experiment, Metric, Operation, RawWorkload, ResultSet, Timing, Workload};
use wordline_lab::{Control, LabError, default_workload, run};

const TARGET: &str = "em064lx@stm32h755-qspi";

fn small() -> RawWorkload {
    RawWorkload {
        access_bytes: vec![2048, 3000],
        total_bytes: 1 << 20,
        wrap_bytes: 1 << 18,
        ..RawWorkload::default()
    }
}

fn experiment(raw: RawWorkload) -> Experiment {
    Experiment {
        targets: vec![TARGET.to_owned()],
        workload: Workload::Raw(raw),
        timing: Timing::Typ,
        age: 0.0,
        seed: 1,
    }
}

fn try_run(experiment: &Experiment) -> Result<ResultSet, LabError> {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    run(&catalog, experiment, &Control::default())
}

fn refusal(change: impl FnOnce(&mut Experiment)) -> String {
    let mut experiment = experiment(small());
    change(&mut experiment);
    try_run(&experiment).expect_err("refused").to_string()
}

fn raw(experiment: &mut Experiment) -> &mut RawWorkload {
    let Workload::Raw(raw) = &mut experiment.workload;
    raw
}

#[test]
fn the_same_experiment_gives_the_same_bytes() {
    let experiment = experiment(small());
    let once = try_run(&experiment).expect("runs").to_json();
    assert_eq!(once, try_run(&experiment).expect("runs").to_json());
}

#[test]
fn another_seed_changes_sampled_rows_alone() {
    let rows = |timing, seed| {
        let experiment = Experiment {
            timing,
            seed,
            ..experiment(small())
        };
        try_run(&experiment).expect("runs").rows
    };
    assert_eq!(rows(Timing::Typ, 1), rows(Timing::Typ, 2));
    assert_eq!(rows(Timing::Max, 1), rows(Timing::Max, 2));
    assert_ne!(rows(Timing::Sampled, 1), rows(Timing::Sampled, 2));
}

#[test]
fn a_document_repeats_from_its_own_experiment() {
    let short = Experiment {
        targets: vec!["em064lx".to_owned()],
        ..experiment(small())
    };
    let document = try_run(&short).expect("runs");
    assert_eq!(document.experiment.targets, [TARGET]);
    let again = ResultSet::from_json(&document.to_json()).expect("our own document");
    assert_eq!(try_run(&again.experiment).expect("runs"), document);
}

#[test]
fn what_cannot_be_run_is_refused_by_name() {
    let cases = [
        (refusal(|e| e.targets.clear()), "no target is named"),
        (refusal(|e| e.targets.push("em064lx".into())), "named twice"),
        (
            refusal(|e| e.age = 1.5),
            "age 1.5 is no fraction of rated life; allowed: 0 to 1",
        ),
        (refusal(|e| e.age = f64::NAN), "age NaN"),
        (
            refusal(|e| raw(e).operations.clear()),
            "operation list is empty",
        ),
        (
            refusal(|e| raw(e).access_bytes.push(2048)),
            "size 2 KiB is named twice",
        ),
        (
            refusal(|e| raw(e).access_bytes = vec![0]),
            "size 0 B does not fit; allowed: 1 B to 256 KiB",
        ),
        (
            refusal(|e| raw(e).access_bytes = vec![1 << 19]),
            "size 512 KiB does not fit",
        ),
        (
            refusal(|e| raw(e).wrap_bytes = 16 << 20),
            "wrap 16 MiB is outside em064lx; allowed: 1 B to 8 MiB",
        ),
        (refusal(|e| raw(e).wrap_bytes = 0), "wrap 0 B is outside"),
        (
            refusal(|e| raw(e).total_bytes = 0),
            "size 2 KiB does not fit",
        ),
        (
            refusal(|e| raw(e).total_bytes = 2000),
            "allowed: 1 B to 2 KB",
        ),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "{message}");
    }
}

/// A run that is stopped keeps the rows of the sizes that were finished.
#[test]
fn a_stopped_run_keeps_what_it_has() {
    let catalog = Catalog::load(&[]).expect("sound");
    let stop = AtomicBool::new(false);
    let progress = |progress: wordline_lab::Progress<'_>| {
        assert!(progress.done_bytes <= progress.total_bytes);
        if progress.step.ends_with("8 KiB") {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let control = Control {
        stop: Some(&stop),
        progress: Some(&progress),
    };
    let experiment = experiment(RawWorkload {
        operations: vec![Operation::Write],
        access_bytes: vec![4096, 8192, 16_384],
        ..RawWorkload::default()
    });
    let document = run(&catalog, &experiment, &control).expect("runs");
    assert!(!document.complete);
    let sizes: Vec<_> = document
        .of(Metric::LatencyMax)
        .map(|row| row.count("access_bytes"))
        .collect();
    assert_eq!(sizes, [Some(4096)]);
}

/// A device that runs out of simulated time fails by name, and the other rows stay.
#[test]
fn a_run_that_fails_says_so_in_its_rows() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let board = include_str!("../../catalog/parts/boards/stm32h755-qspi.toml")
        .replace("board = \"stm32h755-qspi\"", "board = \"slow\"")
        .replace(
            "kernel_clock = { typ = \"240 MHz\"",
            "kernel_clock = { typ = \"1 Hz\"",
        );
    std::fs::write(folder.path().join("slow.toml"), board).expect("writable");
    let catalog = Catalog::load(&[folder.path().to_owned()]).expect("sound");
    let experiment = Experiment {
        targets: vec!["em064lx@slow".into(), TARGET.into()],
        ..experiment(RawWorkload {
            total_bytes: 64 << 20,
            ..small()
        })
    };
    let document = run(&catalog, &experiment, &Control::default()).expect("runs");
    let failed: Vec<_> = document
        .of(Metric::LatencyMax)
        .filter(|row| row.no_value.is_some())
        .collect();
    assert!(failed.iter().all(|row| row.board == "slow"));
    assert_eq!(failed.len(), 4);
    assert!(
        document
            .warnings
            .iter()
            .any(|warning| warning.code == "run-failed")
    );
    assert_eq!(
        document
            .of(Metric::LatencyMax)
            .filter(|row| row.value.is_some())
            .count(),
        4
    );
}

#[test]
fn the_default_workload_fits_the_smallest_part() {
    let catalog = Catalog::load(&[]).expect("sound");
    let target = catalog.target(TARGET).expect("in the catalogue");
    assert_eq!(default_workload(&[target]), RawWorkload::default());
    assert_eq!(default_workload(&[]), RawWorkload::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Sequential accesses in closed form: every access costs the same.
    #[test]
    fn sequential_runs_meet_the_closed_form(access in 1u64..20_000, accesses in 1u64..60, slots in 1u64..9) {
        let experiment = experiment(RawWorkload {
            operations: vec![Operation::Read, Operation::Write],
            access_bytes: vec![access],
            total_bytes: access * accesses + access / 2,
            wrap_bytes: access * slots + access / 3,
        });
        let document = try_run(&experiment).expect("runs");
        let of = |metric, operation: &str| {
            let mut rows = document.of(metric).filter(|row| row.operation == operation);
            rows.next().and_then(|row| row.value).expect("a number")
        };
        for (operation, command_clocks) in [("read", 30), ("write", 14)] {
            let latency = 17.75e-6 + (command_clocks + 2 * access) as f64 / 120e6;
            prop_assert!((of(Metric::LatencyMax, operation) - latency).abs() < 2e-12);
            let rate = access as f64 / latency;
            prop_assert!((of(Metric::ThroughputMean, operation) / rate - 1.0).abs() < 1e-6);
        }
        // Each 32-byte unit is written at most once an access; two accesses may share a unit.
        let passes = accesses.div_ceil(slots) as f64;
        let most = 1e14 / of(Metric::Lifetime, "write") * accesses as f64 * access as f64 / of(Metric::ThroughputMean, "write");
        prop_assert!(most >= passes * 0.999 && (access < 32 || most <= 2.0 * passes * 1.001), "{most} of {passes}");
    }
}
