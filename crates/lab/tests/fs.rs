//! File systems on memories: figures that can be worked out by hand, and what cannot be run.

use wordline_catalog::Catalog;
use wordline_core::quantity::{Fraction, Quantity as _};
use wordline_core::results::{AxisValue, NoValue, ResultSet};
use wordline_core::{
    Axis, Experiment, FsTest, FsWorkload, Metric, RowOperation, Timing, TranslationLayer, Workload,
};
use wordline_lab::{Control, LabError, default_fs_workload, run};

const NOR: &str = "mt25ql128@stm32h755-qspi";
const NAND: &str = "mt29f1g01@stm32h755-qspi";
const MRAM: &str = "em064lx@stm32h755-qspi";
const CARD: &str = "swissbit-g4000-4g";

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets")
}

fn workload(file_system: &str, test: FsTest) -> FsWorkload {
    FsWorkload {
        file_systems: vec![file_system.parse().expect("a name")],
        tests: vec![test],
        capacity_bytes: Some(1 << 20),
        file_bytes: 16 << 10,
        access_bytes: 4096,
        fill: vec![Fraction::from_si(0.0)],
        files: 8,
        crash_images: 0,
        ..FsWorkload::default()
    }
}

fn try_run(target: &str, workload: FsWorkload) -> Result<ResultSet, LabError> {
    let experiment = Experiment {
        targets: vec![target.to_owned()],
        workload: Workload::Fs(workload),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 3,
        ftl: None::<TranslationLayer>,
    };
    run(&catalog(), &experiment, &Control::default())
}

fn ran(target: &str, workload: FsWorkload) -> ResultSet {
    try_run(target, workload).expect("the workload suits the target")
}

/// The value of a metric of an operation, with an axis where one is named.
fn value(
    document: &ResultSet,
    operation: &str,
    metric: Metric,
    axis: Option<(Axis, &str)>,
) -> Option<f64> {
    let mut rows = document
        .of(metric)
        .filter(|row| row.operation.name() == operation);
    let row = rows.find(|row| {
        axis.is_none_or(|(axis, name)| {
            row.axes.get(&axis) == Some(&AxisValue::Text(name.to_owned()))
        })
    });
    row.and_then(|row| row.value)
}

/// FAT on rewritten NOR sectors of 4 KiB: a call that overwrites one reads it, erases it once, and programs 16 pages.
#[test]
fn a_sector_of_nor_is_erased_and_programmed_once_for_each_overwrite() {
    let document = ran(NOR, workload("fat", FsTest::Overwrite));
    let of = |metric, kind| {
        value(
            &document,
            "overwrite",
            metric,
            Some((Axis::DeviceOperation, kind)),
        )
    };
    assert_eq!(of(Metric::DeviceOperations, "erase"), Some(4.0));
    assert_eq!(of(Metric::DeviceOperations, "program"), Some(64.0));
    assert_eq!(of(Metric::LatencyMaxOperations, "erase"), Some(1.0));
    let plain = |metric| value(&document, "overwrite", metric, None);
    assert_eq!(plain(Metric::WriteAmplification), Some(1.0));
    // Four of 256 sectors, once each.
    assert_eq!(plain(Metric::CyclesMax), Some(1.0));
    assert_eq!(plain(Metric::WearSpread), Some(64.0));
    let time = |kind| of(Metric::LatencyMaxOperationTime, kind).unwrap_or_default();
    let parts = time("erase") + time("program") + time("read");
    let whole = plain(Metric::LatencyMax).expect("it was timed");
    assert!((parts - whole).abs() < 1e-12, "{parts}, {whole}");
}

/// Overwrites at random places that are each synced: rtfs programs the pages of each and no more, as each call lasts when it
/// returns; littlefs copies what lies behind it in the file. Both have rows of percentiles and of what the slowest call did.
#[test]
fn synced_overwrites_have_rows_of_their_own() {
    let slowest = ["littlefs", "rtfs"].map(|kind| {
        let document = ran(
            NAND,
            FsWorkload {
                capacity_bytes: None,
                file_bytes: 256 << 10,
                ..workload(kind, FsTest::OverwriteSync)
            },
        );
        let of = |metric| value(&document, "overwrite-sync", metric, None);
        assert_eq!(of(Metric::AccessCount), Some(64.0), "{kind}");
        assert!(of(Metric::LatencyP50).is_some() && of(Metric::LatencyP90).is_some());
        let programs = value(
            &document,
            "overwrite-sync",
            Metric::LatencyMaxOperations,
            Some((Axis::DeviceOperation, "program")),
        );
        assert!(programs.is_some_and(|programs| programs >= 2.0), "{kind}");
        if kind == "rtfs" {
            // Nothing is cleaned yet: two pages a call, and a page of the map or a header now and then.
            let amplified = of(Metric::WriteAmplification).unwrap_or_default();
            assert!((1.0..1.3).contains(&amplified), "{amplified}");
        }
        of(Metric::LatencyMax).unwrap_or_default()
    });
    assert!(slowest[0] > 10.0 * slowest[1], "{slowest:?}");
}

/// Small files are renamed before they are deleted, and each rename is a call of its own.
#[test]
fn small_files_are_renamed() {
    for kind in ["littlefs", "fat", "rtfs"] {
        let target = if kind == "rtfs" { NAND } else { MRAM };
        let workload = FsWorkload {
            capacity_bytes: None,
            ..workload(kind, FsTest::SmallFiles)
        };
        let document = ran(target, workload);
        assert!(!document.failed(), "{kind}: {:?}", document.warnings);
        let of = |metric| value(&document, "rename", metric, None);
        assert_eq!(of(Metric::AccessCount), Some(8.0), "{kind}");
        assert!(of(Metric::LatencyMax).is_some_and(|latency| latency > 0.0));
    }
}

/// Where any byte can be overwritten, an overwrite stores what the caller gave and no more; littlefs copies what it
/// overwrites to other blocks, and links them.
#[test]
fn an_overwrite_of_mram_stores_what_the_caller_gave() {
    for (kind, most) in [("fat", 1.0), ("littlefs", 1.1)] {
        let document = ran(MRAM, workload(kind, FsTest::Overwrite));
        let stored = value(&document, "overwrite", Metric::WriteAmplification, None);
        let stored = stored.unwrap_or_default();
        assert!((1.0..=most).contains(&stored), "{kind}: {stored}");
        let ram = value(&document, "mount", Metric::FileSystemRam, None);
        let buffers = value(
            &document,
            "mount",
            Metric::FileSystemRamPart,
            Some((Axis::Cause, "buffers")),
        );
        assert!(
            ram > buffers && buffers >= Some(512.0),
            "{ram:?}, {buffers:?}"
        );
    }
}

/// What rtfs puts off it does in steps: no call erases two blocks, and no power cut breaks its promise.
#[test]
fn a_call_of_rtfs_erases_one_block_at_most() {
    let document = ran(
        NAND,
        FsWorkload {
            tests: FsTest::ALL.to_vec(),
            capacity_bytes: None,
            file_bytes: 2 << 20,
            fill: vec![Fraction::from_si(0.5)],
            crash_images: 40,
            ..workload("rtfs", FsTest::Random)
        },
    );
    let erase = AxisValue::Text("erase".to_owned());
    let of_erases = |metric| {
        let rows = document.of(metric);
        let rows = rows.filter(|row| row.axes.get(&Axis::DeviceOperation) == Some(&erase));
        rows.filter_map(|row| row.value)
    };
    let most = of_erases(Metric::LatencyMaxOperations).fold(0.0, f64::max);
    assert_eq!(most, 1.0);
    let all: f64 = of_erases(Metric::DeviceOperations).sum();
    assert!(all > 64.0, "every block was erased: {all}");
    let ram = value(&document, "mount", Metric::FileSystemRam, None);
    let parts = document.of(Metric::FileSystemRamPart);
    let parts = parts.filter(|row| row.axes.get(&Axis::Fill) == Some(&AxisValue::Number(0.5)));
    assert_eq!(
        parts.filter_map(|row| row.value).sum::<f64>(),
        ram.unwrap_or_default()
    );
    let failures = value(&document, "crash", Metric::CrashFailures, None);
    assert_eq!(failures, Some(0.0));
}

/// rtfs runs on NOR flash, in pages of its own.
#[test]
fn rtfs_runs_on_nor() {
    let document = ran(
        NOR,
        FsWorkload {
            capacity_bytes: None,
            ..workload("rtfs", FsTest::Append)
        },
    );
    let rate = value(&document, "append-sync", Metric::OpsRate, None);
    assert!(rate > Some(0.0), "{:?}", document.warnings);
}

/// The translation layer below FAT on NAND is named in the rows, and its table counts as RAM.
#[test]
fn fat_on_nand_runs_over_a_translation_layer() {
    let document = ran(
        NAND,
        FsWorkload {
            capacity_bytes: Some(8 << 20),
            ..workload("fat", FsTest::Append)
        },
    );
    let layer = AxisValue::Text("page, 12 % spare".to_owned());
    assert!(
        document
            .rows
            .iter()
            .all(|row| row.axes.get(&Axis::Ftl) == Some(&layer))
    );
    let part = |name| {
        let part = Some((Axis::Cause, name));
        value(&document, "mount", Metric::FileSystemRamPart, part)
    };
    let table = part("translation-mapping");
    assert!(table > Some(0.0), "{table:?}");
    let all = document.of(Metric::FileSystemRamPart);
    let all: f64 = all.filter_map(|row| row.value).sum();
    let ram = value(&document, "mount", Metric::FileSystemRam, None);
    assert_eq!(ram, Some(all));
    // A bit for each of 63 blocks of 64 pages: one block holds the mark of the layer. Two pages of 2 KiB.
    assert_eq!(part("translation-live-pages"), Some(504.0));
    assert!(part("translation-pages") >= Some(4096.0));
    let fresh = document.warnings.iter();
    let fresh = fresh.filter(|one| one.code == "fresh-memory").count();
    assert_eq!(
        fresh, 1,
        "16 KiB leave a layer on 8 MiB nothing to clean up"
    );
}

#[test]
fn a_memory_without_room_fails_with_the_reason() {
    let document = ran(
        MRAM,
        FsWorkload {
            file_bytes: 512 << 10,
            fill: vec![Fraction::from_si(0.75)],
            ..workload("fat", FsTest::Sequential)
        },
    );
    assert!(document.failed());
    let failed = document.of(Metric::LatencyMax);
    let failed: Vec<_> = failed
        .filter(|row| row.no_value == Some(NoValue::Failed))
        .collect();
    assert_eq!(failed.len(), 1);
    let told = document.warnings.iter();
    let told: Vec<_> = told.filter(|one| one.code == "run-failed").collect();
    assert!(
        told.iter()
            .any(|one| one.advice.contains("there is no room")),
        "{told:?}"
    );
}

#[test]
fn a_run_that_is_stopped_is_not_complete() {
    let stop = std::sync::atomic::AtomicBool::new(true);
    let control = Control {
        stop: Some(&stop),
        ..Control::default()
    };
    let experiment = Experiment {
        targets: vec![MRAM.to_owned()],
        workload: Workload::Fs(workload("fat", FsTest::Append)),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    };
    let document = run(&catalog(), &experiment, &control).expect("a stop is no error");
    assert!(!document.complete);
    assert!(document.of(Metric::ThroughputMean).next().is_none());
}

#[test]
fn the_default_workload_fits_the_smallest_target() {
    let catalog = catalog();
    let target = |name| catalog.part_on_board(name).expect("it is embedded");
    let all = [target(NOR), target(NAND)];
    let every = FsWorkload {
        file_systems: ["littlefs", "fat", "rtfs"]
            .map(|name| name.parse().expect("a name"))
            .to_vec(),
        ..FsWorkload::default()
    };
    assert_eq!(default_fs_workload(&all, None), every);
    let overwritten = default_fs_workload(&[target(MRAM)], None).file_systems;
    let overwritten: Vec<_> = overwritten.iter().map(|name| name.name()).collect();
    assert_eq!(
        overwritten,
        ["littlefs", "fat", "flat"],
        "rtfs needs flash, and flat bytes"
    );
    let small = default_fs_workload(&all, Some(8192));
    assert_eq!((small.capacity_bytes, small.file_bytes), (Some(8192), 1024));
    assert_eq!((small.access_bytes, small.record_bytes), (1024, 256));
}

/// What a memory gets, and so its figures, do not depend on what else is run.
#[test]
fn a_target_has_the_same_rows_whatever_its_neighbours_are() {
    let run_on = |targets: &[&str]| {
        let experiment = Experiment {
            targets: targets.iter().map(|name| (*name).to_owned()).collect(),
            workload: Workload::Fs(FsWorkload {
                capacity_bytes: None,
                ..workload("littlefs", FsTest::Append)
            }),
            timings: vec![Timing::Typ],
            age: 0.0,
            seed: 3,
            ftl: None,
        };
        let document = run(&catalog(), &experiment, &Control::default()).expect("it suits");
        let rows = document.rows.into_iter();
        rows.filter(|row| row.target == NOR).collect::<Vec<_>>()
    };
    let alone = run_on(&[NOR]);
    assert_eq!(alone, run_on(&[NOR, NAND]));
    // The mount and the RAM are told for all 16 MiB as well.
    let mounts = alone.iter().filter(|row| {
        row.operation == RowOperation::Mount
            && row.axes.get(&Axis::CapacityBytes) == Some(&AxisValue::Count(16 << 20))
    });
    let told: Vec<_> = mounts.map(|row| row.metric).collect();
    assert!(told.contains(&Metric::LatencyMax) && told.contains(&Metric::FileSystemRam));
}

/// An unsuitable memory has no verdict on power cuts, which would be one on nothing.
#[test]
fn what_cannot_run_is_no_failure_under_power_cuts() {
    let document = ran(
        "mt28ew512",
        FsWorkload {
            crash_images: 5,
            ..workload("fat", FsTest::Append)
        },
    );
    for metric in [Metric::CrashImages, Metric::CrashFailures] {
        let rows: Vec<_> = document.of(metric).map(|row| row.no_value).collect();
        assert_eq!(rows, [Some(NoValue::NotApplicable)]);
    }
    let codes: Vec<_> = document
        .warnings
        .iter()
        .map(|one| one.code.as_str())
        .collect();
    assert!(
        codes.contains(&"unsuitable") && !codes.contains(&"power-cut"),
        "{codes:?}"
    );
}

#[test]
fn a_choice_that_cannot_be_is_refused() {
    for (kind, name, number) in [
        ("fat", "fat.tables", "0"),
        ("fat", "fat.cluster", "512"),
        ("littlefs", "littlefs.cycles", "-2"),
        ("littlefs", "littlefs.cache", "100"),
        ("rtfs", "rtfs.spare", "100"),
        ("rtfs", "rtfs.log", "1"),
    ] {
        let mut workload = FsWorkload {
            capacity_bytes: None,
            ..workload(kind, FsTest::Append)
        };
        workload.settings.insert(name.to_owned(), number.to_owned());
        let refused = try_run(NOR, workload)
            .map(|_| ())
            .expect_err(name)
            .to_string();
        assert!(
            refused.contains("set") && refused.contains("does not suit"),
            "{name}: {refused}"
        );
    }
}

/// More files than the root of a FAT of 12 or 16 bits has room for.
#[test]
fn small_files_are_not_bounded_by_the_root_of_a_fat() {
    let document = ran(
        MRAM,
        FsWorkload {
            files: 520,
            small_bytes: 8,
            ..workload("fat", FsTest::SmallFiles)
        },
    );
    assert!(!document.failed(), "{:?}", document.warnings);
    assert_eq!(
        value(&document, "delete", Metric::AccessCount, None),
        Some(520.0)
    );
}

/// A card's own layer tells sums since it was made, so that what the calls took of a block is not known.
#[test]
fn what_a_card_does_not_tell_of_wear_is_said() {
    let document = ran(CARD, workload("fat", FsTest::Append));
    for metric in [Metric::CyclesMax, Metric::WearSpread] {
        let rows: Vec<_> = document.of(metric).map(|row| row.no_value).collect();
        assert_eq!(rows, [Some(NoValue::NotApplicable)]);
    }
    let warnings = document.warnings.iter();
    let reasons = warnings.filter(|one| one.advice.contains("sums since it was made"));
    assert_eq!(reasons.count(), 1);
}

#[test]
fn more_than_a_part_has_is_all_of_it_and_is_told() {
    let document = ran(
        MRAM,
        FsWorkload {
            capacity_bytes: Some(1 << 30),
            ..workload("fat", FsTest::Append)
        },
    );
    let told = document.warnings.iter();
    let told = told.filter(|one| one.advice.contains("8 MiB and not 1 GiB"));
    assert_eq!(told.count(), 1, "{:?}", document.warnings);
}

/// A percentile of fewer calls than it needs to single one out is not told.
#[test]
fn percentiles_need_calls() {
    // 64 records.
    let document = ran(MRAM, workload("fat", FsTest::Append));
    let told = |metric| value(&document, "append-sync", metric, None).is_some();
    assert!(told(Metric::LatencyP90) && told(Metric::LatencyMax));
    assert!(!told(Metric::LatencyP99) && !told(Metric::LatencyP999));
}
