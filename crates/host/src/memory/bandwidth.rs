//! What memory carries: threads on processors of their own walk their parts of it, by mix and by kind of store.
//!
//! A pass goes over all memory once. Threads begin it together, at a barrier, and time windows of 1 MiB, from which come
//! quantiles, and the pass as a whole, which is what STREAM reports. The first pass of each kernel is not counted.

mod figures;
pub(super) mod within;

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use wordline_memory::Clock;

use super::arena::{Arena, ArenaObtained, ArenaRequest, PageSize};
use super::driver::{self, DriverError, SharedStop};
use super::estimate::{EstimateError, TimedWindow};
use super::kernels::{Kernel, KernelMix, KernelSet, KernelStores, LinePause};
use super::ledger::{Ledger, LedgerReading};
use super::sampling::MeasuredClock;
use super::topology::{Topology, pin_to};
pub use figures::BandwidthFigures;

/// Bytes of a window, over all streams of a kernel.
const WINDOW_BYTES: u64 = 1 << 20;

/// Streams begin so much further into their parts than the one before, so that they never meet in the same sets of a cache.
const STAGGER: u64 = 21 * LINE;

const LINE: u64 = 64;

/// The least that all threads walk together unless said otherwise.
const SIZE_MIN: u64 = 256 << 20;

/// Passes that count, at least, however short the time is.
const PASSES_MIN: u32 = 2;

/// What to measure.
#[derive(Clone, Debug)]
pub struct BandwidthPlan {
    /// Numbers of threads; none for 1, 2, 4 and so on, and all.
    pub threads: Vec<u32>,
    /// Mixes.
    pub mixes: Vec<KernelMix>,
    /// Kinds of stores; reads alone are measured once.
    pub stores: Vec<KernelStores>,
    /// Instructions.
    pub set: KernelSet,
    /// Bytes of all threads together; `None` for four times the last caches.
    pub size_bytes: Option<u64>,
    /// Size of pages.
    pub pages: PageSize,
    /// Passes that count, at least.
    pub passes: u32,
    /// Windows of each thread, at least, for which there are more passes: fewer make a coarse figure.
    pub windows: usize,
    /// Node that memory is asked of, whose processors threads take first; `None` for that of each processor.
    pub node: Option<u32>,
    /// Processor of the first thread; `None` for the first of the order.
    pub cpu: Option<u32>,
    /// Time of the whole test.
    pub share: Duration,
}

/// A kernel on a number of threads.
#[derive(Clone, Debug)]
pub struct BandwidthPoint {
    /// Threads.
    pub threads: u32,
    /// What was read and written.
    pub mix: KernelMix,
    /// With which stores; `None` where there are none.
    pub stores: Option<KernelStores>,
    /// Bytes of all threads and streams.
    pub bytes: u64,
    /// Bytes that a program moves with this kernel, those that memory gives, and those that it takes, in the same time.
    pub step: StepBytes,
    /// What pages and nodes were obtained.
    pub obtained: MergedObtained,
    /// Logical bytes a second, with grade, or why there are none.
    pub estimate: Result<BandwidthFigures, EstimateError>,
    /// What others did meanwhile.
    pub ledger: LedgerReading,
    /// Passes that counted.
    pub passes: u32,
    /// Whether the time ended before all passes.
    pub is_cut: bool,
}

/// What a step of a kernel moves, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepBytes {
    /// That a program reads and writes.
    pub logical: u64,
    /// That memory gives.
    pub bus_read: u64,
    /// That memory takes.
    pub bus_written: u64,
}

impl StepBytes {
    pub(super) fn of(kernel: &Kernel) -> Self {
        Self {
            logical: kernel.logical_bytes_per_step(),
            bus_read: kernel.bus_read_bytes_per_step(),
            bus_written: kernel.bus_written_bytes_per_step(),
        }
    }

    /// Bytes on the bus for each logical one.
    #[must_use]
    pub fn bus_per_logical(&self) -> f64 {
        (self.bus_read + self.bus_written) as f64 / self.logical.max(1) as f64
    }

    /// Share of the bus bytes that are read.
    #[must_use]
    pub fn read_share(&self) -> f64 {
        self.bus_read as f64 / (self.bus_read + self.bus_written).max(1) as f64
    }
}

/// What several arenas obtained, each as large as the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MergedObtained {
    /// Share of the bytes in pages of the size asked or larger.
    pub huge_share: f64,
    /// Share of the bytes on the nodes asked; `None` where that is not known.
    pub node_share: Option<f64>,
}

impl MergedObtained {
    pub(super) fn of<'a>(all: impl Iterator<Item = &'a ArenaObtained> + Clone) -> Self {
        let count = all.clone().count().max(1) as f64;
        let on_node: Option<Vec<f64>> = all.clone().map(|one| one.node_share).collect();
        Self {
            huge_share: all.map(|one| one.huge_share).sum::<f64>() / count,
            node_share: on_node.map(|shares| shares.iter().sum::<f64>() / count),
        }
    }
}

/// What a test found.
#[derive(Clone, Debug)]
pub struct BandwidthRun {
    /// Points, by threads, mix and stores.
    pub points: Vec<BandwidthPoint>,
    /// Whether the test ended by itself.
    pub complete: bool,
}

/// Measures. Each point that ends is shown to `watch`, with how many there are and will be.
///
/// # Errors
/// When there are fewer processors than threads, or the memory cannot be had.
pub fn run(
    topology: &Topology,
    plan: &BandwidthPlan,
    stop: &dyn Fn() -> bool,
    watch: &mut dyn FnMut(&BandwidthPoint, usize, usize),
) -> Result<BandwidthRun, DriverError> {
    let cpus = preferred(topology, plan.cpu, plan.node)?;
    let threads = match plan.threads.as_slice() {
        [] => counts(cpus.len() as u32),
        asked => asked.to_vec(),
    };
    let most = cpus.len() as u32;
    if let Some(&asked) = threads.iter().find(|count| !(1..=most).contains(count)) {
        return Err(DriverError::Threads { asked, most });
    }
    if let Some(node) = plan.node {
        driver::has_memory(topology, node)?;
    }
    let kernels = kernels(plan)?;
    let total = threads.len() * kernels.len();
    let bytes = plan.size_bytes.unwrap_or_else(|| default_bytes(topology));
    for &threads in &threads {
        fits(bytes, threads, &kernels)?;
        let each = (bytes / u64::from(threads)).next_multiple_of(plan.pages.bytes());
        driver::fits_memory(topology, each, threads as usize)?;
    }
    let mut show = |(point, done): (BandwidthPoint, usize)| watch(&point, done, total);
    driver::beside(stop, &mut show, |stop, report| {
        let clock = MeasuredClock::start()?;
        let until = Instant::now() + plan.share;
        let mut points = Vec::new();
        for &threads in &threads {
            let cpus = &cpus[..threads as usize];
            let mut arenas = arenas(cpus, plan, bytes)?;
            for (mix, stores, kernel) in &kernels {
                if stop.load(Ordering::Relaxed) {
                    let complete = false;
                    return Ok(BandwidthRun { points, complete });
                }
                let left = until.saturating_duration_since(Instant::now());
                let share = left / (total - points.len()) as u32;
                let team = Team {
                    clock: &clock,
                    cpus,
                    kernel,
                    passes: passes(plan, bytes, threads),
                    until: Instant::now() + share,
                    stop,
                };
                let measured = team.measure(&mut arenas)?;
                let point = BandwidthPoint {
                    threads,
                    mix: *mix,
                    stores: *stores,
                    bytes: measured.bytes,
                    step: StepBytes::of(kernel),
                    obtained: MergedObtained::of(arenas.iter().map(Arena::obtained)),
                    estimate: measured.estimate,
                    ledger: measured.ledger,
                    passes: measured.passes,
                    is_cut: measured.is_cut,
                };
                report((point.clone(), points.len() + 1));
                points.push(point);
            }
        }
        let complete = !stop.load(Ordering::Relaxed);
        Ok(BandwidthRun { points, complete })
    })
}

/// Passes that give every thread its windows.
fn passes(plan: &BandwidthPlan, bytes: u64, threads: u32) -> u32 {
    let in_a_pass = (bytes / u64::from(threads) / WINDOW_BYTES).max(1);
    let wanted = (plan.windows as u64).div_ceil(in_a_pass);
    plan.passes.max(PASSES_MIN).max(wanted.min(1 << 16) as u32)
}

/// Processors in the order in which threads take them: a core's first threads before its others, sockets in turn.
pub(super) fn by_core(topology: &Topology) -> Vec<(u32, u32)> {
    let mut places: Vec<_> = topology.cpus.iter().collect();
    let rank = |place: &super::topology::CpuPlace| {
        let same_socket = |other: &&super::topology::CpuPlace| {
            other.socket == place.socket && other.smt == place.smt
        };
        let before = topology.cpus.iter().filter(same_socket);
        before.filter(|other| other.cpu < place.cpu).count()
    };
    places.sort_by_key(|place| (place.smt, rank(place), place.socket));
    places.iter().map(|place| (place.cpu, place.node)).collect()
}

/// The same with those first that are asked for: a processor, then those of a node.
pub(super) fn preferred(
    topology: &Topology,
    cpu: Option<u32>,
    node: Option<u32>,
) -> Result<Vec<(u32, u32)>, DriverError> {
    if let Some(cpu) = cpu {
        driver::has_cpu(topology, cpu)?;
    }
    let mut order = by_core(topology);
    order.sort_by_key(|place| {
        let is_other = node.is_some_and(|node| node != place.1);
        (cpu.is_some_and(|cpu| cpu != place.0), is_other)
    });
    Ok(order)
}

/// 1, 2, 4 and so on, and all.
fn counts(all: u32) -> Vec<u32> {
    let doubled = std::iter::successors(Some(1u32), |count| count.checked_mul(2));
    let mut counts: Vec<u32> = doubled.take_while(|count| *count < all).collect();
    counts.push(all);
    counts
}

type NamedKernel = (KernelMix, Option<KernelStores>, Kernel);

/// Every mix with every kind of store; reads alone have none.
fn kernels(plan: &BandwidthPlan) -> Result<Vec<NamedKernel>, DriverError> {
    let mut kernels = Vec::new();
    for &mix in &plan.mixes {
        let mut stores = plan.stores.clone();
        // A compiler has no stores past the caches: of both kinds it has the plain one.
        if plan.set == KernelSet::Portable && stores.len() > 1 {
            stores.retain(|stores| *stores == KernelStores::Plain);
        }
        if mix == KernelMix::Reads {
            stores.truncate(1);
        }
        for stores in stores {
            let kernel = Kernel::new(plan.set, mix, stores)?;
            let stores = (mix != KernelMix::Reads).then_some(stores);
            kernels.push((mix, stores, kernel));
        }
    }
    Ok(kernels)
}

/// Four times all last caches, at least 256 MiB, and no more than half of what is free.
fn default_bytes(topology: &Topology) -> u64 {
    let caches = topology.all_last_level_bytes().unwrap_or(0);
    let wanted = (4 * caches).max(SIZE_MIN);
    wanted.min(topology.usable_bytes() / 2)
}

/// Whether every stream of every thread has a window at least.
fn fits(bytes: u64, threads: u32, kernels: &[NamedKernel]) -> Result<(), DriverError> {
    for (_, _, kernel) in kernels {
        let streams = kernel.streams() as u32;
        let least = WINDOW_BYTES / u64::from(streams) + STAGGER * u64::from(streams);
        if bytes / u64::from(threads) / u64::from(streams) < least {
            return Err(DriverError::Small {
                bytes,
                threads,
                streams,
                least,
            });
        }
    }
    Ok(())
}

/// Memory of every thread, taken by the thread itself so that it lies where its processor is.
fn arenas(
    cpus: &[(u32, u32)],
    plan: &BandwidthPlan,
    bytes: u64,
) -> Result<Vec<Arena>, DriverError> {
    let each = bytes / cpus.len() as u64;
    let bytes = each.next_multiple_of(plan.pages.bytes());
    let request = |node| ArenaRequest {
        bytes,
        pages: plan.pages,
        node: Some(plan.node.unwrap_or(node)),
    };
    map_all(cpus, &request)
}

/// An arena for each processor, by what its node asks for.
pub(super) fn map_all(
    cpus: &[(u32, u32)],
    request: &(dyn Fn(u32) -> ArenaRequest + Sync),
) -> Result<Vec<Arena>, DriverError> {
    std::thread::scope(|scope| {
        let map = |&(cpu, node): &(u32, u32)| {
            scope.spawn(move || {
                pin_to(cpu)?;
                Ok(Arena::map(&request(node))?)
            })
        };
        let threads: Vec<_> = cpus.iter().map(map).collect();
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(arena) => arena,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

/// Threads that walk their arenas with a kernel.
struct Team<'a> {
    clock: &'a MeasuredClock,
    cpus: &'a [(u32, u32)],
    kernel: &'a Kernel,
    passes: u32,
    until: Instant,
    stop: &'a SharedStop,
}

/// What a thread timed.
struct ThreadWalk {
    /// Windows of each pass.
    passes: Vec<Vec<TimedWindow>>,
    ledger: LedgerReading,
}

/// What a team found.
struct TeamResult {
    bytes: u64,
    estimate: Result<BandwidthFigures, EstimateError>,
    ledger: LedgerReading,
    passes: u32,
    is_cut: bool,
}

impl Team<'_> {
    fn measure(&self, arenas: &mut [Arena]) -> Result<TeamResult, DriverError> {
        let barrier = Barrier::new(arenas.len());
        // The pass that no thread begins. A number rather than a flag: a thread may look at it a pass later than another.
        let end = AtomicU32::new(u32::MAX);
        let threads: Vec<ThreadWalk> = std::thread::scope(|scope| {
            let memories = arenas.iter_mut().map(Arena::bytes_mut);
            let walks = memories
                .zip(self.cpus)
                .enumerate()
                .map(|(index, (memory, cpu))| {
                    let (cpu, barrier, end) = (cpu.0, &barrier, &end);
                    scope.spawn(move || {
                        // Whoever is not pinned walks all the same, because others wait at the barrier.
                        let pinned = pin_to(cpu);
                        let walk = self.walk(memory, index == 0, barrier, end);
                        pinned.map(|()| walk)
                    })
                });
            let threads: Vec<_> = walks.collect();
            let joined = threads.into_iter().map(|thread| match thread.join() {
                Ok(walk) => walk,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect::<Result<_, _>>()
        })?;
        Ok(self.result(threads))
    }

    /// Windows of each pass of a thread. The first thread decides when it was the last one.
    fn walk(
        &self,
        memory: &mut [u8],
        decides: bool,
        barrier: &Barrier,
        end: &AtomicU32,
    ) -> ThreadWalk {
        let mut streams = streams(memory, self.kernel.streams());
        if self.kernel.mix() == KernelMix::Triad {
            // Sums of floats that are not normal take a hundred cycles each.
            self.kernel.fill(&mut streams);
        }
        let window = window_bytes(streams.len());
        let in_a_pass = streams
            .first()
            .map_or(0, |stream| stream.len().div_ceil(window));
        // Written once, so that no page of it is mapped while windows are timed.
        let blank = || {
            let mut windows = vec![TimedWindow::default(); in_a_pass];
            windows.clear();
            windows
        };
        let mut blanks: Vec<Vec<TimedWindow>> = (0..=self.passes).map(|_| blank()).collect();
        let mut passes = Vec::with_capacity(blanks.len());
        let ledger = Ledger::begin();
        for pass in 0.. {
            if decides && self.is_last(pass) {
                end.store(pass, Ordering::Relaxed);
            }
            barrier.wait();
            if pass >= end.load(Ordering::Relaxed) {
                break;
            }
            let mut windows = blanks.pop().unwrap_or_default();
            self.pass(&mut streams, &mut windows);
            passes.push(windows);
        }
        let ledger = ledger.end();
        ThreadWalk { passes, ledger }
    }

    /// Whether no pass begins any more, after so many and the first one.
    fn is_last(&self, passes: u32) -> bool {
        if self.stop.load(Ordering::Relaxed) || passes > self.passes {
            return true;
        }
        passes > PASSES_MIN && Instant::now() >= self.until
    }

    fn pass(&self, streams: &mut [&mut [u8]], windows: &mut Vec<TimedWindow>) {
        let clock = &self.clock.clock;
        let window = window_bytes(streams.len());
        let whole = streams.first().map_or(0, |stream| stream.len());
        let mut at_ps = clock.now_ps();
        let mut from = 0;
        while from < whole {
            let to = (from + window).min(whole);
            run_part(self.kernel, streams, from..to, None);
            let now = clock.now_ps();
            let steps = (to - from) as u64 / LINE;
            windows.push(TimedWindow {
                at_ps,
                duration_ps: now - at_ps,
                bytes: steps * self.kernel.logical_bytes_per_step(),
            });
            // Without a gap: the time between two windows is part of the next one.
            at_ps = now;
            from = to;
        }
    }

    fn result(&self, walks: Vec<ThreadWalk>) -> TeamResult {
        let (threads, ledgers): (Vec<_>, Vec<_>) = walks
            .into_iter()
            .map(|walk| (walk.passes, walk.ledger))
            .unzip();
        let ledger = driver::joined(&ledgers);
        let count = threads.iter().map(Vec::len).min().unwrap_or(0);
        // The first one warms up; where it is the only one, it counts.
        let first = usize::from(count > 1);
        let passes: Vec<TimedWindow> = (first..count)
            .filter_map(|pass| whole_pass(&threads, pass))
            .collect();
        let counted = |of: Vec<Vec<TimedWindow>>| of.into_iter().skip(first).flatten().collect();
        let windows: Vec<Vec<TimedWindow>> = threads.into_iter().map(counted).collect();
        TeamResult {
            // A step may move a line twice: it is read, and then written where it stands.
            bytes: passes.first().map_or(0, |pass| {
                let steps = pass.bytes / self.kernel.logical_bytes_per_step();
                steps * LINE * self.kernel.streams() as u64
            }),
            estimate: BandwidthFigures::of(&windows, &passes, &self.clock.cost, &ledger),
            ledger,
            passes: passes.len() as u32,
            is_cut: passes.len() < self.passes as usize,
        }
    }
}

/// A pass of all threads: from the first that began to the last that ended.
fn whole_pass(threads: &[Vec<Vec<TimedWindow>>], pass: usize) -> Option<TimedWindow> {
    let windows = || {
        threads
            .iter()
            .filter_map(|passes| passes.get(pass))
            .flatten()
    };
    let at_ps = windows().map(|window| window.at_ps).min()?;
    let end = windows()
        .map(|window| window.at_ps + window.duration_ps)
        .max()?;
    Some(TimedWindow {
        at_ps,
        duration_ps: end - at_ps,
        bytes: windows().map(|window| window.bytes).sum(),
    })
}

/// The most streams that a kernel has.
const STREAMS_MAX: usize = 4;

/// Runs a kernel over a part of each stream.
pub(super) fn run_part(
    kernel: &Kernel,
    streams: &mut [&mut [u8]],
    bytes: std::ops::Range<usize>,
    pause: Option<LinePause>,
) {
    let count = streams.len();
    let mut parts: [&mut [u8]; STREAMS_MAX] = Default::default();
    for (part, stream) in parts.iter_mut().zip(streams) {
        *part = &mut stream[bytes.clone()];
    }
    std::hint::black_box(kernel.run(&mut parts[..count], pause));
}

/// Bytes of a stream in a window, whole lines.
fn window_bytes(streams: usize) -> usize {
    (WINDOW_BYTES / streams.max(1) as u64 / LINE * LINE) as usize
}

/// Parts of memory, equally long, each a little further from the start of its part than the one before.
pub(super) fn streams(memory: &mut [u8], count: usize) -> Vec<&mut [u8]> {
    let part = memory.len() / count.max(1) / LINE as usize * LINE as usize;
    let length = part - STAGGER as usize * (count - 1);
    let parts = memory.chunks_exact_mut(part).take(count);
    let staggered = parts.enumerate().map(|(index, part)| {
        let from = index * STAGGER as usize;
        &mut part[from..from + length]
    });
    staggered.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::topology::CpuPlace;

    fn plan() -> BandwidthPlan {
        BandwidthPlan {
            threads: Vec::new(),
            mixes: vec![KernelMix::Reads, KernelMix::TwoToOne, KernelMix::Triad],
            stores: vec![KernelStores::Plain, KernelStores::NonTemporal],
            set: KernelSet::best(),
            size_bytes: Some(16 << 20),
            pages: PageSize::Base,
            passes: 3,
            windows: 0,
            node: None,
            cpu: None,
            share: Duration::from_secs(20),
        }
    }

    #[test]
    fn every_kernel_runs_on_every_number_of_threads() {
        let topology = Topology::of_this_machine().expect("it can be read");
        let mut watched = 0;
        let found =
            run(&topology, &plan(), &|| false, &mut |_, _, _| watched += 1).expect("it runs");
        let counts = counts(topology.cpus.len() as u32);
        // Reads have no stores, and a compiler has one kind of them.
        let kernels = if KernelSet::best() == KernelSet::Portable {
            3
        } else {
            5
        };
        assert_eq!(found.points.len(), counts.len() * kernels);
        assert_eq!(watched, found.points.len());
        assert!(found.complete);
        for point in &found.points {
            assert_eq!(point.passes, 3, "{point:?}");
            let share = point.bytes as f64 / f64::from(16 << 20);
            assert!((0.97..=1.0).contains(&share), "{share}");
            assert_eq!(point.stores.is_none(), point.mix == KernelMix::Reads);
        }
    }

    #[test]
    fn who_stops_keeps_what_is_finished() {
        let topology = Topology::of_this_machine().expect("it can be read");
        let found = run(&topology, &plan(), &|| true, &mut |_, _, _| {}).expect("it runs");
        assert!(!found.complete && found.points.is_empty());
    }

    #[test]
    fn what_cannot_be_is_named() {
        let topology = Topology::of_this_machine().expect("it can be read");
        let error = |plan: &BandwidthPlan| {
            let found = run(&topology, plan, &|| false, &mut |_, _, _| {});
            found.expect_err("it cannot be").to_string()
        };
        let most = topology.cpus.len();
        let many = BandwidthPlan {
            threads: vec![most as u32 + 1],
            ..plan()
        };
        assert!(error(&many).contains(&format!("(1..={most})")));
        let none = BandwidthPlan {
            threads: vec![0],
            ..plan()
        };
        assert!(error(&none).starts_with("0 threads"));
        let small = BandwidthPlan {
            size_bytes: Some(1 << 20),
            ..plan()
        };
        assert!(error(&small).contains("1048576 bytes"));
        let nowhere = BandwidthPlan {
            node: Some(4_000),
            ..plan()
        };
        assert!(error(&nowhere).contains("4000"));
    }

    #[test]
    fn threads_with_little_memory_pass_over_it_more_often() {
        let plan = BandwidthPlan {
            windows: 1280,
            passes: 10,
            ..plan()
        };
        assert_eq!(passes(&plan, 256 << 20, 1), 10);
        assert_eq!(passes(&plan, 256 << 20, 4), 20);
        assert_eq!(passes(&plan, 1 << 30, 64), 80);
        let none = BandwidthPlan { windows: 0, ..plan };
        assert_eq!(passes(&none, 256 << 20, 64), 10);
    }

    #[test]
    fn streams_are_equally_long_and_do_not_meet() {
        let mut memory = vec![0u8; 64 * 1024];
        let base = memory.as_ptr() as usize;
        for count in 1..=4 {
            let streams = streams(&mut memory, count);
            assert_eq!(streams.len(), count);
            assert!(
                streams
                    .iter()
                    .all(|stream| stream.len() == streams[0].len())
            );
            assert!(streams[0].len().is_multiple_of(64));
            let sets = streams
                .iter()
                .map(|stream| (stream.as_ptr() as usize - base) / 64 % 64);
            let mut sets: Vec<usize> = sets.collect();
            sets.sort_unstable();
            sets.dedup();
            assert_eq!(sets.len(), count);
        }
    }

    #[test]
    fn cores_come_before_their_second_threads_and_sockets_in_turn() {
        let place = |cpu, socket, smt| CpuPlace {
            cpu,
            node: socket,
            core: cpu % 2,
            socket,
            smt,
        };
        let topology = Topology {
            cpus: (0..8).map(|cpu| place(cpu, cpu / 2 % 2, cpu / 4)).collect(),
            ..Topology::of_this_machine().expect("it can be read")
        };
        let order: Vec<u32> = by_core(&topology).into_iter().map(|(cpu, _)| cpu).collect();
        assert_eq!(order, [0, 2, 1, 3, 4, 6, 5, 7]);
        let preferred = |cpu, node| {
            let order = preferred(&topology, cpu, node).expect("they are there");
            order.into_iter().map(|(cpu, _)| cpu).collect::<Vec<_>>()
        };
        assert_eq!(preferred(None, Some(1)), [2, 3, 6, 7, 0, 1, 4, 5]);
        assert_eq!(preferred(Some(5), None), [5, 0, 2, 1, 3, 4, 6, 7]);
        assert_eq!(preferred(Some(0), Some(1))[..2], [0, 2]);
        assert!(super::preferred(&topology, Some(9), None).is_err());
        assert_eq!(counts(6), [1, 2, 4, 6]);
        assert_eq!(counts(1), [1]);
    }
}
