//! A data sheet's figure: its columns, and where they come from.

use serde::{Deserialize, Serialize};

use crate::basis::Basis;
use crate::draw::{Purpose, draw, hash_name, standard_normal};
use crate::quantity::Quantity;
use crate::timing::Timing;

/// A data sheet's figure: its columns, and where they come from.
///
/// In TOML it is a table with at least one of `min`, `typ` and `max`, and either a `source` (whose
/// `basis` is `datasheet` unless it says otherwise) or `assumed = true` with a `reason`:
///
/// ```
/// use wordline_core::{Basis, Figure, quantity::Time};
///
/// #[derive(serde::Deserialize)]
/// struct Sheet { page_program: Figure<Time> }
///
/// let sheet: Sheet = toml::from_str(
///     r#"page_program = { typ = "220 us", max = "600 us", source = "rev. H, table 12" }"#,
/// )?;
/// assert_eq!(sheet.page_program.provenance().basis, Basis::Datasheet);
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawFigure<T>")]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Figure<T> {
    min: Option<T>,
    typ: Option<T>,
    max: Option<T>,
    provenance: Provenance,
}

/// Where a figure comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// The kind of source.
    pub basis: Basis,
    /// Document and place, or the reason for an assumption.
    pub source: String,
}

/// The keys of a figure as TOML spells them, before they are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFigure<T> {
    min: Option<T>,
    typ: Option<T>,
    max: Option<T>,
    source: Option<String>,
    basis: Option<Basis>,
    #[serde(default)]
    assumed: bool,
    reason: Option<String>,
}

impl<T> TryFrom<RawFigure<T>> for Figure<T> {
    type Error = &'static str;

    fn try_from(raw: RawFigure<T>) -> Result<Self, Self::Error> {
        if raw.min.is_none() && raw.typ.is_none() && raw.max.is_none() {
            return Err("a figure needs at least one of min, typ, max");
        }
        let provenance = provenance(raw.source, raw.basis, raw.assumed, raw.reason)?;
        Ok(Self {
            min: raw.min,
            typ: raw.typ,
            max: raw.max,
            provenance,
        })
    }
}

/// Checks that a number says where it comes from.
fn provenance(
    source: Option<String>,
    basis: Option<Basis>,
    assumed: bool,
    reason: Option<String>,
) -> Result<Provenance, &'static str> {
    let full = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    match (full(source), assumed) {
        (Some(_), true) => {
            Err("a figure has either a source, or assumed = true with a reason; not both")
        }
        (Some(_), false) if reason.is_some() => {
            Err("a reason belongs to assumed = true; a figure with a source needs none")
        }
        (Some(source), false) => match basis.unwrap_or(Basis::Datasheet) {
            basis @ (Basis::Datasheet | Basis::Published | Basis::Calibrated | Basis::Measured) => {
                Ok(Provenance { basis, source })
            }
            _ => Err(
                "the basis of a figure with a source is datasheet, published, calibrated or \
                      measured",
            ),
        },
        (None, true) if basis.is_some_and(|basis| basis != Basis::Assumed) => {
            Err("assumed = true fixes the basis; leave out the key basis")
        }
        (None, true) => full(reason)
            .map(|source| Provenance {
                basis: Basis::Assumed,
                source,
            })
            .ok_or("an assumed figure needs a reason"),
        (None, false) => Err(
            "the source is missing: name document and table, or set assumed = true with a \
                 reason",
        ),
    }
}

impl<T: Copy> Figure<T> {
    /// The `min` column.
    #[must_use]
    pub const fn min(&self) -> Option<T> {
        self.min
    }

    /// The `typ` column.
    #[must_use]
    pub const fn typ(&self) -> Option<T> {
        self.typ
    }

    /// The `max` column.
    #[must_use]
    pub const fn max(&self) -> Option<T> {
        self.max
    }

    /// Where the figure comes from.
    #[must_use]
    pub const fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The typical value, else whichever bound is stated.
    #[must_use]
    pub fn nominal(&self) -> T {
        match (self.typ, self.max, self.min) {
            (Some(value), _, _) | (None, Some(value), _) | (None, None, Some(value)) => value,
            (None, None, None) => unreachable!("construction checks that a column is present"),
        }
    }

    /// The guaranteed value of a figure where more is better (endurance): `min`, else nominal.
    #[must_use]
    pub fn guaranteed(&self) -> T {
        self.min.unwrap_or_else(|| self.nominal())
    }
}

/// A column that a sheet lacks, and the one that stood in for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// Dotted path of the figure in its sheet.
    pub figure: String,
    /// The column that the timing class asked for.
    pub wanted: &'static str,
    /// The column that was used.
    pub used: &'static str,
}

/// Picks the value of each figure for a timing class, and remembers every column that was missing.
#[derive(Clone, Debug)]
pub struct Resolver {
    timing: Timing,
    seed: u64,
    fallbacks: Vec<Fallback>,
}

impl Resolver {
    /// A resolver for one device; `seed` matters for [`Timing::Sampled`] alone.
    #[must_use]
    pub const fn new(timing: Timing, seed: u64) -> Self {
        Self {
            timing,
            seed,
            fallbacks: Vec::new(),
        }
    }

    /// The value of a figure where less is better: a duration, a current.
    ///
    /// `typ` falls back to `max`, and `max` to `typ`, each remembered as a [`Fallback`]. A sampled
    /// value is one draw for each chip and figure, from a normal distribution whose mean is `typ`
    /// and whose third standard deviation reaches `max`, cut there and at `min` or its mirror
    /// image. Data sheets state neither shape nor spread: the distribution is an assumption.
    pub fn resolve<T: Quantity>(&mut self, name: &str, figure: &Figure<T>) -> T {
        match (self.timing, figure.typ, figure.max) {
            (Timing::Typ, Some(typ), _) => typ,
            (Timing::Max, _, Some(max)) => max,
            (Timing::Sampled, Some(typ), Some(max)) => self.sample(name, figure.min, typ, max),
            (Timing::Typ | Timing::Sampled, None, Some(max)) => {
                self.fall_back(name, "typ", "max", max)
            }
            (Timing::Max | Timing::Sampled, Some(typ), None) => {
                self.fall_back(name, "max", "typ", typ)
            }
            (_, None, None) => self.fall_back(name, self.timing.name(), "min", figure.nominal()),
        }
    }

    /// What was missing so far.
    #[must_use]
    pub fn fallbacks(&self) -> &[Fallback] {
        &self.fallbacks
    }

    fn fall_back<T>(
        &mut self,
        name: &str,
        wanted: &'static str,
        used: &'static str,
        value: T,
    ) -> T {
        self.fallbacks.push(Fallback {
            figure: name.to_owned(),
            wanted,
            used,
        });
        value
    }

    fn sample<T: Quantity>(&self, name: &str, min: Option<T>, typ: T, max: T) -> T {
        let z = standard_normal(draw(self.seed, hash_name(name), 0, Purpose::FigureSample));
        let (typ, max) = (typ.si(), max.si());
        let spread = max - typ;
        let low = min.map_or(typ - spread, Quantity::si);
        T::from_si((typ + spread * z / 3.0).clamp(low.min(max), max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::{Current, Time};

    #[derive(Debug, Deserialize)]
    struct Sheet {
        figure: Figure<Time>,
    }

    fn parse(figure: &str) -> Result<Figure<Time>, String> {
        toml::from_str::<Sheet>(&format!("figure = {figure}"))
            .map(|sheet| sheet.figure)
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_figure_says_where_it_comes_from() {
        let figure = parse(r#"{ typ = "2 ms", max = "10 ms", source = "rev. H" }"#);
        assert_eq!(figure.map(|f| f.provenance.basis), Ok(Basis::Datasheet));
        let figure = parse(r#"{ typ = "2 ms", assumed = true, reason = "as its sibling" }"#);
        assert_eq!(figure.map(|f| f.provenance.basis), Ok(Basis::Assumed));
        let figure = parse(r#"{ typ = "2 ms", basis = "calibrated", source = "fig. 3" }"#);
        assert_eq!(figure.map(|f| f.provenance.basis), Ok(Basis::Calibrated));
    }

    #[test]
    fn a_figure_without_basis_is_refused() {
        let cases = [
            (r#"{ typ = "2 ms" }"#, "the source is missing"),
            (r#"{ typ = "2 ms", source = " " }"#, "the source is missing"),
            (r#"{ source = "x" }"#, "at least one of min, typ, max"),
            (r#"{ typ = "2 ms", assumed = true }"#, "needs a reason"),
            (
                r#"{ typ = "2 ms", assumed = true, source = "x" }"#,
                "not both",
            ),
            (
                r#"{ typ = "2 ms", source = "x", reason = "y" }"#,
                "needs none",
            ),
            (
                r#"{ typ = "2 ms", source = "x", basis = "simulated" }"#,
                "calibrated",
            ),
            (r#"{ typ = "2 ms", sauce = "x" }"#, "unknown field `sauce`"),
            (r#"{ typ = "3 MHz", source = "x" }"#, "unknown unit \"MHz\""),
        ];
        for (text, expected) in cases {
            let error = parse(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    fn current(typ: Option<f64>, max: Option<f64>) -> Figure<Current> {
        Figure {
            min: None,
            typ: typ.map(Current::from_si),
            max: max.map(Current::from_si),
            provenance: Provenance {
                basis: Basis::Datasheet,
                source: "test".into(),
            },
        }
    }

    #[test]
    fn a_missing_column_is_replaced_and_remembered() {
        let only_max = current(None, Some(0.2));
        let mut resolver = Resolver::new(Timing::Typ, 0);
        assert_eq!(
            resolver.resolve("current.read", &only_max),
            Current::from_si(0.2)
        );
        let expected = Fallback {
            figure: "current.read".into(),
            wanted: "typ",
            used: "max",
        };
        assert_eq!(resolver.fallbacks(), [expected]);
    }

    #[test]
    fn the_seed_moves_sampled_figures_alone() {
        let figure = current(Some(0.059), Some(0.078));
        let value = |timing, seed| Resolver::new(timing, seed).resolve("current.write", &figure);
        assert_eq!(value(Timing::Typ, 1), value(Timing::Typ, 2));
        assert_eq!(value(Timing::Max, 1), value(Timing::Max, 2));
        assert_eq!(value(Timing::Sampled, 1), value(Timing::Sampled, 1));
        assert_ne!(value(Timing::Sampled, 1), value(Timing::Sampled, 2));
    }

    #[test]
    fn samples_stay_between_the_columns_and_centre_on_typ() {
        let figure = current(Some(0.059), Some(0.078));
        let mut sum = 0.0;
        for seed in 0..2000 {
            let value = Resolver::new(Timing::Sampled, seed)
                .resolve("i", &figure)
                .si();
            assert!((0.040 - 1e-12..=0.078).contains(&value), "{value}");
            sum += value;
        }
        assert!((sum / 2000.0 - 0.059).abs() < 0.0005);
    }
}
