//! Why an experiment cannot be run.

use wordline_catalog::CatalogError;
use wordline_core::quantity::ByteCount;
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
    /// A list that must name something, or names it twice.
    #[error("{what} {problem}")]
    List {
        /// The setting.
        what: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// A size that cannot be.
    #[error("{what} {found} {problem}")]
    Size {
        /// The setting.
        what: &'static str,
        /// Its value.
        found: ByteCount,
        /// What is wrong with it, with the values allowed.
        problem: String,
    },
    /// A number that cannot be.
    #[error("{what} {found} {problem}")]
    Number {
        /// The setting.
        what: &'static str,
        /// Its value.
        found: f64,
        /// What is wrong with it, with the values allowed.
        problem: String,
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
    #[error("{target}: {source}")]
    Setting {
        /// The target.
        target: String,
        /// Why not, with what is allowed.
        source: wordline_dram::sheet::SettingError,
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
