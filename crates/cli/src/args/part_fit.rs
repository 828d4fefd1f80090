//! The flags of `wordline part fit`.

use std::path::PathBuf;

use clap::Args;
use wordline_core::quantity::{ByteCount, Fraction};
use wordline_core::{Durations, FitWorkload, Pattern, WearUsage};

use super::buffer::durations;
use super::{Export, pattern};

/// Finds the figures of a part that its maker does not state, from a log of a real one: of a card (sd), those with which
/// the simulated card takes the durations of the log; of raw flash (nand, nor), those that durations over the life of
/// blocks determine, with 95 % intervals. The first half of the log, or of the blocks of each chip, is fitted; the
/// second is held out and predicted, and both stand in the table with their ratios. What is found is calibrated, never
/// known: it says what the part did.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fio --name=card --filename=/mnt/card/test --size=256M --rw=randwrite --bs=4k --ioengine=psync --sync=1 \\
      --loops=4 --write_lat_log=card --log_offset=1
  wordline part fit card_lat.1.log --template sd --id my-card --output my-parts/my-card.toml
  wordline buffer --catalog my-parts --target my-card --rate 500KB/s

  wordline part fit card_lat.1.log --template sd --base swissbit-g4000@rpi3-sd --export fit.html
  wordline part fit paced_lat.1.log --template sd --durations paced      a log at a fixed rate shows idle work
  wordline part fit uart.bin --template sd --pattern random --range 64MiB    what the recorder sent

  wordline part fit cycled.csv --template nand --base nand08gw3b2c --output my-parts/my-nand.toml
  wordline part fit cycled.csv --template nand --usage whole-block
  wordline wear --catalog my-parts --target my-nand

docs/guides/fit-a-card.md and docs/guides/fit-raw-flash.md say how to record a log, and what a fit can tell.")]
pub(crate) struct PartFit {
    /// sd: a log of writes of one size; nand, nor: a cycling log; - for standard input
    pub(crate) log: PathBuf,
    /// What is fitted
    #[arg(long, value_name = "sd|nand|nor")]
    pub(crate) template: String,
    /// Where all other figures come from: PART, or PART@BOARD [default: that of the template]
    #[arg(long, value_name = "TARGET")]
    pub(crate) base: Option<String>,
    /// Id of the new sheet [default: from the name of the log]
    #[arg(long, value_name = "NAME")]
    pub(crate) id: Option<String>,
    /// Write the sheet; an existing file is left alone without --force
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Write over an existing file
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// What each cycle of a cycling log programmed [default: first-page]
    #[arg(long, value_name = "first-page|whole-block|erase-only")]
    pub(crate) usage: Option<WearUsage>,
    /// Bytes of each write, where the log does not tell
    #[arg(long, value_name = "SIZE")]
    pub(crate) record: Option<ByteCount>,
    /// Order of the addresses, where the log does not tell them
    #[arg(long, value_name = "sequential|random", value_parser = pattern)]
    pub(crate) pattern: Option<Pattern>,
    /// Bytes from address 0 on that were written to, where the log does not tell addresses
    #[arg(long, value_name = "SIZE")]
    pub(crate) range: Option<ByteCount>,
    /// Share of the card that held data before [default: what was written to, or all of it, whichever is nearer]
    #[arg(long, value_name = "SHARE")]
    pub(crate) fill: Option<Fraction>,
    /// Data written likewise before the log began
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "0 B",
        hide_default_value = true
    )]
    pub(crate) warm_up: ByteCount,
    /// What the log's durations are: those of accesses that follow each other, or of a host that paused
    #[arg(long, default_value = "latency", value_name = "latency|paced", value_parser = durations)]
    pub(crate) durations: Durations,
    /// Format of the log, where its content does not tell
    #[arg(long, value_name = "FORMAT")]
    pub(crate) log_format: Option<String>,
    /// Unit of the values of a fio log: ns (fio 3), us (fio 2)
    #[arg(long, value_name = "ns|us")]
    pub(crate) log_unit: Option<String>,
    /// Which of several jobs of a log
    #[arg(long, value_name = "NAME")]
    pub(crate) job: Option<String>,
    /// The most simulations of the search, each as long as half the log
    #[arg(long, default_value_t = FitWorkload::SIMULATIONS, value_name = "N")]
    pub(crate) simulations: u32,
    /// Seed of everything that is drawn
    #[arg(
        long,
        default_value_t = 0,
        value_name = "N",
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) export: Export,
}
