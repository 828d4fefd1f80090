//! The workloads of `wordline kv`: hash tables on byte-addressable memories.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fs::named;
use crate::quantity::{ByteCount, Fraction, Quantity as _};

/// What is done with hash tables, each on each memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KvWorkload {
    /// Tables, each run by itself.
    pub tables: Vec<KvTable>,
    /// Where the directory of the project's own table lies, each run by itself.
    pub directories: Vec<KvDirectory>,
    /// What is done.
    pub test: KvTest,
}

/// What is done with hash tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KvTest {
    /// Operations in simulated time.
    Bench(KvBench),
    /// Power cuts.
    Crash(KvCrash),
}

impl KvTest {
    /// As the command line spells it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bench(_) => "bench",
            Self::Crash(_) => "crash",
        }
    }
}

/// Operations in simulated time: the table is filled to a load, and then used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KvBench {
    /// What is done, each on a table of its own.
    pub works: Vec<KvWork>,
    /// Bytes of each memory, from its first on, that a table gets: all of a smaller one.
    pub capacity_bytes: u64,
    /// Bytes in keys and values, each run by itself.
    #[schemars(with = "Vec<String>")]
    pub sizes: Vec<KvSizes>,
    /// Shares of a table's places that are taken, each run by itself.
    #[schemars(with = "Vec<String>")]
    pub loads: Vec<Fraction>,
    /// How the software on a simulated processor is built, each run by itself; none where no memory is simulated.
    pub builds: Vec<KvBuild>,
    /// The most operations that are timed once a table is filled, of the sweep of each kind: as many as it holds records
    /// where it is `None`, and of mixes [`MIXED`](Self::MIXED). In a file, whose disk every change waits for,
    /// inserts are among them, and these are [`ON_DISK`](Self::ON_DISK) and [`MIXED_ON_DISK`](Self::MIXED_ON_DISK).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
}

impl KvBench {
    /// Operations of a mix unless said otherwise.
    pub const MIXED: u64 = 10_000;
    /// Operations of each kind in a file unless said otherwise.
    pub const ON_DISK: u64 = 50;
    /// Operations of a mix in a file unless said otherwise.
    pub const MIXED_ON_DISK: u64 = 500;
}

impl Default for KvBench {
    /// As in "Towards MRAM Byte-Addressable Persistent Memory in Edge Database Systems": put(key, key) of 2 to 256 B
    /// into a table of 512 KiB until half of it is taken; and besides until nine tenths are.
    fn default() -> Self {
        let sizes = (1..=8).map(|power| 1 << power);
        Self {
            works: vec![KvWork::Sweep],
            capacity_bytes: 512 << 10,
            sizes: sizes.map(KvSizes::equal).collect(),
            loads: [0.5, 0.9].map(Fraction::from_si).to_vec(),
            builds: vec![KvBuild::Published],
            operations: None,
        }
    }
}

/// Power cuts within a fixed workload of inserts, updates and, where the table can, removes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KvCrash {
    /// Bytes in keys and values, each run by itself.
    #[schemars(with = "Vec<String>")]
    pub sizes: Vec<KvSizes>,
    /// Images of interrupted runs that are sampled; every one where it is `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<u64>,
}

/// A hash table.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum KvTable {
    /// Linear probing with a bitmap, as published.
    Lpht,
    /// Buckets of a cache line, as published.
    Clht,
    /// The project's own, which survives power cuts.
    Own,
}

impl KvTable {
    /// All.
    pub const ALL: [Self; 3] = [Self::Lpht, Self::Clht, Self::Own];

    /// As the command line and the column `table` of result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lpht => "lpht",
            Self::Clht => "clht",
            Self::Own => "own",
        }
    }

    /// As people read it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Lpht => "LPHT",
            Self::Clht => "CLHT",
            Self::Own => "wordline-kv",
        }
    }

    /// Whether it promises that a power cut leaves each call done or not done.
    #[must_use]
    pub const fn survives_power_cuts(self) -> bool {
        matches!(self, Self::Own)
    }
}

impl FromStr for KvTable {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &Self::ALL, Self::name)
    }
}

/// Where a table keeps what it knows of its slots.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum KvDirectory {
    /// In RAM: searches read nothing of the memory.
    Ram,
    /// In the table's memory: it takes next to no RAM.
    Resident,
}

impl KvDirectory {
    /// All.
    pub const ALL: [Self; 2] = [Self::Ram, Self::Resident];

    /// As the command line and the column `directory` of result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ram => "ram",
            Self::Resident => "resident",
        }
    }
}

impl FromStr for KvDirectory {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &Self::ALL, Self::name)
    }
}

/// What is done with a table.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum KvWork {
    /// Inserts, hits, misses, updates and deletes, each kind by itself.
    Sweep,
    /// YCSB A: half reads, half updates, zipfian.
    YcsbA,
    /// YCSB B: 95 % reads, 5 % updates, zipfian.
    YcsbB,
    /// YCSB C: reads, zipfian.
    YcsbC,
    /// YCSB D: 95 % reads of the newest records, 5 % inserts.
    YcsbD,
    /// YCSB E: scans, which a hash table cannot do.
    YcsbE,
    /// YCSB F: half reads, half read-modify-writes, zipfian.
    YcsbF,
    /// A general pool of a production cache: records of many sizes, 30 gets for each set.
    Etc,
    /// A pool of a production cache for the status of users: keys of 16 and 21 bytes, values of 2, next to no sets.
    Usr,
    /// The store below a database of a social graph: 27 bytes of key and 127 of value in the mean, four gets for each put.
    Udb,
    /// A distributed store, here of where objects lie: keys of 48 bytes, short values, six gets for each put.
    #[serde(rename = "zippydb")]
    ZippyDb,
    /// A store of counters for machine learning: 10 bytes of key and 47 of value in the mean, nearly all read-modify-writes.
    Up2x,
}

impl KvWork {
    /// All.
    pub const ALL: [Self; 12] = [
        Self::Sweep,
        Self::YcsbA,
        Self::YcsbB,
        Self::YcsbC,
        Self::YcsbD,
        Self::YcsbE,
        Self::YcsbF,
        Self::Etc,
        Self::Usr,
        Self::Udb,
        Self::ZippyDb,
        Self::Up2x,
    ];

    /// As the command line and the column `work` of result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sweep => "sweep",
            Self::YcsbA => "ycsb-a",
            Self::YcsbB => "ycsb-b",
            Self::YcsbC => "ycsb-c",
            Self::YcsbD => "ycsb-d",
            Self::YcsbE => "ycsb-e",
            Self::YcsbF => "ycsb-f",
            Self::Etc => "etc",
            Self::Usr => "usr",
            Self::Udb => "udb",
            Self::ZippyDb => "zippydb",
            Self::Up2x => "up2x",
        }
    }

    /// Whether records have sizes of their own, whatever sizes were named.
    #[must_use]
    pub const fn has_own_sizes(self) -> bool {
        matches!(
            self,
            Self::Etc | Self::Usr | Self::Udb | Self::ZippyDb | Self::Up2x
        )
    }
}

impl FromStr for KvWork {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &Self::ALL, Self::name)
    }
}

/// What the time of a table's own work on the processor is that of.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum KvBuild {
    /// A build like the published one, with which the board's figure was calibrated where there is one.
    Published,
    /// An optimised build that runs from caches: assumed.
    Optimized,
    /// None: the time of the memory and its driver alone.
    None,
}

impl KvBuild {
    /// All.
    pub const ALL: [Self; 3] = [Self::Published, Self::Optimized, Self::None];

    /// As the command line and the column `build` of result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Optimized => "optimized",
            Self::None => "none",
        }
    }
}

impl FromStr for KvBuild {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &Self::ALL, Self::name)
    }
}

/// Bytes in each key and in each value. In text `32B`, where both have as many, or `16B/100B`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KvSizes {
    /// Bytes in a key.
    pub key_bytes: u64,
    /// Bytes in a value.
    pub value_bytes: u64,
}

impl KvSizes {
    /// Keys and values of as many bytes.
    #[must_use]
    pub const fn equal(bytes: u64) -> Self {
        Self {
            key_bytes: bytes,
            value_bytes: bytes,
        }
    }
}

impl fmt::Display for KvSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", ByteCount::from_bytes(self.key_bytes))?;
        if self.value_bytes == self.key_bytes {
            return Ok(());
        }
        write!(f, "/{}", ByteCount::from_bytes(self.value_bytes))
    }
}

impl FromStr for KvSizes {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let size = |text: &str| {
            text.trim()
                .parse::<ByteCount>()
                .map(ByteCount::bytes)
                .map_err(|error| {
                    format!("{error}; allowed: KEY or KEY/VALUE, such as 32B or 16B/100B")
                })
        };
        let (key, value) = text.split_once('/').unwrap_or((text, text));
        Ok(Self {
            key_bytes: size(key)?,
            value_bytes: size(value)?,
        })
    }
}

impl Serialize for KvSizes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KvSizes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_survive_text_and_a_wrong_one_names_the_form() {
        for (text, key_bytes, value_bytes) in
            [("32B", 32, 32), ("16B/100B", 16, 100), ("1KiB/0B", 1024, 0)]
        {
            let sizes: KvSizes = text.parse().expect("sizes");
            assert_eq!(
                (sizes.key_bytes, sizes.value_bytes),
                (key_bytes, value_bytes)
            );
            assert_eq!(sizes.to_string().parse(), Ok(sizes));
        }
        let error = "16/".parse::<KvSizes>().expect_err("no value");
        assert!(error.contains("KEY/VALUE"), "{error}");
    }
}
