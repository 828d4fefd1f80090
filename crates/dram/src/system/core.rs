//! A core: which lines it asks for, and when.

use wordline_core::draw::{Purpose, draw};

use super::demand::ProgramCore;
use super::inbox::Inbox;
use super::placement::{BufferCursor, LineOrder, Placement};
use super::tally::RequestTally;
use wordline_core::{Mix, Pattern};

use super::traffic::{CoreLoad, CoreStep, CoreWork, round};
use crate::config::CoreConfig;
use crate::request::RequestKind;

/// Most cores of a run: their numbers are part of request names.
pub(super) const CORES_MAX: u64 = 1 << CORE_BITS;
const CORE_BITS: u32 = 16;

/// The name of a request: who sent it, and when (modulo 281 s, which no request takes).
pub(super) const fn name(core: u16, issued_ps: u64) -> u64 {
    issued_ps << CORE_BITS | core as u64
}

/// Who sent a request.
pub(super) const fn sender(id: u64) -> usize {
    (id & (CORES_MAX - 1)) as usize
}

/// Picoseconds from the issue of a request to a time.
const fn latency(id: u64, time_ps: u64) -> u64 {
    (time_ps << CORE_BITS).wrapping_sub(id & !(CORES_MAX - 1)) >> CORE_BITS
}

/// An answer on its way to a core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Return {
    /// When it reaches the core, in picoseconds.
    pub(super) time_ps: u64,
    pub(super) id: u64,
    pub(super) kind: RequestKind,
}

/// The times that all cores share, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct CorePace {
    /// Between two lines of a core.
    cycle_ps: u64,
    /// Between two accesses of a load core.
    interval_ps: u64,
}

impl CorePace {
    pub(super) fn new(config: &CoreConfig, delay_cycles: u64) -> Self {
        let cycles = |count: u64| {
            let hz = u128::from(config.clock_hz.max(1));
            let ps = (u128::from(count) * 1_000_000_000_000 + hz / 2) / hz;
            u64::try_from(ps).unwrap_or(u64::MAX).clamp(1, 1 << 62)
        };
        Self {
            cycle_ps: cycles(1),
            interval_ps: cycles(delay_cycles.max(1)),
        }
    }
}

/// A core, be it one that makes load or a probe.
#[derive(Clone, Debug)]
pub(super) struct Core {
    number: u16,
    probe: bool,
    /// Lines that may still be asked for, and fill buffers that are free.
    free: u32,
    buffers: u32,
    /// Whether a read holds a fill buffer, and a write.
    holds: [bool; 2],
    round: &'static [CoreStep],
    step: usize,
    /// When the next step may be done, and the next paced one.
    ready_ps: u64,
    paced_ps: u64,
    /// Accesses before the next pause, and in each group between two.
    until_pause: u32,
    group: u32,
    interval_ps: u64,
    cycle_ps: u64,
    cursors: [BufferCursor; 3],
    /// What it asks for instead of its round, where it runs a program.
    program: Option<Box<ProgramCore>>,
    /// Answers that have not reached it. The first of them are sorted by time.
    returns: Vec<Return>,
}

impl Core {
    /// A core that makes load.
    pub(super) fn load(config: &CoreConfig, load: &CoreLoad, at: &Placement, number: u16) -> Self {
        let mut core = Self {
            probe: false,
            ..Self::probe(config, load, at, number)
        };
        let lines = match &load.work {
            CoreWork::Rounds {
                mix,
                pattern,
                delay_cycles,
            } => {
                let demand = *pattern == Pattern::Random;
                let split = config.fill_buffers.is_some();
                core.buffers = config.fill_buffers.unwrap_or(config.misses);
                core.holds = [split && demand, split && *mix == Mix::Triad];
                core.round = round(*mix);
                core.group = config.lines_per_pause;
                core.interval_ps = CorePace::new(config, *delay_cycles).interval_ps;
                config.misses
            }
            CoreWork::Program(demand) => {
                core.program = Some(Box::new(ProgramCore::new(demand, number)));
                demand.places
            }
        };
        core.free = lines;
        core.returns = Vec::with_capacity(lines.min(1 << 16) as usize);
        core.begin(config, load, at, 0, 0);
        core
    }

    /// Goes on elsewhere: anywhere in its buffers, its round and its pause, so that cores are not in step. What is under
    /// way stays so. Of accesses between pauses as many are asked for in the next time as without this, on average.
    pub(super) fn begin(
        &mut self,
        config: &CoreConfig,
        load: &CoreLoad,
        at: &Placement,
        episode: u64,
        now_ps: u64,
    ) {
        let first = u64::from(self.number) * load.work.buffer_count();
        let (order, ahead) = match &load.work {
            CoreWork::Rounds { pattern, .. } => {
                (LineOrder::from(*pattern), config.write_back_bytes / 64)
            }
            CoreWork::Program(demand) => (demand.order, 0),
        };
        let ahead = [0, ahead, 0];
        self.cursors = [0, 1, 2].map(|index| {
            let buffer = first + load.work.buffers()[index];
            BufferCursor::new(at, buffer, order, ahead[index])
        });
        if let Some(program) = &mut self.program {
            program.begin(episode, now_ps);
            self.ready_ps = self.ready_ps.max(now_ps);
            return;
        }
        let chance = |what: u64, choices: u64| {
            let what = 2 * episode + what;
            draw(load.seed, self.number.into(), what, Purpose::Arrival) % choices
        };
        self.step = chance(0, self.round.len() as u64) as usize;
        // A period is a pause and the accesses of a group but the first, a cycle each.
        let rest_ps = u64::from(self.group - 1) * self.cycle_ps;
        let within = chance(1, self.interval_ps.saturating_add(rest_ps));
        let (wait_ps, until_pause) = match within.checked_sub(self.interval_ps) {
            None => (within, self.group),
            Some(into) => (0, 1 + (into / self.cycle_ps) as u32),
        };
        self.ready_ps = now_ps.saturating_add(wait_ps);
        self.paced_ps = self.ready_ps;
        self.until_pause = until_pause;
    }

    /// A core that reads one random line after the other.
    pub(super) fn probe(config: &CoreConfig, load: &CoreLoad, at: &Placement, number: u16) -> Self {
        let probe = u64::from(number).saturating_sub(load.cores.into());
        let buffer = u64::from(load.cores) * load.work.buffer_count() + probe;
        let cursor = BufferCursor::new(at, buffer, LineOrder::Random, 0);
        let pace = CorePace::new(config, 0);
        Self {
            number,
            probe: true,
            free: 1,
            buffers: 1,
            holds: [false; 2],
            round: round(Mix::Reads),
            step: 0,
            ready_ps: 0,
            paced_ps: 0,
            until_pause: 1,
            group: 1,
            interval_ps: pace.cycle_ps,
            cycle_ps: pace.cycle_ps,
            cursors: [cursor.clone(), cursor.clone(), cursor],
            program: None,
            returns: Vec::with_capacity(1),
        }
    }

    /// Takes note of an answer under way.
    #[inline]
    pub(super) fn expect(&mut self, answer: Return) {
        self.returns.push(answer);
    }

    /// Does everything that the core does before a time. All answers that reach it before are known.
    #[inline]
    pub(super) fn run(
        &mut self,
        end_ps: u64,
        at: &Placement,
        inbox: &mut Inbox,
        tally: &mut RequestTally,
    ) {
        self.returns.sort_unstable_by_key(|answer| answer.time_ps);
        let taken = match self.program.take() {
            Some(mut program) => {
                let taken = self.run_program(&mut program, end_ps, at, inbox, tally);
                self.program = Some(program);
                taken
            }
            None => self.run_round(end_ps, at, inbox, tally),
        };
        for answer in &self.returns[..taken] {
            let latency_ps = latency(answer.id, answer.time_ps);
            tally.returned(answer.kind, answer.time_ps, latency_ps);
            if self.probe {
                tally.sampled(answer.time_ps, self.number, latency_ps);
            }
        }
        self.returns.drain(..taken);
    }

    /// The steps of its round, as its pauses and the lines under way let it. Returns how many answers came.
    #[inline]
    fn run_round(
        &mut self,
        end_ps: u64,
        at: &Placement,
        inbox: &mut Inbox,
        tally: &mut RequestTally,
    ) -> usize {
        let mut taken = 0;
        loop {
            if self.is_full() {
                match self.returns.get(taken).copied() {
                    Some(answer) if answer.time_ps < end_ps => {
                        self.take_back(answer.kind);
                        if answer.time_ps > self.ready_ps {
                            if !self.probe {
                                tally.waited(answer.time_ps - self.ready_ps);
                            }
                            self.ready_ps = answer.time_ps;
                        }
                        taken += 1;
                        continue;
                    }
                    _ => break,
                }
            }
            if self.ready_ps >= end_ps {
                break;
            }
            let step = self.step();
            if step.paced {
                self.until_pause -= 1;
                if self.until_pause == 0 {
                    self.until_pause = self.group;
                    self.paced_ps = self.ready_ps.saturating_add(self.interval_ps);
                }
            }
            self.issue(step, false, at, inbox, tally);
            if self.round[self.step].paced {
                self.ready_ps = self.ready_ps.max(self.paced_ps);
            }
        }
        // What is left frees lines for later.
        while let Some(answer) = self.returns.get(taken).copied()
            && answer.time_ps < end_ps
        {
            self.take_back(answer.kind);
            taken += 1;
        }
        taken
    }

    /// The lines of its program. Returns how many answers came.
    fn run_program(
        &mut self,
        program: &mut ProgramCore,
        end_ps: u64,
        at: &Placement,
        inbox: &mut Inbox,
        tally: &mut RequestTally,
    ) -> usize {
        let mut taken = 0;
        while let Some(answer) = self.returns.get(taken).copied()
            && answer.time_ps < end_ps
        {
            self.take_back(answer.kind);
            let latency_ps = latency(answer.id, answer.time_ps);
            tally.waited(program.answered(answer.time_ps, latency_ps));
            tally.program_line(answer.kind, latency_ps);
            taken += 1;
        }
        while let Some(next_ps) = program.next_ps() {
            let now_ps = self.ready_ps.max(next_ps);
            if now_ps >= end_ps {
                break;
            }
            self.ready_ps = now_ps;
            let (step, moved) = program.ask();
            self.issue(step, moved, at, inbox, tally);
        }
        taken
    }

    /// Whether the next step has to wait for an answer.
    #[inline]
    fn is_full(&self) -> bool {
        self.free == 0 || (self.buffers == 0 && self.holds[self.round[self.step].kind as usize])
    }

    #[inline]
    fn take_back(&mut self, kind: RequestKind) {
        self.free += 1;
        self.buffers += u32::from(self.holds[kind as usize]);
    }

    /// The next step of the round.
    #[inline]
    fn step(&mut self) -> CoreStep {
        let step = self.round[self.step];
        self.step += 1;
        if self.step == self.round.len() {
            self.step = 0;
        }
        step
    }

    /// Does a step, and is ready for another one a cycle later.
    #[inline]
    fn issue(
        &mut self,
        step: CoreStep,
        moved: bool,
        at: &Placement,
        inbox: &mut Inbox,
        tally: &mut RequestTally,
    ) {
        let now = self.ready_ps;
        let line = self.cursors[usize::from(step.cursor)].next(at);
        inbox.post(name(self.number, now), step.kind, line, moved, now);
        tally.issued(step.kind, now);
        self.free -= 1;
        self.buffers -= u32::from(self.holds[step.kind as usize]);
        self.ready_ps = now.saturating_add(self.cycle_ps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_who_and_when() {
        for issued in [0, 1, 123_456_789, (1 << 48) - 1, (1 << 48) + 7] {
            let id = name(777, issued);
            assert_eq!(sender(id), 777);
            assert_eq!(latency(id, issued + 98_765), 98_765);
        }
    }

    #[test]
    fn a_delay_is_rounded_once() {
        let mut config = crate::system::sample::rdimm_6400().cores;
        config.clock_hz = 2_700_000_000;
        let pace = CorePace::new(&config, 20_000);
        assert_eq!((pace.cycle_ps, pace.interval_ps), (370, 7_407_407));
        assert_eq!(CorePace::new(&config, 0).interval_ps, 370);
        assert_eq!(CorePace::new(&config, u64::MAX).interval_ps, 1 << 62);
    }
}
