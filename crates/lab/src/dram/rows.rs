//! From what a run measured to the rows of the document, whatever the test.

use wordline_core::results::{HistogramBucket, NoValue};
use wordline_core::{Axis, Basis, Metric, ResultSet};
use wordline_dram::energy::EnergyPart;
use wordline_dram::system::{BIN_PS, LatencyProbe, SystemRun};
use wordline_dram::{CAUSES, Currents, EnergyCounts, TrafficSummary, WaitCause, energy};

use super::ModuleMemory;
use super::explain::{self, BandwidthBound};
use crate::subject::Subject;

/// What register and data buffers may take, as a part of what a sheet says: no maker states it, and the sheets' figures
/// are assumed.
const BUFFERS: [f64; 2] = [0.5, 2.0];

/// Picoseconds as seconds.
pub(crate) fn seconds(ps: f64) -> f64 {
    ps * 1e-12
}

/// What modules did in a stretch of time.
pub(super) struct DramWork<'a> {
    pub(super) duration_ps: u64,
    pub(super) bytes: u64,
    /// Of them.
    pub(super) bytes_read: u64,
    pub(super) summary: &'a TrafficSummary,
    pub(super) energy: &'a EnergyCounts,
}

impl<'a> DramWork<'a> {
    pub(super) fn of(run: &'a SystemRun) -> Self {
        Self {
            duration_ps: run.duration_ps,
            bytes: run.bytes_read + run.bytes_written,
            bytes_read: run.bytes_read,
            summary: &run.summary,
            energy: &run.energy,
        }
    }

    /// Rows that every test has: throughput, buses, rows, waits, energy.
    pub(super) fn rows(
        &self,
        memory: &ModuleMemory<'_>,
        subject: &Subject,
        document: &mut ResultSet,
    ) {
        let rate = self.bytes as f64 / seconds(self.duration_ps as f64);
        let row = subject.row(Metric::ThroughputMean, Ok(rate));
        document.rows.push(row);
        let read = match self.bytes {
            0 => Err(NoValue::NotApplicable),
            bytes => Ok(self.bytes_read as f64 / bytes as f64),
        };
        subject.add(Metric::ReadShare, read, document);
        self.buses(subject, document);
        self.hits(subject, document);
        waits(&self.summary.read_waits, subject, document);
        self.energies(memory, subject, document);
    }

    fn buses(&self, subject: &Subject, document: &mut ResultSet) {
        let data = self.summary.bus.utilization();
        let data = data.ok_or(NoValue::NotApplicable);
        subject.add(Metric::BusUtilization, data, document);
        for (cause, share) in explain::shares(&self.summary.bus).into_iter().flatten() {
            let at = subject.at(Axis::Cause, cause);
            at.add(Metric::BusShare, Ok(share), document);
        }
    }

    fn hits(&self, subject: &Subject, document: &mut ResultSet) {
        let TrafficSummary {
            hits,
            misses,
            conflicts,
            ..
        } = *self.summary;
        let all = (hits + misses + conflicts) as f64;
        for (metric, count) in [
            (Metric::RowHitRate, hits),
            (Metric::RowMissRate, misses),
            (Metric::RowConflictRate, conflicts),
        ] {
            subject.add(metric, Ok(count as f64 / all), document);
        }
    }

    /// Power by part, and what a byte takes, with the band over the sets of currents and what buffers may take.
    fn energies(&self, memory: &ModuleMemory<'_>, subject: &Subject, document: &mut ResultSet) {
        let sets = &memory.connected.currents;
        let of = |currents: &Currents| {
            energy(self.energy, currents, &memory.connected.config.sub_channel)
        };
        let Some((_, first)) = sets.first() else {
            return;
        };
        let first = of(first);
        let duration = seconds(self.duration_ps as f64);
        let power = first.total() / duration;
        subject.add(Metric::PowerMean, Ok(power), document);
        for part in EnergyPart::ALL {
            let at = subject.at(Axis::Cause, part.name());
            let power = first.part(part) / duration;
            at.add(Metric::PowerMeanPart, Ok(power), document);
        }
        let per_byte = first.total() / self.bytes as f64;
        let row = subject.row(Metric::EnergyPerByte, Ok(per_byte));
        document.rows.push(row);
        // Every set with little and with much for the buffers: sets and buffers are not known better together.
        let all = sets.iter().flat_map(|(_, currents)| {
            BUFFERS.map(|factor| {
                let currents = Currents {
                    buffer_w: factor * currents.buffer_w,
                    buffer_line_j: factor * currents.buffer_line_j,
                    ..currents.clone()
                };
                of(&currents).total()
            })
        });
        let all: Vec<f64> = all.collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (end, joules) in [("band_low", least), ("band_high", most)] {
            let at = subject.estimate(Basis::Simulated, end);
            for (metric, value) in [
                (Metric::PowerMean, joules / duration),
                (Metric::EnergyPerByte, joules / self.bytes as f64),
            ] {
                at.add(metric, Ok(value), document);
            }
        }
    }
}

/// The shares of the reads' waiting time by cause; none where nothing waited.
fn waits(waits: &[u64; CAUSES], subject: &Subject, document: &mut ResultSet) {
    let all: u64 = waits.iter().sum();
    if all == 0 {
        return;
    }
    for (cause, clocks) in WaitCause::ALL.iter().zip(waits) {
        let at = subject.at(Axis::Cause, cause.name());
        let share = *clocks as f64 / all as f64;
        at.add(Metric::WaitShare, Ok(share), document);
    }
}

/// How sure the throughput is, and Little's law: lines under way, of at most so many, and what that says of the bound.
pub(super) fn under_load(
    memory: &ModuleMemory<'_>,
    run: &SystemRun,
    most: u64,
    subject: &Subject,
    document: &mut ResultSet,
) {
    let bound = BandwidthBound::of(memory, run, most);
    let half = run.bytes_per_s_confidence;
    for (metric, value) in [
        (
            Metric::ThroughputConfidence,
            // Less than two microseconds cannot be distinguished.
            Some(half)
                .filter(|half| half.is_finite())
                .ok_or(NoValue::NotApplicable),
        ),
        (Metric::OutstandingMean, Ok(run.slots_mean)),
        (Metric::OutstandingMax, Ok(most as f64)),
        (
            Metric::ThroughputBound,
            bound
                .map(BandwidthBound::number)
                .ok_or(NoValue::NotApplicable),
        ),
    ] {
        subject.add(metric, value, document);
    }
}

/// The latency samples of probes, their distribution under a name, and how sure the mean is.
pub(super) fn latencies(
    probe: &LatencyProbe,
    name: String,
    subject: &Subject,
    document: &mut ResultSet,
) {
    let quantile = |share| seconds(probe.quantile(share) as f64);
    let mean = seconds(probe.mean_ps);
    for (metric, value) in [
        (Metric::LatencyMean, mean),
        (Metric::LatencyP50, quantile(0.5)),
        (Metric::LatencyP90, quantile(0.9)),
        (Metric::LatencyP99, quantile(0.99)),
        (Metric::LatencyP999, quantile(0.999)),
        (Metric::LatencyMax, seconds(probe.max_ps as f64)),
    ] {
        let mut row = subject.row(metric, Ok(value));
        row.distribution = Some(name.clone());
        document.rows.push(row);
    }
    document.histograms.insert(name, buckets(probe));
    let samples = probe.samples as f64;
    subject.add(Metric::AccessCount, Ok(samples), document);
    let half = seconds(probe.confidence_ps);
    for (end, value) in [
        ("confidence_low", mean - half),
        ("confidence_high", mean + half),
    ] {
        let at = subject.estimate(Basis::Simulated, end);
        at.add(Metric::LatencyMean, Ok(value), document);
    }
}

/// The occupied bins. The last one is open and ends with the greatest sample.
fn buckets(probe: &LatencyProbe) -> Vec<HistogramBucket> {
    let last = probe.bins.len().saturating_sub(1);
    let occupied = probe
        .bins
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0);
    let bucket = |(index, count): (usize, &u64)| HistogramBucket {
        upper_s: seconds(match index == last {
            true => probe.max_ps as f64,
            false => ((index as u64 + 1) * BIN_PS) as f64,
        }),
        count: *count,
    };
    occupied.map(bucket).collect()
}

/// The share of the samples that took no longer than a time, to the precision of their quantiles (0.1 % of the time).
pub(crate) fn share_within(probe: &LatencyProbe, within_ps: u64) -> f64 {
    if within_ps >= probe.max_ps {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..48 {
        let middle = f64::midpoint(low, high);
        if probe.quantile(middle) <= within_ps {
            low = middle;
        } else {
            high = middle;
        }
    }
    // The least sample answers every share down to 0.
    if probe.quantile(0.0) > within_ps {
        0.0
    } else {
        low
    }
}
