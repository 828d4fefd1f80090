//! A histogram: durations without their order.
//!
//! It answers the question on the same terms as a log of accesses: only if it accounts for its time. A bin says
//! between which durations its accesses lie, so that coverage is an interval, and what the width of bins leaves open
//! refuses nothing.

use wordline_core::quantity::{ByteCount, Time};
use wordline_core::{
    Arrival, Axis, BufferWorkload, Durations, LogSource, Metric, Operation, ResultSet,
};
use wordline_trace::{CountedDurations, DurationCounts};

use super::coverage::shares;
use super::{COVERAGE_MAX, COVERAGE_MIN, cache, environment, odd, seconds, subject};
use crate::backlog::{Interval, Rate, Unordered};
use crate::buffer::{grid, rates, rows};
use crate::error::{LabError, LogProblem};
use crate::warning::{LabWarning, UnknownCoverage};

/// Durations without their order: for each rate the least and the most that any order needs.
pub(super) fn answer(
    source: &LogSource,
    counted: &DurationCounts,
    question: &BufferWorkload,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let refuse = |problem: LogProblem| problem.of(&source.file);
    if question.startup_ps > 0 || question.backlog_bytes > 0 || question.horizon_s.is_some() {
        return Err(refuse(LogProblem::OrderOfHistogram));
    }
    if source.durations == Durations::StartToStart {
        return Err(refuse(LogProblem::StartsOfHistogram));
    }
    overlaps(counted).map_err(refuse)?;
    let mut kinds: Vec<Operation> = counted.durations.iter().map(|one| one.operation).collect();
    kinds.dedup();
    let operation = match (source.operation, kinds.as_slice()) {
        (Some(operation), kinds) if kinds.contains(&operation) => operation,
        (None, [one]) => *one,
        (Some(operation), _) => {
            return Err(refuse(LogProblem::NoneOf(operation.name())));
        }
        (None, _) => {
            return Err(refuse(LogProblem::BothOperations));
        }
    };
    let covered = coverage(counted, operation).map_err(refuse)?;
    let of_kind = counted
        .durations
        .iter()
        .filter(|one| one.operation == operation);
    let mut durations = Vec::new();
    let mut record = source.record_bytes;
    for one in of_kind {
        match (record, one.bytes) {
            (None, bytes) => record = bytes,
            (Some(record), Some(bytes)) if record != bytes => {
                return Err(refuse(LogProblem::SeveralSizes {
                    one: ByteCount::from_bytes(record),
                    other: ByteCount::from_bytes(bytes),
                }));
            }
            _ => {}
        }
        durations.push(Interval {
            least: one.least,
            most: one.most,
            count: one.count,
        });
    }
    let Some(record) = record else {
        return Err(refuse(LogProblem::NoSize));
    };
    if record == 0 {
        return Err(refuse(LogProblem::NoBytes));
    }
    // The last bin of a histogram may have no upper end: then there is a least, and no most.
    let open = |one: &Interval| one.most.ps() == u64::MAX;
    let endless = durations.iter().any(open);
    for one in durations.iter_mut().filter(|one| open(one)) {
        one.most = one.least;
    }
    let all = Unordered::new(ByteCount::from_bytes(record), &durations);
    let all = all.map_err(|error| refuse(LogProblem::Uncountable(error)))?;
    let subject = subject(&source.file, operation, Some(record));
    let count: u128 = durations.iter().map(|one| u128::from(one.count)).sum();
    subject.add(Metric::AccessCount, Ok(count as f64), document);
    match covered {
        Covered::Share(share) => document.rows.push(subject.row(Metric::Coverage, Ok(share))),
        Covered::Unknown(why) => {
            document.warn(LabWarning::UnknownCoverage {
                file: &source.file,
                why: &why,
            });
        }
    }
    let both = [("least", &all.least), ("most", &all.most)];
    let bounds = if endless { &both[..1] } else { &both[..] };
    if endless {
        document.warn(LabWarning::EndlessBin { file: &source.file });
    }
    for &(kind, curve) in bounds {
        let at = subject.estimate(subject.basis, kind);
        at.add(Metric::ThroughputMean, rows::limit(curve), document);
    }
    let mut asked = rates(question)?;
    // The number to provide is that of the worst order; the kindest stands beside it.
    for rate in &asked {
        let least = subject.estimate(subject.basis, "least");
        let worst = (&subject, &all.most);
        let both = [Some((&least, &all.least)), (!endless).then_some(worst)];
        for (at, curve) in both.into_iter().flatten() {
            if let Some(in_flight) = rows::in_flight(&curve.demand(*rate)) {
                let rate = rate.bytes_per_second();
                rows::provision(at, rate, in_flight, record as f64, document);
            }
        }
    }
    for rate in grid::rates(rows::limit(&all.most).unwrap_or(f64::INFINITY)) {
        if let Ok(rate) = Rate::from_bytes_per_second(rate)
            && !asked.contains(&rate)
        {
            asked.push(rate);
        }
    }
    for rate in asked {
        for &(kind, curve) in bounds {
            let at = subject.estimate(subject.basis, kind);
            for arrival in Arrival::ALL {
                let demand = curve.demand(rate);
                rows::peaks(&at, rate.bytes_per_second(), arrival, &demand, document);
            }
        }
    }
    for &ram in &question.ram_bytes {
        for &(kind, curve) in bounds {
            let at = subject
                .estimate(subject.basis, kind)
                .at(Axis::RamBytes, ram);
            for arrival in Arrival::ALL {
                let rate = rows::safe_rate(curve, ram, arrival);
                let at = at.at(Axis::Arrival, arrival.name());
                at.add(Metric::RateMax, rate, document);
            }
        }
    }
    rows::small_rams(&subject, ByteCount::from_bytes(record), question, document);
    let rate = rows::limit(&all.most).ok();
    cache::check(
        &source.file,
        &counted.summary,
        Some(median(&durations)),
        rate,
        document,
    );
    document.warn(LabWarning::LostOrder { file: &source.file });
    for oddity in &counted.summary.oddities {
        document.warn(odd(&source.file, oddity));
    }
    document.environment = Some(environment(&counted.summary, source));
    Ok(())
}

/// What half of the accesses take at most: the upper end of their bin. Durations of one operation come in order.
fn median(durations: &[Interval]) -> Time {
    let count: u128 = durations.iter().map(|one| u128::from(one.count)).sum();
    let mut seen: u128 = 0;
    let middle = durations.iter().find(|one| {
        seen += u128::from(one.count);
        2 * seen >= count
    });
    middle.map_or(Time::ZERO, |one| one.most)
}

/// What a histogram accounts for.
enum Covered {
    /// So large a share of its time.
    Share(f64),
    /// Nobody knows, for a reason.
    Unknown(UnknownCoverage),
}

/// Least and most that accesses took together, in picoseconds.
fn busy<'a>(durations: impl Iterator<Item = &'a CountedDurations>) -> (u128, u128) {
    durations.fold((0, 0), |(least, most): (u128, u128), one| {
        let of = |time: wordline_core::quantity::Time| {
            u128::from(time.ps()).saturating_mul(one.count.into())
        };
        (
            least.saturating_add(of(one.least)),
            most.saturating_add(of(one.most)),
        )
    })
}

/// Refuses accesses that took longer together than the time in which they happened, reads and writes alike.
fn overlaps(counted: &DurationCounts) -> Result<(), LogProblem> {
    let Some(elapsed) = counted.elapsed else {
        return Ok(());
    };
    let busy = busy(counted.durations.iter());
    match shares(busy, elapsed.ps().into(), counted.summary.resolution) {
        Some((least, _)) if least > COVERAGE_MAX => {
            let percent = 100.0 * least;
            Err(LogProblem::Overlap { percent })
        }
        _ => Ok(()),
    }
}

/// Refuses durations that leave out their time.
fn coverage(counted: &DurationCounts, operation: Operation) -> Result<Covered, LogProblem> {
    let Some(elapsed) = counted.elapsed else {
        return Ok(Covered::Unknown(UnknownCoverage::NoTime));
    };
    let all = counted.durations.iter();
    let busy = busy(all.filter(|one| one.operation == operation));
    let Some((least, most)) = shares(busy, elapsed.ps().into(), counted.summary.resolution) else {
        let step = counted.summary.resolution.unwrap_or_default();
        return Ok(Covered::Unknown(UnknownCoverage::HistogramInSteps {
            elapsed,
            step,
        }));
    };
    if most < COVERAGE_MIN {
        return Err(LogProblem::UncoveredCounts {
            operation: operation.name(),
            percent: 100.0 * most,
            busy: seconds(busy.1),
            elapsed,
        });
    }
    if least < COVERAGE_MIN && most > COVERAGE_MAX {
        return Ok(Covered::Unknown(UnknownCoverage::WideBins {
            least: 100.0 * least,
            most: 100.0 * most,
        }));
    }
    Ok(Covered::Share((least + most) / 2.0))
}
