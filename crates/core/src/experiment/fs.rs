//! The workload of `wordline fs bench`: file systems on memories.

use std::collections::BTreeMap;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::{Fraction, Quantity as _};

/// Calls of file systems, each file system on each memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FsWorkload {
    /// File systems, each run by itself.
    pub file_systems: Vec<FsKind>,
    /// What is done, each on a memory that was formatted and filled for it.
    pub tests: Vec<FsTest>,
    /// Bytes of each memory, from its first on, that a file system gets: all of a smaller one. Where it is `None`, each
    /// memory's own share, which hangs on no other target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_bytes: Option<u64>,
    /// Length in bytes of the file that is written and read.
    pub file_bytes: u64,
    /// Bytes of a call that writes or reads it.
    pub access_bytes: u64,
    /// Bytes that are appended and synced at a time.
    pub record_bytes: u64,
    /// Small files.
    pub files: u64,
    /// Bytes of a small file, and of what is appended to it.
    pub small_bytes: u64,
    /// Shares of the file system's room that hold other files, each run by itself.
    #[schemars(with = "Vec<String>")]
    pub fill: Vec<Fraction>,
    /// Input rates in bytes per second whose RAM is answered for the calls that write.
    #[serde(default)]
    pub rates_bytes_per_s: Vec<f64>,
    /// Images of interrupted runs that are sampled for the verdict on power cuts; none, where it is 0.
    #[serde(default)]
    pub crash_images: u64,
    /// Choices of a file system that are not its defaults, by `FS.NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

impl Default for FsWorkload {
    /// Small enough that every file system runs on several memories within seconds.
    fn default() -> Self {
        Self {
            file_systems: FsKind::ALL.to_vec(),
            tests: FsTest::ALL.to_vec(),
            capacity_bytes: None,
            file_bytes: 64 << 10,
            access_bytes: 2048,
            record_bytes: 256,
            files: 40,
            small_bytes: 50,
            fill: vec![Fraction::from_si(0.0), Fraction::from_si(0.5)],
            rates_bytes_per_s: vec![10e3],
            crash_images: 200,
            settings: BTreeMap::new(),
        }
    }
}

impl FsWorkload {
    /// Small files as users of littlefs describe them who report stalls: some 750, most of 50 B
    /// (<https://github.com/littlefs-project/littlefs/issues/1079>).
    pub const REPORTED_FILES: u64 = 750;
}

/// A file system.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum FsKind {
    /// littlefs, in C.
    Littlefs,
    /// FAT, by the crate `fatfs` (rust-fatfs).
    Fat,
}

impl FsKind {
    /// All.
    pub const ALL: [Self; 2] = [Self::Littlefs, Self::Fat];

    /// As the command line and the column `fs` of result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Littlefs => "littlefs",
            Self::Fat => "fat",
        }
    }

    /// As people read it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Littlefs => "littlefs",
            Self::Fat => "FAT (rust-fatfs)",
        }
    }

    /// Whether it promises that a power cut takes nothing that was synced, and leaves each call done or not done.
    #[must_use]
    pub const fn survives_power_cuts(self) -> bool {
        matches!(self, Self::Littlefs)
    }
}

impl FromStr for FsKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &Self::ALL, Self::name)
    }
}

/// What is done with a file system.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FsTest {
    /// A file is written from its start to its end, and read.
    Sequential,
    /// A file that is there is written again from its start to its end.
    Overwrite,
    /// A file that is there is written and read at random places.
    Random,
    /// Records are appended to a file, each synced: a log.
    Append,
    /// Small files are created, looked up, appended to and deleted.
    SmallFiles,
}

impl FsTest {
    /// All.
    pub const ALL: [Self; 5] = [
        Self::Sequential,
        Self::Overwrite,
        Self::Random,
        Self::Append,
        Self::SmallFiles,
    ];

    /// As the command line spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Overwrite => "overwrite",
            Self::Random => "random",
            Self::Append => "append",
            Self::SmallFiles => "small-files",
        }
    }
}

impl FromStr for FsTest {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &Self::ALL, Self::name)
    }
}

/// One of several by its name.
pub(super) fn named<T: Copy>(
    text: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, String> {
    let found = all.iter().copied().find(|one| name(*one) == text);
    found.ok_or_else(|| {
        let names: Vec<_> = all.iter().copied().map(name).collect();
        format!("allowed: {}", names.join(", "))
    })
}
