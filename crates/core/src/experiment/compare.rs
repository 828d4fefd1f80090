//! The workload of `wordline compare`: candidates for a piece of work, and the limits that they must
//! meet. A study file is this, in TOML.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::engine::EngineName;
use super::{ColumnUnit, Durations, LogSource, NamedValues, Operation};
use crate::names::named;
use crate::quantity::{
    ByteCount, Capacitance, DataRate, Energy, Fraction, Money, Period, Quantity as _,
    QuantityError, QuantityErrorKind, Voltage,
};

/// A study: the work, the limits, and what things cost. The candidates are the experiment's targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct CompareWorkload {
    /// What the study is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "TEXT"))]
    pub title: Option<String>,
    /// The work.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub work: Work,
    /// What a candidate must meet.
    #[serde(default)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub limits: Limits,
    /// What the sheets do not know of prices.
    #[serde(default, skip_serializing_if = "Prices::is_empty")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub prices: Prices,
    /// Two chips in turn, one written while the other erases, are candidates as well.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub in_turn: bool,
    /// Parts that rest on estimates are candidates as well, and those that are no longer made.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub all_parts: bool,
    /// File systems that every flash candidate is judged with as well, each as a candidate of its own; repeatable and
    /// comma-separated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long = "on", value_name = "FS"))]
    pub file_systems: Vec<EngineName>,
    /// Choices of a file system that are not its defaults, by `FS.NAME`.
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub settings: NamedValues<String>,
    /// What ranks candidates that pass alike [default: cost where all prices are known, else energy].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub prefer: Option<Preference>,
    /// Log of measured accesses of a memory of your own, a candidate as measured; repeatable and comma-separated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long = "log", value_name = "FILE", value_parser = super::options::file_name(), help_heading = "Measured logs"))]
    pub logs: Vec<String>,
    /// Format of the logs, where their content does not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FORMAT", help_heading = "Measured logs")
    )]
    pub log_format: Option<String>,
    /// Unit of the values of fio logs: ns (fio 3), us (fio 2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "ns|us", help_heading = "Measured logs")
    )]
    pub log_unit: Option<String>,
    /// Each access of the logs waited until its data were safe: it was synchronous, or the memory has no cache of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Measured logs"))]
    pub log_flushed: bool,
    /// What counts as the duration of an access of the logs [default: latency].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Measured logs"))]
    pub durations: Option<Durations>,
    /// Units of columns of CSV logs by the column, which count more than what the column's name says.
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub units: NamedValues<ColumnUnit>,
    /// Current over time that was measured beside a log: the first belongs to the first --log, the second to the second.
    /// Tells the energy of the log; repeatable and comma-separated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long = "current", value_name = "FILE", value_parser = super::options::file_name(), help_heading = "Measured logs"))]
    pub currents: Vec<String>,
    /// Voltage of the supply: one for every --current whose file does not state it, or one for each --current.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "cli", arg(long = "voltage", help_heading = "Measured logs"))]
    pub voltages: Vec<Voltage>,
    /// Time on the clock of each --current at which the first access of its log starts [default: both clocks are one].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "cli",
        arg(long = "current-offset", help_heading = "Measured logs")
    )]
    pub current_offsets_ps: Vec<u64>,
}

impl CompareWorkload {
    /// A study of a piece of work, with every other setting left open.
    #[must_use]
    pub fn of(work: Work) -> Self {
        Self {
            title: None,
            work,
            limits: Limits::default(),
            prices: Prices::default(),
            in_turn: false,
            all_parts: false,
            file_systems: Vec::new(),
            settings: NamedValues::new(),
            prefer: None,
            logs: Vec::new(),
            log_format: None,
            log_unit: None,
            log_flushed: false,
            durations: None,
            units: NamedValues::new(),
            currents: Vec::new(),
            voltages: Vec::new(),
            current_offsets_ps: Vec::new(),
        }
    }

    /// How long in seconds of work RAM has to suffice: the life that is asked for, or else the time in which the data to
    /// keep come.
    #[must_use]
    pub fn horizon_s(&self) -> f64 {
        match self.limits.life {
            Some(life) => life.si() * self.work.duty(),
            None => self.work.keep().bytes(self.work.rate) / self.work.rate.si(),
        }
    }

    /// A log among its candidates, as the reader of logs takes it: accesses that write, or read where the work only reads,
    /// of whole records.
    #[must_use]
    pub fn log(&self, file: &str) -> LogSource {
        LogSource {
            file: file.to_owned(),
            format: self.log_format.clone(),
            unit: self.log_unit.clone(),
            job: None,
            operation: Some(self.work.operation()),
            record_bytes: Some(self.work.record.bytes()),
            durations: self.durations.unwrap_or_default(),
            units: self.units.clone(),
        }
    }
}

named! {
    /// What ranks candidates that pass alike.
    pub enum Preference {
        /// The least energy in a day.
        Energy = "energy",
        /// The lowest price.
        Cost = "cost",
        /// The longest life.
        Life = "life",
        /// The smallest packages.
        Area = "area",
        /// The least RAM to provision.
        Ram = "ram",
    }
}

/// Work that a memory has to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Work {
    /// What the accesses are.
    #[cfg_attr(
        feature = "cli",
        arg(
            long = "work",
            id = "work.kind",
            value_name = "KIND",
            help_heading = "The work"
        )
    )]
    pub kind: WorkKind,
    /// Bytes a second that come while the work goes on.
    #[schemars(with = "String")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "The work"))]
    pub rate: DataRate,
    /// Bytes of one access.
    #[schemars(with = "String")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "The work"))]
    pub record: ByteCount,
    /// Share of the time in which the work goes on [default: 100%].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "The work"))]
    pub duty: Option<Fraction>,
    /// Data to keep: a size, or a time at the rate [default: 1h].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "The work"))]
    pub keep: Option<SizeOrPeriod>,
    /// Share of the memory that the data to keep may fill [default: 100%].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "The work"))]
    pub utilization: Option<Fraction>,
    /// Share of a memory behind a translation layer that holds data before [default: all of a card, and of
    /// raw flash the data to keep].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "The work"))]
    pub fill: Option<Fraction>,
    /// Share of the accesses that read, of read-mostly (default 90%) and mixed (default 50%).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "The work"))]
    pub reads: Option<Fraction>,
    /// Trace to replay, from blkparse or fio --write_iolog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", value_parser = super::options::file_name(), help_heading = "The work"))]
    pub trace: Option<String>,
    /// What the memory does while it is read, of the kind read: a read suspends it where part and board can, and waits for
    /// its end elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "The work"))]
    pub during: Option<super::BackgroundWork>,
    /// Read through the address space of the processor, of the kind read: in lines of its cache and without a driver, where
    /// the board maps the memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "The work"))]
    pub mapped: bool,
    /// Temperature of the memory in degrees Celsius, -40 to 125 [default: 25].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "temperature", help_heading = "The work"))]
    pub temperature_celsius: Option<f64>,
    /// How long what was written must keep, even at the end of life [default: until it is overwritten].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "The work"))]
    pub retain: Option<Period>,
}

impl Work {
    /// A log at a fixed rate, with every other setting left open.
    #[must_use]
    pub const fn log(rate: DataRate, record: ByteCount) -> Self {
        Self {
            kind: WorkKind::Log,
            rate,
            record,
            duty: None,
            keep: None,
            utilization: None,
            fill: None,
            reads: None,
            trace: None,
            during: None,
            mapped: false,
            temperature_celsius: None,
            retain: None,
        }
    }

    /// Temperature of the memory in degrees Celsius: 25, unless it says otherwise.
    #[must_use]
    pub fn celsius(&self) -> f64 {
        self.temperature_celsius.unwrap_or(25.0)
    }

    /// How long in seconds what was written must keep: until it is overwritten, pauses included, and as long as it says.
    #[must_use]
    pub fn retain_s(&self) -> f64 {
        let overwritten = self.keep().bytes(self.rate) / (self.rate.si() * self.duty());
        self.retain.map_or(0.0, Period::si).max(overwritten)
    }

    /// Share of the time in which the work goes on: always, unless it says otherwise.
    #[must_use]
    pub fn duty(&self) -> f64 {
        self.duty.map_or(1.0, Fraction::si)
    }

    /// The data to keep: an hour's, unless it says otherwise.
    #[must_use]
    pub fn keep(&self) -> SizeOrPeriod {
        self.keep
            .unwrap_or_else(|| SizeOrPeriod::For(Period::from_si(3_600.0)))
    }

    /// Share of the memory that the data to keep may fill: all, unless it says otherwise.
    #[must_use]
    pub fn utilization(&self) -> f64 {
        self.utilization.map_or(1.0, Fraction::si)
    }

    /// Share of the bytes that a buffer holds: what is stored, or all where nothing is.
    #[must_use]
    pub fn stored_share(&self) -> f64 {
        match self.reads() {
            all if all >= 1.0 => 1.0,
            some => 1.0 - some,
        }
    }

    /// Bytes a second that a buffer holds while the work goes on.
    #[must_use]
    pub fn stored_rate(&self) -> DataRate {
        DataRate::from_si(self.rate.si() * self.stored_share())
    }

    /// What the buffer is about: writes, unless the work only reads.
    #[must_use]
    pub fn operation(&self) -> Operation {
        if self.reads() >= 1.0 {
            Operation::Read
        } else {
            Operation::Write
        }
    }

    /// Share of the accesses that read.
    #[must_use]
    pub fn reads(&self) -> f64 {
        self.reads.map_or_else(|| self.kind.reads(), Fraction::si)
    }
}

named! {
    /// What the accesses of a piece of work are.
    pub enum WorkKind {
        /// Records are written one after the other, over the oldest ones in the end.
        Log = "log",
        /// Records are written over each other, anywhere in the data to keep.
        Overwrite = "overwrite",
        /// Records are read in order, as a boot image is.
        Read = "read",
        /// Reads anywhere in the data, and writes in order: nine of ten accesses read.
        ReadMostly = "read-mostly",
        /// As read-mostly, with as many writes as reads.
        Mixed = "mixed",
        /// What a trace asked for.
        Replay = "replay",
    }
}

impl WorkKind {
    /// Share of the accesses that read, unless the study says otherwise.
    #[must_use]
    pub const fn reads(self) -> f64 {
        match self {
            Self::Log | Self::Overwrite | Self::Replay => 0.0,
            Self::Read => 1.0,
            Self::ReadMostly => 0.9,
            Self::Mixed => 0.5,
        }
    }
}

/// An amount of data: so many bytes, or what comes in a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SizeOrPeriod {
    /// So many bytes.
    Bytes(ByteCount),
    /// What comes while the work goes on for so long, pauses not counted.
    For(Period),
}

impl SizeOrPeriod {
    /// The bytes that this is at a rate.
    #[must_use]
    pub fn bytes(self, rate: DataRate) -> f64 {
        match self {
            Self::Bytes(bytes) => bytes.si(),
            Self::For(period) => period.si() * rate.si(),
        }
    }
}

/// A text that is neither a size nor a period.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SizeOrPeriodError {
    /// It reads as a size, or as a number alone.
    #[error("{0}; or a period, such as \"1 h\"")]
    Size(QuantityError),
    /// It has a unit of periods.
    #[error("{0}; or a size, such as \"2 GiB\"")]
    Period(QuantityError),
    /// Its unit is one of neither.
    #[error(
        "{text:?} is neither a size nor a period: unknown unit {unit:?}; write a size, such as \"2 GiB\" or \"1 TB\", or a \
         period, such as \"1 h\""
    )]
    Neither {
        /// The text.
        text: String,
        /// What stands for its unit.
        unit: String,
    },
}

impl fmt::Display for SizeOrPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::For(period) => period.fmt(f),
        }
    }
}

impl FromStr for SizeOrPeriod {
    type Err = SizeOrPeriodError;
    fn from_str(text: &str) -> Result<Self, SizeOrPeriodError> {
        let size = match text.parse() {
            Ok(bytes) => return Ok(Self::Bytes(bytes)),
            Err(error) => error,
        };
        let unknown = |error: &QuantityError| error.kind == QuantityErrorKind::UnknownUnit;
        text.parse()
            .map(Self::For)
            .map_err(|period| match (unknown(&size), unknown(&period)) {
                (true, true) => SizeOrPeriodError::Neither {
                    text: text.to_owned(),
                    unit: size.text[size.span].to_owned(),
                },
                (true, false) => SizeOrPeriodError::Period(period),
                (false, _) => SizeOrPeriodError::Size(size),
            })
    }
}

impl Serialize for SizeOrPeriod {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SizeOrPeriod {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

macro_rules! limits {
    ($($(#[$doc:meta])* $flag:literal $field:ident: $type:ty as $schema:literal,)*) => {
        /// What a candidate must meet; a limit that is not stated is met by all.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        pub struct Limits {
            $(
                $(#[$doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schemars(with = $schema)]
                #[cfg_attr(
                    feature = "cli",
                    arg(long = $flag, id = concat!("limits.", stringify!($field)), help_heading = "Limits")
                )]
                pub $field: Option<$type>,
            )*
        }
    };
}

limits! {
    /// Most RAM to provision: the record being gathered, those that wait, and the one being written.
    "max-ram" ram: ByteCount as "Option<String>",
    /// Longest access.
    "max-latency" latency: Period as "Option<String>",
    /// Least life.
    "min-life" life: Period as "Option<String>",
    /// What ends a life: the rated cycles, or failures that the chip reports [default: rated].
    "life-by" life_by: LifeBy as "Option<LifeBy>",
    /// Most probable loss of a page that is kept, with which a life ends [default: 0.001%].
    "max-page-loss" page_loss: Fraction as "Option<String>",
    /// Most energy in a day, of memory and host.
    "max-energy-per-day" energy_per_day: Energy as "Option<String>",
    /// Most bytes that a power cut may lose, in RAM and in the memory's own cache.
    "max-bytes-at-risk" bytes_at_risk: ByteCount as "Option<String>",
    /// Most data that a power cut may take from the memory's own cache, a size or a time at the rate: the work flushes
    /// as often as this asks [default: one record of a log].
    "max-loss" loss: SizeOrPeriod as "Option<String>",
    /// Largest hold-up capacitor that saves what is in RAM.
    "max-holdup" holdup: Capacitance as "Option<String>",
    /// Highest price of memory, RAM and level shifter.
    "max-cost" cost: Money as "Option<String>",
    /// Most chips of one candidate [default: 16].
    "max-parts" parts: u64 as "Option<u64>",
}

impl Limits {
    /// Chips that a candidate may consist of, unless a study says otherwise: more on one bus is a design of its own.
    pub const PARTS_MAX: u64 = 16;

    /// The probability with which a page that is kept may be lost at the end of life, unless a study says
    /// otherwise: an assumption. Of a page of 2 KiB it is one wrong bit in some 10^9, far more than the 10^-15 or 10^-16
    /// that solid-state drives are rated for behind their own stronger codes and redundancy.
    pub const PAGE_LOSS: f64 = 1e-5;

    /// Bytes after which the work flushes what the memory holds in its own cache; `None` where it never does.
    #[must_use]
    pub fn flush_bytes(&self, work: &Work) -> Option<f64> {
        let record = work.record.si();
        match (self.loss, work.kind) {
            (Some(loss), _) => Some(loss.bytes(work.rate).max(record)),
            (None, WorkKind::Log) => Some(record),
            (None, _) => None,
        }
    }

    /// What ends a life: the rated cycles, unless it says otherwise.
    #[must_use]
    pub fn life_by(&self) -> LifeBy {
        self.life_by.unwrap_or(LifeBy::Rated)
    }

    /// Probability with which a page that is kept may be lost.
    #[must_use]
    pub fn page_loss(&self) -> f64 {
        self.page_loss.map_or(Self::PAGE_LOSS, Fraction::si)
    }
}

named! {
    /// What ends the life of a memory. Data that no longer keep end it in any case.
    pub enum LifeBy {
        /// The cycles that its sheet rates it for.
        Rated = "rated",
        /// Failures that the chip itself reports, of programs and erases, until its spare blocks are used up.
        StatusFail = "status-fail",
    }
}

/// Prices that the sheets do not know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Prices {
    /// Price of a KiB of RAM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long = "ram-price", help_heading = "Prices"))]
    pub ram_per_kib: Option<Money>,
    /// Price of a level shifter for one chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long = "shifter-price", help_heading = "Prices"))]
    pub level_shifter: Option<Money>,
    /// Of parts, by their id.
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub parts: NamedValues<Money>,
}

impl Prices {
    /// Whether it states none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// `wordline compare`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["compare"],
    about: "Rank memories for a piece of work, with a verdict for each: the main job",
    examples: "\
Examples:
  wordline compare --rate 500KB/s --record 4KiB --keep 1h --max-ram 16KiB --min-life 10y
  wordline compare --rate 500KB/s --record 4KiB --duty 10% --max-ram 16KiB --in-turn \\
    --export compare.html
  wordline compare data-logger                      a study that comes along
  wordline compare my-study.toml --require mt29f1g01@stm32h755-qspi
  wordline compare --rate 20KB/s --record 512B --print-study > my-study.toml
  wordline compare --work overwrite --rate 50KB/s --record 4KiB --keep 64MiB --ftl page
  wordline compare --rate 50KB/s --record 4KiB --work overwrite --keep 32MiB \\
    --target mt29f1g01 --on littlefs,fat,rtfs
  wordline compare trace-replay --trace my.blkparse
  wordline compare --rate 100KB/s --target nand08gw3b2c --temperature 55 --retain 1y --min-life 10y
  wordline compare --rate 20KB/s --record 512B --max-loss 1s --prefer life
  wordline compare --rate 500KB/s --record 4KiB --max-ram 64KiB --log my_lat.1.log    my own memory
  wordline compare --rate 20KB/s --record 4KiB --prefer energy --log timed.csv \\
    --current ppk2.csv --voltage 3.3V

Studies that come along: data-logger, boot-image, sensor-node-battery, xip-boot, camera-20MBps, ota-update, black-box,
trace-replay.
docs/reference/studies.md describes the file, docs/guides/which-memory.md the way through.

Exit codes: 0 at least one candidate passes with its figures as they are stated, for certain or depending on some of them;
1 none does, whether or not one would pass elsewhere in its ranges, or one that --require names does not.",
    target: "Candidates: PART@BOARD, or 2*PART@BOARD for two chips in turn [default: the shortlist, parts made for new designs and cards; --all-parts: all]",
    timing: "typ,max",
    fixed: crate::Timing::Typ,
    layer: true,
    flags: |command| {
        <CompareWorkload as clap::Args>::augment_args(command)
            .mut_arg("targets", |targets| targets.required(false))
    },
    read: |matches| {
        let compare = clap::FromArgMatches::from_arg_matches(matches)?;
        Ok(super::Workload::Compare(Box::new(compare)))
    },
    default: || {
        let work = Work::log(DataRate::from_si(0.0), ByteCount::from_bytes(4096));
        super::Workload::Compare(Box::new(CompareWorkload::of(work)))
    },
};
