use proptest::prelude::*;
use serde_json::json;

use super::*;

fn sweep(value: Value) -> Result<Sweep, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn raw(axes: Value) -> Sweep {
    let experiment = json!({ "targets": ["em064lx"], "workload": { "kind": "raw" } });
    sweep(json!({ "experiment": experiment, "axis": axes })).expect("a sweep")
}

fn problem(axes: Value) -> String {
    let experiment = json!({ "targets": ["em064lx"], "workload": { "kind": "raw" } });
    match sweep(json!({ "experiment": experiment, "axis": axes })) {
        Ok(sweep) => sweep.points().expect_err("a problem").to_string(),
        Err(problem) => problem,
    }
}

#[test]
fn the_first_axis_is_the_slowest_and_places_are_numbered() {
    let sweep = raw(json!([
        { "field": "workload.access_bytes", "values": ["1 KiB", 512] },
        { "field": "seed", "count": 3 },
    ]));
    let points = sweep.points().expect("points");
    let at: Vec<_> = points
        .iter()
        .map(|place| {
            let at = sweep.at(place);
            (at["workload.access_bytes"].clone(), at["seed"].clone())
        })
        .collect();
    let expected = [
        (1024, 0),
        (1024, 1),
        (1024, 2),
        (512, 0),
        (512, 1),
        (512, 2),
    ];
    assert_eq!(at, expected.map(|(size, seed)| (json!(size), json!(seed))));
    assert!(points.iter().map(|place| place.point).eq(0..6));
    let experiment = sweep.experiment_at(&points[4]).expect("an experiment");
    assert_eq!(experiment.seed, 1);
    let crate::Workload::Raw(of) = experiment.workload else {
        panic!("another workload");
    };
    assert_eq!(of.access_bytes, [512]);
}

#[test]
fn lists_that_documents_leave_out_take_single_values() {
    let sweep = raw(json!([
        { "field": "workload.gaps_ps", "values": ["1 us", "2 us"] },
        { "field": "targets", "values": ["em064lx", "mt25ql128"] },
        { "field": "timing", "values": ["typ", "max"] },
    ]));
    let points = sweep.points().expect("points");
    let last = sweep.experiment_at(&points[7]).expect("an experiment");
    assert_eq!(last.targets, ["mt25ql128"]);
    assert_eq!(last.timings, [crate::Timing::Max]);
    let crate::Workload::Raw(of) = last.workload else {
        panic!("another workload");
    };
    assert_eq!(of.gaps_ps, [2_000_000]);
}

#[test]
fn fields_vary_together_and_ranges_keep_whole_numbers() {
    let sweep = raw(json!([
        { "field": ["age", "seed"], "values": [[0, 1], [0.5, 2]] },
        { "field": "workload.total_bytes", "range": { "from": "1 MiB", "to": "9 MiB", "factor": 2 } },
    ]));
    let sizes: Vec<u64> = sweep.axes[1]
        .values
        .iter()
        .filter_map(Value::as_u64)
        .collect();
    assert_eq!(sizes, [1 << 20, 2 << 20, 4 << 20, 8 << 20]);
    let points = sweep.points().expect("points");
    assert_eq!(points.len(), 8);
    let last = sweep.experiment_at(&points[7]).expect("an experiment");
    assert_eq!((last.age, last.seed), (0.5, 2));
    let steps = raw(json!([{ "field": "age", "range": { "from": 0, "to": 1, "step": 0.25 } }]));
    assert_eq!(json!(steps.axes[0].values), json!([0, 0.25, 0.5, 0.75, 1]));
    let tenths = raw(json!([{ "field": "age", "range": { "from": 0, "to": 0.3, "step": 0.1 } }]));
    assert_eq!(json!(tenths.axes[0].values), json!([0, 0.1, 0.2, 0.3]));
    let close = raw(
        json!([{ "field": "age", "range": { "from": 0.5, "to": 0.500_000_000_1, "count": 2 } }]),
    );
    assert_eq!(json!(close.axes[0].values), json!([0.5, 0.500_000_000_1]));
    let count = raw(json!([{ "field": "age", "range": { "from": 0, "to": 1, "count": 3 } }]));
    assert_eq!(json!(count.axes[0].values), json!([0, 0.5, 1]));
}

#[test]
fn what_meets_every_condition_of_an_entry_is_left_out() {
    let axes = json!([
        { "field": "workload.access_bytes", "values": [512, 1024, 2048] },
        { "field": "timing", "values": ["typ", "max"] },
    ]);
    let experiment = json!({ "targets": ["em064lx"], "workload": { "kind": "raw" } });
    let left = |leave_out: Value| {
        let text = json!({ "experiment": experiment, "axis": axes, "leave_out": leave_out });
        sweep(text)
            .expect("a sweep")
            .points()
            .map(|points| points.len())
    };
    assert_eq!(left(json!([])), Ok(6));
    assert_eq!(left(json!([{ "timing": "max" }])), Ok(3));
    assert_eq!(
        left(json!([{ "timing": "max", "workload.access_bytes": { "min": "1 KiB" } }])),
        Ok(4)
    );
    assert_eq!(
        left(json!([{ "workload.access_bytes": [512, "2 KiB"] }])),
        Ok(2)
    );
    assert_eq!(
        left(json!([{ "timing": ["typ", "max"] }])),
        Err(SweepError::NoPoint(6))
    );
    assert_eq!(left(json!([{}])), Err(SweepError::NoCondition));
    for idle in [
        json!({ "timing": "mx" }),
        json!({ "timing": { "min": 1 } }),
        json!({ "workload.access_bytes": 513 }),
    ] {
        let problem = left(json!([idle]))
            .expect_err("it leaves nothing out")
            .to_string();
        assert!(problem.contains("no point meets"), "{problem}");
    }
    assert!(
        left(json!([{ "age": 0 }]))
            .expect_err("not varied")
            .to_string()
            .contains("no axis varies age")
    );
}

#[test]
fn what_is_wrong_is_named_with_its_axis() {
    let cases = [
        (json!([]), "no axis"),
        (
            json!([{ "field": "age", "values": [] }]),
            "axis age has no values",
        ),
        (json!([{ "field": "age" }]), "values, range or count"),
        (
            json!([{ "field": "age", "values": [0], "count": 2 }]),
            "stated twice",
        ),
        (
            json!([{ "field": "age", "values": [0, 0.0] }]),
            "the same experiment",
        ),
        (
            json!([{ "field": "age", "values": [0] }, { "field": "age", "values": [1] }]),
            "two axes vary age",
        ),
        (
            json!([{ "field": "workload.access_bytes", "values": [1] }, { "field": "workload", "values": [2] }]),
            "vary one thing",
        ),
        (
            json!([{ "field": "access_bytes", "values": [512] }]),
            "did you mean `workload.access_bytes`?",
        ),
        (
            json!([{ "field": "workload.acess_bytes", "values": [512] }]),
            "access_bytes",
        ),
        (
            json!([{ "field": "workload.access_bytes", "values": ["big"] }]),
            "value big",
        ),
        (
            json!([{ "field": "age.old", "values": [1] }]),
            "invalid type: map",
        ),
        (
            json!([{ "field": format!("workload{}", ".a".repeat(50_000)), "values": [1] }]),
            "more than 32 dots",
        ),
        (
            json!([{ "field": "seed", "count": 1_000_000_000 }]),
            "up to 100000",
        ),
        (
            json!([{ "field": "seed", "count": 100_000 }, { "field": "age", "values": [0, 1] }]),
            "200000 points",
        ),
        (
            json!([{ "field": ["age", "seed"], "values": [[1]] }]),
            "has 1 parts, and the axis has 2 fields",
        ),
        (
            json!([{ "field": "seed", "range": { "from": 1, "to": 0, "step": 1 } }]),
            "below from",
        ),
        (
            json!([{ "field": "seed", "range": { "from": 0, "to": 9, "step": 0 } }]),
            "not above 0",
        ),
        (
            json!([{ "field": "seed", "range": { "from": 0, "to": 9, "factor": 2 } }]),
            "from above 0",
        ),
        (
            json!([{ "field": "seed", "range": { "from": 0, "to": 1e300, "step": 1 } }]),
            "allowed: up to",
        ),
        (
            json!([{ "field": "seed", "colour": 1 }]),
            "unknown field `colour`",
        ),
    ];
    for (axes, words) in cases {
        let found = problem(axes.clone());
        assert!(found.contains(words), "{axes}: {found}");
    }
}

#[test]
fn a_sweep_survives_json_in_its_last_form() {
    let sweep = raw(json!([
        { "field": "workload.gaps_ps", "values": ["1 us", "2 us"] },
        { "field": "age", "range": { "from": 0, "to": 1, "count": 3 } },
    ]));
    let text = serde_json::to_string(&sweep).expect("plain data");
    assert_eq!(serde_json::from_str::<Sweep>(&text).ok(), Some(sweep));
}

/// A result of some points, with documents that differ by point.
fn result(sweep: &Sweep, points: impl Iterator<Item = usize>) -> SweepResult {
    let places = sweep.points().expect("points");
    let mut result = SweepResult::new(sweep.clone(), "models");
    for point in points {
        let experiment = sweep.experiment_at(&places[point]).expect("an experiment");
        let failed = (point % 3 == 1).then(|| "for a reason".to_owned());
        result.points.push(SweptPoint {
            point: point as u64,
            at: sweep.at(&places[point]),
            result: failed
                .is_none()
                .then(|| Box::new(ResultSet::new(experiment))),
            failed,
        });
    }
    result.complete = result.points.len() == places.len();
    result
}

proptest! {
    /// However points are dealt to shards, and however often they stand in them, the merged result is that of all.
    #[test]
    fn merged_shards_are_the_whole(count in 1_usize..20, shards in 1_usize..5, again in any::<prop::sample::Index>(), order in any::<u64>()) {
        let sweep = raw(json!([{ "field": "seed", "count": count }]));
        let whole = result(&sweep, 0..count);
        let mut parts: Vec<SweepResult> = (0..shards)
            .map(|shard| {
                let mut part = result(&sweep, (0..count).filter(|point| point % shards == shard));
                part.shard = Some(format!("{}/{shards}", shard + 1));
                part
            })
            .collect();
        parts.push(result(&sweep, std::iter::once(again.index(count))));
        let turn = order as usize % parts.len();
        parts.rotate_left(turn);
        let merged = SweepResult::merge(parts).expect("shards of one sweep");
        prop_assert_eq!(merged.to_json(), whole.to_json());
        let back = SweepResult::from_json(&whole.to_json());
        prop_assert_eq!(back.ok(), Some(whole));
    }
}

#[test]
fn shards_that_do_not_belong_together_are_refused() {
    let sweep = raw(json!([{ "field": "seed", "count": 3 }]));
    let other = raw(json!([{ "field": "seed", "count": 4 }]));
    let whole = result(&sweep, 0..3);
    assert_eq!(SweepResult::merge(Vec::new()), Err(MergeError::Nothing));
    let two = vec![whole.clone(), result(&other, 0..1)];
    assert_eq!(SweepResult::merge(two), Err(MergeError::Other(2)));
    let mut changed = whole.clone();
    changed.points[0]
        .result
        .as_mut()
        .expect("a document")
        .complete = false;
    assert_eq!(
        SweepResult::merge(vec![whole.clone(), changed]),
        Err(MergeError::Contradiction(0))
    );
    let mut strange = whole.clone();
    strange.points[2].point = 7;
    assert_eq!(
        SweepResult::merge(vec![strange]),
        Err(MergeError::Unknown(7))
    );
    let mut moved = whole.clone();
    moved.points.remove(1);
    moved.points[1].point = 1;
    assert_eq!(SweepResult::merge(vec![moved]), Err(MergeError::Unknown(1)));
    let mut other_models = whole.clone();
    other_models.models = "other".to_owned();
    assert_eq!(
        SweepResult::merge(vec![whole.clone(), other_models]),
        Err(MergeError::Models(2))
    );
    let mut hollow = whole.clone();
    hollow.points[1].failed = None;
    assert_eq!(SweepResult::merge(vec![hollow]), Err(MergeError::Hollow(1)));
    let mut part = whole;
    part.points.pop();
    assert!(!SweepResult::merge(vec![part]).expect("a part").complete);
}
