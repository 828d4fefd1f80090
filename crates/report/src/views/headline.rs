//! The table of results: a line for each thing that was run, a column for each headline metric.

use std::collections::BTreeSet;

use wordline_core::{Basis, METRICS, Metric, Property, ResultSet};

use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine};
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
type Headline<'a> = (Metric, Option<&'a str>, String);

/// The table of results. What all lines share stands in the title instead of a column.
pub(crate) fn grid(pivot: &Pivot<'_>) -> Grid {
    let document = pivot.document;
    let headlines = headlines(pivot);
    let varying = &pivot.varying;
    let mut columns = Vec::new();
    let mut fixed = |shown: bool, name: &str| {
        if shown {
            columns.push(Column::left(name));
        }
    };
    fixed(varying.target, "target");
    fixed(varying.workload, "workload");
    fixed(true, "operation");
    fixed(varying.timing, "timing");
    fixed(varying.age, "age");
    fixed(varying.basis, "basis");
    let axes = pivot.shown_axes();
    columns.extend(
        axes.iter()
            .map(|axis| Column::right(text::axis_label(axis))),
    );
    let names = headlines.iter().map(|(_, _, name)| name);
    columns.extend(names.map(Column::right));
    let keys = columns.len() - headlines.len();
    let mut grid = Grid::new(title(document, pivot), columns).with_keys(keys);
    for line in &pivot.lines {
        grid.push(cells(line, pivot, &headlines));
    }
    grid
}

fn cells(line: &PivotLine<'_>, pivot: &Pivot<'_>, headlines: &[Headline<'_>]) -> Vec<String> {
    let (row, varying) = (line.head(), &pivot.varying);
    let mut cells = Vec::new();
    let mut fixed = |shown: bool, cell: &dyn Fn() -> String| {
        if shown {
            cells.push(cell());
        }
    };
    fixed(varying.target, &|| row.target.clone());
    fixed(varying.workload, &|| row.workload.clone());
    fixed(true, &|| text::words(row.operation.name()));
    fixed(varying.timing, &|| row.timing.to_string());
    fixed(varying.age, &|| row.age.to_string());
    fixed(varying.basis, &|| basis_names(&line.bases()));
    for axis in &pivot.shown_axes() {
        let value = line.axis(axis);
        cells.push(value.map_or_else(|| "–".to_owned(), |value| text::coordinate(axis, value)));
    }
    for (metric, cause, _) in headlines {
        let row = line.row(*metric, *cause);
        cells.push(row.map_or_else(|| "–".to_owned(), |row| text::value(row, text::DIGITS)));
    }
    cells
}

/// The headline metrics that any line has; where there are none, every metric that occurs, so that
/// no workload shows an empty table.
fn headlines<'a>(pivot: &Pivot<'a>) -> Vec<Headline<'a>> {
    let present: BTreeSet<_> = pivot.lines.iter().flat_map(PivotLine::metrics).collect();
    // Where every access takes the same time, the percentiles say nothing that the maximum does not.
    let alike =
        |line: &PivotLine<'_>| line.number(Metric::LatencyP99) == line.number(Metric::LatencyMax);
    let without_tail = pivot.lines.iter().all(alike);
    // Accesses that meet other work at any moment of it have a middle that the mean does not tell.
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
fn title(document: &ResultSet, pivot: &Pivot<'_>) -> String {
    let Some(line) = pivot.lines.first() else {
        return format!("{}: no rows", document.experiment.workload.name());
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
        parts.extend(line.axis(axis).map(|value| text::coordinate(axis, value)));
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
        let grid = grid(&Pivot::of(&document, Keys::ALL));
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
        let grid = grid(&Pivot::of(&document, Keys::ALL));
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
        let grid = grid(&Pivot::of(&document, Keys::ALL));
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
        let grid = grid(&Pivot::of(&document, Keys::ALL));
        assert_eq!(names(&grid), ["operation", "access", "bytes_moved"]);
        assert_eq!(grid.rows()[0][2], "failed");
    }

    #[test]
    fn an_empty_document_says_so() {
        let mut document = fixture::mram();
        document.rows.clear();
        assert_eq!(
            grid(&Pivot::of(&document, Keys::ALL)).title(),
            "raw: no rows"
        );
    }
}
