//! A program beside a load of the memory, and what the memory and the core did to it meanwhile.
//!
//! The machine's processors are shared out: some load the memory, with pauses, as those of [`loaded`](super::loaded) do; the
//! others are the program's. Several times a second the program is stopped, and one of its processors times two probes: a
//! chain of pointers through memory, and a chain of arithmetic that needs no memory. So each stretch of the program has
//! probes of the same moment, and a processor that is shared with others shows in the second one.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::arena::{Arena, ArenaRequest, PageSize};
use super::bandwidth;
use super::chain::{ChainWalk, LINE_BYTES, PointerChain};
use super::driver::{self, DriverError};
use super::kernels::{Kernel, KernelMix, KernelSet, KernelStores, LinePause};
use super::latency::{self, PAGE_BYTES};
use super::loaded::lines_per_pause;
use super::topology::{Topology, TopologyError, pin_to_any};

/// The program runs so long between two probes.
const SLICE: Duration = Duration::from_millis(120);

/// Each probe takes about so long.
const PROBE: Duration = Duration::from_millis(5);

/// Loads between two readings of the clock.
const LOADS: u64 = 2048;

/// Steps of arithmetic between two readings of the clock.
const STEPS: u64 = 32_768;

/// The memory of a chain or a load thread, at least.
const SIZE_MIN: u64 = 64 << 20;

/// What waits when a load begins has gone after this.
const SETTLE: Duration = Duration::from_millis(50);

/// Bytes of a stream between two looks whether the load is over.
const BURST: usize = 16 << 10;

/// How to load the memory beside a program.
#[derive(Clone, Copy, Debug)]
pub struct BesidePlan {
    /// Processors that load; `None` for half of them.
    pub load_cpus: Option<u32>,
    /// What they read and write.
    pub mix: KernelMix,
    /// With which stores.
    pub stores: KernelStores,
    /// Instructions.
    pub set: KernelSet,
    /// Seed of the chain.
    pub seed: u64,
}

/// A run of the program at one load.
#[derive(Clone, Debug, PartialEq)]
pub struct BesideRun {
    /// Cycles that load threads wait after eight lines; `None` for no load.
    pub delay_cycles: Option<u64>,
    /// Time that the program had, without the time in which it was stopped.
    pub seconds: f64,
    /// Mean time of a load of the chain, in nanoseconds.
    pub latency_ns: f64,
    /// Mean time of a step of arithmetic, in nanoseconds.
    pub step_ns: f64,
    /// Times that the probes ran.
    pub probes: u32,
    /// Bytes a second that the load moved.
    pub load_bytes_per_s: f64,
    /// Cores that the program ran on in the mean, or would have where others took them: its processor time over `seconds`.
    pub busy_cores: f64,
}

/// Why a program was not probed.
#[derive(Debug, thiserror::Error)]
pub enum BesideError {
    /// The machine is too small, or the memory cannot be had.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The program cannot be started.
    #[error("the program cannot be started: {0}")]
    Start(io::Error),
    /// The program cannot be stopped and continued.
    #[error("the program cannot be watched: {0}")]
    Watch(io::Error),
    /// The program failed.
    #[error("the program failed: {0}")]
    Failed(ExitStatus),
    /// The program ended before a probe.
    #[error(
        "the program ran for {seconds:.3} s, and probes need {least:.1} s at least; give it more work"
    )]
    Short {
        /// Time that it had.
        seconds: f64,
        /// Time that it needs.
        least: f64,
    },
    /// The program mostly waits for something else.
    #[error(
        "the program runs for only {:.0} % of its time and waits for disks, locks, others or a clock in the rest, which would \
         pass for computing; {:.0} % are needed: give it work that keeps a core busy",
        100.0 * busy,
        100.0 * BUSY_LEAST
    )]
    Waits {
        /// Cores that it ran on in the mean.
        busy: f64,
    },
    /// The caller wanted it to end.
    #[error("the run was interrupted")]
    Stopped,
}

impl From<TopologyError> for BesideError {
    fn from(error: TopologyError) -> Self {
        DriverError::from(error).into()
    }
}

/// Cores that a program keeps busy in the mean, at least.
const BUSY_LEAST: f64 = 0.9;

/// Probes of a run, at least.
const PROBES_LEAST: u32 = 8;

/// What messages call this.
const TEST: &str = "a program beside a load of the memory";

/// Processors that load, each with its node, and those of the program.
type SharedCpus = (Vec<(u32, u32)>, Vec<u32>);

/// Shares processors out between the load and the program.
fn shared_out(topology: &Topology, load_cpus: Option<u32>) -> Result<SharedCpus, DriverError> {
    let order = bandwidth::by_core(topology);
    let place = |cpu: u32| topology.cpus.iter().find(|place| place.cpu == cpu);
    let core = |cpu: u32| place(cpu).map(|place| (place.socket, place.core));
    let mut cores: Vec<_> = order.iter().map(|(cpu, _)| core(*cpu)).collect();
    cores.sort_unstable();
    cores.dedup();
    let found = cores.len() as u32;
    let few = || DriverError::FewCpus {
        test: TEST,
        needed: 2,
        found,
    };
    if found < 2 {
        return Err(few());
    }
    let asked = load_cpus.unwrap_or(found / 2);
    if !(1..found).contains(&asked) {
        return Err(DriverError::Cores {
            what: "--load-cpus",
            test: TEST,
            asked,
            most: found - 1,
            found,
        });
    }
    let asked = asked as usize;
    let load: Vec<(u32, u32)> = order[..asked.min(order.len())].to_vec();
    let loading: Vec<_> = load.iter().map(|(cpu, _)| core(*cpu)).collect();
    // The second threads of cores that load stay idle.
    let rest = order
        .iter()
        .filter(|(cpu, _)| !loading.contains(&core(*cpu)));
    let own: Vec<u32> = rest.map(|(cpu, _)| *cpu).collect();
    match own.is_empty() {
        true => Err(few()),
        false => Ok((load, own)),
    }
}

/// Runs a program once at each of some loads, in this order. `command` makes the program anew.
///
/// # Errors
/// When the machine is too small, when the program cannot be run, fails or is too short, or when it was stopped.
pub fn run(
    topology: &Topology,
    plan: &BesidePlan,
    delays: &[Option<u64>],
    command: &(dyn Fn() -> Command + Sync),
    stop: &dyn Fn() -> bool,
    watch: &mut dyn FnMut(&BesideRun),
) -> Result<Vec<BesideRun>, BesideError> {
    let (load, own) = shared_out(topology, plan.load_cpus)?;
    let kernel = Kernel::new(plan.set, plan.mix, plan.stores).map_err(DriverError::from)?;
    let page = PageSize::Base.bytes();
    let threads = load.len() + 1;
    let most = topology.usable_bytes() / 4 / threads as u64 / page * page;
    let bytes = latency::default_bytes(topology).max(SIZE_MIN).min(most);
    driver::fits_memory(topology, bytes, threads)?;
    let mut show = |run: BesideRun| watch(&run);
    driver::beside(stop, &mut show, |stop, report| {
        let request = |node| ArenaRequest {
            bytes,
            pages: PageSize::Base,
            node: Some(node),
        };
        let mut loads = bandwidth::map_all(&load, &request)?;
        pin_to_any(&own)?;
        let node = topology.cpus.iter().find(|place| place.cpu == own[0]);
        let mut memory =
            Arena::map(&request(node.map_or(0, |place| place.node))).map_err(DriverError::from)?;
        let mut chain = PointerChain::lay(
            &mut memory.bytes_mut()[..bytes as usize],
            ChainWalk::Random,
            PAGE_BYTES,
            plan.seed,
        )
        .map_err(DriverError::from)?;
        let mut runs = Vec::new();
        for delay in delays {
            let over = AtomicBool::new(false);
            let barrier = Barrier::new(load.len() + 1);
            let (mut run, moved) = std::thread::scope(|scope| {
                let (over, barrier, kernel) = (&over, &barrier, &kernel);
                let each: Vec<_> = loads
                    .iter_mut()
                    .zip(&load)
                    .map(|(arena, cpu)| {
                        scope.spawn(move || {
                            let pinned = pin_to_any(&[cpu.0]);
                            barrier.wait();
                            let memory = &mut arena.bytes_mut()[..bytes as usize];
                            let moved = match delay {
                                Some(delay) => moved_until(kernel, memory, *delay, over),
                                None => 0.0,
                            };
                            pinned.map(|()| moved)
                        })
                    })
                    .collect();
                barrier.wait();
                std::thread::sleep(SETTLE);
                let run = watched(command, &mut chain, stop);
                over.store(true, Ordering::Relaxed);
                let moved: Result<Vec<f64>, TopologyError> = each
                    .into_iter()
                    .map(|thread| match thread.join() {
                        Ok(moved) => moved,
                        Err(panic) => std::panic::resume_unwind(panic),
                    })
                    .collect();
                Ok::<_, BesideError>((run?, moved?))
            })?;
            run.delay_cycles = *delay;
            run.load_bytes_per_s = moved.iter().sum();
            report(run.clone());
            runs.push(run);
        }
        Ok(runs)
    })
}

/// Walks memory until the load is over. Returns bytes a second.
fn moved_until(kernel: &Kernel, memory: &mut [u8], delay: u64, over: &AtomicBool) -> f64 {
    let pause = (delay > 0).then_some(LinePause {
        cycles: delay,
        lines: lines_per_pause(kernel.mix()),
    });
    let mut streams = bandwidth::streams(memory, kernel.streams());
    let whole = streams.first().map_or(0, |stream| stream.len());
    let burst = BURST.min(whole);
    let each = kernel.bus_read_bytes_per_step() + kernel.bus_written_bytes_per_step();
    let (mut from, mut moved) = (0, 0.0);
    let begun = Instant::now();
    while !over.load(Ordering::Relaxed) {
        if from + burst > whole {
            from = 0;
        }
        bandwidth::run_part(kernel, &mut streams, from..from + burst, pause);
        moved += (burst as u64 / LINE_BYTES * each) as f64;
        from += burst;
    }
    moved / begun.elapsed().as_secs_f64().max(1e-9)
}

/// A program that is killed when nobody waits for it any more.
struct RunningProgram {
    child: Child,
    group: Pid,
}

impl RunningProgram {
    fn signal(&self, signal: Signal) -> Result<(), BesideError> {
        kill_process_group(self.group, signal).map_err(|error| BesideError::Watch(error.into()))
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        // One that has ended already needs no signal.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// Means of the probes.
#[derive(Default)]
struct ProbeSums {
    loads: f64,
    load_ns: f64,
    steps: f64,
    step_ns: f64,
    probes: u32,
}

impl ProbeSums {
    fn probe(&mut self, chain: &mut PointerChain<'_>) {
        let begun = Instant::now();
        while begun.elapsed() < PROBE {
            chain.follow(LOADS);
            self.loads += LOADS as f64;
        }
        self.load_ns += begun.elapsed().as_nanos() as f64;
        let begun = Instant::now();
        while begun.elapsed() < PROBE {
            std::hint::black_box(arithmetic(std::hint::black_box(STEPS)));
            self.steps += STEPS as f64;
        }
        self.step_ns += begun.elapsed().as_nanos() as f64;
        self.probes += 1;
    }
}

/// Steps that each need the one before, and no memory.
#[inline(never)]
fn arithmetic(steps: u64) -> u64 {
    let mut value = steps;
    for _ in 0..steps {
        value = value
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
    }
    value
}

/// Runs the program once, with probes between its slices.
fn watched(
    command: &dyn Fn() -> Command,
    chain: &mut PointerChain<'_>,
    stop: &AtomicBool,
) -> Result<BesideRun, BesideError> {
    let mut sums = ProbeSums::default();
    sums.probe(chain);
    // Processors of this thread are the program's, which inherits them.
    let child = command()
        .process_group(0)
        .spawn()
        .map_err(BesideError::Start)?;
    let mut begun = Instant::now();
    let group = Pid::from_child(&child);
    let mut program = RunningProgram { child, group };
    let lost = |error: rustix::io::Errno| BesideError::Watch(error.into());
    let end = pidfd_open(group, PidfdFlags::empty()).map_err(lost)?;
    let mut seconds = 0.0;
    loop {
        let slice = Timespec {
            tv_sec: 0,
            tv_nsec: SLICE.as_nanos() as i64,
        };
        let mut waiting = [PollFd::new(&end, PollFlags::IN)];
        let ended = match poll(&mut waiting, Some(&slice)) {
            Ok(ready) => ready > 0,
            Err(rustix::io::Errno::INTR) => false,
            Err(error) => return Err(lost(error)),
        };
        if ended {
            seconds += begun.elapsed().as_secs_f64();
            break;
        }
        program.signal(Signal::STOP)?;
        seconds += begun.elapsed().as_secs_f64();
        if stop.load(Ordering::Relaxed) {
            return Err(BesideError::Stopped);
        }
        sums.probe(chain);
        begun = Instant::now();
        program.signal(Signal::CONT)?;
    }
    // It has ended and is not waited for yet: its times are still there.
    let busy_s = busy_seconds(group);
    let status = program.child.wait().map_err(BesideError::Watch)?;
    sums.probe(chain);
    if !status.success() {
        return Err(BesideError::Failed(status));
    }
    let least = f64::from(PROBES_LEAST) * SLICE.as_secs_f64();
    if sums.probes < PROBES_LEAST {
        return Err(BesideError::Short { seconds, least });
    }
    // Where the system does not say, it is taken to run.
    let busy_cores = busy_s.map_or(1.0, |busy_s| busy_s / seconds);
    if busy_cores < BUSY_LEAST {
        return Err(BesideError::Waits { busy: busy_cores });
    }
    Ok(BesideRun {
        delay_cycles: None,
        seconds,
        latency_ns: sums.load_ns / sums.loads,
        step_ns: sums.step_ns / sums.steps,
        probes: sums.probes,
        load_bytes_per_s: 0.0,
        busy_cores,
    })
}

/// Processor time of a program and of its children that have ended, with the time in which its first thread could have run and
/// others did: in seconds. None where the system does not say.
fn busy_seconds(program: Pid) -> Option<f64> {
    let read = |file: &str| {
        let path = format!("/proc/{}/{file}", program.as_raw_nonzero());
        std::fs::read_to_string(path).ok()
    };
    let stat = read("stat")?;
    let ticks = ticks(&stat)?;
    // Time on the processor, time that it was waited for, both in nanoseconds.
    let queued = read("schedstat")
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<f64>().ok())
        .unwrap_or(0.0);
    Some(ticks / rustix::param::clock_ticks_per_second() as f64 + queued * 1e-9)
}

/// User and system time of a process and of its children, by its line in `/proc/PID/stat`. The name of the program may have spaces and
/// brackets.
fn ticks(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let times = fields.get(11..15)?;
    times.iter().map(|time| time.parse::<f64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::topology::tests::machine;

    #[test]
    fn load_and_program_have_cores_of_their_own() {
        let of = |cores, smt, asked| {
            let (load, own) = shared_out(&machine(cores, smt), asked).expect("cores enough");
            let load: Vec<u32> = load.iter().map(|place| place.0).collect();
            (load, own)
        };
        assert_eq!(of(2, 1, None), (vec![0], vec![1]));
        assert_eq!(of(4, 2, None), (vec![0, 1], vec![2, 3, 6, 7]));
        assert_eq!(of(4, 1, Some(3)), (vec![0, 1, 2], vec![3]));
        for (cores, smt) in [(1, 1), (1, 2)] {
            let error = shared_out(&machine(cores, smt), None).expect_err("too few");
            assert!(matches!(error, DriverError::FewCpus { .. }), "{error}");
        }
        for asked in [0, 4, u32::MAX] {
            let error = shared_out(&machine(4, 1), Some(asked)).expect_err("too many, or none");
            let text = error.to_string();
            assert!(text.contains("may have 1 to 3 here, of 4 cores"), "{text}");
        }
    }

    #[test]
    fn processor_times_stand_behind_any_name() {
        let line = "7 (a ) b) R 1 7 7 0 -1 4194304 90 0 0 0 250 50 3 4 20 0 1 0 123 456 7";
        assert_eq!(ticks(line), Some(307.0));
        assert_eq!(ticks("7 (a) R 1"), None);
        assert_eq!(ticks(""), None);
    }

    #[test]
    fn a_program_that_fails_is_short_or_missing_is_named() {
        let topology = Topology::of_this_machine().expect("it can be read");
        if topology.one_cpu_a_core().len() < 2 {
            return;
        }
        let plan = BesidePlan {
            load_cpus: Some(1),
            mix: KernelMix::Reads,
            stores: KernelStores::NonTemporal,
            set: KernelSet::Portable,
            seed: 1,
        };
        let of = |program: &'static str, arguments: &'static [&'static str]| {
            let command = move || {
                let mut command = Command::new(program);
                command.args(arguments);
                command
            };
            run(&topology, &plan, &[None], &command, &|| false, &mut |_| {})
        };
        let missing = of("/nowhere/program", &[]).expect_err("there is none");
        assert!(matches!(missing, BesideError::Start(_)), "{missing}");
        let failed = of("false", &[]).expect_err("it fails");
        assert!(matches!(failed, BesideError::Failed(_)), "{failed}");
        let short = of("true", &[]).expect_err("it is short");
        assert!(matches!(short, BesideError::Short { .. }), "{short}");
        let sleeps = of("sleep", &["1.3"]).expect_err("it does not run");
        assert!(matches!(sleeps, BesideError::Waits { .. }), "{sleeps}");
        const COUNTS: &str = "i=0; while [ $i -lt 4000000 ]; do i=$((i+1)); done";
        match of("sh", &["-c", COUNTS]) {
            Ok(runs) => {
                assert!(runs[0].latency_ns > 0.0 && runs[0].step_ns > 0.0);
                assert!((0.5..1.5).contains(&runs[0].busy_cores), "{runs:?}");
            }
            // A fast machine is done before all probes ran, and a busy one leaves the program too little.
            Err(error) => assert!(
                matches!(error, BesideError::Short { .. } | BesideError::Waits { .. }),
                "{error}"
            ),
        }
    }
}
