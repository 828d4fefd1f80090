//! What people see of a sweep: how far each metric moves, and by which axis most.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use wordline_core::quantity::human;
use wordline_core::results::{CardPoint, CardSubject, DecisionCard};
use wordline_core::sweep::{SweepResult, SweptPoint};
use wordline_core::{Better, Metric, RowOperation};

use crate::card::FirstScreen;
use crate::format::{Detail, Format, Style};
use crate::grid::{Column, Grid};
use crate::html::TablePage;
use crate::{csv, json, text};

/// Metrics that the table of points shows.
const METRICS_OF_POINTS: usize = 4;

/// Shares that a sweep is looked at for, when some points are missing.
const SHARES_MAX: u64 = 256;

/// Reasons of failure that the first screen shows.
const FAILURES: usize = 3;

/// Renders the result of a sweep. JSON carries the document of every point, and CSV every row of them.
#[must_use]
pub fn render_sweep(result: &SweepResult, format: Format, style: &Style) -> String {
    match format {
        Format::Json => json::sweep(result),
        Format::Csv => csv::sweep(result),
        Format::Table => terminal(result, style),
        Format::Markdown => markdown(result),
        Format::Html => page(result).html(),
    }
}

/// A metric of an operation on a target, over the points.
struct SweptMetric {
    metric: Metric,
    operation: RowOperation,
    /// The target, where points have several.
    target: Option<String>,
    /// The worst value of each point that has one.
    values: BTreeMap<u64, f64>,
}

impl SweptMetric {
    fn name(&self) -> String {
        let mut name = text::words(self.metric.name());
        if matches!(self.operation, RowOperation::Read | RowOperation::Write) {
            name += &format!(", {}", self.operation);
        }
        if let Some(target) = &self.target {
            name += &format!(", {}", text::part_of(target));
        }
        name
    }

    fn shown(&self, value: f64) -> String {
        text::number(self.metric, value, text::DIGITS)
    }

    /// The points with the least and the greatest value.
    fn ends(&self) -> Option<[(u64, f64); 2]> {
        let mut all = self.values.iter().map(|(point, value)| (*point, *value));
        let first = all.next()?;
        Some(all.fold([first, first], |[least, most], one| {
            [
                if one.1 < least.1 { one } else { least },
                if one.1 > most.1 { one } else { most },
            ]
        }))
    }

    /// The axis that moves it most, and the ratio of the largest to the smallest median over its values.
    fn strongest(&self, result: &SweepResult) -> Option<(String, f64)> {
        let ratios = result.sweep.axes.iter().filter_map(|axis| {
            let mut by_value = BTreeMap::<String, Vec<f64>>::new();
            for point in &result.points {
                if let Some(value) = self.values.get(&point.point) {
                    let at = axis.fields.iter().map(|field| shown_at(point, field));
                    let at = at.collect::<Vec<_>>().join(", ");
                    by_value.entry(at).or_default().push(*value);
                }
            }
            let medians = by_value.into_values().map(median);
            let ends = medians.fold((f64::INFINITY, 0.0_f64), |(least, most), one| {
                (least.min(one), most.max(one))
            });
            let ratio = ends.1 / ends.0;
            let names = axis.fields.iter().map(|field| last_name(field));
            let name = names.collect::<Vec<_>>().join(" and ");
            (ends.0 > 0.0 && ratio.is_finite()).then_some((name, ratio))
        });
        ratios.max_by(|one, other| one.1.total_cmp(&other.1))
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

/// The metrics that say better or worse, those of most points first.
fn metrics(result: &SweepResult) -> Vec<SweptMetric> {
    let mut all: BTreeMap<(usize, &str, Option<&str>), SweptMetric> = BTreeMap::new();
    let targets = |point: &SweptPoint| {
        let rows = point.result.iter().flat_map(|document| &document.rows);
        let targets: BTreeSet<String> = rows.map(|row| row.target.clone()).collect();
        targets.len()
    };
    let has_several = result.points.iter().any(|point| targets(point) > 1);
    for point in &result.points {
        for row in point.result.iter().flat_map(|document| &document.rows) {
            let better = row.metric.info().better;
            let counts = better != Better::Neither && row.is_whole();
            let (Some(value), true) = (row.value, counts) else {
                continue;
            };
            let place = Metric::ALL.iter().position(|metric| *metric == row.metric);
            let target = has_several.then_some(row.target.as_str());
            let key = (place.unwrap_or_default(), row.operation.name(), target);
            let of = all.entry(key).or_insert_with(|| SweptMetric {
                metric: row.metric,
                operation: row.operation,
                target: target.map(str::to_owned),
                values: BTreeMap::new(),
            });
            let worst = of.values.entry(point.point).or_insert(value);
            *worst = match better {
                Better::Higher => worst.min(value),
                _ => worst.max(value),
            };
        }
    }
    let mut all: Vec<SweptMetric> = all.into_values().collect();
    all.sort_by_key(|of| std::cmp::Reverse(of.values.len()));
    all
}

/// The last part of a dotted path.
pub(crate) fn last_name(field: &str) -> &str {
    field.rsplit('.').next().unwrap_or(field)
}

/// A coordinate with its unit, where the name of the field carries one.
fn shown_at(point: &SweptPoint, field: &str) -> String {
    shown_value(field, point.at.get(field))
}

/// The value of a field, likewise.
pub(crate) fn shown_value(field: &str, value: Option<&Value>) -> String {
    let Some(value) = value else {
        return String::new();
    };
    let units = [
        ("_bytes_per_s", "B/s", 1.0),
        ("_bytes", "B", 1.0),
        ("_ps", "s", 1e-12),
        ("_hz", "Hz", 1.0),
        ("_s", "s", 1.0),
    ];
    let unit = units.iter().find(|(end, ..)| field.ends_with(end));
    match (value, value.as_f64(), unit) {
        (_, Some(bytes), Some((_, "B", _))) => text::ram(bytes, text::DIGITS),
        (_, Some(number), Some((_, unit, scale))) => human(number * scale, unit, text::DIGITS),
        (Value::String(text), ..) => text.clone(),
        (other, ..) => other.to_string(),
    }
}

/// Where a point lies, in short.
fn place(result: &SweepResult, point: u64) -> String {
    let found = result.points.iter().find(|one| one.point == point);
    let fields = result.sweep.fields();
    let parts = fields.map(|field| {
        let value = found.map(|one| shown_at(one, field)).unwrap_or_default();
        format!("{} {value}", last_name(field))
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn effects(result: &SweepResult, metrics: &[SweptMetric]) -> Grid {
    let columns = vec![
        Column::left("metric"),
        Column::right("least"),
        Column::right("most"),
        Column::left("moved most by"),
        Column::left("least at"),
        Column::left("most at"),
    ];
    let mut grid = Grid::new("", columns);
    for of in metrics {
        let Some([least, most]) = of.ends() else {
            continue;
        };
        let moved = match of.strongest(result) {
            Some((axis, ratio)) if ratio > 1.000_5 => {
                format!("{axis} ({} times)", human(ratio, "1", text::DIGITS))
            }
            _ => "none".to_owned(),
        };
        grid.push([
            of.name(),
            of.shown(least.1),
            of.shown(most.1),
            moved,
            place(result, least.0),
            place(result, most.0),
        ]);
    }
    grid
}

/// A line for each point.
fn points(result: &SweepResult, metrics: &[SweptMetric]) -> Grid {
    let shown = &metrics[..metrics.len().min(METRICS_OF_POINTS)];
    let mut columns = vec![Column::right("point")];
    columns.extend(
        result
            .sweep
            .fields()
            .map(|field| Column::left(last_name(field))),
    );
    columns.extend(shown.iter().map(|of| Column::right(of.name())));
    let keys = columns.len() - shown.len();
    let mut grid = Grid::new("Points, each by the worst of its rows", columns).with_keys(keys);
    for point in &result.points {
        let mut cells = vec![point.point.to_string()];
        cells.extend(result.sweep.fields().map(|field| shown_at(point, field)));
        cells.extend(shown.iter().map(|of| match of.values.get(&point.point) {
            Some(value) => of.shown(*value),
            None if point.failed.is_some() => "failed".to_owned(),
            None => "none".to_owned(),
        }));
        grid.push(cells);
    }
    grid
}

fn failures(result: &SweepResult) -> Grid {
    let columns = vec![
        Column::right("point"),
        Column::left("at"),
        Column::left("reason"),
    ];
    let mut grid = Grid::new("Points that could not be run", columns);
    for (point, reason) in result.failures() {
        grid.push([
            point.point.to_string(),
            place(result, point.point),
            reason.to_owned(),
        ]);
    }
    grid
}

fn sentence(result: &SweepResult, metrics: &[SweptMetric]) -> String {
    let failed = result.failures().count();
    let done = result.points.len() - failed;
    let all = result
        .sweep
        .points()
        .map_or(result.points.len(), |points| points.len());
    let share = result
        .shard
        .as_ref()
        .map(|shard| format!(", share {shard}"))
        .unwrap_or_default();
    let failed = match failed {
        0 => String::new(),
        some => format!(", {some} failed"),
    };
    let head = format!("{done} of {all} points are done{failed}{share}");
    let Some((of, [least, most])) = metrics.iter().find_map(|of| Some((of, of.ends()?))) else {
        return format!("{head}.");
    };
    let (from, to) = (of.shown(least.1), of.shown(most.1));
    match of.strongest(result) {
        Some((axis, ratio)) if ratio > 1.000_5 => format!(
            "{head}: {} goes from {from} to {to}, and {axis} moves it most, {} times.",
            of.name(),
            human(ratio, "1", text::DIGITS)
        ),
        _ => format!("{head}: {} is {from} to {to}.", of.name()),
    }
}

/// The kinds of failure, each with how many points it took.
fn failure_points(result: &SweepResult) -> Vec<CardPoint> {
    let mut reasons = BTreeMap::<&str, Vec<u64>>::new();
    for (point, reason) in result.failures() {
        reasons.entry(reason).or_default().push(point.point);
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, points)| std::cmp::Reverse(points.len()));
    let lines = reasons.into_iter().take(FAILURES).map(|(reason, points)| {
        let first = points.first().copied().unwrap_or_default();
        let others = match points.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let words = format!("point {first} ({}){others}: {reason}", place(result, first));
        CardPoint::words(CardSubject::Failure, text::printable(&words))
    });
    lines.collect()
}

/// Which points of the whole are missing, and which share they are where they are one; "" of a share, or of a sweep whose
/// points cannot be counted.
fn missing(result: &SweepResult) -> String {
    let all = result.sweep.points().unwrap_or_default();
    let finished: BTreeSet<u64> = result.points.iter().map(|point| point.point).collect();
    let missing = all.iter().map(|place| place.point);
    let missing: Vec<u64> = missing.filter(|point| !finished.contains(point)).collect();
    let Some(first) = missing.first().filter(|_| result.shard.is_none()) else {
        return String::new();
    };
    // Points are dealt to shares in turn.
    let is_share = |of: &u64| {
        let share = all.iter().map(|place| place.point);
        share
            .filter(|point| point % of == first % of)
            .eq(missing.iter().copied())
    };
    let which = match (2..=SHARES_MAX).find(is_share) {
        Some(of) if missing.len() > 1 => format!("share {}/{of}", first % of + 1),
        _ if missing.len() == 1 => format!("point {first}"),
        _ => format!("the first is point {first}"),
    };
    let (few, verb) = (missing.len(), if missing.len() == 1 { "is" } else { "are" });
    format!(": {few} of {} {verb} missing, {which}", all.len())
}

fn terminal(result: &SweepResult, style: &Style) -> String {
    let metrics = metrics(result);
    let answer = DecisionCard {
        sentence: text::printable(&sentence(result, &metrics)),
        points: failure_points(result),
        ..DecisionCard::default()
    };
    let incomplete = (!result.complete).then(|| {
        format!(
            "Not every point is finished{}. The same command goes on where a --store kept the others, and --merge adds the \
             shares that are missing.",
            missing(result)
        )
    });
    let screen = FirstScreen::new(answer, Some(effects(result, &metrics)), "metrics");
    let mut out = screen.lay_out(incomplete.as_deref(), "   rows: --export rows.csv", style);
    if style.detail == Detail::Answer {
        return out;
    }
    let mut tables = vec![failures(result)];
    if style.detail == Detail::All {
        tables.insert(
            0,
            effects(result, &metrics).titled("Metrics, each by the worst row of a point"),
        );
        tables.insert(1, points(result, &metrics));
    }
    for grid in tables.iter().filter(|grid| !grid.rows().is_empty()) {
        out.push('\n');
        out.push_str(&grid.table(style));
    }
    for warning in warnings(result) {
        out.push_str(&format!(
            "\n{}",
            text::wrap(&text::printable(&warning), style.width)
        ));
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// What the documents of points warn of, once each.
fn warnings(result: &SweepResult) -> BTreeSet<String> {
    let documents = result
        .points
        .iter()
        .filter_map(|point| point.result.as_ref());
    let all = documents.flat_map(|document| &document.warnings);
    all.map(|warning| format!("warning: {} ({})", warning.advice, warning.code))
        .collect()
}

fn markdown(result: &SweepResult) -> String {
    let metrics = metrics(result);
    let mut out = format!("{}\n", crate::markdown::escape(&sentence(result, &metrics)));
    let tables = [
        effects(result, &metrics).titled("Metrics"),
        points(result, &metrics),
        failures(result),
    ];
    for grid in tables.iter().filter(|grid| !grid.rows().is_empty()) {
        out.push('\n');
        out.push_str(&grid.markdown());
    }
    out
}

fn page(result: &SweepResult) -> TablePage {
    let metrics = metrics(result);
    let effects = effects(result, &metrics);
    let tables = [
        effects.titled("Metrics"),
        points(result, &metrics),
        failures(result),
    ];
    TablePage {
        title: "Sweep".to_owned(),
        sentence: sentence(result, &metrics),
        points: failure_points(result)
            .into_iter()
            .map(|point| point.text)
            .collect(),
        compared: Vec::new(),
        short: Some(effects),
        tables: tables
            .into_iter()
            .filter(|grid| !grid.rows().is_empty())
            .collect(),
        command: "wordline sweep SWEEP.toml".to_owned(),
        json: json::sweep(result),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wordline_core::results::{AxisValue, Row};
    use wordline_core::sweep::Sweep;
    use wordline_core::{Axis, Basis, ResultSet, Timing};

    use super::*;

    fn result() -> SweepResult {
        let sweep: Sweep = serde_json::from_value(json!({
            "experiment": { "targets": ["em064lx"], "workload": { "kind": "raw" } },
            "axis": [
                { "field": "workload.access_bytes", "values": [512, "4 KiB"] },
                { "field": "seed", "count": 2 },
            ],
        }))
        .expect("a sweep");
        let mut result = SweepResult::new(sweep, "models");
        let places = result.sweep.points().expect("points");
        for place in places {
            let at = result.sweep.at(&place);
            let mut document = ResultSet::new(result.sweep.experiment_at(&place).expect("one"));
            let bytes = at["workload.access_bytes"].as_u64().expect("a size");
            for (metric, value) in [
                (Metric::ThroughputMean, bytes as f64 * 1e4),
                (Metric::LatencyMax, 1e-4),
            ] {
                document.rows.push(Row {
                    target: "em064lx@b".into(),
                    part: "em064lx".into(),
                    board: "b".into(),
                    workload: "raw".into(),
                    operation: RowOperation::Write,
                    axes: [(Axis::AccessBytes, AxisValue::Count(bytes))].into(),
                    timing: Timing::Typ,
                    age: 0.0,
                    metric,
                    value: Some(value + place.point as f64 * value / 100.0),
                    no_value: None,
                    unit: metric.unit().into(),
                    basis: Basis::Simulated,
                    distribution: None,
                });
            }
            let failed = (place.point == 3).then(|| "=a reason, with \u{1b}[31m".to_owned());
            result.points.push(SweptPoint {
                point: place.point,
                at,
                result: failed.is_none().then(|| Box::new(document)),
                failed,
            });
        }
        result
    }

    #[test]
    fn points_that_are_missing_are_named_as_the_share_that_they_are() {
        for (finished, words) in [
            (vec![0, 2], ": 2 of 4 are missing, share 2/2"),
            (vec![1, 2, 3], ": 1 of 4 is missing, point 0"),
            (vec![0, 3], ": 2 of 4 are missing, the first is point 1"),
        ] {
            let mut part = result();
            part.points.retain(|point| finished.contains(&point.point));
            part.complete = false;
            assert_eq!(missing(&part), words, "{finished:?}");
            let text = render_sweep(&part, Format::Table, &Style::default());
            let text = text.replace('\n', " ");
            let begun = format!("Not every point is finished{words}. The same command");
            assert!(text.starts_with(&begun), "{text}");
            // Of a share only those who ran it know what belongs to it.
            part.shard = Some("1/2".to_owned());
            assert_eq!(missing(&part), "");
        }
        assert_eq!(missing(&result()), "");
    }

    #[test]
    fn the_strongest_axis_is_named_and_failures_have_their_reasons() {
        let style = Style {
            detail: Detail::Answer,
            ..Style::default()
        };
        let text = render_sweep(&result(), Format::Table, &style);
        assert!(
            text.starts_with("3 of 4 points are done, 1 failed: throughput mean, write goes from"),
            "{text}"
        );
        assert!(
            text.contains("access_bytes moves it most, 8.12 times"),
            "{text}"
        );
        assert!(
            text.contains("point 3 (access_bytes 4 KiB, seed 1): =a reason"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
        assert!(text.lines().count() <= 24, "{text}");
    }

    #[test]
    fn csv_has_every_row_with_its_coordinates_and_json_every_document() {
        let csv = render_sweep(&result(), Format::Csv, &Style::default());
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 1 + 3 * 2 + 1);
        assert!(
            lines[0].starts_with("point,at.workload.access_bytes,at.seed,target,"),
            "{}",
            lines[0]
        );
        assert!(lines[0].ends_with(",failed"), "{}", lines[0]);
        assert!(lines[1].starts_with("0,512,0,em064lx@b,"), "{}", lines[1]);
        assert!(lines[7].starts_with("3,4096,1,,"), "{}", lines[7]);
        assert!(lines[7].contains("'=a reason"), "{}", lines[7]);
        let json = render_sweep(&result(), Format::Json, &Style::default());
        let back = SweepResult::from_json(&json).expect("a document");
        assert_eq!(back, result());
        let first = back.points[0].result.as_ref().expect("done");
        let line = json
            .lines()
            .find(|line| line.starts_with("{\"point\":0"))
            .expect("a line");
        let value: Value = serde_json::from_str(line.trim_end_matches(',')).expect("JSON");
        let alone: Value =
            serde_json::from_str(&crate::render(first, Format::Json, &Style::default()))
                .expect("JSON");
        assert_eq!(value["result"], alone);
    }

    #[test]
    fn pages_and_markdown_hold_the_tables() {
        let style = Style::default();
        let markdown = render_sweep(&result(), Format::Markdown, &style);
        assert!(
            markdown.contains("## Points that could not be run"),
            "{markdown}"
        );
        let page = render_sweep(&result(), Format::Html, &style);
        assert!(page.contains("3 of 4 points are done"));
        assert!(!page.contains('\u{1b}'));
    }
}
