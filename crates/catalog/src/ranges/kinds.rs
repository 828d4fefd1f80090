//! The kinds of figures that have a range while they are assumed: how far one may lie away, what it changes, and which end
//! is worse.

use crate::{estimate, figures};

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
pub(super) const RETENTION_CELSIUS: f64 = 55.0;

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
