//! The flags of `wordline fs`.

use clap::{Args, Subcommand};
use wordline_core::quantity::{ByteCount, DataRate, Fraction};
use wordline_core::{FsKind, FsTest};

use super::{Columns, Drawn, Export, Layer, Mount};

/// Runs file systems that products use, unmodified, on simulated memories.
#[derive(Debug, Subcommand)]
pub(crate) enum Fs {
    /// Run file systems on memories: throughput, latency with the worst case explained, wear, RAM, energy, power cuts
    #[command(after_help = "\
Examples:
  wordline fs bench --fs littlefs,fat --target mt25ql128,mt29f1g01,em064lx
  wordline fs bench --fs littlefs --target mt25ql128 --workload append --record 512B --rate 50KB/s
  wordline fs bench --fs littlefs --target mt25ql128 --workload small-files
  wordline fs bench --fs fat --target swissbit-g4000-4g --fill 0%,90% --export fat.html
  wordline fs bench --fs littlefs --target em064lx --crash 2000 --require littlefs
  wordline fs bench --target mt25ql128 --set littlefs.cache=1024 --set littlefs.lookahead=128

What a file system gets: littlefs the flash itself, in its erase blocks, or the bytes of a memory that can be
overwritten. FAT the sectors of a card or of such a memory; of NOR, erase blocks that are rewritten in place; of NAND,
the sectors of a translation layer (--ftl). docs/guides/file-systems.md explains the figures.

Exit code 1: a run failed, or one that --require names did not survive every power cut of the sample. Otherwise the
verdict is a figure like others.")]
    Bench(Box<Bench>),
    /// Let any program use a file system on a simulated memory, through FUSE, and say what it took
    ///
    /// Formats a file system on the memory and shows it at a directory, until the directory is unmounted or the command
    /// is interrupted. Then it says what the work took: simulated time, operations, energy and wear.
    ///
    /// Every call of a program reaches the file system, and none is answered from a cache of this host; time is that of
    /// the memory alone. It needs Linux, /dev/fuse, and a user who may mount.
    #[command(after_help = "\
Examples:
  wordline fs mount --fs littlefs --target mt25ql128 mnt
  wordline fs mount --fs fat --target em064lx --image card.img mnt
  wordline fs mount --fs fat --target mt29f1g01 --ftl log-block --set fat.tables=1 mnt

FAT takes the sectors of a memory as wordline fs bench gives them; on NAND, those of the translation layer of --ftl,
page-mapped unless you say otherwise.")]
    Mount(Box<Mount>),
}

/// Runs calls of each file system on each memory, every run on a memory that was formatted and filled for it. A call is
/// timed in simulated time, and of the slowest one the document says which operations of the memory it consisted of.
#[derive(Args, Debug)]
pub(crate) struct Bench {
    /// PART@BOARD, or PART on its default board; repeatable and comma-separated
    #[arg(long, required = true, value_delimiter = ',', value_name = "TARGET")]
    pub(crate) target: Vec<String>,
    /// File systems, each run by itself; repeatable and comma-separated
    #[arg(long, value_delimiter = ',', default_value = "littlefs,fat")]
    #[arg(value_name = "littlefs|fat")]
    pub(crate) fs: Vec<FsKind>,
    /// What is done: a file written in order and read, written again, written and read at random places; records appended
    /// and synced; small files created, looked up, appended to and deleted; repeatable and comma-separated
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "sequential,overwrite,random,append,small-files"
    )]
    #[arg(value_name = "sequential|overwrite|random|append|small-files")]
    pub(crate) workload: Vec<FsTest>,
    /// Bytes of each memory, from its first on, that a file system gets, all of a smaller one [default: of each memory
    /// 4MiB, 64 blocks of a NAND or 16KiB for each small file, whichever is most; the mount and the RAM are then told for
    /// all of it as well]
    #[arg(long, value_name = "SIZE")]
    pub(crate) capacity: Option<ByteCount>,
    /// Length of the file that is written and read [default: 64KiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) file: Option<ByteCount>,
    /// Bytes of a call that writes or reads it [default: 2KiB, or the file where that is less]
    #[arg(long, value_name = "SIZE")]
    pub(crate) access: Option<ByteCount>,
    /// Bytes that are appended and synced at a time [default: 256B, or the file where that is less]
    #[arg(long, value_name = "SIZE")]
    pub(crate) record: Option<ByteCount>,
    /// Small files [default: 40; 750 where small-files is all that is run, as users of littlefs report]
    #[arg(long = "files", value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) small_files: Option<u64>,
    /// Bytes of a small file, and of what is appended to it [default: 50B]
    #[arg(long, value_name = "SIZE")]
    pub(crate) small: Option<ByteCount>,
    /// Share of the file system's room that holds other files before a run; repeatable and comma-separated
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "SHARE",
        default_value = "0%,50%",
        allow_hyphen_values = true
    )]
    pub(crate) fill: Vec<Fraction>,
    /// Input rate whose RAM is answered for the calls that write; repeatable and comma-separated
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "RATE",
        default_value = "10KB/s",
        allow_hyphen_values = true
    )]
    pub(crate) rate: Vec<DataRate>,
    /// Images of interrupted runs that are sampled for the verdict on power cuts, some of whose mounts are cut again; 0
    /// for no verdict
    #[arg(
        long,
        value_name = "N",
        default_value_t = 200,
        value_parser = count,
        allow_negative_numbers = true
    )]
    pub(crate) crash: u64,
    /// File system that must survive every one of them, on every memory: the exit code is 1 otherwise; repeatable
    #[arg(long, value_delimiter = ',', value_name = "littlefs|fat")]
    pub(crate) require: Vec<FsKind>,
    /// Set a choice of a file system otherwise than by default; repeatable
    #[arg(long, value_name = "FS.NAME=VALUE", value_parser = super::dram::setting)]
    pub(crate) set: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) layer: Layer,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) drawn: Drawn,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// A number of things, of which the laboratory says how many may be.
fn count(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "it is no whole number; allowed: 0 and more, such as 200".to_owned())
}
