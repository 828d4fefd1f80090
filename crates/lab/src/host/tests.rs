//! Rows of planted readings, of which the truth is known, and a small run of each test on this machine.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wordline_catalog::Catalog;
use wordline_core::results::{NoValue, Row};
use wordline_core::{
    Axis, ChainOrder, Experiment, HostAllTest, HostBandwidthTest, HostLatencyTest, HostLoadedTest,
    HostMatrixTest, HostMix, HostPages, HostTest, HostWorkload, Metric, ResultSet, Timing,
    Workload,
};
use wordline_host::memory::DriverError;
use wordline_host::memory::arena::{ArenaObtained, PageSize};
use wordline_host::memory::bandwidth::{
    BandwidthFigures, BandwidthPlan, BandwidthPoint, BandwidthRun, MergedObtained, StepBytes,
};
use wordline_host::memory::chain::ChainWalk;
use wordline_host::memory::estimate::{self, Grade, TimedBatch, TimerCost};
use wordline_host::memory::kernels::{KernelMix, KernelSet, KernelStores};
use wordline_host::memory::latency::{LatencyPoint, LatencyRun, SweepEnd};
use wordline_host::memory::ledger::LedgerReading;
use wordline_host::memory::loaded::{LoadedPoint, LoadedRun};
use wordline_host::memory::sampling::SampledLatency;
use wordline_host::memory::topology::{CacheLevel, Topology};

use super::session::HostSession;
use super::{bandwidth, latency, loaded, names};
use crate::control::Control;
use crate::error::LabError;

const TIMER: TimerCost = TimerCost {
    cost_ps: 20_000.0,
    quantum_ps: 1_000.0,
};

fn experiment(test: HostTest) -> Experiment {
    Experiment {
        targets: Vec::new(),
        workload: Workload::Host(HostWorkload::of(test)),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 1,
        ftl: None,
    }
}

fn document(test: HostTest) -> ResultSet {
    ResultSet::new(experiment(test))
}

fn with_session(work: impl FnOnce(&HostSession<'_>)) {
    let topology = Topology::of_this_machine().expect("it can be read");
    let control = Control::default();
    work(&HostSession::new(&topology, "lab7", 1, &control));
}

/// Batches of 16 loads, one after the other; `each_ps` gives a load's time by the batch's number.
fn sampled(count: u64, each_ps: impl Fn(u64) -> u64) -> SampledLatency {
    let mut at_ps = 0;
    let batch = |index: u64| {
        let duration_ps = 16 * each_ps(index) + TIMER.cost_ps as u64;
        let batch = TimedBatch {
            at_ps,
            duration_ps,
            loads: 16,
        };
        at_ps += duration_ps;
        batch
    };
    let batches: Vec<TimedBatch> = (0..count).map(batch).collect();
    let seconds = at_ps as f64 * 1e-12;
    let ledger = LedgerReading {
        elapsed_s: seconds,
        processor_s: seconds,
        cpu_pressure: Some(0.0),
        ..LedgerReading::default()
    };
    SampledLatency {
        estimate: estimate::latency(&batches, &TIMER, &ledger),
        ledger,
        batches,
        pauses: Vec::new(),
        refill_loads: None,
        is_cut: false,
    }
}

/// A little noise without a period that blocks could see.
fn noise(index: u64) -> u64 {
    (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 2_000
}

fn point(walk: ChainWalk, bytes: u64, sampled: SampledLatency) -> LatencyPoint {
    LatencyPoint {
        pages: PageSize::Base,
        obtained: ArenaObtained {
            huge_share: 1.0,
            page_bytes: 4096,
            node_share: Some(1.0),
            nodes: vec![(0, 1.0)],
        },
        walk,
        bytes,
        sampled,
    }
}

fn value(document: &ResultSet, metric: Metric, has: impl Fn(&Row) -> bool) -> Result<f64, NoValue> {
    let plain = |row: &&Row| row.text(Axis::Estimate).is_none() && has(row);
    let mut rows = document.of(metric).filter(plain);
    let row = rows
        .next()
        .unwrap_or_else(|| panic!("no {metric} in {:?}", document.rows));
    assert!(rows.next().is_none(), "several rows of {metric}");
    row.value.ok_or_else(|| row.no_value.expect("one of both"))
}

#[test]
fn page_walks_are_what_lone_loads_take_longer() {
    let at = |ps: u64| move |index: u64| ps + noise(index);
    let points = vec![
        point(ChainWalk::InPage, 64 << 20, sampled(4000, at(100_000))),
        // A walk of 40 ns for each fourth load, and for each.
        point(ChainWalk::InPage, 128 << 20, sampled(4000, at(111_000))),
        point(ChainWalk::PerPage, 128 << 20, sampled(4000, at(141_000))),
        // Without its counterpart it says nothing.
        point(ChainWalk::PerPage, 256 << 20, sampled(4000, at(150_000))),
    ];
    let run = LatencyRun {
        cpu: 0,
        end: None,
        points,
        refused: Vec::new(),
        complete: true,
    };
    with_session(|session| {
        let mut document = document(HostTest::Latency(HostLatencyTest::default()));
        latency::rows(&run, session, &mut document);
        document.check().expect("sound rows");
        let walk = value(&document, Metric::PageWalkTime, |row| {
            row.count(Axis::WorkingSetBytes) == Some(128 << 20)
        });
        assert!((walk.expect("a time") - 40e-9).abs() < 0.3e-9, "{walk:?}");
        let mut apart = document.of(Metric::LatencyP50);
        let apart = apart.find(|row| row.text(Axis::Estimate) == Some("without_page_walk"));
        let apart = apart.and_then(|row| row.value).expect("a time");
        assert!((apart - 102e-9).abs() < 0.3e-9, "{apart}");
        let median = value(&document, Metric::LatencyP50, |row| {
            row.text(Axis::Pattern) == Some("in-page")
                && row.count(Axis::WorkingSetBytes) == Some(64 << 20)
        });
        // The clock's cost is taken off.
        assert!(
            (median.expect("a time") - 101e-9).abs() < 0.1e-9,
            "{median:?}"
        );
        let of = |row: &Row| (row.target.as_str(), row.board.as_str()) == ("ram@lab7", "lab7");
        assert!(document.rows.iter().all(of));
    });
}

/// Others use the memory, now more and now less: the median is not to be quoted, and the fastest part is.
#[test]
fn a_refused_figure_keeps_what_is_least_disturbed() {
    let shared = |index: u64| 100_000 + 300 * noise(index / 40 + 7) + noise(index);
    let shared = sampled(4000, shared);
    let grade = shared.estimate.as_ref().map(|found| found.grade);
    assert_eq!(grade, Ok(Grade::Refused));
    let run = LatencyRun {
        cpu: 0,
        end: None,
        points: vec![point(ChainWalk::Random, 128 << 20, shared)],
        refused: Vec::new(),
        complete: true,
    };
    with_session(|session| {
        let mut document = document(HostTest::Latency(HostLatencyTest::default()));
        latency::rows(&run, session, &mut document);
        for metric in [Metric::LatencyP50, Metric::LatencyMean, Metric::TrustGrade] {
            assert_eq!(
                value(&document, metric, |_| true),
                Err(NoValue::Failed),
                "{metric}"
            );
        }
        let p5 = value(&document, Metric::LatencyP5, |_| true).expect("a time");
        assert!((100e-9..200e-9).contains(&p5), "{p5}");
        let codes: Vec<&str> = document
            .warnings
            .iter()
            .map(|warning| warning.code.as_str())
            .collect();
        assert!(codes.contains(&"refused"), "{:?}", document.warnings);
        assert!(
            document
                .warnings
                .iter()
                .any(|warning| warning.advice.contains("p5"))
        );
    });
}

#[test]
fn too_few_batches_are_a_failure_by_name() {
    let run = LatencyRun {
        cpu: 0,
        end: None,
        points: vec![point(ChainWalk::Random, 4096, sampled(10, |_| 1_000))],
        refused: Vec::new(),
        complete: false,
    };
    with_session(|session| {
        let mut document = document(HostTest::Latency(HostLatencyTest::default()));
        latency::rows(&run, session, &mut document);
        assert_eq!(
            value(&document, Metric::LatencyP50, |_| true),
            Err(NoValue::Failed)
        );
        let mut advice = document.warnings.iter().map(|warning| &warning.advice);
        let failed = advice.find(|advice| advice.contains("cannot be made"));
        assert!(
            failed.is_some_and(|advice| advice.contains("10")),
            "{failed:?}"
        );
        assert!(!document.complete);
    });
}

/// A curve that bends between 40 and 50 GB/s, least load last as runs have it.
fn loaded_run() -> LoadedRun {
    let point = |delay: u64, load: f64, ps: u64| LoadedPoint {
        delay_cycles: Some(delay),
        load: (load, 1e8),
        probes: 6e8,
        // Every 500th batch lost its processor for 3 ms.
        sampled: sampled(4000, move |index| {
            ps + noise(index) + if index % 500 == 250 { 187_500_000 } else { 0 }
        }),
    };
    LoadedRun {
        load_threads: 3,
        probe_cpu: 1,
        bytes: 1 << 29,
        step: StepBytes {
            logical: 192,
            bus_read: 128,
            bus_written: 64,
        },
        obtained: MergedObtained {
            huge_share: 0.5,
            node_share: None,
        },
        timer: TIMER,
        idle: Some(LoadedPoint {
            delay_cycles: None,
            load: (0.0, 0.0),
            ..point(0, 0.0, 100_000)
        }),
        points: vec![
            point(0, 50e9, 400_000),
            point(40, 49e9, 300_000),
            point(400, 40e9, 140_000),
            point(20_000, 2e9, 101_000),
        ],
        complete: true,
    }
}

/// The core was away for nine tenths of the time, and no batch shows it: no latency of that point is to be quoted.
#[test]
fn a_refused_point_under_load_has_no_latency() {
    let mut run = loaded_run();
    let lost = &mut run.points[0].sampled;
    lost.batches
        .iter_mut()
        .for_each(|batch| batch.duration_ps = 6_400_000);
    let mut at_ps = 0;
    for batch in &mut lost.batches {
        batch.at_ps = at_ps;
        at_ps += batch.duration_ps;
    }
    lost.ledger.processor_s = lost.ledger.elapsed_s / 10.0;
    lost.estimate = estimate::latency(&lost.batches, &TIMER, &lost.ledger);
    let test = HostLoadedTest::default();
    with_session(|session| {
        let mut document = document(HostTest::Loaded(test.clone()));
        loaded::rows(&run, &test, session, &mut document);
        document.check().expect("sound rows");
        let at = |delay: u64| move |row: &Row| row.count(Axis::DelayCycles) == Some(delay);
        for metric in [
            Metric::LatencyMean,
            Metric::LatencyP50,
            Metric::LatencyP99,
            Metric::LatencyMax,
        ] {
            assert_eq!(
                value(&document, metric, at(0)),
                Err(NoValue::Failed),
                "{metric}"
            );
            assert!(value(&document, metric, at(40)).is_ok(), "{metric}");
        }
        assert_eq!(value(&document, Metric::BatchesCold, at(40)), Ok(0.0));
    });
}

#[test]
fn loaded_has_the_columns_knee_and_stages_of_simulated_modules() {
    let test = HostLoadedTest {
        mix: HostMix::TwoToOne,
        within_ps: vec![200_000],
        ..HostLoadedTest::default()
    };
    with_session(|session| {
        let mut document = document(HostTest::Loaded(test.clone()));
        loaded::rows(&loaded_run(), &test, session, &mut document);
        document.check().expect("sound rows");
        let at = |delay: u64| move |row: &Row| row.count(Axis::DelayCycles) == Some(delay);
        let rate = value(&document, Metric::ThroughputMean, at(400)).expect("a rate");
        assert!((rate - 40.6e9).abs() < 1.0, "{rate}");
        let read = value(&document, Metric::ReadShare, at(400)).expect("a share");
        assert!(
            (read - (40.0 * 2.0 / 3.0 + 0.6) / 40.6).abs() < 1e-9,
            "{read}"
        );
        let mean = value(&document, Metric::LatencyMean, at(400)).expect("a time");
        assert!(
            (mean - 141e-9).abs() < 0.3e-9,
            "interrupted batches are left out: {mean}"
        );
        let max = value(&document, Metric::LatencyMax, at(400)).expect("a time");
        assert!(max < 143e-9, "{max}");
        for (delay, stage) in [(20_000, 1.0), (400, 2.0), (40, 3.0), (0, 3.0)] {
            assert_eq!(
                value(&document, Metric::LoadStage, at(delay)),
                Ok(stage),
                "{delay}"
            );
        }
        let knee = value(&document, Metric::ThroughputKnee, |_| true).expect("it bends");
        assert!((knee - 40.6e9).abs() < 1.0, "{knee}");
        assert_eq!(value(&document, Metric::LatencyShare, at(400)), Ok(1.0));
        assert_eq!(value(&document, Metric::LatencyShare, at(40)), Ok(0.0));
        let buckets = &document.histograms["ram@lab7, loaded, 2:1, delay 400"];
        // 140 to 142 ns lie between 17 and 18 times 8 ns.
        assert_eq!(buckets.len(), 1);
        assert!((buckets[0].upper_s - 144e-9).abs() < 1e-15 && buckets[0].count == 3992);
        let warned = |code: &str| document.warnings.iter().any(|warning| warning.code == code);
        assert!(warned("not-obtained"));
    });
}

/// Whatever axes `wordline dram loaded` gives the rows of its points, those of a machine have as well, and no others.
#[test]
fn loaded_rows_lie_in_the_same_columns_as_simulated_ones() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let simulated = Experiment {
        targets: vec!["rdimm-6400-2rx4-128g@xeon6-1s".into()],
        workload: Workload::Dram(wordline_core::DramWorkload {
            warm_up_ps: 0,
            measure_ps: 1_000_000,
            ..wordline_core::DramWorkload::of(wordline_core::DramTest::Loaded(
                wordline_core::LoadedTest {
                    delays_cycles: vec![0, 100, 2000],
                    samples: 50,
                    probes: 1,
                    within_ps: vec![200_000],
                    ..wordline_core::LoadedTest::default()
                },
            ))
        }),
        timings: vec![Timing::Max],
        ..experiment(HostTest::Loaded(HostLoadedTest::default()))
    };
    let simulated = crate::run(&catalog, &simulated, &Control::default()).expect("it runs");
    let test = HostLoadedTest {
        within_ps: vec![200_000],
        ..HostLoadedTest::default()
    };
    with_session(|session| {
        let mut measured = document(HostTest::Loaded(test.clone()));
        loaded::rows(&loaded_run(), &test, session, &mut measured);
        let columns = |document: &ResultSet, metric: Metric| -> BTreeSet<Vec<Axis>> {
            let axes = document
                .of(metric)
                .map(|row| row.axes.keys().copied().collect());
            axes.collect()
        };
        // Waits, rows and power of modules cannot be measured without counters; every other metric is there.
        for metric in [
            Metric::ThroughputMean,
            Metric::ReadShare,
            Metric::ThroughputConfidence,
            Metric::ThroughputProbes,
            Metric::LatencyMean,
            Metric::LatencyP50,
            Metric::LatencyP90,
            Metric::LatencyP99,
            Metric::LatencyP999,
            Metric::LatencyMax,
            Metric::LatencyShare,
            Metric::AccessCount,
            Metric::LoadStage,
            Metric::ThroughputKnee,
            Metric::LatencyKnee,
        ] {
            let (one, other) = (columns(&simulated, metric), columns(&measured, metric));
            // Curves that do not bend have no interval of the knee, and one target has no loads to compare.
            let beyond: Vec<_> = other.difference(&one).collect();
            let plain = |axes: &&&Vec<Axis>| !axes.contains(&Axis::Estimate);
            assert!(
                beyond.iter().find(|axes| plain(axes)).is_none(),
                "{metric}: {beyond:?}"
            );
            assert!(!one.is_disjoint(&other), "{metric}: {one:?} {other:?}");
        }
    });
}

#[test]
fn bus_bytes_are_apart_from_those_of_the_program() {
    let point = BandwidthPoint {
        threads: 2,
        mix: KernelMix::Copy,
        stores: Some(KernelStores::Plain),
        bytes: 1 << 28,
        step: StepBytes {
            logical: 128,
            bus_read: 128,
            bus_written: 64,
        },
        obtained: MergedObtained {
            huge_share: 1.0,
            node_share: Some(1.0),
        },
        estimate: Ok(BandwidthFigures {
            p10: 18e9,
            p50: 20e9,
            p90: 21e9,
            low: 19.9e9,
            high: 20.1e9,
            best_pass: Some(20.5e9),
            hit_share: 0.0,
            overlap_share: 1.0,
            grade: Grade::A,
            reasons: Vec::new(),
        }),
        ledger: LedgerReading::default(),
        passes: 10,
        is_cut: true,
    };
    let plan = BandwidthPlan {
        threads: vec![2],
        mixes: vec![KernelMix::Copy],
        stores: vec![KernelStores::Plain],
        set: KernelSet::Portable,
        size_bytes: None,
        pages: PageSize::Huge2M,
        passes: 10,
        windows: 0,
        node: None,
        cpu: None,
        share: Duration::ZERO,
    };
    let run = BandwidthRun {
        points: vec![point],
        complete: true,
    };
    let mut topology = Topology::of_this_machine().expect("it can be read");
    topology.caches = vec![last_cache(32 << 20)];
    let control = Control {
        budget: Some(Duration::from_secs(1)),
        ..Control::default()
    };
    let session = HostSession::new(&topology, "lab7", 1, &control);
    let mut document = document(HostTest::Bandwidth(HostBandwidthTest::default()));
    bandwidth::rows(&run, &plan, &session, &mut document);
    document.check().expect("sound rows");
    assert_eq!(value(&document, Metric::ThroughputP50, |_| true), Ok(20e9));
    let bus = |of: &str| {
        let mut rows = document.of(Metric::BusThroughput);
        rows.find(|row| row.text(Axis::Estimate) == Some(of))
            .and_then(|row| row.value)
    };
    assert_eq!((bus("p50"), bus("best")), (Some(30e9), Some(30.75e9)));
    assert_eq!(value(&document, Metric::ReadShare, |_| true), Ok(2.0 / 3.0));
    // It was cut, and the limit of time says so.
    assert!(
        document
            .warnings
            .iter()
            .any(|warning| warning.code == "cut-by-budget")
    );
    let derived = document.warnings.iter();
    let derived = derived.filter(|warning| warning.advice.contains("SpecI2M"));
    assert_eq!(derived.count(), 1);

    // The caches of two threads hold a quarter of it or more: what goes over the bus is unknown.
    topology.caches = vec![last_cache(65 << 20)];
    let session = HostSession::new(&topology, "lab7", 1, &control);
    let mut document = self::document(HostTest::Bandwidth(HostBandwidthTest::default()));
    bandwidth::rows(&run, &plan, &session, &mut document);
    document.check().expect("sound rows");
    assert_eq!(value(&document, Metric::ThroughputP50, |_| true), Ok(20e9));
    for metric in [Metric::BusThroughput, Metric::ReadShare] {
        assert_eq!(document.of(metric).count(), 0, "{metric}");
    }
    let warned = document.warnings.iter().map(|warning| &warning.advice);
    let warned: Vec<_> = warned
        .filter(|advice| advice.contains("no bytes on the bus"))
        .collect();
    assert!(
        warned.len() == 1 && warned[0].contains("260 MiB"),
        "{warned:?}"
    );
}

fn last_cache(bytes: u64) -> CacheLevel {
    CacheLevel {
        level: 3,
        bytes,
        ways: 16,
        line_bytes: 64,
        shared_by: vec![0],
    }
}

/// A load thread of this machine pauses as often as a core of a simulated one: write-backs count in neither.
#[test]
fn pauses_come_as_often_as_in_simulated_systems() {
    for mix in HostMix::ALL.into_iter().filter(|mix| *mix != HostMix::Copy) {
        let simulated = wordline_dram::system::paced_accesses(mix.module_mix());
        let measured = names::mix(mix).paced_accesses();
        assert_eq!(measured, simulated, "{mix}");
    }
    // Copy reads a line, and asks for another or stores it past the caches.
    assert_eq!(KernelMix::Copy.paced_accesses(), 2);
}

/// Points of a size, with the caches of a machine.
fn warnings_of(bytes: u64, cache: u64) -> Vec<String> {
    let mut topology = Topology::of_this_machine().expect("it can be read");
    topology.caches = vec![last_cache(cache)];
    let control = Control::default();
    let session = HostSession::new(&topology, "lab7", 1, &control);
    let mut document = document(HostTest::Latency(HostLatencyTest::default()));
    let run = LatencyRun {
        cpu: 0,
        end: Some(SweepEnd {
            bytes,
            wanted_bytes: 1 << 29,
        }),
        points: vec![point(
            ChainWalk::Random,
            bytes,
            sampled(2_000, |index| 6_000 + noise(index)),
        )],
        refused: Vec::new(),
        complete: true,
    };
    latency::rows(&run, &session, &mut document);
    document.check().expect("sound rows");
    let environment = document.environment.expect("it names the processor");
    assert!(environment["measuring_cpu"].starts_with('0'));
    document
        .warnings
        .into_iter()
        .map(|warning| warning.advice)
        .collect()
}

#[test]
fn what_caches_hold_is_not_called_memory_and_a_cap_is_said() {
    let says = |warnings: &[String], words: &str| warnings.iter().any(|one| one.contains(words));
    let small = warnings_of(64 << 20, 32 << 20);
    assert!(says(&small, "takes 128 MiB or more"), "{small:?}");
    assert!(says(&small, "instead of 512 MiB"), "{small:?}");
    let large = warnings_of(512 << 20, 32 << 20);
    assert!(
        !says(&large, "or more") && !says(&large, "instead"),
        "{large:?}"
    );
}

fn small(test: HostTest, control: &Control<'_>) -> Result<ResultSet, LabError> {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    crate::run(&catalog, &experiment(test), control)
}

fn small_latency() -> HostTest {
    HostTest::Latency(HostLatencyTest {
        size_bytes: vec![16 << 10, 256 << 10],
        pages: vec![HostPages::Base],
        orders: ChainOrder::ALL.to_vec(),
        samples: 20_000,
        ..HostLatencyTest::default()
    })
}

#[test]
fn every_test_runs_on_this_machine() {
    let control = Control::default();
    let document = small(small_latency(), &control).expect("it runs");
    assert!(document.complete && document.environment.is_some());
    // Reasons are rows of their own, whose estimate names them.
    let grades = document.of(Metric::TrustGrade);
    let grades = grades.filter(|row| row.text(Axis::Estimate).is_none());
    assert_eq!(grades.count(), 6);
    let bandwidth = HostTest::Bandwidth(HostBandwidthTest {
        threads: vec![1],
        mixes: vec![HostMix::Reads, HostMix::Triad],
        size_bytes: Some(16 << 20),
        pages: HostPages::Base,
        passes: 2,
        ..HostBandwidthTest::default()
    });
    let document = small(bandwidth, &control).expect("it runs");
    let kernels: BTreeSet<_> = document
        .of(Metric::TrustGrade)
        .filter(|row| row.text(Axis::Estimate).is_none())
        .map(|row| (row.text(Axis::Mix), row.text(Axis::Stores)))
        .collect();
    assert!(
        kernels.len() >= 2 && kernels.contains(&(Some("1:0"), None)),
        "{kernels:?}"
    );
    let loaded = HostTest::Loaded(HostLoadedTest {
        delays_cycles: vec![0, 500],
        size_bytes: Some(8 << 20),
        pages: HostPages::Base,
        samples: 2_000,
        ..HostLoadedTest::default()
    });
    match small(loaded, &control) {
        Ok(document) => assert_eq!(document.of(Metric::LoadStage).count(), 2),
        Err(LabError::MachineMemory(DriverError::FewCpus { .. })) => {}
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn who_interrupts_keeps_the_rows_that_are_finished() {
    let stop = AtomicBool::new(false);
    let progress = |_: crate::control::Progress<'_>| stop.store(true, Ordering::Relaxed);
    let control = Control {
        stop: Some(&stop),
        progress: Some(&progress),
        ..Control::default()
    };
    let document = small(small_latency(), &control).expect("it stops");
    assert!(!document.complete);
    assert!(document.of(Metric::TrustGrade).count() >= 1);
}

#[test]
fn what_no_machine_has_is_refused_by_name() {
    let control = Control::default();
    let error = |experiment: Experiment| {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        let ran = crate::run(&catalog, &experiment, &control);
        ran.expect_err("it is refused").to_string()
    };
    let with_label = |label: &str| Experiment {
        workload: Workload::Host(HostWorkload {
            label: label.to_owned(),
            ..HostWorkload::of(HostTest::Matrix(HostMatrixTest::default()))
        }),
        ..experiment(HostTest::All(HostAllTest::default()))
    };
    for label in ["", "a b", "a@b", &"x".repeat(65)] {
        assert!(error(with_label(label)).starts_with("label"), "{label}");
    }
    let plain = || experiment(HostTest::Matrix(HostMatrixTest::default()));
    let of = |change: &dyn Fn(&mut Experiment)| {
        let mut experiment = plain();
        change(&mut experiment);
        error(experiment)
    };
    assert!(of(&|one| one.timings = vec![Timing::Max]).contains("typ"));
    assert!(of(&|one| one.age = 0.5).contains("allowed: 0"));
    assert!(of(&|one| one.targets = vec!["ram".into()]).starts_with("target"));
    let threads = HostTest::Bandwidth(HostBandwidthTest {
        threads: vec![100_000],
        ..HostBandwidthTest::default()
    });
    assert!(error(experiment(threads)).starts_with("100000 threads"));
    let probes = HostTest::Loaded(HostLoadedTest {
        probes: 100_000,
        ..HostLoadedTest::default()
    });
    assert!(error(experiment(probes)).contains("--probes"));
    let twice = HostTest::Loaded(HostLoadedTest {
        delays_cycles: vec![7, 7],
        ..HostLoadedTest::default()
    });
    assert!(error(experiment(twice)).contains("7"));
}
