//! From what a run added up to the rows of the document.

use std::collections::BTreeMap;

use wordline_catalog::Target;
use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::results::{AxisValue, HistogramBucket, NoValue, Row};
use wordline_core::{Basis, Experiment, Metric, Operation, ResultSet};
use wordline_nvm::{Cause, Mram, Wired};

use crate::tally::Tally;

/// What identifies the rows of one run.
pub(crate) struct Run<'a> {
    pub(crate) target: &'a Target<'a>,
    pub(crate) operation: Operation,
    pub(crate) access_bytes: u64,
    pub(crate) experiment: &'a Experiment,
}

/// Adds the rows of one run, from the device before it and after it. A run that failed has no
/// tally; its headline rows say so.
pub(crate) fn rows(
    run: &Run<'_>,
    before: &Wired<Mram>,
    after: &Wired<Mram>,
    tally: Option<&Tally>,
    document: &mut ResultSet,
) {
    let Some(tally) = tally else {
        for metric in [Metric::ThroughputMean, Metric::LatencyMax] {
            document.rows.push(run.row(metric, Err(NoValue::Failed)));
        }
        return;
    };
    let elapsed = tally.elapsed();
    run.rates(tally, elapsed, document);
    run.latencies(tally, document);
    run.energies(before, after, tally, elapsed, document);
    run.causes(tally, elapsed, document);
    if run.operation == Operation::Write {
        run.wear(after, elapsed, document);
    }
}

impl Run<'_> {
    fn rates(&self, tally: &Tally, elapsed: Time, document: &mut ResultSet) {
        let throughput = tally.bytes() as f64 / elapsed.si();
        let ops = tally.accesses() as f64 / elapsed.si();
        document
            .rows
            .push(self.row(Metric::ThroughputMean, Ok(throughput)));
        document.rows.push(self.row(Metric::OpsRate, Ok(ops)));
    }

    fn latencies(&self, tally: &Tally, document: &mut ResultSet) {
        let latency = tally.latency();
        let quantile = |quantile| latency.quantile(quantile).map(Quantity::si);
        let values = [
            (Metric::LatencyMean, latency.mean_s()),
            (Metric::LatencyP50, quantile(0.5)),
            (Metric::LatencyP90, quantile(0.9)),
            (Metric::LatencyP99, quantile(0.99)),
            (Metric::LatencyP999, quantile(0.999)),
            (Metric::LatencyMax, latency.max().map(Quantity::si)),
        ];
        let size = ByteCount::from_bytes(self.access_bytes).bytes();
        let name = format!("{} {} {size} B", self.target.name, self.operation.name());
        for (metric, value) in values {
            let mut row = self.row(metric, value.ok_or(NoValue::NotApplicable));
            row.distribution = Some(name.clone());
            document.rows.push(row);
        }
        document
            .histograms
            .insert(name, HistogramBucket::all_of(latency));
    }

    fn energies(
        &self,
        before: &Wired<Mram>,
        after: &Wired<Mram>,
        tally: &Tally,
        elapsed: Time,
        document: &mut ResultSet,
    ) {
        let start = before.chip().residence(before.clock().now());
        let spent = after.chip().residence(after.clock().now()).since(&start);
        let total = after.chip().power_draw().map(|draw| spent.energy_j(draw));
        for (metric, divisor) in [
            (Metric::EnergyPerByte, tally.bytes() as f64),
            (Metric::EnergyPerOp, tally.accesses() as f64),
            (Metric::EnergyTotal, 1.0),
            (Metric::PowerMean, elapsed.si()),
        ] {
            let value = total.map(|total| total / divisor);
            document
                .rows
                .push(self.row(metric, value.ok_or(NoValue::NotApplicable)));
        }
    }

    fn causes(&self, tally: &Tally, elapsed: Time, document: &mut ResultSet) {
        let share = |cause| tally.sum().of(cause).si() / elapsed.si();
        let bus = share(Cause::BusCommand) + share(Cause::BusData);
        document
            .rows
            .push(self.row(Metric::BusUtilization, Ok(bus)));
        for cause in Cause::ALL {
            document
                .rows
                .push(self.row_for(cause, Metric::TimeShare, share(cause)));
        }
        for cause in Cause::ALL {
            let part = tally.worst().of(cause).si();
            document
                .rows
                .push(self.row_for(cause, Metric::LatencyMaxPart, part));
        }
    }

    fn wear(&self, after: &Wired<Mram>, elapsed: Time, document: &mut ResultSet) {
        let wear = after.chip().wear();
        let left = wear.endurance.saturating_sub(wear.before) as f64;
        let lifetime = left / wear.most as f64 * elapsed.si();
        document.rows.push(self.row(Metric::Lifetime, Ok(lifetime)));
        document
            .rows
            .push(self.row(Metric::WearSpread, Ok(wear.most as f64 / wear.mean)));
    }

    fn row_for(&self, cause: Cause, metric: Metric, value: f64) -> Row {
        let mut row = self.row(metric, Ok(value));
        let cause = AxisValue::Text(cause.name().to_owned());
        row.axes.insert("cause".to_owned(), cause);
        row
    }

    fn row(&self, metric: Metric, value: Result<f64, NoValue>) -> Row {
        let access = AxisValue::Count(self.access_bytes);
        Row {
            target: self.target.name.clone(),
            part: self.target.part.header.id.clone(),
            board: self.target.board.header.id.clone(),
            workload: self.experiment.workload.name().to_owned(),
            operation: self.operation.name().to_owned(),
            axes: BTreeMap::from([("access_bytes".to_owned(), access)]),
            timing: self.experiment.timing,
            age: self.experiment.age,
            metric,
            value: value.ok(),
            no_value: value.err(),
            unit: metric.unit().to_owned(),
            basis: Basis::Simulated,
            distribution: None,
        }
    }
}
