//! The first screen of raw memories: the fastest, its slowest access, what a byte costs, how long rated cycles last; or
//! what an access takes that meets other work, and how suspending that work helps.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard, NoValue, RankedChoice};
use wordline_core::{Axis, Basis, Metric, Workload};

use crate::card::{Card, choice, foundation};
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine, Series, together};
use crate::tabulate::Tabulation;
use crate::text;
use crate::views::layer;

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

pub(crate) fn card(pivot: &Pivot<'_>) -> Card {
    let series = pivot.series();
    let groups = together(series.iter().collect(), |one| &one.name_on_target);
    let groups: Vec<_> = groups.into_iter().map(RankedSeries::of).collect();
    let plot = plot(pivot, &groups);
    let table = table(pivot, &series);
    let answer = match disturbed(pivot, &series) {
        Some(answer) => answer,
        None => fastest(pivot, &groups),
    };
    Card {
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
    points.extend(speed(pivot, &own));
    points.extend(slowest(pivot, &own));
    points.extend(cause(pivot, best));
    points.extend(energy(&own));
    points.extend(life(pivot, &own));
    points.extend(runner_up(deciding));
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

/// Rates of the smallest accesses.
fn speed(pivot: &Pivot<'_>, own: &[&Series<'_, '_>]) -> Option<CardPoint> {
    let starts = own.iter().filter(|one| one.lines.len() > 1);
    let rates = starts.filter_map(|one| {
        let line = *one.lines.first()?;
        Some((one, line, told(line, Metric::ThroughputMean)?))
    });
    let rates: Vec<_> = rates.collect();
    let (_, line, _) = rates.first()?;
    let words = rates
        .iter()
        .take(3)
        .map(|(one, _, rate)| format!("{} {rate}", verb(one)));
    let words = text::list(&words.collect::<Vec<_>>());
    let size = size(pivot, line);
    Some(point(
        CardSubject::Speed,
        words + &size,
        line,
        Metric::ThroughputMean,
    ))
}

/// The slowest access at both ends of each curve.
fn slowest(pivot: &Pivot<'_>, own: &[&Series<'_, '_>]) -> Option<CardPoint> {
    let mut words = Vec::new();
    let mut worst: Option<(f64, &PivotLine<'_>)> = None;
    for one in own.iter().take(3) {
        let line = end(one)?;
        let Some(latency) = line.number(Metric::LatencyMax) else {
            continue;
        };
        if worst.is_none_or(|(most, _)| latency > most) {
            worst = Some((latency, line));
        }
        let of = |line: &PivotLine<'_>| {
            let latency = told(line, Metric::LatencyMax)?;
            Some(match pivot.place(line) {
                place if place.is_empty() => latency,
                place => format!("{latency} for {place}"),
            })
        };
        let ends = match one.lines.as_slice() {
            [first, .., last] => vec![of(first), of(last)],
            _ => vec![of(line)],
        };
        let ends: Vec<_> = ends.into_iter().flatten().collect();
        words.push(format!("{} {}", one.name_on_target, ends.join(", ")));
    }
    let (_, line) = worst?;
    Some(point(
        CardSubject::WorstCase,
        words.join("; "),
        line,
        Metric::LatencyMax,
    ))
}

/// What most of the time goes into, at both ends of the deciding curve.
fn cause(pivot: &Pivot<'_>, series: &Series<'_, '_>) -> Option<CardPoint> {
    let of = |line: &PivotLine<'_>| {
        let mut shares: Vec<_> = line.parts(Metric::TimeShare).collect();
        shares.retain(|(_, share)| *share >= 0.005);
        shares.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let words = shares.iter().take(2);
        let words = words.map(|(cause, share)| {
            format!("{} {}", text::percent(*share, 2), crate::cause::name(cause))
        });
        let words: Vec<_> = words.collect();
        let place = pivot.place(line);
        let of = match place.is_empty() {
            true => String::new(),
            false => format!(" of {place}"),
        };
        (!words.is_empty())
            .then(|| format!("{}{of}: {}", series.head().operation, words.join(", ")))
    };
    let ends = match series.lines.as_slice() {
        [first, .., last] => vec![of(first), of(last)],
        all => all.iter().map(|line| of(line)).collect(),
    };
    let ends: Vec<_> = ends.into_iter().flatten().collect();
    (!ends.is_empty()).then(|| CardPoint::words(CardSubject::Cause, ends.join("; ")))
}

/// What a byte costs at the largest access.
fn energy(own: &[&Series<'_, '_>]) -> Option<CardPoint> {
    let costs = own.iter().filter_map(|one| {
        let line = end(one)?;
        let joules = line.number(Metric::EnergyPerByte)?;
        let words = wordline_core::quantity::human(joules, "J", text::DIGITS);
        let done = match one.name_on_target.as_str() {
            "read" => "read".to_owned(),
            "write" => "written".to_owned(),
            other => format!("in {other}"),
        };
        Some((joules, line, format!("{words} a byte {done}")))
    });
    let costs: Vec<_> = costs.take(3).collect();
    let (_, line, _) = costs.iter().max_by(|(a, ..), (b, ..)| a.total_cmp(b))?;
    let words = costs.iter().map(|(.., words)| words.as_str());
    let words = words.collect::<Vec<_>>().join(", ");
    let words = format!("{words}, by the memory alone");
    Some(point(
        CardSubject::Energy,
        words,
        line,
        Metric::EnergyPerByte,
    ))
}

/// How long rated cycles last.
fn life(pivot: &Pivot<'_>, own: &[&Series<'_, '_>]) -> Option<CardPoint> {
    let lines = || own.iter().flat_map(|one| one.lines.iter().copied());
    let least = |metric: Metric| {
        let values = lines().filter_map(|line| Some((line.number(metric)?, line)));
        values.min_by(|(a, _), (b, _)| a.total_cmp(b))
    };
    let spread = match lines().any(|line| layer::has(line)) {
        true => ", spread over all blocks".to_owned(),
        false => match &pivot.document.experiment.workload {
            Workload::Raw(raw) => {
                let wrap = wordline_core::quantity::ByteCount::from_bytes(raw.wrap_bytes);
                format!(", spread over {wrap}")
            }
            _ => String::new(),
        },
    };
    let years = |metric, value| text::number(metric, value, text::DIGITS);
    if let Some((value, line)) = least(Metric::Lifetime) {
        let hot = least(Metric::LifetimeHotSpot);
        let hot = hot.map_or_else(String::new, |(value, _)| {
            format!("; {} in one place", years(Metric::LifetimeHotSpot, value))
        });
        let pace = match line.head().axes.contains_key(&Axis::GapS) {
            true => "written at this pace",
            false => "written without pause",
        };
        let value = years(Metric::Lifetime, value);
        let words = format!("{value} by rated cycles, {pace}{spread}{hot}");
        return Some(point(CardSubject::Life, words, line, Metric::Lifetime));
    }
    let unbounded = |line: &&PivotLine<'_>| {
        let row = line.row(Metric::Lifetime, None);
        row.is_some_and(|row| row.no_value == Some(NoValue::Unbounded))
    };
    let line = lines().find(unbounded)?;
    let words = "no wear limits it".to_owned();
    Some(point(CardSubject::Life, words, line, Metric::Lifetime))
}

/// The second, in figures that differ.
fn runner_up(deciding: &RankedSeries<'_, '_, '_>) -> Option<CardPoint> {
    let (first, second) = (end(deciding.all[0])?, end(deciding.all.get(1)?)?);
    let words = [
        (Metric::ThroughputMean, "rate"),
        (Metric::LatencyMax, "slowest"),
        (Metric::EnergyPerByte, "energy"),
        (Metric::Lifetime, "life"),
    ];
    let words = words.into_iter().filter_map(|(metric, name)| {
        let (own, other) = (first.number(metric)?, second.number(metric)?);
        let differs = (own - other).abs() > ALIKE * own.abs().max(other.abs());
        let number = |value| text::number(metric, value, text::DIGITS);
        differs.then(|| format!("{name} {} for {}", number(other), number(own)))
    });
    // More do not fit a line.
    let words: Vec<_> = words.take(3).collect();
    let name = &second.head().target;
    let words = match words.is_empty() {
        true => format!("{}: no figure differs by 1 %", text::part_of(name)),
        false => format!("{}: {}", text::part_of(name), words.join(", ")),
    };
    let point = point(CardSubject::RunnerUp, words, second, deciding.metric);
    Some(point.about(name.as_str()))
}

/// The answer where accesses meet other work: suspend it, or not.
fn disturbed(pivot: &Pivot<'_>, series: &[Series<'_, '_>]) -> Option<DecisionCard> {
    let first = series.first()?.head().target.as_str();
    if series.iter().any(|one| one.head().target != first) {
        return None;
    }
    let meets = |one: &&Series<'_, '_>| one.head().text(Axis::During).is_some();
    let mut met: Vec<_> = series.iter().filter(meets).collect();
    let latency = |one: &Series<'_, '_>| start(one)?.number(Metric::LatencyMax);
    met.retain(|one| latency(one).is_some());
    met.sort_by(|a, b| {
        latency(a)
            .unwrap_or_default()
            .total_cmp(&latency(b).unwrap_or_default())
    });
    let best = *met.first()?;
    let worst = *met.last()?;
    let head = best.head();
    let during = head.text(Axis::During).unwrap_or_default();
    let handling = |one: &Series<'_, '_>| one.head().text(Axis::OnConflict).map(str::to_owned);
    let line = start(best)?;
    let size = match pivot.place(line) {
        place if place.is_empty() => String::new(),
        place => format!(" of {place}"),
    };
    let access = &head.operation;
    let most = |one: &Series<'_, '_>| told(start(one)?, Metric::LatencyMax);
    let idle = series.iter().find(|one| !meets(one)).and_then(&most);
    let alone = idle.map_or_else(String::new, |idle| format!(" ({idle} when idle)"));
    let is_choice = met.len() > 1;
    let sentence = match is_choice {
        true => format!(
            "{} on {first}: a {access}{size} then takes at most {}, not {}{alone}.",
            match handling(best).as_deref() {
                Some("suspend") => format!("Suspend the {during}"),
                Some("wait") => format!("Wait for the {during}"),
                _ => "Choose the first of the table".to_owned(),
            },
            most(best)?,
            most(worst)?,
        ),
        false => format!(
            "A {access}{size} during an {during} of {first} takes up to {}{alone}.",
            most(best)?
        ),
    };
    let mut points = Vec::new();
    for one in &met {
        let (Some(line), Some(half)) = (
            start(one),
            start(one).and_then(|line| told(line, Metric::LatencyP50)),
        ) else {
            continue;
        };
        let name = handling(one).unwrap_or_else(|| one.name_on_target.clone());
        let tail =
            told(line, Metric::LatencyP99).map_or_else(String::new, |p99| format!(", p99 {p99}"));
        let words = format!(
            "{name}: p50 {half}{tail}, max {}",
            most(one).unwrap_or_default()
        );
        points.push(point(CardSubject::WorstCase, words, line, Metric::LatencyMax).about(name));
    }
    for one in &met {
        let costs = one.lines.iter().filter_map(|line| {
            let delay = line.number(Metric::BackgroundDelayMean)?;
            Some((delay, *line))
        });
        let Some((delay, line)) = costs.max_by(|(a, _), (b, _)| a.total_cmp(b)) else {
            continue;
        };
        let name = handling(one).unwrap_or_else(|| one.name_on_target.clone());
        let takes = told(line, Metric::BackgroundDurationMean).unwrap_or_default();
        let words = match delay > 0.0 {
            true => {
                let delay = text::number(Metric::BackgroundDelayMean, delay, text::DIGITS);
                format!("{name}: the {during} takes up to {takes}, {delay} of it for the {access}s")
            }
            false => format!("{name}: the {during} takes {takes}, no longer than alone"),
        };
        points.push(point(CardSubject::Cost, words, line, Metric::BackgroundDelayMean).about(name));
    }
    points.extend(foundation(pivot.document));
    let ranking = met.iter().map(|one| {
        let name = handling(one).unwrap_or_else(|| one.name_on_target.clone());
        choice(name, Metric::LatencyMax, latency(one))
    });
    Some(DecisionCard {
        sentence,
        take: handling(best).filter(|_| is_choice),
        points,
        ranking: ranking.collect(),
        cautions: Vec::new(),
    })
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
