//! Kronecker graphs, as Graph500 and the GAP suite define them: each edge falls into one of four quarters of the matrix,
//! again and again, with probabilities 0.57, 0.19, 0.19 and 0.05. Vertices are then numbered at random.

use super::super::random::InputDraws;
use super::EDGES_PER_VERTEX;

/// Share of edges in the first quarter.
const A: f64 = 0.57;
/// In the second, whose columns are the greater half; as many are in the third.
const B: f64 = 0.19;
const C: f64 = 0.19;

/// Edges of a graph with 2^`scale` vertices: 16 for each, with loops and doubles, in one direction.
///
/// # Panics
/// With a scale above 31: vertices have 4 bytes.
#[must_use]
pub fn kronecker_edges(scale: u32, seed: u64) -> Vec<(u32, u32)> {
    assert!(scale <= 31, "vertices have 4 bytes");
    let vertices = 1usize << scale;
    let mut draws = InputDraws::new(seed, 0);
    let mut numbers: Vec<u32> = (0..=u32::MAX).take(vertices).collect();
    draws.shuffle(&mut numbers);
    let edge = |_| {
        let (mut row, mut column) = (0usize, 0usize);
        for _ in 0..scale {
            let at = draws.unit();
            let is_lower = at >= A + B;
            let is_right = (A..A + B).contains(&at) || at >= A + B + C;
            row = row << 1 | usize::from(is_lower);
            column = column << 1 | usize::from(is_right);
        }
        (numbers[row], numbers[column])
    };
    (0..vertices * EDGES_PER_VERTEX).map(edge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The degree of a vertex whose number has k ones in its bits is binomial with a share that the quarters give: of all
    /// ends of edges, a share of (A + B)^(scale - k) (C + D)^k are rows of it.
    #[test]
    fn degrees_are_those_that_the_quarters_give() {
        let scale = 10;
        let edges = kronecker_edges(scale, 1);
        assert_eq!(edges.len(), 16 << scale);
        let mut rows = vec![0u32; 1 << scale];
        for (row, _) in &edges {
            rows[*row as usize] += 1;
        }
        // The numbering hides which vertex is which, but not how many ends the first has.
        let most = f64::from(rows.iter().copied().max().unwrap_or(0));
        let expected = (A + B).powi(10) * edges.len() as f64;
        assert!((most / expected - 1.0).abs() < 0.1, "{most} {expected}");
        let mut none = 0.0;
        for ones in 0..=10 {
            let share = (A + B).powi(10 - ones) * (1.0 - A - B).powi(ones);
            let vertices =
                (0..ones).fold(1.0, |all, at| all * f64::from(10 - at) / f64::from(at + 1));
            none += vertices * (1.0 - share).powi(edges.len() as i32);
        }
        let found = rows.iter().filter(|ends| **ends == 0).count() as f64;
        assert!((found / none - 1.0).abs() < 0.15, "{found} {none}");
    }
}
