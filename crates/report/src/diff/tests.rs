//! What counts as a change, and what as chance.

use super::chance::of_distribution;
use super::*;
use crate::fixture;
use wordline_core::results::HistogramBucket;

fn seeded(seed: u64, factor: f64) -> ResultSet {
    let mut document = fixture::mram();
    document.experiment.seed = seed;
    for row in &mut document.rows {
        row.value = row.value.map(|value| value * factor);
    }
    document
}

#[test]
fn a_document_is_like_itself() {
    let document = fixture::mram();
    let diff = ResultDiff::between(&document, &document, 0.05);
    assert!(!diff.changed && !diff.worse, "{diff:?}");
    assert_eq!(diff.same, document.rows.len());
    assert!(
        diff.sentence.starts_with("No change: all"),
        "{}",
        diff.sentence
    );
}

#[test]
fn another_seed_alone_explains_what_lies_within_the_tolerance() {
    let diff = |factor| ResultDiff::between(&seeded(1, 1.0), &seeded(2, factor), 0.05);
    let near = diff(1.05);
    assert!(!near.changed, "{near:?}");
    assert!(
        near.sentence.contains("only the seed differs"),
        "{}",
        near.sentence
    );
    let far = diff(1.5);
    assert!(far.changed && far.worse, "{far:?}");
}

#[test]
fn the_tolerance_is_a_share_of_the_larger_value() {
    let diff = |factor| ResultDiff::between(&seeded(1, 1.0), &seeded(2, factor), 0.05);
    // 1 of 1.0526... is 95 %.
    assert!(!diff(1.052).changed);
    assert!(diff(1.054).changed);
}

#[test]
fn a_result_that_lacks_values_is_worse() {
    let before = fixture::mram();
    let mut after = before.clone();
    after.rows.truncate(1);
    let diff = ResultDiff::between(&before, &after, 0.05);
    assert!(diff.worse && diff.changed, "{diff:?}");
    assert!(
        diff.sentence.contains("are missing in the second"),
        "{}",
        diff.sentence
    );
    after.rows.clear();
    after.complete = false;
    let diff = ResultDiff::between(&before, &after, 0.05);
    assert!(diff.worse, "{diff:?}");
    assert!(diff.sentence.contains("cut short"), "{}", diff.sentence);
}

/// Another age changes a value for a reason, more accesses by chance as well.
#[test]
fn more_samples_of_one_seed_are_no_exact_repetition() {
    let mut other = seeded(1, 1.02);
    other.experiment.age = 0.5;
    assert!(ResultDiff::between(&seeded(1, 1.0), &other, 0.05).changed);
    let wordline_core::Workload::Raw(raw) = &mut other.experiment.workload else {
        panic!("a raw workload");
    };
    raw.total_bytes *= 2;
    let diff = ResultDiff::between(&seeded(1, 1.0), &other, 0.05);
    assert!(!diff.changed, "{diff:?}");
}

#[test]
fn one_seed_has_no_chance_and_directions_have_a_meaning() {
    let diff = ResultDiff::between(&seeded(1, 1.0), &seeded(1, 1.001), 0.05);
    assert!(diff.changed && diff.worse, "{diff:?}");
    let of = |metric: Metric| {
        let mut all = diff.values.iter();
        all.find(|one| one.metric == metric).expect("it changed")
    };
    assert_eq!(of(Metric::ThroughputMean).better, Some(true));
    assert_eq!(of(Metric::LatencyMean).better, Some(false));
    let text = diff.render(
        Format::Table,
        &Style {
            detail: Detail::Answer,
            ..Style::default()
        },
        "",
    );
    assert!(text.lines().count() <= 24, "{text}");
    assert!(text.contains("WORSE"), "{text}");
}

#[test]
fn other_seeds_and_settings_have_a_tolerance() {
    let other = |factor| {
        let mut document = seeded(2, factor);
        document.experiment.age = 0.5;
        document
    };
    let near = ResultDiff::between(&seeded(1, 1.0), &other(1.02), 0.05);
    assert!(!near.changed, "{near:?}");
    let far = ResultDiff::between(&seeded(1, 1.0), &other(1.5), 0.05);
    assert!(far.changed, "{far:?}");
    assert!(far.asked.iter().any(|one| one.what == "age"), "{far:?}");
}

#[test]
fn one_part_is_compared_with_another() {
    let mut other = seeded(0, 2.0);
    for row in &mut other.rows {
        row.target = "other@board".into();
        row.part = "other".into();
    }
    let diff = ResultDiff::between(&fixture::mram(), &other, 0.05);
    assert_eq!((diff.only_before, diff.only_after), (0, 0));
    assert!(
        diff.sentence.contains("other@board against em064lx"),
        "{}",
        diff.sentence
    );
}

#[test]
fn quantiles_have_intervals_of_ranks() {
    let buckets: Vec<HistogramBucket> = (1..=1000)
        .map(|upper| HistogramBucket {
            upper_s: f64::from(upper),
            count: 1,
        })
        .collect();
    let (low, high) = of_distribution(Metric::LatencyP50, 500.0, &buckets).expect("a quantile");
    // 500 less and more 3 times the root of 250.
    assert_eq!((low, high), (453.0, 548.0));
    let (low, high) = of_distribution(Metric::LatencyMax, 1000.0, &buckets).expect("the longest");
    assert_eq!((low, high), (991.0, 1009.0));
    assert_eq!(of_distribution(Metric::EnergyPerByte, 1.0, &buckets), None);
}
