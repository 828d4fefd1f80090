//! Hierarchical navigable small worlds: an index of vectors that finds the nearest ones (Malkov and Yashunin, "Efficient
//! and Robust Approximate Nearest Neighbor Search Using Hierarchical Navigable Small World Graphs", 2018).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::random::InputDraws;
use super::{AccessTracer, AddressSpace, TracedArray};

/// Links of a vector on a layer above the lowest; there it has twice as many. The paper's M.
pub(super) const LINKS: usize = 16;

/// Numbers of a vector register.
const VECTOR: usize = 16;

/// An index, its vectors among it.
#[derive(Debug)]
pub struct HnswIndex {
    dimensions: usize,
    vectors: TracedArray<f32>,
    /// The count of a vector's links on the lowest layer, and the links.
    base: TracedArray<u32>,
    /// The same on the layers above, layer by layer, of the vectors that are there.
    upper: TracedArray<u32>,
    /// Where a vector's part of `upper` begins, in lists.
    upper_starts: TracedArray<u32>,
    /// Highest layer of each vector.
    layers: Vec<u8>,
    /// The search that saw a vector last.
    seen: TracedArray<u32>,
    search: u32,
    /// Where searches begin, once there is a vector.
    entry: Option<u32>,
    /// Vectors that are kept while neighbours of a new one are searched: the paper's efConstruction.
    breadth: usize,
}

/// A vector and the square of its distance.
#[derive(Clone, Copy, Debug)]
struct NearVector<L> {
    /// The distance's bits, which are in the order of distances: these are not negative.
    distance: u32,
    id: u32,
    /// What its number was loaded by.
    from: L,
}

impl<L> PartialEq for NearVector<L> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl<L> Eq for NearVector<L> {}
impl<L> PartialOrd for NearVector<L> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<L> Ord for NearVector<L> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.distance, self.id).cmp(&(other.distance, other.id))
    }
}

impl HnswIndex {
    /// An index for vectors of so many dimensions, which lie in clusters, as embeddings do. None is in it yet.
    pub fn new(
        space: &mut AddressSpace,
        count: usize,
        dimensions: usize,
        breadth: usize,
        seed: u64,
    ) -> Self {
        let mut draws = InputDraws::new(seed, 0);
        // Above the lowest layer there is one in LINKS of those below, as the paper has it.
        let scale = 1.0 / libm::log(LINKS as f64);
        let layer = |draws: &mut InputDraws| (-libm::log(draws.unit()) * scale).min(15.0) as u8;
        let layers: Vec<u8> = (0..count).map(|_| layer(&mut draws)).collect();
        let mut upper_starts = Vec::with_capacity(count);
        let mut lists = 0;
        for layer in &layers {
            upper_starts.push(lists);
            lists += u32::from(*layer);
        }
        let vectors = clustered(count, dimensions, &mut draws);
        Self {
            dimensions,
            vectors: space.array(vectors),
            base: space.filled(count * (2 * LINKS + 1), 0),
            upper: space.filled(lists as usize * (LINKS + 1), 0),
            upper_starts: space.array(upper_starts),
            layers,
            seen: space.filled(count, 0),
            search: 0,
            entry: None,
            breadth,
        }
    }

    /// Bytes of a vector with so many dimensions.
    pub(super) const fn vector_bytes(dimensions: usize) -> u64 {
        (4 * dimensions + 4 * (2 * LINKS + 1) + 8 + 4 * (LINKS + 1) / (LINKS - 1)) as u64
    }

    /// Vectors that there will be.
    #[must_use]
    pub fn count(&self) -> usize {
        self.layers.len()
    }

    /// A vector near one that is stored: what somebody may search for.
    pub(super) fn query(&self, draws: &mut InputDraws) -> Vec<f32> {
        let first = draws.below(self.count()) * self.dimensions;
        let stored = &self.vectors.untraced()[first..first + self.dimensions];
        let moved = stored
            .iter()
            .map(|number| number + 0.3 * draws.normal() as f32);
        moved.collect()
    }

    /// Puts all vectors in, one after the other.
    pub fn build<R: AccessTracer>(&mut self, tracer: &mut R) {
        for id in 0..self.count() as u32 {
            self.insert(tracer, id);
        }
    }

    /// The nearest vectors, at most `count`, nearest first, with the squares of their distances. At least as many are kept
    /// as `breadth` says while others are looked at: the paper's ef.
    pub fn nearest<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        query: &[f32],
        count: usize,
        breadth: usize,
    ) -> Vec<(u32, f32)> {
        let Some(entry) = self.entry else {
            return Vec::new();
        };
        let mut best = self.meet(tracer, query, entry, R::Loaded::default());
        for layer in (1..=self.layers[entry as usize]).rev() {
            best = self.descend(tracer, query, best, layer);
        }
        let found = self.search_layer(tracer, query, &[best], breadth.max(count), 0);
        let found = found.into_iter().take(count);
        found
            .map(|near| (near.id, f32::from_bits(near.distance)))
            .collect()
    }

    fn insert<R: AccessTracer>(&mut self, tracer: &mut R, id: u32) {
        let first = id as usize * self.dimensions;
        let known = R::Loaded::default();
        let (own, _) = self.vectors.span(tracer, first, self.dimensions, known);
        let own = own.to_vec();
        let top = self.layers[id as usize];
        let Some(entry) = self.entry else {
            self.entry = Some(id);
            return;
        };
        let highest = self.layers[entry as usize];
        let mut best = self.meet(tracer, &own, entry, known);
        for layer in (top + 1..=highest).rev() {
            best = self.descend(tracer, &own, best, layer);
        }
        let mut entries = vec![best];
        for layer in (0..=top.min(highest)).rev() {
            let found = self.search_layer(tracer, &own, &entries, self.breadth, layer);
            let chosen = self.choose(tracer, &found, LINKS);
            self.write_links(tracer, id, known, layer, &chosen);
            for near in &chosen {
                self.link_back(tracer, near, id, layer);
            }
            entries = found;
        }
        if top > highest {
            self.entry = Some(id);
        }
    }

    /// The square of the distance from a query.
    fn meet<R: AccessTracer>(
        &self,
        tracer: &mut R,
        query: &[f32],
        id: u32,
        from: R::Loaded,
    ) -> NearVector<R::Loaded> {
        self.meet_telling(tracer, query, id, from).0
    }

    /// The same, and by what it was loaded.
    fn meet_telling<R: AccessTracer>(
        &self,
        tracer: &mut R,
        query: &[f32],
        id: u32,
        from: R::Loaded,
    ) -> (NearVector<R::Loaded>, R::Loaded) {
        let first = id as usize * self.dimensions;
        let (vector, loaded) = self.vectors.span(tracer, first, self.dimensions, from);
        let mut sums = [0.0f32; VECTOR];
        for (ours, theirs) in vector.chunks(VECTOR).zip(query.chunks(VECTOR)) {
            for (sum, (a, b)) in sums.iter_mut().zip(ours.iter().zip(theirs)) {
                *sum += (a - b) * (a - b);
            }
        }
        // For each register a load of the query, a difference and a product; then lanes are added.
        tracer.compute(3 * self.dimensions.div_ceil(VECTOR) as u64 + 10);
        let distance = sums.iter().sum::<f32>().to_bits();
        (NearVector { distance, id, from }, loaded)
    }

    /// Walks to the nearest vector of a layer.
    fn descend<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        query: &[f32],
        best: NearVector<R::Loaded>,
        layer: u8,
    ) -> NearVector<R::Loaded> {
        let found = self.search_layer(tracer, query, &[best], 1, layer);
        found.first().copied().unwrap_or(best)
    }

    /// The nearest of a layer, nearest first (the paper's algorithm 2).
    fn search_layer<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        query: &[f32],
        entries: &[NearVector<R::Loaded>],
        breadth: usize,
        layer: u8,
    ) -> Vec<NearVector<R::Loaded>> {
        self.search += 1;
        let mut open = BinaryHeap::new();
        let mut found = BinaryHeap::new();
        for near in entries {
            self.seen
                .store(tracer, near.id as usize, near.from, self.search);
            open.push(Reverse(*near));
            found.push(*near);
        }
        while let Some(Reverse(nearest)) = open.pop() {
            tracer.compute(20);
            let worst = found.peek().map_or(u32::MAX, |worst| worst.distance);
            if nearest.distance > worst && found.len() >= breadth {
                break;
            }
            let (links, told) = self.links(tracer, nearest.id, nearest.from, layer);
            for id in links {
                let (seen, seen_told) = self.seen.load(tracer, id as usize, told);
                tracer.branch(1, seen == self.search, seen_told);
                if seen == self.search {
                    continue;
                }
                self.seen.store(tracer, id as usize, told, self.search);
                let (near, loaded) = self.meet_telling(tracer, query, id, told);
                let worst = found.peek().map_or(u32::MAX, |worst| worst.distance);
                let is_near = found.len() < breadth || near.distance < worst;
                tracer.branch(2, is_near, loaded);
                if is_near {
                    tracer.compute(40);
                    open.push(Reverse(near));
                    found.push(near);
                    if found.len() > breadth {
                        found.pop();
                    }
                }
            }
        }
        found.into_sorted_vec()
    }

    /// Neighbours in different directions (the paper's algorithm 4): each is nearer to the vector than to those before it.
    fn choose<R: AccessTracer>(
        &self,
        tracer: &mut R,
        sorted: &[NearVector<R::Loaded>],
        count: usize,
    ) -> Vec<NearVector<R::Loaded>> {
        let mut chosen: Vec<NearVector<R::Loaded>> = Vec::with_capacity(count);
        for near in sorted {
            if chosen.len() == count {
                break;
            }
            let first = near.id as usize * self.dimensions;
            let (vector, _) = self.vectors.span(tracer, first, self.dimensions, near.from);
            let mut is_apart = true;
            for other in &chosen {
                let (between, told) = self.meet_telling(tracer, vector, other.id, other.from);
                is_apart = between.distance >= near.distance;
                tracer.branch(3, is_apart, told);
                if !is_apart {
                    break;
                }
            }
            if is_apart {
                chosen.push(*near);
            }
        }
        chosen
    }

    /// Adds a link from a neighbour to a new vector; where there is no room, the neighbour chooses anew.
    fn link_back<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        near: &NearVector<R::Loaded>,
        id: u32,
        layer: u8,
    ) {
        let most = if layer == 0 { 2 * LINKS } else { LINKS };
        let (links, told) = self.links(tracer, near.id, near.from, layer);
        let own = NearVector {
            distance: near.distance,
            id,
            from: R::Loaded::default(),
        };
        if links.len() < most {
            return self.append_link(tracer, near, links.len(), id, layer);
        }
        let first = near.id as usize * self.dimensions;
        let centre = self.vectors.untraced()[first..first + self.dimensions].to_vec();
        let mut all = vec![own];
        for link in links {
            all.push(self.meet(tracer, &centre, link, told));
        }
        all.sort_unstable();
        tracer.compute(8 * all.len() as u64);
        let chosen = self.choose(tracer, &all, most);
        self.write_links(tracer, near.id, near.from, layer, &chosen);
    }

    /// The array of a layer's links, and where a vector's list begins there.
    fn list<R: AccessTracer>(
        &self,
        tracer: &mut R,
        id: u32,
        from: R::Loaded,
        layer: u8,
    ) -> (usize, R::Loaded) {
        if layer == 0 {
            return (id as usize * (2 * LINKS + 1), from);
        }
        let (start, told) = self.upper_starts.load(tracer, id as usize, from);
        let list = start as usize + usize::from(layer) - 1;
        (list * (LINKS + 1), told)
    }

    fn links<R: AccessTracer>(
        &self,
        tracer: &mut R,
        id: u32,
        from: R::Loaded,
        layer: u8,
    ) -> (Vec<u32>, R::Loaded) {
        let (first, from) = self.list(tracer, id, from, layer);
        let array = if layer == 0 { &self.base } else { &self.upper };
        let (count, _) = array.load(tracer, first, from);
        let (links, told) = array.span(tracer, first + 1, count as usize, from);
        (links.to_vec(), told)
    }

    fn write_links<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        id: u32,
        from: R::Loaded,
        layer: u8,
        chosen: &[NearVector<R::Loaded>],
    ) {
        let (first, from) = self.list(tracer, id, from, layer);
        let array = match layer {
            0 => &mut self.base,
            _ => &mut self.upper,
        };
        array.store(tracer, first, from, chosen.len() as u32);
        let to = array.span_mut(tracer, first + 1, chosen.len(), from);
        for (to, near) in to.iter_mut().zip(chosen) {
            *to = near.id;
        }
    }

    fn append_link<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        near: &NearVector<R::Loaded>,
        count: usize,
        id: u32,
        layer: u8,
    ) {
        let (first, from) = self.list(tracer, near.id, near.from, layer);
        let array = match layer {
            0 => &mut self.base,
            _ => &mut self.upper,
        };
        array.store(tracer, first + 1 + count, from, id);
        array.store(tracer, first, from, count as u32 + 1);
    }
}

/// Vectors around centres, a hundred to each.
fn clustered(count: usize, dimensions: usize, draws: &mut InputDraws) -> Vec<f32> {
    let centres = count.div_ceil(100);
    let mut normals =
        |count: usize| -> Vec<f32> { (0..count).map(|_| draws.normal() as f32).collect() };
    let centre = normals(centres * dimensions);
    let mut vectors = normals(count * dimensions);
    for (at, vector) in vectors.chunks_mut(dimensions).enumerate() {
        // A vector's cluster has nothing to do with its place.
        let cluster = at * 7919 % centres;
        let around = &centre[cluster * dimensions..(cluster + 1) * dimensions];
        for (number, centre) in vector.iter_mut().zip(around) {
            *number = centre + 0.7 * *number;
        }
    }
    vectors
}

#[cfg(test)]
mod tests {
    use super::super::NoTracer;
    use super::*;

    /// All vectors, one by one.
    fn plain(index: &HnswIndex, query: &[f32], count: usize) -> Vec<u32> {
        let vectors = index.vectors.untraced().chunks(index.dimensions);
        let distance = |vector: &[f32]| -> f64 {
            let differences = vector.iter().zip(query).map(|(a, b)| f64::from(a - b));
            differences.map(|one| one * one).sum()
        };
        let mut all: Vec<(f64, u32)> = vectors.map(distance).zip(0..).collect();
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        all.into_iter().take(count).map(|(_, id)| id).collect()
    }

    #[test]
    fn searches_find_what_a_look_at_every_vector_finds() {
        let mut space = AddressSpace::default();
        let mut index = HnswIndex::new(&mut space, 1500, 24, 40, 8);
        index.build(&mut NoTracer);
        let mut draws = InputDraws::new(8, 7);
        let (mut found, mut exact) = (0, 0);
        for _ in 0..40 {
            let query = index.query(&mut draws);
            let expected = plain(&index, &query, 10);
            let near = index.nearest(&mut NoTracer, &query, 10, 80);
            assert!(near.windows(2).all(|pair| pair[0].1 <= pair[1].1));
            found += near.iter().filter(|(id, _)| expected.contains(id)).count();
            // As broad as the index: nothing can be missed that links lead to.
            let all = index.nearest(&mut NoTracer, &query, 10, 1500);
            exact += usize::from(all.iter().map(|(id, _)| *id).eq(expected));
        }
        assert!(found >= 390, "{found} of 400");
        assert_eq!(exact, 40);
    }

    #[test]
    fn links_are_no_more_than_there_is_room_for() {
        let mut space = AddressSpace::default();
        let mut index = HnswIndex::new(&mut space, 600, 8, 20, 1);
        index.build(&mut NoTracer);
        for id in 0..600u32 {
            for layer in 0..=index.layers[id as usize] {
                let (links, ()) = index.links(&mut NoTracer, id, (), layer);
                let most = if layer == 0 { 32 } else { 16 };
                assert!(links.len() <= most && !links.contains(&id));
                assert!(
                    links
                        .iter()
                        .all(|link| index.layers[*link as usize] >= layer)
                );
            }
        }
    }
}
