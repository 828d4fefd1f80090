//! One type for each dimension.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

use super::parse::{QuantityError, parse_fraction, parse_real, parse_whole};
use super::print::{print_multiple, print_real, print_whole};
use super::unit::{self, Dimension};

/// What all quantities have in common.
pub trait Quantity: Copy + fmt::Display + FromStr<Err = QuantityError> + 'static {
    /// The units that the quantity can be written in.
    const DIMENSION: &'static Dimension;

    /// The value in the SI base unit (seconds, bytes, hertz, amperes, …).
    fn si(self) -> f64;

    /// The nearest representable quantity to a value in the SI base unit; negative values give
    /// zero.
    fn from_si(value: f64) -> Self;
}

/// The parts that every quantity shares: text in and out, for people and for TOML.
macro_rules! text_form {
    ($name:ident, $dimension:expr) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl Visitor<'_> for Text {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        let Dimension { name, example, .. } = &$dimension;
                        write!(f, "{name} as text with its unit, such as {example:?}")
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }
    };
}

macro_rules! whole_quantity {
    ($(#[$doc:meta])* $name:ident, $dimension:expr, $per_si:literal, $from:ident, $get:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0);

            /// From base units.
            #[must_use]
            pub const fn $from(value: u64) -> Self {
                Self(value)
            }

            /// In base units.
            #[must_use]
            pub const fn $get(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&print_whole(self.0, &$dimension))
            }
        }

        impl FromStr for $name {
            type Err = QuantityError;
            fn from_str(text: &str) -> Result<Self, QuantityError> {
                parse_whole(text, &$dimension).map(Self)
            }
        }

        impl Quantity for $name {
            const DIMENSION: &'static Dimension = &$dimension;
            fn si(self) -> f64 {
                self.0 as f64 / $per_si
            }
            fn from_si(value: f64) -> Self {
                Self((value * $per_si).round() as u64)
            }
        }

        text_form!($name, $dimension);
    };
}

macro_rules! real_quantity {
    ($(#[$doc:meta])* $name:ident, $dimension:expr) => {
        real_quantity!($(#[$doc])* $name, $dimension, parse_real, print_real);
    };
    ($(#[$doc:meta])* $name:ident, $dimension:expr, $parse:ident, $print:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&$print(self.0, &$dimension))
            }
        }

        impl FromStr for $name {
            type Err = QuantityError;
            fn from_str(text: &str) -> Result<Self, QuantityError> {
                $parse(text, &$dimension).map(Self)
            }
        }

        impl Quantity for $name {
            const DIMENSION: &'static Dimension = &$dimension;
            fn si(self) -> f64 {
                self.0
            }
            fn from_si(value: f64) -> Self {
                Self(value.max(0.0))
            }
        }

        text_form!($name, $dimension);
    };
}

whole_quantity!(
    /// A time in whole picoseconds, up to 213 days.
    Time, unit::TIME, 1e12, from_ps, ps
);
whole_quantity!(
    /// A size in bytes.
    ByteCount, unit::BYTES, 1.0, from_bytes, bytes
);
whole_quantity!(
    /// A frequency in whole hertz.
    Frequency, unit::FREQUENCY, 1.0, from_hz, hz
);
whole_quantity!(
    /// A count of cycles: of a processor's clock, or of program and erase.
    Cycles, unit::CYCLES, 1.0, from_count, count
);
real_quantity!(
    /// A data rate in bytes per second.
    DataRate, unit::DATA_RATE
);
real_quantity!(
    /// A current in amperes.
    Current, unit::CURRENT
);
real_quantity!(
    /// A voltage in volts.
    Voltage, unit::VOLTAGE
);
real_quantity!(
    /// A power in watts.
    Power, unit::POWER
);
real_quantity!(
    /// An energy in joules.
    Energy, unit::ENERGY
);
real_quantity!(
    /// An energy for each byte moved, in joules per byte.
    EnergyPerByte, unit::ENERGY_PER_BYTE
);
real_quantity!(
    /// An amount of money in euros.
    Money, unit::MONEY
);

real_quantity!(
    /// A capacitance in farads.
    Capacitance, unit::CAPACITANCE
);
real_quantity!(
    /// An area in square metres.
    Area, unit::AREA
);
real_quantity!(
    /// A period in seconds, however long: what a chip should live, what data should be kept for.
    Period, unit::PERIOD, parse_real, print_multiple
);
real_quantity!(
    /// A fraction of a whole: `10 %`, or the plain number `0.1`.
    Fraction, unit::FRACTION, parse_fraction, print_real
);

impl Time {
    /// The later of the two instants `self` and `other`, both counted from the same start.
    #[must_use]
    pub const fn later(self, other: Self) -> Self {
        if self.0 >= other.0 { self } else { other }
    }

    /// `self + other`.
    ///
    /// # Panics
    /// When the sum exceeds 213 days: simulated time is checked, never wrapped.
    #[must_use]
    #[track_caller]
    pub const fn plus(self, other: Self) -> Self {
        match self.0.checked_add(other.0) {
            Some(sum) => Self(sum),
            None => panic!("simulated time exceeds 213 days"),
        }
    }

    /// `self + other`, or `None` beyond 213 days.
    #[must_use]
    pub const fn checked_plus(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// The time from `earlier` to `self`; zero when `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl Frequency {
    /// How long `cycles` cycles last, rounded to the nearest picosecond and held at the longest
    /// [`Time`]. Rounding happens here, once for each transaction, because most clock periods are
    /// no whole picoseconds.
    ///
    /// # Panics
    /// When the frequency is zero.
    #[must_use]
    #[track_caller]
    pub fn duration_of(self, cycles: u64) -> Time {
        const PS_PER_S: u128 = 1_000_000_000_000;
        assert!(self.0 > 0, "a clock of 0 Hz never ends a cycle");
        // What fits 64 bits, as the clocks of a transaction do, is divided faster.
        let short = cycles.checked_mul(PS_PER_S as u64);
        if let Some(rounded) = short.and_then(|ps| ps.checked_add(self.0 / 2)) {
            return Time(rounded / self.0);
        }
        let hz = u128::from(self.0);
        let ps = (u128::from(cycles) * PS_PER_S + hz / 2) / hz;
        Time(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}
