//! What people see of tests of this machine.

use std::collections::BTreeSet;

use wordline_core::results::{NoValue, Row};
use wordline_core::{Axis, Metric, ResultSet};

use crate::card::decision_card;
use crate::format::{Detail, Format, Style};
use crate::html::tests::opened;
use crate::{fixture, render};

fn screen(document: &ResultSet) -> String {
    let style = Style {
        width: Some(100),
        detail: Detail::Answer,
        plots: true,
        ..Style::default()
    };
    render(document, Format::Table, &style)
}

fn everything(document: &ResultSet) -> String {
    render(document, Format::Table, &Style::default())
}

#[test]
fn the_first_screen_of_latency_is_the_figure_with_its_interval_and_grade() {
    let document = fixture::host_latency();
    let sentence = decision_card(&document).sentence;
    assert!(sentence.starts_with("A read takes "), "{sentence}");
    assert!(
        sentence.contains("(95 %: ") && sentence.ends_with("; grade A: quiet machine)."),
        "{sentence}"
    );
    insta::assert_snapshot!(screen(&document));
}

#[test]
fn the_pages_with_the_fewest_walks_stand_for_the_memory() {
    let mut document = fixture::host_latency();
    let huge = decision_card(&document).sentence;
    document
        .rows
        .retain(|row| row.text(Axis::Pages) != Some("2MiB"));
    let base = decision_card(&document).sentence;
    let number = |sentence: &str| {
        sentence
            .split(' ')
            .nth(3)
            .and_then(|word| word.parse::<f64>().ok())
            .expect("a number")
    };
    assert!(number(&base) > 1.1 * number(&huge), "{base} {huge}");
}

#[test]
fn a_refusal_says_its_reason_and_what_to_do() {
    let document = fixture::host_refused();
    let text = screen(&document);
    assert!(
        text.starts_with("The latency was refused. 97 % of the batches were interrupted."),
        "{text}"
    );
    assert!(text.contains("Stop other programs"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn matrices_bandwidth_loaded_storage_and_all_have_first_screens() {
    let all = [
        fixture::host_matrix(),
        fixture::host_bandwidth(),
        fixture::host_loaded(),
        fixture::host_storage(),
        fixture::host_all(),
    ];
    let screens: Vec<String> = all.iter().map(screen).collect();
    insta::assert_snapshot!(screens.join("\n=====\n\n"));
}

#[test]
fn every_table_of_latency_and_matrix() {
    insta::assert_snapshot!(everything(&fixture::host_latency()));
    insta::assert_snapshot!(everything(&fixture::host_matrix()));
}

#[test]
fn bytes_of_the_program_and_of_the_bus_stand_apart() {
    let text = everything(&fixture::host_bandwidth());
    let (program, bus) = text
        .split_once("Bandwidth: bytes that the memory moves")
        .expect("both tables");
    assert!(
        program.contains("Bandwidth: bytes that a program moves"),
        "{text}"
    );
    assert!(
        program.contains("best pass") && bus.contains("best pass"),
        "{text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn load_and_storage_have_the_tables_of_the_other_commands() {
    let loaded = everything(&fixture::host_loaded());
    for title in [
        "Latency under load, 1:0 on host",
        "Knees of the curves on host",
        "Reads that took no longer on host",
    ] {
        assert!(loaded.contains(title), "{title}: {loaded}");
    }
    let storage = everything(&fixture::host_storage());
    assert!(storage.contains("Accesses of storage"), "{storage}");
    insta::assert_snapshot!(loaded + "\n=====\n\n" + &storage);
}

#[test]
fn pages_draw_each_test() {
    let plots = |document: &ResultSet| opened(&render(document, Format::Html, &Style::default()));
    let all = plots(&fixture::host_all());
    for id in [
        "plot-working-set",
        "plot-loaded",
        "plot-bandwidth",
        "plot-matrix-1",
        "plot-matrix-2",
        "plot-histogram-1",
    ] {
        assert!(all.contains(&format!("\"id\":\"{id}\"")), "{id}");
    }
    assert!(all.contains(r#""kind":"heat""#), "no heat table");
    assert!(all.contains("Numbers are in ns"), "no unit");
    assert!(
        plots(&fixture::host_storage()).contains("\"id\":\"plot-ram-1\""),
        "no curve of RAM"
    );
}

/// What only a simulation can count.
const SIMULATED: [Metric; 18] = [
    Metric::BusUtilization,
    Metric::BusShare,
    Metric::RowHitRate,
    Metric::RowMissRate,
    Metric::RowConflictRate,
    Metric::WaitShare,
    Metric::OutstandingMean,
    Metric::OutstandingMax,
    Metric::ThroughputBound,
    Metric::ThroughputConfidence,
    Metric::PowerMean,
    Metric::PowerMeanPart,
    Metric::EnergyPerByte,
    Metric::ThroughputRatio,
    Metric::ThroughputRatioPart,
    Metric::LatencyRatio,
    Metric::ReadShare,
    Metric::AccessCount,
];

/// What only a measurement has.
const MEASURED: [Metric; 16] = [
    Metric::TrustGrade,
    Metric::BatchesHit,
    Metric::BatchesCold,
    Metric::ColdLoads,
    Metric::ColdCorrection,
    Metric::StealShare,
    Metric::CpuPressure,
    Metric::MemoryPressure,
    Metric::ClockChange,
    Metric::OtherProcessorShare,
    Metric::PagesObtained,
    Metric::NodeObtained,
    Metric::LatencyP5,
    Metric::LatencyP25,
    Metric::LatencyP75,
    Metric::BusThroughput,
];

/// Every metric with the axes of its rows: what a reader of the document finds its columns by.
fn columns(document: &ResultSet) -> BTreeSet<String> {
    let rows = document.rows.iter();
    // Comparisons with a first target need two.
    let rows = rows.filter(|row| !row.axes.contains_key(&Axis::Over));
    let rows =
        rows.filter(|row| !SIMULATED.contains(&row.metric) && !MEASURED.contains(&row.metric));
    rows.map(|row| {
        let axes: Vec<&str> = row.axes.keys().map(|axis| axis.name()).collect();
        format!("{} by {}", row.metric, axes.join(", "))
    })
    .collect()
}

/// Columns that one document has and the other lacks.
fn lacking(of: &ResultSet, than: &ResultSet) -> Vec<String> {
    let (own, other) = (columns(of), columns(than));
    other.difference(&own).cloned().collect()
}

/// A document that `wordline dram loaded` made.
fn simulated() -> ResultSet {
    serde_json::from_str(include_str!("../../fixture/saved/loaded.json")).expect("a document")
}

#[test]
fn latency_under_load_has_the_columns_of_memory_modules() {
    let (host, dram) = (fixture::host_loaded(), simulated());
    assert_eq!(
        lacking(&host, &dram),
        Vec::<String>::new(),
        "of `dram loaded`, which `host loaded` lacks"
    );
    assert_eq!(
        lacking(&dram, &host),
        Vec::<String>::new(),
        "of `host loaded`, which `dram loaded` lacks"
    );
}

#[test]
fn a_column_that_is_missing_is_named() {
    let mut host = fixture::host_loaded();
    host.rows.retain(|row| row.metric != Metric::ThroughputKnee);
    let missing = lacking(&host, &simulated());
    assert_eq!(
        missing,
        [
            "throughput_knee by estimate, mix, pattern, test",
            "throughput_knee by mix, pattern, test"
        ]
    );
    let mut other = fixture::host_loaded();
    for row in &mut other.rows {
        row.axes.remove(&Axis::Pattern);
    }
    assert!(lacking(&other, &simulated()).len() > 5);
}

#[test]
fn a_grade_is_worded_by_its_worst_reason() {
    let mut document = fixture::host_latency();
    let grades = document.rows.iter_mut();
    for row in grades.filter(|row| row.metric == Metric::TrustGrade) {
        row.value = Some(3.0);
    }
    let sentence = decision_card(&document).sentence;
    assert!(
        sentence.contains("grade C: an order of magnitude"),
        "{sentence}"
    );
    let grades = document.rows.iter();
    let grades: Vec<_> = grades
        .filter(|row| row.metric == Metric::TrustGrade)
        .cloned()
        .collect();
    for (reason, grade) in [("coarse_timer", 2.0), ("core_contention", 3.0)] {
        document.rows.extend(grades.iter().cloned().map(|mut row| {
            row.axes.insert(Axis::Estimate, reason.into());
            row.value = Some(grade);
            row
        }));
    }
    let sentence = decision_card(&document).sentence;
    assert!(
        sentence.contains("grade C: others had the core"),
        "{sentence}"
    );
}

#[test]
fn what_caches_hold_is_not_called_the_latency_of_memory() {
    let mut document = fixture::host_latency();
    let mut with = |bytes: &str| {
        let environment = document.environment.get_or_insert_default();
        environment.insert("last_cache_bytes".to_owned(), bytes.to_owned());
        decision_card(&document).sentence
    };
    let words = "which caches hold in part";
    assert!(!with("1024").contains(words));
    assert!(with("1000000000000").contains(words));
}

#[test]
fn rates_of_other_tools_are_headed_by_what_they_are() {
    let mut document = fixture::host_bandwidth();
    let kept = |metric| matches!(metric, Metric::ThroughputBest | Metric::ThroughputP50);
    document.rows.retain(|row| kept(row.metric));
    document
        .rows
        .retain(|row| row.text(Axis::Estimate).is_none());
    assert!(everything(&document).contains("median"));
    document
        .rows
        .retain(|row| row.metric == Metric::ThroughputBest);
    let best = everything(&document);
    assert!(
        best.contains("best pass") && !best.contains("median"),
        "{best}"
    );
}

/// At a rate an access counts from when it should have begun, and its throughput contains the waits.
#[test]
fn a_run_at_a_rate_states_the_open_loop() {
    let mut document = fixture::host_storage();
    let closed = decision_card(&document).sentence;
    let first = document
        .rows
        .iter()
        .find(|row| row.metric == Metric::LatencyP50);
    let first = first.expect("a median").clone();
    for (metric, value) in [(Metric::LatencyP50, 0.5), (Metric::LatencyP99, 0.75)] {
        let mut row = first.clone();
        row.metric = metric;
        row.distribution = None;
        row.axes.insert(Axis::LatencyFrom, "intended".into());
        row.value = Some(value);
        document.rows.push(row);
    }
    let mut rate = first;
    rate.metric = Metric::OpsRate;
    rate.unit = Metric::OpsRate.unit().into();
    rate.distribution = None;
    rate.operation = wordline_core::RowOperation::All;
    rate.axes.insert(Axis::AccessBytes, 1000_u64.into());
    rate.value = Some(2.0);
    document.rows.push(rate);
    let open = decision_card(&document).sentence;
    assert_ne!(open, closed);
    assert!(
        open.contains("take up to 500 ms, 99 % up to 750 ms from their intended start"),
        "{open}"
    );
    assert!(open.contains("they move 2.00 KB/s"), "{open}");
}

/// Cores that load a memory less than it carries say what they asked for, not what it carries.
#[test]
fn a_memory_that_was_not_saturated_is_not_said_to_carry() {
    let saturated = fixture::host_loaded();
    assert!(screen(&saturated).contains("carries"));
    let mut document = saturated.clone();
    // One core loads it, and reads wait no longer for that.
    for row in &mut document.rows {
        if row.metric == Metric::LatencyMean {
            row.value = row.value.map(|_| 97e-9);
        }
    }
    let mut row = document.rows[0].clone();
    row.axes
        .retain(|axis, _| matches!(axis, Axis::Test | Axis::Mix | Axis::Pattern));
    row.metric = Metric::LoadThreads;
    row.unit = Metric::LoadThreads.unit().into();
    (row.value, row.distribution) = (Some(1.0), None);
    document.rows.push(row);
    let text = screen(&document);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("loaded up to 11.1 GB/s by 1 core"), "{text}");
    assert!(text.contains("greatest load"), "{text}");
    assert!(!text.contains("carries"), "{text}");
    let all = everything(&document);
    let words =
        "Loaded up to 11.1 GB/s by 1 core a read takes 97.0 ns: the memory was not saturated";
    assert!(all.contains(words), "{all}");
}

/// A best pass below the median says why, and a refused median is not replaced by it.
#[test]
fn a_best_pass_is_told_from_the_median() {
    let mut document = fixture::host_bandwidth();
    let median =
        |row: &Row| row.metric == Metric::ThroughputP50 && !row.axes.contains_key(&Axis::Estimate);
    for row in &mut document.rows {
        if row.metric == Metric::ThroughputBest {
            row.value = row.value.map(|best| best / 10.0);
        }
    }
    let text = everything(&document);
    let why = "less than the median of windows of 1 MiB: a whole pass has the interruptions in it";
    assert!(text.contains(why), "{text}");
    for row in document.rows.iter_mut().filter(|row| median(row)) {
        row.value = None;
        row.no_value = Some(NoValue::Failed);
    }
    let text = screen(&document);
    assert!(text.starts_with("The bandwidth was refused."), "{text}");
}

/// Sizes of a column share their unit as far as they can.
#[test]
fn working_sets_from_a_mebibyte_on_are_mebibytes() {
    for (kib, words) in [
        (24.0, "24 KiB"),
        (4868.0, "4.75 MiB"),
        (2048.0, "2 MiB"),
        (524_288.0, "512 MiB"),
        (102_400.0, "100 MiB"),
    ] {
        assert_eq!(super::latency::set_words(1024.0 * kib), words);
    }
}
