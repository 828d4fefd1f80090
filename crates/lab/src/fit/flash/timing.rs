//! The typical columns. A sheet ties its typical program and erase to the mean over the first ten thousand cycles of
//! the median block (`crates/nvm/AGEING.md`), a log shows what a fresh one takes, or where pulses are not known what the
//! first cycles of its blocks take. The model itself shows how many times the one the other is: a candidate goes
//! through these cycles.

use wordline_catalog::{PartOnBoard, Sheet, parse};
use wordline_core::{WearUsage, WearWorkload};
use wordline_nvm::ageing::AgeingSheet;

use super::estimate::{EstimateFindings, Latency, LatencyOf, MEAN_CYCLES, chips_error, middle};
use super::law::LawInterval;
use super::part::Duration;
use super::statistics::NORMAL;
use crate::control::Control;
use crate::error::{BaseProblem, LabError, SettingProblem};
use crate::fit::sheet::{SheetChange, changed};
use crate::wear::{CourseStep, courses};

/// Typical column of the candidates that are timed, in seconds.
const PROVISIONAL_S: f64 = 1e-3;

/// Chips and blocks of each, all median ones, whose first cycles stand for the part: their pages differ.
const SAMPLES: u32 = 5;
const BLOCKS: u32 = 8;

/// Typical columns that make the first operations take as long as a log has them.
pub(super) struct ArrayTiming<'a> {
    pub(super) target: &'a PartOnBoard<'a>,
    /// The table aging of the base, and its changes. They take all chips and blocks to be median ones, to which a sheet
    /// ties its columns.
    pub(super) base: &'a AgeingSheet,
    pub(super) ageing: Vec<SheetChange>,
    pub(super) findings: &'a EstimateFindings,
    pub(super) usage: WearUsage,
    pub(super) seed: u64,
}

/// The columns of a figure of the table aging that has a value.
type Columns<'a> = dyn Fn(&'static str, f64) -> SheetChange + 'a;

impl ArrayTiming<'_> {
    /// The typical column of a duration whose operations take so long, in seconds. Its interval takes in what is not
    /// known of the figures that tie the two.
    pub(super) fn typical(
        &self,
        duration: &Duration<'_>,
        step: CourseStep,
        latency: &Latency,
        columns: &Columns<'_>,
    ) -> Result<Option<LawInterval>, LabError> {
        let seen = latency.interval;
        let Some(model) = self.model(duration, step, latency.of, &[])? else {
            return Ok(None);
        };
        let [down, up] = match latency.of {
            LatencyOf::Fresh => self.figures_apart(duration, step, columns)?,
            LatencyOf::TheseChips => self.chips_apart(duration, step, columns)?,
            LatencyOf::Chips => [0.0, 0.0],
        };
        let below = |one: &LawInterval| (one.value - one.least) / one.value;
        let above = |one: &LawInterval| (one.most - one.value) / one.value;
        // What the model takes longer the column is shorter.
        let down = libm::hypot(libm::hypot(below(&seen), above(&model)), down);
        let up = libm::hypot(libm::hypot(above(&seen), below(&model)), up);
        let value = seen.value * PROVISIONAL_S / model.value;
        Ok(Some(LawInterval {
            value,
            least: value * (1.0 - down),
            most: value * (1.0 + up),
        }))
    }

    /// How far down and up, in logarithms, a column goes within the intervals of the figures that tie it to a fresh
    /// operation.
    fn figures_apart(
        &self,
        duration: &Duration<'_>,
        step: CourseStep,
        columns: &Columns<'_>,
    ) -> Result<[f64; 2], LabError> {
        let fresh = |moved: &[SheetChange]| self.model(duration, step, LatencyOf::Fresh, moved);
        let mut far = [0.0_f64; 2];
        let open = self.findings.ageing.iter();
        for (name, interval, _) in open.filter(|(_, one, _)| one.least < one.most) {
            for end in [interval.least, interval.most] {
                if let (Some(here), Some(there)) = (fresh(&[])?, fresh(&[columns(name, end)])?) {
                    let by = libm::log(here.value / there.value);
                    let side = &mut far[usize::from(by > 0.0)];
                    *side = libm::hypot(*side, by);
                }
            }
        }
        Ok(far)
    }

    /// How far down and up, in logarithms, the column of the median chip may lie from that of a few. They stay what they
    /// are when the part is moved, and with them what a fresh operation takes: it shows how the column moves. What
    /// lives leave open of the pages decides by how much, so that the farthest of what they allow counts.
    fn chips_apart(
        &self,
        duration: &Duration<'_>,
        step: CourseStep,
        columns: &Columns<'_>,
    ) -> Result<[f64; 2], LabError> {
        let found = self.findings.value("endurance").map(|one| one.value);
        let base = self.base.endurance.nominal().count() as f64;
        let best = vec![("endurance", found.unwrap_or(base))];
        let reach = libm::exp(NORMAL * chips_error(self.base, self.findings.chips));
        let mut far = [0.0_f64; 2];
        for point in self.findings.ends.iter().chain([&best]) {
            let at = |apart: f64| {
                let moved = point.iter().map(|(name, value)| match *name {
                    "endurance" => columns(name, value * apart),
                    _ => columns(name, *value),
                });
                let moved: Vec<SheetChange> = moved.collect();
                self.model(duration, step, LatencyOf::Fresh, &moved)
            };
            for (far, apart) in far.iter_mut().zip([1.0 / reach, reach]) {
                if let (Some(here), Some(there)) = (at(1.0)?, at(apart)?) {
                    *far = far.max(libm::log(here.value / there.value).abs());
                }
            }
        }
        Ok(far)
    }

    /// What an operation of the median block takes, a fresh one or the mean of the first cycles, when its typical column
    /// is the provisional one, with what the draws leave open; `None` where no cycle has such an operation.
    fn model(
        &self,
        duration: &Duration<'_>,
        step: CourseStep,
        of: LatencyOf,
        moved: &[SheetChange],
    ) -> Result<Option<LawInterval>, LabError> {
        let is_moved = |change: &&SheetChange| moved.iter().all(|one| one.path != change.path);
        let mut changes: Vec<SheetChange> = self.ageing.iter().filter(is_moved).cloned().collect();
        changes.extend(moved.iter().cloned());
        changes.push(SheetChange {
            path: duration.path.clone(),
            // A maximum that nothing reaches cuts nothing off.
            columns: "typ = \"1 ms\", max = \"1 s\"".to_owned(),
        });
        let fresh = of == LatencyOf::Fresh;
        let workload = if fresh {
            WearWorkload {
                blocks: 1,
                usages: vec![WearUsage::FirstPage],
                most_cycles: 1,
                ..WearWorkload::default()
            }
        } else {
            WearWorkload {
                blocks: BLOCKS,
                samples: SAMPLES,
                usages: vec![self.usage],
                most_cycles: MEAN_CYCLES,
                ..WearWorkload::default()
            }
        };
        let control = Control::default();
        let lives = with(self.target, &changes, |target| {
            courses(target, &workload, self.seed, &control)
        })?;
        let seconds = lives.iter().flatten().filter_map(|course| {
            if fresh {
                course.at_s(0, step)
            } else {
                course.first_mean_s(step)
            }
        });
        Ok(middle(&[seconds.collect()]))
    }
}

/// Does something with a target whose part has some figures changed.
///
/// # Errors
/// When the figures contradict each other, and those of `run`.
pub(super) fn with<T>(
    target: &PartOnBoard<'_>,
    changes: &[SheetChange],
    run: impl FnOnce(&PartOnBoard<'_>) -> Result<T, LabError>,
) -> Result<T, LabError> {
    let problem = |why| {
        let part = target.part.header.id.clone();
        SettingProblem::Base { part, why }.of("base")
    };
    let text = changed(&target.part.header.text, changes);
    let text = text.map_err(|error| problem(BaseProblem::Unchanged(error)))?;
    match parse(&target.part.header.file, &text) {
        Ok(Sheet::Part(part)) => run(&PartOnBoard {
            name: target.name.clone(),
            part: &part,
            board: target.board,
        }),
        Ok(_) => Err(problem(BaseProblem::NoPart)),
        Err(errors) => Err(LabError::Catalog(wordline_catalog::CatalogError::Sheets(
            errors,
        ))),
    }
}

#[cfg(test)]
mod tests {
    use wordline_catalog::Catalog;

    use super::super::estimate::Whole;
    use super::super::part::FlashPart;
    use super::*;

    /// The typical program of a part, when log and model have the same mean.
    fn typical(of: LatencyOf) -> LawInterval {
        let catalog = Catalog::load(&[]).expect("embedded sheets are good");
        let target = catalog.part_on_board("nand08gw3b2c").expect("it is there");
        let part = FlashPart::of(&target, WearUsage::FirstPage).expect("it ages");
        let endurance = LawInterval {
            value: 1e6,
            least: 9e5,
            most: 1.1e6,
        };
        let findings = EstimateFindings {
            chips: 1,
            ageing: vec![("endurance", endurance, Whole::Cycles)],
            ..EstimateFindings::default()
        };
        let timing = ArrayTiming {
            target: &target,
            base: part.ageing,
            ageing: Vec::new(),
            findings: &findings,
            usage: WearUsage::FirstPage,
            seed: 0,
        };
        let latency = Latency {
            interval: LawInterval {
                value: 3e-4,
                least: 3e-4,
                most: 3e-4,
            },
            of,
            longest: 3e-4,
        };
        let columns = |name: &'static str, value: f64| SheetChange {
            path: format!("nand.aging.{name}"),
            columns: format!("typ = \"{value:.0} cycles\""),
        };
        let typical = timing.typical(&part.program, CourseStep::Program, &latency, &columns);
        typical.expect("it runs").expect("it programs")
    }

    #[test]
    fn what_one_chip_takes_leaves_open_what_its_part_does() {
        let [chips, these] = [LatencyOf::Chips, LatencyOf::TheseChips].map(typical);
        assert_eq!(chips.value, these.value);
        assert!(chips.most - chips.least < 1e-6 * chips.value, "{chips:?}");
        assert!(these.least < 0.999 * these.value, "{these:?}");
        assert!(these.most > 1.001 * these.value, "{these:?}");
    }
}
