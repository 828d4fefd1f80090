//! Why a call failed.

use std::path::Path;

use wordline_catalog::CatalogError;
use wordline_core::quantity::Time;
use wordline_memory::FlashMisuse;
use wordline_nvm::ageing::AgeingError;
use wordline_nvm::ageing::health::FailureOrigin;
use wordline_nvm::{Misuse, NoSuspend, NvmError};

use super::abi::MemoryStatus;
use super::image::ImageError;
use crate::boundary::{BadArgument, BoundaryFailure};
use crate::handles::Lost;

/// A failure of a call. It is behind a pointer, so that the results of calls that go well, which are nearly all, are
/// handed on in registers.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct MemoryFault(Box<FaultReason>);

impl<W: Into<FaultReason>> From<W> for MemoryFault {
    #[cold]
    fn from(why: W) -> Self {
        Self(Box::new(why.into()))
    }
}

impl MemoryFault {
    /// The block whose program or erase failed, and why it did; none where anything else went wrong.
    pub(super) fn failed_block(&self, pages_per_block: u32) -> Option<(u32, FailureOrigin)> {
        let (error, origin) = match &*self.0 {
            FaultReason::Memory(error) => (error, FailureOrigin::Worn),
            FaultReason::Imposed(failure) => (&failure.error, failure.origin),
            _ => return None,
        };
        match *error {
            NvmError::ProgramFailed { page } => Some((page / pages_per_block, origin)),
            NvmError::EraseFailed { block } => Some((block, origin)),
            _ => None,
        }
    }

    /// Whether the call was refused, unless it comes of an operation that was done: nothing was asked of the chip.
    pub(super) fn is_refusal(&self) -> bool {
        !matches!(
            self.status(),
            MemoryStatus::Uncorrectable
                | MemoryStatus::ProgramFailed
                | MemoryStatus::EraseFailed
                | MemoryStatus::PowerLost
        )
    }

    /// Whether simulated time ends before the operation does.
    #[cold]
    pub(super) fn is_end_of_time(&self) -> bool {
        matches!(&*self.0, FaultReason::Memory(NvmError::TimeExhausted))
    }

    /// Whether a read met more wrong bits than an ECC corrects.
    #[cold]
    pub(super) fn is_uncorrectable(&self) -> bool {
        self.status() == MemoryStatus::Uncorrectable
    }
}

/// A failure of an operation that the wear of its block did not cause.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{error}: {}", match .origin {
    FailureOrigin::PowerCut => "a power cut left the block so",
    _ => "made to fail by wl_memory_add_fault or wl_memory_set_fault",
})]
pub(crate) struct ImposedFailure {
    /// As the chip would report it.
    pub(super) error: NvmError,
    /// Why it failed.
    pub(super) origin: FailureOrigin,
}

impl ImposedFailure {
    pub(super) const fn injected(error: NvmError) -> Self {
        let origin = FailureOrigin::Injected;
        Self { error, origin }
    }

    pub(super) const fn left_by_cut(error: NvmError) -> Self {
        let origin = FailureOrigin::PowerCut;
        Self { error, origin }
    }
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FaultReason {
    #[error(transparent)]
    Argument(#[from] BadArgument),
    #[error(transparent)]
    Handle(#[from] Lost),
    #[error("there are as many memories as can be: free some")]
    Handles,
    #[error(transparent)]
    Catalog(Box<CatalogError>),
    #[error("options.timing: {0}")]
    Timing(String),
    #[error("{0:?} is a memory without a data sheet: wl_memory_create_ideal makes it")]
    IdealTarget(Box<str>),
    #[error("{what} {found:?}; expected 0 or more seconds, and no endless time")]
    Seconds { what: &'static str, found: f64 },
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
    #[error(
        "the snapshot is of {part} as well, and has info.{member} {found}; this memory has {expected}"
    )]
    OtherShape {
        part: Box<str>,
        member: &'static str,
        found: u64,
        expected: u64,
    },
    #[error("unit {unit}; expected less than {units}: there are so many, of {bytes} bytes each")]
    NoSuchUnit { unit: u64, units: u64, bytes: u64 },
    #[error("{cycles} cycles; allowed: {least}, which options.age gave the unit, to {most}")]
    Cycles { cycles: u64, least: u64, most: u64 },
    #[error("{cycles} cycles; expected {most} at the most")]
    TooManyCycles { cycles: u64, most: u64 },
    #[error("{part} has no model of ageing; parts that have one: {others}")]
    NoAgeing { part: Box<str>, others: Box<str> },
    #[error("the part does not fit the board: {0}")]
    Link(NvmError),
    #[error(transparent)]
    Memory(#[from] NvmError),
    #[error(transparent)]
    Imposed(#[from] ImposedFailure),
    #[error(transparent)]
    Ageing(#[from] AgeingError),
    #[error("the power is off: wl_memory_power_up supplies it again")]
    PowerLost,
    #[error(
        "the power was cut at {at}, within {what}, which began at {start}: wl_memory_power_up supplies it again"
    )]
    CutWithin {
        what: Box<str>,
        start: Time,
        at: Time,
    },
    #[error("the power was cut at {at}, while time passed: wl_memory_power_up supplies it again")]
    CutInPause { at: Time },
    #[error("{bytes} bytes at {at}: the read is made to fail by wl_memory_add_fault")]
    ReadStruck { at: u64, bytes: u64 },
    #[error("{bytes} bytes at {at}: the write is made to fail by wl_memory_add_fault")]
    WriteStruck { at: u64, bytes: u64 },
    #[error(
        "page {page}, column {column}: a program of {new:02X}h onto {held:02X}h would set bits; erase its block first, or leave options.strict out"
    )]
    SetsBits {
        page: u32,
        column: u64,
        held: u8,
        new: u8,
    },
    #[error("{what}: address {at} and length {bytes} must be multiples of {unit}")]
    Unaligned {
        what: &'static str,
        at: u64,
        bytes: u64,
        unit: u64,
    },
    #[error(
        "{bytes} bytes at {at} are no erases of this part; it erases {sizes} bytes, each at a multiple of its size"
    )]
    NoErase {
        at: u64,
        bytes: u64,
        sizes: Box<str>,
    },
    #[error("the erase of {bytes} bytes at {at} {state}: {advice}")]
    InErase {
        at: u64,
        bytes: u64,
        state: &'static str,
        /// What the caller may do instead.
        advice: &'static str,
    },
    #[error("nothing was started that could be suspended or resumed")]
    NothingStarted,
    #[error("{0}: the erase cannot be suspended")]
    NoSuspend(NoSuspend),
    #[error("an ideal memory: {0}")]
    Ideal(Box<str>),
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

impl From<CatalogError> for FaultReason {
    fn from(error: CatalogError) -> Self {
        Self::Catalog(Box::new(error))
    }
}

impl BoundaryFailure for MemoryFault {
    type Status = MemoryStatus;

    fn status(&self) -> MemoryStatus {
        match &*self.0 {
            FaultReason::Argument(_)
            | FaultReason::Timing(_)
            | FaultReason::Age(_)
            | FaultReason::Seconds { .. }
            | FaultReason::Value { .. }
            | FaultReason::OtherPart { .. }
            | FaultReason::OtherShape { .. }
            | FaultReason::Cycles { .. }
            | FaultReason::TooManyCycles { .. } => MemoryStatus::BadArgument,
            FaultReason::NoSuchUnit { .. } => MemoryStatus::OutOfRange,
            FaultReason::NoAgeing { .. } => MemoryStatus::Unsupported,
            FaultReason::Handle(Lost::Unknown) => MemoryStatus::BadHandle,
            FaultReason::Catalog(_) | FaultReason::Link(_) | FaultReason::IdealTarget(_) => {
                MemoryStatus::BadTarget
            }
            FaultReason::Memory(error) => of_memory(error),
            FaultReason::Imposed(failure) => of_memory(&failure.error),
            FaultReason::PowerLost
            | FaultReason::CutWithin { .. }
            | FaultReason::CutInPause { .. } => MemoryStatus::PowerLost,
            FaultReason::Ageing(AgeingError::NoFigures) => MemoryStatus::Unsupported,
            FaultReason::Ageing(_) => MemoryStatus::BadArgument,
            FaultReason::Powered
            | FaultReason::SetsBits { .. }
            | FaultReason::Unaligned { .. }
            | FaultReason::NoErase { .. }
            | FaultReason::Handles
            | FaultReason::NothingStarted => MemoryStatus::Misuse,
            FaultReason::Ideal(_) => MemoryStatus::BadArgument,
            FaultReason::ReadStruck { .. } => MemoryStatus::Uncorrectable,
            FaultReason::WriteStruck { .. } => MemoryStatus::ProgramFailed,
            FaultReason::InErase { .. } => MemoryStatus::Busy,
            FaultReason::Unsupported(_) | FaultReason::NoSuspend(_) => MemoryStatus::Unsupported,
            FaultReason::Image { .. } => MemoryStatus::BadImage,
            FaultReason::File { .. } => MemoryStatus::File,
            FaultReason::Handle(Lost::Broken) | FaultReason::Internal => MemoryStatus::Internal,
        }
    }

    fn internal() -> Self {
        FaultReason::Internal.into()
    }
}

const fn of_memory(error: &NvmError) -> MemoryStatus {
    match error {
        NvmError::OutOfRange(_)
        | NvmError::Misuse(Misuse::Flash(
            FlashMisuse::NoSuchPage { .. }
            | FlashMisuse::NoSuchBlock { .. }
            | FlashMisuse::LeavesPage { .. },
        )) => MemoryStatus::OutOfRange,
        NvmError::Misuse(Misuse::NoUnitCycles) => MemoryStatus::Unsupported,
        NvmError::Misuse(_) => MemoryStatus::Misuse,
        NvmError::Uncorrectable { .. } => MemoryStatus::Uncorrectable,
        NvmError::ProgramFailed { .. } => MemoryStatus::ProgramFailed,
        NvmError::EraseFailed { .. } => MemoryStatus::EraseFailed,
        NvmError::BadBlock { .. } => MemoryStatus::BadBlock,
        NvmError::PowerLost => MemoryStatus::PowerLost,
        NvmError::Link(_)
        | NvmError::Unsupported(_)
        | NvmError::NoBackground
        | NvmError::UnequalChips(_)
        | NvmError::Translation(_)
        | NvmError::Files(_)
        | NvmError::TimeExhausted => MemoryStatus::Device,
    }
}
