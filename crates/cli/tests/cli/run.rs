//! `wordline run`: the same bytes as the command, from its experiment and from its result.

use wordline_core::ResultSet;
use wordline_core::sweep::SweepResult;

use crate::cli::support::{Folder, command, wordline};

/// A short run of each kind that is simulated, or reads a file of `examples/`.
pub(crate) const COMMANDS: [&[&str]; 14] = [
    &[
        "raw",
        "--target",
        "em064lx,mt25ql128",
        "--size",
        "2KiB",
        "--total",
        "64KiB",
    ],
    &[
        "buffer",
        "--target",
        "mt29f1g01",
        "--rate",
        "1MB/s",
        "--record",
        "4KiB",
        "--total",
        "1MiB",
    ],
    &["buffer", "--log", "fio_lat.1.log", "--rate", "20MB/s"],
    &[
        "buffer",
        "--target",
        "em064lx",
        "--trace",
        "blkparse.txt",
        "--rate",
        "50KB/s",
    ],
    &[
        "compare",
        "--rate",
        "50KB/s",
        "--record",
        "4KiB",
        "--keep",
        "1min",
        "--target",
        "em064lx,mt25ql128",
    ],
    &[
        "compare",
        "--rate",
        "50KB/s",
        "--record",
        "4KiB",
        "--target",
        "em064lx",
        "--log",
        "fio_lat.1.log",
    ],
    &["wear", "--target", "nand08gw3b2c", "--blocks", "4"],
    &["wear", "health", "--trace", "cycled.csv"],
    &["kv", "bench", "--target", "em064lx", "--load", "50%"],
    &["fs", "bound", "--target", "mt29f1g01"],
    &["io", "replay", "sqlite-wal.wft", "--target", "em064lx"],
    &[
        "dram",
        "idle",
        "--target",
        "rdimm-6400-2rx4-128g@xeon6-1s",
        "--samples",
        "500",
    ],
    &[
        "app",
        "project",
        "solver-profile.json",
        "--to",
        "mrdimm-8800-2rx4-128g@xeon6-1s",
    ],
    &["host", "import", "multichase.txt"],
];

pub(crate) fn examples() -> Folder {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let of = |name: &str| std::fs::read(format!("{folder}/{name}")).expect("an example");
    let names = [
        "fio_lat.1.log",
        "sqlite-wal.wft",
        "blkparse.txt",
        "cycled.csv",
        "solver-profile.json",
        "multichase.txt",
    ];
    names
        .iter()
        .fold(Folder::new(), |folder, name| folder.with(name, of(name)))
}

#[test]
fn an_experiment_and_a_result_give_the_bytes_of_their_command() {
    let folder = examples();
    let in_folder = |arguments: &[&str]| {
        let mut command = command(arguments);
        crate::cli::support::Ran::of(command.current_dir(folder.path()))
    };
    for words in COMMANDS {
        let own = in_folder(&[words, &["--format", "json", "--quiet"]].concat());
        assert!(matches!(own.code, Some(0 | 1)), "{words:?}: {own:?}");
        let experiment = in_folder(&[words, &["--print-experiment"]].concat()).done();
        for (name, text) in [
            ("experiment.json", &experiment.stdout),
            ("result.json", &own.stdout),
        ] {
            std::fs::write(folder.path().join(name), text).expect("it is written");
        }
        // The experiment runs for a store that does not have its result, and is taken from one that does.
        for run in [
            &["run", "result.json"][..],
            &["run", "experiment.json", "--store", "kept"],
            &["run", "experiment.json", "--store", "kept"],
        ] {
            let again = in_folder(&[run, &["--format", "json", "--quiet"]].concat());
            assert_eq!(again.code, own.code, "{words:?} {run:?}: {again:?}");
            assert!(
                again.stdout == own.stdout,
                "{words:?} by {run:?} is another document"
            );
        }
        // As a point of a sweep.
        let experiment: serde_json::Value = experiment.json();
        let seed = experiment["seed"].clone();
        let sweep = serde_json::json!({
            "experiment": experiment, "axis": [{ "field": "seed", "values": [seed] }],
        });
        std::fs::write(folder.path().join("sweep.json"), sweep.to_string()).expect("it is written");
        let swept = in_folder(&["sweep", "sweep.json", "--format", "json", "--quiet"]);
        let swept = SweepResult::from_json(&swept.stdout).expect("a result of a sweep");
        let point = swept.points[0].result.as_ref().expect("it ran");
        let own = ResultSet::from_json(&own.stdout).expect("a result");
        assert!(point.to_json() == own.to_json(), "{words:?} in a sweep");
    }
}

#[test]
fn an_experiment_that_is_printed_again_is_the_same() {
    let words = ["raw", "--target", "em064lx", "--print-experiment"];
    let printed = wordline(&words).done().stdout;
    let folder = Folder::new().with("raw.json", &printed);
    let again = wordline(&["run", &folder.file("raw.json"), "--print-experiment"]).done();
    assert_eq!(again.stdout, printed);
}

#[test]
fn what_an_experiment_leaves_out_suits_its_targets() {
    let text = r#"{"targets":["em064lx"],"workload":{"kind":"raw","operations":["write"]},"timing":"typ","age":0,"seed":0}"#;
    let folder = Folder::new().with("short.json", text);
    let command = [
        "raw",
        "--target",
        "em064lx",
        "--operation",
        "write",
        "--print-experiment",
    ];
    let whole = wordline(&["run", &folder.file("short.json"), "--print-experiment"]);
    assert_eq!(whole.done().stdout, wordline(&command).done().stdout);
}

#[test]
fn conditions_that_an_experiment_leaves_out_are_those_of_its_command() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for words in COMMANDS {
        let mut command = command(words);
        command.arg("--print-experiment").current_dir(examples);
        let printed = command.output().expect("the command starts").stdout;
        let mut stated: serde_json::Value = serde_json::from_slice(&printed).expect("JSON");
        let fields = stated.as_object_mut().expect("an object");
        for field in ["timing", "age", "seed"] {
            fields.remove(field).expect(field);
        }
        let folder = Folder::new().with("short.json", stated.to_string());
        let whole = wordline(&["run", &folder.file("short.json"), "--print-experiment"]).done();
        assert_eq!(whole.stdout, String::from_utf8_lossy(&printed), "{words:?}");
    }
}

#[test]
fn what_cannot_be_run_is_named() {
    let raw = wordline(&["raw", "--target", "em064lx", "--print-experiment"])
        .done()
        .stdout;
    let log = wordline(&[
        "buffer",
        "--log",
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/fio_lat.1.log"),
        "--print-experiment",
    ])
    .done()
    .stdout;
    let folder = Folder::new()
        .with("field.json", raw.replace("\"seed\"", "\"sed\""))
        .with("cut.json", &raw[..raw.len() / 2])
        .with("kind.json", raw.replace("\"raw\"", "\"row\""))
        .with("target.json", raw.replace("em064lx", "em064ly"))
        .with(
            "path.json",
            log.replace("fio_lat.1.log", "../fio_lat.1.log"),
        )
        .with("log.json", &log)
        .with(
            "twice.json",
            raw.replace("\"seed\": 0", "\"seed\": 0, \"seed\": 1"),
        )
        .with(
            "extra.json",
            r#"{"targets":["em064lx"],"workload":{"kind":"raw"},"foo":1}"#,
        )
        .with("raw.json", &raw);
    let run = |name: &str, more: &[&str]| wordline(&[&["run", &folder.file(name)], more].concat());
    run("field.json", &[]).refused(&[
        "unknown field `sed`",
        "not an experiment or a result document",
    ]);
    run("cut.json", &[]).refused(&["not an experiment or a result document"]);
    run("kind.json", &[]).refused(&["row", "raw"]);
    run("target.json", &[]).refused(&["em064ly", "em064lx"]);
    run("path.json", &[]).refused(&["no plain name", "--input ../fio_lat.1.log=PATH"]);
    run("log.json", &[]).refused(&["fio_lat.1.log", "--input fio_lat.1.log=PATH"]);
    run("log.json", &["--input", "fio_lat.1.log"]).refused(&["expected NAME=PATH"]);
    run("twice.json", &[]).refused(&["duplicate field `seed`"]);
    run("extra.json", &[]).refused(&["unknown field `foo`"]);
    run("log.json", &["--input", "a.log=b", "--input", "a.log=c"])
        .refused(&["--input a.log is given twice"]);
    run("raw.json", &["--input", "a.log=b.log"]).refused(&["reads no file of that name"]);
}
