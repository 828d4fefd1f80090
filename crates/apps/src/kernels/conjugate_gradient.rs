//! The method of conjugate gradients with a preconditioner, for any symmetric positive definite matrix.

use super::{AccessTracer, AddressSpace, TracedArray};

/// A matrix and its preconditioner, as the method needs them.
pub trait SymmetricOperator {
    /// Elements of a vector.
    fn len(&self) -> usize;

    /// Whether it has none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `y = A x`.
    fn apply<R: AccessTracer>(
        &self,
        tracer: &mut R,
        x: &TracedArray<f64>,
        y: &mut TracedArray<f64>,
    );

    /// `z = M⁻¹ r`.
    fn precondition<R: AccessTracer>(
        &self,
        tracer: &mut R,
        r: &TracedArray<f64>,
        z: &mut TracedArray<f64>,
    );
}

/// Elements of a vector register of 512 bits.
pub(super) const VECTOR: usize = 8;

/// The vectors of a run.
#[derive(Debug)]
pub struct ConjugateGradient {
    /// The solution so far.
    pub x: TracedArray<f64>,
    r: TracedArray<f64>,
    z: TracedArray<f64>,
    p: TracedArray<f64>,
    q: TracedArray<f64>,
}

impl ConjugateGradient {
    /// Begins at zero with a right-hand side.
    pub fn new(space: &mut AddressSpace, right: &[f64]) -> Self {
        let count = right.len();
        Self {
            x: space.filled(count, 0.0),
            r: space.array(right.to_vec()),
            z: space.filled(count, 0.0),
            p: space.filled(count, 0.0),
            q: space.filled(count, 0.0),
        }
    }

    /// Does steps, and returns the norm of the residual that the recursion has by then (Saad, "Iterative Methods for
    /// Sparse Linear Systems", algorithm 9.1).
    pub fn run<A: SymmetricOperator, R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        matrix: &A,
        steps: usize,
    ) -> f64 {
        let mut before = 0.0;
        for step in 0..steps {
            matrix.precondition(tracer, &self.r, &mut self.z);
            let rz = dot(tracer, &self.r, &self.z);
            if rz == 0.0 {
                break;
            }
            let beta = if step == 0 { 0.0 } else { rz / before };
            before = rz;
            update(tracer, &mut self.p, &self.z, |p, z| z + beta * p);
            matrix.apply(tracer, &self.p, &mut self.q);
            let alpha = rz / dot(tracer, &self.p, &self.q);
            update(tracer, &mut self.x, &self.p, |x, p| x + alpha * p);
            update(tracer, &mut self.r, &self.q, |r, q| r - alpha * q);
        }
        dot(tracer, &self.r, &self.r).sqrt()
    }
}

/// The product of two vectors.
pub(super) fn dot<R: AccessTracer>(
    tracer: &mut R,
    one: &TracedArray<f64>,
    other: &TracedArray<f64>,
) -> f64 {
    let mut sums = [0.0; VECTOR];
    for at in (0..one.len()).step_by(VECTOR) {
        let count = VECTOR.min(one.len() - at);
        let (left, _) = one.span(tracer, at, count, R::Loaded::default());
        let (right, _) = other.span(tracer, at, count, R::Loaded::default());
        for (sum, (a, b)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += a * b;
        }
        // The product and the sum are one, the loop's count and branch two more.
        tracer.compute(3);
    }
    sums.iter().sum()
}

/// `one = of(one, other)`, element by element.
fn update<R: AccessTracer>(
    tracer: &mut R,
    one: &mut TracedArray<f64>,
    other: &TracedArray<f64>,
    of: impl Fn(f64, f64) -> f64,
) {
    for at in (0..one.len()).step_by(VECTOR) {
        let count = VECTOR.min(one.len() - at);
        one.span(tracer, at, count, R::Loaded::default());
        let (from, _) = other.span(tracer, at, count, R::Loaded::default());
        tracer.compute(3);
        let to = one.span_mut(tracer, at, count, R::Loaded::default());
        for (a, b) in to.iter_mut().zip(from) {
            *a = of(*a, *b);
        }
    }
}
