//! The workload of `wordline compare`: candidates for a piece of work, and the limits that they must
//! meet. A study file is this, in TOML.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::{
    ByteCount, Capacitance, DataRate, Energy, Fraction, Money, Period, Quantity as _, QuantityError,
};

/// A study: the work, the limits, and what things cost. The candidates are the experiment's targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareWorkload {
    /// What the study is about, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The work.
    pub work: Work,
    /// What a candidate must meet.
    #[serde(default)]
    pub limits: Limits,
    /// What the sheets do not know of prices.
    #[serde(default, skip_serializing_if = "Prices::is_empty")]
    pub prices: Prices,
    /// Whether two chips in turn, one written while the other erases, are candidates as well.
    #[serde(default)]
    pub in_turn: bool,
}

/// Work that a memory has to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// What the accesses are.
    pub kind: WorkKind,
    /// Bytes a second that come while the work goes on.
    #[schemars(with = "String")]
    pub rate: DataRate,
    /// Bytes of one access.
    #[schemars(with = "String")]
    pub record: ByteCount,
    /// Share of the time in which the work goes on; always, where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub duty: Option<Fraction>,
    /// The data to keep; what comes in an hour, where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub keep: Option<Keep>,
    /// Share of the memory that the data to keep may fill; all of it, where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub utilization: Option<Fraction>,
    /// Share of a memory behind a translation layer that holds data before; all of a card, and of raw flash the data
    /// to keep, where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub fill: Option<Fraction>,
    /// Share of the accesses that read, of work that mixes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reads: Option<Fraction>,
    /// The trace that is replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// Temperature of the memory in degrees Celsius, while it works and while it keeps; 25, where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_celsius: Option<f64>,
    /// How long what was written must keep at the end of life; until it is overwritten as the data to keep are, where
    /// nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
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
    pub fn keep(&self) -> Keep {
        self.keep
            .unwrap_or_else(|| Keep::For(Period::from_si(3_600.0)))
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

    /// Share of the accesses that read.
    #[must_use]
    pub fn reads(&self) -> f64 {
        self.reads.map_or_else(|| self.kind.reads(), Fraction::si)
    }
}

/// What the accesses of a piece of work are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkKind {
    /// Records are written one after the other, over the oldest ones in the end.
    Log,
    /// Records are written over each other, anywhere in the data to keep.
    Overwrite,
    /// Records are read in order, as a boot image is.
    Read,
    /// Reads anywhere in the data, and writes in order: nine of ten accesses read.
    ReadMostly,
    /// As read-mostly, with as many writes as reads.
    Mixed,
    /// What a trace asked for.
    Replay,
}

impl WorkKind {
    /// Every kind, as studies spell them.
    pub const ALL: [Self; 6] = [
        Self::Log,
        Self::Overwrite,
        Self::Read,
        Self::ReadMostly,
        Self::Mixed,
        Self::Replay,
    ];

    /// As studies and the command line spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Overwrite => "overwrite",
            Self::Read => "read",
            Self::ReadMostly => "read-mostly",
            Self::Mixed => "mixed",
            Self::Replay => "replay",
        }
    }

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

impl FromStr for WorkKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("allowed: {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// The data to keep: so many bytes, or what comes in a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keep {
    /// So many bytes.
    Bytes(ByteCount),
    /// What comes while the work goes on for so long, pauses not counted.
    For(Period),
}

impl Keep {
    /// The bytes that this is at a rate.
    #[must_use]
    pub fn bytes(self, rate: DataRate) -> f64 {
        match self {
            Self::Bytes(bytes) => bytes.si(),
            Self::For(period) => period.si() * rate.si(),
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::For(period) => period.fmt(f),
        }
    }
}

impl FromStr for Keep {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        match text.parse() {
            Ok(bytes) => Ok(Self::Bytes(bytes)),
            Err(_) => text.parse().map(Self::For),
        }
    }
}

impl Serialize for Keep {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error| {
            serde::de::Error::custom(format!("{error}; or a size, such as \"2 GiB\""))
        })
    }
}

macro_rules! limits {
    ($($(#[$doc:meta])* $field:ident: $type:ty as $schema:literal,)*) => {
        /// What a candidate must meet; a limit that is not stated is met by all.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct Limits {
            $(
                $(#[$doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schemars(with = $schema)]
                pub $field: Option<$type>,
            )*
        }
    };
}

limits! {
    /// RAM for records that wait.
    ram: ByteCount as "Option<String>",
    /// Longest access.
    latency: Period as "Option<String>",
    /// Least life.
    life: Period as "Option<String>",
    /// What ends a life; the rated cycles, where nothing is said.
    life_by: LifeBy as "Option<LifeBy>",
    /// Most probable loss of a page that is kept, with which a life with retention ends; 0.001 %, where nothing
    /// is said.
    page_loss: Fraction as "Option<String>",
    /// Energy in a day, of memory and host.
    energy_per_day: Energy as "Option<String>",
    /// Bytes that a power cut may lose.
    bytes_at_risk: ByteCount as "Option<String>",
    /// Largest hold-up capacitor.
    holdup: Capacitance as "Option<String>",
    /// Price of memory, RAM and level shifter.
    cost: Money as "Option<String>",
    /// Most chips that one candidate may consist of.
    parts: u64 as "Option<u64>",
}

impl Limits {
    /// The probability with which a page that is kept may be lost at the end of life, unless a study says
    /// otherwise: an assumption. Of a page of 2 KiB it is one wrong bit in some 10^9, far more than the 10^-15 or 10^-16
    /// that solid-state drives are rated for behind their own stronger codes and redundancy.
    pub const PAGE_LOSS: f64 = 1e-5;

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

/// What ends the life of a memory. Data that no longer keep end it in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LifeBy {
    /// The cycles that its sheet rates it for.
    Rated,
    /// Failures that the chip itself reports, of programs and erases, until its spare blocks are used up.
    StatusFail,
}

impl LifeBy {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Rated, Self::StatusFail];

    /// As studies and the command line spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rated => "rated",
            Self::StatusFail => "status-fail",
        }
    }
}

impl FromStr for LifeBy {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|by| by.name() == text);
        found.ok_or_else(|| format!("allowed: {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// Prices that the sheets do not know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Of a KiB of RAM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub ram_per_kib: Option<Money>,
    /// Of a level shifter for one chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub level_shifter: Option<Money>,
    /// Of parts, by their id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub parts: BTreeMap<String, Money>,
}

impl Prices {
    /// Whether it states none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
