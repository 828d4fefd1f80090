//! From the files of a document to its values, checked once.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toml::Table;
use wordline_catalog::Catalog;

use super::experiment::ExperimentBook;
use super::kind::{self, StatedKind};
use super::measure::{self, Measure};
use super::{Allowed, Published, PublishedNeed, Sequence, Use, Value, number, sequence};

/// `document.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cover {
    key: String,
    title: String,
    target: String,
    errata: Vec<String>,
    #[serde(default)]
    experiment: BTreeMap<String, Table>,
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
    of: Table,
    over: Option<Table>,
    published: String,
    tolerance: Option<f64>,
    at_least: Option<String>,
    at_most: Option<String>,
    r#use: Use,
    kind: Option<StatedKind>,
    because: Option<String>,
    miss: Option<String>,
    needs: Option<String>,
    fails_with: Option<String>,
    awaits: Option<String>,
}

impl Published {
    /// Reads a document from its cover and its files of values, each with its name. Defaults of experiments depend on
    /// their targets, which the catalogue has.
    ///
    /// # Errors
    /// Says what is wrong, and with which value of which file.
    pub fn parse(
        catalog: &Catalog,
        cover: (&str, &str),
        values: &[(&str, &str)],
    ) -> Result<Self, String> {
        let (name, text) = cover;
        let cover: Cover = toml::from_str(text).map_err(|error| format!("{name}: {error}"))?;
        let book = ExperimentBook {
            catalog,
            target: cover.target,
            named: cover.experiment,
        };
        let mut value = Vec::new();
        let mut idle: BTreeSet<&str> = book.named.keys().map(String::as_str).collect();
        for (name, text) in values {
            let in_file = |problem: String| format!("{name}: {problem}");
            let file: Values = toml::from_str(text).map_err(|error| in_file(error.to_string()))?;
            let sequences = sequence::read(file.sequence).map_err(in_file)?;
            let first = value.len();
            for written in file.value {
                for measure in [Some(&written.of), written.over.as_ref()] {
                    let named = measure.and_then(|measure| measure.get("experiment")?.as_str());
                    idle.retain(|name| Some(*name) != named);
                }
                let citation = written.citation.clone();
                let read = written.read(&book, &sequences);
                value.push(read.map_err(|problem| in_file(format!("{citation}: {problem}")))?);
            }
            for sequence in &sequences {
                if !value[first..].iter().any(|value| value.uses(sequence)) {
                    return Err(in_file(format!(
                        "no value uses the sequence {}",
                        sequence.name
                    )));
                }
            }
        }
        if let Some(idle) = idle.first() {
            return Err(format!("{name}: no value uses the experiment {idle}"));
        }
        Ok(Self {
            key: cover.key,
            title: cover.title,
            target: book.target,
            errata: cover.errata,
            value,
        })
    }
}

impl Value {
    /// What of ours takes part: the measure, and what it is divided by.
    pub fn measures(&self) -> impl Iterator<Item = &Measure> {
        std::iter::once(&self.of).chain(&self.over)
    }

    /// The value, from what each measure gives.
    pub(crate) fn computed(
        &self,
        measure: impl Fn(&Measure) -> Result<f64, String>,
    ) -> Result<f64, String> {
        let ours = measure(&self.of)?;
        let Some(over) = &self.over else {
            return Ok(ours);
        };
        let ratio = ours / measure(over)?;
        if ratio.is_finite() {
            Ok(ratio)
        } else {
            Err(format!("the ratio is {ratio}"))
        }
    }

    fn uses(&self, sequence: &Sequence) -> bool {
        self.measures().any(|measure| match measure {
            Measure::Theory { sequence: used, .. } => used == sequence,
            _ => false,
        })
    }
}

impl WrittenValue {
    fn read(self, book: &ExperimentBook<'_>, sequences: &[Sequence]) -> Result<Value, String> {
        let allowed = self.allowed()?;
        let because = kind::stated(self.kind, self.because, self.r#use)?;
        let over = self.over.map(|over| measure::divisor(over, &self.of));
        let over = over.transpose()?;
        let of = Measure::read(self.of, book, sequences)?;
        let over = over.map(|over| Measure::read(over, book, sequences));
        let over = over.transpose()?;
        if over.is_some() && matches!(of, Measure::Curves(_)) {
            return Err("what curves say is not divided".to_owned());
        }
        let number = if self.published == "Inf" {
            None
        } else {
            number::any(&self.published)
        };
        let range = number::range(&self.published);
        let limits = [&self.at_least, &self.at_most].map(|text| text.as_deref());
        let limits = limits.map(|text| text.and_then(number::any));
        let stated = number.into_iter().chain(range.into_iter().flatten());
        let stated = stated.chain(limits.into_iter().flatten());
        let mut units = stated.map(|(_, unit)| unit);
        let expected = match &over {
            Some(_) => Some("1"),
            None => of.unit(),
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
        let reasons = [&self.miss, &self.needs, &self.fails_with, &self.awaits];
        if self.citation.is_empty() || reasons.into_iter().any(empty) {
            return Err("a citation or a reason is empty".to_owned());
        }
        let needs = match (self.needs, self.fails_with) {
            (None, None) => None,
            (Some(what), Some(fails_with)) => Some(PublishedNeed { what, fails_with }),
            _ => return Err("`needs` and `fails_with` go together".to_owned()),
        };
        if self.awaits.is_some() && (self.miss.is_some() || needs.is_some()) {
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
            range: range.map(|ends| ends.map(|(value, _)| value)),
            unit,
            allowed,
            r#use: self.r#use,
            because,
            miss: self.miss,
            needs,
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
