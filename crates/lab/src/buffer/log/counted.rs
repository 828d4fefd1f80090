//! A histogram: durations without their order.

use wordline_core::quantity::ByteCount;
use wordline_core::results::WarningCode;
use wordline_core::{Arrival, BufferWorkload, LogSource, Metric, Operation, ResultSet};
use wordline_trace::Counted;

use super::{environment, odd, subject};
use crate::backlog::{Interval, Rate, Unordered};
use crate::buffer::{grid, rates, rows};
use crate::error::LabError;

/// Durations without their order: for each rate the least and the most that any order needs.
pub(super) fn answer(
    source: &LogSource,
    counted: &Counted,
    question: &BufferWorkload,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let refuse = |problem: String| LabError::Log {
        file: source.file.clone(),
        problem,
    };
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
    let all = Unordered::new(ByteCount::from_bytes(record), &durations)?;
    let subject = subject(&source.file, operation, Some(record));
    let count: u128 = durations.iter().map(|one| u128::from(one.count)).sum();
    document
        .rows
        .push(subject.row(Metric::AccessCount, Ok(count as f64)));
    let bounds = [("least", &all.least), ("most", &all.most)];
    for (kind, curve) in bounds {
        let at = subject.estimate(subject.basis, kind);
        document
            .rows
            .push(at.row(Metric::ThroughputMean, rows::limit(curve)));
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
        for (kind, curve) in bounds {
            let at = subject.estimate(subject.basis, kind);
            for arrival in Arrival::ALL {
                let demand = curve.demand(rate);
                rows::peaks(&at, rate.bytes_per_second(), arrival, &demand, document);
            }
        }
    }
    for &ram in &question.ram_bytes {
        for (kind, curve) in bounds {
            let at = subject.estimate(subject.basis, kind).at("ram_bytes", ram);
            for arrival in Arrival::ALL {
                let rate = rows::safe_rate(curve, ram, arrival);
                let at = at.at("arrival", arrival.name());
                document.rows.push(at.row(Metric::RateMax, rate));
            }
        }
    }
    rows::small_rams(&subject, ByteCount::from_bytes(record), question, document);
    let advice = format!(
        "{}: a histogram has lost the order of the accesses, and with it how many long ones followed each \
         other: RAM lies between the least and the most that any order needs; a latency log gives the exact \
         figure (fio: --write_lat_log=NAME)",
        source.file
    );
    document.warn(WarningCode::LostOrder, advice);
    for oddity in &counted.summary.oddities {
        let (code, advice) = odd(&source.file, oddity);
        document.warn(code, advice);
    }
    document.environment = Some(environment(&counted.summary, source));
    Ok(())
}
