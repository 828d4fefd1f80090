//! Results of shards as one.

use super::{SweepError, SweepResult, SweptPoint};

/// Why results of sweeps cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There is nothing to merge.
    #[error("no result is named; allowed: at least one")]
    Nothing,
    /// They are of two sweeps.
    #[error("result {0} is of another sweep than the first; allowed: shards of one sweep")]
    Other(usize),
    /// They are of two versions.
    #[error("result {index} is of version {found}, and the first of {first}; allowed: one version")]
    Version {
        /// Number of the result, from 1.
        index: usize,
        /// Its version.
        found: String,
        /// The version of the first.
        first: String,
    },
    /// They are of two simulations.
    #[error(
        "result {0} was made by another simulation than the first; allowed: results of one build of Wordline"
    )]
    Models(usize),
    /// A point without a result, or with a failure beside it.
    #[error("point {0} has to have either a result or the reason why there is none")]
    Hollow(u64),
    /// Two results of one point differ.
    #[error(
        "point {0} stands in two results that differ; allowed: the same result, because a run is deterministic"
    )]
    Contradiction(u64),
    /// A point that the sweep does not have, or at another place.
    #[error("point {0} is none of the sweep")]
    Unknown(u64),
    /// The sweep itself cannot be.
    #[error(transparent)]
    Sweep(#[from] SweepError),
}

impl SweepResult {
    /// One result of several. It is complete where every point of the sweep is in one of them.
    ///
    /// # Errors
    /// When they are of different sweeps or versions, or contradict each other.
    pub fn merge(results: Vec<Self>) -> Result<Self, MergeError> {
        let mut results = results.into_iter();
        let mut merged = results.next().ok_or(MergeError::Nothing)?;
        for (index, result) in results.enumerate() {
            let index = index + 2;
            if result.sweep != merged.sweep {
                return Err(MergeError::Other(index));
            }
            if result.wordline != merged.wordline {
                return Err(MergeError::Version {
                    index,
                    found: result.wordline,
                    first: merged.wordline,
                });
            }
            if result.models != merged.models {
                return Err(MergeError::Models(index));
            }
            merged.points.extend(result.points);
        }
        merged.points.sort_by_key(|point| point.point);
        let same = |one: &SweptPoint, other: &SweptPoint| one.point == other.point;
        if let Some(pair) = merged
            .points
            .windows(2)
            .find(|pair| same(&pair[0], &pair[1]) && pair[0] != pair[1])
        {
            return Err(MergeError::Contradiction(pair[0].point));
        }
        merged.points.dedup_by(|one, other| same(one, other));
        let places = merged.sweep.points()?;
        for point in &merged.points {
            let place = places.get(point.point as usize);
            if point.result.is_some() == point.failed.is_some() {
                return Err(MergeError::Hollow(point.point));
            }
            if place.is_none_or(|place| merged.sweep.at(place) != point.at) {
                return Err(MergeError::Unknown(point.point));
            }
        }
        merged.shard = None;
        merged.complete = merged.points.len() == places.len();
        Ok(merged)
    }
}
