//! What the layer did.

/// Counts of operations since the layer was made or mounted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Logical pages that the host wrote.
    pub written: u64,
    /// Logical pages that the host read.
    pub read: u64,
    /// Pages that were moved while blocks were cleaned.
    pub cleaned: u64,
    /// Pages that were moved to keep wear even.
    pub leveled: u64,
    /// Pages that were moved from the SLC cache.
    pub folded: u64,
    /// Pages that merges of log blocks moved.
    pub merged: u64,
    /// Merges that moved all pages of a block, some of them, and none.
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
}

impl Work {
    /// Pages programmed for each page that the host wrote; `None` before the first.
    #[must_use]
    pub fn write_amplification(&self) -> Option<f64> {
        let moved = self.cleaned + self.leveled + self.folded + self.merged;
        let programmed = self.written + moved + self.overhead;
        (self.written > 0).then(|| programmed as f64 / self.written as f64)
    }
}
