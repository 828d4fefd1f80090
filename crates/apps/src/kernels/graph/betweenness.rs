//! Betweenness centrality from some sources (Brandes, "A Faster Algorithm for Betweenness Centrality", 2001), with a bit for
//! each edge that lies on a shortest way.

use super::super::{AccessTracer, AddressSpace, TracedArray};
use super::NeighbourLists;

/// The arrays of a run.
#[derive(Debug)]
pub struct BetweennessCentrality {
    /// Score of each vertex so far: not divided by the greatest.
    pub scores: TracedArray<f32>,
    depths: TracedArray<i32>,
    paths: TracedArray<f64>,
    deltas: TracedArray<f32>,
    queue: TracedArray<u32>,
    /// A bit for each edge.
    ahead: TracedArray<u64>,
}

impl BetweennessCentrality {
    /// For a graph.
    pub fn new(space: &mut AddressSpace, graph: &NeighbourLists) -> Self {
        let vertices = graph.vertices();
        Self {
            scores: space.filled(vertices, 0.0),
            depths: space.filled(vertices, -1),
            paths: space.filled(vertices, 0.0),
            deltas: space.filled(vertices, 0.0),
            queue: space.filled(vertices, 0),
            ahead: space.filled(graph.edges().div_ceil(64), 0),
        }
    }

    /// Adds what shortest ways from a source give.
    pub fn run<R: AccessTracer>(&mut self, tracer: &mut R, graph: &NeighbourLists, source: u32) {
        for vertex in 0..graph.vertices() {
            self.depths.set(tracer, vertex, -1);
            self.paths.set(tracer, vertex, 0.0);
            self.deltas.set(tracer, vertex, 0.0);
            tracer.compute(1);
        }
        for word in 0..self.ahead.len() {
            self.ahead.set(tracer, word, 0);
        }
        self.depths.set(tracer, source as usize, 0);
        self.paths.set(tracer, source as usize, 1.0);
        self.queue.set(tracer, 0, source);
        let (mut begin, mut end, mut depth) = (0, 1, 0);
        let mut levels = vec![0];
        while begin < end {
            depth += 1;
            let last = end;
            for at in begin..last {
                end = self.spread(tracer, graph, at, end, depth);
            }
            begin = last;
            levels.push(begin);
        }
        for level in levels.windows(2).rev() {
            for at in level[0]..level[1] {
                self.gather(tracer, graph, at, source);
            }
        }
    }

    /// Counts ways over the edges of a vertex in the queue. Returns the queue's end.
    fn spread<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        graph: &NeighbourLists,
        at: usize,
        end: usize,
        depth: i32,
    ) -> usize {
        let mut end = end;
        let (vertex, told) = self.queue.load(tracer, at, R::Loaded::default());
        let (own, _) = self.paths.load(tracer, vertex as usize, told);
        let (from, to, told) = graph.bounds(tracer, vertex, told);
        for place in from..to {
            let (child, told) = graph.neighbours.load(tracer, place, told);
            let (mut found, depth_told) = self.depths.load(tracer, child as usize, told);
            tracer.branch(1, found < 0, depth_told);
            if found < 0 {
                self.depths.store(tracer, child as usize, told, depth);
                self.queue.set(tracer, end, child);
                end += 1;
                found = depth;
                tracer.compute(1);
            }
            tracer.branch(2, found == depth, depth_told);
            if found == depth {
                let old = self.ahead.get(tracer, place / 64);
                self.ahead.set(tracer, place / 64, old | 1 << (place % 64));
                let (paths, _) = self.paths.load(tracer, child as usize, told);
                self.paths.store(tracer, child as usize, told, paths + own);
                tracer.compute(5);
            }
            tracer.compute(2);
        }
        end
    }

    /// Adds what the edges ahead of a vertex in the queue give it.
    fn gather<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        graph: &NeighbourLists,
        at: usize,
        source: u32,
    ) {
        let (vertex, vertex_told) = self.queue.load(tracer, at, R::Loaded::default());
        let (own, _) = self.paths.load(tracer, vertex as usize, vertex_told);
        let (from, to, told) = graph.bounds(tracer, vertex, vertex_told);
        let mut delta = 0.0f32;
        for place in from..to {
            let (word, word_told) = self.ahead.load(tracer, place / 64, told);
            let is_ahead = word >> (place % 64) & 1 == 1;
            tracer.compute(4);
            tracer.branch(3, is_ahead, word_told);
            if is_ahead {
                let (child, told) = graph.neighbours.load(tracer, place, told);
                let (paths, _) = self.paths.load(tracer, child as usize, told);
                let (behind, _) = self.deltas.load(tracer, child as usize, told);
                delta += (own / paths) as f32 * (1.0 + behind);
                tracer.compute(4);
            }
        }
        self.deltas
            .store(tracer, vertex as usize, vertex_told, delta);
        if vertex != source {
            let (score, _) = self.scores.load(tracer, vertex as usize, vertex_told);
            self.scores
                .store(tracer, vertex as usize, vertex_told, score + delta);
        }
        tracer.compute(3);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::NoTracer;
    use super::super::breadth_first::tests::depths;
    use super::super::tests::sample;
    use super::*;

    /// Ways between a source and every vertex, counted by their definition: those through a vertex are those to it times
    /// those on from it, where the depths add up.
    fn plain(graph: &NeighbourLists, source: u32, scores: &mut [f64]) {
        let ways = |from: u32| -> (Vec<Option<u32>>, Vec<f64>) {
            let depths = depths(graph, from);
            let mut order: Vec<u32> = (0..graph.vertices() as u32).collect();
            order.sort_by_key(|vertex| depths[*vertex as usize]);
            let mut counts = vec![0.0; graph.vertices()];
            counts[from as usize] = 1.0;
            for vertex in order {
                let Some(depth) = depths[vertex as usize] else {
                    continue;
                };
                for child in graph.untraced(vertex) {
                    if depths[*child as usize] == Some(depth + 1) {
                        counts[*child as usize] += counts[vertex as usize];
                    }
                }
            }
            (depths, counts)
        };
        let (depth, count) = ways(source);
        for middle in (0..graph.vertices()).filter(|middle| *middle != source as usize) {
            let Some(to_middle) = depth[middle] else {
                continue;
            };
            let (on, counts) = ways(middle as u32);
            for end in (0..graph.vertices()).filter(|end| *end != middle) {
                if let (Some(all), Some(rest)) = (depth[end], on[end])
                    && to_middle + rest == all
                {
                    scores[middle] += count[middle] * counts[end] / count[end];
                }
            }
        }
    }

    #[test]
    fn scores_are_shares_of_shortest_ways() {
        for seed in 0..3 {
            let (vertices, edges) = sample(7, seed);
            let mut space = AddressSpace::default();
            let graph = NeighbourLists::new(&mut space, vertices, &edges[..3 * vertices]);
            let mut found = BetweennessCentrality::new(&mut space, &graph);
            let mut scores = vec![0.0; vertices];
            for number in 0..4 {
                let source = graph.source(seed, number);
                found.run(&mut NoTracer, &graph, source);
                plain(&graph, source, &mut scores);
            }
            for (found, expected) in found.scores.untraced().iter().zip(&scores) {
                let off = (f64::from(*found) - expected).abs();
                assert!(off < 1e-4 * expected.max(1.0), "{found} {expected}");
            }
        }
    }
}
