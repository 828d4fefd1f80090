//! The search for the front: rough runs, and in full whatever may lie on it.

use std::collections::BTreeMap;

use wordline_core::ResultSet;
use wordline_core::explore::{ExclusionBasis, ExplorationResult, ParetoPoint};
use wordline_core::sweep::PointPlace;

use super::excluded::Exclusions;
use super::front::{self, RoughMargin, RoughSpread};
use super::rough::RoughRuns;
use super::{CAUTION, Effort, Explorer, PointState, RunPoint, SAMPLE};
use crate::control::Control;
use crate::error::LabError;

/// Exact values of points that were run in full, with their documents.
type ExactPoints = BTreeMap<usize, (Vec<f64>, Box<ResultSet>)>;

/// A search, and what it has found so far.
pub(super) struct FrontSearch<'a> {
    explorer: &'a Explorer<'a>,
    places: &'a [PointPlace],
    /// The kind of each point.
    kinds: Vec<usize>,
    /// How far rough values are off: of each kind and each objective.
    spreads: Vec<Vec<RoughSpread>>,
    rough: RoughRuns,
    exact: ExactPoints,
    excluded: Exclusions,
    result: ExplorationResult,
}

impl<'a> FrontSearch<'a> {
    /// Before anything was run.
    pub(super) fn new(explorer: &'a Explorer<'a>, places: &'a [PointPlace]) -> Self {
        let mut result = ExplorationResult::new(explorer.space.clone());
        result.points = places.len() as u64;
        let kinds = explorer.kinds(places);
        let none = vec![RoughSpread::NONE; explorer.space.objectives.len()];
        Self {
            explorer,
            places,
            spreads: vec![none; kinds.iter().max().map_or(0, |most| most + 1)],
            kinds,
            rough: RoughRuns::default(),
            exact: ExactPoints::new(),
            excluded: Exclusions::default(),
            result,
        }
    }

    /// Runs what is needed until nothing else may lie on the front, or until it is stopped.
    pub(super) fn run(mut self, control: &Control<'_>) -> Result<ExplorationResult, LabError> {
        let mut wanted = self.first(control)?;
        while !wanted.is_empty() && self.result.complete {
            wanted.sort_unstable();
            wanted.dedup();
            let ended = self
                .explorer
                .run(self.places, &wanted, Effort::Full, control)?;
            for (index, ended) in ended {
                self.take(index, ended);
            }
            if !self.result.complete {
                break;
            }
            let doubts = std::mem::take(&mut self.rough.doubts);
            wanted = doubts.settle(|index| self.exact.contains_key(&index), &mut self.excluded);
            wanted.extend(self.nearest());
        }
        Ok(self.ended())
    }

    /// The rough runs, and what is run in full after them first: everything where there are none.
    fn first(&mut self, control: &Control<'_>) -> Result<Vec<usize>, LabError> {
        let (explorer, places) = (self.explorer, self.places);
        if !explorer.has_rough(places) {
            return Ok((0..places.len()).collect());
        }
        self.rough = explorer.rough_runs(places, &mut self.result, &mut self.excluded, control)?;
        let mut wanted = explorer.first(&self.rough.values, &self.kinds, places);
        wanted.append(&mut self.rough.doubts.sample(places));
        wanted.append(&mut self.rough.open);
        Ok(wanted)
    }

    /// Takes what a run in full came to; none where it was stopped.
    fn take(&mut self, index: usize, ended: Option<RunPoint>) {
        match ended {
            Some((PointState::Values(values), Some(document))) => {
                self.result.fine += 1;
                self.compare(index, &values);
                self.exact.insert(index, (values, document));
            }
            Some((PointState::Excluded(of), _)) => {
                self.result.fine += u64::from(of.basis != ExclusionBasis::Proven);
                self.excluded.add(of, [index]);
                // What is no candidate must hide no other one.
                self.rough.values.remove(&index);
            }
            Some((PointState::Values(_) | PointState::Unjudged, _)) | None => {
                self.result.complete = false;
            }
        }
    }

    /// Learns from a point's real values how far its rough ones were off.
    fn compare(&mut self, index: usize, values: &[f64]) {
        let Some(rough) = self.rough.values.get(&index) else {
            return;
        };
        let pairs = rough.iter().zip(values);
        let spreads = self.spreads[self.kinds[index]].iter_mut();
        for (spread, (rough, real)) in spreads.zip(pairs.clone()) {
            spread.add(*rough, *real);
        }
        for (error, (rough, real)) in self.result.coarse_error.iter_mut().zip(pairs) {
            *error = error.max(front::distance(*real, *rough).abs());
        }
    }

    /// Of what has not been run in full and may lie on the front, what may be best: its values may hide the others.
    fn nearest(&self) -> Vec<usize> {
        let objectives = &self.explorer.space.objectives;
        let margin = RoughMargin {
            share: CAUTION,
            floor: self.explorer.rough.as_ref().map(|_| CAUTION),
        };
        let between = |index: usize, values: &[f64]| {
            let spreads = objectives.iter().zip(&self.spreads[self.kinds[index]]);
            let each = spreads.zip(values);
            let each = each.map(|((of, spread), value)| spread.ends(of, *value, margin));
            let each: Vec<[f64; 2]> = each.collect();
            [0, 1].map(|end| each.iter().map(|ends| ends[end]).collect::<Vec<f64>>())
        };
        let mut ends: BTreeMap<usize, [Vec<f64>; 2]> = self
            .rough
            .values
            .iter()
            .map(|(index, values)| (*index, between(*index, values)))
            .collect();
        ends.extend(
            values_of(&self.exact)
                .into_iter()
                .map(|(index, values)| (index, [values.clone(), values])),
        );
        let mut near = front::near(&ends, objectives);
        near.retain(|index, _| !self.exact.contains_key(index));
        let mut nearest = Vec::new();
        while nearest.len() < SAMPLE && !near.is_empty() {
            let best = front::front(&near, objectives);
            near.retain(|index, _| !best.contains(index));
            nearest.extend(best);
        }
        nearest
    }

    /// The front of what was run in full.
    fn ended(mut self) -> ExplorationResult {
        let values = values_of(&self.exact);
        for index in front::front(&values, &self.explorer.space.objectives) {
            let Some((values, document)) = self.exact.remove(&index) else {
                continue;
            };
            let place = &self.places[index];
            self.result.front.push(ParetoPoint {
                point: place.point,
                at: self.explorer.full.at(place),
                values: values
                    .into_iter()
                    .map(|value| Some(value).filter(|value| value.is_finite()))
                    .collect(),
                result: document,
            });
        }
        self.result.excluded = self.excluded.listed(self.places);
        self.result
    }
}

/// The values alone.
fn values_of(exact: &ExactPoints) -> BTreeMap<usize, Vec<f64>> {
    let values = exact.iter();
    values
        .map(|(index, (values, _))| (*index, values.clone()))
        .collect()
}
