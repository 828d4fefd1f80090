//! The unit of a column that states none, from what its values would mean.
//!
//! A unit of time is plausible where the accesses that the head of the log holds are such as a memory makes: nine in ten
//! take 1 us or longer, none takes longer than 30 s, after which Linux gives a command up; together they move no more than
//! 32 GB/s, what four lanes of PCIe 6.0 carry; and on average they take no longer than 100 ms and what their bytes take
//! at 1 MB/s. Where the log tells times in a known unit, the accesses also have to fit into it, one after the other. One
//! plausible unit is taken, with a warning; of several, nobody but the user can choose.

use wordline_core::quantity::human;

use super::columns::{CsvColumns, Scale};
use super::fields::LineFields;
use super::{bytes_of_cell, ps_of_cell};
use crate::format::LogHead;
use crate::log::{LatencyUnit, LogOptions};
use crate::number::{power_of_time, scaled};
use crate::{FASTEST_LINK, Oddity, TraceError};

/// Units of time that programs write without saying so.
const CANDIDATES: [&str; 4] = ["ns", "us", "ms", "s"];

/// Nine accesses in ten take as long, in seconds.
const LEAST_S: f64 = 1e-6;

/// The longest access in seconds: the time-out of a command in the block layer of Linux.
const LONGEST_S: f64 = 30.0;

/// What accesses take on average at most, in seconds, beside their bytes.
const MEAN_S: f64 = 0.1;

/// At which their bytes move then, in bytes a second.
const SLOWEST: f64 = 1e6;

/// Accesses that follow each other cover no more of their time than this: times are rounded.
const COVERAGE_MAX: f64 = 1.05;

/// Sizes from here on, in bytes, are bytes: no smaller ones make sense as KiB or sectors of 512 bytes only.
const BYTES_FROM: f64 = 512.0;

/// What the head of a log holds.
#[derive(Default)]
struct ColumnValues {
    /// Durations in the unknown unit.
    durations: Vec<f64>,
    /// Bytes of all of these accesses.
    bytes: f64,
    /// Sizes in the unknown unit.
    sizes: Vec<f64>,
    /// First and last instant that is told in a known unit, in seconds.
    span: Option<(f64, f64)>,
}

/// Settles every column of which neither its name nor the user says the unit; tells what was taken.
pub(super) fn settle(
    columns: &mut CsvColumns,
    head: &LogHead<'_>,
    names: usize,
    LogOptions { bytes, unit, .. }: &LogOptions,
    line: u64,
) -> Result<Vec<Oddity>, TraceError> {
    let (bytes, unit) = (*bytes, *unit);
    let is_open = |column: Option<(usize, Scale)>| column.is_some_and(|(_, scale)| scale.is_open());
    let mut taken = Vec::new();
    if is_open(columns.size) {
        let sizes = read(columns, head, names, bytes).sizes;
        taken.extend(settle_size(columns, &sizes, line)?);
    }
    if let Some(unit) = unit {
        state(columns, unit, line)?;
    }
    let instants = [columns.start, columns.end];
    let from_ends = columns.duration.is_none();
    let open_instant = instants
        .into_iter()
        .find(|column| is_open(*column))
        .flatten();
    if let Some((at, _)) = open_instant
        && !(from_ends && instants.into_iter().all(is_open))
    {
        let name = &columns.names[at];
        return Err(TraceError::Malformed {
            line,
            problem: format!(
                "column {name} states no unit, and nothing else tells it: add --unit {}=us, or what it is",
                name.trim_matches('"')
            ),
        });
    }
    if !is_open(columns.duration) && open_instant.is_none() {
        return Ok(taken);
    }
    let head = read(columns, head, names, bytes);
    if head.durations.is_empty() {
        return Ok(taken);
    }
    let settled = match columns.duration {
        Some((at, _)) => vec![at],
        None => instants.into_iter().flatten().map(|(at, _)| at).collect(),
    };
    let named = |unit: &str| {
        let each = settled.iter().map(|at| {
            let name = columns.names[*at].trim_matches('"');
            format!("--unit {}={unit}", name)
        });
        each.collect::<Vec<_>>().join(" ")
    };
    let shown = settled.iter().map(|at| columns.names[*at].clone());
    let shown = shown.collect::<Vec<_>>().join(" and ");
    let rate = |seconds: f64| human(head.bytes / (head.sum() * seconds), "B/s", 3);
    let plausible: Vec<_> = CANDIDATES
        .iter()
        .filter_map(|unit| Some((*unit, 10_f64.powi(power_of_time(unit)? - 12))))
        .filter(|(_, seconds)| head.is_plausible(*seconds))
        .collect();
    let unit = match plausible.as_slice() {
        [(unit, seconds)] => {
            taken.push(Oddity::UnitTaken {
                line,
                column: shown,
                unit,
                why: format!("which makes {}", rate(*seconds)),
                option: named(unit),
            });
            *unit
        }
        [] => {
            return Err(TraceError::Malformed {
                line,
                problem: format!(
                    "column {shown} states no unit, and in none of ns, us, ms and s do its values make sense for \
                     a memory: add {}",
                    named("UNIT")
                ),
            });
        }
        several => {
            let each = several
                .iter()
                .map(|(unit, seconds)| format!("{} ({})", named(unit), rate(*seconds)));
            return Err(TraceError::Malformed {
                line,
                problem: format!(
                    "column {shown} states no unit, and several make sense: add {}",
                    each.collect::<Vec<_>>().join(" or ")
                ),
            });
        }
    };
    let scale = Scale::of_time(unit).map(|scale| Scale {
        cell_units: true,
        ..scale
    });
    for column in [&mut columns.duration, &mut columns.start, &mut columns.end] {
        if let (Some((_, place)), Some(scale)) = (column, scale)
            && place.is_open()
        {
            *place = scale;
        }
    }
    Ok(taken)
}

/// Takes the unit of `--log-unit` for the times that state none.
fn state(columns: &mut CsvColumns, unit: LatencyUnit, line: u64) -> Result<(), TraceError> {
    let Some(scale) = Scale::of_time(unit.name()) else {
        return Ok(());
    };
    let times = [&mut columns.duration, &mut columns.start, &mut columns.end];
    let mut others = Vec::new();
    let mut is_used = false;
    for (at, place) in times.into_iter().flatten() {
        if place.is_open() {
            // A cell may state its own.
            *place = Scale {
                cell_units: true,
                ..scale
            };
            is_used = true;
        } else if place.power_of_ten != scale.power_of_ten {
            others.push(*at);
        }
    }
    match others.first().filter(|_| !is_used) {
        None => Ok(()),
        Some(at) => Err(TraceError::Malformed {
            line,
            problem: format!(
                "--log-unit {0}: column {1} states another unit. Leave --log-unit out, or add --unit {2}={0} where the \
                 column is wrong",
                unit.name(),
                columns.names[*at],
                columns.names[*at].trim_matches('"')
            ),
        }),
    }
}

fn settle_size(
    columns: &mut CsvColumns,
    sizes: &[f64],
    line: u64,
) -> Result<Option<Oddity>, TraceError> {
    let Some((at, place)) = &mut columns.size else {
        return Ok(None);
    };
    let name = columns.names[*at].clone();
    let least = sizes
        .iter()
        .copied()
        .filter(|size| *size > 0.0)
        .reduce(f64::min);
    let Some(least) = least else {
        // Each cell states its own.
        return Ok(None);
    };
    let option = |unit: &str| format!("--unit {}={unit}", name.trim_matches('"'));
    if least < BYTES_FROM {
        return Err(TraceError::Malformed {
            line,
            problem: format!(
                "column {name} states no unit, and {least} may be bytes, KiB or sectors of 512 bytes: add {} or {} \
                 or {}",
                option("bytes"),
                option("kib"),
                option("sectors")
            ),
        });
    }
    *place = Scale::of_size("bytes").unwrap_or(*place);
    Ok(Some(Oddity::UnitTaken {
        line,
        column: name.clone(),
        unit: "bytes",
        why: format!("as none is below {BYTES_FROM}"),
        option: option("bytes"),
    }))
}

/// Reads the lines behind the names, as far as they make sense: what is wrong with them is told later, in its place.
fn read(
    columns: &CsvColumns,
    head: &LogHead<'_>,
    names: usize,
    bytes: Option<u64>,
) -> ColumnValues {
    let mut seen = ColumnValues::default();
    let mut fields = LineFields::default();
    let comma = columns.separator != b',';
    for line in head.told().skip(names) {
        if fields.split(line.text, columns.separator).is_err() || fields.count() != columns.count {
            continue;
        }
        let text = |at: usize| fields.get(at).trim_ascii();
        // Picounits keep what is far below one.
        let plain = |at: usize| {
            scaled(text(at), 12, comma)
                .ok()
                .map(|value| value as f64 / 1e12)
        };
        let seconds = |column: Option<(usize, Scale)>| {
            let (at, scale) = column?;
            Some(ps_of_cell(text(at), scale, comma).ok()? as f64 / 1e12)
        };
        let size = columns.size.and_then(|(at, scale)| {
            if scale.is_open() {
                seen.sizes.extend(plain(at));
            }
            bytes_of_cell(text(at), scale, comma).ok()
        });
        let duration = match (columns.duration, columns.start, columns.end) {
            (Some((at, scale)), ..) if scale.is_open() => plain(at),
            (None, Some((start, _)), Some((end, _))) => {
                plain(end).zip(plain(start)).map(|(end, start)| end - start)
            }
            _ => None,
        };
        if let Some(duration) = duration.filter(|duration| *duration >= 0.0) {
            seen.durations.push(duration);
            seen.bytes += size.or(bytes).unwrap_or_default() as f64;
        }
        for instant in [seconds(columns.start), seconds(columns.end)]
            .into_iter()
            .flatten()
        {
            let (first, last) = seen.span.get_or_insert((instant, instant));
            (*first, *last) = (first.min(instant), last.max(instant));
        }
    }
    seen.durations.sort_by(f64::total_cmp);
    seen
}

impl ColumnValues {
    fn sum(&self) -> f64 {
        self.durations.iter().sum()
    }

    /// Whether the durations are such as a memory has, in a unit of so many seconds.
    fn is_plausible(&self, unit: f64) -> bool {
        let count = self.durations.len();
        let (Some(tenth), Some(longest)) = (self.durations.get(count / 10), self.durations.last())
        else {
            return false;
        };
        let (sum, longest) = (self.sum() * unit, longest * unit);
        let mean_most = MEAN_S + self.bytes / count as f64 / SLOWEST;
        let fits = self.span.is_none_or(|(first, last)| {
            count < 2 || sum <= COVERAGE_MAX * (last - first + longest)
        });
        tenth * unit >= LEAST_S
            && longest <= LONGEST_S
            && self.bytes <= FASTEST_LINK * sum
            && sum / count as f64 <= mean_most
            && fits
    }
}
