//! A kernel, followed through caches, before the memory of a system: what it asks for, as a profile.
//!
//! [`KernelFollower`] is the tracer. Accesses pass the filter of caches that traces pass; what leaves it are lines, each with the line
//! that it waited for. [`made`] lets a core's time and the latency of the
//! memory's surface find each other, and writes the profile.

mod follower;
mod made;
mod predictor;
mod streams;
#[cfg(test)]
mod tests;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use wordline_apps::kernels::{AppKernel, KernelRun, KernelSizeError};
use wordline_apps::overlap::OverlapCore;
use wordline_apps::{Profile, SurfaceTable};
use wordline_catalog::Catalog;
use wordline_core::quantity::ByteCount;
use wordline_dram::sheet::{Connected, Settings};
use wordline_trace::dram::{CacheChoices, CoreCaches, DramFormat, ProgramCounts};

use super::memory::{self, AskedPlaces};
use crate::control::{Control, Progress};
use crate::error::{LabError, SettingProblem, in_range};
use crate::machine_memory::free_memory;
pub use follower::FollowPlan;
use follower::{FollowWatch, FollowedPhase, KernelFollower};

/// Instructions that have not retired: the reorder buffer of Golden Cove and its successors (Intel 64 and IA-32 optimization
/// reference manual).
const WINDOW: u32 = 512;

/// Cycles from a wrong branch's condition until the next instruction enters the window: the least that the same manual
/// states of a branch predicted wrongly.
const RESTART_CYCLES: f64 = 17.0;

/// How long a kernel is waited for between two looks at whether the run should stop.
const LOOK: Duration = Duration::from_millis(50);

/// What is asked of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelRequest {
    /// The kernel.
    pub kernel: AppKernel,
    /// Most bytes of its data; by default what is usual for it.
    pub bytes: Option<u64>,
    /// The memory that it runs on, as `MODULE@SYSTEM`.
    pub system: String,
    /// Cores that run it, each on data of its own; by default all of the system's.
    pub cores: Option<u32>,
    /// The caches of a core.
    pub caches: CacheChoices,
    /// Lines that a prefetcher is ahead of a stream; 0: there is none.
    pub prefetch_lines: u32,
    /// Instructions that a core ends each cycle while nothing waits.
    pub instructions_per_cycle: f64,
    /// Which parts of the run are followed.
    pub plan: FollowPlan,
    /// Seed of its inputs, and of the load on the memory.
    pub seed: u64,
}

impl KernelRequest {
    /// The memory that a kernel runs on unless said otherwise.
    pub const SYSTEM: &'static str = "rdimm-6400-2rx4-128g@xeon6-1s";

    /// Lines that a prefetcher is ahead unless said otherwise. The manual states 20 of Intel's streamer at most.
    pub const PREFETCH_LINES: u32 = 16;

    /// Instructions that a core ends each cycle unless said otherwise, as in replays of traces.
    pub const INSTRUCTIONS_PER_CYCLE: f64 = wordline_core::DramTraceTest::INSTRUCTIONS_PER_CYCLE;

    /// A kernel with everything as usual.
    #[must_use]
    pub fn of(kernel: AppKernel) -> Self {
        Self {
            kernel,
            bytes: None,
            system: Self::SYSTEM.into(),
            cores: None,
            caches: CacheChoices::default(),
            prefetch_lines: Self::PREFETCH_LINES,
            instructions_per_cycle: Self::INSTRUCTIONS_PER_CYCLE,
            plan: FollowPlan::default(),
            seed: 0,
        }
    }
}

/// What a kernel asked for.
#[derive(Clone, Debug)]
pub struct KernelDemand {
    /// What was run on each core.
    pub run: KernelRun,
    /// What a core's caches counted, in the parts that were followed.
    pub counts: ProgramCounts,
    /// Phase by phase, of one core.
    pub phases: Vec<PhaseDemand>,
    /// The same as a profile of all cores.
    pub profile: Profile,
    /// Whether no surface of the memory came along, so that one was simulated, or taken from those that were before.
    pub is_surface_simulated: bool,
}

/// What a phase asked for, of one core.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseDemand {
    /// Its name.
    pub name: &'static str,
    /// All its instructions.
    pub instructions: f64,
    /// Lines read, and lines written, in a thousand instructions.
    pub lines_per_thousand: [f64; 2],
    /// Share of the lines read that the prefetcher asks for.
    pub prefetched_share: f64,
    /// Share of the lines read that follow the line before them.
    pub locality: f64,
    /// Lines under way while the core waits; none where it never waits.
    pub outstanding: Option<f64>,
    /// Share of its time in which it waits.
    pub stall_share: f64,
    /// Bytes that all cores move in a second.
    pub bytes_per_s: f64,
    /// Mean time of a read, in nanoseconds.
    pub latency_ns: f64,
    /// Its time in seconds.
    pub seconds: f64,
}

/// Runs a kernel, follows it, and lets it meet its memory; `None` when the run is stopped.
///
/// # Errors
/// When a size or another setting cannot be, or the system does not exist.
pub fn demand(
    catalog: &Catalog,
    request: &KernelRequest,
    control: &Control<'_>,
) -> Result<Option<KernelDemand>, LabError> {
    let target = catalog.module_in_system(&request.system)?;
    let connected = target.connect(&Settings::default());
    let connected = connected.map_err(|source| LabError::Setting {
        target: target.name.clone(),
        source,
    })?;
    let most = connected.config.cores.cores;
    let cores = request.cores.unwrap_or(most);
    in_range("cores", cores, 1, most)?;
    in_range("ipc", request.instructions_per_cycle, 0.01, 64.0)?;
    in_range("prefetch", request.prefetch_lines, 0, 63)?;
    let plan = request.plan.checked()?;
    check_memory(request)?;
    let caches = request.caches.caches(DramFormat::Lackey);
    let caches = caches.map_err(|error| SettingProblem::Unread(error.to_string()).of("cache"))?;
    let Some(found) = followed(request, &caches, plan, control) else {
        return Ok(None);
    };
    let FollowedRun {
        run,
        counts,
        phases: followed,
    } = found.map_err(|error| SettingProblem::Unread(error.to_string()).of("size"))?;
    let mut is_surface_simulated = false;
    let mut note = || is_surface_simulated = true;
    let asked = asked(&followed);
    let surface = memory::surface_of(catalog, &target.name, asked, control, &mut note)?;
    let Some(surface) = surface else {
        return Ok(None);
    };
    let core = |rate: f64| core(&connected, rate);
    let (phases, profile) = made::profile(
        request,
        &target.name,
        cores,
        &followed,
        &[
            core(request.instructions_per_cycle),
            core(request.instructions_per_cycle / 2.0),
        ],
        &SurfaceTable::of(&surface),
        connected.config.cores.clock_hz,
    )?;
    Ok(Some(KernelDemand {
        run,
        counts,
        phases,
        profile,
        is_surface_simulated,
    }))
}

/// A kernel's data lie in the memory of this machine, where it says how much it has.
fn check_memory(request: &KernelRequest) -> Result<(), LabError> {
    let bytes = request.bytes.unwrap_or(request.kernel.usual_bytes());
    match free_memory().filter(|free| *free < bytes) {
        None => Ok(()),
        Some(free) => {
            // What is left changes all the time: whole MiB say enough of it.
            let free = free - free % (1 << 20);
            let [asked, free] = [bytes, free].map(ByteCount::from_bytes);
            Err(SettingProblem::BeyondFreeMemory { asked, free }.of("size"))
        }
    }
}

/// What was followed of a kernel.
struct FollowedRun {
    run: KernelRun,
    counts: ProgramCounts,
    phases: Vec<FollowedPhase>,
}

/// Runs a kernel on a thread of its own, because its inputs may take long to make, during which nothing asks whether to stop.
/// `None` when the run is stopped; the thread then ends by itself, soon after its inputs are made.
fn followed(
    request: &KernelRequest,
    caches: &CoreCaches,
    plan: FollowPlan,
    control: &Control<'_>,
) -> Option<Result<FollowedRun, KernelSizeError>> {
    let watch = Arc::new(FollowWatch::default());
    let bytes = request.bytes.unwrap_or(request.kernel.usual_bytes());
    let (kernel, seed) = (request.kernel, request.seed);
    let mut follower =
        KernelFollower::new(caches, plan, request.prefetch_lines, Arc::clone(&watch));
    let (send, ended) = mpsc::sync_channel(1);
    let work = move || {
        let run = kernel.run(&mut follower, bytes, seed);
        let all = run.map(|run| {
            let (counts, phases) = follower.finish();
            FollowedRun {
                run,
                counts,
                phases,
            }
        });
        // Where nobody waits, there is nobody to tell.
        let _ = send.send(all);
    };
    // Without threads it runs here, and cannot be stopped.
    if cfg!(target_family = "wasm") {
        work();
        return ended.recv().ok();
    }
    let thread = thread::spawn(work);
    loop {
        match ended.recv_timeout(LOOK) {
            Ok(all) => return Some(all),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => return None,
            },
        }
        if control.stopped() {
            watch.stop.store(true, Ordering::Relaxed);
            return None;
        }
        let millions = watch.instructions.load(Ordering::Relaxed) / 1_000_000;
        control.report(Progress {
            step: &format!("{kernel}: {millions} million instructions followed"),
            done_bytes: 0,
            total_bytes: 0,
        });
    }
}

/// The places of a surface that the phases lie at.
fn asked(followed: &[FollowedPhase]) -> AskedPlaces {
    let mut asked = AskedPlaces {
        write_share: [1.0, 0.0],
        locality: [1.0, 0.0],
        imbalance: [1.0; 2],
    };
    for place in followed.iter().map(made::place) {
        for (ends, value) in [
            (&mut asked.write_share, place.write_share),
            (&mut asked.locality, place.locality),
        ] {
            *ends = [ends[0].min(value), ends[1].max(value)];
        }
    }
    asked
}

/// A core of a system that ends so many instructions each cycle.
fn core(connected: &Connected, instructions_per_cycle: f64) -> OverlapCore {
    let of = &connected.config.cores;
    let cycle_ns = 1e9 / of.clock_hz as f64;
    OverlapCore {
        window: WINDOW,
        misses: of.misses,
        fill_buffers: of.fill_buffers.unwrap_or(of.misses),
        instruction_ns: cycle_ns / instructions_per_cycle,
        restart_ns: RESTART_CYCLES * cycle_ns,
    }
}
