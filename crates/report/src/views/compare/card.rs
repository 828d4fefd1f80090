//! The first screen of a comparison: what to take, what that means, the runner-up, and what would change the answer.

use wordline_core::results::{
    CardPoint, CardSubject, Certainty, ChoiceStanding, DecisionCard, NoValue, RankedChoice,
};
use wordline_core::{Basis, Better, Metric, ResultSet, Timing};

use super::limit::against;
use super::tables::timings;
use super::{Limit, RankedCandidate, margin};
use crate::card::FirstScreen;
use crate::grid::Column;
use crate::pivot::Pivot;
use crate::tabulate::{NOTHING, Tabulation, filled};
use crate::text;

type Candidate<'a, 'p> = RankedCandidate<'a, 'p>;

pub(crate) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let candidates = RankedCandidate::all_of(pivot);
    let ranking = candidates.iter().filter_map(ranked).collect();
    let Some(first) = candidates
        .first()
        .filter(|first| !first.verdicts.is_empty())
    else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: match candidates.len() {
                    0 => "There is no candidate.".to_owned(),
                    _ => "No candidate was judged.".to_owned(),
                },
                ..DecisionCard::default()
            },
            ..FirstScreen::default()
        };
    };
    let points = [
        provision(first),
        power_cut(first),
        life(first, pivot.document),
        cost(first, &candidates),
        runner_up(first, &candidates),
        Some(weakest(first, pivot.document)),
    ];
    FirstScreen {
        answer: DecisionCard {
            sentence: sentence(first, &candidates),
            take: first.passes_for_certain().then(|| first.target.to_owned()),
            points: points.into_iter().flatten().collect(),
            ranking,
            cautions: Vec::new(),
        },
        table: table(&candidates),
        of: "candidates",
        plot: None,
    }
}

/// How a candidate fared.
fn standing(one: &Candidate<'_, '_>) -> Option<ChoiceStanding> {
    let decisive = one.decisive()?;
    Some(match () {
        () if one.passes_for_certain() => ChoiceStanding::Pass,
        () if one.might_pass() => ChoiceStanding::Depends,
        () if super::is_unknown(decisive) => ChoiceStanding::Unknown,
        () => ChoiceStanding::Fail,
    })
}

fn ranked(one: &Candidate<'_, '_>) -> Option<RankedChoice> {
    let verdict = one.decisive()?;
    Some(RankedChoice {
        name: one.target.to_owned(),
        standing: standing(one),
        limit: Some(verdict.limit.clone()),
        metric: Some(verdict.metric),
        value: verdict.value,
        margin: verdict.margin,
    })
}

/// What to take, and how many others would do.
fn sentence(first: &Candidate<'_, '_>, all: &[Candidate<'_, '_>]) -> String {
    let judged = all.iter().filter(|one| !one.verdicts.is_empty());
    let standings: Vec<_> = judged.filter_map(standing).collect();
    let of = |standing| standings.iter().filter(|one| **one == standing).count();
    let (passing, open, judged) = (
        of(ChoiceStanding::Pass),
        of(ChoiceStanding::Depends),
        standings.len(),
    );
    let more = match open {
        0 => String::new(),
        some => format!(", {some} more may"),
    };
    let counted = match (judged, passing) {
        (1, _) => String::new(),
        (_, 0) => format!(" Of {judged} candidates none passes for certain{more}."),
        (_, 1) => format!(" Of {judged} candidates it alone passes for certain{more}."),
        _ => format!(" {passing} of {judged} candidates pass for certain{more}."),
    };
    let target = first.target;
    let answer = match standing(first) {
        Some(ChoiceStanding::Pass) if first.is_measured() => {
            format!("Take {target}: it meets every limit as measured.")
        }
        Some(ChoiceStanding::Pass) => {
            format!("Take {target}: it meets every limit throughout the ranges of its figures.")
        }
        Some(ChoiceStanding::Depends) if first.passes() => {
            format!("{target} comes first, but its verdict is open: it depends on a figure.")
        }
        Some(ChoiceStanding::Unknown) => {
            format!("{target} comes nearest: nothing known of it fails, but a limit is not judged.")
        }
        _ => {
            let by = first.decisive().map(Limit::words).unwrap_or_default();
            let typical = first
                .verdict(Timing::Typ)
                .is_some_and(|verdict| verdict.pass);
            match (first.might_pass(), typical) {
                (true, _) => {
                    format!(
                        "No candidate passes for certain. {target} comes nearest: its verdict is open by {by}."
                    )
                }
                (false, true) => {
                    format!(
                        "{target} passes at typical timing alone: at the data sheet's maximum it fails by {by}."
                    )
                }
                (false, false) => {
                    format!("No candidate passes. {target} comes nearest: it fails by {by}.")
                }
            }
        }
    };
    answer + &counted
}

/// The row of a metric in the worst column of the data sheet that was run.
fn worst<'a>(
    one: &Candidate<'a, '_>,
    metric: Metric,
) -> Option<(&'a wordline_core::results::Row, Timing)> {
    let rows = one
        .timings
        .iter()
        .filter_map(|timing| Some((one.figure(*timing, metric)?, *timing)));
    rows.into_iter().next_back()
}

/// What is known of a metric: "12 KiB", or "8 KiB typ, 12 KiB max" where the columns differ.
fn by_column(one: &Candidate<'_, '_>, metric: Metric) -> Option<String> {
    let mut told: Vec<(Timing, String)> = Vec::new();
    for timing in &one.timings {
        told.push((*timing, one.told(*timing, metric)?));
    }
    let (first, rest) = told.split_first()?;
    if rest.iter().all(|(_, other)| *other == first.1) {
        return Some(first.1.clone());
    }
    let words = told
        .iter()
        .map(|(timing, value)| format!("{value} {timing}"));
    Some(words.collect::<Vec<_>>().join(", "))
}

/// What a limit on a metric allows, if there is one: "; at most 16 KiB allowed".
fn allowed(one: &Candidate<'_, '_>, metric: Metric) -> String {
    let mut verdicts = one.verdicts.iter();
    let verdict = verdicts.find(|verdict| verdict.metric == metric);
    verdict.map_or_else(String::new, |verdict| {
        format!("; {}", super::limit::asked(verdict))
    })
}

fn point(
    one: &Candidate<'_, '_>,
    subject: CardSubject,
    metric: Metric,
    text: String,
) -> Option<CardPoint> {
    let (row, _) = worst(one, metric)?;
    Some(CardPoint::of_value(
        subject, text, metric, row.value, row.basis,
    ))
}

fn provision(one: &Candidate<'_, '_>) -> Option<CardPoint> {
    let metric = Metric::RamProvision;
    let told = by_column(one, metric)?;
    let of_ram = || one.verdicts.iter().filter(|verdict| verdict.limit == "ram");
    // No more is proven than at each timing.
    let bounds: Option<Vec<f64>> = of_ram().map(|verdict| verdict.bound).collect();
    let most = bounds.and_then(|bounds| bounds.into_iter().reduce(f64::max));
    let proven = match most {
        Some(bound) => format!(" (proven: at most {})", text::ram(bound, text::DIGITS)),
        None if of_ram().any(|verdict| verdict.bound.is_some()) => {
            " (proven: no bound at each timing)".to_owned()
        }
        None => String::new(),
    };
    let allowed = allowed(one, metric);
    let of_files = by_column(one, Metric::FileSystemRam);
    let of_files = of_files.map_or_else(String::new, |bytes| {
        format!(", {bytes} of it for the file system")
    });
    point(
        one,
        CardSubject::Provision,
        metric,
        format!("{told} of RAM{of_files}{proven}{allowed}"),
    )
}

fn power_cut(one: &Candidate<'_, '_>) -> Option<CardPoint> {
    let metric = Metric::BytesAtRisk;
    let (row, _) = worst(one, metric)?;
    let text = match row.value {
        Some(0.0) => "loses nothing".to_owned(),
        Some(_) => format!(
            "loses up to {}: data in RAM or in the memory's own cache",
            by_column(one, metric)?
        ),
        None => format!("what it loses is {}", super::told(row)),
    };
    let allowed = allowed(one, metric);
    point(one, CardSubject::PowerCut, metric, text + &allowed)
}

/// How many figures of a candidate's sheet no source states of the part itself, as words: "9 estimated and 2 assumed".
fn unstated(one: &Candidate<'_, '_>, document: &ResultSet, of: &str) -> Option<String> {
    let part = text::part_of(one.target);
    let (_, part) = part.rsplit_once(['*', ':']).unwrap_or(("", part));
    let own = document.figures.iter();
    let own: Vec<_> = own
        .filter(|figure| figure.sheet == part && figure.figure.contains(of))
        .collect();
    let counts = [Basis::Estimated, Basis::Assumed].into_iter();
    let counts = counts.filter_map(|basis| {
        let count = own.iter().filter(|figure| figure.basis == basis).count();
        (count > 0).then(|| format!("{count} {basis}"))
    });
    let counts: Vec<_> = counts.collect();
    (!counts.is_empty()).then(|| text::list(&counts))
}

fn life(one: &Candidate<'_, '_>, document: &ResultSet) -> Option<CardPoint> {
    let metric = Metric::Lifetime;
    let (row, _) = worst(one, metric)?;
    let text = match row.value {
        Some(_) => {
            let rated = match unstated(one, document, "endurance") {
                Some(words) if words.contains("assumed") => ", by assumed cycles",
                Some(_) => ", by estimated cycles",
                None => "",
            };
            format!("{} of this work{rated}", by_column(one, metric)?)
        }
        None if row.no_value == Some(NoValue::Unbounded) => "no wear limits it".to_owned(),
        None => format!("its life is {}", super::told(row)),
    };
    let allowed = allowed(one, metric);
    point(one, CardSubject::Life, metric, text + &allowed)
}

fn cost(one: &Candidate<'_, '_>, all: &[Candidate<'_, '_>]) -> Option<CardPoint> {
    let metric = Metric::Cost;
    let priced =
        |one: &&Candidate<'_, '_>| worst(one, metric).is_some_and(|(row, _)| row.value.is_some());
    let judged = all.iter().filter(|one| !one.verdicts.is_empty()).count();
    let without = judged - all.iter().filter(priced).count();
    let missing = match without {
        0 => String::new(),
        some if some == judged && judged > 1 => {
            "no price for any candidate, so cost was not judged: add --prices FILE.csv".to_owned()
        }
        some if judged > 1 => {
            format!("no price for {some} of {judged} candidates, so their cost was not judged")
        }
        _ => "no price, so cost was not judged: add --prices FILE.csv".to_owned(),
    };
    let own = priced(&one).then(|| by_column(one, metric)).flatten();
    let own = match (chips(one), own) {
        (Some(chips), Some(own)) => Some(format!("{own} for {chips}")),
        (Some(chips), None) => Some(chips),
        (None, own) => own,
    };
    let text = match (own, missing.is_empty()) {
        (Some(own), true) => own,
        (Some(own), false) => format!("{own}; {missing}"),
        (None, true) => return None,
        (None, false) => missing,
    };
    Some(match worst(one, metric) {
        Some((row, _)) => {
            CardPoint::of_value(CardSubject::Cost, text, metric, row.value, row.basis)
        }
        None => CardPoint::words(CardSubject::Cost, text),
    })
}

/// How many chips hold the data, where they are more than one: "14 chips".
fn chips(one: &Candidate<'_, '_>) -> Option<String> {
    let (row, _) = worst(one, Metric::PartsNeeded)?;
    let count = row.value.filter(|count| *count > 1.0)?;
    Some(format!("{} chips", text::count(count)))
}

/// Figures in which a runner-up is worse or better, as a person would say it.
const DIFFERENCES: [(Metric, &str); 6] = [
    (Metric::Cost, "cost"),
    (Metric::RamProvision, "RAM"),
    (Metric::Lifetime, "life"),
    (Metric::EnergyPerDay, "energy a day"),
    (Metric::LatencyMax, "worst access"),
    (Metric::BytesAtRisk, "bytes at risk"),
];

/// The second of the ranking, and in what it differs.
fn runner_up(first: &Candidate<'_, '_>, all: &[Candidate<'_, '_>]) -> Option<CardPoint> {
    let second = all.get(1).filter(|one| !one.verdicts.is_empty())?;
    let why = match standing(second) {
        Some(ChoiceStanding::Pass) => {
            let value = |one: &Candidate<'_, '_>, metric| worst(one, metric)?.0.value;
            let differing = DIFFERENCES.iter().filter_map(|(metric, name)| {
                let (own, other) = (value(first, *metric)?, value(second, *metric)?);
                let differs = (own - other).abs() > 0.01 * own.abs().max(other.abs());
                let more = match metric.info().better {
                    Better::Higher => own > other,
                    Better::Lower | Better::Neither => own < other,
                };
                let told = super::number(*metric, other);
                let against = super::number(*metric, own);
                differs.then(|| (more, format!("{name} {told} instead of {against}")))
            });
            let (worse, better): (Vec<_>, Vec<_>) = differing.partition(|(worse, _)| *worse);
            let words = |of: Vec<(bool, String)>| -> Vec<String> {
                of.into_iter().map(|(_, words)| words).take(2).collect()
            };
            let (worse, better) = (words(worse), words(better));
            match (worse.is_empty(), better.is_empty()) {
                (true, true) => "passes as well, and differs in nothing that was judged".to_owned(),
                (false, true) => text::list(&worse),
                (true, false) => format!("better {}", text::list(&better)),
                (false, false) => format!("{}, better {}", worse[0], better[0]),
            }
        }
        Some(ChoiceStanding::Depends) => open(second),
        Some(ChoiceStanding::Unknown) => "a limit could not be judged".to_owned(),
        _ => {
            let verdict = second.decisive()?;
            format!("fails by {}", against(second, verdict))
        }
    };
    let part = text::part_of(second.target);
    let text = format!("{part}: {why}");
    Some(CardPoint::words(CardSubject::RunnerUp, text).about(second.target))
}

/// What leaves a verdict open.
fn open(one: &Candidate<'_, '_>) -> String {
    let Some(verdict) = one.depending() else {
        return "its verdict is open".to_owned();
    };
    let condition = super::depends_on(verdict);
    match (verdict.deciding.is_some(), condition) {
        (true, Some(condition)) if verdict.pass => format!("passes only with {condition}"),
        (true, Some(condition)) => format!("passes with {condition}"),
        _ if super::is_unknown(verdict) => {
            format!(
                "{} not evaluated: no source states what it needs",
                Limit::words(verdict)
            )
        }
        (_, Some(what)) => format!("open: {}", text::words(&what)),
        (_, None) => "its verdict is open".to_owned(),
    }
}

/// The weakest figure that the verdict rests on, and what would turn it.
fn weakest(first: &Candidate<'_, '_>, document: &ResultSet) -> CardPoint {
    let subject = CardSubject::Weakest;
    if let Some(verdict) = first.depending() {
        let Some(deciding) = &verdict.deciding else {
            return CardPoint::words(subject, open(first));
        };
        let value = |value| super::of_unit(&deciding.unit, value);
        let condition = super::depends_on(verdict).unwrap_or_default();
        let condition = match verdict.pass {
            true => format!("{condition}, or it fails"),
            false => format!("{condition}, to pass"),
        };
        let range = match deciding.low == deciding.high {
            true => "no source states it".to_owned(),
            false => format!("may be {} to {}", value(deciding.low), value(deciding.high)),
        };
        let text = format!(
            "{condition}; {} as {}, {range}",
            deciding.basis,
            value(deciding.value)
        );
        return CardPoint {
            value: verdict.flips_at,
            unit: Some(deciding.unit.clone()),
            basis: Some(deciding.basis),
            ..CardPoint::words(subject, text)
        };
    }
    let Some(verdict) = first.decisive() else {
        return CardPoint::words(subject, "nothing that was judged");
    };
    let certain = verdict.certainty == Certainty::Certain && verdict.pass;
    let reached = first.reached(verdict);
    let tightest = match Limit::is_number(verdict) {
        true => format!(
            "{} {reached}, {}",
            Limit::words(verdict),
            super::limit::asked(verdict)
        ),
        false => Limit::words(verdict),
    };
    let text = match certain {
        true => {
            let weak = unstated(first, document, "");
            let weak = weak.map_or_else(String::new, |weak| format!(" ({weak})"));
            format!("no figure that turns it{weak}; tightest limit: {tightest}")
        }
        false => format!("no figure turns it: {tightest}"),
    };
    CardPoint {
        metric: Some(verdict.metric),
        value: verdict.value,
        unit: Some(verdict.metric.unit().to_owned()),
        basis: first
            .figure(verdict.timing, verdict.metric)
            .map(|row| row.basis)
            .or(Some(Basis::Simulated)),
        ..CardPoint::words(subject, text)
    }
}

/// The columns that decide.
fn table(candidates: &[Candidate<'_, '_>]) -> Option<crate::grid::Grid> {
    let timings = timings(candidates);
    type Ranked<'c, 'a, 'p> = (usize, &'c RankedCandidate<'a, 'p>);
    let mut table = Tabulation::new(String::new())
        .key(Column::right("#"), |(index, _): &Ranked<'_, '_, '_>| {
            (index + 1).to_string()
        })
        .key(Column::left("candidate"), |(_, one)| one.target.to_owned());
    for (index, timing) in timings.into_iter().enumerate() {
        table = table.words(timing.name(), move |(_, one)| {
            let verdict = match one.is_measured() {
                true => one.decisive(),
                false => one.verdict(timing),
            };
            Some(match verdict {
                Some(_) if one.is_measured() && index > 0 => NOTHING.to_owned(),
                Some(verdict) => super::word(verdict).to_owned(),
                None => "not judged".to_owned(),
            })
        });
    }
    let by = |metric: Metric| {
        move |(_, one): &Ranked<'_, '_, '_>| {
            let cells = one
                .timings
                .iter()
                .map(|timing| filled(one.told(*timing, metric)));
            let cells: Vec<_> = cells.collect();
            (!cells.iter().all(|cell| cell == NOTHING)).then(|| super::tables::side_by_side(&cells))
        }
    };
    let decided = |(_, one): &Ranked<'_, '_, '_>| {
        let verdict = one.decisive()?;
        let margin = margin(verdict).map_or_else(String::new, |margin| format!(" {margin}"));
        Some(Limit::words(verdict) + &margin)
    };
    let table = table
        .words("decided by", decided)
        .figure("RAM", by(Metric::RamProvision))
        .figure("worst access", by(Metric::LatencyMax))
        .figure("life", by(Metric::Lifetime))
        .figure("energy a day", by(Metric::EnergyPerDay))
        .figure("cost", by(Metric::Cost));
    let judged = candidates.iter().filter(|one| !one.verdicts.is_empty());
    let judged: Vec<_> = judged.enumerate().collect();
    table.lines(&judged)
}
