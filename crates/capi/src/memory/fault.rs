//! Why a call failed.

use std::path::Path;

use wordline_catalog::CatalogError;
use wordline_memory::FlashMisuse;
use wordline_nvm::{Misuse, NvmError};

use super::abi::Status;
use super::image::ImageError;
use crate::boundary::{BadArgument, Failure};
use crate::handles::Lost;

/// A failure of a call. It is behind a pointer, so that the results of calls that go well, which are nearly all, are
/// handed on in registers.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct Fault(Box<Why>);

impl<W: Into<Why>> From<W> for Fault {
    #[cold]
    fn from(why: W) -> Self {
        Self(Box::new(why.into()))
    }
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Why {
    #[error(transparent)]
    Argument(#[from] BadArgument),
    #[error(transparent)]
    Handle(#[from] Lost),
    #[error("there are as many memories as can be: free some")]
    Handles,
    #[error(transparent)]
    Catalog(Box<CatalogError>),
    #[error("{0}")]
    Timing(String),
    #[error("age {0}; expected a fraction of rated life, 0 to 1")]
    Age(f64),
    #[error("{what} {found}; expected {allowed}")]
    Value {
        what: &'static str,
        found: u64,
        allowed: &'static str,
    },
    #[error("a snapshot of {found} is none of {expected}")]
    OtherPart { found: Box<str>, expected: Box<str> },
    #[error("the part does not fit the board: {0}")]
    Link(NvmError),
    #[error(transparent)]
    Memory(#[from] NvmError),
    #[error("the power is off: power up")]
    PowerLost,
    #[error("there is power already")]
    Powered,
    #[error("{0}")]
    Unsupported(&'static str),
    #[error("{}: {why}", path.display())]
    Image {
        path: Box<Path>,
        why: Box<ImageError>,
    },
    #[error("{}: {why}", path.display())]
    File {
        path: Box<Path>,
        why: std::io::Error,
    },
    #[error("a fault of the library in this call: the memory cannot be used any more")]
    Internal,
}

impl From<CatalogError> for Why {
    fn from(error: CatalogError) -> Self {
        Self::Catalog(Box::new(error))
    }
}

impl Failure for Fault {
    type Status = Status;

    fn status(&self) -> Status {
        match &*self.0 {
            Why::Argument(_)
            | Why::Timing(_)
            | Why::Age(_)
            | Why::Value { .. }
            | Why::OtherPart { .. } => Status::BadArgument,
            Why::Handle(Lost::Unknown) => Status::BadHandle,
            Why::Catalog(_) | Why::Link(_) => Status::BadTarget,
            Why::Memory(error) => of_memory(error),
            Why::PowerLost => Status::PowerLost,
            Why::Powered => Status::Misuse,
            Why::Unsupported(_) => Status::Unsupported,
            Why::Image { .. } => Status::BadImage,
            Why::File { .. } => Status::File,
            Why::Handles | Why::Handle(Lost::Broken) | Why::Internal => Status::Internal,
        }
    }

    fn internal() -> Self {
        Why::Internal.into()
    }
}

const fn of_memory(error: &NvmError) -> Status {
    match error {
        NvmError::OutOfRange(_)
        | NvmError::Misuse(Misuse::Flash(
            FlashMisuse::NoSuchPage { .. }
            | FlashMisuse::NoSuchBlock { .. }
            | FlashMisuse::LeavesPage { .. },
        )) => Status::OutOfRange,
        NvmError::Misuse(Misuse::NoUnitCycles) => Status::Unsupported,
        NvmError::Misuse(_) => Status::Misuse,
        NvmError::Uncorrectable { .. } => Status::Uncorrectable,
        NvmError::ProgramFailed { .. } => Status::ProgramFailed,
        NvmError::EraseFailed { .. } => Status::EraseFailed,
        NvmError::BadBlock { .. } => Status::BadBlock,
        NvmError::PowerLost => Status::PowerLost,
        NvmError::Link(_)
        | NvmError::Unsupported(_)
        | NvmError::NoBackground
        | NvmError::UnequalChips(_)
        | NvmError::Translation(_)
        | NvmError::TimeExhausted => Status::Device,
    }
}
