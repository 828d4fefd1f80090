//! What a figure of any memory can be: a value beyond it is a slip of a unit or of a point, and no sheet is loaded with it.
//!
//! One table ([`PLAUSIBLE`]) has a range for each physical figure and the reason for it. The ranges are wide: ten times
//! what parts in production have, or more. The sheets that the command brings are held to it by a test, those of users when
//! they are loaded.

use std::ops::Range;
use std::str::FromStr;

use toml::de::{DeTable, DeValue};
use wordline_core::quantity::{
    Area, ByteCount, Capacitance, Current, Cycles, DataRate, Energy, EnergyPerByte, Fraction,
    Frequency, Money, Period, Power, Quantity, QuantityError, Time, Voltage, human,
    number_and_unit,
};

use crate::figures;

/// A range that figures of one kind lie in.
#[derive(Debug, PartialEq)]
pub struct PlausibleRange {
    /// What messages call such a figure, with its article.
    pub what: &'static str,
    /// The SI unit of its ends; empty of a plain number.
    pub unit: &'static str,
    /// Tables of models that it holds in; empty: all.
    pub tables: &'static [&'static str],
    /// Figures by the last part of their names; empty: all that no row before has.
    pub figures: &'static [&'static str],
    /// The least value, in the SI unit.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// Whether zero is a value beside the range.
    pub or_zero: bool,
    /// Why nothing lies beyond.
    pub reason: &'static str,
}

/// A row of the table: figures by name, or all others of a unit.
const fn row(
    what: &'static str,
    unit: &'static str,
    figures: &'static [&'static str],
    [low, high]: [f64; 2],
    or_zero: bool,
    reason: &'static str,
) -> PlausibleRange {
    PlausibleRange {
        what,
        unit,
        tables: &[],
        figures,
        low,
        high,
        or_zero,
        reason,
    }
}

/// Every range; the first row whose unit, table and name fit a figure is its range.
pub static PLAUSIBLE: [PlausibleRange; 36] = [
    // Voltages.
    row(
        "a pump voltage",
        "V",
        &["vpp"],
        [1.0, 4.0],
        false,
        "DRAM raises its word lines to 1.8 V to 2.5 V",
    ),
    row(
        "a supply voltage",
        "V",
        &[],
        [0.3, 7.0],
        false,
        "memories run at 0.5 V to 5.5 V, and 7 V destroys them",
    ),
    // Currents.
    row(
        "a current at rest",
        "A",
        &["standby", "deep_power_down"],
        [1e-12, 0.1],
        true,
        "chips at rest draw nanoamperes to a few milliamperes",
    ),
    row(
        "a current",
        "A",
        &[],
        [1e-9, 20.0],
        true,
        "a chip at work draws milliamperes to an ampere, a small processor a few amperes",
    ),
    // Powers and energies.
    row(
        "a power",
        "W",
        &[],
        [1e-9, 200.0],
        true,
        "a module dissipates some 20 W",
    ),
    row(
        "an energy",
        "J",
        &[],
        [1e-18, 1e3],
        true,
        "an operation of a memory takes picojoules to millijoules",
    ),
    row(
        "an energy per byte",
        "J/B",
        &[],
        [1e-15, 1e-5],
        true,
        "buses take picojoules a byte",
    ),
    // Times of DRAM.
    PlausibleRange {
        tables: &["dram"],
        ..row(
            "a refresh interval",
            "s",
            &["trefi"],
            [5e-7, 1e-4],
            false,
            "cells are refreshed in 16 ms to 64 ms, by 8192 commands",
        )
    },
    PlausibleRange {
        tables: &["dram"],
        ..row(
            "a DRAM timing",
            "s",
            &[],
            [1e-11, 1e-5],
            true,
            "the longest, tRFC, is below 1 us",
        )
    },
    PlausibleRange {
        tables: &["ddr_mram"],
        ..row(
            "a timing of a DDR memory",
            "s",
            &[
                "t_cl", "t_cwl", "t_faw", "t_ras", "t_rcd", "t_rp", "t_rrd", "t_rtp", "t_rtw",
                "t_st", "t_wr", "t_wtr",
            ],
            [1e-11, 1e-5],
            true,
            "the longest, tST, is below 1 us",
        )
    },
    PlausibleRange {
        tables: &["dimm"],
        ..row(
            "a delay of a module's buffers",
            "s",
            &[],
            [1e-12, 1e-6],
            true,
            "a buffer delays by a nanosecond or two",
        )
    },
    row(
        "a delay on a chip",
        "s",
        &["request_path", "return_path"],
        [1e-12, 1e-4],
        true,
        "a processor reaches its memory in tens to hundreds of nanoseconds",
    ),
    // Clocks of DRAM rules.
    row(
        "a rule in clocks",
        "",
        &["nck"],
        [0.0, 4096.0],
        false,
        "the longest gap of a standard is below 100 clocks",
    ),
    row(
        "a data rate of pins",
        "",
        &["rate_mts", "host_rate_mts", "dram_rate_mts"],
        [50.0, 50_000.0],
        false,
        "DDR began at 200 MT/s, and DDR5 ends at 9200 MT/s",
    ),
    // Times of flash, from the longest to the shortest.
    row(
        "an erase time",
        "s",
        &["duration", "block_erase"],
        [1e-6, 86_400.0],
        false,
        "the erase of a chip of 2 Gb takes two hours at most",
    ),
    row(
        "a program time",
        "s",
        &[
            "page_program",
            "page_program_without_ecc",
            "byte_program_first",
            "byte_program_next",
            "cache_program_busy",
        ],
        [1e-9, 100.0],
        false,
        "pages take 0.1 ms to 10 ms, up to 0.2 s on cards that clean up meanwhile",
    ),
    row(
        "a time from cells to buffer",
        "s",
        &[
            "page_read",
            "page_read_without_ecc",
            "cache_busy",
            "plane_busy",
        ],
        [1e-8, 0.1],
        true,
        "pages take 10 us to 200 us",
    ),
    row(
        "a write time",
        "s",
        &["write_cycle", "write_time", "write_pulse"],
        [1e-10, 1.0],
        true,
        "MRAM writes in nanoseconds, EEPROM in 10 ms at most",
    ),
    row(
        "an access time",
        "s",
        &["read_access", "read_cycle"],
        [1e-10, 1e-3],
        false,
        "parallel memories read in 10 ns to 150 ns",
    ),
    row(
        "a time between commands",
        "s",
        &[
            "deselect",
            "deselect_after_read",
            "deselect_after_write",
            "deselect_octal",
            "delay",
        ],
        [1e-12, 1e-2],
        true,
        "chips are deselected for 5 ns to 200 ns",
    ),
    row(
        "a time of suspending",
        "s",
        &[
            "erase_latency",
            "erase_progress",
            "program_latency",
            "program_progress",
        ],
        [1e-9, 1.0],
        true,
        "a suspend takes tens of microseconds",
    ),
    row(
        "a time of waking up",
        "s",
        &["wake_up", "power_up", "reset", "sleep_entry"],
        [1e-9, 60.0],
        true,
        "chips wake up in microseconds, cards in a second",
    ),
    row(
        "a time of a card's controller",
        "s",
        &["command_time", "controller", "housekeeping"],
        [1e-9, 60.0],
        true,
        "a specification lets a card be busy for 0.5 s",
    ),
    row(
        "a time",
        "s",
        &[],
        [1e-12, 1e11],
        true,
        "1 ps is below every clock, 1e11 s are 3,000 years",
    ),
    // Clocks and rates.
    row(
        "a clock",
        "Hz",
        &[],
        [1e3, 2e10],
        false,
        "buses run at kilohertz to gigahertz, processors below 10 GHz",
    ),
    row(
        "a data rate",
        "B/s",
        &[],
        [1e3, 1e14],
        false,
        "a server of today moves a terabyte a second",
    ),
    row(
        "a rate of a link",
        "",
        &["gb_per_s"],
        [0.001, 1e5],
        false,
        "a link moves tens to hundreds of gigabytes a second",
    ),
    // Counts.
    row(
        "an endurance",
        "cycles",
        &["endurance"],
        [1.0, 1e18],
        false,
        "flash takes thousands of cycles, MRAM and FRAM up to 1e15",
    ),
    row(
        "a number of cycles of a bus",
        "cycles",
        &["address_setup", "data_setup", "hold", "turnaround"],
        [0.0, 65_535.0],
        false,
        "registers of such a length have 16 bits at most",
    ),
    row(
        "a number of cycles of a processor",
        "cycles",
        &[],
        [0.0, 1e9],
        false,
        "a driver's command takes below a million cycles",
    ),
    row(
        "a bus width",
        "",
        &["width_bits", "data_bits"],
        [1.0, 2048.0],
        false,
        "the widest interfaces, of stacked memories, have 1024 or 2048 bits",
    ),
    row(
        "a capacitance",
        "F",
        &[],
        [1e-15, 1e3],
        true,
        "pins have picofarads, hold-up capacitors farads",
    ),
    // Sizes, money, shares.
    row(
        "a size",
        "B",
        &[],
        [1.0, 1_125_899_906_842_624.0],
        true,
        "a system of 1 PiB of memory is yet to come",
    ),
    row(
        "a price",
        "EUR",
        &[],
        [1e-6, 1e6],
        true,
        "a chip costs cents to hundreds of euros, a module thousands",
    ),
    row(
        "an area",
        "m^2",
        &[],
        [1e-9, 0.1],
        true,
        "packages have 1 mm^2 to some 1000 mm^2",
    ),
    row(
        "a share",
        "%",
        &[],
        [0.0, 10.0],
        false,
        "of a whole, in spreads at most a few times that",
    ),
];

impl PlausibleRange {
    /// The range of a figure by its dotted name and its SI unit; `None` for a number without one.
    #[must_use]
    pub fn of(figure: &str, unit: &str) -> Option<&'static Self> {
        let plain = figures::without_labels(figure);
        let table = plain.split('.').next().unwrap_or_default();
        let last = plain.rsplit('.').next().unwrap_or_default();
        PLAUSIBLE.iter().find(|range| {
            let in_table = range.tables.is_empty() || range.tables.contains(&table);
            let named = range.figures.is_empty() || range.figures.contains(&last);
            range.unit == unit && in_table && named
        })
    }

    /// Whether a value lies in it.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value) || (self.or_zero && value == 0.0)
    }

    /// What is wrong with a value.
    fn message(&self, written: &str) -> String {
        let [low, high] = [self.low, self.high].map(|end| match self.unit {
            "" => format!("{end}"),
            "%" => format!("{} %", end * 100.0),
            "m^2" => format!("{} mm^2", end * 1e6),
            unit => human(end, unit, 3),
        });
        let zero = if self.or_zero { "0, or " } else { "" };
        format!(
            "{written} is not plausible as {}; allowed: {zero}{low} to {high}: {}",
            self.what, self.reason
        )
    }
}

/// The columns of a figure, which are no part of its name.
const COLUMNS: [&str; 5] = ["min", "typ", "max", "value", "alternatives"];

/// Keys that hold words, and those of ranges: a figure is not moved beyond what is plausible, however wide they are.
const WORDS: [&str; 9] = [
    "range",
    "max_range",
    "source",
    "reason",
    "basis",
    "name",
    "description",
    "revision",
    "manufacturer",
];

/// Values of a sheet that no memory has: where each stands, and what is wrong with it.
pub(crate) fn problems(text: &str, tree: &DeTable<'_>) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    figures::each(tree, &mut |_, path, table| {
        for (key, value) in table {
            let key: &str = key.get_ref();
            if path.is_empty() || WORDS.contains(&key) {
                continue;
            }
            let name = match COLUMNS.contains(&key) {
                true => path.to_owned(),
                false => format!("{path}.{key}"),
            };
            let mut check = |span: Range<usize>, value: &DeValue<'_>| {
                found.extend(problem(text, &name, span.clone(), value).map(|text| (span, text)));
            };
            match value.get_ref() {
                DeValue::Array(array) => {
                    for one in array {
                        check(one.span(), one.get_ref());
                    }
                }
                one => check(value.span(), one),
            }
        }
    });
    found.sort_by_key(|(span, _)| span.start);
    found
}

fn problem(text: &str, name: &str, span: Range<usize>, value: &DeValue<'_>) -> Option<String> {
    let (written, value, unit) = match value {
        DeValue::String(string) => {
            let (value, unit) = si(string)?;
            (string.to_string(), value, unit)
        }
        DeValue::Integer(_) | DeValue::Float(_) => {
            let written = text.get(span)?;
            let value = written.replace('_', "").parse::<f64>().ok()?;
            (written.to_owned(), value, "")
        }
        _ => return None,
    };
    let range = PlausibleRange::of(name, unit)?;
    (!range.holds(value)).then(|| range.message(&written))
}

/// A quantity in its SI unit.
fn si(text: &str) -> Option<(f64, &'static str)> {
    fn of<T: Quantity + FromStr<Err = QuantityError>>(text: &str, unit: &str) -> Option<f64> {
        let mut units = T::DIMENSION.units.iter();
        // What is written in another dimension's unit is not parsed.
        units.find(|one| one.symbol == unit)?;
        text.trim().parse::<T>().ok().map(Quantity::si)
    }
    type Parser = fn(&str, &str) -> Option<f64>;
    const PARSERS: [(Parser, &str); 15] = [
        (of::<Time>, "s"),
        (of::<Period>, "s"),
        (of::<Current>, "A"),
        (of::<Voltage>, "V"),
        (of::<Frequency>, "Hz"),
        (of::<ByteCount>, "B"),
        (of::<Cycles>, "cycles"),
        (of::<Power>, "W"),
        (of::<Energy>, "J"),
        (of::<EnergyPerByte>, "J/B"),
        (of::<DataRate>, "B/s"),
        (of::<Money>, "EUR"),
        (of::<Area>, "m^2"),
        (of::<Fraction>, "%"),
        (of::<Capacitance>, "F"),
    ];
    let (_, unit) = number_and_unit(text)?;
    let parsers = PARSERS.iter();
    let mut values = parsers.filter_map(|(of, si)| Some((of(text, unit)?, *si)));
    values.next()
}

#[cfg(test)]
mod tests;
