//! The workload of `wordline wear health`: how much of its life a block of flash has used, from its latency.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Remaining life of blocks of flash from how long their programs and erases take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "of", rename_all = "kebab-case", deny_unknown_fields)]
pub enum HealthWorkload {
    /// The blocks of a cycling log.
    Trace {
        /// The log's last name.
        file: String,
    },
    /// Virtual chips of families that the predictor was not trained on: how well it predicts.
    Score {
        /// Families of each kind, drawn from the seed.
        families: u32,
    },
}

impl HealthWorkload {
    /// Families of a score by default.
    pub const FAMILIES: u32 = 40;
}

/// By hand: a log or a score, which an enum does not say by itself.
#[cfg(feature = "cli")]
impl clap::Args for HealthWorkload {
    fn augment_args(command: clap::Command) -> clap::Command {
        use clap::{Arg, ArgAction, ArgGroup};
        command
            .group(ArgGroup::new("of").required(true).args(["trace.file", "score"]))
            .arg(
                Arg::new("trace.file")
                    .long("trace")
                    .value_name("LOG")
                    .value_parser(super::options::file_name())
                    .conflicts_with_all(["families", "seed"])
                    .help("A cycling log; - for standard input"),
            )
            .arg(Arg::new("score").long("score").action(ArgAction::SetTrue).help(
                "Score the predictor on virtual chips of families that it was not trained on, beside predictors that \
                 know cycles alone",
            ))
            .arg(
                Arg::new("families")
                    .long("families")
                    .value_parser(clap::value_parser!(u32))
                    .help("Families of each kind that are scored, drawn from the seed"),
            )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

#[cfg(feature = "cli")]
impl clap::FromArgMatches for HealthWorkload {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        Ok(match matches.get_one::<String>("trace.file") {
            Some(file) => Self::Trace { file: file.clone() },
            None => Self::Score {
                families: matches
                    .get_one("families")
                    .copied()
                    .unwrap_or(Self::FAMILIES),
            },
        })
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// `wordline wear health`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["wear", "health"],
    about: "Tell the remaining life of blocks from how long their programs and erases take",
    examples: "\
Examples:
  wordline wear health --trace cycling.csv
  wordline wear health --trace cycling.csv --export health.html
  wordline wear health --score

A log is CSV with the columns block, cycle, operation (program, erase) and latency_us (or _ns, _ms, _s); chip and status
(ok, failed) are optional. It should begin with a block's first cycles. docs/guides/how-long-flash-lasts.md says how to
record one, and docs/evidence/flash-health.md how far to trust the answer.",
    target: "",
    timing: "",
    fixed: crate::Timing::Typ,
    layer: false,
    flags: <HealthWorkload as clap::Args>::augment_args,
    read: |matches| clap::FromArgMatches::from_arg_matches(matches).map(super::Workload::Health),
    default: || {
        super::Workload::Health(HealthWorkload::Score {
            families: HealthWorkload::FAMILIES,
        })
    },
};
