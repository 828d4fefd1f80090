//! Measurements on this machine, which does other things as well: cases are repeated, and medians count.
//!
//! Repeats go round: every case once, and then every case again, so that what disturbs the machine for a while spoils a
//! repeat of several cases and not all repeats of one. The first round warms the machine up and counts nothing. A repeat
//! that was without the processor, which its rows of [`Metric::ProcessorLost`](wordline_core::Metric::ProcessorLost)
//! show, is measured again, as often at most as there are to be repeats. [`summary`] makes one document of all repeats of
//! a case: nothing here knows a workload.

mod summary;
mod values;

pub(crate) use values::RepeatedValues;

use wordline_core::{Experiment, ResultSet};

use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::instrument::case::{DocumentCase, run_fallible};

/// What a case does each time, into an empty document.
type Work<'a> = dyn Fn(&Control<'_>, &mut ResultSet) -> Result<(), LabError> + Send + Sync + 'a;

/// A case that may be repeated.
pub(crate) struct RepeatedCase<'a> {
    name: String,
    repeats: Option<u64>,
    work: Box<Work<'a>>,
}

impl<'a> RepeatedCase<'a> {
    /// A case with so many repeats that count; without a number one that is the same each time, and is run once.
    pub(crate) fn new(
        name: impl Into<String>,
        repeats: Option<u64>,
        work: impl Fn(&Control<'_>, &mut ResultSet) -> Result<(), LabError> + Send + Sync + 'a,
    ) -> Self {
        Self {
            name: name.into(),
            repeats,
            work: Box::new(work),
        }
    }
}

/// What was found of a case so far.
enum CaseRuns {
    /// It is run once.
    Once(Option<ResultSet>),
    /// It failed once, and is not run again.
    Failed(ResultSet),
    /// It is repeated.
    Repeated {
        wanted: usize,
        /// Runs so far; the first one warms up.
        runs: usize,
        repeats: Vec<ResultSet>,
    },
}

impl CaseRuns {
    fn of(case: &RepeatedCase<'_>) -> Self {
        match case.repeats {
            None => Self::Once(None),
            Some(wanted) => Self::Repeated {
                wanted: wanted as usize,
                runs: 0,
                repeats: Vec::new(),
            },
        }
    }

    /// Whether it is to be run, or run again.
    fn is_due(&self) -> bool {
        match self {
            Self::Once(found) => found.is_none(),
            Self::Failed(_) => false,
            Self::Repeated {
                wanted,
                runs,
                repeats,
            } => {
                let most = 1 + 2 * wanted;
                *runs < most
                    && (repeats.len() < *wanted || summary::lost_too_many(repeats, *wanted))
            }
        }
    }

    /// Takes what a run found. One that was stopped within is no repeat.
    fn take(&mut self, run: ResultSet) {
        match self {
            Self::Once(found) => *found = Some(run),
            Self::Failed(_) => {}
            Self::Repeated { .. } if run.failed() => *self = Self::Failed(run),
            Self::Repeated { runs, repeats, .. } => {
                *runs += 1;
                if *runs > 1 && run.complete {
                    repeats.push(run);
                }
            }
        }
    }

    fn document(self) -> Option<ResultSet> {
        match self {
            Self::Once(found) => found,
            Self::Failed(run) => Some(run),
            Self::Repeated {
                wanted, repeats, ..
            } => summary::of(&repeats, wanted),
        }
    }
}

/// Runs cases and adds what they found to the document, in the order of the list: first those that are run once, then, on
/// one thread, the others round by round.
///
/// # Errors
/// The first failure.
pub(crate) fn run_into(
    document: &mut ResultSet,
    cases: &[RepeatedCase<'_>],
    experiment: &Experiment,
    control: &Control<'_>,
) -> Result<(), LabError> {
    let mut runs: Vec<CaseRuns> = cases.iter().map(CaseRuns::of).collect();
    let planned = cases
        .iter()
        .map(|case| case.repeats.map_or(1, |repeats| repeats + 1));
    let (planned, mut done) = (planned.sum::<u64>(), 0);
    // What is measured shares the machine with nothing.
    for (once, threads) in [(true, control.threads), (false, 1)] {
        loop {
            let is_due =
                |place: &usize| cases[*place].repeats.is_none() == once && runs[*place].is_due();
            let due: Vec<usize> = (0..cases.len()).filter(is_due).collect();
            if due.is_empty() || control.stopped() {
                break;
            }
            let all = planned.max(done + due.len() as u64);
            let progress = |round: Progress<'_>| {
                control.report(Progress {
                    step: round.step,
                    done_bytes: done + round.done_bytes,
                    total_bytes: all,
                });
            };
            let own = Control {
                threads,
                progress: control.progress.is_some().then_some(&progress),
                ..*control
            };
            let round = due.iter().map(|&place| {
                let case = &cases[place];
                DocumentCase::document(&case.name, 1, experiment, &case.work)
            });
            for (&place, found) in due.iter().zip(run_fallible(round.collect(), &own)?) {
                found
                    .transpose()?
                    .into_iter()
                    .for_each(|run| runs[place].take(run));
            }
            done += due.len() as u64;
        }
    }
    for run in runs {
        document.complete &= !run.is_due();
        run.document()
            .into_iter()
            .for_each(|part| document.absorb(part));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
