//! Handles: numbers that stand for what C has made, not addresses. One that is made up or freed finds nothing.
//!
//! A handle names a slot, and the turn at which the slot was filled. Slots are used again and turns are not, so that a
//! freed handle finds nothing, ever. Slots stay where they are, and finding one takes no lock but its own.

use std::sync::{Mutex, OnceLock, PoisonError};

/// Everything of a kind that C has handles of.
pub(crate) struct Handles<T> {
    /// The lowest bits of its handles.
    kind: usize,
    /// Slots, made when they are needed: 64, and then each time twice as many as before.
    blocks: [OnceLock<Box<[Slot<T>]>>; BLOCKS],
    vacant: Mutex<Vacant>,
}

type Slot<T> = Mutex<Held<T>>;

/// What a slot holds.
struct Held<T> {
    /// The handle of its entry, or of the next that it will have.
    handle: usize,
    entry: Option<T>,
}

/// Slots without an entry.
struct Vacant {
    /// Those that had one.
    used: Vec<usize>,
    /// The first that never had one.
    fresh: usize,
}

/// Why a handle finds nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Lost {
    /// It is NULL, freed, or was never made.
    #[error("no such memory: the handle is NULL, freed, or was never made")]
    Unknown,
    /// A panic within an earlier call has left the entry in pieces.
    #[error(
        "a fault of the library, in this call or in one before: the memory cannot be used any more"
    )]
    Broken,
}

const KIND_BITS: u32 = 2;
/// Half of a handle is its slot, the rest but for the kind its turn.
const SLOT_BITS: u32 = usize::BITS / 2 - KIND_BITS;
const SLOTS: usize = 1 << SLOT_BITS;
/// From one turn of a slot to the next.
const TURN: usize = 1 << (KIND_BITS + SLOT_BITS);

const FIRST_BLOCK: usize = 64;
const BLOCKS: usize = (SLOT_BITS - FIRST_BLOCK.ilog2()) as usize;

/// The block of a slot, and the place in it.
const fn place(slot: usize) -> (usize, usize) {
    let block = (slot / FIRST_BLOCK + 1).ilog2();
    (block as usize, slot - FIRST_BLOCK * ((1 << block) - 1))
}

impl<T> Handles<T> {
    /// None yet. Kinds share no handles; theirs are odd, so that none is an address.
    pub(crate) const fn of_kind(kind: usize) -> Self {
        assert!(kind % 2 == 1 && kind < 1 << KIND_BITS);
        Self {
            kind,
            blocks: [const { OnceLock::new() }; BLOCKS],
            vacant: Mutex::new(Vacant {
                used: Vec::new(),
                fresh: 0,
            }),
        }
    }

    /// Takes something in, and returns its handle; gives it back where all handles are in use.
    pub(crate) fn insert(&self, entry: T) -> Result<usize, T> {
        let Some(slot) = self.take_vacant() else {
            return Err(entry);
        };
        let (block, place) = place(slot);
        let slots = self.blocks[block].get_or_init(|| {
            let first = slot - place;
            (first..first + (FIRST_BLOCK << block))
                .map(|slot| {
                    Mutex::new(Held {
                        handle: TURN | (slot << KIND_BITS) | self.kind,
                        entry: None,
                    })
                })
                .collect()
        });
        let mut held = slots[place].lock().unwrap_or_else(PoisonError::into_inner);
        // What broke there before is gone.
        slots[place].clear_poison();
        held.entry = Some(entry);
        Ok(held.handle)
    }

    fn take_vacant(&self) -> Option<usize> {
        let mut vacant = self.vacant.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = vacant.used.pop() {
            return Some(slot);
        }
        let slot = vacant.fresh;
        // The last block would end behind them.
        if slot >= SLOTS - FIRST_BLOCK {
            return None;
        }
        vacant.fresh += 1;
        Some(slot)
    }

    /// Does something with what a handle stands for.
    ///
    /// Inlined, as are its callers up to the functions of the header: what they pass on is read again before it has left
    /// the processor's store buffer otherwise, which takes longer than the rest of a call.
    #[inline(always)]
    pub(crate) fn with<R>(&self, handle: usize, act: impl FnOnce(&mut T) -> R) -> Result<R, Lost> {
        let slot = self.slot(handle).ok_or(Lost::Unknown)?;
        let mut held = slot
            .lock()
            .map_err(|poison| lost(&poison.into_inner(), handle))?;
        match &mut *held {
            Held {
                handle: of,
                entry: Some(entry),
            } if *of == handle => Ok(act(entry)),
            _ => Err(Lost::Unknown),
        }
    }

    /// Forgets a handle, and returns what it stood for.
    pub(crate) fn remove(&self, handle: usize) -> Result<T, Lost> {
        let slot = self.slot(handle).ok_or(Lost::Unknown)?;
        let (mut held, is_broken) = match slot.lock() {
            Ok(held) => (held, false),
            Err(poison) => (poison.into_inner(), true),
        };
        let entry = match &mut *held {
            Held { handle: of, entry } if *of == handle => entry.take(),
            _ => None,
        };
        let entry = entry.ok_or(Lost::Unknown)?;
        // A slot whose turns are used up is left empty.
        if let Some(next) = handle.checked_add(TURN) {
            held.handle = next;
            let mut vacant = self.vacant.lock().unwrap_or_else(PoisonError::into_inner);
            vacant.used.push((handle % TURN) >> KIND_BITS);
        }
        slot.clear_poison();
        // What is in pieces may fail again where it is dropped, which is not to break the slot.
        drop(held);
        if is_broken {
            return Err(Lost::Broken);
        }
        Ok(entry)
    }

    #[inline]
    fn slot(&self, handle: usize) -> Option<&Slot<T>> {
        let (block, place) = place((handle % TURN) >> KIND_BITS);
        self.blocks.get(block)?.get()?.get(place)
    }
}

/// What a slot that broke is to a handle.
#[cold]
fn lost<T>(held: &Held<T>, handle: usize) -> Lost {
    if held.handle == handle && held.entry.is_some() {
        Lost::Broken
    } else {
        Lost::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_lie_one_behind_the_other_in_blocks_that_double() {
        assert_eq!([place(0), place(63), place(64)], [(0, 0), (0, 63), (1, 0)]);
        assert_eq!([place(191), place(192)], [(1, 127), (2, 0)]);
        let last = SLOTS - FIRST_BLOCK - 1;
        assert_eq!(place(last), (BLOCKS - 1, (FIRST_BLOCK << (BLOCKS - 1)) - 1));
    }

    #[test]
    fn a_freed_handle_finds_nothing_though_its_slot_is_used_again() {
        let handles = Handles::of_kind(3);
        let known: Vec<_> = (0..200)
            .map(|entry| handles.insert(entry).expect("room"))
            .collect();
        assert!(known.iter().all(|handle| handle % 4 == 3));
        for (entry, handle) in known.iter().enumerate() {
            assert_eq!(handles.with(*handle, |found| *found).expect("known"), entry);
        }
        assert_eq!(handles.remove(known[70]).expect("known"), 70);
        let next = handles.insert(1000).expect("room");
        assert_eq!(next % TURN, known[70] % TURN);
        assert_eq!(handles.with(next, |found| *found).expect("known"), 1000);
        assert!(matches!(
            handles.with(known[70], |_| ()),
            Err(Lost::Unknown)
        ));
        assert!(matches!(handles.remove(known[70]), Err(Lost::Unknown)));
    }

    #[test]
    fn a_handle_that_was_made_up_finds_nothing() {
        let handles = Handles::of_kind(1);
        let known = handles.insert(7).expect("room");
        for shift in 0..usize::BITS {
            let other = known ^ (1 << shift);
            assert!(
                matches!(handles.with(other, |_| ()), Err(Lost::Unknown)),
                "{other:x}"
            );
        }
    }

    /// Only the broken handle reports the failure, and its slot serves the next.
    #[test]
    fn a_slot_that_broke_is_told_apart_and_used_again() {
        #[derive(Debug)]
        struct Fragile;
        impl Drop for Fragile {
            fn drop(&mut self) {
                assert!(
                    !std::mem::take(&mut *BREAKS.lock().expect("whole")),
                    "in pieces"
                );
            }
        }
        static BREAKS: Mutex<bool> = Mutex::new(false);
        let handles = Handles::of_kind(1);
        let caught = |act: &mut dyn FnMut()| {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(act)).is_err()
        };
        let freed = handles.insert(Fragile).expect("room");
        drop(handles.remove(freed).expect("known"));
        let broken = handles.insert(Fragile).expect("room");
        assert!(caught(&mut || drop(
            handles.with(broken, |_| panic!("a defect"))
        )));
        assert!(matches!(handles.with(broken, |_| ()), Err(Lost::Broken)));
        assert!(matches!(handles.with(freed, |_| ()), Err(Lost::Unknown)));
        *BREAKS.lock().expect("whole") = true;
        assert!(caught(&mut || drop(handles.remove(broken))));
        let next = handles.insert(Fragile).expect("room");
        assert_eq!(next % TURN, broken % TURN);
        assert!(handles.with(next, |_| ()).is_ok());
        assert!(matches!(handles.with(broken, |_| ()), Err(Lost::Unknown)));
    }

    #[test]
    fn a_slot_whose_turns_are_used_up_is_left_empty() {
        let handles = Handles::of_kind(1);
        let first = handles.insert(7).expect("room");
        let last = (usize::MAX - usize::MAX % TURN) | (first % TURN);
        handles.blocks[0].get().expect("made")[0]
            .lock()
            .expect("whole")
            .handle = last;
        assert_eq!(handles.remove(last).expect("known"), 7);
        assert!(matches!(handles.remove(last), Err(Lost::Unknown)));
        assert_ne!(handles.insert(8).expect("room") % TURN, first % TURN);
    }

    #[test]
    fn what_a_panic_left_behind_is_not_seen_again() {
        let handles = Handles::of_kind(1);
        let handle = handles.insert(7).expect("room");
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _ = handles.with(handle, |_| panic!("on purpose"));
        }));
        assert!(broken.is_err());
        assert!(matches!(handles.with(handle, |_| ()), Err(Lost::Broken)));
        assert!(matches!(handles.remove(handle), Err(Lost::Broken)));
        assert!(matches!(handles.with(handle, |_| ()), Err(Lost::Unknown)));
        let next = handles.insert(8).expect("room");
        assert_eq!(handles.with(next, |found| *found).expect("known"), 8);
    }
}
