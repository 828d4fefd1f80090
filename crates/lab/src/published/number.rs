//! A printed value as a number in its SI unit.

use wordline_core::quantity::{
    ByteCount, Current, Cycles, DataRate, EnergyPerByte, Frequency, Money, Power, Quantity, Time,
    Voltage,
};

/// Reads a text of one dimension.
type Parse = fn(&str) -> Option<f64>;

/// The number and SI unit of a text: a quantity of any dimension that documents print, or a pure
/// number.
pub(crate) fn any(text: &str) -> Option<(f64, &'static str)> {
    const DIMENSIONS: [(Parse, &str); 11] = [
        (pure, "1"),
        (quantity::<Time>, "s"),
        (quantity::<ByteCount>, "B"),
        (quantity::<DataRate>, "B/s"),
        (quantity::<EnergyPerByte>, "J/B"),
        (quantity::<Cycles>, "cycles"),
        (quantity::<Frequency>, "Hz"),
        (quantity::<Current>, "A"),
        (quantity::<Power>, "W"),
        (quantity::<Money>, "EUR"),
        (quantity::<Voltage>, "V"),
    ];
    let text = text.trim();
    let found = DIMENSIONS
        .iter()
        .find_map(|(parse, unit)| parse(text).map(|value| (value, *unit)));
    found.filter(|(value, _)| *value >= 0.0)
}

/// Both ends of a range, as in `1.38 to 1.41`.
pub(crate) fn range(text: &str) -> Option<[(f64, &'static str); 2]> {
    let (low, high) = text.split_once(" to ")?;
    Some([any(low)?, any(high)?])
}

fn pure(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn quantity<Q: Quantity>(text: &str) -> Option<f64> {
    text.parse::<Q>().ok().map(Quantity::si)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_numbers_with_their_units() {
        assert_eq!(any("52 us"), Some((52e-6, "s")));
        assert_eq!(any("128 Gibit"), Some((f64::from(1 << 30) * 16.0, "B")));
        assert_eq!(any("0.7 nJ/B").map(|(_, unit)| unit), Some("J/B"));
        assert_eq!(any("1e14 cycles"), Some((1e14, "cycles")));
        assert_eq!(any("5"), Some((5.0, "1")));
        for text in ["", "Inf", "-5", "NaN", "five", "3 parsecs"] {
            assert_eq!(any(text), None, "{text:?}");
        }
        assert_eq!(range("1.38 to 1.41"), Some([(1.38, "1"), (1.41, "1")]));
        for text in ["1.38", "up to 0.40 to 0.43", "1 to many"] {
            assert_eq!(range(text), None, "{text:?}");
        }
    }
}
