//! The rows of transactions.

use wordline_core::quantity::Quantity as _;
use wordline_core::results::NoValue;
use wordline_core::{Axis, Metric, ResultSet, RowOperation};
use wordline_engines::RamPart;
use wordline_nvm::Wear;
use wordline_sqlite::VfsCounts;

use super::processor::EngineWork;
use crate::instrument::OperationTally;
use crate::instrument::rows::{self, RowDetail, percentile};
use crate::subject::Subject;

/// The metrics of the memory below, in the order of rows.
const METRICS: [&[Metric]; 9] = [
    &[Metric::OpsRate, Metric::AccessCount],
    &rows::LATENCIES,
    &[Metric::LatencyMeanPart],
    &[Metric::LatencyMaxPart],
    &[
        Metric::LatencyMaxOperations,
        Metric::LatencyMaxOperationTime,
    ],
    &[Metric::DeviceOperations],
    &[Metric::EnergyPerOp, Metric::EnergyTotal, Metric::PowerMean],
    &[Metric::WriteAmplification],
    &[Metric::CyclesMax, Metric::WearSpread],
];

/// Two memories, as the column `memory` spells them.
const MEMORIES: [&str; 2] = ["tables", "log"];

/// Transactions of one kind, as they were measured.
pub(super) struct MeasuredWork {
    pub(super) operation: RowOperation,
    /// Its bytes are those that SQLite wrote to its files.
    pub(super) tally: OperationTally,
    /// The share of each memory in it, where the log has one of its own.
    pub(super) memories: Option<[OperationTally; 2]>,
    /// What SQLite asked of its files; until the end, what it had asked before the first.
    pub(super) counts: VfsCounts,
    /// What SQLite computed.
    pub(super) engine: EngineWork,
}

/// A database that was used.
pub(super) struct MeasuredDatabase {
    pub(super) works: Vec<MeasuredWork>,
    pub(super) ram: SqlRam,
    /// Whether it came to its last transaction.
    pub(super) is_whole: bool,
}

/// RAM in bytes.
pub(super) struct SqlRam {
    /// The most that SQLite allocated, its log's index included.
    pub(super) database: u64,
    pub(super) file_system: Vec<RamPart>,
    pub(super) layer: Vec<(&'static str, u64)>,
}

/// Adds the rows of transactions. `name` names their distribution.
pub(super) fn add(subject: &Subject, name: &str, work: &MeasuredWork, document: &mut ResultSet) {
    let tally = &work.tally;
    let metrics = match work.memories {
        None => &METRICS[..],
        // Each memory has its own wear.
        Some(_) => &METRICS[..METRICS.len() - 1],
    };
    rows::add(subject, name, tally, metrics, RowDetail::Sparse, document);
    let count = tally.count().max(1) as f64;
    let stored = work.counts.stored();
    for (metric, sum) in [
        (Metric::EngineWrites, stored.writes),
        (Metric::EngineBytesWritten, stored.written_bytes),
        (Metric::EngineBytesRead, stored.read_bytes),
        (
            Metric::EngineSyncs,
            stored.syncs + work.counts.directory_syncs,
        ),
        (Metric::BytesStored, tally.sum.stored_bytes()),
    ] {
        subject.add(metric, Ok(sum as f64 / count), document);
    }
    if let Some(lifetime) = lifetime(tally) {
        subject.add(Metric::Lifetime, lifetime, document);
    }
}

/// Adds the rows of each of two memories: its time and what it stores for a transaction, its wear, and its price.
pub(super) fn add_memories(
    subject: &Subject,
    work: &MeasuredWork,
    prices: [Option<f64>; 2],
    document: &mut ResultSet,
) {
    let memories = work.memories.iter().flatten();
    for ((name, tally), price) in MEMORIES.into_iter().zip(memories).zip(prices) {
        let subject = subject.at(Axis::Memory, name);
        let count = tally.count().max(1) as f64;
        let ended = tally.ended.as_ref();
        let energy = ended.and_then(|ended| ended.usage.energy_j);
        let cycles = ended.and_then(|ended| ended.cycles);
        for (metric, value) in [
            (Metric::LatencyMean, tally.latency.mean_s()),
            (
                Metric::BytesStored,
                Some(tally.sum.stored_bytes() as f64 / count),
            ),
            (Metric::EnergyPerOp, energy.map(|energy| energy / count)),
            (Metric::CyclesMax, cycles.map(|cycles| cycles.most as f64)),
            (Metric::Cost, price),
        ] {
            subject.add(metric, value.ok_or(NoValue::NotApplicable), document);
        }
        if let Some(lifetime) = lifetime(tally) {
            subject.add(Metric::Lifetime, lifetime, document);
        }
    }
}

/// Adds the rows of transactions that a search tried and did not choose: how long they took and what they stored.
pub(super) fn add_tried(subject: &Subject, work: &MeasuredWork, document: &mut ResultSet) {
    let tally = &work.tally;
    let count = tally.count().max(1) as f64;
    let latency = |metric| percentile(&tally.latency, metric).ok_or(NoValue::NotApplicable);
    for (metric, value) in [
        (Metric::AccessCount, Ok(tally.count() as f64)),
        (Metric::LatencyMean, latency(Metric::LatencyMean)),
        (Metric::LatencyMax, latency(Metric::LatencyMax)),
        (
            Metric::EngineBytesWritten,
            Ok(work.counts.stored().written_bytes as f64 / count),
        ),
        (
            Metric::BytesStored,
            Ok(tally.sum.stored_bytes() as f64 / count),
        ),
    ] {
        subject.add(metric, value, document);
    }
}

/// How long the memory lasts where such transactions follow each other at once: until its most worn unit is worn out.
fn lifetime(tally: &OperationTally) -> Option<Result<f64, NoValue>> {
    let ended = tally.ended.as_ref()?;
    let wear = ended.wear?;
    if wear.endurance == Wear::UNLIMITED {
        return Some(Err(NoValue::Unbounded));
    }
    let taken = ended.cycles?.most;
    Some(match taken {
        0 => Err(NoValue::BeyondRange),
        taken => Ok(wear.left() as f64 / taken as f64 * ended.usage.elapsed.si()),
    })
}

/// Adds RAM, in parts.
pub(super) fn ram(subject: &Subject, ram: &SqlRam, document: &mut ResultSet) {
    subject.add(Metric::DatabaseRam, Ok(ram.database as f64), document);
    let own = ram.file_system.iter().map(|part| (part.name, part.bytes));
    let parts: Vec<_> = own.chain(ram.layer.iter().copied()).collect();
    let all: u64 = parts.iter().map(|(_, bytes)| bytes).sum();
    subject.add(Metric::FileSystemRam, Ok(all as f64), document);
    for (part, bytes) in parts {
        let at = subject.at(Axis::Cause, part);
        at.add(Metric::FileSystemRamPart, Ok(bytes as f64), document);
    }
}
