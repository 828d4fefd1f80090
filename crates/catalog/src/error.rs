//! What can be wrong with a catalogue, with the place in the user's file.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Why a catalogue or a target cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// Sheets that contradict themselves, each other, or the format.
    #[error("{}", join(.0))]
    Sheets(Vec<SheetError>),
    /// A file or folder that cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A folder without any sheet.
    #[error("{}: no file here ends in .toml", .0.display())]
    NoSheets(PathBuf),
    /// A list of prices that cannot be understood.
    #[error(transparent)]
    Prices(#[from] PriceError),
    /// A part, a board or a form of target that does not exist.
    #[error("{message}")]
    Target {
        /// What is wrong with which name, and what exists.
        message: String,
    },
}

impl CatalogError {
    /// Where the fault is: a file with its line, a file or folder, or the field of an experiment that names targets.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        Some(match self {
            Self::Sheets(errors) => {
                let first = errors.first()?;
                format!("{}:{}", first.file, first.line())
            }
            Self::Unreadable { path, .. } | Self::NoSheets(path) => path.display().to_string(),
            Self::Prices(error) => format!("{}:{}", error.file, error.line),
            Self::Target { .. } => "targets".to_owned(),
        })
    }
}

/// What is wrong with a line of a list of prices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct PriceError {
    /// File of the list.
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    /// What is wrong, with what is allowed.
    pub message: String,
}

/// One thing that is wrong with one sheet, or with another file of the user's in TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetError {
    /// File that holds the sheet.
    pub file: String,
    /// Its text; empty when it is no text.
    pub text: Arc<str>,
    /// Bytes of `text` that are at fault.
    pub span: Range<usize>,
    /// What is wrong, with the values allowed.
    pub message: String,
}

impl SheetError {
    /// A fault at the value of a dotted path, such as `work.rate`, of a text in TOML; at its start where
    /// there is no such value.
    #[must_use]
    pub fn at(file: &str, text: &str, path: &str, message: String) -> Self {
        let tree = crate::estimate::tree(text);
        Self {
            file: file.to_owned(),
            text: text.into(),
            span: tree.map_or(0..0, |tree| crate::sheet::place(&tree, path)),
            message,
        }
    }

    /// Line of the fault, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        let before = self.text.get(..self.span.start).unwrap_or(&self.text);
        before.matches('\n').count() + 1
    }
}

impl fmt::Display for SheetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line(), self.message)
    }
}

impl std::error::Error for SheetError {}

fn join(errors: &[SheetError]) -> String {
    let lines: Vec<_> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
