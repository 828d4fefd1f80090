//! From phases that were followed to a profile.

use wordline_apps::overlap::OverlapCore;
use wordline_apps::{
    CurvePlace, LatencySurface, LoadLevels, MemoryCurve, Profile, ProfilePhase, ProfileValue,
};
use wordline_core::Basis;
use wordline_core::quantity::ByteCount;

use super::follower::{FollowedPhase, FollowedWindow};
use super::{KernelRequest, PhaseDemand};
use crate::error::{LabError, SettingProblem};

/// Most levels of load.
const LEVELS: usize = 8;

/// Enough for a billionth of the range.
const HALVINGS: usize = 30;

/// A phase on a core that ends so many instructions each cycle, once it met its memory.
struct MetPhase {
    /// Bytes that all cores move in a second.
    bytes_per_s: f64,
    /// Mean time of a read.
    read_ns: f64,
    seconds: f64,
    stall_share: f64,
    /// Lines under way while the core waits.
    outstanding: Option<f64>,
    /// Load over its windows.
    load: Option<LoadLevels>,
}

/// Phases of one core, and a profile of all. The first core is the one that was asked for; the second ends half as many
/// instructions each cycle, and is the other end of the ranges: a kernel's own instructions take longer than they might.
pub(super) fn profile(
    request: &KernelRequest,
    baseline: &str,
    cores: u32,
    followed: &[FollowedPhase],
    models: &[OverlapCore; 2],
    surface: &dyn LatencySurface,
    clock_hz: u64,
) -> Result<(Vec<PhaseDemand>, Profile), LabError> {
    let (mut phases, mut told) = (Vec::new(), Vec::new());
    for phase in followed {
        if phase.counted == 0 {
            return Err(SettingProblem::Unread(format!(
                "{} follows no part of the phase {}, which has {} instructions; allowed: less, or a longer run (--size)",
                request.plan.one_in, phase.name, phase.instructions
            ))
            .of("sample"));
        }
        let share = |of: u64| of as f64 / phase.reads.max(1) as f64;
        let curve = surface.curve(place(phase));
        let met = [&models[0], &models[1]].map(|model| meet(phase, cores, model, &curve));
        let [fast, slow] = &met;
        phases.push(PhaseDemand {
            name: phase.name,
            instructions: phase.instructions as f64,
            lines_per_thousand: [phase.reads, phase.writes]
                .map(|lines| lines as f64 * 1e3 / phase.counted as f64),
            prefetched_share: share(phase.prefetched),
            locality: share(phase.local),
            outstanding: fast.outstanding,
            stall_share: fast.stall_share,
            bytes_per_s: fast.bytes_per_s,
            latency_ns: fast.read_ns,
            seconds: fast.seconds,
        });
        told.push(phase_of(phase, cores, [fast, slow], clock_hz));
    }
    let bytes = request.bytes.unwrap_or(request.kernel.usual_bytes());
    let size = ByteCount::from_bytes(bytes);
    let profile = Profile {
        schema: Profile::SCHEMA,
        name: request.kernel.name().into(),
        made_by: format!(
            "wordline app kernel {} --size {size} --on {baseline} --cores {cores} --seed {}",
            request.kernel, request.seed
        ),
        baseline: baseline.into(),
        cores,
        phases: told,
    };
    Ok((phases, profile))
}

/// Where on a surface a phase lies. Cores that work alike load all channels alike.
pub(super) fn place(phase: &FollowedPhase) -> CurvePlace {
    CurvePlace {
        write_share: phase.writes as f64 / (phase.reads + phase.writes).max(1) as f64,
        locality: phase.local as f64 / phase.reads.max(1) as f64,
        imbalance: 1.0,
    }
}

/// A window of one core, once it met its memory. Times are in nanoseconds.
struct MetWindow {
    time_ns: f64,
    /// Its time if no line took any.
    alone_ns: f64,
    lines: f64,
    /// Mean time of a line, and of a read.
    line_ns: f64,
    read_ns: f64,
}

/// Where a window's time and the memory's latency agree; all cores do the same at the same time, as they do between barriers. They ask for
/// less the longer a line takes, and the memory takes longer the more lines are under way; there are never more than the
/// cores' misses.
fn meet_window(
    window: &FollowedWindow,
    cores: f64,
    model: &OverlapCore,
    curve: &MemoryCurve,
) -> MetWindow {
    let lines = (window.reads + window.writes) as f64;
    let most = cores * f64::from(model.misses);
    let time_ns = |latency: f64| model.time_ns(&window.events, window.instructions, latency);
    let asked = |latency: f64| cores * lines / time_ns(latency).max(1e-9);
    let is_over = |under_way: f64| asked(curve.latency_ns(under_way)) > curve.rate(under_way);
    let (under_way, time) = match is_over(most) {
        // Lines that are written back need misses as well, of which a core's own time knows nothing.
        true => (most, cores * lines / curve.rate(most)),
        false => {
            let (mut low, mut high) = (0.0, most);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                match is_over(middle) {
                    true => low = middle,
                    false => high = middle,
                }
            }
            // No more than the memory carries there, by the digits that halving leaves.
            let least = cores * lines / curve.rate(high).max(f64::MIN_POSITIVE);
            (high, time_ns(curve.latency_ns(high)).max(least))
        }
    };
    MetWindow {
        time_ns: time,
        alone_ns: time_ns(0.0),
        lines,
        line_ns: curve.latency_ns(under_way),
        read_ns: curve.read_ns(under_way),
    }
}

/// A phase whose windows met the memory one by one, as a projection has its levels of load.
fn meet(phase: &FollowedPhase, cores: u32, model: &OverlapCore, curve: &MemoryCurve) -> MetPhase {
    let all = f64::from(cores);
    let windows = phase.windows.iter();
    let windows: Vec<MetWindow> = windows
        .map(|window| meet_window(window, all, model, curve))
        .collect();
    let sum = |of: fn(&MetWindow) -> f64| windows.iter().map(of).sum::<f64>();
    let [time, alone, lines] = [
        sum(|window| window.time_ns),
        sum(|window| window.alone_ns),
        sum(|window| window.lines),
    ];
    // Kept windows are a part of those that were counted, and may have more lines than these: computing goes with
    // instructions, waiting with lines.
    let kept = phase.windows.iter();
    let kept: f64 = kept.map(|window| f64::from(window.instructions)).sum();
    let instructions = phase.instructions as f64;
    let moved = (phase.reads + phase.writes) as f64 * instructions / phase.counted as f64;
    let computes_ns = match kept > 0.0 {
        true => alone * instructions / kept,
        false => instructions * model.instruction_ns,
    };
    let waits_ns = match lines > 0.0 {
        true => (time - alone) * moved / lines,
        false => 0.0,
    };
    let whole_ns = computes_ns + waits_ns;
    let stall_share = match whole_ns > 0.0 {
        true => waits_ns / whole_ns,
        false => 0.0,
    };
    // Little's law: those of the time in which a core waits. Some come while it computes, so that the quotient may be more than
    // there can be.
    let line_ns = sum(|window| window.line_ns * window.lines) / lines;
    let outstanding = (line_ns * moved / waits_ns).min(f64::from(model.misses));
    MetPhase {
        bytes_per_s: all * moved / whole_ns.max(f64::MIN_POSITIVE) * 64e9,
        read_ns: match lines > 0.0 {
            true => sum(|window| window.read_ns * window.lines) / lines,
            false => curve.read_ns(0.0),
        },
        seconds: whole_ns * 1e-9,
        stall_share,
        outstanding: (stall_share > 1e-4 && outstanding > 0.0).then_some(outstanding),
        load: load(&windows),
    }
}

/// Values of all cores. Ranges reach from one pace of instructions to the other.
fn phase_of(
    phase: &FollowedPhase,
    cores: u32,
    [fast, slow]: [&MetPhase; 2],
    clock_hz: u64,
) -> ProfilePhase {
    let exact = |value: f64| ProfileValue::exact(value, Basis::Simulated);
    let within = |value: f64, other: f64| {
        ProfileValue::within(value, value.min(other), value.max(other), Basis::Simulated)
    };
    let all = f64::from(cores);
    let scale = all * phase.instructions as f64 / phase.counted as f64;
    let share = |of: u64| exact(of as f64 / phase.reads.max(1) as f64);
    let cycles = |met: &MetPhase| met.seconds * clock_hz as f64 * all;
    ProfilePhase {
        name: phase.name.into(),
        seconds: within(fast.seconds, slow.seconds),
        lines_read: exact(phase.reads as f64 * scale),
        lines_written: exact(phase.writes as f64 * scale),
        stall_share: within(fast.stall_share, slow.stall_share),
        instructions: Some(exact(phase.instructions as f64 * all)),
        cycles: Some(within(cycles(fast), cycles(slow))),
        prefetched_share: Some(share(phase.prefetched)),
        outstanding: fast
            .outstanding
            .map(|one| within(one, slow.outstanding.unwrap_or(one))),
        latency_ns: Some(within(fast.read_ns, slow.read_ns)),
        load: fast.load.clone(),
        imbalance: None,
        locality: Some(share(phase.local)),
        outside_share: Some(exact(0.0)),
    }
}

/// Load over windows. None of a single window.
fn load(windows: &[MetWindow]) -> Option<LoadLevels> {
    let mut all: Vec<(f64, f64)> = windows
        .iter()
        .map(|window| (window.time_ns, window.lines))
        .filter(|(time, _)| *time > 0.0)
        .collect();
    let [time, lines] = [0, 1].map(|which| -> f64 {
        let part = |(time, lines): &(f64, f64)| if which == 0 { *time } else { *lines };
        all.iter().map(part).sum()
    });
    if all.len() < 2 || lines <= 0.0 {
        return None;
    }
    all.sort_by(|one, other| (one.1 / one.0).total_cmp(&(other.1 / other.0)));
    let mean = lines / time;
    let mut levels = Vec::new();
    let (mut level, mut passed) = ((0.0, 0.0), 0.0);
    for (number, (took, moved)) in all.iter().enumerate() {
        level = (level.0 + took, level.1 + moved);
        passed += took;
        let due = (levels.len() + 1) as f64 / LEVELS as f64;
        if passed >= due * time || number + 1 == all.len() {
            levels.push([level.0 / time, level.1 / level.0 / mean]);
            level = (0.0, 0.0);
        }
    }
    Some(LoadLevels {
        levels,
        window_s: time * 1e-9 / all.len() as f64,
        basis: Basis::Simulated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_keep_time_and_lines() {
        let window = |lines| MetWindow {
            time_ns: 500.0,
            alone_ns: 500.0,
            lines,
            line_ns: 100.0,
            read_ns: 100.0,
        };
        let windows: Vec<_> = (0..40)
            .map(|number| window(10.0 + f64::from(number % 4 * 100)))
            .collect();
        let load = load(&windows).expect("several windows");
        let sum: f64 = load.levels.iter().map(|[share, _]| share).sum();
        let mean: f64 = load
            .levels
            .iter()
            .map(|[share, multiple]| share * multiple)
            .sum();
        assert!((sum - 1.0).abs() < 1e-9 && (mean - 1.0).abs() < 1e-9);
        assert_eq!(load.levels.len(), 8);
        assert!((load.levels[0][1] - 10.0 / 160.0).abs() < 1e-9);
        assert!((load.levels[7][1] - 310.0 / 160.0).abs() < 1e-9);
        assert!((load.window_s - 500e-9).abs() < 1e-15);
    }
}
