//! The event-driven sub-channel.

use crate::config::{ConfigError, SubChannelConfig};
use crate::observer::Observer;
use crate::request::Request;

/// One sub-channel with its controller.
#[derive(Clone, Debug)]
pub struct SubChannel<O: Observer> {
    observer: O,
}

/// A request that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PushError {
    /// It lies outside the sub-channel.
    #[error("request {id}: {what} {value} lies outside; allowed: 0 to {max}")]
    OutOfRange {
        /// Name of the request.
        id: u64,
        /// The part of its place.
        what: &'static str,
        /// What it says.
        value: u64,
        /// The greatest there is.
        max: u64,
    },
    /// It arrives before one that was pushed earlier, or before what has been run already.
    #[error("request {id} arrives at clock {arrival}, after clock {after} has been run or pushed")]
    Late {
        /// Name of the request.
        id: u64,
        /// When it arrives.
        arrival: u64,
        /// What came before.
        after: u64,
    },
}

impl<O: Observer> SubChannel<O> {
    /// An idle sub-channel with all banks closed at clock 0.
    ///
    /// # Errors
    /// When the configuration contradicts itself.
    pub fn new(_config: &SubChannelConfig, observer: O) -> Result<Self, ConfigError> {
        Ok(Self { observer })
    }

    /// Takes a request that arrives at its clock. Requests come in the order of their arrivals, however far ahead.
    ///
    /// # Errors
    /// When the request lies outside the sub-channel, or comes too late.
    pub fn push(&mut self, _request: Request) -> Result<(), PushError> {
        unimplemented!()
    }

    /// Does everything that happens before a clock.
    pub fn run(&mut self, _until: u64) {
        unimplemented!()
    }

    /// Runs until nothing waits any more, with no writes kept back, and returns the first clock at which that holds.
    pub fn flush(&mut self) -> u64 {
        unimplemented!()
    }

    /// First clock that has not been run.
    pub fn now(&self) -> u64 {
        unimplemented!()
    }

    /// Requests that were pushed and are not served.
    pub fn waiting(&self) -> usize {
        unimplemented!()
    }

    /// What watched.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// What watches, to be read out or reset.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// What watched, by itself.
    pub fn into_observer(self) -> O {
        self.observer
    }
}
