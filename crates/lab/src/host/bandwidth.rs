//! `wordline host bandwidth`: throughput by threads, mix and stores, in bytes of the program and in bytes of the bus.

use std::time::Duration;

use wordline_core::quantity::ByteCount;
use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, HostBandwidthTest, Metric, ResultSet, StoreKind};
use wordline_host::memory::bandwidth::{self, BandwidthPlan, BandwidthPoint, BandwidthRun};
use wordline_host::memory::kernels::{KernelMix, KernelSet, KernelStores};

use super::names;
use super::session::HostSession;
use super::trust::{self, Doubts};
use crate::error::LabError;
use crate::list::distinct;
use crate::subject::Subject;
use crate::warning::LabWarning;

const TEST: &str = "bandwidth";

/// Time of the test without a limit, at most: passes are what ends it.
const SHARE: Duration = Duration::from_secs(600);

/// Windows of each thread, at least: from 1024 on that are left, the estimator does not call them few.
const WINDOWS: usize = 1280;

/// The most passes of a point.
const PASSES_MAX: u32 = 100_000;

pub(super) fn run(
    session: &HostSession<'_>,
    test: &HostBandwidthTest,
    share: f64,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    distinct("mix", test.mixes.iter().map(|mix| mix.name().to_owned()))?;
    distinct(
        "stores",
        test.stores.iter().map(|stores| stores.name().to_owned()),
    )?;
    if !test.threads.is_empty() {
        distinct("threads", test.threads.iter().map(u32::to_string))?;
    }
    crate::error::in_range("passes", test.passes, 1, PASSES_MAX)?;
    let set = names::set(&test.access);
    if set == KernelSet::Portable && test.stores == StoreKind::ALL {
        document.warn(LabWarning::StoresLeftOut {
            kernel: &set.name(),
        });
    }
    let plan = BandwidthPlan {
        threads: test.threads.clone(),
        mixes: test.mixes.iter().map(|mix| names::mix(*mix)).collect(),
        stores: test
            .stores
            .iter()
            .map(|stores| names::stores(*stores))
            .collect(),
        set,
        size_bytes: test.size_bytes,
        pages: names::pages(test.pages),
        passes: test.passes,
        windows: WINDOWS,
        node: test.access.node,
        cpu: test.access.cpu,
        share: session.share(share, SHARE),
    };
    let mut watch = |point: &BandwidthPoint, done, all| session.report(&place(point), done, all);
    let run = bandwidth::run(session.topology, &plan, &|| session.stopped(), &mut watch)?;
    rows(&run, &plan, session, document);
    Ok(())
}

/// What a message calls a point.
fn place(point: &BandwidthPoint) -> String {
    let mix = names::mix_of(point.mix);
    let stores = point.stores.map(names::stores_name);
    let stores = stores.map_or(String::new(), |stores| format!(", {stores} stores"));
    format!("bandwidth of {mix}{stores} on {} threads", point.threads)
}

/// The rows of a run, whoever measured it.
pub(super) fn rows(
    run: &BandwidthRun,
    plan: &BandwidthPlan,
    session: &HostSession<'_>,
    document: &mut ResultSet,
) {
    document.complete &= run.complete;
    let pages = names::pages_name(plan.pages);
    let mut doubts = Doubts::new(TEST);
    let mut derived = false;
    let least = |threads: u32| session.topology.beyond_caches_bytes(threads).unwrap_or(0);
    let in_caches = |point: &&BandwidthPoint| point.bytes < least(point.threads);
    for point in &run.points {
        let mix = names::mix_of(point.mix);
        let subject = session
            .subject(TEST, mix.operation())
            .at(Axis::Mix, mix.name())
            .at(Axis::Threads, u64::from(point.threads))
            .at(Axis::Kernel, plan.set.name());
        let subject = trust::at_pages(&subject, pages);
        let subject = match point.stores {
            Some(stores) => subject.at(Axis::Stores, names::stores_name(stores)),
            None => subject,
        };
        let is_memory = !in_caches(&point);
        derived |= is_memory && is_derived(point);
        figures(point, &subject, is_memory, &mut doubts, document);
        let obtained = (point.obtained.huge_share, point.obtained.node_share);
        trust::obtained(obtained, pages, TEST, &subject, document);
    }
    if let Some(worst) = run
        .points
        .iter()
        .filter(in_caches)
        .max_by_key(|point| least(point.threads))
    {
        document.warn(LabWarning::ArrayInCaches {
            found: &ByteCount::from_bytes(worst.bytes),
            least: &ByteCount::from_bytes(least(worst.threads)),
        });
    }
    if derived {
        document.warn(LabWarning::BusDerived);
    }
    let cut = run.points.iter().filter(|point| point.is_cut).count();
    trust::cut(session.has_limit(), TEST, cut, run.points.len(), document);
    doubts.warn(document);
}

/// Whether bytes on the bus contain lines that plain stores of copy and triad read first, which nothing counted.
fn is_derived(point: &BandwidthPoint) -> bool {
    point.stores == Some(KernelStores::Plain)
        && matches!(point.mix, KernelMix::Copy | KernelMix::Triad)
}

fn figures(
    point: &BandwidthPoint,
    subject: &Subject,
    is_memory: bool,
    doubts: &mut Doubts,
    document: &mut ResultSet,
) {
    if is_memory {
        subject.add(Metric::ReadShare, Ok(point.step.read_share()), document);
    }
    let found = match &point.estimate {
        Ok(found) => found,
        Err(why) => {
            subject.add(Metric::ThroughputP50, Err(NoValue::Failed), document);
            doubts.missing(why, &point.ledger, subject, &place(point), document);
            return;
        }
    };
    let trusted = |rate: f64| trust::trusted(found.grade, rate);
    for (metric, value) in [
        (Metric::ThroughputP10, trusted(found.p10)),
        (Metric::ThroughputP50, trusted(found.p50)),
        // An interruption can only slow a window down, so that this one stands whatever the grade.
        (Metric::ThroughputP90, Ok(found.p90)),
    ] {
        subject.add(metric, value, document);
    }
    interval(found.low, found.high, &trusted, subject, document);
    let best = found.best_pass.ok_or(NoValue::NotApplicable);
    subject.add(Metric::ThroughputBest, best, document);
    let bus = point.step.bus_per_logical();
    // What stays in caches goes over no bus.
    let on_bus = [("p50", trusted(found.p50)), ("best", best)];
    for (of, value) in on_bus.into_iter().filter(|_| is_memory) {
        let at = subject.estimate(Basis::Measured, of);
        at.add(
            Metric::BusThroughput,
            value.map(|rate| rate * bus),
            document,
        );
    }
    let graded = (found.grade, found.reasons.as_slice());
    doubts.graded(
        graded,
        found.hit_share,
        &point.ledger,
        subject,
        &place(point),
        document,
    );
}

fn interval(
    low: f64,
    high: f64,
    trusted: &dyn Fn(f64) -> Result<f64, NoValue>,
    subject: &Subject,
    document: &mut ResultSet,
) {
    let ends = [low, high].map(trusted);
    trust::interval(Metric::ThroughputP50, ends, subject, document);
}
