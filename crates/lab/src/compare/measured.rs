//! A log of measured accesses as a candidate: a memory of the user's own beside those of the catalogue.
//!
//! It is judged by what a log tells: whether the rate is sustained, the RAM to provision, and the longest access. What a
//! log does not tell, such as lifetime and price, is unknown, and passes no limit that a study states. A log has no
//! columns of a data sheet, so that it gets one verdict, as `wordline buffer --log` gives one row: as measured.
//!
//! A verdict on it holds for certain where it holds at the upper end of what the log lets expect within a hundred times
//! its length, by the return levels of [`rows`](crate::buffer::rows).

use std::collections::BTreeMap;

use wordline_core::quantity::{ByteCount, Quantity};
use wordline_core::results::{Certainty, DecidingFigure, NoValue, Verdict};
use wordline_core::{
    Arrival, Axis, Basis, CompareWorkload, Durations, Limits, Metric, ResultSet, Timing, WorkKind,
};

use super::account::peak;
use super::judge::JudgedFigures;
use crate::backlog::{Rate, StartUp};
use crate::buffer::log::{
    ACCESSES_MIN, LogContent, LogQuestion, MeasuredLog, read, subject, uncertain_bytes,
    whole_records,
};
use crate::buffer::rows::{self, ReturnLevels, limit, safe_rate};
use crate::control::Control;
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::subject::Subject;

/// Logs of one study: a table of more is no comparison.
const LOGS_MAX: usize = 64;

/// What is wrong with the logs of a study: the setting, and what is allowed.
pub(super) fn problem(study: &CompareWorkload) -> Option<(&'static str, SettingProblem)> {
    let logs = &study.logs;
    if logs.is_empty() {
        let settings = [
            ("log_format", study.log_format.is_some()),
            ("log_unit", study.log_unit.is_some()),
            ("durations", study.durations.is_some()),
            ("units", !study.units.is_empty()),
        ];
        let stated = settings.into_iter().find(|(_, stated)| *stated);
        return stated.map(|(path, _)| (path, SettingProblem::NoLogs));
    }
    if logs.len() > LOGS_MAX {
        return Some(("logs", SettingProblem::Many(LOGS_MAX)));
    }
    let twice = |(index, file): &(usize, &String)| logs[..*index].contains(file);
    if let Some((_, file)) = logs.iter().enumerate().find(twice) {
        return Some(("logs", SettingProblem::LogTwice(file.clone())));
    }
    match study.work.kind {
        WorkKind::Log | WorkKind::Overwrite | WorkKind::Read => None,
        other => Some(("logs", SettingProblem::LogsOfWork(other.name()))),
    }
}

/// Whether a candidate is a log.
pub(super) fn is_log(target: &str) -> bool {
    target.starts_with("log:")
}

/// The rows and the verdict of a log.
pub(super) fn assess(
    file: &str,
    study: &CompareWorkload,
    seed: u64,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let source = study.log(file);
    let rate = Rate::try_from(study.work.stored_rate())?;
    let asked = LogQuestion {
        start: StartUp::default(),
        rates: &[rate],
        current: None,
        is_gathered: true,
    };
    let log = match read(&source, asked, control, document) {
        Ok(Some(LogContent::Measured(log))) => log,
        Ok(Some(LogContent::Counted(_))) => return Err(LogProblem::HistogramOfCompare.of(file)),
        Ok(None) => return Ok(()),
        Err(LabError::Log {
            problem: LogProblem::NoneAmong { wanted, seen },
            ..
        }) => return Err(LogProblem::NoneForWork { wanted, seen }.of(file)),
        Err(error) => return Err(error),
    };
    let record = log.findings.curve.record().map(ByteCount::bytes);
    let subject = Subject {
        workload: "compare",
        ..subject(file, log.operation, record)
    };
    let levels = rows::return_levels(&subject, &log.findings, None, None, seed, document);
    let candidate = LogCandidate {
        study,
        rate,
        log: &log,
        levels,
    };
    candidate.rows(
        &subject.at(Axis::RateBytesPerS, study.work.rate.si()),
        document,
    );
    document.verdicts.push(candidate.verdict(&subject.target));
    document.environment = Some(environment(file, &log, source.durations));
    Ok(())
}

/// What the log says of itself, under its own name: there may be several.
fn environment(file: &str, log: &MeasuredLog, durations: Durations) -> BTreeMap<String, String> {
    let steps = log.summary.resolution;
    let steps = steps.map_or_else(String::new, |step| format!(", in steps of {step}"));
    let about = format!("{}, durations: {durations}{steps}", log.summary.format);
    BTreeMap::from([(format!("log {file}"), about)])
}

/// A log among the candidates.
struct LogCandidate<'a> {
    study: &'a CompareWorkload,
    rate: Rate,
    log: &'a MeasuredLog,
    levels: ReturnLevels,
}

/// A figure that the log may not have shown the worst of.
struct Expected {
    figure: &'static str,
    kind: &'static str,
    limit: &'static str,
    unit: &'static str,
    /// The worst that was seen.
    seen: f64,
    /// The upper end of what is expected; `None` where the log does not show how it spreads.
    high: Option<f64>,
    /// The most that passes.
    most: f64,
    /// Where it fails: at once beyond the most, or an access more.
    flips_at: f64,
}

impl Expected {
    /// Whether it may fail, of a log of few accesses or of many.
    fn is_open(&self, few: bool) -> bool {
        // Values of a long log that do not spread are all that it has to show.
        self.high.map_or(few, |high| high > self.most)
    }

    /// How much of the way from what was seen to the upper end it can go before it fails, or how far in proportion where
    /// there is no such end.
    fn room(&self) -> f64 {
        let left = self.flips_at - self.seen;
        left / self.high.map_or(self.seen, |high| high - self.seen)
    }
}

impl LogCandidate<'_> {
    /// Bytes of the largest access, which are gathered before they can be written.
    fn access(&self) -> f64 {
        self.log.findings.curve.largest_record().si()
    }

    /// RAM of records that wait, and that with the access under way. Where starts are known to steps of a clock, the most
    /// that these allow.
    fn peak(&self) -> Result<(f64, f64), NoValue> {
        let (waiting, in_flight) = peak(&self.log.findings)?;
        let uncertain = self.uncertain();
        if uncertain == 0.0 {
            return Ok((waiting, in_flight));
        }
        let played = self.log.findings.rates.first();
        let fluid = played.ok_or(NoValue::NotApplicable)?.peaks.fluid.in_flight;
        let most = self.of_records(fluid.bytes() + uncertain).max(in_flight);
        Ok(((most - self.access()).max(waiting), most))
    }

    /// Bytes by which RAM may be larger, where starts are known to steps of a clock.
    fn uncertain(&self) -> f64 {
        match (self.study.durations, self.log.summary.resolution) {
            (Some(Durations::StartToStart), Some(step)) => uncertain_bytes(self.rate, step),
            _ => 0.0,
        }
    }

    /// RAM in flight of whole accesses, from that of a steady stream.
    fn of_records(&self, fluid: f64) -> f64 {
        match self.log.findings.curve.record() {
            Some(_) => whole_records(fluid, self.access()),
            // Of several sizes less than the largest comes on top.
            None => fluid + self.access(),
        }
    }

    fn figures(&self) -> JudgedFigures {
        let findings = &self.log.findings;
        let unknown = Err(NoValue::NotApplicable);
        let longest = findings.latency.max().map(Quantity::si);
        JudgedFigures {
            throughput: limit(&findings.curve).unwrap_or(f64::INFINITY),
            ram_provision: self.peak().map(|(_, in_flight)| in_flight + self.access()),
            latency_max: longest.ok_or(NoValue::NotApplicable),
            lifetime: unknown,
            energy_per_day: unknown,
            // A cache of its own, which a log does not show, may hold more than the RAM.
            bytes_at_risk: match self.study.work.reads() {
                all if all >= 1.0 => Ok(0.0),
                _ => unknown,
            },
            holdup: unknown,
            cost: unknown,
            parts: unknown,
            unknown: "a log does not say it",
            proven: Vec::new(),
        }
    }

    fn rows(&self, subject: &Subject, document: &mut ResultSet) {
        let figures = self.figures();
        let curve = &self.log.findings.curve;
        let peak = self.peak();
        let mut push = |metric, value| subject.add(metric, value, document);
        push(Metric::RamProvision, figures.ram_provision);
        push(Metric::RamPeak, peak.map(|(waiting, _)| waiting));
        push(Metric::RamPeakInFlight, peak.map(|(_, bytes)| bytes));
        if let Some(ram) = self.study.limits.ram {
            let access = curve.largest_record().bytes();
            let waiting = ram.bytes().saturating_sub(2 * access);
            push(Metric::RateMax, safe_rate(curve, waiting, Arrival::Record));
        }
        push(Metric::ThroughputMean, Ok(figures.throughput));
        push(Metric::LatencyMax, figures.latency_max);
        push(Metric::Lifetime, figures.lifetime);
        push(Metric::EnergyPerDay, figures.energy_per_day);
        push(Metric::BytesAtRisk, figures.bytes_at_risk);
        push(Metric::HoldupTime, Err(NoValue::NotApplicable));
        push(Metric::HoldupCapacitance, figures.holdup);
        push(Metric::PartsNeeded, figures.parts);
        push(Metric::Cost, figures.cost);
        push(Metric::Area, Err(NoValue::NotApplicable));
        if let Some((least, most)) = self.log.shares {
            push(Metric::Coverage, Ok(f64::midpoint(least, most)));
        }
    }

    fn verdict(&self, target: &str) -> Verdict {
        let limits = &self.study.limits;
        let rate = self.study.work.rate.si();
        let mut verdict = self.figures().judge(target, Timing::Typ, rate, limits);
        let notes = [
            Some(
                "measured on one sample: the log says nothing of others, nor how much it holds"
                    .to_owned(),
            ),
            self.gathered(),
        ];
        verdict.note = super::join(verdict.note, notes.into_iter().flatten().collect());
        // What failed in the log has happened.
        if verdict.pass {
            self.settle(&mut verdict, limits);
        }
        verdict
    }

    /// What is to be said where an access moves several records.
    fn gathered(&self) -> Option<String> {
        let record = self.study.work.record;
        let largest = self.log.findings.curve.largest_record();
        let records = largest.bytes() / record.bytes();
        (records > 1).then(|| {
            format!(
                "its accesses move up to {largest}, {records} records of {record} gathered in RAM before"
            )
        })
    }

    /// Adds to a verdict that passes whether it still does so at what the log lets expect.
    fn settle(&self, verdict: &mut Verdict, limits: &Limits) {
        let few = self.log.findings.latency.count() < ACCESSES_MIN;
        let expected = self.expected(limits).into_iter();
        let open = expected.filter(|one| one.is_open(few));
        let Some(one) = open.min_by(|one, other| one.room().total_cmp(&other.room())) else {
            return;
        };
        let file = verdict.target.trim_start_matches("log:");
        verdict.deciding_figure = Some(format!("{file}: {}", one.figure));
        verdict.certainty = Certainty::Depends;
        verdict.flips_at = Some(one.flips_at);
        verdict.deciding = Some(DecidingFigure {
            kind: one.kind.to_owned(),
            basis: Basis::Measured,
            value: one.seen,
            low: one.seen,
            high: one.high.unwrap_or(one.seen),
            unit: one.unit.to_owned(),
            limit: one.limit.to_owned(),
            together_with: Vec::new(),
        });
    }

    /// The figures that a stated limit is about, and of which a longer log may show worse.
    fn expected(&self, limits: &Limits) -> Vec<Expected> {
        let latency = limits.latency.zip(self.log.findings.latency.max());
        let latency = latency.map(|(allowed, seen)| Expected {
            figure: "longest access",
            kind: "extrapolated latency",
            limit: "latency",
            unit: Metric::LatencyMax.unit(),
            seen: seen.si(),
            high: self.levels.latency.map(|level| level.high),
            most: allowed.si(),
            flips_at: allowed.si(),
        });
        let ram = limits.ram.zip(self.peak().ok());
        let ram = ram.map(|(allowed, (_, seen))| {
            let high = self.levels.in_flight.map(|level| {
                let high = self.of_records(level.high + self.uncertain());
                high.max(seen)
            });
            // Another access is gathered meanwhile.
            let left = allowed.si() - self.access();
            let (most, flips_at) = match self.log.findings.curve.record() {
                Some(_) => {
                    let most = (left / self.access()).floor() * self.access();
                    (most, most + self.access())
                }
                None => (left, left),
            };
            Expected {
                figure: "RAM in flight",
                kind: "extrapolated RAM",
                limit: "ram",
                unit: Metric::RamPeakInFlight.unit(),
                seen,
                high,
                most,
                flips_at,
            }
        });
        latency.into_iter().chain(ram).collect()
    }
}
