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
    /// A device could not be made.
    #[error("{target}: {source}")]
    Device {
        /// The target.
        target: String,
        /// Why not.
        source: NvmError,
    },
}
