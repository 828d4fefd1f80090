//! The experiments of a document: named once, and varied by its values.
//!
//! Their fields are those of a saved experiment. What they leave out is as in a run of the command line. A field whose
//! name ends in a unit may be text with any unit, and a list of one value may be the value itself.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use toml::{Table, Value};
use wordline_catalog::Catalog;
use wordline_core::quantity::{ByteCount, DataRate, Frequency, Period, Quantity as _, Time};
use wordline_core::{Experiment, RawWorkload, Timing, Workload};

/// The experiments that a document names.
pub(super) struct ExperimentBook<'c> {
    /// Where targets are looked up that defaults depend on.
    pub(super) catalog: &'c Catalog,
    /// What runs where an experiment names no target.
    pub(super) target: String,
    /// Each as the document writes it.
    pub(super) named: BTreeMap<String, Table>,
}

impl ExperimentBook<'_> {
    /// A named experiment with the changes of a value: the target, the timing, and fields of the workload.
    pub(super) fn experiment(
        &self,
        name: &str,
        target: Option<&str>,
        timing: Option<Timing>,
        with: Table,
    ) -> Result<Experiment, String> {
        let mut given = self.named.get(name).cloned().ok_or_else(|| {
            let names: Vec<_> = self.named.keys().map(String::as_str).collect();
            let names = names.join(", ");
            format!("no experiment {name:?}; the document names {names}")
        })?;
        if let Some(target) = target {
            given.insert("targets".to_owned(), Value::from(vec![target]));
        }
        if let Some(timing) = timing {
            given.insert("timing".to_owned(), Value::from(timing.name()));
        }
        let read = || {
            let workload = Table::from_iter([("workload".to_owned(), Value::Table(with))]);
            overlay(&mut given, workload)?;
            let mut whole = self.usual(&given)?;
            overlay(&mut whole, given.clone())?;
            let mut experiment = from_table(whole)?;
            // A published value is of one timing class, whatever the command runs.
            let stated = |field: &str| field == "timing" || states(&given, field);
            // What is wrong with its targets the run will say.
            let _ = crate::complete(&mut experiment, self.catalog, &stated);
            Ok(experiment)
        };
        read().map_err(|problem: String| format!("experiment {name}: {problem}"))
    }

    /// An experiment of the same kind and test, with everything as in a run of the command line.
    fn usual(&self, given: &Table) -> Result<Table, String> {
        let workload = given.get("workload").and_then(Value::as_table);
        let kind = workload.and_then(|of| of.get("kind")?.as_str());
        let workload = Workload::usual(kind.unwrap_or_default(), workload.and_then(test));
        let timing = match workload {
            Some(Workload::App(_) | Workload::Dram(_)) => Timing::Max,
            _ => Timing::Typ,
        };
        let stated_in_full = workload.is_none();
        let experiment = Experiment {
            targets: vec![self.target.clone()],
            workload: workload.unwrap_or(Workload::Raw(RawWorkload::default())),
            timings: vec![timing],
            age: 0.0,
            seed: 0,
            ftl: None,
        };
        let mut table = Table::try_from(experiment).map_err(|error| error.to_string())?;
        if stated_in_full {
            table.remove("workload");
        }
        Ok(table)
    }
}

/// The test of a workload that has several: `test.kind`, or the name below `test`.
fn test(workload: &Table) -> Option<&str> {
    let test = workload.get("test")?.as_table()?;
    match test.get("kind") {
        Some(kind) => kind.as_str(),
        None => test.keys().next().map(String::as_str),
    }
}

/// Whether a field is stated, wherever it belongs.
fn states(given: &Table, field: &str) -> bool {
    given.iter().any(|(key, value)| {
        key == field || value.as_table().is_some_and(|below| states(below, field))
    })
}

/// Reads a table; an error says what is wrong in a line.
pub(super) fn from_table<T: DeserializeOwned>(table: Table) -> Result<T, String> {
    table
        .try_into()
        .map_err(|error: toml::de::Error| error.message().to_owned())
}

/// Sets fields, and fields of fields.
pub(super) fn overlay(fields: &mut Table, given: Table) -> Result<(), String> {
    for (key, value) in given {
        match (fields.get_mut(&key), value) {
            (Some(Value::Table(fields)), Value::Table(given)) => overlay(fields, given)?,
            (Some(Value::Array(list)), value) if !value.is_array() => {
                *list = vec![plain(&key, value)?];
            }
            (_, value) => {
                let value = plain(&key, value)?;
                fields.insert(key, value);
            }
        }
    }
    Ok(())
}

/// A value in the unit that the end of its field's name states.
pub(super) fn plain(key: &str, value: Value) -> Result<Value, String> {
    let whole = |number: u64| {
        i64::try_from(number)
            .map(Value::Integer)
            .map_err(|_| "too many")
    };
    let text = match value {
        Value::Array(list) => {
            let list = list.into_iter().map(|value| plain(key, value));
            return list.collect::<Result<_, _>>().map(Value::Array);
        }
        Value::Table(given) => {
            let mut fields = Table::new();
            overlay(&mut fields, given)?;
            return Ok(Value::Table(fields));
        }
        Value::String(text) => text,
        value => return Ok(value),
    };
    let ends = |suffix| key.ends_with(suffix);
    if ends("_bytes_per_s") {
        let rate = text.parse::<DataRate>();
        rate.map(|rate| Value::Float(rate.si()))
            .map_err(|error| error.to_string())
    } else if ends("_bytes") {
        let size = text.parse::<ByteCount>().map_err(|error| error.to_string());
        size.and_then(|size| Ok(whole(size.bytes())?))
    } else if ends("_ps") {
        let time = text.parse::<Time>().map_err(|error| error.to_string());
        time.and_then(|time| Ok(whole(time.ps())?))
    } else if ends("_hz") {
        let clock = text.parse::<Frequency>();
        let clock = clock.map_err(|error| error.to_string());
        clock.and_then(|clock| Ok(whole(clock.hz())?))
    } else if ends("_s") {
        let time = text.parse::<Period>();
        time.map(|time| Value::Float(time.si()))
            .map_err(|error| error.to_string())
    } else {
        return Ok(Value::String(text));
    }
    .map_err(|problem: String| format!("{key}: {problem}"))
}
