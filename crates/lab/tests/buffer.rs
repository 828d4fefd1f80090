//! `wordline buffer` as a caller of the laboratory sees it: every row against a plain reference, the proven
//! bound against every run, logs and traces that must be refused.

use std::collections::HashMap;
use std::io::{self, BufRead, Cursor};
use std::sync::atomic::{AtomicU32, Ordering};

use wordline_catalog::Catalog;
use wordline_core::draw::{Purpose, draw};
use wordline_core::results::{AxisValue, NoValue, Row};
use wordline_core::{
    AccessSource, Basis, BufferWorkload, Durations, Experiment, LogSource, Metric, Operation,
    Pattern, ResultSet, StreamSource, Timing, TraceSource, Workload,
};
use wordline_lab::{Control, LabError, all_targets, run};

const NAND: &str = "mt29f1g01@stm32h755-qspi";
const MRAM: &str = "em064lx@stm32h755-qspi";
const RECORD: u64 = 4096;
const RANDWRITE: &str = include_str!("../../trace/tests/data/fio-3.33-randwrite4k_lat.1.log");
const FSYNC: &str = include_str!("../../trace/tests/data/fio-3.33-fsync4k_lat.1.log");
const MIXED: &str = include_str!("../../trace/tests/data/fio-3.33-mixed_lat.1.log");
const RANDWRITE_JSON: &str = include_str!("../../trace/tests/data/fio-3.33-randwrite4k.json");
const MIXED_JSON: &str = include_str!("../../trace/tests/data/fio-3.33-mixed.json");
const FSYNC_JSON: &str = include_str!("../../trace/tests/data/fio-3.33-fsync4k.json");

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn experiment(targets: &[&str], timings: &[Timing], question: BufferWorkload) -> Experiment {
    Experiment {
        targets: targets.iter().map(|&name| name.to_owned()).collect(),
        workload: Workload::Buffer(question),
        timings: timings.to_vec(),
        age: 0.0,
        seed: 0,
    }
}

/// A document that keeps its own rules and survives JSON.
#[track_caller]
fn sound(document: ResultSet) -> ResultSet {
    assert_eq!(document.check(), Ok(()));
    assert_eq!(
        ResultSet::from_json(&document.to_json()).as_ref(),
        Ok(&document)
    );
    document
}

fn with_file(experiment: &Experiment, text: &[u8]) -> Result<ResultSet, LabError> {
    let open =
        |_: &str| -> io::Result<Box<dyn BufRead>> { Ok(Box::new(Cursor::new(text.to_vec()))) };
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    run(&catalog(), experiment, &control).map(sound)
}

#[track_caller]
fn simulated(experiment: &Experiment) -> ResultSet {
    let document = run(&catalog(), experiment, &Control::default());
    sound(document.unwrap_or_else(|error| panic!("{error}")))
}

fn stream(record_bytes: u64, wrap_bytes: u64, total_bytes: u64) -> StreamSource {
    StreamSource {
        operation: Operation::Write,
        pattern: Pattern::Sequential,
        record_bytes,
        total_bytes,
        wrap_bytes,
    }
}

fn log_source() -> LogSource {
    LogSource {
        file: "a.log".to_owned(),
        format: None,
        unit: None,
        job: None,
        operation: None,
        record_bytes: None,
        durations: Durations::Latency,
    }
}

fn of_log(change: impl FnOnce(&mut LogSource, &mut BufferWorkload)) -> Experiment {
    let mut source = log_source();
    let mut question = BufferWorkload::of(AccessSource::Log(log_source()));
    change(&mut source, &mut question);
    question.source = AccessSource::Log(source);
    experiment(&[], &[Timing::Typ], question)
}

#[track_caller]
fn log(text: &str, change: impl FnOnce(&mut LogSource, &mut BufferWorkload)) -> ResultSet {
    let document = with_file(&of_log(change), text.as_bytes());
    document.unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refused(text: &str, change: impl FnOnce(&mut LogSource, &mut BufferWorkload), words: &[&str]) {
    let refusal = with_file(&of_log(change), text.as_bytes());
    let message = refusal.expect_err("it is refused").to_string();
    for word in words {
        assert!(message.contains(word), "{word:?} is missing: {message}");
    }
}

fn number(axis: &AxisValue) -> f64 {
    match axis {
        AxisValue::Count(count) => *count as f64,
        AxisValue::Number(number) => *number,
        AxisValue::Text(text) => panic!("{text} is no number"),
    }
}

fn axis(row: &Row, name: &str) -> Option<f64> {
    row.axes.get(name).map(number)
}

fn text<'a>(row: &'a Row, name: &str) -> Option<&'a str> {
    match row.axes.get(name) {
        Some(AxisValue::Text(text)) => Some(text),
        _ => None,
    }
}

/// Rows of a metric with an estimate, or of the plain result.
fn rows<'a>(
    document: &'a ResultSet,
    metric: Metric,
    estimate: Option<&'a str>,
) -> impl Iterator<Item = &'a Row> {
    let rows = document.of(metric);
    rows.filter(move |row| text(row, "estimate") == estimate)
}

/// The value at a rate for an arrival.
fn at(
    document: &ResultSet,
    timing: Timing,
    metric: Metric,
    estimate: Option<&str>,
    (rate, arrival): (f64, &str),
) -> Result<f64, NoValue> {
    let mut found = rows(document, metric, estimate).filter(|row| {
        row.timing == timing
            && axis(row, "rate_bytes_per_s") == Some(rate)
            && text(row, "arrival") == Some(arrival)
    });
    let row = found.next().unwrap_or_else(|| {
        panic!("there is no {metric} at {rate} B/s of {arrival}, {estimate:?}, {timing}")
    });
    row.value
        .ok_or_else(|| row.no_value.expect("a reason stands for a value"))
}

fn codes(document: &ResultSet) -> Vec<&str> {
    let codes = document.warnings.iter();
    codes.map(|warning| warning.code.as_str()).collect()
}

// ---------------------------------------------------------------- the worked example

#[test]
fn a_nand_at_4_mb_a_second_needs_two_records_of_ram_and_at_worst_no_ram_is_enough() {
    let rate = 4_096_000.0;
    let mut question = BufferWorkload::of(AccessSource::Stream(stream(RECORD, 1 << 20, 4 << 20)));
    question.rates_bytes_per_s = vec![rate];
    let document = simulated(&experiment(&[NAND], &[Timing::Typ, Timing::Max], question));
    for estimate in [None, Some("open_loop"), Some("bound")] {
        let typ = |metric, arrival| at(&document, Timing::Typ, metric, estimate, (rate, arrival));
        assert_eq!(typ(Metric::RamPeak, "record"), Ok(8192.0), "{estimate:?}");
        assert_eq!(typ(Metric::RamPeakInFlight, "record"), Ok(12_288.0));
        let waiting = typ(Metric::RamPeak, "fluid").expect("bounded") / 1024.0;
        let in_flight = typ(Metric::RamPeakInFlight, "fluid").expect("bounded") / 1024.0;
        assert!((6.2..6.6).contains(&waiting), "{estimate:?}: {waiting}");
        assert!(
            (10.2..10.6).contains(&in_flight),
            "{estimate:?}: {in_flight}"
        );
    }
    let max = |metric| at(&document, Timing::Max, metric, None, (rate, "record"));
    assert_eq!(max(Metric::RamPeak), Err(NoValue::Unbounded));
    let growth = max(Metric::GrowthRate).expect("it grows");
    let limit = rows(&document, Metric::ThroughputMean, None)
        .find(|row| row.timing == Timing::Max)
        .and_then(|row| row.value)
        .expect("a limit");
    assert!(limit < rate && (growth - (rate - limit)).abs() < 1.0);
    let reruns = rows(&document, Metric::RamPeak, Some("open_loop"));
    assert!(reruns.into_iter().all(|row| row.timing == Timing::Typ));
}

// ---------------------------------------------------------------- the bound

/// What a row is about, without the estimate.
fn about(row: &Row) -> String {
    let Row {
        target,
        timing,
        metric,
        axes,
        ..
    } = row;
    let mut axes = axes.clone();
    axes.remove("estimate");
    format!("{metric} of {target}, {timing}, {axes:?}")
}

/// Proven, or by formula where a sheet leaves a gap: no run may exceed either.
fn is_bound(row: &Row) -> bool {
    matches!(text(row, "estimate"), Some("bound" | "formula"))
}

/// The exact rows and the reruns of a document stay within its bounds. Returns how many were compared.
fn within_the_bound(document: &ResultSet, rates: &[f64]) -> usize {
    let bounds: HashMap<String, &Row> = document
        .rows
        .iter()
        .filter(|row| is_bound(row))
        .map(|row| (about(row), row))
        .collect();
    // Some flashes take records of 512 B only together, and say so.
    if bounds.is_empty() {
        assert!(document.failed());
        return 0;
    }
    let mut checked = 0;
    for row in &document.rows {
        if row.axes.contains_key("at_s") || is_bound(row) {
            continue;
        }
        let mut question = row.clone();
        // The longest access of a rerun is held against that of all.
        if row.metric == Metric::LatencyMax {
            question.axes.remove("rate_bytes_per_s");
        }
        let bound = bounds.get(&about(&question)).copied();
        match row.metric {
            Metric::ThroughputMean => {
                let (run, bound) = (row.value, bound.expect("a bound").value);
                assert!(
                    bound <= run.map(|run| run * (1.0 + 1e-9)),
                    "{row:?} below {bound:?}"
                );
            }
            Metric::LatencyMax => {
                let bound = bound.expect("a bound").value;
                assert!(row.value <= bound, "{row:?} above {bound:?}");
            }
            Metric::SequenceDurationMax => {
                // Beyond a round nothing is proven.
                let Some(bound) = bound else { continue };
                assert!(row.value <= bound.value, "{row:?} above {bound:?}");
            }
            Metric::RamPeak | Metric::RamPeakInFlight => {
                if !rates.contains(&axis(row, "rate_bytes_per_s").expect("a rate")) {
                    continue;
                }
                let bound = bound.expect("a bound").value.unwrap_or(f64::INFINITY);
                assert!(
                    row.value.unwrap_or(f64::INFINITY) <= bound,
                    "{row:?} above {bound}"
                );
            }
            _ => continue,
        }
        checked += 1;
    }
    checked
}

/// Runs every part on its default board; returns how many rows were held against the bound.
fn catalogue_within_the_bound(source: &StreamSource, start: (u64, u64), seeds: u64) -> usize {
    let catalog = catalog();
    let targets = all_targets(&catalog);
    assert!(targets.len() >= 20);
    let mut checked = 0;
    for target in &targets {
        let part = catalog.target(target).expect("known").part;
        let wrap_bytes = source.wrap_bytes.min(part.model.usable_bytes());
        let source = StreamSource {
            wrap_bytes,
            // Whole rounds: the mean of a run that ends behind an erase is no limit.
            total_bytes: 4 * wrap_bytes,
            ..source.clone()
        };
        let mut question = BufferWorkload::of(AccessSource::Stream(source));
        let rates = [30e3, 300e3, 1e6, 3e6];
        question.rates_bytes_per_s = rates.to_vec();
        (question.startup_ps, question.backlog_bytes) = start;
        for seed in 0..=seeds {
            let timings: &[Timing] = match seed {
                0 => &[Timing::Typ, Timing::Max],
                _ => &[Timing::Sampled],
            };
            let experiment = Experiment {
                seed,
                ..experiment(&[target], timings, question.clone())
            };
            let document = run(&catalog, &experiment, &Control::default());
            let document = document.unwrap_or_else(|error| panic!("{error}"));
            checked += within_the_bound(&document, &rates);
        }
    }
    checked
}

#[test]
fn no_run_of_small_records_exceeds_its_proven_bound() {
    let source = stream(512, 24 * 512, 0);
    let checked = catalogue_within_the_bound(&source, (3_000_000_000, 0), 3);
    assert!(checked > 1000, "{checked}");
}

#[test]
fn no_run_of_pages_and_no_reads_exceed_their_proven_bound() {
    let writes = stream(RECORD, 34 * RECORD, 0);
    let reads = StreamSource {
        operation: Operation::Read,
        ..stream(RECORD, 4 * RECORD, 0)
    };
    let checked = catalogue_within_the_bound(&writes, (0, 0), 1)
        + catalogue_within_the_bound(&reads, (0, 5000), 0);
    assert!(checked > 1000, "{checked}");
}

/// What waits at power-up is in the buffer of the rerun as it is in that of the theory.
#[test]
fn a_rerun_counts_what_waits_from_the_start_on() {
    let rate = 100_000.0;
    let mut question = BufferWorkload::of(AccessSource::Stream(stream(RECORD, 1 << 18, 1 << 20)));
    question.rates_bytes_per_s = vec![rate];
    question.startup_ps = 200_000_000_000;
    question.backlog_bytes = 100_000;
    let document = simulated(&experiment(&[MRAM], &[Timing::Typ], question));
    for arrival in ["record", "fluid"] {
        let value = |estimate| {
            at(
                &document,
                Timing::Typ,
                Metric::RamPeakInFlight,
                estimate,
                (rate, arrival),
            )
            .expect("bounded")
        };
        assert!(value(None) >= 120_000.0, "{}", value(None));
        let (exact, rerun) = (value(None), value(Some("open_loop")));
        assert!(
            (exact - rerun).abs() <= RECORD as f64,
            "{arrival}: {exact} and {rerun}"
        );
    }
}

// ---------------------------------------------------------------- a log against a plain recursion

/// Durations in picoseconds of a log of one size.
fn durations(text: &str) -> Vec<u64> {
    let values = text.lines().map(|line| {
        let nanoseconds = line.split(", ").nth(1).expect("a column");
        nanoseconds.parse::<u64>().expect("a number") * 1000
    });
    values.collect()
}

/// Peaks in bytes times 10^12, of a rate in whole bytes per second: fluid waiting and in flight, whole records
/// waiting and in flight (in bytes).
fn lindley(durations: &[u64], rate: u64) -> (u128, u128, u128, u128) {
    const SCALE: u128 = 1_000_000_000_000;
    let record = u128::from(RECORD) * SCALE;
    let mut after = 0;
    let mut peaks = (0, 0, 0, 0);
    for &duration in durations {
        let fill = after + u128::from(duration) * u128::from(rate);
        after = fill.saturating_sub(record);
        peaks.0 = peaks.0.max(after);
        peaks.1 = peaks.1.max(fill);
        let records = fill.div_ceil(record) * u128::from(RECORD);
        peaks.2 = peaks.2.max(records.saturating_sub(u128::from(RECORD)));
        peaks.3 = peaks.3.max(records);
    }
    peaks
}

#[test]
fn rows_of_a_log_are_those_of_the_plain_recursion_at_a_thousand_rates() {
    let lines: Vec<&str> = RANDWRITE.lines().collect();
    let mut rates_checked = 0;
    // Too few accesses for return levels, whose bootstrap at every rate would take long; and all of them once.
    let pieces = lines.chunks(18).map(|piece| (piece, 120));
    let whole = std::iter::once((lines.as_slice(), 8));
    for (number, (piece, count)) in pieces.chain(whole).enumerate() {
        let piece = piece.join("\n") + "\n";
        let durations = durations(&piece);
        let busy: u64 = durations.iter().sum();
        let limit = durations.len() as f64 * RECORD as f64 / (busy as f64 / 1e12);
        let random = |index| draw(7, number as u64, index, Purpose::Payload) % (limit as u64);
        let rates: Vec<u64> = (0..count).map(random).filter(|rate| *rate > 0).collect();
        let document = log(&piece, |_, question| {
            question.rates_bytes_per_s = rates.iter().map(|rate| *rate as f64).collect();
        });
        for rate in rates {
            // The document says what was asked for; two equal draws would be refused.
            let (waiting, in_flight, records, records_in_flight) = lindley(&durations, rate);
            let row = |metric, arrival| {
                at(&document, Timing::Typ, metric, None, (rate as f64, arrival)).expect("bounded")
            };
            assert_eq!(row(Metric::RamPeak, "record"), records as f64, "at {rate}");
            assert_eq!(
                row(Metric::RamPeakInFlight, "record"),
                records_in_flight as f64
            );
            for (metric, exact) in [
                (Metric::RamPeak, waiting),
                (Metric::RamPeakInFlight, in_flight),
            ] {
                let (found, exact) = (row(metric, "fluid"), exact as f64 / 1e12);
                assert!(
                    (found - exact).abs() <= 1e-9 * exact,
                    "{rate}: {found}, {exact}"
                );
            }
            rates_checked += 1;
        }
    }
    assert!(rates_checked >= 1000, "{rates_checked}");
}

#[test]
fn curve_and_inverse_of_a_log_are_exact_and_tight() {
    let durations = durations(RANDWRITE);
    let document = log(RANDWRITE, |_, question| {
        question.ram_bytes = vec![5000, 20_480, 50_000];
    });
    assert!(!codes(&document).contains(&"record-exceeds-ram"));
    let mut seen = 0;
    for row in rows(&document, Metric::RamPeak, None) {
        let rate = axis(row, "rate_bytes_per_s").expect("a rate");
        // Bends lie at rates that are no floats: near them the recursion lies on both sides.
        let around = [rate * (1.0 - 1e-7), rate * (1.0 + 1e-7)].map(|rate| {
            let (waiting, _, records, _) = lindley(&durations, rate.round() as u64);
            match text(row, "arrival") {
                Some("record") => records as f64,
                _ => waiting as f64 / 1e12,
            }
        });
        let value = row.value.expect("bounded");
        let slack = 1e-4 * value + 1.0;
        assert!(
            around[0] - slack <= value && value <= around[1] + slack,
            "{row:?}: {around:?}"
        );
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
    let mut rams = Vec::new();
    for row in rows(&document, Metric::RateMax, None) {
        let ram = axis(row, "ram_bytes").expect("a RAM");
        let rate = row.value.expect("a rate");
        let limit = rows(&document, Metric::ThroughputMean, None).next();
        let limit = limit.and_then(|row| row.value).expect("a limit");
        let needed = |rate: f64| {
            let (waiting, _, records, _) = lindley(&durations, rate as u64);
            match text(row, "arrival") {
                Some("record") => records as f64,
                _ => waiting as f64 / 1e12,
            }
        };
        assert!(needed(rate * (1.0 - 1e-6)) <= ram + 1e-3, "{row:?}");
        assert!(
            rate >= limit * (1.0 - 1e-9) || needed(rate * (1.0 + 1e-6)) > ram,
            "{row:?} is not tight"
        );
        rams.push(ram);
    }
    assert!(
        [5000.0, 20_480.0, 50_000.0, 4096.0]
            .iter()
            .all(|ram| rams.contains(ram))
    );
}

#[test]
fn sequences_of_a_log_are_those_of_brute_force() {
    let durations = durations(RANDWRITE);
    let document = log(RANDWRITE, |_, _| {});
    let mut seen = 0;
    for row in rows(&document, Metric::SequenceDurationMax, None) {
        let accesses = axis(row, "accesses").expect("a number") as usize;
        let windows = durations
            .windows(accesses)
            .map(|window| window.iter().sum::<u64>());
        let longest = windows.max().expect("no longer than the log") as f64 / 1e12;
        let found = row.value.expect("a time");
        assert!((found / longest - 1.0).abs() < 1e-12, "{row:?}: {longest}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

// ---------------------------------------------------------------- what a log has to be

#[test]
fn a_log_that_leaves_out_its_flushes_is_refused_and_answered_from_start_to_start() {
    refused(
        FSYNC,
        |_, _| {},
        &[
            "a.log: ",
            "cover",
            "% of its time",
            "start-to-start",
            "fsync",
        ],
    );
    let document = log(FSYNC, |source, _| {
        source.durations = Durations::StartToStart
    });
    assert!(codes(&document).contains(&"start-to-start"));
    let coverage = document.of(Metric::Coverage).next().expect("it is told");
    assert!(
        coverage
            .value
            .is_some_and(|share| (0.0..0.9).contains(&share))
    );
    assert_eq!(coverage.basis, Basis::Measured);
    assert_eq!(coverage.target, "log:a.log");
    let counted = document
        .of(Metric::AccessCount)
        .next()
        .and_then(|row| row.value);
    assert_eq!(counted, Some(150.0));
    // From the first start to the end of the last.
    let limit = rows(&document, Metric::ThroughputMean, None).next();
    let limit = limit.and_then(|row| row.value).expect("a limit");
    let last = FSYNC.lines().last().expect("a line");
    let milliseconds: f64 = last
        .split(", ")
        .next()
        .and_then(|ms| ms.parse().ok())
        .expect("ms");
    let mean = 150.0 * 4096.0 / (milliseconds / 1e3);
    assert!((limit / mean - 1.0).abs() < 0.05, "{limit}, {mean}");
}

#[test]
fn overlapping_accesses_and_mixed_directions_are_refused() {
    refused(
        MIXED,
        |_, _| {},
        &[
            "line ",
            "a write in a log that begins with a read",
            "--operation",
        ],
    );
    let overlapping: String = (0..100)
        .map(|index| format!("{}, 8000000, 1, 4096, 0\n", 8 + index))
        .collect();
    refused(
        &overlapping,
        |_, _| {},
        &["accesses overlapped", "--iodepth=1"],
    );
    // How much is under way at a time is not told by starts either.
    refused(
        &overlapping,
        |source, _| source.durations = Durations::StartToStart,
        &["accesses overlapped", "--iodepth=1"],
    );
}

#[test]
fn sizes_and_settings_that_do_not_fit_a_log_are_refused() {
    let wrong = |source: &mut LogSource, _: &mut BufferWorkload| source.record_bytes = Some(512);
    refused(
        RANDWRITE,
        wrong,
        &["line 1", "moved 4 KiB", "said to be 512 B"],
    );
    let reads = |source: &mut LogSource, _: &mut BufferWorkload| {
        source.operation = Some(Operation::Read);
    };
    refused(
        RANDWRITE,
        reads,
        &["there is no read among its 150 accesses"],
    );
    refused(
        RANDWRITE,
        |_, question| question.power_up = true,
        &["power_up", "startup"],
    );
    for (rate, word) in [(0.0, "rate 0"), (-5.0, "rate -5"), (1e300, "rate 1")] {
        refused(
            RANDWRITE,
            |_, question| question.rates_bytes_per_s = vec![rate],
            &[word, "allowed"],
        );
    }
    for rate in [f64::NAN, f64::INFINITY] {
        refused(
            RANDWRITE,
            |_, question| question.rates_bytes_per_s = vec![rate],
            &["rate", "allowed"],
        );
    }
    let twice = |_: &mut LogSource, question: &mut BufferWorkload| {
        question.rates_bytes_per_s = vec![1e5, 1e5];
    };
    refused(RANDWRITE, twice, &["rate", "named twice"]);
    let rams = |_: &mut LogSource, question: &mut BufferWorkload| {
        question.ram_bytes = vec![4096, 4096];
    };
    refused(RANDWRITE, rams, &["ram", "named twice"]);
    let horizon = |_: &mut LogSource, question: &mut BufferWorkload| {
        question.horizon_s = Some(0.0);
    };
    refused(RANDWRITE, horizon, &["horizon 0"]);
    let replay = "fio version 2 iolog\na add\na open\na write 0 4096\na close\n";
    refused(replay, |_, _| {}, &["tells no durations", "--trace"]);
}

#[test]
fn a_log_without_times_says_that_its_coverage_is_unknown() {
    let csv = "duration_us,bytes,operation\n".to_owned()
        + &(0..40)
            .map(|index| format!("{},4096,write\n", 100 + index))
            .collect::<String>();
    let document = log(&csv, |_, _| {});
    let codes = codes(&document);
    assert!(codes.contains(&"unknown-coverage") && codes.contains(&"few-samples"));
    assert_eq!(document.of(Metric::Coverage).count(), 0);
    refused(
        &csv,
        |source, _| source.durations = Durations::StartToStart,
        &["line 2", "does not tell when accesses ended"],
    );
}

/// 40 accesses of 3 us, all in one step of the log's clock: a share of that step is no coverage.
#[test]
fn a_log_within_a_step_of_its_clock_says_that_its_coverage_is_unknown() {
    let document = log(&"5, 3000, 1, 4096, 0, 0\n".repeat(40), |_, _| {});
    assert!(codes(&document).contains(&"unknown-coverage"));
    assert_eq!(document.of(Metric::Coverage).count(), 0);
}

/// A log of accesses of 0.1 ms with flushes between them, whose starts are known here to a nanosecond and in the
/// log to a millisecond.
#[test]
fn coarse_starts_leave_an_interval_that_holds_the_truth() {
    for seed in 0..4 {
        let mut start = 0;
        let mut text = String::new();
        let mut intervals = Vec::new();
        for index in 0..1000 {
            let latency_ns = 100_000;
            let end_ms = (start + latency_ns) / 1_000_000;
            text += &format!("{end_ms}, {latency_ns}, 1, 4096, 0, 0\n");
            let random = draw(seed, index, 0, Purpose::Payload);
            let interval_ns = match random % 50 {
                0 => 8_000_000 + random / 50 % 9_000_000,
                _ => 150_000 + random / 50 % 1_000_000,
            };
            intervals.push(interval_ns * 1000);
            start += interval_ns;
        }
        // Of the last access the log tells its own duration alone.
        intervals.pop();
        intervals.push(100_000_000);
        for rate in [1_000_000, 3_000_000] {
            let document = log(&text, |source, question| {
                source.durations = Durations::StartToStart;
                question.rates_bytes_per_s = vec![rate as f64];
            });
            let (waiting, in_flight, records, records_in_flight) = lindley(&intervals, rate);
            for (metric, arrival, truth) in [
                (Metric::RamPeak, "fluid", waiting as f64 / 1e12),
                (Metric::RamPeakInFlight, "fluid", in_flight as f64 / 1e12),
                (Metric::RamPeak, "record", records as f64),
                (Metric::RamPeakInFlight, "record", records_in_flight as f64),
            ] {
                let of = |estimate| {
                    let key = (rate as f64, arrival);
                    at(&document, Timing::Typ, metric, estimate, key).expect("bounded")
                };
                let (least, plain, most) = (of(Some("least")), of(None), of(Some("most")));
                assert!(least <= plain && plain <= most, "{least}, {plain}, {most}");
                assert!(
                    least <= truth && truth <= most,
                    "{least}, {truth}, {most} at {rate} of {metric}, {arrival}"
                );
                // Two steps of the clock on either side, and what they add to whole records.
                let off = 4.0 * rate as f64 * 1e-3 + 2.0 * RECORD as f64;
                assert!(most - least <= off, "{least}, {most}");
            }
        }
    }
}

#[test]
fn a_log_of_several_sizes_is_exact_at_the_rate_asked_for_and_safe_elsewhere() {
    let csv = "duration_us,bytes,operation\n100,4096,write\n900,1024,write\n100,4096,write\n"
        .to_owned()
        + &"50,2048,write\n".repeat(30);
    let rate = 1_500_000.0;
    let document = log(&csv, |_, question| {
        question.rates_bytes_per_s = vec![rate];
        question.ram_bytes = vec![16_384, 2048];
    });
    assert!(codes(&document).contains(&"several-sizes"));
    assert!(
        document
            .rows
            .iter()
            .all(|row| !row.axes.contains_key("access_bytes"))
    );
    let peak = |arrival| {
        at(
            &document,
            Timing::Typ,
            Metric::RamPeak,
            None,
            (rate, arrival),
        )
    };
    // 1350 B come in the second access, and 150 B in each of the first: 1350 - 1024 B wait at its end,
    // which the third record brings whole.
    assert_eq!(peak("record"), Ok(4096.0));
    assert_eq!(peak("fluid"), Ok(326.0));
    for row in rows(&document, Metric::RateMax, None) {
        if axis(row, "ram_bytes") == Some(16_384.0) {
            assert!(row.value.is_some_and(|safe| safe > rate), "{row:?}");
        }
    }
    assert!(codes(&document).contains(&"record-exceeds-ram"));
}

#[test]
fn start_up_and_backlog_come_before_the_first_access() {
    let (rate, startup_ps, backlog) = (10_000_000.0, 3_000_000_000, 10_000);
    let document = log(RANDWRITE, |_, question| {
        question.rates_bytes_per_s = vec![rate];
        question.startup_ps = startup_ps;
        question.backlog_bytes = backlog;
    });
    let mut fill = 30_000.0 + 10_000.0;
    let mut peak: f64 = fill;
    for duration in durations(RANDWRITE) {
        fill += rate * duration as f64 / 1e12;
        peak = peak.max(fill);
        fill = (fill - RECORD as f64).max(0.0);
        peak = peak.max(fill);
    }
    let metric = Metric::RamPeakInFlight;
    let found = at(&document, Timing::Typ, metric, None, (rate, "fluid")).expect("bounded");
    assert!((found - peak).abs() < 1e-3, "{found}, {peak}");
}

#[test]
fn power_up_is_that_of_the_sheet() {
    let rate = 1e6;
    let value = |power_up| {
        let mut question =
            BufferWorkload::of(AccessSource::Stream(stream(RECORD, 1 << 18, 1 << 18)));
        question.rates_bytes_per_s = vec![rate];
        question.power_up = power_up;
        let document = simulated(&experiment(&[NAND], &[Timing::Typ], question));
        let metric = Metric::RamPeakInFlight;
        at(&document, Timing::Typ, metric, None, (rate, "fluid")).expect("bounded")
    };
    assert!(
        value(true) > value(false),
        "{} {}",
        value(true),
        value(false)
    );
}

/// A log shows what came, and more may come; what is proven of a target in order is not guessed beyond.
#[test]
fn return_levels_are_told_of_logs_and_never_against_a_proof() {
    let levels = |document: &ResultSet| {
        let rows = rows(document, Metric::LatencyMax, Some("return_level"));
        rows.count()
    };
    // 32 blocks of 16 accesses, and one block less than the 20 that are needed.
    let of = |accesses: u64| {
        let line = |index| {
            format!(
                "{},4096,write\n",
                100 + draw(0, index, 0, Purpose::Payload) % 999
            )
        };
        "duration_us,bytes,operation\n".to_owned() + &(0..accesses).map(line).collect::<String>()
    };
    let at_10_mb = |text: &str| log(text, |_, question| question.rates_bytes_per_s = vec![1e7]);
    assert_eq!(levels(&at_10_mb(&of(19 * 16 + 15))), 0);
    let document = at_10_mb(&of(32 * 16));
    assert_eq!(levels(&document), 1);
    assert!(codes(&document).contains(&"extrapolated"));
    for pattern in [Pattern::Sequential, Pattern::Random] {
        let source = StreamSource {
            pattern,
            ..stream(RECORD, 1 << 18, 1 << 20)
        };
        let question = BufferWorkload::of(AccessSource::Stream(source));
        let document = simulated(&experiment(&["mt28ew512"], &[Timing::Sampled], question));
        let proven = rows(&document, Metric::LatencyMax, Some("bound")).count();
        assert!(proven + levels(&document) <= 1, "{pattern:?}");
    }
    // Accesses that take no time last for no time, however far one looks ahead.
    let instant = "duration_us,bytes,operation\n".to_owned() + &"0,4096,write\n".repeat(50);
    let document = log(&instant, |_, question| {
        question.rates_bytes_per_s = vec![1e6];
        question.backlog_bytes = 1 << 20;
    });
    assert!(!codes(&document).contains(&"extrapolated"));
}

#[test]
fn a_ram_that_holds_no_record_is_warned_of() {
    let document = log(RANDWRITE, |_, question| {
        question.ram_bytes = vec![100, 8192]
    });
    let warnings = document.warnings.iter();
    let warning = warnings.filter(|one| one.code == "record-exceeds-ram");
    let advice: Vec<_> = warning.map(|one| one.advice.as_str()).collect();
    let [advice] = advice.as_slice() else {
        panic!("one warning: {advice:?}");
    };
    assert!(
        advice.contains("100 B") && advice.contains("4 KiB"),
        "{advice}"
    );
    let mut question = BufferWorkload::of(AccessSource::Stream(stream(RECORD, 1 << 16, 1 << 16)));
    question.ram_bytes = vec![4095];
    let document = simulated(&experiment(&[MRAM], &[Timing::Typ], question));
    assert!(codes(&document).contains(&"record-exceeds-ram"));
}

/// Counts that no 64 bits can add up, and one whose durations lie beyond simulated time.
#[test]
fn histograms_of_absurd_counts_are_refused() {
    let document = log(RANDWRITE_JSON, |source, _| source.record_bytes = Some(4096));
    assert!(codes(&document).contains(&"lost-order"));
    let sum = |estimate| {
        let rows = rows(&document, Metric::RamPeak, Some(estimate));
        rows.filter_map(|row| row.value).sum::<f64>()
    };
    assert!(sum("least") <= sum("most"));
    let json = &RANDWRITE_JSON.replace("runtime", "walltime");
    let bins = json.find("\"bins\"").expect("histograms");
    let (head, tail) = json.split_at(bins);
    let huge = format!(
        "{head}\"bins\" : {{ \"100\" : 18446744073709551615, \"200\" : 18446744073709551615 }}, \"old\" : {{}}, {}",
        tail.replacen("\"bins\"", "\"earlier\"", 1)
    );
    let result = with_file(
        &of_log(|source, _| source.record_bytes = Some(4096)),
        huge.as_bytes(),
    );
    if let Ok(document) = &result {
        assert!(
            document
                .of(Metric::AccessCount)
                .all(|row| row.value.is_some())
        );
    }
}

/// A job of 40 ms whose writes of 4 KiB fill one bin of fio's, from 1 048 576 ns to 1 064 959 ns.
fn json(runtime_ms: u64, writes: u64) -> String {
    format!(
        r#"{{"jobs": [{{"jobname": "w", "write": {{"io_bytes": {}, "total_ios": {writes},
        "runtime": {runtime_ms}, "lat_ns": {{"min": 1, "max": 2000000000, "bins": {{"1056768": {writes}}}}}}}}}]}}"#,
        4096 * writes
    )
}

#[test]
fn histograms_are_held_to_their_time_as_logs_are() {
    refused(
        FSYNC_JSON,
        |_, _| {},
        &[
            "cover 6.1 % of its time",
            "fsync",
            "--sync=1",
            "start-to-start",
        ],
    );
    for operation in [None, Some(Operation::Read), Some(Operation::Write)] {
        refused(
            MIXED_JSON,
            |source, _| source.operation = operation,
            &["accesses overlapped", "--iodepth=1"],
        );
    }
    refused(
        RANDWRITE_JSON,
        |source, _| source.durations = Durations::StartToStart,
        &["start-to-start", "latency log"],
    );
    let covered = |document: &ResultSet| {
        let row = document.of(Metric::Coverage).next();
        row.and_then(|row| row.value)
    };
    // Its bins add up to 1873 ms of 1890 ms.
    let document = log(RANDWRITE_JSON, |_, _| {});
    let share = covered(&document).expect("it is told");
    assert!((share - 1873.0 / 1890.0).abs() < 1e-3, "{share}");
    assert!(!codes(&document).contains(&"unknown-coverage"));

    // 37 writes take 38.8 ms to 39.4 ms of 40 ms, known to a millisecond.
    let document = log(&json(40, 37), |_, _| {});
    let share = covered(&document).expect("it is told");
    let by_hand = (37.0 * 1.048_576 / 41.0 + 37.0 * 1.064_959 / 39.0) / 2.0;
    assert!((share - by_hand).abs() < 1e-9, "{share}, {by_hand}");
    // At most 33 * 1.065 ms of 39 ms are 90.1 %, and of 32 writes 87.4 %.
    log(&json(40, 33), |_, _| {});
    refused(
        &json(40, 32),
        |_, _| {},
        &["cover 87.4 % of its time", "of 40 ms"],
    );
    // At least 42 * 1.0486 ms of 41 ms are 107.4 %, and of 41 writes 104.9 %.
    log(&json(40, 41), |_, _| {});
    refused(&json(40, 42), |_, _| {}, &["cover 107 % of its time"]);

    // No time, or one of a few of its own steps, tells nothing.
    for text in [json(0, 37), json(10, 9)] {
        let document = log(&text, |_, _| {});
        assert!(codes(&document).contains(&"unknown-coverage"));
        assert_eq!(covered(&document), None);
    }
}

/// Bins of a histogram log of the coarsest cut: bin 20 of 29 holds from 2^25 ns to 2^26 ns.
#[test]
fn the_width_of_bins_alone_refuses_nothing() {
    let text = |windows: u64, each: u64| -> String {
        let line = |window| {
            let counts = (0..29).map(|bin| if bin == 20 { each } else { 0 }.to_string());
            let counts: Vec<String> = counts.collect();
            format!("{}, 1, 4096, {}\n", 1000 * (window + 1), counts.join(", "))
        };
        (0..windows).map(line).collect()
    };
    // 20 writes of 34 ms to 67 ms are 67 % to 134 % of a second.
    let document = log(&text(3, 20), |_, _| {});
    assert!(codes(&document).contains(&"unknown-coverage"));
    assert_eq!(document.of(Metric::Coverage).count(), 0);
    // 13 are at most 87 %, 32 at least 107 %.
    refused(&text(3, 13), |_, _| {}, &["cover 87.", "of 3 s"]);
    refused(&text(3, 32), |_, _| {}, &["cover 107 %"]);
}

// ---------------------------------------------------------------- traces

const TRACE_2: &str = "fio version 2 iolog\na add\na open\na write 0 4096\na wait 1500 0\n\
                       a write 8192 4096\na read 0 512\na write 0 4096\na close\n";
const TRACE_3: &str = "fio version 3 iolog\n0 a add\n0 a open\n0 a write 0 4096\n0 a write 4096 4096\n\
                       0 a write 8192 4096\n10000 a write 0 4096\n20000 a read 0 4096\n20000 a close\n";
const TRACE_BLK: &str =
    "  8,0 3 2 0.000001000 697 Q W 223490 + 8 [k]\n  8,0 3 3 0.000002500 697 Q W 0 + 8 [k]\n";

fn of_trace(target: &str, operation: Operation) -> Experiment {
    let question = BufferWorkload::of(AccessSource::Trace(TraceSource {
        file: "trace.log".to_owned(),
        format: None,
        job: None,
        operation,
    }));
    experiment(&[target], &[Timing::Typ, Timing::Max], question)
}

#[track_caller]
fn replayed(target: &str, trace: &str) -> ResultSet {
    let document = with_file(&of_trace(target, Operation::Write), trace.as_bytes());
    document.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn traces_are_replayed_and_once_more_at_their_own_times() {
    for (trace, writes) in [(TRACE_2, 3.0), (TRACE_3, 4.0), (TRACE_BLK, 2.0)] {
        let document = replayed(MRAM, trace);
        let counts: Vec<_> = document
            .of(Metric::AccessCount)
            .map(|row| row.value)
            .collect();
        assert_eq!(counts, [Some(writes); 2], "{trace}");
        let limits = rows(&document, Metric::ThroughputMean, None).filter_map(|row| row.value);
        assert!(limits.into_iter().all(|limit| limit > 1e6));
    }
    let document = replayed(MRAM, TRACE_3);
    let own = |metric| {
        let mut rows = rows(&document, metric, Some("own_times"));
        rows.next().and_then(|row| row.value).expect("own times")
    };
    // Three come at once: one is written, and two wait.
    assert_eq!(own(Metric::RamPeak), 8192.0);
    assert_eq!(own(Metric::RamPeakInFlight), 12_288.0);
    let alone = rows(&document, Metric::LatencyMax, None).next();
    let alone = alone.and_then(|row| row.value).expect("a time");
    assert!((own(Metric::LatencyMax) / alone - 3.0).abs() < 0.01);
}

#[test]
fn addresses_beyond_the_memory_are_folded_and_said() {
    let trace = "fio version 2 iolog\na add\na open\na write 1099511627776 4096\na close\n";
    assert!(codes(&replayed(MRAM, trace)).contains(&"folded-addresses"));
    let large = "fio version 2 iolog\na add\na open\na write 0 1099511627776\na close\n";
    let document = replayed(MRAM, large);
    assert!(
        codes(&document).contains(&"folded-addresses"),
        "an access that is cut is said: {:?}",
        document.warnings
    );
}

#[test]
fn a_trace_that_overwrites_fails_by_name_on_nand() {
    let trace =
        "fio version 2 iolog\na add\na open\na write 4096 4096\na write 4096 4096\na close\n";
    let document = replayed(NAND, trace);
    assert!(document.failed());
    let warning = document
        .warnings
        .iter()
        .find(|one| one.code == "run-failed");
    let advice = &warning.expect("it failed").advice;
    assert!(
        advice.contains(NAND) && advice.contains("translation layer"),
        "{advice}"
    );
}

#[test]
fn traces_without_what_is_asked_for_are_refused() {
    for (text, operation, words) in [
        (TRACE_BLK, Operation::Read, "there is no read in it"),
        (RANDWRITE, Operation::Write, "--log FILE"),
        ("", Operation::Write, "trace.log"),
        (
            "fio version 2 iolog\na add\na open\na wrote 0 4096\n",
            Operation::Write,
            "line 4",
        ),
    ] {
        let refusal = with_file(&of_trace(MRAM, operation), text.as_bytes());
        let message = refusal.expect_err("refused").to_string();
        assert!(message.contains(words), "{message}");
    }
}

/// Its accesses come at instants that simulated time cannot reach.
#[test]
fn a_trace_of_absurd_times_is_no_panic() {
    for at in [
        "18446744073709551615",
        "18446744073709551",
        "18446744073709",
        "18446744073",
    ] {
        for trace in [
            format!(
                "fio version 3 iolog\n0 a add\n0 a open\n0 a write 0 4096\n{at} a write 0 512\n"
            ),
            format!(
                "fio version 2 iolog\na add\na open\na write 0 4096\na wait {at} 0\na write 0 512\n"
            ),
        ] {
            let _ = with_file(&of_trace(MRAM, Operation::Write), trace.as_bytes());
        }
    }
    let late = "  8,0 3 2 18446744.073709 697 Q W 223490 + 8 [k]\n  8,0 3 2 18446744.073709551 697 Q W 0 + 8 [k]\n";
    let _ = with_file(&of_trace(MRAM, Operation::Write), late.as_bytes());
}

// ---------------------------------------------------------------- determinism, interruption

#[test]
fn the_same_question_gives_the_same_bytes() {
    let mut question = BufferWorkload::of(AccessSource::Stream(stream(512, 1 << 16, 1 << 18)));
    question.rates_bytes_per_s = vec![1e5, 1e6];
    let timings = [Timing::Typ, Timing::Max, Timing::Sampled];
    let targets = experiment(&[NAND, MRAM], &timings, question);
    let run = || {
        run(&catalog(), &targets, &Control::default())
            .expect("it runs")
            .to_json()
    };
    assert_eq!(run(), run());
    let rate = |_: &mut LogSource, question: &mut BufferWorkload| {
        question.rates_bytes_per_s = vec![1e6];
    };
    assert_eq!(
        log(RANDWRITE, rate).to_json(),
        log(RANDWRITE, rate).to_json()
    );
}

#[test]
fn a_stop_leaves_finished_rows_alone() {
    let question = BufferWorkload::of(AccessSource::Stream(stream(512, 1 << 16, 1 << 16)));
    let whole = simulated(&experiment(&[MRAM, NAND], &[Timing::Typ], question));
    let whole = Experiment { ..whole.experiment };
    let calls = AtomicU32::new(0);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let progress = |progress: wordline_lab::Progress<'_>| {
        calls.fetch_add(1, Ordering::Relaxed);
        if progress.step == NAND {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let control = Control {
        stop: Some(&stop),
        progress: Some(&progress),
        open: None,
    };
    let document = sound(run(&catalog(), &whole, &control).expect("it stops in order"));
    assert!(!document.complete && calls.into_inner() > 0);
    assert!(!document.rows.is_empty());
    assert!(document.rows.iter().all(|row| row.target == MRAM));
    for (experiment, text) in [
        (of_log(|_, _| {}), RANDWRITE),
        (of_trace(MRAM, Operation::Write), TRACE_2),
    ] {
        let open = |_: &str| -> io::Result<Box<dyn BufRead>> {
            Ok(Box::new(Cursor::new(text.as_bytes().to_vec())))
        };
        let control = Control {
            stop: Some(&stop),
            progress: None,
            open: Some(&open),
        };
        let document = sound(run(&catalog(), &experiment, &control).expect("it stops in order"));
        assert!(!document.complete && document.rows.is_empty());
    }
}

#[test]
fn a_target_that_is_named_twice_or_goes_with_a_log_is_refused() {
    let question = BufferWorkload::of(AccessSource::Stream(stream(512, 1 << 16, 1 << 16)));
    let twice = experiment(&[MRAM, "em064lx"], &[Timing::Typ], question);
    let error = run(&catalog(), &twice, &Control::default()).expect_err("refused");
    assert!(matches!(error, LabError::Twice(_)), "{error}");
    let with_log = Experiment {
        targets: vec![MRAM.to_owned()],
        ..of_log(|_, _| {})
    };
    let error = with_file(&with_log, RANDWRITE.as_bytes()).expect_err("refused");
    assert!(
        error.to_string().contains("does not go with a log"),
        "{error}"
    );
}

#[test]
fn sizes_of_a_stream_that_do_not_fit_are_refused() {
    for (source, words) in [
        (stream(0, 1 << 16, 1 << 16), "record 0 B"),
        (
            stream(1_000_000_000_000_000_000, u64::MAX, u64::MAX),
            "wrap 18446744073709551615 B",
        ),
        (
            stream(1_000_000_000_000_000_000, 1 << 20, u64::MAX),
            "record 1000 PB does not fit",
        ),
        (stream(4096, 0, 1 << 20), "wrap 0 B"),
        (stream(4096, 1 << 20, 100), "record 4 KiB does not fit"),
    ] {
        let question = BufferWorkload::of(AccessSource::Stream(source));
        let experiment = experiment(&[MRAM], &[Timing::Typ], question);
        let refusal = run(&catalog(), &experiment, &Control::default());
        let message = refusal.expect_err("refused").to_string();
        let number = words.split(' ').next().unwrap_or(words);
        assert!(
            message.contains(number) && message.contains("allowed"),
            "{words}: {message}"
        );
    }
}
