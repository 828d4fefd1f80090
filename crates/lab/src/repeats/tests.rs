//! Repeats with what a machine might do to them, without a clock: a run says itself what it took and what it lost.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use wordline_core::quantity::Time;
use wordline_core::results::NoValue;
use wordline_core::{Axis, Metric};
use wordline_core::{Basis, LatencyHistogram, RawWorkload, RowOperation, Timing, Workload};

use super::*;
use crate::subject::{Axes, Subject};

/// What one run of a case does: its rate, and the share of its time that it is without a processor.
#[derive(Clone, Copy)]
struct Run {
    rate: f64,
    lost: f64,
}

const QUIET: Run = Run {
    rate: 5.7e6,
    lost: 0.0,
};

/// As a program beside it makes one.
const SPOILT: Run = Run {
    rate: 171e3,
    lost: 0.9,
};

fn experiment() -> Experiment {
    Experiment {
        targets: vec!["ram@host".into()],
        workload: Workload::Raw(RawWorkload::default()),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

fn subject(case: &str) -> Subject {
    Subject {
        target: "ram@host".into(),
        part: String::new(),
        board: String::new(),
        workload: "raw",
        operation: RowOperation::Read,
        axes: Axes::from([(Axis::Table, case.into())]),
        timing: Timing::Typ,
        age: 0.0,
        basis: Basis::Measured,
    }
}

/// The rows of a run as an instrument gives them.
fn fill(case: &str, run: Run, document: &mut ResultSet) {
    let subject = subject(case);
    let mut latency = LatencyHistogram::new();
    latency.record_many(Time::from_ps((1e12 / run.rate) as u64), 10);
    subject.add(Metric::OpsRate, Ok(run.rate), document);
    subject.add(Metric::AccessCount, Ok(10.0), document);
    subject.latencies(&latency, format!("{case}, read"), document);
    subject.add(Metric::ProcessorLost, Ok(run.lost), document);
}

/// Runs cases with the same repeats, each by the script of its runs, whose last goes on. Returns the document, and the
/// cases in the order in which they ran.
fn scripted(cases: &[(&'static str, &[Run])], repeats: u64) -> (ResultSet, Vec<&'static str>) {
    let order = Mutex::new(Vec::new());
    let begin = |case| {
        let mut order = order.lock().expect("no run panics");
        order.push(case);
        order.iter().filter(|other| **other == case).count() - 1
    };
    let listed = cases.iter().map(|&(case, script)| {
        RepeatedCase::new(
            case,
            Some(repeats),
            move |_: &Control<'_>, document: &mut ResultSet| {
                let run = script[begin(case).min(script.len() - 1)];
                fill(case, run, document);
                Ok(())
            },
        )
    });
    let mut document = ResultSet::new(experiment());
    run_into(
        &mut document,
        &listed.collect::<Vec<_>>(),
        &experiment(),
        &Control::default(),
    )
    .expect("it runs");
    assert_eq!(document.check(), Ok(()));
    (document, order.into_inner().expect("no run panics"))
}

fn value(document: &ResultSet, metric: Metric, statistic: Option<&str>) -> f64 {
    let mut rows = document.of(metric);
    let row = rows.find(|row| row.text(Axis::Statistic) == statistic);
    row.and_then(|row| row.value).expect("a value")
}

fn disturbed(document: &ResultSet) -> Vec<&str> {
    let warnings = document.warnings.iter();
    let disturbed = warnings.filter(|warning| warning.code == "disturbed");
    disturbed.map(|warning| warning.advice.as_str()).collect()
}

#[test]
fn cases_take_turns_and_the_first_round_counts_nothing() {
    let slow = Run { rate: 1.0, ..QUIET };
    let fast = Run { rate: 6e6, ..QUIET };
    let (document, order) = scripted(&[("a", &[slow, QUIET, fast, QUIET]), ("b", &[QUIET])], 3);
    assert_eq!(order, ["a", "b", "a", "b", "a", "b", "a", "b"]);
    assert!(document.complete && disturbed(&document).is_empty());
    assert_eq!(value(&document, Metric::OpsRate, None), QUIET.rate);
    assert_eq!(value(&document, Metric::Repeats, None), 3.0);
    assert_eq!(value(&document, Metric::Disturbance, None), 0.0);
    // Three have no interval of 95 %.
    let is_end = |row: &wordline_core::results::Row| row.text(Axis::Statistic) == Some("low");
    assert!(!document.rows.iter().any(is_end));
    let tables: Vec<_> = document
        .of(Metric::Repeats)
        .filter_map(|row| row.text(Axis::Table))
        .collect();
    assert_eq!(tables, ["a", "b"]);
}

/// The case of the issue: 171 k/s beside 5.7 M/s.
#[test]
fn a_repeat_that_lost_the_processor_is_measured_again_and_does_not_count() {
    let script = [QUIET, QUIET, SPOILT, QUIET];
    let (document, order) = scripted(&[("a", &script)], 6);
    assert_eq!(order.len(), 1 + 6 + 1);
    for (statistic, found) in [
        (None, QUIET.rate),
        (Some("low"), QUIET.rate),
        (Some("high"), QUIET.rate),
    ] {
        assert_eq!(value(&document, Metric::OpsRate, statistic), found);
    }
    // Nor does its longest access, nor its part of the distribution.
    assert!(value(&document, Metric::LatencyMax, None) < 1e-6);
    let counts = document.histograms["a, read"]
        .iter()
        .map(|bucket| bucket.count);
    assert_eq!(counts.collect::<Vec<_>>(), [60]);
    assert_eq!(value(&document, Metric::Repeats, None), 6.0);
    assert_eq!(value(&document, Metric::RepeatsReplaced, None), 1.0);
    assert_eq!(value(&document, Metric::ProcessorLost, None), 0.0);
    assert!(disturbed(&document).is_empty());
}

#[test]
fn a_case_that_never_has_the_processor_is_measured_twice_as_often_and_marked() {
    let half = Run {
        rate: 3e6,
        lost: 0.5,
    };
    let (document, order) = scripted(&[("a", &[half]), ("b", &[QUIET])], 6);
    let runs = |case| order.iter().filter(|other| **other == case).count();
    assert_eq!((runs("a"), runs("b")), (1 + 12, 1 + 6));
    // It keeps its value.
    assert_eq!(value(&document, Metric::OpsRate, None), half.rate);
    assert_eq!(value(&document, Metric::Disturbance, None), 1.0);
    assert_eq!(value(&document, Metric::RepeatsReplaced, None), 6.0);
    let warnings = disturbed(&document);
    assert!(
        warnings.len() == 1 && warnings[0].contains("a, read") && warnings[0].contains("50.0 %"),
        "{warnings:?}"
    );
}

#[test]
fn repeats_that_disagree_are_marked_though_nothing_was_lost() {
    let at = |rate| Run { rate, ..QUIET };
    let script = [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(at);
    let (document, order) = scripted(&[("a", &script)], 6);
    assert_eq!(order.len(), 7);
    assert_eq!(value(&document, Metric::OpsRate, None), 3.5);
    assert_eq!(value(&document, Metric::OpsRate, Some("low")), 1.0);
    assert_eq!(value(&document, Metric::OpsRate, Some("high")), 6.0);
    assert_eq!(value(&document, Metric::Disturbance, None), 2.0);
    assert!(disturbed(&document)[0].contains("varies by 143 %"));
    // The slowest access of all repeats stands for them, with the median of their slowest beside it.
    assert_eq!(value(&document, Metric::LatencyMax, None), 1.0);
    let median = value(&document, Metric::LatencyMax, Some("median"));
    assert!((median - (1.0 / 3.0 + 0.25) / 2.0).abs() < 1e-9, "{median}");
    assert_eq!(value(&document, Metric::AccessCount, None), 10.0);
    // Of nine repeats one on each side is left out, and counted.
    let script = [5.0, 5.0, 5.0, 5.1, 5.0, 5.2, 4.9, 5.0, 5.1, 50.0].map(at);
    let (document, _) = scripted(&[("a", &script)], 9);
    assert_eq!(value(&document, Metric::Disturbance, None), 0.0);
    assert_eq!(value(&document, Metric::OpsRate, Some("high")), 5.2);
    assert_eq!(value(&document, Metric::RepeatOutliers, None), 1.0);
}

/// Each kind of operation is judged by its own time, and one that does not say what it lost by the worst of its case.
#[test]
fn operations_of_a_case_are_judged_one_by_one() {
    let work = |_: &Control<'_>, document: &mut ResultSet| {
        fill("a", QUIET, document);
        let spoilt = subject("a").doing(RowOperation::Write);
        spoilt.add(Metric::OpsRate, Ok(SPOILT.rate), document);
        spoilt.add(Metric::ProcessorLost, Ok(SPOILT.lost), document);
        let silent = subject("a").doing(RowOperation::Update);
        silent.add(Metric::OpsRate, Ok(SPOILT.rate), document);
        Ok(())
    };
    let mut document = ResultSet::new(experiment());
    let case = [RepeatedCase::new("a", Some(2), work)];
    run_into(&mut document, &case, &experiment(), &Control::default()).expect("it runs");
    // The line that kept its processor does with the first two of the four repeats.
    let replaced: Vec<_> = document
        .of(Metric::RepeatsReplaced)
        .map(|row| row.value)
        .collect();
    assert_eq!(replaced, [0.0, 2.0, 2.0].map(Some));
    let judged: Vec<_> = document
        .of(Metric::Disturbance)
        .map(|row| (row.operation, row.value))
        .collect();
    let found = [
        (RowOperation::Read, 0.0),
        (RowOperation::Write, 1.0),
        (RowOperation::Update, 1.0),
    ];
    assert_eq!(
        judged,
        found.map(|(operation, value)| (operation, Some(value)))
    );
}

#[test]
fn a_case_that_is_the_same_each_time_runs_once_and_keeps_its_rows() {
    let runs = Mutex::new(0);
    let work = |_: &Control<'_>, document: &mut ResultSet| {
        *runs.lock().expect("no run panics") += 1;
        fill("a", QUIET, document);
        Ok(())
    };
    let mut alone = ResultSet::new(experiment());
    fill("a", QUIET, &mut alone);
    let mut document = ResultSet::new(experiment());
    let cases = [RepeatedCase::new("a", None, work)];
    run_into(&mut document, &cases, &experiment(), &Control::default()).expect("it runs");
    assert_eq!(document, alone);
    assert_eq!(*runs.lock().expect("no run panics"), 1);
}

#[test]
fn a_case_that_fails_in_one_repeat_has_failed_and_the_others_go_on() {
    let runs = Mutex::new(0);
    let breaks = |_: &Control<'_>, document: &mut ResultSet| {
        let mut runs = runs.lock().expect("no run panics");
        *runs += 1;
        match *runs {
            3 => subject("a").add(Metric::OpsRate, Err(NoValue::Failed), document),
            _ => fill("a", QUIET, document),
        }
        Ok(())
    };
    let works = |_: &Control<'_>, document: &mut ResultSet| {
        fill("b", QUIET, document);
        Ok(())
    };
    let cases = [
        RepeatedCase::new("a", Some(5), breaks),
        RepeatedCase::new("b", Some(5), works),
    ];
    let mut document = ResultSet::new(experiment());
    run_into(&mut document, &cases, &experiment(), &Control::default()).expect("it runs");
    assert_eq!(*runs.lock().expect("no run panics"), 3);
    let rates: Vec<_> = document
        .of(Metric::OpsRate)
        .map(|row| row.no_value)
        .collect();
    assert_eq!(rates, [Some(NoValue::Failed), None]);
    assert!(document.complete);
}

#[test]
fn what_is_interrupted_keeps_its_finished_repeats() {
    for (last, repeats) in [(1, None), (2, Some(1.0)), (4, Some(3.0))] {
        let (stop, runs) = (AtomicBool::new(false), Mutex::new(0));
        let work = |control: &Control<'_>, document: &mut ResultSet| {
            let mut runs = runs.lock().expect("no run panics");
            *runs += 1;
            stop.store(*runs > last, Ordering::Relaxed);
            fill("a", QUIET, document);
            document.complete = !control.stopped();
            Ok(())
        };
        let control = Control {
            stop: Some(&stop),
            ..Control::default()
        };
        let mut document = ResultSet::new(experiment());
        let cases = [RepeatedCase::new("a", Some(9), work)];
        run_into(&mut document, &cases, &experiment(), &control).expect("it runs");
        assert!(!document.complete);
        let found = document
            .of(Metric::Repeats)
            .next()
            .and_then(|row| row.value);
        assert_eq!(found, repeats);
    }
}

#[test]
fn progress_counts_every_round_and_never_goes_back() {
    let told = Mutex::new(Vec::new());
    let listen = |progress: Progress<'_>| {
        told.lock()
            .expect("no run panics")
            .push((progress.done_bytes, progress.total_bytes));
    };
    let control = Control {
        progress: Some(&listen),
        ..Control::default()
    };
    let work = |_: &Control<'_>, document: &mut ResultSet| {
        fill("a", SPOILT, document);
        Ok(())
    };
    let mut document = ResultSet::new(experiment());
    run_into(
        &mut document,
        &[RepeatedCase::new("a", Some(2), work)],
        &experiment(),
        &control,
    )
    .expect("it runs");
    let told = told.into_inner().expect("no run panics");
    assert!(told.is_sorted_by_key(|(done, _)| *done), "{told:?}");
    assert_eq!(told.last(), Some(&(5, 5)));
}

/// A thread is never quite without its processor; how little of it a repeat lost must not choose among those that count.
#[test]
fn of_repeats_that_kept_their_processor_the_first_count() {
    let at = |rate, lost| Run { rate, lost };
    let script = [
        at(1.0, 0.0),
        at(4.0, 0.04),
        at(9.0, 0.5),
        at(4.0, 0.03),
        at(4.0, 0.02),
    ];
    let other = [QUIET, SPOILT];
    let (document, _) = scripted(&[("a", &script), ("b", &other)], 2);
    let high = document.of(Metric::OpsRate).map(|row| row.value);
    assert_eq!(high.collect::<Vec<_>>(), [4.0, SPOILT.rate].map(Some));
    assert_eq!(value(&document, Metric::ProcessorLost, None), 0.035);
    assert_eq!(value(&document, Metric::RepeatsReplaced, None), 1.0);
}
