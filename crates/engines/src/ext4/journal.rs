//! The journal: what a transaction changes, and its requests.

use std::collections::BTreeSet;

use super::volume::{BLOCK, Ext4Device, Ext4Layout};
use crate::FsError;

/// Blocks that a descriptor describes: 16 bytes each, behind a header of 12 and an identifier of 16, before a check of 4.
const DESCRIBED: u64 = (BLOCK as u64 - 12 - 16 - 4) / 16;

/// The journal is emptied when less than a quarter of it is free. jbd2 wants a quarter free, too
/// (`j_max_transaction_buffers`), but checkpoints its oldest transactions until there is as much. Here all of the journal is
/// emptied at once: one long stall where jbd2 has several short ones.
const FULL_QUARTERS: u64 = 3;

/// The journal and the transaction that is running.
pub(super) struct Ext4Journal {
    first: u64,
    blocks: u64,
    /// The next block within the journal; the first has the journal's own super block.
    next: u64,
    used: u64,
    /// Blocks of metadata that the running transaction changes, by their places.
    running: BTreeSet<u64>,
    /// Those that were committed and not yet written in place.
    committed: BTreeSet<u64>,
    /// Whether an order of writes takes a flush.
    has_barriers: bool,
    /// What a block of metadata holds: nothing reads it.
    filler: Vec<u8>,
}

impl Ext4Journal {
    pub(super) fn new(layout: &Ext4Layout, has_barriers: bool) -> Self {
        Self {
            first: layout.journal,
            blocks: layout.journal_blocks,
            next: 1,
            used: 0,
            running: BTreeSet::new(),
            committed: BTreeSet::new(),
            has_barriers,
            filler: Vec::new(),
        }
    }

    /// The running transaction changes a block.
    pub(super) fn change(&mut self, block: u64) {
        self.running.insert(block);
    }

    pub(super) fn has_changes(&self) -> bool {
        !self.running.is_empty()
    }

    /// Writes a descriptor and the copies of what the transaction changes.
    pub(super) fn write(&mut self, device: &mut Ext4Device) -> Result<(), FsError> {
        let copies = self.running.len() as u64;
        self.make_room(copies + copies.div_ceil(DESCRIBED) + 1, device)?;
        self.append(copies + copies.div_ceil(DESCRIBED), device)
    }

    /// Writes the block that ends a transaction: it is committed.
    pub(super) fn commit(&mut self, device: &mut Ext4Device) -> Result<(), FsError> {
        self.append(1, device)?;
        self.committed.append(&mut self.running);
        Ok(())
    }

    /// A flush, unless the mount has none.
    pub(super) fn barrier(&self, device: &mut Ext4Device) -> Result<(), FsError> {
        match self.has_barriers {
            true => device.flush(),
            false => Ok(()),
        }
    }

    /// Writes what was committed in place, and has an empty journal: the journal's super block says so once all is in place.
    pub(super) fn checkpoint(&mut self, device: &mut Ext4Device) -> Result<(), FsError> {
        let mut homes = std::mem::take(&mut self.committed).into_iter().peekable();
        let has_homes = homes.peek().is_some();
        while let Some(first) = homes.next() {
            let mut count = 1;
            while homes.next_if_eq(&(first + count)).is_some() {
                count += 1;
            }
            Self::put(&mut self.filler, first, count, device)?;
        }
        if has_homes {
            self.barrier(device)?;
        }
        Self::put(&mut self.filler, self.first, 1, device)?;
        self.used = 0;
        self.barrier(device)
    }

    fn make_room(&mut self, blocks: u64, device: &mut Ext4Device) -> Result<(), FsError> {
        match self.used + blocks > (self.blocks - 1) * FULL_QUARTERS / 4 && self.used > 0 {
            true => self.checkpoint(device),
            false => Ok(()),
        }
    }

    /// Writes blocks to the journal, around its end.
    fn append(&mut self, mut blocks: u64, device: &mut Ext4Device) -> Result<(), FsError> {
        self.used += blocks;
        while blocks > 0 {
            let count = blocks.min(self.blocks - self.next);
            Self::put(&mut self.filler, self.first + self.next, count, device)?;
            blocks -= count;
            self.next += count;
            if self.next == self.blocks {
                self.next = 1;
            }
        }
        Ok(())
    }

    fn put(
        filler: &mut Vec<u8>,
        block: u64,
        count: u64,
        device: &mut Ext4Device,
    ) -> Result<(), FsError> {
        let bytes = count as usize * BLOCK;
        if filler.len() < bytes {
            filler.resize(bytes, 0xC0);
        }
        device.write(block, &filler[..bytes])
    }
}
