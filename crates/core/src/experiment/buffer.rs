//! The workload of `wordline buffer`: the RAM that a fixed input rate needs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::raw::is_zero;
use super::{ColumnUnit, NamedValues, Operation, Pattern, WriteSync};
use crate::names::named;
use crate::quantity::{Fraction, Voltage};

/// How much RAM is needed so that nothing of a fixed input rate is lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct BufferWorkload {
    /// Where the durations of the accesses come from.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub source: AccessSource,
    /// Input rate to answer directly, besides those of the curve; repeatable and comma-separated.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long = "rate"))]
    pub rates_bytes_per_s: Vec<f64>,
    /// RAM whose highest safe rate to answer directly, besides powers of two; repeatable and comma-separated.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long = "ram"))]
    pub ram_bytes: Vec<u64>,
    /// Input comes from power-up on: count the power-up time of the part's sheet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub power_up: bool,
    /// Time before the first access in which input already comes, such as that of a mount.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long = "startup"))]
    pub startup_ps: u64,
    /// Bytes that wait already before the first access.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long = "backlog"))]
    pub backlog_bytes: u64,
    /// Share of a target's memory that holds data in order before: 0% fresh, 100% full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub fill: Option<Fraction>,
    /// Data moved by the same records before anything counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "cli", arg(long = "warm-up"))]
    pub warm_up_bytes: u64,
    /// Make each write safe from a power cut before it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub sync: Option<WriteSync>,
    /// Answer at each rate also for so many accesses in a row alone: those of the run that take longest
    /// together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub window: Option<u64>,
    /// How long the RAM must suffice, of work at the rate: what a log did not show and may still come [default: ten
    /// times as long as its accesses take to come; at most a thousand times are supported].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "horizon", value_name = "PERIOD"))]
    pub horizon_s: Option<f64>,
    /// Current over time that was measured beside the log, as a PPK2 or a Joulescope exports it: tells the energy of an
    /// access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", requires = "log.file"))]
    pub current: Option<String>,
    /// Voltage of the supply, where the file of --current does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long, requires = "current"))]
    pub voltage: Option<Voltage>,
    /// Time on the clock of --current at which the first access of the log starts [default: both clocks are one].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "current-offset", requires = "current"))]
    pub current_offset_ps: Option<u64>,
}

impl BufferWorkload {
    /// Probability with which what is extrapolated from accesses holds, within the horizon that is stated with it.
    pub const CONFIDENCE: f64 = 0.95;

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
            current: None,
            voltage: None,
            current_offset_ps: None,
        }
    }
}

/// Where the durations of accesses come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum AccessSource {
    /// Each target runs a stream of records.
    Stream(StreamSource),
    /// A log of measured accesses.
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

    pub(super) const fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Stream(_) => None,
            Self::Log(LogSource { file, .. }) | Self::Trace(TraceSource { file, .. }) => Some(file),
        }
    }
}

/// Records of one size, one after the other, within a part of the memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct StreamSource {
    /// What the input waits for; of a log, by default what it holds.
    #[cfg_attr(feature = "cli", arg(long))]
    pub operation: Operation,
    /// Order of the addresses on a target.
    #[cfg_attr(feature = "cli", arg(long))]
    pub pattern: Pattern,
    /// Bytes of a record, which is one access; of a log, by default what it says.
    #[cfg_attr(feature = "cli", arg(long = "record"))]
    pub record_bytes: u64,
    /// Data moved on a target, in whole records.
    #[cfg_attr(feature = "cli", arg(long = "total"))]
    pub total_bytes: u64,
    /// Address at which a target's records start over at 0; by default at most the smallest part's end.
    #[cfg_attr(feature = "cli", arg(long = "wrap"))]
    pub wrap_bytes: u64,
}

/// A log of measured accesses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct LogSource {
    /// The file, or `-` for standard input.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub file: String,
    /// Format of the log or trace, where its content does not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "log-format", value_name = "FORMAT"))]
    pub format: Option<String>,
    /// Unit of the values of a fio log: ns (fio 3), us (fio 2); of a table of times by cycles also ms, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "log-unit", value_name = "ns|us"))]
    pub unit: Option<String>,
    /// Which of several: job of fio's JSON, file of a replay log, device of blkparse's output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME"))]
    pub job: Option<String>,
    /// The accesses that count; all of a log that has only one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub operation: Option<Operation>,
    /// Bytes of each access, where the log does not record them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "record"))]
    pub record_bytes: Option<u64>,
    /// What counts as the duration of an access of a log.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long, default_value_t))]
    pub durations: Durations,
    /// Units of columns of a CSV by the column, which count more than what the column's name says.
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub units: NamedValues<ColumnUnit>,
}

named! {
    /// What counts as the duration of an access of a log.
    #[derive(Default)]
    pub enum Durations {
        /// What the log says that it took.
        #[default]
        Latency = "latency",
        /// The time from its start to the start of the next, whatever the host did in between.
        StartToStart = "start-to-start",
        /// What the log says that it took, of a log whose host paused between accesses of its own will.
        Paced = "paced",
    }
}

/// A trace of accesses that a program asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceSource {
    /// The file, or `-` for standard input.
    pub file: String,
    /// Its format, where its content does not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The file of a replay log, or the device of blkparse's output, where it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// The accesses that count for the buffer; the others take their time all the same.
    pub operation: Operation,
}

named! {
    /// How input arrives.
    pub enum Arrival {
        /// In whole records, each at once.
        Record = "record",
        /// As a steady stream of bytes.
        Fluid = "fluid",
    }
}

impl Default for StreamSource {
    /// Records of 4 KiB in order within the first 8 MiB, 64 MiB of them.
    fn default() -> Self {
        Self {
            operation: Operation::Write,
            pattern: Pattern::Sequential,
            record_bytes: 4096,
            total_bytes: 64 << 20,
            wrap_bytes: 8 << 20,
        }
    }
}

/// By hand: three sources share flags, and a file says which one is meant.
#[cfg(feature = "cli")]
impl clap::Args for AccessSource {
    fn augment_args(command: clap::Command) -> clap::Command {
        let file = |id: &'static str, flag| {
            let file = clap::Arg::new(id).long(flag).value_name("FILE");
            file.value_parser(super::options::file_name())
        };
        let stream = [
            "pattern",
            "total_bytes",
            "wrap_bytes",
            "warm_up_bytes",
            "sync",
            "window",
        ];
        let log = <LogSource as clap::Args>::augment_args(clap::Command::new("log"));
        let shared = |arg: &&clap::Arg| arg.get_id() != "record_bytes";
        let command = command
            .arg(
                file("log.file", "log")
                    .conflicts_with_all(stream)
                    .conflicts_with_all(["targets", "trace.file", "fill", "power_up"])
                    .conflicts_with_all(["mapping", "timings", "age"])
                    .help("A log of accesses; - for standard input"),
            )
            .arg(
                file("trace.file", "trace")
                    .conflicts_with_all(stream)
                    .conflicts_with("record_bytes")
                    .requires("targets")
                    .help("A trace to replay on the targets; - for standard input"),
            );
        <StreamSource as clap::Args>::augment_args(command).args(log.get_arguments().filter(shared))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

#[cfg(feature = "cli")]
impl clap::FromArgMatches for AccessSource {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let file = |id| matches.get_one::<String>(id).cloned();
        let given = |id: &str| super::is_given(matches, id);
        let stream = StreamSource::from_arg_matches(matches)?;
        let log = LogSource::from_arg_matches(matches)?;
        // A conflict with --target hides what clap's `requires` would say.
        let without =
            |of: &str, flags: &[(&str, &str)]| match flags.iter().find(|(id, _)| given(id)) {
                Some((_, flag)) => {
                    let message = format!("{flag} is about {of}, and none is named");
                    Err(clap::Error::raw(
                        clap::error::ErrorKind::MissingRequiredArgument,
                        message,
                    ))
                }
                None => Ok(()),
            };
        if !given("log.file") {
            without(
                "a log",
                &[
                    ("unit", "--log-unit"),
                    ("units", "--unit"),
                    ("durations", "--durations"),
                ],
            )?;
            if !given("trace.file") {
                without(
                    "a log or a trace",
                    &[("format", "--log-format"), ("job", "--job")],
                )?;
            }
        }
        Ok(if let Some(file) = file("log.file") {
            Self::Log(LogSource {
                file,
                operation: given("operation").then_some(stream.operation),
                record_bytes: given("record_bytes").then_some(stream.record_bytes),
                ..log
            })
        } else if let Some(file) = file("trace.file") {
            Self::Trace(TraceSource {
                file,
                format: log.format,
                job: log.job,
                operation: stream.operation,
            })
        } else {
            Self::Stream(stream)
        })
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual() -> super::Workload {
    let source = AccessSource::Stream(StreamSource::default());
    super::Workload::Buffer(BufferWorkload::of(source))
}

/// `wordline buffer`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["buffer"],
    about: "RAM for a fixed input rate, from a target or a log",
    examples: "\
Examples:
  wordline buffer --target mt29f1g01 --record 4KiB --rate 500KB/s
  wordline buffer --target mt29f1g01,em064lx --record 4KiB --rate 1MB/s,4MB/s --export buffer.html
  wordline buffer --target swissbit-g4000-4g --pattern random --fill 100% --rate 100KB/s
  wordline buffer --target mt29f1g01 --ftl page --pattern random --wrap 64MiB --rate 100KB/s
  wordline buffer --log my_lat.1.log
  wordline buffer --log my_lat.1.log --rate 20MB/s --ram 64KiB
  wordline buffer --log my_lat.1.log --durations start-to-start
  wordline buffer --log timed.csv --operation write --record 4k --unit lat=us
  wordline buffer --log timed.csv --current ppk2.csv --voltage 3.3V --current-offset 1.25s
  wordline buffer --log uart.bin --startup 120ms            what firmware/wordline_recorder.h sent
  wordline buffer --trace trace.log --target em064lx        what blkparse or fio --write_iolog wrote

Sizes and rates: 4KiB is 4096 B, 4kB is 4000 B; one letter is a power of 1024, as in fio and dd: 4k is 4KiB, and a
rate of 500k is 500KiB/s.
RAM to provision holds whole records: the one being gathered, those that wait, and the one being written.
docs/concepts/buffers.md explains the figures, docs/reference/logs.md the formats.",
    target: "PART@BOARD, or PART on its default board; repeatable and comma-separated",
    timing: "typ,max",
    fixed: crate::Timing::Typ,
    layer: true,
    flags: |command| {
        <BufferWorkload as clap::Args>::augment_args(command).mut_arg("targets", |targets| {
            targets.required(false).required_unless_present("log.file")
        })
    },
    read: |matches| clap::FromArgMatches::from_arg_matches(matches).map(super::Workload::Buffer),
    default: usual,
};
