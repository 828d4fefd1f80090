//! What the layer does against power cuts and for its bound, by name, so that a test can leave out each and prove that
//! the loss is noticed. `DESIGN.md` says what notices it.

/// One thing without which a power cut can lose what returned, or a call can leave its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PacedRule {
    /// A mount writes the pages that became valid last again.
    LastUnitCopied,
    /// A block that a mount opened counts when the mount ended.
    MountEnds,
    /// A mount that finds nothing in the head keeps the block before.
    PreviousKept,
    /// A mount keeps the pages that it is to copy.
    UnitKept,
    /// Pages of a begun group are live.
    GroupLive,
    /// Pages of a begun group are not moved.
    GroupStays,
    /// A header holds the pages of a group that was begun before it.
    GroupInHeader,
    /// A page that is found dead when its block is emptied is noted in the change log.
    GoneWhenMoved,
    /// A page that is found dead when the map is stored is noted in the change log before.
    GoneWhenStored,
    /// Openings are numbered on from the greatest number of a mount that was begun.
    SequenceJumps,
    /// A block is erased before it is opened, also one that reads as erased.
    EraseFirst,
    /// A page of the map that was moved leaves the changes since it was stored.
    MovedMapKeepsChanges,
    /// A discarded page is kept until the map is stored.
    DiscardKept,
    /// Interrupted mounts are looked past, as many as there are.
    ScanGoesOn,
    /// Pages of the caller pay steps.
    StepsPaid,
    /// The page that opens a block pays no steps.
    HeaderTakesSteps,
    /// The pages of a call that erases pay no steps.
    EraseTakesSteps,
    /// Steps leave the last page of a block to the caller.
    LastPageIsCallers,
    /// A mount notes which pages the stored map names for nothing.
    MountNotesDead,
    /// A mount makes up for the block that it takes.
    MountFrees,
    /// A page of the map that ends a group counts with the group.
    MapWaits,
    /// Pages of the caller pay parts of an erase that stands still for other accesses.
    PartsPaid,
}

/// The rules that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedRules(u32);

impl PacedRules {
    /// Every rule is kept: what every layer outside of tests does.
    pub const ALL: Self = Self(u32::MAX);

    /// Whether a rule is kept; with the feature `all-rules` each is, which takes less code.
    #[must_use]
    pub const fn keep(self, rule: PacedRule) -> bool {
        cfg!(feature = "all-rules") || self.0 >> rule as u8 & 1 == 1
    }

    /// All but one.
    #[must_use]
    pub const fn without(rule: PacedRule) -> Self {
        Self(!(1 << rule as u8))
    }
}
