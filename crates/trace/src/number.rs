//! Numbers out of bytes: eight digits at a time for logs of millions of lines, and decimals without a float.

const POWERS: [u64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// Units of time with their power of ten in picoseconds, as logs spell them.
pub(crate) const TIMES: &[(&str, i32)] = &[
    ("ps", 0),
    ("ns", 3),
    ("nsec", 3),
    ("us", 6),
    ("usec", 6),
    ("ms", 9),
    ("msec", 9),
    ("s", 12),
    ("sec", 12),
];

/// The power of ten in picoseconds of a unit of time.
pub(crate) fn power_of_time(unit: &str) -> Option<i32> {
    let found = TIMES.iter().find(|(name, _)| *name == unit);
    found.map(|(_, power)| *power)
}

/// The decimal number at the start of `text`, and its number of digits. None where there is no digit, where
/// it has 16 digits or more, or where fewer than 16 bytes are left to look at: a careful reader has to look.
#[inline]
pub(crate) fn leading_number(text: &[u8]) -> Option<(u64, usize)> {
    let (high, digits) = up_to_eight(text.first_chunk()?);
    match digits {
        0 => None,
        1..8 => Some((high, digits)),
        _ => {
            let (low, more) = up_to_eight(text.get(8..)?.first_chunk()?);
            (more < 8).then(|| (high * POWERS[more] + low, 8 + more))
        }
    }
}

/// The number that the leading digits make, and how many there are. All eight bytes are looked at in one
/// register: neighbours are joined to two-digit numbers, those to four, and those to the number.
#[inline]
fn up_to_eight(bytes: &[u8; 8]) -> (u64, usize) {
    let word = u64::from_le_bytes(*bytes) ^ 0x3030_3030_3030_3030;
    // The top bit of a byte is set where it is no digit. Carries run upwards only, behind the first of them.
    let others = (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080;
    let digits = (others.trailing_zeros() / 8) as usize;
    if digits == 0 {
        return (0, 0);
    }
    // The first digit is the lowest byte: shifted up, zeros stand in front of it.
    let word = word << (64 - 8 * digits);
    let pairs = word.wrapping_mul(10).wrapping_add(word >> 8);
    let high = (pairs & 0x0000_00FF_0000_00FF).wrapping_mul(100 + (1_000_000 << 32));
    let low = (pairs >> 16 & 0x0000_00FF_0000_00FF).wrapping_mul(1 + (10_000 << 32));
    (high.wrapping_add(low) >> 32, digits)
}

/// Why a text is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberFault {
    /// There is nothing.
    Empty,
    /// It begins with a minus.
    Negative,
    /// It does not fit what holds it.
    TooLarge,
    /// It is something else.
    NotANumber,
    /// A number whose unit nothing states.
    NoUnit,
    /// A unit that its kind does not have.
    UnknownUnit,
}

impl NumberFault {
    /// In words that follow "column 2 (value) is "…": ".
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Empty => "there is nothing",
            Self::Negative => "it is below zero",
            Self::TooLarge => "it is too large",
            Self::NotANumber => "it is no number",
            Self::NoUnit => "it has no unit, as others have; add --unit COLUMN=UNIT",
            Self::UnknownUnit => "its unit is unknown; allowed are ps, ns, us, ms, s",
        }
    }
}

/// A whole decimal number that is the whole text.
pub(crate) fn whole(text: &[u8]) -> Result<u64, NumberFault> {
    match text {
        [] => Err(NumberFault::Empty),
        [b'-', ..] => Err(NumberFault::Negative),
        _ => text.iter().try_fold(0u64, |value, byte| {
            if !byte.is_ascii_digit() {
                return Err(NumberFault::NotANumber);
            }
            value
                .checked_mul(10)
                .and_then(|value| value.checked_add(u64::from(byte - b'0')))
                .ok_or(NumberFault::TooLarge)
        }),
    }
}

/// A whole number, decimal or hexadecimal behind `0x`.
pub(crate) fn whole_or_hex(text: &[u8]) -> Result<u64, NumberFault> {
    let Some(digits) = text
        .strip_prefix(b"0x")
        .or_else(|| text.strip_prefix(b"0X"))
    else {
        return whole(text);
    };
    if digits.is_empty() {
        return Err(NumberFault::NotANumber);
    }
    digits.iter().try_fold(0u64, |value, byte| {
        let digit = char::from(*byte)
            .to_digit(16)
            .ok_or(NumberFault::NotANumber)?;
        if value >> 60 != 0 {
            return Err(NumberFault::TooLarge);
        }
        Ok(value << 4 | u64::from(digit))
    })
}

/// A decimal number times `10^scale`, rounded to the nearest whole number: exact wherever the digits say no
/// more than that. `12.5`, `12,5` where `comma` allows it, `1.25e-3`.
pub(crate) fn scaled(text: &[u8], scale: i32, comma: bool) -> Result<u128, NumberFault> {
    let is_point = |byte: &u8| *byte == b'.' || comma && *byte == b',';
    let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&text[..at], exponent(&text[at + 1..])?),
        None => (text, 0),
    };
    match mantissa {
        [] => return Err(NumberFault::Empty),
        [b'-', ..] => return Err(NumberFault::Negative),
        _ => {}
    }
    let mantissa = mantissa.strip_prefix(b"+").unwrap_or(mantissa);
    let point = mantissa.iter().position(is_point);
    let (before, behind) = match point {
        Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
        None => (mantissa, &[][..]),
    };
    let digits = || before.iter().chain(behind);
    if digits().next().is_none() || digits().any(|byte| !byte.is_ascii_digit()) {
        return Err(NumberFault::NotANumber);
    }
    // Digits that count whole units stand in front of `units`; the one behind decides the rounding.
    let units = i64::try_from(before.len()).map_err(|_| NumberFault::TooLarge)?
        + i64::from(exponent)
        + i64::from(scale);
    let mut value = 0u128;
    let push = |value: u128, digit: u8| {
        value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u128::from(digit)))
            .ok_or(NumberFault::TooLarge)
    };
    let mut place = 0;
    for byte in digits() {
        if place < units {
            value = push(value, byte - b'0')?;
        } else if place == units && *byte >= b'5' {
            value += 1;
        }
        place += 1;
    }
    while place < units && value != 0 {
        value = push(value, 0)?;
        place += 1;
    }
    Ok(value)
}

fn exponent(text: &[u8]) -> Result<i32, NumberFault> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        _ => (false, text),
    };
    let value = whole(digits).map_err(|_| NumberFault::NotANumber)?;
    let value = i32::try_from(value.min(10_000)).unwrap_or(10_000);
    Ok(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_are_exact_to_the_last_digit() {
        let us = |text: &str| scaled(text.as_bytes(), 6, false);
        assert_eq!(us("12.345678"), Ok(12_345_678));
        assert_eq!(us("0.1"), Ok(100_000));
        assert_eq!(us("9007199254.740993"), Ok(9_007_199_254_740_993));
        assert_eq!(us("1.25e-3"), Ok(1_250));
        assert_eq!(us("1e3"), Ok(1_000_000_000));
        assert_eq!(us("+.5"), Ok(500_000));
        assert_eq!(us("5."), Ok(5_000_000));
        assert_eq!(us("0.0000004"), Ok(0));
        assert_eq!(us("0.0000005"), Ok(1));
        assert_eq!(us("0e999999"), Ok(0));
        assert_eq!(scaled(b"12,5", 3, true), Ok(12_500));
    }

    #[test]
    fn what_is_no_decimal_is_refused() {
        for (text, fault) in [
            ("", NumberFault::Empty),
            ("-1", NumberFault::Negative),
            (".", NumberFault::NotANumber),
            ("1.2.3", NumberFault::NotANumber),
            ("12,5", NumberFault::NotANumber),
            ("1e", NumberFault::NotANumber),
            ("nan", NumberFault::NotANumber),
            ("1e40", NumberFault::TooLarge),
        ] {
            assert_eq!(scaled(text.as_bytes(), 0, false), Err(fault), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn eight_digits_at_a_time_agree_with_one(
            value in prop_oneof![any::<u64>(), 0u64..1_000_000, 0u64..1_000_000_000_000],
            tail in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let digits = value.to_string();
            let text = [digits.as_bytes(), b",", &tail].concat();
            if let Some((read, length)) = leading_number(&text) {
                prop_assert_eq!((read, length), (value, digits.len()));
            } else {
                prop_assert!(digits.len() >= 16 || text.len() < 16);
            }
        }

        #[test]
        fn bytes_that_are_no_digits_end_the_number(
            bytes in proptest::collection::vec(any::<u8>(), 16..32),
        ) {
            let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match leading_number(&bytes) {
                Some((value, length)) => {
                    prop_assert_eq!(length, digits);
                    prop_assert_eq!(Ok(value), whole(&bytes[..digits]));
                }
                None => prop_assert!(digits == 0 || digits >= 16),
            }
        }

        #[test]
        fn hexadecimal_comes_back(value in any::<u64>()) {
            prop_assert_eq!(whole_or_hex(format!("{value:#06x}").as_bytes()), Ok(value));
        }
    }
}
