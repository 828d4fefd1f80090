use wordline_core::{Axis, DramTest, Metric, Mix, Timing, Workload};

use super::*;
use crate::published::Question;

const COVER: &str = "key = 'k'\ntitle = 't'\ntarget = 'p@b'\nerrata = []\n[experiment]\nwrites.workload = { kind = \
                     'raw', operations = ['write'] }\n";
const DRAM: &str = "key = 'k'\ntitle = 't'\ntarget = 'p@b'\nerrata = []\n[experiment]\ntest.workload = { kind = \
                    'dram', test.kind = 'loaded', test.within_ps = ['204 ns'] }\n";
const ROW: &str = "experiment = 'writes', with.access_bytes = '2 KiB', metric = 'latency_max'";

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn read_in(cover: &str, value: &str) -> Result<Value, String> {
    let text = format!("[[value]]\ncitation = 'c'\nuse = 'predicted'\n{value}");
    let document = Published::parse(
        &catalog(),
        ("document.toml", cover),
        &[("values.toml", &text)],
    );
    document.map(|mut document| document.value.remove(0))
}

fn read(value: &str) -> Result<Value, String> {
    read_in(COVER, value)
}

#[test]
fn a_divisor_takes_what_it_leaves_out_from_the_dividend() {
    let value = read(
        "of = { experiment = 'writes', timing = 'max', with = { access_bytes = '2 KiB', streams = [2] }, metric = \
         'latency_max_part', cause = 'erase' }\nover = { target = 'q@b', with.access_bytes = '4 KiB', metric = \
         'latency_max' }\npublished = 'most of it'\nat_least = '0.5'",
    );
    let value = value.expect("sound");
    assert_eq!((value.published, value.unit), (None, "1"));
    let parts = |measure: &Measure| {
        let Measure::Row { row, experiment } = measure else {
            panic!("a row");
        };
        let Workload::Raw(raw) = experiment.workload.clone() else {
            panic!("raw");
        };
        assert_eq!(experiment.timings, [Timing::Max]);
        assert_eq!((raw.streams.clone(), raw.total_bytes), (vec![2], 64 << 20));
        (experiment.targets.clone(), raw.access_bytes, row.clone())
    };
    let (targets, sizes, row) = parts(&value.of);
    assert_eq!((targets, sizes), (vec!["p@b".to_owned()], vec![2048]));
    assert_eq!(row.text(Axis::Cause), Some("erase"));
    let (targets, sizes, row) = parts(value.over.as_ref().expect("a ratio"));
    assert_eq!((targets, sizes), (vec!["q@b".to_owned()], vec![4096]));
    assert_eq!((row.metric, row.axes.len()), (Metric::LatencyMax, 0));
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
            "published = '52 us'\ntolerance = 0.1\nkind = 'consistency'".to_owned(),
            "needs `because`",
        ),
        (
            "published = '52 us'\ntolerance = 0.1\nkind = 'consistency'\nbecause = ''".to_owned(),
            "needs `because`",
        ),
        (
            "published = '52 us'\ntolerance = 0.1\nbecause = 'it is so'".to_owned(),
            "`because` without kind",
        ),
        (
            "published = '52 us'\ntolerance = 0.1\nkind = 'sharp'\nbecause = 'x'".to_owned(),
            "expected `consistency`",
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
    let file = read("of = { }\npublished = 'x'\nat_most = '1 s'").expect_err("nothing");
    assert!(file.starts_with("values.toml: c: "), "{file}");
    let writes = "experiment = 'writes', metric = 'latency_max'";
    for (of, expected) in [
        ("experiment = 'writes'", "missing field `metric`"),
        ("experiment = 'writes', metric = 'latency'", "latency"),
        (
            "experiment = 'wipes', metric = 'latency_max'",
            "no experiment \"wipes\"; the document names writes",
        ),
        (
            "metric = 'latency_max'",
            "names an experiment, a sequence or a figure",
        ),
        (
            &format!("{writes}, acess_bytes = 4"),
            "acess_bytes is neither a key of a measure nor an axis",
        ),
        (
            &format!("{writes}, with.acess_bytes = 4"),
            "experiment writes: unknown field `acess_bytes`",
        ),
        (
            &format!("{writes}, with.access_bytes = '4 parsecs'"),
            "experiment writes: access_bytes: ",
        ),
        (
            &format!("{writes}, with.patterns = 'backwards'"),
            "backwards",
        ),
        (
            "sheet = 's', figure = 'f', metric = 'latency_max'",
            "unknown field `metric`",
        ),
    ] {
        let error = read(&format!(
            "of = {{ {of} }}\npublished = '1 s'\ntolerance = 0.1"
        ))
        .expect_err(of);
        assert!(error.contains(expected), "{error}");
    }
    let figure = "of = { sheet = 's', figure = 'f' }\npublished = '1 s'\ntolerance = 0.1";
    let error = read(figure).expect_err("an experiment for nothing");
    assert!(
        error.contains("document.toml: no value uses the experiment writes"),
        "{error}"
    );
}

#[test]
fn sequences_are_found_by_their_names() {
    let parse = |accesses: &str, of: &str| {
        let text = format!(
            "[[sequence]]\nname = 's'\nbacklog = '10 B'\naccesses = [{accesses}]\n[[value]]\n\
             citation = 'c'\nuse = 'theory'\nof = {{ {of} }}\npublished = '1 s'\ntolerance = 0.1"
        );
        let cover = &COVER[..COVER.find("[experiment]").expect("it is there")];
        let document = Published::parse(
            &catalog(),
            ("document.toml", cover),
            &[("values.toml", &text)],
        );
        document.map(|mut document| document.value.remove(0))
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
            "sequence = 's', metric = 'latency_max', cause = 'erase'",
            "the theory has no cause",
        ),
        (
            TWO,
            "sequence = 's', metric = 'latency_max', operation = 'read'",
            "is not run",
        ),
        (
            TWO,
            "sheet = 's', figure = 'f'",
            "no value uses the sequence s",
        ),
    ] {
        let error = parse(accesses, of).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn memory_modules_are_asked_for_curves() {
    let curve = |of: &str, published: &str| {
        let text = format!(
            "of = {{ experiment = 'test', target = 'p@b', against = 'b@s', {of} }}\npublished = '{published}'\n\
             tolerance = 0.1"
        );
        let value = read_in(DRAM, &text).expect("sound");
        let Measure::Curves(curves) = value.of else {
            panic!("curves");
        };
        assert_eq!(curves.experiment.targets, ["p@b", "b@s"]);
        assert_eq!(curves.experiment.timings, [Timing::Max]);
        let Workload::Dram(dram) = &curves.experiment.workload else {
            panic!("memory modules");
        };
        let DramTest::Loaded(loaded) = &dram.test else {
            panic!("a sweep");
        };
        assert_eq!(
            (loaded.mix, &*loaded.within_ps),
            (Mix::Reads, &[204_000][..])
        );
        (curves.question, value.unit)
    };
    let crossover = curve("curve = 'crossover'", "150 GB/s");
    assert_eq!(crossover, (Question::Crossover {}, "B/s"));
    let rise = "experiment = 'test', target = 'p@b', curve = 'rise', at_bytes_per_s = '124 GB/s'";
    let text = format!("of = {{ {rise} }}\npublished = '10 ns'\ntolerance = 0.1");
    let Measure::Curves(alone) = read_in(DRAM, &text).expect("sound").of else {
        panic!("curves");
    };
    let question = Question::Rise {
        at_bytes_per_s: 124e9,
    };
    assert_eq!(alone.question, question);
    assert_eq!(alone.experiment.targets, ["p@b"]);
    let share = "curve = 'share', within_ps = '204 ns', against_share = 0.5";
    let question = Question::Share {
        within_ps: 204_000,
        against_share: 0.5,
    };
    assert_eq!(curve(share, "0.8"), (question, "1"));
}

#[test]
fn what_curves_cannot_be_asked_is_named() {
    const RATIO: &str = "published = '1.4'\ntolerance = 0.1";
    const CURVE: &str = "curve = 'reduction', against = 'b@s'";
    const SHARE: &str = "curve = 'share', against = 'b@s', within_ps = '1 ns'";
    let cases = [
        ("curve = 'crossover'".to_owned(), "against is missing"),
        (
            "curve = 'crossover', against = 'p@b'".to_owned(),
            "p@b is compared with itself",
        ),
        (
            "curve = 'crossover', against = 'b@s', idle_multiple = 2.0".to_owned(),
            "unknown field `idle_multiple`",
        ),
        (CURVE.to_owned(), "missing field `idle_multiple`"),
        (
            format!("{CURVE}, idle_multiple = 1.0"),
            "an idle_multiple of 1",
        ),
        (
            format!("{CURVE}, idle_multiple = 2.0, metric = 'latency_mean'"),
            "unknown field `metric`",
        ),
        (SHARE.to_owned(), "missing field `against_share`"),
        (
            "curve = 'rise', at_bytes_per_s = '0 GB/s'".to_owned(),
            "an at_bytes_per_s of 0",
        ),
        (
            format!("{SHARE}, against_share = 1.0"),
            "an against_share of 1",
        ),
        (
            "curve = 'knee', against = 'b@s'".to_owned(),
            "unknown variant `knee`",
        ),
    ];
    let read = |of: &str, rest: &str| {
        read_in(
            DRAM,
            &format!("of = {{ experiment = 'test', target = 'p@b', {of} }}\n{rest}"),
        )
    };
    for (of, expected) in cases {
        let error = read(&of, RATIO).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    let reduction = format!("{CURVE}, idle_multiple = 2.0");
    let error = read(
        &reduction,
        &format!("over = {{ against = 'c@s' }}\n{RATIO}"),
    );
    let error = error.expect_err("divided");
    assert!(error.contains("what curves say is not divided"), "{error}");
    let unit = "published = '102 ns'\ntolerance = 0.1";
    let error = read("curve = 'crossover', against = 'b@s'", unit).expect_err("another unit");
    assert!(error.contains("is in B/s, a number in s"), "{error}");
}
