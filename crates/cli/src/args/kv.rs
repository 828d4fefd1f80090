//! The flags of `wordline kv`.

use clap::{Args, Subcommand};
use wordline_core::quantity::{ByteCount, Fraction};
use wordline_core::{KvDirectory, KvSizes, KvTable, Timing};

use super::{Drawn, Export};

/// Runs hash tables on simulated byte-addressable memories: two published ones, which do not survive a power cut, and
/// the project's own, which does.
#[derive(Debug, Subcommand)]
pub(crate) enum Kv {
    /// Time inserts, updates, hits, misses and deletes, with the least that any durable table moves beside them
    #[command(after_help = "\
Examples:
  wordline kv bench --target as3004316@stm32h743-fmc16
  wordline kv bench --table lpht,own --directory ram,resident --size 4B,32B,16B/100B --load 50%,90% --target em064lx
  wordline kv bench --table own --target as3004316,em064lx,cy15b104q --export kv.html

Without flags the sizes, the capacity and the load are those of \"Towards MRAM Byte-Addressable Persistent Memory in
Edge Database Systems\": put(key, key) of 2 to 256 B into 512 KiB until half of it is taken.")]
    Bench(Box<KvBench>),
}

/// Fills each table on each memory to a load, every put timed, then reads every key, looks for keys that are not there,
/// updates and deletes. Time is simulated; what a get returns is held against what was put.
#[derive(Args, Debug)]
pub(crate) struct KvBench {
    /// PART@BOARD, or PART on its default board; repeatable and comma-separated
    #[arg(long, required = true, value_delimiter = ',', value_name = "TARGET")]
    pub(crate) target: Vec<String>,
    /// Tables, each run by itself: linear probing and cache-line buckets as published, and the project's own; repeatable
    /// and comma-separated
    #[arg(long, value_delimiter = ',', default_value = "lpht,clht,own")]
    #[arg(value_name = "lpht|clht|own")]
    pub(crate) table: Vec<KvTable>,
    /// Where the project's table keeps its directory: in RAM, or in the memory, which takes next to no RAM; repeatable
    /// and comma-separated
    #[arg(long, value_delimiter = ',', default_value = "ram")]
    #[arg(value_name = "ram|resident")]
    pub(crate) directory: Vec<KvDirectory>,
    /// Bytes in keys and values, KEY/VALUE or one size for both; repeatable and comma-separated [default:
    /// 2B,4B,8B,…,256B]
    #[arg(long, value_delimiter = ',', value_name = "SIZE")]
    pub(crate) size: Vec<KvSizes>,
    /// Bytes of each memory, from its first on, that a table gets: all of a smaller one [default: 512KiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) capacity: Option<ByteCount>,
    /// Share of a table's places that is taken before it is read; repeatable and comma-separated [default: 50%]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "SHARE",
        allow_hyphen_values = true
    )]
    pub(crate) load: Vec<Fraction>,
    /// The most operations of a kind that are timed once a table is filled [default: as many as it holds records]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) operations: Option<u64>,
    /// Columns of the data sheets, each run by itself
    #[arg(
        long,
        default_value = "typ",
        value_delimiter = ',',
        value_name = "typ|max|sampled"
    )]
    pub(crate) timing: Vec<Timing>,
    #[command(flatten)]
    pub(crate) drawn: Drawn,
    #[command(flatten)]
    pub(crate) export: Export,
}
