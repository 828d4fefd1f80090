//! The workload of `wordline dram`: DDR5 modules behind the memory controllers of a server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NamedValues, Pattern, SurfaceTest};
use crate::RowOperation;
use crate::names::named;

/// A test of memory modules. Targets are `MODULE@SYSTEM`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct DramWorkload {
    /// What is run.
    #[cfg_attr(feature = "cli", arg(skip = DramTest::Idle(IdleTest::default())))]
    pub test: DramTest,
    /// Choices that no maker discloses and that are not at their defaults, by name; of every target that has
    /// them.
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub settings: NamedValues<String>,
    /// Simulated time before anything counts; longer where a memory takes longer to settle: as many refresh
    /// intervals as it may put off, and two.
    #[cfg_attr(feature = "cli", arg(long = "warm-up"))]
    pub warm_up_ps: u64,
    /// Simulated time that counts, at least.
    #[cfg_attr(feature = "cli", arg(long = "measure"))]
    pub measure_ps: u64,
}

impl DramWorkload {
    /// Warm-up in picoseconds unless said otherwise: queues are full and rows are open long before.
    pub const WARM_UP_PS: u64 = 20_000_000;

    /// Time that counts in picoseconds unless said otherwise: more than 25 refresh intervals of every rank.
    pub const MEASURE_PS: u64 = 100_000_000;

    /// The same with everything in full, whatever it takes: all samples under load, and more and longer draws of a band.
    #[must_use]
    pub fn thorough(mut self) -> Self {
        match &mut self.test {
            DramTest::Bandwidth(test) => {
                test.draws = BandwidthTest::DRAWS_THOROUGH;
                self.measure_ps = Self::MEASURE_PS;
            }
            DramTest::Loaded(test) => {
                test.samples = LoadedTest::SAMPLES;
                self.measure_ps = Self::MEASURE_PS;
            }
            DramTest::Idle(_) | DramTest::Surface(_) | DramTest::Trace(_) => {}
        }
        self
    }

    /// A test with every setting at its default.
    #[must_use]
    pub fn of(test: DramTest) -> Self {
        Self {
            test,
            settings: NamedValues::new(),
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
    /// Cores load the memory as programs do, for any lines outstanding.
    Surface(SurfaceTest),
    /// A program's trace is replayed.
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
            Self::Surface(_) => "surface",
            Self::Trace(_) => "trace",
        }
    }
}

/// Latency without load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct IdleTest {
    /// Reads whose latency is taken, at least.
    #[cfg_attr(feature = "cli", arg(long))]
    pub samples: u64,
}

/// Throughput of mixes of reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct BandwidthTest {
    /// Reads for each write; triad reads two streams and stores a third past the caches.
    #[cfg_attr(feature = "cli", arg(long = "mix"))]
    pub mixes: Vec<Mix>,
    /// Order of the addresses.
    #[cfg_attr(feature = "cli", arg(long = "pattern"))]
    pub patterns: Vec<Pattern>,
    /// Mixes whose bandwidth and gain over the first target get a band: all undisclosed choices are drawn at once.
    #[cfg_attr(feature = "cli", arg(long))]
    pub band: Band,
    /// Draws of the undisclosed choices that a band rests on.
    #[serde(default = "usual_draws")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub draws: u32,
}

impl BandwidthTest {
    /// Draws of a band unless said otherwise.
    pub const DRAWS: u32 = 64;

    /// Draws where everything runs in full: shares of the variance are then half as uncertain.
    pub const DRAWS_THOROUGH: u32 = 256;

    /// Time that counts in picoseconds unless said otherwise: more than ten refresh intervals of every rank.
    pub const MEASURE_QUICK_PS: u64 = 40_000_000;
}

const fn usual_draws() -> u32 {
    BandwidthTest::DRAWS
}

/// Latency under load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct LoadedTest {
    /// Pauses of the loading cores in cycles, ascending; without them they are placed where the curve bends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long = "delay", value_name = "CYCLES"))]
    pub delays_cycles: Vec<u64>,
    /// Reads for each write of the loading cores.
    #[cfg_attr(feature = "cli", arg(long))]
    pub mix: Mix,
    /// Order of their addresses.
    #[cfg_attr(feature = "cli", arg(long))]
    pub pattern: Pattern,
    /// Reads whose latency is taken at every pause, at least.
    #[cfg_attr(feature = "cli", arg(long))]
    pub samples: u64,
    /// Cores that follow chains of pointers; all others load the memory.
    #[cfg_attr(feature = "cli", arg(long))]
    pub probes: u32,
    /// Times for which the share of the reads is shown that take no longer; repeatable and comma-separated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long = "within"))]
    pub within_ps: Vec<u64>,
    /// A measured curve, laid beside the simulated ones: of Mess, of MLC and other tools, or a document of wordline host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", value_parser = super::options::file_name()))]
    pub against: Option<String>,
    /// Of a measured curve that bends back, take the points that carry more than all with less load.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long = "against-rising"))]
    pub against_rising: bool,
}

impl LoadedTest {
    /// Samples at a point that make confidence intervals and tails sure.
    pub const SAMPLES: u64 = 100_000;

    /// Samples at a point unless said otherwise. Results state how sure means are: to 1 or 2 % (95 %) where a memory is
    /// saturated, far less near the knee. The report says how few samples the tails have.
    pub const SAMPLES_QUICK: u64 = 5_000;

    /// Time that counts in picoseconds unless said otherwise: each of ten stretches holds a refresh interval.
    pub const MEASURE_QUICK_PS: u64 = 40_000_000;

    /// Cores that follow chains of pointers unless said otherwise: so many that the samples of a saturated memory take
    /// a few milliseconds, so few that they are no load.
    pub const PROBES: u32 = 16;
}

/// A trace of lines that a program asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct DramTraceTest {
    /// The trace; - for standard input.
    #[cfg_attr(feature = "cli", arg(value_name = "FILE", value_parser = super::options::file_name()))]
    pub file: String,
    /// Its format, where its content does not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "cli",
        arg(
            long = "as",
            value_name = "dramsim3|ramulator|ramulator2|csv|ramulator-cpu|lackey|drmemtrace"
        )
    )]
    pub format: Option<String>,
    /// The clock that its cycles are counted in; of a program's trace that of its core, by default of the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "clock"))]
    pub clock_hz: Option<u64>,
    /// Take an address within a line of 64 bytes for the line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub align: bool,
    /// Take addresses beyond the memory modulo its size.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub fold: bool,
    /// Hold every command against an independent table of DDR5's rules; a violation fails.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub check: bool,
    /// Size of the first cache that a program's accesses pass; 0B leaves it out [default: 48 KiB, none for
    /// ramulator-cpu].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "l1"))]
    pub l1_bytes: Option<u64>,
    /// Lines of a set of the first cache [default: 12].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "l1-ways", value_name = "LINES"))]
    pub l1_ways: Option<u32>,
    /// Size of the second cache; 0B leaves it out [default: 2 MiB, none for ramulator-cpu].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "l2"))]
    pub l2_bytes: Option<u64>,
    /// Lines of a set of the second cache [default: 16].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "l2-ways", value_name = "LINES"))]
    pub l2_ways: Option<u32>,
    /// Size of the third cache, or of the core's share of it; 0B leaves it out [default: 4 MiB].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "l3"))]
    pub l3_bytes: Option<u64>,
    /// Lines of a set of the third cache [default: 16].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "l3-ways", value_name = "LINES"))]
    pub l3_ways: Option<u32>,
    /// Bytes of a line of all caches, a power of two from 64 [default: 64 B].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "cache-line"))]
    pub cache_line_bytes: Option<u64>,
    /// Instructions of a program that the core ends each cycle while no miss stops it [default: 4].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "ipc", value_name = "INSTRUCTIONS"))]
    pub instructions_per_cycle: Option<f64>,
}

impl DramTraceTest {
    /// Instructions that a core ends each cycle unless said otherwise: the width of Ramulator's core.
    pub const INSTRUCTIONS_PER_CYCLE: f64 = 4.0;
}

named! {
    /// How many lines are read for each that is written.
    pub enum Mix {
        /// Reads alone.
        Reads = "1:0",
        /// Three reads for each write.
        ThreeToOne = "3:1",
        /// Two reads for each write.
        TwoToOne = "2:1",
        /// As many reads as writes.
        OneToOne = "1:1",
        /// Stream triad with non-temporal stores: two streams are read, a third is written.
        Triad = "triad",
    }
}

impl Mix {
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
    pub const fn operation(self) -> RowOperation {
        match self {
            Self::Reads => RowOperation::Read,
            Self::ThreeToOne | Self::TwoToOne | Self::OneToOne | Self::Triad => {
                RowOperation::ReadWrite
            }
        }
    }
}

named! {
    /// Which mixes have a band over undisclosed choices.
    #[derive(Default)]
    pub enum Band {
        /// For reads.
        #[default]
        Reads = "reads",
        /// For every mix.
        All = "all",
        /// For none.
        None = "none",
    }
}

impl Band {
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

impl Default for IdleTest {
    fn default() -> Self {
        Self {
            samples: LoadedTest::SAMPLES,
        }
    }
}

impl Default for BandwidthTest {
    fn default() -> Self {
        Self {
            mixes: Mix::ALL.to_vec(),
            patterns: vec![Pattern::Sequential],
            band: Band::Reads,
            draws: Self::DRAWS,
        }
    }
}

impl Default for LoadedTest {
    fn default() -> Self {
        Self {
            delays_cycles: Vec::new(),
            mix: Mix::Reads,
            pattern: Pattern::Sequential,
            samples: Self::SAMPLES_QUICK,
            probes: Self::PROBES,
            within_ps: Vec::new(),
            against: None,
            against_rising: false,
        }
    }
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual_idle() -> super::Workload {
    super::Workload::Dram(DramWorkload::of(DramTest::Idle(IdleTest::default())))
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual_bandwidth() -> super::Workload {
    super::Workload::Dram(DramWorkload {
        measure_ps: BandwidthTest::MEASURE_QUICK_PS,
        ..DramWorkload::of(DramTest::Bandwidth(BandwidthTest::default()))
    })
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual_loaded() -> super::Workload {
    super::Workload::Dram(DramWorkload {
        measure_ps: LoadedTest::MEASURE_QUICK_PS,
        ..DramWorkload::of(DramTest::Loaded(LoadedTest::default()))
    })
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual_trace() -> super::Workload {
    super::Workload::Dram(DramWorkload::of(DramTest::Trace(DramTraceTest::default())))
}

/// `wordline dram idle`.
#[cfg(feature = "cli")]
pub(super) const IDLE: super::ExperimentCommand = super::ExperimentCommand {
    path: &["dram", "idle"],
    about: "Latency without load, and what it consists of",
    examples: "\
Examples:
  wordline dram idle --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s
  wordline dram idle --target mrdimm-8800-2rx4-128g@xeon6-1s --set page_policy=closed \\
    --export idle.html",
    target: "MODULE@SYSTEM; repeatable and comma-separated",
    timing: "",
    fixed: crate::Timing::Max,
    layer: false,
    flags: |command| {
        let command = <IdleTest as clap::Args>::augment_args(command);
        <DramWorkload as clap::Args>::augment_args(command)
    },
    read: |matches| {
        let test = clap::FromArgMatches::from_arg_matches(matches)?;
        let workload = <DramWorkload as clap::FromArgMatches>::from_arg_matches(matches)?;
        Ok(super::Workload::Dram(DramWorkload {
            test: DramTest::Idle(test),
            ..workload
        }))
    },
    default: usual_idle,
};

/// `wordline dram bandwidth`.
#[cfg(feature = "cli")]
pub(super) const BANDWIDTH: super::ExperimentCommand = super::ExperimentCommand {
    path: &["dram", "bandwidth"],
    about: "Bandwidth by mix of reads and writes, with the difference explained and its band",
    examples: "\
Examples:
  wordline dram bandwidth --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s
  wordline dram bandwidth --target mrdimm-8800-2rx4-128g@xeon6-1s --mix 1:0,triad \\
    --pattern sequential,random
  wordline dram bandwidth \\
    --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s \\
    --set refresh=same-bank --band none

The first target is what the others are compared with. The band goes from 5 to 95 % of
the draws: each sets all undisclosed choices at once, on half of the system. The report
lists what each choice explains of it. With --thorough there are 256 draws of 100 us.",
    target: "MODULE@SYSTEM; repeatable and comma-separated",
    timing: "",
    fixed: crate::Timing::Max,
    layer: false,
    flags: |command| {
        let command = <BandwidthTest as clap::Args>::augment_args(command);
        <DramWorkload as clap::Args>::augment_args(command)
    },
    read: |matches| {
        let test = clap::FromArgMatches::from_arg_matches(matches)?;
        let workload = <DramWorkload as clap::FromArgMatches>::from_arg_matches(matches)?;
        Ok(super::Workload::Dram(DramWorkload {
            test: DramTest::Bandwidth(test),
            ..workload
        }))
    },
    default: usual_bandwidth,
};

/// `wordline dram loaded`.
#[cfg(feature = "cli")]
pub(super) const LOADED: super::ExperimentCommand = super::ExperimentCommand {
    path: &["dram", "loaded"],
    about: "Latency while other cores load the memory, over a sweep of their pauses",
    examples: "\
Examples:
  wordline dram loaded --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s \\
    --export loaded.html
  wordline dram loaded --target mrdimm-8800-2rx4-128g@xeon6-1s --mix 2:1 --within 204ns \\
    --mess curves.csv
  wordline dram loaded --target mrdimm-8800-2rx4-128g@xeon6-1s --delay 0,100,500,2000 \\
    --samples 20000
  wordline dram loaded --target rdimm-6400-2rx4-128g@xeon6-1s --against bwlat_100.txt \\
    --against-rising",
    target: "MODULE@SYSTEM; repeatable and comma-separated",
    timing: "",
    fixed: crate::Timing::Max,
    layer: false,
    flags: |command| {
        let command = <LoadedTest as clap::Args>::augment_args(command);
        <DramWorkload as clap::Args>::augment_args(command)
    },
    read: |matches| {
        let test = clap::FromArgMatches::from_arg_matches(matches)?;
        let workload = <DramWorkload as clap::FromArgMatches>::from_arg_matches(matches)?;
        Ok(super::Workload::Dram(DramWorkload {
            test: DramTest::Loaded(test),
            ..workload
        }))
    },
    default: usual_loaded,
};

/// `wordline dram trace`.
#[cfg(feature = "cli")]
pub(super) const TRACE: super::ExperimentCommand = super::ExperimentCommand {
    path: &["dram", "trace"],
    about: "Replay a trace of memory requests",
    examples: "\
Examples:
  wordline dram trace requests.csv \\
    --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s
  wordline dram trace dramsim3.trc --clock 3.2GHz --target mrdimm-8800-2rx4-128g@xeon6-1s \\
    --commands commands.json
  wordline dram trace requests.csv --target rdimm-6400-2rx4-128g@xeon6-1s --check
  wordline dram trace lackey.txt.zst --target rdimm-6400-2rx4-128g@xeon6-1s --l3 8MiB --ipc 2

Formats: dramsim3, ramulator, ramulator2, and csv with a line of column names (time_ns,address,operation); of programs,
whose accesses pass caches: ramulator-cpu, lackey (valgrind --tool=lackey --trace-mem=yes) and drmemtrace (what its view tool
prints). gzip and zstd are expanded.
docs/reference/dram-traces.md describes them, and the command traces that --commands writes.",
    target: "MODULE@SYSTEM; repeatable and comma-separated",
    timing: "",
    fixed: crate::Timing::Max,
    layer: false,
    flags: |command| {
        let command = <DramTraceTest as clap::Args>::augment_args(command);
        <NamedValues<String> as clap::Args>::augment_args(command)
    },
    read: |matches| {
        let test = clap::FromArgMatches::from_arg_matches(matches)?;
        let workload = DramWorkload {
            settings: clap::FromArgMatches::from_arg_matches(matches)?,
            ..DramWorkload::of(DramTest::Idle(IdleTest::default()))
        };
        Ok(super::Workload::Dram(DramWorkload {
            test: DramTest::Trace(test),
            ..workload
        }))
    },
    default: usual_trace,
};
