//! What other tools measured, as rows of our own, and systems fitted to them.

use std::fs;
use std::io::BufRead;
use std::path::Path;

use wordline_catalog::Catalog;
use wordline_core::results::{Row, WarningCode};
use wordline_core::{
    Axis, Basis, DramTest, DramWorkload, Experiment, FitWorkload, HostImportTest, HostTest,
    HostWorkload, IdleTest, LoadedTest, LogSource, Metric, ResultSet, Timing, Workload,
};
use wordline_lab::{Control, Fitted, LabError};

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    fs::read_to_string(path.join(name)).expect("the samples are checked in")
}

fn with_file<T>(text: &str, run: impl FnOnce(&Control<'_>) -> T) -> T {
    let open = |_: &str| Ok(Box::new(std::io::Cursor::new(text.to_owned())) as Box<dyn BufRead>);
    run(&Control {
        open: Some(&open),
        ..Control::default()
    })
}

fn experiment(targets: &[&str], workload: Workload, timing: Timing) -> Experiment {
    Experiment {
        targets: targets.iter().map(|name| (*name).to_owned()).collect(),
        workload,
        timings: vec![timing],
        age: 0.0,
        seed: 1,
        ftl: None,
    }
}

fn import_as(text: &str, format: Option<&str>) -> Result<ResultSet, LabError> {
    let workload = Workload::Host(HostWorkload {
        test: HostTest::Import(HostImportTest {
            file: "run.txt".to_owned(),
            format: format.map(str::to_owned),
        }),
        label: "lab7".to_owned(),
    });
    let experiment = experiment(&[], workload, Timing::Typ);
    with_file(text, |control| {
        wordline_lab::run(&catalog(), &experiment, control)
    })
}

fn import(text: &str) -> ResultSet {
    let document = import_as(text, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(document.check(), Ok(()));
    assert!(document.rows.iter().all(|row| row.basis == Basis::Measured));
    assert!(document.rows.iter().all(|row| row.target == "ram@lab7"));
    document
}

/// Rows of a test and a metric that are no estimates.
fn plain<'a>(
    document: &'a ResultSet,
    test: &'static str,
    metric: Metric,
) -> impl Iterator<Item = &'a Row> {
    document
        .of(metric)
        .filter(move |row| row.text(Axis::Test) == Some(test) && row.text(Axis::Estimate).is_none())
}

/// The figures of `examples/mlc.txt`, which are public: both sockets of two Xeon 6980P.
#[test]
fn rows_of_mlc_are_the_published_figures() {
    let document = import(&example("mlc.txt"));
    let environment = document.environment.as_ref().expect("the tool");
    assert_eq!(environment["tool"], "Intel MLC 3.11b");
    let by_mix: Vec<_> = plain(&document, "bandwidth", Metric::ThroughputMean)
        .map(|row| (row.text(Axis::Mix).expect("a mix"), row.value))
        .collect();
    let published = [
        ("1:0", 1126.0e9),
        ("3:1", 972.4e9),
        ("2:1", 933.2e9),
        ("1:1", 927.2e9),
        ("triad", 939.6e9),
    ];
    assert_eq!(by_mix, published.map(|(mix, rate)| (mix, Some(rate))));
    let at = |metric, delay: u64| {
        let mut rows = plain(&document, "loaded", metric);
        let row = rows.find(|row| row.axes.get(&Axis::DelayCycles) == Some(&delay.into()));
        row.expect("a point").value.expect("a value")
    };
    for (delay, gb, ns) in [(0, 563.0, 380.0), (300, 508.0, 208.0), (1000, 175.0, 129.0)] {
        assert!((at(Metric::ThroughputMean, delay) / (2e9 * gb) - 1.0).abs() < 1e-12);
        assert!((at(Metric::LatencyMean, delay) / (1e-9 * ns) - 1.0).abs() < 1e-12);
    }
    // The knee lies where latency takes off, at 508 GB/s a socket.
    let knee = document.of(Metric::ThroughputKnee).next().expect("a knee");
    assert_eq!(knee.value, Some(1016e9));
    assert_eq!(at(Metric::LoadStage, 20_000), 1.0);
    assert_eq!(at(Metric::LoadStage, 0), 3.0);
    let has = |code: WarningCode| document.warnings.iter().any(|one| one.code == code.name());
    assert!(has(WarningCode::Caution) && !has(WarningCode::OddLog));
}

#[test]
fn every_tool_becomes_rows_of_the_same_tests() {
    let stream = import(&example("stream.txt"));
    let best: Vec<_> = plain(&stream, "bandwidth", Metric::ThroughputBest)
        .map(|row| (row.text(Axis::Mix), row.value))
        .collect();
    assert_eq!(
        best,
        [
            (Some("copy"), Some(92_310.4e6)),
            (Some("scale"), Some(91_877.0e6)),
            (Some("add"), Some(97_520.2e6)),
            (Some("triad"), Some(97_611.8e6))
        ]
    );
    assert!(
        !stream
            .warnings
            .iter()
            .any(|one| one.advice.contains("left out"))
    );
    let chase = import(&example("multichase.txt"));
    let sizes: Vec<_> = plain(&chase, "latency", Metric::LatencyMean)
        .map(|row| {
            (
                row.axes.get(&Axis::WorkingSetBytes).cloned(),
                row.value.map(|s| (s * 1e12).round()),
            )
        })
        .collect();
    // Two runs of 512 MiB have one row, their median.
    assert_eq!(
        sizes,
        [
            (Some((512u64 << 20).into()), Some(85_733.0)),
            (Some((4u64 << 20).into()), Some(14_207.0))
        ]
    );
    let load = import(&example("multiload.txt"));
    let threads: Vec<_> = plain(&load, "loaded", Metric::LatencyMean)
        .map(|row| row.axes.get(&Axis::Threads).cloned())
        .collect();
    assert_eq!(threads, [15u64, 7, 3].map(|count| Some(count.into())));
    let idle = load
        .rows
        .iter()
        .find(|row| row.text(Axis::Estimate) == Some("idle"));
    let idle = idle.and_then(|row| row.value).expect("an idle latency");
    assert!((idle * 1e9 - 98.214).abs() < 1e-9, "{idle}");
    let arm = import(&example("loaded-latency.txt"));
    assert_eq!(plain(&arm, "loaded", Metric::LatencyMean).count(), 4);
    assert!(arm.warnings.iter().any(|one| {
        one.advice
            .contains("stage 1 is relative to that of the least load")
    }));
    let mess =
        import("read_pct_rounded,bandwidth_mean,latency_mean\n60,10,90\n100,11,85\n100,22,95\n");
    assert_eq!(plain(&mess, "loaded", Metric::LatencyMean).count(), 2);
    assert!(
        mess.warnings
            .iter()
            .any(|one| one.advice.contains("60 % reads")),
        "60 % is no mix"
    );
}

#[test]
fn what_cannot_be_taken_over_is_refused_by_name() {
    let refused = |text: &str, format: Option<&str>, words: &str| {
        let error = import_as(text, format).expect_err("refused").to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(
        "hello\n",
        None,
        "run.txt, line 1: \"hello\" is no output of a tool",
    );
    refused(
        "1 2\n",
        Some("perf"),
        "as \"perf\" is no tool whose output is read; allowed: mlc",
    );
    refused(
        &example("stream.txt"),
        Some("mlc"),
        "no line is a result of Intel MLC",
    );
    let caches = "Measuring cache-to-cache transfer latency (in ns)...\nLocal Socket L2->L2 HIT  latency\t49.5\n";
    refused(caches, None, "measured nothing in it that has a row here");
}

/// A machine that is simulated with known figures and measured in the manner of MLC.
const MODULE: &str = "rdimm-6400-2rx4-64g";
const MACHINE: [(&str, &str); 3] = [
    ("request_path", "20 ns"),
    ("return_path", "25 ns"),
    ("misses", "12"),
];

fn simulated(test: DramTest) -> ResultSet {
    let settings = MACHINE.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let workload = DramWorkload {
        settings: settings.into_iter().collect(),
        ..DramWorkload::of(test)
    };
    let target = format!("{MODULE}@bench-1ch");
    let experiment = experiment(&[&target], Workload::Dram(workload), Timing::Max);
    wordline_lab::run(&catalog(), &experiment, &Control::default()).expect("it runs")
}

/// What MLC would print of that machine.
fn printed() -> String {
    let idle = simulated(DramTest::Idle(IdleTest { samples: 5_000 }));
    let plain_of = |document: &ResultSet, metric| {
        let mut rows = document.of(metric);
        let row = rows.find(|row| row.text(Axis::Estimate).is_none());
        row.and_then(|row| row.value).expect("a value")
    };
    let idle = plain_of(&idle, Metric::LatencyMean) * 1e9;
    let delays = [0, 50, 200, 1000, 20_000];
    let loaded = simulated(DramTest::Loaded(LoadedTest {
        delays_cycles: delays.to_vec(),
        probes: 1,
        ..LoadedTest::default()
    }));
    let mut text = format!(
        "Intel(R) Memory Latency Checker - v3.11\nMeasuring idle latencies for random access (in ns)...\n\
         \t\tNuma node\nNuma node\t     0\n       0\t {idle:.3}\n\n\
         Measuring Loaded Latencies for the system\nUsing Read-only traffic type\nInject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n"
    );
    for delay in delays {
        let at = |metric| {
            let mut rows = loaded.of(metric);
            let row = rows.find(|row| {
                row.axes.get(&Axis::DelayCycles) == Some(&delay.into())
                    && row.text(Axis::Estimate).is_none()
            });
            row.and_then(|row| row.value).expect("a point")
        };
        let (latency, rate) = (
            at(Metric::LatencyMean) * 1e9,
            at(Metric::ThroughputMean) / 1e6,
        );
        text += &format!(" {delay:05}\t{latency:.3}\t{rate:.3}\n");
    }
    text
}

fn fitted(document: &str, change: impl FnOnce(&mut FitWorkload)) -> Result<Fitted, LabError> {
    fitted_from(&format!("{MODULE}@bench-1ch"), document, change)
}

fn fitted_from(
    target: &str,
    document: &str,
    change: impl FnOnce(&mut FitWorkload),
) -> Result<Fitted, LabError> {
    let mut workload = FitWorkload {
        source: LogSource {
            file: "lab7.json".to_owned(),
            ..LogSource::default()
        },
        template: "system".to_owned(),
        id: "lab7-fit".to_owned(),
        pattern: None,
        range_bytes: None,
        fill: None,
        warm_up_bytes: 0,
        usage: None,
        predict: Vec::new(),
        channels: Some(1),
        cores: Some(8),
        per_socket: false,
        simulations: FitWorkload::SIMULATIONS,
    };
    change(&mut workload);
    let experiment = experiment(&[target], Workload::Fit(workload), Timing::Typ);
    with_file(document, |control| {
        wordline_lab::fit(&catalog(), &experiment, control)
    })
}

/// Measured in the manner of MLC, taken over and fitted, a known machine comes back.
#[test]
fn a_known_machine_is_found_again() {
    let json = import(&printed()).to_json();
    let found = fitted(&json, |_| {}).expect("it fits");
    assert_eq!(found.document.check(), Ok(()));
    let sheet = found.sheet.expect("it ended");
    let loaded = wordline_catalog::parse("lab7.toml", &sheet).expect("the sheet loads");
    let wordline_catalog::Sheet::System(system) = loaded else {
        panic!("no system: {sheet}");
    };
    let ns = |time: wordline_core::quantity::Time| time.ps() as f64 / 1e3;
    let path = ns(*system.sheet.request_path.value()) + ns(*system.sheet.return_path.value());
    // The mean of some thousand samples is known to less than a nanosecond.
    assert!((path - 45.0).abs() < 1.0, "{path} ns of 45");
    assert_eq!(system.sheet.misses.value().get(), 12, "{sheet}");
    for name in ["request_path", "return_path", "misses"] {
        let line = sheet.lines().find(|line| line.starts_with(name));
        assert!(
            line.is_some_and(|line| line.contains("basis = \"calibrated\"")),
            "{line:?}"
        );
    }
    for name in ["channels", "cores"] {
        let line = sheet.lines().find(|line| line.starts_with(name));
        assert!(
            line.is_some_and(|line| line.contains("stated by the user")),
            "{line:?}"
        );
    }
    // What was not fitted is predicted: here the machine is the base but for what was fitted.
    let ratios: Vec<f64> = [Metric::LatencyRatio, Metric::ThroughputRatio]
        .into_iter()
        .flat_map(|metric| found.document.of(metric))
        .filter_map(|row| row.value)
        .collect();
    assert!(ratios.len() >= 4, "{ratios:?}");
    for ratio in &ratios {
        assert!((ratio - 1.0).abs() < 0.08, "{ratios:?}");
    }
    let calibrated = found.document.figures.iter();
    let calibrated =
        calibrated.filter(|one| one.sheet == "lab7-fit" && one.basis == Basis::Calibrated);
    assert!(calibrated.count() >= 3);
}

#[test]
fn what_a_system_cannot_be_fitted_to_is_refused_by_name() {
    let json = import(&example("mlc.txt")).to_json();
    let refused = |json: &str, words: &str, change: fn(&mut FitWorkload)| {
        let error = fitted(json, change).expect_err("refused").to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(&json, "channels is missing: how many channels", |fit| {
        fit.channels = None
    });
    refused(
        &json,
        "cores is missing, and the document does not state it",
        |fit| fit.cores = None,
    );
    refused(&json, "warm-up goes with a log of a part", |fit| {
        fit.warm_up_bytes = 1
    });
    refused("{}", "lab7.json: it is no result document", |_| {});
    let stream = import(&example("stream.txt")).to_json();
    refused(&stream, "it has no latency, neither", |_| {});
    let cache = import("$ multichase -m 4m\n 14.2\n").to_json();
    refused(&cache, "is not above the", |_| {});
    let slow = import("$ multichase -m 4g\n 9000\n").to_json();
    refused(&slow, "leaves 89", |_| {});
    let other = json.replace("ram@lab7\"", "ram@lab8\"");
    let both = ResultSet::from_json(&json).map(|mut one| {
        one.rows
            .extend(ResultSet::from_json(&other).expect("sound").rows);
        one.to_json()
    });
    refused(
        &both.expect("sound"),
        "it has rows of ram@lab7 and of ram@lab8",
        |_| {},
    );
}

/// The same run, as text, as a document and as pairs, stands beside a simulation alike.
#[test]
fn a_simulated_curve_takes_any_of_them_beside_it() {
    let text = printed();
    let json = import(&text).to_json();
    let beside = |file: &str| {
        let workload = DramWorkload::of(DramTest::Loaded(LoadedTest {
            delays_cycles: vec![200, 1000],
            probes: 1,
            samples: 1_000,
            against: Some("curve".to_owned()),
            against_rising: true,
            ..LoadedTest::default()
        }));
        let workload = DramWorkload {
            settings: MACHINE
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into_iter()
                .collect(),
            ..workload
        };
        let target = format!("{MODULE}@bench-1ch");
        let experiment = experiment(&[&target], Workload::Dram(workload), Timing::Max);
        with_file(file, |control| {
            wordline_lab::run(&catalog(), &experiment, control)
        })
    };
    let measured = |document: &ResultSet| -> Vec<f64> {
        let rows = document.rows.iter();
        let rows = rows.filter(|row| row.basis == Basis::Measured);
        rows.filter_map(|row| row.value).collect()
    };
    let [of_text, of_json] = [&text, &json].map(|file| measured(&beside(file).expect("it runs")));
    assert!(of_text.len() >= 3, "{of_text:?}");
    assert_eq!(of_text.len(), of_json.len());
    for (one, other) in of_text.iter().zip(&of_json) {
        assert!((one / other - 1.0).abs() < 1e-9, "{of_text:?} {of_json:?}");
    }
    let refused = beside(&example("stream.txt"))
        .expect_err("no curve")
        .to_string();
    assert!(
        refused.contains("no point with a latency and a bandwidth"),
        "{refused}"
    );
}

/// What a system's channels and cores are of one socket or of all is asked, not guessed.
#[test]
fn a_base_of_two_sockets_asks_whose_channels_are_meant() {
    let json = import(&printed()).to_json();
    let refused = |base: &str, per_socket: bool, words: &str| {
        let target = format!("{MODULE}@{base}");
        let change = |fit: &mut FitWorkload| fit.per_socket = per_socket;
        let error = fitted_from(&target, &json, change).expect_err("refused");
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(
        "xeon6-2s",
        false,
        "per_socket is missing: xeon6-2s has 2 sockets",
    );
    refused("xeon6-1s", true, "xeon6-1s has one");
}

/// Probes have cores of their own, and a line each: neither counts for what the load has under way.
#[test]
fn misses_are_those_of_the_cores_that_load() {
    let mut document = import(&printed());
    let most = plain(&document, "loaded", Metric::ThroughputMean)
        .max_by(|one, next| {
            one.value
                .unwrap_or(0.0)
                .total_cmp(&next.value.unwrap_or(0.0))
        })
        .cloned()
        .expect("a curve");
    let latency = document
        .of(Metric::LatencyMean)
        .find(|row| row.axes == most.axes);
    let latency = latency.and_then(|row| row.value).expect("a latency");
    // Two probes beside: a line each.
    let mut probes = most.clone();
    probes.metric = Metric::ThroughputProbes;
    probes.unit = probes.metric.unit().into();
    probes.value = Some(2.0 * 64.0 / latency);
    let mut threads = most.clone();
    threads.axes.remove(&Axis::DelayCycles);
    threads.metric = Metric::LoadThreads;
    threads.unit = threads.metric.unit().into();
    threads.value = Some(6.0);
    document.rows.extend([probes, threads]);
    let environment = document.environment.get_or_insert_default();
    environment.insert("cores".to_owned(), "8".to_owned());
    let found = fitted(&document.to_json(), |fit| fit.cores = None).expect("it fits");
    let sheet = found.sheet.expect("it ended");
    let line = sheet.lines().find(|line| line.starts_with("misses"));
    let line = line.expect("misses");
    assert!(line.contains("for each of 6 cores"), "{line}");
    let all = most.value.expect("a rate") * latency / 64.0;
    let each = format!("value = {}", ((all - 2.0) / 6.0).round());
    assert!(line.contains(&each), "{each}: {line}");
    let cores = sheet.lines().find(|line| line.starts_with("cores"));
    assert!(
        cores.is_some_and(|line| line.contains("value = 8")),
        "{cores:?}"
    );
}

/// A known loss of the bus comes back from the bandwidth of reads.
#[test]
fn a_loss_of_the_bus_is_found_again() {
    let target = format!("{MODULE}@xeon6-1s");
    let settings = [("channels", "1"), ("cores", "8"), ("bus_loss", "15.0 %")];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let of = |test: DramTest, metric: Metric| {
        let workload = DramWorkload {
            settings: settings.clone().into_iter().collect(),
            measure_ps: wordline_core::BandwidthTest::MEASURE_QUICK_PS,
            ..DramWorkload::of(test)
        };
        let experiment = experiment(&[&target], Workload::Dram(workload), Timing::Max);
        let document = wordline_lab::run(&catalog(), &experiment, &Control::default());
        let document = document.expect("it runs");
        let mut rows = document.of(metric);
        let row = rows.find(|row| row.text(Axis::Estimate).is_none());
        row.and_then(|row| row.value).expect("a figure")
    };
    let idle = of(
        DramTest::Idle(IdleTest { samples: 20_000 }),
        Metric::LatencyMean,
    );
    let reads = wordline_core::BandwidthTest {
        mixes: vec![wordline_core::Mix::Reads],
        patterns: vec![wordline_core::Pattern::Sequential],
        band: wordline_core::Band::None,
        ..wordline_core::BandwidthTest::default()
    };
    let rate = of(DramTest::Bandwidth(reads), Metric::ThroughputMean);
    let text = format!(
        "Intel(R) Memory Latency Checker - v3.11\nMeasuring idle latencies for random access (in ns)...\n\
         \t\tNuma node\nNuma node\t     0\n       0\t {:.3}\n\n\
         Measuring Peak Injection Memory Bandwidths for the system\nALL Reads        :\t{:.1}\n",
        idle * 1e9,
        rate / 1e6
    );
    let json = import(&text).to_json();
    let found = fitted_from(&target, &json, |_| {}).expect("it fits");
    let sheet = found.sheet.expect("it ended");
    let line = sheet
        .lines()
        .find(|line| line.starts_with("bus_loss"))
        .expect("a loss");
    let percent = line
        .split('"')
        .nth(1)
        .and_then(|value| value.strip_suffix(" %"));
    let percent: f64 = percent
        .and_then(|value| value.parse().ok())
        .expect("a share");
    assert!((percent - 15.0).abs() < 0.6, "{line}");
    assert!(line.contains("calibrated"), "{line}");
    // Fitted, and beside it what is left.
    let mut rows = found.document.of(Metric::ThroughputMean);
    let fitted = rows
        .find(|row| row.basis == Basis::Calibrated)
        .expect("a fitted rate");
    assert_eq!(fitted.text(Axis::Mix), Some("1:0"));
    let ratio = found
        .document
        .of(Metric::ThroughputRatio)
        .next()
        .and_then(|row| row.value);
    assert!(
        ratio.is_some_and(|ratio| (ratio - 1.0).abs() < 0.01),
        "{ratio:?}"
    );
}
