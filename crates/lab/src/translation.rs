//! Devices behind a translation layer: how they are made, and what rows say of the layer.

use crate::subject::Subject;
use crate::warning::LabWarning;
use wordline_core::quantity::ByteCount;
use wordline_core::{Axis, Metric, ResultSet};
use wordline_nvm::{Device, TranslationReport};

/// Bytes that a write away from the sequential order must be a multiple of: a layer takes any.
pub(crate) fn overwrite_bytes(device: &dyn Device) -> u64 {
    match device.translation() {
        Some(_) => 1,
        None => device.overwrite_bytes(),
    }
}

/// Adds the health of a device's layer where it refuses writes: what a reader wants to know of a run that failed.
pub(crate) fn read_only_rows(
    subject: &Subject,
    report: Option<TranslationReport>,
    document: &mut ResultSet,
) {
    let Some(health) = report.and_then(|report| report.health) else {
        return;
    };
    let Some(reason) = health.read_only else {
        return;
    };
    let because = subject.at(Axis::Cause, reason.name());
    because.add(Metric::LayerReadOnly, Ok(1.0), document);
    for (metric, value) in [
        (Metric::LayerSpareBlocks, health.spare_blocks),
        (Metric::LayerBadBlocks, health.bad_blocks),
        (Metric::LayerGrownBad, health.grown_bad),
        (Metric::LayerErasesMax, health.erases_most),
        (Metric::LayerLostPages, health.lost_pages),
    ] {
        subject.add(metric, Ok(f64::from(value)), document);
    }
}

/// What a layer did in a stretch of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    before: TranslationReport,
    after: TranslationReport,
}

impl Stretch {
    /// Between two readings of the same device; `None` where it has no layer.
    pub(crate) fn between(
        before: Option<TranslationReport>,
        after: Option<TranslationReport>,
    ) -> Option<Self> {
        let (before, after) = before.zip(after)?;
        Some(Self { before, after })
    }

    /// Pages that it moved or wrote of its own, by cause.
    pub(crate) fn moved(&self) -> [(&'static str, u64); 5] {
        let (before, after) = (&self.before.work, &self.after.work);
        [
            ("cleaning", after.cleaned - before.cleaned),
            ("merging", after.merged - before.merged),
            ("folding", after.folded - before.folded),
            ("leveling", after.leveled - before.leveled),
            ("overhead", after.overhead - before.overhead),
        ]
    }

    /// Bytes programmed for each byte that the user wrote; `None` where nothing was written.
    pub(crate) fn write_amplification(&self, written_bytes: u64) -> Option<f64> {
        let moved: u64 = self.moved().iter().map(|(_, pages)| pages).sum();
        let pages = self.after.work.written - self.before.work.written + moved;
        (written_bytes > 0)
            .then(|| pages as f64 * self.after.page_bytes as f64 / written_bytes as f64)
    }

    /// Erases of the most worn block, divided by the mean; `None` before any.
    pub(crate) fn wear_spread(&self) -> Option<f64> {
        let mean = self.after.erases_mean;
        (mean > 0.0).then(|| f64::from(self.after.erases_most) / mean)
    }

    /// Cycles of each block in the long run, where the layer spreads them over all blocks, from so many bytes
    /// written: every page that is programmed is erased once. `None` where nothing was written.
    pub(crate) fn cycled(&self, written_bytes: u64) -> Option<f64> {
        let programmed = self.write_amplification(written_bytes)? * written_bytes as f64;
        Some(programmed / self.after.physical_bytes as f64)
    }

    /// Bad blocks that the layer works with, those from the factory included.
    pub(crate) fn bad_blocks_max(&self) -> u32 {
        self.after.bad_blocks_max
    }

    /// Bytes of the layer's table of pages.
    pub(crate) const fn mapping_bytes(&self) -> u64 {
        self.after.mapping_bytes
    }

    /// Warns of writes that met a memory which had nothing to clean up yet.
    pub(crate) fn warn_if_fresh(&self, name: &str, written_bytes: u64, document: &mut ResultSet) {
        let moved = self.moved();
        // What is written of its own comes from the first page on.
        let tidied = moved
            .iter()
            .any(|(cause, pages)| *cause != "overhead" && *pages > 0);
        if written_bytes == 0 || tidied || written_bytes >= self.after.physical_bytes {
            return;
        }
        document.warn(LabWarning::FreshMemory {
            name: &name,
            written: &ByteCount::from_bytes(written_bytes),
            memory: &ByteCount::from_bytes(self.after.physical_bytes),
        });
    }
}

#[cfg(test)]
mod tests {
    use wordline_catalog::Catalog;
    use wordline_core::{Basis, Experiment, RowOperation, Timing, Workload};
    use wordline_nvm::ftl::{LayerHealth, LayerWork, ReadOnlyReason};

    use super::*;
    use crate::subject::Axes;

    fn rows_of(read_only: Option<ReadOnlyReason>) -> Vec<(String, Option<f64>, Option<String>)> {
        let catalog = Catalog::load(&[]).expect("sound");
        let target = catalog.part_on_board("w25n01gv").expect("a part");
        let experiment = Experiment {
            targets: vec![target.name.clone()],
            workload: Workload::Raw(crate::raw::default_workload(&[target], None, None)),
            timings: vec![Timing::Typ],
            age: 0.0,
            seed: 0,
            ftl: None,
        };
        let subject = Subject {
            target: experiment.targets[0].clone(),
            part: "w25n01gv".to_owned(),
            board: String::new(),
            workload: "raw",
            operation: RowOperation::Write,
            axes: Axes::new(),
            timing: Timing::Typ,
            age: 0.0,
            basis: Basis::Simulated,
        };
        let report = TranslationReport {
            work: LayerWork::default(),
            page_bytes: 2048,
            physical_bytes: 1 << 27,
            mapping_bytes: 0,
            bad_blocks_max: 20,
            erases_least: 0,
            erases_mean: 1.0,
            erases_most: 9,
            health: Some(LayerHealth {
                spare_blocks: 0,
                bad_blocks: 21,
                grown_bad: 13,
                free_blocks: 1,
                erases_most: 9,
                lost_pages: 2,
                read_only,
            }),
        };
        let mut document = ResultSet::new(experiment);
        read_only_rows(&subject, Some(report), &mut document);
        assert_eq!(document.check(), Ok(()));
        let rows = document.rows.iter().map(|row| {
            let cause = row.text(Axis::Cause).map(str::to_owned);
            (row.metric.name().to_owned(), row.value, cause)
        });
        rows.collect()
    }

    #[test]
    fn a_layer_that_refuses_writes_states_its_health_in_rows() {
        let rows = rows_of(Some(ReadOnlyReason::SpareUsedUp));
        let found: Vec<_> = rows
            .iter()
            .map(|(name, value, cause)| (name.as_str(), value.unwrap_or(-1.0), cause.as_deref()))
            .collect();
        let expected = [
            ("layer_read_only", 1.0, Some("spare-used-up")),
            ("layer_spare_blocks", 0.0, None),
            ("layer_bad_blocks", 21.0, None),
            ("layer_grown_bad", 13.0, None),
            ("layer_erases_max", 9.0, None),
            ("layer_lost_pages", 2.0, None),
        ];
        assert_eq!(found, expected);
        assert!(rows_of(None).is_empty(), "it takes writes");
    }
}
