//! Which points a sweep leaves out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::field;

/// What a value of a field has to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Condition {
    /// One of several values. It stands before the bounds, which a list of two could be read as.
    OneOf(Vec<Value>),
    /// A number from one to another, both among them; either may be missing.
    Between(Bounds),
    /// A value.
    Is(Value),
}

/// The ends of a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The least value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min: Option<Value>,
    /// The largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<Value>,
}

impl Condition {
    /// Whether a value of a field meets it.
    pub(super) fn holds(&self, field: &str, value: &Value) -> bool {
        match self {
            Self::Is(wanted) => same(field, wanted, value),
            Self::OneOf(wanted) => wanted.iter().any(|wanted| same(field, wanted, value)),
            Self::Between(Bounds { min, max }) => {
                let Some(value) = value.as_f64() else {
                    return false;
                };
                let end = |end: &Option<Value>| end.as_ref().map(|end| read(field, end).as_f64());
                match (end(min), end(max)) {
                    (Some(None), _) | (_, Some(None)) => false,
                    (min, max) => {
                        min.flatten().is_none_or(|min| value >= min)
                            && max.flatten().is_none_or(|max| value <= max)
                    }
                }
            }
        }
    }
}

fn read(field: &str, value: &Value) -> Value {
    let mut value = value.clone();
    field::value_in_base_units(field, &mut value);
    value
}

fn same(field: &str, wanted: &Value, value: &Value) -> bool {
    let wanted = read(field, wanted);
    match (wanted.as_f64(), value.as_f64()) {
        (Some(wanted), Some(value)) => wanted == value,
        _ => wanted == *value,
    }
}
