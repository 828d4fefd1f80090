//! What people see of a workload, as data: what identifies its lines, its tables and plots, and the
//! function that says the answer in words.
//!
//! Each workload with a view of its own has a file in [`views`](crate::views); a workload without one is
//! shown as `raw` is, line by line. The terminal, Markdown, CSV and HTML render the same grids and plots.

use wordline_core::results::Row;
use wordline_core::{Axis, Metric, ResultSet};

use crate::answer::{self, Answer};
use crate::card::FirstScreen;
use crate::cause;
use crate::grid::{Align, Grid};
use crate::html::chart::CurvePlot;
use crate::html::explore::Exploration;
use crate::html::plot::Plot;
use crate::html::why::TimeBreakdown;
use crate::pivot::{
    ANY, At, Keys, LineField, Pivot, PivotLine, ascending, differs, each, together,
};
use crate::tabulate::{Tabulation, column};
use crate::views::{RAW, VIEWS};
use crate::{notes, text};

/// What people see of a workload.
pub(crate) struct View {
    /// As the rows spell it.
    pub(crate) workload: &'static str,
    pub(crate) keys: Keys,
    /// Tables that come before the sentences; where there are some, they show the verdicts.
    pub(crate) lead: &'static [TableView],
    pub(crate) tables: &'static [TableView],
    pub(crate) plots: &'static [PlotView],
    /// Whether every value is listed by series; in one long table where lines share no single axis.
    pub(crate) by_series: bool,
    /// Where the time goes by cause, for workloads whose metrics are split by it.
    pub(crate) why: Option<fn(&Pivot<'_>) -> TimeBreakdown>,
    pub(crate) answer: fn(&Pivot<'_>) -> Answer,
    /// The first screen; where a view makes none, its first sentences and its first table stand for it.
    pub(crate) card: Option<fn(&Pivot<'_>) -> FirstScreen>,
    /// What a page needs to answer the same question with other numbers, for workloads that can.
    pub(crate) explore: Option<fn(&Pivot<'_>) -> Option<Exploration>>,
}

impl View {
    /// A view without tables, plots and sentences.
    pub(crate) const EMPTY: Self = Self {
        workload: "",
        keys: Keys::ALL,
        lead: &[],
        tables: &[],
        plots: &[],
        by_series: false,
        why: None,
        answer: |_| Answer::of_all(Vec::new()),
        card: None,
        explore: None,
    };
}

/// A table of a view.
pub(crate) enum TableView {
    /// A line of the table for each line of the pivot.
    Lines(LineTable),
    /// Tables of another shape, for a page of some columns; `None` where lines may be as long as they are.
    Made(fn(&Pivot<'_>, Option<u16>) -> Vec<Grid>),
}

/// A plot of a view.
#[expect(
    clippy::large_enum_variant,
    reason = "views are constants, a few dozen of them, and none is moved"
)]
pub(crate) enum PlotView {
    /// Curves of metrics.
    Curves(CurvePlot),
    /// Plots of another shape.
    Made(fn(&Pivot<'_>) -> Vec<Plot>),
}

/// A table with a line for each line of the pivot.
pub(crate) struct LineTable {
    /// Where it holds `{target}`, each target has a table of its own. `{place}` is the board that all share, `{first}`
    /// the first target.
    pub(crate) title: &'static str,
    /// What identifies its lines; that of the view where there is nothing else.
    pub(crate) pivot: Option<Keys>,
    pub(crate) lines: Lines,
    pub(crate) keys: &'static [Key],
    pub(crate) figures: &'static [FigureColumn],
    /// Where it has a column for each line and a line for each figure, what heads the figures.
    pub(crate) across: Option<&'static str>,
}

impl LineTable {
    /// A table to be, of all lines.
    pub(crate) const EMPTY: Self = Self {
        title: "",
        pivot: None,
        lines: |pivot| pivot.lines.iter().collect(),
        keys: &[],
        figures: &[],
        across: None,
    };
}

/// The lines that a table or a plot shows, in its order.
pub(crate) type Lines = for<'p, 'a> fn(&'p Pivot<'a>) -> Vec<&'p PivotLine<'a>>;

/// A column that identifies lines.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    /// A column or an axis under its own name.
    Always(LineField),
    /// The same, left out where all lines share it.
    Varying(LineField),
    /// Words under another heading.
    Words(&'static str, fn(&Pivot<'_>, &PivotLine<'_>) -> String),
    /// A number under another heading.
    Number(&'static str, fn(&Pivot<'_>, &PivotLine<'_>) -> String),
}

impl Key {
    /// The key of a line as people read it.
    fn of(self, pivot: &Pivot<'_>, line: &PivotLine<'_>) -> String {
        match self {
            Self::Always(name) | Self::Varying(name) => line.field(name),
            Self::Words(_, of) | Self::Number(_, of) => of(pivot, line),
        }
    }

    /// The fields of a line that always stand, or that distinguish it from others, in a row of words.
    pub(crate) fn named(keys: &[Self], line: &PivotLine<'_>, all: &[&PivotLine<'_>]) -> String {
        let shown = keys.iter().filter_map(|key| match *key {
            Self::Always(field) => Some(line.field(field)),
            Self::Varying(field) if differs(all, |line| line.field(field)) => {
                Some(line.field(field))
            }
            _ => None,
        });
        let mut words: Vec<String> = shown.collect();
        words.retain(|word| !word.is_empty());
        words.join(", ")
    }
}

/// A column of figures.
#[derive(Clone, Copy)]
pub(crate) struct FigureColumn {
    pub(crate) name: &'static str,
    pub(crate) of: FigureOf,
}

/// A column of figures.
pub(crate) const fn figure(name: &'static str, of: FigureOf) -> FigureColumn {
    FigureColumn { name, of }
}

/// What a figure is.
#[derive(Clone, Copy)]
pub(crate) enum FigureOf {
    /// The metric at some columns and axes; as a whole without any.
    At(Metric, &'static At),
    /// The same, where it has a value.
    Value(Metric, &'static At),
    /// The same, counted: every digit is exact.
    Count(Metric, &'static At),
    /// The same with a further digit.
    Precise(Metric, &'static At),
    /// A column for each place along a numeric axis, whose name is put for `{}`.
    Along(Metric, Axis, &'static At),
    /// A column for each cause that a metric is split by.
    Parts(PartColumns),
    /// Computed from the line, and from others where needed.
    Made(fn(&Pivot<'_>, &PivotLine<'_>) -> Option<String>),
    /// Words that are computed so.
    Words(fn(&Pivot<'_>, &PivotLine<'_>) -> Option<String>),
}

/// Columns of the parts of a metric by cause.
#[derive(Clone, Copy)]
pub(crate) struct PartColumns {
    pub(crate) metric: Metric,
    pub(crate) at: &'static At,
    /// What no part reaches is left out.
    pub(crate) least: f64,
    pub(crate) name: fn(&str) -> String,
    /// Places of the causes, left to right.
    pub(crate) place: fn(&str) -> usize,
    pub(crate) told: fn(&Row) -> String,
}

impl PartColumns {
    /// Parts of any size, as they are, in the order of the registered causes.
    pub(crate) const fn of(metric: Metric) -> Self {
        Self {
            metric,
            at: &[],
            least: f64::MIN_POSITIVE,
            name: cause::name,
            place: cause::place,
            told: |row| text::value(row, text::DIGITS),
        }
    }

    /// The same as shares, where they are worth a digit.
    pub(crate) const fn shares(metric: Metric) -> Self {
        Self {
            least: 0.0005,
            told: |row| {
                row.value
                    .map_or_else(|| text::value(row, text::DIGITS), text::tenths)
            },
            ..Self::of(metric)
        }
    }

    /// The parts of a line with their causes.
    fn rows<'a>(&self, line: &PivotLine<'a>) -> Vec<(&'a str, &'a Row)> {
        let mut at = self.at.to_vec();
        at.push((Axis::Cause.into(), ANY));
        let rows = line.all_at(self.metric, &at);
        rows.filter_map(|row| Some((row.text(Axis::Cause)?, row)))
            .collect()
    }
}

impl FigureOf {
    /// The figure of a line as people read it.
    pub(crate) fn told(&self, pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
        let value = |row: &Row| text::value(row, text::DIGITS);
        match self {
            Self::At(metric, at) => line.at(*metric, at).map(value),
            Self::Value(metric, at) => line
                .at(*metric, at)
                .filter(|row| row.value.is_some())
                .map(value),
            Self::Precise(metric, at) => Some(text::value(line.at(*metric, at)?, text::DIGITS + 1)),
            Self::Along(..) | Self::Parts(_) => None,
            Self::Count(metric, at) => {
                let row = line.at(*metric, at)?;
                Some(row.value.map_or_else(|| value(row), text::count))
            }
            Self::Made(of) | Self::Words(of) => of(pivot, line),
        }
    }
}

impl LineTable {
    fn grids(&self, pivot: &Pivot<'_>) -> Vec<Grid> {
        let own = self.pivot.map(|keys| Pivot::of(pivot.document, keys));
        let pivot = own.as_ref().unwrap_or(pivot);
        let lines = (self.lines)(pivot);
        let groups = match self.title.contains("{target}") {
            true => together(lines, |line| line.head().target.as_str()),
            false => vec![lines],
        };
        let grids = groups.iter().filter_map(|own| {
            let target = own.first().map_or("", |line| &line.head().target);
            self.grid(pivot, self.title.replace("{target}", target), own)
        });
        grids.collect()
    }

    /// The table of some lines.
    pub(crate) fn grid(
        &self,
        pivot: &Pivot<'_>,
        title: String,
        lines: &[&PivotLine<'_>],
    ) -> Option<Grid> {
        let title = title.replace("{place}", &pivot.on_board());
        let title = title.replace("{first}", pivot.first());
        let mut table = Tabulation::new(title);
        for key in self.keys {
            let of = move |line: &&PivotLine<'_>| key.of(pivot, line);
            let heading = |field: LineField| column(field.label(), leaning(field, lines));
            table = match *key {
                Key::Always(field) => table.key(heading(field), of),
                Key::Varying(field) => table.key_if_varying(heading(field), of),
                Key::Words(name, _) => table.key(column(name, Align::Left), of),
                Key::Number(name, _) => table.key(column(name, Align::Right), of),
            };
        }
        for figure in self.figures {
            let of = move |line: &&PivotLine<'_>| figure.of.told(pivot, line);
            table = match figure.of {
                FigureOf::Along(metric, axis, at) => {
                    let points = lines.iter().flat_map(|line| line.along(metric, axis, at));
                    let places = ascending(points.map(|(place, _)| place));
                    places.into_iter().fold(table, |table, place| {
                        let name = text::place(axis, place);
                        table.figure(figure.name.replace("{}", &name), move |line| {
                            let points = line.along(metric, axis, at);
                            let (_, row) = points.into_iter().find(|(at, _)| *at == place)?;
                            Some(text::value(row, text::DIGITS))
                        })
                    })
                }
                FigureOf::Parts(parts) => {
                    let mut found: Vec<_> =
                        lines.iter().flat_map(|line| parts.rows(line)).collect();
                    found
                        .retain(|(_, row)| row.value.is_some_and(|part| part.abs() >= parts.least));
                    let mut causes = each(&found, |(cause, _)| *cause);
                    causes.sort_by_key(|cause| (parts.place)(cause));
                    causes.into_iter().fold(table, |table, cause| {
                        table.figure((parts.name)(cause), move |line| {
                            let mut rows = parts.rows(line).into_iter();
                            Some((parts.told)(rows.find(|(other, _)| *other == cause)?.1))
                        })
                    })
                }
                FigureOf::Words(_) => table.words(figure.name, of),
                _ => table.figure(figure.name, of),
            };
        }
        match self.across {
            Some(what) => table.columns(what, lines),
            None => table.lines(lines),
        }
    }
}

/// Numbers lean right.
fn leaning(field: LineField, lines: &[&PivotLine<'_>]) -> Align {
    let LineField::Of(axis) = field else {
        return Align::Left;
    };
    let is_number = |line: &&PivotLine<'_>| line.coordinate(axis).is_some();
    match text::named_unit(axis).is_some() || lines.iter().any(is_number) {
        true => Align::Right,
        false => Align::Left,
    }
}

/// What people see of a document.
pub(crate) struct Shown<'a> {
    pub(crate) pivot: Pivot<'a>,
    pub(crate) view: &'static View,
}

impl<'a> Shown<'a> {
    pub(crate) fn of(document: &'a ResultSet) -> Self {
        let name = workload(document);
        let own = VIEWS
            .iter()
            .copied()
            .find(|view| Some(view.workload) == name);
        let view = own.unwrap_or(&RAW);
        Self {
            pivot: Pivot::of(document, view.keys),
            view,
        }
    }

    fn grids(&self, tables: &[TableView], width: Option<u16>) -> Vec<Grid> {
        let grids = tables.iter().flat_map(|table| match table {
            TableView::Lines(table) => table.grids(&self.pivot),
            TableView::Made(tables) => tables(&self.pivot, width),
        });
        grids.collect()
    }

    /// Tables before the sentences.
    pub(crate) fn lead(&self, width: Option<u16>) -> Vec<Grid> {
        self.grids(self.view.lead, width)
    }

    /// Tables after the sentences, for a page of some columns.
    pub(crate) fn tables(&self, width: Option<u16>) -> Vec<Grid> {
        let mut grids = self.grids(self.view.tables, width);
        if grids.is_empty() && self.lead(width).is_empty() {
            let title = format!(
                "{}: no rows",
                self.pivot.document.experiment.workload.name()
            );
            grids.push(Grid::new(title, vec![column("operation", Align::Left)]));
        }
        if self.view.lead.is_empty() {
            grids.extend(notes::verdicts(self.pivot.document));
        }
        grids
    }

    /// What the rows say, in words.
    pub(crate) fn sentences(&self) -> Vec<String> {
        answer::sentences(self.pivot.document, (self.view.answer)(&self.pivot))
    }

    /// The same, without what the numbers rest on.
    pub(crate) fn findings(&self) -> Vec<String> {
        (self.view.answer)(&self.pivot).sentences
    }

    pub(crate) fn plots(&self) -> Vec<Plot> {
        let plots = self.view.plots.iter().flat_map(|plot| match plot {
            PlotView::Curves(curves) => curves.plots(&self.pivot),
            PlotView::Made(plots) => plots(&self.pivot),
        });
        plots.collect()
    }

    pub(crate) fn why(&self) -> TimeBreakdown {
        self.view
            .why
            .map_or_else(TimeBreakdown::default, |why| why(&self.pivot))
    }
}

/// The workload that all rows share, or that the experiment names where there are none.
pub(crate) fn workload(document: &ResultSet) -> Option<&str> {
    let Some(first) = document.rows.first() else {
        return Some(document.experiment.workload.name());
    };
    let mut rows = document.rows.iter();
    let shared = rows.all(|row| row.workload == first.workload);
    shared.then_some(first.workload.as_str())
}
