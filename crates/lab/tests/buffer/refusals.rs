//! What a log has to be: coverage, order, sizes, and what is told of the rest.

use wordline_core::draw::{Purpose, draw};
use wordline_core::{
    AccessSource, Axis, Basis, BufferWorkload, Durations, LogSource, Metric, Operation, ResultSet,
    Timing,
};

use crate::buffer::recursion::{durations, lindley};
use crate::buffer::support::*;

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
        &["line 1", "moved 4 KiB", "--record states 512 B"],
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
    refused(replay, |_, _| {}, &["records no durations", "--trace"]);
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
        &["line 2", "does not record when accesses ended"],
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
            .all(|row| !row.axes.contains_key(&Axis::AccessBytes))
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
        if axis(row, Axis::RamBytes) == Some(16_384.0) {
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
