//! `wordline compare --log`: measured logs beside simulated parts, held against `wordline buffer --log` and numbers by hand.

use std::io::{self, BufRead, Cursor};

use wordline_catalog::Catalog;
use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::{ByteCount, DataRate, Energy, Money, Period, Quantity as _};
use wordline_core::results::{AxisValue, Certainty, NoValue, Row, Verdict};
use wordline_core::{
    AccessSource, Axis, Basis, BufferWorkload, CompareWorkload, Durations, Experiment, LogSource,
    Metric, NamedValues, Operation, ResultSet, SizeOrPeriod, Timing, Work, WorkKind, Workload,
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

/// Writes of 1 ms and a tail that grows rarer by half for each 1.2 ms.
fn tailed() -> String {
    let of = |at| {
        let bits = draw(3, 0, at, Purpose::Payload);
        1000 + 1200 * u64::from(bits.leading_zeros()) + bits % 400
    };
    csv("write", RECORD, (0..8000).map(of))
}

fn study(logs: &[&str]) -> CompareWorkload {
    CompareWorkload {
        logs: logs.iter().map(|&name| name.to_owned()).collect(),
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
        study.limits.ram = Some(ByteCount::from_bytes(1 << 16));
    });
    let value = |metric| figure(&document, metric).value.expect("a number");
    // During 20 ms, 20 000 bytes come: four whole records beside the one that is written.
    let exact = in_flight(&buffer(&steady(), Durations::Latency), "record", None);
    assert_eq!(exact, 5.0 * 4096.0);
    assert_eq!(value(Metric::RamPeakInFlight), exact);
    assert_eq!(value(Metric::RamPeak), exact - 4096.0);
    assert_eq!(value(Metric::RamProvision), exact + 4096.0);
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
        let expected = match row.axes.contains_key(&Axis::Estimate) {
            true => Basis::Assumed,
            false => Basis::Measured,
        };
        assert_eq!(row.basis, expected, "{row:?}");
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

#[test]
fn what_a_log_lets_expect_decides_whether_its_verdict_holds() {
    let text = tailed();
    let beside = buffer(&text, Durations::Latency);
    let level = |kind: &str| {
        let mut rows = beside.of(Metric::LatencyMax);
        let row = rows.find(|row| is(row, Axis::Estimate, kind));
        row.and_then(|row| row.value).expect("a level")
    };
    let high = level("return_level_high");
    let longest = figure(&judged(&text, |_| {}), Metric::LatencyMax)
        .value
        .expect("known");
    assert!(longest < high);
    let at_most = |seconds: f64| {
        judged(&text, |study| {
            study.limits.latency = Some(Period::from_si(seconds))
        })
    };
    let beyond = at_most(high * 1.001);
    assert_eq!(verdict(&beyond).certainty, Certainty::Certain);
    // The levels stand among the rows as buffer writes them.
    let own = beyond
        .of(Metric::LatencyMax)
        .find(|row| is(row, Axis::Estimate, "return_level_high"));
    assert_eq!(own.and_then(|row| row.value), Some(high));

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

#[test]
fn ram_is_extrapolated_in_whole_accesses() {
    let text = tailed();
    let beside = buffer(&text, Durations::Latency);
    let seen = in_flight(&beside, "record", None);
    let fluid = in_flight(&beside, "fluid", Some("return_level_high"));
    let high = (fluid / 4096.0).ceil() * 4096.0;
    assert!(high > seen, "{seen} {high}");
    let with = |bytes: f64| {
        judged(&text, |study| {
            study.limits.ram = Some(ByteCount::from_bytes(bytes as u64))
        })
    };
    // One record is gathered meanwhile.
    let enough = with(high + 4096.0);
    assert_eq!(verdict(&enough).certainty, Certainty::Certain);
    let less = with(high);
    let open = verdict(&less);
    assert!(
        open.pass && open.certainty == Certainty::Depends,
        "{open:?}"
    );
    assert_eq!(
        open.deciding_figure.as_deref(),
        Some("own.csv: RAM in flight")
    );
    assert_eq!(open.flips_at, Some(high));
    let deciding = open.deciding.as_ref().expect("a figure");
    assert_eq!(
        (deciding.value, deciding.high, deciding.unit.as_str()),
        (seen, high, "B")
    );
    assert!(!verdict(&with(seen)).pass);
}

#[test]
fn few_accesses_promise_nothing_and_many_alike_do() {
    let alike = |count| csv("write", RECORD, (0..count).map(|_| 1000));
    let of = |text: &str| {
        judged(text, |study| {
            study.limits.latency = Some(Period::from_si(3e-3))
        })
    };
    let few = of(&alike(200));
    assert_eq!(verdict(&few).certainty, Certainty::Depends);
    let deciding = verdict(&few).deciding.as_ref().expect("a figure");
    assert_eq!((deciding.low, deciding.high), (1e-3, 1e-3));
    assert_eq!(verdict(&of(&alike(2000))).certainty, Certainty::Certain);
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
        assert!(note.contains("is unknown: a log does not say it"), "{note}");
    }
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
