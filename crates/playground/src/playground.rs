//! Experiments in, results out.

use serde::Serialize;
use serde_json::Value;
use wordline_catalog::Catalog;
use wordline_core::{Experiment, ResultSet};
use wordline_lab::Control;
use wordline_report::{Format, Style};

use crate::form::Form;
use crate::note::PlaygroundError;

/// A catalogue, and the result of the last run.
#[derive(Debug)]
pub struct Playground {
    catalog: Catalog,
    document: Option<ResultSet>,
}

/// What a form offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choices {
    /// Version of Wordline.
    pub version: &'static str,
    /// Memory modules.
    pub modules: Vec<String>,
    /// Systems that take them.
    pub systems: Vec<String>,
}

impl Playground {
    /// With the sheets that come along.
    ///
    /// # Errors
    /// When one of them is broken.
    pub fn new() -> Result<Self, PlaygroundError> {
        let catalog = Catalog::load(&[])?;
        Ok(Self {
            catalog,
            document: None,
        })
    }

    /// What a form offers.
    #[must_use]
    pub fn choices(&self) -> Choices {
        let named = |wanted: &str| {
            let of_kind = self.catalog.headers().filter(|(kind, _)| *kind == wanted);
            of_kind.map(|(_, header)| header.id.clone()).collect()
        };
        Choices {
            version: env!("CARGO_PKG_VERSION"),
            modules: named("module"),
            systems: named("system"),
        }
    }

    /// The experiment that a form asks for, as JSON.
    ///
    /// # Errors
    /// When the form or one of its fields cannot be read.
    pub fn experiment_of_form(&self, form: &str) -> Result<String, PlaygroundError> {
        let form: Form = serde_json::from_str(form).map_err(PlaygroundError::Form)?;
        Ok(form.experiment()?.to_json())
    }

    /// Runs an experiment, or the one inside a result document, as `wordline run` does; returns the whole experiment, with
    /// what the text left out.
    ///
    /// # Errors
    /// When the text is no experiment, or it cannot be run as it stands. The result of an earlier run is gone then.
    pub fn run(&mut self, text: &str, control: &Control<'_>) -> Result<String, PlaygroundError> {
        self.document = None;
        // Some editors put a mark at the start of a text file.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut experiment = Experiment::from_json(text)?;
        let written: Value = serde_json::from_str(text).unwrap_or_default();
        let stated = |field: &str| states(&written, field);
        wordline_lab::complete(&mut experiment, &self.catalog, &stated)?;
        let whole = experiment.to_json();
        let document = wordline_lab::run(&self.catalog, &experiment, control)?;
        self.document = Some(document);
        Ok(whole)
    }

    /// The result of the last run.
    ///
    /// # Errors
    /// When there is no such format, or no result.
    pub fn result(&self, format: &str) -> Result<String, PlaygroundError> {
        let format: Format = format.parse()?;
        let document = self.document.as_ref().ok_or(PlaygroundError::NothingRun)?;
        Ok(wordline_report::render(document, format, &Style::default()))
    }
}

/// Whether a document states a field, at any depth of its experiment.
fn states(value: &Value, field: &str) -> bool {
    match value {
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name == field || (name != "rows" && states(value, field))),
        _ => false,
    }
}
