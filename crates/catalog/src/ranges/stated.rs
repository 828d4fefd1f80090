//! What the table of a figure states, and the range that follows from it.

use std::ops::Range;
use std::str::FromStr;

use toml::de::{DeTable, DeValue};
use wordline_core::quantity::{
    ByteCount, Current, Cycles, DataRate, Fraction, Frequency, Money, Period, Quantity,
    QuantityError, Time, number_and_unit,
};
use wordline_core::{Basis, Timing};
use wordline_nvm::Problem;

use super::{Adverse, FigureKind, Influence, Owner, UncertainFigure};
use crate::{estimate, figures};

/// A column that is scaled, and where its value stands in the text of the sheet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ColumnText {
    /// The value with its quotes.
    pub(super) span: Range<usize>,
    pub(super) number: f64,
    /// As the sheet writes it; empty for a plain number.
    pub(super) unit: String,
    /// Whether it is a count.
    pub(super) whole: bool,
    /// What stated columns leave it, in its unit: no `max` lies below `typ`, and no `typ` above `max`.
    pub(super) bounds: [f64; 2],
}

/// A stated range: its ends in the SI unit, and where it stands in the text of the sheet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RangeText {
    pub(super) ends: [f64; 2],
    pub(super) span: Range<usize>,
}

/// What no other column bounds.
pub(super) const UNBOUNDED: [f64; 2] = [0.0, f64::INFINITY];

impl ColumnText {
    /// Its value in the SI unit.
    fn si(&self) -> Option<f64> {
        si(&format!("{} {}", self.number, self.unit)).map(|(value, _)| value)
    }

    /// Its value in the unit of another column.
    fn in_unit_of(&self, other: &Self) -> Option<f64> {
        Some(self.si()? / other.si()? * other.number)
    }

    /// One of its unit, in the SI unit.
    pub(super) fn si_of_one(&self) -> f64 {
        si(&format!("1 {}", self.unit)).map_or(1.0, |(one, _)| one)
    }

    /// The number times a factor, as far as stated columns allow.
    pub(super) fn times(&self, factor: f64) -> f64 {
        let [least, most] = self.bounds;
        (self.number * factor).clamp(least, most.max(least))
    }

    /// A number in its unit, as TOML: four digits, and whole numbers of what has no fractions.
    pub(super) fn written(&self, value: f64) -> String {
        let whole = self.whole || matches!(self.unit.as_str(), "cycles" | "cycle" | "B" | "ps");
        let value = match whole {
            true => value.round().max(1.0),
            false => format!("{value:.3e}").parse().unwrap_or(value),
        };
        if self.whole {
            format!("{value}")
        } else if self.unit.is_empty() {
            format!("{value:?}")
        } else {
            format!("\"{value} {}\"", self.unit)
        }
    }
}

/// Ranges that nothing makes use of: those of figures that are no [kind](super::KINDS), such as a capacity or the bytes of a page,
/// which are what they are.
pub(crate) fn unused(tree: &DeTable<'_>) -> Vec<Problem> {
    let mut found = Vec::new();
    figures::each(tree, &mut |start, path, table| {
        let stated = ["range", "max_range"]
            .into_iter()
            .find(|key| table.contains_key(*key));
        if let Some(key) = stated
            && figures::provenance(table).is_some()
            && FigureKind::of(path).is_none()
        {
            let message = format!(
                "no result makes use of a {key} of this figure; state its value alone, and say assumed = true with a reason \
                 where no source states it"
            );
            let path = path.to_owned();
            found.push((start, Problem { path, message }));
        }
    });
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, problem)| problem).collect()
}

/// The figures of a sheet that have a range. A sheet that is no TOML has none.
pub(super) fn uncertain(
    owner: Owner,
    sheet: &str,
    text: &str,
    timing: Timing,
) -> Vec<UncertainFigure> {
    let Ok(tree) = estimate::tree(text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    figures::each(&tree, &mut |start, path, table| {
        let stated = Stated::of(text, table);
        if let Some(figure) = stated.and_then(|stated| stated.uncertain(owner, sheet, path, timing))
        {
            found.push((start, figure));
        }
    });
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, figure)| figure).collect()
}

/// What a figure's table states.
pub(super) struct Stated {
    pub(super) basis: Basis,
    pub(super) source: String,
    /// Column by its name, in the order of [`COLUMNS`].
    pub(super) columns: Vec<(&'static str, ColumnText)>,
    pub(super) assumed: Vec<String>,
    pub(super) range: Option<RangeText>,
    pub(super) max_range: Option<RangeText>,
}

/// The keys of a figure that hold numbers.
const COLUMNS: [&str; 4] = ["min", "typ", "max", "value"];

impl Stated {
    pub(super) fn of(text: &str, table: &DeTable<'_>) -> Option<Self> {
        let (basis, source) = figures::provenance(table)?;
        let columns = COLUMNS.iter().filter_map(|key| {
            let value = table.get(*key)?;
            let written = match value.get_ref() {
                DeValue::String(string) => string.to_string(),
                DeValue::Integer(_) | DeValue::Float(_) => text.get(value.span())?.to_owned(),
                _ => return None,
            };
            let (number, unit) = number_and_unit(&written)?;
            let (number, unit) = (number.parse().ok()?, unit.to_owned());
            let column = ColumnText {
                span: value.span(),
                number,
                unit,
                whole: matches!(value.get_ref(), DeValue::Integer(_)),
                bounds: UNBOUNDED,
            };
            Some((*key, column))
        });
        let range = |key: &str| {
            let stated = table.get(key)?;
            let ends = stated.get_ref().as_array()?;
            let end = |index: usize| Some(si(ends.get(index)?.get_ref().as_str()?)?.0);
            Some(RangeText {
                ends: [end(0)?, end(1)?],
                span: stated.span(),
            })
        };
        Some(Self {
            basis,
            source,
            columns: columns.collect(),
            assumed: figures::assumed_columns(table),
            range: range("range"),
            max_range: range("max_range"),
        })
    }

    pub(super) fn column(&self, name: &str) -> Option<&ColumnText> {
        let mut columns = self.columns.iter();
        columns
            .find(|(key, _)| *key == name)
            .map(|(_, column)| column)
    }

    pub(super) fn uncertain(
        &self,
        owner: Owner,
        sheet: &str,
        path: &str,
        timing: Timing,
    ) -> Option<UncertainFigure> {
        let kind = FigureKind::of(path)?;
        // What is certain of an endurance is its least column, in every timing class.
        let wanted: &[&str] = match (kind.influence, timing) {
            (Influence::Life | Influence::Failures, _) => &["min", "typ", "value", "max"],
            (_, Timing::Max) => &["max", "typ", "value", "min"],
            _ => &["typ", "value", "max", "min"],
        };
        let (used, column) = wanted
            .iter()
            .find_map(|name| Some((*name, self.column(name)?)))?;
        let (value, unit) = si(&format!("{} {}", column.number, column.unit))?;
        // No factor makes anything else of nothing.
        if value == 0.0 {
            return None;
        }
        let all = || {
            self.columns
                .iter()
                .map(|(_, column)| column.clone())
                .collect()
        };
        let with_range = |range: Option<&RangeText>, basis, low, high, columns| {
            let own = self.max_range.as_ref();
            let max_range = own.filter(|own| range.is_none_or(|range| range.span != own.span));
            Some(UncertainFigure {
                owner,
                sheet: sheet.to_owned(),
                figure: path.to_owned(),
                kind,
                basis,
                sample: (basis == Basis::Estimated).then(|| sample(&self.source)),
                value,
                unit,
                low,
                high,
                columns,
                range: range.cloned(),
                max_range: max_range.cloned(),
            })
        };
        // The column with what the other one leaves it, where that is stated.
        let bounded = |column: &ColumnText| {
            let of = |name: &str| {
                let other = self.column(name).filter(|_| name != used);
                let stated = other.filter(|_| self.assumed.iter().all(|assumed| assumed != name));
                stated.and_then(|other| other.in_unit_of(column))
            };
            let least = if used == "max" { of("typ") } else { None };
            let most = if used == "typ" { of("max") } else { None };
            ColumnText {
                bounds: [least.unwrap_or(0.0), most.unwrap_or(f64::INFINITY)],
                ..column.clone()
            }
        };
        if let (Some(stated), "max") = (&self.max_range, used) {
            let column = bounded(column);
            let [low, high] = stated.ends.map(|end| end / value);
            let low = low.max(column.bounds[0] / column.number);
            let (low, high) = (low.min(1.0), high.max(1.0));
            return with_range(Some(stated), self.basis, low, high, vec![column]);
        }
        // Where no source states the largest value, the typical one and the usual ratio stand for it.
        let most = kind.max_over_typ(path).filter(|_| {
            let largest = used == "typ" || (used == "max" && self.is_open("max"));
            largest && kind.adverse == Adverse::High && timing != Timing::Typ
        });
        let typ = self.column("typ").filter(|_| most.is_some());
        let (name, from) = typ.map_or((used, column), |typ| ("typ", typ));
        let from = from.si()?;
        let [low, high] = match &self.range {
            Some(stated) => stated.ends,
            None if self.is_open(name) => [from / kind.factor(), from * kind.factor()],
            None => [from; 2],
        };
        let high = high * most.filter(|_| typ.is_some()).unwrap_or(1.0);
        // A largest value may lie above its class's range already.
        let (low, high) = ((low / value).min(1.0), (high / value).max(1.0));
        if (low, high) == (1.0, 1.0) {
            return None;
        }
        if self.range.is_some() || self.basis.is_unsourced() {
            return with_range(self.range.as_ref(), self.basis, low, high, all());
        }
        with_range(None, Basis::Assumed, low, high, vec![bounded(column)])
    }

    /// Whether no source states a column.
    fn is_open(&self, column: &str) -> bool {
        self.basis.is_unsourced() || self.assumed.iter().any(|name| name == column)
    }
}

/// What the source of an estimated figure says before its ranges.
fn sample(source: &str) -> String {
    let sample = source.split_once(": ").map_or(source, |(sample, _)| sample);
    sample.to_owned()
}

/// A quantity of any kind that has a range, in its SI unit.
pub(super) fn si(text: &str) -> Option<(f64, &'static str)> {
    fn of<T: Quantity + FromStr<Err = QuantityError>>(text: &str) -> Option<f64> {
        text.trim().parse::<T>().ok().map(Quantity::si)
    }
    type Parser = fn(&str) -> Option<f64>;
    let tried: [(Parser, &'static str); 8] = [
        (of::<Time>, "s"),
        (of::<Period>, "s"),
        (of::<Cycles>, "cycles"),
        (of::<Current>, "A"),
        (of::<DataRate>, "B/s"),
        (of::<Money>, "EUR"),
        (of::<Frequency>, "Hz"),
        (of::<ByteCount>, "B"),
    ];
    let found = tried.iter().find_map(|(of, unit)| Some((of(text)?, *unit)));
    found.or_else(|| of::<Fraction>(text).map(|value| (value, "1")))
}
