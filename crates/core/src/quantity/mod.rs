//! Quantities with their units: parsed from what people write (`"1.5 us"`, `4KiB`, `500 KB/s`),
//! printed so that parsing gives the same value back.
//!
//! Decimal and binary prefixes are distinct: `KB` is 1000 B, `KiB` is 1024 B. One letter alone is a power of 1024, as
//! fio and dd have it: `4k` and `4K` are 4 KiB, and a rate of `500k` is 500 KiB/s. Times, sizes,
//! frequencies and cycle counts are exact integers; a text that names a fraction of a picosecond
//! or of a byte is refused rather than rounded. Electrical quantities and money are `f64` in the SI
//! base unit.

mod parse;
mod print;
mod types;
mod unit;

pub use parse::{QuantityError, QuantityErrorKind, number_and_unit};
pub use print::{human, human_rounded};
pub use types::{
    Area, ByteCount, Capacitance, Current, Cycles, DataRate, Energy, EnergyPerByte, Fraction,
    Frequency, Money, Period, Power, Quantity, Time, Voltage,
};
pub use unit::{Dimension, Unit};

#[cfg(test)]
mod tests;
