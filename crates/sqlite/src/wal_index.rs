//! The index of a write-ahead log in RAM, and its locks.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use rusqlite::ffi;

/// Locks of an index.
const SLOTS: usize = ffi::SQLITE_SHM_NLOCK as usize;

/// The index of one log, which the connections of a VFS share. SQLite reads and writes it through pointers, in an order
/// of its own, so that its bytes are never borrowed here.
#[derive(Default)]
pub(crate) struct WalIndexRegions {
    regions: Vec<(NonNull<u8>, Layout)>,
    /// Connections that have it.
    users: u32,
    /// By lock: how many share it, or -1 where one has it alone.
    slots: [i32; SLOTS],
}

/// What one connection has of an index.
#[derive(Debug, Default)]
pub(crate) struct WalIndexUse {
    is_user: bool,
    shared: [bool; SLOTS],
    alone: [bool; SLOTS],
}

// SAFETY: The regions are plain memory of the heap, which no thread owns.
unsafe impl Send for WalIndexRegions {}

impl WalIndexRegions {
    /// The place of a region; `None` where there is none and none is to be made, or no memory.
    pub(crate) fn map(
        &mut self,
        mine: &mut WalIndexUse,
        number: usize,
        bytes: usize,
        extend: bool,
    ) -> Option<*mut c_void> {
        if !mine.is_user {
            mine.is_user = true;
            self.users += 1;
        }
        while self.regions.len() <= number {
            let layout = Layout::from_size_align(bytes, 16).ok()?;
            if !extend || bytes == 0 {
                return None;
            }
            // SAFETY: The layout has bytes.
            let place = NonNull::new(unsafe { alloc_zeroed(layout) })?;
            self.regions.push((place, layout));
        }
        Some(self.regions[number].0.as_ptr().cast())
    }

    /// Takes or gives back locks; false where another connection's is in the way.
    pub(crate) fn lock(
        &mut self,
        mine: &mut WalIndexUse,
        first: usize,
        count: usize,
        flags: c_int,
    ) -> bool {
        let Some(end) = first.checked_add(count).filter(|end| *end <= SLOTS) else {
            return false;
        };
        let slots = first..end;
        if flags & ffi::SQLITE_SHM_UNLOCK != 0 {
            slots.for_each(|slot| self.unlock(mine, slot));
            return true;
        }
        if flags & ffi::SQLITE_SHM_SHARED != 0 {
            let is_free = |slot| mine.shared[slot] || self.slots[slot] >= 0;
            if !slots.clone().all(is_free) {
                return false;
            }
            for slot in slots {
                self.slots[slot] += i32::from(!mine.shared[slot]);
                mine.shared[slot] = true;
            }
            return true;
        }
        let is_free = |slot| mine.alone[slot] || self.slots[slot] == 0;
        if !slots.clone().all(is_free) {
            return false;
        }
        for slot in slots {
            self.slots[slot] = -1;
            mine.alone[slot] = true;
        }
        true
    }

    fn unlock(&mut self, mine: &mut WalIndexUse, slot: usize) {
        if mine.alone[slot] {
            self.slots[slot] = 0;
        } else if mine.shared[slot] {
            self.slots[slot] -= 1;
        }
        (mine.alone[slot], mine.shared[slot]) = (false, false);
    }

    /// Ends a connection's use. The last one leaves nothing.
    pub(crate) fn unmap(&mut self, mine: &mut WalIndexUse) {
        if !mine.is_user {
            return;
        }
        (0..SLOTS).for_each(|slot| self.unlock(mine, slot));
        mine.is_user = false;
        self.users -= 1;
        if self.users == 0 {
            self.free();
        }
    }

    /// Bytes of RAM.
    pub(crate) fn bytes(&self) -> u64 {
        self.regions
            .iter()
            .map(|(_, layout)| layout.size() as u64)
            .sum()
    }

    fn free(&mut self) {
        for (place, layout) in self.regions.drain(..) {
            // SAFETY: `map` allocated it with this layout, and no connection uses it any more.
            unsafe { dealloc(place.as_ptr(), layout) };
        }
    }
}

impl Drop for WalIndexRegions {
    fn drop(&mut self) {
        self.free();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_shared_or_one_connections_alone() {
        let mut regions = WalIndexRegions::default();
        let (mut one, mut two) = (WalIndexUse::default(), WalIndexUse::default());
        let take = |shared: bool| {
            let mode = if shared {
                ffi::SQLITE_SHM_SHARED
            } else {
                ffi::SQLITE_SHM_EXCLUSIVE
            };
            ffi::SQLITE_SHM_LOCK | mode
        };
        assert_eq!(regions.map(&mut one, 0, 32768, false), None);
        let place = regions.map(&mut one, 1, 32768, true);
        assert!(place.is_some());
        assert_eq!(regions.map(&mut two, 1, 32768, false), place);
        assert_eq!(regions.bytes(), 65536);
        assert!(regions.lock(&mut one, 3, 1, take(true)));
        assert!(regions.lock(&mut two, 3, 1, take(true)));
        assert!(!regions.lock(&mut two, 0, 8, take(false)), "all or none");
        assert!(regions.lock(&mut two, 0, 3, take(false)));
        assert!(!regions.lock(&mut one, 2, 1, take(true)));
        regions.unmap(&mut two);
        assert!(regions.lock(&mut one, 0, 3, take(false)));
        assert_eq!(regions.bytes(), 65536);
        regions.unmap(&mut one);
        assert_eq!(regions.bytes(), 0);
    }
}
