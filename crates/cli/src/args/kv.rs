//! The flags of `wordline kv`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use wordline_core::quantity::{ByteCount, Fraction};
use wordline_core::{KvBuild, KvDirectory, KvSizes, KvTable, KvWork};

use super::{Columns, Drawn, Export};

/// Runs hash tables on byte-addressable memories, simulated ones and those of this machine: two published tables, which
/// do not survive a power cut, and the project's own, which does.
#[derive(Debug, Subcommand)]
pub(crate) enum Kv {
    /// Time inserts, updates, hits, misses and deletes, with the least that any durable table moves beside them
    #[command(after_help = "\
Examples:
  wordline kv bench --target as3004316@stm32h743-fmc16
  wordline kv bench --table lpht,own --directory ram,resident --size 4B,32B,16B/100B --load 50%,90% --target em064lx
  wordline kv bench --workload ycsb-a,ycsb-c,ycsb-d --size 8B --target as3004316,em064lx
  wordline kv bench --workload etc,usr,udb,zippydb,up2x --table own --target em064lx --capacity 4MiB
  wordline kv bench --table own --target as3004316,em064lx,cy15b104q --export kv.html
  wordline kv bench --size 8B,32B --target as3004316,ram@host,file:table.bin

Without flags the sizes, the capacity and the lower load are those of \"Towards MRAM Byte-Addressable Persistent Memory in
Edge Database Systems\": put(key, key) of 2 to 256 B into 512 KiB until half of it is taken.")]
    Bench(Box<KvBench>),
    /// Cut the power within every access of a workload, open what is left, and say what is lost
    #[command(after_help = "\
Examples:
  wordline kv crash --target as3004316@stm32h743-fmc16
  wordline kv crash --table own --directory ram,resident --target em064lx,cy15b104q --size 4B,32B,100B --require own

The memory is the kindest of its kind: it stores what arrives on its bus in order. On a part with error correction
inside a store in flight spoils the word of it. A table passes where every call is done or not done, and what
returned lasts.

Exit code 1: a table that --require names lost something. Otherwise the verdict is a figure like others.")]
    Crash(Box<KvCrash>),
    /// Print header, records and damage of a table in an image of its memory, which is never written
    #[command(after_help = "\
Examples:
  wordline kv dump mram.bin
  wordline kv dump mram.bin --format json

The image is the bytes of the memory from the table's first on; crates/kv/SPEC.md has the format. Exit code 1: a record
is damaged.")]
    Dump(KvDump),
}

/// Fills each table on each memory to a load, every put timed, then reads every key, looks for keys that are not there,
/// updates and deletes. Time is simulated, or measured on memories of this machine; what a get returns is held against
/// what was put.
#[derive(Args, Debug)]
pub(crate) struct KvBench {
    /// PART@BOARD, or PART on its default board; ram@BOARD for the RAM of a board's processor, and ram for DRAM, that of
    /// rpi3-sd; of this machine file:PATH, a mapped file, and ram@host; repeatable and comma-separated
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
    /// What is done with a table: inserts, hits, misses, updates and deletes, each kind by itself; a core workload of YCSB;
    /// or a pool of a production store whose records have sizes of their own: etc and usr (Atikoglu 2012), udb, zippydb and
    /// up2x (Cao 2020); repeatable and comma-separated
    #[arg(long, value_delimiter = ',', default_value = "sweep")]
    #[arg(value_name = "sweep|ycsb-a|…|ycsb-f|etc|usr|udb|zippydb|up2x")]
    pub(crate) workload: Vec<KvWork>,
    /// Bytes in keys and values, KEY/VALUE or one size for both; repeatable and comma-separated [default:
    /// 2B,4B,8B,…,256B]
    #[arg(long, value_delimiter = ',', value_name = "SIZE")]
    pub(crate) size: Vec<KvSizes>,
    /// Bytes of each memory, from its first on, that a table gets: all of a smaller one; a file has as many [default:
    /// 512KiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) capacity: Option<ByteCount>,
    /// Share of a table's places that is taken before it is read; repeatable and comma-separated [default: 50%,90%]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "SHARE",
        allow_hyphen_values = true
    )]
    pub(crate) load: Vec<Fraction>,
    /// What a table's own work takes on the processor: as in the published build, which the figure of the board was
    /// calibrated with where there is one; in an optimised build, which is assumed; or nothing; of simulated processors
    /// alone; repeatable and comma-separated [default: published]
    #[arg(long, value_delimiter = ',')]
    #[arg(value_name = "published|optimized|none")]
    pub(crate) build: Vec<KvBuild>,
    /// The most operations that are timed once a table is filled, of the sweep of each kind, and in a file of its inserts as
    /// well [default: as many as it holds records, and 10000 of a mix; in a file 50, and 500 of a mix]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) operations: Option<u64>,
    /// Names the file of a target file:PATH again: what it holds will be lost
    #[arg(long, value_name = "PATH")]
    pub(crate) destroy: Vec<String>,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) drawn: Drawn,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// Records a workload of inserts, updates and removes on each table, derives every image that a power cut can leave, opens
/// each and reads everything; recoveries are cut as well.
#[derive(Args, Debug)]
pub(crate) struct KvCrash {
    /// PART@BOARD, or PART on its default board; repeatable and comma-separated
    #[arg(long, required = true, value_delimiter = ',', value_name = "TARGET")]
    pub(crate) target: Vec<String>,
    /// Tables, each by itself; repeatable and comma-separated
    #[arg(long, value_delimiter = ',', default_value = "lpht,clht,own")]
    #[arg(value_name = "lpht|clht|own")]
    pub(crate) table: Vec<KvTable>,
    /// Where the project's table keeps its directory; repeatable and comma-separated
    #[arg(long, value_delimiter = ',', default_value = "ram,resident")]
    #[arg(value_name = "ram|resident")]
    pub(crate) directory: Vec<KvDirectory>,
    /// Bytes in keys and values, KEY/VALUE or one size for both; repeatable and comma-separated
    #[arg(long, value_delimiter = ',', default_value = "8B", value_name = "SIZE")]
    pub(crate) size: Vec<KvSizes>,
    /// Images that are sampled [default: every one]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) images: Option<u64>,
    /// Table that must survive every cut, on every memory: the exit code is 1 otherwise; repeatable
    #[arg(long, value_delimiter = ',', value_name = "lpht|clht|own")]
    pub(crate) require: Vec<KvTable>,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) drawn: Drawn,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// Opens a copy of the image in RAM and walks over its records.
#[derive(Args, Debug)]
pub(crate) struct KvDump {
    /// The image
    pub(crate) image: PathBuf,
    /// The most records that are shown; the header counts all
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) limit: usize,
}
