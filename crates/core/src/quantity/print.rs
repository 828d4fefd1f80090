//! From quantity to text.

use super::unit::{Dimension, Unit};

/// The shortest exact text of a whole number of base units: binary units where they divide it,
/// else the largest decimal unit that leaves a value of at least 1.
pub(super) fn print_whole(value: u64, dimension: &Dimension) -> String {
    let binary = printed(dimension)
        .filter(|unit| unit.scale > 1 && value >= unit.scale && value.is_multiple_of(unit.scale))
        .max_by_key(|unit| unit.scale);
    if let Some(unit) = binary {
        return format!("{} {}", value / unit.scale, unit.symbol);
    }
    print_decimal(&value.to_string(), 0, dimension)
}

/// The shortest text that parses back to the same `f64`, in the largest unit that leaves a value
/// of at least 1.
pub(super) fn print_real(value: f64, dimension: &Dimension) -> String {
    let shortest = format!("{value:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent = exponent.parse::<i32>().unwrap_or(0) - fraction.len() as i32;
    print_decimal(&format!("{whole}{fraction}"), exponent, dimension)
}

/// As [`print_real`], but in the largest unit that divides the value without a rest, where one that
/// is no power of ten does: `10 y` rather than 315576000 s.
pub(super) fn print_multiple(value: f64, dimension: &Dimension) -> String {
    let whole = printed(dimension).filter(|unit| {
        let scale = unit.scale as f64;
        unit.scale > 1 && value >= scale && value % scale == 0.0
    });
    match whole.max_by_key(|unit| unit.scale) {
        Some(unit) => {
            let count = value / unit.scale as f64;
            format!("{count} {}", unit.symbol)
        }
        None => print_real(value, dimension),
    }
}

fn printed(dimension: &Dimension) -> impl Iterator<Item = &Unit> {
    dimension.units.iter().filter(|unit| unit.printed)
}

/// Prints `digits · 10^exponent` base units, moving the decimal point rather than dividing.
fn print_decimal(digits: &str, exponent: i32, dimension: &Dimension) -> String {
    let trimmed = digits.trim_end_matches('0');
    let exponent = exponent + (digits.len() - trimmed.len()) as i32;
    let magnitude = trimmed.len() as i32 + exponent;
    let smallest = printed(dimension).find(|unit| unit.scale == 1);
    let unit = printed(dimension)
        .filter(|unit| unit.scale == 1 && unit.exponent < magnitude)
        .max_by_key(|unit| unit.exponent)
        .or(smallest)
        .unwrap_or(&dimension.units[0]);
    if trimmed.is_empty() {
        let base = printed(dimension).find(|unit| unit.scale == 1 && unit.exponent == 0);
        return format!("0 {}", base.unwrap_or(unit).symbol);
    }
    format!(
        "{} {}",
        with_point(trimmed, exponent - unit.exponent),
        unit.symbol
    )
}

/// More zeros than these are counted by an exponent.
const ZEROS_MAX: i32 = 20;

/// Writes `digits · 10^exponent` as a plain decimal while that stays readable.
fn with_point(digits: &str, exponent: i32) -> String {
    let magnitude = exponent + digits.len() as i32 - 1;
    if exponent.max(-magnitude) > ZEROS_MAX {
        let (whole, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{whole}{point}{rest}e{magnitude}");
    }
    if exponent >= 0 {
        return format!("{digits}{}", "0".repeat(exponent as usize));
    }
    let fraction = exponent.unsigned_abs() as usize;
    if fraction < digits.len() {
        let (whole, rest) = digits.split_at(digits.len() - fraction);
        format!("{whole}.{rest}")
    } else {
        format!("0.{}{digits}", "0".repeat(fraction - digits.len()))
    }
}

/// A value in an SI base unit as people read it, to `digits` significant digits: `human(5.2e-5,
/// "s", 3)` is `52.0 us`. Prefixes are decimal, except that whole sizes in bytes print exactly
/// (`8 MiB`) and times beyond two minutes print in minutes, hours, days or
/// years.
#[must_use]
pub fn human(value: f64, unit: &str, digits: usize) -> String {
    const YEAR_S: f64 = 365.25 * 86_400.0;
    match unit {
        "1" => plain(value, digits),
        "B" if value.fract() == 0.0 && (0.0..9e15).contains(&value) => {
            super::ByteCount::from_bytes(value as u64).to_string()
        }
        "s" if value >= YEAR_S => format!("{} years", plain(value / YEAR_S, digits)),
        "s" if (120.0..7_200.0).contains(&value) => format!("{} min", plain(value / 60.0, digits)),
        "s" if (7_200.0..2.0 * 86_400.0).contains(&value) => {
            format!("{} h", plain(value / 3_600.0, digits))
        }
        "s" if value >= 2.0 * 86_400.0 => format!("{} days", plain(value / 86_400.0, digits)),
        "m^2" => format!("{} mm^2", plain(value * 1e6, digits)),
        "EUR" | "cycles" => format!("{} {unit}", plain(value, digits)),
        _ => prefixed(value, unit, digits),
    }
}

/// The same of an estimate, which is not exact however many bytes it is: `human_rounded(8388608.0, "B", 3)` is `8.39 MB`.
#[must_use]
pub fn human_rounded(value: f64, unit: &str, digits: usize) -> String {
    match unit {
        "B" => prefixed(value, unit, digits),
        _ => human(value, unit, digits),
    }
}

fn prefixed(value: f64, unit: &str, digits: usize) -> String {
    const PREFIXES: [(f64, &str); 9] = [
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "K"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "u"),
        (1e-9, "n"),
        (1e-12, "p"),
    ];
    if value == 0.0 || !value.is_finite() {
        return format!("{value} {unit}");
    }
    let rounded = round_significant(value.abs(), digits);
    // Half a byte a second is no 500 mB/s.
    let whole = unit.starts_with('B') || unit == "1/s";
    let (scale, prefix) = PREFIXES
        .iter()
        .filter(|(scale, _)| !whole || *scale >= 1.0)
        .find(|(scale, _)| rounded >= *scale)
        .unwrap_or(if whole {
            &(1.0, "")
        } else {
            &PREFIXES[PREFIXES.len() - 1]
        });
    let prefix = if *prefix == "K" && !unit.starts_with('B') {
        "k"
    } else {
        prefix
    };
    let text = plain(value / scale, digits);
    if unit == "1/s" {
        // A count per second: "56.0 k/s" reads better than "56.0 k1/s".
        format!("{text} {prefix}/s")
    } else {
        format!("{text} {prefix}{unit}")
    }
}

fn round_significant(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1))
        .parse()
        .unwrap_or(value)
}

/// `value` to `digits` significant digits, as a plain decimal while that stays readable.
fn plain(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let rounded = round_significant(value, digits);
    let magnitude = rounded.abs().log10().floor() as i32;
    if !(-4..=6).contains(&magnitude) {
        return format!("{rounded:.*e}", digits.saturating_sub(1));
    }
    let decimals = (digits as i32 - 1 - magnitude).max(0) as usize;
    format!("{rounded:.decimals$}")
}
