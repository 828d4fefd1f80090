//! A chain that is timed: how it begins, and how it comes back after an interruption.

use std::sync::atomic::Ordering;

use super::chain::{LINE_BYTES, PointerChain};
use super::driver::SharedStop;
use super::sampling::LoadSource;
use super::system;
use super::topology::Topology;

/// Bytes that a line of a page table translates: eight pages of 4 KiB. A hypervisor may use such pages whatever the guest's are.
const SMALL_LINE: u64 = 8 * 4096;

/// Translations of a line of a page table, on x86_64 and aarch64.
const OF_LINE: u64 = 8;

/// Loads between two looks whether to stop.
const STRIDE: u64 = 1 << 16;

/// Where the system does not show its caches: no second level is smaller.
const SECOND_LEVEL: u64 = 256 << 10;

/// How a chain comes back after another program had the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChainReturn {
    /// The next round brings all of it back, since the processor's own caches hold it.
    Round,
    /// What translates its addresses is brought back: a line of a page table for so many bytes.
    Translations {
        /// Bytes.
        step: u64,
    },
}

/// A chain that is timed.
#[derive(Debug)]
pub(super) struct ChainProbe<'a> {
    chain: PointerChain<'a>,
    returns: ChainReturn,
    /// Bytes of the last cache, and of all of the last level.
    last_level: Option<(u64, u64)>,
}

// SAFETY: a chain borrows its memory exclusively, and its links lead nowhere else; whichever thread has the chain is the only
// one that reads it.
unsafe impl Send for ChainProbe<'_> {}

impl<'a> ChainProbe<'a> {
    /// A chain in pages of `page_bytes`.
    pub(super) fn new(chain: PointerChain<'a>, page_bytes: u64, topology: &Topology) -> Self {
        Self::of(chain, page_bytes, topology, system::has_hypervisor())
    }

    fn of(
        chain: PointerChain<'a>,
        page_bytes: u64,
        topology: &Topology,
        has_hypervisor: bool,
    ) -> Self {
        let second = topology.caches.iter().filter(|cache| cache.level == 2);
        let second = second.map(|cache| cache.bytes).min();
        let step = match has_hypervisor {
            true => SMALL_LINE,
            false => OF_LINE * page_bytes,
        };
        let returns = match chain.bytes() <= second.unwrap_or(SECOND_LEVEL) {
            true => ChainReturn::Round,
            false => ChainReturn::Translations { step },
        };
        let last = topology.last_level_bytes();
        Self {
            chain,
            returns,
            last_level: last.zip(topology.all_last_level_bytes()),
        }
    }

    /// Puts the caches into the state in which they stay while the chain is followed.
    ///
    /// Laying the links left the end of the memory in them. A chain that fits is followed for one round. One that does not fit
    /// is taken out of all caches. Where it is less than twice as large as the last one, a cache that does not replace its
    /// oldest lines keeps a part all the same, which two rounds show.
    pub(super) fn settle(&mut self, stop: &SharedStop) {
        let bytes = self.chain.bytes();
        let fits = self.last_level.is_some_and(|(last, _)| bytes <= last);
        let rounds = match self.last_level {
            Some(_) if fits => 1,
            Some((last, _)) if bytes <= 2 * last => 2,
            // Without a known cache a round is one more than none.
            None if bytes <= 16 * SECOND_LEVEL => 1,
            _ => 0,
        };
        if !fits && !self.chain.leave_caches() {
            self.displace();
        }
        let mut left = rounds * self.chain.lines();
        while left > 0 && !stop.load(Ordering::Relaxed) {
            let loads = left.min(STRIDE);
            self.chain.follow(loads);
            left -= loads;
        }
    }

    /// Reads twice as much other memory as the last level holds.
    fn displace(&self) {
        let all = self.last_level.map_or(0, |(_, all)| all);
        let other = vec![1_u8; (2 * all) as usize];
        let lines = other.iter().step_by(LINE_BYTES as usize);
        std::hint::black_box(lines.fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
    }

    /// Follows the chain.
    pub(super) fn follow(&mut self, loads: u64) {
        self.chain.follow(loads);
    }
}

impl LoadSource for ChainProbe<'_> {
    fn load(&mut self, loads: u32) {
        self.chain.follow(u64::from(loads));
    }

    fn rewarm(&mut self) -> bool {
        match self.returns {
            ChainReturn::Round => self.chain.follow(self.chain.lines()),
            ChainReturn::Translations { step } => self.chain.touch_translations(step),
        }
        true
    }

    fn refill_loads(&self) -> Option<f64> {
        let lines = match self.returns {
            ChainReturn::Round => self.chain.lines(),
            ChainReturn::Translations { step } => self.chain.bytes().div_ceil(step),
        };
        Some(lines as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::memory::arena::{Arena, ArenaRequest, PageSize};
    use crate::memory::chain::ChainWalk;
    use crate::memory::topology::CacheLevel;

    /// A machine with so many bytes of a second and of a last level.
    fn machine(second: u64, last: u64) -> Topology {
        let cache = |level, bytes| CacheLevel {
            level,
            bytes,
            ways: 8,
            line_bytes: 64,
            shared_by: vec![0],
        };
        Topology {
            caches: vec![cache(2, second), cache(3, last)],
            ..Topology::of_this_machine().expect("it can be read")
        }
    }

    fn arena(bytes: u64) -> Arena {
        let request = ArenaRequest {
            bytes,
            pages: PageSize::Base,
            node: None,
        };
        Arena::map(&request).expect("a little memory")
    }

    #[test]
    fn what_comes_back_follows_from_size_pages_and_hypervisor() {
        let machine = machine(1 << 20, 32 << 20);
        let mut arena = arena(2 << 20);
        let mut found = |bytes: usize, page_bytes, has_hypervisor| {
            let memory = &mut arena.bytes_mut()[..bytes];
            let chain = PointerChain::lay(memory, ChainWalk::Random, 4096, 1).expect("a chain");
            let probe = ChainProbe::of(chain, page_bytes, &machine, has_hypervisor);
            (probe.returns, probe.refill_loads())
        };
        const HUGE: u64 = 2 << 20;
        assert_eq!(
            found(1 << 20, 4096, true),
            (ChainReturn::Round, Some(16_384.0))
        );
        let step = |step| ChainReturn::Translations { step };
        assert_eq!(found(2 << 20, 4096, false), (step(32_768), Some(64.0)));
        assert_eq!(found(2 << 20, HUGE, false), (step(8 * HUGE), Some(1.0)));
        assert_eq!(found(2 << 20, HUGE, true), (step(32_768), Some(64.0)));
    }

    /// However a chain begins and comes back, it stays one round through all of its lines.
    #[test]
    fn a_chain_is_whole_afterwards() {
        let mut arena = arena(256 << 10);
        for (second, last) in [(1 << 20, 32 << 20), (64 << 10, 128 << 10), (4096, 8192)] {
            let memory = &mut arena.bytes_mut()[..256 << 10];
            let chain = PointerChain::lay(memory, ChainWalk::Random, 4096, 1).expect("a chain");
            let mut probe = ChainProbe::new(chain, 4096, &machine(second, last));
            probe.settle(&AtomicBool::new(false));
            assert!(probe.rewarm());
            probe.displace();
            let begin = probe.chain.position();
            let mut lines = 0;
            loop {
                probe.load(1);
                lines += 1;
                if probe.chain.position() == begin {
                    break;
                }
            }
            assert_eq!(lines, 4096);
        }
    }
}
