//! Markdown, as GitHub and mdBook read it.

use std::fmt::Write as _;

use wordline_core::ResultSet;

use crate::grid::{Align, Grid};
use crate::view::Shown;
use crate::{notes, text};

pub(crate) fn results(document: &ResultSet) -> String {
    let mut blocks = Vec::new();
    if let Some(banner) = notes::incomplete(document) {
        blocks.push(format!("> **{banner}**\n"));
    }
    let shown = Shown::of(document);
    blocks.extend(shown.lead(None).iter().map(grid));
    let sentences: String = shown
        .sentences()
        .iter()
        .map(|sentence| format!("- {}\n", escape(sentence)))
        .collect();
    if !sentences.is_empty() {
        blocks.push(sentences);
    }
    let warned = notes::warnings(document);
    blocks.extend(warned.iter().map(|one| {
        let (code, advice) = (escape(&one.heading()), escape(&one.first()));
        format!("> **Warning** ({code}): {advice}\n")
    }));
    blocks.extend(notes::grouped(&warned).map(|line| format!("{line}\n")));
    blocks.extend(shown.tables(None).iter().map(grid));
    blocks.push(again(document));
    blocks.join("\n")
}

/// How the document is made again.
fn again(document: &ResultSet) -> String {
    let version = escape(&document.wordline);
    let command = fenced(&document.command_line());
    format!("Make it again with wordline {version}:\n\n{command}")
}

/// A command, fenced by more backticks than it holds in a row.
pub(crate) fn fenced(command: &str) -> String {
    let command = text::printable(command);
    let runs = command.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}sh\n{command}\n{fence}\n")
}

pub(crate) fn grid(grid: &Grid) -> String {
    let mut out = String::new();
    if !grid.title().is_empty() {
        let _ = writeln!(out, "## {}\n", escape(grid.title()));
    }
    let columns = grid.columns();
    out += &line(columns.iter().map(|column| escape(&column.name)));
    out += &line(columns.iter().map(|column| match column.align {
        Align::Left => ":---".to_owned(),
        Align::Right => "---:".to_owned(),
    }));
    for row in grid.rows() {
        out += &line(row.iter().map(|cell| escape(cell)));
    }
    out
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let mut out = String::from("|");
    for cell in cells {
        let _ = write!(out, " {cell} |");
    }
    out + "\n"
}

/// Text that Markdown shows as it stands. An underscore inside a word marks nothing up and stays
/// readable, so that names of metrics do.
pub(crate) fn escape(text: &str) -> String {
    let text = text::printable(text);
    let mut out = String::with_capacity(text.len());
    let characters: Vec<char> = text.chars().collect();
    let is_word = |index: Option<usize>| {
        let character = index.and_then(|index| characters.get(index));
        character.is_some_and(|c| c.is_alphanumeric() || *c == '_')
    };
    for (index, character) in characters.iter().enumerate() {
        let inside = is_word(index.checked_sub(1)) && is_word(Some(index + 1));
        let marks = match character {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '&' | '~' | '$' => true,
            '_' => !inside,
            '#' | '-' | '+' => index == 0,
            _ => false,
        };
        // A number's sign is no list.
        let sign = matches!(character, '-' | '+') && is_word(Some(index + 1));
        if marks && !sign {
            out.push('\\');
        }
        out.push(*character);
    }
    // Bare links would otherwise come alive.
    out.replace("://", ":\\//").replace("www.", "www\\.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_document_reads_as_markdown() {
        insta::assert_snapshot!(results(&fixture::mram()));
    }

    #[test]
    fn a_hostile_document_stays_text() {
        let text = results(&fixture::hostile());
        assert!(text.starts_with("> **Incomplete: the run was interrupted"));
        assert!(
            text.contains("> **Warning** (typ_from_max): see \\<script\\>"),
            "{text}"
        );
        let outside_of_the_command = text.split("```").next().expect("a first part");
        assert!(!outside_of_the_command.contains(" <"), "{text}");
        for row in text.lines().filter(|line| line.starts_with('|')) {
            let bars = row.replace("\\|", "").matches('|').count();
            assert_eq!(bars, 9, "{row}");
        }
    }

    #[test]
    fn the_command_cannot_close_its_fence() {
        let mut document = fixture::mram();
        document.experiment.targets = vec!["a````b".into()];
        let text = again(&document);
        assert!(text.contains("\n`````sh\n"), "{text}");
    }

    #[test]
    fn names_stay_readable_and_markup_does_not_work() {
        assert_eq!(escape("access_bytes"), "access_bytes");
        assert_eq!(escape("_a_ *b* [c](d)"), "\\_a\\_ \\*b\\* \\[c\\](d)");
        assert_eq!(escape("-5.0 %"), "-5.0 %");
        assert_eq!(escape("- a"), "\\- a");
        assert_eq!(escape("https://a.b"), "https:\\//a.b");
    }
}
