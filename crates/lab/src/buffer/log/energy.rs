//! Energy of accesses, from a current that was measured beside their log.
//!
//! Power between two samples is the mean of theirs; an access has what falls between its start and its end. Samples that
//! follow each other at more than twice and a half the usual step, and those without a value, leave a gap: an access of
//! which less than 99 % is covered counts for nothing. Both logs are streamed; of the current a second behind the latest
//! access is kept, since starts of rounded times may run back.

use std::collections::VecDeque;
use std::io::BufRead;

use wordline_core::quantity::{Quantity, Time, Voltage};
use wordline_core::{LogSource, Metric, ResultSet};
use wordline_trace::{
    CurrentLog, CurrentSample, Log, LogOptions, LogSummary, LoggedAccess, UNIT_PREFIX,
};

use super::odd;
use crate::control::Control;
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::subject::Subject;
use crate::warning::LabWarning;

/// Where the current of a log comes from.
#[derive(Clone, Copy)]
pub(crate) struct CurrentSource<'a> {
    /// The file.
    pub(crate) file: &'a str,
    /// Of the supply, where the file does not tell it.
    pub(crate) voltage: Option<Voltage>,
    /// Whether that is of several supplies, so that a file may tell its own.
    pub(crate) is_voltage_shared: bool,
    /// Time on its clock at which the first access starts, in picoseconds; none where the clocks are one.
    pub(crate) offset_ps: Option<u64>,
}

/// Samples whose steps tell the usual one.
const STEPS: usize = 1000;

/// Between samples farther apart than so many usual steps is a gap.
const GAP_STEPS: f64 = 2.5;

/// Share of an access that has to be covered.
const COVERED_MIN: f64 = 0.99;

/// What is kept behind the latest access, in picoseconds.
const KEPT_PS: i128 = 1_000_000_000_000;

/// Supplies of memories.
const VOLTS_MAX: f64 = 1000.0;

/// A stretch between two samples.
#[derive(Clone, Copy)]
struct PowerStretch {
    from_ps: i128,
    to_ps: i128,
    watts: f64,
    /// Line and volts of a sample that no supply has: 0 V or below.
    unpowered: Option<(u64, f64)>,
}

impl PowerStretch {
    /// Adds what lies between two instants to a time in picoseconds and an energy in joules.
    fn added(&self, (time_ps, joules): (i128, f64), from: i128, to: i128) -> (i128, f64) {
        let overlap = (self.to_ps.min(to) - self.from_ps.max(from)).max(0);
        (
            time_ps + overlap,
            joules + overlap as f64 / 1e12 * self.watts,
        )
    }
}

/// Follows a log of accesses through a log of currents.
pub(super) struct SupplyMeter<'a> {
    source: CurrentSource<'a>,
    control: &'a Control<'a>,
    samples: CurrentLog<Box<dyn BufRead>>,
    /// Samples that were read to learn the usual step.
    ahead: VecDeque<CurrentSample>,
    gap_ps: f64,
    step_ps: f64,
    first_ps: i128,
    last: CurrentSample,
    stretches: VecDeque<PowerStretch>,
    is_over: bool,
    /// From the log's clock to that of the current.
    shift_ps: Option<i128>,
    read: u64,
    energy: AccessEnergy,
    /// From the start of the first access to the end of the latest, on the clock of the current.
    span_ps: Option<(i128, i128)>,
    /// What was measured in it: how long, in picoseconds, and how much, in joules.
    spent: (i128, f64),
    /// The same within accesses.
    within: (i128, f64),
    gaps: (u64, u64, Time),
    pub(super) is_stopped: bool,
}

/// What the accesses drew.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AccessEnergy {
    /// Of those that are covered, in joules.
    pub(crate) joules: f64,
    /// What they moved.
    pub(crate) bytes: u128,
    /// How many are covered.
    pub(crate) covered: u64,
    /// All of them.
    pub(crate) accesses: u64,
    /// How long all took.
    pub(crate) busy_ps: u128,
    /// Power of the supply between them, in watts, where there was time between them.
    pub(crate) between: Option<f64>,
}

impl<'a> SupplyMeter<'a> {
    /// Opens the log of currents beside a log of accesses.
    pub(super) fn open(
        source: CurrentSource<'a>,
        log: &LogSource,
        control: &'a Control<'a>,
    ) -> Result<Self, LabError> {
        let file = source.file.to_owned();
        if let Some(volts) = source.voltage.map(Quantity::si)
            && !(volts > 0.0 && volts <= VOLTS_MAX)
        {
            return Err(SettingProblem::OutOfRange {
                found: format!("{volts} V"),
                least: "above 0 V".to_owned(),
                most: format!("{VOLTS_MAX} V"),
            }
            .of("voltage"));
        }
        let units = log.units.iter().filter_map(|(column, unit)| {
            let column = column.strip_prefix(UNIT_PREFIX)?;
            Some((column.to_owned(), unit.0.clone()))
        });
        let options = LogOptions {
            name: Some(source.file.to_owned()),
            units: units.collect(),
            ..LogOptions::default()
        };
        let trace = |fault| LabError::Trace {
            file: source.file.to_owned(),
            source: fault,
        };
        let opened = wordline_trace::open(control.open(source.file)?, &options).map_err(trace)?;
        let Log::Currents(mut samples) = opened else {
            return Err(LogProblem::NoCurrents.of(source.file));
        };
        let mut ahead = VecDeque::new();
        while ahead.len() <= STEPS
            && let Some(sample) = samples.next().transpose().map_err(trace)?
        {
            ahead.push_back(sample);
        }
        let mut steps: Vec<u64> = (ahead.iter().zip(ahead.iter().skip(1)))
            .map(|(one, next)| next.at.since(one.at).ps())
            .filter(|step| *step > 0)
            .collect();
        steps.sort_unstable();
        let (Some(first), Some(step)) = (ahead.pop_front(), steps.get(steps.len() / 2)) else {
            return Err(LogProblem::FewSamples.of(source.file));
        };
        match (samples.has_voltage(), source.voltage) {
            (false, None) => return Err(SettingProblem::NoVoltage(file).of("voltage")),
            (true, Some(_)) if !source.is_voltage_shared => {
                return Err(SettingProblem::VoltageTwice(file).of("voltage"));
            }
            _ => {}
        }
        let step_ps = *step as f64;
        Ok(Self {
            source,
            control,
            samples,
            ahead,
            gap_ps: GAP_STEPS * step_ps,
            step_ps,
            first_ps: first.at.ps().into(),
            last: first,
            stretches: VecDeque::new(),
            is_over: false,
            shift_ps: source.offset_ps.is_none().then_some(0),
            read: 0,
            energy: AccessEnergy::default(),
            span_ps: None,
            spent: (0, 0.0),
            within: (0, 0.0),
            gaps: (0, 0, Time::ZERO),
            is_stopped: false,
        })
    }

    /// Adds what an access drew that ended at `end` on the clock of its log.
    pub(super) fn add(&mut self, access: &LoggedAccess, end: Time) -> Result<(), LabError> {
        let duration = i128::from(access.duration.ps());
        let start = i128::from(end.ps()) - duration;
        let offset = self.source.offset_ps.map_or(0, i128::from);
        let shift = *self.shift_ps.get_or_insert(offset - start);
        let (from, to) = (start + shift, start + shift + duration);
        self.energy.accesses += 1;
        self.energy.busy_ps += u128::from(access.duration.ps());
        let (_, end) = self.span_ps.get_or_insert((from, to));
        *end = to.max(*end);
        while !self.is_over && i128::from(self.last.at.ps()) < to {
            self.advance(from)?;
        }
        let begin = self
            .stretches
            .partition_point(|stretch| stretch.to_ps <= from);
        let (mut covered, mut joules) = (0, 0.0);
        for stretch in self.stretches.range(begin..) {
            if stretch.from_ps >= to {
                break;
            }
            if let Some((line, volts)) = stretch.unpowered {
                return Err(LogProblem::Unpowered { line, volts }.of(self.source.file));
            }
            (covered, joules) = stretch.added((covered, joules), from, to);
        }
        self.within.0 += covered;
        self.within.1 += joules;
        if duration > 0 && covered as f64 >= COVERED_MIN * duration as f64 {
            // Up to a hundredth is not covered: it drew what the rest did.
            self.energy.joules += joules * duration as f64 / covered as f64;
            self.energy.bytes += u128::from(access.bytes);
            self.energy.covered += 1;
        }
        Ok(())
    }

    /// Takes the next sample, for accesses that start at `from` or a second before it.
    fn advance(&mut self, from: i128) -> Result<(), LabError> {
        self.read += 1;
        if self.read.is_multiple_of(super::BREATH) && self.control.stopped() {
            self.is_stopped = true;
            self.is_over = true;
            return Ok(());
        }
        let next = match self.ahead.pop_front() {
            Some(sample) => Some(sample),
            None => self
                .samples
                .next()
                .transpose()
                .map_err(|source| LabError::Trace {
                    file: self.source.file.to_owned(),
                    source,
                })?,
        };
        let Some(next) = next else {
            self.is_over = true;
            return Ok(());
        };
        let last = std::mem::replace(&mut self.last, next);
        let step = next.at.since(last.at);
        let power = |sample: CurrentSample| {
            let volts = sample.volts.or(self.source.voltage.map(Quantity::si))?;
            Some(sample.amperes? * volts)
        };
        match power(last).zip(power(next)) {
            Some((one, other)) if step.ps() as f64 <= self.gap_ps => {
                let unpowered = [last, next].into_iter().find_map(|sample| {
                    let volts = sample.volts.filter(|volts| *volts <= 0.0)?;
                    Some((sample.line, volts))
                });
                let stretch = PowerStretch {
                    from_ps: last.at.ps().into(),
                    to_ps: next.at.ps().into(),
                    watts: (one + other) / 2.0,
                    unpowered,
                };
                if let Some((begin, _)) = self.span_ps {
                    self.spent = stretch.added(self.spent, begin, i128::MAX);
                }
                if stretch.to_ps + KEPT_PS > from {
                    self.stretches.push_back(stretch);
                }
            }
            _ => {
                let (count, line, longest) = &mut self.gaps;
                if *count == 0 {
                    *line = next.line;
                }
                *count += 1;
                *longest = longest.later(step);
            }
        }
        while self
            .stretches
            .front()
            .is_some_and(|first| first.to_ps + KEPT_PS <= from)
        {
            self.stretches.pop_front();
        }
        Ok(())
    }

    /// Power between the accesses.
    fn between(&self) -> Option<f64> {
        let (_, end) = self.span_ps?;
        // The last sample lies behind the last access.
        let behind = self.stretches.iter();
        let behind = behind.fold((0, 0.0), |sum, one| one.added(sum, end, i128::MAX));
        let time_ps = self.spent.0 - self.within.0 - behind.0;
        let joules = self.spent.1 - self.within.1 - behind.1;
        (time_ps > 0).then(|| joules.max(0.0) / (time_ps as f64 / 1e12))
    }

    /// What was learnt, told with warnings; an error where nothing is covered.
    pub(super) fn finish(
        self,
        log: &LogSummary,
        document: &mut ResultSet,
    ) -> Result<AccessEnergy, LabError> {
        let file = &self.source.file;
        let energy = AccessEnergy {
            between: self.between(),
            ..self.energy
        };
        let seconds = |ps: i128| wordline_core::quantity::human(ps as f64 / 1e12, "s", 4);
        if energy.covered == 0 {
            return Err(LogProblem::NothingMeasured {
                accesses: energy.accesses,
                from: seconds(self.first_ps),
                to: seconds(self.last.at.ps().into()),
            }
            .of(file));
        }
        if energy.joules <= 0.0 {
            return Err(LogProblem::NoEnergy {
                joules: energy.joules,
                accesses: energy.covered,
            }
            .of(file));
        }
        if self.source.offset_ps.is_none() {
            document.warn(LabWarning::SameClock { file });
        }
        document.warn(LabWarning::SupplyEnergy {
            file,
            covered: &energy.covered,
            accesses: &energy.accesses,
            percent: &(100.0 * energy.covered as f64 / energy.accesses as f64),
        });
        let (count, line, longest) = &self.gaps;
        if *count > 0 {
            document.warn(LabWarning::CurrentGaps {
                file,
                line,
                count,
                longest,
            });
        }
        let mean = energy.busy_ps as f64 / energy.accesses as f64;
        let step = log.resolution.map_or(0.0, |step| step.ps() as f64);
        let step = step.max(self.step_ps);
        // A tenth of an access is what its two ends may be off by together.
        if 10.0 * step > mean {
            document.warn(LabWarning::CoarseCurrent {
                file,
                step: &wordline_core::quantity::human(step / 1e12, "s", 3),
                mean: &wordline_core::quantity::human(mean / 1e12, "s", 3),
            });
        }
        for oddity in &self.samples.summary().oddities {
            document.warn(odd(file, oddity));
        }
        Ok(energy)
    }
}

impl AccessEnergy {
    /// Energy of an access, and of a byte.
    pub(crate) fn rows(&self, subject: &Subject, document: &mut ResultSet) {
        let per_op = self.joules / self.covered as f64;
        subject.add(Metric::EnergyPerOp, Ok(per_op), document);
        if self.bytes > 0 {
            let per_byte = self.joules / self.bytes as f64;
            subject.add(Metric::EnergyPerByte, Ok(per_byte), document);
        }
    }
}
