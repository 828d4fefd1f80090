//! `pcm -csv` and `pcm-memory -csv` of Intel's Performance Counter Monitor: two head lines, then a line an interval.
//!
//! The first head line says what a column is of (`System`, `SKT0`, `Socket 0`, …), the second what it holds. pcm-memory has
//! MB/s: `ChnRead` and `ChnWrite` of each channel, `Read`, `Write` and `Memory` of the system. pcm has GB of the interval in
//! `READ` and `WRITE`, millions of instructions and cycles in `INST` and `ACYC`, and shares of the top-down method in percent.
//! Date and time of a line are those of its end. Older versions separate by semicolons.

use std::io::BufRead;

use super::collect::{Collector, IntervalAmount, IntervalKind};
use super::text::{CounterLines, fields, number, separator, shown};
use super::{CounterFault, CounterFormat, CounterNote, CounterRole};
use crate::profile::LINE_BYTES;

const EXPECTED: &str = "it has as many fields as the second head line";

/// Whether a line is one of the heads.
pub(super) fn is_head(text: &str) -> bool {
    let fields = fields(text, separator(text));
    let is_group = |field: &String| {
        field == "System" || field.starts_with("SKT") || field.starts_with("Socket")
    };
    fields.len() > 3 && (fields.iter().any(is_group) || is_names(&fields))
}

fn is_names(fields: &[String]) -> bool {
    fields.first().is_some_and(|field| field == "Date")
        && fields.get(1).is_some_and(|field| field == "Time")
}

/// What a column is read for.
#[derive(Clone, Debug)]
enum PcmColumn {
    /// So much a second, or of the interval.
    Metric(CounterRole, f64, fn(f64) -> IntervalAmount),
    Channel(String),
}

fn column(group: &str, name: &str) -> Option<PcmColumn> {
    let megabytes = 1e6 / LINE_BYTES;
    let gigabytes = 1e9 / LINE_BYTES;
    let metric =
        |role, scale, kind: fn(f64) -> IntervalAmount| Some(PcmColumn::Metric(role, scale, kind));
    if group.starts_with("SKT")
        && name.starts_with("Ch")
        && (name.ends_with("Read") || name.ends_with("Write"))
    {
        let channel = name.trim_end_matches("Read").trim_end_matches("Write");
        let is_plain = channel
            .trim_start_matches("Ch")
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        return is_plain.then(|| PcmColumn::Channel(format!("{group} {name}")));
    }
    if group != "System" {
        return None;
    }
    match name {
        "Read" => metric(CounterRole::LinesRead, megabytes, IntervalAmount::Rate),
        "Write" => metric(CounterRole::LinesWritten, megabytes, IntervalAmount::Rate),
        "READ" => metric(CounterRole::LinesRead, gigabytes, IntervalAmount::Count),
        "WRITE" => metric(CounterRole::LinesWritten, gigabytes, IntervalAmount::Count),
        "INST" => metric(CounterRole::Instructions, 1e6, IntervalAmount::Count),
        "ACYC" => metric(CounterRole::Cycles, 1e6, IntervalAmount::Count),
        "LLCRDMISSLAT (ns)" => metric(CounterRole::Latency, 1.0, IntervalAmount::Mean),
        "Memory_Bound(%)" | "Memory_bound(%)" => {
            metric(CounterRole::StallShareMost, 0.01, IntervalAmount::Mean)
        }
        _ => None,
    }
}

/// Reads the lines.
pub(super) fn read<R: BufRead>(
    lines: &mut CounterLines<R>,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    let mut groups: Option<(Vec<String>, char)> = None;
    let mut columns: Vec<Option<(PcmColumn, String)>> = Vec::new();
    collector.intervals_are(IntervalKind::TimeOfDay);
    while let Some((line, text, ended)) = lines.next()? {
        let trimmed = text.trim_matches([' ', '\t', '\0']);
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let Some((group, by)) = &groups else {
            let by = separator(trimmed);
            let found = fields(trimmed, by);
            if is_names(&found) {
                return Err(CounterFault::Version {
                    format: CounterFormat::Pcm,
                    line,
                    found: shown(trimmed),
                    suffices: "keep the first head line, which says what each column is of",
                });
            }
            groups = Some((found, by));
            continue;
        };
        let mut row = fields(trimmed, *by);
        if columns.is_empty() {
            if !is_names(&row) {
                return Err(CounterFault::Malformed {
                    format: CounterFormat::Pcm,
                    line,
                    found: shown(trimmed),
                    expected: "the second head line begins with Date and Time",
                });
            }
            while row.last().is_some_and(String::is_empty) {
                row.pop();
            }
            let of = |index: usize| group.get(index).map_or("", String::as_str);
            columns = row
                .iter()
                .enumerate()
                .map(|(index, name)| Some((column(of(index), name)?, name.clone())))
                .collect();
            let has_memory = columns
                .iter()
                .flatten()
                .any(|(one, _)| matches!(one, PcmColumn::Metric(CounterRole::LinesRead, ..)));
            if !has_memory {
                return Err(CounterFault::Version {
                    format: CounterFormat::Pcm,
                    line,
                    found: shown(trimmed),
                    suffices: "run pcm-memory -csv, or pcm -csv as root without -nsys: the columns of memory are missing",
                });
            }
            collector.note(CounterNote::WholeMachine);
            continue;
        }
        while row.len() > columns.len() && row.last().is_some_and(String::is_empty) {
            row.pop();
        }
        if row.len() != columns.len() {
            let found = shown(trimmed);
            return Err(match () {
                () if !ended => CounterFault::Truncated {
                    line,
                    what: "a line",
                },
                () if *by == ',' && row.len() > columns.len() => {
                    CounterFault::Locale { line, found }
                }
                () => CounterFault::Malformed {
                    format: CounterFormat::Pcm,
                    line,
                    found,
                    expected: EXPECTED,
                },
            });
        }
        let moment = seconds(&row[0], &row[1], *by != ',').ok_or_else(|| CounterFault::Number {
            line,
            what: "Date and Time".to_owned(),
            found: shown(&format!("{} {}", row[0], row[1])),
            allowed: "a day and a time, as in 2026-11-26 and 13:05:00.250",
        })?;
        collector.interval(line, moment, true)?;
        for (cell, column) in row.iter().zip(&columns) {
            let Some((column, name)) = column else {
                continue;
            };
            if cell.is_empty() || cell == "N/A" {
                continue;
            }
            let value = number(cell, *by != ',').ok_or_else(|| CounterFault::Number {
                line,
                what: name.clone(),
                found: shown(cell),
                allowed: "a number from 0 on",
            })?;
            match column {
                PcmColumn::Metric(role, scale, kind) => {
                    collector.metric(line, *role, "", kind(value * scale))?
                }
                PcmColumn::Channel(channel) => collector.channel(line, channel, value)?,
            }
        }
    }
    Ok(())
}

/// Seconds of a day and a time, counted from the first day of a year that does not matter.
fn seconds(date: &str, time: &str, comma: bool) -> Option<f64> {
    let mut parts = date.split(['-', '/']).map(|part| part.parse::<u32>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some()
        || !(1970..10_000).contains(&year)
        || !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
    {
        return None;
    }
    let mut parts = time.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let whole = |text: &str, below: u32| text.parse::<u32>().ok().filter(|value| *value < below);
    let seconds = number(seconds, comma).filter(|value| *value < 61.0)?;
    if parts.next().is_some() {
        return None;
    }
    // Days since March of the year 0, in which the leap day is the last.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some(
        f64::from(days) * 86_400.0
            + f64::from(whole(hours, 24)?) * 3600.0
            + f64::from(whole(minutes, 60)?) * 60.0
            + seconds,
    )
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn moments_follow_each_other_over_midnight_and_leap_days() {
        let between = |from: (&str, &str), to: (&str, &str)| {
            let at = |(date, time)| seconds(date, time, false).expect("a moment");
            at(to) - at(from)
        };
        assert!(
            (between(("2024-02-28", "23:59:59.500"), ("2024-02-29", "00:00:00")) - 0.5).abs()
                < 1e-6
        );
        assert!(
            (between(("2023-12-31", "00:00:00"), ("2024-01-01", "00:00:00")) - 86_400.0).abs()
                < 1e-6
        );
        assert!(
            (between(("2024-02-29", "12:00:00"), ("2024-03-01", "12:00:00")) - 86_400.0).abs()
                < 1e-6
        );
        for (date, time) in [
            ("2024-13-01", "0:0:0"),
            ("x", "0:0:0"),
            ("2024-01-01", "24:00:00"),
            ("2024-01-01", "1:2"),
            ("1-1-1", "0:0:0"),
        ] {
            assert_eq!(seconds(date, time, false), None, "{date} {time}");
        }
    }
}
