//! What people see of `wordline kv`.

use wordline_core::results::AxisValue;
use wordline_core::{Axis, Metric, RowOperation};

use crate::html::tests::opened;
use crate::{Format, Style, answer, fixture, render};

#[test]
fn the_fixture_is_a_document() {
    assert_eq!(fixture::key_values().check(), Ok(()));
}

#[test]
fn rates_are_told_with_what_moved_over_the_floor() {
    let sentences = answer(&fixture::key_values());
    assert!(
        sentences[0].contains("of 4 B: LPHT 250 k/s (1.50), wordline-kv 500 k/s"),
        "{sentences:?}"
    );
    assert!(
        sentences[0].contains("Of 256 B: LPHT 3.91 k/s"),
        "{sentences:?}"
    );
    assert!(sentences[1].contains("hits"), "{sentences:?}");
    assert!(
        sentences.iter().any(|one| one.contains("what LPHT holds")),
        "{sentences:?}"
    );
}

#[test]
fn each_mix_has_a_sentence_of_its_own() {
    let mut document = fixture::key_values();
    let inserts = document
        .rows
        .iter()
        .filter(|row| row.operation == RowOperation::Insert);
    let mixes: Vec<_> = inserts
        .flat_map(|row| {
            ["ycsb-a", "etc"].map(|work| {
                let mut row = row.clone();
                row.operation = RowOperation::All;
                row.axes.insert(Axis::Work, AxisValue::Text(work.into()));
                row
            })
        })
        .collect();
    document.rows.extend(mixes);
    let sentences = answer(&document);
    assert!(sentences[0].contains("operations of ycsb-a in a second"));
    assert!(sentences[1].contains("operations of etc in a second"));
    assert!(sentences[2].contains("inserts in a second"));
}

#[test]
fn wear_is_told_of_a_mix_by_the_operation() {
    let mut document = fixture::key_values();
    let of_all = |metric: Metric, value: f64| {
        let inserts = document.rows.iter();
        let mut rate = inserts
            .filter(|row| row.operation == RowOperation::Insert && row.metric == Metric::OpsRate)
            .filter(|row| row.text(Axis::Table) == Some("own"));
        let mut row = rate.next().expect("a rate").clone();
        row.operation = RowOperation::All;
        row.axes
            .insert(Axis::Work, AxisValue::Text("ycsb-a".into()));
        (row.metric, row.value, row.distribution) = (metric, Some(value), None);
        row
    };
    let rows = [
        of_all(Metric::OpsRate, 5.0),
        of_all(Metric::LatencyMax, 1.0),
        of_all(Metric::AccessCount, 1000.0),
        of_all(Metric::CyclesMax, 20.0),
    ];
    document.rows.extend(rows);
    let text = render(&document, Format::Table, &Style::default());
    let wear = text.split("ycsb-a, cycles that an operation takes").nth(1);
    assert!(
        wear.expect("a table of wear").contains("0.0200 cycles"),
        "{text}"
    );
}

#[test]
fn tables_stand_side_by_side_and_what_one_cannot_do_has_no_columns() {
    let text = render(&fixture::key_values(), Format::Table, &Style::default());
    let line = |start: &str, word: &str| {
        let mut lines = text.lines();
        lines.any(|line| line.trim_start().starts_with(start) && line.contains(word))
    };
    assert!(line("key / value", "lpht moved"), "{text}");
    assert!(line("256 B", "771 B"), "{text}");
    let delete = text.split(": delete").nth(1).expect("a table of deletes");
    assert!(
        !delete.contains("lpht") && delete.contains("own moved"),
        "{delete}"
    );
}

#[test]
fn the_page_draws_rates() {
    let html = opened(&render(
        &fixture::key_values(),
        Format::Html,
        &Style::default(),
    ));
    assert!(html.contains("Bytes moved over the floor"));
}

/// A row beside the rates of the fixture, of one table.
fn beside_rates(
    document: &mut wordline_core::ResultSet,
    table: &str,
    metric: Metric,
    statistic: Option<&str>,
    value: f64,
) {
    let rates = document.of(Metric::OpsRate);
    let rates = rates.filter(|row| {
        row.text(Axis::Table) == Some(table)
            && row.value.is_some()
            && row.text(Axis::Statistic).is_none()
    });
    let mut rows: Vec<_> = rates.cloned().collect();
    for row in &mut rows {
        let value = match metric {
            Metric::OpsRate => row.value.map(|rate| value * rate),
            _ => Some(value),
        };
        (row.metric, row.value, row.unit) = (metric, value, metric.unit().into());
        if let Some(statistic) = statistic {
            row.axes.insert(Axis::Statistic, statistic.into());
        }
    }
    document.rows.extend(rows);
}

#[test]
fn what_was_repeated_has_its_interval_and_what_was_disturbed_a_mark() {
    let mut document = fixture::key_values();
    for (table, low, disturbance) in [("lpht", 0.98, 0.0), ("own", 0.25, 2.0)] {
        for (metric, statistic, value) in [
            (Metric::OpsRate, Some("low"), low),
            (Metric::OpsRate, Some("high"), 1.01),
            (Metric::LatencyMax, Some("median"), 3e-7),
            (Metric::Repeats, None, 9.0),
            (Metric::Disturbance, None, disturbance),
        ] {
            beside_rates(&mut document, table, metric, statistic, value);
        }
    }
    assert_eq!(document.check(), Ok(()));
    let text = render(&document, Format::Table, &Style::default());
    for told in ["250 k/s ±2.0 % ", "500 k/s ±75 % ?", "1.00 us (300 ns)"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(!text.contains("±2.0 % ?"), "{text}");
    let sentences = answer(&document).join("\n");
    for told in [
        "LPHT 250 k/s (1.50), wordline-kv 500 k/s ? (1.50)",
        "medians of 9 repeats, ± their 95 % interval",
        "Of 10 measurements 6 are marked ?",
    ] {
        assert!(sentences.contains(told), "{told}: {sentences}");
    }
    // A curve is one of what was disturbed or of what was not.
    let html = opened(&render(&document, Format::Html, &Style::default()));
    assert!(html.contains("wordline-kv, insert ?") && !html.contains("LPHT, insert ?"));
    // What was simulated says nothing of repeats.
    assert!(
        !answer(&fixture::key_values())
            .join("\n")
            .contains("repeats")
    );
}
