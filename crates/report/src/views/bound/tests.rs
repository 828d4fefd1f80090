//! What people see of `wordline fs bound`.

use wordline_core::Basis;

use crate::{Detail, Format, Style, answer, fixture, render};

/// The first screen.
fn screen(document: &wordline_core::ResultSet) -> String {
    let style = Style {
        detail: Detail::Answer,
        ..Style::default()
    };
    render(document, Format::Table, &style)
}

#[test]
fn the_fixture_is_a_document() {
    assert_eq!(fixture::bound().check(), Ok(()));
}

#[test]
fn the_first_screen_says_formula_floor_and_rate() {
    let text = screen(&fixture::bound());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "takes at most 4.66 ms typ, 11.4 ms max, with 70.0 % of the chip for data; proven.",
        "2 programs and 10 steps: 4.66 ms typ, 10.1 ms max; or 2 programs and an erase: 2.57 ms typ, 11.4 ms max",
        "promise less than 2.57 ms typ",
        "15.0 KiB for the layer",
        "unbounded",
    ] {
        assert!(words.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn every_call_has_its_formula() {
    let text = render(&fixture::bound(), Format::Markdown, &Style::default());
    for part in [
        "12 programs 3.41 ms, 10 reads 1.25 ms",
        "with an erase beside it",
        "step ahead",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn what_lacks_a_maximum_is_not_called_proven() {
    let mut document = fixture::bound();
    for row in &mut document.rows {
        row.basis = Basis::Assumed;
    }
    assert!(
        answer(&document)
            .iter()
            .all(|sentence| !sentence.contains("is proven to end"))
    );
    let text = screen(&document);
    assert!(text.contains("no proof at typ and max"), "{text}");
}
