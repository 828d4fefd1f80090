//! Latency under load: some cores follow chains of pointers while the others load the memory, less and less.

use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, LoadedTest, Metric, ResultSet};
use wordline_dram::system::SystemRun;

use super::knee::{self, Place};
use super::measured::MeasuredCurve;
use super::rows::{self, DramWork, seconds};
use super::{ModuleMemory, Test, cautions, explain};
use crate::control::Control;
use crate::error::{LabError, SettingProblem};
use crate::subject::Subject;

/// Loads at which targets are compared: where the first one's latency is so many times that of an idle one.
const LOADS: [f64; 3] = [1.5, 2.0, 3.0];

/// More delays than this are no sweep.
const DELAYS_MAX: usize = 1000;

/// The longest pause in cycles: beyond it nothing is loaded.
const DELAY_MAX: u64 = 1_000_000_000;

/// A curve: points with their delays, least load first.
struct DelayCurve<'m, 'a> {
    memory: &'m ModuleMemory<'a>,
    /// Mean latency in seconds of one core that has the memory to itself. The least load is none: probes are a load
    /// of their own.
    idle: Option<f64>,
    points: Vec<(u64, SystemRun)>,
}

impl DelayCurve<'_, '_> {
    fn places(&self) -> Vec<Place> {
        self.points.iter().map(|(_, run)| place(run)).collect()
    }
}

/// Throughput in B/s and mean latency in seconds.
fn place(run: &SystemRun) -> Place {
    let latency = run.probe.as_ref().map_or(0.0, |probe| probe.mean_ps);
    (run.bytes_per_s(), seconds(latency))
}

pub(super) fn run(
    test: &Test<'_>,
    loaded: &LoadedTest,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check(test, loaded)?;
    let measured = MeasuredCurve::of(loaded, control, document)?;
    cautions::samples(loaded.samples, document);
    let mut points = Vec::new();
    for memory in &test.memories {
        points.push(test.idle_point(memory, loaded.samples));
        for &delay in &loaded.delays_cycles {
            let traffic = test.traffic(
                memory,
                loaded.mix,
                loaded.pattern,
                delay,
                Some(loaded.probes),
            );
            let name = format!("loaded, {}, delay {delay}", loaded.mix);
            points.push(test.point(memory, &name, traffic, loaded.samples));
        }
    }
    let mut runs = super::points::run(&points, control)?.into_iter();
    let mut curves = Vec::new();
    for memory in &test.memories {
        let idle = test.finished(memory, runs.next().flatten(), document)?;
        let mut curve = DelayCurve {
            memory,
            idle: idle.map(|run| place(&run).1),
            points: Vec::new(),
        };
        for &delay in &loaded.delays_cycles {
            // There is a run for every point.
            let ended = runs.next().flatten();
            curve.points.extend(
                test.finished(memory, ended, document)?
                    .map(|run| (delay, run)),
            );
        }
        curve.points.reverse();
        curves.push(curve);
    }
    for curve in &curves {
        rows(test, loaded, curve, document);
        if let Some(measured) = &measured {
            beside(test, loaded, curve, measured, document);
        }
    }
    if document.complete {
        explain(test, loaded, &curves, document);
        compare(test, loaded, &curves, document);
    }
    Ok(())
}

fn subject(test: &Test<'_>, loaded: &LoadedTest, memory: &ModuleMemory<'_>) -> Subject {
    test.subject(memory, loaded.mix.operation())
        .at(Axis::Mix, loaded.mix.name())
        .at(Axis::Pattern, loaded.pattern.name())
}

/// The rows of a curve: of every point, in the order of the delays, and of its knee.
fn rows(
    test: &Test<'_>,
    loaded: &LoadedTest,
    curve: &DelayCurve<'_, '_>,
    document: &mut ResultSet,
) {
    let memory = curve.memory;
    let whole = subject(test, loaded, memory);
    let places = curve.places();
    // An interrupted sweep has no ends, and without them no knee.
    let knee = knee::knee(&places).filter(|_| document.complete);
    let stages = knee::stages(&places, knee, curve.idle.unwrap_or(0.0));
    let most = most(loaded, memory);
    for ((delay, run), stage) in curve.points.iter().zip(stages).rev() {
        let subject = whole.at(Axis::DelayCycles, *delay);
        DramWork::of(run).rows(memory, &subject, document);
        rows::under_load(memory, run, most, &subject, document);
        if let Some(probe) = &run.probe {
            let name = format!(
                "{}, loaded, {}, {}, delay {delay}",
                memory.name,
                loaded.mix,
                loaded.pattern.name()
            );
            rows::latencies(probe, name, &subject, document);
            let rate = probe.samples as f64 * 64.0 / seconds(run.duration_ps as f64);
            subject.add(Metric::ThroughputProbes, Ok(rate), document);
            for &within in &loaded.within_ps {
                let at = subject.at(Axis::WithinS, seconds(within as f64));
                let share = rows::share_within(probe, within);
                at.add(Metric::LatencyShare, Ok(share), document);
            }
        }
        if document.complete {
            subject.add(Metric::LoadStage, Ok(f64::from(stage)), document);
        }
    }
    if let Some(idle) = curve.idle {
        let alone = whole.estimate(Basis::Simulated, "idle");
        alone.add(Metric::LatencyMean, Ok(idle), document);
    }
    if document.complete {
        let place = knee.map(|knee| places[knee]);
        for (metric, value) in [
            (
                Metric::ThroughputKnee,
                place.map(|(throughput, _)| throughput),
            ),
            (Metric::LatencyKnee, place.map(|(_, latency)| latency)),
        ] {
            let value = value.ok_or(NoValue::BeyondRange);
            whole.add(metric, value, document);
        }
    }
}

/// What was measured at the throughput of every point.
fn beside(
    test: &Test<'_>,
    loaded: &LoadedTest,
    curve: &DelayCurve<'_, '_>,
    measured: &MeasuredCurve,
    document: &mut ResultSet,
) {
    let whole = subject(test, loaded, curve.memory);
    for (delay, run) in curve.points.iter().rev() {
        let point = whole.at(Axis::DelayCycles, *delay);
        measured.rows_at(place(run), &point, document);
    }
    measured.rows(&whole, document);
}

/// Lines that all cores together can have under way.
fn most(loaded: &LoadedTest, memory: &ModuleMemory<'_>) -> u64 {
    let cores = &memory.connected.config.cores;
    let load = u64::from(cores.cores - loaded.probes.min(cores.cores));
    load * u64::from(cores.misses) + u64::from(loaded.probes)
}

/// What the others carry more than the first under the greatest load, and why.
fn explain(
    test: &Test<'_>,
    loaded: &LoadedTest,
    curves: &[DelayCurve<'_, '_>],
    document: &mut ResultSet,
) {
    let Some((first, others)) = curves.split_first() else {
        return;
    };
    for other in others {
        let (Some((delay, mine)), Some((_, theirs))) = (first.points.last(), other.points.last())
        else {
            continue;
        };
        let over = subject(test, loaded, other.memory)
            .at(Axis::DelayCycles, *delay)
            .at(Axis::Over, first.memory.name.as_str());
        let first = (first.memory, mine, most(loaded, first.memory));
        let other = (other.memory, theirs, most(loaded, other.memory));
        explain::rows(&over, first, other, document);
    }
}

/// All targets at the throughputs at which the first one's latency is a multiple of its idle one.
fn compare(
    test: &Test<'_>,
    loaded: &LoadedTest,
    curves: &[DelayCurve<'_, '_>],
    document: &mut ResultSet,
) {
    let Some(first) = curves.first() else {
        return;
    };
    let (base, Some(idle)) = (first.places(), first.idle) else {
        return;
    };
    for load in LOADS {
        let Some(throughput) = knee::throughput_at(&base, load * idle) else {
            continue;
        };
        for (index, curve) in curves.iter().enumerate() {
            let at = subject(test, loaded, curve.memory)
                .estimate(Basis::Simulated, "interpolated")
                .at(Axis::Load, load)
                .at(Axis::RateBytesPerS, throughput)
                .at(Axis::Over, first.memory.name.as_str());
            let latency = knee::latency_at(&curve.places(), throughput);
            let latency = latency.ok_or(NoValue::BeyondRange);
            at.add(Metric::LatencyMean, latency, document);
            if index > 0 {
                let ratio = latency.map(|latency| latency / (load * idle));
                at.add(Metric::LatencyRatio, ratio, document);
            }
        }
    }
}

fn check(test: &Test<'_>, loaded: &LoadedTest) -> Result<(), LabError> {
    super::check_samples(loaded.samples)?;
    let delays = &loaded.delays_cycles;
    let wrong = |problem: SettingProblem| Err(problem.of("delay"));
    if delays.is_empty() {
        return wrong(SettingProblem::Empty);
    }
    if delays.len() > DELAYS_MAX {
        return wrong(SettingProblem::Many(DELAYS_MAX));
    }
    for pair in delays.windows(2) {
        let [one, next] = [pair[0], pair[1]];
        if one == next {
            return wrong(SettingProblem::Twice(one.to_string()));
        }
        if one > next {
            return wrong(SettingProblem::Descending { next, one });
        }
    }
    if let Some(last) = delays.last().filter(|delay| **delay > DELAY_MAX) {
        return wrong(SettingProblem::LongDelay {
            found: *last,
            most: DELAY_MAX,
        });
    }
    for memory in &test.memories {
        let cores = memory.connected.config.cores.cores;
        if cores < 2 {
            let target = memory.name.clone();
            return Err(SettingProblem::FewCores { cores, target }.of("cores"));
        }
        if loaded.probes == 0 || loaded.probes >= cores {
            return Err(SettingProblem::Probes {
                found: loaded.probes,
                target: memory.name.clone(),
                most: cores - 1,
            }
            .of("probes"));
        }
    }
    if loaded.within_ps.is_empty() {
        return Ok(());
    }
    let within = loaded
        .within_ps
        .iter()
        .map(|ps| wordline_core::quantity::Time::from_ps(*ps).to_string());
    crate::list::distinct("within", within)
}
