//! What accesses take that meet other work, and how suspending that work helps.

use wordline_core::results::{CardSubject, DecisionCard};
use wordline_core::{Axis, Metric};

use super::{point, start, told};
use crate::card::{choice, foundation};
use crate::pivot::{Pivot, Series};
use crate::text;

/// The answer where accesses meet other work: suspend it, or not.
pub(super) fn disturbed(pivot: &Pivot<'_>, series: &[Series<'_, '_>]) -> Option<DecisionCard> {
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
