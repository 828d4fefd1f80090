//! What a document can be rendered as.

use std::fmt;
use std::str::FromStr;

/// What a document can be rendered as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Aligned text for a terminal.
    Table,
    /// The result document itself.
    Json,
    /// Long-form rows for spreadsheets and data frames.
    Csv,
    /// Text for issues, notes and documentation.
    Markdown,
    /// One self-contained page with plots.
    Html,
}

/// How the terminal table looks. The default suits a pipe: no colour, no wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI escapes may set headings apart. The text reads without them.
    pub color: bool,
    /// Columns of the terminal; text wraps there. `None` leaves lines as long as they are.
    pub width: Option<u16>,
    /// How much of a document is shown.
    pub detail: Detail,
    /// Whether the first screen may hold curves in Braille characters: the terminal shows Unicode.
    pub plots: bool,
}

/// How much of a document a terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The answer, in 24 lines of 100 columns.
    Answer,
    /// The answer with its reasons and every warning.
    Explain,
    /// Every table, sentence and warning.
    #[default]
    All,
}

/// A name that is no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {0:?}; allowed: table, json, csv, markdown, html")]
pub struct UnknownFormat(pub String);

impl Format {
    /// Every format, as the command line lists them.
    pub const ALL: [Self; 5] = [
        Self::Table,
        Self::Json,
        Self::Csv,
        Self::Markdown,
        Self::Html,
    ];

    /// As the command line spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }

    /// The format that a file name's extension asks for, without its dot, in any case: `json`,
    /// `csv`, `md`, `markdown`, `html`, `htm`, `txt`.
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Self> {
        Some(match extension.to_ascii_lowercase().as_str() {
            "json" => Self::Json,
            "csv" => Self::Csv,
            "md" | "markdown" => Self::Markdown,
            "html" | "htm" => Self::Html,
            "txt" => Self::Table,
            _ => return None,
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        let error = "yaml".parse::<Format>().expect_err("no such format");
        assert_eq!(
            error.to_string(),
            "unknown format \"yaml\"; allowed: table, json, csv, markdown, html"
        );
    }

    #[test]
    fn extensions_choose_formats() {
        assert_eq!(Format::from_extension("MD"), Some(Format::Markdown));
        assert_eq!(Format::from_extension("htm"), Some(Format::Html));
        assert_eq!(Format::from_extension("txt"), Some(Format::Table));
        assert_eq!(Format::from_extension("pdf"), None);
        assert_eq!(Format::from_extension(""), None);
    }
}
