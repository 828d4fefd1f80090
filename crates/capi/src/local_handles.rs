//! Handles of one thread alone: what they stand for lies in the thread's own table, so that finding it takes no lock.
//!
//! Like the [shared ones](crate::handles), they are numbers: a serial number that the whole process counts, so that none
//! means anything to another thread or to a later entry of its place.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::handles::Lost;

/// The lowest bits of these handles: not those of a shared one, nor of an address that is aligned.
const KIND: usize = 2;
const KIND_BITS: u32 = 2;
/// A quarter of a handle is its place in the table of its thread.
const PLACE_BITS: u32 = usize::BITS / 4;
const SERIAL_SHIFT: u32 = KIND_BITS + PLACE_BITS;
const SERIALS: usize = usize::MAX >> SERIAL_SHIFT;

/// Serial numbers that were given.
static GIVEN: AtomicUsize = AtomicUsize::new(0);

/// Everything that one thread has handles of.
pub(crate) struct LocalHandles<T> {
    places: RefCell<LocalPlaces<T>>,
}

struct LocalPlaces<T> {
    all: Vec<LocalPlace<T>>,
    /// Those without an entry.
    free: Vec<usize>,
}

struct LocalPlace<T> {
    handle: usize,
    entry: Option<T>,
    /// Something is being done with the entry; still so after a panic in it, which leaves it in pieces.
    in_use: bool,
}

/// Whether a handle is one of these.
#[inline(always)]
pub(crate) const fn is_local(handle: usize) -> bool {
    handle % (1 << KIND_BITS) == KIND
}

/// The place of a handle in its thread's table.
const fn place_of(handle: usize) -> usize {
    handle >> KIND_BITS & ((1 << PLACE_BITS) - 1)
}

impl<T> LocalHandles<T> {
    /// None yet.
    pub(crate) const fn new() -> Self {
        Self {
            places: RefCell::new(LocalPlaces {
                all: Vec::new(),
                free: Vec::new(),
            }),
        }
    }

    /// Takes something in, and returns its handle; gives it back where all handles are in use.
    pub(crate) fn insert(&self, entry: T) -> Result<usize, T> {
        let Ok(mut places) = self.places.try_borrow_mut() else {
            return Err(entry);
        };
        let place = places.free.last().copied().unwrap_or(places.all.len());
        if place >> PLACE_BITS != 0 {
            return Err(entry);
        }
        // Serial numbers end, on machines of 32 bits after four million handles, and are not used again.
        let count = |given: usize| (given < SERIALS).then_some(given + 1);
        let Ok(serial) = GIVEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count) else {
            return Err(entry);
        };
        let handle = (serial + 1) << SERIAL_SHIFT | place << KIND_BITS | KIND;
        let made = LocalPlace {
            handle,
            entry: Some(entry),
            in_use: false,
        };
        match places.free.pop() {
            Some(place) => places.all[place] = made,
            None => places.all.push(made),
        }
        Ok(handle)
    }

    /// Does something with what a handle stands for.
    ///
    /// Inlined for the reason that [`Handles::with`](crate::handles::Handles::with) is.
    #[inline(always)]
    pub(crate) fn with<R>(&self, handle: usize, act: impl FnOnce(&mut T) -> R) -> Result<R, Lost> {
        let mut places = self.places.try_borrow_mut().map_err(|_| Lost::Broken)?;
        let place = places.all.get_mut(place_of(handle)).ok_or(Lost::Unknown)?;
        match place {
            LocalPlace {
                handle: of,
                entry: Some(entry),
                in_use,
            } if *of == handle => {
                if std::mem::replace(in_use, true) {
                    return Err(Lost::Broken);
                }
                let done = act(entry);
                *in_use = false;
                Ok(done)
            }
            _ => Err(Lost::Unknown),
        }
    }

    /// Forgets a handle, and returns what it stood for.
    pub(crate) fn remove(&self, handle: usize) -> Result<T, Lost> {
        let mut places = self.places.try_borrow_mut().map_err(|_| Lost::Broken)?;
        let index = place_of(handle);
        let place = places.all.get_mut(index).ok_or(Lost::Unknown)?;
        if place.handle != handle {
            return Err(Lost::Unknown);
        }
        let entry = place.entry.take().ok_or(Lost::Unknown)?;
        let in_use = place.in_use;
        places.free.push(index);
        match in_use {
            // What is in pieces may fail again where it is dropped, by when the table is free.
            true => {
                drop(places);
                drop(entry);
                Err(Lost::Broken)
            }
            false => Ok(entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_handle_finds_nothing_though_its_place_is_used_again() {
        let handles = LocalHandles::new();
        let known: Vec<_> = (0..50)
            .map(|entry| handles.insert(entry).expect("room"))
            .collect();
        assert!(known.iter().all(|handle| is_local(*handle)));
        assert_eq!(handles.with(known[7], |found| *found).expect("known"), 7);
        assert_eq!(handles.remove(known[7]).expect("known"), 7);
        let next = handles.insert(1000).expect("room");
        assert_eq!(place_of(next), place_of(known[7]));
        assert!(matches!(handles.with(known[7], |_| ()), Err(Lost::Unknown)));
        assert!(matches!(handles.remove(known[7]), Err(Lost::Unknown)));
        assert_eq!(handles.with(next, |found| *found).expect("known"), 1000);
    }

    #[test]
    fn a_handle_of_another_thread_finds_nothing() {
        let handles = LocalHandles::new();
        let here = handles.insert(1).expect("room");
        std::thread::spawn(move || {
            let others = LocalHandles::new();
            let there = others.insert(2).expect("room");
            assert_eq!(place_of(here), place_of(there));
            assert!(matches!(others.with(here, |_| ()), Err(Lost::Unknown)));
        })
        .join()
        .expect("it ends");
    }

    #[test]
    fn what_a_panic_left_behind_is_not_seen_again() {
        let handles = LocalHandles::new();
        let handle = handles.insert(7).expect("room");
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _ = handles.with(handle, |_| panic!("on purpose"));
        }));
        assert!(broken.is_err());
        assert!(matches!(handles.with(handle, |_| ()), Err(Lost::Broken)));
        assert!(matches!(handles.remove(handle), Err(Lost::Broken)));
        let next = handles.insert(8).expect("room");
        assert_eq!(handles.with(next, |found| *found).expect("known"), 8);
    }
}
