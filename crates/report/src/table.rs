//! Aligned text for a terminal.

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle, Table,
    TableStyle, Width,
};
use wordline_core::ResultSet;

use crate::format::{Detail, Style};
use crate::grid::{Align, Column, Grid};
use crate::view::Shown;
use crate::{card, notes, text};

/// Columns stand two spaces apart under a ruled heading; nothing else is drawn, so that the table
/// can be cut with a mouse or a script.
const RULED: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('-').junction('-'))
    .content_lines(ContentLineStyle::none());

/// Spaces between columns: the style's own and one of padding.
const GAP: u16 = 2;
const PADDING: u16 = GAP - 1;

/// What comes first, sentences, what the reader should know before trusting the tables, then the
/// tables.
pub(crate) fn results(document: &ResultSet, style: &Style) -> String {
    let shown = Shown::of(document);
    match style.detail {
        Detail::Answer => card::screen(&shown, style),
        Detail::Explain => card::screen(&shown, style) + "\n" + &reasons(document, &shown, style),
        Detail::All => everything(document, &shown, style),
    }
}

/// What the answer rests on: sentences on everything that was run, and all warnings.
fn reasons(document: &ResultSet, shown: &Shown<'_>, style: &Style) -> String {
    let sentences = shown.sentences().into_iter();
    let mut blocks: Vec<String> = sentences
        .chain(shown.why().sentences)
        .map(|sentence| text::wrap(&sentence, style.width) + "\n")
        .collect();
    let warnings = warnings(document, style);
    blocks.extend((!warnings.is_empty()).then_some(warnings));
    blocks.join("\n")
}

/// Every table with the sentences and warnings on it.
fn everything(document: &ResultSet, shown: &Shown<'_>, style: &Style) -> String {
    let lead = shown.lead(style.width);
    let mut blocks: Vec<_> = lead.iter().map(|lead| grid(lead, style)).collect();
    let sentences: Vec<_> = shown
        .sentences()
        .iter()
        .map(|sentence| text::wrap(sentence, style.width))
        .collect();
    if !sentences.is_empty() {
        blocks.push(sentences.join("\n") + "\n");
    }
    if let Some(banner) = notes::incomplete(document) {
        blocks.push(bold(&text::wrap(&banner, style.width), style) + "\n");
    }
    let warnings = warnings(document, style);
    blocks.extend((!warnings.is_empty()).then_some(warnings));
    let tables = shown.tables(style.width);
    blocks.extend(tables.iter().map(|table| grid(table, style)));
    blocks.join("\n")
}

fn warnings(document: &ResultSet, style: &Style) -> String {
    let warned = notes::warnings(document);
    let lines = warned
        .iter()
        .map(|one| format!("warning [{}]: {}", one.heading(), one.first()));
    let lines = lines.chain(notes::grouped(&warned).map(str::to_owned));
    lines
        .map(|line| text::wrap(&text::printable(&line), style.width) + "\n")
        .collect()
}

/// The fewest characters that words are cut to, so that they still say something.
const WORDS_LEAST: usize = 16;

/// The first rows of a grid, with as many of its columns from the left as fit.
pub(crate) fn short(grid: &Grid, rows: usize, width: u16, style: &Style) -> String {
    let rows = &grid.rows()[..rows.min(grid.rows().len())];
    let widths: Vec<usize> = (0..grid.columns().len())
        .map(|column| {
            let cells = rows.iter().map(|row| &row[column]);
            let all = cells.chain([&grid.columns()[column].name]);
            let widths = all.map(|cell| text::printable(cell).chars().count());
            widths.max().unwrap_or(0)
        })
        .collect();
    // The columns that stand, each with its room where its words are cut.
    let mut shown: Vec<(usize, Option<usize>)> = Vec::new();
    let mut taken = 0;
    for (column, own) in widths.iter().enumerate() {
        let before = taken + if column == 0 { 0 } else { usize::from(GAP) };
        let room = usize::from(width).saturating_sub(before);
        let words = grid.columns()[column].align == Align::Left;
        let room = match () {
            () if column == 0 || *own <= room => None,
            () if words && room >= WORDS_LEAST => Some(room),
            () => continue,
        };
        shown.push((column, room));
        taken = before + room.unwrap_or(*own);
    }
    let columns = shown
        .iter()
        .map(|(column, _)| grid.columns()[*column].clone());
    let mut short = Grid::new(String::new(), columns.collect());
    for row in rows {
        let cells = shown.iter();
        short.push(cells.map(|(column, room)| match room {
            Some(room) => text::cut(&text::printable(&row[*column]), *room),
            None => row[*column].clone(),
        }));
    }
    let all: Vec<usize> = (0..shown.len()).collect();
    let text = block(&short, &all, style);
    text.trim_end().to_owned()
}

pub(crate) fn grid(grid: &Grid, style: &Style) -> String {
    let mut blocks = Vec::new();
    if !grid.title().is_empty() {
        let title = text::wrap(&text::printable(grid.title()), style.width);
        blocks.push(bold(&title, style) + "\n");
    }
    let all = 0..grid.columns().len();
    let parts = match style.width {
        Some(width) => fitting(grid, width),
        None => vec![all.collect()],
    };
    blocks.extend(parts.iter().map(|columns| block(grid, columns, style)));
    blocks.join("\n")
}

/// Some columns of a grid as one table.
fn block(grid: &Grid, columns: &[usize], style: &Style) -> String {
    let mut table = Table::new();
    table.load_style(RULED);
    if let Some(width) = style.width {
        table.set_width(width);
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    let cell = |text: &str, column: usize| {
        Cell::new(text::printable(text)).set_alignment(match grid.columns()[column].align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        })
    };
    let header = columns.iter();
    let header = header.map(|column| cell(&grid.columns()[*column].name, *column));
    table.set_header(header.collect::<Vec<_>>());
    for row in grid.rows() {
        let cells = columns.iter().map(|column| cell(&row[*column], *column));
        table.add_row(cells.collect::<Vec<_>>());
    }
    space_columns(&mut table);
    if style.width.is_some() {
        for (column, index) in table.column_iter_mut().zip(columns) {
            // Padding counts as width here.
            let narrowest = narrowest(grid, *index).saturating_add(column.padding_width());
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(narrowest)));
        }
    }
    with_bold_header(&table, style)
}

/// The columns, in parts that fit the width without breaking words or numbers. Each part begins
/// with the columns that identify rows and has one more at least.
fn fitting(grid: &Grid, width: u16) -> Vec<Vec<usize>> {
    let keys: Vec<usize> = (0..grid.keys().min(grid.columns().len())).collect();
    let needed = |columns: &[usize]| {
        let spaces = GAP * columns.len().saturating_sub(1) as u16;
        let widths = columns.iter().map(|column| narrowest(grid, *column));
        widths.fold(spaces, u16::saturating_add)
    };
    let mut parts = vec![keys.clone()];
    for column in keys.len()..grid.columns().len() {
        let place = parts.len() - 1;
        let mut wider = parts[place].clone();
        wider.push(column);
        if needed(&wider) <= width || wider.len() == keys.len() + 1 {
            parts[place] = wider;
        } else {
            parts.push(keys.iter().copied().chain([column]).collect());
        }
    }
    parts
}

/// The width that a column needs: numbers stay whole, words may wrap at spaces.
fn narrowest(grid: &Grid, column: usize) -> u16 {
    let longest_word = |text: &str| {
        let words = text
            .split(' ')
            .map(|word| text::printable(word).chars().count());
        words.max().unwrap_or(0)
    };
    let Column { name, align, .. } = &grid.columns()[column];
    let cells = grid.rows().iter().map(|row| match align {
        Align::Left => longest_word(&row[column]),
        Align::Right => text::printable(&row[column]).chars().count(),
    });
    let width = cells.max().unwrap_or(0).max(longest_word(name));
    u16::try_from(width).unwrap_or(u16::MAX)
}

/// Two spaces between columns, none at the edges.
fn space_columns(table: &mut Table) {
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == last { 0 } else { PADDING }));
    }
}

/// The lines above the rule are the heading. Trailing spaces would only wrap in narrow windows.
fn with_bold_header(table: &Table, style: &Style) -> String {
    let mut out = String::new();
    let mut in_header = true;
    let mut verdicts: Option<Vec<usize>> = None;
    for line in table.lines() {
        let line = line.trim_end();
        in_header &= !(line.starts_with('-') && line.chars().all(|c| c == '-'));
        if in_header {
            out += &bold(line, style);
            verdicts = verdicts.or_else(|| style.color.then(|| verdict_columns(line)));
        } else {
            out += &colored(line, verdicts.as_deref().unwrap_or_default());
        }
        out.push('\n');
    }
    out
}

/// Columns that hold verdicts, by their names.
const VERDICT_COLUMNS: [&str; 5] = ["verdict", "state", "typ", "max", "sampled"];

/// Verdicts by their color: what is met green, what is missed red, what is open yellow.
const VERDICT_COLORS: [(u8, &[&str]); 3] = [
    (32, &["pass", "hit", "healthy", "good"]),
    (31, &["FAIL", "fail", "new miss", "failed", "missing"]),
    (
        33,
        &[
            "depends",
            "unknown",
            "listed miss",
            "not yet",
            "retire",
            "watch",
            "limited",
        ],
    ),
];

/// Where cells stand in a line, in characters: they are two spaces apart.
fn cells(line: &str) -> Vec<(usize, String)> {
    let mut cells: Vec<(usize, String)> = Vec::new();
    let mut spaces = usize::from(GAP);
    for (at, c) in line.chars().enumerate() {
        if c == ' ' {
            spaces += 1;
            continue;
        }
        match cells.last_mut().filter(|_| spaces < usize::from(GAP)) {
            Some((_, cell)) => {
                cell.extend(std::iter::repeat_n(' ', spaces));
                cell.push(c);
            }
            None => cells.push((at, c.to_string())),
        }
        spaces = 0;
    }
    cells
}

/// Where the columns of verdicts begin, by the line of names.
fn verdict_columns(names: &str) -> Vec<usize> {
    let cells = cells(names).into_iter();
    let cells = cells.filter(|(_, name)| VERDICT_COLUMNS.contains(&name.as_str()));
    cells.map(|(at, _)| at).collect()
}

/// A line with the verdicts of some columns in their colors.
fn colored(line: &str, columns: &[usize]) -> String {
    let mut out = line.to_owned();
    // From the right, so that places on the left stay.
    for (at, cell) in cells(line).into_iter().rev() {
        let color = VERDICT_COLORS
            .iter()
            .find(|(_, words)| words.contains(&cell.as_str()));
        let Some((color, _)) = color.filter(|_| columns.contains(&at)) else {
            continue;
        };
        let Some((start, _)) = line.char_indices().nth(at) else {
            continue;
        };
        let colored = format!("\x1b[{color}m{cell}\x1b[0m");
        out.replace_range(start..start + cell.len(), &colored);
    }
    out
}

pub(crate) fn bold(text: &str, style: &Style) -> String {
    if style.color {
        let lines = text.lines().map(|line| format!("\x1b[1m{line}\x1b[0m"));
        lines.collect::<Vec<_>>().join("\n")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn verdicts_have_colors_on_a_terminal_alone() {
        let mut grid = Grid::new("", ["target", "verdict", "note"].map(Column::left).into());
        for (verdict, note) in [("pass", "fail"), ("FAIL", ""), ("depends", "")] {
            grid.push(["a part", verdict, note]);
        }
        let shown = |color| {
            let style = Style {
                color,
                ..Style::default()
            };
            super::grid(&grid, &style)
        };
        let colored = shown(true);
        for expected in [
            "a part  \x1b[32mpass\x1b[0m     fail\n",
            "a part  \x1b[31mFAIL\x1b[0m\n",
            "a part  \x1b[33mdepends\x1b[0m\n",
        ] {
            assert!(colored.contains(expected), "{colored:?}");
        }
        assert!(!shown(false).contains('\x1b'));
    }

    #[test]
    fn a_wide_terminal_shows_one_table() {
        insta::assert_snapshot!(results(&fixture::mram(), &Style::default()));
    }

    #[test]
    fn a_narrow_terminal_continues_the_table_below() {
        let style = Style {
            width: Some(80),
            ..Style::default()
        };
        let document = fixture::document(&[fixture::MRAM, fixture::NAND]);
        let text = results(&document, &style);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{widest:?}\n{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn colour_only_adds_escapes() {
        let colored = Style {
            color: true,
            width: Some(100),
            ..Style::default()
        };
        let plain = Style {
            color: false,
            ..colored
        };
        let document = fixture::mram();
        let text = results(&document, &colored);
        assert!(text.contains("\x1b[1m"));
        let stripped = text.replace("\x1b[1m", "").replace("\x1b[0m", "");
        assert_eq!(stripped, results(&document, &plain));
    }

    #[test]
    fn a_hostile_document_is_shown_harmlessly_with_its_warnings() {
        let text = results(&fixture::hostile(), &Style::default());
        assert!(
            text.contains("Incomplete: the run was interrupted"),
            "{text}"
        );
        assert!(
            text.contains("warning [typ_from_max]: see <script>"),
            "{text}"
        );
        let controls = |c: char| c.is_control() && c != '\n';
        assert!(!text.contains(controls), "{text:?}");
    }

    #[test]
    fn a_terminal_of_one_column_still_gets_its_table() {
        for width in [0, 1, 5] {
            let style = Style {
                width: Some(width),
                ..Style::default()
            };
            assert!(results(&fixture::mram(), &style).contains("read"));
        }
    }
}
