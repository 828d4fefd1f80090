//! Why an experiment cannot be run.

use wordline_catalog::CatalogError;
use wordline_core::quantity::{ByteCount, Time};
use wordline_core::{KvSizes, nearest};
use wordline_dram::sheet::SettingError;
use wordline_nvm::NvmError;

/// Why an experiment cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The catalogue or a target is at fault.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// No target was named.
    #[error("no target is named; allowed: PART@BOARD, such as em064lx@stm32h755-qspi")]
    NoTarget,
    /// A target was named twice.
    #[error("target {0} is named twice; its rows could not be told apart")]
    Twice(String),
    /// An age that is no fraction of life.
    #[error("age {0} is no fraction of rated life; allowed: 0 to 1")]
    Age(f64),
    /// A setting that cannot be so.
    #[error("{what} {problem}")]
    Unusable {
        /// The setting.
        what: &'static str,
        /// What is wrong with it, with the values allowed.
        problem: SettingProblem,
    },
    /// A file that the experiment names cannot be opened.
    #[error("{file}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
    /// A log or a trace cannot be used.
    #[error("{file}, {source}")]
    Trace {
        /// The file.
        file: String,
        /// Why not, with the line.
        source: wordline_trace::TraceError,
    },
    /// A log is well-formed and does not answer the question.
    #[error("{file}: {problem}")]
    Log {
        /// The file.
        file: String,
        /// Why not, and the way out.
        problem: String,
    },
    /// A setting of a comparison.
    #[error("{path} {problem}")]
    Study {
        /// Its dotted path in a study file.
        path: &'static str,
        /// What is wrong with it, with the values allowed.
        problem: String,
    },
    /// Numbers beyond what can be counted exactly.
    #[error(transparent)]
    Backlog(#[from] crate::backlog::BacklogError),
    /// No memory module was named.
    #[error("no target is named; allowed: MODULE@SYSTEM, such as rdimm-6400-2rx4-128g@xeon6-1s")]
    NoModule,
    /// A choice of a memory module or its system cannot be set so.
    #[error("{target}: {}", shortened(source))]
    Setting {
        /// The target.
        target: String,
        /// Why not, with what is allowed.
        source: SettingError,
    },
    /// A memory module in its system cannot be simulated.
    #[error("{target}: {source}")]
    Memory {
        /// The target.
        target: String,
        /// Why not.
        source: wordline_dram::ConfigError,
    },
    /// A trace of memory requests cannot be used.
    #[error("{file}, {source}")]
    DramTrace {
        /// The file.
        file: String,
        /// Why not, with the line.
        source: wordline_trace::dram::DramTraceError,
    },
    /// What a run writes besides its document cannot be written.
    #[error("the {what} cannot be written: {source}")]
    Unwritten {
        /// What it is.
        what: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// There are no threads to work on.
    #[error("threads cannot be started: {problem}")]
    Threads {
        /// Why not.
        problem: String,
    },
    /// A target cannot be run behind a translation layer.
    #[error("{target}: {part} {why}; leave --ftl out, or name raw NAND alone")]
    Ftl {
        /// The target.
        target: String,
        /// Its part.
        part: String,
        /// Why not.
        why: &'static str,
    },
    /// A target whose wear is not simulated.
    #[error("{target}: {part} {problem}")]
    Wear {
        /// The target.
        target: String,
        /// Its part.
        part: String,
        /// Why not.
        problem: String,
    },
    /// Raw flash of the host that is not tested.
    #[error("{target}: {problem}")]
    RawFlash {
        /// The target.
        target: String,
        /// Why not, and the way out.
        problem: String,
    },
    /// Raw flash of the host cannot be opened.
    #[error("{target}: {source}")]
    Host {
        /// The target.
        target: String,
        /// Why not.
        source: wordline_host::mtd::MtdError,
    },
    /// A target that hash tables cannot run on.
    #[error("{target}: {problem}")]
    Kv {
        /// The target.
        target: String,
        /// Why not, with what is allowed.
        problem: String,
    },
    /// A device could not be made.
    #[error("{target}: {source}")]
    Device {
        /// The target.
        target: String,
        /// Why not.
        source: NvmError,
    },
}

/// A setting of memory modules that cannot be so; of an unknown one the nearest names, because there are dozens.
fn shortened(source: &SettingError) -> String {
    let SettingError::Unknown { name, allowed } = source else {
        return source.to_string();
    };
    let all = "\"wordline part show\" lists those of a module or a system";
    match nearest(name, allowed.iter()).as_slice() {
        [] => format!("unknown setting {name:?}; {all}"),
        nearest => format!(
            "unknown setting {name:?}; did you mean {}? ({all})",
            nearest.join(" or ")
        ),
    }
}

macro_rules! setting_problems {
    ($($variant:ident $(($of:ty))? $({ $($field:ident: $type:ty),+ })? $words:literal;)*) => {
        /// What is wrong with a setting: the words that follow its name, with the fields that they show.
        #[allow(missing_docs, reason = "the words show what each field is")]
        #[derive(Debug, thiserror::Error)]
        pub enum SettingProblem {
            $(#[doc = $words] #[error($words)] $variant $(($of))? $({ $($field: $type),+ })?,)*
        }
    };
}

setting_problems! {
    // Any setting.
    Empty "list is empty";
    Twice(String) "{0} is named twice";
    Many(usize) "names more than {0}";
    OutOfRange { found: String, least: String, most: String } "{found} is out of range; allowed: {least} to {most}";
    Unread(String) "{0}";
    Fill(f64) "{0} is out of range; allowed: 0 % to 100 %";
    LargeFill { found: f64, bytes: ByteCount, most: ByteCount }
        "{found} is {bytes} of this memory, more than a run may hold; allowed: up to {most}";
    Outside { found: ByteCount, part: String, most: ByteCount } "{found} is outside {part}; allowed: 1 B to {most}";
    LargeAccess { found: ByteCount, allowed: ByteCount, wrap: ByteCount, total: ByteCount, most: ByteCount }
        "{found} does not fit; allowed: 1 B to {allowed}, the smallest of wrap ({wrap}), total ({total}) and {most}";
    UnknownEngine { name: String, allowed: String } "names {name}; {allowed}";
    NotBuiltIn(String) "names {0}, and this program was built without it";
    Spare(f64) "{0} is out of range; allowed: above 0 % and below 100 %";

    // Of wordline raw.
    NoBlockLeft { found: ByteCount, part: String, most: ByteCount }
        "{found} leaves no block of {part} that could be erased or programmed meanwhile; allowed: 1 B to {most}";
    MovesNothing "0 B moves nothing; allowed: at least one access";
    BrokenUnits { streams: u32, each: ByteCount, part: String, unit: ByteCount }
        "of {streams} give each {each} of {part}, which erases {unit} at a time; allowed: a wrap that gives each \
         whole multiples of that";
    StreamsDuring "does not go with during: such reads come one after the other";
    NoStream "must be at least 1";
    CrowdedStreams { most: u32, room: u64 }
        "of {most} leave no room for an access each; allowed with this size and wrap: 1 to {room}";
    DuringWithoutReads "is about reads, and read is none of the operations";
    DuringMultiPlane "does not go with multi_plane: work in the background is one block's or page's";
    DuringWithGap "does not go with gap: such reads have a pause of their own";
    DuringWithWarmUp "does not go with warm_up: reads leave the memory as it is";
    PauseWithoutDuring "is that of reads during other work, and during names none";
    LongPause { found: Time, most: Time } "of {found} is too long; allowed: 0 s to {most}";
    LargeFootprint { found: ByteCount, most: ByteCount }
        "{found} touches more than a run may hold; lower wrap or total to {most}";

    // Of wordline fs.
    LayerWithoutFat "is what FAT runs over on NAND, and none of the runs is of FAT on NAND; leave it out";
    NoCapacity "0 B leaves the file system nothing; allowed: 1 B and more";
    LargeFile { found: ByteCount, part: String, most: ByteCount, capacity: ByteCount }
        "{found} does not fit {part}; allowed: 1 B to {most}, half of the {capacity} that the file system gets of it";
    LargeCall { found: ByteCount, most: ByteCount } "{found} does not fit the file; allowed: 1 B to {most}";
    LargeSmallFiles { found: ByteCount, part: String, files: u64, most: ByteCount }
        "{found} does not fit {part} {files} times with as much appended; allowed: 1 B to {most}";
    NoErase { engine: &'static str, option: &'static str, part: String }
        "{engine}.{option} is the size of no erase of {part} that its board drives";
    Unsuitable { engine: &'static str, target: String, why: String } "does not suit {engine} on {target}: {why}";
    NoNumber(String) "{0} is neither a number nor a size, such as 256 or 1KiB";
    ChoiceOfOther { name: String, engine: &'static str } "{name} is a choice of {engine}, which does not run";
    UnknownChoice { name: String, allowed: String } "{name} is not an option of any file system; allowed: {allowed}";

    // Of wordline buffer.
    LargeRange { found: ByteCount, most: ByteCount } "{found} is more than a run may hold; allowed: up to {most}";
    PowerUpOfLog "is that of a simulated part; give the time of a log with startup";
    NoWakeUp
        "cannot be counted: the sheet of the part states no wake_up time; state it in a sheet of your own, or give \
         the time with startup";
    WarmUpOfTrace "does not go with a trace, which says itself what comes first";
    TargetOfLog "does not go with a log, whose accesses were measured; a trace is replayed on targets";
    OfTargetNotLog "is about a simulated target, and a log was measured on a real one";
    Horizon(f64) "{0} is out of range; allowed: above 0 s";
    EmptyWindow "holds no access; allowed: 1 and more";
    ManyRates(usize) "names more than {0}; the curve holds every rate anyway";
    Rate(f64) "{0} B/s is out of range; allowed: 0.001 B/s to 9e9 GB/s";

    // Of wordline wear.
    LayerOfWear "does not go with wear, which cycles single blocks";
    DestroysNoDevice(String) "names {0}, and nothing real is worn; allowed: the device of the target mtd:{0}";
    LogOfSeveralLives "holds one life of each block; allowed: one usage, temperature, dwell and timing";
    OutOfRangeOfAllRuns { found: u64, most: u64 } "{found} is out of range; allowed: 1 to {most}, over all runs";
    Ageing { found: f64, allowed: &'static str } "{found} is out of range; allowed: {allowed}";
    TargetOfHealth "does not go with wear health, which reads a log or draws chips of its own";

    // Of wordline kv.
    DestroysNoFile(String) "names {0}, and no target is file:{0}";
    LayerOfTables "is a layer for flash, on which these tables do not run; leave it out";
    BuildOfHost
        "is what a simulated processor takes, and no target is simulated: on this machine its own time is measured; \
         leave it out";
    NoRoom(ByteCount) "{0} has no room for any of these tables; give a larger --capacity, or another target";
    Load(f64) "{0} is out of range; allowed: above 0 % and up to 100 %";
    LowLoad { found: f64, table: String, places: u64, sizes: KvSizes, bytes: ByteCount, target: String, least: f64 }
        "{found} is less than one record: {table} has room for {places} of {sizes} in {bytes} of {target}; the least \
         is {least} %";
    KeyOrValue { found: ByteCount, what: &'static str, table: &'static str, least: u64, most: u64 }
        "{found} is out of range for a {what} of {table}; allowed: {least} B to {most} B; name other tables with \
         --table, or other sizes with --size";
    LargeRecord { found: ByteCount, table: &'static str, most: u64 }
        "{found} of key and value together is more than a slot of {table} holds; allowed: up to {most} B";

    // Of wordline dram.
    Unchecked { target: String, why: String } "cannot be done for {target}: {why}";
    StoppedClock "of 0 Hz never ends a cycle; allowed: 1 Hz or more, such as 3.2 GHz";
    TimingOfModules "of memory modules is that of the limits in their data sheets; allowed: max";
    AgeOfModules "changes nothing about memory modules; allowed: 0";
    Descending { next: u64, one: u64 } "{next} comes after {one}; allowed: ascending cycles";
    LongDelay { found: u64, most: u64 } "{found} is too long; allowed: 0 to {most} cycles";
    FewCores { cores: u32, target: String }
        "{cores} cannot load {target} and measure it at a time; allowed: 2 or more (--set cores)";
    Probes { found: u32, target: String, most: u32 } "{found} is out of range on {target}; allowed: 1 to {most}";

    // Of wordline part fit.
    Base { part: String, why: String } "{part}: {why}";
    OtherModel { part: String, found: &'static str, template: &'static str, model: &'static str }
        "{part}: this part is of the model [{found}], and the template {template} fits parts of the model [{model}]";
    SeveralBases "is not one part; a fit begins with one";
    UnknownTemplate { name: String, allowed: String } "{name:?} is unknown; allowed: {allowed}";
    NoFit(&'static str) "is {0}, and no fit";
    LayerOfFit "does not go with a fit: a card has a translation layer of its own";
    LatePrediction { found: u64, most: u64 } "{found} is too late; allowed: 0 to {most} cycles";
    NoTable "goes with a table of erase and program times by cycles alone (columns cycles, erase_typ_ms, erase_max_ms)";
    TimeUnit(String) "{0:?} is unknown; allowed: ns, us, ms, s";
    NoSimulations "are none; a search needs some, such as 300";
    Id(String)
        "{0:?} is not an id; allowed: 1 to 64 lower-case letters, digits, '-' and '.', beginning with a letter or digit";
    TakenId { id: String, kind: &'static str, file: String }
        "{id:?} is that of a {kind} already, in {file}; choose another";
    LongWarmUp { found: ByteCount, times: u64, target: String, most: ByteCount }
        "{found} is more than {times} times what {target} holds, and every simulation would do it again; allowed: up \
         to {most}";
}

impl SettingProblem {
    /// The error of a setting that has the problem.
    pub(crate) const fn of(self, what: &'static str) -> LabError {
        LabError::Unusable {
            what,
            problem: self,
        }
    }
}

/// Checks a setting that has a least and a largest value.
pub(crate) fn in_range<T: PartialOrd + std::fmt::Display>(
    what: &'static str,
    found: T,
    least: T,
    most: T,
) -> Result<(), LabError> {
    if (&least..=&most).contains(&&found) {
        return Ok(());
    }
    let [found, least, most] = [found, least, most].map(|value| value.to_string());
    Err(SettingProblem::OutOfRange { found, least, most }.of(what))
}

/// Checks the size of an access against the range that it wraps at, all that is moved, and the most that an access has.
pub(crate) fn check_access(
    what: &'static str,
    bytes: u64,
    limits: [u64; 3],
) -> Result<(), LabError> {
    if bytes > 0 && limits.iter().all(|limit| bytes <= *limit) {
        return Ok(());
    }
    let found = ByteCount::from_bytes(bytes);
    let [wrap, total, most] = limits.map(ByteCount::from_bytes);
    Err(SettingProblem::LargeAccess {
        found,
        allowed: wrap.min(total).min(most),
        wrap,
        total,
        most,
    }
    .of(what))
}
