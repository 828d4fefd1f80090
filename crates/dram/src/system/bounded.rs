//! A memory whose queues refuse what they have no room for, and that stops at every event.

use std::ops::RangeInclusive;

use super::memory::{Completion, MemoryError, MemorySystem};
use crate::config::{ConfigError, SystemConfig};
use crate::mapping::{AddressError, AddressMap, DecodedAddress};
use crate::observer::Observer;
use crate::request::{Request, RequestKind};

/// How many clocks a sub-channel without anything to say may lie behind: it is refreshed all the same.
const BEHIND_MAX: u64 = 1 << 20;

/// The memory of a system for a caller that reacts to it: a request comes at the present time and only where its queue
/// has room, and [`step`](Self::step) goes to the next time at which the caller may want to do something. Times are
/// picoseconds, counted from 0.
///
/// Sub-channels are run only as far as the caller can see: one that cannot complete anything by a time, and has no full
/// queue, is left behind until it can.
#[derive(Debug)]
pub struct BoundedMemory<O: Observer> {
    memory: MemorySystem<O>,
    /// Requests that may wait in front of each full queue.
    in_front: u32,
    now_ps: u64,
    /// The first clock edge at or after that, and the first time at which what happens there is seen.
    edge: u64,
    edge_seen_ps: u64,
    /// The clock edge that all sub-channels have reached.
    reached: u64,
    /// What was decoded last: a request is asked about, refused and pushed again.
    last: (u64, DecodedAddress),
    /// For each sub-channel the first time at which anything can be seen of it that is not known.
    horizons: Vec<u64>,
}

impl<O: Observer> BoundedMemory<O> {
    /// An idle memory; every sub-channel is watched by what `observer` makes for its channel and number. In front of each
    /// queue that is full `in_front` requests wait, where more are refused; a write that waits there is not accepted.
    ///
    /// # Errors
    /// When the configuration contradicts itself.
    pub fn new(
        config: &SystemConfig,
        in_front: u32,
        observer: impl FnMut(u32, u32) -> O,
    ) -> Result<Self, ConfigError> {
        let memory = MemorySystem::new(config, observer)?;
        Ok(Self {
            in_front,
            now_ps: 0,
            edge: 0,
            edge_seen_ps: 1,
            reached: 0,
            last: (0, memory.map().place(0)),
            horizons: vec![u64::MAX; memory.parts.len()],
            memory,
        })
    }

    /// What the memory is.
    #[must_use]
    pub fn config(&self) -> &SystemConfig {
        &self.memory.config
    }

    /// From addresses to places.
    #[must_use]
    pub fn map(&self) -> &AddressMap {
        self.memory.map()
    }

    /// The time that the memory was run to, in picoseconds.
    #[must_use]
    pub const fn now_ps(&self) -> u64 {
        self.now_ps
    }

    /// The first clock edge that has not been run.
    #[must_use]
    pub const fn edge(&self) -> u64 {
        self.edge
    }

    fn arrive(&mut self, now_ps: u64) {
        if now_ps != self.now_ps {
            self.now_ps = now_ps;
            self.edge = self.edge_at(now_ps);
            self.edge_seen_ps = self.behind(self.edge);
        }
    }

    fn edge_at(&self, time_ps: u64) -> u64 {
        let clock = self.memory.config.sub_channel.clock;
        clock.edge_at_or_after(time_ps)
    }

    /// The first time at which what happens at a clock edge is seen.
    fn behind(&self, edge: u64) -> u64 {
        self.memory
            .config
            .sub_channel
            .clock
            .ps(edge)
            .saturating_add(1)
    }

    /// Whether the queue of a request has room.
    ///
    /// # Errors
    /// When the memory has no such line.
    pub fn can_accept(&mut self, address: u64, kind: RequestKind) -> Result<bool, AddressError> {
        let place = self.place(address)?;
        Ok(self.has_room(&place, kind))
    }

    #[inline]
    fn place(&mut self, address: u64) -> Result<DecodedAddress, AddressError> {
        if self.last.0 != address {
            self.last = (address, self.memory.map().decode(address)?);
        }
        Ok(self.last.1)
    }

    /// One that is full was run to a time before which nothing leaves it; one that was left behind and has room has more
    /// of it now.
    #[inline]
    fn has_room(&self, place: &DecodedAddress, kind: RequestKind) -> bool {
        let policy = &self.memory.config.sub_channel.policy;
        let room = self.in_front
            + match kind {
                RequestKind::Read => policy.read_queue,
                RequestKind::Write => policy.write_queue,
            };
        let part = &self.memory.parts[self.memory.index(place)];
        part.queued(place.location.pseudo_channel, kind) < room as usize
    }

    /// Takes a request that reaches its controller now, at the first clock edge. Whether there was room for it.
    ///
    /// # Errors
    /// When the memory has no such line.
    #[inline]
    pub fn push(&mut self, id: u64, kind: RequestKind, address: u64) -> Result<bool, MemoryError> {
        let place = self.place(address);
        let place = place.map_err(|problem| MemoryError::Address { id, problem })?;
        if !self.has_room(&place, kind) {
            return Ok(false);
        }
        let part = self.memory.index(&place);
        let edge = self.edge;
        let of = &mut self.memory.parts[part];
        of.push(Request {
            id,
            kind,
            location: place.location,
            arrival: edge,
        })?;
        self.memory.told_ps = self.now_ps;
        if of.now() < edge && of.full_queues(self.in_front) != 0 {
            // It seems full because it was left behind, or is so from now on.
            of.run(edge);
            self.look(part);
        } else {
            // A write is accepted there, or a read answered by the write queue.
            self.horizons[part] = self.horizons[part].min(self.edge_seen_ps);
        }
        Ok(true)
    }

    /// Does everything that happens before a time, which is `now` then.
    pub fn run(&mut self, until_ps: u64) {
        self.pass(self.now_ps..=until_ps, false);
    }

    /// Does everything up to the first time at which a request is completed, or a queue that was full has room, which is
    /// `now` then; up to the limit where nothing of that comes before.
    pub fn step(&mut self, limit_ps: u64) {
        self.pass(self.now_ps..=limit_ps, true);
    }

    fn pass(&mut self, times: RangeInclusive<u64>, stops: bool) {
        let mut end_ps = *times.end();
        let mut ran = false;
        loop {
            if stops && let Some((completion, _)) = self.memory.answers.front() {
                end_ps = end_ps.min(completion.time_ps.saturating_add(1));
            }
            let mut first = (u64::MAX, 0);
            let mut second = end_ps;
            for (part, &horizon) in self.horizons.iter().enumerate() {
                if horizon < first.0 {
                    second = second.min(first.0);
                    first = (horizon, part);
                } else {
                    second = second.min(horizon);
                }
            }
            let (horizon, part) = first;
            if horizon > end_ps {
                break;
            }
            if !stops {
                let edge = self.edge_at(end_ps);
                self.memory.parts[part].run(edge);
                self.foresee(part);
                ran = true;
                continue;
            }
            let until = self.edge_at(second);
            let of = &mut self.memory.parts[part];
            let full = of.full_queues(self.in_front);
            let at = of.step(until);
            if full & !of.full_queues(self.in_front) != 0 {
                end_ps = end_ps.min(self.behind(at.saturating_sub(1)));
            }
            self.look(part);
        }
        if ran {
            self.memory.collect(None);
        }
        self.arrive(end_ps.max(*times.start()));
        if self.edge - self.reached > BEHIND_MAX {
            self.catch_up();
        }
    }

    /// Fetches what a sub-channel has answered, and sees how far it can be left alone.
    fn look(&mut self, part: usize) {
        self.memory.fetch(part);
        self.foresee(part);
    }

    #[inline]
    fn foresee(&mut self, part: usize) {
        let config = &self.memory.config;
        let (clock, timing) = (config.sub_channel.clock, &config.sub_channel.timing);
        let of = &self.memory.parts[part];
        let seen = |edge: u64, later: u64| {
            let ps = if edge == u64::MAX {
                edge
            } else {
                clock.ps(edge)
            };
            ps.saturating_add(later).saturating_add(1)
        };
        let arrival = seen(of.next_arrival(), 0);
        // What is served makes room, also for writes that have not been accepted.
        let matters = of.full_queues(self.in_front) != 0 || of.has_backlog();
        self.horizons[part] = if matters {
            arrival.min(seen(of.no_service_before(), 0))
        } else if of.has_reads() {
            let data = u64::from(timing.cl) + u64::from(timing.burst);
            let data = of.no_service_before().saturating_add(data);
            arrival.min(seen(data, config.module_delay_ps))
        } else {
            arrival
        };
    }

    /// Runs all sub-channels to the present time.
    fn catch_up(&mut self) {
        let edge = self.edge;
        for part in 0..self.memory.parts.len() {
            self.memory.parts[part].run(edge);
            self.look(part);
        }
        self.reached = edge;
    }

    /// Runs until every request is done, with no writes kept back; that is `now` then.
    pub fn drain(&mut self) {
        self.catch_up();
        let end_ps = self.memory.flush();
        let last = self.memory.answers.back();
        let told_ps = last.map_or(0, |(completion, _)| completion.time_ps + 1);
        self.arrive(self.now_ps.max(end_ps).max(told_ps));
        self.catch_up();
    }

    /// The next request that was completed before `now`, in the order of times, those of one time by sub-channel.
    pub fn pop_completed(&mut self) -> Option<Completion> {
        if !self.has_completed() {
            return None;
        }
        self.memory.answers.pop_front().map(|(first, _)| first)
    }

    /// Whether there is such a request.
    #[must_use]
    pub fn has_completed(&self) -> bool {
        let first = self.memory.answers.front();
        first.is_some_and(|(first, _)| first.time_ps < self.now_ps)
    }

    /// A time before which nothing is completed and no queue that is full gets room, if nothing is pushed. None where
    /// nothing is to come.
    #[must_use]
    pub fn next_event_ps(&self) -> Option<u64> {
        let mut answers = self.memory.answers.iter();
        let known = answers.find(|(answer, _)| answer.time_ps >= self.now_ps);
        let known = known.map_or(u64::MAX, |(first, _)| first.time_ps.saturating_add(1));
        let next = self.horizons.iter().fold(known, |next, of| next.min(*of));
        (next != u64::MAX).then_some(next.max(self.now_ps))
    }

    /// What watches, with everything before `now` done, to be read out or reset.
    pub fn observers_mut(&mut self) -> impl Iterator<Item = &mut O> {
        self.catch_up();
        self.memory.observers_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{PagePolicy, Refresh, SameBankOrder};
    use crate::scheduler::SchedulerName;
    use crate::statistics::Statistics;
    use crate::system::sample::{mrdimm_8800, rdimm_6400};
    use proptest::prelude::*;

    /// What a caller does: whether it stops at events, and its requests, each with near lines or far ones, whether it
    /// writes, a line, and the pause before it.
    type Calls = Vec<(bool, bool, u64, u64)>;

    fn calls() -> impl Strategy<Value = Calls> {
        let pause = prop_oneof![4 => Just(0), 1 => 1u64..5_000, 1 => 1u64..2_000_000];
        let one = (
            any::<bool>(),
            prop::bool::weighted(0.4),
            0u64..1 << 30,
            pause,
        );
        prop::collection::vec(one, 1..300)
    }

    fn configs() -> impl Strategy<Value = SystemConfig> {
        let queues = (1u32..20, 2u32..20);
        let page = prop_oneof![
            Just(PagePolicy::Open),
            Just(PagePolicy::Closed),
            Just(PagePolicy::Timeout(200))
        ];
        let refresh = prop_oneof![Just(Refresh::AllBank), Just(Refresh::SameBank)];
        let power = prop_oneof![Just(None), Just(Some(50))];
        let scheduler = prop_oneof![
            2 => Just(SchedulerName::FrFcfs),
            1 => Just(SchedulerName::BatchFirst)
        ];
        // Rows ahead of a turn, hits before it, an early turn, REFsb of idle banks, refreshes ahead, places aside.
        let count = || prop_oneof![Just(0u32), Just(0), 1u32..9];
        let late = (
            count(),
            count(),
            any::<bool>(),
            any::<bool>(),
            count(),
            count(),
        );
        // One bank of every group, pairs of banks or single ones; and commands that take the bus for one clock or two.
        let shape = (prop::sample::select(vec![4u8, 8, 32]), 1u32..3, 1u32..3);
        let all = (any::<bool>(), any::<bool>(), queues, page, refresh, power);
        let all = (all, scheduler, late, shape);
        all.prop_map(
            |((module, shared, (reads, writes), page, refresh, power), scheduler, late, shape)| {
                let mut config = if module { mrdimm_8800() } else { rdimm_6400() };
                let (sets, long, column) = shape;
                let of = &mut config.sub_channel;
                (of.timing.long_command, of.timing.column_command) = (long, column);
                of.geometry.refresh_sets = sets;
                of.timing.refsb_gap /= u32::from(sets / 4);
                let policy = &mut config.sub_channel.policy;
                policy.shared_queues = shared && module;
                (policy.read_queue, policy.write_queue) = (reads, writes);
                (policy.drain_high, policy.drain_low) = (writes.div_ceil(2).max(1), writes / 4);
                (policy.page, policy.refresh, policy.power_down) = (page, refresh, power);
                policy.scheduler = scheduler;
                let (lookahead, hits, early, idle_first, pulled_in, aside) = late;
                (policy.turn_lookahead, policy.turn_hits_max) = (lookahead, hits);
                policy.turn_early = early && lookahead > 0;
                if idle_first {
                    policy.same_bank_order = SameBankOrder::IdleFirst;
                }
                (policy.refresh_pulled_in_max, policy.refresh_aside) = (pulled_in, aside);
                config
            },
        )
    }

    /// Pushes the requests, and checks on the way that every event is one.
    fn by_steps(
        config: &SystemConfig,
        in_front: u32,
        calls: &Calls,
        stops: bool,
    ) -> (Vec<Completion>, Vec<u64>, u64) {
        let watch = |_, _| Statistics::new(&config.sub_channel);
        let mut memory = BoundedMemory::new(config, in_front, watch).expect("sound");
        let (mut done, mut pushed) = (Vec::new(), Vec::new());
        for (id, &(near, write, line, pause)) in calls.iter().enumerate() {
            let line = if near { line % 4 } else { line };
            let kind = if write {
                RequestKind::Write
            } else {
                RequestKind::Read
            };
            let due = memory.now_ps() + pause;
            while memory.now_ps() < due {
                advance(&mut memory, due, stops, &mut done);
            }
            while !memory.push(id as u64, kind, line * 64).expect("a line") {
                assert!(!memory.can_accept(line * 64, kind).expect("a line"));
                let next = memory.next_event_ps().expect("a full queue gets room");
                let limit = if stops { u64::MAX } else { next };
                advance(&mut memory, limit, stops, &mut done);
            }
            pushed.push(memory.now_ps());
        }
        let drained = memory.now_ps();
        memory.drain();
        done.extend(std::iter::from_fn(|| memory.pop_completed()));
        (done, pushed, drained)
    }

    fn advance(
        memory: &mut BoundedMemory<Statistics>,
        limit: u64,
        stops: bool,
        done: &mut Vec<Completion>,
    ) {
        let (before, next) = (memory.now_ps(), memory.next_event_ps());
        if stops {
            memory.step(limit);
        } else {
            memory.run(next.map_or(limit, |next| next.min(limit)));
        }
        let now = memory.now_ps();
        let new: Vec<_> = std::iter::from_fn(|| memory.pop_completed()).collect();
        assert!(now > before, "time goes on");
        for completion in &new {
            assert!(
                next.is_some_and(|next| next <= completion.time_ps + 1),
                "foretold"
            );
            assert!(
                !stops || completion.time_ps + 1 == now,
                "one event, one time"
            );
        }
        done.extend(new);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        /// Stopping at every event gives the same completions as never stopping.
        #[test]
        fn steps_change_nothing(config in configs(), in_front in 0u32..5, calls in calls()) {
            let (done, pushed, drained) = by_steps(&config, in_front, &calls, true);
            let (again, pushed_again, _) = by_steps(&config, in_front, &calls, false);
            let mut whole = MemorySystem::new(&config, |_, _| ()).expect("sound");
            for (id, (&(near, write, line, _), &time_ps)) in calls.iter().zip(&pushed).enumerate() {
                let line = if near { line % 4 } else { line };
                let kind = if write { RequestKind::Write } else { RequestKind::Read };
                whole.push(id as u64, kind, line * 64, time_ps).expect("in order");
            }
            whole.run(drained);
            let mut by_whole: Vec<_> = whole.completed().collect();
            whole.flush();
            by_whole.extend(whole.completed());
            prop_assert_eq!(&done, &by_whole);
            prop_assert_eq!(done, again);
            prop_assert_eq!(pushed, pushed_again);
        }
    }
}
