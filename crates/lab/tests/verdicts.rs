//! The figures behind verdicts of `wordline compare`, by hand: what traces, mixes, overwriting and pairs of chips
//! store, wear, draw and leave at risk.

use std::io::{self, BufRead, Cursor};

use wordline_catalog::Catalog;
use wordline_core::quantity::{ByteCount, DataRate, Fraction, Money, Quantity as _};
use wordline_core::{
    Axis, CompareWorkload, Experiment, Metric, ResultSet, SizeOrPeriod, Timing, Work, WorkKind,
    Workload,
};
use wordline_lab::{Control, run};

const NAND: &str = "mt29f1g01@stm32h755-qspi";
const PAIR: &str = "2*mt29f1g01@stm32h755-qspi";
const NOR_PAIR: &str = "2*mt25ql128@stm32h755-qspi";
const MRAM: &str = "em064lx@stm32h755-qspi";
const FRAM: &str = "cy15b104q@stm32h755-qspi";
const KIB: u64 = 1024;
const DAY_S: f64 = 86_400.0;

/// Work without limits, at a rate in bytes per second and in records.
fn work(kind: WorkKind, rate: f64, record: u64, keep: u64) -> CompareWorkload {
    CompareWorkload::of(Work {
        kind,
        keep: Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(keep))),
        trace: (kind == WorkKind::Replay).then(|| "a.iolog".to_owned()),
        ..Work::log(DataRate::from_si(rate), ByteCount::from_bytes(record))
    })
}

#[track_caller]
fn judged(study: CompareWorkload, trace: &str, targets: &[&str], timing: Timing) -> ResultSet {
    let experiment = Experiment {
        targets: targets.iter().map(|&name| name.to_owned()).collect(),
        workload: Workload::Compare(Box::new(study)),
        timings: vec![timing],
        age: 0.0,
        seed: 0,
        ftl: None,
    };
    let open = |_: &str| -> io::Result<Box<dyn BufRead>> {
        Ok(Box::new(Cursor::new(trace.as_bytes().to_vec())))
    };
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let document = run(&catalog, &experiment, &control);
    let document = document.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(document.check(), Ok(()));
    document
}

#[track_caller]
fn typ(study: CompareWorkload, target: &str) -> ResultSet {
    judged(study, "", &[target], Timing::Typ)
}

#[track_caller]
fn value(document: &ResultSet, metric: Metric) -> f64 {
    let mut rows = document.of(metric);
    let row = rows.find(|row| !row.axes.contains_key(&Axis::Estimate));
    let row = row.unwrap_or_else(|| panic!("no {metric}"));
    row.value
        .unwrap_or_else(|| panic!("{metric}: {:?}", row.no_value))
}

#[track_caller]
fn near(found: f64, by_hand: f64, tolerance: f64) {
    assert!(
        (found / by_hand - 1.0).abs() <= tolerance,
        "{found}, by hand {by_hand}"
    );
}

/// A trace of fio, version 2, of accesses: action, offset, length.
fn trace<'a>(accesses: impl IntoIterator<Item = (&'a str, u64, u64)>) -> String {
    let mut text = "fio version 2 iolog\na add\na open\n".to_owned();
    for (action, offset, length) in accesses {
        text += &format!("a {action} {offset} {length}\n");
    }
    text + "a close\n"
}

fn note(document: &ResultSet) -> &str {
    document.verdicts[0].note.as_deref().unwrap_or_default()
}

// ---------------------------------------------------------------- traces

/// What is read beside wears nothing and is not stored; it costs its own energy and nothing else.
#[test]
fn reads_of_a_trace_cost_their_own_energy_alone() {
    let (rate, record) = (50_000.0, 4 * KIB);
    let replayed = |reads: u64| {
        let accesses = (0..2048).flat_map(|index| {
            let read = (0..reads).map(move |_| ("read", index * record, record));
            std::iter::once(("write", index * record, record)).chain(read)
        });
        let study = work(WorkKind::Replay, rate, record, 8 * KIB * KIB);
        judged(study, &trace(accesses), &[NAND], Timing::Typ)
    };
    let (plain, mixed) = (replayed(0), replayed(3));
    // 8 MiB at 50 KB/s are 167.8 s, in which every block that is written goes through one of its 100 000 cycles.
    let by_hand = 100_000.0 * (8 << 20) as f64 / rate;
    near(value(&plain, Metric::Lifetime), by_hand, 1e-9);
    near(value(&mixed, Metric::Lifetime), by_hand, 1e-9);
    // A read of 4 KiB takes two pages of 70 us at 20 mA and 3.3 V at least; with transfers and driver less than
    // 300 us, in which the host draws 45 mA at most.
    let records = rate * DAY_S / record as f64;
    let of_reads = value(&mixed, Metric::EnergyPerDay) - value(&plain, Metric::EnergyPerDay);
    let each = of_reads / records / 3.0;
    let (least, most) = (2.0 * 70e-6 * 0.020 * 3.3, 300e-6 * (0.020 + 0.045) * 3.3);
    assert!((least..most).contains(&each), "{least} <= {each} <= {most}");
}

/// Nothing levels a trace: what is written over and over wears one place.
#[test]
fn a_trace_that_rewrites_one_place_lasts_for_its_cycles() {
    for (target, bytes, cycles) in [(NAND, 128 * KIB, 1e5), (MRAM, 512, 1e14)] {
        let rate = 10_000.0;
        let text = trace((0..40).map(|_| ("write", 0, bytes)));
        let study = work(WorkKind::Replay, rate, bytes, 1 << 20);
        let document = judged(study, &text, &[target], Timing::Typ);
        let once = bytes as f64 / rate;
        near(value(&document, Metric::Lifetime), cycles * once, 1e-9);
    }
}

#[test]
fn a_trace_beyond_the_memory_fails_by_capacity_or_is_folded_and_told() {
    let study = || work(WorkKind::Replay, 10_000.0, 4 * KIB, 1 << 20);
    let large = trace([("write", 0, 4 * KIB), ("write", 0, 12 << 20)]);
    let document = judged(study(), &large, &[MRAM], Timing::Typ);
    let verdict = &document.verdicts[0];
    assert_eq!((verdict.pass, verdict.limit.as_str()), (false, "capacity"));
    assert!(note(&document).contains("1 access"), "{verdict:?}");
    let far = trace([("write", 0, 4 * KIB), ("write", 12 << 20, 4 * KIB)]);
    let document = judged(study(), &far, &[MRAM], Timing::Typ);
    assert!(document.verdicts[0].pass);
    let mut warnings = document.warnings.iter();
    let folded = warnings.find(|one| one.code == "folded-addresses");
    let advice = &folded.expect("it is told").advice;
    assert!(advice.contains("1 accesses of a.iolog"), "{advice}");
}

/// Sixteen times 512 B hold as many bytes as one access of 8 KiB, and take sixteen times the driver's time.
#[test]
fn hold_up_of_a_trace_is_that_of_its_small_accesses() {
    let small = (0..64).map(|index| ("write", index * 512, 512));
    let text = trace(small.chain([("write", 32 * KIB, 8 * KIB)]));
    let study = work(WorkKind::Replay, 10_000.0, 8 * KIB, 1 << 20);
    let document = judged(study, &text, &[MRAM], Timing::Typ);
    let risk = value(&document, Metric::BytesAtRisk);
    assert!(risk >= 8192.0, "{risk}");
    // 17.75 us of driver, and 14 + 2 * 512 clocks at 120 MHz.
    let each = 17.75e-6 + (14.0 + 1024.0) / 120e6;
    let least = risk / 512.0 * each;
    let found = value(&document, Metric::HoldupTime);
    assert!(found >= 0.99 * least, "{found}, by hand {least}");
    let at_once = 17.75e-6 + (14.0 + 2.0 * 8192.0) / 120e6;
    assert!(found < 2.0 * least + at_once, "{found}, by hand {least}");
}

// ---------------------------------------------------------------- wear

#[test]
fn overwriting_and_reading_wear_the_data_to_keep_alone() {
    // 255 KiB hold one whole record of 128 KiB: one block is rewritten all the time.
    let rate = 10_000.0;
    let study = work(WorkKind::Overwrite, rate, 128 * KIB, 255 * KIB);
    let found = value(&typ(study, NAND), Metric::Lifetime);
    near(found, 1e5 * (128 * KIB) as f64 / rate, 1e-9);
    // A ferroelectric cell loses what is read and is written again: 64 KiB of 512 KiB are worn.
    let study = work(WorkKind::Read, rate, 4 * KIB, 64 * KIB);
    let found = value(&typ(study, FRAM), Metric::Lifetime);
    near(found, 1e14 * (64 * KIB) as f64 / rate, 1e-3);
}

/// One access of a thousand writes: the buffer, what is at risk and the wear are those of the writes.
#[test]
fn mostly_reading_is_judged_by_its_writes() {
    let (rate, record) = (1e6, 4 * KIB);
    let mut mixed = work(WorkKind::ReadMostly, rate, record, 4 << 20);
    mixed.work.reads = Some(Fraction::from_si(0.999));
    let mixed = typ(mixed, NAND);
    let log = typ(work(WorkKind::Log, 0.001 * rate, record, 4 << 20), NAND);
    // 1 KB/s are a record each 4.1 s; 999 reads of 0.3 ms between two writes take a tenth of that.
    for (metric, records) in [(Metric::RamPeakInFlight, 1.0), (Metric::BytesAtRisk, 2.0)] {
        near(value(&mixed, metric), records * record as f64, 1e-9);
        near(value(&log, metric), records * record as f64, 1e-9);
    }
    assert!(value(&mixed, Metric::RamPeak) <= 1e-9);
    let found = value(&mixed, Metric::Lifetime);
    near(found, value(&log, Metric::Lifetime), 0.02);
}

// ---------------------------------------------------------------- two chips in turn

/// Three chips hold the data, and pairs come in twos.
#[test]
fn pairs_count_an_even_number_of_parts() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let part = catalog.part_on_board(NAND).expect("known").part;
    let three = 3 * part.model.usable_bytes();
    let study = || work(WorkKind::Log, 20_000.0, 4 * KIB, three);
    assert_eq!(value(&typ(study(), NAND), Metric::PartsNeeded), 3.0);
    assert_eq!(value(&typ(study(), PAIR), Metric::PartsNeeded), 4.0);
}

/// A block of 64 KiB takes 3.3 s to come and at most 1 s to be erased, on the other chip: an access programs
/// sixteen pages of at most 1.8 ms, and nothing waits.
#[test]
fn a_pair_erases_while_its_other_chip_writes() {
    let study = work(WorkKind::Log, 20_000.0, 4 * KIB, 8 << 20);
    let document = judged(study, "", &[NOR_PAIR], Timing::Max);
    assert_eq!(value(&document, Metric::RamPeak), 0.0);
    let latency = value(&document, Metric::LatencyMax);
    let pages = 16.0 * 1.8e-3;
    assert!(
        (pages..pages + 16.0 * 100e-6).contains(&latency),
        "{latency}"
    );
}

// ---------------------------------------------------------------- hold-up

#[test]
fn hold_up_counts_what_hangs_on_the_memorys_supply() {
    // A chip at 1.8 V works down to 1.65 V; the host is on 3.3 V.
    let study = || work(WorkKind::Log, 20_000.0, 4 * KIB, 1 << 20);
    let document = typ(study(), MRAM);
    let time = value(&document, Metric::HoldupTime);
    near(
        value(&document, Metric::HoldupCapacitance),
        0.059 * time / (1.8 - 1.65),
        1e-6,
    );
    assert!(
        note(&document).contains("the host is on another"),
        "{}",
        note(&document)
    );
    // One chip is programmed while the other is erased, at 20 mA each, and the host draws 45 mA.
    let document = typ(study(), PAIR);
    let time = value(&document, Metric::HoldupTime);
    near(
        value(&document, Metric::HoldupCapacitance),
        (0.020 + 0.020 + 0.045) * time / (3.3 - 2.7),
        1e-6,
    );
}

// ---------------------------------------------------------------- ranking

#[test]
fn prices_rank_where_all_that_passes_has_one() {
    let order = |nand: Option<f64>, mram: Option<f64>, nor: Option<f64>| -> Vec<String> {
        let mut study = work(WorkKind::Log, 20_000.0, 4 * KIB, 1 << 20);
        for (part, price) in [("mt29f1g01", nand), ("em064lx", mram), ("mt25ql128", nor)] {
            let price = price.map(|price| (part.to_owned(), Money::from_si(price)));
            study.prices.parts.extend(price);
        }
        let targets = [NAND, MRAM, "mt25ql128@stm32h755-qspi"];
        let document = judged(study, "", &targets, Timing::Typ);
        assert!(document.verdicts.iter().all(|one| one.pass));
        let verdicts = document.verdicts.iter();
        verdicts
            .map(|one| one.target.split('@').next().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(
        order(Some(3.0), Some(1.0), Some(2.0)),
        ["em064lx", "mt25ql128", "mt29f1g01"]
    );
    assert_eq!(
        order(Some(1.0), Some(3.0), Some(2.0)),
        ["mt29f1g01", "mt25ql128", "em064lx"]
    );
    // The price of one is unknown: one chip each, and energy decides.
    let by_energy = order(None, Some(1.0), Some(2.0));
    assert_eq!(by_energy, order(None, Some(2.0), Some(1.0)));
    let study = || work(WorkKind::Log, 20_000.0, 4 * KIB, 1 << 20);
    let energy = |part: &str| {
        let target = format!("{part}@stm32h755-qspi");
        value(&typ(study(), &target), Metric::EnergyPerDay)
    };
    let energies: Vec<f64> = by_energy.iter().map(|part| energy(part)).collect();
    assert!(
        energies.windows(2).all(|pair| pair[0] <= pair[1]),
        "{energies:?}"
    );
}
