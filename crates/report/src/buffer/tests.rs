//! What people see of `wordline buffer`.

use super::*;
use crate::{Format, Style, answer, fixture, render};

const NARROW: Style = Style {
    color: false,
    width: Some(100),
};

#[test]
fn the_fixtures_are_documents() {
    for document in [
        fixture::buffer(&[]),
        fixture::buffer(&[3e6]),
        fixture::log(),
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
    insta::assert_snapshot!(render(&fixture::log(), Format::Markdown, &Style::default()));
}
