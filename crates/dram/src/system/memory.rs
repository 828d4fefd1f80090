//! All sub-channels behind one door, for whoever brings requests of their own.

use super::answer::Answers;
use crate::config::{ConfigError, SystemConfig};
use crate::engine::{PushError, SubChannel};
use crate::mapping::{AddressError, AddressMap, Place};
use crate::observer::Observer;
use crate::request::{Kind, Request};

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
    pub kind: Kind,
    /// When the data of a read have reached the controller, what the module adds included, or when the controller
    /// accepted a write; in picoseconds. Reads that the controller's write queue answers do not cross the module.
    pub time_ps: u64,
}

/// The memory of a system: sub-channels and the mapping in front of them. Times are picoseconds, counted from 0.
///
/// ```no_run
/// use wordline_dram::{Kind, SystemConfig, system::MemorySystem};
///
/// fn latency_ps(config: &SystemConfig) -> Result<u64, Box<dyn std::error::Error>> {
///     let mut memory = MemorySystem::new(config, |_, _| ())?;
///     memory.push(1, Kind::Read, 0x1000, 0)?;
///     memory.flush();
///     Ok(memory.completed().next().map_or(0, |completion| completion.time_ps))
/// }
/// ```
#[derive(Debug)]
pub struct MemorySystem<O: Observer> {
    config: SystemConfig,
    map: AddressMap,
    parts: Vec<SubChannel<(Answers, O)>>,
    /// Answers with their sub-channels, in the order of time, sub-channel and appearance. The first `ready` are due.
    answers: Vec<(Completion, usize)>,
    ready: usize,
    told_ps: u64,
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
                parts.push(SubChannel::new(&config.sub_channel, observers)?);
            }
        }
        Ok(Self {
            config: config.clone(),
            map,
            parts,
            answers: Vec::new(),
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
        kind: Kind,
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

    /// Runs until nothing waits any more, with no writes kept back, and returns the time in picoseconds from which on
    /// that holds.
    pub fn flush(&mut self) -> u64 {
        let end = self.parts.iter_mut().map(SubChannel::flush).max();
        let end_ps = self.config.sub_channel.clock.ps(end.unwrap_or(0));
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

    /// Requests that were pushed and are not served.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.parts.iter().map(SubChannel::waiting).sum()
    }

    /// What watches, channel by channel, sub-channel by sub-channel.
    pub fn observers(&self) -> impl Iterator<Item = &O> {
        self.parts.iter().map(|part| &part.observer().1)
    }

    /// What watches, to be read out or reset.
    pub fn observers_mut(&mut self) -> impl Iterator<Item = &mut O> {
        self.parts.iter_mut().map(|part| &mut part.observer_mut().1)
    }

    fn index(&self, place: &Place) -> usize {
        (place.channel * self.config.sub_channels + place.sub_channel) as usize
    }

    /// Fetches the answers of all sub-channels. A sub-channel that was run to a time has no answers left from before.
    fn collect(&mut self, until_ps: Option<u64>) {
        for (index, part) in self.parts.iter_mut().enumerate() {
            for answer in part.observer_mut().0.0.drain(..) {
                let completion = Completion {
                    id: answer.id,
                    kind: answer.kind,
                    time_ps: answer.time_ps(&self.config),
                };
                self.answers.push((completion, index));
            }
        }
        // Stable, so that answers of one sub-channel at one time stay in the order in which it gave them.
        self.answers
            .sort_by_key(|(completion, part)| (completion.time_ps, *part));
        self.ready = match until_ps {
            Some(until) => self
                .answers
                .partition_point(|(completion, _)| completion.time_ps < until),
            None => self.answers.len(),
        };
    }
}
