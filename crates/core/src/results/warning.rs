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
        /// A profile of a program contradicts itself, or leaves something open that decides.
        Profile = "profile",
        /// What the field advises for such work.
        Advice = "advice",
        /// Something else on this machine disturbed a measurement.
        Disturbed = "disturbed",
        /// A measured figure was refused, with its reason.
        Refused = "refused",
        /// Memory is not as it was asked for: its pages, its node.
        NotObtained = "not-obtained",
        /// A time limit cut samples.
        CutByBudget = "cut-by-budget",
        /// What was given does not determine a figure that was asked for.
        Undetermined = "undetermined",
        /// What a fit leaves open, or what the fitted part does otherwise than the log.
        NotFitted = "not-fitted",
    }
}

impl WarningCode {
    /// What warnings of this kind are about, as a line that counts them says it: "35 figures stand in ...".
    #[must_use]
    pub const fn counted(self) -> &'static str {
        match self {
            Self::MissingColumn => "figures stand in for a column that the data sheet lacks",
            Self::UnknownCurrent => "unknown currents: energies that need them are unknown",
            Self::ExtrapolatedCurrent => "currents at a faster bus than the sheet states",
            Self::Caution => "remarks on the figures",
            Self::AssumedOrder => "places in the ranking rest on assumptions",
            Self::NeedsTranslation => "memories cannot do this without a translation layer",
            Self::Unsuitable => "choices do not suit the file system",
            Self::PowerCut => "promises broken by power cuts",
            Self::FreshMemory => "runs too short for a memory that cleans up",
            Self::AgeWearOnly => "ages that change wear alone",
            Self::NoPipeline => "memories without pipelined page loads",
            Self::NotMapped => "memories that are not mapped",
            Self::NoBackground => "memories without programs or erases of their own",
            Self::NoSuspend => "memories that cannot suspend",
            Self::LifeUsedUp => "memories whose rated life is used up",
            Self::RunFailed => "failed runs",
            Self::ClosedLoop => "durations measured without pauses stand for those at the rate",
            Self::FewSamples => "samples too small for all that is asked",
            Self::UnknownCoverage => "logs that do not say how much of the time they cover",
            Self::StartToStart => "times from start to start stand for durations",
            Self::Paced => "pauses of a log taken to be the host's",
            Self::PageCache => "durations of a cache in RAM, not of a memory",
            Self::CoarseTime => "coarse clocks",
            Self::TruncatedLog => "logs whose last line is cut off",
            Self::BackwardsTime => "times that run backwards",
            Self::LostRecords => "records lost by the log",
            Self::OddLog => "oddities of a log",
            Self::LostOrder => "logs without the order of accesses: an interval is known",
            Self::SeveralSizes => "logs with records of several sizes",
            Self::RecordExceedsRam => "records larger than the RAM",
            Self::Extrapolated => "extrapolated values",
            Self::FoldedAddresses => "addresses beyond the memory",
            Self::Default => "defaults stood in for what was not asked",
            Self::Profile => "remarks on the program's profile",
            Self::Advice => "pieces of advice",
            Self::Disturbed => "disturbed measurements",
            Self::Refused => "figures refused",
            Self::NotObtained => "pages or nodes that were not obtained",
            Self::CutByBudget => "samples cut by the time limit",
            Self::Undetermined => "figures that the input does not determine",
            Self::NotFitted => "open points of the fit",
        }
    }

    /// Whether warnings of this kind can turn the answer, and stand before others.
    #[must_use]
    pub const fn is_grave(self) -> bool {
        matches!(
            self,
            Self::AssumedOrder
                | Self::PowerCut
                | Self::Unsuitable
                | Self::RunFailed
                | Self::RecordExceedsRam
                | Self::LifeUsedUp
                | Self::PageCache
                | Self::LostRecords
                | Self::Disturbed
                | Self::FewSamples
                | Self::Undetermined
                | Self::Refused
        )
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
