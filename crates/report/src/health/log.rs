//! The blocks of a log.

use wordline_core::results::{ResultSet, Row};
use wordline_core::{Basis, Metric};

use super::{NOTHING, row};
use crate::grid::{Column, Grid};
use crate::text;

/// The most blocks that the table holds; the document has them all.
const SHOWN: usize = 50;

/// Verdicts, the most urgent first, with what they mean.
const VERDICTS: [(&str, &str); 5] = [
    ("failed", "failed"),
    ("retire", "to retire (80 % of life used, probably)"),
    ("watch", "to watch (the band reaches 80 %)"),
    ("healthy", "healthy"),
    ("unknown", "unknown"),
];

/// A block with its rows.
struct Block<'a> {
    rows: Vec<&'a Row>,
}

impl<'a> Block<'a> {
    fn all_of(document: &'a ResultSet) -> Vec<Self> {
        let mut blocks: Vec<Self> = Vec::new();
        for row in &document.rows {
            // Rows of a block follow each other.
            match blocks.last_mut().filter(|block| block.owns(row)) {
                Some(block) => block.rows.push(row),
                None => blocks.push(Self { rows: vec![row] }),
            }
        }
        blocks
    }

    fn owns(&self, row: &Row) -> bool {
        let axis = |row: &'a Row, name: &str| row.axes.get(name);
        let first = self.rows[0];
        row.target == first.target
            && ["chip", "block"]
                .iter()
                .all(|name| row.axes.get(*name) == axis(first, name))
    }

    fn axis(&self, name: &str) -> Option<String> {
        self.rows[0].axes.get(name).map(ToString::to_string)
    }

    /// "chip 0, block 7".
    fn name(&self) -> String {
        let block = self.axis("block").unwrap_or_else(|| NOTHING.to_owned());
        match self.axis("chip") {
            Some(chip) => format!("chip {chip}, block {block}"),
            None => format!("block {block}"),
        }
    }

    fn of(&self, metric: Metric, statistic: &str) -> Option<&'a Row> {
        row(&self.rows, metric, Some(statistic))
    }

    fn used(&self) -> Option<f64> {
        self.of(Metric::LifeUsed, "median")?.value
    }

    fn verdict(&self) -> &'a str {
        let rows = self.rows.iter();
        rows.copied()
            .find_map(|row| row.text("verdict"))
            .unwrap_or(NOTHING)
    }

    /// Place among the verdicts: the lower, the more urgent.
    fn urgency(&self) -> usize {
        let verdict = self.verdict();
        let place = VERDICTS.iter().position(|(name, _)| *name == verdict);
        place.unwrap_or(VERDICTS.len())
    }

    fn value(&self, metric: Metric, statistic: &str) -> String {
        self.of(metric, statistic)
            .filter(|row| row.value.is_some())
            .map_or_else(|| NOTHING.to_owned(), |row| text::value(row, text::DIGITS))
    }

    /// "85 % to 97 %".
    fn band(&self, metric: Metric) -> String {
        let end = |statistic| self.of(metric, statistic)?.value;
        match (end("p5"), end("p95")) {
            (Some(low), Some(high)) => {
                let shown = |value| text::number(metric, value, text::DIGITS);
                format!("{} to {}", shown(low), shown(high))
            }
            _ => NOTHING.to_owned(),
        }
    }

    /// "erase, 3.2 times".
    fn latency(&self) -> String {
        let found = row(&self.rows, Metric::LatencyToFresh, None);
        let told = found.and_then(|row| Some((row.value?, row)));
        told.map_or_else(
            || NOTHING.to_owned(),
            |(ratio, row)| format!("{} {}", row.operation, text::factor(ratio)),
        )
    }
}

/// The blocks, the most urgent first.
fn by_urgency(document: &ResultSet) -> Vec<Block<'_>> {
    let mut blocks = Block::all_of(document);
    let used = |block: &Block<'_>| block.used().unwrap_or(0.0);
    blocks.sort_by(|a, b| {
        let later = used(b).total_cmp(&used(a));
        a.urgency().cmp(&b.urgency()).then(later)
    });
    blocks
}

pub(super) fn table(document: &ResultSet) -> Grid {
    let blocks = by_urgency(document);
    let chip = |block: &Block<'_>| block.axis("chip");
    let has_chips = blocks.iter().any(|one| chip(one) != chip(&blocks[0]));
    let title = match blocks.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!(
            "Remaining life, the {SHOWN} blocks that need attention first of {}",
            blocks.len()
        ),
        _ => "Remaining life".to_owned(),
    };
    let mut columns = Vec::new();
    if has_chips {
        columns.push(Column::left("chip"));
    }
    let keys = columns.len() + 1;
    columns.extend(["block", "cycles", "now / fresh"].map(Column::right));
    columns.extend(["life used", "90 % band", "cycles left", "90 % band"].map(Column::right));
    columns.push(Column::left("verdict"));
    let mut grid = Grid::new(title, columns).with_keys(keys);
    for block in blocks.iter().take(SHOWN) {
        let mut cells = Vec::new();
        let axis = |name| block.axis(name).unwrap_or_else(|| NOTHING.to_owned());
        if has_chips {
            cells.push(axis("chip"));
        }
        let seen = row(&block.rows, Metric::CyclesSeen, None).and_then(|row| row.value);
        cells.extend([
            axis("block"),
            seen.map_or_else(|| NOTHING.to_owned(), |cycles| format!("{cycles}")),
            block.latency(),
            block.value(Metric::LifeUsed, "median"),
            block.band(Metric::LifeUsed),
            bare(block.value(Metric::CyclesLeft, "median")),
            bare(block.band(Metric::CyclesLeft)),
            block.verdict().to_owned(),
        ]);
        grid.push(cells);
    }
    grid
}

/// Without the unit, which stands at the head.
fn bare(cycles: String) -> String {
    cycles.replace(" cycles", "")
}

pub(super) fn sentences(document: &ResultSet) -> Vec<String> {
    let blocks = by_urgency(document);
    let Some(first) = blocks.first() else {
        return Vec::new();
    };
    let counts: Vec<String> = VERDICTS
        .iter()
        .map(|(name, words)| (blocks.iter().filter(|one| one.verdict() == *name), words))
        .map(|(of, words)| (of.count(), words))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    let counts: Vec<&str> = counts.iter().map(String::as_str).collect();
    let log = first.rows[0].target.as_str();
    let log = log.strip_prefix("log:").unwrap_or(log);
    let number = blocks.len();
    let plural = if number == 1 { "block" } else { "blocks" };
    let mut sentences = vec![format!(
        "Of {number} {plural} in {log}: {}.",
        text::list(&counts)
    )];
    let living = |block: &&Block<'_>| block.verdict() != "failed" && block.used().is_some();
    if let Some(worst) = blocks.iter().find(living) {
        sentences.push(format!(
            "The nearest to its end is {}: {} of its life used, {} left, with 90 % probability {}.",
            worst.name(),
            worst.value(Metric::LifeUsed, "median"),
            worst.value(Metric::CyclesLeft, "median"),
            worst.band(Metric::CyclesLeft),
        ));
    }
    let anchored = document
        .rows
        .iter()
        .any(|row| row.metric == Metric::LifeUsed && row.basis == Basis::Calibrated);
    sentences.push(
        if anchored {
            "Predictions rest on how far the latency of failed blocks of this log went, and on a law that was learnt \
             from simulated chips."
        } else {
            "Predictions rest on simulated chips alone: health --score says how far such predictions go."
        }
        .to_owned(),
    );
    sentences
}
