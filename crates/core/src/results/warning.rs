//! Warnings: what the reader should know before trusting the rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::named;

named! {
    /// The kinds of warning that this version gives.
    pub enum WarningCode {
        /// A sheet lacks the column that the timing class asks for, and another stood in for it.
        MissingColumn = "missing-column",
        /// A sheet states no current for this bus, so energy is unknown.
        UnknownCurrent = "unknown-current",
        /// The bus is faster than the sheet's test conditions, so the stated current is too low.
        ExtrapolatedCurrent = "extrapolated-current",
        /// What the author of a sheet wants its users to know.
        Caution = "caution",
        /// The first candidate ranks before the second by a figure that rests on assumptions.
        AssumedOrder = "assumed-order",
        /// The memory cannot do this without a translation layer.
        NeedsTranslation = "needs-translation",
        /// The memory or a choice does not suit the file system.
        Unsuitable = "unsuitable",
        /// What a power cut leaves is not what was promised.
        PowerCut = "power-cut",
        /// A memory that cleans up behind its user was run for less than it needs to begin with that.
        FreshMemory = "fresh-memory",
        /// An age was asked for, which changes accounts of wear alone.
        AgeWearOnly = "age-wear-only",
        /// Pipelined page loads were asked of a memory that has none.
        NoPipeline = "no-pipeline",
        /// Reads through the address space were asked of a memory that is not mapped.
        NotMapped = "not-mapped",
        /// Reads during programs or erases were asked of a memory that has none of its own.
        NoBackground = "no-background",
        /// What runs cannot be suspended: reads wait for its end.
        NoSuspend = "no-suspend",
        /// The rated life is used up before the run begins.
        LifeUsedUp = "life-used-up",
        /// One run failed; its rows say so.
        RunFailed = "run-failed",
        /// Durations of accesses that followed each other at once stand for those at the asked rate.
        ClosedLoop = "closed-loop",
        /// A log or a run is short for what is asked of it.
        FewSamples = "few-samples",
        /// A log does not say how much of its time it accounts for.
        UnknownCoverage = "unknown-coverage",
        /// Times from start to start stand for durations.
        StartToStart = "start-to-start",
        /// Pauses in a log are taken to be the host's own.
        Paced = "paced",
        /// Durations of a log are those of a cache in RAM, not of a memory.
        PageCache = "page-cache",
        /// Times of a log are coarse.
        CoarseTime = "coarse-time",
        /// The last line of a log is cut off.
        TruncatedLog = "truncated-log",
        /// Times of a log run backwards.
        BackwardsTime = "backwards-time",
        /// Records of a log were lost.
        LostRecords = "lost-records",
        /// Something else is odd about a log.
        OddLog = "odd-log",
        /// The order of the accesses is lost, and only an interval is known.
        LostOrder = "lost-order",
        /// Records are of several sizes.
        SeveralSizes = "several-sizes",
        /// The RAM holds no record.
        RecordExceedsRam = "record-exceeds-ram",
        /// Something was extrapolated.
        Extrapolated = "extrapolated",
        /// Addresses of a trace lie outside the memory.
        FoldedAddresses = "folded-addresses",
        /// Something was not said, and a default stood in for it.
        Default = "default",
        /// What the field advises for such work.
        Advice = "advice",
        /// Something else on this machine disturbed a measurement.
        Disturbed = "disturbed",
        /// What a fit leaves open, or what the fitted part does otherwise than the log.
        NotFitted = "not-fitted",
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
