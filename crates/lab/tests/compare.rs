//! `wordline compare` as a caller of the laboratory sees it: a verdict for every candidate, its numbers by hand,
//! and the order of the ranking.

use std::io::{self, BufRead, Cursor};
use std::sync::atomic::AtomicBool;

use wordline_catalog::Catalog;
use wordline_core::quantity::{
    ByteCount, Capacitance, DataRate, Energy, Fraction, Money, Period, Quantity as _,
};
use wordline_core::results::{Certainty, NoValue, Verdict, WarningCode};
use wordline_core::{
    Axis, CompareWorkload, Experiment, Metric, Prices, ResultSet, SizeOrPeriod, Timing, Work,
    WorkKind, Workload,
};
use wordline_lab::{
    Control, LabError, STUDIES, all_targets, read_study, run, shortlist, write_study,
};
use wordline_nvm::MemoryClass;

const NAND: &str = "mt29f1g01@stm32h755-qspi";
const MRAM: &str = "em064lx@stm32h755-qspi";
const LIMITS: [&str; 11] = [
    "ram",
    "latency",
    "lifetime",
    "energy",
    "risk",
    "holdup",
    "cost",
    "capacity",
    "fit",
    "translation",
    "rate",
];
/// Writes two blocks of 4 KiB apart, so that even a flash whose overwriting fails has something to say.
const TRACE: &str = "fio version 2 iolog\na add\na open\na write 0 4096\na write 4096 4096\na read 0 512\n\
                     a write 0 4096\na close\n";

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

/// The study of the flag form: 500 KB/s in records of 4 KiB for a tenth of the time.
fn study() -> CompareWorkload {
    let work = Work::log(DataRate::from_si(5e5), ByteCount::from_bytes(4096));
    CompareWorkload::of(Work {
        keep: Some(SizeOrPeriod::For(Period::from_si(3600.0))),
        duty: Some(Fraction::from_si(0.1)),
        ..work
    })
}

pub(crate) fn of(study: CompareWorkload, targets: &[&str]) -> Experiment {
    Experiment {
        targets: targets.iter().map(|&name| name.to_owned()).collect(),
        workload: Workload::Compare(Box::new(study)),
        timings: vec![Timing::Typ, Timing::Max],
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

fn try_run(experiment: &Experiment) -> Result<ResultSet, LabError> {
    let open = |_: &str| -> io::Result<Box<dyn BufRead>> {
        Ok(Box::new(Cursor::new(TRACE.as_bytes().to_vec())))
    };
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let document = run(&catalog(), experiment, &control)?;
    assert_eq!(document.check(), Ok(()));
    assert_eq!(
        ResultSet::from_json(&document.to_json()).as_ref(),
        Ok(&document)
    );
    Ok(document)
}

#[track_caller]
pub(crate) fn judged(study: CompareWorkload, targets: &[&str]) -> ResultSet {
    try_run(&of(study, targets)).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
pub(crate) fn verdict<'a>(document: &'a ResultSet, target: &str, timing: Timing) -> &'a Verdict {
    let mut verdicts = document.verdicts.iter();
    let found = verdicts.find(|one| one.target == target && one.timing == timing);
    found.unwrap_or_else(|| panic!("no verdict on {target} at {timing}"))
}

#[track_caller]
pub(crate) fn value(
    document: &ResultSet,
    target: &str,
    timing: Timing,
    metric: Metric,
) -> Result<f64, NoValue> {
    let row = document
        .of(metric)
        .find(|row| {
            row.target == target && row.timing == timing && !row.axes.contains_key(&Axis::Estimate)
        })
        .unwrap_or_else(|| panic!("no {metric} of {target}"));
    row.value
        .ok_or_else(|| row.no_value.expect("a reason stands for a value"))
}

/// One verdict for each candidate and timing, typ and max together, each with its limit and margin.
#[track_caller]
fn complete(document: &ResultSet, candidates: usize) {
    assert!(document.complete);
    assert_eq!(document.experiment.targets.len(), candidates);
    assert_eq!(document.verdicts.len(), 2 * candidates);
    let mut ranked: Vec<&str> = Vec::new();
    for pair in document.verdicts.chunks(2) {
        assert_eq!(pair[0].target, pair[1].target);
        assert_eq!((pair[0].timing, pair[1].timing), (Timing::Typ, Timing::Max));
        assert!(!ranked.contains(&pair[0].target.as_str()));
        ranked.push(&pair[0].target);
        for one in pair {
            assert!(LIMITS.contains(&one.limit.as_str()), "{one:?}");
            match one.margin {
                Some(margin) => assert_eq!(one.pass, margin >= 0.0, "{one:?}"),
                // Without a figure, or without end.
                None => assert!(one.note.is_some() || one.pass, "{one:?}"),
            }
            assert_eq!(one.margin.is_some(), one.value.is_some(), "{one:?}");
        }
    }
    // What passes for certain comes first.
    let count =
        |pair: &[Verdict], is: fn(&Verdict) -> bool| pair.iter().filter(|one| is(one)).count();
    let passes: Vec<_> = document
        .verdicts
        .chunks(2)
        .map(|pair| {
            let certain = |one: &Verdict| one.pass && one.certainty == Certainty::Certain;
            (count(pair, certain), count(pair, |one| one.pass))
        })
        .collect();
    assert!(
        passes.windows(2).all(|pair| pair[0] >= pair[1]),
        "{passes:?}"
    );
    for one in &document.verdicts {
        let depends = one.certainty == Certainty::Depends;
        assert_eq!(depends, one.deciding_figure.is_some(), "{one:?}");
        // A choice of a firmware has no value at which the verdict turns.
        assert_eq!(one.flips_at.is_some(), one.deciding.is_some(), "{one:?}");
        assert!(depends || one.deciding.is_none(), "{one:?}");
    }
}

#[test]
fn the_whole_catalogue_is_judged_and_ranked() {
    let mut flags = study();
    flags.limits.ram = Some(ByteCount::from_bytes(16_384));
    flags.limits.life = Some(Period::from_si(10.0 * 31_557_600.0));
    let document = judged(flags, &[]);
    let all = shortlist(&catalog());
    complete(&document, all.len());
    assert_eq!(document.experiment.targets, all);
    assert!(all.len() < all_targets(&catalog()).len());
    assert!(document.verdicts.iter().any(|one| one.pass));
    assert!(document.verdicts.iter().any(|one| !one.pass));
    // A serial NAND whose figures its sheet states passes for certain.
    let nand = verdict(&document, "w25n01gv@stm32h755-qspi", Timing::Max);
    assert!(
        nand.pass && nand.certainty == Certainty::Certain,
        "{nand:?}"
    );
    // What its sheet excludes has a verdict and no figures.
    let excluded = verdict(&document, "em064lx@stm32h755-qspi", Timing::Typ);
    assert!(
        !excluded.pass && excluded.limit == "capacity",
        "{excluded:?}"
    );
    let not_simulated = excluded.note.as_deref();
    assert!(not_simulated.is_some_and(|note| note.starts_with("not simulated: ")));
    // No source says what the firmware of a card does.
    let cards = document.verdicts.iter().filter(|one| {
        let target = catalog()
            .part_on_board(&one.target)
            .expect("known")
            .part
            .model
            .name();
        target == "card"
    });
    let cards: Vec<_> = cards.collect();
    assert!(cards.len() >= 12);
    for one in cards {
        let certain = one.certainty == Certainty::Certain;
        assert!(!(one.pass && certain), "{one:?}");
    }
    // Rows stand in the order of the ranking.
    let mut order: Vec<&str> = document
        .rows
        .iter()
        .map(|row| row.target.as_str())
        .collect();
    order.dedup();
    let mut ranking: Vec<&str> = document
        .verdicts
        .iter()
        .map(|one| one.target.as_str())
        .collect();
    ranking.dedup();
    assert_eq!(order, ranking);
    // The prices of what passes are not all known. Of equals in passes, fewer chips come first; of those with as
    // many, what needs less energy at worst, and then the one that leaves more room.
    let unpriced = document.of(Metric::Cost).any(|row| row.value.is_none());
    assert!(unpriced);
    let key = |target: &str| {
        let count = |is: &dyn Fn(&Verdict) -> bool| {
            let of_target = document.verdicts.iter().filter(|one| one.target == target);
            of_target.filter(|one| is(one)).count() as f64
        };
        let depends = |one: &Verdict| one.certainty == Certainty::Depends;
        let passes = [
            -count(&|one| one.pass && !depends(one)),
            -count(&|one| one.pass),
            -count(&depends),
        ];
        let parts = document
            .of(Metric::PartsNeeded)
            .find(|row| row.target == target)
            .and_then(|row| row.value)
            .unwrap_or(f64::INFINITY);
        let energy = document
            .of(Metric::EnergyPerDay)
            .filter(|row| row.target == target)
            .map(|row| row.value.unwrap_or(f64::INFINITY))
            .fold(f64::NEG_INFINITY, f64::max);
        let margins = document.verdicts.iter().filter(|one| one.target == target);
        let least = margins
            .map(|one| {
                one.margin
                    .unwrap_or(if one.pass { f64::MAX } else { f64::MIN })
            })
            .fold(f64::INFINITY, f64::min);
        (passes, [parts, energy, -least])
    };
    for pair in ranking.windows(2) {
        let (one, other) = (key(pair[0]), key(pair[1]));
        assert!(one <= other, "{pair:?}: {one:?} before {other:?}");
    }
}

/// The first question of the README.
fn first_question() -> CompareWorkload {
    let mut study = study();
    study.limits.ram = Some(ByteCount::from_bytes(16_384));
    study.limits.life = Some(Period::from_si(10.0 * 31_557_600.0));
    study
}

/// Moves each figure with a range to both of its ends, of the best candidates of the first question. What passes for
/// certain goes on passing, and what fails for certain goes on failing. Returns figures, verdicts and those that depend.
#[track_caller]
fn flip_figures(best: usize) -> [usize; 3] {
    let catalog = catalog();
    let document = judged(first_question(), &[]);
    let mut figures = 0;
    let depends = |one: &&Verdict| one.certainty == Certainty::Depends;
    let verdicts = &document.verdicts[..2 * best];
    for pair in verdicts.chunks(2) {
        let target = catalog.part_on_board(&pair[0].target).expect("known");
        for one in pair.iter().filter(|one| !depends(one)) {
            for figure in target.uncertain_figures(one.timing) {
                for factor in [figure.low, figure.high] {
                    figures += 1;
                    let varied = catalog.with_varied(target.varied([(&figure, factor)]));
                    let mut experiment = of(first_question(), &[&one.target]);
                    experiment.timings = vec![one.timing];
                    let document = run(&varied, &experiment, &Control::default());
                    let then = &document.expect("it runs").verdicts[0];
                    assert_eq!(then.pass, one.pass, "{figure:?} times {factor}: {then:?}");
                }
            }
        }
    }
    [
        figures,
        verdicts.len(),
        verdicts.iter().filter(depends).count(),
    ]
}

#[test]
#[ignore = "takes most of a minute; `make nightly` runs it"]
fn no_figure_turns_a_verdict_that_is_certain() {
    let [figures, ..] = flip_figures(2);
    assert!(figures > 50, "{figures}");
}

#[test]
#[ignore = "takes minutes"]
fn no_figure_turns_a_verdict_that_is_certain_of_the_ten_best() {
    let [figures, verdicts, depending] = flip_figures(10);
    eprintln!("{figures} ends of ranges; {depending} of {verdicts} verdicts depend on a figure");
    assert!(figures > 500, "{figures}");
}

/// Every figure of a verdict again, from the sheet: mt29f1g01 on stm32h755-qspi.
#[test]
fn the_figures_of_a_candidate_are_those_of_its_sheet_by_hand() {
    let mut by_hand = study();
    by_hand.prices = Prices {
        ram_per_kib: Some("0.01 EUR".parse().expect("money")),
        level_shifter: Some("0.50 EUR".parse().expect("money")),
        parts: [("mt29f1g01".to_owned(), "2.10 EUR".parse().expect("money"))].into(),
    };
    by_hand.limits.ram = Some(ByteCount::from_bytes(16_384));
    let document = judged(by_hand, &[NAND]);
    let typ = |metric| value(&document, NAND, Timing::Typ, metric).expect("a number");
    let near = |found: f64, expected: f64| {
        assert!(
            (found / expected - 1.0).abs() < 1e-6,
            "{found}, by hand {expected}"
        );
    };
    let (rate, duty, record) = (5e5, 0.1, 4096.0);
    let (page, block): (f64, f64) = (2048.0, 64.0 * 2048.0);
    // An hour of 500 KB/s is 1.8 GB; a chip holds 1024 blocks, less the 20 that may be bad.
    let part = catalog();
    let part = part.part_on_board(NAND).expect("known").part;
    let usable = part.model.usable_bytes() as f64;
    assert!(usable <= 1024.0 * block && usable >= (1024.0 - 20.0) * block);
    let parts = (rate * 3600.0 / usable).ceil();
    near(typ(Metric::PartsNeeded), parts);
    // Every byte erases a byte once: 100 000 cycles of all blocks of all chips.
    let life = 100_000.0 * parts * usable / (rate * duty);
    near(typ(Metric::Lifetime), life);
    // Two program operations a record, and an erase where a block begins: the longest access is the latter.
    let two_pages = 2.0 * 220e-6;
    assert!(typ(Metric::LatencyMax) > two_pages + 2e-3 && typ(Metric::LatencyMax) < 2.6e-3 + 1e-4);
    // At 500 KB/s a record comes each 8.2 ms: nothing waits, one is in flight.
    near(typ(Metric::RamPeakInFlight), record);
    assert_eq!(typ(Metric::RamPeak), 0.0);
    // Another one is gathered meanwhile, and a power cut takes both.
    near(typ(Metric::RamProvision), 2.0 * record);
    near(typ(Metric::BytesAtRisk), 2.0 * record);
    // To write both takes the longest access, and one that begins no block.
    let two_records = typ(Metric::LatencyMax)..typ(Metric::LatencyMax) + 6e-4;
    assert!(two_records.contains(&typ(Metric::HoldupTime)));
    // C = I t / dV: 20 mA of the chip and 45 mA of the host, from 3.3 V to 2.7 V.
    near(
        typ(Metric::HoldupCapacitance),
        (0.020 + 0.045) * typ(Metric::HoldupTime) / (3.3 - 2.7),
    );
    // The chip draws 20 mA while it is programmed, erased and written to, and 50 uA otherwise; the host draws
    // 45 mA while its driver works and 21 mA in transfers and waits, where it sleeps. In a run of whole blocks the
    // time of an access is known from the throughput.
    let bytes_a_day = rate * duty * 86_400.0;
    let busy = bytes_a_day / typ(Metric::ThroughputMean);
    let standby = 50e-6 * 3.3 * (86_400.0 * parts - busy);
    let most = busy * (0.020 * 3.3 + 0.045 * 3.3) + standby;
    let least = bytes_a_day / block * (2e-3 + 64.0 * 220e-6) * 0.020 * 3.3 + standby;
    let energy = typ(Metric::EnergyPerDay);
    assert!(
        (least..most).contains(&energy),
        "{least} <= {energy} <= {most}"
    );
    // Chips and RAM; both sides have 3.3 V, so that nothing is shifted.
    near(
        typ(Metric::Cost),
        parts * 2.10 + 0.01 * 2.0 * record / 1024.0,
    );
    let passes = verdict(&document, NAND, Timing::Typ);
    // Fourteen of sixteen chips are closer to their limit than half of the RAM.
    assert_eq!((passes.pass, passes.limit.as_str()), (true, "capacity"));
    assert_eq!(
        (passes.value, passes.allowed, passes.margin),
        (Some(14.0), 16.0, Some(0.125))
    );
    let page_of_throughput = page / (2.0 * 220e-6);
    assert!(typ(Metric::ThroughputMean) < page_of_throughput * 2.0);
}

/// The document says the highest rate that each of some sizes of RAM carries: a run a little below it needs no more, and a run
/// a little above it does. The parts of the energy add up, and one of them follows the rate alone.
#[test]
fn the_document_says_what_other_rates_need() {
    let document = judged(study(), &[NAND]);
    let number = |document: &ResultSet, metric| {
        value(document, NAND, Timing::Max, metric).expect("a number")
    };
    let rows = || document.rows.iter().filter(|row| row.timing == Timing::Max);
    let steps: Vec<(u64, f64)> = rows()
        .filter(|row| row.metric == Metric::RateMax)
        .filter_map(|row| Some((row.count(Axis::RamBytes)?, row.value?)))
        .collect();
    assert!(steps.len() >= 3, "{steps:?}");
    assert!(
        steps
            .windows(2)
            .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1),
        "{steps:?}"
    );
    let last = steps[steps.len() - 1].1;
    assert!((last / number(&document, Metric::ThroughputMean) - 1.0).abs() < 1e-3);
    let at = |rate: f64| {
        let mut other = study();
        other.work.rate = DataRate::from_si(rate);
        judged(other, &[NAND])
    };
    for (ram, rate) in [steps[0], steps[1]] {
        let below = number(&at(0.999 * rate), Metric::RamProvision);
        let above = number(&at(1.001 * rate), Metric::RamProvision);
        assert!(
            below <= ram as f64 && above > ram as f64,
            "{ram}: {below}, {above}"
        );
    }
    let of = |document: &ResultSet, metric: Metric, cause: &str| {
        let mut rows = document.rows.iter();
        let row = rows.find(|row| {
            row.metric == metric
                && row.timing == Timing::Max
                && row.text(Axis::Cause) == Some(cause)
        });
        row.and_then(|row| row.value).expect("a part")
    };
    let part = |document: &ResultSet, cause: &str| of(document, Metric::EnergyPerDay, cause);
    let other = at(1e6);
    for document in [&document, &other] {
        let sum = part(document, "work") + part(document, "standby");
        assert!((sum / number(document, Metric::EnergyPerDay) - 1.0).abs() < 1e-9);
    }
    assert!((part(&other, "work") / part(&document, "work") - 2.0).abs() < 1e-9);
    // The chips stand by while they do not work: the busy time grows with the rate, and standby ends with it.
    let whole = |document: &ResultSet| 86_400.0 * of(document, Metric::PowerMean, "standby");
    let busy = [&document, &other].map(|document| whole(document) - part(document, "standby"));
    assert!(busy[0] > 0.0 && busy[1] < whole(&other), "{busy:?}");
    assert!((busy[1] / busy[0] - 2.0).abs() < 1e-6, "{busy:?}");
    let chips = rows().find(|row| row.metric == Metric::PartsNeeded);
    let chip = chips.and_then(|row| row.count(Axis::CapacityBytes));
    let usable = catalog();
    let usable = usable
        .part_on_board(NAND)
        .expect("known")
        .part
        .model
        .usable_bytes();
    assert_eq!(chip, Some(usable));
}

#[test]
fn each_limit_alone_decides_when_it_is_tight() {
    let loose = judged(
        CompareWorkload {
            prices: Prices {
                parts: [("mt29f1g01".to_owned(), Money::from_si(2.0))].into(),
                ..Prices::default()
            },
            ..study()
        },
        &[NAND],
    );
    let typ = |metric| value(&loose, NAND, Timing::Typ, metric).expect("a number");
    type Set = fn(&mut CompareWorkload, f64);
    let cases: [(&str, Metric, bool, Set); 8] = [
        ("latency", Metric::LatencyMax, false, |study, value| {
            study.limits.latency = Some(Period::from_si(value));
        }),
        ("lifetime", Metric::Lifetime, true, |study, value| {
            study.limits.life = Some(Period::from_si(value));
        }),
        ("energy", Metric::EnergyPerDay, false, |study, value| {
            study.limits.energy_per_day = Some(Energy::from_si(value));
        }),
        (
            "holdup",
            Metric::HoldupCapacitance,
            false,
            |study, value| {
                study.limits.holdup = Some(Capacitance::from_si(value));
            },
        ),
        ("cost", Metric::Cost, false, |study, value| {
            study.limits.cost = Some(Money::from_si(value));
        }),
        ("capacity", Metric::PartsNeeded, false, |study, value| {
            study.limits.parts = Some(value.round() as u64);
        }),
        ("rate", Metric::ThroughputMean, true, |study, value| {
            study.work.rate = DataRate::from_si(value);
            study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 20)));
        }),
        ("ram", Metric::RamProvision, false, |study, value| {
            // 4 MB/s need two records that wait, besides.
            assert_eq!(value, 8192.0);
            study.work.rate = DataRate::from_si(4_096_000.0);
            study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 20)));
            study.limits.ram = Some(ByteCount::from_bytes(16_384));
        }),
    ];
    for (limit, metric, at_least, set) in cases {
        let exact = typ(metric);
        for (factor, pass) in if at_least {
            [(0.999, true), (1.001, false)]
        } else {
            [(1.001, true), (0.9, false)]
        } {
            let mut tight = study();
            tight
                .prices
                .parts
                .insert("mt29f1g01".to_owned(), Money::from_si(2.0));
            match limit {
                "capacity" => set(&mut tight, if pass { exact } else { exact - 1.0 }),
                "ram" => {
                    set(&mut tight, exact);
                    if !pass {
                        tight.limits.ram = Some(ByteCount::from_bytes(16_383));
                    }
                }
                _ => set(&mut tight, exact * factor),
            }
            let document = judged(tight, &[NAND]);
            let one = verdict(&document, NAND, Timing::Typ);
            assert_eq!((one.pass, one.limit.as_str()), (pass, limit), "{one:?}");
            assert_eq!(one.metric, metric);
        }
    }
    // Two records are at risk, one that is gathered and one that is written, whatever the memory; more at 4 MB/s.
    let mut risk = study();
    risk.work.rate = DataRate::from_si(4_096_000.0);
    risk.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 20)));
    risk.limits.bytes_at_risk = Some(ByteCount::from_bytes(16_383));
    let document = judged(risk.clone(), &[NAND]);
    let one = verdict(&document, NAND, Timing::Typ);
    assert_eq!(
        (one.pass, one.limit.as_str(), one.value),
        (false, "risk", Some(16_384.0))
    );
    risk.limits.bytes_at_risk = Some(ByteCount::from_bytes(16_384));
    let document = judged(risk, &[NAND]);
    assert!(verdict(&document, NAND, Timing::Typ).pass);
}

#[test]
fn a_price_that_nobody_knows_fails_by_name() {
    let mut dear = study();
    dear.limits.cost = Some(Money::from_si(100.0));
    // Some sheets state what a distributor asks; this one does not.
    let document = judged(dear, &[NAND]);
    for one in &document.verdicts {
        assert_eq!(
            (one.pass, one.limit.as_str(), one.value),
            (false, "cost", None),
            "{one:?}"
        );
        let note = one.note.as_deref().expect("a note");
        assert!(note.contains("cost is unknown"), "{note}");
    }
}

#[test]
fn what_needs_a_level_shifter_pays_for_it_on_each_chip() {
    let mut shifted = study();
    shifted.prices = Prices {
        ram_per_kib: Some(Money::from_si(0.01)),
        level_shifter: Some(Money::from_si(0.5)),
        parts: [("em064lx".to_owned(), Money::from_si(20.0))].into(),
    };
    shifted.work.rate = DataRate::from_si(1e5);
    shifted.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(20 << 20)));
    let document = judged(shifted, &[MRAM]);
    let typ = |metric| value(&document, MRAM, Timing::Typ, metric).expect("a number");
    assert_eq!(typ(Metric::PartsNeeded), 3.0);
    // A chip at 1.8 V, and pins at 3.3 V.
    assert!((typ(Metric::Cost) - (3.0 * 20.5 + 0.08)).abs() < 1e-9);
}

/// A card in use is a full one that has used up its spare blocks, whatever the data to keep; one that is said to be
/// empty moves nothing, and the run says so.
#[test]
fn a_card_is_judged_full_and_settled() {
    const CARD: &str = "swissbit-g4000-4g@stm32h743-sdmmc";
    let of = |fill: Option<f64>| {
        let mut study = study();
        study.work.kind = WorkKind::Overwrite;
        study.work.rate = DataRate::from_si(1e5);
        study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 30)));
        study.work.fill = fill.map(Fraction::from_si);
        judged(study, &[CARD])
    };
    let fresh = |document: &ResultSet| {
        let mut warnings = document.warnings.iter();
        warnings.any(|one| one.code == WarningCode::FreshMemory.name())
    };
    let (full, empty) = (of(None), of(Some(0.0)));
    assert_eq!((fresh(&full), fresh(&empty)), (false, true));
    let [full, empty] = [full, empty].map(|document| {
        value(&document, CARD, Timing::Typ, Metric::WriteAmplification).expect("it writes")
    });
    assert!(full > 1.2 * empty, "{full} against {empty}");
}

/// What the cache of an eMMC holds is lost with the buffer, unless it is flushed: 32 pages of 16 KiB and one on its way
/// into its die, or as much as comes between two flushes. A log is flushed behind each record.
#[test]
fn the_cache_of_a_card_is_at_risk_as_far_as_it_is_not_flushed() {
    const EMMC: &str = "micron-emmc50-8g@stm32h743-emmc8";
    let cached = |loss: Option<SizeOrPeriod>| {
        let mut study = study();
        study.limits.loss = loss;
        let document = judged(study, &[EMMC]);
        let of = |metric| value(&document, EMMC, Timing::Typ, metric).expect("a number");
        let own = of(Metric::BytesAtRisk) - of(Metric::RamProvision);
        (own, of(Metric::ThroughputMean))
    };
    let (each, slow) = cached(None);
    assert_eq!(each, 0.0);
    // Sixteen records, of which fifteen wait for the flush.
    let (some, faster) = cached(Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(64 << 10))));
    assert_eq!(some, f64::from(60 << 10));
    // As much in time: 65536 B at 500 KB/s.
    let period = SizeOrPeriod::For(Period::from_si(65_536.0 / 5e5));
    assert_eq!(cached(Some(period)).0, some);
    let (all, fast) = cached(Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 30))));
    assert_eq!(all, f64::from(33 * (16 << 10)));
    // Each flush costs time.
    assert!(slow < faster && faster <= fast, "{slow} {faster} {fast}");
}

#[test]
fn limits_that_nobody_meets_leave_no_pass() {
    let mut hard = study();
    hard.limits.latency = Some(Period::from_si(1e-9));
    let targets = [NAND, MRAM, "mt28ew512@stm32h743-fmc16"];
    let document = judged(hard, &targets);
    assert!(document.verdicts.iter().all(|one| !one.pass));
    complete(&document, targets.len());
    let mut fast = study();
    fast.work.rate = DataRate::from_si(1e12);
    fast.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 20)));
    fast.limits.ram = Some(ByteCount::from_bytes(1 << 20));
    let document = judged(fast, &targets);
    for one in &document.verdicts {
        assert!(
            !one.pass && ["rate", "fit", "capacity"].contains(&one.limit.as_str()),
            "{one:?}"
        );
    }
}

/// Of the cards, which are filled and settled first, one: `the_whole_catalogue_is_judged_and_ranked` has all.
#[test]
#[ignore = "takes most of a minute; `make nightly` runs it"]
fn every_kind_of_work_is_judged_over_all_chips() {
    let catalog = catalog();
    let is_left_out = |target: &String| {
        let part = catalog.part_on_board(target).expect("known").part;
        part.model.class() == MemoryClass::ManagedFlash && part.header.id != "swissbit-s46u-4g"
    };
    let mut targets = all_targets(&catalog);
    targets.retain(|target| !is_left_out(target));
    let all = targets.len();
    for kind in WorkKind::ALL {
        let mut any = study();
        any.work.kind = kind;
        any.work.record = ByteCount::from_bytes(16_384);
        any.work.rate = DataRate::from_si(2e4);
        any.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 18)));
        any.work.trace = (kind == WorkKind::Replay).then(|| "trace.log".to_owned());
        let typ = Experiment {
            timings: vec![Timing::Typ],
            targets: targets.clone(),
            ..of(any.clone(), &[])
        };
        let document = try_run(&typ).unwrap_or_else(|error| panic!("{kind:?}: {error}"));
        assert_eq!(document.verdicts.len(), all);
        if kind == WorkKind::Overwrite {
            let mut verdicts = document.verdicts.iter();
            assert!(verdicts.any(|one| one.limit == "translation"));
        }
        if kind == WorkKind::Read {
            let mut rows = document.of(Metric::BytesAtRisk);
            assert!(rows.all(|row| row.value == Some(0.0)));
        }
        // Records below a page, and such as span blocks.
        for record in [500, 512, 300_000] {
            any.work.record = ByteCount::from_bytes(record);
            any.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 20)));
            complete(&judged(any.clone(), &["nand128w3a2bn"]), 1);
        }
    }
}

#[test]
fn the_studies_that_come_along_run() {
    for (name, text) in STUDIES {
        let mut study = read_study(name, text).unwrap_or_else(|error| panic!("{error}"));
        study.targets = [NAND, MRAM, "mt25ql128@stm32h755-qspi"]
            .map(str::to_owned)
            .into();
        let document = try_run(&study).unwrap_or_else(|error| panic!("{name}: {error}"));
        // The flashes also take part as two chips in turn, where the study asks for that.
        let in_turn = matches!(&study.workload, Workload::Compare(workload) if workload.in_turn);
        let pairs = document.experiment.targets.iter();
        let pairs = pairs.filter(|target| target.starts_with("2*")).count();
        assert_eq!(pairs > 0, in_turn, "{name}");
        complete(&document, 3 + pairs);
        let written = write_study(&document.experiment).expect("a comparison");
        let again = read_study(name, &written).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again, document.experiment);
    }
}

/// The answers of docs/guides/studies-that-come-along.md, each for the reason that it gives.
#[test]
fn the_answers_of_the_studies_follow_from_their_physics() {
    const NOR: &str = "mt25ql128@stm32h755-qspi";
    let answer = |study: &str, target: &str, timing| {
        let text = STUDIES
            .iter()
            .find(|(name, _)| *name == study)
            .expect("known")
            .1;
        let mut experiment = read_study(study, text).expect("sound");
        experiment.targets = vec![target.to_owned()];
        let document = try_run(&experiment).unwrap_or_else(|error| panic!("{study}: {error}"));
        let one = verdict(&document, target, timing).clone();
        let latency = document
            .of(Metric::LatencyMax)
            .find(|row| row.timing == timing);
        (one, latency.and_then(|row| row.value))
    };
    let certain = |(one, _): &(Verdict, Option<f64>)| {
        (one.certainty == Certainty::Certain).then(|| (one.pass, one.limit.clone()))
    };
    let fails = |limit: &str| Some((false, limit.to_owned()));
    let passes = |found: &(Verdict, Option<f64>)| certain(found).is_some_and(|(pass, _)| pass);

    // A fetch suspends the erase of a NOR flash, waits for that of a NAND, and MRAM never erases.
    // A suspend of 25 us, what was resumed runs for 192 us before, and a routine of 512 B takes 8.7 us: mapped, so that no
    // driver sets its fetch up.
    let nor = answer("xip-boot", NOR, Timing::Typ);
    assert!(passes(&nor), "{nor:?}");
    let (latency, bound) = (nor.1.expect("simulated"), nor.0.bound.expect("proven"));
    assert_eq!(nor.0.value, Some(latency));
    assert!(
        latency <= bound && (217e-6..240e-6).contains(&bound),
        "{nor:?}"
    );
    // How long a resumed erase must run is stated as a typical time alone: its maximum may be longer than is allowed.
    let (worst, _) = answer("xip-boot", NOR, Timing::Max);
    let deciding = worst.deciding_figure.clone().unwrap_or_default();
    assert!(
        worst.pass && deciding.ends_with("nor.suspend.erase_progress"),
        "{worst:?}"
    );
    // 24 clocks and two for each byte at 120 MHz.
    let mram = answer("xip-boot", MRAM, Timing::Max);
    let by_hand = (14.0 + 2.0 * 512.0) / 120e6;
    assert!(
        passes(&mram)
            && mram
                .1
                .is_some_and(|latency| (by_hand..by_hand + 0.3e-6).contains(&latency)),
        "{mram:?}"
    );
    let nand = answer("xip-boot", NAND, Timing::Typ);
    assert_eq!(certain(&nand), fails("latency"), "{nand:?}");
    assert!(
        nand.1
            .is_some_and(|latency| (2e-3..2.2e-3).contains(&latency)),
        "{nand:?}"
    );

    // Standby of a day decides where writes are rare.
    // Its standby current is assumed.
    assert!(answer("sensor-node-battery", NAND, Timing::Max).0.pass);
    let mram = answer("sensor-node-battery", MRAM, Timing::Max);
    assert_eq!(certain(&mram), fails("energy"), "{mram:?}");

    // One plane programs 2 KiB in 0.2 ms at the best.
    let nand = answer("camera-20MBps", NAND, Timing::Max);
    assert_eq!(certain(&nand), fails("rate"), "{nand:?}");

    // Serial NOR erases for 150 ms, or for a second at the maximum.
    assert!(passes(&answer("ota-update", NAND, Timing::Max)));
    assert!(passes(&answer("ota-update", NOR, Timing::Typ)));
    let nor = answer("ota-update", NOR, Timing::Max);
    assert_eq!(certain(&nor), fails("rate"), "{nor:?}");

    // What lies in RAM is written within the charge of a capacitor, unless an erase comes first.
    assert!(passes(&answer("black-box", MRAM, Timing::Max)));
    let nand = answer("black-box", NAND, Timing::Max);
    assert_eq!(certain(&nand), fails("holdup"), "{nand:?}");
}

/// What is proven stands beside what was simulated, of the limit that decides: the law of a card's specification, 250 ms a
/// block of 512 B, and of a NAND the sum over its sheet. Limits that are kept in simulation alone are named.
#[test]
fn what_is_proven_stands_beside_the_verdict() {
    const CARD: &str = "swissbit-s46u-4g@stm32h743-sdmmc";
    let judge = |latency: f64, target: &str| {
        let mut study = study();
        study.work.rate = DataRate::from_si(2e4);
        study.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(1 << 20)));
        study.limits.latency = Some(Period::from_si(latency));
        let document = judged(study, &[target]);
        let one = verdict(&document, target, Timing::Typ).clone();
        let mut bounds = document
            .of(Metric::LatencyMax)
            .filter(|row| row.timing == Timing::Typ && row.text(Axis::Estimate) == Some("bound"));
        let bound = bounds.next().and_then(|row| row.value);
        assert_eq!(
            (one.limit.as_str(), one.metric),
            ("latency", Metric::LatencyMax)
        );
        assert_eq!(one.bound, bound);
        one
    };
    let names = |one: &Verdict| -> Vec<String> {
        one.unproven.iter().map(|open| open.limit.clone()).collect()
    };
    let card = judge(200e-3, CARD);
    let (value, bound) = (card.value.expect("simulated"), card.bound.expect("proven"));
    assert!(
        card.pass && value < 200e-3 && (2.0..2.5).contains(&bound),
        "{card:?}"
    );
    assert!(names(&card).contains(&"latency".to_owned()), "{card:?}");
    // What fails in simulation has nothing to prove.
    let card = judge(1e-3, CARD);
    assert!(!card.pass && card.unproven.is_empty(), "{card:?}");
    let nand = judge(2.7e-3, NAND);
    let (value, bound) = (nand.value.expect("simulated"), nand.bound.expect("proven"));
    assert!(
        nand.pass && value <= bound && bound < 1.05 * value,
        "{nand:?}"
    );
    assert_eq!(names(&nand), [""; 0]);
}

#[test]
fn a_candidate_that_does_not_fit_its_board_is_a_verdict() {
    let target = "em064lx@stm32h743-fmc8";
    let document = judged(study(), &[target, NAND]);
    complete(&document, 2);
    for timing in [Timing::Typ, Timing::Max] {
        let one = verdict(&document, target, timing);
        assert_eq!((one.pass, one.limit.as_str()), (false, "fit"));
        assert!(one.note.as_deref().is_some_and(|note| !note.is_empty()));
    }
    assert_eq!(document.verdicts[0].target, NAND);
}

#[test]
fn a_record_larger_than_the_memory_is_a_verdict() {
    let mut large = study();
    large.work.record = ByteCount::from_bytes(16 << 20);
    large.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(16 << 20)));
    let document = judged(large, &[MRAM]);
    let one = verdict(&document, MRAM, Timing::Typ);
    assert_eq!((one.pass, one.limit.as_str()), (false, "capacity"));
    let note = one.note.as_deref().expect("a note");
    assert!(
        note.contains("a record of 16 MiB does not fit 8 MiB"),
        "{note}"
    );
}

#[test]
fn the_same_study_gives_the_same_bytes_at_every_timing() {
    let experiment = Experiment {
        timings: vec![Timing::Typ, Timing::Max, Timing::Sampled],
        seed: 4,
        ..of(study(), &[NAND, MRAM])
    };
    let run = || try_run(&experiment).expect("it runs").to_json();
    assert_eq!(run(), run());
}

#[test]
fn a_stop_leaves_finished_verdicts_alone() {
    let stop = AtomicBool::new(false);
    let progress = |progress: wordline_lab::Progress<'_>| {
        if progress.step == MRAM {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    };
    let control = Control {
        stop: Some(&stop),
        progress: Some(&progress),
        threads: 1,
        ..Control::default()
    };
    let document = run(&catalog(), &of(study(), &[NAND, MRAM]), &control).expect("in order");
    assert!(!document.complete);
    assert_eq!(document.verdicts.len(), 2);
    assert!(document.verdicts.iter().all(|one| one.target == NAND));
    assert!(document.rows.iter().all(|row| row.target == NAND));
    assert_eq!(document.check(), Ok(()));
}

#[test]
fn candidates_and_settings_that_cannot_be_are_refused() {
    for (experiment, words) in [
        (of(study(), &[NAND, "mt29f1g01"]), "named twice"),
        (of(study(), &["nowhere"]), "unknown part"),
        (
            Experiment {
                age: f64::NAN,
                ..of(study(), &[NAND])
            },
            "age NaN",
        ),
        (
            Experiment {
                timings: Vec::new(),
                ..of(study(), &[NAND])
            },
            "timing",
        ),
    ] {
        let message = try_run(&experiment).expect_err("refused").to_string();
        assert!(message.contains(words), "{message}");
    }
    let mut none = study();
    none.limits.parts = Some(0);
    let message = try_run(&of(none, &[NAND]))
        .expect_err("refused")
        .to_string();
    assert!(message.contains("limits.parts"), "{message}");
    for price in [-1.0, f64::NAN] {
        let mut cheap = study();
        cheap
            .prices
            .parts
            .insert("mt29f1g01".to_owned(), Money::from_si(price));
        let _ = try_run(&of(cheap, &[NAND])).map(|document| document.to_json());
    }
    let mut unknown = study();
    unknown
        .prices
        .parts
        .insert("mt29f1g10".to_owned(), Money::from_si(1.0));
    let message = try_run(&of(unknown, &[NAND])).expect_err("refused");
    assert!(message.to_string().contains("\"mt29f1g10\""), "{message}");
}

/// The limit of ages: all of life used, and works that wear nothing.
#[test]
fn a_life_without_wear_and_one_that_is_over_have_their_verdicts() {
    let mut reading = study();
    reading.work.kind = WorkKind::Read;
    reading.work.keep = Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(4 << 20)));
    reading.limits.life = Some(Period::from_si(1e9));
    let document = judged(reading.clone(), &[NAND, MRAM]);
    for one in &document.verdicts {
        assert!(one.pass, "{one:?}");
    }
    let mut worn = of(study(), &[NAND]);
    worn.age = 1.0;
    let document = try_run(&worn).expect("it runs");
    assert_eq!(
        value(&document, NAND, Timing::Typ, Metric::Lifetime),
        Ok(0.0)
    );
    let Workload::Compare(limited) = &mut worn.workload else {
        unreachable!("it is a comparison");
    };
    limited.limits.life = Some(Period::from_si(1.0));
    let document = try_run(&worn).expect("it runs");
    let one = verdict(&document, NAND, Timing::Typ);
    assert_eq!(
        (one.pass, one.limit.as_str(), one.margin),
        (false, "lifetime", Some(-1.0))
    );
}

/// Overwrites of 4 KiB, each synced, on a chip of NAND: littlefs copies what lies behind each of them in its file and waits for
/// long, and rtfs ends each of them within what its sheet proves.
#[cfg(all(feature = "fat", feature = "littlefs"))]
#[test]
fn a_file_system_is_a_candidate_and_rejected_with_a_reason() {
    let mut study = CompareWorkload::of(Work {
        kind: WorkKind::Overwrite,
        keep: Some(SizeOrPeriod::Bytes(ByteCount::from_bytes(16 << 20))),
        ..Work::log(DataRate::from_si(1e5), ByteCount::from_bytes(4096))
    });
    study.limits.latency = Some(Period::from_si(50e-3));
    study.limits.ram = Some(ByteCount::from_bytes(32 << 10));
    study.file_systems = ["littlefs", "fat", "rtfs"]
        .map(|name| name.parse().expect("a name"))
        .to_vec();
    let document = judged(study.clone(), &[NAND]);
    assert_eq!(
        document.experiment.targets,
        [NAND],
        "a second run adds them again"
    );
    let name = |fs: &str| format!("{fs}:{NAND}");
    assert_eq!(document.verdicts.len(), 8, "alone, and under each");
    // The bare chip overwrites whole blocks.
    assert_eq!(verdict(&document, NAND, Timing::Typ).limit, "translation");
    for timing in [Timing::Typ, Timing::Max] {
        let littlefs = verdict(&document, &name("littlefs"), timing);
        assert!(
            !littlefs.pass && ["latency", "rate"].contains(&&*littlefs.limit),
            "{littlefs:?}"
        );
        // FAT is quick enough here, but the map of the layer below it is in RAM.
        let fat = verdict(&document, &name("fat"), timing);
        assert_eq!((fat.pass, &*fat.limit), (false, "ram"), "{fat:?}");
        let rtfs = verdict(&document, &name("rtfs"), timing);
        assert!(rtfs.pass && rtfs.unproven.is_empty(), "{rtfs:?}");
        let of = |metric| value(&document, &name("rtfs"), timing, metric).expect("a number");
        // RAM to provide: the records, and what the file system takes; a power cut takes the records alone.
        let own = of(Metric::FileSystemRam);
        assert!(own > 8e3 && of(Metric::RamProvision) >= own + 8192.0);
        assert_eq!(of(Metric::BytesAtRisk), of(Metric::RamProvision) - own);
        assert!(of(Metric::Lifetime) > 0.0);
        let bounds = document.of(Metric::LatencyMax).filter(|row| {
            row.target == name("rtfs")
                && row.timing == timing
                && row.basis == wordline_core::Basis::Proven
        });
        let bounds: Vec<f64> = bounds.filter_map(|row| row.value).collect();
        assert_eq!(bounds.len(), 1);
        assert!(of(Metric::LatencyMax) <= bounds[0] && bounds[0] <= 50e-3);
    }
    // The run takes 2.8 ms at most, and more is proven: what passes in simulation alone is named.
    study.limits.latency = Some(Period::from_si(5e-3));
    study.file_systems = vec!["rtfs".parse().expect("a name")];
    let document = judged(study, &[NAND]);
    let rtfs = verdict(&document, &name("rtfs"), Timing::Typ);
    assert!(rtfs.pass, "{rtfs:?}");
    let unproven: Vec<_> = rtfs.unproven.iter().map(|one| &*one.limit).collect();
    assert_eq!(unproven, ["latency"]);
}

#[cfg(all(feature = "fat", feature = "littlefs"))]
#[test]
fn what_is_no_file_system_is_refused_with_those_that_are() {
    let study = |names: &[&str]| CompareWorkload {
        file_systems: names
            .iter()
            .map(|name| name.parse().expect("a name"))
            .collect(),
        ..study()
    };
    for (names, words) in [(&["yaffs"][..], "littlefs"), (&["rtfs", "rtfs"][..], "on")] {
        let error = try_run(&of(study(names), &[NAND])).expect_err("it is refused");
        assert!(error.to_string().contains(words), "{error}");
    }
    // FAT rewrites the erase blocks of NOR in place: the block that wears most decides, and all of it wears.
    let document = judged(study(&["fat"]), &["mt25ql128@stm32h755-qspi"]);
    let name = "fat:mt25ql128@stm32h755-qspi";
    assert!(value(&document, name, Timing::Typ, Metric::Lifetime).is_ok_and(|life| life > 0.0));
    // A byte-addressable memory has no flash to be a candidate of.
    let document = judged(study(&["rtfs"]), &[MRAM]);
    assert_eq!(document.verdicts.len(), 2);
}
