//! Documents that were saved before.

use std::path::Path;

use serde::de::DeserializeOwned;
use wordline_core::explore::DesignSpace;
use wordline_core::quantity::ByteCount;
use wordline_core::sweep::{Sweep, SweepResult};
use wordline_core::{Experiment, ResultSet};

use wordline_catalog::SheetError;
use wordline_core::results::DocumentError;

use crate::failure::{self, Failure};

/// No document of ours comes near this size.
const DOCUMENT_BYTES_MAX: u64 = 256 << 20;

/// The documents of as many points as a sweep may have.
const SWEEP_BYTES_MAX: u64 = 8 << 30;

/// Reads a document; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<ResultSet, Failure> {
    let text = text(path)?;
    ResultSet::from_json(&text)
        .map_err(|error| failure::document(path, &text, "a result document", &error))
}

/// Reads an experiment, or the one inside a document, and the text that it was read from.
pub(crate) fn read_experiment(path: &Path) -> Result<(Experiment, String), Failure> {
    let text = text(path)?;
    match Experiment::from_json(&text) {
        Ok(experiment) => Ok((experiment, text)),
        Err(error) => {
            let what = "an experiment or a result document";
            Err(failure::document(path, &text, what, &error))
        }
    }
}

/// Reads a sweep: TOML, or JSON where the text begins as such, which may be a saved result.
pub(crate) fn read_sweep(path: &Path) -> Result<Sweep, Failure> {
    let text = text(path)?;
    match SweepResult::from_json(&text) {
        Ok(result) => Ok(result.sweep),
        Err(_) => of_text(path, &text, "a sweep or its result"),
    }
}

/// Reads a design space: TOML, or JSON where the text begins as such.
pub(crate) fn read_space(path: &Path) -> Result<DesignSpace, Failure> {
    of_text(path, &text(path)?, "a design space")
}

/// What a text in TOML or JSON says.
fn of_text<T: DeserializeOwned>(path: &Path, text: &str, what: &str) -> Result<T, Failure> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let error = DocumentError::Malformed {
                line,
                column,
                message: error.to_string(),
            };
            failure::document(path, text, what, &error)
        });
    }
    toml::from_str(text).map_err(|error| {
        failure::sheet(&SheetError {
            file: path.display().to_string(),
            text: text.into(),
            span: error.span().unwrap_or(0..0),
            message: error.message().to_owned(),
        })
    })
}

/// Reads the result of a sweep.
pub(crate) fn read_sweep_result(path: &Path) -> Result<SweepResult, Failure> {
    let text = text_up_to(path, SWEEP_BYTES_MAX)?;
    SweepResult::from_json(&text)
        .map_err(|error| failure::document(path, &text, "a result of a sweep", &error))
}

fn text(path: &Path) -> Result<String, Failure> {
    text_up_to(path, DOCUMENT_BYTES_MAX)
}

fn text_up_to(path: &Path, most: u64) -> Result<String, Failure> {
    let bytes = crate::input::read(path, most)?;
    if bytes.len() as u64 > most {
        let text = format!(
            "{} is larger than {}: it is not a result document",
            path.display(),
            ByteCount::from_bytes(most)
        );
        return Err(failure::message(text));
    }
    let text = String::from_utf8(bytes).map_err(|fault| {
        let at = fault.utf8_error().valid_up_to();
        failure::message(format!(
            "{} is not a text file: byte {at} is not UTF-8; expected the JSON that --export \
             FILE.json writes",
            path.display()
        ))
    })?;
    // Some editors put a mark at the start of a text file.
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}
