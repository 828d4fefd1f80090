//! Tests of memory modules, on one channel and a few cores so that they take moments.

mod explained;
mod judged;
mod lengths;
mod measured;
mod support;
mod surface;
mod trace;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use wordline_core::results::Row;
use wordline_core::{Axis, Band, DramTest, Metric, Mix, ResultSet, Timing};
use wordline_lab::{Control, Progress};

use support::{
    MRDIMM, RDIMM, bandwidth, dram, idle, is_plain, loaded, ran, refusal, sums, wholes, with,
};

#[test]
fn parts_of_idle_latency_add_up_and_the_sum_by_hand_is_the_least_that_there_is() {
    let document = ran(&idle());
    let wholes = wholes(&document, Metric::LatencyMean);
    for (of, sum) in sums(&document, Metric::LatencyMeanPart) {
        assert!((sum - wholes[&of]).abs() < 1e-13, "{of}: {sum}");
    }
    for target in [RDIMM, MRDIMM] {
        let find = |metric, estimate: Option<&str>| {
            let mut rows = document.of(metric).filter(|row| row.target == target);
            let row = rows.find(|row| row.text(Axis::Estimate) == estimate);
            row.and_then(|row| row.value).expect("a number")
        };
        let (formula, half) = (
            find(Metric::LatencyMean, Some("formula")),
            find(Metric::LatencyP50, None),
        );
        // Half of the reads wait for a clock edge alone.
        assert!(
            (formula..formula + 1e-9).contains(&half),
            "{target}: {half} against {formula}"
        );
        let (low, high) = ("confidence_low", "confidence_high");
        let mean = find(Metric::LatencyMean, None);
        assert!(
            find(Metric::LatencyMean, Some(low)) <= mean
                && mean <= find(Metric::LatencyMean, Some(high))
        );
    }
}

#[test]
fn every_mix_names_one_throughput_and_its_account_adds_up() {
    let document = ran(&bandwidth(&Mix::ALL, Band::None));
    for target in [RDIMM, MRDIMM] {
        for mix in Mix::ALL {
            let rows = document.of(Metric::ThroughputMean);
            let of = |row: &&Row| row.target == target && row.text(Axis::Mix) == Some(mix.name());
            let rows: Vec<&Row> = rows.filter(of).collect();
            assert_eq!(rows.len(), 1, "{target}, {mix}");
            assert_eq!(rows[0].operation, mix.operation());
            let rate = rows[0].value.expect("a number");
            let peak = if target == RDIMM { 51.2e9 } else { 70.4e9 };
            // The platform takes 8.3 % of every bus. Reads alone turn no bus around: refresh and a change of ranks are all
            // that they lose beside.
            let most = (1.0 - 0.083) * peak;
            let least = if mix == Mix::Reads { 0.85 } else { 0.6 };
            assert!(
                rate > least * most && rate < 1.01 * most,
                "{target}, {mix}: {rate}"
            );
        }
    }
    let sure: Vec<f64> = document
        .of(Metric::ThroughputConfidence)
        .filter_map(|row| row.value)
        .collect();
    assert_eq!(sure.len(), 10);
    assert!(
        sure.iter().all(|half| *half > 0.0 && *half < 10e9),
        "{sure:?}"
    );
    for metric in [Metric::BusShare, Metric::WaitShare] {
        let sums = sums(&document, metric);
        assert_eq!(sums.len(), 10, "{metric}");
        assert!(
            sums.values().all(|sum| (sum - 1.0).abs() < 1e-9),
            "{sums:?}"
        );
    }
    let powers = wholes(&document, Metric::PowerMean);
    for (of, sum) in sums(&document, Metric::PowerMeanPart) {
        assert!((sum / powers[&of] - 1.0).abs() < 1e-9, "{of}: {sum}");
    }
    let ratios = wholes(&document, Metric::ThroughputRatio);
    let parts = sums(&document, Metric::ThroughputRatioPart);
    assert_eq!((ratios.len(), parts.len()), (5, 5));
    for (of, sum) in parts {
        assert!((sum - (ratios[&of] - 1.0)).abs() < 1e-9, "{of}: {sum}");
    }
}

/// The rows of a metric with an estimate, of the ratio or of a target.
fn estimates<'d>(
    document: &'d ResultSet,
    metric: Metric,
    estimate: Option<&'d str>,
) -> impl Iterator<Item = &'d Row> {
    let rows = document.of(metric);
    rows.filter(move |row| row.text(Axis::Estimate) == estimate)
}

/// A reduced system stands for the whole, and what it is off by is stated and taken out; what the user has set is no
/// choice any more.
#[test]
fn a_band_is_a_distribution_over_joint_draws_on_a_part_of_the_system() {
    let mut experiment = bandwidth(&[Mix::Reads], Band::Reads);
    let dram = dram(&mut experiment);
    dram.measure_ps = 3_000_000;
    for (name, value) in [
        ("refresh", "off"),
        ("channels", "2"),
        ("cores", "24"),
        ("age_cap", "64"),
    ] {
        dram.settings.insert(name.into(), value.into());
    }
    if let DramTest::Bandwidth(test) = &mut dram.test {
        test.draws = 16;
    }
    let document = ran(&experiment);
    let one = |metric, estimate, over: bool| {
        let rows = estimates(&document, metric, estimate);
        let mut rows = rows.filter(|row| row.axes.contains_key(&Axis::Over) == over);
        rows.next().and_then(|row| row.value).expect("a number")
    };
    for (metric, over) in [
        (Metric::ThroughputRatio, true),
        (Metric::ThroughputMean, false),
        (Metric::PowerMean, false),
    ] {
        let ends = ["drawn_p5", "drawn_median", "drawn_p95"];
        let [low, median, high] = ends.map(|end| one(metric, Some(end), over));
        assert!(
            low < median && median < high,
            "{metric}: {low} {median} {high}"
        );
        let plain = one(metric, None, over);
        assert!(low > 0.3 * plain && high < 3.0 * plain, "{metric}: {plain}");
    }
    assert_eq!(one(Metric::DrawCount, None, true), 16.0);
    let off = one(Metric::ReductionError, None, true);
    assert!(off != 0.0 && off.abs() < 0.2, "{off}");
    let said = document.warnings.iter().map(|one| &one.advice);
    let said: Vec<_> = said
        .filter(|words| words.contains("1 of 2 channels"))
        .collect();
    assert_eq!(said.len(), 1, "{said:?}");
    // Every choice has a share, and a mean for each of its settings.
    let shares = estimates(&document, Metric::VarianceShare, None);
    let shares: Vec<_> = shares.filter_map(|row| row.text(Axis::Choice)).collect();
    assert!(shares.len() > 20 && shares.contains(&"seed"), "{shares:?}");
    assert!(!shares.contains(&"age_cap"));
    for choice in shares.iter().filter(|choice| **choice != "seed") {
        let given = estimates(&document, Metric::ThroughputRatio, Some("given"));
        let given = given.filter(|row| row.text(Axis::Choice) == Some(choice));
        assert!(given.count() >= 2, "{choice}");
    }
    let set = document
        .figures
        .iter()
        .filter(|figure| figure.source.contains("set by the user"));
    let set: Vec<&str> = set.map(|figure| figure.value.as_str()).collect();
    assert_eq!(set, ["2", "24", "64", "off"]);
}

/// One channel cannot be reduced: what runs is the whole, and nothing is off.
#[test]
fn a_system_that_has_no_part_is_drawn_as_it_is() {
    let mut experiment = bandwidth(&[Mix::Reads], Band::Reads);
    dram(&mut experiment).measure_ps = 2_000_000;
    let document = ran(&experiment);
    assert_eq!(document.of(Metric::ReductionError).count(), 0);
    assert_eq!(
        estimates(&document, Metric::ThroughputRatio, Some("drawn_median")).count(),
        1
    );
    // The same draws give the same document, on any number of threads.
    let control = Control {
        threads: 3,
        ..Control::default()
    };
    assert_eq!(with(&experiment, &control).expect("it runs"), document);
}

/// Whoever watches reads the gain as chosen, and then its band, in the progress. A run that is stopped has the band of the
/// draws that ended.
#[test]
fn progress_shows_the_gain_with_its_band_and_a_stopped_run_keeps_what_it_has() {
    let mut experiment = bandwidth(&[Mix::Reads], Band::Reads);
    dram(&mut experiment).measure_ps = 2_000_000;
    if let DramTest::Bandwidth(test) = &mut dram(&mut experiment).test {
        test.draws = 24;
    }
    let stop = AtomicBool::new(false);
    let steps = RefCell::new(Vec::<String>::new());
    let listen = |progress: Progress<'_>| {
        if progress.step.contains("12 of 24 draws") {
            stop.store(true, Ordering::Relaxed);
        }
        steps.borrow_mut().push(progress.step.to_owned());
    };
    let control = Control {
        threads: 1,
        stop: Some(&stop),
        progress: Some(&listen),
        ..Control::default()
    };
    let document = with(&experiment, &control).expect("it runs");
    assert!(!document.complete);
    let steps = steps.into_inner();
    let first = steps.iter().position(|step| step.starts_with("reads +"));
    let banded = steps.iter().position(|step| step.contains("8 of 24 draws"));
    assert!(first < banded && first.is_some(), "{steps:?}");
    let count = document.of(Metric::DrawCount).next();
    assert_eq!(count.and_then(|row| row.value), Some(12.0));
    assert_eq!(
        estimates(&document, Metric::ThroughputRatio, Some("drawn_p95")).count(),
        1
    );
}

#[test]
fn too_few_draws_are_refused() {
    let mut experiment = bandwidth(&[Mix::Reads], Band::Reads);
    if let DramTest::Bandwidth(test) = &mut dram(&mut experiment).test {
        test.draws = 7;
    }
    let refused = with(&experiment, &Control::default());
    let refused = refused.expect_err("refused").to_string();
    assert!(
        refused.contains("draws") && refused.contains('8'),
        "{refused}"
    );
}

#[test]
fn a_loaded_memory_has_stages_a_knee_and_histograms() {
    let document = ran(&loaded(&[0, 160, 400, 800, 1600, 4000, 20_000]));
    for row in document.of(Metric::LatencyMean).filter(|row| is_plain(row)) {
        let name = row.distribution.as_ref().expect("a distribution");
        let buckets = &document.histograms[name];
        let samples: u64 = buckets.iter().map(|bucket| bucket.count).sum();
        assert!(samples >= 500, "{name}: {samples}");
        let on_grid = |upper: f64| ((upper / 8e-9).round() * 8e-9 - upper).abs() < 1e-15;
        let closed = &buckets[..buckets.len() - 1];
        assert!(
            closed.iter().all(|bucket| on_grid(bucket.upper_s)),
            "{name}"
        );
    }
    for target in [RDIMM, MRDIMM] {
        let stages = document
            .of(Metric::LoadStage)
            .filter(|row| row.target == target);
        let stages: Vec<f64> = stages.filter_map(|row| row.value).collect();
        assert_eq!(stages.len(), 7);
        assert!(
            stages.windows(2).all(|pair| pair[0] >= pair[1]),
            "longer pauses load less: {stages:?}"
        );
        assert_eq!(stages.last(), Some(&1.0));
        let mut shares = document
            .of(Metric::LatencyShare)
            .filter(|row| row.target == target);
        assert!(shares.all(|row| (0.0..=1.0).contains(&row.value.expect("a number"))));
    }
    let of_all = document
        .of(Metric::LatencyShare)
        .filter(|row| row.axes[&Axis::WithinS].to_string() == "0.00001");
    assert!(of_all.map(|row| row.value).all(|share| share == Some(1.0)));
    let knees = document
        .of(Metric::ThroughputKnee)
        .filter(|row| is_plain(row));
    let knees: Vec<f64> = knees.filter_map(|row| row.value).collect();
    assert_eq!(knees.len(), 2, "both bend");
    // By hand: with a pause in 8 lines, eleven cores ask for 5632 B in 400 cycles of 3.2 GHz, 45 GB/s. A channel saturates
    // between pauses of 160 and 800 cycles.
    assert!(
        knees.iter().all(|knee| (20e9..70e9).contains(knee)),
        "{knees:?}"
    );
}

/// Without pauses the curve places them: more of them where it bends, the same each time, and the knee within its interval.
#[test]
fn a_curve_places_its_points_and_says_between_which_its_knee_lies() {
    let mut experiment = loaded(&[]);
    experiment.targets.truncate(1);
    let document = ran(&experiment);
    let alone = Control {
        threads: 1,
        ..Control::default()
    };
    let again = with(&experiment, &alone).expect("it runs");
    assert_eq!(document.rows, again.rows);
    let of = |metric, delayed: bool| {
        let rows = document.of(metric).filter(move |row| {
            is_plain(row) && row.axes.contains_key(&Axis::DelayCycles) == delayed
        });
        rows.filter_map(|row| row.value).collect::<Vec<f64>>()
    };
    let carried = of(Metric::ThroughputMean, true);
    assert!((7..=14).contains(&carried.len()), "{carried:?}");
    for (metric, places) in [
        (Metric::ThroughputKnee, carried),
        (Metric::LatencyKnee, of(Metric::LatencyMean, true)),
    ] {
        let knee = of(metric, false);
        let end = |end: &str| {
            let mut rows = document
                .of(metric)
                .filter(|row| row.text(Axis::Estimate) == Some(end));
            rows.next().and_then(|row| row.value).expect("a number")
        };
        let (low, high) = (end("confidence_low"), end("confidence_high"));
        assert!(low < knee[0] && knee[0] < high, "{low} {knee:?} {high}");
        assert!(places.contains(&low) && places.contains(&high));
        let inside = places.iter().filter(|place| (low..=high).contains(*place));
        assert!((3..=places.len()).contains(&inside.count()), "{metric}");
    }
}

/// The base of all comparisons is a memory that one core has to itself: what `idle` says.
#[test]
fn curves_are_compared_with_an_idle_memory() {
    let document = ran(&loaded(&[0, 50, 200, 20_000]));
    let of = |document: &ResultSet, target: &str, estimate: Option<&str>| {
        let mut rows = document.of(Metric::LatencyMean).filter(|row| {
            row.target == target
                && row.text(Axis::Estimate) == estimate
                && !row.axes.contains_key(&Axis::DelayCycles)
        });
        rows.next().and_then(|row| row.value).expect("a number")
    };
    let mut alone = idle();
    if let DramTest::Idle(test) = &mut dram(&mut alone).test {
        test.samples = 500;
    }
    let alone = ran(&alone);
    for target in [RDIMM, MRDIMM] {
        assert_eq!(
            of(&document, target, Some("idle")),
            of(&alone, target, None)
        );
    }
    let first = of(&document, RDIMM, Some("idle"));
    let compared = document
        .of(Metric::LatencyMean)
        .filter(|row| row.text(Axis::Estimate) == Some("interpolated") && row.target == RDIMM);
    for row in compared {
        let load: f64 = row.axes[&Axis::Load].to_string().parse().expect("a number");
        let found = row.value.expect("a number");
        assert!(
            (found / (load * first) - 1.0).abs() < 1e-9,
            "{load}: {found}"
        );
    }
}

/// What the probes ask for is a part of the load: 64 B for each sample.
#[test]
fn the_probes_share_of_the_load_is_told() {
    let document = ran(&loaded(&[0, 20_000]));
    let rate = |delay: &str, metric| {
        let mut rows = document
            .of(metric)
            .filter(|row| row.target == RDIMM && row.axes[&Axis::DelayCycles].to_string() == delay);
        rows.next().and_then(|row| row.value).expect("a number")
    };
    // One probe with a line every 100 ns or so: 0.6 GB/s.
    let light = rate("20000", Metric::ThroughputProbes);
    assert!((0.4e9..0.75e9).contains(&light), "{light}");
    assert!(light < rate("20000", Metric::ThroughputMean));
    assert!(rate("0", Metric::ThroughputProbes) < light);
}

/// The share that was read is measured, and the energy of every test has its band.
#[test]
fn shares_of_reads_are_measured_and_energies_have_bands() {
    let document = ran(&bandwidth(&[Mix::Reads, Mix::TwoToOne], Band::None));
    for row in document.of(Metric::ReadShare) {
        let share = row.value.expect("a number");
        match row.text(Axis::Mix) {
            Some("1:0") => assert_eq!(share, 1.0),
            _ => assert!(
                (share - 2.0 / 3.0).abs() < 0.02 && share != 2.0 / 3.0,
                "{share}"
            ),
        }
    }
    for document in [document, ran(&idle())] {
        for metric in [Metric::PowerMean, Metric::EnergyPerByte] {
            let of = |end: Option<&str>| {
                let rows = document
                    .of(metric)
                    .filter(|row| row.text(Axis::Estimate) == end);
                rows.map(|row| row.value.expect("a number"))
                    .collect::<Vec<_>>()
            };
            let (low, plain, high) = (of(Some("band_low")), of(None), of(Some("band_high")));
            assert!(plain.len() >= 2 && low.len() == plain.len() && high.len() == plain.len());
            for ((low, plain), high) in low.iter().zip(&plain).zip(&high) {
                assert!(low <= plain && plain <= high && low < high);
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_threads() {
    for experiment in [
        loaded(&[0, 50, 2000]),
        bandwidth(&[Mix::Reads, Mix::Triad], Band::None),
    ] {
        let on = |threads| {
            let control = Control {
                threads,
                ..Control::default()
            };
            with(&experiment, &control).expect("it runs").to_json()
        };
        let alone = on(1);
        assert_eq!(alone, on(2));
        assert_eq!(alone, on(5));
    }
}

#[test]
fn a_document_repeats_from_its_own_experiment() {
    let document = ran(&idle());
    let again = ResultSet::from_json(&document.to_json()).expect("our own document");
    assert_eq!(ran(&again.experiment), document);
    let mut other = again.experiment;
    other.seed = 2;
    assert_ne!(ran(&other).rows, document.rows);
}

#[test]
fn a_stopped_run_says_so() {
    let stop = AtomicBool::new(true);
    let control = Control {
        stop: Some(&stop),
        ..Control::default()
    };
    for experiment in [idle(), bandwidth(&Mix::ALL, Band::All), loaded(&[0, 100])] {
        let document = with(&experiment, &control).expect("it stops in order");
        assert_eq!((document.complete, document.rows.len()), (false, 0));
    }
}

/// Points that are finished stay; without all of them a curve has neither knee nor stages.
#[test]
fn a_sweep_that_is_stopped_keeps_its_finished_points() {
    let stop = AtomicBool::new(false);
    let listen = |progress: wordline_lab::Progress<'_>| {
        stop.store(progress.done_bytes > 0, Ordering::Relaxed);
    };
    let control = Control {
        stop: Some(&stop),
        progress: Some(&listen),
        threads: 1,
        ..Control::default()
    };
    let delays: Vec<u64> = (0..200).map(|step| 10 * step).collect();
    let document = with(&loaded(&delays), &control).expect("it stops in order");
    assert_eq!((document.check(), document.complete), (Ok(()), false));
    // The first point is the idle one.
    assert!(document.of(Metric::LatencyMean).next().is_some());
    let points = document.of(Metric::LoadStage).count();
    let plain = document.of(Metric::BusUtilization).count();
    assert!(points == 0 && plain < 400, "{plain}");
    for metric in [
        Metric::LoadStage,
        Metric::ThroughputKnee,
        Metric::LatencyRatio,
    ] {
        assert_eq!(document.of(metric).count(), 0, "{metric}");
    }
}

#[test]
fn what_cannot_be_run_is_refused_by_name() {
    let list = |delays: &[u64]| {
        let delays = delays.to_vec();
        refusal(|experiment| match &mut dram(experiment).test {
            DramTest::Loaded(test) => test.delays_cycles = delays,
            _ => unreachable!("it is loaded"),
        })
    };
    assert_eq!(list(&[5, 5]), "delay 5 is named twice");
    assert_eq!(
        list(&[9, 5]),
        "delay 5 comes after 9; allowed: ascending cycles"
    );
    assert!(list(&[u64::MAX]).contains("is too long; allowed: 0 to"));
    let samples = refusal(|experiment| match &mut dram(experiment).test {
        DramTest::Loaded(test) => test.samples = u64::MAX,
        _ => unreachable!("it is loaded"),
    });
    assert_eq!(
        samples,
        "samples 18446744073709551615 is out of range; allowed: 1 to 1000000000"
    );
    for probes in [0, 10_000] {
        let refused = refusal(|experiment| match &mut dram(experiment).test {
            DramTest::Loaded(test) => test.probes = probes,
            _ => unreachable!("it is loaded"),
        });
        assert!(
            refused.contains("is out of range on rdimm-6400-2rx4-64g@xeon6-1s; allowed: 1 to"),
            "{refused}"
        );
    }
    let one = refusal(|experiment| {
        let settings = &mut dram(experiment).settings;
        settings.insert("cores".into(), "1".into());
    });
    assert!(
        one.starts_with("cores 1 cannot load") && one.contains("allowed: 2 or more"),
        "{one}"
    );
    let target = |name: &str| refusal(|experiment| experiment.targets = vec![name.to_owned()]);
    let unknown = target("rdimm-9000@xeon6-1s");
    assert!(
        unknown.contains("unknown module \"rdimm-9000\"") && unknown.contains("part list"),
        "{unknown}"
    );
    assert!(target("rdimm-6400-2rx4-64g@moon").contains("unknown system \"moon\""));
    assert!(target("rdimm-6400-2rx4-64g@xeon7-1s").contains("did you mean xeon6-1s?"));
    let none = refusal(|experiment| experiment.targets.clear());
    assert!(none.contains("MODULE@SYSTEM"), "{none}");
    let twice = refusal(|experiment| experiment.targets = vec![RDIMM.to_owned(); 2]);
    assert!(twice.contains("is named twice"), "{twice}");
    let timing = refusal(|experiment| experiment.timings = vec![Timing::Typ]);
    assert!(timing.contains("allowed: max"), "{timing}");
    assert!(refusal(|experiment| experiment.age = 0.5).contains("allowed: 0"));
    let measure = refusal(|experiment| dram(experiment).measure_ps = 0);
    assert!(
        measure.contains("measure 0 ps is out of range; allowed:"),
        "{measure}"
    );
    let set = |name: &str, value: &str| {
        let settings = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        refusal(|experiment| dram(experiment).settings = settings.into())
    };
    assert!(set("refersh", "off").contains("unknown setting \"refersh\"; did you mean refresh?"));
    assert!(set("refresh", "sometimes").contains("allowed: "));
    let mixes = with(
        &bandwidth(&[Mix::Reads, Mix::Reads], Band::None),
        &Control::default(),
    );
    assert_eq!(
        mixes.expect_err("refused").to_string(),
        "mix 1:0 is named twice"
    );
}
