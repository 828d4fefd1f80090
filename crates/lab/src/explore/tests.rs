//! What a plan refuses excludes a point for certain, and is therefore never anything that runs.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};

use serde_json::{Value, json};
use wordline_core::{Experiment, FitWorkload, Workload};

use super::*;

const CHIP: &str = "em064lx@stm32h755-qspi";
const FLASH: &str = "mt25ql128@stm32h755-qspi";
const NAND: &str = "mt29f1g01@stm32h755-qspi";
const MODULE: &str = "rdimm-6400-2rx4-128g@xeon6-1s";
const OTHER: &str = "mrdimm-8800-2rx4-128g@xeon6-1s";

fn open(name: &str) -> io::Result<Box<dyn BufRead>> {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    Ok(Box::new(BufReader::new(File::open(path)?)))
}

fn completed(document: Value, is_stated: &dyn Fn(&str) -> bool) -> Experiment {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let mut experiment = Experiment::from_value(document).expect("an experiment");
    crate::complete(&mut experiment, &catalog, is_stated).expect("known targets");
    experiment
}

/// The experiment of a point, as [`experiment_of`] makes it.
fn stated(targets: &[&str], workload: Value) -> Experiment {
    let document = json!({ "targets": targets, "workload": workload });
    completed(document.clone(), &|field| crate::states(&document, field))
}

/// What a command runs without flags.
fn usual(kind: &str, test: Option<&str>, target: &str) -> Experiment {
    let mut workload = Workload::usual(kind, test).expect("a command");
    // Engines that every build has.
    match &mut workload {
        Workload::Kv(kv) => kv.tables = vec!["own".parse().expect("a name")],
        Workload::Sql(sql) => sql.file_systems = vec!["rtfs".parse().expect("a name")],
        Workload::Fs(fs) => fs.file_systems = vec!["rtfs".parse().expect("a name")],
        _ => {}
    }
    let document = json!({ "targets": [target], "workload": workload });
    completed(document, &|field| field == "file_systems")
}

fn planned(experiment: &Experiment) -> Result<(), LabError> {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    crate::plan(&catalog, experiment, &control)
}

/// Whether points of it can be simulated, so that a plan must not refuse those that can.
const fn is_simulated(workload: &Workload) -> bool {
    match workload {
        Workload::App(_)
        | Workload::Bound(_)
        | Workload::Buffer(_)
        | Workload::Compare(_)
        | Workload::Dram(_)
        | Workload::Fit(_)
        | Workload::Fs(_)
        | Workload::Health(_)
        | Workload::Io(_)
        | Workload::Kv(_)
        | Workload::Raw(_)
        | Workload::Sql(_)
        | Workload::Wear(_) => true,
        // A plan of it would look at the machine.
        Workload::Host(_) => false,
    }
}

/// One experiment that runs of each test of each workload.
fn all() -> Vec<Experiment> {
    let log = json!({ "kind": "log", "rate": "50 KB/s", "record": "4 KiB", "keep": "1 min" });
    let mut all = vec![
        usual("raw", None, CHIP),
        usual("wear", None, FLASH),
        usual("buffer", None, CHIP),
        stated(
            &[],
            json!({ "kind": "buffer", "source": { "kind": "log", "file": "timed.csv" } }),
        ),
        usual("dram", Some("idle"), MODULE),
        usual("dram", Some("bandwidth"), MODULE),
        usual("dram", Some("loaded"), MODULE),
        usual("dram", Some("surface"), MODULE),
        stated(
            &[MODULE],
            json!({ "kind": "dram", "test": { "kind": "trace", "file": "requests.csv" } }),
        ),
        usual("fs", None, FLASH),
        usual("bound", None, NAND),
        stated(
            &[FLASH],
            json!({ "kind": "io", "file": "sqlite-wal.wft", "file_systems": ["rtfs"] }),
        ),
        usual("kv", Some("bench"), CHIP),
        usual("kv", Some("crash"), CHIP),
        stated(
            &[OTHER],
            json!({ "kind": "app", "file": "solver-profile.json" }),
        ),
        stated(&[CHIP, FLASH], json!({ "kind": "compare", "work": log })),
        stated(
            &[],
            json!({ "kind": "health", "of": "trace", "file": "cycled.csv" }),
        ),
        stated(
            &[],
            json!({ "kind": "fit", "source": { "file": "cycled.csv" }, "template": "nand", "id": "mine", "simulations": FitWorkload::SIMULATIONS }),
        ),
    ];
    // SQLite is a feature.
    if cfg!(feature = "sqlite") {
        all.extend(["bench", "tune"].map(|test| usual("sql", Some(test), FLASH)));
    }
    all
}

/// A stop before the first operation makes no refusal of its own, whichever the workload.
#[test]
fn what_runs_is_not_refused_by_its_plan() {
    let mut kinds = BTreeSet::new();
    for experiment in all() {
        let workload = &experiment.workload;
        assert!(is_simulated(workload), "{}", workload.name());
        kinds.insert(workload.name());
        if let Err(error) = planned(&experiment) {
            panic!("{workload:?}: {error}");
        }
    }
    let mut expected = BTreeSet::from([
        "app", "bound", "buffer", "compare", "dram", "fit", "fs", "health", "io", "kv", "raw",
        "wear",
    ]);
    expected.extend(cfg!(feature = "sqlite").then_some("sql"));
    assert_eq!(kinds, expected);
}

/// Bounds speak of comparisons: of every other workload a plan alone excludes points for certain.
#[test]
fn a_bound_excludes_points_of_comparisons_alone() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let mut excluded = Vec::new();
    for experiment in all() {
        let space: DesignSpace = serde_json::from_value(json!({
            "experiment": experiment,
            "axis": [{ "field": "seed", "values": [0, 1] }],
            "objective": [{ "metric": "throughput_mean" }],
        }))
        .expect("a study");
        let full = space.sweep();
        let places = full.points().expect("points");
        let explorer = Explorer {
            catalog: &catalog,
            space: &space,
            full,
            rough: None,
            store: None,
            keys: KeyMaker::new(),
        };
        if let Some(limit) = explorer.bound(&places[0]).expect("it can be judged") {
            excluded.push((experiment.workload.name(), limit));
        }
    }
    assert_eq!(excluded, []);
    let fast = json!({ "kind": "log", "rate": "1 GB/s", "record": "4 KiB", "keep": "1 MiB" });
    let experiment = stated(&[FLASH], json!({ "kind": "compare", "work": fast }));
    let Workload::Compare(study) = &experiment.workload else {
        panic!("a comparison");
    };
    let limit = crate::compare::excluded(&catalog, study, &experiment);
    assert_eq!(limit.expect("it can be judged"), Some("rate"));
}

/// What no run can be made of is refused, by the words of the run.
#[test]
fn a_plan_refuses_what_cannot_be_run_as_it_stands() {
    let large = json!({ "kind": "raw", "wrap_bytes": 1_u64 << 40, "total_bytes": 1_u64 << 40 });
    let stranger = json!({ "kind": "fs", "file_systems": ["fatt"] });
    let tests = [
        (stated(&[CHIP], large), "wrap"),
        (stated(&[FLASH], stranger), "fatt"),
        (usual("bound", None, CHIP), "raw flash"),
        (
            usual("dram", Some("idle"), "rdimm-6400-2rx4-128g@none"),
            "none",
        ),
        (usual("kv", Some("crash"), "ram@stm32h743-fmc16"), "RAM"),
    ];
    for (experiment, words) in tests {
        let error = planned(&experiment).expect_err(words);
        assert!(
            error.is_refusal() && error.to_string().contains(words),
            "{error}"
        );
    }
}
