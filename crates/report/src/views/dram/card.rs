//! The first screen of memory modules: which to take, by how much, why, and which undisclosed choice would turn it.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard};
use wordline_core::{Axis, Basis, Better, Metric};

use super::bandwidth::{Mixes, alone, estimates, parts, ratio_band, throughputs};
use super::loaded::{LoadCurve, most};
use super::{band, curves, gain, greatest, mix, of_test, time};
use crate::card::{Card, choice, foundation};
use crate::cause;
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine};
use crate::tabulate::Tabulation;
use crate::text;

/// The most curves that a terminal can name.
const CURVES: usize = 4;

/// Values that differ by less are alike.
const ALIKE: f64 = 0.005;

/// Seconds of a difference that are not worth a word.
const LEAST_S: f64 = 5e-10;

/// A module with the line that stands for it.
struct RankedModule<'a, 'p> {
    line: &'p PivotLine<'a>,
    value: Option<f64>,
}

/// The modules of a document by a metric, the best first.
struct ModuleRanking<'a, 'p> {
    metric: Metric,
    all: Vec<RankedModule<'a, 'p>>,
}

pub(super) fn card(pivot: &Pivot<'_>) -> Card {
    let mixes = Mixes::all_of(pivot);
    let loads = curves(pivot);
    if let Some(mixes) = mixes.first() {
        bandwidth(pivot, mixes)
    } else if !loads.is_empty() {
        loaded(pivot, &loads)
    } else if !of_test(pivot, "idle").is_empty() {
        waiting(pivot, "idle")
    } else {
        waiting(pivot, "trace")
    }
}

impl<'a, 'p> ModuleRanking<'a, 'p> {
    fn of(lines: impl Iterator<Item = &'p PivotLine<'a>>, metric: Metric) -> Self {
        let sign = match metric.info().better {
            Better::Higher => -1.0,
            Better::Lower | Better::Neither => 1.0,
        };
        let all = lines.map(|line| RankedModule {
            line,
            value: line.number(metric),
        });
        let mut all: Vec<_> = all.collect();
        let place =
            |one: &RankedModule<'_, '_>| one.value.map_or(f64::INFINITY, |value| sign * value);
        all.sort_by(|a, b| place(a).total_cmp(&place(b)));
        Self { metric, all }
    }

    fn first(&self) -> Option<&RankedModule<'a, 'p>> {
        self.all.first().filter(|one| one.value.is_some())
    }

    fn second(&self) -> Option<&RankedModule<'a, 'p>> {
        self.all.get(1).filter(|one| one.value.is_some())
    }

    /// What the first has over the second, as a share of the second.
    fn lead(&self) -> Option<f64> {
        let (first, second) = (self.first()?.value?, self.second()?.value?);
        Some(first / second - 1.0).filter(|lead| lead.is_finite())
    }

    fn is_even(&self) -> bool {
        self.lead().is_some_and(|lead| lead.abs() < ALIKE)
    }

    /// The card with its sentence, its points and whatever else there is.
    fn card(
        &self,
        pivot: &Pivot<'_>,
        sentence: String,
        points: Vec<CardPoint>,
        table: Option<Grid>,
        plot: Option<TerminalPlot>,
    ) -> Card {
        let mut points = points;
        if !points
            .iter()
            .any(|point| point.subject == CardSubject::Weakest)
        {
            points.extend(foundation(pivot.document));
        }
        let ranking = self.all.iter();
        let ranking = ranking.map(|one| choice(target(one.line), self.metric, one.value));
        let take = self
            .first()
            .filter(|_| self.second().is_some() && !self.is_even());
        Card {
            answer: DecisionCard {
                sentence,
                take: take.map(|one| target(one.line).to_owned()),
                points,
                ranking: ranking.collect(),
                cautions: Vec::new(),
            },
            table,
            of: "lines",
            plot,
        }
    }
}

fn target<'a>(line: &PivotLine<'a>) -> &'a str {
    &line.head().target
}

fn point(subject: CardSubject, words: String, line: &PivotLine<'_>, metric: Metric) -> CardPoint {
    let row = line.at(metric, &[]);
    let value = row.and_then(|row| row.value);
    let basis = row.map_or(Basis::Simulated, |row| row.basis);
    CardPoint::of_value(subject, words, metric, value, basis)
}

/// Power of the modules, and what a byte costs.
fn energy(pivot: &Pivot<'_>, ranking: &ModuleRanking<'_, '_>) -> Option<CardPoint> {
    let line = ranking.first()?.line;
    let power = |line: &PivotLine<'_>| {
        let watts = line.number(Metric::PowerMean)?;
        let band = band(line, Metric::PowerMean);
        let band = band.map_or_else(String::new, |band| format!(" ({band} by set of currents)"));
        Some(text::number(Metric::PowerMean, watts, text::DIGITS) + &band)
    };
    let own = power(line)?;
    let other = ranking.second().and_then(|second| {
        let watts = second.line.number(Metric::PowerMean)?;
        let watts = text::number(Metric::PowerMean, watts, text::DIGITS);
        Some(format!("; {watts} for {}", pivot.short(second.line.head())))
    });
    let words = own + &other.unwrap_or_default();
    Some(point(CardSubject::Energy, words, line, Metric::PowerMean))
}

/// A share without its sign: "29 %".
fn share(value: f64) -> String {
    text::percent(value.abs(), 2)
}

/// A band of gains: "+8 to +40 %".
fn gains(low: f64, high: f64) -> String {
    let signed = |ratio: f64| {
        let sign = if ratio >= 1.0 { "+" } else { "" };
        format!("{sign}{}", text::percent(ratio - 1.0, 2))
    };
    let low = signed(low);
    format!("{} to {}", low.trim_end_matches(" %"), signed(high))
}

/// Over what a difference is told, which needs no word where there are two targets.
fn over(pivot: &Pivot<'_>, other: &str) -> String {
    match super::targets(pivot).len() {
        0..=2 => String::new(),
        _ => format!("over {other}: "),
    }
}

/// What is done with a mix of reads and writes.
fn verb(mix: &str) -> String {
    match mix {
        "1:0" => "reads".to_owned(),
        "triad" => "carries in stream triad".to_owned(),
        ratio => format!("carries at {ratio} reads to writes"),
    }
}

fn bandwidth(pivot: &Pivot<'_>, mixes: &Mixes<'_, '_>) -> Card {
    let first_mix = mixes.mixes.first().copied().unwrap_or_default();
    let of_mix = |wanted: &str| {
        let lines = mixes
            .lines
            .iter()
            .copied()
            .filter(|line| mix(line) == wanted);
        ModuleRanking::of(
            lines.collect::<Vec<_>>().into_iter(),
            Metric::ThroughputMean,
        )
    };
    let ranking = of_mix(first_mix);
    let table = throughputs(pivot, mixes);
    let Some(best) = ranking.first() else {
        let sentence = "No module has a bandwidth; the table has what was found.".to_owned();
        return ranking.card(pivot, sentence, Vec::new(), table, None);
    };
    let line = best.line;
    let rate = text::rate(best.value.unwrap_or_default());
    let verb = verb(first_mix) + &mixes.suffix.replace(", ", " at ");
    let against = ranking.second();
    let band = against
        .filter(|second| pivot.short(second.line.head()) == pivot.first())
        .and_then(|_| ratio_band(line));
    let sentence = match (against, ranking.lead()) {
        (Some(second), Some(_)) if ranking.is_even() => format!(
            "{} and {} are alike: {verb} {rate}.",
            target(line),
            pivot.short(second.line.head())
        ),
        (Some(second), Some(lead)) => {
            let band = band.map_or_else(String::new, |(low, high)| {
                format!(" ({} over what makers do not disclose)", gains(low, high))
            });
            format!(
                "Take {}: it {verb} {rate}, {} more than {}{band}.",
                target(line),
                share(lead),
                pivot.short(second.line.head())
            )
        }
        _ => format!("{} {verb} {rate}.", target(line)),
    };
    let mut points = Vec::new();
    let others = mixes.mixes.iter().skip(1).filter_map(|mix| {
        let ranking = of_mix(mix);
        let first = ranking.first()?;
        let rate = text::rate(first.value?);
        let who = match target(first.line) == target(line) {
            true => String::new(),
            false => format!(" by {}", pivot.short(first.line.head())),
        };
        let lead = ranking.lead();
        let lead = lead.map_or_else(String::new, |lead| format!(" ({})", super::points(lead)));
        Some(format!("{mix} {rate}{who}{lead}"))
    });
    let others: Vec<_> = others.collect();
    if !others.is_empty() {
        let words = others.join(", ");
        points.push(point(
            CardSubject::Speed,
            words,
            line,
            Metric::ThroughputMean,
        ));
    }
    points.extend(why(pivot, line));
    if let Some(takes) = line.number(Metric::LatencyMean) {
        let alone =
            alone(line).map_or_else(String::new, |alone| format!("; {} alone", time(alone)));
        let words = format!("a read takes {} at that load{alone}", time(takes));
        points.push(point(
            CardSubject::WorstCase,
            words,
            line,
            Metric::LatencyMean,
        ));
    }
    points.extend(energy(pivot, &ranking));
    if let Some(second) = against {
        let of_buses = second.line.number(Metric::BusUtilization);
        let of_buses = of_buses.map_or_else(String::new, |share| {
            format!(
                ", {} of its buses' peak",
                text::percent(share, text::DIGITS)
            )
        });
        let words = format!(
            "{}: {}{of_buses}",
            pivot.short(second.line.head()),
            text::rate(second.value.unwrap_or_default())
        );
        let words = point(
            CardSubject::RunnerUp,
            words,
            second.line,
            Metric::ThroughputMean,
        );
        points.push(words.about(target(second.line)));
    }
    points.extend(weakest(line));
    ranking.card(pivot, sentence, points, table, None)
}

/// Where the difference from the first target of the document comes from.
fn why(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<CardPoint> {
    let words = over(pivot, pivot.first()) + &parts(line)?;
    Some(CardPoint::words(CardSubject::Cause, words))
}

/// The undisclosed choice that takes most of the gain.
fn weakest(line: &PivotLine<'_>) -> Option<CardPoint> {
    let end = |name: &str| {
        let row = *estimates(line, name).first()?;
        let (choice, setting) = (row.text(Axis::Choice)?, row.text(Axis::Setting)?);
        let gain = gain(row.value?);
        Some((row, format!("{gain} with {choice} = {setting}")))
    };
    let (row, low) = end("band_low")?;
    let high = end("band_high").map_or_else(String::new, |(_, high)| format!(", {high}"));
    let turns = match row.value.is_some_and(|ratio| ratio < 1.0) {
        true => "; the first would turn the answer",
        false => "; none turns it",
    };
    let subject = CardSubject::Weakest;
    let words = format!("what makers do not disclose: {low}{high}{turns}");
    Some(CardPoint::of_value(
        subject,
        words,
        Metric::ThroughputRatio,
        row.value,
        row.basis,
    ))
}

fn loaded(pivot: &Pivot<'_>, loads: &[LoadCurve<'_, '_>]) -> Card {
    let first = &loads[0];
    // Other mixes and orders are no rivals of the first.
    let rivals = loads.iter();
    let rivals: Vec<_> = rivals
        .filter(|curve| (curve.mix, curve.pattern) == (first.mix, first.pattern))
        .collect();
    let tops = rivals.iter().filter_map(|curve| Some(most(curve)?.line));
    let ranking = ModuleRanking::of(tops, Metric::ThroughputMean);
    let table = knees(&rivals);
    let plot = Some(plot(&rivals));
    let Some(best) = ranking.first() else {
        let sentence = "No module has a bandwidth; the table has what was found.".to_owned();
        return ranking.card(pivot, sentence, Vec::new(), table, plot);
    };
    let line = best.line;
    let rate = text::rate(best.value.unwrap_or_default());
    let sentence = match (ranking.second(), ranking.lead()) {
        (Some(second), Some(_)) if ranking.is_even() => format!(
            "{} and {} are alike: they carry {rate} under the greatest load.",
            target(line),
            pivot.short(second.line.head())
        ),
        (Some(second), Some(lead)) => format!(
            "Take {}: it carries {rate}, {} more than {}.",
            target(line),
            share(lead),
            pivot.short(second.line.head())
        ),
        _ => format!("{} carries {rate}.", target(line)),
    };
    let mut points = Vec::new();
    let own = rivals.iter().find(|curve| curve.target == target(line));
    if let Some(own) = own {
        let latency = line.number(Metric::LatencyMean);
        let steps = [
            own.idle.map(|idle| format!("{} alone", time(idle))),
            own.knee.map(|(rate, latency)| {
                format!("{} at the knee of {}", time(latency), text::rate(rate))
            }),
            latency.map(|latency| format!("{} at {rate}", time(latency))),
        ];
        let steps: Vec<_> = steps.into_iter().flatten().collect();
        if !steps.is_empty() {
            let words = format!("a read takes {}", text::list(&steps));
            points.push(point(
                CardSubject::WorstCase,
                words,
                line,
                Metric::LatencyMean,
            ));
        }
    }
    points.extend(equal(pivot));
    points.extend(why(pivot, line));
    points.extend(energy(pivot, &ranking));
    if let Some(second) = ranking.second() {
        let curve = rivals
            .iter()
            .find(|curve| curve.target == target(second.line));
        let idle = curve.and_then(|curve| curve.idle);
        let idle = idle.map_or_else(String::new, |idle| format!(", {} alone", time(idle)));
        let words = format!(
            "{}: carries {}{idle}",
            pivot.short(second.line.head()),
            text::rate(second.value.unwrap_or_default())
        );
        let words = point(
            CardSubject::RunnerUp,
            words,
            second.line,
            Metric::ThroughputMean,
        );
        points.push(words.about(target(second.line)));
    }
    ranking.card(pivot, sentence, points, table, plot)
}

/// How the other targets compare at the throughput where the first takes most times what it takes alone.
fn equal(pivot: &Pivot<'_>) -> Option<CardPoint> {
    let mut rows = super::loaded::at_loads(pivot);
    rows.retain(|(_, row)| row.metric == Metric::LatencyRatio && row.value.is_some());
    let (_, row) = rows.iter().max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let ratio = row.value?;
    let rate = text::numeric(row.axes.get(&Axis::RateBytesPerS)?)?;
    let than = if ratio < 1.0 { "less" } else { "more" };
    let words = format!(
        "at {} a read on {} takes {} {than} than on {}",
        text::rate(rate),
        pivot.short(row),
        share(ratio - 1.0),
        pivot.first()
    );
    let point = CardPoint::of_value(CardSubject::Speed, words, row.metric, row.value, row.basis);
    Some(point.about(row.target.as_str()))
}

/// A line for each module: its latency from no load to the greatest.
fn knees(loads: &[&LoadCurve<'_, '_>]) -> Option<Grid> {
    type Of<'c, 'a, 'p> = &'c LoadCurve<'a, 'p>;
    Tabulation::new(String::new())
        .key(Column::left("module"), |curve: &Of<'_, '_, '_>| {
            curve.module.to_owned()
        })
        .figure("carries", |curve| {
            Some(text::rate(most(curve)?.throughput()?))
        })
        .figure("read takes", |curve| Some(time(most(curve)?.latency()?)))
        .figure("knee at", |curve| Some(text::rate(curve.knee?.0)))
        .figure("read takes", |curve| Some(time(curve.knee?.1)))
        .figure("alone", |curve| Some(time(curve.idle?)))
        .figure("power", |curve| most(curve)?.line.told(Metric::PowerMean))
        .lines(loads)
}

/// Latency over bandwidth.
fn plot(loads: &[&LoadCurve<'_, '_>]) -> TerminalPlot {
    let curves = loads.iter().take(CURVES).map(|curve| {
        let points = curve.points.iter();
        TerminalCurve {
            name: curve.module.to_owned(),
            points: points
                .filter_map(|point| Some((point.throughput()?, point.latency()?)))
                .collect(),
        }
    });
    TerminalPlot {
        x: TerminalAxis {
            title: "bandwidth",
            told: text::rate,
        },
        y: TerminalAxis {
            title: "latency",
            told: time,
        },
        curves: curves.collect(),
    }
}

/// Modules by what a read takes: without load, or in a trace.
fn waiting(pivot: &Pivot<'_>, test: &str) -> Card {
    let lines = of_test(pivot, test);
    let ranking = ModuleRanking::of(lines.iter().copied(), Metric::LatencyMean);
    let when = match test {
        "idle" => "without load",
        _ => "in this trace",
    };
    let table = table(pivot, &ranking);
    let Some(best) = ranking.first() else {
        let sentence = match lines.is_empty() {
            true => "Nothing was run.".to_owned(),
            false => "No module has a latency; the table has what was found.".to_owned(),
        };
        return ranking.card(pivot, sentence, Vec::new(), table, None);
    };
    let line = best.line;
    let mean = best.value.unwrap_or_default();
    let sentence = match (ranking.second(), ranking.lead()) {
        (Some(second), Some(_)) if ranking.is_even() => format!(
            "{} and {} are alike: a read takes {} {when}.",
            target(line),
            pivot.short(second.line.head()),
            time(mean)
        ),
        (Some(second), Some(lead)) => format!(
            "Take {}: a read takes {} {when}, {} less than on {}.",
            target(line),
            time(mean),
            share(lead),
            pivot.short(second.line.head())
        ),
        _ => format!("A read takes {} {when} on {}.", time(mean), target(line)),
    };
    let mut points = Vec::new();
    points.extend(consists(pivot, &ranking));
    let tail = [
        (Metric::LatencyP50, "p50"),
        (Metric::LatencyP99, "p99"),
        (Metric::LatencyMax, "max"),
    ];
    let tail = tail
        .iter()
        .filter_map(|(metric, name)| Some(format!("{name} {}", time(line.number(*metric)?))));
    let tail: Vec<_> = tail.collect();
    if !tail.is_empty() {
        points.push(point(
            CardSubject::WorstCase,
            tail.join(", "),
            line,
            Metric::LatencyMax,
        ));
    }
    if test != "idle"
        && let Some(rate) = line.number(Metric::ThroughputMean)
    {
        let words = format!("the trace moves {}", text::rate(rate));
        points.push(point(
            CardSubject::Speed,
            words,
            line,
            Metric::ThroughputMean,
        ));
    }
    points.extend(energy(pivot, &ranking));
    if let Some(second) = ranking.second() {
        let off = second.value.unwrap_or_default() - mean;
        let words = format!(
            "{}: {}, {} more",
            pivot.short(second.line.head()),
            time(second.value.unwrap_or_default()),
            time(off)
        );
        let words = point(
            CardSubject::RunnerUp,
            words,
            second.line,
            Metric::LatencyMean,
        );
        points.push(words.about(target(second.line)));
    }
    ranking.card(pivot, sentence, points, table, None)
}

/// What the mean read consists of, or where the lead over the second comes from.
fn consists(pivot: &Pivot<'_>, ranking: &ModuleRanking<'_, '_>) -> Option<CardPoint> {
    let line = ranking.first()?.line;
    let of = |line: &PivotLine<'_>, wanted: &str| {
        let mut parts = line.parts(Metric::LatencyMeanPart);
        parts
            .find(|(cause, _)| *cause == wanted)
            .map_or(0.0, |(_, seconds)| seconds)
    };
    let words = match ranking.second() {
        None => {
            let told = greatest(line.parts(Metric::LatencyMeanPart), 0.0);
            let told = told
                .iter()
                .map(|(cause, seconds)| format!("{} {}", cause::name(cause), time(*seconds)));
            told.collect::<Vec<_>>().join(", ")
        }
        Some(second) => {
            let parts = line.parts(Metric::LatencyMeanPart);
            let mut parts: Vec<_> = parts
                .map(|(cause, seconds)| (cause, seconds - of(second.line, cause)))
                .collect();
            let others = second.line.parts(Metric::LatencyMeanPart);
            let lacking = others.filter(|(cause, _)| !parts.iter().any(|(own, _)| own == cause));
            let lacking: Vec<_> = lacking.map(|(cause, seconds)| (cause, -seconds)).collect();
            parts.extend(lacking);
            let told = greatest(parts.into_iter(), LEAST_S);
            let told = told.iter().map(|(cause, seconds)| {
                let sign = if *seconds < 0.0 { '-' } else { '+' };
                format!("{} {sign}{}", cause::name(cause), time(seconds.abs()))
            });
            let told: Vec<_> = told.collect();
            match told.is_empty() {
                true => String::new(),
                false => over(pivot, pivot.short(second.line.head())) + &told.join(", "),
            }
        }
    };
    (!words.is_empty()).then(|| CardPoint::words(CardSubject::Cause, words))
}

/// A line for each module.
fn table(pivot: &Pivot<'_>, ranking: &ModuleRanking<'_, '_>) -> Option<Grid> {
    type Of<'r, 'a, 'p> = &'r RankedModule<'a, 'p>;
    let figures = [
        (Metric::LatencyMean, "mean"),
        (Metric::LatencyP50, "p50"),
        (Metric::LatencyP99, "p99"),
        (Metric::LatencyP999, "p99.9"),
        (Metric::LatencyMax, "max"),
        (Metric::ThroughputMean, "moves"),
        (Metric::RowHitRate, "row hits"),
        (Metric::PowerMean, "power"),
    ];
    let table = Tabulation::new(String::new())
        .key(Column::left("module"), |one: &Of<'_, '_, '_>| {
            pivot.short(one.line.head()).to_owned()
        });
    let table = figures.into_iter().fold(table, |table, (metric, name)| {
        table.figure(name, move |one| one.line.told(metric))
    });
    table.lines(&ranking.all.iter().collect::<Vec<_>>())
}
