//! `wordline kv`.

use serde_json::Value;

use crate::cli::support::{Folder, everything, rows, wordline};

const BENCH: [&str; 10] = [
    "kv",
    "bench",
    "--target",
    "as3004316",
    "--size",
    "4B,8B/2B",
    "--capacity",
    "16KiB",
    "--quiet",
    "--format",
];

#[test]
fn a_bench_is_the_same_twice_and_names_its_floor() {
    let first = everything(&[&BENCH[..], &["json"]].concat()).done().stdout;
    assert_eq!(
        first,
        everything(&[&BENCH[..], &["json"]].concat()).done().stdout
    );
    let table = everything(&[&BENCH[..], &["table"]].concat()).done().stdout;
    assert!(
        table.contains("as3004316@stm32h743-fmc16: insert"),
        "{table}"
    );
    assert!(
        table.contains("8 B / 2 B") && table.contains("floor"),
        "{table}"
    );
}

#[test]
fn redb_moves_pages_and_its_computing_is_a_caution() {
    let bench = [
        "kv",
        "bench",
        "--target",
        "as3004316",
        "--size",
        "32B",
        "--capacity",
        "128KiB",
        "--load",
        "0.5",
        "--table",
        "own,redb",
        "--quiet",
        "--format",
        "json",
    ];
    let document: Value = serde_json::from_str(&wordline(&bench).done().stdout).expect("JSON");
    let rows = rows(&document, "bytes_moved");
    let moved = |table: &str| {
        let is_its = |row: &&&Value| row["table"] == table && row["operation"] == "insert";
        let row = rows.iter().find(is_its).expect("a row");
        row["value"].as_f64().expect("a figure")
    };
    assert!(moved("redb") > 20_000.0 && moved("own") < 100.0);
    assert!(
        document["warnings"]
            .to_string()
            .contains("redb: what it computes")
    );
}

#[test]
fn a_required_table_that_loses_something_fails_the_command() {
    let crash = [
        "kv",
        "crash",
        "--target",
        "as3004316",
        "--images",
        "40",
        "--quiet",
        "--table",
    ];
    let lost = everything(&[&crash[..], &["lpht", "--require", "lpht", "--size", "32B"]].concat());
    assert_eq!(lost.code, Some(1), "{}", lost.stderr);
    let kept = everything(&[&crash[..], &["own", "--require", "own"]].concat());
    assert_eq!(kept.code, Some(0), "{}", kept.stderr);
    assert!(kept.stdout.contains("Power cuts"), "{}", kept.stdout);
    let absent = everything(&[&crash[..], &["own", "--require", "clht"]].concat());
    assert_eq!(absent.code, Some(2));
    assert!(
        absent.stderr.contains("not among the tables"),
        "{}",
        absent.stderr
    );
}

#[test]
fn what_cannot_run_is_refused_by_name() {
    #[cfg(not(feature = "rocksdb"))]
    wordline(&["kv", "bench", "--target", "as3004316", "--table", "rocksdb"]).refused(&[
        "librocksdb-dev",
        "--features rocksdb",
        "wordline io record",
        "wordline io replay",
    ]);
    for (words, said) in [
        (&["bench", "--target", "mt25ql128"][..], "one by one"),
        (
            &["bench", "--target", "as3004316", "--size", "1KiB"],
            "1 B to 256 B",
        ),
        (
            &["bench", "--target", "as3004316", "--size", "0B/4B"],
            "1 B to 256 B",
        ),
        (
            &["bench", "--target", "as3004316", "--table", "btree"],
            "lpht, clht, own",
        ),
        (&["bench", "--target", "ram@fpga-stddr4"], "no table [cpu]"),
        (&["crash", "--target", "ram"], "keeps nothing without power"),
        (&["crash", "--target", "file:table.bin"], "up to its disk"),
        (
            &[
                "crash",
                "--target",
                "as3004316",
                "--size",
                "65535B",
                "--table",
                "own",
            ],
            "up to 32756 B",
        ),
        (
            &["bench", "--target", "as3004316", "--load", "0.0000001%"],
            "the least is",
        ),
        (
            &["bench", "--target", "ram@host", "--build", "none"],
            "no target is simulated",
        ),
        (
            &["bench", "--target", "ram@host", "--timing", "max"],
            "no column of a data sheet",
        ),
        (
            &["bench", "--target", "ram@host", "--destroy", "x"],
            "no target is file:x",
        ),
        (
            &["bench", "--target", "as3004316", "--repeat", "9"],
            "a simulation is the same each time",
        ),
        (
            &["bench", "--target", "ram@host", "--repeat", "0"],
            "1 to 100",
        ),
        (&["bench", "--target", "file:/dev/null"], "it is a device"),
        (&["bench", "--target", "file:."], "it is a folder"),
        (&["dump", "no-such-image.bin"], "cannot be read"),
        (&["dump", "Cargo.toml"], "no wordline-kv table begins"),
    ] {
        wordline(&[&["kv"], words].concat()).refused(&[said]);
    }
}

#[test]
fn a_file_is_measured_and_one_that_holds_data_is_named_again() {
    let folder = Folder::new();
    let (path, out) = (folder.file("table.bin"), folder.file("out.json"));
    let target = format!("file:{path}");
    let bench = |more: &[&str]| {
        let bench = [
            "kv",
            "bench",
            "--target",
            &target,
            "--table",
            "own",
            "--size",
            "8B",
            "--capacity",
            "4KiB",
            "--operations",
            "3",
            "--load",
            "50%",
            "--quiet",
            "--format",
            "json",
        ];
        wordline(&[&bench[..], more].concat())
    };
    let document: Value = serde_json::from_str(&bench(&[]).done().stdout).expect("valid JSON");
    let inserts = rows(&document, "ops_rate");
    assert_eq!(inserts[0]["basis"], "measured");
    assert!(document["environment"]["system"].is_string());
    assert_eq!(std::fs::metadata(&path).expect("it was made").len(), 0);
    std::fs::write(&path, "dear diary").expect("room");
    bench(&[]).refused(&["has 10 bytes and not 4096", "left alone"]);
    bench(&["--destroy", &path]).refused(&["has 10 bytes and not 4096"]);
    std::fs::write(&path, [1; 4096]).expect("room");
    bench(&[]).refused(&[
        "holds data, which would be lost",
        &format!("--destroy {path}"),
    ]);
    bench(&["--destroy", &out]).refused(&["no target is file:"]);
    assert_eq!(std::fs::read(&path).expect("it is there"), [1; 4096]);
    bench(&["--destroy", &path]).done();
    assert_eq!(std::fs::read(&path).expect("it is there"), [0; 4096]);
    bench(&["--export", &format!("{path}.json")]).done();
    let both = [
        "kv",
        "bench",
        "--target",
        "ram@host,as3004316",
        "--build",
        "none",
        "--size",
        "8B",
        "--capacity",
        "4KiB",
        "--load",
        "50%",
    ];
    let said = wordline(&both).done().stderr;
    assert!(
        said.contains("on ram@host the processor's own time"),
        "{said}"
    );
    let once = [
        "kv",
        "bench",
        "--target",
        "ram@host",
        "--size",
        "8B",
        "--capacity",
        "4KiB",
        "--load",
        "50%",
        "--repeat",
        "2",
    ];
    let told = everything(&once).done().stdout;
    assert!(
        told.contains("medians of 2 repeats. Max is the longest"),
        "{told}"
    );
    let same = Folder::new();
    let json = same.file("same.json");
    let target = format!("file:{json}");
    wordline(&["kv", "bench", "--target", &target, "--export", &json]).refused(&["same file"]);
    assert!(!std::path::Path::new(&json).exists());
}
