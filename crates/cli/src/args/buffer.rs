//! The flags of `wordline buffer`.

use std::path::PathBuf;

use clap::Args;
use wordline_core::quantity::{ByteCount, DataRate, Fraction, Period, Time};
use wordline_core::{Durations, Operation, Pattern, Timing, WriteSync};

use super::{Drawn, Export, Layer, operation, pattern};

/// Says how much RAM a fixed input rate needs so that nothing is lost: exactly, at every rate, from a simulated
/// target, from a log of your own memory (fio, blkparse, CSV, the recorder for firmware), or from a trace that
/// is replayed on a simulated target.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline buffer --target mt29f1g01 --record 4KiB --rate 500KB/s
  wordline buffer --target mt29f1g01,em064lx --record 4KiB --rate 1MB/s,4MB/s --export buffer.html
  wordline buffer --target swissbit-g4000-4g --pattern random --fill 100% --rate 100KB/s
  wordline buffer --target mt29f1g01 --ftl page --pattern random --wrap 64MiB --rate 100KB/s
  wordline buffer --log my_lat.1.log
  wordline buffer --log my_lat.1.log --rate 20MB/s --ram 64KiB
  wordline buffer --log my_lat.1.log --durations start-to-start
  wordline buffer --log uart.bin --startup 120ms            what firmware/wordline_recorder.h sent
  wordline buffer --trace trace.log --target em064lx        what blkparse or fio --write_iolog wrote

RAM counts whole records that wait; the record that is being written is counted apart (in flight).
docs/concepts/buffers.md explains the figures, docs/reference/logs.md the formats.")]
pub(crate) struct Buffer {
    /// PART@BOARD, or PART on its default board; repeatable and comma-separated
    #[arg(long, value_delimiter = ',', value_name = "TARGET")]
    #[arg(required_unless_present = "log")]
    pub(crate) target: Vec<String>,
    /// A log of accesses; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "trace"])]
    pub(crate) log: Option<PathBuf>,
    /// A trace to replay on the targets; - for standard input
    #[arg(long, value_name = "FILE", requires = "target")]
    pub(crate) trace: Option<PathBuf>,
    /// Bytes of a record, which is one access [default: 4KiB, or what the log says]
    #[arg(long, value_name = "SIZE", conflicts_with = "trace")]
    pub(crate) record: Option<ByteCount>,
    /// Input rate to answer directly; repeatable and comma-separated
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "RATE",
        allow_hyphen_values = true
    )]
    pub(crate) rate: Vec<DataRate>,
    /// RAM whose highest safe rate to answer directly; repeatable and comma-separated
    #[arg(long, value_delimiter = ',', value_name = "SIZE")]
    pub(crate) ram: Vec<ByteCount>,
    /// What the input waits for [default: write, or what the log holds]
    #[arg(long, value_name = "read|write", value_parser = operation)]
    pub(crate) operation: Option<Operation>,
    /// Order of the addresses on a target
    #[arg(long, default_value = "sequential", value_name = "sequential|random")]
    #[arg(value_parser = pattern, conflicts_with_all = ["log", "trace"])]
    pub(crate) pattern: Pattern,
    /// Data moved on a target, in whole records [default: 64MiB]
    #[arg(long, value_name = "SIZE", conflicts_with_all = ["log", "trace"])]
    pub(crate) total: Option<ByteCount>,
    /// Address at which a target's records start over at 0 [default: 8MiB, or the smallest part's end]
    #[arg(long, value_name = "SIZE", conflicts_with_all = ["log", "trace"])]
    pub(crate) wrap: Option<ByteCount>,
    /// Share of a target's memory that holds data in order before: 0% fresh, 100% full
    #[arg(
        long,
        value_name = "SHARE",
        conflicts_with = "log",
        allow_hyphen_values = true
    )]
    pub(crate) fill: Option<Fraction>,
    /// Data moved by the same records before anything counts
    #[arg(long, value_name = "SIZE", conflicts_with_all = ["log", "trace"])]
    pub(crate) warm_up: Option<ByteCount>,
    /// Make each write safe from a power cut before it ends: flush, or reliable (eMMC)
    #[arg(long, value_name = "HOW", conflicts_with_all = ["log", "trace"])]
    pub(crate) sync: Option<WriteSync>,
    /// Answer at each rate also for so many accesses in a row alone: those of the run that take longest together
    #[arg(long, value_name = "N", conflicts_with_all = ["log", "trace"])]
    pub(crate) window: Option<u64>,
    #[command(flatten)]
    pub(crate) layer: Layer,
    /// Input comes from power-up on: count the power-up time of the part's sheet
    #[arg(long, conflicts_with = "log")]
    pub(crate) power_up: bool,
    /// Time before the first access in which input already comes, such as that of a mount
    #[arg(long, value_name = "TIME")]
    pub(crate) startup: Option<Time>,
    /// Bytes that wait already before the first access
    #[arg(long, value_name = "SIZE")]
    pub(crate) backlog: Option<ByteCount>,
    /// How far ahead return levels look: what a log did not show and may still come [default: a hundred
    /// times as long as the log]
    #[arg(long, value_name = "PERIOD")]
    pub(crate) horizon: Option<Period>,
    /// What counts as the duration of an access of a log: what it says; the time from start to start; or
    /// what it says, of a log whose host paused because it had nothing to do
    #[arg(
        long,
        default_value = "latency",
        value_name = "latency|start-to-start|paced"
    )]
    #[arg(value_parser = durations, requires = "log", conflicts_with = "target")]
    pub(crate) durations: Durations,
    /// Format of the log or trace, where its content does not tell
    #[arg(long, value_name = "FORMAT")]
    pub(crate) log_format: Option<String>,
    /// Unit of the values of a fio log: ns (fio 3), us (fio 2)
    #[arg(
        long,
        value_name = "ns|us",
        requires = "log",
        conflicts_with = "target"
    )]
    pub(crate) log_unit: Option<String>,
    /// Which of several: job of fio's JSON, file of a replay log, device of blkparse's output
    #[arg(long, value_name = "NAME")]
    pub(crate) job: Option<String>,
    /// Columns of the data sheets, each run by itself
    #[arg(
        long,
        default_value = "typ,max",
        value_delimiter = ',',
        value_name = "typ|max|sampled"
    )]
    pub(crate) timing: Vec<Timing>,
    #[command(flatten)]
    pub(crate) drawn: Drawn,
    #[command(flatten)]
    pub(crate) export: Export,
}

pub(super) fn durations(text: &str) -> Result<Durations, String> {
    [
        Durations::Latency,
        Durations::StartToStart,
        Durations::Paced,
    ]
    .into_iter()
    .find(|durations| durations.name() == text)
    .ok_or_else(|| "allowed: latency, start-to-start, paced".to_owned())
}
