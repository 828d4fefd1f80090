//! Why a call failed, and where its message waits to be read.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

use wordline_catalog::CatalogError;
use wordline_dram::sheet::SettingError;
use wordline_dram::system::MemoryError;
use wordline_dram::{AddressError, ConfigError};

use crate::abi::Status;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("{0} is NULL")]
    Null(&'static str),
    #[error("{0} is no UTF-8")]
    Text(&'static str),
    #[error(
        "the caller's {name} has {found} bytes; expected {least} or more: set its size to sizeof({name})"
    )]
    Size {
        name: &'static str,
        found: u64,
        least: usize,
    },
    #[error(
        "the caller was compiled for ABI {found}; this library has ABI {}",
        crate::abi::ABI
    )]
    Abi { found: u64 },
    #[error("no such memory: the handle is NULL, freed, or was never made")]
    Handle,
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error("setting {0:?} has no value; expected NAME=VALUE, separated by commas")]
    Setting(String),
    #[error(transparent)]
    Settings(#[from] SettingError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Address(#[from] AddressError),
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

impl Fault {
    pub(crate) const fn status(&self) -> Status {
        match self {
            Self::Null(_) | Self::Text(_) | Self::Size { .. } | Self::Abi { .. } => {
                Status::BadArgument
            }
            Self::Handle => Status::BadHandle,
            Self::Catalog(_) | Self::Setting(_) | Self::Settings(_) | Self::Config(_) => {
                Status::BadTarget
            }
            Self::Address(_) => Status::BadAddress,
            Self::Full(_) => Status::Full,
            Self::Time { .. } => Status::BadTime,
            Self::Busy => Status::Busy,
            Self::Refused(_) | Self::Internal => Status::Internal,
        }
    }
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Keeps the message of a fault for [`message`].
pub(crate) fn keep(fault: &Fault) {
    let text: Vec<u8> = fault
        .to_string()
        .bytes()
        .filter(|byte| *byte != 0)
        .collect();
    MESSAGE.with(|message| *message.borrow_mut() = CString::new(text).unwrap_or_default());
}

/// The message kept last in this thread. It lasts until the next one is kept.
pub(crate) fn message() -> *const c_char {
    MESSAGE.with(|message| message.borrow().as_ptr())
}
