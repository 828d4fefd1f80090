//! Exploring gives the front of running everything.

use serde_json::{Value, json};
use wordline_catalog::Catalog;
use wordline_core::explore::{
    DesignSpace, ExcludedBy, ExcludedPoints, ExclusionBasis, ExplorationResult,
};
use wordline_core::{Axis, Better};
use wordline_lab::store::Store;
use wordline_lab::{Control, Shard, explore, sweep};

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn space(value: Value) -> DesignSpace {
    serde_json::from_value(value).expect("a study")
}

/// Explores all of a space, without a store.
fn explored(space: &DesignSpace) -> ExplorationResult {
    let result = explore(&catalog(), space, Shard::WHOLE, None, &Control::default());
    result.expect("it runs")
}

/// Points that were excluded and that a condition holds for.
fn excluded(result: &ExplorationResult, is: impl Fn(&ExcludedPoints) -> bool) -> u64 {
    let of = result.excluded.iter().filter(|one| is(one));
    of.map(|one| one.count).sum()
}

/// The front by running everything and comparing every pair.
fn exhaustive(space: &DesignSpace) -> Vec<u64> {
    let all = sweep(
        &catalog(),
        &space.sweep(),
        Shard::WHOLE,
        None,
        &Control::default(),
    );
    let points: Vec<(u64, Vec<f64>)> = all
        .expect("it runs")
        .points
        .into_iter()
        .filter_map(|point| {
            let document = point.result?;
            if document.verdicts.iter().any(|verdict| !verdict.pass) {
                return None;
            }
            let values = space.objectives.iter().map(|of| {
                let rows = document.rows.iter().filter(|row| row.metric == of.metric);
                let rows = rows.filter(|row| {
                    !row.axes.contains_key(&Axis::Cause) && !row.axes.contains_key(&Axis::Estimate)
                });
                let values = rows.map(|row| row.value);
                let values = values.collect::<Option<Vec<f64>>>()?;
                let worst = |one: f64, other: f64| match of.metric.info().better {
                    Better::Higher => one.min(other),
                    _ => one.max(other),
                };
                values.into_iter().reduce(worst)
            });
            Some((point.point, values.collect::<Option<Vec<f64>>>()?))
        })
        .collect();
    let beats = |one: &[f64], other: &[f64]| {
        let mut pairs = space.objectives.iter().zip(one.iter().zip(other));
        one != other && pairs.all(|(of, (one, other))| !of.better(*other, *one))
    };
    let free = |values: &[f64]| !points.iter().any(|(_, other)| beats(other, values));
    let front = points.iter().filter(|(_, values)| free(values));
    let mut front: Vec<u64> = front.map(|(point, _)| *point).collect();
    front.sort_unstable();
    front
}

fn found(result: &ExplorationResult) -> Vec<u64> {
    let mut front: Vec<u64> = result.front.iter().map(|point| point.point).collect();
    front.sort_unstable();
    front
}

/// A space of raw memories, drawn by a number.
fn drawn(number: u64, sizes: usize) -> DesignSpace {
    const PARTS: [&str; 10] = [
        "em064lx",
        "mt25ql128",
        "w25q64jv",
        "mr25h40",
        "cy15b104q",
        "w25n01gv",
        "mx25r8035f",
        "as3004316",
        "w25q128jv",
        "mt29f1g01",
    ];
    const METRICS: [&str; 6] = [
        "throughput_mean",
        "latency_max",
        "energy_per_byte",
        "latency_p50",
        "power_mean",
        "latency_mean",
    ];
    let mut state = number.wrapping_add(1);
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let first = draw(10) as usize;
    let parts: Vec<&str> = (0..5)
        .map(|index| PARTS[(first + index * 3) % 10])
        .collect();
    let one = draw(6) as usize;
    let two = (one + 1 + draw(5) as usize) % 6;
    let mut objectives = vec![
        json!({ "metric": METRICS[one] }),
        json!({ "metric": METRICS[two] }),
    ];
    if draw(2) == 0 {
        let three = (0..6)
            .find(|index| ![one, two].contains(index))
            .expect("there are six");
        objectives.push(json!({ "metric": METRICS[three] }));
    }
    let operation = ["write", "read"][draw(2) as usize];
    let sizes: Vec<u64> = (0..sizes as u64).map(|index| 256 + 768 * index).collect();
    space(json!({
        "experiment": {
            "targets": [],
            "workload": {
                "kind": "raw", "operations": [operation], "total_bytes": "256 KiB", "wrap_bytes": "256 KiB",
            },
            "age": 0.1 * draw(4) as f64,
        },
        "axis": [
            { "field": "targets", "values": parts },
            { "field": "workload.access_bytes", "values": sizes },
            { "field": "workload.patterns", "values": ["sequential", "random"] },
            { "field": "timing", "values": ["typ", "max", "sampled"] },
        ],
        "objective": objectives,
        "coarse": { "workload.total_bytes": "32 KiB" },
    }))
}

/// `WORDLINE_SPACES` says how many spaces of 500 points or so; without it two of 60.
#[test]
fn the_front_is_that_of_running_everything() {
    let spaces = std::env::var("WORDLINE_SPACES")
        .ok()
        .and_then(|text| text.parse().ok());
    let (spaces, sizes) = spaces.map_or((2, 2), |spaces: u64| (spaces, 17));
    let mut in_full = 0.0;
    for number in 0..spaces {
        let space = drawn(number, sizes);
        let result = explored(&space);
        let (found, wanted) = (found(&result), exhaustive(&space));
        println!(
            "space {number}: {} points, {} run in full, front {}, {:?}, rough runs off by {:?}",
            result.points,
            result.fine,
            wanted.len(),
            space
                .objectives
                .iter()
                .map(|of| of.name())
                .collect::<Vec<_>>(),
            result.coarse_error
        );
        assert!(result.complete && !wanted.is_empty(), "space {number}");
        assert_eq!(found, wanted, "space {number}");
        in_full += result.fine as f64 / result.points as f64 / spaces as f64;
    }
    println!("run in full on average: {:.1} %", in_full * 100.0);
}

/// Twenty parts along fifty sizes, patterns, operations, ages and seeds: 100,000 candidates; a part of them without
/// `WORDLINE_CANDIDATES`.
fn many(sizes: u64, ages: u64, seeds: u64) -> DesignSpace {
    const PARTS: [&str; 20] = [
        "em064lx",
        "mt25ql128",
        "w25q64jv",
        "mr25h40",
        "cy15b104q",
        "w25n01gv",
        "mx25r8035f",
        "as3004316",
        "w25q128jv",
        "mt29f1g01",
        "cy15b108qn",
        "fm25v10",
        "as3016204",
        "25aa1024",
        "mb85rs4mt",
        "gd5f1gq5u",
        "mx35lf1ge4ab",
        "m95m04",
        "as1016204",
        "mb85rs2mta",
    ];
    let sizes: Vec<u64> = (1..=sizes).map(|index| 256 * index).collect();
    let ages: Vec<f64> = (0..ages).map(|index| 0.2 * index as f64).collect();
    space(json!({
        "experiment": {
            "targets": [],
            "workload": { "kind": "raw", "total_bytes": "256 KiB", "wrap_bytes": "256 KiB" },
        },
        "axis": [
            { "field": "targets", "values": PARTS },
            { "field": "workload.access_bytes", "values": sizes },
            { "field": "workload.patterns", "values": ["sequential", "random"] },
            { "field": "workload.operations", "values": ["read", "write"] },
            { "field": "age", "values": ages },
            { "field": "seed", "count": seeds },
        ],
        "objective": [{ "metric": "throughput_mean" }, { "metric": "energy_per_byte" }],
        "coarse": { "workload.total_bytes": "16 KiB" },
    }))
}

fn report(result: &ExplorationResult) -> String {
    let mut text = format!(
        "{} points, {} roughly, {} in full ({:.1} %), front {}, rough runs off by {:?}",
        result.points,
        result.coarse,
        result.fine,
        100.0 * result.fine as f64 / result.points as f64,
        result.front.len(),
        result.coarse_error
    );
    for one in &result.excluded {
        text += &format!("\n  {} {} {}: {}", one.count, one.by, one.basis, one.reason);
    }
    text
}

#[test]
fn what_cannot_be_on_the_front_is_hardly_run_in_full() {
    let all = std::env::var("WORDLINE_CANDIDATES").is_ok();
    let space = match all {
        true => many(50, 5, 5),
        false => many(3, 2, 2),
    };
    let result = explored(&space);
    println!("{}", report(&result));
    assert!(result.complete && !result.front.is_empty());
    let by = |basis| excluded(&result, |one| one.basis == basis);
    assert!(by(ExclusionBasis::Proven) > 0 && by(ExclusionBasis::Sampled) > 0);
    assert!(result.fine >= result.front.len() as u64 + by(ExclusionBasis::Run));
    match all {
        true => assert!(result.fine * 20 <= result.points, "{}", result.fine),
        false => assert_eq!(found(&result), exhaustive(&space)),
    }
}

/// What a rough run says of a target may be wrong: here rough runs write at random, which NOR flash does not take and the
/// magnetic memory, whose currents nobody states, does.
#[test]
fn a_wrong_reason_of_rough_runs_is_found_by_the_sample() {
    let space = space(json!({
        "experiment": {
            "targets": [],
            "workload": {
                "kind": "raw", "operations": ["write"], "patterns": ["sequential"],
                "total_bytes": "16 KiB", "wrap_bytes": "16 KiB",
            },
        },
        "axis": [
            { "field": "targets", "values": ["mt25ql128", "as3016204"] },
            { "field": "workload.access_bytes", "values": [256, 512, 1024, 2048] },
            { "field": "seed", "count": 12 },
        ],
        "objective": [{ "metric": "throughput_mean" }, { "metric": "energy_per_byte" }],
        "coarse": { "workload.patterns": "random" },
    }));
    let result = explored(&space);
    println!("{}", report(&result));
    let front = exhaustive(&space);
    assert_eq!(found(&result), front);
    // Seeds change nothing, so that all points of a size are equal.
    assert!(
        front.len() >= 12 && front.iter().all(|point| *point < 48),
        "{front:?}"
    );
    let of = |basis| excluded(&result, |one| one.basis == basis);
    assert_eq!(
        (of(ExclusionBasis::Run), of(ExclusionBasis::Sampled)),
        (12, 36)
    );
    assert_eq!(result.fine, 48 + 12);
}

/// Shares first, and then the front: nothing that a share did is done again.
#[test]
fn shares_do_the_rough_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let space = drawn(1, 2);
    let whole = explored(&space);
    let mut points = 0;
    for shard in ["1/3", "2/3", "3/3"] {
        let shard: Shard = shard.parse().expect("a share");
        let share = explore(&catalog(), &space, shard, Some(&store), &Control::default());
        let share = share.expect("it runs");
        assert!(share.complete && share.front.is_empty() && share.fine == 0);
        points += share.points;
    }
    assert_eq!(points, whole.points);
    let again = explore(
        &catalog(),
        &space,
        Shard::WHOLE,
        Some(&store),
        &Control::default(),
    );
    assert_eq!(again.expect("it runs"), whole);
}

fn loggers(rates: &[&str]) -> DesignSpace {
    space(json!({
        "experiment": {
            "workload": {
                "kind": "compare",
                "work": { "kind": "log", "rate": "50 KB/s", "record": "4 KiB", "keep": "1 min" },
                "limits": { "life": "5 y" },
            },
            "targets": [],
            "timing": "typ", "age": 0, "seed": 0,
        },
        "axis": [
            { "field": "targets", "values": ["em064lx", "mt25ql128", "w25n01gv", "mr25h40", "cy15b104q", "w25q64jv"] },
            { "field": "workload.work.rate", "values": rates },
        ],
        "objective": [{ "metric": "ram_provision" }, { "metric": "energy_per_day" }],
    }))
}

#[test]
fn candidates_that_a_bound_excludes_are_not_simulated() {
    let space = loggers(&["20 KB/s", "2 MB/s"]);
    let result = explored(&space);
    let by_bound = excluded(&result, |one| one.by == ExcludedBy::Bound);
    assert!(by_bound > 0, "{:?}", result.excluded);
    assert_eq!(result.coarse + by_bound, result.points);
    assert_eq!(found(&result), exhaustive(&space));
    // A rough comparison has the figures of the real one.
    assert!(
        result.coarse_error.iter().all(|error| *error == 0.0),
        "{:?}",
        result.coarse_error
    );
}

/// Accesses that the rough runs have no room for: these points are run in full.
#[test]
fn what_a_rough_run_cannot_judge_is_run_in_full() {
    let space = space(json!({
        "experiment": {
            "targets": ["em064lx"],
            "workload": { "kind": "raw", "operations": ["write"], "total_bytes": "1 MiB", "wrap_bytes": "1 MiB" },
        },
        "axis": [{ "field": "workload.access_bytes", "values": ["16 KiB", "32 KiB", "128 KiB", "256 KiB"] }],
        "objective": [{ "metric": "throughput_mean" }, { "metric": "latency_max" }],
        "coarse": { "workload.total_bytes": "64 KiB", "workload.wrap_bytes": "64 KiB" },
    }));
    let result = explored(&space);
    assert_eq!(found(&result), exhaustive(&space));
    assert!(result.excluded.is_empty(), "{:?}", result.excluded);
}

#[test]
fn an_exploration_and_a_sweep_that_are_stopped_keep_what_is_finished() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let space = drawn(0, 2);
    let stop = AtomicBool::new(false);
    let after = |done: u64, step: &'static str| {
        let stop = &stop;
        move |progress: wordline_lab::Progress<'_>| {
            if progress.done_bytes >= done && progress.step.contains(step) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    };
    let third = after(3, "point");
    let control = Control {
        stop: Some(&stop),
        progress: Some(&third),
        threads: 1,
        ..Control::default()
    };
    let swept = sweep(&catalog(), &space.sweep(), Shard::WHOLE, None, &control).expect("stopped");
    let points: Vec<u64> = swept.points.iter().map(|point| point.point).collect();
    assert_eq!((swept.complete, points), (false, vec![0, 1, 2]));
    stop.store(false, Ordering::Relaxed);
    let first_in_full = after(1, "in full");
    let control = Control {
        progress: Some(&first_in_full),
        ..control
    };
    let explored = explore(&catalog(), &space, Shard::WHOLE, None, &control).expect("stopped");
    assert_eq!(
        (explored.complete, explored.fine, explored.front.len()),
        (false, 1, 1)
    );
}

/// Every fault of a study names its place.
#[test]
fn a_fault_of_a_study_has_its_place() {
    let sound = json!({
        "experiment": {
            "targets": ["em064lx"],
            "workload": { "kind": "raw", "total_bytes": "64 KiB", "wrap_bytes": "64 KiB" },
        },
        "axis": [{ "field": "seed", "count": 2 }],
        "objective": [{ "metric": "throughput_mean" }],
    });
    let twice = json!([{ "metric": "latency_max" }, { "metric": "latency_max" }]);
    let tests = [
        ("objective", json!([]), "objective"),
        ("objective", twice, "objective"),
        (
            "objective",
            json!([{ "metric": "access_count" }]),
            "objective",
        ),
        ("coarse", json!({ "seed": 3 }), "coarse"),
        ("coarse", json!({ "workload.total": "1 KiB" }), "coarse"),
        ("coarse", json!({ "age.of": 1 }), "coarse"),
        ("axis", json!([]), "axis"),
        ("axis", json!([{ "field": "sede", "values": [1] }]), "sede"),
        ("leave_out", json!([{ "age": 1 }]), "leave_out"),
    ];
    for (field, value, place) in tests {
        let mut study = sound.clone();
        study[field] = value;
        let words = study[field].to_string();
        let result = explore(
            &catalog(),
            &space(study),
            Shard::WHOLE,
            None,
            &Control::default(),
        );
        let error = result.expect_err(&words);
        assert_eq!(error.place().as_deref(), Some(place), "{words}: {error}");
    }
}
