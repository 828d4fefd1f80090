//! The kernels by name, and how large each is.

use std::fmt;
use std::str::FromStr;

use super::conjugate_gradient::ConjugateGradient;
use super::graph::{
    BetweennessCentrality, BreadthFirstSearch, ConnectedComponents, NeighbourLists, PageRank,
    ShortestPaths, TriangleCount, WeightedLists, kronecker_edges,
};
use super::random::InputDraws;
use super::{
    AccessTracer, AddressSpace, CsrMatrix, CubeStencil, DecodeModel, FaceMatrix, HnswIndex,
    SvmData, decode, svm,
};

/// Dimensions of the vectors of an index: those of all-MiniLM-L6-v2.
const DIMENSIONS: usize = 384;

/// Vectors that are kept while an index is built, and while it is searched.
const BREADTH: [usize; 2] = [64, 64];

/// Steps of the methods that repeat themselves: the first fills caches, the others are alike.
const STEPS: usize = 4;

/// Sources of a search in a graph, as the suite has them in one trial of betweenness centrality.
const SOURCES: u64 = 4;

/// Least and greatest size of the data of a kernel.
const BYTES: [u64; 2] = [64 << 10, 64 << 30];

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AppKernel {
    /// Conjugate gradients on a sparse matrix.
    CsrCg,
    /// Conjugate gradients on a 27-point stencil.
    StencilCg,
    /// Gauss-Seidel over faces.
    LduSmoother,
    /// Tokens through bytes of weights.
    Int8Decode,
    /// An index of vectors, built and searched.
    Hnsw,
    /// Passes of a support vector machine.
    Svm,
    /// Betweenness centrality.
    Betweenness,
    /// Breadth-first search.
    BreadthFirst,
    /// Connected components.
    Components,
    /// Page rank.
    PageRank,
    /// Shortest paths.
    ShortestPaths,
    /// Triangles.
    Triangles,
}

/// What was run.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelRun {
    /// What it was run on, in its own words.
    pub size: String,
    /// Bytes of all its arrays, in whole pages.
    pub bytes: u64,
    /// A number that the result gives, the same with any tracer.
    pub answer: f64,
}

/// A size that no kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} bytes of data; allowed: {} to {} (--size)", BYTES[0], BYTES[1])]
pub struct KernelSizeError {
    /// What was given.
    pub found: u64,
}

/// A name that no kernel has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kernel {found:?}; there are {}", AppKernel::ALL.map(AppKernel::name).join(", "))]
pub struct UnknownAppKernel {
    /// What was given.
    pub found: String,
}

impl AppKernel {
    /// Every kernel, in the order of help.
    pub const ALL: [Self; 12] = [
        Self::CsrCg,
        Self::StencilCg,
        Self::LduSmoother,
        Self::Int8Decode,
        Self::Hnsw,
        Self::Svm,
        Self::Betweenness,
        Self::BreadthFirst,
        Self::Components,
        Self::PageRank,
        Self::ShortestPaths,
        Self::Triangles,
    ];

    /// As the command line spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CsrCg => "csr-cg",
            Self::StencilCg => "stencil-cg",
            Self::LduSmoother => "ldu-smoother",
            Self::Int8Decode => "int8-decode",
            Self::Hnsw => "hnsw",
            Self::Svm => "svm",
            Self::Betweenness => "bc",
            Self::BreadthFirst => "bfs",
            Self::Components => "cc",
            Self::PageRank => "pr",
            Self::ShortestPaths => "sssp",
            Self::Triangles => "tc",
        }
    }

    /// What it is, in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::CsrCg => "conjugate gradients on a sparse matrix with Gauss-Seidel, as HPCG",
            Self::StencilCg => "conjugate gradients on a 27-point stencil, as POT3D",
            Self::LduSmoother => "Gauss-Seidel on a matrix of faces, as OpenFOAM",
            Self::Int8Decode => "tokens through a transformer of bytes, as Llama",
            Self::Hnsw => "an index of vectors, built and searched, as Milvus",
            Self::Svm => "passes of a support vector machine, as Spark",
            Self::Betweenness => "betweenness centrality (GAP)",
            Self::BreadthFirst => "breadth-first search (GAP)",
            Self::Components => "connected components (GAP)",
            Self::PageRank => "page rank (GAP)",
            Self::ShortestPaths => "shortest paths (GAP)",
            Self::Triangles => "triangle counting (GAP)",
        }
    }

    /// Bytes of its data unless said otherwise: many times a core's share of the caches. Two kernels have less, because
    /// their work grows faster than their data.
    #[must_use]
    pub const fn usual_bytes(self) -> u64 {
        match self {
            Self::Hnsw | Self::Triangles => 32 << 20,
            Self::Betweenness | Self::ShortestPaths => 128 << 20,
            _ => 256 << 20,
        }
    }

    /// Runs it on data of at most so many bytes, or of its least size, from a seed. Inputs are made past the tracer, as
    /// benchmarks leave them out of their times.
    ///
    /// # Errors
    /// When no kernel is so small or so large.
    pub fn run<R: AccessTracer>(
        self,
        tracer: &mut R,
        bytes: u64,
        seed: u64,
    ) -> Result<KernelRun, KernelSizeError> {
        if !(BYTES[0]..=BYTES[1]).contains(&bytes) {
            return Err(KernelSizeError { found: bytes });
        }
        let mut space = AddressSpace::default();
        let (size, answer) = match self {
            Self::CsrCg | Self::StencilCg | Self::LduSmoother => {
                self.solver(tracer, &mut space, bytes, seed)
            }
            Self::Int8Decode => decode_tokens(tracer, &mut space, bytes, seed),
            Self::Hnsw => search_vectors(tracer, &mut space, bytes, seed),
            Self::Svm => learn(tracer, &mut space, bytes, seed),
            _ => self.on_graph(tracer, &mut space, bytes, seed),
        };
        Ok(KernelRun {
            size,
            bytes: space.bytes(),
            answer,
        })
    }

    fn solver<R: AccessTracer>(
        self,
        tracer: &mut R,
        space: &mut AddressSpace,
        bytes: u64,
        seed: u64,
    ) -> (String, f64) {
        match self {
            Self::CsrCg => {
                let edge = cube(bytes / CsrMatrix::POINT_BYTES).max(4);
                let matrix = CsrMatrix::of_cube(space, edge);
                let right = right_hand(edge * edge * edge, seed);
                let mut method = ConjugateGradient::new(space, &right);
                tracer.phase("solve");
                let residual = method.run(tracer, &matrix, STEPS);
                (format!("{edge}^3 rows"), residual)
            }
            Self::StencilCg => {
                // Five vectors; the rims are not counted.
                let edge = (cube(bytes / 40) / 8 * 8).max(8);
                let stencil = CubeStencil::new(edge);
                let mut draws = InputDraws::new(seed, 0);
                let mut right = vec![0.0; super::SymmetricOperator::len(&stencil)];
                for at in 0..edge * edge * edge {
                    let place = stencil.at(at % edge, at / edge % edge, at / edge / edge);
                    right[place] = draws.unit();
                }
                let mut method = ConjugateGradient::new(space, &right);
                tracer.phase("solve");
                let residual = method.run(tracer, &stencil, STEPS);
                (format!("{edge}^3 points"), residual)
            }
            _ => {
                let edge = cube(bytes / FaceMatrix::CELL_BYTES).max(4);
                let mut matrix = FaceMatrix::of_cube(space, edge, seed);
                tracer.phase("smooth");
                for _ in 0..STEPS {
                    matrix.sweep(tracer);
                }
                let sum = matrix.solution.untraced().iter().sum();
                (format!("{edge}^3 cells"), sum)
            }
        }
    }

    fn on_graph<R: AccessTracer>(
        self,
        tracer: &mut R,
        space: &mut AddressSpace,
        bytes: u64,
        seed: u64,
    ) -> (String, f64) {
        // Two directions of 16 edges, of 4 bytes or with a weight 8, and some 16 bytes for each vertex.
        let each = if self == Self::ShortestPaths {
            416
        } else {
            144
        };
        let scale = (bytes / each).max(16).ilog2().min(28);
        let vertices = 1usize << scale;
        let edges = kronecker_edges(scale, seed);
        if self == Self::Triangles {
            let graph = NeighbourLists::by_degree(space, vertices, &edges);
            drop(edges);
            tracer.phase("count");
            let total = TriangleCount.run(tracer, &graph);
            return (words(&graph), total as f64);
        }
        let mut graph_space = AddressSpace::default();
        let is_weighted = self == Self::ShortestPaths;
        let of_graph = if is_weighted {
            &mut graph_space
        } else {
            &mut *space
        };
        let graph = NeighbourLists::new(of_graph, vertices, &edges);
        let weighted = is_weighted.then(|| WeightedLists::new(space, vertices, &edges, seed));
        drop(edges);
        let answer = match (self, weighted) {
            (Self::ShortestPaths, Some(weighted)) => {
                let mut paths = ShortestPaths::new(space, &weighted);
                tracer.phase("search");
                paths.run(tracer, &weighted, graph.source(seed, 0));
                let reached = paths.distances.untraced().iter();
                reached
                    .filter(|d| **d < u32::MAX)
                    .map(|d| f64::from(*d))
                    .sum()
            }
            (Self::Betweenness, _) => {
                let mut scores = BetweennessCentrality::new(space, &graph);
                tracer.phase("search");
                for number in 0..SOURCES {
                    scores.run(tracer, &graph, graph.source(seed, number));
                }
                scores.scores.untraced().iter().map(|s| f64::from(*s)).sum()
            }
            (Self::BreadthFirst, _) => {
                let mut search = BreadthFirstSearch::new(space, &graph);
                tracer.phase("search");
                let mut reached = 0;
                for number in 0..SOURCES {
                    search.run(tracer, &graph, graph.source(seed, number));
                    let parents = search.parents.untraced().iter();
                    reached += parents.filter(|parent| **parent >= 0).count();
                }
                reached as f64
            }
            (Self::Components, _) => {
                let mut found = ConnectedComponents::new(space, &graph);
                tracer.phase("link");
                found.run(tracer, &graph, seed);
                let all = found.components.untraced().iter().zip(0u32..);
                all.filter(|(component, vertex)| *component == vertex)
                    .count() as f64
            }
            _ => {
                let mut rank = PageRank::new(space, &graph);
                tracer.phase("rank");
                rank.run(tracer, &graph, STEPS, 0.0)
            }
        };
        (words(&graph), answer)
    }
}

fn words(graph: &NeighbourLists) -> String {
    let [vertices, edges] = [graph.vertices(), graph.edges() / 2].map(grouped);
    format!("{vertices} vertices, {edges} edges")
}

/// A number with commas.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The edge of the greatest cube of so many points.
fn cube(points: u64) -> usize {
    let mut edge = (points as f64).cbrt() as u64;
    while edge.pow(3) > points {
        edge -= 1;
    }
    while (edge + 1).pow(3) <= points {
        edge += 1;
    }
    edge as usize
}

fn right_hand(count: usize, seed: u64) -> Vec<f64> {
    let mut draws = InputDraws::new(seed, 0);
    (0..count).map(|_| draws.unit()).collect()
}

fn decode_tokens<R: AccessTracer>(
    tracer: &mut R,
    space: &mut AddressSpace,
    bytes: u64,
    seed: u64,
) -> (String, f64) {
    let squares = DecodeModel::LAYER_SQUARES * decode::LAYERS as u64;
    let width = (bytes / squares).isqrt() as usize / 64 * 64;
    let width = width.max(64);
    let mut model = DecodeModel::new(space, width, seed);
    tracer.phase("decode");
    for _ in 0..STEPS {
        model.token(tracer);
    }
    let sum = model
        .hidden
        .untraced()
        .iter()
        .map(|one| f64::from(*one))
        .sum();
    (format!("{} layers, width {width}", decode::LAYERS), sum)
}

fn search_vectors<R: AccessTracer>(
    tracer: &mut R,
    space: &mut AddressSpace,
    bytes: u64,
    seed: u64,
) -> (String, f64) {
    let count = (bytes / HnswIndex::vector_bytes(DIMENSIONS)).max(16) as usize;
    let [building, searching] = BREADTH;
    let mut index = HnswIndex::new(space, count, DIMENSIONS, building, seed);
    tracer.phase("build");
    index.build(tracer);
    let mut draws = InputDraws::new(seed, 1);
    let queries: Vec<_> = (0..count.div_ceil(4))
        .map(|_| index.query(&mut draws))
        .collect();
    tracer.phase("search");
    let mut sum = 0.0;
    for query in &queries {
        let near = index.nearest(tracer, query, 10, searching);
        sum += near
            .iter()
            .map(|(_, distance)| f64::from(*distance))
            .sum::<f64>();
    }
    (
        format!("{} vectors of {DIMENSIONS} dimensions", grouped(count)),
        sum,
    )
}

fn learn<R: AccessTracer>(
    tracer: &mut R,
    space: &mut AddressSpace,
    bytes: u64,
    seed: u64,
) -> (String, f64) {
    let count = (bytes / svm::POINT_BYTES).max(1) as usize;
    let mut data = SvmData::new(space, count, seed);
    tracer.phase("learn");
    for _ in 0..STEPS {
        data.pass(tracer, 1.0, 0.01);
    }
    let sum = data.weights.untraced().iter().sum();
    let points = format!("{} points of {} features", grouped(count), svm::FEATURES);
    (points, sum)
}

impl fmt::Display for AppKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for AppKernel {
    type Err = UnknownAppKernel;

    fn from_str(name: &str) -> Result<Self, UnknownAppKernel> {
        let found = Self::ALL.into_iter().find(|kernel| kernel.name() == name);
        found.ok_or_else(|| UnknownAppKernel {
            found: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::NoTracer;
    use super::*;

    /// Counts, and checks that each access lies within the arrays.
    #[derive(Default)]
    struct Counter {
        phases: Vec<&'static str>,
        accesses: u64,
        last: u64,
        instructions: u64,
        dependent: u64,
    }

    impl AccessTracer for Counter {
        type Loaded = u64;

        fn phase(&mut self, name: &'static str) {
            self.phases.push(name);
        }
        fn read(&mut self, address: u64, bytes: u64, from: u64) -> u64 {
            self.write(address, bytes, from);
            self.accesses
        }
        fn write(&mut self, address: u64, bytes: u64, from: u64) {
            assert!(from <= self.accesses, "values come from earlier loads");
            self.dependent += u64::from(from > 0);
            self.accesses += 1;
            self.last = self.last.max(address + bytes);
        }
        fn compute(&mut self, instructions: u64) {
            self.instructions += instructions;
        }
        fn branch(&mut self, _: u32, _: bool, on: u64) {
            assert!(on <= self.accesses, "values come from earlier loads");
        }
        fn both(&self, one: u64, other: u64) -> u64 {
            one.max(other)
        }
    }

    #[test]
    fn every_kernel_runs_alike_with_any_tracer_within_its_bytes() {
        for kernel in AppKernel::ALL {
            let plain = kernel.run(&mut NoTracer, 1 << 20, 3).expect("a good size");
            let mut counter = Counter::default();
            let traced = kernel.run(&mut counter, 1 << 20, 3).expect("a good size");
            assert_eq!(plain, traced, "{kernel}");
            assert!(counter.last <= plain.bytes + 4096, "{kernel}");
            assert!(
                !counter.phases.is_empty() && counter.accesses > 1000,
                "{kernel}"
            );
            // A stencil and a matrix of bytes know all their addresses.
            let knows_all = matches!(kernel, AppKernel::StencilCg | AppKernel::Int8Decode);
            assert_eq!(counter.dependent == 0, knows_all, "{kernel}");
            let bytes = plain.bytes as f64 / f64::from(1 << 20);
            // The bins of shortest paths have a MiB for pieces that are not full, whatever the graph.
            let most = if kernel == AppKernel::ShortestPaths {
                2.0
            } else {
                1.35
            };
            assert!((0.3..most).contains(&bytes), "{kernel}: {bytes}");
            assert!(plain.answer.is_finite(), "{kernel}");
        }
    }

    #[test]
    fn names_are_read_and_others_answered_with_them() {
        for kernel in AppKernel::ALL {
            assert_eq!(kernel.name().parse(), Ok(kernel));
        }
        let error = "gups".parse::<AppKernel>().expect_err("unknown");
        assert!(error.to_string().contains("there are csr-cg, stencil-cg"));
        let error = AppKernel::Svm
            .run(&mut NoTracer, 1000, 0)
            .expect_err("small");
        assert!(error.to_string().contains("allowed: 65536 to"));
    }
}
