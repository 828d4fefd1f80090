//! The RAM that a product must provide at a rate: one number with its confidence, then what it consists of.

use wordline_core::results::{NoValue, Row};
use wordline_core::{Basis, Metric};

use super::answer::{done, growth, merged, subject};
use super::{BufferCase, LEAST, RATE, arriving, at, estimated, is_unbounded, told_value};
use crate::grid::{Column, Grid};
use crate::pivot::PivotLine;
use crate::tabulate::Tabulation;
use crate::text;

/// What was seen, where the number goes beyond it.
const SEEN: &str = "seen";

/// The number at a rate, and what stands under it.
pub(super) struct ProvidedRam<'a> {
    pub(super) number: &'a Row,
    horizon: Option<&'a Row>,
    confidence: Option<&'a Row>,
    seen: Option<&'a Row>,
    proven: Option<&'a Row>,
    least: Option<&'a Row>,
}

impl<'a> ProvidedRam<'a> {
    pub(super) fn at(run: &PivotLine<'a>, rate: f64) -> Option<Self> {
        let own = |metric| at(&arriving(run, metric, RATE, "record"), rate);
        let estimate = |name| {
            let curve = estimated(run, Metric::RamProvision, RATE, "record", name);
            at(&curve, rate)
        };
        Some(Self {
            number: own(Metric::RamProvision)?,
            horizon: own(Metric::ProvisionHorizon),
            confidence: own(Metric::ProvisionConfidence),
            seen: estimate(SEEN),
            proven: estimate("bound"),
            // Of a log in steps the peaks of what was seen stand beside it.
            least: estimate(LEAST).filter(|_| own(Metric::RamPeak).is_none()),
        })
    }

    fn percent(&self) -> Option<String> {
        Some(text::percent(self.confidence_value()?, 2))
    }

    /// The confidence in the number, as a share.
    pub(super) fn confidence_value(&self) -> Option<f64> {
        self.confidence?.value
    }

    /// What the number rests on, in a line: "the log alone needed 8 KiB; 95 % confidence for 13.7 min".
    pub(super) fn short_confidence(&self, case: &BufferCase<'_, '_>) -> Option<String> {
        let source = if case.is_log() { "log" } else { "run" };
        if self.number.basis == Basis::Proven {
            return Some("a proof: no run needs more".to_owned());
        }
        let horizon = told_value(self.horizon.filter(|row| row.value.is_some()));
        if let Some((horizon, confidence)) = horizon.zip(self.percent()) {
            let seen = told_value(self.seen.filter(|row| row.value.is_some()));
            let seen = seen.map_or_else(
                || format!("the {source}"),
                |seen| format!("the {source}, which needed {seen}"),
            );
            return Some(format!(
                "{seen}; with {confidence} confidence it holds for {horizon}"
            ));
        }
        if self.number.basis == Basis::Measured {
            return Some(format!(
                "the {source} alone, too short to support a longer time"
            ));
        }
        let proven = told_value(self.proven.filter(|row| row.value.is_some()))?;
        Some(format!(
            "the {source}; proven: no run needs more than {proven}"
        ))
    }

    /// How far the number can be trusted: "it holds for 24 h of such writes with 95 % confidence. The log alone needed
    /// 28 KiB".
    fn confidence(&self, case: &BufferCase<'_, '_>) -> String {
        let source = if case.is_log() { "log" } else { "run" };
        let horizon = told_value(self.horizon.filter(|row| row.value.is_some()));
        let horizon = horizon.zip(self.percent());
        match (self.number.basis, horizon) {
            (Basis::Proven, _) => "proven, no run needs more".to_owned(),
            (Basis::Assumed, Some((horizon, confidence))) => {
                let alone = self.seen.map_or_else(String::new, |seen| {
                    let seen = match seen.value == self.number.value {
                        true => "as much".to_owned(),
                        false => text::value(seen, text::DIGITS),
                    };
                    format!(". The {source} alone needed {seen}")
                });
                let what = accesses(case);
                format!("it holds for {horizon} of such {what} with {confidence} confidence{alone}")
            }
            (_, Some((horizon, confidence))) => format!(
                "the {source} needed it. It supports a further {horizon} of such {} with {confidence} confidence",
                accesses(case)
            ),
            (Basis::Measured, None) => match told_value(self.least) {
                Some(least) => format!(
                    "the worst order of its accesses needs it, the kindest {least}. A histogram supports no more than \
                     itself"
                ),
                None => {
                    "the log needed it, and is too short to support more than itself".to_owned()
                }
            },
            (basis, None) => {
                let proven = self.proven.filter(|row| row.value.is_some());
                let proven = told_value(proven).map_or_else(String::new, |proven| {
                    format!(" (proven: no run needs more than {proven})")
                });
                format!("{basis}{proven}")
            }
        }
    }
}

/// What is done, as people count it.
fn accesses(case: &BufferCase<'_, '_>) -> &'static str {
    match case.head.operation.name() {
        "write" => "writes",
        "read" => "reads",
        _ => "accesses",
    }
}

/// "Provision 52 KiB of RAM for log:my.log at 500 KB/s: it holds for 24 h of such writes with 95 % confidence. The
/// log alone needed 28 KiB." None for documents without such a number.
pub(super) fn sentence(case: &BufferCase<'_, '_>, rate: f64) -> Option<String> {
    let subject = subject(case);
    let at_rate = text::rate(rate);
    let numbers = case.timings.iter().filter_map(|run| {
        let ram = ProvidedRam::at(run, rate)?;
        let said = if is_unbounded(ram.number) {
            let growth_rate = at(&arriving(run, Metric::GrowthRate, RATE, "record"), rate);
            Err(growth(growth_rate.and_then(|row| row.value)))
        } else {
            Ok((told_value(Some(ram.number))?, ram.confidence(case)))
        };
        Some((said, case.clause(run)))
    });
    let clauses = merged(numbers).into_iter().enumerate();
    let clauses = clauses.map(|(index, (said, timing))| match (index, said) {
        (0, Ok((number, confidence))) => {
            format!("Provision {number} of RAM for {subject} at {at_rate}{timing}: {confidence}")
        }
        (0, Err(growth)) => {
            format!("{subject} cannot keep up with {at_rate}{timing}: no RAM is enough, {growth}")
        }
        (_, Ok((number, confidence))) => {
            format!(
                "{} {number}: {confidence}",
                text::capital(timing.trim_start())
            )
        }
        (_, Err(growth)) => {
            format!(
                "{} no RAM is enough: {growth}",
                text::capital(timing.trim_start())
            )
        }
    });
    let clauses: Vec<_> = clauses.collect();
    if clauses.is_empty() {
        return None;
    }
    let parts = parts(case, rate).map_or_else(String::new, |parts| format!(" {parts}"));
    Some(format!("{}.{parts}", clauses.join(". ")))
}

/// "Records of 4 KiB arrive whole: one is gathered, 44 KiB wait, and one is written."
fn parts(case: &BufferCase<'_, '_>, rate: f64) -> Option<String> {
    let done = done(case);
    let parts = case.timings.iter().filter_map(|run| {
        let number = ProvidedRam::at(run, rate)?.number.value?;
        let words = match case.record_bytes() {
            None => format!("the largest is gathered while others wait and are {done}"),
            Some(record) if number <= 2.0 * record => {
                format!("one is gathered and one {done}")
            }
            Some(record) => {
                let waiting = text::ram(number - 2.0 * record, text::DIGITS);
                format!("one is gathered, {waiting} wait, and one is {done}")
            }
        };
        Some((words, case.clause(run)))
    });
    let parts = merged(parts).into_iter();
    let parts = parts
        .enumerate()
        .map(|(index, (words, timing))| match index {
            0 => words + &timing,
            _ => format!("{} {words}", text::capital(timing.trim_start())),
        });
    let parts: Vec<_> = parts.collect();
    let of = case.of_record();
    (!parts.is_empty()).then(|| format!("Records{of} arrive whole: {}.", parts.join(". ")))
}

/// The numbers at every rate that was asked for, with what stands under them.
pub(super) fn table(case: &BufferCase<'_, '_>, asked: &[f64]) -> Option<Grid> {
    let lines = case.timings.iter().flat_map(|run| {
        let of_rate = move |rate: &f64| {
            let ram = ProvidedRam::at(run, *rate)?;
            Some((format!("{}{}", case.heading(run), text::rate(*rate)), ram))
        };
        asked.iter().filter_map(of_rate).collect::<Vec<_>>()
    });
    let lines: Vec<(String, ProvidedRam<'_>)> = lines.collect();
    Tabulation::new(format!("RAM to provision: {}", case.name()))
        .key(
            Column::right("rate"),
            |(rate, _): &(String, ProvidedRam<'_>)| rate.clone(),
        )
        .figure("RAM", |(_, ram)| told_value(Some(ram.number)))
        .figure("confidence", |(_, ram)| ram.percent())
        .figure("for", |(_, ram)| {
            let known = |row: &&Row| row.no_value != Some(NoValue::NotApplicable);
            told_value(ram.horizon.filter(known))
        })
        .words("basis", |(_, ram)| Some(ram.number.basis.to_string()))
        .figure("seen", |(_, ram)| told_value(ram.seen))
        .figure("proven", |(_, ram)| told_value(ram.proven))
        .figure("kindest order", |(_, ram)| told_value(ram.least))
        .lines(&lines)
}
