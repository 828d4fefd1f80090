//! Breadth-first search that changes its direction (Beamer, Asanović and Patterson, "Direction-Optimizing Breadth-First
//! Search", 2012).

use super::super::{AccessTracer, AddressSpace, TracedArray};
use super::NeighbourLists;

/// Edges left over those of the frontier, from which on the search asks who is a child of the frontier.
const ALPHA: i64 = 15;
/// Vertices over those of the frontier, from which on it goes back.
const BETA: usize = 18;

/// No parent is known.
const NONE: i32 = -1;

/// The arrays of a search.
#[derive(Debug)]
pub struct BreadthFirstSearch {
    /// The parent of each vertex, the source's being itself; negative where the search did not come.
    pub parents: TracedArray<i32>,
    queue: TracedArray<u32>,
    front: TracedArray<u64>,
    next: TracedArray<u64>,
}

impl BreadthFirstSearch {
    /// For a graph.
    pub fn new(space: &mut AddressSpace, graph: &NeighbourLists) -> Self {
        let vertices = graph.vertices();
        Self {
            parents: space.filled(vertices, NONE),
            queue: space.filled(vertices, 0),
            front: space.filled(vertices.div_ceil(64), 0),
            next: space.filled(vertices.div_ceil(64), 0),
        }
    }

    /// Searches from a source.
    pub fn run<R: AccessTracer>(&mut self, tracer: &mut R, graph: &NeighbourLists, source: u32) {
        for vertex in 0..graph.vertices() {
            self.parents.set(tracer, vertex, NONE);
            tracer.compute(1);
        }
        self.parents.set(tracer, source as usize, source as i32);
        self.queue.set(tracer, 0, source);
        let (mut begin, mut end) = (0, 1);
        let mut unseen_edges = graph.edges() as i64;
        let mut scout_edges = graph.untraced(source).len() as i64;
        while begin < end {
            if scout_edges > unseen_edges / ALPHA {
                self.fill_front(tracer, begin, end);
                let mut awake = end - begin;
                loop {
                    let before = awake;
                    awake = self.bottom_up(tracer, graph);
                    std::mem::swap(&mut self.front, &mut self.next);
                    if awake < before && awake <= graph.vertices() / BETA {
                        break;
                    }
                }
                begin = end;
                end = self.queue_front(tracer, end);
                scout_edges = 1;
            } else {
                unseen_edges -= scout_edges;
                let last = end;
                (scout_edges, end) = self.top_down(tracer, graph, begin, end);
                begin = last;
            }
        }
    }

    /// Children of the frontier, appended to the queue. Returns their edges and the queue's end.
    fn top_down<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        graph: &NeighbourLists,
        begin: usize,
        end: usize,
    ) -> (i64, usize) {
        let (mut edges, mut tail) = (0, end);
        for at in begin..end {
            let (vertex, told) = self.queue.load(tracer, at, R::Loaded::default());
            let (from, to, told) = graph.bounds(tracer, vertex, told);
            for place in from..to {
                let (child, told) = graph.neighbours.load(tracer, place, told);
                let (parent, parent_told) = self.parents.load(tracer, child as usize, told);
                tracer.branch(1, parent < 0, parent_told);
                if parent < 0 {
                    self.parents
                        .store(tracer, child as usize, told, vertex as i32);
                    self.queue.set(tracer, tail, child);
                    tail += 1;
                    edges += graph.untraced(child).len() as i64;
                    tracer.compute(3);
                }
                tracer.compute(2);
            }
            tracer.compute(2);
        }
        (edges, tail)
    }

    /// Vertices that have a parent in the frontier. Returns how many there are.
    fn bottom_up<R: AccessTracer>(&mut self, tracer: &mut R, graph: &NeighbourLists) -> usize {
        for word in 0..self.next.len() {
            self.next.set(tracer, word, 0);
        }
        let mut awake = 0;
        for vertex in 0..graph.vertices() {
            let (parent, told) = self.parents.load(tracer, vertex, R::Loaded::default());
            tracer.branch(2, parent < 0, told);
            tracer.compute(1);
            if parent >= 0 {
                continue;
            }
            let (from, to, told) = graph.bounds(tracer, vertex as u32, R::Loaded::default());
            for place in from..to {
                let (neighbour, told) = graph.neighbours.load(tracer, place, told);
                let (word, word_told) = self.front.load(tracer, neighbour as usize / 64, told);
                let is_in = word >> (neighbour % 64) & 1 == 1;
                tracer.compute(4);
                tracer.branch(3, is_in, word_told);
                if is_in {
                    self.parents.set(tracer, vertex, neighbour as i32);
                    awake += 1;
                    let old = self.next.get(tracer, vertex / 64);
                    self.next.set(tracer, vertex / 64, old | 1 << (vertex % 64));
                    tracer.compute(3);
                    break;
                }
            }
        }
        awake
    }

    /// The frontier as bits.
    fn fill_front<R: AccessTracer>(&mut self, tracer: &mut R, begin: usize, end: usize) {
        for word in 0..self.front.len() {
            self.front.set(tracer, word, 0);
        }
        for at in begin..end {
            let (vertex, told) = self.queue.load(tracer, at, R::Loaded::default());
            let (old, _) = self.front.load(tracer, vertex as usize / 64, told);
            let new = old | 1 << (vertex % 64);
            self.front.store(tracer, vertex as usize / 64, told, new);
            tracer.compute(4);
        }
    }

    /// The frontier's bits as a queue, behind `end`.
    fn queue_front<R: AccessTracer>(&mut self, tracer: &mut R, end: usize) -> usize {
        let mut tail = end;
        for word in 0..self.front.len() {
            let mut bits = self.front.get(tracer, word);
            while bits != 0 {
                let vertex = word * 64 + bits.trailing_zeros() as usize;
                self.queue.set(tracer, tail, vertex as u32);
                tail += 1;
                bits &= bits - 1;
                tracer.compute(4);
            }
            tracer.compute(2);
        }
        tail
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::VecDeque;

    use super::super::super::NoTracer;
    use super::super::tests::sample;
    use super::*;

    /// Depths by the plainest search.
    pub(in super::super) fn depths(graph: &NeighbourLists, source: u32) -> Vec<Option<u32>> {
        let mut depths = vec![None; graph.vertices()];
        depths[source as usize] = Some(0);
        let mut queue = VecDeque::from([(source, 0)]);
        while let Some((vertex, depth)) = queue.pop_front() {
            for child in graph.untraced(vertex) {
                if depths[*child as usize].is_none() {
                    depths[*child as usize] = Some(depth + 1);
                    queue.push_back((*child, depth + 1));
                }
            }
        }
        depths
    }

    #[test]
    fn parents_are_a_tree_of_shortest_ways() {
        let mut both = [false; 2];
        for seed in 0..6 {
            let (vertices, edges) = sample(9, seed);
            // Few edges: long ways, and both directions of search.
            let few = if seed % 2 == 0 { edges.len() } else { vertices };
            let mut space = AddressSpace::default();
            let graph = NeighbourLists::new(&mut space, vertices, &edges[..few]);
            let mut search = BreadthFirstSearch::new(&mut space, &graph);
            for number in 0..4 {
                let source = graph.source(seed, number);
                search.run(&mut NoTracer, &graph, source);
                let depths = depths(&graph, source);
                for (vertex, depth) in depths.iter().enumerate() {
                    let parent = search.parents.untraced()[vertex];
                    match depth {
                        None => assert!(parent < 0),
                        Some(0) => assert_eq!(parent, vertex as i32),
                        Some(depth) => {
                            both[usize::from(*depth > 4)] = true;
                            assert_eq!(depths[parent as usize], Some(depth - 1));
                            assert!(graph.untraced(parent as u32).contains(&(vertex as u32)));
                        }
                    }
                }
            }
        }
        assert_eq!(both, [true; 2]);
    }
}
