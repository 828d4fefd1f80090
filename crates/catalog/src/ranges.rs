//! The range of each unpublished figure of a sheet, and targets whose figures take other values within their ranges.
//!
//! Two things make a range, and add up where both hold:
//!
//! 1. The value itself is open. Its sheet states a range, `range = ["8 ms", "150 ms"]`: what others of its class were
//!    measured to have, or what others of its family or kind have where it is estimated. Otherwise it is assumed or
//!    estimated, and lies within the factor of its [kind](KINDS), up and down.
//! 2. The `max` column of a time or a current is missing, or no source states it: it lies between `typ` and
//!    [so many times](FigureKind::max_over_typ) that, wherever `typ` lies in its own range. An estimate states the range
//!    of its `max` itself, `max_range`.
//!
//! All other figures stand as they are: their `min`, `typ` and `max` are what a maker or a measurement states, and the
//! timing classes choose between them. What cannot be moved along a range, such as the choices of a card's firmware, is an
//! [open choice](OPEN_CHOICES): a verdict that it changes is never certain. The rest of what is assumed changes no verdict,
//! or is set by whoever designs the board; the tests of this module name it, figure by figure, with the reason.

use std::ops::Range;

use wordline_core::{Basis, Timing};

use crate::sheet::parse;
use crate::{Board, Catalog, Header, Part, PartOnBoard, Sheet};

pub(crate) mod kinds;
mod open;
mod stated;

use kinds::RETENTION_CELSIUS;
pub use kinds::{Adverse, Evidence, FigureKind, Influence, KINDS};
pub use open::{OPEN_CHOICES, OpenChoice, UnknownChoice};
pub(crate) use stated::unused;
use stated::{ColumnText, RangeText, Stated, uncertain};

/// Whether a sheet is that of the part or that of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Part,
    Board,
}

/// A figure of a target that may lie elsewhere than its sheet says.
#[derive(Clone, Debug, PartialEq)]
pub struct UncertainFigure {
    owner: Owner,
    /// Id of the sheet.
    pub sheet: String,
    /// Dotted path of the figure in it.
    pub figure: String,
    /// What kind of figure it is.
    pub kind: &'static FigureKind,
    /// Where its value comes from. That of a column which the source does not state is assumed.
    pub basis: Basis,
    /// The parts that it was found in, where it is estimated: `page program of 54 serial NOR parts`.
    pub sample: Option<String>,
    /// Its value in the timing class, in the SI unit.
    pub value: f64,
    /// Unit of the value.
    pub unit: &'static str,
    /// The least factor that it may lie away by: 1 and less.
    pub low: f64,
    /// The largest: 1 and more.
    pub high: f64,
    columns: Vec<ColumnText>,
    /// The range that the sheet states, which must hold a value that is moved.
    range: Option<RangeText>,
    /// That of its largest value, which must hold a value that is moved as well.
    max_range: Option<RangeText>,
}

impl UncertainFigure {
    /// What replaces which bytes of its sheet's text, with its value times a factor.
    fn times(&self, factor: f64) -> Edit {
        let columns = self.columns.iter();
        let mut edit: Edit = columns
            .clone()
            .map(|column| (column.span.clone(), column.written(column.times(factor))))
            .collect();
        let Some(first) = self.columns.first() else {
            return edit;
        };
        for range in [&self.range, &self.max_range].into_iter().flatten() {
            let si = |column: &ColumnText| column.times(factor) * column.si_of_one();
            let values = columns.clone().map(si);
            let [low, high] = values.fold(range.ends, |[low, high], value| {
                [low.min(value), high.max(value)]
            });
            let one = first.si_of_one();
            let ends = [low, high].map(|end| first.written(end / one));
            edit.push((range.span.clone(), format!("[{}]", ends.join(", "))));
        }
        edit
    }

    /// The factor at the worse end of its range, or at the better one, where data are kept at a temperature in degrees
    /// Celsius.
    #[must_use]
    pub fn end(&self, adverse: bool, celsius: f64) -> f64 {
        let high_is_worse = match self.kind.adverse {
            Adverse::High => true,
            Adverse::Low => false,
            Adverse::LowWhenCool => celsius > RETENTION_CELSIUS,
        };
        if adverse == high_is_worse {
            self.high
        } else {
            self.low
        }
    }
}

/// A target with figures that lie elsewhere in their ranges.
#[derive(Clone, Debug)]
pub struct VariedTarget {
    name: String,
    part: Part,
    board: Board,
}

impl VariedTarget {
    /// The target, under the name of the one that it varies.
    #[must_use]
    pub fn target(&self) -> PartOnBoard<'_> {
        PartOnBoard {
            name: self.name.clone(),
            part: &self.part,
            board: &self.board,
        }
    }
}

impl Catalog {
    /// The catalogue with a varied target's sheets in place of those that it varies.
    #[must_use]
    pub fn with_varied(&self, varied: VariedTarget) -> Self {
        let mut catalog = self.clone();
        catalog.insert(Sheet::Part(Box::new(varied.part)));
        catalog.insert(Sheet::Board(Box::new(varied.board)));
        catalog
    }
}

impl PartOnBoard<'_> {
    /// The figures of part and board that have a range in a timing class, in the order of their sheets.
    #[must_use]
    pub fn uncertain_figures(&self, timing: Timing) -> Vec<UncertainFigure> {
        let part = &self.part.header;
        let board = &self.board.header;
        let mut found = uncertain(Owner::Part, &part.id, &part.text, timing);
        found.extend(uncertain(Owner::Board, &board.id, &board.text, timing));
        found
    }

    /// The target with figures of its own times factors. A value that other figures of its sheet contradict, such as a
    /// cycle shorter than the pulse within it, is moved as far as they allow.
    #[must_use]
    pub fn varied<'f>(
        &self,
        changes: impl IntoIterator<Item = (&'f UncertainFigure, f64)>,
    ) -> VariedTarget {
        let (mut part, mut board) = (Vec::new(), Vec::new());
        for (figure, factor) in changes {
            let edits = match figure.owner {
                Owner::Part => &mut part,
                Owner::Board => &mut board,
            };
            edits.push((figure, factor));
        }
        let of_part = match edited(&self.part.header, &part) {
            Some(Sheet::Part(part)) => *part,
            _ => self.part.clone(),
        };
        let of_board = match edited(&self.board.header, &board) {
            Some(Sheet::Board(board)) => *board,
            _ => self.board.clone(),
        };
        VariedTarget {
            name: self.name.clone(),
            part: of_part,
            board: of_board,
        }
    }
}

/// What replaces which bytes of a sheet's text, for one figure.
type Edit = Vec<(Range<usize>, String)>;

/// Steps by which a value that a sheet contradicts approaches the one that it allows: to a thousandth of the way.
const STEPS: u32 = 10;

/// A sheet with figures times factors, each as far as it agrees with the rest of the sheet; `None` without any.
fn edited(header: &Header, changes: &[(&UncertainFigure, f64)]) -> Option<Sheet> {
    let with = |changes: &[(&UncertainFigure, f64)]| {
        let edits = changes.iter().map(|(figure, factor)| figure.times(*factor));
        let mut edits: Edit = edits.flatten().collect();
        edits.sort_by_key(|(span, _)| span.start);
        let mut text = header.text.to_string();
        for (span, value) in edits.into_iter().rev() {
            text.replace_range(span, &value);
        }
        parse(&header.file, &text).ok()
    };
    if changes.is_empty() {
        return None;
    }
    with(changes).or_else(|| {
        let mut kept = Vec::new();
        let mut sheet = None;
        for &(figure, factor) in changes {
            // The way from where it stands to where it shall lie, halved until what is left does not matter.
            let (mut sound, mut refused) = (0.0_f64, None);
            for _ in 0..STEPS {
                let way = refused.map_or(1.0, |refused: f64| f64::midpoint(sound, refused));
                kept.push((figure, libm::pow(factor, way)));
                match with(&kept) {
                    Some(found) => {
                        sheet = Some(found);
                        sound = way;
                    }
                    None => refused = Some(way),
                }
                kept.pop();
                if sound >= 1.0 {
                    break;
                }
            }
            if sound > 0.0 {
                kept.push((figure, libm::pow(factor, sound)));
            }
        }
        sheet
    })
}

#[cfg(test)]
mod exempt;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::SourcedFigure;
