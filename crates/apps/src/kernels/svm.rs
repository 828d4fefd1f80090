//! Passes of a linear support vector machine over its data, as Spark's `SVMWithSGD` does them: the gradient of the hinge
//! loss over all points, then a step. Points are objects, reached through references whose order is not that of memory.

use super::random::InputDraws;
use super::{AccessTracer, AddressSpace, TracedArray};

/// Features of a point.
pub(super) const FEATURES: usize = 128;

/// Bytes of a point: its features, its label, and its reference.
pub(super) const POINT_BYTES: u64 = (FEATURES as u64 + 1) * 8 + 4;

/// Numbers of a vector register.
const VECTOR: usize = 8;

/// Data and weights.
#[derive(Debug)]
pub struct SvmData {
    /// Which point comes next.
    references: TracedArray<u32>,
    /// Label, then features, of each point.
    points: TracedArray<f64>,
    /// The weights so far.
    pub weights: TracedArray<f64>,
    gradient: TracedArray<f64>,
}

impl SvmData {
    /// Points on both sides of a plane, a tenth of them with the wrong label.
    pub fn new(space: &mut AddressSpace, count: usize, seed: u64) -> Self {
        let mut draws = InputDraws::new(seed, 0);
        let normal: Vec<f64> = (0..FEATURES).map(|_| draws.normal()).collect();
        let mut points = Vec::with_capacity(count * (FEATURES + 1));
        for _ in 0..count {
            let at = points.len();
            points.push(0.0);
            points.extend((0..FEATURES).map(|_| draws.unit() - 0.5));
            let side: f64 = points[at + 1..]
                .iter()
                .zip(&normal)
                .map(|(x, n)| x * n)
                .sum();
            let flipped = draws.below(10) == 0;
            points[at] = if (side > 0.0) == flipped { -1.0 } else { 1.0 };
        }
        let mut references: Vec<u32> = (0..count as u32).collect();
        draws.shuffle(&mut references);
        Self {
            references: space.array(references),
            points: space.array(points),
            weights: space.filled(FEATURES, 0.0),
            gradient: space.filled(FEATURES, 0.0),
        }
    }

    /// Points.
    #[must_use]
    pub fn count(&self) -> usize {
        self.references.len()
    }

    /// A pass over all points and a step of so large a rate, with a regularisation of the weights' squares.
    pub fn pass<R: AccessTracer>(&mut self, tracer: &mut R, rate: f64, regularisation: f64) {
        let known = R::Loaded::default();
        self.gradient.span_mut(tracer, 0, FEATURES, known).fill(0.0);
        for at in 0..self.references.len() {
            let (point, told) = self.references.load(tracer, at, known);
            let first = point as usize * (FEATURES + 1);
            let (label, _) = self.points.load(tracer, first, told);
            let mut sums = [0.0; VECTOR];
            let mut margin_told = told;
            for step in (0..FEATURES).step_by(VECTOR) {
                let (x, loaded) = self.points.span(tracer, first + 1 + step, VECTOR, told);
                let (w, _) = self.weights.span(tracer, step, VECTOR, known);
                for (sum, (x, w)) in sums.iter_mut().zip(x.iter().zip(w)) {
                    *sum += x * w;
                }
                margin_told = tracer.both(margin_told, loaded);
                tracer.compute(2);
            }
            let margin = label * sums.iter().sum::<f64>();
            tracer.compute(8);
            tracer.branch(1, margin < 1.0, margin_told);
            if margin < 1.0 {
                for step in (0..FEATURES).step_by(VECTOR) {
                    let (x, _) = self.points.span(tracer, first + 1 + step, VECTOR, told);
                    self.gradient.span(tracer, step, VECTOR, known);
                    let gradient = self.gradient.span_mut(tracer, step, VECTOR, known);
                    for (gradient, x) in gradient.iter_mut().zip(x) {
                        *gradient -= label * x;
                    }
                    tracer.compute(2);
                }
            }
        }
        let share = 1.0 / self.references.len().max(1) as f64;
        let (gradient, _) = self.gradient.span(tracer, 0, FEATURES, known);
        let weights = self.weights.span_mut(tracer, 0, FEATURES, known);
        for (weight, gradient) in weights.iter_mut().zip(gradient) {
            *weight -= rate * (gradient * share + regularisation * *weight);
        }
        tracer.compute(3 * (FEATURES / VECTOR) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::super::NoTracer;
    use super::*;

    #[test]
    fn passes_are_those_of_the_plain_gradient_and_separate_the_points() {
        let mut space = AddressSpace::default();
        let mut data = SvmData::new(&mut space, 2000, 6);
        let points = data.points.untraced().to_vec();
        let points: Vec<&[f64]> = points.chunks(FEATURES + 1).collect();
        let mut plain = vec![0.0; FEATURES];
        let right = |weights: &[f64]| {
            let margin = |point: &&&[f64]| {
                let dot: f64 = point[1..].iter().zip(weights).map(|(x, w)| x * w).sum();
                point[0] * dot > 0.0
            };
            points.iter().filter(margin).count()
        };
        for _ in 0..20 {
            let mut step = vec![0.0; FEATURES];
            for point in &points {
                let dot: f64 = point[1..].iter().zip(&plain).map(|(x, w)| x * w).sum();
                if point[0] * dot < 1.0 {
                    for (step, x) in step.iter_mut().zip(&point[1..]) {
                        *step += point[0] * x / points.len() as f64;
                    }
                }
            }
            for (weight, step) in plain.iter_mut().zip(step) {
                *weight += 5.0 * (step - 0.001 * *weight);
            }
            data.pass(&mut NoTracer, 5.0, 0.001);
            for (found, expected) in data.weights.untraced().iter().zip(&plain) {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
        let right = right(data.weights.untraced());
        assert!(
            right > 1650,
            "{right} of 2000, of which a tenth is labelled wrong"
        );
    }
}
