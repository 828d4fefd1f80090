//! Many experiments: one that is varied along axes.
//!
//! A [`Sweep`] states an experiment, axes over any of its fields, and what is left out. Its [points](Sweep::points) are
//! the products of the axes' values in their order, the first axis slowest. What comes out is a [`SweepResult`], one
//! result document a point.
//!
//! ```
//! use wordline_core::sweep::Sweep;
//!
//! let sweep: Sweep = serde_json::from_str(
//!     r#"{
//!         "experiment": { "targets": ["em064lx"], "workload": { "kind": "raw" } },
//!         "axis": [
//!             { "field": "workload.access_bytes", "range": { "from": "512 B", "to": "4 KiB", "factor": 2 } },
//!             { "field": "age", "values": [0, 0.5] }
//!         ],
//!         "leave_out": [{ "age": 0.5, "workload.access_bytes": { "max": "1 KiB" } }]
//!     }"#,
//! )?;
//! let points = sweep.points()?;
//! assert_eq!(points.len(), 4 * 2 - 2);
//! assert_eq!(sweep.experiment_at(&points[0])?.age, 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axis;
mod condition;
mod field;
mod merge;

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use axis::SweepAxis;
pub use condition::Condition;
pub use merge::MergeError;

use crate::experiment::Experiment;
use crate::results::{ResultSet, SCHEMA_VERSION};

/// Points beyond which a sweep is refused: their documents would not fit into the memory of most machines.
pub const POINTS_MAX: u64 = 100_000;

/// An experiment and how it is varied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, from = "SweepText")]
pub struct Sweep {
    /// The experiment. What it leaves out is as its command has it without a flag.
    pub experiment: Value,
    /// How it is varied: every value of an axis with every value of the others, the first axis slowest.
    #[serde(rename = "axis", default)]
    pub axes: Vec<SweepAxis>,
    /// Points that are left out: those whose fields meet every condition of an entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave_out: Vec<BTreeMap<String, Condition>>,
}

/// A sweep as files have it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SweepText {
    /// The experiment. What it leaves out is as its command has it without a flag.
    #[schemars(with = "Map<String, Value>")]
    experiment: Value,
    /// How it is varied: every value of an axis with every value of the others, the first axis slowest.
    #[serde(default)]
    axis: Vec<SweepAxis>,
    /// Points that are left out: those whose fields meet every condition of an entry.
    #[serde(default)]
    leave_out: Vec<BTreeMap<String, Condition>>,
}

impl From<SweepText> for Sweep {
    fn from(text: SweepText) -> Self {
        Self::new(text.experiment, text.axis, text.leave_out)
    }
}

/// Where a point lies: the index of its value on each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointPlace {
    /// Its number, from 0.
    pub point: u64,
    indices: Vec<usize>,
}

impl PointPlace {
    /// The index of its value on each axis.
    #[must_use]
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }
}

/// Why a sweep cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// There is nothing to vary.
    #[error("the sweep has no axis; allowed: at least one [[axis]] with field and values")]
    NoAxis,
    /// An axis without values.
    #[error("axis {0} has no values; allowed: at least one")]
    NoValues(String),
    /// An axis whose entry is no field at all.
    #[error("an axis names no field; allowed: at least one, such as workload.access_bytes")]
    NoField,
    /// A range that does not end.
    #[error("axis {axis}: {problem}")]
    Range {
        /// The axis.
        axis: String,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// A value that has not as many parts as the axis has fields.
    #[error("axis {axis}: value {value} has {found} parts, and the axis has {fields} fields")]
    Parts {
        /// The axis.
        axis: String,
        /// The value.
        value: String,
        /// Its parts.
        found: usize,
        /// The fields of the axis.
        fields: usize,
    },
    /// Two axes on one field.
    #[error("two axes vary {0}: one axis a field is allowed")]
    Twice(String),
    /// An axis on a field that lies in that of another one.
    #[error(
        "the axes {outer} and {inner} vary one thing: a field is varied once, whole or in part"
    )]
    Within {
        /// The field that holds the other.
        outer: String,
        /// The other.
        inner: String,
    },
    /// Two values that give one experiment.
    #[error(
        "axis {axis}: {first} and {second} give the same experiment; allowed: values that differ"
    )]
    Same {
        /// The axis.
        axis: String,
        /// A value.
        first: String,
        /// The other.
        second: String,
    },
    /// A value that the experiment does not take.
    #[error("axis {axis}, value {value}: {problem}")]
    Value {
        /// The axis.
        axis: String,
        /// The value.
        value: String,
        /// What the experiment says of it.
        problem: String,
    },
    /// The experiment itself cannot be read.
    #[error("experiment: {0}")]
    Experiment(String),
    /// A condition on what no axis varies.
    #[error("leave_out: no axis varies {field}; allowed: {allowed}")]
    NotVaried {
        /// The field.
        field: String,
        /// Fields of the axes.
        allowed: String,
    },
    /// A condition without a field leaves everything out.
    #[error("leave_out: an entry without a condition would leave every point out")]
    NoCondition,
    /// A condition that no point meets.
    #[error(
        "leave_out: no point meets {0}; allowed: values of the axes as they stand there, and min and max of numbers"
    )]
    Idle(String),
    /// Too many points.
    #[error("the sweep has {points} points; allowed: up to {POINTS_MAX}")]
    TooMany {
        /// How many.
        points: String,
    },
    /// No point is left.
    #[error("leave_out leaves no point of {0}")]
    NoPoint(u64),
}

impl SweepError {
    /// Where the fault is: an axis by its fields, or a field of the sweep.
    #[must_use]
    pub fn place(&self) -> &str {
        match self {
            Self::NoAxis | Self::NoField | Self::TooMany { .. } => "axis",
            Self::NoValues(axis)
            | Self::Range { axis, .. }
            | Self::Parts { axis, .. }
            | Self::Same { axis, .. }
            | Self::Value { axis, .. }
            | Self::Twice(axis)
            | Self::Within { inner: axis, .. } => axis,
            Self::Experiment(_) => "experiment",
            Self::NotVaried { .. } | Self::NoCondition | Self::Idle(_) | Self::NoPoint(_) => {
                "leave_out"
            }
        }
    }
}

impl Sweep {
    /// A sweep of an experiment. Quantities are in the units of documents from here on, and it is known which axes vary
    /// lists.
    #[must_use]
    pub fn new(
        mut experiment: Value,
        mut axes: Vec<SweepAxis>,
        leave_out: Vec<BTreeMap<String, Condition>>,
    ) -> Self {
        field::in_base_units(&mut experiment);
        for axis in &mut axes {
            let [name] = &*axis.fields else {
                continue;
            };
            let Some(value) = axis.values.first().filter(|value| !value.is_array()) else {
                continue;
            };
            let takes = |value: Value| {
                let mut stated = experiment.clone();
                let set = field::set(&mut stated, name, value);
                set.and_then(|()| Experiment::from_value(stated)).is_ok()
            };
            axis.list = !takes(value.clone()) && takes(vec![value.clone()].into());
        }
        Self {
            experiment,
            axes,
            leave_out,
        }
    }

    /// The same with other values of fields of the experiment, by dotted path.
    ///
    /// # Errors
    /// When a path leads into what has no fields.
    pub fn with_fields(mut self, fields: &BTreeMap<String, Value>) -> Result<Self, String> {
        for (name, value) in fields {
            let mut value = value.clone();
            field::value_in_base_units(name, &mut value);
            field::set(&mut self.experiment, name, value)?;
        }
        Ok(self)
    }

    /// Checks the axes and every value of them by itself.
    ///
    /// # Errors
    /// With the axis and the value.
    pub fn check(&self) -> Result<(), SweepError> {
        if self.axes.is_empty() {
            return Err(SweepError::NoAxis);
        }
        self.check_fields()?;
        for entry in &self.leave_out {
            if entry.is_empty() {
                return Err(SweepError::NoCondition);
            }
            for field in entry.keys() {
                if !self.fields().any(|known| known == field) {
                    return Err(SweepError::NotVaried {
                        field: field.clone(),
                        allowed: self.fields().cloned().collect::<Vec<_>>().join(", "),
                    });
                }
            }
        }
        let first = vec![0; self.axes.len()];
        for (index, axis) in self.axes.iter().enumerate() {
            let mut seen = HashMap::<String, &Value>::new();
            for (number, value) in axis.values.iter().enumerate() {
                let mut indices = first.clone();
                indices[index] = number;
                let problem = |problem| SweepError::Value {
                    axis: axis.name(),
                    value: shown(value),
                    problem,
                };
                let experiment = self.stated(&indices).and_then(|stated| self.read(stated));
                let text = experiment.map_err(problem)?.to_json();
                if let Some(other) = seen.insert(text, value) {
                    return Err(SweepError::Same {
                        axis: axis.name(),
                        first: shown(other),
                        second: shown(value),
                    });
                }
            }
        }
        Ok(())
    }

    /// The experiment that is stated. Of an unknown field the message suggests paths that end in its name.
    fn read(&self, stated: Value) -> Result<Experiment, String> {
        Experiment::from_value(stated).map_err(|problem| {
            let Some(unknown) = problem
                .strip_prefix("unknown field `")
                .and_then(|rest| rest.split('`').next())
            else {
                return problem;
            };
            let usual = Experiment::from_value(self.experiment.clone());
            let usual = usual
                .ok()
                .and_then(|usual| serde_json::to_value(usual).ok());
            let paths = usual.as_ref().map(field::paths).unwrap_or_default();
            let ends = |path: &&String| path.rsplit('.').next() == Some(unknown);
            match paths.iter().find(ends) {
                Some(path) => format!("unknown field `{unknown}`; did you mean `{path}`?"),
                None => problem,
            }
        })
    }

    /// Each field is varied once.
    fn check_fields(&self) -> Result<(), SweepError> {
        let fields: Vec<&String> = self.fields().collect();
        for (index, field) in fields.iter().enumerate() {
            for other in &fields[..index] {
                if field == other {
                    return Err(SweepError::Twice((*field).clone()));
                }
                let pairs = [(field, other), (other, field)];
                if let Some((outer, inner)) = pairs
                    .into_iter()
                    .find(|(outer, inner)| is_within(inner, outer))
                {
                    return Err(SweepError::Within {
                        outer: (*outer).clone(),
                        inner: (*inner).clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Every field that an axis varies.
    pub fn fields(&self) -> impl Iterator<Item = &String> + Clone {
        self.axes.iter().flat_map(|axis| &axis.fields)
    }

    /// The points, numbered in their order.
    ///
    /// # Errors
    /// As [`check`](Self::check); and when there are none, or more than [`POINTS_MAX`].
    pub fn points(&self) -> Result<Vec<PointPlace>, SweepError> {
        if self.axes.is_empty() {
            return Err(SweepError::NoAxis);
        }
        let sizes: Vec<usize> = self.axes.iter().map(|axis| axis.values.len()).collect();
        let product = sizes
            .iter()
            .try_fold(1_u64, |product, size| product.checked_mul(*size as u64));
        let all = product.filter(|all| *all <= POINTS_MAX);
        let Some(all) = all else {
            let points =
                product.map_or_else(|| "more than 10^19".to_owned(), |all| all.to_string());
            return Err(SweepError::TooMany { points });
        };
        self.check()?;
        let mut places = Vec::new();
        let mut has_met = vec![false; self.leave_out.len()];
        let mut indices = vec![0; sizes.len()];
        for _ in 0..all {
            if !self.is_left_out(&indices, &mut has_met) {
                places.push(PointPlace {
                    point: places.len() as u64,
                    indices: indices.clone(),
                });
            }
            for (index, size) in indices.iter_mut().zip(&sizes).rev() {
                *index += 1;
                if *index < *size {
                    break;
                }
                *index = 0;
            }
        }
        if let Some(idle) = has_met.iter().position(|has_met| !has_met) {
            let entry = serde_json::to_value(&self.leave_out[idle]).unwrap_or_default();
            return Err(SweepError::Idle(entry.to_string()));
        }
        if places.is_empty() {
            return Err(SweepError::NoPoint(all));
        }
        Ok(places)
    }

    fn is_left_out(&self, indices: &[usize], has_met: &mut [bool]) -> bool {
        let at = self.coordinates(indices);
        let meets = |(field, condition): (&String, &Condition)| {
            at.get(field)
                .is_some_and(|value| condition.holds(field, value))
        };
        let mut is_left_out = false;
        for (entry, has_met) in self.leave_out.iter().zip(has_met) {
            let is_met = entry.iter().all(meets);
            *has_met |= is_met;
            is_left_out |= is_met;
        }
        is_left_out
    }

    /// The value of each field that is varied.
    fn coordinates(&self, indices: &[usize]) -> BTreeMap<String, Value> {
        let axes = self.axes.iter().zip(indices);
        let all = axes.flat_map(|(axis, index)| axis.coordinates(*index));
        all.map(|(field, value)| (field.clone(), value.clone()))
            .collect()
    }

    /// The value of each field that is varied, at a point.
    #[must_use]
    pub fn at(&self, place: &PointPlace) -> BTreeMap<String, Value> {
        self.coordinates(&place.indices)
    }

    /// What the sweep states of the experiment of a point. Whoever fills it up keeps what is stated.
    ///
    /// # Errors
    /// When a field lies in what has no fields.
    pub fn stated_at(&self, place: &PointPlace) -> Result<Value, SweepError> {
        self.stated(&place.indices).map_err(SweepError::Experiment)
    }

    /// The experiment of a point.
    ///
    /// # Errors
    /// When the values of several axes do not go together.
    pub fn experiment_at(&self, place: &PointPlace) -> Result<Experiment, SweepError> {
        let stated = self.stated_at(place)?;
        Experiment::from_value(stated).map_err(SweepError::Experiment)
    }

    fn stated(&self, indices: &[usize]) -> Result<Value, String> {
        let mut stated = self.experiment.clone();
        for axis in self.axes.iter().zip(indices) {
            let (axis, index) = axis;
            for (name, value) in axis.coordinates(*index) {
                let value = match axis.list {
                    true => vec![value.clone()].into(),
                    false => value.clone(),
                };
                field::set(&mut stated, name, value)?;
            }
        }
        Ok(stated)
    }
}

/// Whether a field lies in another one.
pub(crate) fn is_within(field: &str, outer: &str) -> bool {
    field
        .strip_prefix(outer)
        .is_some_and(|rest| rest.starts_with('.'))
}

/// A value as people write it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What a sweep found: a result document for each point, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SweepResult {
    /// Layout of the document.
    pub schema_version: u32,
    /// Version of the program that made it.
    pub wordline: String,
    /// A hash of the simulation that made it: what shards of one sweep have to have in common.
    pub models: String,
    /// What was run.
    pub sweep: Sweep,
    /// The share of the points that was asked for, as `2/8`; nothing where all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The points that are finished, by number, ascending.
    pub points: Vec<SweptPoint>,
    /// Whether every point that was asked for is here.
    pub complete: bool,
}

/// A point of a sweep that is finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SweptPoint {
    /// Its number, from 0.
    pub point: u64,
    /// The value of each field that is varied.
    pub at: BTreeMap<String, Value>,
    /// Why the experiment of the point could not be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What it gave otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<ResultSet>>,
}

impl SweepResult {
    /// An empty document.
    #[must_use]
    pub fn new(sweep: Sweep, models: &str) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            wordline: env!("CARGO_PKG_VERSION").to_owned(),
            models: models.to_owned(),
            sweep,
            shard: None,
            points: Vec::new(),
            complete: true,
        }
    }

    /// Reads a document and checks it.
    ///
    /// # Errors
    /// When the text is none of this version, or the documents of its points break a rule.
    pub fn from_json(text: &str) -> Result<Self, crate::results::DocumentError> {
        use crate::results::DocumentError;
        /// Read first, so that a document of another version is named as such.
        #[derive(Deserialize)]
        struct Header {
            schema_version: u64,
        }
        let header: Header = serde_json::from_str(text).map_err(DocumentError::malformed)?;
        if header.schema_version != u64::from(SCHEMA_VERSION) {
            return Err(DocumentError::Version {
                found: header.schema_version,
            });
        }
        let document: Self = serde_json::from_str(text).map_err(DocumentError::malformed)?;
        for point in &document.points {
            if let Some(result) = &point.result {
                result.check()?;
            }
        }
        Ok(document)
    }

    /// The document as JSON, each point on a line of its own.
    #[must_use]
    pub fn to_json(&self) -> String {
        fn line<T: Serialize>(value: &T) -> String {
            match serde_json::to_string(value) {
                Ok(text) => text,
                Err(error) => unreachable!("plain data with text keys serialises: {error}"),
            }
        }
        let mut text = format!(
            "{{\n\"schema_version\": {},\n\"wordline\": {},\n\"models\": {},\n\"sweep\": {},\n",
            self.schema_version,
            line(&self.wordline),
            line(&self.models),
            line(&self.sweep)
        );
        if let Some(shard) = &self.shard {
            text += &format!("\"shard\": {},\n", line(shard));
        }
        text += "\"points\": [";
        for (index, point) in self.points.iter().enumerate() {
            text += if index == 0 { "\n" } else { ",\n" };
            text += &line(point);
        }
        text += &format!("\n],\n\"complete\": {}\n}}\n", self.complete);
        text
    }

    /// Points that could not be run.
    pub fn failures(&self) -> impl Iterator<Item = (&SweptPoint, &str)> {
        let failed = |point: &'_ SweptPoint| point.failed.is_some();
        let points = self.points.iter().filter(move |point| failed(point));
        points.map(|point| (point, point.failed.as_deref().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests;
