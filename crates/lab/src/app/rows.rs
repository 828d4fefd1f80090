//! The rows of a program on its baseline and on every target.

use wordline_apps::project::PhaseInputs;
use wordline_apps::{Profile, Projection, ServerPower, TaskEnergy, TimeShares};
use wordline_core::quantity::Quantity as _;
use wordline_core::results::NoValue;
use wordline_core::{AppWorkload, Axis, Basis, Metric, ResultSet, RowOperation, Timing};

use super::ProgramRun;
use super::cosimulate::Cosimulation;
use super::memory::ProgramMemory;
use super::power::KnownPower;
use crate::subject::{Axes, Subject};

/// Points of a curve that a page draws.
const CURVE_POINTS: u32 = 24;

/// Where a curve begins, as a share of the lines that all cores can have under way.
const CURVE_FROM: f64 = 0.01;

/// The `estimate` of what was simulated whole.
const COSIMULATED: &str = "cosimulated";

/// Adds all rows: of the baseline, then of the targets in their order.
pub(super) fn add(
    profile: &Profile,
    workload: &AppWorkload,
    (baseline, cosimulated): (&ProgramMemory<'_>, Option<&Cosimulation>),
    runs: &[ProgramRun<'_, '_>],
    power: &KnownPower,
    document: &mut ResultSet,
) {
    let Some(first) = runs.first() else {
        return;
    };
    if let Some((power, basis)) = power.known() {
        server_power(power, basis, baseline, document);
    }
    let power = power.known().map(|(power, _)| power);
    let cores = f64::from(profile.cores);
    let side = |memory: &ProgramMemory<'_>,
                projection: &Projection,
                side: usize,
                document: &mut ResultSet| {
        let subject = subject(memory);
        let (seconds, shares) = match side {
            0 => (projection.seconds_before, &projection.before),
            _ => (projection.seconds_after, &projection.after),
        };
        subject.add(Metric::ProgramTime, Ok(seconds), document);
        let used = &projection.memory[side];
        subject.add(Metric::ThroughputMean, Ok(used.bytes_per_s), document);
        subject.add(Metric::LatencyMean, Ok(used.latency_ns * 1e-9), document);
        time_shares(&subject, shares, document);
        subject.add(Metric::ProgramBound, Ok(bound(shares)), document);
        for phase in &projection.phases {
            if projection.phases.len() > 1 {
                let at = subject.at(Axis::Phase, phase.name.as_str());
                at.add(Metric::ProgramTime, Ok(phase.seconds[side]), document);
                at.add(
                    Metric::LatencyMean,
                    Ok(phase.times[side].memory_ns * 1e-9),
                    document,
                );
            }
        }
        subject.add(Metric::PowerMean, Ok(used.power_w), document);
        let task = power.map(|power| power.task(seconds, cores, shares, used));
        energy(&subject, task, used.power_w * seconds, document);
        let price = workload.prices.parts.get(&memory.target.module.header.id);
        if let Some(price) = price {
            let cost = price.si() * memory.modules();
            subject.add(Metric::Cost, Ok(cost), document);
        }
    };
    if !runs.iter().any(|run| run.memory.name() == baseline.name()) {
        side(baseline, &first.projection, 0, document);
        curves(profile, baseline, (&first.projection, 0), document);
        simulated_whole(profile, &subject(baseline), cosimulated, document);
        lines_waited_for(&subject(baseline), &first.projection, document);
    }
    for run in runs {
        let over = subject(run.memory).at(Axis::Over, baseline.name());
        speed_up(&over, run, document);
        if let (Some(before), Some(after)) = (cosimulated, &run.cosimulation) {
            let at = over.estimate(Basis::Simulated, COSIMULATED);
            at.add(
                Metric::SpeedUp,
                Ok(before.total_s() / after.total_s()),
                document,
            );
        }
        energy_ratio(&over, &run.projection, power, cores, document);
        side(run.memory, &run.projection, 1, document);
        curves(profile, run.memory, (&run.projection, 1), document);
        simulated_whole(
            profile,
            &subject(run.memory),
            run.cosimulation.as_ref(),
            document,
        );
        if runs.len() == 1 && run.memory.name() == baseline.name() {
            lines_waited_for(&subject(run.memory), &run.projection, document);
        }
    }
}

fn subject(memory: &ProgramMemory<'_>) -> Subject {
    Subject {
        target: memory.name().to_owned(),
        part: memory.target.module.header.id.clone(),
        board: memory.target.system.header.id.clone(),
        workload: "app",
        operation: RowOperation::All,
        axes: Axes::new(),
        timing: Timing::Max,
        age: 0.0,
        basis: Basis::Simulated,
    }
}

fn speed_up(over: &Subject, run: &ProgramRun<'_, '_>, document: &mut ResultSet) {
    let projection = &run.projection;
    over.add(Metric::SpeedUp, Ok(projection.speed_up), document);
    let band = projection.band.iter();
    let band = band.flat_map(|band| {
        [
            ("band_low", band.low),
            ("median", band.median),
            ("band_high", band.high),
        ]
    });
    let plain = [
        ("always", run.plain.always),
        ("roofline", run.plain.roofline),
        ("steady", run.plain.steady),
    ];
    for (estimate, value) in band.chain(plain) {
        let at = over.estimate(Basis::Simulated, estimate);
        at.add(Metric::SpeedUp, Ok(value), document);
    }
    if projection.phases.len() > 1 {
        for phase in &projection.phases {
            let at = over.at(Axis::Phase, phase.name.as_str());
            at.add(Metric::SpeedUp, Ok(phase.speed_up), document);
        }
    }
    over.add(
        Metric::GainOfBandwidth,
        Ok(projection.gain.percent_of_bandwidth),
        document,
    );
    over.add(
        Metric::GainOfLatency,
        Ok(projection.gain.nanosecond),
        document,
    );
}

fn time_shares(subject: &Subject, shares: &TimeShares, document: &mut ResultSet) {
    for (cause, share) in [
        ("compute", shares.compute),
        ("unloaded_latency", shares.latency),
        ("memory_load", shares.queue),
        ("outside", shares.outside),
    ] {
        let at = subject.at(Axis::Cause, cause);
        at.add(Metric::CoreTimeShare, Ok(share), document);
    }
}

/// 1 computing, 2 latency, 3 load, 4 outside.
fn bound(shares: &TimeShares) -> f64 {
    match shares.bound() {
        wordline_apps::ProgramBound::Compute => 1.0,
        wordline_apps::ProgramBound::Latency => 2.0,
        wordline_apps::ProgramBound::Bandwidth => 3.0,
        wordline_apps::ProgramBound::Outside => 4.0,
    }
}

fn energy(subject: &Subject, task: Option<TaskEnergy>, modules_j: f64, document: &mut ResultSet) {
    let total = task.map(|task| task.total_j());
    subject.add(
        Metric::TaskEnergy,
        total.ok_or(NoValue::NotApplicable),
        document,
    );
    let parts = task.iter().flat_map(|task| {
        [
            ("platform", task.platform_j),
            ("active_cores", task.active_j),
            ("stalled_cores", task.stalled_j),
        ]
    });
    for (cause, joules) in parts.chain([("modules", modules_j)]) {
        let at = subject.at(Axis::Cause, cause);
        at.add(Metric::TaskEnergyPart, Ok(joules), document);
    }
}

/// The powers that the energy of the task rests on, at the baseline.
fn server_power(
    power: ServerPower,
    basis: Basis,
    baseline: &ProgramMemory<'_>,
    document: &mut ResultSet,
) {
    let subject = Subject {
        basis,
        ..subject(baseline)
    };
    for (cause, watts) in [
        ("platform", power.platform_w),
        ("active_core", power.active_core_w),
        ("stalled_core", power.stalled_core_w),
    ] {
        let at = subject.at(Axis::Cause, cause);
        at.add(Metric::ServerPower, Ok(watts), document);
    }
}

fn lines_waited_for(subject: &Subject, projection: &Projection, document: &mut ResultSet) {
    for phase in &projection.phases {
        let at = match projection.phases.len() {
            1 => subject.clone(),
            _ => subject.at(Axis::Phase, phase.name.as_str()),
        };
        let lines = Some(phase.parallel).filter(|lines| lines.is_finite());
        at.add(
            Metric::LinesWaitedFor,
            lines.ok_or(NoValue::NotApplicable),
            document,
        );
    }
}

/// The curve of a memory's surface at the place of each phase, and the point of it that the phase works at.
fn curves(
    profile: &Profile,
    memory: &ProgramMemory<'_>,
    (projection, side): (&Projection, usize),
    document: &mut ResultSet,
) {
    let projected = memory.projected();
    let most = f64::from(memory.cores()) * projected.misses_per_core;
    for (phase, found) in profile.phases.iter().zip(&projection.phases) {
        let inputs = PhaseInputs::likeliest(phase);
        let curve = projected.surface.curve(inputs.place);
        let at = subject(memory)
            .at(Axis::Phase, phase.name.as_str())
            .estimate(Basis::Simulated, "surface");
        let step = libm::pow(CURVE_FROM, 1.0 / f64::from(CURVE_POINTS - 1));
        for point in 0..CURVE_POINTS {
            let outstanding = most * step.powi((CURVE_POINTS - 1 - point) as i32);
            let at = at.at(Axis::Point, u64::from(point + 1));
            let bytes_per_s = curve.rate(outstanding) * wordline_apps::profile::LINE_BYTES * 1e9;
            at.add(Metric::ThroughputMean, Ok(bytes_per_s), document);
            let seconds = curve.latency_ns(outstanding) * 1e-9;
            at.add(Metric::LatencyMean, Ok(seconds), document);
        }
        let times = &found.times[side];
        if times.line_ns > 0.0 {
            let at = subject(memory)
                .at(Axis::Phase, phase.name.as_str())
                .estimate(Basis::Simulated, "working_point");
            let rate = f64::from(profile.cores) / times.line_ns;
            let bytes_per_s = rate * wordline_apps::profile::LINE_BYTES * 1e9;
            at.add(Metric::ThroughputMean, Ok(bytes_per_s), document);
            at.add(Metric::LatencyMean, Ok(times.memory_ns * 1e-9), document);
        }
    }
}

/// What the windows of a program came to on a memory when they were simulated whole.
fn simulated_whole(
    profile: &Profile,
    subject: &Subject,
    found: Option<&Cosimulation>,
    document: &mut ResultSet,
) {
    let Some(found) = found else { return };
    let whole = subject.estimate(Basis::Simulated, COSIMULATED);
    whole.add(Metric::ProgramTime, Ok(found.total_s()), document);
    let phases = found.ratios.iter().zip(&found.seconds);
    for (phase, (ratio, seconds)) in profile.phases.iter().zip(phases) {
        let at = whole.at(Axis::Phase, phase.name.as_str());
        at.add(Metric::ProgramTime, Ok(*seconds), document);
        at.add(Metric::SurfaceDifference, Ok(ratio - 1.0), document);
    }
}

/// Energy of the task over that of the baseline; without powers the ends that no powers exceed.
fn energy_ratio(
    over: &Subject,
    projection: &Projection,
    power: Option<ServerPower>,
    cores: f64,
    document: &mut ResultSet,
) {
    if let Some(power) = power {
        let [before, after] = power.projected(projection, cores);
        let ratio = after.total_j() / before.total_j();
        over.add(Metric::TaskEnergyRatio, Ok(ratio), document);
        return;
    }
    over.add(
        Metric::TaskEnergyRatio,
        Err(NoValue::NotApplicable),
        document,
    );
    let ends = ServerPower::whatever(projection);
    for (estimate, ratio) in ["least", "greatest"].into_iter().zip(ends) {
        let at = over.estimate(Basis::Simulated, estimate);
        at.add(Metric::TaskEnergyRatio, Ok(ratio), document);
    }
}
