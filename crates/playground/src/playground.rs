//! Experiments in, results out.

use serde::Serialize;
use serde_json::Value;
use wordline_catalog::Catalog;
use wordline_core::{Experiment, ResultSet};
use wordline_lab::Control;
use wordline_report::{Format, Style};

use crate::form::AskedForm;
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
        let form: AskedForm = serde_json::from_str(form).map_err(PlaygroundError::Form)?;
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
        let stated = |field: &str| wordline_lab::states(&written, field);
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

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = r#"{"targets": ["em064lx"], "workload": {"kind": "raw", "total_bytes": 4096, "access_bytes": [512]},
        "timing": "typ", "age": 0, "seed": 0}"#;

    #[test]
    fn a_result_is_that_of_the_laboratory_and_repeats_itself() {
        let mut playground = Playground::new().expect("the catalogue is sound");
        assert!(matches!(
            playground.result("json"),
            Err(PlaygroundError::NothingRun)
        ));
        let whole = playground.run(RAW, &Control::default()).expect("it runs");
        let result = playground.result("json").expect("it ran");
        assert!(whole.contains("em064lx@stm32h755-qspi"), "{whole}");
        // Its experiment, and the result itself, are experiments.
        for again in [&whole, &result] {
            playground.run(again, &Control::default()).expect("it runs");
            assert_eq!(playground.result("json").expect("it ran"), result);
        }
        let wrong = playground
            .result("yaml")
            .expect_err("no such format")
            .note();
        assert_eq!(
            wrong.allowed.as_deref(),
            Some("table, json, csv, markdown, html")
        );
    }

    /// What failed leaves no result that could be taken for its own.
    #[test]
    fn a_failure_is_named_and_leaves_no_result() {
        let mut playground = Playground::new().expect("the catalogue is sound");
        playground.run(RAW, &Control::default()).expect("it runs");
        for (text, place, said) in [
            ("", "line 1, column 0", "EOF"),
            (&*RAW.replace("em064lx", "em064ly"), "", "em064lx"),
            (&*RAW.replace("total_bytes", "total"), "line 1", "total"),
            (&*RAW.replace("\"age\": 0", "\"age\": 2"), "age", "0 to 1"),
            (&*RAW.replace("[512]", "[0]"), "size", "allowed"),
        ] {
            let failed = playground.run(text, &Control::default());
            let note = failed.expect_err(text).note();
            let found = note.place.clone().unwrap_or_default();
            assert!(found.starts_with(place), "{note:?}");
            assert!(note.message.contains(said), "{note:?}");
            assert!(playground.result("json").is_err());
        }
    }
}
