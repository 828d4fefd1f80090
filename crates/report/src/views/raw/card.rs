//! The first screen of raw memories: the fastest, its slowest access, what a byte costs, how long rated cycles last; or
//! what an access takes that meets other work, and how suspending that work helps.

mod during;
mod points;

use wordline_core::results::{CardPoint, CardSubject, DecisionCard, RankedChoice};
use wordline_core::{Axis, Basis, Metric};

use crate::card::{FirstScreen, choice, foundation};
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine, Series, together};
use crate::tabulate::Tabulation;
use crate::text;

/// The most curves that a terminal can name.
const CURVES: usize = 4;

/// Rates that differ by less are alike.
const ALIKE: f64 = 0.01;

/// The series of an operation under the same conditions, one for each target, the best first.
struct RankedSeries<'s, 'a, 'p> {
    all: Vec<&'s Series<'a, 'p>>,
    /// By what they are ranked.
    metric: Metric,
}

pub(crate) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let series = pivot.series();
    let groups = together(series.iter().collect(), |one| &one.name_on_target);
    let groups: Vec<_> = groups.into_iter().map(RankedSeries::of).collect();
    let plot = plot(pivot, &groups);
    let table = table(pivot, &series);
    let answer = match during::disturbed(pivot, &series) {
        Some(answer) => answer,
        None => fastest(pivot, &groups),
    };
    FirstScreen {
        answer,
        table,
        of: "operations",
        plot,
    }
}

impl<'s, 'a, 'p> RankedSeries<'s, 'a, 'p> {
    fn of(mut all: Vec<&'s Series<'a, 'p>>) -> Self {
        let has_rate = all.iter().any(|one| rate(one).is_some());
        let (metric, order) = match has_rate {
            true => (Metric::ThroughputMean, -1.0),
            false => (Metric::LatencyMax, 1.0),
        };
        let place = |one: &Series<'_, '_>| {
            end(one)
                .and_then(|line| line.number(metric))
                .map_or(f64::INFINITY, |value| order * value)
        };
        all.sort_by(|a, b| place(a).total_cmp(&place(b)));
        Self { all, metric }
    }

    fn value(&self, index: usize) -> Option<f64> {
        end(self.all.get(index)?)?.number(self.metric)
    }

    /// Whether the best is not better than the second by what counts.
    fn is_even(&self) -> bool {
        match (self.value(0), self.value(1)) {
            (Some(first), Some(second)) => {
                (first - second).abs() <= ALIKE * first.abs().max(second.abs())
            }
            _ => false,
        }
    }

    fn ranking(&self) -> Vec<RankedChoice> {
        let all = self.all.iter().enumerate();
        let all = all
            .map(|(index, one)| choice(one.head().target.as_str(), self.metric, self.value(index)));
        all.collect()
    }
}

/// The largest access of a series.
fn end<'a, 'p>(series: &Series<'a, 'p>) -> Option<&'p PivotLine<'a>> {
    series.lines.last().copied()
}

/// The smallest access of a series.
fn start<'a, 'p>(series: &Series<'a, 'p>) -> Option<&'p PivotLine<'a>> {
    series.lines.first().copied()
}

fn rate(series: &Series<'_, '_>) -> Option<f64> {
    end(series)?.number(Metric::ThroughputMean)
}

/// "writes", or the operation with its conditions.
fn verb(series: &Series<'_, '_>) -> String {
    match series.name_on_target.as_str() {
        "read" => "reads".to_owned(),
        "write" => "writes".to_owned(),
        other => format!("in {other} reaches"),
    }
}

/// " in accesses of 64 KiB"; empty where accesses have no size.
fn size(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> String {
    match pivot.place(line) {
        place if place.is_empty() || pivot.along != Some(Axis::AccessBytes) => String::new(),
        place => format!(" in accesses of {place}"),
    }
}

fn told(line: &PivotLine<'_>, metric: Metric) -> Option<String> {
    Some(text::number(metric, line.number(metric)?, text::DIGITS))
}

fn point(subject: CardSubject, words: String, line: &PivotLine<'_>, metric: Metric) -> CardPoint {
    let row = line.row(metric, None);
    CardPoint::of_value(
        subject,
        words,
        metric,
        row.and_then(|row| row.value),
        row.map_or(Basis::Simulated, |row| row.basis),
    )
}

/// The answer where operations run by themselves.
fn fastest(pivot: &Pivot<'_>, groups: &[RankedSeries<'_, '_, '_>]) -> DecisionCard {
    let is_write = |group: &&RankedSeries<'_, '_, '_>| group.all[0].name_on_target == "write";
    let Some(deciding) = groups.iter().find(is_write).or(groups.first()) else {
        return DecisionCard {
            sentence: "Nothing was run.".to_owned(),
            ..DecisionCard::default()
        };
    };
    let best = deciding.all[0];
    let target = best.head().target.as_str();
    let own: Vec<_> = groups
        .iter()
        .filter_map(|group| group.all.iter().find(|one| one.head().target == target))
        .copied()
        .collect();
    let is_choice = deciding.all.len() > 1;
    let mut points = Vec::new();
    points.extend(points::speed(pivot, &own));
    points.extend(points::slowest(pivot, &own));
    points.extend(points::cause(pivot, best));
    points.extend(points::energy(&own));
    points.extend(points::life(pivot, &own));
    points.extend(points::runner_up(deciding));
    points.extend(foundation(pivot.document));
    DecisionCard {
        sentence: match is_choice {
            true => taken(pivot, deciding, groups),
            false => alone(pivot, target, &own),
        },
        take: (is_choice && !deciding.is_even()).then(|| target.to_owned()),
        points,
        ranking: deciding.ranking(),
        cautions: Vec::new(),
    }
}

/// What a single target does: "a@b reads 59.0 MB/s and writes 59.0 MB/s in accesses of 64 KiB."
fn alone(pivot: &Pivot<'_>, target: &str, own: &[&Series<'_, '_>]) -> String {
    let rates = own
        .iter()
        .filter_map(|one| Some((one, end(one)?, told(end(one)?, Metric::ThroughputMean)?)));
    let rates: Vec<_> = rates.collect();
    let words = rates
        .iter()
        .take(2)
        .map(|(one, _, rate)| format!("{} {rate}", verb(one)));
    let words: Vec<_> = words.collect();
    if let Some((_, line, _)) = rates.first() {
        return format!("{target} {}{}.", text::list(&words), size(pivot, line));
    }
    let mut slowest = own.iter().filter_map(|one| {
        let latency = told(end(one)?, Metric::LatencyMax)?;
        Some(format!(
            "{target}: the slowest {} takes {latency}.",
            one.name_on_target
        ))
    });
    let missing = || {
        let reason = own
            .iter()
            .flat_map(|one| &one.lines)
            .find_map(|line| super::missing(line));
        match reason {
            Some(reason) => format!("{target}: {reason}."),
            None => format!("{target} was run; the table has what was found."),
        }
    };
    slowest.next().unwrap_or_else(missing)
}

/// "Take a@b: of 3 memories it writes fastest, 59.0 MB/s in accesses of 64 KiB."
fn taken(
    pivot: &Pivot<'_>,
    deciding: &RankedSeries<'_, '_, '_>,
    groups: &[RankedSeries<'_, '_, '_>],
) -> String {
    let best = deciding.all[0];
    let target = &best.head().target;
    let count = deciding.all.len();
    let value = end(best).and_then(|line| {
        let value = told(line, deciding.metric)?;
        Some(format!("{value}{}", size(pivot, line)))
    });
    let Some(value) = value else {
        return format!("None of {count} memories has a figure to rank by.");
    };
    let doing = match (deciding.metric, deciding.is_even()) {
        (Metric::ThroughputMean, false) => {
            format!(
                "Take {target}: of {count} memories it {} fastest, {value}.",
                verb(best)
            )
        }
        (Metric::ThroughputMean, true) => format!(
            "{} and {} are alike: {target} {} {value}.",
            text::part_of(target),
            text::part_of(&deciding.all[1].head().target),
            verb(best)
        ),
        (_, false) => format!(
            "Take {target}: of {count} memories its slowest {} is shortest, {value}.",
            best.name_on_target
        ),
        (_, true) => format!(
            "{} and {} are alike: the slowest {} takes {value}.",
            text::part_of(target),
            text::part_of(&deciding.all[1].head().target),
            best.name_on_target
        ),
    };
    let other = groups.iter().find(|group| {
        group.all[0].head().target != *target && !group.is_even() && group.metric == deciding.metric
    });
    let other = other.and_then(|group| {
        let one = group.all[0];
        let rate = told(end(one)?, group.metric)?;
        Some(format!(
            " {} {} faster, {rate}.",
            text::part_of(&one.head().target),
            verb(one)
        ))
    });
    doing
        + &other
            .filter(|_| deciding.metric == Metric::ThroughputMean)
            .unwrap_or_default()
}

/// A line for each target and operation.
fn table(pivot: &Pivot<'_>, series: &[Series<'_, '_>]) -> Option<Grid> {
    type Of<'s, 'a, 'p> = &'s Series<'a, 'p>;
    let several = pivot.varying.target;
    let mut table = Tabulation::new(String::new());
    if several {
        table = table.key(Column::left("target"), |one: &Of<'_, '_, '_>| {
            one.head().target.clone()
        });
    }
    table = table.key(Column::left("operation"), |one: &Of<'_, '_, '_>| {
        one.name_on_target.clone()
    });
    let at = |line: Option<&PivotLine<'_>>| {
        let place = line.map(|line| pivot.place(line));
        place.filter(|place| !place.is_empty())
    };
    let longest = series.iter().max_by_key(|one| one.lines.len());
    let first = at(longest.and_then(|one| one.lines.first().copied()));
    let last = at(longest.and_then(|one| one.lines.last().copied()));
    let named = |what: &str, place: &Option<String>| match place {
        Some(place) => format!("{what}, {place}"),
        None => what.to_owned(),
    };
    let several_sizes = longest.is_some_and(|one| one.lines.len() > 1);
    let rate = |line: Option<&PivotLine<'_>>| told(line?, Metric::ThroughputMean);
    let slow = |line: Option<&PivotLine<'_>>| told(line?, Metric::LatencyMax);
    if several_sizes {
        table = table.figure(named("rate", &first), move |one| {
            rate(one.lines.first().copied())
        });
    }
    table = table.figure(named("rate", &last), move |one| {
        rate(one.lines.last().copied())
    });
    if several_sizes {
        table = table.figure(named("max", &first), move |one| {
            slow(one.lines.first().copied())
        });
    }
    let table = table
        .figure(named("max", &last), move |one| {
            slow(one.lines.last().copied())
        })
        .figure("energy", |one| told(end(one)?, Metric::EnergyPerByte))
        .figure("life", |one| told(end(one)?, Metric::Lifetime))
        .figure("work takes", |one| {
            told(end(one)?, Metric::BackgroundDurationMean)
        });
    table.lines(&series.iter().collect::<Vec<_>>())
}

/// Rates along the access size; of accesses that meet other work the slowest.
fn plot(pivot: &Pivot<'_>, groups: &[RankedSeries<'_, '_, '_>]) -> Option<TerminalPlot> {
    let along = pivot.along.filter(|along| *along == Axis::AccessBytes)?;
    let is_tail = groups
        .iter()
        .any(|group| group.metric == Metric::LatencyMax);
    let metric = match is_tail {
        true => Metric::LatencyMax,
        false => Metric::ThroughputMean,
    };
    let all = groups.iter().flat_map(|group| &group.all);
    let curves = all.take(CURVES).map(|one| TerminalCurve {
        is_dashed: false,
        name: match pivot.varying.target {
            true => format!(
                "{} {}",
                text::part_of(&one.head().target),
                one.name_on_target
            ),
            false => one.name_on_target.clone(),
        },
        points: one
            .lines
            .iter()
            .filter_map(|line| Some((line.coordinate(along)?, line.number(metric)?)))
            .collect(),
    });
    Some(TerminalPlot {
        x: TerminalAxis {
            title: "access",
            told: |bytes| text::place(Axis::AccessBytes, bytes),
        },
        y: match is_tail {
            true => TerminalAxis {
                title: "slowest",
                told: |seconds| text::number(Metric::LatencyMax, seconds, text::DIGITS),
            },
            false => TerminalAxis {
                title: "rate",
                told: text::rate,
            },
        },
        curves: curves.collect(),
    })
}
