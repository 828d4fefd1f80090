//! The fitted system beside what was measured: which points were fitted, and how far off the others are.
//!
//! Pauses of other tools are no cycles of ours, so that points under load are compared at their throughput: the simulated
//! latency lies on straight lines between the points of a sweep.

use wordline_catalog::Catalog;
use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, Metric, Mix, ResultSet, RowOperation, Timing};

use super::{SystemFigures, SystemTask, bandwidth_test, idle_of, idle_test, loaded_test};
use crate::dram::knee::{self, Place};
use crate::error::LabError;
use crate::subject::{Axes, Subject};
use crate::warning::LabWarning;

/// How far a simulated figure may lie from what was measured before a warning says so.
const OFF: f64 = 0.10;

/// Adds the rows of both. Whether all simulations ended.
pub(super) fn add(
    task: &SystemTask<'_>,
    catalog: &Catalog,
    name: &str,
    figures: &SystemFigures,
    document: &mut ResultSet,
) -> Result<bool, LabError> {
    let idle = task.simulate(catalog, name, idle_test())?;
    let Some(idle) = idle_of(&idle) else {
        return Ok(false);
    };
    let beside = ResidualRows { task, name };
    if let Some(measured) = task.findings.idle_or_least() {
        let axes = Axes::from([(Axis::Test, "idle".into())]);
        let operation = RowOperation::Read;
        beside.pair(
            &axes,
            operation,
            Metric::LatencyMean,
            measured,
            Some(idle),
            true,
            document,
        );
    }
    if !task.findings.curve.is_empty() && task.cores > 1 {
        let simulated = task.simulate(catalog, name, loaded_test(task.cores))?;
        if !simulated.complete {
            return Ok(false);
        }
        beside.loaded(&places(&simulated), figures.misses.is_some(), document);
    }
    let mixes: Vec<Mix> = task.findings.mixes.iter().map(|(mix, _)| *mix).collect();
    if !mixes.is_empty() {
        let simulated = task.simulate(catalog, name, bandwidth_test(mixes))?;
        if !simulated.complete {
            return Ok(false);
        }
        beside.mixes(&simulated, figures.loss.is_some(), document);
    }
    Ok(true)
}

/// Throughput and mean latency of a sweep's points, least load first.
fn places(document: &ResultSet) -> Vec<Place> {
    let plain = |metric: Metric| {
        let rows = document.of(metric);
        rows.filter(|row| {
            row.text(Axis::Estimate).is_none() && row.axes.contains_key(&Axis::DelayCycles)
        })
    };
    let rates = plain(Metric::ThroughputMean);
    let mut places: Vec<Place> = rates
        .filter_map(|rate| {
            let latency = plain(Metric::LatencyMean).find(|row| row.axes == rate.axes)?;
            Some((rate.value?, latency.value?))
        })
        .collect();
    places.sort_by(|one, next| one.0.total_cmp(&next.0));
    places
}

/// What makes the rows.
struct ResidualRows<'a> {
    task: &'a SystemTask<'a>,
    /// The fitted target.
    name: &'a str,
}

impl ResidualRows<'_> {
    fn subject(&self, axes: &Axes, operation: RowOperation, basis: Basis) -> Subject {
        let (target, part, board) = match basis {
            Basis::Measured => {
                let target = self.task.findings.target.clone();
                let board = target.split_once('@').map_or("", |(_, board)| board);
                let board = board.to_owned();
                (target, "ram".to_owned(), board)
            }
            _ => (
                self.name.to_owned(),
                self.task.target.module.header.id.clone(),
                self.task.workload.id.clone(),
            ),
        };
        Subject {
            target,
            part,
            board,
            workload: self.task.experiment.workload.name(),
            operation,
            axes: axes.clone(),
            timing: Timing::Typ,
            age: self.task.experiment.age,
            basis,
        }
    }

    /// A measured value, the simulated one, and their ratio.
    #[allow(clippy::too_many_arguments, reason = "each is a column of the rows")]
    fn pair(
        &self,
        axes: &Axes,
        operation: RowOperation,
        metric: Metric,
        measured: f64,
        simulated: Option<f64>,
        is_fitted: bool,
        document: &mut ResultSet,
    ) {
        let of_machine = self.subject(axes, operation, Basis::Measured);
        of_machine.add(metric, Ok(measured), document);
        let basis = match is_fitted {
            true => Basis::Calibrated,
            false => Basis::Simulated,
        };
        let of_fit = self.subject(axes, operation, basis);
        of_fit.add(metric, simulated.ok_or(NoValue::BeyondRange), document);
        let Some(ratio) = simulated.map(|simulated| simulated / measured) else {
            return;
        };
        let over = of_fit.at(Axis::Over, self.task.findings.target.as_str());
        let ratio_metric = match metric {
            Metric::LatencyMean => Metric::LatencyRatio,
            _ => Metric::ThroughputRatio,
        };
        over.add(ratio_metric, Ok(ratio), document);
    }

    fn warn(&self, what: &str, ratio: f64, document: &mut ResultSet) {
        if (ratio - 1.0).abs() > OFF {
            document.warn(LabWarning::SystemMisfit {
                id: &self.task.workload.id,
                name: &what,
                ratio: &format!("{ratio:.2}"),
            });
        }
    }

    /// Latency at each measured throughput, and the most that is carried.
    fn loaded(&self, simulated: &[Place], has_misses: bool, document: &mut ResultSet) {
        let axes = Axes::from([
            (Axis::Test, "loaded".into()),
            (Axis::Mix, Mix::Reads.name().into()),
        ]);
        let curve = &self.task.findings.curve;
        let saturated = self.task.findings.saturated();
        for (index, &(rate, latency)) in curve.iter().enumerate() {
            let mut axes = axes.clone();
            axes.insert(Axis::Point, (index as u64 + 1).into());
            let is_fitted = has_misses && saturated == Some((rate, latency));
            let found = match is_fitted {
                // The fitted point is that of the greatest load, whatever each carries there.
                true => simulated.last().map(|(_, latency)| *latency),
                false => knee::latency_at(simulated, rate),
            };
            let read = RowOperation::Read;
            self.pair(
                &axes,
                read,
                Metric::LatencyMean,
                latency,
                found,
                is_fitted,
                document,
            );
            let of_machine = self.subject(&axes, read, Basis::Measured);
            of_machine.add(Metric::ThroughputMean, Ok(rate), document);
            if is_fitted && let Some(found) = found {
                self.warn("the latency at saturation", found / latency, document);
            }
        }
        let most = simulated
            .iter()
            .map(|(rate, _)| *rate)
            .max_by(f64::total_cmp);
        if let (Some((rate, _)), Some(most)) = (saturated, most) {
            let read = RowOperation::Read;
            self.pair(
                &axes,
                read,
                Metric::ThroughputMean,
                rate,
                Some(most),
                false,
                document,
            );
            self.warn("the greatest throughput under load", most / rate, document);
        }
    }

    /// Throughput by mix.
    fn mixes(&self, simulated: &ResultSet, has_loss: bool, document: &mut ResultSet) {
        for &(mix, measured) in &self.task.findings.mixes {
            let axes = Axes::from([
                (Axis::Test, "bandwidth".into()),
                (Axis::Mix, mix.name().into()),
            ]);
            let mut rows = simulated.of(Metric::ThroughputMean);
            let row = rows.find(|row| {
                row.text(Axis::Mix) == Some(mix.name()) && row.text(Axis::Estimate).is_none()
            });
            let found = row.and_then(|row| row.value);
            let operation = mix.operation();
            let metric = Metric::ThroughputMean;
            let is_fitted = has_loss && mix == Mix::Reads;
            self.pair(
                &axes, operation, metric, measured, found, is_fitted, document,
            );
            if let Some(found) = found {
                let what = format!("the bandwidth of {mix}");
                self.warn(&what, found / measured, document);
            }
        }
    }
}
