//! The flags of `wordline compare`.

use clap::Args;
use wordline_core::quantity::{ByteCount, Capacitance, DataRate, Energy, Fraction, Money, Period};
use wordline_core::{Keep, LifeBy, Timing, WorkKind};

use super::{Export, Layer};

/// Sets candidates side by side for a piece of work, and gives each a verdict: at typical timing and at the data
/// sheet's maximum, with the limit that decides and the margin that it leaves. Without a study and without
/// targets it ranks every part of the catalogue; flags override what a study says.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline compare --rate 500KB/s --record 4KiB --keep 1h --max-ram 16KiB --min-life 10y
  wordline compare --rate 500KB/s --record 4KiB --duty 10% --max-ram 16KiB --in-turn --export compare.html
  wordline compare data-logger                      a study that comes along
  wordline compare my-study.toml --require mt29f1g01@stm32h755-qspi
  wordline compare --rate 20KB/s --record 512B --print-study > my-study.toml
  wordline compare --work overwrite --rate 50KB/s --record 4KiB --keep 64MiB --ftl page
  wordline compare trace-replay --trace my.blkparse
  wordline compare --rate 100KB/s --target nand08gw3b2c --temperature 55 --retain 1y --min-life 10y

Studies that come along: data-logger, boot-image, sensor-node-battery, trace-replay.
docs/reference/studies.md describes the file, docs/guides/which-memory.md the way through.

Exit codes: 0 at least one candidate passes; 1 none does, or one that --require names does not.")]
pub(crate) struct Compare {
    /// A study: a TOML file, - for standard input, or the name of one that comes along
    pub(crate) study: Option<String>,
    /// Candidates: PART@BOARD, or 2*PART@BOARD for two chips in turn [default: the whole catalogue]
    #[arg(long, value_delimiter = ',', value_name = "TARGET")]
    pub(crate) target: Vec<String>,
    /// Candidate that must pass, at every timing; repeatable
    #[arg(long, value_delimiter = ',', value_name = "TARGET")]
    pub(crate) require: Vec<String>,
    /// Write the study to stdout instead of running it
    #[arg(long, conflicts_with_all = ["require", "files"])]
    pub(crate) print_study: bool,
    /// What the study is about
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// What the accesses are [default: log]
    #[arg(long, value_name = "KIND", help_heading = WORK)]
    #[arg(
        help = "What the accesses are: log, overwrite, read, read-mostly, mixed, replay [default: log]"
    )]
    pub(crate) work: Option<WorkKind>,
    /// Bytes a second that come while the work goes on
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, help_heading = WORK)]
    pub(crate) rate: Option<DataRate>,
    /// Bytes of one access [default: 4KiB]
    #[arg(long, value_name = "SIZE", help_heading = WORK)]
    pub(crate) record: Option<ByteCount>,
    /// Share of the time in which the work goes on [default: 100%]
    #[arg(long, value_name = "SHARE", help_heading = WORK)]
    pub(crate) duty: Option<Fraction>,
    /// Data to keep: a size, or a time at the rate [default: 1h]
    #[arg(long, value_name = "SIZE|PERIOD", help_heading = WORK)]
    pub(crate) keep: Option<Keep>,
    /// Share of the memory that the data to keep may fill [default: 100%]
    #[arg(long, value_name = "SHARE", help_heading = WORK)]
    pub(crate) utilization: Option<Fraction>,
    /// Share of a memory behind a translation layer that holds data before [default: all of a card, and of raw flash
    /// the data to keep]
    #[arg(long, value_name = "SHARE", help_heading = WORK)]
    pub(crate) fill: Option<Fraction>,
    /// Share of the accesses that read, of read-mostly (default 90%) and mixed (default 50%)
    #[arg(long, value_name = "SHARE", help_heading = WORK)]
    pub(crate) reads: Option<Fraction>,
    /// Trace to replay, from blkparse or fio --write_iolog
    #[arg(long, value_name = "FILE", help_heading = WORK)]
    pub(crate) trace: Option<String>,
    /// Temperature of the memory in degrees Celsius, -40 to 125 [default: 25]
    #[arg(long, value_name = "CELSIUS", allow_hyphen_values = true, help_heading = WORK)]
    pub(crate) temperature: Option<f64>,
    /// How long what was written must keep, even at the end of life [default: until it is overwritten]
    #[arg(long, value_name = "PERIOD", help_heading = WORK)]
    pub(crate) retain: Option<Period>,
    /// Most RAM for records that wait
    #[arg(long, value_name = "SIZE", help_heading = LIMITS)]
    pub(crate) max_ram: Option<ByteCount>,
    /// Longest access
    #[arg(long, value_name = "PERIOD", help_heading = LIMITS)]
    pub(crate) max_latency: Option<Period>,
    /// Least life
    #[arg(long, value_name = "PERIOD", help_heading = LIMITS)]
    pub(crate) min_life: Option<Period>,
    /// What ends a life: the rated cycles, or failures that the chip reports, which nobody promises [default: rated]
    #[arg(long, value_name = "rated|status-fail", help_heading = LIMITS)]
    pub(crate) life_by: Option<LifeBy>,
    /// Most probable loss of a page that is kept, with which a life ends [default: 0.001%]
    #[arg(long, value_name = "SHARE", help_heading = LIMITS)]
    pub(crate) max_page_loss: Option<Fraction>,
    /// Most energy in a day, of memory and host
    #[arg(long, value_name = "ENERGY", help_heading = LIMITS)]
    pub(crate) max_energy_per_day: Option<Energy>,
    /// Most bytes that a power cut may lose
    #[arg(long, value_name = "SIZE", help_heading = LIMITS)]
    pub(crate) max_bytes_at_risk: Option<ByteCount>,
    /// Largest hold-up capacitor that saves what is in RAM
    #[arg(long, value_name = "CAPACITANCE", help_heading = LIMITS)]
    pub(crate) max_holdup: Option<Capacitance>,
    /// Highest price of memory, RAM and level shifter
    #[arg(long, value_name = "PRICE", help_heading = LIMITS)]
    pub(crate) max_cost: Option<Money>,
    /// Most chips of one candidate [default: 16]
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) max_parts: Option<u64>,
    /// Price of a KiB of RAM
    #[arg(long, value_name = "PRICE", help_heading = PRICES)]
    pub(crate) ram_price: Option<Money>,
    /// Price of a level shifter for one chip
    #[arg(long, value_name = "PRICE", help_heading = PRICES)]
    pub(crate) shifter_price: Option<Money>,
    /// Price of a part, such as mt29f1g01=2.10EUR; repeatable
    #[arg(long, value_delimiter = ',', value_name = "PART=PRICE", value_parser = price, help_heading = PRICES)]
    pub(crate) price: Vec<(String, Money)>,
    /// Two chips in turn, one written while the other erases, are candidates as well
    #[arg(long)]
    pub(crate) in_turn: bool,
    #[command(flatten)]
    pub(crate) layer: Layer,
    /// Columns of the data sheets, each judged by itself [default: typ,max]
    #[arg(long, value_delimiter = ',', value_name = "typ|max|sampled")]
    pub(crate) timing: Vec<Timing>,
    /// Fraction of rated life already used, 0 to 1 [default: 0]
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true)]
    pub(crate) age: Option<f64>,
    /// Seed of everything that is drawn [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) export: Export,
}

const WORK: &str = "The work";
const LIMITS: &str = "Limits";
const PRICES: &str = "Prices";

fn price(text: &str) -> Result<(String, Money), String> {
    let (part, price) = text
        .split_once('=')
        .ok_or_else(|| "expected PART=PRICE, such as mt29f1g01=2.10EUR".to_owned())?;
    let price = price.parse().map_err(|error| format!("{error}"))?;
    Ok((part.trim().to_owned(), price))
}
