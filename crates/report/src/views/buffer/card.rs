//! The first screen of `wordline buffer`: the RAM to provide at the highest rate that was asked for, what it rests on,
//! what a power cut loses of it, and the rate above which no RAM is enough.

mod points;
mod shown;

use wordline_core::results::{CardPoint, CardSubject, DecisionCard, RankedChoice, Row};
use wordline_core::{Basis, Metric, Timing};

use super::answer::{done, growth};
use super::provision::ProvidedRam;
use super::{BufferCase, RATE, arriving, asked_ram, asked_rates, at, is_unbounded, sustained};
use crate::card::{FirstScreen, choice, foundation};
use crate::grid::Grid;
use crate::pivot::{Pivot, PivotLine};
use crate::text;
use points::{by_share, highest, own_times, slowest, with_ram};

/// The most curves that a terminal can name.
const CURVES: usize = 4;

/// Rates that a card has room for.
const ROWS: usize = 6;

/// RAM at a rate, and the row that says so; no bytes where no RAM is enough.
struct BufferNeed<'a> {
    timing: Timing,
    bytes: Option<f64>,
    metric: Metric,
    basis: Basis,
    /// How fast the buffer grows where no RAM is enough.
    growth: Option<f64>,
    ram: Option<ProvidedRam<'a>>,
}

/// A case with its need at the rate in question, for each column of the data sheet.
struct NeedyCase<'c, 'a, 'p> {
    case: &'c BufferCase<'a, 'p>,
    needs: Vec<BufferNeed<'a>>,
}

/// The RAM that each input rate needs, of the first case.
pub(crate) fn ram_needed(pivot: &Pivot<'_>) -> Option<Grid> {
    let cases = BufferCase::all_of(pivot);
    shown::by_rate(cases.first()?, &asked_rates(pivot.document))
}

pub(crate) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let cases = BufferCase::all_of(pivot);
    let asked = asked_rates(pivot.document);
    let amounts = asked_ram(pivot.document);
    let rate = asked.last().copied();
    let mut needy: Vec<NeedyCase<'_, '_, '_>> = cases
        .iter()
        .map(|case| NeedyCase {
            case,
            needs: rate.map_or_else(Vec::new, |rate| needs(case, rate)),
        })
        .collect();
    let best_rate = |one: &NeedyCase<'_, '_, '_>| slowest_rate(one.case).unwrap_or(0.0);
    match rate {
        Some(_) => needy.sort_by(|a, b| {
            let both = a.worst().total_cmp(&b.worst());
            both.then(best_rate(b).total_cmp(&best_rate(a)))
        }),
        None => needy.sort_by(|a, b| best_rate(b).total_cmp(&best_rate(a))),
    }
    let Some(first) = needy.first() else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: "Nothing was examined.".to_owned(),
                ..DecisionCard::default()
            },
            ..FirstScreen::default()
        };
    };
    let mut points = Vec::new();
    if let Some(rate) = rate {
        points.extend(first.provision(rate));
        points.extend(first.power_cut());
    } else if amounts.is_empty() {
        points.extend(by_share(first.case));
    }
    points.extend(
        amounts
            .iter()
            .take(2)
            .filter_map(|bytes| with_ram(first.case, *bytes)),
    );
    points.extend(own_times(first.case));
    points.extend(highest(first.case));
    points.extend(slowest(first.case));
    points.extend(needy.get(1).and_then(|second| second.runner_up(rate)));
    points.extend(first.weakest(rate).or_else(|| foundation(pivot.document)));
    let is_choice = needy.len() > 1;
    FirstScreen {
        answer: DecisionCard {
            sentence: sentence(&needy, rate, &amounts),
            take: (is_choice && first.is_possible(rate)).then(|| first.case.head.target.clone()),
            points,
            ranking: needy.iter().map(|one| one.ranked(rate)).collect(),
            cautions: Vec::new(),
        },
        table: match is_choice {
            true => shown::by_case(&needy),
            false => shown::by_rate(first.case, &asked),
        },
        of: if is_choice { "candidates" } else { "rates" },
        plot: shown::plot(&needy),
    }
}

/// What the columns of the data sheet need at a rate.
fn needs<'a>(case: &BufferCase<'a, '_>, rate: f64) -> Vec<BufferNeed<'a>> {
    let of = |run: &&PivotLine<'a>| {
        let ram = ProvidedRam::at(run, rate);
        let held = || {
            let mut arrivals = ["record", "fluid"].into_iter();
            arrivals.find_map(|arrival| {
                at(&arriving(run, Metric::RamPeakInFlight, RATE, arrival), rate)
            })
        };
        let row: &Row = match &ram {
            Some(ram) => ram.number,
            None => held()?,
        };
        let growth = at(&arriving(run, Metric::GrowthRate, RATE, "record"), rate);
        (row.value.is_some() || is_unbounded(row)).then(|| BufferNeed {
            timing: run.head().timing,
            bytes: row.value,
            metric: row.metric,
            basis: row.basis,
            growth: growth.and_then(|row| row.value),
            ram,
        })
    };
    case.timings.iter().filter_map(of).collect()
}

/// The sustained rate of the worst column of the data sheet.
fn slowest_rate(case: &BufferCase<'_, '_>) -> Option<f64> {
    let rates = case.timings.iter().filter_map(|run| sustained(run));
    rates.min_by(f64::total_cmp)
}

fn ram(bytes: f64) -> String {
    text::ram(bytes, text::DIGITS)
}

/// Values with the columns of the data sheet that they hold for: "6.65 MB/s typ, 2.52 MB/s max"; one that holds for all
/// stands alone.
fn by_timing(values: impl Iterator<Item = (String, String)>) -> Option<String> {
    let values: Vec<_> = values.collect();
    let (first, _) = values.first()?;
    if values.iter().all(|(value, _)| value == first) {
        return Some(first.clone());
    }
    let words = values.iter().map(|(value, timing)| {
        let words = format!("{value} {timing}");
        words.trim_end().to_owned()
    });
    Some(words.collect::<Vec<_>>().join(", "))
}

/// Who, without the board where a card has little room.
fn short<'c>(case: &'c BufferCase<'_, '_>) -> &'c str {
    text::part_of(&case.head.target)
}

impl NeedyCase<'_, '_, '_> {
    /// The most bytes of all columns; infinite where one cannot keep up, or nothing is known.
    fn worst(&self) -> f64 {
        let bytes = self
            .needs
            .iter()
            .map(|need| need.bytes.unwrap_or(f64::INFINITY));
        bytes.reduce(f64::max).unwrap_or(f64::INFINITY)
    }

    /// The column that needs the most of those that keep up.
    fn most(&self) -> Option<&BufferNeed<'_>> {
        let known = self.needs.iter().filter(|need| need.bytes.is_some());
        known.max_by(|a, b| a.bytes.unwrap_or(0.0).total_cmp(&b.bytes.unwrap_or(0.0)))
    }

    /// Whether it keeps up with a rate with every column of the data sheet.
    fn is_possible(&self, rate: Option<f64>) -> bool {
        rate.is_none() || self.worst().is_finite()
    }

    fn ranked(&self, rate: Option<f64>) -> RankedChoice {
        let name = self.case.head.target.as_str();
        match rate {
            Some(_) => {
                let metric = self
                    .needs
                    .first()
                    .map_or(Metric::RamProvision, |need| need.metric);
                choice(
                    name,
                    metric,
                    Some(self.worst()).filter(|bytes| bytes.is_finite()),
                )
            }
            None => choice(name, Metric::ThroughputMean, slowest_rate(self.case)),
        }
    }

    /// A column in a sentence: " at typical timing"; nothing for a log.
    fn at(&self, timing: Timing) -> String {
        let run = self
            .case
            .timings
            .iter()
            .find(|run| run.head().timing == timing);
        run.map_or_else(String::new, |run| self.case.clause(run))
    }

    /// "16 KiB at typical timing, proven: one record of 4 KiB is gathered, 8 KiB wait, one is written".
    fn provision(&self, rate: f64) -> Option<CardPoint> {
        let subject = CardSubject::Provision;
        let Some(most) = self.most() else {
            let growth = growth(self.needs.first()?.growth);
            let words = format!("no RAM is enough for {}: {growth}", text::rate(rate));
            return Some(CardPoint::words(subject, words));
        };
        let bytes = most.bytes?;
        let done = done(self.case);
        let parts = match self.case.record_bytes() {
            _ if most.metric != Metric::RamProvision => String::new(),
            None => format!(": one record is gathered while others wait and are {done}"),
            Some(record) if bytes <= 2.0 * record => {
                format!(": one record of {} is gathered, one {done}", ram(record))
            }
            Some(record) => format!(
                ": one record of {} is gathered, {} wait, one is {done}",
                ram(record),
                ram(bytes - 2.0 * record)
            ),
        };
        let same = self.needs.iter().all(|need| need.bytes == most.bytes);
        let timing = match same {
            true => String::new(),
            false => self.at(most.timing),
        };
        let words = format!("{}{timing}{parts}", ram(bytes));
        Some(CardPoint::of_value(
            subject,
            words,
            most.metric,
            most.bytes,
            most.basis,
        ))
    }

    /// What waits in RAM is lost.
    fn power_cut(&self) -> Option<CardPoint> {
        if self.case.head.operation.name() != "write" {
            return None;
        }
        let most = self.most()?;
        let words = format!(
            "loses up to {}: the records in RAM; a cache of the memory comes on top",
            ram(most.bytes?)
        );
        let subject = CardSubject::PowerCut;
        Some(CardPoint::of_value(
            subject,
            words,
            Metric::BytesAtRisk,
            most.bytes,
            most.basis,
        ))
    }

    fn runner_up(&self, rate: Option<f64>) -> Option<CardPoint> {
        let limit =
            slowest_rate(self.case).map(|rate| format!("carries up to {}", text::rate(rate)));
        let words = match rate {
            Some(rate) => match self.most() {
                Some(most) if self.worst().is_finite() => format!("needs {}", ram(most.bytes?)),
                Some(most) => format!("keeps up{} alone", self.at(most.timing)),
                None if self.needs.is_empty() => {
                    format!("the document has no rows for {}", text::rate(rate))
                }
                None => format!("cannot keep up with {}", text::rate(rate)),
            },
            None => limit.clone()?,
        };
        let limit = limit.filter(|_| rate.is_some());
        let limit = limit.map_or_else(String::new, |limit| format!("; {limit}"));
        let words = format!("{}: {words}{limit}", short(self.case));
        let value = match rate {
            Some(_) => Some(self.worst()).filter(|bytes| bytes.is_finite()),
            None => slowest_rate(self.case),
        };
        let metric = self.ranked(rate).metric?;
        let basis = self
            .needs
            .first()
            .map_or(Basis::Simulated, |need| need.basis);
        let point = CardPoint::of_value(CardSubject::RunnerUp, words, metric, value, basis);
        Some(point.about(self.case.head.target.as_str()))
    }

    /// How far the number can be trusted.
    fn weakest(&self, rate: Option<f64>) -> Option<CardPoint> {
        let subject = CardSubject::Weakest;
        let fails = self.needs.iter().find(|need| need.bytes.is_none());
        let keeps = self.most();
        if let (Some(fails), Some(keeps)) = (fails, keeps) {
            let words = format!(
                "{}; {} {}",
                self.at(keeps.timing).trim_start_matches(" at "),
                self.at(fails.timing).trim_start(),
                growth(fails.growth)
            );
            return Some(CardPoint {
                metric: Some(Metric::GrowthRate),
                value: fails.growth,
                unit: Some(Metric::GrowthRate.unit().to_owned()),
                basis: Some(fails.basis),
                ..CardPoint::words(subject, words)
            });
        }
        let most = keeps?;
        rate?;
        let ram = most.ram.as_ref()?;
        let words = ram.short_confidence(self.case)?;
        Some(CardPoint {
            metric: Some(Metric::ProvisionConfidence),
            value: ram.confidence_value(),
            unit: Some(Metric::ProvisionConfidence.unit().to_owned()),
            basis: Some(most.basis),
            ..CardPoint::words(subject, words)
        })
    }
}

/// "Provision 16 KiB of RAM: a@b then keeps up with 4.10 MB/s."
fn sentence(needy: &[NeedyCase<'_, '_, '_>], rate: Option<f64>, amounts: &[f64]) -> String {
    let first = &needy[0];
    let target = super::answer::subject(first.case);
    let count = needy.len();
    let Some(rate) = rate else {
        if let Some(bytes) = amounts.last()
            && let Some(highest) = with_ram(first.case, *bytes).and_then(|point| point.value)
        {
            let most = match count {
                1 => String::new(),
                _ => format!(", the most of {count}"),
            };
            return format!(
                "With {} of RAM {target} carries up to {}{most}.",
                ram(*bytes),
                text::rate(highest)
            );
        }
        let Some(highest) = slowest_rate(first.case) else {
            return match own_times(first.case).and_then(|point| point.value) {
                Some(bytes) => format!(
                    "Provision {} of RAM: {target} then keeps up with the trace at its own times.",
                    ram(bytes)
                ),
                None => format!("{target} was examined; the table has what was found."),
            };
        };
        let take = if count > 1 { "Take " } else { "" };
        let most = match count {
            1 => "above that no RAM is enough".to_owned(),
            _ => format!("the most of {count}"),
        };
        return format!(
            "{take}{target}{} carries up to {}; {most}.",
            match count {
                1 => "",
                _ => ": it",
            },
            text::rate(highest)
        );
    };
    let at_rate = text::rate(rate);
    let lacking = needy.iter().filter(|one| one.needs.is_empty()).count();
    let Some(most) = first.most() else {
        return match count {
            _ if lacking == count => {
                format!(
                    "The document has no rows for {at_rate}, so nothing says how much RAM is enough."
                )
            }
            _ if lacking > 0 => format!(
                "No candidate that has rows for {at_rate} keeps up with it; {lacking} of {count} have none."
            ),
            1 => format!("{target} cannot keep up with {at_rate}: no RAM is enough."),
            _ => format!("None of {count} candidates keeps up with {at_rate}: no RAM is enough."),
        };
    };
    let bytes = ram(most.bytes.unwrap_or_default());
    let fails = first.needs.iter().find(|need| need.bytes.is_none());
    if let Some(fails) = fails {
        let keeps = first.at(most.timing);
        let fails = first.at(fails.timing);
        return format!(
            "Provision {bytes} of RAM for {at_rate}: {target} keeps up{keeps}. Not{fails}: there no RAM is enough."
        );
    }
    match count {
        1 => format!("Provision {bytes} of RAM: {target} then keeps up with {at_rate}."),
        _ => format!(
            "Take {target}: it keeps up with {at_rate} with {bytes} of RAM, the least of {count} candidates."
        ),
    }
}
