//! The one way from things to a grid: columns that identify the things, then columns of figures.
//!
//! A column of figures that no thing has is left out, and so is a key that all share unless it always
//! stands. The same columns make a grid with a line for each thing, or one with a column for each.

use crate::grid::{Align, Column, Grid};

/// Stands in a cell that has nothing to say.
pub(crate) const NOTHING: &str = "–";

type Cell<'t, T> = Box<dyn Fn(&T) -> Option<String> + 't>;

/// A grid to be, of some things.
pub(crate) struct Tabulation<'t, T> {
    title: String,
    keys: Vec<(Column, bool, Cell<'t, T>)>,
    figures: Vec<(Column, Cell<'t, T>)>,
}

impl<'t, T> Tabulation<'t, T> {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            keys: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// A column that always stands and identifies things.
    pub(crate) fn key(mut self, column: Column, of: impl Fn(&T) -> String + 't) -> Self {
        let cell = Box::new(move |thing: &T| Some(of(thing)));
        self.keys.push((column, true, cell));
        self
    }

    /// The same, left out where all things share it.
    pub(crate) fn key_if_varying(mut self, column: Column, of: impl Fn(&T) -> String + 't) -> Self {
        let cell = Box::new(move |thing: &T| Some(of(thing)));
        self.keys.push((column, false, cell));
        self
    }

    /// A column of numbers.
    pub(crate) fn figure(
        mut self,
        name: impl Into<String>,
        of: impl Fn(&T) -> Option<String> + 't,
    ) -> Self {
        self.figures.push((Column::right(name), Box::new(of)));
        self
    }

    /// A column of words.
    pub(crate) fn words(
        mut self,
        name: impl Into<String>,
        of: impl Fn(&T) -> Option<String> + 't,
    ) -> Self {
        self.figures.push((Column::left(name), Box::new(of)));
        self
    }

    /// The figures that any thing has.
    fn shown(&self, things: &[T]) -> Vec<&(Column, Cell<'t, T>)> {
        let figures = self.figures.iter();
        figures
            .filter(|(_, of)| things.iter().any(|thing| of(thing).is_some()))
            .collect()
    }

    /// A line for each thing; `None` where none has a figure.
    pub(crate) fn lines(self, things: &[T]) -> Option<Grid> {
        let figures = self.shown(things);
        let keys = self.keys.iter();
        let keys: Vec<_> = keys
            .filter(|(_, always, of)| {
                *always || things.windows(2).any(|pair| of(&pair[0]) != of(&pair[1]))
            })
            .collect();
        let columns = keys.iter().map(|(column, ..)| column.clone());
        let columns = columns.chain(figures.iter().map(|(column, _)| column.clone()));
        let mut grid = Grid::new(self.title.clone(), columns.collect()).with_keys(keys.len());
        for thing in things {
            let keys = keys.iter().map(|(.., of)| filled(of(thing)));
            grid.push(keys.chain(figures.iter().map(|(_, of)| filled(of(thing)))));
        }
        (!figures.is_empty()).then_some(grid)
    }

    /// A column for each thing under its keys, and a line for each figure; `None` where none has a figure.
    pub(crate) fn columns(self, what: &str, things: &[T]) -> Option<Grid> {
        let figures = self.shown(things);
        let heading = |thing: &T| {
            let keys = self.keys.iter().filter_map(|(.., of)| of(thing));
            keys.collect::<Vec<_>>().join(" ")
        };
        let mut columns = vec![Column::left(what)];
        columns.extend(things.iter().map(|thing| Column::right(heading(thing))));
        let mut grid = Grid::new(self.title.clone(), columns);
        for (column, of) in &figures {
            let cells = things.iter().map(|thing| filled(of(thing)));
            grid.push([column.name.clone()].into_iter().chain(cells));
        }
        (!figures.is_empty()).then_some(grid)
    }
}

/// A cell, for which a dash stands where there is nothing to say.
pub(crate) fn filled(text: Option<String>) -> String {
    match text {
        Some(text) if !text.is_empty() => text,
        _ => NOTHING.to_owned(),
    }
}

/// A column of words or of numbers.
pub(crate) fn column(name: impl Into<String>, align: Align) -> Column {
    Column {
        name: name.into(),
        align,
        is_numeric: false,
    }
}
