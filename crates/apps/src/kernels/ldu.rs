//! A Gauss-Seidel smoother on a matrix whose coefficients belong to faces between cells: the layout of OpenFOAM (lower,
//! diagonal, upper), whose solvers spend their time here.
//!
//! A face has an owner and a neighbour with a greater number. Faces are sorted by owner, so that a cell's upper
//! coefficients lie in a row; what they add to neighbours is scattered.

use super::random::InputDraws;
use super::{AccessTracer, AddressSpace, TracedArray};

/// A matrix of faces, with its right-hand side and its solution.
#[derive(Debug)]
pub struct FaceMatrix {
    /// Where the faces begin that a cell owns; one more than there are cells.
    starts: TracedArray<u32>,
    neighbours: TracedArray<u32>,
    lower: TracedArray<f64>,
    upper: TracedArray<f64>,
    diagonal: TracedArray<f64>,
    source: TracedArray<f64>,
    /// The source less what cells in front took of it.
    remaining: TracedArray<f64>,
    /// The solution so far.
    pub solution: TracedArray<f64>,
}

/// Cells whose numbers are mixed with each other, as they are in meshes that a tool cut and numbered anew.
const MIXED: usize = 256;

impl FaceMatrix {
    /// Bytes of a cell of a cube.
    pub(super) const CELL_BYTES: u64 = 3 * (4 + 8 + 8) + 4 + 4 * 8;

    /// Cells of a cube of `edge` each way, with six faces but at the walls; coefficients vary from cell to cell.
    pub fn of_cube(space: &mut AddressSpace, edge: usize, seed: u64) -> Self {
        let count = edge * edge * edge;
        let mut draws = InputDraws::new(seed, 0);
        let mut numbers: Vec<u32> = (0..count as u32).collect();
        for block in numbers.chunks_mut(MIXED) {
            draws.shuffle(block);
        }
        // Faces as owner and neighbour, in order.
        let mut faces = Vec::with_capacity(3 * count);
        for cell in 0..count {
            let (x, y, z) = (cell % edge, cell / edge % edge, cell / edge / edge);
            for (at, step) in [(x, 1), (y, edge), (z, edge * edge)] {
                if at + 1 < edge {
                    let (one, other) = (numbers[cell], numbers[cell + step]);
                    faces.push((one.min(other), one.max(other)));
                }
            }
        }
        faces.sort_unstable();
        let mut starts = vec![0; count + 1];
        for (owner, _) in &faces {
            starts[*owner as usize + 1] += 1;
        }
        for cell in 0..count {
            starts[cell + 1] += starts[cell];
        }
        let coefficients = |draws: &mut InputDraws| -> Vec<f64> {
            faces.iter().map(|_| -0.5 - draws.unit()).collect()
        };
        let (lower, upper) = (coefficients(&mut draws), coefficients(&mut draws));
        let mut diagonal = vec![0.1; count];
        for ((owner, neighbour), (lower, upper)) in faces.iter().zip(lower.iter().zip(&upper)) {
            diagonal[*owner as usize] -= upper;
            diagonal[*neighbour as usize] -= lower;
        }
        let source: Vec<f64> = (0..count).map(|_| draws.normal()).collect();
        Self {
            starts: space.array(starts),
            neighbours: space.array(faces.iter().map(|face| face.1).collect()),
            lower: space.array(lower),
            upper: space.array(upper),
            diagonal: space.array(diagonal),
            remaining: space.filled(count, 0.0),
            source: space.array(source),
            solution: space.filled(count, 0.0),
        }
    }

    /// One sweep over all cells in their order.
    pub fn sweep<R: AccessTracer>(&mut self, tracer: &mut R) {
        let known = R::Loaded::default();
        let cells = self.solution.len();
        for at in (0..cells).step_by(8) {
            let count = 8.min(cells - at);
            let (from, _) = self.source.span(tracer, at, count, known);
            tracer.compute(2);
            let to = self.remaining.span_mut(tracer, at, count, known);
            to.copy_from_slice(from);
        }
        let mut from = self.starts.get(tracer, 0) as usize;
        for cell in 0..cells {
            let to = self.starts.get(tracer, cell + 1) as usize;
            let mut value = self.remaining.get(tracer, cell);
            for face in from..to {
                let (neighbour, told) = self.neighbours.load(tracer, face, known);
                let upper = self.upper.get(tracer, face);
                value -= upper * self.solution.load(tracer, neighbour as usize, told).0;
                tracer.compute(3);
            }
            value /= self.diagonal.get(tracer, cell);
            for face in from..to {
                let (neighbour, told) = self.neighbours.load(tracer, face, known);
                let lower = self.lower.get(tracer, face);
                let (rest, _) = self.remaining.load(tracer, neighbour as usize, told);
                let rest = rest - lower * value;
                self.remaining.store(tracer, neighbour as usize, told, rest);
                tracer.compute(3);
            }
            self.solution.set(tracer, cell, value);
            tracer.compute(4);
            from = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::NoTracer;
    use super::*;

    /// Gauss-Seidel by its definition, on rows.
    #[test]
    fn a_sweep_is_gauss_seidel_on_rows() {
        let mut space = AddressSpace::default();
        let mut matrix = FaceMatrix::of_cube(&mut space, 9, 11);
        let count = matrix.solution.len();
        let mut rows = vec![Vec::new(); count];
        for owner in 0..count {
            let [from, to] = [0, 1].map(|step| matrix.starts.untraced()[owner + step] as usize);
            for face in from..to {
                let neighbour = matrix.neighbours.untraced()[face] as usize;
                assert!(neighbour > owner);
                rows[owner].push((neighbour, matrix.upper.untraced()[face]));
                rows[neighbour].push((owner, matrix.lower.untraced()[face]));
            }
        }
        let mut plain = vec![0.0; count];
        for _ in 0..5 {
            for (cell, row) in rows.iter().enumerate() {
                let others: f64 = row.iter().map(|(at, value)| value * plain[*at]).sum();
                let source = matrix.source.untraced()[cell];
                plain[cell] = (source - others) / matrix.diagonal.untraced()[cell];
            }
            matrix.sweep(&mut NoTracer);
            for (found, expected) in matrix.solution.untraced().iter().zip(&plain) {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
    }
}
