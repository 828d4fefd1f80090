//! A grid of text cells under named columns: what every table for people is made from.

use crate::format::{Format, Style};
use crate::{csv, html, json, markdown, table};

/// A grid of text cells under named columns. Results, lists of parts and checks of a host are all
/// shown as one.
///
/// ```
/// use wordline_report::{Column, Grid, Style};
///
/// let mut grid = Grid::new("Parts", vec![Column::left("part"), Column::right("capacity")]);
/// grid.push(["em064lx", "8 MiB"]);
/// assert_eq!(
///     grid.table(&Style::default()),
///     "Parts\n\npart     capacity\n-----------------\nem064lx     8 MiB\n"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    title: String,
    columns: Vec<Column>,
    keys: usize,
    rows: Vec<Vec<String>>,
}

/// A column of a [`Grid`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What stands at its head.
    pub name: String,
    /// To which side its cells lean.
    pub align: Align,
    /// Whether JSON has its cells as numbers, and an empty one as `null`.
    pub is_numeric: bool,
}

/// To which side the cells of a column lean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers, so that their ends line up.
    Right,
}

impl Column {
    /// A column of words.
    #[must_use]
    pub fn left(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            align: Align::Left,
            is_numeric: false,
        }
    }

    /// A column of numbers.
    #[must_use]
    pub fn right(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            align: Align::Right,
            is_numeric: false,
        }
    }

    /// A column of plain numbers without units, which JSON has as numbers.
    #[must_use]
    pub fn numeric(name: impl Into<String>) -> Self {
        Self {
            is_numeric: true,
            ..Self::right(name)
        }
    }
}

impl Grid {
    /// A grid without rows. An empty title is not shown.
    #[must_use]
    pub fn new(title: impl Into<String>, columns: Vec<Column>) -> Self {
        Self {
            title: title.into(),
            columns,
            keys: 1,
            rows: Vec::new(),
        }
    }

    /// Says how many columns from the left identify a row; one by default. In a
    /// terminal too narrow for all columns the table continues below, with these repeated.
    #[must_use]
    pub fn with_keys(self, keys: usize) -> Self {
        Self { keys, ..self }
    }

    /// The same under another title.
    #[must_use]
    pub fn titled(&self, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..self.clone()
        }
    }

    /// The same with its first rows alone.
    pub(crate) fn first_rows(&self, most: usize) -> Self {
        Self {
            title: self.title.clone(),
            columns: self.columns.clone(),
            keys: self.keys,
            rows: self.rows.iter().take(most).cloned().collect(),
        }
    }

    /// Adds a row, a cell for each column.
    ///
    /// # Panics
    /// When there are more or fewer cells than columns.
    pub fn push<Cell: Into<String>>(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<String> = cells.into_iter().map(Into::into).collect();
        assert_eq!(row.len(), self.columns.len(), "a cell for each column");
        self.rows.push(row);
    }

    /// What stands above the grid.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The columns, left to right.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many columns from the left identify a row.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.keys
    }

    /// The rows, top to bottom; each has a cell for each column.
    #[must_use]
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Renders the grid. HTML is a `<table>` in a container, to be put into a page.
    #[must_use]
    pub fn render(&self, format: Format, style: &Style) -> String {
        match format {
            Format::Table => self.table(style),
            Format::Json => self.json(),
            Format::Csv => self.csv(),
            Format::Markdown => self.markdown(),
            Format::Html => html::grid(self),
        }
    }

    /// Aligned text for a terminal.
    #[must_use]
    pub fn table(&self, style: &Style) -> String {
        table::grid(self, style)
    }

    /// An array of objects, one a row, with the columns' names as keys.
    #[must_use]
    pub fn json(&self) -> String {
        json::grid(self)
    }

    /// CSV as RFC 4180 has it, with a header and CRLF; the title is left out.
    #[must_use]
    pub fn csv(&self) -> String {
        csv::grid(self)
    }

    /// A heading and a Markdown table.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::grid(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Grid {
        let columns = vec![Column::left("part"), Column::right("capacity")];
        let mut grid = Grid::new("Parts", columns);
        grid.push(["em064lx", "8 MiB"]);
        grid.push(["a|b, \"c\"", "-5"]);
        grid
    }

    #[test]
    fn every_format_shows_every_cell() {
        assert_eq!(
            parts().render(Format::Markdown, &Style::default()),
            "## Parts\n\n| part | capacity |\n| :--- | ---: |\n| em064lx | 8 MiB |\n\
             | a\\|b, \"c\" | -5 |\n"
        );
        assert_eq!(
            parts().csv(),
            "part,capacity\r\nem064lx,8 MiB\r\n\"a|b, \"\"c\"\"\",-5\r\n"
        );
        assert_eq!(
            parts().json(),
            "[\n  {\n    \"part\": \"em064lx\",\n    \"capacity\": \"8 MiB\"\n  },\n  {\n    \
             \"part\": \"a|b, \\\"c\\\"\",\n    \"capacity\": \"-5\"\n  }\n]\n"
        );
        let html = parts().render(Format::Html, &Style::default());
        assert!(
            html.contains("<caption><span>Parts</span></caption>"),
            "{html}"
        );
        assert!(html.contains("&quot;c&quot;"), "{html}");
    }

    #[test]
    fn a_numeric_column_is_of_numbers_in_json_alone() {
        let columns = vec![Column::left("part"), Column::numeric("capacity_bytes")];
        let mut grid = Grid::new("", columns);
        grid.push(["em064lx", "8388608"]);
        grid.push(["a board", ""]);
        let json: serde_json::Value = serde_json::from_str(&grid.json()).expect("JSON");
        assert_eq!(json[0]["capacity_bytes"].as_u64(), Some(8_388_608));
        assert!(json[1]["capacity_bytes"].is_null(), "{json}");
        assert_eq!(
            grid.csv(),
            "part,capacity_bytes\r\nem064lx,8388608\r\na board,\r\n"
        );
    }

    #[test]
    #[should_panic(expected = "a cell for each column")]
    fn ragged_rows_are_refused() {
        parts().push(["only one"]);
    }
}
