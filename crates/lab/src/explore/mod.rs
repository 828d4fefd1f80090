//! The design space instead of a list: the Pareto front of a sweep's points, without running most of them in full.
//!
//! Candidates that a proven bound excludes are never simulated. The others are run roughly; how far rough runs of a target lie from
//! real ones is measured on a sample and on everything that is run in full, and only what may still lie on the front, given
//! that difference, is run in full. So the front is that of running everything as long as no difference that was not seen
//! is more than a quarter larger than the largest that was seen of its target.

mod front;

use std::collections::BTreeMap;

use wordline_catalog::Catalog;
use wordline_core::explore::{
    DesignSpace, ExcludedBy, ExcludedPoints, ExplorationResult, ParetoPoint,
};
use wordline_core::sweep::{PointPlace, Sweep};
use wordline_core::{ResultSet, Workload};

use crate::control::Control;
use crate::error::LabError;
use crate::instrument::case::{self, Case};
use crate::store::{KeyMaker, Store};
use crate::sweep::{experiment_of, guarded};

/// Points that are run in full whatever their rough runs say, evenly over the space, so that the difference is known away
/// from the front as well; and at least so many of each target.
const SAMPLE: usize = 32;
const SAMPLE_OF_GROUP: usize = 3;

/// How much larger a difference that was not seen may be than the largest that was.
const CAUTION: f64 = 1.25;

/// What a point came to.
enum PointState {
    Excluded(ExcludedBy, String),
    Values(Vec<f64>),
}

/// A point, what it came to, and its document where it was run in full.
type RunPoint = (PointState, Option<Box<ResultSet>>);

/// How thoroughly a point is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Rough,
    Full,
}

struct Explorer<'a> {
    catalog: &'a Catalog,
    space: &'a DesignSpace,
    full: Sweep,
    /// What rough runs do; none where they are those of the experiment with verdicts that are not examined further.
    rough: Option<Sweep>,
    store: Option<&'a Store>,
    keys: KeyMaker,
}

/// Explores a design space. When `control` asks to stop, the front of what is finished comes back in a document that is not
/// complete.
///
/// # Errors
/// When the study cannot be run as it stands, threads cannot be had, or the store cannot be used.
pub fn explore(
    catalog: &Catalog,
    space: &DesignSpace,
    store: Option<&Store>,
    control: &Control<'_>,
) -> Result<ExplorationResult, LabError> {
    space.check()?;
    let full = space.sweep();
    let places = full.points()?;
    let explorer = Explorer {
        catalog,
        space,
        rough: space.coarse_sweep()?,
        full,
        store,
        keys: KeyMaker::new(),
    };
    explorer.explore(&places, control)
}

impl Explorer<'_> {
    fn explore(
        &self,
        places: &[PointPlace],
        control: &Control<'_>,
    ) -> Result<ExplorationResult, LabError> {
        let mut result = ExplorationResult::new(self.space.clone());
        result.points = places.len() as u64;
        let mut excluded = Exclusions::default();
        let is_compared = self.is_compared(places);
        let has_rough = self.rough.is_some() || is_compared;
        let mut rough = BTreeMap::<usize, Vec<f64>>::new();
        // What a rough run could not judge.
        let mut open = Vec::new();
        let all: Vec<usize> = (0..places.len()).collect();
        let mut run = BTreeMap::<usize, (Vec<f64>, Box<ResultSet>)>::new();
        let groups = self.groups(places);
        let none: Vec<f64> = vec![0.0; self.space.objectives.len()];
        let mut errors = vec![none; groups.iter().max().map_or(0, |most| most + 1)];
        if has_rough {
            for (index, ended) in self.run(places, &all, Effort::Rough, control)? {
                match ended {
                    Some((state, _)) => {
                        let by_bound = matches!(state, PointState::Excluded(ExcludedBy::Bound, _));
                        result.coarse += u64::from(!by_bound);
                        match state {
                            // Only a bound, or the same run, says for certain that it is no candidate.
                            PointState::Excluded(by, reason) => {
                                match by == ExcludedBy::Bound || self.rough.is_none() {
                                    true => excluded.add(by, reason, index),
                                    false => open.push(index),
                                }
                            }
                            PointState::Values(values) => {
                                rough.insert(index, values);
                            }
                        }
                    }
                    None => result.complete = false,
                }
            }
        }
        let mut wanted = match has_rough {
            true => {
                let mut first = self.first(&rough, &groups);
                first.append(&mut open);
                first
            }
            false => all,
        };
        while !wanted.is_empty() && result.complete {
            for (index, ended) in self.run(places, &wanted, Effort::Full, control)? {
                match ended {
                    Some((PointState::Values(values), Some(document))) => {
                        result.fine += 1;
                        if let Some(rough) = rough.get(&index) {
                            let errors = errors[groups[index]].iter_mut();
                            for (error, (one, other)) in errors.zip(values.iter().zip(rough)) {
                                *error = error.max(front::distance(*one, *other).abs());
                            }
                        }
                        run.insert(index, (values, document));
                    }
                    Some((PointState::Excluded(by, reason), _)) => {
                        result.fine += u64::from(by != ExcludedBy::Bound);
                        excluded.add(by, reason, index);
                        // What is no candidate must hide no other one.
                        rough.remove(&index);
                    }
                    Some((PointState::Values(_), None)) | None => result.complete = false,
                }
            }
            let of_group = errors.iter().map(|errors| {
                let errors = errors.iter();
                errors.map(|error| CAUTION * error).collect()
            });
            let of_group: Vec<Vec<f64>> = of_group.collect();
            let off_by = |index: usize| of_group[groups[index]].as_slice();
            wanted = match has_rough {
                true => front::near(&rough, &self.space.objectives, &off_by),
                false => Vec::new(),
            };
            wanted.retain(|index| !run.contains_key(index));
        }
        let values: BTreeMap<usize, Vec<f64>> = run
            .iter()
            .map(|(index, (values, _))| (*index, values.clone()))
            .collect();
        for index in front::front(&values, &self.space.objectives) {
            if let Some((values, document)) = run.remove(&index) {
                result.front.push(ParetoPoint {
                    point: places[index].point,
                    at: self.full.at(&places[index]),
                    values: values
                        .into_iter()
                        .map(|value| Some(value).filter(|value| value.is_finite()))
                        .collect(),
                    result: document,
                });
            }
        }
        for errors in &errors {
            for (all, error) in result.coarse_error.iter_mut().zip(errors) {
                *all = all.max(*error);
            }
        }
        result.excluded = excluded.listed(places);
        Ok(result)
    }

    /// Which points are expected to be off alike, as a number of each: those of a target, or of a value of the first axis
    /// where targets do not vary.
    fn groups(&self, places: &[PointPlace]) -> Vec<usize> {
        let mut fields = self.full.fields();
        let field = fields.clone().find(|field| *field == "targets");
        let field = field.or_else(|| fields.next());
        let mut numbers = BTreeMap::<String, usize>::new();
        let group = |place: &PointPlace| {
            let at = self.full.at(place);
            let value = field.and_then(|field| at.get(field));
            let value = value.map(ToString::to_string).unwrap_or_default();
            let next = numbers.len();
            *numbers.entry(value).or_insert(next)
        };
        places.iter().map(group).collect()
    }

    /// What is run in full first: the front of the rough runs, and a sample of everything.
    fn first(&self, rough: &BTreeMap<usize, Vec<f64>>, groups: &[usize]) -> Vec<usize> {
        let mut first = front::front(rough, &self.space.objectives);
        let mut by_group = BTreeMap::<usize, Vec<usize>>::new();
        for index in rough.keys() {
            by_group.entry(groups[*index]).or_default().push(*index);
        }
        let each = SAMPLE.div_ceil(by_group.len().max(1)).max(SAMPLE_OF_GROUP);
        for points in by_group.into_values() {
            let step = points.len().div_ceil(each).max(1);
            first.extend(points.into_iter().step_by(step));
        }
        first.sort_unstable();
        first.dedup();
        first
    }

    /// Whether points are candidates of a comparison, which proven bounds speak of.
    fn is_compared(&self, places: &[PointPlace]) -> bool {
        let first = places.first().map(|place| self.full.experiment_at(place));
        matches!(first, Some(Ok(of)) if matches!(of.workload, Workload::Compare(_)))
    }

    fn run(
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
            _ if control.stopped() => Ok(None),
            error => {
                let state = PointState::Excluded(ExcludedBy::Failure, error.to_string());
                Ok(Some((state, None)))
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
                    let state = PointState::Excluded(ExcludedBy::Bound, limit.to_owned());
                    return Ok(Some((state, None)));
                }
                Ok(None) => {}
                Err(error) => return failed(error),
            }
        }
        // A rough comparison is no document to keep: its verdicts were not examined.
        let is_kept =
            effort == Effort::Full || !matches!(experiment.workload, Workload::Compare(_));
        let ran = || match self.store.filter(|_| is_kept) {
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
        let state = self.judged(&document);
        Ok(Some((
            state,
            (effort == Effort::Full).then(|| Box::new(document)),
        )))
    }

    /// The limit by which a proven bound excludes the real experiment of a point.
    fn bound(&self, place: &PointPlace) -> Result<Option<&'static str>, LabError> {
        let experiment = experiment_of(self.catalog, &self.full, place)?;
        match &experiment.workload {
            Workload::Compare(study) => crate::compare::excluded(self.catalog, study, &experiment),
            _ => Ok(None),
        }
    }

    /// What a document says of its point.
    fn judged(&self, document: &ResultSet) -> PointState {
        if let Some(verdict) = document.verdicts.iter().find(|verdict| !verdict.pass) {
            return PointState::Excluded(ExcludedBy::Limit, verdict.limit.clone());
        }
        let mut values = Vec::new();
        for objective in &self.space.objectives {
            match objective.value(document) {
                Some(value) => values.push(value),
                None => return PointState::Excluded(ExcludedBy::NoNumber, objective.name()),
            }
        }
        PointState::Values(values)
    }
}

/// Points that are no candidates, by reason.
#[derive(Default)]
struct Exclusions(BTreeMap<(ExcludedBy, String), Vec<usize>>);

impl Exclusions {
    fn add(&mut self, by: ExcludedBy, reason: String, index: usize) {
        self.0.entry((by, reason)).or_default().push(index);
    }

    /// The most frequent first.
    fn listed(self, places: &[PointPlace]) -> Vec<ExcludedPoints> {
        let all = self
            .0
            .into_iter()
            .map(|((by, reason), points)| ExcludedPoints {
                by,
                reason,
                count: points.len() as u64,
                first: points.iter().min().map_or(0, |index| places[*index].point),
            });
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|one| std::cmp::Reverse(one.count));
        all
    }
}
