//! Which blocks and inodes are free.

use std::collections::{BTreeMap, BTreeSet};

use super::volume::Ext4Layout;

/// Free blocks in extents, and taken inodes.
pub(super) struct Ext4Space {
    /// Count by first block.
    free: BTreeMap<u64, u64>,
    pub(super) free_blocks: u64,
    pub(super) total_blocks: u64,
    /// Taken inodes, and free ones below the first that was never taken.
    inodes: BTreeSet<u64>,
    given_back: BTreeSet<u64>,
    next_inode: u64,
    most_inodes: u64,
}

/// The root's inode, and the first that a file gets: those between are ext4's own, and `lost+found`.
pub(super) const ROOT_INODE: u64 = 2;
const FIRST_INODE: u64 = 12;

impl Ext4Space {
    /// All data blocks are free.
    pub(super) fn new(layout: &Ext4Layout) -> Self {
        let stretches = layout.data().into_iter().filter(|(_, count)| *count > 0);
        let free: BTreeMap<_, _> = stretches.collect();
        let total_blocks = free.values().sum();
        Self {
            free,
            free_blocks: total_blocks,
            total_blocks,
            inodes: BTreeSet::new(),
            given_back: BTreeSet::new(),
            next_inode: FIRST_INODE,
            most_inodes: layout.inodes(),
        }
    }

    /// Takes up to `most` blocks in a row, from `goal` on where that is free, else from the longest free extent.
    pub(super) fn take(&mut self, goal: u64, most: u64) -> Option<(u64, u64)> {
        let before = self.free.range(..=goal).next_back();
        let at_goal = before.filter(|(first, count)| goal < **first + **count);
        let first = match at_goal {
            Some(_) => goal,
            None => {
                *self
                    .free
                    .iter()
                    .max_by_key(|(first, count)| (**count, u64::MAX - **first))?
                    .0
            }
        };
        let end = self
            .free
            .range(..=first)
            .next_back()
            .map(|(start, count)| start + count)?;
        let count = most.min(end - first);
        self.claim(first, count).then_some((first, count))
    }

    /// Takes these blocks; false where one of them is not free.
    pub(super) fn claim(&mut self, first: u64, count: u64) -> bool {
        let Some((&start, &length)) = self.free.range(..=first).next_back() else {
            return false;
        };
        let (end, whole) = (first.saturating_add(count), start + length);
        if count == 0 || end > whole {
            return false;
        }
        self.free.remove(&start);
        if start < first {
            self.free.insert(start, first - start);
        }
        if end < whole {
            self.free.insert(end, whole - end);
        }
        self.free_blocks -= count;
        true
    }

    /// Gives blocks back.
    pub(super) fn release(&mut self, first: u64, count: u64) {
        self.free_blocks += count;
        let (mut start, mut length) = (first, count);
        if let Some((&before, &blocks)) = self.free.range(..first).next_back()
            && before + blocks == first
        {
            self.free.remove(&before);
            (start, length) = (before, blocks + count);
        }
        if let Some(behind) = self.free.remove(&(first + count)) {
            length += behind;
        }
        self.free.insert(start, length);
    }

    /// The lowest free inode.
    pub(super) fn take_inode(&mut self) -> Option<u64> {
        let inode = self.given_back.pop_first().unwrap_or(self.next_inode);
        self.claim_inode(inode).then_some(inode)
    }

    /// Takes this inode; false where it is none, or taken.
    pub(super) fn claim_inode(&mut self, inode: u64) -> bool {
        if !(FIRST_INODE..=self.most_inodes).contains(&inode) || !self.inodes.insert(inode) {
            return false;
        }
        self.given_back.remove(&inode);
        if inode >= self.next_inode {
            self.given_back.extend(self.next_inode..inode);
            self.next_inode = inode + 1;
        }
        true
    }

    pub(super) fn release_inode(&mut self, inode: u64) {
        if self.inodes.remove(&inode) {
            self.given_back.insert(inode);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_inode_is_next() {
        let layout = Ext4Layout::of(1024).expect("4 MiB");
        let mut space = Ext4Space::new(&layout);
        assert!(space.claim_inode(15) && !space.claim_inode(15) && !space.claim_inode(11));
        assert_eq!(
            [(); 4].map(|()| space.take_inode()),
            [12, 13, 14, 16].map(Some)
        );
        space.release_inode(13);
        assert_eq!([(); 2].map(|()| space.take_inode()), [13, 17].map(Some));
        while space.take_inode().is_some() {}
        assert_eq!(space.inodes.last().copied(), Some(layout.inodes()));
    }

    #[test]
    fn blocks_that_come_back_are_one_extent_again() {
        let layout = Ext4Layout::of(1024).expect("4 MiB");
        let mut space = Ext4Space::new(&layout);
        let before = space.free.clone();
        let (first, count) = space.take(0, 5).expect("room");
        assert_eq!(space.take(first + 5, 3), Some((first + 5, 3)));
        assert_eq!(space.total_blocks - space.free_blocks, 8);
        assert!(!space.claim(first + 4, 2));
        space.release(first, count);
        space.release(first + 5, 3);
        assert_eq!(space.free, before);
        let all = space.total_blocks;
        let mut taken = 0;
        while let Some((_, count)) = space.take(0, u64::MAX) {
            taken += count;
        }
        assert_eq!((taken, space.free_blocks), (all, 0));
    }
}
