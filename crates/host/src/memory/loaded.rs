//! Latency under load: some processors load the memory, with pauses, while others follow chains of pointers.
//!
//! Load threads and probes are pinned, each to a core of its own; the second threads of the probes' cores stay idle. All
//! begin at a barrier. A load thread walks its memory and waits so many cycles after every eight accesses, over all of its
//! streams, as the cores of `wordline dram loaded` do. Probes time batches of few loads, and what the load threads moved meanwhile is counted
//! over the very time in which the probes measured.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use wordline_memory::Clock;

use super::arena::{Arena, ArenaRequest, PageSize};
use super::bandwidth::within::rate_within;
use super::bandwidth::{self, MergedObtained, StepBytes};
use super::chain::{ChainWalk, LINE_BYTES, PointerChain};
use super::driver::{self, DriverError, SharedStop};
use super::estimate::{TimedWindow, TimerCost};
use super::kernels::{Kernel, KernelMix, KernelSet, KernelStores, LinePause};
use super::latency::{self, PAGE_BYTES};
use super::ledger::StealWatch;
use super::probe::ChainProbe;
use super::sampling::{MeasuredClock, SampledLatency, SamplingPlan, sample};
use super::topology::{Topology, pin_to};

/// Accesses of a load thread between two pauses, over all of its streams: lines that it reads or stores past the caches.
/// What the caches write back by themselves is none.
pub const ACCESSES_PER_PAUSE: u32 = 8;

/// Lines of each stream between two pauses, so that [`ACCESSES_PER_PAUSE`] are reached.
#[must_use]
pub const fn lines_per_pause(mix: KernelMix) -> u32 {
    ACCESSES_PER_PAUSE.div_ceil(mix.paced_accesses())
}

/// Loads of a batch: few, so that tails stay visible in the means of batches, and enough that the clock's cost is a small part.
pub const LOADS: u32 = 16;

/// The memory of each thread unless said otherwise, at least.
const SIZE_MIN: u64 = 64 << 20;

/// What waits when a load begins has gone after this.
const SETTLE: Duration = Duration::from_millis(5);

/// A point lasts so long at least, so that the rate of the load is known.
const POINT_LEAST: Duration = Duration::from_millis(50);

/// Equal parts of a point, from whose means the interval of the rate comes.
const SLICES: u32 = 20;

/// Lines of each stream that a load thread moves before it looks whether the point is over, at most.
const BURST_LINES: u64 = 1024;

/// Cycles that pauses between two such looks come to, at most: a fraction of a millisecond.
const BURST_CYCLES: u64 = 1_000_000;

/// What to measure.
#[derive(Clone, Debug)]
pub struct LoadedPlan {
    /// What load threads read and write.
    pub mix: KernelMix,
    /// With which stores.
    pub stores: KernelStores,
    /// Instructions.
    pub set: KernelSet,
    /// Probes.
    pub probes: u32,
    /// Bytes of each chain and of what each load thread walks; `None` for four times the last cache.
    pub size_bytes: Option<u64>,
    /// Size of pages.
    pub pages: PageSize,
    /// Loads of all probes at a point.
    pub loads: u64,
    /// Node that memory is asked of, on which the probes run; `None` for that of each processor.
    pub node: Option<u32>,
    /// Processor of the first probe; `None` for the last core.
    pub cpu: Option<u32>,
    /// Seed of the chains.
    pub seed: u64,
    /// Time of the whole test.
    pub share: Duration,
    /// Points that the time is shared among.
    pub points: usize,
}

/// What was measured at a pause.
#[derive(Clone, Debug)]
pub struct LoadedPoint {
    /// Cycles that load threads wait after eight accesses; `None` for no load at all and one probe.
    pub delay_cycles: Option<u64>,
    /// Bytes a second that load threads put on the bus, and half the width of its 95 % interval.
    pub load: (f64, f64),
    /// Bytes a second that probes ask for.
    pub probes: f64,
    /// What probes timed; of several probes all batches, by time.
    pub sampled: SampledLatency,
}

/// What a test found.
#[derive(Clone, Debug)]
pub struct LoadedRun {
    /// Load threads.
    pub load_threads: u32,
    /// Processor of the first probe.
    pub probe_cpu: u32,
    /// Bytes of each chain and of what each load thread walks.
    pub bytes: u64,
    /// What a step of the kernel moves.
    pub step: StepBytes,
    /// Pages and nodes of all memory.
    pub obtained: MergedObtained,
    /// Cost of reading the clock, which batches contain.
    pub timer: TimerCost,
    /// A probe alone; `None` where the test was stopped before.
    pub idle: Option<LoadedPoint>,
    /// Points, the shortest pause first.
    pub points: Vec<LoadedPoint>,
    /// Whether the test ended by itself.
    pub complete: bool,
}

/// Pauses to measure, by the points that there are, shortest pause first; none where the curve is complete.
pub type NextPauses<'a> = dyn Fn(&LoadedRun) -> Vec<u64> + Sync + 'a;

/// Measures, wave by wave, at the pauses that `next` asks for. Each point that ends is shown to `watch`.
///
/// # Errors
/// When there are too few processors, or the memory cannot be had.
pub fn run(
    topology: &Topology,
    plan: &LoadedPlan,
    next: &NextPauses<'_>,
    stop: &dyn Fn() -> bool,
    watch: &mut dyn FnMut(&LoadedPoint, usize),
) -> Result<LoadedRun, DriverError> {
    let places = LoadedPlaces::new(topology, plan.probes, plan.cpu, plan.node)?;
    let kernel = Kernel::new(plan.set, plan.mix, plan.stores)?;
    if let Some(node) = plan.node {
        driver::has_memory(topology, node)?;
    }
    let threads = places.load.len() + places.probes.len();
    let page = plan.pages.bytes();
    let most = topology.usable_bytes() / 2 / threads as u64 / page * page;
    let usual = latency::default_bytes(topology).max(SIZE_MIN).min(most);
    let bytes = plan.size_bytes.unwrap_or(usual);
    if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) {
        let page_bytes = PAGE_BYTES;
        return Err(DriverError::Size { bytes, page_bytes });
    }
    driver::fits_memory(topology, bytes.next_multiple_of(page), threads)?;
    let mut show = |(point, done): (LoadedPoint, usize)| watch(&point, done);
    driver::beside(stop, &mut show, |stop, report| {
        let request = |node| ArenaRequest {
            bytes: bytes.next_multiple_of(page),
            pages: plan.pages,
            node: Some(plan.node.unwrap_or(node)),
        };
        let mut load = bandwidth::map_all(&places.load, &request)?;
        let mut probes = bandwidth::map_all(&places.probes, &request)?;
        let obtained = load.iter().chain(&probes).map(Arena::obtained);
        let obtained = MergedObtained::of(obtained);
        let mut chains = Vec::new();
        for (index, arena) in probes.iter_mut().enumerate() {
            let memory = &mut arena.bytes_mut()[..bytes as usize];
            // Probes in step would share their lines' banks.
            let seed = plan.seed.wrapping_add(index as u64);
            let chain = PointerChain::lay(memory, ChainWalk::Random, PAGE_BYTES, seed)?;
            let mut probe = ChainProbe::new(chain, page, topology);
            probe.settle(stop);
            chains.push(probe);
        }
        let clock = MeasuredClock::start()?;
        let steal = StealWatch::begin(topology.cpus.iter().map(|place| place.cpu));
        let bench = LoadBench {
            clock: &clock,
            places: &places,
            kernel: &kernel,
            bytes: bytes as usize,
            loads: plan.loads,
            until: Instant::now() + plan.share,
            stop,
        };
        let mut run = LoadedRun {
            load_threads: places.load.len() as u32,
            probe_cpu: places.probes.first().map_or(0, |place| place.0),
            bytes,
            step: StepBytes::of(&kernel),
            obtained,
            timer: clock.cost,
            idle: None,
            points: Vec::new(),
            complete: false,
        };
        let mut left = plan.points + 1;
        let idle = bench.point(None, &mut load, &mut chains, left)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(run);
        }
        report((idle.clone(), 1));
        run.idle = Some(idle);
        loop {
            let wave = next(&run);
            if wave.is_empty() {
                break;
            }
            for delay in wave {
                left = left.saturating_sub(1);
                let point = bench.point(Some(delay), &mut load, &mut chains, left.max(1))?;
                // A point that was cut short is none.
                if stop.load(Ordering::Relaxed) {
                    return Ok(run);
                }
                report((point.clone(), run.points.len() + 2));
                run.points.push(point);
            }
            run.points.sort_by_key(|point| point.delay_cycles);
        }
        run.complete = true;
        let stolen = steal.share();
        for point in run.points.iter_mut().chain(&mut run.idle) {
            point.sampled.see_steal(stolen);
        }
        Ok(run)
    })
}

/// What messages call this.
const TEST: &str = "latency under load";

/// Who loads and who probes: processors with their nodes.
#[derive(Debug, PartialEq)]
struct LoadedPlaces {
    load: Vec<(u32, u32)>,
    probes: Vec<(u32, u32)>,
}

impl LoadedPlaces {
    /// Probes take the core that was asked for, those of the node, and the last ones; they are the only threads there.
    fn new(
        topology: &Topology,
        probes: u32,
        cpu: Option<u32>,
        node: Option<u32>,
    ) -> Result<Self, DriverError> {
        if let Some(cpu) = cpu {
            driver::has_cpu(topology, cpu)?;
        }
        let order = bandwidth::by_core(topology);
        let place = |cpu: u32| topology.cpus.iter().find(|place| place.cpu == cpu);
        let core = |cpu: u32| place(cpu).map(|place| (place.socket, place.core));
        // Two threads of one core are no two cores.
        let mut cores: Vec<_> = order.iter().map(|(cpu, _)| core(*cpu)).collect();
        cores.sort_unstable();
        cores.dedup();
        let found = cores.len() as u32;
        if found < 2 {
            return Err(DriverError::FewCpus {
                test: TEST,
                needed: 2,
                found,
            });
        }
        if !(1..found).contains(&probes) {
            return Err(DriverError::Cores {
                what: "--probes",
                test: TEST,
                asked: probes,
                most: found - 1,
                found,
            });
        }
        let mut taken = Vec::new();
        let mut chosen = Vec::new();
        let mut wanted: Vec<(u32, u32)> = order.iter().rev().copied().collect();
        wanted.sort_by_key(|place| {
            let is_other = node.is_some_and(|node| node != place.1);
            (cpu.is_some_and(|cpu| cpu != place.0), is_other)
        });
        for (cpu, node) in wanted {
            if chosen.len() < probes as usize && !taken.contains(&core(cpu)) {
                taken.push(core(cpu));
                chosen.push((cpu, node));
            }
        }
        let load: Vec<_> = order
            .iter()
            .copied()
            .filter(|(cpu, _)| !taken.contains(&core(*cpu)))
            .collect();
        Ok(Self {
            load,
            probes: chosen,
        })
    }
}

/// What all points share.
struct LoadBench<'a> {
    clock: &'a MeasuredClock,
    places: &'a LoadedPlaces,
    kernel: &'a Kernel,
    bytes: usize,
    loads: u64,
    until: Instant,
    stop: &'a SharedStop,
}

impl LoadBench<'_> {
    fn point(
        &self,
        delay: Option<u64>,
        load: &mut [Arena],
        chains: &mut [ChainProbe<'_>],
        left: usize,
    ) -> Result<LoadedPoint, DriverError> {
        let (load, chains) = match delay {
            Some(_) => (load, chains),
            None => (&mut load[..0], &mut chains[..1]),
        };
        let barrier = Barrier::new(load.len() + chains.len());
        let over = AtomicBool::new(false);
        let share = self.until.saturating_duration_since(Instant::now()) / left as u32;
        let plan = SamplingPlan {
            loads: Some(LOADS),
            loads_most: self.loads.div_ceil(chains.len() as u64),
            wide: None,
            least: POINT_LEAST,
            share: share.max(POINT_LEAST),
            partner: None,
        };
        let (windows, sampled) = std::thread::scope(|scope| {
            let (barrier, over, plan) = (&barrier, &over, &plan);
            let delay = delay.unwrap_or(0);
            let loads: Vec<_> = load
                .iter_mut()
                .zip(&self.places.load)
                .map(|(arena, cpu)| {
                    let memory = &mut arena.bytes_mut()[..self.bytes];
                    scope.spawn(move || {
                        // Whoever is not pinned goes to the barrier all the same, because others wait there.
                        let pinned = pin_to(cpu.0);
                        barrier.wait();
                        let windows = self.load(memory, delay, over);
                        pinned.map(|()| windows)
                    })
                })
                .collect();
            let probes: Vec<_> = chains
                .iter_mut()
                .zip(&self.places.probes)
                .map(|(chain, cpu)| {
                    scope.spawn(move || {
                        let pinned = pin_to(cpu.0);
                        barrier.wait();
                        let sampled = self.probe(chain, plan);
                        pinned.map(|()| sampled)
                    })
                })
                .collect();
            let sampled: Result<Vec<_>, _> = probes.into_iter().map(joined).collect();
            over.store(true, Ordering::Relaxed);
            let windows: Result<Vec<_>, _> = loads.into_iter().map(joined).collect();
            Ok::<_, DriverError>((windows?, sampled?))
        })?;
        Ok(self.result(delay, &windows, sampled))
    }

    /// Walks memory until the point is over.
    fn load(&self, memory: &mut [u8], delay: u64, over: &AtomicBool) -> Vec<TimedWindow> {
        let clock = &self.clock.clock;
        let pause = (delay > 0).then_some(LinePause {
            cycles: delay,
            lines: lines_per_pause(self.kernel.mix()),
        });
        let mut streams = bandwidth::streams(memory, self.kernel.streams());
        let whole = streams.first().map_or(0, |stream| stream.len());
        let burst = burst_bytes(delay, lines_per_pause(self.kernel.mix())).min(whole);
        let mut windows = Vec::new();
        let mut from = 0;
        let mut at_ps = clock.now_ps();
        while !over.load(Ordering::Relaxed) {
            if from + burst > whole {
                from = 0;
            }
            bandwidth::run_part(self.kernel, &mut streams, from..from + burst, pause);
            let now = clock.now_ps();
            windows.push(TimedWindow {
                at_ps,
                duration_ps: now - at_ps,
                bytes: burst as u64 / LINE_BYTES * bus_bytes(self.kernel),
            });
            at_ps = now;
            from += burst;
        }
        windows
    }

    fn probe(&self, chain: &mut ChainProbe<'_>, plan: &SamplingPlan) -> SampledLatency {
        let settled = Instant::now() + SETTLE;
        while Instant::now() < settled {
            chain.follow(64);
        }
        sample(self.clock, plan, self.stop, chain)
    }

    fn result(
        &self,
        delay_cycles: Option<u64>,
        windows: &[Vec<TimedWindow>],
        probes: Vec<SampledLatency>,
    ) -> LoadedPoint {
        let starts = probes.iter().filter_map(|probe| probe.batches.first());
        let ends = probes.iter().filter_map(|probe| probe.batches.last());
        // The time in which all probes measured.
        let from = starts.map(|batch| batch.at_ps).max().unwrap_or(0);
        let to = ends
            .map(|batch| batch.at_ps + batch.duration_ps)
            .min()
            .unwrap_or(0);
        let load = match windows.is_empty() {
            true => (0.0, 0.0),
            false => rate_within(windows, from, to, SLICES),
        };
        let rate = |probe: &SampledLatency| {
            let loads: u64 = probe
                .batches
                .iter()
                .map(|batch| u64::from(batch.loads))
                .sum();
            (loads * LINE_BYTES) as f64 / probe.ledger.elapsed_s.max(1e-9)
        };
        let rate = probes.iter().map(rate).sum();
        LoadedPoint {
            delay_cycles,
            load,
            probes: rate,
            sampled: SampledLatency::merged(probes, &self.clock.cost),
        }
    }
}

fn bus_bytes(kernel: &Kernel) -> u64 {
    kernel.bus_read_bytes_per_step() + kernel.bus_written_bytes_per_step()
}

/// Bytes of a stream between two looks whether the point is over: fewer where pauses are long, and a whole number of pauses
/// of so many lines.
fn burst_bytes(delay: u64, lines: u32) -> usize {
    let lines = u64::from(lines);
    let groups = (BURST_CYCLES / delay.max(1)).clamp(1, BURST_LINES / lines);
    (groups * lines * LINE_BYTES) as usize
}

fn joined<T, E>(thread: std::thread::ScopedJoinHandle<'_, Result<T, E>>) -> Result<T, E> {
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::topology::tests::machine;

    #[test]
    fn probes_have_cores_of_their_own() {
        let cpus =
            |places: &[(u32, u32)]| -> Vec<u32> { places.iter().map(|place| place.0).collect() };
        let of = |cores, smt, probes| {
            let places = LoadedPlaces::new(&machine(cores, smt), probes, None, None);
            let places = places.expect("cores enough");
            (cpus(&places.load), cpus(&places.probes))
        };
        let asked = LoadedPlaces::new(&machine(4, 2), 1, Some(1), None).expect("it is there");
        assert_eq!(cpus(&asked.load), [0, 2, 3, 4, 6, 7]);
        assert_eq!(cpus(&asked.probes), [1]);
        assert!(LoadedPlaces::new(&machine(4, 2), 1, Some(8), None).is_err());
        assert_eq!(of(4, 1, 1), (vec![0, 1, 2], vec![3]));
        // The other thread of the probe's core stays idle.
        assert_eq!(of(4, 2, 1), (vec![0, 1, 2, 4, 5, 6], vec![7]));
        assert_eq!(of(4, 2, 2), (vec![0, 1, 4, 5], vec![7, 6]));
    }

    #[test]
    fn one_core_is_refused_by_name() {
        let refused = |cores, smt, probes| {
            let places = LoadedPlaces::new(&machine(cores, smt), probes, None, None);
            places.expect_err("refused").to_string()
        };
        for (cores, smt) in [(1, 1), (1, 2)] {
            let text = refused(cores, smt, 1);
            assert!(text.contains("needs 2 processors"), "{text}");
        }
        for (cores, smt, probes, most) in [(2, 1, 2, 1), (4, 1, 0, 3), (4, 2, u32::MAX, 3)] {
            let text = refused(cores, smt, probes);
            let words = format!("--probes {probes}: latency under load may have 1 to {most} here");
            assert!(text.contains(&words), "{text}");
        }
    }

    #[test]
    fn bursts_are_short_however_long_the_pause() {
        assert_eq!(burst_bytes(0, 8), 65_536);
        assert_eq!(burst_bytes(1_000_000_000, 8), 512);
        for (delay, lines) in [
            (0, 8),
            (1, 3),
            (40, 4),
            (400, 3),
            (20_000, 8),
            (1_000_000, 1),
        ] {
            let bytes = burst_bytes(delay, lines) as u64;
            let group = u64::from(lines) * LINE_BYTES;
            assert!(bytes.is_multiple_of(group) && bytes <= 65_536);
            assert!(bytes / group * delay <= BURST_CYCLES.max(delay), "{delay}");
        }
    }

    #[test]
    fn a_pause_comes_after_eight_accesses_of_all_streams() {
        let lines = KernelMix::ALL.map(lines_per_pause);
        // 1:0, 3:1, 2:1, 1:1, copy, triad: of three streams nine, because lines are whole.
        assert_eq!(lines, [8, 3, 4, 8, 4, 3]);
    }

    #[test]
    fn this_machine_is_loaded_wave_by_wave() {
        let topology = Topology::of_this_machine().expect("it can be read");
        let plan = LoadedPlan {
            mix: KernelMix::Reads,
            stores: KernelStores::NonTemporal,
            set: KernelSet::Portable,
            probes: 1,
            size_bytes: Some(4 << 20),
            pages: PageSize::Base,
            loads: 2_000,
            node: None,
            cpu: None,
            seed: 3,
            share: Duration::from_secs(10),
            points: 3,
        };
        let next = |run: &LoadedRun| match run.points.len() {
            0 => vec![0, 1_000],
            2 => vec![30],
            _ => {
                assert!(run.idle.is_some() && run.points.len() == 3);
                Vec::new()
            }
        };
        let mut watched = 0;
        let found = run(&topology, &plan, &next, &|| false, &mut |_, _| watched += 1);
        if topology.cpus.len() < 2 {
            assert!(matches!(found, Err(DriverError::FewCpus { .. })));
            return;
        }
        let found = found.expect("it runs");
        assert!(found.complete && watched == 4);
        let delays: Vec<_> = found
            .points
            .iter()
            .map(|point| point.delay_cycles)
            .collect();
        assert_eq!(delays, [Some(0), Some(30), Some(1_000)]);
        for point in &found.points {
            assert!(point.load.0 > 0.0 && point.probes > 0.0, "{point:?}");
            let loads: u64 = point
                .sampled
                .batches
                .iter()
                .map(|batch| u64::from(batch.loads))
                .sum();
            assert!(loads >= plan.loads, "{loads}");
        }
        let stopped = run(&topology, &plan, &next, &|| true, &mut |_, _| {}).expect("it ends");
        assert!(!stopped.complete && stopped.points.is_empty());
    }
}
