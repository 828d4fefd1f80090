//! The plots of `wordline host`: latency over the working set, matrices as tables of shaded numbers, bandwidth as bars, and
//! the plots of latency under load and of buffers that other commands have as well.

use wordline_core::Metric;

use super::bandwidth::{lines, rate, traffic};
use super::latency::{latency, working_set_curves};
use super::matrix::{PairMatrix, matrices};
use super::storage;
use crate::html::bars::{PlotRow, RowMark, RowSpec};
use crate::html::chart::{
    Chart, ChartAxis, ChartCurve, ChartRule, CurveShape, MOST_CURVES, RuleAxis,
};
use crate::html::heat::{HeatNumber, HeatSpec};
use crate::html::plot::{DASHES, PALETTE, Plot, PlotSpec};
use crate::pivot::{Pivot, PivotLine, ascending, each};
use crate::text;
use crate::views::{buffer, dram};
use wordline_core::Axis;

/// Rules across a plot that a reader can distinguish.
const RULES: usize = 4;

pub(super) fn plots(pivot: &Pivot<'_>) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    plots.extend(working_sets(pivot));
    plots.extend(dram::latency_over_throughput(pivot));
    plots.extend(threads_by_mix(pivot));
    plots.extend(
        matrices(pivot)
            .iter()
            .enumerate()
            .map(|(index, matrix)| heat(index + 1, matrix)),
    );
    plots.extend(dram::histograms(pivot));
    plots.extend(
        storage::buffered(pivot)
            .into_iter()
            .flat_map(|pivot| buffer::plots(&pivot)),
    );
    plots
}

fn working_sets(pivot: &Pivot<'_>) -> Option<Plot> {
    let all = working_set_curves(pivot);
    let curves = all
        .iter()
        .take(MOST_CURVES)
        .enumerate()
        .map(|(index, curve)| ChartCurve {
            name: match curve.name().as_str() {
                "" => "a load".to_owned(),
                name => name.to_owned(),
            },
            color: PALETTE[index % PALETTE.len()],
            dash: DASHES[index % DASHES.len()],
            shape: CurveShape::Line,
            points: curve
                .points
                .iter()
                .filter_map(|(bytes, line)| Some((*bytes, latency(line)?)))
                .collect(),
        });
    let knees = super::latency::knee_rows(pivot);
    let places = ascending(knees.iter().filter_map(|row| row.value));
    let rules = places.iter().take(RULES).map(|place| ChartRule {
        axis: RuleAxis::X,
        at: *place,
        label: text::place(Axis::WorkingSetBytes, *place),
        color: "#000000",
        dash: DASHES[2],
    });
    Chart {
        id: "plot-working-set".to_owned(),
        heading: "Latency over the working set".to_owned(),
        caption: "Median duration of a load over the bytes that loads go over; each step is the end of a cache or of a \
                  translation buffer. Both axes are logarithmic."
            .to_owned(),
        x: ChartAxis::logarithmic("B", "working set"),
        y: ChartAxis::logarithmic("s", "latency"),
        curves: curves.collect(),
        rules: rules.collect(),
    }
    .plot()
}

fn heat(number: usize, matrix: &PairMatrix<'_, '_>) -> Plot {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let place = |all: &[f64], one: f64| all.iter().position(|other| *other == one);
    let cells = matrix.pairs.iter().filter_map(|(row, column, value)| {
        let told = (matrix.told)(*value);
        let (number, _) = told.rsplit_once(' ').unwrap_or((&told, ""));
        let (row, column) = (place(&rows, *row)?, place(&columns, *column)?);
        Some(HeatNumber(
            row,
            column,
            *value,
            number.to_owned(),
            told.clone(),
        ))
    });
    let units = matrix.pairs.iter().map(|(.., value)| (matrix.told)(*value));
    let units: Vec<String> = units
        .filter_map(|told| Some(told.rsplit_once(' ')?.1.to_owned()))
        .collect();
    let unit = each(&units, |unit| unit.clone());
    // Where units differ, each cell has its own.
    let whole = unit.len() > 1;
    let cells = cells.map(|HeatNumber(row, column, value, number, told)| {
        let shown = if whole { told.clone() } else { number };
        HeatNumber(row, column, value, shown, told)
    });
    let spec = HeatSpec {
        title: matrix.measure[0],
        unit: matrix.measure[1],
        rows_title: matrix.sides[0],
        columns_title: matrix.sides[1],
        cells: cells.collect(),
        rows: rows.iter().map(f64::to_string).collect(),
        columns: columns.iter().map(f64::to_string).collect(),
    };
    let unit = match unit.as_slice() {
        [unit] => format!("Numbers are in {unit}; the darker a cell, the greater its number."),
        _ => "The darker a cell, the greater its number.".to_owned(),
    };
    Plot::new(
        format!("plot-matrix-{number}"),
        matrix.heading.to_owned(),
        unit,
        PlotSpec::Heat(spec),
    )
}

/// Bars by mix, threads side by side; a thin line is the range of the windows, and a pointer shows the best pass.
fn threads_by_mix(pivot: &Pivot<'_>) -> Option<Plot> {
    let lines = lines(pivot);
    let threads = |line: &PivotLine<'_>| line.coordinate(Axis::Threads).unwrap_or(1.0);
    let counts = ascending(lines.iter().map(|line| threads(line)));
    let counts = buffer::thinned(&counts, 6);
    let mark = |(series, count): (usize, &f64), of: &str| {
        let line = lines
            .iter()
            .find(|line| threads(line) == *count && traffic(line) == of)?;
        let value = rate(line)?;
        let best = line.number(Metric::ThroughputBest);
        let best = best.map_or_else(String::new, |best| {
            format!("; best pass {}", text::rate(best))
        });
        Some(RowMark {
            series,
            value,
            text: text::rate(value) + &best,
            label: Some(text::rate(value)),
            band: line
                .number(Metric::ThroughputP10)
                .zip(line.number(Metric::ThroughputP90)),
        })
    };
    let rows = each(&lines, |line| traffic(line))
        .into_iter()
        .map(|of| PlotRow {
            marks: counts
                .iter()
                .enumerate()
                .filter_map(|one| mark(one, &of))
                .collect(),
            name: text::printable(&of),
            words: None,
        });
    let rows: Vec<PlotRow> = rows.filter(|row| !row.marks.is_empty()).collect();
    if rows.is_empty() {
        return None;
    }
    let series = counts.iter().enumerate().map(|(index, count)| {
        let name = if *count == 1.0 {
            "1 thread".to_owned()
        } else {
            format!("{count} threads")
        };
        (name, PALETTE[index % PALETTE.len()])
    });
    let spec = RowSpec {
        title: "throughput",
        unit: "B/s",
        logarithmic: false,
        ends: None,
        points: false,
        series: series.collect(),
        hollow: Vec::new(),
        rows,
        rule: None,
    };
    let caption = "Bytes that a program moves, median of windows of 1 MiB; longer is better. A thin line reaches from what \
                   90 % of the windows reach to what 10 % do.";
    Some(Plot::new(
        "plot-bandwidth".to_owned(),
        "Bandwidth by mix and threads".to_owned(),
        caption.to_owned(),
        PlotSpec::Rows(spec),
    ))
}
