//! Chains of pointers: each line of a stretch of memory holds the address of the next, so that a processor cannot ask for
//! a line before it has the one before.
//!
//! A chain is one cycle through all of its lines, and each line stands in it once: whatever is asked for has been away as
//! long as possible. [`ChainWalk`] says in which order, and thereby what a load costs beside the data: page walks or none.
//! The same seed gives the same chain.

use std::marker::PhantomData;
use std::ptr::NonNull;

use super::kernels::{ChainLink, chase, leave_caches};

/// Bytes of a line.
pub const LINE_BYTES: u64 = 64;

/// Visits to each page of an order within pages: each takes every sixteenth line. Processors fetch the neighbours of lines, and
/// the rest of a page of which they saw many, so that more lines a visit measure a cache. On a Zen 4, whose memory takes
/// 155 ns without page walks, visits of 64 lines of a page of 4 KiB took 58 ns a line, of 16 lines 80 ns, and of 4 lines what
/// memory and a quarter of a page walk take.
pub const IN_PAGE_ROUNDS: u64 = 16;

/// Lines that an order within pages takes of a page before it goes to another.
#[must_use]
pub const fn lines_of_visit(page_bytes: u64) -> u64 {
    let lines = page_bytes / LINE_BYTES;
    match lines / IN_PAGE_ROUNDS {
        0 => 1,
        visit => visit,
    }
}

/// In which order a chain goes through its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainWalk {
    /// At random over all lines: page walks come as they do to a program.
    Random,
    /// Some lines of a page at random, and then of another: a page walk for [`lines_of_visit`] loads together. There are
    /// [`IN_PAGE_ROUNDS`] rounds through all pages, so that no line was fetched along with its neighbour.
    InPage,
    /// From page to page: each load is the only one of its page for as long as possible, so that there is a page walk with
    /// each. After a round through all pages comes another line of each.
    PerPage,
}

/// Why there is no chain.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// The memory is no whole number of pages.
    #[error(
        "a chain of {bytes} bytes is no whole number of pages of {page_bytes}; give a multiple of the page"
    )]
    Pages {
        /// Bytes that were given.
        bytes: u64,
        /// Bytes of a page.
        page_bytes: u64,
    },
    /// A page is no power of two of at least two lines, or memory does not begin with a line.
    #[error(
        "pages of {page_bytes} bytes at address {address:#x}: a chain needs a power of two from 128, and whole lines"
    )]
    Alignment {
        /// Bytes of a page.
        page_bytes: u64,
        /// Where the memory begins.
        address: u64,
    },
    /// More lines than can be counted.
    #[error("a chain of {lines} lines is too long: at most {most}")]
    Long {
        /// Lines that were asked for.
        lines: u64,
        /// The most that can be.
        most: u64,
    },
}

/// A chain that lies in memory. It keeps the memory borrowed, because another write would lead its loads astray.
#[derive(Debug)]
pub struct PointerChain<'a> {
    /// The first line in memory.
    first: NonNull<ChainLink>,
    at: NonNull<ChainLink>,
    lines: u64,
    memory: PhantomData<&'a mut [u8]>,
}

impl<'a> PointerChain<'a> {
    /// Lays a chain over all lines of `memory`. Pages of `page_bytes` are what the walk speaks of.
    ///
    /// # Errors
    /// When the memory is no whole number of pages, or its pages are no power of two.
    pub fn lay(
        memory: &'a mut [u8],
        walk: ChainWalk,
        page_bytes: u64,
        seed: u64,
    ) -> Result<Self, ChainError> {
        let (bytes, address) = (memory.len() as u64, memory.as_ptr() as u64);
        if page_bytes < 2 * LINE_BYTES
            || !page_bytes.is_power_of_two()
            || !address.is_multiple_of(LINE_BYTES)
        {
            return Err(ChainError::Alignment {
                page_bytes,
                address,
            });
        }
        if bytes == 0 || !bytes.is_multiple_of(page_bytes) {
            return Err(ChainError::Pages { bytes, page_bytes });
        }
        let lines = bytes / LINE_BYTES;
        if lines > u64::from(u32::MAX) {
            let most = u64::from(u32::MAX);
            return Err(ChainError::Long { lines, most });
        }
        // Links are addresses in memory, from which loads make pointers again.
        let _ = memory.as_mut_ptr().expose_provenance();
        let mut writer = LinkWriter { memory };
        let pages = bytes / page_bytes;
        match walk {
            ChainWalk::Random => writer.cycle(lines as u32, seed),
            ChainWalk::InPage => writer.in_pages(pages as u32, page_bytes / LINE_BYTES, seed),
            ChainWalk::PerPage => writer.per_page(pages as u32, page_bytes / LINE_BYTES, seed),
        }
        let first = NonNull::from(writer.memory).cast();
        Ok(Self {
            first,
            at: first,
            lines,
            memory: PhantomData,
        })
    }

    /// Lines of the chain, each of which it visits once before it comes back.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.lines
    }

    /// Where the chain stands: the line that the next load reads.
    #[must_use]
    pub const fn position(&self) -> NonNull<ChainLink> {
        self.at
    }

    /// Goes on by so many loads, each of which waits for the one before.
    pub fn follow(&mut self, loads: u64) {
        // SAFETY: the chain stands at one of its links, each of which is aligned and names another of the same memory, which
        // the chain borrows exclusively.
        self.at = unsafe { chase(self.at, loads) };
    }

    /// Bytes from the first line to the end of the last.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.lines * LINE_BYTES
    }

    /// Reads a word every `step` bytes, whole lines, one read waiting for none before it: what translates the addresses of the
    /// chain is in the caches afterwards, far sooner than by following it. Of the chain itself one line in `step` is.
    pub fn touch_translations(&self, step: u64) {
        let step = step.max(LINE_BYTES) / LINE_BYTES * LINE_BYTES;
        for at in (0..self.bytes()).step_by(step as usize) {
            // SAFETY: the chain borrows all of its lines, and `at` begins one of them, which holds a pointer.
            let link = unsafe { self.first.as_ptr().byte_add(at as usize).read_volatile() };
            std::hint::black_box(link.next);
        }
    }

    /// Writes the chain's lines back to memory and takes them out of all caches, where the processor lets programs do so;
    /// whether it does.
    pub fn leave_caches(&self) -> bool {
        let lines = (0..self.lines).map(|line| {
            // SAFETY: `line` is one of those that the chain borrows.
            unsafe { self.first.byte_add((line * LINE_BYTES) as usize) }
        });
        leave_caches(lines)
    }
}

/// Writes links. Every link leads to a line of the same memory.
struct LinkWriter<'a> {
    memory: &'a mut [u8],
}

impl LinkWriter<'_> {
    /// Writes into a line the address of another.
    fn link(&mut self, from: u64, to: u64) {
        let target = self.memory.as_ptr().addr() + (to * LINE_BYTES) as usize;
        let at = (from * LINE_BYTES) as usize;
        self.memory[at..at + size_of::<usize>()].copy_from_slice(&target.to_ne_bytes());
    }

    /// One cycle through all lines, each as likely as any other (Sattolo, "An algorithm to generate a random cyclic
    /// permutation", 1986).
    fn cycle(&mut self, lines: u32, seed: u64) {
        let mut next: Vec<u32> = (0..lines).collect();
        let mut random = SplitMix(seed);
        for last in (1..lines).rev() {
            next.swap(last as usize, random.below(last) as usize);
        }
        for (from, to) in next.into_iter().enumerate() {
            self.link(from as u64, u64::from(to));
        }
    }

    /// Rounds through all pages in the same random order, and the lines of each visit in an order of its own.
    fn in_pages(&mut self, pages: u32, lines: u64, seed: u64) {
        let mut random = SplitMix(seed);
        let pages = shuffled(pages, &mut random);
        let visit = lines_of_visit(lines * LINE_BYTES);
        let rounds = lines / visit;
        let mut order: Vec<u64> = (0..visit).collect();
        let mut before = None;
        let mut first = 0;
        for round in 0..rounds {
            for &page in &pages {
                random.shuffle(&mut order);
                for &line in &order {
                    let at = u64::from(page) * lines + line * rounds + round;
                    match before {
                        Some(before) => self.link(before, at),
                        None => first = at,
                    }
                    before = Some(at);
                }
            }
        }
        self.link(before.unwrap_or(first), first);
    }

    /// Rounds through all pages, in the same random order: so many pages lie between two loads of one.
    fn per_page(&mut self, pages: u32, lines: u64, seed: u64) {
        let mut random = SplitMix(seed);
        let order = shuffled(pages, &mut random);
        // Lines of a page: an odd step from a random start goes through all of a power of two, and pages differ, so that
        // a round does not fall into few sets of a cache.
        let steps: Vec<(u64, u64)> = (0..pages)
            .map(|_| (random.next() | 1, random.next()))
            .collect();
        let line = |page: u32, round: u64| {
            let (step, start) = steps[page as usize];
            let within = start.wrapping_add(step.wrapping_mul(round)) % lines;
            u64::from(page) * lines + within
        };
        let first = line(order[0], 0);
        let mut before = first;
        for round in 0..lines {
            let skipped = usize::from(round == 0);
            for &page in order.iter().skip(skipped) {
                let at = line(page, round);
                self.link(before, at);
                before = at;
            }
        }
        self.link(before, first);
    }
}

fn shuffled(count: u32, random: &mut SplitMix) -> Vec<u32> {
    let mut all: Vec<u32> = (0..count).collect();
    random.shuffle(&mut all);
    all
}

/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014: a generator of one word.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another; the bias of the product is below 2⁻³².
    fn below(&mut self, bound: u32) -> u32 {
        let high = self.next() >> 32;
        ((high * u64::from(bound)) >> 32) as u32
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::arena::{Arena, ArenaRequest, PageSize};

    const WALKS: [ChainWalk; 3] = [ChainWalk::Random, ChainWalk::InPage, ChainWalk::PerPage];

    fn arena(bytes: u64) -> Arena {
        Arena::map(&ArenaRequest {
            bytes,
            pages: PageSize::Base,
            node: None,
        })
        .expect("a little memory")
    }

    /// The lines in the order of the chain, by their numbers, until it comes back.
    fn order(chain: &mut PointerChain<'_>, base: usize) -> Vec<u64> {
        let mut lines = Vec::new();
        let start = chain.position();
        loop {
            lines.push((chain.position().addr().get() - base) as u64 / LINE_BYTES);
            chain.follow(1);
            if chain.position() == start || lines.len() as u64 > chain.lines() {
                return lines;
            }
        }
    }

    fn laid(pages: u64, walk: ChainWalk, page_bytes: u64, seed: u64) -> Vec<u64> {
        let mut arena = arena(pages * page_bytes);
        let base = arena.as_ptr().addr();
        let bytes = (pages * page_bytes) as usize;
        let memory = &mut arena.bytes_mut()[..bytes];
        let mut chain = PointerChain::lay(memory, walk, page_bytes, seed).expect("whole pages");
        order(&mut chain, base)
    }

    proptest! {
        /// Whatever the order, a chain is one cycle: every line once, and then the first again.
        #[test]
        fn every_line_is_visited_exactly_once(
            pages in 1u64..20, seed: u64, walk in prop::sample::select(WALKS.to_vec()),
            page_bytes in prop::sample::select(vec![128u64, 4096]),
        ) {
            let mut lines = laid(pages, walk, page_bytes, seed);
            lines.sort_unstable();
            let all: Vec<u64> = (0..pages * page_bytes / LINE_BYTES).collect();
            prop_assert_eq!(lines, all);
        }

        #[test]
        fn pages_are_left_after_a_visit_or_at_once(pages in 2u64..20, seed: u64) {
            let changes = |walk| {
                let lines = laid(pages, walk, 4096, seed);
                // It is a cycle: behind the last comes the first.
                let next = lines.iter().cycle().skip(1);
                lines.iter().zip(next).filter(|(one, next)| *one / 64 != *next / 64).count() as u64
            };
            prop_assert_eq!(changes(ChainWalk::InPage), IN_PAGE_ROUNDS * pages);
            prop_assert_eq!(changes(ChainWalk::PerPage), 64 * pages);
            // Between two loads of a page there are all others.
            let lines = laid(pages, ChainWalk::PerPage, 4096, seed);
            let apart = lines.windows(pages as usize);
            for window in apart {
                let mut seen: Vec<u64> = window.iter().map(|line| line / 64).collect();
                seen.sort_unstable();
                seen.dedup();
                prop_assert_eq!(seen.len() as u64, pages);
            }
        }
    }

    /// The lines of one round have all places in a page, so that they share no set of a cache.
    #[test]
    fn a_round_through_the_pages_spreads_over_the_sets() {
        let lines = laid(256, ChainWalk::PerPage, 4096, 7);
        let mut places = [0; 64];
        for line in &lines[..256] {
            places[(line % 64) as usize] += 1;
        }
        let most = places.iter().max();
        assert!(most <= Some(&16), "{places:?}");
    }

    #[test]
    fn a_seed_gives_a_chain() {
        for walk in WALKS {
            assert_eq!(laid(8, walk, 4096, 1), laid(8, walk, 4096, 1));
            assert_ne!(laid(8, walk, 4096, 1), laid(8, walk, 4096, 2));
        }
    }

    #[test]
    fn what_is_no_whole_number_of_pages_is_refused() {
        let mut arena = arena(8192);
        let memory = arena.bytes_mut();
        fn lay(memory: &mut [u8], page: u64) -> Result<(), ChainError> {
            PointerChain::lay(memory, ChainWalk::Random, page, 0).map(drop)
        }
        let bytes = 6000;
        assert!(matches!(
            lay(&mut memory[..bytes], 4096),
            Err(ChainError::Pages { bytes: 6000, .. })
        ));
        assert!(matches!(
            lay(&mut memory[..0], 4096),
            Err(ChainError::Pages { .. })
        ));
        for (at, page) in [(8, 4096), (0, 96), (0, 64)] {
            let odd = lay(&mut memory[at..4096 + at], page);
            assert!(matches!(odd, Err(ChainError::Alignment { .. })), "{odd:?}");
        }
    }
}
