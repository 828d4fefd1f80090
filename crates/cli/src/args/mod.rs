//! The command line: every flag, its help and its default.

mod app;
mod dumps;
mod engines;
mod find;
mod fs_mount;
mod io;
mod short;

use std::path::PathBuf;
use std::time::Duration;

pub(crate) use app::{
    App, AppProbing, AppRecording, CapacityFlags, CounterEvents, CounterFiles, KernelFlags,
    cache_size,
};
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
pub(crate) use dumps::{Import, NewPart};
pub(crate) use find::FindParts;
pub(crate) use fs_mount::Mount;
#[cfg(all(feature = "fuse", target_os = "linux"))]
pub(crate) use io::FileRecording;
pub(crate) use io::{Io, ShowTrace};
use wordline_core::COMMANDS;
use wordline_core::quantity::{Fraction, Quantity as _, Time};
use wordline_lab::{Control, Shard};
use wordline_report::{Detail, Format};

use crate::commands::dram::Threads;
use crate::commands::dram_surface::SurfaceFolder;
use crate::commands::hooks;
use crate::interrupt;

/// A memory laboratory: which memory should I use for this work, and what will it cost me?
#[derive(Debug, Parser)]
#[command(
    version,
    propagate_version = true,
    disable_version_flag = true,
    disable_help_subcommand = true,
    disable_help_flag = true,
    // The commands fit a screen with two blank lines less, and without a heading for -h.
    override_usage = "wordline [OPTIONS] <COMMAND>   (flags: wordline COMMAND -h   everything: --help)",
    help_template = "{about}\n{usage-heading} {usage}\n{all-args}{after-help}",
    max_term_width = 100
)]
#[command(after_long_help = "\
Examples:
  wordline compare --rate 500KB/s --record 4KiB --keep 1h --max-ram 16KiB --min-life 10y
  wordline buffer --log my_lat.1.log --ram 64KiB
  wordline raw --target em064lx --export report.html
  wordline wear --target nand08gw3b2c --blocks 100
  wordline fs bench --fs littlefs,fat --target mt25ql128
  wordline kv bench --target as3004316@stm32h743-fmc16
  wordline sql tune --target as3004316@stm32h743-fmc16
  wordline dram bandwidth --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s
  wordline part show em064lx
  wordline reproduce
  wordline host latency
  wordline doctor

`wordline completions SHELL` prints completions for a shell, `wordline man DIR` writes man pages.

Exit codes: 0 done; 1 ran, but a check failed; 2 could not run; 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
    /// Print help (see more with '--help')
    // With a place of its own the commands fit a screen.
    #[arg(short = 'h', long, global = true, hide_short_help = true, help_heading = EVERYWHERE)]
    #[arg(action = clap::ArgAction::Help)]
    help: Option<bool>,
}

/// Heading of the flags that every command takes.
const EVERYWHERE: &str = "Options of every command";

/// Flags that every command takes.
#[derive(Args, Debug)]
pub(crate) struct Global {
    /// Add a folder of your own parts and boards (TOML); repeatable
    #[arg(long, global = true, hide_short_help = true, value_name = "DIR", help_heading = EVERYWHERE)]
    pub(crate) catalog: Vec<PathBuf>,
    /// Add prices: a CSV file with part, quantity, price, currency and date, or a folder of them;
    /// repeatable [default: the folder prices of each --catalog folder]
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE|DIR", help_heading = EVERYWHERE)]
    pub(crate) prices: Vec<PathBuf>,
    /// Euros for one unit of a currency, such as USD=0.92, for price lists that do not say it; repeatable
    #[arg(long, global = true, hide_short_help = true, value_name = "CURRENCY=EUROS", help_heading = EVERYWHERE)]
    pub(crate) exchange: Vec<String>,
    /// Pieces that are bought at once: which of the prices counts
    #[arg(long, global = true, hide_short_help = true, value_name = "N", help_heading = EVERYWHERE)]
    #[arg(default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) quantity: u64,
    /// How stdout is written
    #[arg(
        id = "stdout_format",
        long = "format",
        global = true,
        hide_short_help = true,
        value_enum
    )]
    #[arg(default_value = "table", value_name = "FORMAT", help_heading = EVERYWHERE)]
    pub(crate) format: StdoutFormat,
    /// No progress and no notes on stderr; errors stay
    #[arg(long, global = true, hide_short_help = true, help_heading = EVERYWHERE)]
    pub(crate) quiet: bool,
    /// Leave the defaults of wordline.toml in the working folder aside
    #[arg(long, global = true, hide_short_help = true, help_heading = EVERYWHERE)]
    pub(crate) no_settings: bool,
    /// Print version
    // With a place of its own the commands fit a screen.
    #[arg(short = 'V', long, global = true, hide_short_help = true, help_heading = EVERYWHERE)]
    #[arg(action = clap::ArgAction::Version)]
    version: Option<bool>,
}

/// What is no experiment; those have a table of their own, [`COMMANDS`].
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer four questions and get the command that ranks memories for them
    ///
    /// What do you write, how fast, how long must it last, and what may it cost? An empty answer takes the default. The
    /// command stands on stdout; on a terminal it can be run at once. `wordline` alone on a terminal does the same.
    #[command(
        display_order = 0,
        after_help = "\
Examples:
  wordline ask
  printf 'log\\n500KB/s\\n10y\\n\\n' | wordline ask"
    )]
    Ask,
    /// Run file systems that products use on a memory
    #[command(subcommand, display_order = 20)]
    Fs(Box<Fs>),
    /// Record the file calls of a program, and run them on any memory
    #[command(subcommand, display_order = 20)]
    Io(Io),
    /// Run hash tables on a byte-addressable memory
    #[command(subcommand, display_order = 21)]
    Kv(Kv),
    /// Say what programs ask of memory, and what another memory does to them
    #[command(subcommand, display_order = 22)]
    App(App),
    /// List, find, compare, show, check and import parts and boards, or fit one to a log
    #[command(subcommand, display_order = 23)]
    Part(Part),
    /// Print published figures beside ours, with the score
    #[command(display_order = 24)]
    Reproduce(Reproduce),
    /// Render saved results again without running; several in one table and one plot
    ///
    /// One result looks as its run did. Of several the curves are shown that at least two of them have: latency under load,
    /// bandwidth by mix, latency without load and over the working set, RAM over the input rate, and throughput over access
    /// size. A solid line with filled signs was measured, a dashed one with hollow signs was not. `--all` adds the first
    /// screen of each result.
    #[command(display_order = 25)]
    Report(Report),
    /// Run an experiment along axes: many points, a share of them, or those of a store
    #[command(display_order = 25)]
    Sweep(Box<SweepFile>),
    /// Find the best trade-offs of a design space, without running most of it
    #[command(display_order = 25)]
    Explore(Box<StudySpace>),
    /// Run a saved experiment, or the one inside a result, again
    #[command(display_order = 25)]
    Run(Box<RunSaved>),
    /// Say what changed between two saved results
    #[command(display_order = 26)]
    Diff(Diff),
    /// Say what can be measured on this host
    #[command(display_order = 26)]
    Doctor {
        /// Every check with what was found, instead of those that limit measurements first
        #[arg(long)]
        all: bool,
    },
    /// Print completions for a shell; `wordline man DIR` writes man pages
    // Packages use it, and the short help fits a screen.
    #[command(
        hide = true,
        display_order = 27,
        after_help = "\
Examples:
  wordline completions bash > ~/.local/share/bash-completion/completions/wordline
  wordline completions zsh > ~/.zfunc/_wordline        with ~/.zfunc in fpath
  wordline completions fish > ~/.config/fish/completions/wordline.fish"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write a man page for each command into a folder
    // Packages use it, and the short help fits a screen.
    #[command(
        hide = true,
        display_order = 28,
        after_help = "Example:\n  wordline man ~/.local/share/man/man1"
    )]
    Man {
        /// A folder that exists
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Where results are saved besides stdout.
#[derive(Args, Debug)]
pub(crate) struct Export {
    /// Save the results as well, in the format of the extension (json, csv, md, html, txt);
    /// repeatable
    #[arg(id = "export", long = "export", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print the reasons and every warning below the answer
    #[arg(long, hide_short_help = true, conflicts_with = "all")]
    pub(crate) explain: bool,
    /// Print every table, sentence and warning instead of the answer alone
    #[arg(long)]
    pub(crate) all: bool,
}

/// Where the table of a command without result rows is saved besides stdout.
#[derive(Args, Debug)]
pub(crate) struct TableExport {
    /// Save the table as well, in the format of the extension (json, csv, md, html, txt); repeatable
    #[arg(id = "export", long = "export", value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What results are shown beside, and where they are saved.
#[derive(Args, Debug)]
pub(crate) struct Results {
    #[command(flatten)]
    pub(crate) export: Export,
    /// Say what changed since a saved result (JSON); exit code 1 when something became worse
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
}

/// How long a run may take, and whether it is one.
#[derive(Args, Debug)]
pub(crate) struct Execution {
    /// Stop in order after this time, such as 30s, and answer from what is finished by then
    #[arg(long, hide_short_help = true, value_name = "TIME")]
    budget: Option<Time>,
    /// Print the experiment as JSON for `wordline run`, and run nothing
    #[arg(long, hide_short_help = true, conflicts_with = "export")]
    pub(crate) print_experiment: bool,
}

impl Execution {
    /// How long the run may take, from now on.
    pub(crate) fn begin(&self) -> Option<Duration> {
        begin(self.budget)
    }
}

fn begin(budget: Option<Time>) -> Option<Duration> {
    let budget = budget.map(|time| Duration::from_secs_f64(time.si()));
    if let Some(budget) = budget {
        interrupt::stop_after(budget);
    }
    budget
}

impl TableExport {
    /// The same files for what has one detail alone: all of it.
    pub(crate) fn whole(&self) -> Export {
        Export {
            files: self.files.clone(),
            explain: false,
            all: true,
        }
    }
}

impl Export {
    /// How much of the results stdout shows.
    pub(crate) fn detail(&self) -> Detail {
        match (self.all, self.explain) {
            (true, _) => Detail::All,
            (false, true) => Detail::Explain,
            (false, false) => Detail::Answer,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Fs {
    /// Let any program use a file system on a simulated memory, through FUSE, and say what it took
    ///
    /// Formats a file system on the memory and shows it at a directory, until the directory is unmounted or the command
    /// is interrupted. Then it says what the work took: simulated time, operations, energy and wear.
    ///
    /// Every call of a program reaches the file system, and none is answered from a cache of this host; time is that of
    /// the memory alone. It needs Linux, /dev/fuse, and a user who may mount.
    #[command(
        display_order = 30,
        after_help = "\
Examples:
  wordline fs mount --fs littlefs --target mt25ql128 mnt
  wordline fs mount --fs fat --target em064lx --image card.img mnt
  wordline fs mount --fs fat --target mt29f1g01 --ftl log-block --set fat.tables=1 mnt

FAT takes the sectors of a memory as wordline fs bench gives them; on NAND, those of the translation layer of --ftl,
page-mapped unless you say otherwise. An image is mounted once at a time. What was synced is there again after a kill
of the command, and when this host's disk is full: the next mount replays FILE.journal."
    )]
    Mount(Box<Mount>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum Kv {
    /// Print header, records and damage of a table in an image of its memory, which is never written
    #[command(
        display_order = 30,
        after_help = "\
Examples:
  wordline kv dump mram.bin
  wordline kv dump mram.bin --format json

The image is the bytes of the memory from the table's first on; crates/kv/SPEC.md has the format. Exit code 1: a record
is damaged."
    )]
    Dump(KvDump),
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

#[derive(Debug, Subcommand)]
pub(crate) enum Part {
    /// List parts and boards, folded by kind and maker
    #[command(after_help = "\
Examples:
  wordline part list
  wordline part list --all
  wordline part list --format json      one object a part, with what its figures rest on")]
    List {
        /// A line for each part, with its key figures
        #[arg(long)]
        all: bool,
    },
    /// Find parts by what they must be
    Find(Box<FindParts>),
    /// Rank the parts that resemble a part: what could stand in for it
    #[command(after_help = "\
Examples:
  wordline part similar w25q64jv
  wordline part similar cy15b104q --limit 5 --format json

The factor is how far the figures of a part lie away on average: 1 where all are the same. What stands in the way of an
exchange is another bus, a supply that never meets, or less capacity.")]
    Similar {
        /// The part
        part: String,
        /// How many are shown
        #[arg(long, value_name = "N", default_value_t = 10)]
        #[arg(value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
        limit: usize,
    },
    /// Put the figures of parts side by side, each with its source
    #[command(after_help = "\
Examples:
  wordline part compare w25q64jv mx25r6435f
  wordline part compare em064lx mr25h40 cy15b104q --all
  wordline part compare w25n01gv gd5f1gq5u --sources")]
    Compare {
        /// Two parts or more
        #[arg(required = true, num_args = 2..=8, value_name = "PART")]
        parts: Vec<String>,
        /// Figures that agree as well
        #[arg(long)]
        all: bool,
        /// Where each figure comes from
        #[arg(long)]
        sources: bool,
    },
    /// Print what a part or board is, with --all every figure and its source
    #[command(after_help = "\
Examples:
  wordline part show em064lx
  wordline part show em064lx --all             every figure with its source
  wordline part show em064lx@stm32h7s78-xspi   also how the part works on that board
  wordline part show stm32h755-qspi
  wordline part show em064lx --sheet > my-parts/my-mram.toml")]
    Show {
        /// A part, a board, or PART@BOARD
        id: String,
        /// Print the TOML text of the sheet, to begin one of your own with
        #[arg(long, conflicts_with_all = ["stdout_format", "all"])]
        sheet: bool,
        /// Every figure with its source, and every command on the board
        #[arg(long)]
        all: bool,
    },
    /// Decode the parameter pages of flash chips: SFDP (NOR) or ONFI (NAND), one or a folder
    Import(Box<Import>),
    /// Write a sheet for the chip on your desk, from the page that it carries
    New(Box<NewPart>),
    /// Check sheets; exit code 1 when one is wrong
    #[command(after_help = "\
Examples:
  wordline part check                    the whole catalogue
  wordline part check my-parts/chip.toml
  wordline part check my-parts           every .toml file in a folder
  wordline --catalog my-parts part check --rules   are the rules of the protocols kept?")]
    Check {
        /// Files or folders [default: the embedded catalogue and every --catalog folder]
        paths: Vec<PathBuf>,
        /// Check the models as well: each rule of each part's protocol on its default board, and
        /// whether its absence would be noticed
        #[arg(long)]
        rules: bool,
    },
}

/// Runs what the published values of a document ask for and prints them beside ours: predictions,
/// calibrations and copied data-sheet figures each by themselves, every value with its citation and
/// with the tolerance that was stated before the run. Then come known misses with their reasons,
/// what cannot be computed yet and why, the errors of the document, and the score.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline reproduce
  wordline reproduce mram-vs-flash-benchmark
  wordline reproduce mram-vs-flash-benchmark --list    its values, without running anything
  wordline reproduce nand-characterisation --only \"section 3.4\"
  wordline reproduce --format json --export evidence.md

Exit code 1: a miss that is not listed, a listed miss that hits now, or a value that is listed as not
yet possible and runs now.")]
pub(crate) struct Reproduce {
    /// Key of a document; --list names them [default: every document]
    pub(crate) key: Option<String>,
    /// List the documents, or the values of KEY with their tolerances, without running anything
    #[arg(long)]
    pub(crate) list: bool,
    /// Only the values whose citation has this text in it, in whatever letter case; repeatable, for any of several
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Vec<String>,
    /// Stop in order after this time, such as 60s, and score what is finished by then
    #[arg(long, hide_short_help = true, value_name = "TIME")]
    pub(crate) budget: Option<Time>,
    /// Leave out how far values of memory modules depend on what no maker discloses, which takes minutes
    #[arg(long)]
    pub(crate) no_band: bool,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// Reads JSON documents that `--format json` or `--export FILE.json` made, and renders them again.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline report result.json
  wordline report measured.json simulated.json --export both.html
  wordline report result.json --export report.html --export rows.csv
  wordline raw --target em064lx --format json | wordline report -")]
pub(crate) struct Report {
    /// Saved results (JSON); - for standard input
    #[arg(required = true, value_name = "RESULT")]
    pub(crate) documents: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) results: Results,
}

/// Where results are kept that were simulated before.
#[derive(Args, Debug)]
pub(crate) struct StoreFolder {
    /// Take results that were simulated before from this folder, and keep new ones there; several processes and machines may
    /// share it. What is measured is neither kept nor taken
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
}

/// How many experiments are run.
#[derive(Args, Debug)]
pub(crate) struct ManyRuns {
    /// Where a file lies that experiments name, such as my.log=/data/my.log; repeatable
    #[arg(long, hide_short_help = true, value_name = "NAME=PATH")]
    pub(crate) input: Vec<String>,
    #[command(flatten)]
    pub(crate) stored: StoreFolder,
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Stop in order after this time, such as 30s; what is finished stays
    #[arg(long, hide_short_help = true, value_name = "TIME")]
    budget: Option<Time>,
}

impl ManyRuns {
    /// How the experiments are run. Their time begins now.
    pub(crate) fn control(&self) -> Control<'_> {
        Control {
            budget: begin(self.budget),
            ..self.threads.control()
        }
    }
}

/// Finds the Pareto front of a design space: the candidates that no other is at least as good as in every objective. What a proven
/// bound excludes is never simulated; the rest is run roughly, and in full near the front.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline explore space.toml
  wordline explore space.toml --store results/ --export front.html
  wordline explore space.toml --store results/ --shard 2/8

space.toml:
  [experiment]
  targets = []
  workload = { kind = \"compare\", work = { kind = \"log\", rate = \"50 KB/s\", record = \"4 KiB\" } }
  [[axis]]
  field = \"targets\"
  values = [\"em064lx\", \"mt25ql128\", \"w25n01gv\"]
  [[axis]]
  field = \"workload.work.record\"
  values = [\"512 B\", \"4 KiB\", \"16 KiB\"]
  [[objective]]
  metric = \"ram_provision\"
  [[objective]]
  metric = \"energy_per_day\"

docs/reference/sweeps.md has the format, docs/reference/metrics.md the metrics.
Exit codes: 0 done; 1 no candidate passes; 2 could not run; 130 interrupted, with the front so far.")]
pub(crate) struct StudySpace {
    /// The design space (TOML or JSON); - for standard input
    #[arg(value_name = "STUDY.toml")]
    pub(crate) file: PathBuf,
    /// Make the rough runs of share K of N and keep them in the store; a run without it then finds the front
    #[arg(long, value_name = "K/N", requires = "store")]
    pub(crate) shard: Option<Shard>,
    #[command(flatten)]
    pub(crate) runs: ManyRuns,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// Runs an experiment along axes over any of its fields: every value of each with every value of the others. A point that
/// cannot be run is one with its reason, and the others go on.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline sweep sizes.toml --export sizes.csv
  wordline sweep sizes.toml --print-points
  wordline sweep sizes.toml --store results/ --shard 2/8 --export shard-2.json
  wordline sweep --merge shard-1.json,shard-2.json --export all.json

sizes.toml:
  [experiment]
  targets = [\"em064lx\", \"mt25ql128\"]
  workload = { kind = \"raw\", operations = [\"write\"] }
  [[axis]]
  field = \"workload.access_bytes\"
  range = { from = \"512 B\", to = \"64 KiB\", factor = 2 }
  [[axis]]
  field = \"timing\"
  values = [\"typ\", \"max\"]

With --store a sweep that was interrupted goes on where it was. docs/reference/sweeps.md has the format.
Exit codes: 0 done; 1 a point could not be run; 2 could not run; 130 interrupted, with the finished points.")]
pub(crate) struct SweepFile {
    /// The sweep (TOML, or JSON as in a saved result); - for standard input
    #[arg(value_name = "SWEEP.toml", required_unless_present = "merge")]
    pub(crate) file: Option<PathBuf>,
    /// Run one of N shares of the points, for instance on machines of their own
    #[arg(long, value_name = "K/N")]
    pub(crate) shard: Option<Shard>,
    /// Put saved results of shares together instead of running anything; repeatable and comma-separated
    #[arg(long, value_name = "RESULT", value_delimiter = ',', conflicts_with_all = ["file", "shard", "store"])]
    pub(crate) merge: Vec<PathBuf>,
    /// List the points, and run nothing
    #[arg(long, conflicts_with_all = ["merge", "export", "store"])]
    pub(crate) print_points: bool,
    #[command(flatten)]
    pub(crate) runs: ManyRuns,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// Runs an experiment in JSON. `--print-experiment` of any command that runs one writes it, and every result document
/// holds its own. The result is the same as that of the command, byte for byte; what was measured is measured again.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline raw --target em064lx --print-experiment > raw.json
  wordline run raw.json
  wordline run result.json --export again.json
  wordline buffer --log my_lat.1.log --print-experiment | wordline run - \\
    --input my_lat.1.log=my_lat.1.log

Files that the experiment reads lie beside FILE, unless --input says where. docs/reference/results.md has the format.
Exit codes: those of the command, without its --require.")]
pub(crate) struct RunSaved {
    /// The experiment, or a result (JSON); - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) document: PathBuf,
    /// Where a file lies that the experiment names, such as my.log=/data/my.log; repeatable
    #[arg(long, hide_short_help = true, value_name = "NAME=PATH")]
    pub(crate) input: Vec<String>,
    /// Names the file or the device that the experiment measures again: what it holds will be lost
    #[arg(long, value_name = "PATH")]
    pub(crate) destroy: Vec<String>,
    #[command(flatten)]
    pub(crate) stored: StoreFolder,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) surfaces: SurfaceFolder,
    #[command(flatten)]
    pub(crate) execution: Execution,
    #[command(flatten)]
    pub(crate) results: Results,
}

/// Reads two JSON documents of one command and says what was asked differently, which verdicts turned, and which values
/// changed beyond chance.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline raw --target em064lx --format json > before.json
  wordline raw --target mt25ql128 --format json > after.json
  wordline diff before.json after.json
  wordline diff before.json after.json --any --format json

One target against another is compared where each result has one. A simulated value of one seed and as many samples has
no chance in it. Otherwise it has changed when it moved by more than --tolerance, and its interval lies apart. Exit code 1:
something became worse, or is missing; with --any something changed.")]
pub(crate) struct Diff {
    /// The result to compare with; - for standard input
    pub(crate) before: PathBuf,
    /// The result that may have changed; - for standard input
    pub(crate) after: PathBuf,
    /// Share that a value may move by chance where seeds differ and the results hold no interval of it
    #[arg(long, value_name = "SHARE", default_value = "5%")]
    pub(crate) tolerance: Fraction,
    /// Exit with 1 when anything changed, for the better as well
    #[arg(long)]
    pub(crate) any: bool,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// What stdout can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StdoutFormat {
    /// Aligned text
    Table,
    /// The result document
    Json,
    /// Long-form rows
    Csv,
    /// Markdown text
    Markdown,
}

impl From<StdoutFormat> for Format {
    fn from(format: StdoutFormat) -> Self {
        match format {
            StdoutFormat::Table => Self::Table,
            StdoutFormat::Json => Self::Json,
            StdoutFormat::Csv => Self::Csv,
            StdoutFormat::Markdown => Self::Markdown,
        }
    }
}

/// Every command: those of experiments come from the structs of their workloads.
pub(crate) fn program() -> clap::Command {
    let parent = |name, about, order| {
        clap::Command::new(name)
            .about(about)
            .display_order(order)
            .subcommand_required(true)
            .arg_required_else_help(true)
    };
    let dram = "Run DDR5 modules in a server: latency, bandwidth, latency under load, traces";
    let host = "Measure this machine's memory and storage, or import what other tools measured";
    let program = Arguments::command()
        .subcommand(parent("sql", "Run SQLite on a memory", 21))
        .subcommand(parent("dram", dram, 22))
        .subcommand(parent("host", host, 22));
    let program = COMMANDS
        .iter()
        .enumerate()
        .fold(program, |program, (order, row)| {
            row.add_to(program, |command| {
                let flags = hooks::of(row).map_or(command.clone(), |hook| (hook.flags)(command));
                let flags = Execution::augment_args(Results::augment_args(flags));
                engines::with_names(flags, row.path).display_order(order)
            })
        });
    short::with_short_help(program)
}
