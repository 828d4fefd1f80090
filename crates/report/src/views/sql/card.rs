//! The first screen of databases: the setup that survives power cuts with the fastest transactions, and what the others
//! cost.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard, RankedChoice};
use wordline_core::{Axis, Basis, Metric, RowOperation};

use super::processor::bound_by;
use super::{slowest_call, system, transaction, tune};
use crate::card::{FirstScreen, choice, foundation};
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine, differs, together};
use crate::tabulate::Tabulation;
use crate::text;

/// The axes of a setup beside target and file system, with the word before their value.
const AXES: [(Axis, &str); 7] = [
    (Axis::Journal, "journal "),
    (Axis::Sync, "sync "),
    (Axis::PageBytes, "pages of "),
    (Axis::CheckpointPages, "checkpoint "),
    (Axis::Log, "log "),
    (Axis::Told, "told "),
    (Axis::FsSettings, ""),
];

/// A file system on a target with SQLite set up in one way.
#[derive(Clone)]
pub(super) struct DatabaseSetup<'a, 'p> {
    pub(super) lines: Vec<&'p PivotLine<'a>>,
    /// Its name, with what distinguishes it from others.
    name: String,
    /// The line of its power cuts.
    cuts: Option<&'p PivotLine<'a>>,
}

impl<'a, 'p> DatabaseSetup<'a, 'p> {
    /// Every setup of a document: those that survive power cuts before those that were not cut, the others last, the
    /// fastest first of each.
    pub(super) fn all(pivot: &'p Pivot<'a>) -> Vec<Self> {
        Self::of(pivot.lines.iter().collect())
    }

    /// The setups of some lines, in the same order.
    pub(super) fn of(lines: Vec<&'p PivotLine<'a>>) -> Vec<Self> {
        let targets = differs(&lines, |line| &line.head().target);
        let varying = AXES.iter().filter(|(axis, _)| {
            let set = lines.iter().filter(|line| line.axis(*axis).is_some());
            let set: Vec<_> = set.collect();
            let is_own = *axis == Axis::FsSettings && !set.is_empty();
            *axis == Axis::Journal || is_own || differs(&set, |line| line.field(*axis))
        });
        let varying: Vec<_> = varying.collect();
        let key = |line: &&PivotLine<'_>| {
            let axes = AXES.map(|(axis, _)| line.field(axis));
            (
                line.head().target.clone(),
                system(line),
                line.head().timing,
                axes,
            )
        };
        let mut all: Vec<Self> = Vec::new();
        let (cuts, timed): (Vec<_>, Vec<_>) = lines
            .into_iter()
            .partition(|line| line.head().operation == RowOperation::Crash);
        for lines in together(timed, key) {
            let first = lines[0];
            let set = varying
                .iter()
                .filter(|(axis, _)| first.axis(*axis).is_some());
            let mut words = vec![system(first)];
            words.extend(set.map(|(axis, word)| format!("{word}{}", first.field(*axis))));
            let on = match targets {
                true => format!(" on {}", first.head().target),
                false => String::new(),
            };
            let own = cuts.iter().find(|cut| {
                let of = |line: &PivotLine<'_>| {
                    let axes = AXES.map(|(axis, _)| line.field(axis));
                    (line.head().target.clone(), system(line), axes)
                };
                of(cut) == of(first)
            });
            all.push(Self {
                name: format!("{}{on}", words.join(", ")),
                cuts: own.copied(),
                lines,
            });
        }
        all.sort_by(|a, b| a.rank().cmp(&b.rank()).then(a.cost().total_cmp(&b.cost())));
        all
    }

    /// Its file system and target.
    fn place(&self) -> Option<(String, String)> {
        let line = self.lines.first()?;
        Some((system(line), line.head().target.clone()))
    }

    pub(super) fn name(&self) -> String {
        self.name.clone()
    }

    /// Images and failures of its power cuts.
    pub(super) fn images(&self) -> Option<(f64, f64)> {
        let cuts = self.cuts?;
        Some((
            cuts.number(Metric::CrashImages)?,
            cuts.number(Metric::CrashFailures)?,
        ))
    }

    /// "0 of 200 simulated power cuts lose data".
    pub(super) fn cuts(&self) -> Option<String> {
        let (images, failures) = self.images()?;
        let [failures, images] = [failures, images].map(text::count);
        Some(format!(
            "{failures} of {images} simulated power cuts lose data"
        ))
    }

    pub(super) fn rank(&self) -> u8 {
        match (self.is_complete(), self.images()) {
            (false, _) => 3,
            (true, Some((_, 0.0))) => 0,
            (true, None) => 1,
            (true, Some(_)) => 2,
        }
    }

    /// Whether every transaction has figures.
    fn is_complete(&self) -> bool {
        let mut lines = self.lines.iter();
        lines.all(|line| line.number(Metric::LatencyMean).is_some())
    }

    /// Mean durations of its transactions multiplied, so that each kind weighs the same.
    pub(super) fn cost(&self) -> f64 {
        let means = self.lines.iter();
        let means = means.filter_map(|line| line.number(Metric::LatencyMean));
        means.map(|mean| mean.max(1e-12).ln()).sum()
    }

    /// Its shortest kind of transaction, which it is told by.
    pub(super) fn told(&self) -> Option<(&'p PivotLine<'a>, f64)> {
        let line = self.lines.first()?;
        Some((*line, line.number(Metric::LatencyMean)?))
    }

    pub(super) fn ranked(&self) -> RankedChoice {
        let mean = self.told().map(|(_, mean)| mean);
        choice(self.name(), Metric::LatencyMean, mean)
    }

    /// "insert of 2 rows takes 45.0 us on average".
    pub(super) fn takes(&self) -> Option<String> {
        let (line, mean) = self.told()?;
        let time = text::number(Metric::LatencyMean, mean, text::DIGITS);
        Some(format!("{} takes {time} on average", transaction(line)))
    }

    fn worst(&self) -> Option<(&'p PivotLine<'a>, f64)> {
        let timed = self.lines.iter();
        let timed = timed.filter_map(|line| Some((*line, line.number(Metric::LatencyMax)?)));
        timed.reduce(|a, b| if b.1 > a.1 { b } else { a })
    }

    /// "The slowest transaction of flat, journal wal is insert of 100 rows: 1.2 ms. It consists of …".
    pub(super) fn slowest(&self) -> Option<String> {
        let (line, latency) = self.worst()?;
        let time = text::number(Metric::LatencyMax, latency, text::DIGITS);
        let consists = match slowest_call(line) {
            none if none.is_empty() => String::new(),
            operations => format!(" It consists of {operations}."),
        };
        Some(format!(
            "The slowest transaction of {} is {}: {time}.{consists}",
            self.name,
            transaction(line)
        ))
    }

    pub(super) fn worst_case(&self) -> Option<CardPoint> {
        let (line, latency) = self.worst()?;
        let row = line.at(Metric::LatencyMax, &[])?;
        let time = text::number(Metric::LatencyMax, latency, text::DIGITS);
        let consists: Vec<_> = slowest_call(line)
            .split(", ")
            .take(2)
            .map(str::to_owned)
            .collect();
        let words = format!("{time} in {}; {}", transaction(line), consists.join(", "));
        let words = words.trim_end_matches("; ").to_owned();
        let subject = CardSubject::WorstCase;
        Some(CardPoint::of_value(
            subject,
            words,
            Metric::LatencyMax,
            row.value,
            row.basis,
        ))
    }

    /// "SQLite writes 1.21 KB, and the memory stores 32.8 KB, 27 times as much".
    pub(super) fn cause(&self) -> Option<CardPoint> {
        let (line, _) = self.told()?;
        let engine = line
            .number(Metric::EngineBytesWritten)
            .filter(|bytes| *bytes > 0.0)?;
        let row = line.at(Metric::BytesStored, &[])?;
        let stored = row.value?;
        let bytes = |bytes| text::number(Metric::BytesStored, bytes, text::DIGITS);
        let words = format!(
            "for {} SQLite writes {} to its files, and the memory stores {}",
            transaction(line),
            bytes(engine),
            bytes(stored)
        );
        let words = match bound_by(line) {
            Some(bound) => format!("{words}; {bound}"),
            None => words,
        };
        let subject = CardSubject::Cause;
        Some(CardPoint::of_value(
            subject,
            words,
            Metric::BytesStored,
            row.value,
            row.basis,
        ))
    }

    pub(super) fn ram(&self) -> Option<CardPoint> {
        let most = |metric: Metric| {
            let values = self.lines.iter().filter_map(|line| line.number(metric));
            values.reduce(f64::max)
        };
        let (database, files) = (most(Metric::DatabaseRam)?, most(Metric::FileSystemRam)?);
        let ram = |bytes| text::ram(bytes, text::DIGITS);
        let words = format!(
            "{} of RAM for SQLite, {} for the file system",
            ram(database),
            ram(files)
        );
        let all = Some(database + files);
        let subject = CardSubject::Provision;
        Some(CardPoint::of_value(
            subject,
            words,
            Metric::DatabaseRam,
            all,
            Basis::Simulated,
        ))
    }

    pub(super) fn power_cut(&self) -> Option<CardPoint> {
        let row = self.cuts?.at(Metric::CrashFailures, &[])?;
        let subject = CardSubject::PowerCut;
        Some(CardPoint::of_value(
            subject,
            self.cuts()?,
            Metric::CrashFailures,
            row.value,
            row.basis,
        ))
    }

    /// What another costs instead: "littlefs, journal wal: insert of 2 rows takes 3.10 ms instead of 45 us".
    pub(super) fn against(&self, first: &Self, subject: CardSubject) -> Option<CardPoint> {
        let (line, mean) = self.told()?;
        let (_, own) = first.told()?;
        let time = |seconds| text::number(Metric::LatencyMean, seconds, text::DIGITS);
        let mut words = format!(
            "{}: {} takes {} instead of {}",
            self.name,
            transaction(line),
            time(mean),
            time(own)
        );
        if let (Some(cuts), Some((_, 1.0..))) = (self.cuts(), self.images()) {
            words = format!("{words}; {cuts}");
        }
        let point = CardPoint::of_value(
            subject,
            words,
            Metric::LatencyMean,
            Some(mean),
            Basis::Simulated,
        );
        Some(point.about(self.name()))
    }
}

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    if let Some(tuned) = tune::card(pivot) {
        return tuned;
    }
    let all = DatabaseSetup::all(pivot);
    let Some(first) = all.first() else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: "No database was run.".to_owned(),
                ..DecisionCard::default()
            },
            ..FirstScreen::default()
        };
    };
    let mut points = Vec::new();
    points.extend(first.power_cut());
    points.extend(first.worst_case());
    points.extend(first.cause());
    points.extend(first.ram());
    points.extend(
        all.get(1)
            .and_then(|second| second.against(first, CardSubject::RunnerUp)),
    );
    // What another file system or memory can do, where the runner-up is none.
    let mut others = all.iter().skip(1);
    let other = others.position(|setup| setup.place() != first.place());
    let other = other
        .filter(|place| *place > 0)
        .map(|place| &all[place + 1]);
    points.extend(other.and_then(|other| other.against(first, CardSubject::Finding)));
    points.extend(foundation(pivot.document));
    let is_taken = all.len() > 1 && first.rank() < 2;
    FirstScreen {
        answer: DecisionCard {
            sentence: sentence(&all),
            take: is_taken.then(|| first.name()),
            points,
            ranking: all.iter().map(DatabaseSetup::ranked).collect(),
            cautions: Vec::new(),
        },
        table: table(&ranked(pivot, &all)),
        of: "transactions",
        ..FirstScreen::default()
    }
}

/// "Take flat, journal wal: no simulated power cut loses data, and insert of 2 rows takes 45.0 us on average."
fn sentence(all: &[DatabaseSetup<'_, '_>]) -> String {
    let first = &all[0];
    let cuts = match first.images() {
        Some((_, 0.0)) => Some("no simulated power cut loses data".to_owned()),
        _ => first.cuts(),
    };
    let words: Vec<_> = cuts.into_iter().chain(first.takes()).collect();
    let words = words.join(", and ");
    match (all.len(), first.rank()) {
        (_, 3) => format!("{} was run and came to no figures.", first.name),
        (1, _) => format!("{}: {words}.", text::capital(&first.name)),
        (_, 2) => format!(
            "No setup survives every power cut. {} comes first: {words}.",
            first.name
        ),
        _ => format!("Take {}: {words}.", first.name),
    }
}

/// The lines of transactions, those of a kind side by side, each kind in the order of the setups: the best first.
fn ranked<'a, 'p>(
    pivot: &'p Pivot<'a>,
    setups: &[DatabaseSetup<'a, 'p>],
) -> Vec<&'p PivotLine<'a>> {
    let place = |line: &PivotLine<'_>| {
        let own = |setup: &DatabaseSetup<'_, '_>| {
            let mut lines = setup.lines.iter();
            lines.any(|other| std::ptr::eq(*other, line))
        };
        setups.iter().position(own).unwrap_or(usize::MAX)
    };
    let groups = together(super::transactions(pivot), |line| transaction(line));
    let sorted = groups.into_iter().map(|mut lines| {
        lines.sort_by_key(|line| place(line));
        lines
    });
    sorted.flatten().collect()
}

/// A line for each kind of transaction of some setups.
pub(super) fn table(lines: &[&PivotLine<'_>]) -> Option<Grid> {
    type Of<'p, 'a> = &'p PivotLine<'a>;
    let figure = |metric: Metric| move |line: &Of<'_, '_>| line.told(metric);
    let mut table = Tabulation::new(String::new());
    if differs(lines, |line| transaction(line)) {
        table = table.key(Column::left("transaction"), |line: &Of<'_, '_>| {
            transaction(line)
        });
    }
    table = table.key(Column::left("file system"), |line: &Of<'_, '_>| {
        system(line)
    });
    if differs(lines, |line| &line.head().target) {
        table = table.key(Column::left("target"), |line| {
            text::part_of(&line.head().target).to_owned()
        });
    }
    for (axis, name) in [
        (Axis::Journal, "journal"),
        (Axis::Sync, "sync"),
        (Axis::PageBytes, "page"),
        (Axis::CheckpointPages, "checkpoint"),
        (Axis::Log, "log"),
        (Axis::Told, "told"),
    ] {
        let set: Vec<_> = lines
            .iter()
            .filter(|line| line.axis(axis).is_some())
            .collect();
        if axis == Axis::Journal || differs(&set, |line| line.field(axis)) {
            table = table.key(Column::left(name), move |line| line.field(axis));
        }
    }
    for (name, metric) in [
        ("mean", Metric::LatencyMean),
        ("slowest", Metric::LatencyMax),
        ("SQLite writes", Metric::EngineBytesWritten),
        ("memory stores", Metric::BytesStored),
        ("energy", Metric::EnergyPerOp),
    ] {
        // A sheet without currents leaves no energy to show.
        let is_known = lines.iter().any(|line| line.number(metric).is_some());
        if is_known || metric != Metric::EnergyPerOp {
            table = table.figure(name, figure(metric));
        }
    }
    table.lines(lines)
}
