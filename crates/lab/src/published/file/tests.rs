use wordline_core::{Arrival, Metric};

use super::*;
use crate::published::{Input, Kind, ModuleTest, Question};

const COVER: &str = "key = 'k'\ntitle = 't'\ntarget = 'p@b'\nerrata = []\n";
const ROW: &str = "operation = 'write', access = '2 KiB', metric = 'latency_max'";

fn read(value: &str) -> Result<Value, String> {
    let text = format!("[[value]]\ncitation = 'c'\nuse = 'predicted'\n{value}");
    Published::parse(COVER, &[&text]).map(|mut document| document.value.remove(0))
}

#[test]
fn a_divisor_takes_what_it_leaves_out_from_the_dividend() {
    let value = read(
        "of = { operation = 'write', access = '2 KiB', metric = 'latency_max_part', cause = \
         'erase' }\nover = { metric = 'latency_max' }\npublished = 'most of it'\nat_least = '0.5'",
    );
    let value = value.expect("sound");
    assert_eq!((value.published, value.unit), (None, "1"));
    let Some(Measure::Row {
        run, metric, cause, ..
    }) = value.over
    else {
        panic!("a row");
    };
    assert_eq!((run.target.as_str(), run.access_bytes), ("p@b", 2048));
    assert_eq!((metric, cause), (Metric::LatencyMax, None));
}

#[test]
fn mistakes_are_named() {
    let of = format!("of = {{ {ROW} }}\n");
    let cases = [
        ("published = '52 us'".to_owned(), "neither a tolerance nor"),
        (
            "published = '52 us'\ntolerance = 0.0".to_owned(),
            "a tolerance of 0",
        ),
        (
            "published = '52 us'\ntolerance = 0.9".to_owned(),
            "a tolerance of 0.9",
        ),
        (
            "published = '52 us'\ntolerance = 0.1\nat_most = '1 s'".to_owned(),
            "a tolerance and a limit",
        ),
        (
            "published = 'long'\ntolerance = 0.1".to_owned(),
            "is no quantity",
        ),
        (
            "published = '52 MB/s'\ntolerance = 0.1".to_owned(),
            "is in s, a number in B/s",
        ),
        (
            "published = '52 us'\nat_most = 'soon'".to_owned(),
            "\"soon\" is no quantity",
        ),
        (
            "published = 'x'\nat_least = '2 s'\nat_most = '1 s'".to_owned(),
            "no value is allowed",
        ),
        (
            "published = '52 us'\ntolerance = 0.1\nneeds = ''".to_owned(),
            "is empty",
        ),
        (
            "published = '52 us'\ntolerence = 0.1".to_owned(),
            "unknown field `tolerence`",
        ),
    ];
    for (text, expected) in cases {
        let error = read(&(of.clone() + &text)).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    let no_metric =
        "of = { operation = 'read', access = '1 B' }\npublished = '1 s'\ntolerance = 0.1";
    assert!(
        read(no_metric)
            .expect_err("no metric")
            .contains("metric is missing")
    );
}

/// A value of a buffer of the usual target at some input.
fn buffered(metric: &str, input: &str, rest: &str) -> Result<Value, String> {
    read(&format!(
        "of = {{ workload = 'buffer', operation = 'write', access = '4 KiB', metric = '{metric}', {input} }}\n{rest}"
    ))
}

#[test]
fn an_input_is_a_rate_or_a_period_and_comes_in_records_unless_said() {
    const RAM: &str = "published = '8 KiB'\ntolerance = 0.1";
    let input = |input: &str| match buffered("ram_peak", input, RAM).expect("sound").of {
        Measure::Row { input, .. } => (input.rate_bytes_per_s, input.arrival),
        other => panic!("{other:?}"),
    };
    let records = (Some(4_096_000.0), Some(Arrival::Record));
    assert_eq!(input("period = '1 ms'"), records);
    assert_eq!(input("rate = '4096 KB/s'"), records);
    let fluid = input("rate = '500 KB/s', arrival = 'fluid'");
    assert_eq!(fluid, (Some(500_000.0), Some(Arrival::Fluid)));

    // A divisor with a metric of its own has no input of the dividend.
    const RATIO: &str = "over = { metric = 'throughput_mean' }\npublished = '1'\ntolerance = 0.1";
    let ratio = buffered("rate_max", "ram = '0 B'", RATIO).expect("sound");
    let Some(Measure::Row { run, input, .. }) = ratio.over else {
        panic!("a row");
    };
    assert_eq!((run.workload, input), (Kind::Buffer, Input::default()));

    for (metric, given, expected) in [
        (
            "ram_peak",
            "rate = '1 KB/s', period = '1 ms'",
            "a rate and a period",
        ),
        ("ram_peak", "arrival = 'fluid'", "ram_peak needs a rate"),
        (
            "ram_peak",
            "rate = '1 KB/s', ram = '1 KiB'",
            "ram_peak has no ram",
        ),
        (
            "rate_max",
            "rate = '1 KB/s', ram = '1 KiB'",
            "rate_max has no rate",
        ),
        (
            "latency_max",
            "arrival = 'fluid'",
            "latency_max has no arrival",
        ),
    ] {
        let error = buffered(metric, given, RAM).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    let raw = format!("of = {{ {ROW}, rate = '1 KB/s' }}\npublished = '1 s'\ntolerance = 0.1");
    let error = read(&raw).expect_err("no buffer");
    assert!(error.contains("an input without a buffer"), "{error}");
}

#[test]
fn sequences_are_found_by_their_names() {
    let parse = |accesses: &str, of: &str| {
        let text = format!(
            "[[sequence]]\nname = 's'\nbacklog = '10 B'\naccesses = [{accesses}]\n[[value]]\n\
             citation = 'c'\nuse = 'theory'\nof = {{ {of} }}\npublished = '1 s'\ntolerance = 0.1"
        );
        Published::parse(COVER, &[&text]).map(|mut document| document.value.remove(0))
    };
    const TWO: &str = "{ size = '1 KiB', duration = '1 ms' }, { size = '2 KiB', duration = '3 ms', \
                       times = 2 }";
    const OF: &str = "sequence = 's', metric = 'latency_max'";
    let Measure::Theory { sequence, .. } = parse(TWO, OF).expect("sound").of else {
        panic!("of the theory");
    };
    assert_eq!(sequence.backlog_bytes, 10);
    let sizes: Vec<_> = sequence.each().map(|(_, size)| size.bytes()).collect();
    assert_eq!(sizes, [1024, 2048, 2048]);
    for (accesses, of, expected) in [
        ("", OF, "no access"),
        ("{ size = '0 B', duration = '1 ms' }", OF, "without size"),
        (
            TWO,
            "sequence = 't', metric = 'latency_max'",
            "no sequence \"t\"",
        ),
        (
            TWO,
            "sequence = 's', metric = 'energy_total'",
            "the theory has no energy_total",
        ),
        (
            TWO,
            "sequence = 's', metric = 'latency_max', operation = 'read'",
            "is not run",
        ),
        (TWO, ROW, "no value uses the sequence s"),
    ] {
        let error = parse(accesses, of).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn memory_modules_are_asked_for_rows_and_curves() {
    let value = read(
        "of = { target = 'a@s', test = 'bandwidth', mix = '2:1', metric = 'throughput_mean' }\nover = { target = \
         'b@s' }\npublished = '1.4'\ntolerance = 0.1",
    );
    let value = value.expect("sound");
    let Some(Measure::Module { run, metric }) = value.over else {
        panic!("a row");
    };
    assert_eq!(
        (run.target.as_str(), metric),
        ("b@s", Metric::ThroughputMean)
    );
    let mix = wordline_core::Mix::TwoToOne;
    assert_eq!(run.test, ModuleTest::Bandwidth { mix });

    let idle = read(
        "of = { test = 'bandwidth', mix = '2:1', metric = 'power_mean' }\nover = { test = 'idle' }\npublished = '1.4'\n\
         tolerance = 0.1",
    );
    let Some(Measure::Module { run, .. }) = idle.expect("sound").over else {
        panic!("a row");
    };
    assert_eq!((run.target.as_str(), run.test), ("p@b", ModuleTest::Idle));

    let curve = |of: &str, published: &str| {
        let text =
            format!("of = {{ against = 'b@s', {of} }}\npublished = '{published}'\ntolerance = 0.1");
        read(&text).map(|value| (value.of, value.unit))
    };
    let (of, unit) = curve("curve = 'crossover'", "150 GB/s").expect("sound");
    let Measure::Curves(curves) = of else {
        panic!("curves");
    };
    assert_eq!((curves.question, unit), (Question::Crossover, "B/s"));
    assert_eq!(
        (curves.target.as_str(), curves.against.as_str()),
        ("p@b", "b@s")
    );
    let (of, unit) = curve(
        "curve = 'share', within = '204 ns', against_share = 0.5",
        "0.8",
    )
    .expect("sound");
    let Measure::Curves(curves) = of else {
        panic!("curves");
    };
    let question = Question::Share {
        within_ps: 204_000,
        against_share: 0.5,
    };
    assert_eq!((curves.question, unit), (question, "1"));
}

#[test]
fn what_memory_modules_cannot_be_asked_is_named() {
    const RATIO: &str = "published = '1.4'\ntolerance = 0.1";
    const TEST: &str = "test = 'bandwidth', mix = '1:0'";
    const CURVE: &str = "curve = 'reduction', against = 'b@s'";
    let cases = [
        (
            format!("{ROW}, mix = '1:0'"),
            "mix belongs to a test or a curve",
        ),
        (
            format!("{ROW}, against_share = 0.5"),
            "against_share belongs to",
        ),
        (
            "test = 'bandwidth', metric = 'throughput_mean'".to_owned(),
            "mix is missing",
        ),
        (
            "test = 'idle', mix = '1:0', metric = 'latency_mean'".to_owned(),
            "the idle test has no mix",
        ),
        (
            format!("{TEST}, metric = 'latency_mean', access = '64 B'"),
            "a test of memory modules has no access",
        ),
        (
            format!("{TEST}, metric = 'latency_mean', timing = 'max'"),
            "a test of memory modules has no timing",
        ),
        (
            format!("{TEST}, metric = 'latency_mean', within = '1 ns'"),
            "a test of memory modules has no within",
        ),
        (TEST.to_owned(), "metric is missing"),
        (
            "test = 'loaded', metric = 'latency_mean'".to_owned(),
            "unknown variant `loaded`",
        ),
        (
            "test = 'bandwidth', mix = '4:1', metric = 'power_mean'".to_owned(),
            "unknown variant `4:1`",
        ),
        ("curve = 'crossover'".to_owned(), "against is missing"),
        (
            "curve = 'crossover', against = 'p@b'".to_owned(),
            "p@b is compared with itself",
        ),
        (
            "curve = 'crossover', against = 'b@s', idle_multiple = 2.0".to_owned(),
            "this curve has no idle_multiple",
        ),
        (CURVE.to_owned(), "idle_multiple is missing"),
        (
            format!("{CURVE}, idle_multiple = 1.0"),
            "an idle_multiple of 1",
        ),
        (
            format!("{CURVE}, idle_multiple = 2.0, metric = 'latency_mean'"),
            "this curve has no metric",
        ),
        (
            format!("{CURVE}, idle_multiple = 2.0, within = '1 ns'"),
            "this curve has no within",
        ),
        (
            "curve = 'share', against = 'b@s', against_share = 0.5".to_owned(),
            "within is missing",
        ),
        (
            "curve = 'share', against = 'b@s', within = '1 ns'".to_owned(),
            "against_share is missing",
        ),
        (
            "curve = 'share', against = 'b@s', within = '1 ns', against_share = 1.0".to_owned(),
            "an against_share of 1",
        ),
        (
            "curve = 'knee', against = 'b@s'".to_owned(),
            "unknown variant `knee`",
        ),
    ];
    for (of, expected) in cases {
        let error = read(&format!("of = {{ {of} }}\n{RATIO}")).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    let divided = format!(
        "of = {{ {CURVE}, idle_multiple = 2.0 }}\nover = {{ against = 'c@s', idle_multiple = 2.0 }}\n{RATIO}"
    );
    let error = read(&divided).expect_err("divided");
    assert!(error.contains("what curves say is not divided"), "{error}");
    let unit =
        "of = { curve = 'crossover', against = 'b@s' }\npublished = '102 ns'\ntolerance = 0.1";
    let error = read(unit).expect_err("another unit");
    assert!(error.contains("is in B/s, a number in s"), "{error}");
}
