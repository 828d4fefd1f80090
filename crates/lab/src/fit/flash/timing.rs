//! The typical columns. A sheet ties its typical program and erase to the mean over the first ten thousand cycles of
//! the median block (`crates/nvm/AGEING.md`), a log shows what a fresh one takes. The model itself tells how many
//! times the one the other is: a candidate goes through one cycle.

use wordline_catalog::{Sheet, Target, parse};
use wordline_core::{WearUsage, WearWorkload};

use super::estimate::Findings;
use super::law::Interval;
use super::part::Duration;
use crate::control::Control;
use crate::error::LabError;
use crate::fit::sheet::{Change, changed};
use crate::wear::{Step, courses};

/// Typical column of the candidates that are timed, in seconds.
const PROVISIONAL_S: f64 = 1e-3;

/// Typical columns that make the first operations take as long as a log has them.
pub(super) struct Timing<'a> {
    pub(super) target: &'a Target<'a>,
    /// The changes of the table aging.
    pub(super) ageing: Vec<Change>,
    pub(super) findings: &'a Findings,
    pub(super) seed: u64,
}

impl Timing<'_> {
    /// The typical column of a duration whose fresh operation takes so long, in seconds. Its interval takes in what is
    /// not known of the figures that tie the two.
    pub(super) fn typical(
        &self,
        duration: &Duration<'_>,
        step: Step,
        fresh: Interval,
        columns: &dyn Fn(&'static str, f64) -> Change,
    ) -> Result<Option<Interval>, LabError> {
        let Some(factor) = self.factor(duration, step, &[])? else {
            return Ok(None);
        };
        let mut low = ((fresh.value - fresh.least) / fresh.value).powi(2);
        let mut high = ((fresh.most - fresh.value) / fresh.value).powi(2);
        for (name, interval, _) in &self.findings.ageing {
            if interval.least == interval.most {
                continue;
            }
            for end in [interval.least, interval.most] {
                let moved = columns(name, end);
                if let Some(there) = self.factor(duration, step, &[moved])? {
                    let by = libm::log(there / factor);
                    let side = if by < 0.0 { &mut low } else { &mut high };
                    *side += by * by;
                }
            }
        }
        Ok(Some(Interval {
            value: fresh.value * factor,
            least: fresh.value * factor * (1.0 - low.sqrt()),
            most: fresh.value * factor * (1.0 + high.sqrt()),
        }))
    }

    /// How many times a fresh operation the typical column is; `None` where no cycle has such an operation.
    fn factor(
        &self,
        duration: &Duration<'_>,
        step: Step,
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
        let workload = WearWorkload {
            blocks: 1,
            usages: vec![WearUsage::FirstPage],
            most_cycles: 1,
            ..WearWorkload::default()
        };
        let control = Control::default();
        let lives = with(self.target, &changes, |target| {
            courses(target, &workload, self.seed, &control)
        })?;
        let first = lives
            .iter()
            .flatten()
            .find_map(|course| course.at_s(0, step));
        Ok(first.map(|first| PROVISIONAL_S / first))
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
