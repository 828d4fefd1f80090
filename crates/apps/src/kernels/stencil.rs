//! A 27-point stencil on a cube, without a stored matrix: what a structured solver such as POT3D moves.

use super::conjugate_gradient::{SymmetricOperator, VECTOR};
use super::{AccessTracer, TracedArray};

/// The 27-point operator on a cube: 26 times a point less its neighbours. Points outside are 0 and stored, as a rim one
/// wide; rows begin at whole vectors.
#[derive(Clone, Copy, Debug)]
pub struct CubeStencil {
    edge: usize,
}

impl CubeStencil {
    /// A cube of `edge` points, a multiple of 8.
    ///
    /// # Panics
    /// Where the edge is no multiple of 8, or 0.
    #[must_use]
    pub fn new(edge: usize) -> Self {
        assert!(
            edge > 0 && edge.is_multiple_of(VECTOR),
            "rows of whole vectors"
        );
        Self { edge }
    }

    /// Elements of a row with its rim: a vector on either side.
    const fn pitch(self) -> usize {
        self.edge + 2 * VECTOR
    }

    /// The index of a point inside, whose coordinates count from 0.
    #[must_use]
    pub const fn at(self, x: usize, y: usize, z: usize) -> usize {
        ((z + 1) * (self.edge + 2) + y + 1) * self.pitch() + VECTOR + x
    }

    /// Where the rows of points begin.
    fn rows(self) -> impl Iterator<Item = usize> {
        let edge = self.edge;
        (0..edge).flat_map(move |z| (0..edge).map(move |y| self.at(0, y, z)))
    }
}

impl SymmetricOperator for CubeStencil {
    fn len(&self) -> usize {
        (self.edge + 2) * (self.edge + 2) * self.pitch()
    }

    fn apply<R: AccessTracer>(
        &self,
        tracer: &mut R,
        x: &TracedArray<f64>,
        y: &mut TracedArray<f64>,
    ) {
        let (row, plane) = (self.pitch(), self.pitch() * (self.edge + 2));
        let known = R::Loaded::default();
        for begin in self.rows() {
            for at in (begin..begin + self.edge).step_by(VECTOR) {
                let (centre, _) = x.span(tracer, at, VECTOR, known);
                let mut sums: [f64; VECTOR] = std::array::from_fn(|lane| 27.0 * centre[lane]);
                for dz in [0, plane, 2 * plane] {
                    for dy in [0, row, 2 * row] {
                        for dx in 0..3 {
                            let from = at + dz + dy + dx - plane - row - 1;
                            let (near, _) = x.span(tracer, from, VECTOR, known);
                            for (sum, near) in sums.iter_mut().zip(near) {
                                *sum -= near;
                            }
                        }
                    }
                }
                tracer.compute(27 + 3);
                y.span_mut(tracer, at, VECTOR, known).copy_from_slice(&sums);
            }
        }
    }

    /// Division by the diagonal.
    fn precondition<R: AccessTracer>(
        &self,
        tracer: &mut R,
        r: &TracedArray<f64>,
        z: &mut TracedArray<f64>,
    ) {
        let known = R::Loaded::default();
        for at in (0..self.len()).step_by(VECTOR) {
            let (from, _) = r.span(tracer, at, VECTOR, known);
            tracer.compute(3);
            let to = z.span_mut(tracer, at, VECTOR, known);
            for (to, from) in to.iter_mut().zip(from) {
                *to = from / 26.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::conjugate_gradient::ConjugateGradient;
    use super::super::csr::CsrMatrix;
    use super::super::random::InputDraws;
    use super::super::{AddressSpace, NoTracer};
    use super::*;

    /// The matrix in compressed rows is the plain version: it was held against the definition.
    #[test]
    fn the_stencil_is_the_matrix_and_the_method_solves_it() {
        let edge = 8;
        let stencil = CubeStencil::new(edge);
        let mut space = AddressSpace::default();
        let matrix = CsrMatrix::of_cube(&mut space, edge);
        let mut draws = InputDraws::new(4, 0);
        let points: Vec<f64> = (0..matrix.len()).map(|_| draws.normal()).collect();
        let mut padded = vec![0.0; stencil.len()];
        let place = |at: usize| stencil.at(at % edge, at / edge % edge, at / edge / edge);
        for (at, point) in points.iter().enumerate() {
            padded[place(at)] = *point;
        }
        let (x, exact) = (space.array(points), space.array(padded));
        let mut plain = space.filled(x.len(), 0.0);
        let mut right = space.filled(stencil.len(), 0.0);
        matrix.apply(&mut NoTracer, &x, &mut plain);
        stencil.apply(&mut NoTracer, &exact, &mut right);
        for (at, expected) in plain.untraced().iter().enumerate() {
            let found = right.untraced()[place(at)];
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        let mut method = ConjugateGradient::new(&mut space, right.untraced());
        let residual = method.run(&mut NoTracer, &stencil, 60);
        assert!(residual < 1e-9, "{residual}");
        for (found, expected) in method.x.untraced().iter().zip(exact.untraced()) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
}
