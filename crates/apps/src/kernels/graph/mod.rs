//! The six kernels of the GAP benchmark suite (Beamer, Asanović and Patterson, "The GAP Benchmark Suite", 2015,
//! arXiv:1508.03619) on a graph of its Kronecker generator.

mod betweenness;
mod breadth_first;
mod components;
mod kronecker;
mod page_rank;
mod shortest_paths;
mod triangles;

use super::{AccessTracer, AddressSpace, TracedArray};

pub use betweenness::BetweennessCentrality;
pub use breadth_first::BreadthFirstSearch;
pub use components::ConnectedComponents;
pub use kronecker::kronecker_edges;
pub use page_rank::PageRank;
pub use shortest_paths::{DELTA, ShortestPaths, UNREACHED};
pub use triangles::TriangleCount;

/// Edges that the generator makes for each vertex.
pub const EDGES_PER_VERTEX: usize = 16;

/// The greatest weight of an edge; the least is 1.
pub const WEIGHT_MAX: u32 = 255;

/// Neighbours of each vertex in a row, sorted, without loops and doubles; both directions of each edge. Vertices have 4
/// bytes and offsets 8, as in the suite's reference.
#[derive(Debug)]
pub struct NeighbourLists {
    starts: TracedArray<u64>,
    neighbours: TracedArray<u32>,
}

/// The same with a weight beside each neighbour.
#[derive(Debug)]
pub struct WeightedLists {
    starts: TracedArray<u64>,
    /// Neighbour and weight.
    neighbours: TracedArray<[u32; 2]>,
}

/// Neighbours of all vertices, outside of any memory.
fn sorted_lists(vertices: usize, edges: &[(u32, u32)]) -> (Vec<u64>, Vec<u32>) {
    let mut starts = vec![0u64; vertices + 1];
    let proper = || edges.iter().filter(|(from, to)| from != to);
    for (from, to) in proper() {
        starts[*from as usize + 1] += 1;
        starts[*to as usize + 1] += 1;
    }
    for vertex in 0..vertices {
        starts[vertex + 1] += starts[vertex];
    }
    let mut next = starts.clone();
    let mut all = vec![0u32; starts[vertices] as usize];
    for (from, to) in proper() {
        for (vertex, neighbour) in [(from, to), (to, from)] {
            let place = &mut next[*vertex as usize];
            all[*place as usize] = *neighbour;
            *place += 1;
        }
    }
    // Doubles go, and what is left moves together.
    let mut kept = 0;
    let mut begin = 0;
    for vertex in 0..vertices {
        let end = starts[vertex + 1] as usize;
        all[begin..end].sort_unstable();
        let first = kept;
        for at in begin..end {
            if kept == first || all[kept - 1] != all[at] {
                all[kept] = all[at];
                kept += 1;
            }
        }
        starts[vertex + 1] = kept as u64;
        begin = end;
    }
    all.truncate(kept);
    (starts, all)
}

impl NeighbourLists {
    /// The graph of these edges.
    pub fn new(space: &mut AddressSpace, vertices: usize, edges: &[(u32, u32)]) -> Self {
        let (starts, neighbours) = sorted_lists(vertices, edges);
        Self {
            starts: space.array(starts),
            neighbours: space.array(neighbours),
        }
    }

    /// The same with vertices numbered anew, those of most neighbours first. The suite does so before it counts triangles
    /// of a graph whose degrees differ much.
    pub fn by_degree(space: &mut AddressSpace, vertices: usize, edges: &[(u32, u32)]) -> Self {
        let (starts, _) = sorted_lists(vertices, edges);
        let mut order: Vec<u32> = (0..vertices as u32).collect();
        let degree = |vertex: u32| starts[vertex as usize + 1] - starts[vertex as usize];
        order.sort_by_key(|vertex| (std::cmp::Reverse(degree(*vertex)), *vertex));
        let mut numbers = vec![0u32; vertices];
        for (number, vertex) in (0..).zip(order) {
            numbers[vertex as usize] = number;
        }
        let renamed: Vec<_> = edges
            .iter()
            .map(|(from, to)| (numbers[*from as usize], numbers[*to as usize]))
            .collect();
        Self::new(space, vertices, &renamed)
    }

    /// Vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// Edges, each direction by itself.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.neighbours.len()
    }

    /// Neighbours of a vertex, past the tracer.
    #[must_use]
    pub fn untraced(&self, vertex: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|step| self.starts.untraced()[vertex as usize + step] as usize);
        &self.neighbours.untraced()[from..to]
    }

    /// Where the neighbours of a vertex begin and end, and what says so.
    #[inline]
    fn bounds<R: AccessTracer>(
        &self,
        tracer: &mut R,
        vertex: u32,
        from: R::Loaded,
    ) -> (usize, usize, R::Loaded) {
        let (begin, told) = self.starts.load(tracer, vertex as usize, from);
        let (end, _) = self.starts.load(tracer, vertex as usize + 1, from);
        (begin as usize, end as usize, told)
    }

    /// The vertex that has some neighbour, as the suite picks its sources: by a seed, none without neighbours.
    #[must_use]
    pub fn source(&self, seed: u64, number: u64) -> u32 {
        let mut draws = super::random::InputDraws::new(seed, 100 + number);
        let vertices = self.vertices();
        let mut picks = (0..64 * vertices).map(|_| draws.below(vertices) as u32);
        let found = picks.find(|vertex| !self.untraced(*vertex).is_empty());
        found.unwrap_or(0)
    }
}

impl WeightedLists {
    /// The graph of these edges, with weights from a seed: uniform from 1 to 255.
    pub fn new(space: &mut AddressSpace, vertices: usize, edges: &[(u32, u32)], seed: u64) -> Self {
        let (starts, neighbours) = sorted_lists(vertices, edges);
        let mut weighted = Vec::with_capacity(neighbours.len());
        for vertex in 0..vertices as u32 {
            let [from, to] = [0, 1].map(|step| starts[vertex as usize + step] as usize);
            for neighbour in &neighbours[from..to] {
                weighted.push([*neighbour, weight(seed, vertex, *neighbour)]);
            }
        }
        Self {
            starts: space.array(starts),
            neighbours: space.array(weighted),
        }
    }
}

/// The weight of an edge, the same in both directions.
fn weight(seed: u64, one: u32, other: u32) -> u32 {
    use wordline_core::draw::{Purpose, draw};
    let (low, high) = (one.min(other), one.max(other));
    let edge = u64::from(low) << 32 | u64::from(high);
    let drawn = draw(seed, edge, 1 << 63, Purpose::KernelInput);
    1 + ((u128::from(drawn) * u128::from(WEIGHT_MAX)) >> 64) as u32
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A graph of the generator: 2^scale vertices, and its edges.
    pub(in super::super) fn sample(scale: u32, seed: u64) -> (usize, Vec<(u32, u32)>) {
        (1 << scale, kronecker_edges(scale, seed))
    }

    #[test]
    fn lists_have_both_directions_once() {
        let (vertices, edges) = sample(7, 5);
        let graph = NeighbourLists::new(&mut AddressSpace::default(), vertices, &edges);
        let mut plain = std::collections::BTreeSet::new();
        for (from, to) in edges.iter().filter(|(from, to)| from != to) {
            plain.extend([(*from, *to), (*to, *from)]);
        }
        let mut found = Vec::new();
        for vertex in 0..vertices as u32 {
            found.extend(graph.untraced(vertex).iter().map(|other| (vertex, *other)));
        }
        assert_eq!(found, plain.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn numbers_by_degree_descend() {
        let (vertices, edges) = sample(8, 5);
        let graph = NeighbourLists::by_degree(&mut AddressSpace::default(), vertices, &edges);
        let degrees: Vec<_> = (0..vertices as u32)
            .map(|v| graph.untraced(v).len())
            .collect();
        assert!(degrees.is_sorted_by(|one, next| one >= next));
    }

    #[test]
    fn weights_are_the_same_both_ways_and_within_limits() {
        let mut seen = [false; 256];
        for one in 0..80 {
            for other in 0..80 {
                let found = weight(3, one, other);
                assert_eq!(found, weight(3, other, one));
                seen[found as usize] = true;
            }
        }
        assert!(!seen[0] && seen[1..].iter().all(|seen| *seen));
    }
}
