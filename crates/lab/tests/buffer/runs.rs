//! Determinism, interruption, and settings that cannot be.

use std::io::{self, BufRead, Cursor};
use std::sync::atomic::{AtomicU32, Ordering};

use wordline_core::{AccessSource, BufferWorkload, Experiment, LogSource, Operation, Timing};
use wordline_lab::{Control, LabError, run};

use crate::buffer::support::*;
use crate::buffer::traces::{TRACE_2, of_trace};

#[test]
fn the_same_question_gives_the_same_bytes() {
    let mut question = BufferWorkload::of(AccessSource::Stream(stream(512, 1 << 16, 1 << 18)));
    question.rates_bytes_per_s = vec![1e5, 1e6];
    let timings = [Timing::Typ, Timing::Max, Timing::Sampled];
    let targets = experiment(&[NAND, MRAM], &timings, question);
    let run = || {
        run(&catalog(), &targets, &Control::default())
            .expect("it runs")
            .to_json()
    };
    assert_eq!(run(), run());
    let rate = |_: &mut LogSource, question: &mut BufferWorkload| {
        question.rates_bytes_per_s = vec![1e6];
    };
    assert_eq!(
        log(RANDWRITE, rate).to_json(),
        log(RANDWRITE, rate).to_json()
    );
}

#[test]
fn a_stop_leaves_finished_rows_alone() {
    let question = BufferWorkload::of(AccessSource::Stream(stream(512, 1 << 16, 1 << 16)));
    let whole = simulated(&experiment(&[MRAM, NAND], &[Timing::Typ], question));
    let whole = Experiment { ..whole.experiment };
    let calls = AtomicU32::new(0);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let progress = |progress: wordline_lab::Progress<'_>| {
        calls.fetch_add(1, Ordering::Relaxed);
        if progress.step == NAND {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let control = Control {
        stop: Some(&stop),
        progress: Some(&progress),
        threads: 1,
        ..Control::default()
    };
    let document = sound(run(&catalog(), &whole, &control).expect("it stops in order"));
    assert!(!document.complete && calls.into_inner() > 0);
    assert!(!document.rows.is_empty());
    assert!(document.rows.iter().all(|row| row.target == MRAM));
    for (experiment, text) in [
        (of_log(|_, _| {}), RANDWRITE),
        (of_trace(MRAM, Operation::Write), TRACE_2),
    ] {
        let open = |_: &str| -> io::Result<Box<dyn BufRead>> {
            Ok(Box::new(Cursor::new(text.as_bytes().to_vec())))
        };
        let control = Control {
            stop: Some(&stop),
            open: Some(&open),
            ..Control::default()
        };
        let document = sound(run(&catalog(), &experiment, &control).expect("it stops in order"));
        assert!(!document.complete && document.rows.is_empty());
    }
}

#[test]
fn a_target_that_is_named_twice_or_goes_with_a_log_is_refused() {
    let question = BufferWorkload::of(AccessSource::Stream(stream(512, 1 << 16, 1 << 16)));
    let twice = experiment(&[MRAM, "em064lx"], &[Timing::Typ], question);
    let error = run(&catalog(), &twice, &Control::default()).expect_err("refused");
    assert!(matches!(error, LabError::Twice(_)), "{error}");
    let with_log = Experiment {
        targets: vec![MRAM.to_owned()],
        ..of_log(|_, _| {})
    };
    let error = with_file(&with_log, RANDWRITE.as_bytes()).expect_err("refused");
    assert!(
        error.to_string().contains("does not go with a log"),
        "{error}"
    );
}

#[test]
fn sizes_of_a_stream_that_do_not_fit_are_refused() {
    for (source, words) in [
        (stream(0, 1 << 16, 1 << 16), "record 0 B"),
        (
            stream(1_000_000_000_000_000_000, u64::MAX, u64::MAX),
            "wrap 18446744073709551615 B",
        ),
        (
            stream(1_000_000_000_000_000_000, 1 << 20, 1 << 39),
            "record 1000 PB does not fit",
        ),
        (stream(4096, 0, 1 << 20), "wrap 0 B"),
        (stream(4096, 1 << 20, 100), "record 4 KiB does not fit"),
    ] {
        let question = BufferWorkload::of(AccessSource::Stream(source));
        let experiment = experiment(&[MRAM], &[Timing::Typ], question);
        let refusal = run(&catalog(), &experiment, &Control::default());
        let message = refusal.expect_err("refused").to_string();
        let number = words.split(' ').next().unwrap_or(words);
        assert!(
            message.contains(number) && message.contains("allowed"),
            "{words}: {message}"
        );
    }
}
