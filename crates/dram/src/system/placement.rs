//! Where the buffers of cores lie: pages that are contiguous for a core lie anywhere in physical memory, no two in the
//! same place.

use wordline_core::draw::{Purpose, draw, standard_exponential};

use crate::config::{ConfigError, SystemConfig};
use wordline_core::Pattern;

/// Bytes of a buffer, where the memory has room for as many as are wanted: far more than any cache.
const BUFFER: u64 = 1 << 30;
const LINE: u64 = 64;
const ROUNDS: usize = 3;

/// A permutation of page frames: multiplications and shifts that can be undone, repeated until the result is a frame.
#[derive(Clone, Debug)]
struct Permutation {
    frames: u64,
    mask: u64,
    shift: u32,
    factors: [u64; ROUNDS],
    terms: [u64; ROUNDS],
}

impl Permutation {
    fn new(seed: u64, frames: u64) -> Self {
        let bits = 64 - frames.saturating_sub(1).leading_zeros();
        let key = |number: usize| draw(seed, u64::MAX, number as u64, Purpose::Address);
        Self {
            frames,
            mask: u64::MAX.checked_shr(64 - bits).unwrap_or(0),
            shift: bits.div_ceil(2).max(1),
            factors: [0, 1, 2].map(|round| key(round) | 1),
            terms: [3, 4, 5].map(key),
        }
    }

    /// The frame of a page. Pages that are frames come back among frames in the end, since every step has an inverse.
    fn frame(&self, page: u64) -> u64 {
        let mut value = page;
        loop {
            for (factor, term) in self.factors.iter().zip(self.terms) {
                value = value.wrapping_mul(*factor).wrapping_add(term) & self.mask;
                value ^= value >> self.shift;
            }
            if value < self.frames {
                return value;
            }
        }
    }
}

/// Where the buffer of a core lies.
#[derive(Clone, Copy, Debug)]
struct BufferOwner {
    /// The part of the memory that the core belongs to.
    node: u64,
    /// Its number among the buffers of that part.
    slot: u64,
}

/// Buffers of equal size in physical memory.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    seed: u64,
    permutation: Permutation,
    page_lines: u64,
    /// Pages of a buffer.
    pages: u64,
    owners: Vec<BufferOwner>,
    /// Lines of a node.
    node_lines: u64,
    nodes: u64,
    /// Nodes of a socket.
    clusters: u64,
    remote_percent: u64,
    /// Slots of a node; as many more hold the pages of another socket's cores.
    slots: u64,
}

impl Placement {
    /// Room for buffers of 1 GiB, or as large as the memory allows, each in the part of the memory that `owners` say.
    ///
    /// # Errors
    /// When a page is no whole number of lines, or the memory has less than a page a buffer.
    pub(super) fn new(
        config: &SystemConfig,
        seed: u64,
        owners: &[u32],
    ) -> Result<Self, ConfigError> {
        let page_bytes = config.cores.page_bytes;
        if page_bytes == 0 || !page_bytes.is_multiple_of(LINE) {
            return Err(ConfigError {
                what: "cores.page_bytes",
                problem: format!("is {page_bytes}; allowed: multiples of 64"),
            });
        }
        let topology = &config.topology;
        let nodes = u64::from(topology.nodes());
        let mut taken = vec![0; nodes as usize];
        let owner = |&node: &u32| {
            let slot = &mut taken[node as usize];
            *slot += 1;
            BufferOwner {
                node: node.into(),
                slot: *slot - 1,
            }
        };
        let owners: Vec<BufferOwner> = owners.iter().map(owner).collect();
        let slots = taken.into_iter().max().unwrap_or(0).max(1);
        let buffers = if topology.remote_percent > 0 {
            2 * slots
        } else {
            slots
        };
        let node_bytes = config.bytes() / nodes;
        let frames = node_bytes / page_bytes;
        let pages = (frames / buffers).min(BUFFER.div_ceil(page_bytes));
        if pages == 0 {
            let of = if nodes > 1 {
                "a cluster of the memory"
            } else {
                "the memory"
            };
            return Err(ConfigError {
                what: "cores.page_bytes",
                problem: format!("{of} has {frames} pages, too few for {buffers} buffers"),
            });
        }
        Ok(Self {
            seed,
            permutation: Permutation::new(seed, frames),
            page_lines: page_bytes / LINE,
            pages,
            owners,
            node_lines: node_bytes / LINE,
            nodes,
            clusters: topology.clusters.max(1).into(),
            remote_percent: topology.remote_percent.into(),
            slots,
        })
    }

    /// The same buffers elsewhere: in each episode of a run in other pages.
    pub(super) fn of_episode(&self, seed: u64, episode: u32) -> Self {
        let seed = draw(seed, u64::MAX, u64::from(episode) << 32, Purpose::Address);
        Self {
            seed,
            permutation: Permutation::new(seed, self.permutation.frames),
            ..self.clone()
        }
    }

    /// First line in physical memory of a buffer's page.
    fn base(&self, buffer: u64, page: u64) -> u64 {
        let owner = self.owners[buffer as usize];
        let (node, slot) = if self.is_remote(buffer, page) {
            (
                (owner.node + self.clusters) % self.nodes,
                self.slots + owner.slot,
            )
        } else {
            (owner.node, owner.slot)
        };
        let frame = self.permutation.frame(slot * self.pages + page);
        node * self.node_lines + frame * self.page_lines
    }

    /// Whether a page lies in the next socket.
    fn is_remote(&self, buffer: u64, page: u64) -> bool {
        const PAGES: u64 = 1 << 63;
        self.remote_percent > 0
            && draw(self.seed, buffer, page | PAGES, Purpose::Address) % 100 < self.remote_percent
    }

    fn buffer_lines(&self) -> u64 {
        self.pages * self.page_lines
    }
}

/// In which order lines of a buffer are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineOrder {
    /// One after the other.
    Stream,
    /// Any.
    Random,
    /// Runs of lines that follow each other, each run anywhere. The scale of the exponential distribution whose whole part
    /// is how many lines follow the first one of a run.
    Runs(f64),
}

impl LineOrder {
    /// A share of the lines follows the line before them; the rest is random.
    pub(super) fn with_locality(share: f64) -> Self {
        if share >= 1.0 {
            Self::Stream
        } else if share <= 0.0 {
            Self::Random
        } else {
            // The whole part is at least k with probability share^k.
            Self::Runs(-1.0 / libm::log(share))
        }
    }
}

impl From<Pattern> for LineOrder {
    fn from(pattern: Pattern) -> Self {
        match pattern {
            Pattern::Sequential => Self::Stream,
            Pattern::Random => Self::Random,
        }
    }
}

/// Goes through the lines of a buffer for ever.
#[derive(Clone, Debug)]
pub(super) struct BufferCursor {
    buffer: u64,
    order: LineOrder,
    /// Number of the next access.
    count: u64,
    /// The next line in physical memory, and how many are left before it is looked up again.
    line: u64,
    left: u64,
    /// Where the run goes on in the buffer, and how many lines of it are left behind those.
    next: u64,
    run: u64,
}

impl BufferCursor {
    /// Begins anywhere in its buffer, `ahead` lines in front of a cursor with 0.
    pub(super) fn new(at: &Placement, buffer: u64, order: LineOrder, ahead: u64) -> Self {
        let start = draw(at.seed, buffer, u64::MAX, Purpose::Address) % at.buffer_lines();
        let count = start + ahead;
        let run = match order {
            LineOrder::Stream => u64::MAX,
            LineOrder::Random | LineOrder::Runs(_) => 0,
        };
        Self {
            buffer,
            order,
            count,
            line: 0,
            left: 0,
            next: count % at.buffer_lines(),
            run,
        }
    }

    /// The next line in physical memory.
    #[inline]
    pub(super) fn next(&mut self, at: &Placement) -> u64 {
        if self.left == 0 {
            self.turn_page(at);
        }
        let line = self.line;
        self.line += 1;
        self.left -= 1;
        self.count += 1;
        line
    }

    fn turn_page(&mut self, at: &Placement) {
        if self.run == 0 {
            self.jump(at);
        }
        let (page, within) = (self.next / at.page_lines, self.next % at.page_lines);
        self.line = at.base(self.buffer, page) + within;
        self.left = self.run.min(at.page_lines - within);
        self.next = (self.next + self.left) % at.buffer_lines();
        if !matches!(self.order, LineOrder::Stream) {
            self.run -= self.left;
        }
    }

    /// Begins a run.
    fn jump(&mut self, at: &Placement) {
        const RUNS: u64 = 1 << 62;
        let bits = draw(at.seed, self.buffer, self.count, Purpose::Address);
        let wide = u128::from(bits) * u128::from(at.buffer_lines());
        self.next = (wide >> 64) as u64;
        self.run = 1;
        if let LineOrder::Runs(scale) = self.order {
            let bits = draw(at.seed, self.buffer, self.count | RUNS, Purpose::Address);
            self.run += (scale * standard_exponential(bits)) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::sample::rdimm_6400;
    use crate::system::tests::small;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn no_two_pages_share_a_frame(seed in any::<u64>(), frames in 1u64..3000) {
            let permutation = Permutation::new(seed, frames);
            let all: HashSet<u64> = (0..frames).map(|page| permutation.frame(page)).collect();
            prop_assert_eq!(all.len() as u64, frames);
            prop_assert!(all.into_iter().all(|frame| frame < frames));
        }

        /// A cursor that runs behind names the same lines later, in either pattern.
        #[test]
        fn write_back_follows_the_stream(seed in any::<u64>(), ahead in 0u64..500, random in any::<bool>()) {
            let config = small(rdimm_6400());
            let at = Placement::new(&config, seed, &[0; 3]).expect("room");
            let order = if random { LineOrder::Random } else { LineOrder::Stream };
            let mut front = BufferCursor::new(&at, 1, order, ahead);
            let mut behind = BufferCursor::new(&at, 1, order, 0);
            for _ in 0..ahead {
                behind.next(&at);
            }
            for _ in 0..200 {
                prop_assert_eq!(front.next(&at), behind.next(&at));
            }
        }

        /// Buffers share no line; a stream stays within a page for a page's lines, and wraps at its buffer's end.
        #[test]
        fn buffers_are_apart(seed in any::<u64>(), page_lines in 1u64..5, pages in 1u64..20) {
            let at = Placement {
                seed,
                permutation: Permutation::new(seed, pages * 3 + 1),
                page_lines,
                pages,
                owners: (0..3).map(|slot| BufferOwner { node: 0, slot }).collect(),
                node_lines: (pages * 3 + 1) * page_lines,
                nodes: 1,
                clusters: 1,
                remote_percent: 0,
                slots: 3,
            };
            let mut seen = HashSet::new();
            for buffer in 0..3 {
                let mut cursor = BufferCursor::new(&at, buffer, LineOrder::Stream, 0);
                let lines: Vec<u64> = (0..pages * page_lines).map(|_| cursor.next(&at)).collect();
                prop_assert!(lines.iter().all(|line| seen.insert(*line)));
                let pairs = lines.windows(2).filter(|pair| pair[1] == pair[0] + 1).count() as u64;
                prop_assert!(pairs + 1 >= pages * (page_lines - 1));
                prop_assert_eq!(cursor.next(&at), lines[0]);
            }
        }
    }

    #[test]
    fn memories_without_room_are_refused() {
        let mut config = small(rdimm_6400());
        let frames = config.bytes() / 4096;
        let owners = vec![0; frames as usize + 1];
        assert!(Placement::new(&config, 0, &owners[1..]).is_ok());
        let error = Placement::new(&config, 0, &owners).expect_err("too many buffers");
        assert!(error.to_string().contains("too few for"));
        for page_bytes in [0, 4097] {
            config.cores.page_bytes = page_bytes;
            let error = Placement::new(&config, 0, &[0]).expect_err("no page");
            assert!(error.to_string().contains("multiples of 64"));
        }
    }
}
