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
use super::topology::{Topology, pin_to};
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

/// The processor that measures: the last one, because systems give their own work to the first.
pub(super) fn measuring_cpu(topology: &Topology) -> Result<u32, DriverError> {
    let last = topology.cpus.last().map(|place| place.cpu);
    last.ok_or(DriverError::FewCpus {
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
        let cpu = measuring_cpu(topology)?;
        pin_to(cpu)?;
        let sizes = match plan.sizes.as_slice() {
            [] => curve::sizes(default_bytes(topology)),
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

/// The largest working set unless said otherwise: four times the last cache, and no more than half of what is free.
pub(super) fn default_bytes(topology: &Topology) -> u64 {
    /// Where the system does not show its caches: beyond most of them.
    const UNKNOWN: u64 = 256 << 20;
    const HUGE: u64 = 2 << 20;
    let last = topology.last_level_bytes();
    let wanted = last.map_or(UNKNOWN, |bytes| 4 * bytes).max(8 * HUGE);
    let fits = wanted.min(topology.usable_bytes() / 2);
    // A whole number of huge pages, where there is room for any.
    match fits / HUGE {
        0 => fits / PAGE_BYTES * PAGE_BYTES,
        pages => pages * HUGE,
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
