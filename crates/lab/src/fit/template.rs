//! Templates: which figures of a sheet a log can determine, and where the search for them begins.
//!
//! A template is a table of figures and a function from what a log shows to values; everything else is the same
//! for every kind of memory. A new one is a file and a line in [`TEMPLATES`].

mod sd;

use wordline_core::quantity::{Quantity, Time, human};
use wordline_core::results::FigureUse;

use super::anatomy::Anatomy;
use super::search::SearchDimension;

/// Every template.
pub(crate) const TEMPLATES: &[Template] = &[sd::TEMPLATE];

/// A kind of memory that can be fitted.
pub(crate) struct Template {
    /// As `--template` spells it.
    pub(crate) name: &'static str,
    /// The default base.
    pub(crate) base: &'static str,
    /// The model that its base must be of, which names the sheet's table.
    pub(crate) model: &'static str,
    /// Figures that its firmware decides and that show in a log.
    pub(crate) knobs: &'static [Knob],
    /// Those among them that quick accesses depend on, which wait for no cleaning.
    pub(crate) quick: &'static [&'static str],
    /// Those among them that show only where the host pauses.
    pub(crate) idle: &'static [&'static str],
    /// Figures of the base that no fitted sheet takes over, since another card of the same name has others.
    pub(crate) left_out: &'static [&'static str],
    /// Where the search begins: values of the knobs that the base has, in their order. The base's own values are
    /// tried as well.
    pub(crate) starts: fn(&TemplateFields<'_>) -> Vec<Vec<f64>>,
}

/// A figure that can be fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Knob {
    /// Its dotted path in the sheet.
    pub(crate) path: &'static str,
    pub(crate) kind: TemplateKind,
    /// Values that a card can have, in seconds or as a number.
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// How many times its typical value the maximum of the base is, which a fitted figure keeps; `None` where the base
    /// states none.
    pub(crate) max_over_typ: Option<f64>,
}

/// How a figure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateKind {
    /// A time: `typ = "1 ms"`.
    Time,
    /// A whole number: `value = 8`.
    Count,
}

/// What a starting point is computed from.
pub(crate) struct TemplateFields<'a> {
    /// What the half log shows.
    pub(crate) log: &'a Anatomy,
    /// What the base did with the same work; `None` where it could not.
    pub(crate) base: Option<&'a Anatomy>,
    /// The knobs that the base has, with its values.
    pub(crate) knobs: &'a [(Knob, f64)],
    /// Every figure of the base.
    pub(crate) figures: &'a [FigureUse],
}

impl TemplateFields<'_> {
    /// The base's values, with some replaced.
    pub(crate) fn with(&self, changes: &[(&str, f64)]) -> Vec<f64> {
        let value = |(knob, base): &(Knob, f64)| {
            let change = changes.iter().find(|(path, _)| *path == knob.path);
            change.map_or(*base, |(_, value)| *value)
        };
        self.knobs.iter().map(value).collect()
    }

    /// The base's value of a knob.
    pub(crate) fn value(&self, path: &str) -> Option<f64> {
        let mut knobs = self.knobs.iter();
        knobs
            .find(|(knob, _)| knob.path == path)
            .map(|(_, value)| *value)
    }

    /// A count of the base that is not fitted; 0 where it has none.
    pub(crate) fn fixed(&self, path: &str) -> f64 {
        let figure = self.figures.iter().find(|figure| figure.figure == path);
        figure
            .and_then(|figure| TemplateKind::Count.parse(&figure.value))
            .unwrap_or(0.0)
    }
}

impl Knob {
    pub(crate) const fn axis(&self) -> SearchDimension {
        SearchDimension {
            least: self.least,
            most: self.most,
            whole: matches!(self.kind, TemplateKind::Count),
        }
    }

    /// The columns of the figure as TOML, rounded to what a fit can determine: four digits.
    pub(crate) fn columns(&self, value: f64) -> String {
        match self.kind {
            TemplateKind::Time => {
                let column = |value| Time::from_si(rounded(value));
                let typ = format!("typ = \"{}\"", column(value));
                match self.max_over_typ {
                    Some(times) => format!("{typ}, max = \"{}\"", column(times * value)),
                    None => typ,
                }
            }
            TemplateKind::Count => format!("value = {}", value.round() as u64),
        }
    }

    /// The value as people read it.
    pub(crate) fn told(&self, value: f64) -> String {
        match self.kind {
            TemplateKind::Time => human(value, "s", 3),
            TemplateKind::Count => format!("{}", value.round()),
        }
    }
}

impl TemplateKind {
    /// How many times the typical value the maximum is, where columns state both.
    pub(crate) fn max_over_typ(self, columns: &str) -> Option<f64> {
        let [typ, max] = [time_in(columns, "typ ")?, time_in(columns, "max ")?];
        (self == Self::Time && typ > 0.0).then_some(max / typ)
    }

    /// The value that columns of a sheet state, as [`FigureUse::value`] has them.
    pub(crate) fn parse(self, columns: &str) -> Option<f64> {
        let mut columns_of = columns.split(", ");
        match self {
            Self::Time => time_in(columns, "typ ").or_else(|| time_in(columns, "max ")),
            Self::Count => columns_of
                .find_map(|one| one.strip_prefix("value "))?
                .parse()
                .ok(),
        }
    }
}

/// The time that one of the columns states, in seconds.
fn time_in(columns: &str, column: &str) -> Option<f64> {
    let mut columns = columns.split(", ");
    let time = columns.find_map(|one| one.strip_prefix(column))?;
    time.parse::<Time>().ok().map(Time::si)
}

/// A number to four digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_written_as_it_is_read() {
        let knob = |kind| Knob {
            path: "card.x",
            kind,
            least: 0.0,
            most: 1e9,
            max_over_typ: None,
        };
        for (kind, value, columns) in [
            (TemplateKind::Time, 1.234_567e-3, "typ = \"1.235 ms\""),
            (TemplateKind::Count, 63.7, "value = 64"),
        ] {
            let knob = knob(kind);
            assert_eq!(knob.columns(value), columns);
            let told = columns.replace(" = ", " ").replace('"', "");
            let read = kind.parse(&told).expect("a value");
            assert!((read / value - 1.0).abs() < 0.01, "{read}");
        }
        let with_max = Knob {
            max_over_typ: TemplateKind::Time.max_over_typ("typ 2 ms, max 5 ms"),
            ..knob(TemplateKind::Time)
        };
        assert_eq!(with_max.columns(1e-3), "typ = \"1 ms\", max = \"2.5 ms\"");
        assert_eq!(TemplateKind::Time.max_over_typ("typ 2 ms"), None);
        assert_eq!(TemplateKind::Time.parse("max 2 ms, typ 1 ms"), Some(1e-3));
        assert_eq!(TemplateKind::Time.parse("max 2 ms"), Some(2e-3));
        assert_eq!(TemplateKind::Count.parse("typ 2 ms"), None);
    }
}
