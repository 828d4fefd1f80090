//! From text to quantity, exactly: decimal digits are never routed through a float.

use std::ops::Range;

use super::unit::{Dimension, Unit};

/// What is wrong with a text that should be a quantity, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError {
    /// The text as it was given.
    pub text: String,
    /// The bytes of `text` that are at fault.
    pub span: Range<usize>,
    /// What is wrong there.
    pub kind: QuantityErrorKind,
    /// What the text should have been.
    pub expected: &'static Dimension,
}

/// What can be wrong with the text of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityErrorKind {
    /// There is nothing, or only white space.
    Empty,
    /// The text does not begin with a plain decimal number.
    NotANumber,
    /// A quantity below zero.
    Negative,
    /// A number that no unit follows.
    MissingUnit,
    /// A unit that this dimension does not have.
    UnknownUnit,
    /// The value is no whole number of base units, where only whole numbers exist.
    NotWhole,
    /// The value does not fit the type that holds it.
    TooLarge,
}

impl std::fmt::Display for QuantityError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dimension = self.expected;
        let units = dimension
            .units
            .iter()
            .map(|unit| unit.symbol)
            .collect::<Vec<_>>()
            .join(", ");
        let base = dimension.units[0].symbol;
        let fault = &self.text[self.span.clone()];
        let fault = &shortened(fault);
        write!(f, "{:?} is not {}: ", shortened(&self.text), dimension.name)?;
        match self.kind {
            QuantityErrorKind::Empty => write!(f, "it is empty")?,
            QuantityErrorKind::NotANumber => write!(f, "{fault:?} is not a decimal number")?,
            QuantityErrorKind::Negative => write!(f, "it is below zero")?,
            QuantityErrorKind::MissingUnit => write!(f, "a number needs a unit")?,
            QuantityErrorKind::UnknownUnit => write!(f, "unknown unit {fault:?}")?,
            QuantityErrorKind::NotWhole => write!(f, "{fault} is no whole number of {base}")?,
            QuantityErrorKind::TooLarge => write!(f, "{fault} is too large")?,
        }
        write!(f, "; write {:?}, in one of {units}", dimension.example)
    }
}

/// A text as a message quotes it: a long one by its first and last characters, with how many there are.
fn shortened(text: &str) -> std::borrow::Cow<'_, str> {
    const MOST: usize = 40;
    const ENDS: usize = 12;
    let count = text.chars().count();
    if count <= MOST {
        return text.into();
    }
    let first: String = text.chars().take(ENDS).collect();
    let last: String = text.chars().skip(count - ENDS).collect();
    format!("{first}…{last} ({count} characters)").into()
}

impl std::error::Error for QuantityError {}

/// A decimal number, `mantissa · 10^exponent`, its unit, and where both stood.
struct Parts<'a> {
    mantissa: u128,
    exponent: i32,
    unit: &'static Unit,
    number: Range<usize>,
    text: &'a str,
    dimension: &'static Dimension,
}

/// Parses an exact quantity into a whole number of base units.
pub(super) fn parse_whole(text: &str, dimension: &'static Dimension) -> Result<u64, QuantityError> {
    let parts = split(text, dimension)?;
    let fail = |kind| parts.fail(kind);
    let too_large = || fail(QuantityErrorKind::TooLarge);
    let mut value = parts
        .mantissa
        .checked_mul(u128::from(parts.unit.scale))
        .ok_or_else(too_large)?;
    let exponent = parts.exponent.saturating_add(parts.unit.exponent);
    if value == 0 {
        return Ok(0);
    }
    for _ in 0..exponent.max(0) {
        value = value.checked_mul(10).ok_or_else(too_large)?;
    }
    for _ in exponent.min(0)..0 {
        if value % 10 != 0 {
            return Err(fail(QuantityErrorKind::NotWhole));
        }
        value /= 10;
    }
    u64::try_from(value).map_err(|_| too_large())
}

/// Parses a real quantity into base units, correctly rounded.
pub(super) fn parse_real(text: &str, dimension: &'static Dimension) -> Result<f64, QuantityError> {
    let parts = split(text, dimension)?;
    let too_large = || parts.fail(QuantityErrorKind::TooLarge);
    let scaled = parts
        .mantissa
        .checked_mul(u128::from(parts.unit.scale))
        .ok_or_else(too_large)?;
    let exponent = parts.exponent.saturating_add(parts.unit.exponent);
    let value: f64 = format!("{scaled}e{exponent}")
        .parse()
        .map_err(|_| too_large())?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(too_large())
    }
}

/// Parses a fraction, with its percent sign or as a plain number.
pub(super) fn parse_fraction(
    text: &str,
    dimension: &'static Dimension,
) -> Result<f64, QuantityError> {
    let body = text.trim();
    if body.is_empty() || number_length(body) < body.len() {
        return parse_real(text, dimension);
    }
    match body.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => parse_real(text, dimension),
    }
}

impl Parts<'_> {
    fn fail(&self, kind: QuantityErrorKind) -> QuantityError {
        QuantityError {
            text: self.text.to_owned(),
            span: self.number.clone(),
            kind,
            expected: self.dimension,
        }
    }
}

fn split<'a>(text: &'a str, dimension: &'static Dimension) -> Result<Parts<'a>, QuantityError> {
    let fail = |span: Range<usize>, kind| QuantityError {
        text: text.to_owned(),
        span,
        kind,
        expected: dimension,
    };
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len();
    if start >= end {
        return Err(fail(0..text.len(), QuantityErrorKind::Empty));
    }
    let body = &text[start..end];
    if body.starts_with('-') {
        return Err(fail(start..end, QuantityErrorKind::Negative));
    }
    let number_length = number_length(body);
    let number = start..start + number_length;
    let Some((mantissa, exponent)) = decimal(&body[..number_length]) else {
        let kind = if body.starts_with(|first: char| first.is_ascii_digit()) {
            QuantityErrorKind::TooLarge
        } else {
            QuantityErrorKind::NotANumber
        };
        let span = if number_length == 0 {
            start..end
        } else {
            number
        };
        return Err(fail(span, kind));
    };
    let symbol = body[number_length..].trim_start();
    if symbol.is_empty() {
        return Err(fail(start..end, QuantityErrorKind::MissingUnit));
    }
    let unit = dimension
        .units
        .iter()
        .find(|unit| unit.symbol == symbol)
        .ok_or_else(|| fail(end - symbol.len()..end, QuantityErrorKind::UnknownUnit))?;
    Ok(Parts {
        mantissa,
        exponent,
        unit,
        number,
        text,
        dimension,
    })
}

/// A text such as `1.5 ms` as its number and its unit, as they stand there; the unit may be empty. `None` where it does not
/// begin with a number.
#[must_use]
pub fn number_and_unit(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let (number, unit) = text.split_at(number_length(text));
    (!number.is_empty()).then(|| (number, unit.trim_start()))
}

/// Length in bytes of the longest number at the start of `body`: digits, one point, and an
/// exponent only when digits follow it.
fn number_length(body: &str) -> usize {
    let bytes = body.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut at = digits(0);
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    if at > 0 && matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let after = digits(at + 1 + sign);
        if after > at + 1 + sign {
            at = after;
        }
    }
    at
}

/// Mantissa and power of ten of a number such as `17.75` or `1e14`; `None` when it is malformed or
/// its digits overflow.
fn decimal(number: &str) -> Option<(u128, i32)> {
    let (digits, exponent) = match number.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || (digits.contains('.') && fraction.is_empty()) {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    // Zeros at the end go into the exponent, so that a long round number fits.
    let kept = digits.trim_end_matches('0');
    let zeros = i32::try_from(digits.len() - kept.len()).ok()?;
    let fraction = i32::try_from(fraction.len()).ok()?;
    let exponent = exponent.checked_add(zeros)?.checked_sub(fraction)?;
    let mantissa = if kept.is_empty() {
        0
    } else {
        kept.parse::<u128>().ok()?
    };
    Some((mantissa, exponent))
}
