//! Which points lie on the Pareto front, and which may.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use wordline_core::explore::ParetoObjective;

/// How much larger one value is than another, as a share of the larger of the two.
pub(super) fn distance(one: f64, other: f64) -> f64 {
    let larger = one.abs().max(other.abs());
    if one == other {
        0.0
    } else if larger.is_infinite() {
        if one > other { 1.0 } else { -1.0 }
    } else {
        (one - other) / larger
    }
}

/// How much better one value is than another, as a share of the larger.
fn gain(objective: &ParetoObjective, one: f64, other: f64) -> f64 {
    let distance = distance(one, other);
    if objective.better(1.0, 2.0) {
        -distance
    } else {
        distance
    }
}

/// Whether one point is better than another by the margins in every objective, and better at all in one.
fn dominates(objectives: &[ParetoObjective], margins: &[f64], one: &[f64], other: &[f64]) -> bool {
    let mut is_better = false;
    for (index, objective) in objectives.iter().enumerate() {
        let gain = gain(objective, one[index], other[index]);
        if gain < margins.get(index).copied().unwrap_or(0.0) {
            return false;
        }
        is_better |= gain > 0.0;
    }
    is_better
}

/// The points that no other dominates, the best of the first objective first. Equal points all are.
pub(super) fn front(
    points: &BTreeMap<usize, Vec<f64>>,
    objectives: &[ParetoObjective],
) -> Vec<usize> {
    let mut order: Vec<(&usize, &Vec<f64>)> = points.iter().collect();
    let compared = |one: &[f64], other: &[f64]| {
        let each = objectives.iter().zip(one.iter().zip(other));
        let mut orders = each.map(|(objective, (one, other))| match one == other {
            true => Ordering::Equal,
            false if objective.better(*one, *other) => Ordering::Less,
            false => Ordering::Greater,
        });
        orders
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    order.sort_by(|(_, one), (_, other)| compared(one, other));
    // In this order nothing is dominated by what comes behind it.
    let mut front: Vec<(&usize, &Vec<f64>)> = Vec::new();
    for (index, values) in order {
        let is_dominated = front
            .iter()
            .any(|(_, other)| dominates(objectives, &[], other, values));
        if !is_dominated {
            front.push((index, values));
        }
    }
    front.into_iter().map(|(index, _)| *index).collect()
}

/// The points without exact values that may lie on the front where each rough value may be off by a share that is known of
/// each point: those that no other point dominates by both their shares. Exact values are off by nothing.
pub(super) fn near<'a>(
    rough: &BTreeMap<usize, Vec<f64>>,
    exact: &BTreeMap<usize, Vec<f64>>,
    objectives: &[ParetoObjective],
    off_by: &dyn Fn(usize) -> &'a [f64],
) -> Vec<usize> {
    let mut known = rough.clone();
    known.extend(exact.iter().map(|(index, values)| (*index, values.clone())));
    // What an exact point dominates it dominates without a share, even where rough values look better than its own.
    let mut best = front(&known, objectives);
    best.extend(front(exact, objectives));
    best.sort_unstable();
    best.dedup();
    let share = |index: usize, objective: usize| match exact.contains_key(&index) {
        true => 0.0,
        false => off_by(index)[objective],
    };
    let is_near = |index: usize, values: &[f64]| {
        let mut best = best.iter().filter_map(|at| Some((*at, known.get(at)?)));
        !best.any(|(at, other)| {
            let all = 0..objectives.len();
            let margins: Vec<f64> = all.map(|of| share(at, of) + share(index, of)).collect();
            dominates(objectives, &margins, other, values)
        })
    };
    let open = rough.iter().filter(|(index, _)| !exact.contains_key(index));
    let near = open.filter(|(index, values)| is_near(**index, values));
    near.map(|(index, _)| *index).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wordline_core::Metric;

    use super::*;

    fn objectives() -> Vec<ParetoObjective> {
        [Metric::ThroughputMean, Metric::LatencyMax, Metric::Cost]
            .map(|metric| ParetoObjective {
                metric,
                operation: None,
            })
            .into()
    }

    /// By the definition, over all pairs.
    fn plain(points: &BTreeMap<usize, Vec<f64>>) -> Vec<usize> {
        let beats = |one: &[f64], other: &[f64]| {
            let at_least = one[0] >= other[0] && one[1] <= other[1] && one[2] <= other[2];
            at_least && one != other
        };
        let free = |values: &Vec<f64>| !points.values().any(|other| beats(other, values));
        let all = points.iter().filter(|(_, values)| free(values));
        all.map(|(index, _)| *index).collect()
    }

    fn space() -> impl Strategy<Value = BTreeMap<usize, Vec<f64>>> {
        let value = (0_u8..6).prop_map(f64::from);
        prop::collection::vec(prop::collection::vec(value, 3), 1..40)
            .prop_map(|points| points.into_iter().enumerate().collect())
    }

    proptest! {
        #[test]
        fn the_front_is_that_of_the_definition(points in space()) {
            let mut found = front(&points, &objectives());
            found.sort_unstable();
            prop_assert_eq!(&found, &plain(&points));
            prop_assert_eq!(near(&points, &BTreeMap::new(), &objectives(), &|_| &[0.0; 3]), found);
        }

        /// Where every value is off by at most a share, everything on the true front is near by twice that share.
        #[test]
        fn what_is_on_the_true_front_is_near_in_a_rough_one(
            points in space(), noise in prop::collection::vec(-1.0..1.0_f64, 120), share in 0.0..0.2_f64,
            run_of_three in 0_usize..3,
        ) {
            let mut rough = points.clone();
            let mut noise = noise.iter().cycle();
            for value in rough.values_mut().flatten() {
                // Of what is rough the truth is at most the share of the larger away.
                *value *= 1.0 - share * noise.next().copied().unwrap_or(0.0).abs();
            }
            let shares = [share; 3];
            let off_by = |_| shares.as_slice();
            // Whatever part of them was run in full already.
            let exact = points.iter().filter(|(index, _)| **index % 3 < run_of_three);
            let exact = exact.map(|(index, values)| (*index, values.clone())).collect();
            let near = near(&rough, &exact, &objectives(), &off_by);
            for index in front(&points, &objectives()) {
                prop_assert!(near.contains(&index) || exact.contains_key(&index), "{} of {:?}", index, points);
            }
        }
    }
}
