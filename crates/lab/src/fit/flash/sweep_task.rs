//! One fit of raw flash to a sweep: every second size of each operation is held out.

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::human;
use wordline_core::{Axis, Basis, Experiment, FitWorkload, Metric, Operation, ResultSet, Timing};
use wordline_trace::sweep::SweepPoint;

use super::figures::{FitOutcome, FittedFigure};
use super::part::FlashPart;
use super::score::HALVES;
use super::statistics::mean;
use super::sweep::{FigureSweep, Of, durations, typical};
use crate::control::Control;
use crate::error::{LabError, LogProblem};
use crate::fit::sheet::SheetChange;
use crate::fit::{Estimate, written};
use crate::subject::{Axes, Subject};
use crate::warning::{LabWarning, LeftOpen};

/// Sizes of an operation from which every second one is held out.
const HELD_OUT_FROM: usize = 8;

/// One fit.
pub(super) struct SweepTask<'a> {
    pub(super) target: &'a PartOnBoard<'a>,
    pub(super) part: &'a FlashPart<'a>,
    pub(super) workload: &'a FitWorkload,
    pub(super) experiment: &'a Experiment,
    pub(super) points: &'a [SweepPoint],
    pub(super) control: &'a Control<'a>,
}

impl SweepTask<'_> {
    /// The sheet and the figures in it; `None` when the caller wants to stop.
    pub(super) fn run(
        &self,
        document: &mut ResultSet,
    ) -> Result<Option<(String, Vec<Estimate>)>, LabError> {
        let halves = self.halves();
        let sweep = FigureSweep {
            target: self.target,
            durations: durations(self.part),
            experiment: self.experiment,
            control: self.control,
        };
        let Some(found) = sweep.fit(&halves[0])? else {
            return Ok(None);
        };
        let mut figures = Vec::new();
        let mut besides = Vec::new();
        for (of, interval) in &found {
            match of {
                Of::Figure(place) if interval.value > 0.0 => {
                    let duration = sweep.durations[*place];
                    figures.push(FittedFigure::duration(duration, *interval, 0.0));
                }
                Of::Figure(place) => {
                    return Err(self.refuse(LogProblem::NoSuchPart {
                        figure: sweep.durations[*place].path.clone(),
                        value: human(interval.value, "s", 3),
                        target: self.target.name.clone(),
                    }));
                }
                Of::Access(operation) => besides.push((operation, "an access", *interval)),
                Of::Byte(operation) => besides.push((operation, "a byte", *interval)),
            }
        }
        if figures.is_empty() {
            return Err(self.refuse(LogProblem::FewSizes));
        }
        for (operation, each, interval) in besides {
            if interval.least <= 0.0 && 0.0 <= interval.most {
                continue;
            }
            let seconds = |one: f64| human(one, "s", 3);
            document.warn(LabWarning::SlowHost {
                file: &self.workload.source.file,
                longer: &seconds(interval.value),
                each: &each,
                done: &(match operation {
                    Operation::Read => "read",
                    Operation::Write => "written",
                }),
                board: &self.target.board.header.id,
                least: &seconds(interval.least),
                most: &seconds(interval.most),
            });
        }
        let changes: Vec<SheetChange> = sweep
            .durations
            .iter()
            .filter_map(|duration| {
                let mut all = figures.iter();
                let figure = all.find(|one| one.change.path == duration.path)?;
                Some(typical(duration, figure.estimate.value))
            })
            .collect();
        let mut apart = [0.0; 3];
        for (half, points) in halves.iter().enumerate() {
            let Some(times) = sweep.times(&changes, points)? else {
                return Ok(None);
            };
            let both = points.iter().zip(&times);
            let ratios: Vec<f64> = both
                .map(|(point, time)| libm::log(time / point.seconds).abs())
                .collect();
            apart[half] = mean(&ratios).0;
            self.rows(half, points, &times, document);
        }
        let open = self.open(&figures);
        let outcome = FitOutcome {
            target: self.target,
            workload: self.workload,
            of: format!("accesses of {} sizes", halves[0].len()),
            noun: "sizes",
            open: &open,
            apart: Some(apart),
        };
        outcome.warn(document);
        let sheet = outcome.sheet(self.part.model, &figures)?;
        written::add_sources(&sheet, self.target, document);
        let estimates = figures.into_iter().map(|one| one.estimate).collect();
        Ok(Some((sheet, estimates)))
    }

    /// The sizes that are fitted, and those that are held out.
    fn halves(&self) -> [Vec<&SweepPoint>; 2] {
        let mut halves = [Vec::new(), Vec::new()];
        for operation in [Operation::Read, Operation::Write] {
            let of = self.points.iter().filter(|one| one.operation == operation);
            let mut of: Vec<&SweepPoint> = of.collect();
            of.sort_by_key(|one| one.bytes);
            let some = of.len() >= HELD_OUT_FROM;
            for (place, point) in of.into_iter().enumerate() {
                halves[usize::from(some && place % 2 == 1)].push(point);
            }
        }
        halves
    }

    fn open(&self, figures: &[FittedFigure]) -> Vec<(&'static str, LeftOpen)> {
        let names = ["page_read", "page_program", "block_erase", "duration"];
        let missing = durations(self.part).into_iter().filter_map(|duration| {
            let fitted = figures.iter().any(|one| one.change.path == duration.path);
            let name = names
                .into_iter()
                .find(|name| duration.path.ends_with(name))?;
            (!fitted).then_some((name, LeftOpen::NotInSizes))
        });
        let ageing = ("aging", LeftOpen::AgeingOfSweep);
        missing.chain([ageing]).collect()
    }

    fn rows(&self, half: usize, points: &[&SweepPoint], times: &[f64], document: &mut ResultSet) {
        let (file, id) = (&self.workload.source.file, &self.workload.id);
        let board = &self.target.board.header.id;
        let fitted = [Basis::Calibrated, Basis::Simulated][half];
        for (target, part, board, basis) in [
            (format!("log:{file}"), file, "", Basis::Measured),
            (format!("{id}@{board}"), id, board.as_str(), fitted),
        ] {
            for (point, time) in points.iter().zip(times) {
                let subject = Subject {
                    target: target.clone(),
                    part: part.clone(),
                    board: board.to_owned(),
                    workload: self.experiment.workload.name(),
                    operation: point.operation.into(),
                    axes: Axes::new(),
                    timing: Timing::Typ,
                    age: 0.0,
                    basis,
                };
                let subject = subject
                    .at(Axis::Half, HALVES[half])
                    .at(Axis::AccessBytes, point.bytes)
                    .at(Axis::Statistic, "mean");
                let seconds = if basis == Basis::Measured {
                    point.seconds
                } else {
                    *time
                };
                subject.add(Metric::LatencyMean, Ok(seconds), document);
            }
        }
    }

    fn refuse(&self, problem: LogProblem) -> LabError {
        problem.of(&self.workload.source.file)
    }
}
