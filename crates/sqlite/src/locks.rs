//! The locks of a database file among the connections of a VFS, as SQLite defines them.

use std::ffi::c_int;

use rusqlite::ffi;

/// What a connection may do with a database file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LockLevel {
    /// Nothing.
    #[default]
    None,
    /// Read; so may others.
    Shared,
    /// Read, and write soon; others read.
    Reserved,
    /// Wait for the last readers; no new ones are let in.
    Pending,
    /// Write; nothing else has a lock.
    Exclusive,
}

impl LockLevel {
    pub(crate) fn of(level: c_int) -> Self {
        match level {
            ffi::SQLITE_LOCK_NONE => Self::None,
            ffi::SQLITE_LOCK_SHARED => Self::Shared,
            ffi::SQLITE_LOCK_RESERVED => Self::Reserved,
            ffi::SQLITE_LOCK_PENDING => Self::Pending,
            _ => Self::Exclusive,
        }
    }
}

/// The locks of one file.
#[derive(Debug, Default)]
pub(crate) struct FileLocks {
    /// Connections with any lock.
    shared: u32,
    /// What the one connection has that is to write; at least [`LockLevel::Reserved`], or none.
    writer: LockLevel,
}

impl FileLocks {
    /// Raises a connection's lock; false where another's is in the way.
    pub(crate) fn lock(&mut self, mine: &mut LockLevel, wanted: LockLevel) -> bool {
        if *mine >= wanted {
            return true;
        }
        let is_mine = *mine >= LockLevel::Reserved;
        let other = if is_mine {
            LockLevel::None
        } else {
            self.writer
        };
        if other >= LockLevel::Pending || (other > LockLevel::None && wanted > LockLevel::Shared) {
            return false;
        }
        if *mine == LockLevel::None {
            self.shared += 1;
            *mine = LockLevel::Shared;
        }
        if wanted > LockLevel::Shared {
            let others_read = self.shared > 1;
            let is_blocked = wanted == LockLevel::Exclusive && others_read;
            *mine = if is_blocked {
                LockLevel::Pending
            } else {
                wanted
            };
            self.writer = *mine;
            return !is_blocked;
        }
        true
    }

    /// Lowers a connection's lock.
    pub(crate) fn unlock(&mut self, mine: &mut LockLevel, to: LockLevel) {
        if *mine <= to {
            return;
        }
        if *mine >= LockLevel::Reserved {
            self.writer = LockLevel::None;
        }
        if to == LockLevel::None {
            self.shared -= 1;
        }
        *mine = to;
    }

    /// Whether some connection is to write.
    pub(crate) fn is_reserved(&self) -> bool {
        self.writer >= LockLevel::Reserved
    }
}

#[cfg(test)]
mod tests {
    use super::LockLevel::{Exclusive, None, Pending, Reserved, Shared};
    use super::*;

    #[test]
    fn one_writes_when_the_last_reader_has_gone() {
        let (mut locks, mut reader, mut writer, mut late) =
            (FileLocks::default(), None, None, None);
        assert!(locks.lock(&mut reader, Shared));
        assert!(locks.lock(&mut writer, Shared));
        assert!(locks.lock(&mut writer, Reserved));
        assert!(!locks.lock(&mut reader, Reserved), "one writer");
        assert!(locks.lock(&mut late, Shared), "readers may come still");
        locks.unlock(&mut late, None);
        assert!(!locks.lock(&mut writer, Exclusive));
        assert_eq!(writer, Pending);
        assert!(!locks.lock(&mut late, Shared), "and now no more");
        assert!(locks.is_reserved());
        locks.unlock(&mut reader, None);
        assert!(locks.lock(&mut writer, Exclusive));
        assert!(!locks.lock(&mut late, Shared));
        locks.unlock(&mut writer, Shared);
        assert!(locks.lock(&mut late, Shared));
        assert!(!locks.is_reserved());
        locks.unlock(&mut writer, None);
        assert!(locks.lock(&mut late, Exclusive), "straight from a read");
    }
}
