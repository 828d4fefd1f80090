//! Points that are no candidates: why, and how that is known.
//!
//! What a rough run alone says is confirmed: points of a target that fail for one reason are sampled and run in full. Where
//! none of the sample is a candidate, the rest counts as excluded by it; where one is, everything of its target that rough
//! runs exclude is run in full.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use wordline_core::explore::{ExcludedBy, ExcludedPoints, ExclusionBasis};
use wordline_core::sweep::PointPlace;

/// Values of an axis that a sample has at most.
const VALUES_MAX: usize = 64;

/// Points of a target and reason that are sampled at least.
const SAMPLE_LEAST: usize = 3;

/// Why a point is no candidate.
pub(super) struct PointExclusion {
    pub(super) by: ExcludedBy,
    pub(super) reason: String,
    pub(super) basis: ExclusionBasis,
    /// Share of the limit that is left, which is negative; of a limit alone.
    pub(super) margin: Option<f64>,
}

/// Points that are no candidates, by reason.
#[derive(Default)]
pub(super) struct Exclusions(BTreeMap<(ExcludedBy, String, ExclusionBasis), Vec<usize>>);

impl Exclusions {
    pub(super) fn add(
        &mut self,
        PointExclusion {
            by, reason, basis, ..
        }: PointExclusion,
        points: impl IntoIterator<Item = usize>,
    ) {
        self.0
            .entry((by, reason, basis))
            .or_default()
            .extend(points);
    }

    /// The most frequent first.
    pub(super) fn listed(self, places: &[PointPlace]) -> Vec<ExcludedPoints> {
        let all = self.0.into_iter().filter(|(_, points)| !points.is_empty());
        let all = all.map(|((by, reason, basis), points)| ExcludedPoints {
            by,
            reason,
            basis,
            count: points.len() as u64,
            first: points.iter().min().map_or(0, |index| places[*index].point),
        });
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|one| Reverse(one.count));
        all
    }
}

/// Points of one target that their rough runs exclude for one reason.
#[derive(Default)]
struct DoubtfulPoints {
    points: Vec<usize>,
    /// Those that failed a limit by the least, with their margins.
    closest: Vec<(f64, usize)>,
    sample: Vec<usize>,
}

/// What rough runs exclude, by target and reason.
#[derive(Default)]
pub(super) struct RoughExclusions(BTreeMap<(usize, ExcludedBy, String), DoubtfulPoints>);

impl RoughExclusions {
    pub(super) fn add(&mut self, group: usize, exclusion: PointExclusion, index: usize) {
        let PointExclusion {
            by, reason, margin, ..
        } = exclusion;
        let doubt = self.0.entry((group, by, reason)).or_default();
        doubt.points.push(index);
        if let Some(margin) = margin {
            doubt.closest.push((margin, index));
            doubt
                .closest
                .sort_by(|one, other| other.0.total_cmp(&one.0));
            doubt.closest.truncate(SAMPLE_LEAST);
        }
    }

    /// Draws the samples: every value of each axis, or evenly as many as there may be; and what missed a limit by least.
    pub(super) fn sample(&mut self, places: &[PointPlace]) -> Vec<usize> {
        let mut all = Vec::new();
        for doubt in self.0.values_mut() {
            let mut sample = covering(&doubt.points, places);
            sample.extend(doubt.closest.iter().map(|(_, index)| *index));
            doubt.sample = sample.into_iter().collect();
            all.extend(&doubt.sample);
        }
        all
    }

    /// After the samples were run in full: what is to be run in full as well, because a candidate of its target was among
    /// those that had been excluded. The rest joins the exclusions.
    pub(super) fn settle(
        self,
        is_candidate: impl Fn(usize) -> bool,
        excluded: &mut Exclusions,
    ) -> Vec<usize> {
        let mut refuted = BTreeSet::new();
        for ((group, ..), doubt) in &self.0 {
            if doubt.sample.iter().any(|index| is_candidate(*index)) {
                refuted.insert(*group);
            }
        }
        let mut open = Vec::new();
        for ((group, by, reason), doubt) in self.0 {
            let sample: BTreeSet<usize> = doubt.sample.into_iter().collect();
            let rest = doubt.points.into_iter();
            let rest = rest.filter(|index| !sample.contains(index));
            match refuted.contains(&group) {
                true => open.extend(rest),
                false => {
                    let basis = ExclusionBasis::Sampled;
                    let margin = None;
                    excluded.add(
                        PointExclusion {
                            by,
                            reason,
                            basis,
                            margin,
                        },
                        rest,
                    );
                }
            }
        }
        open
    }
}

/// Points that have among them every value that an axis takes in all of these, or evenly [`VALUES_MAX`] of an axis, the
/// ends with them. Each is the one with most values that no other has; of equal ones a number drawn of each decides, so that the
/// values of several axes do not go up together.
pub(super) fn covering(points: &[usize], places: &[PointPlace]) -> BTreeSet<usize> {
    let axes = points
        .first()
        .map_or(0, |index| places[*index].indices().len());
    let mut open = BTreeSet::<(usize, usize)>::new();
    for axis in 0..axes {
        let values = points.iter().map(|index| places[*index].indices()[axis]);
        let values: BTreeSet<usize> = values.collect();
        let values: Vec<usize> = values.into_iter().collect();
        open.extend(evenly(&values, VALUES_MAX).map(|value| (axis, value)));
    }
    let mut sample = BTreeSet::new();
    while !open.is_empty() || sample.len() < SAMPLE_LEAST.min(points.len()) {
        let left = points.iter().filter(|index| !sample.contains(*index));
        let best = left.max_by_key(|index| {
            let values = places[**index].indices().iter().copied().enumerate();
            let gain = values.filter(|value| open.contains(value)).count();
            (gain, drawn(**index), **index)
        });
        let Some(&best) = best else {
            break;
        };
        for value in places[best].indices().iter().copied().enumerate() {
            open.remove(&value);
        }
        sample.insert(best);
    }
    sample
}

/// At most so many of some values, the first and the last among them.
pub(super) fn evenly(values: &[usize], most: usize) -> impl Iterator<Item = usize> {
    let count = values.len().min(most);
    let last = values.len().saturating_sub(1);
    let steps = count.saturating_sub(1).max(1);
    (0..count).map(move |step| values[step * last / steps])
}

/// A number of an index that has nothing to do with its order.
fn drawn(index: usize) -> u64 {
    let mixed = (index as u64)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wordline_core::sweep::Sweep;

    use super::*;

    fn places(seeds: u64) -> Vec<PointPlace> {
        let sweep: Sweep = serde_json::from_value(json!({
            "experiment": { "targets": ["em064lx"], "workload": { "kind": "raw" } },
            "axis": [
                { "field": "age", "values": [0, 0.1, 0.2, 0.3] },
                { "field": "timing", "values": ["typ", "max"] },
                { "field": "seed", "count": seeds },
            ],
        }))
        .expect("a sweep");
        sweep.points().expect("points")
    }

    fn excluded(by: ExcludedBy, margin: Option<f64>) -> PointExclusion {
        PointExclusion {
            by,
            reason: "why".to_owned(),
            basis: ExclusionBasis::Sampled,
            margin,
        }
    }

    #[test]
    fn a_sample_has_every_value_of_each_axis_and_little_else() {
        let places = places(25);
        let all: Vec<usize> = (0..places.len()).collect();
        let sample = covering(&all, &places);
        for axis in 0..3 {
            let of = |index: &usize| places[*index].indices()[axis];
            let found: BTreeSet<usize> = sample.iter().map(of).collect();
            assert_eq!(found, all.iter().map(of).collect(), "axis {axis}");
        }
        assert_eq!(sample.len(), 25, "of {}", all.len());
        let pairs = sample.iter().map(|index| {
            let of = places[*index].indices();
            (of[0], of[1])
        });
        assert!(pairs.collect::<BTreeSet<_>>().len() > 4);
        assert_eq!(covering(&all[..2], &places).len(), 2);
    }

    #[test]
    fn of_a_long_axis_both_ends_and_evenly_the_rest_are_sampled() {
        let values: Vec<usize> = (0..1000).collect();
        let some: Vec<usize> = evenly(&values, VALUES_MAX).collect();
        assert_eq!((some.len(), some[0], some[63]), (64, 0, 999));
        assert!(some.windows(2).all(|pair| pair[1] - pair[0] <= 16));
        assert_eq!(evenly(&[7], 3).collect::<Vec<_>>(), [7]);
        assert_eq!(evenly(&[], 3).count(), 0);
    }

    #[test]
    fn a_sample_without_a_candidate_excludes_its_target_and_one_with_it_opens_all_of_it() {
        let places = places(25);
        let mut doubts = RoughExclusions::default();
        for index in 0..100 {
            let by = match index % 2 {
                0 => ExcludedBy::NoNumber,
                _ => ExcludedBy::Failure,
            };
            doubts.add(usize::from(index >= 50), excluded(by, None), index);
        }
        let sample = doubts.sample(&places);
        let candidate = *sample.iter().find(|index| **index >= 50).expect("one");
        let mut exclusions = Exclusions::default();
        let open = doubts.settle(|index| index == candidate, &mut exclusions);
        let wanted: Vec<usize> = (50..100).filter(|index| !sample.contains(index)).collect();
        assert_eq!(
            open.iter().copied().collect::<BTreeSet<_>>(),
            wanted.into_iter().collect()
        );
        let listed = exclusions.listed(&places);
        let count: u64 = listed.iter().map(|one| one.count).sum();
        let of_first = sample.iter().filter(|index| **index < 50).count();
        assert_eq!(count as usize, 50 - of_first);
        assert!(
            listed
                .iter()
                .all(|one| one.basis == ExclusionBasis::Sampled)
        );
    }

    #[test]
    fn what_missed_a_limit_by_least_is_in_the_sample() {
        let places = places(25);
        let mut doubts = RoughExclusions::default();
        for index in 0..200 {
            let margin = if [41, 97, 160].contains(&index) {
                -0.01
            } else {
                -0.5
            };
            doubts.add(0, excluded(ExcludedBy::Limit, Some(margin)), index);
        }
        let sample = doubts.sample(&places);
        assert!(
            [41, 97, 160].iter().all(|index| sample.contains(index)),
            "{sample:?}"
        );
        assert!(sample.len() < 40, "{}", sample.len());
    }
}
