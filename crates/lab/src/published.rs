//! What documents printed, for comparison with what the laboratory computes.
//!
//! Each file under `published/` was written before the model was run. Every value states its
//! citation, its tolerance, and whether a model was calibrated with it or predicts it.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, DataRate, EnergyPerByte, Quantity, Time};
use wordline_core::{Metric, Operation};

/// The embedded files: key and text.
const FILES: [(&str, &str); 1] = [(
    "mram-vs-flash-benchmark",
    include_str!("../published/mram-vs-flash-benchmark/mram.toml"),
)];

/// What one document printed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Short name of the document.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Target that stands for its hardware, where a value names no other.
    pub target: String,
    /// What the document says and what holds instead.
    pub errata: Vec<String>,
    /// Its values.
    pub value: Vec<Value>,
}

/// One printed value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// Where it stands, and how it was read.
    pub citation: String,
    /// Target that stands for its hardware, where it is not the document's.
    pub target: Option<String>,
    /// What was done.
    pub operation: Operation,
    /// Size of one access.
    pub access: ByteCount,
    /// What was found.
    pub metric: Metric,
    /// The value with its unit, as text.
    pub published: String,
    /// Largest difference that counts as a hit, as a fraction of the published value.
    pub tolerance: f64,
    /// Whether a model was calibrated with it or predicts it.
    pub r#use: Use,
}

/// What a published value is to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// The model was calibrated with it: meeting it proves nothing.
    Calibrated,
    /// The model predicts it.
    Predicted,
}

impl Value {
    /// The published value in the metric's SI unit; `None` when its text is no quantity of it.
    #[must_use]
    pub fn si(&self) -> Option<f64> {
        let text = &self.published;
        match self.metric.unit() {
            "s" => text.parse::<Time>().ok().map(Quantity::si),
            "B/s" => text.parse::<DataRate>().ok().map(Quantity::si),
            "J/B" => text.parse::<EnergyPerByte>().ok().map(Quantity::si),
            _ => None,
        }
    }
}

/// What the document of a key printed; `None` for an unknown key.
///
/// # Panics
/// Never: the tests parse every embedded file.
#[must_use]
pub fn published(key: &str) -> Option<Published> {
    let (_, text) = FILES.iter().find(|(known, _)| *known == key)?;
    match toml::from_str(text) {
        Ok(published) => Some(published),
        Err(error) => unreachable!("an embedded file is well-formed: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_sound() {
        for (key, _) in FILES {
            let document = published(key).expect("embedded");
            assert_eq!(document.key, key);
            assert!(!document.title.is_empty() && !document.value.is_empty());
            for value in &document.value {
                assert!(value.si().is_some_and(|si| si > 0.0), "{}", value.citation);
                assert!(
                    value.tolerance > 0.0 && value.tolerance < 0.5,
                    "{}",
                    value.citation
                );
            }
        }
        assert_eq!(published("nothing"), None);
    }
}
