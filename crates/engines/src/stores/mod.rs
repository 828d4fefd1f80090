//! Stores of records by key on memories whose bytes can be overwritten: hash tables, and redb.

mod own;
mod published;
mod redb;

pub(crate) use own::OWN;
pub(crate) use published::{CLHT, LPHT};
pub(crate) use redb::REDB;

use crate::{ByteBox, EngineMismatch};

/// An open store of records by key.
pub trait RecordStore {
    /// Gives a key a value, which survives a power cut once the call returns.
    ///
    /// # Errors
    /// [`StoreError::NoRoom`], or when the memory fails.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError>;

    /// Copies the value of a key to the start of `out`, which is as long as values are; returns its length.
    ///
    /// # Errors
    /// When the memory fails.
    fn get(&mut self, key: &[u8], out: &mut [u8]) -> Result<Option<usize>, StoreError>;

    /// Removes a record; returns whether there was one.
    ///
    /// # Errors
    /// [`StoreError::NoRemove`] where the store removes nothing, or when the memory fails.
    fn remove(&mut self, key: &[u8]) -> Result<bool, StoreError> {
        let _ = key;
        Err(StoreError::NoRemove)
    }

    /// Calls `see` with every key and value.
    ///
    /// # Errors
    /// When the memory fails.
    fn each(&mut self, see: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError>;

    /// Records of the sizes that it was formatted for that fill it, where overflows are not counted.
    fn places(&self) -> u64;

    /// Places that are free, where the store keeps count.
    fn free_places(&self) -> Option<u64> {
        None
    }

    /// Bytes of RAM that it needs while it is open, besides a few words.
    fn ram_bytes(&self) -> u64 {
        0
    }

    /// The memory below.
    fn memory(&mut self) -> &mut ByteBox;
}

/// How a store is set up. Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Bytes in a key; the longest, where sizes differ.
    pub key_bytes: u64,
    /// Bytes in a value; the longest, where sizes differ.
    pub value_bytes: u64,
    /// Whether its directory lies in the memory and not in RAM.
    pub resident_directory: bool,
}

/// What went wrong in a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no room for another record.
    #[error("the table has no room for another record")]
    NoRoom,
    /// The store removes nothing.
    #[error("the published tables remove nothing")]
    NoRemove,
    /// What the store or its memory says.
    #[error("{0}")]
    Failed(String),
    /// It cannot be set up.
    #[error(transparent)]
    Mismatch(#[from] EngineMismatch),
}

/// What an operation of a store takes on a processor of 32 bits besides its accesses, in instructions.
#[derive(Clone, Copy)]
pub struct StoreWork {
    /// The hash of a key of some bytes.
    pub hash: fn(key_bytes: u64) -> f64,
    /// The check of a record of some bytes, key and value together, when it is found and when it is put.
    pub record_check: fn(record_bytes: u64) -> f64,
    /// The check of a record's place, when it is put.
    pub place_check: fn(record_bytes: u64) -> f64,
    /// A get that finds its key, besides what every call takes.
    pub hit: u64,
    /// Whether an update copies the key as well as the value.
    pub update_copies_key: bool,
}
