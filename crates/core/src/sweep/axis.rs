//! Axes of a sweep: fields and their values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{POINTS_MAX, SweepError, field, shown};

/// What a sweep varies: a field, or several together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "AxisText", into = "AxisText")]
#[schemars(with = "AxisText")]
pub struct SweepAxis {
    /// Dotted paths in the experiment.
    pub fields: Vec<String>,
    /// The values; of several fields a list each.
    pub values: Vec<Value>,
    /// Whether the field is a list, of which each value is the only one.
    pub(super) list: bool,
}

/// An axis as files have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AxisText {
    /// The field by its dotted path, such as `workload.access_bytes`; or several fields that vary together.
    field: FieldNames,
    /// Its values; of several fields a list each. Sizes, times and rates may have units: `"4 KiB"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Value>>,
    /// Values from one to another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    range: Option<AxisRange>,
    /// As many values as stated, from 0 on: for seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

/// One name or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum FieldNames {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// Values from one to another: in steps, by a factor, or a number of them at equal distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AxisRange {
    /// The first value.
    from: Value,
    /// The last one, which is among them where a step or factor meets it.
    to: Value,
    /// Distance between two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<Value>,
    /// Ratio of two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factor: Option<f64>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

impl SweepAxis {
    /// How messages name it.
    #[must_use]
    pub fn name(&self) -> String {
        self.fields.join(" with ")
    }

    /// The value of each of its fields.
    pub(super) fn coordinates(&self, index: usize) -> impl Iterator<Item = (&String, &Value)> {
        let value = &self.values[index];
        let values = match (self.fields.len(), value) {
            (2.., Value::Array(parts)) => parts.as_slice(),
            _ => std::slice::from_ref(value),
        };
        self.fields.iter().zip(values)
    }
}

impl From<SweepAxis> for AxisText {
    fn from(axis: SweepAxis) -> Self {
        Self {
            field: match <[String; 1]>::try_from(axis.fields) {
                Ok([one]) => FieldNames::One(one),
                Err(many) => FieldNames::Many(many),
            },
            values: Some(axis.values),
            range: None,
            count: None,
        }
    }
}

impl TryFrom<AxisText> for SweepAxis {
    type Error = SweepError;

    fn try_from(text: AxisText) -> Result<Self, SweepError> {
        let fields = match text.field {
            FieldNames::One(field) => vec![field],
            FieldNames::Many(fields) => fields,
        };
        if fields.is_empty() {
            return Err(SweepError::NoField);
        }
        let name = fields.join(" with ");
        let problem = |problem: &str| SweepError::Range {
            axis: name.clone(),
            problem: problem.to_owned(),
        };
        let mut values = match (text.values, text.range, text.count) {
            (Some(values), None, None) => values,
            (None, Some(range), None) => range.values(&fields[0]).map_err(|why| problem(&why))?,
            (None, None, Some(count)) if count <= POINTS_MAX => {
                (0..count).map(Value::from).collect()
            }
            (None, None, Some(count)) => {
                return Err(problem(&format!(
                    "count is {count}; allowed: up to {POINTS_MAX}"
                )));
            }
            (None, None, None) => {
                return Err(problem(
                    "nothing says its values; allowed: values, range or count",
                ));
            }
            _ => {
                return Err(problem(
                    "its values are stated twice; allowed: one of values, range and count",
                ));
            }
        };
        if values.is_empty() {
            return Err(SweepError::NoValues(name));
        }
        for value in &mut values {
            match (&*fields, value) {
                ([field], value) => field::value_in_base_units(field, value),
                (fields, Value::Array(parts)) if parts.len() == fields.len() => {
                    for (field, part) in fields.iter().zip(parts) {
                        field::value_in_base_units(field, part);
                    }
                }
                (fields, value) => {
                    return Err(SweepError::Parts {
                        axis: name,
                        found: value.as_array().map_or(1, Vec::len),
                        value: shown(value),
                        fields: fields.len(),
                    });
                }
            }
        }
        Ok(Self {
            fields,
            values,
            list: false,
        })
    }
}

impl AxisRange {
    fn values(self, field: &str) -> Result<Vec<Value>, String> {
        let number = |name: &str, mut value: Value| {
            field::value_in_base_units(field, &mut value);
            let number = value.as_f64().filter(|number| number.is_finite());
            number.ok_or_else(|| format!("{name} is {}, which is no number", shown(&value)))
        };
        let (from, to) = (number("from", self.from)?, number("to", self.to)?);
        let step = self.step.map(|step| number("step", step)).transpose()?;
        if to < from {
            return Err(format!("to is {to}, below from, which is {from}"));
        }
        let values: Vec<f64> = match (step, self.factor, self.count) {
            (Some(step), None, None) if step > 0.0 => {
                let count = ((to - from) / step * (1.0 + 1e-12)).floor();
                let count = within(count + 1.0)?;
                (0..count).map(|index| from + index as f64 * step).collect()
            }
            (Some(_), None, None) => return Err("step is not above 0".to_owned()),
            (None, Some(factor), None) if factor > 1.0 && from > 0.0 => {
                let mut values = Vec::new();
                let mut value = from;
                while value <= to * (1.0 + 1e-12) {
                    within(values.len() as f64 + 1.0)?;
                    values.push(value);
                    value *= factor;
                }
                values
            }
            (None, Some(_), None) => {
                return Err("a factor above 1 is allowed, and from above 0".to_owned());
            }
            (None, None, Some(count)) => {
                let count = within(count as f64)?;
                let last = count.saturating_sub(1).max(1) as f64;
                let at = |index: u64| from + (to - from) * (index as f64 / last);
                (0..count).map(at).collect()
            }
            _ => return Err("one of step, factor and count is allowed, and needed".to_owned()),
        };
        Ok(values.into_iter().map(json).collect())
    }
}

fn within(count: f64) -> Result<u64, String> {
    match count <= POINTS_MAX as f64 {
        true => Ok(count as u64),
        false => Err(format!(
            "the range has {count} values; allowed: up to {POINTS_MAX}"
        )),
    }
}

/// A number as people would write it, without what sums of binary fractions add in the last digits; whole ones without a
/// point, which fields of counts do not take.
fn json(number: f64) -> Value {
    let number: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    match number.fract() == 0.0 && (0.0..=9e15).contains(&number) {
        true => (number as u64).into(),
        false => number.into(),
    }
}
