//! Triangles, each counted once: lists of neighbours are merged, from the greatest vertex of a triangle down.

use super::super::AccessTracer;
use super::NeighbourLists;

/// Counts the triangles of a graph.
#[derive(Clone, Copy, Debug)]
pub struct TriangleCount;

impl TriangleCount {
    /// How many triangles there are.
    pub fn run<R: AccessTracer>(self, tracer: &mut R, graph: &NeighbourLists) -> u64 {
        let mut total = 0;
        for vertex in 0..graph.vertices() as u32 {
            let (begin, end, told) = graph.bounds(tracer, vertex, R::Loaded::default());
            for place in begin..end {
                let (second, second_told) = graph.neighbours.load(tracer, place, told);
                tracer.compute(2);
                if second > vertex {
                    break;
                }
                let (from, to, from_told) = graph.bounds(tracer, second, second_told);
                let mut own = begin;
                for other in from..to {
                    let (third, third_told) = graph.neighbours.load(tracer, other, from_told);
                    tracer.compute(2);
                    if third > second {
                        break;
                    }
                    // The vertex has `second` behind all that are less, so that its list does not end here.
                    let mut least = graph.neighbours.load(tracer, own, told);
                    while least.0 < third {
                        let on = tracer.both(least.1, third_told);
                        tracer.branch(1, true, on);
                        own += 1;
                        least = graph.neighbours.load(tracer, own, told);
                        tracer.compute(1);
                    }
                    let on = tracer.both(least.1, third_told);
                    tracer.branch(1, false, on);
                    tracer.branch(2, least.0 == third, on);
                    total += u64::from(least.0 == third);
                }
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{AddressSpace, NoTracer};
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn the_count_is_that_of_all_triples() {
        for (seed, few) in [(0, 16 << 7), (1, 4 << 7), (2, 1 << 7), (3, 0)] {
            let (vertices, edges) = sample(7, seed);
            let mut space = AddressSpace::default();
            let graph = NeighbourLists::new(&mut space, vertices, &edges[..few]);
            let is_edge = |a: u32, b: u32| graph.untraced(a).binary_search(&b).is_ok();
            let mut plain = 0;
            for a in 0..vertices as u32 {
                for b in (0..a).filter(|b| is_edge(a, *b)) {
                    plain += (0..b).filter(|c| is_edge(a, *c) && is_edge(b, *c)).count() as u64;
                }
            }
            assert_eq!(TriangleCount.run(&mut NoTracer, &graph), plain);
            let ordered = NeighbourLists::by_degree(&mut space, vertices, &edges[..few]);
            assert_eq!(TriangleCount.run(&mut NoTracer, &ordered), plain);
        }
    }
}
