//! A store of records as software under test.

use std::collections::BTreeMap;

use wordline_crash::ByteTearing;
use wordline_crash::harness::{Outcome, Recorded, Subject};

use super::StoredBytes;
use crate::{ByteBox, Contract, RecordStore, StoreEngine, StoreOptions};

/// The values that a store holds, by key.
pub type RecordMap = BTreeMap<StoredBytes, StoredBytes>;

/// A call of a store's workload.
#[derive(Clone, Debug)]
pub enum RecordCall {
    /// Gives a key a value.
    Put(StoredBytes, StoredBytes),
    /// Removes the record of a key.
    Remove(StoredBytes),
}

impl RecordCall {
    /// What the call makes of a store.
    #[must_use]
    pub fn next(&self, records: &RecordMap) -> RecordMap {
        let mut records = records.clone();
        match self {
            Self::Put(key, value) => records.insert(key.clone(), value.clone()),
            Self::Remove(key) => records.remove(key),
        };
        records
    }
}

/// The oracle of stores: every record as it is in one of the states. For use as [`Subject::judge`].
///
/// # Errors
/// What is wrong, in words that are the same for failures of the same kind.
pub fn judge_records(found: &RecordMap, allowed: &[RecordMap]) -> Result<(), String> {
    if allowed.contains(found) {
        return Ok(());
    }
    let known = |key: &StoredBytes| allowed.iter().any(|records| records.contains_key(key));
    let fits = |(key, value): (&StoredBytes, &StoredBytes)| {
        let mut values = allowed.iter().map(|records| records.get(key));
        values.any(|allowed| allowed == Some(value))
    };
    let what = if !found.keys().all(known) {
        "a key that was never put"
    } else if !found.iter().all(fits) {
        "a value that was never put"
    } else {
        "a record is lost, or one that was removed is back"
    };
    Err(what.to_owned())
}

/// A store as software under test.
pub struct StoreSubject<'a> {
    /// The store.
    pub engine: &'a dyn StoreEngine,
    /// How it is set up.
    pub options: StoreOptions,
    /// [`Subject::after`].
    pub after: Vec<RecordCall>,
    /// [`Subject::stopped`].
    pub stopped: &'a dyn Fn() -> bool,
    /// Called before each image is opened.
    pub opened: &'a dyn Fn(),
}

impl dyn StoreEngine {
    /// The subject of the crash harness, without a stop and without a listener.
    #[must_use]
    pub fn subject(&self, options: StoreOptions) -> StoreSubject<'_> {
        StoreSubject {
            engine: self,
            options,
            after: Vec::new(),
            stopped: &|| false,
            opened: &|| {},
        }
    }
}

impl Subject for StoreSubject<'_> {
    type Medium = ByteTearing;
    type Store = Box<dyn RecordStore>;
    type Call = RecordCall;
    type State = RecordMap;

    fn prepare(&self, memory: Recorded<ByteTearing>) -> Outcome<()> {
        let memory = Contract::Bytes(ByteBox::new(memory));
        self.engine.create(memory, &self.options)?;
        Ok(())
    }

    fn open(&self, memory: Recorded<ByteTearing>) -> Outcome<Self::Store> {
        (self.opened)();
        let memory = Contract::Bytes(ByteBox::new(memory));
        Ok(self.engine.open(memory, &self.options)?)
    }

    fn apply(&self, store: &mut Self::Store, call: &RecordCall) -> Outcome<()> {
        match call {
            RecordCall::Put(key, value) => store.put(&key.0, &value.0)?,
            RecordCall::Remove(key) => drop(store.remove(&key.0)?),
        }
        Ok(())
    }

    fn read(&self, store: &mut Self::Store) -> Outcome<RecordMap> {
        let mut records = RecordMap::new();
        store.each(&mut |key, value| {
            records.insert(StoredBytes(key.to_vec()), StoredBytes(value.to_vec()));
        })?;
        Ok(records)
    }

    fn next(&self, records: &RecordMap, call: &RecordCall) -> RecordMap {
        call.next(records)
    }

    fn after(&self) -> Vec<RecordCall> {
        self.after.clone()
    }

    fn stopped(&self) -> bool {
        (self.stopped)()
    }

    fn judge(&self, found: &RecordMap, allowed: &[RecordMap]) -> Result<(), String> {
        judge_records(found, allowed)
    }
}
