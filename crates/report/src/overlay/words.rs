//! How curves are named, the table of a kind, and its sentence.

use wordline_core::results::CardSubject;

use super::curve::{OverlayCurve, OverlayFigure, common_places};
use super::kind::OverlayShape;
use super::{Overlay, SharedCurves};
use crate::answer::few;
use crate::grid::{Column, Grid};
use crate::pivot::{differs, each};
use crate::tabulate::Tabulation;
use crate::{notes, text};

/// Places at which curves are compared.
const PLACES: u32 = 3;

/// A value of each of some curves.
type Compared<'c> = Vec<(&'c OverlayCurve, f64, String)>;

impl SharedCurves {
    /// A curve in a legend and in a sentence: its target and, where others share that, its document and what else
    /// distinguishes it.
    pub(super) fn label(&self, of: &Overlay<'_>, curve: &OverlayCurve) -> String {
        let same = |other: &&OverlayCurve| other.target == curve.target;
        let alike: Vec<&OverlayCurve> = self.curves.iter().filter(same).collect();
        let mut label = self.short(curve);
        if differs(&alike, |one| one.document) {
            label += &format!(" in {}", of.name(curve.document));
        }
        if differs(&self.curves, |one| one.conditions.clone()) && !curve.conditions.is_empty() {
            label += &format!(", {}", curve.conditions);
        }
        text::printable(&label)
    }

    /// The same for a sentence: of what distinguishes curves it names what differs within the target alone.
    fn brief(&self, of: &Overlay<'_>, curve: &OverlayCurve) -> String {
        let same = |other: &&OverlayCurve| other.target == curve.target;
        let alike: Vec<&OverlayCurve> = self.curves.iter().filter(same).collect();
        let mut label = self.short(curve);
        if differs(&alike, |one| one.document) {
            label += &format!(" in {}", of.name(curve.document));
        }
        let words = curve.conditions.split(", ");
        let own: Vec<&str> = words
            .filter(|word| {
                !alike
                    .iter()
                    .all(|one| one.conditions.split(", ").any(|other| other == *word))
            })
            .collect();
        if !own.is_empty() {
            label += &format!(", {}", own.join(", "));
        }
        text::printable(&label)
    }

    /// A target without its board where all have the same.
    fn short(&self, curve: &OverlayCurve) -> String {
        let board = |one: &OverlayCurve| {
            one.target
                .split_once('@')
                .map(|(_, board)| board.to_owned())
        };
        let targets = each(&self.curves, |one| one.target.clone());
        match targets.len() > 1 && !differs(&self.curves, board) {
            true => text::part_of(&curve.target).to_owned(),
            false => curve.target.clone(),
        }
    }

    /// A row for each curve: where it comes from, its figures, and its values where all can be compared.
    pub(super) fn table(&self, of: &Overlay<'_>) -> Option<Grid> {
        let table = Tabulation::new(format!("{}, side by side", self.kind.heading))
            .key(Column::left("document"), |curve: &&OverlayCurve| {
                of.name(curve.document).to_owned()
            })
            .key(Column::left("basis"), |curve| curve.basis.to_string())
            .key(Column::left("target"), |curve| self.short(curve))
            .key_if_varying(Column::left("of"), |curve| curve.conditions.clone());
        let table = match &self.kind.shape {
            OverlayShape::Curves { told_x, told_y, .. } => {
                let places = common_places(self.curves.iter(), PLACES);
                places.into_iter().fold(table, |table, place| {
                    table.figure(format!("at {}", told_x(place)), move |curve| {
                        Some(told_y(curve.value_at(place)?))
                    })
                })
            }
            OverlayShape::Bars { .. } => table,
        };
        let all = self
            .curves
            .iter()
            .flat_map(|curve| &curve.figures)
            .collect::<Vec<_>>();
        let names = each(&all, |figure| figure.name.clone());
        let table = names.into_iter().fold(table, |table, name| {
            table.figure(name.clone(), move |curve| curve.figure(&name).map(told))
        });
        // Curves without figures have their rows as well.
        let curves: Vec<&OverlayCurve> = self.curves.iter().collect();
        table.lines(&curves)
    }

    /// What the kind says: where all curves reach a place, their values there; of bars the first that all have.
    pub(super) fn sentence(&self, of: &Overlay<'_>) -> String {
        let compared = match &self.kind.shape {
            OverlayShape::Curves { told_x, told_y, .. } => self.at_a_place(*told_x, *told_y),
            OverlayShape::Bars { .. } => self.at_a_figure(),
        };
        let Some((place, compared)) = compared else {
            return self.apart(of);
        };
        let head = self.kind.verb.replace("{}", &place);
        text::capital(&format!("{head} {}.", self.values(of, &compared)))
    }

    fn at_a_place(
        &self,
        told_x: fn(f64) -> String,
        told_y: fn(f64) -> String,
    ) -> Option<(String, Compared<'_>)> {
        let places = common_places(self.curves.iter(), PLACES);
        let place = *places.get(places.len() / 2)?;
        let values = self.curves.iter().map(|curve| {
            let value = curve.value_at(place)?;
            Some((curve, value, told_y(value)))
        });
        let values: Option<Vec<_>> = values.collect();
        Some((told_x(place), values?))
    }

    fn at_a_figure(&self) -> Option<(String, Compared<'_>)> {
        let first = self.curves.first()?;
        let name = first
            .figures
            .iter()
            .map(|figure| &figure.name)
            .find(|name| {
                let mut curves = self.curves.iter();
                curves.all(|curve| curve.figure(name).is_some())
            })?;
        let values = self.curves.iter().filter_map(|curve| {
            let figure = curve.figure(name)?;
            Some((curve, figure.value, told(figure)))
        });
        Some((name.clone(), values.collect()))
    }

    /// "105 ns on a (measured) and 112 ns on b (simulated), +6.7 %"; of many the least and the most.
    fn values(&self, of: &Overlay<'_>, compared: &Compared<'_>) -> String {
        let clause = |(curve, _, told): &(&OverlayCurve, f64, String)| {
            format!("{told} on {} ({})", self.brief(of, curve), curve.basis)
        };
        match compared.as_slice() {
            [first, second] => {
                let change = second.1 / first.1 - 1.0;
                let change = match change.is_finite() {
                    true => format!(
                        ", {}{}",
                        if change < 0.0 { "" } else { "+" },
                        text::tenths(change)
                    ),
                    false => String::new(),
                };
                format!("{} and {}{change}", clause(first), clause(second))
            }
            all => {
                let least = all.iter().min_by(|(_, a, _), (_, b, _)| a.total_cmp(b));
                let most = all.iter().max_by(|(_, a, _), (_, b, _)| a.total_cmp(b));
                let ends: Vec<String> = least.into_iter().chain(most).map(clause).collect();
                format!("{} over {} curves", ends.join(" to "), all.len())
            }
        }
    }

    /// What is said of curves that have no place in common.
    fn apart(&self, of: &Overlay<'_>) -> String {
        let OverlayShape::Curves { told_x, .. } = &self.kind.shape else {
            return format!(
                "{} of {} documents have no figure in common.",
                text::capital(self.kind.name),
                self.documents()
            );
        };
        let reach = self.curves.iter().filter_map(|curve| {
            let (low, high) = curve.extent()?;
            Some(format!(
                "{} {} to {}",
                self.label(of, curve),
                told_x(low),
                told_x(high)
            ))
        });
        let reach: Vec<String> = reach.collect();
        let head = format!("{} at no common place:", text::capital(self.kind.name));
        text::within_a_sentence(&head, &reach, "; ")
    }
}

/// A figure as people read it.
fn told(figure: &OverlayFigure) -> String {
    text::number(figure.metric, figure.value, text::DIGITS)
}

impl Overlay<'_> {
    /// What to know besides the first sentence: the other kinds, and what documents lack.
    pub(super) fn points(&self) -> Vec<(CardSubject, String)> {
        let mut points: Vec<(CardSubject, String)> = Vec::new();
        let others = self.shared.iter().skip(1);
        points.extend(others.map(|shared| (CardSubject::Finding, shared.sentence(self))));
        for shared in &self.shared {
            let lacks: Vec<&str> = (0..self.documents.len())
                .filter(|index| !shared.has(*index))
                .map(|index| self.name(index))
                .collect();
            if !lacks.is_empty() {
                let verb = if lacks.len() == 1 { "has" } else { "have" };
                points.push((
                    CardSubject::Finding,
                    format!("{} {verb} no {}", few(&lacks), shared.kind.name),
                ));
            }
        }
        points.extend(
            self.twins()
                .into_iter()
                .map(|words| (CardSubject::Finding, words)),
        );
        points
    }

    /// Documents that hold the same rows as an earlier one: their curves coincide.
    fn twins(&self) -> Vec<String> {
        let documents = self.documents.iter().enumerate();
        let twins = documents.filter_map(|(index, one)| {
            let mut earlier = self.documents[..index].iter();
            let first = earlier.find(|other| other.document.rows == one.document.rows)?;
            Some(format!(
                "{} holds the same rows as {}: their curves coincide",
                one.name, first.name
            ))
        });
        twins.take(2).collect()
    }

    /// Which documents were cut short.
    pub(super) fn incomplete(&self) -> Option<String> {
        let cut = self.documents.iter().filter(|one| !one.document.complete);
        let cut: Vec<_> = cut.collect();
        match cut.as_slice() {
            [] => None,
            [one] => notes::incomplete(&one.document)
                .map(|words| format!("{}: {words}", text::printable(&one.name))),
            many => {
                let names: Vec<&str> = many.iter().map(|one| one.name.as_str()).collect();
                Some(text::printable(&format!(
                    "Incomplete: {}. Their runs were interrupted, or their time was up.",
                    few(&names)
                )))
            }
        }
    }
}
