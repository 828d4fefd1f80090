//! Page rank: what the neighbours give, again and again (Jacobi), as the suite's `pr_spmv` does.

use super::super::{AccessTracer, AddressSpace, TracedArray};
use super::NeighbourLists;

/// Share of a score that goes on to neighbours.
const DAMPING: f32 = 0.85;

/// The arrays of a run.
#[derive(Debug)]
pub struct PageRank {
    /// Score of each vertex.
    pub scores: TracedArray<f32>,
    outgoing: TracedArray<f32>,
}

impl PageRank {
    /// For a graph, with equal scores.
    pub fn new(space: &mut AddressSpace, graph: &NeighbourLists) -> Self {
        let vertices = graph.vertices();
        Self {
            scores: space.filled(vertices, 1.0 / vertices as f32),
            outgoing: space.filled(vertices, 0.0),
        }
    }

    /// Does at most so many steps, until scores change by less than `tolerance` in sum. Returns the last change.
    pub fn run<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        graph: &NeighbourLists,
        steps: usize,
        tolerance: f64,
    ) -> f64 {
        let vertices = graph.vertices();
        let base = (1.0 - DAMPING) / vertices as f32;
        let mut change = f64::INFINITY;
        for _ in 0..steps {
            let known = R::Loaded::default();
            for vertex in 0..vertices {
                let (from, to, _) = graph.bounds(tracer, vertex as u32, known);
                let score = self.scores.get(tracer, vertex);
                tracer.compute(4);
                let share = score / (to - from) as f32;
                self.outgoing.set(tracer, vertex, share);
            }
            change = 0.0;
            for vertex in 0..vertices {
                let (from, to, told) = graph.bounds(tracer, vertex as u32, known);
                let mut sum = 0.0;
                for place in from..to {
                    let (neighbour, told) = graph.neighbours.load(tracer, place, told);
                    sum += self.outgoing.load(tracer, neighbour as usize, told).0;
                    tracer.compute(3);
                }
                let old = self.scores.get(tracer, vertex);
                let new = base + DAMPING * sum;
                self.scores.set(tracer, vertex, new);
                change += f64::from((new - old).abs());
                tracer.compute(8);
            }
            if change < tolerance {
                break;
            }
        }
        change
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::NoTracer;
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn scores_are_those_of_plain_steps() {
        let (vertices, edges) = sample(9, 3);
        let mut space = AddressSpace::default();
        let graph = NeighbourLists::new(&mut space, vertices, &edges);
        let mut rank = PageRank::new(&mut space, &graph);
        let change = rank.run(&mut NoTracer, &graph, 20, 1e-4);
        assert!(change < 1e-4, "{change}");
        let mut plain = vec![1.0 / vertices as f64; vertices];
        for _ in 0..60 {
            let mut next = vec![0.15 / vertices as f64; vertices];
            for vertex in 0..vertices as u32 {
                let neighbours = graph.untraced(vertex);
                for other in neighbours {
                    next[*other as usize] +=
                        0.85 * plain[vertex as usize] / neighbours.len() as f64;
                }
            }
            plain = next;
        }
        let off: f64 = rank
            .scores
            .untraced()
            .iter()
            .zip(&plain)
            .map(|(a, b)| (f64::from(*a) - b).abs())
            .sum();
        assert!(off < 2e-4, "{off}");
    }
}
