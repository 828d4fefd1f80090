//! An open redb database as a store of records.

use wordline_memory::ByteMemory as _;
use wordline_redb::{CACHE_BYTES, RedbError, RedbStore};

use super::places::places;
use crate::{ByteBox, RecordStore, StoreError, StoreOptions};

/// An open database.
struct OpenRedb {
    store: RedbStore<ByteBox>,
    places: u64,
}

/// An empty database in a memory.
pub(super) fn create(
    memory: ByteBox,
    options: &StoreOptions,
) -> Result<Box<dyn RecordStore>, StoreError> {
    let places = places(memory.len(), options).ok_or(StoreError::NoRoom)?;
    let store = RedbStore::create(memory)?;
    Ok(Box::new(OpenRedb { store, places }))
}

/// The database that a memory holds.
pub(super) fn open(
    memory: ByteBox,
    options: &StoreOptions,
) -> Result<Box<dyn RecordStore>, StoreError> {
    let places = places(memory.len(), options).unwrap_or(0);
    let store = RedbStore::open(memory)?;
    Ok(Box::new(OpenRedb { store, places }))
}

impl RecordStore for OpenRedb {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        Ok(self.store.put(key, value)?)
    }

    fn get(&mut self, key: &[u8], out: &mut [u8]) -> Result<Option<usize>, StoreError> {
        let copy = |value: &[u8]| match out.get_mut(..value.len()) {
            Some(out) => {
                out.copy_from_slice(value);
                Ok(value.len())
            }
            None => Err(StoreError::Failed(
                "a value is longer than expected".to_owned(),
            )),
        };
        self.store.get(key, copy)?.transpose()
    }

    fn remove(&mut self, key: &[u8]) -> Result<bool, StoreError> {
        Ok(self.store.remove(key)?)
    }

    fn each(&mut self, see: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        Ok(self.store.each(see)?)
    }

    /// Those that are sure to fit.
    fn places(&self) -> u64 {
        self.places
    }

    fn free_places(&self) -> Option<u64> {
        Some(self.places.saturating_sub(self.store.records()))
    }

    /// Its cache. What redb takes of the heap besides is not counted.
    fn ram_bytes(&self) -> u64 {
        CACHE_BYTES as u64
    }

    fn memory(&mut self) -> &mut ByteBox {
        match self.store.memory() {
            Some(memory) => memory,
            None => unreachable!("only a panic within redb takes the memory"),
        }
    }
}

impl From<RedbError> for StoreError {
    fn from(error: RedbError) -> Self {
        match error {
            RedbError::NoRoom => Self::NoRoom,
            RedbError::Failed(why) => Self::Failed(why),
        }
    }
}
