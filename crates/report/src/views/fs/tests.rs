//! What people see of `wordline fs bench`.

use crate::html::tests::opened;
use crate::{Format, Style, answer, fixture, render};

#[test]
fn the_fixture_is_a_document() {
    assert_eq!(fixture::file_systems().check(), Ok(()));
}

#[test]
fn the_slowest_call_is_told_with_its_operations() {
    let sentences = answer(&fixture::file_systems());
    assert_eq!(
        sentences[0],
        "On mt29f1g01@stm32h755-qspi the slowest call of littlefs is append-sync at 50.0 % fill: 1.20 s. It consists \
         of 7 erases 840 ms, 1 read 360 ms. Half of such calls take up to 2.00 ms."
    );
    let board = "mt29f1g01@stm32h755-qspi";
    let cuts = |system: &str, lost| {
        format!("{system} on {board}: {lost} of 150 simulated power cuts lose data.")
    };
    assert_eq!(sentences[1], cuts("littlefs", 0));
    assert!(
        sentences.contains(&cuts("FAT (rust-fatfs)", 3)),
        "{sentences:?}"
    );
}

#[test]
fn every_run_has_a_line_and_parts_have_none() {
    let text = render(&fixture::file_systems(), Format::Table, &Style::default());
    let lines = |words: &[&str]| {
        let all = text.lines();
        all.filter(|line| words.iter().all(|word| line.contains(word)))
            .count()
    };
    // The sentence, the figures, and what the slowest call consisted of.
    assert_eq!(lines(&["append-sync", "littlefs"]), 3, "{text}");
    assert_eq!(
        lines(&["append-sync", "FAT (rust-fatfs)", "1 KiB"]),
        1,
        "{text}"
    );
    assert_eq!(lines(&["RAM at 10.0 KB/s"]), 1, "{text}");
    assert_eq!(lines(&["150 images, none fails"]), 1, "{text}");
    assert_eq!(lines(&["3 of 150 images fail"]), 1, "{text}");
    assert_eq!(lines(&["7 erases 840 ms, 1 read 360 ms"]), 2, "{text}");
}

#[test]
fn the_page_draws_the_slowest_calls() {
    let html = opened(&render(
        &fixture::file_systems(),
        Format::Html,
        &Style::default(),
    ));
    assert!(html.contains("What the slowest calls consisted of"));
}

#[test]
fn a_document_without_rows_says_so() {
    let mut document = fixture::file_systems();
    document.rows.clear();
    let text = render(&document, Format::Table, &Style::default());
    assert!(text.contains("fs: no rows"), "{text}");
}
