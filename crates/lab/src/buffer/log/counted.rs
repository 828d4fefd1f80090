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
use crate::error::LabError;
use crate::warning::LabWarning;

/// Durations without their order: for each rate the least and the most that any order needs.
pub(super) fn answer(
    source: &LogSource,
    counted: &DurationCounts,
    question: &BufferWorkload,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let refuse = |problem: String| LabError::Log {
        file: source.file.clone(),
        problem,
    };
    if question.startup_ps > 0 || question.backlog_bytes > 0 || question.horizon_s.is_some() {
        return Err(refuse(
            "startup, backlog and horizon do not go with a histogram, whose accesses have no order; they go with \
             a latency log (fio: --write_lat_log=NAME)"
                .to_owned(),
        ));
    }
    if source.durations == Durations::StartToStart {
        return Err(refuse(
            "a histogram does not tell when accesses began, which start-to-start needs; a latency log does \
             (fio: --write_lat_log=NAME)"
                .to_owned(),
        ));
    }
    overlaps(counted).map_err(refuse)?;
    let mut kinds: Vec<Operation> = counted.durations.iter().map(|one| one.operation).collect();
    kinds.dedup();
    let operation = match (source.operation, kinds.as_slice()) {
        (Some(operation), kinds) if kinds.contains(&operation) => operation,
        (None, [one]) => *one,
        (Some(operation), _) => {
            return Err(refuse(format!("there is no {} in it", operation.name())));
        }
        (None, _) => {
            return Err(refuse(
                "it counts reads and writes; say which of them the input waits for with --operation".into(),
            ));
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
                return Err(refuse(format!(
                    "it counts accesses of {} and of {}; without their order, one size is needed",
                    ByteCount::from_bytes(record),
                    ByteCount::from_bytes(bytes)
                )));
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
        return Err(refuse(
            "it does not tell the size of an access; give it with --record".to_owned(),
        ));
    };
    if record == 0 {
        return Err(refuse("its accesses move no bytes".to_owned()));
    }
    // The last bin of a histogram may have no upper end: then there is a least, and no most.
    let open = |one: &Interval| one.most.ps() == u64::MAX;
    let endless = durations.iter().any(open);
    for one in durations.iter_mut().filter(|one| open(one)) {
        one.most = one.least;
    }
    let all = Unordered::new(ByteCount::from_bytes(record), &durations);
    let all = all.map_err(|error| refuse(error.to_string()))?;
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
        median(&durations),
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
    Unknown(String),
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
fn overlaps(counted: &DurationCounts) -> Result<(), String> {
    let Some(elapsed) = counted.elapsed else {
        return Ok(());
    };
    let busy = busy(counted.durations.iter());
    match shares(busy, elapsed.ps().into(), counted.summary.resolution) {
        Some((least, _)) if least > COVERAGE_MAX => Err(format!(
            "the durations in it cover {:.0} % of its time: accesses overlapped, as they do with a queue depth \
             above 1 or several jobs. How many bytes are under way at a time is not in it, and the theory is \
             about one access after the other; record with --iodepth=1 --numjobs=1",
            100.0 * least
        )),
        _ => Ok(()),
    }
}

/// Refuses durations that leave out their time.
fn coverage(counted: &DurationCounts, operation: Operation) -> Result<Covered, String> {
    let Some(elapsed) = counted.elapsed else {
        let why = "the histogram does not tell in what time its accesses happened";
        return Ok(Covered::Unknown(why.to_owned()));
    };
    let all = counted.durations.iter();
    let busy = busy(all.filter(|one| one.operation == operation));
    let Some((least, most)) = shares(busy, elapsed.ps().into(), counted.summary.resolution) else {
        let step = counted.summary.resolution.unwrap_or_default();
        return Ok(Covered::Unknown(format!(
            "the histogram lasts {elapsed} and tells its time in steps of {step}"
        )));
    };
    if most < COVERAGE_MIN {
        return Err(format!(
            "its {}s cover {:.1} % of its time: at most {} of {elapsed}. What happened in the rest, such as fsync or \
             other accesses, fills the buffer too, so they answer nothing; at least 90 % are needed. Record \
             latencies that include the flush (fio: --sync=1 instead of --fsync=1) and the submission \
             (--lat_percentiles=1), without pauses (--rate, --thinktime), or a latency log \
             (--write_lat_log=NAME), of which --durations start-to-start takes the time from the start of an \
             access to the start of the next",
            operation.name(),
            100.0 * most,
            seconds(busy.1)
        ));
    }
    if least < COVERAGE_MIN && most > COVERAGE_MAX {
        return Ok(Covered::Unknown(format!(
            "its bins are so wide that they cover anything from {:.0} % to {:.0} % of its time",
            100.0 * least,
            100.0 * most
        )));
    }
    Ok(Covered::Share((least + most) / 2.0))
}
