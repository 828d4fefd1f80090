//! From the files of a document to its values, checked once.

use serde::Deserialize;

use super::measure::Partial;
use super::{Allowed, Measure, Published, Sequence, Use, Value, number, sequence};

/// `document.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cover {
    key: String,
    title: String,
    target: String,
    errata: Vec<String>,
}

/// Any other file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Values {
    #[serde(default)]
    sequence: Vec<sequence::WrittenSequence>,
    value: Vec<WrittenValue>,
}

/// A value as the file writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenValue {
    citation: String,
    of: Partial,
    over: Option<Partial>,
    published: String,
    tolerance: Option<f64>,
    at_least: Option<String>,
    at_most: Option<String>,
    r#use: Use,
    miss: Option<String>,
    needs: Option<String>,
    awaits: Option<String>,
}

impl Published {
    /// Reads a document from the texts of its cover and of its files of values.
    ///
    /// # Errors
    /// Says what is wrong, and with which value.
    pub fn parse(cover: &str, values: &[&str]) -> Result<Self, String> {
        let cover: Cover = toml::from_str(cover).map_err(|error| error.to_string())?;
        let mut value = Vec::new();
        for text in values {
            let file: Values = toml::from_str(text).map_err(|error| error.to_string())?;
            let sequences = sequence::read(file.sequence)?;
            let first = value.len();
            for written in file.value {
                let citation = written.citation.clone();
                let read = written.read(&cover.target, &sequences);
                value.push(read.map_err(|problem| format!("{citation}: {problem}"))?);
            }
            for sequence in &sequences {
                if !value[first..].iter().any(|value| value.uses(sequence)) {
                    return Err(format!("no value uses the sequence {}", sequence.name));
                }
            }
        }
        Ok(Self {
            key: cover.key,
            title: cover.title,
            target: cover.target,
            errata: cover.errata,
            value,
        })
    }
}

impl Value {
    fn uses(&self, sequence: &Sequence) -> bool {
        let mut measures = [Some(&self.of), self.over.as_ref()].into_iter().flatten();
        measures.any(|measure| match measure {
            Measure::Theory { sequence: used, .. } => used == sequence,
            _ => false,
        })
    }
}

impl WrittenValue {
    fn read(self, target: &str, sequences: &[Sequence]) -> Result<Value, String> {
        let over = self.over.as_ref().map(|over| over.after(&self.of));
        let allowed = self.allowed()?;
        let of = self.of.measure(target, sequences)?;
        let over = over.map(|over| over.measure(target, sequences));
        let over = over.transpose()?;
        if let (Measure::Curves(_), Some(_)) | (_, Some(Measure::Curves(_))) = (&of, &over) {
            return Err("what curves say is not divided".to_owned());
        }
        let number = if self.published == "Inf" {
            None
        } else {
            number::any(&self.published)
        };
        let limits = [&self.at_least, &self.at_most].map(|text| text.as_deref());
        let limits = limits.map(|text| text.and_then(number::any));
        let stated = number.into_iter().chain(limits.into_iter().flatten());
        let mut units = stated.map(|(_, unit)| unit);
        let expected = match (&of, &over) {
            (_, Some(_)) => Some("1"),
            (
                Measure::Row { metric, .. }
                | Measure::Theory { metric, .. }
                | Measure::Module { metric, .. }
                | Measure::Table { metric, .. },
                None,
            ) => Some(metric.unit()),
            (Measure::Curves(curves), None) => Some(curves.question.unit()),
            (Measure::Wear(wear), None) => Some(wear.metric.unit()),
            (Measure::Figure { .. }, None) => None,
        };
        let unit = expected.or_else(|| units.clone().next());
        let unit = unit.or((self.published == "Inf").then_some("cycles"));
        let unit = unit.ok_or("neither the value nor a limit is a quantity")?;
        if let Some(other) = units.find(|other| *other != unit) {
            return Err(format!("the measure is in {unit}, a number in {other}"));
        }
        let published = match (number, self.published.as_str()) {
            (Some((value, _)), _) => Some(value),
            (None, "Inf") => Some(f64::INFINITY),
            (None, _) => None,
        };
        let compared = matches!(allowed, Allowed::Within { .. });
        if compared && !published.is_some_and(|value| value > 0.0) {
            return Err(format!("{:?} is no quantity above 0", self.published));
        }
        let empty = |text: &Option<String>| text.as_ref().is_some_and(|text| text.is_empty());
        let reasons = [&self.miss, &self.needs, &self.awaits];
        if self.citation.is_empty() || reasons.into_iter().any(empty) {
            return Err("a citation or a reason is empty".to_owned());
        }
        if self.awaits.is_some() && (self.miss.is_some() || self.needs.is_some()) {
            return Err(
                "a prediction that awaits a measurement is no miss and needs nothing".to_owned(),
            );
        }
        Ok(Value {
            citation: self.citation,
            of,
            over,
            text: self.published,
            published,
            unit,
            allowed,
            r#use: self.r#use,
            miss: self.miss,
            needs: self.needs,
            awaits: self.awaits,
        })
    }

    fn allowed(&self) -> Result<Allowed, String> {
        let limit = |text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => match number::any(text) {
                Some((value, _)) => Ok(Some(value)),
                None => Err(format!("{text:?} is no quantity")),
            },
        };
        let (at_least, at_most) = (limit(&self.at_least)?, limit(&self.at_most)?);
        match (self.tolerance, at_least, at_most) {
            (Some(tolerance), None, None) if tolerance > 0.0 && tolerance < 0.5 => {
                Ok(Allowed::Within { tolerance })
            }
            (Some(tolerance), None, None) => Err(format!("a tolerance of {tolerance}")),
            (Some(_), _, _) => Err("a tolerance and a limit".to_owned()),
            (None, None, None) => Err("neither a tolerance nor a limit".to_owned()),
            (None, Some(least), Some(most)) if least > most => {
                Err("no value is allowed".to_owned())
            }
            (None, _, _) => Ok(Allowed::Between { at_least, at_most }),
        }
    }
}

#[cfg(test)]
mod tests;
