use wordline_core::Axis;

use super::*;
use crate::Progress;
use crate::published::Measure;

const COVER: &str =
    "key = 'k'\ntitle = 't'\ntarget = 'em064lx@stm32h755-qspi'\nerrata = ['an erratum']\n";

/// Experiments that a document may name.
const EXPERIMENTS: [(&str, &str); 7] = [
    ("writes", "{ kind = 'raw', operations = ['write'] }"),
    ("reads", "{ kind = 'raw', operations = ['read'] }"),
    (
        "records",
        "{ kind = 'buffer', rates_bytes_per_s = ['4096 KB/s', '500 KB/s'], ram_bytes = ['12 KiB'] }",
    ),
    ("idle", "{ kind = 'dram', test.kind = 'idle' }"),
    (
        "bandwidth",
        "{ kind = 'dram', test = { kind = 'bandwidth', mixes = ['1:0'] } }",
    ),
    (
        "table",
        "{ kind = 'kv', tables = ['lpht'], test.bench = { sizes = ['4 B'], loads = '50 %' } }",
    ),
    (
        "study",
        "{ kind = 'compare', work = { kind = 'log', rate = '100 KB/s', record = '4 KiB' } }",
    ),
];

/// A write of 2 KiB takes 52 us, and stands for nothing that any document printed.
const OF: &str =
    "of = { experiment = 'writes', with.access_bytes = '2 KiB', metric = 'latency_max' }\n";
const UNKNOWN: &str = "of = { experiment = 'writes', target = 'absent@stm32h755-qspi', \
                       with.access_bytes = '2 KiB', metric = 'latency_max' }\n";

/// A document of some values, with the experiments that they name.
fn document(values: &[String]) -> Published {
    let mut cover = COVER.to_owned();
    for (name, workload) in EXPERIMENTS {
        let named = format!("experiment = '{name}'");
        if values.iter().any(|value| value.contains(&named)) {
            cover += &format!("[experiment.{name}]\nworkload = {workload}\n");
        }
    }
    let values: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(index, value)| format!("[[value]]\ncitation = 'value {index}'\n{value}\n"))
        .collect();
    let text = values.concat();
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let files = [("values.toml", &*text)];
    Published::parse(&catalog, ("document.toml", &cover), &files).expect("sound")
}

fn reproduced(values: &[String]) -> Reproduction {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    reproduce(
        &catalog,
        &[document(values)],
        Options::default(),
        &Control::default(),
        &mut |_| {},
    )
}

/// The verdict on one value, and whether it needs attention.
#[track_caller]
fn verdict(value: &str) -> (Verdict, Option<String>) {
    let result = reproduced(&[value.to_owned()]);
    assert!(result.complete);
    let row = &result.documents[0].rows[0];
    assert_eq!(result.pass, row.problem.is_none());
    (row.verdict, row.problem.clone())
}

const HIT: &str = "published = '52 us'\ntolerance = 0.005\nuse = 'predicted'\n";
const MISS: &str = "published = '40 us'\ntolerance = 0.005\nuse = 'predicted'\n";

#[test]
fn a_hit_and_a_listed_miss_pass() {
    assert_eq!(verdict(&format!("{OF}{HIT}")), (Verdict::Hit, None));
    let listed = format!("{OF}{MISS}miss = 'a misprint'");
    assert_eq!(verdict(&listed), (Verdict::ListedMiss, None));
}

#[test]
fn a_new_miss_and_a_listed_one_that_hits_do_not_pass() {
    for value in ["predicted", "calibrated", "datasheet"] {
        let miss = MISS.replace("predicted", value);
        let (verdict, problem) = verdict(&format!("{OF}{miss}"));
        assert_eq!(verdict, Verdict::NewMiss);
        assert!(problem.expect("a problem").starts_with("a new miss"));
    }
    let (verdict, problem) = verdict(&format!("{OF}{HIT}miss = 'a misprint'"));
    assert_eq!(verdict, Verdict::Hit);
    assert!(problem.expect("a problem").contains("remove its `miss`"));
}

#[test]
fn what_cannot_run_passes_only_when_the_data_say_what_it_needs() {
    let pending = format!("{UNKNOWN}{HIT}needs = 'the part absent'\nfails_with = 'absent'");
    assert_eq!(verdict(&pending), (Verdict::Pending, None));
    let (failed, problem) = verdict(&format!("{UNKNOWN}{HIT}"));
    assert_eq!(failed, Verdict::Failed);
    assert!(
        problem
            .expect("a problem")
            .contains("unknown part \"absent\"")
    );
    // It waits for one thing, and fails for another.
    let other = format!("{UNKNOWN}{HIT}needs = 'the board'\nfails_with = 'unknown board'");
    let (failed, problem) = verdict(&other);
    assert_eq!(failed, Verdict::Failed);
    let problem = problem.expect("a problem");
    assert!(problem.starts_with("it needs the board, and would fail with \"unknown board\""));
    assert!(problem.contains("unknown part \"absent\""), "{problem}");
    // A listed reason for a miss is no reason for not running.
    let (failed, _) = verdict(&format!("{UNKNOWN}{MISS}miss = 'a misprint'"));
    assert_eq!(failed, Verdict::Failed);
}

#[test]
fn what_could_run_must_not_stay_pending() {
    for (value, expected) in [(HIT, Verdict::Hit), (MISS, Verdict::NewMiss)] {
        let (verdict, problem) = verdict(&format!(
            "{OF}{value}needs = 'a model of it'\nfails_with = 'x'"
        ));
        assert_eq!(verdict, expected);
        assert!(problem.expect("a problem").contains("remove its `needs`"));
    }
    let both = format!("{OF}{MISS}miss = 'a misprint'\nneeds = 'a model of it'\nfails_with = 'x'");
    let (verdict, problem) = verdict(&both);
    assert_eq!(verdict, Verdict::ListedMiss);
    assert!(problem.expect("a problem").contains("remove its `needs`"));
}

/// A prediction without a measurement is neither hit nor miss, and must not change afterwards.
#[test]
fn a_recorded_prediction_waits_and_holds_to_itself() {
    let awaits = "awaits = 'a measurement'";
    let kept = verdict(&format!("{OF}{HIT}{awaits}"));
    assert_eq!(kept, (Verdict::Pending, None));
    let (verdict, problem) = verdict(&format!("{OF}{MISS}{awaits}"));
    assert_eq!(verdict, Verdict::NewMiss);
    assert!(problem.expect("a problem").contains("predicts nothing"));
}

/// A selector that picks no row, or several, is answered with the rows that come nearest.
#[test]
fn what_picks_no_row_or_several_is_answered_with_the_nearest() {
    let failing = |of: &str, expected: &[&str]| {
        let (failed, problem) = verdict(&format!("of = {{ {of} }}\n{HIT}"));
        assert_eq!(failed, Verdict::Failed, "{of}");
        let problem = problem.expect("a problem");
        for words in expected {
            assert!(problem.contains(words), "{words}: {problem}");
        }
    };
    let writes = "experiment = 'writes', with.access_bytes";
    failing(
        &format!("{writes} = '2 KiB', metric = 'latency_max_part', cause = 'luck'"),
        &[
            "no row latency_max_part, luck; nearest: write, ",
            "cause = ",
        ],
    );
    failing(
        &format!("{writes} = ['2 KiB', '4 KiB'], metric = 'latency_max'"),
        &[
            "several rows latency_max",
            "access_bytes = 2048",
            "access_bytes = 4096",
        ],
    );
    failing(
        &format!("{writes} = '2 KiB', operation = 'read', metric = 'latency_max'"),
        &["no row latency_max, of read; nearest: write, access_bytes = 2048"],
    );
    failing(
        &format!("{writes} = '2 KiB', metric = 'sequence_duration_max'"),
        &[
            "no row sequence_duration_max; its metrics: ",
            "latency_max, latency_max_part",
        ],
    );
    let (verdict, _) = verdict(&format!(
        "of = {{ {writes} = ['2 KiB', '4 KiB'], access_bytes = '2 KiB', metric = 'latency_max' }}\n{HIT}"
    ));
    assert_eq!(verdict, Verdict::Hit);
}

/// A workload that no published value has asked for yet needs no line of Rust.
#[test]
fn any_workload_can_be_reproduced() {
    for of in [
        "experiment = 'table', operation = 'insert', metric = 'latency_mean'",
        "experiment = 'study', timing = 'max', metric = 'latency_max'",
    ] {
        let value =
            format!("of = {{ {of} }}\npublished = 'some'\nat_least = '1 ns'\nuse = 'assumed'\n");
        assert_eq!(verdict(&value), (Verdict::Hit, None));
    }
}

#[test]
fn limits_and_tolerances_include_their_ends() {
    let ratio = |limits: &str| {
        let over = "over = {}\n";
        let text = format!("{OF}{over}published = 'the same'\n{limits}\nuse = 'predicted'");
        verdict(&text).0
    };
    assert_eq!(ratio("at_least = '1'"), Verdict::Hit);
    assert_eq!(ratio("at_most = '1'"), Verdict::Hit);
    assert_eq!(ratio("at_least = '1.001'"), Verdict::NewMiss);
    assert_eq!(
        ratio("at_least = '0.5'\nat_most = '0.999'"),
        Verdict::NewMiss
    );
    let of = "of = { sheet = 'em064lx', figure = 'mram.capacity' }\n";
    let within = |tolerance| {
        let text = "published = '10 MiB'\nuse = 'datasheet'";
        verdict(&format!("{of}{text}\ntolerance = {tolerance}")).0
    };
    assert_eq!(within(0.2), Verdict::Hit);
    assert_eq!(within(0.199), Verdict::NewMiss);
}

#[test]
fn figures_are_read_from_sheets_of_parts_and_boards() {
    let figure = |sheet: &str, figure: &str, column: &str, published: &str| {
        verdict(&format!(
            "of = {{ sheet = '{sheet}', figure = '{figure}', column = '{column}' }}\n\
             published = '{published}'\ntolerance = 0.001\nuse = 'datasheet'"
        ))
    };
    let write = "mram.active[write dtr 200 MHz].current";
    assert_eq!(figure("em064lx", write, "max", "199 mA").0, Verdict::Hit);
    let clock = figure("stm32h755-qspi", "core_clock", "typ", "240 MHz");
    assert_eq!(clock.0, Verdict::Hit);
    let cases = [
        (("absent", "core_clock", "typ", "1 Hz"), "no sheet absent"),
        (("em064lx", "luck", "typ", "1 Hz"), "em064lx states no luck"),
        (
            ("em064lx", "mram.capacity", "max", "1 B"),
            "has no column max",
        ),
        (
            ("em064lx", "mram.capacity", "typ", "1 Hz"),
            "states mram.capacity in B",
        ),
    ];
    for ((sheet, path, column, published), expected) in cases {
        let (verdict, problem) = figure(sheet, path, column, published);
        assert_eq!(verdict, Verdict::Failed);
        assert!(problem.expect("a problem").contains(expected), "{expected}");
    }
    // What a document prints without limit is met by a sheet that states none, and by no number.
    let (limited, _) = figure("em064lx", "mram.endurance", "min", "Inf");
    assert_eq!(limited, Verdict::NewMiss);
    let unlimited = "mram.endurance_unlimited";
    let (both, _) = figure("mr4a16b", unlimited, "value", "Inf");
    assert_eq!(both, Verdict::Hit);
    let (one, _) = figure("mr4a16b", unlimited, "value", "100000 cycles");
    assert_eq!(one, Verdict::NewMiss);
}

#[test]
fn the_score_keeps_uses_apart_and_counts_nothing_that_did_not_run() {
    let calibrated = HIT.replace("predicted", "calibrated");
    let assumed = HIT.replace("predicted", "assumed");
    let result = reproduced(&[
        format!("{OF}{HIT}"),
        format!("{OF}{MISS}miss = 'a misprint'"),
        format!("{OF}{MISS}"),
        format!("{UNKNOWN}{HIT}needs = 'the part'\nfails_with = 'absent'"),
        format!("{UNKNOWN}{HIT}"),
        format!("{OF}{calibrated}"),
        format!("{OF}{assumed}"),
    ]);
    assert!(!result.pass);
    let score = result.documents[0].score;
    let predicted = Tally {
        run: 3,
        hit: 1,
        listed_miss: 1,
        new_miss: 1,
        pending: 1,
        failed: 1,
    };
    let one_hit = Tally {
        run: 1,
        hit: 1,
        ..Tally::default()
    };
    assert_eq!(score.predicted, predicted);
    assert_eq!((score.assumed, score.calibrated), (one_hit, one_hit));
    assert_eq!(score.datasheet, Tally::default());
    let differences: Vec<_> = result.documents[0]
        .rows
        .iter()
        .map(|row| row.difference)
        .collect();
    assert!(
        (differences[1].expect("it ran") - 0.3).abs() < 0.01,
        "{differences:?}"
    );
    assert_eq!(differences[3], None);
}

/// Only a band whose ends both follow from what is printed, no more than 1.30 apart, can be missed by much.
#[test]
fn a_wide_band_an_identity_and_a_copy_are_no_predictions() {
    let kind = |value: &str| {
        let published = match value.contains("published") {
            true => "",
            false => "published = '52 us'\n",
        };
        let document = document(&[format!("{OF}{published}{value}")]);
        let value = &document.value[0];
        assert_eq!(
            value.kind() == Kind::Consistency,
            value.consistency().is_some()
        );
        (value.kind(), value.consistency().unwrap_or_default())
    };
    let sharp = |value: &str, expected: Kind| assert_eq!(kind(value), (expected, String::new()));
    // (1 + t) / (1 - t) = 1.30 at 0.1304.
    sharp("tolerance = 0.130\nuse = 'predicted'", Kind::Predicted);
    sharp(
        "at_least = '50 us'\nat_most = '65 us'\nuse = 'predicted'",
        Kind::Predicted,
    );
    // Both ends of a printed range are the document's own.
    sharp(
        "published = '50 us to 60 us'\nat_least = '50 us'\nat_most = '60 us'\nuse = 'predicted'",
        Kind::Predicted,
    );
    sharp("tolerance = 0.01\nuse = 'assumed'", Kind::Assumed);
    // What a model was calibrated with stays so, however wide.
    sharp("tolerance = 0.4\nuse = 'calibrated'", Kind::Calibrated);
    let loose = |value: &str, because: &str| {
        let (kind, why) = kind(value);
        assert_eq!(kind, Kind::Consistency, "{value}");
        assert!(why.contains(because), "{because}: {why}");
    };
    loose(
        "tolerance = 0.131\nuse = 'predicted'",
        "a factor 1.30 apart",
    );
    loose(
        "at_least = '1 us'\nat_most = '1.41 us'\nuse = 'predicted'",
        "a factor 1.41 apart, more than 1.30",
    );
    loose(
        "at_least = '50 us'\nat_most = '66 us'\nuse = 'assumed'",
        "a factor 1.32 apart",
    );
    loose("at_least = '1 us'\nuse = 'predicted'", "one side");
    loose("at_most = '0 us'\nuse = 'predicted'", "one side");
    loose(
        "at_least = '0 us'\nat_most = '0 us'\nuse = 'predicted'",
        "begins at 0",
    );
    // An end that the document does not print is ours, of words as of a range.
    for published in ["a little", "50 us to 59 us"] {
        loose(
            &format!(
                "published = '{published}'\nat_least = '50 us'\nat_most = '60 us'\nuse = 'predicted'"
            ),
            "prints no number for the other end",
        );
    }
    for r#use in ["datasheet", "copied", "theory"] {
        loose(&format!("tolerance = 0.01\nuse = '{use}'"), "");
    }
    loose(
        "tolerance = 0.01\nuse = 'predicted'\nkind = 'consistency'\nbecause = 'an identity'",
        "an identity",
    );
}

/// Hits and misses count alike in the median; what is pending, assumed or calibrated counts nowhere.
#[test]
fn three_numbers_sum_up_what_could_have_missed_and_what_could_not() {
    let with = |value: &str, of: &str| value.replace("'predicted'", of);
    let identity = "'predicted'\nkind = 'consistency'\nbecause = 'an identity'";
    let result = reproduced(&[
        // 52 us beside 52, 40, and the nearer of 50 and 60.
        format!("{OF}{HIT}"),
        format!("{OF}{MISS}miss = 'a misprint'"),
        format!(
            "{OF}published = '50 us to 60 us'\nat_least = '50 us'\nat_most = '60 us'\nuse = 'predicted'"
        ),
        format!("{UNKNOWN}{HIT}needs = 'the part'\nfails_with = 'absent'"),
        format!("{OF}{}", with(MISS, "'assumed'") + "miss = 'x'"),
        format!("{OF}{}", with(HIT, "'calibrated'")),
        format!("{OF}{}", with(HIT, identity)),
        format!("{OF}{}", with(MISS, identity) + "miss = 'x'"),
        format!("{OF}published = 'long'\nat_least = '1 us'\nuse = 'predicted'"),
        format!("{OF}{}", with(HIT, "'datasheet'")),
    ]);
    assert!(result.pass, "listed misses pass, of either kind");
    let headline = result.headline;
    assert_eq!(headline, result.documents[0].headline);
    assert_eq!(
        (headline.predictions_hit, headline.predictions_made),
        (2, 3)
    );
    assert_eq!(
        (headline.consistency_held, headline.consistency_made),
        (3, 4)
    );
    let median = headline.relative_error_median.expect("three errors");
    assert!((median - 2.0 / 50.0).abs() < 1e-6, "{median}");
    let score = result.score;
    assert_eq!((score.predicted.run, score.predicted.pending), (3, 1));
    assert_eq!((score.consistency.run, score.datasheet.run), (4, 1));
    let none = reproduced(&[format!(
        "{UNKNOWN}{HIT}needs = 'the part'\nfails_with = 'absent'"
    )]);
    assert_eq!(none.headline, Headline::default());
}

/// Values whose citations differ in how they were read are one statement: it holds if all of them do, and is as far off as
/// the worst of them.
#[test]
fn a_statement_counts_once_however_many_values_stand_for_it() {
    let one = |number: &str, value: &str| {
        let pending = format!("{UNKNOWN}{HIT}needs = 'the part'\nfails_with = 'absent'");
        let value = match value {
            "hit" => format!("{OF}{HIT}"),
            "miss" => format!("{OF}{MISS}miss = 'a misprint'"),
            "calibrated" => format!("{OF}{HIT}").replace("predicted", "calibrated"),
            _ => pending,
        };
        (number.to_owned(), value)
    };
    let score = |values: &[(String, String)]| {
        let (citations, values): (Vec<_>, Vec<_>) = values.iter().cloned().unzip();
        let mut document = document(&values);
        for (value, citation) in document.value.iter_mut().zip(citations) {
            value.citation = citation;
        }
        let catalog = Catalog::load(&[]).expect("sound");
        let (options, control) = (Options::default(), Control::default());
        reproduce(&catalog, &[document], options, &control, &mut |_| {})
    };
    let numbers = |result: &Reproduction| {
        let Headline {
            predictions_hit,
            predictions_made,
            ..
        } = result.headline;
        (
            predictions_hit,
            predictions_made,
            result.score.predicted.pending,
        )
    };
    let both = score(&[one("fast; 2 KiB", "hit"), one("fast; 4 KiB", "hit")]);
    assert_eq!(numbers(&both), (1, 1, 0));
    assert_eq!(both.documents[0].rows.len(), 2);
    let torn = score(&[
        one("fast", "hit"),
        one("fast; 4 KiB", "miss"),
        one("fast; 8 KiB", "later"),
    ]);
    assert_eq!(numbers(&torn), (0, 1, 0));
    let error = torn
        .headline
        .relative_error_median
        .expect("two printed numbers");
    assert!((error - 0.3).abs() < 0.01, "{error}");
    let later = score(&[one("fast; 2 KiB", "later"), one("fast; 4 KiB", "later")]);
    assert_eq!(numbers(&later), (0, 0, 1));
    // Other words are another statement, and a calibration is none of the predictions.
    let apart = score(&[
        one("fast", "hit"),
        one("fast, too", "miss"),
        one("fast", "calibrated"),
    ]);
    assert_eq!(
        (numbers(&apart), apart.score.calibrated.hit),
        ((1, 2, 0), 1)
    );
}

/// A check of consistency that fails needs attention like a prediction.
#[test]
fn a_check_of_consistency_is_listed_or_new_like_any_other() {
    let kind = "kind = 'consistency'\nbecause = 'an identity'\n";
    let (new, problem) = verdict(&format!("{OF}{MISS}{kind}"));
    assert_eq!((new, problem.is_some()), (Verdict::NewMiss, true));
    let listed = verdict(&format!("{OF}{MISS}{kind}miss = 'a misprint'"));
    assert_eq!(listed, (Verdict::ListedMiss, None));
    let (hit, problem) = verdict(&format!("{OF}{HIT}{kind}miss = 'a misprint'"));
    assert_eq!((hit, problem.is_some()), (Verdict::Hit, true));
}

#[test]
fn a_document_is_passed_on_as_soon_as_it_ends() {
    let catalog = Catalog::load(&[]).expect("sound");
    let value = format!("{OF}{HIT}");
    let documents = [
        document(&[value.clone(), value.clone() + "miss = 'x'"]),
        document(&[value]),
    ];
    let mut seen = Vec::new();
    let mut ended = |document: &Reproduced| seen.push(document.rows.len());
    let (options, control) = (Options::default(), Control::default());
    assert!(reproduce(&catalog, &documents, options, &control, &mut ended).complete);
    assert_eq!(seen, [2, 1]);
}

#[test]
fn a_wish_to_stop_is_heard() {
    let catalog = Catalog::load(&[]).expect("sound");
    let stop = std::sync::atomic::AtomicBool::new(true);
    let control = Control {
        stop: Some(&stop),
        ..Control::default()
    };
    let result = reproduce(
        &catalog,
        &[document(&[format!("{OF}{HIT}")])],
        Options::default(),
        &control,
        &mut |_| {},
    );
    assert!(!result.complete);
    assert!(result.documents[0].rows.is_empty());
}

#[test]
fn a_run_that_two_values_need_is_run_once_and_progress_is_of_all_runs() {
    let catalog = Catalog::load(&[]).expect("sound");
    let value = |name: &str| format!("{}{MISS}miss = 'x'\n", OF.replace("writes", name));
    let document = document(&["writes", "writes", "reads"].map(value));
    let seen = std::cell::RefCell::new(Vec::new());
    let listener = |progress: Progress<'_>| {
        seen.borrow_mut()
            .push((progress.done_bytes, progress.total_bytes));
    };
    let control = Control {
        progress: Some(&listener),
        ..Control::default()
    };
    assert!(
        reproduce(
            &catalog,
            &[document],
            Options::default(),
            &control,
            &mut |_| {}
        )
        .complete
    );
    let seen = seen.into_inner();
    assert!(seen.iter().all(|(_, total)| *total == 128 << 20));
    assert!(seen.is_sorted());
    assert!(seen.last().expect("progress").0 > 64 << 20);
}

/// What a buffer on the NAND gives, in bytes or bytes per second.
#[track_caller]
fn buffered(inputs: &[(&str, &str)]) -> Vec<Comparison> {
    let values: Vec<String> = inputs
        .iter()
        .map(|(metric, input)| {
            format!(
                "of = {{ experiment = 'records', target = 'mt29f1g01@stm32h755-qspi', metric = \
                 '{metric}', {input} }}\npublished = 'any'\nat_least = '0 {}'\nuse = 'predicted'",
                if *metric == "rate_max" { "B/s" } else { "B" }
            )
        })
        .collect();
    let mut result = reproduced(&values);
    result.documents.remove(0).rows
}

/// One run answers for every input, waiting and in flight, records and bytes.
#[test]
fn a_buffer_is_asked_at_a_rate_or_with_a_ram() {
    const RATE: &str = "rate_bytes_per_s = '4096 KB/s'";
    let rows = buffered(&[
        ("ram_peak", &format!("{RATE}, arrival = 'record'")),
        ("ram_peak_in_flight", &format!("{RATE}, arrival = 'record'")),
        ("ram_peak", &format!("{RATE}, arrival = 'fluid'")),
        (
            "ram_peak",
            "rate_bytes_per_s = '500 KB/s', arrival = 'fluid'",
        ),
        ("rate_max", "ram_bytes = '12 KiB', arrival = 'record'"),
        (
            "ram_peak",
            &format!("{RATE}, arrival = 'record', timing = 'max'"),
        ),
    ]);
    let ours: Vec<_> = rows.iter().map(|row| row.value).collect();
    assert_eq!(ours[..2], [Some(8192.0), Some(12_288.0)]);
    let fluid = ours[2].expect("a number");
    assert!((6300.0..6500.0).contains(&fluid), "{fluid}");
    assert_eq!(ours[3], Some(0.0));
    assert!(ours[4].expect("a rate") > 4.8e6);
    // At the data sheet's maximum two programs alone take longer than a record has.
    assert_eq!(
        (ours[5], rows[5].no_value),
        (None, Some(NoValue::Unbounded))
    );
}

/// What raw memory cannot do is no number: random records need something that moves blocks.
#[test]
fn a_buffer_that_cannot_be_run_has_no_value() {
    let rows = buffered(&[(
        "ram_peak",
        "rate_bytes_per_s = '500 KB/s', arrival = 'fluid', with.source.pattern = 'random'",
    )]);
    assert_eq!(rows[0].verdict, Verdict::Failed);
    let problem = rows[0].problem.as_deref().expect("a problem");
    assert!(problem.contains("no row ram_peak"), "{problem}");
}

/// Equation 2 in plain numbers beside the theory, for every sequence of the document that states it.
#[test]
fn the_theory_agrees_with_the_recursion_that_is_published() {
    let catalog = Catalog::load(&[]).expect("sound");
    let document = crate::published::published(&catalog, "realtime-buffering").expect("embedded");
    let mut checked = 0;
    for value in &document.value {
        for measure in value.measures() {
            let Measure::Theory { row, sequence } = measure else {
                continue;
            };
            let fluid = row.text(Axis::Arrival) == Some("fluid");
            let (Some(rate), true) = (row.number(Axis::RateBytesPerS), fluid) else {
                continue;
            };
            let mut left = sequence.backlog_bytes as f64;
            let mut most = (left, left);
            for (duration, size) in sequence.each() {
                let full = left + duration.ps() as f64 * 1e-12 * rate;
                left = (full - size.bytes() as f64).max(0.0);
                most = (most.0.max(left), most.1.max(full));
            }
            let expected = match row.metric {
                wordline_core::Metric::RamPeak => most.0,
                _ => most.1,
            };
            let ours = theory::measure(sequence, row).expect("computed");
            assert!((ours - expected).abs() < 1e-6, "{}: {ours}", value.citation);
            checked += 1;
        }
    }
    assert!(checked > 10, "{checked}");
}

/// The gain of a second module over the first, with its band.
#[test]
fn a_row_of_memory_modules_has_a_band_over_joint_draws() {
    const OF: &str = "of = { experiment = 'bandwidth', target = 'mrdimm-8800-2rx4-64g@xeon6-1s', metric = \
                      'throughput_mean' }\nover = { target = 'rdimm-6400-1rx4-32g@xeon6-1s' }\npublished = \
                      'some'\nat_least = '0'\nuse = 'calibrated'";
    let catalog = Catalog::load(&[]).expect("sound");
    let document = document(&[OF.to_owned()]);
    let seen = std::cell::RefCell::new((0, 0));
    let listener = |progress: Progress<'_>| {
        assert!(seen.borrow().0 <= progress.done_bytes);
        *seen.borrow_mut() = (progress.done_bytes, progress.total_bytes);
    };
    let control = Control {
        progress: Some(&listener),
        ..Control::default()
    };
    let documents = [document];
    let options = Options { bands: true };
    let row = |options| {
        let mut result = reproduce(&catalog, &documents, options, &control, &mut |_| {});
        assert!(result.pass, "{result:?}");
        result.documents.remove(0).rows.remove(0)
    };
    let with = row(options);
    let (done, total) = *seen.borrow();
    assert_eq!(done, total);
    let ours = with.value.expect("a ratio");
    let band = with.band.clone().expect("a band");
    assert!(
        band.low < band.median && band.median < band.high,
        "{ours}: {band:?}"
    );
    assert!(band.high < 1.5 * ours && band.low > 0.5 * ours, "{band:?}");
    // The system was measured with another module: draws that do not give what it carried are set aside.
    assert!(band.draws >= 20 && band.set_aside > 0, "{band:?}");
    let drawn = band.draws + band.set_aside;
    assert!(drawn.is_multiple_of(64) && drawn <= 256, "{band:?}");
    assert_eq!(band.without.len(), 0, "{band:?}");
    assert!(band.part_difference.abs() < 0.1 * ours, "{band:?}");
    assert!(!band.explained.is_empty(), "{band:?}");
    for one in &band.explained {
        assert!(
            one.share > 0.0 && one.share < 1.0 && one.error > 0.0,
            "{band:?}"
        );
    }
    *seen.borrow_mut() = (0, 0);
    let without = row(Options::default());
    assert_eq!((without.value, without.band), (Some(ours), None));
}

#[test]
fn what_no_module_is_fails_with_the_reason() {
    let unknown =
        "of = { target = 'absent@xeon6-1s', experiment = 'idle', metric = 'latency_mean' }\n";
    let (failed, problem) = verdict(&format!("{unknown}{HIT}"));
    assert_eq!(failed, Verdict::Failed);
    assert!(problem.expect("a problem").contains("absent"));
    let metric = "of = { target = 'rdimm-6400-1rx4-32g@xeon6-1s', experiment = 'idle', metric = 'lifetime' }\n";
    let (failed, problem) = verdict(&format!(
        "{metric}published = '1 s'\ntolerance = 0.1\nuse = 'predicted'\n"
    ));
    assert_eq!(failed, Verdict::Failed);
    let problem = problem.expect("a problem");
    assert!(problem.contains("has no row lifetime"), "{problem}");
}
