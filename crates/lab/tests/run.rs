//! What holds of every run: determinism, refusals, interruption.

use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use wordline_catalog::Catalog;
use wordline_core::quantity::{ByteCount, DataRate, Fraction, Period, Quantity as _};
use wordline_core::results::NoValue;
use wordline_core::{
    AccessSource, Axis, BufferWorkload, CompareWorkload, EngineName, Experiment, FsTest,
    FsWorkload, KvBench, KvBuild, KvCrash, KvDirectory, KvSizes, KvTest, KvWorkload, Metric,
    Operation, Pattern, RawWorkload, ResultSet, SizeOrPeriod, StreamSource, Timing, WearUsage,
    WearWorkload, Work, Workload,
};
use wordline_lab::{Control, LabError, default_workload, run};

const TARGET: &str = "em064lx@stm32h755-qspi";

/// The name of an engine.
fn name(engine: &str) -> EngineName {
    engine.parse().expect("a name")
}

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
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 1,
        ftl: None,
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
    let Workload::Raw(raw) = &mut experiment.workload else {
        unreachable!("it is raw")
    };
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
            timings: vec![timing],
            seed,
            ..experiment(small())
        };
        try_run(&experiment).expect("runs").rows
    };
    assert_eq!(rows(Timing::Typ, 1), rows(Timing::Typ, 2));
    assert_eq!(rows(Timing::Max, 1), rows(Timing::Max, 2));
    assert_ne!(rows(Timing::Sampled, 1), rows(Timing::Sampled, 2));
}

/// Half of the chips draw less than typical, none draws nothing, none more than the maximum.
#[test]
fn sampled_chips_lie_around_typical_and_below_the_maximum() {
    let energy = |timing, seed| {
        let experiment = Experiment {
            timings: vec![timing],
            seed,
            ..experiment(small())
        };
        let document = try_run(&experiment).expect("runs");
        let row = document.of(Metric::EnergyPerByte).next().cloned();
        row.and_then(|row| row.value).expect("a number")
    };
    let (typ, max) = (energy(Timing::Typ, 0), energy(Timing::Max, 0));
    let sampled: Vec<f64> = (0..40).map(|seed| energy(Timing::Sampled, seed)).collect();
    assert!(
        sampled
            .iter()
            .all(|value| (typ / 2.0..=max).contains(value))
    );
    let below = sampled.iter().filter(|value| **value < typ).count();
    assert!((8..=32).contains(&below), "{below} of 40 are below typical");
}

#[test]
fn a_used_up_life_is_said_aloud() {
    let document = try_run(&Experiment {
        age: 1.0,
        ..experiment(small())
    });
    let document = document.expect("runs");
    assert!(
        document
            .warnings
            .iter()
            .any(|warning| warning.code == "life-used-up")
    );
    assert!(
        document
            .of(Metric::LifetimeHotSpot)
            .all(|row| row.value == Some(0.0))
    );
}

#[test]
fn the_document_lists_the_figures_that_were_read_and_no_others() {
    let document = try_run(&experiment(small())).expect("runs");
    let has = |figure: &str| document.figures.iter().any(|one| one.figure == figure);
    assert!(has("mram.active[write str 133 MHz].current"));
    assert!(has("mram.opcode[0x38 1S-4S-4S].clock") && has("rail[1V8].voltage"));
    assert!(!has("mram.deselect_octal") && !has("rail[3V3].voltage"));
    assert!(!has("mram.opcode[0x8e 8D-8D-8D]"));
    let sheets: Vec<_> = document
        .sheets
        .iter()
        .map(|sheet| sheet.id.as_str())
        .collect();
    assert_eq!(sheets, ["em064lx", "stm32h755-qspi"]);
    assert!(
        document
            .warnings
            .iter()
            .any(|warning| warning.code == "caution")
    );
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
            "size 0 B does not fit; allowed: 1 B to 256 KiB, the smallest of",
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
            "total 0 B moves nothing",
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
        threads: 1,
        ..Control::default()
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
        .map(|row| row.count(Axis::AccessBytes))
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
            "core_clock = { typ = \"240 MHz\"",
            "core_clock = { typ = \"1 kHz\"",
        )
        .replace("4260 cycles", "900000 cycles");
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
    let target = catalog.part_on_board(TARGET).expect("in the catalogue");
    let plain = default_workload(std::slice::from_ref(&target), None, None);
    assert_eq!(plain, RawWorkload::default());
    assert_eq!(default_workload(&[], None, None), RawWorkload::default());
    let small = default_workload(&[target], Some(4096), Some(8192));
    assert_eq!(small.access_bytes, [2048, 4096]);
    assert_eq!((small.wrap_bytes, small.total_bytes), (4096, 8192));
    assert_eq!(default_workload(&[], Some(100), None).access_bytes, [100]);
}

fn flash(target: &str, raw: RawWorkload) -> Result<ResultSet, LabError> {
    try_run(&Experiment {
        targets: vec![target.to_owned()],
        ..experiment(raw)
    })
}

/// Totals and wraps that are no multiples of anything: every byte is still where it belongs, and an
/// erase is known to take what an earlier pass left behind it.
#[test]
fn flash_runs_of_odd_sizes_find_their_bytes() {
    for (target, access, wrap, total) in [
        ("mt25ql128", 2048, 8 << 20, 10_000_000),
        ("mt29f1g01", 2048, 8 << 20, 10_000_000),
        ("mt29f1g01", 4096, 100 << 10, 700_000),
        ("mt25ql128", 3000, 300_000, 900_000),
        ("mt29f1g01", 131_072, 300 << 10, 2_000_000),
    ] {
        let raw = RawWorkload {
            access_bytes: vec![access],
            total_bytes: total,
            wrap_bytes: wrap,
            ..RawWorkload::default()
        };
        let document = flash(target, raw).expect("runs");
        assert!(
            !document.failed(),
            "{target} {access}: {:?}",
            document.warnings
        );
    }
}

#[test]
fn random_reads_of_flash_find_what_was_stored() {
    for target in ["mt25ql128", "mt29f1g01", "as3004316"] {
        let raw = RawWorkload {
            operations: vec![Operation::Read],
            patterns: vec![Pattern::Random],
            access_bytes: vec![4096],
            total_bytes: 1 << 18,
            wrap_bytes: 1 << 19,
            ..RawWorkload::default()
        };
        let document = flash(target, raw).expect("runs");
        assert!(!document.failed(), "{target}: {:?}", document.warnings);
    }
}

/// A NAND chip has fewer bytes than its sheet's blocks: some of them are bad.
#[test]
fn a_wrap_beyond_the_good_blocks_is_refused_by_name() {
    let raw = |wrap_bytes| RawWorkload {
        access_bytes: vec![65_536],
        total_bytes: 1 << 27,
        wrap_bytes,
        ..RawWorkload::default()
    };
    let error = flash("mt29f1g01", raw(1 << 27))
        .expect_err("bad blocks")
        .to_string();
    assert!(
        error.contains("wrap 128 MiB is outside mt29f1g01; allowed: 1 B to"),
        "{error}"
    );
}

#[test]
fn random_writes_of_flash_are_whole_blocks_or_have_no_value() {
    let raw = RawWorkload {
        operations: vec![Operation::Write],
        patterns: vec![Pattern::Random],
        access_bytes: vec![4096, 65_536],
        total_bytes: 1 << 20,
        wrap_bytes: 1 << 19,
        ..RawWorkload::default()
    };
    let document = flash("mt25ql128", raw).expect("runs");
    assert!(!document.failed(), "{:?}", document.warnings);
    let values: Vec<_> = document
        .of(Metric::LatencyMax)
        .map(|row| row.no_value)
        .collect();
    assert_eq!(values, [Some(NoValue::NotApplicable), None]);
}

/// In the long run random writes wear as sequential ones do, whatever part of a unit they touch.
#[test]
fn random_and_sequential_lifetimes_agree_in_the_limit() {
    for access in [1, 48, 4096] {
        let document = try_run(&experiment(RawWorkload {
            operations: vec![Operation::Write],
            patterns: vec![Pattern::Sequential, Pattern::Random],
            access_bytes: vec![access],
            total_bytes: access * 16_000,
            wrap_bytes: access * 160,
            ..RawWorkload::default()
        }));
        let document = document.expect("runs");
        let lifetimes: Vec<f64> = document
            .of(Metric::Lifetime)
            .filter_map(|row| row.value)
            .collect();
        let ratio = lifetimes[1] / lifetimes[0];
        // Sequential runs count the most-written unit; a unit that two accesses share sees both.
        assert!((0.9..=1.7).contains(&ratio), "{access} B: {lifetimes:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Accesses of whole units wear every unit once a pass, however long the run.
    #[test]
    fn lifetime_does_not_depend_on_how_long_one_looks(passes in 1u64..5, more in 0u64..16) {
        let lifetime = |accesses: u64| {
            let experiment = experiment(RawWorkload {
                operations: vec![Operation::Write],
                access_bytes: vec![2048],
                total_bytes: accesses * 2048,
                wrap_bytes: 16 * 2048,
                ..RawWorkload::default()
            });
            let document = try_run(&experiment).expect("runs");
            let row = document.of(Metric::Lifetime).next().cloned().expect("a row");
            (row.value, row.no_value)
        };
        let pass = 16.0 * (17.75e-6 + (14.0 + 4096.0) / 120e6);
        let (value, _) = lifetime(16 * passes + more);
        prop_assert!((value.expect("a number") / (1e14 * pass) - 1.0).abs() < 1e-6);
        if more < 16 {
            prop_assert_eq!(lifetime(more.max(1)), (None, Some(NoValue::BeyondRange)));
        }
    }

    /// On a memory without a place that is slower, random accesses cost what sequential ones do, and
    /// every byte is where it belongs.
    #[test]
    fn random_equals_sequential_on_mram(access in 1u64..5000, seed in any::<u64>()) {
        let experiment = Experiment {
            seed,
            ..experiment(RawWorkload {
                patterns: vec![Pattern::Sequential, Pattern::Random],
                access_bytes: vec![access],
                total_bytes: access * 40,
                wrap_bytes: access * 13,
                ..RawWorkload::default()
            })
        };
        let document = try_run(&experiment).expect("runs");
        prop_assert!(!document.failed());
        for operation in ["read", "write"] {
            let rows = document.of(Metric::ThroughputMean).filter(|row| row.operation.name() == operation);
            let rates: Vec<_> = rows.map(|row| row.value).collect();
            prop_assert_eq!(rates.len(), 2);
            prop_assert_eq!(rates[0], rates[1]);
        }
    }

    /// Sequential accesses in closed form: every access costs the same.
    #[test]
    fn sequential_runs_meet_the_closed_form(access in 1u64..20_000, accesses in 1u64..60, slots in 1u64..9) {
        let experiment = experiment(RawWorkload {
            operations: vec![Operation::Read, Operation::Write],
            access_bytes: vec![access],
            total_bytes: access * accesses + access / 2,
            wrap_bytes: access * slots + access / 3,
            ..RawWorkload::default()
        });
        let document = try_run(&experiment).expect("runs");
        let of = |metric, operation: &str| {
            let mut rows = document.of(metric).filter(|row| row.operation.name() == operation);
            rows.next().and_then(|row| row.value).expect("a number")
        };
        let latency = |operation: &str| {
            let command_clocks = if operation == "read" { 30 } else { 14 };
            17.75e-6 + (command_clocks + 2 * access) as f64 / 120e6
        };
        for operation in ["read", "write"] {
            let latency = latency(operation);
            prop_assert!((of(Metric::LatencyMax, operation) - latency).abs() < 2e-12);
            let rate = access as f64 / latency;
            prop_assert!((of(Metric::ThroughputMean, operation) / rate - 1.0).abs() < 1e-6);
        }
        let one_place = 1e14 * latency("write");
        prop_assert!((of(Metric::LifetimeHotSpot, "write") / one_place - 1.0).abs() < 1e-6);
    }
}

/// The first value of a metric for an operation.
fn value(result: &ResultSet, metric: Metric, operation: Operation) -> Option<f64> {
    let mut rows = result.of(metric);
    rows.find(|row| row.operation == operation.into())?.value
}

/// Every part of the catalogue stores what it is given on its default board, whatever ways of working
/// it is asked for, and gives it back: the run itself compares the bytes.
#[test]
fn every_part_of_the_catalogue_runs_in_every_way() {
    let catalog = Catalog::load(&[]).expect("sound");
    for part in catalog.parts() {
        let page = 8192;
        for (cache, multi_plane) in [(false, false), (true, false), (false, true), (true, true)] {
            let raw = RawWorkload {
                patterns: vec![Pattern::Sequential],
                cache_read: cache,
                cache_program: cache,
                multi_plane,
                access_bytes: vec![page, 5 * page],
                total_bytes: 30 * page,
                wrap_bytes: 15 * page,
                ..RawWorkload::default()
            };
            let result = flash(&part.header.id, raw).expect("runs");
            let failed = result
                .rows
                .iter()
                .filter(|row| row.no_value == Some(NoValue::Failed));
            assert_eq!(
                failed.count(),
                0,
                "{}: {:?}",
                part.header.id,
                result.warnings
            );
        }
    }
}

/// Each way of working hides some time behind other time: it is never slower, and the array's time
/// that is seen is less.
#[test]
fn pipelines_of_nand_hide_time() {
    let run = |change: fn(&mut RawWorkload)| {
        let mut raw = RawWorkload {
            access_bytes: vec![64 << 10],
            total_bytes: 2 << 20,
            wrap_bytes: 2 << 20,
            ..RawWorkload::default()
        };
        change(&mut raw);
        let result = flash("i29f16g08canc1", raw).expect("runs");
        [Operation::Read, Operation::Write]
            .map(|operation| value(&result, Metric::ThroughputMean, operation).expect("a rate"))
    };
    let [read, write] = run(|_| {});
    let [cache_read, _] = run(|raw| raw.cache_read = true);
    let [_, cache_program] = run(|raw| raw.cache_program = true);
    let [planes_read, planes_write] = run(|raw| raw.multi_plane = true);
    let [_, both] = run(|raw| (raw.cache_program, raw.multi_plane) = (true, true));
    assert!(cache_read > 1.1 * read, "{cache_read} {read}");
    assert!(planes_read > 1.05 * read, "{planes_read} {read}");
    assert!(cache_program > 1.1 * write, "{cache_program} {write}");
    assert!(planes_write > 1.3 * write, "{planes_write} {write}");
    assert!(both > planes_write && both > cache_program);
    // Two planes cannot do more than double the rate of one.
    assert!(planes_write < 2.0 * write);
}

/// A read of an FRAM writes back what it destroyed.
#[test]
fn reads_wear_where_the_sheet_says_so() {
    let lifetime = |target: &str| {
        let result = flash(target, small()).expect("runs");
        value(&result, Metric::LifetimeHotSpot, Operation::Read)
    };
    assert!(lifetime("cy15b104q").is_some_and(|seconds| seconds > 0.0));
    assert_eq!(lifetime("em064lx"), None);
}

/// A log of 4 KiB records for a few targets, in two timing classes.
fn comparison() -> Experiment {
    let work = Work::log(DataRate::from_si(5e4), ByteCount::from_bytes(4096));
    Experiment {
        targets: ["cy15b104q", "mt25ql128", "mt29f1g01", "em064lx"]
            .map(String::from)
            .into(),
        workload: Workload::Compare(Box::new(CompareWorkload {
            in_turn: true,
            ..CompareWorkload::of(Work {
                keep: Some(SizeOrPeriod::For(Period::from_si(60.0))),
                ..work
            })
        })),
        timings: vec![Timing::Typ, Timing::Max],
        ..experiment(small())
    }
}

/// Small experiments of every workload whose cases run side by side, some with failing cases and warnings.
fn of_many_cases() -> Vec<Experiment> {
    let on = |targets: &[&str], workload| Experiment {
        targets: targets.iter().copied().map(String::from).collect(),
        workload,
        timings: vec![Timing::Typ, Timing::Max],
        ..experiment(small())
    };
    let raw = RawWorkload {
        fill: vec![Fraction::from_si(0.0), Fraction::from_si(0.01)],
        patterns: vec![Pattern::Sequential, Pattern::Random],
        ..small()
    };
    let mut buffer = BufferWorkload::of(AccessSource::Stream(StreamSource {
        operation: Operation::Write,
        pattern: Pattern::Sequential,
        record_bytes: 2048,
        total_bytes: 1 << 19,
        wrap_bytes: 1 << 18,
    }));
    buffer.rates_bytes_per_s = vec![1e5];
    let kv = |test| {
        Workload::Kv(KvWorkload {
            tables: ["lpht", "clht", "own"].map(name).to_vec(),
            directories: KvDirectory::ALL.to_vec(),
            test,
        })
    };
    let bench = KvBench {
        capacity_bytes: 16 << 10,
        sizes: vec![KvSizes::equal(8), KvSizes::equal(32)],
        builds: vec![KvBuild::None],
        ..KvBench::default()
    };
    let crash = KvCrash {
        sizes: vec![KvSizes::equal(8)],
        images: Some(20),
    };
    let wear = WearWorkload {
        blocks: 20,
        samples: 2,
        usages: vec![WearUsage::FirstPage, WearUsage::WholeBlock],
        most_cycles: 2000,
        ..WearWorkload::default()
    };
    let mut all = vec![
        on(&[TARGET, "mt29f1g01", "mt25ql128"], Workload::Raw(raw)),
        on(&[TARGET, "mt25ql128"], Workload::Buffer(buffer)),
        comparison(),
        on(&["as3004316", "ram@rpi3-sd"], kv(KvTest::Bench(bench))),
        on(&["as3004316"], kv(KvTest::Crash(crash))),
        on(&["nand08gw3b2c"], Workload::Wear(wear)),
    ];
    if cfg!(all(feature = "fat", feature = "littlefs")) {
        let fs = FsWorkload {
            file_systems: ["littlefs", "fat"].map(name).to_vec(),
            tests: vec![FsTest::Append, FsTest::Sequential],
            capacity_bytes: Some(1 << 20),
            file_bytes: 16 << 10,
            access_bytes: 4096,
            fill: vec![Fraction::from_si(0.0), Fraction::from_si(0.3)],
            crash_images: 4,
            ..FsWorkload::default()
        };
        all.push(on(&[TARGET, "mt25ql128"], Workload::Fs(fs)));
    }
    all
}

#[test]
fn no_byte_of_a_document_depends_on_the_threads() {
    let catalog = Catalog::load(&[]).expect("sound");
    for experiment in of_many_cases() {
        let name = experiment.workload.name();
        let on = |threads| {
            let control = Control {
                threads,
                ..Control::default()
            };
            let document = run(&catalog, &experiment, &control);
            let document = document.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(document.complete && document.rows.len() > 10, "{name}");
            document.to_json()
        };
        let alone = on(1);
        assert!(alone == on(2), "{name} on 2 threads");
        assert!(alone == on(3), "{name} on 3 threads");
    }
}

#[test]
fn an_interrupt_keeps_whole_candidates_as_they_are_in_the_finished_document() {
    let catalog = Catalog::load(&[]).expect("sound");
    let experiment = comparison();
    let whole = run(&catalog, &experiment, &Control::default()).expect("runs");
    for threads in [1, 2] {
        let stop = AtomicBool::new(false);
        let listen = |progress: wordline_lab::Progress<'_>| {
            stop.store(progress.done_bytes >= 3, Ordering::Relaxed);
        };
        let control = Control {
            stop: Some(&stop),
            progress: Some(&listen),
            threads,
            ..Control::default()
        };
        let part = run(&catalog, &experiment, &control).expect("it stops in order");
        assert_eq!((part.complete, part.check()), (false, Ok(())));
        assert!(part.verdicts.len() >= 3 && part.verdicts.len() < whole.verdicts.len());
        for verdict in &part.verdicts {
            assert!(whole.verdicts.contains(verdict), "{verdict:?}");
            let of = |document: &ResultSet| {
                let rows = document
                    .rows
                    .iter()
                    .filter(|row| (&row.target, row.timing) == (&verdict.target, verdict.timing));
                rows.cloned().collect::<Vec<_>>()
            };
            assert_eq!(of(&part), of(&whole));
        }
        // No row is of anything else.
        for row in &part.rows {
            let of = |verdict: &&wordline_core::results::Verdict| {
                (&row.target, row.timing) == (&verdict.target, verdict.timing)
            };
            assert!(part.verdicts.iter().any(|verdict| of(&verdict)), "{row:?}");
        }
    }
}
