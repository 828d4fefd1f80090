//! A curve of a document, without its document: names, where it comes from, its points and its figures.

use serde::Serialize;
use wordline_core::{Basis, Metric};

use crate::pivot::ascending;

/// A curve, or a group of bars, of one document.
#[derive(Clone, Debug, Serialize)]
pub(super) struct OverlayCurve {
    /// Place of its document.
    #[serde(skip)]
    pub(super) document: usize,
    pub(super) target: String,
    /// What else distinguishes it from others of its target: "1:0", "write, 4 KiB". Empty where nothing does.
    pub(super) conditions: String,
    pub(super) basis: Basis,
    /// In the order in which the curve runs; none for bars.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) points: Vec<(f64, f64)>,
    /// Figures of the whole curve, or the bars.
    pub(super) figures: Vec<OverlayFigure>,
}

/// A figure of a curve.
#[derive(Clone, Debug, Serialize)]
pub(super) struct OverlayFigure {
    /// As a column names it.
    pub(super) name: String,
    pub(super) metric: Metric,
    pub(super) value: f64,
}

impl OverlayFigure {
    pub(super) fn new(name: impl Into<String>, metric: Metric, value: f64) -> Self {
        let name = name.into();
        Self {
            name,
            metric,
            value,
        }
    }
}

impl OverlayCurve {
    /// A curve of the first document: whoever gathers several sets the others' places.
    pub(super) fn new(target: &str, conditions: impl Into<String>, basis: Basis) -> Self {
        Self {
            document: 0,
            target: target.to_owned(),
            conditions: conditions.into(),
            basis,
            points: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// Whether hardware gave it: here, or at others' who published it.
    pub(super) fn is_measured(&self) -> bool {
        matches!(self.basis, Basis::Measured | Basis::Published)
    }

    /// The letter of its basis, where there is no room for the word.
    pub(super) fn letter(&self) -> char {
        let mut letters = self.basis.name().chars();
        letters.next().unwrap_or('?').to_ascii_uppercase()
    }

    pub(super) fn figure(&self, name: &str) -> Option<&OverlayFigure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    /// The first and the last place of the curve; `None` where it has no extent.
    pub(super) fn extent(&self) -> Option<(f64, f64)> {
        let places = || {
            self.points
                .iter()
                .map(|(x, _)| *x)
                .filter(|x| x.is_finite())
        };
        let (low, high) = (
            places().min_by(f64::total_cmp)?,
            places().max_by(f64::total_cmp)?,
        );
        (low < high).then_some((low, high))
    }

    /// The value at a place, on the straight line between the first two points that enclose it: a curve may bend back.
    pub(super) fn value_at(&self, place: f64) -> Option<f64> {
        self.points.windows(2).find_map(|pair| {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            let within = (x0.min(x1)..=x0.max(x1)).contains(&place);
            let share = match x1 - x0 {
                0.0 => 0.0,
                length => (place - x0) / length,
            };
            let value = y0 + share * (y1 - y0);
            (within && value.is_finite()).then_some(value)
        })
    }
}

/// So many places that all curves reach, ascending: points that all have, or places of two digits between them.
pub(super) fn common_places<'c>(
    curves: impl Iterator<Item = &'c OverlayCurve>,
    count: u32,
) -> Vec<f64> {
    let curves: Vec<&OverlayCurve> = curves.collect();
    let points = curves.first().map_or(&[][..], |first| &first.points);
    let shared = points.iter().map(|(x, _)| *x);
    let shared: Vec<f64> = ascending(shared.filter(|x| {
        let has = |curve: &&OverlayCurve| curve.points.iter().any(|(other, _)| other == x);
        curves.iter().all(has)
    }));
    if curves.len() > 1 && shared.len() >= count as usize {
        let last = shared.len() - 1;
        let places = (1..=count as usize).map(|step| shared[step * last / (count as usize + 1)]);
        let mut places: Vec<f64> = places.collect();
        places.dedup();
        return places;
    }
    let extents: Option<Vec<(f64, f64)>> = curves.iter().map(|curve| curve.extent()).collect();
    let extents = extents.unwrap_or_default();
    let low = extents.iter().map(|(low, _)| *low).max_by(f64::total_cmp);
    let high = extents.iter().map(|(_, high)| *high).min_by(f64::total_cmp);
    let Some((low, high)) = low.zip(high).filter(|(low, high)| low < high) else {
        return Vec::new();
    };
    let places = (1..=count).map(|step| {
        let place = low + (high - low) * f64::from(step) / f64::from(count + 1);
        let round = two_digits(place);
        // Rounding may leave the range.
        if (low..=high).contains(&round) {
            round
        } else {
            place
        }
    });
    let mut places: Vec<f64> = places.collect();
    places.dedup();
    places
}

/// A value rounded to two significant digits.
fn two_digits(value: f64) -> f64 {
    let text = format!("{value:.1e}");
    text.parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(f64, f64)]) -> OverlayCurve {
        OverlayCurve {
            points: points.to_vec(),
            ..OverlayCurve::new("a@b", "", Basis::Simulated)
        }
    }

    #[test]
    fn values_lie_between_the_points_and_nowhere_else() {
        // The last piece bends back: the first crossing counts.
        let bent = curve(&[(1e9, 100e-9), (3e9, 200e-9), (2.5e9, 300e-9)]);
        assert_eq!(bent.value_at(1e9), Some(100e-9));
        assert!((bent.value_at(2e9).expect("inside") - 150e-9).abs() < 1e-15);
        assert!((bent.value_at(2.75e9).expect("inside") - 187.5e-9).abs() < 1e-15);
        assert_eq!(bent.value_at(0.5e9), None);
        assert_eq!(bent.value_at(3.5e9), None);
        assert_eq!(curve(&[(1.0, 2.0)]).value_at(1.0), None);
    }

    #[test]
    fn places_are_those_that_every_curve_reaches() {
        let (wide, narrow) = (
            curve(&[(1e9, 1.0), (101e9, 2.0)]),
            curve(&[(21e9, 1.0), (61e9, 2.0)]),
        );
        assert_eq!(
            common_places([&wide, &narrow].into_iter(), 3),
            [31e9, 41e9, 51e9]
        );
        let apart = curve(&[(200e9, 1.0), (300e9, 2.0)]);
        assert!(common_places([&wide, &apart].into_iter(), 3).is_empty());
        assert!(common_places([&wide, &curve(&[])].into_iter(), 3).is_empty());
        let sizes = curve(&[1.0, 2.0, 4.0, 8.0, 16.0].map(|size| (size, size)));
        assert_eq!(
            common_places([&sizes, &sizes].into_iter(), 3),
            [2.0, 4.0, 8.0]
        );
    }

    #[test]
    fn what_was_measured_is_apart_from_everything_else() {
        let of = |basis| OverlayCurve::new("a", "", basis);
        assert!(of(Basis::Measured).is_measured() && of(Basis::Published).is_measured());
        assert!(!of(Basis::Simulated).is_measured() && !of(Basis::Proven).is_measured());
        assert_eq!(
            (of(Basis::Measured).letter(), of(Basis::Simulated).letter()),
            ('M', 'S')
        );
    }
}
