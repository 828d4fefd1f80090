//! Shortest paths from a source by delta-stepping (Meyer and Sanders, "Δ-stepping: A Parallelizable Shortest Path
//! Algorithm", 2003).

use super::super::{AccessTracer, AddressSpace, TracedArray};
use super::WeightedLists;

/// The bins' width that the suite takes for Kronecker graphs.
pub const DELTA: u32 = 2;

/// A vertex that no path reaches.
pub const UNREACHED: u32 = u32::MAX;

/// Vertices of a piece of a bin.
const PIECE: usize = 1024;

/// Vertices to be relaxed, by their distance in steps of [`DELTA`], in pieces of a memory that all bins share.
#[derive(Debug)]
struct DistanceBins {
    memory: TracedArray<u32>,
    free: Vec<usize>,
    fresh: usize,
    /// Pieces of each bin, and how many vertices it has.
    bins: Vec<(Vec<usize>, usize)>,
}

/// The arrays of a run.
#[derive(Debug)]
pub struct ShortestPaths {
    /// Distance of each vertex; [`UNREACHED`] where there is no path.
    pub distances: TracedArray<u32>,
    bins: DistanceBins,
}

impl DistanceBins {
    fn push<R: AccessTracer>(&mut self, tracer: &mut R, bin: usize, vertex: u32) {
        if self.bins.len() <= bin {
            self.bins.resize_with(bin + 1, Default::default);
        }
        let (pieces, count) = &mut self.bins[bin];
        if *count == pieces.len() * PIECE {
            let piece = self.free.pop().unwrap_or_else(|| {
                self.fresh += 1;
                self.fresh - 1
            });
            pieces.push(piece);
        }
        let at = pieces[*count / PIECE] * PIECE + *count % PIECE;
        *count += 1;
        tracer.compute(6);
        self.memory.set(tracer, at, vertex);
    }

    /// Empties a bin.
    fn take<R: AccessTracer>(&mut self, tracer: &mut R, bin: usize) -> Vec<(u32, R::Loaded)> {
        let (pieces, count) = std::mem::take(&mut self.bins[bin]);
        let mut all = Vec::with_capacity(count);
        for at in 0..count {
            let place = pieces[at / PIECE] * PIECE + at % PIECE;
            all.push(self.memory.load(tracer, place, R::Loaded::default()));
            tracer.compute(2);
        }
        self.free.extend(pieces);
        all
    }
}

impl ShortestPaths {
    /// For a graph.
    pub fn new(space: &mut AddressSpace, graph: &WeightedLists) -> Self {
        let vertices = graph.starts.len() - 1;
        // A vertex is in bins as often as its distance fell, at most once for each edge to it. Bins may each have a piece
        // that is not full: there are as many as a weight has room for.
        let pieces = graph.neighbours.len() / PIECE + super::WEIGHT_MAX as usize + 2;
        Self {
            distances: space.filled(vertices, UNREACHED),
            bins: DistanceBins {
                memory: space.filled(pieces * PIECE, 0),
                free: Vec::new(),
                fresh: 0,
                bins: Vec::new(),
            },
        }
    }

    /// Finds the distances from a source.
    pub fn run<R: AccessTracer>(&mut self, tracer: &mut R, graph: &WeightedLists, source: u32) {
        for vertex in 0..self.distances.len() {
            self.distances.set(tracer, vertex, UNREACHED);
            tracer.compute(1);
        }
        self.distances.set(tracer, source as usize, 0);
        self.bins.bins.clear();
        self.bins.free.clear();
        self.bins.fresh = 0;
        self.bins.push(tracer, 0, source);
        let mut bin = 0;
        while bin < self.bins.bins.len() {
            if self.bins.bins[bin].1 == 0 {
                bin += 1;
                continue;
            }
            for (vertex, told) in self.bins.take(tracer, bin) {
                let (distance, distance_told) = self.distances.load(tracer, vertex as usize, told);
                let is_due = distance >= DELTA * bin as u32;
                tracer.branch(1, is_due, distance_told);
                if is_due {
                    self.relax(tracer, graph, vertex, told, distance);
                }
            }
        }
    }

    fn relax<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        graph: &WeightedLists,
        vertex: u32,
        from: R::Loaded,
        distance: u32,
    ) {
        let (begin, told) = graph.starts.load(tracer, vertex as usize, from);
        let (end, _) = graph.starts.load(tracer, vertex as usize + 1, from);
        for place in begin as usize..end as usize {
            let ([neighbour, weight], told) = graph.neighbours.load(tracer, place, told);
            let (old, old_told) = self.distances.load(tracer, neighbour as usize, told);
            let new = distance + weight;
            tracer.compute(3);
            tracer.branch(2, new < old, old_told);
            if new < old {
                self.distances.store(tracer, neighbour as usize, told, new);
                self.bins.push(tracer, (new / DELTA) as usize, neighbour);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::super::super::NoTracer;
    use super::super::tests::sample;
    use super::super::{NeighbourLists, weight};
    use super::*;

    /// Dijkstra's algorithm.
    fn plain(graph: &NeighbourLists, seed: u64, source: u32) -> Vec<u32> {
        let mut distances = vec![UNREACHED; graph.vertices()];
        let mut open = BinaryHeap::from([(Reverse(0), source)]);
        while let Some((Reverse(distance), vertex)) = open.pop() {
            if distance < distances[vertex as usize] {
                distances[vertex as usize] = distance;
                for other in graph.untraced(vertex) {
                    open.push((Reverse(distance + weight(seed, vertex, *other)), *other));
                }
            }
        }
        distances
    }

    #[test]
    fn distances_are_those_of_dijkstra() {
        for (seed, few) in [(0, 16 << 9), (1, 16 << 9), (2, 1 << 9), (3, 300)] {
            let (vertices, edges) = sample(9, seed);
            let mut space = AddressSpace::default();
            let graph = NeighbourLists::new(&mut space, vertices, &edges[..few]);
            let weighted = WeightedLists::new(&mut space, vertices, &edges[..few], seed);
            let mut paths = ShortestPaths::new(&mut space, &weighted);
            for number in 0..3 {
                let source = graph.source(seed, number);
                paths.run(&mut NoTracer, &weighted, source);
                assert_eq!(paths.distances.untraced(), plain(&graph, seed, source));
            }
        }
    }
}
