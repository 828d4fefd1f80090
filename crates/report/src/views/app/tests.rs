//! What people see of a program on other memories.

use crate::html::tests::opened;
use crate::{Detail, Format, Style, answer, fixture, render};

#[test]
fn the_fixture_is_a_document() {
    assert_eq!(fixture::program().check(), Ok(()));
}

#[test]
fn the_answer_comes_first_with_its_band() {
    let document = fixture::program();
    let sentences = answer(&document);
    assert_eq!(
        sentences[0],
        "mrdimm-b: solver is 1.21 times as fast as on rdimm-a (5-95 %: 1.15 to 1.28)."
    );
    let style = Style {
        detail: Detail::Answer,
        ..Style::default()
    };
    let text = render(&document, Format::Table, &style);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "mrdimm-b: solver is 1.21 times as fast as on rdimm-a (5-95 %: 1.15 to 1.28).",
        "bound by compute. Cores compute for 45 % of the time, wait 25 % for latency and 30 % for load.",
        "One percent more bandwidth of mrdimm-b would change that by +0.52 %",
        "the bands overlap",
        "undetermined without powers of the server",
        "1.00 as much work for the money",
    ] {
        assert!(words.contains(part), "{part:?} in {text}");
    }
    assert!(text.lines().count() <= 24, "{text}");
}

#[test]
fn every_format_has_candidates_shares_and_rules() {
    for format in [Format::Markdown, Format::Html, Format::Csv] {
        let text = render(&fixture::program(), format, &Style::default());
        for part in ["mrdimm-c", "1.21"] {
            assert!(text.contains(part), "{format:?}: {part:?} in {text}");
        }
    }
    let text = render(&fixture::program(), Format::Markdown, &Style::default());
    for part in [
        "memory load",
        "roofline",
        "1.12 to 1.25",
        "+0.52 %",
        "at the mean load",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

/// The page has the range of every speed-up, and the curves of both memories with the point of the phase.
#[test]
fn the_page_has_plots_of_speed_ups_and_working_points() {
    let page = opened(&render(
        &fixture::program_on_curves(),
        Format::Html,
        &Style::default(),
    ));
    for part in [
        "plot-speed-up",
        "1.21 (1.15 to 1.28)",
        "windows simulated whole",
        "1.19 times as fast",
        "plot-working-point-1",
        "all on mrdimm-b",
    ] {
        assert!(page.contains(part), "{part:?} is missing");
    }
    // Points of a curve are no lines of a table.
    let text = render(
        &fixture::program_on_curves(),
        Format::Markdown,
        &Style::default(),
    );
    assert!(!text.contains("| all | rdimm-a | – |"), "{text}");
    let without = opened(&render(
        &fixture::program(),
        Format::Html,
        &Style::default(),
    ));
    assert!(!without.contains("plot-working-point"));
}

#[test]
fn windows_that_were_simulated_stand_beside_the_surfaces() {
    let document = fixture::program_on_curves();
    assert_eq!(document.check(), Ok(()));
    let text = render(&document, Format::Markdown, &Style::default());
    for part in [
        "Windows simulated whole",
        "+1.0 %",
        "With windows of it simulated whole, the program is 1.19 times as fast on mrdimm-b.",
        "0.80 to 1.05",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}
