//! Modules by what a read takes: without load, or in a trace.

use wordline_core::Metric;
use wordline_core::results::{CardPoint, CardSubject};

use super::{LEAST_S, ModuleRanking, RankedModule, energy, over, point, runner_up, share, target};
use crate::card::FirstScreen;
use crate::cause;
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine};
use crate::tabulate::Tabulation;
use crate::text;
use crate::views::dram::{greatest, of_test, time};

/// Modules by what a read takes: without load, or in a trace.
pub(super) fn card(pivot: &Pivot<'_>, test: &str) -> FirstScreen {
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
            "{}, {} more",
            time(second.value.unwrap_or_default()),
            time(off)
        );
        points.push(runner_up(pivot, second, &words, Metric::LatencyMean));
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
