//! The table of results: a line for each thing that was run, a column for each headline metric.

use std::collections::BTreeSet;

use wordline_core::{Basis, METRICS, Metric, Property};

use crate::grid::{Column, Grid};
use crate::pivot::{LineField, Pivot, PivotLine};
use crate::tabulate::{Tabulation, filled};
use crate::text;

/// What people ask first, in the order of the columns. A metric with a cause shows that part.
fn registered() -> Vec<(Metric, Option<&'static str>, &'static str)> {
    let mut all: Vec<_> = METRICS
        .iter()
        .flat_map(|info| {
            info.properties
                .iter()
                .map(|property| (info.metric, *property))
        })
        .filter_map(|(metric, property)| match property {
            Property::Headline(place, cause, name) => Some((place, (metric, cause, name))),
            _ => None,
        })
        .collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, headline)| headline).collect()
}

/// A metric as a column: which, the part of which cause, and its heading.
type HeadlineColumn<'a> = (Metric, Option<&'a str>, String);

/// The table of results. What all lines share stands in the title instead of a column.
pub(crate) fn grid(pivot: &Pivot<'_>) -> Option<Grid> {
    type Line<'p, 'a> = &'p PivotLine<'a>;
    let varying = &pivot.varying;
    let lines: Vec<_> = pivot.lines.iter().collect();
    let columns = [
        (varying.target, LineField::Target),
        (varying.workload, LineField::Workload),
        (true, LineField::Operation),
        (varying.timing, LineField::Timing),
        (varying.age, LineField::Age),
    ];
    let mut table = Tabulation::new(title(pivot));
    for (_, field) in columns.into_iter().filter(|(shown, _)| *shown) {
        table = table.key(
            Column::left(field.label()),
            move |line: &Line<'_, '_>| match field {
                LineField::Operation => text::words(line.head().operation.name()),
                _ => line.field(field),
            },
        );
    }
    if varying.basis {
        table = table.key(Column::left("basis"), |line| basis_names(&line.bases()));
    }
    for axis in pivot.shown_axes() {
        table = table.key(Column::right(text::axis_label(axis)), move |line| {
            filled(Some(line.field(axis)))
        });
    }
    for (metric, cause, name) in headlines(pivot) {
        table = table.figure(name, move |line| {
            Some(text::value(line.row(metric, cause)?, text::DIGITS))
        });
    }
    table.lines(&lines)
}

/// The headline metrics that any line has; where there are none, every metric that occurs, so that
/// no workload shows an empty table.
fn headlines<'a>(pivot: &Pivot<'a>) -> Vec<HeadlineColumn<'a>> {
    let present: BTreeSet<_> = pivot.lines.iter().flat_map(PivotLine::metrics).collect();
    // Where every access takes the same time, the percentiles say nothing that the maximum does not.
    let alike =
        |line: &PivotLine<'_>| line.number(Metric::LatencyP99) == line.number(Metric::LatencyMax);
    let without_tail = pivot.lines.iter().all(alike);
    // Accesses that meet other work at any moment of it have a median that the mean does not show.
    let chance = present.contains(&(Metric::BackgroundDurationMean, None));
    let chosen: Vec<_> = registered()
        .into_iter()
        .filter(|(metric, _, _)| match metric {
            Metric::LatencyP50 => chance,
            Metric::LatencyP99 => !without_tail,
            _ => true,
        })
        // What no line spends time on is worth no column.
        .filter(|(metric, cause, _)| {
            let spends = |line: &PivotLine<'_>| {
                let row = line.row(*metric, *cause);
                row.and_then(|row| row.value)
                    .is_some_and(|value| value > 0.0)
            };
            *metric != Metric::TimeShare || pivot.lines.iter().any(spends)
        })
        .filter(|(metric, cause, _)| present.contains(&(*metric, *cause)))
        .map(|(metric, cause, name)| (metric, cause, name.to_owned()))
        .collect();
    if !chosen.is_empty() {
        return chosen;
    }
    let all = present.into_iter();
    all.map(|(metric, cause)| (metric, cause, metric_label(metric, cause)))
        .collect()
}

/// A metric and its cause as one heading.
pub(crate) fn metric_label(metric: Metric, cause: Option<&str>) -> String {
    match cause {
        Some(cause) => format!("{metric}, {}", text::words(cause)),
        None => metric.to_string(),
    }
}

/// What all lines share: the target, the workload and the conditions of the run.
fn title(pivot: &Pivot<'_>) -> String {
    let Some(line) = pivot.lines.first() else {
        return String::new();
    };
    let (row, varying) = (line.head(), &pivot.varying);
    let mut parts = Vec::new();
    if !varying.workload {
        parts.push(row.workload.clone());
    }
    for axis in varying
        .axes
        .iter()
        .filter(|axis| !pivot.shown_axes().contains(*axis))
    {
        parts.push(line.field(*axis));
    }
    if !varying.timing {
        parts.push(format!("{} timing", row.timing));
    }
    if !varying.age {
        parts.push(format!("age {}", row.age));
    }
    if !varying.basis {
        parts.push(basis_names(&line.bases()));
    }
    let conditions = parts.join(", ");
    if varying.target {
        conditions
    } else {
        format!("{}: {conditions}", row.target)
    }
}

/// Several bases in one cell.
pub(crate) fn basis_names(bases: &BTreeSet<Basis>) -> String {
    let names: Vec<_> = bases.iter().map(Basis::to_string).collect();
    names.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::pivot::Keys;
    use wordline_core::Timing;
    use wordline_core::results::{AxisValue, NoValue};
    use wordline_core::{Axis, RowOperation};

    fn names(grid: &Grid) -> Vec<&str> {
        grid.columns().iter().map(|column| &*column.name).collect()
    }

    #[test]
    fn columns_without_values_are_left_out() {
        let mut document = fixture::mram();
        document
            .rows
            .retain(|row| row.operation == RowOperation::Read);
        let grid = grid(&Pivot::of(&document, Keys::ALL)).expect("a table");
        assert!(!names(&grid).contains(&"lifetime"));
        assert!(!names(&grid).contains(&"target"));
        assert_eq!(grid.rows().len(), 6);
        assert_eq!(
            grid.title(),
            "em064lx@stm32h755-qspi: raw, typ timing, age 0, simulated"
        );
    }

    #[test]
    fn what_varies_becomes_a_column() {
        let mut document = fixture::mram();
        let mut others = document.rows.clone();
        for row in &mut others {
            row.target = "other".into();
            row.timing = Timing::Max;
            row.age = 0.5;
            row.basis = Basis::Measured;
            row.axes
                .insert(Axis::Arrival, AxisValue::Text("fluid".into()));
        }
        document.rows.extend(others);
        let grid = grid(&Pivot::of(&document, Keys::ALL)).expect("a table");
        let expected = [
            "target",
            "operation",
            "timing",
            "age",
            "basis",
            "access",
            "arrival",
            "throughput",
        ];
        assert_eq!(names(&grid)[..8], expected);
        assert_eq!(grid.keys(), 7);
        assert_eq!(grid.title(), "raw");
        assert_eq!(grid.rows().len(), 24);
        assert_eq!(grid.rows()[12][..4], ["other", "read", "max", "0.5"]);
    }

    /// Reads that meet an erase have no throughput, but a middle and a cost to the erase.
    #[test]
    fn reads_during_an_erase_stand_below_those_of_an_idle_memory() {
        let document = fixture::during();
        let grid = grid(&Pivot::of(&document, Keys::ALL)).expect("a table");
        let expected = [
            "operation",
            "access",
            "during",
            "on conflict",
            "throughput",
            "latency mean",
            "latency p50",
            "latency p99",
            "latency max",
            "work takes",
            "delayed by",
        ];
        assert_eq!(names(&grid)[..11], expected);
        let rows = grid.rows();
        assert_eq!(rows[0][2..5], ["–", "–", "39.4 MB/s"]);
        assert_eq!(rows[6][2..5], ["erase", "wait", "–"]);
        assert_eq!(rows[6][8..11], ["150 ms", "150 ms", "0 s"]);
        assert_eq!(rows[12][3], "suspend");
        assert_eq!(rows[12][9..11], ["150 ms", "93.0 us"]);
    }

    #[test]
    fn other_metrics_make_a_table_of_their_own() {
        let mut document = fixture::mram();
        let failed =
            fixture::without_value(RowOperation::Stat, Metric::BytesMoved, NoValue::Failed);
        document.rows = vec![failed];
        let grid = grid(&Pivot::of(&document, Keys::ALL)).expect("a table");
        assert_eq!(names(&grid), ["operation", "access", "bytes_moved"]);
        assert_eq!(grid.rows()[0][2], "failed");
    }

    #[test]
    fn an_empty_document_says_so() {
        let mut document = fixture::mram();
        document.rows.clear();
        let text = crate::render(&document, crate::Format::Table, &crate::Style::default());
        assert!(text.contains("raw: no rows"), "{text}");
    }
}
