//! CSV as RFC 4180 has it: a header, CRLF, quotes where they are needed.

use std::collections::BTreeSet;

use wordline_core::results::{AxisValue, NoValue, Row};
use wordline_core::sweep::SweepResult;
use wordline_core::{Axis, ResultSet};

use crate::grid::Grid;
use crate::overlay::NamedDocument;
use crate::text::is_unseen;

/// Long-form rows with every column, so that nothing of a row is lost. Axes are columns of their
/// own, empty where a row has no such axis.
pub(crate) fn results(document: &ResultSet) -> String {
    let axes = axes(document.rows.iter());
    let mut out = record(header(&axes).into_iter().map(text));
    for row in &document.rows {
        out.push_str(&record(cells(row, &axes).into_iter()));
    }
    out
}

/// The same of several documents, whose names stand in a first column.
pub(crate) fn documents(documents: &[NamedDocument]) -> String {
    let axes = axes(documents.iter().flat_map(|one| &one.document.rows));
    let names = ["document"].into_iter().chain(header(&axes));
    let mut out = record(names.map(text));
    for one in documents {
        for row in &one.document.rows {
            let cells = cells(row, &axes).into_iter();
            out.push_str(&record([text(&one.name)].into_iter().chain(cells)));
        }
    }
    out
}

/// The rows of all points of a sweep, each with its point and the values of the fields that vary; and of a point that could
/// not be run a line with the reason.
pub(crate) fn sweep(result: &SweepResult) -> String {
    let documents = result
        .points
        .iter()
        .filter_map(|point| point.result.as_ref());
    let axes = axes(documents.flat_map(|document| &document.rows));
    let fields: Vec<&String> = result.sweep.fields().collect();
    // Rows have columns of some of these names, which say what was run.
    let varied: Vec<String> = fields.iter().map(|field| format!("at.{field}")).collect();
    let columns = header(&axes);
    let names = ["point"]
        .into_iter()
        .chain(varied.iter().map(String::as_str));
    let names = names.chain(columns.iter().copied()).chain(["failed"]);
    let mut out = record(names.map(text));
    for point in &result.points {
        let mut head = vec![point.point.to_string()];
        head.extend(fields.iter().map(|field| match point.at.get(*field) {
            Some(serde_json::Value::String(name)) => text(name),
            Some(value) => text(&value.to_string()),
            None => String::new(),
        }));
        for row in point.result.iter().flat_map(|document| &document.rows) {
            let cells = head.iter().cloned().chain(cells(row, &axes));
            out.push_str(&record(cells.chain([String::new()])));
        }
        if let Some(reason) = &point.failed {
            let empty = columns.iter().map(|name| match *name {
                "no_value" => "failed".to_owned(),
                _ => String::new(),
            });
            out.push_str(&record(
                head.iter().cloned().chain(empty).chain([text(reason)]),
            ));
        }
    }
    out
}

/// Every axis that any row has.
fn axes<'a>(rows: impl Iterator<Item = &'a Row>) -> BTreeSet<Axis> {
    rows.flat_map(|row| row.axes.keys().copied()).collect()
}

fn header(axes: &BTreeSet<Axis>) -> Vec<&'static str> {
    let mut header = vec!["target", "part", "board", "workload", "operation"];
    header.extend(axes.iter().map(|axis| axis.name()));
    header.extend(["timing", "age", "metric", "value", "no_value", "unit"]);
    header.extend(["basis", "distribution"]);
    header
}

fn cells(row: &Row, axes: &BTreeSet<Axis>) -> Vec<String> {
    let what = [
        &row.target,
        &row.part,
        &row.board,
        &row.workload,
        row.operation.name(),
    ];
    let mut cells: Vec<String> = what.into_iter().map(text).collect();
    cells.extend(axes.iter().map(|axis| match row.axes.get(axis) {
        Some(AxisValue::Count(count)) => count.to_string(),
        Some(AxisValue::Number(value)) => number(*value),
        Some(AxisValue::Text(value)) => text(value),
        None => String::new(),
    }));
    cells.extend([
        row.timing.to_string(),
        number(row.age),
        row.metric.to_string(),
        row.value.map(number).unwrap_or_default(),
        row.no_value.map(reason).unwrap_or_default().to_owned(),
        text(&row.unit),
        row.basis.to_string(),
        row.distribution.as_deref().map(text).unwrap_or_default(),
    ]);
    cells
}

pub(crate) fn grid(grid: &Grid) -> String {
    let header = grid.columns().iter().map(|column| text(&column.name));
    let mut out = record(header);
    for row in grid.rows() {
        out.push_str(&record(row.iter().map(|cell| text(cell))));
    }
    out
}

/// One line. A lone empty cell is quoted, or the line would read as blank.
fn record(cells: impl Iterator<Item = String>) -> String {
    let line = cells.collect::<Vec<_>>().join(",");
    if line.is_empty() {
        "\"\"\r\n".to_owned()
    } else {
        line + "\r\n"
    }
}

/// A text cell. Spreadsheets run a cell as a formula when it begins with `=`, `+`, `-` or `@`, and
/// some strip tabs and line ends first; a single quote in front makes it text. Plain numbers keep
/// their sign. Control characters that could drive a terminal are spelled out, and so is what reorders its neighbours.
fn text(cell: &str) -> String {
    let drives = |c: char| is_unseen(c) && !matches!(c, '\t' | '\r' | '\n');
    let escaped = |c: char| match drives(c) {
        true => c.escape_unicode().to_string(),
        false => c.to_string(),
    };
    let spelled: String = cell.chars().map(escaped).collect();
    let cell = spelled.as_str();
    let first = cell.trim_start().chars().next();
    let formula = matches!(first, Some('=' | '+' | '-' | '@')) && cell.parse::<f64>().is_err();
    let guard = if formula { "'" } else { "" };
    if cell.contains([',', '"', '\r', '\n']) {
        format!("\"{guard}{}\"", cell.replace('"', "\"\""))
    } else {
        format!("{guard}{cell}")
    }
}

/// The shortest text that parses back to the same value, as JSON writes it.
fn number(value: f64) -> String {
    serde_json::Number::from_f64(value).map_or_else(|| value.to_string(), |json| json.to_string())
}

const fn reason(reason: NoValue) -> &'static str {
    match reason {
        NoValue::Unbounded => "unbounded",
        NoValue::BeyondRange => "beyond_range",
        NoValue::NotApplicable => "not_applicable",
        NoValue::Failed => "failed",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture;
    use wordline_core::{Metric, RowOperation};

    #[test]
    fn rows_keep_every_column() {
        let mut document = fixture::mram();
        document
            .rows
            .retain(|row| row.count(Axis::AccessBytes) == Some(2048));
        let lifetime =
            fixture::without_value(RowOperation::Erase, Metric::Lifetime, NoValue::Unbounded);
        document.rows.push(lifetime);
        insta::assert_snapshot!(results(&document).replace('\r', ""));
    }

    #[test]
    fn formulas_are_disarmed_and_numbers_are_not() {
        assert_eq!(text("=1+1"), "'=1+1");
        assert_eq!(text("@SUM(A1)"), "'@SUM(A1)");
        assert_eq!(text("\t=1,2"), "\"'\t=1,2\"");
        assert_eq!(text("-5.5"), "-5.5");
        assert_eq!(text("-a"), "'-a");
        assert_eq!(text("a\u{1b}[31m"), "a\\u{1b}[31m");
        assert_eq!(text("a\u{202e}b\u{7}"), "a\\u{202e}b\\u{7}");
        assert_eq!(text("a\"b"), "\"a\"\"b\"");
        let csv = results(&fixture::hostile());
        assert!(csv.contains(",\"'=HYPERLINK(\"\"x\"\")\","), "{csv}");
    }

    /// A reader of RFC 4180 that knows nothing of the writer.
    fn parse(csv: &str) -> Vec<Vec<String>> {
        let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
        let (mut quoted, mut characters) = (false, csv.chars().peekable());
        while let Some(character) = characters.next() {
            match character {
                '"' if quoted && characters.next_if_eq(&'"').is_some() => cell.push('"'),
                '"' => quoted = !quoted,
                ',' if !quoted => record.push(std::mem::take(&mut cell)),
                '\r' if !quoted && characters.next_if_eq(&'\n').is_some() => {
                    record.push(std::mem::take(&mut cell));
                    records.push(std::mem::take(&mut record));
                }
                other => cell.push(other),
            }
        }
        records
    }

    proptest! {
        #[test]
        fn cells_come_back(cells in prop::collection::vec("\\PC*|[-=+@,\"\r\n\t a1]{0,6}", 1..5)) {
            let line = record(cells.iter().map(|cell| text(cell)));
            let parsed = parse(&line);
            prop_assert_eq!(parsed.len(), 1);
            prop_assert_eq!(parsed[0].len(), cells.len());
            for (back, cell) in parsed[0].iter().zip(&cells) {
                prop_assert_eq!(back.strip_prefix('\'').filter(|_| back != cell).unwrap_or(back), cell);
                let formula = back.trim_start().starts_with(['=', '@']);
                prop_assert!(!formula, "{}", back);
            }
        }
    }
}
