//! From what a run added up to the rows of the document.

use wordline_catalog::Target;
use wordline_core::quantity::{ByteCount, Fraction, Quantity, Time};
use wordline_core::results::{AxisValue, NoValue, Row, WarningCode};
use wordline_core::{
    Experiment, Metric, Operation, Pattern, RawWorkload, ResultSet, Timing, Workload,
};
use wordline_nvm::{Cause, Device, Wear};

use crate::during::{During, OnConflict};
use crate::subject::Subject;
use crate::tally::Tally;
use crate::translation::{self, Stretch};

/// What identifies the rows of one run.
pub(crate) struct Run<'a> {
    pub(crate) target: &'a Target<'a>,
    pub(crate) timing: Timing,
    pub(crate) operation: Operation,
    pub(crate) experiment: &'a Experiment,
    pub(crate) variant: Variant,
}

/// In what the runs of one target and operation differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Variant {
    pub(crate) pattern: Pattern,
    pub(crate) access_bytes: u64,
    pub(crate) during: Option<During>,
    /// Share of the memory that held data before, where that was asked.
    pub(crate) fill: Option<f64>,
    /// Time that the memory is left alone between two accesses, where that was asked.
    pub(crate) gap: Option<Time>,
    /// Parts of the range that accesses go to in turn, where that was asked.
    pub(crate) streams: Option<u32>,
}

/// What identifies a run is what its variant is.
impl std::ops::Deref for Run<'_> {
    type Target = Variant;
    fn deref(&self) -> &Variant {
        &self.variant
    }
}

/// Adds the rows of one run, from the device after it.
pub(crate) fn rows(run: &Run<'_>, after: &dyn Device, tally: &Tally, document: &mut ResultSet) {
    if run.during.is_some() {
        // The pauses between reads are ours: rates and shares of the time would be about them.
        run.subject()
            .latencies(tally.latency(), run.name(), document);
        run.worst_parts(after, tally, document);
        run.background(tally, document);
        return;
    }
    let elapsed = tally.elapsed();
    let gaps = run.gap.is_some_and(|gap| gap > Time::ZERO);
    // The pauses are the host's own: rates would be about them.
    if !gaps {
        run.rates(tally, elapsed, document);
    }
    run.subject()
        .latencies(tally.latency(), run.name(), document);
    run.energies(after, tally, elapsed, document);
    run.host_energy(after, tally, document);
    if gaps {
        run.mean_parts(after, tally, document);
    } else {
        run.causes(after, tally, elapsed, document);
    }
    run.worst_parts(after, tally, document);
    // Reads wear memories that write back what a read destroyed.
    if run.operation == Operation::Write || after.wear().units > 0 {
        run.wear(after, tally, document);
    }
    if let Some(stretch) = run.stretch(after, tally) {
        let written = run.written_bytes(tally);
        stretch.rows(&run.subject(), written, document);
        stretch.warn_if_fresh(&run.target.name, written, document);
    }
}

impl Run<'_> {
    /// The run in words.
    pub(crate) fn name(&self) -> String {
        let size = ByteCount::from_bytes(self.access_bytes);
        let (operation, pattern) = (self.operation.name(), self.pattern.name());
        let several = self.experiment.timings.len() > 1;
        let timing = several.then(|| format!(", {} timing", self.timing));
        let during = match self.during {
            None => String::new(),
            Some(During { work, on_conflict }) => {
                let handling = match on_conflict {
                    OnConflict::Wait => "waiting for it",
                    OnConflict::Suspend => "suspending it",
                };
                format!(" during {}, {handling}", work.name())
            }
        };
        let mut name = format!(
            "{}, {pattern} {operation} of {size}{during}",
            self.target.name
        );
        if let Some(fill) = self.fill {
            name += &format!(", {} full", Fraction::from_si(fill));
        }
        if let Some(gap) = self.gap {
            name += &format!(", gaps of {gap}");
        }
        if let Some(streams) = self.streams {
            name += &format!(", {streams} streams");
        }
        name + &timing.unwrap_or_default()
    }

    /// What the translation layer did while the run counted; `None` where there is none.
    fn stretch(&self, after: &dyn Device, tally: &Tally) -> Option<Stretch> {
        Stretch::between(tally.at_begin().translation, after.translation())
    }

    fn written_bytes(&self, tally: &Tally) -> u64 {
        match self.operation {
            Operation::Write => tally.bytes(),
            Operation::Read => 0,
        }
    }

    fn wrap_bytes(&self) -> u64 {
        match &self.experiment.workload {
            Workload::Raw(workload) => workload.wrap_bytes,
            other => unreachable!("rows of the raw workload, not of {}", other.name()),
        }
    }

    /// The unit in bytes that a random write of this memory must consist of, where this run's writes
    /// do not.
    pub(crate) fn needs_translation(&self, device: &dyn Device) -> Option<u64> {
        let unit = translation::overwrite_bytes(device);
        let random = self.operation == Operation::Write && self.pattern == Pattern::Random;
        (random && !self.access_bytes.is_multiple_of(unit)).then_some(unit)
    }

    /// The rows of a run that was not or could not be made: its headline metrics.
    pub(crate) fn without_value(&self, reason: NoValue, document: &mut ResultSet) {
        let headlines = match self.during {
            None => [Metric::ThroughputMean, Metric::LatencyMax],
            Some(_) => [Metric::LatencyMax, Metric::BackgroundDurationMean],
        };
        for metric in headlines {
            document.rows.push(self.row(metric, Err(reason)));
        }
    }

    fn rates(&self, tally: &Tally, elapsed: Time, document: &mut ResultSet) {
        let throughput = tally.bytes() as f64 / elapsed.si();
        let ops = tally.accesses() as f64 / elapsed.si();
        document
            .rows
            .push(self.row(Metric::ThroughputMean, Ok(throughput)));
        document.rows.push(self.row(Metric::OpsRate, Ok(ops)));
    }

    fn energies(&self, after: &dyn Device, tally: &Tally, elapsed: Time, document: &mut ResultSet) {
        let spent = after.residence().since(&tally.at_begin().residence);
        let total = spent.energy_j(after.power_draw());
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

    /// What the host used beside the memory, where the board says what it draws.
    fn host_energy(&self, after: &dyn Device, tally: &Tally, document: &mut ResultSet) {
        if let Some(host) = after.notes().host {
            let energy = host.energy_j(tally.sum()) / tally.bytes() as f64;
            document
                .rows
                .push(self.row(Metric::HostEnergyPerByte, Ok(energy)));
        }
    }

    fn causes(&self, after: &dyn Device, tally: &Tally, elapsed: Time, document: &mut ResultSet) {
        let share = |cause| tally.sum().of(cause).si() / elapsed.si();
        let bus = share(Cause::BusCommand) + share(Cause::BusData);
        document
            .rows
            .push(self.row(Metric::BusUtilization, Ok(bus)));
        for &cause in after.causes() {
            document
                .rows
                .push(self.row_for(cause, Metric::TimeShare, share(cause)));
        }
    }

    /// What each cause contributes to the mean access, of a run whose pauses would be most of its time.
    fn mean_parts(&self, after: &dyn Device, tally: &Tally, document: &mut ResultSet) {
        for &cause in after.causes() {
            let part = tally.sum().of(cause).si() / tally.accesses() as f64;
            document
                .rows
                .push(self.row_for(cause, Metric::LatencyMeanPart, part));
        }
    }

    fn worst_parts(&self, after: &dyn Device, tally: &Tally, document: &mut ResultSet) {
        for &cause in after.causes() {
            let part = tally.worst().of(cause).si();
            document
                .rows
                .push(self.row_for(cause, Metric::LatencyMaxPart, part));
        }
    }

    fn background(&self, tally: &Tally, document: &mut ResultSet) {
        let pieces = tally.background();
        for (metric, value) in [
            (Metric::BackgroundDurationMean, pieces.duration_mean_s()),
            (Metric::BackgroundDelayMean, pieces.delay_mean_s()),
        ] {
            let row = self.row(metric, value.ok_or(NoValue::BeyondRange));
            document.rows.push(row);
        }
    }

    fn wear(&self, after: &dyn Device, tally: &Tally, document: &mut ResultSet) {
        let begun = &tally.at_begin().wear;
        let stretch = self.stretch(after, tally);
        let levelled = stretch.as_ref().map(|stretch| {
            let cycled = stretch.cycled(self.written_bytes(tally))?;
            Some(after.wear().left() as f64 / cycled * tally.elapsed().si())
        });
        let in_place = tally.steady().map(|steady| {
            // Random writes wear evenly in the long run, however uneven a short one looks.
            let cycles = match self.pattern {
                Pattern::Sequential => (steady.wear.most - begun.most) as f64,
                Pattern::Random => {
                    let wear = &steady.wear;
                    let units = self.wrap_bytes().div_ceil(wear.unit_bytes);
                    (wear.mean * wear.units as f64 - begun.mean * begun.units as f64) / units as f64
                }
            };
            steady.wear.left() as f64 / cycles * steady.elapsed.si()
        });
        let lifetime = levelled.unwrap_or(in_place);
        let spread = match &stretch {
            Some(stretch) => stretch.wear_spread(),
            None => tally
                .steady()
                .map(|steady| steady.wear.most as f64 / steady.wear.mean),
        };
        let an_access = tally.rewrite_s();
        let one_place = an_access.map(|seconds| after.wear().left() as f64 * seconds);
        let wear = after.wear();
        if wear.most > wear.left() && wear.left() > 0 {
            let advice = format!(
                "{}: this run alone took a unit beyond its {} rated cycles",
                self.name(),
                wear.endurance
            );
            document.warn(WarningCode::LifeUsedUp, advice);
        }
        let unlimited = wear.endurance == Wear::UNLIMITED;
        let lifetime = if unlimited {
            Some(f64::INFINITY)
        } else {
            lifetime
        };
        let one_place = if unlimited {
            Some(f64::INFINITY)
        } else {
            one_place
        };
        for (metric, value, reason) in [
            (Metric::Lifetime, lifetime, NoValue::BeyondRange),
            (Metric::LifetimeOnePlace, one_place, NoValue::NotApplicable),
            (Metric::WearSpread, spread, NoValue::BeyondRange),
        ] {
            // A layer spreads what goes to one place.
            if metric != Metric::LifetimeOnePlace || stretch.is_none() {
                document.rows.push(self.row(metric, value.ok_or(reason)));
            }
        }
    }

    fn row_for(&self, cause: Cause, metric: Metric, value: f64) -> Row {
        let mut row = self.row(metric, Ok(value));
        let cause = AxisValue::Text(cause.name().to_owned());
        row.axes.insert("cause".to_owned(), cause);
        row
    }

    fn row(&self, metric: Metric, value: Result<f64, NoValue>) -> Row {
        self.subject().row(metric, value)
    }

    fn subject(&self) -> Subject {
        let Self {
            target,
            operation,
            timing,
            ..
        } = *self;
        let workload = self.experiment.workload.name();
        let subject = Subject::simulated(target, workload, operation, timing, self.experiment.age)
            .at("access_bytes", self.access_bytes)
            .at("pattern", self.pattern.name());
        let mut subject = match self.during {
            None => subject,
            Some(During { work, on_conflict }) => subject
                .at("during", work.name())
                .at("on_conflict", on_conflict.name()),
        };
        if let Some(fill) = self.fill {
            subject = subject.at("fill", fill);
        }
        if let Some(gap) = self.gap {
            subject = subject.at("gap_s", gap.si());
        }
        if let Some(streams) = self.streams {
            subject = subject.at("streams", u64::from(streams));
        }
        if let Workload::Raw(RawWorkload {
            sync: Some(how), ..
        }) = &self.experiment.workload
        {
            subject = subject.at("sync", how.name());
        }
        subject.behind(self.experiment.ftl.as_ref())
    }
}
