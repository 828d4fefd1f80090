//! The first screen of a trace: the file system on which its calls take the least time, and what the others cost.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard, RankedChoice};
use wordline_core::{Basis, Metric, RowOperation};

use super::{is_kind, slowest_call, system, trace};
use crate::card::{FirstScreen, choice, foundation};
use crate::grid::{Column, Grid};
use crate::pivot::{LineField, Pivot, PivotLine, differs, together};
use crate::tabulate::Tabulation;
use crate::text;

/// Kinds of calls whose share of the time is said.
const KINDS: usize = 3;

/// A file system on a target that played the trace, or failed to.
pub(super) struct PlayedSystem<'a, 'p> {
    lines: Vec<&'p PivotLine<'a>>,
    /// The line of all calls.
    of_all: Option<&'p PivotLine<'a>>,
    /// Seconds that all calls take; `None` where the trace did not come to its end.
    pub(super) total: Option<f64>,
    /// The slowest call.
    worst: Option<(f64, &'p PivotLine<'a>)>,
    name: String,
}

impl<'a, 'p> PlayedSystem<'a, 'p> {
    /// All of them, the fastest first.
    pub(super) fn all(pivot: &'p Pivot<'a>) -> Vec<Self> {
        let lines: Vec<_> = pivot.lines.iter().collect();
        let timings = differs(&lines, |line| line.head().timing);
        let of = |line: &&PivotLine<'_>| {
            let head = line.head();
            (head.target.clone(), system(line), head.timing)
        };
        let groups = together(lines, of).into_iter();
        let mut all: Vec<_> = groups.map(|lines| Self::of(lines, timings)).collect();
        let total = |one: &Self| one.total.unwrap_or(f64::INFINITY);
        all.sort_by(|a, b| total(a).total_cmp(&total(b)));
        all
    }

    fn of(lines: Vec<&'p PivotLine<'a>>, timings: bool) -> Self {
        let of_all = lines.iter().copied();
        let mut of_all = of_all.filter(|line| line.head().operation == RowOperation::All);
        let of_all = of_all.next();
        let kinds = lines.iter().filter(|line| is_kind(line));
        let timed = kinds.filter_map(|line| Some((line.number(Metric::LatencyMax)?, *line)));
        let worst = timed.reduce(|a, b| if b.0 > a.0 { b } else { a });
        let first = lines[0];
        let timing = match timings {
            true => format!(", {}", first.field(LineField::Timing)),
            false => String::new(),
        };
        Self {
            of_all,
            total: of_all.and_then(|line| line.number(Metric::DurationTotal)),
            worst,
            name: format!("{} on {}{timing}", system(first), first.head().target),
            lines,
        }
    }

    fn number(&self, metric: Metric) -> Option<f64> {
        self.of_all?.number(metric)
    }

    fn told(&self, metric: Metric) -> Option<String> {
        Some(text::number(metric, self.number(metric)?, text::DIGITS))
    }

    fn slowest(&self) -> Option<String> {
        let (seconds, _) = self.worst?;
        Some(text::number(Metric::LatencyMax, seconds, text::DIGITS))
    }

    fn ram(&self) -> Option<f64> {
        let mut lines = self.lines.iter();
        lines.find_map(|line| line.number(Metric::FileSystemRam))
    }

    /// "On littlefs on a@b the 893 calls of wal.wft take 3.10 s together, and the slowest 472 ms."
    pub(super) fn sentence(&self, pivot: &Pivot<'_>) -> String {
        let trace = trace(pivot);
        let told = || {
            let calls = text::count(self.number(Metric::AccessCount)?);
            let (total, slowest) = (self.told(Metric::DurationTotal)?, self.slowest()?);
            let name = &self.name;
            Some(format!(
                "On {name} the {calls} calls of {trace} take {total} together, and the slowest {slowest}."
            ))
        };
        told().unwrap_or_else(|| format!("{trace} does not run on {}.", self.name))
    }

    fn ranked(&self) -> RankedChoice {
        choice(self.name.clone(), Metric::DurationTotal, self.total)
    }

    fn point(&self, subject: CardSubject, words: String, metric: Metric) -> CardPoint {
        let value = self.number(metric);
        CardPoint::of_value(subject, words, metric, value, Basis::Simulated)
    }

    /// "472 ms in sync; 1 erase 400 ms, 30 programs 60 ms".
    fn worst_call(&self) -> Option<CardPoint> {
        let (seconds, line) = self.worst?;
        let operations = slowest_call(line);
        let consists: Vec<_> = operations.split(", ").take(2).collect();
        let consists = match operations.is_empty() {
            true => String::new(),
            false => format!("; {}", consists.join(", ")),
        };
        let words = format!("{} in {}{consists}", self.slowest()?, line.head().operation);
        let metric = Metric::LatencyMax;
        let (subject, basis) = (CardSubject::WorstCase, Basis::Simulated);
        Some(CardPoint::of_value(
            subject,
            words,
            metric,
            Some(seconds),
            basis,
        ))
    }

    /// "sync 61 % of the time, write 30 %, read 9 %".
    fn cause(&self) -> Option<CardPoint> {
        let total = self.total.filter(|total| *total > 0.0)?;
        let kinds = self.lines.iter().filter(|line| is_kind(line));
        let timed = kinds.filter_map(|line| {
            let share = line.number(Metric::DurationTotal)? / total;
            Some((share, line.head().operation))
        });
        let mut timed: Vec<_> = timed.collect();
        timed.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let words = timed.iter().take(KINDS).enumerate();
        let words = words.map(|(place, (share, operation))| {
            let of = if place == 0 { " of the time" } else { "" };
            format!("{operation} {}{of}", text::percent(*share, text::DIGITS))
        });
        let words = words.collect::<Vec<_>>().join(", ");
        Some(self.point(CardSubject::Cause, words, Metric::DurationTotal))
    }

    fn energy(&self) -> Option<CardPoint> {
        let words = format!("{} for all calls", self.told(Metric::EnergyTotal)?);
        Some(self.point(CardSubject::Energy, words, Metric::EnergyTotal))
    }

    /// "4.20 bytes stored for each that the program wrote; 12 cycles of the most worn block".
    fn life(&self) -> Option<CardPoint> {
        let amplification = self.told(Metric::WriteAmplification)?;
        let cycles = self.number(Metric::CyclesMax);
        let cycles = cycles.map_or_else(String::new, |cycles| {
            let several = if cycles == 1.0 { "" } else { "s" };
            let cycles = text::count(cycles);
            format!("; {cycles} cycle{several} of the most worn block")
        });
        let words = format!("{amplification} bytes stored for each that the program wrote{cycles}");
        Some(self.point(CardSubject::Life, words, Metric::WriteAmplification))
    }

    fn provision(&self) -> Option<CardPoint> {
        let ram = self.ram()?;
        let words = format!("{} for the file system", text::ram(ram, text::DIGITS));
        Some(CardPoint::of_value(
            CardSubject::Provision,
            words,
            Metric::FileSystemRam,
            Some(ram),
            Basis::Simulated,
        ))
    }

    /// "rtfs on a@b: all calls 5.20 s instead of 3.10 s; slowest call 17.0 ms instead of 472 ms".
    fn runner_up(&self, first: &Self) -> Option<CardPoint> {
        let instead = |own: Option<String>, other: Option<String>, what: &str| {
            Some(format!("{what} {} instead of {}", own?, other?))
        };
        let total = |one: &Self| one.told(Metric::DurationTotal);
        let words = [
            instead(total(self), total(first), "all calls"),
            instead(self.slowest(), first.slowest(), "slowest call"),
        ];
        let words: Vec<_> = words.into_iter().flatten().collect();
        let words = format!("{}: {}", self.name, words.join("; "));
        self.total?;
        let point = self.point(CardSubject::RunnerUp, words, Metric::DurationTotal);
        Some(point.about(self.name.clone()))
    }
}

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let all = PlayedSystem::all(pivot);
    let Some(first) = all.first() else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: "No trace was run.".to_owned(),
                ..DecisionCard::default()
            },
            ..FirstScreen::default()
        };
    };
    let several = all.len() > 1 && first.total.is_some();
    let mut points = Vec::new();
    points.extend(first.worst_call());
    points.extend(first.cause());
    points.extend(first.provision());
    points.extend(first.life());
    points.extend(first.energy());
    points.extend(all.get(1).and_then(|second| second.runner_up(first)));
    points.extend(foundation(pivot.document));
    let sentence = match several {
        true => format!("Take {}: {}", first.name, taken(first, pivot)),
        false => first.sentence(pivot),
    };
    FirstScreen {
        answer: DecisionCard {
            sentence,
            take: several.then(|| first.name.clone()),
            points,
            ranking: all.iter().map(PlayedSystem::ranked).collect(),
            cautions: Vec::new(),
        },
        table: table(&all),
        of: "file systems",
        plot: None,
    }
}

/// "the 893 calls of wal.wft take 3.10 s together, and the slowest 472 ms."
fn taken(first: &PlayedSystem<'_, '_>, pivot: &Pivot<'_>) -> String {
    let calls = first.number(Metric::AccessCount).map(text::count);
    let total = first.told(Metric::DurationTotal);
    format!(
        "the {} calls of {} take {} together, and the slowest {}.",
        calls.unwrap_or_default(),
        trace(pivot),
        total.unwrap_or_default(),
        first.slowest().unwrap_or_default()
    )
}

/// A line for each file system on each target.
fn table(all: &[PlayedSystem<'_, '_>]) -> Option<Grid> {
    type Of<'m, 'a, 'p> = &'m PlayedSystem<'a, 'p>;
    let mut table = Tabulation::new(String::new())
        .key(Column::left("file system"), |one: &Of<'_, '_, '_>| {
            system(one.lines[0])
        });
    if differs(all, |one| &one.lines[0].head().target) {
        table = table.key(Column::left("target"), |one| {
            one.lines[0].head().target.clone()
        });
    }
    table
        .key_if_varying(Column::left("timing"), |one| {
            one.lines[0].field(LineField::Timing)
        })
        .figure("all calls", |one| {
            let failed = || Some("does not run".to_owned());
            one.told(Metric::DurationTotal).or_else(failed)
        })
        .figure("slowest", |one| one.slowest())
        .words("in", |one| Some(one.worst?.1.head().operation.to_string()))
        .figure("RAM", |one| Some(text::ram(one.ram()?, text::DIGITS)))
        .figure("write amp.", |one| one.told(Metric::WriteAmplification))
        .figure("most cycles", |one| {
            Some(text::count(one.number(Metric::CyclesMax)?))
        })
        .figure("energy", |one| one.told(Metric::EnergyTotal))
        .lines(&all.iter().collect::<Vec<_>>())
}
