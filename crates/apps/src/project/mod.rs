//! What another memory does to a program: the closed loop of its profile, phase by phase, on both memories.

mod caution;
mod phase;
mod plain;

pub use caution::{ProjectionCaution, ProjectionError};
pub use phase::PhaseInputs;
pub use plain::PlainEstimates;

use crate::band::{self, BandRequest, ProjectionBand};
use crate::core::{CoreLoop, LoopTimes};
use crate::curve::{CurvePlace, LatencySurface, MemoryCurve};
use crate::profile::Profile;

/// A memory that a program runs on, or would.
#[derive(Clone, Copy)]
pub struct ProjectedMemory<'a> {
    /// Its latency.
    pub surface: &'a dyn LatencySurface,
    /// Lines that a core of its system can have under way at most.
    pub misses_per_core: f64,
    /// What two memories share in chance: equal numbers are the same memory.
    pub id: u64,
}

/// What becomes of a program's run on a memory. Times are of the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// Time on the baseline divided by time on the target.
    pub speed_up: f64,
    /// Seconds on the baseline, as the loop has them.
    pub seconds_before: f64,
    /// Seconds on the target.
    pub seconds_after: f64,
    /// Shares of the cores' time on the baseline.
    pub before: TimeShares,
    /// Shares of the cores' time on the target.
    pub after: TimeShares,
    /// What holds the program back on the baseline.
    pub bound: ProgramBound,
    /// What a better target would add.
    pub gain: MemoryGain,
    /// On the baseline, and on the target.
    pub memory: [MemoryUse; 2],
    /// Where the speed-up lies when everything that is not known is drawn; none of a request for none.
    pub band: Option<ProjectionBand>,
    /// Each phase, in the order of the profile.
    pub phases: Vec<PhaseProjection>,
    /// What the profile contradicts itself in, or leaves open.
    pub cautions: Vec<ProjectionCaution>,
}

/// A phase on both memories.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseProjection {
    /// Its name.
    pub name: String,
    /// Time on the baseline divided by time on the target.
    pub speed_up: f64,
    /// Seconds on the baseline and on the target.
    pub seconds: [f64; 2],
    /// Share of the baseline's time that the cores spent outside of computing and memory; it stays as long.
    pub outside_share: f64,
    /// Power of both memories' modules while nothing is asked of them, in watts.
    pub idle_w: [f64; 2],
    /// A line and core on the baseline and on the target.
    pub times: [LoopTimes; 2],
    /// Lines that a core has under way while it waits.
    pub parallel: f64,
}

/// Shares of the time of a program's cores, which add up to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeShares {
    /// They compute.
    pub compute: f64,
    /// They wait for what a memory without load would take.
    pub latency: f64,
    /// They wait longer because the memory is loaded.
    pub queue: f64,
    /// They wait for a disk, a network or a lock.
    pub outside: f64,
}

/// What takes most of a program's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramBound {
    /// Computing.
    Compute,
    /// The latency of a memory without load.
    Latency,
    /// The load of the memory.
    Bandwidth,
    /// Disks, networks or locks: what no memory makes faster.
    Outside,
}

/// What a better memory than the target would add to the speed-up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryGain {
    /// With one percent more bandwidth: 0.005 means half a percent.
    pub percent_of_bandwidth: f64,
    /// With one nanosecond less latency.
    pub nanosecond: f64,
}

/// What a program makes of a memory, in the mean over its time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryUse {
    /// Bytes read and written per second.
    pub bytes_per_s: f64,
    /// Mean time of a line in nanoseconds, over lines.
    pub latency_ns: f64,
    /// Mean power of the modules in watts.
    pub power_w: f64,
}

/// The curves of a phase on both memories.
struct PhaseCurves {
    baseline: MemoryCurve,
    target: MemoryCurve,
}

/// The curves of memories at the places of phases.
type Curves = Vec<PhaseCurves>;

/// Projects a program onto another memory.
///
/// # Errors
/// When the profile asks more of its baseline than that can do.
pub fn project(
    profile: &Profile,
    baseline: ProjectedMemory<'_>,
    target: ProjectedMemory<'_>,
    band: Option<BandRequest>,
) -> Result<Projection, ProjectionError> {
    let inputs: Vec<PhaseInputs> = profile.phases.iter().map(PhaseInputs::likeliest).collect();
    let curves = curves(&inputs, baseline, target);
    let most = [baseline.misses_per_core, target.misses_per_core];
    let cores = f64::from(profile.cores);
    let mut cautions = Vec::new();
    for ((phase, inputs), curves) in profile.phases.iter().zip(&inputs).zip(&curves) {
        caution::of(
            phase,
            inputs,
            &curves.baseline,
            baseline.surface.ends(),
            [cores, most[0]],
            &mut cautions,
        )?;
    }
    let phases = each(profile, &inputs, &curves, most);
    let mut projection = whole(phases, profile);
    let better = |of: &dyn Fn(&MemoryCurve) -> MemoryCurve| {
        let better: Curves = curves
            .iter()
            .map(|one| PhaseCurves {
                baseline: one.baseline.clone(),
                target: of(&one.target),
            })
            .collect();
        let after: f64 = each(profile, &inputs, &better, most)
            .iter()
            .map(|one| one.seconds[1])
            .sum();
        projection.seconds_after / after - 1.0
    };
    projection.gain = MemoryGain {
        percent_of_bandwidth: better(&|curve| curve.faster(1.01)),
        nanosecond: better(&|curve| curve.sooner(1.0)),
    };
    projection.cautions = cautions;
    projection.band = band.map(|request| band::of(profile, baseline, target, request));
    Ok(projection)
}

fn curves(
    inputs: &[PhaseInputs],
    baseline: ProjectedMemory<'_>,
    target: ProjectedMemory<'_>,
) -> Curves {
    let of = |phase: &PhaseInputs| PhaseCurves {
        baseline: baseline.surface.curve(phase.place),
        target: target.surface.curve(phase.place),
    };
    inputs.iter().map(of).collect()
}

fn each(
    profile: &Profile,
    inputs: &[PhaseInputs],
    curves: &Curves,
    most: [f64; 2],
) -> Vec<PhaseProjection> {
    let cores = f64::from(profile.cores);
    let phases = profile.phases.iter().zip(inputs).zip(curves);
    let phases = phases.map(|((phase, inputs), curves)| {
        let times = inputs.times([&curves.baseline, &curves.target], cores, most);
        PhaseProjection {
            name: phase.name.clone(),
            ..times
        }
    });
    phases.collect()
}

/// Seconds of a program's phases on both memories, for draws that need no more.
pub(crate) fn speed_up(
    inputs: &[PhaseInputs],
    curves: &[[&MemoryCurve; 2]],
    cores: f64,
    most: [f64; 2],
) -> f64 {
    let phases = inputs.iter().zip(curves);
    let seconds = phases.map(|(inputs, curves)| inputs.times(*curves, cores, most).seconds);
    let [before, after] = seconds.fold([0.0, 0.0], |[a, b], [c, d]| [a + c, b + d]);
    before / after
}

/// The whole run of its phases.
fn whole(phases: Vec<PhaseProjection>, profile: &Profile) -> Projection {
    let [before, after] =
        [0, 1].map(|side| phases.iter().map(|one| one.seconds[side]).sum::<f64>());
    let shares = [0, 1].map(|side| {
        let all = [before, after][side];
        let mut shares = TimeShares::default();
        for phase in &phases {
            let outside = phase.outside_share * phase.seconds[0];
            let ran = phase.seconds[side] - outside;
            let times = &phase.times[side];
            let part = |ns: f64| {
                if times.line_ns > 0.0 {
                    ran * ns / times.line_ns / all
                } else {
                    0.0
                }
            };
            shares.outside += outside / all;
            shares.latency += part(times.latency_ns);
            shares.queue += part(times.queue_ns);
            shares.compute += match times.line_ns > 0.0 {
                true => part(times.compute_ns),
                false => ran / all,
            };
        }
        shares
    });
    let memory = [0, 1].map(|side| {
        let all = [before, after][side];
        let lines = profile
            .phases
            .iter()
            .map(|one| one.lines_read.value + one.lines_written.value);
        let lines: Vec<f64> = lines.collect();
        let sum: f64 = lines.iter().sum();
        // Phases whose cores never ran have no time of a line.
        let timed = phases
            .iter()
            .zip(&lines)
            .filter(|(one, _)| one.times[side].memory_ns > 0.0);
        let (timed, of_lines) = timed.fold((0.0, 0.0), |(all, time), (one, lines)| {
            (all + lines, time + one.times[side].memory_ns * lines)
        });
        let energy = phases.iter().map(|one| {
            let outside = one.outside_share * one.seconds[0];
            let ran = one.seconds[side] - outside;
            one.times[side].power_w * ran + one.idle_w[side] * outside
        });
        MemoryUse {
            bytes_per_s: sum * crate::profile::LINE_BYTES / all,
            latency_ns: if timed > 0.0 { of_lines / timed } else { 0.0 },
            power_w: energy.sum::<f64>() / all,
        }
    });
    Projection {
        speed_up: before / after,
        seconds_before: before,
        seconds_after: after,
        before: shares[0],
        after: shares[1],
        bound: shares[0].bound(),
        gain: MemoryGain::default(),
        memory,
        band: None,
        phases,
        cautions: Vec::new(),
    }
}

impl TimeShares {
    /// What holds the program back: the longest of computing, waiting for memory and what is outside. Where it is waiting for
    /// memory, the longer of both waits. Of equal ones computing, then what is outside.
    #[must_use]
    pub fn bound(&self) -> ProgramBound {
        if self.compute >= self.stalled().max(self.outside) {
            ProgramBound::Compute
        } else if self.outside >= self.stalled() {
            ProgramBound::Outside
        } else if self.queue > self.latency {
            ProgramBound::Bandwidth
        } else {
            ProgramBound::Latency
        }
    }

    /// Both waits for memory.
    #[must_use]
    pub fn stalled(&self) -> f64 {
        self.latency + self.queue
    }
}

impl ProgramBound {
    /// As people say it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Latency => "latency",
            Self::Bandwidth => "bandwidth",
            Self::Outside => "outside memory",
        }
    }
}

#[cfg(test)]
mod tests;
