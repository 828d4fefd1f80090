//! The units that each dimension can be written in. One table each serves parsing, printing and
//! error messages.

/// One way to write a quantity: `scale · 10^exponent` base units.
#[derive(Debug, PartialEq, Eq)]
pub struct Unit {
    /// As people write it, case and all.
    pub symbol: &'static str,
    /// Integer factor; 1 for decimal prefixes.
    pub scale: u64,
    /// Power of ten that multiplies `scale`.
    pub exponent: i32,
    /// Whether printing may choose this unit. Aliases and coarse units are read, never written.
    pub printed: bool,
}

const fn decimal(symbol: &'static str, exponent: i32) -> Unit {
    Unit {
        symbol,
        scale: 1,
        exponent,
        printed: true,
    }
}

const fn scaled(symbol: &'static str, scale: u64) -> Unit {
    Unit {
        symbol,
        scale,
        exponent: 0,
        printed: true,
    }
}

const fn read_only(unit: Unit) -> Unit {
    Unit {
        symbol: unit.symbol,
        scale: unit.scale,
        exponent: unit.exponent,
        printed: false,
    }
}

/// What kind of thing a quantity is, with the units that it can be written in.
#[derive(Debug, PartialEq, Eq)]
pub struct Dimension {
    /// With its article, as messages say it: "a time".
    pub name: &'static str,
    /// A well-formed example for messages.
    pub example: &'static str,
    /// Every unit that is understood, ascending.
    pub units: &'static [Unit],
}

/// Base unit: 1 ps. 2^64 ps are 213 days.
pub(super) static TIME: Dimension = Dimension {
    name: "a time",
    example: "1.5 us",
    units: &[
        decimal("ps", 0),
        decimal("ns", 3),
        decimal("us", 6),
        read_only(decimal("µs", 6)),
        read_only(decimal("μs", 6)),
        decimal("ms", 9),
        decimal("s", 12),
        read_only(Unit {
            symbol: "min",
            scale: 60,
            exponent: 12,
            printed: false,
        }),
        read_only(Unit {
            symbol: "h",
            scale: 3600,
            exponent: 12,
            printed: false,
        }),
        read_only(Unit {
            symbol: "d",
            scale: 86_400,
            exponent: 12,
            printed: false,
        }),
    ],
};

/// Base unit: 1 B. Binary units first, so that printing prefers them where both are exact.
pub(super) static BYTES: Dimension = Dimension {
    name: "a size",
    example: "4 KiB",
    units: &[
        decimal("B", 0),
        scaled("KiB", 1 << 10),
        scaled("MiB", 1 << 20),
        scaled("GiB", 1 << 30),
        scaled("TiB", 1 << 40),
        decimal("KB", 3),
        read_only(decimal("kB", 3)),
        decimal("MB", 6),
        decimal("GB", 9),
        decimal("TB", 12),
        // As fio and dd write sizes: one letter is a power of 1024.
        read_only(scaled("k", 1 << 10)),
        read_only(scaled("K", 1 << 10)),
        read_only(scaled("m", 1 << 20)),
        read_only(scaled("M", 1 << 20)),
        read_only(scaled("g", 1 << 30)),
        read_only(scaled("G", 1 << 30)),
        read_only(scaled("t", 1 << 40)),
        read_only(scaled("T", 1 << 40)),
        read_only(scaled("Kibit", 1 << 7)),
        read_only(scaled("Mibit", 1 << 17)),
        read_only(scaled("Gibit", 1 << 27)),
    ],
};

/// Base unit: 1 Hz.
pub(super) static FREQUENCY: Dimension = Dimension {
    name: "a frequency",
    example: "120 MHz",
    units: &[
        decimal("Hz", 0),
        decimal("kHz", 3),
        decimal("MHz", 6),
        decimal("GHz", 9),
    ],
};

/// Base unit: 1 cycle, of a clock or of program and erase.
pub(super) static CYCLES: Dimension = Dimension {
    name: "a number of cycles",
    example: "100000 cycles",
    units: &[decimal("cycles", 0), read_only(decimal("cycle", 0))],
};

/// Base unit: 1 B/s.
pub(super) static DATA_RATE: Dimension = Dimension {
    name: "a data rate",
    example: "500 KB/s",
    units: &[
        decimal("B/s", 0),
        decimal("KB/s", 3),
        read_only(decimal("kB/s", 3)),
        read_only(scaled("KiB/s", 1 << 10)),
        decimal("MB/s", 6),
        read_only(scaled("MiB/s", 1 << 20)),
        decimal("GB/s", 9),
        read_only(scaled("GiB/s", 1 << 30)),
        // As fio takes --rate, with its kb_base of 1024: one letter is a power of 1024, each second.
        read_only(scaled("k", 1 << 10)),
        read_only(scaled("K", 1 << 10)),
        read_only(scaled("m", 1 << 20)),
        read_only(scaled("M", 1 << 20)),
        read_only(scaled("g", 1 << 30)),
        read_only(scaled("G", 1 << 30)),
    ],
};

/// Base unit: 1 A.
pub(super) static CURRENT: Dimension = Dimension {
    name: "a current",
    example: "59 mA",
    units: &[
        decimal("pA", -12),
        decimal("nA", -9),
        decimal("uA", -6),
        read_only(decimal("µA", -6)),
        read_only(decimal("μA", -6)),
        decimal("mA", -3),
        decimal("A", 0),
    ],
};

/// Base unit: 1 V.
pub(super) static VOLTAGE: Dimension = Dimension {
    name: "a voltage",
    example: "1.8 V",
    units: &[decimal("mV", -3), decimal("V", 0)],
};

/// Base unit: 1 W.
pub(super) static POWER: Dimension = Dimension {
    name: "a power",
    example: "66 mW",
    units: &[
        decimal("nW", -9),
        decimal("uW", -6),
        read_only(decimal("µW", -6)),
        read_only(decimal("μW", -6)),
        decimal("mW", -3),
        decimal("W", 0),
    ],
};

/// Base unit: 1 J.
pub(super) static ENERGY: Dimension = Dimension {
    name: "an energy",
    example: "3.6 uJ",
    units: &[
        decimal("pJ", -12),
        decimal("nJ", -9),
        decimal("uJ", -6),
        read_only(decimal("µJ", -6)),
        read_only(decimal("μJ", -6)),
        decimal("mJ", -3),
        decimal("J", 0),
    ],
};

/// Base unit: 1 J/B.
pub(super) static ENERGY_PER_BYTE: Dimension = Dimension {
    name: "an energy per byte",
    example: "0.7 nJ/B",
    units: &[
        decimal("pJ/B", -12),
        decimal("nJ/B", -9),
        decimal("uJ/B", -6),
        decimal("mJ/B", -3),
        decimal("J/B", 0),
    ],
};

/// Base unit: 1 EUR.
pub(super) static MONEY: Dimension = Dimension {
    name: "an amount of money",
    example: "6.63 EUR",
    units: &[decimal("EUR", 0)],
};

/// Base unit: 1 F.
pub(super) static CAPACITANCE: Dimension = Dimension {
    name: "a capacitance",
    example: "100 uF",
    units: &[
        decimal("pF", -12),
        decimal("nF", -9),
        decimal("uF", -6),
        read_only(decimal("µF", -6)),
        read_only(decimal("μF", -6)),
        decimal("mF", -3),
        decimal("F", 0),
    ],
};

/// Base unit: 1 m². Packages are stated in mm².
pub(super) static AREA: Dimension = Dimension {
    name: "an area",
    example: "48 mm^2",
    units: &[decimal("mm^2", -6), read_only(decimal("m^2", 0))],
};

/// Base unit: 1 s, for spans that a simulation never steps through. A year has 365.25 days.
pub(super) static PERIOD: Dimension = Dimension {
    name: "a period",
    example: "10 y",
    units: &[
        decimal("ns", -9),
        decimal("us", -6),
        decimal("ms", -3),
        decimal("s", 0),
        scaled("min", 60),
        scaled("h", 3_600),
        scaled("d", 86_400),
        scaled("y", 31_557_600),
        read_only(scaled("days", 86_400)),
        read_only(scaled("years", 31_557_600)),
    ],
};

/// Base unit: 1.
pub(super) static FRACTION: Dimension = Dimension {
    name: "a fraction",
    example: "10 %",
    units: &[decimal("%", -2)],
};
