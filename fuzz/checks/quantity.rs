//! Whatever text is given, a quantity is read or refused with its place, and what is read prints
//! as text that reads back equal.

use wordline_core::quantity::{
    ByteCount, Current, Cycles, DataRate, Energy, EnergyPerByte, Frequency, Money, Power, Quantity,
    Time, Voltage, human,
};
use wordline_nvm::bus::serial::LineMode;

/// Panics when a promise is broken.
pub(crate) fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    returns::<Time>(text, "s");
    returns::<ByteCount>(text, "B");
    returns::<Frequency>(text, "Hz");
    returns::<Cycles>(text, "cycles");
    returns::<DataRate>(text, "B/s");
    returns::<Current>(text, "A");
    returns::<Voltage>(text, "V");
    returns::<Power>(text, "W");
    returns::<Energy>(text, "J");
    returns::<EnergyPerByte>(text, "J/B");
    returns::<Money>(text, "EUR");
    mode(text);
}

fn returns<Q: Quantity + PartialEq + std::fmt::Debug>(text: &str, unit: &str) {
    match text.parse::<Q>() {
        Ok(quantity) => {
            assert!(
                quantity.si().is_finite() && quantity.si() >= 0.0,
                "{text:?}"
            );
            let printed = quantity.to_string();
            assert_eq!(
                printed.parse::<Q>(),
                Ok(quantity),
                "{text:?} printed as {printed:?}"
            );
            for digits in 1..=6 {
                let words = human(quantity.si(), unit, digits);
                assert!(
                    !words.is_empty() && words.len() < 40,
                    "{text:?} reads {words:?}"
                );
            }
        }
        Err(error) => {
            assert_eq!(error.text, text);
            assert!(text.get(error.span.clone()).is_some(), "{:?}", error.span);
            assert!(error.to_string().contains(Q::DIMENSION.example), "{error}");
        }
    }
}

fn mode(text: &str) {
    match text.parse::<LineMode>() {
        Ok(mode) => assert_eq!(mode.to_string(), text),
        Err(error) => assert!(error.to_string().contains("1S-4S-4S"), "{error}"),
    }
}
