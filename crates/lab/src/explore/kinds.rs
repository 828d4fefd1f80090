//! Which points are expected to be off alike.

use std::collections::BTreeMap;

use serde_json::Value;
use wordline_core::sweep::PointPlace;

use super::rough::sample_size;
use super::{Explorer, SAMPLE_OF_KIND};

impl Explorer<'_> {
    /// The target of each point, as a number; where targets do not vary, the value of the first axis.
    pub(super) fn targets(&self, places: &[PointPlace]) -> Vec<usize> {
        let at: Vec<_> = places.iter().map(|place| self.full.at(place)).collect();
        let field = self.first_field();
        numbered(at.iter().map(|at| text_at(at, field)))
    }

    fn first_field(&self) -> Option<&String> {
        let mut fields = self.full.fields();
        let targets = fields.clone().find(|field| *field == "targets");
        targets.or_else(|| fields.next())
    }

    /// Which points are expected to be off alike, as a number of each: those of a target, and of the same words of other axes
    /// as long as there are samples enough for all kinds.
    pub(super) fn kinds(&self, places: &[PointPlace]) -> Vec<usize> {
        let at: Vec<_> = places.iter().map(|place| self.full.at(place)).collect();
        let mut kinds = self.targets(places);
        let first = self.first_field();
        for field in self.full.fields().filter(|field| Some(*field) != first) {
            if !at
                .iter()
                .all(|at| at.get(field).is_some_and(Value::is_string))
            {
                continue;
            }
            let finer = kinds.iter().zip(&at);
            let finer = numbered(finer.map(|(kind, at)| (*kind, text_at(at, Some(field)))));
            let count = finer.iter().max().map_or(0, |most| most + 1);
            if count * SAMPLE_OF_KIND <= sample_size(places.len()) {
                kinds = finer;
            }
        }
        kinds
    }
}

/// Equal things get equal numbers, from 0 on.
fn numbered<T: Ord>(all: impl Iterator<Item = T>) -> Vec<usize> {
    let mut numbers = BTreeMap::<T, usize>::new();
    let number = |one: T| {
        let next = numbers.len();
        *numbers.entry(one).or_insert(next)
    };
    all.map(number).collect()
}

fn text_at(at: &BTreeMap<String, Value>, field: Option<&String>) -> String {
    let value = field.and_then(|field| at.get(field));
    value.map(ToString::to_string).unwrap_or_default()
}
