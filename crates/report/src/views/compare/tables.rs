//! The table of verdicts, and the key figures of every candidate.

use wordline_core::results::{NoValue, ResultSet};
use wordline_core::{Metric, SizeOrPeriod, Timing, Workload};

use super::{Limit, RankedCandidate, limit, margin};
use crate::format::Style;
use crate::grid::{Column, Grid};
use crate::pivot::Pivot;
use crate::tabulate::{NOTHING, Tabulation, filled};
use crate::{table, text};

/// What people ask of a candidate after its verdict, in the order of the columns: the metric, its
/// heading, and how sentences call it.
pub(crate) const FIGURES: [(Metric, &str, &str); 14] = [
    (Metric::RamProvision, "RAM", "RAM"),
    (Metric::RamPeak, "RAM waiting", "RAM of waiting records"),
    (Metric::RamPeakInFlight, "RAM in flight", "RAM in flight"),
    (Metric::RateMax, "rate max", "highest rate"),
    (Metric::ThroughputMean, "throughput", "throughput"),
    (Metric::LatencyMax, "worst access", "worst access"),
    (Metric::Lifetime, "lifetime", "lifetime"),
    (Metric::EnergyPerDay, "energy a day", "energy a day"),
    (Metric::BytesAtRisk, "at risk", "bytes at risk"),
    (Metric::HoldupTime, "hold-up time", "hold-up time"),
    (
        Metric::HoldupCapacitance,
        "hold-up cap.",
        "hold-up capacitance",
    ),
    (Metric::PartsNeeded, "parts", "number of parts"),
    (Metric::Area, "area", "area"),
    (Metric::Cost, "cost", "cost"),
];

/// Figures that explain others, which a terminal leaves to the page.
const EXPLAINING: [Metric; 6] = [
    Metric::RamPeak,
    Metric::RamPeakInFlight,
    Metric::RateMax,
    Metric::ThroughputMean,
    Metric::HoldupTime,
    Metric::Area,
];

/// The key figures: a line a candidate with all columns of the data sheet side by side, or a line for each where a
/// terminal needs fewer lines for that.
pub(crate) fn figures(pivot: &Pivot<'_>, width: Option<u16>) -> Vec<Grid> {
    let candidates = RankedCandidate::all_of(pivot);
    let timings = timings(&candidates);
    let together = candidates
        .iter()
        .map(|one| match one.is_measured() {
            // What was measured has no columns.
            true => (one, one.timings.clone()),
            false => (one, timings.clone()),
        })
        .collect::<Vec<_>>();
    let together = key_figures(&timings, &together, width.is_none());
    let singly = candidates.iter().flat_map(|one| {
        let timings = one.timings.iter();
        timings.map(move |timing| (one, vec![*timing]))
    });
    let singly = width.and_then(|_| key_figures(&timings, &singly.collect::<Vec<_>>(), false));
    let lines = |grid: &Grid| {
        let style = Style {
            width,
            ..Style::default()
        };
        table::grid(grid, &style).lines().count()
    };
    let grids = together.into_iter().chain(singly);
    grids.min_by_key(lines).into_iter().collect()
}

/// A candidate at some columns of the data sheet.
type AtTimings<'c, 'a, 'p> = (&'c RankedCandidate<'a, 'p>, Vec<Timing>);

fn key_figures(all: &[Timing], lines: &[AtTimings<'_, '_, '_>], explaining: bool) -> Option<Grid> {
    let names: Vec<_> = all.iter().map(|timing| timing.name()).collect();
    let is_single = lines.iter().all(|(_, timings)| timings.len() == 1);
    let title = match names.as_slice() {
        [_, _, ..] if !is_single => format!("Key figures: {}", names.join(" / ")),
        _ => "Key figures".to_owned(),
    };
    let mut table = Tabulation::new(title).key(
        Column::left("candidate"),
        |(one, _): &AtTimings<'_, '_, '_>| one.target.to_owned(),
    );
    if is_single {
        table = table.key_if_varying(Column::left("timing"), |(one, timings)| {
            one.column(timings[0]).to_owned()
        });
    }
    if lines.iter().any(|(one, _)| one.is_measured()) {
        table = table.words("basis", |(one, _)| Some(one.basis().to_owned()));
    }
    for (metric, name, _) in FIGURES {
        // A figure without a value in every line gets a sentence instead of a column.
        let known = |(one, timings): &AtTimings<'_, '_, '_>| {
            let mut rows = timings
                .iter()
                .filter_map(|timing| one.figure(*timing, metric));
            rows.any(|row| row.no_value != Some(NoValue::NotApplicable))
        };
        if lines.iter().any(known) && (explaining || !EXPLAINING.contains(&metric)) {
            table = table.figure(name, move |(one, timings)| {
                let cells = timings
                    .iter()
                    .map(|timing| filled(one.told(*timing, metric)));
                Some(side_by_side(&cells.collect::<Vec<_>>()))
            });
        }
    }
    table.lines(lines)
}

/// What the candidates were compared for, as a title begins.
pub(super) fn work(document: &ResultSet) -> String {
    let Workload::Compare(study) = &document.experiment.workload else {
        return String::new();
    };
    let work = &study.work;
    let title = study.title.as_ref();
    let title = title.map_or_else(String::new, |title| format!("{title}: "));
    let pauses = match work.duty() {
        all if all >= 1.0 => "without a pause".to_owned(),
        share => format!("in {} of the time", text::percent(share, text::DIGITS)),
    };
    let keep = match work.keep() {
        SizeOrPeriod::Bytes(bytes) => bytes.to_string(),
        SizeOrPeriod::For(period) => format!("what comes in {period}"),
    };
    format!(
        "{title}{}, {} in records of {}, {pauses}; {keep} is kept. ",
        work.kind.name(),
        work.rate,
        work.record,
    )
}

/// Every column of the data sheet that any candidate was examined with. What was measured has none, and stands in the
/// first of the others.
pub(crate) fn timings(candidates: &[RankedCandidate<'_, '_>]) -> Vec<Timing> {
    let of = |is_measured: bool| -> Vec<Timing> {
        let own = candidates.iter();
        let own = own.filter(|one| one.is_measured() == is_measured);
        let used: Vec<Timing> = own.flat_map(|one| one.timings.iter().copied()).collect();
        let all = Timing::ALL.into_iter();
        all.filter(|timing| used.contains(timing)).collect()
    };
    let simulated = of(false);
    match simulated.is_empty() {
        true => of(true),
        false => simulated,
    }
}

/// The verdicts, the best candidate first.
pub(crate) fn verdicts(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let candidates = RankedCandidate::all_of(pivot);
    let work = work(pivot.document);
    let passing = candidates
        .iter()
        .filter(|one| one.passes_for_certain())
        .count();
    let depending = candidates.iter().filter(|one| one.might_pass()).count();
    let depending = match depending {
        0 => String::new(),
        some => format!(", {some} more may"),
    };
    let judged = candidates
        .iter()
        .filter(|one| !one.verdicts.is_empty())
        .count();
    let title = match (judged, candidates.len()) {
        (_, 0) => "compare: no candidates".to_owned(),
        (0, _) => "Not judged".to_owned(),
        (judged, all) if judged < all => {
            format!("{work}Verdict: {passing} of {judged} judged pass for certain{depending}")
        }
        (_, all) => format!("{work}Verdict: {passing} of {all} pass for certain{depending}"),
    };
    type Ranked<'c, 'a, 'p> = (usize, &'c RankedCandidate<'a, 'p>);
    let mut table = Tabulation::new(title)
        .key(
            Column::right("rank"),
            |(index, one): &Ranked<'_, '_, '_>| match one.verdicts.is_empty() {
                true => NOTHING.to_owned(),
                false => (index + 1).to_string(),
            },
        )
        .key(Column::left("candidate"), |(_, one)| one.target.to_owned());
    if candidates.iter().any(RankedCandidate::is_measured) {
        table = table.words("basis", |(_, one)| Some(one.basis().to_owned()));
    }
    for (index, timing) in timings(&candidates).into_iter().enumerate() {
        table = table.words(timing.name(), move |(_, one)| {
            let verdict = match one.is_measured() {
                true => one.decisive(),
                false => one.verdict(timing),
            };
            let word = match verdict {
                Some(_) if one.is_measured() && index > 0 => NOTHING,
                Some(verdict) => super::word(verdict),
                None => "not judged",
            };
            Some(word.to_owned())
        });
    }
    let table = table
        .words("decided by", |(_, one)| {
            let verdict = one.decisive()?;
            let words = Limit::words(verdict);
            // One name for all columns of the data sheet needs none of them.
            Some(match one.verdicts.len() {
                1 => words,
                _ => format!("{words} ({})", verdict.timing),
            })
        })
        .figure("margin", |(_, one)| margin(one.decisive()?))
        .figure("value", |(_, one)| Some(one.reached(one.decisive()?)))
        .figure("proven", |(_, one)| limit::proven(one.decisive()?))
        .figure("allowed", |(_, one)| {
            let verdict = one.decisive()?;
            Limit::is_number(verdict).then(|| limit::allowed(verdict))
        })
        .words("depends on", |(_, one)| super::depends_on(one.depending()?));
    let ranked: Vec<_> = candidates.iter().enumerate().collect();
    table.lines(&ranked).into_iter().collect()
}

/// Merges equal cells into one.
pub(super) fn side_by_side(cells: &[String]) -> String {
    match cells {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.clone(),
        _ => cells.join(" / "),
    }
}
