//! A log of measured accesses as a candidate: a memory of the user's own beside those of the catalogue.
//!
//! It is judged by what a log tells: whether the rate is sustained, the RAM to provision, and the longest access; and, with
//! a current that was measured beside it, its energy. What a log does not tell, such as lifetime and price, is unknown, and
//! passes no limit that a study states. A log has no columns of a data sheet, so that it gets one verdict, as `wordline
//! buffer --log` gives one row: as measured.
//!
//! Whether a verdict on it holds for what the log did not show is settled in [`expected`](super::expected).

use std::collections::BTreeMap;

use wordline_core::quantity::{ByteCount, Quantity};
use wordline_core::results::{NoValue, Verdict};
use wordline_core::{
    Arrival, Axis, Basis, CompareWorkload, Durations, Metric, ResultSet, Timing, WorkKind,
};

use super::account::DAY_S;
use super::evidence::{LogWeakness, capacity, weaknesses};
use super::expected::{EnergyOfDay, OpenPoint, Prospect};
use super::judge::JudgedFigures;
use crate::backlog::{Rate, StartUp};
use crate::buffer::log::energy::{AccessEnergy, CurrentSource};
use crate::buffer::log::{LogContent, LogQuestion, MeasuredLog, read, subject};
use crate::buffer::provision::{ProvisionSource, longest_row};
use crate::buffer::rows::{limit, safe_rate};
use crate::control::Control;
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::subject::Subject;

/// Logs of one study: a table of more is no comparison.
const LOGS_MAX: usize = 64;

/// What is wrong with the logs of a study: the setting, and what is allowed.
pub(super) fn problem(study: &CompareWorkload) -> Option<(&'static str, SettingProblem)> {
    let logs = &study.logs;
    if let Some(problem) = problem_of_currents(study).filter(|_| !logs.is_empty()) {
        return Some(problem);
    }
    if logs.is_empty() {
        let settings = [
            ("log_format", study.log_format.is_some()),
            ("log_unit", study.log_unit.is_some()),
            ("log_flushed", study.log_flushed),
            ("durations", study.durations.is_some()),
            ("units", !study.units.is_empty()),
            ("currents", !study.currents.is_empty()),
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

/// What is wrong with the currents of a study.
fn problem_of_currents(study: &CompareWorkload) -> Option<(&'static str, SettingProblem)> {
    let (currents, logs) = (study.currents.len(), study.logs.len());
    let [voltages, offsets] = [study.voltages.len(), study.current_offsets_ps.len()];
    if currents > logs {
        let found = currents;
        return Some(("currents", SettingProblem::ManyCurrents { found, logs }));
    }
    for (path, found) in [("voltages", voltages), ("current_offsets", offsets)] {
        if currents == 0 && found > 0 {
            return Some((path, SettingProblem::NoCurrent));
        }
    }
    if voltages > 1 && voltages != currents {
        let found = voltages;
        return Some(("voltages", SettingProblem::OneOrEach { found, currents }));
    }
    if offsets > 0 && offsets != currents {
        let found = offsets;
        return Some((
            "current_offsets",
            SettingProblem::OneOfEach { found, currents },
        ));
    }
    None
}

/// The current that was measured beside a log: the first beside the first, and so on.
fn current_of<'a>(study: &'a CompareWorkload, file: &str) -> Option<CurrentSource<'a>> {
    let index = study.logs.iter().position(|log| log == file)?;
    let is_voltage_shared = study.voltages.len() == 1 && study.currents.len() > 1;
    let voltage = study
        .voltages
        .get(if is_voltage_shared { 0 } else { index });
    Some(CurrentSource {
        file: study.currents.get(index)?,
        voltage: voltage.copied(),
        is_voltage_shared,
        offset_ps: study.current_offsets_ps.get(index).copied(),
    })
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
        current: current_of(study, file),
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
    let subject = subject.at(Axis::RateBytesPerS, study.work.rate.si());
    let horizon_s = study.horizon_s();
    let provision = ProvisionSource {
        findings: &log.findings,
        basis: subject.basis,
        horizon_s: Some(horizon_s),
        seed,
        step: log.step(source.durations),
        bound: None,
        is_periodic: false,
    };
    let played = log.findings.rates.first();
    let ram = played.and_then(|played| provision.at(played));
    let further = horizon_s / provision.access_s(rate);
    let longest = provision.longest_access(further);
    let horizon = longest.holds * provision.access_s(rate);
    let candidate = LogCandidate {
        study,
        log: &log,
        prospect: Prospect {
            ram: ram.unwrap_or(Err(NoValue::NotApplicable)),
            longest,
            further,
            energy: log.energy.map(|energy| energy_of_day(&energy, study)),
        },
    };
    candidate.rows(&subject, document);
    if let Ok(ram) = &candidate.prospect.ram {
        ram.level(&subject, document);
    }
    longest_row(&longest, horizon, &subject, document);
    let provisions = candidate.prospect.ram.as_ref();
    let provisions = provisions.map_or(&[][..], std::slice::from_ref);
    let longest = Some((longest, further));
    provision.warn(&subject.target, provisions, longest, document);
    document.verdicts.push(candidate.verdict(&subject.target));
    document.environment = Some(environment(file, &log, source.durations, asked.current));
    Ok(())
}

/// Energy of a day of the work, from that of a log's accesses.
fn energy_of_day(energy: &AccessEnergy, study: &CompareWorkload) -> EnergyOfDay {
    let work = &study.work;
    let bytes = work.stored_rate().si() * work.duty() * DAY_S;
    let mean_bytes = energy.bytes as f64 / energy.covered as f64;
    let mean_s = energy.busy_ps as f64 / 1e12 / energy.accesses as f64;
    let idle_s = (DAY_S - bytes / mean_bytes * mean_s).max(0.0);
    // Pauses of the host's own are what comes in the rest of a day; a few microseconds of its program are not.
    let standby = energy
        .between
        .filter(|_| study.durations == Some(Durations::Paced));
    EnergyOfDay {
        accesses_j: energy.joules / energy.bytes as f64 * bytes,
        idle_s,
        standby_w: standby,
    }
}

/// What the log says of itself, under its own name: there may be several.
fn environment(
    file: &str,
    log: &MeasuredLog,
    durations: Durations,
    current: Option<CurrentSource<'_>>,
) -> BTreeMap<String, String> {
    let steps = log.summary.resolution;
    let steps = steps.map_or_else(String::new, |step| format!(", in steps of {step}"));
    let current = current.map_or_else(String::new, |one| format!(", current: {}", one.file));
    let about = format!(
        "{}, durations: {durations}{steps}{current}",
        log.summary.format
    );
    BTreeMap::from([(format!("log {file}"), about)])
}

/// A log among the candidates.
struct LogCandidate<'a> {
    study: &'a CompareWorkload,
    log: &'a MeasuredLog,
    prospect: Prospect,
}

impl LogCandidate<'_> {
    fn figures(&self) -> JudgedFigures {
        let findings = &self.log.findings;
        let unknown = Err(NoValue::NotApplicable);
        let longest = findings.latency.max().map(Quantity::si);
        let energy = &self.prospect.energy;
        JudgedFigures {
            throughput: limit(&findings.curve).unwrap_or(f64::INFINITY),
            ram_provision: self.prospect.ram.map(|ram| ram.bytes),
            latency_max: longest.ok_or(NoValue::NotApplicable),
            lifetime: unknown,
            energy_per_day: energy
                .as_ref()
                .map(EnergyOfDay::joules)
                .ok_or(NoValue::NotApplicable),
            // A cache of its own, which a log does not show, may hold more than the RAM.
            bytes_at_risk: match self.study.work.reads() {
                all if all >= 1.0 => Ok(0.0),
                _ => unknown,
            },
            holdup: unknown,
            cost: unknown,
            parts: unknown,
            unknown: "a log does not tell it",
            proven: Vec::new(),
        }
    }

    fn rows(&self, subject: &Subject, document: &mut ResultSet) {
        let figures = self.figures();
        let curve = &self.log.findings.curve;
        let ram = self.prospect.ram;
        match &ram {
            Ok(ram) => ram.rows(subject, document),
            Err(reason) => subject.add(Metric::RamProvision, Err(*reason), document),
        }
        let mut push = |metric, value| subject.add(metric, value, document);
        let access = curve.largest_record();
        push(Metric::RamPeak, ram.map(|ram| ram.seen_waiting));
        push(Metric::RamPeakInFlight, ram.map(|ram| ram.seen_in_flight));
        if let Some(ram) = self.study.limits.ram {
            let waiting = ram.bytes().saturating_sub(2 * access.bytes());
            push(Metric::RateMax, safe_rate(curve, waiting, Arrival::Record));
        }
        push(Metric::ThroughputMean, Ok(figures.throughput));
        push(Metric::LatencyMax, figures.latency_max);
        push(Metric::Lifetime, figures.lifetime);
        push(Metric::BytesAtRisk, figures.bytes_at_risk);
        push(Metric::HoldupTime, Err(NoValue::NotApplicable));
        push(Metric::HoldupCapacitance, figures.holdup);
        push(Metric::PartsNeeded, figures.parts);
        push(Metric::Cost, figures.cost);
        push(Metric::Area, Err(NoValue::NotApplicable));
        if let Some((least, most)) = self.log.shares {
            push(Metric::Coverage, Ok(f64::midpoint(least, most)));
        }
        if let Some(energy) = &self.log.energy {
            energy.rows(subject, document);
        }
        let of_day = Subject {
            basis: match &self.prospect.energy {
                Some(energy) if energy.leaves_out_standby() => Basis::Assumed,
                _ => subject.basis,
            },
            ..subject.clone()
        };
        of_day.add(Metric::EnergyPerDay, figures.energy_per_day, document);
    }

    fn verdict(&self, target: &str) -> Verdict {
        let limits = &self.study.limits;
        let rate = self.study.work.rate.si();
        let figures = self.figures();
        let mut verdict = figures.judge(target, Timing::Typ, rate, limits);
        let ram = figures.ram_provision.ok();
        let (weak, capacity) = (
            weaknesses(self.log, self.study, ram),
            capacity(self.log, self.study),
        );
        let notes = [
            Some("measured on one sample, and a log does not tell what others do".to_owned()),
            self.gathered(),
        ];
        let notes = notes.into_iter().flatten().chain(self.prospect.notes());
        let weak_notes = weak.iter().chain(&capacity).map(|one| one.note.clone());
        verdict.note = super::join(verdict.note, notes.chain(weak_notes).collect());
        let unknown = figures.unknown_limits(rate, limits);
        let mut failing = figures.failing(rate, limits);
        failing.retain(|limit| unknown.iter().all(|(of, _)| of != limit));
        let open = |weak: &&LogWeakness| weak.leaves_open(&failing);
        let by_name = |name: &str| OpenPoint::Name(name.to_owned());
        // What nothing is known of leaves open what fails by nothing else.
        let unknown = unknown.first().filter(|_| failing.is_empty());
        let settled = unknown
            .map(|(_, metric)| by_name(metric.name()))
            .or_else(|| weak.iter().find(open).map(|weak| by_name(weak.name)))
            .or_else(|| {
                let findings = &self.log.findings;
                let open = self.prospect.open(&failing, rate, limits, findings);
                open.map(OpenPoint::Figure)
            })
            .or_else(|| {
                let capacity = capacity.as_ref().filter(open);
                capacity.map(|weak| by_name(weak.name))
            });
        if let Some(settled) = settled {
            settled.settle(&mut verdict);
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
}
