//! Rough runs of all points, and what is run in full after them first.

use std::collections::BTreeMap;

use wordline_core::Workload;
use wordline_core::explore::{ExclusionBasis, ExplorationResult};
use wordline_core::sweep::PointPlace;

use super::excluded::{self, Exclusions, RoughExclusions};
use super::{Effort, Explorer, POINTS_OF_SAMPLE, PointState, SAMPLE, SAMPLE_OF_KIND, front};
use crate::control::Control;
use crate::error::LabError;

/// What rough runs say.
#[derive(Default)]
pub(super) struct RoughRuns {
    /// Of candidates.
    pub(super) values: BTreeMap<usize, Vec<f64>>,
    /// Points that they exclude and that real runs may not.
    pub(super) doubts: RoughExclusions,
    /// Points that they say nothing of.
    pub(super) open: Vec<usize>,
}

impl Explorer<'_> {
    pub(super) fn rough_runs(
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

    pub(super) fn has_rough(&self, places: &[PointPlace]) -> bool {
        self.rough.is_some() || self.is_compared(places)
    }

    /// Whether points are candidates of a comparison, which proven bounds speak of.
    fn is_compared(&self, places: &[PointPlace]) -> bool {
        let first = places.first().map(|place| self.full.experiment_at(place));
        matches!(first, Some(Ok(of)) if matches!(of.workload, Workload::Compare(_)))
    }

    /// What is run in full first: the front of the rough runs, and a sample of everything.
    pub(super) fn first(
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
}

/// Points of the sample that shows how far rough runs are off.
pub(super) fn sample_size(points: usize) -> usize {
    SAMPLE.max(points / POINTS_OF_SAMPLE)
}
