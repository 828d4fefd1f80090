//! What the layer did.

use super::media::LayerPurpose;

/// Counts of operations since the layer was made or mounted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerWork {
    /// Logical pages that the host wrote.
    pub written: u64,
    /// Logical pages that the host read.
    pub read: u64,
    /// Pages that were moved while blocks were cleaned, because their block went bad, or because the ECC advised it.
    pub cleaned: u64,
    /// Pages that were moved to keep wear even.
    pub leveled: u64,
    /// Pages that were moved from the SLC cache.
    pub folded: u64,
    /// Pages that merges of log blocks moved.
    pub merged: u64,
    /// Pages that mounts moved.
    pub recovered: u64,
    /// Merges that moved all pages of a logical block to another block.
    pub full_merges: u64,
    /// Merges that moved the pages behind those that the log block had in order.
    pub partial_merges: u64,
    /// Merges that put the log block in the place of the data block.
    pub switch_merges: u64,
    /// Pages programmed that hold no data: fillers and summaries.
    pub overhead: u64,
    /// Blocks that were erased.
    pub erased: u64,
    /// Blocks that were retired.
    pub retired: u64,
    /// Logical pages that were found unreadable when they were to be moved.
    pub lost: u64,
}

impl LayerWork {
    /// Pages programmed for each page that the host wrote; `None` before the first.
    #[must_use]
    pub fn write_amplification(&self) -> Option<f64> {
        let moved = self.cleaned + self.leveled + self.folded + self.merged + self.recovered;
        let programmed = self.written + moved + self.overhead;
        (self.written > 0).then(|| programmed as f64 / self.written as f64)
    }

    /// What was done after an earlier reading of the same counts.
    pub(crate) const fn since(&self, earlier: &Self) -> Self {
        Self {
            written: self.written - earlier.written,
            read: self.read - earlier.read,
            cleaned: self.cleaned - earlier.cleaned,
            leveled: self.leveled - earlier.leveled,
            folded: self.folded - earlier.folded,
            merged: self.merged - earlier.merged,
            recovered: self.recovered - earlier.recovered,
            full_merges: self.full_merges - earlier.full_merges,
            partial_merges: self.partial_merges - earlier.partial_merges,
            switch_merges: self.switch_merges - earlier.switch_merges,
            overhead: self.overhead - earlier.overhead,
            erased: self.erased - earlier.erased,
            retired: self.retired - earlier.retired,
            lost: self.lost - earlier.lost,
        }
    }

    /// Counts a page that was programmed.
    pub(super) fn programmed(&mut self, purpose: LayerPurpose, pages: u32) {
        *match purpose {
            LayerPurpose::Host => &mut self.written,
            LayerPurpose::Cleaning => &mut self.cleaned,
            LayerPurpose::Leveling => &mut self.leveled,
            LayerPurpose::Folding => &mut self.folded,
            LayerPurpose::Merging => &mut self.merged,
            LayerPurpose::Overhead => &mut self.overhead,
            LayerPurpose::Recovery => &mut self.recovered,
        } += u64::from(pages);
    }
}
