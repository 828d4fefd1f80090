//! A data sheet's figure: its columns, and where they come from.

use serde::{Deserialize, Serialize};

use crate::basis::Basis;
use crate::draw::{Purpose, draw, hash_name, standard_normal};
use crate::names::named;
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
///
/// Three more keys say how far a figure can be trusted. `range = ["8 ms", "150 ms"]` states what others of its kind were
/// found to have, where one value stands for a class or was estimated; `max_range` says the same of the column `max`.
/// `assumed_columns = ["max"]` names the columns that the source does not state. All are checked here; what varies figures
/// within their ranges reads them from the text of the sheet.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawFigure<T>")]
#[serde(bound(deserialize = "T: Deserialize<'de> + PartialOrd"))]
pub struct Figure<T> {
    min: Option<T>,
    typ: Option<T>,
    max: Option<T>,
    provenance: Provenance,
}

/// A value that is no quantity, such as a list of modes, with where it comes from. In TOML it is a
/// table with the key `value` and the keys that a [`Figure`] has for its source.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawSourced<T>")]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Sourced<T> {
    value: T,
    provenance: Provenance,
}

impl<T> Sourced<T> {
    /// The value.
    #[must_use]
    pub const fn value(&self) -> &T {
        &self.value
    }

    /// Where it comes from.
    #[must_use]
    pub const fn provenance(&self) -> &Provenance {
        &self.provenance
    }
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table such as { value = 64, source = \"my data sheet, table 2\" }"
)]
struct RawSourced<T> {
    value: T,
    source: Option<String>,
    basis: Option<Basis>,
    #[serde(default)]
    assumed: bool,
    reason: Option<String>,
}

impl<T> TryFrom<RawSourced<T>> for Sourced<T> {
    type Error = &'static str;

    fn try_from(raw: RawSourced<T>) -> Result<Self, Self::Error> {
        Ok(Self {
            provenance: Provenance::from_keys(raw.source, raw.basis, raw.assumed, raw.reason)?,
            value: raw.value,
        })
    }
}

/// Where a figure comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// The kind of source.
    pub basis: Basis,
    /// Document and place, or the reason for an assumption.
    pub source: String,
}

/// The keys of a figure as TOML spells them, before they are checked. Its name appears in messages.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a figure: a table such as { typ = \"1 us\", source = \"my data sheet, table 2\" }"
)]
struct RawFigure<T> {
    min: Option<T>,
    typ: Option<T>,
    max: Option<T>,
    range: Option<Vec<T>>,
    max_range: Option<Vec<T>>,
    #[serde(default)]
    assumed_columns: Vec<SheetColumn>,
    source: Option<String>,
    basis: Option<Basis>,
    #[serde(default)]
    assumed: bool,
    reason: Option<String>,
}

named! {
    /// A column of a data sheet.
    pub enum SheetColumn {
        /// The least value.
        Min = "min",
        /// The usual value.
        Typ = "typ",
        /// The largest value.
        Max = "max",
    }
}

impl<T: PartialOrd> RawFigure<T> {
    const fn column(&self, column: SheetColumn) -> Option<&T> {
        match column {
            SheetColumn::Min => self.min.as_ref(),
            SheetColumn::Typ => self.typ.as_ref(),
            SheetColumn::Max => self.max.as_ref(),
        }
    }

    /// What contradicts itself in the keys that say how far the figure can be trusted.
    fn contradiction(&self) -> Option<&'static str> {
        if let Some(range) = &self.range {
            let [low, high] = &range[..] else {
                return Some("allowed: range = [least, most], two values");
            };
            let nominal = [&self.typ, &self.max, &self.min]
                .into_iter()
                .flatten()
                .next();
            if !nominal.is_some_and(|value| low <= value && value <= high) {
                return Some(
                    "the range does not hold the figure; allowed: range = [least, most] with typ (or what stands for \
                     it) in between",
                );
            }
        }
        if let Some(range) = &self.max_range {
            let ([low, high], Some(max)) = (&range[..], &self.max) else {
                return Some(
                    "allowed: max_range = [least, most], two values, in a figure with max",
                );
            };
            if !(low <= max && max <= high) {
                return Some(
                    "max_range does not hold max; allowed: max_range = [least, most] with max in between",
                );
            }
            if self.typ.as_ref().is_some_and(|typ| high < typ) {
                return Some(
                    "max_range lies below typ; allowed: max_range = [least, most] that reaches typ",
                );
            }
        }
        let stated = |column: &SheetColumn| self.column(*column).is_some();
        if !self.assumed_columns.iter().all(stated) {
            return Some("assumed_columns names a column that the figure lacks");
        }
        if self.assumed && !self.assumed_columns.is_empty() {
            return Some("assumed = true holds for every column; leave out assumed_columns");
        }
        let sourced = |column| stated(&column) && !self.assumed_columns.contains(&column);
        if !SheetColumn::ALL.into_iter().any(sourced) {
            return Some("every column is assumed; say assumed = true with a reason instead");
        }
        None
    }
}

impl<T: PartialOrd> TryFrom<RawFigure<T>> for Figure<T> {
    type Error = &'static str;

    fn try_from(raw: RawFigure<T>) -> Result<Self, Self::Error> {
        if raw.min.is_none() && raw.typ.is_none() && raw.max.is_none() {
            return Err("a figure needs at least one of min, typ, max");
        }
        if let Some(contradiction) = raw.contradiction() {
            return Err(contradiction);
        }
        let provenance = Provenance::from_keys(raw.source, raw.basis, raw.assumed, raw.reason)?;
        Ok(Self {
            min: raw.min,
            typ: raw.typ,
            max: raw.max,
            provenance,
        })
    }
}

impl Provenance {
    /// From the keys that a sheet states, which must agree.
    ///
    /// # Errors
    /// A sentence that says which key is missing or contradicts another.
    pub fn from_keys(
        source: Option<String>,
        basis: Option<Basis>,
        assumed: bool,
        reason: Option<String>,
    ) -> Result<Self, &'static str> {
        let full = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        match (full(source), assumed) {
            (Some(_), true) => {
                Err("a figure has either a source, or assumed = true with a reason; not both")
            }
            (Some(_), false) if reason.is_some() => {
                Err("a reason belongs to assumed = true; a figure with a source needs none")
            }
            (Some(source), false) => match basis.unwrap_or(Basis::Datasheet) {
                basis @ (Basis::Datasheet
                | Basis::Published
                | Basis::Calibrated
                | Basis::Measured
                | Basis::Estimated) => Ok(Provenance { basis, source }),
                _ => Err(
                    "the basis of a figure with a source is datasheet, published, calibrated, \
                      measured or estimated",
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
}

impl<T: Quantity> Figure<T> {
    /// The smallest stated column: what is certain of a figure where more is better, such as an
    /// endurance.
    #[must_use]
    pub fn least(&self) -> T {
        self.extreme(|one, other| one.si() <= other.si())
    }

    /// The largest stated column: how long a host waits to be certain.
    #[must_use]
    pub fn most(&self) -> T {
        self.extreme(|one, other| one.si() >= other.si())
    }

    fn extreme(&self, better: impl Fn(T, T) -> bool) -> T {
        [self.min, self.typ, self.max]
            .into_iter()
            .flatten()
            .fold(
                self.nominal(),
                |best, one| if better(one, best) { one } else { best },
            )
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

/// Reads the figures of one sheet for a timing class, and remembers which were read and which
/// columns were missing.
#[derive(Clone, Debug)]
pub struct Resolver {
    timing: Timing,
    key: u64,
    readings: Readings,
}

/// What a [`Resolver`] remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// Names of the figures that were read.
    pub figures: Vec<String>,
    /// Columns that were missing.
    pub fallbacks: Vec<Fallback>,
}

impl Resolver {
    /// A resolver for the sheet of an id; `seed` matters for [`Timing::Sampled`] alone.
    #[must_use]
    pub const fn new(timing: Timing, seed: u64, sheet: &str) -> Self {
        Self {
            timing,
            key: seed ^ hash_name(sheet),
            readings: Readings {
                figures: Vec::new(),
                fallbacks: Vec::new(),
            },
        }
    }

    /// The value of a figure where less is better: a duration, a current.
    ///
    /// `typ` falls back to `max`, and `max` to `typ`, each remembered as a [`Fallback`]. A sampled
    /// value is one draw for each seed, sheet and figure: log-normal, so that it is never zero, with
    /// `typ` as its median and `max` at the third standard deviation, cut there and at `min`, or
    /// as far below `typ` as `max` is above it. Data sheets state neither shape nor spread: the
    /// distribution is an assumption.
    pub fn resolve<T: Quantity>(&mut self, name: &str, figure: &Figure<T>) -> T {
        self.read(name);
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

    /// How long the host waits where a sheet says for how long it must: the largest column, in
    /// every timing class.
    pub fn wait<T: Quantity>(&mut self, name: &str, figure: &Figure<T>) -> T {
        self.read(name);
        figure.most()
    }

    /// What is certain of a figure where more is better: `min`, else the smallest column, which is
    /// remembered as a [`Fallback`].
    pub fn certain<T: Quantity>(&mut self, name: &str, figure: &Figure<T>) -> T {
        self.read(name);
        match (figure.min, figure.typ) {
            (Some(min), _) => min,
            (None, Some(_)) => self.fall_back(name, "min", "typ", figure.least()),
            (None, None) => self.fall_back(name, "min", "max", figure.least()),
        }
    }

    /// A figure that does not depend on the timing class: a size, a clock, a limit.
    pub fn fixed<T: Copy>(&mut self, name: &str, figure: &Figure<T>) -> T {
        self.read(name);
        figure.nominal()
    }

    /// What keys the draws of this seed for this sheet.
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The timing class that it resolves for.
    #[must_use]
    pub const fn timing(&self) -> Timing {
        self.timing
    }

    /// Remembers that something was read that is no [`Figure`].
    pub fn read(&mut self, name: &str) {
        if !self.readings.figures.iter().any(|known| known == name) {
            self.readings.figures.push(name.to_owned());
        }
    }

    /// What was read and what was missing so far.
    #[must_use]
    pub const fn readings(&self) -> &Readings {
        &self.readings
    }

    /// A duration that differs from operation to operation, such as that of an erase. Columns are
    /// replaced as by [`resolve`](Self::resolve), and the distribution is the same; but every place
    /// and cycle has a draw of its own.
    pub fn spread<T: Quantity>(
        &mut self,
        name: &str,
        figure: &Figure<T>,
        purpose: Purpose,
    ) -> Spread<T> {
        self.read(name);
        let key = draw(self.key, hash_name(name), 0, purpose);
        if let (Timing::Sampled, Some(typ), Some(max)) = (self.timing, figure.typ, figure.max) {
            return Spread::new(figure.min, typ, max, key, purpose);
        }
        let value = self.resolve(name, figure);
        Spread::new(Some(value), value, value, key, purpose)
    }

    fn fall_back<T>(
        &mut self,
        name: &str,
        wanted: &'static str,
        used: &'static str,
        value: T,
    ) -> T {
        self.readings.fallbacks.push(Fallback {
            figure: name.to_owned(),
            wanted,
            used,
        });
        value
    }

    fn sample<T: Quantity>(&self, name: &str, min: Option<T>, typ: T, max: T) -> T {
        Spread::new(min, typ, max, self.key, Purpose::FigureSample).at(hash_name(name), 0)
    }
}

/// A figure whose value differs from place to place and from cycle to cycle:
/// [`Resolver::spread`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread<T> {
    low: T,
    typ: T,
    high: T,
    /// Whether values differ.
    varies: bool,
    key: u64,
    purpose: Purpose,
}

impl<T: Quantity> Spread<T> {
    fn new(min: Option<T>, typ: T, high: T, key: u64, purpose: Purpose) -> Self {
        let mirrored = || T::from_si(typ.si() * typ.si() / high.si());
        Self {
            low: min.unwrap_or_else(mirrored),
            typ,
            high,
            varies: typ.si() > 0.0 && high.si() > typ.si(),
            key,
            purpose,
        }
    }

    /// The smallest value.
    #[must_use]
    pub const fn low(&self) -> T {
        self.low
    }

    /// The median.
    #[must_use]
    pub const fn typ(&self) -> T {
        self.typ
    }

    /// The largest value.
    #[must_use]
    pub const fn high(&self) -> T {
        self.high
    }

    /// The value for a place in its cycle: always the same for both.
    #[must_use]
    pub fn at(&self, block: u64, cycle: u64) -> T {
        self.at_cycle(block, || cycle)
    }

    /// The same; the cycle is asked for only where the value depends on it.
    #[must_use]
    #[inline]
    pub fn at_cycle(&self, block: u64, cycle: impl FnOnce() -> u64) -> T {
        if !self.varies {
            return self.typ;
        }
        self.drawn(block, cycle())
    }

    fn drawn(&self, block: u64, cycle: u64) -> T {
        let (low, typ, high) = (self.low.si(), self.typ.si(), self.high.si());
        let z = standard_normal(draw(self.key, block, cycle, self.purpose));
        let sigma = libm::log(high / typ) / 3.0;
        T::from_si((typ * libm::exp(sigma * z)).clamp(low.min(high), high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::{Current, Time};
    use proptest::prelude::*;

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
            (
                r#"{ typ = "2 ms", source = "x", range = ["3 ms", "4 ms"] }"#,
                "the range does not hold the figure",
            ),
            (
                r#"{ typ = "2 ms", source = "x", max_range = ["1 ms", "4 ms"] }"#,
                "allowed: max_range",
            ),
            (
                r#"{ typ = "2 ms", max = "5 ms", source = "x", max_range = ["9 ms", "4 ms"] }"#,
                "max_range does not hold max",
            ),
            (
                r#"{ typ = "2 ms", max = "5 ms", source = "x", max_range = ["6 ms", "9 ms"] }"#,
                "max_range does not hold max",
            ),
            (
                r#"{ typ = "9 ms", max = "5 ms", source = "x", max_range = ["4 ms", "6 ms"] }"#,
                "max_range lies below typ",
            ),
            (
                r#"{ typ = "2 ms", source = "x", assumed_columns = ["max"] }"#,
                "a column that the figure lacks",
            ),
            (
                r#"{ typ = "2 ms", source = "x", assumed_columns = ["typ"] }"#,
                "every column is assumed",
            ),
            (
                r#"{ typ = "2 ms", assumed = true, reason = "x", assumed_columns = ["typ"] }"#,
                "leave out assumed_columns",
            ),
            (
                r#"{ typ = "2 ms", source = "x", assumed_columns = ["most"] }"#,
                "unknown variant `most`",
            ),
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
        let mut resolver = Resolver::new(Timing::Typ, 0, "part");
        assert_eq!(
            resolver.resolve("current.read", &only_max),
            Current::from_si(0.2)
        );
        let expected = Fallback {
            figure: "current.read".into(),
            wanted: "typ",
            used: "max",
        };
        assert_eq!(resolver.readings().fallbacks, [expected]);
        assert_eq!(resolver.readings().figures, ["current.read"]);
    }

    #[test]
    fn the_seed_moves_sampled_figures_alone() {
        let figure = current(Some(0.059), Some(0.078));
        let value =
            |timing, seed| Resolver::new(timing, seed, "part").resolve("current.write", &figure);
        assert_eq!(value(Timing::Typ, 1), value(Timing::Typ, 2));
        assert_eq!(value(Timing::Max, 1), value(Timing::Max, 2));
        assert_eq!(value(Timing::Sampled, 1), value(Timing::Sampled, 1));
        assert_ne!(value(Timing::Sampled, 1), value(Timing::Sampled, 2));
    }

    #[test]
    fn two_sheets_draw_apart() {
        let figure = current(Some(0.059), Some(0.078));
        let value = |sheet| Resolver::new(Timing::Sampled, 1, sheet).resolve("i", &figure);
        assert_ne!(value("one"), value("other"));
    }

    #[test]
    fn half_of_the_samples_lie_below_typ_and_few_reach_max() {
        let figure = current(Some(0.3e-3), Some(1.33e-3));
        let values: Vec<f64> = (0..4000)
            .map(|seed| {
                Resolver::new(Timing::Sampled, seed, "part")
                    .resolve("i", &figure)
                    .si()
            })
            .collect();
        let share = |test: &dyn Fn(f64) -> bool| {
            values.iter().filter(|value| test(**value)).count() as f64 / values.len() as f64
        };
        assert!((share(&|value| value < 0.3e-3) - 0.5).abs() < 0.03);
        assert!((share(&|value| value >= 1.33e-3) - 0.00135).abs() < 0.002);
        let one_sigma = 0.3e-3 * (1.33f64 / 0.3).cbrt();
        assert!((share(&|value| value > one_sigma) - 0.1587).abs() < 0.02);
    }

    #[test]
    fn a_spread_is_drawn_for_each_place_and_cycle() {
        let figure = parse(r#"{ typ = "150 ms", max = "1 s", source = "s" }"#).expect("sound");
        let spread = |timing, seed| {
            Resolver::new(timing, seed, "part").spread("erase", &figure, Purpose::EraseTime)
        };
        let one = spread(Timing::Sampled, 1);
        assert_eq!(one.at(3, 4), one.at(3, 4));
        let others = [
            one.at(4, 4),
            one.at(3, 5),
            spread(Timing::Sampled, 2).at(3, 4),
        ];
        assert!(others.iter().all(|other| *other != one.at(3, 4)));
        let times: Vec<_> = (0..1000).map(|block| one.at(block, 0)).collect();
        assert!(
            times
                .iter()
                .all(|time| (one.low()..=one.high()).contains(time))
        );
        let below = times.iter().filter(|time| **time < one.typ()).count();
        assert!((450..550).contains(&below), "{below}");
        let fixed = spread(Timing::Max, 1);
        assert_eq!(fixed.at(3, 4), fixed.at(9, 9));
        assert_eq!(fixed.at(3, 4).to_string(), "1 s");
    }

    #[test]
    fn extremes_and_waits_take_the_outer_columns() {
        let figure = parse(r#"{ typ = "200 us", max = "350 us", source = "s" }"#).expect("sound");
        assert_eq!(figure.most(), Time::from_ps(350_000_000));
        assert_eq!(figure.least(), Time::from_ps(200_000_000));
        let only = parse(r#"{ min = "50 ns", source = "s" }"#).expect("sound");
        assert_eq!(only.most(), only.least());
    }

    proptest! {
        /// Whatever the ratio of the columns, a sample is above zero and within them.
        #[test]
        fn samples_are_possible(typ in 1u64..1 << 40, ratio in 1.0..100.0_f64, seed in any::<u64>()) {
            let max = (typ as f64 * ratio) as u64;
            let figure = Figure {
                min: None,
                typ: Some(Time::from_ps(typ)),
                max: Some(Time::from_ps(max)),
                provenance: Provenance { basis: Basis::Datasheet, source: "test".into() },
            };
            let value = Resolver::new(Timing::Sampled, seed, "part").resolve("t", &figure).ps();
            prop_assert!(value <= max && value as f64 >= (typ as f64 / ratio).floor());
            prop_assert!(value > 0 || typ as f64 / ratio < 0.5);
        }
    }
}
