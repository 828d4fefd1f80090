//! The software under test, and what it promises.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Debug;

use super::medium::Medium;
use super::recorded::Recorded;

/// The result of a step of the software under test; its error appears in the report.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Storage software under test: how it is used, and what it ought to hold.
///
/// It must be deterministic: the same memory and calls give the same operations.
pub trait Subject {
    /// What a power cut does to the memory below: [`ByteTearing`](crate::ByteTearing) or
    /// [`FlashTearing`](crate::FlashTearing).
    type Medium: Medium;
    /// The software, opened.
    type Store;
    /// One call of the workload.
    type Call: Clone + Debug;
    /// All that the software holds, as its user sees it.
    type State: Clone + Debug + PartialEq;

    /// Makes the memory ready before the workload, such as by formatting it; no power cut falls here. Software that
    /// formats in [`open`](Self::open) is cut there.
    ///
    /// # Errors
    /// Why it cannot.
    fn prepare(&self, _: Recorded<Self::Medium>) -> Outcome<()> {
        Ok(())
    }

    /// Opens what the memory holds, recovery included.
    ///
    /// # Errors
    /// Why it cannot. After a power cut there is no excuse.
    fn open(&self, memory: Recorded<Self::Medium>) -> Outcome<Self::Store>;

    /// Runs one call.
    ///
    /// # Errors
    /// Why it cannot, which is a failure of the software: a workload has only calls that succeed.
    fn apply(&self, store: &mut Self::Store, call: &Self::Call) -> Outcome<()>;

    /// Reads everything.
    ///
    /// # Errors
    /// Why it cannot.
    fn read(&self, store: &mut Self::Store) -> Outcome<Self::State>;

    /// The specification: what the store ought to hold after a call.
    fn next(&self, state: &Self::State, call: &Self::Call) -> Self::State;

    /// Whether everything up to a call survives a power cut once the call has returned. Until such a call has, each
    /// state since the last one may be found.
    fn lasts(&self, _: &Self::Call) -> bool {
        true
    }

    /// Calls that are made on every store that was opened again: that it can still be used.
    fn after(&self) -> Vec<Self::Call> {
        Vec::new()
    }

    /// Whether the caller has cancelled the check. Polled before each image.
    fn stopped(&self) -> bool {
        false
    }

    /// Simpler calls that may take the place of one, simplest first, to make a workload that fails easier to read; none
    /// for a call that is as simple as they come.
    fn simpler(&self, _: &Self::Call) -> Vec<Self::Call> {
        Vec::new()
    }

    /// Whether what is found after a power cut may be found: any of the states `allowed`, the oldest first.
    ///
    /// # Errors
    /// What is wrong with it, in words that are the same for failures of the same kind.
    fn judge(&self, found: &Self::State, allowed: &[Self::State]) -> Result<(), String> {
        if allowed.contains(found) {
            Ok(())
        } else {
            Err("the store holds neither the old nor the new state".to_owned())
        }
    }
}

/// The oracle of stores whose items are on their own, such as the sectors of a disk: each item as it is in any of the
/// states, whatever state the others are in. For use as [`Subject::judge`].
///
/// # Errors
/// What is wrong, without naming the item.
pub fn each_item<K: Ord, V: PartialEq>(
    found: &BTreeMap<K, V>,
    allowed: &[BTreeMap<K, V>],
) -> Result<(), String> {
    for (item, value) in found {
        if allowed.iter().all(|state| state.get(item) != Some(value)) {
            return Err(if allowed.iter().any(|state| state.contains_key(item)) {
                "an item holds neither its old nor its new value".to_owned()
            } else {
                "there is an item that nobody stored, or that was removed for good".to_owned()
            });
        }
    }
    let mut always = allowed.first().into_iter().flat_map(BTreeMap::keys);
    let lost = always.any(|item| {
        !found.contains_key(item) && allowed.iter().all(|state| state.contains_key(item))
    });
    if lost {
        return Err("an item is lost that was stored for good".to_owned());
    }
    Ok(())
}
