//! Why a call failed.

use wordline_catalog::CatalogError;
use wordline_dram::sheet::SettingError;
use wordline_dram::system::MemoryError;
use wordline_dram::{AddressError, ConfigError};

use super::abi::DramStatus;
use crate::boundary::{BadArgument, BoundaryFailure};
use crate::handles::Lost;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DramFault {
    #[error(transparent)]
    Argument(#[from] BadArgument),
    #[error(transparent)]
    Handle(#[from] Lost),
    #[error("there are as many memories as can be: free some")]
    Handles,
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(
        "setting {0:?} has no value; expected NAME=VALUE, separated by commas, or by line ends where values have commas"
    )]
    Setting(String),
    #[error(transparent)]
    Settings(#[from] SettingError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error("options.backlog is out of range (0..={0})")]
    Backlog(u32),
    #[error("the {0} queue is full")]
    Full(&'static str),
    #[error("time {asked} ps; expected {from} to {to} ps")]
    Time { asked: u64, from: u64, to: u64 },
    #[error(
        "completions of this memory are being told: run it further when the call that tells them is over"
    )]
    Busy,
    #[error("the memory refuses what it should take: {0}")]
    Refused(#[from] MemoryError),
    #[error(
        "a fault of the library, in this call or in one before: the memory cannot be used any more"
    )]
    Internal,
}

impl BoundaryFailure for DramFault {
    type Status = DramStatus;

    fn status(&self) -> DramStatus {
        match self {
            Self::Argument(_) | Self::Backlog(_) => DramStatus::BadArgument,
            Self::Handle(Lost::Unknown) => DramStatus::BadHandle,
            Self::Catalog(_) | Self::Setting(_) | Self::Settings(_) | Self::Config(_) => {
                DramStatus::BadTarget
            }
            Self::Address(_) => DramStatus::BadAddress,
            Self::Full(_) => DramStatus::Full,
            Self::Time { .. } => DramStatus::BadTime,
            Self::Busy => DramStatus::Busy,
            Self::Handle(Lost::Broken) | Self::Handles | Self::Refused(_) | Self::Internal => {
                DramStatus::Internal
            }
        }
    }

    fn internal() -> Self {
        Self::Internal
    }
}
