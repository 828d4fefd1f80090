//! The typical columns. A sheet ties its typical program and erase to the mean over the first ten thousand cycles of
//! the median block (`crates/nvm/AGEING.md`), a log shows what a fresh one takes, or where pulses are not known what the
//! first cycles of its blocks take. The model itself tells how many times the one the other is: a candidate goes
//! through these cycles.

use wordline_catalog::{Sheet, Target, parse};
use wordline_core::{WearUsage, WearWorkload};

use super::estimate::{Findings, Latency, MEAN_CYCLES};
use super::law::Interval;
use super::part::Duration;
use super::statistics::median;
use crate::control::Control;
use crate::error::LabError;
use crate::fit::sheet::{Change, changed};
use crate::wear::{Step, courses};

/// Typical column of the candidates that are timed, in seconds.
const PROVISIONAL_S: f64 = 1e-3;

/// Chips and blocks of each whose first cycles stand for the part.
const SAMPLES: u32 = 5;
const BLOCKS: u32 = 8;

/// Typical columns that make the first operations take as long as a log has them.
pub(super) struct Timing<'a> {
    pub(super) target: &'a Target<'a>,
    /// The changes of the table aging.
    pub(super) ageing: Vec<Change>,
    pub(super) findings: &'a Findings,
    pub(super) usage: WearUsage,
    pub(super) seed: u64,
}

impl Timing<'_> {
    /// The typical column of a duration whose operations take so long, in seconds. Of fresh ones its interval takes in
    /// what is not known of the figures that tie the two.
    pub(super) fn typical(
        &self,
        duration: &Duration<'_>,
        step: Step,
        latency: &Latency,
        columns: &dyn Fn(&'static str, f64) -> Change,
    ) -> Result<Option<Interval>, LabError> {
        let seen = latency.interval;
        let Some(factor) = self.factor(duration, step, latency.fresh, &[])? else {
            return Ok(None);
        };
        if !latency.fresh {
            return Ok(Some(Interval {
                value: seen.value * factor,
                least: seen.least * factor,
                most: seen.most * factor,
            }));
        }
        let mut low = ((seen.value - seen.least) / seen.value).powi(2);
        let mut high = ((seen.most - seen.value) / seen.value).powi(2);
        for (name, interval, _) in &self.findings.ageing {
            if interval.least == interval.most {
                continue;
            }
            for end in [interval.least, interval.most] {
                let moved = columns(name, end);
                if let Some(there) = self.factor(duration, step, true, &[moved])? {
                    let by = libm::log(there / factor);
                    let side = if by < 0.0 { &mut low } else { &mut high };
                    *side += by * by;
                }
            }
        }
        Ok(Some(Interval {
            value: seen.value * factor,
            least: seen.value * factor * (1.0 - low.sqrt()),
            most: seen.value * factor * (1.0 + high.sqrt()),
        }))
    }

    /// How many times an operation, a fresh one or the mean of the first cycles, the typical column is; `None` where no
    /// cycle has such an operation.
    fn factor(
        &self,
        duration: &Duration<'_>,
        step: Step,
        fresh: bool,
        moved: &[Change],
    ) -> Result<Option<f64>, LabError> {
        let is_moved = |change: &&Change| moved.iter().all(|one| one.path != change.path);
        let mut changes: Vec<Change> = self.ageing.iter().filter(is_moved).cloned().collect();
        changes.extend(moved.iter().cloned());
        changes.push(Change {
            path: duration.path.clone(),
            // A maximum that nothing reaches cuts nothing off.
            columns: "typ = \"1 ms\", max = \"1 s\"".to_owned(),
        });
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
        let seconds: Vec<f64> = seconds.collect();
        Ok((!seconds.is_empty()).then(|| PROVISIONAL_S / median(&seconds)))
    }
}

/// Does something with a target whose part has some figures changed.
///
/// # Errors
/// When the figures contradict each other, and those of `run`.
pub(super) fn with<T>(
    target: &Target<'_>,
    changes: &[Change],
    run: impl FnOnce(&Target<'_>) -> Result<T, LabError>,
) -> Result<T, LabError> {
    let problem = |problem: String| LabError::List {
        what: "base",
        problem: format!("{}: {problem}", target.part.header.id),
    };
    let text = changed(&target.part.header.text, changes);
    let text = text.map_err(|error| problem(error.to_string()))?;
    match parse(&target.part.header.file, &text) {
        Ok(Sheet::Part(part)) => run(&Target {
            name: target.name.clone(),
            part: &part,
            board: target.board,
        }),
        Ok(_) => Err(problem("its sheet is none of a part".to_owned())),
        Err(errors) => Err(LabError::Catalog(wordline_catalog::CatalogError::Sheets(
            errors,
        ))),
    }
}
