//! The range of each unpublished figure of a sheet, and targets whose figures take other values within their ranges.
//!
//! Two things make a range, and add up where both hold:
//!
//! 1. The value itself is open. Its sheet states a range, `range = ["8 ms", "150 ms"]`: what others of its class were
//!    measured to have, or what others of its family or kind have where it is estimated. Otherwise it is assumed or
//!    estimated, and lies within the factor of its [kind](KINDS), up and down.
//! 2. The `max` column of a time or a current is missing, or no source states it: it lies between `typ` and
//!    [so many times](FigureKind::max_over_typ) that, wherever `typ` lies in its own range. An estimate states the range
//!    of its `max` itself, `max_range`.
//!
//! All other figures stand as they are: their `min`, `typ` and `max` are what a maker or a measurement states, and the
//! timing classes choose between them. What cannot be moved along a range, such as the choices of a card's firmware, is an
//! [open choice](OPEN_CHOICES): a verdict that it changes is never certain. The rest of what is assumed changes no verdict,
//! or is set by whoever designs the board; the tests of this module name it, figure by figure, with the reason.

use std::ops::Range;
use std::str::FromStr;

use toml::de::{DeTable, DeValue};
use wordline_core::quantity::{
    ByteCount, Current, Cycles, DataRate, Fraction, Frequency, Money, Period, Quantity,
    QuantityError, Time, number_and_unit,
};
use wordline_core::{Basis, Timing};
use wordline_nvm::Problem;

use crate::sheet::parse;
use crate::{Board, Catalog, Header, Part, PartOnBoard, Sheet};
use crate::{estimate, figures};

mod open;

pub use open::{OPEN_CHOICES, OpenChoice, UnknownChoice};

/// What a figure changes in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Influence {
    /// Time, and with it rate, RAM, latency, risk and hold-up, and the energy of what takes longer.
    Time,
    /// How long the memory lives.
    Life,
    /// How long it lives where a failure that it reports ends a life.
    Failures,
    /// Energy, and the capacitor that holds the supply up.
    Power,
    /// The price.
    Price,
    /// How many bytes a chip holds.
    Capacity,
    /// Which accesses the memory takes.
    Rules,
    /// How far the supply may fall.
    Supply,
}

/// Which end of a range a user would rather not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adverse {
    /// The larger value: a time, a current, a price.
    High,
    /// The smaller value: an endurance, a rate.
    Low,
    /// Of an activation energy that is stated with a rate at 55 °C: the smaller value where data are kept below that,
    /// the larger one above.
    LowWhenCool,
}

/// The temperature in degrees Celsius at which sheets state rates of retention.
const RETENTION_CELSIUS: f64 = 55.0;

/// Figures that differ among parts for the same reasons, and by how much they do.
#[derive(Debug, PartialEq)]
pub struct FigureKind {
    /// What tables and messages call it.
    pub name: &'static str,
    /// Its figures, by the last parts of their names.
    pub figures: &'static [&'static str],
    /// What it changes.
    pub influence: Influence,
    /// The end that is worse.
    pub adverse: Adverse,
    /// What says how far an assumed figure may lie away.
    pub evidence: Evidence,
}

/// What the factor of a kind rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// The sourced figures of the catalogue: exp(1.645 σ), where σ is the standard deviation of their logarithms among
    /// parts of one technology. Nine of ten figures of a log-normal spread lie within.
    Catalogue,
    /// The same, but while the catalogue has too few sourced figures of this kind, that of the kind of the same quantity
    /// that differs most.
    Borrowed(&'static str),
    /// A judgement: the factor and its reason.
    Judgement(f64, &'static str),
}

/// Every kind of figure that has a range while it is assumed.
pub static KINDS: [FigureKind; 34] = [
    FigureKind {
        name: "program time",
        figures: &[
            "page_program",
            "page_program_without_ecc",
            "byte_program_first",
            "byte_program_next",
            "eeprom.write_cycle",
        ],
        influence: Influence::Time,
        adverse: Adverse::High,
        evidence: Evidence::Catalogue,
    },
    FigureKind {
        name: "erase time",
        figures: &["block_erase", "duration"],
        influence: Influence::Time,
        adverse: Adverse::High,
        evidence: Evidence::Catalogue,
    },
    FigureKind {
        name: "array read time",
        figures: &["page_read", "page_read_without_ecc"],
        influence: Influence::Time,
        adverse: Adverse::High,
        evidence: Evidence::Catalogue,
    },
    FigureKind {
        name: "bus and register time",
        figures: &[
            "read_access",
            "read_cycle",
            "write_cycle",
            "write_pulse",
            "deselect",
            "deselect_after_read",
            "deselect_after_write",
            "cache_busy",
            "cache_program_busy",
            "plane_busy",
            "turnaround",
            "t_rtw",
        ],
        influence: Influence::Time,
        adverse: Adverse::High,
        evidence: Evidence::Catalogue,
    },
    FigureKind {
        name: "wake-up and suspend time",
        figures: &[
            "wake_up",
            "power_up",
            "sleep_entry",
            "program_latency",
            "erase_latency",
            "program_progress",
            "erase_progress",
        ],
        influence: Influence::Time,
        adverse: Adverse::High,
        evidence: Evidence::Borrowed("array read time"),
    },
    FigureKind {
        name: "bus clock",
        figures: &["opcode.clock"],
        influence: Influence::Time,
        adverse: Adverse::Low,
        evidence: Evidence::Borrowed("bus and register time"),
    },
    FigureKind {
        name: "driver time",
        figures: &["dma_setup", "command", "poll_interval", "controller"],
        influence: Influence::Time,
        adverse: Adverse::High,
        evidence: Evidence::Borrowed("array read time"),
    },
    FigureKind {
        name: "firmware time",
        figures: &["command_time", "write_time", "housekeeping"],
        influence: Influence::Time,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(
            21.0,
            "from one end of the widest range that was measured to the other: the longest writes of consumer cards last \
             6.4 to 133 ms (sd-card-writes), and a class without measurements may differ as much",
        ),
    },
    FigureKind {
        name: "response time",
        figures: &["response"],
        influence: Influence::Time,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(
            32.0,
            "a card answers a command after 2 to 64 clocks by its specification",
        ),
    },
    FigureKind {
        name: "idle time",
        figures: &["idle_after"],
        influence: Influence::Time,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(
            100.0,
            "no source states when a card begins to work by itself: within a fraction of a millisecond, or after a \
             second",
        ),
    },
    FigureKind {
        name: "channel rate",
        figures: &["transfer"],
        influence: Influence::Time,
        adverse: Adverse::Low,
        evidence: Evidence::Borrowed("array read time"),
    },
    FigureKind {
        name: "active current",
        figures: &[
            "read_current",
            "program_current",
            "erase_current",
            "write_current",
            "current",
            "idd0",
            "idd4r",
            "idd4w",
        ],
        influence: Influence::Power,
        adverse: Adverse::High,
        evidence: Evidence::Catalogue,
    },
    FigureKind {
        name: "standby current",
        figures: &["standby", "deep_power_down", "idd2n", "idd3n"],
        influence: Influence::Power,
        adverse: Adverse::High,
        evidence: Evidence::Borrowed("host current"),
    },
    FigureKind {
        name: "host current",
        figures: &["run_current", "sleep_current"],
        influence: Influence::Power,
        adverse: Adverse::High,
        evidence: Evidence::Catalogue,
    },
    FigureKind {
        name: "endurance",
        figures: &["endurance"],
        influence: Influence::Life,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(
            3.3,
            "NAND with two bits a cell is rated for 3,000 to 10,000 cycles, with one bit for 50,000 to 100,000 and more",
        ),
    },
    FigureKind {
        name: "rate of wrong bits",
        figures: &["retention_errors", "program_disturb"],
        influence: Influence::Life,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(
            3.0,
            "no sheet of the catalogue has a sourced rate, and no source at hand says how far dies of one type differ",
        ),
    },
    FigureKind {
        name: "price",
        figures: &["cost"],
        influence: Influence::Price,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(
            2.0,
            "distributors and quantities differ by this; the catalogue has too few prices to tell",
        ),
    },
    FigureKind {
        name: "reads to a wrong bit",
        figures: &["read_disturb"],
        influence: Influence::Life,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(
            10.0,
            "the one publication at hand names 10^5 and 10^6 reads in one breath (Desnoyers, HotStorage 2009, section 2.1)",
        ),
    },
    FigureKind {
        name: "activation energy",
        figures: &["retention_energy"],
        influence: Influence::Life,
        adverse: Adverse::LowWhenCool,
        evidence: Evidence::Judgement(
            1.8,
            "charge that detraps has a higher energy than charge that leaks through worn oxide, and no source at hand says \
             which one limits a part",
        ),
    },
    FigureKind {
        name: "growth of retention loss",
        figures: &["retention_exponent"],
        influence: Influence::Life,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(2.0, "no sheet of the catalogue has a sourced exponent"),
    },
    FigureKind {
        name: "cycles to a failure",
        figures: &["aging.endurance"],
        influence: Influence::Failures,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(
            100.0,
            "blocks stand from their rated cycles to nearly a hundred times as many (Desnoyers, HotStorage 2009, section \
             3.2), and a sheet may state either end",
        ),
    },
    FigureKind {
        name: "spread of strength",
        figures: &["chip_spread", "block_spread"],
        influence: Influence::Failures,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(
            3.0,
            "publications at hand speak of great variance without a number",
        ),
    },
    FigureKind {
        name: "shape of strength",
        figures: &["page_shape"],
        influence: Influence::Failures,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(
            3.0,
            "Weibull shapes of oxide breakdown run from about 1 for thin oxides to more than 10 for thick ones",
        ),
    },
    FigureKind {
        name: "share of weak blocks",
        figures: &["weak_share"],
        influence: Influence::Failures,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(
            10.0,
            "publications at hand speak of a small number of outliers",
        ),
    },
    FigureKind {
        name: "strength of weak blocks",
        figures: &["weak_strength"],
        influence: Influence::Failures,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(
            10.0,
            "a weak block may fail at its first cycles, or be half as strong as the others",
        ),
    },
    FigureKind {
        name: "stress of an erase",
        figures: &["erase_stress"],
        influence: Influence::Failures,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(
            3.0,
            "which of erase and program wears more depends on the voltages of a process, which makers do not state",
        ),
    },
    FigureKind {
        name: "stress in the cold",
        figures: &["cold_stress"],
        influence: Influence::Failures,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(2.0, "one publication has a factor of about two"),
    },
    FigureKind {
        name: "relief of a dwell",
        figures: &["dwell_relief"],
        influence: Influence::Failures,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(
            10.0,
            "publications at hand find relief between none and several times the life",
        ),
    },
    FigureKind {
        name: "growth of erase time",
        figures: &[
            "erase_loops",
            "interface_share",
            "interface_exponent",
            "bulk_exponent",
            "erase_doubling",
            "erase_exponent",
        ],
        influence: Influence::Time,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(
            2.0,
            "makers do not state the loops of an erase, nor which traps make it longer",
        ),
    },
    FigureKind {
        name: "loops of a worn erase",
        figures: &["erase_loops_last"],
        influence: Influence::Time,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(
            3.0,
            "the one publication at hand has a factor of three or more between the first erase and the last",
        ),
    },
    FigureKind {
        name: "bad blocks",
        figures: &["bad_blocks_max"],
        influence: Influence::Capacity,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(
            2.0,
            "sheets of NAND allow one to four of a hundred blocks to be bad, most of them two",
        ),
    },
    FigureKind {
        name: "programs of a page",
        figures: &["programs_per_page"],
        influence: Influence::Rules,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(
            4.0,
            "sheets of NAND allow one to four programs of a page between erases",
        ),
    },
    FigureKind {
        name: "correctable bits",
        figures: &["host_ecc_bits"],
        influence: Influence::Life,
        adverse: Adverse::Low,
        evidence: Evidence::Judgement(
            4.0,
            "sheets of NAND with one bit a cell ask for 1 to 8 bits in 512 bytes",
        ),
    },
    FigureKind {
        name: "unit of wear",
        figures: &["wear_unit"],
        influence: Influence::Life,
        adverse: Adverse::High,
        evidence: Evidence::Judgement(
            4.0,
            "rows of memories that are written byte by byte have 8 to 32 bytes, where sheets state them",
        ),
    },
];

/// Figures of all kinds of an influence.
pub(crate) const MAX_OVER_TYP_OF_CURRENTS: &str = "currents";
pub(crate) const MAX_OVER_TYP_OF_TIMES: &str = "times";

/// The row of the stored distributions that says how far the largest values of a kind lie above the typical ones, among
/// parts of one technology or of all.
pub(crate) fn max_over_typ_of(what: &str, technology: Option<&str>) -> String {
    let of = technology.map_or_else(String::new, |technology| format!(" of {technology}"));
    format!("{what}{of}: max over typ")
}

/// The technology of a figure, by the table of the model that it stands in. What a card holds is NAND.
pub(crate) fn technology(figure: &str) -> &str {
    match figure.split(['.', '[']).next().unwrap_or_default() {
        "card" => "nand",
        table => table,
    }
}

impl FigureKind {
    /// Nine of ten ratios of `max` to `typ` lie below this: an unpublished `max` lies between `typ` and this many times
    /// that. The ratios are those of the technology's sourced figures of this kind, one a part; where fewer than six
    /// parts state both, those of all its times or currents; and then those of all technologies, each with the same weight.
    /// `None` for what has no largest value that a design must stand: a price, an endurance.
    #[must_use]
    pub fn max_over_typ(&self, figure: &str) -> Option<f64> {
        let all = match self.influence {
            Influence::Power => MAX_OVER_TYP_OF_CURRENTS,
            Influence::Time => MAX_OVER_TYP_OF_TIMES,
            _ => return None,
        };
        let technology = technology(figure);
        let of = |what, technology| estimate::spread(&max_over_typ_of(what, technology));
        let most = of(self.name, Some(technology)).or_else(|| of(all, Some(technology)));
        let most = most.or_else(|| of(all, None));
        Some(most.expect("the catalogue has such ratios"))
    }

    /// An assumed figure lies within this factor of what its sheet says.
    #[must_use]
    pub fn factor(&self) -> f64 {
        let of_catalogue = |name| estimate::spread(name);
        match self.evidence {
            Evidence::Judgement(factor, _) => Some(factor),
            Evidence::Catalogue => of_catalogue(self.name),
            Evidence::Borrowed(other) => of_catalogue(self.name).or_else(|| of_catalogue(other)),
        }
        .expect("the catalogue has figures of this kind or of that which it borrows from")
    }

    /// The kind of a figure by its dotted name, without what is in brackets; `None` for one without a range.
    #[must_use]
    pub fn of(figure: &str) -> Option<&'static Self> {
        let plain = figures::without_labels(figure);
        let names = |name: &&str| {
            plain == *name
                || plain
                    .strip_suffix(*name)
                    .is_some_and(|before| before.ends_with('.'))
        };
        // The longer name is the more exact one: `eeprom.write_cycle` is no `write_cycle` of a bus.
        let found = KINDS.iter().filter_map(|kind| {
            let longest = kind.figures.iter().filter(|name| names(name));
            Some((longest.map(|name| name.len()).max()?, kind))
        });
        found
            .max_by_key(|(length, _)| *length)
            .map(|(_, kind)| kind)
    }
}

/// Whether a sheet is that of the part or that of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Part,
    Board,
}

/// A figure of a target that may lie elsewhere than its sheet says.
#[derive(Clone, Debug, PartialEq)]
pub struct UncertainFigure {
    owner: Owner,
    /// Id of the sheet.
    pub sheet: String,
    /// Dotted path of the figure in it.
    pub figure: String,
    /// What kind of figure it is.
    pub kind: &'static FigureKind,
    /// Where its value comes from. That of a column which the source does not state is assumed.
    pub basis: Basis,
    /// The parts that it was found in, where it is estimated: `page program of 54 serial NOR parts`.
    pub sample: Option<String>,
    /// Its value in the timing class, in the SI unit.
    pub value: f64,
    /// Unit of the value.
    pub unit: &'static str,
    /// The least factor that it may lie away by: 1 and less.
    pub low: f64,
    /// The largest: 1 and more.
    pub high: f64,
    columns: Vec<ColumnText>,
    /// The range that the sheet states, which must hold a value that is moved.
    range: Option<RangeText>,
    /// That of its largest value, which must hold a value that is moved as well.
    max_range: Option<RangeText>,
}

impl UncertainFigure {
    /// What replaces which bytes of its sheet's text, with its value times a factor.
    fn times(&self, factor: f64) -> Edit {
        let columns = self.columns.iter();
        let mut edit: Edit = columns
            .clone()
            .map(|column| (column.span.clone(), column.written(column.times(factor))))
            .collect();
        let Some(first) = self.columns.first() else {
            return edit;
        };
        for range in [&self.range, &self.max_range].into_iter().flatten() {
            let si = |column: &ColumnText| column.times(factor) * column.si_of_one();
            let values = columns.clone().map(si);
            let [low, high] = values.fold(range.ends, |[low, high], value| {
                [low.min(value), high.max(value)]
            });
            let one = first.si_of_one();
            let ends = [low, high].map(|end| first.written(end / one));
            edit.push((range.span.clone(), format!("[{}]", ends.join(", "))));
        }
        edit
    }

    /// The factor at the worse end of its range, or at the better one, where data are kept at a temperature in degrees
    /// Celsius.
    #[must_use]
    pub fn end(&self, adverse: bool, celsius: f64) -> f64 {
        let high_is_worse = match self.kind.adverse {
            Adverse::High => true,
            Adverse::Low => false,
            Adverse::LowWhenCool => celsius > RETENTION_CELSIUS,
        };
        if adverse == high_is_worse {
            self.high
        } else {
            self.low
        }
    }
}

/// A column that is scaled, and where its value stands in the text of the sheet.
#[derive(Clone, Debug, PartialEq)]
struct ColumnText {
    /// The value with its quotes.
    span: Range<usize>,
    number: f64,
    /// As the sheet writes it; empty for a plain number.
    unit: String,
    /// Whether it is a count.
    whole: bool,
    /// What stated columns leave it, in its unit: no `max` lies below `typ`, and no `typ` above `max`.
    bounds: [f64; 2],
}

/// A stated range: its ends in the SI unit, and where it stands in the text of the sheet.
#[derive(Clone, Debug, PartialEq)]
struct RangeText {
    ends: [f64; 2],
    span: Range<usize>,
}

/// What no other column bounds.
const UNBOUNDED: [f64; 2] = [0.0, f64::INFINITY];

impl ColumnText {
    /// Its value in the SI unit.
    fn si(&self) -> Option<f64> {
        si(&format!("{} {}", self.number, self.unit)).map(|(value, _)| value)
    }

    /// Its value in the unit of another column.
    fn in_unit_of(&self, other: &Self) -> Option<f64> {
        Some(self.si()? / other.si()? * other.number)
    }

    /// One of its unit, in the SI unit.
    fn si_of_one(&self) -> f64 {
        si(&format!("1 {}", self.unit)).map_or(1.0, |(one, _)| one)
    }

    /// The number times a factor, as far as stated columns allow.
    fn times(&self, factor: f64) -> f64 {
        let [least, most] = self.bounds;
        (self.number * factor).clamp(least, most.max(least))
    }

    /// A number in its unit, as TOML: four digits, and whole numbers of what has no fractions.
    fn written(&self, value: f64) -> String {
        let whole = self.whole || matches!(self.unit.as_str(), "cycles" | "cycle" | "B" | "ps");
        let value = match whole {
            true => value.round().max(1.0),
            false => format!("{value:.3e}").parse().unwrap_or(value),
        };
        if self.whole {
            format!("{value}")
        } else if self.unit.is_empty() {
            format!("{value:?}")
        } else {
            format!("\"{value} {}\"", self.unit)
        }
    }
}

/// A target with figures that lie elsewhere in their ranges.
#[derive(Clone, Debug)]
pub struct VariedTarget {
    name: String,
    part: Part,
    board: Board,
}

impl VariedTarget {
    /// The target, under the name of the one that it varies.
    #[must_use]
    pub fn target(&self) -> PartOnBoard<'_> {
        PartOnBoard {
            name: self.name.clone(),
            part: &self.part,
            board: &self.board,
        }
    }
}

impl Catalog {
    /// The catalogue with a varied target's sheets in place of those that it varies.
    #[must_use]
    pub fn with_varied(&self, varied: VariedTarget) -> Self {
        let mut catalog = self.clone();
        catalog.insert(Sheet::Part(Box::new(varied.part)));
        catalog.insert(Sheet::Board(Box::new(varied.board)));
        catalog
    }
}

impl PartOnBoard<'_> {
    /// The figures of part and board that have a range in a timing class, in the order of their sheets.
    #[must_use]
    pub fn uncertain_figures(&self, timing: Timing) -> Vec<UncertainFigure> {
        let part = &self.part.header;
        let board = &self.board.header;
        let mut found = uncertain(Owner::Part, &part.id, &part.text, timing);
        found.extend(uncertain(Owner::Board, &board.id, &board.text, timing));
        found
    }

    /// The target with figures of its own times factors. A value that other figures of its sheet contradict, such as a
    /// cycle shorter than the pulse within it, is moved as far as they allow.
    #[must_use]
    pub fn varied<'f>(
        &self,
        changes: impl IntoIterator<Item = (&'f UncertainFigure, f64)>,
    ) -> VariedTarget {
        let (mut part, mut board) = (Vec::new(), Vec::new());
        for (figure, factor) in changes {
            let edits = match figure.owner {
                Owner::Part => &mut part,
                Owner::Board => &mut board,
            };
            edits.push((figure, factor));
        }
        let of_part = match edited(&self.part.header, &part) {
            Some(Sheet::Part(part)) => *part,
            _ => self.part.clone(),
        };
        let of_board = match edited(&self.board.header, &board) {
            Some(Sheet::Board(board)) => *board,
            _ => self.board.clone(),
        };
        VariedTarget {
            name: self.name.clone(),
            part: of_part,
            board: of_board,
        }
    }
}

/// What replaces which bytes of a sheet's text, for one figure.
type Edit = Vec<(Range<usize>, String)>;

/// Steps by which a value that a sheet contradicts approaches the one that it allows: to a thousandth of the way.
const STEPS: u32 = 10;

/// A sheet with figures times factors, each as far as it agrees with the rest of the sheet; `None` without any.
fn edited(header: &Header, changes: &[(&UncertainFigure, f64)]) -> Option<Sheet> {
    let with = |changes: &[(&UncertainFigure, f64)]| {
        let edits = changes.iter().map(|(figure, factor)| figure.times(*factor));
        let mut edits: Edit = edits.flatten().collect();
        edits.sort_by_key(|(span, _)| span.start);
        let mut text = header.text.to_string();
        for (span, value) in edits.into_iter().rev() {
            text.replace_range(span, &value);
        }
        parse(&header.file, &text).ok()
    };
    if changes.is_empty() {
        return None;
    }
    with(changes).or_else(|| {
        let mut kept = Vec::new();
        let mut sheet = None;
        for &(figure, factor) in changes {
            // The way from where it stands to where it shall lie, halved until what is left does not matter.
            let (mut sound, mut refused) = (0.0_f64, None);
            for _ in 0..STEPS {
                let way = refused.map_or(1.0, |refused: f64| f64::midpoint(sound, refused));
                kept.push((figure, factor.powf(way)));
                match with(&kept) {
                    Some(found) => {
                        sheet = Some(found);
                        sound = way;
                    }
                    None => refused = Some(way),
                }
                kept.pop();
                if sound >= 1.0 {
                    break;
                }
            }
            if sound > 0.0 {
                kept.push((figure, factor.powf(sound)));
            }
        }
        sheet
    })
}

/// Ranges that nothing makes use of: those of figures that are no [kind](KINDS), such as a capacity or the bytes of a page,
/// which are what they are.
pub(crate) fn unused(tree: &DeTable<'_>) -> Vec<Problem> {
    let mut found = Vec::new();
    figures::each(tree, &mut |start, path, table| {
        let stated = ["range", "max_range"]
            .into_iter()
            .find(|key| table.contains_key(*key));
        if let Some(key) = stated
            && figures::provenance(table).is_some()
            && FigureKind::of(path).is_none()
        {
            let message = format!(
                "no result makes use of a {key} of this figure; state its value alone, and say assumed = true with a reason \
                 where no source states it"
            );
            let path = path.to_owned();
            found.push((start, Problem { path, message }));
        }
    });
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, problem)| problem).collect()
}

/// The figures of a sheet that have a range. A sheet that is no TOML has none.
fn uncertain(owner: Owner, sheet: &str, text: &str, timing: Timing) -> Vec<UncertainFigure> {
    let Ok(tree) = estimate::tree(text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    figures::each(&tree, &mut |start, path, table| {
        let stated = Stated::of(text, table);
        if let Some(figure) = stated.and_then(|stated| stated.uncertain(owner, sheet, path, timing))
        {
            found.push((start, figure));
        }
    });
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, figure)| figure).collect()
}

/// What a figure's table states.
struct Stated {
    basis: Basis,
    source: String,
    /// Column by its name, in the order of [`COLUMNS`].
    columns: Vec<(&'static str, ColumnText)>,
    assumed: Vec<String>,
    range: Option<RangeText>,
    max_range: Option<RangeText>,
}

/// The keys of a figure that hold numbers.
const COLUMNS: [&str; 4] = ["min", "typ", "max", "value"];

impl Stated {
    fn of(text: &str, table: &DeTable<'_>) -> Option<Self> {
        let (basis, source) = figures::provenance(table)?;
        let columns = COLUMNS.iter().filter_map(|key| {
            let value = table.get(*key)?;
            let written = match value.get_ref() {
                DeValue::String(string) => string.to_string(),
                DeValue::Integer(_) | DeValue::Float(_) => text.get(value.span())?.to_owned(),
                _ => return None,
            };
            let (number, unit) = number_and_unit(&written)?;
            let (number, unit) = (number.parse().ok()?, unit.to_owned());
            let column = ColumnText {
                span: value.span(),
                number,
                unit,
                whole: matches!(value.get_ref(), DeValue::Integer(_)),
                bounds: UNBOUNDED,
            };
            Some((*key, column))
        });
        let range = |key: &str| {
            let stated = table.get(key)?;
            let ends = stated.get_ref().as_array()?;
            let end = |index: usize| Some(si(ends.get(index)?.get_ref().as_str()?)?.0);
            Some(RangeText {
                ends: [end(0)?, end(1)?],
                span: stated.span(),
            })
        };
        Some(Self {
            basis,
            source,
            columns: columns.collect(),
            assumed: figures::assumed_columns(table),
            range: range("range"),
            max_range: range("max_range"),
        })
    }

    fn column(&self, name: &str) -> Option<&ColumnText> {
        let mut columns = self.columns.iter();
        columns
            .find(|(key, _)| *key == name)
            .map(|(_, column)| column)
    }

    fn uncertain(
        &self,
        owner: Owner,
        sheet: &str,
        path: &str,
        timing: Timing,
    ) -> Option<UncertainFigure> {
        let kind = FigureKind::of(path)?;
        // What is certain of an endurance is its least column, in every timing class.
        let wanted: &[&str] = match (kind.influence, timing) {
            (Influence::Life | Influence::Failures, _) => &["min", "typ", "value", "max"],
            (_, Timing::Max) => &["max", "typ", "value", "min"],
            _ => &["typ", "value", "max", "min"],
        };
        let (used, column) = wanted
            .iter()
            .find_map(|name| Some((*name, self.column(name)?)))?;
        let (value, unit) = si(&format!("{} {}", column.number, column.unit))?;
        // No factor makes anything else of nothing.
        if value == 0.0 {
            return None;
        }
        let all = || {
            self.columns
                .iter()
                .map(|(_, column)| column.clone())
                .collect()
        };
        let with_range = |range: Option<&RangeText>, basis, low, high, columns| {
            let own = self.max_range.as_ref();
            let max_range = own.filter(|own| range.is_none_or(|range| range.span != own.span));
            Some(UncertainFigure {
                owner,
                sheet: sheet.to_owned(),
                figure: path.to_owned(),
                kind,
                basis,
                sample: (basis == Basis::Estimated).then(|| sample(&self.source)),
                value,
                unit,
                low,
                high,
                columns,
                range: range.cloned(),
                max_range: max_range.cloned(),
            })
        };
        // The column with what the other one leaves it, where that is stated.
        let bounded = |column: &ColumnText| {
            let of = |name: &str| {
                let other = self.column(name).filter(|_| name != used);
                let stated = other.filter(|_| self.assumed.iter().all(|assumed| assumed != name));
                stated.and_then(|other| other.in_unit_of(column))
            };
            let least = if used == "max" { of("typ") } else { None };
            let most = if used == "typ" { of("max") } else { None };
            ColumnText {
                bounds: [least.unwrap_or(0.0), most.unwrap_or(f64::INFINITY)],
                ..column.clone()
            }
        };
        if let (Some(stated), "max") = (&self.max_range, used) {
            let column = bounded(column);
            let [low, high] = stated.ends.map(|end| end / value);
            let low = low.max(column.bounds[0] / column.number);
            let (low, high) = (low.min(1.0), high.max(1.0));
            return with_range(Some(stated), self.basis, low, high, vec![column]);
        }
        // Where no source states the largest value, the typical one and the usual ratio stand for it.
        let most = kind.max_over_typ(path).filter(|_| {
            let largest = used == "typ" || (used == "max" && self.is_open("max"));
            largest && kind.adverse == Adverse::High && timing != Timing::Typ
        });
        let typ = self.column("typ").filter(|_| most.is_some());
        let (name, from) = typ.map_or((used, column), |typ| ("typ", typ));
        let from = from.si()?;
        let [low, high] = match &self.range {
            Some(stated) => stated.ends,
            None if self.is_open(name) => [from / kind.factor(), from * kind.factor()],
            None => [from; 2],
        };
        let high = high * most.filter(|_| typ.is_some()).unwrap_or(1.0);
        // A largest value may lie above its class's range already.
        let (low, high) = ((low / value).min(1.0), (high / value).max(1.0));
        if (low, high) == (1.0, 1.0) {
            return None;
        }
        if self.range.is_some() || self.basis.is_unsourced() {
            return with_range(self.range.as_ref(), self.basis, low, high, all());
        }
        with_range(None, Basis::Assumed, low, high, vec![bounded(column)])
    }

    /// Whether no source states a column.
    fn is_open(&self, column: &str) -> bool {
        self.basis.is_unsourced() || self.assumed.iter().any(|name| name == column)
    }
}

/// What the source of an estimated figure says before its ranges.
fn sample(source: &str) -> String {
    let sample = source.split_once(": ").map_or(source, |(sample, _)| sample);
    sample.to_owned()
}

/// A quantity of any kind that has a range, in its SI unit.
fn si(text: &str) -> Option<(f64, &'static str)> {
    fn of<T: Quantity + FromStr<Err = QuantityError>>(text: &str) -> Option<f64> {
        text.trim().parse::<T>().ok().map(Quantity::si)
    }
    type Parser = fn(&str) -> Option<f64>;
    let tried: [(Parser, &'static str); 8] = [
        (of::<Time>, "s"),
        (of::<Period>, "s"),
        (of::<Cycles>, "cycles"),
        (of::<Current>, "A"),
        (of::<DataRate>, "B/s"),
        (of::<Money>, "EUR"),
        (of::<Frequency>, "Hz"),
        (of::<ByteCount>, "B"),
    ];
    let found = tried.iter().find_map(|(of, unit)| Some((of(text)?, *unit)));
    found.or_else(|| of::<Fraction>(text).map(|value| (value, "1")))
}

#[cfg(test)]
mod exempt;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::SourcedFigure;
