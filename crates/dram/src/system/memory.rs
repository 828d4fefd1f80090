//! All sub-channels behind one door, for callers that bring their own requests.

use std::collections::VecDeque;

use super::answer::Answers;
use crate::config::{ConfigError, SystemConfig};
use crate::engine::{PushError, ScheduledSubChannel};
use crate::mapping::{AddressError, AddressMap, DecodedAddress};
use crate::observer::Observer;
use crate::request::{Request, RequestKind};

/// A request that the memory does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// Its address is none of the memory's lines.
    #[error("request {id}: {problem}")]
    Address {
        /// Name of the request.
        id: u64,
        /// What is wrong with the address.
        problem: AddressError,
    },
    /// Time runs backwards.
    #[error(
        "request {id} comes at {time_ps} ps, but the memory has been told of {after_ps} ps already"
    )]
    Late {
        /// Name of the request.
        id: u64,
        /// When it comes, in picoseconds.
        time_ps: u64,
        /// The latest time that was pushed or run, in picoseconds.
        after_ps: u64,
    },
    /// The sub-channel refuses it.
    #[error(transparent)]
    Push(#[from] PushError),
}

/// A request that is done as far as its sender is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Name of the request.
    pub id: u64,
    /// What it did.
    pub kind: RequestKind,
    /// When the data of a read have reached the controller, what the module adds included, or when the controller
    /// accepted a write; in picoseconds. Reads that the controller's write queue answers do not cross the module.
    pub time_ps: u64,
}

/// The memory of a system: sub-channels and the mapping in front of them. Times are picoseconds, counted from 0.
///
/// ```no_run
/// use wordline_dram::{RequestKind, SystemConfig, system::MemorySystem};
///
/// fn latency_ps(config: &SystemConfig) -> Result<u64, Box<dyn std::error::Error>> {
///     let mut memory = MemorySystem::new(config, |_, _| ())?;
///     memory.push(1, RequestKind::Read, 0x1000, 0)?;
///     memory.flush();
///     Ok(memory.completed().next().map_or(0, |completion| completion.time_ps))
/// }
/// ```
#[derive(Debug)]
pub struct MemorySystem<O: Observer> {
    pub(super) config: SystemConfig,
    map: AddressMap,
    pub(super) parts: Vec<ScheduledSubChannel<(Answers, O)>>,
    /// Answers with their sub-channels, in the order of time, sub-channel and appearance. The first `ready` are due.
    pub(super) answers: VecDeque<(Completion, usize)>,
    ready: usize,
    pub(super) told_ps: u64,
}

impl<O: Observer> MemorySystem<O> {
    /// An idle memory; every sub-channel is watched by what `observer` makes for its channel and number.
    ///
    /// # Errors
    /// When the configuration contradicts itself.
    pub fn new(
        config: &SystemConfig,
        mut observer: impl FnMut(u32, u32) -> O,
    ) -> Result<Self, ConfigError> {
        let map = AddressMap::new(config)?;
        let mut parts = Vec::new();
        for channel in 0..config.channels {
            for sub_channel in 0..config.sub_channels {
                let observers = (Answers::default(), observer(channel, sub_channel));
                let number = channel * config.sub_channels + sub_channel;
                let config = config.sub_channel_at(number);
                parts.push(ScheduledSubChannel::new(&config, observers)?);
            }
        }
        Ok(Self {
            config: config.clone(),
            map,
            parts,
            answers: VecDeque::new(),
            ready: 0,
            told_ps: 0,
        })
    }

    /// From addresses to places.
    #[must_use]
    pub fn map(&self) -> &AddressMap {
        &self.map
    }

    /// Takes a request for the line at a physical address, which reaches its controller at the first clock edge at or
    /// after a time in picoseconds. Requests come in the order of their times.
    ///
    /// # Errors
    /// When the memory has no such line, or the time lies before one that was pushed or run.
    pub fn push(
        &mut self,
        id: u64,
        kind: RequestKind,
        address: u64,
        time_ps: u64,
    ) -> Result<(), MemoryError> {
        let place = self.map.decode(address);
        let place = place.map_err(|problem| MemoryError::Address { id, problem })?;
        if time_ps < self.told_ps {
            let after_ps = self.told_ps;
            return Err(MemoryError::Late {
                id,
                time_ps,
                after_ps,
            });
        }
        let part = self.index(&place);
        let arrival = self.config.sub_channel.clock.edge_at_or_after(time_ps);
        self.parts[part].push(Request {
            id,
            kind,
            location: place.location,
            arrival,
        })?;
        self.told_ps = time_ps;
        Ok(())
    }

    /// Does everything that happens before a time in picoseconds.
    pub fn run(&mut self, until_ps: u64) {
        let until = self.config.sub_channel.clock.edge_at_or_after(until_ps);
        for part in &mut self.parts {
            part.run(until);
        }
        self.told_ps = self.told_ps.max(until_ps);
        self.collect(Some(until_ps));
    }

    /// Runs until everything has arrived, and from then on with no writes kept back until nothing waits any more.
    /// Returns the time in picoseconds from which on that holds.
    pub fn flush(&mut self) -> u64 {
        let last = self.config.sub_channel.clock.edge_at_or_after(self.told_ps);
        for part in &mut self.parts {
            part.run(last);
        }
        let end = self.parts.iter_mut().map(ScheduledSubChannel::flush).max();
        let end = end.unwrap_or(0);
        // Those that were done before the others go on being refreshed.
        for part in &mut self.parts {
            part.run(end);
        }
        let end_ps = self.config.sub_channel.clock.ps(end);
        self.told_ps = self.told_ps.max(end_ps);
        self.collect(None);
        self.told_ps
    }

    /// Takes away what was completed before the time that was run last, or everything after a flush: every request
    /// once, in the order of times, those of one time by sub-channel.
    pub fn completed(&mut self) -> impl Iterator<Item = Completion> + '_ {
        let ready = std::mem::take(&mut self.ready);
        self.answers
            .drain(..ready)
            .map(|(completion, _)| completion)
    }

    /// When the first request is completed of those that are served and not due yet, in picoseconds.
    #[must_use]
    pub fn next_completion_ps(&self) -> Option<u64> {
        let (completion, _) = self.answers.get(self.ready)?;
        Some(completion.time_ps)
    }

    /// Requests that were pushed and are not served.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.parts.iter().map(ScheduledSubChannel::waiting).sum()
    }

    /// What watches, channel by channel, sub-channel by sub-channel.
    pub fn observers(&self) -> impl Iterator<Item = &O> {
        self.parts.iter().map(|part| &part.observer().1)
    }

    /// What watches, to be read out or reset.
    pub fn observers_mut(&mut self) -> impl Iterator<Item = &mut O> {
        self.parts.iter_mut().map(|part| &mut part.observer_mut().1)
    }

    pub(super) fn index(&self, place: &DecodedAddress) -> usize {
        (place.channel * self.config.sub_channels + place.sub_channel) as usize
    }

    /// Fetches the answers of a sub-channel, each behind those that go before it.
    pub(super) fn fetch(&mut self, part: usize) {
        for answer in self.parts[part].observer_mut().0.0.drain(..) {
            let time_ps = answer.time_ps(&self.config);
            let goes_before =
                |other: &(Completion, usize)| (other.0.time_ps, other.1) <= (time_ps, part);
            let completion = Completion {
                id: answer.id,
                kind: answer.kind,
                time_ps,
            };
            // Mostly the last one of all.
            if self.answers.back().is_none_or(goes_before) {
                self.answers.push_back((completion, part));
                continue;
            }
            let behind = self.answers.iter().rev();
            let behind = behind.take_while(|other| !goes_before(other)).count();
            let place = self.answers.len() - behind;
            self.answers.insert(place, (completion, part));
        }
    }

    /// Fetches the answers of all sub-channels. A sub-channel that was run to a time has no answers left from before.
    pub(super) fn collect(&mut self, until_ps: Option<u64>) {
        for (index, part) in self.parts.iter_mut().enumerate() {
            for answer in part.observer_mut().0.0.drain(..) {
                let completion = Completion {
                    id: answer.id,
                    kind: answer.kind,
                    time_ps: answer.time_ps(&self.config),
                };
                self.answers.push_back((completion, index));
            }
        }
        // Stable, so that answers of one sub-channel at one time stay in the order in which it gave them.
        self.answers
            .make_contiguous()
            .sort_by_key(|(completion, part)| (completion.time_ps, *part));
        self.ready = match until_ps {
            Some(until) => self
                .answers
                .partition_point(|(completion, _)| completion.time_ps < until),
            None => self.answers.len(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::{RowOutcome, ServedRequest};
    use crate::system::sample::{mrdimm_8800, rdimm_6400};
    use proptest::prelude::*;

    /// Keeps what was served.
    #[derive(Clone, Debug, Default)]
    struct ServedLog(Vec<ServedRequest>);

    impl Observer for ServedLog {
        fn served(&mut self, served: &ServedRequest) {
            self.0.push(*served);
        }
    }

    fn memory(config: &SystemConfig) -> MemorySystem<ServedLog> {
        MemorySystem::new(config, |_, _| ServedLog::default()).expect("a sound system")
    }

    /// ACT 36, RD 36 and 8 clocks of data from the first edge on: 80 clocks of 454.54 ps, and 2 ns in the module.
    #[test]
    fn a_read_takes_as_long_as_by_hand() {
        let mut memory = memory(&mrdimm_8800());
        memory
            .push(7, RequestKind::Read, 0x40, 100)
            .expect("a line");
        assert_eq!(memory.waiting(), 1);
        memory.flush();
        assert_eq!(memory.waiting(), 0);
        let answer = Completion {
            id: 7,
            kind: RequestKind::Read,
            time_ps: (81.0f64 * 2e6 / 4400.0).round() as u64 + 2_000,
        };
        assert_eq!(memory.completed().collect::<Vec<_>>(), [answer]);
        assert_eq!(memory.completed().count(), 0);
    }

    /// A write is done when the controller has it, and answers reads of its line without the module.
    #[test]
    fn the_write_queue_answers_at_once() {
        let mut memory = memory(&mrdimm_8800());
        memory.push(1, RequestKind::Write, 0x40, 0).expect("a line");
        memory.push(2, RequestKind::Read, 0x40, 1).expect("a line");
        memory.push(3, RequestKind::Write, 0x40, 1).expect("a line");
        memory.flush();
        let times: Vec<_> = memory
            .completed()
            .map(|answer| (answer.id, answer.time_ps))
            .collect();
        assert_eq!(times, [(1, 0), (2, 455), (3, 455)]);
        let served: Vec<RowOutcome> = memory
            .observers()
            .flat_map(|log| &log.0)
            .map(|served| served.outcome)
            .collect();
        assert_eq!(
            served,
            [RowOutcome::Forwarded, RowOutcome::Merged, RowOutcome::Miss]
        );
    }

    #[test]
    fn wrong_requests_are_named_and_change_nothing() {
        let mut memory = memory(&rdimm_6400());
        let bytes = memory.map().bytes();
        memory.push(1, RequestKind::Read, 0, 5_000).expect("a line");
        let mut problem = |address, time_ps| {
            let error = memory.push(9, RequestKind::Read, address, time_ps);
            error.expect_err("a wrong request").to_string()
        };
        assert_eq!(
            problem(65, 5_000),
            "request 9: address 0x41 is no multiple of 64 bytes"
        );
        assert!(problem(bytes, 5_000).contains("lies outside the memory"));
        assert!(
            problem(0, 4_999).contains("comes at 4999 ps, but the memory has been told of 5000 ps")
        );
        memory.run(9_000);
        let late = memory.push(9, RequestKind::Read, 0, 8_999);
        assert_eq!(
            late,
            Err(MemoryError::Late {
                id: 9,
                time_ps: 8_999,
                after_ps: 9_000
            })
        );
        memory
            .push(2, RequestKind::Read, 0, 9_000)
            .expect("in time");
        let end_ps = memory.flush();
        assert_eq!(
            memory
                .completed()
                .map(|answer| answer.id)
                .collect::<Vec<_>>(),
            [1, 2]
        );
        memory
            .push(3, RequestKind::Read, 0, end_ps)
            .expect("a flush is no end");
        let mut config = rdimm_6400();
        config.sub_channel.policy.read_queue = 0;
        assert!(MemorySystem::new(&config, |_, _| ()).is_err());
    }

    type Asked = (u8, bool, u64, u64);

    fn asked() -> impl Strategy<Value = Vec<Asked>> {
        let one = (0u8..3, any::<bool>(), 0u64..1 << 30, 0u64..30_000);
        prop::collection::vec(one, 1..150)
    }

    /// Pushes requests, running up to each where that is asked for, and returns all completions.
    fn all(config: &SystemConfig, asked: &[Asked], stop: bool) -> Vec<Completion> {
        let mut memory = memory(config);
        let (mut now, mut done, mut told) = (0, Vec::new(), 0);
        for (id, &(near, write, line, pause)) in asked.iter().enumerate() {
            now += pause;
            if stop && pause % 2 == 0 {
                memory.run(now);
                let new: Vec<_> = memory.completed().collect();
                assert!(
                    new.iter()
                        .all(|answer| (told..now).contains(&answer.time_ps))
                );
                done.extend(new);
                told = now;
            }
            let kind = if write {
                RequestKind::Write
            } else {
                RequestKind::Read
            };
            // Some of the lines are the same, and some of the times.
            let line = if near == 0 { line % 4 } else { line };
            let time = if near == 1 { now } else { now / 1000 * 1000 };
            memory
                .push(id as u64, kind, line * 64, time.max(now))
                .expect("a line in time");
        }
        memory.flush();
        done.extend(memory.completed());
        done
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Every request is completed once, in the order of time, however often the memory is run in between.
        #[test]
        fn requests_are_completed_once_and_in_order(asked in asked(), module in any::<bool>()) {
            let config = if module { mrdimm_8800() } else { rdimm_6400() };
            let whole = all(&config, &asked, false);
            prop_assert!(whole.is_sorted_by_key(|answer| answer.time_ps));
            let mut ids: Vec<u64> = whole.iter().map(|answer| answer.id).collect();
            ids.sort_unstable();
            prop_assert_eq!(ids, (0..asked.len() as u64).collect::<Vec<_>>());
            prop_assert_eq!(&whole, &all(&config, &asked, true));
        }
    }
}
