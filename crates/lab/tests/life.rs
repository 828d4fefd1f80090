//! How long candidates of `wordline compare` live: by rated cycles, by what keeps, and until chips report failures.

use std::sync::LazyLock;

use wordline_catalog::Catalog;
use wordline_core::quantity::{ByteCount, DataRate, Fraction, Period, Quantity as _};
use wordline_core::results::{AxisValue, NoValue, Row, WarningCode};
use wordline_core::{
    Axis, CompareWorkload, Experiment, FtlMapping, LifeBy, Metric, ResultSet, SizeOrPeriod, Timing,
    TranslationLayer, Work, WorkKind, Workload,
};
use wordline_lab::{Control, run};

/// 1 GiB of single-level cells in blocks of 128 KiB, rated for 100 000 cycles; its sheet says how it ages.
const AGES: &str = "nand08gw3b2c@stm32h743-fmc8";
/// 256 MiB of the same kind.
const SMALL: &str = "mt29f2g08aad@stm32h743-fmc8";
/// A part whose sheet does not.
const DOES_NOT: &str = "mt29f1g01@stm32h755-qspi";
const MRAM: &str = "em064lx@stm32h755-qspi";
const YEAR_S: f64 = 365.25 * 86_400.0;

fn study() -> CompareWorkload {
    // Large records make short runs.
    let record = ByteCount::from_bytes(1 << 16);
    CompareWorkload::of(Work::log(DataRate::from_si(1e5), record))
}

fn experiment(study: CompareWorkload, targets: &[&str]) -> Experiment {
    Experiment {
        targets: targets.iter().map(|&name| name.to_owned()).collect(),
        workload: Workload::Compare(Box::new(study)),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

#[track_caller]
fn judged(experiment: &Experiment) -> ResultSet {
    static CATALOG: LazyLock<Catalog> =
        LazyLock::new(|| Catalog::load(&[]).expect("the embedded sheets are sound"));
    let document = run(&CATALOG, experiment, &Control::default());
    let document = document.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(document.check(), Ok(()));
    document
}

#[track_caller]
fn of(change: impl Fn(&mut CompareWorkload), targets: &[&str]) -> ResultSet {
    let mut study = study();
    change(&mut study);
    judged(&experiment(study, targets))
}

/// The value of the row with exactly these axes besides those of all rows.
#[track_caller]
fn value(document: &ResultSet, metric: Metric, axes: &[(Axis, AxisValue)]) -> f64 {
    let common = [Axis::AccessBytes, Axis::RateBytesPerS, Axis::Ftl];
    let is_it = |row: &&Row| {
        let own = row.axes.iter();
        let own: Vec<_> = own.filter(|(name, _)| !common.contains(name)).collect();
        own.len() == axes.len() && axes.iter().all(|(name, at)| row.axes.get(name) == Some(at))
    };
    let found = document.of(metric).find(is_it);
    let row = found.unwrap_or_else(|| panic!("no {metric} at {axes:?}"));
    row.value.unwrap_or(f64::INFINITY)
}

fn text(text: &str) -> AxisValue {
    AxisValue::Text(text.to_owned())
}

#[track_caller]
fn lifetime(document: &ResultSet) -> f64 {
    value(document, Metric::Lifetime, &[])
}

#[track_caller]
fn ends_by(document: &ResultSet, cause: &str) -> f64 {
    value(document, Metric::Lifetime, &[(Axis::Cause, text(cause))])
}

/// When a share of something has not failed, by reports of the chip.
#[track_caller]
fn lives(document: &ResultSet, whose: &str, survivors: f64) -> f64 {
    let axes = [
        (Axis::Estimate, text("status-fail")),
        (Axis::Population, text(whose)),
        (Axis::Survivors, AxisValue::Number(survivors)),
    ];
    value(document, Metric::Lifetime, &axes)
}

#[track_caller]
fn survival(document: &ResultSet, whose: &str, years: u64) -> f64 {
    let axes = [
        (Axis::Estimate, text("status-fail")),
        (Axis::Population, text(whose)),
        (Axis::AfterYears, AxisValue::Count(years)),
    ];
    value(document, Metric::SurvivalProbability, &axes)
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    let off = (found / expected - 1.0).abs();
    assert!(off <= tolerance, "{found}, not {expected}: off by {off}");
}

#[test]
fn rated_cycles_decide_and_reported_failures_stand_apart() {
    let document = of(|_| (), &[AGES]);
    // 8192 blocks, of which 160 may be bad, each 100 000 times, as the log fills them one after the other.
    let blocks = 8192.0 - 160.0;
    let block_bytes = 131_072.0;
    near(lifetime(&document), 1e5 * blocks * block_bytes / 1e5, 1e-9);
    assert_eq!(lifetime(&document), ends_by(&document, "rated-cycles"));
    assert!(ends_by(&document, "retention") > 1e3 * lifetime(&document));
    let cycle_s = blocks * block_bytes / 1e5;
    // Whole blocks: AGEING.md's closed form, but for the spread, which moves a median by less than a tenth.
    let median = 5e6 / 1.90;
    near(lives(&document, "block", 0.5) / cycle_s, median, 0.1);
    let mut before = [1.0; 3];
    for years in [1, 2, 5, 10, 20, 50] {
        let now = ["memory", "first-block", "block"].map(|of| survival(&document, of, years));
        assert!(now.iter().zip(before).all(|(now, before)| *now <= before));
        assert!(now[1] < now[0] && now[1] < now[2], "{now:?}");
        before = now;
    }
    // What the two kinds of row say is the same curve.
    let sure = lives(&document, "memory", 0.99) / YEAR_S;
    assert!(survival(&document, "memory", 2) > 0.99 && sure > 2.0);
    assert!(survival(&document, "memory", 5) < 0.99 && sure < 5.0);
    let warned = |one: &&wordline_core::results::Warning| {
        one.code == WarningCode::Caution.name() && one.advice.contains("status-fail")
    };
    assert!(document.warnings.iter().any(|one| warned(&one)));
    let figures = document.figures.iter();
    let ageing = figures.filter(|figure| figure.figure.starts_with("nand.aging."));
    assert_eq!(ageing.count(), 22);
}

#[test]
fn what_keeps_ends_a_life_where_it_is_hot() {
    let kept = |years: f64, celsius| {
        of(
            |study| {
                study.work.retain = Some(Period::from_si(years * YEAR_S));
                study.work.temperature_celsius = Some(celsius);
                study.limits.life = Some(Period::from_si(YEAR_S));
            },
            &[AGES],
        )
    };
    let document = kept(1.0, 85.0);
    let ends = lifetime(&document);
    assert_eq!(ends, ends_by(&document, "retention"));
    assert!(ends < 0.2 * ends_by(&document, "rated-cycles"));
    let note = document.verdicts[0].note.as_deref().unwrap_or_default();
    assert!(note.contains("at 85 degrees Celsius"), "{note}");
    // Wrong bits grow with cycles and time alike: twice the time, half the cycles.
    near(lifetime(&kept(2.0, 85.0)), ends / 2.0, 1e-6);
    // An activation energy of 1.1 eV: 26.1 times as fast at 85 as at 55 degrees.
    near(ends_by(&kept(26.1, 55.0), "retention"), ends, 0.01);
    let cool = kept(1.0, 25.0);
    assert_eq!(lifetime(&cool), ends_by(&cool, "rated-cycles"));
    let strict = of(
        |study| study.limits.page_loss = Some(Fraction::from_si(1e-9)),
        &[AGES],
    );
    assert_eq!(lifetime(&strict), 0.0, "programs disturb more than that");
}

#[test]
fn reads_between_writes_disturb_what_is_kept() {
    let lost = |reads: f64| {
        let document = of(
            |study| {
                study.work.kind = WorkKind::ReadMostly;
                study.work.reads = Some(Fraction::from_si(reads));
                study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 26)));
                study.work.retain = Some(Period::from_si(YEAR_S));
                study.work.temperature_celsius = Some(55.0);
            },
            &[AGES],
        );
        // In bytes that were stored, so that only what the reads disturb differs.
        ends_by(&document, "retention") * (1.0 - reads)
    };
    let (few, many) = (lost(0.5), lost(0.9));
    assert!(many < 0.9 * few && many > 0.0, "{many}, {few}");
}

#[test]
fn reported_failures_decide_where_a_study_asks_for_it() {
    let by = |study: &mut CompareWorkload| {
        study.limits.life_by = Some(LifeBy::StatusFail);
        study.limits.life = Some(Period::from_si(YEAR_S));
    };
    let document = of(by, &[AGES, DOES_NOT, MRAM]);
    let ages: Vec<&Row> = document
        .of(Metric::Lifetime)
        .filter(|row| row.target == AGES)
        .collect();
    assert_eq!(ages[0].value, Some(ends_by(&document, "status-fail")));
    assert_eq!(ages[0].value, Some(lives(&document, "memory", 0.99)));
    let verdict = |target: &str| {
        let mut all = document.verdicts.iter();
        all.find(|one| one.target == target).expect("it is judged")
    };
    let note = |target| verdict(target).note.clone().unwrap_or_default();
    assert!(verdict(AGES).pass && note(AGES).contains("no promise of its maker"));
    let unknown = document
        .of(Metric::Lifetime)
        .find(|row| row.target == DOES_NOT)
        .expect("a row");
    assert_eq!(unknown.no_value, Some(NoValue::NotApplicable));
    assert!(!verdict(DOES_NOT).pass);
    for figure in ["table aging", "endurance", "page_shape", "weak_share"] {
        assert!(note(DOES_NOT).contains(figure), "{}", note(DOES_NOT));
    }
    let others = document.of(Metric::SurvivalProbability);
    assert!(others.into_iter().all(|row| row.target == AGES));
}

#[test]
fn cold_halves_what_chips_stand_and_age_is_taken_off() {
    let at = |celsius| {
        of(
            |study| study.work.temperature_celsius = Some(celsius),
            &[AGES],
        )
    };
    let (room, cold) = (at(25.0), at(5.0));
    for whose in ["memory", "first-block", "block"] {
        let ratio = lives(&room, whose, 0.5) / lives(&cold, whose, 0.5);
        near(ratio, 2.0, 2e-4);
    }
    assert_eq!(lifetime(&room), lifetime(&cold));
    let mut old = experiment(study(), &[AGES]);
    old.age = 0.5;
    let old = judged(&old);
    near(lifetime(&old), lifetime(&room) / 2.0, 1e-9);
    // Of those that have come through half of their rated life more fail in the next year than of new ones.
    let (old, new) = (survival(&old, "memory", 1), survival(&room, "memory", 1));
    assert!(old < new && old > 0.9, "{old}, {new}");
}

#[test]
fn more_spare_blocks_let_a_memory_outlive_its_weak_ones() {
    let with = |spare| {
        let mut study = study();
        study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 26)));
        let mut layered = experiment(study, &[SMALL]);
        let mut layer = TranslationLayer::of(FtlMapping::Page);
        layer.spare = Fraction::from_si(spare);
        layered.ftl = Some(layer);
        judged(&layered)
    };
    let (few, many) = (with(0.05), with(0.2));
    for share in [0.99, 0.5] {
        let (few, many) = (lives(&few, "memory", share), lives(&many, "memory", share));
        assert!(many > 1.5 * few, "{many}, {few}");
    }
    let first = |one| lives(one, "first-block", 0.5);
    near(first(&many), first(&few), 0.25);
}
