//! Errors as people see them: what happened, where in their file, and what is allowed.
//!
//! Names, messages and source lines come from files and flags, so they are made printable: an error
//! must not be able to move the cursor of the terminal that shows it.

use std::ops::Range;
use std::path::Path;

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteHandlerOpts, MietteSpanContents, Report,
    SourceCode, SourceSpan, SpanContents,
};
use wordline_catalog::{CatalogError, SheetError};
use wordline_core::results::DocumentError;
use wordline_lab::LabError;
use wordline_report::printable;

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

/// Flags that contradict each other.
pub(crate) fn flags(error: clap::Error) -> Failure {
    let text = error.to_string();
    message(text.trim_start_matches("error: ").trim_end())
}

/// A failure that a sentence describes.
pub(crate) fn message(text: impl AsRef<str>) -> Failure {
    Report::msg(printable(text.as_ref()))
}

/// A failure that several sentences describe, a line each.
pub(crate) fn lines(lines: &[String]) -> Failure {
    let lines: Vec<_> = lines.iter().map(|line| printable(line)).collect();
    Report::msg(lines.join("\n"))
}

/// Nothing is left to do: what the command was asked for stands on stdout.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("the command has answered already")]
struct Answered;

/// The end of a command that was asked for less than a run.
pub(crate) fn answered() -> Failure {
    Answered.into()
}

/// Whether a command ended because it had answered.
pub(crate) fn is_answer(failure: &Failure) -> bool {
    failure.is::<Answered>()
}

/// A fault in a text of the user, shown with its line.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Fault {
    message: String,
    snippet: Option<Snippet>,
}

impl Fault {
    fn new(message: &str, name: &str, text: &str, span: &Range<usize>) -> Self {
        Self {
            message: printable(message),
            snippet: (!text.is_empty()).then(|| Snippet::new(name, text, span)),
        }
    }
}

impl Diagnostic for Fault {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.snippet.as_ref().map(|snippet| snippet as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.snippet.as_ref()?.span.clone();
        let here = LabeledSpan::new_with_span(Some("here".to_owned()), span);
        Some(Box::new(std::iter::once(here)))
    }
}

/// The line of a fault and its neighbours, cut to what a terminal shows.
#[derive(Debug)]
struct Snippet {
    name: String,
    text: String,
    span: Range<usize>,
    /// Lines of the file before the first one here.
    lines_before: usize,
}

impl Snippet {
    /// Characters of a line that are shown: before the fault, and in all.
    const LEAD: usize = 60;
    const WIDTH: usize = 160;

    fn new(name: &str, text: &str, span: &Range<usize>) -> Self {
        let start = floor(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let number = text[..line_start].matches('\n').count();
        let before = text[..line_start].strip_suffix('\n');
        let before = before.map(|text| &text[text.rfind('\n').map_or(0, |at| at + 1)..]);
        let after = text[line_end..]
            .strip_prefix('\n')
            .and_then(|text| text.lines().next());

        let line = &text[line_start..line_end];
        let lead: String = text[line_start..start]
            .chars()
            .rev()
            .take(Self::LEAD)
            .collect();
        let shown_from = start - lead.len();
        let fault_end = floor(text, span.end.clamp(start, line_end));
        let lead = printable(&text[shown_from..start]);
        let fault = printable(&cut(&text[start..fault_end]));
        let rest = printable(&cut(&text[fault_end..line_end]));

        let mut shown = String::new();
        if let Some(neighbour) = before {
            shown += &printable(&cut(neighbour));
            shown.push('\n');
        }
        let lines_before = number - usize::from(before.is_some());
        let fault_start = shown.len() + lead.len();
        let span = fault_start..fault_start + fault.len().max(usize::from(!line.is_empty()));
        shown += &format!("{lead}{fault}{rest}\n");
        if let Some(neighbour) = after {
            shown += &printable(&cut(neighbour));
        }
        Self {
            name: printable(name),
            span: span.start..span.end.min(shown.len()),
            text: shown,
            lines_before,
        }
    }
}

/// The beginning of a line.
fn cut(line: &str) -> String {
    let mut characters = line.chars();
    let mut shown: String = characters.by_ref().take(Snippet::WIDTH).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// The last boundary of a character that is not beyond `at`.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

impl SourceCode for Snippet {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, lines_before, lines_after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            inner.data(),
            *inner.span(),
            inner.line() + self.lines_before,
            inner.column(),
            inner.line_count(),
        )))
    }
}

/// A fault in a sheet.
pub(crate) fn sheet(error: &SheetError) -> Failure {
    Fault::new(&error.to_string(), &error.file, &error.text, &error.span).into()
}

/// A failure of the catalogue. Of several faulty sheets each is shown; the last one is returned.
pub(crate) fn catalog(error: CatalogError) -> Failure {
    match error {
        CatalogError::Sheets(errors) => {
            let Some((last, others)) = errors.split_last() else {
                return message("the catalogue is faulty");
            };
            sheets(others);
            sheet(last)
        }
        other => message(other.to_string()),
    }
}

/// Faulty sheets that are shown before the rest is only counted.
const SHEETS_MAX: usize = 50;

/// Shows faults of sheets on stderr.
pub(crate) fn sheets(errors: &[SheetError]) {
    for error in errors.iter().take(SHEETS_MAX) {
        crate::output::note(&format!("{:?}", sheet(error)));
    }
    let more = errors.len().saturating_sub(SHEETS_MAX);
    if more > 0 {
        crate::output::note(&format!("{more} more faults are not shown"));
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
pub(crate) fn document(path: &Path, text: &str, what: &str, error: &DocumentError) -> Failure {
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
    let instead = other_document(what, text);
    let instead = instead.map_or_else(String::new, |kind| format!("; it is {kind}"));
    let message = format!("{file}:{line}: not {what}: {fault}{instead}");
    Fault::new(&message, &file, text, &(at..at)).into()
}

/// What a text is that is not `what`: a document of another command, with the command that reads it.
fn other_document(what: &str, text: &str) -> Option<&'static str> {
    /// Two fields of a document, a word for it, and what it is.
    const DOCUMENTS: [([&str; 2], &str, &str); 5] = [
        (
            ["sweep", "points"],
            "sweep",
            "the result of a sweep, which `wordline sweep` takes",
        ),
        (
            ["space", "front"],
            "result of a design space",
            "the result of a design space; `wordline explore` exports it as a page as well",
        ),
        (
            ["experiment", "rows"],
            "result document",
            "a result, which `wordline report` takes",
        ),
        (
            ["targets", "workload"],
            "experiment",
            "an experiment, which `wordline run` takes",
        ),
        (
            ["baseline", "phases"],
            "profile",
            "a profile, which `wordline app project` takes",
        ),
    ];
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let has = |field: &&str| value.get(field).is_some();
    let found = DOCUMENTS.iter().find(|(fields, ..)| fields.iter().all(has));
    found
        .filter(|(_, word, _)| !what.contains(word))
        .map(|(.., kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_other_commands_are_named() {
        let kind = |text: &str| other_document("a result document", text).unwrap_or("none");
        assert!(kind(r#"{"sweep": {}, "points": []}"#).starts_with("the result of a sweep"));
        assert!(kind(r#"{"space": {}, "front": []}"#).starts_with("the result of a design space"));
        assert!(kind(r#"{"targets": [], "workload": {}}"#).starts_with("an experiment"));
        assert!(kind(r#"{"baseline": "", "phases": []}"#).starts_with("a profile"));
        assert_eq!(kind(r#"{"experiment": {}, "rows": []}"#), "none");
        assert_eq!(kind("{"), "none");
        assert_eq!(kind("[1]"), "none");
    }

    fn shown(text: &str, span: Range<usize>) -> (String, String, usize) {
        let snippet = Snippet::new("f", text, &span);
        let marked = snippet.text[snippet.span.clone()].to_owned();
        (snippet.text, marked, snippet.lines_before)
    }

    #[test]
    fn the_line_of_the_fault_is_shown_with_its_neighbours() {
        let text = "one\ntwo\nthree = 3\nfour\nfive";
        let (lines, marked, before) = shown(text, 16..17);
        assert_eq!((lines.as_str(), before), ("two\nthree = 3\nfour", 1));
        assert_eq!(marked, "3");
    }

    #[test]
    fn a_line_of_any_length_is_cut_around_the_fault() {
        let text = format!("{}FAULT{}", "x".repeat(100_000), "y".repeat(100_000));
        let (lines, marked, _) = shown(&text, 100_000..100_005);
        assert_eq!(marked, "FAULT");
        assert!(lines.len() < 300, "{}", lines.len());
        let (_, marked, _) = shown(&text, 0..200_000);
        assert_eq!(marked.chars().count(), Snippet::WIDTH + 1);
    }

    #[test]
    fn no_place_in_any_text_is_too_odd() {
        for text in ["", "\n", "é\u{1b}\n\r\n\0", "a\nb", "\u{202e}ü"] {
            for start in 0..=text.len() + 2 {
                for end in start..=text.len() + 3 {
                    let fault = Fault::new("m", "f", text, &(start..end));
                    let report = format!("{:?}", Report::new(fault));
                    let escape = report.contains('\u{1b}') || report.contains('\u{202e}');
                    assert!(!escape, "{report}");
                }
            }
        }
    }
}
