//! What the rows say, in plain words.

use wordline_core::{Basis, ResultSet};

use crate::text;
use crate::view::Shown;

/// The most things that get sentences of their own. More would bury the table below them.
pub(crate) const IN_WORDS: usize = 6;

/// What a workload's rows say.
pub(crate) struct Answer {
    pub(crate) sentences: Vec<String>,
    /// Whether each thing that was run has sentences of its own.
    of_each: bool,
}

impl Answer {
    /// Sentences of each thing that was run.
    pub(crate) const fn of_each(sentences: Vec<String>) -> Self {
        Self {
            sentences,
            of_each: true,
        }
    }

    /// Sentences of all things together.
    pub(crate) const fn of_all(sentences: Vec<String>) -> Self {
        Self {
            sentences,
            of_each: false,
        }
    }
}

/// Sentences computed from the rows: what was found for each thing that was run, how they compare,
/// and what the numbers rest on that is no data-sheet figure. What the rows do not hold is left out.
#[must_use]
pub fn answer(document: &ResultSet) -> Vec<String> {
    Shown::of(document).sentences()
}

/// The sentences of an answer, and which figures behind it are no data-sheet figures.
pub(crate) fn sentences(document: &ResultSet, answer: Answer) -> Vec<String> {
    let mut sentences = answer.sentences;
    if answer.of_each {
        sentences.extend(foundations(document));
    } else {
        sentences.extend(foundations_counted(document));
    }
    sentences.iter().map(|one| text::printable(one)).collect()
}

/// How much of the numbers rests on figures that are no data-sheet figures, in one sentence.
fn foundations_counted(document: &ResultSet) -> Option<String> {
    let count = |basis: Basis| {
        let figures = document.figures.iter();
        figures.filter(|figure| figure.basis == basis).count()
    };
    let all = document.figures.len();
    let parts: Vec<_> = UNSTATED
        .into_iter()
        .map(|basis| (basis, count(basis)))
        .filter(|(_, count)| *count > 0)
        .map(|(basis, count)| format!("{count} {basis}"))
        .collect();
    let parts: Vec<_> = parts.iter().map(String::as_str).collect();
    (!parts.is_empty()).then(|| {
        let unstated: usize = UNSTATED.into_iter().map(count).sum();
        format!(
            "No source states {unstated} of {all} figures behind these results: {}. JSON and HTML list them with their \
             reasons.",
            text::list(&parts)
        )
    })
}

/// The bases of figures that no source states of the part itself, strongest first.
const UNSTATED: [Basis; 3] = [Basis::Calibrated, Basis::Estimated, Basis::Assumed];

/// Some names, and how many more there are: the page and the document list them all.
pub(crate) fn few(names: &[&str]) -> String {
    const SHOWN: usize = 4;
    match names.len().checked_sub(SHOWN) {
        Some(more) if more > 1 => format!("{} and {more} more", names[..SHOWN].join(", ")),
        _ => text::list(names),
    }
}

/// Which figures of each sheet are no data-sheet figures: "In the sheet of stm32h755-qspi, driver.dma_setup is
/// calibrated."
fn foundations(document: &ResultSet) -> Vec<String> {
    let mut sentences = Vec::new();
    for sheet in &document.sheets {
        let of_basis = |basis: Basis| {
            let figures = document.figures.iter();
            let names: Vec<_> = figures
                .filter(|figure| figure.sheet == sheet.id && figure.basis == basis)
                .map(|figure| figure.figure.as_str())
                .collect();
            let verb = if names.len() == 1 { "is" } else { "are" };
            (!names.is_empty()).then(|| format!("{} {verb} {basis}", few(&names)))
        };
        let clauses = UNSTATED.into_iter().filter_map(of_basis);
        sentences.extend(clauses.map(|clause| format!("In the sheet of {}, {clause}.", sheet.id)));
    }
    sentences
}
