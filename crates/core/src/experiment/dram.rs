//! The workload of `wordline dram`: DDR5 modules behind the memory controllers of a server.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Pattern;

/// A test of memory modules. Targets are `MODULE@SYSTEM`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DramWorkload {
    /// What is run.
    pub test: DramTest,
    /// Choices that no maker discloses and that are not at their defaults, by name; of every target that has
    /// them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Simulated time in picoseconds before anything counts.
    pub warm_up_ps: u64,
    /// Simulated time in picoseconds that counts, at least.
    pub measure_ps: u64,
}

impl DramWorkload {
    /// Warm-up in picoseconds unless said otherwise: queues are full and rows are open long before.
    pub const WARM_UP_PS: u64 = 20_000_000;

    /// Time that counts in picoseconds unless said otherwise: more than 25 refresh intervals of every rank.
    pub const MEASURE_PS: u64 = 100_000_000;

    /// A test with every setting at its default.
    #[must_use]
    pub const fn of(test: DramTest) -> Self {
        Self {
            test,
            settings: BTreeMap::new(),
            warm_up_ps: Self::WARM_UP_PS,
            measure_ps: Self::MEASURE_PS,
        }
    }
}

/// What is run on every target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum DramTest {
    /// One core follows a chain of pointers, and nothing else happens.
    Idle(IdleTest),
    /// All cores move as much as they can.
    Bandwidth(BandwidthTest),
    /// Some cores follow chains of pointers while the others load the memory, less and less.
    Loaded(LoadedTest),
    /// A trace of somebody's program is replayed.
    Trace(DramTraceTest),
}

impl DramTest {
    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Idle(_) => "idle",
            Self::Bandwidth(_) => "bandwidth",
            Self::Loaded(_) => "loaded",
            Self::Trace(_) => "trace",
        }
    }
}

/// Latency without load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdleTest {
    /// Reads whose latency is taken.
    pub samples: u64,
}

/// Throughput of mixes of reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BandwidthTest {
    /// Mixes, each run by itself.
    pub mixes: Vec<Mix>,
    /// Orders of the addresses, each run by itself.
    pub patterns: Vec<Pattern>,
    /// For which mixes the gain over the first target gets its band.
    pub band: Band,
}

/// Latency under load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadedTest {
    /// Pauses of a loading core between two lines, in cycles of its clock, ascending; each run by itself.
    pub delays_cycles: Vec<u64>,
    /// What the loading cores do.
    pub mix: Mix,
    /// Order of their addresses.
    pub pattern: Pattern,
    /// Reads whose latency is taken, at every delay.
    pub samples: u64,
    /// Cores that follow chains of pointers; the others load the memory.
    pub probes: u32,
    /// Times in picoseconds for which the share of the samples is told that are no longer than that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within_ps: Vec<u64>,
}

impl LoadedTest {
    /// Pauses unless said otherwise: from none to one that leaves the memory all but idle.
    pub const DELAYS_CYCLES: [u64; 19] = [
        0, 2, 8, 15, 50, 100, 200, 300, 400, 500, 700, 1000, 1300, 1700, 2500, 3500, 5000, 9000,
        20_000,
    ];

    /// Samples at a point unless said otherwise.
    pub const SAMPLES: u64 = 100_000;

    /// Cores that follow chains of pointers unless said otherwise: so many that the samples of a saturated memory take
    /// a few milliseconds, so few that they are no load.
    pub const PROBES: u32 = 16;
}

/// A trace of lines that a program asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DramTraceTest {
    /// The file, or `-` for standard input.
    pub file: String,
    /// Its format, where its content does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The clock in Hz that its cycles are counted in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_hz: Option<u64>,
    /// Whether an address within a line of 64 bytes is taken for the line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub align: bool,
    /// Whether an address beyond the memory is taken modulo its size.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fold: bool,
    /// Whether every command is held against an independent table of the rules.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub check: bool,
}

/// How many lines are read for each that is written.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Mix {
    /// Reads alone.
    #[serde(rename = "1:0")]
    Reads,
    /// Three reads for each write.
    #[serde(rename = "3:1")]
    ThreeToOne,
    /// Two reads for each write.
    #[serde(rename = "2:1")]
    TwoToOne,
    /// As many reads as writes.
    #[serde(rename = "1:1")]
    OneToOne,
    /// Stream triad with non-temporal stores: two streams are read, a third is written.
    #[serde(rename = "triad")]
    Triad,
}

impl Mix {
    /// Every mix, in the order of the tables.
    pub const ALL: [Self; 5] = [
        Self::Reads,
        Self::ThreeToOne,
        Self::TwoToOne,
        Self::OneToOne,
        Self::Triad,
    ];

    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "1:0",
            Self::ThreeToOne => "3:1",
            Self::TwoToOne => "2:1",
            Self::OneToOne => "1:1",
            Self::Triad => "triad",
        }
    }

    /// The mix of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mix| mix.name() == name)
    }

    /// Share of the bytes that are read.
    #[must_use]
    pub const fn read_share(self) -> f64 {
        match self {
            Self::Reads => 1.0,
            Self::ThreeToOne => 0.75,
            Self::TwoToOne | Self::Triad => 2.0 / 3.0,
            Self::OneToOne => 0.5,
        }
    }

    /// What the `operation` of its rows says.
    #[must_use]
    pub const fn operation(self) -> &'static str {
        match self {
            Self::Reads => "read",
            Self::ThreeToOne | Self::TwoToOne | Self::OneToOne | Self::Triad => "read_write",
        }
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// For which mixes a gain is run again with each alternative of each undisclosed choice.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Band {
    /// For reads.
    #[default]
    Reads,
    /// For every mix.
    All,
    /// For none.
    None,
}

impl Band {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Reads, Self::All, Self::None];

    /// As the command line spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::All => "all",
            Self::None => "none",
        }
    }

    /// Whether a mix has a band.
    #[must_use]
    pub fn covers(self, mix: Mix) -> bool {
        match self {
            Self::Reads => mix == Mix::Reads,
            Self::All => true,
            Self::None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_json_says() {
        for mix in Mix::ALL {
            let json = serde_json::to_string(&mix).expect("an enum serialises");
            assert_eq!(json, format!("\"{}\"", mix.name()));
            assert_eq!(Mix::from_name(mix.name()), Some(mix));
        }
        for band in Band::ALL {
            let json = serde_json::to_string(&band).expect("an enum serialises");
            assert_eq!(json, format!("\"{}\"", band.name()));
        }
        assert_eq!(Mix::from_name("4:1"), None);
    }
}
