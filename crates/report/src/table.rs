//! Aligned text for a terminal.

use comfy_table::{
    Cell, CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle,
};
use wordline_core::ResultSet;

use crate::answer::answer;
use crate::format::Style;
use crate::grid::{Align, Grid};
use crate::pivot::Pivot;
use crate::{headline, notes, text};

/// Columns stand two spaces apart under a ruled heading; nothing else is drawn, so that the table
/// can be cut with a mouse or a script.
const RULED: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('-').junction('-'))
    .content_lines(ContentLineStyle::none());

/// Sentences, the table, then what the reader should know before trusting it.
pub(crate) fn results(document: &ResultSet, style: &Style) -> String {
    let mut blocks = Vec::new();
    let sentences: Vec<_> = answer(document)
        .iter()
        .map(|sentence| text::wrap(sentence, style.width))
        .collect();
    if !sentences.is_empty() {
        blocks.push(sentences.join("\n") + "\n");
    }
    if let Some(banner) = notes::incomplete(document) {
        blocks.push(bold(&text::wrap(banner, style.width), style) + "\n");
    }
    blocks.push(grid(&headline::grid(document, &Pivot::of(document)), style));
    blocks.extend(notes::verdicts(document).map(|verdicts| grid(&verdicts, style)));
    let warnings = document.warnings.iter().map(|warning| {
        let line = format!("warning [{}]: {}", warning.code, warning.advice);
        text::wrap(&text::printable(&line), style.width) + "\n"
    });
    let warnings: String = warnings.collect();
    if !warnings.is_empty() {
        blocks.push(warnings);
    }
    blocks.join("\n")
}

pub(crate) fn grid(grid: &Grid, style: &Style) -> String {
    let mut table = Table::new();
    table.load_style(RULED);
    if let Some(width) = style.width {
        table.set_width(width);
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    let cell = |(content, align): (&str, Align)| {
        Cell::new(text::printable(content)).set_alignment(match align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        })
    };
    let columns = grid.columns();
    let header = columns.iter().map(|column| (&*column.name, column.align));
    table.set_header(header.map(cell).collect::<Vec<_>>());
    for row in grid.rows() {
        let cells = row.iter().zip(columns);
        let cells = cells.map(|(content, column)| (&**content, column.align));
        table.add_row(cells.map(cell).collect::<Vec<_>>());
    }
    space_columns(&mut table);
    let mut out = String::new();
    if !grid.title().is_empty() {
        let title = text::wrap(&text::printable(grid.title()), style.width);
        out += &format!("{}\n\n", bold(&title, style));
    }
    out + &with_bold_header(&table, style)
}

/// Two spaces between columns, none at the edges.
fn space_columns(table: &mut Table) {
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == last { 0 } else { 2 }));
    }
}

/// The lines above the rule are the heading. Trailing spaces would only wrap in narrow windows.
fn with_bold_header(table: &Table, style: &Style) -> String {
    let mut out = String::new();
    let mut in_header = true;
    for line in table.lines() {
        let line = line.trim_end();
        in_header &= !(line.starts_with('-') && line.chars().all(|c| c == '-'));
        if in_header {
            out += &bold(line, style);
        } else {
            out += line;
        }
        out.push('\n');
    }
    out
}

fn bold(text: &str, style: &Style) -> String {
    if style.color {
        let lines = text.lines().map(|line| format!("\x1b[1m{line}\x1b[0m"));
        lines.collect::<Vec<_>>().join("\n")
    } else {
        text.to_owned()
    }
}
