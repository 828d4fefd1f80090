//! Memory modules: the rows of `wordline dram` as people ask for them, several targets side by side.
//!
//! A test (idle, bandwidth, loaded, trace) has a file of its own with its tables and sentences. Whatever a document
//! lacks is left out.

mod bandwidth;
mod carried;
mod cause;
mod idle;
mod loaded;
mod trace;

#[cfg(test)]
mod tests;

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use crate::answer::Told;
use crate::grid::{Column, Grid};
use crate::pivot::{Line, Pivot};
use crate::text;

pub(crate) use bandwidth::Mixes;
pub(crate) use cause::{BUS, LATENCY, known, name as cause_name};
pub(crate) use loaded::{LANDMARKS, Point, curves};

/// Stands in a cell that has nothing to say.
const NOTHING: &str = "–";

pub(crate) fn tables(document: &ResultSet) -> Vec<Grid> {
    let pivot = Pivot::of(document);
    let view = View::of(&pivot);
    let mut grids = idle::tables(&view);
    grids.extend(bandwidth::tables(&view));
    grids.extend(loaded::tables(&view));
    grids.extend(trace::tables(&view));
    if grids.is_empty() {
        grids.push(Grid::new("dram: no rows", vec![Column::left("test")]));
    }
    grids
}

pub(crate) fn told(document: &ResultSet) -> Told {
    let pivot = Pivot::of(document);
    let view = View::of(&pivot);
    let mut sentences = idle::sentences(&view);
    sentences.extend(bandwidth::sentences(&view));
    sentences.extend(loaded::sentences(&view));
    sentences.extend(trace::sentences(&view));
    Told {
        sentences,
        singly: true,
    }
}

/// The lines of a document, and its targets.
pub(crate) struct View<'a, 'p> {
    lines: Vec<&'p Line<'a>>,
    /// In the order of the document.
    pub(crate) targets: Vec<&'a str>,
    /// The system that all targets share.
    system: Option<&'a str>,
}

/// Axes that keep special lines apart from the plain ones.
const SPECIAL: [&str; 5] = ["estimate", "over", "choice", "load", "within_s"];

impl<'a, 'p> View<'a, 'p> {
    pub(crate) fn of(pivot: &'p Pivot<'a>) -> Self {
        let lines: Vec<_> = pivot.lines.iter().collect();
        let mut targets: Vec<&str> = Vec::new();
        for line in &lines {
            let target = line.head().target.as_str();
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        let system = |target: &&'a str| target.split_once('@').map(|(_, system)| system);
        let first = targets.first().and_then(system);
        let shared = first.filter(|_| targets.iter().all(|target| system(target) == first));
        Self {
            lines,
            targets,
            system: shared,
        }
    }

    /// A target as a column names it: without the system where all share it.
    pub(crate) fn short(&self, target: &'a str) -> &'a str {
        match (self.system, target.split_once('@')) {
            (Some(_), Some((module, _))) => module,
            _ => target,
        }
    }

    /// Where the targets run, for a title: ` on xeon6-1s`.
    fn place(&self) -> String {
        let system = self.system.map(|system| format!(" on {system}"));
        system.unwrap_or_default()
    }

    /// The lines of a test that have none of the axes that mark estimates, comparisons and shares.
    pub(crate) fn plain(&self, test: &str) -> impl Iterator<Item = &'p Line<'a>> {
        self.special(test, &[])
    }

    /// The lines of a test that have exactly these of the axes that mark special ones.
    fn special(&self, test: &str, axes: &[&str]) -> impl Iterator<Item = &'p Line<'a>> {
        let wanted = |line: &&&'p Line<'a>| {
            line.head().text("test") == Some(test)
                && SPECIAL
                    .iter()
                    .all(|axis| line.axis(axis).is_some() == axes.contains(axis))
        };
        self.lines
            .iter()
            .filter(wanted)
            .copied()
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// The line of a target among some.
    fn of_target(lines: &[&'p Line<'a>], target: &str) -> Option<&'p Line<'a>> {
        let mut lines = lines.iter();
        lines.find(|line| line.head().target == target).copied()
    }
}

/// A metric of a line as a cell.
fn cell(line: Option<&Line<'_>>, metric: Metric) -> String {
    let row = line.and_then(|line| line.row(metric, None));
    row.map_or_else(|| NOTHING.to_owned(), |row| text::value(row, text::DIGITS))
}

/// A ratio as a gain: `+38.1 %`.
fn gain(ratio: f64) -> String {
    points(ratio - 1.0)
}

/// A share that was won or lost, in percent with its sign and a decimal: `-0.5 %`.
fn points(share: f64) -> String {
    match text::tenths(share).as_str() {
        "-0.0 %" => "+0.0 %".to_owned(),
        positive if share >= 0.0 && share.is_finite() => format!("+{positive}"),
        told => told.to_owned(),
    }
}

/// Parts of a difference that are told in words: the greatest, at most so many.
const PARTS: usize = 4;

/// The greatest parts of a difference, greatest first: only those that are greater than the least that counts.
fn greatest<'a>(parts: impl Iterator<Item = (&'a str, f64)>, least: f64) -> Vec<(&'a str, f64)> {
    let mut parts: Vec<_> = parts.filter(|(_, part)| part.abs() > least).collect();
    parts.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    parts.truncate(PARTS);
    parts
}

/// A table with a row for each metric or part and a column for each target.
fn by_target<'a>(
    view: &View<'a, '_>,
    title: String,
    what: &str,
    rows: impl Iterator<Item = (String, Vec<Option<String>>)>,
) -> Option<Grid> {
    let mut columns = vec![Column::left(what)];
    columns.extend(
        view.targets
            .iter()
            .map(|target| Column::right(view.short(target))),
    );
    let mut grid = Grid::new(title, columns);
    for (name, cells) in rows.filter(|(_, cells)| cells.iter().any(Option::is_some)) {
        let cells = cells
            .into_iter()
            .map(|cell| cell.unwrap_or_else(|| NOTHING.to_owned()));
        grid.push([name].into_iter().chain(cells));
    }
    (!grid.rows().is_empty()).then_some(grid)
}

/// Rows of [`by_target`]: power and energy between the sets of currents of the dies, for a test without conditions.
fn bands<'v>(
    view: &'v View<'_, '_>,
    test: &str,
) -> impl Iterator<Item = (String, Vec<Option<String>>)> + use<'v> {
    let estimates: Vec<_> = view.special(test, &["estimate"]).collect();
    let rows = [
        (Metric::PowerMean, "power between sets of currents"),
        (Metric::EnergyPerByte, "energy of a byte between them"),
    ];
    let named = rows.map(|(metric, name)| {
        let cell = |target: &&str| {
            let end = |estimate| {
                let mut lines = estimates.iter();
                let line = lines.find(|line| {
                    let head = line.head();
                    head.target == **target && head.text("estimate") == Some(estimate)
                });
                line?.number(metric)
            };
            Some(between(metric, end("band_low")?, end("band_high")?))
        };
        (name.to_owned(), view.targets.iter().map(cell).collect())
    });
    named.into_iter()
}

/// "50.0 to 120 W", or "900 mW to 1.20 W".
fn between(metric: Metric, low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(|value| text::number(metric, value, text::DIGITS));
    match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// What the requests of some lines waited for, as shares of all waiting.
fn waits<'a, 'p>(
    view: &View<'a, 'p>,
    title: &str,
    keys: &[&str],
    lines: &[(Vec<String>, &'p Line<'a>)],
) -> Option<Grid> {
    shares(view, title, keys, lines, Metric::WaitShare)
}

/// A row for each line, a column for each cause that takes a share worth a digit anywhere.
fn shares<'a, 'p>(
    view: &View<'a, 'p>,
    title: &str,
    keys: &[&str],
    lines: &[(Vec<String>, &'p Line<'a>)],
    metric: Metric,
) -> Option<Grid> {
    const LEAST: f64 = 0.0005;
    let mut causes: Vec<&str> = Vec::new();
    for (cause, share) in lines.iter().flat_map(|(_, line)| line.parts(metric)) {
        if share.abs() >= LEAST && !causes.contains(&cause) {
            causes.push(cause);
        }
    }
    if causes.is_empty() {
        return None;
    }
    causes.sort_by_key(|cause| known(cause).map_or(usize::MAX, |known| known.order));
    let mut columns: Vec<_> = keys.iter().map(|key| Column::left(*key)).collect();
    columns.extend(causes.iter().map(|cause| Column::right(cause::name(cause))));
    let title = format!("{title}{}", view.place());
    let mut grid = Grid::new(title, columns).with_keys(keys.len());
    for (names, line) in lines {
        let cells = causes
            .iter()
            .map(|cause| match line.row(metric, Some(cause)) {
                Some(row) => match (metric, row.value) {
                    (Metric::ThroughputRatioPart, Some(part)) => points(part),
                    (_, Some(share)) => text::tenths(share),
                    (_, None) => text::value(row, text::DIGITS),
                },
                None => NOTHING.to_owned(),
            });
        grid.push(names.iter().cloned().chain(cells));
    }
    Some(grid)
}
