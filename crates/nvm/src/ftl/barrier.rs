//! What the layer does against power cuts, by name, so that a test can disable each and prove that
//! the loss is noticed.

/// One thing without which a power cut can lose what was flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Barrier {
    /// A page or a summary counts where its check fits.
    RecordCheck,
    /// In an open block a page that a mount moved counts where what it came from is gone.
    SourceGone,
    /// What blocks without a summary hold is moved when the layer is mounted.
    MoveTorn,
    /// Blocks without a summary are erased before the mount returns.
    EraseTorn,
    /// Where the last page of such a block reads well once, and not when it is moved, the version before it counts.
    OlderVersion,
    /// Blocks that hold such a version are not erased until the page was moved.
    HoldOlder,
    /// Blocks that a mount empties are erased when the block that they were moved to is closed.
    CloseBeforeErase,
    /// A block is erased when a mount would be sure of what took the place of its pages.
    SureBeforeErase,
    /// One of the free blocks is erased ahead.
    EraseAhead,
    /// A block that reads as erased is erased before it is programmed: it may be weak.
    EraseBlank,
    /// Of two versions the one with the greater sequence number counts.
    GreatestWins,
    /// Sequence numbers go on above all that were found.
    SequenceGoesOn,
    /// Copies of a mark that are missing are programmed when the layer is mounted.
    CompleteMark,
    /// A flush programs the buffered page.
    FlushBuffer,
    /// A page is safe when the other page of its cells is programmed.
    Pairs,
    /// What a page held beside the written sectors is read before it is programmed again.
    ReadBeforeWrite,
}

impl Barrier {
    /// Every barrier, with what a layer without it does.
    pub const ALL: [(Self, &'static str); 16] = [
        (
            Self::RecordCheck,
            "the check of a page or a summary is not looked at by a mount",
        ),
        (
            Self::SourceGone,
            "what an interrupted mount had copied always counts",
        ),
        (
            Self::MoveTorn,
            "what was open at the power cut is left where it is",
        ),
        (
            Self::EraseTorn,
            "blocks that were open at the power cut are not erased",
        ),
        (
            Self::OlderVersion,
            "a torn page that read well once is lost when it cannot be moved",
        ),
        (
            Self::HoldOlder,
            "a mount erases blocks with the version before a torn page",
        ),
        (
            Self::CloseBeforeErase,
            "a mount erases a block before that with its pages is closed",
        ),
        (
            Self::SureBeforeErase,
            "a block is erased although what took the place of its pages may be torn",
        ),
        (
            Self::EraseAhead,
            "no free block is erased ahead for the next mount",
        ),
        (
            Self::EraseBlank,
            "a block that reads as erased is not erased before it is programmed",
        ),
        (
            Self::GreatestWins,
            "the version with the lowest sequence number counts",
        ),
        (
            Self::SequenceGoesOn,
            "sequence numbers start anew with each mount",
        ),
        (
            Self::CompleteMark,
            "missing copies of the mark are not programmed",
        ),
        (Self::FlushBuffer, "a flush leaves the buffered page in RAM"),
        (
            Self::Pairs,
            "no fillers: pages count as safe although their cells are yet to be programmed",
        ),
        (
            Self::ReadBeforeWrite,
            "sectors beside those that were written are not read first",
        ),
    ];
}

/// The barriers that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barriers(u32);

impl Barriers {
    /// Every barrier is kept: what every layer outside of tests does.
    pub const ALL: Self = Self(u32::MAX);

    /// Whether a barrier is kept.
    #[must_use]
    pub const fn keep(self, barrier: Barrier) -> bool {
        self.0 >> barrier as u8 & 1 == 1
    }

    /// All but one.
    #[must_use]
    pub const fn without(barrier: Barrier) -> Self {
        Self(!(1 << barrier as u8))
    }
}
