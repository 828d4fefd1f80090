//! `wordline dram surface`: latency over lines outstanding, for programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DramTest, DramWorkload};
use crate::quantity::{Fraction, Quantity as _};

/// Latency, throughput and power over lines outstanding, for each combination of what lines are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SurfaceTest {
    /// Shares of the lines that are written, ascending.
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "cli", arg(long = "write-share"))]
    pub write_shares: Vec<Fraction>,
    /// Shares of the lines that follow the line before them, ascending; the others are random.
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "cli", arg(long = "locality"))]
    pub localities: Vec<Fraction>,
    /// Loads of the busiest channel over the mean, ascending from 1.
    #[cfg_attr(feature = "cli", arg(long = "imbalance", value_name = "RATIO"))]
    pub imbalances: Vec<f64>,
    /// Half the width of the 95 % interval of each mean latency, as a share of it: runs are lengthened until it is so narrow.
    #[schemars(with = "String")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub confidence: Fraction,
}

impl SurfaceTest {
    /// Time that a point counts at least, in picoseconds: more than five refresh intervals of every rank. What is not sure
    /// enough goes on.
    pub const MEASURE_PS: u64 = 20_000_000;
}

impl Default for SurfaceTest {
    fn default() -> Self {
        let shares = |shares: &[f64]| shares.iter().copied().map(Fraction::from_si).collect();
        Self {
            write_shares: shares(&[0.0, 0.2, 0.35, 0.5]),
            localities: shares(&[0.0, 0.5, 1.0]),
            imbalances: vec![1.0, 1.5, 2.5],
            confidence: Fraction::from_si(0.02),
        }
    }
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual() -> super::Workload {
    super::Workload::Dram(DramWorkload {
        measure_ps: SurfaceTest::MEASURE_PS,
        ..DramWorkload::of(DramTest::Surface(SurfaceTest::default()))
    })
}

/// `wordline dram surface`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["dram", "surface"],
    about: "Latency over lines outstanding, writes, locality and imbalance: what programs are projected on",
    examples: "\
Examples:
  wordline dram surface --target mrdimm-8800-2rx4-128g@xeon6-1s --surface mrdimm.json
  wordline dram surface --target rdimm-6400-2rx4-128g@xeon6-1s --write-share 0%,50% \\
    --locality 0% --imbalance 1
  wordline dram surface --target mrdimm-8800-2rx4-128g@xeon6-1s --confidence 1% \\
    --surfaces ~/surfaces

Points lie where each curve bends. docs/concepts/surfaces.md says what a line, its locality and the imbalance are.",
    target: "MODULE@SYSTEM; repeatable and comma-separated",
    timing: "",
    fixed: crate::Timing::Max,
    layer: false,
    flags: |command| {
        let command = <SurfaceTest as clap::Args>::augment_args(command);
        <DramWorkload as clap::Args>::augment_args(command)
    },
    read: |matches| {
        let test = clap::FromArgMatches::from_arg_matches(matches)?;
        let workload = <DramWorkload as clap::FromArgMatches>::from_arg_matches(matches)?;
        Ok(super::Workload::Dram(DramWorkload {
            test: DramTest::Surface(test),
            ..workload
        }))
    },
    default: usual,
};
