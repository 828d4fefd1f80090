//! Memory modules: the rows of `wordline dram` as people ask for them, several targets side by side.
//!
//! A test (idle, bandwidth, loaded, trace) has a file of its own with its tables and sentences. Whatever a document
//! lacks is left out.

mod bandwidth;
mod carried;
mod idle;
mod loaded;
mod plots;
mod trace;

#[cfg(test)]
mod tests;

use wordline_core::{Axis, Metric};

use crate::answer::Answer;
use crate::cause;
use crate::grid::{Column, Grid};
use crate::pivot::{Keys, Pivot, PivotLine, each};
use crate::tabulate::Tabulation;
use crate::text;
use crate::view::{PlotView, TableView, View};

pub(crate) use bandwidth::Mixes;
pub(crate) use loaded::{LANDMARKS, LoadPoint, curves};

pub(crate) const VIEW: View = View {
    workload: "dram",
    keys: Keys::ALL,
    lead: &[],
    tables: &[TableView::Made(tables)],
    plots_first: true,
    plots: &[PlotView::Made(plots::plots)],
    by_series: false,
    why: Some(plots::why),
    answer,
};

fn tables(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let view = ModuleLines::of(pivot);
    let mut grids = idle::tables(&view);
    grids.extend(bandwidth::tables(&view));
    grids.extend(loaded::tables(&view));
    grids.extend(trace::tables(&view));
    grids
}

fn answer(pivot: &Pivot<'_>) -> Answer {
    let view = ModuleLines::of(pivot);
    let mut sentences = idle::sentences(&view);
    sentences.extend(bandwidth::sentences(&view));
    sentences.extend(loaded::sentences(&view));
    sentences.extend(trace::sentences(&view));
    Answer::of_each(sentences)
}

/// The lines of a document, and its targets.
pub(crate) struct ModuleLines<'a, 'p> {
    lines: Vec<&'p PivotLine<'a>>,
    /// In the order of the document.
    pub(crate) targets: Vec<&'a str>,
    /// The system that all targets share.
    system: Option<&'a str>,
}

/// Axes that keep special lines apart from the plain ones.
const SPECIAL: [Axis; 5] = [
    Axis::Estimate,
    Axis::Over,
    Axis::Choice,
    Axis::Load,
    Axis::WithinS,
];

impl<'a, 'p> ModuleLines<'a, 'p> {
    pub(crate) fn of(pivot: &'p Pivot<'a>) -> Self {
        let lines: Vec<_> = pivot.lines.iter().collect();
        let targets = each(&lines, |line| line.head().target.as_str());
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
    pub(crate) fn plain(&self, test: &str) -> impl Iterator<Item = &'p PivotLine<'a>> {
        self.special(test, &[])
    }

    /// The lines of a test that have exactly these of the axes that mark special ones.
    fn special(&self, test: &str, axes: &[Axis]) -> impl Iterator<Item = &'p PivotLine<'a>> {
        let wanted = |line: &&&'p PivotLine<'a>| {
            line.head().text(Axis::Test) == Some(test)
                && SPECIAL
                    .iter()
                    .all(|axis| line.axis(*axis).is_some() == axes.contains(axis))
        };
        self.lines
            .iter()
            .filter(wanted)
            .copied()
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// The line of a target among some.
    fn of_target(lines: &[&'p PivotLine<'a>], target: &str) -> Option<&'p PivotLine<'a>> {
        let mut lines = lines.iter();
        lines.find(|line| line.head().target == target).copied()
    }

    /// A table with a column for each target.
    fn by_target<'t>(&'t self, title: String) -> Tabulation<'t, &'a str> {
        let title = format!("{title}{}", self.place());
        Tabulation::new(title).key(Column::right(""), |target: &&'a str| {
            self.short(target).to_owned()
        })
    }
}

/// A line with the words that name it in a table.
pub(super) type NamedLine<'a, 'p> = (Vec<String>, &'p PivotLine<'a>);

/// A table with a row for each named line, the names under their headings.
fn by_name<'t, 'a: 't, 'p: 't>(
    title: String,
    keys: &[&'static str],
) -> Tabulation<'t, NamedLine<'a, 'p>> {
    let keys = keys.iter().enumerate();
    keys.fold(Tabulation::new(title), |table, (place, key)| {
        table.key(Column::left(*key), move |(names, _): &NamedLine<'_, '_>| {
            names[place].clone()
        })
    })
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

/// Adds to a table by target power and energy between the sets of currents of the dies, of a test without conditions.
fn with_bands<'t, 'a>(
    view: &'t ModuleLines<'a, '_>,
    test: &'t str,
    table: Tabulation<'t, &'a str>,
) -> Tabulation<'t, &'a str> {
    let rows = [
        (Metric::PowerMean, "power between sets of currents"),
        (Metric::EnergyPerByte, "energy of a byte between them"),
    ];
    rows.into_iter().fold(table, |table, (metric, name)| {
        table.figure(name, move |target: &&str| {
            let end = |estimate| {
                let mut lines = view.special(test, &[Axis::Estimate]);
                let line = lines.find(|line| {
                    let head = line.head();
                    head.target == **target && head.text(Axis::Estimate) == Some(estimate)
                });
                line?.number(metric)
            };
            Some(between(metric, end("band_low")?, end("band_high")?))
        })
    })
}

/// "50.0 to 120 W", or "900 mW to 1.20 W".
fn between(metric: Metric, low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(|value| text::number(metric, value, text::DIGITS));
    match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// A row for each line, a column for each cause that takes a share worth a digit anywhere.
fn shares<'a, 'p>(
    view: &ModuleLines<'a, 'p>,
    title: &str,
    keys: &[&'static str],
    lines: &[NamedLine<'a, 'p>],
    metric: Metric,
) -> Option<Grid> {
    const LEAST: f64 = 0.0005;
    let parts = lines.iter().flat_map(|(_, line)| line.parts(metric));
    let parts: Vec<_> = parts.filter(|(_, share)| share.abs() >= LEAST).collect();
    let mut causes = each(&parts, |(cause, _)| *cause);
    causes.sort_by_key(|cause| cause::place(cause));
    let table = by_name(format!("{title}{}", view.place()), keys);
    let table = causes.into_iter().fold(table, |table, cause| {
        table.figure(cause::name(cause), move |(_, line): &NamedLine<'_, '_>| {
            let row = line.row(metric, Some(cause))?;
            Some(match (metric, row.value) {
                (Metric::ThroughputRatioPart, Some(part)) => points(part),
                (_, Some(share)) => text::tenths(share),
                (_, None) => text::value(row, text::DIGITS),
            })
        })
    });
    table.lines(lines)
}
