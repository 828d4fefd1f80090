//! The workload of `wordline app project`: a program, as counters saw it on one memory, on other memories.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NamedValues;
use crate::quantity::{Fraction, Money, Power};

/// A program on other memories. Its profile comes from a file, or its main figures from flags.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct AppWorkload {
    /// Profile of the program (JSON); - for standard input. Without it --cores, --read, --stall and --on say what is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(value_name = "PROFILE", value_parser = super::options::file_name()))]
    pub file: Option<String>,
    /// The profile itself, as the file or the flags gave it, so that a document repeats itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub profile: Option<serde_json::Value>,
    /// Cores that run the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "cli",
        arg(long = "cores", help_heading = "Instead of a profile")
    )]
    pub program_cores: Option<u32>,
    /// What the program reads from memory, such as 350GB/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "cli",
        arg(long = "read", help_heading = "Instead of a profile")
    )]
    pub read_bytes_per_s: Option<f64>,
    /// Share of the lines moved that are written [default: 0%].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(
        feature = "cli",
        arg(long = "write-share", help_heading = "Instead of a profile")
    )]
    pub written: Option<Fraction>,
    /// Share of the cores' time in which they wait for memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Instead of a profile"))]
    pub stall: Option<Fraction>,
    /// Share of the time that the program waits for disks, networks or locks [default: 0%].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Instead of a profile"))]
    pub outside: Option<Fraction>,
    /// How load varies over time: its standard deviation over its mean, such as 0.5 [default: unknown, 0.2 to 0.8].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "RATIO", help_heading = "Instead of a profile")
    )]
    pub variation: Option<f64>,
    /// Share of the lines that follow the line before them, as streams do [default: unknown, 0% to 100%].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Instead of a profile"))]
    pub locality: Option<Fraction>,
    /// Load of the busiest channel over the mean of all, such as 1.1 [default: unknown, 1 to 1.2].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "RATIO", help_heading = "Instead of a profile")
    )]
    pub imbalance: Option<f64>,
    /// Memory that these figures are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "MODULE@SYSTEM",
            help_heading = "Instead of a profile"
        )
    )]
    pub on: Option<String>,
    /// Surface of a memory, as wordline dram surface wrote it, instead of the one that comes along; repeatable and
    /// comma-separated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long = "surface", value_name = "FILE", value_parser = super::options::file_name()))]
    pub surfaces: Vec<String>,
    /// Draws of everything that is not known, for the band.
    #[cfg_attr(feature = "cli", arg(long))]
    pub draws: u32,
    /// Simulate windows of the program whole, at each level of its load, and say where the surfaces misled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub cosimulate: bool,
    /// Power of the server without cores and modules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(
        feature = "cli",
        arg(long = "platform-power", help_heading = "Energy of the task")
    )]
    pub platform_power: Option<Power>,
    /// Power of a core that computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(
        feature = "cli",
        arg(long = "active-power", help_heading = "Energy of the task")
    )]
    pub active_power: Option<Power>,
    /// Power of a core that waits for memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(
        feature = "cli",
        arg(long = "stalled-power", help_heading = "Energy of the task")
    )]
    pub stalled_power: Option<Power>,
    /// Measured runs of one workload that these powers are found from (CSV), instead of stating them; - for standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "power-runs", value_name = "FILE", help_heading = "Energy of the task", value_parser = super::options::file_name()))]
    pub power_file: Option<String>,
    /// The runs themselves, as the file gave them, so that a document repeats itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub power_runs: Vec<PowerRun>,
    /// Prices of modules.
    #[serde(default, skip_serializing_if = "ModulePrices::is_empty")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub prices: ModulePrices,
}

/// A run whose energy was measured, from which the powers of a server are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerRun {
    /// Time of the run in seconds.
    pub seconds: f64,
    /// Cores that ran.
    pub cores: f64,
    /// Share of their time, while they ran, in which they waited for memory; from 0 to 1.
    pub stall_share: f64,
    /// Share of the time outside of computing and memory; from 0 to 1.
    #[serde(default)]
    pub outside_share: f64,
    /// Energy of the server in joules.
    pub energy_j: f64,
    /// Energy of its modules in joules; without it, that of the baseline's surface at `bytes_per_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modules_j: Option<f64>,
    /// Bytes read and written per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_per_s: Option<f64>,
}

/// Prices of modules, which no sheet knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ModulePrices {
    /// By the module's id.
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub parts: NamedValues<Money>,
}

impl ModulePrices {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

impl AppWorkload {
    /// Draws of a band unless said otherwise.
    pub const DRAWS: u32 = 200;
}

impl Default for AppWorkload {
    fn default() -> Self {
        Self {
            file: None,
            profile: None,
            program_cores: None,
            read_bytes_per_s: None,
            written: None,
            stall: None,
            outside: None,
            variation: None,
            locality: None,
            imbalance: None,
            on: None,
            surfaces: Vec::new(),
            draws: Self::DRAWS,
            cosimulate: false,
            platform_power: None,
            active_power: None,
            stalled_power: None,
            power_file: None,
            power_runs: Vec::new(),
            prices: ModulePrices::default(),
        }
    }
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual() -> super::Workload {
    super::Workload::App(Box::default())
}

/// `wordline app project`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["app", "project"],
    about: "What another memory does to a program: speed-up with a band, what bounds it, energy",
    examples: "\
Examples:
  wordline app project examples/solver-profile.json --to mrdimm-8800-2rx4-128g@xeon6-1s
  wordline app project --cores 128 --read 350GB/s --write-share 20% --stall 55% \\
    --on rdimm-6400-2rx4-128g@xeon6-1s \\
    --to mrdimm-8800-2rx4-128g@xeon6-1s,mrdimm-8800-4rx4-128g@xeon6-1s
  wordline app project examples/solver-profile.json --to mrdimm-8800-2rx4-128g@xeon6-1s \\
    --price rdimm-6400-2rx4-128g=900EUR,mrdimm-8800-2rx4-128g=1300EUR --export answer.html

A figure that a flag states counts as rounded: reads by 2.5 % either way, stalls by 5 points. What is not known is a range,
and all ranges are drawn together for the band. docs/guides/what-would-another-memory-do.md is the way through.",
    target: "Memories to run the program on: MODULE@SYSTEM; repeatable and comma-separated",
    timing: "",
    fixed: crate::Timing::Max,
    layer: false,
    flags: <AppWorkload as clap::Args>::augment_args,
    read: |matches| {
        let app = clap::FromArgMatches::from_arg_matches(matches)?;
        Ok(super::Workload::App(Box::new(app)))
    },
    default: usual,
};
