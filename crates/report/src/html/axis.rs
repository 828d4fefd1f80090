//! Scales, ticks and labels of the plots' axes.

use serde_json::{Value, json};

/// The channel for values of a unit that shows all of them; a logarithmic one has no place for zero
/// and less.
pub(crate) fn scaled(
    field: &str,
    unit: &str,
    title: &str,
    values: &[f64],
    logarithmic: bool,
) -> Value {
    let mut settings = json!({"labelExpr": label(unit), "labelOverlap": true, "tickCount": 6});
    let mut scale = json!({"zero": true, "nice": true});
    let (low, high) = range(values);
    if logarithmic {
        let ticks = if unit == "B" {
            powers_of_two(low, high)
        } else {
            ticks(low, high)
        };
        scale = json!({"type": "log", "domain": [ticks[0], ticks[ticks.len() - 1]]});
        settings["values"] = json!(ticks);
    } else if unit == "B" {
        let ticks = binary_steps(high);
        scale = json!({"domain": [0.0, ticks[ticks.len() - 1]]});
        settings["values"] = json!(ticks);
    }
    json!({
        "field": field, "type": "quantitative", "title": title, "scale": scale, "axis": settings,
    })
}

/// Powers of two around a positive range, few enough to be read. There are always two at least.
fn powers_of_two(low: f64, high: f64) -> Vec<f64> {
    const MOST: i32 = 10;
    let first = low.log2().floor() as i32;
    let last = (high.log2().ceil() as i32).max(first + 1);
    let step = (last - first + MOST - 1) / MOST;
    let count = (last - first + step - 1) / step;
    (0..=count)
        .map(|index| 2_f64.powi(first + index * step))
        .collect()
}

/// Multiples of a power of two from zero to above a value.
fn binary_steps(high: f64) -> Vec<f64> {
    let step = 2_f64.powi((high.max(1.0) / 4.0).log2().ceil() as i32);
    let count = (high / step).ceil().max(1.0) as u32;
    (0..=count).map(|index| f64::from(index) * step).collect()
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
pub(crate) fn label(unit: &str) -> String {
    let steps: Vec<(f64, String)> = match unit {
        "1" => return "format(datum.value, '~g')".to_owned(),
        "accesses" => return "format(datum.value, ',~r')".to_owned(),
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
        if unit == "ks" {
            // Nobody counts time in them.
            return format!(
                "abs(datum.value) >= {from:e} ? format(datum.value, ',~r') + ' s' : {rest}"
            );
        }
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
    fn sizes_have_binary_ticks() {
        assert_eq!(
            powers_of_two(3000.0, 9000.0),
            [2048.0, 4096.0, 8192.0, 16384.0]
        );
        assert_eq!(powers_of_two(4096.0, 4096.0), [4096.0, 8192.0]);
        assert!(powers_of_two(1.0, 1e300).len() <= 11);
        assert_eq!(binary_steps(10_000.0), [0.0, 4096.0, 8192.0, 12288.0]);
        assert_eq!(binary_steps(0.0), [0.0, 0.25]);
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
        assert!(label("s").contains("format(datum.value, ',~r') + ' s' : "));
        assert!(!label("s").contains("' ks'"));
        assert_eq!(label("1"), "format(datum.value, '~g')");
    }
}
