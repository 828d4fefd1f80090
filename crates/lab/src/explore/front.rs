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

/// Whether one point is at least as good as another in every objective, and better in one.
fn dominates(objectives: &[ParetoObjective], one: &[f64], other: &[f64]) -> bool {
    let mut is_better = false;
    for (objective, (one, other)) in objectives.iter().zip(one.iter().zip(other)) {
        if objective.better(*other, *one) {
            return false;
        }
        is_better |= objective.better(*one, *other);
    }
    is_better
}

/// Between which factors of a rough value the real one is expected: the smallest and the largest that were seen, and a
/// [margin](RoughMargin) beyond. All of them are logarithms.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoughSpread {
    least: f64,
    most: f64,
    /// How many were seen.
    seen: f64,
    /// Whether a rough value of 0 was seen to be 0: no factor makes it anything else.
    is_zero_known: bool,
}

/// How far beyond the factors that were seen others may lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoughMargin {
    /// As a share of how far those that were seen lie from each other and from 1.
    pub(super) share: f64,
    /// At least so far, as a logarithm, divided by how many were seen: few factors may be equal by chance. None where rough runs
    /// are the real ones.
    pub(super) floor: Option<f64>,
}

impl RoughSpread {
    /// Before anything was seen.
    pub(super) const NONE: Self = Self {
        least: f64::INFINITY,
        most: f64::NEG_INFINITY,
        seen: 0.0,
        is_zero_known: false,
    };

    /// A pair of values was seen.
    pub(super) fn add(&mut self, rough: f64, real: f64) {
        self.seen += 1.0;
        self.is_zero_known |= rough == 0.0 && real == 0.0;
        let factor = match real / rough {
            _ if real == rough => 0.0,
            factor if factor > 0.0 && factor.is_finite() => libm::log(factor),
            // Nothing can be said of others of the kind.
            _ => {
                *self = Self {
                    least: f64::NEG_INFINITY,
                    most: f64::INFINITY,
                    ..*self
                };
                return;
            }
        };
        self.least = self.least.min(factor);
        self.most = self.most.max(factor);
    }

    /// The best and the worst that a real value may be: anything, where nothing is known.
    pub(super) fn ends(
        self,
        objective: &ParetoObjective,
        rough: f64,
        margin: RoughMargin,
    ) -> [f64; 2] {
        let (mut least, mut most) = (self.least, self.most);
        let is_unseen = least > most;
        if is_unseen && margin.floor.is_none() {
            return [rough; 2];
        }
        let is_unknown_zero = rough == 0.0 && !self.is_zero_known && margin.floor.is_some();
        if is_unseen || most.is_infinite() || is_unknown_zero {
            return match objective.better(1.0, 0.0) {
                true => [f64::INFINITY, f64::NEG_INFINITY],
                false => [f64::NEG_INFINITY, f64::INFINITY],
            };
        }
        let beyond = margin.share * (most.max(0.0) - least.min(0.0));
        let beyond = beyond.max(margin.floor.unwrap_or(0.0) / self.seen);
        if beyond > 0.0 {
            (least, most) = (least - beyond, most + beyond);
        }
        let end = |factor: f64| match factor {
            0.0 => rough,
            factor => rough * libm::exp(factor),
        };
        let [one, other] = [end(least), end(most)];
        match objective.better(one, other) {
            true => [one, other],
            false => [other, one],
        }
    }
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
            .any(|(_, other)| dominates(objectives, other, values));
        if !is_dominated {
            front.push((index, values));
        }
    }
    front.into_iter().map(|(index, _)| *index).collect()
}

/// The points that may lie on the front, with the best that each may be: those whose best no worst of another dominates.
/// `ends` has the best and the worst of each point.
pub(super) fn near(
    ends: &BTreeMap<usize, [Vec<f64>; 2]>,
    objectives: &[ParetoObjective],
) -> BTreeMap<usize, Vec<f64>> {
    let worst = ends.iter();
    let worst: BTreeMap<usize, Vec<f64>> = worst
        .map(|(index, [_, worst])| (*index, worst.clone()))
        .collect();
    let mut hiding: Vec<&Vec<f64>> = front(&worst, objectives)
        .iter()
        .filter_map(|index| worst.get(index))
        .collect();
    hiding.dedup();
    let near = ends.iter().filter(|(_, [best, _])| {
        let mut hiding = hiding.iter();
        !hiding.any(|worst| dominates(objectives, worst, best))
    });
    near.map(|(index, [best, _])| (*index, best.clone()))
        .collect()
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
            let ends = points.iter().map(|(index, values)| (*index, [values.clone(), values.clone()]));
            let near = near(&ends.collect(), &objectives());
            prop_assert_eq!(near.into_keys().collect::<Vec<_>>(), found);
        }

        /// Where every real value lies between the factors that were seen, everything on the true front is near.
        #[test]
        fn what_is_on_the_true_front_is_near_in_a_rough_one(
            points in space(), noise in prop::collection::vec(0.2..3.0_f64, 120), run_of_three in 0_usize..3,
        ) {
            let margin = RoughMargin { share: 0.01, floor: Some(0.0) };
            let mut spread = RoughSpread::NONE;
            let mut noise = noise.iter().cycle();
            let mut rough = points.clone();
            for (value, real) in rough.values_mut().flatten().zip(points.values().flatten()) {
                *value /= noise.next().copied().unwrap_or(1.0);
                spread.add(*value, *real);
            }
            // Whatever part of them was run in full already.
            let ends = rough.iter().map(|(index, values)| match index % 3 < run_of_three {
                true => (*index, [points[index].clone(), points[index].clone()]),
                false => {
                    let each = objectives().into_iter().zip(values);
                    let each: Vec<[f64; 2]> = each.map(|(of, value)| spread.ends(&of, *value, margin)).collect();
                    (*index, [0, 1].map(|end| each.iter().map(|ends| ends[end]).collect()))
                }
            });
            let near = near(&ends.collect(), &objectives());
            for index in front(&points, &objectives()) {
                prop_assert!(near.contains_key(&index), "{} of {:?}", index, points);
            }
        }
    }

    #[test]
    fn a_spread_has_what_was_seen_and_a_share_beyond() {
        let [throughput, latency, _] =
            <[ParetoObjective; 3]>::try_from(objectives()).expect("three");
        let ends = |pairs: &[[f64; 2]], of: &ParetoObjective, share: f64| {
            let floor = Some(0.0);
            let mut spread = RoughSpread::NONE;
            for [rough, real] in pairs {
                spread.add(*rough, *real);
            }
            spread.ends(of, 10.0, RoughMargin { share, floor })
        };
        let anything = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(ends(&[], &latency, 0.25), anything);
        assert_eq!(
            ends(&[[3.0, 3.0], [0.0, 0.0]], &latency, 0.25),
            [10.0, 10.0]
        );
        // Real values were 4 to 16 times the rough ones: half of log 16 beyond is a factor of 4.
        let close = |found: [f64; 2], wanted: [f64; 2]| {
            let mut pairs = found.into_iter().zip(wanted);
            assert!(
                pairs.all(|(one, other)| (one / other - 1.0).abs() < 1e-9),
                "{found:?}"
            );
        };
        close(
            ends(&[[1.0, 4.0], [1.0, 16.0]], &latency, 0.0),
            [40.0, 160.0],
        );
        close(
            ends(&[[1.0, 4.0], [1.0, 16.0]], &latency, 0.5),
            [10.0, 640.0],
        );
        close(
            ends(&[[1.0, 4.0], [1.0, 16.0]], &throughput, 0.5),
            [640.0, 10.0],
        );
        let any = ends(&[[1.0, 1.0], [0.0, 1.0]], &latency, 0.25);
        assert_eq!(any, anything);
    }

    #[test]
    fn few_equal_factors_and_zeros_prove_nothing() {
        let [_, latency, cost] = <[ParetoObjective; 3]>::try_from(objectives()).expect("three");
        let margin = RoughMargin {
            share: 0.25,
            floor: Some(0.1),
        };
        let mut spread = RoughSpread::NONE;
        spread.add(3.0, 3.0);
        let [best, worst] = spread.ends(&latency, 10.0, margin);
        assert!(best < 9.1 && worst > 11.0, "{best} {worst}");
        for _ in 0..9 {
            spread.add(3.0, 3.0);
        }
        let [best, worst] = spread.ends(&latency, 10.0, margin);
        assert!((9.89..9.91).contains(&best), "{best}");
        assert!((10.09..10.11).contains(&worst), "{worst}");
        let anything = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(spread.ends(&cost, 0.0, margin), anything);
        spread.add(0.0, 0.0);
        assert_eq!(spread.ends(&cost, 0.0, margin), [0.0, 0.0]);
        // Rough runs that are the real ones.
        let real = RoughMargin {
            floor: None,
            ..margin
        };
        assert_eq!(RoughSpread::NONE.ends(&latency, 10.0, real), [10.0, 10.0]);
    }
}
