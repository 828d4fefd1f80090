//! What engineers choose parts by: a few key figures in one form, whatever the model of the part; and parts found, compared
//! and ranked by likeness with them.
//!
//! ```
//! use wordline_catalog::profile::{PartFilter, PartProfile};
//! use wordline_catalog::Catalog;
//!
//! let catalog = Catalog::load(&[])?;
//! let profile = PartProfile::of(catalog.part("mt25ql512")?);
//! assert_eq!(profile.kind(), "nor");
//! let filter = PartFilter { kinds: vec!["nor".to_owned()], ..PartFilter::default() };
//! assert!(filter.admits(&profile).is_some());
//! # Ok::<(), wordline_catalog::CatalogError>(())
//! ```

mod filter;
mod likeness;
#[cfg(test)]
mod tests;

use std::str::FromStr;

use wordline_core::quantity::{ByteCount, Current, Cycles, Frequency, Quantity, Time, Voltage};
use wordline_core::results::FigureUse;
use wordline_core::{Basis, LifecycleStatus};

pub use filter::{Admission, PartFilter};
pub use likeness::{Likeness, similar};

use crate::ranges::FigureKind;
use crate::{Part, figures};

/// A figure that parts are chosen by.
#[derive(Debug)]
pub struct KeyFigure {
    /// What tables call it.
    pub name: &'static str,
    /// Its SI unit.
    pub unit: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Whether a larger value is better.
    pub more_is_better: bool,
    /// The last parts of the names of its figures in sheets; several stand for one thing in several models.
    places: &'static [&'static str],
    /// Kinds of memory that have it: one whose sheet lacks it is unknown, and others have none.
    kinds: &'static [&'static str],
    /// Reads a column in the SI unit.
    read: fn(&str) -> Option<f64>,
}

fn si<Q: Quantity + FromStr>(text: &str) -> Option<f64> {
    text.parse::<Q>().ok().map(Quantity::si)
}

/// All kinds of memory.
const EVERY: &[&str] = &[
    "nor", "onchip", "nand", "card", "mram", "ddr_mram", "fram", "eeprom", "reram", "sram", "psram",
];

/// Every key figure beside capacity, supply and price, in the order of tables.
pub static KEY_FIGURES: [KeyFigure; 8] = [
    KeyFigure {
        name: "clock",
        unit: "Hz",
        meaning: "highest clock of a command",
        more_is_better: true,
        places: &["opcode.clock", "card.clock"],
        kinds: &[],
        read: si::<Frequency>,
    },
    KeyFigure {
        name: "page read",
        unit: "s",
        meaning: "time from the array into the page register",
        more_is_better: false,
        places: &["nand.page_read", "array.page_read"],
        kinds: &["nand"],
        read: si::<Time>,
    },
    KeyFigure {
        name: "program",
        unit: "s",
        meaning: "program of a page, or write cycle",
        more_is_better: false,
        places: &["page_program", "eeprom.write_cycle", "reram.write_cycle"],
        kinds: &["nor", "nand", "onchip", "eeprom", "reram", "card"],
        read: si::<Time>,
    },
    KeyFigure {
        name: "erase",
        unit: "s",
        meaning: "erase of the smallest block",
        more_is_better: false,
        places: &["block_erase", "erase.duration"],
        kinds: &["nor", "nand", "onchip", "card"],
        read: si::<Time>,
    },
    KeyFigure {
        name: "standby",
        unit: "A",
        meaning: "current in standby",
        more_is_better: false,
        places: &["standby"],
        kinds: EVERY,
        read: si::<Current>,
    },
    KeyFigure {
        name: "deep power-down",
        unit: "A",
        meaning: "current in deep power-down",
        more_is_better: false,
        places: &["deep_power_down"],
        kinds: &[],
        read: si::<Current>,
    },
    KeyFigure {
        name: "wake-up",
        unit: "s",
        meaning: "wake-up from deep power-down, or wait after power-up where there is none",
        more_is_better: false,
        places: &["wake_up"],
        kinds: &[],
        read: si::<Time>,
    },
    KeyFigure {
        name: "endurance",
        unit: "cycles",
        meaning: "rated cycles of erase, or of writes",
        more_is_better: true,
        places: &["endurance"],
        kinds: &[
            "nor", "nand", "onchip", "card", "fram", "eeprom", "reram", "mram", "ddr_mram",
        ],
        read: si::<Cycles>,
    },
];

/// The value of a key figure, in its SI unit.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyValue {
    /// Least, usual and largest value; at least one is stated.
    pub columns: [Option<f64>; 3],
    /// Which of them no source states, though the figure has one.
    pub assumed: [bool; 3],
    /// The ends of its range, where it has one.
    pub range: Option<(f64, f64)>,
    /// What it rests on.
    pub basis: Basis,
    /// Its figure in the sheet, and its source.
    pub figure: FigureUse,
}

impl KeyValue {
    /// Reads the figure of a sheet; `None` where no column has a value.
    fn of(figure: &FigureUse, read: fn(&str) -> Option<f64>) -> Option<Self> {
        let names = ["min", "typ", "max"];
        let columns = names.map(|name| column(figure, name).and_then(read));
        let marked = |name: &str| {
            let mut all = figure.value.split(", ");
            all.any(|one| one.starts_with(name) && one.ends_with(ASSUMED))
        };
        columns.iter().any(Option::is_some).then(|| Self {
            columns,
            assumed: names.map(marked),
            range: range(figure, read),
            basis: figure.basis,
            figure: figure.clone(),
        })
    }

    /// The usual value, or the one that is stated in its place.
    #[must_use]
    pub fn usual(&self) -> f64 {
        let [min, typ, max] = self.columns;
        typ.or(max).or(min).unwrap_or(f64::NAN)
    }

    /// What a design must plan with: the column that is worse.
    #[must_use]
    pub fn worst(&self, more_is_better: bool) -> f64 {
        self.worst_column(more_is_better)
            .map_or(f64::NAN, |(_, value)| value)
    }

    /// The worse column and its value.
    fn worst_column(&self, more_is_better: bool) -> Option<(usize, f64)> {
        let order = if more_is_better { [0, 1, 2] } else { [2, 1, 0] };
        let mut all = order.into_iter();
        all.find_map(|column| Some((column, self.columns[column]?)))
    }

    /// Whether the worse end of what it stands for meets a limit; `None` where no source states that end.
    #[must_use]
    pub fn meets(&self, more_is_better: bool, limit: f64) -> Option<bool> {
        let (column, worst) = self.worst_column(more_is_better)?;
        let meets = |value: f64| {
            if more_is_better {
                value >= limit
            } else {
                value <= limit
            }
        };
        if self.basis.is_unsourced() || self.assumed[column] || self.range.is_some() {
            // What may lie elsewhere fails for certain only where all of its range does.
            let factor = FigureKind::of(&self.figure.figure).map_or(1.0, FigureKind::factor);
            let (low, high) = self.range.unwrap_or((worst / factor, worst * factor));
            let best = if more_is_better {
                worst.max(high)
            } else {
                worst.min(low)
            };
            return if meets(best) { None } else { Some(false) };
        }
        // A largest time or current that is not stated may be larger, and a least number of cycles smaller.
        let is_bound = column == if more_is_better { 0 } else { 2 };
        match meets(worst) {
            true if !is_bound => None,
            meets => Some(meets),
        }
    }

    /// Whether a source states its usual value.
    #[must_use]
    pub fn is_sourced(&self) -> bool {
        !self.basis.is_unsourced() && self.range.is_none()
    }
}

/// What follows a column that no source states.
const ASSUMED: &str = " (assumed)";

/// The ends of a figure's range.
fn range(figure: &FigureUse, read: fn(&str) -> Option<f64>) -> Option<(f64, f64)> {
    let mut columns = figure.value.split(", ");
    let low = columns.find_map(|column| column.strip_prefix("range "))?;
    Some((read(low)?, read(columns.next()?)?))
}

/// The text of a column of a figure.
fn column<'f>(figure: &'f FigureUse, name: &str) -> Option<&'f str> {
    let mut columns = figure.value.split(", ");
    let value = columns.find_map(|column| column.strip_prefix(name)?.strip_prefix(' '))?;
    Some(value.trim_end_matches(ASSUMED))
}

/// How a part is wired, by the lines that carry data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BusWires {
    /// Inside the microcontroller.
    OnChip,
    /// Serial, one line each way.
    Single,
    /// Serial, two lines at most.
    Dual,
    /// Serial, four lines at most.
    Quad,
    /// Serial, eight lines at most.
    Octal,
    /// Parallel, asynchronous or with a clock of its own.
    Parallel,
    /// The bus of SD cards.
    Sd,
    /// The bus of eMMC.
    Emmc,
    /// That of DDR memories.
    Ddr,
}

impl BusWires {
    /// Every one, from the fewest lines.
    pub const ALL: [Self; 9] = [
        Self::OnChip,
        Self::Single,
        Self::Dual,
        Self::Quad,
        Self::Octal,
        Self::Parallel,
        Self::Sd,
        Self::Emmc,
        Self::Ddr,
    ];

    /// As options and tables spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnChip => "on-chip",
            Self::Single => "single",
            Self::Dual => "dual",
            Self::Quad => "quad",
            Self::Octal => "octal",
            Self::Parallel => "parallel",
            Self::Sd => "sd",
            Self::Emmc => "emmc",
            Self::Ddr => "ddr",
        }
    }

    fn of(part: &Part) -> Self {
        match part.model.name() {
            "onchip" => return Self::OnChip,
            "ddr_mram" => return Self::Ddr,
            _ => {}
        }
        let mut lines = 0;
        for figure in &part.figures {
            if figure.figure.contains(".parallel.") {
                return Self::Parallel;
            }
            if figure.figure == "card.interface" {
                let is_emmc = figure.value.contains("emmc");
                return if is_emmc { Self::Emmc } else { Self::Sd };
            }
            let mode = figure.figure.split_once(".opcode[0x");
            let mode = mode.and_then(|(_, label)| label.split_once(' '));
            let digits = mode.map_or("", |(_, mode)| mode.split(']').next().unwrap_or(""));
            let most = digits.bytes().filter(u8::is_ascii_digit).max();
            lines = lines.max(most.map_or(0, |digit| digit - b'0'));
        }
        match lines {
            0 | 1 => Self::Single,
            2..=3 => Self::Dual,
            4..=7 => Self::Quad,
            _ => Self::Octal,
        }
    }
}

/// The source of a part's sheet, as far as it was read from silicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpOrigin {
    /// The parameter table of a serial flash.
    Sfdp,
    /// The parameter page of a NAND flash.
    Onfi,
}

impl DumpOrigin {
    /// As tables spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sfdp => "SFDP",
            Self::Onfi => "ONFI",
        }
    }
}

/// The key figures of a part.
#[derive(Clone, Debug)]
pub struct PartProfile<'a> {
    /// The part.
    pub part: &'a Part,
    /// Capacity in bytes.
    pub capacity: u64,
    /// How it is wired.
    pub bus: BusWires,
    /// The supply that it takes, in volts, from the least to the most.
    pub supply: Option<(f64, f64)>,
    /// Values of [`KEY_FIGURES`], in their order; `None` where the part has none.
    pub values: [Option<KeyValue>; KEY_FIGURES.len()],
    /// The page that its sheet was read from, where it was one.
    pub dump: Option<DumpOrigin>,
    /// Figures of its sheet that a source states.
    pub sourced: usize,
    /// Figures of its sheet that are estimated from others.
    pub estimated: usize,
    /// Figures of its sheet that are assumed.
    pub assumed: usize,
}

impl<'a> PartProfile<'a> {
    /// The profile of a part.
    #[must_use]
    pub fn of(part: &'a Part) -> Self {
        let figures = &part.figures;
        let count = |basis| {
            figures
                .iter()
                .filter(|figure| figure.basis == basis)
                .count()
        };
        let (estimated, assumed) = (count(Basis::Estimated), count(Basis::Assumed));
        Self {
            part,
            capacity: part.model.capacity_bytes(),
            bus: BusWires::of(part),
            supply: figures.iter().find_map(supply),
            values: std::array::from_fn(|index| value(figures, &KEY_FIGURES[index])),
            dump: figures.iter().find_map(dump),
            sourced: figures.len() - estimated - assumed,
            estimated,
            assumed,
        }
    }

    /// The kind of memory, as its model is called.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.part.model.name()
    }

    /// What its maker says of its supply.
    #[must_use]
    pub fn lifecycle(&self) -> LifecycleStatus {
        self.part.lifecycle_status()
    }

    /// The value of a key figure; `None` for one that the part does not have.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&KeyValue> {
        let index = KEY_FIGURES.iter().position(|key| key.name == name)?;
        self.values[index].as_ref()
    }
}

/// The supply that a sheet states, where the figure is it.
fn supply(figure: &FigureUse) -> Option<(f64, f64)> {
    let (_, last) = figure.figure.rsplit_once('.')?;
    if last != "supply" {
        return None;
    }
    let [min, typ, max] =
        ["min", "typ", "max"].map(|name| column(figure, name).and_then(si::<Voltage>));
    Some((min.or(typ).or(max)?, max.or(typ).or(min)?))
}

/// The page of parameters that a figure was read from.
fn dump(figure: &FigureUse) -> Option<DumpOrigin> {
    // The words that an import writes; sheets also cite a sibling's page or the standard.
    let begins = |words: &str| figure.source.starts_with(words);
    if begins("SFDP, ") {
        Some(DumpOrigin::Sfdp)
    } else if begins("ONFI parameter page") {
        Some(DumpOrigin::Onfi)
    } else {
        None
    }
}

/// The value of a key figure: of several clocks the highest, of several erases that of the smallest block.
fn value(figures: &[FigureUse], key: &KeyFigure) -> Option<KeyValue> {
    let all = figures.iter().filter(|figure| {
        let name = figures::without_labels(&figure.figure);
        // An ageing law has parameters of the same names.
        if name.contains(".aging.") {
            return false;
        }
        let ends = |place: &&str| {
            name.strip_suffix(*place)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        key.places.iter().any(ends)
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|figure| labelled_bytes(&figure.figure));
    let values = all
        .into_iter()
        .filter_map(|figure| KeyValue::of(figure, key.read));
    values.reduce(|best, next| {
        let better = key.more_is_better && next.usual() > best.usual();
        if better { next } else { best }
    })
}

/// The size that labels an element of a list, as in `nor.erase[4 KiB].duration`; the largest for one without, such as the
/// erase of a whole chip.
fn labelled_bytes(name: &str) -> u64 {
    let label = name
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    let bytes = label.and_then(|(label, _)| label.parse::<ByteCount>().ok());
    bytes.map_or(u64::MAX, ByteCount::bytes)
}
