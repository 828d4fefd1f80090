//! Sums of counts and metrics over the intervals of a part of a run.

use std::collections::BTreeMap;

use super::series::LoadSeries;
use super::{CounterNote, CounterRole, CounterSheet};

/// What is summed by itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CounterKey {
    /// An event, by its name in the sheets.
    Event(String),
    /// A metric that a tool computed.
    Role(CounterRole),
    /// Bytes of a memory channel.
    Channel(String),
}

/// A sum over intervals.
#[derive(Clone, Debug, Default)]
pub(super) struct CounterSum {
    /// Counts, or means times their time.
    pub(super) total: f64,
    /// Time in which it was counted; intervals where their time is not stated.
    pub(super) time: f64,
    /// Time in which it was not.
    pub(super) missed: f64,
    /// Its intervals.
    pub(super) intervals: u64,
    /// Share of the time in which it had a counter, times that time.
    pub(super) enabled: f64,
    /// The first line of it.
    pub(super) line: u64,
    /// The first line of which it had no counter of its own.
    pub(super) shared_line: u64,
    /// Whether it is of a mean.
    pub(super) is_mean: bool,
}

impl CounterSum {
    /// The mean of a metric, or the count, as if it had been counted in every interval.
    pub(super) fn value(&self) -> Option<f64> {
        if self.time <= 0.0 {
            return None;
        }
        let share = if self.is_mean {
            1.0 / self.time
        } else {
            (self.time + self.missed) / self.time
        };
        Some(self.total * share)
    }

    /// The share of the time in which it was counted.
    pub(super) fn enabled(&self) -> f64 {
        match self.time + self.missed {
            all if all > 0.0 => (self.enabled / all).clamp(0.0, 1.0),
            _ => 0.0,
        }
    }

    /// By how much the value may be off because it was not counted all the time, as a share of it. What is not seen of one
    /// interval may differ from what is seen by as much as all of it; over several intervals that evens out.
    #[allow(clippy::cast_precision_loss)] // A count of intervals.
    pub(super) fn widening(&self) -> f64 {
        let missing = 1.0 - self.enabled();
        if missing < 0.005 {
            0.0
        } else {
            missing / (self.intervals.max(1) as f64).sqrt()
        }
    }
}

/// One part of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct PhaseCounts {
    pub(super) name: String,
    /// Seconds of all intervals, where they are stated.
    pub(super) seconds: f64,
    pub(super) intervals: u64,
    pub(super) sums: BTreeMap<CounterKey, CounterSum>,
    /// Load by lines read and written, by lines moved, by lines that cores read.
    pub(super) load: [LoadSeries; 3],
    /// Intervals in which nothing was counted, and the first line of the first.
    pub(super) idle: (u64, u64),
}

/// What a user should know of the sums of a part of a run.
pub(super) fn notes_of(phase: &PhaseCounts) -> Vec<CounterNote> {
    let mut notes = Vec::new();
    let (intervals, line) = phase.idle;
    if intervals > 0 {
        notes.push(CounterNote::Idle { intervals, line });
    }
    for (key, sum) in &phase.sums {
        let event = match key {
            CounterKey::Event(name) | CounterKey::Channel(name) => name.clone(),
            CounterKey::Role(role) => role.words().to_owned(),
        };
        if sum.value().is_none() {
            let line = sum.line;
            notes.push(CounterNote::NotCounted { event, line });
        } else if sum.widening() > 0.0 {
            notes.push(CounterNote::Multiplexed {
                event,
                line: if sum.shared_line > 0 {
                    sum.shared_line
                } else {
                    sum.line
                },
                share: sum.enabled(),
                widened: sum.widening(),
            });
        }
    }
    notes
}

/// Which series of loads a key belongs to, and by what it counts there.
pub(super) fn load_of(key: &CounterKey, sheet: Option<&CounterSheet>) -> Option<(usize, f64)> {
    let (role, fallback, factor) = match key {
        CounterKey::Role(role) => (*role, false, 1.0),
        CounterKey::Channel(_) => return None,
        CounterKey::Event(name) => {
            let event = sheet?.find(name)?;
            (event.role, event.fallback, event.factors()[0])
        }
    };
    match (role, fallback) {
        (CounterRole::LinesRead | CounterRole::LinesWritten, false) => Some((0, factor)),
        (CounterRole::LinesMoved, _) => Some((1, factor)),
        (CounterRole::LinesRead, true) => Some((2, factor)),
        _ => None,
    }
}

/// What a value in a unit has to be multiplied by, for what it is read for.
pub(super) fn unit_scale(role: CounterRole, unit: &str) -> Option<f64> {
    let line = 1.0 / crate::profile::LINE_BYTES;
    Some(match (role, unit) {
        (CounterRole::ElapsedTime | CounterRole::ProcessorTime, unit) => match unit {
            "ns" | "" => 1.0,
            "usec" | "us" => 1e3,
            "msec" | "ms" => 1e6,
            "sec" | "s" => 1e9,
            _ => return None,
        },
        (_, "") => 1.0,
        (
            CounterRole::LinesRead
            | CounterRole::LinesWritten
            | CounterRole::LinesMoved
            | CounterRole::DemandLines,
            unit,
        ) => match unit {
            "B" | "Bytes" => line,
            "KB" => 1e3 * line,
            "MB" => 1e6 * line,
            "GB" => 1e9 * line,
            "KiB" => 1024.0 * line,
            "MiB" => 1_048_576.0 * line,
            "GiB" => 1_073_741_824.0 * line,
            _ => return None,
        },
        _ => return None,
    })
}
