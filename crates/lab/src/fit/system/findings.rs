//! What a document of measurements says of a machine's memory: idle latency, the curve under load, bandwidth by mix.

use wordline_core::results::{AxisValue, ResultSet, Row};
use wordline_core::{Axis, Basis, HostMix, Metric, Mix, StoreKind};

use crate::dram::knee::Place;
use crate::error::{LabError, LogProblem};

/// What was measured of a machine.
#[derive(Debug)]
pub(super) struct MachineFindings {
    /// The target of its rows.
    pub(super) target: String,
    /// Seconds a load, without load; none where the document has no such row.
    pub(super) idle: Option<f64>,
    /// Throughput in B/s and mean latency in s of reads, least throughput first.
    pub(super) curve: Vec<Place>,
    /// B/s on the bus by mix, at most.
    pub(super) mixes: Vec<(Mix, f64)>,
    /// Cores of the machine, where the document states them.
    pub(super) cores: Option<u32>,
    /// B/s that probes ask for at the point of the greatest throughput, where the document states it.
    pub(super) probes: Option<f64>,
    /// Threads that loaded the memory for the curve, where the document states them.
    pub(super) load_threads: Option<u32>,
}

impl MachineFindings {
    /// Reads the rows of one machine.
    pub(super) fn of(file: &str, document: &ResultSet) -> Result<Self, LabError> {
        let is_of_memory = |row: &&Row| {
            row.workload == "host" && row.basis == Basis::Measured && row.part == "ram"
        };
        let rows: Vec<&Row> = document.rows.iter().filter(is_of_memory).collect();
        let Some(first) = rows.first() else {
            return Err(LogProblem::NotOfMachine.of(file));
        };
        if let Some(other) = rows.iter().find(|row| row.target != first.target) {
            return Err(LogProblem::SeveralMachines {
                one: first.target.clone(),
                other: other.target.clone(),
            }
            .of(file));
        }
        let cores = document.environment.as_ref();
        let cores = cores.and_then(|facts| facts.get("cores")?.parse().ok());
        Ok(Self {
            target: first.target.clone(),
            idle: idle(&rows),
            curve: curve(&rows),
            mixes: mixes(&rows),
            cores,
            probes: probes(&rows),
            load_threads: load_threads(&rows),
        })
    }

    /// Latency without load, or where there is none that of the least load.
    pub(super) fn idle_or_least(&self) -> Option<f64> {
        let least = self.curve.iter().map(|(_, latency)| *latency);
        self.idle.or_else(|| least.min_by(f64::total_cmp))
    }

    /// The point of the greatest throughput.
    pub(super) fn saturated(&self) -> Option<Place> {
        let curve = self.curve.iter().copied();
        curve.max_by(|one, next| one.0.total_cmp(&next.0))
    }
}

fn is_of(row: &Row, test: &str) -> bool {
    row.text(Axis::Test) == Some(test)
}

fn number(row: &Row, axis: Axis) -> Option<f64> {
    match row.axes.get(&axis)? {
        AxisValue::Count(count) => Some(*count as f64),
        AxisValue::Number(number) => Some(*number),
        AxisValue::Text(_) => None,
    }
}

/// The least median, or mean where there is none, of what is surely memory: nodes and their own memory, or loads over the
/// largest working set. Page walks make latencies longer, so that the least is nearest to the memory alone.
fn idle(rows: &[&Row]) -> Option<f64> {
    let best = |candidates: &[&Row]| {
        let of = |metric: Metric| {
            let rows = candidates.iter().filter(|row| row.metric == metric);
            rows.filter_map(|row| row.value).min_by(f64::total_cmp)
        };
        of(Metric::LatencyP50).or_else(|| of(Metric::LatencyMean))
    };
    let plain =
        |row: &&&Row| row.text(Axis::Estimate).is_none() && row.text(Axis::Statistic).is_none();
    let of_test = |test: &'static str| {
        rows.iter()
            .filter(plain)
            .filter(move |row| is_of(row, test))
    };
    let own: Vec<&Row> = of_test("matrix")
        .filter(|row| {
            let from = number(row, Axis::FromNode);
            from.is_some() && from == number(row, Axis::ToNode)
        })
        .copied()
        .collect();
    let alone: Vec<&Row> = of_test("latency")
        .filter(|row| number(row, Axis::Threads).is_none_or(|threads| threads <= 1.0))
        .copied()
        .collect();
    let size = |row: &Row| number(row, Axis::WorkingSetBytes).unwrap_or(0.0);
    let largest = alone.iter().map(|row| size(row)).fold(0.0, f64::max);
    let alone: Vec<&Row> = alone
        .into_iter()
        .filter(|row| size(row) >= largest)
        .collect();
    // Within a page lines lie in rows that are open: no idle latency of the memory.
    let at_random: Vec<&Row> = alone
        .iter()
        .copied()
        .filter(|row| row.text(Axis::Pattern) == Some("random"))
        .collect();
    let alone = if at_random.is_empty() {
        alone
    } else {
        at_random
    };
    let beside: Vec<&Row> = rows
        .iter()
        .filter(|row| is_of(row, "loaded") && row.text(Axis::Estimate) == Some("idle"))
        .copied()
        .collect();
    best(&alone)
        .or_else(|| best(&own))
        .or_else(|| best(&beside))
}

/// The curve of reads under load.
fn curve(rows: &[&Row]) -> Vec<Place> {
    let points = rows.iter().filter(|row| {
        is_of(row, "loaded")
            && row.text(Axis::Mix) == Some(HostMix::Reads.name())
            && row.text(Axis::Estimate).is_none()
    });
    let points: Vec<&&Row> = points.collect();
    let of = |metric: Metric| points.iter().filter(move |row| row.metric == metric);
    let mut curve: Vec<Place> = of(Metric::ThroughputMean)
        .filter_map(|rate| {
            let same = of(Metric::LatencyMean).find(|row| row.axes == rate.axes)?;
            Some((rate.value?, same.value?))
        })
        .collect();
    curve.sort_by(|one, next| one.0.total_cmp(&next.0));
    curve
}

fn of_curve<'a>(rows: &[&'a Row], metric: Metric) -> impl Iterator<Item = &'a Row> {
    let own = rows.iter().copied().filter(move |row| {
        is_of(row, "loaded")
            && row.metric == metric
            && row.text(Axis::Mix) == Some(HostMix::Reads.name())
            && row.text(Axis::Estimate).is_none()
    });
    own.collect::<Vec<_>>().into_iter()
}

/// What probes ask for where most is carried.
fn probes(rows: &[&Row]) -> Option<f64> {
    let most = of_curve(rows, Metric::ThroughputMean).max_by(|one, next| {
        one.value
            .unwrap_or(0.0)
            .total_cmp(&next.value.unwrap_or(0.0))
    })?;
    of_curve(rows, Metric::ThroughputProbes)
        .find(|row| row.axes == most.axes)?
        .value
}

fn load_threads(rows: &[&Row]) -> Option<u32> {
    let threads = of_curve(rows, Metric::LoadThreads).next()?.value?;
    Some(threads as u32).filter(|threads| *threads > 0)
}

/// What the bus carried at most, by mix.
fn mixes(rows: &[&Row]) -> Vec<(Mix, f64)> {
    // Plain stores of triad put a third read on the bus, which makes it another mix.
    let counts = |row: &Row, mix: HostMix| {
        let plain = row.text(Axis::Stores) == Some(StoreKind::Plain.name());
        !(plain && matches!(mix, HostMix::Triad | HostMix::Copy))
    };
    let mut found: Vec<(Mix, f64)> = Vec::new();
    for mix in HostMix::ALL {
        // Its module mix is 1:1, which has rows of its own.
        if mix == HostMix::Copy {
            continue;
        }
        let of_mix = rows.iter().filter(|row| {
            is_of(row, "bandwidth") && row.text(Axis::Mix) == Some(mix.name()) && counts(row, mix)
        });
        let of_mix: Vec<&&Row> = of_mix.collect();
        let most = |wanted: &dyn Fn(&Row) -> bool| {
            let rows = of_mix.iter().filter(|row| wanted(row));
            rows.filter_map(|row| row.value).max_by(f64::total_cmp)
        };
        let means = [Metric::ThroughputP50, Metric::ThroughputMean];
        let bus = most(&|row| {
            let of = row.text(Axis::Estimate);
            row.metric == Metric::BusThroughput && matches!(of, Some("p50" | "mean"))
        });
        let program =
            most(&|row| means.contains(&row.metric) && row.text(Axis::Estimate).is_none());
        if let Some(rate) = bus.or(program) {
            found.push((mix.module_mix(), rate));
        }
    }
    found
}
