//! Connected components by Afforest (Sutton, Ben-Nun and Barak, "Optimizing Parallel Graph Connectivity Computation via
//! Subgraph Sampling", 2018).

use super::super::random::InputDraws;
use super::super::{AccessTracer, AddressSpace, TracedArray};
use super::NeighbourLists;

/// Neighbours of each vertex that are linked before the greatest component is looked for.
const ROUNDS: usize = 2;
/// Vertices that are looked at for it.
const SAMPLES: usize = 1024;

/// The arrays of a run.
#[derive(Debug)]
pub struct ConnectedComponents {
    /// The number of each vertex's component, which is that of a vertex in it.
    pub components: TracedArray<u32>,
}

impl ConnectedComponents {
    /// For a graph.
    pub fn new(space: &mut AddressSpace, graph: &NeighbourLists) -> Self {
        Self {
            components: space.filled(graph.vertices(), 0),
        }
    }

    /// Finds the components.
    pub fn run<R: AccessTracer>(&mut self, tracer: &mut R, graph: &NeighbourLists, seed: u64) {
        let vertices = graph.vertices() as u32;
        for vertex in 0..vertices {
            self.components.set(tracer, vertex as usize, vertex);
            tracer.compute(1);
        }
        for round in 0..ROUNDS {
            for vertex in 0..vertices {
                let known = R::Loaded::default();
                let (from, to, told) = graph.bounds(tracer, vertex, known);
                tracer.compute(2);
                if from + round < to {
                    self.link(tracer, graph, vertex, from + round, told);
                }
            }
            self.compress(tracer);
        }
        let greatest = self.frequent(tracer, seed);
        for vertex in 0..vertices {
            let known = R::Loaded::default();
            let (component, told) = self.components.load(tracer, vertex as usize, known);
            tracer.branch(1, component == greatest, told);
            if component == greatest {
                continue;
            }
            let (from, to, told) = graph.bounds(tracer, vertex, known);
            for place in (from + ROUNDS).min(to)..to {
                self.link(tracer, graph, vertex, place, told);
            }
        }
        self.compress(tracer);
    }

    /// Joins the components of a vertex and a neighbour.
    fn link<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        graph: &NeighbourLists,
        vertex: u32,
        place: usize,
        from: R::Loaded,
    ) {
        let (neighbour, told) = graph.neighbours.load(tracer, place, from);
        let known = R::Loaded::default();
        let (mut one, mut one_told) = self.components.load(tracer, vertex as usize, known);
        let (mut other, mut other_told) = self.components.load(tracer, neighbour as usize, told);
        loop {
            let both = tracer.both(one_told, other_told);
            tracer.branch(2, one == other, both);
            if one == other {
                return;
            }
            let (high, low) = (one.max(other), one.min(other));
            let (above, above_told) = self.components.load(tracer, high as usize, both);
            tracer.compute(4);
            tracer.branch(3, above == high, above_told);
            if above == high {
                self.components.store(tracer, high as usize, both, low);
                return;
            }
            if above == low {
                return;
            }
            (one, one_told) = self.components.load(tracer, above as usize, above_told);
            (other, other_told) = self.components.load(tracer, low as usize, both);
        }
    }

    /// Lets every vertex point to its component at once.
    fn compress<R: AccessTracer>(&mut self, tracer: &mut R) {
        for vertex in 0..self.components.len() {
            loop {
                let known = R::Loaded::default();
                let (one, told) = self.components.load(tracer, vertex, known);
                let (two, two_told) = self.components.load(tracer, one as usize, told);
                tracer.compute(2);
                tracer.branch(4, one == two, two_told);
                if one == two {
                    break;
                }
                self.components.set(tracer, vertex, two);
            }
        }
    }

    /// The component that most of some vertices are in.
    fn frequent<R: AccessTracer>(&self, tracer: &mut R, seed: u64) -> u32 {
        let mut draws = InputDraws::new(seed, 200);
        let mut counts = std::collections::BTreeMap::<u32, usize>::new();
        for _ in 0..SAMPLES {
            let at = draws.below(self.components.len());
            *counts.entry(self.components.get(tracer, at)).or_default() += 1;
            tracer.compute(30);
        }
        let most = counts
            .into_iter()
            .max_by_key(|(number, count)| (*count, *number));
        most.map_or(0, |(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::NoTracer;
    use super::super::tests::sample;
    use super::*;

    /// Paints one component after the other.
    fn plain(graph: &NeighbourLists) -> Vec<u32> {
        let mut colours = vec![u32::MAX; graph.vertices()];
        for first in 0..graph.vertices() as u32 {
            let mut open = vec![first];
            while let Some(vertex) = open.pop() {
                if colours[vertex as usize] == u32::MAX {
                    colours[vertex as usize] = first;
                    open.extend(graph.untraced(vertex));
                }
            }
        }
        colours
    }

    #[test]
    fn components_are_those_of_painting() {
        for (seed, few) in [(0, 16 << 9), (1, 1 << 9), (2, 300), (3, 0)] {
            let (vertices, edges) = sample(9, seed);
            let mut space = AddressSpace::default();
            let graph = NeighbourLists::new(&mut space, vertices, &edges[..few]);
            let mut found = ConnectedComponents::new(&mut space, &graph);
            found.run(&mut NoTracer, &graph, seed);
            // The least vertex of a component is its number in both.
            assert_eq!(found.components.untraced(), plain(&graph));
        }
    }
}
