//! Errors as people see them: what happened, where in their file, and what is allowed.

use std::path::Path;

use miette::{Diagnostic, LabeledSpan, MietteHandlerOpts, NamedSource, Report, Severity};
use wordline_catalog::{CatalogError, SheetError};
use wordline_core::results::DocumentError;
use wordline_lab::LabError;

/// Why a command could not run. Its debug form is the report for people.
pub(crate) type Failure = Report;

/// Sets how reports look: plain where the terminal is, and never wider than it.
pub(crate) fn set_up_reports() {
    let hook = miette::set_hook(Box::new(|_| {
        Box::new(MietteHandlerOpts::new().context_lines(1).build())
    }));
    // A hook that is set already stays: this runs once.
    drop(hook);
}

/// A failure that a sentence describes.
pub(crate) fn message(text: impl Into<String>) -> Failure {
    Report::msg(text.into())
}

/// A fault in a text of the user, shown with its line.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Fault {
    message: String,
    source_code: Option<NamedSource<String>>,
    span: std::ops::Range<usize>,
}

impl Diagnostic for Fault {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.source_code.as_ref().map(|code| code as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source_code.as_ref()?;
        let here = LabeledSpan::new_with_span(Some("here".to_owned()), self.span.clone());
        Some(Box::new(std::iter::once(here)))
    }
}

/// A fault in a sheet.
pub(crate) fn sheet(error: &SheetError) -> Failure {
    let shown = !error.text.is_empty();
    Fault {
        message: error.to_string(),
        source_code: shown.then(|| NamedSource::new(&error.file, error.text.clone())),
        span: error.span.clone(),
    }
    .into()
}

/// A failure of the catalogue. Of several faulty sheets each is shown; the last one is returned.
pub(crate) fn catalog(error: CatalogError) -> Failure {
    match error {
        CatalogError::Sheets(errors) => {
            let Some((last, others)) = errors.split_last() else {
                return message("the catalogue is faulty");
            };
            for other in others {
                crate::output::note(&format!("{:?}", sheet(other)));
            }
            sheet(last)
        }
        other => message(other.to_string()),
    }
}

/// A failure of the laboratory.
pub(crate) fn lab(error: LabError) -> Failure {
    match error {
        LabError::Catalog(error) => catalog(error),
        other => message(other.to_string()),
    }
}

/// A result document that cannot be used.
pub(crate) fn document(path: &Path, text: &str, error: &DocumentError) -> Failure {
    let file = path.display().to_string();
    let DocumentError::Malformed {
        line,
        column,
        message: fault,
    } = error
    else {
        return message(format!("{file}: {error}"));
    };
    let line_start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let at = (line_start + column.saturating_sub(1)).min(text.len().saturating_sub(1));
    Fault {
        message: format!("{file}:{line}: not a result document: {fault}"),
        source_code: (!text.is_empty() && text.len() < 1 << 20)
            .then(|| NamedSource::new(&file, text.to_owned())),
        span: at..at,
    }
    .into()
}
