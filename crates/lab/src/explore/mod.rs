//! The design space instead of a list: the Pareto front of a sweep's points, without running most of them in full.
//!
//! Candidates that a proven bound excludes are never simulated, nor are those that are refused before their first operation.
//! The others are run roughly; between which factors of rough values the real ones lie is measured on a sample and on
//! everything that is run in full, and only what may still lie on the front, given these factors, is run in full. So the front is
//! that of running everything as long as no factor lies more than a quarter beyond those that were seen of its kind,
//! and as no candidate is among those that rough runs exclude while none is in the sample of them. Both are likely and not
//! proven.

mod excluded;
mod front;

use std::collections::BTreeMap;

use serde_json::Value;
use wordline_catalog::Catalog;
use wordline_core::explore::{
    DesignSpace, ExcludedBy, ExclusionBasis, ExplorationResult, ParetoPoint,
};
use wordline_core::sweep::{PointPlace, Sweep};
use wordline_core::{ResultSet, Workload};

use crate::control::Control;
use crate::error::LabError;
use crate::instrument::case::{self, Case};
use crate::store::{KeyMaker, Store};
use crate::sweep::{Shard, experiment_of, guarded};

use excluded::{Exclusions, PointExclusion, RoughExclusions};
use front::{RoughMargin, RoughSpread};

/// Points that are run in full whatever their rough runs say, evenly over the space, so that the difference is known away
/// from the front as well: so many, or one of so many points where that is more, and at least so many of each kind.
const SAMPLE: usize = 32;
const POINTS_OF_SAMPLE: usize = 100;
const SAMPLE_OF_KIND: usize = 3;

/// How far beyond the factors that were seen others may lie, as a share of these, and at least as a logarithm divided by how
/// many were seen.
const CAUTION: f64 = 0.25;

/// What a point came to.
enum PointState {
    Excluded(PointExclusion),
    Values(Vec<f64>),
    /// Its rough run cannot be made, and the real one may be.
    Unjudged,
}

/// Exact values of points that were run in full, with their documents.
type ExactPoints = BTreeMap<usize, (Vec<f64>, Box<ResultSet>)>;

/// What rough runs say.
#[derive(Default)]
struct RoughRuns {
    /// Of candidates.
    values: BTreeMap<usize, Vec<f64>>,
    /// Of points that they exclude and that real runs may not.
    doubts: RoughExclusions,
    /// Points that they say nothing of.
    open: Vec<usize>,
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

/// Explores a design space. Of a share of it only the rough runs are made, which a later run
/// takes from the store to find the front. When `control` asks to stop, the front of what is finished comes back in a document that is not
/// complete.
///
/// # Errors
/// When the study cannot be run as it stands, threads cannot be had, or the store cannot be used.
pub fn explore(
    catalog: &Catalog,
    space: &DesignSpace,
    shard: Shard,
    store: Option<&Store>,
    control: &Control<'_>,
) -> Result<ExplorationResult, LabError> {
    space.check()?;
    let full = space.sweep();
    let mut places = full.points()?;
    let explorer = Explorer {
        catalog,
        space,
        rough: space.coarse_sweep()?,
        full,
        store,
        keys: KeyMaker::new(),
    };
    if shard == Shard::WHOLE {
        return explorer.explore(&places, control);
    }
    places.retain(|place| shard.has(place));
    let mut result = explorer.share(&places, control)?;
    result.shard = Some(shard.to_string());
    Ok(result)
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
        let kinds = self.kinds(places);
        let none = vec![RoughSpread::NONE; self.space.objectives.len()];
        let mut spreads = vec![none; kinds.iter().max().map_or(0, |most| most + 1)];
        let mut exact = ExactPoints::new();
        let has_rough = self.has_rough(places);
        let mut rough = RoughRuns::default();
        let mut wanted: Vec<usize> = (0..places.len()).collect();
        if has_rough {
            rough = self.rough_runs(places, &mut result, &mut excluded, control)?;
            wanted = self.first(&rough.values, &kinds, places);
            wanted.append(&mut rough.doubts.sample(places));
            wanted.append(&mut rough.open);
        }
        while !wanted.is_empty() && result.complete {
            wanted.sort_unstable();
            wanted.dedup();
            for (index, ended) in self.run(places, &wanted, Effort::Full, control)? {
                match ended {
                    Some((PointState::Values(values), Some(document))) => {
                        result.fine += 1;
                        if let Some(rough) = rough.values.get(&index) {
                            let pairs = rough.iter().zip(&values);
                            let spreads = spreads[kinds[index]].iter_mut();
                            for (spread, (rough, real)) in spreads.zip(pairs.clone()) {
                                spread.add(*rough, *real);
                            }
                            for (error, (rough, real)) in result.coarse_error.iter_mut().zip(pairs)
                            {
                                *error = error.max(front::distance(*real, *rough).abs());
                            }
                        }
                        exact.insert(index, (values, document));
                    }
                    Some((PointState::Excluded(of), _)) => {
                        result.fine += u64::from(of.basis != ExclusionBasis::Proven);
                        excluded.add(of, [index]);
                        // What is no candidate must hide no other one.
                        rough.values.remove(&index);
                    }
                    Some((PointState::Values(_) | PointState::Unjudged, _)) | None => {
                        result.complete = false;
                    }
                }
            }
            if !result.complete {
                break;
            }
            let doubts = std::mem::take(&mut rough.doubts);
            wanted = doubts.settle(|index| exact.contains_key(&index), &mut excluded);
            wanted.extend(self.nearest(&rough.values, &exact, &kinds, &spreads));
        }
        let values = values_of(&exact);
        for index in front::front(&values, &self.space.objectives) {
            if let Some((values, document)) = exact.remove(&index) {
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
        result.excluded = excluded.listed(places);
        Ok(result)
    }

    /// What a share of the work is: the rough runs, or the runs in full where there are none.
    fn share(
        &self,
        places: &[PointPlace],
        control: &Control<'_>,
    ) -> Result<ExplorationResult, LabError> {
        let mut result = ExplorationResult::new(self.space.clone());
        result.points = places.len() as u64;
        let mut excluded = Exclusions::default();
        if self.has_rough(places) {
            self.rough_runs(places, &mut result, &mut excluded, control)?;
        } else {
            let all: Vec<usize> = (0..places.len()).collect();
            for (index, ended) in self.run(places, &all, Effort::Full, control)? {
                match ended {
                    Some((PointState::Excluded(of), _)) => {
                        result.fine += u64::from(of.basis != ExclusionBasis::Proven);
                        excluded.add(of, [index]);
                    }
                    Some(_) => result.fine += 1,
                    None => result.complete = false,
                }
            }
        }
        result.excluded = excluded.listed(places);
        Ok(result)
    }

    fn rough_runs(
        &self,
        places: &[PointPlace],
        result: &mut ExplorationResult,
        excluded: &mut Exclusions,
        control: &Control<'_>,
    ) -> Result<RoughRuns, LabError> {
        let mut rough = RoughRuns::default();
        let targets = self.targets(places);
        let all: Vec<usize> = (0..places.len()).collect();
        for (index, ended) in self.run(places, &all, Effort::Rough, control)? {
            let Some((state, _)) = ended else {
                result.complete = false;
                continue;
            };
            let is_proven =
                matches!(&state, PointState::Excluded(of) if of.basis == ExclusionBasis::Proven);
            result.coarse += u64::from(!is_proven);
            match state {
                PointState::Excluded(of) if of.basis == ExclusionBasis::Sampled => {
                    rough.doubts.add(targets[index], of, index);
                }
                PointState::Excluded(of) => excluded.add(of, [index]),
                PointState::Values(values) => {
                    rough.values.insert(index, values);
                }
                PointState::Unjudged => rough.open.push(index),
            }
        }
        Ok(rough)
    }

    /// Of what has not been run in full and may lie on the front, what may be best: its values may hide the others.
    fn nearest(
        &self,
        rough: &BTreeMap<usize, Vec<f64>>,
        exact: &ExactPoints,
        kinds: &[usize],
        spreads: &[Vec<RoughSpread>],
    ) -> Vec<usize> {
        let objectives = &self.space.objectives;
        let margin = RoughMargin {
            share: CAUTION,
            floor: self.rough.as_ref().map(|_| CAUTION),
        };
        let between = |index: usize, values: &[f64]| {
            let spreads = objectives.iter().zip(&spreads[kinds[index]]);
            let each = spreads.zip(values);
            let each = each.map(|((of, spread), value)| spread.ends(of, *value, margin));
            let each: Vec<[f64; 2]> = each.collect();
            [0, 1].map(|end| each.iter().map(|ends| ends[end]).collect::<Vec<f64>>())
        };
        let mut ends: BTreeMap<usize, [Vec<f64>; 2]> = rough
            .iter()
            .map(|(index, values)| (*index, between(*index, values)))
            .collect();
        ends.extend(
            values_of(exact)
                .into_iter()
                .map(|(index, values)| (index, [values.clone(), values])),
        );
        let mut near = front::near(&ends, objectives);
        near.retain(|index, _| !exact.contains_key(index));
        let mut nearest = Vec::new();
        while nearest.len() < SAMPLE && !near.is_empty() {
            let best = front::front(&near, objectives);
            near.retain(|index, _| !best.contains(index));
            nearest.extend(best);
        }
        nearest
    }

    fn has_rough(&self, places: &[PointPlace]) -> bool {
        self.rough.is_some() || self.is_compared(places)
    }

    /// The target of each point, as a number; where targets do not vary, the value of the first axis.
    fn targets(&self, places: &[PointPlace]) -> Vec<usize> {
        let at: Vec<_> = places.iter().map(|place| self.full.at(place)).collect();
        let field = self.first_field();
        numbered(at.iter().map(|at| text_at(at, field)))
    }

    fn first_field(&self) -> Option<&String> {
        let mut fields = self.full.fields();
        let targets = fields.clone().find(|field| *field == "targets");
        targets.or_else(|| fields.next())
    }

    /// Which points are expected to be off alike, as a number of each: those of a target, and of the same words of other axes
    /// as long as there are samples enough for all kinds.
    fn kinds(&self, places: &[PointPlace]) -> Vec<usize> {
        let at: Vec<_> = places.iter().map(|place| self.full.at(place)).collect();
        let mut kinds = self.targets(places);
        let first = self.first_field();
        for field in self.full.fields().filter(|field| Some(*field) != first) {
            if !at
                .iter()
                .all(|at| at.get(field).is_some_and(Value::is_string))
            {
                continue;
            }
            let finer = kinds.iter().zip(&at);
            let finer = numbered(finer.map(|(kind, at)| (*kind, text_at(at, Some(field)))));
            let count = finer.iter().max().map_or(0, |most| most + 1);
            if count * SAMPLE_OF_KIND <= sample_size(places.len()) {
                kinds = finer;
            }
        }
        kinds
    }

    /// What is run in full first: the front of the rough runs, and a sample of everything.
    fn first(
        &self,
        rough: &BTreeMap<usize, Vec<f64>>,
        kinds: &[usize],
        places: &[PointPlace],
    ) -> Vec<usize> {
        let mut first = front::front(rough, &self.space.objectives);
        let mut by_kind = BTreeMap::<usize, Vec<usize>>::new();
        for index in rough.keys() {
            by_kind.entry(kinds[*index]).or_default().push(*index);
        }
        let each = sample_size(rough.len()).div_ceil(by_kind.len().max(1));
        for points in by_kind.into_values() {
            let each = each.max(SAMPLE_OF_KIND);
            let covering = excluded::covering(&points, places);
            let covering: Vec<usize> = covering.into_iter().collect();
            first.extend(excluded::evenly(&covering, each));
            first.extend(excluded::evenly(&points, each));
        }
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
    fn bound(&self, place: &PointPlace) -> Result<Option<&'static str>, LabError> {
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

/// Points of the sample that shows how far rough runs are off.
fn sample_size(points: usize) -> usize {
    SAMPLE.max(points / POINTS_OF_SAMPLE)
}

/// Equal things get equal numbers, from 0 on.
fn numbered<T: Ord>(all: impl Iterator<Item = T>) -> Vec<usize> {
    let mut numbers = BTreeMap::<T, usize>::new();
    let number = |one: T| {
        let next = numbers.len();
        *numbers.entry(one).or_insert(next)
    };
    all.map(number).collect()
}

fn text_at(at: &BTreeMap<String, Value>, field: Option<&String>) -> String {
    let value = field.and_then(|field| at.get(field));
    value.map(ToString::to_string).unwrap_or_default()
}

/// The values alone.
fn values_of(exact: &ExactPoints) -> BTreeMap<usize, Vec<f64>> {
    let values = exact.iter();
    values
        .map(|(index, (values, _))| (*index, values.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use wordline_core::{Experiment, Workload};

    use super::*;

    fn planned(workload: Workload, target: &str, is_stated: bool) -> Result<(), LabError> {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        let mut experiment = Experiment {
            targets: vec![target.to_owned()],
            workload,
            timings: vec![wordline_core::Timing::Typ],
            age: 0.0,
            seed: 0,
            ftl: None,
        };
        crate::complete(&mut experiment, &catalog, &|_| is_stated)?;
        crate::plan(&catalog, &experiment, &Control::default())
    }

    /// A stop before the first operation makes no refusal of its own.
    #[test]
    fn what_runs_is_not_refused_by_its_plan() {
        const MODULE: &str = "rdimm-6400-2rx4-128g@xeon6-1s";
        const CHIP: &str = "em064lx@stm32h755-qspi";
        let tests = [
            ("raw", None, CHIP),
            ("wear", None, "mt25ql128@stm32h755-qspi"),
            ("buffer", None, CHIP),
            ("dram", Some("idle"), MODULE),
            ("dram", Some("bandwidth"), MODULE),
            ("dram", Some("loaded"), MODULE),
        ];
        for (kind, test, target) in tests {
            let workload = Workload::usual(kind, test).expect("a command");
            if let Err(error) = planned(workload, target, false) {
                panic!("{kind} {test:?}: {error}");
            }
        }
    }

    #[test]
    fn a_plan_refuses_what_cannot_be_run_as_it_stands() {
        let Some(Workload::Raw(usual)) = Workload::usual("raw", None) else {
            panic!("raw is a command");
        };
        assert!(planned(Workload::Raw(usual.clone()), "em064lz", false).is_err());
        let large = Workload::Raw(wordline_core::RawWorkload {
            wrap_bytes: 1 << 40,
            total_bytes: 1 << 40,
            ..usual
        });
        let error = planned(large, "em064lx", true).expect_err("no such size");
        assert!(
            error.is_refusal() && error.to_string().contains("wrap"),
            "{error}"
        );
    }
}
