//! The whole way from a log to a sheet: logs of parts whose figures are known give them back, and logs that lack
//! something are refused with what they lack.

use std::io::{BufRead, Cursor};

use proptest::prelude::*;
use wordline_catalog::{Catalog, Sheet, parse};
use wordline_core::draw::{Purpose, draw, standard_normal};
use wordline_core::{
    Axis, Basis, Durations, Experiment, FitWorkload, LogSource, Metric, Pattern, Timing, Workload,
};

use super::bench::FitBench;
use super::sample::Sample;
use super::template::{Knob, Template, TemplateFields, TemplateKind};
use super::{Fitted, fit_to};
use crate::control::Control;
use crate::error::LabError;

/// Raw NAND in order: every page is a program, every block an erase. Simple enough to know what must come out.
const NAND: Template = Template {
    name: "test",
    model: "nand",
    base: BASE,
    knobs: &[
        knob("nand.page_program"),
        knob("nand.block_erase"),
        knob("nand.page_read"),
    ],
    quick: &["nand.page_program"],
    idle: &[],
    left_out: &[],
    starts: from_ratios,
};

const BASE: &str = "mt29f1g01";

const fn knob(path: &'static str) -> Knob {
    Knob {
        path,
        kind: TemplateKind::Time,
        least: 1e-6,
        most: 0.1,
        max_over_typ: None,
    }
}

fn from_ratios(seen: &TemplateFields<'_>) -> Vec<Vec<f64>> {
    let pace = seen
        .base
        .map_or(1.0, |base| seen.log.ordinary / base.ordinary);
    let program = seen.value("nand.page_program").unwrap_or(1e-4);
    vec![seen.with(&[("nand.page_program", program * pace)])]
}

fn workload() -> FitWorkload {
    FitWorkload {
        source: LogSource {
            file: "card.csv".to_owned(),
            ..LogSource::default()
        },
        template: "test".to_owned(),
        id: "mine".to_owned(),
        pattern: None,
        range_bytes: None,
        fill: None,
        warm_up_bytes: 0,
        usage: None,
        predict: Vec::new(),
        channels: None,
        cores: None,
        per_socket: false,
        simulations: 120,
    }
}

fn fit_text(text: &str, workload: FitWorkload) -> Result<Fitted, LabError> {
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let experiment = Experiment {
        targets: vec![BASE.to_owned()],
        workload: Workload::Fit(workload.clone()),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    };
    let bytes = text.as_bytes().to_vec();
    let open = |_: &str| Ok(Box::new(Cursor::new(bytes.clone())) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    fit_to(&NAND, &catalog, &experiment, &workload, &control)
}

/// The words of a refusal.
fn refused(text: &str, workload: FitWorkload) -> String {
    fit_text(text, workload).expect_err("a refusal").to_string()
}

/// A log of durations in nanoseconds, 2 KiB each, in order.
fn csv(durations: impl IntoIterator<Item = u64>) -> String {
    let mut text = "operation,duration_ns,offset_bytes,size_bytes\n".to_owned();
    for (index, duration) in durations.into_iter().enumerate() {
        text += &format!("write,{duration},{},2048\n", index * 2048);
    }
    text
}

/// What the NAND with other figures takes for writes in order, each blurred by 2 %.
fn known(program_s: f64, erase_s: f64, accesses: usize, seed: u64) -> Vec<u64> {
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let target = catalog.part_on_board(BASE).expect("a NAND");
    let sample = Sample {
        bytes: 2048,
        ..Sample::default()
    };
    let bench = FitBench {
        base: target.part,
        board: target.board,
        sample: &sample,
        pattern: Pattern::Sequential,
        range: 64 << 20,
        filled: 0,
        warm_up: 0,
        seed: 0,
        age: 0.0,
        stop: None,
    };
    let figures = [(NAND.knobs[0], program_s), (NAND.knobs[1], erase_s)];
    let durations = bench.run(&figures, accesses).expect("the NAND takes them");
    let blur = |(index, ps): (usize, u64)| {
        let z = standard_normal(draw(seed, 0, index as u64, Purpose::Resample));
        (ps as f64 * (1.0 + 0.02 * z) / 1e3) as u64
    };
    durations.into_iter().enumerate().map(blur).collect()
}

/// The columns of a figure of a fitted sheet in seconds, and what it rests on.
fn figure(sheet: &str, path: &str) -> (f64, Basis) {
    let Ok(Sheet::Part(part)) = parse("fitted.toml", sheet) else {
        panic!("no sheet: {sheet}");
    };
    let figure = part
        .figures
        .iter()
        .find(|one| one.figure == path)
        .expect("the figure");
    (
        TemplateKind::Time.parse(&figure.value).expect("a time"),
        figure.basis,
    )
}

#[test]
fn a_known_part_gives_its_figures_back_and_predicts_the_other_half() {
    let log = csv(known(410e-6, 3.3e-3, 6000, 1));
    let fitted = fit_text(&log, workload()).expect("a fit");
    let sheet = fitted.sheet.as_deref().expect("a sheet");
    // RAM depends on the longest of 47 blurred erases, which lies 2.3 standard deviations, 5 %, above the true one.
    for (path, true_one) in [("nand.page_program", 410e-6), ("nand.block_erase", 3.3e-3)] {
        let (found, basis) = figure(sheet, path);
        assert_eq!(basis, Basis::Calibrated);
        assert!(
            (found / true_one - 1.0).abs() < 0.06,
            "{path}: {found} against {true_one}"
        );
    }
    // Nothing reads: the log cannot determine how long that takes.
    let (read, basis) = figure(sheet, "nand.page_read");
    assert_eq!((read, basis), (70e-6, Basis::Assumed));
    let of = |half: &str, metric, basis: Basis| {
        let mut rows = fitted.document.of(metric);
        let row = rows.find(|row| row.text(Axis::Half) == Some(half) && row.basis == basis);
        row.and_then(|row| row.value).expect("a value")
    };
    for metric in [
        Metric::LatencyMean,
        Metric::LatencyP50,
        Metric::LatencyP99,
        Metric::RamPeakInFlight,
    ] {
        let fit = of("first", metric, Basis::Calibrated) / of("first", metric, Basis::Measured);
        let held = of("second", metric, Basis::Simulated) / of("second", metric, Basis::Measured);
        assert!(
            (0.9..1.1).contains(&fit) && (0.9..1.1).contains(&held),
            "{metric}: {fit}, {held}"
        );
    }
    fitted.document.check().expect("a sound document");
}

#[test]
fn the_same_log_gives_the_same_bytes() {
    let log = csv(known(300e-6, 2.5e-3, 2500, 3));
    let [one, two] = [(), ()].map(|()| fit_text(&log, workload()).expect("a fit"));
    assert_eq!(one.sheet, two.sheet);
    assert_eq!(one.document.to_json(), two.document.to_json());
}

#[test]
fn logs_that_lack_something_are_refused_with_what_they_lack() {
    let with = |change: fn(&mut FitWorkload)| {
        let mut other = workload();
        change(&mut other);
        other
    };
    let good: Vec<u64> = (0..2500).map(|index| 400_000 + index % 977).collect();
    let text = csv(good.iter().copied());
    let cases: Vec<(&str, String, FitWorkload)> = vec![
        (
            "has 400 writes, and at least 2000",
            csv(good[..400].iter().copied()),
            workload(),
        ),
        (
            "every access took 400 us exactly",
            csv([400_000; 2500]),
            workload(),
        ),
        (
            "durations come in steps of 100 us",
            csv((0..2500).map(|index| 300_000 + 100_000 * (index % 3))),
            workload(),
        ),
        (
            "no time at all",
            csv((0..2500).map(|index| u64::from(index % 3 == 0))),
            workload(),
        ),
        (
            "line 3: this access moved 4 KiB",
            text.replacen("2048,2048\n", "2048,4096\n", 1),
            workload(),
        ),
        (
            "line 3: this is a read",
            text.replacen("write,400001", "read,400001", 1),
            workload(),
        ),
        (
            "line 2: this is a read",
            text.replace("write", "read"),
            workload(),
        ),
        (
            "does not record when accesses ended",
            text.clone(),
            with(|one| one.source.durations = Durations::Paced),
        ),
        (
            "what the host did",
            text.clone(),
            with(|one| one.source.durations = Durations::StartToStart),
        ),
        (
            "is that of a part already",
            String::new(),
            with(|one| BASE.clone_into(&mut one.id)),
        ),
        (
            "simulations are none",
            text.clone(),
            with(|one| one.simulations = 0),
        ),
        (
            "records no addresses",
            text.replace("offset_bytes", "ignored"),
            workload(),
        ),
    ];
    for (words, text, workload) in cases {
        let said = refused(&text, workload);
        assert!(said.contains(words), "{words:?} is missing: {said}");
    }
    assert!(refused("", workload()).starts_with("card.csv, "));
}

#[test]
fn pauses_that_nobody_spoke_of_are_refused_and_those_told_are_kept() {
    let mut text = "operation,start_us,end_us,offset_bytes,size_bytes\n".to_owned();
    for (index, duration) in known(300e-6, 2e-3, 2200, 5).into_iter().enumerate() {
        let start = index as f64 * 5000.0;
        let end = start + duration as f64 / 1e3;
        text += &format!("write,{start:.3},{end:.3},{},2048\n", index * 2048);
    }
    let said = refused(&text, workload());
    assert!(
        said.contains("--durations paced") && said.contains("mean over an interval"),
        "{said}"
    );
    let mut paced = workload();
    paced.source.durations = Durations::Paced;
    let fitted = fit_text(&text, paced).expect("a fit");
    let warned = |code: &str| fitted.document.warnings.iter().any(|one| one.code == code);
    assert!(!warned("closed-loop"), "{:?}", fitted.document.warnings);
    let mut throughput = fitted.document.of(Metric::ThroughputMean);
    assert!(throughput.all(|row| row.value.is_none()));
}

#[test]
fn without_stalls_the_body_is_fitted_and_the_tail_said_to_be_unknown() {
    let flat = (0..2500).map(|index| 500_000 + draw(1, 0, index, Purpose::Mix) % 9_973);
    let fitted = fit_text(&csv(flat), workload()).expect("a fit");
    let advice: Vec<_> = fitted
        .document
        .warnings
        .iter()
        .map(|one| one.advice.as_str())
        .collect();
    let said = |words: &str| advice.iter().any(|one| one.contains(words));
    assert!(said("nothing shows how the card cleans"), "{advice:?}");
}

#[test]
fn one_giant_stall_is_named_and_does_not_rule_the_fit() {
    let mut durations = known(400e-6, 3e-3, 4000, 7);
    durations[100] = 20_000_000_000;
    let fitted = fit_text(&csv(durations), workload()).expect("a fit");
    let (program, _) = figure(
        fitted.sheet.as_deref().expect("a sheet"),
        "nand.page_program",
    );
    assert!((program / 400e-6 - 1.0).abs() < 0.05, "{program}");
}

#[test]
fn a_stopped_fit_leaves_no_sheet() {
    let stop = std::sync::atomic::AtomicBool::new(true);
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let text = csv(known(400e-6, 3e-3, 2100, 9));
    let open =
        move |_: &str| Ok(Box::new(Cursor::new(text.clone().into_bytes())) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        stop: Some(&stop),
        ..Control::default()
    };
    let experiment = Experiment {
        targets: vec![BASE.to_owned()],
        workload: Workload::Fit(workload()),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    };
    let fitted = fit_to(&NAND, &catalog, &experiment, &workload(), &control).expect("no error");
    assert!(fitted.sheet.is_none() && !fitted.document.complete);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Whatever durations a log holds, there is a sound fit or a refusal.
    #[test]
    fn no_log_is_an_accident(seed in any::<u64>(), range in 1u32..60, accesses in 1990usize..2100) {
        let durations = (0..accesses as u64).map(|index| {
            let bits = draw(seed, 1, index, Purpose::Mix);
            1 + (bits >> (64 - range)) % (1 << (1 + bits % u64::from(range)))
        });
        let mut few = workload();
        few.simulations = 6;
        match fit_text(&csv(durations), few) {
            Ok(fitted) => {
                fitted.document.check().expect("a sound document");
                prop_assert!(fitted.sheet.is_some());
            }
            Err(error) => prop_assert!(error.to_string().contains("card.csv")),
        }
    }
}
