//! Closed blocks by their live pages, so that the emptiest is found at once.

use super::space::NONE;

/// Lists of blocks, one for each number of live pages, longest in the list first. A block is in one of them
/// or in none.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    /// Rings: entries of the blocks, then a head for each number of live pages.
    next: Vec<u32>,
    previous: Vec<u32>,
    blocks: u32,
    /// No list below this one has a block.
    lowest: u32,
}

impl Buckets {
    pub(super) fn new(blocks: u32, most_live: u32) -> Self {
        let heads = blocks..=blocks + most_live;
        let ring: Vec<u32> = (0..blocks).map(|_| NONE).chain(heads).collect();
        Self {
            next: ring.clone(),
            previous: ring,
            blocks,
            lowest: most_live,
        }
    }

    pub(super) fn contains(&self, block: u32) -> bool {
        self.next[block as usize] != NONE
    }

    pub(super) fn add(&mut self, block: u32, live: u32) {
        let head = self.blocks + live;
        let last = std::mem::replace(&mut self.previous[head as usize], block);
        self.next[last as usize] = block;
        self.previous[block as usize] = last;
        self.next[block as usize] = head;
        self.lowest = self.lowest.min(live);
    }

    /// Takes a block out of its list, where it is in one. Whether it was.
    pub(super) fn remove(&mut self, block: u32) -> bool {
        let next = std::mem::replace(&mut self.next[block as usize], NONE);
        if next == NONE {
            return false;
        }
        let previous = self.previous[block as usize];
        self.next[previous as usize] = next;
        self.previous[next as usize] = previous;
        true
    }

    /// The block with the fewest live pages, and how many they are.
    pub(super) fn emptiest(&mut self) -> Option<(u32, u32)> {
        let heads = self.next.len() as u32 - self.blocks;
        while self.lowest < heads {
            let first = self.next[(self.blocks + self.lowest) as usize];
            if first < self.blocks {
                return Some((first, self.lowest));
            }
            self.lowest += 1;
        }
        self.lowest = heads - 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emptiest_block_comes_first_and_of_two_the_one_that_waits_longer() {
        let mut buckets = Buckets::new(4, 8);
        assert_eq!(buckets.emptiest(), None);
        buckets.add(2, 8);
        buckets.add(0, 3);
        buckets.add(3, 3);
        assert_eq!(buckets.emptiest(), Some((0, 3)));
        assert!(buckets.remove(0) && !buckets.remove(0));
        assert_eq!(buckets.emptiest(), Some((3, 3)));
        assert!(buckets.remove(3) && buckets.contains(2));
        assert_eq!(buckets.emptiest(), Some((2, 8)));
        buckets.add(1, 0);
        assert_eq!(buckets.emptiest(), Some((1, 0)));
    }
}
