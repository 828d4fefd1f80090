//! Latency of one load after the other, over working sets: caches, memory, and what page walks add.
//!
//! A thread pinned to one processor follows chains of pointers ([`super::chain`]) through more and more memory. Where the
//! curve over the sizes jumps, sizes are added between ([`curve`]), and the places where it leaves a level are its knees.

pub mod curve;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::arena::{Arena, ArenaError, ArenaObtained, ArenaRequest, PageSize};
use super::chain::{ChainWalk, PointerChain};
use super::driver::{self, DriverError, SharedStop};
use super::ledger::StealWatch;
use super::probe::ChainProbe;
use super::sampling::{MeasuredClock, SampledLatency, SamplingPlan, sample};
use super::topology::{CpuPlace, Topology, pin_to};
use curve::CurvePlace;

/// The smallest page, and the smallest working set.
pub const PAGE_BYTES: u64 = 4096;

/// Where working sets begin: at a multiple of this. Processors of AMD predict the way of their first cache by a hash of the
/// address (Lipp et al., "Take A Way", 2020), in which pages on both sides of a boundary of high bits are the same. A set of
/// 16 KiB across one took 4.9 ns a load instead of 1.1.
const ALIGNED: u64 = 2 << 20;

/// What to measure.
#[derive(Clone, Debug)]
pub struct LatencyPlan {
    /// Working sets in bytes; none for those that the caches and the curve ask for.
    pub sizes: Vec<u64>,
    /// Sizes of pages, one after the other.
    pub pages: Vec<PageSize>,
    /// Orders of the lines.
    pub walks: Vec<ChainWalk>,
    /// Loads of a point, at most.
    pub loads_most: u64,
    /// Node that memory is asked of; `None` for that of the processor.
    pub node: Option<u32>,
    /// Processor that loads; `None` for one of the node, or the last one.
    pub cpu: Option<u32>,
    /// Seed of the orders.
    pub seed: u64,
    /// Time of the whole test: what is left when sizes are placed is shared among points.
    pub share: Duration,
}

/// A working set in an order.
#[derive(Clone, Debug)]
pub struct LatencyPoint {
    /// Size of pages that was asked for.
    pub pages: PageSize,
    /// What was obtained.
    pub obtained: ArenaObtained,
    /// Order of the lines.
    pub walk: ChainWalk,
    /// Bytes that the chain goes over.
    pub bytes: u64,
    /// What was timed.
    pub sampled: SampledLatency,
}

impl LatencyPoint {
    /// The place of the point on a curve, where there is an estimate.
    #[must_use]
    pub fn place(&self) -> Option<CurvePlace> {
        let estimate = self.sampled.estimate.as_ref().ok()?;
        Some((self.bytes, estimate.median_ps))
    }
}

/// What a test found.
#[derive(Debug)]
pub struct LatencyRun {
    /// The processor that loaded.
    pub cpu: u32,
    /// Where working sets end by default, and where they would with more memory; `None` where they were stated.
    pub end: Option<SweepEnd>,
    /// Points, by pages and order and from the smallest size on.
    pub points: Vec<LatencyPoint>,
    /// Pages that could not be had, and why.
    pub refused: Vec<(PageSize, ArenaError)>,
    /// Whether the test ended by itself.
    pub complete: bool,
}

/// Measures. Each point that ends is shown to `watch`, with how many there are and may be.
///
/// # Errors
/// When the machine does not let the test run, or none of the pages can be had.
pub fn run(
    topology: &Topology,
    plan: &LatencyPlan,
    stop: &dyn Fn() -> bool,
    watch: &mut dyn FnMut(&LatencyPoint, usize, usize),
) -> Result<LatencyRun, DriverError> {
    for &bytes in &plan.sizes {
        if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) {
            let page_bytes = PAGE_BYTES;
            return Err(DriverError::Size { bytes, page_bytes });
        }
    }
    if let Some(node) = plan.node {
        driver::has_memory(topology, node)?;
    }
    let mut show = |(point, done, all): (LatencyPoint, usize, usize)| watch(&point, done, all);
    driver::beside(stop, &mut show, |stop, report| {
        let mut walker = Walker::new(topology, plan, stop)?;
        for &pages in &plan.pages {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            walker.pages(pages, &|point, done, all| {
                report((point.clone(), done, all))
            })?;
        }
        walker.finish()
    })
}

/// The processor that measures: the one that was asked for, else one of the node whose memory was asked for, where it has
/// any. The last of them, because systems give their own work to the first.
pub(super) fn measuring_cpu(
    topology: &Topology,
    cpu: Option<u32>,
    node: Option<u32>,
) -> Result<u32, DriverError> {
    if let Some(cpu) = cpu {
        driver::has_cpu(topology, cpu)?;
        return Ok(cpu);
    }
    let of_node = |place: &&CpuPlace| Some(place.node) == node;
    let last = topology.cpus.iter().rfind(of_node).or(topology.cpus.last());
    last.map(|place| place.cpu).ok_or(DriverError::FewCpus {
        test: "latency",
        needed: 1,
        found: 0,
    })
}

/// Goes from working set to working set.
struct Walker<'a> {
    topology: &'a Topology,
    plan: &'a LatencyPlan,
    stop: &'a SharedStop,
    clock: MeasuredClock,
    steal: StealWatch,
    sizes: Vec<u64>,
    until: Instant,
    /// Points that are still to come, as far as is known.
    left: usize,
    run: LatencyRun,
}

/// What points of the same memory and order share.
struct WalkOf<'m> {
    arena: &'m mut Arena,
    pages: PageSize,
    walk: ChainWalk,
}

impl<'a> Walker<'a> {
    fn new(
        topology: &'a Topology,
        plan: &'a LatencyPlan,
        stop: &'a SharedStop,
    ) -> Result<Self, DriverError> {
        let cpu = measuring_cpu(topology, plan.cpu, plan.node)?;
        pin_to(cpu)?;
        let end = plan.sizes.is_empty().then(|| SweepEnd::of(topology));
        let sizes = match plan.sizes.as_slice() {
            [] => curve::sizes(end.map_or(PAGE_BYTES, |end| end.bytes)),
            asked => {
                let mut sizes = asked.to_vec();
                sizes.sort_unstable();
                sizes.dedup();
                sizes
            }
        };
        let left = plan.pages.len() * plan.walks.len() * sizes.len();
        Ok(Self {
            topology,
            plan,
            stop,
            clock: MeasuredClock::start()?,
            steal: StealWatch::begin([cpu]),
            sizes,
            until: Instant::now() + plan.share,
            left,
            run: LatencyRun {
                cpu,
                end,
                points: Vec::new(),
                refused: Vec::new(),
                complete: true,
            },
        })
    }

    /// All working sets in pages of a size.
    fn pages(
        &mut self,
        pages: PageSize,
        report: &dyn Fn(&LatencyPoint, usize, usize),
    ) -> Result<(), DriverError> {
        let Some(&most) = self.sizes.last() else {
            return Ok(());
        };
        let request = ArenaRequest {
            // Larger pages are aligned themselves.
            bytes: match pages {
                PageSize::Base => most.next_multiple_of(pages.bytes()) + ALIGNED,
                PageSize::Huge2M | PageSize::Huge1G => most.next_multiple_of(pages.bytes()),
            },
            pages,
            node: self.plan.node,
        };
        let mut arena = match Arena::map(&request) {
            Ok(arena) => arena,
            Err(why) => {
                self.left -= self.plan.walks.len() * self.sizes.len();
                self.run.refused.push((pages, why));
                return Ok(());
            }
        };
        for &walk in &self.plan.walks {
            let sizes = self.sizes_of(walk, pages);
            self.left = self.left.saturating_sub(self.sizes.len() - sizes.len());
            let arena = &mut arena;
            let mut of = WalkOf { arena, pages, walk };
            self.walk(&mut of, sizes, report)?;
        }
        Ok(())
    }

    /// Sizes that make sense: an order within pages needs several of them.
    fn sizes_of(&self, walk: ChainWalk, pages: PageSize) -> Vec<u64> {
        if walk == ChainWalk::Random {
            return self.sizes.clone();
        }
        let page = pages.bytes();
        let whole = self.sizes.iter().map(|size| size / page * page);
        let mut whole: Vec<u64> = whole.filter(|size| *size >= 2 * page).collect();
        whole.dedup();
        whole
    }

    /// The curve of an order: the sizes that were asked for, and where there were none, those that it lacks.
    fn walk(
        &mut self,
        of: &mut WalkOf<'_>,
        mut sizes: Vec<u64>,
        report: &dyn Fn(&LatencyPoint, usize, usize),
    ) -> Result<(), DriverError> {
        let first = self.run.points.len();
        let refines = self.plan.sizes.is_empty() && of.walk == ChainWalk::Random;
        while !sizes.is_empty() {
            for bytes in sizes {
                if self.stop.load(Ordering::Relaxed) {
                    self.run.complete = false;
                    return Ok(());
                }
                let point = self.point(of, bytes)?;
                self.left = self.left.saturating_sub(1);
                let done = self.run.points.len() + 1;
                report(&point, done, done + self.left);
                self.run.points.push(point);
            }
            self.run.points[first..].sort_by_key(|point| point.bytes);
            let places: Vec<CurvePlace> = self.run.points[first..]
                .iter()
                .filter_map(LatencyPoint::place)
                .collect();
            sizes = match refines {
                true => curve::lacking(&places),
                false => Vec::new(),
            };
            self.left += sizes.len();
        }
        Ok(())
    }

    fn point(&self, of: &mut WalkOf<'_>, bytes: u64) -> Result<LatencyPoint, DriverError> {
        let page = match of.walk {
            // Its lines keep to no page.
            ChainWalk::Random => PAGE_BYTES,
            ChainWalk::InPage | ChainWalk::PerPage => of.pages.bytes(),
        };
        let start = of.arena.as_ptr().addr().next_multiple_of(ALIGNED as usize);
        let start = start - of.arena.as_ptr().addr();
        let memory = &mut of.arena.bytes_mut()[start..start + bytes as usize];
        let chain = PointerChain::lay(memory, of.walk, page, self.plan.seed)?;
        let mut probe = ChainProbe::new(chain, of.pages.bytes(), self.topology);
        probe.settle(self.stop);
        let left = self.until.saturating_duration_since(Instant::now());
        let plan = SamplingPlan {
            share: left / self.left.max(1) as u32,
            ..SamplingPlan::at_most(self.plan.loads_most)
        };
        let sampled = sample(&self.clock, &plan, self.stop, &mut probe);
        Ok(LatencyPoint {
            pages: of.pages,
            obtained: of.arena.obtained().clone(),
            walk: of.walk,
            bytes,
            sampled,
        })
    }

    fn finish(mut self) -> Result<LatencyRun, DriverError> {
        self.run.complete &= !self.stop.load(Ordering::Relaxed);
        let stolen = self.steal.share();
        for point in &mut self.run.points {
            point.sampled.see_steal(stolen);
        }
        if self.run.points.is_empty()
            && self.run.complete
            && let Some((_, why)) = self.run.refused.pop()
        {
            return Err(why.into());
        }
        Ok(self.run)
    }
}

const HUGE: u64 = 2 << 20;

/// Where the working sets of a curve end unless they are stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepEnd {
    /// Bytes of the largest one.
    pub bytes: u64,
    /// What it would be with more memory: 16 times the last cache, and 512 MiB at least, because a cache that random loads
    /// miss in 15 of 16 cases still shortens their median.
    pub wanted_bytes: u64,
}

impl SweepEnd {
    /// Last caches that the largest working set holds.
    const CACHES: u64 = 16;

    /// The least that it is.
    const LEAST: u64 = 512 << 20;

    /// Of a machine: half of what is free at most.
    #[must_use]
    pub fn of(topology: &Topology) -> Self {
        let last = topology.last_level_bytes().unwrap_or(0);
        let wanted = last.saturating_mul(Self::CACHES).max(Self::LEAST);
        Self {
            bytes: within_half(topology, wanted),
            wanted_bytes: wanted.next_multiple_of(HUGE),
        }
    }

    /// Whether there is too little memory for it.
    #[must_use]
    pub const fn is_short(&self) -> bool {
        self.bytes < self.wanted_bytes
    }
}

/// A working set that is memory rather than caches: four times the last cache, and no more than half of what is free.
pub(super) fn default_bytes(topology: &Topology) -> u64 {
    /// Where the system does not show its caches: beyond most of them.
    const UNKNOWN: u64 = 256 << 20;
    let last = topology.last_level_bytes();
    let wanted = last.map_or(UNKNOWN, |bytes| 4 * bytes).max(8 * HUGE);
    within_half(topology, wanted)
}

/// So many bytes, or half of what is free: a whole number of huge pages, where there is room for any.
fn within_half(topology: &Topology, wanted: u64) -> u64 {
    let fits = wanted.min(topology.usable_bytes() / 2);
    match fits / HUGE {
        0 => fits / PAGE_BYTES * PAGE_BYTES,
        pages => fits.min(pages.saturating_mul(HUGE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(sizes: &[u64]) -> LatencyPlan {
        LatencyPlan {
            sizes: sizes.to_vec(),
            pages: vec![PageSize::Base],
            walks: vec![ChainWalk::Random, ChainWalk::InPage, ChainWalk::PerPage],
            loads_most: 20_000,
            node: None,
            cpu: None,
            seed: 1,
            share: Duration::from_millis(200),
        }
    }

    #[test]
    fn every_size_and_order_is_measured() {
        let topology = Topology::of_this_machine().expect("it can be read");
        let mut watched = 0;
        let run = run(
            &topology,
            &plan(&[16_384, 4096, 65_536]),
            &|| false,
            &mut |_, _, _| {
                watched += 1;
            },
        );
        let run = run.expect("a little memory");
        let found: Vec<_> = run
            .points
            .iter()
            .map(|point| (point.walk, point.bytes))
            .collect();
        use ChainWalk::{InPage, PerPage, Random};
        let expected = [
            (Random, 4096),
            (Random, 16_384),
            (Random, 65_536),
            // A single page has no order of pages.
            (InPage, 16_384),
            (InPage, 65_536),
            (PerPage, 16_384),
            (PerPage, 65_536),
        ];
        assert_eq!(found, expected);
        assert_eq!(watched, expected.len());
        assert!(run.complete);
        let timed = run
            .points
            .iter()
            .all(|point| point.sampled.batches.len() >= 64);
        assert!(timed);
    }

    fn described(cpus: &[(u32, u32)], cache: u64, free: u64) -> Topology {
        let place = |&(cpu, node): &(u32, u32)| CpuPlace {
            cpu,
            node,
            core: cpu,
            socket: node,
            smt: 0,
        };
        let mut topology = Topology::of_this_machine().expect("it can be read");
        topology.cpus = cpus.iter().map(place).collect();
        topology.caches = vec![crate::memory::topology::CacheLevel {
            level: 3,
            bytes: cache,
            ways: 16,
            line_bytes: 64,
            shared_by: vec![0],
        }];
        topology.limits = crate::memory::topology::MemoryLimits {
            available_bytes: free,
            cgroup_bytes: None,
        };
        topology
    }

    #[test]
    fn the_processor_is_the_one_asked_for_or_one_of_the_node() {
        let topology = described(&[(0, 0), (1, 0), (2, 1), (3, 1)], 1 << 20, 1 << 30);
        let of = |cpu, node| measuring_cpu(&topology, cpu, node);
        assert!(matches!(of(None, None), Ok(3)));
        assert!(matches!(of(None, Some(0)), Ok(1)));
        // Memory of another node is asked for by name.
        assert!(matches!(of(Some(2), Some(0)), Ok(2)));
        // A node without processors is memory alone.
        assert!(matches!(of(None, Some(7)), Ok(3)));
        let error = of(Some(9), None).expect_err("no such processor");
        assert!(error.to_string().contains("0, 1, 2, 3"), "{error}");
    }

    #[test]
    fn the_curve_ends_well_beyond_the_last_cache() {
        const MIB: u64 = 1 << 20;
        let end = |cache, free| SweepEnd::of(&described(&[(0, 0)], cache, free));
        let large = end(8 * MIB, 1 << 40);
        assert_eq!((large.bytes, large.is_short()), (512 * MIB, false));
        let large = end(256 * MIB, 1 << 40);
        assert_eq!((large.bytes, large.is_short()), (4096 * MIB, false));
        let small = end(256 * MIB, 1 << 30);
        assert!(small.is_short() && small.bytes <= 512 * MIB, "{small:?}");
        assert!(small.bytes.is_multiple_of(HUGE));
    }

    #[test]
    fn who_stops_keeps_what_is_finished() {
        let topology = Topology::of_this_machine().expect("it can be read");
        let run =
            run(&topology, &plan(&[4096]), &|| true, &mut |_, _, _| {}).expect("a little memory");
        assert!(!run.complete && run.points.is_empty());
    }

    #[test]
    fn bad_sizes_and_nodes_are_named() {
        let topology = Topology::of_this_machine().expect("it can be read");
        let error = |plan: &LatencyPlan| {
            let run = run(&topology, plan, &|| false, &mut |_, _, _| {});
            run.expect_err("it cannot be").to_string()
        };
        assert!(error(&plan(&[5000])).contains("5000"), "no whole pages");
        let nowhere = LatencyPlan {
            node: Some(77_777),
            ..plan(&[4096])
        };
        assert!(error(&nowhere).contains("77777"));
    }
}
