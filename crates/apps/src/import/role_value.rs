//! From sums of events to what they are read for, over the files of several runs.

use super::sums::{CounterKey, CounterSum, PhaseCounts};
use super::{CounterEvent, CounterNote, CounterRole, CounterSheet};

/// A number with its range, of the run that the profile is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RoleValue {
    pub(super) value: f64,
    pub(super) least: f64,
    pub(super) most: f64,
    /// Whether its range rests on an assumption of the sheet.
    pub(super) is_assumed: bool,
    /// Whether the events of second choice gave it.
    pub(super) is_fallback: bool,
}

impl RoleValue {
    /// Multiplies all of it.
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            least: self.least * factor,
            most: self.most * factor,
            ..self
        }
    }

    /// One over another, with the range that both allow.
    pub(super) fn over(self, other: Self) -> Option<Self> {
        (other.least > 0.0).then(|| Self {
            value: self.value / other.value,
            least: self.least / other.most,
            most: self.most / other.least,
            is_assumed: self.is_assumed || other.is_assumed,
            is_fallback: self.is_fallback || other.is_fallback,
        })
    }
}

/// One file's part of a phase, and how long it took.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilePhase<'a> {
    pub(super) counts: &'a PhaseCounts,
    /// Seconds.
    pub(super) seconds: f64,
}

/// The files of a phase; the first that has lines is the run that the profile is of.
#[derive(Debug)]
pub(super) struct PhaseFiles<'a> {
    pub(super) files: Vec<FilePhase<'a>>,
    pub(super) sheet: Option<&'a CounterSheet>,
    /// Seconds of the run that the profile is of.
    pub(super) seconds: f64,
}

/// The value of a sum with what multiplexing leaves open.
fn of_sum(sum: &CounterSum) -> Option<RoleValue> {
    let value = sum.value()?;
    let widening = sum.widening();
    Some(RoleValue {
        value,
        least: value * (1.0 - widening),
        most: value * (1.0 + widening),
        is_assumed: false,
        is_fallback: false,
    })
}

/// Whether an event counts for a role.
fn serves(event: &CounterEvent, role: CounterRole) -> bool {
    event.role == role || role == CounterRole::DemandLines && event.demand
}

impl PhaseFiles<'_> {
    /// What a role's counters say, as of the run that the profile is of.
    pub(super) fn role(&self, role: CounterRole) -> Option<RoleValue> {
        self.files.iter().find_map(|file| {
            let found = self.in_file(file.counts, role)?;
            let is_mean = matches!(
                role,
                CounterRole::StallShare
                    | CounterRole::StallShareMost
                    | CounterRole::Latency
                    | CounterRole::AwakeShare
                    | CounterRole::CyclesEach
            );
            Some(if is_mean {
                found
            } else {
                found.times(self.seconds / file.seconds)
            })
        })
    }

    /// One role over another of the same run.
    pub(super) fn ratio(&self, of: CounterRole, over: CounterRole) -> Option<RoleValue> {
        self.files.iter().find_map(|file| {
            let over = self.in_file(file.counts, over)?;
            self.in_file(file.counts, of)?.over(over)
        })
    }

    fn in_file(&self, counts: &PhaseCounts, role: CounterRole) -> Option<RoleValue> {
        if let Some(sum) = counts.sums.get(&CounterKey::Role(role)) {
            return of_sum(sum);
        }
        let events = |fallback: bool| {
            let all = self.sheet.into_iter().flat_map(|sheet| &sheet.event);
            let mut of_role = all
                .filter(move |event| serves(event, role) && event.fallback == fallback)
                .peekable();
            of_role.peek()?;
            of_role.try_fold(None, |sum: Option<RoleValue>, event| {
                let found = of_sum(counts.sums.get(&CounterKey::Event(event.name.clone()))?)?;
                let [likely, least, most] = event.factors();
                let mut own = RoleValue {
                    value: found.value * likely,
                    least: found.least * least,
                    most: found.most * most,
                    is_assumed: least < most,
                    is_fallback: fallback,
                };
                if let Some(sum) = sum {
                    own.value += sum.value;
                    own.least += sum.least;
                    own.most += sum.most;
                    own.is_assumed |= sum.is_assumed;
                }
                Some(Some(own))
            })?
        };
        events(false).or_else(|| events(true))
    }

    /// Sums that lack some of their events in every file.
    pub(super) fn incomplete(&self, roles: &[CounterRole]) -> Vec<CounterNote> {
        let note = |role: &CounterRole| {
            let sheet = self.sheet?;
            let is_there = |event: &CounterEvent| {
                let key = CounterKey::Event(event.name.clone());
                let sums =
                    |file: &FilePhase<'_>| file.counts.sums.get(&key).and_then(CounterSum::value);
                self.files.iter().any(|file| sums(file).is_some())
            };
            let own = || {
                sheet
                    .event
                    .iter()
                    .filter(|event| event.role == *role && !event.fallback)
            };
            let absent: Vec<String> = own()
                .filter(|event| !is_there(event))
                .map(|event| event.name.clone())
                .collect();
            let is_partly = !absent.is_empty() && own().any(is_there) && self.role(*role).is_none();
            is_partly.then_some(CounterNote::Incomplete {
                role: *role,
                absent,
            })
        };
        roles.iter().filter_map(note).collect()
    }

    /// Whether anything of the whole machine was counted.
    pub(super) fn is_whole_machine(&self) -> bool {
        let of_unit = |event: &CounterEvent| {
            let unit = self.sheet.and_then(|sheet| sheet.unit(&event.unit));
            unit.is_some_and(|unit| unit.system_wide)
        };
        let sheet = self.sheet.into_iter().flat_map(|sheet| &sheet.event);
        let mut events = sheet.filter(|event| of_unit(event));
        events.any(|event| {
            let key = CounterKey::Event(event.name.clone());
            self.files.iter().any(|file| {
                file.counts
                    .sums
                    .get(&key)
                    .is_some_and(|sum| sum.value().is_some())
            })
        })
    }
}

impl PhaseFiles<'_> {
    /// Why a role has no value: the events that would give it, and which of them are there without a count.
    pub(super) fn reasons(&self, role: CounterRole) -> Vec<String> {
        let events = self
            .sheet
            .into_iter()
            .flat_map(|sheet| &sheet.event)
            .filter(|event| event.role == role);
        let reason = |event: &CounterEvent| {
            let key = CounterKey::Event(event.name.clone());
            match self
                .files
                .iter()
                .find_map(|file| file.counts.sums.get(&key))
            {
                None => format!("{} is not among the events", event.name),
                Some(sum) if sum.value().is_none() => {
                    format!("line {}: {} was not counted", sum.line, event.name)
                }
                Some(sum) => format!("line {}: {} alone does not suffice", sum.line, event.name),
            }
        };
        events.filter(|event| !event.fallback).map(reason).collect()
    }
}
