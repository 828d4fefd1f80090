//! Points are run, and what each came to is judged.

use wordline_core::ResultSet;
use wordline_core::Workload;
use wordline_core::explore::{ExcludedBy, ExclusionBasis};
use wordline_core::sweep::{PointPlace, Sweep};

use super::excluded::PointExclusion;
use super::{Effort, Explorer, PointState, RunPoint};
use crate::control::Control;
use crate::error::LabError;
use crate::instrument::case::{self, Case};
use crate::sweep::{experiment_of, guarded};

impl Explorer<'_> {
    pub(super) fn run(
        &self,
        places: &[PointPlace],
        wanted: &[usize],
        effort: Effort,
        control: &Control<'_>,
    ) -> Result<Vec<(usize, Option<RunPoint>)>, LabError> {
        let cases = wanted.iter().map(|index| {
            let place = &places[*index];
            let words = match effort {
                Effort::Rough => "rough",
                Effort::Full => "in full",
            };
            Case::new(
                format!("point {}, {words}", place.point),
                1,
                move |control: &Control<'_>| {
                    let control = Control {
                        progress: None,
                        is_rough: effort == Effort::Rough,
                        ..*control
                    };
                    self.point(place, effort, &control)
                },
            )
        });
        let ended = case::run(cases.collect(), control)?.into_iter();
        let ended = wanted.iter().zip(ended).map(|(index, ended)| {
            let ended = ended.transpose().map(Option::flatten)?;
            Ok((*index, ended))
        });
        ended.collect()
    }

    /// Runs a point; none where it was stopped before its end.
    fn point(
        &self,
        place: &PointPlace,
        effort: Effort,
        control: &Control<'_>,
    ) -> Result<Option<RunPoint>, LabError> {
        let failed = |error: LabError| match error {
            // Every other point would fail by it as well.
            LabError::Store(_) => Err(error),
            error => {
                let state = self.failed(place, effort, &error, control);
                // What was stopped says nothing of the point.
                Ok((!control.stopped()).then_some((state, None)))
            }
        };
        let sweep = match effort {
            Effort::Rough => self.rough.as_ref().unwrap_or(&self.full),
            Effort::Full => &self.full,
        };
        let experiment = match experiment_of(self.catalog, sweep, place) {
            Ok(experiment) => experiment,
            Err(error) => return failed(error),
        };
        if effort == Effort::Rough {
            match self.bound(place) {
                Ok(Some(limit)) => {
                    let state = PointState::Excluded(PointExclusion {
                        by: ExcludedBy::Bound,
                        reason: limit.to_owned(),
                        basis: ExclusionBasis::Proven,
                        margin: None,
                    });
                    return Ok(Some((state, None)));
                }
                Ok(None) => {}
                Err(error) => return failed(error),
            }
        }
        let ran = || match self.store {
            Some(store) => store
                .run_with(&self.keys, self.catalog, &experiment, control)
                .map(|run| run.document),
            None => crate::run(self.catalog, &experiment, control),
        };
        let document = match guarded(ran) {
            Ok(document) if document.complete => document,
            Ok(_) => return Ok(None),
            Err(error) => return failed(error),
        };
        let state = self.judged(&document, self.basis(effort));
        Ok(Some((
            state,
            (effort == Effort::Full).then(|| Box::new(document)),
        )))
    }

    /// What a run says for certain. A rough run without fields of its own is the real one.
    fn basis(&self, effort: Effort) -> ExclusionBasis {
        match effort {
            Effort::Rough if self.rough.is_some() => ExclusionBasis::Sampled,
            Effort::Rough | Effort::Full => ExclusionBasis::Run,
        }
    }

    /// What the failure of a run says of its point. Where the real experiment is refused before its first operation, it is
    /// no candidate for certain. Where only the rough one is, nothing is known.
    fn failed(
        &self,
        place: &PointPlace,
        effort: Effort,
        error: &LabError,
        control: &Control<'_>,
    ) -> PointState {
        let refusal = |sweep: &Sweep| {
            let planned = || {
                let experiment = experiment_of(self.catalog, sweep, place)?;
                crate::plan(self.catalog, &experiment, control)
            };
            guarded(planned).err()
        };
        let (basis, reason) = match refusal(&self.full) {
            // A panic proves nothing but a fault of ours.
            Some(refusal) if !matches!(refusal, LabError::Fault { .. }) => {
                (ExclusionBasis::Proven, refusal.to_string())
            }
            _ => (self.basis(effort), error.to_string()),
        };
        let is_rough = basis == ExclusionBasis::Sampled;
        if is_rough && self.rough.as_ref().and_then(refusal).is_some() {
            return PointState::Unjudged;
        }
        PointState::Excluded(PointExclusion {
            by: ExcludedBy::Failure,
            reason,
            basis,
            margin: None,
        })
    }

    /// The limit by which a proven bound excludes the real experiment of a point.
    pub(super) fn bound(&self, place: &PointPlace) -> Result<Option<&'static str>, LabError> {
        let experiment = experiment_of(self.catalog, &self.full, place)?;
        match &experiment.workload {
            Workload::Compare(study) => crate::compare::excluded(self.catalog, study, &experiment),
            _ => Ok(None),
        }
    }

    /// What a document says of its point.
    fn judged(&self, document: &ResultSet, basis: ExclusionBasis) -> PointState {
        let excluded = |by, reason, margin| {
            PointState::Excluded(PointExclusion {
                by,
                reason,
                basis,
                margin,
            })
        };
        if let Some(verdict) = document.verdicts.iter().find(|verdict| !verdict.pass) {
            return excluded(ExcludedBy::Limit, verdict.limit.clone(), verdict.margin);
        }
        let mut values = Vec::new();
        for objective in &self.space.objectives {
            match objective.value(document) {
                Some(value) => values.push(value),
                None => return excluded(ExcludedBy::NoNumber, objective.name(), None),
            }
        }
        PointState::Values(values)
    }
}
