//! Scales, ticks and labels of the plots' axes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::text;

/// Sizes double from point to point; other axes are drawn as they are.
pub(super) fn is_logarithmic(axis: &str) -> bool {
    matches!(text::axis_unit(axis), Some((_, "B")))
}

/// The channel for the axis that the curves are drawn along.
pub(super) fn along(axis: &str, title: &str, places: &[f64]) -> Value {
    let unit = text::axis_unit(axis).map_or("1", |(_, unit)| unit);
    let mut settings = json!({"labelExpr": label(unit), "labelOverlap": true});
    let mut scale = json!({"zero": false, "nice": true});
    if is_logarithmic(axis) {
        let (low, high) = range(places);
        // A little room on both sides, so that a single size has a scale too.
        scale = json!({"type": "log", "base": 2, "domain": [low / 1.25, high * 1.25]});
        let sizes: BTreeSet<u64> = places.iter().map(|place| *place as u64).collect();
        // Ticks stand at the sizes that were run, for as long as they can be told apart.
        if sizes.len() <= 12 {
            settings["values"] = json!(sizes);
        }
    }
    json!({
        "field": "x", "type": "quantitative", "title": title, "scale": scale, "axis": settings,
    })
}

/// The channel for a metric's values.
pub(super) fn values(unit: &str, title: &str, values: &[f64], logarithmic: bool) -> Value {
    let mut settings = json!({"labelExpr": label(unit), "labelOverlap": true, "tickCount": 6});
    let mut scale = json!({"zero": true, "nice": true});
    if logarithmic {
        let (low, high) = range(values);
        let ticks = ticks(low, high);
        scale = json!({"type": "log", "domain": [ticks[0], ticks[ticks.len() - 1]]});
        settings["values"] = json!(ticks);
    }
    json!({
        "field": "y", "type": "quantitative", "title": title, "scale": scale, "axis": settings,
    })
}

fn range(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}

/// Round values around a positive range: 1, 2 and 5 times powers of ten, or over many decades the
/// powers alone. There are always two at least.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let steps: &[u32] = if high / low > 1e3 { &[1] } else { &[1, 2, 5] };
    let first = low.log10().floor() as i32;
    let last = high.log10().ceil() as i32 + 1;
    let candidates: Vec<f64> = (first..=last)
        .flat_map(|power| steps.iter().map(move |step| (power, step)))
        // Parsing rounds once, so that a tick is the very number that it prints as.
        .filter_map(|(power, step)| format!("{step}e{power}").parse().ok())
        .collect();
    let from = candidates.iter().rposition(|tick| *tick <= low);
    let to = candidates.iter().position(|tick| *tick >= high);
    let from = from.unwrap_or(0);
    let to = to.unwrap_or(candidates.len() - 1).max(from + 1);
    candidates[from..=to].to_vec()
}

/// An expression that labels a value with its unit and a prefix, as the tables do.
pub(super) fn label(unit: &str) -> String {
    let steps: Vec<(f64, String)> = match unit {
        "1" => return "format(datum.value, '~g')".to_owned(),
        "B" => [(30, "GiB"), (20, "MiB"), (10, "KiB")]
            .map(|(power, unit)| (2f64.powi(power), unit.to_owned()))
            .into(),
        "1/s" => prefixed("/s"),
        "cycles" | "EUR" => return format!("format(datum.value, ',~r') + ' {unit}'"),
        _ => prefixed(unit),
    };
    let last = if unit == "1/s" { "/s" } else { unit };
    let tail = format!("format(datum.value, '.6~g') + ' {last}'");
    let choice = |rest: String, (scale, unit): &(f64, String)| {
        // A tick may lie a rounding below its prefix.
        let from = scale * (1.0 - 1e-9);
        format!(
            "abs(datum.value) >= {from:e} ? format(datum.value / {scale:e}, '.6~g') + ' {unit}' : \
             {rest}"
        )
    };
    steps.iter().rev().fold(tail, choice)
}

/// Decimal prefixes, largest first; values below the last print without one only when zero.
fn prefixed(unit: &str) -> Vec<(f64, String)> {
    let kilo = if unit.starts_with('B') { "K" } else { "k" };
    [
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, kilo),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "u"),
        (1e-9, "n"),
        (1e-12, "p"),
    ]
    .map(|(scale, prefix)| (scale, format!("{prefix}{unit}")))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_enclose_the_values() {
        assert_eq!(ticks(52e-6, 564e-6), [5e-5, 1e-4, 2e-4, 5e-4, 1e-3]);
        assert_eq!(ticks(3e-6, 0.2), [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0]);
        assert_eq!(ticks(1.0, 1.0), [1.0, 2.0]);
        assert_eq!(ticks(7.0, 7.0), [5.0, 10.0]);
    }

    #[test]
    fn labels_choose_a_prefix() {
        let bytes = label("B");
        assert!(
            bytes.starts_with("abs(datum.value) >= 1.07374182"),
            "{bytes}"
        );
        assert!(
            bytes.contains("+ ' KiB' : format(datum.value, '.6~g') + ' B'"),
            "{bytes}"
        );
        assert!(label("B/s").contains("' KB/s'"));
        assert!(label("s").contains("' us'"));
        assert_eq!(label("1"), "format(datum.value, '~g')");
    }
}
