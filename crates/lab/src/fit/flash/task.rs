//! One fit of raw flash, from the blocks of a log to a sheet.

use wordline_catalog::PartOnBoard;
use wordline_core::{Experiment, FitWorkload, ResultSet, WearUsage, WearWorkload};
use wordline_trace::cycling::{BlockLife, CyclingLog, CyclingOperation};

use super::estimate::{EstimateFindings, Whole, estimate};
use super::figures::{CHOICE, FitOutcome, FittedFigure, digits, told};
use super::part::FlashPart;
use super::score::{self, Compared, NamedEstimate};
use super::timing::{ArrayTiming, with};
use crate::control::Control;
use crate::error::{LabError, LogProblem};
use crate::fit::sheet::SheetChange;
use crate::fit::{Estimate, written};
use crate::wear::{CourseStep, block_shape, courses};

/// What a cycle programmed by default.
pub(super) const USAGE: WearUsage = WearUsage::FirstPage;

/// Figures by which chips and blocks differ. Where they are none, all are median ones.
const MEDIAN: [&str; 3] = ["chip_spread", "block_spread", "weak_share"];

/// Chips and blocks of each that the fitted part is scored with.
const SAMPLES: u32 = 20;
const BLOCKS: u32 = 10;

/// One fit.
pub(super) struct FlashTask<'a> {
    pub(super) target: &'a PartOnBoard<'a>,
    pub(super) part: &'a FlashPart<'a>,
    pub(super) workload: &'a FitWorkload,
    pub(super) experiment: &'a Experiment,
    pub(super) log: &'a CyclingLog,
    pub(super) control: &'a Control<'a>,
}

impl FlashTask<'_> {
    /// The sheet and the figures in it; `None` when the caller wants to stop.
    pub(super) fn run(
        &self,
        document: &mut ResultSet,
    ) -> Result<Option<(String, Vec<Estimate>)>, LabError> {
        let [first, second] = self.halves();
        self.check_operations(&first)?;
        let findings = estimate(self.part, &first);
        let figures = self.figures(&findings)?;
        let changes: Vec<SheetChange> = figures.iter().map(|one| one.change.clone()).collect();
        let Some(part) = self.simulated(&findings, changes)? else {
            return Ok(None);
        };
        let halves = [score::of_log(&first), score::of_log(&second)];
        let named = NamedEstimate {
            file: &self.workload.source.file,
            part: &self.workload.id,
            board: &self.target.board.header.id,
            workload: self.experiment.workload.name(),
        };
        score::add(&named, [&halves[0], &halves[1]], &part, document);
        let apart = [
            score::distance(&part, &halves[0]),
            score::distance(&part, &halves[1]),
            score::distance(&halves[0], &halves[1]),
        ];
        let chips = findings.chips;
        let of = if chips == 1 {
            "1 chip".to_owned()
        } else {
            format!("{chips} chips")
        };
        let outcome = FitOutcome {
            target: self.target,
            workload: self.workload,
            of: format!("{} blocks of {of}", first.len()),
            noun: "blocks",
            open: &findings.open,
            apart: Some(apart),
        };
        outcome.warn(document);
        let sheet = outcome.sheet(self.part.model, &figures)?;
        written::add_sources(&sheet, self.target, document);
        let estimates = figures.into_iter().map(|one| one.estimate).collect();
        Ok(Some((sheet, estimates)))
    }

    /// The first half of each chip's blocks, which is fitted, and the second, which is held out.
    fn halves(&self) -> [Vec<&BlockLife>; 2] {
        let mut chips: Vec<(&str, Vec<&BlockLife>)> = Vec::new();
        for life in &self.log.blocks {
            match chips.iter_mut().find(|(chip, _)| *chip == life.chip) {
                Some((_, lives)) => lives.push(life),
                None => chips.push((&life.chip, vec![life])),
            }
        }
        let mut halves = [Vec::new(), Vec::new()];
        for (_, lives) in chips {
            let (first, second) = lives.split_at(lives.len().div_ceil(2));
            halves[0].extend(first);
            halves[1].extend(second);
        }
        halves
    }

    fn check_operations(&self, lives: &[&BlockLife]) -> Result<(), LabError> {
        let mut of_cells = lives.iter().flat_map(|life| &life.points);
        if of_cells.any(|point| point.operation != CyclingOperation::Read) {
            return Ok(());
        }
        Err(LogProblem::ReadsAlone.of(&self.workload.source.file))
    }

    /// Every figure that the log determines.
    fn figures(&self, findings: &EstimateFindings) -> Result<Vec<FittedFigure>, LabError> {
        let mut figures = Vec::new();
        for (name, interval, whole) in &findings.ageing {
            let (value, told) = match whole {
                Whole::Yes => (format!("value = {}", interval.value.round()), String::new()),
                Whole::Choice => (
                    format!("value = {}", interval.value.round()),
                    CHOICE.to_owned(),
                ),
                Whole::No => {
                    let value = format!("value = {:?}", digits(interval, interval.value));
                    (value, told(interval, |one| format!("{one}")))
                }
                Whole::Cycles => {
                    let cycles = |one: f64| format!("{:.0} cycles", one.max(1.0));
                    let value = digits(interval, interval.value);
                    (
                        format!("typ = \"{}\"", cycles(value)),
                        told(interval, cycles),
                    )
                }
            };
            figures.push(FittedFigure::new(
                self.ageing_path(name),
                value,
                *interval,
                told,
            ));
        }
        let alike = MEDIAN.map(|name| self.moved(name, 0.0));
        let differs = |one: &&FittedFigure| alike.iter().all(|other| other.path != one.change.path);
        let ageing = figures.iter().filter(differs);
        let ageing = ageing.map(|one| one.change.clone()).chain(alike.clone());
        let timing = ArrayTiming {
            target: self.target,
            base: self.part.ageing,
            ageing: ageing.collect(),
            findings,
            usage: self.workload.usage.unwrap_or(USAGE),
            seed: self.experiment.seed,
        };
        let part = self.part;
        for (duration, step, latency) in [
            (
                Some(&part.program),
                Some(CourseStep::Program),
                findings.program,
            ),
            (Some(&part.erase), Some(CourseStep::Erase), findings.erase),
            (part.read.as_ref(), None, findings.read),
        ] {
            let (Some(duration), Some(latency)) = (duration, latency) else {
                continue;
            };
            let typical = match step {
                Some(step) => {
                    let columns = |name: &'static str, value: f64| self.moved(name, value);
                    timing.typical(duration, step, &latency, &columns)?
                }
                None => Some(latency.interval),
            };
            figures.extend(
                typical.map(|typical| FittedFigure::duration(duration, typical, latency.longest)),
            );
        }
        Ok(figures)
    }

    /// A figure of the table aging at the end of its interval, within what a sheet may state.
    fn moved(&self, name: &'static str, value: f64) -> SheetChange {
        let columns = if name == "endurance" {
            format!("typ = \"{:.0} cycles\"", value.max(1.0))
        } else {
            format!("value = {value:?}")
        };
        SheetChange {
            path: self.ageing_path(name),
            columns,
        }
    }

    fn ageing_path(&self, name: &str) -> String {
        format!("{}.aging.{name}", self.part.model)
    }

    /// What blocks of the fitted part do. A log of too few chips says nothing of how chips differ: then all are the
    /// median one.
    fn simulated(
        &self,
        findings: &EstimateFindings,
        mut changes: Vec<SheetChange>,
    ) -> Result<Option<Vec<Compared>>, LabError> {
        if findings.value("chip_spread").is_none() {
            changes.push(SheetChange {
                path: self.ageing_path("chip_spread"),
                columns: "value = 0.0".to_owned(),
            });
        }
        let (_, blocks) = block_shape(self.target)?;
        let lives = self.log.blocks.iter();
        // Where the log gave up on blocks, so does the part.
        let given_up = lives
            .filter(|life| life.failed.is_none())
            .map(|life| life.cycles);
        let workload = WearWorkload {
            blocks: BLOCKS
                .min(u32::try_from(blocks / 2).unwrap_or(BLOCKS))
                .max(1),
            samples: SAMPLES,
            usages: vec![self.workload.usage.unwrap_or(USAGE)],
            most_cycles: given_up
                .max()
                .unwrap_or(WearWorkload::default().most_cycles),
            ..WearWorkload::default()
        };
        let lives = with(self.target, &changes, |target| {
            courses(target, &workload, self.experiment.seed, self.control)
        })?;
        Ok(lives.map(|lives| score::of_part(&lives)))
    }
}
