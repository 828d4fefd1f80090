//! `wordline host loaded`: latency while other cores load the memory, in the rows of `wordline dram loaded`.
//!
//! Pauses are placed by the same rule, and knee and stages come from the same functions. A sample is the mean of a batch of
//! few loads, from which the clock's cost is taken off: a histogram of single loads would be one of the clock.

use std::time::Duration;

use wordline_core::results::{HistogramBucket, NoValue};
use wordline_core::{Axis, Basis, HostLoadedTest, Metric, Pattern, ResultSet};
use wordline_dram::system::{BIN_PS, BINS};
use wordline_host::memory::estimate::{Grade, GradeReason};
use wordline_host::memory::loaded::{self, LoadedPlan, LoadedPoint, LoadedRun};

use super::names;
use super::session::HostSession;
use super::trust::{self, Doubts};
use crate::dram::knee::{self, Place};
use crate::dram::loaded::{check_sweep, knee_rows};
use crate::dram::rows::seconds;
use crate::dram::sweep;
use crate::error::LabError;
use crate::subject::Subject;

const TEST: &str = "loaded";

/// Time of the test without a limit, at most: samples are what ends it.
const SHARE: Duration = Duration::from_secs(120);

/// The most samples of a point, here and wherever loads are timed.
pub(super) const SAMPLES_MAX: u64 = 1_000_000_000;

/// Blocks of samples from whose means the interval of the mean comes.
const BLOCKS: usize = 20;

pub(super) fn run(
    session: &HostSession<'_>,
    test: &HostLoadedTest,
    share: f64,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check_sweep(&test.delays_cycles, &test.within_ps)?;
    crate::error::in_range("samples", test.samples, 1, SAMPLES_MAX)?;
    let plan = LoadedPlan {
        mix: names::mix(test.mix),
        stores: names::stores(test.stores),
        set: names::set(&test.access),
        probes: test.probes,
        size_bytes: test.size_bytes,
        pages: names::pages(test.pages),
        loads: test.samples,
        node: test.access.node,
        cpu: test.access.cpu,
        seed: session.seed,
        share: session.share(share, SHARE),
        points: match test.delays_cycles.len() {
            0 => sweep::POINTS_MAX,
            asked => asked,
        },
    };
    let asked = &test.delays_cycles;
    let next = |run: &LoadedRun| next_pauses(asked, run);
    let all = plan.points + 1;
    let mut watch = |point: &LoadedPoint, done: usize| {
        session.report(&place(test, point), done, all.max(done));
    };
    let run = loaded::run(
        session.topology,
        &plan,
        &next,
        &|| session.stopped(),
        &mut watch,
    )?;
    session.far(run.probe_cpu, test.access.node, document);
    rows(&run, test, session, document);
    Ok(())
}

/// Those that were asked for, once; without any, those that the curve lacks.
fn next_pauses(asked: &[u64], run: &LoadedRun) -> Vec<u64> {
    match (asked, run.points.as_slice()) {
        ([], []) => sweep::START.to_vec(),
        (asked, []) => asked.to_vec(),
        ([], points) => {
            let of = |point: &LoadedPoint| (point.delay_cycles.unwrap_or(0), placed(point));
            let points: Vec<(u64, Place)> = points.iter().map(of).collect();
            sweep::lacking(&points, idle(run).unwrap_or(0.0))
        }
        _ => Vec::new(),
    }
}

/// What a message calls a point.
fn place(test: &HostLoadedTest, point: &LoadedPoint) -> String {
    match point.delay_cycles {
        Some(delay) => format!("loaded, {}, delay {delay}", test.mix),
        None => "loaded, idle".to_owned(),
    }
}

/// Throughput in B/s and mean latency in seconds.
fn placed(point: &LoadedPoint) -> Place {
    let samples = BatchMeans::of(point);
    (point.load.0 + point.probes, seconds(samples.mean_ps))
}

fn idle(run: &LoadedRun) -> Option<f64> {
    let means = BatchMeans::of(run.idle.as_ref()?);
    (!means.sorted.is_empty()).then(|| seconds(means.mean_ps))
}

/// The rows of a run, whoever measured it.
pub(super) fn rows(
    run: &LoadedRun,
    test: &HostLoadedTest,
    session: &HostSession<'_>,
    document: &mut ResultSet,
) {
    document.complete &= run.complete;
    session.measured_on(run.probe_cpu, document);
    session.in_caches(TEST, run.bytes, document);
    let whole = session
        .subject(TEST, test.mix.operation())
        .at(Axis::Mix, test.mix.name())
        .at(Axis::Pattern, Pattern::Sequential.name());
    let mut doubts = Doubts::new(TEST);
    let samples: Vec<BatchMeans> = run.points.iter().map(BatchMeans::of).collect();
    // Least load first, as a curve goes.
    let place = |(point, means): (&LoadedPoint, &BatchMeans)| {
        (point.load.0 + point.probes, seconds(means.mean_ps))
    };
    let places: Vec<Place> = run.points.iter().zip(&samples).rev().map(place).collect();
    let error =
        |(point, means): (&LoadedPoint, &BatchMeans)| (point.load.1, seconds(means.confidence_ps));
    let errors: Vec<Place> = run.points.iter().zip(&samples).rev().map(error).collect();
    let knee = knee::knee(&places).filter(|_| document.complete);
    let idle = idle(run);
    let mut stages = knee::stages(&places, knee, idle.unwrap_or(0.0));
    stages.reverse();
    for ((point, means), stage) in run.points.iter().zip(&samples).zip(stages) {
        let name = self::place(test, point);
        let subject = whole.at(Axis::DelayCycles, point.delay_cycles.unwrap_or(0));
        throughput(run, point, &subject, document);
        means.rows(format!("{}, {name}", whole.target), &subject, document);
        for &within in &test.within_ps {
            let at = subject.at(Axis::WithinS, seconds(within as f64));
            at.add(
                Metric::LatencyShare,
                trust::trusted(means.grade, means.share_within(within as f64)),
                document,
            );
        }
        if document.complete {
            subject.add(Metric::LoadStage, Ok(f64::from(stage)), document);
        }
        grade(point, &subject, &name, &mut doubts, document);
    }
    if let (Some(idle), Some(point)) = (idle, &run.idle) {
        let alone = whole.estimate(Basis::Measured, "idle");
        let value = trust::trusted(BatchMeans::of(point).grade, idle);
        alone.add(Metric::LatencyMean, value, document);
    }
    let threads = Ok(f64::from(run.load_threads));
    whole.add(Metric::LoadThreads, threads, document);
    if document.complete {
        knee_rows(&places, &errors, &whole, document);
    }
    let obtained = (run.obtained.huge_share, run.obtained.node_share);
    trust::obtained(obtained, test.pages.name(), TEST, &whole, document);
    let all = run.points.iter().chain(&run.idle);
    let cut = all.clone().filter(|point| point.sampled.is_cut).count();
    trust::cut(session.has_limit(), TEST, cut, all.count(), document);
    doubts.warn(document);
}

fn throughput(run: &LoadedRun, point: &LoadedPoint, subject: &Subject, document: &mut ResultSet) {
    let (load, half) = point.load;
    let all = load + point.probes;
    subject.add(Metric::ThroughputMean, Ok(all), document);
    // Probes only read.
    let read = (load * run.step.read_share() + point.probes) / all;
    subject.add(Metric::ReadShare, Ok(read), document);
    let half = Some(half).filter(|half| half.is_finite());
    let half = half.ok_or(NoValue::NotApplicable);
    subject.add(Metric::ThroughputConfidence, half, document);
    subject.add(Metric::ThroughputProbes, Ok(point.probes), document);
}

/// Reasons that hold under load. Memory is contended for by design: that is no reason against a figure here.
fn foreign(reasons: &[GradeReason]) -> Vec<GradeReason> {
    let foreign = |reason: &&GradeReason| {
        !matches!(
            reason,
            GradeReason::MemoryContention { .. } | GradeReason::UnexplainedSpread { .. }
        )
    };
    reasons.iter().filter(foreign).cloned().collect()
}

/// The grade of a point.
fn grade(
    point: &LoadedPoint,
    subject: &Subject,
    name: &str,
    doubts: &mut Doubts,
    document: &mut ResultSet,
) {
    let ledger = &point.sampled.ledger;
    match &point.sampled.estimate {
        Ok(found) => {
            let reasons = foreign(&found.reasons);
            trust::cold(found, subject, document);
            let graded = (Grade::of(&reasons), reasons.as_slice());
            doubts.graded(graded, found.hit_share, ledger, subject, name, document);
        }
        Err(why) => doubts.missing(why, ledger, subject, name, document),
    }
}

/// Means of batches, without the clock's cost and without those that were interrupted or cold, in picoseconds a load.
struct BatchMeans {
    /// Ascending.
    sorted: Vec<f64>,
    loads: u64,
    mean_ps: f64,
    /// Half the width of the 95 % interval of the mean.
    confidence_ps: f64,
    /// How far they can be trusted; refused where there is no estimate.
    grade: Grade,
}

impl BatchMeans {
    fn of(point: &LoadedPoint) -> Self {
        let found = point.sampled.estimate.as_ref();
        let kept = found.map_or(&[][..], |found| found.kept.as_slice());
        let in_time: Vec<f64> = kept.iter().map(|batch| batch.ps.max(0.0)).collect();
        let (mean_ps, confidence_ps) = by_blocks(&in_time);
        let mut sorted = in_time;
        sorted.sort_by(f64::total_cmp);
        Self {
            sorted,
            loads: found.map_or(0, |found| found.samples),
            mean_ps,
            confidence_ps,
            grade: found.map_or(Grade::Refused, |found| Grade::of(&foreign(&found.reasons))),
        }
    }

    /// The value that a share of the samples does not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let rank = (share * self.sorted.len() as f64).ceil() as usize;
        let rank = rank.clamp(1, self.sorted.len().max(1));
        self.sorted.get(rank - 1).copied().unwrap_or(0.0)
    }

    fn share_within(&self, within_ps: f64) -> f64 {
        let within = self.sorted.partition_point(|sample| *sample <= within_ps);
        within as f64 / self.sorted.len().max(1) as f64
    }

    /// The rows that probes of simulated modules have.
    fn rows(&self, name: String, subject: &Subject, document: &mut ResultSet) {
        let is_trusted = self.grade < Grade::Refused;
        for (metric, ps) in [
            (Metric::LatencyMean, self.mean_ps),
            (Metric::LatencyP50, self.quantile(0.5)),
            (Metric::LatencyP90, self.quantile(0.9)),
            (Metric::LatencyP99, self.quantile(0.99)),
            (Metric::LatencyP999, self.quantile(0.999)),
            (Metric::LatencyMax, self.quantile(1.0)),
        ] {
            let mut row = subject.row(metric, trust::trusted(self.grade, seconds(ps)));
            row.distribution = is_trusted.then(|| name.clone());
            document.rows.push(row);
        }
        if is_trusted {
            document.histograms.insert(name, self.buckets());
        }
        subject.add(Metric::AccessCount, Ok(self.loads as f64), document);
        let half = self.confidence_ps;
        let ends = [self.mean_ps - half, self.mean_ps + half];
        let ends = ends.map(|end| trust::trusted(self.grade, seconds(end)));
        trust::interval(Metric::LatencyMean, ends, subject, document);
    }

    /// Bins as those of simulated modules: equally wide, the last one open.
    fn buckets(&self) -> Vec<HistogramBucket> {
        let mut counts = vec![0; BINS];
        for sample in &self.sorted {
            let bin = (*sample / BIN_PS as f64) as usize;
            counts[bin.min(BINS - 1)] += 1;
        }
        let occupied = counts
            .into_iter()
            .enumerate()
            .filter(|(_, count)| *count > 0);
        let bucket = |(bin, count): (usize, u64)| HistogramBucket {
            upper_s: seconds(match bin + 1 {
                BINS => self.quantile(1.0),
                next => (next as u64 * BIN_PS) as f64,
            }),
            count,
        };
        occupied.map(bucket).collect()
    }
}

/// The mean, and half the width of its 95 % interval by the means of equal blocks, which may be correlated inside.
fn by_blocks(in_time: &[f64]) -> (f64, f64) {
    let mean = |samples: &[f64]| samples.iter().sum::<f64>() / samples.len().max(1) as f64;
    let all = mean(in_time);
    let length = in_time.len() / BLOCKS;
    if length == 0 {
        return (all, f64::INFINITY);
    }
    let blocks: Vec<f64> = in_time
        .chunks_exact(length)
        .take(BLOCKS)
        .map(mean)
        .collect();
    let variance = blocks
        .iter()
        .map(|block| (block - all).powi(2))
        .sum::<f64>();
    let variance = variance / (BLOCKS - 1) as f64;
    // Student's t of 19 degrees of freedom.
    (all, 2.093 * (variance / BLOCKS as f64).sqrt())
}
