//! The flags of `wordline wear health`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use wordline_core::HealthWorkload;

use super::Export;

/// Tells from how long programs and erases take how much of its life each block of a log has used: erases get slower and
/// programs faster as a block wears. Each block gets the share of life used, the cycles left with a 90 % band, and a
/// verdict: retire (80 % used, probably), watch (the band reaches 80 %), healthy, or unknown where latency has not moved.
/// Blocks of the log that failed show how far latency goes on this part; without one, simulated chips stand in.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("what").required(true).args(["trace", "score"])))]
#[command(after_help = "\
Examples:
  wordline wear health --trace cycling.csv
  wordline wear health --trace cycling.csv --export health.html
  wordline wear health --score

A log is CSV with the columns block, cycle, operation (program, erase) and latency_us (or _ns, _ms, _s); chip and status
(ok, failed) are optional. It should begin with a block's first cycles. docs/guides/how-long-flash-lasts.md says how to
record one, and docs/evidence/flash-health.md how far to trust the answer.")]
pub(crate) struct WearHealth {
    /// A cycling log; - for standard input
    #[arg(long, value_name = "LOG")]
    pub(crate) trace: Option<PathBuf>,
    /// Score the predictor on virtual chips of families that it was not trained on, beside predictors that know cycles alone
    #[arg(long)]
    pub(crate) score: bool,
    /// Families of each kind that are scored, drawn from the seed
    #[arg(
        long,
        value_name = "N",
        default_value_t = HealthWorkload::FAMILIES,
        conflicts_with = "trace",
        allow_negative_numbers = true
    )]
    pub(crate) families: u32,
    /// Seed of the families that are scored
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        conflicts_with = "trace",
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) export: Export,
}
