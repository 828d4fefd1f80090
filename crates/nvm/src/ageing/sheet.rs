//! The figures that ageing needs, as a sheet states them.

use serde::Deserialize;
use wordline_core::quantity::Cycles;
use wordline_core::{Figure, Sourced};

use crate::problem::Problems;

/// How the oxide of a flash chip wears: the table `aging` of its sheet. A part without it does not age.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "aging")]
pub struct AgeingSheet {
    /// Cycles until a program or an erase fails, of the median block of the median chip at 25 °C, when its first
    /// page is programmed and it is erased, over and over.
    pub endurance: Figure<Cycles>,
    /// Spread of strength from chip to chip: standard deviation of its natural logarithm.
    pub chip_spread: Sourced<f64>,
    /// The same from block to block of a chip.
    pub block_spread: Sourced<f64>,
    /// Weibull shape of the strengths of a block's pages.
    pub page_shape: Sourced<f64>,
    /// Share of the blocks that are weak.
    pub weak_share: Sourced<f64>,
    /// Strength of a weak block, as a share of that of a normal one.
    pub weak_strength: Sourced<f64>,
    /// Share of a cycle's stress that its erase does, and does to every page of the block.
    pub erase_stress: Sourced<f64>,
    /// Stress of a cycle at 5 °C, as a multiple of that at 25 °C.
    pub cold_stress: Sourced<f64>,
    /// By how much a tenfold dwell between program and erase, beyond a second, divides the stress: 1 + this, 1 + twice
    /// this and so on.
    pub dwell_relief: Sourced<f64>,
    /// Pulses of a program of a fresh page.
    pub program_pulses: Sourced<u32>,
    /// Pulses that are saved once the traps that the oxide was made with have filled up.
    pub program_pulses_early: Sourced<u32>,
    /// Pulses that wear saves over the rest of life.
    pub program_pulses_late: Sourced<u32>,
    /// Cycles in which all but a part 1/e of these traps fill up.
    pub early_cycles: Sourced<f64>,
    /// Loops of an erase of a fresh block.
    pub erase_loops: Sourced<u32>,
    /// The last loop: a block that needs another one fails.
    pub erase_loops_last: Sourced<u32>,
    /// Share of the shift at the end of life that traps at the interface make; those in the bulk make the rest.
    pub interface_share: Sourced<f64>,
    /// Exponent of the cycles in what traps at the interface add.
    pub interface_exponent: Sourced<f64>,
    /// The same of traps in the bulk.
    pub bulk_exponent: Sourced<f64>,
    /// Wrong bits of a page for each later program of another page of its block.
    pub program_disturb: Sourced<f64>,
    /// Reads of a fresh block after which a page of it has one wrong bit on average.
    pub read_disturb: Sourced<f64>,
    /// Share of the bits of a page at its rated cycles that are wrong after a year at 55 °C.
    pub retention_errors: Sourced<f64>,
    /// Activation energy of retention, in electronvolts.
    pub retention_energy: Sourced<f64>,
    /// Cycles after which an erase of the median block takes twice as long as a fresh one. With `erase_exponent` it
    /// replaces the law of the traps for erases; without both, loops are added by that law over the block's life.
    pub erase_doubling: Option<Sourced<f64>>,
    /// Exponent of the cycles in what wear adds to the time of an erase.
    pub erase_exponent: Option<Sourced<f64>>,
    /// Exponent of the cycles in what leaks, 1 where it is not stated. Bits of NOR flash go wrong where it is stated
    /// alone: most sheets of NOR flash promise that none do.
    pub retention_exponent: Option<Sourced<f64>>,
}

impl AgeingSheet {
    /// Names of the figures that every table has.
    pub const FIGURES: [&'static str; 22] = [
        "endurance",
        "chip_spread",
        "block_spread",
        "page_shape",
        "weak_share",
        "weak_strength",
        "erase_stress",
        "cold_stress",
        "dwell_relief",
        "program_pulses",
        "program_pulses_early",
        "program_pulses_late",
        "early_cycles",
        "erase_loops",
        "erase_loops_last",
        "interface_share",
        "interface_exponent",
        "bulk_exponent",
        "program_disturb",
        "read_disturb",
        "retention_errors",
        "retention_energy",
    ];

    /// Names of the figures that a table may have.
    pub const OPTIONAL: [&'static str; 3] =
        ["erase_doubling", "erase_exponent", "retention_exponent"];

    /// Cycles after which an erase takes twice as long, and the exponent of its growth, where both are stated.
    #[must_use]
    pub fn erase_growth(&self) -> Option<(f64, f64)> {
        let (doubling, exponent) = (self.erase_doubling.as_ref()?, self.erase_exponent.as_ref()?);
        Some((*doubling.value(), *exponent.value()))
    }

    /// The optional figures that are stated, by name.
    pub fn optional(&self) -> impl Iterator<Item = (&'static str, &Sourced<f64>)> {
        let all = [
            &self.erase_doubling,
            &self.erase_exponent,
            &self.retention_exponent,
        ];
        let named = Self::OPTIONAL.into_iter().zip(all);
        named.filter_map(|(name, figure)| Some((name, figure.as_ref()?)))
    }

    /// What contradicts itself or physics.
    pub(crate) fn check(&self, problems: &mut Problems) {
        problems.positive("aging.endurance", &self.endurance);
        if self.endurance.nominal().count() > CYCLES_MAX {
            problems.add(
                "aging.endurance",
                format!("allowed: up to {CYCLES_MAX} cycles"),
            );
        }
        for (name, value, least, most) in [
            ("chip_spread", &self.chip_spread, 0.0, 3.0),
            ("block_spread", &self.block_spread, 0.0, 3.0),
            ("page_shape", &self.page_shape, 0.5, 50.0),
            ("weak_share", &self.weak_share, 0.0, 1.0),
            ("weak_strength", &self.weak_strength, 1e-6, 1.0),
            ("erase_stress", &self.erase_stress, 0.01, 1.0),
            ("cold_stress", &self.cold_stress, 0.1, 10.0),
            ("dwell_relief", &self.dwell_relief, 0.0, 10.0),
            ("early_cycles", &self.early_cycles, 0.01, 1e9),
            ("interface_share", &self.interface_share, 0.0, 1.0),
            ("interface_exponent", &self.interface_exponent, 0.01, 4.0),
            ("bulk_exponent", &self.bulk_exponent, 0.01, 4.0),
            ("program_disturb", &self.program_disturb, 0.0, 1e3),
            ("read_disturb", &self.read_disturb, 1.0, 1e18),
            ("retention_errors", &self.retention_errors, 0.0, 0.5),
            ("retention_energy", &self.retention_energy, 0.0, 5.0),
        ] {
            if !(least..=most).contains(value.value()) {
                let message = format!("allowed: {least} to {most}");
                problems.add(&format!("aging.{name}"), message);
            }
        }
        for ((name, figure), (least, most)) in self.optional().map(|one| (one, Self::range(one.0)))
        {
            if !(least..=most).contains(figure.value()) {
                let message = format!("allowed: {least} to {most}");
                problems.add(&format!("aging.{name}"), message);
            }
        }
        for (one, name, other) in [
            (&self.erase_doubling, "erase_doubling", &self.erase_exponent),
            (&self.erase_exponent, "erase_exponent", &self.erase_doubling),
        ] {
            if one.is_some() && other.is_none() {
                let message =
                    "erase_doubling and erase_exponent make a law together: state both or none";
                problems.add(&format!("aging.{name}"), message);
            }
        }
        self.check_pulses(problems);
    }

    /// What an optional figure may be.
    fn range(name: &str) -> (f64, f64) {
        match name {
            "erase_doubling" => (1.0, CYCLES_MAX as f64),
            _ => (0.01, 4.0),
        }
    }

    fn check_pulses(&self, problems: &mut Problems) {
        let (fresh, early, late) = (
            *self.program_pulses.value(),
            *self.program_pulses_early.value(),
            *self.program_pulses_late.value(),
        );
        if !(1..=PULSES_MAX).contains(&fresh) {
            let message = format!("allowed: 1 to {PULSES_MAX}");
            problems.add("aging.program_pulses", message);
        } else if early.saturating_add(late) >= fresh {
            let message = "together with program_pulses_early it must leave one pulse at least";
            problems.add("aging.program_pulses_late", message);
        }
        let (fresh, last) = (*self.erase_loops.value(), *self.erase_loops_last.value());
        if !(1..=PULSES_MAX).contains(&fresh) {
            let message = format!("allowed: 1 to {PULSES_MAX}");
            problems.add("aging.erase_loops", message);
        } else if !(fresh..=PULSES_MAX).contains(&last) {
            let message = format!("allowed: {fresh} to {PULSES_MAX}");
            problems.add("aging.erase_loops_last", message);
        }
    }
}

/// The most pulses or loops of an operation.
const PULSES_MAX: u32 = 1000;

/// The most cycles that a block can stand, so that its stress fits a count.
const CYCLES_MAX: u64 = 1_000_000_000_000;
