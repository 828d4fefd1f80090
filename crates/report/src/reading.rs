//! The reading test: every sentence that cards and views print is short, and says things as an engineer does.
//!
//! The sentences of all fixtures and of a few saved documents stand in one snapshot, to be read over.

use std::collections::BTreeSet;

use wordline_core::ResultSet;

use crate::view::Shown;
use crate::{decision_card, fixture};

/// The most words of a sentence.
const WORDS: usize = 25;

/// Phrases that say in riddles what has a plain word.
const FORBIDDEN: [&str; 18] = [
    "nobody",
    "hangs on",
    "hang on",
    "is told",
    "are told",
    "lets it",
    "is no number",
    "are no ",
    "is no part",
    "nothing that",
    "not a few",
    "of which are",
    "buy less",
    "buys less",
    "so that what",
    "{",
    "Some(",
    "None",
];

/// Documents that the command made, without their histograms and most of their figures.
const SAVED: [(&str, &str); 6] = [
    (
        "saved bandwidth",
        include_str!("fixture/saved/bandwidth.json"),
    ),
    (
        "saved comparison",
        include_str!("fixture/saved/compare.json"),
    ),
    (
        "saved fit of raw flash",
        include_str!("fixture/saved/fit-raw-flash.json"),
    ),
    ("saved health", include_str!("fixture/saved/health.json")),
    ("saved latency", include_str!("fixture/saved/idle.json")),
    (
        "saved power cuts",
        include_str!("fixture/saved/kv-crash.json"),
    ),
];

fn saved() -> impl Iterator<Item = (&'static str, ResultSet)> {
    SAVED.iter().map(|(name, text)| {
        let document: ResultSet = serde_json::from_str(text).expect("a document");
        (*name, document)
    })
}

/// The sentences of a text: they end in a period before a space, or at its end.
fn sentences(text: &str) -> Vec<String> {
    let ends = text.split_inclusive(". ");
    let all = ends.map(|one| one.trim().to_owned());
    all.filter(|one| !one.is_empty()).collect()
}

/// Everything that a document's card and view say.
fn said(document: &ResultSet) -> Vec<String> {
    let shown = Shown::of(document);
    let card = decision_card(document);
    let mut all = vec![card.sentence];
    let points = card.points.into_iter();
    all.extend(points.map(|point| format!("{}: {}", point.subject.label(), point.text)));
    all.extend(shown.sentences());
    all
}

#[test]
fn sentences_are_short_and_plain() {
    let mut odd = Vec::new();
    let mut listed = String::new();
    for (name, document) in fixture::all().chain(saved()) {
        listed += &format!("# {name}\n");
        let mut seen = BTreeSet::new();
        for text in said(&document) {
            if seen.insert(text.clone()) {
                listed += &format!("{text}\n");
            }
            for sentence in sentences(&text) {
                let words = sentence.split_whitespace().count();
                if words > WORDS {
                    odd.push(format!("{name}: {words} words: {sentence}"));
                }
                let found = FORBIDDEN.iter().find(|phrase| sentence.contains(**phrase));
                odd.extend(found.map(|phrase| format!("{name}: {phrase:?}: {sentence}")));
            }
        }
    }
    assert!(odd.is_empty(), "{odd:#?}");
    insta::assert_snapshot!(listed);
}
