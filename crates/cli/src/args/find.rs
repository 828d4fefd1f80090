//! Flags of `part find`: what a part must be.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use wordline_catalog::profile::{BusWires, PartFilter};
use wordline_core::LifecycleStatus;
use wordline_core::quantity::{ByteCount, Current, Cycles, Frequency, Money, Time, Voltage};

/// Prints the parts that meet every condition. A figure is held against its worse column: `max` of a time or a current,
/// `min` of an endurance, as a design must plan. Parts that may meet a condition, by a figure that is estimated, assumed or
/// unknown, come last, and the figure is named.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline part find --kind nor --min-capacity 16MiB --bus octal --max-standby 20uA
  wordline part find --kind nand --bus quad --supply 1.8V --min-endurance 60000cycles
  wordline part find --kind mram,fram --min-capacity 512KiB --lifecycle active
  wordline part find --maker winbond --max-erase 400ms --format json

Exit code 1: no part meets the conditions.")]
pub(crate) struct FindParts {
    /// A line for each part with all of its key figures, instead of those that fit a screen
    #[arg(long)]
    pub(crate) all: bool,
    /// Kind of memory, such as nor, nand, mram, fram, eeprom, reram, sram, psram, card, onchip; repeatable
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Maker, or a part of its name; repeatable
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) maker: Vec<String>,
    /// Bus: the most lines that carry data; repeatable
    #[arg(long, value_name = "BUS", value_delimiter = ',')]
    #[arg(value_parser = buses())]
    pub(crate) bus: Vec<BusWires>,
    /// What the maker says of the supply; repeatable
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_enum)]
    pub(crate) lifecycle: Vec<LifecycleStatus>,
    /// Least capacity
    #[arg(long, value_name = "SIZE")]
    pub(crate) min_capacity: Option<ByteCount>,
    /// Largest capacity
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_capacity: Option<ByteCount>,
    /// A voltage that the part works with
    #[arg(long, value_name = "VOLTAGE")]
    pub(crate) supply: Option<Voltage>,
    /// Least of the highest clock
    #[arg(long, value_name = "FREQUENCY")]
    pub(crate) min_clock: Option<Frequency>,
    /// Longest program of a page, or write cycle
    #[arg(long, value_name = "TIME")]
    pub(crate) max_program: Option<Time>,
    /// Longest erase of the smallest block
    #[arg(long, value_name = "TIME")]
    pub(crate) max_erase: Option<Time>,
    /// Most current in standby
    #[arg(long, value_name = "CURRENT")]
    pub(crate) max_standby: Option<Current>,
    /// Least rated cycles
    #[arg(long, value_name = "CYCLES")]
    pub(crate) min_endurance: Option<Cycles>,
    /// Highest price of one; a part without a price may meet it
    #[arg(long, value_name = "EUR")]
    pub(crate) max_price: Option<Money>,
}

impl FindParts {
    pub(crate) fn filter(&self) -> PartFilter {
        PartFilter {
            kinds: self.kind.clone(),
            makers: self.maker.clone(),
            buses: self.bus.clone(),
            lifecycles: self.lifecycle.clone(),
            min_capacity: self.min_capacity,
            max_capacity: self.max_capacity,
            supply: self.supply,
            min_clock: self.min_clock,
            max_program: self.max_program,
            max_erase: self.max_erase,
            max_standby: self.max_standby,
            min_endurance: self.min_endurance,
            max_price: self.max_price,
        }
    }
}

fn buses() -> impl clap::builder::TypedValueParser<Value = BusWires> {
    let named = |name: String| BusWires::ALL.into_iter().find(|bus| bus.name() == name);
    PossibleValuesParser::new(BusWires::ALL.map(BusWires::name)).map(move |name| {
        match named(name) {
            Some(bus) => bus,
            None => unreachable!("the names are those of the buses"),
        }
    })
}
