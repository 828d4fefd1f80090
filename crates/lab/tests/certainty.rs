//! What leaves a verdict open though no figure with a range turns it: the firmware of a card, a run that is too short for
//! it, spreads of ageing, and what is unknown and counts for nothing.

use std::fs;
use std::path::Path;

use wordline_catalog::Catalog;
use wordline_core::quantity::{
    ByteCount, Capacitance, DataRate, Energy, Fraction, Money, Period, Quantity as _,
};
use wordline_core::results::{Certainty, NoValue, Verdict, WarningCode};
use wordline_core::{
    CompareWorkload, LifeBy, Metric, Preference, ResultSet, SizeOrPeriod, Timing, Work,
};
use wordline_lab::{Control, run};

use super::compare::{judged, of, value, verdict};

const G4000: &str = "swissbit-g4000-4g@stm32h743-sdmmc";
const S46U: &str = "swissbit-s46u-4g@stm32h743-sdmmc";
const ULTRA: &str = "sandisk-ultra-16g@stm32h743-sdmmc";
const EXTREME: &str = "sandisk-extreme-32g@stm32h743-sdmmc";
const NAND: &str = "mt29f2g08aad@stm32h743-fmc8";
const MRAM: &str = "em064lx@stm32h755-qspi";
const OTHER: &str = "mt29f1g01@stm32h755-qspi";
const ON_FPGA: &str = "emd4e001g@fpga-stddr4";
const YEAR: f64 = 31_557_600.0;

fn log(rate: f64, keep: u64) -> CompareWorkload {
    let work = Work::log(DataRate::from_si(rate), ByteCount::from_bytes(4096));
    CompareWorkload::of(Work {
        keep: Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(keep))),
        duty: Some(Fraction::from_si(0.1)),
        ..work
    })
}

#[track_caller]
fn one(study: CompareWorkload, target: &str, timing: Timing) -> Verdict {
    verdict(&judged(study, &[target]), target, timing).clone()
}

fn is_open(one: &Verdict) -> bool {
    one.certainty == Certainty::Depends
}

/// This card writes its table every 65,536 changes of the mapping. A log of 2 MiB has 512 records, and meets that stall all
/// the same.
#[test]
fn a_run_covers_the_firmwares_own_work_whatever_is_kept() {
    let longest = |keep: u64| {
        let document = judged(log(1e5, keep), &[G4000]);
        value(&document, G4000, Timing::Max, Metric::LatencyMax).expect("it runs")
    };
    let (little, much) = (longest(2 << 20), longest(64 << 20));
    assert!(little > 0.2 && much > 0.2, "{little} and {much}");
}

/// Pages that wait for the rest, or none; spare blocks; spreads of ageing: other values than those that the sheets assume
/// turned these verdicts, which were certain once.
#[test]
fn choices_that_no_source_states_leave_verdicts_open() {
    let mut writes_through = log(4e5, 1 << 30);
    writes_through.limits.ram = Some(ByteCount::from_bytes(1 << 20));
    writes_through.limits.life = Some(Period::from_si(5.0 * YEAR));
    let found = one(writes_through, S46U, Timing::Typ);
    assert!(is_open(&found), "{found:?}");

    let mut gathers = log(3e5, 1 << 30);
    gathers.limits.ram = Some(ByteCount::from_bytes(256 << 10));
    let document = judged(gathers, &[ULTRA]);
    let found = verdict(&document, ULTRA, Timing::Typ);
    assert!(is_open(found), "{found:?}");
    // It has no command for a flush.
    let note = found.note.as_deref().unwrap_or_default();
    assert!(note.contains("no command for a flush"), "{note}");

    let mut fails = log(5e4, 128 << 20);
    fails.limits.life = Some(Period::from_si(10.0 * YEAR));
    fails.limits.life_by = Some(LifeBy::StatusFail);
    fails.limits.page_loss = Some(Fraction::from_si(0.5));
    let found = one(fails.clone(), NAND, Timing::Typ);
    let deciding = found.deciding.as_ref().expect("a figure with a range");
    assert!(found.pass && is_open(&found), "{found:?}");
    assert_eq!(deciding.limit, "lifetime");
    // By its rated cycles spreads of ageing say nothing.
    fails.limits.life_by = None;
    let found = one(fails, NAND, Timing::Typ);
    let figure = found.deciding_figure.as_deref().unwrap_or_default();
    assert!(!figure.contains("aging"), "{found:?}");
}

/// No firmware moves data faster than the bus, or programs less than it is given.
#[test]
fn what_no_firmware_can_do_fails_for_certain() {
    // 25 MB/s at 50 MHz on four lines.
    let found = one(log(6e7, 1 << 20), EXTREME, Timing::Typ);
    assert_eq!(
        (found.pass, is_open(&found), found.limit.as_str()),
        (false, false, "rate"),
        "{found:?}"
    );
    // A hundred years of 1 MB/s are 3 PB. 34 GB of flash take 0.34 PB in 10,000 cycles, the most that its sheet allows for.
    let mut long = log(1e7, 1 << 30);
    long.limits.life = Some(Period::from_si(100.0 * YEAR));
    let found = one(long, EXTREME, Timing::Typ);
    assert!(!found.pass && !is_open(&found), "{found:?}");
    // Bus and cells allow for less, so that the firmware decides.
    let mut open = log(1e6, 1 << 30);
    open.limits.latency = Some(Period::from_si(5e-3));
    let found = one(open, EXTREME, Timing::Typ);
    assert!(!found.pass && is_open(&found), "{found:?}");
}

/// The sheet of a card as if a data sheet stated all of it.
fn stated(changes: &[(&str, &str)]) -> String {
    let catalog = Catalog::load(&[]).expect("sound sheets");
    let part = catalog.part("sandisk-extreme-32g").expect("a card");
    let lines = part.header.text.lines().map(|line| {
        let line = line.replace("assumed = true, reason = ", "source = ");
        let line = line.replace(r#"assumed_columns = ["max"], "#, "");
        let line = line.replace(r#"assumed_columns = ["typ"], "#, "");
        let line = ["calibrated", "estimated"]
            .iter()
            .fold(line, |line, basis| {
                line.replace(&format!("basis = \"{basis}\", "), "")
            });
        match line.find("range = [").zip(line.find("\"], ")) {
            Some((start, end)) if start < end => line[..start].to_owned() + &line[end + 4..],
            _ => line,
        }
    });
    let text: String = lines.map(|line| line + "\n").collect();
    let text = text.replacen("part = \"sandisk-extreme-32g\"", "part = \"stated\"", 1);
    changes.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

fn with_sheet(text: &str, study: CompareWorkload) -> ResultSet {
    let folder = tempfile::TempDir::new().expect("a folder");
    let folder: &Path = folder.path();
    fs::write(folder.join("stated.toml"), text).expect("written");
    let catalog = Catalog::load(&[folder.to_owned()]).expect("a sound sheet");
    let mut experiment = of(study, &["stated@stm32h743-sdmmc"]);
    experiment.timings = vec![Timing::Typ];
    run(&catalog, &experiment, &Control::default()).expect("it runs")
}

/// A chip of which no source says how much it holds: neither that it is enough nor that it is too little is certain.
#[test]
fn an_assumed_capacity_leaves_open_what_it_decides() {
    let of = |from: &str, to: &str, keep: u64| {
        let catalog = Catalog::load(&[]).expect("sound sheets");
        let part = catalog.part("em064lx").expect("a chip");
        let text = part
            .header
            .text
            .replacen("part = \"em064lx\"", "part = \"stated\"", 1);
        assert!(text.contains(from), "{from}");
        let text = text.replacen(from, to, 1);
        let folder = tempfile::TempDir::new().expect("a folder");
        fs::write(folder.path().join("stated.toml"), text).expect("written");
        let catalog = Catalog::load(&[folder.path().to_owned()]).expect("a sound sheet");
        let mut study = log(1e3, keep);
        study.limits.parts = Some(1);
        let mut experiment = self::of(study, &["stated@stm32h755-qspi"]);
        experiment.timings = vec![Timing::Typ];
        let document = run(&catalog, &experiment, &Control::default()).expect("it runs");
        let one = document.verdicts.first().expect("a verdict");
        (one.pass, one.deciding_figure.clone())
    };
    let sourced = "{ typ = \"8 MiB\", source = ";
    let assumed = "{ typ = \"8 MiB\", assumed = true, reason = ";
    let open = Some("stated: capacity".to_owned());
    assert_eq!(of(sourced, sourced, 1 << 20), (true, None));
    assert_eq!(of(sourced, assumed, 1 << 20), (true, open.clone()));
    assert_eq!(of(sourced, sourced, 1 << 24), (false, None));
    assert_eq!(of(sourced, assumed, 1 << 24), (false, open));
}

/// A card whose sheet states what its firmware does is judged for certain, where a run shows all of it; levelling that
/// moves a block at once, after hundreds of times the card's capacity, is in no run.
#[test]
fn a_firmware_that_is_known_is_judged_where_a_run_shows_it() {
    let mut study = log(2e4, 64 << 20);
    study.limits.ram = Some(ByteCount::from_bytes(1 << 20));
    let document = with_sheet(&stated(&[]), study.clone());
    let found = &document.verdicts[0];
    assert!(found.pass && !is_open(found), "{found:?}");

    let at_once = stated(&[("steps_per_write", "# steps_per_write")]);
    let document = with_sheet(&at_once, study.clone());
    let found = &document.verdicts[0];
    assert_eq!(
        found.deciding_figure.as_deref(),
        Some("stated: firmware period"),
        "{found:?}"
    );
    // One choice that no source states leaves all open that it may change.
    let open = stated(&[(
        "victim = { value = \"greedy\", source",
        "victim = { value = \"greedy\", assumed = true, reason",
    )]);
    let document = with_sheet(&open, study);
    let found = &document.verdicts[0];
    assert_eq!(
        found.deciding_figure.as_deref(),
        Some("stated: firmware"),
        "{found:?}"
    );
    assert_eq!((found.flips_at, found.deciding.as_ref()), (None, None));
}

/// The power of a host that no board states counts for nothing: a pass is open up to what is left for it, and a failure
/// stands without it.
#[test]
fn an_unknown_host_leaves_energy_and_holdup_open() {
    let energy = |limit: f64| {
        let mut study = log(5e4, 1 << 20);
        study.limits.energy_per_day = Some(Energy::from_si(limit));
        one(study, ON_FPGA, Timing::Typ)
    };
    let pass = energy(1e9);
    assert!(pass.pass && is_open(&pass), "{pass:?}");
    assert_eq!(
        pass.deciding_figure.as_deref(),
        Some("fpga-stddr4: host.run_current")
    );
    let deciding = pass.deciding.as_ref().expect("it has a unit");
    assert_eq!((deciding.unit.as_str(), deciding.value), ("W", 0.0));
    assert!(pass.flips_at.is_some_and(|power| power > 1.0), "{pass:?}");
    let fail = energy(1e-3);
    assert!(!fail.pass && !is_open(&fail), "{fail:?}");

    let mut held = log(5e4, 1 << 20);
    held.limits.holdup = Some(Capacitance::from_si(1.0));
    let held = one(held, ON_FPGA, Timing::Typ);
    assert!(held.pass && is_open(&held), "{held:?}");
}

/// RAM without a price costs nothing in the sum, which is no reason to pass for certain.
#[test]
fn what_has_no_price_leaves_cost_open() {
    let mut study = log(5e4, 1 << 20);
    study.prices.parts = [("em064lx".to_owned(), Money::from_si(5.0))].into();
    study.prices.level_shifter = Some(Money::from_si(0.5));
    study.limits.cost = Some(Money::from_si(6.0));
    let open = one(study.clone(), MRAM, Timing::Typ);
    assert_eq!(
        open.deciding_figure.as_deref(),
        Some("prices: ram_per_kib"),
        "{open:?}"
    );
    // 8 KiB of RAM may cost the half euro that is left.
    let turns = open.flips_at.expect("a price");
    assert!((turns - 0.5 / 8.0).abs() < 1e-9, "{turns}");
    study.prices.ram_per_kib = Some(Money::from_si(0.01));
    let certain = one(study, MRAM, Timing::Typ);
    assert!(certain.pass && !is_open(&certain), "{certain:?}");
}

/// An order by areas that sheets assume is warned of; one by prices that the study states is not.
#[test]
fn an_order_is_warned_of_where_it_rests_on_what_sheets_assume() {
    let warned = |study: CompareWorkload, targets: &[&str]| {
        let document = judged(study, targets);
        assert!(document.verdicts.iter().all(|one| one.pass));
        let mut warnings = document.warnings.iter();
        warnings.any(|one| one.code == WarningCode::AssumedOrder.name())
    };
    let study = log(5e4, 1 << 20);
    let by_area = CompareWorkload {
        prefer: Some(Preference::Area),
        ..study.clone()
    };
    assert!(warned(by_area, &[MRAM, OTHER]));
    let mut priced = CompareWorkload {
        prefer: Some(Preference::Cost),
        ..study
    };
    priced.prices.parts = [("em064lx", 5.0), ("mt29f1g01", 2.0)]
        .map(|(part, price)| (part.to_owned(), Money::from_si(price)))
        .into();
    assert!(!warned(priced, &[MRAM, OTHER]));
}

/// A failure of which nothing but the reason is unknown is no certain one.
#[test]
fn what_is_unknown_does_not_fail_for_certain() {
    let mut study = log(5e4, 1 << 20);
    study.limits.cost = Some(Money::from_si(6.0));
    let document = judged(study, &[OTHER]);
    let found = verdict(&document, OTHER, Timing::Typ);
    assert_eq!(
        value(&document, OTHER, Timing::Typ, Metric::Cost),
        Err(NoValue::NotApplicable)
    );
    assert!(!found.pass && is_open(found), "{found:?}");
    assert_eq!(found.deciding_figure.as_deref(), Some("mt29f1g01: cost"));
}
