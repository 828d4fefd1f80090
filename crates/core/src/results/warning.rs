//! Warnings: what the reader should know before trusting the rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of warning that this version gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarningCode {
    /// A sheet lacks the column that the timing class asks for, and another stood in for it.
    MissingColumn,
    /// A sheet states no current for this bus, so energy is unknown.
    UnknownCurrent,
    /// The bus is faster than the sheet's test conditions, so the stated current is too low.
    ExtrapolatedCurrent,
    /// What the author of a sheet wants its users to know.
    Caution,
    /// The memory cannot do this without a translation layer.
    NeedsTranslation,
    /// The memory or a choice does not suit the file system.
    Unsuitable,
    /// What a power cut leaves is not what was promised.
    PowerCut,
    /// A memory that cleans up behind its user was run for less than it needs to begin with that.
    FreshMemory,
    /// An age was asked for, which changes accounts of wear alone.
    AgeWearOnly,
    /// Pipelined page loads were asked of a memory that has none.
    NoPipeline,
    /// Reads during programs or erases were asked of a memory that has none of its own.
    NoBackground,
    /// What runs cannot be suspended: reads wait for its end.
    NoSuspend,
    /// The rated life is used up before the run begins.
    LifeUsedUp,
    /// One run failed; its rows say so.
    RunFailed,
    /// Durations of accesses that followed each other at once stand for those at the asked rate.
    ClosedLoop,
    /// A log or a run is short for what is asked of it.
    FewSamples,
    /// A log does not say how much of its time it accounts for.
    UnknownCoverage,
    /// Times from start to start stand for durations.
    StartToStart,
    /// Pauses in a log are taken to be the host's own.
    Paced,
    /// Times of a log are coarse.
    CoarseTime,
    /// The last line of a log is cut off.
    TruncatedLog,
    /// Times of a log run backwards.
    BackwardsTime,
    /// Records of a log were lost.
    LostRecords,
    /// Something else is odd about a log.
    OddLog,
    /// The order of the accesses is lost, and only an interval is known.
    LostOrder,
    /// Records are of several sizes.
    SeveralSizes,
    /// The RAM holds no record.
    RecordExceedsRam,
    /// Something was extrapolated.
    Extrapolated,
    /// Addresses of a trace lie outside the memory.
    FoldedAddresses,
    /// Something was not said, and a default stood in for it.
    Default,
    /// What the field advises for such work.
    Advice,
    /// What a fit leaves open, or what the fitted part does otherwise than the log.
    NotFitted,
}

impl WarningCode {
    /// As documents spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MissingColumn => "missing-column",
            Self::UnknownCurrent => "unknown-current",
            Self::ExtrapolatedCurrent => "extrapolated-current",
            Self::Caution => "caution",
            Self::NeedsTranslation => "needs-translation",
            Self::Unsuitable => "unsuitable",
            Self::PowerCut => "power-cut",
            Self::FreshMemory => "fresh-memory",
            Self::AgeWearOnly => "age-wear-only",
            Self::NoPipeline => "no-pipeline",
            Self::NoBackground => "no-background",
            Self::NoSuspend => "no-suspend",
            Self::LifeUsedUp => "life-used-up",
            Self::RunFailed => "run-failed",
            Self::ClosedLoop => "closed-loop",
            Self::FewSamples => "few-samples",
            Self::UnknownCoverage => "unknown-coverage",
            Self::StartToStart => "start-to-start",
            Self::Paced => "paced",
            Self::CoarseTime => "coarse-time",
            Self::TruncatedLog => "truncated-log",
            Self::BackwardsTime => "backwards-time",
            Self::LostRecords => "lost-records",
            Self::OddLog => "odd-log",
            Self::LostOrder => "lost-order",
            Self::SeveralSizes => "several-sizes",
            Self::RecordExceedsRam => "record-exceeds-ram",
            Self::Extrapolated => "extrapolated",
            Self::FoldedAddresses => "folded-addresses",
            Self::Default => "default",
            Self::Advice => "advice",
            Self::NotFitted => "not-fitted",
        }
    }
}

/// Something that the reader should know before trusting the rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// Stable name of the kind of warning.
    pub code: String,
    /// What happened, where, and what to do about it.
    pub advice: String,
}
