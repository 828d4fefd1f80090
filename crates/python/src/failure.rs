//! Failures, and the exceptions of the package that they become.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use wordline_catalog::CatalogError;
use wordline_core::results::DocumentError;
use wordline_core::sweep::SweepError;
use wordline_lab::backlog::BacklogError;
use wordline_lab::{LabError, allowed};

use crate::sweep::place_in_text;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// The text is no experiment or no document.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The catalogue, or a name in it.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The experiment cannot be run.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The text is no sweep.
    #[error("{0}")]
    SweepText(String),
    /// The sweep has no points, or contradicts itself.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// The theory of buffers has no answer.
    #[error(transparent)]
    Backlog(#[from] BacklogError),
    /// A file that the experiment reads, or that the caller gave.
    #[error("{message}")]
    Input {
        /// The file, by its name in the experiment.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// A value of the caller's.
    #[error("{message}")]
    Value {
        /// The argument.
        place: String,
        /// What is wrong, with what is allowed.
        message: String,
    },
    /// A mistake of ours.
    #[error("a fault of Wordline itself: {0}")]
    Panic(String),
}

impl CallError {
    /// The class of the exception, in `wordline._errors`.
    fn class(&self) -> &'static str {
        match self {
            Self::Document(_) => "ExperimentError",
            Self::Catalog(_) | Self::Lab(LabError::Catalog(_)) => "CatalogError",
            Self::SweepText(_) | Self::Sweep(_) | Self::Lab(LabError::Sweep(_)) => "SweepError",
            Self::Input { .. } | Self::Lab(LabError::Unreadable { .. }) => "InputError",
            Self::Lab(_) | Self::Backlog(_) | Self::Value { .. } => "SettingError",
            Self::Panic(_) => "InternalError",
        }
    }

    /// Where it is.
    fn place(&self) -> Option<String> {
        match self {
            Self::Document(error) => Some(error.place()),
            Self::Catalog(error) => error.place(),
            Self::Lab(error) => error.place(),
            Self::SweepText(message) => place_in_text(message),
            Self::Sweep(error) => Some(error.place().to_owned()),
            Self::Input { name, .. } => Some(name.clone()),
            Self::Value { place, .. } => Some(place.clone()),
            Self::Backlog(error) => error.place().map(str::to_owned),
            Self::Panic(_) => None,
        }
    }

    /// The exception.
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        let message = self.to_string();
        let made = py.import("wordline._errors").and_then(|errors| {
            let class = errors.getattr(self.class())?;
            class.call1((&message, self.place(), allowed(&message)))
        });
        match made {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }
}

/// Does work without the interpreter's lock. A panic in it becomes an exception, and never ends the interpreter.
pub(crate) fn apart<T, F>(py: Python<'_>, work: F) -> PyResult<T>
where
    F: FnOnce() -> Result<T, CallError> + Send,
    T: Send,
{
    // Nothing outlives a call that was left by a panic, so that nothing can be seen half done.
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    match done {
        Ok(done) => done.map_err(|error| error.raised(py)),
        Err(panic) => Err(CallError::Panic(words(&*panic)).raised(py)),
    }
}

/// What a panic says.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it says nothing".to_owned())
}
