//! The first screen of file systems: the one that survives power cuts, then the one with the fastest worst call, then
//! the one with the least RAM; and what the others cost.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard};
use wordline_core::{Axis, Basis, Metric, RowOperation};

use super::{operation_times, slowest_call, system};
use crate::card::{FirstScreen, choice, foundation};
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::grid::{Column, Grid};
use crate::pivot::LineField::Of;
use crate::pivot::{Pivot, PivotLine, differs, together};
use crate::tabulate::Tabulation;
use crate::text;

/// The most curves that a terminal can name.
const CURVES: usize = 4;

/// A file system on a target.
struct MountedSystem<'a, 'p> {
    lines: Vec<&'p PivotLine<'a>>,
    /// Its slowest call.
    worst: Option<(f64, &'p PivotLine<'a>)>,
    /// The line of its power cuts, with images and failures.
    cuts: Option<(&'p PivotLine<'a>, f64, f64)>,
    ram: Option<f64>,
}

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let lines: Vec<_> = pivot.lines.iter().collect();
    let groups = together(lines, |line| (line.head().target.clone(), system(line)));
    let mut all: Vec<_> = groups.into_iter().map(MountedSystem::of).collect();
    all.sort_by(|a, b| a.rank().cmp(&b.rank()).then(a.cost().total_cmp(&b.cost())));
    let Some(first) = all.first() else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: "No file system was run.".to_owned(),
                ..DecisionCard::default()
            },
            ..FirstScreen::default()
        };
    };
    let mut points = Vec::new();
    points.extend(power_cuts(&all));
    points.extend(first.worst_call());
    points.extend(first.provision());
    points.extend(first.speed());
    points.extend(
        all.get(1)
            .and_then(|second| second.against(first, CardSubject::RunnerUp)),
    );
    // What another file system on the same memory would cost, where that is not the second.
    let same = |one: &&MountedSystem<'_, '_>| one.target() == first.target();
    let other = all.iter().skip(2).find(same);
    points.extend(other.and_then(|other| other.against(first, CardSubject::Finding)));
    points.extend(foundation(pivot.document));
    FirstScreen {
        answer: DecisionCard {
            sentence: sentence(&all),
            take: (all.len() > 1 && first.survives() != Some(false)).then(|| first.name()),
            points,
            ranking: all.iter().map(MountedSystem::ranked).collect(),
            cautions: Vec::new(),
        },
        table: table(&all),
        of: "file systems",
        plot: Some(plot(&all)),
    }
}

impl<'a, 'p> MountedSystem<'a, 'p> {
    fn of(lines: Vec<&'p PivotLine<'a>>) -> Self {
        let calls = lines.iter().filter(|line| {
            ![RowOperation::Mount, RowOperation::Crash].contains(&line.head().operation)
        });
        let timed = calls.filter_map(|line| Some((line.number(Metric::LatencyMax)?, *line)));
        let worst = timed.reduce(|a, b| if b.0 > a.0 { b } else { a });
        let cuts = lines.iter().find_map(|line| {
            let images = line.number(Metric::CrashImages)?;
            Some((*line, images, line.number(Metric::CrashFailures)?))
        });
        let ram = lines
            .iter()
            .filter_map(|line| line.number(Metric::FileSystemRam));
        Self {
            worst,
            cuts,
            ram: ram.reduce(f64::max),
            lines,
        }
    }

    fn target(&self) -> &'a str {
        &self.lines[0].head().target
    }

    fn system(&self) -> String {
        system(self.lines[0])
    }

    fn name(&self) -> String {
        format!("{} on {}", self.system(), self.target())
    }

    /// Whether no simulated power cut lost data; `None` where none was simulated.
    fn survives(&self) -> Option<bool> {
        self.cuts.map(|(_, _, failures)| failures == 0.0)
    }

    /// Survivors first, then what was not cut.
    fn rank(&self) -> u8 {
        match self.survives() {
            Some(true) => 0,
            None => 1,
            Some(false) => 2,
        }
    }

    /// The slowest call; of equals RAM decides by so little that it joins in as seconds of the last digits.
    fn cost(&self) -> f64 {
        let seconds = self.worst.map_or(f64::MAX / 2.0, |(seconds, _)| seconds);
        seconds + 1e-15 * self.ram.unwrap_or(0.0)
    }

    fn ranked(&self) -> wordline_core::results::RankedChoice {
        choice(
            self.name(),
            Metric::LatencyMax,
            self.worst.map(|(seconds, _)| seconds),
        )
    }

    fn slowest(&self) -> Option<String> {
        let (seconds, _) = self.worst?;
        Some(text::number(Metric::LatencyMax, seconds, text::DIGITS))
    }

    /// "39 of 268 power cuts lose data".
    fn cuts(&self) -> Option<String> {
        let (_, images, failures) = self.cuts?;
        Some(format!(
            "{} of {}",
            text::count(failures),
            text::count(images)
        ))
    }

    /// "1.48 s: random-write at 50 % fill, of 28 erases 1.40 s, 427 programs 62.2 ms".
    fn worst_call(&self) -> Option<CardPoint> {
        let (_, line) = self.worst?;
        let row = line.at(Metric::LatencyMax, &[])?;
        let operation = line.head().operation;
        let fill = match line.field(Axis::Fill) {
            none if none.is_empty() => none,
            fill => format!(" at {fill} fill"),
        };
        let consists: Vec<_> = slowest_call(line)
            .split(", ")
            .take(2)
            .map(str::to_owned)
            .collect();
        let consists = match operation_times(line).is_empty() {
            true => String::new(),
            false => format!("; {}", consists.join(", ")),
        };
        let words = format!("{} in {operation}{fill}{consists}", self.slowest()?);
        Some(CardPoint::of_value(
            CardSubject::WorstCase,
            words,
            Metric::LatencyMax,
            row.value,
            row.basis,
        ))
    }

    /// RAM of the file system, and of records that wait at the rate that was asked for.
    fn provision(&self) -> Option<CardPoint> {
        let own = self.ram?;
        let appends = self
            .lines
            .iter()
            .filter(|line| line.head().operation == RowOperation::AppendSync);
        let waiting = appends.filter_map(|line| {
            let at = [(Of(Axis::Arrival), "record")];
            let points = line.along(Metric::RamPeakInFlight, Axis::RateBytesPerS, &at);
            points.into_iter().next_back()
        });
        let worst = |row: &wordline_core::results::Row| row.value.unwrap_or(f64::INFINITY);
        let waiting = waiting.max_by(|(_, a), (_, b)| worst(a).total_cmp(&worst(b)));
        let waiting = waiting.map_or_else(String::new, |(rate, row)| {
            let rate = text::rate(rate);
            match row.value {
                Some(bytes) => format!(
                    ", and {} for records appended at {rate}",
                    text::ram(bytes, text::DIGITS)
                ),
                None => format!("; for records appended at {rate} no RAM is enough"),
            }
        });
        let words = format!(
            "{} for the file system{waiting}",
            text::ram(own, text::DIGITS)
        );
        let subject = CardSubject::Provision;
        Some(CardPoint::of_value(
            subject,
            words,
            Metric::FileSystemRam,
            Some(own),
            Basis::Simulated,
        ))
    }

    /// The least rate of an operation over the fills.
    fn rate(&self, operation: RowOperation) -> Option<f64> {
        let lines = self
            .lines
            .iter()
            .filter(|line| line.head().operation == operation);
        let rates = lines.filter_map(|line| line.number(Metric::ThroughputMean));
        rates.reduce(f64::min)
    }

    fn speed(&self) -> Option<CardPoint> {
        let rates = [
            (RowOperation::SeqWrite, "writes"),
            (RowOperation::SeqRead, "reads"),
            (RowOperation::AppendSync, "appends with sync"),
        ];
        let words = rates.iter().filter_map(|(operation, verb)| {
            Some(format!("{verb} {}", text::rate(self.rate(*operation)?)))
        });
        let words: Vec<_> = words.collect();
        let value = rates
            .iter()
            .find_map(|(operation, _)| self.rate(*operation));
        (!words.is_empty()).then(|| {
            let metric = Metric::ThroughputMean;
            let words = words.join(", ");
            CardPoint::of_value(CardSubject::Speed, words, metric, value, Basis::Simulated)
        })
    }

    /// What it costs instead of the first: "FAT: 35 of 184 power cuts lose data; slowest call 848 us instead of 189 ms".
    fn against(&self, first: &Self, subject: CardSubject) -> Option<CardPoint> {
        let mut words = Vec::new();
        if self.survives() != first.survives() {
            words.extend(
                self.cuts()
                    .map(|cuts| format!("{cuts} power cuts lose data")),
            );
        }
        let against = |own: String| match subject {
            CardSubject::RunnerUp => format!(" instead of {own}"),
            _ => String::new(),
        };
        let slowest = self.slowest().zip(first.slowest());
        words.extend(slowest.map(|(other, own)| format!("slowest call {other}{}", against(own))));
        if let (Some(other), Some(own)) = (self.ram, first.ram)
            && other != own
        {
            let ram = |bytes| text::ram(bytes, text::DIGITS);
            words.push(format!("RAM {}{}", ram(other), against(ram(own))));
        }
        let target = self.target();
        let part = text::part_of(target);
        let name = match target == first.target() {
            true => self.system(),
            false => format!("{} on {part}", self.system()),
        };
        let words = match words.is_empty() {
            true => return None,
            false => format!("{name}: {}", words.join("; ")),
        };
        let value = self.worst.map(|(seconds, _)| seconds);
        let point =
            CardPoint::of_value(subject, words, Metric::LatencyMax, value, Basis::Simulated);
        Some(point.about(self.name()))
    }
}

/// "Take littlefs on a@b: no simulated power cut loses data, and its slowest call takes 189 ms."
fn sentence(all: &[MountedSystem<'_, '_>]) -> String {
    let first = &all[0];
    let name = first.name();
    let survives = match first.survives() {
        Some(true) => Some("no simulated power cut loses data".to_owned()),
        Some(false) => first
            .cuts()
            .map(|cuts| format!("{cuts} simulated power cuts lose data")),
        None => None,
    };
    let slowest = first
        .slowest()
        .map(|slowest| format!("its slowest call takes {slowest}"));
    let words: Vec<_> = survives.into_iter().chain(slowest).collect();
    let words = words.join(", and ");
    if words.is_empty() {
        return format!("{name} was run; the table has what was found.");
    }
    match (all.len(), first.survives()) {
        (1, _) => format!("{name}: {words}."),
        (_, Some(false)) => {
            format!("No file system survives every power cut. {name} comes first: {words}.")
        }
        _ => format!("Take {name}: {words}."),
    }
}

/// "littlefs: 0 of 226 simulated power cuts lose data; FAT (rust-fatfs): 35 of 184".
fn power_cuts(all: &[MountedSystem<'_, '_>]) -> Option<CardPoint> {
    let first = &all[0];
    let (line, ..) = first.cuts?;
    let row = line.at(Metric::CrashFailures, &[])?;
    let others = all
        .iter()
        .skip(1)
        .filter(|one| one.target() == first.target());
    let others = others.filter_map(|one| Some(format!("; {}: {}", one.system(), one.cuts()?)));
    let others: Vec<_> = others.take(2).collect();
    let words = format!(
        "{}: {} simulated power cuts lose data{}",
        first.system(),
        first.cuts()?,
        others.concat()
    );
    Some(CardPoint::of_value(
        CardSubject::PowerCut,
        words,
        Metric::CrashFailures,
        row.value,
        row.basis,
    ))
}

/// A line for each file system on each target.
fn table(all: &[MountedSystem<'_, '_>]) -> Option<Grid> {
    type Of<'m, 'a, 'p> = &'m MountedSystem<'a, 'p>;
    let mut table = Tabulation::new(String::new())
        .key(Column::left("file system"), |one: &Of<'_, '_, '_>| {
            one.system()
        });
    if differs(all, |one| one.target()) {
        table = table.key(Column::left("target"), |one| one.target().to_owned());
    }
    let rate = |operation| move |one: &Of<'_, '_, '_>| Some(text::rate(one.rate(operation)?));
    let most = |metric: Metric| {
        move |one: &Of<'_, '_, '_>| {
            let values = one.lines.iter().filter_map(|line| line.number(metric));
            Some(text::number(metric, values.reduce(f64::max)?, text::DIGITS))
        }
    };
    table
        .figure("cuts that lose", |one| one.cuts())
        .figure("slowest call", |one| one.slowest())
        .words("in", |one| Some(one.worst?.1.head().operation.to_string()))
        .figure("RAM", |one| Some(text::ram(one.ram?, text::DIGITS)))
        .figure("writes", rate(RowOperation::SeqWrite))
        .figure("reads", rate(RowOperation::SeqRead))
        .figure("write amp.", most(Metric::WriteAmplification))
        .figure("most cycles", most(Metric::CyclesMax))
        .lines(&all.iter().collect::<Vec<_>>())
}

/// Percentiles with their places on an axis that is even in nines.
const PERCENTILES: [(f64, Metric); 5] = [
    (0.3, Metric::LatencyP50),
    (1.0, Metric::LatencyP90),
    (2.0, Metric::LatencyP99),
    (3.0, Metric::LatencyP999),
    (3.5, Metric::LatencyMax),
];

/// How the calls are spread whose slowest is the slowest of all.
fn plot(all: &[MountedSystem<'_, '_>]) -> TerminalPlot {
    let several = differs(all, |one| one.target());
    let curves = all.iter().take(CURVES).filter_map(|one| {
        let (_, line) = one.worst?;
        let target = one.target();
        let part = text::part_of(target);
        let on = match several {
            true => format!(" {part}"),
            false => String::new(),
        };
        let points = PERCENTILES.iter().filter_map(|(place, metric)| {
            // An axis of durations that may span decades has no place for nothing.
            let value = line.number(*metric).filter(|value| *value > 0.0)?;
            Some((*place, value))
        });
        Some(TerminalCurve {
            is_dashed: false,
            name: format!("{}{on}", line.field(Axis::Fs)),
            points: points.collect(),
        })
    });
    TerminalPlot {
        x: TerminalAxis {
            title: "p90, p99 of the operation with the slowest call",
            told: |place| {
                if place < 1.0 {
                    "p50".to_owned()
                } else {
                    "max".to_owned()
                }
            },
        },
        y: TerminalAxis {
            title: "latency",
            told: |seconds| text::number(Metric::LatencyMax, seconds, text::DIGITS),
        },
        curves: curves.collect(),
    }
}
