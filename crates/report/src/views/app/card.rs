//! The first screen of a program on other memories: how much faster, how sure, what holds it back, what would help.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard};
use wordline_core::{Basis, Metric};

use super::{
    CANDIDATES, band, baseline, bound_words, energy_ratio, estimate, faster, powers, ranked,
    sensitivity, speed_up, times, undetermined, where_time_goes,
};
use crate::card::{FirstScreen, choice, foundation};
use crate::pivot::{Pivot, PivotLine};
use crate::text;

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let lines = ranked(pivot);
    let base = baseline(pivot);
    let targets = lines.iter().copied();
    let mut targets = targets.filter(|line| speed_up(line).is_some());
    let Some(best) = targets.next() else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: "No memory was compared.".to_owned(),
                ..DecisionCard::default()
            },
            ..FirstScreen::default()
        };
    };
    let before = lines.iter().copied();
    let mut before = before.filter(|line| Some(line.head().target.as_str()) == base);
    let before = before.next();
    let mut points = Vec::new();
    points.extend(before.and_then(|line| cause(pivot, line)));
    points.extend(rest(pivot, best));
    points.extend(advice(pivot, best));
    points.extend(energy(pivot, best, before));
    points.extend(cost(best, before));
    points.extend(runner_up(pivot, best, targets.next()));
    points.extend(foundation(pivot.document));
    // A memory whose band reaches below 1 may be no gain at all.
    let is_gain = estimate(best, "band_low")
        .or_else(|| speed_up(best))
        .is_some_and(|low| low > 1.0);
    FirstScreen {
        answer: DecisionCard {
            sentence: faster(pivot, best).unwrap_or_default(),
            take: is_gain.then(|| best.head().target.clone()),
            points,
            ranking: lines
                .iter()
                .map(|line| {
                    let time = line.number(Metric::ProgramTime);
                    choice(line.head().target.clone(), Metric::ProgramTime, time)
                })
                .collect(),
            ..DecisionCard::default()
        },
        table: CANDIDATES.grid(pivot, CANDIDATES.title.to_owned(), &lines),
        of: "memories",
        plot: None,
    }
}

fn point(subject: CardSubject, words: String, metric: Metric, value: Option<f64>) -> CardPoint {
    CardPoint::of_value(subject, words, metric, value, Basis::Simulated)
}

fn cause(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<CardPoint> {
    let words = where_time_goes(pivot, line)?;
    Some(point(
        CardSubject::Cause,
        words,
        Metric::ProgramBound,
        line.number(Metric::ProgramBound),
    ))
}

/// What simpler rules would have said.
fn rest(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<CardPoint> {
    if let Some(ratio) = estimate(line, "cosimulated") {
        let words = format!(
            "windows simulated whole say {} of {}, the surfaces {}",
            times(ratio),
            pivot.short(line.head()),
            times(speed_up(line)?),
        );
        return Some(CardPoint::words(CardSubject::Finding, words));
    }
    let words = format!(
        "simpler rules say of {}: roofline {}, the mean load alone {}, the ratio of the clocks {}",
        pivot.short(line.head()),
        times(estimate(line, "roofline")?),
        times(estimate(line, "steady")?),
        times(estimate(line, "always")?),
    );
    Some(CardPoint::words(CardSubject::Finding, words))
}

fn advice(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<CardPoint> {
    let words = sensitivity(pivot, line)?;
    let bound = bound_words(line)?;
    Some(CardPoint::words(
        CardSubject::Advice,
        format!("{words} With it the program is bound by {bound}."),
    ))
}

/// Energy of the task, or of the modules where the server's powers are not known.
fn energy(
    pivot: &Pivot<'_>,
    line: &PivotLine<'_>,
    before: Option<&PivotLine<'_>>,
) -> Option<CardPoint> {
    let told = |line: &PivotLine<'_>, joules| {
        let time = line.number(Metric::ProgramTime);
        let time = time.map_or_else(String::new, |seconds| {
            let time = text::number(Metric::ProgramTime, seconds, text::DIGITS);
            format!(" in {time}")
        });
        format!(
            "{}{time} on {}",
            text::number(Metric::TaskEnergy, joules, text::DIGITS),
            pivot.short(line.head())
        )
    };
    let lines = before.into_iter().chain([line]);
    let task = lines
        .clone()
        .filter_map(|line| Some(told(line, line.number(Metric::TaskEnergy)?)));
    let task: Vec<String> = task.collect();
    if !task.is_empty() {
        let powers = powers(pivot).map_or_else(String::new, |words| format!(". Powers: {words}"));
        let words = format!("the task takes {}{powers}", task.join(", "));
        return Some(point(
            CardSubject::Energy,
            words,
            Metric::TaskEnergy,
            line.number(Metric::TaskEnergy),
        ));
    }
    let modules = |line: &PivotLine<'_>| line.row(Metric::TaskEnergyPart, Some("modules"))?.value;
    let of_modules = lines.filter_map(|line| Some(told(line, modules(line)?)));
    let of_modules: Vec<String> = of_modules.collect();
    let whatever = energy_ratio(line).map_or_else(String::new, |ratio| {
        format!(". With any it is {ratio} times the baseline's")
    });
    let why = undetermined(pivot.document).unwrap_or("no powers of the server are given");
    let words = format!(
        "undetermined: {why}{whatever}. The modules take {}",
        of_modules.join(", ")
    );
    let value = modules(line);
    Some(point(
        CardSubject::Energy,
        words,
        Metric::TaskEnergyPart,
        value,
    ))
}

fn cost(line: &PivotLine<'_>, before: Option<&PivotLine<'_>>) -> Option<CardPoint> {
    let (cost, base) = (line.number(Metric::Cost)?, before?.number(Metric::Cost)?);
    let worth = speed_up(line)? * base / cost;
    if !worth.is_finite() {
        return None;
    }
    let told = |cost| text::number(Metric::Cost, cost, text::DIGITS);
    let words = format!(
        "{} instead of {}: {} as much work for the money",
        told(cost),
        told(base),
        times(worth)
    );
    Some(point(CardSubject::Cost, words, Metric::Cost, Some(cost)))
}

/// The next fastest, and whether the bands tell them apart.
fn runner_up(
    pivot: &Pivot<'_>,
    best: &PivotLine<'_>,
    next: Option<&PivotLine<'_>>,
) -> Option<CardPoint> {
    let next = next?;
    let (ratio, band) = (times(speed_up(next)?), band(next)?);
    let apart = estimate(best, "band_low")? > estimate(next, "band_high")?;
    let sure = if apart {
        "the bands lie apart"
    } else {
        "the bands overlap"
    };
    let words = format!(
        "{}: {ratio} times as fast ({band}); {sure}",
        pivot.short(next.head())
    );
    Some(point(
        CardSubject::RunnerUp,
        words,
        Metric::SpeedUp,
        speed_up(next),
    ))
}
