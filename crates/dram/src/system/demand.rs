//! When each core of a program asks for its next line, and what that is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use wordline_core::draw::{Purpose, draw, standard_exponential, unit_interval};

use super::placement::LineOrder;
use super::program::{ComputeTimes, MemoryProgram, MissOrder};
use super::traffic::CoreStep;
use crate::config::SystemConfig;
use crate::request::RequestKind;

/// Of 2^32: what shares of the lines are compared with.
const WHOLE: f64 = 4_294_967_296.0;

/// More than any run takes: nobody computes for longer.
const NEVER_PS: u64 = 2_000_000_000_000;

/// What a program asks for, the same for each of its cores.
#[derive(Clone, Debug)]
pub(super) struct ProgramDemand {
    pub(super) order: LineOrder,
    /// Lines that a core has under way while it waits.
    pub(super) places: u32,
    grouped: bool,
    /// Time between an answer, or the last one of a group, and the next line, in the mean, in picoseconds.
    rest_ps: f64,
    times: ComputeTimes,
    /// Of 2^32 lines, those that are written, and those that are moved to the busiest channel.
    written: u64,
    moved: u64,
    /// Up to which fraction of 2^64 a window has a level, and how many times as fast its cores compute; empty where load does not
    /// vary.
    levels: Vec<(u64, f64)>,
    window_ps: u64,
    /// Where the levels of windows begin.
    first: u64,
    seed: u64,
}

impl ProgramDemand {
    /// Cursor 0 reads, and cursor 2 writes.
    pub(super) const BUFFERS: [u64; 3] = [0, 1, 1];

    /// The demand of a program that was checked.
    pub(super) fn new(program: &MemoryProgram, config: &SystemConfig) -> Self {
        let places = program.under_way_on(&config.cores);
        let of_whole = |share: f64| (share * WHOLE).round() as u64;
        let mut until = 0.0;
        let levels = program.levels.iter().map(|level| {
            until += level.share;
            // The last one ends with the whole, whatever rounding says.
            ((until * WHOLE * WHOLE) as u64, level.multiple)
        });
        let mut levels: Vec<_> = levels.collect();
        if let Some(last) = levels.last_mut() {
            last.0 = u64::MAX;
        }
        Self {
            order: LineOrder::with_locality(program.locality),
            places,
            grouped: program.misses == MissOrder::Grouped,
            rest_ps: program.compute_ps * f64::from(places),
            times: program.compute_times,
            written: of_whole(program.write_share),
            moved: of_whole(program.moved_share(config)),
            levels,
            window_ps: program.level_window_ps.max(1),
            first: draw(program.seed, u64::MAX, 0, Purpose::Compute),
            seed: program.seed,
        }
    }

    /// Places that waits are counted for: of a group they wait together.
    pub(super) fn waits_apart(&self) -> u32 {
        if self.grouped { 1 } else { self.places }
    }

    /// When somebody is done who computes for so long at level 1.
    fn after(&self, now_ps: u64, compute_ps: f64) -> u64 {
        if self.levels.is_empty() {
            return now_ps.saturating_add(compute_ps.round() as u64);
        }
        let last_ps = now_ps.saturating_add(NEVER_PS);
        let (mut now_ps, mut left_ps) = (now_ps, compute_ps);
        while now_ps < last_ps {
            let window = now_ps / self.window_ps;
            let end_ps = (window + 1).saturating_mul(self.window_ps);
            let speed = self.speed(window);
            let here_ps = (end_ps - now_ps) as f64;
            if speed * here_ps >= left_ps && speed > 0.0 {
                return now_ps.saturating_add((left_ps / speed).round() as u64);
            }
            left_ps -= speed * here_ps;
            now_ps = end_ps;
        }
        now_ps
    }

    /// How many times as fast cores compute in a window. Windows take their levels by multiples of the golden ratio, so that
    /// any stretch of them has each level for its share.
    fn speed(&self, window: u64) -> f64 {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let at = window.wrapping_mul(GOLDEN).wrapping_add(self.first);
        let level = self.levels.iter().find(|(until, _)| at <= *until);
        level.map_or(1.0, |(_, multiple)| *multiple)
    }
}

/// A core of a program: what it has asked for, and when it asks again.
#[derive(Clone, Debug)]
pub(super) struct ProgramCore {
    demand: Arc<ProgramDemand>,
    core: u64,
    /// Lines that it has asked for, and times that it has computed.
    lines: u64,
    rests: u64,
    /// When each place that computes asks for its next line.
    free_ps: BinaryHeap<Reverse<u64>>,
    /// Lines of the group that have not come, and when the first of them was asked for.
    of_group: u32,
    asked_ps: u64,
}

impl ProgramCore {
    pub(super) fn new(demand: &Arc<ProgramDemand>, number: u16) -> Self {
        Self {
            demand: Arc::clone(demand),
            core: number.into(),
            lines: 0,
            rests: 0,
            free_ps: BinaryHeap::with_capacity(demand.places as usize),
            of_group: 0,
            asked_ps: 0,
        }
    }

    /// Whatever computes has done so for some time already: places are not in step. All compute in the beginning; later on
    /// those that do go on with the rest of another time.
    pub(super) fn begin(&mut self, episode: u64, now_ps: u64) {
        let places = self.demand.places as usize;
        let computing = if episode == 0 {
            places
        } else {
            self.free_ps.len()
        };
        if self.demand.grouped {
            // A group of which some have been asked for waits.
            if computing == places {
                self.free_ps.clear();
                let free_ps = self.part_of_rest(now_ps);
                self.free_group(free_ps);
            }
            return;
        }
        self.free_ps.clear();
        for _ in 0..computing {
            let free_ps = self.part_of_rest(now_ps);
            self.free_ps.push(Reverse(free_ps));
        }
    }

    fn bits(&mut self) -> u64 {
        let number = self.rests;
        self.rests += 1;
        draw(self.demand.seed, self.core, number, Purpose::Compute)
    }

    /// When a place that computes now does so no more.
    fn part_of_rest(&mut self, now_ps: u64) -> u64 {
        let bits = self.bits();
        let part = match self.demand.times {
            ComputeTimes::Constant => unit_interval(bits),
            // What is left of it is distributed as the whole is.
            ComputeTimes::Exponential => standard_exponential(bits),
        };
        self.demand.after(now_ps, part * self.demand.rest_ps)
    }

    /// When a place that begins to compute has done so.
    fn rest(&mut self, now_ps: u64) -> u64 {
        let part = match self.demand.times {
            ComputeTimes::Constant => 1.0,
            ComputeTimes::Exponential => standard_exponential(self.bits()),
        };
        self.demand.after(now_ps, part * self.demand.rest_ps)
    }

    fn free_group(&mut self, free_ps: u64) {
        let places = self.demand.places;
        self.free_ps
            .extend(std::iter::repeat_n(Reverse(free_ps), places as usize));
        self.of_group = places;
        self.asked_ps = free_ps;
    }

    /// When it asks for its next line, as far as answers are known.
    pub(super) fn next_ps(&self) -> Option<u64> {
        self.free_ps.peek().map(|Reverse(free_ps)| *free_ps)
    }

    /// Its next line: what it does, and whether it goes to the busiest channel.
    pub(super) fn ask(&mut self) -> (CoreStep, bool) {
        self.free_ps.pop();
        let bits = draw(self.demand.seed, self.core, self.lines, Purpose::Mix);
        self.lines += 1;
        let is_write = (bits >> 32) < self.demand.written;
        let is_moved = (bits & 0xFFFF_FFFF) < self.demand.moved;
        let step = CoreStep {
            kind: if is_write {
                RequestKind::Write
            } else {
                RequestKind::Read
            },
            cursor: 2 * u8::from(is_write),
            paced: false,
        };
        (step, is_moved)
    }

    /// An answer has come, after so long. Returns how long somebody waited for it who does so no more.
    pub(super) fn answered(&mut self, time_ps: u64, latency_ps: u64) -> u64 {
        if !self.demand.grouped {
            let free_ps = self.rest(time_ps);
            self.free_ps.push(Reverse(free_ps));
            return latency_ps;
        }
        self.of_group -= 1;
        if self.of_group > 0 {
            return 0;
        }
        let waited_ps = time_ps - self.asked_ps;
        let free_ps = self.rest(time_ps);
        self.free_group(free_ps);
        waited_ps
    }
}
