//! What a comparison says, in plain words: which candidate is best and why, which fail by what, what
//! could not be judged, and what would help.

use wordline_core::results::{NoValue, Verdict};
use wordline_core::{Better, Metric, Timing};

use super::limit::{against, timings};
use super::tables::FIGURES;
use super::{Limit, RankedCandidate, limit};
use crate::answer::{Answer, IN_WORDS, few};
use crate::pivot::{Pivot, each, together};
use crate::text::{self, TargetKind};

pub(crate) fn answer(pivot: &Pivot<'_>) -> Answer {
    let candidates = RankedCandidate::all_of(pivot);
    let mut sentences = Vec::new();
    sentences.extend(count(&candidates));
    sentences.extend(best(&candidates));
    sentences.extend(depending(&candidates));
    sentences.extend(unproven(&candidates));
    sentences.extend(in_turn(&candidates));
    sentences.extend(on_files(&candidates));
    sentences.extend(failures(&candidates));
    sentences.extend(unknown(&candidates));
    sentences.extend(advice(&candidates));
    sentences.extend(notes(&candidates));
    Answer::of_all(sentences)
}

/// "2 of 5 candidates pass for certain, at typical timing and at the data sheet's maximum; 1 more depends on a figure."
fn count(candidates: &[RankedCandidate<'_, '_>]) -> Option<String> {
    let judged: Vec<_> = candidates
        .iter()
        .filter(|one| !one.verdicts.is_empty())
        .collect();
    if judged.is_empty() {
        return (!candidates.is_empty()).then(|| "No candidate was judged.".to_owned());
    }
    let passing = judged.iter().filter(|one| one.passes_for_certain()).count();
    let open: Vec<_> = judged.iter().filter(|one| one.might_pass()).collect();
    let depending = open.len();
    // What leaves a log open need not be a figure.
    let is_figure = open.iter().all(|one| {
        let verdict = one.depending();
        !one.is_measured() || verdict.is_some_and(|verdict| verdict.deciding.is_some())
    });
    let by = match judged.iter().all(|one| one.is_measured()) {
        true => "as measured".to_owned(),
        false => timings(&super::tables::timings(candidates)),
    };
    let all = judged.len();
    let some = judged.iter().filter(|one| {
        let typical = one.verdict(Timing::Typ);
        !one.passes() && !one.might_pass() && typical.is_some_and(|verdict| verdict.pass)
    });
    let some = some.count();
    let sentence = match (passing, all) {
        (0, 1) if depending == 1 && is_figure => {
            format!("Whether the candidate passes {by} depends on a figure")
        }
        (0, 1) if depending == 1 => format!("Whether the candidate passes {by} is open"),
        (0, 1) if some == 1 => "The candidate passes at typical timing alone".to_owned(),
        (0, 1) => format!("The candidate does not pass {by}"),
        (0, _) => format!("None of {all} candidates passes for certain {by}"),
        (1, 1) => format!("The candidate passes {by}"),
        (1, _) => format!("1 of {all} candidates passes for certain {by}"),
        _ => format!("{passing} of {all} candidates pass for certain {by}"),
    };
    let mut more = String::new();
    if all > 1 {
        more += &match depending {
            0 => String::new(),
            some if !is_figure => format!("; {some} more may"),
            1 => "; 1 more may, which depends on a figure".to_owned(),
            _ => format!("; {depending} more may, which depends on figures"),
        };
        more += &match some {
            0 => String::new(),
            _ if passing + depending == 0 => format!("; {some} at typical timing alone"),
            _ => format!("; {some} more at typical timing alone"),
        };
    }
    let rest = match candidates.len() - all {
        0 => String::new(),
        1 => "; 1 more was not judged".to_owned(),
        rest => format!("; {rest} more were not judged"),
    };
    Some(format!("{sentence}{more}{rest}."))
}

/// What decides those that may pass or fail, and where it turns.
fn depending(candidates: &[RankedCandidate<'_, '_>]) -> Vec<String> {
    let depending = candidates
        .iter()
        .filter_map(|one| Some((one, one.depending()?)));
    let depending: Vec<_> = depending.collect();
    if depending.len() > IN_WORDS {
        let targets: Vec<_> = depending.iter().map(|(one, _)| one.target).collect();
        return vec![format!(
            "Whether they pass depends on a figure of {}: the column \"depends on\" says which, and where it turns.",
            few(&targets)
        )];
    }
    let sentences = depending.iter().filter_map(|(one, verdict)| {
        let Some((condition, deciding)) = super::flip(verdict).zip(verdict.deciding.as_ref())
        else {
            let figure = verdict.deciding_figure.as_ref()?;
            if super::is_unknown(verdict) {
                return Some(match one.is_measured() {
                    true => format!(
                        "A log does not tell the {} of {}, so that this limit is not judged.",
                        text::words(verdict.metric.name()),
                        one.target,
                    ),
                    false => format!(
                        "Whether {} passes {} depends on its {}, which no source states.",
                        one.target,
                        one.conditions(verdict),
                        text::words(verdict.metric.name()),
                    ),
                });
            }
            if one.is_measured() {
                let name = super::own(verdict, figure).unwrap_or(figure);
                return Some(format!(
                    "The verdict on {} is not certain: {name}.",
                    one.target
                ));
            }
            let own =
                super::own(verdict, figure).map(|figure| format!("its {}", text::words(figure)));
            return Some(format!(
                "Whether {} passes {} depends on {}, which no source states.",
                one.target,
                one.conditions(verdict),
                own.as_ref().unwrap_or(figure),
            ));
        };
        let value = |value| super::of_unit(&deciding.unit, value);
        let verb = if verdict.pass { "passes" } else { "would pass" };
        let with = match deciding.together_with.as_slice() {
            [] => String::new(),
            others => format!(", with {} at the end of its range", text::list(others)),
        };
        let range = match (deciding.low == deciding.high, one.is_measured()) {
            (true, true) => "its log shows no range of it".to_owned(),
            (true, false) => "no source states it".to_owned(),
            (false, _) => format!("may be {} to {}", value(deciding.low), value(deciding.high)),
        };
        let sample = deciding.sample.as_ref();
        let from = sample.map_or(String::new(), |sample| format!(" from the {sample}"));
        Some(format!(
            "{} {verb} {} with {condition}{with}. That figure is {} as {}{from}, and {range}.",
            one.target,
            one.conditions(verdict),
            deciding.basis,
            value(deciding.value),
        ))
    });
    sentences.collect()
}

/// Which candidates keep a limit in simulation, and not by its proven bound.
fn unproven(candidates: &[RankedCandidate<'_, '_>]) -> Vec<String> {
    let open: Vec<_> = candidates.iter().filter(|one| one.is_unproven()).collect();
    if open.len() > IN_WORDS {
        let pairs = open.iter().flat_map(|one| {
            let limits = one.verdicts.iter().flat_map(|verdict| &verdict.unproven);
            limits.map(|open| (Limit::named(&open.limit), one.target))
        });
        let groups = grouped(pairs).into_iter();
        let sentences = groups.map(|(limit, targets)| {
            format!(
                "In simulation alone {} keep{} the limit of {limit}: its proven bound lies beyond.",
                few(&targets),
                if targets.len() == 1 { "s" } else { "" },
            )
        });
        return sentences.collect();
    }
    let sentences = open.iter().flat_map(|one| {
        let verdicts = one
            .verdicts
            .iter()
            .filter(|verdict| !verdict.unproven.is_empty());
        let pairs = verdicts.map(|verdict| {
            let clauses = verdict.unproven.iter().map(limit::only);
            let clauses: Vec<_> = clauses.map(|clause| text::capital(&clause)).collect();
            (clauses.join(". "), one.conditions(verdict))
        });
        let groups = grouped(pairs).into_iter();
        groups.map(|(proven, conditions)| {
            let conditions = text::list(&conditions);
            format!(
                "{} passes {conditions} in simulation. {proven}.",
                one.target
            )
        })
    });
    sentences.collect()
}

/// What the names of chips in turn mean.
fn in_turn(candidates: &[RankedCandidate<'_, '_>]) -> Option<String> {
    let mut targets = candidates.iter().map(|one| one.target);
    targets
        .any(|target| text::without_kind(target, TargetKind::InTurn).is_some())
        .then(|| "2* means two chips in turn: one is written while the other erases.".to_owned())
}

/// What the names of file systems mean.
fn on_files(candidates: &[RankedCandidate<'_, '_>]) -> Option<String> {
    let under = |one: &&RankedCandidate<'_, '_>| !one.is_measured();
    let mut targets = candidates.iter().filter(under).map(|one| one.target);
    targets.any(|target| target.contains(':')).then(|| {
        "A name behind a file system's and a colon is a memory under it: each record is written to a file and synced."
            .to_owned()
    })
}

/// The first of the ranking, what it comes closest to failing by, and in what it leads the others
/// that pass.
fn best(candidates: &[RankedCandidate<'_, '_>]) -> Option<String> {
    let best = candidates.first()?;
    let verdict = best.decisive()?;
    if !best.passes() {
        let closest = against(best, verdict);
        let at = best.conditions(verdict);
        if super::is_unknown(verdict) {
            return Some(format!(
                "Nearest to passing is {}: nothing that is known of it fails, and {} is unknown.",
                best.target,
                Limit::words(verdict),
            ));
        }
        return Some(format!(
            "Nearest to passing is {}: it fails {at} by {closest}.",
            best.target
        ));
    }
    let closest = against(best, verdict);
    let meets = match (best.passes_for_certain(), best.is_measured()) {
        (true, true) => "it meets every limit as measured, and by what its log lets expect",
        (true, false) => "it meets every limit, wherever its figures lie in their ranges",
        (false, true) => "it meets every limit in its log, which is too weak for a certain verdict",
        (false, false) => "it meets every limit, if what is assumed of it is so",
    };
    let mut sentence = format!(
        "Best is {}: {meets}. Its tightest limit {} is {closest}",
        best.target,
        best.conditions(verdict)
    );
    let rivals: Vec<_> = candidates[1..].iter().filter(|one| one.passes()).collect();
    let leads: Vec<_> = FIGURES
        .iter()
        .filter_map(|(metric, _, _)| lead(best, &rivals, *metric))
        .collect();
    for (index, leads) in leads.chunks(2).enumerate() {
        let subject = match index {
            0 => "Of those that pass it has",
            _ => "It also has",
        };
        sentence += &format!(". {subject} {}", text::list(leads));
    }
    Some(sentence + ".")
}

/// "the least RAM (8 KiB)", where a figure of the worst column is known for all and best.
fn lead(
    best: &RankedCandidate<'_, '_>,
    rivals: &[&RankedCandidate<'_, '_>],
    metric: Metric,
) -> Option<String> {
    let worst = |one: &RankedCandidate<'_, '_>| one.number(*one.timings.last()?, metric);
    let own = worst(best)?;
    let (lower, higher) = SUPERLATIVES
        .iter()
        .find_map(|(of, least, most)| (*of == metric).then_some((*least, *most)))?;
    let better = metric.info().better;
    let beaten = |other: &&RankedCandidate<'_, '_>| {
        worst(other).is_some_and(|other| match better {
            Better::Higher => own > other,
            Better::Lower | Better::Neither => own < other,
        })
    };
    let words = if better == Better::Higher {
        higher
    } else {
        lower
    };
    (!rivals.is_empty() && rivals.iter().all(beaten)).then(|| {
        let told = best.told(*best.timings.last()?, metric)?;
        Some(format!("the {words} ({told})"))
    })?
}

/// What is best of a metric, where less and where more is better.
const SUPERLATIVES: [(Metric, &str, &str); 6] = [
    (Metric::RamProvision, "least RAM", "most RAM"),
    (Metric::LatencyMax, "fastest worst access", "slowest access"),
    (Metric::Lifetime, "shortest life", "longest life"),
    (Metric::EnergyPerDay, "least energy a day", "most energy"),
    (
        Metric::BytesAtRisk,
        "fewest bytes at risk",
        "most bytes at risk",
    ),
    (Metric::Cost, "lowest cost", "highest cost"),
];

/// Which candidates fail by what. Few are listed one by one, many by the limit.
fn failures(candidates: &[RankedCandidate<'_, '_>]) -> Vec<String> {
    let told_already = usize::from(candidates.first().is_some_and(|one| !one.passes()));
    let failing = candidates.iter().skip(told_already);
    let failing: Vec<(&RankedCandidate<'_, '_>, &Verdict)> = failing
        .filter(|one| !one.passes())
        .filter_map(|one| Some((one, one.decisive()?)))
        .filter(|(_, verdict)| !super::is_unknown(verdict))
        .collect();
    if failing.len() <= IN_WORDS {
        let sentences = failing.iter().map(|(one, verdict)| {
            let passes = one.verdicts.iter().filter(|verdict| verdict.pass);
            let passes: Vec<_> = passes.map(|verdict| verdict.timing).collect();
            let but = if passes.is_empty() {
                String::new()
            } else {
                format!("passes {}. It ", timings(&passes))
            };
            format!(
                "{} {but}fails {} by {}.",
                one.target,
                one.conditions(verdict),
                against(one, verdict)
            )
        });
        return sentences.collect();
    }
    let groups = grouped(failing.iter().map(|(one, verdict)| {
        let at = one.conditions(verdict);
        (format!("{} {at}", Limit::words(verdict)), one.target)
    }));
    let sentences = groups.into_iter().map(|(limit, targets)| {
        let verb = if targets.len() == 1 { "fails" } else { "fail" };
        format!("By {limit} {verb} {}.", few(&targets))
    });
    sentences.collect()
}

/// Values by their key, both in the order in which they come, none twice.
fn grouped<'a>(pairs: impl Iterator<Item = (String, &'a str)>) -> Vec<(String, Vec<&'a str>)> {
    let groups = together(pairs.collect(), |(key, _)| key.clone()).into_iter();
    let groups = groups.map(|own| (own[0].0.clone(), each(&own, |(_, value)| *value)));
    groups.collect()
}

/// The same the other way round: what is about the same values is merged.
fn by_targets(groups: Vec<(String, Vec<&str>)>) -> Vec<(Vec<&str>, Vec<String>)> {
    let all = together(groups, |(_, values)| values.clone()).into_iter();
    let all = all.map(|own| {
        let keys = own.iter().map(|(key, _)| key.clone());
        (own[0].1.clone(), keys.collect())
    });
    all.collect()
}

/// Unknown figures.
fn unknown(candidates: &[RankedCandidate<'_, '_>]) -> Vec<String> {
    let pairs = FIGURES.iter().flat_map(|(metric, _, name)| {
        candidates.iter().filter_map(move |one| {
            let mut rows = one
                .timings
                .iter()
                .filter_map(|timing| one.figure(*timing, *metric));
            let missing = rows.any(|row| row.no_value == Some(NoValue::NotApplicable));
            missing.then_some(((*name).to_owned(), one.target))
        })
    });
    let sentences = by_targets(grouped(pairs))
        .into_iter()
        .map(|(targets, figures)| {
            let whose = if targets.len() == candidates.len() && targets.len() > 1 {
                "any candidate".to_owned()
            } else {
                few(&targets)
            };
            let figures = text::list(&figures);
            format!("Unknown, and not judged: {figures} of {whose}.")
        });
    sentences.collect()
}

/// What the verdicts note, each clause once with those whom it is about.
fn notes(candidates: &[RankedCandidate<'_, '_>]) -> Vec<String> {
    let pairs = candidates.iter().flat_map(|one| {
        let notes = one.verdicts.iter().filter_map(|one| one.note.as_deref());
        let clauses = notes.flat_map(|note| note.split("; "));
        clauses.map(|clause| (clause.trim_end_matches('.').to_owned(), one.target))
    });
    let groups = by_targets(grouped(pairs)).into_iter();
    let sentence = |(targets, notes): (Vec<&str>, Vec<String>)| {
        let notes = notes.iter().enumerate().map(|(index, note)| match index {
            0 => note.clone(),
            _ => text::capital(note),
        });
        let notes: Vec<_> = notes.collect();
        format!("{}: {}.", few(&targets), notes.join(". "))
    };
    groups.map(sentence).collect()
}

/// What would help those that fail, once for each limit.
fn advice(candidates: &[RankedCandidate<'_, '_>]) -> Vec<String> {
    let failures = candidates.iter().filter(|one| !one.passes());
    let failures = failures.filter_map(|one| Some((one, one.decisive()?)));
    let (untold, failures): (Vec<(&RankedCandidate<'_, '_>, &Verdict)>, Vec<_>) =
        failures.partition(|(one, verdict)| one.is_measured() && super::is_unknown(verdict));
    let pairs = failures.iter();
    let groups = grouped(pairs.map(|(one, verdict)| (verdict.limit.clone(), one.target)));
    let sentences = groups.into_iter().filter_map(|(limit, targets)| {
        let of_limit = failures
            .iter()
            .filter(|(_, verdict)| verdict.limit == limit);
        let known = Limit::of(of_limit.clone().next()?.1)?;
        let mut sentence = format!("Against {}: {}", known.words, known.advice);
        let needed = of_limit.filter_map(|(one, verdict)| enough(one, verdict));
        let needed = needed.min_by(|(_, a, _), (_, b, _)| a.total_cmp(b));
        if let Some((target, value, metric)) = needed {
            let value = super::number(metric, value);
            let whom = if targets.len() == 1 {
                ""
            } else {
                ", the nearest,"
            };
            sentence += &format!(" With {value} allowed, {target}{whom} would meet this limit.");
        }
        Some(sentence)
    });
    let pairs = untold.iter();
    let untold = grouped(pairs.map(|(one, verdict)| (Limit::words(verdict), one.target)));
    let untold = untold.into_iter().map(|(words, targets)| {
        format!(
            "Against {words} of {}: a log does not tell it. Compare the sheet of the part as well (--target).",
            few(&targets)
        )
    });
    sentences.chain(untold).collect()
}

/// What a limit would have to allow so that a candidate met it with every column of the data sheet.
fn enough<'a>(
    candidate: &RankedCandidate<'a, '_>,
    verdict: &Verdict,
) -> Option<(&'a str, f64, Metric)> {
    if verdict.metric.info().better != Better::Lower {
        return None;
    }
    let all = candidate.timings.iter();
    let mut most = verdict.value?;
    for timing in all {
        most = most.max(candidate.number(*timing, verdict.metric)?);
    }
    Some((candidate.target, most, verdict.metric))
}
