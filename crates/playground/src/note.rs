//! Why an experiment was not run, for a page: what is wrong, where, and what is allowed.

use serde::Serialize;
use wordline_catalog::CatalogError;
use wordline_core::results::DocumentError;
use wordline_lab::{LabError, allowed};
use wordline_report::{UnknownFormat, printable};

/// Why an experiment was not run or its result not shown.
#[derive(Debug, thiserror::Error)]
pub enum PlaygroundError {
    /// The bytes are no text.
    #[error("the experiment is no text: byte {at} is not UTF-8; allowed: JSON")]
    NotText {
        /// The first byte that is none.
        at: usize,
    },
    /// The text is no experiment.
    #[error("{0}")]
    Document(#[from] DocumentError),
    /// A form cannot be read.
    #[error("the form cannot be read: {0}")]
    Form(serde_json::Error),
    /// A field of a form holds something else than it should.
    #[error("{field}: {message}")]
    Field {
        /// The field.
        field: &'static str,
        /// What is wrong with it, with what is allowed.
        message: String,
    },
    /// The catalogue is broken, or lacks what is named.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The experiment cannot be run as it stands.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// There is no such format.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// A result is asked for before there is one.
    #[error("no experiment has been run yet; allowed: a result after a run")]
    NothingRun,
}

/// An error as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorNote {
    /// The whole sentence.
    pub message: String,
    /// Where: a line and a column, a field, a target or a file.
    pub place: Option<String>,
    /// What would do instead, where the sentence says it.
    pub allowed: Option<String>,
}

impl PlaygroundError {
    /// The error as a page shows it. What came from files and fields is printable in it.
    #[must_use]
    pub fn note(&self) -> ErrorNote {
        let message = self.to_string();
        let allowed = allowed(&message).join(", ");
        ErrorNote {
            place: self.place().map(|place| printable(&place)),
            allowed: Some(printable(&allowed)).filter(|allowed| !allowed.is_empty()),
            message: printable(&message),
        }
    }

    fn place(&self) -> Option<String> {
        Some(match self {
            Self::NotText { at } => format!("byte {at}"),
            Self::Document(error) => error.place(),
            // A field that lacks has no place.
            Self::Form(error) if error.line() == 0 => return None,
            Self::Form(error) => format!("line {}, column {}", error.line(), error.column()),
            Self::Field { field, .. } => (*field).to_owned(),
            Self::Catalog(error) => return error.place(),
            Self::Lab(error) => return error.place(),
            Self::Format(_) | Self::NothingRun => return None,
        })
    }
}
