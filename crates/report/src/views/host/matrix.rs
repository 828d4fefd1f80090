//! Latency from node to node, and the time that a line takes from core to core.

use wordline_core::{Axis, Metric};

use super::latency::latency;
use super::trust::{grade_words, worst};
use super::{of_test, time};
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine, ascending};
use crate::tabulate::{Tabulation, filled};
use crate::text;

pub(super) const TEST: &str = "matrix";

/// Places on two sides, and a number for each pair.
pub(super) struct PairMatrix<'a, 'p> {
    pub(super) heading: &'static str,
    /// What the values are, and their unit.
    pub(super) measure: [&'static str; 2],
    /// What asks, and what answers.
    pub(super) sides: [&'static str; 2],
    /// Row, column and value of each pair.
    pub(super) pairs: Vec<(f64, f64, f64)>,
    pub(super) told: fn(f64) -> String,
    lines: Vec<&'p PivotLine<'a>>,
}

/// The matrices of a document.
pub(super) fn matrices<'a, 'p>(pivot: &'p Pivot<'a>) -> Vec<PairMatrix<'a, 'p>> {
    type OfLine = fn(&PivotLine<'_>) -> Option<f64>;
    let of = |heading, measure, sides, [from, to]: [Axis; 2], value: OfLine, told| {
        let mut lines = of_test(pivot, TEST);
        let pair = |line: &PivotLine<'_>| {
            Some((line.coordinate(from)?, line.coordinate(to)?, value(line)?))
        };
        let pairs: Vec<_> = lines.iter().filter_map(|line| pair(line)).collect();
        lines.retain(|line| line.coordinate(from).is_some());
        PairMatrix {
            heading,
            measure,
            sides,
            pairs,
            told,
            lines,
        }
    };
    let nodes = [Axis::FromNode, Axis::ToNode];
    let sides = ["CPU of node", "memory of node"];
    let duration = ["latency", Metric::LatencyMean.unit()];
    let all = [
        of(
            "Latency from node to node",
            duration,
            sides,
            nodes,
            latency,
            time,
        ),
        of(
            "Bandwidth from node to node",
            ["throughput", Metric::ThroughputMean.unit()],
            sides,
            nodes,
            |line| {
                line.number(Metric::ThroughputP50)
                    .or_else(|| line.number(Metric::ThroughputMean))
            },
            text::rate,
        ),
        of(
            "Time of a line from core to core",
            ["time", Metric::HandoverTime.unit()],
            ["from CPU", "to CPU"],
            [Axis::FromCpu, Axis::ToCpu],
            |line| line.number(Metric::HandoverTime),
            time,
        ),
    ];
    all.into_iter()
        .filter(|matrix| !matrix.pairs.is_empty())
        .collect()
}

impl PairMatrix<'_, '_> {
    pub(super) fn rows(&self) -> Vec<f64> {
        ascending(self.pairs.iter().map(|(row, ..)| *row))
    }

    pub(super) fn columns(&self) -> Vec<f64> {
        ascending(self.pairs.iter().map(|(_, column, _)| *column))
    }

    fn at(&self, row: f64, column: f64) -> Option<f64> {
        let mut pairs = self.pairs.iter();
        pairs
            .find(|(a, b, _)| (*a, *b) == (row, column))
            .map(|(.., value)| *value)
    }

    pub(super) fn grid(&self) -> Grid {
        let (rows, columns) = (self.rows(), self.columns());
        let heading = Column::left(self.sides[0]);
        let names = columns
            .iter()
            .map(|column| Column::right(format!("{column}")));
        let title = format!("{} ({} × {})", self.heading, self.sides[0], self.sides[1]);
        let mut grid = Grid::new(title, [heading].into_iter().chain(names).collect());
        for row in &rows {
            let cells = columns
                .iter()
                .map(|column| filled(self.at(*row, *column).map(self.told)));
            grid.push([format!("{row}")].into_iter().chain(cells));
        }
        grid
    }

    /// "Latency from node to node: 96 ns (0 to 0) to 141 ns (0 to 1), median 97 ns."
    pub(super) fn sentence(&self) -> Option<String> {
        let mut values = self.pairs.clone();
        values.sort_by(|(.., a), (.., b)| a.total_cmp(b));
        let (least, most) = (values.first()?, values.last()?);
        let grade = worst(self.lines.iter().copied());
        let grade = grade_words(grade).map_or_else(String::new, |words| format!(" ({words})"));
        let clause = |(from, to, value): &(f64, f64, f64)| {
            format!("{} ({from} to {to})", (self.told)(*value))
        };
        Some(match values.len() {
            1 => format!("{}: {}{grade}.", self.heading, clause(least)),
            count => format!(
                "{}: {} to {} over {count} pairs{grade}.",
                self.heading,
                clause(least),
                clause(most)
            ),
        })
    }
}

pub(super) fn tables(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let matrices = matrices(pivot);
    let mut grids: Vec<Grid> = matrices.iter().map(PairMatrix::grid).collect();
    grids.extend(spread(pivot));
    grids
}

/// How loads from node to node are spread.
fn spread(pivot: &Pivot<'_>) -> Option<Grid> {
    let mut lines = of_test(pivot, TEST);
    lines.retain(|line| line.at(Metric::LatencyP50, &[]).is_some());
    let table = Tabulation::new("How loads from node to node are spread")
        .key(Column::right("from"), |line: &&PivotLine<'_>| {
            line.field(Axis::FromNode)
        })
        .key(Column::right("to"), |line| line.field(Axis::ToNode));
    let metrics = [
        (Metric::LatencyP5, "5 %"),
        (Metric::LatencyP50, "median"),
        (Metric::LatencyP99, "99 %"),
    ];
    let table = metrics.into_iter().fold(table, |table, (metric, name)| {
        table.figure(name, move |line| line.told(metric))
    });
    table.lines(&lines)
}

pub(super) fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    matrices(pivot)
        .iter()
        .filter_map(PairMatrix::sentence)
        .collect()
}
