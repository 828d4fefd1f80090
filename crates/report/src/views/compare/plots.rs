//! The plots of `wordline compare`: how far inside its limits each candidate is, and the RAM that it
//! needs.

use serde_json::{Value, json};
use wordline_core::results::Verdict;
use wordline_core::{Metric, Timing};

use super::{Limit, RankedCandidate, margin};
use crate::html::axis;
use crate::html::plot::{Plot, channel};
use crate::pivot::Pivot;
use crate::text;

/// More candidates than this do not fit a plot; the tables hold the others.
const CANDIDATES: usize = 40;

/// Pixels between two candidates.
const STEP: usize = 44;

const PASS: &str = "#0072B2";
const FAIL: &str = "#D55E00";

pub(crate) fn plots(pivot: &Pivot<'_>) -> Vec<Plot> {
    let mut candidates = RankedCandidate::all_of(pivot);
    let all = candidates.len();
    candidates.truncate(CANDIDATES);
    let names = names(&candidates);
    let more = if all > CANDIDATES {
        format!(" The first {CANDIDATES} of {all} candidates.")
    } else {
        String::new()
    };
    [
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

/// The channel of the candidates, best on top.
fn rows(names: &[String]) -> Value {
    json!({
        "field": "candidate", "type": "nominal", "title": null, "sort": names,
        "scale": {"domain": names}, "axis": {"labelLimit": 260, "grid": false, "tickSize": 0},
    })
}

/// The channel that sets the columns of the data sheet side by side.
fn offset() -> Value {
    let domain: Vec<_> = Timing::ALL.iter().map(|timing| timing.name()).collect();
    json!({"field": "timing", "type": "nominal", "sort": domain})
}

/// Bars to the right pass, bars to the left fail; a margin beyond the scale is cut and marked.
fn margins(candidates: &[RankedCandidate<'_, '_>], names: &[String], more: &str) -> Option<Plot> {
    let mut bars = Vec::new();
    for (candidate, name) in candidates.iter().zip(names) {
        let verdicts = candidate.timings.iter();
        let verdicts = verdicts.filter_map(|timing| candidate.verdict(*timing));
        bars.extend(verdicts.map(|verdict| bar(candidate, name, verdict)));
    }
    if bars.is_empty() {
        return None;
    }
    let results = ["pass".to_owned(), "fail".to_owned()];
    let x = json!({
        "field": "x", "type": "quantitative", "title": "margin",
        "scale": {"domain": [-1.0, 1.0]},
        "axis": {"format": "+.0%", "values": [-1.0, -0.5, 0.0, 0.5, 1.0]},
    });
    let spec = json!({
        "height": {"step": STEP / 2},
        "data": {"values": bars},
        "encoding": {"y": rows(names), "yOffset": offset(), "x": x},
        "layer": [
            {
                "mark": {"type": "bar", "tooltip": true},
                "encoding": {
                    "color": channel(&results, &results, json!([PASS, FAIL])),
                    "tooltip": [
                        {"field": "candidate", "type": "nominal"},
                        {"field": "timing", "type": "nominal"},
                        {"field": "series", "type": "nominal", "title": "verdict"},
                        {"field": "label", "type": "nominal", "title": "decided by"},
                    ],
                },
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 12, "color": "#222", "limit": 190},
                "encoding": {
                    "x": {"field": "place", "type": "quantitative"},
                    "text": {"field": "label", "type": "nominal"},
                },
            },
            {"data": {"values": [{"zero": 0}]}, "mark": {"type": "rule", "color": "#222"},
             "encoding": {"x": {"field": "zero", "type": "quantitative"}, "y": null, "yOffset": null}},
        ],
    });
    let caption = format!(
        "How far each candidate is inside the limit that decides: to the right it passes, to the left \
         it fails. Longer bars are cut at 100 %.{more}"
    );
    let heading = "Margin to the deciding limit".to_owned();
    Some(Plot::new("plot-margin".to_owned(), heading, caption, spec))
}

fn bar(candidate: &RankedCandidate<'_, '_>, name: &str, verdict: &Verdict) -> Value {
    // Without a value there is no bar, only the words.
    let x = verdict.margin.unwrap_or(0.0).clamp(-1.0, 1.0);
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
    json!({
        "candidate": name, "timing": verdict.timing.name(), "series": result, "x": x,
        // The words stand on the side that the bar leaves free.
        "place": if x > 0.0 { -0.98 } else { 0.0 },
        "label": words,
    })
}

/// The RAM of each candidate on a logarithmic axis, with what is allowed as a rule.
fn ram(candidates: &[RankedCandidate<'_, '_>], names: &[String], more: &str) -> Option<Plot> {
    let mut points = Vec::new();
    let mut words = Vec::new();
    let mut values = Vec::new();
    let shapes: Vec<_> = Timing::ALL
        .iter()
        .map(|one| one.name().to_owned())
        .collect();
    let mut drawn: Vec<String> = Vec::new();
    for (candidate, name) in candidates.iter().zip(names) {
        let mut missing: Vec<(Timing, String)> = Vec::new();
        for timing in &candidate.timings {
            let Some(told) = candidate.told(*timing, Metric::RamProvision) else {
                continue;
            };
            match candidate.number(*timing, Metric::RamProvision) {
                Some(bytes) if bytes > 0.0 => {
                    values.push(bytes);
                    if !drawn.iter().any(|one| one == timing.name()) {
                        drawn.push(timing.name().to_owned());
                    }
                    // Where two coincide, both show.
                    let size = if *timing == Timing::Typ { 240 } else { 60 };
                    points.push(json!({
                        "candidate": name, "series": timing.name(), "x": bytes, "label": told,
                        "size": size,
                    }));
                }
                _ => missing.push((*timing, told)),
            }
        }
        words.extend(label(&missing).map(|label| (name, label)));
    }
    let verdicts = candidates.iter().flat_map(|one| &one.verdicts);
    let of_ram =
        verdicts.filter(|verdict| verdict.metric == Metric::RamProvision && verdict.allowed > 0.0);
    let allowed = of_ram.map(|verdict| verdict.allowed).next();
    if values.is_empty() {
        return None;
    }
    values.extend(allowed);
    let mut x = axis::scaled("x", "B", "RAM", &values, true);
    x["axis"]["grid"] = true.into();
    drawn.sort_by_key(|name| shapes.iter().position(|other| other == name));
    // Room on the left, so that no point lies on the axis, nor on the words for what has none.
    let end = |index: usize| x["scale"]["domain"][index].as_f64().unwrap_or(1.0);
    let room = if words.is_empty() {
        1.5
    } else {
        (end(1) / end(0)).powf(0.4).max(1.5)
    };
    let least = end(0) / room;
    x["scale"]["domain"][0] = least.into();
    let words: Vec<_> = words
        .into_iter()
        .map(|(name, label)| json!({"candidate": name, "x": least, "label": label}))
        .collect();
    let tooltip = json!([
        {"field": "candidate", "type": "nominal"},
        {"field": "series", "type": "nominal", "title": "timing"},
        {"field": "label", "type": "nominal", "title": "RAM"},
    ]);
    let mut layers = vec![
        json!({
            "mark": {"type": "line", "color": "#999", "strokeWidth": 2},
            "encoding": {"detail": {"field": "candidate", "type": "nominal"}},
        }),
        json!({
            "mark": {"type": "point", "filled": true, "opacity": 1},
            "encoding": {
                "color": channel(&shapes, &drawn, json!([PASS, FAIL, "#009E73"])),
                "shape": channel(&shapes, &drawn, json!(["circle", "square", "diamond"])),
                "size": {"field": "size", "type": "quantitative", "scale": null, "legend": null},
                "tooltip": tooltip,
            },
        }),
        json!({
            "data": {"values": words},
            "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 12, "color": "#222"},
            "encoding": {"text": {"field": "label", "type": "nominal"}},
        }),
    ];
    if let Some(allowed) = allowed {
        let label = format!("allowed: {}", text::ram(allowed, text::DIGITS));
        // Beside the rule where there is room.
        let most = x["scale"]["domain"][1].as_f64().unwrap_or(allowed);
        let (align, dx) = if allowed > (least * most).sqrt() {
            ("right", -5)
        } else {
            ("left", 5)
        };
        let data = json!({"values": [{"x": allowed, "label": label}]});
        layers.push(json!({
            "data": data, "mark": {"type": "rule", "color": "#000", "strokeDash": [7, 4]},
            "encoding": {"y": null},
        }));
        layers.push(json!({
            "data": data,
            "mark": {"type": "text", "align": align, "dx": dx, "y": -6, "fontSize": 12},
            "encoding": {"y": null, "text": {"field": "label", "type": "nominal"}},
        }));
    }
    let spec = json!({
        "height": {"step": STEP},
        "data": {"values": points},
        "encoding": {"y": rows(names), "x": x},
        "layer": layers,
    });
    let caption = format!(
        "RAM to provision: the record being gathered, those that wait, and the one being written, on a logarithmic axis; left \
         is better.{more}"
    );
    let heading = "RAM of each candidate".to_owned();
    Some(Plot::new(
        "plot-candidate-ram".to_owned(),
        heading,
        caption,
        spec,
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
