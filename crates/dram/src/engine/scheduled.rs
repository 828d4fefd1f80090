//! The engine with the scheduler that a policy names.

use super::{PushError, SubChannel};
use crate::config::{ConfigError, SubChannelConfig};
use crate::observer::Observer;
use crate::request::{Request, RequestKind};
use crate::scheduler::{BatchFirst, FrFcfs, SchedulerName};

/// A [`SubChannel`] whose scheduler is the one that its policy names. Each is built by itself; which of them it is, is asked
/// once a call.
#[derive(Clone, Debug)]
pub enum ScheduledSubChannel<O: Observer> {
    /// First ready, first come, first served.
    FrFcfs(SubChannel<O, FrFcfs>),
    /// Batch by batch.
    BatchFirst(SubChannel<O, BatchFirst>),
}

/// The same for every scheduler.
macro_rules! each {
    ($of:expr, $channel:ident => $what:expr) => {
        match $of {
            ScheduledSubChannel::FrFcfs($channel) => $what,
            ScheduledSubChannel::BatchFirst($channel) => $what,
        }
    };
}

impl<O: Observer> ScheduledSubChannel<O> {
    /// See [`SubChannel::new`].
    ///
    /// # Errors
    /// When the configuration contradicts itself.
    pub fn new(config: &SubChannelConfig, observer: O) -> Result<Self, ConfigError> {
        Ok(match config.policy.scheduler {
            SchedulerName::FrFcfs => Self::FrFcfs(SubChannel::new(config, observer)?),
            SchedulerName::BatchFirst => {
                Self::BatchFirst(SubChannel::with_scheduler(config, observer, BatchFirst)?)
            }
        })
    }

    /// See [`SubChannel::push`].
    ///
    /// # Errors
    /// When the request lies outside the sub-channel, or comes too late.
    #[inline]
    pub fn push(&mut self, request: Request) -> Result<(), PushError> {
        each!(self, channel => channel.push(request))
    }

    /// See [`SubChannel::run`].
    #[inline]
    pub fn run(&mut self, until: u64) {
        each!(self, channel => channel.run(until));
    }

    /// See [`SubChannel::flush`].
    pub fn flush(&mut self) -> u64 {
        each!(self, channel => channel.flush())
    }

    /// See [`SubChannel::now`].
    #[inline]
    pub fn now(&self) -> u64 {
        each!(self, channel => channel.now())
    }

    /// See [`SubChannel::waiting`].
    #[inline]
    pub fn waiting(&self) -> usize {
        each!(self, channel => channel.waiting())
    }

    /// See [`SubChannel::step`].
    #[inline]
    pub fn step(&mut self, until: u64) -> u64 {
        each!(self, channel => channel.step(until))
    }

    /// See [`SubChannel::queued`].
    #[inline]
    pub fn queued(&self, pseudo_channel: u8, kind: RequestKind) -> usize {
        each!(self, channel => channel.queued(pseudo_channel, kind))
    }

    /// See [`SubChannel::full_queues`].
    #[inline]
    pub fn full_queues(&self, in_front: u32) -> u8 {
        each!(self, channel => channel.full_queues(in_front))
    }

    /// See [`SubChannel::has_backlog`].
    #[inline]
    pub fn has_backlog(&self) -> bool {
        each!(self, channel => channel.has_backlog())
    }

    /// See [`SubChannel::has_reads`].
    #[inline]
    pub fn has_reads(&self) -> bool {
        each!(self, channel => channel.has_reads())
    }

    /// See [`SubChannel::next_arrival`].
    #[inline]
    pub fn next_arrival(&self) -> u64 {
        each!(self, channel => channel.next_arrival())
    }

    /// See [`SubChannel::no_service_before`].
    #[inline]
    pub fn no_service_before(&self) -> u64 {
        each!(self, channel => channel.no_service_before())
    }

    /// See [`SubChannel::observer`].
    #[inline]
    pub fn observer(&self) -> &O {
        each!(self, channel => channel.observer())
    }

    /// See [`SubChannel::observer_mut`].
    #[inline]
    pub fn observer_mut(&mut self) -> &mut O {
        each!(self, channel => channel.observer_mut())
    }

    /// See [`SubChannel::into_observer`].
    pub fn into_observer(self) -> O {
        each!(self, channel => channel.into_observer())
    }
}
