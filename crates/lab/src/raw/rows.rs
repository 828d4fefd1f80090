//! One run of the raw workload: what identifies it, its name in words, and the metrics that it reports.

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{ByteCount, Fraction, Quantity, Time};
use wordline_core::results::NoValue;
use wordline_core::{Axis, Experiment, Metric, Operation, Pattern, RawWorkload, ResultSet, Timing};
use wordline_nvm::{Device, TranslationReport};

use crate::during::{During, OnConflict};
use crate::instrument::OperationTally;
use crate::instrument::rows::{self, RowDetail};
use crate::subject::Subject;
use crate::translation;
use crate::warning::LabWarning;

/// What identifies the rows of one run.
pub(super) struct RawRun<'a> {
    pub(super) target: &'a PartOnBoard<'a>,
    pub(super) timing: Timing,
    pub(super) operation: Operation,
    pub(super) experiment: &'a Experiment,
    pub(super) workload: &'a RawWorkload,
    /// Whether the reads go through the address space.
    pub(super) mapped: bool,
    pub(super) variant: RawVariant,
}

/// In what the runs of one target and operation differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RawVariant {
    pub(super) pattern: Pattern,
    pub(super) access_bytes: u64,
    pub(super) during: Option<During>,
    /// Share of the memory that held data before, where that was asked.
    pub(super) fill: Option<f64>,
    /// Time that the memory is left alone between two accesses, where that was asked.
    pub(super) gap: Option<Time>,
    /// Parts of the range that accesses go to in turn, where that was asked.
    pub(super) streams: Option<u32>,
}

/// What identifies a run is what its variant is.
impl std::ops::Deref for RawRun<'_> {
    type Target = RawVariant;
    fn deref(&self) -> &RawVariant {
        &self.variant
    }
}

impl RawRun<'_> {
    /// Adds the rows of the run.
    pub(super) fn rows(&self, tally: &OperationTally, document: &mut ResultSet) {
        let (subject, name) = (self.subject(), self.name());
        let metrics = self.metrics(tally);
        rows::add(&subject, &name, tally, &metrics, RowDetail::Full, document);
        let Some(ended) = tally.ended.as_ref().filter(|_| self.during.is_none()) else {
            return;
        };
        if let Some(wear) = ended.wear
            && wear.most > wear.left()
            && wear.left() > 0
        {
            document.warn(LabWarning::LifeUsedUpByRun {
                name: &name,
                endurance: &wear.endurance,
            });
        }
        if let Some(layer) = &ended.usage.layer {
            layer.warn_if_fresh(&self.target.name, tally.stored_bytes(), document);
        }
    }

    /// The metrics of the run, in the order of rows.
    fn metrics(&self, tally: &OperationTally) -> Vec<&'static [Metric]> {
        const WORST: &[Metric] = &[Metric::LatencyMaxPart];
        if self.during.is_some() {
            // The pauses between reads are ours: rates and shares of the time would be about them.
            return vec![
                &rows::LATENCIES,
                WORST,
                &[Metric::BackgroundDurationMean, Metric::BackgroundDelayMean],
            ];
        }
        let gaps = self.gap.is_some_and(|gap| gap > Time::ZERO);
        let ended = tally.ended.as_ref();
        let mut metrics: Vec<&[Metric]> = Vec::new();
        // The pauses are the host's own: rates would be about them.
        if !gaps {
            metrics.push(&[Metric::ThroughputMean, Metric::OpsRate]);
        }
        metrics.push(&rows::LATENCIES);
        metrics.push(&[
            Metric::EnergyPerByte,
            Metric::EnergyPerOp,
            Metric::EnergyTotal,
            Metric::PowerMean,
            Metric::HostEnergyPerByte,
        ]);
        if gaps {
            metrics.push(&[Metric::LatencyMeanPart]);
        } else {
            metrics.push(&[Metric::BusUtilization]);
            metrics.push(&[Metric::TimeShare]);
        }
        metrics.push(WORST);
        // Reads wear memories that write back what a read destroyed.
        let wears = ended.is_some_and(|ended| ended.wear.is_some_and(|wear| wear.units > 0));
        if tally.stores || wears {
            metrics.push(&[
                Metric::Lifetime,
                Metric::LifetimeHotSpot,
                Metric::WearSpread,
            ]);
        }
        if ended.is_some_and(|ended| ended.usage.layer.is_some()) {
            metrics.push(&[Metric::WriteAmplification]);
            metrics.push(&[Metric::PagesMoved]);
            metrics.push(&[Metric::MappingRam]);
        }
        metrics
    }

    /// The run in words.
    pub(super) fn name(&self) -> String {
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
        let path = if self.mapped { "mapped " } else { "" };
        let mut name = format!(
            "{}, {pattern} {path}{operation} of {size}{during}",
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

    /// The unit in bytes that a random write of this memory must consist of, where this run's writes
    /// do not.
    pub(super) fn needs_translation(&self, device: &dyn Device) -> Option<u64> {
        let unit = translation::overwrite_bytes(device);
        let random = self.operation == Operation::Write && self.pattern == Pattern::Random;
        (random && !self.access_bytes.is_multiple_of(unit)).then_some(unit)
    }

    /// The rows of a run that was not or could not be made: its headline metrics.
    pub(super) fn without_value(&self, reason: NoValue, document: &mut ResultSet) {
        let headlines = match self.during {
            None => [Metric::ThroughputMean, Metric::LatencyMax],
            Some(_) => [Metric::LatencyMax, Metric::BackgroundDurationMean],
        };
        rows::without_value(&self.subject(), &headlines, reason, document);
    }

    /// The health of a layer that ended the run because it takes no more writes.
    pub(super) fn read_only(&self, report: Option<TranslationReport>, document: &mut ResultSet) {
        translation::read_only_rows(&self.subject(), report, document);
    }

    fn subject(&self) -> Subject {
        let Self {
            target,
            operation,
            timing,
            ..
        } = *self;
        let subject = Subject::simulated(target, "raw", operation, timing, self.experiment.age)
            .at(Axis::AccessBytes, self.access_bytes)
            .at(Axis::Pattern, self.pattern.name());
        let mut subject = match self.during {
            None => subject,
            Some(During { work, on_conflict }) => subject
                .at(Axis::During, work.name())
                .at(Axis::OnConflict, on_conflict.name()),
        };
        if let Some(fill) = self.fill {
            subject = subject.at(Axis::Fill, fill);
        }
        if let Some(gap) = self.gap {
            subject = subject.at(Axis::GapS, gap.si());
        }
        if let Some(streams) = self.streams {
            subject = subject.at(Axis::Streams, u64::from(streams));
        }
        if self.workload.mapped && operation == Operation::Read {
            let path = if self.mapped { "mapped" } else { "driver" };
            subject = subject.at(Axis::Path, path);
        }
        if let Some(how) = self.workload.sync {
            subject = subject.at(Axis::Sync, how.name());
        }
        subject.behind(self.experiment.ftl.as_ref())
    }
}
