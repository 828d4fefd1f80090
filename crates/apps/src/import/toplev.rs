//! `toplev -x,` of pmu-tools: a node of the top-down method or a metric a line.
//!
//! The head line has `Area`, `Value`, `Unit`, `Description`, `Sample`, `Stddev`, `Multiplex`, `Bottleneck` and `Idle`; before
//! them `Timestamp` with `-I` and `CPUs` without `--single-thread`. `Area` holds the node's name with its parents, such as
//! `Backend_Bound.Memory_Bound.DRAM_Bound`. Shares are in percent. A comment before it names version and processor.

use std::io::BufRead;

use super::collect::{Collector, IntervalAmount};
use super::text::{CounterLines, fields, number, separator, shown};
use super::{CounterFault, CounterFormat, CounterRole};

const EXPECTED: &str = "it has as many fields as the head line";

/// Whether a line is the head.
pub(super) fn is_head(text: &str) -> bool {
    let fields = fields(text, separator(text));
    let has = |name: &str| fields.iter().any(|field| field == name);
    has("Area") && (has("Value") && has("Unit") || has("Node"))
}

/// Places of the columns that are read.
struct ToplevColumns {
    timestamp: Option<usize>,
    cpus: Option<usize>,
    area: usize,
    value: usize,
    unit: usize,
    multiplex: Option<usize>,
    all: usize,
}

impl ToplevColumns {
    fn of(line: u64, text: &str, by: char) -> Result<Self, CounterFault> {
        let head = fields(text, by);
        let place = |name: &str| head.iter().position(|field| field == name);
        let (Some(area), Some(value), Some(unit)) = (place("Area"), place("Value"), place("Unit"))
        else {
            return Err(CounterFault::Version {
                format: CounterFormat::Toplev,
                line,
                found: shown(text),
                suffices: "leave --columns out",
            });
        };
        Ok(Self {
            timestamp: place("Timestamp"),
            cpus: place("CPUs"),
            area,
            value,
            unit,
            multiplex: place("Multiplex"),
            all: head.len(),
        })
    }
}

/// Reads the lines.
pub(super) fn read<R: BufRead>(
    lines: &mut CounterLines<R>,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    let mut columns: Option<(ToplevColumns, char)> = None;
    while let Some((line, text, ended)) = lines.next()? {
        let trimmed = text.trim();
        if let Some(comment) = trimmed.strip_prefix('#') {
            collector.processor(line, comment)?;
            continue;
        }
        if trimmed.is_empty() {
            continue;
        }
        let Some((columns, by)) = &columns else {
            let by = separator(trimmed);
            columns = Some((ToplevColumns::of(line, trimmed, by)?, by));
            continue;
        };
        let row = fields(trimmed, *by);
        // Regions of other processors repeat the head.
        if row.get(columns.area).is_some_and(|field| field == "Area") {
            continue;
        }
        if row.len() != columns.all {
            let found = shown(trimmed);
            // Nothing is quoted in a row with decimal commas, so that it has one field more for each.
            return Err(match () {
                () if !ended => CounterFault::Truncated {
                    line,
                    what: "a line",
                },
                () if *by == ',' && row.len() > columns.all => CounterFault::Locale { line, found },
                () => CounterFault::Malformed {
                    format: CounterFormat::Toplev,
                    line,
                    found,
                    expected: EXPECTED,
                },
            });
        }
        add(line, &row, columns, *by != ',', collector)?;
    }
    Ok(())
}

fn add(
    line: u64,
    row: &[String],
    columns: &ToplevColumns,
    comma: bool,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    let name = row[columns.area]
        .rsplit([' ', '.'])
        .next()
        .unwrap_or_default();
    let refused = |what: &str, found: &str| CounterFault::Number {
        line,
        what: what.to_owned(),
        found: shown(found),
        allowed: "a number from 0 on",
    };
    if let Some(at) = columns.timestamp {
        if row[at] == "SUMMARY" {
            return Ok(());
        }
        let at = number(&row[at], comma).ok_or_else(|| refused("Timestamp", &row[at]))?;
        collector.interval(line, at, false)?;
    }
    let Some((role, scale, is_mean)) = node(name) else {
        collector.ignore(name);
        return Ok(());
    };
    let text = &row[columns.value];
    if text.is_empty() {
        return Ok(());
    }
    let value = number(text, comma).ok_or_else(|| refused(name, text))?;
    let is_percent = row[columns.unit].contains('%');
    let scale = if is_percent { 0.01 } else { scale };
    let multiplex = columns
        .multiplex
        .map_or("", |at| row[at].trim_matches(['[', ']', '%', ' ']));
    let enabled = number(multiplex, comma).map_or(1.0, |percent| (percent / 100.0).clamp(0.0, 1.0));
    let amount = match role {
        CounterRole::LinesMoved => IntervalAmount::Rate(value * scale),
        _ if is_mean => IntervalAmount::Mean(value * scale),
        _ => IntervalAmount::Count(value * scale),
    };
    let place = columns.cpus.map_or("", |at| row[at].as_str());
    collector.shared_metric(line, role, place, (enabled, amount))
}

/// What a node or metric is read for, by what it is multiplied, and whether it is a mean.
fn node(name: &str) -> Option<(CounterRole, f64, bool)> {
    Some(match name {
        "DRAM_Bound" => (CounterRole::StallShare, 0.01, true),
        "Memory_Bound" => (CounterRole::StallShareMost, 0.01, true),
        "MEM_DRAM_Read_Latency" => (CounterRole::Latency, 1.0, true),
        // In GB/s, of the whole machine.
        "DRAM_BW_Use" => (
            CounterRole::LinesMoved,
            1e9 / crate::profile::LINE_BYTES,
            false,
        ),
        "Instructions" => (CounterRole::Instructions, 1.0, false),
        "CLKS" => (CounterRole::Cycles, 1.0, false),
        "CPU_Utilization" => (CounterRole::AwakeShare, 1.0, true),
        _ => return None,
    })
}
