//! From a tally to the rows of the document: one formula for each registered metric.

use wordline_core::quantity::{Quantity, Time};
use wordline_core::results::{HistogramBucket, NoValue};
use wordline_core::{Axis, LatencyHistogram, Metric, ResultSet};
use wordline_nvm::{AccessCost, Cause, Wear};

use super::meter::KINDS;
use super::tally::{OperationTally, PROCESSOR_CAUSES};
use crate::subject::Subject;
use crate::translation::Stretch;

/// The distribution of latencies.
pub(crate) const LATENCIES: [Metric; 6] = [
    Metric::LatencyMean,
    Metric::LatencyP50,
    Metric::LatencyP90,
    Metric::LatencyP99,
    Metric::LatencyP999,
    Metric::LatencyMax,
];

/// A value of a metric, in a column of its own where there is one for each cause or kind of operation.
struct MetricValue {
    column: Option<(Axis, &'static str)>,
    value: Result<f64, NoValue>,
}

/// What is left out of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowDetail {
    /// Nothing.
    Full,
    /// Percentiles of fewer operations than leave one above them, and causes that took no time of the slowest.
    Sparse,
}

/// Adds the rows of a tally, group by group. Metrics of one group that have a row for each cause, or for each kind of
/// operation, stand beside each other cause by cause. `name` names the distribution.
pub(crate) fn add(
    subject: &Subject,
    name: &str,
    tally: &OperationTally,
    groups: &[&[Metric]],
    detail: RowDetail,
    document: &mut ResultSet,
) {
    for group in groups {
        let values = group
            .iter()
            .map(|&metric| (metric, values(tally, metric, detail)));
        interleave(subject, values, document, |metric| {
            LATENCIES.contains(&metric).then(|| name.to_owned())
        });
    }
    if groups
        .iter()
        .any(|group| group.contains(&Metric::LatencyMax))
    {
        let buckets = HistogramBucket::all_of(&tally.latency);
        document.histograms.insert(name.to_owned(), buckets);
    }
}

/// Adds rows of metrics that an operation has no figures of.
pub(crate) fn without_value(
    subject: &Subject,
    metrics: &[Metric],
    reason: NoValue,
    document: &mut ResultSet,
) {
    let rows = metrics
        .iter()
        .map(|&metric| subject.row(metric, Err(reason)));
    document.rows.extend(rows);
}

/// Adds what the causes of `cost` took in each of `operations` operations, and of all their time.
pub(crate) fn causes(
    subject: &Subject,
    causes: &[Cause],
    cost: &AccessCost,
    operations: u64,
    document: &mut ResultSet,
) {
    let total = cost.total();
    if total == Time::ZERO {
        return;
    }
    let part = |divisor: f64| {
        let parts = causes.iter();
        let parts = parts.map(|cause| of_cause(cause.name(), cost.of(*cause).si() / divisor));
        parts.collect()
    };
    let values = [
        (Metric::TimeShare, part(total.si())),
        (Metric::LatencyMeanPart, part(operations.max(1) as f64)),
    ];
    interleave(subject, values.into_iter(), document, |_| None);
}

/// Adds what a translation layer did while so many bytes were written.
pub(crate) fn layer(
    subject: &Subject,
    stretch: &Stretch,
    written_bytes: u64,
    document: &mut ResultSet,
) {
    for metric in [
        Metric::WriteAmplification,
        Metric::PagesMoved,
        Metric::MappingRam,
    ] {
        let values = of_layer(metric, stretch, written_bytes);
        interleave(subject, [(metric, values)].into_iter(), document, |_| None);
    }
}

fn interleave(
    subject: &Subject,
    metrics: impl Iterator<Item = (Metric, Vec<MetricValue>)>,
    document: &mut ResultSet,
    distribution: impl Fn(Metric) -> Option<String>,
) {
    let mut metrics: Vec<_> = metrics
        .map(|(metric, values)| (metric, values.into_iter()))
        .collect();
    loop {
        let before = document.rows.len();
        for (metric, values) in &mut metrics {
            let Some(MetricValue { column, value }) = values.next() else {
                continue;
            };
            let mut row = match column {
                None => subject.row(*metric, value),
                Some((axis, name)) => subject.at(axis, name).row(*metric, value),
            };
            row.distribution = distribution(*metric);
            document.rows.push(row);
        }
        if document.rows.len() == before {
            return;
        }
    }
}

fn one(value: Result<f64, NoValue>) -> Vec<MetricValue> {
    vec![MetricValue {
        column: None,
        value,
    }]
}

fn of_cause(name: &'static str, value: f64) -> MetricValue {
    MetricValue {
        column: Some((Axis::Cause, name)),
        value: Ok(value),
    }
}

/// The values of a metric; none where it does not apply to these operations.
fn values(tally: &OperationTally, metric: Metric, detail: RowDetail) -> Vec<MetricValue> {
    let (bytes, count) = (tally.bytes as f64, tally.count() as f64);
    let usage = tally.ended.as_ref().map(|ended| &ended.usage);
    // Operations that asked the memory for nothing took no time, and have no rate.
    let rate = |amount: f64| match tally.busy {
        Time::ZERO => Err(NoValue::NotApplicable),
        busy => Ok(amount / busy.si()),
    };
    let energy = |divisor: f64| {
        if divisor == 0.0 {
            return Vec::new();
        }
        let total = usage.and_then(|usage| usage.energy_j);
        one(total
            .map(|total| total / divisor)
            .ok_or(NoValue::NotApplicable))
    };
    let part = |cost: &AccessCost, divisor: f64| {
        let parts = tally.causes.iter();
        parts
            .map(move |cause| of_cause(cause.name(), cost.of(*cause).si() / divisor))
            .collect::<Vec<_>>()
    };
    match metric {
        Metric::ThroughputMean if tally.bytes == 0 => Vec::new(),
        Metric::ThroughputMean => one(rate(bytes)),
        Metric::OpsRate => one(rate(count)),
        Metric::AccessCount => one(Ok(count)),
        Metric::DurationTotal => one(Ok(tally.busy.si())),
        Metric::BytesMoved => one(Ok(tally.sum.bus_bytes as f64 / count)),
        Metric::BusCycles => tally.cycle_bytes.map_or_else(Vec::new, |word| {
            one(Ok(tally.sum.bus_bytes as f64 / word as f64 / count))
        }),
        Metric::BytesFloor => one(Ok(tally.floor_bytes as f64 / count)),
        Metric::EnergyPerByte => energy(bytes),
        Metric::EnergyPerOp => energy(count),
        Metric::EnergyTotal => energy(1.0),
        Metric::PowerMean => energy(usage.map_or(0.0, |usage| usage.elapsed.si())),
        Metric::HostEnergyPerByte | Metric::WriteAmplification if tally.bytes == 0 => Vec::new(),
        Metric::HostEnergyPerByte => (tally.ended.as_ref())
            .and_then(|ended| ended.host_j)
            .map_or_else(Vec::new, |host| one(Ok(host / bytes))),
        Metric::BusUtilization => {
            let share = |cause| tally.cost().of(cause).si() / tally.busy.si();
            one(Ok(share(Cause::BusCommand) + share(Cause::BusData)))
        }
        Metric::TimeShare if tally.busy == Time::ZERO => Vec::new(),
        Metric::TimeShare => {
            let busy = tally.busy.si();
            let mut shares = part(tally.cost(), busy);
            let processor = tally.processor.iter().flatten().zip(PROCESSOR_CAUSES);
            shares.extend(processor.map(|(time, cause)| of_cause(cause, time.si() / busy)));
            shares
        }
        Metric::LatencyMeanPart => part(tally.cost(), count),
        Metric::LatencyMaxPart => {
            let mut parts = part(&tally.worst.cost, 1.0);
            parts.retain(|part| detail == RowDetail::Full || part.value != Ok(0.0));
            parts
        }
        Metric::LatencyMaxOperations
        | Metric::LatencyMaxOperationTime
        | Metric::DeviceOperations => of_operations(tally, metric),
        Metric::WriteAmplification | Metric::PagesMoved | Metric::MappingRam => {
            match usage.and_then(|usage| usage.layer.as_ref()) {
                Some(stretch) => of_layer(metric, stretch, tally.stored_bytes()),
                None if tally.stores && metric == Metric::WriteAmplification => {
                    one(Ok(tally.sum.stored_bytes() as f64 / bytes))
                }
                None => Vec::new(),
            }
        }
        Metric::CyclesMax | Metric::WearSpread if tally.reports_units() => of_units(tally, metric),
        Metric::Lifetime | Metric::LifetimeHotSpot | Metric::WearSpread => of_life(tally, metric),
        Metric::BackgroundDurationMean | Metric::BackgroundDelayMean => {
            tally.background.map_or_else(Vec::new, |means| {
                let value = match metric {
                    Metric::BackgroundDurationMean => means.duration_s,
                    _ => means.delay_s,
                };
                one(value.ok_or(NoValue::BeyondRange))
            })
        }
        Metric::ProcessorLost => {
            let thread = usage.and_then(|usage| usage.thread);
            thread.map_or_else(Vec::new, |thread| one(Ok(thread.lost)))
        }
        Metric::Interruptions => {
            usage
                .and_then(|usage| usage.thread)
                .map_or_else(Vec::new, |thread| {
                    let all = thread.interruptions;
                    let values = [
                        ("preemption", all.preemptions),
                        ("minor_fault", all.minor_faults),
                        ("major_fault", all.major_faults),
                    ];
                    values
                        .map(|(cause, count)| of_cause(cause, count as f64))
                        .into()
                })
        }
        latency if LATENCIES.contains(&latency) => {
            if detail == RowDetail::Sparse && tally.count() < least_count(latency) {
                return Vec::new();
            }
            one(percentile(&tally.latency, latency).ok_or(NoValue::NotApplicable))
        }
        other => unreachable!("a tally does not have the metric {}", other.name()),
    }
}

/// A figure of a distribution, in seconds; `None` of an empty one.
pub(crate) fn percentile(latency: &LatencyHistogram, metric: Metric) -> Option<f64> {
    let quantile = |share| latency.quantile(share).map(Quantity::si);
    match metric {
        Metric::LatencyMean => latency.mean_s(),
        Metric::LatencyP50 => quantile(0.5),
        Metric::LatencyP90 => quantile(0.9),
        Metric::LatencyP99 => quantile(0.99),
        Metric::LatencyP999 => quantile(0.999),
        _ => latency.max().map(Quantity::si),
    }
}

/// The operations of which a percentile leaves one above it.
const fn least_count(metric: Metric) -> u64 {
    match metric {
        Metric::LatencyP90 => 10,
        Metric::LatencyP99 => 100,
        Metric::LatencyP999 => 1000,
        _ => 1,
    }
}

/// Operations of the memory by kind: of all operations, or of the slowest.
fn of_operations(tally: &OperationTally, metric: Metric) -> Vec<MetricValue> {
    let activity = match metric {
        Metric::DeviceOperations => &tally.sum,
        _ => &tally.worst,
    };
    let kinds = KINDS.iter().map(|&kind| (kind, activity.of(kind)));
    // An erase that began in a call before may go on in this one.
    let goes_on = |time: Time| metric == Metric::LatencyMaxOperationTime && time > Time::ZERO;
    let kinds = kinds.filter(|(_, sum)| sum.count > 0 || goes_on(sum.time));
    let values = kinds.map(|(kind, sum)| MetricValue {
        column: Some((Axis::DeviceOperation, kind.name())),
        value: Ok(match metric {
            Metric::LatencyMaxOperationTime => sum.time.si(),
            _ => sum.count as f64,
        }),
    });
    values.collect()
}

fn of_layer(metric: Metric, stretch: &Stretch, written_bytes: u64) -> Vec<MetricValue> {
    if metric == Metric::MappingRam {
        return one(Ok(stretch.mapping_bytes() as f64));
    }
    let Some(amplification) = stretch.write_amplification(written_bytes) else {
        return Vec::new();
    };
    if metric == Metric::WriteAmplification {
        return one(Ok(amplification));
    }
    let moved = stretch.moved().into_iter();
    moved
        .map(|(cause, pages)| of_cause(cause, pages as f64))
        .collect()
}

/// Cycles of single units. A card reports sums since it was made: what these operations took of a block is not known.
fn of_units(tally: &OperationTally, metric: Metric) -> Vec<MetricValue> {
    let Some(ended) = &tally.ended else {
        return Vec::new();
    };
    let Some(cycles) = ended.cycles else {
        let stored = tally.reports_whole() && tally.sum.stored_bytes() > 0;
        return match stored {
            true => one(Err(NoValue::NotApplicable)),
            false => Vec::new(),
        };
    };
    let most = cycles.most as f64;
    match metric {
        Metric::CyclesMax if cycles.most > 0 || !tally.reports_whole() => one(Ok(most)),
        Metric::WearSpread if cycles.most > 0 => one(Ok(most / cycles.mean)),
        _ => Vec::new(),
    }
}

/// How long the memory lasts under operations like these, and how evenly they wear it.
fn of_life(tally: &OperationTally, metric: Metric) -> Vec<MetricValue> {
    let Some((ended, wear)) = tally
        .ended
        .as_ref()
        .and_then(|ended| Some((ended, ended.wear?)))
    else {
        return Vec::new();
    };
    let unlimited = wear.endurance == Wear::UNLIMITED;
    let left = wear.left() as f64;
    match (metric, &ended.usage.layer) {
        (Metric::WearSpread, Some(layer)) => one(layer.wear_spread().ok_or(NoValue::BeyondRange)),
        (Metric::WearSpread, None) => {
            let spread = tally
                .passes
                .map(|passes| passes.wear.most as f64 / passes.wear.mean);
            one(spread.ok_or(NoValue::BeyondRange))
        }
        // A layer spreads what goes to one place.
        (Metric::LifetimeHotSpot, Some(_)) => Vec::new(),
        _ if unlimited => one(Ok(f64::INFINITY)),
        (Metric::LifetimeHotSpot, None) => {
            let seconds = tally.rewrite_s().map(|seconds| left * seconds);
            one(seconds.ok_or(NoValue::NotApplicable))
        }
        (_, Some(layer)) => {
            let cycled = layer.cycled(tally.stored_bytes());
            let seconds = cycled.map(|cycled| left / cycled * ended.usage.elapsed.si());
            one(seconds.ok_or(NoValue::BeyondRange))
        }
        (_, None) => {
            let passes = tally.passes.as_ref();
            let seconds = passes
                .map(|passes| passes.wear.left() as f64 / passes.cycles * passes.elapsed.si());
            one(seconds.ok_or(NoValue::BeyondRange))
        }
    }
}
