//! `perfspect metrics`: a column a metric and a line an interval, or its summary with a line a metric.
//!
//! The head line begins with `TS,SKT,CPU,CID`, and `TS` is seconds since 1970; that of a summary is
//! `metric,mean,min,max,stddev`. Names of metrics are those of Intel's perfmon lists, in the older spelling with spaces and
//! units or the newer one with underscores.

use std::io::BufRead;

use super::collect::{Collector, IntervalAmount, IntervalKind};
use super::text::{CounterLines, fields, number, shown};
use super::{CounterFault, CounterFormat, CounterRole};
use crate::profile::LINE_BYTES;

const EXPECTED: &str = "it has as many fields as the head line";

/// Columns before those of metrics.
const CONTEXT: [&str; 4] = ["TS", "SKT", "CPU", "CID"];

/// Whether a line is the head.
pub(super) fn is_head(text: &str) -> bool {
    text.starts_with("TS,SKT,CPU,CID") || text.starts_with("metric,mean,min,max")
}

/// What a metric is read for and by what it is multiplied.
fn metric(name: &str) -> Option<(CounterRole, f64)> {
    let name = name.to_lowercase().replace([' ', '.'], "_");
    let name = name
        .trim_start_matches("metric_")
        .trim_start_matches("tma_")
        .trim_start_matches('_');
    let name = name
        .split('(')
        .next()
        .unwrap_or_default()
        .trim_end_matches(['_', '%']);
    let lines = 1e6 / LINE_BYTES;
    Some(match name {
        "memory_bandwidth_read" => (CounterRole::LinesRead, lines),
        "memory_bandwidth_write" => (CounterRole::LinesWritten, lines),
        "dram_bound" => (CounterRole::StallShare, 0.01),
        "memory_bound" => (CounterRole::StallShareMost, 0.01),
        "llc_demand_data_read_miss_to_dram_latency"
        | "average_llc_demand_data_read_miss_to_dram_latency" => (CounterRole::Latency, 1.0),
        "cpu_utilization" => (CounterRole::AwakeShare, 0.01),
        "cpi" => (CounterRole::CyclesEach, 1.0),
        _ => return None,
    })
}

fn amount(role: CounterRole, value: f64) -> IntervalAmount {
    match role {
        CounterRole::LinesRead | CounterRole::LinesWritten => IntervalAmount::Rate(value),
        _ => IntervalAmount::Mean(value),
    }
}

/// Reads the lines.
pub(super) fn read<R: BufRead>(
    lines: &mut CounterLines<R>,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    let mut head: Vec<Option<(CounterRole, f64, String)>> = Vec::new();
    let mut is_summary = false;
    collector.intervals_are(IntervalKind::TimeOfDay);
    while let Some((line, text, ended)) = lines.next()? {
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let row = fields(trimmed, ',');
        if head.is_empty() {
            is_summary = row.first().is_some_and(|field| field == "metric");
            head = row
                .into_iter()
                .map(|name| {
                    let found = metric(&name).map(|(role, scale)| (role, scale, name.clone()));
                    if found.is_none() && !is_summary && !CONTEXT.contains(&name.as_str()) {
                        collector.ignore(&name);
                    }
                    found
                })
                .collect();
            continue;
        }
        if row.len() != head.len() {
            return Err(match () {
                () if !ended => CounterFault::Truncated {
                    line,
                    what: "a line",
                },
                () if row.len() > head.len() => CounterFault::Locale {
                    line,
                    found: shown(trimmed),
                },
                () => CounterFault::Malformed {
                    format: CounterFormat::PerfSpect,
                    line,
                    found: shown(trimmed),
                    expected: EXPECTED,
                },
            });
        }
        let refused = |what: &str, found: &str| CounterFault::Number {
            line,
            what: what.to_owned(),
            found: shown(found),
            allowed: "a number from 0 on",
        };
        if is_summary {
            let Some((role, scale)) = metric(&row[0]) else {
                collector.ignore(&row[0]);
                continue;
            };
            if let Some(value) = stated(&row[1]) {
                let value = value.ok_or_else(|| refused(&row[0], &row[1]))?;
                collector.metric(line, role, "", amount(role, value * scale))?;
            }
            continue;
        }
        let at = number(&row[0], false).ok_or_else(|| refused("TS", &row[0]))?;
        collector.interval(line, at, false)?;
        let place = row
            .get(1..4)
            .map(|places| places.join(" "))
            .unwrap_or_default();
        for (cell, column) in row.iter().zip(&head) {
            if let (Some((role, scale, name)), Some(value)) = (column, stated(cell)) {
                let value = value.ok_or_else(|| refused(name, cell))?;
                collector.metric(line, *role, place.trim(), amount(*role, value * scale))?;
            }
        }
    }
    Ok(())
}

/// A value; none where the tool had none, and nothing inside where it is no number.
#[allow(clippy::option_option)] // Not stated, and stated wrongly.
fn stated(cell: &str) -> Option<Option<f64>> {
    (!cell.is_empty() && cell != "NaN").then(|| number(cell, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_known_in_both_spellings() {
        for (old, new) in [
            (
                "metric_memory bandwidth read (MB/sec)",
                "memory_bandwidth_read",
            ),
            ("memory bandwidth write (MB/sec)", "memory_bandwidth_write"),
            ("TMA_....DRAM_Bound(%)", "DRAM_Bound"),
            ("TMA_..Memory_Bound(%)", "Memory_Bound"),
            (
                "Average LLC demand data read miss to DRAM latency (in ns)",
                "llc_demand_data_read_miss_to_dram_latency",
            ),
            ("CPU utilization %", "cpu_utilization"),
            ("CPI", "cpi"),
        ] {
            let found = metric(old);
            assert!(found.is_some(), "{old}");
            assert_eq!(found, metric(new), "{new}");
        }
        assert_eq!(metric("memory bandwidth total (MB/sec)"), None);
        assert_eq!(metric("NUMA %_Reads addressed to local DRAM"), None);
    }
}
