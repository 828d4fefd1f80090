//! The workload of `wordline buffer`: the RAM that a fixed input rate needs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::raw::is_zero;
use super::{Operation, Pattern, WriteSync};
use crate::quantity::Fraction;

/// How much RAM is needed so that nothing of a fixed input rate is lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BufferWorkload {
    /// Where the durations of the accesses come from.
    pub source: AccessSource,
    /// Input rates in bytes per second that are answered directly, besides those of the curve.
    #[serde(default)]
    pub rates_bytes_per_s: Vec<f64>,
    /// Sizes of RAM in bytes whose highest safe rate is answered directly, besides powers of two.
    #[serde(default)]
    pub ram_bytes: Vec<u64>,
    /// Whether input comes from power-up on, while a simulated part still wakes up as its sheet states.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub power_up: bool,
    /// Time in picoseconds before the first access in which input already comes, as while a file system is
    /// mounted; besides the power-up.
    #[serde(default)]
    pub startup_ps: u64,
    /// Bytes that wait already when the first access begins.
    #[serde(default)]
    pub backlog_bytes: u64,
    /// Share of a target's memory that holds data in order before the run; only what is read, where
    /// nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub fill: Option<Fraction>,
    /// Bytes of the same records that a target runs before anything counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warm_up_bytes: u64,
    /// How each write is made safe before it ends; not at all, where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<WriteSync>,
    /// Accesses in a row: those of a run that take longest together are answered for alone as well, as articles
    /// do that look at one stretch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// Time in seconds for which return levels are estimated; a hundred times what the accesses took, where
    /// nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon_s: Option<f64>,
}

impl BufferWorkload {
    /// The question about a source, with every setting at its default.
    #[must_use]
    pub const fn of(source: AccessSource) -> Self {
        Self {
            source,
            rates_bytes_per_s: Vec::new(),
            ram_bytes: Vec::new(),
            power_up: false,
            startup_ps: 0,
            backlog_bytes: 0,
            fill: None,
            warm_up_bytes: 0,
            sync: None,
            window: None,
            horizon_s: None,
        }
    }
}

/// Where the durations of accesses come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum AccessSource {
    /// Each target runs a stream of records.
    Stream(StreamSource),
    /// A log of accesses that somebody measured.
    Log(LogSource),
    /// Each target runs what a trace asked for.
    Trace(TraceSource),
}

impl AccessSource {
    /// The file that it is read from.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Stream(_) => None,
            Self::Log(log) => Some(&log.file),
            Self::Trace(trace) => Some(&trace.file),
        }
    }
}

/// Records of one size, one after the other, within a part of the memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamSource {
    /// What an access does.
    pub operation: Operation,
    /// Order of the addresses.
    pub pattern: Pattern,
    /// Bytes of a record, which is one access.
    pub record_bytes: u64,
    /// Bytes that are run. A run moves whole records: as many as fit.
    pub total_bytes: u64,
    /// Address in bytes at which the stream starts over at 0.
    pub wrap_bytes: u64,
}

/// A log of accesses that somebody measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogSource {
    /// The file, or `-` for standard input.
    pub file: String,
    /// Its format, where its content does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Unit of its values, `ns` or `us`, where its content does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The job whose accesses count, of a log of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// The accesses that count; all of a log that has only one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// Bytes of a record: what each access has to move, and what stands in where a log has no sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_bytes: Option<u64>,
    /// What counts as the duration of an access.
    #[serde(default)]
    pub durations: Durations,
}

/// What counts as the duration of an access of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Durations {
    /// What the log says that it took.
    #[default]
    Latency,
    /// The time from its start to the start of the next, whatever the host did in between.
    StartToStart,
    /// What the log says that it took, of a log whose host paused between accesses of its own will.
    Paced,
}

impl Durations {
    /// As the command line and documents spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::StartToStart => "start-to-start",
            Self::Paced => "paced",
        }
    }
}

/// A trace of accesses that somebody's program asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceSource {
    /// The file, or `-` for standard input.
    pub file: String,
    /// Its format, where its content does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The file of a replay log, or the device of blkparse's output, where it tells of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// The accesses that count for the buffer; the others take their time all the same.
    pub operation: Operation,
}

/// How input arrives.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Arrival {
    /// In whole records, each at once.
    Record,
    /// As a steady stream of bytes.
    Fluid,
}

impl Arrival {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Record, Self::Fluid];

    /// As the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Fluid => "fluid",
        }
    }
}
