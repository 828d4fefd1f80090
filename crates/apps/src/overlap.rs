//! How many lines a core has under way: from what each of them waits for, the core's window, and its misses.
//!
//! The misses that lie in a window of instructions are no measure of it: where one's address comes from another, they follow
//! each other all the same. So each line names the one that its address was computed from, and time passes as in a core that
//! retires in order and starts what is ready (Karkhanis and Smith, "A First-Order Superscalar Processor Model", 2004, with
//! dependence):
//!
//! - an instruction enters the window when the one a window earlier has retired;
//! - a load starts when it is in the window, its address is there, and a fill buffer and a miss are free;
//! - a line that a prefetcher asks for starts with the line that triggered it, and needs a miss alone;
//! - a branch that was predicted wrongly lets nothing into the window until its condition is there.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happened at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEventKind {
    /// A load lacked a line.
    Load,
    /// A store lacked a line: nobody waits for it.
    Store,
    /// A line that a prefetcher had asked for before the program did.
    Prefetched {
        /// Number of the event whose line triggered it.
        trigger: u32,
    },
    /// A branch was predicted wrongly.
    Mispredicted,
}

/// A line that came from memory, or a branch that had to wait for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEvent {
    /// Instructions since the window's begin.
    pub at: u32,
    /// What happened.
    pub kind: LineEventKind,
    /// Number of the event whose line the address, or the branch's condition, was computed from.
    pub after: Option<u32>,
}

/// A core, as far as its misses are concerned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapCore {
    /// Instructions of its window, which have not retired.
    pub window: u32,
    /// Lines that it may have under way.
    pub misses: u32,
    /// Of these, those that loads and stores may have; a prefetcher needs none of them.
    pub fill_buffers: u32,
    /// Time of an instruction while nothing waits, in nanoseconds.
    pub instruction_ns: f64,
    /// Time from a wrong branch's condition until the next instruction enters the window, in nanoseconds.
    pub restart_ns: f64,
}

impl OverlapCore {
    /// The time in nanoseconds that a piece of a program takes, whose events are these and whose lines take so long.
    #[must_use]
    pub fn time_ns(&self, events: &[LineEvent], instructions: u32, latency_ns: f64) -> f64 {
        let mut run = OverlapRun::new(self, latency_ns);
        for event in events {
            run.take(event);
        }
        run.end(instructions)
    }
}

/// Times of a run so far, all in nanoseconds.
struct OverlapRun<'a> {
    core: &'a OverlapCore,
    latency: f64,
    /// When each event's line started, and when it came.
    started: Vec<f64>,
    came: Vec<f64>,
    /// When each event's instruction retired, and where it is.
    retired: Vec<(u32, f64)>,
    /// The last event that has retired a window before the one at hand.
    behind: usize,
    /// When the last event's instruction entered the window.
    entered: (u32, f64),
    /// Nothing enters before this.
    barrier: f64,
    misses: BinaryHeap<Reverse<u64>>,
    buffers: BinaryHeap<Reverse<u64>>,
}

impl<'a> OverlapRun<'a> {
    fn new(core: &'a OverlapCore, latency: f64) -> Self {
        let free = |count: u32| std::iter::repeat_n(Reverse(0), count.max(1) as usize).collect();
        Self {
            core,
            latency,
            started: Vec::new(),
            came: Vec::new(),
            retired: Vec::new(),
            behind: 0,
            entered: (0, 0.0),
            barrier: 0.0,
            misses: free(core.misses),
            buffers: free(core.fill_buffers),
        }
    }

    fn take(&mut self, event: &LineEvent) {
        let core = self.core;
        let passed = f64::from(event.at - self.entered.0) * core.instruction_ns;
        let entered = (self.entered.1 + passed)
            .max(self.barrier)
            .max(self.retired_before(event.at));
        self.entered = (event.at, entered);
        let there = event.after.map_or(0.0, |after| self.came[after as usize]);
        let ready = entered.max(there);
        let (started, came) = match event.kind {
            LineEventKind::Load | LineEventKind::Store => {
                let buffer = take_free(&mut self.buffers);
                let miss = take_free(&mut self.misses);
                let started = ready.max(buffer).max(miss);
                give_back(&mut self.buffers, started + self.latency);
                give_back(&mut self.misses, started + self.latency);
                (started, started + self.latency)
            }
            LineEventKind::Prefetched { trigger } => {
                let asked = self.started[trigger as usize];
                let started = asked.max(take_free(&mut self.misses));
                give_back(&mut self.misses, started + self.latency);
                (started, started + self.latency)
            }
            LineEventKind::Mispredicted => {
                self.barrier = ready + core.restart_ns;
                (ready, ready)
            }
        };
        self.started.push(started);
        self.came.push(came);
        let mut retired = self.retired_at(event.at).max(entered);
        if event.kind != LineEventKind::Store {
            // A line that came early makes nobody wait.
            retired = retired.max(came);
        }
        self.retired.push((event.at, retired));
    }

    /// When an instruction behind all events retires.
    fn retired_at(&self, at: u32) -> f64 {
        let (last, retired) = self.retired.last().copied().unwrap_or((0, 0.0));
        retired + f64::from(at - last) * self.core.instruction_ns
    }

    /// When the instruction a window before this one retired.
    fn retired_before(&mut self, at: u32) -> f64 {
        let Some(before) = at.checked_sub(self.core.window) else {
            return 0.0;
        };
        while self.behind < self.retired.len() && self.retired[self.behind].0 <= before {
            self.behind += 1;
        }
        let last = self.behind.checked_sub(1).map(|last| self.retired[last]);
        let (last, retired) = last.unwrap_or((0, 0.0));
        retired + f64::from(before - last) * self.core.instruction_ns
    }

    fn end(&self, instructions: u32) -> f64 {
        let (last, entered) = self.entered;
        let passed = f64::from(instructions.saturating_sub(last)) * self.core.instruction_ns;
        let retired = self.retired_at(instructions.max(last));
        retired.max(entered.max(self.barrier) + passed)
    }
}

/// Times that are not negative have the order of their bits.
fn take_free(pool: &mut BinaryHeap<Reverse<u64>>) -> f64 {
    pool.pop().map_or(0.0, |Reverse(bits)| f64::from_bits(bits))
}

fn give_back(pool: &mut BinaryHeap<Reverse<u64>>, at: f64) {
    pool.push(Reverse(at.to_bits()));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CORE: OverlapCore = OverlapCore {
        window: 512,
        misses: 26,
        fill_buffers: 16,
        instruction_ns: 0.1,
        restart_ns: 5.0,
    };

    fn loads(count: u32, apart: u32, after: impl Fn(u32) -> Option<u32>) -> Vec<LineEvent> {
        let load = |number| LineEvent {
            at: number * apart,
            kind: LineEventKind::Load,
            after: after(number),
        };
        (0..count).map(load).collect()
    }

    /// By hand: lines that follow each other take a latency each, however many lie in the window.
    #[test]
    fn a_chain_has_one_line_under_way() {
        let chain = loads(1000, 10, |number| number.checked_sub(1));
        let time = CORE.time_ns(&chain, 10_000, 100.0);
        assert!((time - 100_001.0).abs() < 2.0, "{time}");
    }

    /// Four chains that take turns have four lines under way.
    #[test]
    fn chains_side_by_side_overlap() {
        let chains = loads(4000, 10, |number| number.checked_sub(4));
        let time = CORE.time_ns(&chains, 40_000, 100.0);
        assert!((time / 100_000.0 - 1.0).abs() < 0.05, "{time}");
    }

    /// Independent lines: as many as fill buffers where the window holds more, and else as many as the window holds.
    #[test]
    fn buffers_or_the_window_bound_independent_lines() {
        for (apart, under_way) in [(10, 16.0), (64, 8.0), (256, 2.0)] {
            let lines = loads(4000, apart, |_| None);
            let time = CORE.time_ns(&lines, 4000 * apart, 1000.0);
            let found = 4000.0 * 1000.0 / time;
            assert!((found / under_way - 1.0).abs() < 0.1, "{apart}: {found}");
        }
    }

    /// A wrong branch behind every line, which waits for it: nothing overlaps, and each restarts.
    #[test]
    fn wrong_branches_on_loaded_values_end_the_overlap() {
        let mut events = Vec::new();
        for number in 0..1000 {
            let (at, line) = (number * 10, 2 * number);
            let kind = LineEventKind::Load;
            events.push(LineEvent {
                at,
                kind,
                after: None,
            });
            let kind = LineEventKind::Mispredicted;
            events.push(LineEvent {
                at: at + 1,
                kind,
                after: Some(line),
            });
        }
        let time = CORE.time_ns(&events, 10_000, 100.0);
        assert!((time / 105_900.0 - 1.0).abs() < 0.01, "{time}");
    }

    /// A prefetcher sixteen lines ahead hides a latency that the lines' own instructions are as long as.
    #[test]
    fn prefetched_lines_come_in_time() {
        let mut events = loads(2000, 100, |_| None);
        for (number, event) in events.iter_mut().enumerate().skip(16) {
            let trigger = number as u32 - 16;
            event.kind = LineEventKind::Prefetched { trigger };
        }
        let time = CORE.time_ns(&events, 200_000, 150.0);
        assert!((time / 20_000.0 - 1.0).abs() < 0.02, "{time}");
    }

    proptest! {
        /// Time grows with the latency, and lies between that of the instructions alone and one line after the other.
        #[test]
        fn time_is_bounded_and_grows(
            told in proptest::collection::vec((0u32..50, 0u32..4, any::<Option<prop::sample::Index>>()), 1..200),
            latency in 1.0f64..500.0,
        ) {
            let (mut at, mut events) = (0, Vec::new());
            for (number, (step, kind, index)) in told.into_iter().enumerate() {
                at += step;
                let after = index.filter(|_| number > 0).map(|index| index.index(number) as u32);
                let kind = match kind {
                    0 => LineEventKind::Load,
                    1 => LineEventKind::Store,
                    2 if number > 0 => LineEventKind::Prefetched { trigger: number as u32 - 1 },
                    _ => LineEventKind::Mispredicted,
                };
                events.push(LineEvent { at, kind, after });
            }
            let time = |latency| CORE.time_ns(&events, at + 1, latency);
            let alone = f64::from(at + 1) * 0.1;
            let most = alone + events.len() as f64 * (latency + 5.0);
            prop_assert!(time(0.0) >= alone - 1e-6);
            prop_assert!(time(latency) <= most + 1e-6, "{} {}", time(latency), most);
            prop_assert!(time(latency) >= time(0.0) - 1e-6);
        }
    }
}
