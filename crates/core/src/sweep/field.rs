//! Fields of an experiment by dotted path, and values with units.

use serde_json::{Map, Value};

use crate::quantity::{ByteCount, DataRate, Frequency, Period, Quantity as _, Time};

/// Reads what people write with a unit, for fields whose names end in one. Longer ends first.
type ReadUnit = fn(&str) -> Option<Value>;

const UNITS: [(&str, ReadUnit); 5] = [
    ("_bytes_per_s", |text| {
        Some(text.parse::<DataRate>().ok()?.si().into())
    }),
    ("_bytes", |text| {
        Some(text.parse::<ByteCount>().ok()?.bytes().into())
    }),
    ("_ps", |text| Some(text.parse::<Time>().ok()?.ps().into())),
    ("_hz", |text| {
        Some(text.parse::<Frequency>().ok()?.hz().into())
    }),
    ("_s", |text| Some(text.parse::<Period>().ok()?.si().into())),
];

/// A value of a field in the unit that documents have: `4 KiB` of `access_bytes` is 4096. What is no quantity stays, and
/// so does what belongs to a field without a unit.
pub(super) fn value_in_base_units(field: &str, value: &mut Value) {
    let name = field.rsplit('.').next().unwrap_or(field);
    let Some((_, read)) = UNITS.iter().find(|(suffix, _)| name.ends_with(suffix)) else {
        return;
    };
    match value {
        Value::String(text) => {
            if let Some(number) = read(text) {
                *value = number;
            }
        }
        Value::Array(values) => {
            for value in values {
                value_in_base_units(field, value);
            }
        }
        _ => {}
    }
}

/// The same of every field of a document.
pub(super) fn in_base_units(document: &mut Value) {
    match document {
        Value::Object(fields) => {
            for (name, value) in fields {
                value_in_base_units(name, value);
                in_base_units(value);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(in_base_units),
        _ => {}
    }
}

/// No field of an experiment lies as deep.
const DEPTH_MAX: usize = 32;

/// Sets a field by its dotted path; what is missing on the way comes into being. A list that is there takes a single value
/// as its only one.
pub(super) fn set(document: &mut Value, path: &str, value: Value) -> Result<(), String> {
    if path.matches('.').count() > DEPTH_MAX {
        return Err(format!("the path has more than {DEPTH_MAX} dots"));
    }
    let (name, rest) = match path.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (path, None),
    };
    let Value::Object(fields) = document else {
        return Err(format!("there is no field {name} in {document}"));
    };
    match rest {
        Some(rest) => {
            let below = fields.entry(name).or_insert_with(|| Map::new().into());
            set(below, rest, value)
        }
        None => {
            let is_list = fields.get(name).is_some_and(Value::is_array);
            let value = match value {
                one if is_list && !one.is_array() => vec![one].into(),
                other => other,
            };
            fields.insert(name.to_owned(), value);
            Ok(())
        }
    }
}

/// Dotted paths of all fields of a document, of those in lists none.
pub(super) fn paths(document: &Value) -> Vec<String> {
    fn add(document: &Value, before: &str, all: &mut Vec<String>) {
        for (name, value) in document.as_object().into_iter().flatten() {
            let path = match before {
                "" => name.clone(),
                before => format!("{before}.{name}"),
            };
            add(value, &path, all);
            all.push(path);
        }
    }
    let mut all = Vec::new();
    add(document, "", &mut all);
    all
}
