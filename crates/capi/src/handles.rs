//! Handles: numbers that stand for what C has made, not addresses. One that is made up or freed finds nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Everything of a kind that C has handles of.
pub(crate) struct Handles<T>(RwLock<Known<T>>);

struct Known<T> {
    /// Handles are odd numbers that are never given twice: a freed one finds nothing, ever.
    next: usize,
    entries: BTreeMap<usize, Arc<T>>,
}

/// From one handle to the next: kinds that begin at different odd numbers below it share none.
const STEP: usize = 4;

impl<T> Handles<T> {
    /// None yet; the first will be `first`, an odd number.
    pub(crate) const fn starting_at(first: usize) -> Self {
        Self(RwLock::new(Known {
            next: first,
            entries: BTreeMap::new(),
        }))
    }

    /// Takes something in, and returns its handle.
    pub(crate) fn insert(&self, entry: T) -> usize {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let handle = known.next;
        known.next += STEP;
        known.entries.insert(handle, Arc::new(entry));
        handle
    }

    /// What a handle stands for.
    pub(crate) fn find(&self, handle: usize) -> Option<Arc<T>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.entries.get(&handle).cloned()
    }

    /// Forgets a handle, and returns what it stood for.
    pub(crate) fn remove(&self, handle: usize) -> Option<Arc<T>> {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.entries.remove(&handle)
    }
}
