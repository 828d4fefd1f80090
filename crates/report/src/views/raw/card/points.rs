//! The points of the fastest memory: its rates, its slowest accesses, what they cost, and the second.

use wordline_core::results::{CardPoint, CardSubject, NoValue};
use wordline_core::{Axis, Metric, Workload};

use super::{ALIKE, RankedSeries, end, point, size, told, verb};
use crate::pivot::{Pivot, PivotLine, Series};
use crate::text;
use crate::views::layer;

/// Rates of the smallest accesses.
pub(super) fn speed(pivot: &Pivot<'_>, own: &[&Series<'_, '_>]) -> Option<CardPoint> {
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
pub(super) fn slowest(pivot: &Pivot<'_>, own: &[&Series<'_, '_>]) -> Option<CardPoint> {
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
pub(super) fn cause(pivot: &Pivot<'_>, series: &Series<'_, '_>) -> Option<CardPoint> {
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
pub(super) fn energy(own: &[&Series<'_, '_>]) -> Option<CardPoint> {
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
pub(super) fn life(pivot: &Pivot<'_>, own: &[&Series<'_, '_>]) -> Option<CardPoint> {
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
pub(super) fn runner_up(deciding: &RankedSeries<'_, '_, '_>) -> Option<CardPoint> {
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
        differs.then(|| format!("{name} {} instead of {}", number(other), number(own)))
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
