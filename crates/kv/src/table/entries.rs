//! Every record, one after the other.

use wordline_memory::ByteMemory;

use super::Table;
use super::body::Body;
use crate::Error;
use crate::directory::{Directory, TAKEN};
use crate::slot::SlotContent;

/// How far a walk over all records has come. A new one stands before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    slot: u32,
}

impl Cursor {
    /// At a slot, for one whose walk goes on elsewhere.
    #[must_use]
    pub const fn at(slot: u32) -> Self {
        Self { slot }
    }

    /// The slot that it looks at next.
    #[must_use]
    pub const fn slot(&self) -> u32 {
        self.slot
    }
}

/// A record that a walk came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Bytes of the key, at the start of its buffer.
    pub key: usize,
    /// Bytes of the value, at the start of its buffer.
    pub value: usize,
}

impl<M: ByteMemory, D: Directory<M>, S: AsMut<[u8]>> Table<M, D, S> {
    /// Copies the next record to the start of `key` and `value`; `None` where all have been seen.
    ///
    /// The order is that of the slots. Records that are put while a walk goes on may be seen or not; others are seen
    /// once. After an error the walk goes on behind the record that caused it, except after [`Error::Buffer`].
    ///
    /// # Errors
    /// [`Error::Buffer`] where the key or the value does not fit, [`Error::Corrupt`] where the record is damaged, or the
    /// memory's own.
    pub fn next(
        &mut self,
        cursor: &mut Cursor,
        key: &mut [u8],
        value: &mut [u8],
    ) -> Result<Option<Entry>, Error<M::Error>> {
        while cursor.slot < self.geometry.slots() {
            let slot = cursor.slot;
            cursor.slot += 1;
            if self.marked(slot)? <= TAKEN {
                continue;
            }
            let SlotContent::Live(record) = self.load(slot)? else {
                return Err(Error::Corrupt { slot });
            };
            let entry = Entry {
                key: record.head.key,
                value: record.head.value,
            };
            for (needed, bytes) in [(entry.key, key.len()), (entry.value, value.len())] {
                if needed > bytes {
                    cursor.slot = slot;
                    return Err(Error::Buffer { needed, bytes });
                }
            }
            let mut body = Body::of(&record);
            self.read_body(&record, &mut body, &mut key[..entry.key])?;
            if !self.is_proven(&record, &key[..entry.key], body, Some(value))? {
                return Err(Error::Corrupt { slot });
            }
            return Ok(Some(entry));
        }
        Ok(None)
    }
}
