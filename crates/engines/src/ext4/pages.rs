//! A file: its blocks, and its pages in RAM.

use std::collections::{BTreeMap, BTreeSet};

use super::pattern::FileChange;
use super::volume::{BLOCK, Ext4Device};
use crate::FsError;

/// A file.
#[derive(Default)]
pub(super) struct Ext4File {
    pub(super) bytes: u64,
    /// Where its pages lie; a page without a block is a hole, or was never written out.
    pub(super) blocks: BTreeMap<u64, u64>,
    pub(super) pages: BTreeMap<u64, Box<[u8; BLOCK]>>,
    /// Pages that the device does not have as they are.
    pub(super) dirty: BTreeSet<u64>,
    /// What a transaction changes of it.
    pub(super) changes: BTreeSet<FileChange>,
    /// Which transaction that is.
    pub(super) transaction: u64,
}

impl Ext4File {
    /// The running transaction changes it.
    pub(super) fn note(&mut self, change: FileChange, running: u64) {
        if self.transaction != running {
            self.changes.clear();
            self.transaction = running;
        }
        self.changes.insert(change);
    }

    /// What a sync finds: what the running transaction changes, and dirty pages.
    pub(super) fn pending(&self, running: u64) -> BTreeSet<FileChange> {
        let mut pending = match self.transaction == running {
            true => self.changes.clone(),
            false => BTreeSet::new(),
        };
        if self
            .dirty
            .iter()
            .any(|page| !self.blocks.contains_key(page))
        {
            pending.insert(FileChange::Allocate);
        } else if !self.dirty.is_empty() {
            pending.insert(FileChange::Overwrite);
        }
        if pending.is_empty() {
            pending.insert(FileChange::Nothing);
        }
        pending
    }

    /// The pages of a stretch of bytes.
    pub(super) fn touched(at: u64, bytes: u64) -> std::ops::Range<u64> {
        at / BLOCK as u64..(at + bytes).div_ceil(BLOCK as u64)
    }

    /// Has these pages in RAM: what lies on the device is read, neighbours together.
    pub(super) fn load(
        &mut self,
        pages: std::ops::Range<u64>,
        device: &mut Ext4Device,
    ) -> Result<(), FsError> {
        let mut missing: Vec<(u64, u64, u64)> = Vec::new();
        for (&page, &block) in self.blocks.range(pages) {
            if self.pages.contains_key(&page) {
                continue;
            }
            match missing.last_mut() {
                Some((first, start, count))
                    if page == *first + *count && block == *start + *count =>
                {
                    *count += 1;
                }
                _ => missing.push((page, block, 1)),
            }
        }
        for (first, start, count) in missing {
            let mut read = vec![0; count as usize * BLOCK];
            device.read(start, &mut read)?;
            for (page, bytes) in (first..).zip(read.chunks_exact(BLOCK)) {
                self.page(page).copy_from_slice(bytes);
            }
        }
        Ok(())
    }

    /// A page in RAM, of zeros where it was not there.
    fn page(&mut self, page: u64) -> &mut [u8; BLOCK] {
        let zeros = || Box::new([0; BLOCK]);
        self.pages.entry(page).or_insert_with(zeros)
    }

    /// Copies bytes out; they have to be in RAM or a hole.
    pub(super) fn copy_out(&self, at: u64, out: &mut [u8]) {
        let mut done = 0;
        while done < out.len() {
            let place = at + done as u64;
            let (page, from) = (place / BLOCK as u64, (place % BLOCK as u64) as usize);
            let count = (BLOCK - from).min(out.len() - done);
            let out = &mut out[done..done + count];
            match self.pages.get(&page) {
                Some(cached) => out.copy_from_slice(&cached[from..from + count]),
                None => out.fill(0),
            }
            done += count;
        }
    }

    /// Copies bytes in.
    pub(super) fn copy_in(&mut self, at: u64, data: &[u8]) {
        let mut done = 0;
        while done < data.len() {
            let place = at + done as u64;
            let (page, from) = (place / BLOCK as u64, (place % BLOCK as u64) as usize);
            let count = (BLOCK - from).min(data.len() - done);
            self.page(page)[from..from + count].copy_from_slice(&data[done..done + count]);
            self.dirty.insert(page);
            done += count;
        }
    }

    /// Dirty pages without a block.
    pub(super) fn unallocated(&self) -> impl Iterator<Item = u64> {
        let dirty = self.dirty.iter().copied();
        dirty.filter(|page| !self.blocks.contains_key(page))
    }

    /// Writes dirty pages, which all have blocks.
    pub(super) fn write_out(&mut self, device: &mut Ext4Device) -> Result<(), FsError> {
        let mut places = self
            .dirty
            .iter()
            .map(|page| (*page, self.blocks[page]))
            .peekable();
        let mut request = Vec::new();
        while let Some((first, start)) = places.next() {
            request.clear();
            request.extend_from_slice(&*self.pages[&first]);
            let mut count = 1;
            while let Some((page, _)) = places.next_if_eq(&(first + count, start + count)) {
                request.extend_from_slice(&*self.pages[&page]);
                count += 1;
            }
            device.write(start, &request)?;
        }
        self.dirty.clear();
        Ok(())
    }

    /// Forgets pages from one on, and gives back the blocks that they had.
    pub(super) fn cut(&mut self, page: u64) -> Vec<u64> {
        self.pages.split_off(&page);
        self.dirty.split_off(&page);
        self.blocks.split_off(&page).into_values().collect()
    }
}
