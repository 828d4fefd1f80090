//! A sparse matrix in compressed rows, with symmetric Gauss-Seidel as its preconditioner: what HPCG runs on its finest
//! grid (Dongarra, Heroux and Luszczek, "HPCG Benchmark", 2015).

use super::conjugate_gradient::SymmetricOperator;
use super::{AccessTracer, AddressSpace, TracedArray};

/// A sparse matrix whose rows have their diagonal. Columns of 4 bytes and values of 8, as HPCG keeps them.
#[derive(Debug)]
pub struct CsrMatrix {
    starts: TracedArray<u64>,
    columns: TracedArray<u32>,
    values: TracedArray<f64>,
    diagonal: TracedArray<f64>,
}

impl CsrMatrix {
    /// The 27-point operator on a cube of `edge` points: 26 on the diagonal, -1 for each neighbour inside.
    pub fn of_cube(space: &mut AddressSpace, edge: usize) -> Self {
        let count = edge * edge * edge;
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        columns.reserve(27 * count);
        values.reserve(27 * count);
        let near = |at: usize| at.saturating_sub(1)..(at + 2).min(edge);
        for row in 0..count {
            let (x, y, z) = (row % edge, row / edge % edge, row / edge / edge);
            for k in near(z) {
                for j in near(y) {
                    for i in near(x) {
                        let column = (k * edge + j) * edge + i;
                        columns.push(column as u32);
                        values.push(if column == row { 26.0 } else { -1.0 });
                    }
                }
            }
            starts.push(columns.len() as u64);
        }
        Self {
            starts: space.array(starts),
            columns: space.array(columns),
            values: space.array(values),
            diagonal: space.filled(count, 26.0),
        }
    }

    /// Bytes of a point of such a cube, vectors of the method among them.
    pub(super) const POINT_BYTES: u64 = 27 * 12 + 8 + 8 + 5 * 8;

    /// The sum over a row of its values times those of `x`.
    #[inline]
    fn row<R: AccessTracer>(&self, tracer: &mut R, row: usize, x: &TracedArray<f64>) -> f64 {
        let from = self.starts.get(tracer, row) as usize;
        let to = self.starts.get(tracer, row + 1) as usize;
        let known = R::Loaded::default();
        let (columns, told) = self.columns.span(tracer, from, to - from, known);
        let (values, _) = self.values.span(tracer, from, to - from, known);
        let mut sum = 0.0;
        for (column, value) in columns.iter().zip(values) {
            sum += value * x.load(tracer, *column as usize, told).0;
        }
        // For each element a product with its sum, and its column taken out of the register; for the row the loop.
        tracer.compute(2 * columns.len() as u64 + 4);
        sum
    }

    /// Improves one element of `z`, all others as they are.
    #[inline]
    fn relax<R: AccessTracer>(
        &self,
        tracer: &mut R,
        row: usize,
        r: &TracedArray<f64>,
        z: &mut TracedArray<f64>,
    ) {
        let sum = self.row(tracer, row, z);
        let diagonal = self.diagonal.get(tracer, row);
        let old = z.get(tracer, row);
        let value = (r.get(tracer, row) - sum) / diagonal + old;
        tracer.compute(4);
        z.set(tracer, row, value);
    }
}

impl SymmetricOperator for CsrMatrix {
    fn len(&self) -> usize {
        self.diagonal.len()
    }

    fn apply<R: AccessTracer>(
        &self,
        tracer: &mut R,
        x: &TracedArray<f64>,
        y: &mut TracedArray<f64>,
    ) {
        for row in 0..self.len() {
            let sum = self.row(tracer, row, x);
            y.set(tracer, row, sum);
        }
    }

    /// A sweep forth and a sweep back from zero.
    fn precondition<R: AccessTracer>(
        &self,
        tracer: &mut R,
        r: &TracedArray<f64>,
        z: &mut TracedArray<f64>,
    ) {
        for row in 0..self.len() {
            z.set(tracer, row, 0.0);
        }
        for row in 0..self.len() {
            self.relax(tracer, row, r, z);
        }
        for row in (0..self.len()).rev() {
            self.relax(tracer, row, r, z);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::NoTracer;
    use super::super::conjugate_gradient::ConjugateGradient;
    use super::super::random::InputDraws;
    use super::*;

    /// The operator by its definition.
    fn plain(edge: i64, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        let place = |i: i64, j: i64, k: i64| ((k * edge + j) * edge + i) as usize;
        let inside = |at: i64| (0..edge).contains(&at);
        for (k, j, i) in cube(edge) {
            let mut sum = 27.0 * x[place(i, j, k)];
            for (dk, dj, di) in cube(3) {
                let (i, j, k) = (i + di - 1, j + dj - 1, k + dk - 1);
                if inside(i) && inside(j) && inside(k) {
                    sum -= x[place(i, j, k)];
                }
            }
            y[place(i, j, k)] = sum;
        }
        y
    }

    fn cube(edge: i64) -> impl Iterator<Item = (i64, i64, i64)> {
        (0..edge * edge * edge).map(move |at| (at / edge / edge, at / edge % edge, at % edge))
    }

    #[test]
    fn rows_are_the_operator_and_the_method_solves_it() {
        let mut space = AddressSpace::default();
        let matrix = CsrMatrix::of_cube(&mut space, 9);
        let mut draws = InputDraws::new(3, 0);
        let exact: Vec<f64> = (0..matrix.len()).map(|_| draws.normal()).collect();
        let right = plain(9, &exact);
        let x = space.array(exact.clone());
        let mut y = space.filled(exact.len(), 0.0);
        matrix.apply(&mut NoTracer, &x, &mut y);
        for (found, expected) in y.untraced().iter().zip(&right) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        let mut method = ConjugateGradient::new(&mut space, &right);
        let residual = method.run(&mut NoTracer, &matrix, 30);
        assert!(residual < 1e-9, "{residual}");
        for (found, expected) in method.x.untraced().iter().zip(&exact) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    /// z = (D + U)⁻¹ D (D + L)⁻¹ r, by dense triangular solves.
    #[test]
    fn the_preconditioner_is_symmetric_gauss_seidel() {
        let mut space = AddressSpace::default();
        let matrix = CsrMatrix::of_cube(&mut space, 4);
        let count = matrix.len();
        let columns: Vec<Vec<f64>> = (0..count)
            .map(|column| {
                let mut unit = vec![0.0; count];
                unit[column] = 1.0;
                plain(4, &unit)
            })
            .collect();
        let mut draws = InputDraws::new(5, 0);
        let r: Vec<f64> = (0..count).map(|_| draws.normal()).collect();
        let mut forth = vec![0.0; count];
        for row in 0..count {
            let below: f64 = (0..row).map(|at| columns[at][row] * forth[at]).sum();
            forth[row] = (r[row] - below) / columns[row][row];
        }
        let mut z = vec![0.0; count];
        for row in (0..count).rev() {
            let above: f64 = (row + 1..count).map(|at| columns[at][row] * z[at]).sum();
            z[row] = (columns[row][row] * forth[row] - above) / columns[row][row];
        }
        let r = space.array(r);
        let mut found = space.filled(count, 1.0);
        matrix.precondition(&mut NoTracer, &r, &mut found);
        for (found, expected) in found.untraced().iter().zip(&z) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
