//! A table of numbers whose forks share what neither of them has changed: those of a large card take megabytes, and a
//! comparison forks it hundreds of times.

use std::sync::Arc;

use super::space::NONE;

/// Entries that are shared or copied together: 4 KiB, a few accesses' worth of a copy.
const CHUNK: usize = 1024;

/// Numbers by index, all of them [`NONE`] at first. What was never written is one chunk, whatever the length.
#[derive(Clone, Debug)]
pub(super) struct ForkedTable(Vec<Arc<[u32; CHUNK]>>);

impl ForkedTable {
    pub(super) fn new(entries: usize) -> Self {
        let unwritten = Arc::new([NONE; CHUNK]);
        Self(vec![unwritten; entries.div_ceil(CHUNK)])
    }

    pub(super) fn get(&self, index: u32) -> u32 {
        let index = index as usize;
        self.0[index / CHUNK][index % CHUNK]
    }

    /// Puts a number in the place of another, which it returns.
    pub(super) fn replace(&mut self, index: u32, number: u32) -> u32 {
        let index = index as usize;
        let chunk = Arc::make_mut(&mut self.0[index / CHUNK]);
        std::mem::replace(&mut chunk[index % CHUNK], number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ENTRIES: usize = 3 * CHUNK + 5;

    proptest! {
        /// The plain reference: a vector for each fork.
        #[test]
        fn it_agrees_with_plain_vectors(
            steps in prop::collection::vec((0usize..2, 0..ENTRIES as u32, any::<u32>(), any::<bool>()), 1..200),
        ) {
            let mut tables = vec![ForkedTable::new(ENTRIES); 2];
            let mut plain = vec![vec![NONE; ENTRIES]; 2];
            for (which, index, number, fork) in steps {
                if fork {
                    tables[1 - which] = tables[which].clone();
                    plain[1 - which] = plain[which].clone();
                }
                let old = tables[which].replace(index, number);
                prop_assert_eq!(old, plain[which][index as usize]);
                plain[which][index as usize] = number;
            }
            for (table, plain) in tables.iter().zip(&plain) {
                let all: Vec<u32> = (0..ENTRIES as u32).map(|index| table.get(index)).collect();
                prop_assert!(&all == plain);
            }
        }
    }

    #[test]
    fn forks_share_what_neither_has_changed() {
        let mut table = ForkedTable::new(ENTRIES);
        table.replace(0, 7);
        let mut fork = table.clone();
        fork.replace(CHUNK as u32, 8);
        let shared = |chunk: usize| Arc::ptr_eq(&table.0[chunk], &fork.0[chunk]);
        assert_eq!([0, 1, 2].map(shared), [true, false, true]);
    }
}
