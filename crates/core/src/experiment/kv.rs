//! The workloads of `wordline kv`: hash tables on byte-addressable memories.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::engine::EngineName;
use crate::names::named;
use crate::quantity::{ByteCount, Fraction, Quantity as _};

/// What is done with hash tables, each on each memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct KvWorkload {
    /// Tables, each run by itself; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "table"))]
    pub tables: Vec<EngineName>,
    /// Where the project's table keeps its directory: in RAM, or in the memory, which takes next to no RAM;
    /// repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "directory"))]
    pub directories: Vec<KvDirectory>,
    /// What is done.
    #[cfg_attr(feature = "cli", arg(skip = KvTest::Bench(KvBench::default())))]
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
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct KvBench {
    /// What is done with a table, each on one of its own; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "workload", value_name = "WORKLOAD"))]
    pub works: Vec<KvWork>,
    /// Bytes of each memory, from its first on, that a table gets: all of a smaller one; a file has as many.
    #[cfg_attr(feature = "cli", arg(long = "capacity"))]
    pub capacity_bytes: u64,
    /// Bytes in keys and values, KEY/VALUE or one size for both; repeatable and comma-separated.
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "cli", arg(long = "size", value_name = "SIZE"))]
    pub sizes: Vec<KvSizes>,
    /// Share of a table's places that is taken before it is read; repeatable and comma-separated.
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "cli", arg(long = "load"))]
    pub loads: Vec<Fraction>,
    /// What a table's own work takes on a simulated processor; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "build"))]
    pub builds: Vec<KvBuild>,
    /// The most operations that are timed once a table is filled, of the sweep of each kind, and in a file of
    /// its inserts as well [default: as many as it holds records, and 10000 of a mix; on the host 2000 in each
    /// repeat; in a file 20, and 200 of a mix].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub operations: Option<u64>,
    /// Repeats of each measurement on this machine, 1 to 100: medians count, from 6 repeats on with a 95 % interval
    /// [default: 9].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub repeat: Option<u64>,
}

impl KvBench {
    /// Operations of a mix unless said otherwise.
    pub const MIXED: u64 = 10_000;
    /// Operations of each kind, and of a mix, in this machine's RAM unless said otherwise.
    pub const ON_HOST: u64 = 2000;
    /// Operations of each kind in a file unless said otherwise.
    pub const ON_DISK: u64 = 20;
    /// Operations of a mix in a file unless said otherwise.
    pub const MIXED_ON_DISK: u64 = 200;
    /// Repeats of a measurement on this machine unless said otherwise: the second lowest and the second highest of nine
    /// enclose the median with more than 95 %, so that one outlier on each side does not widen the interval.
    pub const REPEATS: u64 = 9;
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
            repeat: None,
        }
    }
}

/// Power cuts within a fixed workload of inserts, updates and, where the table can, removes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct KvCrash {
    /// Bytes in keys and values, KEY/VALUE or one size for both; repeatable and comma-separated.
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "cli", arg(long = "size", value_name = "SIZE"))]
    pub sizes: Vec<KvSizes>,
    /// Images that are sampled [default: every one; of redb sixteen of each access].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub images: Option<u64>,
}

named! {
    /// Where a table keeps what it knows of its slots.
    pub enum KvDirectory {
        /// In RAM: searches read nothing of the memory.
        Ram = "ram",
        /// In the table's memory: it takes next to no RAM.
        Resident = "resident",
    }
}

named! {
    /// What is done with a table.
    pub enum KvWork {
        /// Inserts, hits, misses, updates and deletes, each kind by itself.
        Sweep = "sweep",
        /// YCSB A: half reads, half updates, zipfian.
        YcsbA = "ycsb-a",
        /// YCSB B: 95 % reads, 5 % updates, zipfian.
        YcsbB = "ycsb-b",
        /// YCSB C: reads, zipfian.
        YcsbC = "ycsb-c",
        /// YCSB D: 95 % reads of the newest records, 5 % inserts.
        YcsbD = "ycsb-d",
        /// YCSB E: scans, which a hash table cannot do.
        YcsbE = "ycsb-e",
        /// YCSB F: half reads, half read-modify-writes, zipfian.
        YcsbF = "ycsb-f",
        /// A general pool of a production cache: records of many sizes, 30 gets for each set.
        Etc = "etc",
        /// A pool of a production cache for the status of users: keys of 16 and 21 bytes, values of 2, next to no sets.
        Usr = "usr",
        /// The store below a database of a social graph: 27 bytes of key and 127 of value in the mean, four gets for each put.
        Udb = "udb",
        /// A distributed store, here of where objects lie: keys of 48 bytes, short values, six gets for each put.
        ZippyDb = "zippydb",
        /// A store of counters for machine learning: 10 bytes of key and 47 of value in the mean, nearly all read-modify-writes.
        Up2x = "up2x",
    }
}

impl KvWork {
    /// Whether records have sizes of their own, whatever sizes were named.
    #[must_use]
    pub const fn has_own_sizes(self) -> bool {
        matches!(
            self,
            Self::Etc | Self::Usr | Self::Udb | Self::ZippyDb | Self::Up2x
        )
    }
}

named! {
    /// What the time of a table's own work on the processor is that of.
    pub enum KvBuild {
        /// A build like the published one, with which the board's figure was calibrated where there is one.
        Published = "published",
        /// An optimised build that runs from caches: assumed.
        Optimized = "optimized",
        /// None: the time of the memory and its driver alone.
        None = "none",
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

#[cfg(feature = "cli")]
impl KvWorkload {
    fn read(matches: &clap::ArgMatches, test: KvTest) -> Result<super::Workload, clap::Error> {
        let workload = <Self as clap::FromArgMatches>::from_arg_matches(matches)?;
        Ok(super::Workload::Kv(Self { test, ..workload }))
    }
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual_bench() -> super::Workload {
    super::Workload::Kv(KvWorkload {
        tables: Vec::new(),
        directories: vec![KvDirectory::Ram],
        test: KvTest::Bench(KvBench::default()),
    })
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual_crash() -> super::Workload {
    super::Workload::Kv(KvWorkload {
        tables: Vec::new(),
        directories: KvDirectory::ALL.to_vec(),
        test: KvTest::Crash(KvCrash {
            sizes: vec![KvSizes::equal(8)],
            images: None,
        }),
    })
}

/// `wordline kv bench`.
#[cfg(feature = "cli")]
pub(super) const BENCH: super::ExperimentCommand = super::ExperimentCommand {
    path: &["kv", "bench"],
    about: "Time inserts, updates, hits, misses and deletes, with the least that any durable table moves beside them",
    examples: "\
Examples:
  wordline kv bench --target as3004316@stm32h743-fmc16
  wordline kv bench --table lpht,own --directory ram,resident --size 4B,32B,16B/100B \\
    --load 50%,90% --target em064lx
  wordline kv bench --workload ycsb-a,ycsb-c,ycsb-d --size 8B --target as3004316,em064lx
  wordline kv bench --workload etc,usr,udb,zippydb,up2x --table own --target em064lx --capacity 4MiB
  wordline kv bench --table own --target as3004316,em064lx,cy15b104q --export kv.html
  wordline kv bench --size 8B,32B --target as3004316,ram@host,file:table.bin

Without flags the sizes, the capacity and the lower load are those of \"Towards MRAM Byte-Addressable Persistent Memory in
Edge Database Systems\": put(key, key) of 2 to 256 B into 512 KiB until half of it is taken.",
    target: "PART@BOARD, or PART on its default board; ram@BOARD for the RAM of a board's processor, and ram for DRAM, that of \
             rpi3-sd; of this machine file:PATH, a mapped file, and ram@host; repeatable and comma-separated",
    timing: "typ",
    fixed: crate::Timing::Typ,
    layer: false,
    flags: |command| {
        let command = <KvWorkload as clap::Args>::augment_args(command);
        <KvBench as clap::Args>::augment_args(command)
    },
    read: |matches| {
        let test = clap::FromArgMatches::from_arg_matches(matches)?;
        KvWorkload::read(matches, KvTest::Bench(test))
    },
    default: usual_bench,
};

/// `wordline kv crash`.
#[cfg(feature = "cli")]
pub(super) const CRASH: super::ExperimentCommand = super::ExperimentCommand {
    path: &["kv", "crash"],
    about: "Cut the power within every access of a workload, open what is left, and say what is lost",
    examples: "\
Examples:
  wordline kv crash --target as3004316@stm32h743-fmc16
  wordline kv crash --table own --directory ram,resident --target em064lx,cy15b104q \\
    --size 4B,32B,100B --require own

The memory is the kindest of its kind: it stores what arrives on its bus in order. On a part with error correction
inside a store in flight spoils the word of it. A table passes where every call is done or not done, and what
returned lasts.

Exit code 1: a table that --require names lost something. Otherwise the verdict is a figure like others.",
    target: "PART@BOARD, or PART on its default board; repeatable and comma-separated",
    timing: "typ",
    fixed: crate::Timing::Typ,
    layer: false,
    flags: |command| {
        let command = <KvWorkload as clap::Args>::augment_args(command);
        <KvCrash as clap::Args>::augment_args(command)
    },
    read: |matches| {
        let test = clap::FromArgMatches::from_arg_matches(matches)?;
        KvWorkload::read(matches, KvTest::Crash(test))
    },
    default: usual_crash,
};

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
