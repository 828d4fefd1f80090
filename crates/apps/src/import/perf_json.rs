//! `perf stat -j`: an object a line, with or without `-I`, `-A`, `--per-socket` and others.
//!
//! Names of its fields, as perf 6 writes them: `interval`, `cpu`, `core`, `die`, `socket`, `node`, `thread`, `counter-value`,
//! `unit`, `event`, `event-runtime`, `pcnt-running`, `metric-value`, `metric-unit`. Lines that have a metric alone have no
//! event.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::Value;

use super::collect::Collector;
use super::perf_csv::add_utilized;
use super::perf_event::{PerfCount, enabled_share};
use super::text::{CounterLines, number, shown};
use super::{CounterFault, CounterFormat};

const EXPECTED: &str = "each is an object such as {\"counter-value\" : \"1.0\", \"unit\" : \"\", \"event\" : \"cycles\", \"pcnt-running\" : 100.00}";

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct PerfObject {
    interval: Option<Value>,
    cpu: Option<Value>,
    core: Option<Value>,
    die: Option<Value>,
    socket: Option<Value>,
    node: Option<Value>,
    thread: Option<Value>,
    counter_value: Option<Value>,
    #[serde(default)]
    unit: String,
    event: Option<String>,
    pcnt_running: Option<Value>,
    metric_value: Option<Value>,
    #[serde(default)]
    metric_unit: Option<String>,
}

/// Whether a line is one of perf's.
pub(super) fn is_line(text: &str) -> bool {
    text.starts_with('{')
        && ["\"counter-value\"", "\"event\"", "\"metric-value\""]
            .iter()
            .any(|key| text.contains(key))
}

/// A number, or text that is one in whatever locale.
fn value(of: &Value) -> Option<f64> {
    match of {
        Value::Number(number) => number
            .as_f64()
            .filter(|value| value.is_finite() && *value >= 0.0),
        Value::String(text) => number(text, true),
        _ => None,
    }
}

/// Reads the lines.
pub(super) fn read<R: BufRead>(
    lines: &mut CounterLines<R>,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    while let Some((line, text, ended)) = lines.next()? {
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let found = shown(trimmed);
        let has_commas = trimmed.starts_with('{') && has_decimal_comma(trimmed);
        let mut objects = Vec::new();
        for object in serde_json::Deserializer::from_str(trimmed).into_iter::<PerfObject>() {
            objects.push(object.map_err(|error| error.is_eof()));
        }
        for object in objects {
            match object {
                Ok(object) => add(line, &object, collector)?,
                Err(_) if has_commas => return Err(CounterFault::Locale { line, found }),
                Err(true) if !ended => {
                    return Err(CounterFault::Truncated {
                        line,
                        what: "an object",
                    });
                }
                Err(_) => {
                    return Err(CounterFault::Malformed {
                        format: CounterFormat::PerfJson,
                        line,
                        found,
                        expected: EXPECTED,
                    });
                }
            }
        }
    }
    Ok(())
}

/// Whether a number without quotes has a decimal comma, which JSON cannot say.
fn has_decimal_comma(text: &str) -> bool {
    [
        "\"pcnt-running\" : ",
        "\"interval\" : ",
        "\"metric-value\" : ",
        "\"pcnt-running\":",
    ]
    .iter()
    .any(|key| {
        text.split(key).skip(1).any(|rest| {
            let digits = rest
                .trim_start()
                .trim_start_matches(|one: char| one.is_ascii_digit());
            let mut behind = digits.chars();
            digits.len() < rest.trim_start().len()
                && behind.next() == Some(',')
                && behind.next().is_some_and(|one| one.is_ascii_digit())
        })
    })
}

fn add(line: u64, object: &PerfObject, collector: &mut Collector<'_>) -> Result<(), CounterFault> {
    let refused = |what: &str, found: &Value| CounterFault::Number {
        line,
        what: what.to_owned(),
        found: shown(&found.to_string()),
        allowed: "a number from 0 on",
    };
    let named = |what: &'static str, of: &Option<Value>| match of {
        None => Ok(None),
        Some(of) => value(of).map(Some).ok_or_else(|| refused(what, of)),
    };
    let at = named("interval", &object.interval)?;
    if let Some(at) = at {
        collector.interval(line, at, false)?;
    }
    let (Some(event), Some(counted)) = (&object.event, &object.counter_value) else {
        return Ok(());
    };
    let places = [
        &object.cpu,
        &object.core,
        &object.die,
        &object.socket,
        &object.node,
        &object.thread,
    ];
    let place: Vec<String> = places.into_iter().flatten().map(Value::to_string).collect();
    let words = counted.as_str().unwrap_or_default();
    let is_supported = words != "<not supported>";
    let number = match words {
        "<not counted>" | "<not supported>" => None,
        _ => Some(value(counted).ok_or_else(|| refused("counter-value", counted))?),
    };
    let count = PerfCount {
        line,
        event,
        place: &place.join(" "),
        unit: &object.unit,
        value: number,
        is_supported,
        enabled: enabled_share(
            line,
            named("pcnt-running", &object.pcnt_running)?.unwrap_or(100.0),
        )?,
    };
    count.add(collector)?;
    let metric = object
        .metric_value
        .as_ref()
        .and_then(value)
        .zip(object.metric_unit.as_deref());
    add_utilized(&count, metric, at.is_some(), collector)
}
