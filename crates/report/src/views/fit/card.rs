//! The first screen of a fit: whether to use the fitted part, by the half of the log that was held out.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard};
use wordline_core::{Basis, Metric};

use super::{
    FitComparison, compared, figures, growth, is_of_flash, percent, predicts_badly, ratio, score,
    system, targets, worst,
};
use crate::card::{FirstScreen, foundation};
use crate::grid::Column;
use crate::pivot::Pivot;
use crate::tabulate::Tabulation;
use crate::text;

/// Points that sentences on a table of times become.
const FINDINGS: usize = 6;

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let document = pivot.document;
    let mut of_growth = growth::sentences(document).into_iter();
    if let Some(sentence) = of_growth.next() {
        let points = of_growth.take(FINDINGS);
        let mut points: Vec<_> = points
            .map(|one| CardPoint::words(CardSubject::Finding, one.trim_end_matches('.')))
            .collect();
        points.extend(foundation(document));
        return FirstScreen {
            answer: DecisionCard {
                sentence,
                points,
                ..DecisionCard::default()
            },
            table: growth::table(document),
            of: "times",
            plot: None,
        };
    }
    let mut of_system = system::sentences(document).into_iter();
    if let Some(sentence) = of_system.next() {
        let points = of_system;
        let mut points: Vec<_> = points
            .map(|one| CardPoint::words(CardSubject::Finding, one.trim_end_matches('.')))
            .collect();
        points.extend(foundation(document));
        return FirstScreen {
            answer: DecisionCard {
                sentence,
                points,
                ..DecisionCard::default()
            },
            table: system::table(document),
            of: "figures",
            plot: None,
        };
    }
    let lines = compared(document);
    let scores = [0, 1].map(|half| {
        score(&lines, |line| match half {
            0 => line.first,
            _ => line.second,
        })
    });
    let halves = score(&lines, |line| [line.first[0], line.second[0]]);
    let (Some((log, part)), [Some(fitted), Some(held)], Some(halves)) =
        (targets(document), scores, halves)
    else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: "Nothing was fitted.".to_owned(),
                ..DecisionCard::default()
            },
            table: figures(document),
            of: "figures",
            plot: None,
        };
    };
    let is_bad = predicts_badly(&fitted, &held, &halves);
    let what = match is_of_flash(document) {
        true => "the other half of the blocks",
        false => "the second half",
    };
    let within = percent(held.mean);
    let sentence = match is_bad {
        true => format!(
            "Do not rely on {part} beyond this log: it misses {what} of {log} by {within} on average."
        ),
        false => format!("Use {part}: it predicts {what} of {log} within {within} on average."),
    };
    let value = |mean: f64| Some(mean.exp() - 1.0).filter(|off| off.is_finite());
    let metric = Metric::PredictionError;
    let point = |subject, words, mean| {
        CardPoint::of_value(subject, words, metric, value(mean), Basis::Simulated)
    };
    let mut points = vec![
        point(
            CardSubject::WorstCase,
            format!("predicts {}, in the half that was held out", worst(&held)),
            held.worst.0.ln().abs(),
        ),
        point(
            CardSubject::Cause,
            format!(
                "it misses the fitted half by {}; the halves of the log differ by {}",
                percent(fitted.mean),
                percent(halves.mean)
            ),
            fitted.mean,
        ),
    ];
    if is_bad {
        points.push(CardPoint::words(
            CardSubject::Advice,
            "a longer log: its figures are too many for this one, or the memory changed in it",
        ));
    }
    points.extend(foundation(document));
    let value = |row: Option<&wordline_core::results::Row>| Some(text::value(row?, text::DIGITS));
    let table = Tabulation::new(String::new())
        .key(Column::left("held-out half"), |line: &FitComparison<'_>| {
            line.name.clone()
        })
        .figure("log", |line| value(line.second[0]))
        .figure("part predicts", |line| value(line.second[1]))
        .figure("ratio", |line| {
            FitComparison::ratio(&line.second).map(ratio)
        })
        .figure("fitted ratio", |line| {
            FitComparison::ratio(&line.first).map(ratio)
        })
        .lines(&lines);
    FirstScreen {
        answer: DecisionCard {
            sentence,
            take: (!is_bad).then(|| part.to_owned()),
            points,
            ranking: Vec::new(),
            cautions: Vec::new(),
        },
        table,
        of: "figures",
        plot: None,
    }
}
