//! What people see of `wordline compare`.

use crate::{Format, Style, fixture, render};

#[test]
fn the_fixture_is_a_document() {
    assert_eq!(fixture::compare().check(), Ok(()));
}

#[test]
fn a_terminal_of_120_columns_shows_a_line_for_each_verdict() {
    let style = Style {
        color: false,
        width: Some(120),
    };
    insta::assert_snapshot!(render(&fixture::compare(), Format::Table, &style));
}

#[test]
fn markdown_has_both_columns_of_the_data_sheet_side_by_side() {
    let text = render(&fixture::compare(), Format::Markdown, &Style::default());
    insta::assert_snapshot!(text);
}
