//! Windows of a program simulated whole, on every memory, beside what the surfaces say of the same windows.
//!
//! A profile holds no addresses. Each level of a phase's load is a window: cores in a closed loop that compute for as long as the
//! level leaves over, with as many lines under way, the same share of writes, of lines in order, and the same busiest channel.
//! A surface was simulated at a few such places, with all misses of its cores in use; what lies between them, and what other
//! lines under way and other bursts make of it, is what a window can contradict.

use wordline_apps::core::LoopWindow;
use wordline_apps::project::PhaseInputs;
use wordline_apps::{MemoryCurve, Profile, Projection};
use wordline_core::draw::{Purpose, draw};
use wordline_dram::SystemConfig;
use wordline_dram::system::{MemoryProgram, RunLength, simulate_program};

use super::memory::ProgramMemory;
use crate::control::{Control, Progress};
use crate::dram::points::settled_ps;
use crate::error::LabError;

/// Simulated time of a window that counts, in picoseconds, in stretches in which the cores are elsewhere each.
const MEASURE_PS: u64 = 40_000_000;
const EPISODES: u32 = 8;
const SETTLE_PS: u64 = 1_000_000;

/// Cores that compute for longer than this between two lines load no memory, in nanoseconds.
const COMPUTE_MAX_NS: f64 = 20_000.0;

/// A program's windows on a memory.
pub(super) struct Cosimulation {
    /// By phases: time of the windows when they are simulated, over what the surface says of them.
    pub(super) ratios: Vec<f64>,
    /// Seconds of the phases, by the projection and that ratio.
    pub(super) seconds: Vec<f64>,
}

impl Cosimulation {
    /// Seconds of the whole run.
    pub(super) fn total_s(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// Simulates the windows of all phases on a memory; `None` where the caller stopped it. `side` is 0 for the projection's
    /// baseline and 1 for its target.
    pub(super) fn of(
        profile: &Profile,
        baseline: &ProgramMemory<'_>,
        memory: &ProgramMemory<'_>,
        (projection, side): (&Projection, usize),
        seed: u64,
        control: &Control<'_>,
    ) -> Result<Option<Self>, LabError> {
        let (base, own) = (baseline.projected(), memory.projected());
        let most = baseline.cores().min(memory.cores());
        let cores = profile.cores.min(most);
        let mut found = Self {
            ratios: Vec::new(),
            seconds: Vec::new(),
        };
        for (number, (phase, projected)) in
            profile.phases.iter().zip(&projection.phases).enumerate()
        {
            let inputs = PhaseInputs::likeliest(phase);
            let curve = base.surface.curve(inputs.place);
            let all = f64::from(profile.cores);
            let (windows, alone_ns) = inputs.windows(&curve, all, base.misses_per_core, cores);
            let runs = WindowRuns {
                memory,
                inputs: &inputs,
                curve: own.surface.curve(inputs.place),
                misses_per_core: own.misses_per_core,
                control,
                phases: profile.phases.len(),
            };
            let (mut by_surface, mut simulated) = (alone_ns, alone_ns);
            for (level, window) in windows.iter().enumerate() {
                // The same seed on every memory, so that the same lines are asked for.
                let seed = draw(seed, number as u64, level as u64, Purpose::Address);
                let step = (number, level, windows.len());
                let Some([surface_ns, window_ns]) = runs.line_ns(window, seed, step)? else {
                    return Ok(None);
                };
                by_surface += window.lines * surface_ns;
                simulated += window.lines * window_ns;
            }
            let ratio = if by_surface > 0.0 {
                simulated / by_surface
            } else {
                1.0
            };
            let outside = projected.outside_share * projected.seconds[0];
            let ran = projected.seconds[side] - outside;
            found.ratios.push(ratio);
            found.seconds.push(ran * ratio + outside);
        }
        Ok(Some(found))
    }
}

/// Where the windows of a phase run.
struct WindowRuns<'r, 'a> {
    memory: &'r ProgramMemory<'a>,
    inputs: &'r PhaseInputs,
    curve: MemoryCurve,
    misses_per_core: f64,
    control: &'r Control<'r>,
    phases: usize,
}

impl WindowRuns<'_, '_> {
    /// Time of a line and core, as the surface says and as it is simulated, in nanoseconds.
    fn line_ns(
        &self,
        window: &LoopWindow,
        seed: u64,
        (phase, level, levels): (usize, usize, usize),
    ) -> Result<Option<[f64; 2]>, LabError> {
        let surface_ns = window.line_ns(&self.curve, self.misses_per_core);
        if window.compute_ns > COMPUTE_MAX_NS {
            return Ok(Some([surface_ns; 2]));
        }
        let config = self.memory.config();
        let program = program(window, self.inputs, config, seed);
        let length = RunLength {
            warm_up_ps: settled_ps(config).max(10_000_000),
            measure_ps: MEASURE_PS,
            probe_samples: 0,
            episodes: EPISODES,
            settle_ps: SETTLE_PS,
        };
        self.control.report(Progress {
            step: self.memory.name(),
            done_bytes: (phase * levels + level) as u64,
            total_bytes: (self.phases * levels) as u64,
        });
        let go_on = |_: u64| !self.control.stopped();
        let run = simulate_program(config, &program, &length, &go_on);
        let run = run.map_err(|source| LabError::Memory {
            target: self.memory.name().to_owned(),
            source,
        })?;
        let Some(run) = run else { return Ok(None) };
        let rate = run.bytes_per_s() / wordline_apps::profile::LINE_BYTES * 1e-9;
        // One that moves no line takes the whole window for it at least.
        let least = 1e3 / MEASURE_PS as f64;
        let simulated_ns = f64::from(window.cores) / rate.max(least);
        Ok(Some([surface_ns, simulated_ns]))
    }
}

/// A window as a program of the simulated system.
fn program(
    window: &LoopWindow,
    inputs: &PhaseInputs,
    config: &SystemConfig,
    seed: u64,
) -> MemoryProgram {
    let nodes = config.topology.nodes().max(1);
    let channels = f64::from((config.channels / nodes).max(1));
    MemoryProgram {
        compute_ps: 1e3 * window.compute_ns,
        under_way: window.under_way,
        write_share: inputs.place.write_share.clamp(0.0, 1.0),
        locality: inputs.place.locality.clamp(0.0, 1.0),
        imbalance: inputs.place.imbalance.clamp(1.0, channels),
        seed,
        ..MemoryProgram::of(window.cores)
    }
}
