//! What people see of `wordline wear health`.

use crate::html::tests::opened;
use crate::{Format, Style, answer, fixture, render};

#[test]
fn the_fixtures_are_documents() {
    assert_eq!(fixture::health().check(), Ok(()));
    assert_eq!(fixture::health_score().check(), Ok(()));
}

#[test]
fn verdicts_are_counted_and_the_nearest_to_its_end_is_named() {
    let sentences = answer(&fixture::health());
    assert_eq!(
        sentences[0],
        "Of 3 blocks in cycling.csv: 1 failed, 1 to retire (80 % used) and 1 unknown."
    );
    assert_eq!(
        sentences[1],
        "Nearest to its end is block 4: 90.0 % of its life used, 10000 cycles left. With 90 % probability 5000 cycles \
         to 25000 cycles are left."
    );
}

#[test]
fn every_block_has_a_line_the_most_urgent_first() {
    let text = render(&fixture::health(), Format::Table, &Style::default());
    let place = |words: &[&str]| {
        let mut lines = text.lines();
        let found = lines.position(|line| words.iter().all(|word| line.contains(word)));
        found.unwrap_or_else(|| panic!("{words:?} in {text}"))
    };
    let failed = place(&["3", "100000", "erase 4.5 times", "failed"]);
    let retired = place(&["4", "80.0 % to 95.0 %", "5000 to 25000", "retire"]);
    let unknown = place(&["5", "–", "unknown"]);
    assert!(failed < retired && retired < unknown, "{text}");
}

#[test]
fn a_score_says_how_much_better_than_cycles_alone() {
    let sentences = answer(&fixture::health_score());
    assert_eq!(
        sentences[0],
        "On strangers, latency alone: the remaining life is off by 40.0 % (median). That is 2.0 times better than \
         the best from cycles with the fleet's endurance, 1.5 times than with the part's. The 90 % band holds 90.0 % of \
         the true values."
    );
    let html = opened(&render(
        &fixture::health_score(),
        Format::Html,
        &Style::default(),
    ));
    assert!(html.contains("Error of predictions over life"));
}

#[test]
fn documents_without_rows_say_so() {
    for mut document in [fixture::health(), fixture::health_score()] {
        document.rows.clear();
        let text = render(&document, Format::Table, &Style::default());
        assert!(text.contains("health: no rows"), "{text}");
    }
}
