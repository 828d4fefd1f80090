//! Modules under load: what they carry at most, and what a read takes on the way there.

use wordline_core::results::{CardPoint, CardSubject};
use wordline_core::{Axis, Metric};

use super::{CURVES, ModuleRanking, energy, point, runner_up, share, target, why};
use crate::card::FirstScreen;
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine};
use crate::tabulate::Tabulation;
use crate::text;
use crate::views::dram::loaded::{LoadCurve, at_loads};
use crate::views::dram::{Of, time};

pub(super) fn card(pivot: &Pivot<'_>, loads: &[LoadCurve<'_, '_>]) -> FirstScreen {
    let first = &loads[0];
    // Other mixes and orders are no rivals of the first.
    let rivals = loads.iter();
    let rivals: Vec<_> = rivals
        .filter(|curve| (curve.mix, curve.pattern) == (first.mix, first.pattern))
        .collect();
    let tops = rivals.iter().filter_map(|curve| Some(curve.most()?.line));
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
        _ if rivals.iter().all(|curve| curve.is_saturated()) => {
            format!("{} carries {rate}.", target(line))
        }
        _ => format!(
            "{} was loaded up to {rate} and not saturated: it may carry more.",
            target(line)
        ),
    };
    let mut points = Vec::new();
    let own = rivals.iter().find(|curve| curve.target == target(line));
    if let Some(own) = own {
        // Beyond the greatest throughput a memory carries less, and reads wait longer still.
        let slowest = own.slowest().map_or(line, |point| point.line);
        let latency = slowest.number(Metric::LatencyMean);
        let slow_rate = slowest.told(Metric::ThroughputMean).unwrap_or_default();
        let most = own
            .most()
            .filter(|point| !std::ptr::eq(point.line, slowest));
        let most = most.and_then(|point| Some((point.latency()?, point.throughput()?)));
        let steps = [
            own.idle.map(|idle| format!("{} alone", time(idle))),
            own.knee.map(|(rate, latency)| {
                format!("{} at the knee of {}", time(latency), text::rate(rate))
            }),
            most.map(|(latency, rate)| {
                format!(
                    "{} at the most carried ({})",
                    time(latency),
                    text::rate(rate)
                )
            }),
            latency.map(|latency| {
                let sure = interval(slowest, latency).unwrap_or_default();
                format!("{}{sure} at the slowest point ({slow_rate})", time(latency))
            }),
        ];
        let steps: Vec<_> = steps.into_iter().flatten().collect();
        if !steps.is_empty() {
            let words = format!("a read takes {}", text::list(&steps));
            points.push(point(
                CardSubject::WorstCase,
                words,
                slowest,
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
            "carries {}{idle}",
            text::rate(second.value.unwrap_or_default())
        );
        points.push(runner_up(pivot, second, &words, Metric::ThroughputMean));
    }
    ranking.card(pivot, sentence, points, table, plot)
}

/// " ± 0.3 %": half the width of the 95 % confidence interval of a mean latency.
fn interval(line: &PivotLine<'_>, latency: f64) -> Option<String> {
    let end = [(Of(Axis::Estimate), "confidence_high")];
    let high = line.at(Metric::LatencyMean, &end)?.value?;
    Some(format!(" ± {}", text::tenths((high - latency) / latency)))
}

/// How the other targets compare at the throughput where the first takes most times what it takes alone.
fn equal(pivot: &Pivot<'_>) -> Option<CardPoint> {
    let mut rows = at_loads(pivot);
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
pub(crate) fn knees(loads: &[&LoadCurve<'_, '_>]) -> Option<Grid> {
    type Of<'c, 'a, 'p> = &'c LoadCurve<'a, 'p>;
    let is_host = loads.iter().all(|curve| curve.target.starts_with("ram@"));
    // What cores asked for is not what a memory carries.
    let most = match loads.iter().all(|curve| curve.is_saturated()) {
        true => "carries",
        false => "greatest load",
    };
    Tabulation::new(String::new())
        .key(
            Column::left(if is_host { "memory" } else { "module" }),
            |curve: &Of<'_, '_, '_>| curve.module.to_owned(),
        )
        .figure(most, |curve| Some(text::rate(curve.most()?.throughput()?)))
        .figure("read there", |curve| Some(time(curve.most()?.latency()?)))
        .figure("knee at", |curve| Some(text::rate(curve.knee?.0)))
        .figure("read at knee", |curve| Some(time(curve.knee?.1)))
        .figure("read alone", |curve| Some(time(curve.idle?)))
        .figure("slowest", |curve| {
            let (slowest, most) = (curve.slowest()?, curve.most()?);
            let is_other = !std::ptr::eq(slowest.line, most.line);
            slowest.latency().filter(|_| is_other).map(time)
        })
        .figure("load cores", |curve| Some(curve.load_threads?.to_string()))
        .figure("power", |curve| curve.most()?.line.told(Metric::PowerMean))
        .lines(loads)
}

/// Latency over bandwidth.
pub(crate) fn plot(loads: &[&LoadCurve<'_, '_>]) -> TerminalPlot {
    let curves = loads.iter().take(CURVES).map(|curve| {
        let points = curve.points.iter();
        TerminalCurve {
            is_dashed: false,
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
