//! What people see of `wordline buffer`.

use super::*;
use crate::{Format, Style, answer, fixture, render};
use wordline_core::{Axis, Basis, Timing};

const NARROW: Style = Style {
    color: false,
    detail: crate::format::Detail::All,
    width: Some(100),
    plots: false,
};

#[test]
fn the_fixtures_are_documents() {
    for document in [
        fixture::buffer(&[]),
        fixture::buffer(&[3e6]),
        fixture::log(&[]),
        fixture::log(&[2e6]),
        fixture::histogram(&[2e6]),
        fixture::trace(),
    ] {
        assert_eq!(document.check(), Ok(()));
    }
}

#[test]
fn a_rate_that_was_asked_for_is_answered_first() {
    let document = fixture::buffer(&[4.1e6]);
    assert_eq!(asked_rates(&document), [4.1e6]);
    insta::assert_snapshot!(render(&document, Format::Table, &NARROW));
}

#[test]
fn without_a_rate_the_answer_is_what_is_sustained() {
    let document = fixture::buffer(&[]);
    assert!(asked_rates(&document).is_empty());
    insta::assert_snapshot!(answer(&document).join("\n"));
}

#[test]
fn a_log_reads_as_markdown() {
    insta::assert_snapshot!(render(
        &fixture::log(&[2e6]),
        Format::Markdown,
        &Style::default()
    ));
}

/// The rows of a document again, each under another name.
fn multiplied(document: &mut ResultSet, count: usize) {
    let rows = document.rows.clone();
    for copy in 1..count {
        document.rows.extend(rows.iter().cloned().map(|mut row| {
            row.target = format!("part{copy}@board");
            if row.metric == Metric::RamProvision {
                row.value = row.value.map(|bytes| bytes + (copy * 4096) as f64);
            }
            row
        }));
    }
}

#[test]
fn many_targets_are_ranked_by_the_ram_that_they_take() {
    let mut document = fixture::buffer(&[2.5e6]);
    multiplied(&mut document, 8);
    let sentences = answer(&document);
    assert_eq!(sentences.len(), 2, "{sentences:?}");
    let first = "At 2.50 MB/s, at typical timing, least RAM first: mt29f1g01@stm32h755-qspi 120 KiB, \
                 part1@board 124 KiB, ";
    assert!(sentences[0].starts_with(first), "{}", sentences[0]);
}

#[test]
fn a_rate_that_typical_timing_cannot_carry_is_said_at_once() {
    let mut document = fixture::buffer(&[5e6]);
    document.rows.retain(|row| row.timing == Timing::Typ);
    let sentence = &answer(&document)[0];
    assert_eq!(
        sentence,
        "mt29f1g01@stm32h755-qspi cannot keep up with 5.00 MB/s at typical timing: no RAM is enough, \
         the buffer grows by 373 KB/s."
    );
}

/// The first sentence about a log at 2 MB/s, after a change of the rows that state its number.
fn of_log_at_2_mb(change: impl Fn(&mut Row)) -> String {
    let mut document = fixture::log(&[2e6]);
    let about = [
        Metric::RamProvision,
        Metric::ProvisionHorizon,
        Metric::ProvisionConfidence,
    ];
    let rows = document.rows.iter_mut();
    rows.filter(|row| about.contains(&row.metric) && row.text(ESTIMATE).is_none())
        .for_each(change);
    answer(&document).swap_remove(0)
}

#[test]
fn a_log_is_answered_with_one_number_and_its_confidence() {
    let parts = "Records of 4 KiB arrive whole: one is gathered, 120 KiB wait, and one is written.";
    assert_eq!(
        of_log_at_2_mb(|_| {}),
        format!(
            "Provision 128 KiB of RAM for log:card.csv at 2.00 MB/s: it holds for 60.0 min of such writes with 95 % \
             confidence. The log alone needed 96 KiB. {parts}"
        )
    );
    // Nothing is extrapolated.
    assert_eq!(
        of_log_at_2_mb(|row| row.basis = Basis::Measured),
        format!(
            "Provision 128 KiB of RAM for log:card.csv at 2.00 MB/s: the log needed it. It supports a further 60.0 min \
             of such writes with 95 % confidence. {parts}"
        )
    );
    // Nothing is known beyond the log.
    let short = of_log_at_2_mb(|row| {
        row.basis = Basis::Measured;
        if row.metric == Metric::ProvisionHorizon {
            (row.value, row.no_value) = (None, Some(NoValue::NotApplicable));
        }
    });
    assert!(
        short.contains("the log needed it, and is too short to support more than itself."),
        "{short}"
    );
}

#[test]
fn a_proven_number_says_so_and_a_histogram_stands_on_its_worst_order() {
    let mut document = fixture::buffer(&[4.1e6]);
    document.rows.retain(|row| row.timing == Timing::Typ);
    let first = &answer(&document)[0];
    assert!(
        first.contains("4.10 MB/s at typical timing: simulated (proven: no run needs more than "),
        "{first}"
    );
    for row in &mut document.rows {
        if row.metric == Metric::RamProvision && row.text(ESTIMATE).is_none() {
            row.basis = Basis::Proven;
        }
    }
    let first = &answer(&document)[0];
    assert!(
        first.contains("at typical timing: proven, no run needs more. Records of 4 KiB arrive"),
        "{first}"
    );
    let histogram = &answer(&fixture::histogram(&[2e6]))[0];
    assert!(
        histogram.starts_with(
            "Provision 96 KiB of RAM for log:card.json at 2.00 MB/s: the worst order of its accesses needs it, the \
             kindest 96 KiB. A histogram supports no more than itself."
        ),
        "{histogram}"
    );
}

/// Asks a document for sizes of RAM.
fn asking_for_ram(document: &mut ResultSet, bytes: &[u64]) {
    let Workload::Buffer(workload) = &mut document.experiment.workload else {
        panic!("a document of buffers");
    };
    workload.ram_bytes = bytes.to_vec();
}

#[test]
fn ram_that_was_asked_for_is_answered_at_every_timing() {
    let mut document = fixture::buffer(&[]);
    asking_for_ram(&mut document, &[65_536]);
    assert_eq!(
        answer(&document)[0],
        "With 64 KiB of RAM mt29f1g01@stm32h755-qspi carries up to 1.37 MB/s at typical timing. At the data sheet's \
         maximum: 942 KB/s."
    );
    let table = render(&document, Format::Table, &NARROW);
    assert!(table.contains("\nasked 64 KiB "), "{table}");
}

#[test]
fn ram_that_holds_no_record_is_said_to_hold_none() {
    let mut document = fixture::buffer(&[]);
    asking_for_ram(&mut document, &[4096]);
    for row in &mut document.rows {
        if row.count(RAM) == Some(4096) {
            row.value = None;
            row.no_value = Some(NoValue::NotApplicable);
        }
    }
    assert_eq!(
        answer(&document)[0],
        "4 KiB of RAM hold no record of mt29f1g01@stm32h755-qspi."
    );
}

#[test]
fn a_trace_at_its_own_times_is_told_and_listed() {
    let document = fixture::trace();
    assert_eq!(
        answer(&document)[0],
        "Replayed at the trace's own times, em064lx@stm32h755-qspi needs 16 KiB of RAM for whole records that wait at \
         typical timing. With the one being written it needs 20 KiB. The slowest access takes 393 us from the request \
         to its end. At the data sheet's maximum it needs 20 KiB. With the one being written it needs 24 KiB. The \
         slowest access takes 410 us from the request to its end."
    );
    let table = render(&document, Format::Table, &NARROW);
    insta::assert_snapshot!(table);
}

#[test]
fn a_histogram_without_a_rate_leaves_a_range_too() {
    let document = fixture::histogram(&[]);
    let sentences = answer(&document);
    assert!(
        sentences[1].starts_with(
            "A histogram does not keep the order of accesses, so the need is a range. Waiting 4-KiB records need \
             0 B to 48 KiB at 1.16 MB/s (25 %)"
        ),
        "{sentences:?}"
    );
}

#[test]
fn histograms_leave_a_range() {
    let mut document = fixture::buffer(&[2.5e6]);
    document.rows.retain(|row| {
        let estimated = row.text(ESTIMATE) == Some("bound") && row.metric != Metric::RamProvision;
        estimated || row.metric == Metric::BufferFillMax
    });
    let mut least = document.rows.clone();
    for (rows, estimate) in [(&mut least, "least"), (&mut document.rows, "most")] {
        for row in rows.iter_mut().filter(|row| row.text(ESTIMATE).is_some()) {
            let estimate = wordline_core::results::AxisValue::Text(estimate.into());
            row.axes.insert(Axis::Estimate, estimate);
        }
    }
    least.retain(|row| row.text(ESTIMATE).is_some());
    document.rows.extend(least);
    let sentence = &answer(&document)[0];
    assert!(
        sentence.starts_with(
            "A histogram does not keep the order of accesses. At 2.50 MB/s the need is"
        ),
        "{sentence}"
    );
    let table = render(&document, Format::Table, &NARROW);
    assert!(
        table.contains("least waiting") || table.contains("least  "),
        "{table}"
    );
}
