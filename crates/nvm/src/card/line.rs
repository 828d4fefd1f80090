//! The data line of a card while blocks are written: each may be followed by a busy time of its own.
//!
//! The specification sets a limit for each busy time and none for their sum (SanDisk SD Card Product Manual
//! rev. 2.2, 4.7.2 and 4.12: a card without a free buffer is busy until one is free). A card that is late
//! therefore holds up one block after the other, each for as long as it may, and has its host wait no longer in
//! one piece than a time-out of the specification allows.

/// A transfer of blocks to a card. All times are in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataLine {
    /// When the last block had arrived, and its busy time was over as far as it is known.
    now: u64,
    block: u64,
    /// The longest that the card may be busy after a block.
    limit: u64,
    /// Blocks that have arrived.
    sent: u64,
    /// Busy times together.
    busy: u64,
    longest: u64,
}

impl DataLine {
    /// A transfer whose first block begins at `start`.
    pub(super) const fn new(start: u64, block: u64, limit: u64) -> Self {
        Self {
            now: start,
            block,
            limit,
            sent: 0,
            busy: 0,
            longest: 0,
        }
    }

    /// Moves blocks for which there is room from an instant on. Until then the block before each is held up, and
    /// at the limit the next is taken all the same: the controller is behind then. Returns when the last has
    /// arrived.
    pub(super) fn send(&mut self, blocks: u64, room: u64) -> u64 {
        for left in (1..=blocks).rev() {
            if self.now >= room {
                self.sent += left;
                self.now += self.block * left;
                break;
            }
            // Before the first block of all there is none that could be held up.
            if self.sent > 0 {
                self.hold(room);
            }
            self.sent += 1;
            self.now += self.block;
        }
        self.now
    }

    /// Ends the transfer with a busy time until the controller is done, or up to the limit.
    pub(super) fn end(&mut self, done: u64) {
        self.hold(done);
    }

    fn hold(&mut self, until: u64) {
        let busy = until.saturating_sub(self.now).min(self.limit);
        self.now += busy;
        self.busy += busy;
        self.longest = self.longest.max(busy);
    }

    /// All busy times together.
    pub(super) const fn busy(&self) -> u64 {
        self.busy
    }

    /// The longest of them.
    pub(super) const fn longest(&self) -> u64 {
        self.longest
    }

    /// What the blocks took on the bus.
    pub(super) const fn data(&self) -> u64 {
        self.sent * self.block
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Eight blocks of 10 that find the card busy until 1000, with a limit of 250: four are held up, and the
    /// last waits for its own work.
    #[test]
    fn what_a_card_owes_is_spread_over_blocks() {
        let mut line = DataLine::new(0, 10, 250);
        assert_eq!(line.send(8, 1000), 1000 + 4 * 10);
        line.end(1100);
        assert_eq!(
            (line.data(), line.busy(), line.longest()),
            (80, 960 + 60, 250)
        );
    }

    #[test]
    fn one_block_has_one_busy_time() {
        let mut line = DataLine::new(0, 10, 250);
        assert_eq!(line.send(1, 1000), 10);
        line.end(5000);
        assert_eq!((line.data(), line.busy(), line.longest()), (10, 250, 250));
    }

    proptest! {
        /// A line that moves one block at a time is the plain reference.
        #[test]
        fn runs_of_blocks_are_as_single_ones(
            pages in prop::collection::vec((1u64..20, 0u64..5000), 1..6),
            limit in 1u64..400,
            done in 0u64..9000,
        ) {
            let (mut line, mut plain) = (DataLine::new(7, 10, limit), DataLine::new(7, 10, limit));
            let mut blocks_of_all = 0;
            for (blocks, room) in pages {
                blocks_of_all += blocks;
                line.send(blocks, room);
                (0..blocks).for_each(|_| _ = plain.send(1, room));
            }
            line.end(done);
            plain.end(done);
            prop_assert_eq!(line.now, plain.now);
            prop_assert_eq!(line.now, 7 + line.data() + line.busy());
            prop_assert_eq!(line.data(), 10 * blocks_of_all);
            prop_assert!(line.longest() <= limit && line.busy() <= limit * blocks_of_all);
        }
    }
}
