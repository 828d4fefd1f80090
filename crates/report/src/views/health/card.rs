//! The first screen of remaining life: which blocks to retire now; or how far the predictor goes.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard};
use wordline_core::{Axis, Basis, Metric};

use super::{
    BLOCKS, BY_PREDICTOR, RIVALS, SCORE, SHARE, VERDICTS, band, bare, by_urgency, gain, median,
    predictor, scored, used, verdict,
};
use crate::card::{FirstScreen, choice};
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::pivot::LineField::Of;
use crate::pivot::{Pivot, PivotLine};
use crate::text::{self, TargetKind};

/// The most curves that a terminal can name.
const CURVES: usize = 4;

/// The most blocks that are named one by one.
const NAMED: usize = 6;

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let score = Pivot::of(pivot.document, BY_PREDICTOR);
    match scored(&score).is_empty() {
        true => of_log(pivot),
        false => of_score(&score),
    }
}

/// A block by its number, and by its chip where there are several.
fn name(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> String {
    match pivot.varying.varying_axes.contains(&Axis::Chip) {
        true => format!("{}:{}", line.field(Axis::Chip), line.field(Axis::Block)),
        false => line.field(Axis::Block),
    }
}

fn of_log(pivot: &Pivot<'_>) -> FirstScreen {
    let blocks = by_urgency(pivot);
    let Some(first) = blocks.first() else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: "The log has no blocks.".to_owned(),
                ..DecisionCard::default()
            },
            ..FirstScreen::default()
        };
    };
    let log = first.head().target.as_str();
    let log = text::without_kind(log, TargetKind::Log).unwrap_or(log);
    let of = |wanted: &str| -> Vec<&PivotLine<'_>> {
        let own = blocks.iter().copied();
        own.filter(|line| verdict(line) == Some(wanted)).collect()
    };
    let counts = VERDICTS.iter().map(|(name, _)| (*name, of(name).len()));
    let rest = counts.filter(|(name, count)| *count > 0 && *name != "retire");
    let rest = rest.map(|(name, count)| match (name, count) {
        ("failed", 1) => "1 has failed".to_owned(),
        ("failed", count) => format!("{count} have failed"),
        ("watch", 1) => "1 is to be watched".to_owned(),
        ("watch", count) => format!("{count} are to be watched"),
        (name, 1) => format!("1 is {name}"),
        (name, count) => format!("{count} are {name}"),
    });
    let rest: Vec<_> = rest.collect();
    let rest = text::list(&rest);
    let (retired, all) = (of("retire").len(), blocks.len());
    let plural = if all == 1 { "block" } else { "blocks" };
    let sentence = match (retired, rest.is_empty()) {
        (_, true) => format!("Retire all of {all} {plural} in {log} now."),
        (0, false) => format!("Retire none of {all} {plural} in {log}: {rest}."),
        (some, false) => {
            format!("Retire {some} of {all} {plural} in {log} now. Of the others {rest}.")
        }
    };
    let mut points = Vec::new();
    // The sentence has counted them.
    let mut named = Vec::new();
    for wanted in ["retire", "watch", "failed"] {
        let blocks = of(wanted);
        let names: Vec<_> = blocks
            .iter()
            .take(NAMED)
            .map(|line| name(pivot, line))
            .collect();
        if names.is_empty() {
            continue;
        }
        let more = match blocks.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        named.push(format!("{wanted}: {}{more}", names.join(", ")));
    }
    if !named.is_empty() {
        let words = format!("blocks by number, {}", named.join("; "));
        points.push(CardPoint::words(CardSubject::Finding, words));
    }
    let living = blocks.iter().filter(|line| verdict(line) != Some("failed"));
    let nearest = living.filter(|line| used(line).is_some()).take(1);
    points.extend(nearest.filter_map(|line| {
        let metric = Metric::CyclesLeft;
        let row = line.at(metric, &[(Of(Axis::Statistic), "median")])?;
        let band = bare(band(line, metric))
            .map_or_else(String::new, |band| format!(" ({band} with 90 %)"));
        let words = format!(
            "block {}: {} of its life used, {} left{band}",
            name(pivot, line),
            median(line, Metric::LifeUsed)?,
            median(line, metric)?
        );
        let subject = CardSubject::Life;
        Some(
            CardPoint::of_value(subject, words, metric, row.value, row.basis)
                .about(name(pivot, line)),
        )
    }));
    let mut known = pivot.document.of(Metric::LifeUsed);
    points.push(match known.any(|row| row.basis == Basis::Calibrated) {
        true => CardPoint {
            basis: Some(Basis::Calibrated),
            ..CardPoint::words(
                CardSubject::Weakest,
                "the failed blocks of this log, and a law learnt from simulated chips",
            )
        },
        false => CardPoint {
            basis: Some(Basis::Simulated),
            ..CardPoint::words(
                CardSubject::Weakest,
                "simulated chips alone: wear one block out in the same log, and predictions tighten",
            )
        },
    });
    let ranking = blocks
        .iter()
        .map(|line| choice(name(pivot, line), Metric::LifeUsed, used(line)));
    FirstScreen {
        answer: DecisionCard {
            sentence,
            take: None,
            points,
            ranking: ranking.collect(),
            cautions: Vec::new(),
        },
        table: BLOCKS.grid(pivot, String::new(), &blocks),
        of: "blocks",
        plot: None,
    }
}

fn of_score(pivot: &Pivot<'_>) -> FirstScreen {
    let lines = scored(pivot);
    let error = |line: &PivotLine<'_>| line.number(Metric::PredictionError);
    // Those that know cycles alone are what the predictor is held against.
    let is_own = |line: &&&PivotLine<'_>| line.field(Axis::Predictor).starts_with("latency");
    let mut own: Vec<_> = lines.iter().filter(is_own).copied().collect();
    own.retain(|line| error(line).is_some());
    own.sort_by(|a, b| {
        error(a)
            .unwrap_or_default()
            .total_cmp(&error(b).unwrap_or_default())
    });
    let percent = |metric, line: &PivotLine<'_>| Some(text::percent(line.number(metric)?, 2));
    let sentence = match own.first() {
        Some(best) => format!(
            "On {}, predictions of the cycles left by {} are off by {} (median).",
            best.head().part,
            predictor(best),
            percent(Metric::PredictionError, best).unwrap_or_default()
        ),
        None => "No predictor was scored.".to_owned(),
    };
    let mut points = Vec::new();
    if let Some(worst) = own.last().filter(|_| own.len() > 1) {
        let words = format!(
            "off by {}, by {} on {}",
            percent(Metric::PredictionError, worst).unwrap_or_default(),
            predictor(worst),
            worst.head().part
        );
        let metric = Metric::PredictionError;
        let value = error(worst);
        let subject = CardSubject::WorstCase;
        points.push(CardPoint::of_value(
            subject,
            words,
            metric,
            value,
            Basis::Simulated,
        ));
    }
    if let Some(best) = own.first() {
        let gains = RIVALS
            .iter()
            .zip(["the fleet's endurance", "the part's endurance"]);
        let gains = gains.filter_map(|(rival, what)| {
            Some(format!(
                "{} better than from {what}",
                gain(pivot, best, rival)?
            ))
        });
        let gains: Vec<_> = gains.collect();
        if !gains.is_empty() {
            points.push(CardPoint::words(CardSubject::RunnerUp, gains.join(", ")));
        }
        if let Some(held) = percent(Metric::IntervalCoverage, best) {
            let words = format!("the 90 % band holds {held} of the true values");
            let metric = Metric::IntervalCoverage;
            let value = best.number(metric);
            let subject = CardSubject::Finding;
            points.push(CardPoint::of_value(
                subject,
                words,
                metric,
                value,
                Basis::Simulated,
            ));
        }
    }
    points.push(CardPoint::words(
        CardSubject::Weakest,
        "simulated chips, by the law that the predictor assumes; real chips may be far off",
    ));
    let ranking = own.iter().map(|line| {
        let name = format!("{}, {}", line.head().part, predictor(line));
        choice(name, Metric::PredictionError, error(line))
    });
    let ranking: Vec<_> = ranking.collect();
    let curves = own.iter().take(CURVES).map(|line| {
        let points = line.along(Metric::PredictionError, SHARE, &[]).into_iter();
        TerminalCurve {
            is_dashed: false,
            name: predictor(line),
            points: points
                .filter_map(|(share, row)| Some((share, row.value?)))
                .collect(),
        }
    });
    let curves = curves.collect();
    FirstScreen {
        answer: DecisionCard {
            sentence,
            take: None,
            points,
            ranking,
            cautions: Vec::new(),
        },
        table: SCORE.grid(pivot, String::new(), &lines),
        of: "predictors",
        plot: Some(TerminalPlot {
            x: TerminalAxis {
                title: "life used",
                told: |share| text::percent(share, 2),
            },
            y: TerminalAxis {
                title: "error",
                told: |share| text::percent(share, 2),
            },
            curves,
        }),
    }
}
