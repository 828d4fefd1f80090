//! The plots of `wordline compare`: how far inside its limits each candidate is, the RAM that it needs,
//! and that RAM against the rate.

use wordline_core::quantity::Quantity as _;
use wordline_core::results::Verdict;
use wordline_core::{Metric, Timing, Workload};

use super::{Limit, RankedCandidate, margin};
use crate::html::bars::{PlotRow, RowMark, RowSpec};
use crate::html::chart::{Chart, ChartAxis, ChartCurve, ChartRule, CurveShape, RuleAxis};
use crate::html::plot::{DASHES, PALETTE, Plot, PlotSpec};
use crate::pivot::Pivot;
use crate::text;

/// More candidates than this do not fit a plot; the tables hold the others.
const CANDIDATES: usize = 40;

/// More curves than this no reader can distinguish.
const CURVES: usize = 12;

const PASS: &str = PALETTE[0];
const FAIL: &str = PALETTE[1];
const OTHER: &str = PALETTE[2];

pub(crate) fn plots(pivot: &Pivot<'_>) -> Vec<Plot> {
    let mut candidates = RankedCandidate::all_of(pivot);
    let staircases = staircases(pivot, &candidates);
    let all = candidates.len();
    candidates.truncate(CANDIDATES);
    let names = names(&candidates);
    let more = text::first_of(CANDIDATES, all, "first");
    [
        staircases,
        margins(&candidates, &names, &more),
        ram(&candidates, &names, &more),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The candidates' names, each its own: two that print alike are numbered.
fn names(candidates: &[RankedCandidate<'_, '_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for candidate in candidates {
        let mut name = text::printable(candidate.target);
        if candidate.is_measured() {
            name += " (measured)";
        }
        let alike = names.iter().filter(|other| **other == name).count();
        names.push(match alike {
            0 => name,
            count => format!("{name} ({})", count + 1),
        });
    }
    names
}

/// RAM against the rate, of the first candidates of which the document holds a curve.
fn staircases(pivot: &Pivot<'_>, candidates: &[RankedCandidate<'_, '_>]) -> Option<Plot> {
    let mut curves = Vec::new();
    let mut all = 0;
    for candidate in candidates {
        let Some(timing) = candidate.timings.last() else {
            continue;
        };
        let steps = candidate.staircase(*timing);
        if steps.is_empty() {
            continue;
        }
        all += 1;
        if curves.len() == CURVES {
            continue;
        }
        let index = curves.len();
        curves.push(ChartCurve {
            name: format!("{}, {timing}", candidate.target),
            color: PALETTE[index % PALETTE.len()],
            dash: DASHES[index / PALETTE.len() % DASHES.len()],
            shape: CurveShape::StepBefore,
            points: steps.into_iter().map(|(ram, rate)| (rate, ram)).collect(),
        });
    }
    let rate = match &pivot.document.experiment.workload {
        Workload::Compare(study) => Some(study.work.rate.si()),
        _ => None,
    };
    let asked = rate.into_iter().map(|rate| ChartRule {
        axis: RuleAxis::X,
        at: rate,
        label: format!("asked: {}", text::rate(rate)),
        color: PALETTE[6],
        dash: DASHES[0],
    });
    let allowed = allowed(candidates).map(|bytes| ChartRule {
        axis: RuleAxis::Y,
        at: bytes,
        label: format!("allowed: {}", text::ram(bytes, text::DIGITS)),
        color: PALETTE[6],
        dash: DASHES[1],
    });
    Chart {
        id: "plot-staircases".to_owned(),
        heading: "RAM against input rate".to_owned(),
        caption: format!(
            "RAM to provision for whole records, by the input rate; down and to the right is better. A curve ends where no \
             RAM is enough.{}",
            text::first_of(CURVES, all, "first")
        ),
        x: ChartAxis::logarithmic("B/s", "input rate"),
        y: ChartAxis::logarithmic("B", "RAM"),
        curves,
        rules: asked.chain(allowed).collect(),
    }
    .plot()
}

/// The RAM that the study allows, if it says so.
fn allowed(candidates: &[RankedCandidate<'_, '_>]) -> Option<f64> {
    let verdicts = candidates.iter().flat_map(|one| &one.verdicts);
    let mut of_ram =
        verdicts.filter(|verdict| verdict.metric == Metric::RamProvision && verdict.allowed > 0.0);
    of_ram.next().map(|verdict| verdict.allowed)
}

/// Bars to the right pass, bars to the left fail; a margin beyond the scale is cut and marked.
fn margins(candidates: &[RankedCandidate<'_, '_>], names: &[String], more: &str) -> Option<Plot> {
    let rows = candidates.iter().zip(names).map(|(candidate, name)| {
        let timings = candidate.timings.iter();
        let verdicts = timings.filter_map(|timing| candidate.verdict(*timing));
        PlotRow {
            name: name.clone(),
            marks: verdicts.map(|verdict| bar(candidate, verdict)).collect(),
            words: None,
        }
    });
    let rows: Vec<PlotRow> = rows.filter(|row| !row.marks.is_empty()).collect();
    if rows.is_empty() {
        return None;
    }
    let spec = RowSpec {
        hollow: Vec::new(),
        title: "margin",
        unit: "%",
        logarithmic: false,
        ends: Some((-1.0, 1.0)),
        points: false,
        series: vec![("pass".to_owned(), PASS), ("fail".to_owned(), FAIL)],
        rows,
        rule: None,
    };
    let caption = format!(
        "How far each candidate is inside the limit that decides: to the right it passes, to the left \
         it fails. Longer bars are cut at 100 %.{more}"
    );
    let heading = "Margin to the deciding limit".to_owned();
    Some(Plot::new(
        "plot-margin".to_owned(),
        heading,
        caption,
        PlotSpec::Rows(spec),
    ))
}

fn bar(candidate: &RankedCandidate<'_, '_>, verdict: &Verdict) -> RowMark {
    let result = if verdict.pass { "pass" } else { "fail" };
    let limit = text::printable(&Limit::words(verdict));
    // The bar shows the result; where there is none, words do.
    let column = candidate.column(verdict.timing);
    let words = match margin(verdict) {
        Some(margin) => format!("{column}: {limit} {margin}"),
        None if Limit::is_number(verdict) => {
            let reached = candidate.reached(verdict);
            format!("{column}: {result}, {limit} {reached}")
        }
        None => format!("{column}: {result}, {limit}"),
    };
    RowMark {
        series: usize::from(!verdict.pass),
        // Without a value there is no bar, only the words.
        value: verdict.margin.unwrap_or(0.0).clamp(-1.0, 1.0),
        text: format!("{result}, {words}"),
        label: Some(words),
        band: None,
    }
}

/// The RAM of each candidate on a logarithmic axis, with what is allowed as a rule.
fn ram(candidates: &[RankedCandidate<'_, '_>], names: &[String], more: &str) -> Option<Plot> {
    let rows = candidates.iter().zip(names).map(|(candidate, name)| {
        let mut row = PlotRow {
            name: name.clone(),
            marks: Vec::new(),
            words: None,
        };
        let mut missing: Vec<(Timing, String)> = Vec::new();
        for timing in &candidate.timings {
            let Some(told) = candidate.told(*timing, Metric::RamProvision) else {
                continue;
            };
            match candidate.number(*timing, Metric::RamProvision) {
                Some(bytes) if bytes > 0.0 => row.marks.push(RowMark {
                    series: *timing as usize,
                    value: bytes,
                    text: told,
                    label: None,
                    band: None,
                }),
                _ => missing.push((*timing, told)),
            }
        }
        row.words = label(&missing);
        row
    });
    let rows: Vec<PlotRow> = rows
        .filter(|row| !row.marks.is_empty() || row.words.is_some())
        .collect();
    if rows.iter().all(|row| row.marks.is_empty()) {
        return None;
    }
    let series = Timing::ALL.iter().zip([PASS, FAIL, OTHER]);
    let spec = RowSpec {
        hollow: Vec::new(),
        title: "RAM",
        unit: Metric::RamProvision.unit(),
        logarithmic: true,
        ends: None,
        points: true,
        series: series
            .map(|(timing, color)| (timing.name().to_owned(), color))
            .collect(),
        rows,
        rule: allowed(candidates).map(|bytes| {
            let label = format!("allowed: {}", text::ram(bytes, text::DIGITS));
            (bytes, label)
        }),
    };
    let caption = format!(
        "RAM to provision: the record being gathered, those that wait, and the one being written, on a logarithmic axis; left \
         is better.{more}"
    );
    let heading = "RAM of each candidate".to_owned();
    Some(Plot::new(
        "plot-candidate-ram".to_owned(),
        heading,
        caption,
        PlotSpec::Rows(spec),
    ))
}

/// Why there is no point, stated once where all columns of the data sheet say the same.
fn label(missing: &[(Timing, String)]) -> Option<String> {
    let (_, first) = missing.first()?;
    if missing.len() > 1 && missing.iter().all(|(_, told)| told == first) {
        return Some(first.clone());
    }
    let words = missing
        .iter()
        .map(|(timing, told)| format!("{timing}: {told}"));
    Some(words.collect::<Vec<_>>().join(", "))
}
