//! Damaged records: how a table lives with them, and how it is rid of them.

use wordline_memory::ByteMemory;

use super::Table;
use super::body::Body;
use crate::Error;
use crate::directory::{Directory, FREE, TAKEN};
use crate::slot::{Record, SlotContent};

/// Records whose keys go on in a damaged slot, by the slots of their heads. More of them are more than a table is opened
/// with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nameless {
    slots: [Option<u32>; 4],
    /// Where the last chains that are broken end: what is there is damage that is known.
    links: [Option<u32>; 4],
}

impl Nameless {
    /// Adds the slot that a broken chain leads to.
    pub(super) fn add_link(&mut self, slot: u32) {
        self.links.rotate_right(1);
        self.links[0] = Some(slot);
    }

    /// Whether a broken chain leads to a slot.
    pub(super) fn is_link(&self, slot: u32) -> bool {
        self.links.contains(&Some(slot))
    }
}

impl<M: ByteMemory, D: Directory<M>, S: AsMut<[u8]>> Table<M, D, S> {
    /// Drops the record that begins in a slot, as [`Error::Corrupt`] names it, whether it is damaged or not; returns
    /// whether one did. Its key can be put again then.
    ///
    /// Where even its head is damaged, the slots that it goes on in come back when the table is opened again.
    ///
    /// # Errors
    /// The memory's own.
    pub fn discard(&mut self, slot: u32) -> Result<bool, Error<M::Error>> {
        if slot >= self.geometry.slots() || self.marked(slot)? <= TAKEN {
            return Ok(false);
        }
        let content = self.load(slot)?;
        let hash = match &content {
            SlotContent::Live(record) => match self.hash_of(record) {
                // The buckets that it passed keep their counts until the table is opened again: searches go on a little
                // further than they must.
                Err(Error::Corrupt { .. }) => None,
                hash => Some(hash?),
            },
            _ => None,
        };
        self.write_dead(slot, true)?;
        if let Some(hash) = hash {
            self.pass(hash, slot, false)?;
        }
        self.mark(slot, FREE)?;
        self.free += 1;
        self.records -= 1;
        for nameless in &mut self.nameless.slots {
            nameless.take_if(|nameless| *nameless == slot);
        }
        if let SlotContent::Live(record) = content {
            self.release_chain(&record)?;
        }
        Ok(true)
    }

    /// Takes a record whose key is damaged, under no hash of its own: a walk comes to it, and so does a search that
    /// finds nothing else.
    pub(super) fn admit_nameless(&mut self, record: &Record) -> Result<(), Error<M::Error>> {
        let corrupt = Error::Corrupt { slot: record.slot };
        let vacant = self.nameless.slots.iter_mut().find(|slot| slot.is_none());
        *vacant.ok_or(corrupt)? = Some(record.slot);
        if self.marked(record.slot)? != FREE {
            return Err(Error::Corrupt { slot: record.slot });
        }
        self.mark(record.slot, self.directory.mark(0))?;
        self.free -= 1;
        self.records += 1;
        self.recovery.damaged += 1;
        self.take_continuations(record)?;
        Ok(())
    }

    /// Whether a key that was not found may be that of a record whose key is damaged: what lies in the head's slot is
    /// sound, and the same.
    pub(super) fn check_nameless(&mut self, key: &[u8]) -> Result<(), Error<M::Error>> {
        for place in 0..self.nameless.slots.len() {
            let Some(slot) = self.nameless.slots[place] else {
                continue;
            };
            let SlotContent::Live(record) = self.load(slot)? else {
                return Err(Error::Corrupt { slot });
            };
            if record.head.key != key.len() {
                continue;
            }
            let in_head = &key[..key.len().min(record.head.first())];
            if self.is_rest(&record, &mut Body::of(&record), in_head)? {
                return Err(Error::Corrupt { slot });
            }
        }
        Ok(())
    }
}
