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

    /// What was done since `earlier`, a reading of the same layer.
    #[must_use]
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            written: self.written - earlier.written,
            read: self.read - earlier.read,
            cleaned: self.cleaned - earlier.cleaned,
            leveled: self.leveled - earlier.leveled,
            folded: self.folded - earlier.folded,
            merged: self.merged - earlier.merged,
            full_merges: self.full_merges - earlier.full_merges,
            partial_merges: self.partial_merges - earlier.partial_merges,
            switch_merges: self.switch_merges - earlier.switch_merges,
            overhead: self.overhead - earlier.overhead,
            erased: self.erased - earlier.erased,
            retired: self.retired - earlier.retired,
        }
    }
}
