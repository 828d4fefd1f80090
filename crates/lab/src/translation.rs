//! Devices behind a translation layer: how they are made, and what rows say of the layer.

use crate::warning::LabWarning;
use wordline_core::ResultSet;
use wordline_core::quantity::ByteCount;
use wordline_nvm::{Device, TranslationReport};

/// Bytes that a write away from the sequential order must be a multiple of: a layer takes any.
pub(crate) fn overwrite_bytes(device: &dyn Device) -> u64 {
    match device.translation() {
        Some(_) => 1,
        None => device.overwrite_bytes(),
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
