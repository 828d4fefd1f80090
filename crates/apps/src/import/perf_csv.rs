//! `perf stat -x SEPARATOR`, with or without `-I`, `-A`, `--per-socket`, `--per-core`, `--per-node` and `-r`.
//!
//! Fields of a line, as perf-stat(1) has them under CSV FORMAT: time in seconds with `-I`; processor, core or socket; how many
//! of them; value; unit; event; run time of the counter; percentage of it; variance with `-r`; a metric and its unit. Events
//! may hold the separator, and nothing is quoted: the run time and its percentage say where an event ends.

use std::io::BufRead;

use super::collect::{Collector, IntervalAmount};
use super::perf_event::{PerfCount, enabled_share};
use super::text::{CounterLines, number, shown};
use super::{CounterFault, CounterFormat, CounterRole};

const EXPECTED: &str =
    "value, unit, event, run time and percentage stand in each, as in 812320,,cycles,812320,100.00";

/// Separators that are looked for.
const SEPARATORS: [char; 4] = [';', '|', '\t', ','];

/// One line.
#[derive(Clone, Debug, PartialEq)]
struct PerfRow<'a> {
    at: Option<f64>,
    place: String,
    value: &'a str,
    unit: &'a str,
    event: String,
    percent: f64,
    metric: Option<(f64, &'a str)>,
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_value(text: &str, comma: bool) -> bool {
    text == "<not counted>" || text == "<not supported>" || number(text, comma).is_some()
}

/// Seconds since the start; below 0 as well, which is refused where it is added.
fn seconds(text: &str, comma: bool) -> Option<f64> {
    match text.strip_prefix('-') {
        Some(rest) => number(rest, comma).map(|seconds| -seconds),
        None => number(text, comma),
    }
}

/// A percentage with its two decimals.
fn percentage(text: &str, comma: bool) -> Option<f64> {
    let is_point = |one: char| one == '.' || comma && one == ',';
    let (_, decimals) = text.split_once(is_point)?;
    (decimals.len() == 2).then(|| number(text, comma))?
}

/// A line as its fields; none where it is none of perf's.
fn row(text: &str, separator: char) -> Option<PerfRow<'_>> {
    let comma = separator != ',';
    let fields: Vec<&str> = text.split(separator).map(str::trim).collect();
    for first in 0..4 {
        let (Some(value), Some(unit), Some(event)) = (
            fields.get(first),
            fields.get(first + 1),
            fields.get(first + 2),
        ) else {
            break;
        };
        let is_unit =
            !unit.starts_with('<') && number(unit, comma).is_none() && !unit.contains('=');
        if !is_value(value, comma) || !is_unit || !event.chars().any(char::is_alphabetic) {
            continue;
        }
        let behind = (first + 3..fields.len().saturating_sub(1))
            .find(|&at| is_digits(fields[at]) && percentage(fields[at + 1], comma).is_some());
        let Some(behind) = behind else { continue };
        // `-r` puts the variance before the run time in some versions of perf, and behind it in others.
        let is_variance = |text: &str| {
            text.strip_suffix('%')
                .is_some_and(|share| percentage(share, comma).is_some())
        };
        let end = behind - usize::from(behind > first + 3 && is_variance(fields[behind - 1]));
        let (at, place) = match &fields[..first] {
            [] => (None, String::new()),
            [one] => seconds(one, comma)
                .map_or_else(|| (None, (*one).to_owned()), |at| (Some(at), String::new())),
            [one, two] => seconds(one, comma).map_or_else(
                || (None, (*one).to_owned()),
                |at| (Some(at), (*two).to_owned()),
            ),
            [one, two, ..] => (Some(seconds(one, comma)?), (*two).to_owned()),
        };
        let metric = || {
            let words = fields
                .last()
                .filter(|words| words.chars().any(char::is_alphabetic))?;
            let value = number(fields.get(fields.len().checked_sub(2)?)?, comma)?;
            Some((value, *words))
        };
        return Some(PerfRow {
            at,
            place,
            value,
            unit,
            event: fields[first + 2..end].join(&separator.to_string()),
            percent: percentage(fields[behind + 1], comma)?,
            metric: metric(),
        });
    }
    None
}

/// Whether a line has but a metric: perf leaves the fields of the event empty.
fn is_metric_alone(text: &str, separator: char) -> bool {
    let fields: Vec<&str> = text.split(separator).map(str::trim).collect();
    (0..4).any(|first| {
        let empty = fields.get(first..first + 3);
        empty.is_some_and(|fields| fields.iter().all(|field| field.is_empty()))
    })
}

/// The separator of a line of perf; none where it is no such line.
pub(super) fn separator_of(line: u64, text: &str) -> Result<Option<char>, CounterFault> {
    let found = SEPARATORS
        .into_iter()
        .find(|separator| row(text, *separator).is_some());
    if found.is_none() && has_decimal_commas(text) {
        return Err(CounterFault::Locale {
            line,
            found: shown(text.trim()),
        });
    }
    Ok(found)
}

/// Whether a line would be one of perf if the comma in its percentage were a point.
fn has_decimal_commas(text: &str) -> bool {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_place = |window: &[&str]| {
        window[0].chars().any(char::is_alphabetic)
            && is_digits(window[1])
            && is_digits(window[2])
            && window[3].len() == 2
            && is_digits(window[3])
    };
    fields.windows(4).any(is_place)
}

/// Reads the lines.
pub(super) fn read<R: BufRead>(
    lines: &mut CounterLines<R>,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    let mut separator = None;
    let mut last = None;
    while let Some((line, text, ended)) = lines.next()? {
        last = Some(line);
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let by = match separator {
            Some(by) => by,
            None => match separator_of(line, text)? {
                Some(by) => *separator.insert(by),
                None => ',',
            },
        };
        let Some(found) = row(text, by) else {
            if is_metric_alone(text, by) {
                continue;
            }
            separator_of(line, text)?;
            let found = shown(trimmed);
            return Err(if ended {
                CounterFault::Malformed {
                    format: CounterFormat::PerfCsv,
                    line,
                    found,
                    expected: EXPECTED,
                }
            } else {
                CounterFault::Truncated {
                    line,
                    what: "a line",
                }
            });
        };
        add(line, &found, by != ',', collector)?;
    }
    match last {
        Some(_) => Ok(()),
        None => Err(CounterFault::Empty),
    }
}

fn add(
    line: u64,
    row: &PerfRow<'_>,
    comma: bool,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    // `--summary` repeats all intervals as one.
    if row.at.is_none() && row.place == "summary" {
        return Ok(());
    }
    if let Some(at) = row.at {
        collector.interval(line, at, false)?;
    }
    let count = PerfCount {
        line,
        event: &row.event,
        place: &row.place,
        unit: row.unit,
        value: number(row.value, comma),
        is_supported: row.value != "<not supported>",
        enabled: enabled_share(line, row.percent)?,
    };
    count.add(collector)?;
    add_utilized(&count, row.metric, row.at.is_some(), collector)
}

/// The metric beside the processor time says how long it took, where nothing else does.
pub(super) fn add_utilized(
    count: &PerfCount<'_>,
    metric: Option<(f64, &str)>,
    has_intervals: bool,
    collector: &mut Collector<'_>,
) -> Result<(), CounterFault> {
    let is_clock = ["task-clock", "cpu-clock"]
        .iter()
        .any(|name| count.event.starts_with(name));
    match (metric, count.value) {
        (Some((utilized, "CPUs utilized")), Some(milliseconds))
            if is_clock
                && !has_intervals
                && count.place.is_empty()
                && utilized > 0.0
                && count.unit == "msec" =>
        {
            let nanoseconds = milliseconds * 1e6 / utilized;
            collector.metric(
                count.line,
                CounterRole::ElapsedTime,
                "",
                IntervalAmount::Count(nanoseconds),
            )
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_of_perf_is_told_from_the_others() {
        let parts = |text: &str, by: char| {
            let row = row(text, by).unwrap_or_else(|| panic!("{text}"));
            (
                row.at,
                row.place,
                row.value.to_owned(),
                row.unit.to_owned(),
                row.event,
            )
        };
        let expected = |at: Option<f64>, place: &str, value: &str, unit: &str, event: &str| {
            (
                at,
                place.to_owned(),
                value.to_owned(),
                unit.to_owned(),
                event.to_owned(),
            )
        };
        let whole = parts(
            "0.81,msec,task-clock,812320,100.00,0.016,CPUs utilized",
            ',',
        );
        assert_eq!(whole, expected(None, "", "0.81", "msec", "task-clock"));
        let interval = parts("     0.010886151;<not counted>;;cycles;0;0.00;;", ';');
        assert_eq!(
            interval,
            expected(Some(0.010_886_151), "", "<not counted>", "", "cycles")
        );
        let socket = parts("S0,32,5000,,unc_m_cas_count.rd,32000000,100.00,,", ',');
        assert_eq!(
            socket,
            expected(None, "S0", "5000", "", "unc_m_cas_count.rd")
        );
        let both = parts("1.000,S1-D0-C3,2,5000,,cycles,320,100.00", ',');
        assert_eq!(both, expected(Some(1.0), "S1-D0-C3", "5000", "", "cycles"));
        let each = parts("CPU7,5000,,cycles,320,99.50,,", ',');
        assert_eq!(each, expected(None, "CPU7", "5000", "", "cycles"));
        let terms = parts("5000,,cpu/event=0x47,umask=0x9,cmask=9/,320,100.00,,", ',');
        assert_eq!(
            terms,
            expected(None, "", "5000", "", "cpu/event=0x47,umask=0x9,cmask=9/")
        );
        let german = parts(
            "0,81;msec;task-clock;812320;100,00;0,016;CPUs utilized",
            ';',
        );
        assert_eq!(german, expected(None, "", "0,81", "msec", "task-clock"));
        for text in [
            "",
            "a,b,c",
            "1,2,3,4,5,6",
            "# started",
            ",,,,,0.016,insn per cycle",
            "5000,,cycles",
            "5000,,cycles,1,x",
        ] {
            assert_eq!(row(text, ','), None, "{text}");
        }
        assert!(is_metric_alone(",,,,,0.016,insn per cycle", ','));
        assert!(is_metric_alone("1.002,,,,,,0.016,insn per cycle", ','));
    }

    #[test]
    fn decimal_commas_between_commas_are_named() {
        for text in [
            "0,81,msec,task-clock,812320,100,00,0,016,CPUs utilized",
            "<not counted>,,cycles,0,0,00,,",
            "1,000123,5000,,cycles,320,99,50",
        ] {
            let fault = separator_of(3, text).expect_err(text);
            assert!(
                matches!(fault, CounterFault::Locale { line: 3, .. }),
                "{fault}"
            );
        }
    }
}
