//! redb, through `wordline-redb`. What it takes of a memory is known without its code.

#[cfg(feature = "redb")]
mod open;
mod places;

use super::{RecordStore, StoreError, StoreOptions, StoreWork};
#[cfg(not(feature = "redb"))]
use crate::EngineMismatch;
use crate::{Contract, Engine, Needs, Promise, StoreEngine};

/// The most bytes of a key or of a value.
const FIELD_BYTES_MAX: u64 = 3 << 30;

/// The most bytes of a key and its value together.
const RECORD_BYTES_MAX: u64 = (3 << 30) + (768 << 20);

/// Records that fit a memory for power cuts: two dozen fill two thirds of it.
const SHORT_RECORDS: u64 = 36;

/// redb by name.
pub(crate) struct RedbEngine;

/// The one there is.
pub(crate) static REDB: RedbEngine = RedbEngine;

impl Engine for RedbEngine {
    type Offer = dyn RecordStore;

    fn name(&self) -> &'static str {
        "redb"
    }

    fn title(&self) -> &'static str {
        "redb"
    }

    fn promise(&self) -> Promise {
        Promise {
            survives_power_cuts: true,
            ..Promise::NONE
        }
    }

    fn needs(&self) -> Needs {
        Needs::Bytes
    }

    fn is_built_in(&self) -> bool {
        cfg!(feature = "redb")
    }

    #[cfg(feature = "redb")]
    fn format(&self, memory: Contract, options: &StoreOptions) -> Result<(), StoreError> {
        self.create(memory, options).map(drop)
    }

    #[cfg(feature = "redb")]
    fn open(
        &self,
        memory: Contract,
        options: &StoreOptions,
    ) -> Result<Box<Self::Offer>, StoreError> {
        open::open(memory.bytes()?, options)
    }
}

impl StoreEngine for RedbEngine {
    #[cfg(feature = "redb")]
    fn create(
        &self,
        memory: Contract,
        options: &StoreOptions,
    ) -> Result<Box<dyn RecordStore>, StoreError> {
        open::create(memory.bytes()?, options)
    }

    #[cfg(not(feature = "redb"))]
    fn create(&self, _: Contract, _: &StoreOptions) -> Result<Box<dyn RecordStore>, StoreError> {
        Err(EngineMismatch::NotBuiltIn(self.title()).into())
    }

    fn limits(&self) -> (u64, u64, u64) {
        (FIELD_BYTES_MAX, FIELD_BYTES_MAX, 0)
    }

    fn record_bytes_max(&self) -> u64 {
        RECORD_BYTES_MAX
    }

    fn has_mixed_sizes(&self) -> bool {
        true
    }

    fn writes_pages(&self) -> bool {
        true
    }

    fn places(&self, options: &StoreOptions, bytes: u64, _: usize) -> Option<u64> {
        places::places(bytes, options)
    }

    fn short_bytes(&self, options: &StoreOptions, _: usize) -> u64 {
        places::memory_for(SHORT_RECORDS, options)
    }

    /// Nobody has counted it.
    fn work(&self) -> Option<StoreWork> {
        None
    }
}
