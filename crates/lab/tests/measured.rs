//! `wordline compare --log`: measured logs beside simulated parts, held against `wordline buffer --log` and numbers by hand.

use std::io::{self, BufRead, Cursor};

use wordline_catalog::Catalog;
use wordline_core::draw::{Purpose, draw, unit_interval};
use wordline_core::quantity::{ByteCount, DataRate, Energy, Money, Period, Quantity as _, Voltage};
use wordline_core::results::{AxisValue, Certainty, NoValue, Row, Verdict};
use wordline_core::{
    AccessSource, Axis, Basis, BufferWorkload, CompareWorkload, Durations, Experiment, LogSource,
    Metric, NamedValues, Operation, Preference, ResultSet, SizeOrPeriod, Timing, Work, WorkKind,
    Workload,
};
use wordline_lab::{Control, LabError, read_study, run, write_study};

const MRAM: &str = "em064lx@stm32h755-qspi";
const RATE: f64 = 1e6;
const RECORD: u64 = 4096;
const HISTOGRAM: &str = include_str!("../../trace/tests/data/fio-3.33-randwrite4k.json");

/// Accesses one after the other, from their durations in microseconds.
fn csv(operation: &str, bytes: u64, durations: impl IntoIterator<Item = u64>) -> String {
    let mut text = "start_us,op,bytes,duration_us\n".to_owned();
    let mut at = 0;
    for duration in durations {
        text += &format!("{at},{operation},{bytes},{duration}\n");
        at += duration;
    }
    text
}

/// Writes of 1 ms, one of which takes 20 ms.
fn steady() -> String {
    csv(
        "write",
        RECORD,
        (0..2000).map(|at| if at == 1000 { 20_000 } else { 1000 }),
    )
}

/// Writes of 1 ms and an exponential tail of 1 ms.
fn tailed() -> String {
    let of = |at| {
        let above = unit_interval(draw(3, 0, at, Purpose::Payload));
        1000 + (-1000.0 * above.ln()) as u64
    };
    csv("write", RECORD, (0..8000).map(of))
}

/// Data to keep that come in 30 s: a log of 8000 writes supports that, one of 2000 alike does not.
fn keep_long(study: &mut CompareWorkload) {
    study.work.keep = Some(SizeOrPeriod::For(Period::from_si(HORIZON_S)));
}

const HORIZON_S: f64 = 30.0;

/// Data to keep that come in 0.4 s: a nineteenth of 2000 writes at the study's rate is more.
fn keep_little(study: &mut CompareWorkload) {
    study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(400_000)));
}

fn study(logs: &[&str]) -> CompareWorkload {
    CompareWorkload {
        logs: logs.iter().map(|&name| name.to_owned()).collect(),
        log_flushed: true,
        ..CompareWorkload::of(Work {
            keep: Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 20))),
            ..Work::log(DataRate::from_si(RATE), ByteCount::from_bytes(RECORD))
        })
    }
}

fn experiment(workload: Workload, targets: &[&str], timings: &[Timing]) -> Experiment {
    Experiment {
        targets: targets.iter().map(|&name| name.to_owned()).collect(),
        workload,
        timings: timings.to_vec(),
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

fn try_run(experiment: &Experiment, files: &[(&str, &str)]) -> Result<ResultSet, LabError> {
    let open = |name: &str| -> io::Result<Box<dyn BufRead>> {
        let file = files.iter().find(|(file, _)| *file == name);
        let (_, text) = file.ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(text.as_bytes().to_vec())))
    };
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let document = run(&catalog, experiment, &control)?;
    assert_eq!(document.check(), Ok(()));
    assert_eq!(
        ResultSet::from_json(&document.to_json()).as_ref(),
        Ok(&document)
    );
    Ok(document)
}

/// The study of one log beside the MRAM.
#[track_caller]
fn judged(text: &str, change: impl FnOnce(&mut CompareWorkload)) -> ResultSet {
    let mut study = study(&["own.csv"]);
    change(&mut study);
    let workload = Workload::Compare(Box::new(study));
    let experiment = experiment(workload, &[MRAM], &[Timing::Typ, Timing::Max]);
    try_run(&experiment, &[("own.csv", text)]).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refused(text: &str, words: &[&str], change: impl FnOnce(&mut CompareWorkload)) {
    let mut study = study(&["own.csv"]);
    change(&mut study);
    let workload = Workload::Compare(Box::new(study));
    let experiment = experiment(workload, &[MRAM], &[Timing::Typ]);
    let refusal = try_run(&experiment, &[("own.csv", text)]);
    let message = refusal.expect_err("it is refused").to_string();
    for word in words {
        assert!(message.contains(word), "{word:?} is missing: {message}");
    }
}

/// What `wordline buffer --log` says of the same log at the same rate.
#[track_caller]
fn buffer(text: &str, durations: Durations) -> ResultSet {
    let source = AccessSource::Log(LogSource {
        file: "own.csv".to_owned(),
        operation: Some(Operation::Write),
        durations,
        ..LogSource::default()
    });
    let question = BufferWorkload {
        rates_bytes_per_s: vec![RATE],
        horizon_s: Some(HORIZON_S),
        ..BufferWorkload::of(source)
    };
    let experiment = experiment(Workload::Buffer(question), &[], &[Timing::Typ]);
    try_run(&experiment, &[("own.csv", text)]).unwrap_or_else(|error| panic!("{error}"))
}

fn is(row: &Row, axis: Axis, value: &str) -> bool {
    matches!(row.axes.get(&axis), Some(AxisValue::Text(text)) if text == value)
}

/// The row of a log in a comparison.
#[track_caller]
fn figure(document: &ResultSet, metric: Metric) -> &Row {
    let mut rows = document.of(metric);
    let found =
        rows.find(|row| row.target == "log:own.csv" && !row.axes.contains_key(&Axis::Estimate));
    found.unwrap_or_else(|| panic!("no {metric}"))
}

#[track_caller]
fn verdict(document: &ResultSet) -> &Verdict {
    let mut verdicts = document
        .verdicts
        .iter()
        .filter(|one| one.target == "log:own.csv");
    let found = verdicts.next().expect("a verdict");
    assert_eq!((verdicts.next(), found.timing), (None, Timing::Typ));
    found
}

/// What buffer says of RAM in flight in whole records, exactly or as an estimate.
#[track_caller]
fn in_flight(document: &ResultSet, arrival: &str, estimate: Option<&str>) -> f64 {
    let row = document.of(Metric::RamPeakInFlight).find(|row| {
        row.axes.get(&Axis::RateBytesPerS) == Some(&RATE.into())
            && is(row, Axis::Arrival, arrival)
            && match estimate {
                Some(kind) => is(row, Axis::Estimate, kind),
                None => !row.axes.contains_key(&Axis::Estimate),
            }
    });
    row.and_then(|row| row.value).expect("a value")
}

#[test]
fn a_log_is_judged_by_what_buffer_says_of_it() {
    let document = judged(&steady(), |study| {
        keep_little(study);
        study.limits.ram = Some(ByteCount::from_bytes(1 << 16));
    });
    let value = |metric| figure(&document, metric).value.expect("a number");
    // During 20 ms, 20 000 bytes come: four whole records beside the one that is written.
    let exact = in_flight(&buffer(&steady(), Durations::Latency), "record", None);
    assert_eq!(exact, 5.0 * 4096.0);
    assert_eq!(value(Metric::RamPeakInFlight), exact);
    assert_eq!(value(Metric::RamPeak), exact - 4096.0);
    assert_eq!(value(Metric::RamProvision), exact + 4096.0);
    assert_eq!(value(Metric::ProvisionHorizon), 0.4);
    assert_eq!(value(Metric::ProvisionConfidence), 0.95);
    assert_eq!(value(Metric::LatencyMax), 20e-3);
    // 2000 records in 2.019 s.
    assert!((value(Metric::ThroughputMean) - 2000.0 * 4096.0 / 2.019).abs() < 1e-3);
    assert_eq!(value(Metric::Coverage), 1.0);
    let own = document
        .rows
        .iter()
        .filter(|row| row.target == "log:own.csv");
    for row in own {
        assert_eq!(
            (row.workload.as_str(), row.timing),
            ("compare", Timing::Typ)
        );
        assert_eq!(row.basis, Basis::Measured, "{row:?}");
    }
    for metric in [
        Metric::Lifetime,
        Metric::EnergyPerDay,
        Metric::BytesAtRisk,
        Metric::HoldupCapacitance,
        Metric::PartsNeeded,
        Metric::Cost,
        Metric::Area,
    ] {
        assert_eq!(
            figure(&document, metric).no_value,
            Some(NoValue::NotApplicable)
        );
    }
    let verdict = verdict(&document);
    assert!(
        verdict.pass && verdict.certainty == Certainty::Certain,
        "{verdict:?}"
    );
    assert_eq!(
        (verdict.limit.as_str(), verdict.value),
        ("ram", Some(exact + 4096.0))
    );
    assert_eq!(document.experiment.targets, [MRAM]);
    let environment = document
        .environment
        .as_ref()
        .expect("what the log says of itself");
    assert_eq!(
        environment["log own.csv"],
        "CSV, 4 columns, durations: latency"
    );
}

/// A row of what may come.
#[track_caller]
fn extrapolated(document: &ResultSet, metric: Metric) -> f64 {
    let mut rows = document.of(metric);
    let row = rows.find(|row| is(row, Axis::Estimate, "extrapolated"));
    row.and_then(|row| row.value).expect("a level")
}

#[test]
fn what_a_log_lets_expect_decides_whether_its_verdict_holds() {
    let text = tailed();
    let longest = figure(&judged(&text, |_| {}), Metric::LatencyMax)
        .value
        .expect("known");
    let at_most = |seconds: f64| {
        judged(&text, |study| {
            keep_long(study);
            study.limits.latency = Some(Period::from_si(seconds))
        })
    };
    let high = extrapolated(&buffer(&text, Durations::Latency), Metric::LatencyMax);
    assert!(longest < high);
    let beyond = at_most(high * 1.001);
    assert_eq!(verdict(&beyond).certainty, Certainty::Certain);
    assert_eq!(extrapolated(&beyond, Metric::LatencyMax), high);

    let allowed = f64::midpoint(longest, high);
    let within = at_most(allowed);
    let open = verdict(&within);
    assert!(
        open.pass && open.certainty == Certainty::Depends,
        "{open:?}"
    );
    assert_eq!(
        open.deciding_figure.as_deref(),
        Some("own.csv: longest access")
    );
    assert_eq!(open.flips_at, Some(allowed));
    let deciding = open.deciding.as_ref().expect("a figure");
    assert_eq!(
        (deciding.kind.as_str(), deciding.limit.as_str()),
        ("extrapolated latency", "latency")
    );
    assert_eq!(
        (deciding.value, deciding.low, deciding.high),
        (longest, longest, high)
    );
    assert_eq!(
        (deciding.basis, deciding.unit.as_str()),
        (Basis::Measured, "s")
    );

    // What was seen has happened.
    let seen = at_most(longest * 0.99);
    let failed = verdict(&seen);
    assert_eq!((failed.pass, failed.certainty), (false, Certainty::Certain));
    assert_eq!(failed.limit, "latency");
}

/// RAM is judged by the number to provide, which covers what may come: between what was seen and that it depends.
#[test]
fn ram_is_judged_by_what_must_be_provided() {
    let text = tailed();
    let beside = buffer(&text, Durations::Latency);
    let seen = in_flight(&beside, "record", None) + 4096.0;
    let fluid = in_flight(&beside, "fluid", Some("extrapolated"));
    let number = (fluid / 4096.0).ceil() * 4096.0 + 4096.0;
    assert!(number > seen, "{seen} {number}");
    let with = |bytes: f64| {
        judged(&text, |study| {
            keep_long(study);
            study.limits.ram = Some(ByteCount::from_bytes(bytes as u64))
        })
    };
    let enough = with(number);
    let own = figure(&enough, Metric::RamProvision);
    assert_eq!((own.value, own.basis), (Some(number), Basis::Assumed));
    let horizon = figure(&enough, Metric::ProvisionHorizon).value;
    assert!(horizon.is_some_and(|one| (one / HORIZON_S - 1.0).abs() < 1e-9));
    let mut alone = enough.of(Metric::RamProvision);
    let alone = alone
        .find(|row| is(row, Axis::Estimate, "seen"))
        .expect("a row");
    assert_eq!((alone.value, alone.basis), (Some(seen), Basis::Measured));
    let certain = verdict(&enough);
    assert!(
        certain.pass && certain.certainty == Certainty::Certain,
        "{certain:?}"
    );
    let note = certain.note.as_deref().expect("a note");
    let words =
        "its RAM suffices for 30.0 s of such work with 95 % confidence (the log alone needed";
    assert!(note.contains(words), "{note}");

    let less = with(number - 4096.0);
    let open = verdict(&less);
    assert_eq!((open.pass, open.certainty), (false, Certainty::Depends));
    assert_eq!((open.value, open.limit.as_str()), (Some(number), "ram"));
    assert_eq!(
        open.deciding_figure.as_deref(),
        Some("own.csv: RAM in flight")
    );
    assert_eq!(open.flips_at, Some(number - 4096.0));
    let deciding = open.deciding.as_ref().expect("a figure");
    assert_eq!(
        (deciding.low, deciding.high, deciding.unit.as_str()),
        (seen - 4096.0, number - 4096.0, "B")
    );
    assert_eq!(
        (deciding.value, deciding.basis),
        (deciding.high, Basis::Assumed)
    );
    // Less than was seen fails, whatever comes.
    let failed = with(seen - 4096.0);
    let failed = verdict(&failed);
    assert_eq!((failed.pass, failed.certainty), (false, Certainty::Certain));
    // Another limit that the log fails leaves nothing open.
    let both = judged(&text, |study| {
        keep_long(study);
        study.limits.ram = Some(ByteCount::from_bytes((number - 4096.0) as u64));
        study.limits.latency = Some(Period::from_si(2e-3));
    });
    assert_eq!(verdict(&both).certainty, Certainty::Certain);
}

/// Alike maxima can be a cap or a quantised stall: they support a nineteenth of their time.
#[test]
fn alike_maxima_are_certain_no_longer_than_they_support() {
    let alike = |count| csv("write", RECORD, (0..count).map(|_| 1000));
    let of = |text: &str, keep: fn(&mut CompareWorkload)| {
        judged(text, |study| {
            keep(study);
            study.limits.latency = Some(Period::from_si(3e-3));
            study.limits.ram = Some(ByteCount::from_bytes(1 << 14));
        })
    };
    let long = of(&alike(2000), keep_long);
    let open = verdict(&long);
    assert!(
        open.pass && open.certainty == Certainty::Depends,
        "{open:?}"
    );
    let note = open.note.as_deref().expect("a note");
    // 2000 records come in 8.192 s.
    let words = "the log needed 8 KiB of RAM, which it supports for 431 ms of such work with 95 % confidence, and \
                 30.0 s need a log of 9.50 min of such work";
    assert!(note.contains(words), "{note}");
    let deciding = open.deciding.as_ref().expect("a figure");
    assert_eq!(deciding.low, deciding.high);
    assert_eq!(
        verdict(&of(&alike(2000), keep_little)).certainty,
        Certainty::Certain
    );
    // Too few to say anything.
    let few = of(&alike(200), keep_little);
    assert_eq!(verdict(&few).certainty, Certainty::Depends);
    let note = verdict(&few).note.as_deref().expect("a note");
    assert!(
        note.contains("is too short to support more than itself"),
        "{note}"
    );
    // Where no limit is about it, nothing depends on what may come.
    let none = judged(&alike(2000), keep_little);
    assert_eq!(verdict(&none).certainty, Certainty::Certain);
}

/// What a log shows is too weak for a certain verdict, for reasons that it names; and what has happened fails even so.
#[test]
fn weak_logs_leave_their_verdicts_open_and_say_why() {
    type Change = fn(&mut CompareWorkload);
    let alike = |count| csv("write", RECORD, (0..count).map(|_| 1000));
    let shuffled = {
        let text = alike(2000);
        let mut lines: Vec<&str> = text.lines().collect();
        lines[1..].reverse();
        lines.join("\n") + "\n"
    };
    let without_unit = csv("write", RECORD, (0..2000).map(|_| 300));
    let without_unit = without_unit.replace("duration_us", "duration");
    let untimed: String = (0..2000).map(|_| "write,4096,1000\n").collect::<String>();
    let untimed = format!("op,bytes,duration_us\n{untimed}");
    // fio's, in ns: one every ms, of which each takes 1.5 us.
    let cached: String = (0..2000)
        .map(|at| {
            format!(
                "{}, 1500, 1, 4096, {}, 0\n",
                at * 1500 / 1_000_000,
                at * 4096
            )
        })
        .collect();
    let none: Change = |_| {};
    let unflushed: Change = |study| study.log_flushed = false;
    let cases: [(&str, &str, Change); 9] = [
        (&cached, "page cache", none),
        (&without_unit, "unit not stated", none),
        (&alike(1), "too few accesses", none),
        (&shuffled, "order of accesses", none),
        (&untimed, "unknown coverage", none),
        (&alike(2000), "flush not recorded", unflushed),
        (&alike(2000), "flush not recorded", |study| {
            study.log_flushed = false;
            study.work.kind = WorkKind::Overwrite;
            study.limits.loss = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 16)));
        }),
        (&alike(2000), "retention", |study| {
            study.work.retain = Some(Period::from_si(1e8));
        }),
        (&alike(2000), "capacity", |study| {
            study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(100 << 30)));
        }),
    ];
    for (text, name, change) in cases {
        let document = judged(text, |study| {
            keep_little(study);
            change(study);
        });
        let open = verdict(&document);
        assert_eq!(
            (open.pass, open.certainty, open.deciding_figure.as_deref()),
            (true, Certainty::Depends, Some(&*format!("own.csv: {name}"))),
            "{open:?}"
        );
        assert_eq!((open.flips_at, &open.deciding), (None, &None));
    }
    // Flushes would not make it faster; in a page cache nothing has happened to the memory.
    let slow = csv("write", RECORD, (0..2000).map(|_| 5000));
    let failed = judged(&slow, unflushed);
    let failed = verdict(&failed);
    assert_eq!((failed.pass, failed.certainty), (false, Certainty::Certain));
    let too_fast = judged(&cached, |study| {
        study.limits.latency = Some(Period::from_si(1e-6));
    });
    let open = verdict(&too_fast);
    assert_eq!((open.pass, open.certainty), (false, Certainty::Depends));
    // Work that overwrites and states no loss needs no flush.
    let plain = judged(&alike(2000), |study| {
        keep_little(study);
        study.log_flushed = false;
        study.work.kind = WorkKind::Overwrite;
    });
    assert_eq!(verdict(&plain).certainty, Certainty::Certain);
}

/// Each duration may be a step of its clock longer, and the durations show that step.
#[test]
fn a_coarse_clock_leaves_open_what_one_step_more_turns() {
    let latency = |study: &mut CompareWorkload, ms: f64| {
        study.limits.latency = Some(Period::from_si(ms * 1e-3));
    };
    // A write every 5 ms; four of five took less than the clock tells.
    let zeros: String = (0..8000)
        .map(|at| {
            format!(
                "{},write,4096,{}\n",
                at * 5000,
                u64::from(at % 5 == 0) * 1000
            )
        })
        .collect();
    let zeros = format!("start_us,op,bytes,duration_us\n{zeros}");
    let none = zeros.replace(",1000\n", ",0\n");
    let alike = csv("write", RECORD, (0..8000).map(|_| 1000));
    let fine = csv("write", RECORD, (0..8000).map(|at| 900 + at * 7 % 101));
    let of = |text: &str, change: &dyn Fn(&mut CompareWorkload)| {
        let document = judged(text, |study| {
            keep_little(study);
            study.durations = Some(Durations::Paced);
            change(study);
        });
        let one = verdict(&document).clone();
        assert!(one.pass, "{one:?}");
        one.deciding_figure
    };
    let open = Some("own.csv: resolution".to_owned());
    assert_eq!(of(&none, &|_| {}), open);
    for (text, expected) in [(&alike, &open), (&zeros, &open), (&fine, &None)] {
        assert_eq!(&of(text, &|study| latency(study, 1.002)), expected);
        assert_eq!(of(text, &|study| latency(study, 2.0)), None);
    }
    // 3 KB come while the longest access takes 1 ms, and as many in the step that it may be longer.
    let in_ram = |bytes: u64| {
        of(&zeros, &|study| {
            study.work.rate = DataRate::from_si(3.0e6);
            study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(400_000)));
            study.limits.ram = Some(ByteCount::from_bytes(bytes));
        })
    };
    assert_eq!(in_ram(8192), open);
    assert_eq!(in_ram(1 << 16), None);
    // 4 KiB in 1.2 ms are 3.4 MB/s.
    let paced = |rate: f64| {
        of(&zeros, &|study| {
            study.work.rate = DataRate::from_si(rate);
        })
    };
    assert_eq!(paced(3.0e6), None);
    assert_eq!(paced(5.0e6), open);
}

/// As quick as the page cache of a host, in a list that names no format.
#[test]
fn a_page_cache_is_told_in_a_list_as_well() {
    let of = |ns: u64, paced: bool| {
        let every = if paced { 5_000_000 } else { ns };
        let lines: String = (0..8000)
            .map(|at| {
                format!(
                    "{},write,4096,{}\n",
                    at * every,
                    ns + at % 3 * u64::from(paced)
                )
            })
            .collect();
        let document = judged(
            &format!("start_ns,op,bytes,duration_ns\n{lines}"),
            |study| {
                keep_little(study);
                study.durations = Some(Durations::Paced);
            },
        );
        verdict(&document).deciding_figure.clone()
    };
    let open = Some("own.csv: page cache".to_owned());
    assert_eq!(of(1000, false), open);
    assert_eq!(of(500, true), open);
    // A bus may be that fast.
    assert_eq!(of(4000, false), None);
}

/// blkparse records flushes: as many as the work needs make a log that shows them.
#[test]
fn a_log_that_records_its_flushes_needs_no_word_of_them() {
    let traced = |every: u64| {
        let mut text = String::new();
        let mut at = 0;
        let mut event = |what: &str, at: u64| {
            let (s, ns) = (at / 1_000_000, at % 1_000_000 * 1000);
            text += &format!("  8,0 0 1 {s}.{ns:09} 700 {what}\n");
        };
        for index in 0..2000 {
            let sector = 8 * index;
            event(&format!("D WS {sector} + 8 [dd]"), at);
            event(&format!("C WS {sector} + 8 [0]"), at + 1000);
            at += 1000;
            if (index + 1) % every == 0 {
                event("D FN [dd]", at);
                event("C FN 0 [0]", at + 10);
                at += 10;
            }
        }
        text
    };
    let of = |every| {
        let document = judged(&traced(every), |study| {
            keep_little(study);
            study.log_flushed = false;
        });
        let one = verdict(&document);
        (one.certainty, one.deciding_figure.clone())
    };
    assert_eq!(of(1), (Certainty::Certain, None));
    let (certainty, figure) = of(100);
    assert_eq!(certainty, Certainty::Depends);
    assert_eq!(figure.as_deref(), Some("own.csv: flush not recorded"));
}

/// The mean rate is known as far as the stretches of the log agree on it.
#[test]
fn a_rate_that_is_near_is_not_certain() {
    let of = |rate: f64| {
        let document = judged(&tailed(), |study| study.work.rate = DataRate::from_si(rate));
        verdict(&document).clone()
    };
    let document = judged(&tailed(), |_| {});
    let mean = figure(&document, Metric::ThroughputMean);
    let mean = mean.value.expect("a rate");
    for (share, pass) in [(0.997, true), (1.003, false)] {
        let near = of(share * mean);
        assert_eq!((near.pass, near.certainty), (pass, Certainty::Depends));
        assert_eq!(near.deciding_figure.as_deref(), Some("own.csv: mean rate"));
        assert_eq!(near.flips_at, Some(share * mean));
    }
    for (share, pass) in [(0.9, true), (1.1, false)] {
        let far = of(share * mean);
        assert_eq!((far.pass, far.certainty), (pass, Certainty::Certain));
    }
}

#[test]
fn what_a_log_does_not_say_passes_no_limit() {
    type Change = fn(&mut CompareWorkload);
    let cases: [(&str, Change); 5] = [
        ("lifetime", |study| {
            study.limits.life = Some(Period::from_si(1.0))
        }),
        ("cost", |study| {
            study.limits.cost = Some(Money::from_si(1e6))
        }),
        ("energy", |study| {
            study.limits.energy_per_day = Some(Energy::from_si(1e9))
        }),
        ("risk", |study| {
            study.limits.bytes_at_risk = Some(ByteCount::from_bytes(1 << 30))
        }),
        ("capacity", |study| study.limits.parts = Some(4)),
    ];
    for (limit, change) in cases {
        let document = judged(&steady(), change);
        let verdict = verdict(&document);
        assert_eq!(
            (verdict.pass, verdict.limit.as_str(), verdict.value),
            (false, limit, None)
        );
        let note = verdict.note.as_deref().expect("a note");
        assert!(
            note.contains("is unknown: a log does not tell it"),
            "{note}"
        );
        // Nothing that is known of it fails.
        assert_eq!(verdict.certainty, Certainty::Depends);
        let open = verdict.deciding_figure.as_deref();
        assert_eq!(open, Some(&*format!("own.csv: {}", verdict.metric)));
    }
}

/// A current of 20 mA within writes of 1 ms and of 1 mA in pauses of 3 ms, each 50 us, at 2 V; and these writes.
fn paced(writes: u64) -> (String, String) {
    let log: String = (0..writes)
        .map(|at| format!("{},write,4096,1000\n", 4000 * at))
        .collect();
    let sample = |us: u64| {
        let ma = if us % 4000 < 1000 { 20 } else { 1 };
        format!("{},{},0\n", us as f64 / 1e3, 1000 * ma)
    };
    let samples: String = (0..=4000 * writes).step_by(50).map(sample).collect();
    (
        format!("start_us,op,bytes,duration_us\n{log}"),
        format!("Timestamp(ms),Current(uA),D0-D7\n{samples}"),
    )
}

/// The study of logs with their currents, without other candidates than the MRAM.
fn with_currents(
    files: &[(&str, &str)],
    change: impl FnOnce(&mut CompareWorkload),
) -> Result<ResultSet, LabError> {
    let mut study = study(&["own.csv"]);
    study.work.rate = DataRate::from_si(100e3);
    study.durations = Some(Durations::Paced);
    study.currents = vec!["ppk.csv".to_owned()];
    study.voltages = vec![Voltage::from_si(2.0)];
    change(&mut study);
    let workload = Workload::Compare(Box::new(study));
    try_run(&experiment(workload, &[MRAM], &[Timing::Typ]), files)
}

/// Per write: 1 ms of 40 mW, but for the half steps at its ends, in which the power rises or falls to 2 mW.
const WRITE_J: f64 = 40e-3 * 1e-3 - 19e-3 * 50e-6;

#[test]
fn a_current_beside_a_log_gives_its_energy_of_a_day() {
    let (log, current) = paced(2000);
    let files = [("own.csv", log.as_str()), ("ppk.csv", current.as_str())];
    let document = with_currents(&files, |study| {
        study.limits.energy_per_day = Some(Energy::from_si(500.0));
    })
    .expect("sound");
    let value = |metric| figure(&document, metric).value.expect("a number");
    assert!((value(Metric::EnergyPerOp) / WRITE_J - 1.0).abs() < 1e-6);
    assert!((value(Metric::EnergyPerByte) * 4096.0 / WRITE_J - 1.0).abs() < 1e-6);
    // 100 KB/s are 24.4 writes a second, in which 2.44 % of the time are busy; the rest draws what the pauses do.
    let writes = 100e3 / 4096.0 * 86_400.0;
    let idle_s = 86_400.0 - writes * 1e-3;
    // Of a pause the last half step rises to the power of a write.
    let pause_w = (2e-3 * 3e-3 + 19e-3 * 50e-6) / 3e-3;
    let day = writes * WRITE_J + pause_w * idle_s;
    let row = figure(&document, Metric::EnergyPerDay);
    assert!(
        (value(Metric::EnergyPerDay) / day - 1.0).abs() < 1e-3,
        "{row:?}, {day}"
    );
    assert_eq!(row.basis, Basis::Measured);
    let judged = verdict(&document);
    assert!(
        judged.pass && judged.certainty == Certainty::Certain,
        "{judged:?}"
    );
    assert_eq!((judged.limit.as_str(), judged.value), ("energy", row.value));
    let environment = document
        .environment
        .as_ref()
        .expect("what the log says of itself");
    assert!(environment["log own.csv"].ends_with("current: ppk.csv"));
    let less = with_currents(&files, |study| {
        study.limits.energy_per_day = Some(Energy::from_si(0.9 * day));
    });
    let less = less.expect("sound");
    assert_eq!(
        (verdict(&less).pass, verdict(&less).certainty),
        (false, Certainty::Certain)
    );
}

/// Without pauses nothing shows the standby: the rest of the day counts for nothing, and a verdict says so.
#[test]
fn an_energy_without_standby_passes_no_limit_for_certain() {
    let log = csv("write", RECORD, (0..2000).map(|_| 1000));
    let samples: String = (0..=2_000_000)
        .step_by(100)
        .map(|us| format!("{},20000,0\n", us as f64 / 1e3))
        .collect();
    let current = format!("Timestamp(ms),Current(uA),D0-D7\n{samples}");
    let files = [("own.csv", log.as_str()), ("ppk.csv", current.as_str())];
    let of = |rate: f64, allowed: Option<f64>| {
        let document = with_currents(&files, |study| {
            study.durations = None;
            study.work.rate = DataRate::from_si(rate);
            study.limits.energy_per_day = allowed.map(Energy::from_si);
            study.prefer = Some(Preference::Energy);
        });
        document.expect("sound")
    };
    let document = of(100e3, Some(200.0));
    // 24.4 writes a second of 40 uJ.
    let busy = 100e3 / 4096.0 * 86_400.0 * 40e-6;
    let row = figure(&document, Metric::EnergyPerDay);
    assert!(
        (row.value.expect("a number") / busy - 1.0).abs() < 1e-6,
        "{row:?}"
    );
    assert_eq!(row.basis, Basis::Assumed);
    let open = verdict(&document);
    assert!(
        open.pass && open.certainty == Certainty::Depends,
        "{open:?}"
    );
    assert_eq!(
        open.deciding_figure.as_deref(),
        Some("own.csv: standby power")
    );
    let idle_s = 86_400.0 * (1.0 - 100e3 / 4096.0 * 1e-3);
    let room = open.flips_at.expect("a power");
    assert!(
        (room * idle_s / (200.0 - busy) - 1.0).abs() < 1e-6,
        "{room}"
    );
    let note = open.note.as_deref().expect("a note");
    assert!(note.contains("--durations paced"), "{note}");
    // A memory that is busy all day has no standby.
    let busy = of(4096e3 * 0.999, Some(1e6));
    assert_eq!(figure(&busy, Metric::EnergyPerDay).basis, Basis::Measured);
    assert_eq!(verdict(&busy).certainty, Certainty::Certain);
    // Who ranks first by an energy that leaves something out ranks with a word of it.
    let ranked = of(100e3, None);
    let told = ranked
        .warnings
        .iter()
        .find(|one| one.code == "assumed-order");
    let told = told.map(|one| one.advice.as_str());
    assert!(
        told.is_some_and(|advice| advice.contains("log:own.csv")),
        "{:?}",
        ranked.warnings
    );
}

#[test]
fn currents_belong_to_logs_in_their_order() {
    let (log, current) = paced(1500);
    // The second analyser ran at 4 V, so that its file tells twice the power.
    let second = current
        .lines()
        .map(
            |line| match line.split(',').collect::<Vec<_>>().as_slice() {
                [at, current, _] if !at.starts_with('T') => format!("{at},{current},4000\n"),
                _ => "Timestamp(ms),Current(uA),Voltage(mV)\n".to_owned(),
            },
        )
        .collect::<String>();
    let files = [
        ("own.csv", log.as_str()),
        ("b.csv", log.as_str()),
        ("c.csv", log.as_str()),
        ("ppk.csv", current.as_str()),
        ("own_voltage.csv", second.as_str()),
    ];
    let energies = |document: &ResultSet| {
        ["own.csv", "b.csv", "c.csv"].map(|log| {
            let mut rows = document.of(Metric::EnergyPerOp);
            let row = rows.find(|row| row.target == format!("log:{log}"));
            row.and_then(|row| row.value)
        })
    };
    let study = |study: &mut CompareWorkload| {
        study.logs = ["own.csv", "b.csv", "c.csv"].map(str::to_owned).to_vec();
        study.currents = ["ppk.csv", "own_voltage.csv"].map(str::to_owned).to_vec();
    };
    // One voltage stands for the files that do not state theirs; the third log has no current.
    let document = with_currents(&files, study).expect("sound");
    let [first, second, third] = energies(&document);
    let ratio = second.expect("told") / first.expect("told");
    assert!((ratio - 2.0).abs() < 1e-9 && third.is_none(), "{ratio}");
    // It survives a study file.
    let written = write_study(&document.experiment).expect("a comparison");
    assert!(
        written.contains("currents = [\"ppk.csv\", \"own_voltage.csv\"]"),
        "{written}"
    );
    assert!(written.contains("voltages = [\"2 V\"]"), "{written}");
    assert_eq!(
        read_study("s.toml", &written).ok().as_ref(),
        Some(&document.experiment)
    );
    // One of each is for each.
    let each = with_currents(&files, |one| {
        study(one);
        one.currents[1] = "ppk.csv".to_owned();
        one.voltages = vec![Voltage::from_si(2.0), Voltage::from_si(6.0)];
        one.current_offsets_ps = vec![0, 4_000_000_000];
    });
    let [first, second, _] = energies(&each.expect("sound"));
    assert!((second.expect("told") / first.expect("told") - 3.0).abs() < 1e-9);
}

#[test]
fn currents_that_do_not_fit_are_refused_with_the_way_out() {
    let (log, current) = paced(1500);
    let late = current.replace("\n0,", "\n900000,");
    let late: String = late
        .lines()
        .take(1)
        .map(|line| format!("{line}\n"))
        .collect();
    let late = late + "900000,1,0\n900001,1,0\n900002,1,0\n";
    let timeless = "op,bytes,duration_us\n".to_owned() + &"write,4096,1000\n".repeat(1500);
    let files = [
        ("own.csv", log.as_str()),
        ("ppk.csv", current.as_str()),
        ("late.csv", late.as_str()),
        ("timeless.csv", timeless.as_str()),
        ("fio.json", HISTOGRAM),
    ];
    type Change = fn(&mut CompareWorkload);
    let cases: [(Change, &[&str]); 9] = [
        (
            |study| study.currents.push("late.csv".to_owned()),
            &[
                "currents names 2, and there are 1 logs",
                "name logs with a current first",
            ],
        ),
        (
            |study| study.currents[0] = "late.csv".to_owned(),
            &[
                "late.csv: the current covers none of 1500 accesses",
                "--current-offset",
            ],
        ),
        (
            |study| study.logs[0] = "timeless.csv".to_owned(),
            &[
                "does not record when accesses happened, which --current needs",
                "start_us",
            ],
        ),
        (
            |study| study.logs[0] = "fio.json".to_owned(),
            &["a histogram does not record when accesses happened"],
        ),
        (
            |study| study.currents[0] = "own.csv".to_owned(),
            &["own.csv: this is not a log of currents"],
        ),
        (
            |study| study.voltages.clear(),
            &["voltage is stated nowhere in ppk.csv", "add --voltage"],
        ),
        (
            |study| study.voltages = vec![Voltage::from_si(2.0); 3],
            &[
                "voltages names 3, and there are 1 currents",
                "one for all, or one for each",
            ],
        ),
        (
            |study| study.current_offsets_ps = vec![0, 0],
            &[
                "current_offsets names 2, and there are 1 currents",
                "one for each current",
            ],
        ),
        (
            |study| study.currents.clear(),
            &["voltages goes with a current alone", "--current FILE"],
        ),
    ];
    for (change, words) in cases {
        let message = with_currents(&files, change)
            .expect_err(words[0])
            .to_string();
        for word in words {
            assert!(message.contains(word), "{word:?} is missing: {message}");
        }
    }
    let none = with_currents(&files, |study| {
        study.logs.clear();
        study.log_flushed = false;
        study.durations = None;
    });
    let message = none.expect_err("no logs").to_string();
    assert!(
        message.contains("currents goes with logs alone"),
        "{message}"
    );
}

/// What is known to fail decides before what is unknown.
#[test]
fn a_failure_of_a_log_decides_before_what_it_does_not_tell() {
    let document = judged(&steady(), |study| {
        study.limits.latency = Some(Period::from_si(10e-3));
        study.limits.life = Some(Period::from_si(1.0));
    });
    let failed = verdict(&document);
    assert_eq!((failed.pass, failed.certainty), (false, Certainty::Certain));
    assert_eq!(failed.limit, "latency");
    let note = failed.note.as_deref().expect("a note");
    assert!(
        note.contains("lifetime is unknown: a log does not tell it"),
        "{note}"
    );
}

#[test]
fn logs_rank_with_everybody_and_what_is_unknown_goes_behind() {
    let order = |document: &ResultSet| {
        let mut names: Vec<String> = document
            .verdicts
            .iter()
            .map(|one| one.target.clone())
            .collect();
        names.dedup();
        names
    };
    let log = "log:own.csv".to_owned();
    // Both pass for certain: of the log neither chips, nor energy, nor price are known.
    let document = judged(&steady(), |_| {});
    assert!(document.verdicts.iter().all(|one| one.pass));
    assert_eq!(order(&document), [MRAM.to_owned(), log.clone()]);
    // The MRAM passes no more, at any timing.
    let document = judged(&steady(), |study| {
        study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 30)));
    });
    assert_eq!(order(&document), [log.clone(), MRAM.to_owned()]);
    // A rate that the log cannot sustain decides before its RAM.
    let slow = csv("write", RECORD, (0..2000).map(|_| 5000));
    let document = judged(&slow, |study| {
        study.limits.ram = Some(ByteCount::from_bytes(1 << 16))
    });
    assert_eq!(
        (verdict(&document).pass, verdict(&document).limit.as_str()),
        (false, "rate")
    );
    assert_eq!(
        figure(&document, Metric::RamProvision).no_value,
        Some(NoValue::Unbounded)
    );
}

#[test]
fn several_logs_stand_side_by_side_the_same_each_time() {
    let mut study = study(&["a.log", "b.csv"]);
    study.limits.ram = Some(ByteCount::from_bytes(1 << 16));
    let experiment = experiment(Workload::Compare(Box::new(study)), &[MRAM], &[Timing::Max]);
    let (one, other) = (steady(), tailed());
    let files = [("a.log", one.as_str()), ("b.csv", other.as_str())];
    let run = || try_run(&experiment, &files).expect("sound");
    let document = run();
    assert_eq!(document.to_json(), run().to_json());
    assert_eq!(document.verdicts.len(), 3);
    let environment = document.environment.expect("of both");
    assert_eq!(
        environment.keys().collect::<Vec<_>>(),
        ["log a.log", "log b.csv"]
    );
    // And so it does from a study.
    let written = write_study(&experiment).expect("a comparison");
    assert!(
        written.contains("logs = [\"a.log\", \"b.csv\"]"),
        "{written}"
    );
    assert_eq!(read_study("s.toml", &written).ok(), Some(experiment));
}

#[test]
fn accesses_of_several_records_count_as_they_are() {
    let text = csv("write", 4 * RECORD, (0..2000).map(|_| 1000));
    let document = judged(&text, |study| {
        study.limits.ram = Some(ByteCount::from_bytes(1 << 16))
    });
    assert_eq!(
        figure(&document, Metric::RamProvision).value,
        Some(2.0 * 16_384.0)
    );
    let note = verdict(&document).note.as_deref().expect("a note");
    assert!(
        note.contains("up to 16 KiB, 4 records of 4 KiB gathered in RAM"),
        "{note}"
    );
    // Plain durations move the record of the study.
    let plain: String = (0..2000).map(|_| "1000\n").collect();
    let document = judged(&plain, |study| {
        study.units = NamedValues::from([("duration".to_owned(), "us".parse().expect("a unit"))]);
    });
    assert_eq!(figure(&document, Metric::RamProvision).value, Some(8192.0));
}

#[test]
fn starts_in_steps_need_the_most_that_these_allow() {
    // fio's times are in steps of 1 ms.
    let line = |at: u64| {
        format!(
            "{}, {}, 1, 4096, {}, 0\n",
            3 * (at + 1),
            2_900_000 + at % 7,
            at * 4096
        )
    };
    let text: String = (0..2000).map(line).collect();
    let document = judged(&text, |study| {
        study.durations = Some(Durations::StartToStart)
    });
    let beside = buffer(&text, Durations::StartToStart);
    let most = in_flight(&beside, "record", Some("most"));
    assert!(most > in_flight(&beside, "record", None));
    assert_eq!(
        figure(&document, Metric::RamProvision).value,
        Some(most + 4096.0)
    );
}

#[test]
fn logs_that_do_not_answer_are_refused_with_a_way_out() {
    let broken = csv("write", 6000, [1000]);
    refused(
        &broken,
        &[
            "own.csv: line 2",
            "no whole number of records of 4 KiB",
            "(--record)",
        ],
        |_| {},
    );
    let reads = csv("read", RECORD, (0..2000).map(|_| 1000));
    refused(
        &reads,
        &["no write among its 2000 accesses", "--work read"],
        |_| {},
    );
    refused(HISTOGRAM, &["a histogram", "--write_lat_log"], |_| {});
    refused("", &["own.csv"], |_| {});
    refused(&steady(), &["theirs.csv: cannot be read"], |study| {
        study.logs.push("theirs.csv".to_owned());
    });
    refused(
        &steady(),
        &["logs names two files own.csv", "rename one"],
        |study| {
            study.logs.push("own.csv".to_owned());
        },
    );
    refused(&steady(), &["logs names more than 64"], |study| {
        study.logs = (0..65).map(|at| format!("{at}.log")).collect();
    });
    refused(
        &steady(),
        &["log, overwrite and read, not with mixed"],
        |study| {
            study.work.kind = WorkKind::Mixed;
        },
    );
    refused(&steady(), &["log_format goes with logs alone"], |study| {
        study.logs.clear();
        study.log_format = Some("csv".to_owned());
    });
    // Half of the time is missing.
    let gaps: String = (0..2000)
        .map(|at| format!("{},write,4096,1000\n", 2000 * at))
        .collect();
    let gaps = format!("start_us,op,bytes,duration_us\n{gaps}");
    refused(
        &gaps,
        &["cover 50.0 % of its time", "--durations start-to-start"],
        |_| {},
    );
    judged(&gaps, |study| study.durations = Some(Durations::Paced));
}
