//! Exact rates and exact amounts of bytes: fractions of integers, always in lowest terms.

use std::cmp::Ordering;
use std::fmt;

use wordline_core::quantity::{ByteCount, DataRate, Quantity, Time};

use super::BacklogError;

const PS_PER_S: u128 = 1_000_000_000_000;

/// An input rate as an exact fraction: bytes in a number of picoseconds, in lowest terms.
///
/// A rate in bytes per second that comes as `f64` is taken at its exact binary value, so that
/// 4 096 000 B/s, records of 4 KiB and accesses of 1 ms meet in exact equality.
///
/// ```
/// use wordline_core::quantity::{ByteCount, DataRate, Quantity, Time};
/// use wordline_lab::backlog::Rate;
/// let rate = Rate::try_from("4096 KB/s".parse::<DataRate>()?)?;
/// assert_eq!(rate, Rate::new(ByteCount::from_bytes(4096), "1 ms".parse()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    bytes: u64,
    ps: u128,
}

impl Rate {
    /// `bytes` in every `per`.
    ///
    /// # Errors
    /// [`BacklogError::Rate`] when either is zero or `bytes` is 2⁶³ or more.
    pub fn new(bytes: ByteCount, per: Time) -> Result<Self, BacklogError> {
        let refused = || BacklogError::Rate(bytes.si() / per.si());
        if bytes == ByteCount::ZERO || bytes.bytes() >> 63 != 0 || per == Time::ZERO {
            return Err(refused());
        }
        Ok(Self::reduced(bytes.bytes(), per.ps().into()))
    }

    /// The exact value of a floating-point number of bytes per second.
    ///
    /// # Errors
    /// [`BacklogError::Rate`] unless the rate lies between 2⁻¹⁰ B/s (one byte in 17 minutes) and
    /// 2⁶³ B/s.
    pub fn from_bytes_per_second(rate: f64) -> Result<Self, BacklogError> {
        const LEAST: f64 = 1.0 / 1024.0;
        const MOST: f64 = (1u64 << 63) as f64;
        if !(LEAST..MOST).contains(&rate) {
            return Err(BacklogError::Rate(rate));
        }
        // A double is mantissa · 2^exponent; within the limits above the exponent is -62 to 10.
        let bits = rate.to_bits();
        let mantissa = (bits & ((1 << 52) - 1)) | 1 << 52;
        let exponent = (bits >> 52) as i32 - 1075;
        let trailing = mantissa.trailing_zeros() as i32;
        let (odd, power) = (mantissa >> trailing, exponent + trailing);
        Ok(if power >= 0 {
            Self::reduced(odd << power, PS_PER_S)
        } else {
            Self::reduced(odd, PS_PER_S << -power)
        })
    }

    pub(super) fn reduced(bytes: u64, ps: u128) -> Self {
        let divisor = gcd(bytes.into(), ps);
        Self {
            bytes: bytes / divisor as u64,
            ps: ps / divisor,
        }
    }

    /// The numerator of the fraction: bytes that come in [`Self::ps`] picoseconds.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.bytes
    }

    /// The denominator of the fraction: the picoseconds in which [`Self::bytes`] bytes come.
    #[must_use]
    pub const fn ps(self) -> u128 {
        self.ps
    }

    /// The rate in bytes per second, as near as `f64` comes. A rate that was made from an `f64` gives
    /// that very number back.
    #[must_use]
    pub fn bytes_per_second(self) -> f64 {
        let scaled = u128::from(self.bytes) * PS_PER_S;
        let (whole, rest) = (scaled / self.ps, scaled % self.ps);
        // In lowest terms the denominator of a double's fraction is a small power of two, exact as a double.
        let divisor = gcd(rest, self.ps);
        whole as f64 + (rest / divisor) as f64 / (self.ps / divisor) as f64
    }

    /// What comes in `ps` picoseconds, in whole bytes and the fraction that is left.
    pub(super) fn over(self, ps: u64) -> Amount {
        Amount::new(u128::from(self.bytes) * u128::from(ps), self.ps)
    }
}

impl TryFrom<DataRate> for Rate {
    type Error = BacklogError;
    fn try_from(rate: DataRate) -> Result<Self, BacklogError> {
        Self::from_bytes_per_second(rate.si())
    }
}

impl Ord for Rate {
    fn cmp(&self, other: &Self) -> Ordering {
        compare((self.bytes.into(), self.ps), (other.bytes.into(), other.ps))
    }
}

impl PartialOrd for Rate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An exact amount of bytes, whole and fraction: what a fluid buffer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Amount {
    whole: u128,
    rest: u128,
    of: u128,
}

impl Amount {
    /// No bytes.
    pub const ZERO: Self = Self {
        whole: 0,
        rest: 0,
        of: 1,
    };

    /// `numerator / denominator` bytes; the denominator is not zero.
    pub(super) fn new(numerator: u128, denominator: u128) -> Self {
        let (whole, rest) = (numerator / denominator, numerator % denominator);
        let divisor = gcd(rest, denominator);
        Self {
            whole,
            rest: rest / divisor,
            of: denominator / divisor,
        }
    }

    /// The whole bytes in it.
    #[must_use]
    pub const fn floor(self) -> u128 {
        self.whole
    }

    /// The least number of whole bytes that holds it.
    #[must_use]
    pub const fn ceil(self) -> u128 {
        self.whole + (self.rest != 0) as u128
    }

    /// What is beyond the whole bytes: numerator and denominator, in lowest terms.
    #[must_use]
    pub const fn fraction(self) -> (u128, u128) {
        (self.rest, self.of)
    }

    /// The bytes, as near as `f64` comes.
    #[must_use]
    pub fn bytes(self) -> f64 {
        self.whole as f64 + self.rest as f64 / self.of as f64
    }

    /// This amount without `bytes`, or zero.
    pub(super) fn less(self, bytes: i128) -> Self {
        match i128::try_from(self.whole).unwrap_or(i128::MAX) - bytes {
            whole if whole >= 0 => Self {
                whole: whole as u128,
                ..self
            },
            _ => Self::ZERO,
        }
    }

    /// The least multiple of `record` bytes that holds it; `record` may be zero.
    pub(super) fn in_records(self, record: u64) -> u128 {
        match record {
            0 => self.ceil(),
            record => self.ceil().div_ceil(record.into()) * u128::from(record),
        }
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> Ordering {
        let parts = || compare((self.rest, self.of), (other.rest, other.of));
        self.whole.cmp(&other.whole).then_with(parts)
    }
}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rest {
            0 => write!(f, "{} B", self.whole),
            rest => write!(f, "{} {rest}/{} B", self.whole, self.of),
        }
    }
}

/// Compares two fractions by their continued fractions: no product, hence no overflow.
fn compare((mut a, mut b): (u128, u128), (mut c, mut d): (u128, u128)) -> Ordering {
    loop {
        match (a / b).cmp(&(c / d)) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
        let (left, right) = (a % b, c % d);
        if left == 0 || right == 0 {
            return left.cmp(&right);
        }
        // left/b < right/d exactly when d/right < b/left.
        (a, b, c, d) = (d, right, b, left);
    }
}

/// The greatest common divisor; that of zero and a number is the number.
pub(super) const fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
