//! What every format feeds: counts and metrics, interval by interval, summed in bounded memory.

use std::collections::{BTreeMap, BTreeSet};

use super::sums::{CounterKey, PhaseCounts, load_of, notes_of, unit_scale};
use super::{CounterEvent, CounterFault, CounterNote, CounterRole, CounterSheet};

/// Counts and metrics of one interval that are held at most.
const ENTRIES_MAX: usize = 100_000;

/// Different events of a file at most.
const EVENTS_MAX: usize = 2_000;

/// Parts of a run, each with counters of its own, at most.
const PHASES_MAX: usize = 1_000;

/// Names of events that are not used which a note lists.
const IGNORED_SHOWN: usize = 6;

/// The counters of a core, by the core's name in the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct NamedCounters<'a> {
    /// Its name.
    pub id: &'a str,
    /// Its counters.
    pub sheet: &'a CounterSheet,
}

/// What a tool states of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum IntervalAmount {
    /// So many in it.
    Count(f64),
    /// So many a second.
    Rate(f64),
    /// A share, a time, a ratio.
    Mean(f64),
    /// It was asked for, and not counted.
    NotCounted,
}

/// One count or metric of an interval.
#[derive(Clone, Debug)]
struct IntervalEntry {
    key: CounterKey,
    amount: IntervalAmount,
    enabled: f64,
    line: u64,
}

/// An interval that is still read.
#[derive(Debug, Default)]
struct OpenInterval {
    /// Where it ends, in seconds.
    at: Option<f64>,
    seconds: Option<f64>,
    entries: Vec<IntervalEntry>,
    /// Keys and places that it has, with their lines.
    seen: BTreeMap<(CounterKey, String), u64>,
    line: u64,
}

/// How a format states its intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntervalKind {
    /// Seconds since the start, at the end of each.
    SinceStart,
    /// The time of day at the end of each: how long the first is only the second tells.
    TimeOfDay,
}

/// Sums what a format reads.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    sheets: &'a [NamedCounters<'a>],
    expected: Option<usize>,
    /// Which cores the events can be of.
    fits: Vec<bool>,
    /// The last event that ruled a core out, with its line.
    told: (String, u64),
    phases: Vec<PhaseCounts>,
    phase: usize,
    open: OpenInterval,
    kind: IntervalKind,
    /// The first interval of a format by the time of day, until the second comes.
    held: Option<OpenInterval>,
    before: f64,
    notes: Vec<CounterNote>,
    noted: BTreeSet<String>,
    ignored: (Vec<String>, BTreeSet<String>),
    /// What each sheet knows of an event.
    found: BTreeMap<String, Vec<Option<&'a CounterEvent>>>,
}

/// What came out of a file.
#[derive(Clone, Debug)]
pub(super) struct Collected {
    pub(super) phases: Vec<PhaseCounts>,
    pub(super) notes: Vec<CounterNote>,
    /// Cores that the events can be of, by their place in the list.
    pub(super) fits: Vec<usize>,
}

impl<'a> Collector<'a> {
    /// `expected` is the core that the user named, by its place in the list.
    pub(super) fn new(sheets: &'a [NamedCounters<'a>], expected: Option<usize>) -> Self {
        Self {
            sheets,
            expected,
            fits: (0..sheets.len())
                .map(|index| expected.is_none_or(|only| only == index))
                .collect(),
            told: (String::new(), 0),
            phases: vec![PhaseCounts {
                name: "all".to_owned(),
                ..PhaseCounts::default()
            }],
            phase: 0,
            open: OpenInterval::default(),
            kind: IntervalKind::SinceStart,
            held: None,
            before: 0.0,
            notes: Vec::new(),
            noted: BTreeSet::new(),
            ignored: (Vec::new(), BTreeSet::new()),
            found: BTreeMap::new(),
        }
    }

    /// Intervals of this format are stated so.
    pub(super) fn intervals_are(&mut self, kind: IntervalKind) {
        self.kind = kind;
    }

    /// Adds a note once.
    pub(super) fn note(&mut self, note: CounterNote) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The part of the run that what follows belongs to.
    fn phase(&mut self, line: u64, name: &str) -> Result<(), CounterFault> {
        self.close()?;
        self.before = 0.0;
        if let Some(at) = self.phases.iter().position(|phase| phase.name == name) {
            self.phase = at;
            return Ok(());
        }
        if self.phases.len() >= PHASES_MAX {
            return Err(CounterFault::TooMany {
                line,
                what: "regions",
                most: PHASES_MAX,
            });
        }
        self.phases.push(PhaseCounts {
            name: name.to_owned(),
            ..PhaseCounts::default()
        });
        self.phase = self.phases.len() - 1;
        Ok(())
    }

    /// What follows belongs to the interval that ends here. `strict` formats have one line an interval.
    #[allow(clippy::float_cmp)] // The same text gives the same number.
    pub(super) fn interval(
        &mut self,
        line: u64,
        at: f64,
        strict: bool,
    ) -> Result<(), CounterFault> {
        if self.open.at == Some(at) && !strict {
            return Ok(());
        }
        let before = self.open.at.unwrap_or(self.before);
        let is_first =
            self.open.at.is_none() && self.phases[self.phase].intervals == 0 && self.held.is_none();
        if at < before
            || (at <= before && !is_first)
            || (is_first && self.kind == IntervalKind::SinceStart && at <= 0.0)
        {
            return Err(CounterFault::Interval { line, at, before });
        }
        self.close()?;
        self.open.at = Some(at);
        self.open.line = line;
        Ok(())
    }

    /// What follows took so long, all together.
    pub(super) fn lasts(&mut self, seconds: f64) {
        self.open.seconds = Some(seconds);
    }

    /// A count of an event, in its unit; none where it was asked for and not counted. Returns whether a sheet knows it.
    pub(super) fn event(
        &mut self,
        line: u64,
        event: &str,
        place: &str,
        enabled: f64,
        (value, unit): (Option<f64>, &str),
    ) -> Result<bool, CounterFault> {
        let sheets = self.sheets;
        let find = || -> Vec<Option<&'a CounterEvent>> {
            sheets.iter().map(|named| named.sheet.find(event)).collect()
        };
        // A file repeats its events in every interval.
        if !self.found.contains_key(event) && self.found.len() < EVENTS_MAX {
            self.found.insert(event.to_owned(), find());
        }
        let (all, known): (Vec<_>, Vec<bool>) = {
            let all = self.found.get(event).cloned().unwrap_or_else(find);
            let known = all.iter().map(Option::is_some).collect();
            (all, known)
        };
        if !known.contains(&true) {
            self.ignore(event);
            return Ok(false);
        }
        self.narrow(line, event, &known)?;
        let mut fitting = all.into_iter().zip(&self.fits).filter(|(_, fits)| **fits);
        let Some(found) = fitting.find_map(|(found, _)| found) else {
            return Ok(false);
        };
        let amount = match value {
            None => IntervalAmount::NotCounted,
            Some(value) => {
                let scale = unit_scale(found.role, unit).ok_or_else(|| CounterFault::Unit {
                    line,
                    event: event.to_owned(),
                    unit: unit.to_owned(),
                })?;
                IntervalAmount::Count(value * scale)
            }
        };
        let key = CounterKey::Event(found.name.clone());
        self.add(line, key, place, enabled, amount)?;
        Ok(true)
    }

    /// A metric that a tool computed.
    pub(super) fn metric(
        &mut self,
        line: u64,
        role: CounterRole,
        place: &str,
        amount: IntervalAmount,
    ) -> Result<(), CounterFault> {
        self.add(line, CounterKey::Role(role), place, 1.0, amount)
    }

    /// The same of one whose counters were shared: it was counted this share of the time.
    pub(super) fn shared_metric(
        &mut self,
        line: u64,
        role: CounterRole,
        place: &str,
        (enabled, amount): (f64, IntervalAmount),
    ) -> Result<(), CounterFault> {
        self.add(line, CounterKey::Role(role), place, enabled, amount)
    }

    /// What follows is of a region, which is a phase of its own. Returns whether it is another one than before.
    pub(super) fn region(&mut self, line: u64, name: &str) -> Result<bool, CounterFault> {
        let is_other = self.phases[self.phase].name != name;
        if is_other {
            self.phase(line, name)?;
        }
        Ok(is_other)
    }

    /// Bytes a second of a channel.
    pub(super) fn channel(
        &mut self,
        line: u64,
        channel: &str,
        rate: f64,
    ) -> Result<(), CounterFault> {
        self.add(
            line,
            CounterKey::Channel(channel.to_owned()),
            "",
            1.0,
            IntervalAmount::Rate(rate),
        )
    }

    /// An event or a column that is not used.
    pub(super) fn ignore(&mut self, event: &str) {
        let (shown, all) = &mut self.ignored;
        if all.len() >= EVENTS_MAX || !all.insert(event.to_owned()) {
            return;
        }
        if shown.len() < IGNORED_SHOWN {
            shown.push(event.to_owned());
        }
    }

    /// What a tool calls the processor: refused where that is another one than was named or counted.
    pub(super) fn processor(&mut self, line: u64, words: &str) -> Result<(), CounterFault> {
        let words = words.to_lowercase();
        let is_named = |named: &NamedCounters<'_>| {
            let mut names = named.sheet.names.iter();
            names.any(|name| is_word(&words, name))
        };
        let known: Vec<bool> = self.sheets.iter().map(is_named).collect();
        if known.contains(&true) {
            self.narrow(line, words.trim(), &known)
        } else {
            Ok(())
        }
    }

    /// Rules out the cores that do not have an event.
    fn narrow(&mut self, line: u64, event: &str, known: &[bool]) -> Result<(), CounterFault> {
        let both: Vec<bool> = self
            .fits
            .iter()
            .zip(known)
            .map(|(fits, known)| *fits && *known)
            .collect();
        if both.contains(&true) {
            if both != self.fits {
                self.fits = both;
                self.told = (event.to_owned(), line);
            }
            return Ok(());
        }
        let id = |flags: &[bool]| {
            let all = flags.iter().zip(self.sheets).filter(|(flag, _)| **flag);
            any_of(&all.map(|(_, named)| named.id).collect::<Vec<_>>())
        };
        if let Some(expected) = self.expected {
            return Err(CounterFault::OtherCore {
                line,
                event: event.to_owned(),
                found: id(known),
                expected: self.sheets[expected].id.to_owned(),
            });
        }
        let (other, first) = self.told.clone();
        Err(CounterFault::MixedCores {
            line,
            event: event.to_owned(),
            found: id(known),
            first,
            other,
            expected: id(&self.fits),
        })
    }

    fn add(
        &mut self,
        line: u64,
        key: CounterKey,
        place: &str,
        enabled: f64,
        amount: IntervalAmount,
    ) -> Result<(), CounterFault> {
        if self.open.entries.len() >= ENTRIES_MAX {
            return Err(CounterFault::TooMany {
                line,
                what: "counts in one interval",
                most: ENTRIES_MAX,
            });
        }
        let event = match &key {
            CounterKey::Event(name) | CounterKey::Channel(name) => name.clone(),
            CounterKey::Role(role) => role.words().to_owned(),
        };
        if let Some(first) = self.open.seen.insert((key.clone(), place.to_owned()), line) {
            return Err(CounterFault::Duplicate { line, first, event });
        }
        if self.open.line == 0 {
            self.open.line = line;
        }
        self.open.entries.push(IntervalEntry {
            key,
            amount,
            enabled,
            line,
        });
        Ok(())
    }

    /// Says once that the machine cannot count an event.
    pub(super) fn not_supported(&mut self, line: u64, event: &str) {
        if self.noted.len() < EVENTS_MAX && self.noted.insert(event.to_owned()) {
            let event = event.to_owned();
            self.note(CounterNote::NotSupported { event, line });
        }
    }

    /// Ends the interval that is open.
    fn close(&mut self) -> Result<(), CounterFault> {
        let mut open = std::mem::take(&mut self.open);
        let Some(at) = open.at else {
            self.fold(open);
            return Ok(());
        };
        match self.kind {
            IntervalKind::SinceStart => open.seconds = open.seconds.or(Some(at - self.before)),
            IntervalKind::TimeOfDay
                if self.held.is_none() && self.phases[self.phase].intervals == 0 =>
            {
                self.before = at;
                self.held = Some(open);
                return Ok(());
            }
            IntervalKind::TimeOfDay => {
                let seconds = at - self.before;
                open.seconds = Some(seconds);
                if let Some(mut first) = self.held.take() {
                    first.seconds = Some(seconds);
                    self.fold(first);
                }
            }
        }
        self.before = at;
        self.fold(open);
        Ok(())
    }

    /// Adds an interval to the sums.
    fn fold(&mut self, open: OpenInterval) {
        if open.entries.is_empty() {
            return;
        }
        let seconds = open.seconds;
        let time = seconds.unwrap_or(1.0);
        // The clock goes on while the program does not run.
        let clock = CounterKey::Event("duration_time".to_owned());
        let is_counted = |entry: &IntervalEntry| {
            entry.amount != IntervalAmount::NotCounted && entry.key != clock
        };
        let is_idle = seconds.is_some() && !open.entries.iter().any(is_counted);
        // Several places of one key: counts add up, means are averaged.
        let mut merged = BTreeMap::<CounterKey, (Option<f64>, f64, f64, bool, u64)>::new();
        for entry in open.entries {
            let sums = merged
                .entry(entry.key)
                .or_insert((None, 0.0, 0.0, false, entry.line));
            let (value, is_mean) = match entry.amount {
                IntervalAmount::Count(value) => (value, false),
                IntervalAmount::Rate(value) => (value * time, false),
                IntervalAmount::Mean(value) => (value, true),
                IntervalAmount::NotCounted if is_idle => (0.0, false),
                IntervalAmount::NotCounted => continue,
            };
            sums.0 = Some(sums.0.unwrap_or(0.0) + value);
            sums.1 += 1.0;
            sums.2 += if is_idle { 1.0 } else { entry.enabled };
            sums.3 = is_mean;
        }
        let phase = &mut self.phases[self.phase];
        phase.intervals += 1;
        phase.seconds += seconds.unwrap_or(0.0);
        if is_idle {
            phase.idle.0 += 1;
            if phase.idle.1 == 0 {
                phase.idle.1 = open.line;
            }
        }
        let first = self.fits.iter().position(|fits| *fits).unwrap_or(0);
        let sheet = self.sheets.get(first).map(|named| named.sheet);
        let mut lines = [0.0; 3];
        let mut has = [false; 3];
        for (key, (value, places, enabled, is_mean, line)) in merged {
            let sum = phase.sums.entry(key.clone()).or_default();
            if sum.line == 0 {
                sum.line = line;
            }
            let Some(value) = value else {
                sum.missed += time;
                continue;
            };
            let enabled = enabled / places;
            sum.is_mean = is_mean;
            sum.time += time;
            sum.intervals += 1;
            sum.enabled += enabled * time;
            if enabled < 0.995 && sum.shared_line == 0 {
                sum.shared_line = line;
            }
            sum.total += if is_mean {
                value / places * time
            } else {
                value
            };
            if let Some((kind, factor)) = load_of(&key, sheet) {
                lines[kind] += value * factor;
                has[kind] = true;
            }
        }
        if let Some(seconds) = seconds {
            for kind in 0..3 {
                if has[kind] {
                    phase.load[kind].add(seconds, lines[kind]);
                }
            }
        }
    }

    /// Everything that was read.
    pub(super) fn finish(mut self) -> Result<Collected, CounterFault> {
        self.close()?;
        if let Some(only) = self.held.take() {
            self.fold(only);
        }
        let (events, all) = std::mem::take(&mut self.ignored);
        if !all.is_empty() {
            self.note(CounterNote::Ignored {
                events,
                count: all.len(),
            });
        }
        let mut notes = std::mem::take(&mut self.notes);
        for phase in &self.phases {
            notes.extend(notes_of(phase));
        }
        let mut phases = self.phases;
        phases.retain(|phase| !phase.sums.is_empty());
        if phases.is_empty() && notes.is_empty() {
            return Err(CounterFault::Empty);
        }
        Ok(Collected {
            phases,
            notes,
            fits: (0..self.fits.len())
                .filter(|&index| self.fits[index])
                .collect(),
        })
    }
}

/// Names as a choice.
fn any_of(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        names => names.join(""),
    }
}

/// Whether a name stands in a text, with no letter or digit beside it.
fn is_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].chars().next();
        let is_edge = |character: Option<char>| {
            character.is_none_or(|character| !character.is_alphanumeric())
        };
        is_edge(before) && is_edge(behind)
    })
}
