//! What people see of `wordline wear`.

use crate::html::tests::opened;
use crate::{Format, Style, answer, fixture, render};

#[test]
fn the_fixture_is_a_document() {
    assert_eq!(fixture::wear().check(), Ok(()));
}

#[test]
fn endurance_and_latency_are_told() {
    let sentences = answer(&fixture::wear());
    assert_eq!(
        sentences[0],
        "mt29f1g01@stm32h755-qspi, first-page: rated for 100,000 cycles. In simulation the median of 3 blocks fails \
         after 5.00 million cycles, the first after 1.00 million, the last after 9.00 million."
    );
    assert_eq!(
        sentences[1],
        "Programs take 300 us when they are slowest and 100 us at last. Erases take 1.00 ms at first and up to 6.00 ms, \
         4.0 times the mean of the first 10,000."
    );
    assert!(
        sentences
            .iter()
            .any(|one| one.contains("how long data keep"))
    );
}

#[test]
fn every_run_has_its_lines_and_the_blocks_have_none() {
    let text = render(&fixture::wear(), Format::Table, &Style::default());
    let lines = |words: &[&str]| {
        let all = text.lines();
        all.filter(|line| words.iter().all(|word| line.contains(word)))
            .count()
    };
    assert_eq!(
        lines(&["first-page", "1000000 cycles", "9000000 cycles"]),
        1,
        "{text}"
    );
    assert_eq!(lines(&["whole-block", "beyond range"]), 1, "{text}");
    assert_eq!(
        lines(&["first-page", "erase", "6.00 ms", "4.0 times"]),
        1,
        "{text}"
    );
    assert_eq!(lines(&["first-page", " 1000 "]), 1, "{text}");
    assert_eq!(lines(&["first-page", " 2000 "]), 0, "{text}");
}

#[test]
fn the_page_draws_latency_over_life() {
    let html = opened(&render(&fixture::wear(), Format::Html, &Style::default()));
    assert!(html.contains("Latency over life"));
}

#[test]
fn a_document_without_rows_says_so() {
    let mut document = fixture::wear();
    document.rows.clear();
    let text = render(&document, Format::Table, &Style::default());
    assert!(text.contains("wear: no rows"), "{text}");
}
