//! A search for the least of a function that has no derivative: evolution first, then compass search.
//!
//! [`Evolution`] finds the right hollow of a rugged landscape, with two thirds of the calls at most. The compass
//! search finds its ground: from the best point so far every axis is tried one step up and one step down; the best of
//! them is the next point, followed by a stride in the same direction as long as that helps. Where none is better, the
//! steps are halved. It needs nothing of the function, which is a staircase in whole-numbered figures (Kolda, Lewis
//! and Torczon, "Optimization by Direct Search", SIAM Review 45, 2003). All steps are factors, because figures range
//! over decades. Trials run side by side, and the point that is taken does not depend on how many do.

use std::collections::HashMap;

use rayon::prelude::*;

use super::evolve::Evolution;

/// Factor of the first steps, as its logarithm.
const FIRST_STEP: f64 = 0.3;

/// Steps below 2 % find nothing that a log could distinguish.
const LAST_STEP: f64 = 0.02;

/// The values that a figure may take, all above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SearchDimension {
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Whether only whole numbers count.
    pub(crate) whole: bool,
}

/// How much of a landscape is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All of it: evolution, then compass. With the seed of what is drawn.
    Far(u64),
    /// Downhill from the best start: compass alone.
    Near,
}

/// What the search came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchResult {
    pub(crate) point: Vec<f64>,
    /// The function there.
    pub(crate) value: f64,
    /// Calls of the function.
    pub(crate) calls: u32,
    /// Whether no step was left to try; otherwise the calls were used up.
    pub(crate) settled: bool,
}

impl SearchDimension {
    /// The nearest value that is allowed.
    fn clamp(&self, value: f64) -> f64 {
        let value = if self.whole { value.round() } else { value };
        value.clamp(self.least, self.most)
    }

    /// One step from a value; a whole number moves by one at least.
    fn step(&self, value: f64, step: f64) -> f64 {
        let next = self.clamp(value * libm::exp(step));
        if self.whole && next == value {
            self.clamp(value + step.signum())
        } else {
            next
        }
    }
}

/// Finds a least value of `function`, from the best of some starting points. `None` where it has no value at
/// any of them, or `stopped` says so; the function has none where it returns `None`.
pub(crate) fn search(
    axes: &[SearchDimension],
    starts: &[Vec<f64>],
    reach: Reach,
    calls_max: u32,
    function: &(dyn Fn(&[f64]) -> Option<f64> + Sync),
    mut stopped: impl FnMut(u32) -> bool,
) -> Option<SearchResult> {
    let mut known = SimulatedPoints {
        values: HashMap::new(),
        calls: 0,
        calls_max,
        function,
    };
    let clamped = |start: &Vec<f64>| axes.iter().zip(start).map(|(a, v)| a.clamp(*v)).collect();
    let (mut point, mut value) = known.best(starts.iter().map(clamped).collect())?;
    let logarithms = |point: &[f64]| point.iter().map(|value| libm::log(*value)).collect();
    let (seed, evolving) = match reach {
        Reach::Far(seed) => (seed, calls_max / 3 * 2),
        Reach::Near => (0, 0),
    };
    let mut evolution = Evolution::at(logarithms(&point), seed);
    let mut runs = 0;
    while known.calls + (evolution.population() as u32) <= evolving {
        if stopped(known.calls) {
            return None;
        }
        if evolution.is_over() {
            // What is left is for another hollow.
            runs += 1;
            evolution = Evolution::at(logarithms(&point), seed ^ runs);
        }
        let drawn = evolution.candidates();
        let figures = |one: &Vec<f64>| {
            axes.iter()
                .zip(one)
                .map(|(axis, log)| axis.clamp(libm::exp(*log)))
                .collect()
        };
        let tried: Vec<Vec<f64>> = drawn.iter().map(figures).collect();
        if let Some((next, found)) = known
            .best(tried.clone())
            .filter(|(_, found)| *found < value)
        {
            (point, value) = (next, found);
        }
        let mut ranked: Vec<(f64, Vec<f64>)> = tried
            .iter()
            .map(|one| known.value(one))
            .zip(drawn)
            .collect();
        ranked.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let ranked: Vec<_> = ranked.into_iter().map(|(_, one)| one).collect();
        evolution.learn(&ranked);
    }
    let mut steps = vec![FIRST_STEP; axes.len()];
    let mut settled = false;
    while known.calls < calls_max {
        if stopped(known.calls) {
            return None;
        }
        let around = (0..axes.len()).flat_map(|axis| {
            [steps[axis], -steps[axis]].map(|step| {
                let mut trial = point.clone();
                trial[axis] = axes[axis].step(trial[axis], step);
                trial
            })
        });
        let found = known
            .best(around.collect())
            .filter(|(_, found)| *found < value);
        if let Some((next, found)) = found {
            let stride: Vec<f64> = next.iter().zip(&point).map(|(n, p)| n / p).collect();
            (point, value) = (next, found);
            // The same stride again, as long as it helps.
            while known.calls < calls_max {
                let far = point.iter().zip(&stride).zip(axes);
                let far = far.map(|((p, s), axis)| axis.clamp(p * s)).collect();
                match known.best(vec![far]).filter(|(_, found)| *found < value) {
                    Some((next, found)) => (point, value) = (next, found),
                    None => break,
                }
            }
        } else if steps.iter().all(|step| *step <= LAST_STEP) {
            settled = true;
            break;
        } else {
            for step in &mut steps {
                *step = (*step / 2.0).max(LAST_STEP / 2.0);
            }
        }
    }
    Some(SearchResult {
        point,
        value,
        calls: known.calls,
        settled,
    })
}

/// The values that are known already, so that no point is simulated twice.
struct SimulatedPoints<'a> {
    values: HashMap<Vec<u64>, Option<f64>>,
    calls: u32,
    calls_max: u32,
    function: &'a (dyn Fn(&[f64]) -> Option<f64> + Sync),
}

impl SimulatedPoints<'_> {
    /// The value of a point that was tried; infinite where it has none.
    fn value(&self, point: &[f64]) -> f64 {
        let found = self.values.get::<Vec<u64>>(&key(point));
        found.copied().flatten().unwrap_or(f64::INFINITY)
    }

    /// The best of some points; of equally good ones the first. As many are tried as calls are left.
    fn best(&mut self, points: Vec<Vec<f64>>) -> Option<(Vec<f64>, f64)> {
        let mut fresh: Vec<(Vec<u64>, &Vec<f64>)> = Vec::new();
        for point in &points {
            let key = key(point);
            let twice = fresh.iter().any(|(other, _)| *other == key);
            if !twice && !self.values.contains_key(&key) {
                fresh.push((key, point));
            }
        }
        fresh.truncate((self.calls_max - self.calls) as usize);
        self.calls += fresh.len() as u32;
        let function = self.function;
        let found: Vec<_> = fresh
            .into_par_iter()
            .map(|(key, point)| (key, function(point).filter(|value| value.is_finite())))
            .collect();
        self.values.extend(found);
        let mut best: Option<(Vec<f64>, f64)> = None;
        for point in points {
            let value = self.value(&point);
            if value.is_finite() && best.as_ref().is_none_or(|(_, least)| value < *least) {
                best = Some((point, value));
            }
        }
        best
    }
}

fn key(point: &[f64]) -> Vec<u64> {
    point.iter().map(|value| value.to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REAL: SearchDimension = SearchDimension {
        least: 1e-6,
        most: 1e6,
        whole: false,
    };
    const WHOLE: SearchDimension = SearchDimension {
        least: 1.0,
        most: 1000.0,
        whole: true,
    };

    fn apart(a: f64, b: f64) -> f64 {
        (a / b).ln().abs()
    }

    #[test]
    fn a_valley_is_found_over_decades_and_staircases() {
        let function = |p: &[f64]| {
            Some(apart(p[0], 3.7e-3) + 0.5 * apart(p[0] * p[1], 3.7e-3 * 40.0) + apart(p[2], 7.0))
        };
        let axes = [REAL, REAL, WHOLE];
        let found = search(
            &axes,
            &[vec![1.0, 1.0, 300.0]],
            Reach::Far(1),
            400,
            &function,
            |_| false,
        );
        let found = found.expect("a least value");
        assert!(found.settled, "{found:?}");
        assert!(apart(found.point[0], 3.7e-3) < 0.02, "{found:?}");
        assert!(apart(found.point[1], 40.0) < 0.04, "{found:?}");
        assert_eq!(found.point[2], 7.0);
    }

    #[test]
    fn the_best_start_is_taken_and_points_without_a_value_are_passed_by() {
        let function = |p: &[f64]| (p[0] > 2.0).then(|| apart(p[0], 10.0));
        let starts = [vec![1.0], vec![900.0], vec![11.0]];
        let found =
            search(&[WHOLE], &starts, Reach::Far(1), 50, &function, |_| false).expect("a value");
        assert_eq!((found.point, found.value), (vec![10.0], 0.0));
        assert_eq!(
            search(&[WHOLE], &[vec![1.0]], Reach::Far(1), 50, &function, |_| {
                false
            }),
            None
        );
    }

    #[test]
    fn calls_are_bounded_and_no_point_is_tried_twice() {
        use std::sync::Mutex;
        let seen = Mutex::new(Vec::new());
        let function = |p: &[f64]| {
            seen.lock().expect("no panic").push(p.to_vec());
            Some(apart(p[0], 1e5) + apart(p[1], 1e-5))
        };
        let found = search(
            &[REAL, REAL],
            &[vec![1.0, 1.0]],
            Reach::Far(1),
            17,
            &function,
            |_| false,
        );
        let found = found.expect("a value");
        let mut seen = seen.into_inner().expect("no panic");
        assert_eq!((found.calls, seen.len(), found.settled), (17, 17, false));
        seen.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        seen.dedup();
        assert_eq!(seen.len(), 17);
    }

    #[test]
    fn it_stops_when_asked() {
        let found = search(
            &[REAL],
            &[vec![1.0]],
            Reach::Far(1),
            100,
            &|p| Some(p[0]),
            |calls| calls > 5,
        );
        assert_eq!(found, None);
    }
}
