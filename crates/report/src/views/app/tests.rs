//! What people see of a program on other memories.

use wordline_core::results::{Warning, WarningCode};
use wordline_core::{Axis, Basis, Metric, ResultSet};

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
        "bound by bandwidth. Cores compute for 45 % of the time, wait 25 % for latency and 30 % for load.",
        "One percent more bandwidth of mrdimm-b would change its speed-up by +0.52 %",
        "the bands overlap",
        "undetermined: no powers of the server are given",
        "1.00 as much work for the money",
    ] {
        assert!(words.contains(part), "{part:?} in {text}");
    }
    assert!(text.lines().count() <= 24, "{text}");
}

/// What is outside of computing and memory has its share and is a bound; nobody is told of it where there is none.
#[test]
fn time_outside_memory_is_shown() {
    let mut document = fixture::program();
    assert!(!answer(&document).join(" ").contains("I/O"));
    for row in &mut document.rows {
        match (row.metric, row.text(Axis::Cause)) {
            (Metric::CoreTimeShare, Some("outside")) => row.value = Some(0.6),
            (Metric::CoreTimeShare, Some("compute")) => row.value = Some(0.3),
            (Metric::CoreTimeShare, _) => row.value = Some(0.05),
            (Metric::ProgramBound, _) => row.value = Some(4.0),
            _ => {}
        }
    }
    let sentences = answer(&document).join(" ");
    for part in [
        "the program is bound by what is outside memory. Cores compute for 30 % of the time",
        "For 60 % of it the program is outside of both: I/O, locks.",
    ] {
        assert!(sentences.contains(part), "{part:?} in {sentences}");
    }
}

/// Powers that runs determine are stated; of runs that determine none the first screen has the reason.
#[test]
fn powers_from_runs_and_why_there_are_none_stand_first() {
    let style = Style {
        detail: Detail::Answer,
        ..Style::default()
    };
    let screen = |document: &ResultSet| {
        let text = render(document, Format::Table, &style);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mut document = fixture::program();
    document.warnings.push(Warning {
        code: WarningCode::Undetermined.name().to_owned(),
        advice: "2 runs do not determine the powers".to_owned(),
    });
    let text = screen(&document);
    let why = "undetermined: 2 runs do not determine the powers";
    assert!(text.contains(why), "{text}");

    let mut document = fixture::program_with_powers();
    assert_eq!(document.check(), Ok(()));
    let found = "200 W of the platform, 2.50 W a core that computes, 1.50 W a core that waits, found from 4 runs";
    assert!(screen(&document).contains(found), "{}", screen(&document));
    for row in &mut document.rows {
        if row.metric == Metric::ServerPower {
            row.basis = Basis::Assumed;
        }
    }
    assert!(screen(&document).contains("a core that waits, as stated"));
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
