//! Why the output of a tool cannot be used, and what to know of one that can.

use std::fmt;

use super::MeasuredTool;
use crate::TraceError;
use crate::mess::MessError;

/// Why the output of a tool cannot be used. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum MeasuredError {
    /// A line cannot be read as text.
    #[error(transparent)]
    Text(#[from] TraceError),
    /// A curve of Mess cannot be used.
    #[error(transparent)]
    Curve(#[from] MessError),
    /// There is nothing in it.
    #[error("there is no line in it")]
    Empty,
    /// No tool prints such a text.
    #[error(
        "line {line}: {found} is no output of a tool that is read; these are: {}; --as names the tool",
        allowed()
    )]
    Foreign {
        /// The first line that says something.
        line: u64,
        /// It.
        found: String,
    },
    /// The text is of the tool and states no result.
    #[error("no line is a result of {}; it prints such as: {}", tool.title(), tool.example())]
    NoPoint {
        /// The tool.
        tool: MeasuredTool,
    },
    /// The version prints another layout.
    #[error("line {line}: {} {found} prints a layout that is not known; known: {allowed}", tool.title())]
    Version {
        /// The line that states it.
        line: u64,
        /// The tool.
        tool: MeasuredTool,
        /// The version.
        found: String,
        /// Versions whose layout is known.
        allowed: &'static str,
    },
    /// The last line has no end.
    #[error(
        "line {line}: the last line has no line end, so it may be cut off: end it if it is whole, or remove it"
    )]
    Unended {
        /// The line.
        line: u64,
    },
    /// What was begun does not end.
    #[error(
        "line {line}: {what} begins here and {lacking}: the text is cut off; save the whole output"
    )]
    Cut {
        /// The line where it begins.
        line: u64,
        /// What begins.
        what: &'static str,
        /// What is missing.
        lacking: &'static str,
    },
    /// A line has other columns than its table.
    #[error("line {line}: {what} has {found} columns; expected {expected}")]
    Columns {
        /// The line.
        line: u64,
        /// What the line is.
        what: &'static str,
        /// How many were found.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A table lacks a column.
    #[error("line {line}: there is no column {column} in {found}")]
    NoColumn {
        /// The line of names.
        line: u64,
        /// The column.
        column: &'static str,
        /// The line.
        found: String,
    },
    /// A number cannot be what it should be.
    #[error("line {line}: {what} is {found}; allowed: {allowed}")]
    Number {
        /// The line.
        line: u64,
        /// What it is.
        what: &'static str,
        /// What was found.
        found: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A line is none that the tool prints.
    #[error("line {line}: {found} is no line of {}; expected: {expected}", tool.title())]
    Line {
        /// The line.
        line: u64,
        /// The tool.
        tool: MeasuredTool,
        /// What was found.
        found: String,
        /// What is expected.
        expected: &'static str,
    },
    /// The tool found its own results wrong.
    #[error("line {line}: {} says that its results are wrong: {found}; measure again", tool.title())]
    Failed {
        /// The line.
        line: u64,
        /// The tool.
        tool: MeasuredTool,
        /// What it says.
        found: String,
    },
    /// There are more lines than any output has.
    #[error("line {line}: more than {most} lines, which no output of these tools has")]
    Long {
        /// The line.
        line: u64,
        /// The most.
        most: usize,
    },
}

/// Tools and how they are recognised, for a message.
fn allowed() -> String {
    let all = MeasuredTool::ALL;
    all.map(|tool| format!("{tool} ({})", tool.example()))
        .join(", ")
}

impl MeasuredError {
    /// The line at fault; none where no line is.
    #[must_use]
    pub const fn line(&self) -> Option<u64> {
        match self {
            Self::Text(
                TraceError::Unreadable { line, .. }
                | TraceError::Unknown { line, .. }
                | TraceError::Malformed { line, .. }
                | TraceError::Useless { line, .. },
            )
            | Self::Foreign { line, .. }
            | Self::Version { line, .. }
            | Self::Unended { line }
            | Self::Cut { line, .. }
            | Self::Columns { line, .. }
            | Self::NoColumn { line, .. }
            | Self::Number { line, .. }
            | Self::Line { line, .. }
            | Self::Failed { line, .. }
            | Self::Long { line, .. } => Some(*line),
            Self::Curve(error) => error.line(),
            Self::Text(TraceError::Empty) | Self::Empty | Self::NoPoint { .. } => None,
        }
    }
}

/// What a user should know of results that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeasuredNote {
    /// The text does not state the version.
    NoVersion,
    /// The layout of this version was never seen.
    UnseenVersion {
        /// The line that states it.
        line: u64,
        /// The version.
        version: String,
        /// Versions that were seen.
        seen: &'static str,
    },
    /// Prefetchers were on, so the tool chased at random.
    Prefetchers {
        /// The line.
        line: u64,
    },
    /// The sweep ends before its usual end.
    ShortSweep {
        /// Line of its last point.
        line: u64,
        /// Its pause.
        last: u64,
        /// The usual last pause.
        usual: u64,
    },
    /// A matrix has fewer rows than columns.
    ShortMatrix {
        /// The line of its columns.
        line: u64,
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// The last line, which is no result, has no end.
    Unended {
        /// The line.
        line: u64,
    },
    /// A list has fewer lines than the tool always prints.
    ShortList {
        /// The line where it begins.
        line: u64,
        /// Its lines.
        found: usize,
        /// How many there always are.
        usual: usize,
    },
    /// The text ends behind a command that was to print a result.
    NoResult {
        /// The line of the command.
        line: u64,
    },
    /// Numbers are the best of several samples.
    BestOf {
        /// Of how many, where the text states it.
        samples: Option<u64>,
    },
    /// Points were left out, because nothing here has a name for them.
    LeftOut {
        /// The first such line.
        line: u64,
        /// What they are, in the tool's words.
        what: String,
    },
}

impl fmt::Display for MeasuredNote {
    /// With its place, so that the name of the file can stand in front.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVersion => write!(f, "nothing states the version of the tool"),
            Self::UnseenVersion {
                line,
                version,
                seen,
            } => write!(
                f,
                "line {line}: the layout of version {version} was never seen and is read as that of {seen}"
            ),
            Self::Prefetchers { line } => write!(
                f,
                "line {line}: the prefetchers could not be switched off, so latencies are of random addresses"
            ),
            Self::ShortSweep { line, last, usual } => write!(
                f,
                "line {line}: the sweep ends at a delay of {last}, usually at {usual}: the text may be cut off"
            ),
            Self::ShortMatrix {
                line,
                rows,
                columns,
            } => write!(
                f,
                "line {line}: the matrix has {rows} rows and {columns} columns: nodes without processors, or the text is cut off"
            ),
            Self::Unended { line } => write!(
                f,
                "line {line}: the last line has no line end: the text may be cut off"
            ),
            Self::ShortList { line, found, usual } => write!(
                f,
                "line {line}: the list that begins here has {found} of {usual} lines: the text may be cut off"
            ),
            Self::NoResult { line } => write!(
                f,
                "line {line}: no result follows this command: the text may be cut off"
            ),
            Self::BestOf { samples } => match samples {
                Some(samples) => write!(f, "values are the best of {samples} samples, no medians"),
                None => write!(f, "values are the best of several samples, no medians"),
            },
            Self::LeftOut { line, what } => write!(f, "line {line}: left out: {what}"),
        }
    }
}
