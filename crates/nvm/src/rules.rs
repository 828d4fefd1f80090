//! The rules of a chip's protocol, by name: what the [conformance](crate::conformance) suite checks
//! on every sheet, and what it makes a model forget to prove that it would notice.

/// A rule that a model keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Rule {
    /// No command before power-up, wake-up, or the pause after the last one is over.
    Ready,
    /// A busy chip takes status and suspend alone.
    Busy,
    /// Programs, writes and erases need a write-enable command.
    WriteEnable,
    /// The permission is used up by what it permitted.
    WriteEnableSpent,
    /// An access stays inside the array, the page and the number of blocks.
    Range,
    /// In deep power-down nothing but the wake-up command is understood.
    Sleep,
    /// Bytes that were written are read back.
    Content,
    /// Wear counts each cycle of each unit.
    Wear,
    /// A read of the array takes the time that the sheet states.
    ReadTime,
    /// A program or write takes the time that the sheet states.
    ProgramTime,
    /// An erase takes the time that the sheet states.
    EraseTime,
    /// A program clears bits and sets none.
    ClearsOnly,
    /// An erase sets every bit of its block, and no other.
    EraseSets,
    /// After an erase pages and granules may be programmed anew.
    EraseRenews,
    /// A chip erases the sizes that it has, at their multiples.
    EraseSize,
    /// A granule under an error correction takes one program between two erases.
    Once,
    /// The pages of a block are programmed in rising order.
    InOrder,
    /// A page takes no more programs between two erases than the sheet allows.
    ProgramsPerPage,
    /// The bytes of the on-die ECC are not the host's to program.
    Parity,
    /// The on-die ECC corrects as many bits in a sector as the sheet states.
    Corrects,
    /// The on-die ECC gives up beyond them, and says so.
    GivesUp,
    /// The register must be loaded, or a page read, before it is used.
    Register,
    /// A load of some bytes leaves the register's others, so that a page can be moved.
    RegisterKept,
    /// A cache read goes on with a page read, and waits for the array behind it.
    CacheRead,
    /// Where the sheet says so, a cache read goes on with the next page of the block alone.
    CacheReadOrder,
    /// While the array works behind the host's back, nothing else is asked of it.
    ArrayBusy,
    /// One thing is suspended at a time.
    OneSuspend,
    /// A cache program waits for the program before it.
    CacheProgram,
    /// Operations on several planes name one block of each.
    Planes,
    /// A block that failed goes on failing.
    FailedBlock,
    /// Suspended work leaves its range unspecified.
    SuspendedRange,
    /// While work is suspended, the chip takes no other that the sheet forbids.
    SuspendedWork,
    /// Work stands still no earlier than the suspend latency says.
    SuspendLatency,
    /// Resumed work runs for a while before it is suspended again.
    SuspendProgress,
    /// There must be something suspended to resume.
    Resume,
    /// A read or write finds its row open, and not another one of its bank.
    RowOpen,
    /// A row that is being opened takes reads and writes after tRCD.
    RowToColumn,
    /// A row stays open for tRAS.
    RowActive,
    /// A bank opens a row no earlier than tRP after the one before was closed.
    Precharge,
    /// Rows of different banks are opened tRRD apart.
    RowToRow,
    /// No more than four rows are opened within tFAW.
    FourRows,
    /// A row is closed no earlier than tWR after the last data written to it.
    WriteRecovery,
    /// A row is closed no earlier than tRTP after the last read of it.
    ReadToPrecharge,
    /// A read follows written data no earlier than tWTR after them.
    WriteToRead,
    /// Written data follow read data no earlier than tRTW after them.
    ReadToWrite,
    /// One burst is on the data lines at a time.
    DataBus,
    /// Nothing is asked of a chip that stores what was written, for tST.
    Store,
}

impl Rule {
    /// Every rule.
    pub const ALL: &'static [Self] = &[
        Self::Ready,
        Self::Busy,
        Self::WriteEnable,
        Self::WriteEnableSpent,
        Self::Range,
        Self::Sleep,
        Self::Content,
        Self::Wear,
        Self::ReadTime,
        Self::ProgramTime,
        Self::EraseTime,
        Self::ClearsOnly,
        Self::EraseSets,
        Self::EraseRenews,
        Self::EraseSize,
        Self::Once,
        Self::InOrder,
        Self::ProgramsPerPage,
        Self::Parity,
        Self::Corrects,
        Self::GivesUp,
        Self::Register,
        Self::RegisterKept,
        Self::CacheRead,
        Self::CacheReadOrder,
        Self::ArrayBusy,
        Self::OneSuspend,
        Self::CacheProgram,
        Self::Planes,
        Self::FailedBlock,
        Self::SuspendedRange,
        Self::SuspendedWork,
        Self::SuspendLatency,
        Self::SuspendProgress,
        Self::Resume,
        Self::RowOpen,
        Self::RowToColumn,
        Self::RowActive,
        Self::Precharge,
        Self::RowToRow,
        Self::FourRows,
        Self::WriteRecovery,
        Self::ReadToPrecharge,
        Self::WriteToRead,
        Self::ReadToWrite,
        Self::DataBus,
        Self::Store,
    ];

    /// As tables spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Busy => "busy",
            Self::WriteEnable => "write-enable",
            Self::WriteEnableSpent => "write-enable-spent",
            Self::Range => "range",
            Self::Sleep => "sleep",
            Self::Content => "content",
            Self::Wear => "wear",
            Self::ReadTime => "read-time",
            Self::ProgramTime => "program-time",
            Self::EraseTime => "erase-time",
            Self::ClearsOnly => "clears-only",
            Self::EraseSets => "erase-sets",
            Self::EraseRenews => "erase-renews",
            Self::EraseSize => "erase-size",
            Self::Once => "once",
            Self::InOrder => "in-order",
            Self::ProgramsPerPage => "programs-per-page",
            Self::Parity => "parity",
            Self::Corrects => "corrects",
            Self::GivesUp => "gives-up",
            Self::Register => "register",
            Self::RegisterKept => "register-kept",
            Self::CacheRead => "cache-read",
            Self::CacheReadOrder => "cache-read-order",
            Self::ArrayBusy => "array-busy",
            Self::OneSuspend => "one-suspend",
            Self::CacheProgram => "cache-program",
            Self::Planes => "planes",
            Self::FailedBlock => "failed-block",
            Self::SuspendedRange => "suspended-range",
            Self::SuspendedWork => "suspended-work",
            Self::SuspendLatency => "suspend-latency",
            Self::SuspendProgress => "suspend-progress",
            Self::Resume => "resume",
            Self::RowOpen => "row-open",
            Self::RowToColumn => "row-to-column",
            Self::RowActive => "row-active",
            Self::Precharge => "precharge",
            Self::RowToRow => "row-to-row",
            Self::FourRows => "four-rows",
            Self::WriteRecovery => "write-recovery",
            Self::ReadToPrecharge => "read-to-precharge",
            Self::WriteToRead => "write-to-read",
            Self::ReadToWrite => "read-to-write",
            Self::DataBus => "data-bus",
            Self::Store => "store",
        }
    }
}

/// The rules that a model keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleSet(u64);

impl RuleSet {
    pub(crate) const ALL: Self = Self(u64::MAX);

    /// Whether a rule is kept.
    pub(crate) const fn keep(self, rule: Rule) -> bool {
        self.0 >> rule as u8 & 1 == 1
    }

    /// Whether a rule is kept and this condition breaks it.
    pub(crate) const fn broken(self, rule: Rule, broken: bool) -> bool {
        broken && self.keep(rule)
    }

    /// Makes the model forget a rule, to prove that its absence is noticed.
    pub(crate) const fn forget(&mut self, rule: Rule) {
        self.0 &= !(1 << rule as u8);
    }
}
