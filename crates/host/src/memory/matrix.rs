//! Latency between places of the machine: from node to node, and from core to core.
//!
//! From node to node a processor of one follows a chain of pointers in the memory of the other. From core to core two threads,
//! pinned to both, hand a line back and forth: each waits until the other has written it. Half of the way there and back
//! is one handover.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::arena::{Arena, ArenaObtained, ArenaRequest, PageSize};
use super::chain::{ChainWalk, PointerChain};
use super::driver::{self, DriverError, SharedStop};
use super::latency::{PAGE_BYTES, default_bytes};
use super::ledger::StealWatch;
use super::probe::ChainProbe;
use super::sampling::{MeasuredClock, SampledLatency, SamplingPlan, sample};
use super::topology::{Topology, pin_to};

/// Processors of which all pairs are measured; of more, so many that lie evenly spread.
pub const CPUS_MAX: usize = 64;

/// Handovers of a batch: half of them each way.
const HANDOVERS: u32 = 32;

/// Looks at a line before a thread lets others have its processor: longer than any handover takes.
const LOOKS: u32 = 20_000;

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct MatrixPlan {
    /// Loads or handovers of a pair, at most.
    pub loads_most: u64,
    /// Seed of the orders of the chains.
    pub seed: u64,
    /// Time of the whole test.
    pub share: Duration,
}

/// Loads of a node's processor from a node's memory.
#[derive(Clone, Debug)]
pub struct NodeLatency {
    /// Node whose processor asks.
    pub from_node: u32,
    /// Node whose memory answers.
    pub to_node: u32,
    /// The processor.
    pub cpu: u32,
    /// Bytes of the chain.
    pub bytes: u64,
    /// Pages and nodes that were obtained.
    pub obtained: ArenaObtained,
    /// What was timed.
    pub sampled: SampledLatency,
}

/// A line between two processors.
#[derive(Clone, Debug)]
pub struct CoreHandover {
    /// One processor.
    pub from_cpu: u32,
    /// The other one.
    pub to_cpu: u32,
    /// What was timed; a load is a handover.
    pub sampled: SampledLatency,
}

/// A cell of either matrix.
#[derive(Clone, Debug)]
pub enum MatrixCell {
    /// From node to node.
    Node(NodeLatency),
    /// From core to core.
    Core(CoreHandover),
}

/// What a test found.
#[derive(Clone, Debug, Default)]
pub struct MatrixRun {
    /// Cells, nodes first.
    pub cells: Vec<MatrixCell>,
    /// Processors that pairs were made of.
    pub cpus: usize,
    /// Processors that there are.
    pub cpus_all: usize,
    /// Whether the test ended by itself.
    pub complete: bool,
}

/// Measures all pairs. Each cell is shown to `watch`, with how many there are and will be.
///
/// # Errors
/// When the machine does not let the test run.
pub fn run(
    topology: &Topology,
    plan: &MatrixPlan,
    stop: &dyn Fn() -> bool,
    watch: &mut dyn FnMut(&MatrixCell, usize, usize),
) -> Result<MatrixRun, DriverError> {
    let all: Vec<u32> = topology.cpus.iter().map(|place| place.cpu).collect();
    let cpus = spread(&all);
    let cores: Vec<(u32, u32)> = pairs(&cpus).collect();
    let nodes = nodes(topology);
    let total = nodes.len() + cores.len();
    let mut show = |(cell, done): (MatrixCell, usize)| watch(&cell, done, total);
    driver::beside(stop, &mut show, |stop, report| {
        let clock = MeasuredClock::start()?;
        let until = Instant::now() + plan.share;
        let steal = StealWatch::begin(cpus.iter().copied());
        let mut run = MatrixRun {
            cpus: cpus.len(),
            cpus_all: all.len(),
            ..MatrixRun::default()
        };
        let node_jobs = nodes.iter().map(MatrixJob::Node);
        let jobs = node_jobs.chain(cores.iter().map(MatrixJob::Core));
        for (done, job) in jobs.enumerate() {
            if stop.load(Ordering::Relaxed) {
                return Ok(run);
            }
            let left = until.saturating_duration_since(Instant::now());
            let sampling = SamplingPlan {
                share: left / (total - done) as u32,
                ..SamplingPlan::at_most(plan.loads_most)
            };
            let cell = match job {
                MatrixJob::Node(&(cpu, from_node, to_node)) => {
                    let place = (cpu, from_node, to_node);
                    MatrixCell::Node(node_latency(
                        topology, &clock, place, plan.seed, &sampling, stop,
                    )?)
                }
                MatrixJob::Core(&pair) => {
                    MatrixCell::Core(handover(&clock, pair, &sampling, stop)?)
                }
            };
            report((cell.clone(), done + 1));
            run.cells.push(cell);
        }
        run.complete = !stop.load(Ordering::Relaxed);
        let stolen = steal.share();
        for cell in &mut run.cells {
            match cell {
                MatrixCell::Node(node) => node.sampled.see_steal(stolen),
                MatrixCell::Core(core) => core.sampled.see_steal(stolen),
            }
        }
        Ok(run)
    })
}

/// A pair to be measured.
enum MatrixJob<'a> {
    Node(&'a (u32, u32, u32)),
    Core(&'a (u32, u32)),
}

/// A processor of a node, its node, and a node with memory: of all of them.
fn nodes(topology: &Topology) -> Vec<(u32, u32, u32)> {
    let mut all = Vec::new();
    for from in &topology.nodes {
        let cpus = topology.cpus.iter().filter(|place| place.node == from.node);
        let Some(place) = cpus.max_by_key(|place| place.cpu) else {
            continue;
        };
        let with_memory = topology.nodes.iter().filter(|node| node.total_bytes > 0);
        all.extend(with_memory.map(|to| (place.cpu, from.node, to.node)));
    }
    all
}

/// At most [`CPUS_MAX`] of the processors, evenly spread over their numbers, so that all sockets and nodes have some.
fn spread(cpus: &[u32]) -> Vec<u32> {
    let count = cpus.len().min(CPUS_MAX);
    (0..count)
        .map(|index| cpus[index * cpus.len() / count])
        .collect()
}

/// Every pair once.
fn pairs(cpus: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let behind = |(index, &one): (usize, &u32)| {
        let others = cpus[index + 1..].to_vec();
        others.into_iter().map(move |other| (one, other))
    };
    cpus.iter().enumerate().flat_map(behind)
}

fn node_latency(
    topology: &Topology,
    clock: &MeasuredClock,
    (cpu, from_node, to_node): (u32, u32, u32),
    seed: u64,
    plan: &SamplingPlan,
    stop: &SharedStop,
) -> Result<NodeLatency, DriverError> {
    pin_to(cpu)?;
    let bytes = default_bytes(topology);
    let request = |pages| ArenaRequest {
        bytes,
        pages,
        node: Some(to_node),
    };
    // Where there are no large pages, small ones show the same differences between nodes.
    let arena = Arena::map(&request(PageSize::Huge2M));
    let mut arena = arena.or_else(|_| Arena::map(&request(PageSize::Base)))?;
    let obtained = arena.obtained().clone();
    let memory = &mut arena.bytes_mut()[..bytes as usize];
    let chain = PointerChain::lay(memory, ChainWalk::Random, PAGE_BYTES, seed)?;
    // The rest may be small pages.
    let page_bytes = match obtained.huge_share >= 1.0 {
        true => PageSize::Huge2M.bytes(),
        false => PAGE_BYTES,
    };
    let mut probe = ChainProbe::new(chain, page_bytes, topology);
    probe.settle(stop);
    let sampled = sample(clock, plan, stop, &mut probe);
    Ok(NodeLatency {
        from_node,
        to_node,
        cpu,
        bytes,
        obtained,
        sampled,
    })
}

/// The line that is handed over, with no other in its pair of lines.
#[repr(align(128))]
#[derive(Default)]
struct HandedLine(AtomicU64);

/// What the line holds at the end.
const OVER: u64 = u64::MAX;

impl HandedLine {
    /// Waits until the line holds something else than what was written. A thread whose partner has no processor lets others
    /// run after a while.
    fn answer_to(&self, written: u64) -> u64 {
        let mut looks = 0;
        loop {
            let found = self.0.load(Ordering::Acquire);
            if found != written {
                return found;
            }
            looks += 1;
            if looks >= LOOKS {
                looks = 0;
                std::thread::yield_now();
            }
        }
    }

    fn write(&self, value: u64) {
        self.0.store(value, Ordering::Release);
    }
}

fn handover(
    clock: &MeasuredClock,
    (from_cpu, to_cpu): (u32, u32),
    plan: &SamplingPlan,
    stop: &SharedStop,
) -> Result<CoreHandover, DriverError> {
    pin_to(from_cpu)?;
    let line = HandedLine::default();
    let plan = SamplingPlan {
        loads: Some(HANDOVERS),
        partner: Some(to_cpu),
        ..*plan
    };
    std::thread::scope(|scope| {
        let partner = scope.spawn(|| {
            let pinned = pin_to(to_cpu);
            // Even numbers are the partner's. It answers pinned or not, because the other waits for it.
            let mut own = 0;
            loop {
                let found = line.answer_to(own);
                if found == OVER {
                    return pinned;
                }
                own = found + 1;
                line.write(own);
            }
        });
        let mut last = 0;
        let sampled = sample(clock, &plan, stop, &mut |handovers: u32| {
            for _ in 0..handovers.div_ceil(2) {
                line.write(last + 1);
                last = line.answer_to(last + 1);
            }
        });
        line.write(OVER);
        match partner.join() {
            Ok(pinned) => pinned?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        Ok(CoreHandover {
            from_cpu,
            to_cpu,
            sampled,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::topology::{CpuPlace, NodeMemory};

    #[test]
    fn all_pairs_of_few_processors_and_some_of_many() {
        let few: Vec<u32> = (0..4).collect();
        let all: Vec<_> = pairs(&spread(&few)).collect();
        assert_eq!(all, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        let many: Vec<u32> = (0..192).collect();
        let some = spread(&many);
        assert_eq!(some.len(), CPUS_MAX);
        assert!(some.windows(2).all(|pair| pair[1] - pair[0] == 3));
        assert_eq!(pairs(&some).count(), 64 * 63 / 2);
        assert_eq!(pairs(&spread(&[])).count(), 0);
    }

    #[test]
    fn nodes_without_processors_answer_and_do_not_ask() {
        let node = |node, cpus: &[u32]| NodeMemory {
            node,
            cpus: cpus.to_vec(),
            free_bytes: 1 << 30,
            total_bytes: 1 << 30,
        };
        let place = |cpu, node| CpuPlace {
            cpu,
            node,
            core: cpu,
            socket: node,
            smt: 0,
        };
        let topology = Topology {
            cpus: vec![place(0, 0), place(1, 0), place(2, 1)],
            nodes: vec![node(0, &[0, 1]), node(1, &[2]), node(2, &[])],
            ..Topology::of_this_machine().expect("it can be read")
        };
        let expected = [
            (1, 0, 0),
            (1, 0, 1),
            (1, 0, 2),
            (2, 1, 0),
            (2, 1, 1),
            (2, 1, 2),
        ];
        assert_eq!(nodes(&topology), expected);
    }

    #[test]
    fn this_machine_has_a_matrix() {
        let topology = Topology::of_this_machine().expect("it can be read");
        // A small cache, so that the chain is short.
        let mut small = topology.clone();
        for cache in &mut small.caches {
            cache.bytes = cache.bytes.min(64 << 10);
        }
        let plan = MatrixPlan {
            loads_most: 5_000,
            seed: 1,
            share: Duration::from_millis(100),
        };
        let mut watched = 0;
        let run = run(&small, &plan, &|| false, &mut |_, _, _| watched += 1).expect("it runs");
        let pairs = run.cpus * (run.cpus - 1) / 2;
        assert!(run.complete);
        assert!(run.cells.len() > pairs && watched == run.cells.len());
        let cores = run
            .cells
            .iter()
            .filter(|cell| matches!(cell, MatrixCell::Core(_)));
        assert_eq!(cores.count(), pairs);
    }
}
