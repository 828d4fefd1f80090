//! The first screen of hash tables: one that survives power cuts, then the fastest; and what the others trade for it.

use wordline_core::RowOperation::{self, All, Crash, Hit, Insert};
use wordline_core::results::{CardPoint, CardSubject, DecisionCard};
use wordline_core::{Axis, Basis, Metric};
use wordline_engines::STORES;

use super::{can, over_floor, short_table, sizes, table as table_title};
use crate::card::{FirstScreen, choice, foundation};
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine, differs, each, together};
use crate::tabulate::Tabulation;
use crate::text;

/// The most curves that a terminal can name.
const CURVES: usize = 4;

/// The operations whose rates count, in the order of words.
const RATED: [(RowOperation, &str); 3] = [(All, "operations"), (Insert, "inserts"), (Hit, "hits")];

/// A hash table on a target.
struct RankedTable<'a, 'p> {
    lines: Vec<&'p PivotLine<'a>>,
    /// Images that power cuts left, and those of them that break the promise.
    cuts: Option<(f64, f64)>,
    /// By what it promises.
    promises: bool,
    /// Its lines at the size, load and work that all are compared at.
    rated: Vec<(&'static str, &'p PivotLine<'a>)>,
}

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let lines: Vec<_> = pivot.lines.iter().collect();
    let place = middle(&lines);
    let groups = together(lines, |line| {
        (line.head().target.clone(), short_table(line))
    });
    let of = |lines: Vec<_>| RankedTable::of(lines, &place);
    let mut all: Vec<_> = groups.into_iter().map(of).collect();
    all.sort_by(|a, b| {
        let survives = b.survives().cmp(&a.survives());
        survives.then(b.speed().total_cmp(&a.speed()))
    });
    let Some(first) = all.first() else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: "No table was run.".to_owned(),
                ..DecisionCard::default()
            },
            ..FirstScreen::default()
        };
    };
    let rivals: Vec<_> = all
        .iter()
        .filter(|one| one.target() == first.target())
        .collect();
    let mut points = Vec::new();
    points.extend(power_cuts(&rivals));
    points.extend(first.rates(&place));
    points.extend(first.slowest(&place));
    points.extend(first.provision(&place));
    points.extend(first.moved());
    points.extend(all.get(1).and_then(|second| second.against(first)));
    points.extend(foundation(pivot.document));
    FirstScreen {
        answer: DecisionCard {
            sentence: sentence(&all, &place),
            take: (all.len() > 1 && first.survives()).then(|| first.full_name()),
            points,
            ranking: all.iter().map(RankedTable::ranked).collect(),
            cautions: Vec::new(),
        },
        table: table(&all),
        of: "tables",
        plot: Some(plot(&all)),
    }
}

/// Size, load and work at which tables are compared: the middle of the sizes that were timed, at the first of the others.
#[derive(PartialEq)]
struct ComparedAt {
    size: String,
    still: [String; 3],
}

impl ComparedAt {
    fn of(line: &PivotLine<'_>) -> Self {
        Self {
            size: sizes(line),
            still: [Axis::Load, Axis::Build, Axis::Work].map(|axis| line.field(axis)),
        }
    }

    /// "32 B"; of mixed sizes nothing.
    fn words(&self) -> String {
        match self.size.as_str() {
            "many" | "" => String::new(),
            size => format!(" of {size}"),
        }
    }
}

fn middle(lines: &[&PivotLine<'_>]) -> ComparedAt {
    let rated = |line: &&&PivotLine<'_>| {
        let operation = line.head().operation;
        RATED.iter().any(|(one, _)| *one == operation) && line.number(Metric::OpsRate).is_some()
    };
    let timed: Vec<_> = lines.iter().filter(rated).copied().collect();
    let places = each(&timed, |line| sizes(line));
    let size = places
        .get(places.len().saturating_sub(1) / 2)
        .cloned()
        .unwrap_or_default();
    let first = timed
        .iter()
        .find(|line| sizes(line) == size)
        .or(timed.first());
    first.map_or(
        ComparedAt {
            size: String::new(),
            still: Default::default(),
        },
        |line| ComparedAt::of(line),
    )
}

impl<'a, 'p> RankedTable<'a, 'p> {
    /// Where its rates come from.
    fn basis(&self) -> Basis {
        let mut bases = self.lines.iter().flat_map(|line| line.bases());
        bases
            .find(|basis| *basis == Basis::Measured)
            .unwrap_or(Basis::Simulated)
    }

    fn of(lines: Vec<&'p PivotLine<'a>>, place: &ComparedAt) -> Self {
        let sum = |metric| {
            let cut = lines.iter().filter(|line| line.head().operation == Crash);
            let values: Vec<_> = cut.filter_map(|line| line.number(metric)).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>())
        };
        let name = lines[0].field(Axis::Table);
        let known = STORES.iter().find(|store| store.name() == name);
        let rated = RATED.iter().filter_map(|(operation, plural)| {
            let mut own = lines
                .iter()
                .filter(|line| line.head().operation == *operation);
            let line = own.find(|line| can(line) && ComparedAt::of(line) == *place)?;
            Some((*plural, *line))
        });
        Self {
            cuts: sum(Metric::CrashImages).zip(sum(Metric::CrashFailures)),
            // RocksDB is in no list, since it needs files; its synced puts survive, as its own tests show.
            promises: known.is_none_or(|store| store.promise().survives_power_cuts),
            rated: rated.collect(),
            lines,
        }
    }

    /// Its line of an operation.
    fn at(&self, plural: &str) -> Option<&'p PivotLine<'a>> {
        let mut rated = self.rated.iter();
        rated
            .find(|(name, _)| *name == plural)
            .map(|(_, line)| *line)
    }

    fn target(&self) -> &'a str {
        &self.lines[0].head().target
    }

    fn name(&self) -> String {
        table_title(self.lines[0])
    }

    fn full_name(&self) -> String {
        format!("{} on {}", self.name(), self.target())
    }

    /// As simulated power cuts left it, or else by its promise.
    fn survives(&self) -> bool {
        self.cuts
            .map_or(self.promises, |(_, failures)| failures == 0.0)
    }

    /// The geometric mean of the rates that were compared.
    fn speed(&self) -> f64 {
        let rates = self
            .rated
            .iter()
            .filter_map(|(_, line)| line.number(Metric::OpsRate));
        let rates: Vec<f64> = rates.filter(|rate| *rate > 0.0).collect();
        match rates.len() {
            0 => 0.0,
            count => (rates.iter().map(|rate| rate.ln()).sum::<f64>() / count as f64).exp(),
        }
    }

    fn ranked(&self) -> wordline_core::results::RankedChoice {
        match (self.rated.first(), self.cuts) {
            (Some((_, line)), _) => choice(
                self.full_name(),
                Metric::OpsRate,
                line.number(Metric::OpsRate),
            ),
            (None, Some((_, failures))) => {
                choice(self.full_name(), Metric::CrashFailures, Some(failures))
            }
            (None, None) => choice(self.full_name(), Metric::OpsRate, None),
        }
    }

    /// "inserts 85.7 k/s, hits 124 k/s".
    fn rate_words(&self) -> Vec<String> {
        let words = self.rated.iter().filter_map(|(plural, line)| {
            let rate = text::number(Metric::OpsRate, line.number(Metric::OpsRate)?, text::DIGITS);
            Some(format!("{plural} {rate}{}", super::repeats::mark(line)))
        });
        words.collect()
    }

    fn point(&self, subject: CardSubject, words: String, metric: Metric) -> Option<CardPoint> {
        let (_, line) = self.rated.first()?;
        let row = line.at(metric, &[])?;
        Some(CardPoint::of_value(
            subject, words, metric, row.value, row.basis,
        ))
    }

    fn rates(&self, place: &ComparedAt) -> Option<CardPoint> {
        let words = self.rate_words();
        let [load, ..] = &place.still;
        let at = match load.is_empty() {
            true => String::new(),
            false => format!(", at load {load}"),
        };
        let size = place.words();
        let words = format!("{}{size}{at}", words.join(", "));
        self.point(CardSubject::Speed, words, Metric::OpsRate)
    }

    fn slowest(&self, place: &ComparedAt) -> Option<CardPoint> {
        let words = self.rated.iter().filter_map(|(plural, line)| {
            let latency = line.number(Metric::LatencyMax)?;
            let latency = text::number(Metric::LatencyMax, latency, text::DIGITS);
            Some(format!("{latency} of all {plural}"))
        });
        let words: Vec<_> = words.collect();
        let size = place.words();
        let words = format!("{}{size}", words.join(", "));
        (!self.rated.is_empty())
            .then(|| self.point(CardSubject::WorstCase, words, Metric::LatencyMax))?
    }

    fn provision(&self, place: &ComparedAt) -> Option<CardPoint> {
        let (_, line) = self
            .rated
            .iter()
            .find(|(_, line)| line.number(Metric::TableRam).is_some())?;
        let row = line.at(Metric::TableRam, &[])?;
        let records = line.number(Metric::AccessCount);
        let records = records.map_or_else(String::new, |count| {
            format!(" for {} records", text::count(count))
        });
        let size = place.words();
        let words = format!(
            "{} of RAM{records}{size}",
            text::ram(row.value?, text::DIGITS)
        );
        let subject = CardSubject::Provision;
        Some(CardPoint::of_value(
            subject,
            words,
            Metric::TableRam,
            row.value,
            row.basis,
        ))
    }

    /// Bytes moved over the least that any durable table moves.
    fn moved(&self) -> Option<CardPoint> {
        let words = self.rated.iter().filter_map(|(plural, line)| {
            Some(format!("{:.2} times in {plural}", over_floor(line)?))
        });
        let words: Vec<_> = words.collect();
        let words = format!("bytes moved over the least possible: {}", words.join(", "));
        let has_floor = self
            .rated
            .iter()
            .any(|(_, line)| over_floor(line).is_some());
        has_floor.then(|| self.point(CardSubject::Cost, words, Metric::BytesMoved))?
    }

    /// What the second trades: "LPHT: inserts 99.8 k/s, hits 72.2 k/s; a power cut may damage it".
    fn against(&self, first: &Self) -> Option<CardPoint> {
        let mut words = vec![self.rate_words().join(", ")];
        words.retain(|words| !words.is_empty());
        if self.survives() != first.survives() {
            words.push(match self.cuts {
                Some((images, failures)) => {
                    format!(
                        "{} of {} power cuts break it",
                        text::count(failures),
                        text::count(images)
                    )
                }
                None => "a power cut may damage what it holds".to_owned(),
            });
        }
        let target = self.target();
        let part = text::part_of(target);
        let name = match target == first.target() {
            true => self.name(),
            false => format!("{} on {part}", self.name()),
        };
        let words = match words.is_empty() {
            true => return None,
            false => format!("{name}: {}", words.join("; ")),
        };
        let ranked = self.ranked();
        let metric = ranked.metric.unwrap_or(Metric::OpsRate);
        let subject = CardSubject::RunnerUp;
        let point = CardPoint::of_value(subject, words, metric, ranked.value, self.basis());
        Some(point.about(self.full_name()))
    }
}

/// "Take wordline-kv on a@b: it survives power cuts, with inserts 85.7 k/s and hits 124 k/s of 32 B."
fn sentence(all: &[RankedTable<'_, '_>], place: &ComparedAt) -> String {
    let first = &all[0];
    let name = first.full_name();
    let rates = first.rate_words();
    let rates = match rates.is_empty() {
        true => String::new(),
        false => format!("{}{}", text::list(&rates), place.words()),
    };
    let survives = match (first.survives(), first.cuts) {
        (true, Some((images, _))) => {
            format!(
                "none of {} simulated power cuts breaks it",
                text::count(images)
            )
        }
        (true, None) => "its format survives power cuts".to_owned(),
        (false, Some((images, failures))) => format!(
            "{} of {} simulated power cuts break it",
            text::count(failures),
            text::count(images)
        ),
        (false, None) => "a power cut may damage what it holds".to_owned(),
    };
    let rates = match rates.is_empty() {
        true => String::new(),
        false => format!("; {rates}"),
    };
    match (all.len(), first.survives()) {
        (1, _) => format!("{name}: {survives}{rates}."),
        (_, true) => format!("Take {name}: {survives}{rates}."),
        _ => format!(
            "No table here survives every power cut. {name} comes first: {survives}{rates}."
        ),
    }
}

/// Who survives, and who does not, on the target of the first.
fn power_cuts(rivals: &[&RankedTable<'_, '_>]) -> Option<CardPoint> {
    let subject = CardSubject::PowerCut;
    let cut: Vec<_> = rivals
        .iter()
        .filter_map(|one| Some((one, one.cuts?)))
        .collect();
    if let Some((_, (_, failures))) = cut.first() {
        let words = cut.iter().map(|(one, (images, failures))| {
            format!(
                "{}: {} of {}",
                one.name(),
                text::count(*failures),
                text::count(*images)
            )
        });
        let words: Vec<_> = words.take(3).collect();
        let words = format!("images that fail: {}", words.join("; "));
        let metric = Metric::CrashFailures;
        return Some(CardPoint::of_value(
            subject,
            words,
            metric,
            Some(*failures),
            Basis::Simulated,
        ));
    }
    let (safe, fragile): (Vec<_>, Vec<_>) = rivals.iter().partition(|one| one.survives());
    let names = |of: &[&&RankedTable<'_, '_>]| {
        let names = of.iter().map(|one| one.name());
        text::list(&names.collect::<Vec<_>>())
    };
    let words = match (safe.is_empty(), fragile.is_empty()) {
        (true, true) => return None,
        (false, true) => format!("{}: by promise no record is lost", names(&safe)),
        (true, false) => format!("{}: may lose or damage records", names(&fragile)),
        (false, false) => format!(
            "{}: by promise no record is lost; {} may lose or damage records",
            names(&safe),
            names(&fragile)
        ),
    };
    Some(CardPoint::words(subject, words))
}

/// A line for each table on each target.
fn table(all: &[RankedTable<'_, '_>]) -> Option<Grid> {
    type Of<'t, 'a, 'p> = &'t RankedTable<'a, 'p>;
    let mut table = Tabulation::new(String::new())
        .key(Column::left("table"), |one: &Of<'_, '_, '_>| one.name());
    if differs(all, |one| one.target()) {
        table = table.key(Column::left("target"), |one| one.target().to_owned());
    }
    table = table.words("power cuts", |one| {
        Some(match (one.cuts, one.survives()) {
            (Some((images, failures)), _) => {
                format!("{} of {} fail", text::count(failures), text::count(images))
            }
            (None, true) => "survives".to_owned(),
            (None, false) => "damage".to_owned(),
        })
    });
    for (_, plural) in RATED {
        table = table
            .figure(plural, move |one| one.at(plural)?.told(Metric::OpsRate))
            .figure("slowest", move |one| {
                one.at(plural)?.told(Metric::LatencyMax)
            })
            .figure("moved", move |one| {
                Some(format!("{:.2} x", over_floor(one.at(plural)?)?))
            });
    }
    table
        .figure("RAM", |one| {
            let rams = one
                .rated
                .iter()
                .filter_map(|(_, line)| line.number(Metric::TableRam));
            Some(text::ram(rams.reduce(f64::max)?, text::DIGITS))
        })
        .lines(&all.iter().collect::<Vec<_>>())
}

/// Inserts by the size of the key.
fn plot(all: &[RankedTable<'_, '_>]) -> TerminalPlot {
    let curves = all.iter().take(CURVES).map(|one| {
        let still = one
            .rated
            .first()
            .map(|(_, line)| ComparedAt::of(line).still);
        let own = one.lines.iter().filter(|line| {
            line.head().operation == Insert && Some(ComparedAt::of(line).still) == still
        });
        let points = own.filter_map(|line| {
            Some((
                line.coordinate(Axis::KeyBytes)?,
                line.number(Metric::OpsRate)?,
            ))
        });
        TerminalCurve {
            is_dashed: false,
            name: one.name(),
            points: points.collect(),
        }
    });
    TerminalPlot {
        x: TerminalAxis {
            title: "key",
            told: |bytes| text::place(Axis::KeyBytes, bytes),
        },
        y: TerminalAxis {
            title: "inserts",
            told: |rate| text::number(Metric::OpsRate, rate, text::DIGITS),
        },
        curves: curves.collect(),
    }
}
