//! How long a candidate lives: until its rated cycles are used up, until data no longer keep, and until its chips
//! report failures.
//!
//! The first two are what a life is, unless a study asks for the third: a sheet promises data that keep after so many
//! cycles, and a failure that the chip reports says only that a cell no longer reaches its target. That one is a
//! distribution, kept apart from the rest.

use std::ops::RangeInclusive;

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{Period, Quantity as _};
use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, CompareWorkload, LifeBy, Metric, ResultSet, WorkKind};
use wordline_nvm::ageing::{AgeingSheet, Environment, Keeping, Outlook, Survival};

use crate::sources;
use crate::subject::Subject;
use crate::warning::LabWarning;

const YEAR_S: f64 = 365.25 * 86_400.0;

/// Years after which survival is reported.
const YEARS: [u32; 6] = [1, 2, 5, 10, 20, 50];

/// Share of the memories that still work at the end of a life by reported failures: one of a hundred does not.
const SURE: f64 = 0.99;

/// Cycles that no block stands.
const CYCLES_MAX: f64 = 1e15;

/// Bisections of a number of cycles, on a logarithmic scale from one cycle on: to a part in 10^4 or less.
const HALVINGS: u32 = 20;

/// How the work wears the units that it wears most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wearing {
    /// Cycles that they brought.
    pub(super) before: f64,
    /// Rated cycles that they have left.
    pub(super) left: f64,
    /// Time in seconds in which each of them goes through a cycle.
    pub(super) cycle_s: f64,
    /// Units of a chip that wear so.
    pub(super) units: f64,
    /// Chips.
    pub(super) parts: f64,
    /// Bad blocks of a chip that a translation layer works with, where there is one.
    pub(super) bad_blocks_max: Option<u32>,
}

/// Until when a candidate works.
#[derive(Debug)]
pub(super) struct Life {
    /// The one that limits ask for, in seconds.
    pub(super) decides: Result<f64, NoValue>,
    /// What it is the least of, by its name, where the sheet says what keeps.
    ends: Vec<(&'static str, Result<f64, NoValue>)>,
    status_fail: Option<StatusFail>,
    /// What the reader should know of it.
    pub(super) notes: Vec<String>,
}

/// What survives until a failure that the chip reports counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// The memory: no chip has used up its spare blocks.
    Memory,
    /// All blocks of the memory.
    FirstBlock,
    /// Any block.
    Block,
}

impl Whose {
    const ALL: [Self; 3] = [Self::Memory, Self::FirstBlock, Self::Block];

    /// As the column `of` of rows spells it.
    const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::FirstBlock => "first-block",
            Self::Block => "block",
        }
    }
}

/// The distribution of the time until the chip reports a failure, under the wear of the work.
#[derive(Debug)]
struct StatusFail {
    survival: Survival,
    wearing: Wearing,
    needed: u64,
    spares: RangeInclusive<u32>,
}

/// The life of a candidate that the work wears so.
pub(super) fn life(
    target: &PartOnBoard<'_>,
    study: &CompareWorkload,
    wearing: Result<Wearing, NoValue>,
) -> Life {
    let mut life = Life {
        decides: wearing.map(|wearing| wearing.left * wearing.cycle_s),
        ends: Vec::new(),
        status_fail: None,
        notes: Vec::new(),
    };
    if let (Some(retain), None) = (study.work.retain, study.limits.life) {
        life.notes.push(format!(
            "that data keep for {retain} is not judged, for no --min-life says after how much wear"
        ));
    }
    let Ok(wearing) = wearing else {
        return life;
    };
    let by = study.limits.life_by();
    let Some(outlook) = outlook(target) else {
        life.without_figures(study);
        return life;
    };
    let environment = Environment {
        celsius: study.work.celsius(),
        ..Environment::default()
    };
    let fails = StatusFail::new(&outlook, &environment, wearing);
    let (name, end) = match by {
        LifeBy::Rated => ("rated-cycles", life.decides),
        LifeBy::StatusFail => ("status-fail", Ok(fails.seconds(Whose::Memory, SURE))),
    };
    let kept = kept(&outlook, &environment, study, wearing, &mut life.notes);
    life.ends = vec![(name, end), ("retention", kept)];
    // A life without end is longer than any other.
    let seconds = |end: Result<f64, NoValue>| end.unwrap_or(f64::INFINITY);
    life.decides = Ok(seconds(end).min(seconds(kept)));
    if by == LifeBy::StatusFail {
        life.notes.push(
            "its life is until 1 % of such memories have used up their spare blocks by failures that the chip \
             reports: no promise of its maker"
                .to_owned(),
        );
    }
    if seconds(kept) < seconds(end) {
        life.notes
            .push("its life ends with what keeps, before its cycles are used up".to_owned());
    }
    life.status_fail = Some(fails);
    life
}

/// What the sheet says of ageing; `None` where it says nothing.
fn outlook<'a>(target: &PartOnBoard<'a>) -> Option<Outlook<'a>> {
    target.part.model.flash()?.outlook()
}

/// Time in seconds until data that are kept as the study asks can no longer be corrected.
fn kept(
    outlook: &Outlook<'_>,
    environment: &Environment,
    study: &CompareWorkload,
    wearing: Wearing,
    notes: &mut Vec<String>,
) -> Result<f64, NoValue> {
    let work = &study.work;
    let keeping = Keeping {
        kept_s: work.retain_s(),
        celsius: work.celsius(),
        reads: reads(outlook, study),
        // The first page of a block sees all others programmed.
        programs: outlook.pages - 1,
    };
    let kept = outlook
        .kept(environment, &keeping)
        .ok_or(NoValue::Unbounded)?;
    let loss = study.limits.page_loss();
    let cycles = kept.cycles(loss).ok_or(NoValue::Unbounded)?;
    if cycles == 0.0 {
        notes.push(format!(
            "even a fresh page is lost with a probability of {:.1e}, by programs and reads around it; {loss:.1e} is \
             allowed (--max-page-loss)",
            kept.page_loss(0.0)
        ));
    } else if cycles < wearing.before + wearing.left {
        notes.push(format!(
            "what must keep for {} at {} degrees Celsius does so up to {cycles:.0} cycles",
            Period::from_si(keeping.kept_s),
            keeping.celsius
        ));
    }
    Ok((cycles - wearing.before).max(0.0) * wearing.cycle_s)
}

/// Reads of a block in each of its cycles, where the study says how many there are.
fn reads(outlook: &Outlook<'_>, study: &CompareWorkload) -> f64 {
    let work = &study.work;
    if work.kind == WorkKind::Replay {
        return 0.0;
    }
    let page = f64::from(outlook.page_bytes);
    let record = work.record.si();
    let block = page * f64::from(outlook.pages);
    let read = block * work.reads() / work.stored_share();
    read / record * (record / page).ceil()
}

impl Life {
    /// What is missing to say more than that the rated cycles last so long.
    fn without_figures(&mut self, study: &CompareWorkload) {
        if study.limits.life_by() == LifeBy::StatusFail {
            self.decides = Err(NoValue::NotApplicable);
            self.notes.push(format!(
                "when it reports failures is unknown: its sheet lacks the table aging, with {}",
                AgeingSheet::FIGURES.join(", ")
            ));
        } else {
            // What the sheets do not know cannot pass a limit.
            if study.work.retain.is_some() {
                self.decides = Err(NoValue::NotApplicable);
            }
            self.notes.push(
                "how long data keep is unknown: its sheet has no table aging; its life is by rated cycles alone, and \
                 unknown where --retain asks for more"
                    .to_owned(),
            );
        }
    }

    /// Adds its rows but for the one that decides.
    pub(super) fn rows(
        &self,
        subject: &Subject,
        target: &PartOnBoard<'_>,
        document: &mut ResultSet,
    ) {
        for (cause, end) in &self.ends {
            let at = subject.at(Axis::Cause, *cause);
            at.add(Metric::Lifetime, *end, document);
        }
        let Some(fails) = &self.status_fail else {
            return;
        };
        sources::add_ageing(document, target);
        document.warn(LabWarning::StatusFail);
        let subject = subject.estimate(Basis::Simulated, "status-fail");
        for whose in Whose::ALL {
            let subject = subject.at(Axis::Population, whose.name());
            for years in YEARS {
                let at = subject.at(Axis::AfterYears, u64::from(years));
                let left = fails.left(whose, f64::from(years) * YEAR_S / fails.wearing.cycle_s);
                at.add(Metric::SurvivalProbability, Ok(left), document);
            }
            for share in [SURE, 0.5] {
                let at = subject.at(Axis::Survivors, share);
                let seconds = fails.seconds(whose, share);
                at.add(Metric::Lifetime, Ok(seconds), document);
            }
        }
    }
}

impl StatusFail {
    fn new(outlook: &Outlook<'_>, environment: &Environment, wearing: Wearing) -> Self {
        let factory = outlook.bad_most;
        // Without a layer as many blocks are spare as a sample has fewer bad ones than the sheet allows.
        let (needed, spares) = match wearing.bad_blocks_max {
            Some(most) => (
                u64::from(outlook.blocks.saturating_sub(most)),
                most.saturating_sub(factory)..=most,
            ),
            None => (wearing.units.ceil() as u64, 0..=factory),
        };
        Self {
            survival: outlook.survival(environment),
            wearing,
            needed,
            spares,
        }
    }

    /// Probability that something survives so many cycles of the units that wear most, of those where it has survived
    /// what they brought.
    fn left(&self, whose: Whose, cycles: f64) -> f64 {
        let left = |cycles| {
            let chip = |spares| self.survival.chip(cycles, self.needed, spares);
            match whose {
                Whose::Memory => libm::pow(chip(self.spares.clone()), self.wearing.parts),
                Whose::FirstBlock => libm::pow(chip(0..=0), self.wearing.parts),
                Whose::Block => self.survival.block(cycles),
            }
        };
        let before = self.wearing.before;
        let then = if before > 0.0 { left(before) } else { 1.0 };
        match then {
            some if some > 0.0 => (left(before + cycles) / some).min(1.0),
            _ => 0.0,
        }
    }

    /// Time in seconds until a share is left.
    fn seconds(&self, whose: Whose, share: f64) -> f64 {
        let (mut low, mut high) = (0.0, libm::log(CYCLES_MAX));
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.left(whose, libm::exp(middle)) < share {
                high = middle;
            } else {
                low = middle;
            }
        }
        libm::exp(f64::midpoint(low, high)) * self.wearing.cycle_s
    }
}
