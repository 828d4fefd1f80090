//! Why an experiment cannot be run.

use wordline_catalog::CatalogError;
use wordline_core::quantity::{ByteCount, Fraction, Time};
use wordline_core::{KvSizes, Mix, ShareOrSize, SizeOrPeriod, nearest};
use wordline_dram::checker::{CheckedChannelError, PartError};
use wordline_dram::sheet::SettingError;
use wordline_dram::system::MemoryError;
use wordline_nvm::ageing::AgeingError;
use wordline_nvm::{LinkError, NvmError};

use crate::backlog::BacklogError;
use crate::fit::SheetProblem;
use crate::machine_memory::ScratchFileError;

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
    #[error("target {0} is named twice; its rows could not be distinguished")]
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
    /// What was simulated cannot be written where the caller wants it.
    #[error("{what} cannot be written: {source}")]
    Unwritable {
        /// What.
        what: String,
        /// Why not.
        source: std::io::Error,
    },
    /// What was simulated is no surface.
    #[error("{target}: {source}")]
    Surface {
        /// The target.
        target: String,
        /// Why not.
        source: wordline_apps::SurfaceError,
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
        problem: LogProblem,
    },
    /// Numbers beyond what can be counted exactly.
    #[error(transparent)]
    Backlog(#[from] BacklogError),
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
    /// Not one line was moved in the time that counts.
    #[error(
        "{target}: not one line of {mix} was moved in {measured}: timings of its sheets, or settings, are longer than that; \
         expected: shorter ones, or a longer --measure"
    )]
    NothingMoved {
        /// The target.
        target: String,
        /// The mix.
        mix: Mix,
        /// The time that counts.
        measured: Time,
    },
    /// A trace of memory requests cannot be used.
    #[error("{file}, {source}")]
    DramTrace {
        /// The file.
        file: String,
        /// Why not, with the line.
        source: wordline_trace::dram::DramTraceError,
    },
    /// Measured curves cannot be used.
    #[error("{file}, {source}")]
    Curves {
        /// The file.
        file: String,
        /// Why not, with the line.
        source: wordline_trace::mess::MessError,
    },
    /// What another tool printed cannot be used.
    #[error("{file}, {source}")]
    Measured {
        /// The file.
        file: String,
        /// Why not, with the line.
        source: wordline_trace::measured::MeasuredError,
    },
    /// What another tool printed has no place in the rows of our tests.
    #[error(
        "{file}: {tool} measured nothing in it that has a row here; these have one: latency without load, bandwidth of the \
         mixes 1:0, 3:1, 2:1, 1:1, copy and triad, latency under load"
    )]
    NothingImported {
        /// The file.
        file: String,
        /// The tool.
        tool: &'static str,
    },
    /// A trace of file calls cannot be used.
    #[error("{file}, {source}")]
    FileTrace {
        /// The file.
        file: String,
        /// Why not, with the byte or the line.
        source: wordline_trace::files::FileTraceError,
    },
    /// A trace of file calls has none.
    #[error(
        "{0}: the trace has no calls, so that nothing can be timed; allowed: at least one call that is no mark"
    )]
    NoFileCalls(String),
    /// What is no profile of a program.
    #[error("{file}: {source}")]
    Profile {
        /// The file.
        file: String,
        /// Why not, with the place.
        source: wordline_apps::ProfileError,
    },
    /// A program cannot be projected.
    #[error("{program}: {source}")]
    Program {
        /// Its name.
        program: String,
        /// Why not.
        source: wordline_apps::ProjectionError,
    },
    /// What a run writes besides its document cannot be written.
    #[error("the {what} cannot be written: {source}")]
    Unwritten {
        /// What it is.
        what: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// A store of results cannot be used.
    #[error(transparent)]
    Store(#[from] crate::store::ResultStoreError),
    /// A sweep cannot be run.
    #[error(transparent)]
    Sweep(#[from] wordline_core::sweep::SweepError),
    /// A design space cannot be explored.
    #[error(transparent)]
    Exploration(#[from] wordline_core::explore::ExplorationError),
    /// The program itself is at fault.
    #[error("a fault of Wordline itself, please report it: {words}")]
    Fault {
        /// What was found.
        words: String,
    },
    /// There are no threads to work on.
    #[error("threads cannot be started: {problem}")]
    Threads {
        /// Why not.
        problem: String,
    },
    /// An experiment does not run on a target.
    #[error("{target}: {problem}")]
    Target {
        /// The target.
        target: String,
        /// Why not, and the way out.
        problem: TargetProblem,
    },
    /// The memory of this machine cannot be measured so.
    #[cfg(unix)]
    #[error(transparent)]
    MachineMemory(#[from] wordline_host::memory::DriverError),
    /// Raw flash of the host cannot be opened.
    #[cfg(unix)]
    #[error("{target}: {source}")]
    Host {
        /// The target.
        target: String,
        /// Why not.
        source: wordline_host::mtd::MtdError,
    },
    /// Storage of the host cannot be measured.
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    Storage(#[from] wordline_host::storage::StorageError),
    /// A device could not be made.
    #[error("{target}: {source}")]
    Device {
        /// The target.
        target: String,
        /// Why not.
        source: NvmError,
    },
}

impl LabError {
    /// Where the fault is: a field of the experiment, a setting, a target or a file; none where it is in no one place.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        Some(match self {
            Self::Catalog(error) => return error.place(),
            Self::Backlog(error) => return error.place().map(str::to_owned),
            Self::Sweep(error) => error.place().to_owned(),
            Self::Exploration(error) => error.place().to_owned(),
            Self::Store(_) => "store".to_owned(),
            Self::NoTarget | Self::NoModule => "targets".to_owned(),
            Self::Age(_) => "age".to_owned(),
            Self::Unusable { what, .. } | Self::Unwritten { what, .. } => (*what).to_owned(),
            Self::Unwritable { what, .. } => what.clone(),
            Self::Twice(target)
            | Self::Setting { target, .. }
            | Self::Memory { target, .. }
            | Self::NothingMoved { target, .. }
            | Self::Surface { target, .. }
            | Self::Target { target, .. }
            | Self::Device { target, .. } => target.clone(),
            #[cfg(unix)]
            Self::Host { target, .. } => target.clone(),
            #[cfg(unix)]
            Self::MachineMemory(error) => return error.place().map(str::to_owned),
            #[cfg(target_os = "linux")]
            Self::Storage(error) => return error.place(),
            Self::Unreadable { file, .. }
            | Self::Trace { file, .. }
            | Self::Log { file, .. }
            | Self::DramTrace { file, .. }
            | Self::Curves { file, .. }
            | Self::Measured { file, .. }
            | Self::NothingImported { file, .. }
            | Self::FileTrace { file, .. }
            | Self::NoFileCalls(file)
            | Self::Profile { file, .. } => file.clone(),
            Self::Program { program, .. } => program.clone(),
            // The fault is ours, or the machine's.
            Self::Fault { .. } | Self::Threads { .. } => return None,
        })
    }

    /// Whether the experiment itself is at fault, so that it is refused before anything of it is run.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Catalog(_)
                | Self::NoTarget
                | Self::NoModule
                | Self::Twice(_)
                | Self::Age(_)
                | Self::Unusable { .. }
                | Self::Setting { .. }
                | Self::Memory { .. }
                | Self::Target { .. }
                | Self::Device { .. }
        )
    }
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

/// An enum of problems, or of reasons: each with the words that it is shown by, and the fields that these show.
macro_rules! problems {
    (
        $(#[$about:meta])* $vis:vis $name:ident;
        $($variant:ident $(($of:ty))? $({ $($field:ident: $type:ty),+ })? $words:literal;)*
    ) => {
        $(#[$about])*
        #[allow(missing_docs, reason = "the words show what each field is")]
        #[derive(Debug, thiserror::Error)]
        $vis enum $name {
            $(#[doc = $words] #[error($words)] $variant $(($of))? $({ $($field: $type),+ })?,)*
        }
    };
}
pub(crate) use problems;

problems! {
    /// What is wrong with a setting: the words that follow its name.
    pub SettingProblem;

    // Any setting.
    Empty "list is empty";
    Twice(String) "{0} is named twice";
    Many(usize) "names more than {0}";
    OutOfRange { found: String, least: String, most: String } "{found} is out of range; allowed: {least} to {most}";
    Unread(String) "{0}";
    CurrentWithoutLog "is measured beside a log of accesses; allowed only with --log FILE";
    NoCurrent "goes with a current alone; allowed only with --current FILE";
    VoltageTwice(String) "is stated by {0} already; leave --voltage out";
    NoVoltage(String) "is stated nowhere in {0}; add --voltage, such as --voltage 3.3V";
    Share(f64) "{0} is out of range; allowed: 0 % to 100 %";
    LargeFill { found: f64, bytes: ByteCount, most: ByteCount }
        "{found} is {bytes} of this memory, more than a run may hold; allowed: up to {most}";
    Outside { found: ByteCount, part: String, most: ByteCount } "{found} is outside {part}; allowed: 1 B to {most}";
    ManyPasses { found: ByteCount, part: String, most: ByteCount }
        "{found} is more than 100000 times all of {part}; allowed: up to {most}";
    LargeAccess { found: ByteCount, allowed: ByteCount, wrap: ByteCount, total: ByteCount, most: ByteCount }
        "{found} does not fit; allowed: 1 B to {allowed}, the smallest of wrap ({wrap}), total ({total}) and {most}";
    UnknownEngine { name: String, allowed: String } "names {name}; {allowed}";
    NotBuiltIn(String) "names {0}, and this program was built without it: the command wordline has it, and so has a build with the Cargo feature of that name";
    Optional(&'static str)
        "names {0}, which this program was built without: install its library (Debian: librocksdb-dev) and build with \
         `cargo build --release --features {0}`; or record any program that uses it with `wordline io record`, and run \
         that with `wordline io replay`";
    OfBenchAlone(&'static str) "names {0}, which `wordline kv bench` alone runs";
    SweepAlone(&'static str) "goes with the table {0} as sweep alone";
    PartsAlone { table: &'static str, target: String }
        "names {table}, whose files need a chip on a board; {target} is none";
    PositiveShare(f64) "{0} is out of range; allowed: above 0 % and up to 100 %";
    OpenShare(f64) "{0} is out of range; allowed: above 0 % and below 100 %";
    Temperature(f64) "{0} is out of range; allowed: -40 to 125 degrees Celsius";
    NotPositive { found: String, zero: String } "{found} is out of range; allowed: above {zero}";

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
    NoReads "is about reads, and read is none of the operations";
    DuringMultiPlane "does not go with multi_plane: work in the background is one block's or page's";
    DuringWithGap "does not go with gap: such reads have a pause of their own";
    DuringWithWarmUp "does not go with warm_up: reads leave the memory as it is";
    PauseWithoutDuring "is that of reads during other work, and during names none";
    LongPause { found: Time, most: Time } "of {found} is too long; allowed: 0 s to {most}";
    LargeFootprint { found: ByteCount, most: ByteCount }
        "{found} touches more than a run may hold; lower wrap or total to {most}";

    // Of wordline fs.
    LayerWithoutFat "is what FAT runs over on NAND, and none of the runs is of FAT on NAND; leave it out";
    PageOfDatabase(u64) "{0} B is not a page size of SQLite; allowed: 512, 1024, 2048, 4096, 8192, 16384, 32768 and 65536";
    NoRegularFile { choice: String, file: String }
        "{choice}={file} names no regular file; allowed: a regular file of at most 1 MiB";
    LongFile { choice: String, file: String } "{choice}={file} names a file that is longer than 1 MiB";
    LongScript(String) "names {0}, which is longer than 64 MiB";
    EmptyScript(String) "names {0}, which has no statement";
    ZeroByteInScript { file: String, line: u64 } "names {file}, which has a zero byte in line {line}; a script is text";
    OtherBoard { log: String, target: String, part: String, board: String }
        "{log} is not on the board of {target}: one processor drives both; allowed: {part}@{board}, where the board has its \
         bus";
    LogFileSystemAlone "needs --log-target, the part that it is on";
    NoCapacity "0 B leaves the file system nothing; allowed: 1 B and more";
    LargeFile { found: ByteCount, part: String, most: ByteCount, capacity: ByteCount }
        "{found} does not fit {part}; allowed: 1 B to {most}, half of the {capacity} that the file system gets of it";
    LargeCall { found: ByteCount, most: ByteCount } "{found} does not fit the file; allowed: 1 B to {most}";
    LargeSmallFiles { found: ByteCount, part: String, files: u64, most: ByteCount }
        "{found} does not fit {part} {files} times with as much appended; allowed: 1 B to {most}";
    NoErase { engine: &'static str, option: &'static str, part: String }
        "{engine}.{option} is the size of no erase of {part} that its board drives";
    Unsuitable { engine: &'static str, target: String, why: String } "does not suit {engine} on {target}: {why}";
    EmulatedCrash(&'static str)
        "{0} makes the traffic of a file system and keeps no promises; a verdict on power cuts needs another one";
    NoNumber(String) "{0} is neither a number nor a size, such as 256 or 1KiB";
    ChoiceOfOther { name: String, engine: &'static str } "{name} is a choice of {engine}, which does not run";
    UnknownChoice { name: String, allowed: String } "{name} is not an option of any file system; allowed: {allowed}";

    CapacityOfLayer { found: ShareOrSize, target: String, most: ByteCount, share: Fraction }
        "{found} leaves the real-time layer too little room on {target}; allowed: up to {most}, {share} of the chip";
    NoLayerFits { target: String } "cannot be had on {target}: the real-time layer needs more blocks, or larger ones";
    BelowFloor { found: Time, target: String, least: Time }
        "{found} cannot be promised on {target}; allowed: {least} and more, an erase and the programs of 4 KiB";
    LayerSizes { what: &'static str, found: u64, least: u64, most: u64 }
        "gives the real-time layer {found} {what}; allowed: {least} to {most}";

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
    Dwell(f64) "{0} is out of range; allowed: finite times, in seconds";
    NoAgeing "is missing in the sheet, and wear needs it";
    TargetOfHealth "does not go with wear health, which reads a log or draws chips of its own";

    // Of wordline host storage.
    StorageElsewhere "can be measured on Linux alone";
    DestroysOther { named: String, path: String } "names {named}, and what is measured is {path}; name that";
    SyncWithoutWrites "makes writes durable, and all accesses read; allowed: 0, or --reads below 100%";
    StorageRecord { found: ByteCount, most: ByteCount } "of {found} is out of range; allowed: 1 B to {most}";
    TotalBelowRecord { found: ByteCount, record: ByteCount }
        "{found} holds no access of {record}; allowed: {record} and more";
    ManyPassesOfRange { found: ByteCount, most: ByteCount }
        "{found} is more than a million times the range of the accesses; allowed: up to {most}, or --time";
    RunTime(f64) "{0} s is out of range; allowed: above 0 s, up to 365 d";

    // Of wordline kv.
    DestroysNoFile(String) "names {0}, and no target is file:{0}";
    LayerOfTables "is a layer for flash, on which these tables do not run; leave it out";
    BuildOfHost
        "is what a simulated processor takes, and no target is simulated: on this machine its own time is measured; \
         leave it out";
    RepeatOfSimulation
        "is for what is measured on this machine, and no target is: a simulation is the same each time; leave it out";
    NoRoom(ByteCount) "{0} has no room for any of these tables; give a larger --capacity, or another target";
    LowLoad { found: f64, table: String, places: u64, sizes: KvSizes, bytes: ByteCount, target: String, least: f64 }
        "{found} is less than one record: {table} has room for {places} of {sizes} in {bytes} of {target}; the least \
         is {least} %";
    KeyOrValue { found: ByteCount, what: &'static str, table: &'static str, least: u64, most: u64 }
        "{found} is out of range for a {what} of {table}; allowed: {least} B to {most} B; name other tables with \
         --table, or other sizes with --size";
    LargeRecord { found: ByteCount, table: &'static str, most: u64 }
        "{found} of key and value together is more than a slot of {table} holds; allowed: up to {most} B";

    // Of wordline dram.
    Unchecked { target: String, why: UncheckedMemory } "cannot be done for {target}: {why}";
    Without(&'static str) "says nothing without --{0}";
    NoPace { found: f64 } "is {found}; allowed: above 0, to 64 instructions a cycle";
    StoppedClock "of 0 Hz never ends a cycle; allowed: 1 Hz or more, such as 3.2 GHz";
    TimingOfModules "of memory modules is that of the limits in their data sheets; allowed: max";
    AgeOfModules "changes nothing about memory modules; allowed: 0";
    Falling { one: f64, next: f64 } "{next} comes after {one}; allowed: ascending numbers";
    ManyCombinations { found: usize, most: usize }
        "x localities x imbalances are {found} curves; allowed: up to {most}";
    Descending { next: u64, one: u64 } "{next} comes after {one}; allowed: ascending cycles";
    LongDelay { found: u64, most: u64 } "{found} is too long; allowed: 0 to {most} cycles";
    FewCores { cores: u32, target: String }
        "{cores} cannot load {target} and measure it at a time; allowed: 2 or more (--set cores)";
    Probes { found: u32, target: String, most: u32 } "{found} is out of range on {target}; allowed: 1 to {most}";

    // Of wordline app.
    PowersTogether "and --active-power and --stalled-power belong together: three powers make the energy of a task; \
         state all of them or none";
    PowersAndRuns "beside stated powers says them twice; leave the file or the flags out";
    BesideProfile "goes without a profile, which states it itself; change the profile, or leave one of them out";
    NoProfile "is missing: without a profile (wordline app project PROFILE.json), --cores, --read, --stall and --on say what \
         is known of the program";
    NoBaseline "is missing: the profile does not name the memory on which its program ran; state it, such as \
         --on rdimm-6400-2rx4-128g@xeon6-1s";
    SurfaceOfNone { file: String, target: String, names: String }
        "{file} is that of {target}, which is not asked about; allowed: {names}";
    SurfaceCut { target: String, found: f64, most: f64 }
        "of {target} has a curve that ends at {found:.0} lines outstanding, and its cores can have {most:.0}; simulate it whole with \
         wordline dram surface";
    ProgramCores { found: u32, target: String, most: u32 }
        "is {found}, and {target} has {most} with two threads each; state those that ran the program";
    WrittenShare(f64) "{0} is out of range; allowed: 0 % and more, below 100 %";
    Variation(f64) "{0} is out of range; allowed: 0 to 2, the standard deviation over the mean";

    // Of wordline host.
    NoMachine "measures the machine itself, which cannot be reached from here; use the command wordline";
    TimingOfMachine "of a machine that is measured is what it does; allowed: typ";
    AgeOfMachine "changes nothing about a machine that is measured; allowed: 0";
    TargetOfMachine "does not go with wordline host, which measures this machine; --label names it";
    LayerOfMachine "is a layer for raw flash, and main memory needs none; leave it out";
    MachineLabel { found: String }
        "{found:?} names no machine; allowed: 1 to 64 letters, digits, and . _ -, such as lab7";

    // Of wordline part fit.
    Base { part: String, why: BaseProblem } "{part}: {why}";
    OtherModel { part: String, found: &'static str, template: &'static str, model: &'static str }
        "{part}: this part is of the model [{found}], and the template {template} fits parts of the model [{model}]";
    SeveralBases "is not one part; a fit begins with one";
    UnknownTemplate { name: String, allowed: String } "{name:?} is unknown; allowed: {allowed}";
    NoFit(&'static str) "is {0}, and no fit";
    NoSystemBase
        "is missing: the module in every channel, and the system that all other figures come from; allowed: MODULE@SYSTEM, \
         such as rdimm-6400-2rx4-64g@xeon6-1s";
    NoChannels
        "is missing: how many channels have a module is never guessed; count the modules (dmidecode -t memory), at one a \
         channel";
    NoCores
        "is missing, and the document does not state it: name the cores that made the load";
    SocketsOpen { system: String, sockets: u32 }
        "is missing: {system} has {sockets} sockets; state --channels and --cores of one of them and say so with --per-socket, \
         or take a base of one socket for the whole machine";
    OneSocket { system: String } "goes with a base of several sockets; {system} has one";
    SystemAlone "goes with a system alone (--system FILE.json), not with a log of a part; leave it out";
    OfPartAlone "goes with a log of a part, not with a system (--system FILE.json); leave it out";
    LayerOfFit "does not go with a fit: a card has a translation layer of its own";
    LatePrediction { found: u64, most: u64 } "{found} is too late; allowed: 0 to {most} cycles";
    NoTable "goes with a table of erase and program times by cycles alone (columns cycles, erase_typ_ms, erase_max_ms)";
    TimeUnit(String) "{0:?} is unknown; allowed: ns, us, ms, s";
    CardLogAlone(&'static str) "goes with a log of a card alone (--template sd), not with {0}; leave it out";
    CyclingLogAlone(&'static str) "goes with a cycling log of flash alone, not with {0}; leave it out";
    NoSimulations "are none; a search needs some, such as 300";
    Id(String)
        "{0:?} is not an id; allowed: 1 to 64 lower-case letters, digits, '-' and '.', beginning with a letter or digit";
    TakenId { id: String, kind: &'static str, file: String }
        "{id:?} is that of a {kind} already, in {file}; choose another";
    LongWarmUp { found: ByteCount, times: u64, target: String, most: ByteCount }
        "{found} is more than {times} times what {target} holds, and every simulation would do it again; allowed: up \
         to {most}";

    // Of wordline compare.
    Columns "names no column, or one twice; allowed: typ, max, sampled";
    ReadsOfWork(&'static str) "goes with the kinds read-mostly and mixed, not with {0}";
    Keep { found: String, bytes: f64, record: ByteCount }
        "of {found} is {bytes} B; allowed: one record ({record}) to 1 PB";
    NoTrace "is missing, and replay needs it";
    WorkThatReads(&'static str) "goes with the kind read, not with {0}";
    TraceOfWork(&'static str) "goes with the kind replay, not with {0}";
    RiskBelowRecords { found: ByteCount, record: ByteCount }
        "of {found} is below two records of {record}: one is gathered while another is written; allow more, or choose \
         smaller records";
    RamBelowRecords { found: ByteCount, record: ByteCount }
        "of {found} is below two records of {record}: one is gathered while another is written; allow more, or choose \
         smaller records";
    LossBelowRecord { found: SizeOrPeriod, record: ByteCount }
        "of {found} is below one record of {record}, the least that is written at a time";
    LossOfReads(&'static str) "goes with work that writes, not with {0}, which leaves nothing to lose; leave it out";
    NoParts "0 is out of range; allowed: 1 and more";
    ZeroLimit "is zero; allowed: above 0, or leave it out";
    LogTwice(String)
        "names two files {0}, whose rows could not be distinguished: a document holds no folders; rename one";
    LogsOfWork(&'static str)
        "go with the kinds log, overwrite and read, not with {0}: a log holds what one kind of access took, with no \
         others between";
    NoLogs "goes with logs alone; allowed only with --log FILE";
    ManyCurrents { found: usize, logs: usize }
        "names {found}, and there are {logs} logs: the first current belongs to the first log, the second to the second; \
         leave out what has no log, and name logs with a current first";
    OneOfEach { found: usize, currents: usize }
        "names {found}, and there are {currents} currents; allowed: one for each current, in their order";
    OneOrEach { found: usize, currents: usize }
        "names {found}, and there are {currents} currents; allowed: one for all, or one for each current, in their order";
    AllPartsBesideTargets "goes without --target: it makes every part of the catalogue a candidate";
    PriceOfNoPart(String) "{0:?} is not a part of the catalogue; \"wordline part list\" shows them";
    BeyondFreeMemory { asked: ByteCount, free: ByteCount }
        "needs {asked} of memory, and this machine has {free} left; allowed: less";
    PriceOfNoModule { found: String, known: String }
        "{found:?} is not a module of the catalogue; the modules projected here are {known}";
}

problems! {
    /// Why a fit cannot begin with a part.
    pub BaseProblem;

    Unchanged(SheetProblem) "{0}";
    NoPart "the fitted sheet is none of a part";
    UnsoundFit { figure: String, columns: String, why: String }
        "the fit would give {figure} the columns {columns}, which no sheet may state ({why}). A maximum is as many times \
         the typical time as the base has it, and no less than the law at the rated cycles: give counts nearer to those, \
         or begin with another part (--base)";
    NoFigures "its sheet has none of the figures that a fit finds";
    NoRawFlash(&'static str) "this part is of the model [{0}], and this template fits raw flash";
    NoErase "no erase of its sheet is as large as a block";
    NoAgeing "its sheet has no table aging, which a fit begins with";
    Device(Box<LabError>) "{0}";
}

problems! {
    /// Why a candidate of a fit has no durations.
    pub BenchProblem;

    Unchanged(SheetProblem) "{0}";
    NoPart "the sheet is none of a part";
    Unsound(String) "{0}";
    Refused(NvmError) "{0}";
    Uncountable(BacklogError) "{0}";
    BlockOverwrite(ByteCount) "this memory overwrites whole blocks of {0}, and the log writes at random";
    TooLong "the log lasts longer than simulated time can hold";
    Stopped "the caller stopped it";
}

problems! {
    /// Why the commands of a memory cannot be checked.
    pub UncheckedMemory;

    Standard "the independent tables are those of DDR5, LPDDR5X-8533 of 32 Gb and HBM3-6400 of 2 Gb a pseudo-channel";
    Density(u64) "the independent table has 16, 24 and 32 Gb, not {0} Gb";
    Width(u8) "the independent table has x4 and x8, not x{0}";
    Bin(String) "the independent table has the bins A and B, not {0}";
    Part(PartError) "{0}";
    Channel(CheckedChannelError) "{0}";
}

problems! {
    /// Why a log or a trace does not answer the question, though its format is sound: the words that follow its name.
    pub LogProblem;

    // Any log or trace.
    NoneOf(&'static str) "there is no {0} in it";
    NoDurations
        "this is a workload and records no durations; replay it on a simulated target with --trace FILE --target PART";
    NoWorkload
        "this is a log of durations and no workload; analyse it with --log FILE, or replay what blkparse or fio's \
         --write_iolog wrote";
    Overlap { percent: f64 }
        "durations cover {percent:.0} % of its time: accesses overlapped, as they do with a queue depth above 1 or \
         several jobs. How long each takes alone, and how many bytes are under way at a time, is not in the log. \
         Record with --iodepth=1 --numjobs=1";
    Uncountable(BacklogError) "{0}";

    // Of wordline buffer --log.
    NoneAmong { wanted: &'static str, seen: u64 } "there is no {wanted} among its {seen} accesses";
    NoBytes "its accesses move no bytes";
    OtherRecord { line: u64, found: ByteCount, record: ByteCount }
        "line {line}: this access moved {found}, and --record states {record}; leave --record out to take the sizes \
         from the log";
    BrokenRecord { line: u64, found: ByteCount, record: ByteCount }
        "line {line}: this access moved {found}, which is no whole number of records of {record}; record the log with \
         the study's record (fio: --bs), or give the study the record that the log has (--record)";
    MixedOperations { line: u64, found: &'static str, first: &'static str }
        "line {line}: a {found} in a log that begins with a {first}; say which of them the input waits for with \
         --operation {first} or --operation {found}. The others take their time as well";
    NoEnds { line: u64 } "line {line}: the log does not record when accesses ended, which start-to-start needs";
    Backwards { line: u64, by: Time }
        "line {line}: times run backwards by {by}, and start-to-start needs the accesses in the order of their time: \
         sort the log, or take one job of it";
    Uncovered { percent: f64, busy: String, elapsed: String }
        "the durations in the log cover {percent:.1} % of its time: {busy} of {elapsed}; at least 90 % are needed. \
         What happened in the rest, such as fsync, fills the buffer too. --durations start-to-start takes the time \
         from the start of an access to the start of the next instead. Or record a log whose latencies include the \
         flush (fio: --sync=1 instead of --fsync=1). Where the host paused because it had nothing to do, as at a \
         fixed rate, say so with --durations paced";

    // Of wordline compare --log.
    NoneForWork { wanted: &'static str, seen: u64 }
        "there is no {wanted} among its {seen} accesses, and the study's work waits for {wanted}s; give a log of \
         {wanted}s, or other work: --work log or overwrite for writes, --work read for reads";
    HistogramOfCompare
        "this is a histogram: it has lost the order of the accesses, and a verdict needs it. Record a latency log (fio: \
         --write_lat_log=NAME); wordline buffer --log gives the least and the most RAM of a histogram";

    // Of a current beside a log.
    NoAccesses
        "this is a current over time and holds no accesses; give a log of accesses with --log, and this one beside it \
         with --current";
    NoCurrents
        "this is not a log of currents; expected columns such as Timestamp(ms),Current(uA) (Nordic PPK2) or \
         time,current,voltage (Joulescope)";
    FewSamples "two samples at different times are needed at least";
    CountedCurrent
        "a histogram does not record when accesses happened, which --current needs; give a latency log (fio: \
         --write_lat_log=NAME)";
    UntimedCurrent { line: u64 }
        "line {line}: the log does not record when accesses happened, which --current needs; in a CSV a column such as \
         start_us, end_us or time_s does (--unit time=s where the name states no unit)";
    Unpowered { line: u64, volts: f64 }
        "line {line}: the supply is at {volts} V while an access is under way; allowed: above 0 V. The column of the \
         voltage is of something else, or its wires are swapped: leave it out of the file, and state the supply with \
         --voltage";
    NoEnergy { joules: f64, accesses: u64 }
        "{accesses} accesses draw {joules:e} J together; allowed: above 0 J. The current is of something else, or flows \
         the other way: swap the sign of its column";
    NothingMeasured { accesses: u64, from: String, to: String }
        "the current covers none of {accesses} accesses: what was read of it goes from {from} to {to}. Say with \
         --current-offset at which time of this clock the first access starts";

    // Of a histogram.
    OrderOfHistogram
        "startup, backlog and horizon do not go with a histogram, whose accesses have no order; they go with a \
         latency log (fio: --write_lat_log=NAME)";
    StartsOfHistogram
        "a histogram does not record when accesses began, which start-to-start needs; a latency log does (fio: \
         --write_lat_log=NAME)";
    BothOperations "it counts reads and writes; say which of them the input waits for with --operation";
    SeveralSizes { one: ByteCount, other: ByteCount }
        "it counts accesses of {one} and of {other}; without their order, one size is needed";
    NoSize "it does not state the size of an access; give it with --record";
    UncoveredCounts { operation: &'static str, percent: f64, busy: String, elapsed: Time }
        "its {operation}s cover {percent:.1} % of its time: at most {busy} of {elapsed}; at least 90 % are needed. \
         What happened in the rest, such as fsync or other accesses, fills the buffer too. Record latencies that \
         include the flush (fio: --sync=1 instead of --fsync=1) and the submission (--lat_percentiles=1), without \
         pauses (--rate, --thinktime). Or record a latency log (--write_lat_log=NAME); of it --durations \
         start-to-start takes the time from the start of an access to the start of the next";

    // Of wordline dram loaded.
    NoCurve { found: String, wanted: f64, mix: Mix }
        "it has curves of {found} reads, and none within 5 % of the {wanted} % of {mix} (--mix)";

    // Of wordline dram trace.
    Request { line: u64, why: MemoryError } "line {line}: {why}";
    LateRequest { line: u64, found: Time, most: Time }
        "line {line}: {found} after the first request; a replay simulates at most {most}: cut the trace";

    NoLoadedRows
        "it has no point with a latency and a bandwidth under load; allowed: a curve of Mess, a document of `wordline host \
         loaded` or `wordline host import`, or what a tool printed that measures latency under load";

    // Of wordline part fit to what was measured of a system.
    NoDocument(String) "it is no result document: {0}";
    NotOfMachine
        "no row of it was measured of a machine's memory; make one with `wordline host all --export FILE.json`, or take over \
         another tool's with `wordline host import FILE --export FILE.json`";
    SeveralMachines { one: String, other: String }
        "it has rows of {one} and of {other}; a fit is to one machine: export each by itself";
    NoLatency
        "it has no latency, neither without load nor under load, so that nothing shows the path on the chip: measure it \
         (wordline host latency)";
    FasterThanModule { idle: String, part: String, module: String }
        "its idle latency, {idle}, is not above the {part} that {module} takes by itself, so that nothing is left for the path \
         on the chip. Either it is that of a cache, or the machine has another module (--base MODULE@SYSTEM)";
    LongPath { found: String, most: String }
        "its idle latency leaves {found} for the path on the chip; allowed: up to {most}. Measure without load";

    // Of wordline part fit to a table of times.
    NoLaw { operation: &'static str }
        "its {operation} times fix no law: more cycle counts are needed, or counts further apart";
    OffAnyLaw { operation: &'static str, column: String, cycles: u64, printed: String, law: String }
        "its {operation} times follow no power law: {column} is {printed} at {cycles} cycles, and the nearest law has \
         {law}. Times that rise in a step, faster than the square of the cycles, or under several conditions have none: \
         keep the lines that follow a law, or leave the columns of {operation} out";

    // Of wordline part fit to a log of a card.
    StartToStart
        "times from start to start hold what the host did in between, which no card did; record a log whose latencies \
         include the flush (fio: --sync=1)";
    HistogramOfFit
        "this is a histogram: it has lost the order of the accesses, in which stalls show how far they lie apart; \
         record a latency log (fio: --write_lat_log=NAME)";
    WorkloadOfFit
        "this is a workload and records no durations, which are what a fit is about; record a latency log (fio: \
         --write_lat_log=NAME)";
    OtherOperation { line: u64, found: &'static str }
        "line {line}: this is a {found}, and a fit is about writes. Reads between them take their time and shift what \
         the card does: record writes alone (fio: --rw=randwrite)";
    Sizeless { line: u64 } "line {line}: this access has no size; say what each moved with --record SIZE";
    OtherSize { line: u64, found: ByteCount, before: ByteCount }
        "line {line}: this access moved {found}, and those before it {before}; a fit needs one size: record with one \
         (fio: --bs=4k)";
    OutOfOrder { line: u64, by: Time }
        "line {line}: times run backwards by {by}; a fit needs the accesses in the order of their time: take one job \
         of it (fio: --numjobs=1)";
    FewWrites { found: usize, least: usize, half: usize }
        "it has {found} writes, and at least {least} are needed: one half is fitted and the other held out. The 99th \
         percentile of a half rests on the ten longest of {half}";
    SameDuration(String)
        "every access took {0} exactly: these are no durations of single accesses but a mean or a setting, and say \
         nothing of the card";
    CoarseClock
        "half of the accesses take no time at all: the clock that measured them is too coarse for this card";
    CoarseSteps { step: String, median: String, least: u64, wanted: String }
        "durations come in steps of {step}, and half of the accesses take {median} or less: too coarse to show what \
         an access consists of. At least {least} steps are needed: record with a clock of {wanted} or finer";
    UncoveredFit { percent: f64 }
        "durations cover {percent:.1} % of the log's time; at least 90 % are needed. Where the host paused in the \
         rest, as at a fixed rate, say so with --durations paced: the card may have cleaned meanwhile. Where each \
         line is a mean over an interval, or an fsync is left out, the log does not show what single accesses took: \
         record with --sync=1 --log_avg_msec=0";
    NoPauses
        "the log does not record when accesses ended, and so not how long the host paused, which --durations paced \
         needs; a CSV states it in a column such as end_ns";
    OtherCard { target: String, factor: f64 }
        "no figures that were tried bring {target} nearer to it than a factor of {factor:.1} in the middle of its \
         durations. It is not a card of this kind: begin with another (--base)";
    HostCache { found: String, target: String, floor: String }
        "its ordinary write takes {found}, and {target} takes {floor} with the fastest figures that a fit may give \
         it. Either these writes ended in a cache of the host: record with --sync=1 or --direct=1. Or what took them \
         has a faster bus or smaller pages: name it with --base PART@BOARD";
    NoAddresses
        "it records no addresses, and a card does other things in order than at random: say which with --pattern \
         sequential or --pattern random, or record them (fio: --log_offset=1)";
    BaseFails { target: String, why: BenchProblem } "{target} cannot do its work, whatever its figures: {why}";

    // Of wordline part fit to a log of flash.
    FewBlocks { found: usize, least: usize }
        "it has {found} blocks, and at least {least} are needed: half of them are fitted and the others held out";
    ReadsAlone "it has neither programs nor erases that went well, and reads do not age";
    NoSuchPart { figure: String, value: String, target: String }
        "{figure} would have to be {value}: {target} is no such part, or its board not the host of the log (--base)";
    FewSizes
        "its sizes determine no figure of the part: more sizes are needed than unknowns, some below a page and some \
         of several";
}

problems! {
    /// Why an experiment does not run on a target: the words that follow its name.
    pub TargetProblem;

    // Any target.
    NoLayer { part: String, why: &'static str } "{part} {why}; leave --ftl out, or name raw NAND alone";
    MeasuredTiming "takes the time that it takes: no column of a data sheet applies; leave --timing out";
    MeasuredAge "is as old as it is: no age is set; leave --age out";

    // Of wordline wear.
    NotWorn { part: String, why: AgeingError } "{part} cannot be worn: {why}";
    FewGoodBlocks { part: String, least: u64, asked: u32 }
        "{part} is sure to have {least} good blocks; {asked} were asked for (--blocks)";

    // Of wordline wear on flash of this machine.
    WornAlone "is worn by itself: name no other target beside it";
    Unconfirmed { device: String }
        "what it holds will be lost and its blocks worn out; --destroy {device} says that this is meant";
    OtherConfirmed { named: String } "--destroy names {named}, another device";
    Driver(String) "{0}";
    FewBlocks { found: usize, asked: u32 } "has {found} good blocks; {asked} were asked for (--blocks)";
    BlockHoldsData { block: u32 }
        "block {block} holds data; erase the blocks that are to be tested first, with flash_erase for instance";
    OneUsage "wears its blocks out once: allowed is one usage";
    OneTemperature "has one temperature, which is noted beside its rows: allowed is one";
    NoDwell "is erased at once: no dwell is waited for; leave --dwell out";
    OneSample "is one chip: allowed is one sample";

    // Of wordline fs bound.
    NoRealTimeLayer { part: String, why: &'static str } "{part} {why}; fs bound is about raw flash";

    // Of wordline kv.
    CutsOfRam "RAM keeps nothing without power; allowed: MRAM, FRAM, EEPROM";
    CutsOfFile
        "what a power cut leaves of a file is up to its disk, which cannot be cut here and is not simulated; allowed: \
         MRAM, FRAM, EEPROM";
    SmallForCuts { has: ByteCount, needed: ByteCount, sizes: KvSizes, table: String }
        "it has {has}, and the workload that is cut takes {needed} of it with records of {sizes} in {table}; give a \
         smaller --size";
    Unlinked(LinkError) "{0}";
    NeedsMachine "this is a memory of the machine itself, which cannot be reached from here; use the command wordline";
    File(ScratchFileError) "{0}";
    FileHoldsData { path: String }
        "it holds data, which would be lost: name a file that is not there, or say with --destroy {path} that this is \
         meant";
    FileLength(ScratchFileError)
        "{0}: name a file that is not there or is empty, or give its length as --capacity";
}

impl SettingProblem {
    /// A value that is not between its least and its largest.
    pub(crate) fn out_of_range<T: std::fmt::Display>(found: T, least: T, most: T) -> Self {
        let [found, least, most] = [found, least, most].map(|value| value.to_string());
        Self::OutOfRange { found, least, most }
    }

    /// The error of a setting that has the problem.
    pub(crate) const fn of(self, what: &'static str) -> LabError {
        LabError::Unusable {
            what,
            problem: self,
        }
    }
}

impl LogProblem {
    /// The error of a file that has the problem.
    pub(crate) fn of(self, file: &str) -> LabError {
        LabError::Log {
            file: file.to_owned(),
            problem: self,
        }
    }
}

impl TargetProblem {
    /// The error of a target that has the problem.
    pub(crate) fn of(self, target: &str) -> LabError {
        LabError::Target {
            target: target.to_owned(),
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
    Err(SettingProblem::out_of_range(found, least, most).of(what))
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
