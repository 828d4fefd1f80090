//! The workload of `wordline host`: the memory and the storage of this machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Pattern;
use super::dram::Mix;
use crate::RowOperation;
use crate::names::named;
use crate::quantity::{Fraction, Quantity as _};

/// A test of this machine. Its rows have the target `ram@LABEL`, or `file@LABEL` of storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct HostWorkload {
    /// What is measured.
    #[cfg_attr(feature = "cli", arg(skip = HostTest::Latency(HostLatencyTest::default())))]
    pub test: HostTest,
    /// Name of the machine in the results, so that those of several machines can be told apart.
    #[cfg_attr(feature = "cli", arg(long))]
    pub label: String,
}

impl HostWorkload {
    /// Name of the machine unless said otherwise.
    pub const LABEL: &'static str = "host";

    /// A test under the usual name.
    #[must_use]
    pub fn of(test: HostTest) -> Self {
        Self {
            test,
            label: Self::LABEL.to_owned(),
        }
    }
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum HostTest {
    /// Idle latency over working sets.
    Latency(HostLatencyTest),
    /// Latency from node to node, and of a line handed from core to core.
    Matrix(HostMatrixTest),
    /// Throughput by threads and mix.
    Bandwidth(HostBandwidthTest),
    /// Some cores follow chains of pointers while the others load the memory, less and less.
    Loaded(HostLoadedTest),
    /// All four tests of memory with their defaults.
    All(HostAllTest),
    /// A file or a block device.
    Storage(HostStorageTest),
    /// What another tool measured.
    Import(HostImportTest),
}

impl HostTest {
    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Latency(_) => "latency",
            Self::Matrix(_) => "matrix",
            Self::Bandwidth(_) => "bandwidth",
            Self::Loaded(_) => "loaded",
            Self::All(_) => "all",
            Self::Storage(_) => "storage",
            Self::Import(_) => "import",
        }
    }
}

/// How memory is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct HostAccess {
    /// Instructions that move lines [default: avx2, which lowers no clock, else the widest that
    /// the processor has].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub kernel: Option<KernelName>,
    /// NUMA node that the memory is asked of, and the core that measures, unless --cpu names another [default: that of the
    /// measuring core].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_parser = super::options::small_number))]
    pub node: Option<u32>,
    /// Processor that measures: of latency, of the first probe under load, of the first thread of bandwidth [default: the
    /// last one, of the node where --node names it].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_parser = super::options::small_number))]
    pub cpu: Option<u32>,
}

/// Latency of one load after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct HostLatencyTest {
    /// Working sets; repeatable and comma-separated [default: from 4KiB to 16 times the last cache, at least 512MiB, closer
    /// where the curve bends].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long = "size"))]
    pub size_bytes: Vec<u64>,
    /// Sizes of pages that are asked for; rows say what was obtained.
    #[cfg_attr(feature = "cli", arg(long = "pages"))]
    pub pages: Vec<HostPages>,
    /// Orders of the lines, so that time in memory and time of page walks are told apart.
    #[cfg_attr(feature = "cli", arg(long = "order"))]
    pub orders: Vec<ChainOrder>,
    /// Loads at each working set, at most; fewer where the median is known to 1 %.
    #[cfg_attr(feature = "cli", arg(long))]
    pub samples: u64,
    /// How memory is reached.
    #[serde(default)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub access: HostAccess,
}

/// Latency between places of the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct HostMatrixTest {
    /// Loads from node to node, and handovers of a line from core to core, for each pair at most.
    #[cfg_attr(feature = "cli", arg(long))]
    pub samples: u64,
}

/// Throughput.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct HostBandwidthTest {
    /// Threads, each on a core of its own; repeatable and comma-separated [default: 1, 2, 4 and so on, and all].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub threads: Vec<u32>,
    /// Lines read for each that is written, on the bus; copy and triad as a program writes them.
    #[cfg_attr(feature = "cli", arg(long = "mix"))]
    pub mixes: Vec<HostMix>,
    /// How lines are stored; plain stores read a line first.
    #[cfg_attr(feature = "cli", arg(long = "stores"))]
    pub stores: Vec<StoreKind>,
    /// Bytes that all threads walk together [default: four times the last cache, at least 256 MiB].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "size"))]
    pub size_bytes: Option<u64>,
    /// Size of pages that is asked for; rows say what was obtained.
    #[cfg_attr(feature = "cli", arg(long))]
    pub pages: HostPages,
    /// Passes over the memory for each line of the result.
    #[cfg_attr(feature = "cli", arg(long))]
    pub passes: u32,
    /// How memory is reached.
    #[serde(default)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub access: HostAccess,
}

/// Latency under load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct HostLoadedTest {
    /// Pauses of the loading cores in cycles, ascending; without them they are placed where the curve bends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long = "delay", value_name = "CYCLES"))]
    pub delays_cycles: Vec<u64>,
    /// Lines that the loading cores read for each that they write, on the bus.
    #[cfg_attr(feature = "cli", arg(long))]
    pub mix: HostMix,
    /// How they store lines.
    #[cfg_attr(feature = "cli", arg(long))]
    pub stores: StoreKind,
    /// Reads whose latency is taken at every pause, at least.
    #[cfg_attr(feature = "cli", arg(long))]
    pub samples: u64,
    /// Cores that follow chains of pointers; all others load the memory.
    #[cfg_attr(feature = "cli", arg(long))]
    pub probes: u32,
    /// Bytes of each chain, and of what each loading core walks [default: four times the last cache, at least 64 MiB].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "size"))]
    pub size_bytes: Option<u64>,
    /// Size of pages that is asked for; rows say what was obtained.
    #[cfg_attr(feature = "cli", arg(long))]
    pub pages: HostPages,
    /// Times for which the share of the reads is shown that take no longer; repeatable and comma-separated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long = "within"))]
    pub within_ps: Vec<u64>,
    /// How memory is reached.
    #[serde(default)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub access: HostAccess,
}

/// All four tests of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct HostAllTest {
    /// How memory is reached.
    #[serde(default)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub access: HostAccess,
}

/// Accesses of a file or a block device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct HostStorageTest {
    /// The file, which is made if it is not there, or the device.
    #[cfg_attr(feature = "cli", arg(value_name = "FILE|DEVICE", value_parser = super::options::file_name()))]
    pub file: String,
    /// Share of the accesses that read; the others write.
    #[schemars(with = "String")]
    #[cfg_attr(feature = "cli", arg(long = "reads"))]
    pub read_share: Fraction,
    /// Order of the addresses.
    #[cfg_attr(feature = "cli", arg(long))]
    pub pattern: Pattern,
    /// Size of an access.
    #[cfg_attr(feature = "cli", arg(long = "record"))]
    pub record_bytes: u64,
    /// Accesses under way at a time, of a closed loop; at most so many at a rate.
    #[cfg_attr(feature = "cli", arg(long))]
    pub depth: u32,
    /// Rate at which accesses begin, whether or not earlier ones are done [default: the next begins when one ends].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "rate"))]
    pub rate_bytes_per_s: Option<f64>,
    /// Bytes that accesses lie within, from the start [default: all of what is there, 256MiB of a new file].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "size"))]
    pub size_bytes: Option<u64>,
    /// Bytes moved, in whole accesses [default: 64MiB, or as many as --time lets].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "total"))]
    pub total_bytes: Option<u64>,
    /// Time after which no access begins any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "time"))]
    pub time_s: Option<f64>,
    /// Make data durable after every so many writes; 0 for never. The write before lasts until they are.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long = "sync-every", value_name = "WRITES"))]
    pub sync_every: u64,
    /// The call that makes data durable.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long = "sync-by"))]
    pub sync_call: StorageSync,
    /// How the system is asked [default: io_uring where the system lets it, pread and pwrite elsewhere].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub engine: Option<StorageEngine>,
    /// Go through the page cache; without it accesses reach the device.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub buffered: bool,
}

/// A result of another tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct HostImportTest {
    /// What the tool printed; - for standard input.
    #[cfg_attr(feature = "cli", arg(value_name = "FILE", value_parser = super::options::file_name()))]
    pub file: String,
    /// The tool, where the content does not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "as", value_name = "TOOL"))]
    pub format: Option<String>,
}

named! {
    /// Instructions that move lines.
    pub enum KernelName {
        /// What the compiler makes of a plain loop.
        Portable = "portable",
        /// 16 bytes at a time, x86.
        Sse2 = "sse2",
        /// 32 bytes at a time, x86.
        Avx2 = "avx2",
        /// 64 bytes at a time, x86.
        Avx512 = "avx512",
        /// 16 bytes at a time, Arm.
        Neon = "neon",
    }
}

named! {
    /// Size of pages.
    #[derive(Default)]
    pub enum HostPages {
        /// The smallest that the system has: 4 KiB on x86.
        Base = "base",
        /// 2 MiB.
        #[default]
        Huge2M = "2MiB",
        /// 1 GiB.
        Huge1G = "1GiB",
    }
}

named! {
    /// Order in which a chain of pointers goes through its lines.
    pub enum ChainOrder {
        /// At random over all lines: data and page walks together.
        Random = "random",
        /// At random within a page, page after page: a page walk for several loads, 4 of a
        /// 4 KiB page, 2048 of one of 2 MiB.
        InPage = "in-page",
        /// One line of each page, pages at random: a page walk with each load.
        PerPage = "per-page",
    }
}

named! {
    /// How a kernel stores lines.
    #[derive(Default)]
    pub enum StoreKind {
        /// Into the caches, which read the line first.
        Plain = "plain",
        /// Past the caches.
        #[default]
        NonTemporal = "non-temporal",
    }
}

named! {
    /// Lines that are read for each that is written. Ratios are those on the bus, as those of `wordline dram` are.
    pub enum HostMix {
        /// Reads alone.
        Reads = "1:0",
        /// Three reads for each write.
        ThreeToOne = "3:1",
        /// Two reads for each write.
        TwoToOne = "2:1",
        /// As many reads as writes.
        OneToOne = "1:1",
        /// One stream is read, another is written.
        Copy = "copy",
        /// Stream triad: two streams are read, a third is written.
        Triad = "triad",
    }
}

impl HostMix {
    /// The mix of memory modules that puts the same lines on the bus with non-temporal stores.
    #[must_use]
    pub const fn module_mix(self) -> Mix {
        match self {
            Self::Reads => Mix::Reads,
            Self::ThreeToOne => Mix::ThreeToOne,
            Self::TwoToOne => Mix::TwoToOne,
            Self::OneToOne | Self::Copy => Mix::OneToOne,
            Self::Triad => Mix::Triad,
        }
    }

    /// What the `operation` of its rows says.
    #[must_use]
    pub const fn operation(self) -> RowOperation {
        self.module_mix().operation()
    }
}

named! {
    /// The call that makes written data durable.
    #[derive(Default)]
    pub enum StorageSync {
        /// The data, and what is needed to find them.
        #[default]
        DataSync = "fdatasync",
        /// The same and the rest that the file system keeps of the file.
        Sync = "fsync",
    }
}

named! {
    /// How the system is asked for accesses of storage.
    pub enum StorageEngine {
        /// Through rings that are shared with the kernel.
        IoUring = "io_uring",
        /// A call for each access, and a thread for each that is under way.
        Pread = "pread",
    }
}

impl Default for HostLatencyTest {
    fn default() -> Self {
        Self {
            size_bytes: Vec::new(),
            pages: vec![HostPages::Base, HostPages::Huge2M],
            orders: ChainOrder::ALL.to_vec(),
            samples: 2_000_000,
            access: HostAccess::default(),
        }
    }
}

impl Default for HostMatrixTest {
    fn default() -> Self {
        Self { samples: 100_000 }
    }
}

impl Default for HostBandwidthTest {
    fn default() -> Self {
        Self {
            threads: Vec::new(),
            mixes: HostMix::ALL.to_vec(),
            stores: StoreKind::ALL.to_vec(),
            size_bytes: None,
            pages: HostPages::Huge2M,
            passes: 10,
            access: HostAccess::default(),
        }
    }
}

impl Default for HostLoadedTest {
    fn default() -> Self {
        Self {
            delays_cycles: Vec::new(),
            mix: HostMix::Reads,
            stores: StoreKind::NonTemporal,
            samples: 100_000,
            probes: 1,
            size_bytes: None,
            pages: HostPages::Huge2M,
            within_ps: Vec::new(),
            access: HostAccess::default(),
        }
    }
}

impl HostStorageTest {
    /// Bytes of a file that does not exist yet, unless said otherwise.
    pub const NEW_FILE_BYTES: u64 = 256 << 20;

    /// Bytes that a run moves which neither a total nor a time ends.
    pub const TOTAL_BYTES: u64 = 64 << 20;
}

impl Default for HostStorageTest {
    fn default() -> Self {
        Self {
            file: String::new(),
            read_share: Fraction::from_si(0.0),
            pattern: Pattern::Random,
            record_bytes: 4096,
            depth: 1,
            rate_bytes_per_s: None,
            size_bytes: None,
            total_bytes: None,
            time_s: None,
            sync_every: 0,
            sync_call: StorageSync::DataSync,
            engine: None,
            buffered: false,
        }
    }
}

/// What each command runs unless flags say otherwise.
pub(super) const USUAL: [fn() -> super::Workload; 7] = [
    || usual(HostTest::Latency),
    || usual(HostTest::Matrix),
    || usual(HostTest::Bandwidth),
    || usual(HostTest::Loaded),
    || usual(HostTest::All),
    || usual(HostTest::Storage),
    || usual(HostTest::Import),
];

fn usual<T: Default>(of: fn(T) -> HostTest) -> super::Workload {
    super::Workload::Host(HostWorkload::of(of(T::default())))
}

/// A command of a test whose flags are those of its struct, and the name of the machine.
#[cfg(feature = "cli")]
macro_rules! command {
    ($name:ident, $word:literal, $variant:ident($test:ty), $about:literal, $examples:literal) => {
        /// `wordline host`, a test of it.
        pub(super) const $name: super::ExperimentCommand = super::ExperimentCommand {
            path: &["host", $word],
            about: $about,
            examples: $examples,
            target: "",
            timing: "",
            fixed: crate::Timing::Typ,
            layer: false,
            flags: |command| {
                let command = <$test as clap::Args>::augment_args(command);
                <HostWorkload as clap::Args>::augment_args(command)
            },
            read: |matches| {
                let test = clap::FromArgMatches::from_arg_matches(matches)?;
                let workload = <HostWorkload as clap::FromArgMatches>::from_arg_matches(matches)?;
                Ok(super::Workload::Host(HostWorkload {
                    test: HostTest::$variant(test),
                    ..workload
                }))
            },
            default: || usual(HostTest::$variant),
        };
    };
}

#[cfg(feature = "cli")]
command!(
    LATENCY,
    "latency",
    Latency(HostLatencyTest),
    "Latency of this machine's caches and memory, with its interval and a grade",
    "\
Examples:
  wordline host latency
  wordline host latency --size 512MiB --format json
  wordline host latency --pages base,2MiB --order random,per-page --export latency.html

The grade says how far a figure can be trusted: A quiet, B disturbed and corrected, C the order of
magnitude: shared memory, a coarse clock, few samples. What cannot be told is refused."
);

#[cfg(feature = "cli")]
command!(
    MATRIX,
    "matrix",
    Matrix(HostMatrixTest),
    "Latency from NUMA node to node, and of a line handed from core to core",
    "\
Examples:
  wordline host matrix
  wordline host matrix --samples 20000 --export matrix.html"
);

#[cfg(feature = "cli")]
command!(
    BANDWIDTH,
    "bandwidth",
    Bandwidth(HostBandwidthTest),
    "Bandwidth of this machine's memory by threads and mix of reads and writes",
    "\
Examples:
  wordline host bandwidth
  wordline host bandwidth --threads 1,8 --mix 1:0,triad --stores plain
  wordline host bandwidth --kernel avx2 --export bandwidth.html

Logical bytes are those that a program moves, bus bytes those that the memory moves at most: a plain
store reads its line first, if the processor does not leave that out. Only memory of four times the
last cache or more has bus bytes. The best pass is what STREAM reports."
);

#[cfg(feature = "cli")]
command!(
    LOADED,
    "loaded",
    Loaded(HostLoadedTest),
    "Latency of this machine's memory while other cores load it",
    "\
Examples:
  wordline host loaded
  wordline host loaded --mix 2:1 --within 204ns --mess curves.csv
  wordline host loaded --delay 0,100,500,2000 --export loaded.json

Rows are those of `wordline dram loaded`: `wordline report loaded.json simulated.json` draws both."
);

#[cfg(feature = "cli")]
command!(
    ALL,
    "all",
    All(HostAllTest),
    "All four tests of this machine's memory in one report",
    "\
Examples:
  wordline host all --budget 30s
  wordline host all --label lab7 --export lab7.html

A budget cuts samples, never mixes or sizes: the curve of latency has the time that the other tests leave.

Exit code 1: a figure is refused, which the first screen says with the reason; the others hold."
);

#[cfg(feature = "cli")]
command!(
    STORAGE,
    "storage",
    Storage(HostStorageTest),
    "Latency, throughput and RAM curve of a file or a block device of this machine",
    "\
Examples:
  wordline host storage /data/scratch
  wordline host storage /data/scratch --rate 2MB/s --sync-every 1 --log scratch_lat.1.log
  wordline host storage /dev/nvme0n1 --reads 100% --depth 32 --time 10s
  wordline host storage /dev/sdb --destroy /dev/sdb --pattern sequential --record 128KiB

A file that is there, or a device, is written only where --destroy names it again. A file that is
not there is made, written in full before, and gone afterwards. The log is one of fio: its tools
and `wordline buffer --log` read it. The RAM curve needs one access at a time, all reads or all
writes: --depth 1, --reads 0% or 100%."
);

#[cfg(feature = "cli")]
command!(
    IMPORT,
    "import",
    Import(HostImportTest),
    "Take over what another tool measured, as rows of our own",
    "\
Examples:
  wordline host import mlc.txt --label lab7 --export lab7.json
  wordline host import stream.txt --as stream"
);
