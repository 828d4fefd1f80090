//! Latency under load: some cores follow chains of pointers while the others load the memory, less and less.

use std::cmp::Reverse;

use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, LoadedTest, Metric, ResultSet};
use wordline_dram::system::{RunLength, SystemRun};

use super::knee::{self, Place};
use super::measured::MeasuredCurve;
use super::points::DramPoint;
use super::rows::{self, DramWork, seconds};
use super::{ModuleMemory, Test, cautions, explain, sweep};
use crate::control::Control;
use crate::error::{LabError, SettingProblem};
use crate::subject::Subject;

/// Loads at which targets are compared: where the first one's latency is so many times that of an idle one.
const LOADS: [f64; 3] = [1.5, 2.0, 3.0];

/// More delays than this are no sweep.
const DELAYS_MAX: usize = 1000;

/// The longest pause in cycles: beyond it nothing is loaded.
const DELAY_MAX: u64 = 1_000_000_000;

/// Stretches of a point, in each of which the load cores are elsewhere: below saturation they keep step for ever, so that a
/// point without them would be as sure as it says of one of many steps alone. Near the knee their number alone decides how
/// sure a mean is, so that it grows with the samples: one for each 500.
fn episodes(samples: u64) -> u32 {
    (samples / 500).clamp(10, 1_000) as u32
}

/// What waited when cores moved has gone after this: several times what a line takes of a saturated memory.
const SETTLE_PS: u64 = 3_000_000;

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

    /// Half the widths of the 95 % confidence intervals of the places.
    fn errors(&self) -> Vec<Place> {
        let error = |(_, run): &(u64, SystemRun)| {
            let latency = run.probe.as_ref().map_or(0.0, |probe| probe.confidence_ps);
            (run.bytes_per_s_confidence, seconds(latency))
        };
        self.points.iter().map(error).collect()
    }

    /// The pauses that it lacks.
    fn lacking(&self) -> Vec<u64> {
        let points = self.points.iter().rev();
        let points: Vec<_> = points.map(|(delay, run)| (*delay, place(run))).collect();
        sweep::lacking(&points, self.idle.unwrap_or(0.0))
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
    let curves = curves(test, loaded, control, document)?;
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

/// The curves of all memories: over the pauses that were asked for, or over those that the curves ask for, wave by wave.
fn curves<'m, 'a>(
    test: &'m Test<'a>,
    loaded: &LoadedTest,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<Vec<DelayCurve<'m, 'a>>, LabError> {
    let curve = |memory| DelayCurve {
        memory,
        idle: None,
        points: Vec::new(),
    };
    let mut curves: Vec<_> = test.memories.iter().map(curve).collect();
    let is_placed = loaded.delays_cycles.is_empty();
    let first = match is_placed {
        true => sweep::START.to_vec(),
        false => loaded.delays_cycles.clone(),
    };
    let mut waves = vec![first; curves.len()];
    let mut begins = true;
    while waves.iter().any(|wave| !wave.is_empty()) {
        let mut points = Vec::new();
        for (curve, wave) in curves.iter().zip(&waves) {
            if begins {
                points.push(test.idle_point(curve.memory, loaded.samples));
            }
            points.extend(
                wave.iter()
                    .map(|&delay| point(test, loaded, curve.memory, delay)),
            );
        }
        // There is a run for every point.
        let mut runs = super::points::run(&points, control)?.into_iter();
        for (curve, wave) in curves.iter_mut().zip(&waves) {
            if begins {
                let idle = test.finished(curve.memory, runs.next().flatten(), document)?;
                curve.idle = idle.map(|run| place(&run).1);
            }
            for &delay in wave {
                let run = test.finished(curve.memory, runs.next().flatten(), document)?;
                curve.points.extend(run.map(|run| (delay, run)));
            }
            curve.points.sort_by_key(|(delay, _)| Reverse(*delay));
        }
        if !is_placed || !document.complete {
            break;
        }
        waves = curves.iter().map(DelayCurve::lacking).collect();
        begins = false;
    }
    Ok(curves)
}

fn point(test: &Test<'_>, loaded: &LoadedTest, memory: &ModuleMemory<'_>, delay: u64) -> DramPoint {
    let probes = Some(loaded.probes);
    let traffic = test.traffic(memory, loaded.mix, loaded.pattern, delay, probes);
    let name = format!("loaded, {}, delay {delay}", loaded.mix);
    let point = test.point(memory, &name, traffic, loaded.samples);
    DramPoint {
        length: RunLength {
            episodes: episodes(loaded.samples),
            settle_ps: SETTLE_PS,
            ..point.length
        },
        ..point
    }
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
            let rate = probe.samples as f64 * 64.0 / seconds(probe.duration_ps as f64);
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
        knee_rows(&places, &curve.errors(), &whole, document);
    }
}

/// The rows of a curve's knee: where it is, and between which points it lies. `errors` are half the widths of the places'
/// intervals.
pub(crate) fn knee_rows(
    places: &[Place],
    errors: &[Place],
    whole: &Subject,
    document: &mut ResultSet,
) {
    let knee = knee::knee(places);
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
    if knee.is_some() {
        knee_interval(places, errors, whole, document);
    }
}

/// Between which throughputs and latencies the knee lies: of the points that may be next to it.
fn knee_interval(places: &[Place], errors: &[Place], whole: &Subject, document: &mut ResultSet) {
    let Some((from, to)) = knee::knee_between(places, errors) else {
        return;
    };
    let within = &places[from..=to];
    type Coordinate = fn(&Place) -> f64;
    let coordinates: [(Metric, Coordinate); 2] = [
        (Metric::ThroughputKnee, |place| place.0),
        (Metric::LatencyKnee, |place| place.1),
    ];
    for (metric, of) in coordinates {
        let low = within.iter().map(of).fold(f64::INFINITY, f64::min);
        let high = within.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        for (end, value) in [("confidence_low", low), ("confidence_high", high)] {
            let at = whole.estimate(whole.basis, end);
            at.add(metric, Ok(value), document);
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
    let each = cores.under_way_max(loaded.mix, loaded.pattern);
    load * u64::from(each) + u64::from(loaded.probes)
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
    check_sweep(&loaded.delays_cycles, &loaded.within_ps)?;
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
    Ok(())
}

/// Checks pauses, which ascend, and times, which differ.
pub(crate) fn check_sweep(delays: &[u64], within_ps: &[u64]) -> Result<(), LabError> {
    let wrong = |problem: SettingProblem| Err(problem.of("delay"));
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
    if within_ps.is_empty() {
        return Ok(());
    }
    let within = within_ps
        .iter()
        .map(|ps| wordline_core::quantity::Time::from_ps(*ps).to_string());
    crate::list::distinct("within", within)
}
