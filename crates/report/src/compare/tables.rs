//! The table of verdicts, and the key figures of every candidate.

use wordline_core::results::{NoValue, ResultSet};
use wordline_core::{Keep, Metric, Timing, Workload};

use super::{Candidate, Limit, NOTHING, limit, margin};
use crate::format::Style;
use crate::grid::{Column, Grid};
use crate::{table, text};

/// What people ask of a candidate after its verdict, in the order of the columns: the metric, its
/// heading, and how sentences call it.
pub(crate) const FIGURES: [(Metric, &str, &str); 13] = [
    (Metric::RamPeak, "RAM", "RAM"),
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
const EXPLAINING: [Metric; 5] = [
    Metric::RamPeakInFlight,
    Metric::RateMax,
    Metric::ThroughputMean,
    Metric::HoldupTime,
    Metric::Area,
];

/// The verdicts, then the key figures: a line a candidate with all columns of the data sheet side by
/// side, or a line for each where a terminal needs fewer lines for that.
pub(crate) fn tables(document: &ResultSet, width: Option<u16>) -> (Grid, Grid) {
    let candidates = Candidate::all_of(document);
    let timings = timings(&candidates);
    let verdicts = verdicts(&work(document), &candidates, &timings);
    let side_by_side = figures(&candidates, &timings, Lines::One, width.is_none());
    let lines = |grid: &Grid| {
        let style = Style {
            color: false,
            width,
        };
        table::grid(grid, &style).lines().count()
    };
    if width.is_some() {
        let each = figures(&candidates, &timings, Lines::Each, false);
        if lines(&each) < lines(&side_by_side) {
            return (verdicts, each);
        }
    }
    (verdicts, side_by_side)
}

/// What the candidates were compared for, as a title begins.
fn work(document: &ResultSet) -> String {
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
        Keep::Bytes(bytes) => bytes.to_string(),
        Keep::For(period) => format!("what comes in {period}"),
    };
    format!(
        "{title}{}, {} in records of {}, {pauses}; {keep} is kept. ",
        work.kind.name(),
        work.rate,
        work.record,
    )
}

/// Every column of the data sheet that any candidate was examined with.
pub(crate) fn timings(candidates: &[Candidate<'_>]) -> Vec<Timing> {
    let all = Timing::ALL.into_iter();
    all.filter(|timing| candidates.iter().any(|one| one.timings.contains(timing)))
        .collect()
}

fn verdicts(work: &str, candidates: &[Candidate<'_>], timings: &[Timing]) -> Grid {
    let mut columns = vec![Column::right("rank"), Column::left("candidate")];
    columns.extend(timings.iter().map(|timing| Column::left(timing.name())));
    columns.push(Column::left("decided by"));
    columns.extend(["margin", "value", "allowed"].map(Column::right));
    let passing = candidates.iter().filter(|one| one.passes()).count();
    let judged = candidates.iter().filter(|one| !one.verdicts.is_empty());
    let title = match (judged.count(), candidates.len()) {
        (_, 0) => "compare: no candidates".to_owned(),
        (0, _) => "Not judged".to_owned(),
        (judged, all) if judged < all => {
            format!("{work}Verdict: {passing} of {judged} judged pass")
        }
        (_, all) => format!("{work}Verdict: {passing} of {all} pass"),
    };
    let mut grid = Grid::new(title, columns).with_keys(2);
    for (index, candidate) in candidates.iter().enumerate() {
        let judged = !candidate.verdicts.is_empty();
        let rank = if judged {
            (index + 1).to_string()
        } else {
            NOTHING.to_owned()
        };
        let mut cells = vec![rank, candidate.target.to_owned()];
        cells.extend(timings.iter().map(|timing| {
            let verdict = candidate.verdict(*timing);
            verdict
                .map_or("not judged", |one| if one.pass { "pass" } else { "FAIL" })
                .to_owned()
        }));
        cells.extend(decision(candidate));
        grid.push(cells);
    }
    grid
}

/// The limit that decides, the margin, what was reached, and what is allowed.
fn decision(candidate: &Candidate<'_>) -> [String; 4] {
    let Some(verdict) = candidate.decisive() else {
        return [NOTHING; 4].map(str::to_owned);
    };
    let words = Limit::words(verdict);
    // One name for all columns of the data sheet needs none of them.
    let decided = if candidate.verdicts.len() > 1 {
        format!("{words} ({})", verdict.timing)
    } else {
        words
    };
    let allowed = if Limit::is_number(verdict) {
        limit::allowed(verdict)
    } else {
        NOTHING.to_owned()
    };
    [
        decided,
        margin(verdict).unwrap_or_else(|| NOTHING.to_owned()),
        candidate.reached(verdict),
        allowed,
    ]
}

/// How many lines a candidate has.
#[derive(Clone, Copy, PartialEq)]
enum Lines {
    One,
    /// One for each column of the data sheet.
    Each,
}

fn figures(candidates: &[Candidate<'_>], timings: &[Timing], lines: Lines, all: bool) -> Grid {
    // A figure that nobody knows is told in a sentence and needs no column.
    let has = |metric: Metric| {
        let mut pairs = candidates.iter();
        pairs.any(|one| {
            let mut rows = timings
                .iter()
                .filter_map(|timing| one.figure(*timing, metric));
            rows.any(|row| row.no_value != Some(NoValue::NotApplicable))
        })
    };
    let shown = FIGURES.iter();
    let shown: Vec<_> = shown
        .filter(|(metric, _, _)| has(*metric) && (all || !EXPLAINING.contains(metric)))
        .collect();
    let mut columns = vec![Column::left("candidate")];
    if lines == Lines::Each {
        columns.push(Column::left("timing"));
    }
    let keys = columns.len();
    columns.extend(shown.iter().map(|(_, name, _)| Column::right(*name)));
    let both: Vec<_> = timings.iter().map(|timing| timing.name()).collect();
    let title = match (lines, both.as_slice()) {
        (Lines::One, [_, _, ..]) => format!("Key figures: {}", both.join(" / ")),
        _ => "Key figures".to_owned(),
    };
    let mut grid = Grid::new(title, columns).with_keys(keys);
    for candidate in candidates {
        let cell = |timing: Timing, metric| {
            let told = candidate.told(timing, metric);
            told.unwrap_or_else(|| NOTHING.to_owned())
        };
        match lines {
            Lines::One => {
                let cells = shown.iter().map(|(metric, _, _)| {
                    let cells: Vec<_> = timings.iter().map(|one| cell(*one, *metric)).collect();
                    side_by_side(&cells)
                });
                grid.push([candidate.target.to_owned()].into_iter().chain(cells));
            }
            Lines::Each => {
                for timing in &candidate.timings {
                    let keys = [candidate.target.to_owned(), timing.to_string()];
                    let cells = shown.iter().map(|(metric, _, _)| cell(*timing, *metric));
                    grid.push(keys.into_iter().chain(cells));
                }
            }
        }
    }
    grid
}

/// Cells that are alike are told once.
pub(super) fn side_by_side(cells: &[String]) -> String {
    match cells {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.clone(),
        _ => cells.join(" / "),
    }
}
