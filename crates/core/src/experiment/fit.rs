//! The workload of `wordline part fit`: a part's sheet from a log of a real one, or a system's from what was measured of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LogSource, Pattern, WearUsage};
use crate::quantity::Fraction;

/// Figures of a part that its maker does not state, found so that the simulated part does what a log says. The
/// experiment's one target is the part that all other figures come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct FitWorkload {
    /// The log.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub source: LogSource,
    /// What is fitted.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "sd|nand|nor|system",
            required = false,
            required_unless_present = "system",
            default_value_if("system", clap::builder::ArgPredicate::IsPresent, "system")
        )
    )]
    pub template: String,
    /// Id of the new sheet [default: from the name of the log].
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "NAME",
            default_value = "",
            hide_default_value = true
        )
    )]
    pub id: String,
    /// Order of the addresses, where the log does not record them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub pattern: Option<Pattern>,
    /// Bytes from address 0 on that were written to, where the log does not record addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "range"))]
    pub range_bytes: Option<u64>,
    /// Share of the card that held data before [default: what was written to, or all of it, whichever is
    /// nearer].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub fill: Option<Fraction>,
    /// Data written likewise before the log began.
    #[serde(default, skip_serializing_if = "no_bytes")]
    #[cfg_attr(feature = "cli", arg(long = "warm-up"))]
    pub warm_up_bytes: u64,
    /// What each cycle of a cycling log programmed [default: first-page].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub usage: Option<WearUsage>,
    /// Cycle counts at which a table's erase and program times are predicted; repeatable and comma-separated [default: 2,
    /// 5 and 10 times its last].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "CYCLES"))]
    pub predict: Vec<u64>,
    /// Channels of a system, each with a module, of one socket where the base has several: never guessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub channels: Option<u32>,
    /// Cores of a system, of one socket where the base has several [default: what the document states].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub cores: Option<u32>,
    /// Says that --channels and --cores are those of one socket, of a base with several.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub per_socket: bool,
    /// The most simulations of the search, each as long as half the log.
    #[cfg_attr(feature = "cli", arg(long))]
    pub simulations: u32,
}

impl FitWorkload {
    /// Simulations by default.
    pub const SIMULATIONS: u32 = 600;
}

const fn no_bytes(bytes: &u64) -> bool {
    *bytes == 0
}

/// `wordline part fit`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["part", "fit"],
    about: "Find the figures of a card that its maker does not state, from a log of a real one",
    examples: "\
Examples:
  fio --name=card --filename=/mnt/card/test --size=256M --rw=randwrite --bs=4k \\
    --ioengine=psync --sync=1 --loops=4 --write_lat_log=card --log_offset=1
  wordline part fit card_lat.1.log --template sd --id my-card --output my-parts/my-card.toml
  wordline buffer --catalog my-parts --target my-card --rate 500KB/s

  wordline part fit card_lat.1.log --template sd --base swissbit-g4000@rpi3-sd --export fit.html
  wordline part fit paced_lat.1.log --template sd --durations paced   a fixed rate shows idle work
  wordline part fit uart.bin --template sd --pattern random --range 64MiB    what the recorder sent

  wordline part fit cycled.csv --template nand --base nand08gw3b2c --output my-parts/my-nand.toml
  wordline part fit cycled.csv --template nand --usage whole-block
  wordline wear --catalog my-parts --target my-nand
  wordline part fit erase-times.csv --template nor --base mt25ql128 --predict 1000000   a table

  wordline host import mlc.txt --label lab7 --export lab7.json   or: wordline host all
  wordline part fit --system lab7.json --base rdimm-6400-2rx4-64g@xeon6-1s --channels 12 \\
    --cores 128 --output my-parts/lab7.toml
  wordline dram bandwidth --catalog my-parts --target mrdimm-8800-2rx4-64g@lab7-fit

docs/guides/fit-a-card.md and docs/guides/fit-raw-flash.md say how to record a log, and what a fit can tell.",
    target: "",
    timing: "",
    fixed: crate::Timing::Typ,
    layer: false,
    flags: |command| {
        let command = command
            .arg(
                clap::Arg::new("file")
                    .value_name("LOG")
                    .value_parser(super::options::file_name())
                    .required_unless_present("system")
                    .conflicts_with("system")
                    .help(
                        "sd: a log of writes of one size; nand, nor: a cycling log, a sweep, or a table of times by cycles; \
                         - for standard input",
                    ),
            )
            .arg(
                clap::Arg::new("system")
                    .long("system")
                    .value_name("FILE.json")
                    .value_parser(super::options::file_name())
                    .help("Fit a system to this document of measurements of its memory: the template system"),
            )
            .arg(
                clap::Arg::new("targets")
                    .long("base")
                    .value_name("TARGET")
                    .help("Where all other figures come from: PART, PART@BOARD, or of a system MODULE@SYSTEM [default: that of the template]"),
            );
        <FitWorkload as clap::Args>::augment_args(command)
    },
    read: |matches| {
        let mut fit = <FitWorkload as clap::FromArgMatches>::from_arg_matches(matches)?;
        let named = ["file", "system"].iter();
        let mut named = named.filter_map(|id| matches.get_one::<String>(id).cloned());
        fit.source.file = named.next().unwrap_or_default();
        Ok(super::Workload::Fit(fit))
    },
    default: || {
        super::Workload::Fit(FitWorkload {
            source: LogSource::default(),
            template: String::new(),
            id: String::new(),
            pattern: None,
            range_bytes: None,
            fill: None,
            warm_up_bytes: 0,
            usage: None,
            predict: Vec::new(),
            channels: None,
            cores: None,
            per_socket: false,
            simulations: FitWorkload::SIMULATIONS,
        })
    },
};

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;
    use crate::Workload;

    fn read(words: &[&str]) -> Result<FitWorkload, String> {
        let command = COMMAND.command("fit");
        let words = [&["fit"], words].concat();
        let matches = command.try_get_matches_from(words);
        let matches = matches.map_err(|error| error.to_string())?;
        match (COMMAND.read)(&matches) {
            Ok(Workload::Fit(fit)) => Ok(fit),
            Ok(other) => Err(other.name().to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_document_of_a_system_stands_in_for_log_and_template() {
        let system = ["--system", "lab7.json", "--channels", "12"];
        let fit = read(&system).expect("it parses");
        assert_eq!(fit.template, "system");
        assert_eq!(fit.source.file, "lab7.json");
        assert_eq!((fit.channels, fit.cores), (Some(12), None));
        let log = ["a.log", "--template", "sd"];
        let fit = read(&log).expect("it parses");
        assert_eq!(
            (fit.template.as_str(), fit.source.file.as_str()),
            ("sd", "a.log")
        );
        let without = read(&["a.log"]).expect_err("no template");
        assert!(without.contains("--template"), "{without}");
        let without = read(&["--template", "sd"]).expect_err("no log");
        assert!(without.contains("LOG"), "{without}");
        let both = ["a.log", "--system", "lab7.json"];
        assert!(
            read(&both)
                .expect_err("both")
                .contains("cannot be used with")
        );
    }
}
