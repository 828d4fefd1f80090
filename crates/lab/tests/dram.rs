//! Tests of memory modules, on one channel and a few cores so that they take moments.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use wordline_catalog::Catalog;
use wordline_core::results::Row;
use wordline_core::{
    Band, BandwidthTest, DramTest, DramTraceTest, DramWorkload, Experiment, IdleTest, LoadedTest,
    Metric, Mix, Pattern, ResultSet, Timing, Workload,
};
use wordline_lab::{CommandForm, Commands, Control, LabError, run};

const RDIMM: &str = "rdimm-6400-2rx4-64g@xeon6-1s";
const MRDIMM: &str = "mrdimm-8800-2rx4-64g@xeon6-1s";

/// One channel and as many cores as load it.
fn small() -> BTreeMap<String, String> {
    let settings = [("channels", "1"), ("cores", "12")];
    let owned = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    owned.into()
}

fn of(test: DramTest) -> Experiment {
    let workload = DramWorkload {
        warm_up_ps: 5_000_000,
        measure_ps: 10_000_000,
        settings: small(),
        ..DramWorkload::of(test)
    };
    Experiment {
        targets: vec![RDIMM.to_owned(), MRDIMM.to_owned()],
        workload: Workload::Dram(workload),
        timings: vec![Timing::Max],
        age: 0.0,
        seed: 1,
    }
}

fn idle() -> Experiment {
    of(DramTest::Idle(IdleTest { samples: 2000 }))
}

fn bandwidth(mixes: &[Mix], band: Band) -> Experiment {
    of(DramTest::Bandwidth(BandwidthTest {
        mixes: mixes.to_vec(),
        patterns: vec![Pattern::Sequential],
        band,
    }))
}

fn loaded(delays: &[u64]) -> Experiment {
    of(DramTest::Loaded(LoadedTest {
        delays_cycles: delays.to_vec(),
        mix: Mix::Reads,
        pattern: Pattern::Sequential,
        samples: 500,
        probes: 1,
        within_ps: vec![100_000, 10_000_000],
    }))
}

fn dram(experiment: &mut Experiment) -> &mut DramWorkload {
    let Workload::Dram(dram) = &mut experiment.workload else {
        unreachable!("it is about modules")
    };
    dram
}

fn with(experiment: &Experiment, control: &Control<'_>) -> Result<ResultSet, LabError> {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    run(&catalog, experiment, control)
}

fn ran(experiment: &Experiment) -> ResultSet {
    let document = with(experiment, &Control::default()).expect("it runs");
    assert_eq!(document.check(), Ok(()));
    assert!(document.complete);
    document
}

fn refusal(change: impl FnOnce(&mut Experiment)) -> String {
    let mut experiment = loaded(&[0, 100]);
    change(&mut experiment);
    let refused = with(&experiment, &Control::default());
    refused.expect_err("refused").to_string()
}

/// Whether a row has none of the axes that mark estimates, comparisons and shares.
fn is_plain(row: &Row) -> bool {
    let special = ["estimate", "over", "within_s", "load"];
    special.iter().all(|axis| !row.axes.contains_key(*axis))
}

/// Sums of a metric's parts by everything else that identifies them.
fn sums(document: &ResultSet, metric: Metric) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for row in document.of(metric) {
        let mut whole = row.clone();
        whole.axes.remove("cause");
        whole.metric = Metric::AccessCount;
        *sums.entry(whole.identity()).or_insert(0.0) += row.value.expect("a number");
    }
    sums
}

/// The values of a metric by everything else that identifies them, as [`sums`] has it.
fn wholes(document: &ResultSet, metric: Metric) -> BTreeMap<String, f64> {
    let rows = document.of(metric);
    let whole = |row: &Row| {
        let mut whole = row.clone();
        whole.metric = Metric::AccessCount;
        Some((whole.identity(), row.value?))
    };
    rows.filter_map(whole).collect()
}

#[test]
fn parts_of_idle_latency_add_up_and_the_sum_by_hand_is_the_least_that_there_is() {
    let document = ran(&idle());
    let wholes = wholes(&document, Metric::LatencyMean);
    for (of, sum) in sums(&document, Metric::LatencyMeanPart) {
        assert!((sum - wholes[&of]).abs() < 1e-13, "{of}: {sum}");
    }
    for target in [RDIMM, MRDIMM] {
        let find = |metric, estimate: Option<&str>| {
            let mut rows = document.of(metric).filter(|row| row.target == target);
            let row = rows.find(|row| row.text("estimate") == estimate);
            row.and_then(|row| row.value).expect("a number")
        };
        let (formula, half) = (
            find(Metric::LatencyMean, Some("formula")),
            find(Metric::LatencyP50, None),
        );
        // Half of the reads wait for a clock edge alone.
        assert!(
            (formula..formula + 1e-9).contains(&half),
            "{target}: {half} against {formula}"
        );
        let (low, high) = ("confidence_low", "confidence_high");
        let mean = find(Metric::LatencyMean, None);
        assert!(
            find(Metric::LatencyMean, Some(low)) <= mean
                && mean <= find(Metric::LatencyMean, Some(high))
        );
    }
}

#[test]
fn every_mix_names_one_throughput_and_its_account_adds_up() {
    let document = ran(&bandwidth(&Mix::ALL, Band::None));
    for target in [RDIMM, MRDIMM] {
        for mix in Mix::ALL {
            let rows = document.of(Metric::ThroughputMean);
            let of = |row: &&Row| row.target == target && row.text("mix") == Some(mix.name());
            let rows: Vec<&Row> = rows.filter(of).collect();
            assert_eq!(rows.len(), 1, "{target}, {mix}");
            assert_eq!(rows[0].operation, mix.operation());
            let rate = rows[0].value.expect("a number");
            let peak = if target == RDIMM { 51.2e9 } else { 70.4e9 };
            assert!(
                rate > 0.3 * peak && rate < 1.001 * peak,
                "{target}, {mix}: {rate}"
            );
        }
    }
    for metric in [Metric::BusShare, Metric::WaitShare] {
        let sums = sums(&document, metric);
        assert_eq!(sums.len(), 10, "{metric}");
        assert!(
            sums.values().all(|sum| (sum - 1.0).abs() < 1e-9),
            "{sums:?}"
        );
    }
    let powers = wholes(&document, Metric::PowerMean);
    for (of, sum) in sums(&document, Metric::PowerMeanPart) {
        assert!((sum / powers[&of] - 1.0).abs() < 1e-9, "{of}: {sum}");
    }
    let ratios = wholes(&document, Metric::ThroughputRatio);
    let parts = sums(&document, Metric::ThroughputRatioPart);
    assert_eq!((ratios.len(), parts.len()), (5, 5));
    for (of, sum) in parts {
        assert!((sum - (ratios[&of] - 1.0)).abs() < 1e-9, "{of}: {sum}");
    }
}

#[test]
fn the_band_holds_the_ratio_and_names_what_makes_its_ends() {
    let mut experiment = bandwidth(&[Mix::Reads], Band::Reads);
    dram(&mut experiment).measure_ps = 2_000_000;
    dram(&mut experiment)
        .settings
        .insert("refresh".into(), "off".into());
    let document = ran(&experiment);
    let rows: Vec<&Row> = document.of(Metric::ThroughputRatio).collect();
    let estimate = |kind: Option<&str>| {
        let of = |row: &&&Row| row.text("estimate") == kind;
        rows.iter().filter(of).copied().collect::<Vec<&Row>>()
    };
    let plain = estimate(None)[0].value.expect("a number");
    let (low, high) = (
        estimate(Some("band_low"))[0],
        estimate(Some("band_high"))[0],
    );
    assert!(low.value <= Some(plain) && Some(plain) <= high.value);
    let tried = estimate(Some("sensitivity"));
    assert!(tried.len() > 10, "{}", tried.len());
    for end in [low, high]
        .iter()
        .filter(|row| row.axes.contains_key("choice"))
    {
        let same = |row: &&&Row| {
            row.text("choice") == end.text("choice") && row.text("setting") == end.text("setting")
        };
        let by = tried.iter().find(same).expect("it was tried");
        assert_eq!(
            (by.value, by.text("choice") == Some("seed")),
            (end.value, false)
        );
    }
    // What the user has set is no choice any more.
    assert!(
        !tried
            .iter()
            .any(|row| row.text("choice") == Some("refresh"))
    );
    let set = document
        .figures
        .iter()
        .filter(|figure| figure.source.contains("set by the user"));
    let set: Vec<&str> = set.map(|figure| figure.value.as_str()).collect();
    assert_eq!(set, ["1", "12", "off"]);
}

#[test]
fn a_loaded_memory_has_stages_a_knee_and_histograms() {
    let document = ran(&loaded(&[0, 20, 50, 100, 200, 1000, 20_000]));
    for row in document.of(Metric::LatencyMean).filter(|row| is_plain(row)) {
        let name = row.distribution.as_ref().expect("a distribution");
        let buckets = &document.histograms[name];
        let samples: u64 = buckets.iter().map(|bucket| bucket.count).sum();
        assert!(samples >= 500, "{name}: {samples}");
        let on_grid = |upper: f64| ((upper / 8e-9).round() * 8e-9 - upper).abs() < 1e-15;
        let closed = &buckets[..buckets.len() - 1];
        assert!(
            closed.iter().all(|bucket| on_grid(bucket.upper_s)),
            "{name}"
        );
    }
    for target in [RDIMM, MRDIMM] {
        let stages = document
            .of(Metric::LoadStage)
            .filter(|row| row.target == target);
        let stages: Vec<f64> = stages.filter_map(|row| row.value).collect();
        assert_eq!(stages.len(), 7);
        assert!(
            stages.windows(2).all(|pair| pair[0] >= pair[1]),
            "longer pauses load less: {stages:?}"
        );
        assert_eq!(stages.last(), Some(&1.0));
        let mut shares = document
            .of(Metric::LatencyShare)
            .filter(|row| row.target == target);
        assert!(shares.all(|row| (0.0..=1.0).contains(&row.value.expect("a number"))));
    }
    let of_all = document
        .of(Metric::LatencyShare)
        .filter(|row| row.axes["within_s"].to_string() == "0.00001");
    assert!(of_all.map(|row| row.value).all(|share| share == Some(1.0)));
    assert_eq!(document.of(Metric::ThroughputKnee).count(), 2);
}

#[test]
fn results_do_not_depend_on_the_threads() {
    for experiment in [
        loaded(&[0, 50, 2000]),
        bandwidth(&[Mix::Reads, Mix::Triad], Band::None),
    ] {
        let on = |threads| {
            let control = Control {
                threads,
                ..Control::default()
            };
            with(&experiment, &control).expect("it runs").to_json()
        };
        let alone = on(1);
        assert_eq!(alone, on(2));
        assert_eq!(alone, on(5));
    }
}

#[test]
fn a_document_repeats_from_its_own_experiment() {
    let document = ran(&idle());
    let again = ResultSet::from_json(&document.to_json()).expect("our own document");
    assert_eq!(ran(&again.experiment), document);
    let mut other = again.experiment;
    other.seed = 2;
    assert_ne!(ran(&other).rows, document.rows);
}

#[test]
fn a_stopped_run_says_so() {
    let stop = AtomicBool::new(true);
    let control = Control {
        stop: Some(&stop),
        ..Control::default()
    };
    for experiment in [idle(), bandwidth(&Mix::ALL, Band::All), loaded(&[0, 100])] {
        let document = with(&experiment, &control).expect("it stops in order");
        assert_eq!((document.complete, document.rows.len()), (false, 0));
    }
}

/// Points that are finished stay; without all of them a curve has neither knee nor stages.
#[test]
fn a_sweep_that_is_stopped_keeps_its_finished_points() {
    let stop = AtomicBool::new(false);
    let listen = |_: wordline_lab::Progress<'_>| stop.store(true, Ordering::Relaxed);
    let control = Control {
        stop: Some(&stop),
        progress: Some(&listen),
        threads: 1,
        ..Control::default()
    };
    let delays: Vec<u64> = (0..200).map(|step| 10 * step).collect();
    let document = with(&loaded(&delays), &control).expect("it stops in order");
    assert_eq!((document.check(), document.complete), (Ok(()), false));
    let points = document.of(Metric::ThroughputMean).count();
    assert!((1..400).contains(&points), "{points}");
    for metric in [
        Metric::LoadStage,
        Metric::ThroughputKnee,
        Metric::LatencyRatio,
    ] {
        assert_eq!(document.of(metric).count(), 0, "{metric}");
    }
}

#[test]
fn what_cannot_be_run_is_refused_by_name() {
    let list = |delays: &[u64]| {
        let delays = delays.to_vec();
        refusal(|experiment| match &mut dram(experiment).test {
            DramTest::Loaded(test) => test.delays_cycles = delays,
            _ => unreachable!("it is loaded"),
        })
    };
    assert_eq!(list(&[]), "delay list is empty");
    assert_eq!(list(&[5, 5]), "delay 5 is named twice");
    assert_eq!(
        list(&[9, 5]),
        "delay 5 comes after 9; allowed: ascending cycles"
    );
    assert!(list(&[u64::MAX]).contains("is too long; allowed: 0 to"));
    let samples = refusal(|experiment| match &mut dram(experiment).test {
        DramTest::Loaded(test) => test.samples = 0,
        _ => unreachable!("it is loaded"),
    });
    assert_eq!(
        samples,
        "samples 0 are no samples; allowed: 1 to 1000000000"
    );
    for probes in [0, 10_000] {
        let refused = refusal(|experiment| match &mut dram(experiment).test {
            DramTest::Loaded(test) => test.probes = probes,
            _ => unreachable!("it is loaded"),
        });
        assert!(
            refused.contains("are no probes on rdimm-6400-2rx4-64g@xeon6-1s; allowed: 1 to"),
            "{refused}"
        );
    }
    let target = |name: &str| refusal(|experiment| experiment.targets = vec![name.to_owned()]);
    let unknown = target("rdimm-9000@xeon6-1s");
    assert!(
        unknown.contains("rdimm-9000") && unknown.contains("rdimm-6400-2rx4-128g"),
        "{unknown}"
    );
    assert!(target("rdimm-6400-2rx4-64g@moon").contains("xeon6-1s"));
    let none = refusal(|experiment| experiment.targets.clear());
    assert!(none.contains("MODULE@SYSTEM"), "{none}");
    let twice = refusal(|experiment| experiment.targets = vec![RDIMM.to_owned(); 2]);
    assert!(twice.contains("is named twice"), "{twice}");
    let timing = refusal(|experiment| experiment.timings = vec![Timing::Typ]);
    assert!(timing.contains("allowed: max"), "{timing}");
    assert!(refusal(|experiment| experiment.age = 0.5).contains("allowed: 0"));
    let measure = refusal(|experiment| dram(experiment).measure_ps = 0);
    assert!(
        measure.contains("measure 0 ps is out of range; allowed:"),
        "{measure}"
    );
    let set = |name: &str, value: &str| {
        let settings = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        refusal(|experiment| dram(experiment).settings = settings)
    };
    assert!(set("refersh", "off").contains("unknown setting \"refersh\"; allowed: "));
    assert!(set("refresh", "sometimes").contains("allowed: "));
    let mixes = with(
        &bandwidth(&[Mix::Reads, Mix::Reads], Band::None),
        &Control::default(),
    );
    assert_eq!(
        mixes.expect_err("refused").to_string(),
        "mix 1:0 is named twice"
    );
}

/// Takes what is written.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("one thread").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn replay(text: &'static str, check: bool) -> (Result<ResultSet, LabError>, String) {
    let experiment = of(DramTest::Trace(DramTraceTest {
        file: "my.csv".into(),
        format: None,
        clock_hz: None,
        align: false,
        fold: false,
        check,
    }));
    let kept = Kept::default();
    let create = |_: &str| Ok(Box::new(kept.clone()) as Box<dyn Write>);
    let commands = Commands {
        form: CommandForm::Text,
        create: &create,
    };
    let open = |_: &str| Ok(Box::new(text.as_bytes()) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        commands: Some(&commands),
        ..Control::default()
    };
    let result = with(&experiment, &control);
    let text = String::from_utf8(kept.0.lock().expect("one thread").clone()).expect("text");
    (result, text)
}

#[test]
fn a_trace_is_replayed_its_commands_written_and_checked() {
    let trace = "time_ns,address,operation\n0,0x0,R\n0,0x10000000,R\n100,0x0,W\n500,0x20000000,R\n";
    let (result, commands) = replay(trace, true);
    let document = result.expect("it runs");
    assert_eq!(document.check(), Ok(()));
    for target in [RDIMM, MRDIMM] {
        let value = |metric| {
            let mut rows = document
                .of(metric)
                .filter(|row| row.target == target && is_plain(row));
            rows.next().and_then(|row| row.value)
        };
        assert_eq!(value(Metric::AccessCount), Some(3.0), "{target}");
        assert_eq!(value(Metric::BytesMoved), Some(256.0));
        assert_eq!(value(Metric::CommandViolations), Some(0.0));
        assert!(value(Metric::LatencyMax) > Some(30e-9));
    }
    assert!(!document.failed());
    let column = commands
        .lines()
        .filter(|line| line.contains(",RD,"))
        .count();
    assert_eq!(column, 6, "{commands}");
}

#[test]
fn a_trace_without_times_comes_as_fast_as_the_misses_let_it() {
    let (result, _) = replay("0x0 R\n0x40 R\n0x80 W\n", false);
    let document = result.expect("it runs");
    assert!(
        document
            .warnings
            .iter()
            .any(|warning| warning.advice.contains("tells no times"))
    );
    assert_eq!(document.of(Metric::CommandViolations).count(), 0);
}

#[test]
fn a_trace_that_cannot_be_used_is_refused_by_line() {
    for (trace, words) in [
        ("", "my.csv, the trace has no request in it"),
        ("time_ns,address,operation\n0,0x1,R\n", "line 2"),
        (
            "time_ns,address,operation\n0,0xffffffffffffffc0,R\n",
            "line 2",
        ),
        ("time_ns,address,operation\n9,0x0,R\n5,0x0,R\n", "line 3"),
    ] {
        let message = replay(trace, false).0.expect_err("refused").to_string();
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_check_that_cannot_be_made_is_refused() {
    let mut experiment = of(DramTest::Trace(DramTraceTest {
        file: "my.csv".into(),
        format: None,
        clock_hz: None,
        align: false,
        fold: false,
        check: true,
    }));
    experiment.targets = vec!["ddr4-3200-2rx8-16g@xeon6-1s".into()];
    let open = |_: &str| Ok(Box::new("0x0 R\n".as_bytes()) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let refused = with(&experiment, &control)
        .expect_err("refused")
        .to_string();
    assert!(
        refused.contains("check cannot be done for ddr4-3200"),
        "{refused}"
    );
}
