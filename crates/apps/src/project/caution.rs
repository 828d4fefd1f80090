//! What a profile contradicts itself in, and what it leaves open.

use super::PhaseInputs;
use crate::curve::{CurvePlace, MemoryCurve};
use crate::levels::{ROUNDING, flattened};
use crate::profile::{LINE_BYTES, ProfilePhase};

/// By which share the surface of a baseline may be wrong about what it carries at most.
pub(super) const CARRIED_WRONG: f64 = 0.05;

/// How far beyond the end of an axis says nothing else than the end.
const BEYOND: f64 = 0.02;

/// By which factor what was measured of latency or of lines under way may differ from what the rest of the profile says.
const DIFFERS: f64 = 1.35;

/// Why a program cannot be projected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProjectionError {
    /// It moves more than its memory can.
    #[error(
        "phase {phase}: {rate:.1} GB/s are more than the baseline carries, {most:.1} GB/s with {outstanding:.0} lines under \
         way; check lines_read, lines_written and seconds, or name another baseline"
    )]
    TooMuch {
        /// Name of the phase.
        phase: String,
        /// What it moves while its cores run, in GB/s.
        rate: f64,
        /// What the baseline carries with as many lines under way as the cores can have, in GB/s.
        most: f64,
        /// How many that are.
        outstanding: f64,
    },
}

/// What the reader should know of a projection.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProjectionCaution {
    /// A mean rate beyond what the surface has.
    #[error(
        "phase {phase}: {rate:.1} GB/s are {percent:.1} % more than the surface of the baseline carries; it is taken to be \
         saturated"
    )]
    Saturated {
        /// Name of the phase.
        phase: String,
        /// What it moves in GB/s.
        rate: f64,
        /// By how much too much.
        percent: f64,
    },
    /// Bursts beyond what the memory carries.
    #[error(
        "phase {phase}: its load rises above what the baseline carries, {most:.1} GB/s; what exceeds it is taken to come \
         later"
    )]
    BurstsFlattened {
        /// Name of the phase.
        phase: String,
        /// What the baseline carries in GB/s.
        most: f64,
    },
    /// Measured latency and the surface differ.
    #[error(
        "phase {phase}: a read took {measured:.0} ns, and the surface of the baseline says {surface:.0} ns at this load; \
         the machine is another one, or the load is less even than the profile says"
    )]
    LatencyDiffers {
        /// Name of the phase.
        phase: String,
        /// As measured, in nanoseconds.
        measured: f64,
        /// As the surface has it.
        surface: f64,
    },
    /// Little's law is broken.
    #[error(
        "phase {phase}: {measured:.1} lines under way while a core waits do not go with its rate and its stalls, which \
         need {needed:.1} by Little's law; the stalls count"
    )]
    LittleBroken {
        /// Name of the phase.
        phase: String,
        /// Lines under way as measured.
        measured: f64,
        /// As rate, latency and stalls have it.
        needed: f64,
    },
    /// Cores that wait for nothing.
    #[error(
        "phase {phase}: cores wait {percent:.0} % of the time and no line moves; it is taken to compute all the time. Count \
         the lines, or state outside_share"
    )]
    StallsWithoutLines {
        /// Name of the phase.
        phase: String,
        /// How much of the time they wait, in percent.
        percent: f64,
    },
    /// A place that the baseline's surface does not have.
    #[error(
        "phase {phase}: a {axis} of {found:.2} lies beyond what the baseline's surface has, {end:.2}; that end stands for it. \
         wordline dram surface simulates others"
    )]
    BeyondSurface {
        /// Name of the phase.
        phase: String,
        /// Which coordinate.
        axis: &'static str,
        /// The value of the phase.
        found: f64,
        /// The nearest that the surface has.
        end: f64,
    },
    /// Nothing is known of how load varies.
    #[error(
        "phase {phase}: nothing says how its load varies over time, which decides how often the memory is saturated; the \
         band covers a coefficient of variation of 0.2 to 0.8. Counts in intervals (perf stat -I) would say it"
    )]
    LoadUnknown {
        /// Name of the phase.
        phase: String,
    },
}

/// Lines a nanosecond as GB/s.
fn gb_per_s(rate: f64) -> f64 {
    rate * LINE_BYTES
}

/// Says where a phase lies beyond a surface.
fn beyond(
    phase: &ProfilePhase,
    inputs: &PhaseInputs,
    [least, greatest]: [CurvePlace; 2],
    cautions: &mut Vec<ProjectionCaution>,
) {
    let at = inputs.place;
    let axes = [
        (
            "write share",
            at.write_share,
            least.write_share,
            greatest.write_share,
        ),
        ("locality", at.locality, least.locality, greatest.locality),
        (
            "imbalance",
            at.imbalance,
            least.imbalance,
            greatest.imbalance,
        ),
    ];
    for (axis, found, least, greatest) in axes {
        let end = found.clamp(least, greatest);
        if (found - end).abs() > BEYOND {
            cautions.push(ProjectionCaution::BeyondSurface {
                phase: phase.name.clone(),
                axis,
                found,
                end,
            });
        }
    }
}

/// Checks a phase against its baseline.
pub(super) fn of(
    phase: &ProfilePhase,
    inputs: &PhaseInputs,
    baseline: &MemoryCurve,
    ends: [CurvePlace; 2],
    [cores, misses_per_core]: [f64; 2],
    cautions: &mut Vec<ProjectionCaution>,
) -> Result<(), ProjectionError> {
    let name = || phase.name.clone();
    let rate = inputs.rate();
    if rate <= 0.0 && inputs.stall_share > 0.0 {
        cautions.push(ProjectionCaution::StallsWithoutLines {
            phase: name(),
            percent: 100.0 * inputs.stall_share,
        });
    }
    // Cores that never ran ask for nothing.
    if rate <= 0.0 || inputs.outside_share >= 1.0 {
        return Ok(());
    }
    beyond(phase, inputs, ends, cautions);
    let outstanding = cores * misses_per_core;
    let most = baseline.rate(outstanding);
    if rate.is_nan() || rate > most * (1.0 + CARRIED_WRONG) {
        return Err(ProjectionError::TooMuch {
            phase: name(),
            rate: gb_per_s(rate),
            most: gb_per_s(most),
            outstanding,
        });
    }
    if rate > most * (1.0 + ROUNDING) {
        cautions.push(ProjectionCaution::Saturated {
            phase: name(),
            rate: gb_per_s(rate),
            percent: 100.0 * (rate / most - 1.0),
        });
    }
    if phase.load.is_none() {
        cautions.push(ProjectionCaution::LoadUnknown { phase: name() });
    } else if flattened(&inputs.levels, most / rate.min(most)).1 {
        cautions.push(ProjectionCaution::BurstsFlattened {
            phase: name(),
            most: gb_per_s(most),
        });
    }
    let plain = PhaseInputs {
        latency_ns: None,
        ..inputs.clone()
    };
    let times = plain.times([baseline, baseline], cores, [misses_per_core; 2]);
    let [lines, reads] = [times.times[0].memory_ns, times.times[0].read_ns];
    let differs = |one: f64, other: f64| one / other > DIFFERS || other / one > DIFFERS;
    if let Some(measured) = phase.latency_ns
        && differs(measured.value, reads)
    {
        cautions.push(ProjectionCaution::LatencyDiffers {
            phase: name(),
            measured: measured.value,
            surface: reads,
        });
    }
    if let Some(measured) = phase.outstanding
        && inputs.stall_share > 0.0
    {
        let needed = rate * lines / cores / inputs.stall_share;
        if differs(measured.value, needed) {
            cautions.push(ProjectionCaution::LittleBroken {
                phase: name(),
                measured: measured.value,
                needed,
            });
        }
    }
    Ok(())
}
