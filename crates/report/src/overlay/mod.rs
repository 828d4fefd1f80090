//! Several documents as one table and one plot: the curves that they share, measured and simulated ones side by side.
//!
//! A kind of curve (latency under load, bandwidth by mix, latency without load, …) is shown where at least two documents
//! have it. What was measured has a solid line and filled signs, everything else a dashed line and hollow signs; tables
//! say it in the column `basis`. No colour is needed to read either.

mod bars;
mod buffer;
mod curve;
mod kind;
mod loaded;
mod plots;
mod raw;
mod render;
mod words;
mod working_set;

#[cfg(test)]
mod tests;

use wordline_core::ResultSet;

use crate::answer::few;
use crate::format::{Format, Style};
use crate::grid::Grid;
use crate::text;
use curve::OverlayCurve;
use kind::{KINDS, OverlayKind};

/// A document with the name that tables and legends give it.
#[derive(Clone, Debug)]
pub struct NamedDocument {
    /// Names are distinct.
    pub name: String,
    /// The document itself.
    pub document: ResultSet,
}

/// Some documents with the curves that at least two of them share.
#[derive(Debug)]
pub struct Overlay<'a> {
    documents: &'a [NamedDocument],
    /// At least one.
    shared: Vec<SharedCurves>,
}

/// The curves of a kind.
#[derive(Debug)]
struct SharedCurves {
    kind: &'static OverlayKind,
    /// In the order of the documents.
    curves: Vec<OverlayCurve>,
}

/// Why documents cannot be shown together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverlayError {
    /// No kind of curve is in two of them.
    #[error(
        "the documents share no curve: {found}. One table and one plot can show {kinds}; each needs two documents that \
         have it. `wordline report` shows each document by itself, and `wordline diff` compares two results of one command"
    )]
    NothingShared {
        /// What each document has.
        found: String,
        /// What can be shown together.
        kinds: String,
    },
}

impl<'a> Overlay<'a> {
    /// Finds what the documents share.
    ///
    /// # Errors
    /// When no kind of curve is in two documents.
    pub fn of(documents: &'a [NamedDocument]) -> Result<Self, OverlayError> {
        let all: Vec<SharedCurves> = KINDS
            .iter()
            .map(|kind| SharedCurves::of(kind, documents))
            .collect();
        let shared = all.iter().any(|one| one.documents() > 1);
        if !shared {
            return Err(OverlayError::NothingShared {
                found: found(documents, &all),
                kinds: text::list(&KINDS.map(|kind| kind.name)),
            });
        }
        let shared = all.into_iter().filter(|one| one.documents() > 1);
        Ok(Self {
            documents,
            shared: shared.collect(),
        })
    }

    /// Renders it. `command` is what makes it again, for a page.
    #[must_use]
    pub fn render(&self, format: Format, style: &Style, command: &str) -> String {
        match format {
            Format::Table => self.screen(style),
            Format::Json => self.json(),
            Format::Csv => crate::csv::documents(self.documents),
            Format::Markdown => self.markdown(command),
            Format::Html => self.page(command),
        }
    }

    /// The name of a document.
    fn name(&self, document: usize) -> &str {
        self.documents.get(document).map_or("", |one| &one.name)
    }

    /// A table for each kind that is shared.
    fn tables(&self) -> Vec<Grid> {
        let tables = self.shared.iter();
        tables.filter_map(|shared| shared.table(self)).collect()
    }
}

impl SharedCurves {
    fn of(kind: &'static OverlayKind, documents: &[NamedDocument]) -> Self {
        let curves = documents.iter().enumerate().flat_map(|(index, one)| {
            let found = (kind.find)(&one.document).into_iter();
            found.map(move |curve| OverlayCurve {
                document: index,
                ..curve
            })
        });
        Self {
            kind,
            curves: curves.collect(),
        }
    }

    /// How many documents have such curves.
    fn documents(&self) -> usize {
        let mut documents: Vec<usize> = self.curves.iter().map(|one| one.document).collect();
        // They stand in the order of the documents.
        documents.dedup();
        documents.len()
    }

    fn has(&self, document: usize) -> bool {
        self.curves.iter().any(|one| one.document == document)
    }
}

/// What each document has, in words: "a.json has bandwidth by mix, b.json has none of them".
fn found(documents: &[NamedDocument], all: &[SharedCurves]) -> String {
    const SHOWN: usize = 6;
    let of = |(index, one): (usize, &NamedDocument)| {
        let kinds: Vec<&str> = all
            .iter()
            .filter(|kind| kind.has(index))
            .map(|one| one.kind.name)
            .collect();
        let name = text::printable(&one.name);
        match kinds.as_slice() {
            [] => format!(
                "{name} (wordline {}) has no curve",
                one.document.experiment.workload.name()
            ),
            kinds => format!("{name} has {}", few(kinds)),
        }
    };
    let clauses: Vec<String> = documents.iter().enumerate().take(SHOWN).map(of).collect();
    let more = match documents.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(", and {more} more documents"),
    };
    clauses.join(", ") + &more
}
