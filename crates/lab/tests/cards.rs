//! Cards and translation layers as the laboratory runs them: what card users know, and what is refused.

use wordline_catalog::Catalog;
use wordline_core::quantity::{Fraction, Quantity};
use wordline_core::results::{AxisValue, Row, WarningCode};
use wordline_core::{
    AccessSource, Axis, Basis, BufferWorkload, Experiment, FtlMapping, LogSource, Metric,
    Operation, Pattern, RawWorkload, ResultSet, StreamSource, Timing, TranslationLayer, Workload,
    WriteSync,
};
use wordline_lab::{Control, LabError, run};

const CARD: &str = "swissbit-g4000-4g@stm32h743-sdmmc";
const EMMC: &str = "micron-emmc50-8g@stm32h743-emmc8";
const NAND: &str = "mt29f1g01@stm32h755-qspi";
const MRAM: &str = "em064lx@stm32h755-qspi";
const NOR: &str = "mt25ql128@stm32h755-qspi";
const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn of(target: &str, workload: Workload) -> Experiment {
    Experiment {
        targets: vec![target.to_owned()],
        workload,
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 3,
        ftl: None,
    }
}

/// Writes of 4 KiB within 64 MiB.
fn writes(pattern: Pattern) -> RawWorkload {
    RawWorkload {
        operations: vec![Operation::Write],
        patterns: vec![pattern],
        access_bytes: vec![4 * KIB],
        total_bytes: 32 * MIB,
        wrap_bytes: 64 * MIB,
        ..RawWorkload::default()
    }
}

fn raw(target: &str, workload: RawWorkload) -> Experiment {
    of(target, Workload::Raw(workload))
}

fn behind(mapping: FtlMapping, spare: f64, experiment: Experiment) -> Experiment {
    let mut layer = TranslationLayer::of(mapping);
    layer.spare = Fraction::from_si(spare);
    Experiment {
        ftl: Some(layer),
        ..experiment
    }
}

fn records(bytes: u64, pattern: Pattern) -> BufferWorkload {
    BufferWorkload::of(AccessSource::Stream(StreamSource {
        operation: Operation::Write,
        pattern,
        record_bytes: bytes,
        total_bytes: 32 * MIB,
        wrap_bytes: 64 * MIB,
    }))
}

fn done(experiment: &Experiment) -> ResultSet {
    let result = run(&catalog(), experiment, &Control::default()).expect("it runs");
    assert!(result.complete && !result.failed(), "{:?}", result.warnings);
    result
}

fn refused(experiment: &Experiment) -> String {
    let error: LabError = run(&catalog(), experiment, &Control::default()).expect_err("refused");
    error.to_string()
}

/// The value of a metric without cause and estimate, at an axis' value where one is given.
fn value(result: &ResultSet, metric: Metric, axis: Option<(Axis, f64)>) -> f64 {
    let mut rows = result.of(metric).filter(|row| {
        [Axis::Cause, Axis::Estimate, Axis::AtS, Axis::HorizonS]
            .iter()
            .all(|axis| row.text(*axis).is_none() && !row.axes.contains_key(axis))
            && axis.is_none_or(|(name, wanted)| number(row, name) == Some(wanted))
    });
    let value = rows.next().and_then(|row| row.value).expect("a value");
    assert!(rows.next().is_none(), "{metric} stands twice");
    value
}

fn number(row: &Row, axis: Axis) -> Option<f64> {
    match row.axes.get(&axis)? {
        AxisValue::Number(number) => Some(*number),
        AxisValue::Count(count) => Some(*count as f64),
        AxisValue::Text(_) => None,
    }
}

fn estimate<'a>(result: &'a ResultSet, metric: Metric, kind: &str) -> Vec<&'a Row> {
    let rows = result.of(metric);
    rows.filter(|row| row.text(Axis::Estimate) == Some(kind))
        .collect()
}

#[test]
fn random_writes_are_slower_than_writes_in_order_and_cost_more_flash() {
    let [ordered, random] = [Pattern::Sequential, Pattern::Random].map(|pattern| {
        done(&raw(
            CARD,
            RawWorkload {
                fill: vec![Fraction::from_si(1.0)],
                warm_up_bytes: 1024 * MIB,
                wrap_bytes: 4096 * MIB,
                ..writes(pattern)
            },
        ))
    });
    let of = |result, metric| value(result, metric, None);
    assert!(
        of(&ordered, Metric::ThroughputMean) > 1.2 * of(&random, Metric::ThroughputMean),
        "{} against {}",
        of(&ordered, Metric::ThroughputMean),
        of(&random, Metric::ThroughputMean)
    );
    assert!(
        of(&random, Metric::WriteAmplification) > 1.05 * of(&ordered, Metric::WriteAmplification)
    );
    assert!(of(&random, Metric::Lifetime) > 0.0);
}

/// A card that is all written has to clean before it can write; a fresh one does not, and one that is left
/// alone has done it before.
#[test]
fn a_full_card_cleans_while_it_is_written_and_pauses_take_that_away() {
    let full = RawWorkload {
        fill: vec![Fraction::from_si(0.0), Fraction::from_si(1.0)],
        warm_up_bytes: 1024 * MIB,
        wrap_bytes: 4096 * MIB,
        ..writes(Pattern::Random)
    };
    let result = done(&raw(CARD, full.clone()));
    let at = |metric, share| value(&result, metric, Some((Axis::Fill, share)));
    assert!(at(Metric::ThroughputMean, 0.0) > 1.5 * at(Metric::ThroughputMean, 1.0));
    assert!(at(Metric::LatencyMax, 1.0) > 2.0 * at(Metric::LatencyMax, 0.0));
    let cleaning = |share| {
        let mut rows = result.of(Metric::TimeShare);
        let row = rows.find(|row| {
            row.text(Axis::Cause) == Some("cleaning") && number(row, Axis::Fill) == Some(share)
        });
        row.and_then(|row| row.value).expect("a share")
    };
    assert_eq!(cleaning(0.0), 0.0);
    assert!(cleaning(1.0) > 0.2, "{}", cleaning(1.0));
    let gaps = RawWorkload {
        fill: vec![Fraction::from_si(1.0)],
        gaps_ps: vec![0, 100_000_000_000],
        ..full
    };
    let result = done(&raw(CARD, gaps));
    let at = |metric, gap| value(&result, metric, Some((Axis::GapS, gap)));
    assert!(at(Metric::LatencyMean, 0.0) > 1.5 * at(Metric::LatencyMean, 0.1));
    let parts = result.of(Metric::LatencyMeanPart);
    let sum: f64 = parts.filter_map(|row| row.value).sum();
    assert!((sum / at(Metric::LatencyMean, 0.1) - 1.0).abs() < 1e-6);
    let rates = result.of(Metric::ThroughputMean);
    assert!(
        rates
            .into_iter()
            .all(|row| number(row, Axis::GapS) == Some(0.0))
    );
}

/// A card that keeps three units of 4 MiB open writes to three files side by side as fast as to one. With a fourth, each
/// write finds its unit closed, and the card copies a whole one.
#[test]
fn one_stream_more_than_a_card_keeps_units_open_costs_a_unit_for_each_write() {
    let unit = 4 * MIB;
    let throughput = |target, pattern, streams: u32| {
        let wrap_bytes = u64::from(streams) * unit;
        let result = done(&raw(
            target,
            RawWorkload {
                access_bytes: vec![128 * KIB],
                fill: vec![Fraction::from_si(1.0)],
                streams: vec![streams],
                warm_up_bytes: wrap_bytes,
                total_bytes: 2 * wrap_bytes,
                wrap_bytes,
                ..writes(pattern)
            },
        ));
        let pages = value(&result, Metric::WriteAmplification, None);
        let mut shares = result.of(Metric::TimeShare);
        let merging = shares.find(|row| row.text(Axis::Cause) == Some("merging"));
        let merging = merging.and_then(|row| row.value).expect("a share");
        (value(&result, Metric::ThroughputMean, None), pages, merging)
    };
    let open_units = "kingston-sdc4-4g@stm32h743-sdmmc";
    for pattern in [Pattern::Sequential, Pattern::Random] {
        let (one, three, four) = (
            throughput(open_units, pattern, 1),
            throughput(open_units, pattern, 3),
            throughput(open_units, pattern, 4),
        );
        assert!((three.0 / one.0 - 1.0).abs() < 0.05, "{one:?} {three:?}");
        assert!(four.0 < three.0 / 8.0, "{three:?} {four:?}");
        // 32 times 128 KiB make a unit: each write of it copies a whole one.
        assert!((four.1 / 33.0 - 1.0).abs() < 0.1, "{four:?}");
        assert!(four.2 > 0.9 && three.2 < 0.5, "{three:?} {four:?}");
    }
    let pages = |streams| throughput(CARD, Pattern::Sequential, streams).0;
    assert!((pages(4) / pages(1) - 1.0).abs() < 0.2);
}

#[test]
fn axes_stand_in_rows_only_where_they_were_used() {
    let result = done(&raw(CARD, writes(Pattern::Sequential)));
    let new = [Axis::Fill, Axis::GapS, Axis::Ftl, Axis::Streams];
    for row in &result.rows {
        assert!(
            new.iter().all(|axis| !row.axes.contains_key(axis)),
            "{row:?}"
        );
    }
}

/// 250 ms for each block of 512 B: 2 s for 4 KiB, as much again as one of them behind the command that stops them, and
/// 2.048 KB/s without a buffer, less what the bus takes.
#[test]
fn the_specification_bounds_every_order_of_accesses() {
    for pattern in [Pattern::Sequential, Pattern::Random] {
        let mut question = records(4 * KIB, pattern);
        question.rates_bytes_per_s = vec![100e3];
        let result = done(&of(CARD, Workload::Buffer(question)));
        let longest = estimate(&result, Metric::LatencyMax, "bound");
        let [longest] = longest.as_slice() else {
            panic!("{longest:?}");
        };
        assert_eq!(longest.basis, Basis::Proven);
        let seconds = longest.value.expect("a bound");
        assert!((2.25..2.26).contains(&seconds), "{seconds}");
        let seen = value(&result, Metric::LatencyMax, None);
        assert!(seen < seconds);

        let mut question = records(512, pattern);
        question.ram_bytes = vec![0];
        let result = done(&of(CARD, Workload::Buffer(question)));
        let rates = estimate(&result, Metric::RateMax, "bound");
        assert!(!rates.is_empty());
        for row in rates {
            let rate = row.value.expect("a rate");
            assert!((2000.0..=2048.0).contains(&rate), "{rate}");
            assert_eq!(row.basis, Basis::Proven);
        }
    }
}

/// A cache takes small writes in a row faster than they are safe: what was flushed was programmed, page by page, and a
/// reliable write programs past the cache.
#[test]
fn safe_writes_cost_their_programs() {
    let took = |sync| {
        let result = done(&raw(
            EMMC,
            RawWorkload {
                sync,
                total_bytes: 2 * MIB,
                ..writes(Pattern::Sequential)
            },
        ));
        let named = result
            .rows
            .iter()
            .all(|row| row.text(Axis::Sync) == sync.map(WriteSync::name));
        assert!(named);
        value(&result, Metric::LatencyMean, None)
    };
    let [trusted, flushed, reliable] =
        [None, Some(WriteSync::Flush), Some(WriteSync::Reliable)].map(took);
    // A page of 16 KiB takes 900 us to program.
    assert!(trusted < 0.6e-3, "{trusted}");
    assert!((0.9e-3..3e-3).contains(&flushed), "{flushed}");
    assert!((0.9e-3..3e-3).contains(&reliable), "{reliable}");
    // A card that programs each write before it ends has nothing left to flush, and an SD card no reliable write.
    let safe = |target, sync| {
        raw(
            target,
            RawWorkload {
                sync,
                ..writes(Pattern::Sequential)
            },
        )
    };
    let [plain, flushed] = [None, Some(WriteSync::Flush)]
        .map(|sync| value(&done(&safe(CARD, sync)), Metric::LatencyMean, None));
    assert_eq!(plain, flushed);
    let message = refused(&safe(CARD, Some(WriteSync::Reliable)));
    assert!(
        message.contains("only an eMMC has reliable writes"),
        "{message}"
    );
    // The bound of a safe write holds both.
    let bound = |sync| {
        let mut question = records(4 * KIB, Pattern::Sequential);
        question.rates_bytes_per_s = vec![100e3];
        question.sync = sync;
        let result = done(&of(EMMC, Workload::Buffer(question)));
        estimate(&result, Metric::LatencyMax, "formula")[0]
            .value
            .expect("a bound")
    };
    assert!(bound(Some(WriteSync::Flush)) > bound(None) + 29.0);
}

/// The limit of the eMMC is assumed, and so is every bound from it.
#[test]
fn an_assumed_limit_proves_nothing() {
    let mut question = records(4 * KIB, Pattern::Sequential);
    question.rates_bytes_per_s = vec![100e3];
    let result = done(&of(EMMC, Workload::Buffer(question)));
    let bounds = estimate(&result, Metric::LatencyMax, "formula");
    assert!(!bounds.is_empty());
    assert!(bounds.iter().all(|row| row.basis == Basis::Assumed));
}

/// Idle time reaches the card: at a rate that leaves it alone, records meet less cleaning than records that
/// follow each other.
#[test]
fn records_at_a_rate_leave_a_card_time_to_clean() {
    let mut question = BufferWorkload {
        fill: Some(Fraction::from_si(1.0)),
        warm_up_bytes: 1024 * MIB,
        rates_bytes_per_s: vec![20e3],
        ..records(4 * KIB, Pattern::Random)
    };
    if let AccessSource::Stream(stream) = &mut question.source {
        stream.wrap_bytes = 4096 * MIB;
    }
    let result = done(&of(CARD, Workload::Buffer(question)));
    let closed = value(&result, Metric::LatencyMean, None);
    let open = estimate(&result, Metric::LatencyMean, "open_loop");
    let open = open[0].value.expect("a mean");
    assert!(closed > 1.5 * open, "{closed} against {open}");
    // However far one looks ahead, the specification holds.
    for (metric, estimates) in [
        (Metric::LatencyMax, "extrapolated"),
        (Metric::RamProvision, "seen"),
    ] {
        let bound = estimate(&result, metric, "bound")[0].value;
        for row in estimate(&result, metric, estimates) {
            let bound = bound.unwrap_or(f64::INFINITY);
            assert!(row.value.is_some_and(|value| value <= bound), "{row:?}");
        }
    }
    for row in &result.rows {
        assert_eq!(number(row, Axis::Fill), Some(1.0), "{row:?}");
    }
}

#[test]
fn a_short_run_of_a_fresh_card_says_so() {
    let result = done(&raw(CARD, writes(Pattern::Sequential)));
    let code = WarningCode::FreshMemory.name();
    assert!(result.warnings.iter().any(|warning| warning.code == code));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let plain = || writes(Pattern::Sequential);
    let fill = |share| RawWorkload {
        fill: vec![Fraction::from_si(share)],
        ..plain()
    };
    for (experiment, expected) in [
        (
            raw(CARD, fill(1.5)),
            "fill 1.5 is out of range; allowed: 0 % to 100 %",
        ),
        (
            raw(
                CARD,
                RawWorkload {
                    wrap_bytes: 8192 * MIB,
                    ..plain()
                },
            ),
            "wrap 8 GiB is outside swissbit-g4000-4g; allowed: 1 B to 4 GiB",
        ),
        (
            raw(
                CARD,
                RawWorkload {
                    gaps_ps: vec![u64::MAX],
                    ..plain()
                },
            ),
            "is too long; allowed: 0 s to 1 s",
        ),
        (
            raw(
                CARD,
                RawWorkload {
                    streams: vec![2, 0],
                    ..plain()
                },
            ),
            "streams must be at least 1",
        ),
        (
            raw(
                NOR,
                RawWorkload {
                    access_bytes: vec![2 * KIB],
                    streams: vec![2],
                    wrap_bytes: 192 * KIB,
                    total_bytes: 192 * KIB,
                    ..plain()
                },
            ),
            "streams of 2 give each 96 KiB of mt25ql128, which erases 64 KiB at a time; allowed: a wrap that gives each",
        ),
        (
            raw(
                CARD,
                RawWorkload {
                    streams: vec![16385],
                    ..plain()
                },
            ),
            "streams of 16385 leave no room for an access each; allowed with this size and wrap: 1 to 16384",
        ),
        (
            behind(FtlMapping::Page, 0.12, raw(MRAM, plain())),
            "em064lx needs no translation layer: any of its bytes can be overwritten; leave --ftl out",
        ),
        (
            behind(FtlMapping::Page, 0.12, raw(NOR, plain())),
            "mt25ql128 has no spare area in which a translation layer could keep its records",
        ),
        (
            behind(FtlMapping::Page, 0.12, raw(CARD, plain())),
            "swissbit-g4000-4g has a translation layer of its own",
        ),
        (
            behind(FtlMapping::Page, 0.0, raw(NAND, plain())),
            "ftl_spare 0 is out of range; allowed: above 0 % and below 100 %",
        ),
        (
            behind(FtlMapping::Page, 1.0, raw(NAND, plain())),
            "ftl_spare 1 is out of range",
        ),
        (
            of(
                CARD,
                Workload::Buffer(BufferWorkload {
                    fill: Some(Fraction::from_si(2.0)),
                    ..records(4 * KIB, Pattern::Random)
                }),
            ),
            "fill 2 is out of range",
        ),
        (
            Experiment {
                targets: Vec::new(),
                ..of(
                    CARD,
                    Workload::Buffer(BufferWorkload {
                        fill: Some(Fraction::from_si(0.5)),
                        ..BufferWorkload::of(AccessSource::Log(LogSource {
                            file: "x.log".to_owned(),
                            ..LogSource::default()
                        }))
                    }),
                )
            },
            "is about a simulated target, and a log was measured on a real one",
        ),
    ] {
        let message = refused(&experiment);
        assert!(message.contains(expected), "{message}\nexpected {expected}");
    }
}

/// Without a layer random writes below a block are not run, and the message names the option.
#[test]
fn random_writes_to_raw_flash_name_the_option_that_makes_them_possible() {
    let result = done(&raw(NAND, writes(Pattern::Random)));
    let code = WarningCode::NeedsTranslation.name();
    let warning = result.warnings.iter().find(|warning| warning.code == code);
    let advice = &warning.expect("a warning").advice;
    assert!(advice.contains("--ftl page or --ftl log-block"), "{advice}");
}

/// Writes of a page or less anywhere, every byte of them read back, and faster with a table of all pages than
/// with merges.
#[test]
fn raw_nand_behind_a_layer_takes_random_writes() {
    let small = |pattern| RawWorkload {
        access_bytes: vec![KIB],
        total_bytes: MIB,
        wrap_bytes: 8 * MIB,
        ..writes(pattern)
    };
    let [page, merged, paced] = FtlMapping::ALL.map(|mapping| {
        let spare = TranslationLayer::of(mapping).spare.si();
        done(&behind(mapping, spare, raw(NAND, small(Pattern::Random))))
    });
    let speed = |result| value(result, Metric::ThroughputMean, None);
    assert!(
        speed(&page) > 1.2 * speed(&merged),
        "{} {}",
        speed(&page),
        speed(&merged)
    );
    let table = |result| value(result, Metric::MappingRam, None);
    assert!(table(&page) > 5.0 * table(&merged));
    for (result, name) in [
        (&page, "page, 12 % spare"),
        (&merged, "log-block, 12 % spare"),
        (&paced, "real-time, 30 % spare"),
    ] {
        assert!(
            result
                .rows
                .iter()
                .all(|row| row.text(Axis::Ftl) == Some(name))
        );
        // A record of half a page takes a page.
        assert!(value(result, Metric::WriteAmplification, None) >= 2.0);
    }
    let ordered = done(&behind(
        FtlMapping::Page,
        0.12,
        raw(NAND, small(Pattern::Sequential)),
    ));
    assert!(value(&ordered, Metric::WriteAmplification, None) >= 1.0);
}

/// A full memory with little to spare has to move more pages than one with much.
#[test]
fn spare_blocks_save_cleaning() {
    let full = |spare| {
        let workload = RawWorkload {
            access_bytes: vec![2 * KIB],
            fill: vec![Fraction::from_si(1.0)],
            warm_up_bytes: 24 * MIB,
            total_bytes: 8 * MIB,
            wrap_bytes: 80 * MIB,
            ..writes(Pattern::Random)
        };
        let result = done(&behind(FtlMapping::Page, spare, raw(NAND, workload)));
        value(&result, Metric::WriteAmplification, None)
    };
    let [little, much] = [0.05, 0.3].map(full);
    assert!(
        little > 1.3 * much && much >= 1.0,
        "{little} against {much}"
    );
}

/// A real-time layer has a bound for each write, and no write of a full memory exceeds it.
#[test]
fn a_real_time_layer_keeps_its_proven_bound() {
    let mut question = BufferWorkload {
        warm_up_bytes: 160 * MIB,
        ..records(4 * KIB, Pattern::Random)
    };
    if let AccessSource::Stream(stream) = &mut question.source {
        stream.wrap_bytes = 88 * MIB;
        stream.total_bytes = 16 * MIB;
    }
    let result = done(&behind(
        FtlMapping::RealTime,
        0.3,
        of(NAND, Workload::Buffer(question)),
    ));
    let latency = |estimate: &str| {
        let rows = result.rows.iter().filter(|row| {
            row.metric == Metric::LatencyMax && row.text(Axis::Estimate).unwrap_or("") == estimate
        });
        rows.filter_map(|row| row.value).fold(0.0, f64::max)
    };
    let (proven, seen) = (latency("bound"), latency(""));
    assert!(seen > 2.5e-3, "no write met an erase: {seen}");
    assert!(
        seen <= proven && proven <= 4.9e-3,
        "{seen} against {proven}"
    );
}

/// So it is on NOR, where a write pays its part of an erase and never waits for all of it.
#[test]
fn a_real_time_layer_on_nor_never_waits_for_a_whole_erase() {
    let mut question = BufferWorkload {
        warm_up_bytes: 12 * MIB,
        ..records(4 * KIB, Pattern::Random)
    };
    if let AccessSource::Stream(stream) = &mut question.source {
        stream.wrap_bytes = 8000 * KIB;
        stream.total_bytes = 2 * MIB;
    }
    let result = done(&behind(
        FtlMapping::RealTime,
        0.5,
        of(NOR, Workload::Buffer(question)),
    ));
    let latency = |estimate: &str| {
        let rows = result.rows.iter().filter(|row| {
            row.metric == Metric::LatencyMax && row.text(Axis::Estimate).unwrap_or("") == estimate
        });
        rows.filter_map(|row| row.value).fold(0.0, f64::max)
    };
    let (proven, seen) = (latency("bound"), latency(""));
    assert!(seen > 20e-3, "no write met a part of an erase: {seen}");
    assert!(seen <= proven && proven <= 40e-3, "{seen} against {proven}");
}

/// Less to spare than a real-time layer works with is refused, and the least share is named.
#[test]
fn a_real_time_layer_names_the_least_to_spare() {
    let refused = refused(&behind(
        FtlMapping::RealTime,
        0.05,
        raw(NAND, writes(Pattern::Random)),
    ));
    assert!(refused.contains("--ftl-spare"), "{refused}");
}

/// Nothing is promised of a layer that may have to clean first, and the run says so instead of a bound.
#[test]
fn a_layer_has_no_proven_bound() {
    let question = BufferWorkload {
        rates_bytes_per_s: vec![100e3],
        ..records(2 * KIB, Pattern::Random)
    };
    let result = done(&behind(
        FtlMapping::Page,
        0.12,
        of(NAND, Workload::Buffer(question)),
    ));
    assert!(estimate(&result, Metric::RamPeak, "bound").is_empty());
    assert!(!estimate(&result, Metric::RamPeak, "open_loop").is_empty());
    assert!(
        result
            .warnings
            .iter()
            .any(|warning| warning.advice.contains("no proven bound"))
    );
}

/// Where every write is safe when it returns, a flush is no access, and costs nothing.
#[test]
fn what_has_nothing_to_flush_takes_no_longer_for_it() {
    for target in [NOR, MRAM, NAND] {
        let latency = |sync| {
            let workload = RawWorkload {
                total_bytes: MIB,
                wrap_bytes: MIB,
                sync,
                ..writes(Pattern::Sequential)
            };
            value(&done(&raw(target, workload)), Metric::LatencyMax, None)
        };
        let flushed = latency(Some(WriteSync::Flush));
        assert_eq!(flushed, latency(None), "{target}");
    }
}
