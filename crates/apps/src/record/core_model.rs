//! A core that executes out of order, for a window of instructions.
//!
//! An instruction is dispatched when the reorder buffer has room and those before it have been dispatched, so many in a cycle.
//! It starts when its operands are there; a load when its address is. It retires behind those before it. So a load whose
//! address comes from a load that misses waits for it, however many misses the window holds. A branch that was not
//! foreseen holds up whatever comes behind it until its operands are there. The model has no limit of execution units.

use serde::{Deserialize, Serialize};

use super::operation::MicroOperation;

/// Registers that operations name.
const REGISTERS: usize = 64;

/// Lines under way that are remembered, by their lowest bits.
const UNDER_WAY: usize = 256;

/// Words in memory whose writer is remembered, by their lowest bits.
const WORDS: usize = 1024;

/// Pages that the prefetcher follows, by their lowest bits.
const PAGES: usize = 64;

/// Lines of a page of 4 KiB, beyond which no stream is followed.
const PAGE_LINES: u32 = 64;

/// Lines that the prefetcher goes ahead of a stream.
const AHEAD: u32 = 20;

/// Stores that wait for their line.
const STORES: usize = 112;

/// From a wrong guess to the first instruction of the right path.
const REFILL: u64 = 15;

/// What a core can do. Times are in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreShape {
    /// Instructions a cycle.
    pub width: u32,
    /// Instructions of the reorder buffer.
    pub window: u32,
    /// Lines that loads and stores can have under way.
    pub misses: u32,
    /// Lines that can be under way with those that were prefetched.
    pub misses_all: u32,
    /// Cycles of a load that each level answers, first to last.
    pub hit: [u32; 3],
    /// Cycles of a load that memory answers; 0 for a memory that takes no time beyond the first level.
    pub memory: u32,
    /// Whether a prefetcher follows streams.
    pub prefetch: bool,
    /// Whether every branch is foreseen.
    pub foresees: bool,
}

impl CoreShape {
    /// A performance core of Xeon 6 (Intel's optimization manual, Golden Cove: six instructions a cycle, 512 in the reorder
    /// buffer, 16 line-fill buffers, 5 and 15 cycles to the first two levels). 70 cycles to the last level are assumed.
    #[must_use]
    pub const fn performance_core(memory: u32) -> Self {
        Self {
            width: 6,
            window: 512,
            misses: 16,
            misses_all: 26,
            hit: [5, 15, 70],
            memory,
            prefetch: true,
            foresees: false,
        }
    }
}

/// A line that an instruction touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineTouch {
    /// The line.
    pub line: u32,
    /// The word of eight bytes, by its lowest bits.
    pub word: u32,
    /// The level that had it, from 1; 4 for memory.
    pub level: u8,
    /// Whether it is written.
    pub store: bool,
}

/// A stream of lines within a page.
#[derive(Clone, Copy, Debug)]
struct PageStream {
    page: u32,
    last: u32,
    run: u32,
    up: bool,
    /// When the prefetcher asked for each line; 0 where it did not.
    asked: [u64; PAGE_LINES as usize],
}

/// The time of a run of instructions on a core.
#[derive(Clone, Debug)]
pub struct CoreModel {
    shape: CoreShape,
    ready: [u64; REGISTERS],
    /// When the instructions of the reorder buffer retire.
    retire: Vec<u64>,
    retired: u64,
    at: usize,
    cycle: u64,
    in_cycle: u32,
    /// When the lines under way of loads and stores, and of all, arrive.
    demanded: Vec<u64>,
    demanded_at: usize,
    lines: Vec<u64>,
    lines_at: usize,
    under_way: Vec<(u32, u64)>,
    words: Vec<(u32, u64)>,
    stores: Vec<u64>,
    stores_at: usize,
    drained: u64,
    pages: Vec<PageStream>,
    prefetched: u64,
}

impl CoreModel {
    /// A core that has nothing to do yet.
    #[must_use]
    pub fn new(shape: CoreShape) -> Self {
        let none = PageStream {
            page: u32::MAX,
            last: 0,
            run: 0,
            up: true,
            asked: [0; PAGE_LINES as usize],
        };
        Self {
            shape,
            ready: [0; REGISTERS],
            retire: vec![0; shape.window.max(1) as usize],
            retired: 0,
            at: 0,
            cycle: 1,
            in_cycle: 0,
            demanded: vec![0; shape.misses.max(1) as usize],
            demanded_at: 0,
            lines: vec![0; shape.misses_all.max(1) as usize],
            lines_at: 0,
            under_way: vec![(u32::MAX, 0); UNDER_WAY],
            words: vec![(u32::MAX, 0); WORDS],
            stores: vec![0; STORES],
            stores_at: 0,
            drained: 0,
            pages: vec![none; PAGES],
            prefetched: 0,
        }
    }

    /// Cycles until the last instruction so far has retired.
    #[must_use]
    pub const fn cycles(&self) -> u64 {
        self.retired
    }

    /// Lines of memory that the prefetcher had asked for before they were used.
    #[must_use]
    pub const fn prefetched(&self) -> u64 {
        self.prefetched
    }

    /// When all of some registers are there.
    #[inline]
    fn operands(&self, mut registers: u64) -> u64 {
        let mut latest = 0;
        while registers != 0 {
            latest = latest.max(self.ready[registers.trailing_zeros() as usize]);
            registers &= registers - 1;
        }
        latest
    }

    /// Executes an instruction that touches lines. `foreseen` says whether its branch, if it is one, was guessed right.
    pub fn execute(&mut self, operation: &MicroOperation, touches: &[LineTouch], foreseen: bool) {
        let dispatched = self.dispatch();
        let address = self.operands(operation.address).max(dispatched);
        let mut start = self.operands(operation.reads).max(dispatched);
        let mut filled = 0;
        for touch in touches {
            let there = self.touch(touch, address);
            if touch.store {
                filled = filled.max(there);
            } else {
                let word = &self.words[touch.word as usize % WORDS];
                let stored = if word.0 == touch.word { word.1 } else { 0 };
                start = start.max(there).max(stored);
            }
        }
        let done = start.max(address) + u64::from(operation.latency);
        let mut written = operation.writes;
        while written != 0 {
            self.ready[written.trailing_zeros() as usize] = done;
            written &= written - 1;
        }
        for touch in touches.iter().filter(|touch| touch.store) {
            self.words[touch.word as usize % WORDS] = (touch.word, done);
        }
        self.retired = self.retired.max(done);
        self.retire[self.at] = self.retired;
        self.at = (self.at + 1) % self.retire.len();
        if filled > 0 {
            self.drained = self.drained.max(filled).max(self.retired);
            self.stores[self.stores_at] = self.drained;
            self.stores_at = (self.stores_at + 1) % STORES;
        }
        if !foreseen && !self.shape.foresees && done + REFILL > self.cycle {
            self.cycle = done + REFILL;
            self.in_cycle = 0;
        }
    }

    /// The cycle in which the next instruction enters the window.
    fn dispatch(&mut self) -> u64 {
        if self.in_cycle >= self.shape.width {
            self.cycle += 1;
            self.in_cycle = 0;
        }
        let room = self.retire[self.at].max(self.stores[self.stores_at]);
        if room > self.cycle {
            self.cycle = room;
            self.in_cycle = 0;
        }
        self.in_cycle += 1;
        self.cycle
    }

    /// When a touched line is there.
    fn touch(&mut self, touch: &LineTouch, address: u64) -> u64 {
        let shape = self.shape;
        let asked = match touch.level > 1 && shape.prefetch {
            true => self.stream(touch.line, address),
            false => 0,
        };
        let slot = touch.line as usize % UNDER_WAY;
        if touch.level <= 3 {
            let there = address + u64::from(shape.hit[usize::from(touch.level.max(1)) - 1]);
            let (line, arrives) = self.under_way[slot];
            return match line == touch.line {
                true => there.max(arrives),
                false => there,
            };
        }
        if shape.memory == 0 {
            self.prefetched += u64::from(asked > 0);
            return address + u64::from(shape.hit[0]);
        }
        let mut start = if asked > 0 {
            asked.min(address)
        } else {
            address
        };
        start = start.max(self.lines[self.lines_at]);
        if asked == 0 {
            start = start.max(self.demanded[self.demanded_at]);
        }
        let there = start + u64::from(shape.memory);
        self.lines[self.lines_at] = there;
        self.lines_at = (self.lines_at + 1) % self.lines.len();
        if asked == 0 {
            self.demanded[self.demanded_at] = there;
            self.demanded_at = (self.demanded_at + 1) % self.demanded.len();
        } else {
            self.prefetched += 1;
        }
        self.under_way[slot] = (touch.line, there);
        there.max(address + u64::from(shape.hit[1]))
    }

    /// Follows the stream of a line's page. Returns when the prefetcher asked for the line, 0 where it did not.
    fn stream(&mut self, line: u32, now: u64) -> u64 {
        let (page, at) = (line / PAGE_LINES, line % PAGE_LINES);
        let stream = &mut self.pages[page as usize % PAGES];
        if stream.page != page {
            *stream = PageStream {
                page,
                last: at,
                run: 0,
                up: true,
                asked: [0; PAGE_LINES as usize],
            };
            return 0;
        }
        let asked = stream.asked[at as usize];
        if at == stream.last {
            return asked;
        }
        let up = at > stream.last;
        let step = at.abs_diff(stream.last);
        stream.run = match step <= 2 && (up == stream.up || stream.run == 0) {
            true => stream.run + 1,
            false => 0,
        };
        (stream.last, stream.up) = (at, up);
        if stream.run >= 2 {
            for ahead in 1..=AHEAD.min(2 * stream.run) {
                let next = if up {
                    at + ahead
                } else {
                    at.wrapping_sub(ahead)
                };
                match stream.asked.get_mut(next as usize) {
                    Some(slot) if *slot == 0 => *slot = now.max(1),
                    Some(_) => {}
                    None => break,
                }
            }
        }
        asked
    }
}
