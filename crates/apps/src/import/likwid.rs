//! `likwid-perfctr -O`: blocks of lines, `TABLE,Group 1 Metric,MEM,9` and the like, a column a hardware thread; with marked
//! regions `TABLE,Region NAME,Group 1 Metric,MEM,9`. Or a timeline (`-t`), whose comments name the columns.
//!
//! Groups that have a metric of memory's bandwidth state it for the sockets alone: it stands with the first thread of each.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::collect::{Collector, IntervalAmount};
use super::text::{CounterLines, fields, number, shown};
use super::{CounterFault, CounterFormat, CounterNote, CounterRole};
use crate::profile::LINE_BYTES;

/// Whether a line begins an output of likwid.
pub(super) fn is_head(text: &str) -> bool {
    [
        "STRUCT,Info,",
        "TABLE,Group ",
        "TABLE,Region ",
        "# GID",
        "# HWThreads",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

/// Which table is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LikwidTable {
    /// Metrics, a line each.
    Metric,
    /// Events, a line each.
    Raw,
}

/// What a metric is read for, by what it is multiplied, and how it adds up.
type LikwidMetric = (CounterRole, f64, fn(f64) -> IntervalAmount);

/// What a metric is read for.
fn metric(name: &str) -> Option<LikwidMetric> {
    let gigabytes = 1e9 / LINE_BYTES;
    Some(match name {
        "Memory read data volume [GBytes]" => {
            (CounterRole::LinesRead, gigabytes, IntervalAmount::Count)
        }
        "Memory write data volume [GBytes]" => {
            (CounterRole::LinesWritten, gigabytes, IntervalAmount::Count)
        }
        "Runtime (RDTSC) [s]" => (CounterRole::ElapsedTime, 1e9, IntervalAmount::Mean),
        "Stalls caused by L3 misses rate [%]" => {
            (CounterRole::StallShare, 0.01, IntervalAmount::Mean)
        }
        "Stalls caused by L2 misses rate [%]" => {
            (CounterRole::StallShareMost, 0.01, IntervalAmount::Mean)
        }
        _ => return None,
    })
}

/// The same of a timeline, whose lines have rates.
fn rate(name: &str) -> Option<LikwidMetric> {
    let megabytes = 1e6 / LINE_BYTES;
    Some(match name {
        "Memory read bandwidth [MBytes/s]" => {
            (CounterRole::LinesRead, megabytes, IntervalAmount::Rate)
        }
        "Memory write bandwidth [MBytes/s]" => {
            (CounterRole::LinesWritten, megabytes, IntervalAmount::Rate)
        }
        _ => return None,
    })
}

/// What an event is read for; names differ between makers.
fn event(name: &str) -> Option<CounterRole> {
    Some(match name {
        "INSTR_RETIRED_ANY" | "RETIRED_INSTRUCTIONS" | "INST_RETIRED" => CounterRole::Instructions,
        "CPU_CLK_UNHALTED_CORE" | "CPU_CLOCKS_UNHALTED" | "CPU_CYCLES" => CounterRole::Cycles,
        _ => return None,
    })
}

/// Which roles which group states: where several were measured in turn, the first that states one counts.
#[derive(Debug, Default)]
struct LikwidGroups {
    group: String,
    /// Seconds that it was measured for.
    seconds: f64,
    table: Option<LikwidTable>,
    stated: BTreeMap<CounterRole, String>,
}

/// Reads the lines.
pub(super) fn read<R: BufRead>(
    lines: &mut CounterLines<R>,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    let mut groups = LikwidGroups::default();
    let mut timeline: Vec<String> = Vec::new();
    let mut by = ',';
    collector.note(CounterNote::WholeMachine);
    while let Some((line, text, ended)) = lines.next()? {
        let trimmed = text.trim();
        if let Some(rest) = trimmed.strip_prefix("# GID") {
            by = rest
                .chars()
                .next()
                .filter(|one| !one.is_alphanumeric())
                .unwrap_or(',');
            if !timeline.is_empty() {
                return Err(CounterFault::Version {
                    format: CounterFormat::Likwid,
                    line,
                    found: shown(trimmed),
                    suffices: "measure one group at a time in a timeline",
                });
            }
            timeline = rest
                .split(by)
                .skip(4)
                .map(|name| name.trim().to_owned())
                .collect();
            continue;
        }
        if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with("---") {
            continue;
        }
        if !timeline.is_empty() {
            moment(line, trimmed, by, &timeline, ended, collector)?;
            continue;
        }
        let row = fields(trimmed, ',');
        match row[0].as_str() {
            "STRUCT" => groups.table = None,
            "TABLE" => begin(line, &row, &mut groups, collector)?,
            "CPU type:" | "CPU name:" => collector.processor(line, &row[1..].join(" "))?,
            _ if !ended && groups.table.is_some() => {
                return Err(CounterFault::Truncated {
                    line,
                    what: "a table",
                });
            }
            _ => line_of(line, &row, &mut groups, collector)?,
        }
    }
    Ok(())
}

/// A line that begins a table.
fn begin(
    line: u64,
    row: &[String],
    groups: &mut LikwidGroups,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    let region = row.get(1).and_then(|field| field.strip_prefix("Region "));
    let title = row
        .get(if region.is_some() { 2 } else { 1 })
        .map_or("", String::as_str);
    if let Some(region) = region
        && collector.region(line, region)?
    {
        groups.stated.clear();
    }
    let Some((group, of)) = title
        .strip_prefix("Group ")
        .and_then(|rest| rest.split_once(' '))
    else {
        return Err(CounterFault::Malformed {
            format: CounterFormat::Likwid,
            line,
            found: shown(&row.join(",")),
            expected: "tables are of a group, as in TABLE,Group 1 Metric,MEM,9",
        });
    };
    if groups.group != group {
        groups.group = group.to_owned();
        groups.seconds = 0.0;
    }
    groups.table = match of {
        "Metric" => Some(LikwidTable::Metric),
        "Raw" => Some(LikwidTable::Raw),
        _ => None,
    };
    Ok(())
}

/// A line of a table.
fn line_of(
    line: u64,
    row: &[String],
    groups: &mut LikwidGroups,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    let name = row[0].as_str();
    let found: Option<(usize, LikwidMetric)> = match groups.table {
        None => None,
        Some(LikwidTable::Metric) => metric(name).map(|metric| (1, metric)),
        Some(LikwidTable::Raw) => {
            event(name).map(|role| (2, (role, 1.0, IntervalAmount::Count as _)))
        }
    };
    let Some((first, (role, scale, kind))) = found else {
        return Ok(());
    };
    let mut values = Vec::new();
    for cell in row
        .iter()
        .skip(first)
        .filter(|cell| !cell.is_empty() && *cell != "-" && *cell != "nan")
    {
        let value = number(cell, false).ok_or_else(|| CounterFault::Number {
            line,
            what: name.to_owned(),
            found: shown(cell),
            allowed: "a number from 0 on",
        })?;
        values.push(value * scale);
    }
    let gaps = row.iter().skip(first).any(|cell| cell == "nan");
    if is_uncounted(&values, gaps) {
        return Ok(());
    }
    if role == CounterRole::ElapsedTime {
        groups.seconds = values.iter().copied().fold(0.0, f64::max) / 1e9;
        if groups.stated.is_empty() || groups.stated.values().all(|group| *group == groups.group) {
            collector.lasts(groups.seconds);
        }
        return Ok(());
    }
    if groups
        .stated
        .entry(role)
        .or_insert_with(|| groups.group.clone())
        != &groups.group
    {
        return Ok(());
    }
    if role == CounterRole::LinesRead && groups.seconds > 0.0 {
        collector.lasts(groups.seconds);
    }
    for (place, value) in values.into_iter().enumerate() {
        collector.metric(line, role, &place.to_string(), kind(value))?;
    }
    Ok(())
}

/// Whether a metric was not counted at all. One thread of a socket has what its memory controllers counted, and the others have
/// zeros: where that one has no number, the zeros say nothing.
fn is_uncounted(values: &[f64], gaps: bool) -> bool {
    values.is_empty() || gaps && values.iter().all(|value| *value == 0.0)
}

/// A line of a timeline: group, number of metrics, number of threads, time, and each metric of each thread.
fn moment(
    line: u64,
    text: &str,
    by: char,
    names: &[String],
    ended: bool,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    let row = fields(text, by);
    let whole = |at: usize| row.get(at).and_then(|cell| cell.parse::<usize>().ok());
    let threads = whole(2).unwrap_or(0);
    let at = row.get(3).and_then(|cell| number(cell, false));
    let expected = threads
        .checked_mul(names.len())
        .and_then(|cells| cells.checked_add(4));
    let (Some(at), true) = (
        at,
        expected == Some(row.len()) && whole(1) == Some(names.len()) && threads > 0,
    ) else {
        return Err(if ended {
            CounterFault::Malformed {
                format: CounterFormat::Likwid,
                line,
                found: shown(text),
                expected: "a line of a timeline has group, metrics, threads, time, and each metric of each thread",
            }
        } else {
            CounterFault::Truncated {
                line,
                what: "a line",
            }
        });
    };
    collector.interval(line, at, true)?;
    for (index, name) in names.iter().enumerate() {
        let Some((role, scale, kind)) = rate(name) else {
            collector.ignore(name);
            continue;
        };
        let cells = &row[4 + index * threads..][..threads];
        let mut values = Vec::new();
        for (thread, cell) in cells.iter().enumerate() {
            if cell == "nan" || cell == "-" {
                continue;
            }
            let value = number(cell, false).ok_or_else(|| CounterFault::Number {
                line,
                what: name.clone(),
                found: shown(cell),
                allowed: "a number from 0 on",
            })?;
            values.push((thread, value * scale));
        }
        let plain: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        if is_uncounted(&plain, cells.iter().any(|cell| cell == "nan")) {
            continue;
        }
        for (thread, value) in values {
            collector.metric(line, role, &thread.to_string(), kind(value))?;
        }
    }
    Ok(())
}
