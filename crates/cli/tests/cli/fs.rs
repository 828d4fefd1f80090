//! `wordline fs bench` from end to end.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cli::support::{Folder, everything, exported, rows, wordline};

const NOR: &str = "mt25ql128@stm32h755-qspi";
const NAND: &str = "mt29f1g01@stm32h755-qspi";
const MRAM: &str = "em064lx@stm32h755-qspi";

/// A run that takes a moment.
const SMALL: [&str; 12] = [
    "fs",
    "bench",
    "--target",
    "em064lx",
    "--workload",
    "append,small-files",
    "--file",
    "4KiB",
    "--files",
    "4",
    "--crash",
    "10",
];

fn names(rows: &[&Value], column: &str) -> BTreeSet<String> {
    let names = rows.iter().filter_map(|row| row[column].as_str());
    names.map(str::to_owned).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Every file system runs on every memory, and says all that it is asked for.
#[test]
fn two_file_systems_on_three_memories_tell_every_metric() {
    let document = wordline(&[
        "fs",
        "bench",
        "--fs",
        "littlefs,fat",
        "--target",
        "mt25ql128,mt29f1g01,em064lx",
        "--format",
        "json",
        "--quiet",
    ])
    .done()
    .json();
    assert_eq!(document["complete"], true);
    let all = document["rows"].as_array().expect("rows");
    // Calls that are too slow for the rate, and calls that ask the memory for nothing.
    let excused = |row: &Value| match row["metric"].as_str() {
        Some("ram_peak" | "ram_peak_in_flight") => row["no_value"] == "unbounded",
        Some("ops_rate" | "throughput_mean") => row["no_value"] == "not_applicable",
        _ => false,
    };
    let missing = all
        .iter()
        .find(|row| row["value"].is_null() && !excused(row));
    assert_eq!(missing, None);
    let operations = [
        "seq-write",
        "seq-read",
        "overwrite",
        "overwrite-sync",
        "random-write",
        "random-read",
        "append-sync",
        "create",
        "stat",
        "append-small",
        "rename",
        "delete",
        "mount",
    ];
    for target in [NOR, NAND, MRAM] {
        for fs in ["littlefs", "fat"] {
            let own = all.iter();
            let own = own.filter(|row| row["target"] == target && row["fs"] == fs);
            let own: Vec<_> = own.collect();
            let timed: Vec<_> = own
                .iter()
                .copied()
                .filter(|row| row["metric"] == "latency_max")
                .collect();
            assert_eq!(
                names(&timed, "operation"),
                set(&operations),
                "{target}, {fs}"
            );
            // At each of two fill levels, and the mount of all of the memory.
            assert_eq!(timed.len(), 2 * operations.len() + 1, "{target}, {fs}");
            let metrics = names(&own, "metric");
            for metric in [
                "throughput_mean",
                "latency_p50",
                "latency_p99",
                "latency_max_part",
                "latency_max_operations",
                "latency_max_operation_time",
                "write_amplification",
                "cycles_max",
                "wear_spread",
                "file_system_ram",
                "energy_per_op",
                "ram_peak",
                "ram_peak_in_flight",
                "rate_max",
                "crash_images",
                "crash_failures",
                "crash_boundaries",
            ] {
                assert!(metrics.contains(metric), "{target}, {fs}: {metric}");
            }
        }
    }
    the_slowest_calls_add_up(all);
}

/// What the slowest call consisted of is all of it: by cause, and by operation of the memory.
fn the_slowest_calls_add_up(rows: &[Value]) {
    let mut checked = 0;
    for whole in rows.iter().filter(|row| row["metric"] == "latency_max") {
        let same = |row: &Value| {
            [
                "target",
                "fs",
                "capacity_bytes",
                "fill",
                "operation",
                "timing",
            ]
            .iter()
            .all(|column| row[*column] == whole[*column])
        };
        let sum = |metric: &str| -> f64 {
            let parts = rows
                .iter()
                .filter(|row| row["metric"] == metric && same(row));
            parts.filter_map(|row| row["value"].as_f64()).sum()
        };
        let whole = whole["value"].as_f64().expect("a duration");
        for metric in ["latency_max_part", "latency_max_operation_time"] {
            let parts = sum(metric);
            assert!((parts - whole).abs() < 1e-11, "{metric}: {parts}, {whole}");
        }
        checked += usize::from(whole > 0.0);
    }
    assert!(checked > 100, "{checked}");
}

/// Small files as users of littlefs describe them who report stalls: docs/evidence/littlefs-stalls.md.
#[test]
fn the_stalls_that_users_of_littlefs_report_are_there_and_explained() {
    let ran = wordline(&[
        "fs",
        "bench",
        "--fs",
        "littlefs",
        "--target",
        "mt25ql128",
        "--workload",
        "small-files",
        "--fill",
        "0%",
        "--crash",
        "0",
        "--timing",
        "max",
        "--set",
        "littlefs.cache=64",
        "--set",
        "littlefs.lookahead=32",
        "--set",
        "littlefs.cycles=512",
        "--format",
        "json",
    ])
    .done();
    let document = ran.json();
    assert_eq!(document["experiment"]["workload"]["files"], 750);
    let value = |operation: &str, metric: &str, kind: Option<&str>| {
        let rows = rows(&document, metric);
        let mut rows = rows.iter();
        let row = rows.find(|row| {
            let same = kind.is_none_or(|kind| row["device_operation"] == kind);
            row["operation"] == operation && same
        });
        let row = row.unwrap_or_else(|| panic!("{operation}, {metric}"));
        row["value"].as_f64().expect("a number")
    };
    // Hundreds of milliseconds are typical, and seconds come.
    let typical = value("append-small", "latency_p50", None);
    assert!((0.1..1.0).contains(&typical), "{typical}");
    let slowest = value("create", "latency_max", None);
    assert!(slowest > 1.0, "{slowest}");
    // Half of it are reads of metadata that is compacted, and the rest are erases.
    let count = |kind| value("create", "latency_max_operations", Some(kind));
    assert!(count("read") > 10_000.0, "{}", count("read"));
    assert!(count("erase") <= 4.0, "{}", count("erase"));
    // As rare as those users say: some 25th call.
    let histograms = document["histograms"].as_object().expect("histograms");
    let mut creates = histograms
        .iter()
        .filter(|(name, _)| name.ends_with("create"));
    let (_, buckets) = creates.next().expect("creates were timed");
    let buckets = buckets.as_array().expect("buckets").iter();
    let (mut all, mut stalls) = (0, 0);
    for bucket in buckets {
        let count = bucket["count"].as_u64().expect("a count");
        all += count;
        if bucket["upper_s"].as_f64() > Some(0.1) {
            stalls += count;
        }
    }
    assert!((15..=35).contains(&(all / stalls)), "{stalls} of {all}");
}

#[test]
fn two_runs_are_the_same_and_every_format_shows_them() {
    let arguments = [&SMALL[..], &["--format", "json"]].concat();
    let first = everything(&arguments).done();
    assert_eq!(first.stdout, everything(&arguments).done().stdout);
    let document = first.json();
    let mounts = rows(&document, "file_system_ram");
    assert!(!mounts.is_empty());

    let folder = Folder::new();
    let files = exported(&SMALL, &folder, "append-sync");
    let again = everything(&["report", &files[0]]).done();
    assert_eq!(again.stdout, folder.read("a.txt"));
    assert!(
        again.stdout.contains("FAT (rust-fatfs)"),
        "{}",
        again.stdout
    );
    assert!(folder.read("a.html").contains("id=\"panel-curves\""));
}

#[test]
fn a_document_names_the_command_that_makes_it_again() {
    let arguments = [
        &SMALL[..],
        &["--fs", "fat", "--set", "fat.tables=1", "--format", "json"],
    ]
    .concat();
    let document = wordline(&arguments).done().json();
    let workload = &document["experiment"]["workload"];
    assert_eq!(workload["settings"]["fat.tables"], "1");
    assert_eq!(workload["tests"][1], "small-files");
    let advice = document["warnings"].to_string();
    assert!(advice.contains("tables 1"), "{advice}");
}

#[track_caller]
fn refused(arguments: &[&str], words: &[&str]) {
    wordline(&[&["fs", "bench"], arguments].concat()).refused(words);
}

/// littlefs promises to survive power cuts; FAT does not.
#[test]
fn what_power_cuts_break_has_its_reason_and_is_a_failed_check_where_it_was_required() {
    let cut = |fs: &str, target: &str, images: &str, more: &[&str]| {
        let plain = [
            "fs",
            "bench",
            "--fs",
            fs,
            "--target",
            target,
            "--workload",
            "append",
            "--file",
            "1KiB",
            "--fill",
            "0%",
            "--crash",
            images,
            "--format",
            "json",
            "--quiet",
        ];
        wordline(&[&plain[..], more].concat())
    };
    let failures = |document: &Value| {
        let rows = rows(document, "crash_failures");
        rows[0]["value"].as_f64().expect("a number")
    };
    let fat = cut("fat", "mt25ql128", "40", &[]).done().json();
    assert_ne!(failures(&fat), 0.0);
    assert!(
        fat["warnings"]
            .to_string()
            .contains("promises nothing of the kind")
    );

    let required = ["--require", "littlefs"];
    let sound = cut("littlefs", "em064lx", "40", &required).done().json();
    assert_eq!(failures(&sound), 0.0);

    cut("littlefs", "mt29f1g01", "2000", &[]).done();
    let behind_ecc = cut("littlefs", "mt29f1g01", "2000", &required);
    assert_eq!(behind_ecc.code, Some(1));
    let document = behind_ecc.json();
    assert_ne!(failures(&document), 0.0);
    let warnings = document["warnings"].to_string();
    for words in [
        "read differently every time",
        "littlefs asks once",
        "first image",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
}

#[test]
fn what_cannot_be_run_is_refused_with_what_is_allowed() {
    refused(&[], &["--target"]);
    refused(
        &[
            "--target",
            "em064lx",
            "--fs",
            "fat",
            "--require",
            "littlefs",
        ],
        &["--require littlefs: littlefs is not among the file systems of --fs"],
    );
    refused(
        &["--target", "em064lx", "--require", "fat", "--crash", "0"],
        &["--require fat: --crash 0 cuts no power"],
    );
    refused(
        &["--target", "em064lx", "--fs", "xfs"],
        &["xfs", "possible values: littlefs, fat"],
    );
    refused(
        &["--target", "em064lx", "--fs", "fat,fat"],
        &["fs fat is named twice"],
    );
    refused(
        &["--target", "em064lx,em064lx"],
        &["target em064lx@stm32h755-qspi is named twice"],
    );
    refused(
        &["--target", "em064lx", "--workload", "sideways"],
        &["sideways", "small-files"],
    );
    refused(
        &["--target", "rdimm-6400-2rx4-128g@xeon6-1s"],
        &["rdimm-6400-2rx4-128g"],
    );
    refused(
        &["--target", "em064lx", "--file", "1GiB"],
        &["file 1 GiB does not fit em064lx", "allowed: 1 B to 2 MiB"],
    );
    refused(
        &["--target", "em064lx", "--file", "4KiB", "--access", "8KiB"],
        &["access 8 KiB does not fit the file", "4 KiB"],
    );
    refused(
        &["--target", "em064lx", "--capacity", "0B"],
        &["capacity 0 B leaves the file system nothing"],
    );
    refused(
        &["--target", "em064lx", "--files", "0"],
        &["files 0 is out of range", "allowed: 1 to 100000"],
    );
    refused(
        &["--target", "em064lx", "--files", "9999999"],
        &["files 9999999 is out of range", "allowed: 1 to 100000"],
    );
    refused(
        &["--target", "em064lx", "--crash", "-1"],
        &["'-1'", "--crash", "no whole number"],
    );
    refused(
        &["--target", "em064lx", "--small", "1MiB"],
        &["small 1 MiB does not fit em064lx 40 times"],
    );
    refused(
        &["--target", "em064lx", "--fill", "120%"],
        &["fill 1.2 is out of range", "0 % to 100 %"],
    );
    refused(
        &["--target", "em064lx", "--ftl", "page"],
        &["ftl is what FAT runs over on NAND"],
    );
    refused(
        &["--target", "em064lx", "--set", "fat.color=red"],
        &["set fat.color is not an option", "fat.tables"],
    );
    refused(
        &["--target", "em064lx", "--set", "fat.tables=two"],
        &["fat.tables=two is neither a number"],
    );
    refused(
        &[
            "--target",
            "em064lx",
            "--fs",
            "littlefs",
            "--set",
            "fat.tables=1",
        ],
        &["set fat.tables is a choice of fat, which does not run"],
    );
    refused(
        &["--target", "em064lx", "--set", "fat.tables=0"],
        &["set does not suit FAT", "0 copies of the table"],
    );
    refused(
        &["--target", "em064lx", "--set", "fat.tables"],
        &["NAME=VALUE"],
    );
}

/// A memory that a file system cannot use says so in its rows, and the others run.
#[test]
fn a_memory_that_does_not_suit_is_told_and_the_others_run() {
    let ran = wordline(&[
        "fs",
        "bench",
        "--fs",
        "fat",
        "--target",
        "mt29f1g01,em064lx",
        "--capacity",
        "1MiB",
        "--workload",
        "append",
        "--crash",
        "0",
        "--format",
        "json",
    ])
    .done();
    let document = ran.json();
    let unsuitable = document["warnings"].as_array().expect("warnings").iter();
    let unsuitable = unsuitable.filter(|warning| warning["code"] == "unsuitable");
    assert_ne!(unsuitable.count(), 0);
    let latencies = rows(&document, "latency_max");
    let of = |target: &str| {
        let mut own = latencies.iter().filter(move |row| row["target"] == target);
        own.any(|row| row["no_value"] == "not_applicable")
    };
    assert!(of(NAND) && !of(MRAM));
}
