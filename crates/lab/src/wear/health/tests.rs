//! What the predictor promises: on logs, and on few families that it was not trained on.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Cursor};
use std::rc::Rc;

use wordline_catalog::Catalog;
use wordline_core::draw::{Purpose, draw, unit_interval};
use wordline_core::results::Row;
use wordline_core::{
    Axis, Basis, Experiment, HealthWorkload, Metric, ResultSet, Timing, WearWorkload, Workload,
};

use crate::control::Control;
use crate::error::LabError;

/// How a block of an invented log lives: its number, the cycles until it fails, and those that the log records.
struct TrendSample {
    block: u64,
    endurance: f64,
    from: f64,
    until: f64,
}

/// A block that is logged from its first cycle on.
const fn told(block: u64, endurance: f64, until: f64) -> TrendSample {
    TrendSample {
        block,
        endurance,
        from: 1.0,
        until,
    }
}

/// A log of blocks whose erases come to `end` times what they take at first, by a clock of 10 us.
fn log(blocks: &[TrendSample], end: f64) -> String {
    let mut text = "block,cycle,operation,latency_us,status\n".to_owned();
    for one in blocks {
        let mut cycle = one.from;
        while cycle < one.until.min(one.endurance) {
            let excess = (end - 1.0) * (cycle / one.endurance).powf(0.45);
            // Pulses come one by one: the first cycles take as long as each other.
            let excess = if cycle > 10.0 { excess } else { 0.0 };
            let erase = (150.0 * (1.0 + excess)).round() * 10.0;
            let _ = writeln!(text, "{},{},erase,{erase},ok", one.block, cycle as u64);
            cycle = (cycle * 1.005).max(cycle + 1.0);
        }
        if one.until > one.endurance {
            let _ = writeln!(
                text,
                "{},{},erase,9000,failed",
                one.block, one.endurance as u64
            );
        }
    }
    text
}

fn ran(workload: HealthWorkload, seed: u64, text: &str) -> Result<ResultSet, LabError> {
    let experiment = Experiment {
        targets: Vec::new(),
        workload: Workload::Health(workload.clone()),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed,
        ftl: None,
    };
    let text = text.to_owned();
    let open = move |_: &str| Ok(Box::new(Cursor::new(text.clone().into_bytes())) as Box<_>);
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let mut document = ResultSet::new(experiment.clone());
    super::run(&workload, &experiment, &control, &mut document)?;
    assert_eq!(document.check(), Ok(()));
    Ok(document)
}

fn of_log(text: &str) -> ResultSet {
    let file = "log.csv".to_owned();
    ran(HealthWorkload::Trace { file }, 0, text).expect("a log that can be read")
}

/// A row of a block.
fn row<'a>(document: &'a ResultSet, block: u64, metric: Metric, statistic: &str) -> &'a Row {
    let mut rows = document.of(metric);
    let found = rows.find(|row| {
        row.axes.get(&Axis::Block) == Some(&block.into())
            && row.text(Axis::Statistic) == Some(statistic)
    });
    found.expect("a row of the block")
}

/// Cycles that a log records of a block.
fn seen(document: &ResultSet, block: u64) -> f64 {
    let mut rows = document.of(Metric::CyclesLogged);
    let found = rows.find(|row| row.axes.get(&Axis::Block) == Some(&block.into()));
    found.and_then(|row| row.value).expect("cycles")
}

fn verdict(document: &ResultSet, block: u64) -> &str {
    let row = row(document, block, Metric::LifeUsed, "median");
    row.text(Axis::Verdict).expect("a verdict")
}

fn warned(document: &ResultSet, words: &str) -> bool {
    let mut warnings = document.warnings.iter();
    warnings.any(|warning| warning.advice.contains(words))
}

#[test]
fn a_failed_block_tells_how_far_its_kin_have_come() {
    for end in [2.5, 5.0, 9.0] {
        let blocks = [
            told(1, 1e6, 2e6),
            told(2, 3e6, 2.7e6),
            told(3, 3e6, 1.5e6),
            told(4, 3e5, 3e4),
        ];
        let document = of_log(&log(&blocks, end));
        for (block, endurance) in [(2, 3e6), (3, 3e6), (4, 3e5)] {
            let share = seen(&document, block) / endurance;
            let used = |statistic| {
                let row = row(&document, block, Metric::LifeUsed, statistic);
                assert_eq!(row.basis, Basis::Calibrated);
                row.value.expect("a share")
            };
            assert!(
                (used("median") / share - 1.0).abs() < 0.25,
                "{end}, {block}"
            );
            // Two parts in a hundred for a power law that does not bend at all.
            let band = used("p5") - 0.02..=used("p95") + 0.02;
            assert!(band.contains(&share), "{end}, {block}, {share}: {band:?}");
        }
        assert_eq!(verdict(&document, 1), "failed");
        assert_eq!(verdict(&document, 2), "retire");
        assert_eq!(verdict(&document, 4), "healthy");
        assert!(warned(&document, "the failed blocks of its part"));
    }
}

#[test]
fn cycles_left_follow_from_the_share_used() {
    let document = of_log(&log(&[told(7, 1e6, 5e5)], 5.0));
    let seen = seen(&document, 7);
    for (used, left) in [("median", "median"), ("p5", "p95"), ("p95", "p5")] {
        let used = row(&document, 7, Metric::LifeUsed, used)
            .value
            .expect("a share");
        let left = row(&document, 7, Metric::CyclesLeft, left)
            .value
            .expect("cycles");
        assert!((left - seen * (1.0 / used - 1.0)).abs() <= 1.0);
    }
    assert!(warned(
        &document,
        "no block of this part was cycled until it failed"
    ));
}

#[test]
fn outliers_and_gaps_change_little() {
    let clean = log(&[told(1, 1e6, 2e6), told(2, 1e6, 6e5)], 5.0);
    let spoiled: String = clean
        .lines()
        .enumerate()
        .filter(|(number, _)| number % 7 == 1 || *number < 20)
        .map(|(number, line)| {
            let held_up = number > 20 && number % 5 == 1 && line.ends_with("ok");
            let mut fields: Vec<&str> = line.split(',').collect();
            if held_up {
                fields[3] = "50000";
            }
            fields.join(",") + "\n"
        })
        .collect();
    let used = |text: &str| row(&of_log(text), 2, Metric::LifeUsed, "median").value;
    let (clean, spoiled) = (used(&clean).expect("told"), used(&spoiled).expect("told"));
    assert!((spoiled / clean - 1.0).abs() < 0.2, "{clean} {spoiled}");
}

/// A log of 20 000 lines of one block whose erases grow by `growth` of a fresh one, by a clock of 10 us; of one in
/// `spoiled` lines something else held the erase up, 1.5 to 3 times.
fn dense(growth: f64, spoiled: Option<f64>) -> String {
    let mut text = "block,cycle,operation,latency_us\n".to_owned();
    for line in 0..20_000_u64 {
        let cycle = 1 + 10 * line;
        let chance = |what| unit_interval(draw(1, line, what, Purpose::Clock));
        let excess = growth * (cycle as f64 / 2e5).powf(0.45);
        let held_up = spoiled.is_some_and(|share| chance(0) < share);
        let times = if held_up { 1.5 + 1.5 * chance(1) } else { 1.0 };
        let erase = (150.0 * (1.0 + excess) * times).round() * 10.0;
        let _ = writeln!(text, "5,{cycle},erase,{erase}");
    }
    text
}

#[test]
fn lines_that_say_the_same_outweigh_those_that_were_held_up() {
    let flat = of_log(&dense(0.0, Some(0.02)));
    assert_eq!(verdict(&flat, 5), "unknown");
    let used = |spoiled| {
        let document = of_log(&dense(2.0, spoiled));
        let used = row(&document, 5, Metric::LifeUsed, "median").value;
        used.expect("a share")
    };
    let (clean, spoiled) = (used(None), used(Some(0.02)));
    assert!((spoiled / clean - 1.0).abs() < 0.05, "{clean} {spoiled}");
}

#[test]
fn blocks_of_a_part_may_end_apart() {
    // By a tenth, and by so much that at 70 % of its life the block is beyond where the other failed.
    for end in [5.4, 6.6] {
        let one = log(&[told(1, 1e6, 2e6)], 5.0);
        let other = log(&[told(2, 1e6, 7e5)], end);
        let (_, other) = other.split_once('\n').expect("a line of names");
        let document = of_log(&(one + other));
        let used = |statistic| {
            let row = row(&document, 2, Metric::LifeUsed, statistic);
            row.value.expect("a share")
        };
        let (low, high) = (used("p5"), used("p95"));
        assert!(low < 0.7 && 0.7 < high, "{end}: {low} {high}");
    }
}

#[test]
fn a_failed_block_tells_of_the_chips_of_its_part_alone() {
    let text = log(
        &[told(1, 1e6, 2e6), told(2, 1e6, 5e5), told(3, 1e6, 5e5)],
        5.0,
    );
    let of_chips: String = text
        .lines()
        .map(|line| {
            let chip = match line.as_bytes()[0] {
                b'1' => "A@X#1",
                b'2' => "A@X#2",
                b'3' => "B@X#1",
                _ => "chip",
            };
            format!("{chip},{line}\n")
        })
        .collect();
    let document = of_log(&of_chips);
    let basis = |block| row(&document, block, Metric::LifeUsed, "median").basis;
    assert_eq!((basis(2), basis(3)), (Basis::Calibrated, Basis::Simulated));
    assert!(warned(&document, "(chip B@X#1, block 3)"));
}

#[test]
fn a_latency_that_has_not_moved_says_nothing() {
    let mut text = "block,cycle,operation,latency_us\n".to_owned();
    for cycle in [1, 10, 100, 1000, 100_000] {
        let _ = writeln!(text, "5,{cycle},erase,1500");
    }
    let document = of_log(&text);
    assert_eq!(verdict(&document, 5), "unknown");
    assert_eq!(row(&document, 5, Metric::CyclesLeft, "p5").value, None);
    assert!(warned(&document, "takes as long as when it was fresh"));
}

#[test]
fn a_log_that_begins_late_goes_by_the_fresh_blocks_of_its_chip() {
    let late = TrendSample {
        from: 2e5,
        ..told(2, 1e6, 8e5)
    };
    let alone = of_log(&log(std::slice::from_ref(&late), 5.0));
    assert_eq!(verdict(&alone, 2), "unknown");
    assert!(warned(&alone, "logged too late"));
    let both = of_log(&log(&[told(1, 1e6, 2e6), late], 5.0));
    let used = row(&both, 2, Metric::LifeUsed, "median")
        .value
        .expect("a share");
    assert!((0.7..0.95).contains(&used), "{used}");
}

#[test]
fn a_log_without_erases_is_told_by_its_programs() {
    let mut text = "block,cycle,operation,latency_us\n".to_owned();
    let mut cycle = 1.0_f64;
    while cycle < 4e5 {
        let saved = 0.4 * (cycle / 1e6).powf(0.45);
        let _ = writeln!(
            text,
            "1,{},program,{:.1}",
            cycle as u64,
            200.0 * (1.0 - saved)
        );
        cycle = (cycle * 1.05).max(cycle + 1.0);
    }
    let document = of_log(&text);
    let used = |statistic| {
        row(&document, 1, Metric::LifeUsed, statistic)
            .value
            .expect("told")
    };
    assert!(used("p5") < 0.4 && 0.4 < used("p95"));
    assert!(
        used("p95") - used("p5") > 0.3,
        "the ends of programs lie far apart"
    );
}

#[test]
fn bad_logs_and_settings_are_refused_with_their_place() {
    let of = |workload, text: &str| ran(workload, 0, text).expect_err("it is wrong").to_string();
    let file = || "log.csv".to_owned();
    let message = of(
        HealthWorkload::Trace { file: file() },
        "block,cycle,operation,latency_us\n1,0,erase,5\n",
    );
    assert!(
        message.contains("log.csv") && message.contains("line 2"),
        "{message}"
    );
    let message = of(HealthWorkload::Score { families: 0 }, "");
    assert!(message.contains("families 0"), "{message}");
}

fn scored(families: u32) -> ResultSet {
    ran(HealthWorkload::Score { families }, 1, "").expect("it can be scored")
}

#[test]
fn predictions_for_families_never_seen_are_twice_as_good_as_those_from_cycles() {
    let document = scored(12);
    let whole = |families: &str, predictor: &str, metric| {
        let mut rows = document.of(metric);
        let found = rows.find(|row| {
            row.part == families
                && row.text(Axis::Predictor) == Some(predictor)
                && !row.axes.contains_key(&Axis::LifeShare)
        });
        found.and_then(|row| row.value).expect("a number")
    };
    for families in ["strangers", "outliers"] {
        for metric in [Metric::PredictionError, Metric::PredictionErrorOfLife] {
            let known = whole(families, "latency-one-failed", metric);
            for rival in ["fleet", "part", "fleet-survivors", "part-survivors"] {
                let rival = whole(families, &format!("cycles-of-{rival}"), metric);
                assert!(rival > 2.0 * known, "{families}: {rival} {known}");
            }
        }
        let held = whole(families, "latency-one-failed", Metric::IntervalCoverage);
        assert!((0.8..=1.0).contains(&held), "{families}: {held}");
    }
    let held = whole("strangers", "latency", Metric::IntervalCoverage);
    assert!(held > 0.8, "{held}");
    // What no latency of a working block shows: how far it goes. The band of a part beyond the training misses.
    let missed = whole("outliers", "latency", Metric::IntervalCoverage);
    assert!(missed < 0.8, "{missed}");
}

/// Where a run writes its log.
#[derive(Clone, Default)]
struct WrittenLog(Rc<RefCell<Vec<u8>>>);

impl io::Write for WrittenLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// By this log the C interface is held against `wordline wear`.
#[test]
fn the_log_that_the_c_interface_is_tested_with_is_that_of_wear() {
    let wear = WearWorkload {
        blocks: 300,
        most_cycles: 40_000,
        ..WearWorkload::default()
    };
    let experiment = Experiment {
        targets: vec!["mt29f32g08qaa".to_owned()],
        workload: Workload::Wear(wear),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 11,
        ftl: None,
    };
    let written = WrittenLog::default();
    let log = || Ok(Box::new(written.clone()) as Box<dyn io::Write>);
    let control = Control {
        cycling_log: Some(&log),
        ..Control::default()
    };
    let catalog = Catalog::load(&[]).expect("sound");
    crate::run(&catalog, &experiment, &control).expect("it runs");
    let written = written.0.borrow();
    let written = str::from_utf8(&written).expect("text");
    let of_two = written.lines().filter(|line| {
        let block = line.split(',').nth(1).unwrap_or_default();
        ["block", "215", "233"].contains(&block)
    });
    let expected = include_str!("../../../../capi/tests/data/wear.csv");
    assert!(of_two.eq(expected.lines()), "{written}");
}

#[test]
fn a_score_is_the_same_every_time() {
    assert_eq!(scored(1).to_json(), scored(1).to_json());
}
